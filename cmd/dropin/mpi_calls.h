/* MPI's calls that take counts, once for each width that counts have: with int, and, since MPI 4,
 * as MPI_…_c with MPI_Count. Included by mpi.c with
 *
 *   CALL, PCALL   a call's name, and its other name
 *   COUNT, PLACE  the types of counts and displacements
 *   FAR_COUNT     the type of sizes of what is packed for others
 *   COUNTS, PLACES, BYTE_PLACES   the members of struct parts that have lists of them */
/* ---- messages ---- */
#define SENDS(name)                                                                                \
    int CALL(name)(const void *buf, COUNT count, MPI_Datatype type, int dest, int tag,             \
                   MPI_Comm comm)                                                                  \
    {                                                                                              \
        BLOCKING(comm, buf = staged(&j, buf, count, type, IN),                                     \
                 PCALL(name)(buf, count, type, dest, tag, comm));                                  \
    }
SENDS(Send)
SENDS(Ssend)
SENDS(Rsend)
SENDS(Bsend)

#define SENDS_LATER(name, persistent)                                                              \
    int CALL(name)(const void *buf, COUNT count, MPI_Datatype type, int dest, int tag,             \
                   MPI_Comm comm, MPI_Request *request)                                            \
    {                                                                                              \
        STARTING(comm, persistent, buf = staged(&j, buf, count, type, IN),                         \
                 PCALL(name)(buf, count, type, dest, tag, comm, request));                         \
    }
SENDS_LATER(Isend, false)
SENDS_LATER(Issend, false)
SENDS_LATER(Irsend, false)
SENDS_LATER(Ibsend, false)
SENDS_LATER(Send_init, true)
SENDS_LATER(Ssend_init, true)
SENDS_LATER(Rsend_init, true)
SENDS_LATER(Bsend_init, true)

/* A message may be shorter than the buffer: what it does not reach stays. */
int CALL(Recv)(void *buf, COUNT count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
               MPI_Status *status)
{
    BLOCKING(comm, buf = staged(&j, buf, count, type, BOTH),
             PCALL(Recv)(buf, count, type, source, tag, comm, status));
}

#define RECEIVES_LATER(name, persistent)                                                           \
    int CALL(name)(void *buf, COUNT count, MPI_Datatype type, int source, int tag, MPI_Comm comm,  \
                   MPI_Request *request)                                                           \
    {                                                                                              \
        STARTING(comm, persistent, buf = staged(&j, buf, count, type, BOTH),                       \
                 PCALL(name)(buf, count, type, source, tag, comm, request));                       \
    }
RECEIVES_LATER(Irecv, false)
RECEIVES_LATER(Recv_init, true)

int CALL(Mrecv)(void *buf, COUNT count, MPI_Datatype type, MPI_Message *message, MPI_Status *status)
{
    BLOCKING(MPI_COMM_WORLD, buf = staged(&j, buf, count, type, BOTH),
             PCALL(Mrecv)(buf, count, type, message, status));
}

int CALL(Imrecv)(void *buf, COUNT count, MPI_Datatype type, MPI_Message *message,
                 MPI_Request *request)
{
    STARTING(MPI_COMM_WORLD, false, buf = staged(&j, buf, count, type, BOTH),
             PCALL(Imrecv)(buf, count, type, message, request));
}

int CALL(Sendrecv)(const void *from, COUNT nfrom, MPI_Datatype tfrom, int dest, int tag, void *to,
                   COUNT nto, MPI_Datatype tto, int source, int rtag, MPI_Comm comm,
                   MPI_Status *status)
{
    BLOCKING(
        comm, (from = staged(&j, from, nfrom, tfrom, IN), to = staged(&j, to, nto, tto, BOTH)),
        PCALL(Sendrecv)(from, nfrom, tfrom, dest, tag, to, nto, tto, source, rtag, comm, status));
}

