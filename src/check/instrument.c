/* The pass: tells the checker of each access, barrier and warp operation just before it happens
 * (and of barriers again when they are passed). Nothing else changes.
 *
 * Where an address is a variable's plus an offset, the variable's bounds go with it: these need no
 * state, and tell one array of shared or local memory from the next. All other bounds are found
 * from the address when it is used. Local arrays get a twin in which stores leave a mark for each
 * byte; loads say whether their bytes are marked. */
#include "check/check_int.h"
#include "pass/pass.h"

struct pointer {
    struct ir_value *root;   /* a variable's address, or NULL */
    struct ir_value *offset; /* i64 */
    uint64_t constant;
    bool is_constant;
};

static struct ir_value *sum(struct ir_builder *b, struct ir_value *x, struct ir_value *y)
{
    return !x ? y : ir_build2(b, IR_OP_add, IR_I64, x, y);
}

static bool is_variable(const struct ir_value *v)
{
    return v->kind == IR_VALUE_GLOBAL ||
           (v->kind == IR_VALUE_RESULT && v->u.inst->op == IR_OP_alloca);
}

static struct ir_value *step(struct ir_value *p)
{
    if (p->kind != IR_VALUE_RESULT)
        return NULL;
    const struct ir_inst *i = p->u.inst;
    return i->op == IR_OP_ptradd || i->op == IR_OP_cvta ? i->args[0] : NULL;
}

/* The offset is built only where a variable is found. */
static struct pointer pointer_of(struct ir_builder *b, struct ir_value *p)
{
    struct ir_value *root = p;
    struct pointer out = {.is_constant = true};
    while (!is_variable(root)) {
        root = step(root);
        if (!root)
            return (struct pointer){0};
    }
    out.root = root;
    for (; p != root; p = step(p)) {
        const struct ir_inst *i = p->u.inst;
        if (i->op != IR_OP_ptradd)
            continue;
        if (ir_is_const(i->args[1]))
            out.constant += i->args[1]->u.bits;
        else
            out.offset = sum(b, out.offset, i->args[1]), out.is_constant = false;
    }
    if (out.constant || !out.offset)
        out.offset = sum(b, out.offset, ir_const(b->module, IR_I64, out.constant));
    return out;
}

static uint64_t flags_of(const struct ir_inst *i, enum ir_check kind, enum ir_space space,
                         uint64_t bytes, uint32_t align)
{
    uint64_t f = (uint64_t)kind | (uint64_t)space << IR_CHECK_SPACE_SHIFT |
                 bytes << IR_CHECK_BYTES_SHIFT |
                 (uint64_t)ir_order(i->flags) << IR_CHECK_ORDER_SHIFT |
                 (uint64_t)ir_scope(i->flags) << IR_CHECK_SCOPE_SHIFT;
    if (align > 1)
        f |= (uint64_t)__builtin_ctz(align) << IR_CHECK_ALIGN_SHIFT;
    if (i->flags & IR_VOLATILE) /* as strong as a relaxed access, for all that can see it */
        f |= IR_CHECK_STRONG | (uint64_t)IR_SCOPE_SYSTEM << IR_CHECK_SCOPE_SHIFT;
    if (ir_order(i->flags) || kind == IR_CHECK_ATOMIC)
        f |= IR_CHECK_STRONG;
    return f;
}

static void tell(struct ir_builder *b, uint64_t what, struct ir_value *const *args, uint32_t n)
{
    struct ir_inst *c = ir_build(b, IR_OP_check, IR_VOID, args, n);
    c->imm = what;
}

