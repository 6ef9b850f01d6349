/* Blocks and warps: who runs, who waits, and whether the code gave results the time they take. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sim.h"

_Noreturn void sim_fail(struct block *b, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(b->why, sizeof b->why, fmt, ap);
    va_end(ap);
    longjmp(*b->out, 1);
}

bool sim_pred(const struct warp *w, struct sass_pred p, unsigned lane)
{
    return (p.reg == SASS_NONE ? 1 : w->preds[p.reg][lane]) != p.neg;
}

/* ---- time: what the hardware asks for, as measured ---- */
static bool is_memory(unsigned class)
{
    return class == CLASS_VAR || class == CLASS_STORE || class == CLASS_CONTROL ||
           class == CLASS_FENCE;
}

static unsigned needs(unsigned from, unsigned to)
{
    bool fma = to == CLASS_FMA || to == CLASS_WIDE;
    switch (from) {
    case CLASS_MMA: return 24;
    case CLASS_ALU:
        if (to == CLASS_MMA)
            return 7;
        return is_memory(to) || to == CLASS_FP64 ? 5 : fma ? 5 : 4;
    case CLASS_FMA:
        if (to == CLASS_MMA)
            return 7;
        return is_memory(to) || to == CLASS_FP64 ? 5 : fma ? 4 : 5;
    case CLASS_WIDE: return 5;
    case CLASS_FP64: return 8;
    case CLASS_HALF: return 10;
    case CLASS_CLOCK: return 8;
    default: return 0;
    }
}
enum { PRED_AS_GUARD = 13, PRED_AS_OPERAND = 5, UNIFORM = 10, UNIFORM_READ = 3 };

static void check_lane(struct block *b, const struct sass_inst *i, const struct use *u, unsigned l)
{
    struct warp *w = b->warp;
    const struct sass_row *r = &sass_rows[i->op];
    uint32_t now = w->clock[l], pc = w->pc[l];
    for (unsigned k = 0; k < u->nreads; k++) {
        unsigned x = u->reads[k];
        if (x >= b->code->registers)
            sim_fail(b, "%04x reads R%u of %u registers", pc * 16, x, b->code->registers);
        if (w->writes[x][l])
            sim_fail(b, "%04x reads R%u before its scoreboard was waited for", pc * 16, x);
        if (w->ready[x][l] && now < w->ready[x][l] + needs(w->made_by[x][l], r->class))
            sim_fail(b, "%04x reads R%u %u cycles too early", pc * 16, x,
                     w->ready[x][l] + needs(w->made_by[x][l], r->class) - now);
    }
    for (unsigned k = 0; k < u->nwrites; k++) {
        unsigned x = u->writes[k];
        if (x >= b->code->registers)
            sim_fail(b, "%04x writes R%u of %u registers", pc * 16, x, b->code->registers);
        if (w->writes[x][l] || w->reads[x][l])
            sim_fail(b, "%04x writes R%u while it is in use", pc * 16, x);
    }
    for (unsigned k = 0; k < u->npreds; k++) {
        unsigned x = u->preds[k], wait = r->class == CLASS_ALU || r->class == CLASS_SETP
                                             ? PRED_AS_OPERAND
                                             : PRED_AS_GUARD;
        if (w->pred_writes[x][l] || (w->pred_ready[x][l] && now < w->pred_ready[x][l] + wait))
            sim_fail(b, "%04x reads P%u too early", pc * 16, x);
    }
    if (i->guard.reg != SASS_NONE &&
        (w->pred_writes[i->guard.reg][l] ||
         (w->pred_ready[i->guard.reg][l] && now < w->pred_ready[i->guard.reg][l] + PRED_AS_GUARD)))
        sim_fail(b, "%04x is guarded by P%u too early", pc * 16, i->guard.reg);
    for (unsigned k = 0; k < u->nsets; k++)
        if (w->pred_writes[u->sets[k]][l])
            sim_fail(b, "%04x writes P%u while it is in use", pc * 16, u->sets[k]);
    if (r->operands & (O_UR32 | O_UR64 | O_UR40) && now < w->uniform_ready[l])
        sim_fail(b, "%04x reads the descriptor too early", pc * 16);
}

