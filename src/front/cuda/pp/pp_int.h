/* Inside the preprocessor: the lexer, macros, the stack of files and the stack of macro expansions.
 */
#ifndef FRONT_CUDA_PP_INT_H
#define FRONT_CUDA_PP_INT_H

#include "front/cuda/pp/pp.h"

/* Kinds of token that never leave the preprocessor. STRING and CHAR tokens carry their spelling in
 * u.text here and are decoded when they leave. */
enum {
    PP_EOL = TOKEN_INTERNAL, /* end of a directive's line */
    PP_OTHER,                /* u.text: a stray byte, or a literal without its closing quote */
    PP_PARAM,                /* in a macro body: u.text is the parameter's name, .len its index */
    PP_STRINGIZE,            /* the same after a # */
    PP_VA_OPT,               /* u.value tokens follow that depend on the variable arguments */
    PP_VA_OPT_STRINGIZE,
    PP_PLACEMARKER, /* an empty operand of ## */
    PP_LAZY,        /* u.text.ptr is a struct pp_lazy: the tokens of an image's item */
};
/* Token flags of the preprocessor only. */
enum {
    PP_NO_EXPAND = 8, /* named a macro that was being expanded: never expand it again */
    PP_PASTE = 16,    /* in a macro body: ## stands after this token */
};

enum {
    PP_MAX_INCLUDE_DEPTH = 200,
    PP_MAX_INCLUDES = 20000,
    PP_MAX_INCLUDED_BYTES = 64 << 20,
    PP_MAX_PATH = 4096,
    PP_MAX_PARAMS = 256,
    PP_MAX_ARGUMENT_TOKENS = 1 << 18,
    PP_MAX_LINE_TOKENS = 1 << 18, /* of a directive */
    PP_MAX_MACRO_NESTING = 256,
    PP_MAX_BRACKETS = 2000,
    PP_MAX_EXPRESSION_DEPTH = 200,
    PP_EXPANSION_TOKENS = 2 << 20, /* tokens that macros may make, plus 16 for each source byte */
};

struct lexer {
    const char *p, *end; /* *end is NUL */
    const char *text;
    source_loc base; /* location of text[0] */
    struct interner *names;
    struct arena *arena;
    struct diag *diag; /* NULL: say nothing */
    uint8_t flags;     /* or'ed into each token's */
    bool bol;          /* nothing but white space so far on this line */
    bool directive;    /* a newline ends with PP_EOL */
    bool no_splice;    /* splices are already out of the text */
};

void lex_init(struct lexer *lx, struct arena *a, struct interner *names, struct diag *d,
              const char *text, size_t len, source_loc base);
void lex_token(struct lexer *lx, struct token *t);
/* Goes on to the next # that begins a line; past it if there is one. For groups #if leaves out. */
bool lex_skip_to_hash(struct lexer *lx);
void lex_spelling(const struct token *t, struct sbuf *out);

/* Decodes spelled string literals, joined, or one character literal, into t. */
struct literal_piece {
    struct str text;
    struct span span;
};
void literal_string(struct arena *a, struct diag *d, struct sbuf *scratch,
                    const struct literal_piece *pieces, size_t n, struct token *t);
void literal_char(struct diag *d, struct token *t);

enum macro_kind {
    MACRO_OBJECT,
    MACRO_FUNCTION,
    MACRO_NAMED_PUNCT, /* and, or, not … */
    MACRO_LINE,
    MACRO_FILE,
    MACRO_BASE_FILE,
    MACRO_COUNTER,
    MACRO_INCLUDE_LEVEL,
    MACRO_DATE,
    MACRO_TIME,
    MACRO_PRAGMA_OPERATOR,
    MACRO_DEFINED, /* from here on: in #if only */
    MACRO_HAS_INCLUDE,
    MACRO_HAS_INCLUDE_NEXT,
    MACRO_HAS_ATTRIBUTE,
    MACRO_HAS_BUILTIN,
    MACRO_WORD, /* one of the language here, a macro elsewhere: programs ask whether it is defined
                 */
};

struct macro {
    const char *name;
    struct span span; /* of the name in its definition */
    uint8_t kind;
    uint8_t punct; /* MACRO_NAMED_PUNCT */
    bool variadic, active;
    bool plain;  /* the body has no parameter, # or ## in it */
    bool system; /* from our own headers */
    uint32_t nparams, nbody;
    const char **params;
    struct token *body;
    source_loc body_loc; /* the body's tokens lie in [body_loc, body_loc + body_len) */
    uint32_t body_len;
};

