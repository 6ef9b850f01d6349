/* The interpreter against ir_eval, op by op and lane by lane; its text and memory under failing
 * allocations. What the threads of a warp do together is tested by the golden programs. */
#include "interp/interp.h"
#include "unit.h"

struct fixture {
    struct interner names;
    struct source_map sources;
    struct diag diag;
    struct interp *machine;
};

static bool setup(struct unit *u, struct fixture *x)
{
    intern_init(&x->names, u->arena);
    source_init(&x->sources, u->arena);
    diag_init(&x->diag, u->arena, &x->sources);
    x->machine = NULL;
    return interp_create(NULL, &x->machine) == TERN_OK;
}

static struct interp_module *load(struct unit *u, struct fixture *x, const char *text)
{
    struct interp_module *mod = NULL;
    struct ir_module *m =
        ir_parse(u->arena, &x->names, &x->sources, &x->diag, "t.ir", text, strlen(text));
    if (!m || !ir_verify(m, &x->diag, NULL) ||
        interp_load(x->machine, m, &x->diag, &mod) != TERN_OK) {
        if (!u->injected)
            unit_fail(u, __FILE__, __LINE__, "%s in\n%s",
                      x->diag.first ? x->diag.first->message : "not loaded", text);
        return NULL;
    }
    return mod;
}

/* ---- elementwise operations ---- */
#define THREADS 64

static const ir_type kinds[] = {IR_I1,  IR_I8,   IR_I16, IR_I32, IR_I64,
                                IR_F16, IR_BF16, IR_F32, IR_F64};
#define NKINDS (sizeof kinds / sizeof *kinds)

static uint64_t next_random(uint64_t *s)
{
    *s = *s * 6364136223846793005u + 1442695040888963407u;
    return *s ^ *s >> 29;
}

/* Corners of every width, small numbers, and anything. */
static uint64_t some_bits(uint64_t *s, ir_type t)
{
    static const uint64_t corners[] = {0,
                                       1,
                                       2,
                                       31,
                                       32,
                                       0x7f,
                                       0x80,
                                       0x7fff,
                                       0x8000,
                                       0x3c00,
                                       0x7c00,
                                       0xfe00,
                                       0x7fffffff,
                                       0x80000000,
                                       0x3f800000,
                                       0x7f800000,
                                       0xff800000,
                                       0x7fc00000,
                                       0x00000001,
                                       0xcf000000,
                                       0x7ff0000000000000,
                                       0x8000000000000000,
                                       0x3ff0000000000000,
                                       0xc1e0000000000000,
                                       ~0ull};
    uint64_t v = next_random(s);
    if (v % 3 == 0)
        v = corners[(v >> 8) % (sizeof corners / sizeof *corners)];
    else if (v % 3 == 1)
        v = next_random(s) >> next_random(s) % 64;
    return ir_bits(t) == 64 ? v : v & ((1ull << ir_bits(t)) - 1);
}

static bool is_nan(ir_type t, uint64_t bits)
{
    switch (ir_kind(t)) {
    case IR_F16: return (bits & 0x7fff) > 0x7c00;
    case IR_BF16: return (bits & 0x7fff) > 0x7f80;
    case IR_F32: return (bits & 0x7fffffff) > 0x7f800000;
    case IR_F64: return (bits & ~(1ull << 63)) > 0x7ff0000000000000;
    default: return false;
    }
}

struct trial {
    enum ir_op op;
    ir_type type, source, result;
    unsigned nargs;
    uint32_t flags;
    const char *attr;
    unsigned lanes; /* 0: scalars */
};

