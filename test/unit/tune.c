/* The table of what was measured for products of matrices: as text and back, what is none, and
 * which row a product finds. Profiles of devices, by rows. */
#include <string.h>
#include "lib/blas/tune.h"
#include "rt/profile.h"
#include "unit.h"

static const struct blas_tuned table[] = {
    {"tiled", "f32", 256, 64, 64, 32, 32},    {"tiled", "f32", 512, 128, 64, 64, 32},
    {"tiled", "f32", 1024, 128, 128, 64, 64}, {"tiled", "f64", 4096, 64, 64, 0, 0},
    {"simt", "f32", 2048, 32, 32, 32, 32},
};
enum { ROWS = sizeof table / sizeof *table };

static int64_t found(const char *type, int64_t m, int64_t n, int64_t batch)
{
    const struct blas_tuned *r = blas_tuned_find(table, ROWS, "tiled", type, m, n, batch);
    return r ? r->size : 0;
}

TEST_ONCE(tuned_tables_are_read_as_written)
{
    struct blas_tuned rows[BLAS_TUNED_ROWS];
    char text[512];
    unsigned n;
    const size_t length = blas_tuned_text(table, ROWS, text, sizeof text);
    CHECK(length && length == strlen(text));
    CHECK(blas_tuned_read(text, length, rows, &n) && n == ROWS);
    for (unsigned k = 0; k < ROWS; k++)
        CHECK(!strcmp(rows[k].family, table[k].family) && !strcmp(rows[k].type, table[k].type) &&
              rows[k].size == table[k].size && rows[k].m == table[k].m &&
              rows[k].wn == table[k].wn);
    CHECK(!blas_tuned_read(text, length - 1, rows, &n)); /* a line without its end */
    CHECK(!blas_tuned_read("blas cuts 0\n", 12, rows, &n));
    CHECK(!blas_tuned_read("blas cuts 1\ntiled f32 many\n", 27, rows, &n));
    CHECK(!blas_tuned_text(table, ROWS, text, 40)); /* no room */
}

TEST_ONCE(tuned_rows_are_found_by_size)
{
    CHECK(found("f32", 256, 256, 1) == 256 && found("f32", 512, 512, 1) == 512);
    CHECK(found("f32", 400, 400, 1) == 512 && found("f32", 2048, 128, 1) == 512);
    CHECK(found("f32", 128, 128, 4) == 256); /* as many elements */
    CHECK(found("f32", 4096, 64, 1) == 512); /* as high and wide as the tile */
    CHECK(found("f32", 8192, 32, 1) == 0);   /* not so */
    CHECK(found("f32", 9000, 9000, 1) == 0); /* beyond the largest, which is small */
    CHECK(found("f32", 100, 100, 1) == 0 && found("f16", 512, 512, 1) == 0);
    CHECK(found("f64", 512, 512, 1) == 0 && found("f64", 9000, 9000, 1) == 4096);
}

TEST_ONCE(profiles_are_by_rows)
{
    struct dev_info d = {.flags = DEV_GPU | DEV_F64, .arch = 900};
    struct profile p;
    struct profile_quirk q;
    strcpy(d.name, "NVIDIA H200 of a test");
    strcpy(d.driver, "CUDA 13.0");
    profile_of("cuda", &d, &p);
    CHECK(p.f64_source == PROFILE_TABLE && p.f64_rate == 2 && p.registers);
    CHECK(!strcmp(p.architecture, "sm_90") && !profile_quirk(d.driver, 0, &q));
    d.arch = 800; /* what kernels see; the name tells the processor */
    strcpy(d.driver, "NVIDIA 580.159");
    profile_of("vulkan", &d, &p);
    CHECK(p.f64_rate == 2 && p.registers && p.quality == PROFILE_NATIVE);
    CHECK(profile_quirk(d.driver, 0, &q) && !profile_quirk(d.driver, 99, &q));
    strcpy(d.name, "llvmpipe of a test");
    strcpy(d.driver, "llvmpipe Mesa 25.0.7");
    d.flags |= DEV_SOFTWARE;
    profile_of("vulkan", &d, &p);
    CHECK(!p.registers && p.quality == PROFILE_SOFTWARE);
    d.flags &= ~(uint32_t)DEV_F64;
    profile_of("vulkan", &d, &p);
    CHECK(p.f64_source == PROFILE_TABLE && p.f64_rate == 0);
    strcpy(d.driver, "another");
    profile_of("vulkan", &d, &p);
    CHECK(p.registers && p.quality == PROFILE_UNSEEN);
}
