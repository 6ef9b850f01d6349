/* Random graphs: the region tree must do what the graph does.
 *
 * Each graph is executed by following its edges and by walking its tree, with labelled jumps and
 * with single-level ones; the results of all instructions, in order, must agree. */
#include "lower/lower.h"
#include "unit.h"

#define TRACE 400

struct trace {
    uint64_t values[TRACE];
    unsigned n;
    unsigned fuel; /* jumps left: a graph may loop without instructions */
};

static uint64_t state;
static uint32_t roll(uint32_t n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33) % n;
}

/* ---- values live in ir_value.data ---- */
static uint64_t get(const struct ir_value *v)
{
    return v->kind == IR_VALUE_CONST ? v->u.bits : (uint64_t)(uintptr_t)v->data;
}
static void set(struct ir_value *v, uint64_t x)
{
    v->data = (void *)(uintptr_t)x;
}

static bool step(struct trace *t, struct ir_inst *i)
{
    uint64_t args[3], out = 0;
    for (uint32_t k = 0; k < i->nargs; k++)
        args[k] = get(i->args[k]);
    ir_eval((enum ir_op)i->op, i->type, i->args[0]->type, i->flags, args, &out);
    set(&i->results[0], out);
    t->values[t->n++] = out;
    return t->n < TRACE;
}

static bool code(struct trace *t, struct ir_block *b)
{
    for (struct ir_inst *i = b->first; i != b->last; i = i->next)
        if (!step(t, i))
            return false;
    return true;
}

static void run_graph(struct ir_func *f, uint64_t arg, struct trace *t)
{
    struct ir_block *b = f->first;
    set(b->params.data[0], arg);
    while (t->fuel-- > 0) {
        if (!code(t, b))
            return;
        struct ir_inst *e = b->last;
        uint32_t k = 0;
        if (e->op == IR_OP_ret) {
            t->values[t->n++] = get(e->args[0]);
            return;
        }
        if (e->op == IR_OP_condbr)
            k = get(e->args[0]) & 1 ? 0 : 1;
        if (e->op == IR_OP_switch)
            for (uint32_t c = 1; c < e->nedges && !k; c++)
                if (e->edges[c].case_value == get(e->args[0]))
                    k = c;
        uint64_t in[8];
        for (uint32_t a = 0; a < e->edges[k].nargs; a++)
            in[a] = get(e->edges[k].args[a]);
        b = e->edges[k].to;
        for (uint32_t a = 0; a < e->edges[k].nargs; a++)
            set(b->params.data[a], in[a]);
    }
}

/* ---- the tree ---- */
struct walk {
    struct trace *trace;
    uint64_t *temps;
    const struct region *jump; /* being executed; NULL: none */
    bool single, broken, over;
};

static void run_list(struct walk *w, const struct region *list, const struct region *innermost,
                     const struct region *loop);

static bool stop(struct walk *w)
{
    return w->jump || w->over || w->broken;
}

static void run_copies(struct walk *w, const struct region *r)
{
    for (uint32_t i = 0; i < r->ncopies; i++) {
        const struct region_copy *c = &r->copies[i];
        uint64_t v = c->src ? get(c->src) : w->temps[c->temp];
        if (c->dst)
            set(c->dst, v);
        else
            w->temps[c->temp] = v;
    }
}

static void leave(struct walk *w, const struct region *r) /* a break from r ends here */
{
    if (w->jump && w->jump->kind == REGION_BREAK && w->jump->target == r)
        w->jump = NULL;
}

