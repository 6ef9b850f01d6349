/* Device halves of a program, and launches.
 *
 * Kernels and variables register themselves when the program starts, each with the unit (source
 * file) whose device half has it. A unit is compiled when something of it is first needed on a
 * device, with every instantiation that registered: so variables exist once, and templates cost
 * nothing until then. Where there are many instantiations, of which a program may launch a few, and
 * they have nothing in common, each is compiled by itself. */
#ifdef __linux__
#include <link.h>
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/progress.h"
#include "cuda/cuda_int.h"
#include "cuda/packed.h"

struct unit_state { /* of a unit, on every device */
    struct unit_state *next;
    struct __tern_unit *unit;
    struct __tern_entry_data *entries;
    struct __tern_variable_data *variables;
    unsigned number; /* among the units that are linked (-rdc=true) */
    bool linked;
    bool shares; /* its kernels have variables, or something else, in common */
    struct rt_module *modules[CUDA_MAX_DEVICES]; /* of linked units: the same one */
    bool failed[CUDA_MAX_DEVICES];
};

struct entry_state {
    char *name;    /* name expression: ns::kernel<float, 128> */
    char *mangled; /* of a kernel that is no template: tells overloads apart; else "" */
    const struct rt_kernel *kernels[CUDA_MAX_DEVICES];
    struct rt_module *modules[CUDA_MAX_DEVICES]; /* of a kernel that is compiled by itself */
    bool failed[CUDA_MAX_DEVICES];
};

enum { MANY_INSTANTIATIONS = 16 };

static struct {
    pthread_mutex_t lock;
    pthread_mutex_t managed; /* what is known of the copies of managed variables; before lock */
    struct unit_state *units;
    bool early;      /* code is made before it is asked for: errors are told when it is */
    bool per_thread; /* a unit was compiled so that stream 0 is the calling thread's own */
    bool managing;   /* a unit has managed variables */
    uint32_t arch;   /* the latest that a unit was compiled for */
} program = {.lock = PTHREAD_MUTEX_INITIALIZER, .managed = PTHREAD_MUTEX_INITIALIZER};

enum { MAX_PENDING = 8 };
static _Thread_local struct {
    struct {
        dim3 grid, block;
        size_t shared;
        cudaStream_t stream;
    } pending[MAX_PENDING];
    int n;
    bool asking; /* a stub is called only to learn which kernel it stands for */
    struct __tern_entry_data *answer;
} thread;

/* ---- registration ---- */

static struct unit_state *unit_state(struct __tern_unit *u)
{
    if (!u->state) {
        struct unit_state *s = calloc(1, sizeof *s);
        if (!s)
            return NULL;
        s->unit = u;
        s->linked = u->flags & __TERN_UNIT_RDC;
        if (u->flags & __TERN_UNIT_CHECK) { /* before main, and before any device is open */
            setenv("TERN_CHECK", "1", 0);
            setenv("TERN_DEVICES", "cpu", 0);
        }
        program.per_thread |= (u->flags & __TERN_UNIT_PER_THREAD) != 0;
        if (program.arch < u->flags >> __TERN_UNIT_ARCH_SHIFT)
            program.arch = u->flags >> __TERN_UNIT_ARCH_SHIFT;
        s->next = program.units;
        program.units = s;
        u->state = s;
    }
    return u->state;
}

/* Set before main runs, so that no lock is needed. */
bool cuda_per_thread_default(void)
{
    return program.per_thread;
}

uint32_t cuda_arch(const struct dev_info *i)
{
    return i->has_arch || program.arch < i->arch ? i->arch : program.arch;
}

void __tern_not_host(const char *function)
{
    char text[512];
    snprintf(text, sizeof text, "tern: host code called %s, which only the device has\n", function);
    cuda_say(text);
    abort();
}

int __tern_register_unit(struct __tern_unit *unit)
{
    pthread_mutex_lock(&program.lock);
    const bool ok = unit_state(unit) != NULL;
    pthread_mutex_unlock(&program.lock);
    return ok;
}

/* g++ marks names that other files cannot see with an L, _ZL1kPi or _ZN1aL1kEPi; device code does
 * not. */
static void without_linkage(char *mangled)
{
    char *p = mangled + 2;
    p += *p == 'N';
    for (;;) {
        if (*p == 'L' && p[1] >= '0' && p[1] <= '9')
            memmove(p, p + 1, strlen(p));
        if (*p < '0' || *p > '9' || mangled[2] != 'N')
            return;
        const size_t n = strtoul(p, &p, 10);
        if (n > strlen(p))
            return;
        p += n;
    }
}

void __tern_register_kernel(struct __tern_entry_data *entry)
{
    pthread_mutex_lock(&program.lock);
    struct unit_state *u = unit_state(entry->unit);
    char *plain =
        u && entry->unit->demangle ? entry->unit->demangle(entry->tag, NULL, NULL, NULL) : NULL;
    if (!plain && u && entry->unit->demangle)
        plain = packed_demangled(entry->tag);
    const char *tag = plain ? plain : entry->tag;
    const size_t size = strlen(tag) + 1, mangled = strlen(entry->tag) + 3;
    struct entry_state *s = u ? calloc(1, sizeof *s + size + mangled) : NULL;
    if (s) {
        s->name = (char *)(s + 1);
        s->mangled = s->name + size;
        if (entry->unit->demangle) {
            packed_kernel_name(tag, s->name, size);
            /* Z <function> E 10__tern_tag: a class inside a function */
            const char *end = strstr(entry->tag, "E10__tern_tag");
            if (entry->tag[0] == 'Z' && end && !strchr(s->name, '<')) {
                snprintf(s->mangled, mangled, "_Z%.*s", (int)(end - entry->tag - 1),
                         entry->tag + 1);
                without_linkage(s->mangled);
            }
        } else { /* a name in PTX */
            memcpy(s->name, tag, size);
        }
        entry->state = s;
        entry->next = u->entries;
        u->entries = entry;
    }
    free(plain);
    pthread_mutex_unlock(&program.lock);
    cuda_forget_stubs();
}

void __tern_register_variable(struct __tern_variable_data *variable)
{
    pthread_mutex_lock(&program.lock);
    struct unit_state *u = unit_state(variable->unit);
    if (u) {
        variable->next = u->variables;
        u->variables = variable;
        if (variable->kind == 2)
            __atomic_store_n(&program.managing, true, __ATOMIC_RELAXED);
    }
    pthread_mutex_unlock(&program.lock);
}

/* ---- building ---- */

