#pragma once
#include <time.h>
struct timeval { long tv_sec, tv_usec; };
struct timezone { int tz_minuteswest, tz_dsttime; };
extern "C" int gettimeofday(struct timeval *, void *);
