/* Register promotion of shared memory: arrays of a block that live in locals.
 *
 * Engines check each access to memory, and keep locals in registers or on a stack that they need
 * not check. Where a block's code is straight, with all gangs written out, and every access to an
 * array in shared memory is to places that are known, the array needs no memory: a load is a
 * shuffle of what was stored there last. Here each access gets, in `data`, what is written instead:
 * for a load the word that each lane reads, for a store a mark that there is nothing to do. */
#include <string.h>
#include "back/wasm/wasm_int.h"

enum { MOST_WORDS = 4096 };

struct object {
    const struct ir_value *root; /* a shared global or an alloca */
    uint32_t nwords;
    bool lost; /* somebody looks at it in a way that only memory can do */
    struct wasm_word *words;
};

struct promotion {
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

static struct object *object_of(struct promotion *h, const struct ir_value *v)
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
    else if (v->kind == IR_VALUE_RESULT && w->constant_lanes[v->id])
        *out = w->constant_lanes[v->id][lane];
    else
        return false;
    return true;
}

/* The word of its object that a lane's pointer points to. */
static struct wasm_word *word_at(const struct promotion *h, const struct object *o,
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

static bool follow(struct promotion *h, struct ir_inst *i, struct object *o)
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
static bool walk(struct promotion *h, struct ir_func *f)
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
    struct promotion h = {.w = w};
    bool all = true;
    ir_each_block (b, f)
        ir_each_inst (i, b) {
            bool store;
            uint32_t mask;
            if (moves(i, &store, &mask))
                i->data = NULL;
        }
    w->zips.len = 0;
    if (f->first != f->last)
        return false;
    while (!walk(&h, f))
        ;
    vec_each (struct object, o, &h.objects)
        all &= !o->lost;
    return all;
}

/* ---- writing it ---- */

static unsigned bytes_of_word(const struct wasm_word *words, unsigned byte) /* in its part */
{
    return words[byte / 4].lane % 4 * 4 + byte % 4;
}

static bool in_same_part(const struct wasm_word *a, const struct wasm_word *b)
{
    return a->value == b->value && a->lane / 4 == b->lane / 4;
}

static void word_part(struct wasm *w, const struct wasm_word *word)
{
    wasm_part(w, word->value, word->lane / 4);
}

static const uint8_t zip[2][16] = {{0, 1, 2, 3, 16, 17, 18, 19, 4, 5, 6, 7, 20, 21, 22, 23},
                                   {8, 9, 10, 11, 24, 25, 26, 27, 12, 13, 14, 15, 28, 29, 30, 31}};

/* Two parts zipped, their lower or upper halves: once, however often it is asked for. */
static void zip_two(struct wasm *w, const struct wasm_word *a, const struct wasm_word *b)
{
    const bool upper = a->lane % 4 / 2;
    vec_each (struct wasm_zip, z, &w->zips)
        if (in_same_part(&z->of[0], a) && in_same_part(&z->of[1], b) && z->upper == upper) {
            wasm_local(w, OP_LOCAL_GET, z->local);
            return;
        }
    struct wasm_zip made = {{*a, *b}, upper, wasm_new_local(w, WASM_V128)};
    word_part(w, a);
    word_part(w, b);
    wasm_shuffle(w, zip[upper]);
    wasm_local(w, OP_LOCAL_TEE, made.local);
    vec_push(w->arena, &w->zips, made);
}

/* One lane of four parts: as in a transposition, where the first zips serve four results. */
static void zip_four(struct wasm *w, const struct wasm_word *words)
{
    zip_two(w, &words[0], &words[2]);
    zip_two(w, &words[1], &words[3]);
    wasm_shuffle(w, zip[words[0].lane % 2]);
}

void wasm_promoted_part(struct wasm *w, const struct wasm_word *words)
{
    const struct wasm_word *from[4];
    unsigned nfrom = 0, source[4], asked = 0;
    bool in_place = true, same_lane = true;
    for (unsigned k = 0; k < 4; k++) {
        source[k] = 0;
        if (!words[k].value)
            continue;
        while (source[k] < nfrom && !in_same_part(from[source[k]], &words[k]))
            source[k]++;
        if (source[k] == nfrom)
            from[nfrom++] = &words[k];
        asked |= 1u << k;
        in_place &= words[k].lane % 4 == k;
        same_lane &= words[k].lane % 4 == words[0].lane % 4;
    }
    if (!nfrom) {
        wasm_v128(w, 0, 0);
        return;
    }
    if (nfrom == 4 && same_lane) {
        zip_four(w, words);
        return;
    }
    word_part(w, from[0]);
    for (unsigned s = nfrom > 1; s < nfrom && !(nfrom == 1 && in_place); s++) {
        uint8_t pick[16];
        word_part(w, from[s]);
        for (unsigned byte = 0; byte < 16; byte++) { /* what is right stays */
            const unsigned in = bytes_of_word(words, byte), of = source[byte / 4];
            pick[byte] = (uint8_t)(of == s ? 16 + in : s > 1 ? byte : in);
        }
        wasm_shuffle(w, pick);
    }
    if (asked != 15) {
        uint64_t of[4];
        for (unsigned k = 0; k < 4; k++)
            of[k] = asked >> k & 1 ? UINT32_MAX : 0;
        wasm_v128(w, of[1] << 32 | of[0], of[3] << 32 | of[2]);
        wasm_op(w, OP_SIMD);
        wasm_uleb(w->code, OP_V128_AND);
    }
}
