/* The typed tree of a CUDA C++ translation unit: types, declarations, expressions, statements.
 *
 * Every type in a tree is concrete. Templates are kept as ranges of tokens and parsed again with
 * their parameters bound whenever they are instantiated, so there is no dependent expression tree;
 * the only dependent things are *pattern types* (TY_PARAM, TY_TEMPLATE_ID, TY_DEPENDENT, TY_PACK),
 * which deduction matches, and EX_DEPENDENT, which stands for any expression inside such a pattern.
 * Types are unique: two types are the same if and only if their pointers are. */
#ifndef FRONT_CUDA_AST_H
#define FRONT_CUDA_AST_H

#include "front/cuda/pp/token.h"

struct type;
struct expr;
struct stmt;
struct decl;
struct var;
struct func;
struct field;
struct scope;
struct class_info;
struct template_info;
struct inst_note;
struct ce_block;

/* TYPE(NAME, "spelling", size, rank): rank orders integer conversion; 0 is not an integer. */
#define CU_SCALARS(X)                                                                              \
    X(BOOL, "bool", 1, 1)                                                                          \
    X(CHAR, "char", 1, 2)                                                                          \
    X(SCHAR, "signed char", 1, 2)                                                                  \
    X(UCHAR, "unsigned char", 1, 2)                                                                \
    X(CHAR8, "char8_t", 1, 2)                                                                      \
    X(CHAR16, "char16_t", 2, 3)                                                                    \
    X(CHAR32, "char32_t", 4, 4)                                                                    \
    X(WCHAR, "wchar_t", 4, 4)                                                                      \
    X(SHORT, "short", 2, 3)                                                                        \
    X(USHORT, "unsigned short", 2, 3)                                                              \
    X(INT, "int", 4, 4)                                                                            \
    X(UINT, "unsigned int", 4, 4)                                                                  \
    X(LONG, "long", 8, 5)                                                                          \
    X(ULONG, "unsigned long", 8, 5)                                                                \
    X(LLONG, "long long", 8, 6)                                                                    \
    X(ULLONG, "unsigned long long", 8, 6)                                                          \
    X(HALF, "__tern_f16", 2, 0)                                                                    \
    X(BF16, "__tern_bf16", 2, 0)                                                                   \
    X(FLOAT, "float", 4, 0)                                                                        \
    X(DOUBLE, "double", 8, 0)                                                                      \
    X(LDOUBLE, "long double", 8, 0)                                                                \
    X(NULLPTR, "std::nullptr_t", 8, 0)

enum type_kind {
    TY_VOID,
#define X(name, text, size, rank) TY_##name,
    CU_SCALARS(X)
#undef X
        TY_POINTER,
    TY_LREF,
    TY_RREF,
    TY_ARRAY,
    TY_FUNC,
    TY_CLASS,
    TY_ENUM,
    TY_MEMPTR,
    TY_AUTO,        /* a placeholder to be deduced: auto or decltype(auto) */
    TY_OVERLOAD,    /* the type of an unresolved set of functions */
    TY_BRACED,      /* the type of a braced list before it has a target */
    TY_PARAM,       /* pattern: parameter `index` of template `owner` */
    TY_TEMPLATE_ID, /* pattern: tmpl<args> with dependent args */
    TY_PACK,        /* pattern: elem... */
    TY_DEPENDENT,   /* pattern: what cannot be deduced from */
    TY_COUNT
};

enum { QUAL_CONST = 1, QUAL_VOLATILE = 2 };
enum ref_qual { REF_NONE, REF_LVALUE, REF_RVALUE };
/* A pattern's noexcept may be a parameter, or an expression, which nothing is deduced from. */
enum func_noexcept { NOEXCEPT_NO, NOEXCEPT_YES, NOEXCEPT_PARAM, NOEXCEPT_DEPENDENT };

#define ARRAY_UNKNOWN UINT64_MAX

enum targ_kind {
    TARG_NONE,
    TARG_TYPE,
    TARG_VALUE,
    TARG_TEMPLATE,
    TARG_PACK,
    TARG_VAR,
    TARG_DEPENDENT
};

