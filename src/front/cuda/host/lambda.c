/* Closures that the device runs, written in host code: [=] __device__ (int i) { … }.
 *
 * Such a closure becomes a class at namespace scope, in both halves, with the captured variables as
 * members and the body as its operator(); in the host half the expression becomes a call that
 * makes an object of it. So a kernel template that takes it has a name that both halves know. In
 * the order of the text, both halves number the closures the same.
 *
 * Which names the body captures is read off the tokens: those that the body uses and that look
 * declared in the function around. The types of captured variables are the class's template
 * parameters. The object of a member function is captured like a variable: what the body uses and
 * looks declared in the class is then taken from there. */
#include "front/cuda/host/host_int.h"

#include <string.h>

struct local {
    const char *name;
    uint32_t first, last; /* tokens that it is known to; last 0: all */
    uint32_t from,
        to; /* its declaration, if it is a constant that the body may need as one; else 0 */
};
typedef VEC(struct local) locals;

struct closure {
    uint32_t open;    /* '[' */
    uint32_t tparams; /* '<' of a list of its own, or 0 */
    uint32_t params;  /* '(' or 0 */
    uint32_t body;    /* '{' */
    bool host, is_mutable;
    uint32_t result_from, result_to; /* -> type, or 0 */
    VEC(const char *) names;         /* captured */
    VEC(const char *) values;        /* what each is made from */
    const locals *around;            /* what the function around declares */
    uint32_t record;           /* '{' of the class that the function around is a member of, or 0 */
    locals own;                /* its parameters and what its body declares */
    locals members;            /* of that class */
    locals constants;          /* those of them that are constants and in the body */
    bool self, self_copied;    /* captures this, *this */
    VEC(const char *) classes; /* classes of that class which it names */
};

#define SELF   "__tern_self"
#define RECORD "__tern_R" /* the class around, where a closure names classes of it */

static struct tok *at(struct splitter *s, uint32_t i)
{
    return &s->toks.data[i];
}

static bool same_word(struct splitter *s, uint32_t i, const char *name)
{
    return at(s, i)->kind == WORD && host_is(s, i, name);
}

/* ---- what is declared around ---- */

static const struct local *find_local(const locals *l, const char *name, uint32_t i)
{
    for (size_t k = l->len; k-- > 0;)
        if (!strcmp(l->data[k].name, name) &&
            (!l->data[k].last || (i >= l->data[k].first && i < l->data[k].last)))
            return &l->data[k];
    return NULL;
}

static uint32_t end_of_statement(struct splitter *s, uint32_t i)
{
    while (at(s, i)->kind != END && !host_is_punct(s, i, ';')) {
        const struct tok *t = at(s, i);
        if (t->kind == PUNCT && (t->punct == ')' || t->punct == ']' || t->punct == '}'))
            break;
        i = t->kind == PUNCT && (t->punct == '(' || t->punct == '[' || t->punct == '{')
                ? t->match + 1
                : i + 1;
    }
    return i;
}

static void add_local(struct splitter *s, locals *l, uint32_t name, uint32_t from, uint32_t to)
{
    struct local x = {.name = host_spelled(s, name), .from = from, .to = to};
    vec_push(s->arena, l, x);
}

/* Are the tokens from i to the ';' made of numbers, and of constants that are known already? */
static bool is_constant(struct splitter *s, uint32_t i, const locals *l)
{
    static const char *const words[] = {"int",    "unsigned", "long", "short", "char", "size_t",
                                        "sizeof", "float",    "true", "false", NULL};
    const uint32_t start = i;
    for (; at(s, i)->kind != END && !host_is_punct(s, i, ';'); i++) {
        const struct tok *t = at(s, i);
        if (t->kind == WORD) {
            const struct local *known = find_local(l, host_spelled(s, i), i);
            if (known ? !known->to : !host_is_one_of(s, i, words))
                return false;
        } else if (t->kind != NUMBER && (t->kind != PUNCT || !strchr("+-*/%<>()|&^~", t->punct))) {
            return false;
        }
    }
    return i > start;
}

/* Behind the template arguments that '<' at i opens: A<int *, B>::c, whose commas part no
 * declarators; the next token if it compares. */
static uint32_t after_arguments(struct splitter *s, uint32_t i)
{
    const uint32_t after = host_after_angles(s, i);
    if (!host_is_punct(s, after - 1, '>'))
        return i + 1;
    for (uint32_t k = i + 1; k < after; k++)
        if (host_is_punct(s, k, '=')) /* of the next declarator: a < b, c = d > e */
            return i + 1;
    return after;
}

