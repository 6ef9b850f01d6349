/* A discrete-event model of NCCL's collectives (src/lib/nccl) over many machines: what waits for
 * what is that of near.c, ring.c and root.c; how long things take is a table of parameters.
 *
 * simulate.c has the events: messages that reach a rank, and the processors and lines that they
 * wait for; measure.c the parameters of this machine; model.c the command. */
#ifndef CMD_SIMULATE_H
#define CMD_SIMULATE_H

#include <stdbool.h>
#include <stdint.h>

/* PARAMETER(name, value, unit, what): values as `tern model --measure` found them on two
 * Neoverse-V1 cores; the line between machines and the distance behind it are assumed: 10 Gbit/s,
 * 25 us. */
#define MODEL_PARAMETERS(PARAMETER)                                                                \
    PARAMETER(cores, 2, "", "cores of a machine that ranks compute on")                            \
    PARAMETER(copy, 50, "GB/s", "of memory that a core copies")                                    \
    PARAMETER(memory, 22, "GB/s", "of memory outside of its cache that a core copies")             \
    PARAMETER(cache, 1, "MB", "of a core's cache; buffers that are larger lie outside")            \
    PARAMETER(sum, 26, "GB/s", "of results that a core sums, of two arrays of floats")             \
    PARAMETER(wake, 0.12, "us", "until a rank of the same machine sees a mark in shared memory")   \
    PARAMETER(turn, 1.4, "us", "the same, where ranks have to take turns on a core")               \
    PARAMETER(socket, 10, "GB/s", "that a core hands to the network, or takes from it")            \
    PARAMETER(message, 2, "us", "of a core, to send a message or to take one, whatever its size")  \
    PARAMETER(line, 1.25, "GB/s", "of the line of a machine, in each direction")                   \
    PARAMETER(distance, 25, "us", "from machine to machine, behind the line")                      \
    PARAMETER(connect, 35, "us", "of the root's core, for a rank that comes to the meeting")       \
    PARAMETER(silence, 10.0, "s", "without a sign of life: lost (src/lib/nccl)")                   \
    PARAMETER(beat, 1.0, "s", "between signs of life (src/lib/nccl)")

struct model_machine {
#define FIELD(name, value, unit, what) double name;
    MODEL_PARAMETERS(FIELD)
#undef FIELD
};

enum model_what {
    MODEL_ALL_REDUCE,
    MODEL_BROADCAST,
    MODEL_REDUCE,
    MODEL_ALL_GATHER,
    MODEL_REDUCE_SCATTER
};
struct model_job {
    enum model_what what;
    unsigned nodes, ranks; /* ranks: of each node */
    uint64_t bytes; /* as NCCL counts: of a rank's result, or of what each gives to a gathering */
};

struct model_answer {
    const char *how;     /* "shared memory", "tree", "ring", "chain" */
    double seconds;      /* until the last rank is done */
    double first;        /* and the first */
    uint64_t messages;   /* between ranks */
    uint64_t bytes;      /* in them, all ranks together */
    uint64_t line_bytes; /* of the busiest machine's line, outwards */
    double busy;         /* share of the time in which cores work */
    uint64_t events;
};
/* false: there is no memory for so many ranks. */
bool model_run(const struct model_machine *m, const struct model_job *j, struct model_answer *out);

/* What the meeting takes, and until when all know of a rank that is gone. */
struct model_loss {
    double meeting;          /* seconds */
    uint64_t meeting_bytes;  /* that the root sends */
    double died_first, died; /* the first of the others, and the last */
    double cut_first, cut;   /* a line that is cut: nothing ends, all is silent */
};
void model_lost(const struct model_machine *m, const struct model_job *j, struct model_loss *out);

void model_measure(
    struct model_machine *m); /* what one machine can tell; the line is not touched */

#endif
