/* Writes PTX for what test/ptx/run gives to ptxas.
 *
 *   emit --ops ARCH            every operation at every type that the target says it supports
 *   emit --random SEED ARCH    a random module
 *   emit FILE.ir ARCH          a module in text form
 * Exit: 0 written, 1 refused (diagnostics on stderr), 2 wrong use. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "back/back.h"
#include "back/ptx/ptx.h"
#include "ir/tex.h"

static const ir_type types[] = {IR_I1,
                                IR_I8,
                                IR_I16,
                                IR_I32,
                                IR_I64,
                                IR_F16,
                                IR_BF16,
                                IR_F32,
                                IR_F64,
                                IR_PTR_TO(IR_SPACE_GENERIC),
                                IR_PTR_TO(IR_SPACE_SHARED)};
enum { NTYPES = sizeof types / sizeof *types };

/* A kernel under construction: operands are read from its buffer, results written back. */
struct bed {
    struct ir_module *m;
    struct ir_func *f;
    struct ir_builder b;
    struct ir_value *buffer;
    uint64_t at;
};

static struct ir_value *address(struct bed *t)
{
    struct ir_value *off = ir_const(t->m, IR_I64, t->at);
    t->at += 16;
    return ir_build2(&t->b, IR_OP_ptradd, t->buffer->type, t->buffer, off);
}

static struct ir_value *input(struct bed *t, ir_type type)
{
    return ir_build_load(&t->b, type, address(t), ir_bytes(type), 0);
}

static void output(struct bed *t, struct ir_value *v)
{
    if (ir_kind(v->type) != IR_TOKEN)
        ir_build_store(&t->b, address(t), v, ir_bytes(v->type), 0);
}

static struct bed bed_new(struct ir_module *m, const char *name)
{
    struct bed t = {.m = m, .f = ir_func_new(m, name, IR_VOID, IR_FUNC_KERNEL)};
    ir_func_param(t.f, "p", IR_PTR_TO(IR_SPACE_GLOBAL), 0, 0, 0);
    ir_func_layout(t.f);
    struct ir_block *entry = ir_block_new(t.f, "entry");
    t.b = ir_builder_at_end(entry);
    t.buffer = entry->params.data[0];
    return t;
}

static bool by_hand(enum ir_op op)
{
    switch (op) {
    case IR_OP_alloca:
    case IR_OP_call:
    case IR_OP_call_ptr:
    case IR_OP_printf:
    case IR_OP_assertfail:
    case IR_OP_launch:
    case IR_OP_tex:
    case IR_OP_surfload:
    case IR_OP_surfstore:
    case IR_OP_txq:
    case IR_OP_mma:
    case IR_OP_ldmatrix:
    case IR_OP_malloc:
    case IR_OP_free:
    case IR_OP_split:
    case IR_OP_join:
    case IR_OP_cpasync: return true; /* in the files of kernels/ */
    default:                         /* what is asynchronous has programs of its own */
        return (op >= IR_OP_wgmma && op <= IR_OP_hint) ||
               (ir_op_info[op].flags & IR_TERMINATOR) != 0;
    }
}

static bool class_holds(unsigned class, ir_type t)
{
    if (class == IR_CLASS_W)
        return t == IR_I32;
    if (class == IR_CLASS_L)
        return t == IR_I64;
    return (class & ir_class(t)) != 0;
}

static bool convertible(enum ir_op op, ir_type from, ir_type to)
{
    unsigned a = ir_bits(from), b = ir_bits(to);
    bool int_in = ir_class(from) == IR_CLASS_INT, float_in = ir_class(from) == IR_CLASS_FLOAT;
    switch (op) {
    case IR_OP_trunc: return int_in && a > b;
    case IR_OP_zext:
    case IR_OP_sext: return int_in && a < b;
    case IR_OP_fcvt: return float_in && from != to;
    case IR_OP_ftosi:
    case IR_OP_ftoui: return float_in;
    case IR_OP_sitof:
    case IR_OP_uitof: return int_in;
    case IR_OP_bitcast: return ir_class(from) != IR_CLASS_PTR && a == b;
    default: return false;
    }
}

