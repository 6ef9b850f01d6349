/* Our own machine code: an image in memory, the loop over blocks, and what code calls back for
 * beyond the launch ABI of C.
 *
 * Memory for code is written first and made executable then, never both. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#if defined(__aarch64__)
#include <sys/auxv.h>
#include <sys/prctl.h>
#elif defined(__x86_64__)
#include <cpuid.h>
#endif
#include "back/back.h"
#include "back/cpu_image.h"
#include "ir/meaning.h"
#include "rt/dev/cpu/cpu_int.h"

/* ---- which target ---- */
const struct back_target *cpu_own_target(void)
{
#if defined(__aarch64__)
    enum { ATOMICS = 1 << 8 }; /* the extension that our atomics are */
    return getauxval(AT_HWCAP) & ATOMICS ? back_find("a64") : NULL;
#elif defined(__x86_64__)
    enum { F16C = 1 << 29, LZCNT = 1 << 5 };
    unsigned a, b, c = 0, extended = 0, d;
    __get_cpuid(1, &a, &b, &c, &d);
    __get_cpuid(0x80000001, &a, &b, &extended, &d);
    const bool good = c & F16C && extended & LZCNT && __builtin_cpu_supports("avx2") &&
                      __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2") &&
                      __builtin_cpu_supports("popcnt");
    return good ? back_find("x64") : NULL;
#else
    return NULL;
#endif
}

#if defined(__x86_64__)
bool cpu_has_avx512(void)
{
    enum { WIDE = 512 };
    return setting_number(SETTING_VECTORS) >= WIDE && __builtin_cpu_supports("avx512f") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}

static const char *own_name(void)
{
    return cpu_has_avx512() ? "x86-64-v4" : "x86-64-v3";
}

bool cpu_has_dots(void)
{
    enum { FEATURES = 7, MORE = 1, AVX_VNNI = 1 << 4 };
    unsigned a = 0, b, c, d;
    if (cpu_has_avx512())
        return __builtin_cpu_supports("avx512vnni");
    return __get_cpuid_count(FEATURES, MORE, &a, &b, &c, &d) && a & AVX_VNNI;
}
#elif defined(__aarch64__)
/* How many bytes vectors of SVE have in this thread; 0: there is none. The kernel of the operating
 * system says so: the name of a processor may promise what a virtual machine hides. */
enum { LENGTH_SET = 50, LENGTH_GET = 51, LENGTH_MASK = 0xffff }; /* of prctl */
static unsigned sve_bytes(void)
{
    enum { SVE = 1 << 22 };
    if (!(getauxval(AT_HWCAP) & SVE))
        return 0;
    const int n = prctl(LENGTH_GET);
    return n < 0 ? 0 : (unsigned)(n & LENGTH_MASK);
}

/* SVE where its vectors are longer than NEON's, are of a length that there is code for, and no less
 * is asked for. */
static const char *own_name(void)
{
    const unsigned bits = sve_bytes() * 8;
    if (bits > setting_number(SETTING_VECTORS))
        return "aarch64";
    return bits == 512 ? "aarch64-sve512" : bits == 256 ? "aarch64-sve256" : "aarch64";
}

bool cpu_has_dots(void)
{
    enum { DOT_PRODUCTS = 1 << 20 };
    return getauxval(AT_HWCAP) & DOT_PRODUCTS;
}
#else
static const char *own_name(void)
{
    return "";
}

bool cpu_has_dots(void)
{
    return false;
}
#endif

static const struct cpu_processor processors[] = {
    {"aarch64", "a64", "atomics", 16, 0},
    {"aarch64-sve256", "a64", "sve of 256 bits atomics", 32, 16},
    {"aarch64-sve512", "a64", "sve of 512 bits atomics", 64, 16},
    {"x86-64-v3", "x64", "avx2 fma bmi2 popcnt lzcnt f16c", 32, 0},
    {"x86-64-v4", "x64", "avx512 f bw cd dq vl avx2 fma bmi2 popcnt lzcnt f16c", 64, 0}};

const struct cpu_processor *cpu_named(const char *name)
{
    for (size_t k = 0; k < sizeof processors / sizeof *processors; k++)
        if (!strcmp(processors[k].name, name))
            return &processors[k];
    return NULL;
}

const struct cpu_processor *cpu_own_processor(void)
{
    return cpu_own_target() ? cpu_named(own_name()) : NULL;
}

bool cpu_makes_code(void)
{
    const char *how = setting_text(SETTING_CPU);
    return !(how && !strcmp(how, "c")) && cpu_own_target();
}

/* ---- images ---- */
/* What is in an image is as we wrote it (rt/image.h); yet nothing outside it is jumped to. */
static bool is_sound(const struct image *i, const struct cpu_image_kernel *how)
{
    return how->offset < i->bytes && (how->most > 0 || !how->whole);
}

