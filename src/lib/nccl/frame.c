/* Headers of messages. All numbers are little-endian. What arrives comes from anywhere: each field
 * is checked before it is used. */
#include <string.h>
#include "lib/nccl/nccl_int.h"

enum { FRAME_MAGIC = 0x4d524654, HELLO_MAGIC = 0x4f4c4854 };

static void put(uint8_t *at, uint64_t v, int bytes)
{
    for (int k = 0; k < bytes; k++)
        at[k] = (uint8_t)(v >> 8 * k);
}

static uint64_t get(const uint8_t *at, int bytes)
{
    uint64_t v = 0;
    for (int k = 0; k < bytes; k++)
        v |= (uint64_t)at[k] << 8 * k;
    return v;
}

void nccl_frame_write(const struct nccl_frame *f, uint8_t out[NCCL_FRAME_BYTES])
{
    memset(out, 0, NCCL_FRAME_BYTES);
    put(out, FRAME_MAGIC, 4);
    put(out + 4, (uint64_t)f->kind, 4);
    put(out + 8, f->number, 4);
    put(out + 16, f->bytes, 8);
}

bool nccl_frame_read(const uint8_t in[NCCL_FRAME_BYTES], uint64_t most, struct nccl_frame *out)
{
    const uint64_t kind = get(in + 4, 4);
    if (get(in, 4) != FRAME_MAGIC || kind < 1 || kind >= NCCL_FRAME_KINDS || get(in + 12, 4))
        return false;
    out->kind = (enum nccl_frame_kind)kind;
    out->number = (uint32_t)get(in + 8, 4);
    out->bytes = get(in + 16, 8);
    return out->bytes <= most;
}

void nccl_hello_write(const struct nccl_hello *h, uint8_t out[NCCL_HELLO_BYTES])
{
    memset(out, 0, NCCL_HELLO_BYTES);
    put(out, HELLO_MAGIC, 4);
    put(out + 4, NCCL_ID_VERSION, 4);
    put(out + 8, (uint64_t)h->role, 4);
    put(out + 12, h->rank, 4);
    put(out + 16, h->nranks, 4);
    put(out + 20, h->to, 4);
    memcpy(out + 24, h->nonce, NCCL_KEY);
}

bool nccl_hello_read(const uint8_t in[NCCL_HELLO_BYTES], struct nccl_hello *out)
{
    const uint64_t role = get(in + 8, 4);
    if (get(in, 4) != HELLO_MAGIC || get(in + 4, 4) != NCCL_ID_VERSION || role < 1 ||
        role >= NCCL_ROLES || get(in + 40, 8))
        return false;
    out->role = (enum nccl_role)role;
    out->rank = (uint32_t)get(in + 12, 4);
    out->nranks = (uint32_t)get(in + 16, 4);
    out->to = (uint32_t)get(in + 20, 4);
    memcpy(out->nonce, in + 24, NCCL_KEY);
    return out->nranks >= 1 && out->nranks <= INT32_MAX && out->rank < out->nranks &&
           out->to < out->nranks;
}

/* The hash of the hello, the answer's nonce and who is speaking: neither end's proof is the
 * other's. */
static void prove(const uint8_t key[NCCL_KEY], const uint8_t hello[NCCL_HELLO_BYTES],
                  const uint8_t nonce[NCCL_KEY], uint8_t speaker, uint8_t out[NCCL_KEY])
{
    uint8_t all[NCCL_HELLO_BYTES + NCCL_KEY + 1];
    memcpy(all, hello, NCCL_HELLO_BYTES);
    memcpy(all + NCCL_HELLO_BYTES, nonce, NCCL_KEY);
    all[sizeof all - 1] = speaker;
    nccl_mac(key, all, sizeof all, out);
}

static bool same(const uint8_t *a, const uint8_t *b)
{
    uint8_t differs = 0; /* in the same time wherever they differ */
    for (int k = 0; k < NCCL_KEY; k++)
        differs |= a[k] ^ b[k];
    return !differs;
}

void nccl_answer_write(const uint8_t key[NCCL_KEY], const uint8_t hello[NCCL_HELLO_BYTES],
                       const uint8_t nonce[NCCL_KEY], uint8_t out[NCCL_PROOF_BYTES])
{
    memset(out, 0, NCCL_PROOF_BYTES);
    put(out, HELLO_MAGIC, 4);
    put(out + 4, NCCL_ID_VERSION, 4);
    memcpy(out + 8, nonce, NCCL_KEY);
    prove(key, hello, nonce, 'a', out + 24);
}

bool nccl_answer_read(const uint8_t key[NCCL_KEY], const uint8_t hello[NCCL_HELLO_BYTES],
                      const uint8_t in[NCCL_PROOF_BYTES])
{
    uint8_t right[NCCL_KEY];
    if (get(in, 4) != HELLO_MAGIC || get(in + 4, 4) != NCCL_ID_VERSION)
        return false;
    prove(key, hello, in + 8, 'a', right);
    return same(right, in + 24);
}

void nccl_proof(const uint8_t key[NCCL_KEY], const uint8_t hello[NCCL_HELLO_BYTES],
                const uint8_t answer[NCCL_PROOF_BYTES], uint8_t out[NCCL_KEY])
{
    prove(key, hello, answer + 8, 'c', out);
}
