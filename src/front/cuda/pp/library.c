/* What our own headers and the device library have, and a source does not reach, is left out.
 *
 * The library (mathematics, small floats, random numbers) is a table of declarations; functions of
 * the headers are runs of tokens. A source's own words are followed into them, from name to name,
 * and what is not met on the way is not read, or dropped again. Only names decide, so that at times
 * too much is kept and never too little. */
#include <string.h>
#include "front/cuda/pp/pp_int.h"

/* A function, or a `using` of one, a class, a template of aliases or variables in our headers. */
struct item {
    const char *name;
    size_t from, to;      /* its tokens */
    struct pp_lazy *lazy; /* or one that stands for these, in an image; NULL: it is read */
    struct token *read;   /* those, once it is kept */
    struct item *same;    /* the one before with this name */
    bool kept;
};

/* A part of the library. */
struct place {
    const char *text;
    const unsigned short *needs;
    bool wanted;
};

enum { KIND_OPERATOR, KIND_STRUCT, KIND_CLASS, KIND_UNION };

struct finder {
    struct pp *pp;
    struct map parts; /* name → 1 + number of the library's part */
    struct map names; /* name → struct item, the last one */
    VEC(struct item *) items;
    VEC(struct item *) work;
    VEC(size_t) parts_work; /* parts that were wanted, whose words are to be followed */
    struct place *places;
    const char *static_, *template_, *using_, *namespace_, *extern_, *concept_, *bounds_,
        *attribute_, *decltype_, *alignas_;
    struct map words; /* of host code that call functions: word → those, one after the other */
    uint32_t mark;    /* of words that were followed */
    size_t more;      /* tokens of images that are kept */
    const char *typedef_, *assert_;
    const char *kept[11]; /* classes that the compiler looks for */
    const char *kinds[6]; /* words that make it something else than a function called by its name */
};

static void want(struct finder *f, size_t part)
{
    if (f->places[part].wanted)
        return;
    f->places[part].wanted = true;
    vec_push(f->pp->arena, &f->parts_work, part);
}

static void use(struct finder *f, const char *name)
{
    if (!strncmp(name, "__builtin_", 10))
        use(f, intern_z(f->pp->names, name + 10));
    uintptr_t part = (uintptr_t)map_get(&f->parts, map_key(name));
    if (part)
        want(f, part - 1);
    for (struct item *i = map_get(&f->names, map_key(name)); i && !i->kept; i = i->same) {
        i->kept = true;
        vec_push(f->pp->arena, &f->work, i);
    }
}

/* What the compiler makes of words, in <exception>. */
static void read_words(struct finder *f)
{
    static const char *const calls[][2] = {
        {"throw", "__tern_allocate\0__tern_raise\0__tern_rethrow\0__tern_escaped\0"},
        {"try", "__tern_take\0__tern_put\0__tern_match\0__tern_pending\0__tern_begin_catch\0"
                "__tern_end_catch\0__tern_escaped\0__tern_destroy_all\0__tern_rethrow\0"},
        {"dynamic_cast", "__tern_dynamic_cast\0__tern_dynamic_reference\0"},
    };
    map_init(&f->words, f->pp->arena);
    for (size_t i = 0; f->pp->opt->host && i < sizeof calls / sizeof *calls; i++)
        map_set(&f->words, map_key(intern_z(f->pp->names, calls[i][0])), (void *)calls[i][1]);
}

static void use_word(struct finder *f, const char *name)
{
    uint32_t *mark = intern_mark(name);
    if (*mark == f->mark)
        return;
    *mark = f->mark;
    use(f, name);
    for (const char *c = map_get(&f->words, map_key(name)); c && *c; c += strlen(c) + 1)
        use(f, intern_z(f->pp->names, c));
}

static void use_tokens(struct finder *f, const struct token *t, const struct token *end)
{
    for (; t < end; t++)
        if (t->kind == TOKEN_IDENT)
            use_word(f, t->u.name);
}

static void use_all(struct finder *f, size_t from, size_t to)
{
    use_tokens(f, f->pp->tokens.data + from, f->pp->tokens.data + to);
}

