/* What the files of the tern command share. */
#ifndef CMD_TERN_H
#define CMD_TERN_H

#include <stdio.h>
#include <sys/types.h>
#include "base/progress.h"
#include "driver/pipeline.h"

/* Exit codes; `tern help exit-codes` lists them. */
enum exit_code {
    EXIT_FINE = 0,
    EXIT_REFUSED = 1, /* the source was refused; diagnostics say why */
    EXIT_USAGE = 2,
    EXIT_KERNEL = 3, /* the kernel failed: bad access, trap, assert, deadlock */
    EXIT_DEVICE = 4, /* no such device, or it cannot do this */
    EXIT_IO = 5,
    EXIT_MEMORY = 6,
    EXIT_TIMEOUT = 124,
    EXIT_STOPPED = 130, /* Ctrl-C */
};

struct string_list {
    const char **data;
    size_t len;
};

struct target_option { /* of a target that has one of that name: struct back_option */
    const char *name;
    uint32_t value;
};

struct args {
    const char *command, *input, *output;
    const char *to, *device, *kernel, *standard, *host;
    const char *kinds, *suppress; /* of findings */
    const char *commands;         /* for a debugger */
    const char *probe;            /* doctor: the device to look at, in a child */
    const char *against;          /* bench: a run that was saved */
    unsigned iterations, warmup;
    bool warmup_given;
    double seconds;
    /* bench: a kernel's launch, as often as it asks for; false: it failed. NULL: once, and its
     * buffers are shown. */
    bool (*repeat)(void *ctx, const char *name, double (*run)(void *of_run), void *of_run);
    void *repeat_ctx;
    unsigned max;
    uint32_t grid[3], block[3], shared;
    bool launch_given; /* any of --kernel, --grid, --block, --arg */
    bool block_given;
    char **words; /* the command line as it was given, without --sandbox */
    bool sandbox;
    const char *price; /* prof */
    const char *html;  /* prof: the page, beside -o */
    bool lines;        /* programs are built with line tables of their host half */
    bool cooperative, counters, json, color, quiet, time_passes, verify_passes;
    double timeout;
    unsigned print, error_limit, port;
    unsigned nodes, ranks, cpus; /* of a job */
    bool topology, measure;
    size_t bytes; /* of a collective */
    const char *machine, *gres, *warm;
    int level; /* -1: the device's or target's own */
    enum source_language language;
    struct compile_mode mode;
    size_t memory_limit;
    struct string_list kernel_args, include_dirs, names, warnings, dumps, rest;
    struct string_list more; /* the other files of a program; `input` is the first */
    struct compile_define *defines;
    size_t ndefines;
    struct target_option *target_options;
    size_t ntarget_options;
};

/* args.c: false, and a message on stderr, if the command line makes no sense. Adds to *a. */
bool args_parse(struct args *a, int argc, char **argv);
void args_init(struct args *a);
bool args_prepare(struct args *a, size_t words); /* room for as many words */
void args_free(struct args *a);
void args_describe(FILE *out); /* the options, as help shows them */
void args_describe_targets(FILE *out);
struct option_text {
    const char *name, *value, *about; /* value: NULL: it takes none */
};
bool args_option(size_t k, struct option_text *out); /* the k-th; false: there are no more */

/* One function for each subcommand; gives the exit code. */
int command_run(struct args *a);
int command_compile(struct args *a);
int command_analyze(struct args *a);
int command_serve(struct args *a);
int command_cache(struct args *a);
/* host.c: who compiles the host half; runs it here if that is us. */
enum host_choice { HOST_SYSTEM, HOST_OWN, HOST_AUTO, HOST_UNKNOWN };
enum host_choice host_choice(const struct args *a);
bool find_program(const char *name, char *out, size_t size); /* in PATH, or where it says */
enum { EXIT_HOST_REFUSED = -1 }; /* not run: our compiler does not take it, and has said why */
int run_host(const struct args *a);
bool dropin_folder(char *out, size_t size); /* exec.c: where our shared libraries are */
int run_program(struct args *a);            /* program.c: `tern run app.cu -- words` */
/* Runs a file and waits for it: its exit code. what: it, in messages; limit: seconds, 0 none. */
int wait_for(pid_t child, const char *what, double limit); /* the same, of what runs already */
int run_and_wait(const char *path, char *const *argv, const char *what, double limit);
int run_in_sandbox(const struct args *a); /* sandbox.c: the same words, in there */
/* alone: it shall need no library but libc */
int program_build(const struct args *a, const char *program, bool alone);
int command_pack(struct args *a);    /* program.c: `tern pack app.cu -o app` */
int command_check(struct args *a);   /* check.c: `tern check app.cu -- words` */
int command_bench(struct args *a);   /* bench.c */
void bench_describe(FILE *out);      /* its built-ins, for help */
int run_kernel_file(struct args *a); /* run.c: one kernel of a file */
int command_doctor(struct args *a);  /* doctor.c */
/* doctor_math.c: functions of double on a device; free(*out). 0: they do not run. */
struct doctor_function {
    const char *name;
    double worst, bound; /* ulp */
    bool within;
};
struct tern_device;
size_t doctor_functions(struct tern_device *d, struct doctor_function **out);
int command_devices(struct args *a);
int show_topology(const struct args *a); /* topology.c */
int command_slurm(struct args *a);       /* slurm.c */
int command_mpi(struct args *a);         /* mpi.c: `mpirun tern mpi ./app words` */
int command_model(struct args *a);       /* model.c */
void exec_prepend(const char *variable, const char *value); /* exec.c: to a list of paths */
int command_exec(struct args *a);                           /* exec.c: `tern exec ./app words` */
/* The file and words of the program that a->input names, and an environment in which it finds our
 * libraries; free(*argv). */
