/* Links: bytes between two ranks, made when they are first needed. Ranks that share a segment have
 * pipes in it; others a connection, which the lower rank makes and the higher one accepts. */
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>
#include "lib/nccl/nccl_int.h"

/* The monitor's thread takes calls, so that two ranks that call each other in a circle both get
 * through. */
bool nccl_link_called(void *arg, int fd, const struct nccl_hello *h)
{
    struct ncclComm *c = arg;
    bool taken = false;
    if (h->nranks != (uint32_t)c->n || h->to != (uint32_t)c->rank)
        return false;
    pthread_mutex_lock(&c->lock);
    if (h->role == NCCL_ROLE_ID) {
        taken = c->naskers < c->n;
        if (taken)
            c->askers[c->naskers++] = fd;
    } else if (h->role == NCCL_ROLE_LINK && h->rank < h->to) {
        taken = c->links[h->rank].fd < 0;
        if (taken)
            c->links[h->rank].fd = fd;
    }
    pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->lock);
    return taken;
}

static ncclResult_t await_call(struct ncclComm *c, int peer)
{
    pthread_mutex_lock(&c->lock);
    while (c->links[peer].fd < 0 && !nccl_failed(c) && !atomic_load(&c->left[peer]))
        pthread_cond_wait(&c->changed, &c->lock);
    const bool there = c->links[peer].fd >= 0;
    pthread_mutex_unlock(&c->lock);
    return there            ? ncclSuccess
           : nccl_failed(c) ? (ncclResult_t)atomic_load(&c->error)
                            : nccl_fail(c, ncclRemoteError, "rank %d has left", peer);
}

static ncclResult_t call(struct ncclComm *c, int peer)
{
    struct nccl_hello h = {.role = NCCL_ROLE_LINK,
                           .rank = (uint32_t)c->rank,
                           .nranks = (uint32_t)c->n,
                           .to = (uint32_t)peer};
    const int fd = nccl_connect(&c->entries[peer].address, NCCL_SILENCE_S * 1000);
    if (fd >= 0 && nccl_call_out(fd, c->id.key, &h)) {
        pthread_mutex_lock(&c->lock);
        c->links[peer].fd = fd;
        pthread_mutex_unlock(&c->lock);
        return ncclSuccess;
    }
    if (fd >= 0)
        close(fd);
    return nccl_fail(c, ncclRemoteError, "rank %d cannot be reached", peer);
}

ncclResult_t nccl_link(struct ncclComm *c, int peer, struct nccl_link **out)
{
    struct nccl_link *l = c->links + peer;
    ncclResult_t e = ncclSuccess;
    *out = l;
    if (l->ready)
        return ncclSuccess;
    const int near = c->node_index[peer];
    if (near >= 0) {
        l->out = nccl_pipe(c->segment, c->node_rank, near);
        l->in = nccl_pipe(c->segment, near, c->node_rank);
    } else {
        e = c->rank < peer ? call(c, peer) : await_call(c, peer);
    }
    l->ready = !e;
    return e;
}

void nccl_links_end(struct ncclComm *c)
{
    for (int k = 0; k < c->n && c->links; k++)
        if (c->links[k].fd >= 0)
            shutdown(c->links[k].fd, SHUT_RDWR);
}

void nccl_links_close(struct ncclComm *c)
{
    for (int k = 0; k < c->n && c->links; k++)
        if (c->links[k].fd >= 0) {
            close(c->links[k].fd);
            c->links[k].fd = -1;
        }
}
