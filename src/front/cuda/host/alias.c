/* using X = X<T>; in a class.
 *
 * The standard leaves it open whether a name may mean the template around the class first and the
 * alias later. nvcc takes it; gcc only with -fpermissive, and with a warning for each. These are
 * left out where the declaration is said to stand in a system's header, so it is, for gcc, with
 * markers of lines around it. */
#include "front/cuda/host/host_int.h"

#include <string.h>

/* Where the text has come to, by its line markers. */
struct place {
    uint32_t at;
    unsigned line;
    struct str file; /* as it is quoted */
    bool system;
};

/* # 12 "file" 1 3 */
static bool read_marker(struct splitter *s, struct place *p)
{
    const char *text = s->text + p->at, *end = s->text + s->len;
    if (p->at + 4 >= s->len || text[0] != '#' || text[1] != ' ' || text[2] < '0' || text[2] > '9')
        return false;
    unsigned line = 0;
    const char *c = text + 2;
    for (; c < end && *c >= '0' && *c <= '9'; c++)
        line = line * 10 + (unsigned)(*c - '0');
    const char *eol = memchr(c, '\n', (size_t)(end - c)), *open, *close;
    eol = eol ? eol : end;
    if (!(open = memchr(c, '"', (size_t)(eol - c))))
        return false;
    for (close = open + 1; close < eol && *close != '"'; close++)
        close += *close == '\\';
    if (close >= eol)
        return false;
    p->file = (struct str){open, (size_t)(close + 1 - open)};
    p->system = memchr(close, '3', (size_t)(eol - close)) != NULL;
    p->line = line;
    p->at = (uint32_t)(eol - s->text) + (eol < end);
    return true;
}

static void go_to(struct splitter *s, struct place *p, uint32_t at)
{
    while (p->at < at) {
        if ((!p->at || s->text[p->at - 1] == '\n') && read_marker(s, p))
            continue;
        p->line += s->text[p->at++] == '\n';
    }
}

/* The alias's last token, if one of its own name starts at i; else 0. */
static uint32_t own_name(struct splitter *s, uint32_t i)
{
    if (!host_is(s, i, "using") || s->toks.data[i + 1].kind != WORD ||
        !host_is_punct(s, i + 2, '='))
        return 0;
    const uint32_t of = i + 3 + host_is(s, i + 3, "typename");
    const struct tok *name = &s->toks.data[i + 1], *again = &s->toks.data[of];
    if (again->kind != WORD || !host_is_punct(s, of + 1, '<') || again->len != name->len ||
        memcmp(s->text + name->at, s->text + again->at, name->len))
        return 0;
    const uint32_t end = host_after_angles(s, of + 1);
    return host_is_punct(s, end, ';') ? end : 0;
}

void host_aliases(struct splitter *s)
{
    struct place p = {.line = 1};
    for (uint32_t i = 0; i + 4 < s->toks.len; i++) {
        const uint32_t end = own_name(s, i);
        if (!end)
            continue;
        s->result->aliases_own_name = true;
        go_to(s, &p, s->toks.data[i].at);
        if (p.system || !p.file.len)
            continue;
        host_edit(s, s->toks.data[i].at, 0,
                  arena_printf(s->arena, "\n# %u %.*s 3\n", p.line, (int)p.file.len, p.file.ptr));
        go_to(s, &p, s->toks.data[end].at);
        host_edit(s, s->toks.data[end].at + 1, 0,
                  arena_printf(s->arena, "\n# %u %.*s\n", p.line, (int)p.file.len, p.file.ptr));
    }
}
