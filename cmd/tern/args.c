/* The command line, from one table of options. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include "tern.h"

enum kind {
    FLAG_ON,
    FLAG_OFF,
    TEXT,
    TEXTS,
    DEFINE, /* -D, -U, -include */
    STREAM,
    NUMBER,
    LEVEL,
    SIZE,
    SECONDS,
    DIM3,
    ARCH,
    COLOR,
    OFF_OR_ON, /* =true or =false; the field says that it is off */
    FAST_EXACT,
    LANGUAGE,
};

#define AT(field) offsetof(struct args, field)
#define NOWHERE   SIZE_MAX /* no field of its own */
static const struct option {
    const char *name; /* ends in = or takes the next word, by kind; "-D" also joined */
    enum kind kind;
    size_t at;
    const char *value, *about;
} options[] = {
    {"--kernel", TEXT, AT(kernel), "NAME",
     "the kernel to run or emit; kernel<float,128> may be named"},
    {"--grid", DIM3, AT(grid), "X[,Y[,Z]]", "blocks (default 1)"},
    {"--block", DIM3, AT(block), "X[,Y[,Z]]", "threads of a block (default 1)"},
    {"--shared", NUMBER, AT(shared), "BYTES", "dynamic shared memory"},
    {"--arg", TEXTS, AT(kernel_args), "ARG", "the next argument: see `tern help run`"},
    {"--cooperative", FLAG_ON, AT(cooperative), NULL, "a grid that may use grid barriers"},
    {"--print", NUMBER, AT(print), "N", "show the first N elements of each buffer (default 8)"},
    {"--timeout", SECONDS, AT(timeout), "SECONDS", "stop a kernel that runs longer"},
    {"--sandbox", FLAG_ON, AT(sandbox), NULL,
     "run: where it sees no files and no network; with --timeout and --memory-limit"},
    {"--device", TEXT, AT(device), "NAME", "interp, cpu, cuda, vulkan or auto; also TERN_DEVICE"},
    {"--to", TEXT, AT(to), "TARGET", "what to compile to: see `tern help compile`"},
    {"-x", LANGUAGE, AT(language), "cu|ptx|ir", "the language, whatever the file is called"},
    {"-o", TEXT, AT(output), "FILE", "where to write (default: standard output)"},
    {"--name", TEXTS, AT(names), "NAME", "instantiate this template kernel as well"},
    {"-D", DEFINE, NOWHERE, "NAME[=VALUE]", "define a macro"},
    {"-U", DEFINE, NOWHERE, "NAME", "undefine a macro"},
    {"-include", DEFINE, NOWHERE, "FILE", "include a file first"},
    {"-I", TEXTS, AT(include_dirs), "DIR", "look for headers here"},
    {"--host", TEXT, AT(host), "own|system|auto",
     "who compiles host code: Tern, the system's C++ compiler, or the first that takes it "
     "(default)"},
    {"-std", TEXT, AT(standard), "c++NN", "the C++ standard (default c++17)"},
    {"--default-stream", STREAM, NOWHERE, "per-thread|legacy", "what stream 0 is"},
    {"-W", TEXTS, AT(warnings), "WARNING", "a warning on, no-… off; error: all are errors"},
    {"-arch", ARCH, AT(mode.arch), "sm_NN", "what __CUDA_ARCH__ says (default sm_80)"},
    {"-O", LEVEL, AT(level), "0|1|2", "optimise (default: 0 for the interpreter, else 2)"},
    {"--fmad", OFF_OR_ON, AT(mode.no_fmad), "true|false", "contract a*b+c (default true)"},
    {"--use_fast_math", FLAG_ON, AT(mode.fast_math), NULL, "faster, less exact mathematics"},
    {"--f64", FAST_EXACT, AT(mode.fast_f64), "fast|exact",
     "fast: double as pairs of floats, on any device (default exact)"},
    {"--dump-ir", TEXTS, AT(dumps), "PASS", "print the IR before and after a pass, or `all`"},
    {"--time-passes", FLAG_ON, AT(time_passes), NULL, "how long each pass took"},
    {"--verify-passes", FLAG_ON, AT(verify_passes), NULL, "check the IR after each pass"},
    {"--memory-limit", SIZE, AT(memory_limit), "BYTES[K|M|G]", "of one compilation (default 1G)"},
    {"--error-limit", NUMBER, AT(error_limit), "N", "errors shown (default 20)"},
    {"--counters", FLAG_ON, AT(counters), NULL,
     "prof: count arithmetic, memory and divergence, line by line"},
    {"--html", TEXT, AT(html), "FILE", "prof: a page of its own, as -o FILE.html is"},
    {"--price", TEXT, AT(price), "N/h|N/kWh", "prof: what an hour or a kilowatt hour costs"},
    {"--port", NUMBER, AT(port), "N",
     "serve: where to listen, on this machine only (default 8080)"},
    {"--kind", TEXT, AT(kinds), "KIND,...", "check: only these kinds of findings"},
    {"--suppress", TEXT, AT(suppress), "FILE",
     "check: findings to leave out, see `tern help check`"},
    {"--topology", FLAG_ON, AT(topology), NULL, "devices: memory, cores, and how fast they copy"},
    {"--nodes", NUMBER, AT(nodes), "N", "slurm, model: machines (default 1)"},
    {"--ranks", NUMBER, AT(ranks), "N", "slurm, model: ranks on each of them (default 1)"},
    {"--bytes", SIZE, AT(bytes), "N[K|M|G]", "model: of the collective (default 1M)"},
    {"--machine", TEXT, AT(machine), "FILE", "model: how fast things are, as --measure shows it"},
    {"--measure", FLAG_ON, AT(measure), NULL, "model: how fast things are on this machine"},
    {"--cpus", NUMBER, AT(cpus), "N", "slurm: cores of each rank"},
    {"--gres", TEXT, AT(gres), "WHAT", "slurm: what each node is to have, as gpu:2"},
    {"--warm", TEXT, AT(warm), "FILE", "slurm: compiled code for each node, of `tern cache save`"},
    {"--max", NUMBER, AT(max), "N", "check: how many findings are shown"},
    {"--probe", TEXT, AT(probe), "DEVICE", "doctor: look at one device, as JSON"},
    {"--iterations", NUMBER, AT(iterations), "N",
     "bench: samples (default: as many as --seconds takes)"},
    {"--seconds", SECONDS, AT(seconds), "S",
     "bench: how long each is measured (default 1); tune: all of it (default 20)"},
    {"--warmup", NUMBER, AT(warmup), "N", "bench: runs before that (default 2)"},
    {"--against", TEXT, AT(against), "FILE", "bench: a run saved with -o, to compare with"},
    {"--commands", TEXT, AT(commands), "FILE", "debug: gdb runs these, and ends"},
    {"--json", FLAG_ON, AT(json), NULL, "diagnostics and results as JSON"},
    {"--color", COLOR, AT(color), "WHEN", "always, never or auto"},
    {"--quiet", FLAG_ON, AT(quiet), NULL, "only errors"},
};
#define NOPTIONS (sizeof options / sizeof *options)

