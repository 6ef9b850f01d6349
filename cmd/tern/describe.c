/* `tern COMMAND --help`, `tern man`, `tern completion`: all from commands.def and the table of
 * options. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include "tern.h"
#include "tern/version.h"

static const struct described {
    const char *name, *words, *about, *options, *examples;
} commands[] = {
#define OPTIONS(group, names)
#define COMMAND(name, words, about, options, examples) {#name, words, about, options, examples},
#include "commands.def"
};
static const struct group {
    const char *name, *options;
} groups[] = {
#define OPTIONS(group, names) {#group, names},
#define COMMAND(name, words, about, options, examples)
#include "commands.def"
};
#define NCOMMANDS (sizeof commands / sizeof *commands)
#define NGROUPS   (sizeof groups / sizeof *groups)

static const struct described *find(const char *name)
{
    for (size_t k = 0; k < NCOMMANDS; k++)
        if (!strcmp(commands[k].name, name))
            return &commands[k];
    return NULL;
}

/* ---- options ---- */
static bool has_word(const char *words, const char *word)
{
    const size_t n = strlen(word);
    for (const char *p = words; (p = strstr(p, word)); p += n)
        if ((p == words || p[-1] == ' ') && (!p[n] || p[n] == ' '))
            return true;
    return false;
}

static bool takes(const struct described *c, const char *option)
{
    if (has_word(c->options, option))
        return true;
    for (size_t k = 0; k < NGROUPS; k++)
        if (has_word(c->options, groups[k].name) && has_word(groups[k].options, option))
            return true;
    return false;
}

/* ---- help ---- */
/* Usage, options and examples; what else there is to say of it is in help.c. */
bool describe_usage(const char *name)
{
    const struct described *c = find(name);
    if (c)
        printf("tern %s%s%s\n\n  %s\n", c->name, *c->words ? " " : "", c->words, c->about);
    return c != NULL;
}

void describe_rest(const char *name)
{
    const struct described *c = find(name);
    struct option_text o;
    bool said = false;
    for (size_t k = 0; c && args_option(k, &o); k++) {
        if (!takes(c, o.name))
            continue;
        if (!said)
            puts("\nOptions:");
        said = true;
        char left[64];
        snprintf(left, sizeof left, "%s %s", o.name, o.value ? o.value : "");
        printf("  %-28s %s\n", left, o.about);
    }
    if (c && !strcmp(c->name, "compile"))
        args_describe_targets(stdout);
    if (!c)
        return;
    puts("\nExamples:");
    for (const char *p = c->examples; *p;) {
        const int n = (int)strcspn(p, "\n");
        printf("  %.*s\n", n, p);
        p += n + (p[n] == '\n');
    }
}

/* ---- manual pages ---- */
/* Text for roff: its own signs are ours no longer. */
static void roff(const char *text, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        if (text[k] == '\\' || (text[k] == '-'))
            putchar('\\');
        if ((text[k] == '.' || text[k] == '\'') && (!k || text[k - 1] == '\n'))
            fputs("\\&", stdout);
        putchar(text[k] == '\\' ? 'e' : text[k]);
    }
}

static void roff_text(const char *text)
{
    roff(text, strlen(text));
}

static void man_head(const char *page, const char *about)
{
    printf(".TH ");
    for (const char *p = page; *p; p++)
        putchar(*p >= 'a' && *p <= 'z' ? *p - 32 : *p);
    printf(" 1 \"\" \"Tern %s\" \"Tern\"\n.SH NAME\n", TERN_VERSION);
    roff_text(page);
    printf(" \\- ");
    roff_text(about);
    putchar('\n');
}

