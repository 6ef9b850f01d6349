/* Memory of a block that is held in locals.
 *
 * Engines check each access to memory, and keep locals in registers or on a stack that they need
 * not check. Where a block's code is straight, with all gangs written out, and every access to an
 * array in shared memory is to places that are known, the array needs no memory: a load is a
 * shuffle of what was stored there last. Here each access gets, in `data`, what simd.c writes
 * instead: for a load the word that each lane reads, for a store a mark that there is nothing to
 * do. */
#include <string.h>
#include "back/wasm/wasm_int.h"

enum { MOST_WORDS = 4096 };

struct object {
    const struct ir_value *root; /* a shared global or an alloca */
    uint32_t nwords;
    bool lost; /* somebody looks at it in a way that only memory can do */
    struct wasm_word *words;
};

struct held {
    struct wasm *w;
    VEC(struct object) objects;
};

static const struct ir_inst *made_by(const struct ir_value *v)
{
    return v->kind == IR_VALUE_RESULT ? v->u.inst : NULL;
}

static bool leads_on(const struct ir_inst *i) /* to the same object */
{
    return i->op == IR_OP_ptradd || i->op == IR_OP_splat || i->op == IR_OP_cvta;
}

static struct object *object_of(struct held *h, const struct ir_value *v)
{
    if (ir_class(ir_scalar(v->type)) != IR_CLASS_PTR)
        return NULL;
    for (const struct ir_inst *i; (i = made_by(v)) && leads_on(i);)
        v = i->args[0];
    const struct ir_inst *i = made_by(v);
    const bool shared = v->kind == IR_VALUE_GLOBAL && v->u.global->space == IR_SPACE_SHARED;
    if (!shared && !(i && i->op == IR_OP_alloca))
        return NULL;
    vec_each (struct object, o, &h->objects)
        if (o->root == v)
            return o;
    const uint64_t bytes = shared ? v->u.global->size : i->imm;
    struct object o = {.root = v, .nwords = (uint32_t)(bytes / 4)};
    if (!bytes || bytes % 4 || bytes / 4 > MOST_WORDS)
        o.lost = true;
    else
        o.words = arena_array(h->w->arena, struct wasm_word, o.nwords);
    vec_push(h->w->arena, &h->objects, o);
    return &h->objects.data[h->objects.len - 1];
}

/* What lane `lane` of a number is, where that is known. */
static bool number(const struct wasm *w, const struct ir_value *v, unsigned lane, uint32_t *out)
{
    if (ir_is_const(v))
        *out = (uint32_t)v->u.bits;
    else if (v->kind == IR_VALUE_RESULT && w->known[v->id])
        *out = w->known[v->id][lane];
    else
        return false;
    return true;
}

/* The word of its object that a lane's pointer points to. */
static struct wasm_word *word_at(const struct held *h, const struct object *o,
                                 const struct ir_value *v, unsigned lane)
{
    uint32_t at = 0, more = lane;
    if (!ir_is_vector(v->type))
        at = 4 * lane; /* side by side */
    for (const struct ir_inst *i; (i = made_by(v)) && leads_on(i); v = i->args[0]) {
        if (i->op == IR_OP_ptradd && !number(h->w, i->args[1], lane, &more))
            return NULL;
        at += i->op == IR_OP_ptradd ? more : 0;
    }
    return at % 4 || at / 4 >= o->nwords ? NULL : &o->words[at / 4];
}

static bool is_word(ir_type t)
{
    return ir_kind(t) == IR_I32 || ir_kind(t) == IR_F32;
}

/* Does it do so with memory at its first argument? Then, which argument is its mask. */
static bool moves(const struct ir_inst *i, bool *store, uint32_t *mask)
{
    *store = i->op == IR_OP_store || i->op == IR_OP_mstore || i->op == IR_OP_scatter;
    *mask = *store ? 2 : 1;
    return *store || i->op == IR_OP_load || i->op == IR_OP_mload || i->op == IR_OP_gather;
}

static bool follow(struct held *h, struct ir_inst *i, struct object *o)
{
    bool store;
    uint32_t m;
    moves(i, &store, &m);
    const struct ir_value *at = i->args[0], *x = store ? i->args[1] : &i->results[0];
    const unsigned lanes = ir_is_vector(x->type) ? ir_lanes(x->type) : 1;
    if (!is_word(x->type) || (store && lanes == 1))
        return false;
    struct wasm_word *read = arena_array(h->w->arena, struct wasm_word, lanes);
    for (unsigned lane = 0; lane < lanes; lane++) {
        uint32_t run = 1;
        if (m < i->nargs && !number(h->w, i->args[m], lane, &run))
            return false;
        if (!(run & 1))
            continue;
        struct wasm_word *word = word_at(h, o, at, lane);
        if (!word || (!store && !word->value) ||
            (lanes == 1 && ir_kind(word->value->type) != ir_kind(x->type)))
            return false;
        if (store)
            *word = (struct wasm_word){x, lane};
        else
            read[lane] = *word;
    }
    i->data = read;
    return true;
}

/* One time through the code; true: it holds for all objects that are not lost. */
static bool walk(struct held *h, struct ir_func *f)
{
    bool store, ok = true;
    uint32_t mask;
    vec_each (struct object, o, &h->objects)
        if (!o->lost)
            memset(o->words, 0, o->nwords * sizeof *o->words);
    for (struct ir_inst *i = f->first->first; i; i = i->next) {
        const bool is_move = moves(i, &store, &mask);
        if (is_move)
            i->data = NULL;
        for (uint32_t k = 0; k < i->nargs; k++) {
            struct object *o = object_of(h, i->args[k]);
            if (!o || o->lost || (leads_on(i) && k == 0))
                continue;
            o->lost = !(is_move && k == 0 && follow(h, i, o));
            ok &= !o->lost;
        }
    }
    return ok;
}

bool wasm_hold(struct wasm *w, struct ir_func *f)
{
    struct held h = {.w = w};
    bool all = true;
    ir_each_block (b, f)
        ir_each_inst (i, b) {
            bool store;
            uint32_t mask;
            if (moves(i, &store, &mask))
                i->data = NULL;
        }
    if (f->first != f->last)
        return false;
    while (!walk(&h, f))
        ;
    vec_each (struct object, o, &h.objects)
        all &= !o->lost;
    return all;
}
