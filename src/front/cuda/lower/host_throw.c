/* Exceptions of host code, and descriptors of types.
 *
 * Nothing unwinds by tables: a function that something is thrown through returns, and its caller
 * looks. So the same code is right in machine code and in WebAssembly, with destructors run by the
 * functions that own the objects. After a call that may throw the program reads
 * std::__tern_thrown, the number of exceptions under way in all threads, and if there is one asks
 * std::__tern_pending whether it is this thread's. Where it is, control goes to the landing of
 * the innermost cleanup: each destroys what is its own and goes on to the next one outside,
 * up to a handler or the function's end. <exception> has the rest, in C++.
 *
 * A program without `try` has none of this: what is thrown ends it. In one that has, calls of
 * functions that throw nothing are found when all is lowered, and lose their checks. */
#include "front/cuda/lower/lower.h"

#define PTR IR_PTR_TO(IR_SPACE_GENERIC)

static struct decl *std_decl(struct lower *l, const char *name)
{
    struct front *f = l->f;
    struct found r;
    if (!f->std || !cu_lookup_in(f, f->std, intern_z(f->names, name), &r))
        cu_error(f, l->b.span, "internal: <exception> has no '%s'", name);
    return r.decls[0];
}

static struct ir_value *call_std(struct lower *l, const char *name, struct ir_value **args,
                                 uint32_t n)
{
    struct func *fn = (struct func *)std_decl(l, name);
    return ir_build_call(&l->b, lo_func(l, fn, l->b.span), args, n);
}

/* ---- checks ---- */

static bool catches(const struct lower *l)
{
    return l->host && l->f->catches;
}

struct ir_block *lo_landing(struct lower *l, struct cleanup *c)
{
    if (!c) {
        if (!l->unwind)
            l->unwind = lo_block(l, "unwind");
        return l->unwind;
    }
    if (!c->landing) {
        c->landing = lo_block(l, "landing");
        vec_push(l->f->a, &l->host->landings, c);
    }
    return c->landing;
}

/* Nothing leaves these by being thrown. */
static bool holds_all(struct lower *l)
{
    struct func *fn = l->func;
    return fn->d.name == l->f->n_main || fn->is_dtor || cu_is_noexcept(l->f, fn);
}

static void note(struct lower *l, struct ir_func *callee, struct ir_value *seen)
{
    struct host_check c = {.in = l->fn, .callee = callee, .seen = seen, .stays = holds_all(l)};
    vec_push(l->f->a, &l->host->checks, c);
}

void lo_after_call(struct lower *l, struct func *fn, struct ir_func *callee)
{
    if (!catches(l) || lo_ended(l) || (fn && cu_is_noexcept(l->f, fn)))
        return;
    struct ir_value *thrown = lo_global(l, (struct var *)std_decl(l, "__tern_thrown"), l->b.span);
    struct ir_value *seen = ir_build_load(&l->b, IR_I32, thrown, 4, 0);
    struct ir_block *ask = lo_block(l, "ask"), *on = lo_block(l, "on");
    note(l, callee, seen);
    lo_condbr(l, ir_build2(&l->b, IR_OP_ne, IR_I32, seen, lo_int(l, IR_I32, 0)), ask, on);
    lo_seal(l, ask);
    lo_start(l, ask);
    struct ir_value *mine = call_std(l, "__tern_pending", NULL, 0);
    lo_condbr(l, ir_build2(&l->b, IR_OP_ne, IR_I32, mine, lo_int(l, IR_I32, 0)),
              lo_landing(l, l->cleanups), on);
    lo_seal(l, on);
    lo_start(l, on);
}

/* What is thrown lies behind its std::__tern_exception, which says how it is destroyed. */
static void raise(struct lower *l, struct expr *e)
{
    enum { HEAD = 48 };
    struct type *t = e->a->type;
    struct cleanup *save = l->cleanups;
    struct ir_value *x = lo_value(l, e->b);
    struct place to = {.ptr = lo_offset(l, x, HEAD), .align = cu_alignof(l->f, t, e->span)};
    if (to.align > 16)
        cu_error(l->f, e->span, "'%s' is aligned to more than 16 bytes: it cannot be thrown",
                 cu_type_str(l->f, t));
    lo_push_undo(l, CLEANUP_FREE, t, x);
    lo_into(l, e->a, to);
    lo_forget_undo(l, save);
    struct ir_value *args[2] = {x, cu_trivial_dtor(l->f, t) ? ir_const(l->m, PTR, 0)
                                                            : lo_host_destroyer(l, t)};
    call_std(l, "__tern_raise", args, 2);
}

