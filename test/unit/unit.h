/* A small unit-test frame. A test is
 *
 *     TEST(map_keeps_order)
 *     {
 *         struct map m;
 *         map_init(&m, u->arena);
 *         CHECK(map_get(&m, 1) == NULL);
 *         CHECK_INT(m.len, 0);
 *     }
 *
 * Each test runs once plainly and then again and again, with the first, second, third… allocation
 * of the library failing, until it no longer makes that many. An arena that cannot have memory
 * unwinds to the frame, which checks that freeing u->arena gave everything back. Where a failed
 * allocation comes back as an error, NEED ends the test quietly if a failure was injected. A test
 * that would be too slow that way says TEST_ONCE. */
#ifndef TEST_UNIT_H
#define TEST_UNIT_H

#include <stdio.h>
#include <string.h>
#include "base/base.h"

struct unit {
    struct mem *mem;
    struct arena *arena; /* freed after the test */
    bool injected;       /* an allocation was made to fail */
    bool failed;
};

struct unit_test {
    const char *name, *file;
    void (*run)(struct unit *u);
    bool once;
    struct unit_test *next;
};
void unit_register(struct unit_test *t);
void unit_fail(struct unit *u, const char *file, int line, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
bool unit_injected(struct unit *u); /* whether a failure was injected in this run so far */

/* How much longer than in a release build a test may take: sanitizers and emulation are slow.
 * A test that checks a time multiplies it with this. */
double unit_patience(void);

/* Where many cases test the same, each so many-th is taken: every one; in an emulator each
 * eleventh, so that seeds whose bits say what is in a module have all of them. */
unsigned unit_stride(void);

#define UNIT_TEST(test, only_once)                                                                 \
    static void test(struct unit *u);                                                              \
    __attribute__((constructor)) static void register_##test(void)                                 \
    {                                                                                              \
        static struct unit_test t = {#test, __FILE__, test, only_once, NULL};                      \
        unit_register(&t);                                                                         \
    }                                                                                              \
    static void test(struct unit *u)
#define TEST(test)      UNIT_TEST(test, false)
#define TEST_ONCE(test) UNIT_TEST(test, true)

#define CHECK(cond)                                                                                \
    do {                                                                                           \
        if (!(cond))                                                                               \
            unit_fail(u, __FILE__, __LINE__, "%s", #cond);                                         \
    } while (0)
#define CHECK_INT(got, want)                                                                       \
    do {                                                                                           \
        long long got_ = (long long)(got), want_ = (long long)(want);                              \
        if (got_ != want_)                                                                         \
            unit_fail(u, __FILE__, __LINE__, "%s is %lld, not %lld", #got, got_, want_);           \
    } while (0)
#define CHECK_STR(got, want)                                                                       \
    do {                                                                                           \
        const char *got_ = (got), *want_ = (want);                                                 \
        if (!got_ || strcmp(got_, want_))                                                          \
            unit_fail(u, __FILE__, __LINE__, "%s is \"%s\", not \"%s\"", #got,                     \
                      got_ ? got_ : "(null)", want_);                                              \
    } while (0)
#define NEED(cond)                                                                                 \
    do {                                                                                           \
        if (!(cond)) {                                                                             \
            if (!unit_injected(u))                                                                 \
                unit_fail(u, __FILE__, __LINE__, "%s", #cond);                                     \
            return;                                                                                \
        }                                                                                          \
    } while (0)

#endif