static const char *program(struct unit *u, const struct trial *t)
{
    struct sbuf s;
    char type[32], source[32], result[32];
    ir_type_name(ir_vector(t->type, t->lanes), type);
    ir_type_name(ir_vector(t->source, t->lanes), source);
    ir_type_name(ir_vector(t->result, t->lanes), result);
    sbuf_init(&s, u->arena);
    sbuf_puts(&s, "module \"t\"\nkernel @k(%in: ptr.global, %out: ptr.global, %part: i32) {\n"
                  "entry:\n  %tid = sreg.i32 [tid.x]\n  %l = zext.i64 %tid\n"
                  "  %off = mul.i64 %l, 512\n  %pa = ptradd.ptr.global %in, %off\n"
                  "  %pb = ptradd.ptr.global %pa, 128\n  %pc = ptradd.ptr.global %pa, 256\n"
                  "  %po = ptradd.ptr.global %out, %off\n  %bit = and.i32 %tid, %part\n"
                  "  %go = eq.i32 %bit, 0\n  condbr %go, body, end\nbody:\n");
    for (unsigned i = 0; i < t->nargs; i++)
        sbuf_printf(&s, "  %%%c = load.%s [align 1] %%p%c\n", "abc"[i], source, "abc"[i]);
    sbuf_printf(&s, "  %%r = %s.%s %s%%a%s%s\n  store.%s [align 1] %%po, %%r\n  br end\n",
                ir_op_info[t->op].name, type, t->attr, t->nargs > 1 ? ", %b" : "",
                t->nargs > 2 ? ", %c" : "", result);
    sbuf_puts(&s, "end:\n  ret\n}\n");
    return s.data;
}

static void try_op(struct unit *u, struct fixture *x, const struct trial *t, uint64_t *seed)
{
    struct interp_module *mod = load(u, x, program(u, t));
    uint64_t in, out;
    if (!mod || interp_alloc(x->machine, THREADS * 512, 16, INTERP_GLOBAL, "in", &in) != TERN_OK ||
        interp_alloc(x->machine, THREADS * 512, 16, INTERP_GLOBAL, "out", &out) != TERN_OK)
        return;
    uint8_t *from = interp_at(x->machine, in, THREADS * 512);
    uint8_t *to = interp_at(x->machine, out, THREADS * 512);
    const unsigned lanes = t->lanes ? t->lanes : 1, size = ir_bytes(t->source);
    for (unsigned part = 0; part < 2; part++) { /* all threads together; then a part of each warp */
        for (unsigned i = 0; i < THREADS * 3; i++)
            for (unsigned k = 0; k < lanes; k++) {
                const uint64_t v = some_bits(seed, t->source);
                memcpy(from + i / 3 * 512 + i % 3 * 128 + k * size, &v, size);
            }
        memset(to, 0xa5, THREADS * 512);
        struct {
            uint64_t in, out;
            uint32_t part;
        } params = {in, out, part ? 5 : 0};
        const struct interp_launch l = {.grid = {1, 1, 1},
                                        .block = {THREADS, 1, 1},
                                        .params = &params,
                                        .param_bytes = sizeof params};
        CHECK_INT(interp_launch(x->machine, interp_kernel(mod, "k"), &l), TERN_OK);
        for (unsigned i = 0; i < THREADS; i++)
            for (unsigned k = 0; k < lanes; k++) {
                uint64_t args[3] = {0, 0, 0}, want = 0, got = 0;
                for (unsigned a = 0; a < 3; a++)
                    memcpy(&args[a], from + i * 512 + a * 128 + k * size, size);
                ir_eval(t->op, t->type, t->source, t->flags, args, &want);
                memcpy(&got, to + i * 512 + k * ir_bytes(t->result), ir_bytes(t->result));
                if (i & params.part)
                    memset(&want, 0xa5, ir_bytes(t->result));
                if (got != want && !(is_nan(t->result, got) && is_nan(t->result, want)))
                    unit_fail(
                        u, __FILE__, __LINE__,
                        "%s kind %u from %u%s, thread %u: %llx %llx %llx gives %llx, not %llx",
                        ir_op_info[t->op].name, t->type, t->source, t->attr, i,
                        (unsigned long long)args[0], (unsigned long long)args[1],
                        (unsigned long long)args[2], (unsigned long long)got,
                        (unsigned long long)want);
                if (u->failed)
                    return;
            }
    }
    interp_unload(x->machine, mod);
    interp_free(x->machine, in);
    interp_free(x->machine, out);
}

static const struct {
    const char *attr;
    uint32_t flags;
} roundings[] = {{"", IR_RN}, {"[rz] ", IR_RZ}, {"[ru] ", IR_RU}, {"[rd] ", IR_RD}};

