/* The IR's own house: building, text form, verifier, graph, cloning. */
#include "ir/ir.h"
#include "ir/store.h"
#include "unit.h"

struct fixture {
    struct interner names;
    struct source_map sources;
    struct diag diag;
};

static void setup(struct unit *u, struct fixture *x)
{
    intern_init(&x->names, u->arena);
    source_init(&x->sources, u->arena);
    diag_init(&x->diag, u->arena, &x->sources);
}

static struct ir_module *parse(struct unit *u, struct fixture *x, const char *text)
{
    return ir_parse(u->arena, &x->names, &x->sources, &x->diag, "t.ir", text, strlen(text));
}

static const char *printed(struct unit *u, const struct ir_module *m)
{
    struct sbuf s;
    sbuf_init(&s, u->arena);
    ir_print(m, &s, 0);
    return s.data;
}

static const char *first_error(const struct fixture *x)
{
    return x->diag.first ? x->diag.first->message : "";
}

/* In the printer's own spelling, so that reading and printing must give it back to the letter. */
static const char sample[] = "module \"t.ir\"\n"
                             "global @table: const [size 16 align 8 export init "
                             "\"01000000020000000000000000000000\" reloc 8 @f 0]\n"
                             "global @\"odd name\": shared [size 0 align 16 extern elem \"f32\"]\n"
                             "\n"
                             "func @sinf(%x.0: f32) -> f32 [pure]\n"
                             "\n"
                             "func @f(%0: i32) -> i32 [inline mangled \"_Z1fi\"] {\n"
                             "b0:\n"
                             "  %1 = add.i32 [nsw] %0, -1\n"
                             "  ret %1\n"
                             "}\n"
                             "\n"
                             "kernel @k(%n.0: i32, %out.1: ptr.global [restrict], %s.2: ptr.param "
                             "[byval 24 align 8]) [max_threads 256] {\n"
                             "entry.0:\n"
                             "  %buf.3 = alloca.ptr.local [imm 64 align 4]\n"
                             "  %tid.4 = sreg.i32 [tid.x]\n"
                             "  %5 = slt.i32 %tid.4, %n.0\n"
                             "  %6 = split\n"
                             "  condbr %5, body.1, exit.3(i32 0, f64 0x7ff8000000000000)\n"
                             "body.1:\n"
                             "  %7 = load.f32 [align 8 volatile] %out.1\n"
                             "  %8 = call.f32 @sinf, %7\n"
                             "  %9 = fadd.f32 [rz ftz] %8, 0.100000001\n"
                             "  %10 = sext.i64 %tid.4\n"
                             "  %11 = shl.i64 %10, 2\n"
                             "  %12 = ptradd.ptr.global %out.1, %11\n"
                             "  store.f32 %12, %9\n"
                             "  %13 = rmw.i32 [umax relaxed device] %12, 7\n"
                             "  %14, %15 = shfl.f64 [xor] -1, 1.5, 3, 31\n"
                             "  %16 = fma.f16 0x3c00, 0x3c00, 0x0\n"
                             "  %17 = splat.v4.f32 %9\n"
                             "  %18 = eq.ptr.global %12, null\n"
                             "  switch.i32 %13, latch.2, -1: exit.3(%13, %14), 5: latch.2\n"
                             "latch.2:\n"
                             "  %19 = call_ptr.i32 @f, i32 1\n"
                             "  br exit.3(i32 1, f64 0)\n"
                             "exit.3(%20: i32, %21: f64):\n"
                             "  join %6\n"
                             "  barrier 0, 0\n"
                             "  fence [seq_cst system]\n"
                             "  ret\n"
                             "}\n";

TEST(ir_text_round_trips)
{
    struct fixture x;
    setup(u, &x);
    struct ir_module *m = parse(u, &x, sample);
    CHECK_STR(first_error(&x), "");
    if (!m)
        return;
    CHECK(ir_verify(m, &x.diag, NULL));
    CHECK_STR(first_error(&x), "");
    CHECK_STR(printed(u, m), sample);
    CHECK_STR(printed(u, ir_clone(u->arena, &x.names, m)), sample);
    struct ir_func *k = ir_func_find(m, "k");
    CHECK_INT(k->param_bytes, 40);
    CHECK_INT(k->params.data[2].offset, 16);
}

