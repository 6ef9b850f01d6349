/* PTX is not read in pages: the front end for it would be a fifteenth of what they load. `tern`
 * reads it. */
#include "base/diag.h"
#include "front/ptx/ptx.h"

bool ptx_front(struct ptx_job *job)
{
    diag_error(job->diag, (struct span){0}, "%s: this compiler reads CUDA, not PTX", job->path);
    return false;
}
