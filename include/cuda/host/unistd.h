#pragma once
#include <sys/types.h>
extern "C" {
int usleep(unsigned);
unsigned sleep(unsigned);
pid_t getpid(void);
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
#define STDIN_FILENO 0
#define STDOUT_FILENO 1
#define STDERR_FILENO 2
#define _SC_PAGESIZE 30
#define _SC_NPROCESSORS_ONLN 84
#define R_OK 4
