/* Sparse by sparse on a device: rows go to bins by how much memory they take, each bin is a launch.
 */
#include "lib/sparse/gemm.h"
#include <stdio.h>

static const char header[] = "sparse/spgemm.h";
static const tern_dim threads = {SPARSE_THREADS};

enum {
    MAX_SHARED = 48 << 10,   /* that every launch may have */
    OWN_SHARED = 1 << 10,    /* static variables of the kernels */
    WARP_SUMS = 32,          /* of the kernels' gemm_list */
    LONG_THREADS = 256,      /* of a block that does a long row */
    LONG_BLOCKS = 2048,      /* that share the long rows' entries, of all together */
    LONG_PARTS = 16,         /* that a long row's entries are done in, at most */
    SHARES = 16,             /* blocks that share a line with many entries */
    SHARED_LINES = 64,       /* such lines that are done at once */
    LONG_MEMORY = 256 << 20, /* for what long rows have in a launch, unless one alone takes more */
    MAX_LONG = 65535,        /* rows of a launch */
    WIDE = 1 << 17,          /* columns that a row may have bits for in shared memory */
    LONGEST = 1 << 14,       /* elements of such a row: more are work for several blocks */
};

struct operands {
    struct sparse_view a, b;
    const char *offset, *index; /* types */
};

static struct operands operands(cusparseConstSpMatDescr_t a, cusparseConstSpMatDescr_t b)
{
    bool by_columns;
    int kind;
    return (struct operands){sparse_view(a, 0, &by_columns, &kind),
                             sparse_view(b, 0, &by_columns, &kind), sparse_index(a->offset_type),
                             sparse_index(a->index_type)};
}

void gemm_release(cusparseSpGEMMDescr_t d)
{
    cudaFree(d->memory);
    cudaFree(d->columns);
    cudaFree(d->sums);
    *d = (struct cusparseSpGEMMDescr){.products = -1};
}

static tern_dim block(int n)
{
    return (tern_dim){.x = (uint32_t)n};
}

/* ---- bins ---- */

/* What a block of so many threads has of the products' list. */
static size_t list_bytes(int n)
{
    return (size_t)(2 * n + WARP_SUMS) * 8;
}

/* And of a round of products with sums of `element` bytes. */
static size_t round_bytes(int n, size_t element)
{
    return list_bytes(n) + (size_t)n * (element + GEMM_CLAIMS * sizeof(unsigned));
}

/* As the kernels have it. */
static size_t table_size(int64_t n)
{
    size_t size = 32;
    while (size * 3 < (size_t)n * 4)
        size *= 2;
    return size;
}

/* element: bytes of a sum; 0: columns only. */
static size_t bin_shared(const struct gemm_bin *b, size_t element)
{
    const size_t list = element ? round_bytes(b->threads, element) : list_bytes(b->threads);
    if (b->sparsest)
        return list + (element ? (size_t)b->most * element : (size_t)(b->most + 31) / 32 * 8);
    return list + table_size(b->most) * (sizeof(unsigned) + element);
}

static void add_bin(const struct cusparseContext *h, struct gemm_bins *bins, size_t element,
                    struct gemm_bin b)
{
    const size_t shared = h->device.info.shared_per_block;
    if (bin_shared(&b, element) + OWN_SHARED <= (shared < MAX_SHARED ? shared : MAX_SHARED))
        bins->bin[bins->count++] = b;
}

/* The more threads a row has, the fewer rows are done at once, and the more of them fit a row's
 * products. A bit for each column is quicker than sorting a few hundred of them. */
static struct gemm_bins column_bins(const struct cusparseContext *h)
{
    static const struct gemm_bin all[] = {
        {1024, 8, 32, 0},          {96, 0, 32, 0},    {8192, 8, 128, 0}, {384, 0, 64, 0},
        {WIDE, 256, 256, LONGEST}, {1536, 0, 128, 0}, {6144, 0, 256, 0}};
    struct gemm_bins bins = {.count = 0};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        add_bin(h, &bins, 0, all[k]);
    return bins;
}

static struct gemm_bins value_bins(const struct cusparseContext *h, size_t element)
{
    const int each = (int)element;
    const struct gemm_bin all[GEMM_BINS] = {
        {2048 / each, 8, 32, 0},   {96, 0, 32, 0},  {8192 / each, 8, 64, 0}, {384, 0, 64, 0},
        {32768 / each, 8, 128, 0}, {768, 0, 64, 0}, {1536, 0, 128, 0},       {3072, 0, 256, 0}};
    struct gemm_bins bins = {.count = 0};
    for (int k = 0; k < GEMM_BINS; k++)
        add_bin(h, &bins, element, all[k]);
    return bins;
}

