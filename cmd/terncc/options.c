/* nvcc's options: understood, passed on, or refused by name. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "terncc.h"

/* What is done with an option. A value may be joined (-O2, --std=c++17) or the next word. */
enum action {
    HOST,       /* to the host compiler as it is */
    HOST_VALUE, /* with its value */
    LINK_VALUE, /* -l, -L: to the link */
    IGNORE,     /* means nothing here: no ptxas, no cubins */
    IGNORE_VALUE,
    DIR,    /* -I, -isystem */
    DEFINE, /* -D, -U, -include */
    STANDARD,
    OUTPUT,
    XCOMPILER,
    XLINKER,
    XPTXAS,
    ARCH,
    CCBIN,
    LANGUAGE,
    TRUE_FALSE,
    FAST_EXACT, /* --f64 */
    CPUS,       /* --cpu */
    SET,        /* the flag at `field` */
    STOP,
    STOP_LINKED, /* the same, and device code may call across files */
    DEPEND,
    DEPEND_VALUE,
    OUTPUT_DIR,
    KEEP_DIR,
    WERROR,
    NO_EXCEPTIONS,
    DEFAULT_STREAM,
    LIST_ARCH,
    OPTIONS_FILE,
    HELP,
    VERSION,
    REFUSE_VALUE,
    REFUSE,
};

#define FLAG(field) offsetof(struct job, field)

