/* Devices by name, and synchronous helpers. */
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "check/check.h"
#include "rt/rt.h"
#include "rt/select.h"

const struct dev_driver *const dev_drivers[] = {
#define DRIVER(name) &dev_##name,
#include "rt/drivers.def"
    NULL,
};

#define WHY 256

static enum tern_error open_one(const struct dev_driver *driver, unsigned ordinal,
                                const struct dev_host *host, struct rt_device *out, char *why)
{
    const char *reason = NULL;
    const unsigned n = driver->count(&reason);
    if (ordinal >= n) {
        if (n)
            snprintf(why, WHY, "%s has no device %u (it has %u)", driver->name, ordinal, n);
        else
            snprintf(why, WHY, "%s: %s", driver->name, reason ? reason : "no device");
        return TERN_NO_DEVICE;
    }
    if (host && host->check && !driver->checks) {
        snprintf(why, WHY, "%s: kernels are checked on cpu, interp, vulkan and cuda only",
                 driver->name);
        return TERN_UNSUPPORTED;
    }
    enum tern_error e = driver->open(ordinal, host, &out->dev);
    if (e == TERN_OK) {
        out->driver = driver;
        out->checked = host && host->check;
        out->cache_dir = host ? host->cache_dir : NULL;
        out->shelf = host ? host->shelf : NULL;
        out->making = host ? host->making : NULL;
        e = driver->queue_new(out->dev, &out->queue);
        if (e != TERN_OK)
            rt_close(out);
        else if (out->checked)
            check_opened(host->check);
    }
    if (e != TERN_OK)
        snprintf(why, WHY, "%s: %s", driver->name, tern_error_text(e));
    return e;
}

unsigned rt_count(const struct dev_driver *driver, bool software, const char **why)
{
    *why = software || !driver->absent ? NULL : driver->absent();
    return *why ? 0 : driver->count(why);
}

/* From the preferred driver down; software GPU drivers only when asked for by name, or by a
 * condition that says so. */
static enum tern_error open_best(const char *condition, const struct dev_host *host,
                                 struct rt_device *out, char *why)
{
    size_t n = 0;
    char first[WHY] = ""; /* of the devices that could not be opened */
    while (dev_drivers[n])
        n++;
    if (condition)
        snprintf(why, WHY, "no device meets '%.100s'; `tern devices` lists them", condition);
    else
        snprintf(why, WHY, "there is no device");
    while (n-- > 0) {
        const char *reason = NULL;
        const unsigned devices = rt_count(
            dev_drivers[n], condition && select_mentions(condition, DEV_SOFTWARE), &reason);
        if (!devices)
            rt_note("not %s: %s", dev_drivers[n]->name, reason ? reason : "no device");
        for (unsigned i = 0; i < devices; i++) {
            struct dev_info info;
            char ignored[WHY] = "";
            char *failed = condition ? ignored : why;
            if (open_one(dev_drivers[n], i, host, out, failed) != TERN_OK) {
                rt_note("not %s:%u: %s", dev_drivers[n]->name, i, failed);
                if (!first[0])
                    memcpy(first, failed, sizeof first);
                continue;
            }
            bool fits = out->driver->info(out->dev, &info) == TERN_OK &&
                        (!(info.flags & DEV_SOFTWARE) ||
                         (condition && select_mentions(condition, DEV_SOFTWARE)));
            const enum tern_error e = fits && condition
                                          ? select_meets(condition, out->driver, &info, &fits, why)
                                          : TERN_OK;
            if (!e && fits) {
                memcpy(why, first, sizeof first);
                return TERN_OK;
            }
            rt_note("not %s:%u: %s", dev_drivers[n]->name, i,
                    condition ? "it does not meet the condition"
                              : "a driver that runs on the processor, slower than cpu");
            rt_close(out);
            if (e)
                return e;
        }
    }
    return TERN_NO_DEVICE;
}

