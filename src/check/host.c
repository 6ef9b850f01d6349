/* Where the host program is: the addresses that its calls return to, as FILE+0xOFFSET, which
 * whoever shows a finding looks up in the lines of the program. */
#include <dlfcn.h>
#include <elf.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "check/check_int.h"
#if __has_include(<execinfo.h>)
#include <execinfo.h>
#else
static int backtrace(void **at, int n)
{
    (void)at, (void)n;
    return 0;
}
#endif

void host_here(struct host_frames *out)
{
    void *at[HOST_FRAMES];
    const int n = backtrace(at, HOST_FRAMES);
    memset(out, 0, sizeof *out);
    for (int k = 0; k < n; k++)
        out->at[k] = (uint64_t)(uintptr_t)at[k];
}

/* What a program's lines count from: its addresses as they were linked. */
static uint64_t linked_at(const Dl_info *i)
{
    const Elf64_Ehdr *head = i->dli_fbase; /* the type lies where it does in one of 32 bits */
    return head->e_type == ET_EXEC ? 0 : (uint64_t)(uintptr_t)i->dli_fbase;
}

void host_text(const struct host_frames *f, char *out, size_t size)
{
    size_t used = 0;
    *out = 0;
    for (int k = 0; k < HOST_FRAMES && f->at[k]; k++) {
        Dl_info i;
        char self[512];
        if (!dladdr((void *)(uintptr_t)f->at[k], &i) || !i.dli_fname)
            continue;
        const char *path = i.dli_fname;
        if (!strchr(path, '/') ||
            access(path, R_OK)) { /* as it was called; or in a changed folder */
            const ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
            self[n > 0 ? n : 0] = 0;
            path = self;
        }
        /* the call, not what is behind it */
        const int n = snprintf(out + used, size - used, "%s%s+0x%llx", used ? "\n" : "", path,
                               (unsigned long long)(f->at[k] - linked_at(&i) - 1));
        if (n < 0 || (size_t)n >= size - used) {
            out[used] = 0;
            return;
        }
        used += (size_t)n;
    }
}

void check_here(char *out, size_t size)
{
    struct host_frames f;
    host_here(&f);
    host_text(&f, out, size);
}
