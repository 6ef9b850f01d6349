/* The control word of each instruction: how long the next one waits, and on which scoreboards.
 *
 * The hardware checks nothing: an instruction that reads a register too early reads what was there
 * before. Results of fixed latency are waited for by stalls; all others, and operands that are read
 * late, by one of six scoreboards. What is in flight is followed over the whole graph: at a block's
 * start stands the worst that any way there may leave, so that the code is right on all of them. */
#include <string.h>
#include "back/sass/sass_int.h"

/* COLLECTED: cycles in which a product of matrices reads its operands. FROM_REGISTER: cycles more
 * that a uniform register takes that comes from a register. */
enum { UNIFORMS = 64, FROM_REGISTER = 2 };
enum { REGS = 256, PREDS = 8, BOARDS = 6, MOST_STALL = 15, COLLECTED = 8 };

struct flight {           /* what is on its way */
    uint32_t nregs;       /* registers that there are */
    uint32_t now;         /* cycles since the block began; what follows counts from there, too */
    uint32_t reg[REGS];   /* when it can be read by any class */
    uint32_t pred[PREDS]; /* the same, as a guard */
    uint32_t uniform[UNIFORMS];
    uint32_t collected[REGS]; /* when a product of matrices has read it */
    uint8_t from[REGS];       /* class of who writes it */
    uint8_t writes[REGS];     /* boards that guard its value */
    uint8_t reads[REGS];      /* boards that guard its being read */
    uint8_t pred_writes[PREDS];
    uint8_t busy; /* boards in use */
    uint8_t late; /* predicates that f64 compares: the last such, for as long as they take */
};

/* Cycles from issue to the earliest reader, by class of both: the distances that the vendor's
 * assembler keeps, or more. */
unsigned sass_latency(const struct sass_row *from, const struct sass_row *to, unsigned arch)
{
    const bool memory =
        to && (to->class == CLASS_VAR || to->class == CLASS_STORE || to->class == CLASS_CONTROL ||
               to->class == CLASS_FENCE || to->class == CLASS_UNIFORM);
    const bool fma = to && (to->class == CLASS_FMA || to->class == CLASS_WIDE);
    const bool fp64 = to && (to->class == CLASS_FP64 || to->class == CLASS_DSETP);
    const bool matrix = !to || to->class == CLASS_MMA || to->opcode == sass_rows[OP_DMMA].opcode;
    const unsigned far = arch < 80 ? 8 : matrix ? 7 : 6;
    switch (from->class) {
    case CLASS_ALU:
        return matrix || memory ? far : to->class == CLASS_HALF || fp64 ? 6 : fma ? 5 : 4;
    case CLASS_FMA:
        return matrix || memory                  ? far
               : to->class == CLASS_HALF || fp64 ? 6
               : fma                             ? (arch == 86 || arch == 89 || arch >= 90 ? 4 : 6)
                                                 : 5 + (arch < 86);
    case CLASS_WIDE: return matrix || memory ? far : 6;
    case CLASS_FP64: return fp64 ? 8 : matrix ? 11 : 10;
    case CLASS_DSETP: return 14;
    case CLASS_SETP: return 13;
    case CLASS_HALF: return matrix ? 11 : 10;
    case CLASS_MMA: return 24;
    case CLASS_CLOCK: return 12;
    case CLASS_UNIFORM: return memory || !to ? 12 : 4;
    default: return 0;
    }
}

static bool boarded(const struct sass_row *r, unsigned arch)
{
    return r->class == CLASS_VAR ||
           (arch < 90 && (r->class == CLASS_FP64 || r->class == CLASS_DSETP)) ||
           (arch < 80 && r->class == CLASS_MMA);
}

/* ---- operands of an instruction, as registers of the machine ---- */
struct touched {
    uint16_t reads[16], writes[4];
    unsigned nreads, nwrites;
    uint8_t preds[5], sets[2];
    unsigned npreds, nsets;
    int guard; /* -1: none */
    uint8_t uniform[3];
    unsigned nuniform;
};