enum tern_error rt_open(const char *name, const struct dev_host *host, struct rt_device *out,
                        char *why)
{
    *out = (struct rt_device){0};
    why[0] = 0;
    if (!name || !*name || !strcmp(name, "auto"))
        return open_best(NULL, host, out, why);
    if (select_is_condition(name))
        return open_best(name, host, out, why);
    const char *colon = strchr(name, ':');
    const size_t len = colon ? (size_t)(colon - name) : strlen(name);
    char *end = NULL;
    const unsigned long ordinal = colon ? strtoul(colon + 1, &end, 10) : 0;
    if (colon && (end == colon + 1 || *end || ordinal > 1000)) {
        snprintf(why, WHY, "'%s' does not name a device", name);
        return TERN_INVALID_ARGUMENT;
    }
    for (size_t i = 0; dev_drivers[i]; i++)
        if (strlen(dev_drivers[i]->name) == len && !strncmp(dev_drivers[i]->name, name, len))
            return open_one(dev_drivers[i], (unsigned)ordinal, host, out, why);
    int n = snprintf(why, WHY, "there is no device '%.40s'; there are: auto", name);
    for (size_t i = 0; dev_drivers[i] && n > 0 && n < WHY; i++)
        n += snprintf(why + n, WHY - (size_t)n, ", %s", dev_drivers[i]->name);
    return TERN_NO_DEVICE;
}

void rt_close(struct rt_device *d)
{
    if (d->queue)
        d->driver->queue_free(d->queue);
    if (d->dev)
        d->driver->close(d->dev);
    *d = (struct rt_device){0};
}

enum tern_error rt_upload(struct rt_device *d, dev_ptr to, const void *from, uint64_t n)
{
    const enum tern_error e = d->driver->copy_in(d->dev, d->queue, to, from, n);
    return e != TERN_OK ? e : d->driver->queue_wait(d->queue);
}

enum tern_error rt_download(struct rt_device *d, void *to, dev_ptr from, uint64_t n)
{
    const enum tern_error e = d->driver->copy_out(d->dev, d->queue, to, from, n);
    return e != TERN_OK ? e : d->driver->queue_wait(d->queue);
}

enum tern_error rt_run(struct rt_device *d, struct dev_kernel *k, const struct dev_launch *l)
{
    const enum tern_error e = d->driver->launch(d->dev, d->queue, k, l);
    return e != TERN_OK ? e : d->driver->queue_wait(d->queue);
}

bool rt_is_native(struct rt_device *d)
{
    struct dev_info info;
    return !d->driver->info(d->dev, &info) && info.arch >= 900;
}

bool rt_uses_host(struct rt_device *d)
{
    struct dev_info info;
    return d->driver->share && !d->driver->info(d->dev, &info) && info.flags & DEV_HOST_MEMORY;
}

enum tern_error rt_load(struct rt_device *d, const struct ir_module *m, struct diag *diag,
                        struct dev_module **out)
{
    ir_each_global (g, m)
        if (g->flags & IR_GLOBAL_EXTERN && g->space != IR_SPACE_SHARED) {
            diag_error(diag, g->span, "variable '%s' is nowhere defined",
                       g->display ? g->display : g->name);
            return TERN_COMPILE;
        }
    return d->driver->load(d->dev, m, diag, out);
}

/* 1 is standard error, anything else a file that lines are added to. */
void rt_log(void *ctx, const struct report *r)
{
    (void)ctx;
    const char *where = setting_text(SETTING_LOG);
    if (r->kind != REPORT_NOTE || !where || !strcmp(where, "0"))
        return;
    const bool is_file = strcmp(where, "1") != 0;
    const int fd =
        is_file ? open(where, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666) : STDERR_FILENO;
    if (fd < 0)
        return;
    dprintf(fd, "tern: %s\n", r->message);
    if (is_file)
        close(fd);
}

void rt_note(const char *fmt, ...)
{
    char text[512];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    rt_log(NULL, &(struct report){.kind = REPORT_NOTE, .message = text});
}

const char *rt_cache_dir(char *buf, size_t n)
{
    const char *base = setting_text(SETTING_CACHE_HOME), *home = setting_text(SETTING_HOME);
    /* A relative folder is another one in each folder that a program is started in. */
    if (base && *base != '/')
        base = NULL;
    const int len = base                   ? snprintf(buf, n, "%s/tern", base)
                    : home && *home == '/' ? snprintf(buf, n, "%s/.cache/tern", home)
                                           : -1;
    return len > 0 && (size_t)len < n ? buf : NULL;
}
