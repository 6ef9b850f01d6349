#pragma once
#include <sys/types.h>
extern "C" void (*signal(int, void (*)(int)))(int);
extern "C" int raise(int);
extern "C" int kill(pid_t, int);
#define SIGINT 2
#define SIGILL 4
#define SIGABRT 6
#define SIGFPE 8
#define SIGKILL 9
#define SIGSEGV 11
#define SIGPIPE 13
#define SIGALRM 14
#define SIGTERM 15
#define SIG_DFL ((void (*)(int))0)
#define SIG_IGN ((void (*)(int))1)