static void add_src(struct touched *t, const struct sass_src *x)
{
    if (x->kind == SRC_UNIFORM)
        t->uniform[t->nuniform++] = (uint8_t)x->value;
    if (x->kind != SRC_REG || x->value == SASS_NONE)
        return;
    for (unsigned k = 0; k < x->parts; k++)
        t->reads[t->nreads++] = (uint16_t)(x->value + x->part + k);
}

static void add_pred(struct touched *t, struct sass_pred p)
{
    if (p.reg != SASS_NONE)
        t->preds[t->npreds++] = (uint8_t)p.reg;
}

static void touch(const struct sass_inst *i, struct touched *t)
{
    uint32_t o = sass_rows[i->op].operands;
    memset(t, 0, sizeof *t);
    if (o & O_A)
        add_src(t, &i->a);
    if (o & (O_B | O_B32 | O_IMPLIED))
        add_src(t, &i->b);
    if (o & (O_C | O_C64 | O_IMPLIED))
        add_src(t, &i->c);
    if (o & (O_D | O_TOKEN) && i->d != SASS_NONE)
        for (unsigned k = 0; k < i->d_parts; k++)
            t->writes[t->nwrites++] = (uint16_t)(i->d + i->d_part + k);
    if (o & (O_P | O_P_IN))
        add_pred(t, i->p);
    if (o & (O_QX | O_QC))
        add_pred(t, i->q);
    add_pred(t, i->r);
    if (o & (O_UR32 | O_UR64 | O_UR40))
        t->uniform[t->nuniform++] = (uint8_t)i->mods[MOD_UNIFORM];
    if (o & O_UR40)
        t->uniform[t->nuniform++] = (uint8_t)(i->mods[MOD_UNIFORM] + 1);
    t->guard = i->guard.reg == SASS_NONE ? -1 : (int)i->guard.reg;
    if (o & O_PD && i->pd != SASS_NONE)
        t->sets[t->nsets++] = (uint8_t)i->pd;
    if (o & O_PE && i->pe != SASS_NONE)
        t->sets[t->nsets++] = (uint8_t)i->pe;
}

/* ---- one instruction ---- */
static unsigned left(unsigned ready, unsigned sooner)
{
    return ready > sooner ? ready - sooner : 0;
}

/* Cycles from now on, to somebody who may come so much sooner. */
static unsigned until(const struct flight *f, uint32_t ready, unsigned sooner)
{
    return left(ready, f->now + sooner);
}

/* Cycles that it must wait from now, as things are. `reg` counts to a reader of any class; readers
 * of a nearer one may come sooner. */
static unsigned cycles(const struct flight *f, const struct sass_row *r, const struct touched *t,
                       unsigned arch)
{
    unsigned n = 0, x;
    for (unsigned k = 0; k < t->nreads; k++) {
        unsigned reg = t->reads[k], all, mine;
        if (f->reg[reg] <= f->now)
            continue;
        const struct sass_row maker = {.class = f->from[reg]};
        all = sass_latency(&maker, NULL, arch);
        mine = sass_latency(&maker, r, arch);
        x = until(f, f->reg[reg], all > mine ? all - mine : 0);
        n = x > n ? x : n;
    }
    for (unsigned k = 0; k < t->nwrites; k++) { /* results in order */
        x = until(f, f->reg[t->writes[k]], f->from[t->writes[k]] == r->class ? 5 : 0);
        n = x > n ? x : n;
        x = until(f, f->collected[t->writes[k]], 0);
        n = x > n ? x : n;
    }
    for (unsigned k = 0; k < t->npreds; k++) {
        /* as an operand it is there long before it can guard */
        x = until(f, f->pred[t->preds[k]], r->class == CLASS_ALU || r->class == CLASS_SETP ? 8 : 0);
        n = x > n ? x : n;
    }
    if (t->guard >= 0) {
        x = until(f, f->pred[t->guard], 0);
        n = x > n ? x : n;
    }
    for (unsigned k = 0; k < t->nsets; k++) {
        /* results in order: what f64 compares comes last of all */
        x = until(f, f->pred[t->sets[k]], f->late >> t->sets[k] & 1 ? 0 : 8);
        n = x > n ? x : n;
    }
    for (unsigned k = 0; k < t->nuniform; k++) {
        const struct sass_row maker = {.class = CLASS_UNIFORM};
        x = until(f, f->uniform[t->uniform[k]],
                  sass_latency(&maker, NULL, arch) - sass_latency(&maker, r, arch));
        n = x > n ? x : n;
    }
    return n;
}

