/* mma → cooperative matrices (SPV_KHR_cooperative_matrix), for devices whose matrices lie in lanes
 * as mma.def has them, which the extension leaves to them. A lane's components come by rows: where
 * those of A in mma.def are registers 0 to 3, they are 0, 2, 1, 3.
 *
 * One shape of each type of element is used: smaller ones have zeros in the registers that they
 * lack, which are the last ones of A and B, and of C where they have fewer rows.
 *
 * To take a matrix apart and put it together again costs more than the product. So A and B are put
 * together once in each block, sums are handed on as matrices from one product to the next, and
 * those that go round in a loop, or in loops around it, are held in variables of matrices. */
#include <string.h>
#include "back/spirv/spirv_int.h"

enum element { IN_F16, IN_BF16, IN_TF32, IN_F32, IN_F64, IN_S8, IN_U8, IN_S32 };
enum use { USE_A, USE_B, USE_SUM };
enum { ROWS = 16, COLUMNS = 8, MAX_WORDS = 4 };

static const struct shape {
    uint8_t in, acc, nab[2], nc;
} shapes[] = {
#define IR_MMA(name, text, m, n, k, in, acc, na, nb, nc, sm) {IN_##in, IN_##acc, {na, nb}, nc},
#include "ir/mma.def"
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static bool has(const struct spirv_features *have, const struct shape *s)
{
    switch ((enum element)s->in) {
    case IN_F16: return have->matrix_f16;
    case IN_BF16: return have->matrix_bf16;
    case IN_S8:
    case IN_U8: return have->matrix_i8;
    default: return false;
    }
}

uint32_t spv_matrices(const struct spirv_features *have)
{
    uint32_t all = 0;
    for (uint32_t n = 0; n < SHAPES && have->subgroup_32; n++)
        all |= (uint32_t)has(have, &shapes[n]) << n;
    return all;
}

struct matrix { /* one of the three */
    enum element element;
    enum use use;
    unsigned words, packed; /* registers of a lane, and elements in each */
};

static struct matrix matrix_of(const struct shape *s, enum use use)
{
    const enum element e = (enum element)(use == USE_SUM ? s->acc : s->in);
    const unsigned packed = e == IN_F16 || e == IN_BF16 ? 2 : e == IN_S8 || e == IN_U8 ? 4 : 1;
    return (struct matrix){e, use, use == USE_A ? 4 : use == USE_B ? 2 : 4 / packed, packed};
}

static spv_id element_type(struct spv_module *s, enum element e)
{
    switch (e) {
    case IN_F16: return spv_type(s, IR_F16);
    case IN_BF16: return spv_type_bfloat(s);
    case IN_S8:
    case IN_U8: return spv_type(s, IR_I8);
    case IN_S32: return spv_type(s, IR_I32);
    default: return spv_type(s, IR_F32);
    }
}

static spv_id type_of(struct spv_module *s, const struct matrix *m)
{
    const uint32_t depth = m->use == USE_SUM ? 0 : 8 * m->packed; /* K: 32 bytes */
    return spv_type_matrix(s, element_type(s, m->element), m->use == USE_B ? depth : ROWS,
                           m->use == USE_A ? depth : COLUMNS, m->use);
}

/* The first component that is in a register. */
static uint32_t place(const struct matrix *m, unsigned r)
{
    static const uint8_t by_rows[4] = {0, 2, 1, 3};
    return (m->use == USE_A ? by_rows[r] : r) * m->packed;
}

/* ---- matrices that are there already ---- */

struct made { /* a matrix, by the registers of which it is made */
    enum use use;
    unsigned n;
    struct ir_value *const *registers;
    spv_id id;
};
struct sum { /* four parameters of a block in one variable */
    spv_id variable, type;
    struct matrix matrix;
    struct ir_value *parts[MAX_WORDS];
};
struct spv_matrices {
    const struct ir_block *block; /* where these were made */
    VEC(struct made) made;
    spv_id *products;  /* by value id of a product's first result: the matrix; 0: not by its name */
    struct sum **sums; /* by value id; NULL: in none */
};

static spv_id known(struct spv_kernel *k, const struct ir_block *b, const struct matrix *m,
                    struct ir_value *const *registers, unsigned n)
{
    struct spv_matrices *all = k->matrices;
    if (all->block != b)
        all->made.len = 0;
    all->block = b;
    vec_each (struct made, x, &all->made)
        if (x->use == m->use && x->n == n &&
            !memcmp(x->registers, registers, n * sizeof *registers))
            return x->id;
    return 0;
}

/* The results of one product, in order. */
static spv_id product_of(const struct spv_kernel *k, struct ir_value *const *registers, unsigned n)
{
    const struct ir_value *first = registers[0];
    if (first->kind != IR_VALUE_RESULT || first->u.inst->op != IR_OP_mma ||
        first->u.inst->nresults != n)
        return 0;
    for (unsigned r = 0; r < n; r++)
        if (registers[r] != &first->u.inst->results[r])
            return 0;
    return k->matrices->products[first->id];
}

static const struct sum *sum_of(const struct spv_kernel *k, const struct ir_value *v)
{
    return k->matrices && (v->kind == IR_VALUE_PARAM || v->kind == IR_VALUE_RESULT)
               ? k->matrices->sums[v->id]
               : NULL;
}

static bool is_sum(const struct sum *s, struct ir_value *const *registers, unsigned n)
{
    return s && n == MAX_WORDS && !memcmp(s->parts, registers, sizeof s->parts);
}

/* The matrix of which this lane holds these registers. */
static spv_id gather(struct spv_kernel *k, const struct matrix *m, struct ir_value **registers,
                     unsigned n)
{
    struct spv_module *s = k->s;
    const spv_id type = type_of(s, m), element = element_type(s, m->element);
    spv_id all = spv_null(s, type);
    for (unsigned r = 0; r < n; r++) {
        const spv_id word = spv_value(k, registers[r]);
        const spv_id parts =
            m->packed > 1 ? OP(s, SpvBitcast, spv_type_vec(s, element, m->packed), word) : word;
        for (unsigned j = 0; j < m->packed; j++) {
            const spv_id part =
                m->packed > 1 ? OP(s, SpvCompositeExtract, element, parts, j) : word;
            all = OP(s, SpvCompositeInsert, type, part, all, place(m, r) + j);
        }
    }
    return all;
}

static void scatter(struct spv_kernel *k, const struct matrix *m, spv_id all,
                    struct ir_value *registers, unsigned n)
{
    struct spv_module *s = k->s;
    const spv_id element = element_type(s, m->element);
    for (unsigned r = 0; r < n; r++) {
        spv_id part[4];
        for (unsigned j = 0; j < m->packed; j++)
            part[j] = OP(s, SpvCompositeExtract, element, all, place(m, r) + j);
        if (m->packed == 2) {
            const spv_id pair =
                OP(s, SpvCompositeConstruct, spv_type_vec(s, element, 2), part[0], part[1]);
            part[0] = OP(s, SpvBitcast, spv_type(s, IR_I32), pair);
        }
        spv_set_value(k, &registers[r], part[0]);
    }
}

static spv_id matrix_at(struct spv_kernel *k, const struct ir_inst *i, const struct matrix *m,
                        struct ir_value **registers, unsigned n)
{
    if (m->use == USE_SUM) {
        const struct sum *s = sum_of(k, registers[0]);
        const spv_id product = product_of(k, registers, n);
        return product                   ? product
               : is_sum(s, registers, n) ? OP(k->s, SpvLoad, s->type, s->variable)
                                         : gather(k, m, registers, n);
    }
    spv_id id = known(k, i->block, m, registers, n);
    if (!id) {
        id = gather(k, m, registers, n);
        const struct made made = {m->use, n, registers, id};
        vec_push(k->s->arena, &k->matrices->made, made);
    }
    return id;
}

/* ---- sums that are parameters of blocks ---- */

static bool are_free(const struct spv_kernel *k, struct ir_value *const *c)
{
    for (unsigned r = 0; r < MAX_WORDS; r++)
        if (c[r]->kind != IR_VALUE_PARAM || c[r]->u.block != c[0]->u.block ||
            c[r]->u.block == k->func->first || k->matrices->sums[c[r]->id])
            return false;
    return true;
}

static void hold(struct spv_kernel *k, const struct matrix *m, struct ir_value *const *c)
{
    struct spv_module *s = k->s;
    struct sum *sum = arena_new(s->arena, struct sum);
    *sum = (struct sum){.variable = spv_new(s), .type = type_of(s, m), .matrix = *m};
    SPV(s, variables, SpvVariable, spv_pointer(s, StorageFunction, sum->type), sum->variable,
        StorageFunction);
    for (unsigned r = 0; r < MAX_WORDS; r++) {
        sum->parts[r] = c[r];
        k->matrices->sums[c[r]->id] = sum;
    }
}

/* What an edge brings to the parts of a sum; false: it leads elsewhere. */
static bool brings(const struct ir_edge *e, const struct sum *s, struct ir_value *from[MAX_WORDS])
{
    unsigned found = 0;
    for (uint32_t n = 0; n < e->nargs; n++)
        for (unsigned r = 0; r < MAX_WORDS; r++)
            if (e->to->params.data[n] == s->parts[r]) {
                from[r] = e->args[n];
                found++;
            }
    return found == MAX_WORDS;
}

/* What becomes a sum and is the parameters of a block, as in a loop around another, is one, too. */
static bool hold_sources(struct spv_kernel *k, const struct sum *s)
{
    bool more = false;
    ir_each_block (b, k->func)
        for (uint32_t n = 0; b->last && n < b->last->nedges; n++) {
            struct ir_value *from[MAX_WORDS];
            if (brings(&b->last->edges[n], s, from) && are_free(k, from)) {
                hold(k, &s->matrix, from);
                more = true;
            }
        }
    return more;
}

static void find_sources(struct spv_kernel *k)
{
    for (bool more = k->matrices != NULL; more;) {
        more = false;
        ir_each_block (b, k->func)
            for (size_t n = 0; n < b->params.len; n++) {
                const struct sum *s = sum_of(k, b->params.data[n]);
                more |= s && s->parts[0] == b->params.data[n] && hold_sources(k, s);
            }
    }
}

void spv_find_sums(struct spv_kernel *k)
{
    ir_each_block (b, k->func)
        for (struct ir_inst *i = b->first; i; i = i->next) {
            if (i->op != IR_OP_mma)
                continue;
            if (!k->matrices) {
                k->matrices = arena_new(k->s->arena, struct spv_matrices);
                *k->matrices = (struct spv_matrices){
                    .products = arena_array(k->s->arena, spv_id, k->func->nvalues + 1),
                    .sums = arena_array(k->s->arena, struct sum *, k->func->nvalues + 1)};
            }
            const struct shape *s = &shapes[i->imm];
            const struct matrix m = matrix_of(s, USE_SUM);
            struct ir_value **c = i->args + s->nab[USE_A] + s->nab[USE_B];
            if (s->nc == MAX_WORDS && are_free(k, c))
                hold(k, &m, c);
        }
    find_sources(k);
}

bool spv_in_sum(const struct spv_kernel *k, const struct ir_value *v)
{
    return sum_of(k, v) != NULL;
}

static unsigned part_of(const struct sum *s, const struct ir_value *v)
{
    unsigned r = 0;
    while (s->parts[r] != v)
        r++;
    return r;
}

spv_id spv_sum_part(struct spv_kernel *k, const struct ir_value *v)
{
    const struct sum *s = sum_of(k, v);
    return OP(k->s, SpvCompositeExtract, element_type(k->s, s->matrix.element),
              OP(k->s, SpvLoad, s->type, s->variable), part_of(s, v));
}

void spv_set_sum_part(struct spv_kernel *k, const struct ir_value *v, spv_id x)
{
    const struct sum *s = sum_of(k, v);
    const spv_id all = OP(k->s, SpvLoad, s->type, s->variable);
    SPV(k->s, code, SpvStore, s->variable,
        OP(k->s, SpvCompositeInsert, s->type, x, all, part_of(s, v)));
}

/* What no copy on the way changes. */
static bool is_steady(const struct spv_kernel *k, const struct ir_value *v)
{
    return v && (ir_is_const(v) || (v->kind == IR_VALUE_RESULT && !k->variable_ids[v->id]));
}

/* Whether no copy changes these parameters. */
static bool rests(const struct spv_kernel *k, const struct region *r, const struct sum *s)
{
    for (uint32_t c = 0; c < r->ncopies; c++)
        if (r->copies[c].dst && sum_of(k, r->copies[c].dst) == s)
            return false;
    return true;
}

bool spv_copy_sum(struct spv_kernel *k, const struct region *r, uint32_t n)
{
    const struct sum *s = r->copies[n].dst ? sum_of(k, r->copies[n].dst) : NULL;
    struct ir_value *from[MAX_WORDS] = {NULL};
    uint32_t last = 0;
    for (uint32_t c = 0; s && c < r->ncopies; c++)
        if (r->copies[c].dst && sum_of(k, r->copies[c].dst) == s) {
            from[part_of(s, r->copies[c].dst)] = r->copies[c].src;
            last = c;
        }
    const struct sum *other = s && from[0] ? sum_of(k, from[0]) : NULL;
    const bool moves = is_sum(other, from, MAX_WORDS) && rests(k, r, other);
    for (unsigned p = 0; p < MAX_WORDS && !moves; p++)
        if (!s || !is_steady(k, from[p]))
            return false;
    if (n == last) {
        const spv_id product = moves ? OP(k->s, SpvLoad, other->type, other->variable)
                                     : product_of(k, from, MAX_WORDS);
        SPV(k->s, code, SpvStore, s->variable,
            product ? product : gather(k, &s->matrix, from, MAX_WORDS));
    }
    return true;
}

/* ---- the product ---- */

void spv_emit_mma(struct spv_kernel *k, struct ir_inst *i)
{
    enum { A_SIGNED = 1, B_SIGNED = 2, C_SIGNED = 4, D_SIGNED = 8 };
    struct spv_module *s = k->s;
    const struct shape *shape = &shapes[i->imm];
    const struct matrix a = matrix_of(shape, USE_A), b = matrix_of(shape, USE_B),
                        c = matrix_of(shape, USE_SUM);
    const uint32_t na = shape->nab[USE_A], nb = shape->nab[USE_B];
    spv_capability(s, CapCooperativeMatrix);
    const spv_id left = matrix_at(k, i, &a, i->args, na),
                 right = matrix_at(k, i, &b, i->args + na, nb),
                 sum = matrix_at(k, i, &c, i->args + na + nb, shape->nc);
    const uint32_t sign = shape->in == IN_S8 ? A_SIGNED | B_SIGNED | C_SIGNED | D_SIGNED : 0;
    const spv_id d = OP(s, SpvCooperativeMatrixMulAddKHR, type_of(s, &c), left, right, sum, sign);
    if (shape->nc == 4 / c.packed && !k->variable_ids[i->results[0].id])
        k->matrices->products[i->results[0].id] = d;
    scatter(k, &c, d, i->results, shape->nc);
}
