/* The steps of a build.
 *
 *   x.cu ── our preprocessor ──> device text ─────────────────────────────┐
 *   x.cu ── host preprocessor ──> C++ ── split ──> plain C++ ── host compiler ──> x.o (with the
 * device text)
 *   *.o ── host compiler ──> program, with libtern
 *
 * The device text is checked while building; it is compiled when the program first needs it, for
 * the device it then has. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "back/ptx/ptx.h"
#include "back/sass/sass.h"
#include "base/compress.h"
#include "cuda/packed.h"
#include "driver/pipeline.h"
#include "front/cuda/host/host.h"
#include "front/cuda/pp/pp.h"
#include "rt/cache.h"
#include "rt/fatbin.h"
#include "terncc.h"

struct build {
    struct job *job;
    char folder[512]; /* for what is made on the way */
    unsigned counter;
    words objects;
    words absent;     /* headers of libraries that Tern does not have */
    bool needs_cxx14; /* the file reads our Thrust or CUB */
};

/* ---- processes and files ---- */

/* Starts a command; 0: nothing runs (-dryrun), below 0: it could not be started. */
static pid_t start(struct build *b, const words *command)
{
    struct job *j = b->job;
    if (j->verbose || j->dry) {
        for (size_t k = 0; k < command->len; k++)
            fprintf(stderr, k ? " %s" : "#$ %s", command->data[k]);
        fputc('\n', stderr);
    }
    if (j->dry)
        return 0;
    char **argv = arena_array(j->arena, char *, command->len + 1);
    for (size_t k = 0; k < command->len; k++)
        argv[k] = (char *)command->data[k];
    fflush(NULL);
    pid_t child = fork();
    if (child < 0)
        complain("no process could be started");
    if (!child) {
        execvp(argv[0], argv);
        fprintf(stderr,
                "terncc: %s: not found (host code needs a C++ compiler; TERN_CXX or -ccbin names "
                "one)\n",
                argv[0]);
        _exit(127);
    }
    return child;
}

