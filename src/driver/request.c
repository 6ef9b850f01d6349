/* Answers requests that come as data; see request.h. */
#include <string.h>
#include "advise/advise.h"
#include "driver/request.h"

/* ---- reading ---- */

struct request {
    struct compile_options compile;
    struct back_options back;
    uint32_t block[3];
    const char *to;
    const struct back_target *target; /* NULL: IR */
    bool analyze;
    struct str source;
    const struct json_value *files;
    const char **find; /* kernels by their mangled names */
    size_t nfind;
};

static const char *text_of(struct arena *a, const struct json_value *v, const char *otherwise)
{
    return v && v->kind == JSON_STRING ? arena_strndup(a, v->string.ptr, v->string.len) : otherwise;
}

static uint32_t number_of(const struct json_value *v, uint32_t otherwise)
{
    return v && v->kind == JSON_NUMBER && v->number >= 0 && v->number <= UINT32_MAX
               ? (uint32_t)v->number
               : otherwise;
}

static bool truth_of(const struct json_value *v, bool otherwise)
{
    return v && v->kind == JSON_BOOL ? v->boolean : otherwise;
}

static const char **texts_of(struct arena *a, const struct json_value *v, size_t *n)
{
    *n = 0;
    if (!v || v->kind != JSON_ARRAY)
        return NULL;
    const char **out = arena_array(a, const char *, v->count + 1);
    for (const struct json_value *e = v->first; e; e = e->next)
        if (e->kind == JSON_STRING)
            out[(*n)++] = text_of(a, e, NULL);
    return out;
}

/* Files that came with the request; the front end names them as the #include did. */
static char *read_from_request(void *ctx, struct arena *a, const char *path, size_t *len)
{
    const struct json_value *files = ctx;
    while (!strncmp(path, "./", 2))
        path += 2;
    const struct json_value *v = files && files->kind == JSON_OBJECT ? json_get(files, path) : NULL;
    if (!v || v->kind != JSON_STRING)
        return NULL;
    *len = v->string.len;
    return arena_strndup(a, v->string.ptr, v->string.len);
}

static void read_defines(struct arena *a, const struct json_value *v, struct compile_options *o)
{
    size_t n;
    const char **texts = texts_of(a, v, &n);
    struct compile_define *d = arena_array(a, struct compile_define, n + 1);
    for (size_t k = 0; k < n; k++)
        d[k] = (struct compile_define){'D', texts[k]};
    o->defines = d;
    o->ndefines = n;
}

/* A number, a truth value, or an array of numbers: how many there are. */
static size_t read_numbers(const struct json_value *v, uint32_t *out, size_t most)
{
    size_t n = 0;
    if (v && v->kind == JSON_BOOL)
        out[n++] = v->boolean;
    else if (v && v->kind == JSON_NUMBER)
        out[n++] = number_of(v, 0);
    else if (v && v->kind == JSON_ARRAY)
        for (const struct json_value *e = v->first; e && n < most; e = e->next)
            out[n++] = number_of(e, 0);
    return n;
}

/* What the target understands of the request. What pages show people needs nothing else to run. */
static const void *read_options(struct arena *a, const struct json_value *v,
                                const struct back_target *t)
{
    const uint32_t yes = 1;
    void *own = arena_alloc(a, t->option_bytes);
    memset(own, 0, t->option_bytes);
    back_option_set(t, own, "standalone", &yes, 1);
    for (size_t k = 0; k < t->noptions; k++) {
        uint32_t numbers[BACK_MOST_BYTES];
        const char *name = t->options[k].name;
        back_option_set(t, own, name, numbers,
                        read_numbers(json_get(v, name), numbers, BACK_MOST_BYTES));
    }
    return own;
}

#if !defined(TERN_SMALL) || defined(TERN_WHOLE)
/* Of whole programs: the host half asks for kernels, and has variables. */
static void read_places(struct arena *a, const struct json_value *v, struct back_options *o)
{
    if (!v || v->kind != JSON_OBJECT)
        return;
    struct back_place *places = arena_array(a, struct back_place, v->count + 1);
    for (const struct json_value *e = v->first; e; e = e->next)
        places[o->nplaces++] = (struct back_place){e->key, number_of(e, 0)};
    o->places = places;
}

static void read_whole(struct arena *a, const struct json_value *v, struct request *r)
{
    r->compile.host = r->compile.host_wasm = r->back.host = truth_of(json_get(v, "host"), false);
    r->find = texts_of(a, json_get(v, "find"), &r->nfind);
    read_places(a, json_get(v, "places"), &r->back);
}
#endif

