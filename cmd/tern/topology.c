/* tern devices --topology: the machine's nodes of memory, the cores this process may use, its GPUs
 * on PCI, and how fast the host and the devices copy to each other, measured. */
#include <dirent.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "tern.h"
#include "tern/tern.h"

enum { BYTES = 32 << 20, ROUNDS = 3 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void cores(void)
{
    cpu_set_t set;
    unsigned first = 0, open = 0;
    const char *comma = "";
    if (sched_getaffinity(0, sizeof set, &set))
        return;
    printf("cores\t%d may be used:", CPU_COUNT(&set));
    for (unsigned k = 0; k <= CPU_SETSIZE; k++) {
        const bool in = k < CPU_SETSIZE && CPU_ISSET(k, &set);
        if (in && !open++)
            first = k;
        if (in || !open)
            continue;
        printf(open > 1 ? "%s %u-%u" : "%s %u", comma, first, k - 1);
        comma = ",";
        open = 0;
    }
    putchar('\n');
}

/* One line of a file of /sys, without its end. */
static bool line_of(const char *path, char *out, int size)
{
    FILE *f = fopen(path, "r");
    const bool read = f && fgets(out, size, f);
    if (f)
        fclose(f);
    if (read)
        out[strcspn(out, "\n")] = 0;
    return read;
}

static void nodes(void)
{
    for (unsigned k = 0; k < 1024; k++) {
        char path[96], cpus[256], far[256] = "";
        snprintf(path, sizeof path, "/sys/devices/system/node/node%u/cpulist", k);
        if (!line_of(path, cpus, sizeof cpus))
            break;
        snprintf(path, sizeof path, "/sys/devices/system/node/node%u/distance", k);
        line_of(path, far, sizeof far);
        printf("node %u\tcores %s, distances %s\n", k, cpus, far);
    }
}

/* Bytes a second of the best of some rounds; 0: it does not work. */
static double rate(tern_buffer *b, void *memory, bool out)
{
    double best = 0;
    for (int k = 0; k < ROUNDS; k++) {
        const double start = now();
        if (out ? tern_buffer_read(b, 0, memory, BYTES) : tern_buffer_write(b, 0, memory, BYTES))
            return 0;
        const double r = BYTES / (now() - start);
        best = r > best ? r : best;
    }
    return best;
}

/* What a copy from device to device takes, by whatever way it goes. */
static void link_between(tern_context *c, unsigned from, unsigned to)
{
    tern_device *a, *b;
    tern_buffer *x = NULL, *y = NULL;
    double best = 0;
    bool works = !tern_context_device(c, from, &a) && !tern_context_device(c, to, &b) &&
                 !tern_buffer_zeros(a, BYTES, &x) && !tern_buffer_zeros(b, BYTES, &y);
    for (int k = 0; k < ROUNDS && works; k++) {
        const double start = now();
        works = !tern_copy(NULL, y, 0, x, 0, BYTES) && !tern_device_wait(b);
        const double r = BYTES / (now() - start);
        best = r > best ? r : best;
    }
    if (works)
        printf("link\t%u to %u: %.1f GB/s\n", from, to, best / 1e9);
    else
        printf("link\t%u to %u: no copies\n", from, to);
    tern_buffer_free(x);
    tern_buffer_free(y);
}

/* Graphics processors on PCI, as Linux lists them: where they are, and which memory is near. */
static void pci(void)
{
    DIR *d = opendir("/sys/bus/pci/devices");
    struct dirent *e;
    while (d && (e = readdir(d))) {
        char path[400], class[64], node[32] = "", speed[64] = "", width[32] = "";
        snprintf(path, sizeof path, "/sys/bus/pci/devices/%.200s/class", e->d_name);
        if (!line_of(path, class, sizeof class) || strncmp(class, "0x03", 4))
            continue; /* 03: displays and 3D controllers */
        snprintf(path, sizeof path, "/sys/bus/pci/devices/%.200s/numa_node", e->d_name);
        line_of(path, node, sizeof node);
        snprintf(path, sizeof path, "/sys/bus/pci/devices/%.200s/current_link_speed", e->d_name);
        line_of(path, speed, sizeof speed);
        snprintf(path, sizeof path, "/sys/bus/pci/devices/%.200s/current_link_width", e->d_name);
        line_of(path, width, sizeof width);
        printf("pci %s\tnode %s, link %s x%s\n", e->d_name, *node ? node : "?",
               *speed ? speed : "?", *width ? width : "?");
    }
    if (d)
        closedir(d);
}

int show_topology(const struct args *a)
{
    tern_context *c;
    const struct tern_options options = {.devices = a->device ? a->device : "all"};
    char *memory = malloc(BYTES);
    enum tern_error e = memory ? tern_context_new(&options, &c) : TERN_OUT_OF_MEMORY;
    if (e) {
        free(memory);
        complain("%s", tern_error_text(e));
        return exit_code_of(e);
    }
    memset(memory, 1, BYTES);
    cores();
    nodes();
    pci();
    const unsigned n = tern_context_devices(c);
    for (unsigned k = 0; k < n; k++) {
        tern_device *d;
        tern_buffer *b;
        struct tern_device_info info;
        if (tern_context_device(c, k, &d) || tern_device_info(d, &info) ||
            tern_buffer_new(d, BYTES, &b))
            continue;
        const double in = rate(b, memory, false), out = rate(b, memory, true);
        tern_buffer_free(b);
        printf("device %u\t%s: from the host %.1f GB/s, to it %.1f GB/s%s\n", k, info.name,
               in / 1e9, out / 1e9, info.host_memory ? ", in the host's memory" : "");
    }
    for (unsigned k = 0; k < n; k++)
        for (unsigned j = 0; j < n; j++)
            if (j != k)
                link_between(c, k, j);
    free(memory);
    tern_context_free(c);
    return EXIT_FINE;
}
