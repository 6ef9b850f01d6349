/* Calls of the device runtime: kernels that launch kernels. nvcc turns `k<<<…>>>(…)` into a call
 * that gives a buffer for the arguments and one that launches what the buffer says; NVIDIA's
 * library has both, here they are IR.
 *
 * Children run once their parent is done, in the order of their launches, so a stream is a name and
 * nothing more. */
#include <string.h>
#include "front/ptx/ptx_int.h"

/* A buffer: what to launch, then its arguments. */
enum {
    AT_KERNEL = 0,
    AT_GRID = 8,
    AT_BLOCK = 20,
    AT_SHARED = 32,
    HEAD = 48,
    MOST_ARGUMENTS = 32764
};

static struct ir_value *at(struct px *p, struct ir_value *base, int64_t offset)
{
    return ir_build2(&p->b, IR_OP_ptradd, base->type, base, px_int(p, IR_I64, (uint64_t)offset));
}

static struct ir_value *pointer(struct px *p, const struct px_operand *o)
{
    return px_space_pointer(p, px_in(p, o, IR_I64), IR_SPACE_GENERIC);
}

/* A dim3 among the arguments of a call. */
static struct ir_value *bytes_of(struct px *p, const struct px_operand *o)
{
    if (o->kind == PO_NAME && o->symbol && o->symbol->kind == PS_BYTES)
        return o->symbol->memory;
    px_error(p, o->span, "this argument is not a variable of bytes");
    return px_int(p, IR_PTR_TO(IR_SPACE_GENERIC), 0);
}

static struct ir_value *success(struct px *p)
{
    return px_int(p, IR_I32, 0);
}

/* Room for the arguments of the kernel whose address this is; of any, where it is not known. */
static uint64_t room_for(struct ir_value *kernel)
{
    for (unsigned depth = 0; depth < 8; depth++) {
        while (kernel->forward)
            kernel = kernel->forward;
        if (kernel->kind == IR_VALUE_FUNC)
            return kernel->u.func->param_bytes;
        if (kernel->kind != IR_VALUE_RESULT ||
            (kernel->u.inst->op != IR_OP_ptrtoint && kernel->u.inst->op != IR_OP_cvta))
            break;
        kernel = kernel->u.inst->args[0];
    }
    return MOST_ARGUMENTS;
}

static struct ir_value *parameter_buffer(struct px *p, const struct px_operand *args)
{
    struct ir_value *kernel = px_in(p, &args[0], IR_I64);
    struct ir_value *size = px_int(p, IR_I64, HEAD + room_for(kernel));
    struct ir_value *b = ir_build1(&p->b, IR_OP_malloc, IR_PTR_TO(IR_SPACE_GENERIC), size);
    struct ir_value *null = ir_build2(
        &p->b, IR_OP_eq, IR_I64, ir_build1(&p->b, IR_OP_ptrtoint, IR_I64, b), px_int(p, IR_I64, 0));
    struct ir_block *fill = px_block(p, NULL, 1), *done = px_block(p, NULL, 2);
    struct px_var *result = px_new_var(p, "buffer", IR_I64);
    px_write(p, result, px_int(p, IR_I64, 0));
    px_condbr(p, null, done, fill);
    px_start(p, fill);
    ir_build_store(&p->b, at(p, b, AT_KERNEL), kernel, 8, 0);
    for (unsigned d = 0; d < 2; d++) {
        struct ir_value *from = bytes_of(p, &args[1 + d]);
        for (int k = 0; k < 3; k++)
            ir_build_store(&p->b, at(p, b, (d ? AT_BLOCK : AT_GRID) + 4 * k),
                           ir_build_load(&p->b, IR_I32, at(p, from, 4 * k), 4, 0), 4, 0);
    }
    ir_build_store(&p->b, at(p, b, AT_SHARED), px_in(p, &args[3], IR_I32), 4, 0);
    px_write(p, result, ir_build1(&p->b, IR_OP_ptrtoint, IR_I64, at(p, b, HEAD)));
    px_br(p, done);
    px_start(p, done);
    return px_read(p, result);
}

/* What launches leave for the question after the last error, as from source (lo_launch_error): the
 * largest number; gives what was there. */
