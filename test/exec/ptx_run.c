/* A program that loads an emulator of PTX by name, as emulators' clients do. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static const char ptx[] =
    ".version 7.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry saxpy(.param .u64 y, .param .u64 x, .param .f32 a, .param .u32 n)\n"
    "{ .reg .b64 p<5>; .reg .f32 f<4>; .reg .b32 r<5>; .reg .pred q; .shared .b32 last;\n"
    "ld.param.u64 p0, [y]; ld.param.u64 p1, [x]; ld.param.f32 f0, [a]; ld.param.u32 r0, [n];\n"
    "mov.u32 r1, %tid.x; mov.u32 r2, %ntid.x; mov.u32 r3, %ctaid.x; mad.lo.u32 r1, r2, r3, r1;\n"
    "setp.ge.u32 q, r1, r0; @q ret; mul.wide.u32 p2, r1, 4; add.u64 p0, p0, p2; add.u64 p1, p1, "
    "p2;\n"
    "ld.f32 f1, [p0]; ld.f32 f2, [p1]; fma.rn.f32 f1, f0, f2, f1; st.f32 [p0], f1; ret; }\n";

int main(int argc, char **argv)
{
    void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL,
         *f = library ? dlsym(library, "ptx_run") : NULL;
    int (*run)(const char *, int, void **, int, int, int, int, int, int, int);
    float x[1000], y[1000], a = 2.5f;
    if (!f)
        return puts(dlerror()), 1;
    memcpy(&run, &f, sizeof f);
    for (int i = 0; i < 1000; i++)
        x[i] = (float)i, y[i] = 1;
    void *args[4] = {y, x, NULL, (void *)1000};
    memcpy(&args[2], &a, sizeof a);
    for (int again = 0; again < 3; again++) /* compiled once */
        if (run(ptx, 4, args, 128, 1, 1, 8, 1, 1, 0))
            return puts("it failed"), 1;
    for (int i = 0; i < 1000; i++)
        if (y[i] != 1 + 3 * a * (float)i)
            return printf("y[%d] is %g\n", i, (double)y[i]), 1;
    if (!run("nonsense", 0, NULL, 1, 1, 1, 1, 1, 1, 0) || !run(ptx, 3, args, 1, 1, 1, 1, 1, 1, 0))
        return puts("an error was not told"), 1;
    puts("ok");
    return 0;
}
