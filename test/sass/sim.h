/* A simulator of the machine code that back/sass makes: what the files of it share.
 *
 * driver.c  a stand-in for libcuda (on test/cuda/standin.c) that loads our cubins and runs kernels
 * sim.c     blocks and warps: which lanes go on together, barriers, time
 * exec.c    what each instruction does to a lane
 * system.c  the driver's own functions: printf, assert, malloc, free
 * matrix.c  products of matrices, of a warp at once
 * texture.c textures: arrays, objects, instructions
 * uses.c    which registers an instruction touches
 *
 * It runs the encoded words, decoded again, with warps of 32 lanes that part and meet as the
 * convergence barriers say, and holds the code to what the hardware does not check: a register that
 * is read or written before its fixed latency is over or its scoreboard was waited for is an error.
 *
 * Blocks run one after another, those of a cooperative launch in turns. */
#ifndef TEST_SASS_SIM_H
#define TEST_SASS_SIM_H

#include <setjmp.h>
#include "back/sass/sass_int.h"

enum { LANES = 32, STACK_TOP = 1 << 24, BANK_BYTES = 1 << 16 };
#define SHARED_WINDOW UINT64_C(0x00abcd01)
#define LOCAL_WINDOW  (UINT64_C(0x00abce00) << 32)

struct code { /* a kernel, decoded */
    char name[1024];
    struct sass_inst *insts;
    uint32_t *targets, ninsts;
    uint32_t arch, registers, frame, shared, param_base, param_bytes, barriers;
    struct {
        uint32_t offset, bytes;
    } params[256];
    uint32_t nparams;
    const uint8_t *bank4, *bank3;
    uint32_t bank4_bytes, bank3_bytes;
    int max_dynamic;
    uint32_t cluster[3]; /* as it must be launched; 0: in any way */
};

enum lane_state {
    RUNS,
    AT_SYNC /* BSYNC */,
    AT_WARP /* WARPSYNC */,
    AT_MEETING /* WARPSYNC.COLLECTIVE */,
    AT_BAR,
    GONE
};

struct warp {
    uint32_t number, there; /* lanes that it has */
    uint32_t pc[LANES];
    uint8_t state[LANES], where[LANES]; /* where: barrier */
    uint32_t mask[LANES];               /* WARPSYNC: whom it waits for */
    uint32_t regs[256][LANES];
    uint8_t preds[8][LANES];
    uint32_t uniform[64];
    uint32_t back[LANES];        /* where each goes on after ENDCOLLECTIVE */
    unsigned came_last;          /* of those that meet */
    uint32_t when[64];           /* clock of who wrote it */
    uint8_t boards[64];          /* scoreboards that guard it */
    uint32_t members[16][LANES]; /* of a convergence barrier, as each lane knows them */
    uint32_t meeting[16][LANES]; /* of the same: where BSSY said that they meet */
    uint8_t *local;              /* frame bytes for each lane */
    /* time, as each lane sees it */
    uint32_t clock[LANES];
    uint32_t ready[256][LANES], pred_ready[8][LANES], uniform_ready[LANES];
    uint8_t made_by[256][LANES];                   /* class of who made it */
    uint8_t writes[256][LANES], reads[256][LANES]; /* scoreboards */
    uint8_t pred_writes[8][LANES], open[LANES];
    uint32_t came, waited; /* at the cluster's barrier, so many times */
    uint32_t bar_result;   /* of the last BAR.RED */
    uint32_t last;         /* lane that ran last */
    bool turn_over;        /* another has its turn as soon as that can be */
};

struct block {
    const struct code *code;
    uint32_t grid[3], dim[3], at[3], dynamic;
    uint8_t *shared, *local;
    uint32_t shared_bytes;
    uint8_t bank0[BANK_BYTES];
    struct warp *warps;
    uint32_t nwarps;
    struct warp *warp; /* that runs */
    uint32_t votes[16];
    uint64_t steps;
    struct block **cluster; /* its blocks, by rank; NULL: the launch has none */
    uint32_t rank, cluster_size[3];
    jmp_buf *out; /* where errors go */
    char why[400];
};

struct use {
    uint16_t reads[16], writes[4];
    unsigned nreads, nwrites;
    uint8_t preds[4], sets[2];
    unsigned npreds, nsets;
};

void sim_uses(const struct sass_inst *i, unsigned arch, struct use *u);
bool sim_atom_is_wide(const struct sass_inst *i, unsigned arch);
bool sim_atom_is_float(const struct sass_inst *i, unsigned arch);

_Noreturn void sim_fail(struct block *b, const char *fmt, ...);
/* at_once: blocks take turns, and may wait for each other; those of a cluster (or NULL) always do.
 */
bool sim_launch(const struct code *c, const uint32_t grid[3], const uint32_t dim[3],
                const uint32_t cluster[3], uint32_t dynamic, void **params, bool at_once, char *why,
                size_t n);
/* Executes what is no control flow, for the lanes of `run`. */
void sim_exec(struct block *b, const struct sass_inst *i, uint32_t run);
/* HMMA, IMMA, DMMA; false: it is none. */
bool sim_matrix(struct block *b, const struct sass_inst *i, uint32_t run);
/* Textures, surfaces, and handles of them; false: it is none. Words of coordinates, layer included.
 */
bool sim_texture(struct block *b, const struct sass_inst *i, uint32_t run);
unsigned sim_texture_coordinates(const struct sass_inst *i);
/* The driver's own functions: an address for each name (0: none), and a call of one. */
uint64_t sim_system(const char *name);
void sim_call(struct block *b, const struct sass_inst *i, uint32_t run);
bool sim_pred(const struct warp *w, struct sass_pred p, unsigned lane);

#endif
