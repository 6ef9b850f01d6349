/* Calls of the driver's own functions: printf, assert, malloc, free.
 *
 * As NVIDIA's code calls them: arguments from R4 on, the result in R4, the address to come back to
 * in R20 and the top of the stack in R1; the function keeps R16 and up, but for R20 and R21,
 * uniform registers from 36 on and convergence barriers from 6 on, and no predicates. The loader
 * puts their addresses in bank 4. */
#include "back/sass/sass_int.h"

const char *const sass_system_names[SASS_SYSTEM_COUNT] = {
    [SASS_VPRINTF] = "vprintf",
    [SASS_ASSERT] = "__assertfail",
    [SASS_MALLOC] = "malloc",
    [SASS_FREE] = "free",
};

enum { ARGUMENTS = 4, BACK = 20, MOST_ARGUMENTS = 12 };

bool sass_calls_system(const struct ir_func *f)
{
    ir_each_block (b, f)
        for (const struct ir_inst *i = b->first; i; i = i->next)
            if (i->op == IR_OP_printf || i->op == IR_OP_assertfail || i->op == IR_OP_malloc ||
                i->op == IR_OP_free)
                return true;
    return false;
}

struct call {
    struct sass_src words[MOST_ARGUMENTS];
    unsigned n;
};

static void word(struct call *c, struct sass_src x)
{
    c->words[c->n++] = x;
}

static void pair(struct call *c, struct sass_src low, struct sass_src high)
{
    c->n += c->n & 1;
    word(c, low);
    word(c, high);
}

static void pointer(struct sass_func *s, struct call *c, struct ir_value *v)
{
    if (sass_words(v->type) != 2)
        sass_refuse(s, "an address in this memory as an argument of the driver's own function");
    pair(c, sass_word(s, v, 0), sass_word(s, v, 1));
}

/* Gives the register of its result. */
static uint32_t call(struct sass_func *s, enum sass_system what, const struct call *c,
                     unsigned result)
{
    const uint32_t address = sass_new(s, 2), args = sass_fixed(s, MOST_ARGUMENTS, ARGUMENTS),
                   back = sass_fixed(s, 2, BACK);
    s->systems |= 1u << what;
    struct sass_inst *i = sass_put(s, OP_LDC);
    i->d = address;
    i->d_parts = 2;
    i->a = sass_zero();
    i->b = (struct sass_src){
        .kind = SRC_CONST, .bank = 4, .value = s->system_slots + 8 * what, .parts = 1};
    i->mods[MOD_SIZE] = 5;
    for (unsigned k = 0; k < c->n; k++)
        if (c->words[k].kind != SRC_NONE)
            sass_move(s, args, k, c->words[k]);
    i = sass_put(s, OP_LEPC);
    i->d = back;
    i->d_parts = 2;
    i = sass_put(s, OP_CALL);
    i->a = sass_reg(address, 0);
    i->a.parts = 2;
    i->b = sass_reg(args, 0);
    i->b.parts = (uint8_t)c->n;
    i->c = sass_reg(back, 0);
    i->c.parts = 2;
    if (!result)
        return SASS_NONE;
    uint32_t r = sass_fixed(s, result, ARGUMENTS);
    i->d = r;
    i->d_parts = (uint8_t)result;
    return r;
}

static void finish(struct sass_func *s, struct ir_value *v, uint32_t r)
{
    if (!s->uses[v->id])
        return;
    uint32_t d = sass_result(s, v);
    for (unsigned k = 0; k < sass_words(v->type); k++)
        sass_move(s, d, k, sass_reg(r, k));
    sass_done(s, v, d);
}

/* Arguments lie in the frame, each aligned to its size; their address is generic. */
static void print(struct sass_func *s, struct ir_inst *i)
{
    struct call c = {.n = 0};
    uint32_t at = 0, most = 0;
    for (uint32_t k = 1; k < i->nargs; k++) {
        const uint32_t size = ir_bytes(i->args[k]->type);
        most = ((most + size - 1) & -size) + size;
    }
    s->frame_bytes = (s->frame_bytes + 7) & ~7u;
    const uint32_t begin = s->frame_bytes;
    s->frame_bytes += most;
    s->local |= most != 0;
    for (uint32_t k = 1; k < i->nargs; k++) {
        struct ir_value *v = i->args[k];
        const uint32_t size = ir_bytes(v->type);
        if (size < 4 || size != 4 * sass_words(v->type)) {
            sass_refuse(s, "a printf argument of this type");
            return;
        }
        at = (at + size - 1) & -size;
        sass_store_local(s, begin + at, size, sass_whole(s, v));
        at += size;
    }
    pointer(s, &c, i->args[0]);
    if (most) {
        uint32_t place = sass_new(s, 1), all = sass_new(s, 2);
        sass_add(s, place, 0, sass_reg(s->stack, 0), sass_imm(begin));
        sass_generic_local(s, all, sass_reg(place, 0));
        pair(&c, sass_reg(all, 0), sass_reg(all, 1));
    } else {
        pair(&c, sass_zero(), sass_zero());
    }
    s->uses_flags |= BACK_USES_PRINTF;
    finish(s, &i->results[0], call(s, SASS_VPRINTF, &c, 1));
}

static void fail(struct sass_func *s, struct ir_inst *i)
{
    struct call c = {.n = 0};
    pointer(s, &c, i->args[0]);
    pointer(s, &c, i->args[1]);
    word(&c, sass_word(s, i->args[2], 0));
    pointer(s, &c, i->args[3]);
    pair(&c, sass_imm(1), sass_zero()); /* bytes of a character */
    call(s, SASS_ASSERT, &c, 0);
}

bool sass_system(struct sass_func *s, struct ir_inst *i)
{
    struct call c = {.n = 0};
    switch (i->op) {
    case IR_OP_printf: print(s, i); return true;
    case IR_OP_assertfail: fail(s, i); return true;
    case IR_OP_malloc:
        pair(&c, sass_word(s, i->args[0], 0), sass_word(s, i->args[0], 1));
        s->uses_flags |= BACK_USES_HEAP;
        finish(s, &i->results[0], call(s, SASS_MALLOC, &c, 2));
        return true;
    case IR_OP_free:
        pointer(s, &c, i->args[0]);
        s->uses_flags |= BACK_USES_HEAP;
        call(s, SASS_FREE, &c, 0);
        return true;
    default: return false;
    }
}