/* If tokens from i on look like a declaration, adds what it declares. */
static void read_declaration(struct splitter *s, uint32_t i, locals *l)
{
    static const char *const not_types[] = {
        "return", "delete", "throw", "goto",    "case",     "if",  "while",  "switch", "do",
        "else",   "break",  "using", "typedef", "operator", "new", "public", "sizeof", NULL};
    static const char *const specifiers[] = {"const",    "static",  "volatile", "constexpr",
                                             "register", "mutable", "typename", "struct",
                                             "class",    "enum",    NULL};
    const uint32_t start = i;
    uint32_t name = 0, words = 0;
    bool constant = false, fixed = false, automatic = false, points = false;
    for (;; i++) {
        const struct tok *t = at(s, i);
        if (t->kind == WORD) {
            if (host_is_one_of(s, i, not_types))
                return;
            constant |= host_is(s, i, "constexpr");
            fixed |= host_is(s, i, "const");
            automatic |= host_is(s, i, "auto");
            if (host_is_one_of(s, i, specifiers))
                continue;
            if ((same_word(s, i, "decltype") || same_word(s, i, "alignas")) &&
                host_is_punct(s, i + 1, '(')) {
                words += same_word(s, i, "decltype");
                i = at(s, i + 1)->match;
                name = 0;
                continue;
            }
            const bool part = i > start && at(s, i - 1)->kind == PUNCT && host_is(s, i - 1, "::");
            words += !part;
            name = part ? 0 : i;
        } else if (t->kind == PUNCT && t->punct == ':' && t->len == 2) {
            name = 0;
        } else if (t->kind == PUNCT && t->punct == '<' && i > start && at(s, i - 1)->kind == WORD) {
            const uint32_t after = host_after_angles(s, i);
            if (!host_is_punct(s, after - 1, '>'))
                return;
            i = after - 1;
            name = 0;
        } else if (t->kind == PUNCT && (t->punct == '*' || t->punct == '&')) {
            name = 0;
            points = true;
        } else if (host_is_punct(s, i, '.') && host_is_punct(s, i + 1, '.')) { /* types... names */
            i += 2;
            name = 0;
        } else if (t->kind == PUNCT && t->punct == '[' && words == 1 && automatic) {
            for (uint32_t k = i + 1; k < t->match; k++) /* auto [a, b] = … */
                if (at(s, k)->kind == WORD)
                    add_local(s, l, k, 0, 0);
            return;
        } else {
            break;
        }
    }
    if (!name || words < 2 || at(s, i)->kind != PUNCT || !strchr("=;,({[:)", at(s, i)->punct))
        return;
    const bool literal = fixed && !points && host_is_punct(s, i, '=') && is_constant(s, i + 1, l);
    const uint32_t end = constant || literal ? end_of_statement(s, i) : 0;
    add_local(s, l, name, end ? start : 0, end);
    while (at(s, i)->kind != END) { /* int a = 1, *b, c[4]; */
        const struct tok *t = at(s, i);
        if (t->kind == PUNCT && (t->punct == ';' || t->punct == ')' || t->punct == '}'))
            return;
        if (t->kind == PUNCT && t->punct == '<' && at(s, i - 1)->kind == WORD)
            i = after_arguments(s, i) - 1;
        if (t->kind == PUNCT && (t->punct == '(' || t->punct == '[' || t->punct == '{')) {
            i = t->match + 1;
            continue;
        }
        if (host_is_punct(s, i, ',')) {
            uint32_t k = i + 1;
            while (host_is_punct(s, k, '*') || host_is_punct(s, k, '&'))
                k++;
            if (at(s, k)->kind == WORD && at(s, k + 1)->kind == PUNCT &&
                strchr("=;,({[)", at(s, k + 1)->punct))
                add_local(s, l, k, end ? start : 0, end);
        }
        i++;
    }
}

/* What a list of parameters declares. */
static void add_parameters(struct splitter *s, uint32_t open, locals *l)
{
    const uint32_t close = at(s, open)->match;
    for (uint32_t from = open + 1; from < close;) {
        const uint32_t to = host_item_end(s, from, close);
        const uint32_t name = host_parameter_name(s, from, to);
        if (name)
            add_local(s, l, name, 0, 0);
        from = to + 1;
    }
}

/* Is this the '(' of a closure's parameters? */
static bool is_closure(struct splitter *s, uint32_t i)
{
    static const char *const marks[] = {"__device__", "__host__", NULL};
    uint32_t before = i - 1;
    while (before && host_is_one_of(s, before, marks))
        before--;
    if (!host_is_punct(s, before, ']') || at(s, before)->match == 0)
        return false;
    const uint32_t ahead = at(s, before)->match - 1; /* a[i](x) is a call */
    return at(s, ahead)->kind == PUNCT ? at(s, ahead)->punct != ')' && at(s, ahead)->punct != ']'
                                       : host_is(s, ahead, "return");
}

/* The end of what knows the names that the parentheses at i declare: of a statement or a closure;
 * 0: they declare nothing, as those of a call: f(a * b, c). */
static uint32_t reach_of(struct splitter *s, uint32_t i)
{
    static const char *const statements[] = {"for", "if", "while", "switch", "catch", NULL};
    uint32_t after = at(s, i)->match + 1;
    if (is_closure(s, i)) {
        while (at(s, after)->kind != END && !host_is_punct(s, after, '{') &&
               !host_is_punct(s, after, ';'))
            after++;
    } else {
        const bool skips = host_is(s, i - 1, "constexpr"); /* if constexpr (…) */
        if (!host_is_one_of(s, i - 1 - skips, statements))
            return 0;
    }
    return host_is_punct(s, after, '{') ? at(s, after)->match : end_of_statement(s, after);
}