static void wait_for(struct warp *w, unsigned l, unsigned boards)
{
    uint8_t keep = (uint8_t)~boards;
    if (!(w->open[l] & boards))
        return;
    for (unsigned x = 0; x < 256; x++) {
        w->writes[x][l] &= keep;
        w->reads[x][l] &= keep;
    }
    for (unsigned x = 0; x < 8; x++)
        w->pred_writes[x][l] &= keep;
    for (unsigned x = 0; x < 64; x++)
        w->boards[x] &= keep;
    w->open[l] &= keep;
}

static void start_lane(struct block *b, const struct sass_inst *i, const struct use *u, unsigned l)
{
    struct warp *w = b->warp;
    const struct sass_row *r = &sass_rows[i->op];
    bool late = r->class == CLASS_VAR ||
                (b->code->arch < 90 && (r->class == CLASS_FP64 || r->class == CLASS_DSETP)) ||
                (b->code->arch < 80 && r->class == CLASS_MMA),
         stores = r->class == CLASS_STORE;
    if (late && (u->nwrites || u->nsets) && i->set_write == 7)
        sim_fail(b, "%04x sets no scoreboard", w->pc[l] * 16);
    for (unsigned k = 0; k < u->nwrites; k++) {
        unsigned x = u->writes[k];
        w->made_by[x][l] = r->class;
        w->ready[x][l] = late ? 0 : w->clock[l] + 1 - 1;
        if (!late && !w->ready[x][l])
            w->ready[x][l] = 1;
        w->writes[x][l] = late ? (uint8_t)(1u << i->set_write) : 0;
    }
    for (unsigned k = 0; k < u->nsets; k++) {
        w->pred_ready[u->sets[k]][l] = late ? 0 : w->clock[l];
        w->pred_writes[u->sets[k]][l] = late ? (uint8_t)(1u << i->set_write) : 0;
    }
    if (r->operands & O_TOKEN) {
        if (i->set_write == 7)
            sim_fail(b, "%04x sets no scoreboard", w->pc[l] * 16);
        w->boards[i->mods[MOD_UNIFORM]] = (uint8_t)(1u << i->set_write);
    }
    if (r->operands & O_UD && i->mods[MOD_UNIFORM] >= UR_DESCRIPTOR) /* constants: check_uniform */
        w->uniform_ready[l] = w->clock[l] + UNIFORM;
    if (late || stores) /* operands are read when it is done, or says that it has read them */
        for (unsigned k = 0; k < u->nreads; k++) {
            uint8_t board = i->set_read != 7    ? (uint8_t)(1u << i->set_read)
                            : i->set_write != 7 ? (uint8_t)(1u << i->set_write)
                                                : 0x80;
            w->reads[u->reads[k]][l] |= board;
        }
    if (i->set_write != 7)
        w->open[l] |= (uint8_t)(1u << i->set_write);
    if (i->set_read != 7)
        w->open[l] |= (uint8_t)(1u << i->set_read);
}

/* ---- waiting ---- */
static uint32_t lanes_of(const struct warp *w, enum lane_state s)
{
    uint32_t m = 0;
    for (unsigned l = 0; l < LANES; l++)
        if (w->there >> l & 1 && w->state[l] == s)
            m |= 1u << l;
    return m;
}

static void release(struct warp *w, uint32_t who)
{
    uint32_t latest = 0;
    for (unsigned l = 0; l < LANES; l++)
        if (who >> l & 1 && w->clock[l] > latest)
            latest = w->clock[l];
    for (unsigned l = 0; l < LANES; l++)
        if (who >> l & 1) {
            w->state[l] = RUNS;
            w->pc[l]++;
            w->clock[l] = latest;
        }
}

/* Lanes that have come from different places do what the last of them stands in front of, as seen
 * on an H200. */
