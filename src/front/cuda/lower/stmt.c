/* Statements to IR: blocks, branches, and the convergence regions around them. */
#include "front/cuda/lower/lower.h"

/* Code after a jump is kept, in a block that nothing leads to, and removed at the end. */
static void dead_block(struct lower *l)
{
    struct ir_block *b = lo_block(l, "dead");
    lo_seal(l, b);
    lo_start(l, b);
}

static void list(struct lower *l, struct stmt *s)
{
    struct open_list here = {.first = s, .up = l->lists};
    l->lists = &here;
    for (; s; s = s->next) {
        here.cleanups = l->cleanups;
        lo_stmt(l, s);
    }
    l->lists = here.up;
}

static bool has_jump(struct stmt *s, enum stmt_kind k)
{
    for (; s; s = s->next) {
        if (s->kind == k)
            return true;
        bool nested = s->kind == STMT_WHILE || s->kind == STMT_DO || s->kind == STMT_FOR ||
                      (k == STMT_BREAK && s->kind == STMT_SWITCH);
        if (nested)
            continue;
        if ((s->body && has_jump(s->body, k)) || (s->other && has_jump(s->other, k)))
            return true;
    }
    return false;
}

static void lower_if(struct lower *l, struct stmt *s)
{
    struct cleanup *save = l->cleanups;
    list(l, s->init);
    if (s->var)
        lo_local(l, s->var);
    if (s->cond->kind ==
        EX_INT) { /* known: only one side is compiled, unless a label is in the other */
        struct stmt *dead = s->cond->u.i ? s->other : s->body,
                    *live = s->cond->u.i ? s->body : s->other;
        bool labels = l->has_goto || l->case_block;
        if (!dead || !labels) {
            if (live)
                lo_stmt(l, live);
            lo_pop_cleanups(l, save);
            return;
        }
    }
    struct ir_value *c = lo_cond(l, s->cond);
    struct ir_value *token = lo_split(l);
    struct ir_block *yes = lo_block(l, "then"), *done = lo_block(l, "endif"),
                    *no = s->other ? lo_block(l, "else") : done;
    lo_condbr(l, c, yes, no);
    lo_seal(l, yes);
    lo_start(l, yes);
    if (s->body)
        lo_stmt(l, s->body);
    lo_br(l, done);
    if (s->other) {
        lo_seal(l, no);
        lo_start(l, no);
        lo_stmt(l, s->other);
        lo_br(l, done);
    }
    lo_seal(l, done);
    lo_start(l, done);
    lo_join(l, token);
    lo_pop_cleanups(l, save);
}

static void push_jump(struct lower *l, struct jump_target *j, struct ir_block *brk,
                      struct ir_block *cont)
{
    j->break_to = brk;
    j->continue_to = cont ? cont : l->jumps ? l->jumps->continue_to : NULL;
    j->is_switch = !cont;
    j->cleanups = l->cleanups;
    j->up = l->jumps;
    l->jumps = j;
}

/* The body of a loop, in a region of its own when a `continue` may leave it early. */
static void loop_body(struct lower *l, struct stmt *s, struct ir_block *next)
{
    struct ir_value *token = NULL;
    if (s->body && has_jump(s->body, STMT_CONTINUE))
        token = lo_split(l);
    if (s->body)
        lo_stmt(l, s->body);
    lo_br(l, next);
    lo_seal(l, next);
    lo_start(l, next);
    if (token)
        lo_join(l, token);
}

