/* The order of instructions in a block, before they have registers: what takes long starts early.
 *
 * A block is cut where something must stay in its place (control, barriers, atomics, what talks to
 * other lanes); between two cuts a list of what could come next is kept, and the one with the
 * longest way to the end is taken, as long as few enough registers are alive; then the one that
 * costs least in time and registers. */
#include <string.h>
#include "back/sass/sass_int.h"

/* FEW registers alive leave room for as many threads as there can be; where a piece begins with
 * more, it may have MORE, and SLACK beyond where that saves waiting: more where it begins with so
 * MANY that only few warps fit anyway. */
enum { FEW = 27, MORE = 16, SLACK = 4, MANY = 96, MANY_SLACK = 32, MOST_NODES = 4096 };

struct node {
    uint32_t height; /* cycles to the end */
    uint32_t waits;  /* for so many others */
    uint32_t from;   /* cycle from which on its operands are there */
    VEC(uint32_t) next;
};

/* Registers of an instruction. */
struct names {
    uint32_t reads[8], writes[3];
    unsigned nreads, nwrites;
};

struct ordering {
    struct sass_func *s;
    struct node *nodes;
    struct names *names; /* by node */
    uint32_t *left;      /* by register: uses in this piece that are to come */
    uint32_t *writer;    /* by register: last node that wrote it, + 1 */
    uint32_t *first_use; /* by register: list of readers since, + 1 */
    uint32_t *old;       /* by register: uses that are to come of what it holds before this piece */
    bool *made;          /* by register: in this piece */
    uint64_t *out;       /* alive at the end of this piece */
    uint64_t *live;      /* at its beginning */
    int alive;           /* registers in it */
    int slack;           /* registers beyond what there is room for */
    struct {
        uint32_t node, next;
    } * readers;
    uint32_t nreaders;
};

static unsigned takes(const struct sass_inst *i)
{
    switch (i->op) {
    case OP_LDG:
    case OP_LD:
    case OP_TEX:
    case OP_TLD:
    case OP_TLD4:
    case OP_TXD:
    case OP_SULD:
    case OP_TEX_B:
    case OP_TLD_B:
    case OP_TLD4_B:
    case OP_TXD_B:
    case OP_SULD_B: return 400;
    case OP_LDL: return 200;
    case OP_LDS:
    case OP_LDC:
    case OP_S2R: return 30;
    default: break;
    }
    switch (sass_rows[i->op].class) {
    case CLASS_VAR:
    case CLASS_MMA: return 24;
    case CLASS_FP64: return 8;
    case CLASS_SETP:
    case CLASS_DSETP: return 13;
    default: return 5;
    }
}

enum space { SPACE_NONE, SPACE_GLOBAL, SPACE_SHARED, SPACE_LOCAL, SPACE_SURFACE, SPACE_ANY };

static enum space space_of(const struct sass_inst *i)
{
    switch (i->op) {
    case OP_LDG:
    case OP_STG: return i->mods[MOD_ORDER] == 4 ? SPACE_NONE : SPACE_GLOBAL;
    case OP_ATOMG:
    case OP_ATOMG_CAS:
    case OP_ATOMG_F:
    case OP_RED:
    case OP_RED_F: return SPACE_GLOBAL;
    case OP_LDS:
    case OP_STS:
    case OP_ATOMS:
    case OP_ATOMS_CAS: return SPACE_SHARED;
    case OP_LDL:
    case OP_STL: return SPACE_LOCAL;
    case OP_SULD:
    case OP_SUST:
    case OP_SURED:
    case OP_SULD_B:
    case OP_SUST_B:
    case OP_SURED_B: return SPACE_SURFACE;
    case OP_LD:
    case OP_ST:
    case OP_ATOM:
    case OP_ATOM_CAS: return SPACE_ANY;
    default: return SPACE_NONE;
    }
}

static bool stays(const struct sass_inst *i)
{
    unsigned class = sass_rows[i->op].class;
    if (class == CLASS_CONTROL || class == CLASS_FENCE || class == CLASS_UNIFORM)
        return true;
    if (sass_is_atomic(i->op))
        return !i->loose;
    if (sass_is_shuffle(i->op))
        return true;
    switch (i->op) {
    case OP_CS2R:
    case OP_VOTE:
    case OP_REDUX:
    case OP_B2R: return true; /* products of matrices stand behind the WARPSYNC that they need */
    case OP_LDG:
    case OP_STG:
    case OP_LD:
    case OP_ST: return i->mods[MOD_ORDER] != 0 && i->mods[MOD_ORDER] != 4;
    default: return false;
    }
}

