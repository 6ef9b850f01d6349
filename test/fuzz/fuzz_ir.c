/* The text form of the IR: refusing comes with a reason, and what passes the verifier prints to a
 * text that reads back to the same text. */
#include "fuzz.h"

#include <string.h>
#include "ir/ir.h"

struct reading {
    struct interner names;
    struct source_map sources;
    struct diag diag;
};

static struct ir_module *read_module(struct arena *a, struct reading *r, const char *text,
                                     size_t size)
{
    intern_init(&r->names, a);
    source_init(&r->sources, a);
    diag_init(&r->diag, a, &r->sources);
    return ir_parse(a, &r->names, &r->sources, &r->diag, "fuzz.ir", text, size);
}

static void fuzz(struct arena *a, const char *text, size_t size)
{
    struct reading first, second;
    struct sbuf once, twice, messages;
    sbuf_init(&once, a);
    sbuf_init(&twice, a);
    sbuf_init(&messages, a);
    struct ir_module *m = read_module(a, &first, text, size);
    bool good = m && ir_verify(m, &first.diag, NULL);
    diag_render_text(&first.diag, &messages, false);
    if (!good) {
        if (!first.diag.errors)
            abort();
        return;
    }
    ir_print(m, &once, 0);
    m = read_module(a, &second, once.data, once.len);
    if (!m || !ir_verify(m, &second.diag, NULL))
        abort();
    ir_print(m, &twice, 0);
    if (once.len != twice.len || memcmp(once.data, twice.data, once.len))
        abort();
}

FUZZ_TARGET(fuzz)
