/* Counting: what every instruction of a launch did, as a GPU with warps of 32 threads would see it.
 * base/counters.def says what is counted. */
#include <stdlib.h>
#include "interp/interp_int.h"

enum { SECTOR = 32, BANKS = 32, BANK_BYTES = 4 };

static uint64_t *counts_of(struct interp_func *f, const struct op *o)
{
    if (!f->counts)
        f->counts = calloc(f->nops, sizeof *f->counts);
    return f->counts ? f->counts[o - f->ops].n : NULL;
}

/* ---- arithmetic ---- */

/* Of one thread; *type: of what. */
static unsigned flops(const struct op *o, ir_type *type)
{
    *type = ir_scalar(o->type);
    switch ((enum ir_op)o->ir_op) {
    case IR_OP_fadd:
    case IR_OP_fsub:
    case IR_OP_fmul:
    case IR_OP_fdiv:
    case IR_OP_fsqrt:
    case IR_OP_frcp_fast:
    case IR_OP_frsqrt_fast: return o->elements;
    case IR_OP_fma:
    case IR_OP_mad: return 2 * o->elements;
    case IR_OP_rmw: return o->imm == IR_RMW_FADD;
    default: return 0;
    }
}

/* A matrix product, shared among the threads of a warp; by the type that is multiplied. */
static unsigned mma_flops(uint64_t shape, ir_type *type)
{
    enum {
        F16 = IR_F16,
        BF16 = IR_F16,
        TF32 = IR_F32,
        F32 = IR_F32,
        F64 = IR_F64,
        S8 = IR_I32,
        U8 = IR_I32
    };
    static const struct {
        uint16_t flops;
        uint8_t type;
    } shapes[] = {
#define IR_MMA(name, text, m, n, k, ab, cd, na, nb, nc, sm) {2 * (m) * (n) * (k) / LANES, ab},
#include "ir/mma.def"
    };
    *type = shapes[shape].type;
    return shapes[shape].flops;
}

static void count_flops(uint64_t *c, const struct op *o, unsigned lanes)
{
    ir_type type;
    uint64_t n = flops(o, &type);
    if (o->ir_op == IR_OP_mma)
        n = mma_flops(o->imm, &type);
    if (!n || ir_class(type) != IR_CLASS_FLOAT)
        return;
    c[type == IR_F64   ? COUNT_FLOPS_64
      : type == IR_F32 ? COUNT_FLOPS_32
                       : COUNT_FLOPS_16] += n * lanes;
}

/* ---- memory ---- */

struct accesses {
    uint64_t at[LANES];
    uint32_t n, bytes;
};

