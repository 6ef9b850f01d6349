/* Kernels by name, scalars, scans and sorting: what the rest of the library is made of. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "lib/sparse/sparse_int.h"

enum {
    TILE = 1024, /* elements of a tile of order.h */
    DIGITS = 16,
    DIGIT_BITS = 4,
};

static const char header[] = "sparse/order.h";

enum tern_error sparse_run(const struct cusparseContext *h, const char *file, tern_dim grid,
                           tern_dim block, void *const *args, const char *format, ...)
{
    char name[320];
    va_list list;
    va_start(list, format);
    vsnprintf(name, sizeof name, format, list);
    va_end(list);
    return lib_run(&h->device, h->stream, file, name, grid, block, args);
}

enum tern_error sparse_run_shared(const struct cusparseContext *h, const char *file, tern_dim grid,
                                  tern_dim block, uint32_t shared, void *const *args,
                                  const char *format, ...)
{
    char name[320];
    va_list list;
    va_start(list, format);
    vsnprintf(name, sizeof name, format, list);
    va_end(list);
    return lib_run_shared(&h->device, h->stream, file, name, grid, block, shared, args);
}

tern_dim sparse_grid(int64_t n)
{
    return lib_blocks(n, SPARSE_THREADS);
}

tern_dim sparse_warp_grid(int64_t warps)
{
    return lib_blocks(warps, SPARSE_THREADS / SPARSE_WARP);
}

/* ---- names ---- */

const char *sparse_type(enum lib_type t)
{
    return lib_types[t].name;
}

const char *sparse_index(cusparseIndexType_t t)
{
    return t == CUSPARSE_INDEX_64I ? "long long" : "int";
}

const char *sparse_walk(int kind)
{
    static const char *const names[] = {[SPARSE_CSR] = "csr_walk",
                                        [SPARSE_SELL] = "sell_walk",
                                        [SPARSE_BSR] = "bsr_walk",
                                        [SPARSE_ELL] = "ell_walk"};
    return names[kind];
}

/* ---- scalars ---- */

struct sparse_scalar sparse_constant(double value)
{
    return (struct sparse_scalar){.value = {value, 0}};
}

struct sparse_scalar sparse_scalar(const struct cusparseContext *h, enum lib_type type,
                                   const void *given)
{
    struct sparse_scalar s = {0};
    if (h->pointer_mode == CUSPARSE_POINTER_MODE_DEVICE) {
        s.at = given;
        return s;
    }
    switch (type) {
    case LIB_F32: s.value[0] = *(const float *)given; break;
    case LIB_F64: s.value[0] = *(const double *)given; break;
    case LIB_I32: s.value[0] = *(const int *)given; break;
    case LIB_C32:
        s.value[0] = ((const float *)given)[0];
        s.value[1] = ((const float *)given)[1];
        break;
    case LIB_C64: memcpy(s.value, given, sizeof s.value); break;
    case LIB_F16: s.value[0] = lib_half(*(const uint16_t *)given); break;
    case LIB_BF16: s.value[0] = lib_bfloat(*(const uint16_t *)given); break;
    default: break; /* no function has such scalars */
    }
    return s;
}

bool sparse_known_zero(struct sparse_scalar s)
{
    return !s.at && s.value[0] == 0 && s.value[1] == 0;
}

/* ---- numbers of the device's ---- */

enum tern_error sparse_read(const struct cusparseContext *h, const void *from, size_t bytes,
                            void *to)
{
    enum tern_error e =
        lib_error(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, h->stream));
    return e ? e : lib_error(cudaStreamSynchronize(h->stream));
}

enum tern_error sparse_put_count(const struct cusparseContext *h, const int *device, int *to)
{
    if (h->pointer_mode == CUSPARSE_POINTER_MODE_HOST)
        return sparse_read(h, device, sizeof *to, to);
    return lib_error(cudaMemcpyAsync(to, device, sizeof *to, cudaMemcpyDeviceToDevice, h->stream));
}

/* ---- scans ---- */

