// RUN: tern compile %s --to ir 2>&1 | grep -E "error|kernel|store"
// A parameter's declarator in more brackets than it needs; alignment by its older name.
__device__ int sum(const int ((*rows)[4]), int ((&row)[4]), int ((n)), int (*(f))(int)) { return rows[1][2] + row[1] + n + f(1); }
template <int N> __device__ int first(const int ((*rows)[4])) { return rows[0][N]; }
__device__ int same(int x) { return x; }
typedef struct __builtin_align__(32) wide { int x; } wide;
__global__ void k(int *p)
{
    __shared__ int a[2][4];
    int ((*more)[4]) = a, ((&row)[4]) = a[1];
    row[3] = more[0][1];
    p[0] = sum(a, a[0], 3, same) + first<2>(a) + (int)sizeof(wide);
}