static void check_meeting(struct warp *w)
{
    const uint32_t gone = lanes_of(w, GONE) | ~w->there, here = lanes_of(w, AT_MEETING);
    if (!here)
        return;
    const unsigned lead = w->came_last;
    if ((w->mask[lead] & ~gone) != here)
        return;
    for (unsigned l = 0; l < LANES; l++)
        if (here >> l & 1)
            w->pc[l] = w->pc[lead];
    release(w, here);
}

static void check_sync(struct warp *w)
{
    check_meeting(w);
    uint32_t gone = lanes_of(w, GONE) | ~w->there;
    for (unsigned l = 0; l < LANES; l++) {
        if (!(w->there >> l & 1) || w->state[l] != AT_SYNC)
            continue;
        uint32_t all = w->members[w->where[l]][l] & ~gone, here = 0;
        for (unsigned k = 0; k < LANES; k++)
            if (all >> k & 1 && w->state[k] == AT_SYNC && w->where[k] == w->where[l])
                here |= 1u << k;
        if ((all | 1u << l) == (here | 1u << l) && here) {
            for (unsigned k = 0; k < LANES; k++)
                if (here >> k & 1)
                    w->members[w->where[l]][k] = 0;
            release(w, here);
        } else if (!all)
            release(w, 1u << l);
    }
    for (unsigned l = 0; l < LANES; l++) {
        if (!(w->there >> l & 1) || w->state[l] != AT_WARP)
            continue;
        uint32_t all = (w->mask[l] | 1u << l) & ~gone, here = 0;
        for (unsigned k = 0; k < LANES; k++)
            if (all >> k & 1 && w->state[k] == AT_WARP)
                here |= 1u << k;
        if (here == all)
            release(w, here);
    }
}

static void check_bars(struct block *b)
{
    for (unsigned n = 0; n < 16; n++) {
        uint32_t whole = 0, waiting = 0, arrived = 0, want = 0, sum = 0, all = 1, any = 0;
        for (uint32_t k = 0; k < b->nwarps; k++) {
            struct warp *w = &b->warps[k];
            uint32_t at = 0, alive = w->there & ~lanes_of(w, GONE);
            for (unsigned l = 0; l < LANES; l++)
                if (w->there >> l & 1 && w->state[l] == AT_BAR && w->where[l] == n) {
                    at |= 1u << l;
                    want = w->mask[l] & 0xffff;
                    unsigned p = w->mask[l] >> 31;
                    sum += p;
                    all &= p;
                    any |= p;
                }
            whole += alive != 0;
            waiting += alive && at == alive;
            arrived += at == alive && at ? 32 : 0;
        }
        arrived += b->votes[n];
        bool open = want ? arrived >= want && waiting : waiting && waiting == whole;
        if (!open)
            continue;
        b->votes[n] = 0;
        for (uint32_t k = 0; k < b->nwarps; k++) {
            struct warp *w = &b->warps[k];
            uint32_t who = 0;
            unsigned red = 0;
            for (unsigned l = 0; l < LANES; l++)
                if (w->there >> l & 1 && w->state[l] == AT_BAR && w->where[l] == n) {
                    who |= 1u << l;
                    red = w->mask[l] >> 29 & 3;
                }
            if (!who)
                continue;
            w->bar_result = red == 0 ? sum : red == 1 ? all : any;
            release(w, who);
        }
    }
}

/* ---- control ---- */
static uint32_t target(struct block *b, uint32_t pc)
{
    return b->code->targets[pc] / 16;
}