/* Two that have the same register of the machine from the start may not change places. */
static bool is_fixed(const struct sass_func *s, const struct sass_inst *i)
{
    if (!s->calls && !s->collective)
        return false;
    return (i->pd != SASS_NONE && s->regs.data[i->pd].fixed) ||
           (i->d != SASS_NONE && s->regs.data[i->d].fixed) ||
           (i->op == OP_MOV && i->b.kind == SRC_REG && i->b.value != SASS_NONE &&
            s->regs.data[i->b.value].fixed);
}

/* ---- registers of an instruction ---- */
static void read_one(struct names *n, uint32_t r)
{
    if (r == SASS_NONE)
        return;
    for (unsigned k = 0; k < n->nreads; k++)
        if (n->reads[k] == r)
            return;
    n->reads[n->nreads++] = r;
}

static void names_of(const struct sass_inst *i, struct names *n)
{
    uint32_t o = sass_rows[i->op].operands;
    n->nreads = n->nwrites = 0;
    if (o & O_A && i->a.kind == SRC_REG)
        read_one(n, i->a.value);
    if (o & (O_B | O_B32 | O_IMPLIED) && i->b.kind == SRC_REG)
        read_one(n, i->b.value);
    if (o & (O_C | O_C64 | O_IMPLIED) && i->c.kind == SRC_REG)
        read_one(n, i->c.value);
    read_one(n, i->guard.reg);
    read_one(n, i->p.reg);
    read_one(n, i->q.reg);
    read_one(n, i->r.reg);
    if (i->d != SASS_NONE && i->continues)
        read_one(n, i->d);
    if (i->d != SASS_NONE)
        n->writes[n->nwrites++] = i->d;
    if (i->pd != SASS_NONE)
        n->writes[n->nwrites++] = i->pd;
    if (i->pe != SASS_NONE)
        n->writes[n->nwrites++] = i->pe;
}

/* ---- who comes before whom ---- */
static void edge(struct ordering *o, uint32_t from, uint32_t to)
{
    struct node *n = &o->nodes[from];
    if (from == to || (n->next.len && vec_last(&n->next) == to))
        return;
    vec_push(o->s->arena, &n->next, to);
    o->nodes[to].waits++;
}

static void connect(struct ordering *o, const struct sass_inst *code, uint32_t n)
{
    uint32_t last_store[SPACE_ANY + 1] = {0};
    VEC(uint32_t) loads = {0};
    for (uint32_t k = 0; k < n; k++) {
        struct names *x = &o->names[k];
        names_of(&code[k], x);
        for (unsigned j = 0; j < x->nreads; j++) {
            uint32_t r = x->reads[j];
            if (o->writer[r])
                edge(o, o->writer[r] - 1, k);
            else
                o->old[r]++;
            o->readers[++o->nreaders].node = k;
            o->readers[o->nreaders].next = o->first_use[r];
            o->first_use[r] = o->nreaders;
        }
        for (unsigned j = 0; j < x->nwrites; j++) {
            uint32_t r = x->writes[j];
            for (uint32_t u = o->first_use[r]; u; u = o->readers[u].next)
                edge(o, o->readers[u].node, k);
            if (o->writer[r])
                edge(o, o->writer[r] - 1, k);
            o->first_use[r] = 0;
            o->writer[r] = k + 1;
            o->made[r] = true;
        }
        enum space s = space_of(&code[k]);
        if (s == SPACE_NONE)
            continue;
        for (unsigned t = 1; t <= SPACE_ANY; t++)
            if (last_store[t] && (t == s || t == SPACE_ANY || s == SPACE_ANY))
                edge(o, last_store[t] - 1, k);
        if (sass_rows[code[k].op].class != CLASS_STORE && !code[k].loose) {
            vec_push(o->s->arena, &loads, k);
            continue;
        }
        vec_each (uint32_t, l, &loads) {
            enum space t = space_of(&code[*l]);
            if (t == s || t == SPACE_ANY || s == SPACE_ANY)
                edge(o, *l, k);
        }
        last_store[s] = k + 1;
    }
}