static int finish(pid_t child)
{
    int status = 0;
    if (child <= 0)
        return child < 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

static int run(struct build *b, const words *command)
{
    return finish(start(b, command));
}

static char *read_for_pp(void *ctx, struct arena *a, const char *path, size_t *len)
{
    (void)ctx;
    return read_file(a, path, len);
}

static bool write_file(const char *path, const struct sbuf *b)
{
    FILE *f = strcmp(path, "-") ? fopen(path, "wb") : stdout;
    bool ok = f && fwrite(b->data, 1, b->len, f) == b->len;
    ok = f && !(f == stdout ? fflush(f) : fclose(f)) && ok;
    if (!ok)
        complain("%s: cannot be written", path);
    return ok;
}

static const char *made(struct build *b, const char *ending)
{
    return arena_printf(b->job->arena, "%s/%u%s", b->folder, b->counter++, ending);
}

static const char *ending_of(const char *path)
{
    const char *dot = strrchr(path, '.'), *slash = strrchr(path, '/');
    return dot && (!slash || dot > slash) ? dot : "";
}

static bool is_cuda(const struct job *j, const char *path)
{
    const char *e = ending_of(path);
    bool source = !strcmp(e, ".c") || !strcmp(e, ".cc") || !strcmp(e, ".cpp") ||
                  !strcmp(e, ".cxx") || !strcmp(e, ".C");
    if (!strcmp(e, ".cu") || !strcmp(e, ".hip"))
        return true;
    return j->treat_as_cu && source && !(j->hip && !strcmp(e, ".c"));
}

static bool is_source(const struct job *j, const char *path)
{
    static const char *const endings[] = {".c", ".cc", ".cpp", ".cxx", ".C", NULL};
    for (int k = 0; endings[k]; k++)
        if (!strcmp(ending_of(path), endings[k]))
            return true;
    return is_cuda(j, path);
}

static void push_all(struct job *j, words *to, const words *from)
{
    for (size_t k = 0; k < from->len; k++)
        vec_push(j->arena, to, from->data[k]);
}

#define PUSH(w, z) vec_push(j->arena, (w), (z))

/* ---- the device half ---- */

/* What a step needs is given back when it ends: the host compiler, and the next step, work beside
 * it. Where there is no memory left, all ends. */
static void begin_step(const struct job *j, struct mem *m, struct arena *a)
{
    *m = (struct mem){.unwind = j->arena->mem->unwind};
    arena_init(a, m);
}

/* As `tern run` was asked to have it, or as the terminal takes it. */
static void show(const struct diag *d)
{
    const char *form = setting_text(SETTING_DIAGNOSTICS);
    struct sbuf said;
    sbuf_init(&said, NULL);
    if (form && !strcmp(form, "json") && d->first) {
        diag_render_json(d, &said);
        sbuf_putc(&said, '\n');
    } else {
        diag_render_text(d, &said, form ? !strcmp(form, "color") : isatty(STDERR_FILENO));
    }
    if (said.len)
        fputs(said.data, stderr);
    sbuf_free(&said);
}

static const char *arch_list(struct job *j)
{
    return j->arch_list ? j->arch_list : arena_printf(j->arena, "%u", j->mode.arch);
}

/* Macros that tell of options, alike in both halves. */
enum { OPTION_MACROS = 3 };
struct option_macro {
    const char *name;
    bool defined;
};
static void option_macros(const struct job *j, struct option_macro *to)
{
    to[0] = (struct option_macro){"__CUDACC_RDC__", j->linked};
    to[1] = (struct option_macro){"__CUDACC_EXTENDED_LAMBDA__", j->extended_lambda};
    to[2] = (struct option_macro){"__CUDACC_RELAXED_CONSTEXPR__", j->relaxed_constexpr};
}

static bool reads(const struct source_map *sources, const char *header)
{
    vec_each (struct source_file *, it, &sources->files) {
        const char *name = strrchr((*it)->path, '/');
        if (!strcmp(name ? name + 1 : (*it)->path, header))
            return true;
    }
    return false;
}

/* Preprocesses, and checks what can be checked before the program runs: kernels that are no
 * templates. */
static bool device_half(struct build *b, const char *path, struct sbuf *out)
{
    struct job *j = b->job;
    struct mem mem;
    struct arena step;
    size_t len;
    begin_step(j, &mem, &step);
    char *text = read_file(&step, path, &len);
    if (!text) {
        arena_free(&step);
        return complain("%s: cannot be read", path), false;
    }
    struct pp_switch *switches =
        arena_array(&step, struct pp_switch, j->defines.len + 3 + OPTION_MACROS);
    size_t n = 0;
    /* The preprocessor's own lists the one that this half is compiled for. */
    switches[n++] = (struct pp_switch){PP_UNDEF, "__CUDA_ARCH_LIST__"};
    switches[n++] =
        (struct pp_switch){PP_DEFINE, arena_printf(&step, "__CUDA_ARCH_LIST__=%s", arch_list(j))};
    struct option_macro macros[OPTION_MACROS];
    option_macros(j, macros);
    for (size_t k = 0; k < OPTION_MACROS; k++)
        switches[n++] =
            (struct pp_switch){macros[k].defined ? PP_DEFINE : PP_UNDEF, macros[k].name};
    for (size_t k = 0; k < j->defines.len; k++) {
        const char *d = j->defines.data[k];
        if (!strcmp(d, "-include"))
            switches[n++] = (struct pp_switch){PP_INCLUDE, j->defines.data[++k]};
        else
            switches[n++] = (struct pp_switch){d[1] == 'D' ? PP_DEFINE : PP_UNDEF, d + 2};
    }
    static const char *const system_dirs[] = {PP_SYSTEM_DIRS};
    words dirs = {0};
    push_all(j, &dirs, &j->include_dirs);
    push_all(j, &dirs, &j->system_dirs);
    struct pp_options options = {.include_dirs = dirs.data,
                                 .ninclude_dirs = dirs.len,
                                 .system_dirs = system_dirs,
                                 .nsystem_dirs = sizeof system_dirs / sizeof *system_dirs,
                                 .switches = switches,
                                 .nswitches = n,
                                 .device = true,
                                 .fast_math = j->mode.fast_math,
                                 .arch = j->mode.arch,
                                 .standard = j->standard,
                                 .read_file = read_for_pp};
    struct interner names;
    struct source_map sources;
    struct diag diag;
    struct pp_result result = {0};
    intern_init(&names, &step);
    source_init(&sources, &step);
    diag_init(&diag, &step, &sources);
    bool ok =
        pp_run(&step, &names, &sources, &diag, &options, path, text, len, &result) && !diag.errors;
    b->needs_cxx14 = reads(&sources, "tern_parallel_range.h");
    b->absent.len = 0;
    vec_each (struct pp_skipped, h, &result.skipped)
        if (h->why == PP_SKIP_NOT_PROVIDED)
            vec_push(j->arena, &b->absent, arena_strndup(j->arena, h->name, strlen(h->name)));
    struct sbuf printed;
    sbuf_init(&printed, &step);
    sbuf_puts(&printed, "");
    if (ok)
        pp_print(&result, &sources, &printed);
    if (ok && host_has_closures(printed.data))
        ok = host_hoist(&step, &sources, &diag, path, printed.data, printed.len, true, out);
    else
        sbuf_put(out, printed.data, printed.len);
    show(&diag);
    arena_free(&step);
    return ok;
}

/* kernels: instantiations of templates that the host half asks for. */
static bool check_device_half(struct job *j, const char *path, const struct sbuf *text,
                              const words *kernels)
{
    struct compilation c;
    struct compile_options o = {.path = path,
                                .language = SOURCE_CUDA,
                                .mode = j->mode,
                                .linked = j->linked,
                                .partial = j->linked,
                                .warnings =
                                    (const char *const[]){j->no_warnings ? "no-*" : "error"},
                                .nwarnings = j->no_warnings || j->warnings_fail,
                                .names = kernels ? kernels->data : NULL,
                                .nnames = kernels ? kernels->len : 0};
    enum tern_error e = compile_source(&c, &o, text->data, text->len);
    show(&c.diag);
    compile_free(&c);
    return !e;
}

/* Which instantiations there are is known when the host half is compiled. */
static bool check_instantiations(struct job *j, const char *path, const struct sbuf *text,
                                 const char *object)
{
    units found = {0};
    object_units(j->arena, object, &found);
    return found.len != 1 || !found.data[0].kernels.len ||
           check_device_half(j, path, text, &found.data[0].kernels);
}

/* ---- the host half ---- */

static void host_options(struct job *j, words *command)
{
    if (j->standard)
        PUSH(command, arena_printf(j->arena, "-std=%s", j->standard));
    /* Stubs tell which kernel they are by the name of a type, so that CUDA files keep type names.
     */
    for (size_t k = 0; k < j->host.len; k++)
        if (strcmp(j->host.data[k], "-fno-rtti"))
            PUSH(command, j->host.data[k]);
}

static bool is_cxx11(const char *standard)
{
    const char *year = strstr(standard, "++");
    return year && (!strcmp(year, "++11") || !strcmp(year, "++0x"));
}

static const char *newer(const char *cxx11)
{
    return *cxx11 == 'g' ? "gnu++14" : "c++14";
}

/* A path inside quotes: of C, or (backslash 2) of the assembler inside quotes of C. */
static const char *quoted(struct job *j, const char *text, int backslashes)
{
    struct sbuf b;
    sbuf_init(&b, j->arena);
    sbuf_puts(&b, "");
    for (; *text; text++)
        if (*text == '"' || *text == '\\' || (unsigned char)*text < ' ')
            sbuf_printf(&b, "%.*s%03o", backslashes, "\\\\", (unsigned char)*text);
        else
            sbuf_putc(&b, *text);
    return b.data;
}

static bool is_ours(const struct job *j, const char *dir)
{
    char real[PATH_MAX];
    return realpath(dir, real) && !strcmp(real, j->includes);
}

/* Folders come before ours, but for that of an installed toolkit, which is there for its other
 * headers. */
static void folder_options(struct job *j, words *command, const words *dirs, const char *option)
{
    for (size_t k = 0; k < dirs->len; k++) {
        const char *dir = dirs->data[k];
        const bool toolkit =
            !access(arena_printf(j->arena, "%s/cuda_runtime_api.h", dir), R_OK) && !is_ours(j, dir);
        /* The system's own folder would come before those of C++'s library, which go on to it. */
        const bool last = !strcmp(dir, "/usr/include");
        PUSH(command, toolkit ? "-idirafter" : last ? "-I" : option);
        PUSH(command, dir);
    }
}

static void header_options(struct job *j, words *command)
{
    folder_options(j, command, &j->include_dirs, "-I");
    folder_options(j, command, &j->system_dirs, "-isystem");
    PUSH(command, "-isystem");
    PUSH(command, j->includes);
}

/* What the device half is to be compiled with. */
static unsigned unit_flags(const struct job *j)
{
    return (j->mode.fast_math ? __TERN_UNIT_FAST_MATH : 0u) |
           (j->mode.fast_f64 ? __TERN_UNIT_FAST_F64 : 0u) |
           (j->mode.no_fmad ? __TERN_UNIT_NO_FMAD : 0u) | (j->linked ? __TERN_UNIT_RDC : 0u) |
           (j->stream_per_thread ? __TERN_UNIT_PER_THREAD : 0u) |
           (j->checked ? __TERN_UNIT_CHECK : 0u) | (j->mode.lines ? __TERN_UNIT_LINES : 0u) |
           (j->mode.steps ? __TERN_UNIT_STEPS : 0u) | j->mode.arch << __TERN_UNIT_ARCH_SHIFT;
}

static void preprocessor_options(struct build *b, words *command, const char *unit,
                                 const char *path)
{
    struct job *j = b->job;
    PUSH(command, "-D__CUDACC__");
    PUSH(command, "-D__NVCC__");
    PUSH(command, "-D__TERN_SPLIT__");
    PUSH(command, "-D__CUDACC_VER_MAJOR__=12");
    PUSH(command, "-D__CUDACC_VER_MINOR__=4");
    PUSH(command, "-D__CUDACC_VER_BUILD__=0");
    PUSH(command, "-D__CUDA_API_VER_MAJOR__=12");
    PUSH(command, "-D__CUDA_API_VER_MINOR__=4");
    PUSH(command, arena_printf(j->arena, "-D__TERN_UNIT__=%s", unit));
    PUSH(command, arena_printf(j->arena, "-D__TERN_UNIT_END__=%s_end", unit));
    PUSH(command, arena_printf(j->arena, "-D__TERN_UNIT_PATH__=\"%s\"", quoted(j, path, 1)));
    PUSH(command, arena_printf(j->arena, "-D__TERN_UNIT_FLAGS__=%u", unit_flags(j)));
    if (j->linked)
        PUSH(command, "-D__TERN_UNIT_LINKED__");
    struct option_macro macros[OPTION_MACROS];
    option_macros(j, macros);
    for (size_t k = 0; k < OPTION_MACROS; k++)
        if (macros[k].defined)
            PUSH(command, arena_printf(j->arena, "-D%s", macros[k].name));
    PUSH(command, arena_printf(j->arena, "-D__CUDA_ARCH_LIST__=%s", arch_list(j)));
    push_all(j, command, &j->defines);
    header_options(j, command);
    PUSH(command, "-include");
    PUSH(command, "cuda_runtime.h");
}

/* The device text, as the object has it. */
static struct sbuf packed(struct job *j, const struct sbuf *text)
{
    struct sbuf b = *text;
    struct packed_head head = {.magic = PACKED_MAGIC, .bytes = (uint32_t)text->len};
    if (text->len > UINT32_MAX || j->stop == STOP_HOST)
        return b;
    uint8_t *room = arena_array(j->arena, uint8_t, lz4_bound(text->len));
    sbuf_init(&b, j->arena);
    sbuf_put(&b, (const char *)&head, sizeof head);
    sbuf_put(&b, (const char *)room, lz4_encode((const uint8_t *)text->data, text->len, room));
    return b;
}

/* It becomes read-only data of the object. */
static void append_image(struct job *j, struct sbuf *out, const char *unit, const char *path,
                         const char *file, const struct host_result *result)
{
    sbuf_printf(out,
                "\nasm(\".section " PACKED_SHAPES ",\\\"e\\\"\\n.asciz \\\"%s\\\"\\n.asciz \\\"",
                unit);
    for (unsigned k = 0; k < result->nshapes; k++)
        sbuf_printf(out, "%u,%u,%u ", result->shapes[k][0], result->shapes[k][1],
                    result->shapes[k][2]);
    sbuf_printf(out, "%s\\\"\\n.previous\\n\");\n", result->other_shapes ? "*" : "");
    /* For the link (object.c); not in the program. */
    sbuf_printf(out,
                "\nasm(\".section " PACKED_SECTION ",\\\"e\\\"\\n.asciz \\\"%s\\\"\\n"
                ".asciz \\\"%s\\\"\\n.asciz \\\"%u\\\"\\n.previous\\n\");\n",
                unit, quoted(j, path, 2), unit_flags(j));
    size_t len = 0;
    const char *text = j->stop == STOP_HOST ? read_file(j->arena, file, &len) : NULL;
    if (text) { /* the text is all there will be: the image travels in it */
        sbuf_printf(out, "\nextern \"C\" const char %s[] = {", unit);
        for (size_t k = 0; k < len; k++)
            sbuf_printf(out, k % 24 ? "%d," : "\n%d,", text[k]);
        sbuf_printf(out, "0};\nasm(\".globl %s_end\\n.set %s_end, %s + %zu\\n\");\n", unit, unit,
                    unit, len);
        return;
    }
    sbuf_printf(out,
                "\nasm(\".section .rodata\\n.balign 16\\n.globl %s\\n%s:\\n.incbin "
                "\\\"%s\\\"\\n.globl %s_end\\n%s_end:\\n"
                ".byte 0\\n.previous\\n\");\n",
                unit, unit, file, unit, unit);
}

static int split_host(struct build *b, const char *from, const char *path, const char *unit,
                      const char *image, const char *to, struct host_result *result)
{
    struct job *j = b->job;
    struct mem mem;
    struct arena step;
    size_t len;
    begin_step(j, &mem, &step);
    char *text = read_file(&step, from, &len);
    if (!text) {
        arena_free(&step);
        return complain("%s: cannot be read", from);
    }
    struct source_map sources;
    struct diag diag;
    struct sbuf out;
    source_init(&sources, &step);
    diag_init(&diag, &step, &sources);
    sbuf_init(&out, &step);
    sbuf_puts(&out, "");
    if (j->no_warnings)
        vec_push(&step, &diag.disabled, "*");
    diag.werror = j->warnings_fail;
    const bool split = host_split(&step, &sources, &diag, path, text, len, j->linked, &out, result);
    if (diag.first)
        show(&diag);
    if (split)
        append_image(j, &out, unit, path, image, result);
    const bool written = split && write_file(to, &out);
    arena_free(&step);
    return written ? 0 : 1;
}

/* ---- one source file ---- */

static const char *in_output_dir(struct job *j, const char *name)
{
    return j->output_dir ? arena_printf(j->arena, "%s/%s", j->output_dir, name) : name;
}

static bool depends(const struct job *j, const char *option, const char *other)
{
    for (size_t k = 0; k < j->depend.len; k++)
        if (!strcmp(j->depend.data[k], option) || !strcmp(j->depend.data[k], other))
            return true;
    return false;
}

/* The last part of a path with another ending. */
static const char *named_after(struct job *j, const char *path, const char *ending)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    return arena_printf(j->arena, "%.*s%s", (int)(strlen(name) - strlen(ending_of(name))), name,
                        ending);
}

