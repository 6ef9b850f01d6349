/* How a program holds the device half of one of its files, for those who write it (terncc) and
 * those who read it: packed, behind this head; or, in host code that is to be read (terncc -cuda),
 * as plain text. In an object file a section says which halves it has: for each its symbol (the end
 * has _end behind it), path and flags, as strings one after the other. */
#ifndef CUDA_PACKED_H
#define CUDA_PACKED_H

#include <stddef.h>
#include <stdint.h>

#define PACKED_MAGIC   "\0LZ" /* no text starts so; a block of LZ4 follows */
#define PACKED_SECTION ".tern.unit"
#define PACKED_SHAPES                                                                              \
    ".tern.shapes" /* its symbol, then blocks it is launched with: 16,16,1 256,1,1 *; * is any */

struct packed_head {
    char magic[4];
    uint32_t bytes; /* of the text */
};

/* The text; *owned is what free() then gets. NULL: out of memory, or damaged. */
const char *packed_text(const char *from, size_t bytes, size_t *len, char **owned);

/* From the demangled name of the class that is local to a kernel's stub to a name expression:
 *   ns::(anonymous namespace)::scale<float, 4>(float*, float, int)::__tern_tag
 * gives ns::scale<float, 4>; with its parameters where the class is __tern_tags (several templates
 * have the name). Functions among the arguments, &(void f<int>(char const*)), lose their
 * types too, &f<int>: the template's parameter has the type that picks one of several. */
void packed_kernel_name(const char *tag, char *out, size_t size);

/* The same from the mangled name, ZN2ns5scaleIfLi4EEEvPT_fiE10__tern_tag (demangle.c), for those
 * that the C++ library's demangler does not take; free() it. NULL: it names what has no name. */
char *packed_demangled(const char *tag);

#endif
