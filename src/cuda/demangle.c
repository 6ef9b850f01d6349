/* Names of kernels from the mangled ones of the Itanium C++ ABI.
 *
 * The C++ library's demangler takes no name of more than 1024 characters, and kernels of libraries
 * of templates have longer ones. What is read here is what a kernel's name can be made of: a name,
 * and template arguments that are types, numbers, functions, objects and packs. What it cannot be
 * made of (closures, classes inside of functions) gives no name: the device half has none for it.
 */
#include <stdlib.h>
#include <string.h>
#include "base/base.h"
#include "cuda/packed.h"

/* A type around a name: void (*NAME)(int). Names have no right half. */
struct piece {
    const char *left, *right;
    bool wraps; /* an array or a function: pointers to it need brackets */
};

struct reader {
    struct mem mem;
    struct arena a;
    jmp_buf unwind;
    const char *at;
    unsigned depth;
    VEC(struct piece) seen; /* what S_, S0_ … stand for */
};

enum { MOST_DEPTH = 400 };

static struct piece read_type(struct reader *r);
static const char *read_name(struct reader *r);
static const char *read_args(struct reader *r);
static void read_encoding(struct reader *r, const char **name);

static _Noreturn void fail(struct reader *r)
{
    longjmp(r->unwind, 1);
}

static bool accept(struct reader *r, char c)
{
    if (*r->at != c)
        return false;
    r->at++;
    return true;
}

static bool accept2(struct reader *r, const char *two)
{
    if (r->at[0] != two[0] || r->at[1] != two[1])
        return false;
    r->at += 2;
    return true;
}

static void expect(struct reader *r, char c)
{
    if (!accept(r, c))
        fail(r);
}

static struct piece named(const char *name)
{
    return (struct piece){.left = name, .right = ""};
}

static struct piece remember(struct reader *r, struct piece p)
{
    vec_push(&r->a, &r->seen, p);
    return p;
}

static size_t read_number(struct reader *r)
{
    size_t n = 0;
    if (*r->at < '0' || *r->at > '9')
        fail(r);
    while (*r->at >= '0' && *r->at <= '9' && n < 1000000)
        n = n * 10 + (size_t)(*r->at++ - '0');
    return n;
}

/* 3abc; NULL for an unnamed namespace, whose members are found without it. */
static const char *read_source_name(struct reader *r)
{
    accept(r, 'L'); /* internal linkage */
    const size_t n = read_number(r);
    if (strnlen(r->at, n) < n)
        fail(r);
    const char *name = arena_strndup(&r->a, r->at, n);
    r->at += n;
    while (accept(r, 'B')) /* a tag of the ABI */
        read_source_name(r);
    return strncmp(name, "_GLOBAL__N", 10) ? name : NULL;
}