static const char *read_request(struct arena *a, const char *json, size_t len, struct request *r)
{
    size_t at;
    const char *why = NULL;
    const struct json_value *v = json_parse(a, json, len, &at, &why);
    if (!v || v->kind != JSON_OBJECT)
        return v || !why ? "the request is no object" : why;
    const struct json_value *source = json_get(v, "source");
    if (!source || source->kind != JSON_STRING)
        return "the request has no source";
    r->source = source->string;
    r->analyze = !strcmp(text_of(a, json_get(v, "do"), "compile"), "analyze");
    r->to = text_of(a, json_get(v, "to"), "ir");
    r->files = json_get(v, "files");
    static const char *const here[] = {"."}; /* <name> is looked for among the files, too */
    r->target = back_find(r->to);
    r->compile = (struct compile_options){
        .path = text_of(a, json_get(v, "path"), "kernel.cu"),
        .level = number_of(json_get(v, "level"), r->analyze || strcmp(r->to, "ir") ? 2 : 0),
        .mode = {.no_fmad = !truth_of(json_get(v, "fmad"), true),
                 .fast_f64 = !strcmp(text_of(a, json_get(v, "f64"), "exact"), "fast")},
        .rolled = r->target && r->target->rolled,
        .include_dirs = here,
        .ninclude_dirs = 1,
        .read_file = read_from_request,
        .read_ctx = (void *)r->files,
    };
    if (r->compile.level > 2)
        r->compile.level = 2;
    r->compile.names = texts_of(a, json_get(v, "names"), &r->compile.nnames);
    read_defines(a, json_get(v, "defines"), &r->compile);
    r->back = (struct back_options){.kernel = text_of(a, json_get(v, "kernel"), NULL),
                                    .line_info = truth_of(json_get(v, "lines"), false),
                                    .beside = truth_of(json_get(v, "beside"), false),
                                    .own = r->target ? read_options(a, v, r->target) : NULL};
    r->compile.native = !r->target || (r->target->native && r->target->native(r->back.own));
#if !defined(TERN_SMALL) || defined(TERN_WHOLE)
    read_whole(a, v, r);
#endif
    read_numbers(json_get(v, "block"), r->block, 3);
    return NULL;
}

/* ---- analysis ---- */

static void key_uint(struct json_writer *w, const char *key, uint64_t v)
{
    json_key(w, key);
    json_uint(w, v);
}

static void key_bool(struct json_writer *w, const char *key, bool v)
{
    json_key(w, key);
    json_bool(w, v);
}

static void key_str(struct json_writer *w, const char *key, const char *v)
{
    json_key(w, key);
    json_str(w, v);
}

static void write_position(const struct compilation *c, struct json_writer *w, struct span at)
{
    struct source_pos pos;
    if (!c->diag.sources || !at.loc || !source_position(c->diag.sources, at.loc, &pos))
        return;
    key_str(w, "file", pos.path);
    key_uint(w, "line", pos.line);
    key_uint(w, "column", pos.column);
    key_uint(w, "length", at.len);
}

static void write_params(const struct analysis *z, struct json_writer *w)
{
    char buf[32];
    json_key(w, "params");
    json_array(w);
    for (size_t k = 0; k < z->kernel->params.len; k++) {
        const struct ir_param *p = &z->kernel->params.data[k];
        const struct analysed_param *q = &z->params[k];
        json_object(w);
        key_str(w, "name", p->name ? p->name : "");
        key_str(w, "type",
                p->byval_size                       ? "class"
                : ir_class(p->type) == IR_CLASS_PTR ? "ptr"
                                                    : ir_type_name(p->type, buf));
        key_uint(w, "offset", p->offset);
        if (p->byval_size)
            key_uint(w, "size", p->byval_size);
        else if (ir_class(p->type) == IR_CLASS_PTR) {
            key_str(w, "element", q->element ? ir_type_name(q->element, buf) : NULL);
            key_bool(w, "reads", q->reads);
            key_bool(w, "writes", q->writes);
        }
        json_end(w);
    }
    json_end(w);
}

