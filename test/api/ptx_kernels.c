/* Five kernels of networks, made with the PTX builder and run on the devices here, against loops in
 * double: a product of f16 on matrix instructions with tiles that cp.async brings, attention with
 * an online softmax, softmax, layer normalisation of bf16, and a product with weights of Q4_K that
 * are decoded on the way. With an argument the module is printed. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tern/ptx.h"
#include "tern/tern.h"

typedef tern_ptx_reg reg;

/* ---- short names ---- */
static tern_ptx *p;

static reg u(uint32_t v)
{
    return tern_ptx_u32(p, v);
}
static reg f(float v)
{
    return tern_ptx_f32(p, v);
}
static reg special(const char *name)
{
    return tern_ptx_special(p, name);
}
static reg op(tern_ptx_op o, reg a, reg b)
{
    return tern_ptx_op2(p, o, a, b);
}
static reg add(reg a, reg b)
{
    return op(TERN_PTX_ADD, a, b);
}
static reg mul(reg a, reg b)
{
    return op(TERN_PTX_MUL, a, b);
}
static reg mad(reg a, reg b, reg c)
{
    return tern_ptx_op3(p, TERN_PTX_FMA, a, b, c);
}
static reg lt(reg a, reg b)
{
    return tern_ptx_test(p, TERN_PTX_LT, a, b);
}
static reg bits(reg a, uint32_t mask, uint32_t shift)
{
    return op(TERN_PTX_AND, op(TERN_PTX_SHR, a, u(shift)), u(mask));
}
/* Of an array of elements of so many bytes, element i. */
static reg at(reg base, reg i, uint32_t bytes)
{
    return add(base, op(TERN_PTX_MUL_WIDE, i, u(bytes)));
}
static reg load(tern_ptx_type t, reg address)
{
    return tern_ptx_load(p, t, TERN_PTX_GLOBAL, address, 0);
}
static void read4(reg address, int32_t offset, reg out[4])
{
    tern_ptx_read(
        p, &(struct tern_ptx_access){TERN_PTX_F32, TERN_PTX_GLOBAL, address, offset, 4, 0}, out);
}
/* Of a value of each lane, what all lanes come to. */
static reg all(tern_ptx_op o, reg v)
{
    for (uint32_t step = 16; step; step /= 2)
        v = op(o, v, tern_ptx_shfl(p, TERN_PTX_BFLY, v, u(step), 0xffffffff));
    return v;
}
static reg quotient(reg a, reg b)
{
    return op(TERN_PTX_DIV, a, b);
}
/* exp(v): 2^(v log2 e). */
static reg exponential(reg v)
{
    return tern_ptx_op1(p, TERN_PTX_EX2, mul(v, f(1.4426950408889634f)));
}

/* for (i = from; i < to; i += step) */
struct loop {
    tern_ptx_label top, out;
    reg i, step;
};
static struct loop begin(reg from, reg to, uint32_t step)
{
    struct loop l = {tern_ptx_new_label(p), tern_ptx_new_label(p), u(0), u(step)};
    tern_ptx_assign(p, l.i, from);
    tern_ptx_place(p, l.top);
    tern_ptx_branch_unless(p, lt(l.i, to), l.out);
    return l;
}
static void end(struct loop l)
{
    tern_ptx_assign(p, l.i, add(l.i, l.step));
    tern_ptx_branch(p, l.top);
    tern_ptx_place(p, l.out);
}

/* ---- C [m, n] = A [m, k] B [k, n] by rows: f16 in, f32 out; k and n are multiples of 8 ----
 * Four warps compute 64 rows and 32 columns, 16 rows each, from tiles 32 deep. Lines of tiles are
 * 80 bytes apart, so that the eight rows of a matrix are in different banks; there are two of each.
 */
enum {
    ROWS = 64,
    COLS = 32,
    DEEP = 32,
    PITCH = 80,
    A_TILE = ROWS * PITCH,
    TILES = A_TILE + DEEP * PITCH
};

/* Row `row` of 64 bytes from element `first` on, of `rows` rows of `length` elements: chunk c of 16
 * bytes goes to its place in the tile; what is outside comes as zeros. */