static void run_list(struct walk *w, const struct region *list, const struct region *innermost,
                     const struct region *loop)
{
    for (const struct region *r = list; r && !stop(w); r = r->next) {
        switch (r->kind) {
        case REGION_CODE: w->over |= !code(w->trace, r->block); break;
        case REGION_COPIES: run_copies(w, r); break;
        case REGION_IF: {
            bool yes = r->cond ? get(r->cond) & 1 : w->temps[r->temp] == r->value;
            run_list(w, yes ? r->child : r->other, innermost, loop);
            break;
        }
        case REGION_SWITCH: {
            const struct region_arm *arm = NULL;
            for (uint32_t k = 0; k < r->narms; k++) {
                if (!r->arms[k].nvalues && !arm)
                    arm = &r->arms[k];
                for (uint32_t v = 0; v < r->arms[k].nvalues; v++)
                    if (r->arms[k].values[v] == get(r->cond))
                        arm = &r->arms[k];
            }
            run_list(w, arm->child, r, loop);
            leave(w, r);
            break;
        }
        case REGION_BLOCK:
            run_list(w, r->child, r, loop);
            leave(w, r);
            break;
        case REGION_LOOP:
            for (;;) {
                run_list(w, r->child, r, r);
                if (w->jump && w->jump->kind == REGION_CONTINUE && w->jump->target == r) {
                    w->jump = NULL;
                    w->over |= w->trace->fuel-- == 0;
                    if (!stop(w))
                        continue;
                }
                w->broken |= !stop(w); /* fell through */
                break;
            }
            leave(w, r);
            break;
        case REGION_BREAK:
            w->broken |= w->single && r->target != innermost;
            w->jump = r;
            break;
        case REGION_CONTINUE:
            w->broken |= w->single && r->target != loop;
            w->jump = r;
            break;
        case REGION_RETURN:
            w->trace->values[w->trace->n++] = get(r->cond);
            w->over = true;
            break;
        default: w->broken = true; break;
        }
    }
}

static bool run_tree(const struct region_tree *t, uint64_t arg, struct trace *trace, bool single)
{
    uint64_t temps[256] = {0};
    if (t->ntemps > 256)
        return false;
    set(t->func->first->params.data[0], arg);
    struct walk w = {.trace = trace, .temps = temps, .single = single};
    run_list(&w, t->body, NULL, NULL);
    return w.over && !w.broken && !w.jump;
}

/* ---- random graphs ---- */
static struct ir_value *pick(struct ir_module *m, struct ir_block *b, bool own)
{
    while (b->idom && b->idom != b && (!own || roll(2))) {
        b = b->idom;
        own = true;
    }
    uint32_t n = (uint32_t)b->params.len, k;
    for (struct ir_inst *i = b->first; i && i->nresults; i = i->next)
        n++;
    if (!n)
        return ir_const(m, IR_I32, roll(5));
    k = roll(n);
    if (k < b->params.len)
        return b->params.data[k];
    k -= (uint32_t)b->params.len;
    struct ir_inst *i = b->first;
    while (k--)
        i = i->next;
    return i->results[0].type == IR_I32 ? &i->results[0] : ir_const(m, IR_I32, 1);
}