/* Everything that looks declared between two tokens; what is over by then is left out. */
static void read_locals(struct splitter *s, uint32_t from, uint32_t to, locals *l)
{
    for (uint32_t i = from; i < to; i++) {
        const struct tok *t = at(s, i);
        if (t->kind != PUNCT)
            continue;
        const bool over = t->match > i && t->match < to;
        if (t->punct == '{' || t->punct == '}' || host_is_punct(s, i, ';')) {
            if (t->punct == '{' && over)
                i = t->match;
            read_declaration(s, i + 1, l);
        } else if (t->punct == '(') {
            const uint32_t reach = reach_of(s, i);
            if (reach >= to && is_closure(s, i))
                add_parameters(s, i, l);
            else if (reach >= to)
                read_declaration(s, i + 1, l);
            if (over && (reach < to || is_closure(s, i)))
                i = t->match;
        }
    }
}

/* A using, a typedef, or an enum that declares no variable: where it ends; else 0. */
static uint32_t type_end(struct splitter *s, uint32_t i)
{
    if (same_word(s, i, "using") || same_word(s, i, "typedef"))
        return end_of_statement(s, i);
    const uint32_t end = same_word(s, i, "enum") ? end_of_statement(s, i) : 0;
    return end && host_is_punct(s, end - 1, '}') ? end : 0;
}

/* The next one from i on that is in force at `to`: not in a block that is over by then. */
static uint32_t next_type(struct splitter *s, uint32_t i, uint32_t to)
{
    for (; i < to && !type_end(s, i); i++)
        if (host_is_punct(s, i, '{') && at(s, i)->match < to && at(s, i)->match > i)
            i = at(s, i)->match;
    return i;
}

/* The name that it gives to a type; NULL: it does something else. */
static const char *type_named(struct splitter *s, uint32_t i, uint32_t end)
{
    if (same_word(s, i, "enum"))
        return at(s, i + 1)->kind == WORD ? host_spelled(s, i + 1) : "";
    const uint32_t name = same_word(s, i, "using") ? i + 1 : end - 1;
    if (at(s, name)->kind != WORD || (name == i + 1 && !host_is_punct(s, i + 2, '=')))
        return NULL;
    return host_spelled(s, name);
}

/* Types and constants that are declared around a closure, which it may need copies of. */
struct item {
    uint32_t from, to;
    bool type, needed;
};
typedef VEC(struct item) items;

static void add_item(struct splitter *s, items *l, struct item x)
{
    size_t k = l->len;
    while (k > 0 && l->data[k - 1].from > x.from)
        k--;
    if (k > 0 && l->data[k - 1].from == x.from)
        return; /* constexpr int a = 1, b = 2; */
    vec_push(s->arena, l, x);
    for (size_t m = l->len - 1; m > k; m--)
        l->data[m] = l->data[m - 1];
    l->data[k] = x;
}

/* Does one of the tokens [first, last) name it? Of what names no type that is not asked. */
static bool names_item(struct splitter *s, const struct item *x, const char *name, uint32_t first,
                       uint32_t last)
{
    if (x->type && *name)
        for (uint32_t k = first; k < last; k++)
            if (same_word(s, k, name))
                return true;
    /* a constant, or an enumeration: the words in it that may be what it declares */
    if (!x->type || same_word(s, x->from, "enum"))
        for (uint32_t i = x->from; i < x->to; i++)
            for (uint32_t k = first; at(s, i)->kind == WORD && k < last; k++)
                if ((host_is_punct(s, i + 1, '=') || host_is_punct(s, i + 1, ',') ||
                     host_is_punct(s, i + 1, '}') || host_is_punct(s, i + 1, '{') ||
                     host_is_punct(s, i + 1, '(') || host_is_punct(s, i + 1, '[')) &&
                    same_word(s, k, host_spelled(s, i)))
                    return true;
    return false;
}

/* Do those of the items that are needed name it? */
static bool items_name(struct splitter *s, const items *l, const struct item *x, const char *name)
{
    for (size_t m = 0; l && m < l->len; m++)
        if (l->data[m].needed && names_item(s, x, name, l->data[m].from, l->data[m].to))
            return true;
    return false;
}

/* Those between two tokens that the tokens [first, last) need, or `more` that these need, by way of
 * others too, in order. In a class only those that name a type may stand, and constants. */
static items needed_items(struct splitter *s, uint32_t from, uint32_t to, const locals *around,
                          bool in_class, uint32_t first, uint32_t last, const items *more)
{
    items l = {0};
    for (uint32_t i = from, end; (i = next_type(s, i, to)) < to; i = end) {
        end = type_end(s, i);
        if (!in_class || type_named(s, i, end))
            add_item(s, &l, (struct item){.from = i, .to = end, .type = true});
    }
    for (size_t k = 0; around && k < around->len; k++)
        if (around->data[k].to)
            add_item(s, &l, (struct item){.from = around->data[k].from, .to = around->data[k].to});
    for (size_t k = l.len; k-- > 0;) {
        struct item *x = &l.data[k];
        const char *name = x->type ? type_named(s, x->from, x->to) : "";
        x->needed = !name || names_item(s, x, name, first, last) || items_name(s, more, x, name);
        for (size_t m = k + 1; m < l.len && !x->needed; m++)
            x->needed = l.data[m].needed && names_item(s, x, name, l.data[m].from, l.data[m].to);
    }
    return l;
}

static void put_items(struct splitter *s, const items *l, bool in_class, struct sbuf *out)
{
    vec_each (struct item, x, l) {
        if (!x->needed)
            continue;
        if (in_class && !x->type && !same_word(s, x->from, "static"))
            sbuf_puts(out, "static ");
        sbuf_printf(out, "%.*s; ", (int)(at(s, x->to)->at - at(s, x->from)->at),
                    s->text + at(s, x->from)->at);
    }
}

