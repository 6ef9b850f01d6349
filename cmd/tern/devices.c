/* tern devices: what there is to run on, and why the rest is not there. */
#include <stdio.h>
#include "rt/profile.h"
#include "rt/rt.h"
#include "tern.h"

/* ---- the profile: what strategies are chosen by ---- */

static void show_profile(const char *driver, const struct dev_info *d)
{
    struct profile p;
    struct profile_quirk q;
    unsigned quirks = 0;
    profile_of(driver, d, &p);
    while (profile_quirk(d->driver, quirks, &q))
        quirks++;
    printf("\tcompiler: %s%s%s; quality: %s", p.compiler, *p.architecture ? ", for " : "",
           p.architecture, profile_quality_text(p.quality));
    if (quirks)
        printf("; %u workaround%s", quirks, quirks == 1 ? "" : "s");
    if (p.f64_source == PROFILE_UNKNOWN)
        printf("\n\tf64: not measured yet\n");
    else if (p.f64_rate == 0)
        printf("\n\tf64: none (%s)\n", profile_source_text(p.f64_source));
    else
        printf("\n\tf64: a sum and product in the time of %.1f of f32 (%s)\n", p.f64_rate,
               profile_source_text(p.f64_source));
}

static void json_profile(struct json_writer *w, const char *driver, const struct dev_info *d)
{
    struct profile p;
    struct profile_quirk q;
    profile_of(driver, d, &p);
    json_key(w, "profile");
    json_object(w);
    json_key(w, "compiler");
    json_str(w, p.compiler);
    json_key(w, "architecture");
    json_str(w, p.architecture);
    json_key(w, "quality");
    json_str(w, profile_quality_text(p.quality));
    json_key(w, "registers");
    json_bool(w, p.registers);
    json_key(w, "f64_rate");
    if (p.f64_source == PROFILE_UNKNOWN)
        json_null(w);
    else
        json_double(w, p.f64_rate);
    json_key(w, "f64_source");
    json_str(w, profile_source_text(p.f64_source));
    json_key(w, "workarounds");
    json_array(w);
    for (size_t k = 0; profile_quirk(d->driver, k, &q); k++) {
        json_object(w);
        json_key(w, "what");
        json_str(w, q.feature);
        json_key(w, "value");
        json_bool(w, q.value);
        json_key(w, "seen");
        json_str(w, q.seen);
        json_end(w);
    }
    json_end(w);
    json_end(w);
}

static void show_text(const char *driver, unsigned i, const struct dev_info *d)
{
    printf("%s:%u\t%s (%s)\n", driver, i, d->name, d->driver);
    printf(
        "\t%.1f GiB of memory, %u unit%s, blocks of up to %u threads, %u KiB of shared memory%s\n",
        (double)d->memory / (1 << 30), d->units, d->units == 1 ? "" : "s", d->max_threads_per_block,
        d->shared_per_block >> 10, d->flags & DEV_SOFTWARE ? ", software" : "");
    show_profile(driver, d);
}

static void show_json(struct json_writer *w, const char *driver, unsigned i,
                      const struct dev_info *d)
{
    static const struct {
        uint32_t flag;
        const char *name;
    } flags[] = {
#define DEV_FLAG(bit, name, word, json) {DEV_##name, json},
#include "rt/flags.def"
    };
    json_object(w);
    json_key(w, "device");
    json_str(w, driver);
    json_key(w, "ordinal");
    json_uint(w, i);
    json_key(w, "name");
    json_str(w, d->name);
    json_key(w, "driver");
    json_str(w, d->driver);
    json_key(w, "memory");
    json_uint(w, d->memory);
    json_key(w, "units");
    json_uint(w, d->units);
    json_key(w, "warp_size");
    json_uint(w, d->warp_size);
    json_key(w, "max_threads_per_block");
    json_uint(w, d->max_threads_per_block);
    json_key(w, "shared_per_block");
    json_uint(w, d->shared_per_block);
    json_key(w, "arch");
    json_uint(w, d->arch);
    json_key(w, "features");
    json_array(w);
    for (size_t k = 0; k < sizeof flags / sizeof *flags; k++)
        if (d->flags & flags[k].flag)
            json_str(w, flags[k].name);
    json_end(w);
    json_profile(w, driver, d);
    json_end(w);
}

int command_devices(struct args *a)
{
    struct sbuf out;
    struct json_writer w;
    if (a->topology)
        return show_topology(a);
    sbuf_init(&out, NULL);
    json_begin(&w, &out, true);
    if (a->json)
        json_array(&w);
    for (size_t k = 0; dev_drivers[k]; k++) {
        const struct dev_driver *driver = dev_drivers[k];
        const char *why = NULL;
        const unsigned n = driver->count(&why);
        for (unsigned i = 0; i < n; i++) {
            struct dev *d;
            struct dev_info info;
            enum tern_error e = driver->open(i, &(struct dev_host){.reports = {rt_log, NULL}}, &d);
            if (e == TERN_OK) {
                e = driver->info(d, &info);
                driver->close(d);
            }
            if (e != TERN_OK)
                complain("%s:%u: %s", driver->name, i, tern_error_text(e));
            else if (a->json)
                show_json(&w, driver->name, i, &info);
            else
                show_text(driver->name, i, &info);
        }
        if (!n && !a->json && !a->quiet)
            printf("%s\tnone: %s\n", driver->name, why ? why : "no device");
    }
    if (a->json) {
        json_end(&w);
        printf("%s\n", out.data ? out.data : "");
    }
    sbuf_free(&out);
    return EXIT_FINE;
}
