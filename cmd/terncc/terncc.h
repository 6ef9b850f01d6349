/* terncc: stands in for nvcc. What its files share. */
#ifndef TERNCC_H
#define TERNCC_H

#include "base/base.h"
#include "cuda/tern_abi.h"
#include "driver/mode.h"

typedef VEC(const char *) words;

enum stop_after {
    STOP_LINK,
    STOP_OBJECT,
    STOP_PREPROCESS,
    STOP_HOST,
    STOP_PTX,
    STOP_FATBIN,
    STOP_CUBIN,
    STOP_DEPEND
};

struct job {
    struct arena *arena;
    const char *program;  /* argv[0] */
    const char *includes; /* our headers */
    const char *library;  /* libtern.a */
    const char *cxx;
    const char *toolkit; /* the folder in the shape of a CUDA toolkit, or NULL */
    const char *output, *output_dir, *keep_dir;
    enum stop_after stop;
    bool shared, archive, verbose, dry, keep, treat_as_cu, linked, device_link, forward,
        forward_link, stream_per_thread, checked, warnings_fail, no_warnings,
        resources,                          /* -Xptxas -v: what kernels take is told */
        extended_lambda, relaxed_constexpr, /* macros tell of them; here they are always on */
        hip;                                /* called as ternhip or hipcc */
    const char *standard;
    words inputs;
    words host;         /* options for the host compiler, compiling */
    words link;         /* options and libraries for the link, in order */
    words include_dirs; /* -I; then -isystem's, in whose headers compilers do not warn */
    words system_dirs;
    words defines; /* -DX, -UX, -include X, two words where written so */
    words depend;  /* -M… */
    struct compile_mode mode;
    bool arch_given;
    const char *arch_list; /* all that were named, "800,900"; NULL: none */
    unsigned option_files; /* read so far */
    const char *cpus; /* --cpu: processors that kernels are compiled for, with commas; NULL: this
                         architecture's */
};

struct unit { /* one file's device half, in an object */
    const char *symbol, *path;
    unsigned flags; /* enum __tern_unit_flags */
    const char *text;
    size_t len;
    words kernels;      /* instantiations of kernel templates, as name expressions */
    const char *shapes; /* of blocks: PACKED_SHAPES; NULL: not told */
    bool in_archive;
};
typedef VEC(struct unit) units;

/* options.c: false: said why */
bool options_read(struct job *j, int argc, char **argv);
void options_help(void);
void options_hip(struct job *j); /* the sources are HIP */

/* build.c: exit status */
int build_all(struct job *j);

/* bundle.c: code of kernels that goes into the program, as data; empty: none does */
struct sbuf bundle_make(struct job *j, const units *all);
bool bundle_cpus(const char *list); /* are all of these known? Says so if not */

/* object.c: adds the device halves in an object or archive; other files have none */
void object_units(struct arena *a, const char *path, units *to);

/* main.c */
char *read_file(struct arena *a, const char *path, size_t *len); /* NULL: it cannot be read */
int complain(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
