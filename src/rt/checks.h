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
/* What is said where the list was too short. */
struct report checks_too_many(const char *kernel);

#endif
