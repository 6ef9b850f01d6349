/* Sparse factors of real matrices. */
#include "lib/solver/sp_int.h"
#define E       double
#define CONJ(x) (x)
#define REAL(x) (x)
#define SIZE(x) fabs(x)
#define OPS     sp_real
#include "lib/solver/sp_core.inc"
