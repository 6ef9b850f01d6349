/* tern serve: the playground, on this machine only.
 *
 * Serves the folder `web` next to the program (or share/tern/web where it is installed). POST
 * /compile answers compiler requests (driver/request.h), for pages without the compiler as
 * WebAssembly: four bytes, the reply's length, then the reply, then the output.
 *
 * One event loop in one thread; each compilation is a child process with limits on time and
 * memory, so that no source, however hostile, takes the server down, and a client that leaves takes
 * its compilation along. Every state of a connection has a deadline: nobody holds a place by
 * sending a byte now and then. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "driver/request.h"
#include "tern.h"

enum { HEAD_LIMIT = 16 << 10, BODY_LIMIT = 8 << 20, REPLY_LIMIT = 256 << 20 };
enum { MAX_CONNECTIONS = 64, MAX_JOBS = 2 };
/* Seconds that a connection may spend in each state. */
enum { HEAD_PATIENCE = 10, BODY_PATIENCE = 30, QUEUE_PATIENCE = 60, SEND_PATIENCE = 60 };
enum { JOB_SECONDS = 20, JOB_BYTES = 1 << 30 };

static const struct {
    const char *ending, *type;
} types[] = {
    {".html", "text/html; charset=utf-8"}, {".js", "text/javascript; charset=utf-8"},
    {".css", "text/css; charset=utf-8"},   {".json", "application/json"},
    {".wasm", "application/wasm"},         {".svg", "image/svg+xml"},
    {".cu", "text/plain; charset=utf-8"},  {".md", "text/plain; charset=utf-8"},
    {".ts", "text/plain; charset=utf-8"},
};

/* ASK: the head is read; BODY: the rest of a request; QUEUED: waits for a compiler to be free;
 * JOB: a child compiles; SEND: `out` is written. */
enum state { FREE, ASK, BODY, QUEUED, JOB, SEND };

struct connection {
    enum state state;
    int socket, job_pipe;
    pid_t job;
    uint64_t deadline; /* nanoseconds */
    uint64_t turn;     /* QUEUED: the lowest goes first */
    struct sbuf in, out;
    size_t head_length, body_length, sent;
};

struct server {
    const char *folder;
    int listener;
    uint64_t turns;
    struct connection connections[MAX_CONNECTIONS];
};

static void enter(struct connection *c, enum state state, unsigned seconds)
{
    c->state = state;
    c->deadline = thread_nanoseconds() + seconds * UINT64_C(1000000000);
}

/* ---- answering ---- */

/* The two Cross-Origin headers let the page share memory between workers. */
static void reply_head(struct connection *c, const char *status, const char *type, size_t length)
{
    sbuf_printf(&c->out,
                "HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\nConnection: close\r\n"
                "Cache-Control: no-cache\r\nX-Content-Type-Options: nosniff\r\n"
                "Cross-Origin-Opener-Policy: same-origin\r\n"
                "Cross-Origin-Embedder-Policy: require-corp\r\n\r\n",
                status, type, length);
    enter(c, SEND, SEND_PATIENCE);
}

