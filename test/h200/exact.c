/* Bit for bit: what kernels compute on a device, against the definition.
 *
 *   exact DEVICE ops            every elementwise operation, type, rounding mode and ftz, on
 * special and random operands, against ir_eval exact DEVICE random N       N random modules,
 * optimised, against the interpreter NaNs are equal to each other, as ops.def leaves open which one
 * comes out of arithmetic. Prints PASS and FAIL lines. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "opt/opt.h"
#include "rt/rt.h"

enum { CASES = 4096, STRIDE = 32 };

static const ir_type types[] = {IR_I1,  IR_I8,   IR_I16, IR_I32, IR_I64,
                                IR_F16, IR_BF16, IR_F32, IR_F64};
enum { NTYPES = sizeof types / sizeof *types };

struct world {
    struct mem mem;
    jmp_buf unwind;
    struct arena a;
    struct interner names;
    struct source_map sources;
    struct diag d;
};

static void begin(struct world *w)
{
    memset(w, 0, sizeof *w);
    w->mem.unwind = &w->unwind;
    arena_init(&w->a, &w->mem);
    intern_init(&w->names, &w->a);
    source_init(&w->sources, &w->a);
    diag_init(&w->d, &w->a, &w->sources);
}

static uint64_t next(uint64_t *s)
{
    *s = *s * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    uint64_t x = *s ^ *s >> 29;
    return x * UINT64_C(0xbf58476d1ce4e5b9) ^ x >> 32;
}

/* Numbers with a story: zeros, ones, limits, powers of two, subnormals, infinities, NaN. */
static uint64_t special(ir_type t, uint64_t r)
{
    static const double floats[] = {
        0,       -0.0,   1,     -1,     0.5,    1.5,          2.5,          -2.5,         3,
        100,     1e-3,   65504, 65520,  1e10,   -1e10,        1e30,         1e-30,        3.4e38,
        1e39,    1e-40,  1e-45, 1e300,  1e-310, 2147483647.0, 2147483648.0, 4294967295.0, 9.3e18,
        -9.3e18, 1.9e19, 127.5, -128.5, 255.5};
    static const uint64_t ints[] = {0,          1,
                                    2,          3,
                                    7,          8,
                                    15,         16,
                                    31,         32,
                                    33,         63,
                                    64,         65,
                                    127,        128,
                                    255,        256,
                                    32767,      32768,
                                    65535,      65536,
                                    0x7fffffff, 0x80000000,
                                    0xffffffff, UINT64_C(1) << 32,
                                    INT64_MAX,  UINT64_C(1) << 63,
                                    UINT64_MAX, 0x01010101,
                                    0xdeadbeef, UINT64_MAX - 1};
    double v = floats[r % 32];
    uint64_t bits = ints[r % 32];
    if (ir_class(t) == IR_CLASS_FLOAT) {
        if (r >> 8 & 1) { /* infinities and NaN */
            static const uint64_t f[4][3] = {
                {0x7c00, 0xfc00, 0x7e00},
                {0x7f80, 0xff80, 0x7fc0},
                {0x7f800000, 0xff800000, 0x7fc00000},
                {UINT64_C(0x7ff0) << 48, UINT64_C(0xfff0) << 48, UINT64_C(0x7ff8) << 48}};
            unsigned row = t == IR_F16 ? 0 : t == IR_BF16 ? 1 : t == IR_F32 ? 2 : 3;
            return f[row][(r >> 9) % 3];
        }
        uint64_t in, out = 0;
        memcpy(&in, &v, 8);
        if (t == IR_F64)
            return in;
        ir_eval(IR_OP_fcvt, t, IR_F64, 0, &in, &out);
        return out;
    }
    return ir_bits(t) == 64 ? bits : bits & ((UINT64_C(1) << ir_bits(t)) - 1);
}

static uint64_t operand(ir_type t, uint64_t *s)
{
    uint64_t r = next(s);
    if (r & 1)
        return special(t, r >> 1);
    uint64_t v = next(s);
    if (ir_class(t) == IR_CLASS_INT && r & 2)
        v &= 0xff;
    return ir_bits(t) == 64 ? v : v & ((UINT64_C(1) << ir_bits(t)) - 1);
}

struct trial {
    enum ir_op op;
    ir_type type, source;
    uint32_t flags, nargs;
    char name[48];
};

static uint32_t arguments(enum ir_op op)
{
    switch (ir_op_info[op].shape) {
    case IR_SHAPE_I1:
    case IR_SHAPE_F1:
    case IR_SHAPE_CV: return 1;
    case IR_SHAPE_I3:
    case IR_SHAPE_F3: return 3;
    case IR_SHAPE_XX: return 0;
    default: return 2;
    }
}

