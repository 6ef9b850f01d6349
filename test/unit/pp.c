/* The preprocessor: what comes out of small sources, and what is said about wrong ones. */
#include <stdlib.h>
#include <time.h>
#include "front/cuda/pp/pp.h"
#include "unit.h"

/* A disk of a few files for #include. */
static const char *const disk[][2] = {
    {"dir/a.h", "#ifndef A_H\n#define A_H\nint a;\n#include \"b.h\"\n#endif\n"},
    {"dir/b.h", "#pragma once\nint b;\n"},
    {"inc/dir/b.h", "#pragma once\nint b;\n"},
    {"self.h", "x\n#include \"self.h\"\n"},
    {"twice.h", "y "},
    {"inc/next.h", "first\n#include_next <next.h>\n"},
    {"inc2/next.h", "second\n"},
    {"open.h", "#if 1\n"},
    {"/usr/include/zlib.h", "never read"},
    {"/usr/include/boost/thread.hpp", "never read"},
    {"/usr/include/boost/preprocessor/cat.hpp", "cat\n#include <boost/preprocessor/config.hpp>\n"},
    {"/usr/include/boost/preprocessor/config.hpp", "config\n"},
};

static char *read_file(void *ctx, struct arena *a, const char *path, size_t *len)
{
    (void)ctx;
    for (size_t i = 0; i < sizeof disk / sizeof *disk; i++)
        if (!strcmp(path, disk[i][0])) {
            *len = strlen(disk[i][1]);
            return arena_strndup(a, disk[i][1], *len);
        }
    return NULL;
}

struct run {
    struct interner names;
    struct source_map sm;
    struct diag diag;
    struct pp_result result;
    bool good;
    struct sbuf text; /* the tokens with one space between them, or the first message */
};

static void spell(const struct token *t, struct sbuf *out)
{
    switch (t->kind) {
    case TOKEN_IDENT: sbuf_puts(out, t->u.name); break;
    case TOKEN_PUNCT: sbuf_puts(out, punct_text(t->punct)); break;
    case TOKEN_STRING: sbuf_printf(out, "\"%.*s\"", (int)t->u.text.len, t->u.text.ptr); break;
    case TOKEN_CHAR: sbuf_printf(out, "'%llu'", (unsigned long long)t->u.value); break;
    case TOKEN_PRAGMA: sbuf_puts(out, "#pragma "); /* fall through */
    default: sbuf_put(out, t->u.text.ptr, t->u.text.len); break;
    }
}

static void run_with(struct unit *u, struct run *r, const char *source, size_t len, bool prelude)
{
    static const char *const dirs[] = {"inc", "inc2"};
    static const char *const system_dirs[] = {"/usr/include"};
    static const struct pp_switch switches[] = {
        {PP_DEFINE, "ON"}, {PP_DEFINE, "FIVE=5"}, {PP_DEFINE, "GONE=1"}, {PP_UNDEF, "GONE"}};
    struct pp_options opt = {.include_dirs = dirs,
                             .ninclude_dirs = 2,
                             .system_dirs = system_dirs,
                             .nsystem_dirs = 1,
                             .switches = switches,
                             .nswitches = 4,
                             .device = true,
                             .no_prelude = !prelude,
                             .read_file = read_file};
    intern_init(&r->names, u->arena);
    source_init(&r->sm, u->arena);
    diag_init(&r->diag, u->arena, &r->sm);
    sbuf_init(&r->text, u->arena);
    r->good =
        pp_run(u->arena, &r->names, &r->sm, &r->diag, &opt, "main.cu", source, len, &r->result);
    for (size_t i = 0; i + 1 < r->result.tokens.len; i++) {
        if (i)
            sbuf_putc(&r->text, ' ');
        spell(&r->result.tokens.data[i], &r->text);
    }
    if (!r->good) {
        r->text.len = 0;
        sbuf_printf(&r->text, "error: %s", r->diag.first ? r->diag.first->message : "none");
    }
    sbuf_puts(&r->text, "");
}

static void run_sized(struct unit *u, struct run *r, const char *source, size_t len)
{
    run_with(u, r, source, len, false);
}

static void run(struct unit *u, struct run *r, const char *source)
{
    run_sized(u, r, source, strlen(source));
}

struct example {
    const char *source, *tokens;
};

static void check_all(struct unit *u, const struct example *e, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct run r;
        run(u, &r, e[i].source);
        if (strcmp(r.text.data, e[i].tokens))
            unit_fail(u, __FILE__, __LINE__, "from:\n%s\ngot:  %s\nwant: %s", e[i].source,
                      r.text.data, e[i].tokens);
    }
}
#define EXAMPLES(test, ...)                                                                        \
    TEST(test)                                                                                     \
    {                                                                                              \
        static const struct example e[] = {__VA_ARGS__};                                           \
        check_all(u, e, sizeof e / sizeof *e);                                                     \
    }

