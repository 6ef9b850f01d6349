// Every call of MPI's that takes buffers, twice: with memory of the host, as MPI has it, and with memory of the device.
// What lies in the buffers afterwards, whole, must be the same. Under `tern mpi` on devices whose memory the host cannot
// read; without it on those that share the host's. `calls FILE guarded`: with addresses that nobody can read, as those of
// a GPU, where other devices' may be the host's all the same. Ends with "ok".
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <vector>
#include <cuda_runtime.h>
#include <dlfcn.h>
#include <mpi.h>
#include <sys/mman.h>

enum { BYTES = 1 << 16, ROOM = 2 * BYTES };
static int rank, n, errors, calls;
using Call = std::function<void(int *a, int *b)>;

// Memory that faults where it is touched; what it holds lies in `behind`. The library in front of MPI is told of it in
// place of the runtime's.
static char *fence;
static std::vector<char> behind(ROOM);
static const char *real_address(const void *p)
{
    const char *c = (const char *)p;
    return fence && c >= fence && c < fence + ROOM ? behind.data() + (c - fence) : c;
}
static int fenced(const void *p)
{
    return real_address(p) != p;
}
static int copy(void *to, const void *from, size_t bytes)
{
    if (!fence)
        return cudaMemcpy(to, from, bytes, cudaMemcpyDefault) != cudaSuccess;
    memmove((char *)real_address(to), real_address(from), bytes);
    return 0;
}
static bool put_up_fence()
{
    using Tell = void(int (*)(const void *), int (*)(void *, const void *, size_t));
    Tell *tell = (Tell *)dlsym(RTLD_DEFAULT, "tern_mpi_cuda");
    void *p = mmap(NULL, ROOM, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (!tell || p == MAP_FAILED)
        return false;
    fence = (char *)p;
    tell(fenced, copy);
    return true;
}
static int *allocate()
{
    int *device = (int *)fence;
    return fence || cudaMalloc(&device, ROOM) == cudaSuccess ? device : NULL;
}
static void release(int *device)
{
    if (!fence)
        cudaFree(device);
}

static void start(std::vector<int> &v)
{
    v.resize(ROOM / sizeof(int));
    for (size_t k = 0; k < v.size(); k++)
        v[k] = (int)(rank * 100003 + k * 7);
}

static void check(const char *what, const Call &call)
{
    std::vector<int> host, back(ROOM / sizeof(int));
    int *device = allocate();
    start(host);
    calls++;
    if (!device || copy(device, host.data(), ROOM)) {
        errors++;
        return;
    }
    call(host.data(), host.data() + BYTES / sizeof(int));
    call(device, device + BYTES / sizeof(int));
    copy(back.data(), device, ROOM);
    for (size_t k = 0; k < back.size(); k++)
        if (back[k] != host[k]) {
            if (errors++ < 5)
                printf("rank %d: %s: word %zu is %d, not %d\n", rank, what, k, back[k], host[k]);
            break;
        }
    release(device);
}

static void messages(MPI_Comm c)
{
    const int right = (rank + 1) % n, left = (rank + n - 1) % n;
    const auto wait = [](MPI_Request r) { MPI_Wait(&r, MPI_STATUS_IGNORE); };
    MPI_Request r[2];
    MPI_Datatype gaps;
    MPI_Type_vector(40, 3, 5, MPI_INT, &gaps);
    MPI_Type_commit(&gaps);
#define PAIR(receive, give)                                                                                           \
    check(#give, [&](int *a, int *b) {                                                                                \
        receive;                                                                                                      \
        give;                                                                                                         \
        MPI_Waitall(2, r, MPI_STATUSES_IGNORE);                                                                       \
    })
    PAIR(MPI_Irecv(b, 900, MPI_INT, left, 1, c, &r[0]), MPI_Isend(a, 700, MPI_INT, right, 1, c, &r[1]));
    PAIR(MPI_Irecv(b, 700, MPI_INT, left, 1, c, &r[0]), MPI_Issend(a, 700, MPI_INT, right, 1, c, &r[1]));
    PAIR(MPI_Irecv(b + 3, 2, gaps, left, 1, c, &r[0]), MPI_Isend(a, 2, gaps, right, 1, c, &r[1]));
    const auto plain = [&](const char *what, int (*give)(const void *, int, MPI_Datatype, int, int, MPI_Comm)) {
        check(what, [&](int *a, int *b) {
            MPI_Irecv(b, 500, MPI_INT, left, 2, c, &r[0]);
            MPI_Barrier(c);
            give(a, 500, MPI_INT, right, 2, c);
            wait(r[0]);
        });
    };
    std::vector<char> attached(1 << 16);
    MPI_Buffer_attach(attached.data(), (int)attached.size());
    plain("MPI_Send", MPI_Send);
    plain("MPI_Ssend", MPI_Ssend);
    plain("MPI_Rsend", MPI_Rsend);
    plain("MPI_Bsend", MPI_Bsend);
    check("MPI_Recv", [&](int *a, int *b) {
        MPI_Isend(a, 300, MPI_INT, right, 3, c, &r[0]);
        MPI_Recv(b, 400, MPI_INT, left, 3, c, MPI_STATUS_IGNORE);
        wait(r[0]);
    });
    check("MPI_Sendrecv", [&](int *a, int *b) {
        MPI_Sendrecv(a, 1, gaps, right, 4, b, 1, gaps, left, 4, c, MPI_STATUS_IGNORE);
    });
    check("MPI_Sendrecv_replace", [&](int *a, int *) {
        MPI_Sendrecv_replace(a, 333, MPI_INT, right, 5, left, 5, c, MPI_STATUS_IGNORE);
    });
    check("MPI_Mrecv", [&](int *a, int *b) {
        MPI_Message m;
        MPI_Isend(a, 300, MPI_INT, right, 6, c, &r[0]);
        MPI_Mprobe(left, 6, c, &m, MPI_STATUS_IGNORE);
        MPI_Mrecv(b, 300, MPI_INT, &m, MPI_STATUS_IGNORE);
        wait(r[0]);
    });
    check("MPI_Imrecv", [&](int *a, int *b) {
        MPI_Message m;
        MPI_Isend(a, 300, MPI_INT, right, 6, c, &r[0]);
        MPI_Mprobe(left, 6, c, &m, MPI_STATUS_IGNORE);
        MPI_Imrecv(b, 300, MPI_INT, &m, &r[1]);
        MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    });
    check("persistent", [&](int *a, int *b) {
        MPI_Recv_init(b, 200, MPI_INT, left, 7, c, &r[0]);
        MPI_Send_init(a, 200, MPI_INT, right, 7, c, &r[1]);
        for (int k = 0; k < 3; k++) {
            MPI_Startall(2, r);
            MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
            copy(a, b + k, 100 * sizeof(int)); // the next message differs
        }
        wait(r[0]); // inactive: nothing may be written again
        MPI_Start(&r[0]);
        MPI_Start(&r[1]);
        wait(r[1]);
        wait(r[0]);
        MPI_Request_free(&r[0]);
        MPI_Request_free(&r[1]);
    });
    // The ways to find out that a request is done.
    const auto way = [&](const char *what, const std::function<void()> &complete) {
        check(what, [&](int *a, int *b) {
            MPI_Irecv(b, 100, MPI_INT, left, 8, c, &r[0]);
            MPI_Isend(a, 100, MPI_INT, right, 8, c, &r[1]);
            complete();
        });
    };
    int flag, index, count, indices[2];
    way("MPI_Test", [&] {
        for (int k = 0; k < 2; k++)
            for (flag = 0; !flag;)
                MPI_Test(&r[k], &flag, MPI_STATUS_IGNORE);
    });
    way("MPI_Waitany", [&] {
        MPI_Waitany(2, r, &index, MPI_STATUS_IGNORE);
        MPI_Waitany(2, r, &index, MPI_STATUS_IGNORE);
    });
    way("MPI_Testany", [&] {
        for (int k = 0; k < 2; k++)
            for (flag = 0; !flag;)
                MPI_Testany(2, r, &index, &flag, MPI_STATUS_IGNORE);
    });
    way("MPI_Waitsome", [&] {
        for (int k = 0; k < 2; k += count)
            MPI_Waitsome(2, r, &count, indices, MPI_STATUSES_IGNORE);
    });
    way("MPI_Testsome", [&] {
        for (int k = 0; k < 2; k += count)
            MPI_Testsome(2, r, &count, indices, MPI_STATUSES_IGNORE);
    });
    way("MPI_Testall", [&] {
        for (flag = 0; !flag;)
            MPI_Testall(2, r, &flag, MPI_STATUSES_IGNORE);
    });
    way("MPI_Request_get_status", [&] {
        for (flag = 0; !flag;)
            MPI_Request_get_status(r[0], &flag, MPI_STATUS_IGNORE);
        MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    });
    int size;
    void *buffer;
    MPI_Buffer_detach(&buffer, &size);
    MPI_Type_free(&gaps);
}

