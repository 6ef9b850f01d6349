/* Fat binaries and their decompression: any bytes end in a text or in an error. An input that
 * starts with a small number is given to the decoders themselves. */
#include "fuzz.h"

#include <stdlib.h>
#include "base/compress.h"
#include "rt/fatbin.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size && data[0] < 16) {
        const size_t room = (size_t)1 << (data[0] + 4);
        uint8_t *out = malloc(room);
        if (out) {
            zstd_decode(data + 1, size - 1, out, room);
            lz4_decode(data + 1, size - 1, out, room);
        }
        free(out);
        return 0;
    }
    char *text = NULL, why[256] = "";
    size_t n;
    enum tern_error e = fatbin_ptx(data, size, &text, &n, why);
    if ((e != TERN_OK) != (why[0] != 0) || (e == TERN_OK && !text))
        abort();
    free(text);
    return 0;
}
