/* What the files that turn trees into IR share. */
#ifndef FRONT_CUDA_LOWER_H
#define FRONT_CUDA_LOWER_H

#include "front/cuda/sema/sema.h"
#include "ir/debug.h"
#include "ir/ssa.h"

/* Where an object is. */
struct place {
    struct ir_value *ptr; /* in any address space */
    uint32_t align;
    bool is_volatile;
    bool typed;         /* host code: an object of this type and no other is there */
    struct field *bits; /* a bit-field of the class at ptr */
    struct var *ssa;    /* a variable that lives in registers: ptr is NULL */
};

/* Something to be done when a scope is left: objects are destroyed; and in host code that catches
 * (host_throw.c) */
enum cleanup_kind {
    CLEANUP_DESTROY,
    CLEANUP_ELEMENTS, /* of an array, the first ones */
    CLEANUP_FREE,     /* memory of an object that was not made */
    CLEANUP_DELETE,   /* memory of operator new for one that was not made */
    CLEANUP_DELETE_ARRAY,
    CLEANUP_GUARD,   /* a static variable that was not made */
    CLEANUP_CAUGHT,  /* a handler is left */
    CLEANUP_HANDLER, /* what is thrown inside goes to its landing */
};
struct cleanup {
    enum cleanup_kind kind;
    bool only_thrown;         /* nothing to do when the scope is left otherwise */
    struct ir_block *landing; /* where it is done for what is thrown; NULL: nothing may be */
    struct type *type;
    struct ir_value *ptr;
    struct ir_value *tables; /* DESTROY: a base with virtual bases; else NULL */
    struct ir_value *count;  /* ELEMENTS: alloca of how many there are */
    struct ir_value *flag;   /* alloca of i1 that says whether it was made; NULL: always */
    struct cleanup *up;
};

struct jump_target {
    struct ir_block *break_to, *continue_to;
    struct cleanup *cleanups;
    struct jump_target *up;
    bool is_switch;
};

struct label {
    const char *name;
    struct ir_block *block;
    struct cleanup *cleanups; /* where it is defined */
    struct label *next;
    bool defined;
    struct span span;
};

/* A list of statements that is lowered, and what was to be destroyed when the present one began. */
struct open_list {
    const struct stmt *first;
    struct cleanup *cleanups;
    struct open_list *up;
};

struct lower {
    struct front *f;
    struct ir_module *m;
    struct ir_func *fn;
    struct ir_builder b;
    struct func *func;
    uint32_t serial; /* number of the function, to tell stale marks of variables */
    struct ir_value *this_value, *result_ptr;
    struct var *named_result; /* the local that is made at result_ptr; or NULL */
    /* In constructors and destructors of classes with virtual bases: vtable.c. */
    struct ir_value *given_tables, *tables, *is_whole;
    struct ir_value *rest; /* what `...` stands for: host.h */
    struct ir_value *loop_index;
    struct cleanup *cleanups;
    struct jump_target *jumps;
    struct label *labels;
    struct open_list *lists;
    struct ir_ssa ssa; /* register variables */
    bool in_cond;      /* inside a branch of a full expression: temporaries need flags */
    bool has_goto, has_switch;
    struct ir_block *case_block;
    struct lo_host *host;    /* the host half: host.h; else NULL */
    struct ir_block *unwind; /* where what is thrown leaves the function */
    struct px *px;           /* inline PTX: its registers, see front/ptxops */
    uint32_t px_serial;      /* of the function they belong to */
    /* for debuggers, with -G */
    struct map described;          /* type → its number + 1 in ir/debug.h */
    source_loc seen_from, seen_to; /* the block of the source that is lowered */
};

