/* The functions of a module: their parameters, what cooperative groups ask for, and what happens to
 * those that could not be read. */
#include <string.h>
#include "front/ptx/ptx_int.h"

/* Where cooperative groups keep what their groups share: a place in shared memory for tiles of
 * several warps, and for the grid a word in global memory, whose address is in two registers. */
#define RESERVED_BYTES 1024
static struct ir_value *reserved(struct px *p, uint64_t offset)
{
    const char *name = intern_z(p->names, "reserved.shared");
    struct ir_global *g = ir_global_find(p->m, name);
    if (!g)
        g = ir_global_new(p->m, name, IR_SPACE_SHARED, 2 * RESERVED_BYTES, 16, 0);
    struct ir_value *at = ir_build1(&p->b, IR_OP_ptrtoint, IR_I64, ir_global_value(g));
    at = ir_build1(&p->b, IR_OP_trunc, IR_I32, at);
    return ir_build2(&p->b, IR_OP_add, IR_I32, at, px_int(p, IR_I32, offset));
}

static bool is_workspace(const char *name)
{
    return !strcmp(name, "%envreg1") || !strcmp(name, "%envreg2");
}

static struct ir_value *cooperative(struct px *p)
{
    struct ir_value *x = ir_build0(&p->b, IR_OP_sreg, IR_I32, IR_SREG_COOPERATIVE);
    return ir_build2(&p->b, IR_OP_ne, IR_I32, x, px_int(p, IR_I32, 0));
}

/* Launches that are not cooperative find no address there. */
static struct ir_value *grid_workspace(struct px *p, bool upper)
{
    const char *name =
        arena_printf(p->a, "%s.grid", ptx_of(p)->fn->kernel ? ptx_of(p)->fn->ir->name : "");
    name = intern_z(p->names, name);
    struct ir_global *g = ir_global_find(p->m, name);
    if (!g)
        g = ir_global_new(p->m, name, IR_SPACE_GLOBAL, 16, 16, 0);
    struct ir_value *at =
        ir_build1(&p->b, IR_OP_cvta, IR_PTR_TO(IR_SPACE_GENERIC), ir_global_value(g));
    at = ir_build1(&p->b, IR_OP_ptrtoint, IR_I64, at);
    if (upper)
        at = ir_build2(&p->b, IR_OP_lshr, IR_I64, at, px_int(p, IR_I64, 32));
    at = ir_build1(&p->b, IR_OP_trunc, IR_I32, at);
    return px_pick(p, cooperative(p), at, px_int(p, IR_I32, 0));
}

/* A body names the workspace, or a function that does. */
static bool asks_for_workspace(struct px *p, const struct px_func *f)
{
    unsigned depth = 0;
    const struct px_token *t = f->body;
    ptx_of(p)->unit = f->unit;
    do {
        const struct px_symbol *s = t->kind == PT_WORD ? px_find(p, t->text) : NULL;
        if (t->kind == PT_WORD &&
            (is_workspace(t->text) || (s && s->kind == PS_FUNC && s->func->workspace)))
            return true;
        if (t->kind == PT_PUNCT)
            depth += t->punct == '{' ? 1u : t->punct == '}' ? -1u : 0u;
        t++;
    } while (depth);
    return false;
}

/* Mostly no word of it is there; functions mostly stand before those that call them. */
static void find_workspaces(struct px *p)
{
    bool more = false;
    for (const struct px_token *t = p->tokens; t->kind != PT_END && !more; t++)
        more = t->kind == PT_WORD && is_workspace(t->text);
    for (unsigned pass = 0; more; pass++) {
        more = false;
        vec_each (struct px_func *, it, &ptx_of(p)->funcs)
            if ((*it)->body && !(*it)->workspace && (pass > 8 || asks_for_workspace(p, *it)))
                more = (*it)->workspace = true;
    }
}

/* A barrier tells devices that all blocks must be there together. */
static void start_together(struct px *p)
{
    struct ir_block *yes = px_block(p, "together", 1), *after = px_block(p, "started", 2);
    px_condbr(p, cooperative(p), yes, after);
    px_start(p, yes);
    ir_build(&p->b, IR_OP_gridsync, IR_VOID, NULL, 0);
    px_br(p, after);
    px_start(p, after);
}

