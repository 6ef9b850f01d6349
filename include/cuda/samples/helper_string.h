/* Words of the command line, as the samples of CUDA's toolkit ask for them: -name, --name, name=value. */
#pragma once
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
inline const char *__tern_word(int argc, const char **argv, const char *name)
{
    const size_t n = strlen(name);
    for (int k = 1; k < argc; k++) {
        const char *w = argv[k];
        while (*w == '-')
            w++;
        if (!strncasecmp(w, name, n) && (!w[n] || w[n] == '='))
            return w[n] ? w + n + 1 : w + n;
    }
    return nullptr;
}
inline bool checkCmdLineFlag(int argc, const char **argv, const char *name) { return __tern_word(argc, argv, name); }
inline int getCmdLineArgumentInt(int argc, const char **argv, const char *name)
{
    const char *w = __tern_word(argc, argv, name);
    return w ? atoi(w) : 0;
}
inline float getCmdLineArgumentFloat(int argc, const char **argv, const char *name)
{
    const char *w = __tern_word(argc, argv, name);
    return w ? (float)atof(w) : 0;
}
inline bool getCmdLineArgumentString(int argc, const char **argv, const char *name, char **value)
{
    const char *w = __tern_word(argc, argv, name);
    *value = (char *)w;
    return w;
}
#ifndef EXIT_WAIVED
#define EXIT_WAIVED 2
#endif
