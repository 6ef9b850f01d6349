/* The kernels that bench/cpu measures, as CUDA and (through the macros) as OpenCL C. */
#ifdef __OPENCL_VERSION__
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define KERNEL  __kernel void
#define GLOBAL  __global
#define SHARED  __local
#define SYNC()  barrier(CLK_LOCAL_MEM_FENCE)
#define TX      ((int)get_local_id(0))
#define TY      ((int)get_local_id(1))
#define BX      ((int)get_group_id(0))
#define BY      ((int)get_group_id(1))
#define NX      ((int)get_local_size(0))
#define NY      ((int)get_local_size(1))
#define RSQRT   rsqrt
#define SQRT    sqrt
#define EXP     exp
#define LOG     log
#define FABS    fabs
#define FMAX    fmax
#define ATOMIC_ADD_SHARED(p) atomic_inc(p)
#define ATOMIC_ADD(p, v)     atomic_add(p, v)
#else
#define KERNEL  extern "C" __global__ void
#define GLOBAL
#define SHARED  __shared__
#define SYNC()  __syncthreads()
#define TX      ((int)threadIdx.x)
#define TY      ((int)threadIdx.y)
#define BX      ((int)blockIdx.x)
#define BY      ((int)blockIdx.y)
#define NX      ((int)blockDim.x)
#define NY      ((int)blockDim.y)
#define RSQRT   rsqrtf
#define SQRT    sqrtf
#define EXP     expf
#define LOG     logf
#define FABS    fabsf
#define FMAX    fmaxf
#define ATOMIC_ADD_SHARED(p) atomicAdd(p, 1)
#define ATOMIC_ADD(p, v)     atomicAdd(p, v)
#endif

KERNEL vector_add(int n, GLOBAL const float *a, GLOBAL const float *b, GLOBAL float *c)
{
    int i = BX * NX + TX;
    if (i < n)
        c[i] = a[i] + b[i];
}

KERNEL saxpy(int n, GLOBAL const float *x, GLOBAL float *y, GLOBAL float *unused)
{
    int i = BX * NX + TX;
    if (i < n)
        y[i] = 2.5f * x[i] + y[i];
}

KERNEL dot_product(int n, GLOBAL const float *a, GLOBAL const float *b, GLOBAL float *sums)
{
    SHARED float part[256];
    float s = 0;
    int from = BX * 4096;
    for (int i = from + TX; i < from + 4096 && i < n; i += NX)
        s += a[i] * b[i];
    part[TX] = s;
    SYNC();
    for (int step = 128; step > 0; step /= 2) {
        if (TX < step)
            part[TX] += part[TX + step];
        SYNC();
    }
    if (TX == 0)
        sums[BX] = part[0];
}

KERNEL sgemm_naive(int n, GLOBAL const float *A, GLOBAL const float *B, GLOBAL float *C)
{
    int row = BY * NY + TY, col = BX * NX + TX;
    if (row < n && col < n) {
        float s = 0;
        for (int k = 0; k < n; k++)
            s += A[row * n + k] * B[k * n + col];
        C[row * n + col] = s;
    }
}

KERNEL sgemm_tiled(int n, GLOBAL const float *A, GLOBAL const float *B, GLOBAL float *C)
{
    SHARED float As[16][16], Bs[16][16];
    int row = BY * 16 + TY, col = BX * 16 + TX;
    float s = 0;
    for (int k = 0; k < n; k += 16) {
        As[TY][TX] = A[row * n + k + TX];
        Bs[TY][TX] = B[(k + TY) * n + col];
        SYNC();
        for (int j = 0; j < 16; j++)
            s += As[TY][j] * Bs[j][TX];
        SYNC();
    }
    C[row * n + col] = s;
}

/* 64 x 64 of C to a block of 16 x 16 threads, 4 x 4 to a thread. */
KERNEL sgemm_registers(int n, GLOBAL const float *A, GLOBAL const float *B, GLOBAL float *C)
{
    SHARED float As[16][64], Bs[16][64];
    int t = TY * 16 + TX, row = BY * 64, col = BX * 64;
    float acc[4][4];
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            acc[i][j] = 0;
    for (int k = 0; k < n; k += 16) {
        for (int i = 0; i < 4; i++) {
            int m = t + i * 256;
            As[m % 16][m / 16] = A[(row + m / 16) * n + k + m % 16];
            Bs[m / 64][m % 64] = B[(k + m / 64) * n + col + m % 64];
        }
        SYNC();
        for (int j = 0; j < 16; j++) {
            float a[4], b[4];
            for (int i = 0; i < 4; i++) {
                a[i] = As[j][TY * 4 + i];
                b[i] = Bs[j][TX + i * 16];
            }
            for (int i = 0; i < 4; i++)
                for (int l = 0; l < 4; l++)
                    acc[i][l] += a[i] * b[l];
        }
        SYNC();
    }
    for (int i = 0; i < 4; i++)
        for (int l = 0; l < 4; l++)
            C[(row + TY * 4 + i) * n + col + TX + l * 16] = acc[i][l];
}