/* ---- lower_ssa.c ---- */
struct ir_block *lo_block(struct lower *l, const char *name);
void lo_seal(struct lower *l, struct ir_block *b);
void lo_write(struct lower *l, struct var *v, struct ir_value *x);
struct ir_value *lo_read(struct lower *l, struct var *v);
void lo_br(struct lower *l, struct ir_block *to);
void lo_condbr(struct lower *l, struct ir_value *c, struct ir_block *yes, struct ir_block *no);
void lo_start(struct lower *l, struct ir_block *b); /* goes on in b */
void lo_switch_edge(struct lower *l, struct ir_inst *sw, struct ir_block *to, uint64_t value);
bool lo_ended(struct lower *l); /* the block has its terminator */
struct ir_value *lo_split(struct lower *l);
void lo_join(struct lower *l, struct ir_value *token);

/* ---- lower_expr.c ---- */
struct ir_value *lo_value(struct lower *l, struct expr *e);     /* scalar; pointers are generic */
struct ir_value *lo_pointer(struct lower *l, struct expr *e);   /* pointer in any space */
struct place lo_place(struct lower *l, struct expr *e);         /* glvalue */
void lo_into(struct lower *l, struct expr *e, struct place to); /* prvalue into memory */
void lo_discard(struct lower *l, struct expr *e);
void lo_full(struct lower *l, struct expr *e); /* a full expression whose value is not used */
struct ir_value *lo_load(struct lower *l, struct place p, struct type *t);
void lo_store(struct lower *l, struct place p, struct type *t, struct ir_value *v);
struct ir_value *lo_generic(struct lower *l, struct ir_value *p);
struct ir_value *lo_offset(struct lower *l, struct ir_value *p, int64_t off);
struct ir_value *lo_int(struct lower *l, ir_type t, uint64_t v);
struct ir_value *lo_convert(struct lower *l, struct ir_value *v, struct type *from,
                            struct type *to);
struct ir_value *lo_unset(struct lower *l, uint64_t size, uint32_t align, const char *name);
struct place lo_temp(struct lower *l, struct type *t, const char *name);
void lo_copy(struct lower *l, struct place to, struct place from, struct type *t);
void lo_zero_fill(struct lower *l, struct place to, struct type *t);
void lo_zero_bytes(struct lower *l, struct place to, uint64_t size);
struct ir_value *lo_cond(struct lower *l, struct expr *e);
void lo_bind_ref(struct lower *l, struct expr *e,
                 struct place slot); /* stores the address of a glvalue */

/* ---- lower_call.c ---- */
struct lo_args {
    struct ir_value **data;
    size_t len, cap;
};
void lo_push_arg(struct lower *l, struct lo_args *a, struct type *param, struct expr *e);
bool lo_by_pointer(const struct type *t); /* how it is passed between functions of ours */
/* A variable of our own, made when it is first asked for. */
struct ir_value *lo_own_global(struct lower *l, const char *name, enum ir_space space,
                               uint64_t size, uint32_t align, uint32_t flags);
struct ir_value *lo_launch_error(struct lower *l); /* where launches from kernels leave theirs */
struct ir_value *lo_call(struct lower *l, struct expr *e, struct place *result); /* EX_CALL */
void lo_construct(struct lower *l, struct expr *e, struct place to);
void lo_destroy(struct lower *l, struct type *t, struct ir_value *p);
/* Bases: with the tables that vtable.c has for them, or NULL where the object is whole. */
void lo_construct_part(struct lower *l, struct expr *e, struct place to, struct ir_value *tables);
void lo_destroy_part(struct lower *l, struct class_info *c, struct ir_value *p,
                     struct ir_value *tables);
void lo_push_cleanup(struct lower *l, struct type *t, struct ir_value *p, bool conditional);
void lo_run_cleanup(struct lower *l, struct cleanup *c);
void lo_run_cleanups(struct lower *l, struct cleanup *down_to); /* emits, keeps the stack */
void lo_pop_cleanups(struct lower *l, struct cleanup *down_to); /* emits and forgets */
/* lower_link.c: several files in one module. The name in the module; and what another file has made
 * under it already, or NULL. */
void lo_export(struct lower *l);
bool lo_internal(const struct var *v);
const char *lo_link_name(struct lower *l, const char *name, bool internal);
struct ir_func *lo_link_func(struct lower *l, struct func *fn, const char *name,
                             const char *mangled);
