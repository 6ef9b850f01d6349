/* A stand-in for libcuda that needs no GPU: memory is the host's, modules are remembered, kernels
 * do nothing. It checks what it is given, counts what is open, and fails where it is told to.
 *
 *   STANDIN_VERSION=N     what cuDriverGetVersion says (default 12040)
 *   STANDIN_DEVICES=N     how many GPUs there are (default 1)
 *   STANDIN_MAJOR=N       compute capability (default 9)
 *   STANDIN_FAIL=K:E      the K-th call (from 1) gives error E
 *   STANDIN_FAIL_IN=F:E   every call of function F gives error E
 *   STANDIN_MEMORY=N      MiB that a GPU has (default 1024)
 *   STANDIN_PTX=FOLDER    what is to be assembled is written there, each text once
 *   STANDIN_REFUSE=N      the first N modules are refused
 *   STANDIN_SLOW=N        assembling takes so many milliseconds more
 *   STANDIN_REPORT=FILE   at exit: calls made, what is still open, launches of our own code and of
 * what was assembled */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* clang-format off: one function a line */
typedef unsigned long long ptr;
enum kind {
    NOTHING,
    MEMORY,
    HOST,
    MODULE,
    STREAM,
    EVENT,
    LINK,
    GRAPH,
    EXEC,
    ARRAY,
    MIPMAP,
    TEXTURE,
    KINDS
};

static struct {
    long calls, open[KINDS], retained, kernels /* assembled */, links, loads, recording, refused;
    long own, assembled; /* launches */
    int current;
} state;

static int setting(const char *name, int otherwise)
{
    const char *s = getenv(name);
    return s ? atoi(s) : otherwise;
}

static size_t memory(void)
{
    return (size_t)setting("STANDIN_MEMORY", 1024) << 20;
}

static void report(void)
{
    const char *path = getenv("STANDIN_REPORT");
    FILE *f = path ? fopen(path, "w") : NULL;
    if (!f)
        return;
    long open = 0;
    for (int k = 1; k < KINDS; k++)
        open += state.open[k];
    fprintf(f, "calls %ld\nopen %ld\nretained %ld\nkernels %ld\nlinks %ld\nloads %ld\n",
            state.calls, open, state.retained, state.kernels, state.links, state.loads);
    fprintf(f, "own %ld\nassembled %ld\n", state.own, state.assembled);
    for (int k = 1; k < KINDS; k++)
        fprintf(f, "kind%d %ld\n", k, state.open[k]);
    fclose(f);
}

/* 0, or the error this call is to give. */
static int call(const char *name)
{
    const char *s = getenv("STANDIN_FAIL");
    const long number = __atomic_add_fetch(&state.calls, 1, __ATOMIC_RELAXED);
    if (number == 1)
        atexit(report);
    if (s && strchr(s, ':') && atol(s) == number)
        return atoi(strchr(s, ':') + 1);
    s = getenv("STANDIN_FAIL_IN");
    if (s && strchr(s, ':') && !strncmp(s, name, strlen(name)) && s[strlen(name)] == ':')
        return atoi(s + strlen(name) + 1);
    return 0;
}
#define ENTER                                                                                      \
    int e_ = call(__func__);                                                                       \
    if (e_)                                                                                        \
    return e_
#define NEED_CONTEXT                                                                               \
    ENTER;                                                                                         \
    if (!state.current)                                                                            \
    return 201

enum { HEAD = 256 }; /* before what the program sees: as aligned as the driver's memory is */
struct thing {
    enum kind kind;
    size_t bytes;
};
static void *make(enum kind k, size_t bytes)
{
    struct thing *t = aligned_alloc(HEAD, (HEAD + bytes + HEAD - 1) / HEAD * HEAD);
    if (t) {
        memset(t, 0, HEAD + bytes);
        *t = (struct thing){k, bytes};
        __atomic_add_fetch(&state.open[k], 1, __ATOMIC_RELAXED);
    }
    return t ? (char *)t + HEAD : NULL;
}
static int drop(void *p, enum kind k)
{
    struct thing *t = (struct thing *)((char *)p - HEAD);
    if (!p || t->kind != k)
        return 400;
    t->kind = NOTHING;
    __atomic_sub_fetch(&state.open[k], 1, __ATOMIC_RELAXED);
    free(t);
    return 0;
}
static int is(void *p, enum kind k)
{
    return p && ((struct thing *)((char *)p - HEAD))->kind == k;
}

