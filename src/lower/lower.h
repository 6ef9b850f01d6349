/* The door to lower/: what back ends share between the IR and their own language.
 *
 * structurize  a function's graph → a tree of regions with the same behaviour
 * edges        block arguments → ordered copies (part of the tree)
 * layout       kernel parameters, globals, shared memory → offsets
 * legalize     ops that a target lacks → ops it has, by the target's own table
 * uniform      which values are the same for all threads of a block, and which grow by a constant
 * from lane to lane vectorize    one thread → a gang of W threads, as the same IR with vectors and
 * masks */
#ifndef LOWER_LOWER_H
#define LOWER_LOWER_H

#include "ir/ir.h"

/* ---- the region tree ---- */
enum region_kind {
    REGION_CODE,   /* the instructions of `block`, without its terminator */
    REGION_COPIES, /* copies[], in order: dst (a block parameter, or a temporary) = src */
    REGION_IF,     /* if (cond) child… else other… */
    REGION_SWITCH, /* switch (cond) arms */
    REGION_BLOCK,  /* child…; a REGION_BREAK to it continues after it (forward jump) */
    REGION_LOOP,   /* for (;;) child…; falls out of the end only by jumping: its body never falls
                      through */
    REGION_BREAK,  /* leave `target` (a BLOCK or LOOP) */
    REGION_CONTINUE, /* next iteration of `target` (a LOOP) */
    REGION_RETURN,   /* value in cond, or NULL */
    REGION_EXIT,     /* thread exit */
    REGION_UNREACHABLE,
};

struct region_copy {
    struct ir_value *dst, *src; /* dst == NULL: temporary `temp` is set; src == NULL: it is read */
    uint32_t temp;
};

struct region_arm {
    uint64_t *values;
    uint32_t nvalues; /* 0: default */
    struct region *child;
};

struct region {
    enum region_kind kind;
    struct region *next; /* the rest of the list this region stands in */
    struct region *child, *other;
    struct region *target;
    struct ir_block *block; /* CODE; LOOP: its header */
    struct ir_value *cond;
    struct region_copy *copies;
    uint32_t ncopies;
    struct region_arm *arms;
    uint32_t narms;
    uint32_t id;     /* of BLOCK and LOOP: dense, for labels */
    uint32_t uses;   /* BLOCK, LOOP: number of breaks (and continues) that name it */
    bool needs_flag; /* after region_single_level: breaks out of more than one construct go through
                        a flag */
    struct span span;
};

struct region_tree {
    struct ir_func *func;
    struct region *body;
    uint32_t nregions; /* ids below this */
    uint32_t ntemps;   /* copy temporaries; temp_types[i] */
    ir_type *temp_types;
};

/* Any graph: reducible ones without adding code, irreducible ones through a dispatch variable (the
 * function is changed for that first). */
struct region_tree *lower_structurize(struct arena *a, struct ir_func *f);
/* For languages whose break and continue reach only the innermost loop or switch (WGSL, SPIR-V):
 * jumps further out become a flag variable (block parameter-like i32 value) tested after each
 * construct. */
void lower_single_level(struct arena *a, struct region_tree *t);
void lower_print_tree(const struct region_tree *t, struct sbuf *out);

/* ---- layout ---- */
/* Gives each shared global an offset; returns the static bytes; dynamic shared memory starts there,
 * aligned to 16. Offsets are by global, in `global->data` order of the module. */
uint32_t lower_shared_layout(struct ir_module *m, struct map *offset_by_global);

/* A C-identifier-safe unique name for anything printed: keeps the user's name where it can. */
struct name_table;
struct name_table *lower_names(struct arena *a, struct interner *in, const char *const *reserved);
const char *lower_name(struct name_table *t, const char *wish);

#endif
