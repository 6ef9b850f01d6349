/* Inline PTX: the statement's parts. What the instructions mean is in front/ptxops. */
#include "front/cuda/sema/sema.h"

static void operands(struct front *f, struct asm_operand **out, size_t *n)
{
    VEC(struct asm_operand) list = {0};
    while (cu_tok(f)->kind == TOKEN_STRING || cu_is(f, PUNCT_LBRACKET)) {
        struct asm_operand o = {0};
        if (cu_accept(f, PUNCT_LBRACKET)) {
            o.name = cu_expect_name(f, "an operand's name");
            cu_expect(f, PUNCT_RBRACKET, "after the operand's name");
        }
        if (cu_tok(f)->kind != TOKEN_STRING)
            cu_error(f, cu_span(f), "expected a constraint");
        o.constraint = arena_strndup(f->a, cu_tok(f)->u.text.ptr, cu_tok(f)->u.text.len);
        cu_next(f);
        cu_expect(f, PUNCT_LPAREN, "after the constraint");
        o.value = cu_parse_expr(f);
        cu_expect(f, PUNCT_RPAREN, "after the operand");
        vec_push(f->a, &list, o);
        cu_accept(f, PUNCT_COMMA); /* compilers take lists without it */
    }
    *out = list.data;
    *n = list.len;
}

struct asm_info *cu_parse_asm(struct front *f)
{
    struct asm_info *a = arena_new(f->a, struct asm_info);
    cu_next(f);
    while (cu_is_kw(f, KW_volatile) || cu_is_kw(f, KW___volatile__) || cu_is_kw(f, KW_inline) ||
           cu_is_kw(f, KW___volatile)) {
        a->is_volatile = true;
        cu_next(f);
    }
    cu_expect(f, PUNCT_LPAREN, "after asm");
    a->text_span = cu_span(f);
    if (cu_tok(f)->kind != TOKEN_STRING)
        cu_error(f, cu_span(f), "asm needs its text as a string");
    a->text = cu_tok(f)->u.text;
    cu_next(f);
    /* `::` is one token: two empty lists. */
    unsigned section = 0;
    while (cu_is(f, PUNCT_COLON) || cu_is(f, PUNCT_SCOPE)) {
        section += cu_is(f, PUNCT_SCOPE) ? 2 : 1;
        cu_next(f);
        if (section == 1)
            operands(f, &a->out, &a->nout);
        else if (section == 2)
            operands(f, &a->in, &a->nin);
        else
            while (cu_tok(f)->kind == TOKEN_STRING) {
                a->memory |= str_is(cu_tok(f)->u.text, "memory");
                cu_next(f);
                if (!cu_accept(f, PUNCT_COMMA))
                    break;
            }
    }
    cu_expect(f, PUNCT_RPAREN, "after asm");
    for (size_t i = 0; i < a->nout; i++)
        if (a->out[i].value->cat == CAT_PR && a->out[i].value->kind != EX_DEPENDENT)
            cu_error(f, a->out[i].value->span, "an output of asm has to be a variable");
    for (size_t i = 0; i < a->nin; i++)
        a->in[i].value = cu_rvalue(f, a->in[i].value);
    return a;
}