enum tern_error cpu_own_load(const struct image *i, const struct back_kernel *k,
                             struct cpu_own *out)
{
    const struct cpu_image_kernel *how = k->own;
    const size_t n = i->bytes;
    if (!is_sound(i, how))
        return TERN_INTERNAL;
    void *p = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        return TERN_OUT_OF_MEMORY;
    memcpy(p, i->code, n);
    if (mprotect(p, n, PROT_READ | PROT_EXEC)) {
        munmap(p, n);
        return TERN_OUT_OF_MEMORY;
    }
    __builtin___clear_cache(p, (char *)p + n);
    out->code = p;
    out->bytes = n;
    out->how = *how;
    void *entry = (char *)p + how->offset;
    memcpy(&out->run, &entry, sizeof entry);
    return TERN_OK;
}

void cpu_own_unload(struct cpu_own *own)
{
    cpu_debug_remove(own->told);
    own->told = NULL;
    if (own->code)
        munmap(own->code, own->bytes);
    own->code = NULL;
}

/* ---- threads as coroutines: the text that C gets, compiled here ---- */
#define UNUSED __attribute__((unused))
#define INLINE static inline UNUSED
typedef uint8_t u8;
typedef int32_t i32;
#include "back/c/text/blocks.inc"
#include "back/c/text/fiber.inc"

