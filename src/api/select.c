/* Which devices a context has: the list in struct tern_options, turned into names.
 *
 * An entry is a device's name, "auto", "all", "cpu/N" (the CPU as N devices with a part of the
 * cores each), a condition (rt/select.h), which stands for every device that meets it, or a part of
 * what devices call themselves ("H200"), which stands for those whose name has it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "api/api.h"
#include "rt/select.h"

static bool add(struct tern_context *c, const char *name)
{
    const size_t n = strlen(name);
    if (c->ndevices == API_MAX_DEVICES || n >= sizeof c->devices[0].name)
        return false;
    memcpy(c->devices[c->ndevices++].name, name, n + 1);
    return true;
}

/* Every device that meets the condition (NULL: every real one that computes), the preferred first.
 * The interpreter is there for checking: it is listed only when nothing else is, or by condition.
 */
static enum tern_error add_matching(struct tern_context *c, const char *condition, char *why)
{
    size_t n = 0;
    while (dev_drivers[n])
        n++;
    const unsigned before = c->ndevices;
    while (n-- > 0) {
        const char *reason = NULL;
        const unsigned total = rt_count(
            dev_drivers[n], condition && select_mentions(condition, DEV_SOFTWARE), &reason);
        if (!total)
            rt_note("not %s: %s", dev_drivers[n]->name, reason ? reason : "no device");
        for (unsigned k = 0; k < total; k++) {
            char name[64];
            struct rt_device rt;
            struct dev_info info = {0};
            struct dev_host host = {0};
            char ignored[256];
            snprintf(name, sizeof name, "%s:%u", dev_drivers[n]->name, k);
            if (rt_open(name, &host, &rt, ignored)) {
                rt_note("not %s: %s", name, ignored);
                continue;
            }
            bool fits = !rt.driver->info(rt.dev, &info);
            rt_close(&rt);
            if (condition) {
                enum tern_error e =
                    fits ? select_meets(condition, dev_drivers[n], &info, &fits, why) : TERN_OK;
                if (e)
                    return e;
                if (info.flags & DEV_SOFTWARE && !select_mentions(condition, DEV_SOFTWARE))
                    fits = false;
            } else if (info.flags & DEV_SOFTWARE ||
                       (info.flags & DEV_CHECKED && c->ndevices > before)) {
                rt_note("not %s: %s", name,
                        info.flags & DEV_SOFTWARE
                            ? "a driver that runs on the processor, slower than cpu"
                            : "it is for checking, and there is another");
                fits = false;
            }
            if (fits && !add(c, name))
                return TERN_OK;
        }
    }
    if (c->ndevices > before)
        return TERN_OK;
    snprintf(why, 256, "no device meets '%.100s'; `tern devices` lists them",
             condition ? condition : "all");
    return TERN_NO_DEVICE;
}

static const struct dev_driver *driver_that_divides(const char *name, const char *end)
{
    for (size_t k = 0; dev_drivers[k]; k++)
        if (dev_drivers[k]->divides && strlen(dev_drivers[k]->name) == (size_t)(end - name) &&
            !strncmp(dev_drivers[k]->name, name, (size_t)(end - name)))
            return dev_drivers[k];
    return NULL;
}

/* A driver's, with or without a number; or "auto". */
static bool names_driver(const char *entry)
{
    const size_t n = strcspn(entry, ":");
    for (size_t k = 0; dev_drivers[k]; k++)
        if (strlen(dev_drivers[k]->name) == n && !strncmp(dev_drivers[k]->name, entry, n))
            return true;
    return !strcmp(entry, "auto");
}

/* Every device that calls itself so; who asks by name gets drivers in software too. */
static bool add_named(struct tern_context *c, const char *part)
{
    const unsigned before = c->ndevices;
    size_t n = 0;
    while (dev_drivers[n])
        n++;
    while (n-- > 0) {
        const char *reason;
        const unsigned total = rt_count(dev_drivers[n], true, &reason);
        for (unsigned k = 0; k < total; k++) {
            char name[64], ignored[256];
            struct rt_device rt;
            struct dev_info info = {0};
            struct dev_host host = {0};
            snprintf(name, sizeof name, "%s:%u", dev_drivers[n]->name, k);
            if (rt_open(name, &host, &rt, ignored))
                continue;
            if (!rt.driver->info(rt.dev, &info) && strcasestr(info.name, part))
                add(c, name);
            rt_close(&rt);
        }
    }
    return c->ndevices > before;
}

static enum tern_error add_entry(struct tern_context *c, const char *entry, char *why)
{
    const char *slash = strchr(entry, '/');
    if (!strcmp(entry, "all"))
        return add_matching(c, NULL, why);
    const struct dev_driver *divided = slash ? driver_that_divides(entry, slash) : NULL;
    if (divided) {
        char *end;
        unsigned long parts = strtoul(slash + 1, &end, 10);
        if (end == slash + 1 || *end || !parts || parts > API_MAX_DEVICES) {
            snprintf(why, 256, "'%.40s' does not name a device", entry);
            return TERN_INVALID_ARGUMENT;
        }
        c->parts = (unsigned)parts;
        for (unsigned long k = 0; k < parts; k++)
            add(c, divided->name);
        return TERN_OK;
    }
    if (select_is_condition(entry))
        return add_matching(c, entry, why);
    if (!names_driver(entry) && add_named(c, entry))
        return TERN_OK;
    if (add(c, entry))
        return TERN_OK;
    snprintf(why, 256, "'%.40s': there are at most %d devices, with short names", entry,
             API_MAX_DEVICES);
    return TERN_LIMIT;
}

const char *select_missing(void)
{
    const char *why = NULL;
    for (size_t k = 0; dev_drivers[k]; k++)
        if (dev_drivers[k]->expected && !dev_drivers[k]->count(&why))
            return why;
    return NULL;
}

enum tern_error select_devices(struct tern_context *c, const char *list)
{
    char entry[256], why[256] = "";
    enum tern_error e = TERN_OK;
    while (*list && !e) {
        while (*list == ' ')
            list++;
        size_t n = strcspn(list, ","), len = n;
        while (len && list[len - 1] == ' ')
            len--;
        if (len && len < sizeof entry) {
            memcpy(entry, list, len);
            entry[len] = 0;
            e = add_entry(c, entry, why);
        } else if (len) {
            snprintf(why, sizeof why, "a device's name is too long");
            e = TERN_INVALID_ARGUMENT;
        }
        list += n + (list[n] == ',');
    }
    if (!e && !c->ndevices) {
        snprintf(why, sizeof why, "the list of devices is empty");
        e = TERN_NO_DEVICE;
    }
    if (e)
        context_message(c, "tern: %s\n", why);
    return e;
}
