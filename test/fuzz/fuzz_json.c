/* The JSON reader, and the writer on what it read: reading that back must give the same text. */
#include "fuzz.h"

#include <string.h>

static void write_value(struct json_writer *w, const struct json_value *v)
{
    switch (v->kind) {
    case JSON_NULL: json_null(w); break;
    case JSON_BOOL: json_bool(w, v->boolean); break;
    case JSON_NUMBER: json_double(w, v->number); break;
    case JSON_STRING: json_strn(w, v->string.ptr, v->string.len); break;
    case JSON_ARRAY:
    case JSON_OBJECT:
        if (v->kind == JSON_ARRAY)
            json_array(w);
        else
            json_object(w);
        for (const struct json_value *m = v->first; m; m = m->next) {
            if (v->kind == JSON_OBJECT)
                json_key(w, m->key);
            write_value(w, m);
        }
        json_end(w);
        break;
    }
}

static void fuzz(struct arena *a, const char *text, size_t size)
{
    struct sbuf once, twice;
    struct json_writer w;
    size_t at;
    const char *why;
    struct json_value *v = json_parse(a, text, size, &at, &why);
    if (!v) {
        if (!why || at > size)
            abort();
        return;
    }
    sbuf_init(&once, a);
    json_begin(&w, &once, false);
    write_value(&w, v);
    if (once.failed) /* deeper than the writer goes */
        return;
    v = json_parse(a, once.data, once.len, &at, &why);
    if (!v)
        abort();
    sbuf_init(&twice, a);
    json_begin(&w, &twice, true);
    write_value(&w, v);
    v = json_parse(a, twice.data, twice.len, &at, &why);
    if (!v)
        abort();
    sbuf_free(&twice);
    sbuf_init(&twice, a);
    json_begin(&w, &twice, false);
    write_value(&w, v);
    if (once.len != twice.len || memcmp(once.data, twice.data, once.len))
        abort();
}

FUZZ_TARGET(fuzz)