/* ---- one closure ---- */

static bool captured_already(const struct closure *c, const char *name)
{
    for (size_t k = 0; k < c->names.len; k++)
        if (!strcmp(c->names.data[k], name))
            return true;
    return false;
}

static void capture(struct splitter *s, struct closure *c, const char *name, const char *value)
{
    if (captured_already(c, name))
        return;
    vec_push(s->arena, &c->names, name);
    vec_push(s->arena, &c->values, value);
}

/* Is this the '{' of a class? What stands in it has names of its own. */
static bool is_record(struct splitter *s, uint32_t i)
{
    static const char *const kinds[] = {"struct", "union", "class", NULL};
    return host_is_punct(s, i, '{') &&
           (host_is_one_of(s, i - 1, kinds) || host_is_one_of(s, i - 2, kinds));
}

/* The '}' of the innermost block around or before token i, in the one that opens at `body`. */
static uint32_t block_end(struct splitter *s, uint32_t i, uint32_t body)
{
    for (; i > body; i--)
        if (host_is_punct(s, i, '}'))
            i = at(s, i)->match;
        else if (host_is_punct(s, i, '{'))
            break;
    return at(s, i)->match;
}

/* The names that an enumeration declares around itself; i is its '{', if it is one. */
static void add_enumerators(struct splitter *s, uint32_t i, locals *l)
{
    uint32_t before = i - 1; /* enum {, enum name {, enum name : type { */
    while (before && at(s, before)->kind == WORD && !same_word(s, before, "enum"))
        before -= host_is_punct(s, before - 1, ':') ? 2 : 1;
    if (!same_word(s, before, "enum"))
        return;
    const uint32_t close = at(s, i)->match;
    for (uint32_t from = i + 1; from < close; from = host_item_end(s, from, close) + 1)
        if (at(s, from)->kind == WORD)
            add_local(s, l, from, 0, 0);
}

static void read_own(struct splitter *s, struct closure *c)
{
    if (c->params)
        add_parameters(s, c->params, &c->own);
    for (uint32_t i = c->body; i < at(s, c->body)->match; i++) {
        if (at(s, i)->kind != PUNCT || !strchr("{};(", at(s, i)->punct))
            continue;
        if (is_record(s, i))
            i = at(s, i)->match;
        const bool list = host_is_punct(s, i, '(');
        const uint32_t last = list ? reach_of(s, i) : block_end(s, i, c->body);
        if (list && !last)
            continue;
        size_t k = c->own.len;
        if (list && is_closure(s, i))
            add_parameters(s, i, &c->own);
        else
            read_declaration(s, i + 1, &c->own);
        for (; k < c->own.len; k++) {
            c->own.data[k].first = i;
            c->own.data[k].last = last;
        }
        if (!host_is_punct(s, i, '{'))
            continue;
        add_enumerators(s, i, &c->own);
        for (; k < c->own.len; k++) {
            c->own.data[k].first = i;
            c->own.data[k].last = block_end(s, i - 1, c->body);
        }
    }
}

/* A name that stands for itself: no member of something, no part of a longer one. */
static bool stands_alone(struct splitter *s, uint32_t i)
{
    return at(s, i)->kind == WORD && !host_is(s, i - 1, ".") && !host_is(s, i - 1, "->") &&
           !host_is(s, i - 1, "::") && !host_is(s, i + 1, "::");
}

/* A word of the body that names a member of the object around: NULL if it names something else. */
static const struct local *member_used(struct splitter *s, const struct closure *c, uint32_t i)
{
    const char *name = stands_alone(s, i) ? host_spelled(s, i) : NULL;
    return !name || find_local(&c->own, name, i) || captured_already(c, name)
               ? NULL
               : find_local(&c->members, name, i);
}

/* The names in the body that are locals around and not the closure's own. */
static void capture_used(struct splitter *s, struct closure *c, const locals *around)
{
    for (uint32_t i = c->body + 1; i < at(s, c->body)->match; i++) {
        if (!stands_alone(s, i))
            continue;
        const char *name = host_spelled(s, i);
        const struct local *l = find_local(around, name, i);
        if (!l || find_local(&c->own, name, i))
            continue;
        if (!l->to)
            capture(s, c, name, name);
    }
}

