/* OpenMP where its pragmas are not taken: one thread, which is all there are. */
#pragma once
#include <time.h>
#include <unistd.h>
typedef int omp_lock_t;
inline void omp_set_num_threads(int) {}
inline int omp_get_num_threads() { return 1; }
inline int omp_get_max_threads() { return 1; }
inline int omp_get_thread_num() { return 0; }
inline int omp_get_num_procs() { return (int)sysconf(84); }
inline int omp_in_parallel() { return 0; }
inline void omp_set_dynamic(int) {}
inline void omp_set_nested(int) {}
inline int omp_get_num_devices() { return 0; }
inline void omp_init_lock(omp_lock_t *) {}
inline void omp_destroy_lock(omp_lock_t *) {}
inline void omp_set_lock(omp_lock_t *) {}
inline void omp_unset_lock(omp_lock_t *) {}
inline double omp_get_wtime()
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
inline double omp_get_wtick() { return 1e-9; }
