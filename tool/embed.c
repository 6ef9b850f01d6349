/* embed [-s|-w] OUT NAME=PATH…: writes a C file that holds the files as string constants, sorted by
 * name, and defines the functions of src/front/cuda/pp/pp.h that find them. Runs while Tern is
 * built. Files of device/ are for the compiler only and go without comments and idle blanks; lines
 * keep their numbers. -s: where size counts, and for the device half only: all files so, and
 * without what __TERN_DEVICE__ leaves out. -w: all files so, for both halves. Without either the
 * texts are packed, a file each (src/front/cuda/pp/unpack.c has the format); with them not, because
 * what is sent to a page is packed as a whole, and better. */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct entry {
    const char *name, *path;
};

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct entry *)a)->name, ((const struct entry *)b)->name);
}

static char *read_file(const char *path, size_t *len)
{
    FILE *in = fopen(path, "rb");
    char *text = NULL;
    long n = -1;
    if (in && !fseek(in, 0, SEEK_END) && (n = ftell(in)) >= 0 && (text = malloc((size_t)n + 1)))
        rewind(in);
    if (!text || fread(text, 1, (size_t)n, in) != (size_t)n) {
        perror(path);
        exit(1);
    }
    fclose(in);
    *len = (size_t)n;
    return text;
}

static bool starts(const char *line, const char *word)
{
    return !strncmp(line, word, strlen(word));
}