static void reply_text(struct connection *c, const char *status, const char *text)
{
    reply_head(c, status, "text/plain; charset=utf-8", strlen(text));
    sbuf_puts(&c->out, text);
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

static void reply_file(const struct server *s, struct connection *c, const char *target,
                       bool head_only)
{
    char path[PATH_MAX];
    const size_t n = strcspn(target, "?#");
    struct stat st;
    if (target[0] != '/' || strstr(target, "..") || strchr(target, '%')) {
        reply_text(c, "400 Bad Request", "no such name\n");
        return;
    }
    const int len = snprintf(path, sizeof path, "%s%.*s%s", s->folder, (int)n, target,
                             target[n - 1] == '/' ? "index.html" : "");
    size_t size;
    char *data = NULL;
    if (len > 0 && (size_t)len < sizeof path && !stat(path, &st) && S_ISREG(st.st_mode))
        data = read_whole_file(path, &size);
    if (!data) {
        reply_text(c, "404 Not Found", "there is no such file\n");
        return;
    }
    reply_head(c, "200 OK", type_of(path), size);
    if (!head_only)
        sbuf_put(&c->out, data, size);
    free(data);
}

/* ---- compiling ---- */

static bool write_all(int fd, const void *data, size_t n)
{
    const char *p = data;
    while (n) {
        const ssize_t k = write(fd, p, n);
        if (k <= 0)
            return false;
        p += k;
        n -= (size_t)k;
    }
    return true;
}

static void limit(int what, rlim_t most)
{
    setrlimit(what, &(struct rlimit){most, most});
}

/* In the child: it has the request in memory and a pipe for the answer, nothing else. */
static _Noreturn void compile_in_child(const struct server *s, const struct connection *c, int fd)
{
    struct sbuf reply, output, length;
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    close(s->listener);
    for (size_t i = 0; i < MAX_CONNECTIONS; i++)
        if (s->connections[i].state != FREE)
            close(s->connections[i].socket);
    limit(RLIMIT_CPU, JOB_SECONDS);
    limit(RLIMIT_CORE, 0);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    limit(RLIMIT_AS, (rlim_t)JOB_BYTES + (256 << 20)); /* and what was there before */
#endif
    sbuf_init(&reply, NULL);
    sbuf_init(&output, NULL);
    request_answer(c->in.data + c->head_length, c->body_length, &reply, &output);
    sbuf_init(&length, NULL);
    sbuf_u32le(&length, (uint32_t)reply.len);
    const bool ok = write_all(fd, length.data, length.len) &&
                    write_all(fd, reply.data, reply.len) && write_all(fd, output.data, output.len);
    _exit(!ok);
}

static void start_job(const struct server *s, struct connection *c)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC)) {
        reply_text(c, "503 Service Unavailable", "no process can be started\n");
        return;
    }
    c->job = fork();
    if (c->job == 0) {
        close(ends[0]);
        compile_in_child(s, c, ends[1]);
    }
    close(ends[1]);
    if (c->job < 0) {
        close(ends[0]);
        reply_text(c, "503 Service Unavailable", "no process can be started\n");
        return;
    }
    c->job_pipe = ends[0];
    c->in.len = 0;
    enter(c, JOB, JOB_SECONDS + 10);
}

/* As request_answer says that it could not. */
static void reply_refusal(struct connection *c, const char *why)
{
    struct sbuf text;
    sbuf_init(&text, NULL);
    sbuf_printf(
        &text, "{\"ok\":false,\"diagnostics\":[{\"severity\":\"error\",\"message\":\"%s\"}]}", why);
    reply_head(c, "200 OK", "application/octet-stream", 4 + text.len);
    sbuf_u32le(&c->out, (uint32_t)text.len);
    sbuf_put(&c->out, text.data, text.len);
    sbuf_free(&text);
}

static int end_job(struct connection *c)
{
    int status = 0;
    kill(c->job, SIGKILL); /* nothing happens to one that has ended */
    while (waitpid(c->job, &status, 0) < 0 && errno == EINTR)
        ;
    close(c->job_pipe);
    c->job = 0;
    return status;
}

/* The child has closed its end: it has answered, or died. */
static void finish_job(struct connection *c)
{
    int status = 0;
    while (waitpid(c->job, &status, 0) < 0 && errno == EINTR)
        ;
    close(c->job_pipe);
    c->job = 0;
    if (WIFEXITED(status) && !WEXITSTATUS(status) && c->in.len > 4) {
        reply_head(c, "200 OK", "application/octet-stream", c->in.len);
        sbuf_put(&c->out, c->in.data, c->in.len);
    } else if (WIFSIGNALED(status) &&
               (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL)) {
        reply_refusal(c, "the compilation took longer than this server allows");
    } else {
        reply_refusal(c, "the compiler failed on this source: please report it");
    }
}

static void read_job(struct connection *c)
{
    char part[65536];
    const ssize_t n = read(c->job_pipe, part, sizeof part);
    if (n > 0 && c->in.len + (size_t)n <= REPLY_LIMIT)
        sbuf_put(&c->in, part, (size_t)n);
    else if (n > 0) {
        end_job(c);
        reply_refusal(c, "the output is larger than this server sends");
    } else if (n == 0 || errno != EINTR)
        finish_job(c);
}

/* ---- asking ---- */

static const char *header(const char *head, const char *name)
{
    const size_t n = strlen(name);
    for (const char *line = strstr(head, "\r\n"); line && line[2] != '\r';
         line = strstr(line + 2, "\r\n"))
        if (!strncasecmp(line + 2, name, n) && line[2 + n] == ':')
            return line + 3 + n + strspn(line + 3 + n, " ");
    return NULL;
}