static unsigned boards_for(const struct flight *f, const struct touched *t)
{
    unsigned wait = 0;
    for (unsigned k = 0; k < t->nreads; k++)
        wait |= f->writes[t->reads[k]];
    for (unsigned k = 0; k < t->nwrites; k++)
        wait |= f->writes[t->writes[k]] | f->reads[t->writes[k]];
    for (unsigned k = 0; k < t->npreds; k++)
        wait |= f->pred_writes[t->preds[k]];
    for (unsigned k = 0; k < t->nsets; k++)
        wait |= f->pred_writes[t->sets[k]];
    if (t->guard >= 0)
        wait |= f->pred_writes[t->guard];
    return wait;
}

static void forget(struct flight *f, unsigned boards)
{
    if (!boards)
        return;
    for (unsigned k = 0; k < f->nregs; k++) {
        f->writes[k] &= (uint8_t)~boards;
        f->reads[k] &= (uint8_t)~boards;
    }
    for (unsigned k = 0; k < PREDS; k++)
        f->pred_writes[k] &= (uint8_t)~boards;
    f->busy &= (uint8_t)~boards;
}

/* A block begins: what is left counts from there. */
static void begin_anew(struct flight *f)
{
    for (unsigned k = 0; k < f->nregs; k++) {
        f->reg[k] = left(f->reg[k], f->now);
        f->collected[k] = left(f->collected[k], f->now);
    }
    for (unsigned k = 0; k < PREDS; k++)
        f->pred[k] = left(f->pred[k], f->now);
    for (unsigned k = 0; k < UNIFORMS; k++)
        f->uniform[k] = left(f->uniform[k], f->now);
    f->now = 0;
}

/* ---- scoreboards ---- */
/* Six for all. What runs in one pipe ends in order, so that two of it on one board cost the first
 * one's reader only the time between them. Operands of stores are seldom written soon: they share.
 */
enum pipe {
    PIPE_OTHER,
    PIPE_GLOBAL,
    PIPE_SHARED,
    PIPE_LOCAL,
    PIPE_CONST,
    PIPE_FUNCTION,
    PIPE_TEXTURE
};

struct board {
    uint8_t pipe;
    bool reads;     /* counts reading of operands, not results */
    bool known;     /* set in this block */
    uint32_t until; /* the first instruction that must wait for it */
};
struct boards {
    struct board of[BOARDS];
    unsigned next;
};

static enum pipe pipe_of(const struct sass_inst *i)
{
    switch (i->op) {
    case OP_LDG:
    case OP_STG:
    case OP_RED:
    case OP_RED_F: return PIPE_GLOBAL;
    case OP_LDS:
    case OP_STS: return PIPE_SHARED;
    case OP_LDL:
    case OP_STL: return PIPE_LOCAL;
    case OP_LDC: return PIPE_CONST;
    case OP_MUFU: return PIPE_FUNCTION;
    case OP_TEX:
    case OP_TLD:
    case OP_TLD4:
    case OP_TXD:
    case OP_TEX_B:
    case OP_TLD_B:
    case OP_TLD4_B:
    case OP_TXD_B: return PIPE_TEXTURE;
    default: return PIPE_OTHER;
    }
}