/* n: NULL: `bytes` of them. */
static void access(struct ir_inst *i, struct ir_value *p, enum ir_check kind, uint64_t bytes,
                   struct ir_value *n, uint64_t more)
{
    const uint32_t align = i->op == IR_OP_cpasync ? (uint32_t)i->imm : i->align;
    struct ir_builder b = ir_builder_before(i);
    b.span = i->span;
    enum ir_space space = ir_space(p->type);
    if (space == IR_SPACE_PARAM)
        return;
    const struct pointer at = pointer_of(&b, p);
    struct ir_value *args[4];
    uint32_t count = 0;
    uint64_t what = more;
    args[count++] = p;
    if (at.root) {
        const bool local = at.root->kind == IR_VALUE_RESULT;
        const struct ir_global *g = local ? NULL : at.root->u.global;
        const uint64_t size = local ? at.root->u.inst->imm : g->size;
        space = local ? IR_SPACE_LOCAL : g->space;
        if (local && at.is_constant && !n && at.constant <= size && bytes <= size - at.constant)
            return;
        if (local)
            args[0] = at.offset;
        what |= IR_CHECK_ROOTED;
        if (!local && g->space == IR_SPACE_SHARED && g->flags & IR_GLOBAL_EXTERN)
            what |= IR_CHECK_DYNAMIC;
        else if (!local && g->flags & IR_GLOBAL_EXTERN)
            what &= ~(uint64_t)IR_CHECK_ROOTED; /* another module's: found by its address */
        if (what & IR_CHECK_ROOTED) {
            args[count++] = local ? ir_const(b.module, IR_I64, 0) : at.root;
            args[count++] = ir_const(b.module, IR_I64, size);
        }
    } else if (space == IR_SPACE_LOCAL) {
        return; /* a pointer to some variable of a caller's */
    }
    if (n) {
        args[count++] = n;
        what |= IR_CHECK_SIZED;
    }
    tell(&b, what | flags_of(i, kind, space, bytes, align), args, count);
}

/* ---- local arrays: marks of what was stored ---- */
/* Is the address of the variable used for accesses alone? */
static bool stays(struct ir_func *f, const struct ir_inst *variable)
{
    ir_each_block (b, f)
        ir_each_inst (i, b) {
            for (uint32_t k = 0; k < i->nargs; k++) {
                const struct ir_value *p = i->args[k];
                while (p && !is_variable(p))
                    p = p->kind == IR_VALUE_RESULT ? step((struct ir_value *)p) : NULL;
                if (!p || p != &variable->results[0])
                    continue;
                if (!(i->op == IR_OP_load || (i->op == IR_OP_store && !k) ||
                      i->op == IR_OP_ptradd || i->op == IR_OP_cvta ||
                      (i->op == IR_OP_memset && !k) || (i->op == IR_OP_memcpy && k < 2)) ||
                    (i->op == IR_OP_ptradd && k))
                    return false;
            }
            for (uint32_t e = 0; e < i->nedges; e++)
                for (uint32_t k = 0; k < i->edges[e].nargs; k++) {
                    const struct ir_value *p = i->edges[e].args[k];
                    while (p && !is_variable(p))
                        p = p->kind == IR_VALUE_RESULT ? step((struct ir_value *)p) : NULL;
                    if (p == &variable->results[0])
                        return false;
                }
        }
    return true;
}

static ir_type mark_type(uint64_t bytes)
{
    return bytes == 1 ? IR_I8 : bytes == 2 ? IR_I16 : bytes == 4 ? IR_I32 : IR_I64;
}

/* The twin's address for an access to the variable. */
static struct ir_value *mark_at(struct ir_builder *b, struct ir_value *p)
{
    const struct pointer at = pointer_of(b, p);
    struct ir_value *twin = at.root && at.root->kind == IR_VALUE_RESULT ? at.root->data : NULL;
    return twin ? ir_build2(b, IR_OP_ptradd, twin->type, twin, at.offset) : NULL;
}

static void fill_marks(struct ir_builder *b, struct ir_value *p, struct ir_value *n)
{
    struct ir_value *at = mark_at(b, p);
    if (at)
        ir_build(b, IR_OP_memset, IR_VOID,
                 (struct ir_value *[]){at, ir_const(b->module, IR_I8, 255), n}, 3);
}

