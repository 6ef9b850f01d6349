/* MPI's calls with pointers of a device that the host cannot read: each call that takes buffers is
 * made with copies of them in the host's memory. The library stands in front of the system's MPI
 * (`tern mpi` builds it with that MPI's own compiler and preloads it) and calls it by the names
 * that MPI has for this purpose, PMPI_…; buffers of the host go through untouched.
 *
 *   stages     a buffer's copy: what is read is copied before the call, what is written behind it
 *   jobs       the stages of one call
 *   pendings   jobs of requests, found by the handle when the request is completed
 *   calls      are in mpi_calls.h, which is included for counts of each width
 *
 * What has no end that we could see (one-sided calls, windows, reads of files in two halves) is
 * refused. Who knows pointers and copies is the CUDA runtime of the program: it calls tern_mpi_cuda
 * when it starts. */
#include <mpi.h>

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
    int (*device)(const void *p); /* is it memory of a device that the host cannot read? */
    int (*copy)(void *to, const void *from, size_t n); /* 0: done */
} cuda;

void tern_mpi_cuda(int (*device)(const void *), int (*copy)(void *, const void *, size_t));
void tern_mpi_cuda(int (*device)(const void *), int (*copy)(void *, const void *, size_t))
{
    cuda.device = device;
    cuda.copy = copy;
}

/* What programs ask before they hand device pointers over. */
int MPIX_Query_cuda_support(void);
int MPIX_Query_cuda_support(void)
{
    return 1;
}

/* ---- stages ---- */
enum { IN = 1, OUT = 2, BOTH = IN | OUT };

struct stage {
    struct stage *next;
    char *device, *host;
    size_t bytes;
    unsigned way;
};

struct job {
    struct stage *stages;
    int error;
};

/* The bytes from buf + low on: where MPI is to find them, as an address for buf. */
static void *range(struct job *j, const void *buf, MPI_Aint low, MPI_Aint bytes, unsigned way)
{
    char *start = (char *)(uintptr_t)((intptr_t)buf + low);
    if (!cuda.device || j->error || bytes <= 0 || !cuda.device(start))
        return (void *)(uintptr_t)buf;
    struct stage *s = malloc(sizeof *s);
    char *host = s ? malloc((size_t)bytes) : NULL;
    if (!host) {
        free(s);
        j->error = MPI_ERR_NO_MEM;
        return (void *)(uintptr_t)buf;
    }
    *s = (struct stage){j->stages, start, host, (size_t)bytes, way};
    j->stages = s;
    if (way & IN && cuda.copy(host, start, (size_t)bytes))
        j->error = MPI_ERR_BUFFER;
    return (void *)(uintptr_t)((intptr_t)host - low);
}

struct span {
    MPI_Aint low, high, size; /* size: of what is moved, without gaps */
};

static struct span span_of(MPI_Aint at, MPI_Count count, MPI_Datatype type)
{
    MPI_Count lb, extent, true_lb, true_extent, size;
    PMPI_Type_get_extent_x(type, &lb, &extent);
    PMPI_Type_get_true_extent_x(type, &true_lb, &true_extent);
    PMPI_Type_size_x(type, &size);
    const MPI_Count last = (count - 1) * extent;
    return (struct span){at + true_lb + (last < 0 ? last : 0),
                         at + true_lb + true_extent + (last > 0 ? last : 0), size * count};
}

static bool plain(const void *buf, const void *special)
{
    return cuda.device && buf != special;
}

static void *staged(struct job *j, const void *buf, MPI_Count count, MPI_Datatype type,
                    unsigned way)
{
    if (!plain(buf, MPI_IN_PLACE) || count <= 0)
        return (void *)(uintptr_t)buf;
    const struct span s = span_of(0, count, type);
    if (s.size != s.high - s.low)
        way |= IN; /* what lies between the elements stays as it is */
    return range(j, buf, s.low, s.high - s.low, way);
}

/* Parts for n ranks: at displacements in elements (at), or in bytes (bytes_at), of types each;
 * numbers of either width. */
struct parts {
    int n;
    const int *counts, *at, *bytes_at;
    const MPI_Count *large_counts;
    const MPI_Aint *large_at, *large_bytes_at;
    MPI_Datatype type;
    const MPI_Datatype *types;
};

