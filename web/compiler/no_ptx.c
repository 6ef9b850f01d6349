/* PTX is not read in pages: the front end for it would be a fifteenth of what they load. `tern`
 * reads it. Of inline PTX pages have what kernels for them use. */
#include "base/diag.h"
#include "driver/pipeline.h"
#include "front/ptx/ptx.h"
#include "front/ptxops/matrix_int.h"
#include "lower/lower.h"

bool ptx_front(struct ptx_job *job)
{
    diag_error(job->diag, (struct span){0}, "%s: this compiler reads CUDA, not PTX", job->path);
    return false;
}

static bool not_here(struct px *p, const struct px_stmt *s)
{
    return px_refuse(p, s, "this compiler, for pages, does not have the instruction");
}

#define NOT_HERE(handler)                                                                          \
    bool px_##handler(struct px *p, struct px_stmt *s, const struct px_row *row)                   \
    {                                                                                              \
        (void)row;                                                                                 \
        return not_here(p, s);                                                                     \
    }
NOT_HERE(hint)
NOT_HERE(mbarrier)
NOT_HERE(query)
NOT_HERE(surface)
NOT_HERE(surface_atomic)
NOT_HERE(tex)
NOT_HERE(wgmma)
NOT_HERE(wmma)

bool px_mma_sum(struct px *p, struct px_stmt *s)
{
    return not_here(p, s);
}

bool px_bulk_copy(struct px *p, struct px_stmt *s)
{
    return not_here(p, s);
}

bool px_mbarrier_copies(struct px *p, struct px_stmt *s)
{
    return not_here(p, s);
}

bool px_mbarrier_told(struct px *p, struct px_stmt *s, uint32_t which, uint32_t bytes)
{
    (void)which, (void)bytes;
    return not_here(p, s);
}

bool px_proxy_fence(struct px *p, struct px_stmt *s)
{
    (void)p, (void)s;
    return false;
}

bool compile_is_plain(const struct ir_module *m)
{
    (void)m;
    return true;
}

bool compile_synchronise(struct compilation *c, struct ir_module *m, enum compile_clusters how)
{
    (void)how;
    ir_each_func (f, m)
        ir_each_block (b, f)
            ir_each_inst (i, b)
                if (ir_is_async(i->op)) {
                    diag_error(&c->diag, i->span, "this compiler, for pages, has no clusters");
                    return false;
                }
    return true;
}

bool lower_has_async(const struct ir_module *m)
{
    (void)m;
    return false;
}