EXAMPLES(pp_tokens,
         {"a+++b ->* <<<g>>> <=> ... <<= %: <: :> <% %> <::x>",
          "a ++ + b ->* <<< g >>> <=> ... <<= # [ ] { } < :: x >"},
         {"1.5e+3f 0x1p-3 .5 1'000'000u 08 1..2", "1.5e+3f 0x1p-3 .5 1'000'000u 08 1..2"},
         {"a and b or not c xor d bitand e compl f not_eq g", "a && b || ! c ^ d & e ~ f != g"},
         {"#define J(x) f_##x\n#define S(x) #x\n#define O(x) J(x) S(x) x\nO(and) O(xor_eq)",
          "f_and \"and\" && f_xor_eq \"xor_eq\" ^="},
         {"a/*c*/b // d\n/* x\n y */ c", "a b c"},
         {"ab\\\ncd 1\\\n2 +\\\n= \"x\\\ny\" /\\\n* no *\\\n/ e", "abcd 12 += \"xy\" e"},
         {"a // c \\\n still\nb", "a b"}, {"caf\303\251 \316\261x", "caf\303\251 \316\261x"},
         {"$a _b", "$a _b"}, {"\"a\" \"b\\n\" u8\"c\"", "\"ab\nc\""},
         {"R\"(a\\n\"b)\" R\"x()\")x\"", "\"a\\n\"b)\"\""},
         {"'a' '\\n' '\\x41' '\\101' 'ab' L'\303\251' '\\''",
          "'97' '10' '65' '65' '24930' '233' '39'"},
         {"\"\\u00e9\\x41\\0\"", "\"\303\251A\""}, )

EXAMPLES(
    pp_macros, {"#define A 1\n#define B A + A\nB", "1 + 1"},
    {"#define F(x, y) x y\nF(a, (b, c)) F ( F(1,2) , 3 ) F", "a ( b , c ) 1 2 3 F"},
    {"#define F(x) #x\nF(a  +  b) F(\"q\\n\") F() F('\"')", "\"a + b\"q\\n\"'\"'\""},
    {"#define F(a,b) a##b\nF(x,1) F(,y) F(z,) F(+,=) F(1,e5)", "x1 y z += 1e5"},
    {"#define F(...) f(__VA_ARGS__)\nF() F(1) F(1, 2)", "f ( ) f ( 1 ) f ( 1 , 2 )"},
    {"#define F(a, ...) f(a, ##__VA_ARGS__)\nF(1) F(1, 2) F(1, 2, 3)",
     "f ( 1 ) f ( 1 , 2 ) f ( 1 , 2 , 3 )"},
    {"#define F(a, r...) f(a, ## r)\nF(1) F(1, 2)", "f ( 1 ) f ( 1 , 2 )"},
    {"#define F(a, ...) f(a __VA_OPT__(, [__VA_ARGS__]))\n#define E\nF(1) F(1, 2) F(1, E)",
     "f ( 1 ) f ( 1 , [ 2 ] ) f ( 1 )"},
    {"#define F(x, ...) x ## __VA_OPT__(a ## x) ## z\nF(1) F(2, 3)", "1z 2a2z"},
    {"#define F(...) #__VA_OPT__(a __VA_ARGS__)\nF() F(b)", "\"a b\""},
    /* the standard's own examples */
    {"#define x 3\n#define f(a) f(x * (a))\n#undef x\n#define x 2\n#define g f\n#define z z[0]\n"
     "#define h g(~\n#define m(a) a(w)\n#define w 0,1\n#define t(a) a\n#define p() int\n"
     "#define q(x) x\n#define r(x,y) x ## y\n#define str(x) # x\n"
     "f(y+1) + f(f(z)) % t(t(g)(0) + t)(1);\n"
     "g(x+(3,4)-w) | h 5) & m\n(f)^m(m);\n"
     "p() i[q()] = { q(1), r(2,3), r(4,), r(,5), r(,) };",
     "f ( 2 * ( y + 1 ) ) + f ( 2 * ( f ( 2 * ( z [ 0 ] ) ) ) ) % f ( 2 * ( 0 ) ) + t ( 1 ) ; "
     "f ( 2 * ( 2 + ( 3 , 4 ) - 0 , 1 ) ) | f ( 2 * ( ~ 5 ) ) & f ( 2 * ( 0 , 1 ) ) ^ m ( 0 , "
     "1 ) ; int i [ ] = { 1 , 23 , 4 , 5 , } ;"},
    {"#define hash_hash # ## #\n#define mkstr(a) # a\n#define in_between(a) mkstr(a)\n"
     "#define join(c, d) in_between(c hash_hash d)\njoin(x, y)",
     "\"x ## y\""},
    {"#define t(x,y,z) x ## y ## z\nt(1,2,3) t(,4,5) t(6,,7) t(8,9,) t(10,,) t(,11,) t(,,12) "
     "t(,,)",
     "123 45 67 89 10 11 12"},
    {"#define A A B\n#define B A\nA B", "A A A B"},
    {"#define F(x) x F\nF(1)(2)(3)", "1 F ( 2 ) ( 3 )"},
    {"#define EMPTY\n#define F(x) <x>\nF EMPTY (1)\nF\n(2)", "F ( 1 ) < 2 >"},
    {"#define F(x) [x]\nF(1\n#define N 2\nN)", "[ 1 2 ]"},
    {"__COUNTER__ __COUNTER__ __LINE__\n__LINE__ __FILE__", "0 1 1 2 \"main.cu\""},
    {"ON FIVE GONE __CUDA_ARCH__ __cplusplus", "1 5 GONE 800 201703L"},
    {"#define L __LINE__\n\nL\n#line 100 \"other\"\nL __FILE__\n# 7 \"third\" 2\n__LINE__",
     "3 100 \"other\" 7"},
    {"#pragma push_macro(\"ON\")\n#undef ON\n#define ON 9\nON\n#pragma pop_macro(\"ON\")\nON",
     "9 1"},
    {"#pragma push_macro(\"Q\")\n#define Q 9\nQ\n#pragma pop_macro(\"Q\")\nQ", "9 Q"}, )

