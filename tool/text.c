/* text OUT NAME=PATH[,PATH…]…: writes a C file that defines each text as `const char NAME[]`.
 * text -d OUT PATH…: writes the files one after the other, for C to include.
 * text -j OUT: writes the numbers that launchers in JavaScript need, as web/tern/abi.js.
 *
 * Runs while Tern is built: what Tern writes into its outputs, in whatever language, lies in files
 * of that language. A text is the whole file, or what lies between a line with "text begins" and
 * one with "text ends"; in IR, comments are left out. Names in it that stand in the table below
 * become their numbers (NAMEu with a u behind, NAME+4 with 4 added), so that no number stands in
 * two languages. */
#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "back/cpu_abi.h"
#include "back/web_abi.h"
#include "lower/lower.h"
#include "rt/texture.h"

/* A number by its own name; a word of the web's header also by its index; a special register's word
 * of a WebAssembly instance. */
#define N(name)          {#name, name, false},
#define J(name)          {#name, name, true},
#define WEB(name)        {"WEB_" #name, WEB_##name, true}, {"WORD_" #name, WEB_##name / 4, false},
#define SREG(name, sreg) {"WASM_" #name, WASM_SREG + 4 * IR_SREG_##sreg, false},
#define AT(name, member) {"TEXTURE_" #name, (long long)offsetof(struct texture_desc, member), true},
/* clang-format off */
static const struct number {
    const char *name;
    long long value;
    bool web; /* for JavaScript, too */
} numbers[] = {
#define TERN_ERROR(number, name, cuda, text) {"TERN_" #name, number, false},
#include "tern/error.def"
#undef TERN_ERROR
    N(CPU_SHARED_ROOM)
    /* operations of warps */
    N(IR_SHFL_IDX) N(IR_SHFL_UP) N(IR_SHFL_DOWN) N(IR_SHFL_XOR)
    N(IR_VOTE_ANY) N(IR_VOTE_ALL) N(IR_VOTE_UNI) N(IR_VOTE_BALLOT)
#define IR_RMW(name, text, class, meaning) N(IR_RMW_##name)
#include "ir/rmw.def"
    /* the park */
    N(PARK_DONE) N(PARK_BARRIER) N(PARK_BARRIER_RED) N(PARK_WARPSYNC) N(PARK_SHFL) N(PARK_VOTE)
    N(PARK_MATCH) N(PARK_REDUX) N(PARK_ACTIVEMASK) N(PARK_YIELD) N(PARK_JOIN)
    N(LOWER_FRAME_KIND) N(LOWER_FRAME_MASK) N(LOWER_FRAME_ARG_LOW) N(LOWER_FRAME_ARG_HIGH)
    N(LOWER_FRAME_LANE) N(LOWER_FRAME_CONTROL) N(LOWER_FRAME_LOW) N(LOWER_FRAME_HIGH)
    N(LOWER_FRAME_OK) N(LOWER_FRAME_FREE) N(LOWER_FRAME_RAN)
    /* WebAssembly and WGSL */
    WEB(STATUS) WEB(PRINT_USED) WEB(PRINT_AT) WEB(PRINT_SIZE) WEB(MESSAGE) WEB(FILE) WEB(LINE)
    WEB(FUNCTION) WEB(THREAD) WEB(BLOCK) WEB(MALLOC) WEB(MALLOC_END) WEB(ROOM_AT)
    WEB(ROOM_COUNT) WEB(LOCKS) WEB(HEADER)
    J(WEB_OK) J(WEB_TRAP) J(WEB_ASSERT) J(WEB_STUCK) J(WEB_BUDGET) J(WEB_STACK)
    J(WGSL_GRID) J(WGSL_FIRST_BLOCK) J(WGSL_PARAMS)
    J(WASM_LAUNCH_GRID) J(WASM_LAUNCH_BLOCK) J(WASM_LAUNCH_FIRST) J(WASM_LAUNCH_COUNT)
    J(WASM_LAUNCH_PARAMS) J(WASM_LAUNCH_SHARED) J(WASM_LAUNCH_DYNAMIC) J(WASM_LAUNCH_FRAMES)
    J(WASM_LAUNCH_STACK_TOP) J(WASM_LAUNCH_STACK_BOTTOM) J(WASM_LAUNCH_BYTES) J(WASM_BEYOND)
    N(WASM_LOOSE) N(WASM_LOOKS) N(PARK_PATIENCE) N(WASM_FRAME) N(WASM_PARAMS) N(WASM_SHARED) N(WASM_STACK_BOTTOM)
    N(WASM_STACK_TOP) N(WASM_FRAMES) N(WASM_FRAMES_END) N(WASM_WAITING) N(WASM_RUN) N(WASM_ROWS)
    N(WASM_ROW_END)
    SREG(TID, TID_X) SREG(NTID, NTID_X) SREG(CTAID, CTAID_X) SREG(NCTAID, NCTAID_X)
    SREG(LANEID, LANEID) SREG(NWARPID, NWARPID) SREG(DYN_SHARED, DYN_SHARED)
    SREG(TOTAL_SHARED, TOTAL_SHARED) SREG(COOPERATIVE, COOPERATIVE)
    /* a texture's description */
    AT(GEOMETRY, geometry) AT(MEMORY, memory) AT(BYTES, bytes) AT(LAYERS, layers)
    AT(LEVEL_COUNT, nlevels) AT(LEVELS, levels) AT(CHANNEL, channel) AT(COMPONENTS, components)
    AT(BITS, bits) AT(ADDRESS, address) AT(FILTER, filter) AT(NORMALIZED, normalized_coordinates)
    AT(NORMALIZED_VALUES, normalized_values) AT(SRGB, srgb) AT(BORDER, border)
    {"TEXTURE_END", sizeof(struct texture_desc), true},
};
/* clang-format on */

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

