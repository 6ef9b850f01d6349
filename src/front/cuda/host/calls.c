/* Calls in host code that only the device can do: of a __device__ function, or of a kernel without
 * <<<…>>>. And, as warnings, what host code writes to __device__ and __constant__ variables.
 *
 * Tokens do not tell which of several functions of one name is called. So only names are looked at
 * that everything in the text, headers included, declares for the device alone: whatever such a
 * name means where host code calls it, the host has no such function. Functions that are for both
 * sides may call them, as far as the compiler can tell; templates are left alone, since nobody may
 * instantiate them. What is not found here stops the program when it is called (__tern_not_host).
 */
#include "front/cuda/host/host_int.h"

#include <string.h>

enum { FOR_DEVICE = 1, KERNEL = 2, ANYTHING_ELSE = 4, FOR_HOST = 8, DEVICE_VARIABLE = 16 };

static const char *word_at(struct splitter *s, uint32_t i)
{
    return intern(&s->words, s->text + s->toks.data[i].at, s->toks.data[i].len);
}

static unsigned known_as(struct splitter *s, uint32_t i)
{
    return (unsigned)(uintptr_t)map_get(&s->functions, map_key(word_at(s, i)));
}

static void add(struct splitter *s, uint32_t i, unsigned kind)
{
    map_set(&s->functions, map_key(word_at(s, i)), (void *)(uintptr_t)(known_as(s, i) | kind));
}

void host_note_function(struct splitter *s, uint32_t name, bool kernel, bool device, bool host)
{
    add(s, name, kernel ? KERNEL : device && !host ? FOR_DEVICE : FOR_HOST);
}

void host_note_other(struct splitter *s, uint32_t name)
{
    add(s, name, ANYTHING_ELSE);
}

void host_note_variable(struct splitter *s, uint32_t name)
{
    add(s, name, DEVICE_VARIABLE);
}

void host_note_body(struct splitter *s, uint32_t params, uint32_t body)
{
    struct host_body b = {params, body};
    vec_push(s->arena, &s->bodies, b);
}

static bool is_word(struct splitter *s, uint32_t i)
{
    return s->toks.data[i].kind == WORD;
}

static bool is_sign(struct splitter *s, uint32_t i, const char *signs)
{
    const struct tok *t = &s->toks.data[i];
    return t->kind == PUNCT && t->len == 1 && strchr(signs, t->punct) != NULL;
}

static bool before_expression(struct splitter *s, uint32_t i)
{
    static const char *const words[] = {"return", "else",     "do",        "case", "throw", "and",
                                        "or",     "not",      "co_yield",  "new",  "xor",   "in",
                                        "delete", "co_await", "co_return", NULL};
    return host_is_one_of(s, i, words);
}

/* Is the word at i being declared? What looks like it counts: T i, T *i, T<U> &i. */
static bool declares(struct splitter *s, uint32_t i)
{
    uint32_t before = i - 1;
    while (before && is_sign(s, before, "*&"))
        before--;
    const bool type = (is_word(s, before) && !before_expression(s, before)) ||
                      host_is_punct(s, before, '>') || host_is_punct(s, before, ']');
    return type && is_sign(s, i + 1, ";=,)[{:");
}

/* Does the function have something of its own by the name at i? */
static bool shadowed(struct splitter *s, const struct host_body *b, uint32_t i)
{
    const char *word = word_at(s, i);
    for (uint32_t k = b->params; k < s->toks.data[b->open].match; k++)
        if (is_word(s, k) && word_at(s, k) == word && declares(s, k))
            return true;
    return false;
}

/* Names of types and namespaces, wherever they stand. */
static void note_types(struct splitter *s)
{
    static const char *const kinds[] = {"struct", "class",     "union",   "enum",
                                        "using",  "namespace", "concept", NULL};
    for (uint32_t i = 1; i + 1 < s->toks.len; i++)
        if (is_word(s, i) && known_as(s, i) && host_is_one_of(s, i - 1, kinds))
            add(s, i, ANYTHING_ELSE);
}

/* A call of the word at i: its parentheses follow, and no type stands before it. */
static bool is_call(struct splitter *s, uint32_t i)
{
    uint32_t open = i + 1, before = i - 1;
    if (host_is_punct(s, open, '<') && !host_is_punct(s, open + 1, '<'))
        open = host_after_angles(s, open);
    if (!host_is_punct(s, open, '('))
        return false;
    while (before && host_is(s, before, "::"))
        before -= before > 1 && is_word(s, before - 1) ? 2 : 1;
    if (is_sign(s, before, "*&")) { /* T *f(…); may declare */
        while (before && is_sign(s, before, "*&"))
            before--;
        return !is_word(s, before) || (before && !is_sign(s, before - 1, ";{}"));
    }
    return is_word(s, before) ? before_expression(s, before) : !host_is_punct(s, before, '>');
}