static bool converts(enum ir_op op, ir_type to, ir_type from)
{
    const bool from_float = ir_class(from) == IR_CLASS_FLOAT;
    switch (op) {
    case IR_OP_trunc: return !from_float && ir_bits(to) < ir_bits(from);
    case IR_OP_zext:
    case IR_OP_sext: return !from_float && ir_bits(to) > ir_bits(from);
    case IR_OP_fcvt: return from_float && to != from;
    case IR_OP_ftosi:
    case IR_OP_ftoui: return from_float;
    case IR_OP_sitof:
    case IR_OP_uitof: return !from_float;
    case IR_OP_bitcast: return to != from && ir_bits(to) == ir_bits(from);
    default: return false;
    }
}

TEST_ONCE(interp_lanes_agree_with_eval)
{
    static const uint8_t nargs[] = {1, 2, 3, 2, 1, 2, 3, 2, 1};
    struct fixture x;
    uint64_t seed = 42;
    NEED(setup(u, &x));
    for (int op = 0; op < IR_OP_COUNT && !u->failed; op++) {
        const struct ir_op_info *info = &ir_op_info[op];
        const bool result_bit = info->shape == IR_SHAPE_IC || info->shape == IR_SHAPE_FC;
        if (info->shape == IR_SHAPE_XX || strstr(info->name, "_fast"))
            continue;
        for (unsigned k = 0; k < NKINDS && !u->failed; k++) {
            const ir_type type = kinds[k];
            const bool fits = info->class == IR_CLASS_W   ? type == IR_I32
                              : info->class == IR_CLASS_L ? type == IR_I64
                                                          : (info->class & ir_class(type)) != 0;
            if (!fits || op == IR_OP_ptrtoint)
                continue;
            for (unsigned f = 0; f < (info->shape == IR_SHAPE_CV ? NKINDS : 1); f++) {
                const ir_type source = info->shape == IR_SHAPE_CV ? kinds[f] : type;
                if (info->shape == IR_SHAPE_CV && !converts((enum ir_op)op, type, source))
                    continue;
                for (unsigned r = 0; r < (info->flags & IR_ROUNDS ? 4 : 1) && !u->failed; r++) {
                    struct trial t = {(enum ir_op)op,
                                      type,
                                      source,
                                      result_bit ? IR_I1 : type,
                                      nargs[info->shape],
                                      roundings[r].flags,
                                      roundings[r].attr,
                                      0};
                    try_op(u, &x, &t, &seed);
                    t.lanes = r ? 0 : 4;
                    if (t.lanes)
                        try_op(u, &x, &t, &seed);
                }
            }
        }
    }
    interp_destroy(x.machine);
}

/* ---- random modules ---- */
enum { WORDS = 256 };

static enum tern_error run_words(struct fixture *x, const struct ir_module *m, uint32_t out[WORDS])
{
    struct interp_module *mod;
    uint64_t in, to;
    enum tern_error e = interp_load(x->machine, m, &x->diag, &mod);
    if (e == TERN_OK)
        e = interp_alloc(x->machine, WORDS * 4, 4, INTERP_GLOBAL, "in", &in);
    if (e == TERN_OK)
        e = interp_alloc(x->machine, WORDS * 4, 4, INTERP_GLOBAL, "out", &to);
    if (e != TERN_OK)
        return e;
    uint32_t *words = interp_at(x->machine, in, WORDS * 4);
    for (uint32_t i = 0; i < WORDS; i++)
        words[i] = i * 2654435761u;
    struct {
        uint64_t in, out;
        uint32_t n;
    } params = {in, to, WORDS};
    const struct interp_launch l = {.grid = {2, 1, 1},
                                    .block = {64, 1, 1},
                                    .params = &params,
                                    .param_bytes = 20,
                                    .timeout_ns = 600000000000};
    e = interp_launch(x->machine, interp_kernel(mod, "k"), &l);
    memcpy(out, interp_at(x->machine, to, WORDS * 4), WORDS * 4);
    interp_unload(x->machine, mod);
    interp_free(x->machine, in);
    interp_free(x->machine, to);
    return e;
}

