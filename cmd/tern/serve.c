/* tern serve: the playground, on this machine only.
 *
 * Serves the folder `web` next to the program (or share/tern/web where it is installed). POST
 * /compile answers compiler requests (driver/request.h), for pages without the compiler as
 * WebAssembly: four bytes, the reply's length, then the reply, then the output. One thread for each
 * connection: browsers open some that they never use. */
#include <arpa/inet.h>
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include "driver/request.h"
#include "tern.h"

enum { HEAD_LIMIT = 16 << 10, BODY_LIMIT = 8 << 20, PATIENCE = 10 /* seconds */ };

static const struct {
    const char *ending, *type;
} types[] = {
    {".html", "text/html; charset=utf-8"}, {".js", "text/javascript; charset=utf-8"},
    {".css", "text/css; charset=utf-8"},   {".json", "application/json"},
    {".wasm", "application/wasm"},         {".svg", "image/svg+xml"},
    {".cu", "text/plain; charset=utf-8"},  {".md", "text/plain; charset=utf-8"},
    {".ts", "text/plain; charset=utf-8"},
};

struct connection {
    int socket;
    const char *folder;
};

/* ---- answering ---- */

static bool send_all(int s, const void *data, size_t n)
{
    const char *p = data;
    while (n) {
        const ssize_t k = send(s, p, n, MSG_NOSIGNAL);
        if (k <= 0)
            return false;
        p += k;
        n -= (size_t)k;
    }
    return true;
}

/* The two Cross-Origin headers let the page share memory between workers. */
static bool send_head(int s, const char *status, const char *type, size_t length)
{
    char head[512];
    const int n =
        snprintf(head, sizeof head,
                 "HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\nConnection: close\r\n"
                 "Cache-Control: no-cache\r\nX-Content-Type-Options: nosniff\r\n"
                 "Cross-Origin-Opener-Policy: same-origin\r\n"
                 "Cross-Origin-Embedder-Policy: require-corp\r\n\r\n",
                 status, type, length);
    return send_all(s, head, (size_t)n);
}

static void send_text(int s, const char *status, const char *text)
{
    if (send_head(s, status, "text/plain; charset=utf-8", strlen(text)))
        send_all(s, text, strlen(text));
}

static const char *type_of(const char *path)
{
    const size_t n = strlen(path);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        const size_t m = strlen(types[i].ending);
        if (n > m && !strcmp(path + n - m, types[i].ending))
            return types[i].type;
    }
    return "application/octet-stream";
}

static void send_file(const struct connection *c, const char *target, bool head_only)
{
    char path[PATH_MAX];
    const size_t n = strcspn(target, "?#");
    struct stat st;
    if (target[0] != '/' || strstr(target, "..") || strchr(target, '%')) {
        send_text(c->socket, "400 Bad Request", "no such name\n");
        return;
    }
    const int len = snprintf(path, sizeof path, "%s%.*s%s", c->folder, (int)n, target,
                             target[n - 1] == '/' ? "index.html" : "");
    size_t size;
    char *data = NULL;
    if (len > 0 && (size_t)len < sizeof path && !stat(path, &st) && S_ISREG(st.st_mode))
        data = read_whole_file(path, &size);
    if (!data) {
        send_text(c->socket, "404 Not Found", "there is no such file\n");
        return;
    }
    if (send_head(c->socket, "200 OK", type_of(path), size) && !head_only)
        send_all(c->socket, data, size);
    free(data);
}

static void send_compiled(const struct connection *c, const char *body, size_t length)
{
    struct sbuf reply, output;
    sbuf_init(&reply, NULL);
    sbuf_init(&output, NULL);
    request_answer(body, length, &reply, &output);
    const uint32_t n = (uint32_t)reply.len;
    const uint8_t head[4] = {(uint8_t)n, (uint8_t)(n >> 8), (uint8_t)(n >> 16), (uint8_t)(n >> 24)};
    if (send_head(c->socket, "200 OK", "application/octet-stream", 4 + reply.len + output.len) &&
        send_all(c->socket, head, sizeof head) && send_all(c->socket, reply.data, reply.len))
        send_all(c->socket, output.data, output.len);
    sbuf_free(&reply);
    sbuf_free(&output);
}

/* ---- asking ---- */

static const char *header(const char *head, const char *name)
{
    const size_t n = strlen(name);
    for (const char *line = strstr(head, "\r\n"); line; line = strstr(line + 2, "\r\n"))
        if (!strncasecmp(line + 2, name, n) && line[2 + n] == ':')
            return line + 3 + n + strspn(line + 3 + n, " ");
    return NULL;
}

