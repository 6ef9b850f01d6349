/* Enough room for any of the C library's. */
#pragma once
#include <time.h>
typedef struct { long __room[4]; } sem_t;
#define SEM_VALUE_MAX 2147483647
extern "C" {
int sem_init(sem_t *, int, unsigned);
int sem_destroy(sem_t *);
int sem_post(sem_t *);
int sem_wait(sem_t *);
int sem_trywait(sem_t *);
int sem_timedwait(sem_t *, const struct timespec *);
int sem_getvalue(sem_t *, int *);
}
