/* Atomic functions. Relaxed in order, as CUDA has them; scope: device, _block and _system. */
#pragma once
#include "host_defines.h"
#ifdef __TERN_DEVICE__

/* orders and scopes as the builtins number them */
#define __TERN_ATOMIC(name, op, T)                                                                 \
    __TERN_FN T name(T *p, T v) { return __tern_atomic_##op(p, v, 1, 1); }                         \
    __TERN_FN T name##_block(T *p, T v) { return __tern_atomic_##op(p, v, 1, 0); }                 \
    __TERN_FN T name##_system(T *p, T v) { return __tern_atomic_##op(p, v, 1, 2); }
#define __TERN_ATOMIC_CAS(T)                                                                       \
    __TERN_FN T atomicCAS(T *p, T e, T v) { return __tern_atomic_cas(p, e, v, 1, 1); }             \
    __TERN_FN T atomicCAS_block(T *p, T e, T v) { return __tern_atomic_cas(p, e, v, 1, 0); }       \
    __TERN_FN T atomicCAS_system(T *p, T e, T v) { return __tern_atomic_cas(p, e, v, 1, 2); }

__TERN_ATOMIC(atomicAdd, add, int)
__TERN_ATOMIC(atomicAdd, add, unsigned int)
__TERN_ATOMIC(atomicAdd, add, unsigned long long)
__TERN_ATOMIC(atomicAdd, fadd, float)
__TERN_ATOMIC(atomicAdd, fadd, double)
__TERN_ATOMIC(atomicSub, sub, int)
__TERN_ATOMIC(atomicSub, sub, unsigned int)
__TERN_ATOMIC(atomicExch, xchg, int)
__TERN_ATOMIC(atomicExch, xchg, unsigned int)
__TERN_ATOMIC(atomicExch, xchg, unsigned long long)
__TERN_ATOMIC(atomicExch, xchg, float)
__TERN_ATOMIC(atomicMin, smin, int)
__TERN_ATOMIC(atomicMin, umin, unsigned int)
__TERN_ATOMIC(atomicMin, smin, long long)
__TERN_ATOMIC(atomicMin, umin, unsigned long long)
__TERN_ATOMIC(atomicMax, smax, int)
__TERN_ATOMIC(atomicMax, umax, unsigned int)
__TERN_ATOMIC(atomicMax, smax, long long)
__TERN_ATOMIC(atomicMax, umax, unsigned long long)
__TERN_ATOMIC(atomicInc, inc, unsigned int)
__TERN_ATOMIC(atomicDec, dec, unsigned int)
__TERN_ATOMIC(atomicAnd, and, int)
__TERN_ATOMIC(atomicAnd, and, unsigned int)
__TERN_ATOMIC(atomicAnd, and, unsigned long long)
__TERN_ATOMIC(atomicOr, or, int)
__TERN_ATOMIC(atomicOr, or, unsigned int)
__TERN_ATOMIC(atomicOr, or, unsigned long long)
__TERN_ATOMIC(atomicXor, xor, int)
__TERN_ATOMIC(atomicXor, xor, unsigned int)
__TERN_ATOMIC(atomicXor, xor, unsigned long long)
__TERN_ATOMIC_CAS(int)
__TERN_ATOMIC_CAS(unsigned int)
__TERN_ATOMIC_CAS(unsigned long long)
__TERN_ATOMIC_CAS(unsigned short)
#undef __TERN_ATOMIC
#undef __TERN_ATOMIC_CAS
#endif