/* Pages of other sites reach this port through the browser, under their own name. */
static bool is_local(const char *host)
{
    static const char *const names[] = {"localhost", "127.0.0.1"};
    for (size_t i = 0; host && i < 2; i++) {
        const size_t n = strlen(names[i]);
        if (!strncasecmp(host, names[i], n) && strchr(":\r", host[n]))
            return true;
    }
    return false;
}

static void answer(const struct connection *c, char *text, size_t have, size_t head_length)
{
    char method[8], target[1024];
    const char *length_text = header(text, "Content-Length");
    const size_t length = length_text ? strtoul(length_text, NULL, 10) : 0;
    if (sscanf(text, "%7s %1023s HTTP/1.", method, target) != 2 ||
        !is_local(header(text, "Host"))) {
        send_text(c->socket, "400 Bad Request", "this server speaks to this machine only\n");
    } else if (!strcmp(method, "GET") || !strcmp(method, "HEAD")) {
        send_file(c, target, method[0] == 'H');
    } else if (strcmp(method, "POST") != 0 || strcmp(target, "/compile") != 0) {
        send_text(c->socket, "405 Method Not Allowed", "GET, or POST /compile\n");
    } else if (length > BODY_LIMIT) {
        send_text(c->socket, "413 Content Too Large", "the source is too long\n");
    } else {
        char *body = malloc(length + 1);
        size_t n = have - head_length < length ? have - head_length : length;
        if (body)
            memcpy(body, text + head_length, n);
        for (ssize_t k; body && n < length; n += (size_t)k)
            if ((k = recv(c->socket, body + n, length - n, 0)) <= 0)
                break;
        if (body && n == length)
            send_compiled(c, body, length);
        free(body);
    }
}

static void *serve_one(void *arg)
{
    struct connection *c = arg;
    char *text = malloc(HEAD_LIMIT + 1), *end = NULL;
    size_t n = 0;
    while (text && n < HEAD_LIMIT && !end) {
        const ssize_t k = recv(c->socket, text + n, HEAD_LIMIT - n, 0);
        if (k <= 0)
            break;
        n += (size_t)k;
        text[n] = 0;
        end = strstr(text, "\r\n\r\n");
    }
    if (end)
        answer(c, text, n, (size_t)(end + 4 - text));
    free(text);
    close(c->socket);
    free(c);
    return NULL;
}

/* ---- listening ---- */

static bool find_folder(char folder[PATH_MAX])
{
    static const char *const places[] = {"/web", "/../share/tern/web"};
    char self[PATH_MAX];
    const ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n <= 0)
        return false;
    self[n] = 0;
    *strrchr(self, '/') = 0;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        struct stat st;
        char page[PATH_MAX];
        if (snprintf(folder, PATH_MAX, "%s%s", self, places[i]) < PATH_MAX &&
            snprintf(page, sizeof page, "%.4000s/index.html", folder) < PATH_MAX &&
            !stat(page, &st))
            return true;
    }
    return false;
}

static int listen_at(unsigned port, unsigned *got)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    socklen_t size = sizeof at;
    const int s = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), yes = 1;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (s < 0)
        return -1;
    setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(s, (struct sockaddr *)&at, sizeof at) || listen(s, 64) ||
        getsockname(s, (struct sockaddr *)&at, &size)) {
        const int e = errno;
        close(s);
        errno = e;
        return -1;
    }
    *got = ntohs(at.sin_port);
    return s;
}

static void accept_one(int s, const char *folder)
{
    const struct timeval patience = {.tv_sec = PATIENCE};
    pthread_t thread;
    const int got = accept(s, NULL, NULL);
    struct connection *c = got < 0 ? NULL : malloc(sizeof *c);
    if (!c) {
        if (got >= 0)
            close(got);
        return;
    }
    setsockopt(got, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt(got, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    *c = (struct connection){got, folder};
    if (pthread_create(&thread, NULL, serve_one, c))
        serve_one(c);
    else
        pthread_detach(thread);
}

int command_serve(struct args *a)
{
    static char folder[PATH_MAX]; /* connections may outlive this function by a moment */
    unsigned port;
    if (a->port > UINT16_MAX)
        return complain("there is no port %u; 0 is any that is free", a->port);
    if (!find_folder(folder)) {
        complain("the folder `web` with the playground is not next to the program");
        return EXIT_IO;
    }
    const volatile int *stop = cancel_flag();
    const int s = listen_at(a->port, &port);
    if (s < 0) {
        complain("port %u: %s", a->port, strerror(errno));
        return EXIT_IO;
    }
    printf("http://localhost:%u\n", port);
    fflush(stdout);
    while (!*stop) {
        struct pollfd p = {.fd = s, .events = POLLIN};
        if (poll(&p, 1, 1000) > 0)
            accept_one(s, folder);
    }
    close(s);
    return EXIT_FINE;
}
