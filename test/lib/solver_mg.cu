// LONG ON: vulkan: a software GPU compiles its kernels for many seconds
// OPTIONS: -lcusolverMg -lcusolver -lcublas
/* Matrices over several devices (here one, several times): Cholesky, Gauss, inverses, eigenvalues; parts of matrices; what is around a
 * part stays. Against products in double. */
#include "blas.h"
#include <cusolverMg.h>

#define MG(call)                                                                                   \
    do {                                                                                           \
        cusolverStatus_t s_ = (call);                                                              \
        if (s_ != CUSOLVER_STATUS_SUCCESS) {                                                       \
            printf("%s:%d: %s: %d\n", __FILE__, __LINE__, #call, (int)s_);                         \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

template <class T> struct kind;
template <> struct kind<float> { static const cudaDataType value = CUDA_R_32F, real = CUDA_R_32F; typedef float R; };
template <> struct kind<double> { static const cudaDataType value = CUDA_R_64F, real = CUDA_R_64F; typedef double R; };
template <> struct kind<cuDoubleComplex> { static const cudaDataType value = CUDA_C_64F, real = CUDA_R_64F; typedef double R; };

/* A workspace query answers with what the call then takes, and says no without a place for the answer or without a handle. */
#define MG_ROOM(name, room, ...)                                                                   \
    do {                                                                                           \
        (room) = -1;                                                                               \
        MG(cusolverMg##name##_bufferSize(h, __VA_ARGS__, &(room)));                                \
        CHECK((room) >= 0);                                                                        \
        CHECK(cusolverMg##name##_bufferSize(h, __VA_ARGS__, nullptr) == CUSOLVER_STATUS_INVALID_VALUE); \
        CHECK(cusolverMg##name##_bufferSize(nullptr, __VA_ARGS__, &(room)) == CUSOLVER_STATUS_NOT_INITIALIZED); \
    } while (0)
/* So many elements on each device. */
template <class T> struct workspaces {
    std::vector<void *> array;
    workspaces(int count, int64_t room) : array(count)
    {
        for (void *&p : array)
            CUDA(cudaMalloc(&p, sizeof(T) * (room ? room : 1)));
    }
    ~workspaces()
    {
        for (void *p : array)
            cudaFree(p);
    }
    void **at() { return array.data(); }
};

/* Columns in tiles that go round `count` devices. */
template <class T> struct spread {
    std::vector<T> host;
    int rows, cols, tile, count;
    std::vector<T *> array;
    cudaLibMgGrid_t grid;
    cudaLibMgMatrixDesc_t desc;
    spread(int rows_, int cols_, int tile_, int count_) : host((size_t)rows_ * cols_), rows(rows_), cols(cols_), tile(tile_), count(count_), array(count_)
    {
        const std::vector<int> devices(count, 0);
        for (T &v : host)
            v = any<T>();
        for (T *&p : array)
            CUDA(cudaMalloc((void **)&p, sizeof(T) * rows * ((cols / tile + 1) * tile)));
        MG(cusolverMgCreateDeviceGrid(&grid, 1, count, devices.data(), CUDALIBMG_GRID_MAPPING_COL_MAJOR));
        MG(cusolverMgCreateMatrixDesc(&desc, rows, cols, rows, tile, kind<T>::value, grid));
    }
    ~spread()
    {
        for (T *p : array)
            cudaFree(p);
        MG(cusolverMgDestroyMatrixDesc(desc));
        MG(cusolverMgDestroyGrid(grid));
    }
    T *column(int j) { return array[j / tile % count] + (size_t)(j / tile / count * tile + j % tile) * rows; }
    void put()
    {
        for (int j = 0; j < cols; j++)
            CUDA(cudaMemcpy(column(j), &host[(size_t)j * rows], sizeof(T) * rows, cudaMemcpyHostToDevice));
    }
    std::vector<T> get()
    {
        std::vector<T> v(host.size());
        for (int j = 0; j < cols; j++)
            CUDA(cudaMemcpy(&v[(size_t)j * rows], column(j), sizeof(T) * rows, cudaMemcpyDeviceToHost));
        return v;
    }
    void **at() { return (void **)array.data(); }
};

template <class T> static void all(int n, int tile, int count, int shift)
{
    const cudaDataType type = kind<T>::value;
    const double bound = 400 * as<T>::eps() * n;
    const int nrhs = 3, ia = shift + 1, ja = shift + 2;
    cusolverMgHandle_t h;
    std::vector<int> devices(count, 0);
    int64_t lwork = 0;
    int info = -1;
    MG(cusolverMgCreate(&h));
    MG(cusolverMgDeviceSelect(h, count, devices.data()));
    spread<T> a(n + 2 * shift, n + 2 * shift + 1, tile, count), b(n, nrhs, 2, count);
    const auto place = [&](int i, int j) { return (size_t)(ia - 1 + i) + (size_t)(ja - 1 + j) * a.rows; };
    const auto around_stays = [&](const std::vector<T> &now) {
        for (int j = 0; j < a.cols; j++)
            for (int i = 0; i < a.rows; i++)
                if (i < ia - 1 || i >= ia - 1 + n || j < ja - 1 || j >= ja - 1 + n)
                    CHECK(!memcmp(&now[i + (size_t)j * a.rows], &a.host[i + (size_t)j * a.rows], sizeof(T)));
    };
    const auto solves = [&](const std::vector<T> &x) { /* A x = b, A Hermitian or not as host has it */
        for (int j = 0; j < nrhs; j++)
            for (int i = 0; i < n; i++) {
                zd v = 0;
                for (int l = 0; l < n; l++)
                    v += as<T>::wide(a.host[place(i, l)]) * as<T>::wide(x[l + (size_t)j * n]);
                CHECK(close(v, as<T>::wide(b.host[i + (size_t)j * n]), bound * n));
            }
    };
    std::vector<int *> pivots(count);
    for (int *&p : pivots)
        CUDA(cudaMalloc((void **)&p, sizeof(int) * (a.cols + tile)));
    a.put();
    b.put();
    MG_ROOM(Getrf, lwork, n, n, a.at(), ia, ja, a.desc, pivots.data(), type);
    MG(cusolverMgGetrf(h, n, n, a.at(), ia, ja, a.desc, pivots.data(), type, workspaces<T>(count, lwork).at(), lwork, &info));
    CHECK(info == 0);
    around_stays(a.get());
    MG_ROOM(Getrs, lwork, CUBLAS_OP_N, n, nrhs, a.at(), ia, ja, a.desc, pivots.data(), b.at(), 1, 1, b.desc, type);
    MG(cusolverMgGetrs(h, CUBLAS_OP_N, n, nrhs, a.at(), ia, ja, a.desc, pivots.data(), b.at(), 1, 1, b.desc, type, workspaces<T>(count, lwork).at(), lwork, &info));
    solves(b.get());

    /* Hermitian and definite */
    for (int j = 0; j < n; j++)
        for (int i = 0; i <= j; i++) {
            zd v = as<T>::wide(a.host[place(i, j)]);
            if (i == j)
                v = zd(n + std::abs(v), 0);
            a.host[place(i, j)] = as<T>::narrow(v);
            a.host[place(j, i)] = as<T>::narrow(std::conj(v));
        }
    a.put();
    b.put();
    MG_ROOM(Potrf, lwork, CUBLAS_FILL_MODE_LOWER, n, a.at(), ia, ja, a.desc, type);
    MG(cusolverMgPotrf(h, CUBLAS_FILL_MODE_LOWER, n, a.at(), ia, ja, a.desc, type, workspaces<T>(count, lwork).at(), lwork, &info));
    CHECK(info == 0);
    MG_ROOM(Potrs, lwork, CUBLAS_FILL_MODE_LOWER, n, nrhs, a.at(), ia, ja, a.desc, b.at(), 1, 1, b.desc, type);
    MG(cusolverMgPotrs(h, CUBLAS_FILL_MODE_LOWER, n, nrhs, a.at(), ia, ja, a.desc, b.at(), 1, 1, b.desc, type, workspaces<T>(count, lwork).at(), lwork, &info));
    solves(b.get());
    MG_ROOM(Potri, lwork, CUBLAS_FILL_MODE_LOWER, n, a.at(), ia, ja, a.desc, type);
    MG(cusolverMgPotri(h, CUBLAS_FILL_MODE_LOWER, n, a.at(), ia, ja, a.desc, type, workspaces<T>(count, lwork).at(), lwork, &info));
    const std::vector<T> inverse = a.get();
    around_stays(inverse);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            zd v = 0;
            for (int l = 0; l < n; l++)
                v += as<T>::wide(a.host[place(i, l)]) * (l >= j ? as<T>::wide(inverse[place(l, j)]) : std::conj(as<T>::wide(inverse[place(j, l)])));
            CHECK(close(v, i == j, bound));
        }
    a.put();
    std::vector<typename kind<T>::R> w(n);
    MG_ROOM(Syevd, lwork, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, n, a.at(), ia, ja, a.desc, w.data(), kind<T>::real, type);
    MG(cusolverMgSyevd(h, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, n, a.at(), ia, ja, a.desc, w.data(), kind<T>::real, type, workspaces<T>(count, lwork).at(), lwork, &info));
    const std::vector<T> vectors = a.get();
    for (int j = 0; j < n; j++) {
        CHECK(info == 0 && (j == 0 || w[j] >= w[j - 1]));
        for (int i = 0; i < n; i++) {
            zd v = 0;
            for (int l = 0; l < n; l++)
                v += as<T>::wide(a.host[place(i, l)]) * as<T>::wide(vectors[place(l, j)]);
            CHECK(close(v, (double)w[j] * as<T>::wide(vectors[place(i, j)]), bound * n));
        }
    }
    a.host[place(0, 0)] = as<T>::narrow(-1);
    a.put();
    MG(cusolverMgPotrf(h, CUBLAS_FILL_MODE_LOWER, n, a.at(), ia, ja, a.desc, type, nullptr, 1, &info));
    CHECK(info == 1);
    CHECK(cusolverMgPotrf(h, CUBLAS_FILL_MODE_LOWER, n + 2 * shift + 1, a.at(), ia, ja, a.desc, type, nullptr, 1, &info) == CUSOLVER_STATUS_INVALID_VALUE);
    for (int *p : pivots)
        cudaFree(p);
    MG(cusolverMgDestroy(h));
}

int main()
{
    all<double>(13, 4, 1, 0);
    all<double>(13, 4, 2, 1);
    all<cuDoubleComplex>(9, 2, 3, 2);
    all<float>(8, 16, 2, 0);
    puts("ok");
}