static const struct option {
    const char *name, *other; /* other: the long spelling, or NULL */
    enum action action;
    size_t value;    /* SET: offset; STOP: enum stop_after */
    const char *why; /* REFUSE: the reason */
} options[] = {
    {"-o", "--output-file", OUTPUT, 0, NULL},
    {"-odir", "--output-directory", OUTPUT_DIR, 0, NULL},
    {"-c", "--compile", STOP, STOP_OBJECT, NULL},
    {"-dc", "--device-c", STOP_LINKED, STOP_OBJECT, NULL},
    {"-dw", "--device-w", STOP, STOP_OBJECT, NULL},
    {"-rdc", "--relocatable-device-code", TRUE_FALSE, 1, NULL},
    {"-E", "--preprocess", STOP, STOP_PREPROCESS, NULL},
    {"-cuda", "--cuda", STOP, STOP_HOST, NULL},
    {"-ptx", "--ptx", STOP, STOP_PTX, NULL},
    {"-cubin", "--cubin", STOP, STOP_CUBIN, NULL},
    {"-fatbin", "--fatbin", STOP, STOP_FATBIN, NULL},
    {"-optix-ir", "--optix-ir", REFUSE, 0, "OptiX' code is not written"},
    {"-ltoir", "--ltoir", REFUSE, 0, "NVVM's code is not written"},
    {"-dlink", "--device-link", SET, FLAG(device_link), NULL},
    {"-nodlink", "--no-device-link", IGNORE, 0, NULL},
    {"-link", "--link", IGNORE, 0, NULL},
    {"-lib", "--lib", SET, FLAG(archive), NULL},
    {"-run", "--run", REFUSE, 0, "tern run FILE builds and runs"},
    {"-clean", "--clean-targets", REFUSE, 0, "nothing is kept that could be cleaned"},
    {"-shared", "--shared", SET, FLAG(shared), NULL},
    {"-r", "--relocatable-link", REFUSE, 0, "objects are not linked into objects"},
    {"-I", "--include-path", DIR, 0, NULL},
    {"-isystem", "--system-include", DIR, 1, NULL},
    {"-D", "--define-macro", DEFINE, 0, NULL},
    {"-U", "--undefine-macro", DEFINE, 0, NULL},
    {"-include", "--pre-include", DEFINE, 1, NULL},
    {"-std", "--std", STANDARD, 0, NULL},
    {"-O", "--optimize", HOST, 0, NULL},
    {"-Ofc", "--Ofast-compile", IGNORE_VALUE, 0, NULL},
    {"-dopt", "--dopt", IGNORE_VALUE, 0, NULL},
    {"-dlto", "--dlink-time-opt", IGNORE, 0, NULL},
    {"-lto", "--lto", IGNORE, 0, NULL},
    {"-gen-opt-lto", "--gen-opt-lto", IGNORE, 0, NULL},
    {"-opt-info", "--optimization-info", IGNORE_VALUE, 0, NULL},
    {"-G", "--device-debug", SET, FLAG(mode.steps), NULL},
    {"-g", "--debug", HOST, 0, NULL},
    {"-pg", "--profile", HOST, 0, NULL},
    {"-noprof", "--dont-use-profile", IGNORE, 0, NULL},
    {"-fsanitize=device", NULL, SET, FLAG(checked), NULL},
    {"-lineinfo", "--generate-line-info", SET, FLAG(mode.lines), NULL},
    {"-src-in-ptx", "--source-in-ptx", IGNORE, 0, NULL},
    {"-keep-device-functions", "--keep-device-functions", IGNORE, 0, NULL},
    {"-w", "--disable-warnings", HOST, 0, NULL},
    {"-Wno-deprecated-gpu-targets", "--Wno-deprecated-gpu-targets", IGNORE, 0, NULL},
    {"-Wno-deprecated-declarations", "--Wno-deprecated-declarations", HOST, 0, NULL},
    {"-Wreorder", "--Wreorder", HOST, 0, NULL},
    {"-Wdefault-stream-launch", "--Wdefault-stream-launch", IGNORE, 0, NULL},
    {"-Wmissing-launch-bounds", "--Wmissing-launch-bounds", IGNORE, 0, NULL},
    {"-Wext-lambda-captures-this", "--Wext-lambda-captures-this", IGNORE, 0, NULL},
    {"-Werror", "--Werror", WERROR, 0, NULL},
    {"-Wall", NULL, HOST, 0, NULL},
    {"-m64", "--m64", IGNORE, 0, NULL},
    {"-m", "--machine", IGNORE_VALUE, 0, NULL},
    {"-m32", NULL, REFUSE, 0, "32-bit programs are not supported"},
    {"-arch", "--gpu-architecture", ARCH, 0, NULL},
    {"--gpu-name", NULL, ARCH, 0, NULL},
    {"-code", "--gpu-code", IGNORE_VALUE, 0, NULL},
    {"-gencode", "--generate-code", ARCH, 1, NULL},
    {"-arch-ls", "--list-gpu-arch", LIST_ARCH, 0, NULL},
    {"-code-ls", "--list-gpu-code", LIST_ARCH, 1, NULL},
    {"-e", "--entries", IGNORE_VALUE, 0, NULL},
    {"-Xcompiler", "--compiler-options", XCOMPILER, 0, NULL},
    {"-Xlinker", "--linker-options", XLINKER, 0, NULL},
    {"-Xptxas", "--ptxas-options", XPTXAS, 0, NULL},
    {"-Xcudafe", NULL, IGNORE_VALUE, 0, NULL},
    {"-Xfatbin", NULL, IGNORE_VALUE, 0, NULL},
    {"-Xnvlink", "--nvlink-options", IGNORE_VALUE, 0, NULL},
    {"-Xarchive", "--archive-options", IGNORE_VALUE, 0, NULL},
    {"-maxrregcount", "--maxrregcount", IGNORE_VALUE, 0, NULL},
    {"-cudart", "--cudart", IGNORE_VALUE, 0, NULL},
    {"-cudadevrt", "--cudadevrt", IGNORE_VALUE, 0, NULL},
    {"-ldir", "--libdevice-directory", IGNORE_VALUE, 0, NULL},
    {"-target-dir", "--target-directory", IGNORE_VALUE, 0, NULL},
    {"-ccbin", "--compiler-bindir", CCBIN, 0, NULL},
    {"-allow-unsupported-compiler", "--allow-unsupported-compiler", IGNORE, 0, NULL},
    {"-arbin", "--archiver-binary", IGNORE_VALUE, 0, NULL},
    {"-x", "--x", LANGUAGE, 0, NULL},
    {"-use_fast_math", "--use_fast_math", SET, FLAG(mode.fast_math), NULL},
    {"-fmad", "--fmad", TRUE_FALSE, 0, NULL},
    {"-f64", "--f64", FAST_EXACT, 0, NULL},
    {"-cpu", "--cpu", CPUS, 0, NULL},
    {"-ftz", "--ftz", IGNORE_VALUE, 0, NULL},
    {"-prec-div", "--prec-div", IGNORE_VALUE, 0, NULL},
    {"-prec-sqrt", "--prec-sqrt", IGNORE_VALUE, 0, NULL},
    {"-extra-device-vectorization", "--extra-device-vectorization", IGNORE, 0, NULL},
    {"-expt-relaxed-constexpr", "--expt-relaxed-constexpr", SET, FLAG(relaxed_constexpr), NULL},
    {"-expt-extended-lambda", "--expt-extended-lambda", SET, FLAG(extended_lambda), NULL},
    {"-extended-lambda", "--extended-lambda", SET, FLAG(extended_lambda), NULL},
    {"-nohdinitlist", "--no-host-device-initializer-list", IGNORE, 0, NULL},
    {"-nohdmoveforward", "--no-host-device-move-forward", IGNORE, 0, NULL},
    {"-noeh", "--no-exceptions", NO_EXCEPTIONS, 0, NULL},
    {"-ftemplate-depth", "--ftemplate-depth", HOST_VALUE, 0, NULL},
    {"-ftemplate-backtrace-limit", "--ftemplate-backtrace-limit", HOST_VALUE, 0, NULL},
    {"-frandom-seed", "--frandom-seed", HOST_VALUE, 0, NULL},
    {"-default-stream", "--default-stream", DEFAULT_STREAM, 0, NULL},
    {"-restrict", "--restrict", IGNORE, 0, NULL},
    {"-t", "--threads", IGNORE_VALUE, 0, NULL},
    {"-split-compile", "--split-compile", IGNORE_VALUE, 0, NULL},
    {"-split-compile-extended", "--split-compile-extended", IGNORE_VALUE, 0, NULL},
    {"-jobserver", "--jobserver", IGNORE, 0, NULL},
    {"-static-global-template-stub", "--static-global-template-stub", IGNORE_VALUE, 0, NULL},
    {"-device-entity-has-hidden-visibility", "--device-entity-has-hidden-visibility", IGNORE_VALUE,
     0, NULL},
    {"-device-stack-protector", "--device-stack-protector", IGNORE_VALUE, 0, NULL},
    {"-forward-unknown-to-host-compiler", "--forward-unknown-to-host-compiler", SET, FLAG(forward),
     NULL},
    {"-forward-unknown-to-host-linker", "--forward-unknown-to-host-linker", SET, FLAG(forward_link),
     NULL},
    {"-forward-unknown-opts", "--forward-unknown-opts", SET, FLAG(forward), NULL},
    {"-fdevice-syntax-only", "--fdevice-syntax-only", IGNORE, 0, NULL},
    {"-fdevice-time-trace", "--fdevice-time-trace", IGNORE_VALUE, 0, NULL},
    {"-diag-suppress", "--diag-suppress", IGNORE_VALUE, 0, NULL},
    {"-diag-error", "--diag-error", IGNORE_VALUE, 0, NULL},
    {"-diag-warn", "--diag-warn", IGNORE_VALUE, 0, NULL},
    {"-err-no", "--display-error-number", IGNORE, 0, NULL},
    {"-no-err-no", "--no-display-error-number", IGNORE, 0, NULL},
    {"-brief-diag", "--brief-diagnostics", IGNORE_VALUE, 0, NULL},
    {"-res-usage", "--resource-usage", IGNORE, 0, NULL},
    {"-ewp", "--extensible-whole-program", IGNORE, 0, NULL},
    {"-no-compress", "--no-compress", IGNORE, 0, NULL},
    {"-compress-mode", "--compress-mode", IGNORE_VALUE, 0, NULL},
    {"-no-align-double", "--no-align-double", IGNORE, 0, NULL},
    {"-jtd", "--jump-table-density", IGNORE_VALUE, 0, NULL},
    {"-reloc-ptx", "--relocatable-ptx", IGNORE, 0, NULL},
    {"-hls", "--host-linker-script", IGNORE_VALUE, 0, NULL},
    {"-aug-hls", "--augment-host-linker-script", IGNORE, 0, NULL},
    {"-objtemp", "--objdir-as-tempdir", IGNORE, 0, NULL},
    {"-time", "--time", IGNORE_VALUE, 0, NULL},
    {"-use-local-env", "--use-local-env", IGNORE, 0,
     NULL}, /* this and the next four: for Windows */
    {"-force-cl-env-setup", "--force-cl-env-setup", IGNORE, 0, NULL},
    {"-dp", "--drive-prefix", IGNORE_VALUE, 0, NULL},
    {"-idp", "--input-drive-prefix", IGNORE_VALUE, 0, NULL},
    {"-ddp", "--dependency-drive-prefix", IGNORE_VALUE, 0, NULL},
    {"-sanitize", "--sanitize", REFUSE_VALUE, 0, "TERN_GUARD=1 and the interpreter check memory"},
    /* hipcc's */
    {"--offload-arch", NULL, IGNORE_VALUE, 0, NULL},
    {"--amdgpu-target", NULL, IGNORE_VALUE, 0, NULL},
    {"--rocm-path", NULL, IGNORE_VALUE, 0, NULL},
    {"--rocm-device-lib-path", NULL, IGNORE_VALUE, 0, NULL},
    {"--gcc-toolchain", NULL, IGNORE_VALUE, 0, NULL},
    {"--hip-link", NULL, IGNORE, 0, NULL},
    {"-fgpu-rdc", NULL, SET, FLAG(linked), NULL},
    {"-fno-gpu-rdc", NULL, IGNORE, 0, NULL},
    {"-fgpu-flush-denormals-to-zero", NULL, IGNORE, 0, NULL},
    {"-munsafe-fp-atomics", NULL, IGNORE, 0, NULL},
    {"-mno-unsafe-fp-atomics", NULL, IGNORE, 0, NULL},
    {"-l", "--library", LINK_VALUE, 0, NULL},
    {"-L", "--library-path", LINK_VALUE, 0, NULL},
    {"-M", "--generate-dependencies", DEPEND, 1, NULL},
    {"-MM", "--generate-nonsystem-dependencies", DEPEND, 1, NULL},
    {"-MD", "--generate-dependencies-with-compile", DEPEND, 0, NULL},
    {"-MMD", "--generate-nonsystem-dependencies-with-compile", DEPEND, 0, NULL},
    {"-MP", "--generate-dependency-targets", DEPEND, 0, NULL},
    {"-MF", "--dependency-output", DEPEND_VALUE, 0, NULL},
    {"-MT", "--dependency-target-name", DEPEND_VALUE, 0, NULL},
    {"-MQ", NULL, DEPEND_VALUE, 0, NULL},
    {"-v", "--verbose", SET, FLAG(verbose), NULL},
    {"-dryrun", "--dryrun", SET, FLAG(dry), NULL},
    {"-keep", "--keep", SET, FLAG(keep), NULL},
    {"-save-temps", "--save-temps", SET, FLAG(keep), NULL},
    {"-keep-dir", "--keep-dir", KEEP_DIR, 0, NULL},
    {"-optf", "--options-file", OPTIONS_FILE, 0, NULL},
    {"-h", "--help", HELP, 0, NULL},
    {"-V", "--version", VERSION, 0, NULL},
};
#define NOPTIONS (sizeof options / sizeof *options)