// A collective, the same that does not block, and MPI 4's that is started later: once, since some of MPICH 4.0's fail
// when they are started again, with memory of the host, too. The suffix is none or _c.
#if MPI_VERSION >= 4
#define LATER(name, suffix, ...)                                                                                      \
    check("MPI_" #name "_init" #suffix, [&](int *a, int *b) {                                                         \
        MPI_Request r;                                                                                                \
        (void)a;                                                                                                      \
        MPI_##name##_init##suffix(__VA_ARGS__, c, MPI_INFO_NULL, &r);                                                 \
        MPI_Start(&r);                                                                                                \
        MPI_Wait(&r, MPI_STATUS_IGNORE);                                                                              \
        MPI_Request_free(&r);                                                                                         \
    })
#else
#define LATER(name, suffix, ...) ((void)0)
#endif
#define ALL(name, small, suffix, ...)                                                                                 \
    check("MPI_" #name #suffix, [&](int *a, int *b) {                                                                 \
        (void)a;                                                                                                      \
        MPI_##name##suffix(__VA_ARGS__, c);                                                                           \
    });                                                                                                               \
    check("MPI_I" #small #suffix, [&](int *a, int *b) {                                                               \
        MPI_Request r;                                                                                                \
        (void)a;                                                                                                      \
        MPI_I##small##suffix(__VA_ARGS__, c, &r);                                                                     \
        MPI_Wait(&r, MPI_STATUS_IGNORE);                                                                              \
    });                                                                                                               \
    LATER(name, suffix, __VA_ARGS__)
