/* Tests of base: memory, strings, containers, error numbers. */
#include <stdlib.h>
#include "unit.h"

TEST(arena_gives_aligned_zeroed_memory)
{
    for (size_t size = 0; size < 300; size += 7) {
        unsigned char *p = arena_alloc(u->arena, size);
        CHECK_INT((uintptr_t)p % 16, 0);
        for (size_t i = 0; i < size; i++)
            CHECK(!p[i]);
        memset(p, 0xff, size);
    }
}

TEST(arena_grow_keeps_and_zeroes)
{
    u->mem->exact = false; /* the two ways: in place, and to another place */
    unsigned char *p = NULL;
    size_t size = 0;
    for (int step = 0; step < 14; step++) {
        size_t bigger = size * 2 + 1;
        p = arena_grow(u->arena, p, size, bigger);
        for (size_t i = 0; i < bigger; i++)
            CHECK_INT(p[i], i < size ? (i & 0xff) : 0);
        for (size_t i = 0; i < bigger; i++)
            p[i] = i & 0xff;
        size = bigger;
        if (step % 3 == 0)
            memset(arena_alloc(u->arena, 8), 0xee, 8);
    }
}

/* Large blocks have pages of their own, which move when they grow and go back when they are
 * dropped. */
TEST(arena_gives_back_large_blocks)
{
    enum { LARGE = 3 << 20 };
    u->mem->exact = false;
    for (size_t size = LARGE / 4; size <= LARGE; size += LARGE / 4) {
        const size_t before = u->mem->used;
        unsigned char *p = arena_alloc(u->arena, size), *beside = arena_alloc(u->arena, size);
        for (size_t i = 0; i < size; i += 4093)
            CHECK(!p[i]);
        memset(p, 7, size);
        memset(beside, 9, size);
        p = arena_grow(u->arena, p, size, 5 * size);
        CHECK(p[0] == 7 && p[size - 1] == 7);
        for (size_t i = size; i < 5 * size; i += 4093)
            CHECK(!p[i]);
        CHECK(u->mem->used < before + 7 * size);
        arena_drop(u->arena, p, 5 * size);
        CHECK(beside[0] == 9 && beside[size - 1] == 9);
        arena_drop(u->arena, beside, size);
        CHECK_INT(u->mem->used, before);
        unsigned char *small = arena_alloc(u->arena, 40);
        arena_drop(u->arena, small, 40);
        CHECK(!small[39]);
    }
}

TEST(arena_accounts_for_every_byte)
{
    u->mem->exact = false;
    struct arena a;
    arena_init(&a, u->mem);
    jmp_buf *outer = u->mem->unwind, here;
    u->mem->unwind = &here;
    if (!setjmp(here))
        for (int i = 0; i < 1000; i++)
            arena_alloc(&a, 100);
    else
        CHECK(unit_injected(u));
    u->mem->unwind = outer;
    CHECK(u->mem->peak >= u->mem->used);
    arena_free(&a);
    CHECK_INT(u->mem->used, 0);
}

TEST_ONCE(arena_unwinds_at_the_limit)
{
    static struct mem mem;
    static jmp_buf here;
    static struct arena a;
    mem = (struct mem){.limit = 100000, .unwind = &here};
    arena_init(&a, &mem);
    if (!setjmp(here)) {
        for (int i = 0; i < 1000000; i++)
            arena_alloc(&a, 1000);
        CHECK(!"the limit held");
    }
    CHECK(mem.used <= 100000 && mem.used > 50000);
    arena_free(&a);
    CHECK_INT(mem.used, 0);
}

