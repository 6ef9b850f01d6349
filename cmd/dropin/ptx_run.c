/* libptxrun.so: tern_ptx_run under the short name that emulators of PTX go by, for programs that
 * load a library and look for it. */
#include "tern/ptx_run.h"

int ptx_run(const char *ptx, int nargs, void **args, int bx, int by, int bz, int gx, int gy, int gz,
            int shared_bytes);

int ptx_run(const char *ptx, int nargs, void **args, int bx, int by, int bz, int gx, int gy, int gz,
            int shared_bytes)
{
    return tern_ptx_run(ptx, nargs, args, bx, by, bz, gx, gy, gz, shared_bytes);
}
