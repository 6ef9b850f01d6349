/* What has been allocated, by address: a tree that stays balanced by chance (a treap), because
 * allocations come in order and pointers into the middle must be found. */
#include <stdlib.h>
#include "cuda/cuda_int.h"

struct node {
    struct cuda_range range;
    struct node *left, *right;
    uint64_t weight; /* of a parent is the greater */
};

static struct {
    pthread_mutex_t lock;
    struct node *root;
    unsigned long long next_id;
} table = {.lock = PTHREAD_MUTEX_INITIALIZER};

static uint64_t weight_of(uint64_t at)
{
    at ^= at >> 31;
    at *= UINT64_C(0x9e3779b97f4a7c15);
    return at ^ at >> 29;
}

/* Ranges below at go to *low, the others to *high. */
static void split(struct node *n, uint64_t at, struct node **low, struct node **high)
{
    while (n) {
        if (n->range.at < at) {
            *low = n;
            low = &n->right;
            n = n->right;
        } else {
            *high = n;
            high = &n->left;
            n = n->left;
        }
    }
    *low = *high = NULL;
}

static struct node *join(struct node *low, struct node *high)
{
    struct node *root = NULL, **at = &root;
    while (low && high) {
        if (low->weight > high->weight) {
            *at = low;
            at = &low->right;
            low = low->right;
        } else {
            *at = high;
            at = &high->left;
            high = high->left;
        }
    }
    *at = low ? low : high;
    return root;
}

/* Registered memory is the program's own. */
static void record(enum prof_kind kind, const struct cuda_range *r)
{
    static const enum prof_memory which[] = {[CUDA_DEVICE] = PROF_MEM_DEVICE,
                                             [CUDA_HOST] = PROF_MEM_HOST,
                                             [CUDA_MANAGED] = PROF_MEM_MANAGED,
                                             [CUDA_REGISTERED] = PROF_MEM_HOST};
    if (!prof_on() || r->kind == CUDA_REGISTERED)
        return;
    const uint64_t now = prof_now();
    prof_put(&(struct prof_record){
        .kind = (uint8_t)kind,
        .sub = (uint8_t)(r->pool ? PROF_MEM_POOL : which[r->kind]),
        .device = (uint16_t)r->device,
        .thread = prof_thread(),
        .start = now,
        .end = now,
        .call = prof_call_now(),
        .memory = {.bytes = r->size, .address = r->at},
    });
}

/* A checker knows memory by the call that made it. What a pool gives out and takes back is in the
 * order of a stream, not of the calls: for the checker it stays as it is. */
static void tell_check(const struct cuda_range *r, bool live)
{
    static const struct {
        enum check_memory_kind kind;
        const char *call;
    } as[] = {[CUDA_DEVICE] = {CHECK_DEVICE, "cudaMalloc"},
              [CUDA_HOST] = {CHECK_PINNED, "cudaMallocHost"},
              [CUDA_MANAGED] = {CHECK_MANAGED, "cudaMallocManaged"},
              [CUDA_REGISTERED] = {CHECK_REGISTERED, "cudaHostRegister"}};
    struct check *c = cuda_check();
    if (!c || r->flags & CUDA_NOT_OURS)
        return;
    if (r->pool || r->flags & CUDA_OF_GRAPH) {
        check_describe(c, r->at, CHECK_DEVICE, live && r->pool ? "cudaMallocAsync" : CHECK_OURS);
    } else if (r->kind == CUDA_DEVICE || r->kind == CUDA_MANAGED) {
        if (live)
            check_describe(c, r->at, as[r->kind].kind, as[r->kind].call);
    } else if (live) {
        check_tell(c, r->at, r->size, as[r->kind].kind, NULL);
        check_describe(c, r->at, as[r->kind].kind, as[r->kind].call);
    } else {
        check_forget(c, r->at);
    }
}

