#pragma once
#include <sys/time.h>
struct rusage { struct timeval ru_utime, ru_stime; long ru_maxrss, ru_ixrss, ru_idrss, ru_isrss, ru_minflt, ru_majflt, ru_nswap, ru_inblock, ru_oublock, ru_msgsnd, ru_msgrcv, ru_nsignals, ru_nvcsw, ru_nivcsw; };
struct rlimit { unsigned long rlim_cur, rlim_max; };
extern "C" int getrusage(int, struct rusage *);
extern "C" int getrlimit(int, struct rlimit *);
extern "C" int setrlimit(int, const struct rlimit *);
#define RUSAGE_SELF 0
#define RUSAGE_CHILDREN (-1)