/* A template argument, or an element of a pack. */
struct targ {
    enum targ_kind kind;
    struct type *type;          /* TYPE; VALUE: its type */
    int64_t value;              /* VALUE: integers; with `object`, an offset */
    struct decl *object;        /* VALUE: a variable or function whose address it is */
    struct expr *set;           /* VALUE: functions, until the parameter's type says which */
    struct template_info *tmpl; /* TEMPLATE */
    struct targ *pack;          /* PACK */
    size_t npack;
    struct var *var;                   /* VAR: element of a function parameter pack */
    struct template_info *param_owner; /* DEPENDENT: a value parameter (pattern), or NULL */
    unsigned param_index;
    bool expansion; /* DEPENDENT: followed by `...` */
};

struct type {
    enum type_kind kind;
    uint8_t quals;
    uint16_t depth;          /* how many types it is made of, one inside the other */
    struct type *unqual;     /* itself without const and volatile */
    struct type *variant[4]; /* of the unqualified type, by qualifiers */
    struct type *pointer, *lref, *rref;
    struct type *elem; /* pointee, referent, element, result, underlying, member, packed pattern */
    /* ARRAY */
    uint64_t count;
    /* FUNC */
    struct type **params;
    size_t nparams;
    bool variadic;
    uint8_t func_quals;
    enum ref_qual func_ref;
    enum func_noexcept func_noexcept; /* of func.d.type: never said, see cu_seen_type */
    /* CLASS; MEMPTR: the class */
    struct class_info *cls;
    /* ENUM */
    struct enum_info *enumeration;
    /* PARAM; ARRAY whose bound, FUNC whose noexcept is a parameter */
    struct template_info *owner;
    unsigned index;
    /* TEMPLATE_ID */
    struct template_info *tmpl;
    struct targ *args;
    size_t nargs;
    bool decltype_auto; /* AUTO */
    bool dependent;     /* a pattern somewhere inside */
};

struct enum_info {
    const char *name;
    struct scope *scope;
    struct decl *decl;
    struct type *promoted;
    bool scoped, fixed, complete;
    bool open; /* its list is being read: enumerators are numbers still */
};

/* ---- declarations ---- */

enum decl_kind {
    DECL_VAR,
    DECL_FUNC,
    DECL_FIELD,
    DECL_TYPE,  /* class, enum, typedef, bound type parameter */
    DECL_CONST, /* enumerator, bound value parameter */
    DECL_TEMPLATE,
    DECL_NAMESPACE,
    DECL_PACK,      /* bound parameter pack */
    DECL_USING,     /* another name for `target` */
    DECL_POISON,    /* could not be parsed: using it is an error */
    DECL_DEPENDENT, /* a value parameter inside a pattern */
};

enum access { ACCESS_PUBLIC, ACCESS_PROTECTED, ACCESS_PRIVATE };

struct decl {
    enum decl_kind kind;
    const char *name;
    struct span span;
    size_t pos; /* token of its name: a block's name is visible after it */
    struct scope *scope;
    struct decl *older; /* the same name in the same scope, declared before */
    struct decl *next;  /* order of declaration in the scope */
    struct type *type;
    enum access access;
    bool is_tag;   /* TYPE: declared as class or enum: a function or variable may hide it */
    bool hidden;   /* friend found only through its arguments */
    bool reported; /* POISON: the reason was already shown */
    bool system;   /* from one of our own headers */
    bool doubtful; /* made of what was left out of host code: it may be wrong */
    union {
        struct targ value;   /* CONST, PACK (pack/npack), DEPENDENT (param_owner/index) */
        struct scope *ns;    /* NAMESPACE */
        struct decl *target; /* USING */
        const char *reason;  /* POISON */
    } u;
};

enum scope_kind {
    SCOPE_GLOBAL,
    SCOPE_NAMESPACE,
    SCOPE_CLASS,
    SCOPE_ENUM,
    SCOPE_TEMPLATE,
    SCOPE_FUNC,
    SCOPE_BLOCK
};