static bool read_captures(struct splitter *s, struct closure *c, const locals *around)
{
    const uint32_t close = at(s, c->open)->match;
    bool all = false;
    for (uint32_t i = c->open + 1; i < close;) {
        const uint32_t end = host_item_end(s, i, close);
        const bool copied = host_is_punct(s, i, '*') && same_word(s, i + 1, "this");
        if (copied || same_word(s, i, "this")) {
            c->self = true;
            c->self_copied = copied;
            i = end + 1;
            continue;
        }
        if (host_is_punct(s, i, '&') || host_is_punct(s, i, '*')) {
            diag_error(s->diag, host_where(s, i),
                       "a closure for the device captures by value only: '%.*s' is of the host",
                       (int)(at(s, end)->at - at(s, i)->at), s->text + at(s, i)->at);
            return false;
        }
        if (host_is_punct(s, i, '=')) {
            all = true;
        } else if (at(s, i)->kind == WORD) {
            const char *name = host_spelled(s, i), *value = name;
            if (i + 1 < end) { /* name = value, name{value} */
                const uint32_t from = host_is_punct(s, i + 1, '=') ? i + 2 : i + 1;
                value = arena_strndup(s->arena, s->text + at(s, from)->at,
                                      at(s, end)->at - at(s, from)->at);
            }
            capture(s, c, name, value);
        }
        i = end + 1;
    }
    if (all)
        capture_used(s, c, around);
    for (uint32_t i = c->body + 1; i < at(s, c->body)->match; i++) {
        const struct local *l = member_used(s, c, i);
        if (l && l->to)
            vec_push(s->arena, &c->constants, *l);
        else if (all && !find_local(around, host_spelled(s, i), i))
            c->self |= l || same_word(s, i, "this");
    }
    s->result->sees_objects |= c->self && c->host;
    if (c->self)
        capture(s, c, SELF, c->self_copied ? "*this" : "this");
    return true;
}

/* From '[' on: is it a closure that is marked for the device? */
static bool read_closure(struct splitter *s, uint32_t open, struct closure *c)
{
    *c = (struct closure){.open = open};
    uint32_t i = at(s, open)->match + 1;
    bool device = false;
    if (host_is_punct(s, i, '<')) {
        c->tparams = i;
        i = host_after_angles(s, i);
    }
    for (;; i++) {
        if (same_word(s, i, "__device__"))
            device = true;
        else if (same_word(s, i, "__host__"))
            c->host = true;
        else
            break;
    }
    if (!device)
        return false;
    if (host_is_punct(s, i, '(')) {
        c->params = i;
        i = at(s, i)->match + 1;
    }
    for (; at(s, i)->kind != END && !host_is_punct(s, i, '{'); i++) {
        if (host_is_punct(s, i, ';'))
            return false;
        c->is_mutable |= same_word(s, i, "mutable");
        if (at(s, i)->kind == PUNCT && at(s, i)->punct == '-' && at(s, i)->len == 2) {
            c->result_from = i + 1;
            while (at(s, i)->kind != END && !host_is_punct(s, i, '{'))
                i = host_is_punct(s, i, '<') ? host_after_angles(s, i) : i + 1;
            c->result_to = i;
            break;
        }
    }
    c->body = i;
    return host_is_punct(s, i, '{');
}

/* Does one of the tokens [first, last) mean what a class calls so? */
static bool names_class(struct splitter *s, const struct closure *c, const char *name,
                        uint32_t first, uint32_t last)
{
    for (uint32_t k = first; k < last; k++)
        if (same_word(s, k, name) && !host_is(s, k - 1, ".") && !host_is(s, k - 1, "->") &&
            !host_is(s, k - 1, "::") && !find_local(&c->own, name, k))
            return true;
    return false;
}

/* Classes that are members of the class around, and that the closure names, or what is copied into
 * it: outside, they are known by way of that class only. */
static void read_classes(struct splitter *s, struct closure *c, const items *const copied[3])
{
    static const char *const kinds[] = {"struct", "union", "class", NULL};
    for (uint32_t i = c->record + 1; i < at(s, c->record)->match; i++) {
        const struct tok *t = at(s, i);
        if (t->kind == PUNCT && (t->punct == '{' || t->punct == '(' || t->punct == '['))
            i = t->match;
        if (!host_is_one_of(s, i, kinds) || at(s, i + 1)->kind != WORD ||
            host_is_punct(s, i - 1, '>') || host_is_punct(s, i - 1, '<') ||
            host_is_punct(s, i - 1, ','))
            continue;
        const char *name = host_spelled(s, ++i);
        bool needed = names_class(s, c, name, c->open + 1, at(s, c->body)->match);
        for (unsigned k = 0; k < 3 && !needed; k++)
            for (size_t m = 0; m < copied[k]->len && !needed; m++)
                needed = copied[k]->data[m].needed &&
                         names_class(s, c, name, copied[k]->data[m].from, copied[k]->data[m].to);
        if (needed && (host_is_punct(s, i + 1, '{') || host_is_punct(s, i + 1, ':') ||
                       host_is(s, i + 1, "final")))
            vec_push(s->arena, &c->classes, name);
    }
}

/* The name of the class whose '{' that is; NULL: it has none. */
static const char *record_name(struct splitter *s, uint32_t open)
{
    static const char *const kinds[] = {"struct", "union", "class", NULL};
    uint32_t i = open;
    while (i && !host_is_one_of(s, i, kinds))
        i--;
    for (i++; i < open && at(s, i)->kind == WORD; i++) {
        if (!host_is_punct(s, i + 1, '('))
            return host_spelled(s, i);
        i = at(s, i + 1)->match; /* alignas(16) */
    }
    return NULL;
}

/* ---- writing it ---- */

