/* The single-precision functions: the generic text read for float. */
#ifndef TERN_DEVICE_F32_H
#define TERN_DEVICE_F32_H

#include "prim.h"
#include "poly32.h"

#define __TERN_BITS 32
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