static void lower_loop(struct lower *l, struct stmt *s)
{
    struct cleanup *outer = l->cleanups;
    list(l, s->init);
    bool post = s->kind == STMT_DO;
    struct ir_value *token = lo_split(l);
    struct ir_block *head = lo_block(l, post ? "do" : "loop"), *next = lo_block(l, "next"),
                    *done = lo_block(l, "endloop");
    head->unroll = s->unroll < 0 ? 0 : s->unroll == 0 ? IR_UNROLL_ALL : (uint32_t)s->unroll;
    lo_br(l, head);
    lo_start(l, head);
    struct jump_target j;
    struct cleanup *inner = l->cleanups;
    if (!post) {
        if (s->var)
            lo_local(l, s->var);
        struct ir_block *body = lo_block(l, "body");
        if (s->cond)
            lo_condbr(l, lo_cond(l, s->cond), body, done);
        else
            lo_br(l, body);
        lo_seal(l, body);
        lo_start(l, body);
    }
    push_jump(l, &j, done, next);
    loop_body(l, s, next);
    if (s->step)
        lo_full(l, s->step);
    if (s->var && !post)
        lo_pop_cleanups(l, inner);
    if (post)
        lo_condbr(l, lo_cond(l, s->cond), head, done);
    else
        lo_br(l, head);
    l->jumps = j.up;
    l->cleanups = inner;
    lo_seal(l, head);
    lo_seal(l, done);
    lo_start(l, done);
    lo_join(l, token);
    lo_pop_cleanups(l, outer);
}

static void lower_switch(struct lower *l, struct stmt *s)
{
    struct cleanup *save = l->cleanups;
    l->has_switch = true;
    list(l, s->init);
    if (s->var)
        lo_local(l, s->var);
    struct ir_value *v = lo_cond(l, s->cond);
    struct ir_value *token = lo_split(l);
    struct ir_block *done = lo_block(l, "endswitch"), *other = done;
    for (struct stmt *c = s->cases; c; c = c->case_next) {
        c->ir = lo_block(l, c->kind == STMT_CASE ? "case" : "default");
        if (c->kind == STMT_DEFAULT)
            other = c->ir;
    }
    struct ir_inst *sw = ir_build(&l->b, IR_OP_switch, v->type, &v, 1);
    lo_switch_edge(l, sw, other, 0);
    unsigned bits = ir_bits(v->type);
    uint64_t mask = bits < 64 ? (UINT64_C(1) << bits) - 1 : ~UINT64_C(0);
    for (struct stmt *c = s->cases; c; c = c->case_next)
        for (uint64_t k = c->lo; c->kind == STMT_CASE; k++) {
            lo_switch_edge(l, sw, c->ir, k & mask);
            if (k == c->hi)
                break;
        }
    struct jump_target j;
    push_jump(l, &j, done, NULL);
    struct ir_block *save_case = l->case_block;
    l->case_block = done;
    dead_block(l); /* what stands before the first case is never reached */
    if (s->body)
        lo_stmt(l, s->body);
    lo_br(l, done);
    l->case_block = save_case;
    l->jumps = j.up;
    lo_seal(l, done);
    lo_start(l, done);
    lo_join(l, token);
    lo_pop_cleanups(l, save);
}

static void lower_return(struct lower *l, struct stmt *s)
{
    struct func *fn = l->func;
    struct type *t = fn->is_ctor || fn->is_dtor ? cu_type(l->f, TY_VOID) : fn->d.type->elem;
    struct cleanup *save = l->cleanups;
    struct ir_value *v = NULL;
    if (s->cond) {
        if (cu_is_ref(t)) {
            struct place p = lo_place(l, s->cond);
            if (!p.ptr)
                cu_error(l->f, s->cond->span, "internal: a reference to a register variable");
            v = lo_generic(l, p.ptr);
        } else if (t->kind == TY_CLASS || t->kind == TY_ARRAY) {
            struct place p = {.ptr = l->result_ptr, .align = cu_alignof(l->f, t, s->span)};
            if (!s->var || s->var != l->named_result)
                lo_into(l, s->cond, p);
        } else if (t->kind == TY_VOID) {
            lo_discard(l, s->cond);
        } else {
            v = lo_value(l, s->cond);
        }
    }
    lo_run_cleanups(l, NULL);
    l->cleanups = save;
    if (fn->is_dtor) { /* members are destroyed at the common end */
        lo_br(l, l->labels->block);
    } else if (!lo_ended(l)) {
        ir_build_ret(&l->b, v);
    }
    dead_block(l);
}

