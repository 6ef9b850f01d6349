/* Functions with `...`. What C hands over is read as its ABI has it; functions of ours get all of it in memory
 * (__tern_rest), as if the registers had been used up. */
#pragma once
#if defined(__TERN_PAGE__)
typedef char *va_list;
#define va_start(ap, last) ((ap) = (char *)__tern_rest())
#define va_copy(to, from)  ((to) = (from))
#elif defined(__aarch64__)
typedef struct __tern_va_list {
    void *__stack, *__gr_top, *__vr_top;
    int __gr_offs, __vr_offs;
} va_list;
#define va_start(ap, last) ((ap) = va_list{__tern_rest(), nullptr, nullptr, 0, 0})
#define va_copy(to, from)  ((to) = (from))
#else
typedef struct __tern_va_list {
    unsigned __gp_offset, __fp_offset;
    void *__overflow_arg_area, *__reg_save_area;
} va_list[1];
#define va_start(ap, last) (*(ap) = __tern_va_list{48, 176, __tern_rest(), nullptr})
#define va_copy(to, from)  (*(to) = *(from))
#endif
#define va_end(ap)     ((void)(ap))
#define va_arg(ap, T)  (__tern_va_arg<T>(ap))
#define __builtin_va_list  va_list
#define __builtin_va_start va_start
#define __builtin_va_arg   va_arg
#define __builtin_va_copy  va_copy
#define __builtin_va_end   va_end

extern "C" void abort(void) __attribute__((noreturn));
template <typename T> inline constexpr bool __tern_in_float = false;
template <> inline constexpr bool __tern_in_float<float> = true;
template <> inline constexpr bool __tern_in_float<double> = true;
template <> inline constexpr bool __tern_in_float<long double> = true;

#if defined(__TERN_PAGE__)
template <typename T> inline T __tern_va_arg(va_list &ap)
{
    if constexpr (__is_class(T) && sizeof(T) > 16) {
        ap += 8;
        return **(T **)(ap - 8);
    } else {
        ap += (sizeof(T) + 7) / 8 * 8;
        return *(T *)(ap - (sizeof(T) + 7) / 8 * 8);
    }
}
#elif defined(__aarch64__)
template <typename T> inline T __tern_va_arg(va_list &ap)
{
    const int words = (sizeof(T) + 7) / 8;
    if constexpr (__is_class(T) && sizeof(T) > 16) {
        return *__tern_va_arg<T *>(ap);
    } else {
        int &offset = __tern_in_float<T> ? ap.__vr_offs : ap.__gr_offs;
        if (__is_class(T) && (ap.__gr_offs < 0 || ap.__vr_offs < 0))
            abort(); /* a class in registers: only C hands such a list over */
        if (offset < 0) {
            char *at = (char *)(__tern_in_float<T> ? ap.__vr_top : ap.__gr_top) + offset;
            offset += __tern_in_float<T> ? 16 : 8;
            if (offset <= 0)
                return *(T *)at;
        }
        char *at = (char *)ap.__stack;
        ap.__stack = at + 8 * words;
        return *(T *)at;
    }
}
#else
template <typename T> inline T __tern_va_arg(__tern_va_list *ap)
{
    const int words = (sizeof(T) + 7) / 8;
    unsigned &offset = __tern_in_float<T> ? ap->__fp_offset : ap->__gp_offset;
    if (__is_class(T) && sizeof(T) <= 16 && (ap->__gp_offset < 48 || ap->__fp_offset < 176))
        abort(); /* a class in registers: only C hands such a list over */
    if (!__is_class(T) && offset < (__tern_in_float<T> ? 176u : 48u)) {
        char *at = (char *)ap->__reg_save_area + offset;
        offset += __tern_in_float<T> ? 16 : 8;
        return *(T *)at;
    }
    char *at = (char *)ap->__overflow_arg_area;
    ap->__overflow_arg_area = at + 8 * words;
    return *(T *)at;
}
#endif
