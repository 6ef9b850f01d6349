/* The lexer: text in, preprocessing tokens out, one at a time and without allocating for each.
 *
 * Backslash-newline is handled where it is rare: a token that runs into one is lexed again from a
 * copy of the next few characters with the splices taken out. Locations always count bytes of the
 * file as it stands. The text must end with a NUL. */
#include <string.h>
#include "front/cuda/pp/pp_int.h"

enum { CH_IDENT = 1, CH_DIGIT = 2, CH_SPACE = 4, CH_QUOTE_STOP = 8, CH_SKIP_STOP = 16 };

/* One row for 32 characters: letters, digits, white space, what ends a quick scan. */
static const uint8_t char_class[256] = {
    24, 0, 0, 0, 0, 0,  0, 0, 0, 4, 24, 4, 4, 4, 0, 0, 0, 0, 0,  0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0,  0, 0, 4, 0, 24, 0, 1, 0, 0, 24, 0, 0, 0, 0, 0, 0, 0, 16, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
    0,  0, 0, 0, 0, 0,  0, 1, 1, 1, 1,  1, 1, 1, 1, 1, 1, 1, 1,  1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    1,  1, 1, 1, 0, 24, 0, 0, 1, 0, 1,  1, 1, 1, 1, 1, 1, 1, 1,  1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    1,  1, 1, 1, 1, 1,  1, 0, 0, 0, 0,  0, 1, 1, 1, 1, 1, 1, 1,  1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    1,  1, 1, 1, 1, 1,  1, 1, 1, 1, 1,  1, 1, 1, 1, 1, 1, 1, 1,  1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    1,  1, 1, 1, 1, 1,  1, 1, 1, 1, 1,  1, 1, 1, 1, 1, 1, 1, 1,  1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    1,  1, 1, 1, 1, 1,  1, 1, 1, 1, 1,  1, 1, 1, 1, 1, 1, 1, 1,  1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    1,  1, 1, 1, 1, 1,  1, 1, 1, 1, 1,  1, 1, 1, 1, 1, 1, 1, 1,  1, 1, 1, 1, 1,
};

#define class_of(c) (char_class[(uint8_t)(c)])

static const char *const punct_names[PUNCT_COUNT] = {"",
#define X(name, text) text,
                                                     TOKEN_PUNCTS(X)
#undef X
};

const char *punct_text(enum punct p)
{
    return punct_names[p];
}

/* Of a backslash-newline at p, or 0. */
static size_t splice_length(const char *p)
{
    const char *q = p;
    if (*q != '\\')
        return 0;
    q++;
    while (class_of(*q) & CH_SPACE)
        q++;
    return *q == '\n' ? (size_t)(q + 1 - p) : 0;
}

void lex_init(struct lexer *lx, struct arena *a, struct interner *names, struct diag *d,
              const char *text, size_t len, source_loc base)
{
    *lx = (struct lexer){.p = text,
                         .end = text + len,
                         .text = text,
                         .base = base,
                         .names = names,
                         .arena = a,
                         .diag = d,
                         .bol = true};
    if (len >= 3 && !memcmp(text, "\xef\xbb\xbf", 3))
        lx->p += 3;
}

static void complain(struct lexer *lx, const char *at, uint32_t len, const char *message)
{
    if (lx->diag)
        diag_error(lx->diag, span_at(lx->base + (source_loc)(at - lx->text), len), "%s", message);
}

/* p is at the // ; returns the newline that ends it, or the end. */
static const char *skip_line_comment(const struct lexer *lx, const char *p)
{
    for (;;) {
        const char *nl = memchr(p, '\n', (size_t)(lx->end - p));
        if (!nl)
            return lx->end;
        const char *q = nl;
        while (q > p && (class_of(q[-1]) & CH_SPACE))
            q--;
        if (q == p || q[-1] != '\\' || lx->no_splice)
            return nl;
        p = nl + 1;
    }
}

/* p is at the / of a block comment; returns what follows it, or NULL if it does not end. */
static const char *skip_block_comment(const struct lexer *lx, const char *p)
{
    for (p += 2;; p++) {
        p = memchr(p, '*', (size_t)(lx->end - p));
        if (!p)
            return NULL;
        const char *q = p + 1;
        while (!lx->no_splice && splice_length(q))
            q += splice_length(q);
        if (*q == '/')
            return q + 1;
    }
}

