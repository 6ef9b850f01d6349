/* A thread of the communicator does its tasks, where a device's driver may call the functions of
 * all streams of a process one at a time (NVIDIA's): a function that waited for another rank would
 * keep that rank's own from being called. So the stream's function only says that the task is
 * due, and the stream then waits for a word that the worker writes when the task is done, with
 * success or without. */
#include <stdlib.h>
#include <string.h>
#include "cuda/cuda.h"
#include "lib/nccl/nccl_int.h"

struct nccl_due { /* a graph's task may be due more than once */
    struct nccl_due *next;
    struct nccl_task *task;
};

bool nccl_has_words(void)
{
    return cuStreamBatchMemOp(NULL, 0, NULL, 0) == CUDA_SUCCESS;
}

bool nccl_calls_singly(const struct lib_device *d)
{
    return !d->info.host_memory && !strncmp(d->info.driver, "CUDA ", 5);
}

static void finish(struct nccl_task *t)
{
    struct ncclComm *c = t->comm;
    uint32_t *const word = t->word;
    const uint32_t value = t->value;
    if (!t->captured)
        nccl_task_free(t);
    /* From here on the stream goes on, and a graph may be gone with its task. */
    __atomic_store_n(word, value, __ATOMIC_RELEASE);
    nccl_task_done(c);
}

static void *worker_main(void *arg)
{
    struct ncclComm *c = arg;
    pthread_mutex_lock(&c->lock);
    for (;;) {
        while (!c->due && !c->retired)
            pthread_cond_wait(&c->changed, &c->lock);
        struct nccl_due *d = c->due;
        if (!d)
            break;
        c->due = d->next;
        pthread_mutex_unlock(&c->lock);
        nccl_task_work(d->task);
        finish(d->task);
        free(d);
        pthread_mutex_lock(&c->lock);
    }
    pthread_mutex_unlock(&c->lock);
    return NULL;
}

bool nccl_worker_start(struct ncclComm *c)
{
    if (!c->working)
        c->working = !pthread_create(&c->worker, NULL, worker_main, c);
    return c->working;
}

void nccl_worker_end(struct ncclComm *c)
{
    if (!c->working)
        return;
    pthread_mutex_lock(&c->lock);
    c->retired = true;
    pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->lock);
    pthread_join(c->worker, NULL);
    c->working = false;
}

static void take(struct nccl_task *t)
{
    struct ncclComm *c = t->comm;
    struct nccl_due *d = malloc(sizeof *d);
    if (!d) {
        nccl_fail(c, ncclSystemError, "there is no memory");
        finish(t);
        return;
    }
    *d = (struct nccl_due){.task = t};
    pthread_mutex_lock(&c->lock);
    struct nccl_due **end = &c->due;
    while (*end)
        end = &(*end)->next;
    *end = d;
    pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->lock);
}

void nccl_worker_once(void *arg)
{
    take(arg);
}

void nccl_worker_recorded(void *arg)
{
    struct nccl_task *t = arg;
    if (!nccl_task_recorded(t)) {
        __atomic_store_n(t->word, t->value, __ATOMIC_RELEASE);
        return;
    }
    __atomic_store_n(t->word, 0, __ATOMIC_RELEASE);
    take(t);
}

cudaError_t nccl_worker_await(cudaStream_t stream, const uint32_t *word, uint32_t value)
{
    const CUresult r = cuStreamWaitValue32((CUstream)stream, (CUdeviceptr)(uintptr_t)word, value,
                                           CU_STREAM_WAIT_VALUE_GEQ);
    return r == CUDA_SUCCESS ? cudaSuccess : cudaErrorNotSupported;
}