static int by_address(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static uint64_t sectors(struct accesses *a)
{
    uint64_t n = 0, next = 0; /* the first sector not counted yet */
    qsort(a->at, a->n, sizeof *a->at, by_address);
    for (uint32_t k = 0; k < a->n; k++) {
        const uint64_t first = a->at[k] / SECTOR, last = (a->at[k] + a->bytes - 1) / SECTOR;
        const uint64_t from = k && first < next ? next : first;
        if (last >= from)
            n += last - from + 1;
        next = last + 1 > next ? last + 1 : next;
    }
    return n;
}

/* As many threads at a time as fill all banks; threads that read one word meet at no bank. */
static void count_banks(uint64_t *c, const struct accesses *a)
{
    const uint32_t words = a->bytes > BANK_BYTES ? a->bytes / BANK_BYTES : 1;
    const uint32_t together = BANKS / words ? BANKS / words : 1;
    for (uint32_t first = 0; first < a->n; first += together) {
        uint64_t seen[BANKS][LANES];
        uint32_t used[BANKS] = {0}, most = 0;
        for (uint32_t k = first; k < a->n && k < first + together; k++)
            for (uint32_t w = 0; w < words; w++) {
                const uint64_t word = a->at[k] / BANK_BYTES + w;
                const uint32_t bank = (uint32_t)(word % BANKS);
                uint32_t s = 0;
                while (s < used[bank] && seen[bank][s] != word)
                    s++;
                if (s == used[bank] && s < LANES)
                    seen[bank][used[bank]++] = word;
                most = used[bank] > most ? used[bank] : most;
            }
        c[COUNT_SHARED_PASSES] += most;
        c[COUNT_SHARED_LEAST]++;
    }
}

static enum ir_space space_of(enum ir_space space, uint64_t address)
{
    if (space != IR_SPACE_GENERIC)
        return space;
    const uint64_t window = address >> WINDOW_SHIFT;
    return window == WINDOW_SHARED  ? IR_SPACE_SHARED
           : window == WINDOW_LOCAL ? IR_SPACE_LOCAL
                                    : IR_SPACE_GLOBAL;
}

/* One operand that is an address. */
static void count_memory(const struct run *r, uint64_t *c, uint32_t reg, ir_type pointer,
                         uint32_t bytes, bool writes)
{
    const uint64_t *p = REG(r, uint64_t, reg);
    struct accesses global = {.bytes = bytes}, shared = {.bytes = bytes};
    const uint32_t mask = r->mask;
    EACH_LANE (i, mask) {
        switch (space_of(ir_space(pointer), p[i])) {
        case IR_SPACE_GLOBAL: global.at[global.n++] = p[i]; break;
        case IR_SPACE_SHARED: shared.at[shared.n++] = p[i]; break;
        case IR_SPACE_LOCAL: c[COUNT_LOCAL_BYTES] += bytes; break;
        default: break; /* constants and parameters come from a cache of their own */
        }
    }
    if (global.n) {
        c[writes ? COUNT_STORE_BYTES : COUNT_LOAD_BYTES] += (uint64_t)global.n * bytes;
        c[COUNT_REQUESTS]++;
        c[COUNT_SECTORS] += sectors(&global);
    }
    if (shared.n) {
        c[COUNT_SHARED_BYTES] += (uint64_t)shared.n * bytes;
        count_banks(c, &shared);
    }
}

static void count_access(const struct run *r, uint64_t *c, const struct op *o, unsigned lanes)
{
    switch ((enum ir_op)o->ir_op) {
    case IR_OP_load:
        count_memory(r, c, o->a, o->x->arg_types[0], o->size * o->elements, false);
        break;
    case IR_OP_store:
        count_memory(r, c, o->a, o->x->arg_types[0], o->size * o->elements, true);
        break;
    case IR_OP_rmw:
    case IR_OP_cas:
        c[COUNT_ATOMICS] += lanes;
        count_memory(r, c, o->x->args[0], o->x->arg_types[0], storage_bytes(o->type), true);
        break;
    case IR_OP_cpasync:
        count_memory(r, c, o->x->args[1], o->x->arg_types[1], (uint32_t)o->imm, false);
        count_memory(r, c, o->x->args[0], o->x->arg_types[0], (uint32_t)o->imm, true);
        break;
    default: break;
    }
}

/* ---- every instruction ---- */

void interp_count(struct run *r, const struct op *o)
{
    const enum ir_op op = (enum ir_op)o->ir_op;
    if (op == IR_OP_split || op == IR_OP_join || op == IR_OP_alloca ||
        (o->kernel && o->kernel == interp_move_kernel(o->size)))
        return;
    uint64_t *c = counts_of(r->frame->func, o);
    if (!c)
        return;
    const unsigned lanes = (unsigned)__builtin_popcount(r->mask);
    c[COUNT_WARP_OPS]++;
    c[COUNT_THREAD_OPS] += lanes;
    count_flops(c, o, lanes);
    count_access(r, c, o, lanes);
    if (op == IR_OP_condbr) {
        const uint32_t taken = true_lanes(r->regs + o->a) & r->mask;
        c[COUNT_BRANCHES]++;
        c[COUNT_DIVERGENT] += taken && taken != r->mask;
    }
}

void interp_counting(struct interp *m, bool on)
{
    m->counting = on;
}

void interp_each_count(struct interp *m,
                       void (*fn)(void *ctx, const char *path, uint32_t line,
                                  const struct counts *c),
                       void *ctx)
{
    for (struct interp_module *mod = m->modules; mod; mod = mod->next)
        for (struct interp_func *f = mod->first; f; f = f->next)
            for (uint32_t k = 0; f->counts && k < f->nops; k++) {
                struct counts *c = &f->counts[k];
                if (!c->n[COUNT_WARP_OPS])
                    continue;
                const struct line *l = interp_line(f, &f->ops[k]);
                fn(ctx, l ? l->path : NULL, l ? l->line : 0, c);
                *c = (struct counts){0};
            }
}
