/* Tables that calls give to programs: made when they are first asked for, and there until the end.
 */
#include <pthread.h>
#include "lib/rand/rand_int.h"

enum { TABLES = 6 };
static void *tables[TABLES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static curandStatus_t table(unsigned which, void **out)
{
    const unsigned bits = which % 2 ? 64 : 32;
    if (!out)
        return CURAND_STATUS_OUT_OF_RANGE;
    pthread_mutex_lock(&lock);
    if (!tables[which])
        tables[which] = which < 4 ? rand_directions(bits, which >= 2) : rand_constants(bits);
    *out = tables[which];
    pthread_mutex_unlock(&lock);
    return *out ? CURAND_STATUS_SUCCESS : CURAND_STATUS_ALLOCATION_FAILED;
}

curandStatus_t curandGetDirectionVectors32(curandDirectionVectors32_t *vectors[],
                                           curandDirectionVectorSet_t set)
{
    if (set != CURAND_DIRECTION_VECTORS_32_JOEKUO6 &&
        set != CURAND_SCRAMBLED_DIRECTION_VECTORS_32_JOEKUO6)
        return CURAND_STATUS_OUT_OF_RANGE;
    return table(set == CURAND_DIRECTION_VECTORS_32_JOEKUO6 ? 0 : 2, (void **)vectors);
}

curandStatus_t curandGetDirectionVectors64(curandDirectionVectors64_t *vectors[],
                                           curandDirectionVectorSet_t set)
{
    if (set != CURAND_DIRECTION_VECTORS_64_JOEKUO6 &&
        set != CURAND_SCRAMBLED_DIRECTION_VECTORS_64_JOEKUO6)
        return CURAND_STATUS_OUT_OF_RANGE;
    return table(set == CURAND_DIRECTION_VECTORS_64_JOEKUO6 ? 1 : 3, (void **)vectors);
}

curandStatus_t curandGetScrambleConstants32(unsigned int **constants)
{
    return table(4, (void **)constants);
}

curandStatus_t curandGetScrambleConstants64(unsigned long long **constants)
{
    return table(5, (void **)constants);
}
