/* The pass runner: a pass that breaks the module is named, whichever it is and whatever the target.
 */
#include <string.h>
#include "back/back.h"
#include "driver/pipeline.h"
#include "unit.h"

/* Something for most passes of most targets. */
static const char source[] =
    "__device__ double curve(double x, int n) { return n ? curve(x * 0.5, n - 1) + x / 3 : x; }\n"
    "__device__ float twice(float x) { return 2 * x; }\n"
    "__device__ float thrice(float x) { return 3 * x; }\n"
    "__device__ float (*const table[2])(float) = {twice, thrice};\n"
    "__global__ void loops(int n, const float *x, float *y)\n"
    "{\n"
    "    __shared__ float s[64];\n"
    "    float sum = 0;\n"
    "    for (int i = threadIdx.x; i < n; i += blockDim.x)\n"
    "        sum += __sinf(x[i]) / 7;\n"
    "    s[threadIdx.x & 63] = sum;\n"
    "    __syncthreads();\n"
    "    if (threadIdx.x < 32)\n"
    "        y[threadIdx.x] = s[threadIdx.x] + __shfl_xor_sync(0xffffffff, sum, 1);\n"
    "}\n"
    "__global__ void calls(double *x, float *y, unsigned char *z, int n)\n"
    "{\n"
    "    x[threadIdx.x] = curve(__dadd_ru(x[threadIdx.x], 1), n);\n"
    "    y[threadIdx.x] = table[n & 1](y[threadIdx.x]);\n"
    "    atomicAdd(x, 1.0);\n"
    "    z[threadIdx.x] = (unsigned char)__reduce_add_sync(0xffffffff, n);\n"
    "}\n"
    "__global__ void heap(unsigned char *z, int n)\n"
    "{\n"
    "    int *p = (int *)malloc(4 * n);\n"
    "    p[0] = n;\n"
    "    z[threadIdx.x] = (unsigned char)p[0];\n"
    "    free(p);\n"
    "}\n";

enum { MOST_NAMES = 128 };

struct watch {
    char names[MOST_NAMES][64]; /* of passes that ran, each once */
    size_t count;
    const char *spoil; /* break the module after this one; NULL: none */
    bool spoilt;
};

static void spoil(struct ir_module *m, struct ir_func *f)
{
    for (struct ir_func *each = m->first_func; !f && each; each = each->next)
        if (each->first)
            f = each;
    ir_remove(ir_terminator(f->first));
}

static void seen(void *ctx, const char *stage, const char *pass, struct ir_module *m,
                 struct ir_func *f)
{
    struct watch *w = ctx;
    char name[64];
    snprintf(name, sizeof name, "%s/%s", stage, pass);
    if (w->spoil && !w->spoilt && !strcmp(w->spoil, name)) {
        w->spoilt = true;
        spoil(m, f);
    }
    for (size_t k = 0; k < w->count; k++)
        if (!strcmp(w->names[k], name))
            return;
    if (w->count < MOST_NAMES)
        memcpy(w->names[w->count++], name, sizeof name);
}

static bool is_named(const struct diag *d, const char *name)
{
    char text[96];
    snprintf(text, sizeof text, "after pass '%s'", name);
    for (const struct diag_entry *e = d->first; e; e = e->next)
        if (strstr(e->message, text))
            return true;
    return false;
}

static enum tern_error compile(struct compilation *c, struct watch *w)
{
    struct compile_options o = {
        .path = "pass.cu", .level = 2, .verify_passes = true, .watch_passes = seen, .watch_ctx = w};
    return compile_source(c, &o, source, sizeof source - 1);
}

static bool has_heap(const struct back_target *t)
{
    const char *why;
    return t->supports(IR_OP_malloc, IR_PTR_TO(IR_SPACE_GENERIC), &why) != BACK_NO;
}

static enum tern_error emit(struct compilation *c, const struct ir_module *m,
                            const struct back_target *t, struct watch *w)
{
    struct sbuf out;
    enum tern_error e = compile_copy(c, m, 0);
    sbuf_init(&out, NULL);
    c->log.verify = true;
    c->log.watch = seen;
    c->log.watch_ctx = w;
    if (!e)
        e = compile_emit(c, t, &(struct back_options){.kernel = has_heap(t) ? NULL : "calls"},
                         &out);
    sbuf_free(&out);
    return e;
}

static void must_be_named(struct unit *u, enum tern_error e, const struct compilation *c,
                          const char *name)
{
    if (e != TERN_COMPILE || !is_named(&c->diag, name))
        unit_fail(u, __FILE__, __LINE__, "%s broke the module, and %s says: %s", name,
                  tern_error_name(e), c->diag.first ? c->diag.first->message : "nothing");
}

TEST_ONCE(pass_broken_ones_are_named)
{
    struct watch all = {0};
    struct compilation c, again;
    if (compile(&c, &all)) {
        unit_fail(u, __FILE__, __LINE__, "%s", c.diag.first ? c.diag.first->message : "refused");
        compile_free(&c);
        return;
    }
    CHECK(all.count > 15); /* those of the optimiser */
    for (size_t k = 0; k < all.count; k += unit_stride()) {
        struct watch one = {.spoil = all.names[k]};
        must_be_named(u, compile(&again, &one), &again, all.names[k]);
        compile_free(&again);
    }
    for (size_t t = 0; back_targets[t]; t++) {
        struct watch of_target = {0};
        char prefix[32];
        snprintf(prefix, sizeof prefix, "%s/", back_targets[t]->name);
        if (emit(&again, c.module, back_targets[t], &of_target))
            unit_fail(u, __FILE__, __LINE__, "%s: %s", back_targets[t]->name,
                      again.diag.first ? again.diag.first->message : "refused");
        compile_free(&again);
        CHECK(of_target.count > 3 && !strncmp(of_target.names[0], prefix, strlen(prefix)));
        for (size_t k = 0; k < of_target.count; k += unit_stride()) {
            struct watch one = {.spoil = of_target.names[k]};
            must_be_named(u, emit(&again, c.module, back_targets[t], &one), &again,
                          of_target.names[k]);
            compile_free(&again);
        }
    }
    compile_free(&c);
}