/* Options of a target are those of `tern compile`: the row, if the word is one of target t's. */
static const struct back_option *option_of(const struct back_target *t, const char *name)
{
    const struct back_option *o = back_option_find(t, name);
    return o && o->about ? o : NULL;
}

static void describe(FILE *out, const char *dashes, const char *name, const char *value)
{
    char left[64];
    snprintf(left, sizeof left, "%s%s %s", dashes, name, value ? value : "");
    fprintf(out, "  %-28s ", left);
}

/* Each once, with all the targets that have it. */
void args_describe_targets(FILE *out)
{
    for (size_t t = 0; back_targets[t]; t++)
        for (size_t i = 0; i < back_targets[t]->noptions; i++) {
            const struct back_option *o = &back_targets[t]->options[i];
            bool said = !o->about;
            for (size_t before = 0; before < t; before++)
                said |= option_of(back_targets[before], o->name) != NULL;
            if (said)
                continue;
            describe(out, "--", o->name, o->value);
            for (size_t other = t; back_targets[other]; other++)
                if (option_of(back_targets[other], o->name))
                    fprintf(out, "%s%s", other > t ? ", " : "", back_targets[other]->name);
            fprintf(out, ": %s\n", o->about);
        }
}

void args_describe(FILE *out)
{
    for (size_t i = 0; i < NOPTIONS; i++) {
        describe(out, "", options[i].name, options[i].value);
        fprintf(out, "%s\n", options[i].about);
    }
    args_describe_targets(out);
}