TEST_ONCE(interp_random_modules_mean_the_same_as_text)
{
    struct fixture x;
    NEED(setup(u, &x));
    for (uint64_t seed = 1; seed <= 60 && !u->failed; seed += unit_stride()) {
        const struct ir_random_options o = {.seed = seed,
                                            .size = 30 + seed % 6 * 40,
                                            .memory = seed % 2,
                                            .divergence = seed % 3 != 0,
                                            .barriers = seed % 5 != 0,
                                            .warp_ops = seed % 4 == 1,
                                            .floats = seed % 7 != 0,
                                            .vectors = seed % 8 == 3};
        struct ir_module *m = ir_random(u->arena, &x.names, &o);
        struct sbuf text;
        uint32_t before[WORDS], after[WORDS];
        CHECK_INT(run_words(&x, m, before), TERN_OK);
        sbuf_init(&text, u->arena);
        ir_print(m, &text, 0);
        struct ir_module *again =
            ir_parse(u->arena, &x.names, &x.sources, &x.diag, "r.ir", text.data, text.len);
        CHECK(again && ir_verify(again, &x.diag, NULL));
        CHECK_INT(run_words(&x, again, after), TERN_OK);
        if (memcmp(before, after, sizeof after))
            unit_fail(u, __FILE__, __LINE__, "seed %llu differs", (unsigned long long)seed);
    }
    interp_destroy(x.machine);
}

/* ---- the machine when memory fails ---- */
TEST(interp_survives_failing_allocations)
{
    static const char text[] =
        "module \"t\"\n"
        "global @s: shared [size 64 align 4]\n"
        "func @f(%x: i32) -> i32 {\n"
        "entry:\n  %v = alloca.ptr.local [imm 16 align 4]\n  store.i32 [align 4] %v, %x\n"
        "  %y = load.i32 [align 4] %v\n  %z = add.i32 %y, 1\n  ret %z\n}\n"
        "kernel @k(%out: ptr.global) {\n"
        "entry:\n  %tid = sreg.i32 [tid.x]\n  %l = zext.i64 %tid\n  %o = shl.i64 %l, 2\n"
        "  %p = ptradd.ptr.global %out, %o\n  %s = split\n  %c = ult.i32 %tid, 3\n"
        "  condbr %c, yes, no\n"
        "yes:\n  %a = call.i32 @f, %tid\n  store.i32 [align 4] %p, %a\n  br no\n"
        "no:\n  join %s\n  barrier 0, 0\n  ret\n}\n";
    struct fixture x;
    struct interp_module *mod = NULL;
    uint64_t out = 0;
    /* The machine last: what unwinds out of an arena would leave it behind. */
    intern_init(&x.names, u->arena);
    source_init(&x.sources, u->arena);
    diag_init(&x.diag, u->arena, &x.sources);
    struct ir_module *m =
        ir_parse(u->arena, &x.names, &x.sources, &x.diag, "t.ir", text, strlen(text));
    NEED(interp_create(NULL, &x.machine) == TERN_OK);
    enum tern_error e = m ? interp_load(x.machine, m, &x.diag, &mod) : TERN_COMPILE;
    if (e == TERN_OK)
        e = interp_alloc(x.machine, 256, 4, INTERP_GLOBAL, "out", &out);
    if (e == TERN_OK) {
        const struct interp_launch l = {
            .grid = {2, 1, 1}, .block = {40, 1, 1}, .params = &out, .param_bytes = sizeof out};
        e = interp_launch(x.machine, interp_kernel(mod, "k"), &l);
    }
    if (e == TERN_OK)
        CHECK_INT(((uint32_t *)interp_at(x.machine, out, 12))[2], 3);
    interp_destroy(x.machine);
    NEED(e == TERN_OK);
}

