/* The host half of a program as a module of WebAssembly: see doc/wasm-abi.md.
 *
 * Functions from outside are imports, each under its name, in a module that is named by the types
 * of the call: "pid>i" is (pointer, i32, double) → i32. One that takes any number of arguments is
 * imported once for each list of types it is called with, so that JavaScript has the arguments as
 * they are. The table has all functions by number, imports first. */
#include <string.h>
#include "back/plain.h"
#include "back/wasm/wasm_int.h"

struct import {
    const char *types, *name; /* interned */
    uint32_t signature;
};
struct wasm_host {
    VEC(struct import) imports;
};

static char letter(ir_type t)
{
    if (ir_class(t) == IR_CLASS_PTR)
        return 'p';
    switch (wasm_type(t)) {
    case WASM_I64: return 'l';
    case WASM_F32: return 'f';
    case WASM_F64: return 'd';
    default: return 'i';
    }
}

static uint32_t import(struct wasm *w, const char *name, const ir_type *types, uint32_t n,
                       ir_type result)
{
    struct sbuf b;
    sbuf_init(&b, w->arena);
    for (uint32_t k = 0; k < n; k++)
        sbuf_putc(&b, letter(types[k]));
    sbuf_putc(&b, '>');
    if (result != IR_VOID)
        sbuf_putc(&b, letter(result));
    struct import i = {intern(w->module->names, b.data, b.len), intern_z(w->module->names, name),
                       wasm_signature(w, types, n, result)};
    vec_each (struct import, known, &w->host->imports)
        if (known->types == i.types && known->name == i.name)
            return (uint32_t)(known - w->host->imports.data);
    vec_push(w->arena, &w->host->imports, i);
    return (uint32_t)w->host->imports.len - 1;
}

uint32_t wasm_import_of(struct wasm *w, const struct ir_inst *i)
{
    const ir_type pointer = IR_PTR_TO(IR_SPACE_GENERIC);
    if (i->op == IR_OP_malloc)
        return import(w, "__tern_new", (const ir_type[]){IR_I64}, 1, pointer);
    if (i->op == IR_OP_free)
        return import(w, "free", &pointer, 1, IR_VOID);
    ir_type *types = arena_array(w->arena, ir_type, i->nargs);
    for (uint32_t k = 1; k < i->nargs; k++)
        types[k - 1] = i->args[k]->type;
    return import(w, i->args[0]->u.func->name, types, i->nargs - 1, i->type);
}

/* A function from outside whose address is taken is called by the types it was declared with. */
static void take_address(struct wasm *w, const struct ir_value *v)
{
    if (v->kind != IR_VALUE_FUNC || v->u.func->first || map_get(&w->func_index, map_key(v->u.func)))
        return;
    struct ir_func *f = v->u.func;
    ir_type *types = arena_array(w->arena, ir_type, f->params.len + 1);
    for (size_t k = 0; k < f->params.len; k++)
        types[k] = f->params.data[k].type;
    const uintptr_t number = import(w, f->name, types, (uint32_t)f->params.len, f->ret);
    map_set(&w->func_index, map_key(f), (void *)(number + 1));
}

static void find_imports(struct wasm *w)
{
    ir_each_func (f, w->module)
        ir_each_block (b, f)
            for (const struct ir_inst *i = b->first; i; i = i->next) {
                const bool through = i->op == IR_OP_call_ptr && i->args[0]->kind == IR_VALUE_FUNC &&
                                     !i->args[0]->u.func->first;
                if (through || i->op == IR_OP_malloc || i->op == IR_OP_free)
                    wasm_import_of(w, i);
                for (uint32_t k = through; k < i->nargs; k++)
                    take_address(w, i->args[k]);
                for (uint32_t e = 0; e < i->nedges; e++)
                    for (uint32_t k = 0; k < i->edges[e].nargs; k++)
                        take_address(w, i->edges[e].args[k]);
            }
    ir_each_global (g, w->module)
        vec_each (struct ir_reloc, r, &g->relocs)
            take_address(w, r->target);
    w->nimports = (uint32_t)w->host->imports.len;
}

/* Kernels that it launches: the entry of each names its tag, two words one after the other (see
 * front/cuda/lower/host.h). */
static void describe_kernels(struct wasm *w, struct json_writer *j)
{
    json_key(j, "kernels");
    json_array(j);
    ir_each_global (g, w->module) {
        if (strncmp(g->name, "entry.", 6) != 0 || g->relocs.len != 3)
            continue;
        const char *tag = (const char *)g->relocs.data[1].target->u.global->init;
        json_object(j);
        json_key(j, "tag");
        json_str(j, tag);
        json_key(j, "name");
        json_str(j, tag + strlen(tag) + 1);
        json_end(j);
    }
    json_end(j);
}

/* Where its managed variables are, which the device half is to use (see
 * front/cuda/lower/host_init.c). */
static void describe_managed(struct wasm *w, struct json_writer *j)
{
    enum { KIND = 32, MANAGED = 2 };
    json_key(j, "managed");
    json_object(j);
    ir_each_global (g, w->module) {
        if (strncmp(g->name, "variable.", 9) != 0 || g->relocs.len != 3 || !g->init ||
            g->init[KIND] != MANAGED)
            continue;
        json_key(j, g->name + 9);
        json_uint(j, w->first + (uintptr_t)map_get(&w->global_offset,
                                                   map_key(g->relocs.data[1].target->u.global)));
    }
    json_end(j);
}