#define BOTH(name, small, ...) ALL(name, small, , __VA_ARGS__)

static void collectives(MPI_Comm c)
{
    std::vector<int> counts(n), at(n), bytes(n);
    std::vector<MPI_Datatype> types(n, MPI_INT);
    for (int k = 0; k < n; k++) {
        counts[k] = 10 + k;
        at[k] = 40 * k + 3;
        bytes[k] = at[k] * 4;
    }
    BOTH(Bcast, bcast, b, 300, MPI_INT, n - 1);
    BOTH(Allreduce, allreduce, a, b, 300, MPI_INT, MPI_SUM);
    BOTH(Allreduce, allreduce, MPI_IN_PLACE, b, 300, MPI_INT, MPI_MAX);
    BOTH(Reduce, reduce, a, b, 300, MPI_INT, MPI_SUM, 1 % n);
    BOTH(Scan, scan, a, b, 300, MPI_INT, MPI_SUM);
    BOTH(Exscan, exscan, a, b, 300, MPI_INT, MPI_SUM);
    BOTH(Reduce_scatter, reduce_scatter, a, b, counts.data(), MPI_INT, MPI_SUM);
    BOTH(Reduce_scatter, reduce_scatter, MPI_IN_PLACE, b, counts.data(), MPI_INT, MPI_SUM);
    BOTH(Reduce_scatter_block, reduce_scatter_block, a, b, 50, MPI_INT, MPI_SUM);
    BOTH(Allgather, allgather, a, 50, MPI_INT, b, 50, MPI_INT);
    BOTH(Allgather, allgather, MPI_IN_PLACE, 0, MPI_INT, b, 50, MPI_INT);
    BOTH(Allgatherv, allgatherv, a, counts[rank], MPI_INT, b, counts.data(), at.data(), MPI_INT);
    BOTH(Alltoall, alltoall, a, 30, MPI_INT, b, 30, MPI_INT);
    BOTH(Alltoall, alltoall, MPI_IN_PLACE, 0, MPI_INT, b, 30, MPI_INT);
    std::vector<int> ten(n, 10);
    BOTH(Alltoallv, alltoallv, a, ten.data(), at.data(), MPI_INT, b, ten.data(), at.data(), MPI_INT);
    BOTH(Alltoallw, alltoallw, a, ten.data(), bytes.data(), types.data(), b, ten.data(), bytes.data(), types.data());
    BOTH(Gather, gather, a, 50, MPI_INT, rank == 0 ? b : NULL, 50, MPI_INT, 0);
    BOTH(Gatherv, gatherv, a, counts[rank], MPI_INT, b, counts.data(), at.data(), MPI_INT, 0);
    BOTH(Scatter, scatter, a, 50, MPI_INT, b, 50, MPI_INT, n - 1);
    BOTH(Scatterv, scatterv, a, counts.data(), at.data(), MPI_INT, b, counts[rank], MPI_INT, 0);
    check("in place at the root", [&](int *a, int *b) {
        if (rank == 0)
            MPI_Gather(MPI_IN_PLACE, 0, MPI_INT, b, 50, MPI_INT, 0, c);
        else
            MPI_Gather(a, 50, MPI_INT, NULL, 0, MPI_INT, 0, c);
        if (rank == 0)
            MPI_Reduce(MPI_IN_PLACE, b, 50, MPI_INT, MPI_SUM, 0, c);
        else
            MPI_Reduce(a, NULL, 50, MPI_INT, MPI_SUM, 0, c);
    });
    check("MPI_Reduce_local", [&](int *a, int *b) { MPI_Reduce_local(a, b, 99, MPI_INT, MPI_SUM); });
    check("MPI_Pack", [&](int *a, int *b) {
        int place = 12;
        MPI_Pack(a, 99, MPI_INT, b, 1000, &place, c);
    });
    check("MPI_Unpack", [&](int *a, int *b) {
        int place = 12;
        MPI_Unpack(a, 1000, &place, b, 99, MPI_INT, c);
    });
}