/* Pages of other sites reach this port through the browser, under their own name. */
static bool is_local(const char *host)
{
    static const char *const names[] = {"localhost", "127.0.0.1"};
    for (size_t i = 0; host && i < 2; i++) {
        if (strncasecmp(host, names[i], strlen(names[i])) != 0)
            continue;
        const char *end = host + strlen(names[i]);
        if (*end == ':')
            end += 1 + strspn(end + 1, "0123456789");
        if (*end == '\r')
            return true;
    }
    return false;
}

/* A page of another site, or of another port, may send requests here, too: browsers say so. Our own
 * has for its origin the name under which it asks. */
static bool is_foreign(const char *head)
{
    const char *site = header(head, "Sec-Fetch-Site"), *origin = header(head, "Origin"),
               *host = header(head, "Host");
    if (site && strncasecmp(site, "same-origin", 11) != 0 && strncasecmp(site, "none", 4) != 0)
        return true;
    return origin && (strncasecmp(origin, "http://", 7) != 0 || !host ||
                      strncasecmp(origin + 7, host, strcspn(host, "\r") + 1) != 0);
}

static void answer_head(struct server *s, struct connection *c)
{
    char method[8], target[1024], *end = NULL;
    const char *text = c->in.data, *length_text = header(text, "Content-Length");
    const unsigned long long length = length_text ? strtoull(length_text, &end, 10) : 0;
    if (sscanf(text, "%7s %1023s HTTP/1.", method, target) != 2 ||
        !is_local(header(text, "Host"))) {
        reply_text(c, "400 Bad Request", "this server speaks to this machine only\n");
    } else if (!strcmp(method, "GET") || !strcmp(method, "HEAD")) {
        reply_file(s, c, target, method[0] == 'H');
    } else if (strcmp(method, "POST") != 0 || strcmp(target, "/compile") != 0) {
        reply_text(c, "405 Method Not Allowed", "GET, or POST /compile\n");
    } else if (is_foreign(text)) {
        reply_text(c, "403 Forbidden", "this server compiles for its own page only\n");
    } else if (!length_text || end == length_text) {
        reply_text(c, "411 Length Required", "how long is the request?\n");
    } else if (length > BODY_LIMIT) {
        reply_text(c, "413 Content Too Large", "the source is too long\n");
    } else {
        c->body_length = (size_t)length;
        enter(c, BODY, BODY_PATIENCE);
    }
}

static void look_at_request(struct server *s, struct connection *c)
{
    if (c->state == ASK) {
        const char *end = strstr(c->in.data, "\r\n\r\n");
        if (end) {
            c->head_length = (size_t)(end + 4 - c->in.data);
            answer_head(s, c);
        } else if (c->in.len >= HEAD_LIMIT) {
            reply_text(c, "431 Request Header Fields Too Large", "the head is too long\n");
        }
    }
    if (c->state == BODY && c->in.len >= c->head_length + c->body_length) {
        c->turn = s->turns++;
        enter(c, QUEUED, QUEUE_PATIENCE);
    }
}

/* ---- connections ---- */

static void drop(struct connection *c)
{
    if (c->state == JOB)
        end_job(c);
    close(c->socket);
    sbuf_free(&c->in);
    sbuf_free(&c->out);
    *c = (struct connection){.state = FREE};
}

static void read_request(struct server *s, struct connection *c)
{
    char part[65536];
    const size_t most = c->state == ASK ? HEAD_LIMIT - c->in.len : sizeof part;
    const ssize_t n = recv(c->socket, part, most < sizeof part ? most : sizeof part, 0);
    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) {
        drop(c);
    } else if (n > 0 && (c->state == ASK || c->state == BODY)) {
        const bool is_text = c->state == BODY || !memchr(part, 0, (size_t)n);
        sbuf_put(&c->in, part, (size_t)n);
        if (c->in.failed || !is_text)
            drop(c);
        else
            look_at_request(s, c);
    }
}

static void write_reply(struct connection *c)
{
    const ssize_t n =
        send(c->socket, c->out.data + c->sent, c->out.len - c->sent, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n > 0)
        c->sent += (size_t)n;
    if (c->out.failed || c->sent == c->out.len || (n < 0 && errno != EAGAIN && errno != EINTR))
        drop(c);
}

