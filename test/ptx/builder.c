/* Every call of the PTX builder, for every type it takes, as one module on standard output. */
#include <stdio.h>
#include <string.h>
#include "tern/ptx.h"

static tern_ptx_reg any(tern_ptx *p, int t)
{
    return tern_ptx_load(p, (tern_ptx_type)t, TERN_PTX_GLOBAL, tern_ptx_u64(p, 4096), 0);
}

/* Vectors and predicates for every type, whose registers become and come from others. */
static void every_access(tern_ptx *p, tern_ptx_reg x)
{
    tern_ptx_reg when =
        tern_ptx_test(p, TERN_PTX_LT, tern_ptx_special(p, "tid.x"), tern_ptx_u32(p, 7));
    for (int t = TERN_PTX_U16; t <= TERN_PTX_S8; t++)
        for (unsigned count = 1; count <= 4; count *= 2) {
            const int eight = t == TERN_PTX_S64 || t == TERN_PTX_U64 || t == TERN_PTX_F64;
            tern_ptx_reg v[4];
            struct tern_ptx_access a = {(tern_ptx_type)t, TERN_PTX_GLOBAL, x, 32, count, 0};
            if (eight && count == 4)
                continue;
            tern_ptx_read(p, &a, v);
            tern_ptx_write(p, &a, v);
            a.when = when;
            tern_ptx_read(p, &a, v);
            tern_ptx_write(p, &a, v);
        }
    tern_ptx_reg bf16 = any(p, TERN_PTX_BF16);
    tern_ptx_store(p, TERN_PTX_GLOBAL, x, 0, tern_ptx_convert(p, TERN_PTX_F32, bf16));
    tern_ptx_store(p, TERN_PTX_GLOBAL, x, 0,
                   tern_ptx_convert(p, TERN_PTX_BF16, tern_ptx_f32(p, 1)));
    tern_ptx_store(p, TERN_PTX_GLOBAL, x, 0, tern_ptx_bits(p, TERN_PTX_F16, bf16));
    tern_ptx_store(p, TERN_PTX_GLOBAL, x, 0, tern_ptx_bits(p, TERN_PTX_F64, x));
    tern_ptx_store(p, TERN_PTX_GLOBAL, x, 0, any(p, TERN_PTX_S8));
}

/* Copies, matrices from shared memory, and every shape of product. */
static void every_shape(tern_ptx *p, tern_ptx_reg shared, tern_ptx_reg x)
{
    static const struct {
        unsigned a, b, c;
        tern_ptx_type in, out;
    } rows[] = {
#define ROW(NAME, text, sm, a, b, c, in, out) {a, b, c, TERN_PTX_##in, TERN_PTX_##out},
        TERN_PTX_MMAS(ROW)
#undef ROW
    };
    for (unsigned bytes = 4; bytes <= 16; bytes *= 2) {
        tern_ptx_copy_async(p, shared, x, bytes, 0);
        tern_ptx_copy_async(p, shared, x, bytes, tern_ptx_u32(p, 3));
    }
    tern_ptx_copy_commit(p);
    tern_ptx_copy_wait(p, 1);
    for (unsigned count = 1; count <= 4; count *= 2)
        for (int transposed = 0; transposed < 2; transposed++) {
            tern_ptx_reg m[4];
            tern_ptx_load_matrix(p, count, transposed != 0, shared, m);
            tern_ptx_store(p, TERN_PTX_GLOBAL, x, 0, m[count - 1]);
        }
    for (int shape = 0; shape < TERN_PTX_MMA_COUNT; shape++) {
        tern_ptx_reg a[4], b[4], c[4], d[4];
        for (unsigned k = 0; k < 4; k++) {
            a[k] = b[k] = any(p, rows[shape].in);
            c[k] = any(p, rows[shape].out);
        }
        tern_ptx_mma(p, (tern_ptx_shape)shape, d, a, b, c);
        for (unsigned k = 0; k < rows[shape].c; k++)
            tern_ptx_store(p, TERN_PTX_GLOBAL, x, 0, d[k]);
    }
}

