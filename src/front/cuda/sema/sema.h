/* What the files of the CUDA front end share: the parser's state and each file's functions. */
#ifndef FRONT_CUDA_CUDA_INT_H
#define FRONT_CUDA_CUDA_INT_H

#include <string.h>
#include "front/cuda/sema/ast.h"
#include "front/cuda/cuda.h"
#include "ir/ir.h"

#define CU_KEYWORDS(X)                                                                                       \
    X(alignas) X(alignof) X(asm) X(auto) X(bool) X(break) X(case) X(catch) X(char) X(char8_t)      \
    X(char16_t) X(char32_t) X(class) X(concept) X(const) X(const_cast) X(consteval) X(constexpr)   \
    X(constinit) X(continue) X(co_await) X(co_return) X(co_yield) X(decltype) X(default)           \
    X(delete) X(do) X(double) X(dynamic_cast) X(else) X(enum) X(explicit) X(export) X(extern)      \
    X(false) X(float) X(for) X(friend) X(goto) X(if) X(inline) X(int) X(long) X(mutable)           \
    X(namespace) X(new) X(noexcept) X(nullptr) X(operator) X(private) X(protected) X(public)       \
    X(register) X(reinterpret_cast) X(requires) X(return) X(short) X(signed) X(sizeof) X(static)   \
    X(static_assert) X(static_cast) X(struct) X(switch) X(template) X(this) X(thread_local)        \
    X(throw) X(true) X(try) X(typedef) X(typeid) X(typename) X(union) X(unsigned) X(using)         \
    X(virtual) X(void) X(volatile) X(wchar_t) X(while)                                             \
    X(__attribute__) X(__declspec) X(__asm__) X(__asm) X(__volatile__) X(__const) X(__const__) X(__inline__)    \
    X(__inline) X(__forceinline__) X(__noinline__) X(__restrict__) X(__restrict) X(restrict)       \
    X(__global__) X(__device__) X(__host__) X(__shared__) X(__constant__) X(__managed__)           \
    X(__launch_bounds__) X(__maxnreg__) X(__cluster_dims__) X(__block_size__)                      \
    X(__grid_constant__) X(__align__) X(__device_builtin__) X(__cudart_builtin__)                  \
    X(__builtin_align__) X(__extension__) X(__typeof__) X(typeof) X(__signed__) X(__volatile)      \
    X(__alignof) X(__alignof__) X(_Alignof) X(_Static_assert) X(__int128) X(__func__)              \
    X(__FUNCTION__) X(__PRETTY_FUNCTION__) X(__tern_f16) X(__tern_bf16) X(__builtin_offsetof)                      \
    X(__builtin_types_compatible_p) X(__thread) X(_Bool) X(__nv_pure__) X(_Noreturn)       \
    X(__underlying_type) X(__tern_int_seq)

enum keyword {
    KW_NONE,
#define X(name) KW_##name,
    CU_KEYWORDS(X)
#undef X
        KW_COUNT
};

enum {
    CU_MAX_NESTING = 256, /* in the source */
/* And through the templates that are instantiated meanwhile: about a kilobyte of stack each, of
 * which a page has two thousand. Tests of CCCL's come to 1,817. */
#ifdef __wasm__
    CU_MAX_NESTING_IN_ALL = 1500,
#else
    CU_MAX_NESTING_IN_ALL = 2400,
#endif
    CU_MAX_CHAIN = 2000, /* a + b + c … */
    CU_MAX_INSTANTIATIONS = 900,
    CU_MAX_INSIDE = 1000, /* classes in classes, as members or bases; pointers to pointers */
    CU_MAX_ARGS = 4096
};

struct try_point;

struct caught {
    bool set;
    struct span span;
    const char *message;
    struct span note_at;
    const char *note;
    struct inst_note *inst;
    /* A name that is not known, or that is poisoned; of the first kind, which, and where from. */
    bool unknown;
    const char *undeclared;
    struct scope *in, *from;
};

struct pack_change {
    uint32_t pos;
    uint8_t pack; /* from here on; 0: natural alignment */
};

struct front {
    struct arena *a;
    struct interner *names;
    struct source_map *sm;
    struct diag *diag;
    struct front_job *job;

    const struct token *toks;
    size_t ntoks;
    uint32_t *match;               /* for each bracket the token of its partner; 0 none */
    VEC(struct pack_change) packs; /* #pragma pack, in order */
    uint8_t *kws;                  /* keyword of each identifier */
    bool *no_ellipsis;             /* no `...` follows before the list closes, as far as known */
    size_t pos;
    bool split;      /* pos is at the second half of `>>` (or third part of `>>>`) */
    uint8_t split_n; /* how many `>` of the token at pos are used up */

    struct scope *global, *scope;
    struct scope *std;                 /* namespace std, or NULL */
    const char *op_names[OPN_LITERAL]; /* names of operators that were met */
    bool catches;                      /* there is the word try */
    bool noexcept_types;               /* noexcept is part of a function's type: since C++17 */
    bool punned;                       /* a type may alias others: an attribute says so */
    struct func *func;                 /* whose body is being parsed */
    struct class_info *cls;            /* innermost class being parsed or whose member is */
    unsigned nesting, unevaluated;
    unsigned nest_base; /* the nesting that what is being parsed began at */
    unsigned pattern;   /* inside a template's pattern: dependent things are allowed */
    struct template_info
        *deducing;        /* class template whose constructors' parameters are looked at */
    struct type *deduced; /* what its own name means there */
    size_t requests_at;   /* where the tokens of name expressions start; 0: there are none */
    unsigned no_gt;       /* `>` ends the expression (template arguments) */
    unsigned quiet;       /* errors are caught, not shown */
    struct caught caught;
    struct targ conflict[2]; /* what a template parameter was last found to be, and also */
    unsigned doubts;         /* answers that may be wrong as parts of host code were left out */
    struct try_point *try_top;
    struct inst_note *inst;
    unsigned in_constexpr; /* steps of constant evaluation are being taken */

    /* pack expansion: the element being parsed, or none; packs met while probing */
    bool expanding, probing;
    size_t pack_index;
    VEC(struct decl *) packs_seen;
    bool last_expansion;           /* the element just parsed in a pattern was followed by `...` */
    unsigned auto_next, auto_seen; /* `auto` parameters of the list being parsed */
    size_t auto_list;              /* the token it starts at: lists may be inside of one another */
    bool auto_pack;