static void mark(struct ir_inst *i)
{
    struct ir_builder b = ir_builder_before(i);
    b.span = i->span;
    const uint64_t bytes = i->op == IR_OP_load || i->op == IR_OP_store ? ir_bytes(i->type) : 0;
    if (i->op == IR_OP_memset || i->op == IR_OP_memcpy) {
        fill_marks(&b, i->args[0], i->args[2]);
    } else if (i->op == IR_OP_store) {
        struct ir_value *at = mark_at(&b, i->args[0]);
        if (at)
            ir_build_store(
                &b, at, ir_const(b.module, mark_type(bytes), UINT64_MAX >> (64 - 8 * bytes)), 1, 0);
    } else if (i->op == IR_OP_load) {
        struct ir_value *at = mark_at(&b, i->args[0]);
        if (!at)
            return;
        const ir_type t = mark_type(bytes);
        struct ir_value *marks = ir_build_load(&b, t, at, 1, 0);
        if (ir_bits(t) < 64)
            marks = ir_build1(&b, IR_OP_sext, IR_I64, marks);
        tell(&b, flags_of(i, IR_CHECK_DEFINED, IR_SPACE_LOCAL, bytes, 1), &marks, 1);
    }
}

static bool scalar_access(const struct ir_inst *i)
{
    return (i->op != IR_OP_load && i->op != IR_OP_store) ||
           (!ir_is_vector(i->type) && ir_kind(i->type) != IR_I1);
}

static void mark_locals(struct ir_func *f)
{
    enum { MOST = 64 << 10 };
    VEC(struct ir_inst *) list = {0};
    struct arena *a = f->module->arena;
    ir_each_inst (i, f->first)
        if (i->op == IR_OP_alloca && i->imm && i->imm <= MOST && stays(f, i))
            vec_push(a, &list, i);
    ir_each_block (b, f)
        ir_each_inst (i, b)
            for (uint32_t k = 0; k < i->nresults; k++)
                i->results[k].data = NULL;
    for (size_t k = 0; k < list.len; k++)
        list.data[k]->results[0].data =
            ir_build_alloca(f, list.data[k]->imm, list.data[k]->align, CHECK_MARKS);
    if (list.len)
        ir_each_block (b, f)
            ir_each_inst (i, b)
                if (scalar_access(i))
                    mark(i);
}

/* ---- what threads do together ---- */
static void around(struct ir_inst *i, enum ir_check before, enum ir_check after, uint32_t nargs)
{
    struct ir_builder b = ir_builder_before(i);
    b.span = i->span;
    tell(&b, flags_of(i, before, IR_SPACE_GENERIC, 0, 1), i->args, nargs);
    if (before == after)
        return;
    b.before = i->next;
    tell(&b, flags_of(i, after, IR_SPACE_GENERIC, 0, 1), i->args, nargs);
}

static void heap(struct ir_inst *i)
{
    struct ir_builder b = ir_builder_before(i);
    b.span = i->span;
    if (i->op == IR_OP_free) {
        tell(&b, flags_of(i, IR_CHECK_FREE, IR_SPACE_GENERIC, 0, 1), i->args, 1);
        return;
    }
    b.before = i->next;
    tell(&b, flags_of(i, IR_CHECK_ALLOC, IR_SPACE_GENERIC, 0, 1),
         (struct ir_value *[]){&i->results[0], i->args[0]}, 2);
}

/* ---- values that are only moved: into memory, or along edges to where they are ---- */
#define MATTERS ((void *)1)

static bool matter(struct ir_value *v)
{
    const bool news = (v->kind == IR_VALUE_RESULT || v->kind == IR_VALUE_PARAM) && !v->data;
    if (news)
        v->data = MATTERS;
    return news;
}

/* What is laid out in shared memory is there to be used: that it came from undefined memory would
 * not be seen any more. */
static bool into_shared(const struct ir_inst *i)
{
    return ir_space(i->args[0]->type) == IR_SPACE_SHARED;
}

