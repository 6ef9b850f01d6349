/* One session with the CUDA device, for test/cuda/run: everything the table offers, once.
 *
 *   session            prints "done", or the first error with its name and message, and closes down
 *   session count      prints how many devices there are, or why there are none
 *   session pool       prints the driver allocations that 100 operations and 10,000 random ones
 * took
 *   session units      prints what a multiprocessor holds, as programs are told
 *   session hangs      a checked kernel that does not end: the program ends with what was found
 *   session tiers KIND N   launches a kernel of a module of that kind (plain, sharing, beside,
 * refused; pair: two of them) so many times; N until: until it is known what becomes of its code.
 * Prints the log. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <pthread.h>
#include <unistd.h>
#include "check/check.h"
#include "cuda/cuda_runtime_api.h"
#include "rt/dev.h"
#include "rt/texture.h"

static const char program[] = "module \"m\"\n"
                              "global @v: global [size 4 align 4 export]\n"
                              "kernel @k(%n: i32, %p: ptr.global) {\n"
                              "entry:\n"
                              "  store.i32 [align 4] %p, %n\n"
                              "  ret\n"
                              "}\n"
                              "kernel @sample(%p: ptr.global, %t: i64) {\n"
                              "entry:\n"
                              "  %z = add.i32 0, 0\n"
                              "  %x = bitcast.f32 %z\n"
                              "  %a, %b, %c, %d = tex.f32 [imm 1] %t, %x, %x\n"
                              "  store.f32 [align 4] %p, %a\n"
                              "  ret\n"
                              "}\n"
                              "kernel @grid(%p: ptr.global) {\n"
                              "entry:\n"
                              "  gridsync\n"
                              "  ret\n"
                              "}\n";

/* So many kernels, with nothing in common, that each is assembled when it is used. */
#define SMALL(name)                                                                                \
    "kernel @" name "(%p: ptr.global) {\n"                                                         \
    "entry:\n"                                                                                     \
    "  store.i32 [align 4] %p, 1\n"                                                                \
    "  ret\n"                                                                                      \
    "}\n"
static const char many[] =
    "module \"many\"\n" SMALL("a") SMALL("b") SMALL("c") SMALL("d") SMALL("e") SMALL("f") SMALL("g")
        SMALL("h") SMALL("i") "global @w: global [size 4 align 4 export]\n"
                              "kernel @j(%p: ptr.global) {\n"
                              "entry:\n"
                              "  store.i32 [align 4] @w, 1\n"
                              "  ret\n"
                              "}\n";

static const struct dev_driver *const drv = &dev_cuda;

struct session {
    struct dev *dev;
    struct dev_queue *q, *other;
    struct dev_event *event;
    struct dev_module *module, *many;
    struct dev_graph *graph;
    dev_ptr p, managed;
    uint64_t texture, mipmap, surface;
    void *pinned;
    char *told; /* the last report */
};

static void take(void *ctx, const struct report *r)
{
    struct session *s = ctx;
    if (r->kind == REPORT_NOTE)
        return;
    free(s->told);
    s->told = report_string(r);
}

