/* tern_compile, tern_analyze: the compiler without a device, answered as `tern serve` answers. */
#include <stdlib.h>
#include <string.h>
#include "api/api.h"
#include "driver/request.h"

static void put_text(struct json_writer *w, const char *key, const char *text)
{
    json_key(w, key);
    json_str(w, text);
}

static void put_source(struct json_writer *w, const struct tern_source *s, size_t length)
{
    put_text(w, "path",
             s->path                      ? s->path
             : rt_is_ptx(s->text, length) ? "module.ptx"
                                          : "module.cu");
    json_key(w, "source");
    json_strn(w, s->text, length);
    if (s->nnames) {
        json_key(w, "names");
        json_array(w);
        for (size_t k = 0; k < s->nnames; k++)
            json_str(w, s->names[k]);
        json_end(w);
    }
    json_key(w, "fmad");
    json_bool(w, !s->no_fmad);
    put_text(w, "f64", s->fast_f64 ? "fast" : "exact");
}

/* Whether the reply says so. */
static bool is_ok(const struct sbuf *reply)
{
    jmp_buf unwind;
    struct mem mem = {.unwind = &unwind};
    struct arena arena;
    volatile bool ok = false;
    arena_init(&arena, &mem);
    if (!setjmp(unwind)) {
        size_t at;
        const char *why;
        const struct json_value *v = json_parse(&arena, reply->data, reply->len, &at, &why),
                                *said = v ? json_get(v, "ok") : NULL;
        ok = said && said->kind == JSON_BOOL && said->boolean;
    }
    mem_release(&mem);
    return ok;
}

enum tern_error api_answer(struct sbuf *question, struct tern_output *out)
{
    struct sbuf reply, output;
    enum tern_error e = TERN_OUT_OF_MEMORY;
    *out = (struct tern_output){0};
    sbuf_init(&reply, NULL);
    sbuf_init(&output, NULL);
    if (!question->failed)
        request_answer(question->data, question->len, &reply, &output);
    if (!question->failed && !reply.failed && !output.failed && reply.data) {
        out->reply = strdup(reply.data);
        out->data = malloc(output.len + 1); /* text ends with a 0 that is not counted */
        if (out->reply && out->data) {
            if (output.len)
                memcpy(out->data, output.data, output.len);
            ((char *)out->data)[output.len] = 0;
            out->bytes = output.len;
            e = is_ok(&reply) ? TERN_OK : TERN_COMPILE;
        } else {
            tern_output_free(out);
        }
    }
    sbuf_free(&reply);
    sbuf_free(&output);
    sbuf_free(question);
    return e;
}

enum tern_error tern_compile(const struct tern_source *s, const char *target,
                             struct tern_output *out)
{
    struct sbuf text;
    struct json_writer w;
    *out = (struct tern_output){0};
    if (!s->text || !target || s->fast_math)
        return s->text && target ? TERN_UNSUPPORTED : TERN_INVALID_ARGUMENT;
    sbuf_init(&text, NULL);
    json_begin(&w, &text, false);
    json_object(&w);
    put_source(&w, s, s->length ? s->length : strlen(s->text));
    put_text(&w, "to", target);
    json_end(&w);
    return api_answer(&text, out);
}

enum tern_error tern_analyze(const struct tern_source *s, tern_dim block, struct tern_output *out)
{
    struct sbuf text;
    struct json_writer w;
    *out = (struct tern_output){0};
    if (!s->text)
        return TERN_INVALID_ARGUMENT;
    sbuf_init(&text, NULL);
    json_begin(&w, &text, false);
    json_object(&w);
    put_source(&w, s, s->length ? s->length : strlen(s->text));
    put_text(&w, "do", "analyze");
    if (block.x) {
        json_key(&w, "block");
        json_array(&w);
        json_uint(&w, block.x);
        json_uint(&w, block.y ? block.y : 1);
        json_uint(&w, block.z ? block.z : 1);
        json_end(&w);
    }
    json_end(&w);
    return api_answer(&text, out);
}

void tern_output_free(struct tern_output *o)
{
    free(o->reply);
    free(o->data);
    *o = (struct tern_output){0};
}