struct scope {
    enum scope_kind kind;
    struct scope *parent;
    const char *name; /* namespace */
    bool inline_namespace;
    struct decl *first, *last; /* in order */
    size_t count;
    struct map *names;              /* made when the list grows long */
    VEC(struct scope *) directives; /* using namespace, inline namespaces */
    struct class_info *cls;         /* CLASS */
    struct func *func;              /* FUNC, BLOCK: whose body */
    struct template_info *tmpl;     /* TEMPLATE: whose parameters */
    bool pattern;                   /* TEMPLATE: parameters are placeholders */
    bool tried;                     /* BLOCK: of a try */
};

enum { /* where a function may run */
       WHERE_HOST = 1,
       WHERE_DEVICE = 2,
       WHERE_GLOBAL = 4,
};
enum memory_space { SPACE_NONE, SPACE_DEVICE, SPACE_SHARED, SPACE_CONSTANT, SPACE_MANAGED };
enum var_storage { VAR_LOCAL, VAR_PARAM, VAR_GLOBAL };

struct var {
    struct decl d;
    enum var_storage storage;
    enum memory_space space;
    bool is_constexpr, is_extern, is_static, is_inline, restrict_, address_taken, used;
    bool said_extern; /* by its first declaration: it has a linker's name even where it is const */
    bool init_parsed, init_parsing, is_member, extern_c, grid_constant;
    bool per_thread;      /* thread_local, of the host */
    bool is_argument;     /* of a template: an object that has no other name */
    bool loop_index;      /* declared in the head of a for */
    struct func *func;    /* local: its function */
    struct type *pattern; /* as written, where its type is deduced */
    struct var *beside;   /* the first one of its declaration, which `auto` must be the same for */
    uint32_t align;
    struct expr *init; /* EX_*; for class types an initialiser to be evaluated into it */
    size_t init_pos;   /* token after the declarator: `=`, `(`, `{`; 0 none */
    struct scope *init_scope;
    struct expr *alias; /* structured binding: stands for this lvalue */
    struct type *bound; /* … and decltype of its name; or NULL */
    bool alias_pack;
    uint8_t *bytes;         /* evaluated constant value, or NULL */
    struct ce_block *block; /* its object in constant evaluation */
    bool evaluated;
    struct template_info *tmpl; /* instance of a variable template */
    struct targ *targs;
    size_t ntargs;
    void *ir;          /* lowering: the global, or the index of the local */
    uint32_t ssa;      /* lowering: 1 + index of an SSA variable */
    uint32_t ir_owner; /* lowering: which function lowered it last */
};

struct field {
    struct decl d;
    struct class_info *cls;
    uint64_t offset;
    uint32_t bits, bit_offset; /* bit-field: width, and place within its storage unit at offset */
    bool is_bitfield, is_mutable, anonymous, no_unique_address;
    struct field *outer; /* member of an anonymous struct or union: the field that holds it */
    uint32_t align;
    unsigned index;
    size_t init_pos; /* default member initialiser: token of `=` or `{` */
    struct field *next;
};

struct param {
    const char *name;
    struct span span;
    size_t pos;
    struct type *type;  /* as written, before adjustment to the function type */
    size_t default_pos; /* token after `=`; 0 none */
    struct scope *default_scope;
    struct expr *default_value;
    bool restrict_, pack, grid_constant;
    size_t constraint_pos; /* of an `auto` parameter: token of its concept; 0 none */
    bool pack_first;       /* first element of an expanded pack */
    size_t pack_count; /* elements, for the first one; an empty pack is kept in func.empty_packs */
};

/* An expanded, empty function parameter pack still has a name. */
struct empty_pack {
    const char *name;
    struct empty_pack *next;
};

enum op_name {
    OPN_NONE,
    OPN_CALL = PUNCT_COUNT,
    OPN_INDEX,
    OPN_NEW,
    OPN_DELETE,
    OPN_NEW_ARRAY,
    OPN_DELETE_ARRAY,
    OPN_LITERAL
};

