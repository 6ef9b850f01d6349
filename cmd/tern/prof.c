/* `tern prof app.cu -- words`, `tern prof ./app words`: runs a program with a recording made of it,
 * then shows what it came to. `tern prof file.prof` shows a recording that was kept. */
#include <errno.h>
#include <fcntl.h>
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
    setenv("TERN_PROF", file, 1); /* the program's; ours was read when we started */
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

static int write_page(const char *path, const struct prof_file *f, const struct prof_counts *counts,
                      const struct prof_peaks *peaks)
{
    struct sbuf text;
    sbuf_init(&text, f->arena);
    prof_html(f, counts, peaks, &text);
    if (write_text(path, &text))
        return EXIT_FINE;
    complain("%s: %s", path, strerror(errno));
    return EXIT_IO;
}

static int write_output(const char *path, const char *recording, const struct prof_file *f,
                        const struct prof_counts *counts, const struct prof_peaks *peaks)
{
    struct sbuf text;
    sbuf_init(&text, f->arena);
    bool good;
    if (ends_in(path, ".prof")) {
        good = copy_file(recording, path);
    } else if (ends_in(path, ".html")) {
        return write_page(path, f, counts, peaks);
    } else if (ends_in(path, ".json")) {
        prof_trace(f, &text);
        good = write_text(path, &text);
    } else if (ends_in(path, ".sql")) {
        prof_sql(f, &text);
        good = write_text(path, &text);
    } else if (ends_in(path, ".sqlite")) {
        char why[256];
        if (!prof_sqlite(f, path, why, sizeof why)) {
            complain("%s: %s", path, why);
            return EXIT_IO;
        }
        good = true;
    } else {
        return complain(
            "-o %s: .json is a timeline, .html a page, .sqlite a database, .sql its text, "
            ".prof the recording itself",
            path);
    }
    if (!good) {
        complain("%s: %s", path, strerror(errno));
        return EXIT_IO;
    }
    return EXIT_FINE;
}

struct recordings {
    const char *times, *counts;  /* files; counts: NULL, or made by the interpreter */
    const struct energy *energy; /* of the run; NULL: it was another time */
};

/* A price is of an hour (2.5/h) or of a kilowatt hour (0.3/kWh). */
static bool read_price(const char *text, struct prof_bill *b)
{
    char *unit;
    if (!text)
        return true;
    b->price = strtod(text, &unit);
    b->per_kwh = !strcmp(unit, "/kWh");
    if (b->price > 0 && (b->per_kwh || !strcmp(unit, "/h")))
        return true;
    complain("--price %s: a number of something, with /h or /kWh behind it", text);
    return false;
}

static int show_all(const struct args *a, const struct recordings *r, struct arena *arena)
{
    const char *why = NULL;
    const struct prof_file *f = prof_read(arena, r->times, &why);
    if (!f) {
        complain("%s: %s", r->times, why);
        return EXIT_IO;
    }
    if (f->cut)
        complain("the recording is not whole: the program did not come to its end, or the file is "
                 "damaged");
    struct prof_counts counts = {0};
    const struct prof_file *counted = r->counts ? prof_read(arena, r->counts, &why) : NULL;
    if (r->counts && !counted)
        complain("nothing was counted: %s", why);
    struct prof_peaks peaks = {0};
    if (counted) {
        counts = prof_counts(counted);
        measure_peaks(a->device ? a->device : "auto", &peaks);
    }
    struct prof_energy energy[32];
    struct prof_bill bill = {.energy = energy, .looked = r->energy != NULL};
    if (!read_price(a->price, &bill))
        return EXIT_USAGE;
    bill.n = energy_of(r->energy, f->start, f->end, energy, sizeof energy / sizeof *energy);
    struct sbuf text;
    sbuf_init(&text, arena);
    if (a->json) {
        prof_summary_json(f, counted ? &counts : NULL, &bill, &text);
    } else {
        prof_summary(f, &bill, &text);
        if (counted)
            prof_roofline(f, &counts, &peaks, &text);
    }
    if (!a->quiet) /* the program's own output is on stdout */
        fwrite(text.data, 1, text.len, a->json ? stdout : stderr);
    const struct prof_counts *const c = counted ? &counts : NULL;
    const int page = a->html ? write_page(a->html, f, c, &peaks) : EXIT_FINE;
    const int code = a->output ? write_output(a->output, r->times, f, c, &peaks) : EXIT_FINE;
    return code ? code : page;
}