int CALL(Sendrecv_replace)(void *buf, COUNT count, MPI_Datatype type, int dest, int tag, int source,
                           int rtag, MPI_Comm comm, MPI_Status *status)
{
    BLOCKING(comm, buf = staged(&j, buf, count, type, BOTH),
             PCALL(Sendrecv_replace)(buf, count, type, dest, tag, source, rtag, comm, status));
}

#if MPI_VERSION >= 4
int CALL(Isendrecv)(const void *from, COUNT nfrom, MPI_Datatype tfrom, int dest, int tag, void *to,
                    COUNT nto, MPI_Datatype tto, int source, int rtag, MPI_Comm comm,
                    MPI_Request *request)
{
    STARTING(
        comm, false,
        (from = staged(&j, from, nfrom, tfrom, IN), to = staged(&j, to, nto, tto, BOTH)),
        PCALL(Isendrecv)(from, nfrom, tfrom, dest, tag, to, nto, tto, source, rtag, comm, request));
}

int CALL(Isendrecv_replace)(void *buf, COUNT count, MPI_Datatype type, int dest, int tag,
                            int source, int rtag, MPI_Comm comm, MPI_Request *request)
{
    STARTING(comm, false, buf = staged(&j, buf, count, type, BOTH),
             PCALL(Isendrecv_replace)(buf, count, type, dest, tag, source, rtag, comm, request));
}
#endif

