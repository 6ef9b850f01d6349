/* Whatever the verifier lets pass, the interpreter runs: to its end, to a fault with a message, or
 * until its time is up, touching no memory but its own. */
#include "fuzz.h"

#include <string.h>
#include "interp/interp.h"

#define BUFFER 4096

static void run(struct interp *machine, struct interp_func *kernel, const struct ir_func *f)
{
    uint64_t buffer;
    uint8_t *params = calloc(1, f->param_bytes + 8);
    if (!params || interp_alloc(machine, BUFFER, 16, INTERP_GLOBAL, "buffer", &buffer) != TERN_OK)
        abort();
    for (size_t i = 0; i < f->params.len; i++) {
        const struct ir_param *p = &f->params.data[i];
        if (ir_kind(p->type) == IR_PTR && !p->byval_size && ir_lanes(p->type) == 1)
            memcpy(params + p->offset, &buffer, 8);
        else if (!p->byval_size)
            params[p->offset] = 40;
    }
    const struct interp_launch l = {.grid = {2, 1, 1},
                                    .block = {40, 1, 1},
                                    .shared = 64,
                                    .params = params,
                                    .param_bytes = f->param_bytes,
                                    .cooperative = true,
                                    .timeout_ns = 20000000};
    const enum tern_error e = interp_launch(machine, kernel, &l);
    if (e != TERN_OK && !interp_fault(machine))
        abort();
    interp_reset_fault(machine);
    interp_free(machine, buffer);
    free(params);
}

static void fuzz(struct arena *a, const char *text, size_t size)
{
    struct interner names;
    struct source_map sources;
    struct diag diag;
    struct interp *machine;
    struct interp_module *mod;
    intern_init(&names, a);
    source_init(&sources, a);
    diag_init(&diag, a, &sources);
    struct ir_module *m = ir_parse(a, &names, &sources, &diag, "fuzz.ir", text, size);
    if (!m || !ir_verify(m, &diag, NULL) || interp_create(NULL, &machine) != TERN_OK)
        return;
    if (interp_load(machine, m, &diag, &mod) == TERN_OK) {
        ir_each_func (f, m)
            if (f->flags & IR_FUNC_KERNEL && f->first)
                run(machine, interp_kernel(mod, f->name), f);
    } else if (!diag.errors) {
        abort();
    }
    interp_destroy(machine);
}

FUZZ_TARGET(fuzz)
