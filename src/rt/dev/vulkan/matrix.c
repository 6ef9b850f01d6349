/* Cooperative matrices: which of the types that the SPIR-V target multiplies by them the device
 * has, and whether they lie in lanes as mma.def says, which Vulkan leaves to it. That is found out
 * by products on the device itself, by matrices and by plain arithmetic, when the first module with
 * such products is loaded. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "rt/dev/vulkan/vulkan_int.h"

enum { ROWS = 16, SUBGROUP = 3, MOST = 256 };

/* ---- what the driver offers ---- */

/* Shapes behind each feature: all are needed. Of bf16 NVIDIA names twice the columns alone, and its
 * compiler takes half of them as it does of f16; whether they are right is tried as well. */
#define FEATURE(name) offsetof(struct spirv_features, name)
static const struct need {
    size_t feature;
    uint32_t n, k, in, sum;
} needs[] = {
    {FEATURE(matrix_f16), 8, 16, VK_COMPONENT_F16, VK_COMPONENT_F32},
    {FEATURE(matrix_f16), 8, 16, VK_COMPONENT_F16, VK_COMPONENT_F16},
    {FEATURE(matrix_bf16), 8, 16, VK_COMPONENT_F16, VK_COMPONENT_F32},
    {FEATURE(matrix_bf16), 16, 16, VK_COMPONENT_BF16, VK_COMPONENT_F32},
    {FEATURE(matrix_i8), 8, 32, VK_COMPONENT_S8, VK_COMPONENT_S32},
    {FEATURE(matrix_i8), 8, 32, VK_COMPONENT_U8, VK_COMPONENT_U32},
};
enum { NEEDS = sizeof needs / sizeof *needs };

static bool *feature_of(struct spirv_features *f, size_t offset)
{
    return (bool *)((char *)f + offset);
}

static bool offers(const struct vk_matrix *all, uint32_t n, const struct need *w)
{
    for (uint32_t k = 0; k < n; k++)
        if (all[k].m == ROWS && all[k].n == w->n && all[k].k == w->k && all[k].a == w->in &&
            all[k].b == w->in && all[k].c == w->sum && all[k].d == w->sum &&
            all[k].scope == SUBGROUP)
            return true;
    return false;
}

void vk_find_matrices(const struct vk_functions *fn, vk_physical p, struct spirv_features *f)
{
    struct vk_matrix all[MOST];
    uint32_t n = MOST;
    for (size_t k = 0; k < MOST; k++)
        all[k] = (struct vk_matrix){.type = VK_TYPE_MATRIX_PROPERTIES};
    if (!fn->GetPhysicalDeviceCooperativeMatrixPropertiesKHR ||
        fn->GetPhysicalDeviceCooperativeMatrixPropertiesKHR(p, &n, all) < 0)
        n = 0;
    for (size_t k = 0; k < NEEDS; k++)
        *feature_of(f, needs[k].feature) &= offers(all, n, &needs[k]);
}

/* ---- where their elements lie ---- */

/* Products whose elements are small whole numbers: sums are the same in any order. Elements of a
 * random word are `(word & mask) + base`: 1, 2, -1 or -2; of integers, anything. */
enum mma {
#define IR_MMA(name, text, m, n, k, in, acc, na, nb, nc, sm) MMA_##name,
#include "ir/mma.def"
};
static const struct trial {
    size_t feature;
    enum mma mma;
    uint32_t mask, base;
    unsigned factors, sums; /* registers */
    const char *type;       /* of the sums' */
} trials[] = {
    {FEATURE(matrix_f16), MMA_M16N8K16_F32_F16, 0x84008400, 0x3c003c00, 6, 4, "f32"},
    {FEATURE(matrix_f16), MMA_M16N8K16_F16_F16, 0x84008400, 0x3c003c00, 6, 2, "i32"},
    {FEATURE(matrix_bf16), MMA_M16N8K16_F32_BF16, 0x80808080, 0x3f803f80, 6, 4, "f32"},
    {FEATURE(matrix_i8), MMA_M16N8K32_S32_S8, UINT32_MAX, 0, 6, 4, "i32"},
    {FEATURE(matrix_i8), MMA_M16N8K32_S32_U8, UINT32_MAX, 0, 6, 4, "i32"},
};
enum { TRIALS = sizeof trials / sizeof *trials, LANES = 64 /* two warps */ };

