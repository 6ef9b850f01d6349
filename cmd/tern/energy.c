/* What a run takes of energy, where the machine tells: counters of the processor (RAPL, under
 * powercap), sensors (hwmon), NVIDIA's GPUs (NVML). All of them are of the whole machine. A thread
 * looks at them while the program runs; what counts is the time of the recording. */
#include <dirent.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "base/settings.h"
#include "prof/prof.h"
#include "tern.h"

enum { EVERY_NS = 20 * 1000 * 1000, SOURCES = 32 };

enum how { BY_COUNTER, BY_POWER, BY_NVML }; /* joules that grow; watts; a GPU's joules */

struct sample {
    uint64_t at; /* nanoseconds of the steady clock */
    double value;
};

struct source {
    enum how how;
    char name[96], path[512];
    void *gpu;
    double unit, wraps; /* wraps: the counter begins again there, 0: not */
    struct sample *samples;
    size_t n, cap;
};

struct energy {
    struct source sources[SOURCES];
    unsigned n;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    bool stops, runs;
    int (*gpu_energy)(void *gpu, unsigned long long *millijoules);
    void *nvml;
};

static bool read_number(const char *path, double *out)
{
    FILE *f = fopen(path, "r");
    const bool good = f && fscanf(f, "%lf", out) == 1;
    if (f)
        fclose(f);
    return good;
}

static void read_word(const char *path, char *out, size_t size)
{
    FILE *f = fopen(path, "r");
    *out = 0;
    if (f && !fgets(out, (int)size, f))
        *out = 0;
    if (f)
        fclose(f);
    out[strcspn(out, "\n")] = 0;
}

static struct source *add(struct energy *e, enum how how, const char *path, double unit)
{
    double value;
    if (e->n == SOURCES || (how != BY_NVML && !read_number(path, &value)))
        return NULL;
    struct source *s = &e->sources[e->n++];
    *s = (struct source){.how = how, .unit = unit};
    snprintf(s->path, sizeof s->path, "%s", path);
    return s;
}

/* Packages alone: what is inside one is counted with it. */
static void find_rapl(struct energy *e, const char *root)
{
    char path[512];
    for (unsigned k = 0; k < 8; k++) {
        snprintf(path, sizeof path, "%s/class/powercap/intel-rapl:%u/energy_uj", root, k);
        struct source *s = add(e, BY_COUNTER, path, 1e-6);
        if (!s)
            continue;
        char word[48];
        snprintf(path, sizeof path, "%s/class/powercap/intel-rapl:%u/name", root, k);
        read_word(path, word, sizeof word);
        snprintf(s->name, sizeof s->name, "%s (RAPL)", word);
        snprintf(path, sizeof path, "%s/class/powercap/intel-rapl:%u/max_energy_range_uj", root, k);
        if (!read_number(path, &s->wraps))
            s->wraps = 0;
    }
}

static void find_hwmon(struct energy *e, const char *root)
{
    static const struct {
        const char *file;
        enum how how;
    } inputs[] = {{"energy%u_input", BY_COUNTER}, {"power%u_input", BY_POWER}};
    for (unsigned chip = 0; chip < 16; chip++)
        for (unsigned i = 0; i < 2; i++)
            for (unsigned k = 1; k <= 4; k++) {
                char path[512], file[32], word[48];
                snprintf(file, sizeof file, inputs[i].file, k);
                snprintf(path, sizeof path, "%s/class/hwmon/hwmon%u/%s", root, chip, file);
                struct source *s = add(e, inputs[i].how, path, 1e-6);
                if (!s)
                    continue;
                snprintf(path, sizeof path, "%s/class/hwmon/hwmon%u/name", root, chip);
                read_word(path, word, sizeof word);
                snprintf(s->name, sizeof s->name, "%s %u (hwmon)", word, k);
            }
}

