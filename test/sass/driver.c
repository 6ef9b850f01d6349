/* The stand-in for libcuda with kernels that run: cubins are read as the driver reads them. */
#define cuModuleLoadData          standin_ModuleLoadData
#define cuModuleUnload            standin_ModuleUnload
#define cuModuleGetFunction       standin_ModuleGetFunction
#define cuModuleGetGlobal_v2      standin_ModuleGetGlobal
#define cuFuncSetAttribute        standin_FuncSetAttribute
#define cuFuncGetAttribute        standin_FuncGetAttribute
#define cuLaunchKernel            standin_LaunchKernel
#define cuLaunchCooperativeKernel standin_LaunchCooperative
#define cuLaunchKernelEx          standin_LaunchKernelEx
#define cuArray3DCreate_v2        standin_Array3DCreate
#define cuArrayDestroy            standin_ArrayDestroy
#define cuMipmappedArrayCreate    standin_MipmappedArrayCreate
#define cuMipmappedArrayGetLevel  standin_MipmappedArrayGetLevel
#define cuMipmappedArrayDestroy   standin_MipmappedArrayDestroy
#define cuMemcpy3DAsync_v2        standin_Memcpy3DAsync
#define cuTexObjectCreate         standin_TexObjectCreate
#define cuTexObjectDestroy        standin_TexObjectDestroy
#define cuSurfObjectCreate        standin_SurfObjectCreate
#define cuSurfObjectDestroy       standin_SurfObjectDestroy
#include "../cuda/standin.c"
#undef cuLaunchKernelEx
#undef cuArray3DCreate_v2
#undef cuArrayDestroy
#undef cuMipmappedArrayCreate
#undef cuMipmappedArrayGetLevel
#undef cuMipmappedArrayDestroy
#undef cuMemcpy3DAsync_v2
#undef cuTexObjectCreate
#undef cuTexObjectDestroy
#undef cuSurfObjectCreate
#undef cuSurfObjectDestroy
#undef cuModuleLoadData
#undef cuModuleUnload
#undef cuModuleGetFunction
#undef cuModuleGetGlobal_v2
#undef cuFuncSetAttribute
#undef cuFuncGetAttribute
#undef cuLaunchKernel
#undef cuLaunchCooperativeKernel
#include "sim.h"

struct loaded {
    uint8_t *file;
    uint8_t *sections[4096]; /* where each lies now */
    struct code *kernels;
    uint32_t nkernels;
    bool plain; /* what came of PTX: the stand-in's */
};

static uint64_t get(const uint8_t *p, unsigned n)
{
    uint64_t v = 0;
    memcpy(&v, p, n);
    return v;
}

struct shdr {
    const char *name;
    uint32_t type, link, info;
    uint64_t flags, offset, size;
};

static struct shdr header_of(const uint8_t *f, uint32_t k)
{
    const uint8_t *table = f + get(f + 0x28, 8), *h = table + 64 * k;
    const uint8_t *names = table + 64 * get(f + 0x3e, 2);
    return (struct shdr){(const char *)f + get(names + 24, 8) + get(h, 4),
                         (uint32_t)get(h + 4, 4),
                         (uint32_t)get(h + 40, 4),
                         (uint32_t)get(h + 44, 4),
                         get(h + 8, 8),
                         get(h + 24, 8),
                         get(h + 32, 8)};
}

static uint32_t sections_of(const uint8_t *f)
{
    return (uint32_t)get(f + 0x3c, 2);
}

static int find_section(const uint8_t *f, const char *a, const char *b)
{
    char name[512];
    snprintf(name, sizeof name, "%s%s", a, b);
    for (uint32_t k = 1; k < sections_of(f); k++)
        if (!strcmp(header_of(f, k).name, name))
            return (int)k;
    return -1;
}

static const uint8_t *symbol_at(const uint8_t *f, uint32_t n)
{
    return f + header_of(f, (uint32_t)find_section(f, ".symtab", "")).offset + 24 * n;
}

