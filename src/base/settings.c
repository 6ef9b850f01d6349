/* The environment: see settings.h. */
#include "base/settings.h"

#include <stdlib.h>
#include <string.h>

const struct setting_info setting_info[] = {
#define SETTING(name, variable, type, standard, about) {variable, standard, about},
#include "base/settings.def"
    {0},
};

const char *setting_raw(enum setting s)
{
    return getenv(setting_info[s].variable);
}

const char *setting_text(enum setting s)
{
    const char *text = setting_raw(s);
    return text && *text ? text : NULL;
}

bool setting_on(enum setting s)
{
    const char *text = setting_text(s);
    return text && strcmp(text, "0") != 0;
}

static bool read_number(const char *text, double *out)
{
    char *end;
    if (!text)
        return false;
    *out = strtod(text, &end);
    return end != text && !*end && *out >= 0;
}

double setting_number(enum setting s)
{
    double value;
    if (read_number(setting_text(s), &value) || read_number(setting_info[s].standard, &value))
        return value;
    return 0;
}
