/* The tern command: reads the command line and calls one function for each subcommand. */
#include <stdio.h>
#include <string.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include "tern.h"

static const struct command {
    const char *name;
    int (*run)(struct args *a);
} commands[] = {
    {"run", command_run},         {"compile", command_compile}, {"analyze", command_analyze},
    {"serve", command_serve},     {"devices", command_devices}, {"cache", command_cache},
    {"check", command_check},     {"exec", command_exec},       {"prof", command_prof},
    {"bench", command_bench},     {"doctor", command_doctor},   {"debug", command_debug},
    {"init", command_init},       {"man", command_man},         {"completion", command_completion},
    {"slurm", command_slurm},     {"pack", command_pack},       {"help", command_help},
    {"version", command_version}, {"mpi", command_mpi},         {"model", command_model},
    {"tune", command_tune},
};
#define NCOMMANDS (sizeof commands / sizeof *commands)

static int dispatch(struct args *a)
{
    const char *names[NCOMMANDS];
    if (!a->command) {
        command_help(a);
        return EXIT_USAGE;
    }
    for (size_t i = 0; i < NCOMMANDS; i++) {
        if (!strcmp(a->command, commands[i].name))
            return commands[i].run(a);
        names[i] = commands[i].name;
    }
    const char *near = diag_nearest(a->command, names, NCOMMANDS);
    return complain("'%s' is no command%s%s%s; see `tern help`", a->command,
                    near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
}

/* A compiler takes memory and gives it back many times: what it gave back stays with the process,
 * so that the kernel need not clear the same pages again. A twentieth of the time. */
static void keep_memory(void)
{
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
    mallopt(M_TRIM_THRESHOLD, 256 << 20);
    mallopt(M_TOP_PAD, 1 << 20);
#endif
}

/* The words without --sandbox: what is run in there. */
static void drop_sandbox(char **argv)
{
    size_t n = 0;
    bool ours = true;
    for (size_t k = 0; argv[k]; k++) {
        ours = ours && strcmp(argv[k], "--") != 0;
        if (!ours || strcmp(argv[k], "--sandbox") != 0)
            argv[n++] = argv[k];
    }
    argv[n] = NULL;
}

static int in_sandbox(struct args *a, char **argv)
{
    if (!a->command || strcmp(a->command, "run") != 0)
        return complain("--sandbox is for `tern run`");
    drop_sandbox(argv);
    a->words = argv;
    return run_in_sandbox(a);
}

int main(int argc, char **argv)
{
    keep_memory();
    struct args a;
    args_init(&a);
    int code = EXIT_USAGE;
    if (args_parse(&a, argc - 1, argv + 1))
        code = a.sandbox ? in_sandbox(&a, argv) : dispatch(&a);
    args_free(&a);
    if (fflush(stdout) || ferror(stdout)) {
        fprintf(stderr, "tern: standard output could not be written\n");
        return EXIT_IO;
    }
    return code;
}
