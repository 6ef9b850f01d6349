/* Error codes: one enum for every fallible function of the house. */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

enum tern_error {
#define TERN_ERROR(number, name, cuda, text) TERN_##name = number,
#include "tern/error.def"
#undef TERN_ERROR
};

const char *tern_error_name(enum tern_error e); /* "OUT_OF_MEMORY" */
const char *tern_error_text(enum tern_error e); /* "memory could not be had" */
int tern_error_cuda(enum tern_error e);         /* the cudaError_t number */

#endif