/* One instruction with operands by its signature; from: the type for S. */
static void instance(struct bed *t, enum ir_op op, ir_type type, ir_type from, uint64_t imm,
                     uint32_t flags, ir_type pointer)
{
    const char *s = strchr(ir_op_info[op].signature, '(') + 1;
    struct ir_value *args[8];
    uint32_t n = 0;
    for (; *s && *s != ')'; s++) {
        switch (*s) {
        case 'T': args[n++] = input(t, type); break;
        case 'S': args[n++] = input(t, from); break;
        case 'b': args[n++] = input(t, IR_I1); break;
        case 'c': args[n++] = input(t, IR_I8); break;
        case 'w': args[n++] = input(t, IR_I32); break;
        case 'l': args[n++] = input(t, IR_I64); break;
        case 'p': args[n++] = input(t, pointer); break;
        case '*': break; /* any number: none */
        default: fprintf(stderr, "signature of %s\n", ir_op_info[op].name); exit(2);
        }
    }
    struct ir_inst *i;
    if (op == IR_OP_isspace) {
        ir_type b = IR_I1;
        i = ir_build_results(&t->b, op, IR_VOID, args, n, &b, 1);
    } else {
        i = ir_build(&t->b, op, type, args, n);
    }
    i->imm = imm;
    i->flags = flags;
    if (ir_op_info[op].flags & (IR_READS | IR_WRITES))
        i->align = type == IR_VOID ? 1 : ir_bytes(type);
    for (uint32_t k = 0; k < i->nresults; k++)
        output(t, &i->results[k]);
}

static unsigned immediates(enum ir_op op)
{
    switch (op) {
    case IR_OP_rmw: return IR_RMW_COUNT;
    case IR_OP_redux: return IR_RMW_SMAX + 1;
    case IR_OP_sreg: return IR_SREG_COUNT;
    case IR_OP_shfl:
    case IR_OP_vote: return 4;
    case IR_OP_match:
    case IR_OP_clock: return 2;
    case IR_OP_barrier_red: return 3;
    case IR_OP_isspace: return IR_SPACE_COUNT;
    default: return 1;
    }
}

static void op_kernel(struct ir_module *m, struct arena *a, enum ir_op op, ir_type type)
{
    const struct ir_op_info *info = &ir_op_info[op];
    char name[32];
    ir_type_name(type, name);
    for (char *c = name; *c; c++)
        *c = *c == '.' ? '_' : *c;
    struct bed t = bed_new(m, intern_z(m->names, arena_printf(a, "k_%s_%s", info->name, name)));
    static const ir_type pointers[] = {IR_PTR_TO(IR_SPACE_GENERIC), IR_PTR_TO(IR_SPACE_GLOBAL),
                                       IR_PTR_TO(IR_SPACE_SHARED), IR_PTR_TO(IR_SPACE_LOCAL)};
    bool memory = info->flags & (IR_READS | IR_WRITES) && strchr(info->signature, 'p') != NULL;
    for (unsigned imm = 0; imm < immediates(op); imm++) {
        if (op == IR_OP_rmw && !class_holds(ir_rmw_info[imm].class, type))
            continue;
        if (op == IR_OP_redux && imm == IR_RMW_SUB)
            continue;
        for (unsigned p = 0; p < (memory ? 4u : 1u); p++) {
            if (info->shape == IR_SHAPE_CV && strchr(info->signature, 'S')) {
                for (unsigned k = 0; k < NTYPES; k++)
                    if (convertible(op, types[k], type))
                        instance(&t, op, type, types[k], imm,
                                 op == IR_OP_ftosi || op == IR_OP_ftoui ? IR_RZ : 0, pointers[p]);
            } else if (op == IR_OP_cvta) {
                for (unsigned k = 0; k < 4; k++)
                    if (ir_space(type) == IR_SPACE_GENERIC || !k)
                        instance(&t, op, type, type, imm, 0, pointers[k]);
            } else if (op == IR_OP_fence) {
                for (unsigned o = IR_ORDER_ACQUIRE; o <= IR_ORDER_SEQ_CST; o++)
                    for (unsigned s = 0; s < 3; s++)
                        instance(&t, op, type, type, imm, IR_ORDERED(o, s), pointers[p]);
            } else if ((op == IR_OP_rmw || op == IR_OP_cas) && p < 2) {
                for (unsigned o = 0; o <= IR_ORDER_SEQ_CST; o++)
                    instance(&t, op, type, type, imm, IR_ORDERED(o, o % 3), pointers[p]);
            } else {
                instance(&t, op, type, type, imm, 0, pointers[p]);
            }
            if (info->flags & IR_FLUSHES && type == IR_F32 && info->shape != IR_SHAPE_CV)
                instance(&t, op, type, type, imm, IR_FTZ, pointers[p]);
            if (info->flags & IR_ROUNDS && info->shape != IR_SHAPE_CV && type != IR_BF16)
                for (unsigned r = 1; r < 4; r++)
                    instance(&t, op, type, type, imm, r, pointers[p]);
            if ((op == IR_OP_fdiv || op == IR_OP_fsqrt) && type == IR_F32)
                instance(&t, op, type, type, imm, IR_FAST, pointers[p]);
            if (op == IR_OP_load || op == IR_OP_store) {
                instance(&t, op, type, type, imm, IR_VOLATILE, pointers[p]);
                instance(&t, op, type, type, imm, IR_ORDERED(IR_ORDER_SEQ_CST, IR_SCOPE_DEVICE),
                         pointers[p]);
                instance(&t, op, type, type, imm, IR_ORDERED(IR_ORDER_RELAXED, IR_SCOPE_SYSTEM),
                         pointers[p]);
            }
        }
    }
    ir_build_ret(&t.b, NULL);
}