static const char *symbol_name(const uint8_t *f, const uint8_t *s)
{
    return (const char *)f + header_of(f, (uint32_t)find_section(f, ".strtab", "")).offset +
           get(s, 4);
}

static void relocate(struct loaded *m)
{
    const uint8_t *f = m->file;
    for (uint32_t k = 1; k < sections_of(f); k++) {
        struct shdr h = header_of(f, k);
        if (h.type != 4 && h.type != 9)
            continue;
        const uint64_t each = h.type == 4 ? 24 : 16;
        for (uint64_t at = 0; at < h.size; at += each) {
            const uint8_t *r = f + h.offset + at,
                          *s = symbol_at(f, (uint32_t)(get(r + 8, 8) >> 32));
            uint8_t *place = m->sections[h.info] + get(r, 8);
            uint64_t v = (uint64_t)(uintptr_t)m->sections[get(s + 6, 2)] + get(s + 8, 8) +
                         get(each == 24 ? r + 16 : place, 8);
            if (!get(s + 6, 2)) /* defined by the driver */
                v = sim_system(symbol_name(f, s));
            memcpy(place, &v, 8);
        }
    }
}

static void read_attributes(struct code *c, const uint8_t *p, uint64_t n)
{
    for (uint64_t at = 0; at + 4 <= n;) {
        unsigned form = p[at], what = p[at + 1];
        uint32_t size = form == 4 ? (uint32_t)get(p + at + 2, 2) : 0;
        const uint8_t *v = p + at + 4;
        if (form == 4 && (what == 0x17 || what == 0x45)) {
            uint32_t k = (uint32_t)get(v + 4, 2);
            c->params[k].offset = (uint32_t)get(v + 6, 2);
            c->params[k].bytes = (uint32_t)(what == 0x17 ? get(v + 8, 4) >> 18 : get(v + 8, 2));
            c->nparams = k + 1 > c->nparams ? k + 1 : c->nparams;
        }
        if (form == 4 && what == 0x0a)
            c->param_base = (uint32_t)get(v + 4, 2);
        for (unsigned k = 0; form == 4 && what == 0x3d && k < 3; k++)
            c->cluster[k] = (uint32_t)get(v + 4 * k, 4);
        at += 4 + size;
    }
}

static void read_registers(const struct loaded *m, struct code *c)
{
    struct shdr h = header_of(m->file, (uint32_t)find_section(m->file, ".nv.info", ""));
    const uint8_t *p = m->file + h.offset;
    for (uint64_t at = 0; at + 4 <= h.size; at += 4 + get(p + at + 2, 2)) {
        const char *name = symbol_name(m->file, symbol_at(m->file, (uint32_t)get(p + at + 4, 4)));
        if (strcmp(name, c->name))
            continue;
        if (p[at + 1] == 0x2f)
            c->registers = (uint32_t)get(p + at + 8, 4) - 2; /* two are the hardware's own */
        if (p[at + 1] == 0x11)
            c->frame = (uint32_t)get(p + at + 8, 4);
    }
}

static bool read_kernel(struct loaded *m, uint32_t section)
{
    const uint8_t *f = m->file;
    struct shdr h = header_of(f, section);
    struct code *c = &m->kernels[m->nkernels++];
    snprintf(c->name, sizeof c->name, "%s", h.name + 6);
    c->arch = (uint32_t)get(f + 0x30, 4) & 255;
    c->ninsts = (uint32_t)(h.size / 16);
    c->insts = calloc(c->ninsts, sizeof *c->insts);
    c->targets = calloc(c->ninsts, 4);
    for (uint32_t k = 0; k < c->ninsts; k++) {
        struct sass_word w = {get(f + h.offset + 16 * k, 8), get(f + h.offset + 16 * k + 8, 8)};
        if (!sass_decode(w, c->arch, 16 * k, &c->insts[k], &c->targets[k])) {
            fprintf(stderr, "simulator: %s: no instruction at %x: %016llx %016llx\n", c->name,
                    16 * k, (unsigned long long)w.low, (unsigned long long)w.high);
            return false;
        }
    }
    int info = find_section(f, ".nv.info.", c->name),
        shared = find_section(f, ".nv.shared.", c->name),
        four = find_section(f, ".nv.constant4", "");
    if (info >= 0)
        read_attributes(c, f + header_of(f, (uint32_t)info).offset,
                        header_of(f, (uint32_t)info).size);
    if (shared >= 0)
        c->shared = (uint32_t)header_of(f, (uint32_t)shared).size;
    if (four >= 0) {
        c->bank4 = m->sections[four];
        c->bank4_bytes = (uint32_t)header_of(f, (uint32_t)four).size;
    }
    int three = find_section(f, ".nv.constant3", "");
    if (three >= 0) {
        c->bank3 = m->sections[three];
        c->bank3_bytes = (uint32_t)header_of(f, (uint32_t)three).size;
    }
    read_registers(m, c);
    return true;
}