static struct compile_mode mode_of(unsigned flags)
{
    return (struct compile_mode){.arch = flags >> __TERN_UNIT_ARCH_SHIFT,
                                 .no_fmad = flags & __TERN_UNIT_NO_FMAD,
                                 .fast_math = flags & __TERN_UNIT_FAST_MATH,
                                 .fast_f64 = flags & __TERN_UNIT_FAST_F64,
                                 .lines = flags & __TERN_UNIT_LINES,
                                 .steps = flags & __TERN_UNIT_STEPS};
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* A unit's text, and the instantiations it is asked for, all or one; free() names and *owned. */
static bool source_of(struct unit_state *u, const struct entry_state *one, struct rt_source *out,
                      char **owned)
{
    size_t len;
    const char *text =
        packed_text(u->unit->begin, (size_t)(u->unit->end - u->unit->begin), &len, owned);
    size_t n = 0;
    for (struct __tern_entry_data *e = u->entries; e; e = e->next)
        n++;
    const char **names = text ? calloc(n + 1, sizeof *names) : NULL;
    if (!names)
        return false;
    n = 0;
    for (struct __tern_entry_data *e = u->entries; e; e = e->next) {
        const struct entry_state *s = e->state;
        if (!*s->mangled && (!one || one == s)) /* the others are there unasked */
            names[n++] = s->name;
    }
    /* in an order that does not depend on the program's: so is code that came with it known */
    qsort(names, n, sizeof *names, by_name);
    *out = (struct rt_source){.path = u->unit->path,
                              .text = text,
                              .len = len,
                              .names = names,
                              .nnames = n,
                              .mode = mode_of(u->unit->flags),
                              .linked = u->linked};
    return true;
}

/* From the next launch on, instantiations that were built alone are those of the whole unit: it has
 * the variables that the host sees. */
static void forget_kernels(struct tern_device *d, struct unit_state *u)
{
    for (struct __tern_entry_data *e = u->entries; e; e = e->next)
        __atomic_store_n(&((struct entry_state *)e->state)->kernels[d->ordinal], NULL,
                         __ATOMIC_RELEASE);
}

/* Whoever takes the device's place says why. */
static void not_built(struct tern_device *d, const char *log)
{
    if (program.early)
        return;
    const char *text = log ? log : "tern: the device half could not be built\n";
    if (d->rt.refused && device_may_give_way(d))
        context_message(d->context, "%s", text);
    else
        cuda_say(text);
}

/* ---- managed variables ----
 *
 * Where kernels use the host's memory at its address, the host's variable is the only one: the
 * device's code is told where it is (rt/managed.c). Elsewhere they live on both sides; where the
 * device can, it reaches the pages of the host's copy, too, for pointers that lie in memory. The
 * host's copy goes in before a launch if the host has written to it
 * since the two were the same; else the device's comes back when the host waits. In between the
 * host must not touch them, as on devices without concurrent access. */

struct managed_state {
    bool told;                    /* that two changed it at once */
    bool away;                    /* its first value is in the device's half alone */
    void *seen[CUDA_MAX_DEVICES]; /* what the host's copy was when it was the device's, too */
    bool only[CUDA_MAX_DEVICES];  /* the device has none of its own */
};

static struct managed_state *managed_state(struct __tern_variable_data *var)
{
    if (!var->state)
        var->state = calloc(1, sizeof(struct managed_state));
    return var->state;
}

static bool is_only(const struct __tern_variable_data *var, unsigned device)
{
    const struct managed_state *m = var->kind == 2 ? var->state : NULL;
    return m && __atomic_load_n(&m->only[device], __ATOMIC_RELAXED);
}

/* What is static to a linked unit has the unit's number behind its name. */
static const char *own_name(const struct unit_state *u, const char *name, char *buf, size_t size)
{
    snprintf(buf, size, "%s.u%u", name, u->number);
    return buf;
}

/* Where the module has the variable: by the unit's own name for it, or by its name. */
static enum tern_error place_in_module(struct tern_device *d, const struct unit_state *u,
                                       const char *name, dev_ptr *p, uint64_t *size)
{
    char own[600];
    enum tern_error e = TERN_NOT_FOUND;
    if (u->linked)
        e = rt_module_global(u->modules[d->ordinal], own_name(u, name, own, sizeof own), p, size);
    return e == TERN_NOT_FOUND ? rt_module_global(u->modules[d->ordinal], name, p, size) : e;
}

/* The host's variable becomes the device's. One that only the device has a first value of gets it.
 */
static enum tern_error make_only(struct tern_device *d, struct unit_state *u,
                                 struct __tern_variable_data *var)
{
    struct managed_state *m = managed_state(var);
    void *host = (void *)(uintptr_t)var->host;
    char own[600];
    dev_ptr first;
    uint64_t size;
    enum tern_error e = m ? place_in_module(d, u, var->name, &first, &size) : TERN_OUT_OF_MEMORY;
    if (e)
        return e;
    if (m->away)
        e = rt_download(&d->rt, host, first, size < var->size ? size : var->size);
    if (!e)
        e = d->rt.driver->share(d->rt.dev, host, var->size, true);
    if (e)
        return e;
    m->away = false;
    e = TERN_NOT_FOUND;
    if (u->linked)
        e = rt_managed_place(u->modules[d->ordinal], own_name(u, var->name, own, sizeof own), host);
    if (e == TERN_NOT_FOUND)
        e = rt_managed_place(u->modules[d->ordinal], var->name, host);
    if (e)
        d->rt.driver->unshare(d->rt.dev, (dev_ptr)(uintptr_t)host);
    __atomic_store_n(&m->only[d->ordinal], !e, __ATOMIC_RELAXED);
    return e;
}

/* A unit's managed variables, as soon as the device has code that uses them. */
static enum tern_error place_managed(struct tern_device *d, struct unit_state *u)
{
    enum tern_error e = TERN_OK;
    for (struct __tern_variable_data *v = u->variables; v && !e; v = v->next)
        if (v->kind == 2 && !is_only(v, d->ordinal)) {
            e = make_only(d, u, v);
            e = e == TERN_NOT_FOUND ? TERN_OK : e; /* no kernel uses it */
        }
    return e;
}

/* Builds a unit; one that is linked, together with all others that are. */
static cudaError_t build_locked(struct tern_device *d, struct unit_state *u)
{
    if (u->modules[d->ordinal])
        return cudaSuccess;
    if (u->failed[d->ordinal])
        return cudaErrorInvalidKernelImage;
    unsigned n = 0;
    for (struct unit_state *x = program.units; x; x = x->next)
        n += x == u || (u->linked && x->linked);
    struct rt_source *sources = calloc(n, sizeof *sources);
    char **texts = calloc(n, sizeof *texts);
    bool ok = sources && texts;
    n = 0;
    for (struct unit_state *x = program.units; x && ok; x = x->next) {
        if (x != u && !(u->linked && x->linked))
            continue;
        ok = source_of(x, NULL, &sources[n], &texts[n]);
        if (n)
            sources[n - 1].next = &sources[n];
        x->number = n++;
    }
    char *log = NULL;
    if (ok && u->unit->flags & __TERN_UNIT_FATBIN) {
        cudaError_t none = cuda_decode_fatbin(u->unit, &texts[0], &sources[0].len);
        if (none != cudaSuccess) {
            free((void *)sources[0].names);
            free(sources);
            free(texts);
            u->failed[d->ordinal] = true;
            return none;
        }
        sources[0].text = texts[0];
    }
    struct rt_module *module = NULL;
    enum tern_error e = ok ? rt_module_build(&d->rt, sources, &module, &log) : TERN_OUT_OF_MEMORY;
    for (unsigned k = 0; sources && texts && k < n; k++) {
        free((void *)sources[k].names);
        free(texts[k]);
    }
    free(sources);
    free(texts);
    for (struct unit_state *x = program.units; x; x = x->next)
        if (x == u || (u->linked && x->linked)) {
            x->modules[d->ordinal] = module;
            x->failed[d->ordinal] = e != TERN_OK;
            forget_kernels(d, x);
            if (!e && rt_uses_host(&d->rt))
                e = place_managed(d, x);
        }
    if (e)
        not_built(d, log);
    free(log);
    return (cudaError_t)tern_error_cuda(e);
}

/* Builds one instantiation of a unit that has many. It turns out then whether that is right. */
static cudaError_t build_one_locked(struct tern_device *d, struct unit_state *u,
                                    struct entry_state *s)
{
    size_t n = 0;
    for (struct __tern_entry_data *e = u->entries; e; e = e->next)
        n += !*((struct entry_state *)e->state)->mangled;
    if (n < MANY_INSTANTIATIONS || *s->mangled || u->linked || u->shares ||
        u->modules[d->ordinal] || u->unit->flags & __TERN_UNIT_FATBIN)
        return build_locked(d, u);
    if (s->modules[d->ordinal])
        return cudaSuccess;
    if (s->failed[d->ordinal])
        return cudaErrorInvalidKernelImage;
    struct rt_source source;
    struct rt_module *module = NULL;
    char *text, *log = NULL;
    const bool ok = source_of(u, s, &source, &text);
    enum tern_error e = ok ? rt_module_build(&d->rt, &source, &module, &log) : TERN_OUT_OF_MEMORY;
    if (ok)
        free((void *)source.names);
    free(text);
    if (!e && rt_module_shares(module)) {
        rt_module_free(module);
        u->shares = true;
        return build_locked(d, u);
    }
    s->modules[d->ordinal] = module;
    s->failed[d->ordinal] = e != TERN_OK;
    if (e)
        not_built(d, log);
    free(log);
    return (cudaError_t)tern_error_cuda(e);
}

static cudaError_t build(struct tern_device *d, struct unit_state *u)
{
    pthread_mutex_lock(&program.lock);
    cudaError_t e = build_locked(d, u);
    pthread_mutex_unlock(&program.lock);
    return e;
}

/* The device's copy is gone, or as its text starts it. */
static void forget_seen(struct tern_device *d, struct __tern_variable_data *var)
{
    struct managed_state *m = var->kind == 2 ? var->state : NULL;
    if (!m)
        return;
    if (is_only(var, d->ordinal))
        d->rt.driver->unshare(d->rt.dev, (dev_ptr)(uintptr_t)var->host);
    m->only[d->ordinal] = false;
    free(m->seen[d->ordinal]);
    m->seen[d->ordinal] = NULL;
}

void cuda_modules_free(struct tern_device *d)
{
    cuda_borrowed_forget(d);
    pthread_mutex_lock(&program.lock);
    for (struct unit_state *u = program.units; u; u = u->next) {
        struct rt_module *module = u->modules[d->ordinal];
        for (struct unit_state *x = u; x; x = x->next)
            if (x->modules[d->ordinal] == module)
                x->modules[d->ordinal] = NULL;
        rt_module_free(module);
        u->failed[d->ordinal] = false;
        for (struct __tern_variable_data *v = u->variables; v; v = v->next)
            forget_seen(d, v);
        for (struct __tern_entry_data *e = u->entries; e; e = e->next) {
            struct entry_state *s = e->state;
            rt_module_free(s->modules[d->ordinal]);
            s->modules[d->ordinal] = NULL;
            s->kernels[d->ordinal] = NULL;
            s->failed[d->ordinal] = false;
        }
    }
    pthread_mutex_unlock(&program.lock);
}

static cudaError_t kernel_of(struct tern_device *d, struct __tern_entry_data *entry,
                             const struct rt_kernel **out)
{
    struct entry_state *s = entry->state;
    if (!s)
        return cudaErrorMemoryAllocation;
    const struct rt_kernel *k = __atomic_load_n(&s->kernels[d->ordinal], __ATOMIC_ACQUIRE);
    if (!k) {
        struct unit_state *u = entry->unit->state;
        char text[8192];
        snprintf(text, sizeof text, "tern: compiling '%.160s'", s->name);
        struct progress *p = isatty(STDERR_FILENO) ? progress_begin(text, cuda_say) : NULL;
        pthread_mutex_lock(&program.lock);
        cudaError_t e = build_one_locked(d, u, s);
        pthread_mutex_unlock(&program.lock);
        progress_end(p);
        if (e != cudaSuccess)
            return e;
        const struct rt_module *m =
            u->modules[d->ordinal] ? u->modules[d->ordinal] : s->modules[d->ordinal];
        if (u->linked)
            k = rt_module_kernel(m, own_name(u, s->name, text, sizeof text));
        if (!k && *s->mangled)
            k = rt_module_kernel(m, s->mangled);
        if (!k)
            k = rt_module_kernel(m, s->name);
        if (!k) {
            snprintf(text, sizeof text, "tern: the device half has no kernel '%s'\n", s->name);
            cuda_say(text);
            return cudaErrorInvalidDeviceFunction;
        }
        __atomic_store_n(&s->kernels[d->ordinal], k, __ATOMIC_RELEASE);
    }
    *out = k;
    return cudaSuccess;
}

/* ---- early ---- */

/* What a first launch would have to do, as far as it takes little: while the device is opened
 * nobody minds. What fails is tried again when it is asked for. */
static bool build_early(struct tern_device *d, struct unit_state *u)
{
    pthread_mutex_lock(&program.lock);
    const bool known = u->failed[d->ordinal];
    program.early = true;
    const bool ok = build_locked(d, u) == cudaSuccess;
    program.early = false;
    if (!ok)
        d->rt.refused = false;
    for (struct unit_state *x = program.units; x && !ok && !known; x = x->next)
        if (x == u || (u->linked && x->linked))
            x->failed[d->ordinal] = false;
    pthread_mutex_unlock(&program.lock);
    return ok;
}

void cuda_prepare_early(struct tern_device *d)
{
    enum { FEW = 16 }; /* kernels */
    const uint64_t until = thread_nanoseconds() + UINT64_C(15000000);
    const struct dev_driver *v = d->rt.driver;
    size_t n = 0;
    if (!v->prepares_early || !v->prepares_early(d->rt.dev))
        return;
    pthread_mutex_lock(&program.lock);
    struct unit_state *units = program.units; /* those that come later stand before it */
    for (struct unit_state *u = units; u; u = u->next)
        for (struct __tern_entry_data *e = u->entries; e; e = e->next)
            n += u->unit->flags & __TERN_UNIT_FATBIN ? FEW : 1;
    pthread_mutex_unlock(&program.lock);
    for (struct unit_state *u = n < FEW ? units : NULL; u; u = u->next)
        for (struct __tern_entry_data *e = u->entries; e && thread_nanoseconds() < until;
             e = e->next) {
            const struct rt_kernel *k;
            if (!build_early(d, u) || kernel_of(d, e, &k) != cudaSuccess ||
                v->prepare_early(k->dev))
                return;
        }
}

/* ---- symbols ---- */

static struct __tern_variable_data *variable_at(const void *host)
{
    struct __tern_variable_data *found = NULL;
    pthread_mutex_lock(&program.lock);
    for (struct unit_state *u = program.units; u && !found; u = u->next)
        for (struct __tern_variable_data *v = u->variables; v && !found; v = v->next)
            if (v->host == host)
                found = v;
    pthread_mutex_unlock(&program.lock);
    return found;
}

static cudaError_t variable_place(struct tern_device *d, struct __tern_variable_data *v, dev_ptr *p,
                                  uint64_t *size)
{
    struct unit_state *u = v->unit->state;
    cudaError_t e = build(d, u);
    if (e != cudaSuccess)
        return e;
    const enum tern_error r = place_in_module(d, u, v->name, p, size);
    if (r == TERN_NOT_FOUND)
        return cudaErrorInvalidSymbol;
    if (is_only(v, d->ordinal))
        *p = (dev_ptr)(uintptr_t)v->host;
    device_use(d); /* its address is known */
    return cuda_from(r);
}

/* A variable that nobody registered, because it came with a template: whichever unit has it. */
static struct __tern_variable_data *variable_by_name(struct tern_device *d, const void *host)
{
    struct __tern_variable_data *found = NULL;
    char name[1024];
    if (!cuda_symbol_name(host, name, sizeof name) || strncmp(name, "_Z", 2) != 0)
        return NULL;
    pthread_mutex_lock(&program.lock);
    for (struct unit_state *u = program.units; u && !found; u = u->next) {
        dev_ptr p;
        uint64_t size;
        if (build_locked(d, u) != cudaSuccess ||
            rt_module_global(u->modules[d->ordinal], name, &p, &size))
            continue;
        found = calloc(1, sizeof *found + strlen(name) + 1);
        if (!found)
            break;
        char *copy = strcpy((char *)(found + 1), name);
        *found = (struct __tern_variable_data){u->unit, host, copy, size, 0, u->variables, NULL};
        u->variables = found;
    }
    pthread_mutex_unlock(&program.lock);
    return found;
}

cudaError_t cuda_symbol(struct tern_device *d, const void *symbol, dev_ptr *p, uint64_t *size)
{
    struct __tern_variable_data *v = variable_at(symbol);
    if (!v)
        v = variable_by_name(d, symbol);
    return v ? variable_place(d, v, p, size) : cudaErrorInvalidSymbol;
}

/* The unit's own module, and those of kernels that were compiled by themselves, which have
 * literals. */
static bool unit_variable(const struct unit_state *u, unsigned device, uint64_t p, uint64_t size,
                          struct cuda_range *out)
{
    bool found =
        u->modules[device] && rt_module_variable(u->modules[device], p, size, &out->at, &out->size);
    for (const struct __tern_entry_data *x = u->entries; x && !found; x = x->next) {
        const struct entry_state *s = x->state;
        found = s && s->modules[device] &&
                rt_module_variable(s->modules[device], p, size, &out->at, &out->size);
    }
    return found;
}

/* The managed variable with those bytes on the host; or that ends there, where none begins. */
static struct __tern_variable_data *managed_at(uint64_t p, uint64_t size)
{
    struct __tern_variable_data *found = NULL, *ends = NULL;
    if (!__atomic_load_n(&program.managing, __ATOMIC_RELAXED))
        return NULL;
    pthread_mutex_lock(&program.lock);
    for (struct unit_state *u = program.units; u && !found; u = u->next)
        for (struct __tern_variable_data *v = u->variables; v && !found; v = v->next) {
            const uint64_t at = p - (uint64_t)(uintptr_t)v->host;
            if (v->kind != 2 || at > v->size || size > v->size - at)
                continue;
            *(at < v->size ? &found : &ends) = v;
        }
    pthread_mutex_unlock(&program.lock);
    return found ? found : ends;
}

bool cuda_find_variable(const void *p, uint64_t size, struct cuda_range *out)
{
    const uint64_t at = (uint64_t)(uintptr_t)p;
    const struct __tern_variable_data *managed = managed_at(at, size + !size);
    *out =
        (struct cuda_range){.kind = managed ? CUDA_MANAGED : CUDA_DEVICE, .flags = CUDA_NOT_OURS};
    bool found = managed;
    if (managed) {
        out->at = (uint64_t)(uintptr_t)managed->host;
        out->size = managed->size;
        out->device = cuda_current_ordinal();
    }
    pthread_mutex_lock(&program.lock);
    for (unsigned device = 0; device < CUDA_MAX_DEVICES && !found; device++) {
        out->device = (int)device;
        for (const struct unit_state *u = program.units; u && !found; u = u->next)
            found = unit_variable(u, device, at, size, out);
    }
    pthread_mutex_unlock(&program.lock);
    found = found || cuda_find_module_variable(at, size, out);
    out->id = out->at;
    for (int k = 1; k < 4; k++)
        out->advice[k] = cudaInvalidDeviceId;
    return found;
}

cudaError_t cuda_managed_place(struct tern_device *d, const void *p, uint64_t size, dev_ptr *at)
{
    uint64_t whole;
    struct __tern_variable_data *v = managed_at((uint64_t)(uintptr_t)p, size);
    if (!v)
        return cudaErrorInvalidSymbol;
    cudaError_t e = variable_place(d, v, at, &whole);
    *at += (uint64_t)(uintptr_t)p - (uint64_t)(uintptr_t)v->host;
    return e == cudaSuccess ? cuda_managed_in(d) : e;
}

bool cuda_managed_away(struct __tern_variable_data *var)
{
    struct managed_state *m = managed_state(var);
    if (m)
        m->away = true;
    return m;
}

static void *seen_on(struct __tern_variable_data *var, unsigned device)
{
    struct managed_state *m = managed_state(var);
    if (m && !m->seen[device])
        m->seen[device] = malloc(var->size ? var->size : 1);
    return m ? m->seen[device] : NULL;
}

static bool was_same(const struct __tern_variable_data *var, unsigned device)
{
    const struct managed_state *m = var->state;
    return m && m->seen[device];
}

static bool host_wrote(const struct __tern_variable_data *var, unsigned device)
{
    const struct managed_state *m = var->state;
    return !was_same(var, device) || memcmp(m->seen[device], var->host, var->size);
}

/* Now the host's copy and the device's are the same. By the device's own queue, and waited for: any
 * stream may be the next to use it. */
static cudaError_t make_same(struct tern_device *d, struct __tern_variable_data *var, dev_ptr p,
                             bool in)
{
    const struct dev_driver *v = d->rt.driver;
    void *host = (void *)(uintptr_t)var->host, *seen = seen_on(var, d->ordinal);
    if (!seen)
        return cudaErrorMemoryAllocation;
    cudaError_t e = cuda_from(in ? v->copy_in(d->rt.dev, d->own.queue, p, host, var->size)
                                 : v->copy_out(d->rt.dev, d->own.queue, host, p, var->size));
    if (e == cudaSuccess)
        e = cuda_from(device_check(d, v->queue_wait(d->own.queue)));
    if (e == cudaSuccess)
        memcpy(seen, host, var->size);
    return e;
}

static void tell_of_both(struct __tern_variable_data *var)
{
    struct managed_state *m = var->state;
    char text[512];
    if (m->told)
        return;
    m->told = true;
    snprintf(text, sizeof text,
             "tern: a kernel changed the managed variable '%s' by its name while the host, or a "
             "pointer that the host put into memory, changed it too: what the kernel did is lost\n",
             var->name);
    cuda_say(text);
}

/* Kernels wrote to one copy and the host, or kernels by its address, to the other: each byte is as
 * whoever changed it left it. Bytes that both changed are the host's, which may be wrong. */
static cudaError_t merge(struct tern_device *d, struct __tern_variable_data *var, dev_ptr p)
{
    const struct dev_driver *v = d->rt.driver;
    unsigned char *host = (unsigned char *)(uintptr_t)var->host, *seen = seen_on(var, d->ordinal);
    unsigned char *now = malloc(var->size);
    if (!now || !seen) {
        free(now);
        return cudaErrorMemoryAllocation;
    }
    cudaError_t e = cuda_from(v->copy_out(d->rt.dev, d->own.queue, now, p, var->size));
    if (e == cudaSuccess)
        e = cuda_from(device_check(d, v->queue_wait(d->own.queue)));
    bool both = false;
    for (uint64_t i = 0; i < var->size && e == cudaSuccess; i++) {
        if (now[i] == seen[i])
            continue;
        both |= host[i] != seen[i] && host[i] != now[i];
        if (host[i] == seen[i])
            host[i] = now[i];
        seen[i] = now[i];
    }
    free(now);
    if (both)
        tell_of_both(var);
    return e;
}

static bool is_away(const struct __tern_variable_data *var)
{
    const struct managed_state *m = var->state;
    return m && m->away;
}

/* The host's copy of a variable whose first value only the device's half has gets it. */
static cudaError_t fetch_first(struct tern_device *d, struct __tern_variable_data *var, dev_ptr p)
{
    cudaError_t e = make_same(d, var, p, false);
    if (e == cudaSuccess)
        ((struct managed_state *)var->state)->away = false;
    return e;
}

cudaError_t cuda_managed_first(struct tern_device *d, struct __tern_unit *unit)
{
    struct unit_state *u = unit->state;
    cudaError_t e = cudaSuccess;
    pthread_mutex_lock(&program.managed);
    for (struct __tern_variable_data *var = u ? u->variables : NULL; var; var = var->next) {
        dev_ptr p;
        uint64_t size;
        if (var->kind != 2 || !is_away(var))
            continue;
        e = variable_place(d, var, &p, &size);
        if (e == cudaSuccess)
            e = fetch_first(d, var, p);
        if (e != cudaSuccess && e != cudaErrorInvalidSymbol)
            break;
        e = cudaSuccess;
    }
    pthread_mutex_unlock(&program.managed);
    return e;
}

static cudaError_t one_managed(struct tern_device *d, struct __tern_variable_data *var, bool in)
{
    dev_ptr p;
    uint64_t size;
    cudaError_t e = variable_place(d, var, &p, &size);
    if (e == cudaErrorInvalidSymbol)
        return cudaSuccess; /* no kernel uses it */
    if (e == cudaSuccess && is_away(var))
        e = fetch_first(d, var, p);
    if (e != cudaSuccess || is_only(var, d->ordinal))
        return e;
    const bool wrote = host_wrote(var, d->ordinal);
    if (wrote && !in)
        return was_same(var, d->ordinal) ? merge(d, var, p) : cudaSuccess;
    return wrote == in ? make_same(d, var, p, in) : cudaSuccess;
}

static cudaError_t managed(struct tern_device *d, bool in)
{
    cudaError_t e = cudaSuccess;
    pthread_mutex_lock(&program.managed);
    for (struct unit_state *u = program.units; u && e == cudaSuccess; u = u->next)
        for (struct __tern_variable_data *var = u->variables; var && e == cudaSuccess;
             var = var->next)
            if (var->kind == 2 && (in || u->modules[d->ordinal]))
                e = one_managed(d, var, in);
    pthread_mutex_unlock(&program.managed);
    return e;
}

cudaError_t cuda_managed_in(struct tern_device *d)
{
    return managed(d, true);
}

cudaError_t cuda_managed_out(struct tern_device *d)
{
    return d->lost ? cudaSuccess : managed(d, false);
}

/* ---- launches ---- */

cudaError_t cuda_gather_params(void **args, const struct rt_kernel *k, char *params)
{
    if (k->param_bytes > API_MAX_PARAM_BYTES || (k->nparams && !args))
        return cudaErrorInvalidValue;
    for (uint32_t n = 0; n < k->nparams; n++)
        memcpy(params + k->params[n].offset, args[n], k->params[n].size);
    return cudaSuccess;
}

cudaError_t cuda_managed_params(struct tern_device *d, const struct rt_kernel *k, char *params)
{
    if (!__atomic_load_n(&program.managing, __ATOMIC_RELAXED))
        return cudaSuccess;
    for (uint32_t n = 0; n < k->nparams; n++) {
        const uint32_t end = k->params[n].offset + k->params[n].size;
        for (uint32_t at = (k->params[n].offset + 7) & ~7u; at + 8 <= end; at += 8) {
            void *p;
            dev_ptr place;
            memcpy(&p, params + at, sizeof p);
            const cudaError_t e = cuda_managed_place(d, p, 0, &place);
            if (e == cudaSuccess)
                memcpy(params + at, &place, sizeof place);
            else if (e != cudaErrorInvalidSymbol) /* no variable, or one that no kernel names */
                return e;
        }
    }
    return cudaSuccess;
}

uint32_t cuda_usual_shared(const struct tern_device *d)
{
    enum { USUAL = 48 << 10 };
    return d->info.shared_per_block < USUAL ? d->info.shared_per_block : USUAL;
}

static uint32_t most_dynamic_shared(const struct tern_device *d, const struct rt_kernel *k)
{
    const uint32_t asked = __atomic_load_n(&k->allowed_shared, __ATOMIC_RELAXED),
                   most = cuda_usual_shared(d);
    return asked ? asked : most > k->static_shared ? most - k->static_shared : 0;
}

cudaError_t cuda_allow_shared(const struct tern_device *d, const struct rt_kernel *k, int bytes)
{
    if (bytes < 0 || (uint64_t)bytes + k->static_shared > d->info.shared_per_block)
        return cudaErrorInvalidValue;
    rt_kernel_allow_shared(k, (uint32_t)bytes);
    return cudaSuccess;
}

cudaError_t cuda_submit_kernel(struct tern_stream *s, const struct rt_kernel *k, void *handle,
                               const struct dev_launch *shape, void **args)
{
    struct tern_device *d = s->device;
    enum tern_error e = kernel_check(d, k, shape);
    if (!e && shape->shared > most_dynamic_shared(d, k))
        e = TERN_INVALID_ARGUMENT;
    if (e)
        return cuda_from(e);
    _Alignas(16) char params[API_MAX_PARAM_BYTES];
    struct work w = {.kind = WORK_KERNEL,
                     .device = d,
                     .kernel = {.kernel = k, .shape = *shape, .handle = handle}};
    cudaError_t r = cudaSuccess;
    if (shape->params)
        memcpy(params, shape->params, k->param_bytes);
    else
        r = cuda_gather_params(args, k, params);
    if (r == cudaSuccess)
        r = cuda_managed_params(d, k, params);
    if (r != cudaSuccess)
        return r;
    w.kernel.shape.params = params;
    w.kernel.shape.param_bytes = k->param_bytes;
    if (!s->capture) {
        e = stream_begin(s);
        r = e ? cuda_from(e) : cuda_managed_in(d);
        if (r != cudaSuccess)
            return r;
    }
    return cuda_from(work_submit(s, &w));
}

/* Were the two halves compiled from the same declarations? Then every argument has the place and
 * the size that the device half gives it. */
static bool fits(const struct rt_kernel *k, const unsigned long *shapes, unsigned long count)
{
    unsigned long at = 0;
    if (count != k->nparams)
        return false;
    for (uint32_t n = 0; n < count; n++) {
        const unsigned long size = shapes[n] >> 12, align = shapes[n] & 4095;
        at = (at + align - 1) / align * align;
        if (size != k->params[n].size || at != k->params[n].offset)
            return false;
        at += size;
    }
    return true;
}

static cudaError_t launch_once(struct __tern_entry_data *entry, dim3 grid, dim3 block, void **args,
                               const unsigned long *shapes, unsigned long count, size_t shared,
                               cudaStream_t stream, bool cooperative, bool *refused)
{
    struct tern_stream *s;
    const struct rt_kernel *k;
    struct tern_device *current;
    const struct entry_state *known = entry->state;
    cudaError_t e = cuda_current(&current);
    if (e == cudaSuccess)
        e = cuda_launch_stream(current, stream, known ? known->name : "a kernel", &s);
    if (e == cudaSuccess && s->device != current)
        e = cudaErrorInvalidResourceHandle; /* copies may use another device's stream, kernels not
                                             */
    if (e == cudaSuccess) {
        e = kernel_of(s->device, entry, &k);
        *refused = e != cudaSuccess && s->device->rt.refused;
    }
    if (e != cudaSuccess)
        return e;
    if (shapes && !fits(k, shapes, count)) {
        cuda_say("tern: a kernel's arguments are laid out differently in the host and the device "
                 "half\n");
        return cudaErrorInvalidDeviceFunction;
    }
    if (shared > UINT32_MAX)
        return cudaErrorInvalidValue;
    struct dev_launch shape = {.grid = {grid.x, grid.y, grid.z},
                               .block = {block.x, block.y, block.z},
                               .shared = (uint32_t)shared,
                               .cooperative = cooperative};
    e = cuda_submit_kernel(s, k, entry, &shape, args);
    if (e == cudaSuccess)
        device_use(current); /* what it leaves in variables would be lost */
    *refused =
        e == cudaErrorNotSupported || e == cudaErrorInvalidPtx || e == cudaErrorInvalidKernelImage;
    return e;
}

/* A device that cannot run the program's first kernel gives way to the next, while it may. */
static cudaError_t launch(struct __tern_entry_data *entry, dim3 grid, dim3 block, void **args,
                          const unsigned long *shapes, unsigned long count, size_t shared,
                          cudaStream_t stream, bool cooperative)
{
    for (;;) {
        struct tern_device *d;
        bool refused = false;
        const cudaError_t e = launch_once(entry, grid, block, args, shapes, count, shared, stream,
                                          cooperative, &refused);
        if (!refused || cuda_current(&d) != cudaSuccess || !device_may_give_way(d))
            return e;
        char why[256];
        tern_message(d->context, why, sizeof why);
        cuda_modules_free(d);
        if (!device_give_way(d, why[0] ? why : cudaGetErrorString(e)))
            return e;
    }
}

cudaError_t __tern_push_configuration(dim3 grid, dim3 block, size_t shared, cudaStream_t stream)
{
    if (thread.n == MAX_PENDING)
        return cuda_return(cudaErrorMissingConfiguration);
    thread.pending[thread.n].grid = grid;
    thread.pending[thread.n].block = block;
    thread.pending[thread.n].shared = shared;
    thread.pending[thread.n].stream = stream;
    thread.n++;
    return cudaSuccess;
}

bool cuda_pop_configuration(dim3 *grid, dim3 *block, size_t *shared, cudaStream_t *stream)
{
    if (!thread.n)
        return false;
    thread.n--;
    *grid = thread.pending[thread.n].grid;
    *block = thread.pending[thread.n].block;
    *shared = thread.pending[thread.n].shared;
    *stream = thread.pending[thread.n].stream;
    return true;
}

/* With the size that was asked for and, where the device has one, its limit. */
static void note_refused(const struct __tern_entry_data *entry, dim3 grid, dim3 block,
                         size_t shared, cudaError_t e)
{
    const struct entry_state *s = entry->state;
    struct tern_device *d;
    const struct rt_kernel *k = NULL;
    char limit[RT_WHY] = "", why[RT_WHY + 256];
    if (s && cuda_current(&d) == cudaSuccess)
        k = __atomic_load_n(&s->kernels[d->ordinal], __ATOMIC_ACQUIRE);
    const struct dev_launch shape = {.grid = {grid.x, grid.y, grid.z},
                                     .block = {block.x, block.y, block.z},
                                     .shared = (uint32_t)shared};
    if (k)
        rt_check_launch(&d->info, k, &shape, limit);
    snprintf(why, sizeof why, "<<<(%u, %u, %u), (%u, %u, %u), %zu>>>: %s (%s)", grid.x, grid.y,
             grid.z, block.x, block.y, block.z, shared, *limit ? limit : cudaGetErrorString(e),
             cudaGetErrorName(e));
    cuda_launch_refused(s ? s->name : "a kernel", why);
}

void __tern_launch(struct __tern_entry_data *entry, void **args, const unsigned long *shapes,
                   unsigned long count)
{
    PROF_CALL("cudaLaunchKernel");
    if (thread.asking) {
        thread.answer = entry;
        return;
    }
    if (!thread.n) {
        cuda_return(cudaErrorMissingConfiguration);
        return;
    }
    int n = --thread.n;
    const cudaError_t e =
        launch(entry, thread.pending[n].grid, thread.pending[n].block, args, shapes, count,
               thread.pending[n].shared, thread.pending[n].stream, false);
    if (e == cudaErrorInvalidConfiguration || e == cudaErrorLaunchOutOfResources ||
        e == cudaErrorInvalidValue)
        note_refused(entry, thread.pending[n].grid, thread.pending[n].block,
                     thread.pending[n].shared, e);
    cuda_return(e);
}

/* Calls a kernel's stub whose parameters are not known. It needs no value of theirs, but a
 * sanitizer has it copy the classes that were passed by address: every argument is the address of
 * as many bytes as parameters may have. */
static void call_stub(const void *func)
{
    static char none[32768];
    void (*stub)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *,
                 void *, void *, void *, void *, void *, void *, void *, void *, void *, void *,
                 void *, void *, void *, void *);
    char *p = none;
    memcpy(&stub, &func, sizeof stub);
    stub(p, p, p, p, p, p, p, p, p, p, p, p, p, p, p, p, p, p, p, p, p, p, p, p);
}