/* A line with its numbers put in; `quoted`: as it stands in a string. */
static void put_line(FILE *out, const char *line, bool quoted)
{
    for (const char *s = line; *s && *s != '\n';) {
        size_t n = 0;
        while (isalnum((unsigned char)s[n]) || s[n] == '_')
            n++;
        const bool is_unsigned = n && s[n - 1] == 'u';
        const struct number *number = find(s, n - is_unsigned);
        if (number) {
            s += n;
            const bool more = *s == '+' && isdigit((unsigned char)s[1]);
            const long add = more ? strtol(s + 1, (char **)&s, 10) : 0;
            fprintf(out, "%lld%s", number->value + add, is_unsigned ? "u" : "");
            continue;
        }
        for (n = n ? n : 1; n; n--, s++)
            if (quoted)
                put_char(out, *s);
            else
                fputc(*s, out);
    }
}

static bool has_marks(FILE *in, char *line, int size)
{
    bool marked = false;
    while (fgets(line, size, in))
        marked |= strstr(line, "text begins") != NULL;
    rewind(in);
    return marked;
}

static void put_file(FILE *out, const char *path, bool quoted)
{
    enum { LINE = 4096 };
    static char line[LINE];
    FILE *in = fopen(path, "r");
    if (!in)
        complain(path, "cannot be read");
    const bool ir = strlen(path) > 3 && !strcmp(path + strlen(path) - 3, ".ir");
    bool inside = !has_marks(in, line, LINE);
    while (fgets(line, LINE, in)) {
        if (!strchr(line, '\n'))
            complain(path, "a line is too long, or the last has no end");
        const bool begins = strstr(line, "text begins"), ends = strstr(line, "text ends");
        if (begins || ends)
            inside = begins;
        else if (inside && !(ir && (*line == ';' || *line == '\n'))) {
            fputs(quoted ? "    \"" : "", out);
            put_line(out, line, quoted);
            fputs(quoted ? "\\n\"\n" : "\n", out);
        }
    }
    fclose(in);
}

static void put_text(FILE *out, char *name_and_paths)
{
    char *path = strchr(name_and_paths, '=');
    if (!path)
        complain(name_and_paths, "is not NAME=PATH");
    *path++ = 0;
    fprintf(out, "extern const char %s[];\nconst char %s[] =\n", name_and_paths, name_and_paths);
    for (char *p = strtok(path, ","); p; p = strtok(NULL, ","))
        put_file(out, p, true);
    fputs("    \"\";\n", out);
}

static void put_javascript(FILE *out)
{
    fputs("// Numbers that kernels and their launchers agree on, written by `make abi` from the "
          "headers that the\n"
          "// compiler reads (src/back/web_abi.h, src/rt/texture.h). A test compares them.\n",
          out);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (numbers[i].web)
            fprintf(out, "export const %s = %lld;\n", numbers[i].name, numbers[i].value);
}

int main(int argc, char **argv)
{
    const bool copies = argc > 2 && !strcmp(argv[1], "-d"),
               javascript = argc > 2 && !strcmp(argv[1], "-j");
    const int first = copies || javascript ? 2 : 1;
    FILE *out = argc > first ? fopen(argv[first], "w") : NULL;
    if (!out)
        complain(argc > first ? argv[first] : "usage", "text [-d | -j] OUT ...");
    for (int i = first + 1; i < argc; i++)
        if (copies)
            put_file(out, argv[i], false);
        else
            put_text(out, argv[i]);
    if (javascript)
        put_javascript(out);
    if (fclose(out))
        complain(argv[first], "cannot be written");
    return 0;
}
