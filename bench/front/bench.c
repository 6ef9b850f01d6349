/* How fast the front end and the optimiser are: source to optimised IR, in this process. */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "../bench.h"
#include "driver/pipeline.h"

struct job {
    const char *path;
    char *text;
    size_t len, peak;
    int level;
    bool failed;
};

static void compile(void *arg)
{
    struct job *j = arg;
    struct compilation c;
    struct compile_options o = {.path = j->path, .level = j->level};
    j->failed |= compile_source(&c, &o, j->text, j->len) != TERN_OK;
    j->peak = c.mem.peak;
    compile_free(&c);
}

/* The best of several runs, in milliseconds of this thread's own time: others may use the machine.
 */
static double best(struct job *j, int times)
{
    double least = 1e9;
    for (int i = 0; i < times; i++) {
        struct timespec a, b;
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &a);
        compile(j);
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &b);
        const double took =
            (double)(b.tv_sec - a.tv_sec) * 1e3 + (double)(b.tv_nsec - a.tv_nsec) * 1e-6;
        least = took < least ? took : least;
    }
    return least;
}

int main(int argc, char **argv)
{
    struct job j = {.path = argv[1]};
    FILE *f = argc > 1 ? fopen(argv[1], "rb") : NULL;
    if (!f)
        return 2;
    fseek(f, 0, SEEK_END);
    j.len = (size_t)ftell(f);
    rewind(f);
    j.text = calloc(1, j.len + 1);
    if (!j.text || fread(j.text, 1, j.len, f) != j.len)
        return 2;
    fclose(f);
    size_t lines = 0;
    for (size_t i = 0; i < j.len; i++)
        lines += j.text[i] == '\n';
    const double front = best(&j, 20);
    j.level = 2;
    const double all = best(&j, 20);
    if (j.failed) {
        fprintf(stderr, "%s does not compile\n", j.path);
        return 1;
    }
    char name[64];
    snprintf(name, sizeof name, "%zu lines to IR", lines);
    bench_report(name, front, "ms", 0);
    snprintf(name, sizeof name, "%zu lines to optimised IR", lines);
    bench_report(name, all, "ms", 30 * (double)lines / 1000);
    snprintf(name, sizeof name, "%zu lines: peak memory", lines);
    bench_report(name, (double)j.peak / 1e6, "MB", 20 + 100 * (double)j.len / 1e6);
    free(j.text);
    return 0;
}