/* -MD, -MMD: beside the output, or named after the source, as nvcc has it (and -MF says otherwise);
 * several sources of one program, which nvcc lets overwrite each other's file, have one each. */
static void depend_options(struct job *j, words *command, const char *path, const char *object)
{
    push_all(j, command, &j->depend);
    if (j->depend.len && !depends(j, "-MT", "-MQ")) {
        PUSH(command, "-MT");
        PUSH(command, object);
    }
    if (!depends(j, "-MD", "-MMD") || depends(j, "-MF", "-MF"))
        return;
    size_t sources = 0;
    for (size_t k = 0; k < j->inputs.len; k++)
        sources += is_source(j, j->inputs.data[k]);
    const char *o = j->stop == STOP_LINK && sources > 1 ? NULL : j->output;
    PUSH(command, "-MF");
    PUSH(command, o ? arena_printf(j->arena, "%.*s.d", (int)(strlen(o) - strlen(ending_of(o))), o)
                    : in_output_dir(j, named_after(j, path, ".d")));
}

/* Not beside a sanitizer that the program asks for itself. */
static bool is_watched(const struct job *j)
{
    bool other = false;
    for (size_t k = 0; k < j->host.len; k++)
        other |= !strncmp(j->host.data[k], "-fsanitize", 10);
    return j->checked && !other;
}