static void bring(reg tile, reg line, reg c, reg base, reg row, reg rows, reg first, reg length)
{
    reg column = add(first, mul(c, u(8)));
    reg inside = op(TERN_PTX_AND, lt(row, rows), lt(column, length));
    reg from = at(base,
                  add(mul(tern_ptx_select(p, inside, row, u(0)), length),
                      tern_ptx_select(p, inside, column, u(0))),
                  2);
    reg to = add(tile, add(mul(line, u(PITCH)), mul(c, u(16))));
    tern_ptx_copy_async(p, to, from, 16, tern_ptx_select(p, inside, u(16), u(0)));
}

struct product {
    reg m, n, k, a, b, row0, col0, tid, tiles;
};
static void bring_tiles(const struct product *g, reg stage, reg k0)
{
    reg tile = add(g->tiles, mul(stage, u(TILES)));
    for (uint32_t half = 0; half < 2; half++) {
        reg line = add(bits(g->tid, 31, 2), u(32 * half));
        bring(tile, line, bits(g->tid, 3, 0), g->a, add(g->row0, line), g->m, k0, g->k);
    }
    reg line = bits(g->tid, 31, 2);
    bring(add(tile, u(A_TILE)), line, bits(g->tid, 3, 0), g->b, add(k0, line), g->k, g->col0, g->n);
    tern_ptx_copy_commit(p);
}

static void gemm(void)
{
    tern_ptx_shared(p, "tiles", 2 * TILES, 128);
    tern_ptx_kernel(p, "gemm");
    tern_ptx_bounds(p, 128, 0);
    struct product g = {.m = tern_ptx_param(p, TERN_PTX_U32, "m")};
    g.n = tern_ptx_param(p, TERN_PTX_U32, "n");
    g.k = tern_ptx_param(p, TERN_PTX_U32, "k");
    g.a = tern_ptx_param(p, TERN_PTX_U64, "a");
    g.b = tern_ptx_param(p, TERN_PTX_U64, "b");
    reg c = tern_ptx_param(p, TERN_PTX_U64, "c");
    g.row0 = mul(special("ctaid.y"), u(ROWS));
    g.col0 = mul(special("ctaid.x"), u(COLS));
    g.tid = special("tid.x");
    g.tiles = tern_ptx_address(p, "tiles");
    reg lane = bits(g.tid, 31, 0), warp = bits(g.tid, 3, 5), stage = u(0), sum[4][4];
    for (int j = 0; j < 4; j++)
        for (int e = 0; e < 4; e++)
            sum[j][e] = f(0);
    bring_tiles(&g, stage, u(0));
    struct loop l = begin(u(0), g.k, DEEP);
    bring_tiles(&g, op(TERN_PTX_XOR, stage, u(1)),
                add(l.i, u(DEEP))); /* the next: zeros behind the end */
    tern_ptx_copy_wait(p, 1);
    tern_ptx_barrier(p);
    reg tile = add(g.tiles, mul(stage, u(TILES)));
    for (uint32_t k = 0; k < DEEP; k += 16) {
        reg a[4], b[2];
        reg line = add(mul(warp, u(16)), bits(lane, 15, 0));
        tern_ptx_load_matrix(
            p, 4, false,
            add(tile, add(mul(line, u(PITCH)), add(mul(bits(lane, 1, 4), u(16)), u(k * 2)))), a);
        for (uint32_t j = 0; j < 4; j++) {
            reg from =
                add(tile, add(mul(add(bits(lane, 15, 0), u(k)), u(PITCH)), u(A_TILE + j * 16)));
            reg d[4];
            tern_ptx_load_matrix(p, 2, true, from, b);
            tern_ptx_mma(p, TERN_PTX_MMA_F16_K16, d, a, b, sum[j]);
            for (int e = 0; e < 4; e++)
                tern_ptx_assign(p, sum[j][e], d[e]);
        }
    }
    tern_ptx_barrier(p);
    tern_ptx_assign(p, stage, op(TERN_PTX_XOR, stage, u(1)));
    end(l);
    for (uint32_t j = 0; j < 4; j++)
        for (uint32_t h = 0; h < 2; h++) {
            reg row = add(add(g.row0, mul(warp, u(16))), add(bits(lane, 7, 2), u(8 * h)));
            reg col = add(add(g.col0, mul(bits(lane, 3, 0), u(2))), u(8 * j));
            reg inside = op(TERN_PTX_AND, lt(row, g.m), lt(col, g.n));
            tern_ptx_write(p,
                           &(struct tern_ptx_access){TERN_PTX_F32, TERN_PTX_GLOBAL,
                                                     at(c, add(mul(row, g.n), col), 4), 0, 2,
                                                     inside},
                           &sum[j][2 * h]);
        }
    tern_ptx_end(p);
}