static int load_cubin(struct loaded *m, const uint8_t *f)
{
    uint64_t end = get(f + 0x28, 8) + 64 * (uint64_t)sections_of(f);
    m->file = malloc(end);
    memcpy(m->file, f, end);
    m->kernels = calloc(sections_of(f), sizeof *m->kernels);
    const unsigned arch = setting("STANDIN_MAJOR", 9) * 10 + setting("STANDIN_MINOR", 0);
    if (get(f + 0x30, 4) != (arch << 16 | 0x500 | arch))
        return 209;
    for (uint32_t k = 1; k < sections_of(f); k++) {
        struct shdr h = header_of(m->file, k);
        m->sections[k] = calloc(1, h.size + 1);
        if (h.type != 8)
            memcpy(m->sections[k], m->file + h.offset, h.size);
    }
    relocate(m);
    for (uint32_t k = 1; k < sections_of(f); k++)
        if (header_of(m->file, k).flags & 4 && !read_kernel(m, k))
            return 200;
    return 0;
}

static void unload(struct loaded *m)
{
    for (uint32_t k = 1; m->file && k < sections_of(m->file); k++)
        free(m->sections[k]);
    for (uint32_t k = 0; k < m->nkernels; k++) {
        free(m->kernels[k].insts);
        free(m->kernels[k].targets);
    }
    free(m->kernels);
    free(m->file);
}

int cuModuleLoadData(void **out, const void *image)
{
    NEED_CONTEXT;
    if (memcmp(image, "\177ELF", 4))
        return standin_ModuleLoadData(out, image);
    struct loaded *m = make(MODULE, sizeof *m);
    if (!m)
        return 2;
    int r = load_cubin(m, image);
    if (r) {
        unload(m);
        drop(m, MODULE);
        return r;
    }
    state.loads++;
    *out = m;
    return 0;
}

/* A module, or a kernel of it: the stand-in's of PTX are texts, kernels too. */
static bool is_cubin(const void *m)
{
    return strncmp(m, "cubin", 5) != 0 && strncmp(m, ".version", 8) != 0;
}

int cuModuleUnload(void *m)
{
    NEED_CONTEXT;
    if (is_cubin(m))
        unload(m);
    return drop(m, MODULE);
}

int cuModuleGetFunction(void **f, void *module, const char *name)
{
    NEED_CONTEXT;
    struct loaded *m = module;
    if (!is_cubin(m))
        return standin_ModuleGetFunction(f, module, name);
    for (uint32_t k = 0; k < m->nkernels; k++)
        if (!strcmp(m->kernels[k].name, name)) {
            *f = &m->kernels[k];
            return 0;
        }
    return 500;
}

int cuModuleGetGlobal_v2(ptr *p, size_t *bytes, void *module, const char *name)
{
    NEED_CONTEXT;
    struct loaded *m = module;
    if (!is_cubin(m))
        return standin_ModuleGetGlobal(p, bytes, module, name);
    struct shdr h = header_of(m->file, (uint32_t)find_section(m->file, ".symtab", ""));
    for (uint32_t k = 0; k < h.size / 24; k++) {
        const uint8_t *s = symbol_at(m->file, k);
        if ((s[4] & 15) == 1 && s[4] >> 4 && !strcmp(symbol_name(m->file, s), name)) {
            *p = (ptr)(uintptr_t)(m->sections[get(s + 6, 2)] + get(s + 8, 8));
            *bytes = get(s + 16, 8);
            return 0;
        }
    }
    return 500;
}

