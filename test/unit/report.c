/* Reports: one text and one JSON object for what any device has to say. */
#include "base/json.h"
#include "base/report.h"
#include "unit.h"

#include <stdlib.h>

static const char *text_of(struct unit *u, const struct report *r)
{
    struct sbuf s;
    sbuf_init(&s, u->arena);
    sbuf_puts(&s, "");
    report_text(r, &s);
    return s.data;
}

static const char *json_of(struct unit *u, const struct report *r)
{
    struct sbuf s;
    struct json_writer w;
    sbuf_init(&s, u->arena);
    json_begin(&w, &s, false);
    report_json(r, &w);
    return s.data;
}

static const struct report_place calls[] = {{.path = "k.cu", .line = 9, .column = 2},
                                            {.function = "outer"}};
static const struct report past_end = {
    .kind = REPORT_ACCESS,
    .error = TERN_ILLEGAL_ADDRESS,
    .device = "interp",
    .kernel = "k<int>",
    .has_block = true,
    .has_thread = true,
    .block = {1, 2, 3},
    .thread = {4, 5, 6},
    .at = {.path = "k.cu", .line = 3, .column = 7, .function = "inner"},
    .calls = calls,
    .ncalls = 2,
    .access = REPORT_WRITE,
    .address = 0x1040,
    .bytes = 4,
    .memory = {.name = "x", .space = "global memory", .base = 0x1000, .size = 64},
};

TEST(report_access_text)
{
    CHECK_STR(text_of(u, &past_end),
              "write of 4 bytes at 0x1040: right after the end of 'x' (64 bytes, global memory)\n"
              "  at k.cu:3:7 in 'inner'\n  called from k.cu:9:2\n  called from 'outer'\n"
              "  in kernel 'k<int>', block (1, 2, 3), thread (4, 5, 6)");
}

TEST(report_places_in_memory)
{
    struct report r = {.kind = REPORT_ACCESS, .access = REPORT_READ, .bytes = 4};
    r.memory = (struct report_memory){.space = "shared memory", .base = 100, .size = 10};
    r.address = 107;
    CHECK_STR(text_of(u, &r),
              "read of 4 bytes at 0x6b: across the end, at offset 7 of an allocation "
              "without a name (10 bytes, shared memory)");
    r.address = 99;
    r.memory.state = "has been freed";
    CHECK_STR(text_of(u, &r), "read of 4 bytes at 0x63: 1 byte before the start of an allocation "
                              "without a name (10 bytes, shared memory), which has been freed");
    r.memory = (struct report_memory){.note = "no allocation is near"};
    r.access = REPORT_ANY_ACCESS;
    r.advice = "look again";
    CHECK_STR(text_of(u, &r), "access to memory at 0x63: no allocation is near\n  look again");
}

TEST(report_other_kinds)
{
    struct report refused = {.kind = REPORT_REFUSED,
                             .error = TERN_INVALID_LAUNCH,
                             .kernel = "k",
                             .message = "the block has 2048 threads"};
    CHECK_STR(text_of(u, &refused), "kernel 'k' cannot be launched: the block has 2048 threads");
    struct report print = {.kind = REPORT_PRINT, .message = "two words", .length = 3};
    CHECK_STR(text_of(u, &print), "two");
    struct report bare = {.kind = REPORT_CALL, .error = TERN_OUT_OF_MEMORY};
    CHECK_STR(text_of(u, &bare), tern_error_text(TERN_OUT_OF_MEMORY));
    struct report race = {.kind = REPORT_FINDING,
                          .message = "two threads write 'x'",
                          .at = {.path = "k.cu", .line = 3},
                          .other = {.path = "k.cu", .line = 5},
                          .count = 12};
    CHECK_STR(text_of(u, &race),
              "two threads write 'x'\n  at k.cu:3\n  the other at k.cu:5\n  12 times");
    CHECK(!report_is_fault(&race) && report_is_fault(&past_end) && !report_is_fault(&print));
}

TEST(report_json_facts)
{
    const char *text = json_of(u, &past_end);
    size_t at;
    const char *wrong;
    struct json_value *v = json_parse(u->arena, text, strlen(text), &at, &wrong);
    CHECK(v != NULL);
    if (!v)
        return;
    CHECK_STR(json_get(v, "error")->string.ptr, "ILLEGAL_ADDRESS");
    CHECK_STR(json_get(v, "kind")->string.ptr, "access");
    CHECK_STR(json_get(v, "kernel")->string.ptr, "k<int>");
    CHECK_STR(json_get(v, "address")->string.ptr, "0x1040");
    CHECK(json_get(v, "thread")->first->number == 4);
    CHECK(json_get(json_get(v, "at"), "line")->number == 3);
    CHECK(json_get(json_get(v, "memory"), "offset")->number == 64);
    CHECK(json_get(v, "calls")->count == 2);
    CHECK(!json_get(v, "other") && !json_get(v, "count"));
}

/* A copy outlives all that the report pointed at. */
TEST(report_copies)
{
    char message[] = "something happened", kernel[] = "k", path[] = "k.cu";
    struct report r = past_end;
    r.message = message;
    r.kernel = kernel;
    r.at.path = path;
    const char *before = text_of(u, &r);
    struct report *copy = report_copy(&r);
    memset(message, '?', sizeof message - 1);
    kernel[0] = path[0] = '?';
    NEED(copy);
    struct sbuf after; /* not in the arena, which may unwind past the copy */
    sbuf_init(&after, NULL);
    report_text(copy, &after);
    const bool same = after.failed || !strcmp(after.data, before);
    const bool apart = copy->calls != calls && copy->calls[0].path != calls[0].path;
    free(copy);
    sbuf_free(&after);
    CHECK(same && apart);
}
