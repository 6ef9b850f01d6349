/* The front end as one function: preprocess, parse declarations, find the kernels that were asked
 * for, compile everything they reach. */
#include <stdlib.h>
#include <string.h>
#include "front/cuda/host/host.h"
#include "front/cuda/sema/sema.h"
#include "ir/ir.h"

static void init_names(struct front *f)
{
    const struct {
        const char **into;
        const char *text;
    } names[] = {
        {&f->n_std, "std"},
        {&f->n_this, "this"},
        {&f->n_operator, "operator"},
        {&f->n_main, "main"},
        {&f->n_unnamed, "(unnamed)"},
        {&f->n_initializer_list, "initializer_list"},
        {&f->n_begin, "begin"},
        {&f->n_end, "end"},
        {&f->n_size, "size"},
        {&f->n_data, "data"},
        {&f->n_get, "get"},
        {&f->n_tuple_size, "tuple_size"},
        {&f->n_tuple_element, "tuple_element"},
        {&f->n_type, "type"},
        {&f->n_value, "value"},
        {&f->n_override, "override"},
        {&f->n_final, "final"},
        {&f->n_ctor, "(constructor)"},
        {&f->n_dtor, "(destructor)"},
        {&f->n_assign, "operator="},
        {&f->n_cuda, "cuda"},
        {&f->n_printf, "printf"},
        {&f->n_anon, "(anonymous namespace)"},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        *names[i].into = intern_z(f->names, names[i].text);
}

/* ---- kernels by name expression ---- */

struct request {
    const char *text;
    struct func *out;
    struct var *var; /* instead, where variables may be asked for */
};

enum { MOST_PARAMETERS = 256 };

/* (float*, int) behind the name, where several templates have it: their type then; or NULL. */
static struct type *requested_type(struct front *f, const struct request *r)
{
    struct type *params[MOST_PARAMETERS];
    size_t n = 0;
    if (!cu_accept(f, PUNCT_LPAREN))
        return NULL;
    while (!cu_accept(f, PUNCT_RPAREN)) {
        if (n == MOST_PARAMETERS || cu_tok(f)->kind == TOKEN_EOF)
            cu_error(f, cu_span(f), "'%s' is not the name of a kernel", r->text);
        params[n++] = cu_parse_type_id(f);
        cu_accept(f, PUNCT_COMMA);
    }
    return cu_func_type(f, cu_type(f, TY_VOID), params, n, false, 0, REF_NONE);
}

/* Of functions with the name, only kernels are meant. */
static void keep_kernels(struct front *f, struct expr *e)
{
    struct decl **kernels = arena_array(f->a, struct decl *, e->u.set.ndecls);
    size_t n = 0;
    for (size_t i = 0; i < e->u.set.ndecls; i++) {
        struct decl *d = cu_strip_using(e->u.set.decls[i]);
        const struct func *fn = NULL;
        if (d->kind == DECL_FUNC)
            fn = (struct func *)d;
        else if (d->kind == DECL_TEMPLATE && ((struct template_info *)d)->kind == TEMPLATE_FUNC)
            fn = cu_pattern(f, (struct template_info *)d);
        if (fn && (fn->where & WHERE_GLOBAL))
            kernels[n++] = e->u.set.decls[i];
    }
    if (n) {
        e->u.set.decls = kernels;
        e->u.set.ndecls = n;
    }
}

/* The variable of the device that an expression names, or NULL. */
static struct var *requested_variable(struct front *f, const struct expr *e)
{
    if (!f->job->alone || e->kind != EX_VAR)
        return NULL;
    struct var *v = e->u.var;
    const bool there =
        v->space == SPACE_DEVICE || v->space == SPACE_CONSTANT || v->space == SPACE_MANAGED;
    return there && !v->func ? v : NULL;
}

/* The text is tokenised like a file of its own and parsed at global scope. */
static void parse_request(struct front *f, void *arg)
{
    struct request *r = arg;
    struct qname q;
    cu_parse_qname(f, &q, QN_EXPR);
    struct type *type = requested_type(f, r);
    if (cu_tok(f)->kind != TOKEN_EOF)
        cu_error(f, cu_span(f), "'%s' is not the name of a kernel", r->text);
    struct expr *e = cu_name_expr(f, &q);
    r->var = requested_variable(f, e);
    if (r->var)
        return;
    if (e->kind != EX_OVERLOAD)
        cu_error(f, e->span, "'%s' is not a kernel", r->text);
    keep_kernels(f, e);
    struct func *fn = cu_resolve_address(f, e, type);
    if (!fn && type)
        fn = cu_resolve_address(f, e, NULL);
    if (!fn) {
        for (size_t i = 0; i < e->u.set.ndecls; i++) {
            struct decl *d = cu_strip_using(e->u.set.decls[i]);
            if (d->kind == DECL_FUNC && (((struct func *)d)->where & WHERE_GLOBAL) && !q.has_targs)
                fn = (struct func *)d;
        }
    }
    if (!fn) {
        if (f->caught.set)
            cu_error(f, e->span, "'%s' cannot be instantiated: %s", r->text, f->caught.message);
        cu_error(f, e->span, "'%s' needs its template arguments, or fits several kernels", r->text);
    }
    if (!(fn->where & WHERE_GLOBAL))
        cu_error_note(f, e->span, fn->d.span, "declared here",
                      "'%s' is not a kernel: it has no __global__", r->text);
    r->out = fn;
}

/* Floats are demangled as (double)[4004000000000000], the bits; C++ writes them as 0x1.4p+1. */
static const char *with_floats(struct front *f, const char *text)
{
    struct sbuf b;
    sbuf_init(&b, f->a);
    for (const char *p = text; *p; p++) {
        const bool wide = !strncmp(p, "(double)[", 9), narrow = !strncmp(p, "(float)[", 8);
        char *end = NULL;
        const uint64_t bits = wide || narrow ? strtoull(p + (wide ? 9 : 8), &end, 16) : 0;
        if (!end || *end != ']') {
            sbuf_putc(&b, *p);
            continue;
        }
        double d;
        float s;
        const uint32_t word = (uint32_t)bits;
        memcpy(&d, &bits, sizeof d);
        memcpy(&s, &word, sizeof s);
        sbuf_printf(&b, wide ? "(%a)" : "(%af)", wide ? d : (double)s);
        p = end;
    }
    return b.data;
}

/* The tokens of all name expressions, behind those of the unit: templates are parsed again from
 * these. starts[i]: where the i-th begins. */
static bool append_requests(struct front *f, size_t *starts)
{
    const struct front_job *job = f->job;
    const struct pp_options opt = {.no_prelude = true, .device = true};
    struct pp_result *read = arena_array(f->a, struct pp_result, job->nrequests);
    size_t total = f->ntoks;
    for (size_t i = 0; i < job->nrequests; i++) {
        const char *text = with_floats(f, job->requests[i]);
        if (!pp_run(f->a, f->names, f->sm, f->diag, &opt, "(name expression)", text, strlen(text),
                    &read[i]))
            return false;
        starts[i] = total;
        total += read[i].tokens.len;
    }
    struct token *all = arena_array(f->a, struct token, total + 1);
    memcpy(all, f->toks, f->ntoks * sizeof *all);
    f->requests_at = f->ntoks;
    for (size_t i = 0; i < job->nrequests; i++)
        memcpy(all + starts[i], read[i].tokens.data, read[i].tokens.len * sizeof *all);
    arena_drop(f->a, f->job->preprocessed.tokens.data, f->ntoks * sizeof *all);
    f->job->preprocessed.tokens = (struct token_list){all, total};
    f->toks = all;
    f->ntoks = total;
    return cu_tokens_init(f);
}

/* What was asked for by name expression; neither a kernel nor a variable where there is none. */
static struct request *read_requests(struct front *f)
{
    const struct front_job *job = f->job;
    struct request *wanted = arena_array(f->a, struct request, job->nrequests + 1);
    size_t *starts = arena_array(f->a, size_t, job->nrequests + 1);
    if (!job->nrequests || !append_requests(f, starts))
        return wanted;
    const size_t pos = f->pos;
    for (size_t i = 0; i < job->nrequests; i++) {
        wanted[i].text = job->requests[i];
        f->pos = starts[i];
        f->scope = f->global;
        cu_try(f, parse_request, &wanted[i]);
    }
    f->pos = pos;
    return wanted;
}

/* So that they are lowered, though nothing in the source may reach them. */
static void list_requests(struct front *f, const struct request *wanted)
{
    for (size_t i = 0; i < f->job->nrequests; i++) {
        if (wanted[i].var)
            vec_push(f->a, &f->variables, wanted[i].var);
        if (!wanted[i].out)
            continue;
        bool listed = false;
        vec_each (struct func *, it, &f->kernels)
            listed |= *it == wanted[i].out;
        if (!listed)
            vec_push(f->a, &f->kernels, wanted[i].out);
    }
}

static void name_requests(struct front_job *job, const struct request *wanted)
{
    for (size_t i = 0; i < job->nrequests; i++)
        if (wanted[i].out && wanted[i].out->ir)
            job->request_names[i] = ((struct ir_func *)wanted[i].out->ir)->name;
        else if (wanted[i].var && wanted[i].var->ir)
            job->request_names[i] = ((struct ir_global *)wanted[i].var->ir)->name;
}

/* ---- entry ---- */

static void parse_unit(struct front *f, void *arg)
{
    (void)arg;
    cu_parse_unit(f);
}

#ifdef TERN_SMALL
#define enter_phase(job, name) ((void)0)
#else
static void enter_phase(const struct front_job *job, const char *name)
{
    if (job->phase)
        job->phase(job->phase_ctx, name);
}
#endif

#if !defined(TERN_SMALL) || defined(TERN_WHOLE)
/* Printed text with closures: they become classes in it, and it is read again. What the command
 * line says is in it already. */
static bool read_hoisted(struct front *f, const struct sbuf *printed, struct sbuf *out)
{
    struct front_job *job = f->job;
    job->preprocessed = (struct pp_result){0};
    job->pp.nswitches = 0;
    return host_hoist(f->a, f->sm, f->diag, job->path, printed->data, printed->len, !cu_host(f),
                      out) &&
           pp_run(f->a, f->names, f->sm, f->diag, &job->pp, job->path, out->data, out->len,
                  &job->preprocessed);
}

/* Host code with closures for the device: they become classes that the device half has too, in the
 * text, which is then read again. */
static bool hoist(struct front *f)
{
    struct front_job *job = f->job;
    struct sbuf printed, out;
    bool any = false;
    const struct token_list *t = &job->preprocessed.tokens;
    for (size_t i = 1; i < t->len && !any; i++)
        any = t->data[i].kind == TOKEN_IDENT && t->data[i - 1].kind == TOKEN_PUNCT &&
              t->data[i - 1].punct == PUNCT_RBRACKET &&
              (!strcmp(t->data[i].u.name, "__device__") || !strcmp(t->data[i].u.name, "__host__"));
    if (!any)
        return true;
    sbuf_init(&printed, f->a);
    sbuf_init(&out, f->a);
    pp_print(&job->preprocessed, f->sm, &printed);
    return !host_has_closures(printed.data) || read_hoisted(f, &printed, &out);
}

/* The same of a device half, whose text is wanted. */
static bool print_hoisted(struct front *f)
{
    struct sbuf printed, hoisted;
    sbuf_init(&printed, f->a);
    sbuf_init(&hoisted, f->a);
    pp_print(&f->job->preprocessed, f->sm, &printed);
    if (host_has_closures(printed.data)) {
        if (!read_hoisted(f, &printed, &hoisted))
            return false;
        printed = hoisted;
    }
    sbuf_put(f->job->print, printed.data, printed.len);
    return true;
}
#else
#define hoist(f)         true
#define print_hoisted(f) true
#endif

/* The device half of whole programs comes here as it is where pages compile them; elsewhere
 * driver/half.c has been at it. */
static bool hoists(const struct front *f)
{
#if defined(TERN_WHOLE)
    (void)f;
    return true;
#else
    return cu_host(f);
#endif
}

bool cuda_front(struct front_job *job)
{
    struct front *f = arena_new(job->arena, struct front);
    f->a = job->arena;
    f->names = job->names;
    f->sm = job->sources;
    f->diag = job->diag;
    f->job = job;
    job->pp.requests = job->requests;
    job->pp.nrequests = job->nrequests;
    enter_phase(job, "preprocess");
    if (!pp_run(f->a, f->names, f->sm, f->diag, &job->pp, job->path, job->text, job->len,
                &job->preprocessed))
        return false;
    if (!(job->print ? print_hoisted(f) : !hoists(f) || hoist(f)))
        return false;
    f->toks = job->preprocessed.tokens.data;
    f->ntoks = job->preprocessed.tokens.len;
    if (!f->ntoks || !cu_tokens_init(f))
        return false;
    enter_phase(job, "declare"); /* bodies are read when something reaches them */
    init_names(f);
    map_init(&f->raced, f->a);
    cu_types_init(f);
    f->noexcept_types = pp_standard(job->pp.standard) >= 201703;
    cu_builtins_init(f);
    f->global = cu_scope_new(f, SCOPE_GLOBAL, NULL);
    f->scope = f->global;
    if (!cu_try(f, parse_unit, NULL))
        return false;
    job->request_names = arena_array(job->arena, const char *, job->nrequests + 1);
    if (job->only_requests)
        f->kernels.len = 0;
    const struct request *wanted = read_requests(f);
    list_requests(f, wanted);
    if (f->diag->stop)
        return false;
    enter_phase(job, "lower");
    bool ok = cu_lower_all(f);
    name_requests(job, wanted);
    return ok && f->diag->errors == 0;
}
