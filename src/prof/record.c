/* The recorder: one buffer for all threads, written when it is full and at the end. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include "base/settings.h"
#include "prof/prof_int.h"

enum { BUFFER_BYTES = 1 << 18, MAX_ENDS = 32 };

atomic_int prof_state;
static struct {
    pthread_mutex_t lock;
    int fd;
    pid_t pid; /* whose file it is: a child made by fork records nothing */
    uint64_t start;
    atomic_bool paused;
    char *buffer;
    size_t used;
    struct text {
        char *text;
        size_t len;
        uint32_t number;
    } * texts; /* open addressing */
    size_t ntexts, cap;
    char **by_number; /* texts, from 1 */
    size_t cap_numbers;
    const struct prof_tap *_Atomic tap;
    struct {
        void (*fn)(void *ctx);
        void *ctx;
    } ends[MAX_ENDS];
    unsigned nends;
    struct hardware hardware;
} rec = {.lock = PTHREAD_MUTEX_INITIALIZER};
static atomic_uint next_thread;
static _Atomic uint64_t next_call;
static _Thread_local uint32_t this_thread;
static _Thread_local uint64_t this_call;
static _Thread_local int this_result;

uint64_t prof_now(void)
{
    return thread_nanoseconds();
}

uint32_t prof_thread(void)
{
    if (!this_thread)
        this_thread = atomic_fetch_add(&next_thread, 1) + 1;
    return this_thread;
}

uint64_t prof_call_now(void)
{
    return this_call;
}

/* ---- the file ---- */

static void write_buffer(void)
{
    size_t done = 0;
    while (done < rec.used) {
        const ssize_t n = write(rec.fd, rec.buffer + done, rec.used - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) { /* a full disk: what is there stays readable */
            atomic_store(&prof_state, 1);
            break;
        }
        done += (size_t)n;
    }
    rec.used = 0;
}

static void append(const void *p, size_t n)
{
    if (!rec.buffer) /* there is no file, only somebody who listens */
        return;
    if (rec.used + n > BUFFER_BYTES)
        write_buffer();
    memcpy(rec.buffer + rec.used, p, n);
    rec.used += n;
}

static void put_locked(const struct prof_record *r)
{
    append(r, sizeof *r);
}

/* The file is the parent's. Asked once: a question for each record would cost more than it. */
static void child_begins(void)
{
    free(rec.buffer);
    rec.buffer = NULL;
    atomic_store(&rec.tap, NULL);
    atomic_store(&prof_state, 1);
}

bool prof_recording(void)
{
    return prof_on() && !rec.paused;
}

void prof_put(const struct prof_record *r)
{
    if (!prof_recording())
        return;
    pthread_mutex_lock(&rec.lock);
    put_locked(r);
    pthread_mutex_unlock(&rec.lock);
    const struct prof_tap *tap = atomic_load(&rec.tap);
    if (tap)
        tap->record(r);
}

void prof_tap(const struct prof_tap *tap)
{
    const bool file = prof_on() && rec.buffer;
    pthread_mutex_lock(&rec.lock);
    rec.pid = getpid();
    atomic_store(&rec.tap, tap);
    atomic_store(&prof_state, tap || file ? 2 : 1);
    pthread_mutex_unlock(&rec.lock);
}

const char *prof_text_of(uint32_t number)
{
    pthread_mutex_lock(&rec.lock);
    const char *text = number && number <= rec.ntexts ? rec.by_number[number] : NULL;
    pthread_mutex_unlock(&rec.lock);
    return text;
}

void prof_settle(void)
{
    for (unsigned k = 0; k < rec.nends; k++)
        rec.ends[k].fn(rec.ends[k].ctx);
}

void prof_flush(void)
{
    pthread_mutex_lock(&rec.lock);
    write_buffer();
    pthread_mutex_unlock(&rec.lock);
}

void prof_pause(bool paused)
{
    if (!prof_on())
        return;
    rec.paused = false; /* so that this itself is recorded */
    const uint64_t now = prof_now();
    prof_put(&(struct prof_record){
        .kind = PROF_BOUND, .sub = !paused, .thread = prof_thread(), .start = now, .end = now});
    rec.paused = paused;
}

/* ---- texts ---- */

static struct text *slot_of(const char *text, size_t len)
{
    size_t at = hash_bytes(text, len, 0) & (rec.cap - 1);
    while (rec.texts[at].text &&
           (rec.texts[at].len != len || memcmp(rec.texts[at].text, text, len) != 0))
        at = (at + 1) & (rec.cap - 1);
    return &rec.texts[at];
}

static bool grow_texts(void)
{
    struct text *old = rec.texts;
    const size_t n = rec.cap;
    struct text *wider = calloc(n ? 2 * n : 256, sizeof *wider);
    if (!wider)
        return false;
    rec.texts = wider;
    rec.cap = n ? 2 * n : 256;
    for (size_t k = 0; k < n; k++)
        if (old[k].text)
            *slot_of(old[k].text, old[k].len) = old[k];
    free(old);
    return true;
}