static void neighbours()
{
    MPI_Comm c;
    const int sizes[1] = {n}, periods[1] = {0};
    MPI_Cart_create(MPI_COMM_WORLD, 1, sizes, periods, 0, &c);
    const int counts[2] = {20, 30}, at[2] = {50, 0}, same[2] = {20, 20};
    const MPI_Aint bytes[2] = {0, 400};
    const MPI_Datatype types[2] = {MPI_INT, MPI_INT};
    (void)counts;
    BOTH(Neighbor_allgather, neighbor_allgather, a, 20, MPI_INT, b, 20, MPI_INT);
    BOTH(Neighbor_allgatherv, neighbor_allgatherv, a, 20, MPI_INT, b, same, at, MPI_INT);
    BOTH(Neighbor_alltoall, neighbor_alltoall, a, 20, MPI_INT, b, 20, MPI_INT);
    BOTH(Neighbor_alltoallv, neighbor_alltoallv, a, same, at, MPI_INT, b, same, at, MPI_INT);
    BOTH(Neighbor_alltoallw, neighbor_alltoallw, a, same, bytes, types, b, same, bytes, types);
    MPI_Comm_free(&c);
}

static void files(const char *name)
{
    MPI_File f;
    MPI_Request r;
    if (MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                      &f) != MPI_SUCCESS) {
        errors++;
        return;
    }
    check("files", [&](int *a, int *b) {
        MPI_File_write_at_all(f, rank * 4000, a, 1000, MPI_INT, MPI_STATUS_IGNORE);
        MPI_File_read_at_all(f, (rank + 1) % n * 4000, b, 1000, MPI_INT, MPI_STATUS_IGNORE);
        MPI_File_iwrite_at(f, rank * 4000, b, 500, MPI_INT, &r);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_File_iread_at(f, rank * 4000, a + 7, 1000, MPI_INT, &r);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
        MPI_Barrier(MPI_COMM_WORLD);
    });
    MPI_File_close(&f);
}

#if MPI_VERSION >= 4
#define LARGE(name, small, ...) ALL(name, small, _c, __VA_ARGS__)
static void large_collectives(MPI_Comm c)
{
    std::vector<MPI_Count> counts(n), ten(n, 10);
    std::vector<MPI_Aint> at(n), bytes(n);
    std::vector<MPI_Datatype> types(n, MPI_INT);
    for (int k = 0; k < n; k++) {
        counts[k] = 10 + k;
        at[k] = 40 * k + 3;
        bytes[k] = at[k] * 4;
    }
    LARGE(Bcast, bcast, b, 300, MPI_INT, n - 1);
    LARGE(Allreduce, allreduce, a, b, 300, MPI_INT, MPI_SUM);
    LARGE(Allreduce, allreduce, MPI_IN_PLACE, b, 300, MPI_INT, MPI_MAX);
    LARGE(Reduce, reduce, a, b, 300, MPI_INT, MPI_SUM, 1 % n);
    LARGE(Scan, scan, a, b, 300, MPI_INT, MPI_SUM);
    LARGE(Exscan, exscan, a, b, 300, MPI_INT, MPI_SUM);
    LARGE(Reduce_scatter, reduce_scatter, a, b, counts.data(), MPI_INT, MPI_SUM);
    LARGE(Reduce_scatter_block, reduce_scatter_block, a, b, 50, MPI_INT, MPI_SUM);
    LARGE(Allgather, allgather, a, 50, MPI_INT, b, 50, MPI_INT);
    LARGE(Allgatherv, allgatherv, a, counts[rank], MPI_INT, b, counts.data(), at.data(), MPI_INT);
    LARGE(Alltoall, alltoall, a, 30, MPI_INT, b, 30, MPI_INT);
    LARGE(Alltoallv, alltoallv, a, ten.data(), at.data(), MPI_INT, b, ten.data(), at.data(), MPI_INT);
    LARGE(Alltoallw, alltoallw, a, ten.data(), bytes.data(), types.data(), b, ten.data(), bytes.data(), types.data());
    LARGE(Gather, gather, a, 50, MPI_INT, rank == 0 ? b : NULL, 50, MPI_INT, 0);
    LARGE(Gatherv, gatherv, a, counts[rank], MPI_INT, b, counts.data(), at.data(), MPI_INT, 0);
    LARGE(Scatter, scatter, a, 50, MPI_INT, b, 50, MPI_INT, n - 1);
    LARGE(Scatterv, scatterv, a, counts.data(), at.data(), MPI_INT, b, counts[rank], MPI_INT, 0);
    check("MPI_Reduce_local_c", [&](int *a, int *b) { MPI_Reduce_local_c(a, b, 99, MPI_INT, MPI_SUM); });
    check("MPI_Pack_c", [&](int *a, int *b) {
        MPI_Count place = 12;
        MPI_Pack_c(a, 99, MPI_INT, b, 1000, &place, c);
        MPI_Unpack_c(b, 1000, &(place = 12), a + 300, 99, MPI_INT, c);
    });
}