/* Streams, and the one that is always there. */
static int flows(void *s)
{
    return !s || is(s, STREAM);
}

int cuInit(unsigned f)
{
    (void)f;
    ENTER;
    return setting("STANDIN_DEVICES", 1) ? 0 : 100;
}
int cuDriverGetVersion(int *v)
{
    ENTER;
    *v = setting("STANDIN_VERSION", 12040);
    return 0;
}
int cuDeviceGetCount(int *n)
{
    ENTER;
    *n = setting("STANDIN_DEVICES", 1);
    return 0;
}
int cuDeviceGet(int *d, int n)
{
    ENTER;
    *d = n;
    return n < setting("STANDIN_DEVICES", 1) ? 0 : 101;
}
int cuDeviceGetName(char *s, int n, int d)
{
    ENTER;
    snprintf(s, (size_t)n, "stand-in %d", d);
    return 0;
}
int cuDeviceGetAttribute(int *v, int a, int d)
{
    ENTER;
    (void)d;
    *v = a == 75              ? setting("STANDIN_MAJOR", 9)
         : a == 76            ? setting("STANDIN_MINOR", 0)
         : a == 4             ? 64         /* threads in z */
         : a == 5             ? 2147483647 /* blocks in x, y, z */
         : a == 6 || a == 7   ? 65535
         : a == 8             ? 49152 /* bytes of a block's shared memory */
         : a == 10            ? 32
         : a == 16            ? 132
         : a == 39            ? 2048 /* of a multiprocessor: threads, shared memory, blocks */
         : a == 81            ? 233472
         : a == 106           ? 32
         : a == 97            ? 232448
         : a == 95 || a == 83 ? 1
                              : 1024;
    return 0;
}
int cuDeviceTotalMem_v2(size_t *n, int d)
{
    ENTER;
    (void)d;
    *n = memory();
    return 0;
}
int cuDeviceCanAccessPeer(int *c, int a, int b)
{
    ENTER;
    *c = a != b;
    return 0;
}
int cuDevicePrimaryCtxRetain(void **c, int d)
{
    ENTER;
    (void)d;
    state.retained++;
    *c = &state;
    return 0;
}
int cuDevicePrimaryCtxRelease_v2(int d)
{
    ENTER;
    (void)d;
    state.retained--;
    return 0;
}
int cuDevicePrimaryCtxReset_v2(int d)
{
    ENTER;
    (void)d;
    return 0;
}
int cuCtxSetCurrent(void *c)
{
    ENTER;
    state.current = c == &state;
    return c == &state ? 0 : 201;
}
int cuCtxSynchronize(void)
{
    NEED_CONTEXT;
    return 0;
}
int cuCtxEnablePeerAccess(void *c, unsigned f)
{
    NEED_CONTEXT;
    (void)c;
    return f ? 1 : 704;
}
int cuCtxSetLimit(int limit, size_t value)
{
    NEED_CONTEXT;
    (void)limit, (void)value;
    return 0;
}
int cuMemGetInfo_v2(size_t *f, size_t *t)
{
    NEED_CONTEXT;
    *t = memory();
    *f = *t / 2;
    return 0;
}
int cuMemAlloc_v2(ptr *p, size_t n)
{
    NEED_CONTEXT;
    *p = n > memory() / 4 ? 0 : (ptr)(size_t)make(MEMORY, n);
    return *p ? 0 : 2;
}
int cuMemFree_v2(ptr p)
{
    NEED_CONTEXT;
    return drop((void *)(size_t)p, MEMORY);
}
int cuMemAllocManaged(ptr *p, size_t n, unsigned f)
{
    NEED_CONTEXT;
    *p = f != 1 || n > 1u << 28 ? 0 : (ptr)(size_t)make(MEMORY, n);
    return *p ? 0 : 2;
}
int cuMemHostAlloc(void **p, size_t n, unsigned f)
{
    NEED_CONTEXT;
    (void)f;
    *p = make(HOST, n);
    return *p ? 0 : 2;
}
int cuMemFreeHost(void *p)
{
    NEED_CONTEXT;
    return drop(p, HOST);
}
int cuMemcpyHtoDAsync_v2(ptr t, const void *f, size_t n, void *s)
{
    NEED_CONTEXT;
    memcpy((void *)(size_t)t, f, n);
    return flows(s) ? 0 : 400;
}
int cuMemcpyDtoHAsync_v2(void *t, ptr f, size_t n, void *s)
{
    NEED_CONTEXT;
    memcpy(t, (void *)(size_t)f, n);
    return flows(s) ? 0 : 400;
}
int cuMemcpyDtoDAsync_v2(ptr t, ptr f, size_t n, void *s)
{
    NEED_CONTEXT;
    memmove((void *)(size_t)t, (void *)(size_t)f, n);
    return flows(s) ? 0 : 400;
}
int cuMemcpyPeerAsync(ptr t, void *tc, ptr f, void *fc, size_t n, void *s)
{
    NEED_CONTEXT;
    memmove((void *)(size_t)t, (void *)(size_t)f, n);
    return tc && fc && flows(s) ? 0 : 400;
}
int cuMemsetD8Async(ptr t, unsigned char v, size_t n, void *s)
{
    NEED_CONTEXT;
    memset((void *)(size_t)t, v, n);
    return flows(s) ? 0 : 400;
}
int cuMemsetD16Async(ptr t, unsigned short v, size_t n, void *s)
{
    NEED_CONTEXT;
    for (size_t k = 0; k < n; k++)
        ((unsigned short *)(size_t)t)[k] = v;
    return flows(s) ? 0 : 400;
}
int cuMemsetD32Async(ptr t, unsigned v, size_t n, void *s)
{
    NEED_CONTEXT;
    for (size_t k = 0; k < n; k++)
        ((unsigned *)(size_t)t)[k] = v;
    return flows(s) ? 0 : 400;
}
/* Its machine code is the names of the kernels, each behind a space: what is loaded has these. */
struct link {
    char *log;
    unsigned n; /* options, whose values are the caller's until the end */
    int *options;
    void **values;
    char code[16384];
};
/* The lengths of the logs: written until the link is destroyed. They hold what was given, or they
 * are gone. */