static void use_item(struct finder *f, struct item *i)
{
    if (!i->lazy) {
        use_all(f, i->from, i->to);
        return;
    }
    i->read = arena_alloc_unset(f->pp->arena, i->lazy->count * sizeof *i->read);
    pp_image_read(f->pp, i->lazy, i->read);
    use_tokens(f, i->read, i->read + i->lazy->count);
    f->more += i->lazy->count;
}

static void use_text(struct finder *f, const char *p, size_t len)
{
    const char *end = p + len;
    while (p < end) {
        const char *from = p;
        while (p < end && (*p == '_' || ((*p | 32) >= 'a' && (*p | 32) <= 'z') ||
                           (p > from && *p >= '0' && *p <= '9')))
            p++;
        if (p > from)
            use_word(f, intern(f->pp->names, from, (size_t)(p - from)));
        else
            p++;
    }
}

/* The library is text as yet. */
static void use_part(struct finder *f, size_t part)
{
    for (unsigned k = 0; k < library_parts[part].needs; k++)
        want(f, f->places[part].needs[k]);
    use_text(f, f->places[part].text, library_parts[part].len);
}

/* Behind `template <…>`, which starts at t. */
static const struct token *after_list(const struct token *t, const struct token *end)
{
    int angles = 0, brackets = 0;
    for (t++; t < end; t++) {
        if (t->kind != TOKEN_PUNCT)
            continue;
        brackets += t->punct == PUNCT_LPAREN || t->punct == PUNCT_LBRACE;
        brackets -= t->punct == PUNCT_RPAREN || t->punct == PUNCT_RBRACE;
        if (brackets)
            continue;
        angles += t->punct == PUNCT_LT;
        angles -= t->punct == PUNCT_GT ? 1 : t->punct == PUNCT_SHR ? 2 : 0;
        if (angles <= 0)
            return t + 1;
    }
    return end;
}

static bool is_class_word(const struct finder *f, const struct token *t)
{
    return t->kind == TOKEN_IDENT &&
           (t->u.name == f->kinds[KIND_STRUCT] || t->u.name == f->kinds[KIND_CLASS] ||
            t->u.name == f->kinds[KIND_UNION]);
}

/* The bracket that closes the one at t; `end`: none. */
static const struct token *closing(const struct token *t, const struct token *end)
{
    for (unsigned depth = 0; t < end; t++) {
        depth += token_is(t, PUNCT_LPAREN);
        if (token_is(t, PUNCT_RPAREN) && !--depth)
            break;
    }
    return t;
}

/* The first class template that is named from t on with its arguments, up to a token `until`. */
static const char *first_template(const struct token *t, const struct token *end, enum punct until)
{
    for (; t + 1 < end && !token_is(t, until) && !token_is(t, PUNCT_LBRACE); t++)
        if (t->kind == TOKEN_IDENT && token_is(t + 1, PUNCT_LT))
            return t->u.name;
    return NULL;
}

/* Of a class, if it is no more than that: its name, which the word before t is for. */
static const char *class_name(const struct finder *f, const struct token *t,
                              const struct token *end)
{
    const bool alone = token_is(end - 1, PUNCT_SEMI);
    if (end - t > 4 && t->kind == TOKEN_IDENT && t->u.name == f->alignas_)
        t = closing(t + 1, end - 2) + 1;
    if (end - t < 2 || t->kind != TOKEN_IDENT || !alone)
        return NULL;
    for (size_t k = 0; k < sizeof f->kept / sizeof *f->kept; k++)
        if (t->u.name == f->kept[k]) /* what it says of another class goes with that */
            return token_is(t + 1, PUNCT_LT) ? first_template(t + 2, end, PUNCT_COLON) : NULL;
    const bool whole =
        token_is(t + 1, PUNCT_LBRACE) || token_is(t + 1, PUNCT_COLON) || token_is(t + 1, PUNCT_LT);
    return token_is(t + 1, PUNCT_SEMI) || (whole && token_is(end - 2, PUNCT_RBRACE)) ? t->u.name
                                                                                     : NULL;
}