/* The length of a well-formed UTF-8 sequence at p that may stand in an identifier, or 0. */
static size_t utf8_identifier(const char *s)
{
    const uint8_t *p = (const uint8_t *)s;
    uint32_t c;
    size_t n;
    if (p[0] >= 0xc2 && p[0] < 0xe0)
        c = p[0] & 0x1f, n = 2;
    else if (p[0] >= 0xe0 && p[0] < 0xf0)
        c = p[0] & 0x0f, n = 3;
    else if (p[0] >= 0xf0 && p[0] < 0xf5)
        c = p[0] & 0x07, n = 4;
    else
        return 0;
    for (size_t i = 1; i < n; i++) {
        if ((p[i] & 0xc0) != 0x80)
            return 0;
        c = c << 6 | (p[i] & 0x3f);
    }
    if ((n == 3 && c < 0x800) || (n == 4 && c < 0x10000) || c > 0x10ffff)
        return 0;
    /* Latin-1 punctuation, general punctuation with its spaces and quotes, arrows and symbols,
     * ideographic space and brackets, surrogates and private use. */
    static const uint32_t refused[][2] = {
        {0x80, 0xa7},     {0xa9, 0xa9},     {0xab, 0xac},     {0xae, 0xae},     {0xb0, 0xb1},
        {0xb6, 0xb6},     {0xbb, 0xbb},     {0xbf, 0xbf},     {0xd7, 0xd7},     {0xf7, 0xf7},
        {0x2000, 0x203e}, {0x2041, 0x2053}, {0x2055, 0x206f}, {0x2190, 0x245f}, {0x2500, 0x2775},
        {0x2794, 0x2bff}, {0x3000, 0x3003}, {0x3008, 0x3020}, {0xd800, 0xf8ff}, {0xff01, 0xff0f},
        {0xfff0, 0xffff}};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        if (c >= refused[i][0] && c <= refused[i][1])
            return 0;
    return n;
}

/* The end of an identifier that has bytes past ASCII in it: before the first that may not be there.
 */
static const char *identifier_end(const char *p)
{
    while (class_of(*p) & (CH_IDENT | CH_DIGIT)) {
        size_t n = (uint8_t)*p < 0x80 ? 1 : utf8_identifier(p);
        if (!n)
            break;
        p += n;
    }
    return p;
}

/* The closing quote of R"delimiter(…)delimiter", with p at the opening one; NULL if there is none.
 */
static const char *raw_string_end(const struct lexer *lx, const char *p)
{
    const char *delimiter = ++p;
    while (*p != '(') {
        if (p - delimiter >= 16 || p >= lx->end || strchr(" )\\\t\v\f\n\"", *p))
            return NULL;
        p++;
    }
    size_t n = (size_t)(p - delimiter);
    for (;; p++) {
        p = memchr(p, ')', (size_t)(lx->end - p));
        if (!p || (size_t)(lx->end - p) < n + 2)
            return NULL;
        if (!memcmp(p + 1, delimiter, n) && p[n + 1] == '"')
            return p + n + 1;
    }
}

/* Which encoding an identifier before a quote stands for; *raw if it ends in R. 0xff: none. */
static uint8_t literal_prefix(const char *p, size_t n, bool *raw)
{
    *raw = p[n - 1] == 'R';
    n -= *raw;
    if (n == 0)
        return 0;
    if (n == 1 && (*p == 'L' || *p == 'u' || *p == 'U'))
        return (uint8_t)*p;
    if (n == 2 && p[0] == 'u' && p[1] == '8')
        return '8';
    return 0xff;
}

/* A quoted literal with its opening quote at q; returns its end. Without a closing quote on the
 * line it is PP_OTHER and goes to the end of the line. NULL: a splice is in the way. */
static const char *quoted(const struct lexer *lx, struct token *t, const char *q)
{
    char quote = *q++;
    for (;;) {
        while (!(class_of(*q) & CH_QUOTE_STOP))
            q++;
        if (*q == quote) {
            t->kind = quote == '"' ? TOKEN_STRING : TOKEN_CHAR;
            return q + 1;
        }
        if (*q == '\n' || q >= lx->end) {
            t->kind = PP_OTHER;
            return q;
        }
        if (*q == '\\') {
            if (!lx->no_splice && splice_length(q))
                return NULL;
            q++;
            if (*q == '\n' || q >= lx->end)
                continue;
        }
        q++;
    }
}

#define SET(name, n)                                                                               \
    do {                                                                                           \
        t->punct = PUNCT_##name;                                                                   \
        return p + (n);                                                                            \
    } while (0)

