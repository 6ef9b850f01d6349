/* What programs hand over as a module: PTX, plain or in a fat binary, or Tern's own images, which
 * are text too (IR, CUDA C++). */
#ifndef CUDA_IMAGE_H
#define CUDA_IMAGE_H

#include "api/api.h"

struct image {
    struct tern_source source; /* text: inside the image, or owned */
    char *owned;               /* free() it; may be NULL */
};

/* size 0: not known; texts then end with a 0. TERN_INVALID_IMAGE: none of ours. */
enum tern_error image_open(const void *data, size_t size, struct image *out);

#endif
