/* Sparse factors of complex matrices. */
#include "lib/solver/sp_int.h"
#include <complex.h>
#define E       double _Complex
#define CONJ(x) conj(x)
#define REAL(x) creal(x)
#define SIZE(x) cabs(x)
#define OPS     sp_complex_ops
#include "lib/solver/sp_core.inc"