static bool say(struct session *s, const char *what, enum tern_error e)
{
    if (e == TERN_OK)
        return true;
    printf("%s: %s: %s\n", what, tern_error_name(e), s->told ? s->told : "-");
    return false;
}
#define TRY(call)                                                                                  \
    do {                                                                                           \
        if (!say(s, #call, call))                                                                  \
            return false;                                                                          \
    } while (0)

static void count_up(void *n)
{
    ++*(int *)n;
}

static enum tern_error load(struct session *s, const char *text, struct dev_module **out)
{
    struct mem mem = {0};
    jmp_buf unwind;
    struct arena a;
    struct interner names;
    struct source_map sources;
    struct diag d;
    mem.unwind = &unwind;
    if (setjmp(unwind))
        return TERN_OUT_OF_MEMORY;
    arena_init(&a, &mem);
    intern_init(&names, &a);
    source_init(&sources, &a);
    diag_init(&d, &a, &sources);
    struct ir_module *m = ir_parse(&a, &names, &sources, &d, "m.ir", text, strlen(text));
    enum tern_error e = m ? drv->load(s->dev, m, &d, out) : TERN_COMPILE;
    for (struct diag_entry *x = d.first; x; x = x->next)
        printf("diagnostic: %s\n", x->message);
    mem_release(&mem);
    return e;
}

static bool work(struct session *s)
{
    struct dev_info info;
    struct dev_kernel *k, *grid, *sample;
    uint32_t words[256], back[256], blocks;
    uint64_t size, ns;
    int called = 0;
    dev_ptr v;
    TRY(drv->info(s->dev, &info));
    TRY(drv->queue_new(s->dev, &s->q));
    TRY(drv->queue_new(s->dev, &s->other));
    TRY(drv->event_new(s->dev, &s->event));
    TRY(drv->alloc(s->dev, sizeof words, 16, "words", &s->p));
    TRY(drv->host_alloc(s->dev, 4096, &s->pinned));
    for (unsigned i = 0; i < 256; i++)
        words[i] = i * 7 + 1;
    TRY(drv->copy_in(s->dev, s->q, s->p, words, sizeof words));
    TRY(drv->fill(s->dev, s->q, s->p + 16, 16, 0xabcd, 4));
    TRY(drv->copy(s->dev, s->q, s->p + 64, s->p + 16, 16));
    TRY(drv->copy_out(s->dev, s->q, back, s->p, sizeof back));
    TRY(drv->event_record(s->event, s->q));
    TRY(drv->queue_after(s->other, s->event));
    TRY(drv->queue_wait(s->q));
    TRY(drv->event_wait(s->event));
    TRY(drv->event_time(s->event, &ns));
    TRY(drv->queue_query(s->q));
    if (back[0] != 1 || back[4] != 0xabcd || back[16] != 0xabcd || back[20] != 141) {
        puts("copies are wrong");
        return false;
    }
    TRY(load(s, program, &s->module));
    TRY(drv->kernel(s->module, "k", &k));
    TRY(drv->kernel(s->module, "grid", &grid));
    TRY(drv->global(s->module, "v", &v, &size));
    TRY(drv->occupancy(k, 256, 0, &blocks));
    struct {
        uint32_t n, pad;
        dev_ptr p;
    } params = {5, 0, s->p};
    struct dev_launch l = {
        .grid = {2, 1, 1}, .block = {64, 1, 1}, .params = &params, .param_bytes = sizeof params};
    TRY(drv->launch(s->dev, s->q, k, &l));
    l.shared = 100 << 10;
    TRY(drv->launch(s->dev, s->q, k, &l));
    struct dev_launch c = {.grid = {2, 1, 1},
                           .block = {64, 1, 1},
                           .params = &s->p,
                           .param_bytes = 8,
                           .cooperative = true,
                           .timeout_ns = 1000000000};
    TRY(drv->launch(s->dev, s->q, grid, &c));
    TRY(drv->launch(s->dev, s->other, grid, &c));
    /* textures: their memory goes to arrays before a launch that samples, surfaces come back */
    struct texture_desc t = {.geometry = IR_TEX_2D,
                             .memory = s->p,
                             .layers = 1,
                             .channel = TEXTURE_FLOAT,
                             .components = 1,
                             .bits = 32};
    texture_layout(&t, 8, 4, 1, 1);
    TRY(drv->texture_new(s->dev, &t, &s->texture));
    t.surface = true;
    TRY(drv->texture_new(s->dev, &t, &s->surface));
    t.surface = false;
    texture_layout(&t, 8, 4, 1, 3);
    TRY(drv->texture_new(s->dev, &t, &s->mipmap));
    struct {
        dev_ptr p;
        uint64_t t;
    } sampled = {s->p, s->texture};
    struct dev_launch x = {
        .grid = {1, 1, 1}, .block = {32, 1, 1}, .params = &sampled, .param_bytes = 16};
    TRY(drv->kernel(s->module, "sample", &sample));
    TRY(drv->launch(s->dev, s->q, sample, &x));
    TRY(load(s, many, &s->many));
    static const char *const used[] = {"i", "a", "i", "j"};
    for (unsigned n = 0; n < 4; n++) {
        struct dev_kernel *small;
        TRY(drv->kernel(s->many, used[n], &small));
        TRY(drv->launch(s->dev, s->q, small, &c));
    }
    TRY(drv->managed_alloc(s->dev, 1000, &s->managed));
    struct dev_kernel *late;
    TRY(drv->kernel(s->many, "b", &late));
    TRY(drv->prepare(late));
    TRY(drv->capture_begin(s->q));
    TRY(drv->launch(s->dev, s->q, late, &c));
    l.shared = 0;
    TRY(drv->launch(s->dev, s->q, k, &l));
    TRY(drv->capture_end(s->q, &s->graph));
    TRY(drv->graph_launch(s->graph, s->q));
    TRY(drv->host_call(s->q, count_up, &called));
    TRY(drv->queue_wait(s->q));
    TRY(drv->queue_wait(s->other));
    if (called != 1) {
        puts("the host was not called");
        return false;
    }
    /* wrong use is an error, not a crash */
    l.block[0] = 0;
    if (drv->launch(s->dev, s->q, k, &l) != TERN_INVALID_LAUNCH)
        puts("an empty block was launched");
    l.block[0] = 2048;
    if (drv->launch(s->dev, s->q, k, &l) != TERN_INVALID_LAUNCH)
        puts("a block of 2048 threads was launched");
    struct dev_kernel *none;
    if (drv->kernel(s->module, "absent", &none) != TERN_NOT_FOUND)
        puts("an absent kernel was found");
    dev_ptr huge;
    if (drv->alloc(s->dev, UINT64_C(1) << 40, 16, "huge", &huge) != TERN_OUT_OF_MEMORY)
        puts("a terabyte was allocated");
    if (drv->free(s->dev, s->p + 8) != TERN_INVALID_ARGUMENT)
        puts("an address inside an allocation was freed");
    return true;
}

static void finish(struct session *s)
{
    if (s->graph)
        drv->graph_free(s->graph);
    if (s->module)
        drv->unload(s->dev, s->module);
    if (s->many)
        drv->unload(s->dev, s->many);
    if (s->texture)
        drv->texture_free(s->dev, s->texture);
    if (s->mipmap)
        drv->texture_free(s->dev, s->mipmap);
    if (s->managed)
        drv->free(s->dev, s->managed); /* the surface is left to the closing of the device */
    if (s->pinned)
        drv->host_free(s->dev, s->pinned);
    if (s->p)
        drv->free(s->dev, s->p);
    if (s->event)
        drv->event_free(s->event);
    if (s->other)
        drv->queue_free(s->other);
    if (s->q)
        drv->queue_free(s->q);
    if (s->dev)
        drv->close(s->dev);
}

static uint32_t next(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (uint32_t)(*state >> 33);
}

static int pool(void)
{
    struct session s = {0};
    struct {
        dev_ptr p;
        uint64_t n;
    } live[300] = {{0}};
    uint64_t state = 42, ideal = 0, peak = 0, sizes = 0;
    if (!say(&s, "open", drv->open(0, NULL, &s.dev)))
        return 1;
    for (int k = 0; k < 100; k++) {
        dev_ptr p;
        if (!say(&s, "alloc", drv->alloc(s.dev, 1000 + (uint64_t)k * 100, 16, "x", &p)))
            return 1;
        drv->free(s.dev, p);
    }
    for (int k = 0; k < 10000; k++) {
        unsigned i = next(&state) % 300;
        if (live[i].p) {
            drv->free(s.dev, live[i].p);
            ideal -= live[i].n;
            live[i].p = 0;
            continue;
        }
        live[i].n = 256 + (uint64_t)next(&state) % (1u << (8 + next(&state) % 12));
        if (!say(&s, "alloc", drv->alloc(s.dev, live[i].n, 16, "y", &live[i].p)))
            return 1;
        for (unsigned j = 0; j < 300; j++) /* no two overlap */
            if (j != i && live[j].p && live[j].p < live[i].p + live[i].n &&
                live[i].p < live[j].p + live[j].n)
                puts("two allocations overlap");
        ideal += live[i].n;
        sizes++;
        peak = ideal > peak ? ideal : peak;
    }
    printf("random allocations %llu, peak %llu bytes\n", (unsigned long long)sizes,
           (unsigned long long)peak);
    for (unsigned i = 0; i < 300; i++)
        if (live[i].p)
            drv->free(s.dev, live[i].p);
    drv->close(s.dev);
    return 0;
}

static void tell(void *ctx, const struct report *r)
{
    char *text = r->kind == REPORT_NOTE ? NULL : report_string(r);
    if (r->kind != REPORT_FINDING && ctx && check_takes(*(struct check **)ctx, r)) {
        free(text);
        return;
    }
    if (text)
        printf("%s\n", text);
    free(text);
}

/* What comes back is a mistake: the kernel would have to be waited for. */
static int units(void)
{
    struct cudaDeviceProp p;
    if (cudaGetDeviceProperties(&p, 0) != cudaSuccess)
        return 1;
    printf("%d threads, %d blocks, %zu bytes\n", p.maxThreadsPerMultiProcessor,
           p.maxBlocksPerMultiProcessor, p.sharedMemPerMultiprocessor);
    return 0;
}

static int hangs(void)
{
    struct session s = {0};
    struct check *check = NULL;
    struct dev_kernel *k;
    struct dev_host host = {.reports = {tell, &check}};
    setenv("TERN_CHECK", "1", 1);
    if (check_new(&host.reports, &check) || !(host.check = check) || drv->open(0, &host, &s.dev) ||
        drv->queue_new(s.dev, &s.q) || drv->alloc(s.dev, 1024, 16, "words", &s.p) ||
        load(&s, program, &s.module) || drv->kernel(s.module, "k", &k)) {
        puts("it does not come to a launch");
        return 0;
    }
    struct {
        uint32_t n, pad;
        dev_ptr p;
    } params = {1, 0, s.p};
    const struct dev_launch l = {.grid = {1, 1, 1},
                                 .block = {1, 1, 1},
                                 .params = &params,
                                 .param_bytes = sizeof params,
                                 .timeout_ns = 50000000};
    printf("it went on: %s\n", tern_error_name(drv->launch(s.dev, s.q, k, &l)));
    return 0;
}

static const char plain[] = "module \"plain\"\n" SMALL("a") SMALL("b");
static const char sharing[] = "module \"sharing\"\n"
                              "global @w: global [size 4 align 4 export]\n"
                              "kernel @a(%p: ptr.global) {\n"
                              "entry:\n"
                              "  store.i32 [align 4] @w, 1\n"
                              "  ret\n"
                              "}\n";
/* a shares nothing, and calls what does not either; b shares a variable, by what it calls */
static const char beside[] = "module \"beside\"\n"
                             "global @w: global [size 4 align 4 export]\n"
                             "func @one() -> i32 {\n"
                             "entry:\n"
                             "  %one = add.i32 1, 0\n"
                             "  ret %one\n"
                             "}\n"
                             "func @set(%v: i32) -> i32 {\n"
                             "entry:\n"
                             "  store.i32 [align 4] @w, %v\n"
                             "  ret %v\n"
                             "}\n"
                             "kernel @a(%p: ptr.global) {\n"
                             "entry:\n"
                             "  %v = call.i32 @one\n"
                             "  store.i32 [align 4] %p, %v\n"
                             "  ret\n"
                             "}\n"
                             "kernel @b(%p: ptr.global) {\n"
                             "entry:\n"
                             "  %v = call.i32 @set, i32 2\n"
                             "  ret\n"
                             "}\n";
static const char refused[] = "module \"refused\"\n" /* a texture's channels: not in our own code */
                              "kernel @a(%p: ptr.global) {\n"
                              "entry:\n"
                              "  %t = add.i64 0, 0\n"
                              "  %v = txq [imm 3] %t\n"
                              "  store.i32 [align 4] %p, %v\n"
                              "  ret\n"
                              "}\n";

static pthread_mutex_t noted = PTHREAD_MUTEX_INITIALIZER;
struct notes {
    bool settled;
};

static void note(void *ctx, const struct report *r)
{
    struct notes *n = ctx;
    pthread_mutex_lock(&noted);
    printf("%s\n", r->message);
    n->settled |= strstr(r->message, "from now on") || strstr(r->message, "code stays");
    pthread_mutex_unlock(&noted);
}

static bool is_over(struct notes *n, const char *until, unsigned launches)
{
    enum { PATIENCE = 2000 };
    pthread_mutex_lock(&noted);
    const bool over = strcmp(until, "until") == 0 ? n->settled : launches >= (unsigned)atoi(until);
    pthread_mutex_unlock(&noted);
    return over || launches > PATIENCE;
}

static int tiers(const char *kind, const char *until)
{
    struct session s = {0};
    struct notes notes = {0};
    struct dev_kernel *k, *b = NULL;
    const bool pair = !strcmp(kind, "pair");
    const struct dev_host host = {.reports = {note, &notes}, .cache_dir = getenv("SESSION_CACHE")};
    const char *text = pair || !strcmp(kind, "plain") ? plain
                       : !strcmp(kind, "sharing")     ? sharing
                       : !strcmp(kind, "beside")      ? beside
                                                      : refused;
    if (drv->open(0, &host, &s.dev) || drv->queue_new(s.dev, &s.q) ||
        drv->alloc(s.dev, 1024, 16, "words", &s.p) || load(&s, text, &s.module) ||
        drv->kernel(s.module, "a", &k) || (pair && drv->kernel(s.module, "b", &b))) {
        puts("it does not come to a launch");
        return 1;
    }
    const struct dev_launch l = {
        .grid = {1, 1, 1}, .block = {1, 1, 1}, .params = &s.p, .param_bytes = 8};
    unsigned n = 0;
    for (; !is_over(&notes, until, n); n++) {
        if (drv->launch(s.dev, s.q, k, &l) || (b && drv->launch(s.dev, s.q, b, &l)) ||
            drv->queue_wait(s.q))
            puts("a launch fails");
    }
    if (!strcmp(until, "until") && drv->launch(s.dev, s.q, k, &l))
        puts("the last launch fails");
    finish(&s);
    puts("done");
    return 0;
}

int main(int argc, char **argv)
{
    if (argc > 3 && !strcmp(argv[1], "tiers"))
        return tiers(argv[2], argv[3]);
    if (argc > 1 && !strcmp(argv[1], "hangs"))
        return hangs();
    struct session s = {0};
    const char *why = NULL;
    if (argc > 1 && !strcmp(argv[1], "count")) {
        unsigned n = drv->count(&why);
        printf("%u %s\n", n, why ? why : "");
        return 0;
    }
    if (argc > 1 && !strcmp(argv[1], "units"))
        return units();
    if (argc > 1 && !strcmp(argv[1], "pool"))
        return pool();
    if (argc > 1 && !strcmp(argv[1], "ordinal")) {
        enum tern_error e = drv->open(999, NULL, &s.dev);
        printf("%s\n", tern_error_name(e));
        return 0;
    }
    struct dev_host host = {.reports = {take, &s}, .cache_dir = getenv("SESSION_CACHE")};
    if (say(&s, "open", drv->open(0, &host, &s.dev)) && work(&s))
        puts("done");
    finish(&s);
    return 0;
}
