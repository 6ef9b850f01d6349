/* Where the memory of the CPU device lies on machines with several nodes of it: on the node of the
 * cores that the process may use; if those are of several nodes, a page on each in turn, so that no
 * node's channels are the bottleneck of a grid whose blocks run on all cores. */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "cpu_int.h"

enum { PREFERRED = 1, INTERLEAVE = 3 }; /* modes of mbind */

/* Whether a list of the kernel's ("0-3,8") has a core of the set. */
static bool meets(const char *list, const cpu_set_t *set)
{
    while (*list >= '0' && *list <= '9') {
        char *end;
        const unsigned long first = strtoul(list, &end, 10);
        const unsigned long last = *end == '-' ? strtoul(end + 1, &end, 10) : first;
        for (unsigned long k = first; k <= last && k < CPU_SETSIZE; k++)
            if (CPU_ISSET(k, set))
                return true;
        list = *end == ',' ? end + 1 : end;
    }
    return false;
}

uint64_t cpu_numa_nodes(const char *folder, const cpu_set_t *set, unsigned *total)
{
    uint64_t nodes = 0;
    *total = 0;
    for (unsigned k = 0; k < 64; k++) {
        char path[512], list[1024] = "";
        snprintf(path, sizeof path, "%.400s/node%u/cpulist", folder, k);
        FILE *f = fopen(path, "r");
        if (!f)
            continue;
        ++*total;
        if (fgets(list, sizeof list, f) && meets(list, set))
            nodes |= UINT64_C(1) << k;
        fclose(f);
    }
    return nodes;
}

uint64_t cpu_numa_own(void)
{
    cpu_set_t set;
    unsigned total;
    if (sched_getaffinity(0, sizeof set, &set))
        return 0;
    const uint64_t nodes = cpu_numa_nodes("/sys/devices/system/node", &set, &total);
    return total > 1 ? nodes : 0;
}

bool cpu_numa_place(uint64_t nodes, void *base, uint64_t bytes)
{
#ifdef SYS_mbind
    unsigned long mask[64 / (8 * sizeof(unsigned long))];
    if (!nodes)
        return false;
    for (size_t k = 0; k < sizeof mask / sizeof *mask; k++)
        mask[k] = (unsigned long)(nodes >> (8 * sizeof *mask * k));
    const int mode = nodes & (nodes - 1) ? INTERLEAVE : PREFERRED;
    return !syscall(SYS_mbind, base, (unsigned long)bytes, mode, mask, 65ul, 0u);
#else
    (void)nodes, (void)base, (void)bytes;
    return false;
#endif
}
