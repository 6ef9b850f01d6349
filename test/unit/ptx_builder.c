/* Tests of the PTX builder: what it writes, and the mistakes it notices. ptxas judges the text in
 * test/ptx. */
#include "tern/ptx.h"
#include "unit.h"

static tern_ptx *started(void)
{
    tern_ptx *p = tern_ptx_new(80);
    if (p)
        tern_ptx_kernel(p, "k");
    return p;
}

TEST(ptx_builder_writes_a_kernel)
{
    tern_ptx *p = started();
    if (!p)
        return;
    tern_ptx_reg x = tern_ptx_param(p, TERN_PTX_U64, "x");
    tern_ptx_reg v = tern_ptx_load(p, TERN_PTX_F32, TERN_PTX_GLOBAL, x, 4);
    tern_ptx_store(p, TERN_PTX_GLOBAL, x, 0, tern_ptx_op2(p, TERN_PTX_ADD, v, tern_ptx_f32(p, 1)));
    tern_ptx_end(p);
    const char *text = tern_ptx_text(p);
    if (text)
        CHECK_STR(text, ".version 7.8\n"
                        ".target sm_80\n"
                        ".address_size 64\n"
                        "\n"
                        "\n"
                        ".visible .entry k(\n"
                        "\t.param .u64 p0_x\n"
                        ")\n"
                        "{\n"
                        "\t.reg .b64 %rd<2>;\n"
                        "\t.reg .f32 %f<4>;\n"
                        "\n"
                        "\tld.param.u64 %rd1, [p0_x];\n"
                        "\tld.global.f32 %f1, [%rd1+4];\n"
                        "\tmov.f32 %f2, 0f3F800000;\n"
                        "\tadd.rn.f32 %f3, %f1, %f2;\n"
                        "\tst.global.f32 [%rd1+0], %f3;\n"
                        "\tret;\n"
                        "}\n");
    else
        CHECK(unit_injected(u));
    tern_ptx_free(p);
}

static void two_types(tern_ptx *p)
{
    tern_ptx_op2(p, TERN_PTX_ADD, tern_ptx_u32(p, 1), tern_ptx_f32(p, 1));
}
static void foreign_register(tern_ptx *p)
{
    tern_ptx_op1(p, TERN_PTX_NEG, 77);
}
static void remainder_of_floats(tern_ptx *p)
{
    tern_ptx_op2(p, TERN_PTX_REM, tern_ptx_f32(p, 1), tern_ptx_f32(p, 1));
}
static void wrong_count(tern_ptx *p)
{
    tern_ptx_op1(p, TERN_PTX_ADD, tern_ptx_u32(p, 1));
}
static void lost_label(tern_ptx *p)
{
    tern_ptx_branch(p, tern_ptx_new_label(p));
    tern_ptx_end(p);
}
static void label_twice(tern_ptx *p)
{
    tern_ptx_label l = tern_ptx_new_label(p);
    tern_ptx_place(p, l);
    tern_ptx_place(p, l);
}
static void late_param(tern_ptx *p)
{
    tern_ptx_barrier(p);
    tern_ptx_param(p, TERN_PTX_U32, "n");
}
static void not_ended(tern_ptx *p)
{
    tern_ptx_text(p);
}
static void same_name(tern_ptx *p)
{
    tern_ptx_end(p);
    tern_ptx_kernel(p, "k");
}
static void bad_name(tern_ptx *p)
{
    tern_ptx_end(p);
    tern_ptx_kernel(p, "a b");
}
static void outside(tern_ptx *p)
{
    tern_ptx_end(p);
    tern_ptx_barrier(p);
}
static void unknown_special(tern_ptx *p)
{
    tern_ptx_special(p, "tid.w");
}
static void narrow_address(tern_ptx *p)
{
    tern_ptx_load(p, TERN_PTX_F32, TERN_PTX_GLOBAL, tern_ptx_u32(p, 0), 0);
}
static void constant_store(tern_ptx *p)
{
    tern_ptx_store(p, TERN_PTX_CONST, tern_ptx_u64(p, 0), 0, tern_ptx_u32(p, 0));
}
static void no_shared(tern_ptx *p)
{
    tern_ptx_address(p, "tile");
}
static void too_wide(tern_ptx *p)
{
    tern_ptx_reg v[4];
    const struct tern_ptx_access a = {TERN_PTX_F64, TERN_PTX_GLOBAL, tern_ptx_u64(p, 0), 0, 4, 0};
    tern_ptx_read(p, &a, v);
}
static void three_at_once(tern_ptx *p)
{
    tern_ptx_reg v[4] = {0};
    const struct tern_ptx_access a = {TERN_PTX_U8, TERN_PTX_GLOBAL, tern_ptx_u64(p, 0), 0, 3, 0};
    tern_ptx_write(p, &a, v);
}
static void other_type_written(tern_ptx *p)
{
    const tern_ptx_reg v = tern_ptx_f32(p, 1);
    const struct tern_ptx_access a = {TERN_PTX_U32, TERN_PTX_GLOBAL, tern_ptx_u64(p, 0), 0, 1, 0};
    tern_ptx_write(p, &a, &v);
}
static void number_as_predicate(tern_ptx *p)
{
    const tern_ptx_reg v = tern_ptx_u32(p, 1);
    const struct tern_ptx_access a = {TERN_PTX_U32, TERN_PTX_GLOBAL, tern_ptx_u64(p, 0), 0, 1, v};
    tern_ptx_write(p, &a, &v);
}
static void byte_parameter(tern_ptx *p)
{
    tern_ptx_param(p, TERN_PTX_U8, "b");
}
static void bf16_from_integer(tern_ptx *p)
{
    tern_ptx_convert(p, TERN_PTX_BF16, tern_ptx_u32(p, 1));
}
static void bits_of_other_size(tern_ptx *p)
{
    tern_ptx_bits(p, TERN_PTX_F64, tern_ptx_u32(p, 1));
}
static void odd_copy(tern_ptx *p)
{
    tern_ptx_copy_async(p, tern_ptx_u32(p, 0), tern_ptx_u64(p, 0), 12, 0);
}
static void three_matrices(tern_ptx *p)
{
    tern_ptx_reg v[4];
    tern_ptx_load_matrix(p, 3, false, tern_ptx_u32(p, 0), v);
}
static void no_shape(tern_ptx *p)
{
    tern_ptx_reg v[4] = {0};
    tern_ptx_mma(p, TERN_PTX_MMA_COUNT, v, v, v, v);
}
static void wrong_fragment(tern_ptx *p)
{
    tern_ptx_reg d[4], a[4], c[4];
    for (int k = 0; k < 4; k++) {
        a[k] = tern_ptx_u32(p, 0);
        c[k] = tern_ptx_f32(p, 0);
    }
    tern_ptx_mma(p, TERN_PTX_MMA_S8_K32, d, a, a, c);
}