/* Behind S: a number of base 36, of what has been seen; or a part of std. */
static struct piece read_substitution(struct reader *r)
{
    static const struct {
        char c;
        const char *name;
    } known[] = {{'t', "std"},          {'a', "std::allocator"}, {'b', "std::basic_string"},
                 {'s', "std::string"},  {'i', "std::istream"},   {'o', "std::ostream"},
                 {'d', "std::iostream"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (accept(r, known[i].c))
            return named(known[i].name);
    size_t n = 0;
    bool any = false;
    for (; *r->at != '_'; any = true, r->at++) {
        const char c = *r->at;
        if (!(c >= '0' && c <= '9') && !(c >= 'A' && c <= 'Z'))
            fail(r);
        n = n * 36 + (size_t)(c <= '9' ? c - '0' : c - 'A' + 10);
        if (n > 100000)
            fail(r);
    }
    r->at++;
    n += any;
    if (n >= r->seen.len)
        fail(r);
    return r->seen.data[n];
}

/* N 2ns 4name I … E E: every part from the left is one that S may stand for. */
static const char *read_nested(struct reader *r)
{
    while (*r->at == 'r' || *r->at == 'V' || *r->at == 'K' || *r->at == 'R' || *r->at == 'O')
        r->at++; /* of member functions */
    const char *name = NULL;
    while (!accept(r, 'E')) {
        if (accept(r, 'S')) {
            struct piece p = read_substitution(r);
            if (*p.right)
                fail(r);
            name = p.left;
            continue;
        }
        if (accept(r, 'I')) {
            if (!name)
                fail(r);
            name = arena_printf(&r->a, "%s%s", name, read_args(r));
        } else {
            const char *part = read_source_name(r);
            name = !part           ? name ? name : ""
                   : name && *name ? arena_printf(&r->a, "%s::%s", name, part)
                                   : part;
        }
        if (*r->at != 'E')
            remember(r, named(name));
    }
    if (!name)
        fail(r);
    return name;
}

/* What a name without N is: name, St name, or one of those that S stands for; with arguments. */
static const char *read_unscoped(struct reader *r)
{
    const char *name;
    bool again = false;
    if (accept2(r, "St")) {
        const char *part = read_source_name(r);
        name = arena_printf(&r->a, "std::%s", part ? part : "");
    } else if (accept(r, 'S')) {
        struct piece p = read_substitution(r);
        if (*p.right || *r->at != 'I')
            fail(r);
        name = p.left;
        again = true;
    } else {
        const char *part = read_source_name(r);
        name = part ? part : "";
    }
    if (*r->at == 'I') {
        if (!again)
            remember(r, named(name));
        r->at++;
        name = arena_printf(&r->a, "%s%s", name, read_args(r));
    }
    return name;
}

static const char *read_name(struct reader *r)
{
    return accept(r, 'N') ? read_nested(r) : read_unscoped(r);
}

/* A function and its type; only the name is of interest. */
static void read_encoding(struct reader *r, const char **name)
{

    *name = read_name(r);
    while (*r->at && *r->at != 'E')
        read_type(r);
}

/* ---- arguments ---- */

/* Its bits, which the front end reads: C++ has no decimal spelling that were as exact. */
static const char *read_float(struct reader *r)
{
    const char *type = accept(r, 'f') ? "float" : "double", *from;
    if (*type == 'd')
        expect(r, 'd');
    from = r->at;
    while ((*r->at >= '0' && *r->at <= '9') || (*r->at >= 'a' && *r->at <= 'f'))
        r->at++;
    if (r->at - from != (*type == 'f' ? 8 : 16))
        fail(r);
    const char *text = arena_printf(&r->a, "(%s)[%.*s]", type, (int)(r->at - from), from);
    expect(r, 'E');
    return text;
}

static const char *read_literal(struct reader *r)
{
    static const struct {
        char type;
        const char *before, *behind;
    } kinds[] = {{'i', "", ""},          {'j', "", "u"},
                 {'l', "", "l"},         {'m', "", "ul"},
                 {'x', "", "ll"},        {'y', "", "ull"},
                 {'c', "(char)", ""},    {'a', "(signed char)", ""},
                 {'s', "(short)", ""},   {'h', "(unsigned char)", ""},
                 {'w', "(wchar_t)", ""}, {'t', "(unsigned short)", ""}};
    const char *before = NULL, *behind = "";
    if (accept2(r, "_Z")) {
        const char *function;
        read_encoding(r, &function);
        expect(r, 'E');
        return arena_printf(&r->a, "&%s", function);
    }
    if (accept(r, 'b')) {
        const char *truth = *r->at == '0' ? "false" : "true";
        r->at++;
        expect(r, 'E');
        return truth;
    }
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && !before; i++)
        if (accept(r, kinds[i].type)) {
            before = kinds[i].before;
            behind = kinds[i].behind;
        }
    if (!before) { /* of an enumeration */
        if (*r->at == 'f' || *r->at == 'd')
            return read_float(r);
        if (*r->at == 'D')
            fail(r);
        struct piece p = read_type(r);
        if (*p.right)
            fail(r);
        before = arena_printf(&r->a, "(%s)", p.left);
    }
    const char *sign = accept(r, 'n') ? "-" : "", *from = r->at;
    while (*r->at >= '0' && *r->at <= '9')
        r->at++;
    if (r->at == from)
        fail(r);
    const char *text =
        arena_printf(&r->a, "%s%s%.*s%s", before, sign, (int)(r->at - from), from, behind);
    expect(r, 'E');
    return text;
}

/* Behind tl: an object, as a list of its members. */
static const char *read_object(struct reader *r)
{
    struct sbuf out;
    sbuf_init(&out, &r->a);
    if (++r->depth > MOST_DEPTH)
        fail(r);
    struct piece type = read_type(r);
    sbuf_printf(&out, "%s{", type.wraps ? "" : type.left);
    for (bool first = true; !accept(r, 'E'); first = false) {
        const char *member = NULL;
        if (accept2(r, "tl"))
            member = read_object(r);
        else if (accept(r, 'L'))
            member = read_literal(r);
        else
            fail(r);
        sbuf_printf(&out, "%s%s", first ? "" : ", ", member);
    }
    r->depth--;
    sbuf_putc(&out, '}');
    return out.data;
}

static void read_arg(struct reader *r, struct sbuf *out, bool *first)
{
    if (accept(r, 'J')) { /* a pack */
        while (!accept(r, 'E'))
            read_arg(r, out, first);
        return;
    }
    const char *text;
    if (accept(r, 'L')) {
        text = read_literal(r);
    } else if (accept(r, 'X')) { /* an expression: objects, and & of a function, are left of it */
        if (accept2(r, "tl")) {
            text = read_object(r);
        } else {
            if (!accept2(r, "ad") || !accept(r, 'L'))
                fail(r);
            text = read_literal(r);
        }
        expect(r, 'E');
    } else {
        struct piece p = read_type(r);
        text = arena_printf(&r->a, "%s%s", p.left, p.right);
    }
    sbuf_printf(out, "%s%s", *first ? "" : ", ", text);
    *first = false;
}

/* Behind I. */
static const char *read_args(struct reader *r)
{
    struct sbuf out;
    bool first = true;
    sbuf_init(&out, &r->a);
    sbuf_puts(&out, "<");
    if (++r->depth > MOST_DEPTH)
        fail(r);
    while (!accept(r, 'E'))
        read_arg(r, &out, &first);
    r->depth--;
    if (out.len && out.data[out.len - 1] == '>')
        sbuf_puts(&out, " ");
    sbuf_puts(&out, ">");
    return arena_strndup(&r->a, out.data, out.len);
}

/* ---- types ---- */

static const char *builtin(char c)
{
    static const struct {
        char c;
        const char *name;
    } names[] = {{'v', "void"},        {'w', "wchar_t"},
                 {'b', "bool"},        {'c', "char"},
                 {'a', "signed char"}, {'h', "unsigned char"},
                 {'s', "short"},       {'t', "unsigned short"},
                 {'i', "int"},         {'j', "unsigned int"},
                 {'l', "long"},        {'m', "unsigned long"},
                 {'x', "long long"},   {'y', "unsigned long long"},
                 {'n', "__int128"},    {'o', "unsigned __int128"},
                 {'f', "float"},       {'d', "double"},
                 {'e', "long double"}, {'z', "..."}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].c == c)
            return names[i].name;
    return NULL;
}

