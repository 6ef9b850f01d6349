/* Profiles of devices: see profile.h. */
#include "rt/profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "rt/image.h"
#include "rt/rt.h"

static const struct {
    const char *device, *start, *compiler;
    enum profile_quality quality;
    bool registers;
} drivers[] = {
#define PROFILE_DRIVER(device, start, compiler, quality, registers)                                \
    {device, start, compiler, PROFILE_##quality, registers},
#include "rt/profile.def"
};

static const struct {
    const char *start;
    uint32_t sm;
} names[] = {
#define PROFILE_NAME(start, sm) {start, sm},
#include "rt/profile.def"
};

static const struct {
    uint32_t sm;
    double rate;
} rates[] = {
#define PROFILE_F64(sm, rate) {sm, rate},
#include "rt/profile.def"
};

static const struct {
    const char *start;
    struct profile_quirk quirk;
} quirks[] = {
#define DRIVER(start, feature, value, seen) {start, {#feature, seen, value}},
#include "rt/dev/vulkan/drivers.def"
};

static bool starts(const char *text, const char *start)
{
    return !strncmp(text, start, strlen(start));
}

const char *profile_quality_text(enum profile_quality q)
{
    static const char *const text[] = {"reference", "native", "software", "unseen"};
    return text[q];
}

const char *profile_source_text(enum profile_source s)
{
    static const char *const text[] = {"unknown", "table", "measured", "set"};
    return text[s];
}

/* ---- what was measured ---- */

static bool key_of(const char *driver, const struct dev_info *info, const char *what,
                   struct image_key *k, char *dir, size_t size)
{
    *k = image_key(IMAGE_KEPT, driver);
    image_key_add(k, info->name, strlen(info->name));
    image_key_add(k, info->driver, strlen(info->driver));
    image_key_add(k, what, strlen(what));
    return rt_cache_dir(dir, size);
}

char *profile_read(const char *driver, const struct dev_info *info, const char *what, size_t *n)
{
    char dir[512], path[600];
    struct image_key k;
    *n = 0;
    if (!key_of(driver, info, what, &k, dir, sizeof dir))
        return NULL;
    char *data = image_read(dir, &k, n);
    if (!data && image_path(dir, &k, path, sizeof path) && !access(path, F_OK))
        rt_note("%s is damaged, or not to be trusted: what it has of %s (%s) is not used", path,
                info->name, what);
    return data;
}

void profile_write(const char *driver, const struct dev_info *info, const char *what,
                   const void *data, size_t n)
{
    char dir[512];
    struct image_key k;
    if (key_of(driver, info, what, &k, dir, sizeof dir))
        image_write(dir, &k, data, n);
}

/* ---- the profile ---- */

/* The compute capability that a rate is known by; 0: none. */
static uint32_t capability(const char *driver, const struct dev_info *info)
{
    if (!strcmp(driver, "cuda"))
        return info->arch / 10;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if ((info->flags & DEV_GPU) && starts(info->name, names[k].start))
            return names[k].sm;
    return 0;
}

static void architecture(const struct dev_info *info, uint32_t sm, struct profile *out)
{
#if defined(__aarch64__)
    static const char machine[] = "aarch64";
#elif defined(__x86_64__)
    static const char machine[] = "x86_64";
#else
    static const char machine[] = "";
#endif
    if (sm)
        snprintf(out->architecture, sizeof out->architecture, "sm_%u", sm);
    else if (info->flags & (DEV_HOST_CODE | DEV_SOFTWARE))
        snprintf(out->architecture, sizeof out->architecture, "%s", machine);
}

static bool set_rate(double *rate)
{
    const bool set = setting_text(SETTING_DOUBLE_RATE) != NULL;
    if (set)
        *rate = setting_number(SETTING_DOUBLE_RATE);
    return set;
}

static bool measured_rate(const char *driver, const struct dev_info *info, double *rate)
{
    size_t n;
    char *kept = profile_read(driver, info, PROFILE_F64_KEPT, &n);
    const bool fits = kept && n == sizeof *rate;
    if (fits)
        memcpy(rate, kept, n);
    free(kept);
    return fits && *rate > 0;
}

static bool known_rate(const struct dev_info *info, uint32_t sm, double *rate)
{
    *rate = info->flags & DEV_F64 ? 1 : 0;
    if (!(info->flags & DEV_F64) || (info->flags & DEV_HOST_CODE))
        return true;
    for (size_t k = 0; k < sizeof rates / sizeof *rates; k++)
        if (sm && rates[k].sm == sm) {
            *rate = rates[k].rate;
            return true;
        }
    return false;
}

static void find_rate(const char *driver, const struct dev_info *info, uint32_t sm,
                      struct profile *out)
{
    if (set_rate(&out->f64_rate))
        out->f64_source = PROFILE_SET;
    else if ((info->flags & DEV_F64) && measured_rate(driver, info, &out->f64_rate))
        out->f64_source = PROFILE_MEASURED;
    else if (known_rate(info, sm, &out->f64_rate))
        out->f64_source = PROFILE_TABLE;
}

void profile_of(const char *driver, const struct dev_info *info, struct profile *out)
{
    const uint32_t sm = capability(driver, info);
    *out = (struct profile){.compiler = "unknown", .quality = PROFILE_UNSEEN};
    for (size_t k = 0; k < sizeof drivers / sizeof *drivers; k++)
        if (!strcmp(drivers[k].device, driver) && starts(info->driver, drivers[k].start)) {
            out->compiler = drivers[k].compiler;
            out->quality = drivers[k].quality;
            out->registers = drivers[k].registers;
            break;
        }
    architecture(info, sm, out);
    find_rate(driver, info, sm, out);
}

bool profile_quirk(const char *driver, size_t k, struct profile_quirk *out)
{
    for (size_t q = 0; q < sizeof quirks / sizeof *quirks; q++)
        if (starts(driver, quirks[q].start) && !k--) {
            *out = quirks[q].quirk;
            return true;
        }
    return false;
}