static bool control(struct block *b, const struct sass_inst *i, uint32_t group, uint32_t run)
{
    struct warp *w = b->warp;
    unsigned first = (unsigned)__builtin_ctz(group);
    uint32_t pc = w->pc[first];
    for (unsigned l = 0; l < LANES; l++) {
        if (!(group >> l & 1))
            continue;
        bool does = run >> l & 1;
        switch (i->op) {
        case OP_BRA: w->pc[l] = does ? target(b, pc) : pc + 1; break;
        case OP_BRA_ANY: w->pc[l] = run ? target(b, pc) : pc + 1; break;
        case OP_BRA_DIV:
            does &= group != (w->uniform[i->mods[MOD_UNIFORM]] & w->there & ~lanes_of(w, GONE));
            w->pc[l] = does ? target(b, pc) : pc + 1;
            break;
        case OP_WARPSYNC_COLLECTIVE:
            w->state[l] = AT_MEETING;
            w->mask[l] = w->regs[i->a.value][l];
            w->back[l] = target(b, pc);
            w->came_last = l;
            break;
        case OP_ENDCOLLECTIVE: w->pc[l] = w->back[l]; break;
        case OP_EXIT:
            if (does)
                w->state[l] = GONE;
            else
                w->pc[l]++;
            break;
        case OP_BSSY:
            if (does) {
                w->members[i->mods[MOD_BARRIER]][l] = run;
                w->meeting[i->mods[MOD_BARRIER]][l] = target(b, pc);
            }
            w->pc[l]++;
            break;
        case OP_BREAK:
            for (unsigned k = 0; does && k < LANES; k++)
                w->members[i->mods[MOD_BARRIER]][k] &= ~(1u << l);
            w->pc[l]++;
            break;
        case OP_BSYNC: /* who has waited goes on where BSSY said, who comes last behind it */
            if (w->members[i->mods[MOD_BARRIER]][l] >> l & 1 &&
                w->meeting[i->mods[MOD_BARRIER]][l] != pc + 1)
                sim_fail(b, "a BSSY that does not name what is behind its BSYNC");
            w->state[l] = AT_SYNC;
            w->where[l] = (uint8_t)i->mods[MOD_BARRIER];
            break;
        case OP_WARPSYNC:
        case OP_WARPSYNC_ALL:
            if (!does) {
                w->pc[l]++;
                break;
            }
            w->state[l] = AT_WARP;
            w->mask[l] = i->op == OP_WARPSYNC_ALL ? UINT32_MAX : w->regs[i->a.value][l];
            if (!(w->mask[l] >> l & 1))
                sim_fail(b, "a lane waits for others that is not of them");
            break;
        case OP_CALL:
            if (l == first)
                sim_call(b, i, run);
            w->pc[l]++;
            break;
        case OP_YIELD: /* who waits at a BSYNC does not wait for this lane any more */
            for (unsigned k = 0; does && k < 16; k++)
                if (w->members[k][l] >> l & 1)
                    sim_fail(b, "a YIELD where a convergence barrier is open");
            w->pc[l]++;
            break;
        case OP_BMOV_CLEAR: w->pc[l]++; break;
        case OP_BPT:
            if (does)
                sim_fail(b, "trap");
            w->pc[l]++;
            break;
        default: return false;
        }
    }
    return true;
}

/* The warp arrives, or waits until all that are left of the cluster have: false: not yet. */
static bool passes_cluster(struct block *b, const struct sass_inst *i, uint32_t run)
{
    struct warp *w = b->warp;
    if (!b->cluster)
        sim_fail(b, "a barrier of the cluster, in a launch without");
    if (run != (w->there & ~lanes_of(w, GONE)))
        sim_fail(b, "some lanes of a warp are at the cluster's barrier");
    if (i->op == OP_UCGABAR_ARV) {
        if (w->came++ != w->waited)
            sim_fail(b, "a warp arrives twice at the cluster's barrier");
        return true;
    }
    if (w->came == w->waited)
        sim_fail(b, "a warp waits at the cluster's barrier that has not arrived");
    const uint32_t blocks = b->cluster_size[0] * b->cluster_size[1] * b->cluster_size[2];
    for (uint32_t n = 0; n < blocks; n++)
        for (uint32_t k = 0; k < b->cluster[n]->nwarps; k++) {
            const struct warp *other = &b->cluster[n]->warps[k];
            if (other->there & ~lanes_of(other, GONE) && other->came <= w->waited)
                return false;
        }
    w->waited++;
    return true;
}

static bool cluster_barrier(struct block *b, const struct sass_inst *i, uint32_t run)
{
    if (i->op != OP_UCGABAR_ARV && i->op != OP_UCGABAR_WAIT)
        return false;
    if (passes_cluster(b, i, run))
        for (unsigned l = 0; l < LANES; l++)
            b->warp->pc[l] += run >> l & 1;
    return true;
}