/* Its operands are read long before its result is there. */
static bool reads_early(const struct sass_inst *i)
{
    enum pipe p = pipe_of(i);
    return p == PIPE_GLOBAL || p == PIPE_SHARED || p == PIPE_LOCAL || i->op == OP_LD;
}

enum { LOOK_AHEAD = 96 };

static bool touches(const struct touched *by, const struct touched *of, bool reads)
{
    for (unsigned k = 0; k < of->nwrites && !reads; k++) {
        for (unsigned j = 0; j < by->nreads; j++)
            if (by->reads[j] == of->writes[k])
                return true;
        for (unsigned j = 0; j < by->nwrites; j++)
            if (by->writes[j] == of->writes[k])
                return true;
    }
    for (unsigned k = 0; k < of->nsets && !reads; k++) {
        for (unsigned j = 0; j < by->npreds; j++)
            if (by->preds[j] == of->sets[k])
                return true;
        if (by->guard == (int)of->sets[k])
            return true;
    }
    for (unsigned k = 0; k < of->nreads && reads; k++)
        for (unsigned j = 0; j < by->nwrites; j++)
            if (by->writes[j] == of->reads[k])
                return true;
    return false;
}

/* The first instruction after `at` that waits for it, or one beyond what is looked at. all: what
 * each of the block touches. */
static uint32_t waits_at(const struct touched *all, uint32_t n, uint32_t at, bool reads)
{
    const uint32_t end = at + LOOK_AHEAD < n ? at + LOOK_AHEAD : n;
    for (uint32_t k = at + 1; k < end; k++)
        if (touches(&all[k], &all[at], reads))
            return k;
    return end;
}

static unsigned choose_board(const struct flight *f, struct boards *s, enum pipe pipe, bool reads,
                             uint32_t until)
{
    /* how much sooner another's reader may come: it waits for that many instructions at most */
    const uint32_t near = pipe == PIPE_GLOBAL ? 12 : 2;
    unsigned unused = 0, best = BOARDS;
    for (unsigned k = 0; k < BOARDS; k++)
        unused += !(f->busy >> k & 1);
    /* one that is as good as its own, or nearly so */
    for (unsigned k = 0; k < BOARDS; k++) {
        const struct board *x = &s->of[k];
        if (f->busy >> k & 1 && x->known && x->pipe == pipe && x->reads == reads &&
            (reads || x->until + near >= until) && (best == BOARDS || x->until > s->of[best].until))
            best = k;
    }
    for (unsigned k = 0; k < BOARDS && best == BOARDS && unused > !reads; k++) {
        unsigned b = (s->next + k) % BOARDS;
        if (!(f->busy >> b & 1))
            best = b;
    }
    /* or the one whose readers come last, of the same pipe if there is one */
    for (unsigned same = 2; same-- > 0 && best == BOARDS;)
        for (unsigned k = 0; k < BOARDS; k++) {
            const struct board *x = &s->of[k];
            if (f->busy >> k & 1 && (!same || x->reads == reads) &&
                (!same || (x->known && x->pipe == pipe)) &&
                (best == BOARDS || x->until > s->of[best].until))
                best = k;
        }
    for (unsigned k = 0; k < BOARDS && best == BOARDS; k++)
        if (!(f->busy >> k & 1))
            best = k;
    struct board *x = &s->of[best];
    if (f->busy >> best & 1 && x->known)
        until = x->until < until ? x->until : until;
    *x = (struct board){(uint8_t)pipe, reads, true, until};
    s->next = (best + 1) % BOARDS;
    return best;
}

/* The pipes for integers and comparisons, for f64 and for memory take one instruction in two
 * cycles. */
static bool is_slow(const struct sass_row *r)
{
    return r->class == CLASS_ALU || r->class == CLASS_SETP;
}

