/* Kernels for the web targets' tests, as IR text on standard output.
 *
 *   gen ops TYPE [loose]   every elementwise op on a type: out[op * N + i] = op(a[i], b[i], c[i]);
 *                          loose: without those that WGSL need not round correctly
 *   gen convert FROM TO    every conversion between two types
 *   gen random SEED KIND   a random module; KIND: letters of ints, memory, barriers, warps, floats
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "back/back.h"

#define N 256

static struct ir_module *m;
static struct ir_builder b;
static struct ir_value *args[5], *index_value;

static struct ir_value *at(struct ir_value *base, struct ir_value *i, unsigned size)
{
    struct ir_value *w = ir_build1(&b, IR_OP_zext, IR_I64, i);
    w = ir_build2(&b, IR_OP_mul, IR_I64, w, ir_const(m, IR_I64, size));
    return ir_build2(&b, IR_OP_ptradd, IR_PTR_TO(IR_SPACE_GLOBAL), base, w);
}

/* Operands of a type from random words; every other one shares exponent bits with the first. */
static struct ir_value *operand(ir_type t, unsigned which)
{
    ir_type as = ir_bits(t) == 64 ? IR_I64 : IR_I32;
    struct ir_value *v =
        ir_build_load(&b, as, at(args[which], index_value, ir_bytes(as)), ir_bytes(as), 0);
    if (ir_class(t) == IR_CLASS_FLOAT && which) {
        static const uint64_t exponents[] = {0, 0,      0,      0,          0,
                                             0, 0x7c00, 0x7f80, 0x7f800000, 0x7ff0000000000000};
        struct ir_value *e = ir_const(m, as, exponents[ir_kind(t)]);
        struct ir_value *f =
            ir_build_load(&b, as, at(args[0], index_value, ir_bytes(as)), ir_bytes(as), 0);
        struct ir_value *near =
            ir_build2(&b, IR_OP_or, as, ir_build2(&b, IR_OP_and, as, f, e),
                      ir_build2(&b, IR_OP_and, as, v, ir_build1(&b, IR_OP_not, as, e)));
        struct ir_value *odd = ir_build1(&b, IR_OP_trunc, IR_I1, index_value);
        v = ir_build3(&b, IR_OP_select, as, odd, near, v);
    }
    if (ir_class(t) == IR_CLASS_INT && which == 1) { /* small numbers too: shift counts, divisors */
        struct ir_value *three =
            ir_build2(&b, IR_OP_and, IR_I32, index_value, ir_const(m, IR_I32, 3));
        struct ir_value *small = ir_build2(&b, IR_OP_eq, IR_I32, three, ir_const(m, IR_I32, 1));
        v = ir_build3(&b, IR_OP_select, as, small,
                      ir_build2(&b, IR_OP_and, as, v, ir_const(m, as, 31)), v);
    }
    ir_type bits = ir_bits(t) == 16  ? IR_I16
                   : ir_bits(t) == 8 ? IR_I8
                   : ir_bits(t) == 1 ? IR_I1
                                     : as;
    if (bits != as)
        v = ir_build1(&b, IR_OP_trunc, bits, v);
    return ir_class(t) == IR_CLASS_FLOAT ? ir_build1(&b, IR_OP_bitcast, t, v) : v;
}

/* As bits; NaN becomes one and the same, and where asked for subnormal f32 become zero. */
static void result(struct ir_value *v, unsigned n)
{
    ir_type t = v->type;
    ir_type bits = ir_bits(t) == 64 ? IR_I64 : ir_bits(t) == 16 ? IR_I16 : IR_I32;
    if (ir_class(t) == IR_CLASS_FLOAT) {
        struct ir_value *nan = ir_build2(&b, IR_OP_funo, t, v, v);
        v = ir_build3(&b, IR_OP_select, t, nan, ir_const(m, t, 0), v);
        v = ir_build1(&b, IR_OP_bitcast, bits, v);
    }
    if (ir_bits(v->type) < 64)
        v = ir_bits(v->type) == 32 ? ir_build1(&b, IR_OP_zext, IR_I64, v)
                                   : ir_build1(&b, IR_OP_zext, IR_I64, v);
    struct ir_value *i = ir_build2(&b, IR_OP_add, IR_I32, index_value, ir_const(m, IR_I32, n * N));
    ir_build_store(&b, at(args[3], i, 8), v, 8, 0);
}

