/* The preprocessor: files in, one token array out. */
#ifndef FRONT_CUDA_PP_H
#define FRONT_CUDA_PP_H

#include "front/cuda/pp/token.h"

enum pp_switch_kind { PP_DEFINE, PP_UNDEF, PP_INCLUDE };
struct pp_switch {
    enum pp_switch_kind kind;
    const char *text; /* "NAME=VALUE", "NAME", or a path for -include */
};

/* Of Debian's kind, too, which have a folder for each processor. */
#define PP_SYSTEM_DIRS                                                                             \
    "/usr/local/include", "/usr/include", "/usr/include/x86_64-linux-gnu",                         \
        "/usr/include/aarch64-linux-gnu"

struct pp_options {
    const char *const *include_dirs;
    size_t ninclude_dirs;
    /* Where the host compiler looks, e.g. /usr/include. Headers found there are never read for the
     * device half: they are skipped and remembered. */
    const char *const *system_dirs;
    size_t nsystem_dirs;
    const struct pp_switch *switches; /* in command-line order */
    size_t nswitches;
    bool device;     /* __CUDA_ARCH__ is defined */
    bool host;       /* the host half, for our own lowering: see front/cuda/lower/host.h */
    bool page;       /* host: for WebAssembly, not for the machine that this runs on */
    bool fast_math;  /* __USE_FAST_MATH__ is */
    bool no_prelude; /* do not include cuda_runtime.h first */
    bool no_images;  /* read the text of our headers, where image.h would do */
    const char *const *requests; /* names that are asked for afterwards: their words count, too */
    size_t nrequests;
    unsigned arch;        /* 0 is 800 */
    const char *standard; /* what -std names: c++20, gnu++17; NULL is c++17 */
    /* Reads a file (NULL: not there). The driver supplies it; tests and the browser have no disk.
     */
    char *(*read_file)(void *ctx, struct arena *a, const char *path, size_t *len);
    void *read_ctx;
};

/* Headers that were asked for and not read, because only host code needs them or because Tern does
 * not have them yet. They are no error until device code uses a name that one of them declares. */
enum pp_skip { PP_SKIP_HOST, PP_SKIP_NOT_PROVIDED };
struct pp_skipped {
    const char *name; /* as written between < > or quotes */
    struct span at;
    enum pp_skip why;
    const char *declares; /* names it would declare: words, a final * matches any ending */
};

struct macro;

struct pp_result {
    struct token_list tokens;
    VEC(const char *) dependencies; /* files read, for -M */
    VEC(struct pp_skipped) skipped;
    VEC(struct macro *) settings; /* the user's, that conditions in our headers asked for */
    VEC(const char *) unread; /* names of our headers' functions that were left out, as unused */
    source_loc prelude, prelude_end, pulled, pulled_end; /* of what nobody includes by name */
};

/* The skipped header that an unknown name would come from ("thrust" → <thrust/sort.h>), or NULL.
 * The diagnostic for an unknown name asks this, and says "not provided yet: <thrust/sort.h>". */
const struct pp_skipped *pp_skipped_for(const struct pp_result *r, const char *name);

/* Our own headers are compiled into the program: name → text. */
struct embedded_file {
    const char *name;
    const char *text; /* packed (unpack.c) where packed is not 0 */
    size_t len, packed;
};
const char *embedded_text(struct arena *a, const struct embedded_file *e); /* 0 follows it */
const struct embedded_file *embedded_header(const char *name); /* "cuda_runtime.h"; NULL: none */
const struct embedded_file *embedded_files(size_t *n);         /* all of them, sorted by name */

/* The device library, a declaration each, in order; with those that it needs, by number. What
 * belongs to a part follows what belongs to the part before, in library_text and in
 * library_needs: without pointers a table of hundreds packs to nearly nothing. */
struct library_part {
    unsigned short len;           /* of the text */
    unsigned char name, name_len; /* where in the text */
    unsigned char needs;          /* how many */
};
extern const struct library_part library_parts[];
extern const char library_text[];
extern const unsigned short library_needs[];
extern const size_t library_count;

/* Preprocesses text, whose name is path. Diagnostics go to d; false if there was an error, and then
 * out->tokens may still be parsed for what it is worth. */
bool pp_run(struct arena *a, struct interner *names, struct source_map *sm, struct diag *d,
            const struct pp_options *opt, const char *path, const char *text, size_t len,
            struct pp_result *out);

/* What __cplusplus is in the language that -std names (NULL: C++17); 0: there is none of that name.
 */
unsigned pp_standard(const char *name);

/* The tokens as text again, with line breaks where the source had them: what -E shows. Headers that
 * are ours, or that were skipped, are included by name. */
void pp_print(const struct pp_result *r, const struct source_map *sm, struct sbuf *out);

#endif