bool cuda_remember(const struct cuda_range *r)
{
    struct node *n = malloc(sizeof *n);
    if (!n)
        return false;
    tell_check(r, true);
    *n = (struct node){.range = *r, .weight = weight_of(r->at)};
    for (int k = 1; k < 4; k++)
        n->range.advice[k] = cudaInvalidDeviceId;
    pthread_mutex_lock(&table.lock);
    n->range.id = ++table.next_id;
    struct node **at = &table.root;
    while (*at && (*at)->weight >= n->weight)
        at = r->at <= (*at)->range.at ? &(*at)->left : &(*at)->right;
    struct node *below = *at;
    *at = n;
    split(below, r->at, &n->left, &n->right);
    pthread_mutex_unlock(&table.lock);
    record(PROF_ALLOC, r);
    return true;
}

bool cuda_forget(const void *p, struct cuda_range *out)
{
    const uint64_t key = (uint64_t)(uintptr_t)p;
    pthread_mutex_lock(&table.lock);
    struct node **at = &table.root;
    while (*at && (*at)->range.at != key)
        at = key < (*at)->range.at ? &(*at)->left : &(*at)->right;
    struct node *n = *at;
    if (n)
        *at = join(n->left, n->right);
    pthread_mutex_unlock(&table.lock);
    if (n) {
        *out = n->range;
        record(PROF_FREE, out);
        tell_check(out, false);
    }
    free(n);
    return n != NULL;
}

/* The last range that starts at or below key. */
static struct node *at_or_below(uint64_t key)
{
    struct node *best = NULL;
    for (struct node *n = table.root; n;)
        if (n->range.at <= key) {
            best = n;
            n = n->right;
        } else {
            n = n->left;
        }
    return best;
}

bool cuda_find_range(const void *p, uint64_t size, struct cuda_range *out)
{
    const uint64_t key = (uint64_t)(uintptr_t)p;
    pthread_mutex_lock(&table.lock);
    const struct node *best = at_or_below(key);
    bool ok = best && key - best->range.at < best->range.size + !best->range.size &&
              size <= best->range.size - (key - best->range.at);
    if (ok)
        *out = best->range;
    pthread_mutex_unlock(&table.lock);
    return ok;
}

bool cuda_find_memory(const void *p, uint64_t size, struct cuda_range *out)
{
    return cuda_find_range(p, size, out) || cuda_find_variable(p, size, out);
}

/* Of a variable nothing is kept. */
void cuda_advise(const void *p, int attribute, int value)
{
    const uint64_t key = (uint64_t)(uintptr_t)p;
    pthread_mutex_lock(&table.lock);
    struct node *n = at_or_below(key);
    if (n && key - n->range.at < n->range.size)
        n->range.advice[attribute - cudaMemRangeAttributeReadMostly] = value;
    pthread_mutex_unlock(&table.lock);
}

void cuda_range_flag(const void *p, unsigned flag, bool on)
{
    pthread_mutex_lock(&table.lock);
    struct node *n = at_or_below((uint64_t)(uintptr_t)p);
    if (n)
        n->range.flags = on ? n->range.flags | flag : n->range.flags & ~flag;
    pthread_mutex_unlock(&table.lock);
}

void cuda_forget_ranges(int device)
{
    pthread_mutex_lock(&table.lock);
    struct node *rest = table.root, *kept = NULL;
    while (rest) { /* by turning left children up, the tree becomes a list in order */
        if (rest->left) {
            struct node *l = rest->left;
            rest->left = l->right;
            l->right = rest;
            rest = l;
            continue;
        }
        struct node *n = rest;
        rest = n->right;
        n->right = NULL;
        const bool host = n->range.kind == CUDA_HOST || n->range.kind == CUDA_REGISTERED;
        if ((host && !(n->range.flags & CUDA_BY_DRIVER)) || n->range.device != device)
            kept = join(kept, n);
        else
            free(n);
    }
    table.root = kept;
    pthread_mutex_unlock(&table.lock);
}