KERNEL transpose(int n, GLOBAL const float *in, GLOBAL const float *unused, GLOBAL float *out)
{
    SHARED float tile[16][17];
    tile[TY][TX] = in[(BY * 16 + TY) * n + BX * 16 + TX];
    SYNC();
    out[(BX * 16 + TY) * n + BY * 16 + TX] = tile[TX][TY];
}

KERNEL stencil(int n, GLOBAL const float *in, GLOBAL const float *unused, GLOBAL float *out)
{
    int x = BX * NX + TX, y = BY * NY + TY;
    if (x > 0 && x < n - 1 && y > 0 && y < n - 1)
        out[y * n + x] = 0.5f * in[y * n + x] + 0.125f * (in[y * n + x - 1] + in[y * n + x + 1] +
                                                          in[(y - 1) * n + x] + in[(y + 1) * n + x]);
}

KERNEL conv(int n, GLOBAL const float *in, GLOBAL const float *w, GLOBAL float *out)
{
    int x = BX * NX + TX, y = BY * NY + TY;
    if (x < n - 4 && y < n - 4) {
        float s = 0;
        for (int i = 0; i < 5; i++)
            for (int j = 0; j < 5; j++)
                s += in[(y + i) * n + x + j] * w[i * 5 + j];
        out[y * n + x] = s;
    }
}

KERNEL softmax(int n, GLOBAL const float *in, GLOBAL const float *unused, GLOBAL float *out)
{
    SHARED float part[256];
    float most = -1e30f, sum = 0;
    for (int i = TX; i < n; i += 256)
        most = FMAX(most, in[BX * n + i]);
    part[TX] = most;
    SYNC();
    for (int step = 128; step > 0; step /= 2) {
        if (TX < step)
            part[TX] = FMAX(part[TX], part[TX + step]);
        SYNC();
    }
    most = part[0];
    SYNC();
    for (int i = TX; i < n; i += 256)
        sum += EXP(in[BX * n + i] - most);
    part[TX] = sum;
    SYNC();
    for (int step = 128; step > 0; step /= 2) {
        if (TX < step)
            part[TX] += part[TX + step];
        SYNC();
    }
    sum = 1 / part[0];
    for (int i = TX; i < n; i += 256)
        out[BX * n + i] = EXP(in[BX * n + i] - most) * sum;
}

KERNEL histogram(int n, GLOBAL const int *in, GLOBAL const float *unused, GLOBAL int *bins)
{
    SHARED int part[256];
    part[TX] = 0;
    SYNC();
    for (int i = 0; i < 64; i++) {
        int k = BX * 64 * 256 + i * 256 + TX;
        if (k < n)
            ATOMIC_ADD_SHARED(&part[in[k] & 255]);
    }
    SYNC();
    ATOMIC_ADD(&bins[TX], part[TX]);
}

KERNEL nbody(int n, GLOBAL const float *p, GLOBAL const float *unused, GLOBAL float *out)
{
    int i = BX * NX + TX;
    float x = p[i], y = p[n + i], z = p[2 * n + i], ax = 0, ay = 0, az = 0;
    for (int j = 0; j < n; j++) {
        float dx = p[j] - x, dy = p[n + j] - y, dz = p[2 * n + j] - z;
        float r = RSQRT(dx * dx + dy * dy + dz * dz + 0.01f), s = r * r * r;
        ax += dx * s, ay += dy * s, az += dz * s;
    }
    out[i] = ax, out[n + i] = ay, out[2 * n + i] = az;
}