static void heights(struct ordering *o, const struct sass_inst *code, uint32_t n)
{
    for (uint32_t k = n; k-- > 0;) {
        uint32_t most = 0;
        vec_each (uint32_t, t, &o->nodes[k].next)
            if (o->nodes[*t].height > most)
                most = o->nodes[*t].height;
        o->nodes[k].height = most + takes(&code[k]);
    }
}

/* ---- taking them ---- */
static bool is_out(const struct ordering *o, uint32_t r)
{
    return o->out[r / 64] >> (r & 63) & 1;
}

/* Is nothing that it holds wanted once i has read it? It may be written anew later in the piece. */
static bool dies(const struct ordering *o, const struct sass_inst *i, uint32_t r)
{
    if (o->made[r] && o->old[r])
        return o->old[r] == 1 && !(i->continues && i->d == r);
    return o->left[r] == 1 && !is_out(o, r);
}

/* How many registers more are alive after it. */
static int grows(const struct ordering *o, const struct sass_inst *i, const struct names *x)
{
    int more = 0;
    for (unsigned j = 0; j < x->nwrites; j++)
        if (!i->continues || x->writes[j] != i->d)
            more += o->s->regs.data[x->writes[j]].size;
    for (unsigned j = 0; j < x->nreads; j++)
        if (dies(o, i, x->reads[j]))
            more -= o->s->regs.data[x->reads[j]].size;
    return more;
}

/* What taking it now costs: cycles that it waits for its operands, and registers, the dearer the
 * more are alive beyond what there is room for. */
static int cost(const struct ordering *o, const struct sass_inst *code, uint32_t node, uint32_t now,
                int over)
{
    const struct node *x = &o->nodes[node];
    const int waits = x->from > now ? (int)(x->from - now) : 0;
    const bool room = over < o->slack;
    const int each = room ? 4 + over : 64;
    return (room ? 4 : 1) * (waits < 40 ? waits : 40) +
           each * grows(o, &code[node], &o->names[node]);
}

/* As long as there is room, what has the longest way to go. */
static uint32_t pick(const struct ordering *o, const struct sass_inst *code, const uint32_t *ready,
                     uint32_t n, int over, uint32_t now)
{
    uint32_t best = 0;
    int least = 0;
    for (uint32_t k = 0; k < n; k++) {
        const struct node *x = &o->nodes[ready[k]], *y = &o->nodes[ready[best]];
        const bool first = ready[k] < ready[best];
        if (over < 0) {
            if (!k || x->height > y->height || (x->height == y->height && first))
                best = k;
            continue;
        }
        int c = cost(o, code, ready[k], now, over);
        if (!k || c < least || (c == least && first)) {
            best = k;
            least = c;
        }
    }
    return best;
}

static void take_all(struct ordering *o, struct sass_inst *code, uint32_t n)
{
    struct sass_inst *out = arena_array(o->s->arena, struct sass_inst, n);
    uint32_t *ready = arena_array(o->s->arena, uint32_t, n + 1), nready = 0, done = 0;
    int alive = o->alive;
    for (uint32_t k = 0; k < n; k++) {
        const struct names *x = &o->names[k];
        for (unsigned j = 0; j < x->nreads; j++)
            o->left[x->reads[j]]++;
        if (!o->nodes[k].waits)
            ready[nready++] = k;
    }
    const int most_alive = alive + MORE / 4 < FEW ? FEW : alive + MORE;
    o->slack = alive > MANY ? MANY_SLACK : SLACK;
    uint32_t now = 0;
    while (nready) {
        uint32_t at = pick(o, code, ready, nready, alive - most_alive, now), k = ready[at];
        now = (o->nodes[k].from > now ? o->nodes[k].from : now) + 1;
        const struct names *x = &o->names[k];
        alive += grows(o, &code[k], x);
        for (unsigned j = 0; j < x->nreads; j++) {
            o->left[x->reads[j]]--;
            o->old[x->reads[j]] -= o->old[x->reads[j]] > 0;
        }
        out[done++] = code[k];
        ready[at] = ready[--nready];
        vec_each (uint32_t, t, &o->nodes[k].next) {
            struct node *next = &o->nodes[*t];
            const uint32_t there = now - 1 + takes(&code[k]);
            next->from = there > next->from ? there : next->from;
            if (!--next->waits)
                ready[nready++] = *t;
        }
    }
    memcpy(code, out, n * sizeof *code);
}

