/* The stack that kernels run on: one for each worker, with pages on both sides that nobody may
 * touch. A local array that is overrun meets these, and not the frames of the runtime, which go on
 * after the error. */
#include <sys/mman.h>
#include "rt/dev/cpu/cpu_int.h"

enum { STACK_BYTES = 8 << 20, GUARD_BYTES = 1 << 16 };

/* Sanitizers know only the stacks of threads. */
#if (defined(__aarch64__) || defined(__x86_64__)) && !defined(__SANITIZE_ADDRESS__) &&             \
    !defined(__SANITIZE_THREAD__)
#define HAS_OWN_STACK 1
#else
#define HAS_OWN_STACK 0
#endif

bool cpu_stack_new(struct cpu_stack *s)
{
    if (!HAS_OWN_STACK)
        return false;
    char *p = mmap(NULL, STACK_BYTES + 2 * GUARD_BYTES, PROT_NONE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED)
        return false;
    if (mprotect(p + GUARD_BYTES, STACK_BYTES, PROT_READ | PROT_WRITE)) {
        munmap(p, STACK_BYTES + 2 * GUARD_BYTES);
        return false;
    }
    s->low = p + GUARD_BYTES;
    s->high = s->low + STACK_BYTES;
    return true;
}

void cpu_stack_free(struct cpu_stack *s)
{
    if (s->low)
        munmap(s->low - GUARD_BYTES, STACK_BYTES + 2 * GUARD_BYTES);
    *s = (struct cpu_stack){0};
}

bool cpu_stack_guards(const struct cpu_stack *s, uint64_t address)
{
    const uint64_t low = (uintptr_t)s->low, high = (uintptr_t)s->high;
    return low && ((address < low && address >= low - GUARD_BYTES) ||
                   (address >= high && address < high + GUARD_BYTES));
}

void cpu_stack_call(const struct cpu_stack *s, void (*fn)(void *), void *arg)
{
    if (!s->low) {
        fn(arg);
        return;
    }
#if HAS_OWN_STACK && defined(__aarch64__)
    __asm__ volatile("mov x19, sp\n"
                     "mov x0, %[arg]\n"
                     "mov sp, %[top]\n"
                     "blr %[fn]\n"
                     "mov sp, x19\n"
                     :
                     : [top] "r"(s->high), [fn] "r"(fn), [arg] "r"(arg)
                     : "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11",
                       "x12", "x13", "x14", "x15", "x16", "x17", "x18", "x19", "x30", "v0", "v1",
                       "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13",
                       "v14", "v15", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24",
                       "v25", "v26", "v27", "v28", "v29", "v30", "v31", "cc", "memory");
#elif HAS_OWN_STACK
    __asm__ volatile("movq %%rsp, %%rbx\n"
                     "movq %[arg], %%rdi\n"
                     "movq %[top], %%rsp\n"
                     "call *%[fn]\n"
                     "movq %%rbx, %%rsp\n"
                     :
                     : [top] "r"(s->high), [fn] "r"(fn), [arg] "r"(arg)
                     : "rax", "rbx", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "xmm0",
                       "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9",
                       "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "cc", "memory");
#endif
}