bool args_option(size_t k, struct option_text *out)
{
    if (k < NOPTIONS)
        *out = (struct option_text){options[k].name, options[k].value, options[k].about};
    return k < NOPTIONS;
}

void args_init(struct args *a)
{
    *a = (struct args){.grid = {1, 1, 1},
                       .block = {1, 1, 1},
                       .print = 8,
                       .mode = {.arch = 800},
                       .level = -1,
                       .port = 8080,
                       .nodes = 1,
                       .ranks = 1,
                       .bytes = 1 << 20};
    a->color = isatty(STDERR_FILENO) && !setting_on(SETTING_NO_COLOR);
    a->device = setting_text(SETTING_DEVICE);
}

static struct string_list *lists(struct args *a, unsigned i)
{
    struct string_list *all[] = {&a->kernel_args, &a->include_dirs, &a->names, &a->warnings,
                                 &a->dumps,       &a->rest,         &a->more};
    return i < sizeof all / sizeof *all ? all[i] : NULL;
}

bool args_prepare(struct args *a, size_t words)
{
    struct string_list *list;
    for (unsigned i = 0; (list = lists(a, i)); i++) {
        const char **grown = realloc(list->data, (list->len + words + 1) * sizeof *grown);
        if (!grown)
            return false;
        list->data = grown;
    }
    struct compile_define *grown = realloc(a->defines, (a->ndefines + words + 1) * sizeof *grown);
    if (grown)
        a->defines = grown;
    struct target_option *more =
        realloc(a->target_options, (a->ntarget_options + words + 1) * sizeof *more);
    if (more)
        a->target_options = more;
    return grown && more;
}

void args_free(struct args *a)
{
    struct string_list *list;
    for (unsigned i = 0; (list = lists(a, i)); i++)
        free(list->data);
    free(a->defines);
    free(a->target_options);
}

static bool number(const char *text, unsigned long max, unsigned long *out)
{
    char *end;
    *out = strtoul(text, &end, 0);
    return *text >= '0' && *text <= '9' && !*end && *out <= max;
}

static bool size(const char *text, size_t *out)
{
    static const char units[] = "KMG";
    char *end;
    const double v = strtod(text, &end);
    const char *unit = *end ? strchr(units, *end & ~32) : NULL;
    if (end == text || v < 0 || (*end && (!unit || end[1])))
        return false;
    *out = (size_t)(v * (double)(UINT64_C(1) << (unit ? 10 * (unit - units + 1) : 0)));
    return true;
}

static bool triple(const char *text, uint32_t out[3])
{
    out[0] = out[1] = out[2] = 1;
    for (unsigned i = 0; i < 3; i++) {
        char *end;
        const unsigned long v = strtoul(text, &end, 10);
        if (*text < '0' || *text > '9' || v > UINT32_MAX)
            return false;
        out[i] = (uint32_t)v;
        if (!*end)
            return true;
        if (*end != ',' && *end != 'x')
            return false;
        text = end + 1;
    }
    return false;
}

