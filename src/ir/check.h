/* The op `check`: what a checker is told (src/check puts it in; devices hand it on).
 *
 * imm says what the thread does next, and the flags below; the place in the source is the
 * instruction's. Operands of an access: the address (of a local variable: the offset in it);
 * with IR_CHECK_ROOTED the address of the variable it lies in and its size in bytes; with
 * IR_CHECK_SIZED how many bytes. Of what threads do together: the mask, or the barrier and how many
 * threads it is for.
 *
 * In code for a gang (IR_CHECK_GANG) three operands come first: the distance from one lane's first
 * operand to the next one's, or IR_CHECK_BY_LANE, where the first operand is the address of one
 * word for each lane; the lanes that take part; and the number in the block of lane 0's thread. */
#ifndef IR_CHECK_H
#define IR_CHECK_H

#include <stdint.h>

enum ir_check {
    IR_CHECK_READ,
    IR_CHECK_WRITE,
    IR_CHECK_ATOMIC,
    IR_CHECK_GOT, /* a strong access has read: the address */
    IR_CHECK_LAST_WITH_ADDRESS = IR_CHECK_GOT,
    IR_CHECK_FENCE,
    IR_CHECK_BARRIER,  /* comes to a barrier of the block */
    IR_CHECK_PASSED,   /* has passed it */
    IR_CHECK_ARRIVE,   /* comes to one that it does not wait at */
    IR_CHECK_WARPSYNC, /* comes to a barrier of the warp */
    IR_CHECK_WARPED,   /* has passed it */
    IR_CHECK_MASK,     /* an operation of the warp that orders no memory */
    IR_CHECK_GRID,     /* comes to a barrier of the grid */
    IR_CHECK_GRIDDED,  /* has passed it */
    IR_CHECK_ALLOC,    /* has got memory from the heap: address, bytes */
    IR_CHECK_FREE,     /* gives it back */
    IR_CHECK_FAILS,    /* an assert has failed, or a trap comes */
    IR_CHECK_DEFINED,  /* reads a local variable: all ones where all of it was stored */
    IR_CHECK_BLOCK,    /* a block begins; only where code looks by itself */
    IR_CHECK_COMMIT,   /* closes a group of asynchronous copies */
    IR_CHECK_AWAIT,    /* has waited until at most so many groups are under way; ~0: all copies */
};
enum {
    IR_CHECK_STRONG = 1 << 8, /* atomic, volatile, or of an order: no race with others such */
    IR_CHECK_ROOTED = 1 << 9,
    IR_CHECK_DYNAMIC = 1 << 10, /* the variable is as large as the launch says */
    IR_CHECK_SIZED = 1 << 11,
    IR_CHECK_COPIES = 1 << 12, /* what is read is only moved: it may be undefined */
    IR_CHECK_GANG = 1 << 13,
    IR_CHECK_INLINE = 1 << 14, /* code looks by itself first (struct ir_check_table) */
    IR_CHECK_RACES = 1 << 15,  /* and is to look at who touched what */
    IR_CHECK_ORDER_SHIFT = 16, /* enum ir_order */
    IR_CHECK_SLOW = 1 << 19,   /* where looking was not enough */
    IR_CHECK_SCOPE_SHIFT = 20, /* enum ir_scope */
    IR_CHECK_ASYNC = 1 << 22,  /* a write by a copy that may be done as late as it is waited for */
    IR_CHECK_SPACE_SHIFT = 24, /* enum ir_space */
};
#define IR_CHECK_ALIGN_SHIFT 28 /* its logarithm */
#define IR_CHECK_BYTES_SHIFT 32
#define IR_CHECK_BY_LANE     INT64_MIN
/* In records of GPUs the top byte of a generic address says what it is of, but for global memory:
 * the block's shared memory, of which the rest is the address there; what no checker looks at. */
enum { IR_CHECK_TAG_SHARED = 0x7e, IR_CHECK_TAG_LOCAL = 0x7d, IR_CHECK_TAG_SHIFT = 56 };

/* What code looks at before it tells (sreg CHECKS), where all is well it goes on: src/check keeps
 * it for each launch, lower/gang/check.c writes the code.
 *
 * Every word of memory, 4 bytes, has a byte of shadow: bit k says that byte k of the word was
 * written, bit 4 + k that there is memory of the program. */
enum {
    IR_CHECK_MEMORY = 0xf0,
    IR_CHECK_WRITTEN = 0xff,
    IR_CHECK_HIDDEN = 0x0f,
    IR_CHECK_ALIGNS = 5
};
/* Who touched a word last is a stamp: from the top the interval (check/compact.c), the thread,
 * whether a second reader is near the first. All ones: more than that is known of the word. Beside
 * it lies the place in the source. */
enum { IR_STAMP_INTERVAL = 11, IR_STAMP_THREAD = 1, IR_STAMP_THREADS = 1023, IR_STAMP_NEAR = 1 };
#define IR_STAMP_WARP      (~(31u << IR_STAMP_THREAD | IR_STAMP_NEAR))
#define IR_STAMP_ELSEWHERE UINT32_MAX
/* Six tables lie one behind the other, so many bytes apart: stamps of the last write and of two
 * reads, then their places in the source. */
#define IR_STAMPS_APART(shared) ((shared) ? (UINT64_C(1) << 20) + 704 : UINT64_C(1) << 40)
struct ir_check_space {
    uint64_t base, words; /* of the memory; words that have stamps */
    uint64_t away;        /* how far from a word its stamps are */
    uint32_t since;       /* stamps below come before all that the launch does */
    uint32_t unused;
};
/* What one block does between two barriers. */
struct ir_interval {
    uint64_t block;
    uint32_t clock, unused; /* its threads' */
};
#define IR_CHECK_ARRIVED_ELSE (UINT32_C(1) << 31)
/* A thread's clock: from the top the barriers of the block that it has passed, and releases since.
 */
enum { IR_CHECK_RELEASE_BITS = 12, IR_CHECK_TURNS = 64 };
struct ir_check_table {
    uint64_t shadow; /* of an address: the byte at shadow + address / 4 */
    /* Addresses at or above have none; divided by 1, 2, 4, 8, 16. */
    uint64_t limit[IR_CHECK_ALIGNS];
    uint64_t block;  /* number in the grid of the one that runs; UINT64_MAX: ask */
    uint64_t clocks; /* of its threads, 4 bytes each */
    /* Of the block's last 64 barriers, 4 bytes each: how many were before, and 1; the place in the
     * source. */
    uint64_t turns, sites;
    /* The barrier that its threads come to, by its place in the source, 0: ask; their clock before
     * it and after it. */
    uint32_t barrier, before, after;
    uint32_t quiet;   /* nothing but such barriers has ordered threads */
    uint32_t pending; /* who passes a barrier with this clock first tells, or begins an interval */
    /* Threads that have come to it as far as code knows (IR_CHECK_ARRIVED_ELSE: others told), and
     * those of a block: where all have, code begins the interval. */
    uint32_t arrived, threads, unused;
    /* Intervals as in stamps: the one that runs, and the block's first. */
    uint32_t now, first;
    uint64_t interval, interval_end; /* where the next struct ir_interval goes; the last's end */
    struct ir_check_space space[2];  /* device memory; shared memory */
};

#endif
