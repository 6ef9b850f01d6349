/* What tern does on a terminal while it works: a progress line, Ctrl-C, the log. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "tern.h"

static void say(const char *text)
{
    fputs(text, stderr);
    fflush(stderr);
}

struct progress *progress_start(const char *what)
{
    return isatty(STDERR_FILENO) ? progress_begin(what, say) : NULL;
}

/* A signal handler can reach nothing but what is static. */
static volatile int interrupted;

static void interrupt(int signal_number)
{
    if (interrupted) /* the second time, do not ask */
        _exit(EXIT_STOPPED);
    interrupted = signal_number;
}

const volatile int *cancel_flag(void)
{
    struct sigaction action = {.sa_handler = interrupt};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    return &interrupted;
}