static struct ir_func *random_graph(struct arena *a, struct ir_module *m)
{
    struct ir_func *f = ir_func_new(m, "f", IR_I32, IR_FUNC_EXPORT);
    ir_func_param(f, "x", IR_I32, 0, 0, 0);
    uint32_t n = 2 + roll(24), locality = 1 + roll(6);
    struct ir_block **b = arena_array(a, struct ir_block *, n);
    struct ir_value *one = ir_const(m, IR_I1, 1), *zero = ir_const(m, IR_I32, 0);
    for (uint32_t i = 0; i < n; i++) {
        b[i] = ir_block_new(f, NULL);
        for (uint32_t k = i ? roll(3) : 0; k; k--)
            ir_block_param(b[i], IR_I32, NULL);
    }
    for (uint32_t i = 0; i < n; i++) {
        struct ir_builder at = ir_builder_at_end(b[i]);
        uint32_t kind = roll(10), edges = kind < 3 ? 1 : kind < 8 ? 2 : kind < 9 ? 2 + roll(3) : 0;
        if (i + 1 == n)
            edges = 0;
        enum ir_op op = edges == 0   ? IR_OP_ret
                        : edges == 1 ? IR_OP_br
                        : kind < 8   ? IR_OP_condbr
                                     : IR_OP_switch;
        struct ir_value *arg = op == IR_OP_condbr ? one : zero;
        struct ir_inst *t =
            ir_build(&at, op, op == IR_OP_switch ? IR_I32 : IR_VOID, &arg, op == IR_OP_br ? 0 : 1);
        for (uint32_t e = 0; e < edges; e++) {
            uint32_t to = e == 0 ? i + 1 : roll(4) ? i + 1 + roll(locality) : roll(n);
            if (roll(8) == 0)
                to = roll(n);
            to = to >= n ? n - 1 : to ? to : 1;
            ir_add_edge(t, b[to], NULL, 0, e);
        }
    }
    ir_remove_unreachable(f);
    ir_renumber(f);
    ir_cfg(f);
    struct ir_block **order = arena_array(a, struct ir_block *, f->nblocks);
    ir_each_block (x, f)
        order[x->rpo] = x;
    for (uint32_t i = 0; i < f->nblocks; i++)
        for (uint32_t k = roll(3); k || !order[i]->first->nresults; k -= k > 0) {
            struct ir_builder at = ir_builder_before(order[i]->last);
            struct ir_value *x = pick(m, order[i], true), *y = pick(m, order[i], false);
            x = ir_build2(&at, IR_OP_mul, IR_I32, x, ir_const(m, IR_I32, 2 * order[i]->id + 3));
            ir_build2(&at, IR_OP_add, IR_I32, x, y);
        }
    ir_each_block (x, f) {
        struct ir_inst *t = x->last;
        struct ir_builder at = ir_builder_before(t);
        if (t->op == IR_OP_ret)
            t->args[0] = pick(m, x, true);
        if (t->op == IR_OP_condbr)
            t->args[0] = ir_build2(&at, IR_OP_slt, IR_I32, pick(m, x, true), pick(m, x, false));
        if (t->op == IR_OP_switch)
            t->args[0] =
                ir_build2(&at, IR_OP_and, IR_I32, pick(m, x, true), ir_const(m, IR_I32, 3));
    }
    ir_each_block (x, f)
        for (uint32_t e = 0; e < x->last->nedges; e++)
            for (size_t k = 0; k < x->last->edges[e].to->params.len; k++) {
                struct ir_value *v =
                    roll(3)
                        ? pick(m, x, true)
                        : x->last->edges[e]
                              .to->params.data[roll((uint32_t)x->last->edges[e].to->params.len)];
                /* a parameter of the target is available where the target dominates */
                if (v->kind == IR_VALUE_PARAM && !ir_dominates(v->u.block, x))
                    v = pick(m, x, true);
                ir_edge_push(x->last, &x->last->edges[e], v);
            }
    return f;
}

static bool agree(struct unit *u, uint64_t seed, unsigned *irreducible)
{
    struct arena a;
    arena_init(&a, u->mem);
    struct interner in;
    intern_init(&in, &a);
    struct ir_module *m = ir_module_new(&a, &in, "random");
    state = seed * 0x9e3779b97f4a7c15u + 1;
    struct ir_func *f = random_graph(&a, m);
    static struct trace want[3], got;
    struct source_map sm;
    source_init(&sm, &a);
    struct diag d;
    diag_init(&d, &a, &sm);
    bool ok = ir_verify(m, &d, "the generator");
    for (unsigned i = 0; i < 3; i++) {
        want[i].n = 0;
        want[i].fuel = 2000;
        run_graph(f, i * 77, &want[i]);
    }
    *irreducible += lower_reducible(&a, f);
    struct region_tree *t = lower_structurize(&a, f);
    ok = ok && ir_verify(m, &d, "structurize");
    for (unsigned single = 0; ok && single < 2; single++) {
        if (single)
            lower_single_level(t);
        ok = !lower_tree_fault(t, single);
        for (unsigned i = 0; ok && i < 3; i++) {
            got.n = 0;
            got.fuel = 20000;
            ok = run_tree(t, i * 77, &got, single) && want[i].n <= got.n &&
                 !memcmp(got.values, want[i].values, want[i].n * sizeof *got.values);
        }
    }
    if (!ok) {
        struct sbuf text;
        sbuf_init(&text, &a);
        ir_print(m, &text, 0);
        lower_print_tree(t, &text);
        diag_render_text(&d, &text, false);
        unit_fail(u, __FILE__, __LINE__, "seed %llu:\n%s", (unsigned long long)seed, text.data);
    }
    arena_free(&a);
    return ok;
}