/* Rows of n[] elements go to the list, bin by bin; *note says how many go where. ended: n[] are
 * offsets. */
static enum tern_error place(const struct cusparseContext *h, int64_t rows, const int64_t *n,
                             int ended, const unsigned *extents, struct gemm_bins *bins,
                             struct gemm_note *note, int64_t *list)
{
    int64_t *none = NULL;
    enum tern_error e = TERN_OK;
    for (int k = 0; k < 2 && !e; k++)
        e = sparse_run(h, header, sparse_grid(rows), threads,
                       (void *[]){&rows, &n, &ended, &extents, bins, &note, k ? &list : &none},
                       "gemm_place");
    return e;
}

static enum tern_error clear(const struct cusparseContext *h, void *p, int value, size_t bytes)
{
    return lib_error(cudaMemsetAsync(p, value, bytes, h->stream));
}

/* ---- columns ---- */

/* The structure while it is made; all in device memory. */
struct structure {
    const struct cusparseContext *h;
    struct operands o;
    cusparseSpGEMMDescr_t d;
    struct gemm_note *note;
    int64_t *most, *starts, *list;
    unsigned *least, *greatest; /* columns of B's rows */
    struct gemm_bins bins;
    unsigned in_bin[GEMM_BINS + 1];
};

/* Rows with a bit for each column: `rows` of the list at once. */
static enum tern_error long_columns(const struct structure *s, int64_t *list, unsigned rows,
                                    const int64_t *starts, unsigned *columns)
{
    const struct cusparseContext *h = s->h;
    int64_t words = (s->o.b.width + 31) / 32;
    int64_t at_once = LONG_MEMORY / (words * (int64_t)sizeof(unsigned));
    at_once = at_once < 1 ? 1 : at_once > MAX_LONG ? MAX_LONG : at_once;
    if (at_once > rows)
        at_once = rows;
    const size_t bytes = (size_t)(at_once * words) * sizeof(unsigned);
    void *bits = NULL;
    enum tern_error e = rows ? lib_scratch(h->stream, bytes, &bits) : TERN_OK;
    for (unsigned first = 0; first < rows && !e; first += (unsigned)at_once) {
        const unsigned n = rows - first < at_once ? rows - first : (unsigned)at_once;
        int64_t *part = list + first;
        e = clear(h, bits, 0, bytes);
        if (!e)
            e = sparse_run_shared(
                h, header, (tern_dim){(LONG_BLOCKS + n - 1) / n, n}, block(LONG_THREADS),
                (uint32_t)list_bytes(LONG_THREADS),
                (void *[]){(void *)&s->o.a, (void *)&s->o.b, &part, &bits, &words},
                "gemm_mark<%s, %s>", s->o.offset, s->o.index);
        if (!e)
            e = sparse_run(
                h, header, block((int)n), block(LONG_THREADS),
                (void *[]){&part, &bits, &words, &starts, &columns, (void *)&s->d->offsets},
                "gemm_bit_columns");
    }
    lib_scratch_free(h->stream, bits);
    return e;
}

/* How many elements rows have, to d->offsets; where columns is not NULL, what they are, from starts
 * on. */
static enum tern_error columns(const struct structure *s, const int64_t *starts, unsigned *to)
{
    enum tern_error e = TERN_OK;
    int64_t *list = s->list;
    for (int k = 0; k < s->bins.count && !e; k++) {
        const struct gemm_bin *b = &s->bins.bin[k];
        int64_t n = s->in_bin[k];
        void *in_window[] = {(void *)&s->o.a,       (void *)&s->o.b,        &list,   &n,
                             (void *)&s->d->begins, (void *)&s->d->extents, &starts, &to,
                             (void *)&s->d->offsets};
        void *in_table[] = {(void *)&s->o.a,  (void *)&s->o.b, &list, &n,
                            (void *)&s->most, &starts,         &to,   (void *)&s->d->offsets};
        e = sparse_run_shared(s->h, header, lib_blocks(n, 1), block(b->threads),
                              (uint32_t)bin_shared(b, 0), b->sparsest ? in_window : in_table,
                              "gemm_%s_columns<%s, %s>", b->sparsest ? "window" : "table",
                              s->o.offset, s->o.index);
        list += n;
    }
    return e ? e : long_columns(s, list, s->in_bin[s->bins.count], starts, to);
}

