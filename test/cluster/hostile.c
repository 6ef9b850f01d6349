/* What NCCL's connections make of anything that can be sent to them: headers at random and broken
 * on purpose; strangers at the place where ranks meet, with noise, with the first words of a rank,
 * with a wrong key; and ranks and roots with the right key that send frames of all kinds and sizes,
 * cut anywhere, and then nonsense; strangers at a rank's door that say nothing. Nothing of it may
 * crash, hang, or let a stranger in; what is in order between it must arrive. */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "lib/nccl/nccl_int.h"

static int errors;
static uint64_t seed = 1;
static unsigned long read_here, sent; /* headers; frames and what else was sent to a socket */

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
        read_here += 6; /* a frame, a hello and an answer, whole and broken */
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
        sent++;
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
        sent++;
    }
    for (int k = 0; k < 3; k++)
        close(fds[k]);
}

/* ---- frames in order, by the thousand ---- */

struct stream { /* what is to be sent, in pieces that do not care where frames end */
    uint8_t bytes[1 << 16];
    size_t n;
};

static void add_frame(struct stream *s, enum nccl_frame_kind kind, uint32_t number,
                      const void *data, size_t n)
{
    nccl_frame_write(&(struct nccl_frame){kind, number, n}, s->bytes + s->n);
    if (data)
        memcpy(s->bytes + s->n + NCCL_FRAME_BYTES, data, n);
    else
        noise(s->bytes + s->n + NCCL_FRAME_BYTES, n);
    s->n += NCCL_FRAME_BYTES + n;
    sent++;
}

static bool flush_stream(int fd, struct stream *s)
{
    for (size_t at = 0; at < s->n;) {
        const size_t left = s->n - at, most = 1 + any() % (any() % 4 ? 16384 : 40);
        const size_t n = most < left ? most : left;
        if (!nccl_send_all(fd, s->bytes + at, n, 20000))
            return false;
        at += n;
    }
    s->n = 0;
    return true;
}

/* The next frame that is no beat; its bytes. */
static bool next_frame(int fd, struct nccl_frame *f, uint8_t *data, size_t room)
{
    do {
        uint8_t head[NCCL_FRAME_BYTES];
        if (!nccl_recv_all(fd, head, sizeof head, 20000) || !nccl_frame_read(head, room, f) ||
            (f->bytes && !nccl_recv_all(fd, data, (size_t)f->bytes, 20000)))
            return false;
    } while (f->kind == NCCL_FRAME_BEAT);
    return true;
}

/* Ranks that beat with something in it, any number of times, and exchange data between that; then
 * one breaks a frame. */
static void chatter(int frames)
{
    enum { N = 3 };
    static struct stream s;
    static uint8_t parts[N][512], all[N * 512];
    ncclUniqueId u;
    struct nccl_id id;
    struct nccl_frame f;
    int fds[N];
    expect("an id", ncclGetUniqueId(&u) == ncclSuccess);
    memcpy(&id, u.internal, sizeof id);
    for (uint32_t k = 0; k < N; k++) {
        fds[k] = nccl_connect(&id.root, 20000);
        struct nccl_hello h = {.role = NCCL_ROLE_MEMBER, .rank = k, .nranks = N};
        expect("a rank is let in", fds[k] >= 0 && nccl_call_out(fds[k], id.key, &h));
    }
    for (uint32_t number = 1; frames > 0; number++) {
        const size_t n = any() % sizeof parts[0];
        for (int k = 0; k < N; k++) {
            for (int b = (int)(any() % 200); b > 0; b--, frames--)
                add_frame(&s, NCCL_FRAME_BEAT, any(), NULL, any() % 8 ? 0 : any() % 200);
            noise(parts[k], n);
            add_frame(&s, NCCL_FRAME_GATHER, number, parts[k], n);
            expect("frames are taken", flush_stream(fds[k], &s));
        }
        for (int k = 0; k < N; k++) {
            bool right = next_frame(fds[k], &f, all, sizeof all) && f.kind == NCCL_FRAME_GATHER &&
                         f.number == number && f.bytes == N * n;
            for (int j = 0; j < N && right; j++)
                right = !memcmp(all + (size_t)j * n, parts[j], n);
            expect("each has what all sent", right);
            if (!right)
                return;
        }
        frames -= N;
    }
    add_frame(&s, NCCL_FRAME_GATHER, 7, NULL, 5000); /* more than a rank may tell */
    flush_stream(fds[1], &s);
    for (int k = 0; k < N; k += 2)
        expect("the others hear of it", next_frame(fds[k], &f, all, sizeof all) &&
                                            f.kind == NCCL_FRAME_LOST && f.number == 1);
    for (int k = 0; k < N; k++)
        close(fds[k]);
}

