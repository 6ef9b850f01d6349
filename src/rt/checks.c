#include "rt/checks.h"
#include <stdlib.h>
#include <string.h>

enum tern_error checks_alloc(struct check *c, struct dev *d, const struct checks_memory *m,
                             uint64_t size, uint32_t align, const char *name, uint64_t *out)
{
    const uint64_t room = CHECK_GRANULE;
    if (!size || align > room)
        return TERN_INVALID_ARGUMENT;
    if (size > UINT64_MAX / 4)
        return TERN_OUT_OF_MEMORY;
    const uint64_t mapped = (size + room - 1) / room * room + 2 * room;
    uint64_t start;
    const enum tern_error e = m->alloc(d, mapped + room, align, name, &start);
    if (e)
        return e;
    *out = (start + room - 1) / room * room + room;
    return check_adopt(c, *out, size, mapped, m->release, d);
}

static bool add(struct device_checks *head, uint64_t base, uint64_t end)
{
    uint32_t k = head->nranges;
    if (base == end || k == sizeof head->ranges / sizeof *head->ranges)
        return base == end;
    for (; k && head->ranges[k - 1].base > base; k--)
        head->ranges[k] = head->ranges[k - 1];
    head->ranges[k] = (struct device_check_range){base, end};
    head->nranges++;
    return true;
}

void checks_ranges(struct device_checks *head, struct check *c, const struct check_range *own,
                   size_t n)
{
    size_t known = 0;
    struct check_range *all = check_ranges(c, &known);
    bool fits = all != NULL;
    head->nranges = 0;
    for (size_t k = 0; k < n && fits; k++)
        fits = add(head, own[k].base, own[k].end);
    for (size_t k = 0; k < known && fits; k++)
        fits = add(head, all[k].base, all[k].end);
    if (!fits)
        head->nranges = CHECKS_ANY;
    free(all);
}

static bool has_address(const struct device_check *r)
{
    const enum ir_space given = (enum ir_space)(r->what >> IR_CHECK_SPACE_SHIFT & 7);
    return (r->what & 255) <= IR_CHECK_LAST_WITH_ADDRESS && given != IR_SPACE_LOCAL &&
           given != IR_SPACE_CONST;
}

void checks_read(struct check_launch *l, const struct device_checks *head,
                 const struct device_check *records, uint32_t n,
                 bool (*is_local)(void *ctx, uint64_t address), void *ctx)
{
    for (const struct device_check *r = records; r < records + n; r++) {
        const uint64_t tag = r->operands[0] >> 56;
        if (!r->done || (has_address(r) && tag == IR_CHECK_TAG_LOCAL))
            continue;
        struct check_event e = {.what = r->what,
                                .site = r->site,
                                .thread = r->thread,
                                .mask = 1,
                                .first = r->operands[0],
                                .more = {r->operands[1], r->operands[2], r->operands[3]},
                                .shared = head->shared_base,
                                .is_local = is_local,
                                .ctx = ctx,
                                .later = true};
        memcpy(e.block, r->block, sizeof e.block);
        if (has_address(r)) {
            const bool shared = tag == IR_CHECK_TAG_SHARED;
            const enum ir_space space = shared ? IR_SPACE_SHARED : IR_SPACE_GLOBAL;
            e.what = (e.what & ~((uint64_t)7 << IR_CHECK_SPACE_SHIFT)) |
                     (uint64_t)space << IR_CHECK_SPACE_SHIFT;
            e.first = shared ? (uint32_t)e.first : e.first;
            if (shared && r->what & IR_CHECK_ROOTED)
                e.more[0] = (uint32_t)e.more[0];
        }
        check_event(l, &e); /* what it did wrong, it did elsewhere */
    }
}

struct report checks_too_many(const char *kernel)
{
    return (struct report){.kind = REPORT_REFUSED,
                           .error = TERN_UNSUPPORTED,
                           .kernel = kernel,
                           .message = "not all of it was checked: it does more than the list on "
                                      "the device holds; cpu and interp check all"};
}
