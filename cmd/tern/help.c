/* tern help, tern version. */
#include <stdio.h>
#include <string.h>
#include "check/check.h"
#include "tern.h"
#include "tern/version.h"

static const char about[] =
    "tern runs CUDA anywhere.\n"
    "\n"
    "  tern run FILE [options]           run a program, or one of its kernels\n"
    "  tern compile FILE --to TARGET     show what becomes of it\n"
    "  tern analyze FILE [--block X,Y,Z] what its kernels need, and what will make them slow\n"
    "  tern check FILE.cu|PROGRAM        run it, and say what it does wrong with memory and "
    "threads\n"
    "  tern serve [--port N]             the playground, at http://localhost:8080\n"
    "  tern exec PROGRAM [words]         run a program that nvcc built\n"
    "  tern prof FILE.cu | PROGRAM       run it, and show where the time goes\n"
    "  tern init FOLDER                  make a small project\n"
    "  tern pack FILE.cu -o PROGRAM      one file, for machines that have nothing but libc\n"
    "  tern debug FILE.cu [-- words]     run it in gdb, with breakpoints in kernels\n"
    "  tern bench FILE|PROGRAM|BUILT-IN  how long it takes, and how sure that is\n"
    "  tern doctor [--json]              what this machine can do, how well, and what is missing\n"
    "  tern devices [--json|--topology]  what there is to run on\n"
    "  tern tune blas                    measure a library's kernels, and keep what is fastest\n"
    "  tern slurm [--nodes N] PROGRAM    a job script for a program with several ranks\n"
    "  tern mpi PROGRAM [words]          a rank of mpirun's, with device pointers in MPI's calls\n"
    "  tern model [COLLECTIVE]           how long it would take on many machines\n"
    "  tern cache [clear|save|load]      compiled kernels that are kept\n"
    "  tern completion bash|zsh|fish     what a shell needs to complete command lines\n"
    "  tern man [COMMAND]                a manual page\n"
    "  tern help [COMMAND|exit-codes|environment]\n"
    "  tern version\n"
    "\n"
    "FILE is CUDA C++ (.cu), PTX (.ptx) or Tern's IR (.ir); - is standard input.\n"
    "\nOptions:\n";

static const char about_run[] =
    "tern run FILE.cu… [-- words for the program]\n"
    "\n"
    "Builds the program, host code and all, and runs it; its exit status is the program's. One of\n"
    "several files takes the system's C++ compiler.\n"
    "\n"
    "tern run FILE --kernel NAME --grid 4 --block 256 --arg ARG… [--print N]\n"
    "\n"
    "Compiles FILE, gives the kernel its arguments in order, runs it, and shows each buffer with "
    "its\n"
    "first N elements, their sum over all, and a checksum (FNV-1a, 64 bits, of its bytes).\n"
    "\n"
    "  --arg TYPE:VALUE           a number: f32:2.5 i32:-1 u64:0x10\n"
    "  --arg TYPE[COUNT]=INIT     a buffer, passed as a pointer; INIT is\n"
    "      iota        0 1 2 3 …\n"
    "      zero        as if there were no =INIT\n"
    "      rand:SEED   floats in [0, 1), integers of all sizes; the same for the same seed\n"
    "      VALUE       all the same\n"
    "      file:PATH   the bytes of a file\n"
    "  --arg bytes:HEX            a class passed by value\n"
    "  TYPE: i8 u8 i16 u16 i32 u32 i64 u64 f16 bf16 f32 f64\n"
    "\n"
    "A file may say how it wants to be run, in a comment: `// tern run: --kernel … --arg …`. That "
    "line\n"
    "counts when the command line names no kernel and gives no launch.\n";

static const char about_exec[] =
    "tern exec [--device NAME] PROGRAM [words]\n"
    "\n"
    "Runs a program that nvcc built, with Tern's libcudart and libcuda in front of NVIDIA's. The\n"
    "program must bring PTX (nvcc -gencode arch=compute_80,code=compute_80) and be linked with "
    "the\n"
    "shared runtime (nvcc -cudart shared). Its exit status is the program's.\n";

static const char about_slurm[] =
    "tern slurm [options] PROGRAM [words]\n"
    "\n"
    "Writes a job script for sbatch, to standard output or with -o into a file. A source (.cu) is "
    "built\n"
    "by the job, once. Ranks that choose no device take the one of their number on the node.\n"
    "\n"
    "  --nodes N          machines (default 1)\n"
    "  --ranks N          ranks on each of them (default 1)\n"
    "  --cpus N           cores of each rank\n"
    "  --gres WHAT        what each node is to have, as gpu:2; ranks see what the step is given\n"
    "  --warm FILE        compiled code of `tern cache save FILE`, for each node before the ranks "
    "start\n"
    "  --timeout SECONDS  the job's limit\n"
    "  --device NAMES     the devices of each rank, as TERN_DEVICES has them\n";