static struct label *find_label(struct lower *l, const char *name, struct span at)
{
    for (struct label *x = l->labels; x; x = x->next)
        if (x->name == name)
            return x;
    struct label *x = arena_new(l->f->a, struct label);
    x->name = name;
    x->block = lo_block(l, name);
    x->span = at;
    x->next = l->labels;
    l->labels = x;
    return x;
}

static bool holds_label(const struct stmt *s, const char *name)
{
    for (; s; s = s->next)
        if ((s->kind == STMT_LABEL && s->label == name) || holds_label(s->body, name) ||
            holds_label(s->other, name))
            return true;
    return false;
}

/* The objects that live on where a label is. No jump goes past an object's first value, so before
 * the label is met they are those that lived when the statement began, of the statements around it,
 * that this jump is in. */
static struct cleanup *alive_at(struct lower *l, const struct label *x)
{
    if (x->defined)
        return x->cleanups;
    for (const struct open_list *o = l->lists; o; o = o->up)
        if (holds_label(o->first, x->name))
            return o->cleanups;
    return NULL; /* nowhere: refused where the function ends */
}

void lo_stmt(struct lower *l, struct stmt *s)
{
    if (s->span.loc)
        l->b.span = s->span;
    struct cleanup *save = l->cleanups;
    const source_loc from = l->seen_from, to = l->seen_to;
    lo_seen_in(l, s);
    switch (s->kind) {
    case STMT_NULL: break;
    case STMT_EXPR: lo_full(l, s->cond); break;
    case STMT_DECL: lo_local(l, s->var); break;
    case STMT_BLOCK:
        list(l, s->body);
        lo_pop_cleanups(l, save);
        break;
    case STMT_IF: lower_if(l, s); break;
    case STMT_WHILE:
    case STMT_DO:
    case STMT_FOR: lower_loop(l, s); break;
    case STMT_SWITCH: lower_switch(l, s); break;
    case STMT_CASE:
    case STMT_DEFAULT: {
        struct ir_block *b = s->ir;
        lo_br(l, b);
        lo_seal(l, b);
        lo_start(l, b);
        if (s->body)
            lo_stmt(l, s->body);
        break;
    }
    case STMT_BREAK:
    case STMT_CONTINUE: {
        struct jump_target *j = l->jumps;
        while (s->kind == STMT_CONTINUE && j && j->is_switch)
            j = j->up;
        if (!j)
            cu_error(l->f, s->span, "a jump without a target");
        lo_run_cleanups(l, j->cleanups);
        lo_br(l, s->kind == STMT_BREAK ? j->break_to : j->continue_to);
        dead_block(l);
        break;
    }
    case STMT_RETURN: lower_return(l, s); break;
    case STMT_GOTO: {
        struct label *x = find_label(l, s->label, s->span);
        lo_run_cleanups(l, alive_at(l, x));
        lo_br(l, x->block);
        dead_block(l);
        break;
    }
    case STMT_LABEL: {
        struct label *x = find_label(l, s->label, s->span);
        if (x->defined)
            cu_error_note(l->f, s->span, x->span, "the first one is here",
                          "the label '%s' appears twice", s->label);
        x->defined = true;
        x->cleanups = l->cleanups;
        lo_br(l, x->block);
        lo_start(l, x->block);
        if (s->body)
            lo_stmt(l, s->body);
        break;
    }
    case STMT_ASM: lo_asm(l, s); break;
    case STMT_TRY:
        if (cu_host(l->f))
            lo_try(l, s);
        break;
    case STMT_CATCH: break; /* in lo_try */
    }
    l->seen_from = from;
    l->seen_to = to;
}