/* A pointer or reference to what was read. */
static struct piece pointed(struct reader *r, const char *mark)
{
    struct piece p = read_type(r);
    struct piece to = {.left = arena_printf(&r->a, "%s%s%s", p.left, p.wraps ? " (" : "", mark),
                       .right = p.wraps ? arena_printf(&r->a, ")%s", p.right) : p.right};
    return remember(r, to);
}

static struct piece read_function(struct reader *r)
{
    accept(r, 'Y');
    struct piece result = read_type(r);
    struct sbuf out;
    sbuf_init(&out, &r->a);
    sbuf_puts(&out, "(");
    for (bool first = true; !accept(r, 'E'); first = false) {
        struct piece p = read_type(r);
        if (strcmp(p.left, "void") != 0 || *p.right)
            sbuf_printf(&out, "%s%s%s", first ? "" : ", ", p.left, p.right);
    }
    sbuf_printf(&out, ")%s", result.right);
    return remember(r, (struct piece){.left = result.left,
                                      .right = arena_strndup(&r->a, out.data, out.len),
                                      .wraps = true});
}

static struct piece read_array(struct reader *r)
{
    const char *from = r->at;
    while (*r->at >= '0' && *r->at <= '9')
        r->at++;
    const int digits = (int)(r->at - from);
    expect(r, '_');
    struct piece p = read_type(r);
    return remember(r,
                    (struct piece){.left = p.left,
                                   .right = arena_printf(&r->a, "[%.*s]%s", digits, from, p.right),
                                   .wraps = true});
}

