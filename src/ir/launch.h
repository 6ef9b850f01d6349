/* Launches from kernels: the operands of the op `launch`, and what every device makes of them. */
#ifndef IR_LAUNCH_H
#define IR_LAUNCH_H

enum ir_launch_operand {
    IR_LAUNCH_KERNEL,
    IR_LAUNCH_GRID,
    IR_LAUNCH_BLOCK = IR_LAUNCH_GRID + 3,
    IR_LAUNCH_SHARED = IR_LAUNCH_BLOCK + 3, /* bytes */
    IR_LAUNCH_STREAM,
    IR_LAUNCH_PARAMS, /* address */
};
enum ir_launch_limit {
    IR_LAUNCH_DEPTH = 24,          /* of kernels that launch kernels, the host's counted */
    IR_LAUNCH_PENDING = 65536,     /* children that wait for their parent's end */
    IR_LAUNCH_MOST_THREADS = 1024, /* of a block */
    IR_LAUNCH_MOST_SHARED = 227 << 10,
    IR_LAUNCH_TAIL = 3, /* cudaStreamTailLaunch: after the others */
};
enum ir_launch_error {                          /* CUDA's, where Tern has none of its own */
                       IR_LAUNCH_TOO_DEEP = 65, /* cudaErrorLaunchMaxDepthExceeded */
                       IR_LAUNCH_TOO_MANY = 69, /* cudaErrorLaunchPendingCountExceeded */
};
/* A module's variable, words that its runtime writes when it loads it, for kernels that ask: their
 * device's number, its attributes at CUDA's numbers, and last how many devices there are
 * (cuda_device_runtime_api.h). */
#define IR_DEVICE_FACTS "__tern_device_facts"
enum { IR_DEVICE_FACTS_WORDS = 160 };

#endif