static bool uses_matter(struct ir_inst *i)
{
    bool news = false;
    for (uint32_t k = 0; k < i->nargs; k++) {
        const bool moved = i->op == IR_OP_store    ? k == 1 && !into_shared(i)
                           : i->op == IR_OP_select ? k > 0 && !i->results[0].data
                                                   : false;
        if (!moved)
            news |= matter(i->args[k]);
    }
    for (uint32_t e = 0; e < i->nedges; e++)
        for (uint32_t k = 0; k < i->edges[e].nargs; k++)
            if (i->edges[e].to->params.data[k]->data)
                news |= matter(i->edges[e].args[k]);
    return news;
}

static void find_what_matters(struct ir_func *f)
{
    bool news = true;
    ir_each_block (b, f) {
        vec_each (struct ir_value *, p, &b->params)
            (*p)->data = NULL;
        ir_each_inst (i, b)
            for (uint32_t k = 0; k < i->nresults; k++)
                i->results[k].data = NULL;
    }
    while (news) {
        news = false;
        ir_each_block (b, f)
            ir_each_inst (i, b)
                news |= uses_matter(i);
    }
}

/* What a strong access reads is known when it has: others may have written meanwhile. */
static void has_read(struct ir_inst *i)
{
    const enum ir_space space = ir_space(i->args[0]->type);
    const bool strong = i->op != IR_OP_load || i->flags & IR_VOLATILE || ir_order(i->flags);
    if (!strong || space == IR_SPACE_LOCAL || space == IR_SPACE_PARAM || space == IR_SPACE_CONST)
        return;
    struct ir_builder b = ir_builder_before(i);
    b.span = i->span;
    b.before = i->next;
    tell(&b, flags_of(i, IR_CHECK_GOT, space, ir_bytes(i->type), 1), i->args, 1);
}

/* What it reads, which may be less than it writes, is laid out in shared memory. */
static void copy_async(struct ir_inst *i)
{
    struct ir_value *n = i->args[2];
    if (ir_is_const(n) && n->u.bits >= i->imm) {
        access(i, i->args[1], IR_CHECK_READ, i->imm, NULL, 0);
    } else {
        struct ir_builder b = ir_builder_before(i);
        b.span = i->span;
        struct ir_value *most = ir_const(b.module, n->type, i->imm),
                        *less = ir_build2(&b, IR_OP_ult, n->type, n, most);
        n = ir_build3(&b, IR_OP_select, n->type, less, n, most);
        n = ir_build1(&b, IR_OP_zext, IR_I64, n);
        access(i, i->args[1], IR_CHECK_READ, 0, n, 0);
    }
    access(i, i->args[0], IR_CHECK_WRITE, i->imm, NULL, IR_CHECK_ASYNC);
}

static void await_copies(struct ir_inst *i)
{
    struct ir_builder b = ir_builder_before(i);
    struct ir_value *most = ir_const(b.module, IR_I64, i->imm);
    b.span = i->span;
    b.before = i->next;
    tell(&b, flags_of(i, IR_CHECK_AWAIT, IR_SPACE_GENERIC, 0, 1), &most, 1);
}

