/* Buffers of zeros, typed helpers, what memory is taken and may be, launches gone by, places of
 * threads of C functions. */
#include <stdio.h>
#include <string.h>
#include "tern/tern.h"

static unsigned wrong;
#define CHECK(x)                                                                                   \
    do {                                                                                           \
        if (!(x)) {                                                                                \
            wrong++;                                                                               \
            printf("line %d: not %s\n", __LINE__, #x);                                             \
        }                                                                                          \
    } while (0)

static void number(const tern_thread *t, void *args)
{
    uint64_t *out = *(uint64_t **)args;
    out[tern_index(t)] = tern_index_x(t) + 1000 * tern_index_y(t) + 1000000 * tern_index_z(t);
}

int main(void)
{
    tern_context *c;
    tern_device *d;
    tern_buffer *z, *f;
    tern_module *m;
    tern_kernel *k;
    struct tern_memory before, now;
    struct tern_device_info info;
    float x[8] = {1, 2, 3, 4, 5, 6, 7, 8}, y[4] = {0};
    unsigned char bytes[1000];
    if (tern_context_new(NULL, &c) || tern_context_device(c, 0, &d))
        return 1;
    CHECK(!tern_device_info(d, &info) && info.capability >= 50 && info.capability < 200);
    tern_device_memory(d, &before);
    CHECK(!TERN_BUFFER(d, float, 8, &f));
    memset(bytes, 1, sizeof bytes);
    CHECK(!tern_buffer_zeros(d, sizeof bytes, &z) && !TERN_READ(z, 0, bytes, sizeof bytes));
    for (size_t i = 0; i < sizeof bytes; i++)
        CHECK(!bytes[i]);
    CHECK(!TERN_WRITE(f, 0, x, 8) && !TERN_READ(f, 3, y, 4) && y[0] == 4 && y[3] == 7);
    tern_device_memory(d, &now);
    CHECK(now.buffers == before.buffers + 2 && now.bytes == before.bytes + 32 + sizeof bytes &&
          now.most_bytes >= now.bytes && now.total_buffers == before.total_buffers + 2 &&
          !now.limit);
    tern_device_memory_limit(d, now.bytes + 100);
    tern_buffer *more = NULL;
    CHECK(tern_buffer_new(d, 101, &more) == TERN_OUT_OF_MEMORY && !more);
    CHECK(!tern_buffer_new(d, 100, &more));
    tern_buffer_free(more);
    tern_device_memory_limit(d, 0);
    CHECK(!tern_buffer_new(d, 4096, &more));
    tern_buffer_free(more);
    tern_buffer_free(z);
    tern_device_memory(d, &now);
    CHECK(now.buffers == before.buffers + 1 &&
          now.most_bytes == before.bytes + 32 + sizeof bytes + 4096);
    const struct tern_source s = {.text =
                                      "__global__ void scale(float *x) { x[threadIdx.x] *= 2; }"};
    CHECK(!tern_module_new(d, &s, &m) && !tern_module_kernel(m, "scale", &k));
    uint64_t at = tern_buffer_address(f);
    for (unsigned n = 0; n < 100; n++)
        CHECK(!tern_launch(NULL, k, (tern_dim){1}, (tern_dim){1 + n % 8}, 0, (void *[]){&at}));
    CHECK(tern_launch(NULL, k, (tern_dim){1}, (tern_dim){5000}, 0, (void *[]){&at}) ==
          TERN_INVALID_LAUNCH);
    struct tern_launched h[TERN_HISTORY + 1];
    CHECK(tern_device_history(d, h, TERN_HISTORY + 1) == TERN_HISTORY);
    CHECK(h[0].number == 101 && h[0].error == TERN_INVALID_LAUNCH && h[0].block.x == 5000);
    CHECK(h[1].number == 100 && !h[1].error && h[1].block.x == 4 && strstr(h[1].kernel, "scale"));
    CHECK(h[TERN_HISTORY - 1].number == 101 - TERN_HISTORY + 1);
    CHECK(!tern_device_wait(d));
    if (info.host_memory) {
        static uint64_t out[2 * 3 * 2 * 4 * 5];
        uint64_t *p = out;
        tern_stream *q;
        CHECK(!tern_stream_new(d, &q));
        CHECK(!tern_launch_function(q, number, (tern_dim){2, 3, 1}, (tern_dim){4, 5, 2}, 0, &p,
                                    sizeof p));
        CHECK(!tern_stream_wait(q));
        for (unsigned i = 0; i < 240; i++)
            CHECK(out[i] == i % 8 + 1000 * (i / 8 % 15) + 1000000 * (i / 120));
        tern_stream_free(q);
    }
    tern_module_free(m);
    tern_buffer_free(f);
    tern_context_free(c);
    puts(wrong ? "wrong" : "all is right");
    return wrong != 0;
}
