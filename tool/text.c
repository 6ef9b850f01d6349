/* text OUT NAME=PATH…: writes a C file that defines each file's text as `const char NAME[]`. Runs
 * while Tern is built: what Tern writes into its outputs, in whatever language, lies in files of
 * that language.
 *
 * A text is the whole file, or what lies between a line with "text begins" and one with "text
 * ends". Names in it that stand in the table below become their numbers, so that no number stands
 * in two languages. */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct number {
    const char *name;
    long long value;
} numbers[] = {
#define TERN_ERROR(number, name, cuda, text) {"TERN_" #name, number},
#include "tern/error.def"
#undef TERN_ERROR
};

static void complain(const char *what, const char *why)
{
    fprintf(stderr, "text: %s: %s\n", what, why);
    exit(1);
}

static const struct number *find(const char *name, size_t n)
{
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (strlen(numbers[i].name) == n && !memcmp(numbers[i].name, name, n))
            return &numbers[i];
    return NULL;
}

static void put_char(FILE *out, char c)
{
    if (c == '"' || c == '\\')
        fputc('\\', out);
    fputc(c, out);
}

static void put_line(FILE *out, const char *line)
{
    fputs("    \"", out);
    for (const char *s = line; *s && *s != '\n';) {
        size_t n = 0;
        while (isalnum((unsigned char)s[n]) || s[n] == '_')
            n++;
        const struct number *number = find(s, n);
        if (number) {
            fprintf(out, "%lld", number->value);
            s += n;
            continue;
        }
        for (n = n ? n : 1; n; n--)
            put_char(out, *s++);
    }
    fputs("\\n\"\n", out);
}

static bool has_marks(FILE *in, char *line, int size)
{
    bool marked = false;
    while (fgets(line, size, in))
        marked |= strstr(line, "text begins") != NULL;
    rewind(in);
    return marked;
}

static void put_text(FILE *out, const char *name, const char *path)
{
    enum { LINE = 4096 };
    static char line[LINE];
    FILE *in = fopen(path, "r");
    if (!in)
        complain(path, "cannot be read");
    bool inside = !has_marks(in, line, LINE);
    fprintf(out, "extern const char %s[];\nconst char %s[] =\n", name, name);
    while (fgets(line, LINE, in)) {
        if (!strchr(line, '\n'))
            complain(path, "a line is too long, or the last has no end");
        if (strstr(line, "text begins"))
            inside = true;
        else if (strstr(line, "text ends"))
            inside = false;
        else if (inside)
            put_line(out, line);
    }
    fputs("    \"\";\n", out);
    fclose(in);
}

int main(int argc, char **argv)
{
    FILE *out = argc > 1 ? fopen(argv[1], "w") : NULL;
    if (!out)
        complain(argc > 1 ? argv[1] : "usage", "text OUT NAME=PATH...");
    for (int i = 2; i < argc; i++) {
        char *path = strchr(argv[i], '=');
        if (!path)
            complain(argv[i], "is not NAME=PATH");
        *path++ = 0;
        put_text(out, argv[i], path);
    }
    if (fclose(out))
        complain(argv[1], "cannot be written");
    return 0;
}