/* A template list without its names' defaults, as a declaration has it, and the names alone. */
static void template_lists(struct splitter *s, uint32_t open, struct sbuf *list, struct sbuf *names)
{
    const uint32_t close = host_after_angles(s, open) - 1;
    for (uint32_t i = open + 1; i < close;) {
        uint32_t end = i, value = 0, name = 0;
        bool pack = false;
        for (; end < close && !host_is_punct(s, end, ','); end++) {
            const struct tok *t = at(s, end);
            if (host_is_punct(s, end, '=') && !value)
                value = end;
            if (t->kind == WORD && !value)
                name = end;
            pack |= host_is_punct(s, end, '.') && !value;
            if (t->kind == PUNCT && (t->punct == '(' || t->punct == '[' || t->punct == '{'))
                end = t->match;
            else if (t->kind == PUNCT && t->punct == '<')
                end = host_after_angles(s, end) - 1;
        }
        const uint32_t to = value ? value : end;
        if (name && to > i) {
            sbuf_printf(list, "%.*s, ",
                        (int)(at(s, to - 1)->at + at(s, to - 1)->len - at(s, i)->at),
                        s->text + at(s, i)->at);
            sbuf_printf(names, "%s%s, ", host_spelled(s, name), pack ? "..." : "");
        }
        i = end + 1;
    }
}

/* The place of a token in the file it came from, by the line markers before it. */
static void line_of(struct splitter *s, uint32_t offset, uint32_t *line, const char **file)
{
    *line = 1;
    *file = "";
    for (uint32_t k = 0; k < offset; k++) {
        if (s->text[k] == '\n')
            ++*line;
        if (s->text[k] != '#' || (k && s->text[k - 1] != '\n') || s->text[k + 1] != ' ' ||
            s->text[k + 2] < '0' || s->text[k + 2] > '9')
            continue;
        uint32_t n = 0;
        for (k += 2; k < offset && s->text[k] >= '0' && s->text[k] <= '9'; k++)
            n = 10 * n + (uint32_t)(s->text[k] - '0');
        const uint32_t name = k + 1;
        while (k < offset && s->text[k] != '\n')
            k++;
        uint32_t end = name;
        while (end < k && (end == name || s->text[end] != '"'))
            end++;
        *file = end > name ? arena_strndup(s->arena, s->text + name, end + 1 - name) : "";
        *line = n;
    }
}

/* Parameters, with a template parameter for each auto. */
static unsigned put_params(struct splitter *s, const struct closure *c, struct sbuf *out)
{
    unsigned autos = 0;
    uint32_t from = at(s, c->params)->at;
    const uint32_t close = at(s, c->params)->match;
    for (uint32_t i = c->params; i < close; i++)
        if (same_word(s, i, "auto")) {
            sbuf_printf(out, "%.*s__tern_A%u", (int)(at(s, i)->at - from), s->text + from, autos++);
            from = at(s, i)->at + at(s, i)->len;
        }
    sbuf_printf(out, "%.*s", (int)(at(s, close)->at + 1 - from), s->text + from);
    return autos;
}

/* Is this the '[' of a closure, not of an index? */
static bool opens_captures(struct splitter *s, uint32_t i)
{
    return host_is_punct(s, i, '[') &&
           (at(s, i - 1)->kind == WORD
                ? host_is(s, i - 1, "return")
                : !host_is_punct(s, i - 1, ')') && !host_is_punct(s, i - 1, ']'));
}

/* Does the list that opens there say the word alone, or with & before it? */
static bool captures_word(struct splitter *s, uint32_t open, uint32_t word)
{
    const uint32_t close = at(s, open)->match;
    for (uint32_t i = open + 1; i < close;) {
        const uint32_t end = host_item_end(s, i, close);
        if (i + host_is_punct(s, i, '&') == word && word + 1 == end)
            return true;
        i = end + 1;
    }
    return false;
}

static void put_body(struct splitter *s, const struct closure *c, const items *needed,
                     struct sbuf *out)
{
    const uint32_t open = at(s, c->body)->at, close = at(s, at(s, c->body)->match)->at;
    if (!s->device && !c->host) {
        sbuf_puts(out, "{ ::__tern_not_host(\"a closure\"); }");
        return;
    }
    sbuf_puts(out, "{ ");
    put_items(s, needed, false, out);
    /* Markers inside are taken out for the host, as everywhere; the object has a name now. */
    uint32_t from = open + 1, inner = 0; /* the last list of captures that was seen */
    for (uint32_t i = c->body; i < at(s, c->body)->match; i++) {
        if (opens_captures(s, i))
            inner = i;
        if (inner && stands_alone(s, i) && captured_already(c, host_spelled(s, i)) &&
            captures_word(s, inner, i)) {
            /* a member now, which C++ captures with an initialiser only */
            sbuf_printf(out, "%.*s = %s", (int)(at(s, i)->at + at(s, i)->len - from),
                        s->text + from, host_spelled(s, i));
            from = at(s, i)->at + at(s, i)->len;
            continue;
        }
        const bool marker =
            !s->device && (same_word(s, i, "__device__") || same_word(s, i, "__host__"));
        const bool self = c->self && same_word(s, i, "this");
        const struct local *member = c->self ? member_used(s, c, i) : NULL;
        if (!marker && !self && (!member || member->to))
            continue;
        sbuf_put(out, s->text + from, at(s, i)->at - from);
        from = at(s, i)->at + (member ? 0 : at(s, i)->len);
        if (self)
            sbuf_puts(out, c->self_copied ? "(&" SELF ")" : SELF);
        else if (member)
            sbuf_puts(out, c->self_copied ? SELF "." : SELF "->");
    }
    sbuf_put(out, s->text + from, close + 1 - from);
}

