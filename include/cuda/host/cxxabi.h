/* Names that typeid gives, as people write them: the C++ library's own reader of them, where there is one. */
#pragma once
#include <stddef.h>
namespace __cxxabiv1 {
extern "C" void *dlopen(const char *, int);
extern "C" void *dlsym(void *, const char *);
inline char *__cxa_demangle(const char *mangled, char *room, size_t *size, int *status)
{
#ifndef __TERN_PAGE__ /* which has no libraries */
    typedef char *reader(const char *, char *, size_t *, int *);
    void *const library = dlopen("libstdc++.so.6", 1);
    reader *const read = library ? (reader *)dlsym(library, "__cxa_demangle") : nullptr;
    if (read)
        return read(mangled, room, size, status);
#endif
    if (status)
        *status = -1;
    return nullptr;
}
}
namespace abi = __cxxabiv1;