static bool takes_value(enum action a)
{
    switch (a) {
    case HOST_VALUE:
    case LINK_VALUE:
    case IGNORE_VALUE:
    case DIR:
    case DEFINE:
    case STANDARD:
    case OUTPUT:
    case XCOMPILER:
    case XLINKER:
    case XPTXAS:
    case ARCH:
    case CCBIN:
    case LANGUAGE:
    case TRUE_FALSE:
    case FAST_EXACT:
    case CPUS:
    case DEPEND_VALUE:
    case OUTPUT_DIR:
    case KEEP_DIR:
    case WERROR:
    case DEFAULT_STREAM:
    case OPTIONS_FILE:
    case REFUSE_VALUE: return true;
    default: return false;
    }
}

/* The option that a word is, and where its value stands in the word (NULL: in the next one). */
static const struct option *find(const char *word, const char **value)
{
    const struct option *joined = NULL;
    for (size_t k = 0; k < NOPTIONS; k++) {
        const char *names[2] = {options[k].name, options[k].other};
        for (int n = 0; n < 2; n++) {
            size_t len = names[n] ? strlen(names[n]) : 0;
            if (!len || strncmp(word, names[n], len))
                continue;
            if (!word[len]) {
                *value = NULL;
                return &options[k];
            }
            if (word[len] == '=' && (takes_value(options[k].action) || options[k].action == HOST)) {
                *value = word + len + 1;
                return &options[k];
            }
            bool sticks = len == 2 && word[1] != '-' && strchr("IDUOlLg", word[1]) &&
                          options[k].action != OUTPUT;
            if (sticks && !joined) {
                joined = &options[k];
                *value = word + len;
            }
        }
    }
    return joined;
}