EXAMPLES(pp_pragmas, {"#pragma unroll FIVE\nfor", "#pragma unroll 5 for"},
         {"#define U(n) _Pragma(\"unroll 4\") n\nU(x)", "#pragma unroll 4 x"},
         {"#pragma GCC diagnostic push\n#pragma nv_diag_suppress 177\nx", "x"},
         {"#pragma GCC unroll 2\nx", "#pragma GCC unroll 2 x"},
         {"#pragma omp parallel for\nx", "#pragma omp parallel for x"}, )

EXAMPLES(
    pp_conditionals,
    {"#if 1 + 1 == 2 && defined(ON) && defined FIVE && !defined GONE\na\n#else\nb\n#endif", "a"},
    {"#if 0\na\n#elif FIVE > 4\nb\n#elif 1\nc\n#else\nd\n#endif", "b"},
    {"#ifdef GONE\na\n#elifdef ON\nb\n#else\nc\n#endif", "b"},
    {"#ifdef GONE\na\n#elifndef ON\nb\n#else\nc\n#endif", "c"},
    {"#if -1 > 0u\na\n#endif\n#if -1 > 0\nb\n#endif", "a"},
    {"#if (2 || 1/0) && !(0 && 1/0) && (1 ? 1 : 1/0)\na\n#endif", "a"},
    {"#if 0x7fffffffffffffff + 1 < 0 && 1 << 62 == 0x4000000000000000 && -8 >> 1 == -4\na\n#endif",
     "a"},
    {"#if true and not false && 'A' == 65 && '\\377' < 0\na\n#endif", "a"},
    {"#if undefined_name\na\n#else\nb\n#endif", "b"},
    {"#define D defined(ON)\n#if D\na\n#endif", "a"},
    {"#if 0\n' unmatched \" quotes\n#if 1\n#else\n#endif\n#bogus\n/* #endif */ // #endif\n"
     "\"#endif\n#endif\nb",
     "b"},
    {"#if 0\nR\"(\n#endif\n)\"\n#endif\nb", "b"},
    {"#if __has_include(<nothing.h>)\na\n#elif __has_include(\"twice.h\") && "
     "__has_include(<vector>) && !__has_include(<cub/none.cuh>)\nb\n#endif",
     "b"},
    {"#ifdef __has_include\n#if __has_cpp_attribute(nodiscard)\na\n#endif\n#endif", "a"}, )

EXAMPLES(pp_includes,
         {"#include \"dir/a.h\"\n#include \"dir/a.h\"\n#include <dir/b.h>\nc", "int a ; int b ; c"},
         {"#include \"twice.h\"\n#include \"twice.h\"", "y y"},
         {"#define H <next.h>\n#include H\nx", "first second x"},
         {"#define S(x) #x\n#include S(twice.h)", "y"},
         {"#include <vector>\n#include <stdio_nothing/../zlib.h>\n",
          "error: header "
          "<stdio_nothing/../zlib.h> cannot be found"},
         {"#include <zlib.h>\n#include <fstream>\n#include <sys/time.h>\nx", "x"},
         {"#include <boost/thread.hpp>\n#include <boost/preprocessor/cat.hpp>\nx",
          "cat config x"}, )