#ifdef __linux__
static int holds_code(struct dl_phdr_info *object, size_t size, void *func)
{
    (void)size;
    for (unsigned k = 0; k < object->dlpi_phnum; k++) {
        const ElfW(Phdr) *p = &object->dlpi_phdr[k];
        const uintptr_t offset = (uintptr_t)func - object->dlpi_addr - p->p_vaddr;
        if (p->p_type == PT_LOAD && (p->p_flags & PF_X) && offset < p->p_memsz)
            return 1;
    }
    return 0;
}

/* Can it be called at all? Programs pass what is no function. */
static bool is_code(const void *func)
{
    return dl_iterate_phdr(holds_code, (void *)func) != 0;
}
#else
static bool is_code(const void *func)
{
    return func != NULL;
}
#endif

/* A tag is the name of a class inside of the stub: Z <stub> E 10__tern_tag, or 11__tern_tags, where
 * what has no C++ name stands with its length. */
static bool is_inside(const char *tag, const char *stub)
{
    char length[16] = "";
    size_t n = strcspn(stub, "."); /* gcc's clones have something behind one */
    if (*tag++ != 'Z')
        return false;
    if (!strncmp(stub, "_Z", 2)) {
        stub += 2;
        n -= 2;
    } else {
        snprintf(length, sizeof length, "%zu", n);
    }
    const size_t before = strlen(length);
    if (strncmp(tag, length, before) != 0 || strncmp(tag + before, stub, n) != 0)
        return false;
    const char *end = tag + before + n;
    return !strncmp(end, "E10__tern_tag", 13) || !strncmp(end, "E11__tern_tags", 14);
}

