/* SipHash-2-4 with a result of 128 bits: a hash that only who knows the key can make. */
#include <errno.h>
#include <string.h>
#include <sys/random.h>
#include "lib/nccl/nccl_int.h"

static uint64_t turn(uint64_t x, int by)
{
    return x << by | x >> (64 - by);
}

static void rounds(uint64_t v[4], int n)
{
    for (; n > 0; n--) {
        v[0] += v[1];
        v[1] = turn(v[1], 13) ^ v[0];
        v[0] = turn(v[0], 32);
        v[2] += v[3];
        v[3] = turn(v[3], 16) ^ v[2];
        v[0] += v[3];
        v[3] = turn(v[3], 21) ^ v[0];
        v[2] += v[1];
        v[1] = turn(v[1], 17) ^ v[2];
        v[2] = turn(v[2], 32);
    }
}

static uint64_t word(const uint8_t *p, size_t n)
{
    uint64_t w = 0;
    for (size_t k = 0; k < n; k++)
        w |= (uint64_t)p[k] << 8 * k;
    return w;
}

void nccl_mac(const uint8_t key[NCCL_KEY], const void *data, size_t n, uint8_t out[NCCL_KEY])
{
    const uint64_t k0 = word(key, 8), k1 = word(key + 8, 8);
    uint64_t v[4] = {k0 ^ 0x736f6d6570736575u, k1 ^ 0x646f72616e646f6du ^ 0xee,
                     k0 ^ 0x6c7967656e657261u, k1 ^ 0x7465646279746573u};
    const uint8_t *p = data;
    size_t at = 0;
    for (; at + 8 <= n; at += 8) {
        const uint64_t m = word(p + at, 8);
        v[3] ^= m;
        rounds(v, 2);
        v[0] ^= m;
    }
    const uint64_t last = (uint64_t)n << 56 | word(p + at, n - at);
    v[3] ^= last;
    rounds(v, 2);
    v[0] ^= last;
    for (int half = 0; half < 2; half++) {
        v[half ? 1 : 2] ^= half ? 0xdd : 0xee;
        rounds(v, 4);
        const uint64_t w = v[0] ^ v[1] ^ v[2] ^ v[3];
        for (int k = 0; k < 8; k++)
            out[8 * half + k] = (uint8_t)(w >> 8 * k);
    }
}

bool nccl_random(void *out, size_t n)
{
    uint8_t *p = out;
    while (n) {
        const ssize_t got = getrandom(p, n, 0);
        if (got < 0 && errno != EINTR)
            return false;
        if (got > 0) {
            p += got;
            n -= (size_t)got;
        }
    }
    return true;
}