static struct ir_value *last_error(struct px *p, enum ir_rmw how, struct ir_value *x)
{
    static const char name[] = "__tern_launch_error";
    struct ir_global *g = ir_global_find(p->m, intern_z(p->m->names, name));
    if (!g)
        g = ir_global_new(p->m, name, IR_SPACE_GLOBAL, 4, 4, 0);
    struct ir_value *both[2] = {ir_global_value(g), x};
    struct ir_inst *i = ir_build(&p->b, IR_OP_rmw, IR_I32, both, 2);
    i->imm = how;
    i->flags = IR_ORDERED(IR_ORDER_RELAXED, IR_SCOPE_DEVICE);
    return &i->results[0];
}

static struct ir_value *launch(struct px *p, const struct px_operand *args)
{
    struct ir_value *params = pointer(p, &args[0]), *b = at(p, params, -HEAD), *list[10];
    list[0] = px_space_pointer(p, ir_build_load(&p->b, IR_I64, at(p, b, AT_KERNEL), 8, 0),
                               IR_SPACE_GENERIC);
    for (int k = 0; k < 7; k++) /* grid, block, shared: one behind the other */
        list[1 + k] = ir_build_load(&p->b, IR_I32, at(p, b, AT_GRID + 4 * k), 4, 0);
    list[8] = px_in(p, &args[1], IR_I64);
    list[9] = params;
    struct ir_inst *i = ir_build(&p->b, IR_OP_launch, IR_VOID, list, 10);
    ir_build(&p->b, IR_OP_free, IR_VOID, &b, 1); /* the arguments have been copied */
    last_error(p, IR_RMW_UMAX, &i->results[0]);
    return &i->results[0];
}

static struct ir_value *get_last_error(struct px *p, const struct px_operand *args)
{
    (void)args;
    return last_error(p, IR_RMW_XCHG, success(p));
}

static struct ir_value *peek_at_last_error(struct px *p, const struct px_operand *args)
{
    (void)args;
    return last_error(p, IR_RMW_OR, success(p));
}

static struct ir_value *stream_create(struct px *p, const struct px_operand *args)
{
    ir_build_store(&p->b, pointer(p, &args[0]), px_int(p, IR_I64, 0x10), 8, 0);
    return success(p);
}

/* Streams of a device need no memory. */
static struct ir_value *nothing(struct px *p, const struct px_operand *args)
{
    (void)args;
    return success(p);
}

static struct ir_value *allocate(struct px *p, const struct px_operand *args)
{
    struct ir_value *size = px_in(p, &args[1], IR_I64), *zero = px_int(p, IR_I64, 0);
    struct ir_value *b = ir_build1(&p->b, IR_OP_malloc, IR_PTR_TO(IR_SPACE_GENERIC), size);
    b = ir_build1(&p->b, IR_OP_ptrtoint, IR_I64, b);
    ir_build_store(&p->b, pointer(p, &args[0]), b, 8, 0);
    struct ir_value *none = ir_build2(&p->b, IR_OP_eq, IR_I64, b, zero);
    none = ir_build2(&p->b, IR_OP_and, IR_I1, none, ir_build2(&p->b, IR_OP_ne, IR_I64, size, zero));
    return px_pick(p, none, px_int(p, IR_I32, 2), success(p)); /* cudaErrorMemoryAllocation */
}

static struct ir_value *release(struct px *p, const struct px_operand *args)
{
    struct ir_value *x = pointer(p, &args[0]);
    ir_build(&p->b, IR_OP_free, IR_VOID, &x, 1);
    return success(p);
}

bool px_device_runtime(struct px *p, const char *name, const struct px_operand *ret,
                       const struct px_operand *args, uint32_t n)
{
    static const struct {
        const char *name;
        uint32_t args;
        struct ir_value *(*lower)(struct px *p, const struct px_operand *args);
    } functions[] = {{"__cudaCDP2GetParameterBufferV2", 4, parameter_buffer},
                     {"__cudaCDP2LaunchDeviceV2", 2, launch},
                     {"__cudaCDP2StreamCreateWithFlags", 2, stream_create},
                     {"__cudaCDP2StreamDestroy", 1, nothing},
                     {"__cudaCDP2GetLastError", 0, get_last_error},
                     {"__cudaCDP2PeekAtLastError", 0, peek_at_last_error},
                     {"__cudaCDP2Malloc", 2, allocate},
                     {"__cudaCDP2Free", 1, release}};
    for (size_t k = 0; k < sizeof functions / sizeof *functions; k++)
        if (!strcmp(name, functions[k].name) && n == functions[k].args) {
            struct ir_value *x = functions[k].lower(p, args);
            if (ret && !p->failed)
                px_out(p, ret, x);
            return true;
        }
    return false;
}
