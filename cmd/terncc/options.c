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
    ARCH,
    CCBIN,
    LANGUAGE,
    TRUE_FALSE,
    SET, /* the flag at `field` */
    STOP,
    STOP_LINKED, /* the same, and device code may call across files */
    DEPEND,
    DEPEND_VALUE,
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
    {"-c", "--compile", STOP, STOP_OBJECT, NULL},
    {"-dc", "--device-c", STOP_LINKED, STOP_OBJECT, NULL},
    {"-dw", "--device-w", STOP, STOP_OBJECT, NULL},
    {"-rdc", "--relocatable-device-code", TRUE_FALSE, 1, NULL},
    {"-E", "--preprocess", STOP, STOP_PREPROCESS, NULL},
    {"-ptx", "--ptx", STOP, STOP_PTX, NULL},
    {"-cubin", "--cubin", REFUSE, 0, "NVIDIA's machine code is not written yet"},
    {"-fatbin", "--fatbin", REFUSE, 0, "fat binaries are not written yet"},
    {"-dlink", "--device-link", SET, FLAG(device_link), NULL},
    {"-lib", "--lib", SET, FLAG(archive), NULL},
    {"-shared", "--shared", SET, FLAG(shared), NULL},
    {"-I", "--include-path", DIR, 0, NULL},
    {"-isystem", "--system-include", DIR, 1, NULL},
    {"-D", "--define-macro", DEFINE, 0, NULL},
    {"-U", "--undefine-macro", DEFINE, 0, NULL},
    {"-include", "--pre-include", DEFINE, 1, NULL},
    {"-std", "--std", STANDARD, 0, NULL},
    {"-O", "--optimize", HOST, 0, NULL},
    {"-G", "--device-debug", IGNORE, 0, NULL},
    {"-g", "--debug", HOST, 0, NULL},
    {"-pg", "--profile", HOST, 0, NULL},
    {"-lineinfo", "--generate-line-info", IGNORE, 0, NULL},
    {"-w", "--disable-warnings", HOST, 0, NULL},
    {"-Wno-deprecated-gpu-targets", NULL, IGNORE, 0, NULL},
    {"-Werror", "--Werror", HOST, 0, NULL},
    {"-m64", NULL, IGNORE, 0, NULL},
    {"-m", "--machine", IGNORE_VALUE, 0, NULL},
    {"-m32", NULL, REFUSE, 0, "32-bit programs are not supported"},
    {"-arch", "--gpu-architecture", ARCH, 0, NULL},
    {"-code", "--gpu-code", IGNORE_VALUE, 0, NULL},
    {"-gencode", "--generate-code", ARCH, 1, NULL},
    {"-Xcompiler", "--compiler-options", XCOMPILER, 0, NULL},
    {"-Xlinker", "--linker-options", XLINKER, 0, NULL},
    {"-Xptxas", "--ptxas-options", IGNORE_VALUE, 0, NULL},
    {"-Xcudafe", NULL, IGNORE_VALUE, 0, NULL},
    {"-Xnvlink", "--nvlink-options", IGNORE_VALUE, 0, NULL},
    {"-Xarchive", "--archive-options", IGNORE_VALUE, 0, NULL},
    {"-maxrregcount", "--maxrregcount", IGNORE_VALUE, 0, NULL},
    {"-cudart", "--cudart", IGNORE_VALUE, 0, NULL},
    {"-ccbin", "--compiler-bindir", CCBIN, 0, NULL},
    {"-x", "--x", LANGUAGE, 0, NULL},
    {"-use_fast_math", "--use_fast_math", SET, FLAG(fast_math), NULL},
    {"-fmad", "--fmad", TRUE_FALSE, 0, NULL},
    {"-ftz", "--ftz", IGNORE_VALUE, 0, NULL},
    {"-prec-div", "--prec-div", IGNORE_VALUE, 0, NULL},
    {"-prec-sqrt", "--prec-sqrt", IGNORE_VALUE, 0, NULL},
    {"-extra-device-vectorization", "--extra-device-vectorization", IGNORE, 0, NULL},
    {"-expt-relaxed-constexpr", "--expt-relaxed-constexpr", IGNORE, 0, NULL},
    {"-expt-extended-lambda", "--expt-extended-lambda", IGNORE, 0, NULL},
    {"-extended-lambda", "--extended-lambda", IGNORE, 0, NULL},
    {"-default-stream", "--default-stream", REFUSE_VALUE, 0,
     "only the legacy default stream; name cudaStreamPerThread in the program"},
    {"-restrict", "--restrict", IGNORE, 0, NULL},
    {"-t", "--threads", IGNORE_VALUE, 0, NULL},
    {"-diag-suppress", "--diag-suppress", IGNORE_VALUE, 0, NULL},
    {"-res-usage", "--resource-usage", IGNORE, 0, NULL},
    {"-no-align-double", NULL, IGNORE, 0, NULL},
    {"-l", "--library", LINK_VALUE, 0, NULL},
    {"-L", "--library-path", LINK_VALUE, 0, NULL},
    {"-M", "--generate-dependencies", DEPEND, 0, NULL},
    {"-MM", "--generate-nonsystem-dependencies", DEPEND, 0, NULL},
    {"-MD", "--generate-dependencies-with-compile", DEPEND, 0, NULL},
    {"-MMD", "--generate-nonsystem-dependencies-with-compile", DEPEND, 0, NULL},
    {"-MP", "--generate-dependency-targets", DEPEND, 0, NULL},
    {"-MF", "--dependency-output", DEPEND_VALUE, 0, NULL},
    {"-MT", "--dependency-target-name", DEPEND_VALUE, 0, NULL},
    {"-v", "--verbose", SET, FLAG(verbose), NULL},
    {"-dryrun", "--dryrun", SET, FLAG(dry), NULL},
    {"-keep", "--keep", SET, FLAG(keep), NULL},
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
    case ARCH:
    case CCBIN:
    case LANGUAGE:
    case TRUE_FALSE:
    case DEPEND_VALUE:
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

