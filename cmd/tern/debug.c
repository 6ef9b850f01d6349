/* `tern debug app.cu -- words`: builds the program with -G, and starts gdb on it, ready for
 * breakpoints in kernels. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/settings.h"
#include "rt/cache.h"
#include "tern.h"

/* What gdb is told before its first prompt. Python is not in every gdb: what needs it says so
 * itself. */
static const char before[] =
    "set breakpoint pending on\n"
    "set confirm off\n"
    "define kernel-where\n"
    "  printf \"block (%u, %u, %u), thread (%u, %u, %u)\\n\", blockIdx.x, blockIdx.y, blockIdx.z, "
    "threadIdx.x, threadIdx.y, threadIdx.z\n"
    "end\n"
    "document kernel-where\n"
    "Says which block and thread of the grid the kernel is stopped in.\n"
    "end\n"
    "define kernel-thread\n"
    "  if $argc == 2\n"
    "    tbreak if blockIdx.x == $arg0 && threadIdx.x == $arg1\n"
    "  else\n"
    "    tbreak if blockIdx.x == $arg0 && blockIdx.y == $arg1 && threadIdx.x == $arg2 && "
    "threadIdx.y == $arg3\n"
    "  end\n"
    "  continue\n"
    "end\n"
    "document kernel-thread\n"
    "kernel-thread BLOCK THREAD, kernel-thread BX BY TX TY: goes on until that thread comes to "
    "this "
    "line.\n"
    "end\n"
    "python\n"
    "import gdb, struct\n"
    "class Tuple:\n"
    "    def __init__(self, v): self.v = v\n"
    "    def to_string(self):\n"
    "        return '(' + ', '.join(str(self.v[f.name]) for f in self.v.type.fields()) + ')'\n"
    "class Half:\n"
    "    def __init__(self, v): self.v = v\n"
    "    def to_string(self):\n"
    "        f = self.v.type.fields()[0]\n"
    "        raw = bytes(gdb.selected_inferior().read_memory(int(self.v.address), 2))\n"
    "        brain = 'bf' in str(self.v.type)\n"
    "        return str(struct.unpack('<f', b'\\0\\0' + raw)[0] if brain else struct.unpack('<e', "
    "raw)[0])\n"
    "tuples = {t + n for n in '1234' for t in ('char uchar short ushort int uint long ulong "
    "longlong "
    "ulonglong float double').split()} | {'dim3'}\n"
    "halves = {'__half', '__nv_bfloat16'}\n"
    "def look(v):\n"
    "    name = str(v.type.strip_typedefs().unqualified())\n"
    "    if name in tuples: return Tuple(v)\n"
    "    if name in halves and v.address is not None: return Half(v)\n"
    "gdb.pretty_printers.append(look)\n"
    "end\n";

static bool write_commands(const char *path)
{
    FILE *f = fopen(path, "w");
    const bool good = f && fputs(before, f) >= 0;
    return f && fclose(f) == 0 && good;
}

/* gdb on the program: with commands from a file, and then it ends; else for a person. */
static int start(const struct args *a, const char *gdb, const char *init, const char *program)
{
    char **argv = calloc(a->rest.len + 12, sizeof *argv);
    size_t n = 0;
    if (!argv)
        return EXIT_MEMORY;
    argv[n++] = "gdb";
    argv[n++] = "-q";
    argv[n++] = "-nx";
    if (a->commands)
        argv[n++] = "-batch";
    argv[n++] = "-x";
    argv[n++] = (char *)init;
    if (a->commands) {
        argv[n++] = "-x";
        argv[n++] = (char *)a->commands;
    }
    argv[n++] = "--args";
    argv[n++] = (char *)program;
    for (size_t k = 0; k < a->rest.len; k++)
        argv[n++] = (char *)a->rest.data[k];
    unsetenv("DEBUGINFOD_URLS"); /* what it asks for at each start stays on this machine */
    setenv("TERN_DEVICES", "cpu", 1);
    const int code = run_and_wait(gdb, argv, "gdb", a->timeout);
    free(argv);
    return code;
}

static bool find_gdb(char *path, size_t size)
{
    const char *dirs = setting_text(SETTING_PATH);
    for (const char *p = dirs ? dirs : "/usr/local/bin:/usr/bin:/bin"; *p;) {
        const size_t n = strcspn(p, ":");
        if (n && (size_t)snprintf(path, size, "%.*s/gdb", (int)n, p) < size && !access(path, X_OK))
            return true;
        p += n + (p[n] == ':');
    }
    return false;
}

int command_debug(struct args *a)
{
    char gdb[4096], folder[512], program[sizeof folder + 16], init[sizeof folder + 16];
    if (!a->input)
        return complain("which program? tern debug FILE.cu [-- words]");
    if (access(a->input, R_OK)) {
        complain("%s: %s", a->input, strerror(errno));
        return EXIT_IO;
    }
    if (!find_gdb(gdb, sizeof gdb)) {
        complain("gdb is not here (Debian: apt-get install gdb)");
        return EXIT_DEVICE;
    }
    if (!cache_temporary(folder, sizeof folder, NULL, "tern-debug")) {
        complain("no temporary folder could be made: %s: %s", folder, strerror(errno));
        return EXIT_IO;
    }
    snprintf(program, sizeof program, "%s/program", folder);
    snprintf(init, sizeof init, "%s/commands", folder);
    a->mode.steps = true;
    int code = program_build(a, program, false);
    if (code == EXIT_FINE && !write_commands(init)) {
        complain("%s: %s", init, strerror(errno));
        code = EXIT_IO;
    }
    if (code == EXIT_FINE)
        code = start(a, gdb, init, program);
    unlink(program);
    unlink(init);
    rmdir(folder);
    return code;
}