/* Macros of the C library become other words in each half: what they name begins with two
 * underscores, casts are to bool or void, and numbers are spelled differently. */
static bool of_a_macro(const char *p, size_t len)
{
    static const char *const words[] = {"static_cast", "bool", "void", "nullptr"};
    if (*p == '_' && len > 1 && p[1] == '_')
        return true;
    if (*p >= '0' && *p <= '9')
        return true;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (len == strlen(words[i]) && !memcmp(p, words[i], len))
            return true;
    return false;
}

static bool starts_assert(const char *p, size_t len)
{
    static const char *const words[] = {"__assert", "__tern_assert"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (len >= strlen(words[i]) && !memcmp(p, words[i], strlen(words[i])))
            return true;
    return false;
}

/* Tells closures apart, alike in both halves: their words, without what assert and its like
 * become. */
static uint64_t words_hash(struct splitter *s, uint32_t from, uint32_t to)
{
    uint64_t h = 7;
    for (uint32_t i = from; i < to; i++) {
        const char *p = s->text + at(s, i)->at;
        if (at(s, i)->kind != WORD)
            continue;
        if (!of_a_macro(p, at(s, i)->len))
            h = hash_bytes(p, at(s, i)->len, h);
        else if (starts_assert(p, at(s, i)->len) && host_is_punct(s, i + 1, '('))
            i = at(s, i + 1)->match; /* what failed, as text */
    }
    return h;
}

/* "a, b, " and "c, " give "a, b, c". */
static const char *joined(struct splitter *s, const struct sbuf *a, const struct sbuf *b)
{
    const int n = (int)(a->len + (b ? b->len : 0));
    return n ? arena_printf(s->arena, "%.*s", n - 2,
                            arena_printf(s->arena, "%s%s", a->data, b ? b->data : ""))
             : "";
}

static void write_closure(struct splitter *s, struct closure *c, uint32_t around)
{
    s->result->has_closures = true;
    struct sbuf out, list, names, params, types, captured, told;
    struct sbuf *const all[] = {&out, &list, &names, &params, &types, &captured, &told};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        sbuf_init(all[k], s->arena);
        sbuf_puts(all[k], "");
    }
    const char *name = arena_printf(s->arena, "__tern_closure_%u_%08x", s->closures++,
                                    (unsigned)words_hash(s, c->body + 1, at(s, c->body)->match));
    for (size_t k = 0; k < s->templates.len; k++)
        template_lists(s, s->templates.data[k], &list, &names);
    for (size_t k = 0; k < c->names.len; k++) {
        sbuf_printf(&types, "class __tern_T%zu, ", k);
        sbuf_printf(&captured, "__tern_T%zu, ", k);
    }
    const uint32_t head = c->tparams ? c->tparams : c->params ? c->params : c->body;
    const uint32_t end = at(s, c->body)->match;
    const items of_head = needed_items(s, around, c->open, c->around, true, head, c->body, NULL);
    const items of_body = needed_items(s, around, c->open, c->around, false, c->body, end, NULL);
    items of_record = {0};
    if (c->record) {
        const uint32_t close = at(s, c->record)->match;
        of_record =
            needed_items(s, c->record + 1, close, &c->constants, true, c->open, end, &of_body);
        read_classes(s, c, (const items *[]){&of_head, &of_body, &of_record});
    }
    const char *record = c->classes.len ? record_name(s, c->record) : NULL;
    if (record) {
        sbuf_puts(&types, "class " RECORD ", ");
        sbuf_puts(&captured, RECORD ", ");
        sbuf_puts(&told, "class " RECORD ", ");
    }
    sbuf_put(&told, list.data, list.len);
    for (size_t k = 0; k < c->names.len; k++)
        sbuf_printf(&told, "class __tern_T%zu, ", k);
    /* A class has its pack last; a function is told those around, and sees the captured types. */
    const char *of_class = joined(s, &types, &list), *of_make = joined(s, &told, NULL);
    uint32_t line, here;
    const char *file, *here_file;
    line_of(s, at(s, c->open)->at, &line, &file);
    line_of(s, at(s, s->top)->at, &here, &here_file);
    /* Of this file alone: another may have a closure with the same words. */
    sbuf_printf(&out, "\n# %u %s\nnamespace { ", line, file);
    if (*of_class)
        sbuf_printf(&out, "template <%s> ", of_class);
    sbuf_printf(&out, "struct %s { enum { __tern_closure = %u }; ", name, c->host ? 2u : 1u);
    for (size_t k = 0; record && k < c->classes.len; k++)
        sbuf_printf(&out, "using %s = typename " RECORD "::%s; ", c->classes.data[k],
                    c->classes.data[k]);
    put_items(s, &of_head, true, &out);
    put_items(s, &of_record, true, &out);
    for (size_t k = 0; k < c->names.len; k++)
        sbuf_printf(&out, "__tern_T%zu %s; ", k, c->names.data[k]);
    const unsigned autos = c->params ? put_params(s, c, &params) : 0;
    if (autos || c->tparams) {
        sbuf_puts(&out, "template <");
        for (unsigned k = 0; k < autos; k++)
            sbuf_printf(&out, "%sclass __tern_A%u", k ? ", " : "", k);
        if (c->tparams) {
            const uint32_t close = host_after_angles(s, c->tparams) - 1;
            sbuf_printf(&out, "%s%.*s", autos ? ", " : "",
                        (int)(at(s, close)->at - at(s, c->tparams)->at - 1),
                        s->text + at(s, c->tparams)->at + 1);
        }
        sbuf_puts(&out, "> ");
    }
    if (s->device)
        sbuf_puts(&out, c->host ? "__host__ __device__ " : "__device__ ");
    sbuf_printf(&out, "auto operator()%s%s ", c->params ? params.data : "()",
                c->is_mutable ? "" : " const");
    if (c->result_from)
        sbuf_printf(&out, "-> %.*s ", (int)(at(s, c->result_to)->at - at(s, c->result_from)->at),
                    s->text + at(s, c->result_from)->at);
    put_body(s, c, &of_body, &out);
    sbuf_puts(&out, " };");
    if (!s->device) {
        if (*of_class)
            sbuf_printf(&out, " template <%s> static inline %s<%s> %s_make(", of_make, name,
                        joined(s, &captured, &names), name);
        else
            sbuf_printf(&out, " static inline %s %s_make(", name, name);
        for (size_t k = 0; k < c->names.len; k++)
            sbuf_printf(&out, "%sconst __tern_T%zu &%s", k ? ", " : "", k, c->names.data[k]);
        if (c->names.len)
            sbuf_printf(&out, ") { return ::__tern_closure_of<%s<%s>, %zu>::made(", name,
                        joined(s, &captured, &names), c->names.len);
        else
            sbuf_puts(&out, ") { return {");
        for (size_t k = 0; k < c->names.len; k++)
            sbuf_printf(&out, "%s%s", k ? ", " : "", c->names.data[k]);
        sbuf_puts(&out, c->names.len ? "); }" : "}; }");
    }
    sbuf_printf(&out, " }\n# %u %s\n", here, here_file);
    host_edit(s, at(s, s->top)->at, 0, out.data);
    if (s->device)
        return;
    struct sbuf call;
    sbuf_init(&call, s->arena);
    sbuf_printf(&call, "%s_make", name);
    if (record)
        sbuf_printf(&call, names.len ? "<%s, %.*s>" : "<%s>", record, (int)names.len - 2,
                    names.data);
    else if (names.len)
        sbuf_printf(&call, "<%.*s>", (int)names.len - 2, names.data);
    sbuf_putc(&call, '(');
    for (size_t k = 0; k < c->values.len; k++)
        sbuf_printf(&call, "%s%s", k ? ", " : "", c->values.data[k]);
    sbuf_putc(&call, ')');
    const uint32_t from = at(s, c->open)->at, to = at(s, at(s, c->body)->match)->at + 1;
    for (uint32_t k = from; k < to; k++)
        if (s->text[k] == '\n')
            sbuf_putc(&call, '\n');
    host_edit(s, from, to - from, call.data);
}

