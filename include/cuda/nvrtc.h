/* Compilation at run time: CUDA C++ text to PTX. */
#pragma once
#define __NVRTC_H__
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* NVRTC_RESULTS(X): X(name without its prefix, number) */
#define NVRTC_RESULTS(X)                                                                           \
    X(SUCCESS, 0) \
    X(ERROR_OUT_OF_MEMORY, 1) \
    X(ERROR_PROGRAM_CREATION_FAILURE, 2) \
    X(ERROR_INVALID_INPUT, 3) \
    X(ERROR_INVALID_PROGRAM, 4) \
    X(ERROR_INVALID_OPTION, 5) \
    X(ERROR_COMPILATION, 6) \
    X(ERROR_BUILTIN_OPERATION_FAILURE, 7) \
    X(ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION, 8) \
    X(ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION, 9) \
    X(ERROR_NAME_EXPRESSION_NOT_VALID, 10) \
    X(ERROR_INTERNAL_ERROR, 11) \
    X(ERROR_TIME_FILE_WRITE_FAILED, 12)

typedef enum {
#define __TERN_X(name, number) NVRTC_##name = number,
    NVRTC_RESULTS(__TERN_X)
#undef __TERN_X
} nvrtcResult;
typedef struct _nvrtcProgram *nvrtcProgram;

const char *nvrtcGetErrorString(nvrtcResult result);
nvrtcResult nvrtcVersion(int *major, int *minor);
nvrtcResult nvrtcGetNumSupportedArchs(int *count);
nvrtcResult nvrtcGetSupportedArchs(int *archs);
nvrtcResult nvrtcCreateProgram(nvrtcProgram *program, const char *source, const char *name, int nheaders, const char *const *headers, const char *const *include_names);
nvrtcResult nvrtcDestroyProgram(nvrtcProgram *program);
nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int noptions, const char *const *options);
nvrtcResult nvrtcGetPTXSize(nvrtcProgram program, size_t *size);
nvrtcResult nvrtcGetPTX(nvrtcProgram program, char *ptx);
nvrtcResult nvrtcGetCUBINSize(nvrtcProgram program, size_t *size);
nvrtcResult nvrtcGetCUBIN(nvrtcProgram program, char *cubin);
nvrtcResult nvrtcGetLTOIRSize(nvrtcProgram program, size_t *size);
nvrtcResult nvrtcGetLTOIR(nvrtcProgram program, char *ir);
nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram program, size_t *size);
nvrtcResult nvrtcGetProgramLog(nvrtcProgram program, char *log);
nvrtcResult nvrtcAddNameExpression(nvrtcProgram program, const char *name);
nvrtcResult nvrtcGetLoweredName(nvrtcProgram program, const char *name, const char **lowered);

#ifdef __cplusplus
}
#endif