static void write_findings(const struct compilation *c, const struct analysis *z,
                           struct json_writer *w)
{
    json_key(w, "findings");
    json_array(w);
    vec_each (struct finding, f, &z->findings) {
        json_object(w);
        key_str(w, "kind", advise_findings[f->kind].name);
        write_position(c, w, f->span);
        key_str(w, "message", f->message);
        key_str(w, "hint", advise_findings[f->kind].hint);
        if (f->times)
            key_uint(w, "times", f->times);
        json_end(w);
    }
    json_end(w);
}

static void write_kernel(const struct compilation *c, const struct analysis *z,
                         struct json_writer *w)
{
    const struct ir_func *f = z->kernel;
    json_object(w);
    key_str(w, "name", f->name);
    if (f->display)
        key_str(w, "display", f->display);
    write_position(c, w, f->span);
    write_params(z, w);
    key_uint(w, "sharedBytes", z->shared_bytes);
    key_bool(w, "dynamicShared", z->dynamic_shared);
    key_uint(w, "localBytes", z->local_bytes);
    key_uint(w, "registers", z->registers);
    key_uint(w, "loads", z->loads);
    key_uint(w, "stores", z->stores);
    key_uint(w, "atomics", z->atomics);
    key_uint(w, "barriers", z->barriers);
    key_bool(w, "warpOperations", z->warps);
    key_bool(w, "doubles", z->doubles);
    key_bool(w, "prints", z->prints);
    key_uint(w, "dimensions", z->dimensions);
    key_uint(w, "blockDimensions", z->block_dimensions);
    if (f->max_threads)
        key_uint(w, "maxThreads", f->max_threads);
    write_findings(c, z, w);
    json_end(w);
}

/* Is it a kernel, and none of our headers' own? */
static bool is_of_source(const struct ir_func *f)
{
    return f->flags & IR_FUNC_KERNEL && f->first && strncmp(f->name, "__tern_", 7) != 0;
}

static void write_kernels(struct compilation *c, const uint32_t block[3], struct json_writer *w)
{
    json_key(w, "kernels");
    json_array(w);
    ir_each_func (f, c->module) {
        struct analysis z;
        if (!is_of_source(f))
            continue;
        advise_kernel(&c->arena, f, block, &z);
        write_kernel(c, &z, w);
    }
    json_end(w);
    json_key(w, "globals");
    json_array(w);
    ir_each_global (g, c->module)
        if (g->space != IR_SPACE_SHARED && (g->flags & IR_GLOBAL_EXPORT)) {
            json_object(w);
            key_str(w, "name", g->name);
            key_uint(w, "size", g->size);
            json_end(w);
        }
    json_end(w);
}

/* The same for people: a line for each kernel, then its findings where they are. */
static void describe_kernel(struct compilation *c, const struct analysis *z, bool color,
                            struct sbuf *out)
{
    const struct ir_func *f = z->kernel;
    struct diag d;
    sbuf_printf(out, "%s: about %u registers, %u bytes of shared memory%s",
                f->display ? f->display : f->name, z->registers, z->shared_bytes,
                z->dynamic_shared ? " and more given at launch" : "");
    if (z->local_bytes)
        sbuf_printf(out, ", %u bytes of local memory", z->local_bytes);
    sbuf_printf(out, "; loads %u, stores %u, atomics %u, barriers %u%s%s\n", z->loads, z->stores,
                z->atomics, z->barriers, z->warps ? ", warp operations" : "",
                z->doubles ? ", double precision" : "");
    diag_init(&d, &c->arena, c->diag.sources);
    vec_each (struct finding, found, &z->findings) {
        diag_add(&d, DIAG_REMARK, found->span, "%s: %s", advise_findings[found->kind].name,
                 found->message);
        diag_add(&d, DIAG_NOTE, span_at(0, 0), "%s", advise_findings[found->kind].hint);
    }
    diag_render_text(&d, out, color);
}

enum tern_error request_analysis(struct compilation *c, const uint32_t block[3],
                                 enum request_form form, struct sbuf *out)
{
    struct json_writer w;
    if (setjmp(c->unwind))
        return TERN_OUT_OF_MEMORY;
    if (form == REQUEST_JSON) {
        json_begin(&w, out, true);
        json_object(&w);
        write_kernels(c, block, &w);
        json_end(&w);
        sbuf_putc(out, '\n');
    } else {
        ir_each_func (f, c->module) {
            struct analysis z;
            if (!is_of_source(f))
                continue;
            advise_kernel(&c->arena, f, block, &z);
            describe_kernel(c, &z, form == REQUEST_COLOR, out);
        }
    }
    return out->failed ? TERN_OUT_OF_MEMORY : TERN_OK;
}

