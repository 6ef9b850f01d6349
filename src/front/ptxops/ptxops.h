/* PTX instructions: how one is written and what it means, for the two front ends that meet them:
 * modules of PTX (front/ptx) and asm statements of CUDA C++ (front/cuda/lower/asm.c).
 *
 *   lex.c        text to tokens
 *   constant.c   constant expressions among operands
 *   parse.c      statements of a body: registers, labels, instructions with their operands
 *   ssa.c        registers and blocks, as variables of ir/ssa.h
 *   operand.c    operands as values, results, addresses
 *   special.c    special registers
 *   flow.c       labels and branches, guards, the table's rows
 *   ops.c convert.c memory.c warp.c mbarrier.c texture.c video.c matrix.c
 *                a family of instructions each, named by the rows of ptx_ops.def
 *
 * A front end fills in a struct px: where the code goes, whose variables registers are, and a
 * struct px_host for what differs: errors, names from outside the body, calls, returns.
 *
 * Register values are integers of their size or floats, as declared; an instruction reads them as
 * the type it says. Addresses are integers that become pointers where memory is touched. */
#ifndef FRONT_PTXOPS_H
#define FRONT_PTXOPS_H

#include "base/source.h"
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
enum px_letter { PTX_S = 's', PTX_U = 'u', PTX_B = 'b', PTX_F = 'f', PTX_BF = 'h', PTX_P = 'p' };
enum px_types { /* sets of them */
                PX_B16 = 1 << 0,
                PX_B32 = 1 << 1,
                PX_B64 = 1 << 2,
                PX_U16 = 1 << 3,
                PX_U32 = 1 << 4,
                PX_U64 = 1 << 5,
                PX_S16 = 1 << 6,
                PX_S32 = 1 << 7,
                PX_S64 = 1 << 8,
                PX_F32 = 1 << 9,
                PX_F64 = 1 << 10,
                PX_F16 = 1 << 11,
                PX_F16X2 = 1 << 12,
                PX_BF16 = 1 << 13,
                PX_BF16X2 = 1 << 14,
                PX_U16X2 = 1 << 15,
                PX_S16X2 = 1 << 16,
                PX_PRED = 1 << 17,
                PX_ANY = 1 << 18, /* the handler knows */
                PX_BITS = PX_B16 | PX_B32 | PX_B64,
                PX_SIGNED = PX_S16 | PX_S32 | PX_S64,
                PX_NUMBER = PX_U16 | PX_U32 | PX_U64 | PX_SIGNED,
                PX_WIDE = PX_U32 | PX_U64 | PX_S32 | PX_S64,
                PX_INT = PX_BITS | PX_NUMBER,
                PX_FLOAT = PX_F32 | PX_F64,
                PX_HALF = PX_F16 | PX_F16X2 | PX_BF16 | PX_BF16X2,
                PX_PAIR = PX_U16X2 | PX_S16X2,
};
enum px_hints { /* groups of modifiers that change nothing we model */
                PX_UNI = 1,
                PX_SYNC = 2,  /* .sync.aligned */
                PX_CACHE = 4, /* .weak, cache operators, eviction, prefetch sizes */
                PX_NOFTZ = 8,
};
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
    PS_NUMBER,    /* an operand of an asm statement that is a constant */
};
struct px_symbol {
    enum px_symbol_kind kind;
    struct px_var *var;      /* REG, PARAM */
    ir_type type;            /* RANGE */
    uint32_t lanes;          /* RANGE, VECTOR: of vectors; 0: of registers */
    struct px_var **lane;    /* VECTOR */
    uint64_t count;          /* RANGE */
    struct map made;         /* RANGE: name → symbol, of those that were used */
    struct ir_value *memory; /* BYTES, FUNC: the address */
    uint64_t number;         /* NUMBER */
    struct ir_global *global;
    struct px_func *func;   /* front/ptx's own */
    struct px_proto *proto; /* likewise */
    VEC(const char *) targets;
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
    bool cluster; /* its address may lie in another block of the cluster: px_space_of() */
    struct span span;
    struct span origin; /* where its code comes from, if not here; len 0: here */
};

/* ---- the state ---- */
struct px;
struct px_host { /* NULL: there is nothing of the kind */
    void (*error)(struct px *p, struct span at, const char *text);
    struct px_symbol *(*find)(struct px *p, const char *name);   /* names from outside the body */
    struct ir_value *(*special)(struct px *p, const char *name); /* registers; NULL: no such */
    /* A directive in a body, behind its word; and one behind a label. *known: whether it is one. */
    bool (*directive)(struct px *p, const struct px_token *word, bool *known);
    bool (*labelled)(struct px *p, const char *name, bool *known);
    bool (*call)(struct px *p, struct px_stmt *s); /* false: this form is not known */
    void (*ret)(struct px *p);                     /* ends the block */
};