static bool is_clang(const struct job *j)
{
    char line[256] = "";
    FILE *f = popen(arena_printf(j->arena, "'%s' --version 2>/dev/null", j->cxx), "r");
    if (f) {
        if (!fgets(line, sizeof line, f))
            *line = 0;
        pclose(f);
    }
    return strstr(line, "clang") != NULL;
}

static void preprocess_command(struct build *b, words *command, const char *unit, const char *path,
                               const char *object)
{
    struct job *j = b->job;
    PUSH(command, j->cxx);
    host_options(j, command);
    PUSH(command, "-x");
    PUSH(command, "c++");
    PUSH(command, "-E");
    preprocessor_options(b, command, unit, path);
    if (is_watched(j))
        PUSH(command, "-D__TERN_WATCHED__");
    depend_options(j, command, path, object);
    PUSH(command, path);
}

/* -M, -MM: the rule for make, and nothing else. */
static int depend_only(struct build *b, const char *path)
{
    struct job *j = b->job;
    words command = {0};
    preprocess_command(b, &command, "__tern_unit", path, named_after(j, path, ".o"));
    if (j->output) {
        PUSH(&command, "-o");
        PUSH(&command, j->output);
    }
    return run(b, &command);
}

/* What the rule for make is for: an object that goes into a program at once has no lasting name. */
static const char *rule_for(struct job *j, const char *path, const char *object)
{
    return j->stop != STOP_LINK ? object : j->output ? j->output : named_after(j, path, ".o");
}

