/* Preloaded: TERN_TEST_FAIL=PROGRAM:CALL:LEAST:MOST makes that call of that program (of malloc,
 * realloc, mmap) fail where so many bytes are asked for. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

void *__libc_malloc(size_t bytes);
void *__libc_realloc(void *p, size_t bytes);

static int fails(const char *call, size_t bytes)
{
    char program[64], which[16];
    size_t least, most;
    const char *wanted = getenv("TERN_TEST_FAIL");
    if (!wanted || sscanf(wanted, "%63[^:]:%15[^:]:%zu:%zu", program, which, &least, &most) != 4 ||
        strcmp(which, call) || strcmp(program, program_invocation_short_name) || bytes < least ||
        bytes > most)
        return 0;
    errno = ENOMEM;
    return 1;
}

void *malloc(size_t bytes)
{
    return fails("malloc", bytes) ? NULL : __libc_malloc(bytes);
}

void *realloc(void *p, size_t bytes)
{
    return fails("realloc", bytes) ? NULL : __libc_realloc(p, bytes);
}

void *mmap(void *at, size_t bytes, int protection, int flags, int file, off_t offset)
{
    return fails("mmap", bytes)
               ? MAP_FAILED
               : (void *)syscall(SYS_mmap, at, bytes, protection, flags, file, offset);
}
