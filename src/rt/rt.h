/* The door to rt/: devices by name, and the few calls that most users of a device need. */
#ifndef RT_RT_H
#define RT_RT_H

#include "ir/launch.h"
#include "rt/dev.h"

struct rt_device {
    const struct dev_driver *driver;
    struct dev *dev;
    struct dev_queue *queue; /* the one that the helpers below use */
    bool checked;            /* its host has a checker */
    bool refused;            /* the module built last: by the device, not by the compiler */
    /* its host's */
    const char *cache_dir;
    const struct shelf *shelf;
    const struct dev_making *making;
    /* What kernels may ask (IR_DEVICE_FACTS); its host knows, or nobody does (NULL). */
    void (*facts)(struct rt_device *d, int32_t out[IR_DEVICE_FACTS_WORDS]);
};

/* How many devices to look at; where software that runs on the processor is not wanted, a driver
 * that can have no other is not asked. */
unsigned rt_count(const struct dev_driver *driver, bool software, const char **why);
/* name: a driver ("interp", "cpu", "cuda", "vulkan"), with ":N" for its N-th device; "auto" or
 * NULL: the best real device; or a condition ("f64 && memory>8GB", rt/select.c): the best one that
 * meets it. On failure *why (at least 256 bytes) says what was tried; else why a device that would
 * have been preferred could not be opened, or nothing. */
enum tern_error rt_open(const char *name, const struct dev_host *host, struct rt_device *out,
                        char *why);
void rt_close(struct rt_device *d);

/* The user's cache of compiled code: $XDG_CACHE_HOME/tern or ~/.cache/tern; NULL: no such place. */
const char *rt_cache_dir(char *buf, size_t n);

/* TERN_LOG: a report_sink's function; what is no note is left out. */
void rt_log(void *ctx, const struct report *r);
/* A line of that log. */
void rt_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* It has what is asynchronous (ir/async.h): modules for it keep that. */
bool rt_is_native(struct rt_device *d);
/* Its kernels use memory of the host at its address, where it is shared with them. */
bool rt_uses_host(struct rt_device *d);
/* The driver's `load`, of a module that has all it needs: a variable that it only declares is
 * refused. */
enum tern_error rt_load(struct rt_device *d, const struct ir_module *m, struct diag *diag,
                        struct dev_module **out);

/* Copies and runs on the device's own queue, to the end. */
enum tern_error rt_upload(struct rt_device *d, dev_ptr to, const void *from, uint64_t n);
enum tern_error rt_download(struct rt_device *d, void *to, dev_ptr from, uint64_t n);
enum tern_error rt_run(struct rt_device *d, struct dev_kernel *k, const struct dev_launch *l);

#endif