/* -MD with -ptx: no host half is made on the way. */
static int depend_beside(struct build *b, const char *path, const char *target)
{
    struct job *j = b->job;
    words command = {0};
    if (!depends(j, "-MD", "-MMD"))
        return 0;
    preprocess_command(b, &command, "__tern_unit", path, target);
    PUSH(&command, "-o");
    PUSH(&command, "/dev/null");
    return run(b, &command);
}

/* A name for the unit's data: the same each time the same file is built the same way. */
static const char *unit_name(struct build *b, const char *path, const char *object)
{
    struct job *j = b->job;
    char real[PATH_MAX];
    const char *place = realpath(path, real) ? real : path;
    uint64_t h = hash_bytes(place, strlen(place), b->counter);
    if (j->stop == STOP_OBJECT)
        h = hash_bytes(object, strlen(object), h);
    const words *lists[] = {&j->defines, &j->host, &j->include_dirs, &j->system_dirs};
    for (int l = 0; l < 4; l++)
        for (size_t k = 0; k < lists[l]->len; k++)
            h = hash_bytes(lists[l]->data[k], strlen(lists[l]->data[k]), h);
    return arena_printf(j->arena, "__tern_unit_%016llx", (unsigned long long)h);
}

/* Host code that is checked calls the runtime before its loads and stores (cuda/watch.c): both
 * compilers do that for kernels of operating systems, clang if it is asked to. */
static void watch_options(struct job *j, words *command)
{
    static const char *const of_clang[] = {"asan-instrumentation-with-call-threshold=0",
                                           "asan-stack=0", "asan-globals=0"};
    if (!is_watched(j))
        return;
    PUSH(command, "-fsanitize=kernel-address");
    for (size_t k = 0; k < sizeof of_clang / sizeof *of_clang && is_clang(j); k++) {
        PUSH(command, "-mllvm");
        PUSH(command, arena_printf(j->arena, "-%s", of_clang[k]));
    }
}

/* The host compiler works in processes of its own: the device half is made while it preprocesses,
 * and checked while it compiles. Where C++11 is asked for and the file turns out to read Thrust or
 * CUB, which are C++14, both halves are made anew. */
static int compile_cuda(struct build *b, const char *path, const char *object)
{
    struct job *j = b->job;
    const char *unit = unit_name(b, path, object);
    const char *image = made(b, ".device"), *preprocessed = made(b, ".ii"),
               *plain = made(b, ".host.ii");
    struct sbuf device;
    sbuf_init(&device, j->arena);
    sbuf_puts(&device, "");
    words command = {0};
    preprocess_command(b, &command, unit, path, rule_for(j, path, object));
    PUSH(&command, "-o");
    PUSH(&command, preprocessed);
    const pid_t preprocessor = start(b, &command);
    bool ok = device_half(b, path, &device);
    const struct sbuf data = packed(j, &device);
    ok = ok && write_file(image, &data);
    int code = finish(preprocessor);
    for (size_t k = 0; code && k < b->absent.len; k++)
        fprintf(stderr, "terncc: note: <%s> is of a library that Tern does not have\n",
                b->absent.data[k]);
    if (!code && ok && b->needs_cxx14 && j->standard && is_cxx11(j->standard)) {
        const char *asked = j->standard;
        j->standard = newer(asked);
        code = compile_cuda(b, path, object);
        j->standard = asked;
        return code;
    }
    struct host_result result;
    if (!code && !ok)
        code = 1;
    if (!code && !j->dry)
        code = split_host(b, preprocessed, path, unit, image, j->stop == STOP_HOST ? object : plain,
                          &result);
    if (!code && j->stop == STOP_HOST)
        code = !check_device_half(j, path, &device, NULL);
    if (code || j->stop == STOP_HOST) {
        if (code && !j->dry)
            unlink(object);
        return code;
    }
    command.len = 0;
    PUSH(&command, j->cxx);
    host_options(j, &command);
    watch_options(j, &command);
    if (!j->dry && result.has_closures && j->standard && is_cxx11(j->standard))
        PUSH(&command, arena_printf(j->arena, "-std=%s", newer(j->standard)));
    PUSH(&command, "-x");
    PUSH(&command, "c++-cpp-output");
    if (!j->dry && result.sees_objects)
        PUSH(&command, "-fno-access-control");
    if (!j->dry && result.aliases_own_name)
        PUSH(&command, "-fpermissive");
    PUSH(&command, "-c");
    PUSH(&command, plain);
    PUSH(&command, "-o");
    PUSH(&command, object);
    const pid_t compiler = start(b, &command);
    ok = check_device_half(j, path, &device, NULL);
    code = finish(compiler);
    ok = ok && (code || j->dry || check_instantiations(j, path, &device, object));
    if (!code && !ok)
        unlink(object);
    return code ? code : !ok;
}

/* Files that are not CUDA go to the host compiler with our headers in reach. */
static int compile_other(struct build *b, const char *path, const char *object)
{
    struct job *j = b->job;
    words command = {0};
    bool c = !strcmp(ending_of(path), ".c");
    PUSH(&command, c ? "cc" : j->cxx);
    if (!c)
        host_options(j, &command);
    else
        push_all(j, &command, &j->host);
    push_all(j, &command, &j->defines);
    header_options(j, &command);
    depend_options(j, &command, path, rule_for(j, path, object));
    PUSH(&command, "-c");
    PUSH(&command, path);
    PUSH(&command, "-o");
    PUSH(&command, object);
    return run(b, &command);
}