TEST_ONCE(tree_does_what_random_graphs_do)
{
    unsigned irreducible = 0;
    for (uint64_t seed = 1; seed <= 4000 && agree(u, seed, &irreducible); seed++)
        ;
    CHECK(irreducible > 400);
}

/* ---- known shapes ---- */
static struct region_tree *tree_of(struct unit *u, const char *text, struct sbuf *out)
{
    struct interner in;
    intern_init(&in, u->arena);
    struct source_map sm;
    source_init(&sm, u->arena);
    struct diag d;
    diag_init(&d, u->arena, &sm);
    struct ir_module *m = ir_parse(u->arena, &in, &sm, &d, "t.ir", text, strlen(text));
    sbuf_init(out, u->arena);
    if (!m)
        diag_render_text(&d, out, false);
    return m ? lower_structurize(u->arena, m->first_func) : NULL;
}

static void shape(struct unit *u, const char *text, const char *want)
{
    struct sbuf out;
    const struct region_tree *t = tree_of(u, text, &out);
    if (t)
        lower_print_tree(t, &out);
    CHECK_STR(out.data, want);
}

/* ---- what the verifier of trees says ---- */

static const char search[] =
    "module \"t\"\n"
    "func @f(%n: i32) -> i32 {\n"
    "e:\n  br h(i32 0)\n"
    "h(%i: i32):\n  %c = slt.i32 %i, %n\n  condbr %c, b, x(i32 -1)\n"
    "b:\n  %q = mul.i32 %i, %i\n  %d = eq.i32 %q, %n\n  condbr %d, found, next\n"
    "found:\n  %r = add.i32 %i, 1\n  br x(%r)\n"
    "next:\n  %j = add.i32 %i, 1\n  br h(%j)\n"
    "x(%s: i32):\n  ret %s\n"
    "}\n";

static struct region *first_of(struct region *list, enum region_kind kind)
{
    for (struct region *r = list, *in; r; r = r->next) {
        if (r->kind == kind)
            return r;
        if ((in = first_of(r->child, kind)) || (in = first_of(r->other, kind)))
            return in;
    }
    return NULL;
}

static void leave_the_loop(struct region_tree *t)
{
    first_of(t->body, REGION_BREAK)->target = first_of(t->body, REGION_IF);
}
static void go_round_nothing(struct region_tree *t)
{
    first_of(t->body, REGION_CONTINUE)->target = NULL;
}
static void fall_through(struct region_tree *t)
{
    first_of(t->body, REGION_CONTINUE)->kind = REGION_COPIES;
}
static void fall_off(struct region_tree *t)
{
    first_of(t->body, REGION_RETURN)->kind = REGION_COPIES;
}
static void go_on_after(struct region_tree *t)
{
    first_of(t->body, REGION_BREAK)->next = first_of(t->body, REGION_RETURN);
}
static void write_twice(struct region_tree *t)
{
    struct region *code = first_of(t->body, REGION_CODE);
    first_of(code->next, REGION_CODE)->block = code->block;
}
static void change_type(struct region_tree *t)
{
    first_of(t->body, REGION_COPIES)->copies[0].src = ir_const(t->func->module, IR_I64, 0);
}
static void name_no_temporary(struct region_tree *t)
{
    first_of(t->body, REGION_COPIES)->copies[0].src = NULL;
}
static void test_no_temporary(struct region_tree *t)
{
    first_of(t->body, REGION_IF)->cond = NULL;
}

TEST(tree_that_is_broken_is_told)
{
    static const struct {
        void (*spoil)(struct region_tree *t);
        const char *says;
    } rows[] = {
        {leave_the_loop, "a jump names what is not around it"},
        {go_round_nothing, "a jump names what is not around it"},
        {fall_through, "a loop's body falls through"},
        {fall_off, "the function falls off its end"},
        {go_on_after, "something stands behind a jump"},
        {write_twice, "a block is written twice"},
        {change_type, "a copy changes the type"},
        {name_no_temporary, "a copy names a temporary that is not there"},
        {test_no_temporary, "a test names a temporary that is not there"},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        struct sbuf out;
        struct region_tree *t = tree_of(u, search, &out);
        NEED(t);
        CHECK(!lower_tree_fault(t, false));
        rows[k].spoil(t);
        CHECK_STR(lower_tree_fault(t, false), rows[k].says);
    }
}