KERNEL black_scholes(int n, GLOBAL const float *price, GLOBAL const float *strike, GLOBAL float *call)
{
    int i = BX * NX + TX;
    if (i < n) {
        float s = price[i], k = strike[i], root = SQRT(2.0f);
        float d1 = (LOG(s / k) + (0.02f + 0.5f * 0.09f) * 2.0f) / (0.3f * root), d2 = d1 - 0.3f * root;
        float c[2], d[2];
        d[0] = d1, d[1] = d2;
        for (int m = 0; m < 2; m++) {
            float t = 1 / (1 + 0.2316419f * FABS(d[m]));
            float v = 0.3989422804f * EXP(-0.5f * d[m] * d[m]) *
                      (t * (0.31938153f + t * (-0.356563782f + t * (1.781477937f + t * (-1.821255978f + t * 1.330274429f)))));
            c[m] = d[m] > 0 ? 1 - v : v;
        }
        call[i] = s * c[0] - k * EXP(-0.02f * 2.0f) * c[1];
    }
}

KERNEL mandelbrot(int n, GLOBAL const float *unused, GLOBAL const float *unused2, GLOBAL int *out)
{
    int px = BX * NX + TX, py = BY * NY + TY;
    float cx = -2.0f + 3.0f * px / n, cy = -1.5f + 3.0f * py / n, x = 0, y = 0;
    int k = 0;
    while (k < 256 && x * x + y * y < 4) {
        float t = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = t;
        k++;
    }
    out[py * n + px] = k;
}

KERNEL spmv(int n, GLOBAL const int *columns, GLOBAL const float *x, GLOBAL float *y)
{
    int row = BX * NX + TX;
    if (row < n) {
        float s = 0;
        for (int k = 0; k < 16; k++)
            s += (float)(k + 1) * x[columns[k * n + row]];
        y[row] = s;
    }
}

KERNEL dgemm_tiled(int n, GLOBAL const double *A, GLOBAL const double *B, GLOBAL double *C)
{
    SHARED double As[16][16], Bs[16][16];
    int row = BY * 16 + TY, col = BX * 16 + TX;
    double s = 0;
    for (int k = 0; k < n; k += 16) {
        As[TY][TX] = A[row * n + k + TX];
        Bs[TY][TX] = B[(k + TY) * n + col];
        SYNC();
        for (int j = 0; j < 16; j++)
            s += As[TY][j] * Bs[j][TX];
        SYNC();
    }
    C[row * n + col] = s;
}

/* Seven points; each thread goes up a column. */
KERNEL stencil3d(int n, GLOBAL const float *in, GLOBAL const float *unused, GLOBAL float *out)
{
    int x = BX * NX + TX, y = BY * NY + TY, plane = n * n;
    if (x > 0 && x < n - 1 && y > 0 && y < n - 1)
        for (int z = 1; z < n - 1; z++) {
            int i = z * plane + y * n + x;
            out[i] = 0.4f * in[i] + 0.1f * (in[i - 1] + in[i + 1] + in[i - n] + in[i + n] + in[i - plane] + in[i + plane]);
        }
}

KERNEL layer_norm(int n, GLOBAL const float *in, GLOBAL const float *scale, GLOBAL float *out)
{
    SHARED float part[256], squares[256];
    float sum = 0, square = 0;
    for (int i = TX; i < n; i += 256) {
        float x = in[BX * n + i];
        sum += x;
        square += x * x;
    }
    part[TX] = sum;
    squares[TX] = square;
    SYNC();
    for (int step = 128; step > 0; step /= 2) {
        if (TX < step) {
            part[TX] += part[TX + step];
            squares[TX] += squares[TX + step];
        }
        SYNC();
    }
    float mean = part[0] / n, r = RSQRT(squares[0] / n - mean * mean + 1e-5f);
    for (int i = TX; i < n; i += 256)
        out[BX * n + i] = (in[BX * n + i] - mean) * r * scale[i];
}

/* Sums of each 256 elements up to each of them. */
KERNEL scan(int n, GLOBAL const float *in, GLOBAL const float *unused, GLOBAL float *out)
{
    SHARED float a[256];
    int i = BX * 256 + TX;
    a[TX] = in[i];
    SYNC();
    for (int step = 1; step < 256; step *= 2) {
        float x = a[TX];
        if (TX >= step)
            x += a[TX - step];
        SYNC();
        a[TX] = x;
        SYNC();
    }
    out[i] = a[TX];
}

