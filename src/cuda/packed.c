/* Device halves as programs and object files hold them. */
#include "cuda/packed.h"
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "base/compress.h"

const char *packed_text(const char *from, size_t bytes, size_t *len, char **owned)
{
    struct packed_head head;
    *len = bytes;
    *owned = NULL;
    if (bytes < sizeof head || memcmp(from, PACKED_MAGIC, sizeof head.magic) != 0)
        return from;
    memcpy(&head, from, sizeof head);
    *owned = malloc((size_t)head.bytes + 1);
    if (!*owned || !lz4_decode((const uint8_t *)from + sizeof head, bytes - sizeof head,
                               (uint8_t *)*owned, head.bytes)) {
        free(*owned);
        return *owned = NULL;
    }
    (*owned)[ *len = head.bytes] = 0;
    return *owned;
}

/* Where the bracket opens that ends at text[end - 1]; 0: nowhere. */
static size_t opening(const char *text, size_t end)
{
    for (int depth = 0; end;) {
        const char c = text[--end];
        if (c == ')')
            depth++;
        else if (c == '(' && --depth == 0)
            return end;
    }
    return 0;
}

/* Where the bracket closes that opens at text[at]; `len`: nowhere. */
static size_t closing(const char *text, size_t at, size_t len)
{
    for (int depth = 0; at < len; at++) {
        if (text[at] == '(')
            depth++;
        else if (text[at] == ')' && --depth == 0)
            break;
    }
    return at;
}

/* Of a function as demanglers write it, `void f<float>(char const*)`, the name begins behind the
 * last space that no bracket is around. */
static size_t name_start(const char *text, size_t end)
{
    int depth = 0;
    for (; end; end--) {
        const char c = text[end - 1];
        depth += (c == ')' || c == '>') - (c == '(' || c == '<');
        if (c == ' ' && depth == 0)
            break;
    }
    return end;
}

struct copied {
    char *out;
    size_t size, len;
};

static void copy_name(struct copied *to, const char *text, size_t len)
{
    static const char unnamed[] = "(anonymous namespace)::";
    for (size_t k = 0; k < len && to->len + 1 < to->size;) {
        const char *at = text + k;
        if (!strncmp(at, unnamed, sizeof unnamed - 1)) {
            k += sizeof unnamed - 1;
            continue;
        }
        to->out[to->len++] = *at;
        k++;
        if (*at != '&' || k == len || at[1] != '(' || !strncmp(at + 1, unnamed, sizeof unnamed - 1))
            continue;
        const size_t close = closing(text, k, len), inside = k + 1;
        if (close == len || text[close - 1] != ')')
            continue; /* a member function, say */
        const size_t parameters = opening(text + inside, close - inside);
        const size_t start = name_start(text + inside, parameters);
        copy_name(to, text + inside + start, parameters - start);
        k = close + 1;
    }
}

void packed_kernel_name(const char *tag, char *out, size_t size)
{
    struct copied to = {.out = out, .size = size};
    static const char tag_class[] = "::__tern_tag";
    const char *end = strstr(tag, tag_class);
    size_t len = end ? (size_t)(end - tag) : strlen(tag);
    const bool several = end && end[sizeof tag_class - 1] == 's';
    if (end && len && tag[len - 1] == ')' && !several) /* the parameters */
        len = opening(tag, len);
    copy_name(&to, tag, len);
    out[to.len] = 0;
}