static void describe(struct wasm *w, uint64_t heap, struct sbuf *out)
{
    struct sbuf b;
    struct json_writer j;
    sbuf_init(&b, w->arena);
    wasm_name(&b, "tern");
    json_begin(&j, &b, false);
    back_describe(&j, heap, 0);
    describe_kernels(w, &j);
    describe_managed(w, &j);
    json_key(&j, "outside"); /* variables that the C library has */
    json_array(&j);
    ir_each_global (g, w->module)
        if (g->flags & IR_GLOBAL_EXTERN) {
            json_object(&j);
            json_key(&j, "name");
            json_str(&j, g->name);
            json_key(&j, "at");
            json_uint(&j, w->first + (uintptr_t)map_get(&w->global_offset, map_key(g)));
            json_end(&j);
        }
    json_end(&j);
    json_end(&j);
    wasm_section(out, 0, &b);
}

static void write_imports(struct wasm *w, uint64_t heap, struct sbuf *out)
{
    struct sbuf b;
    sbuf_init(&b, w->arena);
    wasm_uleb(&b, w->nimports + 1);
    wasm_name(&b, "tern");
    wasm_name(&b, "memory");
    sbuf_putc(&b, 2);
    sbuf_putc(&b, 0);
    wasm_uleb(&b, (heap + WASM_BEYOND + 65535) / 65536);
    vec_each (struct import, i, &w->host->imports) {
        wasm_name(&b, i->types);
        wasm_name(&b, i->name);
        sbuf_putc(&b, 0);
        wasm_uleb(&b, i->signature);
    }
    wasm_section(out, 2, &b);
}

static void write_exports(struct wasm *w, struct sbuf *out)
{
    static const char *const words[] = {"main", "__tern_host_init"};
    struct sbuf b;
    sbuf_init(&b, w->arena);
    wasm_uleb(&b, 5);
    wasm_name(&b, "table");
    sbuf_putc(&b, 1);
    wasm_uleb(&b, 0);
    wasm_name(&b, "top"); /* of the stack, which the loader finds room for */
    sbuf_putc(&b, 3);
    wasm_uleb(&b, 0);
    wasm_name(&b, "bottom");
    sbuf_putc(&b, 3);
    wasm_uleb(&b, wasm_own(WASM_STACK_BOTTOM));
    for (unsigned k = 0; k < 2; k++) {
        wasm_name(&b, words[k]);
        sbuf_putc(&b, 0);
        wasm_uleb(&b, wasm_index(w, ir_func_find(w->module, words[k])) - 1);
    }
    wasm_section(out, 7, &b);
}

static bool write_functions(struct wasm *w, struct sbuf *functions, struct sbuf *code)
{
    ir_each_func (f, w->module)
        if (f->flags & IR_FUNC_EXPORT)
            wasm_index(w, f);
    ir_each_global (g, w->module)
        vec_each (struct ir_reloc, r, &g->relocs)
            if (r->target->kind == IR_VALUE_FUNC)
                wasm_index(w, r->target->u.func);
    for (size_t n = 0; n < w->queue.len; n++) { /* grows as functions call others */
        struct ir_func *f = w->queue.data[n];
        if (!f->first) {
            diag_error(w->job->diag, f->span, "wasm: @%s is not defined", f->name);
            return false;
        }
        if (strncmp(f->name, "tern.", 5) != 0 && !back_is_plain(w->job, f))
            return false;
        wasm_uleb(functions, wasm_signature_of(w, f));
        if (!wasm_lower_func(w, f, false))
            return false;
        wasm_function(w, code);
        if (w->failed)
            return false;
    }
    return true;
}

bool wasm_host_module(struct wasm *w)
{
    struct sbuf code, functions, b, *out = w->job->out;
    w->host = arena_new(w->arena, struct wasm_host);
    uint64_t heap = w->first + lower_global_layout(w->module, &w->global_offset);
    heap = (heap + 255) & ~(uint64_t)255;
    if (!wasm_lower(w))
        return false;
    find_imports(w);
    sbuf_init(&code, w->arena);
    sbuf_init(&functions, w->arena);
    sbuf_init(&b, w->arena);
    if (!write_functions(w, &functions, &code))
        return false;
    const uint32_t count = (uint32_t)w->queue.len;
    sbuf_put(out, "\0asm\1\0\0\0", 8);
    describe(w, heap, out);
    wasm_uleb(&b, w->types.len);
    for (size_t k = 0; k < w->types.len; k++)
        sbuf_put(&b, w->types.data[k], intern_len(w->types.data[k]));
    wasm_section(out, 1, &b);
    write_imports(w, heap, out);
    b.len = 0;
    wasm_uleb(&b, count);
    sbuf_put(&b, functions.data, functions.len);
    wasm_section(out, 3, &b);
    wasm_table(out, w->arena, w->nimports + count);
    wasm_globals(out, w->arena);
    write_exports(w, out);
    wasm_elements(out, w->arena, w->nimports + count);
    b.len = 0;
    wasm_uleb(&b, count);
    sbuf_put(&b, code.data, code.len);
    wasm_section(out, 10, &b);
    wasm_data_section(w, out);
    return true;
}
