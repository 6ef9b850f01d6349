/* Source text → PTX, without a device: what run-time compilation gives. */
#ifndef RT_COMPILE_H
#define RT_COMPILE_H

#include "base/base.h"
#include "driver/mode.h"

struct rt_header {
    const char *name, *text;
};

struct rt_define {
    char kind; /* 'D', 'U', or 'i': a header to begin with */
    const char *text;
};

struct rt_request {
    const char *path, *text;
    const char *const *names; /* name expressions */
    size_t nnames;
    const struct rt_header *headers; /* by the names they are included by */
    size_t nheaders;
    const char *const *include_dirs; /* searched on disk */
    size_t ninclude_dirs;
    const struct rt_define *defines;
    size_t ndefines;
    const char *standard; /* c++20, …; NULL: c++17 */
    struct compile_mode mode;
    bool line_info;
    bool default_device; /* what says nothing of where it lives is the device's */
};

struct rt_compiled {
    char *text;
    size_t length;
    char *log;      /* diagnostics; NULL: there are none */
    char **symbols; /* for each of the names: what it is called in the text; NULL: no such kernel */
    size_t nsymbols;
};

/* The result is to be freed also when the program was refused. */
enum tern_error rt_compile(const struct rt_request *r, struct rt_compiled *out);
void rt_compiled_free(struct rt_compiled *c);

#endif