static MPI_Count count_at(const struct parts *p, int k)
{
    return p->large_counts ? p->large_counts[k] : p->counts[k];
}

static MPI_Aint place_of(const struct parts *p, int k, MPI_Aint extent)
{
    return p->at         ? p->at[k] * extent
           : p->large_at ? p->large_at[k] * extent
           : p->bytes_at ? p->bytes_at[k]
                         : p->large_bytes_at[k];
}

static void *parted(struct job *j, const void *buf, const struct parts *p, unsigned way)
{
    struct span all = {0, 0, 0};
    MPI_Aint lb = 0, extent = 0;
    bool any = false;
    if (!plain(buf, MPI_IN_PLACE))
        return (void *)(uintptr_t)buf;
    if (!p->types)
        PMPI_Type_get_extent(p->type, &lb, &extent);
    for (int k = 0; k < p->n; k++) {
        if (count_at(p, k) <= 0)
            continue;
        const struct span s =
            span_of(place_of(p, k, extent), count_at(p, k), p->types ? p->types[k] : p->type);
        all.low = !any || s.low < all.low ? s.low : all.low;
        all.high = !any || s.high > all.high ? s.high : all.high;
        any = true;
    }
    return range(j, buf, all.low, all.high - all.low, way | IN);
}

static int stages_back(struct stage *s)
{
    int error = 0;
    for (; s; s = s->next)
        if (s->way & OUT && cuda.copy(s->device, s->host, s->bytes))
            error = MPI_ERR_BUFFER;
    return error;
}

static void stages_free(struct stage *s)
{
    while (s) {
        struct stage *next = s->next;
        free(s->host);
        free(s);
        s = next;
    }
}

/* The end of a call that blocks; code is MPI's. */
static int ended(struct job *j, int code)
{
    const int error = code == MPI_SUCCESS ? stages_back(j->stages) : 0;
    stages_free(j->stages);
    return error ? error : code;
}

static int tell(MPI_Comm comm, int code)
{
    PMPI_Comm_call_errhandler(comm, code);
    return code;
}

/* ---- requests ---- */
struct pending {
    struct pending *next;
    MPI_Request request;
    struct stage *stages;
    bool persistent, active;
};
enum { BUCKETS = 256 };
static struct {
    pthread_mutex_t lock;
    struct pending *buckets[BUCKETS];
    struct stage *orphans; /* of requests that were freed: MPI may still read them */
} table = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct pending **bucket(MPI_Request r)
{
    uint64_t key = 0;
    memcpy(&key, &r, sizeof r < sizeof key ? sizeof r : sizeof key);
    return &table.buckets[(key * 0x9e3779b97f4a7c15u) >> 56];
}

static void put(struct pending *p)
{
    pthread_mutex_lock(&table.lock);
    struct pending **b = bucket(p->request);
    p->next = *b;
    *b = p;
    pthread_mutex_unlock(&table.lock);
}

/* Out of the table, before MPI may give the handle to somebody else. */
static struct pending *take(MPI_Request r)
{
    struct pending *found = NULL;
    if (!cuda.device)
        return NULL;
    pthread_mutex_lock(&table.lock);
    for (struct pending **p = bucket(r); *p; p = &(*p)->next)
        if ((*p)->request == r) {
            found = *p;
            *p = found->next;
            break;
        }
    pthread_mutex_unlock(&table.lock);
    return found;
}

static int completed(struct pending *p)
{
    const int error = p->active ? stages_back(p->stages) : 0;
    p->active = false;
    if (p->persistent) {
        put(p);
        return error;
    }
    stages_free(p->stages);
    free(p);
    return error;
}

/* The end of a call that made a request. */
static int begun(struct job *j, int code, MPI_Request *request, bool persistent)
{
    if (code != MPI_SUCCESS || !j->stages) {
        stages_free(j->stages);
        return code;
    }
    struct pending *p = malloc(sizeof *p);
    if (!p) { /* what is under way cannot be called back */
        fputs("tern: no memory for a request of MPI's\n", stderr);
        abort();
    }
    *p = (struct pending){NULL, *request, j->stages, persistent, !persistent};
    put(p);
    return code;
}

static struct pending **take_all(int n, const MPI_Request *r, struct pending **few, int room)
{
    struct pending **all = n <= room ? few : malloc((size_t)n * sizeof *all);
    if (!all) {
        fputs("tern: no memory for requests of MPI's\n", stderr);
        abort();
    }
    for (int k = 0; k < n; k++)
        all[k] = r[k] == MPI_REQUEST_NULL ? NULL : take(r[k]);
    return all;
}