EXAMPLES(pp_errors, {"#error no, don't", "error: no, don't"},
         {"#if 1\nx", "error: this #if has no #endif"},
         {"#include \"open.h\"\nx", "error: this #if has no #endif"},
         {"#endif", "error: #endif without #if"}, {"#else", "error: #else without #if"},
         {"#if 1\n#else\n#else\n#endif", "error: #else after #else"},
         {"#if 0\n#else\n#elif 1\n#endif", "error: #elif after #else"},
         {"#if\n#endif", "error: #if with no expression"},
         {"#if 1 1\n#endif", "error: expected an operator in #if"},
         {"#if (1\n#endif", "error: expected ) in #if"},
         {"#if 1/0\n#endif", "error: division by zero in #if"},
         {"#if 1.0\n#endif", "error: #if takes integers only, not floating-point numbers"},
         {"#if \"a\"\n#endif", "error: expected a value in #if"},
         {"#define F(x) x\nF(1,2)", "error: macro 'F' takes 1 argument and is given 2"},
         {"#define F(x,y) x\nF(1)", "error: macro 'F' takes 2 arguments and is given 1"},
         {"#define F(x,...) x\n#define G(x,y,...) x\nG(1)",
          "error: macro 'G' takes at least 2 arguments and is given 1"},
         {"#define F(x) x\nF(1", "error: this use of macro 'F' has no closing )"},
         {"#define F(x) #y", "error: # needs a macro parameter after it"},
         {"#define F(x) ## x", "error: ## cannot stand at either end of a macro"},
         {"#define F x ##", "error: ## cannot stand at either end of a macro"},
         {"#define F(x, x) x", "error: there is already a parameter 'x'"},
         {"#define F(x", "error: expected , or ) in the parameter list"},
         {"#define F(...,x) x", "error: expected ) after ..."},
         {"#define", "error: expected the name of a macro"},
         {"#define 3 4", "error: expected the name of a macro"},
         {"#define defined 4", "error: 'defined' cannot be a macro name"},
         {"#define P(a,b) a##b\nP(+,x)", "error: pasting gives '+x', which is not one token"},
         {"#define P(a,b) a##b\nP(/,/)", "error: pasting gives '//', which is not one token"},
         {"#inclde <x>", "error: unknown directive #inclde; did you mean #include?"},
         {"#include nothing", "error: #include needs \"a file\" or <a file>"},
         {"#include \"nothing.h\"", "error: header \"nothing.h\" cannot be found"},
         {"#include \"self.h\"", "error: files include each other more than 200 deep"},
         {"'ab", "error: this literal has no closing quote"},
         {"\"ab\nc\"", "error: this literal has no closing quote"},
         {"''", "error: a character literal cannot be empty"},
         {"\"\\N{dash}\"", "error: characters by their names are not supported"},
         {"L\"a\" u\"b\"",
          "error: this string cannot be joined with the one before it: their prefixes differ"},
         {"/* no end", "error: this comment does not end"},
         {"R\"x(no end", "error: this raw string does not end"},
         {"a @ b", "error: stray '@' in the program"},
         {"a \342\200\234 b", "error: stray '\342\200\234' in the program; '\"' was meant?"},
         {"a \342\200\242 b", "error: stray byte 0xe2 in the program"},
         {"a \\ b", "error: stray '\\' in the program"},
         {"_Pragma(x)", "error: _Pragma needs a string in parentheses"},
         {"#line x", "error: #line needs a line number"}, )

TEST(pp_remembers_skipped_headers)
{
    struct run r;
    run(u, &r,
        "#include <vector>\n#include <thrust/async/reduce.h>\n#include <thrust/async/reduce.h>\n"
        "#include \"nvgraph.h\"");
    CHECK(r.good);
    CHECK_INT(r.result.skipped.len, 3);
    const struct pp_skipped *s = pp_skipped_for(&r.result, "thrust");
    CHECK(s && s->why == PP_SKIP_NOT_PROVIDED);
    CHECK_STR(s ? s->name : NULL, "thrust/async/reduce.h");
    s = pp_skipped_for(&r.result, "nvgraphCreate");
    CHECK_STR(s ? s->name : NULL, "nvgraph.h");
    s = pp_skipped_for(&r.result, "vector");
    CHECK(s && s->why == PP_SKIP_HOST);
    CHECK(!pp_skipped_for(&r.result, "vectors"));
}

TEST(pp_locations_follow_macros)
{
    struct run r;
    run(u, &r, "#define ADD(a) (a + bad)\nint x = ADD(y);");
    CHECK(r.good);
    for (size_t i = 0; i < r.result.tokens.len; i++) {
        const struct token *t = &r.result.tokens.data[i];
        struct source_pos pos;
        if (t->kind != TOKEN_IDENT || strcmp(t->u.name, "bad"))
            continue;
        const struct source_expansion *e = source_expansion_at(&r.sm, t->span.loc);
        CHECK(e != NULL);
        CHECK_STR(e ? e->macro : NULL, "ADD");
        CHECK(source_position(&r.sm, source_spelling(&r.sm, t->span.loc), &pos));
        CHECK_INT(pos.line, 1);
        CHECK_INT(pos.column, 21);
        CHECK(source_position(&r.sm, source_expanded(&r.sm, t->span.loc), &pos));
        CHECK_INT(pos.line, 2);
        CHECK_INT(pos.column, 9);
    }
}