/* ---- matrices ---- */
static const struct matrix_case {
    const char *name;
    unsigned m, n, k, in_bits, na, nb, nc;
    enum { MATRIX_FLOAT, MATRIX_HALF, MATRIX_INT, MATRIX_DOUBLE } acc;
} matrices[] = {
    {"m16n8k8.f32.f16", 16, 8, 8, 16, 2, 1, 4, MATRIX_FLOAT},
    {"m16n8k16.f32.f16", 16, 8, 16, 16, 4, 2, 4, MATRIX_FLOAT},
    {"m16n8k16.f16.f16", 16, 8, 16, 16, 4, 2, 2, MATRIX_HALF},
    {"m16n8k8.f32.tf32", 16, 8, 8, 32, 4, 2, 4, MATRIX_FLOAT},
    {"m16n8k32.s32.s8", 16, 8, 32, 8, 4, 2, 4, MATRIX_INT},
    {"m8n8k16.s32.s8", 8, 8, 16, 8, 1, 1, 2, MATRIX_INT},
    {"m8n8k4.f64.f64", 8, 8, 4, 64, 1, 1, 2, MATRIX_DOUBLE},
};

static const char *const matrix_names[] = {
#define IR_MMA(name, text, m, n, k, in, acc, na, nb, nc, sm) text,
#include "ir/mma.def"
};

static unsigned matrix_number(const char *name)
{
    unsigned i = 0;
    while (strcmp(matrix_names[i], name))
        i++;
    return i;
}

/* Small integers, so that every format is exact. */
static int a_at(unsigned i, unsigned k)
{
    return (int)((i * 3 + k * 5) % 7) - 3;
}
static int b_at(unsigned k, unsigned j)
{
    return (int)((k * 2 + j * 3) % 5) - 2;
}
static int c_at(unsigned i, unsigned j)
{
    return (int)(i + 2 * j) - 9;
}

static uint64_t encode(int v, unsigned bits)
{
    const int n = v < 0 ? -v : v;
    int e = 0;
    while (n >> (e + 1))
        e++;
    const double d = v;
    const float f = (float)v;
    uint32_t f32;
    uint64_t f64;
    memcpy(&f32, &f, 4);
    memcpy(&f64, &d, 8);
    switch (bits) {
    case 8: return (uint8_t)v;
    case 16: /* exponent and fraction by hand */
        return n ? (uint64_t)((v < 0 ? 0x8000 : 0) | (e + 15) << 10 | ((n << (10 - e)) & 0x3ff))
                 : 0;
    case 32: return f32;
    default: return f64;
    }
}

