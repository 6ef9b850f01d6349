/* Shared memory that code holds in registers.
 *
 * Where the gangs of a block are written out (cpu_plan.c), what they store in shared memory and
 * load again is often known: a chunk that was stored, or one that begins in the middle of a chunk
 * and ends in the next. The first is at hand, the second is made of both (struct cpu_vectors,
 * slide); from memory it would wait until both stores are done, as processors hand on one store to
 * a load, not two. A store is held back until memory is asked for something that is not known;
 * where the block ends, nobody asks any more.
 *
 * This goes for one block of the function at a time. Chunks are whole vectors of the machine. */
#include "back/cpu_ops.h"
#include "lower/lower.h"

/* Is it a place in a shared variable? */
static const struct ir_global *variable(const struct cpu_address *a)
{
    const struct ir_value *v = a->base;
    return v->kind == IR_VALUE_GLOBAL && v->u.global->space == IR_SPACE_SHARED &&
                   !(v->u.global->flags & IR_GLOBAL_EXTERN)
               ? v->u.global
               : NULL;
}

static struct cpu_chunk_held *find(struct cpu_sel *s, const struct ir_value *base, int64_t from,
                                   int64_t to)
{
    for (uint32_t k = 0; k < s->nheld; k++)
        if (s->held[k].base == base && s->held[k].offset >= from && s->held[k].offset < to)
            return &s->held[k];
    return NULL;
}

/* Memory has all that was stored. */
void cpu_held_flush(struct cpu_sel *s)
{
    const ir_type chunk = ir_vector(IR_I32, s->t->vector_bytes / 4);
    for (uint32_t k = 0; k < s->nheld; k++) {
        struct cpu_chunk_held *h = &s->held[k];
        if (h->owed)
            s->t->store(s, chunk, h->reg, cpu_reg(s, h->base), h->offset);
        h->owed = false;
    }
}

void cpu_held_forget(struct cpu_sel *s, bool flush)
{
    if (flush)
        cpu_held_flush(s);
    s->nheld = 0;
}

static bool is_whole(const struct cpu_sel *s, ir_type t)
{
    return ir_is_vector(t) && ir_kind(t) != IR_I1 && ir_bytes(t) % s->t->vector_bytes == 0 &&
           ir_bytes(ir_scalar(t)) >= 4;
}

static bool is_plain(const struct ir_inst *i)
{
    return !(i->flags & IR_VOLATILE) && !ir_order(i->flags);
}

/* ---- stores ---- */
static bool store(struct cpu_sel *s, const struct ir_inst *i)
{
    const struct cpu_address a = cpu_address(s, i->args[0]);
    const ir_type t = i->args[1]->type;
    const int64_t size = s->t->vector_bytes;
    if (i->op != IR_OP_store || !is_plain(i) || !is_whole(s, t) || !variable(&a))
        return false;
    const mach_reg *v = cpu_regs(s, i->args[1]);
    for (unsigned k = 0; k < cpu_chunks(s, t); k++) {
        const int64_t at = a.offset + k * size;
        struct cpu_chunk_held *h = find(s, a.base, at - size + 1, at + size);
        if (!h && s->nheld < CPU_MOST_HELD) {
            h = &s->held[s->nheld++];
        } else if (!h || h->offset != at) { /* no room, or a part of others */
            cpu_held_forget(s, true);
            h = &s->held[s->nheld++];
        }
        *h = (struct cpu_chunk_held){a.base, at, v[k], true};
    }
    return true;
}

/* ---- loads ---- */
/* Which words of a chunk a mask lets through: all, none, or those from `least` on. False: others.
 */
static bool words_of(const struct cpu_sel *s, const struct ir_inst *i, unsigned chunk,
                     unsigned *least)
{
    const unsigned lanes = cpu_lanes(s, i->type), each = s->t->vector_bytes / 4 / lanes;
    bool seen = false;
    *least = 0;
    if (i->op == IR_OP_load)
        return true;
    for (unsigned l = 0; l < lanes; l++) {
        uint64_t on;
        if (!lower_lane(i->args[1], chunk * lanes + l, &on) || (seen && !(on & 1)))
            return false;
        seen = on & 1;
        *least += seen ? 0 : each;
    }
    return true;
}

/* The chunk at an offset of what a base has; MACH_NONE: it is in memory. */
static mach_reg chunk_at(struct cpu_sel *s, const struct ir_value *base, int64_t at, unsigned least)
{
    const int64_t size = s->t->vector_bytes;
    const struct cpu_chunk_held *low = find(s, base, at - size + 1, at + 1), *high;
    const mach_reg none = least ? cpu_splat(s, IR_I32, 0) : MACH_NONE;
    if (least == size / 4)
        return none;
    if (low && low->offset == at)
        return least ? MACH_NONE : low->reg;
    high = find(s, base, at + 1, at + size);
    if (!high || (high->offset - at) % 4 || (low && low->offset + size != high->offset))
        return MACH_NONE;
    const unsigned of_low = (unsigned)(high->offset - at) / 4;
    if (least ? least != of_low : !low)
        return MACH_NONE;
    return s->t->vectors->slide(s, high->reg, least ? none : low->reg, (unsigned)size / 4 - of_low);
}

static bool load(struct cpu_sel *s, const struct ir_inst *i)
{
    const struct cpu_address a = cpu_address(s, i->args[0]);
    mach_reg out[CPU_MOST_CHUNKS];
    if (!is_plain(i) || !is_whole(s, i->type) || !variable(&a))
        return false;
    for (unsigned k = 0; k < cpu_chunks(s, i->type); k++) {
        unsigned least;
        if (!words_of(s, i, k, &least))
            return false;
        out[k] = chunk_at(s, a.base, a.offset + (int64_t)k * s->t->vector_bytes, least);
        if (out[k] == MACH_NONE)
            return false;
    }
    cpu_set_all(s, i, out);
    return true;
}

/* ---- all ---- */
/* Can it not reach shared memory? */
static bool is_elsewhere(const struct ir_inst *i)
{
    const bool memory = i->op == IR_OP_load || i->op == IR_OP_mload || i->op == IR_OP_store ||
                        i->op == IR_OP_mstore;
    const enum ir_space space = memory ? ir_space(i->args[0]->type) : IR_SPACE_GENERIC;
    return memory && is_plain(i) && (space == IR_SPACE_GLOBAL || space == IR_SPACE_CONST);
}

bool cpu_held(struct cpu_sel *s, struct ir_inst *i)
{
    const unsigned flags = ir_op_info[i->op].flags;
    if (!s->holds || flags & IR_PURE || is_elsewhere(i))
        return false;
    if ((i->op == IR_OP_store && store(s, i)) ||
        ((i->op == IR_OP_load || i->op == IR_OP_mload) && load(s, i)))
        return true;
    if ((i->op == IR_OP_load || i->op == IR_OP_mload || i->op == IR_OP_gather) && is_plain(i))
        cpu_held_flush(s);
    else
        cpu_held_forget(s, true);
    return false;
}
