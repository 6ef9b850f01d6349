/* What the quick operations (fsin_fast, …) give where no hardware does them: the device library,
 * built natively. Back ends without such instructions call the same text (lower/expand/quick.c). */
#include "device/libm/quick.h"
#include "ir/meaning.h"

#define QUICK(name)                                                                                \
    float m_quick_##name(float x)                                                                  \
    {                                                                                              \
        return __tern_quick_##name##f(x);                                                          \
    }
QUICK(sin)
QUICK(cos)
QUICK(exp2)
QUICK(log2)
QUICK(tanh)
