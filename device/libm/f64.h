/* The double-precision functions: the generic text read for double. */
#ifndef TERN_DEVICE_F64_H
#define TERN_DEVICE_F64_H

#include "prim.h"
#include "poly64.h"

#define __TERN_BITS 64
#include "generic/begin.h"
#include "generic/core.h"
#include "generic/exp.h"
#include "generic/trig.h"
#include "generic/hyper.h"
#include "generic/erf.h"
#include "generic/gamma.h"
#include "generic/bessel.h"
#include "generic/parts.h"
#include "generic/end.h"
#endif