static void kernel_for(struct ir_module *m, const struct trial *t)
{
    struct ir_func *f = ir_func_new(m, intern_z(m->names, t->name), IR_VOID, IR_FUNC_KERNEL);
    ir_type g = IR_PTR_TO(IR_SPACE_GLOBAL);
    ir_func_param(f, "in", g, 0, 0, 0);
    ir_func_param(f, "out", g, 0, 0, 0);
    ir_func_layout(f);
    struct ir_block *b = ir_block_new(f, "entry");
    struct ir_builder at = ir_builder_at_end(b);
    struct ir_value *tid = ir_build0(&at, IR_OP_sreg, IR_I32, IR_SREG_TID_X);
    struct ir_value *cta = ir_build0(&at, IR_OP_sreg, IR_I32, IR_SREG_CTAID_X);
    struct ir_value *i =
        ir_build2(&at, IR_OP_add, IR_I32,
                  ir_build2(&at, IR_OP_mul, IR_I32, cta, ir_const(m, IR_I32, 256)), tid);
    struct ir_value *w = ir_build1(&at, IR_OP_zext, IR_I64, i);
    struct ir_value *p =
        ir_build2(&at, IR_OP_ptradd, g, b->params.data[0],
                  ir_build2(&at, IR_OP_mul, IR_I64, w, ir_const(m, IR_I64, STRIDE)));
    struct ir_value *q = ir_build2(&at, IR_OP_ptradd, g, b->params.data[1],
                                   ir_build2(&at, IR_OP_mul, IR_I64, w, ir_const(m, IR_I64, 8)));
    struct ir_value *args[3] = {0};
    for (uint32_t k = 0; k < t->nargs; k++) {
        struct ir_value *a =
            ir_build2(&at, IR_OP_ptradd, g, p, ir_const(m, IR_I64, UINT64_C(8) * k));
        args[k] = ir_build_load(&at, t->source, a, ir_bytes(t->source), 0);
    }
    struct ir_value *r =
        ir_build_flags(&at, t->op, t->type, t->flags, t->nargs, args[0], args[1], args[2]);
    ir_build_store(&at, q, r, ir_bytes(r->type), 0);
    ir_build_ret(&at, NULL);
}

static bool is_nan(ir_type t, uint64_t v)
{
    switch (ir_kind(t)) {
    case IR_F16: return (v & 0x7fff) > 0x7c00;
    case IR_BF16: return (v & 0x7fff) > 0x7f80;
    case IR_F32: return (v & 0x7fffffff) > 0x7f800000;
    case IR_F64: return (v & INT64_MAX) > UINT64_C(0x7ff) << 52;
    default: return false;
    }
}

static bool defined(const struct trial *t)
{
    uint64_t args[3] = {0}, out;
    return ir_eval(t->op, t->type, t->source, t->flags, args, &out);
}

/* One trial's results against ir_eval; prints what differs first. */
static bool judge(const struct trial *t, const uint8_t *in, const uint8_t *out)
{
    bool compares =
        ir_op_info[t->op].shape == IR_SHAPE_IC || ir_op_info[t->op].shape == IR_SHAPE_FC;
    ir_type r = compares ? IR_I1 : t->type;
    bool moves = t->op == IR_OP_fneg || t->op == IR_OP_fabs || t->op == IR_OP_fcopysign ||
                 t->op == IR_OP_bitcast;
    for (uint32_t k = 0; k < CASES; k++) {
        uint64_t args[3] = {0}, want, got = 0;
        for (uint32_t n = 0; n < t->nargs; n++)
            memcpy(&args[n], in + k * STRIDE + 8 * n, ir_bytes(t->source));
        memcpy(&got, out + k * 8, ir_bytes(r));
        ir_eval(t->op, t->type, t->source, t->flags, args, &want);
        if (want == got || (!moves && is_nan(r, want) && is_nan(r, got)))
            continue;
        printf("FAIL %s: (%llx, %llx, %llx) gives %llx, not %llx\n", t->name,
               (unsigned long long)args[0], (unsigned long long)args[1],
               (unsigned long long)args[2], (unsigned long long)got, (unsigned long long)want);
        return false;
    }
    return true;
}

