/* One call for programs that emulate a GPU: compile PTX and run it on host memory. */
#ifndef TERN_PTX_RUN_H
#define TERN_PTX_RUN_H

#ifdef __cplusplus
extern "C" {
#endif

/* Runs the module's one kernel (its first, if there are several) with blocks of bx × by × bz
 * threads in a grid of gx × gy × gz, and waits. Each of args is the value of a parameter, in a
 * pointer's bytes: an address of host memory, or a number. Modules are kept, so that the same text
 * is compiled once. Gives an error number of error.def, and says why on standard error; 0: it ran.
 */
int tern_ptx_run(const char *ptx, int nargs, void **args, int bx, int by, int bz, int gx, int gy,
                 int gz, int shared_bytes);

#ifdef __cplusplus
}
#endif

#endif