struct rank {
    ncclUniqueId id;
    int rank;
    ncclResult_t result;
};

static void *join(void *arg);

/* A root that says anything to a rank before it answers it: wrongly. */
static void false_root(int frames, int how)
{
    static struct stream s;
    static uint8_t data[8192];
    struct rank r = {.result = ncclSuccess};
    struct nccl_id id = {.magic = NCCL_ID_MAGIC, .version = NCCL_ID_VERSION};
    struct nccl_hello h;
    struct nccl_frame f;
    pthread_t thread;
    int listening;
    noise(id.key, sizeof id.key);
    expect("an address", nccl_listen(&id.root, &listening));
    memcpy(r.id.internal, &id, sizeof id);
    expect("a thread", !pthread_create(&thread, NULL, join, &r));
    struct pollfd p = {listening, POLLIN, 0};
    poll(&p, 1, 20000);
    const int fd = nccl_accept(listening);
    expect("the rank calls", fd >= 0 && nccl_called(fd, id.key, &h) && h.role == NCCL_ROLE_MEMBER);
    expect("it tells of itself",
           next_frame(fd, &f, data, sizeof data) && f.kind == NCCL_FRAME_GATHER);
    const uint32_t number = f.number;
    for (; frames > 0; frames--) {
        if (s.n > sizeof s.bytes - 8300)
            expect("frames are taken", flush_stream(fd, &s));
        switch (any() % 4) {
        case 0: add_frame(&s, NCCL_FRAME_BYE, 2 + any() % 1000, NULL, any() % 20); break;
        case 1: add_frame(&s, NCCL_FRAME_GATHER, number + 1 + any() % 9, NULL, any() % 300); break;
        case 2: add_frame(&s, NCCL_FRAME_DATA, any(), NULL, any() % 100); break;
        default: add_frame(&s, NCCL_FRAME_BEAT, any(), NULL, any() % 64 ? 0 : any() % 8192);
        }
    }
    switch (how % 3) {
    case 0: add_frame(&s, NCCL_FRAME_GATHER, number, NULL, f.bytes); break; /* half of it */
    case 1: add_frame(&s, NCCL_FRAME_LOST, any(), NULL, 0); break;
    default: noise(s.bytes + s.n, NCCL_FRAME_BYTES); s.n += NCCL_FRAME_BYTES;
    }
    expect("the end is sent", flush_stream(fd, &s));
    pthread_join(thread, NULL);
    expect("the rank says that it failed", r.result != ncclSuccess);
    close(fd);
    close(listening);
}

/* ---- on a link ---- */

struct talk {
    struct rank r;
    ncclComm_t comm;
    int how;
    float *data;
};

static void *talk_main(void *arg)
{
    struct talk *t = arg;
    struct nccl_link *link;
    static const size_t count = 1000;
    cudaSetDevice(t->r.rank);
    t->r.result = ncclCommInitRank(&t->comm, 2, t->r.id, t->r.rank);
    if (t->r.result)
        return NULL;
    if (t->r.rank == 0) {
        cudaMalloc((void **)&t->data, count * sizeof *t->data);
        t->r.result = ncclRecv(t->data, count, ncclFloat, 1, t->comm, NULL);
        cudaStreamSynchronize(NULL);
        ncclCommGetAsyncError(t->comm, &t->r.result);
        cudaFree(t->data);
        return NULL;
    }
    t->r.result = nccl_link(t->comm, 0, &link);
    uint8_t bytes[NCCL_FRAME_BYTES];
    noise(bytes, sizeof bytes);
    if (t->how % 3) /* a frame, of another kind or for other bytes */
        nccl_frame_write(
            &(struct nccl_frame){t->how % 3 == 1 ? NCCL_FRAME_BYE : NCCL_FRAME_DATA, 0, any()},
            bytes);
    sent++;
    if (!t->r.result)
        nccl_send_all(link->fd, bytes, sizeof bytes, 20000);
    return NULL;
}