struct pushed_macro {
    struct macro *macro; /* NULL: it was not defined */
    struct pushed_macro *next;
};

struct tokbuf {
    struct token *data;
    uint32_t len;
    uint8_t log2cap;
    struct tokbuf *next;
};

/* Tokens being rescanned. */
struct context {
    const struct token *cur, *end;
    struct macro *macro; /* switched off until this context ends */
    struct tokbuf *owned;
    uint32_t shift;      /* added to locations */
    uint8_t first_flags; /* of the macro's name, for the first token */
    bool first, barrier; /* barrier: give EOF at the end and stay */
};

struct pp_header {
    const char *path;
    const char *text; /* NULL: not there */
    size_t len;
    const char *guard; /* the file is empty while this macro is defined */
    uint64_t hash;
    const struct embedded_file *file; /* of ours: text is NULL until it is read */
    bool once, read, system, embedded;
};

struct cond {
    struct span span;
    bool taken, seen_else;
};

enum guard_state { GUARD_START, GUARD_INSIDE, GUARD_AFTER, GUARD_NONE };

/* A declaration of an image that is left out unless something leads to its name. */
struct pp_lazy {
    const char *name;
    const unsigned char *bytes;
    source_loc loc; /* before it */
    uint32_t count; /* of its tokens */
};

/* A file being read. */
struct pp_buffer {
    struct lexer lx;
    struct pp_header *header;
    struct source_file *file;
    const char *dir; /* where "…" is looked up first */
    int dir_index;   /* of include_dirs; -1: not found through one */
    size_t conds;    /* pp->conds.len when it began */
    enum guard_state guard_state;
    const char *guard;
    const char *counted; /* lines have been counted up to here, for #line */
    uint32_t line;
    const unsigned char *image; /* what is left of it (image.h); NULL: the text is read */
    source_loc image_loc;
};

struct token_range {
    size_t from, to;
};

struct pp {
    struct arena *arena;
    struct interner *names;
    struct source_map *sm;
    struct diag *diag;
    const struct pp_options *opt;
    struct pp_result *out;
    struct map macros;  /* name → struct macro */
    struct map headers; /* path → struct pp_header */
    struct map skipped; /* names of headers already remembered as skipped */
    struct map pushed;  /* name → struct pushed_macro: #pragma push_macro */
    VEC(struct pp_buffer *) buffers;
    struct pp_buffer *buf; /* the innermost */
    VEC(struct context) contexts;
    VEC(struct cond) conds;
    VEC(struct token) tokens;
    size_t prelude_end; /* of tokens: what comes after is the user's, or asked for by the user */
    VEC(struct token_range) asked;     /* tokens of our own headers that the user's files include */
    size_t asked_depth;                /* buffers when the last of them began; 0: it is over */
    VEC(struct literal_piece) strings; /* waiting for their neighbours */
    struct token string_first;
    struct tokbuf *free_bufs[32];
    struct sbuf scratch;
    struct token peeked;
    bool have_peeked;
    bool in_if;
    bool stop;
    unsigned nesting; /* of argument expansion */
    unsigned brackets;
    unsigned counter, includes;
    size_t included_bytes;
    uint64_t budget;
    const char *va_args, *va_opt, *base_path;
    const struct image_set *images; /* NULL: none can be used */
    const char **image_names;       /* interned words */
    bool resting;                   /* the next token is nobody's argument: an image may come */
};

/* pp.c: files and tokens out */
/* pp_run, on a pp that is all zero: for who wants to look at it afterwards. */
bool pp_run_with(struct pp *pp, struct arena *a, struct interner *names, struct source_map *sm,
                 struct diag *d, const struct pp_options *opt, const char *path, const char *text,
                 size_t len, struct pp_result *out);
