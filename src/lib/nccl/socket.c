/* Addresses and connections. Sockets do not block: who waits polls, with a limit. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>
#include "lib/nccl/nccl_int.h"

int64_t nccl_now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t); /* steps of the wall clock do not matter */
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* ---- which interface ---- */

/* NCCL_SOCKET_IFNAME: beginnings of names with commas; ^ before them: all others; =: whole names.
 */
static bool wanted(const char *list, const char *name)
{
    const bool others = *list == '^';
    list += others;
    const bool whole = *list == '=';
    list += whole;
    bool found = false;
    while (*list && !found) {
        const size_t n = strcspn(list, ",");
        found = n && !strncmp(list, name, n) && (!whole || !name[n]);
        list += n + (list[n] == ',');
    }
    return found != others;
}

/* How well an interface serves: the loopback only reaches this machine, bridges of containers no
 * more; IPv6 addresses of the link need the name of an interface. 0: not at all. */
static int merit(const struct ifaddrs *i)
{
    const char *list = tern_cuda_setting("NCCL_SOCKET_IFNAME"),
               *family = tern_cuda_setting("NCCL_SOCKET_FAMILY");
    if (!i->ifa_addr || !(i->ifa_flags & IFF_UP))
        return 0;
    const int f = i->ifa_addr->sa_family;
    if ((f != AF_INET && f != AF_INET6) ||
        (family && (f == AF_INET6) != !strcmp(family, "AF_INET6")))
        return 0;
    const struct sockaddr_in6 *six = (const void *)i->ifa_addr;
    if (f == AF_INET6 && IN6_IS_ADDR_LINKLOCAL(&six->sin6_addr))
        return 0;
    if (list)
        return wanted(list, i->ifa_name) ? 3 + (f == AF_INET) : 0;
    if (i->ifa_flags & IFF_LOOPBACK)
        return f == AF_INET ? 2 : 1;
    if (!strncmp(i->ifa_name, "docker", 6) || !strncmp(i->ifa_name, "virbr", 5))
        return 1;
    return f == AF_INET ? 4 : 3;
}

static bool choose(struct nccl_address *out)
{
    struct ifaddrs *all;
    int best = 0;
    if (getifaddrs(&all))
        return false;
    for (const struct ifaddrs *i = all; i; i = i->ifa_next) {
        const int m = merit(i);
        if (m <= best)
            continue;
        best = m;
        memset(out, 0, sizeof *out);
        out->family = i->ifa_addr->sa_family;
        if (out->family == AF_INET)
            memcpy(out->bytes, &((const struct sockaddr_in *)(const void *)i->ifa_addr)->sin_addr,
                   4);
        else
            memcpy(out->bytes, &((const struct sockaddr_in6 *)(const void *)i->ifa_addr)->sin6_addr,
                   16);
    }
    freeifaddrs(all);
    return best > 0;
}

static socklen_t sockaddr(const struct nccl_address *a, struct sockaddr_storage *out)
{
    memset(out, 0, sizeof *out);
    if (a->family == AF_INET6) {
        struct sockaddr_in6 *six = (void *)out;
        six->sin6_family = AF_INET6;
        six->sin6_port = htons(a->port);
        memcpy(&six->sin6_addr, a->bytes, 16);
        return sizeof *six;
    }
    struct sockaddr_in *four = (void *)out;
    four->sin_family = AF_INET;
    four->sin_port = htons(a->port);
    memcpy(&four->sin_addr, a->bytes, 4);
    return sizeof *four;
}

/* ---- connections ---- */

