/* A rank's side of the root: it meets the others there, exchanges small data with all of them, and
 * hears of those that are lost. One thread reads and beats, and takes calls of ranks that want a
 * link. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include "lib/nccl/nccl_int.h"

static bool say(struct ncclComm *c, enum nccl_frame_kind kind, uint32_t number, const void *data,
                size_t n)
{
    uint8_t frame[NCCL_FRAME_BYTES + 4096];
    nccl_frame_write(&(struct nccl_frame){kind, number, n}, frame);
    if (n > sizeof frame - NCCL_FRAME_BYTES)
        return false;
    if (n)
        memcpy(frame + NCCL_FRAME_BYTES, data, n);
    pthread_mutex_lock(&c->mouth); /* the caller's thread and the monitor speak */
    const bool said = nccl_send_all(c->root_fd, frame, NCCL_FRAME_BYTES + n, NCCL_SILENCE_S * 1000);
    pthread_mutex_unlock(&c->mouth);
    return said;
}

/* ---- the thread ---- */

struct ear {
    uint8_t *bytes;
    size_t have, room;
};

static void root_gone(struct ncclComm *c)
{
    pthread_mutex_lock(&c->lock);
    /* The root goes in order when the ranks of its process have left before. */
    bool in_order = c->entries != NULL;
    for (int k = 0; k < c->n && in_order; k++)
        if (c->entries[k].process == c->id.process && !atomic_load(&c->left[k]))
            in_order = false;
    c->root_gone = true;
    pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->lock);
    if (!in_order)
        nccl_fail(c, ncclRemoteError,
                  "the process where rank 0 or the unique id's maker ran is gone");
}

static void take(struct ncclComm *c, const struct nccl_frame *f, const uint8_t *data)
{
    switch (f->kind) {
    case NCCL_FRAME_GATHER:
        pthread_mutex_lock(&c->lock);
        free(c->parts);
        c->parts = malloc(f->bytes ? f->bytes : 1);
        c->parts_bytes = c->parts ? (size_t)f->bytes : 0;
        if (c->parts)
            memcpy(c->parts, data, (size_t)f->bytes);
        c->gathered = f->number;
        pthread_cond_broadcast(&c->changed);
        pthread_mutex_unlock(&c->lock);
        break;
    case NCCL_FRAME_BYE:
        if (f->number < (uint32_t)c->n)
            atomic_store(&c->left[f->number], 1);
        break;
    case NCCL_FRAME_LOST: nccl_fail(c, ncclRemoteError, "rank %u is lost", f->number); break;
    default: break;
    }
}

/* false: nothing more will come. */
static bool hear(struct ncclComm *c, struct ear *ear)
{
    const uint64_t most = (uint64_t)c->n * 4096;
    struct nccl_frame f;
    size_t want = NCCL_FRAME_BYTES;
    if (ear->have >= NCCL_FRAME_BYTES) {
        if (!nccl_frame_read(ear->bytes, most, &f))
            return false;
        want += (size_t)f.bytes;
    }
    if (want > ear->room) {
        uint8_t *more = realloc(ear->bytes, want);
        if (!more)
            return false;
        ear->bytes = more;
        ear->room = want;
    }
    if (ear->have < want) {
        const ssize_t got = recv(c->root_fd, ear->bytes + ear->have, want - ear->have, 0);
        if (got <= 0)
            return got < 0 && (errno == EAGAIN || errno == EINTR);
        ear->have += (size_t)got;
    }
    if (ear->have < want || ear->have < NCCL_FRAME_BYTES)
        return true;
    if (want == NCCL_FRAME_BYTES) { /* maybe the header has just become whole */
        if (!nccl_frame_read(ear->bytes, most, &f))
            return false;
        if (f.bytes)
            return true;
    }
    take(c, &f, ear->bytes + NCCL_FRAME_BYTES);
    ear->have = 0;
    return true;
}

static void *monitor_main(void *arg)
{
    struct ncclComm *c = arg;
    struct ear ear = {0};
    struct nccl_door door;
    int64_t heard = nccl_now_ms(), beat = heard;
    bool there = true;
    nccl_door_open(&door, c->listening);
    for (;;) {
        struct pollfd p[2 + NCCL_DOOR_POLLS] = {{c->wake_fd, POLLIN, 0},
                                                {there ? c->root_fd : -1, POLLIN, 0}};
        poll(p, 2 + (nfds_t)nccl_door_polls(&door, p + 2), NCCL_BEAT_MS);
        if (p[0].revents)
            break;
        nccl_door_hear(&door, p + 2, c->id.key, nccl_link_called, c);
        if (!there)
            continue;
        const int64_t now = nccl_now_ms();
        if (p[1].revents) {
            heard = now;
            there = hear(c, &ear);
        } else if (now - heard > NCCL_SILENCE_S * 1000) {
            there = false;
        }
        if (there && now - beat >= NCCL_BEAT_MS) {
            beat = now;
            say(c, NCCL_FRAME_BEAT, 0, NULL, 0);
        }
        if (!there)
            root_gone(c);
    }
    nccl_door_close(&door);
    free(ear.bytes);
    return NULL;
}

