/* Products of matrices by mma.m16n8k16 on the CPU, against OpenBLAS's SGEMM of the same product;
 * both on one core, by the time that they computed.
 *
 *   mma MMA.ptx */
#include <cblas.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "tern/tern.h"

enum { N = 512, ROUNDS = 12 };

static double computed(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static tern_buffer *filled(tern_device *d, const void *from, size_t n)
{
    tern_buffer *b;
    if (tern_buffer_new(d, n, &b) || tern_buffer_write(b, 0, from, n))
        exit(1);
    return b;
}

int main(int argc, char **argv)
{
    static float a[N * N], b[N * N], c[N * N], ours[N * N];
    static uint16_t ha[N * N], hb[N * N];
    static char text[65536];
    FILE *f = argc > 1 ? fopen(argv[1], "rb") : NULL;
    if (!f || !fread(text, 1, sizeof text - 1, f))
        return 2;
    for (int i = 0; i < N * N; i++) { /* 0, 1, 2 and 3, which halves have exactly */
        static const uint16_t halves[] = {0, 0x3c00, 0x4000, 0x4200};
        ha[i] = halves[i * 7 % 11 % 4];
        hb[i] = halves[i * 5 % 13 % 4];
        a[i] = (float)(i * 7 % 11 % 4);
        b[i] = (float)(i * 5 % 13 % 4);
    }
    tern_context *context;
    tern_device *d;
    tern_module *m;
    tern_kernel *k;
    if (tern_context_new(&(struct tern_options){.devices = "cpu"}, &context) ||
        tern_context_device(context, 0, &d) ||
        tern_module_new(d, &(struct tern_source){.text = text, .path = argv[1]}, &m) ||
        tern_module_kernel(m, "product", &k))
        return 1;
    tern_buffer *buffers[] = {filled(d, ours, sizeof ours), filled(d, ha, sizeof ha),
                              filled(d, hb, sizeof hb)};
    uint64_t at[3];
    for (int i = 0; i < 3; i++)
        at[i] = tern_buffer_address(buffers[i]);
    int n = N;
    void *args[] = {&at[0], &at[1], &at[2], &n, &n};
    double best = 1e9, blas = 1e9;
    for (int r = 0; r < ROUNDS; r++) {
        double start = computed();
        if (tern_launch(NULL, k, (tern_dim){N / 32, N / 32}, (tern_dim){32}, 0, args) ||
            tern_device_wait(d))
            return 1;
        double took = computed() - start;
        best = took < best ? took : best;
        start = computed();
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, N, N, N, 1, a, N, b, N, 0, c, N);
        took = computed() - start;
        blas = took < blas ? took : blas;
    }
    tern_buffer_read(buffers[0], 0, ours, sizeof ours);
    for (int i = 0; i < N * N; i++)
        if (ours[i] != c[i])
            return fprintf(stderr, "mma: %g, not %g\n", (double)ours[i], (double)c[i]), 1;
    const double work = 2.0 * N * N * N * 1e-9;
    printf("mma m16n8k16 on one core\t%.3g\tGF/s\t0\n", work / best);
    printf("the same by OpenBLAS's SGEMM\t%.3g\tGF/s\t0\n", work / blas);
    printf("mma / SGEMM\t%.3g\tx\t0.3\n", blas / best);
    return 0;
}
