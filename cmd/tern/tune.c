/* tern tune: measures which of a library's kernels is the fastest on a device, and keeps that for
 * its products (lib/blas/tune.h). */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include "lib/blas/tune.h"
#include "tern.h"

enum { DEFAULT_SECONDS = 20 };

struct tuned {
    const struct args *a;
    struct progress *progress;
    struct json_writer *w;
    unsigned rows;
};

static void cut_text(const struct blas_cut *c, char *out, size_t size)
{
    if (c->wm)
        snprintf(out, size, "%d x %d, warps %d x %d", c->m, c->n, c->wm, c->wn);
    else
        snprintf(out, size, "%d x %d", c->m, c->n);
}

static void show(void *ctx, const struct blas_measured *m)
{
    struct tuned *t = ctx;
    char cut[64];
    cut_text(&m->best, cut, sizeof cut);
    t->rows++;
    if (t->a->json) {
        json_object(t->w);
        json_key(t->w, "type");
        json_str(t->w, m->type);
        json_key(t->w, "size");
        json_uint(t->w, (uint64_t)m->size);
        json_key(t->w, "kernel");
        json_str(t->w, m->family);
        json_key(t->w, "cut");
        json_str(t->w, cut);
        json_key(t->w, "gflops");
        json_double(t->w, m->gflops);
        json_key(t->w, "gflops_before");
        json_double(t->w, m->gflops_by_size);
        json_key(t->w, "tried");
        json_uint(t->w, m->tried);
        json_key(t->w, "wrong");
        json_uint(t->w, m->wrong);
        json_end(t->w);
    } else if (!t->a->quiet) {
        if (t->progress) /* its line is in the way */
            fputs("\r\033[K", stderr);
        printf("%-5s%6lld  %-14s%-28s%10.1f GFLOP/s%s", m->type, (long long)m->size, m->family, cut,
               m->gflops, m->wrong ? ", some cuts fail" : "");
        if (m->gflops_by_size > 0)
            printf("  %.2f of before", m->gflops / m->gflops_by_size);
        printf("\n");
        fflush(stdout);
    }
}

static void tell(void *ctx, unsigned percent)
{
    progress_tell(((struct tuned *)ctx)->progress, percent);
}

/* What the command says beside its rows. */
static int conclude(const struct args *a, const struct tuned *t, cublasStatus_t s)
{
    if (s == CUBLAS_STATUS_INVALID_VALUE)
        return complain("tune: '%s' is no type; f32, f64, f16, tf32 and i8 are", a->rest.data[0]);
    if (s == CUBLAS_STATUS_NOT_INITIALIZED)
        return complain("tune: there is no such device"), EXIT_DEVICE;
    if (s != CUBLAS_STATUS_SUCCESS)
        return complain("tune: the device failed (%d); TERN_LOG=1 tells more", (int)s), EXIT_DEVICE;
    if (*cancel_flag())
        return EXIT_STOPPED;
    if (!t->rows && !a->quiet && !a->json)
        printf("nothing to choose: products have one way on this device\n");
    return EXIT_FINE;
}

typedef cublasStatus_t tune_function(const struct blas_tuning *how, unsigned *rows);

/* The library is beside the command, not in it: it is what programs load. */
static tune_function *tuner(void)
{
    char path[4200];
    tune_function *f = NULL;
    if (!dropin_folder(path, sizeof path - sizeof "/libtern.so"))
        return NULL;
    strcat(path, "/libtern.so");
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL), *symbol = NULL;
    if (library)
        symbol = dlsym(library, "ternBlasTune");
    memcpy(&f, &symbol, sizeof f);
    return f;
}

static cublasStatus_t tune_blas(const struct args *a, tune_function *tune, struct tuned *t)
{
    unsigned rows;
    t->progress = progress_start("measuring");
    const struct blas_tuning how = {.seconds = a->seconds > 0 ? a->seconds : DEFAULT_SECONDS,
                                    .type = a->rest.len ? a->rest.data[0] : NULL,
                                    .found = show,
                                    .tell = tell,
                                    .ctx = t,
                                    .cancel = cancel_flag()};
    tell(t, 0);
    const cublasStatus_t s = tune(&how, &rows);
    progress_end(t->progress);
    return s;
}

int command_tune(struct args *a)
{
    if (!a->input)
        return complain("tune: what? `tern tune blas`");
    if (strcmp(a->input, "blas") != 0)
        return complain("'%s' cannot be tuned; blas can", a->input);
    if (a->rest.len > 1)
        return complain("tune: one type, or none for all of them");
    tune_function *tune = tuner();
    if (!tune)
        return complain("tune: dropin/libtern.so is not beside the command"), EXIT_IO;
    if (a->device)
        setenv("TERN_DEVICES", a->device, 1);
    struct sbuf out;
    struct json_writer w;
    struct tuned t = {.a = a, .w = &w};
    sbuf_init(&out, NULL);
    json_begin(&w, &out, true);
    json_array(&w);
    const cublasStatus_t s = tune_blas(a, tune, &t);
    json_end(&w);
    if (a->json)
        printf("%s\n", out.data ? out.data : "[]");
    sbuf_free(&out);
    return conclude(a, &t, s);
}
