/* Modules as bytes, for whoever keeps them: all that canonical IR is, hints and places included,
 * which its text does without. Made and read by one build of Tern: the form has no version, what is
 * kept goes under a key that names its maker (rt/image.h). What debuggers are told (ir/debug.h) is
 * not stored. */
#ifndef IR_STORE_H
#define IR_STORE_H

#include "ir/ir.h"

struct ir_writer {
    struct sbuf *out;
    struct map strings; /* interned string → its number */
    uint32_t count;
};
void ir_writer_init(struct ir_writer *w, struct arena *a, struct sbuf *out);
void ir_put(struct ir_writer *w, uint64_t n);
void ir_put_string(struct ir_writer *w, const char *interned); /* or NULL; each stands there once */
void ir_store(struct ir_writer *w,
              struct ir_module *m); /* renumbers; leaves scratch fields dirty */

struct ir_reader {
    const uint8_t *at, *end;
    struct arena *arena;
    struct interner *names;
    VEC(const char *) strings;
    bool bad; /* the bytes are no module; what is read from there on is 0 */
};
void ir_reader_init(struct ir_reader *r, struct arena *a, struct interner *names, const void *data,
                    size_t n);
uint64_t ir_get(struct ir_reader *r);
uint32_t ir_get_count(struct ir_reader *r); /* of things that take a byte or more each */
const char *ir_get_string(struct ir_reader *r);
struct ir_module *ir_restore(struct ir_reader *r); /* NULL: bad */

#endif