static bool take_entry(void *ctx, const char *name)
{
    struct __tern_entry_data **found = ctx;
    pthread_mutex_lock(&program.lock);
    for (struct unit_state *u = program.units; u && !*found; u = u->next)
        for (struct __tern_entry_data *e = u->entries; e && !*found; e = e->next)
            *found = is_inside(e->tag, name) ? e : NULL;
    pthread_mutex_unlock(&program.lock);
    return *found != NULL;
}

/* Which kernel a host function is the stub of. The linker's names tell; where the program was
 * stripped of them, the stub is called, and answers instead of launching. A function that has a
 * name and is no stub is not called: it would run. */
static struct __tern_entry_data *entry_of(const void *func)
{
    if (!func)
        return NULL;
    struct __tern_entry_data *entry = cuda_registered(func);
    if (entry || !is_code(func))
        return entry;
    bool named;
    if (!cuda_function_names(func, take_entry, &entry, &named)) {
        if (named)
            return NULL;
        thread.asking = true;
        thread.answer = NULL;
        call_stub(func);
        thread.asking = false;
        entry = thread.answer;
    }
    if (entry)
        cuda_remember_stub(entry, func);
    return entry;
}

/* What <<<>>> launches and graphs name a kernel by is its registration. */
static struct __tern_entry_data *registered(const void *func)
{
    struct __tern_entry_data *found = NULL;
    pthread_mutex_lock(&program.lock);
    for (struct unit_state *u = program.units; u && !found; u = u->next)
        for (struct __tern_entry_data *e = u->entries; e && !found; e = e->next)
            found = (const void *)e == func ? e : NULL;
    pthread_mutex_unlock(&program.lock);
    return found;
}

