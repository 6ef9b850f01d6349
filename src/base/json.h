/* JSON out (streaming into an sbuf) and in (a tree in an arena, with depth and size limits). */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include "base/str.h"

struct json_writer {
    struct sbuf *out;
    unsigned depth;
    bool pretty;
    uint64_t comma, array; /* bit per depth: a member was written; it is an array */
    bool after_key;
};
void json_begin(struct json_writer *w, struct sbuf *out, bool pretty);
void json_object(struct json_writer *w);
void json_array(struct json_writer *w);
void json_end(struct json_writer *w); /* closes the innermost object or array */
void json_key(struct json_writer *w, const char *key);
void json_str(struct json_writer *w, const char *z); /* NULL writes null; bad UTF-8 is replaced */
void json_strn(struct json_writer *w, const char *p, size_t n);
void json_int(struct json_writer *w, int64_t v);
void json_uint(struct json_writer *w, uint64_t v);
void json_double(struct json_writer *w,
                 double v); /* shortest form that reads back; inf/nan: null */
void json_bool(struct json_writer *w, bool v);
void json_null(struct json_writer *w);
void json_raw(struct json_writer *w, const char *json, size_t n); /* a value that is JSON already */

enum json_kind { JSON_NULL, JSON_BOOL, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };
struct json_value {
    enum json_kind kind;
    bool boolean;
    double number;
    struct str string;
    const char *key;                 /* in an object */
    struct json_value *first, *next; /* members or elements */
    size_t count;
};
/* NULL on malformed input; *error_at is the offset and *error the reason. Depth limit 256. */
struct json_value *json_parse(struct arena *a, const char *text, size_t n, size_t *error_at,
                              const char **error);
struct json_value *json_get(const struct json_value *object, const char *key);

#endif