/* The '{' of the class that a function with this name is a member of, or 0. */
static uint32_t record_of(struct splitter *s, uint32_t name)
{
    if (s->record)
        return s->record;
    if (name < 2 || !host_is(s, name - 1, "::"))
        return 0;
    uint32_t i = name - 2;
    if (host_is_punct(s, i, '>')) { /* A<T>::f */
        for (int depth = 0; i; i--) {
            depth += host_is_punct(s, i, '>') - host_is_punct(s, i, '<');
            if (!depth)
                break;
        }
        i -= i > 0;
    }
    if (at(s, i)->kind != WORD)
        return 0;
    const char *word = host_spelled(s, i);
    for (i = name; i-- > 1;) {
        if (!same_word(s, i, word) ||
            (!same_word(s, i - 1, "struct") && !same_word(s, i - 1, "class")))
            continue;
        uint32_t open = i + 1;
        while (at(s, open)->kind != END && !host_is_punct(s, open, '{') &&
               !host_is_punct(s, open, ';') && !host_is_punct(s, open, '('))
            open++;
        if (host_is_punct(s, open, '{'))
            return open;
    }
    return 0;
}

/* What a class declares itself. */
static void read_members(struct splitter *s, uint32_t open, locals *l)
{
    read_declaration(s, open + 1, l);
    for (uint32_t i = open + 1; i < at(s, open)->match; i++) {
        const struct tok *t = at(s, i);
        if (t->kind != PUNCT)
            continue;
        if (t->punct == '{' || t->punct == '(' || t->punct == '[')
            i = t->match;
        if (host_is_punct(s, i, '}') || host_is_punct(s, i, ';') ||
            (host_is_punct(s, i, ':') && at(s, i)->len == 1))
            read_declaration(s, i + 1, l);
    }
}

void host_closures(struct splitter *s, uint32_t name, uint32_t params, uint32_t body)
{
    const uint32_t end = at(s, body)->match, record = record_of(s, name);
    for (uint32_t i = body + 1; i < end; i++) {
        struct closure c;
        if (!host_is_punct(s, i, '[') || !read_closure(s, i, &c))
            continue;
        locals around = {0};
        add_parameters(s, params, &around);
        read_locals(s, body, i, &around);
        read_own(s, &c);
        c.record = record;
        c.around = &around;
        if (record)
            read_members(s, record, &c.members);
        if (!read_captures(s, &c, &around))
            return;
        write_closure(s, &c, body);
        i = at(s, c.body)->match;
    }
}