static void add_trials(struct arena *a, struct trial **list, size_t *n, enum ir_op op)
{
    const struct ir_op_info *info = &ir_op_info[op];
    uint32_t nargs = arguments(op);
    if (!nargs || !(info->flags & IR_PURE))
        return;
    bool conversion = info->shape == IR_SHAPE_CV;
    for (unsigned k = 0; k < NTYPES; k++) {
        unsigned class = info->class;
        bool fits = class == IR_CLASS_W   ? types[k] == IR_I32
                    : class == IR_CLASS_L ? types[k] == IR_I64
                                          : (class & ir_class(types[k])) != 0;
        if (!fits || op == IR_OP_ptrtoint || op == IR_OP_inttoptr)
            continue;
        for (unsigned j = 0; j < (conversion ? (unsigned)NTYPES : 1u); j++) {
            ir_type from = conversion ? types[j] : types[k];
            unsigned fb = ir_bits(from), tb = ir_bits(types[k]);
            bool fi = ir_class(from) == IR_CLASS_INT;
            if (conversion && !(op == IR_OP_trunc                        ? fi && fb > tb
                                : op == IR_OP_zext || op == IR_OP_sext   ? fi && fb < tb
                                : op == IR_OP_fcvt                       ? !fi && from != types[k]
                                : op == IR_OP_ftosi || op == IR_OP_ftoui ? !fi
                                : op == IR_OP_sitof || op == IR_OP_uitof ? fi
                                : op == IR_OP_bitcast ? fb == tb && from != types[k]
                                                      : false))
                continue;
            for (uint32_t mode = 0; mode < 8; mode++) {
                uint32_t flags = mode & 3u;
                if (mode & 4) {
                    if (!(info->flags & IR_FLUSHES) || (types[k] != IR_F32 && from != IR_F32))
                        continue;
                    flags |= IR_FTZ;
                }
                if (flags & IR_ROUND_MASK && !(info->flags & IR_ROUNDS))
                    continue;
                bool up_or_down = (mode & 3) >= 2;
                if (up_or_down && (types[k] == IR_BF16 || from == IR_BF16))
                    continue; /* refused */
                struct trial t = {op, types[k], from, flags, nargs, ""};
                char tn[32], fn[32];
                snprintf(t.name, sizeof t.name, "%s_%s_%s_%u", info->name,
                         ir_type_name(types[k], tn), ir_type_name(from, fn), mode);
                if (!defined(&t))
                    continue;
                *list = arena_grow(a, *list, *n * sizeof **list, (*n + 1) * sizeof **list);
                (*list)[(*n)++] = t;
            }
        }
    }
}

static int all_ops(struct world *w, struct rt_device *dev)
{
    size_t ntrials = 0, wrong = 0;
    struct trial *trials = NULL;
    for (unsigned op = 0; op < IR_OP_COUNT; op++)
        add_trials(&w->a, &trials, &ntrials, (enum ir_op)op);
    struct ir_module *m = ir_module_new(&w->a, &w->names, "exact");
    for (size_t k = 0; k < ntrials; k++)
        kernel_for(m, &trials[k]);
    struct dev_module *code;
    if (!ir_verify(m, &w->d, NULL) || dev->driver->load(dev->dev, m, &w->d, &code) != TERN_OK) {
        struct sbuf s;
        sbuf_init(&s, &w->a);
        diag_render_text(&w->d, &s, false);
        printf("%.2000s\nFAIL ops: the module does not load\n", s.data);
        return 1;
    }
    uint8_t *in = calloc(CASES, STRIDE), *out = calloc(CASES, 8);
    dev_ptr din, dout;
    if (!in || !out || dev->driver->alloc(dev->dev, CASES * STRIDE, 16, "in", &din) ||
        dev->driver->alloc(dev->dev, CASES * 8, 16, "out", &dout))
        return 2;
    for (size_t k = 0; k < ntrials; k++) {
        uint64_t seed = k + 1;
        for (uint32_t c = 0; c < CASES; c++)
            for (uint32_t n = 0; n < 3; n++) {
                uint64_t v = operand(trials[k].source, &seed);
                memcpy(in + c * STRIDE + 8 * n, &v, 8);
            }
        struct dev_kernel *kernel;
        struct {
            dev_ptr in, out;
        } params = {din, dout};
        struct dev_launch l = {.grid = {CASES / 256, 1, 1},
                               .block = {256, 1, 1},
                               .params = &params,
                               .param_bytes = 16};
        enum tern_error e = dev->driver->kernel(code, trials[k].name, &kernel);
        if (!e)
            e = rt_upload(dev, din, in, CASES * STRIDE);
        if (!e)
            e = rt_run(dev, kernel, &l);
        if (!e)
            e = rt_download(dev, out, dout, CASES * 8);
        if (e) {
            printf("FAIL %s: %s\n", trials[k].name, tern_error_name(e));
            wrong++;
        } else {
            wrong += !judge(&trials[k], in, out);
        }
    }
    printf("%s exact_ops: %zu operations by type and mode, %d cases each, %zu differ\n",
           wrong ? "FAIL" : "PASS", ntrials, CASES, wrong);
    return 0;
}