    struct stmt *loop, *switch_; /* innermost, while parsing a body */
    struct type *return_type;    /* deduced so far for auto */
    bool extern_c, extern_one;
    bool shared_seen; /* some variable is in shared memory */
    struct map raced; /* where a race was warned of */
    uint8_t default_where;
    struct span call_at;  /* the call whose default argument is read; loc 0: none is */
    struct func *call_in; /* the function that it stands in */

    /* unique types */
    struct type *basic[TY_COUNT];
    struct map derived; /* interned key → type */
    struct map objects; /* template arguments: interned name → var */
    struct type *size_type, *ptrdiff_type, *char_const;
    struct type *error_type;

    struct map builtins; /* interned name → index + 1 */
    VEC(const struct cu_builtin *) builtin_list;
    VEC(struct func *) work; /* functions to be lowered */
    VEC(struct func *) kernels;
    VEC(struct func *) specialised;   /* written for some arguments of a template */
    VEC(struct var *) variables;      /* device variables in order of declaration */
    VEC(struct var *) host_variables; /* the host half: its own, in that order */
    unsigned unnamed, block_counter;
    uint64_t ce_steps;
    struct ce *ce;
    struct run *free_run;
    size_t body_stop;

    const char *names_kw[KW_COUNT];
    const char *n_std, *n_this, *n_operator, *n_main, *n_unnamed, *n_initializer_list, *n_begin,
        *n_end, *n_size, *n_data, *n_get, *n_tuple_size, *n_tuple_element, *n_type, *n_value,
        *n_builtin, *n_override, *n_final, *n_ctor, *n_dtor, *n_assign, *n_cuda, *n_printf,
        *n_assertfail, *n_align_val, *n_anon;
};

/* Is this the host half, which lower/host.h compiles? Pages that run kernels only
 * go without it. */
static inline bool cu_host(const struct front *f)
{
#if defined(TERN_SMALL) && !defined(TERN_WHOLE)
    (void)f;
    return false;
#else
    return f->job->pp.host;
#endif
}