/* ---- a warp for each query of 64 numbers: results are weighted again when the maximum grows ----
 */
static void attention(void)
{
    tern_ptx_kernel(p, "attention");
    reg keys = tern_ptx_param(p, TERN_PTX_U32, "keys"),
        causal = tern_ptx_param(p, TERN_PTX_U32, "causal");
    reg q = tern_ptx_param(p, TERN_PTX_U64, "q"), k = tern_ptx_param(p, TERN_PTX_U64, "k");
    reg v = tern_ptx_param(p, TERN_PTX_U64, "v"), o = tern_ptx_param(p, TERN_PTX_U64, "o");
    reg query = special("ctaid.x"), part = mul(special("laneid"), u(2)), mine[2],
        sum[2] = {f(0), f(0)};
    reg place = add(mul(query, u(64)), part), most = f(-INFINITY), total = f(0);
    tern_ptx_read(
        p, &(struct tern_ptx_access){TERN_PTX_F32, TERN_PTX_GLOBAL, at(q, place, 4), 0, 2, 0},
        mine);
    reg last =
        tern_ptx_select(p, tern_ptx_test(p, TERN_PTX_NE, causal, u(0)), add(query, u(1)), keys);
    struct loop l = begin(u(0), last, 1);
    reg from = add(mul(l.i, u(64)), part), key[2], value[2];
    tern_ptx_read(
        p, &(struct tern_ptx_access){TERN_PTX_F32, TERN_PTX_GLOBAL, at(k, from, 4), 0, 2, 0}, key);
    tern_ptx_read(p,
                  &(struct tern_ptx_access){TERN_PTX_F32, TERN_PTX_GLOBAL, at(v, from, 4), 0, 2, 0},
                  value);
    reg score = mul(all(TERN_PTX_ADD, mad(mine[0], key[0], mul(mine[1], key[1]))), f(0.125f));
    reg top = op(TERN_PTX_MAX, most, score);
    reg old = exponential(op(TERN_PTX_SUB, most, top)),
        weight = exponential(op(TERN_PTX_SUB, score, top));
    tern_ptx_assign(p, total, mad(total, old, weight));
    for (int e = 0; e < 2; e++)
        tern_ptx_assign(p, sum[e], mad(sum[e], old, mul(weight, value[e])));
    tern_ptx_assign(p, most, top);
    end(l);
    reg out[2] = {quotient(sum[0], total), quotient(sum[1], total)};
    tern_ptx_write(
        p, &(struct tern_ptx_access){TERN_PTX_F32, TERN_PTX_GLOBAL, at(o, place, 4), 0, 2, 0}, out);
    tern_ptx_end(p);
}

/* ---- a warp for each row ---- */
static void softmax(void)
{
    tern_ptx_kernel(p, "softmax");
    reg length = tern_ptx_param(p, TERN_PTX_U32, "length"),
        x = tern_ptx_param(p, TERN_PTX_U64, "x");
    reg y = tern_ptx_param(p, TERN_PTX_U64, "y");
    reg lane = special("laneid"), first = mul(special("ctaid.x"), length), most = f(-INFINITY),
        sum = f(0);
    struct loop l = begin(lane, length, 32);
    tern_ptx_assign(p, most, op(TERN_PTX_MAX, most, load(TERN_PTX_F32, at(x, add(first, l.i), 4))));
    end(l);
    most = all(TERN_PTX_MAX, most);
    l = begin(lane, length, 32);
    tern_ptx_assign(p, sum,
                    add(sum, exponential(op(TERN_PTX_SUB,
                                            load(TERN_PTX_F32, at(x, add(first, l.i), 4)), most))));
    end(l);
    sum = all(TERN_PTX_ADD, sum);
    l = begin(lane, length, 32);
    reg v = exponential(op(TERN_PTX_SUB, load(TERN_PTX_F32, at(x, add(first, l.i), 4)), most));
    tern_ptx_store(p, TERN_PTX_GLOBAL, at(y, add(first, l.i), 4), 0, quotient(v, sum));
    end(l);
    tern_ptx_end(p);
}