static bool barrier(struct block *b, const struct sass_inst *i, uint32_t run)
{
    struct warp *w = b->warp;
    if (i->op != OP_BAR && i->op != OP_BAR_R && i->op != OP_BAR_N && i->op != OP_BAR_C)
        return false;
    for (unsigned l = 0; l < LANES; l++) {
        if (!(run >> l & 1))
            continue;
        uint32_t name = i->mods[MOD_NAME], count = i->mods[MOD_COUNT];
        uint32_t x = i->op == OP_BAR ? 0 : w->regs[i->b.value][l];
        if (i->op == OP_BAR_R)
            name = x & 15, count = x >> 16;
        else if (i->op == OP_BAR_N)
            name = x & 15;
        else if (i->op == OP_BAR_C)
            count = x >> 16;
        if (i->mods[MOD_MODE] == 1) { /* arrives */
            w->pc[l]++;
            if (l == (unsigned)__builtin_ctz(run))
                b->votes[name] += 32;
            continue;
        }
        w->state[l] = AT_BAR;
        w->where[l] = (uint8_t)name;
        w->mask[l] = count | (uint32_t)i->mods[MOD_RED] << 29;
        if (i->mods[MOD_MODE] == 2 && sim_pred(w, i->p, l))
            w->mask[l] |= 1u << 31;
    }
    return true;
}

/* ---- steps ---- */
/* Lanes at the same place that can run; those that ran last have their turn unless it is over,
 * which it may be where they jump or wait: what they have put into uniform registers is theirs till
 * then. */
static uint32_t choose(const struct code *c, struct warp *w, uint64_t steps)
{
    uint32_t runs = lanes_of(w, RUNS);
    if (!runs)
        return 0;
    unsigned lead = w->last;
    const bool may_end = !(runs >> lead & 1) || w->pc[lead] >= c->ninsts ||
                         sass_rows[c->insts[w->pc[lead]].op].class == CLASS_CONTROL;
    w->turn_over |= steps % 61 == 0;
    if (!(runs >> lead & 1) || (w->turn_over && may_end)) {
        w->turn_over = false;
        do
            lead = (lead + 1) % LANES;
        while (!(runs >> lead & 1));
    }
    w->last = lead;
    uint32_t group = 0;
    for (unsigned l = 0; l < LANES; l++)
        if (runs >> l & 1 && w->pc[l] == w->pc[lead])
            group |= 1u << l;
    return group;
}

/* Registers of the whole warp: who writes or reads them must be all that are left of it. */
static void check_uniform(struct block *b, const struct sass_inst *i, uint32_t group)
{
    const struct sass_row *r = &sass_rows[i->op];
    const struct warp *w = b->warp;
    const struct sass_src *src[] = {&i->b, &i->c};
    bool touches = r->operands & O_UD && i->mods[MOD_UNIFORM] < UR_DESCRIPTOR;
    const unsigned first = (unsigned)__builtin_ctz(group);
    for (unsigned k = 0; k < 2; k++)
        if (r->operands & O_ALU && src[k]->kind == SRC_UNIFORM) {
            touches |= src[k]->value < UR_DESCRIPTOR;
            if (w->boards[src[k]->value])
                sim_fail(b, "%04x reads UR%u before its scoreboard was waited for",
                         w->pc[first] * 16, src[k]->value);
            if (w->clock[first] < w->when[src[k]->value] + UNIFORM_READ)
                sim_fail(b, "%04x reads UR%u too early", w->pc[first] * 16, src[k]->value);
        }
    if (touches && group != (w->there & ~lanes_of(w, GONE)))
        sim_fail(b, "%04x: some lanes of a warp use its uniform registers", w->pc[first] * 16);
}

