#pragma once
#include <skipped/unistd.h> /* what it says of the system */
#include <sys/types.h>
extern "C" {
int usleep(unsigned);
unsigned sleep(unsigned);
pid_t getpid(void);
pid_t getppid(void);
unsigned getuid(void);
int getpagesize(void);
off_t lseek(int, off_t, int);
int ftruncate(int, off_t);
int fsync(int);
int rmdir(const char *);
int chdir(const char *);
ssize_t readlink(const char *, char *, size_t);
pid_t fork(void);
void _exit(int) __attribute__((noreturn));
ssize_t read(int, void *, size_t);
ssize_t write(int, const void *, size_t);
int close(int);
int pipe(int *);
int dup(int);
int dup2(int, int);
int access(const char *, int);
int unlink(const char *);
int isatty(int);
int gethostname(char *, size_t);
char *getcwd(char *, size_t);
long sysconf(int);
unsigned alarm(unsigned);
extern char *optarg;
extern int optind, opterr, optopt;
int getopt(int, char *const *, const char *);
}
#define _SC_CLK_TCK 2
#define _SC_PAGESIZE 30
#define _SC_PAGE_SIZE 30
#define _SC_NPROCESSORS_CONF 83
#define _SC_NPROCESSORS_ONLN 84
#define _SC_PHYS_PAGES 85
#define R_OK 4
#define W_OK 2
#define X_OK 1
#define F_OK 0
