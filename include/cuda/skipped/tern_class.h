/* Classes of the host's library, as device code sees them: their names, their sizes, and that making, copying and
 * destroying one is the host's business. A class that has one as a member has a layout then, and device code can use
 * its other members. The layouts are those of libstdc++; a launch compares the sizes of its arguments with the
 * host's. */
#pragma once
#include <functional>
#include <memory>
#define __TERN_HOST_CLASS(name)                                                                    \
public:                                                                                            \
    __host__ name();                                                                               \
    __host__ name(const name &);                                                                   \
    __host__ name(name &&) noexcept;                                                               \
    __host__ ~name();                                                                              \
    __host__ name &operator=(const name &);                                                        \
    __host__ name &operator=(name &&) noexcept;                                                    \
                                                                                                   \
private:
namespace std {
template <class C> struct char_traits;
template <class T> struct hash;
/* Words that a table of hashes takes: its functions have none of their own. */
template <class F> struct __tern_stateless { static constexpr bool value = __is_empty(F); };
template <class T> struct __tern_stateless<hash<T>> { static constexpr bool value = true; };
template <class H, class E> struct __tern_table {
    static constexpr int words = __tern_stateless<H>::value && __tern_stateless<E>::value ? 7 : -1;
};
}