int main(void)
{
    tern_ptx *p = tern_ptx_new(80);
    char name[32];
    if (!p)
        return 1;
    tern_ptx_shared(p, "tile", 1024, 16);
    for (int op = 0; op < TERN_PTX_OP_COUNT; op++)
        for (int t = TERN_PTX_U16; t <= TERN_PTX_BF16; t++) {
            /* what a type does not have is tried on a builder of its own */
            for (int real = 0; real < 2; real++) {
                tern_ptx *q = real ? p : tern_ptx_new(80);
                snprintf(name, sizeof name, "op%d_%d", op, t);
                tern_ptx_kernel(q, name);
                tern_ptx_reg a = any(q, t), r;
                int two = op >= TERN_PTX_ADD && op != TERN_PTX_FMA;
                int shift = op == TERN_PTX_SHL || op == TERN_PTX_SHR;
                r = op == TERN_PTX_FMA ? tern_ptx_op3(q, (tern_ptx_op)op, a, a, a)
                    : two ? tern_ptx_op2(q, (tern_ptx_op)op, a, shift ? tern_ptx_u32(q, 3) : a)
                          : tern_ptx_op1(q, (tern_ptx_op)op, a);
                tern_ptx_store(q, TERN_PTX_GLOBAL, tern_ptx_u64(q, 0), 0, r);
                tern_ptx_end(q);
                int wrong = tern_ptx_error(q) != NULL;
                if (!real)
                    tern_ptx_free(q);
                if (wrong)
                    break;
            }
        }
    tern_ptx_kernel(p, "rest");
    tern_ptx_bounds(p, 128, 2);
    tern_ptx_reg x = tern_ptx_param(p, TERN_PTX_U64, "x"), h = tern_ptx_param(p, TERN_PTX_F16, "h");
    tern_ptx_reg s = tern_ptx_address(p, "tile");
    tern_ptx_store(p, TERN_PTX_SHARED, s, 4, h);
    tern_ptx_barrier(p);
    for (int from = TERN_PTX_U16; from <= TERN_PTX_F64; from++)
        for (int to = TERN_PTX_U16; to <= TERN_PTX_F64; to++) {
            tern_ptx_reg c = tern_ptx_convert(p, (tern_ptx_type)to, any(p, from));
            tern_ptx_reg q = tern_ptx_test(p, (tern_ptx_compare)(to % 6), c, c);
            tern_ptx_store(p, TERN_PTX_GENERIC, x, 8, tern_ptx_select(p, q, c, c));
            tern_ptx_store(p, TERN_PTX_GLOBAL, x, 0, tern_ptx_ballot(p, q, 0xffffffff));
        }
    tern_ptx_atomic_add(p, TERN_PTX_GLOBAL, x, 16, tern_ptx_f64(p, 1.5));
    tern_ptx_atomic_add(p, TERN_PTX_SHARED, s, 16, tern_ptx_u32(p, 1));
    tern_ptx_reg a[4], b[2], c[4], d[4];
    for (int k = 0; k < 4; k++) {
        a[k] = b[k / 2] = tern_ptx_u32(p, 0);
        c[k] = tern_ptx_f32(p, 0);
    }
    tern_ptx_mma_f16(p, d, a, b, c);
    every_access(p, x);
    every_shape(p, s, x);
    tern_ptx_store(p, TERN_PTX_GLOBAL, x, 0, d[3]);
    for (int k = 0; k < 4; k++)
        tern_ptx_store(p, TERN_PTX_GLOBAL, x, 4 * k,
                       tern_ptx_shfl(p, (tern_ptx_shuffle)k, d[k], tern_ptx_u32(p, 1), 0xffffffff));
    tern_ptx_label l = tern_ptx_new_label(p);
    tern_ptx_place(p, l);
    tern_ptx_branch_unless(p, tern_ptx_test(p, TERN_PTX_LT, d[0], d[1]), l);
    tern_ptx_return(p);
    tern_ptx_end(p);
    const char *text = tern_ptx_text(p);
    if (text)
        fputs(text, stdout);
    else
        fprintf(stderr, "%s\n", tern_ptx_error(p));
    tern_ptx_free(p);
    return !text;
}
