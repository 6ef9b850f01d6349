/* Bytes and 16-bit halves in a word, lane by lane. */
#pragma once
#include "device_functions.h"
#ifdef __TERN_DEVICE__

/* n(a, b): e over x and y of type T for each lane of the word; the result is cut to the lane. */
#define __TERN_LANES(n, bits, T, e)                                                                \
    __TERN_FN unsigned n(unsigned a, unsigned b)                                                   \
    {                                                                                              \
        unsigned r = 0;                                                                            \
        for (int i = 0; i < 32; i += bits) {                                                       \
            int x = (T)(a >> i), y = (T)(b >> i);                                                  \
            r |= ((unsigned)(e) & ((1u << bits) - 1u)) << i;                                       \
        }                                                                                          \
        return r;                                                                                  \
    }
#define __TERN_LANES1(n, bits, T, e)                                                               \
    __TERN_FN unsigned n(unsigned a)                                                               \
    {                                                                                              \
        unsigned r = 0;                                                                            \
        for (int i = 0; i < 32; i += bits) {                                                       \
            int x = (T)(a >> i);                                                                   \
            r |= ((unsigned)(e) & ((1u << bits) - 1u)) << i;                                       \
        }                                                                                          \
        return r;                                                                                  \
    }
#define __TERN_LANES_SUM(n, bits, T, e)                                                            \
    __TERN_FN unsigned n(unsigned a, unsigned b)                                                   \
    {                                                                                              \
        unsigned r = 0;                                                                            \
        for (int i = 0; i < 32; i += bits) {                                                       \
            int x = (T)(a >> i), y = (T)(b >> i);                                                  \
            r += (unsigned)(e);                                                                    \
        }                                                                                          \
        return r;                                                                                  \
    }
