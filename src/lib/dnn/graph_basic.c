/* Nodes of graphs: elements, products of matrices. */
#include <math.h>
#include <string.h>
#include "lib/dnn/graph_kinds.h"

/* ---- elements ---- */

/* Adds a dimension to a box, or makes the last one longer where all lie on. */
static void add_dimension(struct node_each *e, int64_t dim, int64_t out, const int64_t *in)
{
    int d = e->dims - 1;
    if (dim == 1)
        return;
    bool on = d >= 0 && e->axis < 0 && e->out_step[d] == out * dim;
    for (int k = 0; k < NODE_INPUTS; k++)
        on = on && e->in_step[k][d] == in[k] * dim;
    if (!on)
        d = e->dims++;
    e->dim[d] = on ? e->dim[d] * dim : dim;
    e->out_step[d] = out;
    for (int k = 0; k < NODE_INPUTS; k++)
        e->in_step[k][d] = in[k];
}

/* The step of t along dimension d of `dims`; 0 where it has one element. Fewer dimensions than the
 * result's are its last ones. */
static int64_t step_of(const struct graph_tensor *t, int dims, int d)
{
    const int own = t ? d - (dims - t->dims) : -1;
    return own < 0 || t->dim[own] == 1 ? 0 : t->step[own];
}

bool dnn_graph_alike(const struct graph_tensor *a, const struct graph_tensor *b)
{
    bool same = a->dims == b->dims;
    for (int d = 0; d < a->dims && same; d++)
        same = a->dim[d] == b->dim[d];
    return same;
}

bool dnn_graph_broadcasts(const struct graph_tensor *in, const struct graph_tensor *out)
{
    if (in->dims > out->dims)
        return false;
    for (int d = 0; d < in->dims; d++) {
        const int64_t whole = out->dim[out->dims - in->dims + d];
        if (in->dim[d] != 1 && in->dim[d] != whole)
            return false;
    }
    return true;
}

cudnnStatus_t dnn_graph_each(const struct graph_run *r, const char *function,
                             cudnnDataType_t compute, struct node_each *e,
                             const struct graph_tensor *out,
                             const struct graph_tensor *const in[NODE_INPUTS])
{
    const struct graph_tensor *all[] = {out, in[0], in[1], in[2]};
    const char *wide = dnn_graph_wide(compute, all, 4), *types[NODE_INPUTS];
    e->count = dnn_graph_count(out);
    for (int d = 0; d < out->dims; d++) {
        int64_t steps[NODE_INPUTS];
        for (int k = 0; k < NODE_INPUTS; k++)
            steps[k] = step_of(in[k], out->dims, d);
        /* The axis whose index is asked for stays apart. */
        if (e->axis >= 0 && d == e->axis) {
            e->axis = e->dims++;
            e->dim[e->axis] = out->dim[d];
            e->out_step[e->axis] = out->step[d];
            for (int k = 0; k < NODE_INPUTS; k++)
                e->in_step[k][e->axis] = steps[k];
        } else {
            add_dimension(e, out->dim[d], out->step[d], steps);
        }
    }
    for (int k = 0; k < NODE_INPUTS; k++) {
        types[k] = in[k] ? dnn_graph_stored(in[k]->type) : "nothing";
        if (!in[k])
            e->in[k] = e->out;
    }
    return dnn_graph_status(dnn_run(r->dnn, "nodes.h", dnn_grid(e->count), 0, (void *[]){e},
                                    "node_each_place<node_%s<%s>, %s, %s, %s, %s, %s>", function,
                                    wide, wide, dnn_graph_stored(out->type), types[0], types[1],
                                    types[2]),
                            function);
}

/* Modes, their functions, and how many inputs they have; BACK: a gradient, and what the function
 * was told. */
