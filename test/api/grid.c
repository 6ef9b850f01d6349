/* One grid over several devices: the results are those of the interpreter alone, to the bit, for a
 * grid along each axis, for kernels that ask for the whole grid's size, for one that counts by
 * atomic operations and one of which all blocks change the same place; what is wrong is refused.
 * `grid` takes the devices from TERN_DEVICES. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tern/tern.h>

enum { N = 3000 };
static const char text[] =
    "extern \"C\" __global__ void wave(const float *x, float *y, unsigned char *marks, int n) {\n"
    "    int per = gridDim.x * gridDim.y * gridDim.z * blockDim.x;\n"
    "    int b = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;\n"
    "    for (int i = b * blockDim.x + threadIdx.x; i < n; i += per) {\n"
    "        float z = x[i];\n"
    "        for (int k = 0; k < 20; k++) z = z * z * 0.5f - 0.7f * z + 0.1f;\n"
    "        y[i] += z;\n"
    "        marks[i] = (unsigned char)b;\n"
    "    }\n"
    "}\n"
    "extern \"C\" __global__ void count(int *sum) { atomicAdd(sum, (int)blockIdx.x); }\n"
    "extern \"C\" __global__ void last(int *place, int of) { if (blockIdx.x % of == 0) *place = 7; "
    "}\n";

struct state {
    float x[N], y[N];
    unsigned char marks[N];
    int sum, place;
};

static enum tern_error go(tern_context *c, const char *kernel, tern_dim grid, uint32_t block,
                          const struct tern_argument *args, unsigned n)
{
    return tern_spread_grid(c, &(struct tern_source){.text = text}, kernel, grid, (tern_dim){block},
                            0, args, n);
}

static enum tern_error run(tern_context *c, struct state *s, tern_dim grid)
{
    const int n = N, one = 1;
    const struct tern_argument wave[] = {{.array = s->x, .bytes = sizeof s->x},
                                         {.array = s->y, .bytes = sizeof s->y},
                                         {.array = s->marks, .bytes = sizeof s->marks},
                                         {.value = &n}},
                               count[] = {{.array = &s->sum, .bytes = sizeof s->sum}},
                               last[] = {{.array = &s->place, .bytes = sizeof s->place},
                                         {.value = &one}};
    enum tern_error e = go(c, "wave", grid, 32, wave, 4);
    e = e ? e : go(c, "count", (tern_dim){40}, 1, count, 1);
    return e ? e : go(c, "last", (tern_dim){40}, 1, last, 2);
}

int main(void)
{
    static struct state all, one;
    static const tern_dim grids[] = {{50}, {5, 10}, {2, 3, 7}, {1}, {1, 1, 30}};
    tern_context *devices, *single;
    int wrong = 0;
    if (tern_context_new(NULL, &devices) ||
        tern_context_new(&(struct tern_options){.devices = "interp"}, &single))
        return puts("no devices"), 1;
    for (int i = 0; i < N; i++)
        all.x[i] = one.x[i] = (float)(i % 977) / 977;
    for (unsigned g = 0; g < sizeof grids / sizeof *grids; g++) {
        char why[512];
        const enum tern_error e = run(devices, &all, grids[g]);
        if (e && ++wrong) {
            tern_message(devices, why, sizeof why);
            printf("grid %u: %s: %s\n", g, tern_error_text(e), why);
        }
        if (run(single, &one, grids[g]) && ++wrong)
            printf("grid %u does not run on the interpreter\n", g);
        if (memcmp(&all, &one, sizeof all) && ++wrong)
            printf("grid %u: the results are not those of one device\n", g);
    }
    if ((all.sum != 5 * 780 || all.place != 7) && ++wrong)
        printf("sum %d, place %d\n", all.sum, all.place);
    const struct tern_argument none[] = {{.array = &all.sum, .bytes = 4},
                                         {.array = all.x, .bytes = 8}},
                               both[] = {{.array = all.x, .bytes = 100},
                                         {.array = all.x + 3, .bytes = 100},
                                         {.array = all.marks, .bytes = 9},
                                         {.value = &wrong}};
    if (go(devices, "count", (tern_dim){4}, 1, none, 2) != TERN_INVALID_ARGUMENT && ++wrong)
        puts("an argument too many");
    if (go(devices, "wave", (tern_dim){4}, 32, both, 4) != TERN_INVALID_ARGUMENT && ++wrong)
        puts("arrays that overlap");
    if (go(devices, "absent", (tern_dim){4}, 1, none, 1) != TERN_NOT_FOUND && ++wrong)
        puts("a kernel that there is not");
    if (tern_spread_grid(devices, &(struct tern_source){.text = ".version 8.0\n.target sm_70\n"},
                         "k", (tern_dim){1}, (tern_dim){1}, 0, none, 1) != TERN_UNSUPPORTED &&
        ++wrong)
        puts("PTX");
    tern_context_free(devices);
    tern_context_free(single);
    puts(wrong ? "wrong" : "ok");
    return wrong != 0;
}