/* Of a template that is none of a function: its name; else NULL. */
static const char *template_name(const struct finder *f, const struct token *t,
                                 const struct token *end)
{
    if (is_class_word(f, t))
        return class_name(f, t + 1, end);
    if (t->kind == TOKEN_IDENT && t->u.name == f->using_)
        return t[1].kind == TOKEN_IDENT && token_is(t + 2, PUNCT_ASSIGN) ? t[1].u.name : NULL;
    for (; t < end; t++) {
        if (token_is(t, PUNCT_ASSIGN))
            return t[-1].kind == TOKEN_IDENT ? t[-1].u.name : NULL;
        if (t->kind != TOKEN_IDENT || t->u.name == f->kinds[KIND_OPERATOR])
            return NULL;
    }
    return NULL;
}

/* Of an operator that is a template, from the word on: the class that it is for. Without that
 * nothing calls it. */
static const char *operator_name(const struct token *t, const struct token *end)
{
    if (end - t < 4 || t[1].kind != TOKEN_PUNCT || !token_is(t + 2, PUNCT_LPAREN))
        return NULL;
    return first_template(t + 3, closing(t + 2, end), PUNCT_LBRACE);
}

/* Host code's headers have functions of all kinds: declared, inline, extern "C". */
static bool may_be_function(const struct finder *f, const struct token *t)
{
    return f->pp->opt->host && t->u.name != f->typedef_ && t->u.name != f->assert_ &&
           t->u.name != f->namespace_;
}

/* Does another declarator follow the one whose bracket is at t? */
static bool goes_on(const struct token *t, const struct token *end)
{
    t = closing(t, end);
    return t + 1 < end && token_is(t + 1, PUNCT_COMMA);
}

/* The name of what is declared from t on, if it may be dropped: a function, or using ::name. */
static const char *droppable(struct finder *f, const struct token *t, const struct token *end)
{
    if (t->kind != TOKEN_IDENT)
        return NULL;
    if (t->u.name == f->using_)
        return token_is(t + 1, PUNCT_SCOPE) && t[2].kind == TOKEN_IDENT &&
                       token_is(t + 3, PUNCT_SEMI)
                   ? t[2].u.name
                   : NULL;
    const bool template = t->u.name == f->template_;
    const bool plain = !template && t->u.name != f->static_;
    const char *class = plain && is_class_word(f, t) ? class_name(f, t + 1, end) : NULL;
    if (class)
        return class;
    if (template) {
        t = after_list(t, end);
        const char *name = template_name(f, t, end);
        if (name)
            return name;
    } else if (plain && !may_be_function(f, t))
        return NULL;
    const char *last = NULL;
    for (; t < end; t++) {
        if (t->kind == TOKEN_IDENT) {
            last = t->u.name;
            if (template && last == f->kinds[KIND_OPERATOR])
                return operator_name(t, end);
            for (size_t k = 0; k < sizeof f->kinds / sizeof *f->kinds; k++)
                if (last == f->kinds[k])
                    return NULL;
        } else if (token_is(t, PUNCT_LPAREN)) {
            if (last != f->bounds_ && last != f->attribute_ && last != f->decltype_) {
                const bool within = plain && token_is(t + 1, PUNCT_MUL); /* that is its name */
                return t[-1].kind == TOKEN_IDENT && !within && !goes_on(t, end) ? last : NULL;
            }
            t = closing(t, end);
        } else if (token_is(t, PUNCT_LBRACE) || token_is(t, PUNCT_SEMI) ||
                   token_is(t, PUNCT_ASSIGN) || token_is(t, PUNCT_LBRACKET)) {
            return NULL;
        }
    }
    return NULL;
}

static void add_item(struct finder *f, struct item item)
{
    struct item *i = arena_new(f->pp->arena, struct item);
    *i = item;
    if (i->name) {
        i->same = map_get(&f->names, map_key(i->name));
        map_set(&f->names, map_key(i->name), i);
    }
    vec_push(f->pp->arena, &f->items, i);
}