static const char *object_name(struct build *b, const char *path)
{
    struct job *j = b->job;
    if (j->stop == STOP_OBJECT && j->output)
        return j->output;
    return j->stop == STOP_OBJECT ? in_output_dir(j, named_after(j, path, ".o")) : made(b, ".o");
}

static const char *libraries(struct job *j)
{
    return arena_printf(j->arena, "-L%s/lib64", j->toolkit);
}

/* nvcc's introduction, where build systems look for the toolkit. */
static void introduce(struct job *j)
{
    if (!j->toolkit)
        return;
    const char *path = setting_text(SETTING_PATH);
    fprintf(stderr, "#$ _HERE_=%s/bin\n#$ TOP=%s\n#$ NVVMIR_LIBRARY_DIR=%s/nvvm/libdevice\n",
            j->toolkit, j->toolkit, j->toolkit);
    fprintf(stderr, "#$ PATH=%s/bin:%s\n#$ INCLUDES=-I%s/include\n#$ LIBRARIES=%s\n", j->toolkit,
            path ? path : "", j->toolkit, libraries(j));
    fprintf(stderr, "#$ device code: -arch compute_%u\n", j->mode.arch / 10);
}

/* A libtern that was built with a sanitizer, or to count lines, as terncc beside it then was, needs
 * its run time. */
static void push_sanitizers(struct job *j, words *command)
{
#if defined __SANITIZE_ADDRESS__
    PUSH(command, "-fsanitize=address,undefined");
#elif defined __SANITIZE_THREAD__
    PUSH(command, "-fsanitize=thread");
#elif defined TERN_COVERAGE
    PUSH(command, "--coverage");
#else
    (void)j, (void)command;
#endif
}

/* ---- device code across files ---- */

/* The archive that -lNAME means; NULL: a shared library, or none in the folders named by -L. */
static const char *archive_of(struct job *j, const char *name)
{
    for (size_t k = 0; k < j->link.len; k++) {
        if (strncmp(j->link.data[k], "-L", 2) != 0)
            continue;
        const char *base = arena_printf(j->arena, "%s/lib%s", j->link.data[k] + 2, name);
        if (!access(arena_printf(j->arena, "%s.so", base), R_OK))
            return NULL;
        const char *archive = arena_printf(j->arena, "%s.a", base);
        if (!access(archive, R_OK))
            return archive;
    }
    return NULL;
}

/* The device halves of a program, in its objects and archives. */
static units all_units(struct build *b)
{
    struct job *j = b->job;
    units all = {0};
    for (size_t k = 0; k < b->objects.len; k++)
        object_units(j->arena, b->objects.data[k], &all);
    for (size_t k = 0; k < j->link.len; k++) {
        const bool library = !strncmp(j->link.data[k], "-l", 2);
        const char *archive = library ? archive_of(j, j->link.data[k] + 2) : NULL;
        if (archive)
            object_units(j->arena, archive, &all);
    }
    return all;
}

/* Those that are compiled as one (-rdc=true). */
static units linked_units(struct build *b, const units *all)
{
    units linked = {0};
    vec_each (struct unit, u, all)
        if (u->flags & __TERN_UNIT_RDC)
            vec_push(b->job->arena, &linked, *u);
    return linked;
}

/* An object with the code of kernels that is made already, which tells the runtime of it; NULL:
 * there is none. */
static const char *bundle_object(struct build *b, const units *all)
{
    struct job *j = b->job;
    const struct sbuf data = bundle_make(j, all);
    const char *file = made(b, ".device"), *source = made(b, ".ii"), *object = made(b, ".o");
    if (!data.len || data.failed || !write_file(file, &data))
        return NULL;
    struct sbuf text;
    sbuf_init(&text, j->arena);
    sbuf_printf(&text,
                "extern \"C\" const char __tern_code[] __attribute__((visibility(\"hidden\")));\n"
                "extern \"C\" const char __tern_code_end[] "
                "__attribute__((visibility(\"hidden\")));\n"
                "extern \"C\" void __tern_register_code(const char *, const char *);\n"
                "__attribute__((constructor)) static void tell()\n"
                "{\n__tern_register_code(__tern_code, __tern_code_end);\n}\n"
                "asm(\".section .rodata\\n.balign 16\\n.hidden __tern_code\\n"
                ".globl __tern_code\\n__tern_code:\\n"
                ".incbin \\\"%s\\\"\\n.hidden __tern_code_end\\n"
                ".globl __tern_code_end\\n__tern_code_end:\\n.byte 0\\n.previous\\n\");\n",
                file);
    words command = {0};
    if (!write_file(source, &text))
        return NULL;
    PUSH(&command, j->cxx);
    if (j->shared)
        PUSH(&command, "-fPIC");
    PUSH(&command, "-x");
    PUSH(&command, "c++-cpp-output");
    PUSH(&command, "-c");
    PUSH(&command, source);
    PUSH(&command, "-o");
    PUSH(&command, object);
    return run(b, &command) ? NULL : object;
}

/* What one file uses and another has to define: missing things are found at the link, as with host
 * code. */