static void man_examples(const struct described *c)
{
    puts(".SH EXAMPLES");
    for (const char *p = c->examples; *p;) {
        const size_t n = strcspn(p, "\n");
        const char *gap = strstr(p, "  ");
        const size_t command = gap && gap < p + n ? (size_t)(gap - p) : n;
        size_t rest = command;
        while (rest < n && p[rest] == ' ')
            rest++;
        printf(".TP\n.B ");
        roff(p, command);
        putchar('\n');
        roff(p + rest, n - rest);
        putchar('\n');
        p += n + (p[n] == '\n');
    }
}

static void man_command(const struct described *c)
{
    char page[64];
    struct option_text o;
    snprintf(page, sizeof page, "tern-%s", c->name);
    man_head(page, c->about);
    printf(".SH SYNOPSIS\n.B tern %s\n", c->name);
    roff_text(c->words);
    puts("\n.SH OPTIONS");
    for (size_t k = 0; args_option(k, &o); k++)
        if (takes(c, o.name)) {
            printf(".TP\n.B ");
            roff_text(o.name);
            if (o.value) {
                printf(" \\fI");
                roff_text(o.value);
                printf("\\fR");
            }
            putchar('\n');
            roff_text(o.about);
            putchar('\n');
        }
    man_examples(c);
    puts(".SH SEE ALSO\n.BR tern (1)");
}

static void man_tern(void)
{
    man_head("tern", "runs CUDA anywhere");
    puts(".SH SYNOPSIS\n.B tern\n.I command\n[options]\n.SH DESCRIPTION\nTern compiles CUDA C++ "
         "and PTX, and runs it on "
         "processors, NVIDIA GPUs, Vulkan GPUs and in browsers.\n.SH COMMANDS");
    for (size_t k = 0; k < NCOMMANDS; k++) {
        printf(".TP\n.B tern %s\n", commands[k].name);
        roff_text(commands[k].about);
        printf(" (see\n.BR tern\\-%s (1))\n", commands[k].name);
    }
    puts(".SH ENVIRONMENT");
    for (const struct setting_info *s = setting_info; s->variable; s++) {
        printf(".TP\n.B ");
        roff_text(s->variable);
        putchar('\n');
        roff_text(s->about);
        putchar('\n');
    }
}

int command_man(struct args *a)
{
    const struct described *c = a->input ? find(a->input) : NULL;
    if (a->input && !c)
        return complain("there is no command '%s'; see `tern help`", a->input);
    if (c)
        man_command(c);
    else
        man_tern();
    return EXIT_FINE;
}

/* ---- completions ---- */
/* The words of A|B|[C] that a command takes, or nothing where it takes files. */
static bool takes_files(const struct described *c)
{
    return strstr(c->words, "FILE") || strstr(c->words, "PROGRAM") || strstr(c->words, "FOLDER");
}

static void choices(const struct described *c)
{
    if (has_word(c->words, "[COMMAND]") || strstr(c->words, "[COMMAND|"))
        for (size_t k = 0; k < NCOMMANDS; k++)
            printf("%s ", commands[k].name);
    for (const char *p = c->words; *p && !takes_files(c); p++) {
        const int n = (int)strcspn(p, "[]| ");
        if (n && islower((unsigned char)*p)) /* others stand for words of the user's */
            printf("%.*s ", n, p);
        p += n;
        if (!*p)
            break;
    }
}

static void names_of(const struct described *c, const char *between)
{
    struct option_text o;
    for (size_t k = 0; args_option(k, &o); k++)
        if (takes(c, o.name))
            printf("%s%s", o.name, between);
}

