/* `tern check app.cu -- words`: builds the program, runs it with the checker on, and shows what was
 * found. The program writes its findings into a file, one object a line, as it comes upon them; so
 * they are there even if it dies. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/json.h"
#include "check/check.h"
#include "rt/cache.h"
#include "tern.h"

struct shown {
    struct json_value *finding;
    const char *line;
    size_t length;
    uint64_t count;
};

static const char *text_of(const struct json_value *o, const char *key)
{
    const struct json_value *v = json_get(o, key);
    return v && v->kind == JSON_STRING ? v->string.ptr : "";
}

static double number_of(const struct json_value *o, const char *key)
{
    const struct json_value *v = json_get(o, key);
    return v && v->kind == JSON_NUMBER ? v->number : 0;
}

/* ---- what is left out ---- */
static bool matches(const char *pattern, const char *text)
{
    return !*pattern || !strcmp(pattern, "*") || !strcmp(pattern, text);
}

static bool matches_place(char *pattern, const struct json_value *f)
{
    char *colon = strrchr(pattern, ':');
    const char *path = text_of(f, "file"), *base = strrchr(path, '/');
    if (colon && atof(colon + 1) > 0) {
        if (atof(colon + 1) != number_of(f, "line"))
            return false;
        *colon = 0;
    }
    return matches(pattern, path) || (base && matches(pattern, base + 1));
}

/* One line of the file: KIND [KERNEL [FILE[:LINE]]] */
static bool suppressed_by(const char *line, const struct json_value *f)
{
    char kind[64] = "", kernel[256] = "", place[512] = "";
    if (sscanf(line, "%63s %255s %511s", kind, kernel, place) < 1 || *kind == '#')
        return false;
    return matches(kind, text_of(f, "kind")) && matches(kernel, text_of(f, "kernel")) &&
           matches_place(place, f);
}

static bool is_left_out(const struct args *a, const char *rules, const struct json_value *f)
{
    if (a->kernel && strcmp(a->kernel, text_of(f, "kernel")) != 0)
        return true;
    while (rules && *rules) {
        char line[1024];
        const size_t n = strcspn(rules, "\n");
        snprintf(line, sizeof line, "%.*s", (int)(n < sizeof line ? n : sizeof line - 1), rules);
        if (suppressed_by(line, f))
            return true;
        rules += n + (rules[n] == '\n');
    }
    return false;
}

/* ---- what was found ---- */
/* lost: something is missing. */
static size_t read_findings(struct arena *arena, const char *text, size_t n, struct shown **out,
                            volatile bool *lost)
{
    VEC(struct shown) all = {0};
    for (const char *p = text, *end = text + n; p < end;) {
        const char *stop = memchr(p, '\n', (size_t)(end - p));
        const size_t length = stop ? (size_t)(stop - p) : (size_t)(end - p);
        size_t at;
        const char *why;
        struct json_value *v = json_parse(arena, p, length, &at, &why);
        const double id = v ? number_of(v, "id") : 0;
        if (v && json_get(v, "kind")) {
            struct shown s = {v, p, length, 1};
            vec_push(arena, &all, s);
        } else if (!v || json_get(v, "lost")) {
            *lost = true;
        } else {
            for (size_t k = 0; k < all.len; k++)
                if (number_of(all.data[k].finding, "id") == id)
                    all.data[k].count = (uint64_t)number_of(v, "count");
        }
        p += length + 1;
    }
    *out = all.data;
    return all.len;
}

/* Where the text stands in the finding's line; NULL: it does not. */
static const char *in_line(const struct shown *s, const char *text)
{
    const char *at = strstr(s->line, text);
    return at && (size_t)(at - s->line) + strlen(text) <= s->length ? at : NULL;
}

/* The lines of the host program, in JSON: instead of the file that the finding did not know, or as
 * the other side of a kernel's. */