static bool check_linked(struct job *j, const units *linked)
{
    if (!linked->len)
        return true;
    struct compile_unit *others = arena_array(j->arena, struct compile_unit, linked->len);
    for (size_t k = 1; k < linked->len; k++) {
        const struct unit *u = &linked->data[k];
        others[k - 1] =
            (struct compile_unit){u->path, u->text, u->len, u->kernels.data, u->kernels.len};
    }
    const struct unit *first = linked->data;
    struct compilation c;
    struct compile_options o = {.path = first->path,
                                .language = SOURCE_CUDA,
                                .mode = j->mode,
                                .names = first->kernels.data,
                                .nnames = first->kernels.len,
                                .linked = true,
                                .units = others,
                                .nunits = linked->len - 1};
    enum tern_error e = compile_source(&c, &o, first->text, first->len);
    show(&c.diag);
    compile_free(&c);
    return !e;
}

static int link_program(struct build *b)
{
    struct job *j = b->job;
    words command = {0};
    if (j->archive) {
        PUSH(&command, "ar");
        PUSH(&command, "rcs");
        PUSH(&command, j->output ? j->output : "a.a");
        push_all(j, &command, &b->objects);
        return run(b, &command);
    }
    const units all = j->dry ? (units){0} : all_units(b), linked = linked_units(b, &all);
    if (!check_linked(j, &linked))
        return 1;
    const char *code = all.len ? bundle_object(b, &all) : NULL;
    PUSH(&command, j->cxx);
    push_sanitizers(j, &command);
    vec_each (struct unit, u, &linked) /* nothing of the host's may ask for it */
        if (u->in_archive)
            PUSH(&command, arena_printf(j->arena, "-Wl,-u,%s", u->symbol));
    if (j->shared)
        PUSH(&command, "-shared");
    PUSH(&command, "-o");
    PUSH(&command, j->output ? j->output : "a.out");
    push_all(j, &command, &b->objects);
    if (code)
        PUSH(&command, code);
    static const char *const ours[] = {
#define LIBRARY(name, folder, versions, title) "-l" #name, "-l" #name "_static",
#define LINK(name)                             "-l" #name,
#include "lib/libraries.def"
        NULL};
    bool toolkit = j->toolkit;
    for (size_t k = 0; k < j->link.len; k++) { /* what nvcc's programs name and we are ourselves */
        int own = 0;
        while (ours[own] && strcmp(j->link.data[k], ours[own]))
            own++;
        if (!ours[own])
            PUSH(&command, j->link.data[k]);
        /* the toolkit's names ask for the shared one */
        toolkit &= strcmp(j->link.data[k], "-static-libstdc++") != 0;
    }
    if (toolkit) { /* as build systems expect it of nvcc, which they ask with -v */
        PUSH(&command, libraries(j));
        PUSH(&command, "-lcudadevrt");
        PUSH(&command, "-lcudart_static");
    } else {
        PUSH(&command, j->library);
    }
    PUSH(&command, "-lpthread");
    PUSH(&command, "-ldl");
    PUSH(&command, "-lm");
    return run(b, &command);
}

/* -dlink: device halves find each other when the program runs; the object that nvcc would make of
 * them asks for those that are in archives. */
static int device_link(struct build *b)
{
    struct job *j = b->job;
    struct sbuf text;
    sbuf_init(&text, j->arena);
    sbuf_puts(&text, "");
    const units all = j->dry ? (units){0} : all_units(b), linked = linked_units(b, &all);
    if (!check_linked(j, &linked))
        return 1;
    vec_each (struct unit, u, &linked)
        sbuf_printf(&text,
                    "extern \"C\" const char %s[]; "
                    "__attribute__((used)) static const char *const of%s = %s;\n",
                    u->symbol, u->symbol, u->symbol);
    const char *source = made(b, ".ii");
    if (!write_file(source, &text))
        return 1;
    words command = {0};
    PUSH(&command, j->cxx);
    push_all(j, &command, &j->host);
    PUSH(&command, "-x");
    PUSH(&command, "c++-cpp-output");
    PUSH(&command, "-c");
    PUSH(&command, source);
    PUSH(&command, "-o");
    PUSH(&command, j->output ? j->output : "a_dlink.o");
    return run(b, &command);
}

static int preprocess_only(struct build *b, const char *path)
{
    struct sbuf out;
    sbuf_init(&out, b->job->arena);
    sbuf_puts(&out, "");
    if (!device_half(b, path, &out))
        return 1;
    if (b->job->output)
        return write_file(b->job->output, &out) ? 0 : 1;
    fwrite(out.data, 1, out.len, stdout);
    return 0;
}

/* What each kernel takes, as -Xptxas -v asks for. */
static void tell_resources(const struct compilation *c, unsigned arch)
{
    for (size_t k = 0; k < c->kernels.len; k++) {
        const struct back_kernel *x = &c->kernels.data[k];
        const struct sass_kernel *own = x->own;
        fprintf(stderr,
                "terncc: kernel %s for sm_%u: %u registers, %u bytes of shared memory, %u of local "
                "memory, "
                "%u of parameters, %u instructions\n",
                x->symbol, arch >= 200 ? arch / 10 : arch, own->registers, x->static_shared,
                x->local_bytes, x->param_bytes, own->instructions);
    }
}

/* Instantiations of kernel templates that host code asks for: known when that is compiled, so it is
 * where there may be some. */
static words asked_kernels(struct build *b, const char *path, const struct sbuf *device)
{
    units found = {0};
    if (b->job->dry || !strstr(device->data, "<<<") || !strstr(device->data, "template"))
        return (words){0};
    const char *object = made(b, ".o");
    if (compile_cuda(b, path, object))
        complain("%s: kernels that host code makes of templates are not in the output, because "
                 "host code could not be compiled",
                 path);
    else
        object_units(b->job->arena, object, &found);
    return found.len == 1 ? found.data[0].kernels : (words){0};
}