TEST(tree_of_while_is_a_loop)
{
    shape(u,
          "module \"t\"\n"
          "func @f(%n: i32) -> i32 {\n"
          "e:\n  br h(i32 0, i32 0)\n"
          "h(%i: i32, %s: i32):\n  %c = slt.i32 %i, %n\n  condbr %c, b, x\n"
          "b:\n  %j = add.i32 %i, 1\n  br h(%s, %j)\n"
          "x:\n  ret %s\n"
          "}\n",
          "tree @f\n"
          "  %2 = i32:0x0\n"
          "  %1 = i32:0x0\n"
          "  loop.0\n"
          "    %3 = slt.i32 %1, %0\n"
          "    if %3\n"
          "    else\n"
          "      break 0\n"
          "    %4 = add.i32 %1, 1\n"
          "    %1 = %2\n"
          "    %2 = %4\n"
          "    continue 0\n"
          "  return %2\n");
}

TEST(tree_of_search_keeps_the_exit_in_the_loop)
{
    shape(u,
          "module \"t\"\n"
          "func @f(%n: i32) -> i32 {\n"
          "e:\n  br h(i32 0)\n"
          "h(%i: i32):\n  %c = slt.i32 %i, %n\n  condbr %c, b, x(i32 -1)\n"
          "b:\n  %q = mul.i32 %i, %i\n  %d = eq.i32 %q, %n\n  condbr %d, found, next\n"
          "found:\n  %r = add.i32 %i, 1\n  br x(%r)\n"
          "next:\n  %j = add.i32 %i, 1\n  br h(%j)\n"
          "x(%s: i32):\n  ret %s\n"
          "}\n",
          "tree @f\n"
          "  %1 = i32:0x0\n"
          "  loop.0\n"
          "    %2 = slt.i32 %1, %0\n"
          "    if %2\n"
          "    else\n"
          "      %7 = i32:0xffffffff\n"
          "      break 0\n"
          "    %3 = mul.i32 %1, %1\n"
          "    %4 = eq.i32 %3, %0\n"
          "    if %4\n"
          "      %5 = add.i32 %1, 1\n"
          "      %7 = %5\n"
          "      break 0\n"
          "    %6 = add.i32 %1, 1\n"
          "    %1 = %6\n"
          "    continue 0\n"
          "  return %7\n");
}

TEST(tree_of_or_breaks_from_a_block)
{
    shape(u,
          "module \"t\"\n"
          "func @f(%a: i1, %b: i1) -> i32 {\n"
          "e:\n  condbr %a, yes, more\n"
          "more:\n  condbr %b, yes, no\n"
          "yes:\n  br x(i32 1)\n"
          "no:\n  br x(i32 2)\n"
          "x(%s: i32):\n  ret %s\n"
          "}\n",
          "tree @f\n"
          "  block.0\n"
          "    if %0\n"
          "    else\n"
          "      if %1\n"
          "      else\n"
          "        %2 = i32:0x2\n"
          "        break 0\n"
          "    %2 = i32:0x1\n"
          "  return %2\n");
}

/* A checker hears of 32 lanes at once, in code that looks before it tells; of more it would be told
 * one by one. */
TEST(vector_shape_of_checked_kernels)
{
    const uint32_t block[3] = {256, 1, 1};
    const struct vector_needs plain = {0}, checked = {.checked = true};
    CHECK(lower_vector_shape(&plain, 16, 16, 0, block).lanes == 64);
    CHECK(lower_vector_shape(&checked, 16, 16, 0, block).lanes == 32);
    CHECK(lower_vector_shape(&checked, 16, 16, 64, block).lanes == 32);
    CHECK(lower_vector_shape(&checked, 8, 8, 0, block).lanes == 32);
}