/* A kernel that multiplies matrices of random registers, four times round a loop, and stores the
 * sums' of each lane. */
static void write_trial(struct sbuf *s, const struct trial *t, size_t number)
{
    const unsigned all = t->factors + t->sums;
    sbuf_printf(s, "kernel @trial%zu(%%d: ptr.generic) {\nentry:\n  %%l = sreg.i32 [tid.x]\n",
                number);
    for (unsigned r = 0; r < all; r++) {
        const bool real = r >= t->factors && !strcmp(t->type, "f32");
        sbuf_printf(s,
                    "  %%a%u = mul.i32 %%l, 747796405\n  %%b%u = add.i32 %%a%u, %u\n"
                    "  %%c%u = lshr.i32 %%b%u, 15\n  %%e%u = xor.i32 %%b%u, %%c%u\n"
                    "  %%f%u = mul.i32 %%e%u, 2146121005\n  %%g%u = lshr.i32 %%f%u, 13\n"
                    "  %%h%u = xor.i32 %%f%u, %%g%u\n",
                    r, r, r, (r + 1) * 2891336453u, r, r, r, r, r, r, r, r, r, r, r, r);
        if (real)
            sbuf_printf(s, "  %%i%u = and.i32 %%h%u, 15\n  %%r%u = sitof.f32 %%i%u\n", r, r, r, r);
        else
            sbuf_printf(s, "  %%i%u = and.i32 %%h%u, %u\n  %%r%u = add.i32 %%i%u, %u\n", r, r,
                        t->mask, r, r, t->base);
    }
    sbuf_printf(s, "  %%t = sreg.i32 [ntid.x]\n  %%end = lshr.i32 %%t, 4\n  br loop(i32 0");
    for (unsigned r = t->factors; r < all; r++)
        sbuf_printf(s, ", %%r%u", r);
    sbuf_printf(s, ")\nloop(%%n: i32");
    for (unsigned r = 0; r < t->sums; r++)
        sbuf_printf(s, ", %%x%u: %s", r, t->type);
    sbuf_printf(s, "):\n  ");
    for (unsigned r = 0; r < t->sums; r++)
        sbuf_printf(s, "%s%%s%u: %s", r ? ", " : "", r, t->type);
    sbuf_printf(s, " = mma [imm %u]", (unsigned)t->mma);
    for (unsigned r = 0; r < t->factors; r++)
        sbuf_printf(s, " %%r%u,", r);
    for (unsigned r = 0; r < t->sums; r++)
        sbuf_printf(s, "%s%%x%u", r ? ", " : " ", r);
    sbuf_printf(
        s, "\n  %%m = add.i32 %%n, 1\n  %%more = slt.i32 %%m, %%end\n  condbr %%more, loop(%%m");
    for (unsigned r = 0; r < t->sums; r++)
        sbuf_printf(s, ", %%s%u", r);
    sbuf_printf(s, "), done\ndone:\n");
    sbuf_printf(s,
                "  %%w = zext.i64 %%l\n  %%o = mul.i64 %%w, %u\n"
                "  %%p0 = ptradd.ptr.generic %%d, %%o\n",
                4 * t->sums);
    for (unsigned r = 0; r < t->sums; r++)
        sbuf_printf(s, "  store.%s %%p%u, %%s%u\n  %%p%u = ptradd.ptr.generic %%p%u, 4\n", t->type,
                    r, r, r + 1, r);
    sbuf_printf(s, "  ret\n}\n");
}

struct run { /* one way to do the products */
    struct dev_module *module;
    uint32_t sums[TRIALS][LANES * 4];
};

