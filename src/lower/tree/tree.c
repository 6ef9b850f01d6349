/* Looking at region trees: text for people, and which values outlive their list. */
#include "lower/lower_int.h"

struct printer {
    struct sbuf *out;
    const struct region_tree *tree;
};

static void value_name(struct sbuf *out, const struct ir_value *v)
{
    char buf[32];
    switch (v->kind) {
    case IR_VALUE_CONST:
        sbuf_printf(out, "%s:0x%llx", ir_type_name(v->type, buf), (unsigned long long)v->u.bits);
        break;
    case IR_VALUE_GLOBAL: sbuf_printf(out, "@%s", v->u.global->name); break;
    case IR_VALUE_FUNC: sbuf_printf(out, "@%s", v->u.func->name); break;
    default: sbuf_printf(out, "%%%u", v->id); break;
    }
}

static void line(struct printer *p, unsigned depth)
{
    sbuf_printf(p->out, "%*s", (int)(2 * depth), "");
}

static void copies(struct printer *p, const struct region *r, unsigned depth)
{
    for (uint32_t i = 0; i < r->ncopies; i++) {
        const struct region_copy *c = &r->copies[i];
        line(p, depth);
        if (c->dst)
            value_name(p->out, c->dst);
        else
            sbuf_printf(p->out, "t%u", c->temp);
        sbuf_puts(p->out, " = ");
        if (c->src)
            value_name(p->out, c->src);
        else
            sbuf_printf(p->out, "t%u", c->temp);
        sbuf_putc(p->out, '\n');
    }
}

static void print_list(struct printer *p, const struct region *list, unsigned depth)
{
    static const char *const jump[] = {"break", "continue"};
    for (const struct region *r = list; r; r = r->next) {
        if (r->kind == REGION_COPIES) {
            copies(p, r, depth);
            continue;
        }
        if (r->kind == REGION_CODE) {
            for (struct ir_inst *i = r->block->first; i != r->block->last; i = i->next) {
                line(p, depth);
                ir_print_inst(i, p->out);
                sbuf_putc(p->out, '\n');
            }
            continue;
        }
        line(p, depth);
        switch (r->kind) {
        case REGION_IF:
            if (r->cond) {
                sbuf_puts(p->out, "if ");
                value_name(p->out, r->cond);
            } else {
                sbuf_printf(p->out, "if t%u == %llu", r->temp, (unsigned long long)r->value);
            }
            sbuf_putc(p->out, '\n');
            print_list(p, r->child, depth + 1);
            if (r->other) {
                line(p, depth);
                sbuf_puts(p->out, "else\n");
                print_list(p, r->other, depth + 1);
            }
            break;
        case REGION_SWITCH:
            sbuf_printf(p->out, "switch.%u ", r->id);
            value_name(p->out, r->cond);
            sbuf_putc(p->out, '\n');
            for (uint32_t k = 0; k < r->narms; k++) {
                line(p, depth);
                if (!r->arms[k].nvalues)
                    sbuf_puts(p->out, "default");
                for (uint32_t v = 0; v < r->arms[k].nvalues; v++)
                    sbuf_printf(p->out, "%s%llu", v ? ", " : "case ",
                                (unsigned long long)r->arms[k].values[v]);
                sbuf_putc(p->out, '\n');
                print_list(p, r->arms[k].child, depth + 1);
            }
            break;
        case REGION_BLOCK:
        case REGION_LOOP:
            sbuf_printf(p->out, "%s.%u\n", r->kind == REGION_LOOP ? "loop" : "block", r->id);
            print_list(p, r->child, depth + 1);
            break;
        case REGION_BREAK:
        case REGION_CONTINUE:
            sbuf_printf(p->out, "%s %u\n", jump[r->kind - REGION_BREAK], r->target->id);
            break;
        case REGION_RETURN:
            sbuf_puts(p->out, "return");
            if (r->cond) {
                sbuf_putc(p->out, ' ');
                value_name(p->out, r->cond);
            }
            sbuf_putc(p->out, '\n');
            break;
        case REGION_EXIT: sbuf_puts(p->out, "exit\n"); break;
        default: sbuf_puts(p->out, "unreachable\n"); break;
        }
    }
}

void lower_print_tree(const struct region_tree *t, struct sbuf *out)
{
    struct printer p = {out, t};
    sbuf_printf(out, "tree @%s\n", t->func->name);
    print_list(&p, t->body, 1);
}

/* ---- escapes ---- */

/* Lists are numbered in the order they are entered; each covers the interval of numbers of the
 * lists inside it. */
struct interval {
    uint32_t first, last;
};
struct escapes {
    const struct region_tree *tree;
    bool *out;
    struct interval *lists;
    uint32_t *list_of; /* by block id: the list its code stands in */
    uint32_t next;
    bool uses; /* second walk */
};

static void use(struct escapes *e, const struct ir_value *v, uint32_t list)
{
    if (!v || v->kind != IR_VALUE_RESULT)
        return;
    struct interval def = e->lists[e->list_of[v->u.inst->block->id]];
    if (list < def.first || list > def.last)
        e->out[v->id] = true;
}

static void escape_list(struct escapes *e, const struct region *list)
{
    uint32_t own = e->next++;
    for (const struct region *r = list; r; r = r->next) {
        if (r->kind == REGION_CODE) {
            if (!e->uses)
                e->list_of[r->block->id] = own;
            else
                for (struct ir_inst *i = r->block->first; i != r->block->last; i = i->next)
                    for (uint32_t k = 0; k < i->nargs; k++)
                        use(e, i->args[k], own);
        } else if (e->uses) {
            for (uint32_t i = 0; i < r->ncopies; i++)
                use(e, r->copies[i].src, own);
            use(e, r->cond, own);
        }
        if (r->child)
            escape_list(e, r->child);
        if (r->kind == REGION_IF && r->other)
            escape_list(e, r->other);
        for (uint32_t i = 0; i < r->narms; i++)
            escape_list(e, r->arms[i].child);
    }
    e->lists[own] = (struct interval){own, e->next - 1};
}

static uint32_t count_lists(const struct region *list)
{
    uint32_t n = 1;
    for (const struct region *r = list; r; r = r->next) {
        n += count_lists(r->child);
        if (r->kind == REGION_IF)
            n += count_lists(r->other);
        for (uint32_t i = 0; i < r->narms; i++)
            n += count_lists(r->arms[i].child);
    }
    return n;
}

bool *lower_escapes(struct arena *a, const struct region_tree *t)
{
    struct escapes e = {.tree = t};
    e.out = arena_array(a, bool, t->func->nvalues + 1);
    e.lists = arena_array(a, struct interval, count_lists(t->body));
    e.list_of = arena_array(a, uint32_t, t->func->nblocks);
    escape_list(&e, t->body);
    e.next = 0;
    e.uses = true;
    escape_list(&e, t->body);
    return e.out;
}