struct mem_init {
    struct field *field;     /* member, or */
    struct class_info *base; /* base class, or the class itself when delegating */
    bool virtual_base;       /* made by the constructor of the whole object */
    struct expr *init;
    struct mem_init *next;
};

enum body_state { BODY_NONE, BODY_TOKENS, BODY_PARSING, BODY_DONE, BODY_FAILED };

struct func {
    struct decl d;
    struct param *params;
    size_t nparams;
    struct empty_pack *empty_packs;
    uint8_t where;
    bool where_explicit;
    bool is_constexpr, is_inline, is_static, is_virtual, is_pure, is_explicit, is_deleted,
        is_defaulted;
    bool is_ctor, is_dtor, is_conversion, is_override, is_final, extern_c, forceinline, noinline,
        is_friend;
    bool is_lambda_call, is_implicit, noreturn, nodiscard, is_extern, is_noexcept;
    bool is_consteval;
    bool auto_result;         /* the declared result is a placeholder */
    bool other_result;        /* a return that gives something else than named_result */
    struct var *named_result; /* the local that returns give */
    unsigned op;              /* operator function: enum punct or op_name */
    struct class_info *cls;
    size_t head;         /* token where its declaration starts */
    size_t requires_pos; /* token after the `requires` behind its declarator; 0 none */
    size_t noexcept_pos; /* token of the condition in noexcept(…), in noexcept_scope; 0 none */
    struct scope *noexcept_scope;
    uint8_t noexcept_known; /* 1: no, 2: yes */
    size_t body;            /* token of `{`, `:` or `try`; 0 none */
    struct scope *scope;    /* where its parameters are looked up from */
    struct scope *body_scope;
    enum body_state state;
    struct stmt *ast;
    VEC(struct var *) param_vars;
    struct var *this_var;
    struct mem_init *inits;
    struct template_info *tmpl; /* instance of */
    struct targ *targs;
    size_t ntargs;
    struct func *inherits; /* constructor taken over from a base by using */
    uint32_t max_threads, min_blocks, max_cluster;
    uint32_t cluster[3]; /* __cluster_dims__; 0: none */
    int vslot;           /* -1: not virtual */
    uint16_t builtin;    /* 1 + index in the table of builtins */
    const char *mangled;
    bool queued, used_in_device;
    const char *lost; /* why its definition, at lost_at, could not be taken; or NULL */
    struct span lost_at;
    bool whole_try;   /* its body is a try, around what a constructor makes too */
    bool flawed;      /* its body has errors, which were reported */
    bool internal;    /* static at namespace scope */
    bool specialised; /* explicitly: its template's body is not meant */
    void *ir;
    struct inst_note *inst; /* the instantiations that led here, for notes */
    unsigned nlambdas, nlocals;
    VEC(struct class_info *) locals; /* local classes and closures, for names */
};

struct base_class {
    struct class_info *cls;
    struct type *type;
    enum access access;
    bool is_virtual;
    uint64_t offset; /* of one that is not virtual */
};

/* A virtual base, direct or not, of a whole object. */
struct virtual_base {
    struct class_info *cls;
    uint64_t offset;
    bool placed; /* while it is laid out */
};

/* Where a base class lies: `offset` from the start of the object, or of its virtual base. */
struct base_path {
    struct class_info *through; /* the last virtual base on the way, or NULL */
    uint64_t offset;
};

struct capture {
    struct var *var; /* NULL: this */
    struct field *field;
    bool by_ref;
    struct expr *init;
    struct capture *next;
};

enum class_state { CLASS_DECLARED, CLASS_PARSING, CLASS_COMPLETE, CLASS_FAILED };