TEST(pp_numbers)
{
    static const struct {
        const char *text;
        uint64_t integer;
        int is_unsigned, longs;
    } ints[] = {{"0", 0, 0, 0},
                {"123", 123, 0, 0},
                {"0x7Fu", 127, 1, 0},
                {"0b101", 5, 0, 0},
                {"017", 15, 0, 0},
                {"1'000'000", 1000000, 0, 0},
                {"1ull", 1, 1, 2},
                {"1LLU", 1, 1, 2},
                {"1lu", 1, 1, 1},
                {"5uz", 5, 1, 1},
                {"18446744073709551615", UINT64_MAX, 0, 0}};
    for (size_t i = 0; i < sizeof ints / sizeof *ints; i++) {
        struct token_num n;
        CHECK(token_number(str_of(ints[i].text), &n));
        CHECK(!n.is_float && !n.overflow && n.suffix.len == 0);
        CHECK(n.integer == ints[i].integer);
        CHECK_INT(n.is_unsigned, ints[i].is_unsigned);
        CHECK_INT(n.longs, ints[i].longs);
    }
    static const char *const bad[] = {"08",   "0x",    "1e",    "1e+",  "0b2",
                                      "1..2", "0x1.8", "1.2.3", "0xg.1"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct token_num n;
        if (token_number(str_of(bad[i]), &n) && !n.suffix.len)
            unit_fail(u, __FILE__, __LINE__, "%s is taken for a number", bad[i]);
    }
    struct token_num n;
    CHECK(token_number(STR("18446744073709551616"), &n) && n.overflow);
    CHECK(token_number(STR("1.5e3f"), &n) && n.is_float && n.is_float32 && n.number32 == 1500.0f);
    CHECK(token_number(STR("0x1.8p1"), &n) && n.is_float && n.number == 3.0);
    CHECK(token_number(STR("1.f16"), &n) && n.is_half);
    CHECK(token_number(STR(".5L"), &n) && n.is_long_double && n.number == 0.5);
    CHECK(token_number(STR("12_km"), &n) && n.suffix.len == 3 && n.integer == 12);
    /* rounded once, not through double */
    CHECK(token_number(STR("1.00000017881393432617187499f"), &n) &&
          n.number32 == 1.0000001192092896f);
}