static void forget(struct ordering *o, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++) {
        const struct names *x = &o->names[k];
        for (unsigned j = 0; j < x->nreads + x->nwrites; j++) {
            uint32_t r = j < x->nreads ? x->reads[j] : x->writes[j - x->nreads];
            o->writer[r] = o->first_use[r] = o->left[r] = o->old[r] = 0;
            o->made[r] = false;
        }
    }
    o->nreaders = 0;
}

static void order_piece(struct ordering *o, struct sass_inst *code, uint32_t n)
{
    if (n < 3)
        return;
    if (n > MOST_NODES) { /* in parts */
        order_piece(o, code, n / 2);
        order_piece(o, code + n / 2, n - n / 2);
        return;
    }
    o->nodes = arena_array(o->s->arena, struct node, n);
    o->names = arena_array(o->s->arena, struct names, n);
    connect(o, code, n);
    heights(o, code, n);
    take_all(o, code, n);
    forget(o, n);
}

/* Backwards over an instruction: what is alive before it. */
static void step_back(struct ordering *o, const struct sass_inst *i)
{
    struct names x;
    names_of(i, &x);
    for (unsigned j = 0; j < x.nwrites; j++) {
        const uint32_t r = x.writes[j];
        if (o->live[r / 64] >> (r & 63) & 1 && !(i->continues && r == i->d)) {
            o->live[r / 64] &= ~(UINT64_C(1) << (r & 63));
            o->alive -= o->s->regs.data[r].size;
        }
    }
    for (unsigned j = 0; j < x.nreads; j++) {
        const uint32_t r = x.reads[j];
        if (!(o->live[r / 64] >> (r & 63) & 1)) {
            o->live[r / 64] |= UINT64_C(1) << (r & 63);
            o->alive += o->s->regs.data[r].size;
        }
    }
}

static bool cuts(const struct ordering *o, const struct sass_inst *i)
{
    return stays(i) || is_fixed(o->s, i);
}

/* Its pieces, the last one first: what is alive behind each is known then. */
static void order_block(struct ordering *o, struct sass_block *b, const uint64_t *out,
                        uint32_t words)
{
    memcpy(o->live, out, words * sizeof *out);
    o->alive = 0;
    for (uint32_t w = 0; w < words; w++)
        for (uint64_t bits = out[w]; bits; bits &= bits - 1)
            o->alive += o->s->regs.data[w * 64 + (uint32_t)__builtin_ctzll(bits)].size;
    for (uint32_t end = (uint32_t)b->code.len; end;) {
        uint32_t from = end;
        while (from && !cuts(o, &b->code.data[from - 1]))
            from--;
        memcpy(o->out, o->live, words * sizeof *out);
        for (uint32_t k = end; k-- > from;)
            step_back(o, &b->code.data[k]);
        order_piece(o, b->code.data + from, end - from);
        end = from;
        if (end)
            step_back(o, &b->code.data[--end]);
    }
}

void sass_order(struct sass_func *s)
{
    size_t n = s->regs.len + 1, most = 0;
    struct ordering o = {.s = s};
    o.left = arena_array(s->arena, uint32_t, n);
    o.writer = arena_array(s->arena, uint32_t, n);
    o.first_use = arena_array(s->arena, uint32_t, n);
    o.old = arena_array(s->arena, uint32_t, n);
    o.made = arena_array(s->arena, bool, n);
    uint32_t words;
    const uint64_t *out = sass_live_out(s, &words);
    o.out = arena_array(s->arena, uint64_t, words + 1);
    o.live = arena_array(s->arena, uint64_t, words + 1);
    vec_each (struct sass_block, b, &s->blocks)
        most = b->code.len > most ? b->code.len : most;
    o.readers = (void *)arena_alloc_array(s->arena, most * 8 + 8, sizeof *o.readers);
    for (size_t k = 0; k < s->blocks.len; k++)
        order_block(&o, &s->blocks.data[k], out + k * words, words);
}
