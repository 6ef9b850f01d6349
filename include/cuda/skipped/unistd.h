/* What Linux says of itself in <unistd.h>: programs ask for it before they declare anything. */
#pragma once
#define _POSIX_VERSION 200809L
#define _POSIX_TIMERS 200809L
#define _POSIX_MONOTONIC_CLOCK 0
#define _POSIX_THREADS 200809L
#define _POSIX_MAPPED_FILES 200809L
#define _POSIX_CPUTIME 0
#define _XOPEN_VERSION 700
#define STDIN_FILENO 0
#define STDOUT_FILENO 1
#define STDERR_FILENO 2
