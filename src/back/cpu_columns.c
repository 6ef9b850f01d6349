/* Columns that are written as rows.
 *
 * a[lane][k] = x is a scatter: one store a lane. Where the same block writes the columns k, k + 1,
 * k + 2 and k + 3, as where threads turn a tile round in shared memory and the gangs are written
 * out (gang/columns.c), the four elements of a lane lie side by side: four chunks are transposed,
 * and each lane is one store of 16 bytes.
 *
 * The first three wait for the last of the four, so that nothing between may read or write what
 * they do. */
#include "back/cpu_ops.h"
#include "lower/lower.h"

enum { COLUMNS = 4, SIZE = 4, ROW = COLUMNS * SIZE, MOST_OPEN = 32 };

struct cpu_columns {
    struct ir_inst *of[COLUMNS];
    const struct ir_inst *last;
    struct ir_value *root;
    int64_t first, distance; /* of lane 0's row, from the root; from row to row */
    int64_t apart;           /* the distance without its sign */
    unsigned n, lanes;
};

struct finder {
    struct cpu_sel *s;
    struct cpu_columns *open[MOST_OPEN];
    unsigned n;
};

/* Lanes at one distance from each other, in which a row has room. */
static bool is_column(const struct cpu_sel *s, struct ir_inst *i, struct lane_offsets *at,
                      int64_t *distance)
{
    if (i->op != IR_OP_scatter || i->flags & IR_VOLATILE || ir_order(i->flags) ||
        !cpu_all_ones(i->args[2]) || ir_bytes(ir_scalar(i->args[1]->type)) != SIZE ||
        ir_bytes(i->args[1]->type) % s->t->vector_bytes || !lower_lane_offsets(i->args[0], at))
        return false;
    *distance = at->offset[1] - at->offset[0];
    for (unsigned l = 2; l < ir_lanes(i->args[1]->type); l++)
        if (at->offset[l] - at->offset[l - 1] != *distance)
            return false;
    struct cpu_near_group groups[CPU_NEAR_STORES]; /* those have their own ways */
    const struct ir_inst *last;
    unsigned n;
    return at->offset[0] % SIZE == 0 && (*distance >= ROW || *distance <= -ROW) &&
           !cpu_near_stores(i, s->t->vector_bytes, groups, &n, &last);
}

/* Do no bytes of the rows belong to such a column? */
static bool beside(const struct cpu_columns *c, int64_t offset, int64_t distance)
{
    const int64_t behind = ((offset - c->first) % c->apart + c->apart) % c->apart;
    return distance == c->distance && behind >= ROW && behind + SIZE <= c->apart;
}

static bool touches(const struct cpu_columns *c, const struct ir_inst *i)
{
    const bool loads = i->op == IR_OP_load || i->op == IR_OP_mload || i->op == IR_OP_gather,
               stores = i->op == IR_OP_store || i->op == IR_OP_mstore || i->op == IR_OP_scatter;
    if (ir_op_info[i->op].flags & IR_PURE)
        return false;
    if (!(loads || stores) || i->flags & IR_VOLATILE || ir_order(i->flags))
        return true;
    const enum ir_space mine = ir_space(c->root->type), other = ir_space(i->args[0]->type);
    if (mine == IR_SPACE_SHARED &&
        (other == IR_SPACE_GLOBAL || other == IR_SPACE_CONST || other == IR_SPACE_LOCAL))
        return false;
    return ir_is_vector(i->args[0]->type) || !lower_other_object(c->root, i->args[0]);
}

static void drop(struct finder *f, unsigned k)
{
    f->open[k] = f->open[--f->n];
}

/* Takes column i where it belongs. */
static void take(struct finder *f, struct ir_inst *i, const struct lane_offsets *at,
                 int64_t distance)
{
    const int64_t in = (at->offset[0] % ROW + ROW) % ROW, first = at->offset[0] - in;
    const unsigned lanes = ir_lanes(i->args[1]->type);
    struct cpu_columns *mine = NULL;
    for (unsigned k = f->n; k-- > 0;) {
        struct cpu_columns *c = f->open[k];
        const bool same = c->root == at->root && c->distance == distance && c->lanes == lanes &&
                          !c->of[in / SIZE] && c->first == first;
        if (same)
            mine = c;
        else if (c->root == at->root ? !beside(c, at->offset[0], distance)
                                     : !lower_other_object(c->root, at->root))
            drop(f, k);
    }
    if (!mine && f->n < MOST_OPEN) {
        mine = f->open[f->n++] = arena_new(f->s->arena, struct cpu_columns);
        mine->root = at->root;
        mine->first = first;
        mine->distance = distance;
        mine->apart = distance < 0 ? -distance : distance;
        mine->lanes = lanes;
    }
    if (!mine)
        return;
    mine->of[in / SIZE] = i;
    mine->last = i;
    if (++mine->n < COLUMNS)
        return;
    for (unsigned k = 0; k < COLUMNS; k++)
        map_set(&f->s->columns, map_key(mine->of[k]), mine);
    for (unsigned k = f->n; k-- > 0;)
        if (f->open[k] == mine)
            drop(f, k);
}

void cpu_find_columns(struct cpu_sel *s, const struct ir_func *f)
{
    map_init(&s->columns, s->arena);
    if (!s->t->transpose || s->holds)
        return;
    ir_each_block (b, f) {
        struct finder find = {.s = s};
        ir_each_inst (i, b) {
            struct lane_offsets at;
            int64_t distance;
            if (is_column(s, i, &at, &distance)) {
                take(&find, i, &at, distance);
                continue;
            }
            for (unsigned k = find.n; k-- > 0;)
                if (touches(find.open[k], i))
                    drop(&find, k);
        }
    }
}

bool cpu_store_columns(struct cpu_sel *s, const struct ir_inst *i)
{
    const struct cpu_columns *c = map_get(&s->columns, map_key(i));
    if (!c || i != c->last)
        return c != NULL;
    struct lane_offsets at;
    lower_lane_offsets(i->args[0], &at);
    const struct cpu_address a = cpu_address(s, at.at);
    const mach_reg base = cpu_reg(s, a.base);
    const unsigned per = s->t->vector_bytes / SIZE;
    for (unsigned k = 0; k < c->lanes / per; k++) {
        mach_reg in[COLUMNS], out[COLUMNS];
        for (unsigned q = 0; q < COLUMNS; q++)
            in[q] = cpu_regs(s, c->of[q]->args[1])[k];
        s->t->transpose(s, in, out);
        for (unsigned l = 0; l < per; l++)
            s->t->store_part(s, out[l % COLUMNS], l / COLUMNS, base,
                             a.offset + c->first - at.from_root +
                                 c->distance * (int64_t)(k * per + l));
    }
    return true;
}
