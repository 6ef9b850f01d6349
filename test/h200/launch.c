/* Launches one kernel of a PTX file, with the driver's own calls.
 *
 *   launch FILE.ptx KERNEL GX GY GZ BX BY BZ ARG…
 * ARG: i:NUMBER an int, f:NUMBER a float, in:FILE a buffer with a file's bytes, out:BYTES:FILE a
 * buffer of zeros that is written to a file afterwards, zeros:BYTES one that is not. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../../bench/bench.h"
#include "rt/dev/cuda/nvidia_int.h"

int main(int argc, char **argv)
{
    struct nv_api api;
    const char *why = NULL;
    nv_device dev;
    nv_context ctx;
    nv_module module;
    nv_function f;
    nv_ptr buffers[16] = {0};
    size_t sizes[16] = {0}, n = 0;
    union {
        int i;
        float f;
    } numbers[16];
    void *params[16];
    unsigned dims[6];
    if (argc < 9 || argc > 25 || !nv_find(&api, &why)) {
        fprintf(stderr, "launch: %s\n", why ? why : "wrong use");
        return 2;
    }
    char *ptx = bench_read(argv[1], &n);
    nv_result r = api.device_get(&dev, 0);
    if (!r)
        r = api.primary_retain(&ctx, dev);
    if (!r)
        r = api.ctx_set(ctx);
    if (!r)
        r = ptx ? api.module_load(&module, ptx) : 301;
    if (!r)
        r = api.module_function(&f, module, argv[2]);
    for (int k = 0; k < 6; k++)
        dims[k] = (unsigned)atoi(argv[3 + k]);
    for (int k = 9; k < argc && !r; k++) {
        int at = k - 9;
        params[at] = &buffers[at];
        if (!strncmp(argv[k], "i:", 2)) {
            numbers[at].i = atoi(argv[k] + 2);
            params[at] = &numbers[at];
        } else if (!strncmp(argv[k], "f:", 2)) {
            numbers[at].f = strtof(argv[k] + 2, NULL);
            params[at] = &numbers[at];
        } else if (!strncmp(argv[k], "in:", 3)) {
            char *data = bench_read(argv[k] + 3, &sizes[at]);
            r = data ? api.mem_alloc(&buffers[at], sizes[at]) : 301;
            if (!r)
                r = api.copy_in(buffers[at], data, sizes[at], NULL);
        } else {
            sizes[at] = strtoull(strchr(argv[k], ':') + 1, NULL, 10);
            r = api.mem_alloc(&buffers[at], sizes[at]);
            if (!r)
                r = api.fill8(buffers[at], 0, sizes[at], NULL);
        }
    }
    if (!r)
        r = api.launch(f, dims[0], dims[1], dims[2], dims[3], dims[4], dims[5], 0, NULL, params,
                       NULL);
    if (!r)
        r = api.ctx_sync();
    for (int k = 9; k < argc && !r; k++)
        if (!strncmp(argv[k], "out:", 4)) {
            char *data = malloc(sizes[k - 9]);
            FILE *out = fopen(strchr(argv[k] + 4, ':') + 1, "wb");
            r = data && out ? api.copy_out(data, buffers[k - 9], sizes[k - 9], NULL) : 304;
            if (!r)
                r = api.ctx_sync();
            if (!r && fwrite(data, 1, sizes[k - 9], out) != sizes[k - 9])
                r = 304;
            if (out)
                fclose(out);
        }
    if (r)
        fprintf(stderr, "launch: %s\n", nv_error_name(r));
    return r != 0;
}