static void push(struct job *j, words *w, const char *z)
{
    vec_push(j->arena, w, z);
}

/* The next item of a list, or NULL. Items are apart at any of `signs`, unless a backslash is before
 * one or quotes are around it: -DLIST='1\,2', -Xcompiler ,\"-g\",\"-O2\" as CMake's old module
 * writes it. */
static const char *next_item(struct job *j, const char **list, const char *signs)
{
    struct sbuf item;
    char quote = 0;
    while (**list && strchr(signs, **list))
        ++*list;
    if (!**list)
        return NULL;
    sbuf_init(&item, j->arena);
    sbuf_puts(&item, "");
    for (; **list && (quote || !strchr(signs, **list)); ++*list) {
        const char c = **list;
        if (c == '\\' && (*list)[1] && strchr(signs, (*list)[1]))
            sbuf_putc(&item, *++*list);
        else if (quote ? c == quote : c == '"')
            quote = quote ? 0 : c;
        else
            sbuf_putc(&item, c);
    }
    return item.data;
}

/* A definition may hold quotes, which are its own. */
static const char *next_definition(struct job *j, const char **list)
{
    struct sbuf item;
    if (!**list)
        return NULL;
    sbuf_init(&item, j->arena);
    sbuf_puts(&item, "");
    for (; **list && **list != ','; ++*list) {
        *list += **list == '\\' && (*list)[1] == ',';
        sbuf_putc(&item, **list);
    }
    *list += **list == ',';
    return item.data;
}

