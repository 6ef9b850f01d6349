/* Tern's own objects inside a program that uses the CUDA API. Libraries of kernels are written with
 * these: what the CUDA runtime gives them (devices, streams, memory) and what tern.h gives them
 * (modules from CUDA C++ text, launches, C functions in the order of a stream) are the same
 * objects. */
#ifndef TERN_CUDA_H
#define TERN_CUDA_H

#include <stdbool.h>
#include "tern.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The calling thread's current device, opened. */
enum tern_error tern_cuda_device(tern_device **out);
/* What was known of it when it was opened: without asking the driver, which may take longer than a
 * kernel. */
void tern_cuda_device_facts(const tern_device *d, struct tern_device_info *out);
/* What strategies are chosen by beyond that; `tern devices` shows it. */
struct tern_cuda_profile {
    /* Sums and products of floats in the time of one of doubles; 0: it has no doubles; less: it is
     * not known, and who measures it keeps it with tern_cuda_keep_f64. */
    double f64_rate;
    const char *f64_source; /* "set", "measured", "table", "unknown" */
    bool registers;         /* kernels that keep many values in each thread suit its compiler */
};
void tern_cuda_device_profile(const tern_device *d, struct tern_cuda_profile *out);
void tern_cuda_keep_f64(const tern_device *d, double rate);
/* A library's own data of the device and its driver, in the user's folder of compiled code, under a
 * name; read: for free(), NULL where there is none that is whole. */
char *tern_cuda_kept(const tern_device *d, const char *what, size_t *n);
void tern_cuda_keep(const tern_device *d, const char *what, const void *data, size_t n);
/* What a cudaStream_t stands for on the device: the default streams have names, not objects. */
enum tern_error tern_cuda_stream(tern_device *d, void *handle, tern_stream **out);
/* A line for the user of the program: standard error. */
void tern_cuda_say(const char *text);
/* What tern_message will say of the device's context. */
void tern_cuda_message(tern_device *d, const char *text);
/* A line for the log (TERN_LOG); whether there is one. */
bool tern_cuda_logs(void);
void tern_cuda_note(const char *text);
/* A variable of the environment that doc/settings.md lists; NULL: it is not set, or set to nothing.
 */
const char *tern_cuda_setting(const char *variable);

#ifdef __cplusplus
}
#endif
#endif
