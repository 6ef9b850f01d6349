/* Tests of base: sources, diagnostics, JSON. */
#include <locale.h>
#include "unit.h"

static source_loc loc_of(const struct source_file *f, const char *what)
{
    return f->base + (source_loc)(strstr(f->text, what) - f->text);
}

TEST(source_finds_lines_and_columns)
{
    struct source_map sm;
    struct source_pos pos;
    source_init(&sm, u->arena);
    CHECK(!source_position(&sm, 0, &pos) && !source_position(&sm, 1, &pos));
    const char text[] = "first\r\nsecond\n\nfourth";
    struct source_file *f = source_add(&sm, "a.cu", text, sizeof text - 1, 0);
    struct source_file *empty = source_add(&sm, "b.cu", "", 0, 0);

    CHECK(source_position(&sm, loc_of(f, "cond"), &pos));
    CHECK_STR(pos.path, "a.cu");
    CHECK_INT(pos.line, 2);
    CHECK_INT(pos.column, 3);
    CHECK(str_is(pos.text, "second"));
    CHECK(source_position(&sm, f->base, &pos) && str_is(pos.text, "first"));
    CHECK(source_position(&sm, f->base + (source_loc)f->len, &pos));
    CHECK_INT(pos.line, 4);
    CHECK_INT(pos.column, 7);
    CHECK(source_position(&sm, empty->base, &pos));
    CHECK_STR(pos.path, "b.cu");
    CHECK_INT(pos.line, 1);
    CHECK(!source_position(&sm, sm.next, &pos));
}

TEST(source_follows_markers)
{
    struct source_map sm;
    struct source_pos pos;
    source_init(&sm, u->arena);
    const char text[] = "one\n#line 100 \"x.h\"\ntwo\n#line 7\nthree\n";
    struct source_file *f = source_add(&sm, "a.cu", text, sizeof text - 1, 0);
    source_add_marker(&sm, loc_of(f, "two"), 100 - 3, "x.h");
    source_add_marker(&sm, loc_of(f, "three"), 7 - 5, NULL);
    static const struct {
        const char *word, *path;
        uint32_t line;
    } want[] = {{"one", "a.cu", 1}, {"two", "x.h", 100}, {"three", "x.h", 7}};
    for (size_t i = 0; i < 3; i++) {
        CHECK(source_position(&sm, loc_of(f, want[i].word), &pos));
        CHECK_STR(pos.path, want[i].path);
        CHECK_INT(pos.line, want[i].line);
    }
}

TEST(source_takes_expansions_both_ways)
{
    struct source_map sm;
    source_init(&sm, u->arena);
    const char text[] = "#define TWICE(x) (x + x)\nint y = TWICE(7);\n";
    struct source_file *f = source_add(&sm, "a.cu", text, sizeof text - 1, 0);
    source_loc body = loc_of(f, "(x + x)"), use = loc_of(f, "TWICE(7)");
    source_loc e = source_add_expansion(&sm, body, use, 7, "TWICE");
    source_loc nested = source_add_expansion(&sm, e, e + 1, 3, "INNER");
    CHECK_INT(source_spelling(&sm, e + 3), body + 3);
    CHECK_INT(source_expanded(&sm, e + 3), use);
    CHECK_INT(source_spelling(&sm, nested + 2), body + 2);
    CHECK_INT(source_expanded(&sm, nested + 2), use);
    CHECK(!source_file_at(&sm, e) && source_expansion_at(&sm, e));
    CHECK_STR(source_expansion_at(&sm, nested)->macro, "INNER");
}

TEST_ONCE(source_refuses_more_than_the_space_holds)
{
    struct source_map sm;
    source_init(&sm, u->arena);
    sm.next = UINT32_MAX - 10;
    CHECK(!source_add(&sm, "a.cu", "0123456789ABCDEF", 16, 0));
    CHECK(!source_add_expansion(&sm, 1, 1, 100, "M"));
    CHECK(source_add(&sm, "a.cu", "01234", 5, 0) != NULL);
}

struct bench {
    struct source_map sm;
    struct diag d;
    struct source_file *f;
    struct sbuf out;
};

