/* A batch over several devices: each index once, parts in multiples of the grain, results that are
 * those of one device to the bit, errors that end it. `spread` takes the devices from TERN_DEVICES.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tern/tern.h>

enum { N = 20000, GRAIN = 64 };
static const char text[] =
    "extern \"C\" __global__ void orbit(const float *x, float *y, int n) {\n"
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    if (i < n) {\n"
    "        float z = x[i];\n"
    "        for (int k = 0; k < 40; k++) z = z * z * 0.5f - 0.7f * z + 0.1f;\n"
    "        y[i] = z;\n"
    "    }\n"
    "}\n";

struct batch {
    const float *x;
    float *y;
    unsigned char seen[N];
    unsigned parts, fail;
    bool odd;
};

static void check(enum tern_error e, const char *what)
{
    if (e) {
        printf("%s: %s\n", what, tern_error_text(e));
        exit(1);
    }
}

static enum tern_error work(void *user, tern_device *d, uint64_t begin, uint64_t end)
{
    struct batch *b = user;
    tern_module *m;
    tern_kernel *k;
    tern_buffer *x, *y;
    int n = (int)(end - begin);
    if (__atomic_add_fetch(&b->parts, 1, __ATOMIC_RELAXED) == b->fail)
        return TERN_TIMEOUT;
    if (begin % GRAIN || (end % GRAIN && end != N))
        b->odd = true;
    for (uint64_t i = begin; i < end; i++)
        b->seen[i]++;
    check(tern_module_new(d, &(struct tern_source){.text = text}, &m), "module");
    check(tern_module_kernel(m, "orbit", &k), "kernel");
    check(TERN_BUFFER(d, float, n, &x), "buffer");
    check(TERN_BUFFER(d, float, n, &y), "buffer");
    check(TERN_WRITE(x, 0, b->x + begin, n), "write");
    uint64_t px = tern_buffer_address(x), py = tern_buffer_address(y);
    check(tern_launch(NULL, k, (tern_dim){((uint32_t)n + 63) / 64}, (tern_dim){64}, 0,
                      (void *[]){&px, &py, &n}),
          "launch");
    check(TERN_READ(y, 0, b->y + begin, n), "read");
    tern_buffer_free(x);
    tern_buffer_free(y);
    tern_module_free(m);
    return TERN_OK;
}

int main(void)
{
    static float x[N], y[N], one[N];
    static struct batch b;
    tern_context *all, *single;
    int wrong = 0;
    for (int i = 0; i < N; i++)
        x[i] = (float)(i % 977) / 977;
    check(tern_context_new(NULL, &all), "context");
    check(tern_context_new(&(struct tern_options){.devices = "interp"}, &single), "interpreter");
    b = (struct batch){.x = x, .y = y};
    check(tern_spread(all, N, GRAIN, work, &b), "spread");
    for (int i = 0; i < N; i++)
        if (b.seen[i] != 1 && wrong++ < 3)
            printf("index %d was given out %d times\n", i, b.seen[i]);
    if (b.odd && ++wrong)
        printf("a part is no multiple of the grain\n");
    b = (struct batch){.x = x, .y = one};
    check(tern_spread(single, N, GRAIN, work, &b), "on one device");
    if (memcmp(y, one, sizeof y) && ++wrong)
        printf("the results are not those of one device\n");
    b = (struct batch){.x = x, .y = y, .fail = 3};
    if (tern_spread(all, N, GRAIN, work, &b) != TERN_TIMEOUT && ++wrong)
        printf("the error is lost\n");
    if (b.parts > 3 + tern_context_devices(all) && ++wrong)
        printf("%u parts were begun, the third of which failed\n", b.parts);
    b = (struct batch){.x = x, .y = y};
    check(tern_spread(all, 0, GRAIN, work, &b), "nothing");
    if (b.parts && ++wrong)
        printf("nothing has parts\n");
    tern_context_free(all);
    tern_context_free(single);
    puts(wrong ? "wrong" : "ok");
    return wrong != 0;
}
