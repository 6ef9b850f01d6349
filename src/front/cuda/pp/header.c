/* Which file an #include means.
 *
 * <name>: one of our own headers, then the standard ones that only the host half reads (unless -I
 * has one of a name that only begins so), then the directories given with -I, then those of known
 * libraries and the system's, which are skipped like the standard ones but for the few that device
 * code shares. "name": the includer's own directory first. Every path is looked at once; what was
 * found is remembered. */
#include <string.h>
#include "front/cuda/pp/pp_int.h"

static const struct {
    const char *pattern;
    enum pp_skip why;
    bool library; /* one that -I may have */
    const char *declares;
} host_headers[] = {
#define HEADER(pattern, why, declares)  {pattern, PP_SKIP_##why, false, declares},
#define LIBRARY(pattern, why, declares) {pattern, PP_SKIP_##why, true, declares},
#define SHARED(pattern)
#include "front/cuda/pp/host_headers.def"
};

static const char *const shared_headers[] = {
#define HEADER(pattern, why, declares)
#define LIBRARY(pattern, why, declares)
#define SHARED(pattern) pattern,
#include "front/cuda/pp/host_headers.def"
};

/* A pattern is a name, or the beginning of one with a star behind it. */
static bool matches(const char *pattern, size_t n, const char *name)
{
    if (n && pattern[n - 1] == '*')
        return !strncmp(pattern, name, n - 1);
    return strlen(name) == n && !memcmp(pattern, name, n);
}

const struct pp_skipped *pp_skipped_for(const struct pp_result *r, const char *name)
{
    for (size_t i = 0; i < r->skipped.len; i++) {
        const char *p = r->skipped.data[i].declares;
        while (p && *p) {
            size_t n = strcspn(p, " ");
            if (matches(p, n, name))
                return &r->skipped.data[i];
            p += n;
            p += strspn(p, " ");
        }
    }
    return NULL;
}

/* "a/../b" as "b": embedded files have one name each. */
static const char *without_parents(struct pp *pp, const char *name)
{
    const char *up;
    while ((up = strstr(name, "/../"))) {
        const char *start = up;
        while (start > name && start[-1] != '/')
            start--;
        name = arena_printf(pp->arena, "%.*s%s", (int)(start - name), name, up + 4);
    }
    return name;
}

/* Standard headers lie in a folder of their own, so that the host half does not find them. */
struct pp_header *pp_embedded(struct pp *pp, const char *name)
{
    name = without_parents(pp, name);
    const char *path = intern_z(pp->names, arena_printf(pp->arena, "<tern>/%s", name));
    struct pp_header *h = map_get(&pp->headers, map_key(path));
    if (h)
        return h->file ? h : NULL;
    const struct embedded_file *e = NULL;
    if (pp->opt->host)
        e = embedded_header(arena_printf(pp->arena, "host/%s", name));
    if (!e)
        e = embedded_header(name);
    if (!e)
        e = embedded_header(arena_printf(pp->arena, "std/%s", name));
    h = arena_new(pp->arena, struct pp_header);
    h->path = path;
    h->system = h->embedded = true;
    h->file = e;
    h->len = e ? e->len : 0;
    map_set(&pp->headers, map_key(path), h);
    return e ? h : NULL;
}

/* #pragma once: the same file under another path is known by its contents. */
static bool seen_elsewhere(struct pp *pp, const struct pp_header *h)
{
    map_each (it, &pp->headers) {
        const struct pp_header *other = it->value;
        if (other != h && other->once && !other->embedded && other->hash == h->hash &&
            other->len == h->len && !memcmp(other->text, h->text, h->len))
            return true;
    }
    return false;
}

static struct pp_header *on_disk(struct pp *pp, const char *path)
{
    path = intern_z(pp->names, path);
    struct pp_header *h = map_get(&pp->headers, map_key(path));
    if (h)
        return h->text ? h : NULL;
    h = arena_new(pp->arena, struct pp_header);
    h->path = path;
    if (pp->opt->read_file)
        h->text = pp->opt->read_file(pp->opt->read_ctx, pp->arena, path, &h->len);
    if (h->text) {
        h->hash = hash_bytes(h->text, h->len, 0);
        h->once = h->read = seen_elsewhere(pp, h);
        vec_push(pp->arena, &pp->out->dependencies, path);
    }
    map_set(&pp->headers, map_key(path), h);
    return h->text ? h : NULL;
}

static const char *join(struct pp *pp, const char *dir, const char *name)
{
    if (!*dir || *name == '/')
        return name;
    return arena_printf(pp->arena, "%s%s%s", dir, dir[strlen(dir) - 1] == '/' ? "" : "/", name);
}

static bool in_include_dirs(struct pp *pp, const char *name, int from, struct pp_header **header,
                            int *dir_index)
{
    for (size_t i = (size_t)from; i < pp->opt->ninclude_dirs; i++)
        if ((*header = on_disk(pp, join(pp, pp->opt->include_dirs[i], name)))) {
            *dir_index = (int)i;
            return true;
        }
    return false;
}

