/* tern slurm: a job script for a program with several ranks. It writes the script and nothing else:
 * who submits it is sbatch. */
#include <stdio.h>
#include <string.h>
#include "tern.h"

/* A word as the shell reads it: as it is, whatever is in it. */
static void quoted(FILE *out, const char *word)
{
    if (*word && strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                              "_-+./:=,@%") == strlen(word)) {
        fputs(word, out);
        return;
    }
    putc('\'', out);
    for (; *word; word++)
        if (*word == '\'')
            fputs("'\\''", out);
        else
            putc(*word, out);
    putc('\'', out);
}

static bool ends_in(const char *text, const char *end)
{
    const size_t n = strlen(text), m = strlen(end);
    return n > m && !strcmp(text + n - m, end);
}

static void header(FILE *out, const struct args *a, const char *name)
{
    fprintf(out, "#!/bin/bash\n#SBATCH --job-name=");
    for (const char *c = name; *c; c++) /* a comment to the shell: what is odd is left out */
        putc(strchr(" \t\n\"'\\$`;&|<>()", *c) ? '_' : *c, out);
    fprintf(out, "\n#SBATCH --nodes=%u\n#SBATCH --ntasks-per-node=%u\n", a->nodes, a->ranks);
    if (a->cpus)
        fprintf(out, "#SBATCH --cpus-per-task=%u\n", a->cpus);
    if (a->gres)
        fprintf(out, "#SBATCH --gres=%s\n", a->gres);
    if (a->timeout > 0) {
        const unsigned s = (unsigned)(a->timeout + 0.999);
        fprintf(out, "#SBATCH --time=%u:%02u:%02u\n", s / 3600, s / 60 % 60, s % 60);
    }
}

/* A step of one task a node, before the ranks start: none of them compiles what was compiled
 * before. */
static void warm(FILE *out, const struct args *a)
{
    fprintf(out,
            "# Compiled code for each node. A node that cannot take it compiles by itself.\n"
            "srun --nodes=%u --ntasks=%u --ntasks-per-node=1 tern cache load ",
            a->nodes, a->nodes);
    quoted(out, a->warm);
    fputs(" || true\n", out);
}

int command_slurm(struct args *a)
{
    if (!a->input)
        return complain("slurm: which program? tern slurm [--nodes N] [--ranks N] PROGRAM [words]");
    if (!a->nodes || !a->ranks)
        return complain("slurm: a job has a node and a rank at least");
    if (a->gres && strpbrk(a->gres, " \t\n\"'`$;&|<>\\"))
        return complain("slurm: --gres takes what Slurm does, as gpu:2");
    FILE *out = a->output ? fopen(a->output, "w") : stdout;
    if (!out) {
        complain("%s cannot be written", a->output);
        return EXIT_IO;
    }
    const char *slash = strrchr(a->input, '/'), *name = slash ? slash + 1 : a->input;
    const bool source = ends_in(a->input, ".cu");
    header(out, a, name);
    fputs(
        "set -e\n"
        "# Ranks without a device of their own choice take the one of their number on the node.\n",
        out);
    if (a->device) {
        fputs("export TERN_DEVICES=", out);
        quoted(out, a->device);
        putc('\n', out);
    }
    if (a->warm)
        warm(out, a);
    if (source) {
        fputs("program=$PWD/job-$SLURM_JOB_ID\ntrap 'rm -f \"$program\"' EXIT\nterncc -O2 ", out);
        quoted(out, a->input);
        fputs(" -o \"$program\" -lnccl\n", out);
    }
    fputs("srun --kill-on-bad-exit=1 ", out);
    if (a->cpus)
        fprintf(out, "--cpus-per-task=%u ", a->cpus); /* srun does not take it from the job */
    if (source)
        fputs("\"$program\"", out);
    else
        quoted(out, a->input);
    for (size_t k = 0; k < a->rest.len; k++) {
        putc(' ', out);
        quoted(out, a->rest.data[k]);
    }
    putc('\n', out);
    const bool written = !fflush(out) && !ferror(out);
    if (a->output)
        fclose(out);
    if (!written) {
        complain("%s could not be written", a->output ? a->output : "standard output");
        return EXIT_IO;
    }
    return EXIT_FINE;
}