static const char about_mpi[] =
    "tern mpi [--device NAMES] PROGRAM [words]\n"
    "\n"
    "Runs a rank of an MPI program whose calls have pointers to memory of a device: a library in "
    "front\n"
    "of MPI copies what the host cannot read. It is built by mpicc when it is first needed, and "
    "kept.\n"
    "Calls with memory of the host go to MPI as they are. One-sided calls (MPI_Put, windows) on "
    "memory\n"
    "of a device are refused.\n";

static const char about_model[] =
    "tern model [options] [all-reduce|broadcast|reduce|all-gather|reduce-scatter]\n"
    "tern model --measure\n"
    "\n"
    "A discrete-event model of NCCL's collectives as Tern does them: how long one takes on so many "
    "machines,\n"
    "what it sends, how long ranks take to meet, and when all know of a rank that is lost.\n"
    "\n"
    "  --nodes N          machines (default 1)\n"
    "  --ranks N          ranks on each of them (default 1)\n"
    "  --bytes N[K|M|G]   of a rank's result (default 1M)\n"
    "  --measure          shows how fast things are on this machine, as lines for\n"
    "  --machine FILE     lines of a name and a value; what is not there is as it was measured for "
    "doc/scale.md\n"
    "  --json             as data\n";

static const char about_prof[] =
    "tern prof [options] FILE.cu [-- words for the program]\n"
    "tern prof [options] PROGRAM [words]\n"
    "\n"
    "Runs a program, built first if it is a source, and shows its kernels, copies, calls, memory "
    "and "
    "NVTX\n"
    "ranges: how often, how long. The tables go to standard error, behind what the program says "
    "there.\n"
    "\n"
    "  --counters     counts what kernels do, line by line: arithmetic, bytes, coalescing, "
    "divergence,\n"
    "                 bank conflicts. The program runs a second time, in the interpreter\n"
    "  --price N/h    the cost of the run, of so much an hour; N/kWh: of its energy\n"
    "  -o FILE.json   a timeline for Perfetto (ui.perfetto.dev) and chrome://tracing\n"
    "  -o FILE.html   a page of its own: timeline, tables, with --counters roofline and source;\n"
    "  --html FILE    the same, beside another -o\n"
    "  -o FILE.sqlite a database with the tables of Nsight Systems' export (.sql: its text)\n"
    "  -o FILE.prof   the recording itself; `tern prof FILE.prof` shows it again,\n"
    "                 `tern prof diff BEFORE.prof AFTER.prof` tells what got slower\n"
    "  --json         the tables as JSON, on standard output\n"
    "\n"
    "cudaProfilerStart and cudaProfilerStop bound what is recorded. The exit status is the "
    "program's.\n";

static const char about_check[] =
    "tern check FILE.cu [options] [-- words for the program]\n"
    "tern check PROGRAM [options] [-- words]       a program that terncc or nvcc built\n"
    "\n"
    "Runs the program on the CPU (or --device interp, vulkan, cuda) and tells, on standard error,\n"
    "what its kernels and its calls do wrong. Exit status: 3 if there are findings; 4 if nothing "
    "was\n"
    "checked, because the device or room for the checker's tables is not there; else the "
    "program's.\n"
    "\n"
    "  --kind KIND,...    only these; races cost most, and are looked for only if one is asked "
    "for\n"
    "  --kernel NAME      only findings in this kernel\n"
    "  --suppress FILE    lines of KIND [KERNEL [FILE[:LINE]]]; * stands for any\n"
    "  --max N            how many are shown\n"
    "  --json             one object a line on standard output; the program's output goes to\n"
    "                     standard error\n"
    "\n"
    "Kinds:\n";

static void about_kinds(void)
{
    fputs(about_check, stdout);
    for (unsigned k = 0; k < CHECK_KINDS; k++)
        printf("  %s\n", check_kind_name((enum check_kind)k));
}

static const char about_debug[] =
    "tern debug FILE.cu [--commands FILE] [-- words for the program]\n"
    "\n"
    "Builds the program with -G and starts gdb on it: `break FILE.cu:42`, `print i`, `print "
    "threadIdx`,\n"
    "`bt`, `next`, `finish` work in kernels, which run on the CPU, one thread after the other.\n"
    "\n"
    "  --commands FILE   gdb does what stands there, and ends\n"
    "\n"
    "Commands of ours in gdb:\n"
    "  kernel-where                 the block and the thread that the kernel is stopped in\n"
    "  kernel-thread BLOCK THREAD   go on until that thread comes to this line\n";