static int show(const struct args *a, const struct recordings *r)
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
    const int code = show_all(a, r, &arena);
    mem_release(&mem);
    return code;
}

/* The program once more, in the interpreter, which counts; what it says was said already. */
static bool count(struct args *a, const char *file)
{
    struct args again = *a;
    again.device = "interp";
    again.timeout = 0;
    fflush(stdout);
    const int out = dup(STDOUT_FILENO), nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    bool good = out >= 0 && nowhere >= 0 && dup2(nowhere, STDOUT_FILENO) >= 0;
    setenv("TERN_PROF_COUNT", "1", 1);
    good = good && record(&again, file) == EXIT_FINE;
    if (out >= 0)
        dup2(out, STDOUT_FILENO);
    close(out);
    close(nowhere);
    return good && !access(file, R_OK);
}

/* ---- two of them ---- */
static int diff_files(const struct args *a, const char *const *path, struct arena *arena)
{
    const struct prof_file *f[2];
    const char *why = NULL;
    struct sbuf text;
    for (unsigned k = 0; k < 2; k++)
        if (!(f[k] = prof_read(arena, path[k], &why))) {
            complain("%s: %s", path[k], why);
            return EXIT_IO;
        }
    sbuf_init(&text, arena);
    if (a->json)
        prof_diff_json(f[0], f[1], &text);
    else
        prof_diff(f[0], f[1], &text);
    fwrite(text.data, 1, text.len, stdout);
    return EXIT_FINE;
}

static int diff(struct args *a)
{
    struct mem mem = {0};
    jmp_buf unwind;
    struct arena arena;
    const char *path[2] = {0};
    size_t n = 0;
    for (size_t k = 0; k < a->rest.len; k++) {
        if (!strcmp(a->rest.data[k], "--json"))
            a->json = true;
        else if (n < 2)
            path[n++] = a->rest.data[k];
        else
            n = 3;
    }
    if (n != 2)
        return complain("tern prof diff BEFORE.prof AFTER.prof");
    mem.unwind = &unwind;
    arena_init(&arena, &mem);
    if (setjmp(unwind)) {
        mem_release(&mem);
        return EXIT_MEMORY;
    }
    const int code = diff_files(a, path, &arena);
    mem_release(&mem);
    return code;
}

int command_prof(struct args *a)
{
    if (!a->input)
        return complain("which program? tern prof FILE.cu [-- words], tern prof PROGRAM [words]");
    if (!strcmp(a->input, "diff"))
        return diff(a);
    if (ends_in(a->input, ".prof"))
        return show(a, &(struct recordings){.times = a->input});
    char folder[512], times[sizeof folder + 16], counts[sizeof folder + 16];
    if (!cache_temporary(folder, sizeof folder, NULL, "tern-prof")) {
        complain("no temporary folder could be made: %s: %s", folder, strerror(errno));
        return EXIT_IO;
    }
    snprintf(times, sizeof times, "%s/recording", folder);
    snprintf(counts, sizeof counts, "%s/counts", folder);
    struct energy *energy = energy_begin();
    int code = record(a, times);
    energy_stop(energy);
    if (access(times, R_OK)) {
        if (code == EXIT_FINE)
            complain("the program used no CUDA: there is nothing to show");
    } else {
        struct recordings r = {.times = times, .energy = energy};
        if (a->counters && code == EXIT_FINE) {
            if (count(a, counts))
                r.counts = counts;
            else
                complain(
                    "the program does not run to its end in the interpreter: nothing is counted");
        }
        const int shown = show(a, &r);
        code = code ? code : shown;
    }
    energy_free(energy);
    unlink(times);
    unlink(counts);
    rmdir(folder);
    return code;
}
