/* Where others call: a listening socket and those who have not proved yet that they know the key.
 * Nobody waits for them: each is heard when bytes of it have come, so that who connects and says
 * nothing holds up nobody else. */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "lib/nccl/nccl_int.h"

/* ---- one caller ---- */

enum nccl_greeted nccl_greet(struct nccl_greeting *g, int fd, const uint8_t key[NCCL_KEY],
                             struct nccl_hello *out)
{
    for (;;) {
        uint8_t *to = g->answered ? g->proof : g->hello;
        const size_t want = g->answered ? sizeof g->proof : sizeof g->hello;
        const ssize_t got = recv(fd, to + g->have, want - g->have, MSG_DONTWAIT);
        if (got < 0 && (errno == EAGAIN || errno == EINTR))
            return NCCL_GREETED_PARTLY;
        if (got <= 0)
            return NCCL_GREETED_WRONGLY;
        g->have += (size_t)got;
        if (g->have < want)
            continue;
        if (!nccl_hello_read(g->hello, out))
            return NCCL_GREETED_WRONGLY;
        if (g->answered) {
            uint8_t right[NCCL_KEY], differs = 0;
            nccl_proof(key, g->hello, g->answer, right);
            for (int k = 0; k < NCCL_KEY; k++)
                differs |= right[k] ^ g->proof[k];
            return differs ? NCCL_GREETED_WRONGLY : NCCL_GREETED;
        }
        uint8_t nonce[NCCL_KEY];
        if (!nccl_random(nonce, sizeof nonce))
            return NCCL_GREETED_WRONGLY;
        nccl_answer_write(key, g->hello, nonce, g->answer);
        /* The first bytes of a connection: they have room, or something is wrong with it. */
        if (send(fd, g->answer, sizeof g->answer, MSG_NOSIGNAL | MSG_DONTWAIT) !=
            (ssize_t)sizeof g->answer)
            return NCCL_GREETED_WRONGLY;
        g->answered = true;
        g->have = 0;
    }
}

/* ---- all that call ---- */

void nccl_door_open(struct nccl_door *d, int listening)
{
    d->listening = listening;
    d->n = 0;
}

int nccl_door_polls(const struct nccl_door *d, struct pollfd p[NCCL_DOOR_POLLS])
{
    p[0] = (struct pollfd){d->listening, POLLIN, 0};
    for (int k = 0; k < d->n; k++)
        p[1 + k] = (struct pollfd){d->callers[k].fd, POLLIN, 0};
    return 1 + d->n;
}

/* Callers stand in the order in which they came. */
static void forget(struct nccl_door *d, int k)
{
    d->n--;
    memmove(d->callers + k, d->callers + k + 1, (size_t)(d->n - k) * sizeof *d->callers);
}

static void send_away(struct nccl_door *d, int k)
{
    close(d->callers[k].fd);
    forget(d, k);
}

static void welcome(struct nccl_door *d)
{
    for (;;) {
        const int fd = nccl_accept(d->listening);
        if (fd < 0)
            return;
        if (d->n == NCCL_CALLERS) /* ranks prove themselves at once: the oldest is none */
            send_away(d, 0);
        d->callers[d->n++] = (struct nccl_caller){.fd = fd, .since = nccl_now_ms()};
    }
}

void nccl_door_hear(struct nccl_door *d, const struct pollfd *p, const uint8_t key[NCCL_KEY],
                    nccl_enter *enter, void *arg)
{
    for (int k = d->n; k-- > 0;) {
        struct nccl_caller *c = d->callers + k;
        struct nccl_hello h;
        enum nccl_greeted how = NCCL_GREETED_PARTLY;
        if (p[1 + k].revents)
            how = nccl_greet(&c->greeting, c->fd, key, &h);
        if (how == NCCL_GREETED && enter(arg, c->fd, &h))
            forget(d, k);
        else if (how != NCCL_GREETED_PARTLY || nccl_now_ms() - c->since > NCCL_HANDSHAKE_MS)
            send_away(d, k);
    }
    if (p[0].revents)
        welcome(d);
}

void nccl_door_close(struct nccl_door *d)
{
    while (d->n)
        send_away(d, d->n - 1);
}
