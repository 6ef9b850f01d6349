/* Tests of the embedded headers: that what tool/embed.c wrote can be found, whole. */
#include <stdlib.h>
#include "front/cuda/pp/pp.h"
#include "unit.h"

TEST_ONCE(embedded_files_are_found)
{
    size_t n;
    const struct embedded_file *files = embedded_files(&n);
    CHECK(n > 0);
    for (size_t i = 0; i < n; i++) {
        CHECK(embedded_header(files[i].name) == &files[i]);
        CHECK_INT(strlen(files[i].text), files[i].len);
        CHECK(i == 0 || strcmp(files[i - 1].name, files[i].name) < 0);
    }
    CHECK(!embedded_header("") && !embedded_header("no/such.h") && !embedded_header("zzz"));
}

/* The tests run from the root of the sources, so that the file can be compared. */
TEST_ONCE(embedded_text_is_the_file)
{
    const struct embedded_file *e = embedded_header("device/softf64/f64.h");
    FILE *in = fopen("device/softf64/f64.h", "rb");
    if (!in)
        return; /* started from elsewhere */
    char *text = malloc(e ? e->len + 2 : 2);
    size_t len = text ? fread(text, 1, e ? e->len + 1 : 1, in) : 0;
    fclose(in);
    CHECK(e && text && len == e->len && !memcmp(text, e->text, len));
    free(text);
}
