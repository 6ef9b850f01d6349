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
        CHECK_INT(strlen(embedded_text(u->arena, &files[i])), files[i].len);
        CHECK(i == 0 || strcmp(files[i - 1].name, files[i].name) < 0);
    }
    CHECK(!embedded_header("") && !embedded_header("no/such.h") && !embedded_header("zzz"));
}

/* A file's text; NULL if the tests were started from elsewhere than the root of the sources. */
static char *file_text(const char *path, size_t *len)
{
    enum { LARGEST = 1 << 20 };
    FILE *in = fopen(path, "rb");
    char *text = in ? malloc(LARGEST) : NULL;
    *len = text ? fread(text, 1, LARGEST, in) : 0;
    if (in)
        fclose(in);
    return text;
}

static size_t lines(const char *text, size_t len)
{
    size_t n = 0;
    for (size_t i = 0; i < len; i++)
        n += text[i] == '\n';
    return n;
}

/* All of them, unpacked. */
TEST_ONCE(embedded_text_is_the_file)
{
    size_t n, len;
    const struct embedded_file *files = embedded_files(&n);
    for (size_t i = 0; i < n; i++) {
        const struct embedded_file *e = &files[i];
        char path[300];
        snprintf(path, sizeof path, "include/cuda/%s", e->name);
        char *text = strncmp(e->name, "device/", 7) ? file_text(path, &len) : NULL;
        CHECK(!text || (len == e->len && !memcmp(text, embedded_text(u->arena, e), len)));
        free(text);
    }
}

/* What only the compiler reads goes without comments; messages still name the right lines. */
TEST_ONCE(embedded_device_text_keeps_its_lines)
{
    const struct embedded_file *e = embedded_header("device/softf64/f64.h");
    const char *kept = e ? embedded_text(u->arena, e) : "/*";
    size_t len;
    char *text = file_text("device/softf64/f64.h", &len);
    CHECK(!text || (e && len > e->len && lines(text, len) == lines(kept, e->len)));
    CHECK(!text || !strstr(kept, "/*"));
    free(text);
}