static bool step(struct block *b)
{
    struct warp *w = b->warp;
    check_sync(w);
    uint32_t group = choose(b->code, w, b->steps++), run = 0;
    if (!group)
        return false;
    uint32_t pc = w->pc[__builtin_ctz(group)];
    if (pc >= b->code->ninsts)
        sim_fail(b, "control leaves the code at %04x", pc * 16);
    const struct sass_inst *i = &b->code->insts[pc];
    struct use u;
    sim_uses(i, b->code->arch, &u);
    for (unsigned l = 0; l < LANES; l++)
        if (group >> l & 1) {
            wait_for(w, l, i->wait);
            check_lane(b, i, &u, l);
            if (sim_pred(w, i->guard, l))
                run |= 1u << l;
        }
    check_uniform(b, i, group);
    for (unsigned l = 0; l < LANES; l++)
        if (run >> l & 1)
            start_lane(b, i, &u, l);
    if (!control(b, i, group, run) && !barrier(b, i, run) && !cluster_barrier(b, i, run)) {
        sim_exec(b, i, run);
        for (unsigned l = 0; l < LANES; l++)
            if (group >> l & 1)
                w->pc[l]++;
    }
    for (unsigned l = 0; l < LANES; l++)
        if (group >> l & 1)
            w->clock[l] += i->stall ? i->stall : 1;
    return true;
}

/* A turn for each warp; false: all threads are gone. */
static bool run_turn(struct block *b)
{
    static const uint64_t most = UINT64_C(400000000);
    bool moved = false, alive = false;
    for (uint32_t k = 0; k < b->nwarps; k++) {
        b->warp = &b->warps[k];
        for (unsigned n = 0; n < 64 && step(b); n++)
            moved = true;
        alive |= (b->warp->there & ~lanes_of(b->warp, GONE)) != 0;
    }
    check_bars(b);
    if (!alive)
        return false;
    bool runs = moved;
    for (uint32_t k = 0; k < b->nwarps && !runs; k++)
        runs = lanes_of(&b->warps[k], RUNS) != 0;
    if (!runs)
        sim_fail(b, "all threads wait for each other");
    if (b->steps > most)
        sim_fail(b, "it does not end");
    return true;
}

static void put32(uint8_t *at, uint32_t v)
{
    memcpy(at, &v, 4);
}

static void prepare(struct block *b, void **params)
{
    const struct code *c = b->code;
    for (unsigned k = 0; k < 3; k++) {
        put32(b->bank0 + 4 * k, b->dim[k]);
        put32(b->bank0 + 12 + 4 * k, b->grid[k]);
    }
    put32(b->bank0 + 0x20, (uint32_t)LOCAL_WINDOW);
    put32(b->bank0 + 0x24, (uint32_t)(LOCAL_WINDOW >> 32));
    const uint64_t three = (uint64_t)(uintptr_t)c->bank3;
    const uint32_t three_at = c->arch >= 90 ? 0xd0 : 0x50;
    put32(b->bank0 + three_at, (uint32_t)three);
    put32(b->bank0 + three_at + 4, (uint32_t)(three >> 32));
    put32(b->bank0 + 0x18, 0);
    put32(b->bank0 + 0x1c, (uint32_t)SHARED_WINDOW);
    put32(b->bank0 + 0x28, STACK_TOP);
    put32(b->bank0 + 0x2c, b->dynamic);
    put32(b->bank0 + 0x140, b->cluster != NULL);
    for (unsigned k = 0; k < 3; k++)
        put32(b->bank0 + 0x144 + 4 * k, b->cluster_size[k]);
    for (uint32_t k = 0; k < c->nparams; k++)
        memcpy(b->bank0 + c->param_base + c->params[k].offset, params[k], c->params[k].bytes);
}

static struct block *make_block(const struct code *c, const uint32_t grid[3], const uint32_t dim[3],
                                const uint32_t cluster[3], uint32_t dynamic, jmp_buf *out)
{
    struct block *b = calloc(1, sizeof *b);
    const uint32_t threads = dim[0] * dim[1] * dim[2];
    b->code = c;
    b->out = out;
    memcpy(b->grid, grid, sizeof b->grid);
    memcpy(b->dim, dim, sizeof b->dim);
    b->dynamic = dynamic;
    b->shared_bytes = ((c->shared + 15) & ~15u) + dynamic;
    b->shared = malloc(b->shared_bytes + 16);
    b->nwarps = (threads + 31) / 32;
    b->warps = malloc(b->nwarps * sizeof *b->warps);
    b->local = malloc((size_t)threads * c->frame + 64);
    for (unsigned k = 0; k < 3; k++)
        b->cluster_size[k] = cluster ? cluster[k] : 1;
    return b;
}

