/* `tern prof app.cu -- words`, `tern prof ./app words`: runs a program with a recording made of it,
 * then shows what it came to. `tern prof file.prof` shows a recording that was kept. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "prof/prof.h"
#include "rt/cache.h"
#include "tern.h"

static bool ends_in(const char *path, const char *ending)
{
    const size_t n = strlen(path), m = strlen(ending);
    return n > m && !strcmp(path + n - m, ending);
}

static bool is_source(const char *path)
{
    return ends_in(path, ".cu") || ends_in(path, ".cpp") || ends_in(path, ".cc") ||
           ends_in(path, ".cxx");
}

static int record(struct args *a, const char *file)
{
    setenv("TERN_PROF", file, 1);
    if (is_source(a->input))
        return run_program(a);
    char path[4096], **argv;
    const int code = exec_prepare(a, path, sizeof path, &argv);
    if (code != EXIT_FINE)
        return code;
    const int result = run_and_wait(path, argv, "the program", a->timeout);
    free(argv);
    return result;
}

/* ---- outputs, by the ending of their names ---- */

static bool copy_file(const char *from, const char *to)
{
    size_t n;
    char *bytes = read_whole_file(from, &n);
    FILE *out = bytes ? fopen(to, "wb") : NULL;
    bool good = out && fwrite(bytes, 1, n, out) == n;
    good = out && fclose(out) == 0 && good;
    free(bytes);
    return good;
}

static bool write_text(const char *path, const struct sbuf *text)
{
    FILE *out = fopen(path, "wb");
    bool good = out && !text->failed && fwrite(text->data, 1, text->len, out) == text->len;
    return out && fclose(out) == 0 && good;
}

static int write_output(const char *path, const char *recording, const struct prof_file *f)
{
    struct sbuf text;
    sbuf_init(&text, f->arena);
    bool good;
    if (ends_in(path, ".prof")) {
        good = copy_file(recording, path);
    } else if (ends_in(path, ".json")) {
        prof_trace(f, &text);
        good = write_text(path, &text);
    } else {
        return complain("-o %s: .json is a timeline, .prof the recording itself", path);
    }
    if (!good) {
        complain("%s: %s", path, strerror(errno));
        return EXIT_IO;
    }
    return EXIT_FINE;
}

static int show(const struct args *a, const char *recording)
{
    struct mem mem = {0};
    jmp_buf unwind;
    struct arena arena;
    mem.unwind = &unwind;
    arena_init(&arena, &mem);
    if (setjmp(unwind)) {
        mem_release(&mem);
        return EXIT_MEMORY;
    }
    const char *why = NULL;
    int code = EXIT_FINE;
    const struct prof_file *f = prof_read(&arena, recording, &why);
    if (!f) {
        complain("%s: %s", recording, why);
        code = EXIT_IO;
    } else {
        struct sbuf text;
        sbuf_init(&text, &arena);
        (a->json ? prof_summary_json : prof_summary)(f, &text);
        FILE *out = a->json ? stdout : stderr; /* the program's own output is on stdout */
        if (!a->quiet)
            fwrite(text.data, 1, text.len, out);
        if (a->output)
            code = write_output(a->output, recording, f);
    }
    mem_release(&mem);
    return code;
}

int command_prof(struct args *a)
{
    if (!a->input)
        return complain("which program? tern prof FILE.cu [-- words], tern prof PROGRAM [words]");
    if (ends_in(a->input, ".prof"))
        return show(a, a->input);
    char folder[512], file[sizeof folder + 16];
    if (!cache_temporary(folder, sizeof folder, NULL, "tern-prof")) {
        complain("no temporary folder could be made: %s: %s", folder, strerror(errno));
        return EXIT_IO;
    }
    snprintf(file, sizeof file, "%s/recording", folder);
    int code = record(a, file);
    if (access(file, R_OK)) {
        if (code == EXIT_FINE)
            complain("the program used no CUDA: there is nothing to show");
    } else {
        const int shown = show(a, file);
        code = code ? code : shown;
    }
    unlink(file);
    rmdir(folder);
    return code;
}
