/* Which nodes of memory a process's cores are near, of folders as Linux has them, and what the
 * kernel is told. */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "rt/dev/cpu/cpu_int.h"
#include "unit.h"

static bool node(const char *folder, unsigned k, const char *cpus)
{
    char path[200];
    snprintf(path, sizeof path, "%s/node%u", folder, k);
    mkdir(path, 0700);
    snprintf(path, sizeof path, "%s/node%u/cpulist", folder, k);
    FILE *f = fopen(path, "w");
    return f && fprintf(f, "%s\n", cpus) > 0 && !fclose(f);
}

static uint64_t nodes_of(const char *folder, unsigned first, unsigned last)
{
    cpu_set_t set;
    unsigned total;
    CPU_ZERO(&set);
    for (unsigned k = first; k <= last; k++)
        CPU_SET(k, &set);
    const uint64_t nodes = cpu_numa_nodes(folder, &set, &total);
    return total == 3 ? nodes : 99;
}

TEST_ONCE(numa_nodes_of_the_cores_that_may_be_used)
{
    char folder[] = "/tmp/tern-numa-XXXXXX", path[200];
    CHECK(mkdtemp(folder) != NULL);
    CHECK(node(folder, 0, "0-3,8-11"));
    CHECK(node(folder, 1, "4-7"));
    CHECK(node(folder, 3, "")); /* memory without cores; and there is no node 2 */
    CHECK(nodes_of(folder, 0, 1) == 1);
    CHECK(nodes_of(folder, 9, 9) == 1);
    CHECK(nodes_of(folder, 5, 6) == 2);
    CHECK(nodes_of(folder, 3, 4) == 3);
    CHECK(nodes_of(folder, 12, 20) == 0);
    for (unsigned k = 0; k < 4; k++) {
        snprintf(path, sizeof path, "%s/node%u/cpulist", folder, k);
        unlink(path);
        snprintf(path, sizeof path, "%s/node%u", folder, k);
        rmdir(path);
    }
    rmdir(folder);
}

/* The policy of a mapping, as the kernel says it; "" where it does not. */
static void policy_of(const void *base, char *out, size_t size)
{
    char line[1024];
    unsigned long at;
    FILE *f = fopen("/proc/self/numa_maps", "r");
    *out = 0;
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "%lx", &at) == 1 && at == (unsigned long)(uintptr_t)base)
            snprintf(out, size, "%s", strchr(line, ' ') ? strchr(line, ' ') + 1 : "");
    if (f)
        fclose(f);
}

TEST_ONCE(numa_memory_is_told_where_to_lie)
{
    char policy[1024];
    void *base = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(base != MAP_FAILED);
    CHECK(!cpu_numa_place(0, base, 1 << 20));
    if (cpu_numa_place(1, base, 1 << 20)) { /* kernels may know of no nodes */
        policy_of(base, policy, sizeof policy);
        CHECK(!*policy || !strncmp(policy, "prefer", 6));
    }
    munmap(base, 1 << 20);
}
