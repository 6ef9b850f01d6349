/* Steps by kernels: each is made for the numbers of its step when it is first needed, then found by
 * its name. */
#include "lib/fft/fft_int.h"

enum tern_error fft_prepare(const struct lib_device *d, struct fft_program *p)
{
    enum tern_error e = TERN_OK;
    for (int k = 0; k < p->nsteps && !e && !p->limits.host; k++) {
        char name[FFT_KERNEL_NAME];
        fft_shape(p, p->steps + k, name);
        e = lib_kernel(d, "fft/lines.h", name, &p->steps[k].kernel);
    }
    return e;
}

static const void *in_tables(const struct fft_program *p, const char *tables, int t)
{
    return t < 0 ? NULL : tables + p->tables[t].offset;
}

struct fft_step fft_resolve(const struct fft_program *p, const struct fft_stage_plan *s,
                            const struct fft_memory *m)
{
    struct fft_step t = s->step;
    const char *const from[] = {[FFT_IN] = m->in, [FFT_OUT] = m->out, [FFT_WORK] = m->work};
    t.in = from[s->from] + s->in_offset;
    t.out = (s->to == FFT_WORK ? m->work : (char *)m->out) + s->out_offset;
    t.roots = in_tables(p, m->tables, s->roots);
    t.twiddles = in_tables(p, m->tables, s->twiddles);
    t.fine = in_tables(p, m->tables, s->fine);
    t.coarse = in_tables(p, m->tables, s->coarse);
    t.real_roots = in_tables(p, m->tables, s->real_roots);
    t.chirp = in_tables(p, m->tables, s->chirp);
    t.product = in_tables(p, m->tables, s->product);
    return t;
}

enum tern_error fft_run(const struct lib_device *d, cudaStream_t stream,
                        const struct fft_program *p, const struct fft_memory *m)
{
    enum tern_error e = TERN_OK;
    if (p->limits.host)
        return fft_host_run(d, stream, p, m);
    for (int k = 0; k < p->nsteps && !e; k++) {
        const struct fft_stage_plan *s = p->steps + k;
        struct fft_step t = fft_resolve(p, s, m);
        const struct fft_launch l = fft_launch_of(p, s);
        e = lib_launch(d, stream, s->kernel, (tern_dim){l.blocks}, (tern_dim){l.threads}, l.shared,
                       (void *[]){&t});
    }
    return e;
}