/* K, V and r belong together: what they are added to is seen, and all of them at once. */
static struct piece read_qualified(struct reader *r)
{
    const bool is_volatile = accept(r, 'V'), is_const = accept(r, 'K');
    struct piece p = read_type(r);
    p.left = arena_printf(&r->a, "%s%s%s", p.left, is_const ? " const" : "",
                          is_volatile ? " volatile" : "");
    return remember(r, p);
}

static struct piece read_class(struct reader *r)
{
    if (*r->at == 'S' && r->at[1] != 't') {
        r->at++;
        struct piece p = read_substitution(r);
        if (*r->at != 'I')
            return p;
        if (*p.right)
            fail(r);
        r->at++;
        return remember(r, named(arena_printf(&r->a, "%s%s", p.left, read_args(r))));
    }

    return remember(r, named(read_name(r)));
}

/* A parameter of a template, in the type of a function whose name alone is wanted. */
static struct piece read_parameter(struct reader *r)
{
    while (*r->at && *r->at != '_')
        r->at++;
    expect(r, '_');
    return remember(r, named("T"));
}

static struct piece read_member_pointer(struct reader *r)
{
    struct piece c = read_type(r), m = read_type(r);
    return remember(
        r, (struct piece){
               .left = arena_printf(&r->a, "%s%s%s::*", m.left, m.wraps ? " (" : " ", c.left),
               .right = m.wraps ? arena_printf(&r->a, ")%s", m.right) : m.right});
}

/* Dn, DF16_, DF16b, Du …: behind D */
static struct piece read_other(struct reader *r)
{
    if (accept(r, 'n'))
        return named("decltype(nullptr)");
    if (accept(r, 'i'))
        return named("char32_t");
    if (accept(r, 's'))
        return named("char16_t");
    if (accept(r, 'u'))
        return named("char8_t");
    if (accept(r, 'p')) { /* an expansion, in the type of a function */
        read_type(r);
        return remember(r, named("T"));
    }
    fail(r);
}

static struct piece read_type(struct reader *r)
{
    if (++r->depth > MOST_DEPTH)
        fail(r);
    const char c = *r->at;
    const char *simple = builtin(c);
    struct piece p;
    if (simple) {
        r->at++;
        p = named(simple);
    } else if (c == 'V' || c == 'K') {
        p = read_qualified(r);
    } else if (accept(r, 'P')) {
        p = pointed(r, "*");
    } else if (accept(r, 'R')) {
        p = pointed(r, "&");
    } else if (accept(r, 'O')) {
        p = pointed(r, "&&");
    } else if (accept(r, 'F')) {
        p = read_function(r);
    } else if (accept(r, 'A')) {
        p = read_array(r);
    } else if (accept(r, 'M')) {
        p = read_member_pointer(r);
    } else if (accept(r, 'T')) {
        p = read_parameter(r);
    } else if (accept(r, 'D')) {
        p = read_other(r);
    } else {
        p = read_class(r);
    }
    r->depth--;
    return p;
}

/* Everything but the result is gone when it returns. */
static char *read_tag(struct reader *r, const char *tag)
{
    if (setjmp(r->unwind) || tag[0] != 'Z')
        return NULL;

    r->at = tag + 1;
    const char *name = read_name(r);
    char *out = malloc(strlen(name) + 1);
    return out ? strcpy(out, name) : NULL;
}

char *packed_demangled(const char *tag)
{
    struct reader *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    r->mem = (struct mem){.limit = (size_t)64 << 20, .unwind = &r->unwind};
    arena_init(&r->a, &r->mem);
    char *out = read_tag(r, tag);
    mem_release(&r->mem);
    free(r);
    return out;
}
