/* irdoc: writes the reference page of the IR, doc/ir-ops.md, from the tables. */
#include <stdio.h>
#include "back/back.h"

static const char *const class_text[] = {
    [IR_CLASS_NONE] = "",        [IR_CLASS_INT] = "integers",
    [IR_CLASS_FLOAT] = "floats", [IR_CLASS_PTR] = "pointers",
    [IR_CLASS_NUM] = "numbers",  [IR_CLASS_INTPTR] = "integers, pointers",
    [IR_CLASS_ANY] = "any",      [IR_CLASS_W] = "i32",
    [IR_CLASS_L] = "i64"};

static void flag_words(unsigned flags)
{
    static const struct {
        unsigned bit;
        const char *word;
    } words[] = {{IR_PURE, "pure"},
                 {IR_COMMUTES, "commutes"},
                 {IR_READS, "reads"},
                 {IR_WRITES, "writes"},
                 {IR_EFFECT, "effect"},
                 {IR_CONVERGENT, "convergent"},
                 {IR_TERMINATOR, "ends a block"},
                 {IR_ROUNDS, "rounding mode"},
                 {IR_FLUSHES, "ftz"}};
    const char *comma = "";
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (flags & words[k].bit) {
            printf("%s%s", comma, words[k].word);
            comma = ", ";
        }
}

static ir_type sample_type(enum ir_op op)
{
    if (op >= IR_OP_splat && op <= IR_OP_mrmw)
        return ir_vector(IR_I32, 4);
    switch (ir_op_info[op].class) {
    case IR_CLASS_NONE: return IR_VOID;
    case IR_CLASS_FLOAT: return IR_F32;
    case IR_CLASS_PTR: return IR_PTR_TO(IR_SPACE_GLOBAL);
    case IR_CLASS_L: return IR_I64;
    default: return IR_I32;
    }
}

static void operations(void)
{
    printf(
        "## Operations\n\nLetters of a signature are explained at the top of `src/ir/ops.def`.\n\n"
        "| op | signature | on | properties | meaning |\n|---|---|---|---|---|\n");
    for (int k = 0; k < IR_OP_COUNT; k++) {
        const struct ir_op_info *o = &ir_op_info[k];
        printf("| `%s` | `%s` | %s | ", o->name, o->signature, class_text[o->class]);
        flag_words(o->flags);
        printf(" | %s |\n", o->doc);
    }
}

static void matrix(void)
{
    printf("\n## Operations and targets\n\nyes: emitted. lowered: written with other operations "
           "first. A reason: refused with "
           "that reason.\nThe interpreter runs all of them.\n\n| op |");
    for (size_t t = 0; back_targets[t]; t++)
        printf(" %s |", back_targets[t]->name);
    printf("\n|---|");
    for (size_t t = 0; back_targets[t]; t++)
        printf("---|");
    printf("\n");
    for (int k = 0; k < IR_OP_COUNT; k++) {
        printf("| `%s` |", ir_op_info[k].name);
        for (size_t t = 0; back_targets[t]; t++) {
            const char *why = NULL;
            enum back_support s =
                back_targets[t]->supports((enum ir_op)k, sample_type((enum ir_op)k), &why);
            printf(" %s |", s == BACK_YES       ? "yes"
                            : s == BACK_LOWERED ? "lowered"
                            : why               ? why
                                                : "no");
        }
        printf("\n");
    }
}

int main(void)
{
    printf("# The operations of the IR\n\nWritten by `make doc` from `src/ir/ops.def`, `sreg.def`, "
           "`rmw.def` and the "
           "targets; do not edit.\n\n");
    operations();
    printf("\n## Special registers\n\n| register | differs between | meaning |\n|---|---|---|\n");
    static const char *const levels[] = {"grids", "blocks", "warps", "threads"};
    for (int k = 0; k < IR_SREG_COUNT; k++)
        printf("| `%s` | %s | %s |\n", ir_sreg_info[k].name, levels[ir_sreg_info[k].uniformity],
               ir_sreg_info[k].meaning);
    printf("\n## Atomic operations\n\n");
    for (int k = 0; k < IR_RMW_COUNT; k++)
        printf("%s`%s`", k ? ", " : "", ir_rmw_info[k].name);
    printf("\n");
    matrix();
    return 0;
}
