// A matrix class with operators, which keeps its elements on the device: copied, moved, multiplied, printed.
#include <cassert>
#include <cmath>
#include <iomanip>
#include <iostream>
#include <stdexcept>
#include <utility>
#include <vector>

template <class T> __global__ void product(const T *a, const T *b, T *c, int m, int n, int k)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= m || column >= n)
        return;
    T sum = 0;
    for (int i = 0; i < k; i++)
        sum += a[row * k + i] * b[i * n + column];
    c[row * n + column] = sum;
}
template <class T, class F> __global__ void each(const T *a, const T *b, T *c, int n, F f)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = f(a[i], b[i]);
}
struct Plus {
    template <class T> __host__ __device__ T operator()(T a, T b) const { return a + b; }
};
struct Minus {
    template <class T> __host__ __device__ T operator()(T a, T b) const { return a - b; }
};

template <class T> class Matrix {
    int rows_, columns_;
    T *data_;

    static void check(cudaError_t e)
    {
        if (e != cudaSuccess)
            throw std::runtime_error(cudaGetErrorString(e));
    }

public:
    Matrix(int rows, int columns) : rows_(rows), columns_(columns), data_(nullptr) { check(cudaMalloc(&data_, sizeof(T) * rows * columns)); }
    Matrix(int rows, int columns, std::initializer_list<T> values) : Matrix(rows, columns)
    {
        if ((int)values.size() != rows * columns)
            throw std::invalid_argument("a matrix needs as many values as it has elements");
        check(cudaMemcpy(data_, values.begin(), sizeof(T) * values.size(), cudaMemcpyHostToDevice));
    }
    Matrix(const Matrix &o) : Matrix(o.rows_, o.columns_) { check(cudaMemcpy(data_, o.data_, sizeof(T) * rows_ * columns_, cudaMemcpyDeviceToDevice)); }
    Matrix(Matrix &&o) noexcept : rows_(o.rows_), columns_(o.columns_), data_(std::exchange(o.data_, nullptr)) {}
    Matrix &operator=(Matrix o) noexcept
    {
        std::swap(rows_, o.rows_);
        std::swap(columns_, o.columns_);
        std::swap(data_, o.data_);
        return *this;
    }
    ~Matrix() { cudaFree(data_); }

    static Matrix identity(int n)
    {
        std::vector<T> host(n * n);
        for (int i = 0; i < n; i++)
            host[i * n + i] = 1;
        Matrix m(n, n);
        check(cudaMemcpy(m.data_, host.data(), sizeof(T) * n * n, cudaMemcpyHostToDevice));
        return m;
    }
    template <class F> Matrix with(const Matrix &o, F f) const
    {
        if (rows_ != o.rows_ || columns_ != o.columns_)
            throw std::invalid_argument("the shapes differ");
        Matrix r(rows_, columns_);
        each<<<(rows_ * columns_ + 63) / 64, 64>>>(data_, o.data_, r.data_, rows_ * columns_, f);
        check(cudaGetLastError());
        return r;
    }
    Matrix operator+(const Matrix &o) const { return with(o, Plus()); }
    Matrix operator-(const Matrix &o) const { return with(o, Minus()); }
    Matrix operator*(const Matrix &o) const
    {
        if (columns_ != o.rows_)
            throw std::invalid_argument("the shapes do not fit");
        Matrix r(rows_, o.columns_);
        dim3 block(8, 8), grid((o.columns_ + 7) / 8, (rows_ + 7) / 8);
        product<<<grid, block>>>(data_, o.data_, r.data_, rows_, o.columns_, columns_);
        check(cudaGetLastError());
        return r;
    }
    Matrix &operator*=(const Matrix &o) { return *this = *this * o; }
    T operator()(int i, int j) const
    {
        T x;
        check(cudaMemcpy(&x, data_ + i * columns_ + j, sizeof x, cudaMemcpyDeviceToHost));
        return x;
    }
    friend std::ostream &operator<<(std::ostream &o, const Matrix &m)
    {
        for (int i = 0; i < m.rows_; i++) {
            for (int j = 0; j < m.columns_; j++)
                o << std::setw(8) << m(i, j);
            o << '\n';
        }
        return o;
    }
};

template <class T> Matrix<T> power(Matrix<T> m, unsigned n, int size)
{
    Matrix<T> r = Matrix<T>::identity(size);
    for (; n; n /= 2) {
        if (n & 1)
            r *= m;
        m *= m;
    }
    return r;
}

int main()
{
    Matrix<double> a(2, 3, {1, 2, 3, 4, 5, 6}), b(3, 2, {1, 0, 0, 1, 0.5, -1});
    std::cout << a * b << (a + a - a) << std::fixed << std::setprecision(2) << (b * a) * b;
    Matrix<long long> fibonacci(2, 2, {1, 1, 1, 0});
    std::cout << power(fibonacci, 60, 2)(0, 1) << '\n';
    try {
        a * a;
    } catch (const std::invalid_argument &e) {
        std::cout << "refused: " << e.what() << '\n';
    }
    return 0;
}