static enum tern_error launch(struct dev *d, struct dev_queue *q, struct run *r, dev_ptr out,
                              size_t number)
{
    char name[16];
    struct dev_kernel *k;
    const struct dev_launch l = {
        .grid = {1, 1, 1}, .block = {LANES, 1, 1}, .params = &out, .param_bytes = sizeof out};
    snprintf(name, sizeof name, "trial%zu", number);
    enum tern_error e = vk_kernel(r->module, name, &k);
    if (!e)
        e = vk_launch(d, q, k, &l);
    if (!e)
        e = vk_copy_out(d, q, r->sums[number], out, sizeof r->sums[number]);
    return e ? e : vk_queue_wait(q);
}

/* Does all trials whose features are there. */
static enum tern_error run(struct dev *d, const struct ir_module *m, const struct spirv_features *f,
                           bool wanted[TRIALS], struct run *r)
{
    struct compilation messages;
    struct dev_queue *q = NULL;
    dev_ptr out = 0;
    compile_copy(&messages, m, 0); /* for its diagnostics only */
    enum tern_error e = vk_load_with(d, m, f, &messages.diag, &r->module);
    if (!e)
        e = vk_alloc(d, sizeof r->sums[0], 16, "a trial of matrices", &out);
    if (!e)
        e = vk_queue_new(d, &q);
    for (size_t k = 0; k < TRIALS && !e; k++)
        if (wanted[k])
            e = launch(d, q, r, out, k);
    if (q)
        vk_queue_free(q);
    if (out)
        vk_free(d, out);
    vk_unload(d, r->module);
    compile_free(&messages);
    return e;
}

/* Drops the features whose products are not what arithmetic makes of them. */
static void try_all(struct dev *d)
{
    struct spirv_features without = d->features;
    struct compilation c;
    struct compile_options o = {.path = "matrices.ir", .language = SOURCE_IR};
    struct sbuf text;
    struct run *runs = calloc(2, sizeof *runs);
    bool wanted[TRIALS];
    sbuf_init(&text, NULL);
    for (size_t k = 0; k < TRIALS; k++) {
        wanted[k] = *feature_of(&d->features, trials[k].feature);
        write_trial(&text, &trials[k], k);
    }
    for (size_t k = 0; k < TRIALS; k++)
        *feature_of(&without, trials[k].feature) = false;
    enum tern_error e = runs ? compile_source(&c, &o, text.data, text.len) : TERN_OUT_OF_MEMORY;
    if (!e)
        e = run(d, c.module, &d->features, wanted, &runs[0]);
    if (!e)
        e = run(d, c.module, &without, wanted, &runs[1]);
    for (size_t k = 0; k < TRIALS; k++) {
        const bool same = !e && !memcmp(runs[0].sums[k], runs[1].sums[k], sizeof runs->sums[k]);
        if (wanted[k] && !same)
            report_note(&d->host.reports, "vulkan: matrices are not used for %s",
                        trials[k].feature == trials[0].feature ? "f16" : "other types");
        *feature_of(&d->features, trials[k].feature) &= same;
    }
    if (runs)
        compile_free(&c);
    sbuf_free(&text);
    free(runs);
}

static bool multiplies(const struct ir_module *m)
{
    ir_each_func (f, m)
        ir_each_block (b, f)
            for (const struct ir_inst *i = b->first; i; i = i->next)
                if (i->op == IR_OP_mma)
                    return true;
    return false;
}

static bool has_matrices(const struct spirv_features *f)
{
    return f->matrix_f16 || f->matrix_bf16 || f->matrix_i8;
}

void vk_learn_matrices(struct dev *d, const struct ir_module *m)
{
    if (!has_matrices(&d->features) || !multiplies(m))
        return;
    pthread_mutex_lock(&d->learning);
    if (!d->learnt)
        try_all(d);
    d->learnt = true;
    pthread_mutex_unlock(&d->learning);
}
