/* See children.h. */
#include "rt/children.h"
#include <stdlib.h>
#include <string.h>

bool children_add(struct child **list, const uint32_t *words, uint32_t n)
{
    enum { HEAD = sizeof(struct device_child) / 4 };
    struct child *c = n < HEAD ? NULL : malloc(sizeof *c + 4 * (size_t)(n - HEAD));
    if (!c)
        return false;
    *c = (struct child){.param_bytes = 4 * (n - HEAD)};
    memcpy(&c->what, words, sizeof c->what);
    memcpy(c->params, words + HEAD, c->param_bytes);
    while (*list && (*list)->what.tail <= c->what.tail)
        list = &(*list)->next;
    c->next = *list;
    *list = c;
    return true;
}

struct dev_launch child_launch(const struct child *c)
{
    const struct device_child *w = &c->what;
    return (struct dev_launch){.grid = {w->grid[0], w->grid[1], w->grid[2]},
                               .block = {w->block[0], w->block[1], w->block[2]},
                               .shared = w->shared,
                               .params = c->params,
                               .param_bytes = c->param_bytes};
}

void children_free(struct child *list)
{
    while (list) {
        struct child *next = list->next;
        free(list);
        list = next;
    }
}