static unsigned own_time(const struct sass_row *r, const struct sass_inst *i,
                         const struct sass_inst *next)
{
    switch (r->class) {
    case CLASS_UNIFORM:
    case CLASS_FMA: return 1;
    case CLASS_ALU:
    case CLASS_SETP: return next && !is_slow(&sass_rows[next->op]) ? 1 : 2;
    case CLASS_CONTROL:
        return i->op == OP_EXIT || i->op == OP_BRA || i->op == OP_BRA_DIV || i->op == OP_BRA_ANY ||
                       i->op == OP_NOP
                   ? 5
                   : 6;
    case CLASS_FENCE: return 6;
    default: return 2;
    }
}

/* Cycles until nothing is on its way. */
static unsigned all_done(const struct flight *f)
{
    uint32_t n = f->now;
    for (unsigned k = 0; k < f->nregs; k++)
        n = f->reg[k] > n ? f->reg[k] : n;
    for (unsigned k = 0; k < PREDS; k++)
        n = f->pred[k] > n ? f->pred[k] : n;
    return n - f->now;
}

/* Gives the instruction its control word and moves on; it may lengthen the stall of the one that
 * stands in front. all: what each of the block touches. Where that one cannot wait long enough,
 * nothing is done: gives the cycles that are to pass. */
static unsigned place(struct flight *f, const struct sass_block *block, const struct touched *all,
                      uint32_t at, unsigned arch, struct boards *boards)
{
    struct sass_inst *i = &block->code.data[at], *before = at ? i - 1 : NULL;
    const uint32_t count = (uint32_t)block->code.len;
    const struct sass_inst *next = at + 1 < count ? i + 1 : NULL;
    const struct sass_row *r = &sass_rows[i->op];
    const struct touched t = all[at];
    unsigned wait = boards_for(f, &t);
    /* a call begins when all is done; LEPC stands right in front of it; so does what lanes do that
     * come from different places, and so it ends */
    const bool calls = i->op == OP_LEPC || i->op == OP_CALL || i->op == OP_WARPSYNC_COLLECTIVE ||
                       i->op == OP_ENDCOLLECTIVE;
    if (r->class == CLASS_FENCE || calls)
        wait = f->busy;
    const unsigned n = calls ? all_done(f) : cycles(f, r, &t, arch);
    const unsigned room = before ? MOST_STALL - before->stall : 0;
    if (n > room)
        return n;
    if (n) {
        before->stall = (uint8_t)(before->stall + n);
        before->yield = false;
        f->now += n;
    }
    i->wait = (uint8_t)wait;
    i->set_write = i->set_read = 7;
    forget(f, wait);
    for (unsigned k = 0; k < t.nwrites; k++) {
        f->reg[t.writes[k]] = f->now + sass_latency(r, NULL, arch);
        f->from[t.writes[k]] = r->class;
    }
    for (unsigned k = 0; k < t.nsets; k++) {
        f->pred[t.sets[k]] = f->now + (sass_latency(r, NULL, arch) > 13 ? 15 : 13);
        f->late = (uint8_t)(f->late & ~(1u << t.sets[k])) |
                  (uint8_t)((r->class == CLASS_DSETP) << t.sets[k]);
    }
    if (r->class == CLASS_MMA)
        for (unsigned k = 0; k < t.nreads; k++)
            f->collected[t.reads[k]] = f->now + COLLECTED;
    if (r->operands & O_UD)
        for (unsigned k = 0; k < 2; k++)
            f->uniform[i->mods[MOD_UNIFORM] + k] =
                f->now + sass_latency(r, NULL, arch) + (i->op == OP_R2UR ? FROM_REGISTER : 0);
    if (boarded(r, arch) && (t.nwrites || t.nsets)) {
        uint32_t end = waits_at(all, count, at, false), over = waits_at(all, count, at, true);
        unsigned b = choose_board(f, boards, pipe_of(i), false, end), operands = b;
        i->set_write = (uint8_t)b;
        f->busy |= (uint8_t)(1u << b);
        for (unsigned k = 0; k < t.nwrites; k++) {
            f->writes[t.writes[k]] = (uint8_t)(1u << b);
            f->reg[t.writes[k]] = 0;
        }
        for (unsigned k = 0; k < t.nsets; k++) {
            f->pred_writes[t.sets[k]] = (uint8_t)(1u << b);
            f->pred[t.sets[k]] = 0;
        }
        if (over < end && reads_early(i)) { /* who writes them need not wait for the result */
            operands = choose_board(f, boards, pipe_of(i), true, over);
            i->set_read = (uint8_t)operands;
            f->busy |= (uint8_t)(1u << operands);
        }
        for (unsigned k = 0; k < t.nreads; k++)
            f->reads[t.reads[k]] |= (uint8_t)(1u << operands);
    } else if ((r->class == CLASS_STORE || boarded(r, arch) || i->op == OP_BAR_R ||
                i->op == OP_BAR_N || i->op == OP_BAR_C || i->op == OP_NANOSLEEP ||
                i->op == OP_WARPSYNC) &&
               t.nreads) {
        unsigned b = choose_board(f, boards, pipe_of(i), true, waits_at(all, count, at, true));
        i->set_read = (uint8_t)b;
        f->busy |= (uint8_t)(1u << b);
        for (unsigned k = 0; k < t.nreads; k++)
            f->reads[t.reads[k]] |= (uint8_t)(1u << b);
    }
    i->stall = (uint8_t)own_time(r, i, next);
    if ((i->set_write != 7 || i->set_read != 7) && i->stall < 2)
        i->stall = 2;
    i->yield = i->stall <= 11;
    f->now += i->stall;
    return 0;
}