static void completion_bash(void)
{
    puts("_tern() {\n    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} "
         "words=\n    COMPREPLY=()");
    printf("    if [ \"$COMP_CWORD\" -eq 1 ]; then\n        COMPREPLY=($(compgen -W '");
    for (size_t k = 0; k < NCOMMANDS; k++)
        printf("%s ", commands[k].name);
    printf("' -- \"$word\"))\n        return\n    fi\n    case $before in\n    --device) "
           "COMPREPLY=($(compgen -W 'auto interp cpu cuda "
           "vulkan' -- \"$word\")); return ;;\n    --to) COMPREPLY=($(compgen -W 'ir");
    for (size_t k = 0; back_targets[k]; k++)
        printf(" %s", back_targets[k]->name);
    puts("' -- \"$word\")); return ;;\n    esac\n    case ${COMP_WORDS[1]} in");
    for (size_t k = 0; k < NCOMMANDS; k++) {
        printf("    %s) words='", commands[k].name);
        names_of(&commands[k], " ");
        choices(&commands[k]);
        puts("' ;;");
    }
    puts("    esac\n    COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
         "    [ ${#COMPREPLY[@]} -gt 0 ] || COMPREPLY=($(compgen -f -- \"$word\"))\n}\ncomplete -o "
         "filenames -F _tern tern");
}

/* Text between single quotes, and without what zsh takes for its own. */
static void quoted(const char *text, const char *escaped)
{
    for (; *text; text++) {
        if (strchr(escaped, *text))
            putchar('\\');
        if (*text == '\'')
            fputs("'\\'", stdout);
        putchar(*text);
    }
}

static void completion_zsh(void)
{
    struct option_text o;
    puts("#compdef tern\n_tern() {\n    local -a commands\n    commands=(");
    for (size_t k = 0; k < NCOMMANDS; k++) {
        printf("        '%s:", commands[k].name);
        quoted(commands[k].about, ":");
        puts("'");
    }
    puts("    )\n    if (( CURRENT == 2 )); then\n        _describe command commands\n        "
         "return\n    fi\n    case $words[2] in");
    for (size_t k = 0; k < NCOMMANDS; k++) {
        printf("    %s)\n        _arguments", commands[k].name);
        for (size_t i = 0; args_option(i, &o); i++)
            if (takes(&commands[k], o.name)) {
                printf(" \\\n            '*%s[", o.name);
                quoted(o.about, ":[]");
                putchar(']');
                if (o.value) {
                    putchar(':');
                    quoted(o.value, ":[]");
                    putchar(':');
                    if (!strcmp(o.value, "FILE") || !strcmp(o.value, "DIR"))
                        fputs("_files", stdout);
                }
                putchar('\'');
            }
        if (takes_files(&commands[k])) {
            puts(" \\\n            '*:file:_files' ;;");
        } else {
            printf(" \\\n            '*:word:(");
            choices(&commands[k]);
            puts(")' ;;");
        }
    }
    puts("    esac\n}\ncompdef _tern tern");
}

static void completion_fish(void)
{
    struct option_text o;
    for (size_t k = 0; k < NCOMMANDS; k++) {
        const struct described *c = &commands[k];
        printf("complete -c tern -n __fish_use_subcommand -f -a %s -d '", c->name);
        quoted(c->about, "");
        puts("'");
        for (size_t i = 0; args_option(i, &o); i++) {
            if (!takes(c, o.name))
                continue;
            const bool two = !strncmp(o.name, "--", 2);
            printf("complete -c tern -n '__fish_seen_subcommand_from %s' %s %s %s -d '", c->name,
                   two          ? "-l"
                   : !o.name[2] ? "-s"
                                : "-o",
                   o.name + (two ? 2 : 1), o.value ? "-r" : "");
            quoted(o.about, "");
            puts("'");
        }
        if (!takes_files(c)) {
            printf("complete -c tern -n '__fish_seen_subcommand_from %s' -f -a '", c->name);
            choices(c);
            puts("'");
        }
    }
}

int command_completion(struct args *a)
{
    static const struct {
        const char *name;
        void (*write)(void);
    } shells[] = {{"bash", completion_bash}, {"zsh", completion_zsh}, {"fish", completion_fish}};
    for (size_t k = 0; a->input && k < sizeof shells / sizeof *shells; k++)
        if (!strcmp(a->input, shells[k].name)) {
            shells[k].write();
            return EXIT_FINE;
        }
    return complain("for which shell? bash, zsh or fish");
}