#define IR_MMA(name, text, m, n, k, in, acc, na, nb, nc, sm) MATRIX_##name,
enum {
#include "ir/mma.def"
};
#define IR_MMA(name, text, m, n, k, in, acc, na, nb, nc, sm)                                       \
    static void multiply_##name(const char *a, const char *b, char *c)                             \
    {                                                                                              \
        cpu_multiply(MATRIX_##name, a, b, c);                                                      \
    }
#include "ir/mma.def"
enum { MATRIX_BYTES_F16 = 4, MATRIX_BYTES_F32 = 4, MATRIX_BYTES_S32 = 4, MATRIX_BYTES_F64 = 8 };
static const struct tern_mma matrices[] = {
#define IR_MMA(name, text, m, n, k, in, acc, na, nb, nc, sm)                                       \
    {multiply_##name, MATRIX_BYTES_##acc, {na, nb, nc}},
#include "ir/mma.def"
};

/* ---- what code calls ---- */
static u64 eval(u64 what, u64 a, u64 b, u64 c)
{
    const u64 args[] = {a, b, c};
    u64 out = 0;
    m_eval((enum ir_op)(what & 0xffff), (ir_type)(what >> 16), (ir_type)(what >> 32),
           (uint32_t)(what >> 48), args, &out);
    return out;
}

static void fail_by_number(const struct tern_block *b, u64 failure)
{
    static const struct {
        enum tern_error error;
        const char *what;
    } failures[] = {
        [CPU_FAIL_TRAP] = {TERN_TRAP, "trap"},
        [CPU_FAIL_UNREACHABLE] = {TERN_TRAP, "unreachable code was reached"},
        [CPU_FAIL_NO_FUNCTION] = {TERN_ILLEGAL_ADDRESS, "call through a pointer to no function"},
    };
    b->launch->host->fail(b, failures[failure].error, failures[failure].what, NULL, 0, NULL);
}

static void move(void *to, const void *from, u64 n)
{
    memmove(to, from, n);
}

static void fill(void *to, u64 value, u64 n)
{
    memset(to, (int)(value & 255), n);
}

static void load_lanes(char *to, const char *from, const u32 *mask, u64 lanes, u64 size)
{
    for (u64 k = 0; k < lanes; k++, to += size, from += size)
        if (mask[k])
            memcpy(to, from, size);
        else
            memset(to, 0, size);
}

static void copy_async(char *to, const char *from, u64 n, u64 size)
{
    for (u64 k = 0; k < size; k++)
        to[k] = k < (u32)n ? from[k] : 0;
}

static u64 barrier(struct tern_block *b, u64 id, u64 count, u64 value, u64 reduce)
{
    return tern_barrier_reduce(b, (u32)id, (u32)count, (u8)value, (u32)reduce);
}

static void arrive(struct tern_block *b, u64 id, u64 count)
{
    tern_arrive(b, (u32)id, (u32)count);
}

static void grid_sync(struct tern_block *b)
{
    tern_grid_sync(b);
}

_Static_assert((int)CPU_WARP_SHUFFLE == (int)TERN_SHUFFLE && (int)CPU_WARP_VOTE == (int)TERN_VOTE &&
                   (int)CPU_WARP_MATCH == (int)TERN_MATCH &&
                   (int)CPU_WARP_REDUCE == (int)TERN_REDUCE,
               "operations of a warp have the same numbers in C and in machine code");

static u64 warp(struct tern_block *b, u64 op, u64 mask, u64 value, u64 lane, u64 control, u8 *flag)
{
    return tern_warp(b, (u32)op, (u32)mask, value, (u32)lane, (u32)control, flag);
}

static void matrix(struct tern_block *b, u64 *registers, u64 which)
{
    tern_matrix(b, registers, &matrices[which]);
}

static u64 active(struct tern_block *b, u64 place)
{
    return tern_active(b, (u32)place);
}

static void yield(struct tern_block *b)
{
    tern_yield(b);
}

static void poll(struct tern_block *b)
{
    tern_poll(b);
}

static void exit_thread(struct tern_block *b)
{
    tern_exit(b);
}

void cpu_own_host(struct cpu_host *h, const struct tern_host *abi)
{
    *h = (struct cpu_host){.abi = *abi,
                           .eval = eval,
                           .fail_by_number = fail_by_number,
                           .move = move,
                           .fill = fill,
                           .load_lanes = load_lanes,
                           .copy_async = copy_async,
                           .multiply = cpu_multiply,
                           .barrier = barrier,
                           .arrive = arrive,
                           .grid_sync = grid_sync,
                           .warp = warp,
                           .matrix = matrix,
                           .active = active,
                           .yield = yield,
                           .poll = poll,
                           .exit_thread = exit_thread};
}

/* ---- the loop over blocks ---- */

static bool cancelled(const struct tern_launch *l)
{
    return l->cancel && __atomic_load_n(l->cancel, __ATOMIC_RELAXED);
}

/* As many blocks of a row, or whole rows of them, as the kernel takes at once. */
static void run_rows(const struct cpu_own *own, struct tern_block *b, u64 first, u64 last)
{
    const struct tern_launch *l = b->launch;
    for (u64 i = first, run, rows; i < last; i += run * rows) {
        if (cancelled(l))
            return;
        tern_place(b, i);
        const u64 row = l->grid[0] - b->ctaid[0], left = last - i, most = own->how.most;
        run = row < left ? row : left, rows = 1;
        if (run > most)
            run = most;
        while (own->how.cpu.coarsens_y && run == l->grid[0] && run * (rows + 1) <= most &&
               run * (rows + 1) <= left && b->ctaid[1] + rows < l->grid[1])
            rows++;
        own->run(b, run, rows);
    }
}

static void run_threads(const struct cpu_own *own, struct tern_block *b, u64 first, u64 last)
{
    const struct tern_launch *l = b->launch;
    for (u64 i = first; i < last; i++) {
        if (cancelled(l))
            return;
        tern_place(b, i);
        for (b->tid[2] = 0; b->tid[2] < l->block[2]; b->tid[2]++)
            for (b->tid[1] = 0; b->tid[1] < l->block[1]; b->tid[1]++)
                for (b->tid[0] = 0; b->tid[0] < l->block[0]; b->tid[0]++)
                    own->run(b, 1, 1);
    }
}

/* Vectors of SVE have the length that the code was made for: a thread may have been given another
 * since, which it gets back here. False: it does not. */
static bool has_length(const struct cpu_own *own)
{
#if defined(__aarch64__)
    enum { NEON = 16 };
    if (own->how.vector_bytes <= NEON)
        return true;
    register u64 length __asm__("x0");
    __asm__ volatile(".inst 0x04bf5020" : "=r"(length)); /* rdvl x0, #1 */
    return length == own->how.vector_bytes ||
           (prctl(LENGTH_SET, own->how.vector_bytes) >= 0 && sve_bytes() == own->how.vector_bytes);
#else
    (void)own;
    return true;
#endif
}

void cpu_own_run(const struct cpu_own *own, const struct tern_launch *l,
                 const struct tern_worker *w, u64 first, u64 last)
{
    struct tern_block b = {.launch = l,
                           .shared = w->shared,
                           .stack = {w->stack[0], w->stack[1]},
                           .worker = w->number,
                           .at = w->at,
                           .stacks = w->stacks};
    if (!has_length(own)) {
        l->host->fail(&b, TERN_DEVICE_LOST, "vectors of SVE have another length than the code",
                      NULL, 0, NULL);
        return;
    }
    if (own->how.whole && (own->how.cpu.coarsens_x || own->how.cpu.coarsens_y)) {
        run_rows(own, &b, first, last);
    } else if (own->how.whole) {
        for (u64 i = first; i < last && !cancelled(l); i++) {
            tern_place(&b, i);
            own->run(&b, 1, 1);
        }
    } else if (own->how.waits) {
        void (*entry)(struct tern_block *);
        memcpy(&entry, &own->run, sizeof entry); /* leaves the other two arguments alone */
        tern_run_blocks(&b, first, last, own->how.cpu.resident, own->how.stack, entry);
    } else {
        run_threads(own, &b, first, last);
    }
}