/* --default-stream=per-thread is a macro in both halves. */
static bool default_stream(struct args *a, const char *value)
{
    const bool per_thread = !strcmp(value, "per-thread");
    if (per_thread)
        a->defines[a->ndefines++] =
            (struct compile_define){'D', "CUDA_API_PER_THREAD_DEFAULT_STREAM=1"};
    return per_thread || !strcmp(value, "legacy") || !strcmp(value, "null");
}

static bool set(struct args *a, const struct option *o, const char *text)
{
    char *field = o->at == NOWHERE ? NULL : (char *)a + o->at;
    unsigned long n;
    switch (o->kind) {
    case FLAG_ON: *(bool *)field = true; return true;
    case FLAG_OFF: *(bool *)field = false; return true;
    case TEXT: *(const char **)(void *)field = text; return true;
    case TEXTS: {
        struct string_list *list = (void *)field;
        list->data[list->len++] = text;
        return true;
    }
    case DEFINE: a->defines[a->ndefines++] = (struct compile_define){o->name[1], text}; return true;
    case STREAM: return default_stream(a, text);
    case NUMBER:
        if (!number(text, UINT32_MAX, &n))
            return false;
        *(unsigned *)(void *)field = (unsigned)n;
        return true;
    case LEVEL:
        if (!number(text, 3, &n))
            return false;
        *(int *)(void *)field = n > 2 ? 2 : (int)n;
        return true;
    case SIZE: return size(text, (size_t *)(void *)field);
    case SECONDS: {
        char *end;
        *(double *)(void *)field = strtod(text, &end);
        return end != text && (!*end || !strcmp(end, "s")) && *(double *)(void *)field >= 0;
    }
    case DIM3: return triple(text, (uint32_t *)(void *)field);
    case ARCH:
        text += !strncmp(text, "sm_", 3) ? 3 : !strncmp(text, "compute_", 8) ? 8 : 0;
        n = strtoul(text, NULL, 10);
        a->mode.arch = (unsigned)n * 10;
        return n >= 30 && n <= 200;
    case COLOR:
        a->color = !strcmp(text, "always") || (strcmp(text, "never") != 0 && a->color);
        return !strcmp(text, "always") || !strcmp(text, "never") || !strcmp(text, "auto");
    case LANGUAGE:
        a->language = !strcmp(text, "cu")    ? SOURCE_CUDA
                      : !strcmp(text, "ptx") ? SOURCE_PTX
                      : !strcmp(text, "ir")  ? SOURCE_IR
                                             : SOURCE_AUTO;
        return a->language != SOURCE_AUTO;
    case FAST_EXACT:
        *(bool *)field = !strcmp(text, "fast");
        return *(bool *)field || !strcmp(text, "exact");
    case OFF_OR_ON:
        *(bool *)field = !strcmp(text, "false") || !strcmp(text, "0");
        return *(bool *)field || !strcmp(text, "true") || !strcmp(text, "1");
    }
    return false;
}

/* Words of nvcc's that command lines carry over: what they are called here, or what goes without
 * saying. Values of the latter stand in the word, or are the next one. */
static const struct {
    const char *name, *ours; /* ours: NULL where it goes without saying */
    bool next;               /* the next word is its value, unless = stands in this one */
} of_nvcc[] = {
    {"-use_fast_math", "--use_fast_math", false},
    {"-fmad", "--fmad", false},
    {"-default-stream", "--default-stream", false},
    {"--std", "-std", false},
    {"--gpu-architecture", "-arch", false},
    {"-extended-lambda", NULL, false},
    {"--extended-lambda", NULL, false},
    {"-expt-extended-lambda", NULL, false},
    {"--expt-extended-lambda", NULL, false},
    {"-expt-relaxed-constexpr", NULL, false},
    {"--expt-relaxed-constexpr", NULL, false},
    {"-rdc", NULL, true},
    {"-ftz", NULL, true},
    {"-prec-div", NULL, true},
    {"-prec-sqrt", NULL, true},
    {"-Xcompiler", NULL, true},
    {"-Xptxas", NULL, true},
    {"-lineinfo", NULL, false},
    {"-w", NULL, false},
};
enum { NVCC_WORDS = sizeof of_nvcc / sizeof *of_nvcc };

