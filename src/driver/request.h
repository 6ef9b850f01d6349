/* A request to the compiler as data: JSON in, JSON and the output's bytes out. What the compiler as
 * WebAssembly, `tern serve` and `tern analyze --json` answer with, so that all of them agree.
 *
 * A request is an object:
 *   do        "compile" (default) or "analyze"
 *   source    the text; path names it in diagnostics and decides the language (kernel.cu)
 *   to        a target's name, or "ir"
 *   kernel    emit only this one; names: template kernels to instantiate
 *   defines   ["N=4", …]; files: {"name.h": "text"}, for #include
 *   f64       "fast": pairs of floats; else exact
 *   level     0 to 2; fmad: true; beside: as in struct back_options
 *   block     [x, y, z], threads of a block: for "analyze", and targets that have such an option
 *   any of the target's own options by its name (struct back_option): a number, a truth value or an
 *             array; C comes standalone
 * The reply: ok, diagnostics (an array, as diag_render_json writes it), binary, and for "analyze"
 * kernels and globals (advise_kernel). */
#ifndef DRIVER_REQUEST_H
#define DRIVER_REQUEST_H

#include "driver/pipeline.h"

/* Both buffers are the caller's, over plain malloc. */
void request_answer(const char *json, size_t len, struct sbuf *reply, struct sbuf *output);

/* What there is to say of a compiled module's kernels (level 2): as JSON, or as text with carets.
 */
enum request_form { REQUEST_JSON, REQUEST_TEXT, REQUEST_COLOR };
enum tern_error request_analysis(struct compilation *c, const uint32_t block[3],
                                 enum request_form form, struct sbuf *out);

#endif
