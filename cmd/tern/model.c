/* tern model: how long NCCL's collectives would take on many machines, what they would send, and
 * when a lost rank is known to all. See simulate.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "simulate.h"
#include "tern.h"

static const struct {
    const char *name, *unit, *what;
    double value;
    size_t at;
} parameters[] = {
#define ROW(name, value, unit, what)                                                               \
    {#name, unit, what, value, offsetof(struct model_machine, name)},
    MODEL_PARAMETERS(ROW)
#undef ROW
};
enum { NPARAMETERS = sizeof parameters / sizeof *parameters };

static double *field(struct model_machine *m, size_t k)
{
    return (double *)(void *)((char *)m + parameters[k].at);
}

/* Lines of a name, a number and anything; # begins a remark. */
static bool read_machine(const char *path, struct model_machine *m)
{
    char line[512], name[64];
    unsigned number = 0;
    FILE *f = fopen(path, "r");
    if (!f)
        return complain("%s cannot be read", path), false;
    while (fgets(line, sizeof line, f)) {
        double value;
        size_t k = 0;
        number++;
        if (line[strspn(line, " \t\n")] == '#' || !line[strspn(line, " \t\n")])
            continue;
        const bool read = sscanf(line, "%63s %lf", name, &value) == 2 && value > 0 && value < 1e12;
        while (read && k < NPARAMETERS && strcmp(parameters[k].name, name))
            k++;
        if (!read || k == NPARAMETERS) {
            complain("%s:%u: not a parameter and its value; `tern model --measure` shows them",
                     path, number);
            fclose(f);
            return false;
        }
        *field(m, k) = value;
    }
    fclose(f);
    return true;
}

static int show_machine(struct model_machine *m)
{
    for (size_t k = 0; k < NPARAMETERS; k++)
        printf("%-10s %8.3g  %-4s  %s\n", parameters[k].name, *field(m, k), parameters[k].unit,
               parameters[k].what);
    return EXIT_FINE;
}

static const char *const collectives[] = {
    [MODEL_ALL_REDUCE] = "all-reduce",
    [MODEL_BROADCAST] = "broadcast",
    [MODEL_REDUCE] = "reduce",
    [MODEL_ALL_GATHER] = "all-gather",
    [MODEL_REDUCE_SCATTER] = "reduce-scatter",
};
enum { NCOLLECTIVES = sizeof collectives / sizeof *collectives };

static void show_time(const char *what, double seconds)
{
    if (seconds < 1e-3)
        printf("%s%.1f us", what, seconds * 1e6);
    else if (seconds < 1)
        printf("%s%.2f ms", what, seconds * 1e3);
    else
        printf("%s%.3f s", what, seconds);
}

static void show_text(const struct model_job *j, const struct model_answer *a,
                      const struct model_loss *l)
{
    const double n = (double)j->nodes * j->ranks;
    printf("%s of %llu bytes, %u ranks on %u machines, by %s\n", collectives[j->what],
           (unsigned long long)j->bytes, j->nodes * j->ranks, j->nodes, a->how);
    show_time("time\t", a->seconds);
    show_time(" (the first rank after ", a->first);
    printf("), cores busy for %.0f %% of it\n", 100 * a->busy);
    printf("traffic\t%llu messages, %llu bytes: %.0f a rank; the busiest line sends %llu\n",
           (unsigned long long)a->messages, (unsigned long long)a->bytes, (double)a->bytes / n,
           (unsigned long long)a->line_bytes);
    show_time("meeting\t", l->meeting);
    printf(", in which the root sends %llu bytes\n", (unsigned long long)l->meeting_bytes);
    show_time("lost\ta process that dies is known to the first after ", l->died_first);
    show_time(", to all after ", l->died);
    show_time("; a line that is cut after ", l->cut_first);
    show_time(", to all after ", l->cut);
    printf("\n");
}

static void show_json(const struct model_job *j, const struct model_answer *a,
                      const struct model_loss *l)
{
    printf("{\"collective\":\"%s\",\"bytes\":%llu,\"nodes\":%u,\"ranks\":%u,\"algorithm\":\"%s\","
           "\"seconds\":%.9g,"
           "\"first_seconds\":%.9g,\"busy\":%.4g,\"messages\":%llu,\"bytes_sent\":%llu,\"line_"
           "bytes\":%llu,"
           "\"events\":%llu,\"meeting_seconds\":%.9g,\"meeting_bytes\":%llu,\"died_seconds\":%.9g,"
           "\"cut_seconds\":%.9g}\n",
           collectives[j->what], (unsigned long long)j->bytes, j->nodes, j->nodes * j->ranks,
           a->how, a->seconds, a->first, a->busy, (unsigned long long)a->messages,
           (unsigned long long)a->bytes, (unsigned long long)a->line_bytes,
           (unsigned long long)a->events, l->meeting, (unsigned long long)l->meeting_bytes, l->died,
           l->cut);
}

int command_model(struct args *a)
{
    struct model_machine m = {
#define VALUE(name, value, unit, what) value,
        MODEL_PARAMETERS(VALUE)
#undef VALUE
    };
    struct model_job j = {.nodes = a->nodes, .ranks = a->ranks, .bytes = a->bytes};
    struct model_answer answer;
    struct model_loss loss;
    size_t what = 0;
    if (a->machine && !read_machine(a->machine, &m))
        return EXIT_IO;
    if (a->measure) {
        model_measure(&m);
        return show_machine(&m);
    }
    while (a->input && what < NCOLLECTIVES && strcmp(collectives[what], a->input))
        what++;
    if (what == NCOLLECTIVES)
        return complain(
            "model: '%s' is none of all-reduce, broadcast, reduce, all-gather, reduce-scatter",
            a->input);
    if (!j.nodes || !j.ranks || (uint64_t)j.nodes * j.ranks > 1000000)
        return complain("model: one rank at least, and a million at most");
    if (j.nodes == 1 && j.ranks > 1024)
        return complain("model: a machine has 1024 ranks at most");
    j.what = (enum model_what)what;
    if (!model_run(&m, &j, &answer)) {
        complain("model: there is no memory for it");
        return EXIT_MEMORY;
    }
    model_lost(&m, &j, &loss);
    (a->json ? show_json : show_text)(&j, &answer, &loss);
    return EXIT_FINE;
}