static uint32_t text_locked(const char *text)
{
    const size_t len = strlen(text) < PROF_LONGEST_TEXT ? strlen(text) : PROF_LONGEST_TEXT;
    if (2 * rec.ntexts >= rec.cap && !grow_texts())
        return 0;
    struct text *s = slot_of(text, len);
    if (s->text)
        return s->number;
    if (rec.ntexts + 1 >= rec.cap_numbers) {
        const size_t cap = rec.cap_numbers ? 2 * rec.cap_numbers : 256;
        char **more = realloc(rec.by_number, cap * sizeof *more);
        if (!more)
            return 0;
        rec.by_number = more;
        rec.cap_numbers = cap;
    }
    s->text = malloc(len + 1);
    if (!s->text)
        return 0;
    memcpy(s->text, text, len);
    s->text[len] = 0;
    s->len = len;
    s->number = (uint32_t)++rec.ntexts;
    rec.by_number[s->number] = s->text;
    put_locked(
        &(struct prof_record){.kind = PROF_TEXT, .name = s->number, .text.length = (uint32_t)len});
    append(s->text, len);
    return s->number;
}

uint32_t prof_text(const char *text)
{
    if (!text || !prof_on())
        return 0;
    pthread_mutex_lock(&rec.lock);
    const uint32_t n = text_locked(text);
    pthread_mutex_unlock(&rec.lock);
    return n;
}

/* ---- start and end ---- */

static void put_process(void)
{
    struct rusage use = {0};
    getrusage(RUSAGE_SELF, &use);
    char command[256] = "";
    FILE *f = fopen("/proc/self/comm", "r");
    if (f) {
        if (fgets(command, sizeof command, f))
            command[strcspn(command, "\n")] = 0;
        fclose(f);
    }
    put_locked(&(struct prof_record){
        .kind = PROF_PROCESS,
        .thread = 1,
        .start = rec.start,
        .end = prof_now(),
        .name = text_locked(command),
        .process.peak = (uint64_t)use.ru_maxrss * 1024,
    });
}

static void put_hardware(void)
{
    for (unsigned k = 0; k < PROF_NHARDWARE; k++) {
        const char *name;
        uint64_t value = 0;
        const bool known = hardware_read(&rec.hardware, k, &name, &value);
        put_locked(&(struct prof_record){
            .kind = PROF_HARDWARE,
            .sub = !known,
            .thread = 1,
            .start = rec.start,
            .end = prof_now(),
            .name = text_locked(name),
            .count.value = known ? value : (uint64_t)rec.hardware.why[k],
        });
    }
}

/* At exit devices are still open: what they have not finished is waited for by those who timed it.
 */
static void finish(void)
{
    if (getpid() != rec.pid)
        return;
    prof_settle();
    pthread_mutex_lock(&rec.lock);
    put_hardware();
    put_process();
    write_buffer();
    atomic_store(&prof_state, 1);
    pthread_mutex_unlock(&rec.lock);
}

bool prof_at_end(void (*fn)(void *ctx), void *ctx)
{
    pthread_mutex_lock(&rec.lock);
    bool known = false;
    for (unsigned k = 0; k < rec.nends; k++)
        known |= rec.ends[k].ctx == ctx;
    if (!known && rec.nends < MAX_ENDS) {
        rec.ends[rec.nends].fn = fn;
        rec.ends[rec.nends++].ctx = ctx;
        known = true;
    }
    pthread_mutex_unlock(&rec.lock);
    return known;
}

void prof_not_at_end(const void *ctx)
{
    pthread_mutex_lock(&rec.lock);
    for (unsigned k = 0; k < rec.nends; k++)
        if (rec.ends[k].ctx == ctx) {
            rec.ends[k] = rec.ends[--rec.nends];
            break;
        }
    pthread_mutex_unlock(&rec.lock);
}

static bool open_file(void)
{
    const char *path = setting_text(SETTING_PROF);
    if (!path)
        return false;
    rec.fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (rec.fd < 0)
        return false;
    rec.buffer = malloc(BUFFER_BYTES);
    if (!rec.buffer)
        close(rec.fd);
    return rec.buffer;
}

bool prof_start(void)
{
    pthread_mutex_lock(&rec.lock);
    int state = atomic_load(&prof_state);
    if (!state) {
        const bool on = open_file();
        if (on) {
            rec.pid = getpid();
            rec.start = prof_now();
            hardware_start(&rec.hardware);
            append(prof_magic, sizeof prof_magic);
            atexit(finish);
            pthread_atfork(NULL, NULL, child_begins);
        }
        state = on ? 2 : 1;
        atomic_store(&prof_state, state);
    }
    pthread_mutex_unlock(&rec.lock);
    return state == 2;
}

/* ---- calls ---- */

struct prof_call prof_enter(const char *name)
{
    if (this_call || !prof_recording())
        return (struct prof_call){0};
    this_call = atomic_fetch_add(&next_call, 1) + 1;
    this_result = 0;
    const struct prof_tap *tap = atomic_load(&rec.tap);
    if (tap)
        tap->call(name, false, this_call, &this_result);
    return (struct prof_call){.name = name, .start = prof_now()};
}

void prof_leave(struct prof_call *c)
{
    if (!c->name)
        return;
    const struct prof_tap *tap = atomic_load(&rec.tap);
    if (tap)
        tap->call(c->name, true, this_call, &this_result);
    prof_put(&(struct prof_record){
        .kind = PROF_API,
        .thread = prof_thread(),
        .start = c->start,
        .end = prof_now(),
        .call = this_call,
        .name = prof_text(c->name),
        .api.result = this_result,
    });
    this_call = 0;
}

void prof_result(int result)
{
    this_result = result;
}