#define __TERN_CLAMP(v, lo, hi) ((v) < (lo) ? (lo) : (v) > (hi) ? (hi) : (v))
__TERN_LANES(__vadd2, 16, unsigned short, x + y)
__TERN_LANES(__vsub2, 16, unsigned short, x - y)
__TERN_LANES(__vaddss2, 16, short, __TERN_CLAMP(x + y, -32767 - 1, 32767))
__TERN_LANES(__vaddus2, 16, unsigned short, __TERN_CLAMP(x + y, 0, 65535))
__TERN_LANES(__vsubss2, 16, short, __TERN_CLAMP(x - y, -32767 - 1, 32767))
__TERN_LANES(__vsubus2, 16, unsigned short, __TERN_CLAMP(x - y, 0, 65535))
__TERN_LANES(__vavgs2, 16, short, x + y >= 0 ? (x + y + 1) >> 1 : (x + y) / 2)
__TERN_LANES(__vavgu2, 16, unsigned short, (x + y + 1) >> 1)
__TERN_LANES(__vhaddu2, 16, unsigned short, (x + y) >> 1)
__TERN_LANES1(__vabs2, 16, short, x < 0 ? -x : x)
__TERN_LANES1(__vabsss2, 16, short, x == -32767 - 1 ? 32767 : x < 0 ? -x : x)
__TERN_LANES1(__vneg2, 16, short, -x)
__TERN_LANES1(__vnegss2, 16, short, x == -32767 - 1 ? 32767 : -x)
__TERN_LANES(__vabsdiffs2, 16, short, x > y ? x - y : y - x)
__TERN_LANES(__vabsdiffu2, 16, unsigned short, x > y ? x - y : y - x)
__TERN_LANES(__vmaxs2, 16, short, x > y ? x : y)
__TERN_LANES(__vmaxu2, 16, unsigned short, x > y ? x : y)
__TERN_LANES(__vmins2, 16, short, x < y ? x : y)
__TERN_LANES(__vminu2, 16, unsigned short, x < y ? x : y)
__TERN_LANES(__vcmpeq2, 16, unsigned short, x == y ? -1 : 0)
__TERN_LANES(__vseteq2, 16, unsigned short, x == y)
__TERN_LANES(__vcmpne2, 16, unsigned short, x != y ? -1 : 0)
__TERN_LANES(__vsetne2, 16, unsigned short, x != y)
__TERN_LANES(__vcmpges2, 16, short, x >= y ? -1 : 0)
__TERN_LANES(__vcmpgeu2, 16, unsigned short, x >= y ? -1 : 0)
__TERN_LANES(__vsetges2, 16, short, x >= y)
__TERN_LANES(__vsetgeu2, 16, unsigned short, x >= y)
__TERN_LANES(__vcmpgts2, 16, short, x > y ? -1 : 0)
__TERN_LANES(__vcmpgtu2, 16, unsigned short, x > y ? -1 : 0)
__TERN_LANES(__vsetgts2, 16, short, x > y)
__TERN_LANES(__vsetgtu2, 16, unsigned short, x > y)
__TERN_LANES(__vcmples2, 16, short, x <= y ? -1 : 0)
__TERN_LANES(__vcmpleu2, 16, unsigned short, x <= y ? -1 : 0)
__TERN_LANES(__vsetles2, 16, short, x <= y)
__TERN_LANES(__vsetleu2, 16, unsigned short, x <= y)
__TERN_LANES(__vcmplts2, 16, short, x < y ? -1 : 0)
__TERN_LANES(__vcmpltu2, 16, unsigned short, x < y ? -1 : 0)
__TERN_LANES(__vsetlts2, 16, short, x < y)
__TERN_LANES(__vsetltu2, 16, unsigned short, x < y)
__TERN_LANES_SUM(__vsads2, 16, short, x > y ? x - y : y - x)
__TERN_LANES_SUM(__vsadu2, 16, unsigned short, x > y ? x - y : y - x)
__TERN_LANES(__vadd4, 8, unsigned char, x + y)
__TERN_LANES(__vsub4, 8, unsigned char, x - y)
__TERN_LANES(__vaddss4, 8, signed char, __TERN_CLAMP(x + y, -127 - 1, 127))
__TERN_LANES(__vaddus4, 8, unsigned char, __TERN_CLAMP(x + y, 0, 255))
__TERN_LANES(__vsubss4, 8, signed char, __TERN_CLAMP(x - y, -127 - 1, 127))
__TERN_LANES(__vsubus4, 8, unsigned char, __TERN_CLAMP(x - y, 0, 255))
__TERN_LANES(__vavgs4, 8, signed char, x + y >= 0 ? (x + y + 1) >> 1 : (x + y) / 2)
__TERN_LANES(__vavgu4, 8, unsigned char, (x + y + 1) >> 1)
__TERN_LANES(__vhaddu4, 8, unsigned char, (x + y) >> 1)
__TERN_LANES1(__vabs4, 8, signed char, x < 0 ? -x : x)
__TERN_LANES1(__vabsss4, 8, signed char, x == -127 - 1 ? 127 : x < 0 ? -x : x)
__TERN_LANES1(__vneg4, 8, signed char, -x)
__TERN_LANES1(__vnegss4, 8, signed char, x == -127 - 1 ? 127 : -x)
__TERN_LANES(__vabsdiffs4, 8, signed char, x > y ? x - y : y - x)
__TERN_LANES(__vabsdiffu4, 8, unsigned char, x > y ? x - y : y - x)
__TERN_LANES(__vmaxs4, 8, signed char, x > y ? x : y)
__TERN_LANES(__vmaxu4, 8, unsigned char, x > y ? x : y)
__TERN_LANES(__vmins4, 8, signed char, x < y ? x : y)
__TERN_LANES(__vminu4, 8, unsigned char, x < y ? x : y)
__TERN_LANES(__vcmpeq4, 8, unsigned char, x == y ? -1 : 0)
__TERN_LANES(__vseteq4, 8, unsigned char, x == y)
__TERN_LANES(__vcmpne4, 8, unsigned char, x != y ? -1 : 0)
__TERN_LANES(__vsetne4, 8, unsigned char, x != y)
__TERN_LANES(__vcmpges4, 8, signed char, x >= y ? -1 : 0)
__TERN_LANES(__vcmpgeu4, 8, unsigned char, x >= y ? -1 : 0)
__TERN_LANES(__vsetges4, 8, signed char, x >= y)
__TERN_LANES(__vsetgeu4, 8, unsigned char, x >= y)
__TERN_LANES(__vcmpgts4, 8, signed char, x > y ? -1 : 0)
__TERN_LANES(__vcmpgtu4, 8, unsigned char, x > y ? -1 : 0)
__TERN_LANES(__vsetgts4, 8, signed char, x > y)
__TERN_LANES(__vsetgtu4, 8, unsigned char, x > y)
__TERN_LANES(__vcmples4, 8, signed char, x <= y ? -1 : 0)
__TERN_LANES(__vcmpleu4, 8, unsigned char, x <= y ? -1 : 0)
__TERN_LANES(__vsetles4, 8, signed char, x <= y)
__TERN_LANES(__vsetleu4, 8, unsigned char, x <= y)
__TERN_LANES(__vcmplts4, 8, signed char, x < y ? -1 : 0)
__TERN_LANES(__vcmpltu4, 8, unsigned char, x < y ? -1 : 0)
__TERN_LANES(__vsetlts4, 8, signed char, x < y)
__TERN_LANES(__vsetltu4, 8, unsigned char, x < y)
__TERN_LANES_SUM(__vsads4, 8, signed char, x > y ? x - y : y - x)
__TERN_LANES_SUM(__vsadu4, 8, unsigned char, x > y ? x - y : y - x)
#undef __TERN_LANES
#undef __TERN_LANES1
#undef __TERN_LANES_SUM
#undef __TERN_CLAMP
#endif