void pp_fatal(struct pp *pp, struct span at, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void pp_file_token(struct pp *pp, struct token *t); /* next from files; acts on directives */
void pp_push_file(struct pp *pp, struct pp_header *h, struct span at, int dir_index);
void pp_emit_all(struct pp *pp); /* to the end of the files */
/* Acts on a pragma; t stays TOKEN_PRAGMA if the parser is to see it. */
void pp_pragma(struct pp *pp, struct token *t, struct span at);

/* image.c */
#if defined(TERN_SMALL) || defined(TERN_RECORD)
#define pp_images_start(pp)      ((void)0)
#define pp_image_of(pp, h)       ((const struct image *)0)
#define pp_image_begin(pp, i, h) true
#define pp_image_run(pp, b)      false
#define pp_image_read(pp, l, t)  ((void)0)
#define pp_image_bytes(i)        NULL
#else
struct image;
void pp_images_start(struct pp *pp);
const struct image *pp_image_of(struct pp *pp, const struct pp_header *h); /* NULL: none to use */
/* False: the header's guard is there already. */
bool pp_image_begin(struct pp *pp, const struct image *i, struct pp_header *h);
const unsigned char *pp_image_bytes(const struct image *i);
/* Goes on to the next file that the image includes; false: to its end. */
bool pp_image_run(struct pp *pp, struct pp_buffer *b);
void pp_image_read(struct pp *pp, const struct pp_lazy *l, struct token *out);
#endif

/* What tool/image.c is told of, to make images. */
enum pp_event {
    PP_BEGINS,    /* a file: struct pp_buffer */
    PP_ENDS,      /* as above */
    PP_WANTS,     /* a header is included, whether or not it is read then: struct pp_header */
    PP_INCLUDES,  /* struct pp_included */
    PP_GIVES,     /* struct token */
    PP_DEFINES,   /* struct macro */
    PP_UNDEFINES, /* a name */
    PP_ASKS,      /* whether a name is a macro: the name */
    PP_USES,      /* struct macro */
    PP_ODD,       /* something that no image has: what */
};
struct pp_included {
    const char *name;
    bool quoted, next;
    struct span at;
};
#ifdef TERN_RECORD
void pp_record(struct pp *pp, enum pp_event what, const void *it);
#else
#define pp_record(pp, what, it) ((void)0)
#endif
/* A condition asked for a macro, or for whether there is one (m NULL: there is none). */
void pp_asked_for(struct pp *pp, const struct token *name, struct macro *m);

/* pp_header.c: what an #include names */
enum header_found { HEADER_READ, HEADER_SKIP, HEADER_ABSENT };
struct pp_header *pp_embedded(struct pp *pp, const char *name); /* NULL: not one of ours */
enum header_found pp_find_header(struct pp *pp, const char *name, bool quoted, bool next,
                                 struct pp_header **header, int *dir_index, enum pp_skip *why,
                                 const char **declares);
void pp_note_searched(struct pp *pp, const char *name, bool quoted, struct span at);

/* pp_directive.c */
void pp_include(struct pp *pp, const char *name, bool quoted, bool next, struct span at);
bool pp_directive(struct pp *pp, struct token *t); /* t is the #; true: it became a pragma token */
void pp_end_file(struct pp *pp, struct pp_buffer *b);
bool pp_header_name(struct pp *pp, struct tokbuf *line, uint32_t at, const char **name,
                    bool *quoted, uint32_t *next);

/* pp_expr.c: the value of an #if line */
bool pp_condition(struct pp *pp, struct tokbuf *line, struct span at);

/* pp_macro.c */
void pp_next(struct pp *pp, struct token *t); /* next token, macros expanded */
void pp_define(struct pp *pp, struct tokbuf *line, struct span at); /* PP_EOL lies past its end */
void pp_expand_line(struct pp *pp, struct tokbuf *line, struct tokbuf **out);
struct tokbuf *pp_buf_get(struct pp *pp, uint32_t cap);
void pp_buf_put(struct pp *pp, struct tokbuf *b);
void pp_buf_push(struct pp *pp, struct tokbuf **b, const struct token *t);
void pp_builtin_macros(struct pp *pp);

/* pp_predef.c */
void pp_predefined(const struct pp_options *opt, struct sbuf *out);   /* includes the prelude */
void pp_command_line(const struct pp_options *opt, struct sbuf *out); /* -D, -U, -include as text */

/* pp_pull.c: adds the parts of the prelude that the tokens turn out to need */
/* Reads a header and puts its tokens at `to`. */
void pp_pull_file(struct pp *pp, struct pp_header *h, size_t to);
void pp_library(struct pp *pp); /* pp_library.c */
/* The declarations that pp->tokens are made of, with their names where they may be left out. */
struct pp_item {
    const char *name;
    size_t from, to;
};
size_t pp_items(struct pp *pp, struct pp_item **items);
void pp_pull(struct pp *pp);
void pp_pull_wide(struct pp *pp);

static inline struct macro *pp_macro(const struct pp *pp, const char *name)
{
    return map_get(&pp->macros, map_key(name));
}

static inline bool token_is(const struct token *t, enum punct p)
{
    return t->kind == TOKEN_PUNCT && t->punct == p;
}

#endif
