/* tern_compile, tern_analyze and the requests that pages send: every target, diagnostics as data,
 * hostile requests. */
#include "base/json.h"
#include "driver/pipeline.h"
#include "driver/request.h"
#include "ir/ir.h"
#include "tern/tern.h"
#include "unit.h"

static const char saxpy[] =
    "extern \"C\" __global__ void saxpy(int n, float a, const float *x, float *y)\n"
    "{\n"
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    if (i < n)\n"
    "        y[i] = a * x[i] + y[i];\n"
    "}\n";

static const struct json_value *parsed(struct unit *u, const char *text)
{
    size_t at;
    const char *why;
    const struct json_value *v = text ? json_parse(u->arena, text, strlen(text), &at, &why) : NULL;
    if (!v)
        unit_fail(u, __FILE__, __LINE__, "it is no JSON: %s", text ? text : "(null)");
    return v;
}
static const struct json_value *member(const struct json_value *v, const char *key)
{
    return v && v->kind == JSON_OBJECT ? json_get(v, key) : NULL;
}
static bool says(const struct json_value *v, const char *key, const char *text)
{
    const struct json_value *x = member(v, key);
    return x && x->kind == JSON_STRING && x->string.len == strlen(text) &&
           !memcmp(x->string.ptr, text, x->string.len);
}
static double number(const struct json_value *v, const char *key)
{
    const struct json_value *x = member(v, key);
    return x && x->kind == JSON_NUMBER ? x->number : -1;
}

TEST_ONCE(compile_to_every_target)
{
    static const struct {
        const char *target, *starts, *has;
        size_t nstarts;
    } rows[] = {
        {"ir", "", "kernel @saxpy", 0},
        {"ptx", "", ".visible .entry saxpy", 0},
        {"c", "", "saxpy", 0},
        {"wgsl", "", "@compute", 0},
        {"spirv", "\x03\x02\x23\x07", NULL, 4},
        {"wasm", "\0asm\1\0\0\0", NULL, 8},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        const struct tern_source s = {.path = "s.cu", .text = saxpy};
        struct tern_output o;
        CHECK_INT(tern_compile(&s, rows[k].target, &o), TERN_OK);
        const struct json_value *said = member(parsed(u, o.reply), "ok");
        CHECK(said && said->kind == JSON_BOOL && said->boolean);
        if (o.bytes < 8)
            unit_fail(u, __FILE__, __LINE__, "%s: nothing came of it", rows[k].target);
        else if (memcmp(o.data, rows[k].starts, rows[k].nstarts) ||
                 (rows[k].has && !strstr(o.data, rows[k].has)))
            unit_fail(u, __FILE__, __LINE__, "%s: other than expected:\n%s", rows[k].target,
                      rows[k].has ? (const char *)o.data : "(bytes)");
        CHECK(!o.data || !((const char *)o.data)[o.bytes]); /* text can be used as it is */
        tern_output_free(&o);
        CHECK(!o.data && !o.reply && !o.bytes);
    }
}

TEST_ONCE(compile_tells_where)
{
    const struct tern_source s = {.path = "wrong.cu",
                                  .text = "__global__ void k(int *x)\n{\n    *x = y;\n}\n"};
    struct tern_output o;
    CHECK_INT(tern_compile(&s, "ptx", &o), TERN_COMPILE);
    CHECK_INT(o.bytes, 0);
    const struct json_value *all = member(parsed(u, o.reply), "diagnostics"),
                            *first = all ? all->first : NULL;
    CHECK(first && says(first, "file", "wrong.cu") && says(first, "severity", "error"));
    CHECK_INT(number(first, "line"), 3);
    CHECK_INT(number(first, "column"), 10);
    tern_output_free(&o);
}

TEST_ONCE(compile_refuses)
{
    const struct tern_source none = {0}, fast = {.text = saxpy, .fast_math = true},
                             good = {.text = saxpy};
    struct tern_output o;
    CHECK_INT(tern_compile(&none, "ptx", &o), TERN_INVALID_ARGUMENT);
    CHECK_INT(tern_compile(&good, NULL, &o), TERN_INVALID_ARGUMENT);
    CHECK_INT(tern_compile(&fast, "ptx", &o), TERN_UNSUPPORTED);
    CHECK_INT(tern_analyze(&none, (tern_dim){0}, &o), TERN_INVALID_ARGUMENT);
    CHECK_INT(tern_compile(&good, "abacus", &o), TERN_COMPILE);
    CHECK(o.reply && strstr(o.reply, "abacus"));
    tern_output_free(&o);
}