static void bench_init(struct bench *b, struct unit *u, const char *text)
{
    source_init(&b->sm, u->arena);
    diag_init(&b->d, u->arena, &b->sm);
    b->f = source_add(&b->sm, "k.cu", text, strlen(text), 0);
    sbuf_init(&b->out, u->arena);
}

TEST(diag_shows_line_and_caret)
{
    struct bench b;
    bench_init(&b, u, "int x;\n\tint y = foo + \xc3\xa9t;\n");
    struct diag_entry *e =
        diag_error(&b.d, span_at(loc_of(b.f, "foo"), 3), "'%s' is not known", "foo");
    e->fixit = "food";
    diag_note(&b.d, span_at(loc_of(b.f, "x;"), 1), "nearest");
    diag_warn(&b.d, "odd", span_at(loc_of(b.f, "t;"), 1), "odd name");
    diag_error(&b.d, (struct span){0}, "no place");
    diag_render_text(&b.d, &b.out, false);
    CHECK_STR(b.out.data, "k.cu:2:10: error: 'foo' is not known\n"
                          "    2 | \tint y = foo + \xc3\xa9t;\n"
                          "      | \t        ^~~\n"
                          "      | \t        food\n"
                          "k.cu:1:5: note: nearest\n"
                          "    1 | int x;\n"
                          "      |     ^\n"
                          "k.cu:2:18: warning: odd name [-Wodd]\n"
                          "    2 | \tint y = foo + \xc3\xa9t;\n"
                          "      | \t               ^\n"
                          "error: no place\n");
    CHECK_INT(b.d.errors, 2);
    CHECK_INT(b.d.warnings, 1);
}

TEST(diag_cannot_steer_the_terminal)
{
    struct bench b;
    bench_init(&b, u, "\033[2J\x80\xff x");
    diag_error(&b.d, span_at(loc_of(b.f, "x"), 1), "here");
    diag_render_text(&b.d, &b.out, false);
    CHECK_STR(b.out.data, "k.cu:1:8: error: here\n"
                          "    1 | ?[2J?? x\n"
                          "      |        ^\n");
}

TEST(diag_shows_part_of_a_long_line)
{
    struct bench b;
    char text[5001];
    memset(text, '(', 5000);
    text[5000] = 0;
    bench_init(&b, u, text);
    for (source_loc at = 0; at <= 5000; at += 50)
        diag_error(&b.d, span_at(b.f->base + at, 4), "deep");
    diag_render_text(&b.d, &b.out, false);
    CHECK(b.out.len < 20 * 400);
    CHECK(strstr(b.out.data, "(..."));
}

TEST(diag_shows_where_macros_come_from)
{
    struct bench b;
    bench_init(&b, u, "#define BAD(x) (x + zzz)\nint y = BAD(q);\n");
    source_loc use = loc_of(b.f, "BAD(q)");
    source_loc body = source_add_expansion(&b.sm, loc_of(b.f, "zzz"), use, 3, "BAD");
    source_loc argument = source_add_expansion(&b.sm, loc_of(b.f, "q)"), use, 1, "BAD");
    diag_error(&b.d, span_at(body, 3), "'zzz' is not known");
    diag_error(&b.d, span_at(argument, 1), "'q' is not known");
    diag_render_text(&b.d, &b.out, false);
    CHECK_STR(b.out.data, "k.cu:2:9: error: 'zzz' is not known\n"
                          "    2 | int y = BAD(q);\n"
                          "      |         ^~~\n"
                          "k.cu:1:21: note: in expansion of macro 'BAD'\n"
                          "    1 | #define BAD(x) (x + zzz)\n"
                          "      |                     ^~~\n"
                          "k.cu:2:13: error: 'q' is not known\n"
                          "    2 | int y = BAD(q);\n"
                          "      |             ^\n");
}

TEST(diag_names_the_includes)
{
    struct bench b;
    bench_init(&b, u, "\n#include \"a.h\"\n");
    struct source_file *h = source_add(&b.sm, "a.h", "bad\n", 4, loc_of(b.f, "#include"));
    diag_error(&b.d, span_at(h->base, 3), "bad word");
    diag_error(&b.d, span_at(h->base, 3), "bad again");
    diag_render_text(&b.d, &b.out, false);
    CHECK_STR(b.out.data, "In file included from k.cu:2:\n"
                          "a.h:1:1: error: bad word\n    1 | bad\n      | ^~~\n"
                          "a.h:1:1: error: bad again\n    1 | bad\n      | ^~~\n");
}