/* Columns of B's rows, then what A's make of them: a few lanes a row, many blocks a long one. */
static enum tern_error bounds(struct structure *s)
{
    const struct cusparseContext *h = s->h;
    struct sparse_view *a = &s->o.a, *b = &s->o.b;
    const tern_dim many = {SHARES, SHARED_LINES}, of_a = sparse_warp_grid((a->lines + 3) / 4),
                   of_b = sparse_warp_grid((b->lines + 3) / 4);
    void *spans[] = {b, &s->least, &s->greatest, &s->note, &s->list};
    void *sums[] = {
        a, b, &s->least, &s->greatest, &s->most, &s->d->begins, &s->d->extents, &s->note, &s->list};
    void *ends[] = {&s->most, &s->d->begins, &s->d->extents, &s->note, &s->list};
    const struct {
        const char *kernel;
        tern_dim grid;
        void **args;
    } steps[] = {{"gemm_spans<%s, %s>", of_b, spans},
                 {"gemm_long_spans<%s, %s>", many, spans},
                 {"gemm_bounds<%s, %s>", of_a, sums},
                 {"gemm_long_bounds<%s, %s>", many, sums},
                 {"gemm_end_bounds", block(SHARES), ends}};
    enum tern_error e = TERN_OK;
    for (size_t k = 0; k < sizeof steps / sizeof *steps && !e; k++)
        e = sparse_run(h, header, steps[k].grid, threads, steps[k].args, steps[k].kernel,
                       s->o.offset, s->o.index);
    return e;
}

static enum tern_error measure(struct structure *s, struct gemm_note *note)
{
    const struct cusparseContext *h = s->h;
    const int64_t rows = s->o.a.lines;
    s->bins = column_bins(h);
    enum tern_error e = clear(h, s->note, 0, sizeof *s->note);
    if (!e)
        e = bounds(s);
    if (!e)
        e = place(h, rows, s->most, 0, s->d->extents, &s->bins, s->note, s->list);
    if (!e)
        e = lib_error(cudaMemcpyAsync(s->starts, s->most, (size_t)rows * 8,
                                      cudaMemcpyDeviceToDevice, h->stream));
    if (!e)
        e = sparse_scan(h, s->starts, rows, 0, CUSPARSE_INDEX_64I);
    if (!e)
        e = sparse_read(h, s->note, sizeof *note, note);
    for (int k = 0; k <= s->bins.count; k++)
        s->in_bin[k] = note->rows[k];
    s->d->products = (int64_t)note->products;
    return e;
}

/* The rows' bins for values; known to the host after its next wait. */
static enum tern_error place_values(const struct cusparseContext *h, cusparseSpGEMMDescr_t d,
                                    size_t element)
{
    d->element = element;
    d->bins = value_bins(h, element);
    const enum tern_error e = clear(h, d->note, 0, sizeof *d->note);
    return e ? e : place(h, d->rows, d->offsets, 1, d->extents, &d->bins, d->note, d->list);
}

static void keep_places(cusparseSpGEMMDescr_t d, const struct gemm_note *note)
{
    for (int k = 0; k <= d->bins.count; k++)
        d->in_bin[k] = note->rows[k];
    d->apart = (int64_t)note->apart;
}

/* Counts become offsets; the number of elements and the bins of their values come to the host. */
static enum tern_error count(struct structure *s, size_t element)
{
    const struct cusparseContext *h = s->h;
    cusparseSpGEMMDescr_t d = s->d;
    struct gemm_note note;
    enum tern_error e = sparse_scan(h, d->offsets, d->rows, 0, CUSPARSE_INDEX_64I);
    if (!e)
        e = place_values(h, d, element);
    if (!e)
        e = lib_error(
            cudaMemcpyAsync(&d->nnz, d->offsets + d->rows, 8, cudaMemcpyDeviceToHost, h->stream));
    if (!e)
        e = sparse_read(h, d->note, sizeof note, &note);
    if (!e)
        keep_places(d, &note);
    if (!e)
        e = lib_error(cudaMalloc((void **)&d->columns, ((size_t)d->nnz + 1) * sizeof *d->columns));
    return e;
}

