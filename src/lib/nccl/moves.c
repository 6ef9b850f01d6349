/* Many transfers at once. Transfers between the same two ranks in the same direction keep their
 * order; all others go on side by side. What is received may be summed with what is here as it
 * comes, and what is sent may be what another transfer of the list has only brought in part: rings
 * are pipelines by that. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include "lib/nccl/nccl_int.h"

enum { TURN = 1 << 20 }; /* bytes before others get theirs */

struct traffic {
    struct ncclComm *c;
    struct nccl_move *moves;
    int n;
    uint8_t *busy;    /* for each rank: 1: an earlier send is not done, 2: an earlier receipt */
    int ways;         /* ranks and directions that there are */
    uint8_t *scratch; /* NCCL_PIECE bytes, with room for a part of an element before them */
    struct pollfd *fds;
};

/* Bytes over a link, as many as go now; -1: it is broken. */
static ssize_t put(struct traffic *t, const struct nccl_move *m, const void *data, size_t n)
{
    if (m->link->out) {
        const size_t k = nccl_pipe_put(m->link->out, data, n);
        if (k)
            nccl_ring_bell(t->c->segment, t->c->node_index[m->peer]);
        return (ssize_t)k;
    }
    const ssize_t k = send(m->link->fd, data, n, MSG_NOSIGNAL | MSG_DONTWAIT);
    return k >= 0 ? k : errno == EAGAIN || errno == EINTR ? 0 : -1;
}

static ssize_t get(struct traffic *t, const struct nccl_move *m, void *data, size_t n)
{
    if (m->link->in) {
        const size_t k = nccl_pipe_get(m->link->in, data, n);
        if (k)
            nccl_ring_bell(t->c->segment, t->c->node_index[m->peer]);
        return (ssize_t)k;
    }
    const ssize_t k = recv(m->link->fd, data, n, MSG_DONTWAIT);
    return k > 0 ? k : k < 0 && (errno == EAGAIN || errno == EINTR) ? 0 : -1;
}

static ncclResult_t broken(struct traffic *t, const struct nccl_move *m)
{
    return nccl_fail(t->c, ncclRemoteError, "the connection to rank %d ended", m->peer);
}

static ncclResult_t send_some(struct traffic *t, struct nccl_move *m, bool *moved)
{
    if (!m->head_done)
        nccl_frame_write(&(struct nccl_frame){NCCL_FRAME_DATA, 0, m->bytes}, m->head);
    while (m->head_done < NCCL_FRAME_BYTES) {
        const ssize_t k = put(t, m, m->head + m->head_done, NCCL_FRAME_BYTES - m->head_done);
        if (k < 0)
            return broken(t, m);
        if (!k)
            return ncclSuccess;
        m->head_done += (size_t)k;
        *moved = true;
    }
    const size_t limit = m->limit ? *m->limit : m->bytes, from = m->done;
    while (m->done < limit && m->done - from < TURN) {
        const ssize_t k = put(t, m, m->data + m->done, limit - m->done);
        if (k < 0)
            return broken(t, m);
        if (!k)
            break;
        m->done += (size_t)k;
        *moved = true;
    }
    return ncclSuccess;
}

static ncclResult_t receive_head(struct traffic *t, struct nccl_move *m, bool *moved)
{
    struct nccl_frame f;
    while (m->head_done < NCCL_FRAME_BYTES) {
        const ssize_t k = get(t, m, m->head + m->head_done, NCCL_FRAME_BYTES - m->head_done);
        if (k < 0)
            return broken(t, m);
        if (!k)
            return ncclSuccess;
        m->head_done += (size_t)k;
        *moved = true;
    }
    if (!nccl_frame_read(m->head, UINT64_MAX, &f) || f.kind != NCCL_FRAME_DATA)
        return nccl_fail(t->c, ncclRemoteError, "rank %d sent what is no message", m->peer);
    if (f.bytes != m->bytes)
        return nccl_fail(t->c, ncclInvalidUsage, "rank %d sent %llu bytes where %llu are expected",
                         m->peer, (unsigned long long)f.bytes, (unsigned long long)m->bytes);
    return ncclSuccess;
}

/* Sums what has come, whole elements; what is left of one is kept. */
static void sum(struct nccl_move *m, uint8_t *bytes, size_t n)
{
    const size_t size = nccl_type_bytes(m->sum->type), whole = n / size * size;
    nccl_reduce(m->data + m->done, (const void *[]){m->local + m->done, bytes}, 2, whole / size,
                m->sum->type, m->sum->op, m->divide);
    m->done += whole;
    m->nrest = n - whole;
    memcpy(m->rest, bytes + whole, m->nrest);
}

static ncclResult_t receive_some(struct traffic *t, struct nccl_move *m, bool *moved)
{
    const size_t from = m->done;
    if (m->head_done < NCCL_FRAME_BYTES) {
        const ncclResult_t e = receive_head(t, m, moved);
        if (e || m->head_done < NCCL_FRAME_BYTES)
            return e;
    }
    while (m->done < m->bytes && m->done - from < TURN) {
        ssize_t k;
        if (m->sum) {
            size_t want = m->bytes - m->done - m->nrest;
            if (want > NCCL_PIECE)
                want = NCCL_PIECE;
            memcpy(t->scratch, m->rest, m->nrest);
            k = get(t, m, t->scratch + m->nrest, want);
            if (k > 0)
                sum(m, t->scratch, m->nrest + (size_t)k);
        } else {
            k = get(t, m, m->data + m->done, m->bytes - m->done);
            m->done += k > 0 ? (size_t)k : 0;
        }
        if (k < 0)
            return broken(t, m);
        if (!k)
            break;
        *moved = true;
    }
    return ncclSuccess;
}