static void instruction(struct ir_inst *i)
{
    switch (i->op) {
    case IR_OP_load:
        access(i, i->args[0], IR_CHECK_READ, ir_bytes(i->type), NULL,
               i->results[0].data ? 0 : IR_CHECK_COPIES);
        has_read(i);
        break;
    case IR_OP_store: access(i, i->args[0], IR_CHECK_WRITE, ir_bytes(i->type), NULL, 0); break;
    case IR_OP_rmw:
    case IR_OP_cas:
        access(i, i->args[0], IR_CHECK_ATOMIC, ir_bytes(i->type), NULL, 0);
        has_read(i);
        break;
    case IR_OP_memcpy:
        access(i, i->args[1], IR_CHECK_READ, 0, i->args[2], IR_CHECK_COPIES);
        access(i, i->args[0], IR_CHECK_WRITE, 0, i->args[2], 0);
        break;
    case IR_OP_memset: access(i, i->args[0], IR_CHECK_WRITE, 0, i->args[2], 0); break;
    case IR_OP_cpasync: copy_async(i); break;
    case IR_OP_cpasync_commit: around(i, IR_CHECK_COMMIT, IR_CHECK_COMMIT, 0); break;
    case IR_OP_cpasync_wait: await_copies(i); break;
    case IR_OP_fence: around(i, IR_CHECK_FENCE, IR_CHECK_FENCE, 0); break;
    case IR_OP_barrier:
    case IR_OP_barrier_red: around(i, IR_CHECK_BARRIER, IR_CHECK_PASSED, 2); break;
    case IR_OP_barrier_arrive: around(i, IR_CHECK_ARRIVE, IR_CHECK_ARRIVE, 2); break;
    case IR_OP_warpsync: around(i, IR_CHECK_WARPSYNC, IR_CHECK_WARPED, 1); break;
    case IR_OP_shfl:
    case IR_OP_vote:
    case IR_OP_match:
    case IR_OP_redux: around(i, IR_CHECK_MASK, IR_CHECK_MASK, 1); break;
    case IR_OP_assertfail:
    case IR_OP_trap: around(i, IR_CHECK_FAILS, IR_CHECK_FAILS, 0); break;
    case IR_OP_gridsync: around(i, IR_CHECK_GRID, IR_CHECK_GRIDDED, 0); break;
    case IR_OP_malloc:
    case IR_OP_free: heap(i); break;
    default: break;
    }
}

static void instrument(struct arena *scratch, struct ir_func *f)
{
    (void)scratch;
    if (!f->first)
        return;
    VEC(struct ir_inst *) all = {0};
    find_what_matters(f);
    ir_each_block (b, f)
        ir_each_inst (i, b)
            if (i->op != IR_OP_check)
                vec_push(scratch, &all, i);
    vec_each (struct ir_inst *, i, &all)
        instruction(*i);
}

static void marks(struct arena *scratch, struct ir_func *f)
{
    (void)scratch;
    if (f->first)
        mark_locals(f);
}

/* ---- code that looks by itself ---- */
static void look(void *ctx, struct ir_func *f)
{
    const uint64_t *flags = ctx;
    if (!*flags || !f->first)
        return;
    ir_each_block (b, f)
        ir_each_inst (i, b)
            if (i->op == IR_OP_check)
                i->imm |= *flags;
    if (!(f->flags & IR_FUNC_KERNEL))
        return;
    struct ir_inst *first = f->first->first;
    while (first->op == IR_OP_alloca)
        first = first->next;
    struct ir_builder b = ir_builder_before(first);
    b.span = first->span;
    tell(&b, *flags | IR_CHECK_BLOCK, NULL, 0);
}

static const struct pass list[] = {
    PASS_ROW("instrument", "what threads do is told to the checker", .plain = instrument),
    PASS_ROW("marks", "local arrays remember what was stored", .plain = marks),
    PASS_ROW("look", "code looks by itself before it tells", .func = look),
    PASS_END,
};

static const struct pass logs[] = {
    PASS_ROW("log", "what is told becomes records for the host", .func = check_log),
    PASS_END,
};

bool check_instrument(const struct check *c, enum check_how how, struct arena *a,
                      struct ir_module *m, struct diag *diag, struct pass_log *log)
{
    const bool can = !c->races || c->arena; /* else there are no stamps to look at */
    uint64_t flags = how != CHECK_INLINE || !can
                         ? 0
                         : IR_CHECK_INLINE | (c->races ? (uint64_t)IR_CHECK_RACES : 0);
    struct passes p = {
        .arena = a, .module = m, .diag = diag, .stage = "check", .level = 2, .log = log};
    return pass_run(&p, list, &flags) && pass_run(&p, logs, &how) && pass_check(&p, NULL);
}