struct __tern_entry_data *cuda_entry_of(const void *func)
{
    struct __tern_entry_data *entry = registered(func);
    return entry ? entry : entry_of(func);
}

cudaError_t cuda_entry_kernel(struct tern_device *d, struct __tern_entry_data *entry,
                              const struct rt_kernel **k, struct rt_module **m)
{
    const cudaError_t e = kernel_of(d, entry, k);
    if (e != cudaSuccess)
        return e;
    const struct unit_state *u = entry->unit->state;
    const struct entry_state *s = entry->state;
    *m = u->modules[d->ordinal] ? u->modules[d->ordinal] : s->modules[d->ordinal];
    return cudaSuccess;
}

const char *cuda_entry_name(const struct __tern_entry_data *entry)
{
    const struct entry_state *s = entry->state;
    return s ? s->name : entry->tag;
}

/* A handle of the driver API: the function, on the device that it is for; *is: it is one. */
static cudaError_t driver_handle(const void *func, bool *is, const struct tern_kernel **out)
{
    struct tern_kernel *f = NULL;
    *out = cuda_is_function(func);
    *is = *out != NULL;
    if (*is)
        return cudaSuccess;
    const cudaError_t e = cuda_kernel_function(func, is, &f);
    *out = f;
    return e;
}

cudaError_t cuda_kernel_by_handle(const void *func, struct tern_device **d,
                                  const struct rt_kernel **k)
{
    const struct tern_kernel *f;
    bool is;
    struct __tern_entry_data *entry = cuda_registered(func);
    cudaError_t e = entry ? cudaSuccess : driver_handle(func, &is, &f);
    if (!entry && is) {
        if (e != cudaSuccess)
            return e;
        *d = f->module->device;
        *k = f->rt;
        return cudaSuccess;
    }
    if (!entry)
        entry = cuda_entry_of(func);
    if (!entry)
        return cudaErrorInvalidDeviceFunction;
    e = cuda_current(d);
    return e != cudaSuccess ? e : kernel_of(*d, entry, k);
}