void nccl_give_up(struct ncclComm *c)
{
    if (c->monitored && c->root_fd >= 0)
        say(c, NCCL_FRAME_ABORT, 0, NULL, 0);
}

/* ---- exchange ---- */

ncclResult_t nccl_gather(struct ncclComm *c, const void *mine, size_t n, void *out)
{
    const uint32_t number = ++c->gathers;
    ncclResult_t e = ncclSuccess;
    if (!say(c, NCCL_FRAME_GATHER, number, mine, n))
        return nccl_fail(c, ncclRemoteError, "the place where ranks meet cannot be reached");
    pthread_mutex_lock(&c->lock);
    while (c->gathered != number && !nccl_failed(c) && !c->root_gone)
        pthread_cond_wait(&c->changed, &c->lock);
    const bool whole = c->gathered == number && c->parts_bytes == n * (size_t)c->n;
    if (whole)
        memcpy(out, c->parts, c->parts_bytes);
    pthread_mutex_unlock(&c->lock);
    if (!whole)
        e = nccl_fail(c, ncclRemoteError, "the ranks did not all come");
    return e;
}

/* ---- meeting ---- */

/* Ranks with the same number can share memory: they are of one boot of one machine, and of one
 * network namespace, in which the name of the segment is known. */
static bool host_number(uint8_t out[NCCL_KEY])
{
    const char *off = tern_cuda_setting("NCCL_SHM_DISABLE");
    if (off && strcmp(off, "0"))
        return nccl_random(out, NCCL_KEY);
    char text[128] = "";
    FILE *f = fopen("/proc/sys/kernel/random/boot_id", "r");
    if (!f)
        return nccl_random(out, NCCL_KEY);
    const bool read = fgets(text, 64, f) != NULL;
    fclose(f);
    struct stat s;
    if (!read || stat("/proc/self/ns/net", &s))
        return nccl_random(out, NCCL_KEY);
    const size_t n = strlen(text);
    snprintf(text + n, sizeof text - n, " %llu", (unsigned long long)s.st_ino);
    nccl_mac((const uint8_t[NCCL_KEY]){1}, text, strlen(text), out);
    return true;
}

ncclResult_t nccl_meet(struct ncclComm *c)
{
    struct nccl_hello h = {
        .role = NCCL_ROLE_MEMBER, .rank = (uint32_t)c->rank, .nranks = (uint32_t)c->n};
    struct nccl_entry mine = {.process = nccl_process(), .ordinal = c->ordinal};
    c->wake_fd = eventfd(0, EFD_CLOEXEC);
    c->root_fd = nccl_connect(&c->id.root, NCCL_MEET_S * 1000 / 10);
    if (c->wake_fd < 0 || c->root_fd < 0)
        return nccl_fail(c, ncclSystemError, "the maker of the unique id cannot be reached");
    if (!nccl_call_out(c->root_fd, c->id.key, &h))
        return nccl_fail(c, ncclRemoteError,
                         "the maker of the unique id does not know it, or hung up");
    if (!host_number(mine.host) || !nccl_listen(&mine.address, &c->listening))
        return nccl_fail(c, ncclSystemError, "no address can be listened on");
    if (pthread_create(&c->monitor, NULL, monitor_main, c))
        return nccl_fail(c, ncclSystemError, "no thread can be started");
    c->monitored = true;
    struct nccl_entry *all = calloc((size_t)c->n, sizeof *all);
    if (!all)
        return nccl_fail(c, ncclSystemError, "there is no memory");
    const ncclResult_t e = nccl_gather(c, &mine, sizeof mine, all);
    if (e) {
        free(all);
        return e;
    }
    pthread_mutex_lock(&c->lock);
    c->entries = all;
    pthread_mutex_unlock(&c->lock);
    return ncclSuccess;
}

void nccl_leave(struct ncclComm *c, bool in_order)
{
    const uint64_t one = 1;
    if (c->monitored) {
        if (write(c->wake_fd, &one, sizeof one) != sizeof one)
            shutdown(c->root_fd, SHUT_RD);
        pthread_join(c->monitor, NULL);
        c->monitored = false;
        /* The end of the connection says that the others have been told. */
        uint8_t rest[256];
        struct pollfd p = {c->root_fd, POLLIN, 0};
        const int64_t until = nccl_now_ms() + NCCL_BEAT_MS;
        if (say(c, in_order ? NCCL_FRAME_BYE : NCCL_FRAME_ABORT, 0, NULL, 0))
            while (nccl_now_ms() < until && poll(&p, 1, NCCL_TICK_MS) >= 0)
                if (p.revents && recv(c->root_fd, rest, sizeof rest, MSG_DONTWAIT) <= 0)
                    break;
    }
    if (c->root_fd >= 0)
        close(c->root_fd);
    if (c->wake_fd >= 0)
        close(c->wake_fd);
    c->root_fd = c->wake_fd = -1;
}
