#pragma once
#include <sys/types.h>
extern "C" pid_t waitpid(pid_t, int *, int);
extern "C" pid_t wait(int *);
#define WNOHANG 1
#define WEXITSTATUS(s) (((s) >> 8) & 255)
#define WTERMSIG(s) ((s) & 127)
#define WIFEXITED(s) (WTERMSIG(s) == 0)
#define WIFSIGNALED(s) ((signed char)(((s) & 127) + 1) >> 1 > 0)