static reg loaded_bf16(reg base, reg i)
{
    return tern_ptx_convert(p, TERN_PTX_F32, load(TERN_PTX_BF16, at(base, i, 2)));
}

static void norm(void)
{
    tern_ptx_kernel(p, "norm");
    reg length = tern_ptx_param(p, TERN_PTX_U32, "length"),
        x = tern_ptx_param(p, TERN_PTX_U64, "x");
    reg gamma = tern_ptx_param(p, TERN_PTX_U64, "gamma"),
        beta = tern_ptx_param(p, TERN_PTX_U64, "beta");
    reg y = tern_ptx_param(p, TERN_PTX_U64, "y");
    reg lane = special("laneid"), first = mul(special("ctaid.x"), length);
    reg sum = f(0), square = f(0), count = tern_ptx_convert(p, TERN_PTX_F32, length);
    struct loop l = begin(lane, length, 32);
    tern_ptx_assign(p, sum, add(sum, loaded_bf16(x, add(first, l.i))));
    end(l);
    reg mean = quotient(all(TERN_PTX_ADD, sum), count);
    l = begin(lane, length, 32);
    reg away = op(TERN_PTX_SUB, loaded_bf16(x, add(first, l.i)), mean);
    tern_ptx_assign(p, square, mad(away, away, square));
    end(l);
    reg variance = add(quotient(all(TERN_PTX_ADD, square), count), f(1e-5f));
    reg inverse = tern_ptx_op1(p, TERN_PTX_RCP, tern_ptx_op1(p, TERN_PTX_SQRT, variance));
    l = begin(lane, length, 32);
    away = mul(op(TERN_PTX_SUB, loaded_bf16(x, add(first, l.i)), mean), inverse);
    reg v = mad(away, load(TERN_PTX_F32, at(gamma, l.i, 4)), load(TERN_PTX_F32, at(beta, l.i, 4)));
    tern_ptx_store(p, TERN_PTX_GLOBAL, at(y, add(first, l.i), 2), 0,
                   tern_ptx_convert(p, TERN_PTX_BF16, v));
    end(l);
    tern_ptx_end(p);
}

/* ---- a warp for each row of weights (ctaid.x) and column of x (ctaid.y): lane i decodes 8 numbers
 * of part i / 4 of each block ---- */
