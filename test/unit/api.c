/* Tern's C API and the CUDA APIs on it, on the interpreter, with every allocation failing in turn:
 * an error each time, and nothing lost. */
#include <stdlib.h>
#include "cuda/cuda.h"
#include "rt/select.h"
#include "tern/tern.h"
#include "unit.h"

static const char code[] =
    ".version 7.0\n.target sm_50\n.address_size 64\n"
    ".visible .entry add(.param .u64 p, .param .u32 by) {\n"
    "  .reg .b32 %r<4>; .reg .b64 %d<4>;\n"
    "  ld.param.u64 %d1, [p]; ld.param.u32 %r1, [by];\n"
    "  mov.u32 %r2, %tid.x; mul.wide.u32 %d2, %r2, 4; add.s64 %d3, %d1, %d2;\n"
    "  ld.global.u32 %r3, [%d3]; add.u32 %r3, %r3, %r1; st.global.u32 [%d3], %r3;\n"
    "  ret;\n}\n";

/* Errors may only be that there is no memory, and only where that was arranged. */
#define TRY(call)                                                                                  \
    do {                                                                                           \
        enum tern_error try_ = (call);                                                             \
        if (try_) {                                                                                \
            CHECK(try_ == TERN_OUT_OF_MEMORY && unit_injected(u));                                 \
            goto done;                                                                             \
        }                                                                                          \
    } while (0)

TEST(api_records_and_replays)
{
    tern_context *c = NULL;
    tern_device *d;
    tern_buffer *b = NULL;
    tern_module *m = NULL;
    tern_kernel *k;
    tern_stream *s = NULL, *t = NULL;
    tern_event *e = NULL, *f = NULL;
    tern_graph *g = NULL;
    tern_replay *r = NULL;
    int h[32] = {0};
    TRY(tern_context_new(&(struct tern_options){.devices = "interp"}, &c));
    TRY(tern_context_device(c, 0, &d));
    TRY(tern_buffer_new(d, sizeof h, &b));
    TRY(tern_module_new(d, &(struct tern_source){.text = code}, &m));
    TRY(tern_module_kernel(m, "add", &k));
    TRY(tern_stream_new(d, &s));
    TRY(tern_stream_new(d, &t));
    TRY(tern_event_new(d, &e));
    TRY(tern_event_new(d, &f));
    uint64_t p = tern_buffer_address(b);
    uint32_t by = 5;
    TRY(tern_record_begin(s));
    TRY(tern_fill(s, b, 0, 0, sizeof h));
    TRY(tern_launch(s, k, (tern_dim){1}, (tern_dim){32}, 0, (void *[]){&p, &by}));
    TRY(tern_record(s, e));
    TRY(tern_after(t, e));
    by = 7;
    TRY(tern_launch(t, k, (tern_dim){1}, (tern_dim){32}, 0, (void *[]){&p, &by}));
    TRY(tern_record(t, f));
    TRY(tern_after(s, f));
    TRY(tern_record_end(s, &g));
    CHECK_INT(tern_graph_size(g), 3);
    TRY(tern_buffer_read(b, 0, h, sizeof h));
    TRY(tern_replay_new(g, d, &r));
    for (int n = 0; n < 3; n++)
        TRY(tern_replay_run(r, s));
    TRY(tern_stream_wait(s));
    TRY(tern_buffer_read(b, 0, h, sizeof h));
    CHECK_INT(h[31], 12);
    CHECK(tern_buffer_read(b, 4, h, sizeof h) == TERN_INVALID_ARGUMENT);
    CHECK(tern_launch(s, k, (tern_dim){1}, (tern_dim){5000}, 0, (void *[]){&p, &by}) ==
          TERN_INVALID_LAUNCH);
done:
    tern_replay_free(r);
    tern_graph_free(g);
    tern_event_free(e);
    tern_event_free(f);
    tern_stream_free(s);
    tern_stream_free(t);
    tern_module_free(m);
    tern_buffer_free(b);
    tern_context_free(c);
}

static void count_call(const tern_thread *t, void *args)
{
    __atomic_add_fetch(*(unsigned **)args, t->thread.x + 10 * t->block.y, __ATOMIC_RELAXED);
}

TEST_ONCE(api_runs_c_functions)
{
    tern_context *c;
    tern_device *d;
    tern_stream *s;
    unsigned sum = 0, *to = &sum;
    CHECK(!tern_context_new(&(struct tern_options){.devices = "interp"}, &c));
    CHECK(!tern_context_device(c, 0, &d));
    CHECK(!tern_stream_new(d, &s));
    CHECK(
        !tern_launch_function(s, count_call, (tern_dim){2, 3}, (tern_dim){4}, 64, &to, sizeof to));
    CHECK(!tern_stream_wait(s));
    CHECK_INT(sum, 6 * (0 + 1 + 2 + 3) + 10 * 8 * (0 + 1 + 2));
    tern_stream_free(s);
    tern_context_free(c);
}

static void append(const tern_thread *t, void *args)
{
    struct {
        unsigned *to, digit;
    } a;
    memcpy(&a, args, sizeof a);
    if (t->grid_dim.x * t->grid_dim.y * t->grid_dim.z * t->block_dim.x == 1)
        *a.to = 10 * *a.to + a.digit;
}