TEST_ONCE(arena_unwinds_on_impossible_sizes)
{
    static struct mem mem;
    static jmp_buf here;
    static struct arena a;
    static volatile int tries;
    mem = (struct mem){.unwind = &here};
    arena_init(&a, &mem);
    tries = 0;
    setjmp(here);
    switch (tries++) {
    case 0: arena_alloc(&a, SIZE_MAX); break;
    case 1: arena_alloc(&a, PTRDIFF_MAX); break;
    case 2: arena_array(&a, uint64_t, SIZE_MAX / 4); break;
    case 3: arena_grow(&a, arena_alloc(&a, 8), 8, SIZE_MAX - 8); break;
    }
    CHECK_INT(tries, 5);
    arena_free(&a);
}

TEST_ONCE(mem_fails_when_told)
{
    static struct mem mem;
    static jmp_buf here;
    static struct arena a;
    static volatile long n;
    for (n = 1; n < 5; n++) {
        mem = (struct mem){.unwind = &here, .fail_after = n, .exact = true};
        arena_init(&a, &mem);
        static volatile int made;
        made = 0;
        if (!setjmp(here))
            for (int i = 0; i < 10; i++, made++)
                arena_alloc(&a, 1);
        CHECK_INT(made, n - 1);
        arena_free(&a);
    }
}

TEST(arena_prints)
{
    CHECK_STR(arena_printf(u->arena, "%s-%d", "a", 5), "a-5");
    CHECK_STR(arena_strndup(u->arena, "hello", 4), "hell");
    CHECK_STR(arena_strndup(u->arena, NULL, 0), "");
}

TEST(vec_grows)
{
    VEC(int) v = {0};
    vec_each (int, x, &v)
        CHECK(!x);
    for (int i = 0; i < 1000; i++)
        vec_push(u->arena, &v, i);
    CHECK_INT(v.len, 1000);
    CHECK_INT(vec_last(&v), 999);
    int sum = 0;
    vec_each (int, x, &v)
        sum += *x;
    CHECK_INT(sum, 499500);
    CHECK_INT(vec_pop(&v), 999);
    vec_reserve(u->arena, &v, 5000);
    CHECK(v.cap >= 5000);
    CHECK_INT(v.data[998], 998);
}

TEST(str_views)
{
    CHECK(str_eq(STR("abc"), str_of("abc")));
    CHECK(!str_eq(STR("abc"), STR("abd")));
    CHECK(!str_eq(STR("abc"), STR("ab")));
    CHECK(str_eq((struct str){0}, STR("")));
    CHECK(str_is(STR("x"), "x") && !str_is(STR("x"), "xy"));
    CHECK(str_starts(STR("kernel"), "ker") && !str_starts(STR("ke"), "ker"));
}

TEST(intern_makes_one_of_equals)
{
    struct interner in;
    intern_init(&in, u->arena);
    char name[16];
    const char *seen[600];
    for (int i = 0; i < 600; i++) {
        int n = snprintf(name, sizeof name, "v%d", i);
        seen[i] = intern(&in, name, (size_t)n);
        CHECK_STR(seen[i], name);
        CHECK_INT(intern_len(seen[i]), n);
    }
    for (int i = 0; i < 600; i++) {
        snprintf(name, sizeof name, "v%d", i);
        CHECK(intern_z(&in, name) == seen[i]);
    }
    CHECK(intern(&in, "v1x", 2) == seen[1]);
    CHECK(intern(&in, "a\0b", 3) != intern(&in, "a\0c", 3));
    CHECK(intern(&in, NULL, 0) == intern_z(&in, ""));
}

static void fill(struct sbuf *b)
{
    sbuf_puts(b, "x=");
    sbuf_printf(b, "%d,%s", 42, "yes");
    sbuf_putc(b, ';');
    for (int i = 0; i < 100; i++)
        sbuf_printf(b, "%d ", i);
}

TEST(sbuf_in_an_arena)
{
    struct sbuf b;
    sbuf_init(&b, u->arena);
    CHECK_STR(b.data, "");
    fill(&b);
    CHECK_INT(b.len, strlen(b.data));
    CHECK(!strncmp(b.data, "x=42,yes;0 1 2 3", 16));
    CHECK(!strcmp(b.data + b.len - 6, "98 99 "));
}