/* 256 complex numbers to a block of 128 threads, radix 2; w: the roots of unity. */
KERNEL fft(int n, GLOBAL const float *in, GLOBAL const float *w, GLOBAL float *out)
{
    SHARED float re[256], im[256];
    int base = BX * 512;
    for (int k = 0; k < 2; k++) {
        int i = TX + k * 128, r = 0;
        for (int bit = 0; bit < 8; bit++)
            r |= (i >> bit & 1) << (7 - bit);
        re[r] = in[base + i];
        im[r] = in[base + 256 + i];
    }
    SYNC();
    for (int span = 1; span < 256; span *= 2) {
        int j = TX & (span - 1), a = (TX - j) * 2 + j, b = a + span;
        float c = w[j * (128 / span)], s = w[128 + j * (128 / span)];
        float x = re[b] * c - im[b] * s, y = re[b] * s + im[b] * c, u = re[a], v = im[a];
        re[a] = u + x;
        im[a] = v + y;
        re[b] = u - x;
        im[b] = v - y;
        SYNC();
    }
    for (int k = 0; k < 2; k++) {
        out[base + TX + k * 128] = re[TX + k * 128];
        out[base + 256 + TX + k * 128] = im[TX + k * 128];
    }
}

/* 512 numbers to a block of 256 threads. */
KERNEL bitonic(int n, GLOBAL const float *in, GLOBAL const float *unused, GLOBAL float *out)
{
    SHARED float a[512];
    a[TX] = in[BX * 512 + TX];
    a[TX + 256] = in[BX * 512 + TX + 256];
    SYNC();
    for (int size = 2; size <= 512; size *= 2)
        for (int step = size / 2; step > 0; step /= 2) {
            int low = TX & (step - 1), i = (TX - low) * 2 + low;
            float x = a[i], y = a[i + step];
            if ((x > y) == ((i & size) == 0)) {
                a[i] = y;
                a[i + step] = x;
            }
            SYNC();
        }
    out[BX * 512 + TX] = a[TX];
    out[BX * 512 + TX + 256] = a[TX + 256];
}

/* The eigenvalues of a symmetric 4 x 4 matrix to a thread: element k of matrix i is in[k * n + i]. */
KERNEL jacobi(int n, GLOBAL const float *in, GLOBAL const float *unused, GLOBAL float *out)
{
    int t = BX * NX + TX;
    float a[4][4];
    if (t >= n)
        return;
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            a[i][j] = in[(i > j ? i * 4 + j : j * 4 + i) * n + t];
    for (int sweep = 0; sweep < 5; sweep++)
        for (int p = 0; p < 3; p++)
            for (int q = p + 1; q < 4; q++) {
                float apq = a[p][q], d = a[q][q] - a[p][p];
                float h = FABS(d) + SQRT(d * d + 4 * apq * apq) + 1e-30f;
                float tn = d < 0 ? -2 * apq / h : 2 * apq / h;
                float c = RSQRT(tn * tn + 1), s = tn * c;
                for (int k = 0; k < 4; k++) {
                    float x = a[k][p], y = a[k][q];
                    a[k][p] = c * x - s * y;
                    a[k][q] = s * x + c * y;
                }
                for (int k = 0; k < 4; k++) {
                    float x = a[p][k], y = a[q][k];
                    a[p][k] = c * x - s * y;
                    a[q][k] = s * x + c * y;
                }
            }
    for (int i = 0; i < 4; i++)
        out[i * n + t] = a[i][i];
}

/* Lennard-Jones forces of 32 neighbours of each particle: neighbour k of i is list[k * n + i]. */
KERNEL md_force(int n, GLOBAL const int *list, GLOBAL const float *p, GLOBAL float *out)
{
    int i = BX * NX + TX;
    float x = p[i], y = p[n + i], z = p[2 * n + i], fx = 0, fy = 0, fz = 0;
    for (int k = 0; k < 32; k++) {
        int j = list[k * n + i];
        float dx = x - p[j], dy = y - p[n + j], dz = z - p[2 * n + j];
        float r2 = dx * dx + dy * dy + dz * dz;
        if (r2 < 0.25f && r2 > 0) {
            float inv = 1 / r2, s6 = inv * inv * inv * 1e-6f, f = inv * s6 * (s6 - 0.5f);
            fx += dx * f, fy += dy * f, fz += dz * f;
        }
    }
    out[i] = fx, out[n + i] = fy, out[2 * n + i] = fz;
}

KERNEL empty(int n, GLOBAL const float *a, GLOBAL const float *b, GLOBAL float *c)
{
}