/* Empties the lines that the device half never reads, in place; gives the new length. */
static size_t drop_host(char *text, size_t n)
{
    enum { DEPTH = 64 };
    enum { OPAQUE, LIVE, DEAD } now[DEPTH] = {OPAQUE};
    size_t to = 0, depth = 0, dead = 0; /* dead: the depth at which a dead part began */
    for (size_t i = 0; i < n;) {
        size_t end = i;
        char line[256] = {0};
        while (end < n && text[end] != '\n')
            end++;
        memcpy(line, text + i, end - i < sizeof line - 1 ? end - i : sizeof line - 1);
        if (starts(line, "#if") && depth + 1 < DEPTH) {
            const bool host = starts(line, "#ifndef __TERN_DEVICE__") ||
                              strstr(line, "&& !defined(__TERN_DEVICE__)");
            now[++depth] = host ? DEAD : starts(line, "#ifdef __TERN_DEVICE__") ? LIVE : OPAQUE;
        }
        bool keep = !dead || (depth == dead && (starts(line, "#else") || starts(line, "#endif")));
        if ((starts(line, "#else") || starts(line, "#elif")) && now[depth] != OPAQUE) {
            now[depth] = now[depth] == LIVE && starts(line, "#else") ? DEAD : LIVE;
            dead = depth == dead ? 0 : dead;
        } else if (starts(line, "#endif") && depth) {
            dead = depth == dead ? 0 : dead;
            now[depth--] = OPAQUE;
        }
        if (!dead && now[depth] == DEAD)
            dead = depth;
        for (; i < end && keep; i++)
            text[to++] = text[i];
        i = end;
        if (i < n)
            text[to++] = text[i++];
    }
    return to;
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Is a blank between these two of no use? In a line that starts with # it may be. Numbers such as
 * 0x1e would take a sign that follows. */
static bool is_idle(char before, char after)
{
    static const char operators[] = "<>*/%&|^!~?:+-=";
    if (strchr(",;(){}[]=", before) || strchr(",;(){}[]", after))
        return true;
    if (is_word(before) && strchr("+-", after))
        return !strchr("eEpP", before);
    return (is_word(before) && strchr(operators, after)) ||
           (is_word(after) && strchr(operators, before));
}

/* Drops comments, blanks at both ends of lines and idle ones, in place; gives the new length. */
static size_t trim(char *text, size_t n)
{
    size_t to = 0;
    char quote = 0;
    bool directive = false;
    for (size_t i = 0; i < n; i++) {
        const char c = text[i];
        if (quote) {
            text[to++] = c;
            if (c == '\\' && i + 1 < n)
                text[to++] = text[++i];
            else if (c == quote || c == '\n')
                quote = 0;
        } else if (c == '/' && i + 1 < n && text[i + 1] == '/') {
            while (i + 1 < n && text[i + 1] != '\n')
                i++;
        } else if (c == '/' && i + 1 < n && text[i + 1] == '*') {
            for (i += 2; i + 1 < n && !(text[i] == '*' && text[i + 1] == '/'); i++)
                if (text[i] == '\n')
                    text[to++] = '\n';
            i++;
            text[to++] = ' ';
        } else if (c == '\n') {
            while (to && text[to - 1] == ' ')
                to--;
            text[to++] = c;
            directive = false;
        } else if (c != ' ' ||
                   (to && text[to - 1] != '\n' && text[to - 1] != ' ' &&
                    (directive || !is_idle(text[to - 1], i + 1 < n ? text[i + 1] : ' ')))) {
            directive |= c == '#' && (!to || text[to - 1] == '\n');
            text[to++] = c;
            quote = c == '"' || c == '\'' ? c : 0;
        }
    }
    return to;
}

/* ---- packing ---- */

enum { HASH_BITS = 14, SHORTEST = 4, FARTHEST = 65535, TRIES = 512 };

struct packer {
    const unsigned char *text;
    size_t n, to;
    unsigned char *out;
    long head[1 << HASH_BITS],
        *before; /* the last place with a hash; for each place the one before */
};

static unsigned hash_at(const unsigned char *p)
{
    const unsigned v = p[0] | (unsigned)p[1] << 8 | (unsigned)p[2] << 16 | (unsigned)p[3] << 24;
    return (v * 2654435761u) >> (32 - HASH_BITS);
}

static void remember(struct packer *p, size_t at)
{
    if (at + SHORTEST > p->n)
        return;
    const unsigned h = hash_at(p->text + at);
    p->before[at] = p->head[h];
    p->head[h] = (long)at;
}

/* The longest text before `at` that is repeated there; 0: none. */
static size_t longest(const struct packer *p, size_t at, size_t *from)
{
    size_t best = 0;
    if (at + SHORTEST > p->n)
        return 0;
    long c = p->head[hash_at(p->text + at)];
    for (int tries = TRIES; c >= 0 && at - (size_t)c <= FARTHEST && tries; tries--) {
        size_t len = 0;
        while (at + len < p->n && p->text[(size_t)c + len] == p->text[at + len])
            len++;
        if (len > best) {
            best = len;
            *from = (size_t)c;
        }
        c = p->before[c];
    }
    return best >= SHORTEST ? best : 0;
}

static void put_more(struct packer *p, size_t count)
{
    if (count < 15)
        return;
    for (count -= 15; count >= 255; count -= 255)
        p->out[p->to++] = 255;
    p->out[p->to++] = (unsigned char)count;
}

/* Bytes as they are, then a repetition; len 0: the end. */
static void put_run(struct packer *p, size_t start, size_t at, size_t len, size_t from)
{
    const size_t plain = at - start, more = len ? len - SHORTEST : 0;
    p->out[p->to++] = (unsigned char)((plain < 15 ? plain : 15) << 4 | (more < 15 ? more : 15));
    put_more(p, plain);
    memcpy(p->out + p->to, p->text + start, plain);
    p->to += plain;
    if (!len)
        return;
    p->out[p->to++] = (unsigned char)(at - from);
    p->out[p->to++] = (unsigned char)((at - from) >> 8);
    put_more(p, more);
}

/* The packed text, of *size bytes. A repetition waits where one that starts a byte later is longer.
 */
static char *pack(const char *text, size_t n, size_t *size)
{
    struct packer *p = calloc(1, sizeof *p);
    if (!p || !(p->out = malloc(n + n / 128 + 64)) || !(p->before = calloc(n + 1, sizeof(long)))) {
        perror("embed");
        exit(1);
    }
    p->text = (const unsigned char *)text;
    p->n = n;
    for (int h = 0; h < 1 << HASH_BITS; h++)
        p->head[h] = -1;
    size_t start = 0, from = 0, next_from = 0;
    for (size_t at = 0; at < n;) {
        const size_t len = longest(p, at, &from);
        remember(p, at);
        if (!len || longest(p, at + 1, &next_from) > len) {
            at++;
            continue;
        }
        put_run(p, start, at, len, from);
        for (size_t k = 1; k < len; k++)
            remember(p, at + k);
        start = at += len;
    }
    if (start < n)
        put_run(p, start, n, 0, 0);
    *size = p->to;
    char *out = (char *)p->out;
    free(p->before);
    free(p);
    return out;
}

/* ---- output ---- */

/* Octal escapes have three digits, so that a digit may follow; '?' is escaped against trigraphs. */
static void put_text(FILE *out, const char *text, size_t len)
{
    fputs("    \"", out);
    for (size_t i = 0; i < len; i++) {
        const unsigned char c = (unsigned char)text[i];
        if (i && i % 4096 == 0)
            fputs("\"\n    \"", out);
        if (c == '\n')
            fputs("\\n", out);
        else if (c == '"' || c == '\\' || c == '?')
            fprintf(out, "\\%c", c);
        else if (c < ' ' || c > '~')
            fprintf(out, "\\%03o", (unsigned)c);
        else
            putc(c, out);
        if (c == '\n')
            fputs("\"\n    \"", out);
    }
    fputs("\"", out);
}

int main(int argc, char **argv)
{
    const bool device = argc > 1 && !strcmp(argv[1], "-s");
    const bool small = device || (argc > 1 && !strcmp(argv[1], "-w"));
    argc -= small;
    argv += small;
    if (argc < 2) {
        fputs("usage: embed [-s|-w] OUT NAME=PATH...\n", stderr);
        return 2;
    }
    size_t n = (size_t)argc - 2;
    struct entry *entries = calloc(n + 1, sizeof *entries);
    size_t *lens = calloc(n + 1, sizeof *lens), *sizes = calloc(n + 1, sizeof *sizes);
    FILE *out = fopen(argv[1], "w");
    if (!entries || !lens || !sizes || !out) {
        perror(argv[1]);
        return 1;
    }
    for (size_t i = 0; i < n; i++) {
        char *eq = strchr(argv[i + 2], '=');
        if (!eq) {
            fprintf(stderr, "embed: %s is not NAME=PATH\n", argv[i + 2]);
            return 2;
        }
        *eq = 0;
        entries[i] = (struct entry){argv[i + 2], eq + 1};
    }
    qsort(entries, n, sizeof *entries, by_name);

    fputs("/* Generated by tool/embed.c: do not edit. */\n"
          "#include <string.h>\n#include \"front/cuda/pp/pp.h\"\n",
          out);
    for (size_t i = 0; i < n; i++) {
        char *text = read_file(entries[i].path, &lens[i]);
        if (small || starts(entries[i].name, "device/"))
            lens[i] = trim(text, lens[i]);
        if (device)
            lens[i] = drop_host(text, lens[i]);
        fprintf(out, "\nstatic const char text%zu[] =\n", i);
        char *packed = small ? NULL : pack(text, lens[i], &sizes[i]);
        put_text(out, packed ? packed : text, packed ? sizes[i] : lens[i]);
        fputs(";\n", out);
        free(packed);
        free(text);
    }
    fputs("\nstatic const struct embedded_file files[] = {\n", out);
    for (size_t i = 0; i < n; i++)
        fprintf(out, "    {\"%s\", text%zu, %zu, %zu},\n", entries[i].name, i, lens[i], sizes[i]);
    fprintf(out,
            "    {\"\", \"\", 0, 0},\n};\n\n"
            "const struct embedded_file *embedded_files(size_t *n)\n"
            "{\n    *n = %zu;\n    return files;\n}\n\n"
            "const struct embedded_file *embedded_header(const char *name)\n"
            "{\n    size_t low = 0, high = %zu;\n"
            "    while (low < high) {\n"
            "        size_t mid = low + (high - low) / 2;\n"
            "        int order = strcmp(name, files[mid].name);\n"
            "        if (!order)\n            return &files[mid];\n"
            "        if (order < 0)\n            high = mid;\n"
            "        else\n            low = mid + 1;\n"
            "    }\n    return NULL;\n}\n",
            n, n);
    free(entries);
    free(lens);
    free(sizes);
    if (fclose(out)) {
        perror(argv[1]);
        return 1;
    }
    return 0;
}