/* On a stream that is idle, behind other work, and in a graph. */
TEST_ONCE(api_runs_short_functions)
{
    static const char *const devices[] = {"interp", "cpu"};
    for (size_t k = 0; k < sizeof devices / sizeof *devices; k++) {
        tern_context *c;
        tern_device *d;
        tern_stream *s;
        tern_graph *g;
        tern_replay *r;
        unsigned number = 0;
        struct {
            unsigned *to, digit;
        } a = {&number, 1};
        CHECK(!tern_context_new(&(struct tern_options){.devices = devices[k]}, &c));
        CHECK(!tern_context_device(c, 0, &d));
        CHECK(!tern_stream_new(d, &s));
        CHECK(!tern_launch_short(s, append, &a, sizeof a));
        a.digit = 2;
        CHECK(!tern_launch_function(s, append, (tern_dim){1}, (tern_dim){1}, 0, &a, sizeof a));
        a.digit = 3;
        CHECK(!tern_launch_short(s, append, &a, sizeof a));
        CHECK(!tern_stream_wait(s));
        CHECK_INT(number, 123);
        CHECK(!tern_record_begin(s));
        a.digit = 4;
        CHECK(!tern_launch_short(s, append, &a, sizeof a));
        a.digit = 5;
        CHECK(!tern_launch_short(s, append, &a, sizeof a));
        CHECK(!tern_record_end(s, &g));
        CHECK(!tern_replay_new(g, d, &r));
        CHECK_INT(number, 123);
        CHECK(!tern_replay_run(r, s));
        CHECK(!tern_stream_wait(s));
        CHECK_INT(number, 12345);
        tern_replay_free(r);
        tern_graph_free(g);
        tern_stream_free(s);
        tern_context_free(c);
    }
}

TEST(select_reads_conditions)
{
    const struct dev_info info = {
        .flags = DEV_F64 | DEV_HOST_MEMORY, .memory = UINT64_C(9) << 30, .units = 4};
    static const struct {
        const char *text;
        int answer; /* -1: not a condition */
    } cases[] = {
        {"f64", 1},
        {"f16", 0},
        {"!f16 && f64", 1},
        {"memory > 8GB", 1},
        {"memory>8.5g&&units>=4", 1},
        {"memory>=16GB || cpu", 1},
        {"(gpu || f16) && f64", 0},
        {"units == 4", 1},
        {"units != 4", 0},
        {"f64 &&", -1},
        {"memory", -1},
        {"memory > ", -1},
        {"teeth > 3", -1},
        {"(f64", -1},
        {"f64 f64", -1},
        {"", -1},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        bool answer = false;
        char why[256] = "";
        enum tern_error e = select_meets(cases[k].text, &dev_cpu, &info, &answer, why);
        CHECK((cases[k].answer < 0) == (e == TERN_INVALID_ARGUMENT));
        CHECK(cases[k].answer < 0 ? why[0] != 0 : answer == (cases[k].answer != 0));
    }
    CHECK(!select_is_condition("cpu") && !select_is_condition("vulkan:0") &&
          !select_is_condition("auto") && select_is_condition("f64") &&
          select_is_condition("memory>1GB"));
}

/* The CUDA APIs have one state for the process: it must survive every failure. */
#define CUDA_TRY(call)                                                                             \
    do {                                                                                           \
        int try_ = (int)(call);                                                                    \
        if (try_) {                                                                                \
            CHECK(try_ == cudaErrorMemoryAllocation && unit_injected(u));                          \
            goto done;                                                                             \
        }                                                                                          \
    } while (0)

TEST(cuda_calls_survive_without_memory)
{
    void *p = NULL, *q = NULL, *pinned = NULL;
    cudaStream_t s = NULL;
    cudaEvent_t e = NULL;
    cudaGraph_t g = NULL;
    cudaGraphExec_t x = NULL;
    cudaArray_t a = NULL;
    CUmodule m = NULL;
    CUfunction f;
    int h[32] = {0}, by = 3;
    setenv("TERN_DEVICES", "interp", 1);
    CUDA_TRY(cudaMalloc(&p, sizeof h));
    CUDA_TRY(cudaHostAlloc(&pinned, 64, 0));
    CUDA_TRY(cudaStreamCreate(&s));
    CUDA_TRY(cudaEventCreate(&e));
    CUDA_TRY(cuModuleLoadData(&m, code));
    CUDA_TRY(cuModuleGetFunction(&f, m, "add"));
    CUDA_TRY(cudaMemset(p, 0, sizeof h));
    void *args[] = {&p, &by};
    CUDA_TRY(cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, s, args, NULL));
    CUDA_TRY(cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost));
    CHECK_INT(h[31], 3);
    CUDA_TRY(cudaMallocAsync(&q, 1000, s));
    CUDA_TRY(cudaFreeAsync(q, s));
    q = NULL;
    struct cudaChannelFormatDesc format =
        cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
    CUDA_TRY(cudaMallocArray(&a, &format, 8, 4, 0));
    CUDA_TRY(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    CUDA_TRY(cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, s, args, NULL));
    CUDA_TRY(cudaMemsetAsync(p, 0, 4, s));
    CUDA_TRY(cudaStreamEndCapture(s, &g));
    CUDA_TRY(cudaGraphInstantiate(&x, g, 0));
    CUDA_TRY(cudaGraphLaunch(x, s));
    CUDA_TRY(cudaStreamSynchronize(s));
    CUDA_TRY(cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost));
    CHECK(h[0] == 0 && h[31] == 6);
    CHECK(cudaFree((char *)p + 4) == cudaErrorInvalidValue);
done:
    if (x)
        cudaGraphExecDestroy(x);
    if (g)
        cudaGraphDestroy(g);
    if (m)
        cuModuleUnload(m);
    cudaFreeArray(a);
    if (e)
        cudaEventDestroy(e);
    if (s)
        cudaStreamDestroy(s);
    cudaFreeHost(pinned);
    cudaFree(p);
    cudaDeviceReset();
}