static void begin(struct arena *a, struct interner *in, const char *name)
{
    m = ir_module_new(a, in, name);
    struct ir_func *f = ir_func_new(m, "k", IR_VOID, IR_FUNC_KERNEL);
    for (unsigned k = 0; k < 4; k++)
        ir_func_param(f, NULL, IR_PTR_TO(IR_SPACE_GLOBAL), 0, 0, 0);
    ir_func_layout(f);
    struct ir_block *e = ir_block_new(f, NULL);
    b = ir_builder_at_end(e);
    for (unsigned k = 0; k < 4; k++)
        args[k] = e->params.data[k];
    struct ir_value *c = ir_build0(&b, IR_OP_sreg, IR_I32, IR_SREG_CTAID_X);
    struct ir_value *d = ir_build0(&b, IR_OP_sreg, IR_I32, IR_SREG_NTID_X);
    struct ir_value *t = ir_build0(&b, IR_OP_sreg, IR_I32, IR_SREG_TID_X);
    index_value = ir_build2(&b, IR_OP_add, IR_I32, ir_build2(&b, IR_OP_mul, IR_I32, c, d), t);
}

static void finish(struct sbuf *out, unsigned n, const char *type)
{
    ir_build_ret(&b, NULL);
    ir_print(m, out, 0);
    char *line = strchr(out->data, '\n');
    printf("%.*s\n; tern run: --kernel k --grid 4 --block 64 --arg '%s[256]=rand:1' --arg "
           "'%s[256]=rand:2' --arg '%s[256]=rand:3' --arg 'u64[%u]=zero'\n%s",
           (int)(line - out->data), out->data, type, type, type, n * N, line + 1);
}

static bool is_elementwise(enum ir_op op, ir_type t)
{
    const struct ir_op_info *i = &ir_op_info[op];
    if (i->shape > IR_SHAPE_FC)
        return false;
    if ((i->class == IR_CLASS_W && t != IR_I32) || (i->class == IR_CLASS_L && t != IR_I64))
        return false;
    if (i->class != IR_CLASS_W && !(i->class & ir_class(t)))
        return false;
    const char *name = i->name;
    size_t n = strlen(name);
    return n < 5 || strcmp(name + n - 5, "_fast"); /* the device's own */
}

/* Where WGSL leaves room; mad where WebAssembly does, in f32. */
static bool rounds_loosely(enum ir_op op)
{
    return op == IR_OP_fma || op == IR_OP_mad || op == IR_OP_fdiv || op == IR_OP_fsqrt;
}

