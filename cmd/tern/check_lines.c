/* The lines of the host program that findings speak of: addresses (FILE+0xOFFSET, the innermost
 * call first) are asked of addr2line, which comes with the compilers that build programs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tern.h"

/* What addr2line says of one address, all that was inlined there: lines of FILE:LINE. */
static bool ask(const char *file, const char *offset, char *out, size_t size)
{
    int ends[2];
    size_t used = 0;
    if (pipe(ends))
        return false;
    const pid_t child = fork();
    if (!child) {
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        close(ends[1]);
        if (!freopen("/dev/null", "w", stderr))
            _exit(127);
        execlp("addr2line", "addr2line", "-i", "-e", file, offset, (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    for (ssize_t n;
         child > 0 && used + 1 < size && (n = read(ends[0], out + used, size - 1 - used)) > 0;)
        used += (size_t)n;
    out[used] = 0;
    close(ends[0]);
    int status = 1;
    while (child > 0 && waitpid(child, &status, 0) < 0)
        ;
    return child > 0 && !status && used;
}

/* Headers of ours and of the system's libraries, and Tern itself where it was built to be debugged.
 */
static bool is_the_programs(const char *path)
{
    static const char *const others[] = {"/include/cuda/", "/include/c++/", "/src/cuda/",
                                         "/src/check/",    "/src/api/",     "/src/rt/",
                                         "/src/base/",     "/sysdeps/",     "/csu/"};
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        if (strstr(path, others[k]))
            return false;
    return path[0] != '?' && strncmp(path, "/usr/include/", 13) != 0;
}

/* As whoever reads it would write it. */
static const char *from_here(const char *path)
{
    char here[1024];
    const size_t n = getcwd(here, sizeof here) ? strlen(here) : 0;
    return n > 1 && !strncmp(path, here, n) && path[n] == '/' ? path + n + 1 : path;
}

/* The first line of the program's own that is not to be left out; `skip` goes down with those that
 * are. */
static bool first_of(char *answer, unsigned *skip, struct host_line *out)
{
    for (char *at = answer, *next; at && *at; at = next) {
        next = strchr(at, '\n');
        if (next)
            *next++ = 0;
        char *colon = strrchr(at, ':');
        if (!colon || !is_the_programs(at) || atoi(colon + 1) <= 0)
            continue;
        *colon = 0;
        snprintf(out->path, sizeof out->path, "%.1000s", from_here(at));
        out->line = (unsigned)atoi(colon + 1);
        if (!*skip)
            return true;
        --*skip;
    }
    return false;
}

bool host_line_of(const char *frames, unsigned skip, struct host_line *out)
{
    char frame[4096], answer[8192];
    *out = (struct host_line){0};
    for (const char *at = frames; at && *at; at = strchr(at, '\n'), at += at != NULL) {
        snprintf(frame, sizeof frame, "%.*s", (int)strcspn(at, "\n"), at);
        char *plus = strrchr(frame, '+');
        if (!plus)
            continue;
        *plus = 0;
        if (ask(frame, plus + 1, answer, sizeof answer) && first_of(answer, &skip, out))
            return true;
    }
    return out->line; /* the last one, where there are fewer */
}

void host_line_text(const struct host_line *l, char *out, size_t size)
{
    FILE *f = fopen(l->path, "r");
    *out = 0;
    for (unsigned k = 0; f && k < l->line; k++)
        if (!fgets(out, (int)size, f)) {
            *out = 0;
            break;
        }
    if (f)
        fclose(f);
    out[strcspn(out, "\r\n")] = 0;
    memmove(out, out + strspn(out, " \t"), strlen(out + strspn(out, " \t")) + 1);
}