/* What the driver API or cudaGetKernel gave, launched through the runtime API. */
static cudaError_t launch_handle(const struct tern_kernel *f, dim3 grid, dim3 block, void **args,
                                 size_t shared, cudaStream_t stream, bool cooperative)
{
    struct tern_stream *s;
    cudaError_t e = shared > UINT32_MAX ? cudaErrorInvalidValue : cuda_current_stream(stream, &s);
    if (e == cudaSuccess && s->device != f->module->device)
        e = cudaErrorInvalidResourceHandle;
    const struct dev_launch shape = {.grid = {grid.x, grid.y, grid.z},
                                     .block = {block.x, block.y, block.z},
                                     .shared = (uint32_t)shared,
                                     .cooperative = cooperative};
    return e != cudaSuccess ? e : cuda_submit_kernel(s, f->rt, (void *)f, &shape, args);
}

static cudaError_t launch_by_address(const void *func, dim3 grid, dim3 block, void **args,
                                     size_t shared, cudaStream_t stream, bool cooperative)
{
    struct __tern_entry_data *entry = cuda_registered(func);
    const struct tern_kernel *f;
    bool is;
    if (!entry) {
        const cudaError_t e = driver_handle(func, &is, &f);
        if (is)
            return e != cudaSuccess
                       ? e
                       : launch_handle(f, grid, block, args, shared, stream, cooperative);
        entry = cuda_entry_of(func);
    }
    return entry ? launch(entry, grid, block, args, NULL, 0, shared, stream, cooperative)
                 : cudaErrorInvalidDeviceFunction;
}