/* Is a folder of -I the program's own? Not where the system or a toolkit has its headers. */
static bool is_programs(struct pp *pp, const char *dir)
{
    static const char *const others[] = {"cuda_runtime_api.h", "stdio.h", "cstdio", "bits/types.h",
                                         "stddef.h"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (on_disk(pp, join(pp, dir, others[i])))
            return false;
    return true;
}

/* A header of the program's whose name begins as those of a library do: cufft_helpers.h, net/it.h.
 * A name that is known whole is the library's all the same. */
static bool only_begins_so(struct pp *pp, const char *name, struct pp_header **header,
                           int *dir_index)
{
    for (size_t i = 0; i < sizeof host_headers / sizeof *host_headers; i++)
        if (!strcmp(host_headers[i].pattern, name))
            return false;
    return in_include_dirs(pp, name, 0, header, dir_index) &&
           is_programs(pp, pp->opt->include_dirs[*dir_index]);
}

static bool in_host_list(const char *name, bool library, enum pp_skip *why, const char **declares)
{
    for (size_t i = 0; i < sizeof host_headers / sizeof *host_headers; i++)
        if (host_headers[i].library == library &&
            matches(host_headers[i].pattern, strlen(host_headers[i].pattern), name)) {
            *why = host_headers[i].why;
            *declares = host_headers[i].declares;
            return true;
        }
    return false;
}

static bool in_system_dirs(struct pp *pp, const char *name, struct pp_header **header)
{
    bool shared = false;
    for (size_t i = 0; i < sizeof shared_headers / sizeof *shared_headers; i++)
        shared |= matches(shared_headers[i], strlen(shared_headers[i]), name);
    for (size_t i = 0; i < pp->opt->nsystem_dirs && shared; i++)
        if ((*header = on_disk(pp, join(pp, pp->opt->system_dirs[i], name))))
            return true;
    return false;
}

/* Thrust, CUB and libcu++ of -I take the place of our own, except where the folder is an installed
 * toolkit's, which is there for its other headers. A mixture of both would not fit together: where
 * -I has a library, what it does not have is absent. */
static enum header_found other_library(struct pp *pp, const char *name, struct pp_header **header,
                                       int *dir_index)
{
    static const struct {
        const char *folder, *version;
    } libraries[] = {{"thrust/", "thrust/version.h"},
                     {"cub/", "cub/version.cuh"},
                     {"cuda/", "cuda/std/version"},
                     {"nv/", "nv/target"}};
    const char *version = NULL;
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
        if (!strncmp(name, libraries[i].folder, strlen(libraries[i].folder)))
            version = libraries[i].version;
    if (!version || (pp->buf->header && pp->buf->header->embedded))
        return HEADER_SKIP;
    bool there = false;
    for (size_t i = 0; i < pp->opt->ninclude_dirs; i++) {
        const char *dir = pp->opt->include_dirs[i];
        if (on_disk(pp, join(pp, dir, "cuda_runtime_api.h")))
            continue;
        if ((*header = on_disk(pp, join(pp, dir, name)))) {
            *dir_index = (int)i;
            return HEADER_READ;
        }
        there |= on_disk(pp, join(pp, dir, version)) != NULL;
    }
    return there ? HEADER_ABSENT : HEADER_SKIP;
}

enum header_found pp_find_header(struct pp *pp, const char *name, bool quoted, bool next,
                                 struct pp_header **header, int *dir_index, enum pp_skip *why,
                                 const char **declares)
{
    const struct pp_buffer *from = pp->buf;
    *dir_index = -1;
    if (strlen(name) > PP_MAX_PATH)
        return HEADER_ABSENT;
    if (from->header && from->header->embedded && quoted) { /* relative, as on disk */
        const char *own = from->dir + strlen("<tern>");
        *header = pp_embedded(pp, join(pp, *own ? own + 1 : own, name));
        if (*header)
            return HEADER_READ;
    }
    if (*name == '/') {
        *header = on_disk(pp, name);
        return *header ? HEADER_READ : HEADER_ABSENT;
    }
    if (next) {
        if (in_include_dirs(pp, name, from->dir_index + 1, header, dir_index))
            return HEADER_READ;
    } else if (quoted && (*header = on_disk(pp, join(pp, from->dir, name)))) {
        return HEADER_READ;
    }
    const enum header_found other = next ? HEADER_SKIP : other_library(pp, name, header, dir_index);
    if (other != HEADER_SKIP)
        return other;
    if ((*header = pp_embedded(pp, name)))
        return HEADER_READ;
    if (in_host_list(name, false, why, declares)) {
        if (!next && only_begins_so(pp, name, header, dir_index))
            return HEADER_READ;
        *dir_index = -1;
        return HEADER_SKIP;
    }
    if (!next && in_include_dirs(pp, name, 0, header, dir_index))
        return HEADER_READ;
    if (pp->opt->host && (*header = pp_embedded(pp, join(pp, "samples", name))))
        return HEADER_READ; /* where the toolkit's samples are not, what they share */
    if (in_system_dirs(pp, name, header))
        return HEADER_READ;
    if (in_host_list(name, true, why, declares))
        return HEADER_SKIP;
    for (size_t i = 0; i < pp->opt->nsystem_dirs && !pp->opt->host; i++)
        if (pp->opt->read_file) {
            size_t len;
            if (pp->opt->read_file(pp->opt->read_ctx, pp->arena,
                                   join(pp, pp->opt->system_dirs[i], name), &len)) {
                *why = PP_SKIP_HOST;
                *declares = "";
                return HEADER_SKIP;
            }
        }
    return HEADER_ABSENT;
}

void pp_note_searched(struct pp *pp, const char *name, bool quoted, struct span at)
{
    struct sbuf *b = &pp->scratch;
    b->len = 0;
    sbuf_puts(b, "looked in Tern's own headers");
    if (quoted && *name != '/')
        sbuf_printf(b, ", %s", *pp->buf->dir ? pp->buf->dir : "the working directory");
    for (size_t i = 0; i < pp->opt->ninclude_dirs; i++)
        sbuf_printf(b, ", %s", pp->opt->include_dirs[i]);
    for (size_t i = 0; i < pp->opt->nsystem_dirs; i++)
        if (strncmp(pp->opt->system_dirs[i], "/usr/include/", 13) != 0) /* a part of that one */
            sbuf_printf(b, ", %s", pp->opt->system_dirs[i]);
    diag_note(pp->diag, at, "%s", b->data);
}