enum { BACK = -1 };
static const struct mode {
    cudnnPointwiseMode_t mode;
    const char *function;
    int inputs;
    bool whole; /* may be computed in integers */
} modes[] = {
    {CUDNN_POINTWISE_ADD, "add", 2, true},
    {CUDNN_POINTWISE_MUL, "mul", 2, true},
    {CUDNN_POINTWISE_MIN, "min", 2, true},
    {CUDNN_POINTWISE_MAX, "max", 2, true},
    {CUDNN_POINTWISE_SQRT, "sqrt", 1, false},
    {CUDNN_POINTWISE_ADD_SQUARE, "add_square", 2, true},
    {CUDNN_POINTWISE_DIV, "div", 2, false},
    {CUDNN_POINTWISE_MOD, "mod", 2, false},
    {CUDNN_POINTWISE_POW, "pow", 2, false},
    {CUDNN_POINTWISE_SUB, "sub", 2, true},
    {CUDNN_POINTWISE_ABS, "abs", 1, true},
    {CUDNN_POINTWISE_CEIL, "ceil", 1, false},
    {CUDNN_POINTWISE_COS, "cos", 1, false},
    {CUDNN_POINTWISE_EXP, "exp", 1, false},
    {CUDNN_POINTWISE_FLOOR, "floor", 1, false},
    {CUDNN_POINTWISE_LOG, "log", 1, false},
    {CUDNN_POINTWISE_NEG, "neg", 1, true},
    {CUDNN_POINTWISE_RSQRT, "rsqrt", 1, false},
    {CUDNN_POINTWISE_SIN, "sin", 1, false},
    {CUDNN_POINTWISE_TAN, "tan", 1, false},
    {CUDNN_POINTWISE_ERF, "erf", 1, false},
    {CUDNN_POINTWISE_IDENTITY, "identity", 1, true},
    {CUDNN_POINTWISE_RECIPROCAL, "reciprocal", 1, false},
    {CUDNN_POINTWISE_ATAN2, "atan2", 2, false},
    {CUDNN_POINTWISE_RELU_FWD, "relu", 1, false},
    {CUDNN_POINTWISE_TANH_FWD, "tanh", 1, false},
    {CUDNN_POINTWISE_SIGMOID_FWD, "sigmoid", 1, false},
    {CUDNN_POINTWISE_ELU_FWD, "elu", 1, false},
    {CUDNN_POINTWISE_GELU_FWD, "gelu", 1, false},
    {CUDNN_POINTWISE_SOFTPLUS_FWD, "softplus", 1, false},
    {CUDNN_POINTWISE_SWISH_FWD, "swish", 1, false},
    {CUDNN_POINTWISE_GELU_APPROX_TANH_FWD, "gelu_tanh", 1, false},
    {CUDNN_POINTWISE_RELU_BWD, "relu_back", BACK, false},
    {CUDNN_POINTWISE_TANH_BWD, "tanh_back", BACK, false},
    {CUDNN_POINTWISE_SIGMOID_BWD, "sigmoid_back", BACK, false},
    {CUDNN_POINTWISE_ELU_BWD, "elu_back", BACK, false},
    {CUDNN_POINTWISE_GELU_BWD, "gelu_back", BACK, false},
    {CUDNN_POINTWISE_SOFTPLUS_BWD, "softplus_back", BACK, false},
    {CUDNN_POINTWISE_SWISH_BWD, "swish_back", BACK, false},
    {CUDNN_POINTWISE_GELU_APPROX_TANH_BWD, "gelu_tanh_back", BACK, false},
    {CUDNN_POINTWISE_CMP_EQ, "eq", 2, true},
    {CUDNN_POINTWISE_CMP_NEQ, "neq", 2, true},
    {CUDNN_POINTWISE_CMP_GT, "gt", 2, true},
    {CUDNN_POINTWISE_CMP_GE, "ge", 2, true},
    {CUDNN_POINTWISE_CMP_LT, "lt", 2, true},
    {CUDNN_POINTWISE_CMP_LE, "le", 2, true},
    {CUDNN_POINTWISE_LOGICAL_AND, "and", 2, true},
    {CUDNN_POINTWISE_LOGICAL_OR, "or", 2, true},
    {CUDNN_POINTWISE_LOGICAL_NOT, "not", 1, true},
    {CUDNN_POINTWISE_GEN_INDEX, "index", 1, true},
    {CUDNN_POINTWISE_BINARY_SELECT, "select", 3, true},
};

static const struct mode *mode_of(const struct graph_descriptor *pw)
{
    const int64_t mode = dnn_graph_int(pw, CUDNN_ATTR_POINTWISE_MODE, -1);
    for (size_t k = 0; k < sizeof modes / sizeof *modes; k++)
        if (modes[k].mode == (cudnnPointwiseMode_t)mode)
            return &modes[k];
    return NULL;
}