/* ---- collectives: those that block, those that do not, and MPI 4's that are started later ---- */
#if MPI_VERSION >= 4
#define LATER(name, params, args, stage)                                                           \
    int CALL(name##_init)(UNPACK params, MPI_Info info, MPI_Request * request)                     \
    {                                                                                              \
        STARTING(comm, true, stage, PCALL(name##_init)(UNPACK args, info, request));               \
    }
#else
#define LATER(name, params, args, stage)
#endif
/* name, and small: as MPI writes it behind the I of the call that does not block. */
#define TWO(name, small, params, args, stage)                                                      \
    int CALL(name)(UNPACK params)                                                                  \
    {                                                                                              \
        BLOCKING(comm, stage, PCALL(name)(UNPACK args));                                           \
    }                                                                                              \
    int CALL(I##small)(UNPACK params, MPI_Request * request)                                       \
    {                                                                                              \
        STARTING(comm, false, stage, PCALL(I##small)(UNPACK args, request));                       \
    }                                                                                              \
    LATER(name, params, args, stage)

TWO(Bcast, bcast, (void *buf, COUNT count, MPI_Datatype type, int root, MPI_Comm comm),
    (buf, count, type, root, comm),
    buf = root == MPI_PROC_NULL ? buf
                                : staged(&j, buf, count, type, at_root(root, comm) ? IN : OUT))

#define REDUCE                                                                                     \
    (const void *from, void *to, COUNT count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
#define REDUCE_ARGS (from, to, count, type, op, comm)
#define REDUCE_STAGE                                                                               \
    (to = staged(&j, to, count, type, from == MPI_IN_PLACE ? BOTH : OUT),                          \
     from = staged(&j, from, count, type, IN))
TWO(Allreduce, allreduce, REDUCE, REDUCE_ARGS, REDUCE_STAGE)
TWO(Scan, scan, REDUCE, REDUCE_ARGS, REDUCE_STAGE)
/* Rank 0's result is not written. */
TWO(Exscan, exscan, REDUCE, REDUCE_ARGS,
    (to = staged(&j, to, count, type, BOTH), from = staged(&j, from, count, type, IN)))
TWO(Reduce, reduce,
    (const void *from, void *to, COUNT count, MPI_Datatype type, MPI_Op op, int root,
     MPI_Comm comm),
    (from, to, count, type, op, root, comm),
    (to = at_root(root, comm) ? staged(&j, to, count, type, from == MPI_IN_PLACE ? BOTH : OUT) : to,
     from = sends(root, comm) ? staged(&j, from, count, type, IN) : from))

TWO(Reduce_scatter, reduce_scatter,
    (const void *from, void *to, const COUNT counts[], MPI_Datatype type, MPI_Op op, MPI_Comm comm),
    (from, to, counts, type, op, comm),
    (to = from == MPI_IN_PLACE ? staged(&j, to, total(COUNTS_OF(counts), comm), type, BOTH)
                               : staged(&j, to, own(COUNTS_OF(counts), comm), type, OUT),
     from = staged(&j, from, total(COUNTS_OF(counts), comm), type, IN)))
TWO(Reduce_scatter_block, reduce_scatter_block,
    (const void *from, void *to, COUNT count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
    (from, to, count, type, op, comm),
    (to = from == MPI_IN_PLACE ? staged(&j, to, count *others(comm), type, BOTH)
                               : staged(&j, to, count, type, OUT),
     from = staged(&j, from, count *others(comm), type, IN)))

#define EACH                                                                                       \
    (const void *from, COUNT nfrom, MPI_Datatype tfrom, void *to, COUNT nto, MPI_Datatype tto,     \
     MPI_Comm comm)
#define EACH_ARGS (from, nfrom, tfrom, to, nto, tto, comm)
TWO(Allgather, allgather, EACH, EACH_ARGS,
    (to = staged(&j, to, nto *others(comm), tto, from == MPI_IN_PLACE ? BOTH : OUT),
     from = staged(&j, from, nfrom, tfrom, IN)))
TWO(Alltoall, alltoall, EACH, EACH_ARGS,
    (to = staged(&j, to, nto *others(comm), tto, from == MPI_IN_PLACE ? BOTH : OUT),
     from = staged(&j, from, from == MPI_IN_PLACE ? 0 : nfrom * others(comm), tfrom, IN)))

#define PARTS(many, list, places, of)                                                              \
    (&(const struct parts){.n = (int)(many), COUNTS = (list), PLACES = (places), .type = (of)})
TWO(Allgatherv, allgatherv,
    (const void *from, COUNT nfrom, MPI_Datatype tfrom, void *to, const COUNT counts[],
     const PLACE at[], MPI_Datatype tto, MPI_Comm comm),
    (from, nfrom, tfrom, to, counts, at, tto, comm),
    (to = parted(&j, to, PARTS(others(comm), counts, at, tto), OUT),
     from = staged(&j, from, nfrom, tfrom, IN)))
TWO(Alltoallv, alltoallv,
    (const void *from, const COUNT nfrom[], const PLACE afrom[], MPI_Datatype tfrom, void *to,
     const COUNT nto[], const PLACE ato[], MPI_Datatype tto, MPI_Comm comm),
    (from, nfrom, afrom, tfrom, to, nto, ato, tto, comm),
    (to = parted(&j, to, PARTS(others(comm), nto, ato, tto), OUT),
     from = parted(&j, from, PARTS(others(comm), nfrom, afrom, tfrom), IN)))
#define TYPED(many, list, places, of)                                                              \
    (&(const struct parts){                                                                        \
        .n = (int)(many), COUNTS = (list), BYTE_PLACES = (places), .types = (of)})
TWO(Alltoallw, alltoallw,
    (const void *from, const COUNT nfrom[], const PLACE afrom[], const MPI_Datatype tfrom[],
     void *to, const COUNT nto[], const PLACE ato[], const MPI_Datatype tto[], MPI_Comm comm),
    (from, nfrom, afrom, tfrom, to, nto, ato, tto, comm),
    (to = parted(&j, to, TYPED(others(comm), nto, ato, tto), OUT),
     from = parted(&j, from, TYPED(others(comm), nfrom, afrom, tfrom), IN)))

#define ROOTED                                                                                     \
    (const void *from, COUNT nfrom, MPI_Datatype tfrom, void *to, COUNT nto, MPI_Datatype tto,     \
     int root, MPI_Comm comm)
#define ROOTED_ARGS (from, nfrom, tfrom, to, nto, tto, root, comm)
TWO(Gather, gather, ROOTED, ROOTED_ARGS,
    (to = at_root(root, comm)
              ? staged(&j, to, nto *others(comm), tto, from == MPI_IN_PLACE ? BOTH : OUT)
              : to,
     from = sends(root, comm) ? staged(&j, from, nfrom, tfrom, IN) : from))
TWO(Scatter, scatter, ROOTED, ROOTED_ARGS,
    (from = at_root(root, comm) ? staged(&j, from, nfrom *others(comm), tfrom, IN) : from,
     to = sends(root, comm) ? staged(&j, to, nto, tto, OUT) : to))
TWO(Gatherv, gatherv,
    (const void *from, COUNT nfrom, MPI_Datatype tfrom, void *to, const COUNT counts[],
     const PLACE at[], MPI_Datatype tto, int root, MPI_Comm comm),
    (from, nfrom, tfrom, to, counts, at, tto, root, comm),
    (to = at_root(root, comm) ? parted(&j, to, PARTS(others(comm), counts, at, tto), OUT) : to,
     from = sends(root, comm) ? staged(&j, from, nfrom, tfrom, IN) : from))
TWO(Scatterv, scatterv,
    (const void *from, const COUNT counts[], const PLACE at[], MPI_Datatype tfrom, void *to,
     COUNT nto, MPI_Datatype tto, int root, MPI_Comm comm),
    (from, counts, at, tfrom, to, nto, tto, root, comm),
    (from = at_root(root, comm) ? parted(&j, from, PARTS(others(comm), counts, at, tfrom), IN)
                                : from,
     to = sends(root, comm) ? staged(&j, to, nto, tto, OUT) : to))

/* ---- between neighbours of a topology ---- */
/* BOTH: beyond the edge of a grid nobody sends. */
TWO(Neighbor_allgather, neighbor_allgather, EACH, EACH_ARGS,
    (to = staged(&j, to, nto *neighbours(comm, true), tto, BOTH),
     from = staged(&j, from, nfrom, tfrom, IN)))
TWO(Neighbor_alltoall, neighbor_alltoall, EACH, EACH_ARGS,
    (to = staged(&j, to, nto *neighbours(comm, true), tto, BOTH),
     from = staged(&j, from, nfrom *neighbours(comm, false), tfrom, IN)))
TWO(Neighbor_allgatherv, neighbor_allgatherv,
    (const void *from, COUNT nfrom, MPI_Datatype tfrom, void *to, const COUNT counts[],
     const PLACE at[], MPI_Datatype tto, MPI_Comm comm),
    (from, nfrom, tfrom, to, counts, at, tto, comm),
    (to = parted(&j, to, PARTS(neighbours(comm, true), counts, at, tto), OUT),
     from = staged(&j, from, nfrom, tfrom, IN)))
TWO(Neighbor_alltoallv, neighbor_alltoallv,
    (const void *from, const COUNT nfrom[], const PLACE afrom[], MPI_Datatype tfrom, void *to,
     const COUNT nto[], const PLACE ato[], MPI_Datatype tto, MPI_Comm comm),
    (from, nfrom, afrom, tfrom, to, nto, ato, tto, comm),
    (to = parted(&j, to, PARTS(neighbours(comm, true), nto, ato, tto), OUT),
     from = parted(&j, from, PARTS(neighbours(comm, false), nfrom, afrom, tfrom), IN)))
#define FAR(many, list, places, of)                                                                \
    (&(const struct parts){                                                                        \
        .n = (int)(many), COUNTS = (list), .large_bytes_at = (places), .types = (of)})
TWO(Neighbor_alltoallw, neighbor_alltoallw,
    (const void *from, const COUNT nfrom[], const MPI_Aint afrom[], const MPI_Datatype tfrom[],
     void *to, const COUNT nto[], const MPI_Aint ato[], const MPI_Datatype tto[], MPI_Comm comm),
    (from, nfrom, afrom, tfrom, to, nto, ato, tto, comm),
    (to = parted(&j, to, FAR(neighbours(comm, true), nto, ato, tto), OUT),
     from = parted(&j, from, FAR(neighbours(comm, false), nfrom, afrom, tfrom), IN)))

/* ---- on this rank alone ---- */
int CALL(Reduce_local)(const void *from, void *to, COUNT count, MPI_Datatype type, MPI_Op op)
{
    BLOCKING(MPI_COMM_WORLD,
             (from = staged(&j, from, count, type, IN), to = staged(&j, to, count, type, BOTH)),
             PCALL(Reduce_local)(from, to, count, type, op));
}

int CALL(Pack)(const void *from, COUNT count, MPI_Datatype type, void *to, COUNT size, COUNT *at,
               MPI_Comm comm)
{
    BLOCKING(comm, (from = staged(&j, from, count, type, IN), to = range(&j, to, 0, size, BOTH)),
             PCALL(Pack)(from, count, type, to, size, at, comm));
}

int CALL(Unpack)(const void *from, COUNT size, COUNT *at, void *to, COUNT count, MPI_Datatype type,
                 MPI_Comm comm)
{
    BLOCKING(comm, (from = range(&j, from, 0, size, IN), to = staged(&j, to, count, type, BOTH)),
             PCALL(Unpack)(from, size, at, to, count, type, comm));
}

int CALL(Pack_external)(const char form[], const void *from, COUNT count, MPI_Datatype type,
                        void *to, FAR_COUNT size, FAR_COUNT *at)
{
    BLOCKING(MPI_COMM_WORLD,
             (from = staged(&j, from, count, type, IN), to = range(&j, to, 0, size, BOTH)),
             PCALL(Pack_external)(form, from, count, type, to, size, at));
}

int CALL(Unpack_external)(const char form[], const void *from, FAR_COUNT size, FAR_COUNT *at,
                          void *to, COUNT count, MPI_Datatype type)
{
    BLOCKING(MPI_COMM_WORLD,
             (from = range(&j, from, 0, size, IN), to = staged(&j, to, count, type, BOTH)),
             PCALL(Unpack_external)(form, from, size, at, to, count, type));
}

/* ---- files ---- */
#define FILE_CALL(name, constant, way, params, args)                                               \
    int CALL(File_##name)(MPI_File f, UNPACK params constant void *buf, COUNT count,               \
                          MPI_Datatype type, MPI_Status *status)                                   \
    {                                                                                              \
        struct job j = {0};                                                                        \
        buf = staged(&j, buf, count, type, way);                                                   \
        return ended_file(&j, f,                                                                   \
                          j.error ? j.error                                                        \
                                  : PCALL(File_##name)(f, UNPACK args buf, count, type, status));  \
    }
#define FILE_LATER(name, constant, way, params, args)                                              \
    int CALL(File_##name)(MPI_File f, UNPACK params constant void *buf, COUNT count,               \
                          MPI_Datatype type, MPI_Request *request)                                 \
    {                                                                                              \
        struct job j = {0};                                                                        \
        buf = staged(&j, buf, count, type, way);                                                   \
        if (j.error)                                                                               \
            return ended_file(&j, f, j.error);                                                     \
        return begun(&j, PCALL(File_##name)(f, UNPACK args buf, count, type, request), request,    \
                     false);                                                                       \
    }
#define NOTHING
#define AT_PARAM (MPI_Offset offset, )
#define AT_ARG   (offset, )
#define PAIR(read, write, params, args)                                                            \
    FILE_CALL(read, NOTHING, BOTH, params, args)                                                   \
    FILE_CALL(write, const, IN, params, args)
#define PAIR_LATER(read, write, params, args)                                                      \
    FILE_LATER(read, NOTHING, BOTH, params, args)                                                  \
    FILE_LATER(write, const, IN, params, args)
PAIR(read, write, (), ())
PAIR(read_all, write_all, (), ())
PAIR(read_shared, write_shared, (), ())
PAIR(read_ordered, write_ordered, (), ())
PAIR(read_at, write_at, AT_PARAM, AT_ARG)
PAIR(read_at_all, write_at_all, AT_PARAM, AT_ARG)
PAIR_LATER(iread, iwrite, (), ())
PAIR_LATER(iread_all, iwrite_all, (), ())
PAIR_LATER(iread_shared, iwrite_shared, (), ())
PAIR_LATER(iread_at, iwrite_at, AT_PARAM, AT_ARG)
PAIR_LATER(iread_at_all, iwrite_at_all, AT_PARAM, AT_ARG)

#define HALVES(name, constant, params, args)                                                       \
    int CALL(File_##name##_begin)(MPI_File f, UNPACK params constant void *buf, COUNT count,       \
                                  MPI_Datatype type)                                               \
    {                                                                                              \
        if (cuda.device && cuda.device(buf)) {                                                     \
            const int code = refused("MPI_File_" #name "_begin",                                   \
                                     "memory of a device; the call in one piece takes it");        \
            PMPI_File_call_errhandler(f, code);                                                    \
            return code;                                                                           \
        }                                                                                          \
        return PCALL(File_##name##_begin)(f, UNPACK args buf, count, type);                        \
    }
HALVES(read_all, NOTHING, (), ())
HALVES(write_all, const, (), ())
HALVES(read_ordered, NOTHING, (), ())
HALVES(write_ordered, const, (), ())
HALVES(read_at_all, NOTHING, AT_PARAM, AT_ARG)
HALVES(write_at_all, const, AT_PARAM, AT_ARG)

/* ---- one-sided calls: nobody tells when MPI has read or written what lies here ---- */
#define ONE_SIDED(name, first, params, args)                                                       \
    int CALL(name) params                                                                          \
    {                                                                                              \
        return far("MPI_" #name, first) ? far_window(win) : PCALL(name) args;                      \
    }
#define ORIGIN    const void *from, COUNT nfrom, MPI_Datatype tfrom
#define TARGET    int rank, MPI_Aint at, COUNT nto, MPI_Datatype tto
#define MOVE_ARGS from, nfrom, tfrom, rank, at, nto, tto
ONE_SIDED(Put, from, (ORIGIN, TARGET, MPI_Win win), (MOVE_ARGS, win))
ONE_SIDED(Rput, from, (ORIGIN, TARGET, MPI_Win win, MPI_Request *r), (MOVE_ARGS, win, r))
ONE_SIDED(Get, from, (void *from, COUNT nfrom, MPI_Datatype tfrom, TARGET, MPI_Win win),
          (MOVE_ARGS, win))
ONE_SIDED(Rget, from,
          (void *from, COUNT nfrom, MPI_Datatype tfrom, TARGET, MPI_Win win, MPI_Request *r),
          (MOVE_ARGS, win, r))
ONE_SIDED(Accumulate, from, (ORIGIN, TARGET, MPI_Op op, MPI_Win win), (MOVE_ARGS, op, win))
ONE_SIDED(Raccumulate, from, (ORIGIN, TARGET, MPI_Op op, MPI_Win win, MPI_Request *r),
          (MOVE_ARGS, op, win, r))

int CALL(Get_accumulate)(ORIGIN, void *result, COUNT nresult, MPI_Datatype tresult, TARGET,
                         MPI_Op op, MPI_Win win)
{
    if (far("MPI_Get_accumulate", from) || far("MPI_Get_accumulate", result))
        return far_window(win);
    return PCALL(Get_accumulate)(from, nfrom, tfrom, result, nresult, tresult, rank, at, nto, tto,
                                 op, win);
}

int CALL(Rget_accumulate)(ORIGIN, void *result, COUNT nresult, MPI_Datatype tresult, TARGET,
                          MPI_Op op, MPI_Win win, MPI_Request *r)
{
    if (far("MPI_Rget_accumulate", from) || far("MPI_Rget_accumulate", result))
        return far_window(win);
    return PCALL(Rget_accumulate)(from, nfrom, tfrom, result, nresult, tresult, rank, at, nto, tto,
                                  op, win, r);
}

int CALL(Win_create)(void *base, MPI_Aint size, PLACE unit, MPI_Info info, MPI_Comm comm,
                     MPI_Win *win)
{
    return far("MPI_Win_create", base) ? tell(comm, MPI_ERR_BUFFER)
                                       : PCALL(Win_create)(base, size, unit, info, comm, win);
}