static void try_matrix(struct unit *u, struct fixture *x, const struct matrix_case *t)
{
    struct sbuf s;
    sbuf_init(&s, u->arena);
    sbuf_puts(&s, "module \"t\"\nkernel @k(%in: ptr.global, %out: ptr.global) {\nentry:\n"
                  "  %tid = sreg.i32 [tid.x]\n  %l = zext.i64 %tid\n  %off = shl.i64 %l, 7\n"
                  "  %p = ptradd.ptr.global %in, %off\n  %q = ptradd.ptr.global %out, %off\n");
    const char *in = t->in_bits == 64 ? "f64" : "i32";
    const char *acc = t->acc == MATRIX_FLOAT ? "f32" : t->acc == MATRIX_DOUBLE ? "f64" : "i32";
    const unsigned total = t->na + t->nb + t->nc;
    for (unsigned r = 0; r < total; r++)
        sbuf_printf(&s, "  %%p%u = ptradd.ptr.global %%p, %u\n  %%r%u = load.%s %%p%u\n", r, r * 8,
                    r, r < t->na + t->nb ? in : acc, r);
    sbuf_puts(&s, "  ");
    for (unsigned r = 0; r < t->nc; r++)
        sbuf_printf(&s, "%s%%d%u: %s", r ? ", " : "", r, acc);
    sbuf_printf(&s, " = mma [imm %u] ", matrix_number(t->name));
    for (unsigned r = 0; r < total; r++)
        sbuf_printf(&s, "%s%%r%u", r ? ", " : "", r);
    for (unsigned r = 0; r < t->nc; r++)
        sbuf_printf(&s, "\n  %%q%u = ptradd.ptr.global %%q, %u\n  store.%s %%q%u, %%d%u", r, r * 8,
                    acc, r, r);
    sbuf_puts(&s, "\n  ret\n}\n");
    struct interp_module *mod = load(u, x, s.data);
    uint64_t in_at, out_at;
    if (!mod || interp_alloc(x->machine, 4096, 8, INTERP_GLOBAL, "in", &in_at) != TERN_OK ||
        interp_alloc(x->machine, 4096, 8, INTERP_GLOBAL, "out", &out_at) != TERN_OK)
        return;
    uint64_t *words = interp_at(x->machine, in_at, 4096);
    const unsigned e = t->in_bits < 32 ? 32 / t->in_bits : 1;
    for (unsigned lane = 0; lane < 32; lane++) {
        const unsigned g = lane / 4, q = lane % 4;
        for (unsigned r = 0; r < t->na; r++)
            for (unsigned j = 0; j < e; j++) {
                /* four registers: rows g and g + 8 of the left half, then of the right */
                const unsigned row = t->m == 16 ? g + 8 * (r & 1) : g;
                const unsigned column = q * e + j + (t->m == 16 ? (r >> 1) * 4 * e : 0);
                words[lane * 16 + r] |= encode(a_at(row, column), t->in_bits)
                                        << (t->in_bits < 32 ? j * t->in_bits : 0);
            }
        for (unsigned r = 0; r < t->nb; r++)
            for (unsigned j = 0; j < e; j++)
                words[lane * 16 + t->na + r] |= encode(b_at(q * e + j + r * 4 * e, g), t->in_bits)
                                                << (t->in_bits < 32 ? j * t->in_bits : 0);
        for (unsigned i = 0; i < (t->acc == MATRIX_HALF ? 2 : 1) * t->nc; i++) {
            const int v = c_at(g + 8 * (i / 2), 2 * q + i % 2);
            uint64_t *w = &words[lane * 16 + t->na + t->nb + (t->acc == MATRIX_HALF ? i / 2 : i)];
            *w |= t->acc == MATRIX_FLOAT    ? encode(v, 32)
                  : t->acc == MATRIX_DOUBLE ? encode(v, 64)
                  : t->acc == MATRIX_INT    ? (uint32_t)v
                                            : encode(v, 16) << 16 * (i % 2);
        }
    }
    struct {
        uint64_t in, out;
    } params = {in_at, out_at};
    const struct interp_launch l = {
        .grid = {1, 1, 1}, .block = {32, 1, 1}, .params = &params, .param_bytes = sizeof params};
    CHECK_INT(interp_launch(x->machine, interp_kernel(mod, "k"), &l), TERN_OK);
    const uint64_t *out = interp_at(x->machine, out_at, 4096);
    for (unsigned lane = 0; lane < 32 && !u->failed; lane++)
        for (unsigned i = 0; i < (t->acc == MATRIX_HALF ? 2 : 1) * t->nc; i++) {
            const unsigned row = lane / 4 + 8 * (i / 2), column = lane % 4 * 2 + i % 2;
            int want = c_at(row, column);
            for (unsigned k = 0; k < t->k; k++)
                want += a_at(row, k) * b_at(k, column);
            const uint64_t w = out[lane * 16 + (t->acc == MATRIX_HALF ? i / 2 : i)];
            const uint64_t bits = t->acc == MATRIX_HALF     ? w >> 16 * (i % 2) & 0xffff
                                  : t->acc == MATRIX_DOUBLE ? w
                                                            : w & 0xffffffff;
            const uint64_t expected = t->acc == MATRIX_INT
                                          ? (uint32_t)want
                                          : encode(want, t->acc == MATRIX_HALF    ? 16
                                                         : t->acc == MATRIX_FLOAT ? 32
                                                                                  : 64);
            if (bits != expected)
                unit_fail(u, __FILE__, __LINE__, "%s (%u, %u): %llx, not %llx", t->name, row,
                          column, (unsigned long long)bits, (unsigned long long)expected);
        }
    interp_unload(x->machine, mod);
}

TEST_ONCE(interp_matrices)
{
    struct fixture x;
    NEED(setup(u, &x));
    for (size_t i = 0; i < sizeof matrices / sizeof *matrices && !u->failed; i++)
        try_matrix(u, &x, &matrices[i]);
    interp_destroy(x.machine);
}
