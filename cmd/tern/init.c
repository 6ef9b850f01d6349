/* tern init FOLDER: a small project that builds with terncc as with nvcc, by make and by CMake. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tern.h"

static const char source[] =
    "// Adds two vectors on whatever device there is.\n"
    "#include <cuda_runtime.h>\n"
    "#include <cstdio>\n"
    "#include <vector>\n"
    "\n"
    "#define CHECK(call)                                                             \\\n"
    "    do {                                                                        \\\n"
    "        cudaError_t e = (call);                                                 \\\n"
    "        if (e != cudaSuccess) {                                                 \\\n"
    "            fprintf(stderr, \"%s:%d: %s\\n\", __FILE__, __LINE__, cudaGetErrorString(e)); \\\n"
    "            return 1;                                                           \\\n"
    "        }                                                                       \\\n"
    "    } while (0)\n"
    "\n"
    "__global__ void add(const float *a, const float *b, float *sum, int n)\n"
    "{\n"
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    if (i < n)\n"
    "        sum[i] = a[i] + b[i];\n"
    "}\n"
    "\n"
    "int main()\n"
    "{\n"
    "    const int n = 1000;\n"
    "    std::vector<float> a(n, 1), b(n, 2), sum(n);\n"
    "    float *da, *db, *dsum;\n"
    "    CHECK(cudaMalloc(&da, n * sizeof *da));\n"
    "    CHECK(cudaMalloc(&db, n * sizeof *db));\n"
    "    CHECK(cudaMalloc(&dsum, n * sizeof *dsum));\n"
    "    CHECK(cudaMemcpy(da, a.data(), n * sizeof *da, cudaMemcpyHostToDevice));\n"
    "    CHECK(cudaMemcpy(db, b.data(), n * sizeof *db, cudaMemcpyHostToDevice));\n"
    "    add<<<(n + 255) / 256, 256>>>(da, db, dsum, n);\n"
    "    CHECK(cudaGetLastError());\n"
    "    CHECK(cudaMemcpy(sum.data(), dsum, n * sizeof *dsum, cudaMemcpyDeviceToHost));\n"
    "    for (float x : sum)\n"
    "        if (x != 3) {\n"
    "            printf(\"wrong: %g\\n\", x);\n"
    "            return 1;\n"
    "        }\n"
    "    printf(\"%d sums are right\\n\", n);\n"
    "    cudaFree(da);\n"
    "    cudaFree(db);\n"
    "    cudaFree(dsum);\n"
    "}\n";

static const char makefile[] = "# make CUDACXX=nvcc builds it with NVIDIA's compiler.\n"
                               "CUDACXX   ?= terncc\n"
                               "CUDAFLAGS ?= -O2\n"
                               "\n"
                               "main: main.cu\n"
                               "\t$(CUDACXX) $(CUDAFLAGS) -o $@ $<\n"
                               "\n"
                               "run: main\n"
                               "\t./main\n"
                               "check: main.cu\n"
                               "\ttern check main.cu\n"
                               "clean:\n"
                               "\trm -f main\n"
                               ".PHONY: run check clean\n";

static const char cmakelists[] =
    "# cmake -B build -DCMAKE_PREFIX_PATH=...; find_package(Tern) makes terncc the CUDA compiler,\n"
    "# unless CMAKE_CUDA_COMPILER names another.\n"
    "cmake_minimum_required(VERSION 3.18)\n"
    "project(main LANGUAGES CXX)\n"
    "find_package(Tern QUIET)\n"
    "enable_language(CUDA)\n"
    "add_executable(main main.cu)\n"
    "enable_testing()\n"
    "add_test(NAME main COMMAND main)\n";

static bool write_new(const char *folder, const char *name, const char *text)
{
    char path[1024];
    if ((size_t)snprintf(path, sizeof path, "%s/%s", folder, name) >= sizeof path) {
        errno = ENAMETOOLONG;
        return false;
    }
    FILE *f = fopen(path, "wx"); /* what is there is the user's */
    const bool ok = f && fputs(text, f) >= 0;
    return f && !fclose(f) && ok;
}

int command_init(struct args *a)
{
    if (!a->input)
        return complain("in which folder? `tern init hello` makes one");
    if (mkdir(a->input, 0777) && errno != EEXIST) {
        complain("%s: %s", a->input, strerror(errno));
        return EXIT_IO;
    }
    static const struct {
        const char *name, *text;
    } files[] = {{"main.cu", source}, {"Makefile", makefile}, {"CMakeLists.txt", cmakelists}};
    for (size_t k = 0; k < sizeof files / sizeof *files; k++)
        if (!write_new(a->input, files[k].name, files[k].text)) {
            complain("%s/%s: %s", a->input, files[k].name, strerror(errno));
            return EXIT_IO;
        }
    if (!a->quiet)
        printf("%s: main.cu, Makefile, CMakeLists.txt. Try: tern run %s/main.cu\n", a->input,
               a->input);
    return EXIT_FINE;
}
