/* Kernels that a kernel on a GPU has launched, as its records say (back/output.h). */
#ifndef RT_CHILDREN_H
#define RT_CHILDREN_H

#include "back/output.h"
#include "rt/dev.h"

struct child {
    struct child *next;
    struct device_child what;
    uint32_t param_bytes; /* whole words */
    uint32_t params[];
};

/* Adds the child of a record's payload in the order in which they run. False: out of memory, or the
 * record is none. */
bool children_add(struct child **list, const uint32_t *words, uint32_t n);
struct dev_launch child_launch(const struct child *c);
void children_free(struct child *list);

#endif
