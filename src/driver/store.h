/* What a source came to, as bytes: the module, the places that it names, what was asked for by name
 * expression. Whoever has them need not compile the source again (rt/module.c). */
#ifndef DRIVER_STORE_H
#define DRIVER_STORE_H

#include "driver/pipeline.h"

/* c has no ir_debug. Where there is no memory for it, out->failed. */
void compile_store(struct compilation *c, struct sbuf *out);
/* Starts a compilation with what another came to, as compile_distil does; of the sources only the
 * lines that the module comes from are there. Not TERN_OK: the bytes are none of compile_store's,
 * or there is no memory. Followed by compile_free, also on failure. */
enum tern_error compile_restore(struct compilation *c, const void *data, size_t n);

#endif