/* Without a path PTX is recognised; a length ends the text; names ask for instances of templates.
 */
TEST_ONCE(compile_knows_its_source)
{
    static const char ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry "
                              "nothing()\n{\n    ret;\n}\n",
                      more[] = "template <class T> __global__ void put(T *x) { *x = 1; }\n@@@";
    static const char *const names[] = {"put<double>"};
    const struct tern_source p = {.text = ptx}, t = {.text = more,
                                                     .length = sizeof more - 4,
                                                     .names = names,
                                                     .nnames = 1};
    struct tern_output o;
    CHECK_INT(tern_compile(&p, "ir", &o), TERN_OK);
    CHECK(o.data && strstr(o.data, "nothing"));
    tern_output_free(&o);
    CHECK_INT(tern_compile(&t, "ir", &o), TERN_OK);
    CHECK(o.data && strstr(o.data, "f64"));
    tern_output_free(&o);
}

TEST_ONCE(analyze_counts)
{
    static const char text[] = "__device__ int table[10];\n"
                               "__global__ void sum(const float *x, float *y)\n"
                               "{\n"
                               "    __shared__ float s[64];\n"
                               "    s[threadIdx.x] = x[threadIdx.x * 8];\n"
                               "    __syncthreads();\n"
                               "    atomicAdd(y, s[63 - threadIdx.x]);\n"
                               "}\n";
    const struct tern_source s = {.text = text};
    struct tern_output o;
    CHECK_INT(tern_analyze(&s, (tern_dim){64, 0, 0}, &o), TERN_OK);
    const struct json_value *v = parsed(u, o.reply), *kernels = member(v, "kernels"),
                            *k = kernels ? kernels->first : NULL, *params = member(k, "params"),
                            *globals = member(v, "globals");
    CHECK(k && says(k, "name", "sum"));
    CHECK_INT(number(k, "line"), 2);
    CHECK_INT(number(k, "sharedBytes"), 256);
    CHECK_INT(number(k, "barriers"), 1);
    CHECK_INT(number(k, "atomics"), 1);
    CHECK(params && params->count == 2 && says(params->first, "element", "f32"));
    CHECK(globals && globals->count == 1 && says(globals->first, "name", "table") &&
          number(globals->first, "size") == 40);
    CHECK(o.reply && strstr(o.reply, "\"findings\":[{")); /* every eighth float */
    tern_output_free(&o);
}

/* What strangers may send: each is answered, none of it with success. */
TEST_ONCE(requests_that_are_none)
{
    static const char *const rows[] = {
        "",
        "{",
        "[]",
        "17",
        "\"source\"",
        "{}",
        "{\"source\":7}",
        "{\"source\":\"\",\"to\":\"nothing\"}",
        "{\"source\":\"@\"}",
        "{\"source\":\"__global__ void k() { x; }\",\"to\":\"wasm\",\"host\":true}",
        "{\"source\":\"__global__ void k() {}\",\"to\":\"ptx\",\"kernel\":\"other\"}",
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        struct sbuf reply, output;
        sbuf_init(&reply, NULL);
        sbuf_init(&output, NULL);
        request_answer(rows[k], strlen(rows[k]), &reply, &output);
        const struct json_value *said = member(parsed(u, reply.data), "ok");
        if (!said || said->kind != JSON_BOOL || said->boolean)
            unit_fail(u, __FILE__, __LINE__, "%s: %s", rows[k], reply.data);
        CHECK_INT(output.len, 0);
        sbuf_free(&reply);
        sbuf_free(&output);
    }
}

/* Options beyond their bounds are kept within them or refused; nothing is written past an end. */
TEST_ONCE(requests_out_of_bounds)
{
    static const char *const targets[] = {"c", "ptx", "wgsl", "spirv", "wasm", "ir"},
                             *const options[] = {"\"gang\":1000",
                                                 "\"block\":[32,0,1]",
                                                 "\"block\":[4294967295,4294967295,4294967295]",
                                                 "\"level\":99",
                                                 "\"gang\":-1",
                                                 "\"block\":[1e300]",
                                                 "\"lines\":true",
                                                 "\"defines\":[\"N=3\",7,\"\"]",
                                                 "\"names\":[\"k<1>\"]",
                                                 "\"files\":{\"a.h\":\"int\"}"};
    for (size_t t = 0; t < sizeof targets / sizeof *targets; t++)
        for (size_t k = 0; k < sizeof options / sizeof *options; k++) {
            struct sbuf reply, output;
            char *text = arena_printf(
                u->arena,
                "{\"source\":\"__global__ void k(int *x) { __shared__ int s[32]; s[threadIdx.x] = "
                "x[threadIdx.x]; __syncthreads(); x[threadIdx.x] = s[31 - threadIdx.x]; "
                "}\",\"to\":\"%s\",%s}",
                targets[t], options[k]);
            sbuf_init(&reply, NULL);
            sbuf_init(&output, NULL);
            request_answer(text, strlen(text), &reply, &output);
            const struct json_value *said = member(parsed(u, reply.data), "ok");
            CHECK(said && said->kind == JSON_BOOL && said->boolean == (output.len > 0));
            sbuf_free(&reply);
            sbuf_free(&output);
        }
}