/* ---- random modules ---- */
enum { WORDS = 256 };

static enum tern_error run_random(struct rt_device *dev, struct ir_module *m, struct diag *d,
                                  uint32_t *words)
{
    struct dev_module *code = NULL;
    struct dev_kernel *k;
    dev_ptr in = 0, out = 0;
    uint32_t data[WORDS];
    enum tern_error e = dev->driver->load(dev->dev, m, d, &code);
    if (!e)
        e = dev->driver->alloc(dev->dev, sizeof data, 16, "in", &in);
    if (!e)
        e = dev->driver->alloc(dev->dev, sizeof data, 16, "out", &out);
    if (!e) {
        for (uint32_t i = 0; i < WORDS; i++)
            data[i] = i * 2654435761u ^ i << 7;
        e = rt_upload(dev, in, data, sizeof data);
        memset(data, 0, sizeof data);
        if (!e)
            e = rt_upload(dev, out, data, sizeof data);
    }
    if (!e)
        e = dev->driver->kernel(code, "k", &k);
    if (!e) {
        struct {
            dev_ptr in, out;
            uint32_t n;
        } params = {in, out, WORDS};
        struct dev_launch l = {
            .grid = {2, 1, 1}, .block = {64, 1, 1}, .params = &params, .param_bytes = 20};
        e = rt_run(dev, k, &l);
    }
    if (!e)
        e = rt_download(dev, words, out, WORDS * 4);
    if (in)
        dev->driver->free(dev->dev, in);
    if (out)
        dev->driver->free(dev->dev, out);
    if (code)
        dev->driver->unload(dev->dev, code);
    return e;
}

/* Do device and reference agree on the module of this seed? */
static bool random_module(struct world *w, struct rt_device *dev, struct rt_device *reference,
                          unsigned seed)
{
    uint32_t want[WORDS] = {0}, got[WORDS] = {0};
    struct ir_random_options o = {.seed = seed,
                                  .size = 40 + seed % 5 * 40,
                                  .memory = seed % 2,
                                  .divergence = seed % 3 != 0,
                                  .barriers = seed % 7 != 0,
                                  .warp_ops = seed % 4 == 1,
                                  .floats = seed % 5 != 0};
    struct ir_module *m = ir_random(&w->a, &w->names, &o);
    enum tern_error a = run_random(reference, m, &w->d, want);
    struct opt_options oo = {.level = seed % 3};
    struct passes p = {.arena = &w->a, .module = m, .diag = &w->d, .stage = "opt"};
    bool ok = opt_run(&p, &oo);
    enum tern_error b = ok ? run_random(dev, m, &w->d, got) : TERN_INTERNAL;
    if (!a && !b && !memcmp(want, got, sizeof got))
        return true;
    unsigned k = 0;
    while (k < WORDS - 1 && want[k] == got[k])
        k++;
    printf("FAIL random_%u: word %u is %08x (%s), not %08x (%s)\n", seed, k, got[k],
           tern_error_name(b), want[k], tern_error_name(a));
    return false;
}

/* These two hold the setjmp, and nothing that changes after it: longjmp would lose that. */
static int try_ops(struct rt_device *dev)
{
    struct world w;
    begin(&w);
    return setjmp(w.unwind) ? 2 : all_ops(&w, dev);
}

static bool try_random_module(struct rt_device *dev, struct rt_device *reference, unsigned seed)
{
    struct world w;
    begin(&w);
    const bool same = !setjmp(w.unwind) && random_module(&w, dev, reference, seed);
    mem_release(&w.mem);
    return same;
}

static int random_modules(struct rt_device *dev, struct rt_device *reference, unsigned count)
{
    unsigned wrong = 0;
    for (unsigned seed = 1; seed <= count; seed++)
        wrong += !try_random_module(dev, reference, seed);
    printf("%s exact_random: %u modules, %u differ\n", wrong ? "FAIL" : "PASS", count, wrong);
    return 0;
}

int main(int argc, char **argv)
{
    struct rt_device dev, reference;
    struct dev_host host = {0};
    char why[256];
    if (argc < 3)
        return 2;
    if (rt_open(argv[1], &host, &dev, why) != TERN_OK) {
        printf("SKIP exact_%s: %s\n", argv[2], why);
        return 0;
    }
    int rc = 2;
    if (!strcmp(argv[2], "ops"))
        rc = try_ops(&dev);
    else if (!strcmp(argv[2], "random") && !rt_open("interp", &host, &reference, why))
        rc = random_modules(&dev, &reference, argc > 3 ? (unsigned)atoi(argv[3]) : 20);
    return rc;
}
