#pragma once
#include <sys/types.h>
struct dirent {
    unsigned long d_ino;
    long d_off;
    unsigned short d_reclen;
    unsigned char d_type;
    char d_name[256];
};
typedef struct __dirstream DIR;
extern "C" {
DIR *opendir(const char *);
struct dirent *readdir(DIR *);
int closedir(DIR *);
}
#define DT_UNKNOWN 0
#define DT_DIR 4
#define DT_REG 8
#define DT_LNK 10