/* Special registers that come with how a module was launched. */
static struct ir_value *special(struct px *p, const char *name)
{
    static const struct {
        const char *name;
        uint64_t offset;
    } places[] = {{"%reserved_smem_offset_begin", 0},
                  {"%reserved_smem_offset_0", 0},
                  {"%reserved_smem_offset_1", RESERVED_BYTES},
                  {"%reserved_smem_offset_end", (uint64_t)2 * RESERVED_BYTES}};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (!strcmp(name, places[i].name))
            return reserved(p, places[i].offset);
    if (!strcmp(name, "%reserved_smem_offset_cap"))
        return px_int(p, IR_I32, 2 * RESERVED_BYTES);
    return is_workspace(name) ? grid_workspace(p, name[7] == '1') : NULL;
}

static void do_return(struct px *p)
{
    struct ir_value *value = NULL;
    vec_each (struct px_result, r, &ptx_of(p)->results) {
        struct ir_value *x = px_read(p, r->var);
        if (r->place)
            ir_build_store(&p->b, r->place, px_bits_as(p, x, px_memory_type(x->type)),
                           ir_bytes(x->type), 0);
        else
            value = x;
    }
    ir_build_ret(&p->b, value);
}

/* The name of a parameter or result that is a register, or of the vector it is an element of. */
static struct px_var *bind_register(struct px *p, const struct px_place *v,
                                    struct px_symbol **vector)
{
    struct px_var *var = px_new_var(p, v->name, v->type);
    struct px_symbol *s = map_get(&p->scope, map_key(v->name));
    if (v->lanes) {
        s = px_symbol(p, PS_VECTOR);
        s->lane = arena_array(p->a, struct px_var *, v->lanes);
        *vector = s;
    } else if (*vector && s == *vector) {
    } else {
        s = px_symbol(p, v->reg ? PS_REG : PS_PARAM);
        s->var = var;
        *vector = NULL;
    }
    if (*vector)
        s->lane[s->lanes++] = var;
    map_set(&p->scope, map_key(v->name), s);
    return var;
}

static void bind_bytes(struct px *p, const struct px_place *v, struct ir_value *memory)
{
    struct px_symbol *s = px_symbol(p, PS_BYTES);
    s->memory = memory;
    map_set(&p->scope, map_key(v->name), s);
}

static void bind_params(struct px *p, struct px_func *f)
{
    struct px_symbol *vector = NULL;
    struct ir_block *entry = f->ir->first;
    size_t next = 0;
    for (size_t i = 0; i < f->proto.rets.len; i++) {
        const struct px_place *r = &f->proto.rets.data[i];
        struct ir_value *place = px_by_value(&f->proto, i) ? NULL : entry->params.data[next++];
        if (r->type == IR_VOID) {
            bind_bytes(p, r, place);
            continue;
        }
        struct px_result result = {bind_register(p, r, &vector), place};
        vec_push(p->a, &ptx_of(p)->results, result);
    }
    vec_each (struct px_place, v, &f->proto.params) {
        struct ir_value *x = entry->params.data[next++];
        if (v->type == IR_VOID) {
            bind_bytes(p, v, x);
            continue;
        }
        if (ir_kind(x->type) == IR_PTR)
            x = ir_build1(&p->b, IR_OP_cvta, IR_PTR_TO(IR_SPACE_GENERIC), x);
        px_write(p, bind_register(p, v, &vector), px_bits_as(p, x, v->type));
    }
}