/* -Xcompiler: for the host compiler, and for the link. What is about headers and macros is for the
 * device's half too, as in nvcc, whose preprocessor the host compiler is. */
static void push_compiler(struct job *j, const char *list)
{
    for (const char *word; (word = next_item(j, &list, ", "));) {
        static const char *const both[] = {"-isystem", "-include", "-I", "-D", "-U", NULL};
        int k = 0;
        while (both[k] && strncmp(word, both[k], strlen(both[k])) != 0)
            k++;
        if (!both[k]) {
            if (strcmp(word, "-m64") != 0) { /* which only some compilers know */
                push(j, &j->host, word);
                push(j, &j->link, word);
            }
            continue;
        }
        const char *value =
            word[strlen(both[k])] ? word + strlen(both[k]) : next_item(j, &list, ", ");
        if (!value)
            continue;
        if (k == 1) {
            push(j, &j->defines, "-include");
            push(j, &j->defines, value);
        } else if (k > 2) {
            push(j, &j->defines, arena_printf(j->arena, "%s%s", both[k], value));
        } else {
            push(j, k ? &j->include_dirs : &j->system_dirs, value);
        }
    }
}

/* Which code is made follows from the device; what is asked for sets __CUDA_ARCH__, where the
 * language has still been the same. */
/* -v, alone or in a list of options for NVIDIA's assembler. */
static bool says_verbose(const char *list)
{
    for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        size_t n = strcspn(at, ",");
        if ((n == 2 && !strncmp(at, "-v", n)) || (n == 9 && !strncmp(at, "--verbose", n)))
            return true;
    }
    return false;
}