struct class_info {
    const char *name; /* NULL: unnamed */
    struct decl *decl;
    struct type *type;
    struct scope *scope;
    struct scope *outer; /* scope it is declared in */
    bool is_union, is_class_key, is_final, is_lambda, is_local;
    enum class_state state;
    VEC(struct base_class) bases;
    struct field *fields, *last_field;
    size_t nfields;
    uint64_t size, data_size;
    uint64_t reach; /* while it is laid out: where the parts without data end */
    uint32_t depth; /* how many classes are inside of one another */
    uint32_t align, packed, forced_align;
    bool laid_out, is_empty, holds_empty, polymorphic, abstract, has_vptr_own;
    /* Provided by the user: neither defaulted nor deleted. user_ctor: of any constructor. */
    bool explicit_ctor; /* defaulted ones, too: the class is no aggregate */
    bool user_ctor, user_copy_ctor, user_move_ctor, user_copy_assign, user_move_assign, user_dtor;
    bool default_ctor_defaulted, declares_move_ctor, declares_move_assign, deletes_special;
    bool implicit_done;
    VEC(struct func *) vtable;
    VEC(struct func *) pure;     /* functions without a final overrider, of every base */
    VEC(struct type *) vresults; /* what a call through each slot of it gives */
    /* In the order of the table: those of the primary base, whose table is the start of its own. */
    VEC(struct virtual_base) vbases;
    struct class_info *primary; /* the base whose table it shares, or NULL */
    bool primary_virtual;
    uint32_t own_align; /* without virtual bases */
    void *vtable_ir;
    const char *broken; /* why its layout is unknown: a member could not be parsed */
    struct span broken_at;
    bool partial;  /* it, a base or a field has members that could not be parsed */
    bool doubtful; /* as struct decl's: its specialisation, a base or a constraint */
    struct func *dtor;
    struct template_info *tmpl; /* instance of */
    struct targ *args;
    size_t nargs;
    struct template_info
        *used; /* the primary template or the partial specialisation it was made from */
    struct targ *used_args;
    struct inst_note *inst;
    struct func *func;               /* local class: its function */
    struct capture *captures;        /* closure */
    struct class_info *capture_this; /* closure: the class whose this was captured */
    struct field *this_field;
    bool default_ref, default_copy;
    size_t lambda_pos;
    unsigned lambda_index;
    VEC(struct decl *) friends; /* functions and classes that may reach private members */
    struct type *typeinfo;
};

/* ---- templates ---- */

enum template_kind {
    TEMPLATE_FUNC,
    TEMPLATE_CLASS,
    TEMPLATE_ALIAS,
    TEMPLATE_VAR,
    TEMPLATE_PARAM,
    TEMPLATE_CONCEPT
};

struct tparam {
    enum targ_kind kind; /* TYPE, VALUE, TEMPLATE */
    const char *name;
    size_t pos;         /* token where the parameter starts */
    size_t default_pos; /* token after `=`; 0 none */
    /* What the declaration with the default calls the parameters before, if it is another one. */
    const struct tparam *default_names;
    size_t constraint_pos; /* token of the concept that it has to meet; 0 none */
    struct type *type;     /* of a VALUE, as its pattern has it */
    bool pack;
    bool concept_auto; /* invented for an `auto` parameter: no tokens of its own */
};

/* A definition of a member of a class template that stands outside the class. */
struct member_def {
    const char *name;
    struct tparam *params;
    size_t nparams;
    size_t pos;          /* token after the template header(s) */
    size_t inner_header; /* member template: token after the `<` of its own header; 0 none */
    struct scope *scope;
    bool is_class;     /* a nested class, or with inner_header a nested class template */
    const char **path; /* nested classes between the template and the member, outermost first */
    size_t npath;
};

struct partial_spec {
    struct template_info *tmpl; /* a template of its own, with the pattern */
    struct targ *pattern;
    size_t npattern;
    size_t args_pos; /* token after `<` of its argument list */
    struct partial_spec *next;
};

struct func_spec { /* an explicit specialisation of a function template */
    struct func *func;
    struct targ *args;
    size_t nargs;
    struct func_spec *next;
};