/* -ptx: the device half as text. -fatbin: the same in the container that cuModuleLoad takes.
 * -cubin: machine code, where it can be made. */
static int ptx_only(struct build *b, const char *path)
{
    struct job *j = b->job;
    struct sbuf device, out;
    sbuf_init(&device, j->arena);
    sbuf_init(&out, j->arena);
    sbuf_puts(&device, "");
    sbuf_puts(&out, "");
    if (!device_half(b, path, &device))
        return 1;
    const words kernels = asked_kernels(b, path, &device);
    struct compilation c;
    struct compile_options o = {.path = path,
                                .language = SOURCE_CUDA,
                                .mode = j->mode,
                                .level = 2,
                                .names = kernels.data,
                                .nnames = kernels.len,
                                .native = j->mode.arch >= 900};
    const struct ptx_options own = {.arch = j->mode.arch};
    const struct sass_options machine = {.arch = j->mode.arch};
    const bool cubin = j->stop == STOP_CUBIN;
    const struct back_options options = {.own = cubin ? (const void *)&machine : &own};
    enum tern_error e = compile_source(&c, &o, device.data, device.len);
    if (!e)
        e = compile_emit(&c, cubin ? &back_cubin : &back_ptx, &options, &out);
    show(&c.diag);
    if (!e && cubin && j->resources)
        tell_resources(&c, j->mode.arch);
    compile_free(&c);
    const char *to = j->output ? j->output
                               : in_output_dir(j, named_after(j, path,
                                                              cubin                    ? ".cubin"
                                                              : j->stop == STOP_FATBIN ? ".fatbin"
                                                                                       : ".ptx"));
    if (!e && j->stop == STOP_FATBIN) {
        struct sbuf container;
        sbuf_init(&container, j->arena);
        fatbin_write(&container, out.data, out.len, j->mode.arch / 10);
        out = container;
    }
    return !e && write_file(to, &out) ? depend_beside(b, path, to) : 1;
}

static int build_steps(struct build *b)
{
    struct job *j = b->job;
    int code = 0;
    if (j->stop == STOP_OBJECT && j->output && j->inputs.len > 1)
        return complain("-o with -c takes one input");
    for (size_t k = 0; k < j->inputs.len && !code; k++) {
        const char *path = j->inputs.data[k];
        if (!is_source(j, path)) {
            if (!strcmp(ending_of(path), ".ptx"))
                return complain("%s: PTX is no input here: programs load it, with cuModuleLoad or "
                                "cuLibraryLoadFromFile",
                                path);
            vec_push(j->arena, &b->objects, path);
            continue;
        }
        if (j->stop == STOP_PREPROCESS || j->stop == STOP_PTX || j->stop == STOP_FATBIN ||
            j->stop == STOP_CUBIN || j->stop == STOP_DEPEND) {
            code = j->stop == STOP_PREPROCESS ? preprocess_only(b, path)
                   : j->stop == STOP_DEPEND   ? depend_only(b, path)
                                              : ptx_only(b, path);
            continue;
        }
        if (j->stop == STOP_HOST) {
            const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
            if (is_cuda(j, path))
                code = compile_cuda(
                    b, path,
                    j->output ? j->output
                              : in_output_dir(j, arena_printf(j->arena, "%s.cpp.ii", name)));
            continue;
        }
        const char *object = object_name(b, path);
        code = is_cuda(j, path) ? compile_cuda(b, path, object) : compile_other(b, path, object);
        vec_push(j->arena, &b->objects, object);
    }
    if (code || j->stop != STOP_LINK)
        return code;
    return j->device_link ? device_link(b) : link_program(b);
}

/* -Xcompiler --version: the host compiler is asked about itself. Build systems do so with a file
 * that is not there. */
static bool asks_compiler(const struct job *j)
{
    static const char *const questions[] = {"--version", "-dumpversion", "-dumpfullversion",
                                            "-dumpmachine", NULL};
    for (size_t k = 0; k < j->host.len; k++)
        for (int n = 0; questions[n]; n++)
            if (!strcmp(j->host.data[k], questions[n]))
                return true;
    return false;
}

static int answer_of_compiler(struct build *b)
{
    words command = {0};
    vec_push(b->job->arena, &command, b->job->cxx);
    push_all(b->job, &command, &b->job->host);
    return run(b, &command);
}

int build_all(struct job *j)
{
    struct build b = {.job = j};
    if (j->verbose || j->dry)
        introduce(j);
    if (asks_compiler(j))
        return answer_of_compiler(&b);
    for (size_t k = 0; k < j->inputs.len; k++)
        if (access(j->inputs.data[k], R_OK))
            return complain("%s: there is no such file, or it may not be read", j->inputs.data[k]);
    const char *in = j->keep ? j->keep_dir : NULL;
    if (in)
        mkdir(in, 0777);
    if (!cache_temporary(b.folder, sizeof b.folder, in, "terncc"))
        return complain("no temporary folder could be made: %s: %s", b.folder, strerror(errno));
    int code = build_steps(&b);
    static const char *const endings[] = {".device", ".ii", ".host.ii", ".o", NULL};
    for (unsigned k = 0; k < b.counter && !j->keep; k++)
        for (int n = 0; endings[n]; n++)
            unlink(arena_printf(j->arena, "%s/%u%s", b.folder, k, endings[n]));
    if (j->keep)
        fprintf(stderr, "terncc: kept in %s\n", b.folder);
    else
        rmdir(b.folder);
    return code;
}