static int give_all(int n, struct pending **all, struct pending **few, int error)
{
    for (int k = 0; k < n; k++)
        if (all[k])
            put(all[k]);
    if (all != few)
        free(all);
    return error;
}

/* Completes the one at `at`, if it is ours. */
static int complete_at(struct pending **all, int at, int error)
{
    struct pending *p = at == MPI_UNDEFINED ? NULL : all[at];
    if (!p)
        return error;
    all[at] = NULL;
    const int own = completed(p);
    return error ? error : own;
}

/* With an error, some may still be under way: their handles stay. */
static int complete_most(int n, struct pending **all, const MPI_Request *now, int code)
{
    int error = code;
    for (int k = 0; k < n; k++)
        if (all[k] && (code == MPI_SUCCESS || all[k]->persistent || now[k] == MPI_REQUEST_NULL))
            error = complete_at(all, k, error);
    return error;
}

int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
    struct pending *p = take(*request);
    const int code = PMPI_Wait(request, status);
    const int own = p ? completed(p) : 0;
    return code ? code : own;
}

int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
    struct pending *p = take(*request);
    int own = 0;
    const int code = PMPI_Test(request, flag, status);
    if (p && code == MPI_SUCCESS && !*flag)
        put(p);
    else if (p)
        own = completed(p);
    return code ? code : own;
}

int MPI_Request_get_status(MPI_Request request, int *flag, MPI_Status *status)
{
    struct pending *p = take(request);
    int code = PMPI_Request_get_status(request, flag, status);
    if (!p)
        return code;
    if (code == MPI_SUCCESS && *flag && p->active)
        code = stages_back(p->stages);
    put(p);
    return code;
}

enum { FEW = 16 };

int MPI_Waitall(int n, MPI_Request requests[], MPI_Status statuses[])
{
    struct pending *few[FEW], **all = take_all(n, requests, few, FEW);
    const int code = PMPI_Waitall(n, requests, statuses);
    return give_all(n, all, few, complete_most(n, all, requests, code));
}

int MPI_Testall(int n, MPI_Request requests[], int *flag, MPI_Status statuses[])
{
    struct pending *few[FEW], **all = take_all(n, requests, few, FEW);
    int code = PMPI_Testall(n, requests, flag, statuses);
    if (*flag || code != MPI_SUCCESS)
        code = complete_most(n, all, requests, code);
    return give_all(n, all, few, code);
}

int MPI_Waitany(int n, MPI_Request requests[], int *index, MPI_Status *status)
{
    struct pending *few[FEW], **all = take_all(n, requests, few, FEW);
    const int code = PMPI_Waitany(n, requests, index, status);
    return give_all(n, all, few, complete_at(all, *index, code));
}

int MPI_Testany(int n, MPI_Request requests[], int *index, int *flag, MPI_Status *status)
{
    struct pending *few[FEW], **all = take_all(n, requests, few, FEW);
    int code = PMPI_Testany(n, requests, index, flag, status);
    if (*flag)
        code = complete_at(all, *index, code);
    return give_all(n, all, few, code);
}

static int complete_some(struct pending **all, int count, const int indices[], int code)
{
    for (int k = 0; count != MPI_UNDEFINED && k < count; k++)
        code = complete_at(all, indices[k], code);
    return code;
}

int MPI_Waitsome(int n, MPI_Request requests[], int *count, int indices[], MPI_Status statuses[])
{
    struct pending *few[FEW], **all = take_all(n, requests, few, FEW);
    const int code = PMPI_Waitsome(n, requests, count, indices, statuses);
    return give_all(n, all, few, complete_some(all, *count, indices, code));
}

int MPI_Testsome(int n, MPI_Request requests[], int *count, int indices[], MPI_Status statuses[])
{
    struct pending *few[FEW], **all = take_all(n, requests, few, FEW);
    const int code = PMPI_Testsome(n, requests, count, indices, statuses);
    return give_all(n, all, few, complete_some(all, *count, indices, code));
}