/* Columns are found once where there is memory for as many as rows may have, else twice. */
static enum tern_error find(struct structure *s, size_t element)
{
    const struct cusparseContext *h = s->h;
    cusparseSpGEMMDescr_t d = s->d;
    struct gemm_note note;
    unsigned *kept = NULL;
    enum tern_error e = measure(s, &note);
    const uint64_t bytes = e ? 0 : (note.room + 1) * sizeof *kept;
    if (!e && bytes <= h->device.info.memory / 16)
        e = lib_scratch(h->stream, (size_t)bytes, (void **)&kept);
    if (!e)
        e = clear(h, d->offsets, 0, ((size_t)d->rows + 1) * 8);
    if (!e)
        e = columns(s, s->starts, kept);
    if (!e)
        e = count(s, element);
    if (!e && kept)
        e = sparse_run(h, header, sparse_warp_grid((d->nnz + GEMM_MOVED - 1) / GEMM_MOVED), threads,
                       (void *[]){&d->rows, &s->starts, &kept, &d->offsets, &d->columns},
                       "gemm_move_columns");
    else if (!e)
        e = columns(s, d->offsets, d->columns);
    lib_scratch_free(h->stream, kept);
    return e;
}

/* Arrays one after the other: each call takes `bytes` of p. */
static void *take(char **p, size_t bytes)
{
    void *it = *p;
    *p += (bytes + 15) / 16 * 16;
    return it;
}

enum { TAKEN = 16 * 8 }; /* what a few arrays lose by their alignment */

static enum tern_error own_memory(cusparseSpGEMMDescr_t d, int64_t rows)
{
    const size_t n = (size_t)rows + 1;
    char *p;
    const enum tern_error e =
        lib_error(cudaMalloc(&d->memory, n * (8 + 8 + 4 + 4) + sizeof *d->note + TAKEN));
    if (e)
        return e;
    p = d->memory;
    d->rows = rows;
    d->offsets = take(&p, n * 8);
    d->list = take(&p, n * 8);
    d->begins = take(&p, n * 4);
    d->extents = take(&p, n * 4);
    d->note = take(&p, sizeof *d->note);
    return TERN_OK;
}

enum tern_error gemm_structure(const struct cusparseContext *h, cusparseConstSpMatDescr_t a,
                               cusparseConstSpMatDescr_t b, size_t element, cusparseSpGEMMDescr_t d)
{
    struct structure s = {.h = h, .o = operands(a, b), .d = d};
    const size_t n = (size_t)s.o.a.lines + 1, m = (size_t)s.o.b.lines + 1, listed = n > m ? n : m;
    void *memory = NULL;
    gemm_release(d);
    enum tern_error e = own_memory(d, s.o.a.lines);
    if (!e)
        e = lib_scratch(h->stream, (n * 2 + listed) * 8 + m * (4 + 4) + sizeof *s.note + TAKEN,
                        &memory);
    if (!e) {
        char *p = memory;
        s.most = take(&p, n * 8);
        s.starts = take(&p, n * 8);
        s.list = take(&p, listed * 8);
        s.least = take(&p, m * 4);
        s.greatest = take(&p, m * 4);
        s.note = take(&p, sizeof *s.note);
        e = find(&s, element ? element : sizeof(double));
    }
    lib_scratch_free(h->stream, memory);
    if (e)
        gemm_release(d);
    return e;
}

/* ---- values ---- */

struct product {
    const struct cusparseContext *h;
    struct operands o;
    const struct sparse_types *t;
    cusparseSpGEMMDescr_t d;
    char types[160];
};

/* Scratch memory of the long rows. */
struct long_rows {
    int64_t at_once, parts;
    size_t rank_bytes;
    int64_t *starts;
    void *ranks, *sums; /* sums: of each part of each row */
};

static enum tern_error long_memory(const struct product *p, unsigned rows, struct long_rows *l)
{
    const cusparseSpGEMMDescr_t d = p->d;
    const int64_t row_bytes = (p->o.b.width + 31) / 32 * 2 * (int64_t)sizeof(unsigned),
                  part_bytes = d->apart * (int64_t)d->element;
    int64_t n = LONG_MEMORY / row_bytes;
    n = n < 1 ? 1 : n > MAX_LONG ? MAX_LONG : n;
    l->at_once = n < rows ? n : rows;
    l->rank_bytes = (size_t)(l->at_once * row_bytes);
    l->parts = LONG_MEMORY / (part_bytes + 1);
    l->parts = l->parts < 1 ? 1 : l->parts > LONG_PARTS ? LONG_PARTS : l->parts;
    const size_t sums = l->parts > 1 ? (size_t)(l->parts * part_bytes) : 0;
    char *memory;
    const enum tern_error e = lib_scratch(
        p->h->stream, l->rank_bytes + (size_t)l->at_once * 8 + sums + TAKEN, (void **)&memory);
    l->ranks = memory;
    if (!e) {
        take(&memory, l->rank_bytes);
        l->starts = take(&memory, (size_t)l->at_once * 8);
        l->sums = memory;
    }
    return e;
}