TEST(sbuf_without_an_arena)
{
    struct sbuf b;
    sbuf_init(&b, NULL);
    fill(&b);
    CHECK(b.failed == unit_injected(u));
    CHECK_INT(b.len, strlen(b.data));
    CHECK(b.failed || !strncmp(b.data, "x=42,yes;0 1 2 3", 16));
    sbuf_free(&b);
    CHECK_STR(b.data, "");
}

TEST(sbuf_writes_little_endian)
{
    struct sbuf b;
    sbuf_init(&b, u->arena);
    sbuf_u32le(&b, 0x04030201);
    sbuf_u64le(&b, 0x0c0b0a0908070605);
    CHECK_STR(b.data, "\1\2\3\4\5\6\7\10\11\12\13\14");
}

TEST(map_keeps_order)
{
    struct map m;
    map_init(&m, u->arena);
    CHECK(!map_get(&m, 7) && !map_has(&m, 7) && !map_del(&m, 7));
    for (uint64_t i = 0; i < 500; i++)
        map_set(&m, i * i * 0x10001, (void *)(uintptr_t)(i + 1));
    for (uint64_t i = 0; i < 500; i += 2)
        CHECK(map_del(&m, i * i * 0x10001));
    CHECK_INT(m.nlive, 250);
    map_set(&m, 0, (void *)9); /* deleted before: now the newest */
    uint64_t next = 1;
    map_each (e, &m) {
        if (next > 500)
            CHECK_INT(e->key, 0);
        else
            CHECK_INT(e->key, next * next * 0x10001);
        next += 2;
    }
    CHECK_INT(next, 503);
    for (uint64_t i = 1; i < 500; i++)
        CHECK_INT((uintptr_t)map_get(&m, i * i * 0x10001), i % 2 ? i + 1 : 0);
}

TEST(map_holds_null_and_replaces)
{
    struct map m;
    map_init(&m, u->arena);
    map_set(&m, 1, NULL);
    CHECK(map_has(&m, 1) && !map_get(&m, 1));
    map_set(&m, 1, u);
    CHECK(map_get(&m, 1) == u);
    CHECK_INT(m.nlive, 1);
    for (int i = 0; i < 1000; i++) { /* deleting and adding does not grow it without end */
        map_set(&m, 5, u);
        CHECK(map_del(&m, 5));
    }
    CHECK(m.cap < 100);
}

TEST(hash_depends_on_every_byte)
{
    char text[32] = {0};
    uint64_t zero = hash_bytes(text, 31, 1);
    for (int i = 0; i < 31; i++) {
        text[i] = 1;
        CHECK(hash_bytes(text, 31, 1) != zero);
        text[i] = 0;
        CHECK(hash_bytes(text, (size_t)i, 1) != zero);
    }
    CHECK(hash_bytes(text, 31, 2) != zero);
}

TEST(errors_have_names_and_numbers)
{
    CHECK_STR(tern_error_name(TERN_OUT_OF_MEMORY), "OUT_OF_MEMORY");
    CHECK_STR(tern_error_text(TERN_OK), "no error");
    CHECK_INT(tern_error_cuda(TERN_ILLEGAL_ADDRESS), 700);
    CHECK_STR(tern_error_name((enum tern_error)9999), "INTERNAL");
    CHECK_STR(tern_error_name((enum tern_error) - 1), "INTERNAL");
}

TEST(sbuf_text_from_outside)
{
    struct sbuf b;
    sbuf_init(&b, u->arena);
    sbuf_comment(&b, "a*/b\n*//c\\");
    CHECK_STR(b.data, "a* /b?* //c?");
    b.len = 0;
    sbuf_quoted(&b, "a\"b\\c\n");
    CHECK_STR(b.data, "a\\\"b\\\\c\\012");
}