void lo_throw(struct lower *l, struct expr *e)
{
    if (e->a)
        raise(l, e);
    else
        lo_discard(l, e->b);
    if (!lo_ended(l)) {
        if (catches(l)) {
            note(l, NULL, NULL);
            lo_br(l, lo_landing(l, l->cleanups));
        } else {
            call_std(l, "__tern_escaped", NULL, 0);
            ir_build(&l->b, IR_OP_unreachable, IR_VOID, NULL, 0);
        }
    }
    struct ir_block *b = lo_block(l, "dead");
    lo_seal(l, b);
    lo_start(l, b);
}

/* Something that is only to be undone if what follows throws. */
void lo_push_undo(struct lower *l, enum cleanup_kind kind, struct type *t, struct ir_value *p)
{
    if (!catches(l) || (kind == CLEANUP_DESTROY && cu_trivial_dtor(l->f, t)))
        return;
    struct cleanup *c = arena_new(l->f->a, struct cleanup);
    *c =
        (struct cleanup){.kind = kind, .only_thrown = true, .type = t, .ptr = p, .up = l->cleanups};
    c->flag = ir_build_alloca(l->fn, 1, 1, "undone");
    ir_build_store(&l->b, c->flag, lo_int(l, IR_I1, 1), 1, 0);
    l->cleanups = c;
}

/* Elements of type t at p: those below the number that is to be kept where this says. */
struct ir_value *lo_push_elements(struct lower *l, struct type *t, struct ir_value *p)
{
    struct cleanup *before = l->cleanups;
    if (cu_trivial_dtor(l->f, t))
        return NULL;
    lo_push_undo(l, CLEANUP_ELEMENTS, t, p);
    if (l->cleanups == before)
        return NULL;
    return l->cleanups->count = ir_build_alloca(l->fn, 8, 8, "count");
}

static void destroy_elements(struct lower *l, const struct cleanup *c)
{
    struct ir_value *args[4] = {lo_generic(l, c->ptr), ir_build_load(&l->b, IR_I64, c->count, 8, 0),
                                lo_int(l, IR_I64, cu_sizeof(l->f, c->type, l->b.span)),
                                lo_host_destroyer(l, c->type)};
    call_std(l, "__tern_destroy_all", args, 4);
}

/* What was pushed since is done: temporaries above it may live on. */
void lo_forget_undo(struct lower *l, struct cleanup *down_to)
{
    while (l->cleanups != down_to && l->cleanups->only_thrown)
        l->cleanups = l->cleanups->up;
    for (struct cleanup *c = l->cleanups; c && c != down_to; c = c->up)
        if (c->only_thrown && c->flag && !lo_ended(l))
            ir_build_store(&l->b, c->flag, lo_int(l, IR_I1, 0), 1, 0);
}

void lo_undo(struct lower *l, struct cleanup *c)
{
    struct ir_value *p = c->ptr;
    switch (c->kind) {
    case CLEANUP_FREE: ir_build(&l->b, IR_OP_free, IR_VOID, &p, 1); break;
    case CLEANUP_DELETE:
    case CLEANUP_DELETE_ARRAY:
        lo_give_back(l, p, c->kind == CLEANUP_DELETE_ARRAY, (struct span){0});
        break;
    case CLEANUP_ELEMENTS: destroy_elements(l, c); break;
    case CLEANUP_GUARD: lo_host_runtime(l, "__tern_guard_abort", IR_VOID, &p, 1); break;
    case CLEANUP_CAUGHT: call_std(l, "__tern_end_catch", &p, 1); break;
    default: break;
    }
}