static void show_json(const struct shown *s, const struct host_line *at,
                      const struct host_line *made)
{
    static const char unknown[] = "\"file\":null,\"line\":0", other[] = "\"other_line\":null";
    struct sbuf out;
    struct json_writer w;
    sbuf_init(&out, NULL);
    size_t after = 0;
    const char *gap = at->line ? in_line(s, unknown) : NULL,
               *second = at->line && !gap ? in_line(s, other) : NULL;
    if (gap) {
        after = (size_t)(gap - s->line) + strlen(unknown);
        sbuf_printf(&out, "%.*s\"file\":", (int)(gap - s->line), s->line);
        json_begin(&w, &out, false);
        json_str(&w, at->path);
        sbuf_printf(&out, ",\"line\":%u", at->line);
    } else if (second) {
        after = (size_t)(second - s->line) + strlen(other);
        sbuf_printf(&out, "%.*s\"other_line\":%u", (int)(second - s->line), s->line, at->line);
    }
    /* the object without its last brace, and how often */
    sbuf_printf(&out, "%.*s", (int)(s->length - 1 - after), s->line + after);
    if (made->line) {
        char place[sizeof made->path + 16];
        snprintf(place, sizeof place, "%s:%u", made->path, made->line);
        sbuf_puts(&out, ",\"allocated\":");
        json_begin(&w, &out, false);
        json_str(&w, place);
    }
    printf("%s,\"count\":%llu}\n", out.data ? out.data : "{", (unsigned long long)s->count);
    sbuf_free(&out);
}

static void show(const struct args *a, const struct shown *s)
{
    struct host_line at, made;
    char source[512];
    /* a launch comes from the function that stands for the kernel, which the program calls */
    const bool launch = *text_of(s->finding, "kernel") && !*text_of(s->finding, "file") &&
                        !*text_of(s->finding, "block");
    host_line_of(text_of(s->finding, "host"), launch, &at);
    host_line_of(text_of(s->finding, "made"), 0, &made);
    if (a->json) {
        show_json(s, &at, &made);
        return;
    }
    const char *text = text_of(s->finding, "text");
    const int first = (int)strcspn(text, "\n");
    fprintf(stderr, "%.*s\n", first, text);
    if (at.line) {
        host_line_text(&at, source, sizeof source);
        fprintf(stderr, "  at %s:%u\n", at.path, at.line);
        if (*source)
            fprintf(stderr, "      %s\n", source);
    }
    if (text[first])
        fprintf(stderr, "%s\n", text + first + 1);
    if (made.line)
        fprintf(stderr, "  allocated at %s:%u\n", made.path, made.line);
    if (s->count > 1)
        fprintf(stderr, "  %llu times\n", (unsigned long long)s->count);
    fputc('\n', stderr);
}

static size_t show_all(const struct args *a, const char *path, const char *rules,
                       volatile bool *lost)
{
    size_t len = 0;
    volatile size_t shown = 0; /* after an unwinding, too */
    struct mem mem = {0};
    struct arena arena;
    jmp_buf unwind;
    char *text = read_whole_file(path, &len);
    if (!text) {
        *lost = true;
        return 0;
    }
    mem.unwind = &unwind;
    arena_init(&arena, &mem);
    if (!setjmp(unwind)) {
        struct shown *all;
        const size_t n = read_findings(&arena, text, len, &all, lost);
        for (size_t k = 0; k < n; k++)
            if (!is_left_out(a, rules, all[k].finding)) {
                shown = shown + 1;
                if (shown <= a->max || !a->max)
                    show(a, &all[k]);
            }
    } else {
        *lost = true;
    }
    arena_free(&arena);
    free(text);
    return shown;
}

/* ---- running ---- */
static bool kinds_are_known(const char *list)
{
    for (const char *p = list; p; p = strchr(p, ','), p += p != NULL) {
        const size_t n = strcspn(p, ",");
        bool known = false;
        for (unsigned k = 0; k < CHECK_KINDS; k++) {
            const char *name = check_kind_name((enum check_kind)k);
            known |= strlen(name) == n && !strncmp(p, name, n);
        }
        if (!known) {
            complain("--kind %.*s: there is no such kind; see `tern help check`", (int)n, p);
            return false;
        }
    }
    return true;
}

