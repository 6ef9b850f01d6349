#pragma once
#include <sys/types.h>
#include <time.h>
typedef unsigned mode_t;
typedef unsigned long dev_t, ino_t;
struct stat {
    dev_t st_dev;
    ino_t st_ino;
#if defined(__aarch64__)
    mode_t st_mode;
    unsigned st_nlink, st_uid, st_gid;
    dev_t st_rdev, st_pad;
    off_t st_size;
    int st_blksize;
#else
    unsigned long st_nlink;
    mode_t st_mode;
    unsigned st_uid, st_gid;
    dev_t st_rdev;
    off_t st_size;
    long st_blksize;
#endif
    long st_blocks;
    struct timespec st_atim, st_mtim, st_ctim;
#if defined(__aarch64__)
    int st_rest[2];
#else
    long st_rest[3];
#endif
};
#define st_atime st_atim.tv_sec
#define st_mtime st_mtim.tv_sec
#define st_ctime st_ctim.tv_sec
extern "C" {
int stat(const char *, struct stat *);
int lstat(const char *, struct stat *);
int fstat(int, struct stat *);
int mkdir(const char *, mode_t);
int chmod(const char *, mode_t);
mode_t umask(mode_t);
}
#define S_IFMT 0170000
#define S_IFDIR 0040000
#define S_IFREG 0100000
#define S_IFLNK 0120000
#define S_IFIFO 0010000
#define S_ISDIR(m) (((m) & S_IFMT) == S_IFDIR)
#define S_ISREG(m) (((m) & S_IFMT) == S_IFREG)
#define S_ISLNK(m) (((m) & S_IFMT) == S_IFLNK)
#define S_IRWXU 0700
#define S_IRUSR 0400
#define S_IWUSR 0200
#define S_IXUSR 0100
#define S_IRWXG 0070
#define S_IRGRP 0040
#define S_IWGRP 0020
#define S_IXGRP 0010
#define S_IRWXO 0007
#define S_IROTH 0004
#define S_IWOTH 0002
#define S_IXOTH 0001