/* The word in our spelling; "": it goes without saying, and so does the next where *next. */
static const char *from_nvcc(const char *word, char *buffer, size_t room, bool *next)
{
    *next = false;
    if (!strncmp(word, "-l", 2) && word[2] && strcmp(word, "-lineinfo") != 0)
        return ""; /* libraries are found by what is called */
    for (size_t k = 0; k < NVCC_WORDS; k++) {
        const size_t n = strlen(of_nvcc[k].name);
        if (strncmp(word, of_nvcc[k].name, n) || (word[n] && word[n] != '='))
            continue;
        *next = of_nvcc[k].next && !word[n];
        if (!of_nvcc[k].ours)
            return "";
        snprintf(buffer, room, "%s%s", of_nvcc[k].ours, word + n);
        return buffer;
    }
    return word;
}

static bool takes_value(const struct option *o)
{
    return o->kind != FLAG_ON && o->kind != FLAG_OFF;
}

/* The option that a word names, and its value if it is part of the word. */
static const struct option *find(const char *word, const char **value)
{
    *value = NULL;
    for (size_t i = 0; i < NOPTIONS; i++) {
        const struct option *o = &options[i];
        const size_t n = strlen(o->name);
        if (strncmp(word, o->name, n))
            continue;
        if (!word[n])
            return o;
        if (word[n] == '=' && takes_value(o)) {
            *value = word + n + 1;
            return o;
        }
        if (n == 2 && word[1] != '-' && strchr("DUIOWo", word[1])) {
            *value = word + n; /* -Idir */
            return o;
        }
    }
    return NULL;
}

/* A word of a target's: whether it is one, its row, and how long its name is with the dashes. */
static const struct back_option *find_target_option(const char *word, const char **value)
{
    char name[32];
    *value = NULL;
    if (strncmp(word, "--", 2))
        return NULL;
    const size_t n = strcspn(word + 2, "=");
    if (n >= sizeof name)
        return NULL;
    memcpy(name, word + 2, n);
    name[n] = 0;
    for (size_t t = 0; back_targets[t]; t++) {
        const struct back_option *o = option_of(back_targets[t], name);
        if (o && (!word[2 + n] || o->kind != BACK_FLAG)) {
            *value = word[2 + n] ? word + 2 + n + 1 : NULL;
            return o;
        }
    }
    return NULL;
}

/* Which of them it is for, is known when all words are read. */
static bool add_target_option(struct args *a, const struct back_option *o, const char *text)
{
    unsigned long n = 1;
    if (o->kind != BACK_FLAG && !number(text, UINT32_MAX, &n)) {
        complain("--%s %s: not %s", o->name, text, o->value);
        return false;
    }
    a->target_options[a->ntarget_options++] = (struct target_option){o->name, (uint32_t)n};
    return true;
}

static void unknown(const char *word)
{
    enum { MORE = 32 };
    const char *names[NOPTIONS + MORE];
    char dashed[MORE][32];
    size_t n = 0, more = 0;
    for (size_t i = 0; i < NOPTIONS; i++)
        names[n++] = options[i].name;
    for (size_t t = 0; back_targets[t]; t++)
        for (size_t i = 0; i < back_targets[t]->noptions && more < MORE; i++)
            if (back_targets[t]->options[i].about) {
                snprintf(dashed[more], sizeof *dashed, "--%s", back_targets[t]->options[i].name);
                names[n++] = dashed[more++];
            }
    const char *near = diag_nearest(word, names, n);
    complain("unknown option '%s'%s%s%s", word, near ? "; did you mean '" : "", near ? near : "",
             near ? "'?" : "");
}

/* Behind the name of a program that is there already, all words are the program's. */
static bool takes_the_rest(const struct args *a)
{
    const char *dot = strrchr(a->input, '.');
    return !strcmp(a->command, "exec") || !strcmp(a->command, "slurm") ||
           !strcmp(a->command, "mpi") ||
           (!strcmp(a->command, "cache") && strcmp(a->input, "clear")) ||
           (!strcmp(a->command, "prof") && (!dot || strchr(dot, '/')));
}