static void quantized(void)
{
    tern_ptx_kernel(p, "q4_k");
    reg rows = tern_ptx_param(p, TERN_PTX_U32, "rows"),
        blocks = tern_ptx_param(p, TERN_PTX_U32, "blocks");
    reg w = tern_ptx_param(p, TERN_PTX_U64, "w"), x = tern_ptx_param(p, TERN_PTX_U64, "x");
    reg y = tern_ptx_param(p, TERN_PTX_U64, "y");
    reg lane = special("laneid"), row = special("ctaid.x"), column = special("ctaid.y"), sum = f(0);
    reg part = bits(lane, 7, 2), eight = bits(lane, 3, 0), low = lt(part, u(4)),
        high = tern_ptx_op1(p, TERN_PTX_NOT, low);
    struct loop l = begin(u(0), blocks, 1);
    reg block = at(w, add(mul(row, blocks), l.i), 144);
    reg d = tern_ptx_convert(p, TERN_PTX_F32,
                             tern_ptx_load(p, TERN_PTX_F16, TERN_PTX_GLOBAL, block, 0));
    reg least = tern_ptx_convert(p, TERN_PTX_F32,
                                 tern_ptx_load(p, TERN_PTX_F16, TERN_PTX_GLOBAL, block, 2));
    reg scales = at(block, part, 1), a = tern_ptx_load(p, TERN_PTX_U8, TERN_PTX_GLOBAL, scales, 4);
    reg b = tern_ptx_load(p, TERN_PTX_U8, TERN_PTX_GLOBAL, scales, 8), c;
    tern_ptx_read(p, &(struct tern_ptx_access){TERN_PTX_U8, TERN_PTX_GLOBAL, scales, 0, 1, high},
                  &c);
    reg scale =
        tern_ptx_select(p, low, bits(a, 63, 0),
                        op(TERN_PTX_OR, bits(b, 15, 0), op(TERN_PTX_SHL, bits(c, 3, 6), u(4))));
    reg minimum =
        tern_ptx_select(p, low, bits(b, 63, 0),
                        op(TERN_PTX_OR, bits(b, 15, 4), op(TERN_PTX_SHL, bits(a, 3, 6), u(4))));
    d = mul(d, tern_ptx_convert(p, TERN_PTX_F32, scale));
    least = tern_ptx_op1(p, TERN_PTX_NEG, mul(least, tern_ptx_convert(p, TERN_PTX_F32, minimum)));
    reg q[2], v[8];
    tern_ptx_read(p,
                  &(struct tern_ptx_access){
                      TERN_PTX_U32, TERN_PTX_GLOBAL,
                      at(block, add(mul(bits(part, 3, 1), u(32)), mul(eight, u(8))), 1), 16, 2, 0},
                  q);
    reg place = add(add(mul(column, mul(blocks, u(256))), mul(l.i, u(256))),
                    add(mul(part, u(32)), mul(eight, u(8))));
    read4(at(x, place, 4), 0, v);
    read4(at(x, place, 4), 16, v + 4);
    reg shift = mul(bits(part, 1, 0), u(4));
    for (uint32_t e = 0; e < 8; e++) {
        reg nibble = op(TERN_PTX_AND, op(TERN_PTX_SHR, q[e / 4], add(shift, u(e % 4 * 8))), u(15));
        tern_ptx_assign(p, sum,
                        mad(mad(d, tern_ptx_convert(p, TERN_PTX_F32, nibble), least), v[e], sum));
    }
    end(l);
    sum = all(TERN_PTX_ADD, sum);
    reg first = tern_ptx_test(p, TERN_PTX_EQ, lane, u(0));
    tern_ptx_write(p,
                   &(struct tern_ptx_access){TERN_PTX_F32, TERN_PTX_GLOBAL,
                                             at(y, add(mul(column, rows), row), 4), 0, 1, first},
                   &sum);
    tern_ptx_end(p);
}

/* ---- running them ---- */
static tern_context *context;
static tern_device *device;
static tern_module *module;

static void check(enum tern_error e, const char *what)
{
    char why[1024] = "";
    if (!e)
        return;
    tern_message(context, why, sizeof why);
    printf("%s: %s: %s\n", what, tern_error_text(e), why);
    exit(1);
}
static unsigned seed = 1;
static float any(void)
{
    seed = seed * 1664525u + 1013904223u;
    return ((float)(int)(seed >> 24) - 128) / 64; /* 8 bits: exact in f16 and bf16 */
}
static uint16_t to_half(float v, bool brain)
{
    uint32_t b;
    memcpy(&b, &v, 4);
    return brain    ? (uint16_t)(b >> 16)
           : v == 0 ? 0
                    : (uint16_t)((b >> 16 & 0x8000) | ((b >> 13 & 0x3ffff) - (112 << 10)));
}
struct data {
    tern_buffer *buffer;
    uint64_t address;
    float x[8192];
};
static void fill(struct data *d, unsigned n, int bytes, bool brain)
{
    static uint16_t narrow[8192];
    for (unsigned k = 0; k < n; k++) {
        d->x[k] = any();
        narrow[k] = to_half(d->x[k], brain);
    }
    check(tern_buffer_new(device, (uint64_t)n * (unsigned)bytes, &d->buffer), "buffer");
    check(tern_buffer_write(d->buffer, 0, bytes == 4 ? (void *)d->x : narrow,
                            (uint64_t)n * (unsigned)bytes),
          "write");
    d->address = tern_buffer_address(d->buffer);
}
static void launch(const char *name, tern_dim grid, uint32_t threads, void *const *args)
{
    tern_kernel *k;
    check(tern_module_kernel(module, name, &k), name);
    check(tern_launch(NULL, k, grid, (tern_dim){threads, 1, 1}, 0, args), name);
}
static void same(struct data *d, const double *want, unsigned n, int bytes, double bound,
                 const char *what)
{
    static uint16_t narrow[8192];
    check(tern_buffer_read(d->buffer, 0, bytes == 4 ? (void *)d->x : narrow,
                           (uint64_t)n * (unsigned)bytes),
          what);
    for (unsigned k = 0; k < n; k++) {
        const uint32_t wide = (uint32_t)narrow[k] << 16;
        if (bytes == 2)
            memcpy(&d->x[k], &wide, 4);
        if (!(fabs(d->x[k] - want[k]) <= bound * (1 + fabs(want[k])))) {
            printf("%s, %u: %g is not %g\n", what, k, d->x[k], want[k]);
            exit(1);
        }
    }
    tern_buffer_free(d->buffer);
}