static int run_checked(const struct args *a, const char *program, char *const *argv)
{
    const int saved = a->json ? dup(STDOUT_FILENO) : -1;
    fflush(stdout);
    if (saved >= 0)
        dup2(STDERR_FILENO, STDOUT_FILENO);
    const int code = run_and_wait(program, argv, "the program", a->timeout);
    if (saved >= 0) {
        dup2(saved, STDOUT_FILENO);
        close(saved);
    }
    return code;
}

static bool is_source(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && (!strcmp(dot, ".cu") || !strcmp(dot, ".cpp") || !strcmp(dot, ".cc"));
}

/* Where the program is, and its words. One that nvcc built finds our libraries; one of terncc's
 * needs none. */
static int find_words(const struct args *a, const char *given, char *program, size_t size,
                      char ***argv)
{
    char folder[PATH_MAX];
    struct args named = *a;
    named.input = given;
    if (!is_source(a->input) && dropin_folder(folder, sizeof folder))
        return exec_prepare(&named, program, size, argv);
    snprintf(program, size, "%s", given);
    *argv = exec_words(a, given);
    return *argv ? EXIT_FINE : EXIT_MEMORY;
}

static int check_program(struct args *a, const char *folder, const char *rules)
{
    char given[PATH_MAX], program[PATH_MAX], findings[PATH_MAX];
    int code = EXIT_FINE;
    snprintf(findings, sizeof findings, "%s/findings", folder);
    snprintf(given, sizeof given, "%s%s", strchr(a->input, '/') ? "" : "./", a->input);
    if (is_source(a->input)) {
        snprintf(given, sizeof given, "%s/program", folder);
        a->lines = true;
        code = program_build(a, given, false);
    }
    char **argv = NULL;
    if (code == EXIT_FINE)
        code = find_words(a, given, program, sizeof program, &argv);
    if (code == EXIT_FINE) {
        setenv("TERN_DEVICES", a->device ? a->device : "cpu", 1);
        setenv("TERN_CHECK", a->kinds ? a->kinds : "1", 1);
        setenv("TERN_CHECK_FILE", findings, 1);
        code = run_checked(a, program, argv);
        const bool checked = !access(findings, F_OK); /* made as a device is opened */
        if (!checked) {
            complain("nothing was checked: the program opened no device, or the checker's tables "
                     "found no room among its addresses (ulimit -v, vm.overcommit_memory)");
            code = code == EXIT_FINE ? EXIT_DEVICE : code;
        }
        volatile bool lost = false;
        const size_t n = checked ? show_all(a, findings, rules, &lost) : 0;
        if (lost) {
            complain("not fully checked: there was no memory for all that the checker keeps");
            code = code == EXIT_FINE ? EXIT_DEVICE : code;
        }
        if (n)
            code = EXIT_KERNEL;
        if (n > a->max && a->max && !a->json)
            fprintf(stderr, "tern check: %zu more are not shown\n", n - a->max);
        if (checked && !a->json && !a->quiet)
            fprintf(stderr, "tern check: %zu finding%s\n", n, n == 1 ? "" : "s");
    }
    free(argv);
    if (is_source(a->input))
        unlink(given);
    unlink(findings);
    return code;
}

int command_check(struct args *a)
{
    char folder[512];
    char *rules = NULL;
    size_t len;
    if (!a->input)
        return complain("which program? See `tern help check`");
    if (access(a->input, R_OK)) {
        complain("%s: %s", a->input, strerror(errno));
        return EXIT_IO;
    }
    if (a->device && !strcmp(a->device, "auto"))
        a->device = NULL;
    if (a->kinds && !kinds_are_known(a->kinds))
        return EXIT_USAGE;
    if (a->suppress && !(rules = read_whole_file(a->suppress, &len))) {
        complain("%s: %s", a->suppress, strerror(errno));
        return EXIT_IO;
    }
    if (!cache_temporary(folder, sizeof folder, NULL, "tern-check")) {
        complain("no temporary folder could be made: %s: %s", folder, strerror(errno));
        free(rules);
        return EXIT_IO;
    }
    const int code = check_program(a, folder, rules);
    free(rules);
    rmdir(folder);
    return code;
}
