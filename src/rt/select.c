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
} words[] = {
#define DEV_FLAG(bit, name, word, json) {word, DEV_##name},
#include "rt/flags.def"
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
    const struct dev_driver *driver;
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

static size_t word_length(const char *text)
{
    size_t n = 0;
    while (isalnum((unsigned char)text[n]) || text[n] == '_')
        n++;
    return n;
}

static bool is_word(const char *text, size_t n, const char *word)
{
    return strlen(word) == n && !strncmp(word, text, n);
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
    const size_t n = word_length(r->at);
    const char *name = r->at;
    r->at += n;
    for (size_t k = 0; k < NWORDS; k++)
        if (is_word(name, n, words[k].name))
            return (r->info->flags & words[k].flag) != 0;
    for (size_t k = 0; dev_drivers[k]; k++)
        if (is_word(name, n, dev_drivers[k]->name))
            return dev_drivers[k] == r->driver;
    for (size_t k = 0; numbers[k]; k++)
        if (is_word(name, n, numbers[k]))
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
    for (size_t k = 0; k < NWORDS; k++)
        if (!strcmp(words[k].name, text))
            return true;
    return false;
}

bool select_mentions(const char *condition, uint32_t flag)
{
    for (const char *s = condition; *s;) {
        const size_t n = word_length(s);
        for (size_t k = 0; k < NWORDS; k++)
            if (words[k].flag == flag && is_word(s, n, words[k].name))
                return true;
        s += n ? n : 1;
    }
    return false;
}

enum tern_error select_meets(const char *condition, const struct dev_driver *driver,
                             const struct dev_info *info, bool *out, char *why)
{
    struct reader r = {.at = condition, .driver = driver, .info = info};
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