static void find_gpus(struct energy *e)
{
    int (*init)(void), (*count)(unsigned *), (*handle)(unsigned, void **);
    unsigned n = 0;
    void *l = e->nvml = dlopen("libnvidia-ml.so.1", RTLD_LAZY | RTLD_LOCAL);
    if (!l)
        return;
    *(void **)&init = dlsym(l, "nvmlInit_v2");
    *(void **)&count = dlsym(l, "nvmlDeviceGetCount_v2");
    *(void **)&handle = dlsym(l, "nvmlDeviceGetHandleByIndex_v2");
    *(void **)&e->gpu_energy = dlsym(l, "nvmlDeviceGetTotalEnergyConsumption");
    if (!init || !count || !handle || !e->gpu_energy || init() || count(&n))
        return;
    for (unsigned k = 0; k < n; k++) {
        void *gpu;
        unsigned long long now;
        struct source *s =
            handle(k, &gpu) || e->gpu_energy(gpu, &now) ? NULL : add(e, BY_NVML, "", 1e-3);
        if (s) {
            s->gpu = gpu;
            snprintf(s->name, sizeof s->name, "GPU %u (NVML)", k);
        }
    }
}

static void look(struct energy *e)
{
    for (unsigned k = 0; k < e->n; k++) {
        struct source *s = &e->sources[k];
        double value;
        unsigned long long millijoules;
        if (s->how == BY_NVML ? e->gpu_energy(s->gpu, &millijoules) != 0
                              : !read_number(s->path, &value))
            continue;
        if (s->how == BY_NVML)
            value = (double)millijoules;
        if (s->n == s->cap) {
            const size_t cap = s->cap ? 2 * s->cap : 256;
            struct sample *more = realloc(s->samples, cap * sizeof *more);
            if (!more)
                continue;
            s->samples = more;
            s->cap = cap;
        }
        s->samples[s->n++] = (struct sample){prof_now(), value * s->unit};
    }
}

static void *watch(void *ctx)
{
    struct energy *e = ctx;
    pthread_mutex_lock(&e->lock);
    while (!e->stops) {
        struct timespec until;
        look(e);
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += EVERY_NS;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&e->wake, &e->lock, &until);
    }
    pthread_mutex_unlock(&e->lock);
    return NULL;
}

struct energy *energy_begin(void)
{
    struct energy *e = calloc(1, sizeof *e);
    if (!e)
        return NULL;
    const char *root = setting_text(SETTING_SYS);
    pthread_mutex_init(&e->lock, NULL);
    pthread_cond_init(&e->wake, NULL);
    find_rapl(e, root ? root : "/sys");
    find_hwmon(e, root ? root : "/sys");
    find_gpus(e);
    e->runs = e->n && !pthread_create(&e->thread, NULL, watch, e);
    return e;
}

void energy_stop(struct energy *e)
{
    if (!e || !e->runs)
        return;
    pthread_mutex_lock(&e->lock);
    e->stops = true;
    pthread_cond_signal(&e->wake);
    pthread_mutex_unlock(&e->lock);
    pthread_join(e->thread, NULL);
    e->runs = false;
    look(e);
}

/* A counter between two looks went on evenly; a sensor's watts hold until the next look. */
static double joules(const struct source *s, uint64_t from, uint64_t to)
{
    double sum = 0;
    for (size_t k = 1; k < s->n; k++) {
        const struct sample *a = &s->samples[k - 1], *b = &s->samples[k];
        const uint64_t start = a->at > from ? a->at : from, end = b->at < to ? b->at : to;
        if (start >= end || b->at <= a->at)
            continue;
        const double part = (double)(end - start) / (double)(b->at - a->at);
        double step = b->value - a->value;
        if (step < 0) /* it has begun again */
            step += s->wraps * s->unit;
        sum += s->how == BY_POWER ? a->value * (double)(end - start) * 1e-9 : step * part;
    }
    return sum;
}

size_t energy_of(const struct energy *e, uint64_t from, uint64_t to, struct prof_energy *out,
                 size_t room)
{
    size_t n = 0;
    for (unsigned k = 0; e && k < e->n && n < room; k++) {
        const struct source *s = &e->sources[k];
        if (s->n < 2)
            continue;
        out[n].joules = joules(s, from, to);
        out[n].sampled = s->how == BY_POWER;
        snprintf(out[n].name, sizeof out[n].name, "%s", s->name);
        n++;
    }
    return n;
}

void energy_free(struct energy *e)
{
    for (unsigned k = 0; e && k < e->n; k++)
        free(e->sources[k].samples);
    if (e) {
        pthread_cond_destroy(&e->wake);
        pthread_mutex_destroy(&e->lock);
    }
    free(e);
}