static void tell_lengths(const struct link *l)
{
    for (unsigned k = 0; k < l->n; k++) {
        if (l->options[k] != 4 && l->options[k] != 6)
            continue;
        if ((size_t)l->values[k] > 1u << 20) {
            fprintf(stderr, "the values of a link's options are gone\n");
            abort();
        }
        l->values[k] = (void *)(size_t)0;
    }
}
int cuLinkCreate_v2(unsigned n, int *o, void **v, void **l)
{
    NEED_CONTEXT;
    struct link *link = *l = make(LINK, sizeof *link);
    if (link)
        link->n = n, link->options = o, link->values = v;
    for (unsigned k = 0; k < n; k++)
        if (o[k] == 5 && link)
            link->log = v[k];
    return *l ? 0 : 2;
}
/* Under a name of its contents: FNV-1a. */
static void keep_text(const char *text)
{
    const char *folder = getenv("STANDIN_PTX");
    char path[4096];
    unsigned long long hash = 14695981039346656037u;
    for (const char *p = text; *p; p++)
        hash = (hash ^ (unsigned char)*p) * 1099511628211u;
    if (!folder || snprintf(path, sizeof path, "%s/%016llx.ptx", folder, hash) >= (int)sizeof path)
        return;
    FILE *f = fopen(path, "w");
    if (f) {
        fputs(text, f);
        fclose(f);
    }
}
/* A cubin, as it is here: the names of its kernels. */
static void name_kernels(char *code, size_t size, const char *ptx)
{
    strcpy(code, "cubin");
    for (const char *p = ptx; (p = strstr(p, ".entry ")); p++) {
        const int length = (int)strcspn(p + 7, "( \n");
        const size_t at = strlen(code);
        snprintf(code + at, size - at, " %.*s", length, p + 7);
        state.kernels++;
    }
}
int cuLinkAddData_v2(void *l, int type, void *data, size_t n, const char *name, unsigned k, int *o,
                     void **v)
{
    NEED_CONTEXT;
    (void)name, (void)k, (void)o, (void)v;
    struct link *link = l;
    if (!is(l, LINK) || type != 1 || n < 2 || ((char *)data)[n - 1])
        return 1;
    keep_text(data);
    if (strncmp(data, "//", 2) || !strstr(data, ".version") || !strstr(data, ".target")) {
        if (link->log)
            strcpy(link->log, "ptxas error: not PTX");
        return 218;
    }
    name_kernels(link->code, sizeof link->code, data);
    return 0;
}
int cuLinkComplete(void *l, void **c, size_t *n)
{
    NEED_CONTEXT;
    struct link *link = l;
    if (!is(l, LINK))
        return 400;
    usleep(1000u * (unsigned)setting("STANDIN_SLOW", 0));
    state.links++;
    *c = link->code;
    *n = strlen(link->code) + 1;
    return 0;
}
int cuLinkDestroy(void *l)
{
    NEED_CONTEXT;
    if (is(l, LINK))
        tell_lengths(l);
    return drop(l, LINK);
}
/* Of a cubin: "own" and the names of its kernels, each behind a space. */
static char *names_in(const char *file)
{
    unsigned long long table, names;
    unsigned short sections, strings;
    memcpy(&table, file + 0x28, 8);
    memcpy(&sections, file + 0x3c, 2);
    memcpy(&strings, file + 0x3e, 2);
    memcpy(&names, file + table + 64 * strings + 24, 8);
    char *out = make(MODULE, 16384);
    strcpy(out, "own");
    for (unsigned k = 0; k < sections; k++) {
        unsigned at;
        memcpy(&at, file + table + 64 * k, 4);
        const char *name = file + names + at;
        if (!strncmp(name, ".text.", 6) && strlen(out) + strlen(name) < 16000)
            strcat(strcat(out, " "), name + 6);
    }
    return out;
}
int cuModuleLoadData(void **m, const void *i)
{
    NEED_CONTEXT;
    if (state.recording)
        return 900;
    if (state.refused < setting("STANDIN_REFUSE", 0)) {
        state.refused++;
        return 200;
    }
    if (!memcmp(i, "\177ELF", 4)) {
        *m = names_in(i);
        state.loads++;
        return 0;
    }
    const int ptx = !strncmp(i, "//", 2);
    if (strncmp(i, "cubin", 5) && strncmp(i, ".version", 8) && !ptx)
        return 200;
    *m = make(MODULE, 64 + strlen(i));
    if (!*m)
        return 2;
    if (ptx)
        name_kernels(*m, 64 + strlen(i), i);
    else
        strcpy(*m, i);
    state.loads++;
    return 0;
}
int cuModuleUnload(void *m)
{
    NEED_CONTEXT;
    return drop(m, MODULE);
}
int cuModuleGetFunction(void **f, void *m, const char *n)
{
    NEED_CONTEXT;
    char word[4096];
    if (!is(m, MODULE) || snprintf(word, sizeof word, " %s ", n) >= (int)sizeof word)
        return 500;
    const size_t length = strlen(word) - 1;
    word[length] = 0;
    const char *at = strstr(m, word);
    while (at && at[length] && at[length] != ' ' && at[length] != '(')
        at = strstr(at + 1, word);
    *f = m;
    return at ? 0 : 500;
}
int cuModuleGetGlobal_v2(ptr *p, size_t *b, void *m, const char *n)
{
    NEED_CONTEXT;
    (void)n;
    *p = (ptr)(size_t)m;
    *b = 4;
    return 0;
}
int cuFuncGetAttribute(int *v, int a, void *f)
{
    NEED_CONTEXT;
    (void)f;
    *v = a ? a : 1024;
    return 0;
}
int cuFuncSetAttribute(void *f, int a, int v)
{
    NEED_CONTEXT;
    (void)a;
    return is(f, MODULE) && v <= 232448 ? 0 : 1;
}
int cuLaunchKernel(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                   unsigned bz, unsigned sh, void *s, void **p, void **x)
{
    NEED_CONTEXT;
    (void)sh, (void)p, (void)x;
    if (is(f, MODULE))
        ++*(strncmp(f, "own", 3) ? &state.assembled : &state.own);
    return !is(f, MODULE) || !flows(s) ? 400 : gx && gy && gz && bx * by * bz <= 1024 ? 0 : 1;
}
int cuLaunchKernelEx(const unsigned *shape, void *f, void **p, void **x)
{
    NEED_CONTEXT;
    (void)p, (void)x;
    return !is(f, MODULE) ? 400 : shape[0] && shape[3] * shape[4] * shape[5] <= 1024 ? 0 : 1;
}
int cuLaunchCooperativeKernel(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                              unsigned by, unsigned bz, unsigned sh, void *s, void **p)
{
    NEED_CONTEXT;
    (void)sh, (void)p, (void)by, (void)bz, (void)bx;
    return !is(f, MODULE) || !flows(s) ? 400 : gx * gy * gz <= 132 ? 0 : 720;
}
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *b, void *f, int t, size_t s)
{
    NEED_CONTEXT;
    (void)f, (void)s;
    *b = 2048 / t;
    return 0;
}
int cuStreamCreate(void **s, unsigned f)
{
    NEED_CONTEXT;
    (void)f;
    *s = make(STREAM, 64);
    return *s ? 0 : 2;
}
int cuStreamDestroy_v2(void *s)
{
    NEED_CONTEXT;
    return drop(s, STREAM);
}
int cuStreamSynchronize(void *s)
{
    NEED_CONTEXT;
    usleep(1000u * (unsigned)setting("STANDIN_WORK", 0));
    return flows(s) ? 0 : 400;
}
int cuStreamQuery(void *s)
{
    NEED_CONTEXT;
    return !flows(s) ? 400 : setting("STANDIN_BUSY", 0) ? 600 : 0;
}
int cuStreamWaitEvent(void *s, void *e, unsigned f)
{
    NEED_CONTEXT;
    (void)f;
    return flows(s) && is(e, EVENT) ? 0 : 400;
}
/* One at a time, as NVIDIA's driver may. */
static pthread_mutex_t calling = PTHREAD_MUTEX_INITIALIZER;
int cuLaunchHostFunc(void *s, void (*f)(void *), void *a)
{
    NEED_CONTEXT;
    if (!flows(s))
        return 400;
    pthread_mutex_lock(&calling);
    f(a);
    pthread_mutex_unlock(&calling);
    return 0;
}
/* Work is done when it is given: who gives a wait waits. */
static int reached(unsigned long long now, unsigned long long value, unsigned flags, int bits)
{
    const unsigned long long mask = ~0ull >> (64 - bits);
    switch (flags) {
    case 0: return !((now - value) >> (bits - 1) & 1);
    case 1: return now == (value & mask);
    case 2: return (now & value) != 0;
    default: return (~(now | value) & mask) != 0;
    }
}
int cuStreamWaitValue32_v2(void *s, ptr at, unsigned value, unsigned flags)
{
    NEED_CONTEXT;
    const unsigned *word = (const unsigned *)(size_t)at;
    if (!flows(s) || flags > 3)
        return 400;
    while (!reached(__atomic_load_n(word, __ATOMIC_ACQUIRE), value, flags, 32))
        usleep(100);
    return 0;
}
int cuStreamWaitValue64_v2(void *s, ptr at, unsigned long long value, unsigned flags)
{
    NEED_CONTEXT;
    const unsigned long long *word = (const unsigned long long *)(size_t)at;
    if (!flows(s) || flags > 3)
        return 400;
    while (!reached(__atomic_load_n(word, __ATOMIC_ACQUIRE), value, flags, 64))
        usleep(100);
    return 0;
}
int cuStreamWriteValue32_v2(void *s, ptr at, unsigned value, unsigned flags)
{
    NEED_CONTEXT;
    if (!flows(s) || flags)
        return 400;
    __atomic_store_n((unsigned *)(size_t)at, value, __ATOMIC_RELEASE);
    return 0;
}
int cuStreamWriteValue64_v2(void *s, ptr at, unsigned long long value, unsigned flags)
{
    NEED_CONTEXT;
    if (!flows(s) || flags)
        return 400;
    __atomic_store_n((unsigned long long *)(size_t)at, value, __ATOMIC_RELEASE);
    return 0;
}
int cuEventCreate(void **e, unsigned f)
{
    NEED_CONTEXT;
    (void)f;
    *e = make(EVENT, 64);
    return *e ? 0 : 2;
}
int cuEventDestroy_v2(void *e)
{
    NEED_CONTEXT;
    return drop(e, EVENT);
}
int cuEventRecord(void *e, void *s)
{
    NEED_CONTEXT;
    return is(e, EVENT) && (!s || flows(s)) ? 0 : 400;
}
int cuEventSynchronize(void *e)
{
    NEED_CONTEXT;
    return is(e, EVENT) ? 0 : 400;
}
int cuEventElapsedTime(float *m, void *a, void *b)
{
    NEED_CONTEXT;
    *m = 2.5f;
    return is(a, EVENT) && is(b, EVENT) ? 0 : 400;
}
int cuStreamBeginCapture_v2(void *s, int m)
{
    NEED_CONTEXT;
    (void)m;
    state.recording++;
    return flows(s) ? 0 : 400;
}
int cuStreamEndCapture(void *s, void **g)
{
    NEED_CONTEXT;
    state.recording--;
    *g = flows(s) ? make(GRAPH, 64) : NULL;
    return *g ? 0 : 400;
}
int cuGraphInstantiateWithFlags(void **x, void *g, unsigned long long f)
{
    NEED_CONTEXT;
    (void)f;
    *x = is(g, GRAPH) ? make(EXEC, 64) : NULL;
    return *x ? 0 : 400;
}
int cuGraphLaunch(void *x, void *s)
{
    NEED_CONTEXT;
    return is(x, EXEC) && flows(s) ? 0 : 400;
}
int cuGraphExecDestroy(void *x)
{
    NEED_CONTEXT;
    return drop(x, EXEC);
}
int cuGraphDestroy(void *g)
{
    NEED_CONTEXT;
    return drop(g, GRAPH);
}