TEST(ptx_builder_notices_mistakes)
{
    static const struct {
        void (*make)(tern_ptx *);
        const char *error;
    } mistakes[] = {
        {two_types, "tern_ptx_add: a register of type f32 does not fit"},
        {foreign_register, "tern_ptx_neg: register 77 is not of this kernel"},
        {remainder_of_floats, "tern_ptx_rem: a register of type f32 does not fit"},
        {wrong_count, "tern_ptx_op1: operation 9 does not take 1 operands"},
        {lost_label, "tern_ptx_end: label 1 is used and not placed"},
        {label_twice, "tern_ptx_place: label 1 is placed already"},
        {late_param, "tern_ptx_param: parameters come before instructions"},
        {not_ended, "tern_ptx_text: kernel 'k' is not ended"},
        {same_name, "tern_ptx_kernel: 'k' is there already"},
        {bad_name, "tern_ptx_kernel: 'a b' is not a name"},
        {outside, "tern_ptx_barrier: no kernel is open"},
        {unknown_special, "tern_ptx_special: there is no special register 'tid.w'"},
        {narrow_address, "tern_ptx_load: a register of type u32 does not fit"},
        {constant_store, "tern_ptx_store: constant memory cannot be written"},
        {no_shared, "tern_ptx_address: there is no shared memory 'tile'"},
        {too_wide, "tern_ptx_read: 4 elements of f64 are not one access"},
        {three_at_once, "tern_ptx_write: 3 elements of u8 are not one access"},
        {other_type_written, "tern_ptx_write: a register of type f32 does not fit"},
        {number_as_predicate, "tern_ptx_write: a register of type u32 does not fit"},
        {byte_parameter, "tern_ptx_param: a parameter cannot have this type"},
        {bf16_from_integer, "tern_ptx_convert: a register of type u32 does not fit"},
        {bits_of_other_size, "tern_ptx_bits: f64 and u32 differ in size"},
        {odd_copy, "tern_ptx_copy_async: 12 bytes are not one copy"},
        {three_matrices, "tern_ptx_load_matrix: 3 matrices are not loaded at once"},
        {no_shape, "tern_ptx_mma: there is no matrix shape 11"},
        {wrong_fragment, "tern_ptx_mma: a register of type f32 does not fit"},
    };
    for (size_t k = 0; k < sizeof mistakes / sizeof *mistakes; k++) {
        tern_ptx *p = started();
        if (!p)
            return;
        mistakes[k].make(p);
        if (!unit_injected(u))
            CHECK_STR(tern_ptx_error(p) ? tern_ptx_error(p) : "", mistakes[k].error);
        tern_ptx_barrier(p); /* does nothing after a mistake */
        CHECK(!tern_ptx_text(p));
        tern_ptx_free(p);
    }
}

TEST(ptx_builder_knows_its_processors)
{
    tern_ptx *p = tern_ptx_new(61);
    if (p && !unit_injected(u))
        CHECK_STR(tern_ptx_error(p), "tern_ptx_new: sm_61 is not between sm_70 and sm_90");
    tern_ptx_free(p);
    p = tern_ptx_new(75);
    if (p) {
        tern_ptx_reg d[4] = {1, 1, 1, 1}, a[4] = {0}, b[2] = {0}, c[4] = {0};
        tern_ptx_kernel(p, "k");
        tern_ptx_mma_f16(p, d, a, b, c);
        if (!unit_injected(u))
            CHECK_STR(tern_ptx_error(p), "tern_ptx_mma_f16: this matrix shape needs sm_80");
        CHECK_INT(d[0], 0);
    }
    tern_ptx_free(p);
    p = tern_ptx_new(75);
    if (p) {
        tern_ptx_kernel(p, "k");
        tern_ptx_load(p, TERN_PTX_BF16, TERN_PTX_GLOBAL, tern_ptx_u64(p, 0), 0);
        if (!unit_injected(u))
            CHECK_STR(tern_ptx_error(p), "tern_ptx_new: bf16 needs sm_80");
    }
    tern_ptx_free(p);
    p = tern_ptx_new(75);
    if (p) {
        tern_ptx_kernel(p, "k");
        tern_ptx_copy_commit(p);
        if (!unit_injected(u))
            CHECK_STR(tern_ptx_error(p), "tern_ptx_copy_commit: asynchronous copies need sm_80");
    }
    tern_ptx_free(p);
}