static const char about_bench[] =
    "tern bench FILE.cu --kernel NAME --grid X --block X --arg ARG… [options]\n"
    "tern bench FILE.cu|PROGRAM [options] [-- words for the program]\n"
    "tern bench BUILT-IN [options]\n"
    "\n"
    "Runs a kernel (with its arguments as in `tern help run`), a program, or a part of Tern often\n"
    "enough, and shows the median time with its 95 % confidence interval.\n"
    "\n"
    "  --device NAME,NAME   several devices, side by side\n"
    "  --iterations N       so many samples; else --seconds S of them (default 1)\n"
    "  --warmup N           runs before that (default 2)\n"
    "  -o FILE              saves the samples\n"
    "  --against FILE       compares with samples that were saved\n"
    "  --json               the results as JSON\n"
    "\n"
    "Built-ins:\n";

static const char about_doctor[] =
    "tern doctor [--device NAME] [--json]\n"
    "\n"
    "Looks at each device in a process of its own, which may crash without harm: arithmetic,\n"
    "bandwidth, the cost of a launch, shapes of blocks, the functions of double against their\n"
    "bounds. Then at the tools that Tern can use, with the command that installs what is missing.\n"
    "Exit status: 0, or 4 if a device is not what it says.\n";

static const char about_tune[] =
    "tern tune blas [f32|f64|f16|tf32|i8] [--device NAME] [--seconds S]\n"
    "\n"
    "Times the kernels of matrix products on a device, for square matrices from 128 on, each with "
    "all\n"
    "the ways that it can cut the result into tiles, checks their results, and keeps the fastest "
    "in\n"
    "the folder of compiled code, for this device and driver. cuBLAS, cuBLASLt and what is made "
    "of\n"
    "them take it from then on; without it the cut is chosen by the product's size. TERN_LOG=1 "
    "tells\n"
    "of each product which it was. `tern cache clear` drops it.\n";

static const char about_exit[] =
    "  0    fine\n"
    "  1    the source was refused; diagnostics say why\n"
    "  2    the command line or the launch makes no sense\n"
    "  3    the kernel failed: bad access, trap, assert, deadlock; or\n"
    "       tern check has findings\n"
    "  4    no such device, or it cannot do this\n"
    "  5    a file could not be read or written\n"
    "  6    out of memory, or over a stated limit\n"
    "  124  the kernel ran longer than --timeout\n"
    "  130  stopped by Ctrl-C\n";

static void about_environment(void)
{
    for (const struct setting_info *s = setting_info; s->variable; s++)
        printf("  %-21s %s%s%s%s\n", s->variable, s->about, *s->standard ? " (default: " : "",
               s->standard, *s->standard ? ")" : "");
}

static void about_compile(void)
{
    puts("tern compile FILE --to TARGET [-o OUT]\n\nTargets:\n  ir      Tern's own language");
    for (size_t i = 0; back_targets[i]; i++)
        printf("  %-7s %s%s\n", back_targets[i]->name, back_targets[i]->about,
               back_targets[i]->binary ? " (binary)" : "");
}

int command_help(struct args *a)
{
    const char *what = a->input ? a->input : "";
    if (!strcmp(what, "run"))
        fputs(about_run, stdout);
    else if (!strcmp(what, "compile"))
        about_compile();
    else if (!strcmp(what, "exec"))
        fputs(about_exec, stdout);
    else if (!strcmp(what, "slurm"))
        fputs(about_slurm, stdout);
    else if (!strcmp(what, "mpi"))
        fputs(about_mpi, stdout);
    else if (!strcmp(what, "model"))
        fputs(about_model, stdout);
    else if (!strcmp(what, "prof"))
        fputs(about_prof, stdout);
    else if (!strcmp(what, "debug"))
        fputs(about_debug, stdout);
    else if (!strcmp(what, "doctor"))
        fputs(about_doctor, stdout);
    else if (!strcmp(what, "tune"))
        fputs(about_tune, stdout);
    else if (!strcmp(what, "bench")) {
        fputs(about_bench, stdout);
        bench_describe(stdout);
    } else if (!strcmp(what, "check"))
        about_kinds();
    else if (!strcmp(what, "exit-codes"))
        fputs(about_exit, stdout);
    else if (!strcmp(what, "environment"))
        about_environment();
    else if (!*what) {
        fputs(about, stdout);
        args_describe(stdout);
    } else if (!describe_usage(what)) {
        return complain("there is no help on '%s'; see `tern help`", what);
    }
    describe_rest(what);
    return EXIT_FINE;
}

int command_version(struct args *a)
{
    if (a->json)
        printf("{\"version\": \"%s\"}\n", TERN_VERSION);
    else
        printf("tern %s\n", TERN_VERSION);
    return EXIT_FINE;
}