/* arrays: memory without a layout; a copy is checked for its ends */
struct array_desc {
    size_t width, height, depth;
    int format;
    unsigned channels, flags;
};
struct copy_end {
    size_t x, y, z, lod;
    int kind;
    void *host;
    ptr device;
    void *array, *reserved;
    size_t pitch, height;
};
struct copy3d {
    struct copy_end from, to;
    size_t width, height, depth;
};
int cuArray3DCreate_v2(void **a, const struct array_desc *d)
{
    NEED_CONTEXT;
    if (!d->width || !d->format || !d->channels)
        return 1;
    *a = make(ARRAY, 16);
    return *a ? 0 : 2;
}
int cuArrayDestroy(void *a)
{
    NEED_CONTEXT;
    return drop(a, ARRAY);
}
int cuMipmappedArrayCreate(void **m, const struct array_desc *d, unsigned levels)
{
    NEED_CONTEXT;
    if (!d->width || levels < 2)
        return 1;
    *m = make(MIPMAP, 16);
    return *m ? 0 : 2;
}
int cuMipmappedArrayGetLevel(void **a, void *m, unsigned level)
{
    NEED_CONTEXT;
    (void)level;
    *a = m;
    return is(m, MIPMAP) ? 0 : 400;
}
int cuMipmappedArrayDestroy(void *m)
{
    NEED_CONTEXT;
    return drop(m, MIPMAP);
}
static int is_end(const struct copy_end *e)
{
    return e->kind == 3 ? is(e->array, ARRAY) || is(e->array, MIPMAP)
                        : e->kind == 2 && e->device && e->pitch && e->height;
}
int cuMemcpy3DAsync_v2(const struct copy3d *c, void *s)
{
    NEED_CONTEXT;
    return is_end(&c->from) && is_end(&c->to) && c->width && c->height && c->depth && flows(s) ? 0
                                                                                               : 1;
}
int cuTexObjectCreate(unsigned long long *o, const void *r, const void *t, const void *view)
{
    NEED_CONTEXT;
    if (!r || !t || view)
        return 1;
    *o = (unsigned long long)(size_t)make(TEXTURE, 8);
    return *o ? 0 : 2;
}
int cuTexObjectDestroy(unsigned long long o)
{
    NEED_CONTEXT;
    return drop((void *)(size_t)o, TEXTURE);
}
int cuSurfObjectCreate(unsigned long long *o, const void *r)
{
    return cuTexObjectCreate(o, r, r, NULL);
}
int cuSurfObjectDestroy(unsigned long long o)
{
    return cuTexObjectDestroy(o);
}