static int copy_in(MPI_Request r)
{
    struct pending *p = take(r);
    int error = 0;
    if (!p)
        return 0;
    for (struct stage *s = p->stages; s; s = s->next)
        if (s->way & IN && cuda.copy(s->host, s->device, s->bytes))
            error = MPI_ERR_BUFFER;
    p->active = true;
    put(p);
    return error;
}

int MPI_Start(MPI_Request *request)
{
    const int error = copy_in(*request);
    return error ? tell(MPI_COMM_WORLD, error) : PMPI_Start(request);
}

int MPI_Startall(int n, MPI_Request requests[])
{
    for (int k = 0; k < n; k++) {
        const int error = copy_in(requests[k]);
        if (error)
            return tell(MPI_COMM_WORLD, error);
    }
    return PMPI_Startall(n, requests);
}

static int refused(const char *call, const char *why)
{
    fprintf(stderr, "tern: %s: %s\n", call, why);
    return MPI_ERR_BUFFER;
}

int MPI_Request_free(MPI_Request *request)
{
    struct pending *p = take(*request);
    struct stage *last = p ? p->stages : NULL;
    if (p && p->active) {
        for (struct stage *s = p->stages; s; s = s->next)
            if (s->way & OUT) {
                put(p);
                return tell(MPI_COMM_WORLD,
                            refused("MPI_Request_free", "what is received into memory of a "
                                                        "device needs a wait"));
            }
        while (last->next)
            last = last->next;
        pthread_mutex_lock(&table.lock);
        last->next = table.orphans;
        table.orphans = p->stages;
        pthread_mutex_unlock(&table.lock);
        p->stages = NULL;
    }
    if (p)
        stages_free(p->stages);
    free(p);
    return PMPI_Request_free(request);
}

int MPI_Finalize(void)
{
    const int code = PMPI_Finalize();
    stages_free(table.orphans);
    table.orphans = NULL;
    return code;
}

/* ---- what the calls have in common ---- */
/* A call that blocks: `stage` sets pointers up in j, `call` is MPI's. */
#define BLOCKING(comm, stage, call)                                                                \
    struct job j = {0};                                                                            \
    stage;                                                                                         \
    if (j.error) {                                                                                 \
        stages_free(j.stages);                                                                     \
        return tell(comm, j.error);                                                                \
    }                                                                                              \
    return ended(&j, call)
/* One that leaves a request behind. */
#define STARTING(comm, persistent, stage, call)                                                    \
    struct job j = {0};                                                                            \
    stage;                                                                                         \
    if (j.error) {                                                                                 \
        stages_free(j.stages);                                                                     \
        return tell(comm, j.error);                                                                \
    }                                                                                              \
    return begun(&j, call, request, persistent)

/* an MPI_Count, since it is multiplied by counts */
static MPI_Count others(MPI_Comm comm) /* ranks that parts come from or go to */
{
    int inter = 0, n = 0;
    if (!cuda.device)
        return 0;
    PMPI_Comm_test_inter(comm, &inter);
    if (inter)
        PMPI_Comm_remote_size(comm, &n);
    else
        PMPI_Comm_size(comm, &n);
    return n;
}

/* Only the root's buffer of all parts counts: that of others may be anything, and so may its type.
 */
static bool at_root(int root, MPI_Comm comm)
{
    int inter = 0, rank = -1;
    if (!cuda.device)
        return false;
    PMPI_Comm_test_inter(comm, &inter);
    PMPI_Comm_rank(comm, &rank);
    return inter ? root == MPI_ROOT : root == rank;
}

/* Whether the rank has a part of its own: between two groups, those of the root's have none. */
static bool sends(int root, MPI_Comm comm)
{
    int inter = 0;
    if (!cuda.device)
        return false;
    PMPI_Comm_test_inter(comm, &inter);
    return !inter || (root != MPI_ROOT && root != MPI_PROC_NULL);
}

static MPI_Count total(const struct parts *p, MPI_Comm comm)
{
    MPI_Count all = 0;
    int n = 0;
    if (cuda.device)
        PMPI_Comm_size(comm, &n);
    for (int k = 0; k < n; k++)
        all += count_at(p, k);
    return all;
}

static MPI_Count own(const struct parts *p, MPI_Comm comm)
{
    int rank = 0;
    if (cuda.device)
        PMPI_Comm_rank(comm, &rank);
    return count_at(p, rank);
}