void lo_landings(struct lower *l)
{
    if (!catches(l))
        return;
    for (size_t i = 0; i < l->host->landings.len; i++) {
        struct cleanup *c = l->host->landings.data[i];
        lo_start(l, c->landing);
        const bool calls =
            c->kind == CLEANUP_DESTROY || c->kind == CLEANUP_CAUGHT || c->kind == CLEANUP_ELEMENTS;
        struct ir_value *x = calls ? call_std(l, "__tern_take", NULL, 0) : NULL;
        lo_run_cleanup(l, c);
        if (calls)
            call_std(l, "__tern_put", &x, 1);
        lo_br(l, lo_landing(l, c->up));
    }
    l->host->landings.len = 0;
    if (!l->unwind)
        return;
    lo_start(l, l->unwind);
    if (holds_all(l)) {
        call_std(l, "__tern_escaped", NULL, 0);
        ir_build(&l->b, IR_OP_unreachable, IR_VOID, NULL, 0);
    } else {
        ir_build_ret(&l->b, l->fn->ret == IR_VOID ? NULL : ir_const(l->m, l->fn->ret, 0));
    }
}

static bool may_throw(const struct lower *l, const struct ir_func *fn)
{
    return !fn || map_get(&l->host->throwing, map_key(fn)) != NULL;
}

void lo_drop_checks(struct lower *l)
{
    struct lo_host *h = l->host;
    bool any = false, more;
    vec_each (struct host_check, c, &h->checks)
        any |= !c->seen;
    do {
        more = false;
        vec_each (struct host_check, c, &h->checks)
            if (any && !c->stays && may_throw(l, c->callee) && !may_throw(l, c->in)) {
                map_set(&h->throwing, map_key(c->in), c->in);
                more = true;
            }
    } while (more);
    struct ir_func *last = NULL;
    vec_each (struct host_check, c, &h->checks) {
        if (last && last != c->in)
            ir_replace_forwarded(last);
        last = c->in;
        if (c->seen && !(any && may_throw(l, c->callee)))
            c->seen->forward = ir_const(l->m, IR_I32, 0);
    }
    if (last)
        ir_replace_forwarded(last);
}

/* ---- try ---- */

void lo_try(struct lower *l, struct stmt *s)
{
    struct cleanup *outer = l->cleanups, *handler = arena_new(l->f->a, struct cleanup);
    struct ir_block *done = lo_block(l, "tried");
    *handler = (struct cleanup){
        .kind = CLEANUP_HANDLER, .only_thrown = true, .landing = lo_block(l, "catch"), .up = outer};
    l->cleanups = handler;
    if (s->whole && l->func->is_ctor)
        lo_member_inits(l, l->func);
    lo_stmt(l, s->body);
    l->cleanups = outer;
    lo_br(l, done);
    lo_start(l, handler->landing);
    struct ir_value *x = call_std(l, "__tern_take", NULL, 0);
    bool all = false;
    for (struct stmt *c = s->other; c && !all; c = c->next) {
        struct ir_block *yes = lo_block(l, "caught"), *no = lo_block(l, "not_caught");
        struct ir_value *object = NULL;
        all = !c->var;
        if (c->var) {
            struct ir_value *args[2] = {x, lo_generic(l, lo_descriptor(l, c->var->d.type->elem))};
            object = call_std(l, "__tern_match", args, 2);
            lo_condbr(l, ir_build2(&l->b, IR_OP_ne, PTR, object, ir_const(l->m, PTR, 0)), yes, no);
        } else {
            lo_br(l, yes);
        }
        lo_seal(l, yes);
        lo_start(l, yes);
        call_std(l, "__tern_begin_catch", &x, 1);
        struct cleanup *end = arena_new(l->f->a, struct cleanup);
        *end = (struct cleanup){.kind = CLEANUP_CAUGHT, .ptr = x, .up = outer};
        l->cleanups = end;
        if (c->var) {
            c->var->ir_owner = l->serial;
            c->var->ssa = 0;
            c->var->ir = NULL;
            lo_write(l, c->var, object);
        }
        if (c->init)
            lo_stmt(l, c->init);
        lo_stmt(l, c->body);
        lo_pop_cleanups(l, outer);
        lo_br(l, done);
        lo_seal(l, no);
        lo_start(l, no);
    }
    if (!all) {
        call_std(l, "__tern_put", &x, 1);
        lo_br(l, lo_landing(l, outer));
    }
    lo_seal(l, done);
    lo_start(l, done);
}

/* ---- descriptors ---- */

/* As std::type_info has it: name, text, what it is, how many parts, where they are. */
enum { INFO_OTHER, INFO_CLASS, INFO_POINTER };
enum { INFO_BYTES = 32, PART_BYTES = 24 };

