/* What rows.h and who launches its kernels agree on. Plain C. */
#pragma once

enum { ROWS_BYTES = 512 }; /* of a row, so that it fits into a thread's registers */
/* Elements from one row of n to the next in shared memory: a part more, and an odd number. */
#define ROWS_PITCH(n) (((n) + 8) | 1)
