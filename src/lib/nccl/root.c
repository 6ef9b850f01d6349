/* Where the ranks of a communicator meet: a thread of the process that made the unique id. It
 * collects what each rank has to tell and gives it to all, and stays to tell everyone of ranks that
 * are lost: connections that end without a word, or on which nothing has come for too long.
 *
 * One event loop; a connection is nothing until it has proved that it knows the id's key. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>
#include "lib/nccl/nccl_int.h"

enum { PART_MOST = 4096 }; /* bytes that a rank tells in one exchange */

enum stage { GREETING, MEMBER, LEAVING };

struct visitor {
    int fd, rank; /* rank: of members */
    enum stage stage;
    int64_t heard, since;
    struct nccl_greeting greeting;
    uint8_t in[NCCL_FRAME_BYTES + PART_MOST];
    size_t have;
};

struct root {
    int listening;
    uint8_t key[NCCL_KEY];
    uint32_t n;                /* ranks; 0: nobody has said yet */
    uint32_t came, over;       /* ranks that have been here; that have left or are lost */
    struct visitor **visitors; /* of any stage */
    size_t nvisitors, room;
    bool *was;      /* a rank has come */
    uint8_t *parts; /* of the exchange that is under way */
    bool *told;
    uint32_t ntold, number;
    size_t part; /* bytes of each */
    int64_t started, beat;
};

static void send_frame(struct visitor *v, enum nccl_frame_kind kind, uint32_t number,
                       const void *data, size_t n)
{
    uint8_t head[NCCL_FRAME_BYTES];
    nccl_frame_write(&(struct nccl_frame){kind, number, n}, head);
    if (!nccl_send_all(v->fd, head, sizeof head, NCCL_BEAT_MS) ||
        (n && !nccl_send_all(v->fd, data, n, NCCL_SILENCE_S * 1000)))
        shutdown(v->fd, SHUT_RDWR); /* the loop finds its end */
}

static void tell_all(struct root *r, enum nccl_frame_kind kind, uint32_t number, const void *data,
                     size_t n)
{
    for (size_t k = 0; k < r->nvisitors; k++)
        if (r->visitors[k]->stage == MEMBER)
            send_frame(r->visitors[k], kind, number, data, n);
}

static void drop(struct root *r, size_t k)
{
    struct visitor *v = r->visitors[k];
    close(v->fd);
    free(v);
    r->visitors[k] = r->visitors[--r->nvisitors];
}

/* A member that is gone without a word. */
static void lose(struct root *r, size_t k)
{
    const bool member = r->visitors[k]->stage == MEMBER;
    const uint32_t rank = (uint32_t)r->visitors[k]->rank;
    drop(r, k);
    if (member) {
        r->over++;
        tell_all(r, NCCL_FRAME_LOST, rank, NULL, 0);
    }
}

/* ---- what members say ---- */

static bool gather(struct root *r, const struct visitor *v, const struct nccl_frame *f,
                   const uint8_t *data)
{
    if (!r->ntold) {
        free(r->parts);
        r->part = (size_t)f->bytes;
        r->number = f->number;
        r->parts = calloc(r->n, r->part ? r->part : 1);
        if (!r->parts)
            return false;
    }
    if (f->bytes != r->part || f->number != r->number || r->told[v->rank])
        return false;
    memcpy(r->parts + (size_t)v->rank * r->part, data, r->part);
    r->told[v->rank] = true;
    if (++r->ntold == r->n) {
        tell_all(r, NCCL_FRAME_GATHER, r->number, r->parts, r->n * r->part);
        memset(r->told, 0, r->n * sizeof *r->told);
        r->ntold = 0;
    }
    return true;
}

/* false: the member is no more. */
static bool member_says(struct root *r, size_t k, const struct nccl_frame *f, const uint8_t *data)
{
    struct visitor *v = r->visitors[k];
    const uint32_t rank = (uint32_t)v->rank;
    switch (f->kind) {
    case NCCL_FRAME_BEAT: return true;
    case NCCL_FRAME_GATHER:
        if (gather(r, v, f, data))
            return true;
        lose(r, k);
        return false;
    case NCCL_FRAME_BYE:
        /* Told before the connection ends: who leaves waits for its end, and may take this process
         * with it. */
        v->stage = LEAVING;
        tell_all(r, NCCL_FRAME_BYE, rank, NULL, 0);
        r->over++;
        drop(r, k);
        return false;
    case NCCL_FRAME_ABORT:
    default: lose(r, k); return false;
    }
}

static bool admit(struct root *r, struct visitor *v, const struct nccl_hello *h)
{
    if (h->role != NCCL_ROLE_MEMBER)
        return false;
    if (!r->n) {
        r->was = calloc(h->nranks, sizeof *r->was);
        r->told = calloc(h->nranks, sizeof *r->told);
        if (!r->was || !r->told)
            return false;
        r->n = h->nranks;
        r->started = nccl_now_ms();
    }
    if (h->nranks != r->n || r->was[h->rank])
        return false;
    r->was[h->rank] = true;
    r->came++;
    v->rank = (int)h->rank;
    v->stage = MEMBER;
    return true;
}

/* How many bytes a member's next frame has, as far as is known; 0: it says nothing that can be. */
static size_t wanted(const struct visitor *v, struct nccl_frame *f)
{
    if (v->have < NCCL_FRAME_BYTES)
        return NCCL_FRAME_BYTES;
    return nccl_frame_read(v->in, PART_MOST, f) ? NCCL_FRAME_BYTES + (size_t)f->bytes : 0;
}

