/* Lists of optimisations that lowering runs again, over what it has made of a function. */
#include "lower/lower.h"
#include "opt/opt.h"

#define OPT(name) PASS_ROW(#name, "again, after lowering", .plain = opt_##name)

const struct pass lower_optimise[] = {
    OPT(address_spaces), OPT(sroa), OPT(simplify), OPT(cfg), OPT(gvn),
    OPT(forward),        OPT(dce),  PASS_END,
};

const struct pass lower_settle[] = {
    OPT(cfg), OPT(licm), PASS_ROW("sink", "to the branch that needs it", .plain = opt_sink),
    OPT(dce), PASS_END,
};

const struct pass lower_addresses[] = {
    PASS_ROW("addresses", "what innermost loops add to a pointer each time, once",
             .plain = opt_addresses),
    PASS_END,
};

const struct pass lower_divide[] = {
    PASS_ROW("divide", "quotients by constants into products", .plain = opt_divide),
    PASS_END,
};

const struct pass lower_combine[] = {
    PASS_ROW("combine-loads", "numbers that are put together from bytes are loaded as one",
             .plain = opt_combine_loads),
    PASS_END,
};

/* What was written out several times and is the same. */
const struct pass lower_shared[] = {
    OPT(simplify),
    OPT(gvn),
    OPT(dce),
    PASS_END,
};

/* What repeating bodies uncovers: addresses that differ by constants, loads of neighbours. */
const struct pass lower_unroll[] = {
    PASS_ROW("unroll-runtime", "counting loops repeat their body", .plain = opt_unroll_runtime),
    OPT(cfg),
    OPT(simplify),
    OPT(gvn),
    OPT(simplify),
    OPT(forward),
    OPT(licm),
    OPT(gvn),
    OPT(simplify),
    OPT(gvn),
    OPT(dce),
    PASS_END,
};