/* The punctuator at p, longest first; NULL if there is none. */
static const char *punctuator(const char *p, struct token *t)
{
    switch (*p) {
    case '(': SET(LPAREN, 1);
    case ')': SET(RPAREN, 1);
    case '[': SET(LBRACKET, 1);
    case ']': SET(RBRACKET, 1);
    case '{': SET(LBRACE, 1);
    case '}': SET(RBRACE, 1);
    case ';': SET(SEMI, 1);
    case ',': SET(COMMA, 1);
    case '?': SET(QUESTION, 1);
    case '~': SET(TILDE, 1);
    case '.':
        if (p[1] == '.' && p[2] == '.')
            SET(ELLIPSIS, 3);
        if (p[1] == '*')
            SET(DOT_STAR, 2);
        SET(DOT, 1);
    case ':':
        if (p[1] == ':')
            SET(SCOPE, 2);
        if (p[1] == '>')
            SET(RBRACKET, 2);
        SET(COLON, 1);
    case '+':
        if (p[1] == '+')
            SET(INC, 2);
        if (p[1] == '=')
            SET(ADD_ASSIGN, 2);
        SET(ADD, 1);
    case '-':
        if (p[1] == '>' && p[2] == '*')
            SET(ARROW_STAR, 3);
        if (p[1] == '>')
            SET(ARROW, 2);
        if (p[1] == '-')
            SET(DEC, 2);
        if (p[1] == '=')
            SET(SUB_ASSIGN, 2);
        SET(SUB, 1);
    case '*':
        if (p[1] == '=')
            SET(MUL_ASSIGN, 2);
        SET(MUL, 1);
    case '/':
        if (p[1] == '=')
            SET(DIV_ASSIGN, 2);
        SET(DIV, 1);
    case '%':
        if (p[1] == '=')
            SET(MOD_ASSIGN, 2);
        if (p[1] == '>')
            SET(RBRACE, 2);
        if (p[1] == ':' && p[2] == '%' && p[3] == ':')
            SET(HASHHASH, 4);
        if (p[1] == ':')
            SET(HASH, 2);
        SET(MOD, 1);
    case '&':
        if (p[1] == '&')
            SET(ANDAND, 2);
        if (p[1] == '=')
            SET(AND_ASSIGN, 2);
        SET(AND, 1);
    case '|':
        if (p[1] == '|')
            SET(OROR, 2);
        if (p[1] == '=')
            SET(OR_ASSIGN, 2);
        SET(OR, 1);
    case '^':
        if (p[1] == '=')
            SET(XOR_ASSIGN, 2);
        SET(XOR, 1);
    case '!':
        if (p[1] == '=')
            SET(NE, 2);
        SET(NOT, 1);
    case '=':
        if (p[1] == '=')
            SET(EQ, 2);
        SET(ASSIGN, 1);
    case '<':
        if (p[1] == '<') {
            if (p[2] == '<')
                SET(LAUNCH_OPEN, 3);
            if (p[2] == '=')
                SET(SHL_ASSIGN, 3);
            SET(SHL, 2);
        }
        if (p[1] == '=') {
            if (p[2] == '>')
                SET(SPACESHIP, 3);
            SET(LE, 2);
        }
        /* <: is [, but <::x is < ::x */
        if (p[1] == ':' && !(p[2] == ':' && p[3] != ':' && p[3] != '>'))
            SET(LBRACKET, 2);
        if (p[1] == '%')
            SET(LBRACE, 2);
        SET(LT, 1);
    case '>':
        if (p[1] == '>') {
            if (p[2] == '>')
                SET(LAUNCH_CLOSE, 3);
            if (p[2] == '=')
                SET(SHR_ASSIGN, 3);
            SET(SHR, 2);
        }
        if (p[1] == '=')
            SET(GE, 2);
        SET(GT, 1);
    case '#':
        if (p[1] == '#')
            SET(HASHHASH, 2);
        SET(HASH, 1);
    default: return NULL;
    }
}

/* Physical position of the n-th character after p, splices not counted. */
static const char *past_splices(const char *p, size_t n)
{
    while (n--) {
        while (splice_length(p))
            p += splice_length(p);
        p++;
    }
    return p;
}

enum { SPLICED_FIRST = 24 };

/* Lexes the token at start, which has a splice in it or right after it, from a copy without
 * splices. The copy is short at first and grows until the token ends inside it. */