struct template_info {
    struct decl d;
    enum template_kind kind;
    struct tparam *params;
    size_t nparams;
    size_t header;       /* token after `template <` */
    size_t pos;          /* token after the header's `>` */
    struct scope *scope; /* where it was declared */
    struct scope *pattern_scope;
    struct map instances; /* key of the arguments → type, func or var */
    /* FUNC */
    struct func *pattern; /* signature with placeholders */
    /* Of a member that is defined outside: as declared in its class; or NULL. */
    const struct func *inside;
    bool pattern_tried;
    bool pattern_failed;
    size_t *defaults,
        ndefaults; /* tokens of the defaults that an earlier declaration gave; 0 none */
    const struct tparam *default_names; /* its parameters */
    struct class_info *cls;             /* member template */
    struct func_spec *specs;
    size_t requires_pos; /* token after `requires` of its header; 0 none */
    bool is_friend, auto_params;
    bool is_lambda, lambda_mutable;   /* operator() of a generic lambda: */
    size_t lambda_after, lambda_body; /* token of its result, and of its body */
    uint8_t lambda_where;
    bool system;
    /* CLASS */
    const char *class_name;
    struct partial_spec *partials;
    VEC(struct member_def) members;
    bool defined;
    struct template_info *canonical; /* a redeclaration points at the first */
    struct template_info *partial_of;
    struct template_info *param_owner; /* PARAM: whose parameter */
    unsigned param_index;
    VEC(struct decl *) guides;
    VEC(struct decl *) implied; /* guides that its constructors stand for */
    struct type *result_class;
    /* FUNC: a guide that a constructor, or with `aggregate` the members, of a class stand for */
    struct template_info *guide_of;
    bool aggregate;
    VEC(size_t) own_types; /* the class's aliases that it names: their first tokens, in order */
};

/* Spelled only when it is shown: the names of nested instances grow with every level. */
struct inst_note {
    struct span at;
    const char *what;
    struct type *type;
    const char *name;
    const struct targ *args;
    size_t nargs;
    struct inst_note *up;
    unsigned depth;
};

/* ---- expressions ---- */

enum value_cat { CAT_PR, CAT_L, CAT_X };

enum expr_kind {
    EX_INT,    /* i */
    EX_FLOAT,  /* d */
    EX_STRING, /* str; lvalue array */
    EX_NULLPTR,
    EX_VAR,      /* var; lvalue */
    EX_FUNC,     /* func; lvalue of function type, or a member function's name */
    EX_OVERLOAD, /* set of candidates, see overload */
    EX_THIS,
    EX_MEMBER,  /* a.field; a is an lvalue */
    EX_DEREF,   /* *a */
    EX_ADDR,    /* &a */
    EX_LOAD,    /* lvalue to rvalue */
    EX_DECAY,   /* array lvalue to pointer */
    EX_TEMP,    /* a temporary initialised from a; glvalue */
    EX_CAST,    /* a converted to type; scalars only */
    EX_BITCAST, /* reinterpretation of a pointer or glvalue */
    EX_UPCAST,  /* to a base class: pointer or glvalue; i is the offset, in in_class if it is set */
    EX_DOWNCAST,
    EX_UNARY,  /* op a */
    EX_BINARY, /* a op b, both of the type computed in (comparisons: of equal types) */
    EX_PTRADD, /* pointer a, integer b, in elements; op is ADD or SUB */
    EX_PTRDIFF,
    EX_LOGICAL,  /* && || */
    EX_COND,     /* a ? b : c */
    EX_ASSIGN,   /* a = b; lvalue */
    EX_COMPOUND, /* a = (T)((compute)a op b); compute is cast */
    EX_INCDEC,   /* op is INC or DEC; i: 1 prefix */
    EX_COMMA,
    EX_CALL,       /* func (direct) or a (pointer); args; b is the object of a member call */
    EX_BUILTIN,    /* i: which; args */
    EX_CONSTRUCT,  /* class prvalue: constructor func with args */
    EX_INIT,       /* aggregate prvalue: inits */
    EX_ZERO,       /* value-initialised prvalue of any type */
    EX_UNINIT,     /* default-initialised: nothing is written */
    EX_ARRAY_INIT, /* array whose every element is initialised by a (constructors) or copied */
    EX_MEMPTR,     /* pointer to member: field or func */
    EX_MEMPTR_REF, /* a.*b data member; lvalue */
    EX_NEW,
    EX_DELETE,
    EX_BRACED, /* args, with designators; has no type yet */
    EX_STMT,   /* GNU statement expression */
    EX_DEPENDENT,
    EX_LOOP_INDEX, /* index of the element being initialised in EX_ARRAY_INIT */
    EX_TYPEID,     /* the descriptor of type cast, or of what a is; lvalue. Host code */
    EX_THROW,      /* a into what b gives; without a, b again. Leaves. Host code */
    EX_LAUNCH,     /* kernel func with args; c->args: grid, block, shared bytes, stream */
};