static const struct {
    const char *text, *message;
} wrong[] = {
    {"kernel @k( {", "expected '%'"},
    {"func @f() {\nentry:\n  ret\n", "function without its closing '}'"},
    {"func @f() {\n  ret\n}", "expected a block label, as in 'entry:'"},
    {"func @f() {\ne:\n  frobnicate\n}", "unknown operation 'frobnicate'"},
    {"func @f() {\ne:\n  %x = add 1, 2\n  ret\n}", "'add' needs a type, as in 'add.i32'"},
    {"func @f() {\ne:\n  %x = add.i32 1, %y\n  ret\n}", "%y is used but not defined"},
    {"func @f() {\ne:\n  %x = add.i32 1, 2\n  %x = add.i32 1, 2\n  ret\n}", "%x is defined twice"},
    {"func @f() {\ne:\n  %x = add.i8 1, 300\n  ret\n}", "constant does not fit its type"},
    {"func @f() {\ne:\n  br q\n}", "there is no block 'q'"},
    {"func @f() {\ne:\n  call @g\n  ret\n}", "there is no function '@g'"},
    {"func @f() {\ne:\n  ret\n}\nfunc @f() {\ne:\n  ret\n}", "'@f' is defined twice"},
    {"func @f() {\ne:\ne:\n  ret\n}", "block 'e' is defined twice"},
    {"global @g: nowhere [size 4]", "'nowhere' is not an address space"},
    {"global @g: global [size 4 init \"00\"]", "initialiser has 1 bytes, the global has 4"},
    {"global @g: global [size 4 colour]", "unknown attribute 'colour'"},
    {"module \"x", "string without its closing quote"},
    {"func @f() {\ne:\n  ret now\n}", "expected a value"},
    {"rubbish", "expected 'module', 'global', 'func' or 'kernel'"},
    {"func @f() {\ne:\n  call_ptr.i32 @f\n  ret\n}", "'call_ptr' gives 1 results, not 0"},
};

TEST(ir_text_mistakes_are_explained)
{
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        struct fixture x;
        setup(u, &x);
        CHECK(!parse(u, &x, wrong[k].text));
        CHECK_STR(first_error(&x), wrong[k].message);
    }
}

static const struct {
    const char *body, *message; /* message: what the diagnostic contains */
} bad[] = {
    {"e:\n  %a = add.i32 1, 2\n", "does not end in a terminator"},
    {"e:\n  %a = add.f32 1, 2\n  ret\n", "'add' does not work on f32"},
    {"e:\n  %a = trunc.i64 i32 5\n  ret\n", "cannot convert i32 to i64 so"},
    {"e:\n  %a = and.i32 1, 2\n  %b = fneg.f32 %a\n  ret\n", "operand 1 has type i32"},
    {"e:\n  condbr 1, a, b\na:\n  %x = add.i32 1, 2\n  br b\nb:\n  %y = neg.i32 %x\n  ret\n",
     "used where its definition does not reach"},
    {"e:\n  br e2\ne2(%x: i32):\n  ret\n", "target 1 takes 1 arguments, not 0"},
    {"e:\n  br e2(f32 1)\ne2(%x: i32):\n  ret\n", "argument 1 of target 1 has type f32, not i32"},
    {"e:\n  br e\n", "the entry block is a target"},
    {"e:\n  br f\nf:\n  %a = alloca.ptr.local [imm 4 align 4]\n  ret\n",
     "alloca outside the entry block"},
    {"e:\n  ret i32 1\n", "returns other than void"},
    {"e:\n  %a = add.i32 [rz] 1, 2\n  ret\n", "a flag that 'add' does not take"},
    {"e:\n  %t = split\n  %u = select.i32 1, %t, 1\n  ret\n", "operand 2 has type token"},
    {"e:\n  %a = load.i32 [align 3] ptr.global null\n  ret\n", "alignment 3 is not a power of two"},
    {"e:\n  %a = rmw.f32 [and] ptr.global null, 1\n  ret\n", "no such atomic operation on f32"},
    {"e:\n  call @t, i64 1\n  ret\n", "argument 1 of @t should be i32, is i64"},
    {"e:\n  switch.i32 1, a, 1: a, 1: a\na:\n  ret\n", "two cases with the same value"},
    {"e:\n  barrier 0\n  ret\n", "'barrier' lacks operand 2"},
    {"e:\n  ret\n  ret\n", "terminator in the middle of a block"},
};

TEST(ir_verifier_finds_faults)
{
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        struct fixture x;
        setup(u, &x);
        struct ir_module *m =
            parse(u, &x,
                  arena_printf(u->arena, "func @t(%%a: i32) {\ne:\n  ret\n}\nfunc @f() {\n%s}\n",
                               bad[k].body));
        CHECK_STR(first_error(&x), "");
        if (!m)
            continue;
        CHECK(!ir_verify(m, &x.diag, "some-pass"));
        if (!strstr(first_error(&x), bad[k].message) ||
            !strstr(first_error(&x), "after pass 'some-pass'"))
            CHECK_STR(first_error(&x), bad[k].message);
    }
}