struct px {
    const struct px_host *host;
    void *owner; /* the front end's own state */
    struct arena *a;
    struct ir_module *m;
    struct interner *names;
    const struct px_token *tokens;
    size_t at, ntokens;
    /* of the function */
    struct ir_func *func;
    struct ir_builder b;
    struct ir_ssa *ssa; /* registers are variables of it */
    struct px_var *carry;
    struct map scope; /* name → symbol */
    struct ir_value
        *shared_anchor; /* some shared variable: 32-bit shared addresses count from it */
    VEC(struct ir_inst *) shared_uses; /* sums that make pointers of 32-bit shared addresses */
    /* of the body */
    VEC(struct px_undo {
        const char *name;
        struct px_symbol *was;
    })
    undo;
    VEC(uint32_t) scope_parent;
    uint32_t scope_id;
    VEC(struct px_stmt) body;
    struct map labels;  /* scope:name → ir_block */
    struct span origin; /* of the statements that follow */
    bool lists;         /* parentheses are lists here, not parts of expressions */
    bool failed;        /* there is an error already */
    /* An asm statement: %0, %[name] and %%r are registers; threads that part in it meet in it; and
     * a register that was never written is zero from the statement on, not from the function's
     * start. */
    bool in_asm;
};

/* ---- for the front ends ---- */
/* lex.c: of text that a zero ends. The first character stands at `base`. */
bool px_lex(struct px *p, const char *text, size_t len, source_loc base);
/* parse.c */
void px_begin(struct px *p, struct ir_func *f, struct ir_ssa *ssa); /* a function */
bool px_body(struct px *p, bool braces); /* tokens of a body, in braces or to the end → p->body */
/* flow.c: p->body to IR, at p->b; false: an error was reported. */
bool px_lower(struct px *p);
/* operand.c: once all registers of the function are values. */
void px_rebase_shared(struct px *p);

static inline const struct px_token *px_peek(const struct px *p)
{
    return &p->tokens[p->at];
}
static inline const struct px_token *px_next(struct px *p)
{
    const struct px_token *t = &p->tokens[p->at];
    if (t->kind != PT_END)
        p->at++;
    return t;
}
static inline bool px_is(const struct px *p, char c)
{
    return px_peek(p)->kind == PT_PUNCT && px_peek(p)->punct == c;
}
static inline bool px_take(struct px *p, char c)
{
    return px_is(p, c) && (px_next(p), true);
}
/* constant.c */
bool px_starts_constant(const struct px *p);
bool px_constant(struct px *p, uint64_t *bits);
bool px_constant_offset(struct px *p, int64_t *offset); /* +8, -4*2, or nothing */
/* parse.c */
void px_error(struct px *p, struct span at, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
bool px_expect(struct px *p, char c);
bool px_is_word(const struct px *p, const char *w);
bool px_take_word(struct px *p, const char *w);
const char *px_name(struct px *p);
bool px_integer(struct px *p, uint64_t *v);
struct px_symbol *px_find(struct px *p, const char *name);
void px_declare(struct px *p, const char *name, struct px_symbol *s);
struct px_symbol *px_symbol(struct px *p, enum px_symbol_kind k);
struct px_symbol *px_new_register(struct px *p, const char *name, ir_type t, uint32_t lanes);
struct px_type px_type(const char *word); /* without its dot */
ir_type px_ir_type(struct px_type t);
ir_type px_register_type(struct px_type t);
bool px_type_in(struct px_type t, unsigned types); /* of enum px_types */
/* ssa.c */
struct ir_block *px_block(struct px *p, const char *name, uint32_t expected);
void px_start(struct px *p, struct ir_block *b);
void px_br(struct px *p, struct ir_block *to);
void px_condbr(struct px *p, struct ir_value *c, struct ir_block *yes, struct ir_block *no);
void px_edge(struct px *p, struct ir_inst *term, struct ir_block *to, uint64_t value);
void px_seal(struct px *p, struct ir_block *b);
void px_write(struct px *p, struct px_var *v, struct ir_value *x);
struct ir_value *px_read(struct px *p, struct px_var *v);
struct px_var *px_new_var(struct px *p, const char *name, ir_type t);
/* operand.c */
struct ir_value *px_bits_as(struct px *p, struct ir_value *x,
                            ir_type t); /* same bits; wider sources are cut */
struct ir_value *px_in(struct px *p, const struct px_operand *o, ir_type t);
void px_out(struct px *p, const struct px_operand *o, struct ir_value *x); /* widens with zeros */
void px_out_signed(struct px *p, const struct px_operand *o, struct ir_value *x, bool sign);
struct ir_value *px_int(struct px *p, ir_type t, uint64_t v);
struct ir_value *px_space_pointer(struct px *p, struct ir_value *address, enum ir_space space);
bool px_refuse(struct px *p, const struct px_stmt *s, const char *why);

/* ---- short words ---- */
static inline bool px_is_float(struct px_type t)
{
    return t.letter == 'f' || t.letter == 'h';
}
struct ir_value *px_op1(struct px *p, enum ir_op op, struct ir_value *x);
struct ir_value *px_op2(struct px *p, enum ir_op op, struct ir_value *x, struct ir_value *y);
struct ir_value *px_like(struct px *p, const struct ir_value *x,
                         uint64_t v); /* a constant of the same type */
struct ir_value *px_pick(struct px *p, struct ir_value *c, struct ir_value *x, struct ir_value *y);

#endif