/* ---- answering ---- */

static void refuse(struct sbuf *reply, const char *why)
{
    struct json_writer w;
    reply->len = 0;
    json_begin(&w, reply, false);
    json_object(&w);
    key_bool(&w, "ok", false);
    json_key(&w, "diagnostics");
    json_array(&w);
    json_object(&w);
    key_str(&w, "severity", "error");
    key_str(&w, "message", why);
    json_end(&w);
    json_end(&w);
    json_end(&w);
}

#if !defined(TERN_SMALL) || defined(TERN_WHOLE)
/* What kernels are called in the output that were asked for in other words. */
static void write_found(const struct compilation *c, const struct request *r, struct json_writer *w)
{
    json_key(w, "found");
    json_object(w);
    for (size_t k = 0; k < r->nfind; k++) {
        const struct ir_func *f = ir_kernel_find(c->module, r->find[k]);
        if (f)
            key_str(w, r->find[k], f->name);
    }
    vec_each (struct compile_request, q, &c->requests)
        key_str(w, q->text, q->name);
    json_end(w);
}
#endif

static void write_reply(struct compilation *c, const struct request *r, bool ok, bool binary,
                        const struct sbuf *diagnostics, struct sbuf *reply)
{
    struct json_writer w;
    json_begin(&w, reply, false);
    json_object(&w);
    key_bool(&w, "ok", ok);
    json_key(&w, "diagnostics");
    json_raw(&w, diagnostics->data, diagnostics->len);
    if (ok && r->analyze)
        write_kernels(c, r->block, &w);
    else
        key_bool(&w, "binary", binary);
#if !defined(TERN_SMALL) || defined(TERN_WHOLE)
    if (ok && (r->nfind || c->requests.len))
        write_found(c, r, &w);
#endif
    json_end(&w);
}

static void refuse_target(struct sbuf *reply, const char *to)
{
    struct sbuf why;
    sbuf_init(&why, NULL);
    sbuf_printf(&why, "there is no target '%.40s': ir", to);
    for (size_t k = 0; back_targets[k]; k++)
        sbuf_printf(&why, ", %s", back_targets[k]->name);
    refuse(reply, why.failed ? "there is no such target" : why.data);
    sbuf_free(&why);
}

static void answer(struct request *r, struct sbuf *reply, struct sbuf *output)
{
    const struct back_target *t = r->target;
    struct compilation c;
    struct sbuf diagnostics;
    const char *volatile why = NULL; /* read after a jump, too */
    if (!t && strcmp(r->to, "ir")) {
        refuse_target(reply, r->to);
        return;
    }
    sbuf_init(&diagnostics, NULL);
    enum tern_error e = compile_source(&c, &r->compile, r->source.ptr, r->source.len);
    const struct ir_func *kernel =
        e == TERN_OK && r->back.kernel ? ir_kernel_find(c.module, r->back.kernel) : NULL;
    if (kernel)
        r->back.kernel = kernel->name;
    if (e == TERN_OK && r->back.kernel && !kernel)
        why = "there is no such kernel";
    else if (e == TERN_OK && !r->analyze && t)
        e = compile_emit(&c, t, &r->back, output);
    else if (e == TERN_OK && !r->analyze)
        ir_print(c.module, output, r->back.line_info ? IR_PRINT_LOCS : 0);
    diag_render_json(&c.diag, &diagnostics);
    if (!why && setjmp(c.unwind))
        why = "out of memory";
    else if (!why)
        write_reply(&c, r, e == TERN_OK, t && t->binary, &diagnostics, reply);
    if (!why && (reply->failed || output->failed || diagnostics.failed))
        why = "out of memory";
    if (why)
        refuse(reply, why);
    compile_free(&c);
    sbuf_free(&diagnostics);
}

void request_answer(const char *json, size_t len, struct sbuf *reply, struct sbuf *output)
{
    struct mem mem = {0};
    struct arena a;
    jmp_buf unwind;
    struct request r = {0};
    mem.unwind = &unwind;
    arena_init(&a, &mem);
    if (setjmp(unwind)) {
        mem_release(&mem);
        refuse(reply, "out of memory");
        return;
    }
    const char *why = read_request(&a, json, len, &r);
    if (why)
        refuse(reply, why);
    else
        answer(&r, reply, output);
    mem_release(&mem);
}
