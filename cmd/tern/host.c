/* `tern run app.cu`: the host half compiled by ourselves and run in this process, with the shared
 * library whose CUDA API it calls. What ours does not take is left to the system's compiler, unless
 * --host=own forbids that. */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cuda/host.h"
#include "tern.h"

enum host_choice host_choice(const struct args *a)
{
    static const struct {
        const char *name;
        enum host_choice choice;
    } names[] = {{"own", HOST_OWN}, {"system", HOST_SYSTEM}, {"auto", HOST_AUTO}};
    if (!a->host && !strcmp(a->command, "run"))
        return HOST_AUTO;
    if (!a->host) /* recordings and checks are of programs of their own */
        return HOST_SYSTEM;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (!strcmp(names[k].name, a->host))
            return names[k].choice;
    return HOST_UNKNOWN;
}

enum { CHILD_REFUSED = 125 }; /* the exit code of a child that has not run the program */

typedef int run_host_fn(const struct host_job *job, int *code, char **why);

static run_host_fn *find_runner(void)
{
    char folder[4096], path[4200];
    run_host_fn *run = NULL;
    if (!dropin_folder(folder, sizeof folder))
        return NULL;
    snprintf(path, sizeof path, "%s/libtern.so", folder);
    void *library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    void *symbol = library ? dlsym(library, "__tern_run_host") : NULL;
    memcpy(&run, &symbol, sizeof run);
    return run;
}

/* Runs in this process, which ends with the program: gives back only if it was not run. */
static int run_here(const struct args *a, char *text, size_t len)
{
    struct compile_options o = compile_options_of(a, 2, false);
    o.host = true;
    char **argv = calloc(a->rest.len + 2, sizeof *argv), *why = NULL;
    run_host_fn *run = find_runner();
    int code = 0, outcome = HOST_REFUSED;
    if (argv && run) {
        argv[0] = (char *)a->input;
        for (size_t k = 0; k < a->rest.len; k++)
            argv[k + 1] = (char *)a->rest.data[k];
        const struct host_job job = {&o,   text,    len,      (int)a->rest.len + 1,
                                     argv, a->json, a->color, a->quiet};
        outcome = run(&job, &code, &why);
    }
    if (outcome == HOST_RAN)
        exit(code);
    free(argv);
    if (outcome == HOST_WRONG) {
        if (why)
            fputs(why, stderr);
        free(why);
        return EXIT_REFUSED;
    }
    const char *reason = why ? why : "libtern.so is not beside this command";
    const bool only = host_choice(a) == HOST_OWN;
    if (only)
        complain("the host half cannot be compiled here: %s", reason);
    else if (!a->quiet)
        complain("host code goes to the system's compiler: %s", reason);
    free(why);
    return only ? EXIT_REFUSED : EXIT_HOST_REFUSED;
}

/* What only the system's compiler can do; NULL: nothing. */
static const char *asks_for_system(const struct args *a)
{
    static const char *const taken[] = {"c++11",   "c++14",   "c++17",   "c++20",
                                        "gnu++11", "gnu++14", "gnu++17", "gnu++20"};
    if (a->more.len)
        return "the program has several files";
    for (size_t k = 0; a->standard && k < sizeof taken / sizeof *taken; k++)
        if (!strcmp(a->standard, taken[k]))
            return NULL;
    return a->standard ? "-std asks for another language" : NULL;
}

int run_host(const struct args *a)
{
    size_t len;
    const char *why = asks_for_system(a);
    const bool only = host_choice(a) == HOST_OWN;
    if (why && only)
        complain("the host half cannot be compiled here: %s", why);
    else if (why && !a->quiet)
        complain("host code goes to the system's compiler: %s", why);
    if (why)
        return only ? EXIT_REFUSED : EXIT_HOST_REFUSED;
    char *text = read_whole_file(a->input, &len);
    if (!text) {
        complain("%s: %s", a->input, strerror(errno));
        return EXIT_IO;
    }
    if (a->timeout <= 0) {
        const int code = run_here(a, text, len);
        free(text);
        return code;
    }
    fflush(NULL);
    const pid_t child = fork();
    if (!child) {
        const int code = run_here(a, text, len);
        _exit(code == EXIT_HOST_REFUSED ? CHILD_REFUSED : code);
    }
    free(text);
    if (child < 0) {
        complain("the program could not be started: %s", strerror(errno));
        return EXIT_IO;
    }
    const int code = wait_for(child, "the program", a->timeout);
    return code == CHILD_REFUSED && !only ? EXIT_HOST_REFUSED : code;
}