static enum tern_error long_part(struct product *p, struct long_rows *l, int64_t *list, int64_t n)
{
    const struct cusparseContext *h = p->h;
    cusparseSpGEMMDescr_t d = p->d;
    int64_t words = (p->o.b.width + 31) / 32;
    const uint32_t y = (uint32_t)n;
    enum tern_error e = clear(h, l->ranks, 0, l->rank_bytes);
    if (!e)
        e = sparse_run(h, header, (tern_dim){SHARES, y}, block(LONG_THREADS),
                       (void *[]){&list, &d->offsets, &d->columns, &l->ranks, &words},
                       "gemm_make_ranks");
    if (!e && l->parts > 1)
        e = sparse_run(h, header, block(1), block(LONG_THREADS),
                       (void *[]){&list, &n, &d->offsets, &l->starts}, "gemm_part_starts");
    if (!e)
        e = sparse_run_shared(h, header, (tern_dim){(uint32_t)l->parts, y}, block(LONG_THREADS),
                              (uint32_t)round_bytes(LONG_THREADS, d->element),
                              (void *[]){&p->o.a, &p->o.b, &list, &d->offsets, &l->ranks, &words,
                                         &l->starts, &d->apart, &l->sums, &d->sums},
                              "gemm_rank_values<%s>", p->types);
    if (!e && l->parts > 1)
        e = sparse_run(h, header, (tern_dim){SHARES, y}, block(LONG_THREADS),
                       (void *[]){&p->o.a, &list, &d->offsets, &l->starts, &d->apart, &l->parts,
                                  &l->sums, &d->sums},
                       "gemm_add_parts<%s, %s>", p->o.offset, sparse_type(p->t->sum));
    return e;
}

static enum tern_error long_values(struct product *p, int64_t *list, unsigned rows)
{
    struct long_rows l = {0};
    enum tern_error e = rows ? long_memory(p, rows, &l) : TERN_OK;
    for (int64_t first = 0; first < rows && !e; first += l.at_once)
        e = long_part(p, &l, list + first, rows - first < l.at_once ? rows - first : l.at_once);
    lib_scratch_free(p->h->stream, l.ranks);
    return e;
}

static enum tern_error sums(struct product *p)
{
    cusparseSpGEMMDescr_t d = p->d;
    int64_t *list = d->list;
    enum tern_error e = TERN_OK;
    for (int k = 0; k < d->bins.count && !e; k++) {
        const struct gemm_bin *b = &d->bins.bin[k];
        int64_t n = d->in_bin[k];
        void *in_window[] = {&p->o.a,     &p->o.b,     &list,       &n,      &d->begins,
                             &d->extents, &d->offsets, &d->columns, &d->sums};
        void *in_table[] = {&p->o.a, &p->o.b, &list, &n, &d->offsets, &d->columns, &d->sums};
        e = sparse_run_shared(p->h, header, lib_blocks(n, 1), block(b->threads),
                              (uint32_t)bin_shared(b, d->element),
                              b->sparsest ? in_window : in_table, "gemm_%s_values<%s>",
                              b->sparsest ? "window" : "table", p->types);
        list += n;
    }
    return e ? e : long_values(p, list, d->in_bin[d->bins.count]);
}

enum tern_error gemm_values(const struct cusparseContext *h, cusparseConstSpMatDescr_t a,
                            cusparseConstSpMatDescr_t b, const struct sparse_types *t,
                            cusparseSpGEMMDescr_t d)
{
    struct product p = {.h = h, .o = operands(a, b), .t = t, .d = d};
    snprintf(p.types, sizeof p.types, "%s, %s, %s, %s, %s", p.o.offset, p.o.index,
             sparse_type(t->a), sparse_type(t->x), sparse_type(t->sum));
    const size_t element = lib_types[t->sum].bytes, bytes = ((size_t)d->nnz + 1) * element;
    enum tern_error e = TERN_OK;
    if (d->sum_bytes < bytes) {
        cudaFree(d->sums);
        d->sums = NULL;
        d->sum_bytes = bytes;
        e = lib_error(cudaMalloc(&d->sums, bytes));
    }
    if (!e && d->element != element) {
        struct gemm_note note;
        e = place_values(h, d, element);
        if (!e)
            e = sparse_read(h, d->note, sizeof note, &note);
        if (e)
            return e;
        keep_places(d, &note);
    }
    return e ? e : sums(&p);
}