/* ---- error.c: errors unwind to the innermost cu_try ---- */
_Noreturn void cu_error(struct front *f, struct span at, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* As cu_error with one note that points elsewhere. */
_Noreturn void cu_error_note(struct front *f, struct span at, struct span note_at, const char *note,
                             const char *fmt, ...) __attribute__((format(printf, 5, 6)));
_Noreturn void cu_unwind(struct front *f); /* after a report */
void cu_report(struct front *f, struct span at, const char *fmt, ...)
    __attribute__((format(printf, 3, 4))); /* shows (or catches) without unwinding */
void cu_warn(struct front *f, const char *flag, struct span at, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
void cu_note(struct front *f, struct span at, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void cu_show_caught(struct front *f); /* what was caught quietly, for real */
/* Calls fn; false if an error unwound out of it, with the parser's state (all but pos) restored. */
bool cu_try(struct front *f, void (*fn)(struct front *, void *), void *arg);
/* As cu_try, but nothing is shown: what went wrong is in f->caught. pos is restored on failure. */
bool cu_try_quietly(struct front *f, void (*fn)(struct front *, void *), void *arg);
struct parse_state {
    size_t pos;
    bool split, expanding, probing, extern_c;
    uint8_t split_n;
    struct scope *scope;
    struct func *func;
    struct class_info *cls;
    unsigned nesting, nest_base, unevaluated, pattern, no_gt, quiet;
    struct inst_note *inst;
    size_t pack_index;
    struct stmt *loop, *switch_;
    struct type *return_type;
    struct template_info *deducing;
    struct type *deduced;
    uint8_t default_where;
    struct span call_at;
    struct func *call_in;
};
const char *cu_quoted(struct front *f, const char *what, const char *name);
void cu_save(const struct front *f, struct parse_state *s);
void cu_restore(struct front *f, const struct parse_state *s);
/* A clean state for parsing something elsewhere, as a body or an instantiation. */
void cu_enter(struct front *f, struct parse_state *s, size_t pos, struct scope *scope);
/* A note for errors from here on: type, or name<args>, is being instantiated. */
void cu_push_inst(struct front *f, struct span at, const char *what, struct type *type,
                  const char *name, const struct targ *args, size_t nargs);

/* ---- tokens (parse.c) ---- */
bool cu_tokens_init(struct front *f);
/* What #pragma pack says at a token: the largest alignment of a member, or 0. */
uint32_t cu_pack_at(struct front *f, size_t pos);
static inline const struct token *cu_tok(const struct front *f)
{
    return &f->toks[f->pos];
}
static inline struct span cu_span(const struct front *f)
{
    return f->toks[f->pos].span;
}
static inline enum keyword cu_kw(const struct front *f)
{
    return (enum keyword)f->kws[f->pos];
}
static inline bool cu_is_kw(const struct front *f, enum keyword k)
{
    return f->kws[f->pos] == (uint8_t)k;
}
bool cu_is(const struct front *f, enum punct p);
bool cu_peek_is(const struct front *f, size_t n, enum punct p);
bool cu_is_name(const struct front *f); /* an identifier that is not a keyword */
void cu_next(struct front *f);
bool cu_accept(struct front *f, enum punct p);
bool cu_accept_kw(struct front *f, enum keyword k);
void cu_expect(struct front *f, enum punct p, const char *where);
void cu_expect_gt(struct front *f); /* closes a template list, splitting `>>` */
bool cu_at_gt(const struct front *f);
bool cu_accept_gt(struct front *f);
const char *cu_expect_name(struct front *f, const char *what);
size_t cu_close(struct front *f, size_t open); /* token of the partner of the bracket at `open` */
struct span cu_span_from(const struct front *f,
                         size_t from); /* from that token to the last one read */
const char *cu_tok_text(struct front *f, const struct token *t);
void cu_skip_attributes(struct front *f);
void cu_nest(struct front *f, struct span at);      /* counts nesting; error when too deep */
bool cu_opens_list(struct front *f, size_t pos);    /* `<` at pos: a list, not a comparison? */
size_t cu_skip_angles(struct front *f, size_t pos); /* token after the `>` matching `<` at pos */
void cu_skip_list(struct front *f);                 /* at `<`: past its `>`, splitting `>>` */
/* Leaves an initialiser for later: to the next `,`, `end` or `}` at this level. */
void cu_skip_item(struct front *f, enum punct end);

/* ---- type.c ---- */
void cu_types_init(struct front *f);
struct type *cu_type(struct front *f, enum type_kind k);
ir_type cu_ir_type(struct type *t); /* of a scalar; references and pointers are ptr.generic */
/* A number as the bits of a float type, rounded to nearest; and back. */
uint64_t cu_float_bits(ir_type t, double d);
double cu_float_of(ir_type t, uint64_t bits);
struct type *cu_qualified(struct front *f, struct type *t, unsigned quals);  /* adds */
struct type *cu_with_quals(struct front *f, struct type *t, unsigned quals); /* exactly */
struct type *cu_pointer_to(struct front *f, struct type *t);
struct type *cu_lref_to(struct front *f, struct type *t);
struct type *cu_rref_to(struct front *f, struct type *t);
struct type *cu_array_of(struct front *f, struct type *t, uint64_t count);
struct type *cu_array_of_param(struct front *f, struct type *t, struct template_info *owner,
                               unsigned i);
struct type *cu_func_type(struct front *f, struct type *result, struct type **params, size_t n,
                          bool variadic, unsigned quals, enum ref_qual ref);
/* The same function type with another noexcept; owner, index: of a parameter. */
struct type *cu_noexcept_type(struct front *f, struct type *t, enum func_noexcept promise,
                              struct template_info *owner, unsigned index);
struct type *cu_may_throw(struct front *f, struct type *t); /* without its noexcept */
struct type *cu_memptr_to(struct front *f, struct type *cls, struct type *member);
struct type *cu_param_type(struct front *f, struct template_info *owner, unsigned index);
struct type *cu_template_id(struct front *f, struct template_info *t, struct targ *args, size_t n);
struct type *cu_pack_type(struct front *f, struct type *pattern);
struct type *cu_class_type(struct front *f, struct class_info *c);
struct type *cu_enum_type(struct front *f, struct enum_info *e);
const char *cu_type_str(struct front *f, const struct type *t);
void cu_put_function_marks(struct sbuf *b, const struct type *t); /* const & noexcept */
const char *cu_targs_str(struct front *f, const struct targ *args, size_t n);
void cu_type_key(struct sbuf *b, const struct type *t);
const char *cu_targs_key(struct front *f, const struct targ *args, size_t n);
bool cu_targ_same(struct front *f, const struct targ *a, const struct targ *b);
bool cu_targs_dependent(const struct targ *args, size_t n);

static inline bool cu_is_ref(const struct type *t)
{
    return t->kind == TY_LREF || t->kind == TY_RREF;
}
static inline struct type *cu_noref(struct type *t)
{
    return cu_is_ref(t) ? t->elem : t;
}
static inline bool cu_is_class(const struct type *t)
{
    return t->kind == TY_CLASS;
}
static inline bool cu_is_dep(const struct type *t)
{
    return t->dependent;
}
bool cu_is_integer(const struct type *t);  /* bool and characters too; not enums */
bool cu_is_integral(const struct type *t); /* and unscoped enums */
bool cu_is_float(const struct type *t);
bool cu_is_arith(const struct type *t);
bool cu_is_scalar(const struct type *t);
bool cu_is_signed(const struct type *t);
bool cu_is_unscoped_enum(const struct type *t);
bool cu_is_object_pointer(const struct type *t);
unsigned cu_bits(const struct type *t); /* of an integer, enum or float type */
struct type *cu_promoted(struct front *f, struct type *t);
struct type *cu_usual(struct front *f, struct type *a, struct type *b);
struct type *cu_decayed(struct front *f, struct type *t);
struct type *cu_underlying(struct type *t); /* of an enum; others: itself */

/* ---- check.c ---- */
void cu_check_shared(struct front *f, struct func *fn); /* warns of reads that need a barrier */
void cu_check_jumps(struct front *f, struct func *fn);  /* refuses those past an initialisation */
bool cu_falls_through(const struct stmt *s);            /* control may reach its end */

/* ---- layout.c ---- */
uint64_t cu_sizeof(struct front *f, struct type *t, struct span at);
uint32_t cu_alignof(struct front *f, struct type *t, struct span at);
void cu_layout(struct front *f, struct class_info *c, struct span at);
bool cu_trivially_copyable(struct front *f, struct type *t);
bool cu_trivial_dtor(struct front *f, struct type *t);
bool cu_trivial_copy(struct front *f, struct class_info *c, bool move);
bool cu_trivial_assign(struct front *f, struct class_info *c, bool move);
bool cu_copies_somehow(struct front *f, struct class_info *c); /* not all of it is deleted */
bool cu_trivial_default(struct front *f, struct type *t);
bool cu_is_aggregate(struct front *f, struct type *t);
bool cu_is_empty_class(struct front *f, struct type *t);
/* Bytes that are t's alone: in the rest of its size, members of a class derived from it may lie. */
uint64_t cu_own_size(struct front *f, struct type *t, struct span at);
/* A class, or an array of or reference to one, whose members are not all known. */
bool cu_is_partial(const struct type *t);
bool cu_is_polymorphic(struct front *f, struct type *t);
bool cu_is_standard_layout(struct front *f, struct type *t);
/* How much further in an object of `to` lies what is a member of `from`, where one is a base of the
 * other. */
int64_t cu_memptr_shift(struct front *f, struct class_info *from, struct class_info *to,
                        struct span at);
/* The path from a class to a base: offset, or false. */
bool cu_find_base(struct class_info *derived, struct class_info *base, struct base_path *path,
                  bool *ambiguous);
/* All virtual bases of c as they are made, those of a base before it; NULL ends the list. */
struct class_info **cu_virtual_order(struct front *f, const struct class_info *c);
uint64_t cu_virtual_offset(const struct class_info *whole, const struct class_info *base);
bool cu_holds_nothing(const struct class_info *c);
struct func *cu_implicit_dtor(struct front *f, struct class_info *c);
bool cu_derives(struct front *f, struct type *derived, struct type *base);

/* ---- scope.c ---- */
struct scope *cu_scope_new(struct front *f, enum scope_kind k, struct scope *parent);
void cu_declare(struct front *f, struct scope *s, struct decl *d);
struct decl *cu_decl_new(struct front *f, enum decl_kind k, const char *name, struct span at);
void *cu_decl_alloc(struct front *f, size_t size, enum decl_kind k, const char *name,
                    struct span at);
struct decl *cu_find_local(struct front *f, struct scope *s,
                           const char *name); /* newest, or NULL */
struct found {
    struct decl **decls; /* functions and templates: all of them; else one */
    size_t n, cap;
    struct scope *scope;    /* where they were found */
    struct class_info *cls; /* found as a member of */
    bool ambiguous;
};
bool cu_lookup(struct front *f, const char *name, struct found *out);
bool cu_lookup_in(struct front *f, struct scope *s, const char *name, struct found *out);
bool cu_lookup_member(struct front *f, struct class_info *c, const char *name, struct found *out);
void cu_lookup_adl(struct front *f, const char *name, struct expr **args, size_t n,
                   struct found *out);
struct decl *cu_strip_using(struct decl *d);
_Noreturn void cu_undeclared(struct front *f, const char *name, struct span at, struct scope *in);
/* What there is to say about an undeclared name: a header that is not read, a name much like it. */
struct hint {
    const char *message, *note;
    struct span note_at;
};
struct hint cu_undeclared_hint(struct front *f, const char *name, struct scope *in,
                               struct scope *from);
const char *cu_caught_reason(struct front *f); /* of what was caught, for a poisoned name */
_Noreturn void cu_poisoned(struct front *f, struct decl *d, struct span at);
const char *cu_qualified_name(struct front *f, const struct decl *d);
struct scope *cu_enclosing_namespace(struct scope *s);
bool cu_found_is_type(const struct found *r);
void cu_check_access(struct front *f, struct decl *d, struct class_info *naming, struct span at);
void cu_check_base(struct front *f, struct class_info *c, struct class_info *base, struct span at);

/* ---- declarator.c ---- */
struct declspec {
    struct type *type;
    struct span span;
    size_t first; /* its first token */
    bool is_typedef, is_extern, is_static, is_inline, is_constexpr, is_friend, is_virtual,
        is_explicit, is_mutable, is_register, is_thread_local, is_auto, no_type, is_constinit;
    uint8_t where;
    enum memory_space space;
    bool has_space, shared_and_device, forceinline, noinline, restrict_, noreturn, nodiscard,
        maybe_unused, grid_constant, packed, weak, is_consteval, no_unique_address;
    uint32_t max_threads, min_blocks, max_cluster;
    uint32_t cluster[3]; /* __cluster_dims__; 0: none */
    uint32_t align;
    size_t constraint_pos; /* of `Concept auto`: token of the concept */
    struct decl *tag;      /* class or enum named or defined here */
    bool defines_tag;
    bool extern_c, extern_one;
    struct var *first_auto; /* the first declarator whose type is deduced */
};

enum name_kind {
    NAME_NONE,
    NAME_IDENT,
    NAME_OPERATOR,
    NAME_CONVERSION,
    NAME_DTOR,
    NAME_CTOR,
    NAME_GUIDE
};

enum { CU_RUNTIME_SIZES = 4 };
struct declarator {
    enum name_kind kind;
    const char *name;
    struct span span;
    size_t pos;              /* token of the name */
    struct scope *qualifier; /* namespace or class named before it, or NULL */
    struct class_info *qualifier_class;
    unsigned op;
    struct type *type;
    struct param *params;
    size_t nparams;
    struct empty_pack *empty_packs;
    struct scope *params_scope;
    size_t params_pos; /* the token the list of parameters starts at */
    bool is_func;      /* the declarator itself is a function declarator */
    bool has_targs;
    struct targ *targs;
    size_t ntargs;
    bool restrict_, is_pack, is_noexcept, is_override, is_final;
    bool ambiguous_init; /* `T x(…)` taken as an initialiser */
    uint32_t align;
    size_t requires_pos; /* token after the `requires` behind it; 0 none */
    size_t noexcept_pos; /* token of the condition in noexcept(…); 0 none */
    bool unsatisfied;    /* … and what it asks for is not so */
    /* an array of `type` in these sizes, of which one or more are not constant; the outermost first
     */
    struct expr *bounds[CU_RUNTIME_SIZES];
    size_t nbounds;
};
bool cu_at_type(struct front *f); /* does a type start here? */
bool cu_at_decl(struct front *f); /* does a declaration start here (statement context)? */
void cu_parse_declspec(struct front *f, struct declspec *ds, unsigned flags);
enum {
    DS_MEMBER = 1,
    DS_TYPE_ONLY = 2,
    DS_PARAM = 4,
    DS_TEMPLATE_PARAM = 8,
    DS_NO_DEFINE = 16,
    DS_COND = 32
};
enum {
    DR_ABSTRACT = 1,
    DR_NAMED = 2,
    DR_PARAM = 4,
    DR_MEMBER = 8,
    DR_NEW = 16,
    DR_CONVERSION = 32,
    DR_LOCAL = 64,
    DR_NO_FUNC = 128
};
void cu_parse_declarator(struct front *f, struct declspec *ds, struct declarator *d,
                         unsigned flags);
struct type *cu_parse_type_id(struct front *f);
struct type *cu_parse_type_specifiers(struct front *f);
void cu_parse_params(struct front *f, struct declarator *d); /* after `(`, through `)` */
struct type *cu_parse_decltype(struct front *f);
struct type *cu_adjust_param(struct front *f, struct type *t);
/* A possibly qualified name. */
struct qname {
    const char *name; /* identifier, or NULL for operators */
    struct span span;
    size_t pos;
    enum name_kind kind;
    unsigned op;
    struct type *conversion;
    struct scope *scope;     /* qualifier, or NULL */
    struct type *type_scope; /* qualifier that is a class or enum type */
    bool global;             /* leading :: */
    bool dependent;          /* qualifier is dependent */
    bool has_targs;
    struct targ *targs;
    size_t ntargs;
    bool is_dtor;
    bool template_kw;
};
enum { QN_DECLARATOR = 1, QN_EXPR = 2, QN_TYPE = 4, QN_MEMBER = 8 };
const char *cu_operator_name(struct front *f, unsigned op);
void cu_parse_qname(struct front *f, struct qname *q, unsigned flags);
bool cu_parse_qualifier(struct front *f, struct qname *q, unsigned flags);
struct type *cu_type_from_qname(struct front *f, struct qname *q, bool required);
bool cu_lookup_qname(struct front *f, struct qname *q, struct found *out);

/* ---- attr.c ---- */
bool cu_parse_attributes(struct front *f, struct declspec *ds); /* any number; true if some */

/* ---- decl.c ---- */
void cu_parse_unit(struct front *f);
void cu_parse_template(struct front *f, struct scope *s, struct class_info *cls,
                       enum access access);
void cu_parse_using(struct front *f, struct scope *s, enum access access);
void cu_parse_namespace_alias(struct front *f, struct scope *s); /* behind `namespace` */
void cu_parse_static_assert(struct front *f);
bool cu_is_static_assert(const struct front *f, size_t pos);
struct func *cu_declare_func(struct front *f, struct scope *s, struct declspec *ds,
                             struct declarator *d, struct class_info *cls, size_t head);
/* At `;`, `{`, `= 0`, `= default` …; true when the declaration ends with it. */
bool cu_finish_func(struct front *f, struct func *fn);
/* A function with `auto` parameters is a template: true if it was one and has been declared. */
bool cu_auto_template(struct front *f, struct scope *s, struct declarator *d,
                      struct class_info *cls, size_t head);
/* What was declared in s behind last, if doubts came up since. */
void cu_mark_doubtful(struct front *f, struct scope *s, struct decl *last, unsigned doubts);
void cu_poison(struct front *f, struct scope *s, const char *name, struct span at, const char *why);
/* texture<…> and surface<…>: references that the host binds and kernels read. */
bool cu_is_texture_reference(const struct type *t);
/* Where a variable of a namespace or class lives, by what its declaration says. */
enum memory_space cu_var_space(const struct front *f, const struct declspec *ds);
void cu_skip_declaration(struct front *f, size_t from);
struct type *cu_parse_enum(struct front *f, struct declspec *ds);
void cu_use_func(struct front *f, struct func *fn, struct span at); /* device code calls it */
void cu_use_var(struct front *f, struct var *v, struct span at);
void cu_complete_var(struct front *f, struct var *v); /* parse a lazily kept initialiser */
struct func *cu_new_func(struct front *f, const char *name, struct span at);
bool cu_in_device(const struct front *f);

/* ---- class.c ---- */
struct type *cu_parse_class(struct front *f, struct declspec *ds, unsigned flags);
void cu_parse_class_definition(struct front *f, struct class_info *c); /* at the class key */
void cu_add_field(struct class_info *c, struct field *fd);
void cu_parse_friend_template(struct front *f, struct class_info *c);
void cu_complete(struct front *f, struct type *t, struct span at); /* error if it cannot be */
bool cu_try_complete(struct front *f, struct type *t);
struct class_info *cu_class_new(struct front *f, const char *name, struct span at,
                                struct scope *outer);
void cu_implicit_equality(struct front *f, struct class_info *c); /* == beside a defaulted <=> */
void cu_implicit_members(struct front *f, struct class_info *c);
struct func *cu_find_dtor(struct front *f, struct class_info *c);
void cu_class_ctors(struct front *f, struct class_info *c, struct found *out);
struct func *cu_inherited_ctor(struct front *f, struct class_info *c, struct func *b);
void cu_inherit_ctors(struct front *f, struct class_info *c, struct class_info *base);
void cu_parse_mem_inits(struct front *f, struct func *fn);
void cu_default_body(struct front *f, struct func *fn);
bool cu_overrides(struct front *f, struct func *a, struct func *b);

/* ---- template.c, deduce.c, ctad.c ---- */
void cu_parse_targs(struct front *f, struct template_info *t, struct targ **out,
                    size_t *n); /* after `<` */
struct type *cu_instantiate_class(struct front *f, struct template_info *t, struct targ *args,
                                  size_t n, struct span at);
void cu_class_instance_body(struct front *f, struct class_info *c);
struct var *cu_instantiate_var(struct front *f, struct template_info *t, struct targ *args,
                               size_t n, struct span at);
/* NULL if substitution fails; why is in f->caught. */
struct func *cu_instantiate_func(struct front *f, struct template_info *t, struct targ *args,
                                 size_t n, struct span at);
struct type *cu_template_type(struct front *f, struct template_info *t, struct targ *args, size_t n,
                              struct span at); /* class or alias */
/* Completes args with defaults; false when some are missing. */
bool cu_bind_params(struct front *f, struct template_info *t, struct targ *args, size_t n,
                    bool partial, struct scope **scope, struct targ **full, size_t *nfull,
                    struct span at);
struct func *cu_pattern(struct front *f, struct template_info *t);
/* One function template, declared twice (same.c). */
bool cu_same_template(struct front *f, struct template_info *a, struct template_info *b);
/* Where default arguments of the function template t stand: s binds its parameters to args, by the
 * names of the declaration that has the defaults. */
struct scope *cu_defaults_scope(struct front *f, const struct template_info *t, struct scope *s,
                                const struct targ *args);
void cu_parse_tparams(struct front *f, struct template_info *t); /* after `<`, through `>` */
void cu_more_tparams(struct front *f, struct template_info *t);  /* … of one more header */
/* Of a guide that a class implies; args: of the guide's parameters, NULL for its pattern. */
struct func *cu_guide_signature(struct front *f, struct template_info *g, struct targ *args,
                                struct span at);
/* The aliases of its class that a guide names, into its scope. */
void cu_declare_own_types(struct front *f, struct template_info *g, struct scope *s);
bool cu_deduce_call(struct front *f, struct template_info *t, struct targ *explicit_args,
                    size_t nexplicit, struct expr **args, size_t nargs, struct expr *object,
                    struct targ **out, size_t *nout);
bool cu_deduce_type(struct front *f, struct template_info *t, struct targ *explicit_args,
                    size_t nexplicit, struct type *pattern, struct type *actual, struct targ **out,
                    size_t *nout);
bool cu_deduce_targs(struct front *f, struct template_info *t, struct targ *p, size_t np,
                     struct targ *a, size_t na, struct targ *out);
int cu_more_special(struct front *f, struct template_info *a, struct template_info *b,
                    size_t nargs);
bool cu_partial_more_special(struct front *f, struct partial_spec *a, struct partial_spec *b);
struct type *cu_deduce_auto(struct front *f, struct type *pattern, struct expr *init,
                            struct span at);
void cu_note_auto(struct declspec *ds, struct var *v); /* before its type is deduced */
void cu_same_auto(struct front *f,
                  struct var *v); /* once the types of it and its first are known */
bool cu_has_auto(const struct type *t);
struct type *cu_deduce_class(struct front *f, struct template_info *t, struct expr **args, size_t n,
                             bool braced, struct span at);
bool cu_find_member_def(struct front *f, struct func *fn);
/* Nested classes and class templates whose definition stands outside of the class template. */
bool cu_define_nested_class(struct front *f, struct class_info *c);
bool cu_define_nested_template(struct front *f, struct template_info *t);
void cu_parse_requires_clause(struct front *f, struct template_info *t); /* of its header */
struct targ cu_object_targ(struct front *f, struct expr *e, struct type *t);
struct targ cu_string_targ(struct front *f, struct expr *e);
static inline bool cu_in_request(const struct front *f, size_t pos)
{
    return f->requests_at && pos >= f->requests_at;
}
const uint8_t *cu_object_bytes(struct front *f, struct var *v);
struct cu_part { /* of an object: a base, member or element */
    struct type *type;
    uint64_t at;
    const struct field *bits; /* a bit-field */
};
/* In order, without those at the end that are zero. */
const struct cu_part *cu_parts(struct front *f, struct type *t, const uint8_t *bytes, size_t *n);
int64_t cu_part_bits(const struct cu_part *p, const uint8_t *bytes);
void cu_put_members(struct front *f, struct sbuf *b, struct type *t, const uint8_t *bytes);
bool cu_parse_guide(struct front *f); /* a deduction guide that is no template */
void cu_instantiate_member_var(struct front *f, struct var *v, struct class_info *c);
struct targ cu_targ_type(struct type *t);
struct targ cu_targ_int(struct type *t, int64_t v);
struct expr *cu_targ_expr(struct front *f, const struct targ *a, struct span at);
void cu_bind_one(struct front *f, struct scope *s, const struct tparam *p, const struct targ *a);
/* Parses one element of a list; as many as its packs have when `...` follows. See pack.c. */
struct elements {
    void **data;
    size_t len, cap;
};
typedef void *cu_element_fn(struct front *f, void *arg);
/* True: a pattern was expanded in a pattern, so that the one element stands for any number. */
bool cu_expand_each(struct front *f, cu_element_fn *parse, void *arg, struct elements *out);
void cu_auto_params(struct front *f, struct template_info *t, struct declarator *d);
struct decl *cu_pack_element(struct front *f, struct decl *pack,
                             struct span at); /* NULL: dependent */
struct expr *cu_parse_fold(struct front *f);  /* at `(`; NULL: not a fold */

/* ---- concept.c ---- */
size_t cu_requires_end(struct front *f, size_t pos); /* of the clause that starts there */
size_t cu_concept_end(struct front *f, size_t pos);  /* of the definition: its ; */
bool cu_constraint_holds(struct front *f, size_t from, size_t to, struct scope *scope);
bool cu_concept_holds(struct front *f, struct template_info *t, struct targ *args, size_t n,
                      struct span at);
struct template_info *cu_at_concept(struct front *f); /* the concept that is named here, or NULL */
size_t cu_type_constraint_end(struct front *f, size_t pos);
bool cu_type_constraint_holds(struct front *f, size_t pos, struct scope *scope,
                              const struct targ *first, struct span at);
bool cu_constraints_hold(struct front *f, struct template_info *t, struct scope *scope,
                         const struct targ *args, struct span at);
/* <0: what a's header and the clause behind fa's declarator say includes what b's and fb's do. */
int cu_more_constrained(struct front *f, struct template_info *a, const struct func *fa,
                        struct template_info *b, const struct func *fb);
struct expr *cu_parse_requires(struct front *f);

/* ---- noexcept.c ---- */
bool cu_is_noexcept(struct front *f, struct func *fn);
/* The type of a function where it is no call: since C++17 noexcept is part of it. */
struct type *cu_seen_type(struct front *f, struct func *fn);
/* What &fn gives: a pointer, or one to a member. */
struct type *cu_address_type(struct front *f, struct func *fn);
void cu_settle_noexcept(struct front *f, struct declarator *d); /* of a type: it is known now */
bool cu_runs_code(const struct expr *e);
bool cu_throws(struct front *f, const struct expr *e); /* may, as far as declarations tell */

/* ---- expr.c, primary.c, operator.c ---- */
struct expr *cu_parse_expr(struct front *f); /* with commas */
struct expr *cu_parse_assign(struct front *f);
struct expr *cu_parse_cond(struct front *f);
struct expr *cu_parse_above_and(struct front *f); /* an operand of && */
struct expr *cu_parse_cast(struct front *f);
struct expr *cu_parse_primary(struct front *f);
struct expr *cu_parse_init_clause(struct front *f); /* braced list or assignment expression */
struct expr *cu_parse_braced(struct front *f);
void cu_parse_args(struct front *f, enum punct close, struct expr ***args, size_t *n);
int64_t cu_parse_const_int(struct front *f, struct type **type);
struct expr *cu_expr_new(struct front *f, enum expr_kind k, struct type *t, enum value_cat c,
                         struct span s);
struct expr *cu_int_expr(struct front *f, struct type *t, uint64_t v, struct span s);
struct expr *cu_bool_expr(struct front *f, bool v, struct span s);
struct expr *cu_var_expr(struct front *f, struct var *v, struct span s);
struct expr *cu_dependent(struct front *f, struct span s);
struct expr *cu_name_expr(struct front *f, struct qname *q);
struct expr *cu_decl_expr(struct front *f, struct found *r, struct qname *q);
struct expr *cu_this_expr(struct front *f, struct span s);
struct expr *cu_member_expr(struct front *f, struct expr *base, struct field *fd, struct span s);
struct expr *cu_member_access(struct front *f, struct expr *base, bool arrow, struct span s);
struct expr *cu_deref(struct front *f, struct expr *e, struct span s);
struct expr *cu_address_of(struct front *f, struct expr *e, struct span s);
struct expr *cu_binary(struct front *f, enum punct op, struct expr *a, struct expr *b,
                       struct span s);
struct expr *cu_three_way(struct front *f, struct expr *a, struct expr *b, struct span s);
/* A call of a function of <compare>, which the meaning of <=> is written in. */
struct expr *cu_compare_call(struct front *f, const char *name, struct expr *a, struct expr *b,
                             struct span s);
struct expr *cu_unary(struct front *f, enum punct op, struct expr *a, struct span s);
struct expr *cu_incdec(struct front *f, enum punct op, bool prefix, struct expr *a, struct span s);
bool cu_is_assignment(enum punct op); /* =, +=, … */
struct expr *cu_assign(struct front *f, enum punct op, struct expr *a, struct expr *b,
                       struct span s);
struct expr *cu_conditional(struct front *f, struct expr *c, struct expr *a, struct expr *b,
                            struct span s);
struct expr *cu_comma(struct front *f, struct expr *a, struct expr *b, struct span s);
struct expr *cu_index(struct front *f, struct expr *a, struct expr **args, size_t n, struct span s);
struct expr *cu_call(struct front *f, struct expr *callee, struct expr **args, size_t n,
                     struct span s);
/* runtime_array.c; in host code only. sizeof: NULL, range: e itself, if e is no such array. */
struct stmt *cu_runtime_array(struct front *f, struct declspec *ds, struct declarator *d);
struct expr *cu_runtime_sizeof(struct front *f, struct expr *e, struct span at);
struct expr *cu_runtime_range(struct front *f, struct expr *e);
/* except.c; in host code only */
struct expr *cu_parse_throw(struct front *f);
struct expr *cu_parse_typeid(struct front *f);
void cu_parse_whole_try(struct front *f, struct func *fn);
struct expr *cu_dynamic_cast(struct front *f, struct expr *e, struct type *t, struct span s);
struct stmt *cu_parse_try(struct front *f);
struct stmt *cu_stmt_new(struct front *f, enum stmt_kind k, struct span s);
struct expr *cu_call_func(struct front *f, struct func *fn, struct expr *object, struct expr **args,
                          size_t n, bool qualified, struct span s);
struct expr *cu_call_method(struct front *f, struct expr *object, const char *name,
                            struct expr **args, size_t n,
                            struct span s); /* NULL if there is none */
struct expr *cu_try_operator(struct front *f, unsigned op, struct expr **args, size_t n,
                             struct span s);
struct expr *cu_builtin_call(struct front *f, unsigned index, struct expr *callee,
                             struct expr **args, size_t n, struct span s);
struct expr *cu_parse_new(struct front *f, bool global);
struct expr *cu_parse_delete(struct front *f, bool global);
struct type *cu_tuple_size(struct front *f, struct type *t,
                           struct span s); /* NULL: not tuple-like */
struct type *cu_tuple_element(struct front *f, struct type *t, size_t i,
                              struct span s); /* or NULL */
struct expr *cu_tuple_get(struct front *f, struct expr *e, size_t i, struct span s);
struct expr *cu_parse_lambda(struct front *f);
/* Gives a generic lambda without captures its conversion to a pointer to a function of type t. */
void cu_generic_pointer(struct front *f, struct class_info *c, struct type *t);
void cu_parse_lambda_params(struct front *f, struct declarator *d, size_t params, size_t after,
                            size_t *end);
struct expr *cu_capture_expr(struct front *f, struct var *v,
                             struct span s); /* NULL: not captured */
struct expr *cu_mark_address(struct expr *e);
bool cu_type_trait(struct front *f, const char *name, struct expr **out);

/* ---- convert.c ---- */
enum ics_rank { ICS_EXACT, ICS_PROMOTION, ICS_CONVERSION, ICS_USER, ICS_ELLIPSIS, ICS_NONE };
struct ics {
    enum ics_rank rank;
    enum ics_rank second; /* USER: rank of the standard conversion after the function */
    struct func *user;    /* constructor or conversion function */
    bool ambiguous;
    bool binds_rvalue, binds_lvalue_ref, ref_binding, qual_change, bool_from_pointer,
        derived_to_base;
    bool narrowing, list, braced_exact;
    unsigned distance; /* derived-to-base steps */
    struct type *to;
    bool to_lvalue_func;
    unsigned quals;
};
struct ics cu_ics(struct front *f, struct expr *e, struct type *to, bool allow_user);
int cu_ics_compare(struct front *f, const struct ics *a, const struct ics *b); /* <0: a better */
struct expr *cu_convert(struct front *f, struct expr *e, struct type *to,
                        const char *what); /* implicit */
struct expr *cu_apply(struct front *f, struct expr *e, struct type *to, const struct ics *c);
struct expr *cu_rvalue(struct front *f, struct expr *e); /* lvalue-to-rvalue, decay */
struct expr *cu_decay(struct front *f, struct expr *e);
struct expr *cu_explicit_conversion(struct front *f, struct expr *e, struct type *to);
struct expr *cu_bool(struct front *f, struct expr *e);    /* contextual conversion */
const struct field *cu_bitfield_of(const struct expr *e); /* or NULL */
struct expr *cu_cast_scalar(struct front *f, struct expr *e, struct type *to, bool explicit_);
struct expr *cu_materialize(struct front *f, struct expr *e); /* prvalue to xvalue */
struct expr *cu_glvalue_cast(struct front *f, struct expr *e, struct type *to);
struct expr *cu_upcast(struct front *f, struct expr *e,
                       struct type *to); /* glvalue to base glvalue */
struct expr *cu_static_cast(struct front *f, struct expr *e, struct type *to, struct span s,
                            bool c_style);
struct expr *cu_reinterpret_cast(struct front *f, struct expr *e, struct type *to, struct span s);
struct expr *cu_const_cast(struct front *f, struct expr *e, struct type *to, struct span s);
struct expr *cu_c_cast(struct front *f, struct expr *e, struct type *to, struct span s);
struct expr *cu_functional_cast(struct front *f, struct type *to, struct expr **args, size_t n,
                                bool braced, struct span s);
struct type *cu_composite_pointer(struct front *f, struct expr *a, struct expr *b);
struct scope *cu_inside_class(struct front *f, const struct scope *of);
/* A class that converts to a reference, as what += and its like write to. */
struct expr *cu_written_operand(struct front *f, struct expr *e);
struct expr *cu_integral_operand(struct front *f, struct expr *e); /* class → integer if it can */

/* ---- init.c ---- */
/* Initialiser of an object of type t (class types: prvalue to evaluate into it; refs: a glvalue).
 */
struct expr *cu_init_copy(struct front *f, struct type *t, struct expr *e, const char *what);
struct expr *cu_init_direct(struct front *f, struct type *t, struct expr **args, size_t n,
                            struct span s);
struct expr *cu_init_list(struct front *f, struct type *t, struct expr *braced, bool copy);
struct expr *cu_init_default(struct front *f, struct type *t, struct span s);
struct expr *cu_init_value(struct front *f, struct type *t, struct span s);
struct expr *cu_default_member(struct front *f, struct field *fd);
struct ics cu_ics_list(struct front *f, struct expr *braced, struct type *to, bool allow_user);
struct expr *cu_construct(struct front *f, struct func *ctor, struct type *t, struct expr **args,
                          size_t n, struct span s);
struct type *cu_initializer_list_elem(struct front *f,
                                      struct type *t); /* std::initializer_list<E>: E */

/* ---- overload.c ---- */
struct candidate {
    struct func *func;
    struct template_info *tmpl;
    struct ics *conv; /* [0] is the object's when the function is a method */
    bool has_object, uses_adl;
    bool reversed;
};
struct func *cu_resolve(struct front *f, struct decl **set, size_t nset, struct expr *object,
                        struct targ *targs, size_t ntargs, bool has_targs, struct expr **args,
                        size_t n, struct span at, const char *name, bool quiet);
struct func *cu_resolve_ctor(struct front *f, struct type *t, struct expr **args, size_t n,
                             bool copy_init, bool list_only, struct span at, bool quiet);
struct func *cu_resolve_address(struct front *f, struct expr *set,
                                struct type *target); /* NULL: none */
struct expr **cu_convert_args(struct front *f, struct func *fn, struct expr **args, size_t n,
                              size_t *nout, struct span s);

/* ---- constexpr.c ---- */
bool cu_const_int(struct front *f, struct expr *e,
                  int64_t *out); /* quietly false if not constant */
bool cu_const_value(struct front *f, struct expr *e, struct targ *out);
bool cu_const_bytes(struct front *f, struct expr *init, struct type *t, uint8_t *out, size_t size,
                    const char **why, struct span *where);
bool cu_const_float(struct front *f, struct expr *e, double *out);
bool cu_var_constant(struct front *f, struct var *v); /* usable in constant expressions */
int64_t cu_require_int(struct front *f, struct expr *e, const char *what);
int64_t cu_wrap(const struct type *t, int64_t v); /* to the width and signedness of t */
/* Pointers inside evaluated bytes: what stands at offset points at object + addend. */
struct ce_reloc {
    uint64_t offset;
    struct var *var;
    struct func *func;
    struct str string; /* ptr != NULL: a string literal */
    int64_t addend;
    struct ce_reloc *next;
};
bool cu_const_object(struct front *f, struct expr *init, struct type *t, uint8_t *out, size_t size,
                     struct ce_reloc **relocs, const char **why, struct span *where);

/* ---- stmt.c ---- */
void cu_parse_body(struct front *f, struct func *fn); /* on demand */
struct stmt *cu_parse_block(struct front *f);
struct asm_info *cu_parse_asm(struct front *f);
bool cu_at_lambda_or_subscript(struct front *f);

/* ---- mangle.c ---- */
const char *cu_mangle_func(struct front *f, struct func *fn);
const char *cu_mangle_var(struct front *f, struct var *v);
const char *cu_mangle_type(struct front *f, struct type *t);
const char *cu_kernel_name(struct front *f, struct func *fn);

/* ---- builtin.c ---- */
enum builtin_kind {
/* clang-format off */
#define CU_BUILTIN_KINDS(X)                                                                        \
    X(OP)                                                                                          \
    X(SREG)                                                                                        \
    X(RMW)                                                                                         \
    X(SHFL)                                                                                        \
    X(SHFL_PRED)                                                                                   \
    X(VOTE)                                                                                        \
    X(MATCH)                                                                                       \
    X(MATCH_PRED) X(REDUX) X(PLAIN) X(BARRIER_RED) X(FENCE) X(CAS) X(ATOMIC_LOAD) X(ATOMIC_STORE)  \
        X(LOAD) X(STORE) X(MEMCPY) X(MEMSET) X(CPASYNC) X(CPASYNC_WAIT) X(MALLOC) X(ISSPACE)       \
            X(TO_SPACE) X(FROM_SPACE) X(DYNSHARED) X(LAUNCH_ERROR) X(DEVICE_FACTS) X(REST) X(CLOCK) X(EXIT) X(UNREACHABLE) X(PRINTF)       \
                X(TEX) X(SURFSTORE) X(TXQ) X(MMA) X(ASSUME) X(FIRST) X(FIRST_SAME) X(BITS) X(CTZ)  \
                    X(CONSTANT_P) X(CONST_EVAL) X(ADDRESSOF) X(FLOAT_CONST)
/* clang-format on */
#define X(name) BUILTIN_##name,
    CU_BUILTIN_KINDS(X)
#undef X
};
struct cu_builtin {
    const char *name;
    enum builtin_kind kind;
    const char *sig;
    uint32_t arg, flags;
};
const struct cu_builtin *cu_builtin_at(struct front *f, unsigned index);
void cu_builtins_init(struct front *f);
bool cu_builtin_ends(const struct expr *e); /* control does not come back */
bool cu_builtin_fold(struct front *f, const struct expr *e, const void *args, uint64_t *out);
unsigned cu_find_builtin(struct front *f, const char *name); /* 1 + index; 0 none */

/* ---- lower_*.c ---- */
bool cu_lower_all(struct front *f);

#endif