/* Wide strings keep their units, little-endian. */
TEST(pp_wide_strings)
{
    struct run r;
    run(u, &r, "u\"a\\U0001f600\", U\"\303\251\" \"b\"");
    CHECK(r.good);
    CHECK_INT(r.result.tokens.len, 4);
    const struct token *t = r.result.tokens.data;
    CHECK_INT(t[0].prefix, 'u');
    CHECK_INT(t[0].u.text.len, 6);
    CHECK(!memcmp(t[0].u.text.ptr, "a\0\x3d\xd8\x00\xde", 6));
    CHECK_INT(t[2].prefix, 'U');
    CHECK_INT(t[2].u.text.len, 8);
    CHECK(!memcmp(t[2].u.text.ptr, "\xe9\0\0\0b\0\0", 8));
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Each of these must end with a diagnostic, soon and in bounded memory. */
TEST_ONCE(pp_hostile)
{
    static const struct {
        const char *name, *head, *unit;
        size_t bytes;
    } cases[] = {
        {"parentheses", "", "(", 10 << 20},
        {"parentheses in #if", "#if ", "(", 10 << 20},
        {"not in #if", "#if ", "!", 10 << 20},
        {"question marks in #if", "#if 1", "?1", 10 << 20},
        {"unfinished call", "#define f(x) x\nf", "(1,", 10 << 20},
        {"nested calls", "#define f(x) x\n", "f(", 4 << 20},
        {"stray bytes", "", "\001\377\200`", 4 << 20},
        {"splices", "", "a\\\n+\\\n", 10 << 20},
        {"quotes", "", "'\n", 4 << 20},
        {"open #ifs", "", "#if 1\n", 4 << 20},
        {"open skipped #ifs", "#if 0\n", "#if 1\n", 10 << 20},
        {"skipped raw strings", "#if 0\n", "R\"(\n", 10 << 20},
        {"defines", "", "#define\n", 4 << 20},
        {"markers", "x @", "#line 1\n", 4 << 20},
        {"raw string", "", "R\"(", 10 << 20},
        {"pastes", "#define p(a,b) a##b\n", "p(+,x)", 4 << 20},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t head = strlen(cases[i].head), unit = strlen(cases[i].unit);
        size_t bytes = unit_patience() > 1 ? cases[i].bytes / 8 : cases[i].bytes;
        size_t len = head + bytes / unit * unit;
        char *text = malloc(len + 1);
        if (!text)
            continue;
        memcpy(text, cases[i].head, head);
        for (size_t k = head; k < len; k += unit)
            memcpy(text + k, cases[i].unit, unit);
        struct mem *mem = u->mem;
        size_t before = mem->used;
        double t = seconds();
        struct run r;
        run_sized(u, &r, text, len);
        t = seconds() - t;
        bool quiet = !strcmp(cases[i].name, "splices");
        if (r.good != quiet)
            unit_fail(u, __FILE__, __LINE__, "%s: no diagnostic", cases[i].name);
        if (t > 60 * unit_patience()) /* quadratic: hours */
            unit_fail(u, __FILE__, __LINE__, "%s: took %.2f s", cases[i].name, t);
        if (mem->used - before > (20u << 20) + 100 * len)
            unit_fail(u, __FILE__, __LINE__, "%s: took %zu MiB", cases[i].name,
                      (mem->used - before) >> 20);
        if (getenv("TERN_TEST_TIMES"))
            fprintf(stderr, "%-24s %6.3f s %5zu MiB  %.60s\n", cases[i].name, t,
                    (mem->used - before) >> 20, r.text.data);
        free(text);
        arena_free(u->arena);
    }
}

TEST_ONCE(pp_exponential_macros)
{
    struct sbuf b;
    struct run r;
    sbuf_init(&b, u->arena);
    sbuf_puts(&b, "#define m0(x) x x\n");
    for (int i = 1; i < 64; i++)
        sbuf_printf(&b, "#define m%d(x) m%d(m%d(x))\n", i, i - 1, i - 1);
    sbuf_puts(&b, "m63(1)\n");
    double t = seconds();
    run(u, &r, b.data);
    CHECK(!r.good);
    CHECK(seconds() - t < 5 * unit_patience());
    CHECK(strstr(r.text.data, "too many tokens") != NULL);
    sbuf_init(&b, u->arena);
    sbuf_puts(&b, "#define n0 x x\n");
    for (int i = 1; i < 64; i++)
        sbuf_printf(&b, "#define n%d n%d n%d\n", i, i - 1, i - 1);
    sbuf_puts(&b, "n63\n");
    t = seconds();
    run(u, &r, b.data);
    CHECK(!r.good);
    CHECK(seconds() - t < 5 * unit_patience());
    CHECK(strstr(r.text.data, "too many tokens") != NULL);
}

/* ---- our own headers ---- */

static size_t count_name(const struct run *r, const char *name)
{
    size_t n = 0;
    for (size_t i = 0; i < r->result.tokens.len; i++)
        n += r->result.tokens.data[i].kind == TOKEN_IDENT &&
             !strcmp(r->result.tokens.data[i].u.name, name);
    return n;
}

TEST_ONCE(pp_headers_are_clean)
{
    static const char *const headers[] = {"cuda.h",
                                          "cuda_runtime.h",
                                          "cuda_runtime_api.h",
                                          "device_launch_parameters.h",
                                          "vector_types.h",
                                          "vector_functions.h",
                                          "driver_types.h",
                                          "device_functions.h",
                                          "device_atomic_functions.h",
                                          "sm_30_intrinsics.h",
                                          "math_functions.h",
                                          "math_constants.h",
                                          "texture_fetch_functions.h",
                                          "surface_functions.h",
                                          "simd_functions.h",
                                          "cooperative_groups.h",
                                          "cooperative_groups/reduce.h",
                                          "cooperative_groups/scan.h",
                                          "cooperative_groups/memcpy_async.h",
                                          "cuda_fp16.h",
                                          "cuda_bf16.h",
                                          "cuda_fp8.h",
                                          "mma.h",
                                          "cuComplex.h",
                                          "curand_kernel.h",
                                          "cuda_pipeline.h",
                                          "cuda/atomic",
                                          "cuda/barrier",
                                          "cuda/pipeline",
                                          "cuda/std/atomic",
                                          "cuda/std/barrier",
                                          "cuda/std/tuple",
                                          "cuda/std/type_traits",
                                          "algorithm",
                                          "array",
                                          "bit",
                                          "cassert",
                                          "cfloat",
                                          "climits",
                                          "cmath",
                                          "cstdarg",
                                          "cstddef",
                                          "cstdint",
                                          "cstdio",
                                          "cstdlib",
                                          "cstring",
                                          "functional",
                                          "initializer_list",
                                          "iterator",
                                          "limits",
                                          "memory",
                                          "new",
                                          "numbers",
                                          "numeric",
                                          "tuple",
                                          "type_traits",
                                          "utility",
                                          "assert.h",
                                          "float.h",
                                          "inttypes.h",
                                          "limits.h",
                                          "math.h",
                                          "stdarg.h",
                                          "stdbool.h",
                                          "stddef.h",
                                          "stdint.h",
                                          "stdio.h",
                                          "stdlib.h",
                                          "string.h"};
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        struct run r;
        char source[256];
        /* a user's macros must not reach into them */
        snprintf(source, sizeof source,
                 "#define T x\n#define n 5\n#define min(a, b) a\n#define i u8\n#include <%s>\n",
                 headers[i]);
        run_with(u, &r, source, strlen(source), true);
        int depth = 0;
        for (size_t k = 0; k < r.result.tokens.len; k++) {
            const struct token *t = &r.result.tokens.data[k];
            if (t->kind == TOKEN_PUNCT)
                depth += (t->punct == PUNCT_LBRACE || t->punct == PUNCT_LPAREN) -
                         (t->punct == PUNCT_RBRACE || t->punct == PUNCT_RPAREN);
        }
        if (!r.good || r.diag.warnings || r.result.skipped.len || depth || count_name(&r, "u8"))
            unit_fail(u, __FILE__, __LINE__, "<%s>: %s", headers[i],
                      r.diag.first ? r.diag.first->message : "brackets do not match");
        arena_free(u->arena);
    }
}