/* The ports that a mode's inputs come from, x first. */
static const int *sources(const struct mode *m, int *n, int *result)
{
    static const int forward[] = {POINTWISE_X, POINTWISE_B, POINTWISE_T},
                     back[] = {POINTWISE_DY, POINTWISE_X};
    *n = m->inputs == BACK ? 2 : m->inputs;
    *result = m->inputs == BACK ? POINTWISE_DX : POINTWISE_Y;
    return m->inputs == BACK ? back : forward;
}

cudnnStatus_t dnn_graph_check_pointwise(const struct graph_plan *p, struct graph_node *n)
{
    const struct graph_descriptor *pw =
        dnn_graph_child(n->d, CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, 0);
    const struct mode *m = pw ? mode_of(pw) : NULL;
    int count, result;
    if (!m)
        return dnn_graph_wrong(CUDNN_STATUS_NOT_SUPPORTED, "a pointwise operation of the mode %d",
                               pw ? (int)dnn_graph_int(pw, CUDNN_ATTR_POINTWISE_MODE, -1) : -1);
    const int *from = sources(m, &count, &result);
    const struct graph_tensor *out = dnn_graph_port_of(p, n, result);
    for (int k = 0; k < count; k++) {
        const struct graph_tensor *in = dnn_graph_port_of(p, n, from[k]);
        if (!in || !out)
            return dnn_graph_wrong(CUDNN_STATUS_BAD_PARAM,
                                   "pointwise %s without all of its tensors", m->function);
        if (m->mode != CUDNN_POINTWISE_GEN_INDEX && !dnn_graph_broadcasts(in, out))
            return dnn_graph_wrong(CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH,
                                   "pointwise %s of shapes that do not fit", m->function);
    }
    const int64_t axis = dnn_graph_int(pw, CUDNN_ATTR_POINTWISE_AXIS, 0);
    if (m->mode == CUDNN_POINTWISE_GEN_INDEX && (axis < 0 || axis >= out->dims))
        return dnn_graph_wrong(CUDNN_STATUS_BAD_PARAM, "an index along axis %d", (int)axis);
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t dnn_graph_run_pointwise(const struct graph_run *r, const struct graph_node *n)
{
    const struct graph_descriptor *pw =
        dnn_graph_child(n->d, CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, 0);
    const struct mode *m = mode_of(pw);
    const bool index = m->mode == CUDNN_POINTWISE_GEN_INDEX;
    const struct graph_tensor *in[NODE_INPUTS] = {0};
    int count, result;
    const int *from = sources(m, &count, &result);
    struct node_each e = {.axis = index ? (int)dnn_graph_int(pw, CUDNN_ATTR_POINTWISE_AXIS, 0) : -1,
                          .out = dnn_graph_data(r, n, result),
                          .p = {dnn_graph_real(n->d, CUDNN_ATTR_OPERATION_POINTWISE_ALPHA1, 1),
                                dnn_graph_real(n->d, CUDNN_ATTR_OPERATION_POINTWISE_ALPHA2, 1),
                                dnn_graph_real(pw, CUDNN_ATTR_POINTWISE_RELU_LOWER_CLIP, 0),
                                dnn_graph_real(pw, CUDNN_ATTR_POINTWISE_RELU_UPPER_CLIP, HUGE_VAL),
                                dnn_graph_real(pw, CUDNN_ATTR_POINTWISE_RELU_LOWER_CLIP_SLOPE, 0)}};
    for (int k = 0; k < count && !index; k++) {
        in[k] = dnn_graph_port_of(r->plan, n, from[k]);
        e.in[k] = dnn_graph_data(r, n, from[k]);
    }
    if (strstr(m->function, "elu") == m->function)
        e.p[2] = dnn_graph_real(pw, CUDNN_ATTR_POINTWISE_ELU_ALPHA, 1);
    else if (strstr(m->function, "softplus") == m->function)
        e.p[2] = dnn_graph_real(pw, CUDNN_ATTR_POINTWISE_SOFTPLUS_BETA, 1);
    else if (strstr(m->function, "swish") == m->function)
        e.p[2] = dnn_graph_real(pw, CUDNN_ATTR_POINTWISE_SWISH_BETA, 1);
    const int64_t compute = dnn_graph_int(pw, CUDNN_ATTR_POINTWISE_MATH_PREC, CUDNN_DATA_FLOAT);
    return dnn_graph_each(r, m->function,
                          m->whole                       ? (cudnnDataType_t)compute
                          : compute == CUDNN_DATA_DOUBLE ? CUDNN_DATA_DOUBLE
                                                         : CUDNN_DATA_FLOAT,
                          &e, dnn_graph_port_of(r->plan, n, result), in);
}

/* ---- products ---- */

static bool product_of(const struct graph_plan *p, const struct graph_node *n,
                       struct node_product *out)
{
    const struct graph_tensor *a = dnn_graph_port_of(p, n, MATMUL_A),
                              *b = dnn_graph_port_of(p, n, MATMUL_B),
                              *c = dnn_graph_port_of(p, n, MATMUL_C);
    const int dims = c->dims, row = dims - 2, col = dims - 1;
    if (dims < 2 || a->dims != dims || b->dims != dims || a->dim[row] != c->dim[row] ||
        b->dim[col] != c->dim[col] || a->dim[col] != b->dim[row])
        return false;
    *out = (struct node_product){.m = c->dim[row],
                                 .n = c->dim[col],
                                 .k = a->dim[col],
                                 .batch = 1,
                                 .dims = dims - 2,
                                 .a_row = a->step[row],
                                 .a_col = a->step[col],
                                 .b_row = b->step[row],
                                 .b_col = b->step[col],
                                 .c_row = c->step[row],
                                 .c_col = c->step[col]};
    for (int d = 0; d < row; d++) {
        /* Several of the result's share one of an operand: as many for each. */
        if (c->dim[d] % a->dim[d] || c->dim[d] % b->dim[d])
            return false;
        out->dim[d] = c->dim[d];
        out->batch *= c->dim[d];
        out->a_share[d] = c->dim[d] / a->dim[d];
        out->b_share[d] = c->dim[d] / b->dim[d];
        out->a_step[d] = a->step[d];
        out->b_step[d] = b->step[d];
        out->c_step[d] = c->step[d];
    }
    return true;
}

cudnnStatus_t dnn_graph_check_matmul(const struct graph_plan *p, struct graph_node *n)
{
    struct node_product product;
    if (!product_of(p, n, &product))
        return dnn_graph_wrong(CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH,
                               "a product of shapes that do not fit");
    for (int k = MATMUL_M; k <= MATMUL_K; k++)
        if (n->at[k] >= 0 && dnn_graph_port_of(p, n, k)->type != CUDNN_DATA_INT32)
            return dnn_graph_wrong(CUDNN_STATUS_NOT_SUPPORTED_DATA_TYPE,
                                   "lengths of products that are not INT32");
    return CUDNN_STATUS_SUCCESS;
}

/* A matrix as cuBLAS knows them: rows together, or turned with columns together. */
static bool plain_matrix(int64_t rows, int64_t cols, int64_t row, int64_t col, bool *turned,
                         int64_t *ld)
{
    if ((col == 1 || cols == 1) && (row >= cols || rows == 1)) {
        *turned = false;
        *ld = rows == 1 ? cols : row;
        return true;
    }
    *turned = true;
    *ld = cols == 1 ? rows : col;
    return (row == 1 || rows == 1) && (col >= rows || cols == 1);
}

/* With our cuBLAS: false where it cannot, before anything is done. */
static bool by_blas(const struct graph_run *r, const struct node_product *p,
                    const struct graph_tensor *ta, const struct graph_tensor *tb,
                    const struct graph_tensor *tc, const char *a, const char *b, char *c)
{
    enum { MOST = 256 }; /* calls; more are one kernel of ours */
    enum lib_type t, result;
    bool turn_a, turn_b, turn_c;
    int64_t lda, ldb, ldc, calls = 1;
    int inner = -1;
    if (!cudnn_type(ta->type, &t) || ta->type != tb->type || !cudnn_type(tc->type, &result) ||
        !(result == t || (result == LIB_F32 && t != LIB_F64)) ||
        !plain_matrix(p->m, p->k, p->a_row, p->a_col, &turn_a, &lda) ||
        !plain_matrix(p->k, p->n, p->b_row, p->b_col, &turn_b, &ldb) ||
        !plain_matrix(p->m, p->n, p->c_row, p->c_col, &turn_c, &ldc) || turn_c)
        return false;
    for (int d = 0; d < p->dims; d++)
        if (p->a_share[d] == 1 && p->b_share[d] == 1 && (inner < 0 || p->dim[d] > p->dim[inner]))
            inner = d;
    for (int d = 0; d < p->dims; d++)
        calls *= d == inner ? 1 : p->dim[d];
    if (calls > MOST)
        return false;
    const double one = 1, zero = 0;
    const float one32 = 1, zero32 = 0;
    const bool f64 = t == LIB_F64;
    for (int64_t call = 0; call < calls; call++) {
        int64_t rest = call, at = 0, bt = 0, ct = 0;
        for (int d = p->dims - 1; d >= 0; d--)
            if (d != inner) {
                at += rest % p->dim[d] / p->a_share[d] * p->a_step[d];
                bt += rest % p->dim[d] / p->b_share[d] * p->b_step[d];
                ct += rest % p->dim[d] * p->c_step[d];
                rest /= p->dim[d];
            }
        const cublasStatus_t s = cublasGemmStridedBatchedEx_64(
            r->dnn->blas, turn_b ? CUBLAS_OP_T : CUBLAS_OP_N, turn_a ? CUBLAS_OP_T : CUBLAS_OP_N,
            p->n, p->m, p->k, f64 ? (const void *)&one : &one32,
            b + bt * (int64_t)lib_types[t].bytes, (cudaDataType)lib_types[t].number, ldb,
            inner < 0 ? 0 : p->b_step[inner], a + at * (int64_t)lib_types[t].bytes,
            (cudaDataType)lib_types[t].number, lda, inner < 0 ? 0 : p->a_step[inner],
            f64 ? (const void *)&zero : &zero32, c + ct * (int64_t)lib_types[result].bytes,
            (cudaDataType)lib_types[result].number, ldc, inner < 0 ? 0 : p->c_step[inner],
            inner < 0 ? 1 : p->dim[inner], f64 ? CUBLAS_COMPUTE_64F : CUBLAS_COMPUTE_32F,
            CUBLAS_GEMM_DEFAULT);
        if (s)
            return false;
    }
    return true;
}

cudnnStatus_t dnn_graph_run_matmul(const struct graph_run *r, const struct graph_node *n)
{
    const struct graph_descriptor *d = dnn_graph_child(n->d, CUDNN_ATTR_OPERATION_MATMUL_DESC, 0);
    const struct graph_tensor *a = dnn_graph_port_of(r->plan, n, MATMUL_A),
                              *b = dnn_graph_port_of(r->plan, n, MATMUL_B),
                              *c = dnn_graph_port_of(r->plan, n, MATMUL_C);
    const cudnnDataType_t compute =
        d ? (cudnnDataType_t)dnn_graph_int(d, CUDNN_ATTR_MATMUL_COMP_TYPE, CUDNN_DATA_FLOAT)
          : CUDNN_DATA_FLOAT;
    const void *pa = dnn_graph_data(r, n, MATMUL_A), *pb = dnn_graph_data(r, n, MATMUL_B);
    void *pc = dnn_graph_data(r, n, MATMUL_C);
    struct node_product p;
    product_of(r->plan, n, &p);
    bool limited = false;
    for (int k = 0; k < 3; k++) {
        const struct graph_tensor *limit = dnn_graph_port_of(r->plan, n, MATMUL_M + k);
        p.limits[k] = limit ? dnn_graph_data(r, n, MATMUL_M + k) : NULL;
        p.limit_step[k] = limit && limit->dim[0] > 1 ? limit->step[0] : 0;
        limited = limited || limit;
    }
    p.padding = d ? dnn_graph_real(d, CUDNN_ATTR_MATMUL_PADDING_VALUE, 0) : 0;
    if (!limited && by_blas(r, &p, a, b, c, pa, pb, pc))
        return CUDNN_STATUS_SUCCESS;
    const struct graph_tensor *all[] = {a, b, c};
    return dnn_graph_status(dnn_run(r->dnn, "nodes.h", dnn_grid(p.batch * p.m * p.n), 0,
                                    (void *[]){&p, (void *)&pa, (void *)&pb, &pc},
                                    "node_multiply<%s, %s, %s, %s>",
                                    dnn_graph_wide(compute, all, 3), dnn_graph_stored(c->type),
                                    dnn_graph_stored(a->type), dnn_graph_stored(b->type)),
                            "a product");
}