/* The list, in ascending order, with one more, if it is not there. */
static const char *with_arch(struct job *j, const char *list, unsigned arch)
{
    const char *out = "";
    bool placed = false;
    while (list && *list) {
        char *end;
        const unsigned long one = strtoul(list, &end, 10);
        if (!placed && one >= arch) {
            if (one > arch)
                out = arena_printf(j->arena, "%s%s%u", out, *out ? "," : "", arch);
            placed = true;
        }
        out = arena_printf(j->arena, "%s%s%lu", out, *out ? "," : "", one);
        list = *end ? end + 1 : end;
    }
    return placed ? out : arena_printf(j->arena, "%s%s%u", out, *out ? "," : "", arch);
}

static bool set_arch(struct job *j, const char *value)
{
    const char *digits = strpbrk(value, "0123456789");
    if (!digits && strcmp(value, "native") && strncmp(value, "all", 3)) {
        complain("'%s' is no architecture; sm_80, say", value);
        return false;
    }
    const unsigned n = digits ? (unsigned)strtoul(digits, NULL, 10) : 0;
    if (n < 50 || n >= 200)
        return true;
    if (!j->arch_given || n * 10 > j->mode.arch) /* of several, the highest */
        j->mode.arch = n * 10;
    j->arch_list = with_arch(j, j->arch_list, n * 10);
    j->arch_given = true;
    return true;
}

/* The headers are written in C++11: older code means the same in it, but for __cplusplus, and where
 * it does not, the compiler says so. Both halves are of one language. */
static void set_standard(struct job *j, const char *value)
{
    const bool old = !strcmp(value, "c++03") || !strcmp(value, "c++98");
    if (old)
        fprintf(stderr, "terncc: warning: -std=%s: compiled as C++11, which CUDA's headers need\n",
                value);
    j->standard = old ? "c++11" : value;
}