TEST(ir_dominators)
{
    struct fixture x;
    setup(u, &x);
    struct ir_module *m =
        parse(u, &x,
              "func @f(%c: i1) {\na:\n  condbr %c, b, d\nb:\n  br c\nc:\n  condbr %c, b, d\n"
              "d:\n  ret\nlost:\n  br d\n}\n");
    CHECK_STR(first_error(&x), "");
    if (!m)
        return;
    struct ir_func *f = m->first_func;
    ir_cfg(f);
    struct ir_block *a = f->first, *b = a->next, *c = b->next, *d = c->next, *lost = d->next;
    CHECK(a->idom == NULL && b->idom == a && c->idom == b && d->idom == a);
    CHECK(ir_dominates(a, d) && ir_dominates(b, c) && ir_dominates(c, c));
    CHECK(!ir_dominates(b, d) && !ir_dominates(c, b) && !ir_dominates(lost, d));
    CHECK_INT(d->preds.len, 3);
    CHECK_INT(lost->rpo, UINT32_MAX);
    ir_remove_unreachable(f);
    CHECK_INT(d->preds.len, 2);
    CHECK(d->next == NULL);
}

TEST(ir_loops_are_walked)
{
    struct fixture x;
    setup(u, &x);
    struct ir_module *m =
        parse(u, &x,
              "func @f(%c: i1) {\na:\n  br b\nb:\n  condbr %c, c, e\nc:\n  condbr %c, c, d\n"
              "d:\n  br b\ne:\n  ret\nlost:\n  br d\n}\n");
    CHECK_STR(first_error(&x), "");
    if (!m)
        return;
    struct ir_func *f = m->first_func;
    ir_renumber(f);
    ir_cfg(f);
    struct ir_block *a = f->first, *b = a->next, *c = b->next, *d = c->next, *e = d->next;
    struct ir_loop l = ir_no_loop(u->arena, f);
    ir_walk_loop(u->arena, &l, b, d);
    CHECK_INT(l.blocks.len, 3); /* not what is unreachable */
    CHECK(l.blocks.data[0] == b && l.in[b->id] && l.in[c->id] && l.in[d->id]);
    CHECK(!l.in[a->id] && !l.in[e->id]);
    ir_walk_loop(u->arena, &l, c, c);
    CHECK_INT(l.blocks.len, 1);
    CHECK(l.in[c->id] && !l.in[b->id] && !l.in[d->id]);
}

TEST(ir_link_brings_in_what_is_needed)
{
    struct fixture x;
    setup(u, &x);
    struct ir_module *m = parse(
        u, &x,
        "func @sin(%0: f32) -> f32\nkernel @k() {\ne:\n  %a = call.f32 @sin, f32 1\n  ret\n}\n");
    struct ir_module *lib =
        parse(u, &x,
              "global @pi: const [size 4 align 4 init \"db0f4940\"]\n"
              "func @helper(%0: f32) -> f32 {\ne:\n  %p = load.f32 @pi\n  ret %p\n}\n"
              "func @sin(%0: f32) -> f32 {\ne:\n  %r = call.f32 @helper, %0\n  ret %r\n}\n"
              "func @cos(%0: f32) -> f32 {\ne:\n  ret %0\n}\n");
    CHECK_STR(first_error(&x), "");
    if (!m || !lib)
        return;
    ir_link(m, lib);
    CHECK(ir_verify(m, &x.diag, NULL));
    CHECK(ir_func_find(m, "sin")->first && ir_func_find(m, "helper") && ir_global_find(m, "pi"));
    CHECK(!ir_func_find(m, "cos"));
    ir_func_find(m, "k")->flags &= ~(uint32_t)IR_FUNC_KERNEL;
    ir_prune(m);
    CHECK(!m->first_func && !m->first_global);
}

TEST(ir_constants_are_unique)
{
    struct fixture x;
    setup(u, &x);
    struct ir_module *m = ir_module_new(u->arena, &x.names, "m");
    CHECK(ir_const(m, IR_I64, UINT64_MAX) == ir_const(m, IR_I64, UINT64_MAX));
    CHECK(ir_const(m, IR_I32, UINT64_MAX) == ir_const(m, IR_I32, UINT32_MAX));
    CHECK(ir_const(m, IR_I32, 1) != ir_const(m, IR_F32, 1));
    CHECK(ir_const(m, IR_F64, UINT64_MAX) != ir_const(m, IR_I64, UINT64_MAX));
    CHECK(ir_const_f32(m, 1.0f)->u.bits == 0x3f800000);
}

