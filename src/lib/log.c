/* Logs of library calls in the shape that cuBLASLt, cuSPARSE and cuSOLVER share: a file, a
 * callback, a level, a mask. Calls are level 5, the fifth bit of the mask. */
#include "lib/log.h"

enum { CALLS = 5, CALLS_MASK = 16 };

bool lib_log_wanted(const struct lib_logger *l)
{
    return __atomic_load_n(&l->level, __ATOMIC_RELAXED) >= CALLS ||
           __atomic_load_n(&l->mask, __ATOMIC_RELAXED) & CALLS_MASK;
}

void lib_log(struct lib_logger *l, const char *function, const char *text, const char *line)
{
    pthread_mutex_lock(&l->lock);
    const lib_log_callback callback = l->disabled ? NULL : l->callback;
    if (l->file && !l->disabled) {
        fputs(line, l->file);
        fflush(l->file);
    }
    pthread_mutex_unlock(&l->lock);
    if (callback)
        callback(CALLS, function, text);
}

static void log_to(struct lib_logger *l, FILE *file, bool own)
{
    pthread_mutex_lock(&l->lock);
    if (l->file && l->own_file)
        fclose(l->file);
    l->file = file;
    l->own_file = own;
    pthread_mutex_unlock(&l->lock);
}

void lib_log_file(struct lib_logger *l, FILE *file)
{
    log_to(l, file, false);
}

bool lib_log_open(struct lib_logger *l, const char *path)
{
    FILE *f = path ? fopen(path, "a") : NULL;
    if (f)
        log_to(l, f, true);
    return f != NULL;
}

void lib_log_call(struct lib_logger *l, lib_log_callback callback)
{
    pthread_mutex_lock(&l->lock);
    l->callback = callback;
    pthread_mutex_unlock(&l->lock);
}

bool lib_log_level(struct lib_logger *l, int level)
{
    if (level < 0 || level > CALLS)
        return false;
    __atomic_store_n(&l->level, level, __ATOMIC_RELAXED);
    return true;
}

void lib_log_mask(struct lib_logger *l, int mask)
{
    __atomic_store_n(&l->mask, mask, __ATOMIC_RELAXED);
}

void lib_log_disable(struct lib_logger *l)
{
    pthread_mutex_lock(&l->lock);
    l->disabled = true;
    pthread_mutex_unlock(&l->lock);
}