enum tern_error sparse_scan(const struct cusparseContext *h, void *offsets, int64_t n, int64_t base,
                            cusparseIndexType_t type)
{
    const int64_t tiles = (n + 1 + TILE - 1) / TILE;
    const tern_dim one = {1}, threads = {SPARSE_THREADS};
    const char *t = sparse_index(type);
    const int base32 = (int)base;
    void *sums;
    enum tern_error e = lib_scratch(h->stream, (size_t)tiles * sparse_index_bytes(type), &sums);
    if (!e)
        e = sparse_run(h, header, lib_blocks(tiles, 1), threads,
                       (void *[]){&offsets, &n, &sums, (void *)&tiles}, "scan_tiles<%s>", t);
    if (!e)
        e = sparse_run(h, header, one, threads,
                       (void *[]){&sums, (void *)&tiles,
                                  type == CUSPARSE_INDEX_64I ? (void *)&base : (void *)&base32},
                       "scan_sums<%s>", t);
    if (!e)
        e = sparse_run(h, header, sparse_grid(n + 1), threads, (void *[]){&offsets, &n, &sums},
                       "scan_add<%s>", t);
    lib_scratch_free(h->stream, sums);
    return e;
}

enum tern_error sparse_offsets(const struct cusparseContext *h, const void *rows_of, int64_t nnz,
                               int64_t rows, int64_t base, int64_t base_out, void *offsets,
                               cusparseIndexType_t from, cusparseIndexType_t to)
{
    return sparse_run(h, header, sparse_grid(rows + 1), (tern_dim){SPARSE_THREADS},
                      (void *[]){&rows_of, &nnz, &rows, &base, &offsets, &base_out},
                      "offsets_of<%s, %s>", sparse_index(from), sparse_index(to));
}

/* ---- sorting ---- */

int sparse_bits(int64_t n)
{
    int bits = 0;
    while (n > 1) {
        bits++;
        n = (n + 1) / 2;
    }
    return bits ? bits : 1;
}

enum tern_error sparse_sort(const struct cusparseContext *h, void *keys, bool wide, int bits,
                            void *places, cusparseIndexType_t place_type, int64_t n)
{
    if (n > INT32_MAX)
        return TERN_UNSUPPORTED;
    if (n < 2)
        return TERN_OK;
    const size_t key_bytes = wide ? 8 : 4, place_bytes = sparse_index_bytes(place_type);
    const char *key = wide ? "unsigned long long" : "unsigned", *place = sparse_index(place_type);
    const int64_t tiles = (n + TILE - 1) / TILE;
    const tern_dim threads = {SPARSE_THREADS};
    void *counts = NULL, *other_keys = NULL, *other_places = NULL;
    enum tern_error e = lib_scratch(h->stream, (size_t)(DIGITS * tiles + 1) * sizeof(int), &counts);
    if (!e)
        e = lib_scratch(h->stream, (size_t)n * key_bytes, &other_keys);
    if (!e)
        e = lib_scratch(h->stream, (size_t)n * place_bytes, &other_places);
    void *k[2] = {keys, other_keys}, *p[2] = {places, other_places};
    int now = 0;
    for (int shift = 0; shift < bits && !e; shift += DIGIT_BITS, now = !now) {
        e = sparse_run(h, header, lib_blocks(tiles, 1), threads,
                       (void *[]){&k[now], &n, &shift, &counts, (void *)&tiles}, "digit_counts<%s>",
                       key);
        if (!e)
            e = sparse_scan(h, counts, DIGITS * tiles, 0, CUSPARSE_INDEX_32I);
        if (!e)
            e = sparse_run(h, header, lib_blocks(tiles, 1), threads,
                           (void *[]){&k[now], &p[now], &n, &shift, &counts, (void *)&tiles,
                                      &k[!now], &p[!now]},
                           "digit_place<%s, %s>", key, place);
    }
    if (!e && now) {
        e = lib_error(cudaMemcpyAsync(keys, other_keys, (size_t)n * key_bytes,
                                      cudaMemcpyDeviceToDevice, h->stream));
        if (!e)
            e = lib_error(cudaMemcpyAsync(places, other_places, (size_t)n * place_bytes,
                                          cudaMemcpyDeviceToDevice, h->stream));
    }
    lib_scratch_free(h->stream, other_places);
    lib_scratch_free(h->stream, other_keys);
    lib_scratch_free(h->stream, counts);
    return e;
}
