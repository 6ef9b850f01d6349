/* Panels of tall matrices by many blocks at once (device/solver/panel.h), where the device holds
 * them all. */
#include "lib/solver/solver_int.h"

#include <stdio.h>

enum { BOARD_HEAD = 256 }; /* before the board's lines: how many have arrived */

static int64_t blocks_of(int64_t m)
{
    return (m + PANEL_THREADS - 1) / PANEL_THREADS;
}

static size_t shared_of(const struct work *w)
{
    return (size_t)PANEL_COLUMNS * PANEL_THREADS * lib_types[w->type].bytes;
}

struct panel panel_begin(struct work *w, int64_t m)
{
    enum { STATIC = 8 << 10 /* of a kernel's shared memory, at most */ };
    const struct lib_device *d = &w->h->device;
    const int64_t blocks = blocks_of(m);
    if (d->host_path || shared_of(w) + STATIC > d->info.shared_per_block ||
        blocks > (d->capability ? (int64_t)d->info.units : 1))
        return (struct panel){0};
    const int64_t steps = PANEL_COLUMNS + 1;
    const size_t each = lib_types[w->real].bytes + sizeof(int),
                 line = PANEL_COLUMNS * lib_types[w->type].bytes;
    void *board = work_bytes(w, BOARD_HEAD + (size_t)(steps * (blocks + 1)) * line +
                                    (size_t)(steps * blocks) * each);
    return (struct panel){board};
}

void panel_run(struct work *w, const char *name, const char *more, int64_t m, void *const *args,
               const struct panel *p)
{
    char kernel[96];
    if (w->error)
        return;
    work_zero(w, p->board, sizeof(unsigned));
    snprintf(kernel, sizeof kernel, "%s<%s, %s%d>", name, lib_types[w->type].name, more,
             PANEL_COLUMNS);
    work_fail(w, lib_run_shared(&w->h->device, w->h->stream, "solver/panel.h", kernel,
                                (tern_dim){(uint32_t)blocks_of(m)}, (tern_dim){PANEL_THREADS},
                                (uint32_t)shared_of(w), args));
}