struct designated {
    struct field *field; /* class: which */
    uint64_t index;      /* array: first element … */
    uint64_t count;      /* … and how many get the same value */
    struct base_class *base;
    struct expr *value;
};

struct expr {
    uint8_t kind;
    uint8_t cat;
    uint16_t op;
    bool paren;     /* written in parentheses */
    bool qualified; /* name was qualified: no virtual dispatch, no argument-dependent lookup */
    bool flag;      /* NEW/DELETE: array form; CALL: virtual; EX_CAST: explicit */
    struct type *type;
    struct span span;
    struct expr *a, *b, *c;
    union {
        uint64_t i;
        double d;
        struct str str;
        struct var *var;
        struct func *func;
        struct field *field;
        struct type *cast; /* COMPOUND: type computed in */
        struct stmt *body;
        struct {
            struct decl **decls;
            size_t ndecls;
            const char *name;
            struct scope *lookup_scope;
        } set; /* OVERLOAD */
        struct {
            struct designated *items;
            size_t n;
            bool zero; /* the rest is zero */
        } init;
        struct {
            const char **names; /* designators of a braced list, or NULL each */
            struct expr **index;
        } braced;
    } u;
    struct expr **args;
    size_t nargs;
    struct targ *targs; /* OVERLOAD: explicit template arguments */
    size_t ntargs;
    bool has_targs;
    struct class_info *in_class; /* OVERLOAD, MEMPTR: class named; UPCAST: a virtual base */
    uint32_t temp;               /* lowering */
};

/* ---- statements ---- */

enum stmt_kind {
    STMT_NULL,
    STMT_EXPR,
    STMT_DECL, /* vars */
    STMT_BLOCK,
    STMT_IF,
    STMT_WHILE,
    STMT_DO,
    STMT_FOR,
    STMT_SWITCH,
    STMT_CASE,
    STMT_DEFAULT,
    STMT_BREAK,
    STMT_CONTINUE,
    STMT_RETURN,
    STMT_GOTO,
    STMT_LABEL,
    STMT_ASM,
    STMT_TRY,   /* body; other: a list of CATCH */
    STMT_CATCH, /* var: a reference to what was thrown, or NULL for all; init, body */
};

struct asm_operand {
    const char *constraint;
    struct expr *value;
    const char *name;
};

struct asm_info {
    struct str text;
    struct asm_operand *out, *in;
    size_t nout, nin;
    bool is_volatile, memory;
    struct span text_span;
};

struct stmt {
    enum stmt_kind kind;
    struct span span;
    struct stmt *next;
    struct expr *cond, *step;
    struct stmt *init, *body,
        *other;         /* IF: body, other; FOR: init, body; BLOCK: body is the first */
    struct var *var;    /* DECL; condition variable */
    const char *label;  /* LABEL, GOTO */
    uint64_t lo, hi;    /* CASE */
    struct stmt *cases; /* SWITCH: chain through case_next */
    struct stmt *case_next;
    struct stmt *target; /* GOTO: the label */
    struct asm_info *assembly;
    int unroll;     /* loops: -1 unsaid, 0 full, 1 never, n times */
    source_loc end; /* BLOCK: of its brace */
    void *ir;
    bool discarded;
    bool whole; /* TRY: stands around a whole function */
};

#endif