int exec_prepare(const struct args *a, char *path, size_t size, char ***argv);
char **exec_words(const struct args *a, const char *program); /* for free(); NULL: no memory */
int command_prof(struct args *a);                             /* prof.c */
int command_debug(struct args *a); /* debug.c: `tern debug app.cu -- words` */
struct prof_peaks;
void measure_peaks(const char *devices, struct prof_peaks *out); /* peaks.c */
int command_tune(struct args *a);                                /* tune.c */
int command_init(struct args *a);
int command_man(struct args *a); /* describe.c */
int command_completion(struct args *a);
bool describe_usage(const char *name); /* false: there is no such command */
void describe_rest(const char *name);
int command_help(struct args *a);
int command_version(struct args *a);

/* source.c */
char *read_whole_file(const char *path, size_t *len); /* NULL: errno says why; "-" is stdin */
/* Reads a->input and compiles it; prints diagnostics. EXIT_FINE: c->module is there. In any case
 * followed by compile_free(c). */
/* native: the device or target has what is asynchronous (ir/async.h) */
struct compile_options compile_options_of(const struct args *a, unsigned level, bool native);
int compile_input(const struct args *a, unsigned level, bool native, struct compilation *c);
/* Prints what was dumped since the last call. */
void print_dumps(struct compilation *c);
/* Those that came after `after`; NULL: all. */
void print_diagnostics(const struct args *a, const struct compilation *c,
                       const struct diag_entry *after);
int complain(const char *fmt, ...)
    __attribute__((format(printf, 1, 2))); /* to stderr; EXIT_USAGE */
int exit_code_of(enum tern_error e);

/* terminal.c: a line on stderr after a second, if stderr is a terminal; stops on Ctrl-C. */
struct progress *progress_start(const char *what); /* NULL: no terminal */
const volatile int *cancel_flag(void);             /* set by Ctrl-C from the first call on */

/* buffer.c: arguments of a kernel from the command line */
enum value_kind { VALUE_INT, VALUE_UINT, VALUE_FLOAT, VALUE_HALF, VALUE_BF16 };
struct value_type {
    const char *name;
    enum value_kind kind;
    uint32_t size;
};
struct kernel_arg {
    const struct value_type *type;
    bool is_buffer;
    uint64_t count; /* of a buffer */
    uint8_t *data;  /* of a buffer, or the bytes of a scalar or class */
    uint64_t bytes;
    struct tern_buffer *buffer;
    uint64_t address; /* of that */
};
bool kernel_arg_parse(struct kernel_arg *out, const char *text, unsigned index);
void kernel_arg_free(struct kernel_arg *a);
void kernel_arg_show(const struct kernel_arg *a, unsigned index, unsigned first);
void kernel_arg_json(const struct kernel_arg *a, struct json_writer *w, unsigned first);

/* check_lines.c: the line of the host program that the addresses of a finding stand for. */
struct host_line {
    char path[1024];
    unsigned line;
};
/* skip: so many calls of the program's own are left out. */
bool host_line_of(const char *frames, unsigned skip, struct host_line *out);
void host_line_text(const struct host_line *l, char *out, size_t size); /* the source, or "" */

/* energy.c: what the machine takes while a program runs. */
struct energy;
struct prof_energy;
struct energy *energy_begin(void); /* NULL: out of memory */
void energy_stop(struct energy *e);
size_t energy_of(const struct energy *e, uint64_t from, uint64_t to, struct prof_energy *out,
                 size_t room);
void energy_free(struct energy *e);

#endif