cudaError_t cudaLaunchKernel(const void *func, dim3 grid, dim3 block, void **args, size_t shared,
                             cudaStream_t stream)
{
    PROF_CALL(__func__);
    return cuda_return(launch_by_address(func, grid, block, args, shared, stream, false));
}

cudaError_t cudaLaunchCooperativeKernel(const void *func, dim3 grid, dim3 block, void **args,
                                        size_t shared, cudaStream_t stream)
{
    PROF_CALL(__func__);
    return cuda_return(launch_by_address(func, grid, block, args, shared, stream, true));
}

/* ---- attributes ---- */

void cuda_kernel_attributes(const struct tern_device *d, const struct rt_kernel *k,
                            struct cudaFuncAttributes *a)
{
    uint32_t threads = d->info.max_threads_per_block;
    const int version = (int)(k->arch ? k->arch : d->info.arch) / 10;
    *a = (struct cudaFuncAttributes){
        .sharedSizeBytes = k->static_shared,
        .maxThreadsPerBlock =
            (int)(k->max_threads && k->max_threads < threads ? k->max_threads : threads),
        .numRegs = 32,
        .ptxVersion = version,
        .binaryVersion = version,
        .maxDynamicSharedSizeBytes = (int)most_dynamic_shared(d, k),
        .preferredShmemCarveout = -1};
}

