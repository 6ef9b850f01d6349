/* Conditions on devices: a small expression language over dev_info.
 *
 *     or:    and { "||" and }          and:  test { "&&" test }
 *     test:  "!" test | "(" or ")" | NAME | NAME ("<" "<=" ">" ">=" "==" "!=") NUMBER
 *     NUMBER: digits with a fraction, then KB, MB, GB, TB (1024 each) or nothing
 */
#include "rt/select.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    uint32_t flag;
    int kind; /* or -1 */
} words[] = {
    {"f64", DEV_F64, -1},
    {"i64", DEV_I64, -1},
    {"f16", DEV_F16, -1},
    {"cooperative", DEV_COOPERATIVE, -1},
    {"managed", DEV_MANAGED, -1},
    {"host", DEV_HOST_MEMORY, -1},
    {"software", DEV_SOFTWARE, -1},
    {"interp", 0, DEV_INTERP},
    {"cpu", 0, DEV_CPU},
    {"cuda", 0, DEV_CUDA},
    {"vulkan", 0, DEV_VULKAN},
};
enum { NWORDS = sizeof words / sizeof *words };

static const char *const numbers[] = {"memory", "free",  "units", "warp", "threads",
                                      "shared", "clock", "arch",  NULL};

static double number_of(const struct dev_info *i, size_t which)
{
    const double values[] = {
        (double)i->memory,        (double)i->memory_free, i->units,     i->warp_size,
        i->max_threads_per_block, i->shared_per_block,    i->clock_khz, i->arch};
    return values[which];
}

struct reader {
    const char *at;
    const struct dev_info *info;
    const char *wrong; /* NULL: nothing so far */
    unsigned depth;
};

static bool read_or(struct reader *r);

static void skip(struct reader *r)
{
    while (isspace((unsigned char)*r->at))
        r->at++;
}

static bool take(struct reader *r, const char *text)
{
    skip(r);
    size_t n = strlen(text);
    if (strncmp(r->at, text, n))
        return false;
    r->at += n;
    return true;
}

static bool fail(struct reader *r, const char *wrong)
{
    if (!r->wrong)
        r->wrong = wrong;
    return false;
}

static double read_number(struct reader *r)
{
    static const char units[] = "KMGT";
    char *end;
    skip(r);
    double value = strtod(r->at, &end);
    if (end == r->at)
        fail(r, "a number is missing");
    r->at = end;
    const char *unit = *end ? strchr(units, toupper((unsigned char)*end)) : NULL;
    if (unit) {
        for (const char *u = units; u <= unit; u++)
            value *= 1024;
        r->at++;
        if (toupper((unsigned char)*r->at) == 'B')
            r->at++;
    }
    return value;
}

static bool compare(struct reader *r, double left)
{
    static const char *const ops[] = {"<=", ">=", "==", "!=", "<", ">"};
    size_t op = 0;
    while (op < 6 && !take(r, ops[op]))
        op++;
    if (op == 6)
        return fail(r, "a comparison is missing");
    double right = read_number(r);
    const bool answers[] = {left <= right, left >= right, left == right, left != right,
                            left<right, left> right};
    return answers[op];
}

static bool read_test(struct reader *r)
{
    if (take(r, "!"))
        return !read_test(r);
    if (take(r, "(")) {
        if (++r->depth > 64)
            return fail(r, "it is nested too deeply");
        bool value = read_or(r);
        r->depth--;
        return take(r, ")") ? value : fail(r, "a ')' is missing");
    }
    skip(r);
    size_t n = 0;
    while (isalnum((unsigned char)r->at[n]) || r->at[n] == '_')
        n++;
    const char *name = r->at;
    r->at += n;
    for (size_t k = 0; k < NWORDS; k++)
        if (strlen(words[k].name) == n && !strncmp(words[k].name, name, n))
            return words[k].kind >= 0 ? (int)r->info->kind == words[k].kind
                                      : (r->info->flags & words[k].flag) != 0;
    if (n == 3 && !strncmp(name, "gpu", n))
        return r->info->kind == DEV_CUDA || r->info->kind == DEV_VULKAN;
    for (size_t k = 0; numbers[k]; k++)
        if (strlen(numbers[k]) == n && !strncmp(numbers[k], name, n))
            return compare(r, number_of(r->info, k));
    return fail(r, n ? "it names something that devices do not have" : "a name is missing");
}

static bool read_and(struct reader *r)
{
    bool value = read_test(r);
    while (!r->wrong && take(r, "&&")) {
        bool right = read_test(r);
        value = value && right;
    }
    return value;
}

static bool read_or(struct reader *r)
{
    bool value = read_and(r);
    while (!r->wrong && take(r, "||")) {
        bool right = read_and(r);
        value = value || right;
    }
    return value;
}

bool select_is_condition(const char *text)
{
    if (strpbrk(text, "<>=!&|( "))
        return true;
    if (!strcmp(text, "gpu"))
        return true;
    for (size_t k = 0; k < NWORDS; k++)
        if (words[k].kind < 0 && !strcmp(words[k].name, text))
            return true;
    return false;
}

enum tern_error select_meets(const char *condition, const struct dev_info *info, bool *out,
                             char *why)
{
    struct reader r = {.at = condition, .info = info};
    *out = read_or(&r);
    skip(&r);
    if (!r.wrong && *r.at)
        r.wrong = "something is left over";
    if (!r.wrong)
        return TERN_OK;
    snprintf(why, 256, "'%.100s' is not a condition on devices: %s, at '%.40s'", condition, r.wrong,
             r.at);
    return TERN_INVALID_ARGUMENT;
}