static void spliced_token(struct lexer *lx, struct token *t, const char *start)
{
    uint8_t flags = t->flags;
    for (size_t want = SPLICED_FIRST;; want *= 4) {
        char small[SPLICED_FIRST + 1];
        char *copy = want == SPLICED_FIRST ? small : arena_alloc(lx->arena, want + 1);
        size_t n = 0;
        const char *p = start;
        while (n < want && p < lx->end) {
            size_t splice = splice_length(p);
            if (splice)
                p += splice;
            else
                copy[n++] = *p++;
        }
        copy[n] = 0;
        bool whole = p >= lx->end;
        struct lexer sub = {.p = copy,
                            .end = copy + n,
                            .text = copy,
                            .names = lx->names,
                            .arena = lx->arena,
                            .directive = lx->directive,
                            .no_splice = true,
                            .bol = lx->bol};
        lex_token(&sub, t);
        if (sub.p == sub.end && !whole)
            continue;
        size_t from = t->span.loc, len = t->span.len;
        const char *at = past_splices(start, from);
        lx->p = t->kind == TOKEN_EOF ? lx->end : past_splices(at, len);
        t->span = span_at(lx->base + (source_loc)(at - lx->text), (uint32_t)(lx->p - at));
        t->flags |= (uint8_t)(flags | lx->flags);
        lx->bol = sub.bol;
        switch (t->kind) {
        case TOKEN_NUMBER:
        case TOKEN_STRING:
        case TOKEN_CHAR:
        case PP_OTHER: t->u.text.ptr = intern(lx->names, t->u.text.ptr, t->u.text.len); break;
        }
        return;
    }
}

void lex_token(struct lexer *lx, struct token *t)
{
    const char *p = lx->p;
    uint8_t flags = lx->flags | (lx->bol ? TOKEN_BOL : 0);

    for (;;) { /* white space */
        while (class_of(*p) & CH_SPACE) {
            p++;
            flags |= TOKEN_SPACE;
        }
        if (*p == '\n') {
            if (lx->directive)
                break;
            p++;
            flags = (uint8_t)((flags & ~TOKEN_SPACE) | TOKEN_BOL);
        } else if (*p == '/' && p[1] == '/') {
            p = skip_line_comment(lx, p);
            flags |= TOKEN_SPACE;
        } else if (*p == '/' && p[1] == '*') {
            const char *q = skip_block_comment(lx, p);
            if (!q)
                complain(lx, p, 2, "this comment does not end");
            p = q ? q : lx->end;
            flags |= TOKEN_SPACE;
        } else if (*p == '\\' && !lx->no_splice && splice_length(p)) {
            p += splice_length(p);
        } else {
            break;
        }
    }

    const char *start = p;
    uint8_t class = class_of(*p);
    t->flags = flags;
    t->punct = 0;
    t->prefix = 0;
    lx->bol = false;

    if (class & CH_IDENT) {
        uint8_t all = 0;
        do
            all |= (uint8_t)*p++;
        while (class_of(*p) & (CH_IDENT | CH_DIGIT));
        if (all & 0x80)
            p = identifier_end(start);
        if (p == start) { /* a character, where it is one of UTF-8 */
            t->kind = PP_OTHER;
            do
                p++;
            while (((uint8_t)*p & 0xc0) == 0x80 && p < lx->end && p - start < 4);
        } else if ((*p == '"' || *p == '\'') && p - start <= 3) {
            bool raw;
            uint8_t prefix = literal_prefix(start, (size_t)(p - start), &raw);
            if (prefix == 0xff || (raw && *p == '\'')) {
                t->kind = TOKEN_IDENT;
            } else if (raw) {
                const char *close = raw_string_end(lx, p);
                if (!close)
                    complain(lx, start, (uint32_t)(p + 1 - start), "this raw string does not end");
                t->kind = close ? TOKEN_STRING : TOKEN_EOF;
                p = close ? close + 1 : lx->end;
                t->prefix = prefix;
            } else {
                p = quoted(lx, t, p);
                t->prefix = prefix;
            }
        } else {
            t->kind = TOKEN_IDENT;
        }
    } else if ((class & CH_DIGIT) || (*p == '.' && (class_of(p[1]) & CH_DIGIT))) {
        t->kind = TOKEN_NUMBER;
        for (p++;; p++) {
            if (class_of(*p) & (CH_IDENT | CH_DIGIT)) {
                char c = (char)(*p | 0x20);
                if ((uint8_t)*p >= 0x80)
                    break;
                if ((c == 'e' || c == 'p') && (p[1] == '+' || p[1] == '-'))
                    p++;
            } else if (*p == '\'') {
                if (!(class_of(p[1]) & (CH_IDENT | CH_DIGIT)))
                    break;
            } else if (*p != '.') {
                break;
            }
        }
    } else if (*p == '"' || *p == '\'') {
        p = quoted(lx, t, p);
    } else if (p >= lx->end) {
        p = lx->end;
        t->kind = lx->directive ? PP_EOL : TOKEN_EOF;
        lx->bol = true;
    } else if (*p == '\n') {
        t->kind = PP_EOL; /* stays: it belongs to the next line */
        lx->bol = true;
    } else {
        p = punctuator(start, t);
        t->kind = p ? TOKEN_PUNCT : PP_OTHER;
        if (!p)
            p = start + 1;
    }

    if (!p || (*p == '\\' && !lx->no_splice && splice_length(p))) {
        spliced_token(lx, t, start);
        return;
    }
    lx->p = p;
    t->span = span_at(lx->base + (source_loc)(start - lx->text), (uint32_t)(p - start));
    if (t->kind == TOKEN_IDENT)
        t->u.name = intern(lx->names, start, (size_t)(p - start));
    else
        t->u.text = (struct str){start, (size_t)(p - start)};
}

