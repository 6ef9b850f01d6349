/* What the files that split off the host half share. */
#ifndef FRONT_CUDA_HOST_INT_H
#define FRONT_CUDA_HOST_INT_H

#include "front/cuda/host/host.h"

enum kind { END, WORD, NUMBER, TEXT, PUNCT };

struct tok {
    uint8_t kind;
    char
        punct; /* first character of a PUNCT; '<' and '>' are single, so that template lists nest */
    uint32_t at, len;
    uint32_t match; /* of a bracket: index of its partner; else 0 */
};

struct edit {
    uint32_t at, remove;
    const char *insert;
};

struct host_body { /* of a function that is the host's alone */
    uint32_t params, open;
};

struct splitter {
    struct arena *arena;
    struct diag *diag;
    struct source_map *sources;
    source_loc base;
    const char *text;
    uint32_t len;
    VEC(struct tok) toks;
    VEC(struct edit) edits;
    VEC(const char *) scope; /* names of the namespaces around, "" for unnamed ones */
    VEC(uint32_t) templates; /* the '<' of the template lists around a declaration */
    uint32_t top;            /* first token of the declaration at namespace scope */
    uint32_t record;         /* the '{' of the class whose members are read, or 0 */
    bool device;             /* the device half: only closures are of interest */
    bool own;                /* the host half, for our own compiler: so it is here */
    bool marked;             /* the text's line markers are in `sources` */
    struct system_part {     /* and where system headers begin, or end */
        uint32_t at;
        bool system;
    } * parts;
    size_t nparts;
    unsigned closures;
    struct host_result *result;
    unsigned counter;
    bool linked; /* -rdc=true: variables are seen by other files */
    struct interner words;
    struct map functions; /* by name: what it is declared as (calls.c) */
    struct map kernels;   /* kernel templates by name: the edit of the first one's stub */
    VEC(struct host_body) bodies;
    VEC(const char *) elsewhere; /* device variables that were declared extern */
};

bool host_is(struct splitter *s, uint32_t i, const char *word);
bool host_is_one_of(struct splitter *s, uint32_t i, const char *const *words);
bool host_is_punct(struct splitter *s, uint32_t i, char c);
const char *host_spelled(struct splitter *s, uint32_t i);
/* Behind a template list that opens at i ('<'): brackets are jumped over, so that only < and >
 * count. */
uint32_t host_after_angles(struct splitter *s, uint32_t i);
void host_edit(struct splitter *s, uint32_t at, uint32_t remove, const char *insert);
struct span host_where(struct splitter *s, uint32_t i);
/* The name a parameter declares, or 0. */
uint32_t host_parameter_name(struct splitter *s, uint32_t from, uint32_t to);
/* The end of the list item that starts at i, in a list that closes at `close`. */
uint32_t host_item_end(struct splitter *s, uint32_t i, uint32_t close);

/* calls.c: what functions are called, which bodies are the host's alone; then whether these call
 * what only the device has */
void host_note_function(struct splitter *s, uint32_t name, bool kernel, bool device, bool host);
void host_note_other(struct splitter *s, uint32_t name);    /* a variable */
void host_note_variable(struct splitter *s, uint32_t name); /* of the device, not managed */
void host_note_body(struct splitter *s, uint32_t params, uint32_t body);
void host_check_calls(struct splitter *s);

/* alias.c: using X = X<T>; in classes */
void host_aliases(struct splitter *s);

/* lambda.c: closures marked __device__ in the host function with these parameters and body,
 * and with this name: A::f is a member */
void host_closures(struct splitter *s, uint32_t name, uint32_t params, uint32_t body);

#endif