/* -Xcompiler "-Wall,-fPIC": words apart at commas and spaces. */
static void push_list(struct job *j, words *w, const char *list)
{
    while (*list) {
        size_t n = strcspn(list, ", ");
        if (n && !(n == 4 && !strncmp(list, "-m64", n))) /* which only some compilers know */
            push(j, w, arena_strndup(j->arena, list, n));
        list += n + (list[n] != 0);
    }
}

static void set_arch(struct job *j, const char *value)
{
    const char *digits = strpbrk(value, "0123456789");
    unsigned n = digits ? (unsigned)strtoul(digits, NULL, 10) : 0;
    if (n >= 50 && n < 200)
        j->arch = n * 10;
}

static bool apply(struct job *j, const struct option *o, const char *word, const char *value)
{
    switch (o->action) {
    case HOST:
        push(j, &j->host,
             !strcmp(o->name, "-O") ? arena_printf(j->arena, "-O%s", value ? value : "2") : word);
        if (!strcmp(o->name, "-pg"))
            push(j, &j->link, word);
        break;
    case LINK_VALUE: push(j, &j->link, arena_printf(j->arena, "%.2s%s", o->name, value)); break;
    case DIR:
        for (char *list = arena_strndup(j->arena, value, strlen(value)), *one;
             (one = strsep(&list, ","));)
            push(j, &j->include_dirs, one);
        break;
    case DEFINE:
        if (o->value) {
            push(j, &j->defines, "-include");
            push(j, &j->defines, value);
        } else {
            push(j, &j->defines, arena_printf(j->arena, "%.2s%s", o->name, value));
        }
        break;
    case STANDARD: j->standard = value; break;
    case OUTPUT: j->output = value; break;
    case XCOMPILER:
        push_list(j, &j->host, value);
        push_list(j, &j->link, value);
        break;
    case XLINKER: push(j, &j->link, arena_printf(j->arena, "-Wl,%s", value)); break;
    case ARCH: set_arch(j, value); break;
    case CCBIN: j->cxx = value; break;
    case LANGUAGE:
        if (strcmp(value, "cu") && strcmp(value, "c++") && strcmp(value, "c"))
            return complain("-x %s: no such language", value), false;
        j->treat_as_cu = !strcmp(value, "cu");
        break;
    case TRUE_FALSE:
        if (strcmp(value, "true") && strcmp(value, "false"))
            return complain("%s takes true or false", o->name), false;
        if (o->value)
            j->linked = !strcmp(value, "true");
        else
            j->no_fmad = !strcmp(value, "false");
        break;
    case SET: *(bool *)((char *)j + o->value) = true; break;
    case STOP_LINKED: j->linked = true; /* fall through */
    case STOP: j->stop = (enum stop_after)o->value; break;
    case DEPEND: push(j, &j->depend, o->name); break;
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

bool options_read(struct job *j, int argc, char **argv)
{
    for (int k = 1; k < argc; k++) {
        const char *word = argv[k], *value = NULL;
        if (word[0] != '-' || !word[1]) {
            push(j, &j->inputs, word);
            continue;
        }
        const struct option *o = find(word, &value);
        if (!o && (word[1] == 'f' ||
                   word[1] == 'W')) { /* meant for the host compiler; nvcc wants -Xcompiler */
            push(j, &j->host, word);
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
            printf("terncc: Tern's CUDA compiler driver\nCuda compilation tools, release 12.4, "
                   "V12.4.0\n");
            exit(0);
        }
        if (takes_value(o->action) && !value) {
            if (++k == argc)
                return complain("%s needs a value", word), false;
            value = argv[k];
        }
        if (!apply(j, o, word, value))
            return false;
    }
    if (!j->inputs.len)
        return complain("no input files"), false;
    return true;
}