static bool apply(struct job *j, const struct option *o, const char *word, const char *value)
{
    switch (o->action) {
    case HOST:
        push(j, &j->host,
             !strcmp(o->name, "-O") ? arena_printf(j->arena, "-O%s", value ? value : "2") : word);
        if (!strcmp(o->name, "-pg"))
            push(j, &j->link, word);
        j->no_warnings |= !strcmp(o->name, "-w");
        break;
    case LINK_VALUE: push(j, &j->link, arena_printf(j->arena, "%.2s%s", o->name, value)); break;
    case DIR:
        for (const char *one; (one = next_item(j, &value, ","));)
            push(j, o->value ? &j->system_dirs : &j->include_dirs, one);
        break;
    case DEFINE:
        if (o->value) {
            push(j, &j->defines, "-include");
            push(j, &j->defines, value);
        } else {
            for (const char *one; (one = next_definition(j, &value));)
                push(j, &j->defines, arena_printf(j->arena, "%.2s%s", o->name, one));
        }
        break;
    case STANDARD: set_standard(j, value); break;
    case OUTPUT: j->output = value; break;
    case XCOMPILER: push_compiler(j, value); break;
    case XLINKER: push(j, &j->link, arena_printf(j->arena, "-Wl,%s", value)); break;
    case XPTXAS: j->resources |= says_verbose(value); break;
    case ARCH: return set_arch(j, value);
    case CCBIN: j->cxx = value; break;
    case LANGUAGE:
        if (strcmp(value, "cu") && strcmp(value, "hip") && strcmp(value, "c++") &&
            strcmp(value, "c"))
            return complain("-x %s: no such language", value), false;
        j->treat_as_cu = !strcmp(value, "cu") || !strcmp(value, "hip");
        if (!strcmp(value, "hip"))
            options_hip(j);
        break;
    case TRUE_FALSE:
        if (strcmp(value, "true") && strcmp(value, "false"))
            return complain("%s takes true or false", o->name), false;
        if (o->value)
            j->linked = !strcmp(value, "true");
        else
            j->mode.no_fmad = !strcmp(value, "false");
        break;
    case FAST_EXACT:
        if (strcmp(value, "fast") && strcmp(value, "exact"))
            return complain("%s takes fast or exact", o->name), false;
        j->mode.fast_f64 = !strcmp(value, "fast");
        break;
    case CPUS:
        if (!bundle_cpus(value))
            return false;
        j->cpus = value;
        break;
    case SET: *(bool *)((char *)j + o->value) = true; break;
    case STOP_LINKED: j->linked = true; /* fall through */
    case STOP: j->stop = (enum stop_after)o->value; break;
    case HOST_VALUE: push(j, &j->host, arena_printf(j->arena, "%s=%s", o->name, value)); break;
    case WERROR: /* of nvcc's kinds, those that are not about devices */
        if (strstr(value, "all-warnings")) {
            push(j, &j->host, "-Werror");
            j->warnings_fail = true;
        }
        if (strstr(value, "reorder"))
            push(j, &j->host, "-Werror=reorder");
        break;
    case NO_EXCEPTIONS: push(j, &j->host, "-fno-exceptions"); break;
    case OUTPUT_DIR: j->output_dir = value; break;
    case KEEP_DIR: j->keep_dir = value; break;
    case DEFAULT_STREAM:
        if (strcmp(value, "legacy") && strcmp(value, "null") && strcmp(value, "per-thread"))
            return complain("%s takes legacy or per-thread", o->name), false;
        j->stream_per_thread = !strcmp(value, "per-thread");
        if (j->stream_per_thread)
            push(j, &j->defines, "-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1");
        break;
    case DEPEND:
        push(j, &j->depend, o->name);
        if (o->value)
            j->stop = STOP_DEPEND;
        break;
    case DEPEND_VALUE:
        push(j, &j->depend, o->name);
        push(j, &j->depend, value);
        break;
    case REFUSE:
    case REFUSE_VALUE: return complain("%s: %s", word, o->why), false;
    default: break;
    }
    return true;
}

void options_help(void)
{
    printf("usage: terncc [options] file.cu …\n\nCompiles CUDA programs as nvcc does: the host "
           "half with the system's C++ "
           "compiler, the device half\nfor whatever device the program finds when it runs. Options "
           "are nvcc's:\n");
    for (size_t k = 0; k < NOPTIONS; k++)
        printf("  %-32s %s%s\n", options[k].name, options[k].other ? options[k].other : "",
               options[k].action == REFUSE || options[k].action == REFUSE_VALUE ? "   (refused)"
               : options[k].action == IGNORE || options[k].action == IGNORE_VALUE
                   ? "   (accepted, no effect)"
                   : "");
}

static bool read_words(struct job *j, int argc, char **argv);

