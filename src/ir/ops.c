/* Tables made from the .def files: types, operations, special registers, atomics. */
#include <stdio.h>
#include <string.h>
#include "ir/ir.h"

enum {
    P = IR_PURE,
    C = IR_COMMUTES,
    R = IR_READS,
    W = IR_WRITES,
    X = IR_EFFECT,
    V = IR_CONVERGENT,
    E = IR_ELEMENTWISE,
    B = IR_TERMINATOR,
    D = IR_ROUNDS,
    F = IR_FLUSHES
};

const struct ir_op_info ir_op_info[IR_OP_COUNT] = {
#ifdef TERN_SMALL /* the compiler for browsers goes without what only people read */
#define DOC(text) ""
#else
#define DOC(text) text
#endif
#define IR_OP(name, sig, cls, flags, shape, meaning, doc)                                          \
    [IR_OP_##name] = {#name, sig, IR_CLASS_##cls, IR_SHAPE_##shape, flags, DOC(doc)},
#include "ir/ops.def"
};

const struct ir_sreg_info ir_sreg_info[IR_SREG_COUNT] = {
#define IR_SREG(name, text, uniformity, meaning)                                                   \
    [IR_SREG_##name] = {text, IR_UNIFORM_##uniformity, meaning},
#include "ir/sreg.def"
};

const struct ir_rmw_info ir_rmw_info[IR_RMW_COUNT] = {
#define IR_RMW(name, text, cls, meaning) [IR_RMW_##name] = {text, IR_CLASS_##cls},
#include "ir/rmw.def"
};

static const struct {
    const char *name;
    uint8_t bits, class;
} kinds[IR_KIND_COUNT] = {
#define IR_TYPE(name, text, bits, class, c) [IR_##name] = {text, bits, IR_CLASS_##class},
#include "ir/types.def"
};

static const char *const spaces[IR_SPACE_COUNT] = {
#define IR_SPACE(name, text, meaning) [IR_SPACE_##name] = text,
#include "ir/types.def"
};

/* A type packs its kind in 5 bits and its space in 3; a sentinel op past 16 bits would not fit. */
_Static_assert(IR_KIND_COUNT <= 32, "ir_type keeps the kind in 5 bits");
_Static_assert(IR_SPACE_COUNT <= 8, "ir_type keeps the space in 3 bits");
_Static_assert(IR_MAX_LANES < 256, "ir_type keeps the lanes in 8 bits");

unsigned ir_bits(ir_type t)
{
    return kinds[ir_kind(t)].bits;
}

unsigned ir_bytes(ir_type t)
{
    return (kinds[ir_kind(t)].bits + 7) / 8 * ir_lanes(t);
}

enum ir_class ir_class(ir_type t)
{
    return (enum ir_class)kinds[ir_kind(t)].class;
}

const char *ir_type_name(ir_type t, char buf[32])
{
    int n = 0;
    if (ir_is_vector(t))
        n = snprintf(buf, 32, "v%u.", ir_lanes(t));
    n += snprintf(buf + n, 32 - (size_t)n, "%s", kinds[ir_kind(t)].name);
    if (ir_kind(t) == IR_PTR)
        snprintf(buf + n, 32 - (size_t)n, ".%s", spaces[ir_space(t)]);
    return buf;
}

static bool match(const char *s, size_t n, const char *z)
{
    return strlen(z) == n && !memcmp(s, z, n);
}

bool ir_type_parse(const char *s, size_t n, ir_type *out)
{
    unsigned lanes = 0;
    if (n > 2 && s[0] == 'v' && s[1] >= '0' && s[1] <= '9') {
        size_t i = 1;
        while (i < n && s[i] >= '0' && s[i] <= '9' && lanes <= IR_MAX_LANES)
            lanes = lanes * 10 + (unsigned)(s[i++] - '0');
        if (i == n || s[i] != '.' || lanes < 1 || lanes > IR_MAX_LANES)
            return false;
        s += i + 1;
        n -= i + 1;
    }
    if (n > 4 && !memcmp(s, "ptr.", 4)) {
        for (unsigned k = 0; k < IR_SPACE_COUNT; k++)
            if (match(s + 4, n - 4, spaces[k])) {
                *out = ir_vector(IR_PTR_TO(k), lanes);
                return true;
            }
        return false;
    }
    for (unsigned k = 0; k < IR_KIND_COUNT; k++)
        if (match(s, n, kinds[k].name) && k != IR_PTR) {
            if (lanes && kinds[k].class == IR_CLASS_NONE)
                return false;
            *out = ir_vector((ir_type)k, lanes);
            return true;
        }
    return false;
}

int ir_op_find(const char *name, size_t n)
{
    for (int i = 0; i < IR_OP_COUNT; i++)
        if (match(name, n, ir_op_info[i].name))
            return i;
    return -1;
}
