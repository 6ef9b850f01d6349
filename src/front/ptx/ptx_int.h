/* Inside the PTX front end: tokens, statements, and the state of lowering.
 *
 * lex.c gives tokens, parse.c a module's declarations and each body as a list of statements;
 * lower.c walks a body, ssa.c turns registers into values as it goes, and ops.c, memory.c, warp.c
 * and call.c each lower a family of instructions. reconverge.c then finds where threads meet. */
#ifndef FRONT_PTX_INT_H
#define FRONT_PTX_INT_H

#include "front/ptx/ptx.h"
#include "ir/ssa.h"

/* ---- tokens ---- */
enum px_token_kind {
    PT_END,
    PT_WORD,  /* identifier, %register, directive or instruction: dots inside belong to it */
    PT_INT,   /* bits; punct is 'U' where it has no sign */
    PT_FLOAT, /* bits of a double; PT_F32 of a float (0f…) */
    PT_F32,
    PT_STRING,
    PT_PUNCT, /* text[0] */
};
struct px_token {
    enum px_token_kind kind;
    const char *text; /* interned; PT_WORD and PT_STRING */
    uint64_t bits;
    char punct;
    struct span span;
};

/* ---- types as PTX writes them ---- */
enum px_letter { PTX_S = 's', PTX_U = 'u', PTX_B = 'b', PTX_F = 'f', PTX_BF = 'h', PTX_PRED = 'p' };
enum px_types { PX_INT = 1, PX_FLOAT = 2, PX_HALF = 4, PX_PAIR = 8, PX_PRED = 16, PX_ANY = 32 };
struct px_type {
    char letter;   /* enum px_letter, 0: no type */
    uint8_t bits;  /* of one element */
    uint8_t lanes; /* 2: f16x2 and the like */
};

/* Predicates take a byte in memory. */
static inline ir_type px_memory_type(ir_type t)
{
    return t == IR_I1 ? IR_I8 : t;
}

/* ---- what names stand for ---- */
struct px_var { /* a register, or a .param variable that fits one */
    const char *name;
    ir_type type;
    uint32_t n; /* number in its function, from 1 */
};
struct px_place {
    const char *name;
    ir_type type; /* VOID: bytes in memory */
    uint64_t size;
    uint32_t align;
    bool pointer; /* .ptr */
    bool reg;     /* a register, not a .param */
    enum ir_space space;
    struct span span;
};
struct px_proto {
    VEC(struct px_place) rets, params;
};
/* A function's first result is its value, unless it has bytes; the caller gives the places of all
 * others. */
static inline bool px_by_value(const struct px_proto *t, size_t i)
{
    return !i && t->rets.data[0].type != IR_VOID;
}
enum px_symbol_kind {
    PS_REG,
    PS_RANGE, /* %r<10> */
    PS_VECTOR,
    PS_PARAM, /* variable */
    PS_BYTES, /* a .param array or .local variable: an address */
    PS_GLOBAL,
    PS_FUNC,
    PS_PROTO,
    PS_TARGETS,
    PS_REFERENCE, /* a texture, sampler or surface by name */
};
struct px_symbol {
    enum px_symbol_kind kind;
    struct px_var *var;      /* REG, PARAM */
    ir_type type;            /* RANGE */
    uint32_t lanes;          /* RANGE, VECTOR: of vectors; 0: of registers */
    struct px_var **lane;    /* VECTOR */
    uint64_t count;          /* RANGE */
    struct map made;         /* RANGE: name → symbol, of those that were used */
    struct ir_value *memory; /* BYTES */
    struct ir_global *global;
    struct px_func *func;
    struct px_proto *proto;
    VEC(const char *) targets;
};
struct px_unit { /* a module of a text that holds several, one behind the other, which are linked */
    struct map names;        /* name → symbol, of those that only it sees */
    VEC(const char *) files; /* by the numbers of .file; NULL: not given */
};
struct px_func {
    struct ir_func *ir;
    struct px_unit *unit;
    struct px_proto proto;
    bool kernel;
    bool workspace;              /* it asks for the grid's, or may call what does */
    const struct px_token *body; /* at the {, or NULL */
    const char *error;           /* what is wrong inside, or NULL */
    struct span error_at;
    struct span span;
};

