/* MTGP32 for cuRAND's host API: sequences with the first 64 sets of parameters that its authors
 * published, 256 numbers of each in turn. On the host: a sequence is what 256 threads of a block
 * draw together. */
#include "lib/rand/rand_int.h"
#define __TERN_MTGP32_TABLE static const mtgp32_params_fast_t
#include "cuda/curand_mtgp32_host.h"
#include "cuda/curand_mtgp32dc_p_11213.h"

/* The first states are as the API for kernels makes them from a seed. */
void rand_mtgp_start(struct rand_mtgp *m, unsigned set, unsigned long long seed)
{
    *m = (struct rand_mtgp){.set = set};
    __tern_mtgp32_start(m->s, &MTGPDC_PARAM_TABLE[set], (unsigned)(seed ^ seed >> 32) + set + 1u);
}

unsigned rand_mtgp_next(struct rand_mtgp *m)
{
    const mtgp32_params_fast_t *p = &MTGPDC_PARAM_TABLE[m->set];
    const unsigned at = m->at++, pos = (unsigned)p->pos;
    const unsigned r = __tern_mtgp_step(m->s[at % RAND_MTGP_RING], m->s[(at + 1) % RAND_MTGP_RING],
                                        m->s[(at + pos) % RAND_MTGP_RING], (unsigned)p->sh1,
                                        (unsigned)p->sh2, p->mask, p->tbl);
    m->s[(at + MTGPDC_N) % RAND_MTGP_RING] = r;
    return __tern_mtgp_temper(r, m->s[(at + pos - 1) % RAND_MTGP_RING], p->tmp_tbl);
}

#undef __TERN_FN
#define __TERN_FN static
__TERN_RAND_POISSON(mtgp_poisson, struct rand_mtgp, rand_mtgp_next)

unsigned rand_mtgp_poisson(struct rand_mtgp *m, double mean)
{
    return mtgp_poisson(m, mean);
}