bool lex_skip_to_hash(struct lexer *lx)
{
    const char *p = lx->p;
    bool bol = lx->bol;
    unsigned raw_tries = 16;
    while (p < lx->end) {
        char c = *p;
        if (c == '\n') {
            bol = true;
            p++;
        } else if (class_of(c) & CH_SPACE) {
            p++;
        } else if (c == '/' && p[1] == '/') {
            p = skip_line_comment(lx, p);
        } else if (c == '/' && p[1] == '*') {
            const char *q = skip_block_comment(lx, p);
            if (!q)
                complain(lx, p, 2, "this comment does not end");
            p = q ? q : lx->end;
        } else if (c == '\\' && splice_length(p)) {
            p += splice_length(p);
        } else if (bol && (c == '#' || (c == '%' && p[1] == ':'))) {
            lx->p = p + (c == '#' ? 1 : 2);
            lx->bol = false;
            return true;
        } else if (c == '"' || c == '\'') {
            const char *close = NULL;
            if (c == '"' && p > lx->text && p[-1] == 'R' && raw_tries) {
                close = raw_string_end(lx, p);
                raw_tries -= !close; /* each that fails may have looked through the whole file */
            }
            if (close) {
                p = close + 1;
            } else {
                for (p++; p < lx->end && *p != c && *p != '\n'; p++)
                    if (*p == '\\')
                        p += splice_length(p) ? splice_length(p) - 1 : p[1] && p[1] != '\n';
                p += *p == c && p < lx->end;
            }
            bol = false;
        } else {
            p++;
            while (!(class_of(*p) & CH_SKIP_STOP))
                p++;
            bol = false;
        }
    }
    lx->p = lx->end;
    lx->bol = true;
    return false;
}

void lex_spelling(const struct token *t, struct sbuf *out)
{
    switch (t->kind) {
    case TOKEN_IDENT: sbuf_put(out, t->u.name, intern_len(t->u.name)); break;
    case TOKEN_PUNCT: sbuf_puts(out, t->prefix ? t->u.name : punct_names[t->punct]); break;
    case PP_PARAM:
    case PP_STRINGIZE: sbuf_puts(out, t->u.text.ptr); break;
    case TOKEN_EOF:
    case PP_EOL:
    case PP_PLACEMARKER: break;
    default: sbuf_put(out, t->u.text.ptr, t->u.text.len); break;
    }
}

bool lex_text(struct arena *a, struct interner *names, struct str text, struct span at,
              struct token_list *out)
{
    struct lexer lx;
    struct sbuf scratch;
    VEC(struct token) tokens = {0};
    bool good = true;
    sbuf_init(&scratch, a);
    lex_init(&lx, a, names, NULL, arena_strndup(a, text.ptr, text.len), text.len, 0);
    for (;;) {
        struct token t;
        lex_token(&lx, &t);
        t.span = at;
        if (t.kind == TOKEN_STRING)
            literal_string(a, NULL, &scratch, &(struct literal_piece){t.u.text, at}, 1, &t);
        else if (t.kind == TOKEN_CHAR)
            literal_char(NULL, &t);
        good &= t.kind < TOKEN_INTERNAL;
        vec_push(a, &tokens, t);
        if (t.kind == TOKEN_EOF)
            break;
    }
    *out = (struct token_list){tokens.data, tokens.len};
    return good;
}