static void lower_function(struct px *p, struct px_func *f)
{
    struct ptx *x = ptx_of(p);
    x->fn = f;
    x->unit = f->unit;
    x->results.len = 0;
    ir_ssa_begin(&x->ssa, p->a, p->m);
    px_begin(p, f->ir, &x->ssa);
    p->b.span = f->span;
    struct ir_block *entry = px_block(p, "entry", 0);
    px_start(p, entry);
    bind_params(p, f);
    p->at = (size_t)(f->body - p->tokens);
    if (!px_body(p, true))
        return;
    if (f->kernel && f->workspace)
        start_together(p);
    if (!px_lower(p))
        return;
    do_return(p);
    ir_ssa_finish(&x->ssa);
    ir_replace_forwarded(f->ir);
    px_rebase_shared(p);
    ir_each_block (b, f->ir)
        b->data = NULL;
    ir_remove_unreachable(f->ir);
    ir_reconverge(p->a, f->ir);
}

static struct ir_value *text(struct px *p, struct px_func *f, const char *what, const char *z)
{
    const char *name = arena_printf(p->a, "%s.%s", f->ir->name, what);
    size_t n = strlen(z) + 1;
    struct ir_global *g = ir_global_new(p->m, intern_z(p->names, name), IR_SPACE_GLOBAL, n, 1, 0);
    g->init = (const uint8_t *)z;
    return ir_build1(&p->b, IR_OP_cvta, IR_PTR_TO(IR_SPACE_GENERIC), ir_global_value(g));
}

/* A module's other kernels are not to suffer: a body that could not be read says why when it is
 * run. */
static void fail_when_run(struct px *p, struct px_func *f)
{
    struct source_pos pos = {.path = ptx_of(p)->job->path};
    source_position(ptx_of(p)->job->sources, f->error_at.loc, &pos);
    f->ir->first = f->ir->last = NULL;
    struct ir_block *entry = ir_block_new(f->ir, "entry");
    p->b = ir_builder_at_end(entry);
    p->b.span = f->error_at;
    struct ir_value *args[4] = {text(p, f, "error", f->error), text(p, f, "file", pos.path),
                                px_int(p, IR_I32, pos.line), text(p, f, "name", f->ir->name)};
    ir_build(&p->b, IR_OP_assertfail, IR_VOID, args, 4);
    ir_build(&p->b, IR_OP_unreachable, IR_VOID, NULL, 0);
}

/* What is wrong inside of a body is kept until all bodies are read: see ptx_front. */
static void report(struct px *p, struct span at, const char *text)
{
    struct px_func *f = ptx_of(p)->fn;
    if (!f) {
        diag_error(ptx_of(p)->diag, at, "%s", text);
    } else if (!f->error) {
        f->error = text;
        f->error_at = at;
    }
}

bool ptx_front(struct ptx_job *job)
{
    static const struct px_host host = {.error = report,
                                        .find = px_module_name,
                                        .special = special,
                                        .directive = px_body_directive,
                                        .labelled = px_body_labelled,
                                        .call = px_calls,
                                        .ret = do_return};
    struct ptx *x = arena_new(job->arena, struct ptx);
    struct px *p = arena_new(job->arena, struct px);
    *x = (struct ptx){.job = job, .diag = job->diag};
    *p = (struct px){
        .host = &host, .owner = x, .a = job->arena, .m = job->module, .names = job->names};
    unsigned errors = job->diag->errors;
    struct source_file *f = source_add(job->sources, job->path, job->text, job->len, 0);
    if (!f) {
        diag_error(job->diag, span_at(0, 0), "%s is too large", job->path);
        return false;
    }
    x->file = f;
    map_init(&x->globals, p->a);
    map_init(&p->scope, p->a);
    if (!px_lex(p, f->text, f->len, f->base) || !px_parse(p))
        return false;
    bool kernels = false;
    find_workspaces(p);
    vec_each (struct px_func *, it, &x->funcs)
        if ((*it)->body) {
            lower_function(p, *it);
            kernels |= (*it)->kernel && !(*it)->error;
        }
    vec_each (struct px_func *, it, &ptx_of(p)->funcs) {
        if (!(*it)->error)
            continue;
        if (kernels) {
            diag_warn(job->diag, "ptx", (*it)->error_at, "%s", (*it)->error);
            fail_when_run(p, *it);
        } else {
            diag_error(job->diag, (*it)->error_at, "%s", (*it)->error);
        }
    }
    return job->diag->errors == errors;
}
