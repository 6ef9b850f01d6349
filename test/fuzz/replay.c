/* Stands in for libFuzzer: gives a fuzz target each file named on the command line, once. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        FILE *in = fopen(argv[i], "rb");
        uint8_t *data = NULL;
        size_t size = 0, got;
        if (!in) {
            perror(argv[i]);
            return 1;
        }
        do {
            uint8_t *more = realloc(data, size + 65536);
            if (!more)
                return 1;
            data = more;
            got = fread(data + size, 1, 65536, in);
            size += got;
        } while (got);
        fclose(in);
        /* An exact copy, so that reading past the end is seen. */
        uint8_t *exact = realloc(data, size ? size : 1);
        LLVMFuzzerTestOneInput(exact, size);
        free(exact);
    }
    return 0;
}