void nccl_no_delay(int fd)
{
    const int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

bool nccl_listen(struct nccl_address *out, int *fd)
{
    struct sockaddr_storage s;
    if (!choose(out))
        return false;
    out->port = 0;
    const int f = socket(out->family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (f < 0)
        return false;
    socklen_t n = sockaddr(out, &s);
    if (bind(f, (const struct sockaddr *)&s, n) || listen(f, 1024) ||
        getsockname(f, (struct sockaddr *)&s, &n)) {
        close(f);
        return false;
    }
    out->port = ntohs(out->family == AF_INET6 ? ((struct sockaddr_in6 *)(void *)&s)->sin6_port
                                              : ((struct sockaddr_in *)(void *)&s)->sin_port);
    *fd = f;
    return true;
}

static bool ready(int fd, short what, int64_t until)
{
    for (;;) {
        const int64_t left = until - nccl_now_ms();
        struct pollfd p = {fd, what, 0};
        const int r = poll(&p, 1, left < 0 ? 0 : (int)left);
        if (r > 0)
            return true;
        if (r == 0 || errno != EINTR)
            return false;
    }
}

static int connect_once(const struct nccl_address *a, int64_t until)
{
    struct sockaddr_storage s;
    const socklen_t n = sockaddr(a, &s);
    const int fd = socket(a->family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return -1;
    int e = connect(fd, (const struct sockaddr *)&s, n) ? errno : 0;
    if (e == EINPROGRESS && ready(fd, POLLOUT, until)) {
        socklen_t size = sizeof e;
        if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &e, &size))
            e = errno;
    }
    if (!e) {
        nccl_no_delay(fd);
        return fd;
    }
    close(fd);
    return -1;
}

int nccl_connect(const struct nccl_address *a, int timeout_ms)
{
    const int64_t until = nccl_now_ms() + timeout_ms;
    if (a->family != AF_INET && a->family != AF_INET6)
        return -1;
    for (;;) {
        const int fd = connect_once(a, until);
        if (fd >= 0 || nccl_now_ms() >= until)
            return fd;
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    }
}

int nccl_accept(int listening)
{
    const int fd = accept4(listening, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd >= 0)
        nccl_no_delay(fd);
    return fd;
}

bool nccl_send_all(int fd, const void *data, size_t n, int timeout_ms)
{
    const int64_t until = nccl_now_ms() + timeout_ms;
    const uint8_t *p = data;
    while (n) {
        const ssize_t k = send(fd, p, n, MSG_NOSIGNAL);
        if (k > 0) {
            p += k;
            n -= (size_t)k;
        } else if (k < 0 && errno == EAGAIN) {
            if (!ready(fd, POLLOUT, until))
                return false;
        } else if (k == 0 || errno != EINTR) {
            return false;
        }
    }
    return true;
}

bool nccl_recv_all(int fd, void *data, size_t n, int timeout_ms)
{
    const int64_t until = nccl_now_ms() + timeout_ms;
    uint8_t *p = data;
    while (n) {
        const ssize_t k = recv(fd, p, n, 0);
        if (k > 0) {
            p += k;
            n -= (size_t)k;
        } else if (k < 0 && errno == EAGAIN) {
            if (!ready(fd, POLLIN, until))
                return false;
        } else if (k == 0 || errno != EINTR) {
            return false;
        }
    }
    return true;
}

/* ---- proofs ---- */

bool nccl_call_out(int fd, const uint8_t key[NCCL_KEY], struct nccl_hello *h)
{
    uint8_t hello[NCCL_HELLO_BYTES], answer[NCCL_PROOF_BYTES], proof[NCCL_KEY];
    if (!nccl_random(h->nonce, NCCL_KEY))
        return false;
    nccl_hello_write(h, hello);
    if (!nccl_send_all(fd, hello, sizeof hello, NCCL_HANDSHAKE_MS) ||
        !nccl_recv_all(fd, answer, sizeof answer, NCCL_HANDSHAKE_MS) ||
        !nccl_answer_read(key, hello, answer))
        return false;
    nccl_proof(key, hello, answer, proof);
    return nccl_send_all(fd, proof, sizeof proof, NCCL_HANDSHAKE_MS);
}

bool nccl_called(int fd, const uint8_t key[NCCL_KEY], struct nccl_hello *out)
{
    const int64_t until = nccl_now_ms() + NCCL_HANDSHAKE_MS;
    struct nccl_greeting g = {0};
    enum nccl_greeted how;
    do
        how = nccl_greet(&g, fd, key, out);
    while (how == NCCL_GREETED_PARTLY && ready(fd, POLLIN, until));
    return how == NCCL_GREETED;
}

/* ---- on one machine: abstract names, which live in a network namespace ---- */

static socklen_t unix_name(const uint8_t name[NCCL_KEY], struct sockaddr_un *out)
{
    *out = (struct sockaddr_un){.sun_family = AF_UNIX};
    int n = snprintf(out->sun_path + 1, sizeof out->sun_path - 1, "tern-nccl-");
    for (int k = 0; k < NCCL_KEY; k++)
        n += snprintf(out->sun_path + 1 + n, sizeof out->sun_path - 1 - (size_t)n, "%02x", name[k]);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n);
}

int nccl_unix_listen(const uint8_t name[NCCL_KEY])
{
    struct sockaddr_un s;
    const socklen_t n = unix_name(name, &s);
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd >= 0 && (bind(fd, (const struct sockaddr *)&s, n) || listen(fd, 1024))) {
        close(fd);
        return -1;
    }
    return fd;
}

int nccl_unix_connect(const uint8_t name[NCCL_KEY])
{
    struct sockaddr_un s;
    const socklen_t n = unix_name(name, &s);
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd >= 0 && connect(fd, (const struct sockaddr *)&s, n)) {
        close(fd);
        return -1;
    }
    return fd;
}

bool nccl_pass_fd(int socket, int fd)
{
    uint8_t byte = 1;
    struct iovec v = {&byte, 1};
    union {
        char bytes[CMSG_SPACE(sizeof(int))];
        struct cmsghdr align;
    } control = {{0}};
    struct msghdr m = {.msg_iov = &v,
                       .msg_iovlen = 1,
                       .msg_control = control.bytes,
                       .msg_controllen = sizeof control.bytes};
    struct cmsghdr *h = CMSG_FIRSTHDR(&m);
    h->cmsg_level = SOL_SOCKET;
    h->cmsg_type = SCM_RIGHTS;
    h->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(h), &fd, sizeof fd);
    return sendmsg(socket, &m, MSG_NOSIGNAL) == 1;
}

int nccl_take_fd(int socket)
{
    uint8_t byte;
    struct iovec v = {&byte, 1};
    union {
        char bytes[CMSG_SPACE(sizeof(int))];
        struct cmsghdr align;
    } control;
    struct msghdr m = {.msg_iov = &v,
                       .msg_iovlen = 1,
                       .msg_control = control.bytes,
                       .msg_controllen = sizeof control.bytes};
    int fd = -1;
    if (!ready(socket, POLLIN, nccl_now_ms() + NCCL_HANDSHAKE_MS) ||
        recvmsg(socket, &m, MSG_CMSG_CLOEXEC) != 1)
        return -1;
    const struct cmsghdr *h = CMSG_FIRSTHDR(&m);
    if (h && h->cmsg_level == SOL_SOCKET && h->cmsg_type == SCM_RIGHTS &&
        h->cmsg_len == CMSG_LEN(sizeof fd))
        memcpy(&fd, CMSG_DATA(h), sizeof fd);
    return fd;
}