static void false_peer(int how)
{
    struct talk talks[2] = {{.how = how}, {.how = how, .r.rank = 1}};
    pthread_t threads[2];
    expect("an id", ncclGetUniqueId(&talks[0].r.id) == ncclSuccess);
    talks[1].r.id = talks[0].r.id;
    for (int k = 0; k < 2; k++)
        expect("a thread", !pthread_create(&threads[k], NULL, talk_main, talks + k));
    for (int k = 0; k < 2; k++)
        pthread_join(threads[k], NULL);
    expect("nonsense on a link is an error",
           talks[0].r.result == ncclRemoteError || talks[0].r.result == ncclInvalidUsage);
    for (int k = 0; k < 2; k++)
        ncclCommAbort(talks[k].comm);
}

/* ---- strangers that say nothing ---- */

enum { SILENT = 40 }; /* more than may be at a door at once */

struct quiet {
    struct rank r;
    ncclComm_t comm;
    pthread_barrier_t *barrier;
    int fds[SILENT];
};

static void *quiet_main(void *arg)
{
    struct quiet *q = arg;
    float *data = NULL;
    cudaSetDevice(q->r.rank);
    q->r.result = ncclCommInitRank(&q->comm, 2, q->r.id, q->r.rank);
    /* They are at rank 1's door before rank 0, which has the lower number, calls there. */
    if (!q->r.result && q->r.rank == 0)
        for (int k = 0; k < SILENT; k++) {
            q->fds[k] = nccl_connect(&q->comm->entries[1].address, 10000);
            uint8_t word = 1;
            if (k % 2) /* or almost nothing */
                expect("a byte is sent", nccl_send_all(q->fds[k], &word, 1, 5000));
        }
    pthread_barrier_wait(q->barrier);
    if (q->r.result)
        return NULL;
    cudaMalloc((void **)&data, sizeof *data);
    q->r.result = q->r.rank ? ncclRecv(data, 1, ncclFloat, 0, q->comm, NULL)
                            : ncclSend(data, 1, ncclFloat, 1, q->comm, NULL);
    cudaStreamSynchronize(NULL);
    if (!q->r.result)
        ncclCommGetAsyncError(q->comm, &q->r.result);
    cudaFree(data);
    return NULL;
}

/* Each of them was waited for as long as a rank waits for an answer: it gave up. */
static void silent(void)
{
    pthread_barrier_t barrier;
    struct quiet ranks[2] = {{.barrier = &barrier}, {.barrier = &barrier, .r.rank = 1}};
    pthread_t threads[2];
    pthread_barrier_init(&barrier, NULL, 2);
    expect("an id", ncclGetUniqueId(&ranks[0].r.id) == ncclSuccess);
    ranks[1].r.id = ranks[0].r.id;
    for (int k = 0; k < 2; k++)
        expect("a thread", !pthread_create(&threads[k], NULL, quiet_main, ranks + k));
    for (int k = 0; k < 2; k++)
        pthread_join(threads[k], NULL);
    for (int k = 0; k < 2; k++) {
        expect("strangers that say nothing hold up nobody", ranks[k].r.result == ncclSuccess);
        ncclCommAbort(ranks[k].comm);
    }
    for (int k = 0; k < SILENT; k++)
        close(ranks[0].fds[k]);
    pthread_barrier_destroy(&barrier);
}

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

static void all(int times)
{
    ncclUniqueId u;
    struct nccl_id id;
    headers(100000 * times);
    expect("an id", ncclGetUniqueId(&u) == ncclSuccess);
    memcpy(&id, u.internal, sizeof id);
    strangers(&id, 60 * times);
    for (int k = 0; k < 50 * times; k++)
        nonsense();
    chatter(times > 1 ? 1500000 : 20000);
    for (int k = 0; k < 3 * times; k++)
        false_root(times > 1 ? 50000 : 3000, k);
    setenv("NCCL_SHM_DISABLE", "1", 1); /* links are sockets then */
    for (int k = 0; k < 3 * times; k++)
        false_peer(k);
    silent();
    unsetenv("NCCL_SHM_DISABLE");
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
}

/* `hostile SECONDS SEED` goes on for so long, with other numbers each time. */
int main(int argc, char **argv)
{
    const int64_t until = nccl_now_ms() + (argc > 1 ? 1000 * atoll(argv[1]) : 0);
    seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
    do
        all(argc == 1 && getenv("TERN_TEST_LONG") ? 10 : 1);
    while (nccl_now_ms() < until && !errors);
    printf("%lu headers, %lu frames and greetings sent, the next seed is %llu\n", read_here, sent,
           (unsigned long long)seed);
    puts(errors ? "wrong" : "ok");
    return errors != 0;
}