/* How many < follow in a row. */
static unsigned brackets_after(struct splitter *s, uint32_t i)
{
    unsigned n = 0;
    while (host_is_punct(s, i + 1 + n, '<') && s->toks.data[i + 1 + n].len == 1)
        n++;
    return n;
}

/* name<<<…>>> of what is no kernel, and kernel<<…>>. A name behind . or -> is somebody's member. */
static void look_at_launch(struct splitter *s, const struct host_body *b, uint32_t i, unsigned kind)
{
    const unsigned brackets = brackets_after(s, i);
    if (brackets < 2 || host_is(s, i - 1, ".") || host_is(s, i - 1, "->") ||
        host_is(s, i - 1, "::") || shadowed(s, b, i))
        return;
    if (kind == KERNEL && brackets == 2)
        diag_error(s->diag, host_where(s, i + 1),
                   "a launch has three brackets on either side: %s<<<grid, block>>>(…)",
                   word_at(s, i));
    else if (brackets == 3 && (kind == FOR_DEVICE || kind == FOR_HOST))
        diag_error(s->diag, host_where(s, i),
                   "'%s' is no kernel: only what is declared __global__ can be launched",
                   word_at(s, i));
}

/* Is the variable at i, an element or a member of it, assigned to? */
static bool is_written(struct splitter *s, uint32_t i)
{
    const char *const name = s->text + s->toks.data[i].at;
    if (host_is(s, i - 1, ".") || host_is(s, i - 1, "->") || host_is(s, i - 1, "::"))
        return false;
    if (s->toks.data[i].at >= 2 && (!strncmp(name - 2, "++", 2) || !strncmp(name - 2, "--", 2)))
        return true;
    uint32_t k = i + 1;
    for (;; k++)
        if (host_is_punct(s, k, '['))
            k = s->toks.data[k].match;
        else if (host_is(s, k, ".") && is_word(s, k + 1))
            k++;
        else
            break;
    const char *sign = s->text + s->toks.data[k].at;
    if (!strncmp(sign, "++", 2) || !strncmp(sign, "--", 2))
        return true;
    if (!strncmp(sign, "<<=", 3) || !strncmp(sign, ">>=", 3))
        return true;
    if (*sign && strchr("+-*/%&|^", *sign))
        sign++;
    return sign[0] == '=' && sign[1] != '=';
}

static void look_at(struct splitter *s, const struct host_body *b, uint32_t i)
{
    const unsigned kind = known_as(s, i);
    if (kind == DEVICE_VARIABLE && is_written(s, i) && !shadowed(s, b, i))
        diag_warn(s->diag, "host-write", host_where(s, i), HOST_WRITE, word_at(s, i));
    if (kind)
        look_at_launch(s, b, i, kind);
    if ((kind != FOR_DEVICE && kind != KERNEL) || !is_call(s, i) || shadowed(s, b, i))
        return;
    if (kind == KERNEL)
        diag_error(s->diag, host_where(s, i),
                   "'%s' is a kernel: host code launches it, %s<<<grid, block>>>(…)", word_at(s, i),
                   word_at(s, i));
    else
        diag_error(s->diag, host_where(s, i),
                   "'%s' is a __device__ function: host code cannot call it", word_at(s, i));
}

void host_check_calls(struct splitter *s)
{
    static const char *const unevaluated[] = {"decltype", "sizeof", "noexcept",   "typeid",
                                              "alignof",  "typeof", "__typeof__", NULL};
    note_types(s);
    vec_each (struct host_body, b, &s->bodies) {
        const uint32_t end = s->toks.data[b->open].match;
        for (uint32_t i = b->params; i < end; i++) {
            if (!is_word(s, i))
                continue;
            if (host_is(s, i, "__device__")) { /* a closure, or a member of a class in here */
                while (i < end && !is_sign(s, i, "{;"))
                    i++;
                i = host_is_punct(s, i, '{') ? s->toks.data[i].match : i;
            } else if (host_is_one_of(s, i, unevaluated) && host_is_punct(s, i + 1, '(')) {
                i = s->toks.data[i + 1].match;
            } else {
                look_at(s, b, i);
            }
        }
    }
}
