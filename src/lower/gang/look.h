/* What check.c and races.c share: code that looks before it tells. */
#ifndef LOWER_GANG_LOOK_H
#define LOWER_GANG_LOOK_H

#include <stddef.h>
#include "ir/check.h"
#include "lower/gang/gang_int.h"

struct look {
    struct vectorizer *v;
    struct ir_inst *i; /* the op of one thread */
    unsigned piece;
    uint64_t what, bytes; /* bytes: of a lane's access */
    unsigned align;       /* its logarithm */
    bool writes;
    bool whole;          /* every lane runs */
    bool some;           /* one does at least */
    struct ir_value *at; /* out: shadow that is to be marked, or NULL; and its bytes */
    uint64_t marks;
};

/* In what form the op's first operand is looked at. */
enum form { FORM_ONE, FORM_ROW, FORM_LANES };
/* check.c */
struct ir_block *v_block_after(struct vectorizer *v);
void v_go_on_if(struct vectorizer *v, struct ir_value *cond, struct ir_block *otherwise);
void v_go_to_if(struct vectorizer *v, struct ir_value *cond, struct ir_block *to);
void v_go_to(struct vectorizer *v, struct ir_block *to);
struct ir_value *v_pointer(struct vectorizer *v, struct ir_value *address);
struct ir_value *v_further(struct vectorizer *v, struct ir_value *p, uint64_t bytes);
struct ir_value *v_field(struct vectorizer *v, size_t at, ir_type t, uint32_t flags);
struct ir_value *v_of_type(struct look *l, struct ir_value *like, uint64_t bits);
struct ir_value *v_as_number(struct look *l, struct ir_value *x);
struct ir_value *v_spread(struct look *l, struct ir_value *like, struct ir_value *x);
struct ir_value *v_inside_variable(struct look *l, struct ir_value *address, uint64_t span);
struct ir_value *v_inside_aligned(struct look *l, struct ir_value *address, uint64_t span);
struct ir_value *v_look_shadow(struct look *l, struct ir_value *p, uint64_t span);
struct ir_value *v_shadow_of(struct look *l, struct ir_value *address);
ir_type v_marks_type(uint64_t bytes);
void v_mark_row(struct look *l);
struct ir_value *v_all_of(struct look *l, struct ir_value *good);
enum form v_form_of(const struct look *l);
bool v_can_look(struct look *l);
struct ir_value *v_look_memory(struct look *l);
void v_mark(struct look *l);
void v_tell_slowly(struct vectorizer *v, struct ir_inst *i, unsigned p, struct ir_block *after);
void v_find_some(struct look *l, enum form form, struct ir_block *after);
struct look v_look_of(struct vectorizer *v, struct ir_inst *i, unsigned p);
void v_check_alone(struct vectorizer *v, struct ir_inst *i, unsigned p);
#define FIELD(v, name, type, flags)                                                                \
    v_field((v), offsetof(struct ir_check_table, name), (type), (flags))
#define STILL(v, name, type) FIELD(v, name, type, IR_INVARIANT)
#define NOW(v, name, type)   FIELD(v, name, type, IR_VOLATILE)

/* races.c: false: looking does not say. */
bool v_look_races(struct look *l);
bool v_look_together(struct vectorizer *v, struct ir_inst *i);

#endif
