/* terncc: stands in for nvcc. What its files share. */
#ifndef TERNCC_H
#define TERNCC_H

#include "base/base.h"

typedef VEC(const char *) words;

enum stop_after { STOP_LINK, STOP_OBJECT, STOP_PREPROCESS, STOP_PTX };

struct job {
    struct arena *arena;
    const char *program;  /* argv[0] */
    const char *includes; /* our headers */
    const char *library;  /* libtern.a */
    const char *cxx;
    const char *output;
    enum stop_after stop;
    bool shared, archive, verbose, dry, keep, treat_as_cu, fast_math, no_fmad, no_check, linked,
        device_link;
    const char *standard;
    words inputs;
    words host; /* options for the host compiler, compiling */
    words link; /* options and libraries for the link, in order */
    words include_dirs;
    words defines; /* -DX, -UX, -include X, two words where written so */
    words depend;  /* -M… */
    unsigned arch;
};

/* options.c: false: said why */
bool options_read(struct job *j, int argc, char **argv);
void options_help(void);

/* build.c: exit status */
int build_all(struct job *j);

int complain(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
