/* The list that a GPU's kernels leave for a checker (struct device_checks of back/output.h). */
#ifndef RT_CHECKS_H
#define RT_CHECKS_H

#include "back/output.h"
#include "check/check.h"

/* What the kernel may use: the program's memory, and n places of the device's own. */
void checks_ranges(struct device_checks *head, struct check *c, const struct check_range *own,
                   size_t n);
/* Hands on the first n records, as far as they are written. is_local: NULL, or of addresses that
 * are nobody's. */
void checks_read(struct check_launch *l, const struct device_checks *head,
                 const struct device_check *records, uint32_t n,
                 bool (*is_local)(void *ctx, uint64_t address), void *ctx);
/* Device memory for a checked program: by alloc, with room on both sides; release gives it back. */
struct checks_memory {
    enum tern_error (*alloc)(struct dev *d, uint64_t size, uint32_t align, const char *name,
                             uint64_t *out);
    void (*release)(struct dev *d, uint64_t start);
};
enum tern_error checks_alloc(struct check *c, struct dev *d, const struct checks_memory *m,
                             uint64_t size, uint32_t align, const char *name, uint64_t *out);
/* What is said where the list was too short. */
struct report checks_too_many(const char *kernel);

#endif