/* Every name that pulls a header in is declared by what it pulls in. */
TEST_ONCE(pp_pulls_what_it_says)
{
    static const struct {
        const char *header, *names;
        bool is_std;
    } table[] = {
#define PULL(header, place, names) {header, names, #place[0] == 'S'},
#include "front/cuda/pp/pull.def"
    };
    struct run none;
    run_with(u, &none, "int x;", 6, true);
    CHECK_INT(count_name(&none, "__tern_p_sinf"), 0);
    size_t plain = none.result.tokens.len;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct run r;
        const char *first = table[i].names;
        char text[4096];
        size_t used = 0;
        for (const char *p = first; *p; p += strspn(p, " ")) {
            const size_t n = strcspn(p, " ");
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%.*s ",
                                     table[i].is_std ? "std::" : "", (int)n, p);
            p += n;
        }
        run_with(u, &r, text, strcspn(text, " "), true);
        if (!r.good || r.result.tokens.len <= plain + 10)
            unit_fail(u, __FILE__, __LINE__, "%s is not pulled in", table[i].header);
        run_with(u, &r, text, used, true);
        for (const char *p = first; *p; p += strspn(p, " ")) {
            char name[64];
            size_t n = strcspn(p, " ");
            snprintf(name, sizeof name, "%.*s", (int)n, p);
            p += n;
            if (count_name(&r, name) < 2 && name[0] != 'h' && strncmp(name, "cu", 2) &&
                strncmp(name, "__nv", 4) && strncmp(name, "skip", 4) && strcmp(name, "__int128"))
                unit_fail(u, __FILE__, __LINE__, "%s is not declared anywhere", name);
        }
        arena_free(u->arena);
    }
}