static struct ir_module *all_ops(struct arena *a, struct interner *names, unsigned arch)
{
    struct ir_module *m = ir_module_new(a, names, "ops");
    for (unsigned op = 0; op < IR_OP_COUNT; op++) {
        const struct ir_op_info *info = &ir_op_info[op];
        if (by_hand((enum ir_op)op))
            continue;
        if (arch < 80 && !strncmp(info->name, "cpasync", 7))
            continue;
        if (arch < 75 && op == IR_OP_ftanh_fast)
            continue;
        if (info->class == IR_CLASS_NONE) {
            if (back_ptx.supports((enum ir_op)op, IR_VOID, NULL) == BACK_YES)
                op_kernel(m, a, (enum ir_op)op, IR_VOID);
            continue;
        }
        for (unsigned k = 0; k < NTYPES; k++) {
            bool atomic = op == IR_OP_rmw || op == IR_OP_cas;
            if (atomic && (types[k] == IR_I1 || types[k] == IR_PTR_TO(IR_SPACE_SHARED)))
                continue;
            if ((op == IR_OP_sreg || op == IR_OP_clock) && ir_bits(types[k]) < 32)
                continue;
            if (op == IR_OP_malloc && types[k] != IR_PTR_TO(IR_SPACE_GENERIC))
                continue;
            if (class_holds(info->class, types[k]) &&
                back_ptx.supports((enum ir_op)op, types[k], NULL) == BACK_YES)
                op_kernel(m, a, (enum ir_op)op, types[k]);
        }
    }
    return m;
}

static char *slurp(const char *path, size_t *n)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        return NULL;
    char *text = malloc(1 << 22);
    *n = text ? fread(text, 1, 1 << 22, f) : 0;
    fclose(f);
    return text;
}

static int show(const struct diag *d)
{
    struct sbuf s;
    sbuf_init(&s, NULL);
    diag_render_text(d, &s, false);
    fputs(s.data ? s.data : "", stderr);
    sbuf_free(&s);
    return 1;
}

static int run(struct mem *mem, int argc, char **argv)
{
    struct arena a;
    struct interner names;
    struct source_map sources;
    struct diag d;
    arena_init(&a, mem);
    intern_init(&names, &a);
    source_init(&sources, &a);
    diag_init(&d, &a, &sources);
    struct ir_module *m;
    const char *arch = argv[argc - 1];
    size_t n;
    if (!strcmp(argv[1], "--ops")) {
        m = all_ops(&a, &names, (unsigned)atoi(arch));
    } else if (!strcmp(argv[1], "--random")) {
        struct ir_random_options o = {.seed = strtoull(argv[2], NULL, 10),
                                      .size = 120,
                                      .memory = true,
                                      .divergence = true,
                                      .barriers = true,
                                      .warp_ops = true,
                                      .floats = true};
        m = ir_random(&a, &names, &o);
    } else {
        char *text = slurp(argv[1], &n);
        if (!text)
            return 2;
        m = ir_parse(&a, &names, &sources, &d, argv[1], text, n);
        free(text);
    }
    if (!m || !ir_verify(m, &d, NULL))
        return show(&d);
    struct sbuf out;
    sbuf_init(&out, &a);
    struct back_job job = {.arena = &a, .diag = &d, .module = m, .out = &out};
    const struct ptx_options own = {.arch = (uint32_t)atoi(arch)};
    job.options.own = &own;
    job.options.line_info = argc > 3 && !strcmp(argv[2], "-g");
    if (!back_ptx.emit(&job))
        return show(&d);
    fwrite(out.data, 1, out.len, stdout);
    return 0;
}

int main(int argc, char **argv)
{
    static struct mem mem;
    static jmp_buf unwind;
    int status = 2;
    if (argc < 3)
        return status;
    mem.unwind = &unwind;
    if (!setjmp(unwind))
        status = run(&mem, argc, argv);
    else
        fputs("out of memory\n", stderr);
    mem_release(&mem);
    return status;
}