static bool over(const struct nccl_move *m)
{
    return m->head_done == NCCL_FRAME_BYTES && m->done == m->bytes;
}

/* One time through the list. */
static ncclResult_t pass(struct traffic *t, int *first, bool *moved)
{
    int ways = t->ways; /* that are not busy: a ring of many ranks has few, and a long list */
    memset(t->busy, 0, (size_t)t->c->n);
    while (*first < t->n && over(t->moves + *first))
        ++*first;
    for (int k = *first; k < t->n && ways; k++) {
        struct nccl_move *m = t->moves + k;
        const uint8_t side = m->send ? 1 : 2;
        if (over(m) || t->busy[m->peer] & side)
            continue;
        const ncclResult_t e = m->send ? send_some(t, m, moved) : receive_some(t, m, moved);
        if (e)
            return e;
        if (!over(m)) {
            t->busy[m->peer] |= side;
            ways--;
        }
    }
    return ncclSuccess;
}

/* Nothing can go on: sleeps until something may. */
static ncclResult_t rest(struct traffic *t, int first, uint32_t bell)
{
    struct ncclComm *c = t->c;
    int nfds = 0, ways = t->ways;
    bool near = false;
    for (int k = first; k < t->n && ways; k++) {
        const struct nccl_move *m = t->moves + k;
        const uint8_t side = m->send ? 1 : 2;
        if (over(m) || !(t->busy[m->peer] & side))
            continue;
        t->busy[m->peer] &= (uint8_t)~side; /* the first of each only */
        ways--;
        if (m->link->out) {
            near = true;
        } else if (!m->send || !m->limit || *m->limit > m->done) {
            t->fds[nfds++] = (struct pollfd){m->link->fd, (short)(m->send ? POLLOUT : POLLIN), 0};
        }
    }
    if (nfds)
        poll(t->fds, (nfds_t)nfds, near ? 1 : NCCL_TICK_MS);
    else if (near)
        nccl_wait_bell(c, bell, NCCL_TICK_MS);
    const int failed = c->segment ? nccl_segment_failed(c->segment) : -1;
    if (!nccl_failed(c) && failed >= 0)
        nccl_fail(c, ncclRemoteError, "rank %d has failed", failed);
    return nccl_failed(c) ? (ncclResult_t)atomic_load(&c->error) : ncclSuccess;
}

/* Whether one that is waited for can come no more. Asked before a last pass. */
static int missing(const struct traffic *t, int first)
{
    const struct ncclComm *c = t->c;
    for (int k = first; k < t->n; k++) {
        const int peer = t->moves[k].peer;
        if (over(t->moves + k))
            continue;
        if (atomic_load(&c->left[peer]) ||
            (c->node_index[peer] >= 0 && !nccl_near_alive(c->segment, c->node_index[peer])))
            return peer;
    }
    return -1;
}

static ncclResult_t run(struct traffic *t)
{
    int first = 0, gone = -1;
    int64_t still = 0; /* since when nothing has moved */
    for (;;) {
        const uint32_t bell = t->c->segment ? nccl_bell(t->c->segment, t->c->node_rank) : 0;
        bool moved = false;
        ncclResult_t e = pass(t, &first, &moved);
        if (e)
            return e;
        while (first < t->n && over(t->moves + first))
            first++;
        if (first == t->n)
            return ncclSuccess;
        if (moved) {
            still = 0;
            continue;
        }
        if (gone >= 0)
            return nccl_fail(t->c, ncclRemoteError, "rank %d has left or is lost", gone);
        if (still && nccl_now_ms() - still >= NCCL_TICK_MS) {
            still = nccl_now_ms();
            gone = missing(t, first);
        } else {
            still = still ? still : nccl_now_ms();
        }
        if (gone < 0)
            e = rest(t, first, bell);
        if (e)
            return e;
    }
}

static void count_ways(struct traffic *t)
{
    memset(t->busy, 0, (size_t)t->c->n);
    for (int k = 0; k < t->n; k++) {
        const uint8_t side = t->moves[k].send ? 1 : 2;
        t->ways += !(t->busy[t->moves[k].peer] & side);
        t->busy[t->moves[k].peer] |= side;
    }
}

ncclResult_t nccl_moves(struct ncclComm *c, struct nccl_move *moves, int n)
{
    struct traffic t = {.c = c, .moves = moves, .n = n};
    ncclResult_t e = ncclSuccess;
    if (!n)
        return ncclSuccess;
    uint8_t *rests = malloc((size_t)n * 8);
    t.busy = malloc((size_t)c->n);
    t.scratch = malloc(NCCL_PIECE + 16);
    t.fds = malloc(2 * (size_t)c->n * sizeof *t.fds);
    if (!rests || !t.busy || !t.scratch || !t.fds)
        e = nccl_fail(c, ncclSystemError, "there is no memory");
    if (!e)
        count_ways(&t);
    for (int k = 0; k < n && !e; k++) {
        moves[k].rest = rests + 8 * (size_t)k;
        moves[k].done = moves[k].head_done = moves[k].nrest = 0;
        e = nccl_link(c, moves[k].peer, &moves[k].link);
    }
    if (!e)
        e = run(&t);
    free(rests);
    free(t.busy);
    free(t.scratch);
    free(t.fds);
    return e;
}