/* Splits the tokens of a header into declarations. Namespaces and extern "C" are opened. */
static void split(struct finder *f, size_t from, size_t to)
{
    const struct token *all = f->pp->tokens.data;
    for (size_t i = from, end; i < to; i = end) {
        unsigned depth = 0, round = 0; /* braces, and parentheses outside them: f(T x = {}) { … } */
        if (all[i].kind == PP_LAZY) {
            struct pp_lazy *l = (struct pp_lazy *)(uintptr_t)all[i].u.text.ptr;
            end = i + 1;
            add_item(f, (struct item){.name = l->name, .from = i, .to = end, .lazy = l});
            continue;
        }
        bool opens = all[i].kind == TOKEN_IDENT &&
                     (all[i].u.name == f->namespace_ ||
                      (all[i].u.name == f->extern_ && all[i + 1].kind == TOKEN_STRING &&
                       token_is(&all[i + 2], PUNCT_LBRACE)));
        bool concept = false; /* no brace ends it: requires {…} && … */
        for (end = i; end < to; end++) {
            const struct token *t = &all[end];
            concept |= t->kind == TOKEN_IDENT && t->u.name == f->concept_;
            if (t->kind != TOKEN_PUNCT)
                continue;
            if (!depth && (t->punct == PUNCT_LPAREN || t->punct == PUNCT_RPAREN))
                round = t->punct == PUNCT_LPAREN ? round + 1 : round ? round - 1 : 0;
            if (t->punct == PUNCT_LBRACE && !opens)
                depth++;
            else if (t->punct == PUNCT_RBRACE && depth)
                depth--;
            else if (t->punct == PUNCT_RBRACE || t->punct == PUNCT_LBRACE)
                break;
            if (!depth && !round &&
                (t->punct == PUNCT_SEMI || (t->punct == PUNCT_RBRACE && !concept)))
                break;
        }
        end = end < to ? end + 1 : to;
        if (end < to && token_is(&all[end], PUNCT_SEMI))
            end++; /* behind a class */
        add_item(f, (struct item){.name = droppable(f, all + i, all + end), .from = i, .to = end});
    }
}

/* Takes the items out that were not met, and puts in those of images that were. */
static void drop(struct finder *f)
{
    struct pp *pp = f->pp;
    const struct token *t = pp->tokens.data;
    /* In place, unless there is more to come than goes. */
    const size_t cap = pp->tokens.len + f->more + 1;
    struct token *out = f->more ? arena_alloc_unset(pp->arena, cap * sizeof *out) : pp->tokens.data;
    size_t to = 0, from = 0, prelude = pp->prelude_end;
    vec_each (struct item *, it, &f->items) {
        const struct item *i = *it;
        if (i->kept && !i->lazy)
            continue;
        memmove(out + to, t + from, (i->from - from) * sizeof *t);
        to += i->from - from;
        from = i->to;
        const size_t n = i->kept ? i->lazy->count : 0;
        if (n)
            memcpy(out + to, i->read, n * sizeof *t);
        else
            vec_push(pp->arena, &pp->out->unread, i->name);
        to += n;
        if (i->from < prelude)
            pp->prelude_end += n - (i->to - i->from);
    }
    memmove(out + to, t + from, (pp->tokens.len - from) * sizeof *t);
    pp->tokens.len = to + pp->tokens.len - from;
    if (!f->more)
        return;
    arena_drop(pp->arena, pp->tokens.data, pp->tokens.cap * sizeof *t);
    pp->tokens.data = out;
    pp->tokens.cap = cap;
}

static void read_library(struct finder *f)
{
    struct pp *pp = f->pp;
    struct sbuf text;
    sbuf_init(&text, pp->arena);
    for (size_t i = 0; i < library_count; i++)
        if (f->places[i].wanted) {
            sbuf_put(&text, f->places[i].text, library_parts[i].len);
            sbuf_puts(&text, "\n");
        }
    if (!text.len)
        return;
    struct pp_header *h = arena_new(pp->arena, struct pp_header);
    h->path = intern_z(pp->names, "<tern>/device");
    h->text = text.data;
    h->len = text.len;
    h->system = h->embedded = true;
    pp_pull_file(pp, h, 0);
}