/* Words as a shell has them: quotes of both kinds, backslashes. */
static bool options_from_file(struct job *j, const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        return complain("%s: cannot be read", path), false;
    if (++j->option_files > 100) {
        fclose(f);
        return complain("%s: options files name each other without end", path), false;
    }
    VEC(char *) found = {0};
    vec_push(j->arena, &found, "");
    for (int c = getc(f); c != EOF;) {
        while (c == ' ' || c == '\t' || c == '\n' || c == '\r')
            c = getc(f);
        if (c == EOF)
            break;
        struct sbuf word;
        sbuf_init(&word, j->arena);
        sbuf_puts(&word, "");
        for (int quote = 0; c != EOF && (quote || !strchr(" \t\n\r", c)); c = getc(f)) {
            if (quote ? c == quote : c == '"' || c == '\'') {
                quote = quote ? 0 : c;
                continue;
            }
            if (c == '\\' && quote != '\'' && (c = getc(f)) == EOF)
                break;
            sbuf_putc(&word, (char)c);
        }
        vec_push(j->arena, &found, word.data);
    }
    fclose(f);
    return read_words(j, (int)found.len, found.data);
}

static bool read_words(struct job *j, int argc, char **argv)
{
    for (int k = 1; k < argc; k++) {
        const char *word = argv[k], *value = NULL;
        if (word[0] == '@' && word[1]) { /* as host compilers have it */
            if (!options_from_file(j, word + 1))
                return false;
            continue;
        }
        if (word[0] != '-' || !word[1]) {
            push(j, &j->inputs, word);
            continue;
        }
        const struct option *o = find(word, &value);
        /* Meant for the host compiler, though nvcc wants -Xcompiler before them. */
        const bool host_word = word[1] == 'f' || word[1] == 'W' || !strcmp(word, "-pthread") ||
                               !strcmp(word, "-pedantic") || !strncmp(word, "-march", 6) ||
                               !strncmp(word, "-mcpu", 5) || !strncmp(word, "-mtune", 6);
        if (!o && (j->forward || host_word)) {
            push(j, &j->host, word);
            push(j, &j->link, word);
            continue;
        }
        if (!o && j->forward_link) {
            push(j, &j->link, word);
            continue;
        }
        if (!o) {
            const char *names[NOPTIONS];
            for (size_t n = 0; n < NOPTIONS; n++)
                names[n] = options[n].name;
            const char *near = diag_nearest(word, names, NOPTIONS);
            complain("unknown option '%s'%s%s", word, near ? "; did you mean " : "",
                     near ? near : "");
            return false;
        }
        if (o->action == HELP) {
            options_help();
            exit(0);
        }
        if (o->action == VERSION) { /* build systems look for the release number of nvcc */
            if (j->hip)
                printf("HIP version: 6.0.0\n");
            printf(
                "terncc: Tern's CUDA compiler driver, which stands in for\nnvcc: NVIDIA (R) Cuda "
                "compiler driver\nCuda compilation tools, release 12.4, V12.4.0\n");
            exit(0);
        }
        if (o->action == LIST_ARCH) {
            for (unsigned n = 50; n <= 90; n++)
                if (strstr("50 52 53 60 61 62 70 72 75 80 86 87 89 90",
                           arena_printf(j->arena, "%u", n)))
                    printf("%s_%u\n", o->value ? "sm" : "compute", n);
            exit(0);
        }
        if (takes_value(o->action) && !value) {
            if (++k == argc)
                return complain("%s needs a value", word), false;
            value = argv[k];
        }
        if (o->action == WERROR && strstr(value, ".") && argv[k] == value)
            k--, value = "all-warnings"; /* -Werror file.cu, as g++ has it */
        if (o->action == OPTIONS_FILE ? !options_from_file(j, value) : !apply(j, o, word, value))
            return false;
    }
    return true;
}

/* HIP is the same language by other names, which <hip/hip_runtime.h> gives: what is left is to say
 * that it is HIP. */
void options_hip(struct job *j)
{
    if (j->hip)
        return;
    j->hip = j->treat_as_cu = true;
    push(j, &j->defines, "-D__HIPCC__=1");
    push(j, &j->defines, "-D__HIP__=1");
    push(j, &j->defines, "-D__HIP_PLATFORM_NVIDIA__=1");
}

bool options_read(struct job *j, int argc, char **argv)
{
    if (!read_words(j, argc, argv))
        return false;
    if (!j->inputs.len)
        return complain("no input files"), false;
    return true;
}
