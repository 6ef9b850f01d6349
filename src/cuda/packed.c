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

void packed_kernel_name(const char *tag, char *out, size_t size)
{
    static const char unnamed[] = "(anonymous namespace)::";
    const char *end = strstr(tag, "::__tern_tag");
    size_t len = end ? (size_t)(end - tag) : strlen(tag), n = 0;
    if (len && tag[len - 1] == ')') { /* the parameters */
        int depth = 0;
        while (len) {
            char c = tag[--len];
            if (c == ')')
                depth++;
            else if (c == '(' && --depth == 0)
                break;
        }
    }
    for (size_t k = 0; k < len && n + 1 < size;) {
        if (!strncmp(tag + k, unnamed, sizeof unnamed - 1))
            k += sizeof unnamed - 1;
        else
            out[n++] = tag[k++];
    }
    out[n] = 0;
}