TEST(diag_stops_at_the_limit)
{
    struct bench b;
    bench_init(&b, u, "x\n");
    b.d.error_limit = 3;
    for (int i = 0; i < 10; i++) {
        diag_error(&b.d, (struct span){0}, "error %d", i)->fixit = "";
        CHECK(b.d.stop == (i >= 2));
        diag_note(&b.d, (struct span){0}, "note %d", i);
    }
    diag_render_text(&b.d, &b.out, false);
    CHECK_STR(b.out.data, "error: error 0\nnote: note 0\nerror: error 1\nnote: note 1\n"
                          "error: error 2\nnote: note 2\n"
                          "fatal error: too many errors; the rest is not shown\n");
    CHECK_INT(b.d.errors, 10);
}

TEST(diag_switches_warnings)
{
    struct bench b;
    bench_init(&b, u, "x\n");
    vec_push(u->arena, &b.d.disabled, "shadow");
    CHECK(!diag_warn(&b.d, "shadow", (struct span){0}, "off"));
    diag_note(&b.d, (struct span){0}, "goes with it");
    b.f->system = true;
    CHECK(!diag_warn(&b.d, "other", span_at(b.f->base, 1), "in our own header"));
    b.d.werror = true;
    CHECK_INT(diag_warn(&b.d, "-Wother", (struct span){0}, "on")->severity, DIAG_ERROR);
    vec_push(u->arena, &b.d.disabled, "*");
    CHECK(!diag_warn(&b.d, "other", (struct span){0}, "all off"));
    diag_render_text(&b.d, &b.out, true);
    CHECK_STR(b.out.data, "\033[1;31merror:\033[0m \033[1mon\033[0m [-Wother]\n");
}

TEST(diag_writes_json)
{
    struct bench b;
    bench_init(&b, u, "int \"q\";\n");
    diag_error(&b.d, span_at(loc_of(b.f, "\"q"), 3), "a \"quote\"");
    diag_note(&b.d, (struct span){0}, "why");
    diag_render_json(&b.d, &b.out);
    CHECK_STR(b.out.data,
              "[{\"severity\":\"error\",\"file\":\"k.cu\",\"line\":1,\"column\":5,\"length\":3,"
              "\"message\":\"a "
              "\\\"quote\\\"\",\"notes\":[{\"severity\":\"note\",\"message\":\"why\"}]}]\n");
}

TEST(diag_finds_the_nearest_word)
{
    static const char *const words[] = {"threadIdx", "blockIdx", "blockDim", "x", "__syncthreads"};
    CHECK_STR(diag_nearest("threadIdy", words, 5), "threadIdx");
    CHECK_STR(diag_nearest("blokcDim", words, 5), "blockDim");
    CHECK_STR(diag_nearest("__synchthreads", words, 5), "__syncthreads");
    CHECK(!diag_nearest("banana", words, 5));
    CHECK(!diag_nearest("", words, 5));
    CHECK(!diag_nearest("y", words, 5));
}

TEST(json_writes)
{
    struct sbuf b;
    struct json_writer w;
    sbuf_init(&b, u->arena);
    json_begin(&w, &b, false);
    json_object(&w);
    json_key(&w, "a");
    json_array(&w);
    json_int(&w, INT64_MIN);
    json_uint(&w, UINT64_MAX);
    json_double(&w, 0.1);
    json_double(&w, 1e300 * 1e300);
    json_bool(&w, true);
    json_str(&w, NULL);
    json_array(&w);
    json_end(&w);
    json_end(&w);
    json_key(&w, "s\n");
    json_strn(&w, "\"\\\x01\xff\xc3\xa9\0", 7);
    json_end(&w);
    CHECK_STR(b.data, "{\"a\":[-9223372036854775808,18446744073709551615,0.1,null,true,null,[]],"
                      "\"s\\n\":\"\\\"\\\\\\u0001\xef\xbf\xbd\xc3\xa9\\u0000\"}");
}