/* ---- blocks ---- */
static bool worse(struct flight *at, const struct flight *by)
{
    bool more = false;
    for (unsigned k = 0; k < by->nregs; k++) {
        if (by->reg[k] > at->reg[k]) {
            at->reg[k] = by->reg[k];
            at->from[k] = by->from[k];
            more = true;
        } else if (by->reg[k] && by->from[k] != at->from[k] &&
                   sass_latency(&(struct sass_row){.class = by->from[k]}, NULL, 90) >
                       sass_latency(&(struct sass_row){.class = at->from[k]}, NULL, 90)) {
            at->from[k] = by->from[k];
            more = true;
        }
        more |= (by->writes[k] & ~at->writes[k]) || (by->reads[k] & ~at->reads[k]);
        at->writes[k] |= by->writes[k];
        at->reads[k] |= by->reads[k];
        more |= by->collected[k] > at->collected[k];
        at->collected[k] =
            by->collected[k] > at->collected[k] ? by->collected[k] : at->collected[k];
    }
    for (unsigned k = 0; k < PREDS; k++) {
        more |= by->pred[k] > at->pred[k] || (by->pred_writes[k] & ~at->pred_writes[k]);
        at->pred[k] = by->pred[k] > at->pred[k] ? by->pred[k] : at->pred[k];
        at->pred_writes[k] |= by->pred_writes[k];
    }
    for (unsigned k = 0; k < UNIFORMS; k++) {
        more |= by->uniform[k] > at->uniform[k];
        at->uniform[k] = by->uniform[k] > at->uniform[k] ? by->uniform[k] : at->uniform[k];
    }
    more |= (by->busy & ~at->busy) || (by->late & ~at->late);
    at->late |= by->late;
    at->busy |= by->busy;
    return more;
}

/* A NOP in front of what the one before it cannot wait for. */
static void idle(struct sass_func *s, struct sass_block *b, struct touched *all, uint32_t at,
                 unsigned n)
{
    struct sass_inst nop = sass_inst(OP_NOP);
    nop.stall = (uint8_t)(n > MOST_STALL ? MOST_STALL : n < 2 ? 2 : n);
    nop.yield = false;
    vec_push(s->arena, &b->code, nop);
    memmove(&b->code.data[at + 1], &b->code.data[at], (b->code.len - 1 - at) * sizeof nop);
    memmove(&all[at + 1], &all[at], (b->code.len - 1 - at) * sizeof *all);
    b->code.data[at] = nop;
    touch(&nop, &all[at]);
}