static void put_part(struct lower *l, struct ir_global *g, uint8_t *bytes, size_t k, struct type *t,
                     int64_t offset, int64_t seen)
{
    struct ir_reloc r = {.offset = (uint32_t)(k * PART_BYTES), .target = lo_descriptor(l, t)};
    memcpy(bytes + k * PART_BYTES + 8, &offset, 8);
    memcpy(bytes + k * PART_BYTES + 16, &seen, 8);
    vec_push(l->f->a, &g->relocs, r);
}

/* The bases of a class, or what a pointer points to. */
static struct ir_value *parts_of(struct lower *l, struct type *t, const char *name, uint32_t *n)
{
    struct front *f = l->f;
    *n = t->kind == TY_POINTER ? 1 : t->kind == TY_CLASS ? (uint32_t)t->cls->bases.len : 0;
    if (!*n)
        return NULL;
    struct ir_global *g = ir_global_new(l->m, arena_printf(f->a, "parts.%s", name), IR_SPACE_GLOBAL,
                                        (uint64_t)PART_BYTES * *n, 8, 0);
    uint8_t *bytes = arena_alloc(f->a, (size_t)PART_BYTES * *n);
    memset(bytes, 0, (size_t)PART_BYTES * *n);
    g->init = bytes;
    if (t->kind == TY_POINTER)
        put_part(l, g, bytes, 0, t->elem->unqual, t->elem->quals, 1);
    else
        for (size_t k = 0; k < *n; k++) {
            const struct base_class *b = &t->cls->bases.data[k];
            int64_t offset = (int64_t)b->offset, v = 0;
            while (b->is_virtual && t->cls->vbases.data[v].cls != b->cls)
                v++;
            if (b->is_virtual) /* the table has it there */
                offset = -VTABLE_HEAD - 8 * (v + 1);
            put_part(l, g, bytes, k, b->cls->type, offset,
                     (b->access == ACCESS_PUBLIC) + 2 * b->is_virtual);
        }
    return ir_global_value(g);
}

struct ir_value *lo_descriptor(struct lower *l, struct type *t)
{
    struct front *f = l->f;
    const char *text = cu_type_str(f, t = t->unqual), *mangled = cu_mangle_type(f, t);
    const char *name = arena_printf(f->a, "type.%s", mangled);
    struct ir_global *g = ir_global_find(l->m, intern_z(l->m->names, name));
    if (g)
        return ir_global_value(g);
    if (t->kind == TY_CLASS && t->cls->state == CLASS_COMPLETE)
        cu_layout(f, t->cls, l->b.span);
    g = ir_global_new(l->m, name, IR_SPACE_GLOBAL, INFO_BYTES, 8, 0);
    uint8_t *bytes = arena_alloc(f->a, INFO_BYTES);
    memset(bytes, 0, INFO_BYTES);
    g->init = bytes;
    uint32_t n;
    struct ir_value *parts = parts_of(l, t, mangled, &n);
    const uint32_t kind = t->kind == TY_CLASS     ? INFO_CLASS
                          : t->kind == TY_POINTER ? INFO_POINTER
                                                  : INFO_OTHER;
    memcpy(bytes + 16, &kind, 4);
    memcpy(bytes + 20, &n, 4);
    const struct str short_name = {mangled, strlen(mangled)}, long_name = {text, strlen(text)};
    struct ir_reloc relocs[] = {
        {.offset = 0, .target = lo_string(l, short_name, short_name.len + 1, 1)},
        {.offset = 8, .target = lo_string(l, long_name, long_name.len + 1, 1)},
        {.offset = 24, .target = parts}};
    for (unsigned k = 0; k < (parts ? 3u : 2u); k++)
        vec_push(f->a, &g->relocs, relocs[k]);
    return ir_global_value(g);
}

/* typeid: of an object, in front of its table of virtual functions. */
struct ir_value *lo_typeid(struct lower *l, struct expr *e)
{
    if (!e->a)
        return lo_descriptor(l, e->u.cast);
    struct ir_value *object = lo_place(l, e->a).ptr;
    struct ir_value *table = ir_build_load(&l->b, PTR, object, 8, 0);
    return ir_build_load(&l->b, PTR, lo_offset(l, table, -8), 8, 0);
}
