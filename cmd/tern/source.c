/* Files, compilation with its diagnostics printed, exit codes. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tern.h"

int complain(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    fputs("tern: ", stderr);
    vfprintf(stderr, fmt, ap);
    fputc('\n', stderr);
    va_end(ap);
    return EXIT_USAGE;
}

int exit_code_of(enum tern_error e)
{
    switch (e) {
    case TERN_OK: return EXIT_FINE;
    case TERN_COMPILE:
    case TERN_INVALID_IMAGE: return EXIT_REFUSED;
    case TERN_INVALID_ARGUMENT:
    case TERN_INVALID_LAUNCH:
    case TERN_LAUNCH_RESOURCES:
    case TERN_NOT_FOUND: return EXIT_USAGE;
    case TERN_NO_DEVICE:
    case TERN_UNSUPPORTED:
    case TERN_DEVICE_LOST:
    case TERN_DRIVER: return EXIT_DEVICE;
    case TERN_IO: return EXIT_IO;
    case TERN_OUT_OF_MEMORY:
    case TERN_LIMIT: return EXIT_MEMORY;
    case TERN_TIMEOUT: return EXIT_TIMEOUT;
    case TERN_CANCELLED: return EXIT_STOPPED;
    default: return EXIT_KERNEL;
    }
}

/* Directories open but do not read: fread sets errno for them. */
char *read_whole_file(const char *path, size_t *len)
{
    FILE *f = strcmp(path, "-") ? fopen(path, "rb") : stdin;
    if (!f)
        return NULL;
    char *text = NULL;
    size_t n = 0, cap = 0;
    for (;;) {
        if (n + 1 >= cap) {
            cap = cap ? cap * 2 : 65536;
            char *grown = realloc(text, cap);
            if (!grown)
                goto failed;
            text = grown;
        }
        const size_t got = fread(text + n, 1, cap - n - 1, f);
        n += got;
        if (!got)
            break;
    }
    if (ferror(f))
        goto failed;
    if (f != stdin)
        fclose(f);
    text[n] = 0;
    *len = n;
    return text;
failed:
    if (f != stdin)
        fclose(f);
    free(text);
    return NULL;
}

/* For #include: the front end looks in the directories itself. */
static char *read_for_compiler(void *ctx, struct arena *arena, const char *path, size_t *len)
{
    (void)ctx;
    char *text = read_whole_file(path, len);
    if (!text)
        return NULL;
    char *copy = arena_strndup(arena, text, *len);
    free(text);
    return copy;
}

void print_diagnostics(const struct args *a, const struct compilation *c,
                       const struct diag_entry *after)
{
    struct diag d = c->diag;
    struct sbuf out;
    if (after)
        d.first = after->next;
    if (!d.first)
        return;
    sbuf_init(&out, NULL);
    if (a->json)
        diag_render_json(&d, &out);
    else
        diag_render_text(&d, &out, a->color);
    if (out.len)
        fwrite(out.data, 1, out.len, stderr);
    sbuf_free(&out);
}

void print_dumps(struct compilation *c)
{
    if (c->dump.len)
        fwrite(c->dump.data, 1, c->dump.len, stderr);
    c->dump.len = 0;
}

struct compile_options compile_options_of(const struct args *a, unsigned level, bool native)
{
    const char *path = strcmp(a->input, "-") ? a->input : "<stdin>";
    const struct back_target *target = a->to ? back_find(a->to) : NULL;
    return (struct compile_options){
        .path = path,
        .language = a->language,
        .include_dirs = a->include_dirs.data,
        .ninclude_dirs = a->include_dirs.len,
        .defines = a->defines,
        .ndefines = a->ndefines,
        .standard = a->standard,
        .names = a->names.data,
        .nnames = a->names.len,
        .mode = a->mode,
        .level = level,
        .native = native,
        .rolled = target && target->rolled,
        .dump_passes = a->dumps.data,
        .ndump_passes = a->dumps.len,
        .verify_passes = a->verify_passes,
        .clock = a->time_passes ? thread_nanoseconds : NULL,
        .warnings = a->warnings.data,
        .nwarnings = a->warnings.len,
        .error_limit = a->error_limit,
        .memory_limit = a->memory_limit,
        .read_file = read_for_compiler,
        .host = a->host && !strcmp(a->host, "own"),
        .host_wasm = target && target->page,
    };
}

int compile_input(const struct args *a, unsigned level, bool native, struct compilation *c)
{
    *c = (struct compilation){0};
    if (!a->input)
        return complain("no input file; see `tern help %s`", a->command);
    size_t len;
    char *text = read_whole_file(a->input, &len);
    if (!text) {
        complain("%s: %s", a->input, strerror(errno));
        return EXIT_IO;
    }
    const struct compile_options o = compile_options_of(a, level, native);
    struct progress *p = progress_start("compiling");
    const enum tern_error e = compile_source(c, &o, text, len);
    progress_end(p);
    free(text);
    print_dumps(c);
    print_diagnostics(a, c, NULL);
    return exit_code_of(e);
}