/* ---- statements ---- */
enum px_operand_kind {
    PO_NONE,
    PO_REG,
    PO_INT,
    PO_FLOAT,
    PO_F32,
    PO_NAME,
    PO_VECTOR,
    PO_ADDRESS,
    PO_LIST,
    PO_SINK
};
struct px_operand {
    enum px_operand_kind kind;
    struct px_var *var;
    struct px_symbol *symbol; /* NAME: NULL for a label or special register */
    const char *name;
    uint64_t bits;
    int64_t offset;
    bool negate;              /* !p */
    bool minus;               /* -a of a register: vmad */
    const char *select;       /* .b0, .h10: a part of a register, for video instructions */
    struct px_operand *items; /* VECTOR, LIST; ADDRESS: base, then coordinates */
    uint32_t nitems;
    struct px_operand *second; /* d|p */
    struct span span;
};

#define PTX_MAX_MODS 16
struct px_stmt {
    const char *label; /* a label, or */
    const char *full;  /* the instruction as written */
    const char *name;  /* its first word */
    const char *mods[PTX_MAX_MODS];
    uint32_t nmods, used; /* bit set of modifiers that somebody looked at */
    struct px_type types[6];
    uint32_t ntypes;
    struct px_operand *guard;
    struct px_operand *ops;
    uint32_t nops;
    uint32_t scope;
    struct span span;
    struct span origin; /* the .loc before it; len 0: none */
};

/* ---- the state ---- */
struct ptx {
    struct ptx_job *job;
    struct arena *a;
    struct ir_module *m;
    struct diag *diag;
    const struct px_token *tokens;
    size_t at, ntokens;
    struct map globals; /* name → symbol, of those that all units see */
    struct px_unit *unit;
    VEC(struct px_unit *) units;
    const struct source_file *file;
    VEC(struct px_func *) funcs;
    struct ir_value
        *shared_anchor; /* some shared variable: 32-bit shared addresses count from it */
    /* of the function being lowered */
    struct px_func *fn;
    VEC(struct ir_inst *) shared_uses; /* sums that make pointers of 32-bit shared addresses */
    struct ir_builder b;
    struct map scope; /* name → symbol */
    VEC(struct px_undo {
        const char *name;
        struct px_symbol *was;
    })
    undo;
    struct ir_ssa ssa; /* registers */
    VEC(uint32_t) scope_parent;
    uint32_t scope_id;
    VEC(struct px_stmt) body;
    struct map labels; /* scope:name → ir_block */
    struct px_var *carry;
    VEC(struct px_result {
        struct px_var *var;
        struct ir_value *place; /* NULL: it is the function's value */
    })
    results;
    struct span origin; /* of the statements that follow */
    bool lists;         /* parentheses are lists here, not parts of expressions */
    bool failed;        /* this function has an error already */
};