static struct ir_module *restored(struct unit *u, struct fixture *x, const char *data, size_t n)
{
    struct ir_reader r;
    ir_reader_init(&r, u->arena, &x->names, data, n);
    struct ir_module *m = ir_restore(&r);
    return m && r.at == r.end ? m : NULL;
}

static struct ir_module *stored_and_restored(struct unit *u, struct fixture *x, struct ir_module *m)
{
    struct sbuf bytes;
    struct ir_writer w;
    sbuf_init(&bytes, u->arena);
    ir_writer_init(&w, u->arena, &bytes);
    ir_store(&w, m);
    struct ir_module *again = restored(u, x, bytes.data, bytes.len);
    CHECK(again && ir_verify(again, &x->diag, NULL));
    return again ? again : m;
}

/* The same, of which nothing is kept: a stored module is restored thousands of times. */
static bool restores(struct unit *u, const char *data, size_t n)
{
    struct arena scratch;
    struct interner names;
    struct ir_reader r;
    arena_init(&scratch, u->mem);
    intern_init(&names, &scratch);
    ir_reader_init(&r, &scratch, &names, data, n);
    const bool is = ir_restore(&r) && r.at == r.end;
    arena_free(&scratch);
    return is;
}

/* Cut off or damaged, it is no module, or another; nobody crashes. */
TEST_ONCE(ir_stored_modules_may_be_damaged)
{
    for (uint64_t seed = 0; seed < 40; seed += unit_stride()) {
        struct fixture x;
        setup(u, &x);
        const struct ir_random_options o = {
            .seed = seed, .size = 30, .memory = true, .divergence = true, .warp_ops = seed & 1};
        struct sbuf bytes;
        struct ir_writer w;
        sbuf_init(&bytes, u->arena);
        ir_writer_init(&w, u->arena, &bytes);
        ir_store(&w, ir_random(u->arena, &x.names, &o));
        for (size_t n = 0; n < bytes.len; n += 1 + n / 16)
            CHECK(!restores(u, bytes.data, n));
        for (size_t n = 0; n < bytes.len; n += 7) {
            const char was = bytes.data[n];
            bytes.data[n] = (char)(was + 1 + (char)(seed * 31 + n));
            restores(u, bytes.data, bytes.len);
            bytes.data[n] = was;
        }
    }
}

TEST_ONCE(ir_random_modules_verify_and_round_trip)
{
    for (uint64_t seed = 0; seed < 500; seed += unit_stride()) {
        struct fixture x;
        setup(u, &x);
        struct ir_random_options o = {.seed = seed,
                                      .size = 20 + (unsigned)seed % 80,
                                      .memory = seed & 1,
                                      .divergence = seed & 2,
                                      .barriers = seed & 4,
                                      .warp_ops = seed & 8,
                                      .floats = seed & 16,
                                      .vectors = seed & 32};
        struct ir_module *m = ir_random(u->arena, &x.names, &o);
        CHECK(ir_verify(m, &x.diag, NULL));
        CHECK_STR(first_error(&x), "");
        const char *text = printed(u, m);
        struct ir_module *again = parse(u, &x, text);
        CHECK_STR(first_error(&x), "");
        if (!again)
            return;
        again->name = m->name;
        CHECK(ir_verify(again, &x.diag, NULL));
        CHECK_STR(printed(u, again), text);
        CHECK_STR(printed(u, ir_clone(u->arena, &x.names, m)), text);
        CHECK_STR(printed(u, stored_and_restored(u, &x, m)), text);
        if (u->failed)
            return;
    }
}

TEST(ir_kernels_share_what_can_change)
{
    static const struct {
        const char *global;
        bool shares;
    } cases[] = {
        {"global @x: const [size 4 align 4]\n", false},
        {"global @x: const [size 4 align 4 export]\n", true},
        {"global @x: global [size 4 align 4]\n", true},
        {"global @x: global [size 4 align 4 const]\n", false},
        {"global @x: global [size 4 align 4 export const]\n", false},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct fixture x;
        setup(u, &x);
        struct ir_module *m =
            parse(u, &x, arena_printf(u->arena, "module \"t\"\n%s", cases[k].global));
        CHECK(m && ir_kernels_share(m) == cases[k].shares);
    }
}