struct touching {
    VEC(struct touched) of; /* instructions of a block */
};

static void place_block(struct sass_func *s, struct sass_block *b, struct flight *f,
                        struct touching *all)
{
    struct boards boards = {.next = 0};
    all->of.len = 0;
    vec_each (struct sass_inst, i, &b->code) {
        struct touched t;
        touch(i, &t);
        vec_push(s->arena, &all->of, t);
    }
    for (uint32_t k = 0; k < b->code.len; k++) {
        const unsigned more = place(f, b, all->of.data, k, s->arch, &boards);
        if (!more)
            continue;
        vec_push(s->arena, &all->of, (struct touched){0});
        idle(s, b, all->of.data, k, more);
        f->now += b->code.data[k].stall;
    }
}

/* ---- operands that are kept ---- */
/* What the next instruction reads in the same place need not be read from its bank again: three
 * operands of one bank take a cycle more. */
static bool keeps(const struct sass_inst *i)
{
    return i->op == OP_FFMA || i->op == OP_FMUL || i->op == OP_FADD || i->op == OP_IMAD;
}

static bool again(const struct sass_inst *i, const struct sass_src *x, const struct sass_src *y)
{
    return x->kind == SRC_REG && y->kind == SRC_REG && x->value != SASS_NONE &&
           y->value != SASS_NONE && x->value + x->part == y->value + y->part &&
           (i->d == SASS_NONE || i->d + i->d_part != x->value + x->part);
}

static void keep_operands(struct sass_block *b)
{
    for (uint32_t k = 0; k + 1 < b->code.len; k++) {
        struct sass_inst *i = &b->code.data[k];
        const struct sass_inst *next = i + 1;
        const bool three = i->op == OP_FFMA || i->op == OP_IMAD;
        i->reuse = 0;
        if (!keeps(i) || !keeps(next) || !i->yield || i->guard.reg != SASS_NONE ||
            (three && i->c.kind != SRC_REG) || next->c.kind == SRC_IMM)
            continue;
        i->reuse = (uint8_t)(again(i, &i->a, &next->a) | again(i, &i->b, &next->b) << 1 |
                             (three && again(i, &i->c, &next->c)) << 2);
    }
}

static void wait_long(struct sass_func *s)
{
    vec_each (struct sass_block, b, &s->blocks)
        vec_each (struct sass_inst, i, &b->code) {
            i->stall = MOST_STALL;
            i->yield = false;
            i->wait = (1u << BOARDS) - 1;
            i->reuse = 0;
        }
}

void sass_schedule(struct sass_func *s, bool careful)
{
    uint32_t n = (uint32_t)s->blocks.len;
    struct flight *in = arena_array(s->arena, struct flight, n);
    bool *todo = arena_array(s->arena, bool, n);
    struct touching all = {0};
    for (uint32_t k = 0; k < n; k++)
        in[k].nregs = s->registers < REGS ? s->registers : REGS;
    for (uint32_t k = 0; k < s->order.len; k++)
        todo[s->order.data[k]] = true;
    for (bool again = true; again;) {
        again = false;
        for (uint32_t k = 0; k < s->order.len; k++) {
            uint32_t id = s->order.data[k];
            if (!todo[id])
                continue;
            todo[id] = false;
            struct flight f = in[id];
            place_block(s, &s->blocks.data[id], &f, &all);
            begin_anew(&f);
            for (uint32_t e = 0; e < s->blocks.data[id].nto; e++) {
                uint32_t to = s->blocks.data[id].to[e];
                if (worse(&in[to], &f))
                    todo[to] = again = true;
            }
        }
    }
    vec_each (struct sass_block, b, &s->blocks)
        keep_operands(b);
    if (careful)
        wait_long(s);
}