static void too_late(struct connection *c)
{
    if (c->state == JOB) {
        end_job(c);
        reply_refusal(c, "the compilation took longer than this server allows");
    } else if (c->state == QUEUED) {
        reply_text(c, "503 Service Unavailable", "too many compilations are waiting\n");
    } else {
        drop(c);
    }
}

static void start_jobs(struct server *s)
{
    for (;;) {
        struct connection *first = NULL;
        unsigned jobs = 0;
        for (size_t i = 0; i < MAX_CONNECTIONS; i++) {
            struct connection *c = &s->connections[i];
            jobs += c->state == JOB;
            if (c->state == QUEUED && (!first || c->turn < first->turn))
                first = c;
        }
        if (!first || jobs >= MAX_JOBS)
            return;
        start_job(s, first);
    }
}

static void accept_one(struct server *s)
{
    const int got = accept4(s->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (got < 0)
        return;
    for (size_t i = 0; i < MAX_CONNECTIONS; i++) {
        struct connection *c = &s->connections[i];
        if (c->state == FREE) {
            *c = (struct connection){.socket = got};
            sbuf_init(&c->in, NULL);
            sbuf_init(&c->out, NULL);
            enter(c, ASK, HEAD_PATIENCE);
            return;
        }
    }
    close(got);
}

static bool has_room(const struct server *s)
{
    for (size_t i = 0; i < MAX_CONNECTIONS; i++)
        if (s->connections[i].state == FREE)
            return true;
    return false;
}

/* What a connection waits for: its client, who may also leave; and where it has one, its job. */
static void poll_connection(const struct connection *c, struct pollfd *client, struct pollfd *job)
{
    static const short events[] = {
        [ASK] = POLLIN, [BODY] = POLLIN, [QUEUED] = POLLRDHUP, [JOB] = POLLRDHUP, [SEND] = POLLOUT};
    *client = (struct pollfd){.fd = c->state == FREE ? -1 : c->socket, .events = events[c->state]};
    *job = (struct pollfd){.fd = c->state == JOB ? c->job_pipe : -1, .events = POLLIN};
}

static void serve_connection(struct server *s, struct connection *c, short client, short job)
{
    if (c->state == FREE)
        return;
    if (job && c->state == JOB)
        read_job(c);
    else if (client & (POLLERR | POLLNVAL) || (client & (POLLRDHUP | POLLHUP) && c->state != SEND &&
                                               c->state != ASK && c->state != BODY))
        drop(c);
    else if (c->state == SEND && client)
        write_reply(c);
    else if (client)
        read_request(s, c);
    if (c->state != FREE && thread_nanoseconds() > c->deadline)
        too_late(c);
}

static void serve_once(struct server *s)
{
    struct pollfd p[1 + 2 * MAX_CONNECTIONS];
    p[0] = (struct pollfd){.fd = has_room(s) ? s->listener : -1, .events = POLLIN};
    for (size_t i = 0; i < MAX_CONNECTIONS; i++)
        poll_connection(&s->connections[i], &p[1 + 2 * i], &p[2 + 2 * i]);
    if (poll(p, sizeof p / sizeof *p, 500) < 0)
        return;
    for (size_t i = 0; i < MAX_CONNECTIONS; i++)
        serve_connection(s, &s->connections[i], p[1 + 2 * i].revents, p[2 + 2 * i].revents);
    if (p[0].revents)
        accept_one(s);
    start_jobs(s);
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
    const int s = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), yes = 1;
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

int command_serve(struct args *a)
{
    char folder[PATH_MAX];
    unsigned port;
    if (a->port > UINT16_MAX)
        return complain("there is no port %u; 0 is any that is free", a->port);
    if (!find_folder(folder)) {
        complain("the folder `web` with the playground is not next to the program");
        return EXIT_IO;
    }
    const volatile int *stop = cancel_flag();
    struct server *s = calloc(1, sizeof *s);
    const int listener = s ? listen_at(a->port, &port) : -1;
    if (listener < 0) {
        complain("port %u: %s", a->port, strerror(errno));
        free(s);
        return EXIT_IO;
    }
    s->folder = folder;
    s->listener = listener;
    printf("http://localhost:%u\n", port);
    fflush(stdout);
    while (!*stop)
        serve_once(s);
    for (size_t i = 0; i < MAX_CONNECTIONS; i++)
        if (s->connections[i].state != FREE)
            drop(&s->connections[i]);
    close(s->listener);
    free(s);
    return EXIT_FINE;
}
