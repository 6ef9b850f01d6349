/* Instructions as text, and words of 32 bits from tables: a row's bits with operands in their
 * fields. Read the other way, the same table decodes: a word belongs to the first row whose bits
 * it has outside the fields. */
#include <string.h>
#include "mach/mach.h"

uint32_t mach_word_mask(const struct mach_row *r, const struct mach_kind *kinds)
{
    uint32_t fields = 0;
    for (unsigned k = 0; k < MACH_MAX_OPS && r->kind[k]; k++) {
        const struct mach_kind *kind = &kinds[r->kind[k]];
        fields |= (uint32_t)(((uint64_t)1 << kind->width) - 1) << kind->shift;
    }
    return ~fields;
}

bool mach_word(const struct mach_row *r, const struct mach_kind *kinds, const int64_t *ops,
               mach_field *field, uint32_t *word)
{
    *word = (uint32_t)r->bits;
    for (unsigned k = 0; k < MACH_MAX_OPS && r->kind[k]; k++) {
        uint32_t bits;
        if (k == r->nresults && r->flags & MACH_TIED)
            continue; /* stands where result 0 does */
        if (!field(&kinds[r->kind[k]], ops[k], &bits))
            return false;
        *word |= bits;
    }
    return true;
}

void mach_print_row(const struct mach_target *t, struct sbuf *out, unsigned row, const int64_t *ops,
                    uint64_t address)
{
    const struct mach_row *r = &t->rows[row];
    for (const char *s = r->text; *s; s++)
        if (*s == '%' && s[1] >= '0' && s[1] <= '9') {
            unsigned k = (unsigned)(*++s - '0');
            t->print(out, r, k, ops[k], address);
        } else {
            sbuf_putc(out, *s);
        }
}

void mach_disassemble(const struct mach_target *t, const struct mach_image *image, struct sbuf *out)
{
    vec_each (struct mach_symbol, s, &image->symbols) {
        sbuf_printf(out, "%s:\n", s->name);
        for (uint32_t at = s->offset; at < s->offset + s->bytes;) {
            unsigned row;
            int64_t ops[MACH_MAX_OPS];
            unsigned n = t->decode((const uint8_t *)image->code.data + at,
                                   s->offset + s->bytes - at, &row, ops);
            sbuf_printf(out, "%6x:  ", at);
            for (unsigned k = 0; k < (n ? n : 4); k++)
                sbuf_printf(out, "%02x", (uint8_t)image->code.data[at + k]);
            sbuf_puts(out, "  ");
            if (n)
                mach_print_row(t, out, row, ops, at);
            else
                sbuf_puts(out, "?");
            sbuf_putc(out, '\n');
            at += n ? n : 4;
        }
        sbuf_putc(out, '\n');
    }
    if (image->literals.len)
        sbuf_puts(out, "literals:\n");
    for (size_t k = 0; k < image->literals.len; k++)
        sbuf_printf(out, "%6zx:  %016llx %016llx\n", (size_t)image->literals_at + 16 * k,
                    (unsigned long long)image->literals.data[k].half[0],
                    (unsigned long long)image->literals.data[k].half[1]);
}