/* lex.c */
bool px_lex(struct ptx *p, const struct source_file *f);
static inline const struct px_token *px_peek(const struct ptx *p)
{
    return &p->tokens[p->at];
}
static inline const struct px_token *px_next(struct ptx *p)
{
    const struct px_token *t = &p->tokens[p->at];
    if (t->kind != PT_END)
        p->at++;
    return t;
}
static inline bool px_is(const struct ptx *p, char c)
{
    return px_peek(p)->kind == PT_PUNCT && px_peek(p)->punct == c;
}
static inline bool px_take(struct ptx *p, char c)
{
    return px_is(p, c) && (px_next(p), true);
}
/* constant.c */
bool px_starts_constant(const struct ptx *p);
bool px_constant(struct ptx *p, uint64_t *bits);
bool px_constant_offset(struct ptx *p, int64_t *offset); /* +8, -4*2, or nothing */
/* parse.c */
bool px_parse(struct ptx *p);
bool px_expect(struct ptx *p, char c);
void px_error(struct ptx *p, struct span at, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
struct px_symbol *px_find(struct ptx *p, const char *name);
ir_type px_ir_type(struct px_type t);
bool px_type_in(struct px_type t, unsigned types); /* of enum px_types */
bool px_body(struct ptx *p);                       /* tokens of a body → p->body */
/* ssa.c */
struct ir_block *px_block(struct ptx *p, const char *name, uint32_t expected);
void px_start(struct ptx *p, struct ir_block *b);
void px_br(struct ptx *p, struct ir_block *to);
void px_condbr(struct ptx *p, struct ir_value *c, struct ir_block *yes, struct ir_block *no);
void px_edge(struct ptx *p, struct ir_inst *term, struct ir_block *to, uint64_t value);
void px_seal(struct ptx *p, struct ir_block *b);
void px_write(struct ptx *p, struct px_var *v, struct ir_value *x);
struct ir_value *px_read(struct ptx *p, struct px_var *v);
struct px_var *px_new_var(struct ptx *p, const char *name, ir_type t);
/* lower.c */
bool px_mod(struct px_stmt *s, const char *name);
struct ir_value *px_bits_as(struct ptx *p, struct ir_value *x,
                            ir_type t); /* same bits; wider sources are cut */
struct ir_value *px_in(struct ptx *p, const struct px_operand *o, ir_type t);
void px_out(struct ptx *p, const struct px_operand *o, struct ir_value *x); /* widens with zeros */
void px_out_signed(struct ptx *p, const struct px_operand *o, struct ir_value *x, bool sign);
struct ir_value *px_int(struct ptx *p, ir_type t, uint64_t v);
struct ir_value *px_space_pointer(struct ptx *p, struct ir_value *address, enum ir_space space);
struct ir_value *px_address(struct ptx *p, const struct px_operand *o, enum ir_space space);
bool px_space_of(struct px_stmt *s, enum ir_space *space);
bool px_refuse(struct ptx *p, const struct px_stmt *s, const char *why);
uint32_t px_order(struct px_stmt *s);
uint32_t px_rounding(struct px_stmt *s);
bool px_needs(struct ptx *p, struct px_stmt *s, uint32_t n);
#define PX_NEEDS(n)                                                                                \
    do {                                                                                           \
        if (!px_needs(p, s, (n)))                                                                  \
            return true;                                                                           \
    } while (0)
/* ops.c */
struct ir_value *px_one_of(struct ptx *p, ir_type t);
struct ir_value *px_saturated(struct ptx *p, struct ir_value *x); /* into [0, 1], NaN to +0 */
struct ir_value *px_relu(struct ptx *p, struct ir_value *x);      /* NaN stays */
ir_type px_half_type(struct px_type t);
struct ir_value *px_half(struct ptx *p, struct ir_value *w, unsigned i, ir_type t);
struct ir_value *px_pair(struct ptx *p, struct ir_value *lo, struct ir_value *hi);
/* convert.c */
struct ir_value *px_fp8_to_halves(struct ptx *p, struct ir_value *bytes, bool e5m2);
/* mbarrier.c */
bool px_mbarrier_copies(struct ptx *p, struct px_stmt *s);
/* runtime.c */
bool px_device_runtime(struct ptx *p, const char *name, const struct px_operand *ret,
                       const struct px_operand *args, uint32_t n); /* false: no such function */
/* reconverge.c */
void px_reconverge(struct arena *a, struct ir_func *f);

/* ---- short words of the handlers ---- */
static inline bool px_is_float(struct px_type t)
{
    return t.letter == 'f' || t.letter == 'h';
}
static inline struct ir_value *px_op1(struct ptx *p, enum ir_op op, struct ir_value *x)
{
    return ir_build1(&p->b, op, x->type, x);
}
static inline struct ir_value *px_op2(struct ptx *p, enum ir_op op, struct ir_value *x,
                                      struct ir_value *y)
{
    return ir_build2(&p->b, op, x->type, x, y);
}
/* A constant of the same type. */
static inline struct ir_value *px_like(struct ptx *p, const struct ir_value *x, uint64_t v)
{
    return px_int(p, x->type, v);
}
static inline struct ir_value *px_pick(struct ptx *p, struct ir_value *c, struct ir_value *x,
                                       struct ir_value *y)
{
    return ir_build3(&p->b, IR_OP_select, x->type, c, x, y);
}

/* A handler lowers one instruction; false: this form is not known. */
struct px_row;
typedef bool px_handler(struct ptx *p, struct px_stmt *s, const struct px_row *row);
struct px_row {
    const char *name;
    px_handler *lower;
    uint16_t s, u,
        f; /* IR ops for signed, unsigned and float types, or what the handler makes of them */
    bool effect; /* under a guard it needs a branch */
    uint8_t types;
};
#define PTX_ROW(name, handler, s, u, f, effect, types) px_handler px_##handler;
#include "front/ptx/ptx_ops.def"

#endif