TEST(json_writes_lines)
{
    struct sbuf b;
    struct json_writer w;
    sbuf_init(&b, u->arena);
    json_begin(&w, &b, true);
    json_object(&w);
    json_key(&w, "a");
    json_int(&w, 1);
    json_key(&w, "b");
    json_array(&w);
    json_int(&w, 2);
    json_end(&w);
    json_end(&w);
    CHECK_STR(b.data, "{\n  \"a\": 1,\n  \"b\": [\n    2\n  ]\n}");
}

TEST(json_refuses_to_write_too_deep)
{
    struct sbuf b;
    struct json_writer w;
    sbuf_init(&b, u->arena);
    json_begin(&w, &b, false);
    for (int i = 0; i < 100; i++)
        json_array(&w);
    CHECK(b.failed);
}

TEST(json_doubles_read_back)
{
    static const double values[] = {0.0,  -0.0,         1.0 / 3, 5e-324, 1.7976931348623157e308,
                                    1e23, 123456789.123};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        struct sbuf b;
        struct json_writer w;
        sbuf_init(&b, u->arena);
        json_begin(&w, &b, false);
        json_double(&w, values[i]);
        struct json_value *v = json_parse(u->arena, b.data, b.len, NULL, NULL);
        CHECK(v && v->kind == JSON_NUMBER && !memcmp(&v->number, &values[i], sizeof(double)));
    }
}

TEST(json_reads)
{
    const char text[] =
        " {\"a\": [1, -2.5e1, true, false, null, \"\\u00e9\\ud83d\\ude00\\n\"], \"b\": {}} ";
    const char *why = "";
    struct json_value *v = json_parse(u->arena, text, sizeof text - 1, NULL, &why);
    CHECK(v && !why);
    struct json_value *a = json_get(v, "a");
    CHECK(a && a->kind == JSON_ARRAY);
    CHECK_INT(a->count, 6);
    CHECK(a->first->number == 1 && a->first->next->number == -25);
    CHECK(a->first->next->next->boolean && a->first->next->next->kind == JSON_BOOL);
    struct json_value *last = a->first;
    while (last->next)
        last = last->next;
    CHECK(str_is(last->string, "\xc3\xa9\xf0\x9f\x98\x80\n"));
    CHECK(json_get(v, "b")->kind == JSON_OBJECT && !json_get(v, "c") && !json_get(a, "a"));
}

TEST(json_names_the_mistake)
{
    static const struct {
        const char *text, *why;
        size_t at;
    } bad[] = {
        {"", "expected a value", 0},
        {"[1,]", "expected a value", 3},
        {"[1 2]", "expected ',' or ']'", 3},
        {"{\"a\" 1}", "expected ':'", 5},
        {"{a:1}", "expected a string", 1},
        {"01", "something follows the value", 1},
        {"1.", "expected a value", 2},
        {"-", "expected a value", 1},
        {"1e+", "expected a value", 3},
        {"tru", "expected a value", 0},
        {"\"abc", "the string does not end", 4},
        {"\"abc\\\"", "the string does not end", 6},
        {"\"\\x\"", "unknown escape", 3},
        {"\"\\u12g4\"", "expected four hexadecimal digits", 5},
        {"\"\\ud800x\"", "half of a surrogate pair", 7},
        {"\"\\udc00\"", "half of a surrogate pair", 7},
        {"\"\n\"", "a control character in a string", 1},
        {"\"\xc0\x80\"", "malformed UTF-8", 1},
        {"\"\xed\xa0\x80\"", "malformed UTF-8", 1},
        {"{\"\\u0000\":1}", "a key contains a NUL", 9},
        {"[] x", "something follows the value", 3},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const char *why = NULL;
        size_t at = 0;
        CHECK(!json_parse(u->arena, bad[i].text, strlen(bad[i].text), &at, &why));
        CHECK_STR(why, bad[i].why);
        CHECK_INT(at, bad[i].at);
    }
}

TEST(json_limits_depth)
{
    char deep[10000];
    const char *why = NULL;
    memset(deep, '[', sizeof deep);
    CHECK(!json_parse(u->arena, deep, sizeof deep, NULL, &why));
    CHECK_STR(why, "nested too deeply");
    memset(deep + 256, ']', 256);
    CHECK(json_parse(u->arena, deep, 512, NULL, NULL) != NULL);
}
