/* What is told to the PTX target, and what it tells of a kernel. What kernels leave for their
 * launcher is in back/output.h. */
#ifndef BACK_PTX_PTX_H
#define BACK_PTX_PTX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ptx_options {
    uint32_t arch; /* sm number, 80 or 800; 0: 80 */
    bool launches; /* the launcher starts what kernels launch: back/output.h */
    bool checks;   /* the launcher knows all variables, and reads what kernels tell a checker */
};

struct ptx_kernel {
    size_t text, text_len; /* where it stands in the output; kernels close it, in this order */
    bool shares;           /* reaches variables or addresses of functions, as other kernels may */
};

#endif