struct ir_global *lo_link_global(struct lower *l, struct var *v, const char *name);
struct ir_func *lo_func(struct lower *l, struct func *fn, struct span at); /* declares, queues */
/* To be called through it; refused where such a call would pass other things than it takes. */
struct ir_value *lo_func_address(struct lower *l, struct func *fn, struct span at);
void lo_new(struct lower *l, struct expr *e, struct ir_value **out);
void lo_delete(struct lower *l, struct expr *e);
void lo_give_back(struct lower *l, struct ir_value *memory, bool array, struct span at);
void lo_launch(struct lower *l, struct expr *e);

/* ---- lower_builtin.c, lower_asm.c ---- */
struct ir_value *lo_builtin(struct lower *l, struct expr *e);
void lo_asm(struct lower *l, struct stmt *s);
struct ir_value *lo_carry_read(struct ir_builder *b); /* the flag that asm statements share */
void lo_carry_write(struct ir_builder *b, struct ir_value *v);

/* ---- lower_global.c ---- */
struct ir_value *lo_global(struct lower *l, struct var *v, struct span at);
struct ir_value *lo_string(struct lower *l, struct str text, uint64_t size, unsigned unit);
bool lo_builtin_var(struct front *f, struct var *v, int *first_sreg); /* threadIdx and friends */
void lo_variables(struct lower *l); /* every device variable of the unit */

/* ---- vtable.c ---- */
/* In front of the functions: how far it is to the whole object, and in host code its type. */
enum { VTABLE_HEAD = 16 };
int lo_virtual_slot(struct lower *l, struct func *fn);
struct ir_func *lo_virtual_call(struct lower *l, struct func *fn);
bool lo_has_tables(const struct func *fn); /* is there a list of tables behind `this`? */
/* In such a constructor or destructor: what follows uses the list that was given, or its own. */
void lo_begin_tables(struct lower *l, struct class_info *c, struct ir_value *given);
struct ir_value *lo_base_tables(struct lower *l, struct class_info *base, bool is_virtual);
void lo_store_vptrs(struct lower *l, struct class_info *c, struct ir_value *self);
/* The virtual base of an object of class c. */
struct ir_value *lo_virtual_base(struct lower *l, struct ir_builder *b, struct ir_value *object,
                                 const struct class_info *c, const struct class_info *base);

/* ---- debug.c ---- */
#ifdef TERN_SMALL /* nobody steps through what pages run */
static inline bool lo_steps(const struct lower *l)
{
    (void)l;
    return false;
}
#define lo_tell_local(l, v, where) ((void)0)
#define lo_tell_global(l, v, g)    ((void)0)
#define lo_tell_reference(l, v, x) ((void)0)
#define lo_tell_this(l)            ((void)0)
#define lo_seen_in(l, s)           ((void)0)
#else
static inline bool lo_steps(const struct lower *l) /* variables are to be in memory */
{
    return l->m->debug && l->m->debug->steps;
}
void lo_tell_local(struct lower *l, struct var *v, struct ir_value *where); /* an alloca */
void lo_tell_global(struct lower *l, struct var *v, struct ir_global *g);
void lo_tell_reference(struct lower *l, struct var *v, struct ir_value *x); /* its address */
void lo_tell_this(struct lower *l);
void lo_seen_in(struct lower *l, const struct stmt *s); /* what s declares ends with it */
#endif

/* ---- lower_stmt.c, lower_func.c ---- */
void lo_stmt(struct lower *l, struct stmt *s);
void lo_member_inits(struct lower *l, struct func *fn); /* of a constructor */
void lo_local(struct lower *l, struct var *v);
/* The value of a constexpr variable that the front end has worked out; NULL: it has to be computed.
 */
struct ir_value *lo_known(struct lower *l, struct var *v);
/* A function that no source has: made, its body written by `body`. */
void lo_made(struct lower *l, struct ir_func *fn, void (*body)(struct lower *, void *), void *arg);
void lo_mark(struct expr *e); /* as the bodies of functions are, before they are lowered */
void lo_work(struct lower *l, size_t *done); /* bodies that were reached; from *done on */

#include "front/cuda/lower/host.h"

#endif