int main(int argc, char **argv)
{
    struct mem mem = {0};
    jmp_buf unwind;
    mem.unwind = &unwind;
    struct arena a;
    arena_init(&a, &mem);
    if (setjmp(unwind) || argc < 3)
        return 1;
    struct interner in;
    intern_init(&in, &a);
    struct sbuf out;
    sbuf_init(&out, &a);
    ir_type t, from;
    if (!strcmp(argv[1], "ops") && ir_type_parse(argv[2], strlen(argv[2]), &t)) {
        unsigned n = 0;
        begin(&a, &in, argv[2]);
        struct ir_value *x[3];
        for (unsigned k = 0; k < 3; k++)
            x[k] = operand(t, k);
        for (enum ir_op op = 0; op < IR_OP_COUNT; op++)
            if (is_elementwise(op, t) && !(argc > 3 && rounds_loosely(op)) &&
                !(op == IR_OP_mad && t == IR_F32)) {
                uint32_t nargs = (uint32_t)strcspn(strchr(ir_op_info[op].signature, '(') + 1, ")");
                result(ir_build(&b, op, t, x, nargs)->results, n++);
            }
        finish(&out, n, ir_bits(t) == 64 ? "u64" : "u32");
    } else if (!strcmp(argv[1], "convert") && argc > 3 &&
               ir_type_parse(argv[2], strlen(argv[2]), &from) &&
               ir_type_parse(argv[3], strlen(argv[3]), &t)) {
        unsigned n = 0;
        begin(&a, &in, arena_printf(&a, "%s to %s", argv[2], argv[3]));
        bool fi = ir_class(from) == IR_CLASS_INT, ti = ir_class(t) == IR_CLASS_INT;
        unsigned fb = ir_bits(from), tb = ir_bits(t);
        struct ir_value *v = operand(from, 0);
        enum ir_op ops[4];
        unsigned nops = 0;
        if (fi && ti && fb > tb)
            ops[nops++] = IR_OP_trunc;
        if (fi && ti && fb < tb) {
            ops[nops++] = IR_OP_zext;
            ops[nops++] = IR_OP_sext;
        }
        if (!fi && !ti && from != t)
            ops[nops++] = IR_OP_fcvt;
        if (fi && !ti) {
            ops[nops++] = IR_OP_sitof;
            ops[nops++] = IR_OP_uitof;
        }
        if (!fi && ti && tb > 1) {
            ops[nops++] = IR_OP_ftosi;
            ops[nops++] = IR_OP_ftoui;
        }
        for (unsigned k = 0; k < nops; k++) {
            bool to_int = ops[k] == IR_OP_ftosi || ops[k] == IR_OP_ftoui;
            struct ir_value *w = v;
            if (to_int) { /* numbers of ordinary size as well */
                struct ir_value *i = ir_build1(&b, IR_OP_sitof, from, operand(IR_I16, 0));
                struct ir_value *odd = ir_build1(&b, IR_OP_trunc, IR_I1, index_value);
                i = ir_build2(&b, IR_OP_fdiv, from, i,
                              ir_build1(&b, IR_OP_sitof, from, ir_const(m, IR_I32, 8)));
                w = ir_build3(&b, IR_OP_select, from, odd, i, v);
            }
            for (unsigned mode = to_int ? 0 : 0; mode < (to_int ? 4u : 1u); mode++) {
                struct ir_inst *i = ir_build(&b, ops[k], t, &w, 1);
                i->flags = mode;
                result(i->results, n++);
            }
        }
        finish(&out, n ? n : 1, fb == 64 ? "u64" : "u32");
    } else if (!strcmp(argv[1], "random") && argc > 3) {
        struct ir_random_options o = {.seed = strtoull(argv[2], NULL, 10), .size = 60};
        o.memory = strchr(argv[3], 'm');
        o.divergence = strchr(argv[3], 'd');
        o.barriers = strchr(argv[3], 'b');
        o.warp_ops = strchr(argv[3], 'w');
        o.floats = strchr(argv[3], 'f');
        m = ir_random(&a, &in, &o);
        ir_each_func (f, m)
            ir_each_block (block, f)
                for (struct ir_inst *i = block->first; i; i = i->next) { /* to nearest only */
                    if (i->op == IR_OP_mad)
                        i->op = IR_OP_fma;
                    if (i->op != IR_OP_ftosi && i->op != IR_OP_ftoui &&
                        (ir_op_info[i->op].flags & IR_ROUNDS))
                        i->flags &= ~(uint32_t)IR_ROUND_MASK;
                }
        ir_print(m, &out, 0);
        char *line = strchr(out.data, '\n');
        printf("%.*s\n; tern run: --kernel k --grid 2 --block 64 --arg 'u32[128]=rand:%s' --arg "
               "'u32[128]=zero' --arg i32:128\n%s",
               (int)(line - out.data), out.data, argv[2], line + 1);
    }
    arena_free(&a);
    return 0;
}