static MPI_Count neighbours(MPI_Comm comm, bool sources)
{
    int kind = MPI_UNDEFINED, rank, n = 0, out = 0, weighted;
    if (!cuda.device)
        return 0;
    PMPI_Topo_test(comm, &kind);
    PMPI_Comm_rank(comm, &rank);
    if (kind == MPI_CART) {
        PMPI_Cartdim_get(comm, &n);
        return 2 * n;
    }
    if (kind == MPI_GRAPH)
        PMPI_Graph_neighbors_count(comm, rank, &n);
    else if (kind == MPI_DIST_GRAPH)
        PMPI_Dist_graph_neighbors_count(comm, &n, &out, &weighted);
    return kind == MPI_DIST_GRAPH && !sources ? out : n;
}
static int ended_file(struct job *j, MPI_File f, int code)
{
    if (j->error)
        PMPI_File_call_errhandler(f, j->error);
    return ended(j, code);
}
static bool far(const char *call, const void *p)
{
    if (!cuda.device || !cuda.device(p))
        return false;
    refused(call,
            "one-sided calls cannot reach the memory of a device; copy it to the host's first");
    return true;
}
static int far_window(MPI_Win w)
{
    PMPI_Win_call_errhandler(w, MPI_ERR_BUFFER);
    return MPI_ERR_BUFFER;
}

#define UNPACK(...)     __VA_ARGS__
#define COUNTS_OF(list) (&(const struct parts){COUNTS = (list)})

#define CALL(name)  MPI_##name
#define PCALL(name) PMPI_##name
#define COUNT       int
#define PLACE       int
#define FAR_COUNT   MPI_Aint
#define COUNTS      .counts
#define PLACES      .at
#define BYTE_PLACES .bytes_at
#include "mpi_calls.h"

#if MPI_VERSION >= 4
#undef CALL
#undef PCALL
#undef COUNT
#undef PLACE
#undef FAR_COUNT
#undef COUNTS
#undef PLACES
#undef BYTE_PLACES
#define CALL(name)  MPI_##name##_c
#define PCALL(name) PMPI_##name##_c
#define COUNT       MPI_Count
#define PLACE       MPI_Aint
#define FAR_COUNT   MPI_Count
#define COUNTS      .large_counts
#define PLACES      .large_at
#define BYTE_PLACES .large_bytes_at
#include "mpi_calls.h"

/* ---- messages in parts: each is ready when the program says so, which a copy of all cannot follow
 * ---- */
static int parts_refused(const char *call, const void *buf, MPI_Comm comm)
{
    if (!cuda.device || !cuda.device(buf))
        return MPI_SUCCESS;
    return tell(comm, refused(call, "partitioned messages cannot be in memory of a device"));
}

int MPI_Psend_init(const void *buf, int parts, MPI_Count count, MPI_Datatype type, int dest,
                   int tag, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
    const int e = parts_refused("MPI_Psend_init", buf, comm);
    return e ? e : PMPI_Psend_init(buf, parts, count, type, dest, tag, comm, info, request);
}

int MPI_Precv_init(void *buf, int parts, MPI_Count count, MPI_Datatype type, int source, int tag,
                   MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
    const int e = parts_refused("MPI_Precv_init", buf, comm);
    return e ? e : PMPI_Precv_init(buf, parts, count, type, source, tag, comm, info, request);
}
#endif

/* ---- one-sided calls without counts ---- */
int MPI_Fetch_and_op(const void *from, void *result, MPI_Datatype type, int rank, MPI_Aint at,
                     MPI_Op op, MPI_Win win)
{
    if (far("MPI_Fetch_and_op", from) || far("MPI_Fetch_and_op", result))
        return far_window(win);
    return PMPI_Fetch_and_op(from, result, type, rank, at, op, win);
}

int MPI_Compare_and_swap(const void *from, const void *compare, void *result, MPI_Datatype type,
                         int rank, MPI_Aint at, MPI_Win win)
{
    if (far("MPI_Compare_and_swap", from) || far("MPI_Compare_and_swap", compare) ||
        far("MPI_Compare_and_swap", result))
        return far_window(win);
    return PMPI_Compare_and_swap(from, compare, result, type, rank, at, win);
}

int MPI_Win_attach(MPI_Win win, void *base, MPI_Aint size)
{
    return far("MPI_Win_attach", base) ? far_window(win) : PMPI_Win_attach(win, base, size);
}