static struct data A, B, C, D;
static double want[8192];

static void run_gemm(unsigned m, unsigned n, unsigned k)
{
    fill(&A, m * k, 2, false);
    fill(&B, k * n, 2, false);
    fill(&C, m * n, 4, false);
    for (unsigned i = 0; i < m * n; i++) {
        want[i] = 0;
        for (unsigned l = 0; l < k; l++)
            want[i] += (double)A.x[i / n * k + l] * B.x[l * n + i % n];
    }
    launch("gemm", (tern_dim){(n + COLS - 1) / COLS, (m + ROWS - 1) / ROWS, 1}, 128,
           (void *[]){&m, &n, &k, &A.address, &B.address, &C.address});
    same(&C, want, m * n, 4, 1e-5, "gemm");
    tern_buffer_free(A.buffer);
    tern_buffer_free(B.buffer);
}

static void run_attention(unsigned queries, unsigned causal)
{
    unsigned keys = queries, n = queries * 64;
    double score[64];
    fill(&A, n, 4, false);
    fill(&B, n, 4, false);
    fill(&C, n, 4, false);
    fill(&D, n, 4, false);
    for (unsigned i = 0; i < queries; i++) {
        double sum = 0;
        for (unsigned j = 0; j < keys; j++) {
            double s = 0;
            for (unsigned l = 0; l < 64; l++)
                s += (double)A.x[i * 64 + l] * B.x[j * 64 + l];
            sum += score[j] = causal && j > i ? 0 : exp(s / 8);
        }
        for (unsigned l = 0; l < 64; l++) {
            want[i * 64 + l] = 0;
            for (unsigned j = 0; j < keys; j++)
                want[i * 64 + l] += score[j] / sum * C.x[j * 64 + l];
        }
    }
    launch("attention", (tern_dim){queries, 1, 1}, 32,
           (void *[]){&keys, &causal, &A.address, &B.address, &C.address, &D.address});
    same(&D, want, n, 4, 1e-4, "attention");
    tern_buffer_free(A.buffer);
    tern_buffer_free(B.buffer);
    tern_buffer_free(C.buffer);
}

static void run_lines(unsigned rows, unsigned length)
{
    const unsigned n = rows * length;
    fill(&A, n, 4, false);
    fill(&B, n, 4, false);
    for (unsigned r = 0; r < rows; r++) {
        double sum = 0;
        for (unsigned k = 0; k < length; k++)
            sum += exp(A.x[r * length + k]);
        for (unsigned k = 0; k < length; k++)
            want[r * length + k] = exp(A.x[r * length + k]) / sum;
    }
    launch("softmax", (tern_dim){rows, 1, 1}, 32, (void *[]){&length, &A.address, &B.address});
    same(&B, want, n, 4, 1e-5, "softmax");
    tern_buffer_free(A.buffer);

    fill(&A, n, 2, true);
    fill(&B, length, 4, false);
    fill(&C, length, 4, false);
    fill(&D, n, 2, true);
    for (unsigned r = 0; r < rows; r++) {
        double mean = 0, square = 0;
        for (unsigned k = 0; k < length; k++)
            mean += A.x[r * length + k] / (double)length;
        for (unsigned k = 0; k < length; k++)
            square += pow(A.x[r * length + k] - mean, 2) / (double)length;
        for (unsigned k = 0; k < length; k++)
            want[r * length + k] =
                (A.x[r * length + k] - mean) / sqrt(square + 1e-5) * B.x[k] + C.x[k];
    }
    launch("norm", (tern_dim){rows, 1, 1}, 32,
           (void *[]){&length, &A.address, &B.address, &C.address, &D.address});
    same(&D, want, n, 2, 1.0 / 256, "norm");
    tern_buffer_free(A.buffer);
    tern_buffer_free(B.buffer);
    tern_buffer_free(C.buffer);
}

