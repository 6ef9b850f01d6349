/* Error codes: every fallible function of Tern returns one of these. */
#ifndef TERN_ERROR_H
#define TERN_ERROR_H

#ifdef __cplusplus
extern "C" {
#endif

enum tern_error {
#define TERN_ERROR(number, name, cuda, text) TERN_##name = number,
#include "error.def"
#undef TERN_ERROR
};

const char *tern_error_name(enum tern_error e); /* "OUT_OF_MEMORY" */
const char *tern_error_text(enum tern_error e); /* "memory could not be had" */
int tern_error_cuda(enum tern_error e);         /* the cudaError_t number */

#ifdef __cplusplus
}
#endif
#endif