int cuFuncGetAttribute(int *v, int a, void *f)
{
    NEED_CONTEXT;
    const struct code *c = f;
    if (!is_cubin(f))
        return standin_FuncGetAttribute(v, a, f);
    const int each = (int)((c->registers + 7) / 8 * 8), warps = each ? 2048 / each : 32;
    *v = a == 4   ? (int)c->registers
         : a == 0 ? warps < 32 ? warps * 32 : 1024
         : a == 1 ? (int)c->shared
                  : 0;
    return 0;
}

int cuFuncSetAttribute(void *f, int a, int v)
{
    NEED_CONTEXT;
    (void)a, (void)f;
    return v <= 232448 ? 0 : 1;
}

/* Clusters: as the launch says, else as the kernel does; NULL: none. */
static int launch_in(void *f, const uint32_t grid[3], const uint32_t dim[3],
                     const uint32_t *cluster, unsigned shared, void **p, bool at_once)
{
    NEED_CONTEXT;
    char why[500];
    const uint32_t threads = dim[0] * dim[1] * dim[2];
    if (!is_cubin(f)) {
        fprintf(stderr, "simulator: a kernel that came of PTX\n");
        return 98;
    }
    if (!grid[0] || !grid[1] || !grid[2] || threads > 1024)
        return 1;
    const struct code *c = f;
    if (c->registers * ((threads + 31) / 32 * 32) > 65536)
        return 701;
    if (!cluster && c->cluster[0])
        cluster = c->cluster;
    for (unsigned k = 0; cluster && k < 3; k++)
        if (!cluster[k] || grid[k] % cluster[k])
            return 1;
    if (sim_launch(c, grid, dim, cluster, shared, p, at_once, why, sizeof why))
        return 0;
    fprintf(stderr, "%s%s\n", strstr(why, "Assertion") ? "" : "simulator: ", why);
    return strstr(why, "Assertion") ? 710 : 719;
}

static int launch(void *f, const uint32_t grid[3], const uint32_t dim[3], unsigned shared, void **p,
                  bool at_once)
{
    return launch_in(f, grid, dim, NULL, shared, p, at_once);
}

struct launch_config { /* as the driver's header has it */
    uint32_t grid[3], block[3], shared;
    void *stream;
    const struct {
        int id, pad;
        union {
            uint32_t cluster[3];
            char size[64];
        } value;
    } * attributes;
    uint32_t count;
};
enum { COOPERATIVE = 2, CLUSTER = 4 };

int cuLaunchKernelEx(const struct launch_config *l, void *f, void **p, void **x)
{
    const uint32_t *cluster = NULL;
    bool at_once = false;
    (void)x;
    for (unsigned k = 0; k < l->count; k++) {
        if (l->attributes[k].id == CLUSTER)
            cluster = l->attributes[k].value.cluster;
        at_once |= l->attributes[k].id == COOPERATIVE;
    }
    return launch_in(f, l->grid, l->block, cluster, l->shared, p, at_once);
}

int cuLaunchKernel(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                   unsigned bz, unsigned sh, void *s, void **p, void **x)
{
    (void)s, (void)x;
    return launch(f, (uint32_t[]){gx, gy, gz}, (uint32_t[]){bx, by, bz}, sh, p, false);
}

int cuLaunchCooperativeKernel(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                              unsigned by, unsigned bz, unsigned sh, void *s, void **p)
{
    enum { MOST_BLOCKS = 256 };
    (void)s;
    if (gx * gy * gz > MOST_BLOCKS)
        return 720;
    return launch(f, (uint32_t[]){gx, gy, gz}, (uint32_t[]){bx, by, bz}, sh, p, true);
}