/* tern run a.cu b.cpp: a program of several files. */
static bool is_another_file(const struct args *a, const char *word)
{
    static const char *const endings[] = {".cu", ".cpp", ".cc", ".cxx", ".c"};
    const char *dot = strrchr(word, '.');
    if (strcmp(a->command, "run") != 0 && strcmp(a->command, "pack") != 0)
        return false;
    for (size_t k = 0; dot && k < sizeof endings / sizeof *endings; k++)
        if (!strcmp(dot, endings[k]))
            return true;
    return false;
}

/* Most often the words were meant for the program. */
static void complain_of_second(const struct args *a, char **words, int n)
{
    const bool runs =
        !strcmp(a->command, "run") || !strcmp(a->command, "check") || !strcmp(a->command, "prof");
    struct sbuf text;
    sbuf_init(&text, NULL);
    for (int k = 0; k < n; k++)
        sbuf_printf(&text, " %s", words[k]);
    if (runs && text.data)
        complain("'%s': there is an input already: '%s'. Words for the program come after --: tern "
                 "%s %s --%s",
                 words[0], a->input, a->command, a->input, text.data);
    else
        complain("'%s': there is an input already: '%s'", words[0], a->input);
    sbuf_free(&text);
}

bool args_parse(struct args *a, int argc, char **argv)
{
    if (!args_prepare(a, (size_t)argc)) {
        complain("out of memory");
        return false;
    }
    for (int i = 0; i < argc; i++) {
        const char *word = argv[i], *value;
        if (!strcmp(word, "--")) {
            while (++i < argc)
                a->rest.data[a->rest.len++] = argv[i];
            break;
        }
        if (word[0] != '-' || !word[1]) {
            if (!a->command) {
                a->command = word;
            } else if (!a->input) {
                a->input = word;
                while (takes_the_rest(a) && i + 1 < argc) /* all else is the program's */
                    a->rest.data[a->rest.len++] = argv[++i];
            } else if (!strcmp(a->command, "tune")) { /* options may follow */
                a->rest.data[a->rest.len++] = word;
            } else if (is_another_file(a, word)) {
                a->more.data[a->more.len++] = word;
            } else {
                complain_of_second(a, argv + i, argc - i);
                return false;
            }
            continue;
        }
        if (!strcmp(word, "--help") || !strcmp(word, "-h")) {
            a->input = a->command;
            a->command = "help";
            return true;
        }
        if (!strcmp(word, "--version")) {
            a->command = "version";
            return true;
        }
        char ours[256];
        bool skips;
        const char *spelled = from_nvcc(word, ours, sizeof ours, &skips);
        i += skips;
        if (!*spelled)
            continue;
        const struct option *o = find(spelled, &value);
        if (o && spelled == ours && value) /* the value outlives the buffer */
            value = strchr(word, '=') + 1;
        const struct back_option *of_target = o ? NULL : find_target_option(word, &value);
        if (!o && !of_target) {
            unknown(word);
            return false;
        }
        if ((o ? takes_value(o) : of_target->kind != BACK_FLAG) && !value) {
            if (i + 1 == argc) {
                complain("%s needs a value: %s", word, o ? o->value : of_target->value);
                return false;
            }
            value = argv[++i];
        }
        if (of_target) {
            if (!add_target_option(a, of_target, value))
                return false;
            continue;
        }
        if (!set(a, o, value)) {
            complain("%s %s: not %s", o->name, value, o->value);
            return false;
        }
        a->block_given |= o->at == AT(block);
        a->warmup_given |= o->at == AT(warmup);
        a->launch_given |= o->at == AT(kernel) || o->at == AT(grid) || o->at == AT(block) ||
                           o->at == AT(kernel_args);
    }
    return true;
}
