/* The profile of a device: what strategies are chosen by, beyond what the device says of itself.
 *
 * Facts are rows of profile.def and dev/vulkan/drivers.def. What was measured on a device is kept
 * in the user's folder of compiled code, apart for each device and driver: `kept` files, sealed as
 * images are (image.h), of which one that is damaged or another's is as good as none. */
#ifndef RT_PROFILE_H
#define RT_PROFILE_H

#include "rt/dev.h"

enum profile_quality { PROFILE_REFERENCE, PROFILE_NATIVE, PROFILE_SOFTWARE, PROFILE_UNSEEN };
enum profile_source { PROFILE_UNKNOWN, PROFILE_TABLE, PROFILE_MEASURED, PROFILE_SET };

struct profile {
    const char *compiler;
    char architecture[24]; /* "sm_90", "x86_64"; "": the driver does not tell */
    enum profile_quality quality;
    bool registers; /* kernels that keep many values in each thread suit its compiler */
    /* Sums and products of floats in the time of one of doubles; 0: it has no doubles. */
    double f64_rate;
    enum profile_source f64_source; /* PROFILE_UNKNOWN: there is no rate */
};
/* driver: its struct dev_driver's name. */
void profile_of(const char *driver, const struct dev_info *info, struct profile *out);
const char *profile_quality_text(enum profile_quality q);
const char *profile_source_text(enum profile_source s);

/* What is known of a driver, by the name that it gives itself, and that it does not say: the k-th;
 * false: there are no more. */
struct profile_quirk {
    const char *feature, *seen;
    bool value;
};
bool profile_quirk(const char *driver, size_t k, struct profile_quirk *out);

/* What was kept under a name for such a device, for free(); NULL: nothing. */
char *profile_read(const char *driver, const struct dev_info *info, const char *what, size_t *n);
void profile_write(const char *driver, const struct dev_info *info, const char *what,
                   const void *data, size_t n);
#define PROFILE_F64_KEPT "f64 rate" /* what its rate is kept under: a double */

#endif