/* Of the library and of our headers' functions, those are there that the source's words lead to. */
TEST_ONCE(pp_reads_what_is_reached)
{
    static const struct {
        const char *text;
        const char *there, *absent;
    } cases[] = {
        {"float y = sinf(x);", "__tern_sinf", "__tern_sin"},
        {"float y = sinf(x);", "__tern_p_sinf", "__tern_erff"},
        {"double y = sin(x);", "__tern_sin", "__tern_erf"},
        {"#include <curand_kernel.h>\nfloat y = curand_normal(s);", "__tern_rand_logf",
         "__tern_erf"},
        {"#include <cuda_fp16.h>\n__half y = hsin(x);", "__tern_sinf", "__tern_tgammaf"},
        {"int y = __popc(x);", "__popc", "__clz"},
        {"auto y = std::sqrt(x);", "sqrt", "cbrt"},
        {"auto y = std::is_same<int, T>::value;", "is_same", "is_base_of"},
        {"auto y = std::is_same_v<int, T>;", "is_same", "is_arithmetic_v"},
        {"std::decay_t<T> y;", "decay", "make_signed_t"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct run r;
        run_with(u, &r, cases[i].text, strlen(cases[i].text), true);
        if (!r.good || !count_name(&r, cases[i].there) || count_name(&r, cases[i].absent))
            unit_fail(u, __FILE__, __LINE__, "%s: %u of %s, %u of %s", cases[i].text,
                      (unsigned)count_name(&r, cases[i].there), cases[i].there,
                      (unsigned)count_name(&r, cases[i].absent), cases[i].absent);
        arena_free(u->arena);
    }
}

/* ---- images of our headers ---- */

static void run_half(struct unit *u, struct run *r, const struct sbuf *source, bool host,
                     bool no_images)
{
    const struct pp_options opt = {.host = host, .device = !host, .no_images = no_images};
    intern_init(&r->names, u->arena);
    source_init(&r->sm, u->arena);
    diag_init(&r->diag, u->arena, &r->sm);
    r->good = pp_run(u->arena, &r->names, &r->sm, &r->diag, &opt, "main.cu", source->data,
                     source->len, &r->result);
}

static bool same_place(const struct run *a, source_loc at, const struct run *b, source_loc bt)
{
    struct source_pos x, y;
    const bool known = source_position(&a->sm, at, &x);
    return known == source_position(&b->sm, bt, &y) &&
           (!known || (!strcmp(x.path, y.path) && x.line == y.line && x.column == y.column &&
                       str_eq(x.text, y.text)));
}

static bool same_token(const struct run *a, const struct token *x, const struct run *b,
                       const struct token *y)
{
    if (x->kind != y->kind || x->punct != y->punct || x->flags != y->flags ||
        x->prefix != y->prefix || !same_place(a, x->span.loc, b, y->span.loc))
        return false;
    switch (x->kind) {
    case TOKEN_IDENT: return !strcmp(x->u.name, y->u.name);
    case TOKEN_PUNCT:
    case TOKEN_EOF: return true;
    case TOKEN_CHAR: return x->u.value == y->u.value;
    default: return str_eq(x->u.text, y->u.text);
    }
}

/* With images of our headers and with their texts: the same. */
static void compare_images(struct unit *u, const struct sbuf *source, bool host)
{
    struct run image, text;
    run_half(u, &image, source, host, false);
    run_half(u, &text, source, host, true);
    const struct token_list *x = &image.result.tokens, *y = &text.result.tokens;
    size_t n = 0;
    while (n < x->len && n < y->len && same_token(&image, &x->data[n], &text, &y->data[n]))
        n++;
    struct source_pos at = {.path = ""};
    if (n < y->len)
        source_position(&text.sm, y->data[n].span.loc, &at);
    if (image.good != text.good || n < x->len || n < y->len)
        unit_fail(u, __FILE__, __LINE__, "%s: token %zu of %zu and %zu (%s:%u) of\n%s",
                  host ? "host" : "device", n, x->len, y->len, at.path, at.line, source->data);
    struct sbuf printed[2];
    sbuf_init(&printed[0], u->arena);
    sbuf_init(&printed[1], u->arena);
    pp_print(&image.result, &image.sm, &printed[0]);
    pp_print(&text.result, &text.sm, &printed[1]);
    if (strcmp(printed[0].data, printed[1].data))
        unit_fail(u, __FILE__, __LINE__, "the text is not the same of\n%s", source->data);
}

/* The n-th of the headers that stand for standard ones; NULL: it is another. */
static const char *standard_header(size_t n, bool host)
{
    size_t count;
    const char *name = embedded_files(&count)[n].name;
    if (!strncmp(name, "std/", 4))
        return name + 4;
    return host && !strncmp(name, "host/", 5) ? name + 5 : NULL;
}

static const char after_headers[] =
    "\nint *p = (int *)NULL; int m = INT_MAX, e = EOF, b = BUFSIZ; double d = M_PI;\n"
    "std::vector<std::string> v; std::map<int, int> t; auto q = std::sort(v.begin(), v.end());\n"
    "__global__ void k(float *x) { assert(x); atomicAdd(x, sqrtf(__shfl_sync(~0u, *x, 1))); }\n"
    "void f() { k<<<1, 2>>>(0); cudaDeviceSynchronize(); printf(\"%d\" \"\\n\", errno); throw 1; "
    "}\n";

TEST_ONCE(pp_images_are_what_texts_are)
{
    size_t count;
    embedded_files(&count);
    for (unsigned host = 0; host < 2; host++) {
        for (size_t i = 0; i < count; i += unit_stride())
            if (standard_header(i, host)) {
                struct sbuf one;
                sbuf_init(&one, u->arena);
                sbuf_printf(&one, "#include <%s>\n%s", standard_header(i, host), after_headers);
                compare_images(u, &one, host);
                arena_free(u->arena);
            }
        for (unsigned order = 0; order < 8;
             order += unit_stride()) { /* shuffled by steps that are prime */
            static const unsigned steps[] = {1, 10007, 3571, 7919, 5, 104729, 31, 17};
            struct sbuf all;
            sbuf_init(&all, u->arena);
            for (size_t i = 0; i < count; i++) {
                const char *name = standard_header((i * steps[order] + order) % count, host);
                if (name)
                    sbuf_printf(&all, "#include <%s>\n", name);
            }
            sbuf_puts(&all, after_headers);
            compare_images(u, &all, host);
            arena_free(u->arena);
        }
    }
}

/* What a source does to macros that our headers have, or ask for. */
TEST_ONCE(pp_images_leave_sources_their_say)
{
    static const char *const sources[] = {
        "#undef NULL\n#include <cstring>\n#include <vector>\n",
        "#define NULL 7\n#include <cstring>\n#include <string>\n",
        "#define __clang__ 1\n#include <vector>\n#include <map>\n",
        "#define vector list\n#define size SIZE\n#include <vector>\n",
        "#undef __GNUC__\n#include <atomic>\n#include <algorithm>\n",
        "#define NDEBUG\n#include <cassert>\n#undef NDEBUG\n#include <cassert>\n",
        "#define ID(x) x\nID(\n#include <vector>\n)\n#include <string>\n",
        "#define F(x) x\nint F\n#include <vector>\n#include <string>\n",
        "const char *s = \"a\"\n#include <utility>\n;\n",
        "#include <vector>\n#include <vector>\n#include <algorithm>\n#include <string>\n",
        "#define _UTILITY\n#define __TERN_UTILITY_H__\n#include <utility>\n",
        "#include <initializer_list>\nint a = __COUNTER__, b = __LINE__;\n#include <memory>\n"
        "int c = __COUNTER__, d = __LINE__;\n",
        "__int128 x; std::tuple<int> t; float f = tex1D<float>(o, 1.0f); int s = __vadd2(1, 2);\n",
    };
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++)
        for (unsigned host = 0; host < 2; host++) {
            struct sbuf one;
            sbuf_init(&one, u->arena);
            sbuf_puts(&one, sources[i]);
            sbuf_puts(&one, after_headers);
            compare_images(u, &one, host);
            arena_free(u->arena);
        }
}
