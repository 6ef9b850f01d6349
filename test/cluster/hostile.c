/* What NCCL's connections make of anything that can be sent to them: headers at random and broken
 * on purpose; strangers at the place where ranks meet, with noise, with the first words of a rank,
 * with a wrong key; and a rank with the right key that then talks nonsense. Nothing of it may
 * crash, hang, or let a stranger in. */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "lib/nccl/nccl_int.h"

static int errors;
static uint64_t seed = 1;

static uint32_t any(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 33);
}

static void expect(const char *what, bool right)
{
    if (!right && errors++ < 10)
        printf("%s\n", what);
}

static void noise(uint8_t *to, size_t n)
{
    for (size_t k = 0; k < n; k++)
        to[k] = (uint8_t)any();
}

static void headers(int rounds)
{
    for (int r = 0; r < rounds; r++) {
        const struct nccl_frame f = {(enum nccl_frame_kind)(1 + any() % (NCCL_FRAME_KINDS - 1)),
                                     any(), (uint64_t)any() << (any() % 32)};
        const struct nccl_hello h = {.role = (enum nccl_role)(1 + any() % (NCCL_ROLES - 1)),
                                     .rank = 3,
                                     .nranks = 4 + any() % 1000,
                                     .to = 2};
        uint8_t frame[NCCL_FRAME_BYTES], hello[NCCL_HELLO_BYTES], answer[NCCL_PROOF_BYTES],
            key[NCCL_KEY], nonce[NCCL_KEY];
        struct nccl_frame f2;
        struct nccl_hello h2;
        const uint64_t most = (uint64_t)any() << (any() % 32);
        nccl_frame_write(&f, frame);
        expect("a frame reads as it was written", nccl_frame_read(frame, UINT64_MAX, &f2) &&
                                                      f2.kind == f.kind && f2.number == f.number &&
                                                      f2.bytes == f.bytes);
        expect("a frame that is too long", nccl_frame_read(frame, most, &f2) == (f.bytes <= most));
        frame[any() % 8] ^= (uint8_t)(1 + any() % 255);
        if (nccl_frame_read(frame, most, &f2))
            expect("a broken frame is within bounds",
                   f2.bytes <= most && f2.kind >= 1 && f2.kind < NCCL_FRAME_KINDS);
        nccl_hello_write(&h, hello);
        expect("a hello reads as it was written", nccl_hello_read(hello, &h2) &&
                                                      h2.rank == h.rank && h2.nranks == h.nranks &&
                                                      h2.role == h.role);
        noise(key, sizeof key);
        noise(nonce, sizeof nonce);
        nccl_answer_write(key, hello, nonce, answer);
        expect("an answer", nccl_answer_read(key, hello, answer));
        const uint32_t at = any() % sizeof answer;
        answer[at] ^= (uint8_t)(1 + any() % 255);
        expect("a broken answer", !nccl_answer_read(key, hello, answer));
        hello[any() % sizeof hello] ^= (uint8_t)(1 + any() % 255);
        if (nccl_hello_read(hello, &h2))
            expect("a broken hello is within bounds", h2.rank < h2.nranks && h2.to < h2.nranks &&
                                                          h2.role >= 1 && h2.role < NCCL_ROLES);
    }
}

/* Whether the other end hangs up, and says nothing first. */
static bool hung_up(int fd)
{
    uint8_t byte;
    struct pollfd p = {fd, POLLIN, 0};
    return poll(&p, 1, 20000) == 1 && recv(fd, &byte, 1, 0) <= 0;
}

static void strangers(const struct nccl_id *id, int rounds)
{
    for (int r = 0; r < rounds; r++) {
        uint8_t bytes[512];
        const int fd = nccl_connect(&id->root, 10000);
        const size_t n = 1 + any() % sizeof bytes;
        expect("the root is there", fd >= 0);
        if (fd < 0)
            return;
        noise(bytes, sizeof bytes);
        if (r % 3 == 0) { /* words of a rank, and a wrong proof */
            uint8_t answer[NCCL_PROOF_BYTES];
            nccl_hello_write(&(struct nccl_hello){.role = NCCL_ROLE_MEMBER, .rank = 1, .nranks = 2},
                             bytes);
            expect("an answer comes", nccl_send_all(fd, bytes, NCCL_HELLO_BYTES, 5000) &&
                                          nccl_recv_all(fd, answer, sizeof answer, 20000));
            expect("a wrong proof is sent", nccl_send_all(fd, bytes, NCCL_KEY, 5000));
            expect("a stranger is sent away", hung_up(fd));
        } else if (nccl_send_all(fd, bytes, n, 5000) && n >= NCCL_HELLO_BYTES) {
            expect("noise is sent away", hung_up(fd));
        }
        close(fd);
    }
}

/* A rank that knows the key, and then says anything. */
static void nonsense(void)
{
    ncclUniqueId u;
    struct nccl_id id;
    expect("an id", ncclGetUniqueId(&u) == ncclSuccess);
    memcpy(&id, u.internal, sizeof id);
    int fds[3];
    for (uint32_t k = 0; k < 3; k++) {
        fds[k] = nccl_connect(&id.root, 10000);
        struct nccl_hello h = {.role = NCCL_ROLE_MEMBER, .rank = k, .nranks = 3};
        expect("a rank is let in", fds[k] >= 0 && nccl_call_out(fds[k], id.key, &h));
    }
    for (int k = 0; k < 3; k++) {
        uint8_t bytes[6000];
        noise(bytes, sizeof bytes);
        const struct nccl_frame f = {(enum nccl_frame_kind)(1 + any() % (NCCL_FRAME_KINDS - 1)),
                                     any(), any() % 8000};
        if (k != 1)
            nccl_frame_write(&f, bytes);
        nccl_send_all(fds[k], bytes, 1 + any() % sizeof bytes, 5000);
    }
    for (int k = 0; k < 3; k++)
        close(fds[k]);
}

struct rank {
    ncclUniqueId id;
    int rank;
    ncclResult_t result;
};

static void *join(void *arg)
{
    struct rank *r = arg;
    ncclComm_t c;
    cudaSetDevice(r->rank);
    r->result = ncclCommInitRank(&c, 2, r->id, r->rank);
    if (!r->result)
        ncclCommDestroy(c);
    return NULL;
}

int main(void)
{
    ncclUniqueId u;
    struct nccl_id id;
    const bool longer = getenv("TERN_TEST_LONG") != NULL;
    headers(longer ? 2000000 : 100000);
    expect("an id", ncclGetUniqueId(&u) == ncclSuccess);
    memcpy(&id, u.internal, sizeof id);
    strangers(&id, longer ? 600 : 60);
    for (int k = 0; k < (longer ? 500 : 50); k++)
        nonsense();
    /* After all that the ranks still meet; one with another key does not. */
    struct rank ranks[2] = {{u, 0, ncclInternalError}, {u, 1, ncclInternalError}},
                wrong = {u, 1, ncclSuccess};
    wrong.id.internal[8] ^= 1;
    join(&wrong);
    expect("a wrong key", wrong.result != ncclSuccess);
    pthread_t threads[2];
    for (int k = 0; k < 2; k++)
        expect("a thread", !pthread_create(&threads[k], NULL, join, ranks + k));
    for (int k = 0; k < 2; k++) {
        pthread_join(threads[k], NULL);
        expect("the ranks meet", ranks[k].result == ncclSuccess);
    }
    puts(errors ? "wrong" : "ok");
    return errors != 0;
}
