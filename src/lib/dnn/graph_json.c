/* Execution plans as text: the descriptors that one leads to, each after those it leads to itself.
 *
 *   {"tern_cudnn_plan":1,"descriptors":[[TYPE,[[NAME,TYPE,COUNT,"bytes in hexadecimal"],
 *                                              [NAME,15,COUNT,[numbers of descriptors]],…]],…]}
 *
 * The last one is the engine's configuration. Handles are not in it: who reads a plan has its own.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "lib/dnn/graph_int.h"

#define HEAD "{\"tern_cudnn_plan\":1,\"descriptors\":["

/* ---- writing ---- */

struct text {
    char *p;
    size_t used, room;
    bool failed;
};

static void put(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(struct text *t, const char *format, ...)
{
    enum { MOST = 128 }; /* of one piece */
    if (t->used + MOST > t->room) {
        char *more = realloc(t->p, t->room = 2 * t->room + 4096);
        if (!more) {
            t->failed = true;
            t->room /= 4;
            return;
        }
        t->p = more;
    }
    va_list args;
    va_start(args, format);
    t->used += (size_t)vsnprintf(t->p + t->used, MOST, format, args);
    va_end(args);
}

struct list {
    const struct graph_descriptor **p;
    int n;
};

static int number_of(const struct list *l, const struct graph_descriptor *d)
{
    int k = 0;
    while (k < l->n && l->p[k] != d)
        k++;
    return k;
}

/* Those that d leads to, then d. */
static bool collect(struct list *l, const struct graph_descriptor *d)
{
    if (number_of(l, d) < l->n)
        return true;
    for (const struct graph_value *v = d->values; v; v = v->next)
        for (int64_t k = 0; v->type == CUDNN_TYPE_BACKEND_DESCRIPTOR && k < v->count; k++)
            if (!collect(l, dnn_graph_child(d, v->name, k)))
                return false;
    const struct graph_descriptor **more = realloc(l->p, (size_t)(l->n + 1) * sizeof *more);
    if (!more)
        return false;
    l->p = more;
    l->p[l->n++] = d;
    return true;
}

static void write_value(struct text *t, const struct list *l, const struct graph_descriptor *d,
                        const struct graph_value *v)
{
    put(t, "[%d,%d,%" PRId64 ",", (int)v->name, (int)v->type, v->count);
    if (v->type == CUDNN_TYPE_BACKEND_DESCRIPTOR) {
        for (int64_t k = 0; k < v->count; k++)
            put(t, "%s%d", k ? "," : "[", number_of(l, dnn_graph_child(d, v->name, k)));
        put(t, "%s]]", v->count ? "" : "[");
        return;
    }
    put(t, "\"");
    for (size_t k = 0; k < (size_t)v->count * dnn_graph_element(v->type); k++)
        put(t, "%02x", v->data[k]);
    put(t, "\"]");
}

static void write_plan(struct text *t, const struct list *l)
{
    put(t, HEAD);
    for (int k = 0; k < l->n; k++) {
        bool any = false;
        put(t, "%s[%d,[", k ? "," : "", (int)l->p[k]->type);
        for (const struct graph_value *v = l->p[k]->values; v; v = v->next)
            if (v->type != CUDNN_TYPE_HANDLE) {
                put(t, "%s", any ? "," : "");
                write_value(t, l, l->p[k], v);
                any = true;
            }
        put(t, "]]");
    }
    put(t, "]}");
}

cudnnStatus_t dnn_graph_to_json(const struct graph_descriptor *plan, int64_t room, int64_t *given,
                                char *out)
{
    struct list l = {0};
    struct text t = {0};
    const bool all = collect(&l, dnn_graph_child(plan, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, 0));
    if (all)
        write_plan(&t, &l);
    const bool right = all && !t.failed;
    if (right) {
        if (given)
            *given = (int64_t)t.used + 1;
        if (out && room > 0)
            snprintf(out, (size_t)room, "%s", t.p);
    }
    free(t.p);
    free(l.p);
    return right ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_ALLOC_FAILED;
}

/* ---- reading ---- */

struct reader {
    const char *p, *end;
    bool wrong;
    struct graph_descriptor **all;
    int n;
};

static void expect(struct reader *r, char c)
{
    if (r->p < r->end && *r->p == c)
        r->p++;
    else
        r->wrong = true;
}

static bool next_is(struct reader *r, char c)
{
    return !r->wrong && r->p < r->end && *r->p == c;
}

static int64_t read_number(struct reader *r)
{
    int64_t v = 0;
    const char *from = r->p;
    while (r->p < r->end && *r->p >= '0' && *r->p <= '9' && v < INT32_MAX)
        v = 10 * v + (*r->p++ - '0');
    r->wrong = r->wrong || r->p == from;
    return v;
}

static int digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static void read_bytes(struct reader *r, unsigned char *to, size_t count)
{
    expect(r, '"');
    for (size_t k = 0; k < count && !r->wrong; k++) {
        const int high = r->end - r->p > 2 ? digit(r->p[0]) : -1,
                  low = high < 0 ? -1 : digit(r->p[1]);
        if (low < 0) {
            r->wrong = true;
            return;
        }
        to[k] = (unsigned char)(16 * high + low);
        r->p += 2;
    }
    expect(r, '"');
}

static void read_children(struct reader *r, struct graph_descriptor **to, int64_t count)
{
    expect(r, '[');
    for (int64_t k = 0; k < count && !r->wrong; k++) {
        if (k)
            expect(r, ',');
        const int64_t at = read_number(r);
        if (r->wrong || at >= r->n) {
            r->wrong = true;
            return;
        }
        to[k] = r->all[at];
    }
    expect(r, ']');
}

static cudnnStatus_t read_value(struct reader *r, struct graph_descriptor *d)
{
    expect(r, '[');
    const int64_t name = read_number(r);
    expect(r, ',');
    const cudnnBackendAttributeType_t type = (cudnnBackendAttributeType_t)read_number(r);
    expect(r, ',');
    const int64_t count = read_number(r);
    expect(r, ',');
    const size_t element = dnn_graph_element(type);
    /* Each element takes two characters at least. */
    if (r->wrong || !element || type == CUDNN_TYPE_HANDLE || type == CUDNN_TYPE_VOID_PTR ||
        count > r->end - r->p || !dnn_graph_attribute_name((cudnnBackendAttributeName_t)name))
        r->wrong = true;
    void *data = r->wrong ? NULL : calloc((size_t)count + 1, element);
    if (!data)
        return r->wrong ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_ALLOC_FAILED;
    if (type == CUDNN_TYPE_BACKEND_DESCRIPTOR)
        read_children(r, data, count);
    else
        read_bytes(r, data, (size_t)count * element);
    expect(r, ']');
    const cudnnStatus_t s =
        r->wrong ? CUDNN_STATUS_SUCCESS
                 : dnn_graph_set(d, (cudnnBackendAttributeName_t)name, type, count, data);
    free(data);
    return s;
}

static cudnnStatus_t read_descriptor(struct reader *r)
{
    expect(r, '[');
    const cudnnBackendDescriptorType_t type = (cudnnBackendDescriptorType_t)read_number(r);
    expect(r, ',');
    expect(r, '[');
    if (r->wrong || !dnn_graph_type_name(type)) {
        r->wrong = true;
        return CUDNN_STATUS_SUCCESS;
    }
    struct graph_descriptor **more = realloc(r->all, (size_t)(r->n + 1) * sizeof *more);
    if (!more)
        return CUDNN_STATUS_ALLOC_FAILED;
    r->all = more;
    struct graph_descriptor *d = dnn_graph_new(type);
    if (!d)
        return CUDNN_STATUS_ALLOC_FAILED;
    cudnnStatus_t s = CUDNN_STATUS_SUCCESS;
    while (!s && next_is(r, '[')) {
        s = read_value(r, d);
        if (next_is(r, ','))
            r->p++;
    }
    expect(r, ']');
    expect(r, ']');
    if (!s && !r->wrong)
        s = dnn_graph_finalize(d);
    r->all[r->n++] = d; /* behind those that it may lead to */
    return s;
}

cudnnStatus_t dnn_graph_from_json(struct graph_descriptor *plan, const char *text, size_t bytes)
{
    struct reader r = {.p = text, .end = text + bytes};
    cudnnStatus_t s = CUDNN_STATUS_SUCCESS;
    if (bytes < strlen(HEAD) || memcmp(text, HEAD, strlen(HEAD)))
        return dnn_graph_wrong(CUDNN_STATUS_BAD_PARAM, "a plan that is not in Tern's words");
    r.p += strlen(HEAD);
    while (!s && next_is(&r, '[')) {
        s = read_descriptor(&r);
        if (next_is(&r, ','))
            r.p++;
    }
    expect(&r, ']');
    expect(&r, '}');
    struct graph_descriptor *last = r.n ? r.all[r.n - 1] : NULL;
    if (!s && (r.wrong || !last || last->type != CUDNN_BACKEND_ENGINECFG_DESCRIPTOR))
        s = dnn_graph_wrong(CUDNN_STATUS_BAD_PARAM, "the text of a plan is damaged");
    if (!s)
        s = dnn_graph_set(plan, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG,
                          CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &last);
    for (int k = 0; k < r.n; k++)
        dnn_graph_drop(r.all[k]);
    free(r.all);
    return s;
}
