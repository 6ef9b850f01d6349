/* Streams, events, graphs, a plain C function as a kernel, and a range spread over devices:
 *
 *     cc -Iinclude examples/pipeline.c build/libtern.a -lm -lpthread -ldl -o pipeline
 *     TERN_DEVICES=cpu/2 ./pipeline */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tern/tern.h"

static const char source[] = "template <int By> __global__ void add(int *p, int n)\n"
                             "{\n"
                             "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                             "    if (i < n)\n"
                             "        p[i] += By;\n"
                             "}\n";

enum { N = 100000 };

static void check(enum tern_error e, const char *what)
{
    if (e) {
        fprintf(stderr, "%s: %s\n", what, tern_error_text(e));
        exit(1);
    }
}

/* A kernel in C: the same grid of threads, one call for each. */
struct square {
    int *p, n;
};

static void square(const tern_thread *t, void *args)
{
    const struct square *s = args;
    uint32_t i = t->block.x * t->block_dim.x + t->thread.x;
    if (i < (uint32_t)s->n)
        s->p[i] *= s->p[i];
}

/* A part of the work on each device: the function is called in a thread for each. */
static enum tern_error work(void *user, tern_device *d, uint64_t begin, uint64_t end)
{
    int *out = user, n = (int)(end - begin);
    const uint64_t bytes = (end - begin) * sizeof *out;
    tern_module *module;
    tern_kernel *add;
    tern_buffer *b;
    tern_stream *s;
    tern_event *start, *done;
    tern_graph *graph;
    tern_replay *replay;
    const char *names[] = {"add<3>"};
    check(tern_module_new(
              d,
              &(struct tern_source){.path = "add.cu", .text = source, .names = names, .nnames = 1},
              &module),
          "module");
    check(tern_module_kernel(module, "add<3>", &add), "kernel");
    check(tern_buffer_new(d, bytes, &b), "buffer");
    check(tern_stream_new(d, &s), "stream");
    check(tern_event_new(d, &start), "event");
    check(tern_event_new(d, &done), "event");

    /* recorded once: fill, add; replayed ten times */
    uint64_t p = tern_buffer_address(b);
    check(tern_record_begin(s), "begin");
    check(tern_launch(s, add, (tern_dim){((uint32_t)n + 127) / 128}, (tern_dim){128}, 0,
                      (void *[]){&p, &n}),
          "launch");
    check(tern_record_end(s, &graph), "end");
    check(tern_replay_new(graph, d, &replay), "replay");
    check(tern_record(s, start), "record");
    check(tern_fill(s, b, 0, 0, bytes), "fill");
    for (int k = 0; k < 10; k++)
        check(tern_replay_run(replay, s), "run");
    struct square args = {(int *)(uintptr_t)p, n};
    enum tern_error e = tern_launch_function(s, square, (tern_dim){((uint32_t)n + 255) / 256},
                                             (tern_dim){256}, 0, &args, sizeof args);
    if (e == TERN_UNSUPPORTED) { /* a device with memory of its own runs no C: the host does it */
        check(tern_read(s, b, 0, out + begin, bytes), "read");
        check(tern_stream_wait(s), "wait");
        for (uint64_t i = begin; i < end; i++)
            out[i] *= out[i];
    } else {
        check(e, "function");
        check(tern_read(s, b, 0, out + begin, bytes), "read");
    }
    check(tern_record(s, done), "record");
    check(tern_stream_wait(s), "wait");
    double seconds;
    check(tern_event_elapsed(start, done, &seconds), "elapsed");

    tern_replay_free(replay);
    tern_graph_free(graph);
    tern_event_free(start);
    tern_event_free(done);
    tern_stream_free(s);
    tern_buffer_free(b);
    tern_module_free(module);
    return TERN_OK;
}

int main(void)
{
    static int out[N];
    tern_context *c;
    check(tern_context_new(NULL, &c), "context");
    check(tern_spread(c, N, 1024, work, out), "spread");
    for (int i = 0; i < N; i++)
        if (out[i] != 900) {
            fprintf(stderr, "out[%d] is %d\n", i, out[i]);
            return 1;
        }
    printf("%d elements are right, on %u device%s\n", N, tern_context_devices(c),
           tern_context_devices(c) == 1 ? "" : "s");
    tern_context_free(c);
    return 0;
}