cudaError_t cuda_kernel_occupancy(struct tern_device *d, const struct rt_kernel *k,
                                  uint32_t threads, size_t shared, int *blocks)
{
    uint32_t n = 1;
    enum tern_error e = TERN_OK;
    const bool fits = threads <= d->info.max_threads_per_block &&
                      (!k->max_threads || threads <= k->max_threads) &&
                      shared + k->static_shared <= d->info.shared_per_block;
    if (fits && d->rt.driver->occupancy)
        e = d->rt.driver->occupancy(k->dev, threads, (uint32_t)shared, &n);
    *blocks = fits ? (int)n : 0;
    return cuda_from(e);
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *a, const void *func)
{
    PROF_CALL(__func__);
    struct tern_device *d;
    const struct rt_kernel *k;
    cudaError_t e = a ? cuda_kernel_by_handle(func, &d, &k) : cudaErrorInvalidValue;
    if (e == cudaSuccess)
        cuda_kernel_attributes(d, k, a);
    return cuda_return(e);
}

cudaError_t cudaFuncSetAttribute(const void *func, enum cudaFuncAttribute attribute, int value)
{
    PROF_CALL(__func__);
    struct tern_device *d;
    const struct rt_kernel *k;
    cudaError_t e = cuda_kernel_by_handle(func, &d, &k);
    if (e != cudaSuccess)
        return cuda_return(e);
    switch (attribute) {
    case cudaFuncAttributeMaxDynamicSharedMemorySize: e = cuda_allow_shared(d, k, value); break;
    case cudaFuncAttributePreferredSharedMemoryCarveout:
    case cudaFuncAttributeNonPortableClusterSizeAllowed:
    case cudaFuncAttributeClusterSchedulingPolicyPreference: break; /* preferences */
    case cudaFuncAttributeRequiredClusterWidth:
    case cudaFuncAttributeRequiredClusterHeight:
    case cudaFuncAttributeRequiredClusterDepth:
        rt_kernel_set_cluster(k, attribute - cudaFuncAttributeRequiredClusterWidth,
                              (uint32_t)value);
        break;
    default: e = cudaErrorInvalidValue; break;
    }
    return cuda_return(e);
}

cudaError_t cudaFuncSetCacheConfig(const void *func, enum cudaFuncCache config)
{
    PROF_CALL(__func__);
    struct tern_device *d;
    const struct rt_kernel *k;
    (void)config; /* a preference */
    return cuda_return(cuda_kernel_by_handle(func, &d, &k));
}

cudaError_t cudaFuncSetSharedMemConfig(const void *func, enum cudaSharedMemConfig config)
{
    PROF_CALL(__func__);
    struct tern_device *d;
    const struct rt_kernel *k;
    (void)config;
    return cuda_return(cuda_kernel_by_handle(func, &d, &k));
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *func,
                                                                   int threads, size_t shared,
                                                                   unsigned int flags)
{
    PROF_CALL(__func__);
    struct tern_device *d;
    const struct rt_kernel *k;
    (void)flags;
    if (!blocks || threads <= 0)
        return cuda_return(cudaErrorInvalidValue);
    cudaError_t e = cuda_kernel_by_handle(func, &d, &k);
    return cuda_return(
        e != cudaSuccess ? e : cuda_kernel_occupancy(d, k, (uint32_t)threads, shared, blocks));
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *func,
                                                          int threads, size_t shared)
{
    PROF_CALL(__func__);
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, func, threads, shared, 0);
}

/* ---- launches with attributes, clusters ---- */

void cuda_shape_set(struct dev_launch *shape, enum cudaLaunchAttributeID attribute,
                    const union cudaLaunchAttributeValue *value)
{
    switch (attribute) {
    case cudaLaunchAttributeCooperative: shape->cooperative = value->cooperative != 0; break;
    case cudaLaunchAttributeClusterDimension:
        shape->cluster[0] = value->clusterDim.x;
        shape->cluster[1] = value->clusterDim.y;
        shape->cluster[2] = value->clusterDim.z;
        break;
    case cudaLaunchAttributeProgrammaticStreamSerialization:
        shape->overlaps = value->programmaticStreamSerializationAllowed != 0;
        break;
    default: break; /* hints */
    }
}

void cuda_shape_get(const struct dev_launch *shape, enum cudaLaunchAttributeID attribute,
                    union cudaLaunchAttributeValue *value)
{
    memset(value, 0, sizeof *value);
    switch (attribute) {
    case cudaLaunchAttributeCooperative: value->cooperative = shape->cooperative; break;
    case cudaLaunchAttributeClusterDimension:
        value->clusterDim.x = shape->cluster[0];
        value->clusterDim.y = shape->cluster[1];
        value->clusterDim.z = shape->cluster[2];
        break;
    case cudaLaunchAttributeProgrammaticStreamSerialization:
        value->programmaticStreamSerializationAllowed = shape->overlaps;
        break;
    default: break;
    }
}

cudaError_t cuda_launch_shape(const cudaLaunchConfig_t *config, struct dev_launch *out)
{
    if (!config || (config->numAttrs && !config->attrs) || config->dynamicSmemBytes > UINT32_MAX)
        return cudaErrorInvalidValue;
    *out =
        (struct dev_launch){.grid = {config->gridDim.x, config->gridDim.y, config->gridDim.z},
                            .block = {config->blockDim.x, config->blockDim.y, config->blockDim.z},
                            .shared = (uint32_t)config->dynamicSmemBytes};
    for (unsigned n = 0; n < config->numAttrs; n++)
        cuda_shape_set(out, config->attrs[n].id, &config->attrs[n].val);
    return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, const void *func,
                                           const cudaLaunchConfig_t *config)
{
    PROF_CALL(__func__);
    struct tern_device *d;
    const struct rt_kernel *k;
    int blocks = 0;
    uint32_t size[3];
    char why[RT_WHY];
    struct dev_launch l;
    cudaError_t e = clusters ? cuda_launch_shape(config, &l) : cudaErrorInvalidValue;
    if (e == cudaSuccess)
        e = cuda_kernel_by_handle(func, &d, &k);
    if (e == cudaSuccess && rt_check_launch(&d->info, k, &l, why))
        e = cudaErrorInvalidValue;
    if (e == cudaSuccess)
        e = cuda_kernel_occupancy(d, k, l.block[0] * l.block[1] * l.block[2], l.shared, &blocks);
    if (e == cudaSuccess) {
        rt_cluster(k, &l, size);
        *clusters = (int)((uint32_t)blocks * d->info.units / (size[0] * size[1] * size[2]));
        *clusters += !*clusters; /* the launch was taken: one runs */
    }
    return cuda_return(e);
}

cudaError_t cudaOccupancyMaxPotentialClusterSize(int *size, const void *func,
                                                 const cudaLaunchConfig_t *config)
{
    PROF_CALL(__func__);
    struct tern_device *d;
    const struct rt_kernel *k;
    char why[RT_WHY];
    struct dev_launch l;
    cudaError_t e = size ? cuda_launch_shape(config, &l) : cudaErrorInvalidValue;
    if (e == cudaSuccess)
        e = cuda_kernel_by_handle(func, &d, &k);
    if (e != cudaSuccess)
        return cuda_return(e);
    *size = 1;
    for (uint32_t n = 8; n > 1 && *size == 1; n /= 2) { /* 8: what every such device promises */
        l.grid[0] = l.cluster[0] = n;
        l.grid[1] = l.grid[2] = l.cluster[1] = l.cluster[2] = 1;
        if (!rt_check_launch(&d->info, k, &l, why))
            *size = (int)n;
    }
    return cuda_return(cudaSuccess);
}