static void free_block(struct block *b)
{
    free(b->local);
    free(b->warps);
    free(b->shared);
    free(b);
}

static void begin_block(struct block *b, uint32_t number)
{
    const uint32_t threads = b->dim[0] * b->dim[1] * b->dim[2], frame = b->code->frame;
    b->at[0] = number % b->grid[0];
    b->at[1] = number / b->grid[0] % b->grid[1];
    b->at[2] = number / b->grid[0] / b->grid[1];
    memset(b->warps, 0, b->nwarps * sizeof *b->warps);
    memset(b->shared, 0xa5, b->shared_bytes);
    memset(b->local, 0xa5, (size_t)threads * frame);
    memset(b->votes, 0, sizeof b->votes);
    for (uint32_t k = 0; k < b->nwarps; k++) {
        struct warp *w = &b->warps[k];
        uint32_t left = threads - k * 32;
        w->number = k;
        w->there = left >= 32 ? UINT32_MAX : (1u << left) - 1;
        w->local = b->local + (size_t)k * 32 * frame;
        memset(w->regs, 0x5a, sizeof w->regs); /* nobody may rely on zeros */
        for (unsigned l = 0; l < LANES; l++)
            w->clock[l] = 100;
    }
}

/* The blocks of a grid are those of its clusters, one cluster after another. */
static uint32_t block_number(const uint32_t grid[3], const uint32_t size[3], uint32_t n)
{
    const uint32_t blocks = size[0] * size[1] * size[2], x = grid[0] / size[0],
                   y = grid[1] / size[1];
    const uint32_t c = n / blocks, r = n % blocks;
    const uint32_t at[3] = {c % x * size[0] + r % size[0],
                            c / x % y * size[1] + r / size[0] % size[1],
                            c / x / y * size[2] + r / size[0] / size[1]};
    return (at[2] * grid[1] + at[1]) * grid[0] + at[0];
}

bool sim_launch(const struct code *c, const uint32_t grid[3], const uint32_t dim[3],
                const uint32_t cluster[3], uint32_t dynamic, void **params, bool at_once, char *why,
                size_t n)
{
    static const uint32_t one[3] = {1, 1, 1};
    jmp_buf out;
    const uint32_t *size = cluster ? cluster : one, blocks_of_one = size[0] * size[1] * size[2];
    const uint32_t count = grid[0] * grid[1] * grid[2], held = at_once ? count : blocks_of_one;
    struct block **blocks = calloc(held, sizeof *blocks);
    for (uint32_t k = 0; k < held; k++) {
        blocks[k] = make_block(c, grid, dim, cluster, dynamic, &out);
        blocks[k]->cluster = cluster ? blocks + k / blocks_of_one * blocks_of_one : NULL;
        blocks[k]->rank = k % blocks_of_one;
        prepare(blocks[k], params);
    }
    struct block *volatile now = blocks[0];
    volatile bool ok = !setjmp(out);
    for (uint32_t first = 0; ok && first < count; first += held) {
        uint32_t left = held;
        for (uint32_t k = 0; k < held; k++)
            begin_block(blocks[k], block_number(grid, size, first + k));
        bool *gone = calloc(held, sizeof *gone);
        while (left)
            for (uint32_t k = 0; k < held; k++) {
                now = blocks[k];
                if (!gone[k] && !run_turn(blocks[k])) {
                    gone[k] = true;
                    left--;
                }
            }
        free(gone);
    }
    if (!ok)
        snprintf(why, n, "%s: block %u %u %u: %s", c->name, now->at[0], now->at[1], now->at[2],
                 now->why);
    for (uint32_t k = 0; k < held; k++)
        free_block(blocks[k]);
    free(blocks);
    return ok;
}
