/* What the preprocessor gives the parser: one array of tokens for the whole translation unit. */
#ifndef FRONT_CUDA_TOKEN_H
#define FRONT_CUDA_TOKEN_H

#include "base/base.h"

enum token_kind {
    TOKEN_EOF,
    TOKEN_IDENT,  /* name: interned; keywords are identifiers until the parser looks them up */
    TOKEN_NUMBER, /* text: the pp-number as spelled; decoded by token_number() */
    TOKEN_CHAR,   /* value: the code unit (not sign-extended); `punct` is how many characters stood
                   * between the quotes: past one it is an int, as 'ab' is 0x6162 */
    TOKEN_STRING, /* text: code units decoded, adjacent literals joined, no final NUL; little-endian
                   * 2-byte units for prefix 'u', 4-byte for 'U' and 'L', else bytes of UTF-8 */
    TOKEN_PUNCT,  /* punct: one of enum punct */
    TOKEN_PRAGMA, /* text: the rest of a #pragma line, macros expanded, that the preprocessor does
                   * not act on ("unroll 4"); lex_text() makes tokens of it */
    TOKEN_INTERNAL, /* kinds from here on exist only inside the preprocessor */
};

/* PUNCT(NAME, "spelling"), longest match first among equals; digraphs and `and`, `or`, … included
 */
/* clang-format off */
#define TOKEN_PUNCTS(X)                                                                            \
    X(LAUNCH_OPEN, "<<<")                                                                          \
    X(LAUNCH_CLOSE, ">>>")                                                                         \
    X(SPACESHIP, "<=>")                                                                            \
    X(ELLIPSIS, "...")                                                                             \
    X(SHL_ASSIGN, "<<=")                                                                           \
    X(SHR_ASSIGN, ">>=")                                                                           \
    X(ARROW_STAR, "->*")                                                                           \
    X(SCOPE, "::") X(ARROW, "->") X(DOT_STAR, ".*") X(INC, "++") X(DEC, "--") X(SHL, "<<")         \
        X(SHR, ">>") X(LE, "<=") X(GE, ">=") X(EQ, "==") X(NE, "!=") X(ANDAND, "&&") X(OROR, "||") \
            X(MUL_ASSIGN, "*=") X(DIV_ASSIGN, "/=") X(MOD_ASSIGN, "%=") X(ADD_ASSIGN, "+=")        \
                X(SUB_ASSIGN, "-=") X(AND_ASSIGN, "&=") X(XOR_ASSIGN, "^=") X(OR_ASSIGN, "|=")     \
                    X(HASHHASH, "##") X(LPAREN, "(") X(RPAREN, ")") X(LBRACKET, "[")               \
                        X(RBRACKET, "]") X(LBRACE, "{") X(RBRACE, "}") X(SEMI, ";") X(COMMA, ",")  \
                            X(COLON, ":") X(QUESTION, "?") X(DOT, ".") X(ADD, "+") X(SUB, "-")     \
                                X(MUL, "*") X(DIV, "/") X(MOD, "%") X(AND, "&") X(OR, "|")         \
                                    X(XOR, "^") X(NOT, "!") X(TILDE, "~") X(ASSIGN, "=")           \
                                        X(LT, "<") X(GT, ">") X(HASH, "#")
/* clang-format on */

enum punct {
    PUNCT_NONE,
#define X(name, text) PUNCT_##name,
    TOKEN_PUNCTS(X)
#undef X
        PUNCT_COUNT
};

enum { PUNCT_NAMED = 1 }; /* written as a word, u.name: and, xor_eq … */

enum { TOKEN_BOL = 1, TOKEN_SPACE = 2, TOKEN_SYSTEM = 4 /* from one of our own headers */ };

struct token {
    uint8_t kind;
    uint8_t punct;
    uint8_t flags;
    uint8_t prefix; /* of a literal: 0, 'L', 'u' (16), 'U' (32), '8'; PUNCT: PUNCT_NAMED or 0 */
    struct span span;
    union {
        const char *name; /* IDENT, PUNCT_NAMED: interned */
        struct str text;  /* NUMBER, PRAGMA: as spelled; STRING: decoded bytes */
        uint64_t value;   /* CHAR */
    } u;
};

struct token_list {
    struct token *data; /* ends with TOKEN_EOF */
    size_t len;
};

/* A decoded pp-number. */
struct token_num {
    bool is_float, is_unsigned, is_float32, is_half, is_long_double;
    uint8_t longs; /* 0, 1 (l) or 2 (ll) */
    bool decimal;  /* decimal integers never become unsigned by themselves */
    uint64_t integer;
    bool overflow;
    double number;     /* f64 value, correctly rounded */
    float number32;    /* f32 value rounded once from the decimal text */
    struct str suffix; /* user-defined literal suffix, or empty */
};
bool token_number(struct str text, struct token_num *out); /* false: malformed */

const char *punct_text(enum punct p);

/* The tokens of a piece of text, all of them located at `at`; no macros, no directives. False if
 * the text holds something that is not a token. */
bool lex_text(struct arena *a, struct interner *names, struct str text, struct span at,
              struct token_list *out);

#endif