static void start(struct finder *f, struct pp *pp)
{
    *f = (struct finder){
        .pp = pp,
        .static_ = intern_z(pp->names, "static"),
        .template_ = intern_z(pp->names, "template"),
        .using_ = intern_z(pp->names, "using"),
        .namespace_ = intern_z(pp->names, "namespace"),
        .extern_ = intern_z(pp->names, "extern"),
        .concept_ = intern_z(pp->names, "concept"),
        .bounds_ = intern_z(pp->names, "__launch_bounds__"),
        .attribute_ = intern_z(pp->names, "__attribute__"),
        .decltype_ = intern_z(pp->names, "decltype"),
        .alignas_ = intern_z(pp->names, "alignas"),
        .typedef_ = intern_z(pp->names, "typedef"),
        .assert_ = intern_z(pp->names, "static_assert"),
        .mark = intern_marks(pp->names),
        .kept = {intern_z(pp->names, "initializer_list"), intern_z(pp->names, "tuple_size"),
                 intern_z(pp->names, "tuple_element"), intern_z(pp->names, "type_info"),
                 intern_z(pp->names, "dim3"), intern_z(pp->names, "__tern_run"),
                 intern_z(pp->names, "__tern_row"), intern_z(pp->names, "__tern_rows"),
                 intern_z(pp->names, "__tern_compare"), intern_z(pp->names, "__tern_i128"),
                 intern_z(pp->names, "__tern_u128")},
        .kinds = {intern_z(pp->names, "operator"), intern_z(pp->names, "struct"),
                  intern_z(pp->names, "class"), intern_z(pp->names, "union"),
                  intern_z(pp->names, "using"), intern_z(pp->names, "enum")}};
    map_init(&f->parts, pp->arena);
    map_init(&f->names, pp->arena);
    read_words(f);
}

size_t pp_items(struct pp *pp, struct pp_item **items)
{
    struct finder f;
    start(&f, pp);
    split(&f, 0, pp->tokens.len);
    *items = arena_array(pp->arena, struct pp_item, f.items.len);
    for (size_t i = 0; i < f.items.len; i++)
        (*items)[i] =
            (struct pp_item){f.items.data[i]->name, f.items.data[i]->from, f.items.data[i]->to};
    return f.items.len;
}

void pp_library(struct pp *pp)
{
    struct finder f;
    start(&f, pp);
    const char *text = library_text;
    const unsigned short *needs = library_needs;
    f.places = arena_array(pp->arena, struct place, library_count);
    for (size_t i = 0; i < library_count; i++) {
        const struct library_part *p = &library_parts[i];
        const char *name = intern(pp->names, text + p->name, p->name_len);
        map_set(&f.parts, map_key(name), (void *)(i + 1));
        f.places[i] = (struct place){text, needs, false};
        text += p->len;
        needs += p->needs;
    }
    split(&f, 0, pp->prelude_end);
    vec_each (struct token_range, r, &pp->asked)
        split(&f, r->from, r->to);
    size_t user = pp->prelude_end;
    vec_each (struct token_range, r, &pp->asked) {
        use_all(&f, user, r->from);
        user = r->to;
    }
    use_all(&f, user, pp->tokens.len);
    for (size_t i = 0; i < pp->opt->nrequests; i++)
        use_text(&f, pp->opt->requests[i], strlen(pp->opt->requests[i]));
    vec_each (struct item *, it, &f.items)
        if (!(*it)->name) {
            (*it)->kept = true;
            use_all(&f, (*it)->from, (*it)->to);
        }
    while (f.work.len || f.parts_work.len) {
        if (f.work.len) {
            use_item(&f, vec_pop(&f.work));
        } else {
            use_part(&f, vec_pop(&f.parts_work));
        }
    }
    drop(&f);
    if (!pp->opt->host) /* whose mathematics is the C library's */
        read_library(&f);
}