static void greet(struct root *r, size_t k)
{
    struct visitor *v = r->visitors[k];
    struct nccl_hello h;
    const enum nccl_greeted how = nccl_greet(&v->greeting, v->fd, r->key, &h);
    v->heard = nccl_now_ms();
    if (how == NCCL_GREETED_WRONGLY || (how == NCCL_GREETED && !admit(r, v, &h)))
        lose(r, k);
}

static void listen_to(struct root *r, size_t k)
{
    struct visitor *v = r->visitors[k];
    struct nccl_frame f = {0};
    if (v->stage != MEMBER) {
        greet(r, k);
        return;
    }
    const ssize_t got = recv(v->fd, v->in + v->have, sizeof v->in - v->have, 0);
    if (got <= 0) {
        if (got == 0 || (errno != EAGAIN && errno != EINTR))
            lose(r, k);
        return;
    }
    v->have += (size_t)got;
    v->heard = nccl_now_ms();
    for (;;) {
        const size_t n = wanted(v, &f);
        if (!n) {
            lose(r, k);
            return;
        }
        if (v->have < n)
            return;
        if (!member_says(r, k, &f, v->in + NCCL_FRAME_BYTES))
            return;
        v->have -= n;
        memmove(v->in, v->in + n, v->have);
    }
}

static void welcome(struct root *r)
{
    for (;;) {
        const int fd = nccl_accept(r->listening);
        if (fd < 0)
            return;
        if (r->nvisitors == r->room) {
            const size_t room = r->room ? 2 * r->room : 16;
            struct visitor **more = realloc(r->visitors, room * sizeof *more);
            if (!more) {
                close(fd);
                return;
            }
            r->visitors = more;
            r->room = room;
        }
        struct visitor *v = calloc(1, sizeof *v);
        if (!v) {
            close(fd);
            return;
        }
        v->fd = fd;
        v->rank = -1;
        v->heard = v->since = nccl_now_ms();
        r->visitors[r->nvisitors++] = v;
    }
}

/* Who is silent, who has not come. */
static void look_around(struct root *r)
{
    const int64_t now = nccl_now_ms();
    if (now - r->beat < NCCL_BEAT_MS)
        return;
    r->beat = now;
    for (size_t k = r->nvisitors; k-- > 0;) {
        const struct visitor *v = r->visitors[k];
        if (v->stage == MEMBER ? now - v->heard > NCCL_SILENCE_S * 1000
                               : now - v->since > NCCL_HANDSHAKE_MS)
            lose(r, k);
    }
    tell_all(r, NCCL_FRAME_BEAT, 0, NULL, 0);
    if (r->n && r->came < r->n && now - r->started > NCCL_MEET_S * 1000)
        for (uint32_t rank = 0; rank < r->n; rank++)
            if (!r->was[rank]) {
                tell_all(r, NCCL_FRAME_LOST, rank, NULL, 0);
                r->started = now;
                break;
            }
}

static void *root_main(void *arg)
{
    struct root *r = arg;
    struct pollfd *p = NULL;
    while (!r->n || r->over < r->came || r->came < r->n) {
        const size_t n = r->nvisitors;
        struct pollfd *more = realloc(p, (n + 1) * sizeof *p);
        if (!more)
            break;
        p = more;
        for (size_t k = 0; k < n; k++)
            p[k] = (struct pollfd){r->visitors[k]->fd, POLLIN, 0};
        p[n] = (struct pollfd){r->listening, POLLIN, 0};
        poll(p, n + 1, r->n ? NCCL_BEAT_MS : -1);
        /* From the last on: one that is gone has the last one put into its place. */
        for (size_t k = n; k-- > 0;)
            if (p[k].revents && k < r->nvisitors && r->visitors[k]->fd == p[k].fd)
                listen_to(r, k);
        if (p[n].revents)
            welcome(r);
        look_around(r);
        if (r->n && r->came == r->over && r->came && r->came < r->n && !r->nvisitors)
            break; /* all that came have gone again */
    }
    while (r->nvisitors)
        drop(r, r->nvisitors - 1);
    close(r->listening);
    free(p);
    free(r->visitors);
    free(r->was);
    free(r->told);
    free(r->parts);
    free(r);
    return NULL;
}

/* Each rank is a connection, and a process may open 1024 files where nobody has asked for more. */
static void allow_files(void)
{
    struct rlimit files;
    if (!getrlimit(RLIMIT_NOFILE, &files) && files.rlim_cur < files.rlim_max) {
        files.rlim_cur = files.rlim_max;
        setrlimit(RLIMIT_NOFILE, &files);
    }
}

ncclResult_t nccl_root_start(struct nccl_id *id)
{
    pthread_t thread;
    pthread_attr_t detached;
    struct root *r = calloc(1, sizeof *r);
    if (!r)
        return ncclSystemError;
    memcpy(r->key, id->key, sizeof r->key);
    allow_files();
    if (!nccl_listen(&id->root, &r->listening)) {
        free(r);
        return ncclSystemError;
    }
    pthread_attr_init(&detached);
    pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
    const int e = pthread_create(&thread, &detached, root_main, r);
    pthread_attr_destroy(&detached);
    if (e) {
        close(r->listening);
        free(r);
        return ncclSystemError;
    }
    return ncclSuccess;
}