static void large_messages(MPI_Comm c)
{
    const int right = (rank + 1) % n, left = (rank + n - 1) % n;
    MPI_Request r[2];
    check("MPI_Isend_c", [&](int *a, int *b) {
        MPI_Irecv_c(b, 900, MPI_INT, left, 1, c, &r[0]);
        MPI_Isend_c(a, 700, MPI_INT, right, 1, c, &r[1]);
        MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    });
    check("MPI_Send_c", [&](int *a, int *b) {
        MPI_Irecv_c(b, 900, MPI_INT, left, 1, c, &r[0]);
        MPI_Send_c(a, 700, MPI_INT, right, 1, c);
        MPI_Wait(r, MPI_STATUS_IGNORE);
    });
    check("MPI_Recv_c", [&](int *a, int *b) {
        MPI_Isend_c(a, 700, MPI_INT, right, 1, c, &r[0]);
        MPI_Recv_c(b, 900, MPI_INT, left, 1, c, MPI_STATUS_IGNORE);
        MPI_Wait(r, MPI_STATUS_IGNORE);
    });
    check("MPI_Sendrecv_c", [&](int *a, int *b) {
        MPI_Sendrecv_c(a, 30, MPI_INT, right, 4, b, 30, MPI_INT, left, 4, c, MPI_STATUS_IGNORE);
    });
    check("MPI_Isendrecv", [&](int *a, int *b) {
        MPI_Isendrecv(a, 30, MPI_INT, right, 4, b, 30, MPI_INT, left, 4, c, r);
        MPI_Wait(r, MPI_STATUS_IGNORE);
        MPI_Isendrecv_c(b, 30, MPI_INT, right, 4, a + 50, 30, MPI_INT, left, 4, c, r);
        MPI_Wait(r, MPI_STATUS_IGNORE);
        MPI_Isendrecv_replace(b, 30, MPI_INT, right, 4, left, 4, c, r);
        MPI_Wait(r, MPI_STATUS_IGNORE);
    });
}
#endif

// What cannot be staged is an error, not a crash.
static void one_sided(bool far)
{
    int *device = allocate(), word = 0;
    MPI_Win w;
    MPI_Win_create(&word, sizeof word, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &w);
    MPI_Win_set_errhandler(w, MPI_ERRORS_RETURN);
    MPI_Win_fence(0, w);
    if ((MPI_Put(device, 1, MPI_INT, rank, 0, 1, MPI_INT, w) != MPI_SUCCESS) != far && ++errors)
        printf("MPI_Put with memory of the device\n");
    MPI_Win_fence(0, w);
    MPI_Win_free(&w);
    release(device);
}

int main(int argc, char **argv)
{
    cudaDeviceProp p;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    if (cudaGetDeviceProperties(&p, 0) != cudaSuccess || argc < 2)
        errors++;
    if (argc > 2 && !put_up_fence() && ++errors)
        printf("it does not run under tern mpi\n");
    messages(MPI_COMM_WORLD);
    collectives(MPI_COMM_WORLD);
    neighbours();
#if MPI_VERSION >= 4
    large_messages(MPI_COMM_WORLD);
    large_collectives(MPI_COMM_WORLD);
#endif
    if (argc > 1)
        files(argv[1]);
    one_sided(fence || !p.integrated);
    int total = 0;
    MPI_Allreduce(&errors, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d calls\n%s\n", calls, total ? "wrong" : "ok");
    MPI_Finalize();
    return total != 0;
}