/* What eight scales and eight minima of six bits are in 12 bytes, written as they are told: the low
 * four have a byte each, the others four bits in the last bytes and two on top of the first. */
static void run_quantized(unsigned rows, unsigned blocks, unsigned columns)
{
    static unsigned char w[32 * 144];
    static float decoded[32 * 256];
    tern_buffer *weights;
    for (unsigned n = 0; n < rows * blocks; n++) {
        unsigned char *b = w + n * 144, scale[8], least[8];
        const uint16_t d = to_half(1.0f / 512, false), m = to_half(5.0f / 1024, false);
        memset(b, 0, 144);
        memcpy(b, &d, 2);
        memcpy(b + 2, &m, 2);
        for (unsigned j = 0; j < 8; j++) {
            scale[j] = (unsigned char)((n * 7 + j * 11 + 3) % 64);
            least[j] = (unsigned char)((n * 5 + j * 13 + 9) % 64);
            if (j < 4) {
                b[4 + j] |= scale[j];
                b[8 + j] |= least[j];
            } else {
                b[8 + j] = (unsigned char)((scale[j] & 15) | (least[j] & 15) << 4);
                b[j] |= (unsigned char)(scale[j] >> 4 << 6);
                b[4 + j] |= (unsigned char)(least[j] >> 4 << 6);
            }
        }
        for (unsigned i = 0; i < 256; i++) {
            const unsigned q = (i * 7 + n * 3 + i / 32) % 16, j = i / 32;
            b[16 + i / 64 * 32 + i % 32] |= (unsigned char)(j % 2 ? q << 4 : q);
            decoded[n * 256 + i] = 1.0f / 512 * scale[j] * (float)q - 5.0f / 1024 * least[j];
        }
    }
    fill(&A, columns * blocks * 256, 4, false);
    fill(&B, columns * rows, 4, false);
    for (unsigned i = 0; i < columns * rows; i++) {
        want[i] = 0;
        for (unsigned l = 0; l < blocks * 256; l++)
            want[i] +=
                (double)decoded[i % rows * blocks * 256 + l] * A.x[i / rows * blocks * 256 + l];
    }
    check(tern_buffer_new(device, rows * blocks * 144, &weights), "weights");
    check(tern_buffer_write(weights, 0, w, rows * blocks * 144), "weights");
    uint64_t from = tern_buffer_address(weights);
    launch("q4_k", (tern_dim){rows, columns, 1}, 32,
           (void *[]){&rows, &blocks, &from, &A.address, &B.address});
    same(&B, want, columns * rows, 4, 1e-4, "Q4_K");
    tern_buffer_free(A.buffer);
    tern_buffer_free(weights);
}

int main(int argc, char **argv)
{
    (void)argv;
    p = tern_ptx_new(80);
    if (!p)
        return 1;
    gemm();
    attention();
    softmax();
    norm();
    quantized();
    const char *text = tern_ptx_text(p);
    if (!text) {
        printf("%s\n", tern_ptx_error(p));
        return 1;
    }
    if (argc > 1) {
        fputs(text, stdout);
        tern_ptx_free(p);
        return 0;
    }
    check(tern_context_new(NULL, &context), "context");
    check(tern_context_device(context, 0, &device), "device");
    check(tern_module_new(device, &(struct tern_source){.text = text}, &module), "module");
    tern_ptx_free(p);
    run_gemm(64, 32, 32);
    run_gemm(70, 40, 72);
    run_attention(20, 0);
    run_attention(11, 1);
    run_lines(3, 100);
    run_quantized(5, 2, 3);
    tern_module_free(module);
    tern_context_free(context);
    puts("all kernels are right");
    return 0;
}