/* A whole program, host half and all, as WebAssembly; the files that it includes come with the
 * request. */
TEST_ONCE(requests_for_whole_programs)
{
    static const char text[] = "{\"path\":\"app.cu\",\"to\":\"wasm\",\"host\":true,\"files\":{\"n."
                               "h\":\"#define N 4\"},\"source\":\"#include "
                               "\\\"n.h\\\"\\n#include <cstdio>\\n__global__ void k(int *x) { "
                               "x[threadIdx.x] = N; }\\nint main() { int *x; "
                               "cudaMalloc(&x, N * 4); k<<<1, N>>>(x); int h[N]; cudaMemcpy(h, x, "
                               "sizeof h, cudaMemcpyDeviceToHost); "
                               "printf(\\\"%d %g\\\\n\\\", h[0], 0.5); return cudaFree(x); }\"}";
    struct sbuf reply, output;
    sbuf_init(&reply, NULL);
    sbuf_init(&output, NULL);
    request_answer(text, strlen(text), &reply, &output);
    const struct json_value *said = member(parsed(u, reply.data), "ok");
    if (!said || !said->boolean)
        unit_fail(u, __FILE__, __LINE__, "%s", reply.data);
    CHECK(output.len > 8 && !memcmp(output.data, "\0asm\1\0\0\0", 8));
    /* what it needs from outside is imported by name */
    static const char *const names[] = {"printf", "main"};
    for (size_t k = 0; k < sizeof names / sizeof *names && output.len; k++) {
        bool found = false;
        const size_t n = strlen(names[k]);
        for (size_t at = 0; at + n <= output.len && !found; at++)
            found = !memcmp(output.data + at, names[k], n);
        if (!found)
            unit_fail(u, __FILE__, __LINE__, "there is no %s in it", names[k]);
    }
    sbuf_free(&reply);
    sbuf_free(&output);
}

/* Where the first store of a kernel stands, and the module as text. */
static void outcome_of(const struct compilation *c, struct sbuf *ir, struct source_pos *store)
{
    ir_print(c->module, ir, 0);
    ir_each_func (f, c->module)
        ir_each_block (b, f)
            ir_each_inst (i, b)
                if (i->op == IR_OP_store)
                    source_position(c->module->sources, i->span.loc, store);
}

TEST_ONCE(what_a_compilation_came_to)
{
    static const char text[] = "#define PUT(x, v) (x)[threadIdx.x] = (v)\n"
                               "__constant__ int table[3] = {1, 2, 3};\n"
                               "template <int N> __global__ void k(int *x)\n"
                               "{\n"
                               "#line 70 \"other.cu\"\n"
                               "    PUT(x, N + table[blockIdx.x]);\n"
                               "}\n";
    static const char *const names[] = {"k<7>"};
    const struct compile_options o = {.path = "k.cu", .names = names, .nnames = 1, .level = 2};
    struct compilation whole, kept;
    struct sbuf before, after;
    struct source_pos at = {0};
    sbuf_init(&before, NULL);
    sbuf_init(&after, NULL);
    CHECK_INT(compile_source(&whole, &o, text, sizeof text - 1), TERN_OK);
    outcome_of(&whole, &before, &at);
    CHECK_INT(compile_distil(&kept, &whole), TERN_OK);
    CHECK(kept.mem.used < whole.mem.used / 2);
    compile_free(&whole);
    outcome_of(&kept, &after, &at);
    CHECK_STR(after.data, before.data);
    CHECK_STR(at.path, "other.cu");
    CHECK_INT(at.line, 70);
    CHECK_INT(kept.requests.len, 1);
    if (kept.requests.len) {
        CHECK_STR(kept.requests.data[0].text, "k<7>");
        CHECK(ir_func_find(kept.module, kept.requests.data[0].name));
    }
    compile_free(&kept);
    sbuf_free(&before);
    sbuf_free(&after);
}
