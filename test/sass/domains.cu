// Kernels of many fields of science in f64, each a row: what one thread computes of inputs, as a function that the host runs, too. What
// the host's compiler makes of it is the reference.
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>
#include "../programs/check.h"

enum { N = 96, IN = 8 }; // threads; inputs of each: in[k * N + i], between 0.1 and 1.1
#define BOTH __host__ __device__ inline
typedef const double *Row;
#define X(k) x[(k) * N + i]

struct complex2 {
    double re, im;
};
BOTH complex2 times(complex2 a, complex2 b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
BOTH complex2 add(complex2 a, complex2 b) { return {a.re + b.re, a.im + b.im}; }
struct su3 {
    complex2 m[3][3];
};
BOTH su3 link(Row x, int i, int k)
{
    su3 u;
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            u.m[r][c] = {X((r + k) % IN) - 0.1 * c, 0.3 * X((c + k) % IN) - 0.2 * r};
    return u;
}
BOTH su3 mul(const su3 &a, const su3 &b)
{
    su3 r;
    for (int p = 0; p < 3; p++)
        for (int q = 0; q < 3; q++) {
            complex2 s = {0, 0};
            for (int k = 0; k < 3; k++)
                s = add(s, times(a.m[p][k], b.m[k][q]));
            r.m[p][q] = s;
        }
    return r;
}
BOTH double trace(const su3 &a) { return a.m[0][0].re + a.m[1][1].re + a.m[2][2].re; }
BOTH double norm(const su3 &a)
{
    double s = 0;
    for (int p = 0; p < 3; p++)
        for (int q = 0; q < 3; q++)
            s += a.m[p][q].re * a.m[p][q].re + a.m[p][q].im * a.m[p][q].im;
    return s;
}
// the force of a Yukawa potential over neighbours, by some order of them
BOTH double yukawa(Row x, int i, int first, int step, double cut)
{
    double f = 0;
    for (int n = 0; n < 12; n++) {
        const int j = (i + first + n * step) % N;
        const double dx = x[j] - X(0), dy = x[N + j] - X(1), dz = x[2 * N + j] - X(2), d2 = dx * dx + dy * dy + dz * dz;
        if (j == i || d2 > cut || d2 == 0)
            continue;
        const double d = sqrt(d2);
        f += exp(-d) * (1 + d) / (d2 * d) * dx;
    }
    return f;
}
// pairs of numbers: one of twice the digits
struct pair2 {
    double high, low;
};
BOTH pair2 sum2(double a, double b)
{
    const double s = a + b, t = s - a;
    return {s, (a - (s - t)) + (b - t)};
}
BOTH pair2 product2(double a, double b)
{
    const double p = a * b;
    return {p, fma(a, b, -p)};
}
struct df64 {
    float high, low;
};
BOTH df64 df_sum(df64 a, df64 b)
{
    const float s = a.high + b.high, t = s - a.high, e = (a.high - (s - t)) + (b.high - t) + a.low + b.low, h = s + e;
    return {h, e - (h - s)};
}
BOTH df64 df_mul(df64 a, df64 b)
{
    const float p = a.high * b.high, e = fmaf(a.high, b.high, -p) + (a.high * b.low + a.low * b.high), h = p + e;
    return {h, e - (h - p)};
}
BOTH df64 df_of(double v) { return {(float)v, (float)(v - (double)(float)v)}; }
BOTH df64 df_exp(df64 v) // of what is small
{
    df64 s = {1, 0}, term = {1, 0};
    for (int k = 1; k < 14; k++) {
        term = df_mul(term, df_mul(v, df_of(1.0 / k)));
        s = df_sum(s, term);
    }
    return s;
}
BOTH df64 df_sqrt(df64 v)
{
    const float r = sqrtf(v.high);
    const df64 square = df_mul({r, 0}, {r, 0}), left = df_sum(v, {-square.high, -square.low});
    return df_sum({r, 0}, {left.high / (2 * r), 0});
}
BOTH double dot(Row x, int i, int a, int b)
{
    double s = 0;
    for (int k = 0; k < 16; k++)
        s += x[a * N + (i + k) % N] * x[b * N + (i * 3 + k) % N];
    return s;
}

#define KERNELS(K) /* name, the result of thread i */                                                                           \
    /* nuclei */                                                                                                                \
    K(chi2_batch, double s = 0; for (int k = 0; k < IN; k++) { const double d = (X(k) - 0.5) / (0.1 + X((k + 1) % IN)); s += d * d; } return s) \
    K(semf_batch, const double a = 20 + 200 * X(0), z = a * (0.4 + 0.1 * X(1)); return 15.8 * a - 18.3 * cbrt(a * a) - 0.714 * z * (z - 1) / cbrt(a) - 23.2 * (a - 2 * z) * (a - 2 * z) / a) \
    K(spin_orbit_pack, double s = 0; for (int l = 1; l < 5; l++) s += (l % 2 ? X(l) : -X(l)) * l * (l + 1) / (2 * l + 1); return s) \
    K(batched_hfb_density, double s = 0; for (int k = 0; k < IN; k++) s += X(k) * X(k) / (1 + exp((X(k) - 0.6) * 8)); return s) \
    K(batched_hfb_energy, double s = 0; for (int k = 0; k < IN; k++) s += sqrt((X(k) - 0.7) * (X(k) - 0.7) + X(1) * X(1)); return s) \
    K(batched_hfb_hamiltonian, double s = 0; for (int p = 0; p < IN; p++) for (int q = 0; q < IN; q++) s += X(p) * X(q) / (1 + p + q); return s) \
    K(deformed_density_energy, const double r = X(0); return pow(r, 5.0 / 3) * 0.6 + r * r * log(r + 1) - pow(r, 1.2))          \
    K(deformed_gradient, return (x[(i + 1) % N] - x[(i + N - 1) % N]) * 8 + (x[N + (i + 8) % N] - x[N + (i + N - 8) % N]) * 4)  \
    K(deformed_hamiltonian, return -(x[(i + 1) % N] - 2 * X(0) + x[(i + N - 1) % N]) * 20.7 + X(1) * X(0))                      \
    K(deformed_potentials, const double r = X(0) * 3; return -50 / (1 + exp((r - 1.2) / 0.65)) * (1 + X(1) * (3 * X(2) * X(2) - 1) / 2)) \
    /* lattices */                                                                                                              \
    K(su3_gauge_force, return norm(mul(link(x, i, 0), mul(link(x, i, 1), link(x, i, 2)))))                                      \
    K(wilson_plaquette, return 1 - trace(mul(mul(link(x, i, 0), link(x, i, 1)), mul(link(x, i, 2), link(x, i, 3)))) / 3)        \
    K(su3_link_update, su3 u = link(x, i, 0), p = link(x, i, 4), r = mul(p, u); return norm(u) + 0.01 * trace(r) + 0.00005 * norm(mul(p, r))) \
    K(su3_flow_accumulate, su3 z = link(x, i, 1); for (int k = 0; k < 3; k++) z = mul(z, link(x, i, k)); return trace(z))       \
    K(su3_kinetic_energy, return norm(link(x, i, 2)) / 2)                                                                       \
    K(su3_momentum_update, return norm(link(x, i, 0)) - 0.02 * trace(mul(link(x, i, 1), link(x, i, 5))))                        \
    K(dirac_staggered, double s = X(0) * 0.1; for (int mu = 0; mu < 4; mu++) s += (i >> mu & 1 ? -0.5 : 0.5) * (x[mu * N + (i + 1 + mu) % N] - x[mu * N + (i + N - 1 - mu) % N]); return s) \
    K(staggered_fermion_force, complex2 a = {X(0), X(1)}, b = {X(2), X(3)}; for (int k = 0; k < 6; k++) a = times(a, add(b, {0.1 * k, -0.2})); return a.re - a.im) \
    K(cg_kernels, return dot(x, i, 0, 0) - dot(x, i, 0, 1) * dot(x, i, 0, 1) / dot(x, i, 1, 1))                                 \
    K(cg_update_p, return X(0) + dot(x, i, 1, 1) / dot(x, i, 2, 2) * X(3))                                                      \
    K(cg_update_xr, return X(0) + X(1) * X(2) - X(1) * X(3))                                                                    \
    K(cg_compute_alpha, return dot(x, i, 0, 0) / dot(x, i, 1, 2))                                                               \
    K(cg_compute_beta, return dot(x, i, 3, 3) / dot(x, i, 0, 0))                                                                \
    K(axpy, return 2.5 * X(0) + X(1))                                                                                           \
    K(xpay, return X(0) + 0.75 * X(1))                                                                                          \
    K(complex_dot_re, double s = 0; for (int k = 0; k < IN; k += 2) s += times({X(k), -X(k + 1)}, {X((k + 3) % IN), X((k + 4) % IN)}).re; return s) \
    K(complex_helpers, const complex2 a = times({X(0), X(1)}, {X(2), -X(3)}); return hypot(a.re, a.im) + atan2(a.im, a.re))       \
    K(sum_reduce, double s = 0; for (int k = 0; k < N; k++) s += x[k]; return s)                                                \
    /* molecules */                                                                                                             \
    K(yukawa_force, return yukawa(x, i, 1, 1, 1e9))                                                                             \
    K(yukawa_force_verlet, return yukawa(x, i, 1, 3, 0.5))                                                                      \
    K(yukawa_force_celllist, return yukawa(x, i, (i & 7) + 1, 1, 0.4))                                                          \
    K(yukawa_force_celllist_v2, return yukawa(x, i, N - (i & 7), 5, 0.4))                                                       \
    K(yukawa_force_celllist_indirect, return yukawa(x, (i * 29) % N, (i % 5) + 1, 7, 0.6))                                      \
    K(vv_half_kick, return X(0) + 0.5 * 0.01 * X(1))                                                                            \
    K(vv_kick_drift, const double v = X(0) + 0.005 * X(1), p = X(2) + 0.01 * v; return p - floor(p))                            \
    K(kinetic_energy, return 0.5 * (X(0) * X(0) + X(1) * X(1) + X(2) * X(2)))                                                   \
    K(berendsen, return X(0) * sqrt(1 + 0.01 * (X(1) / X(2) - 1)))                                                              \
    K(rdf_histogram, int n = 0; for (int k = 0; k < N; k++) { const double d = x[k] - X(0); n += (int)(sqrt(d * d) * 16) == 3; } return n) \
    K(vacf_batch, double s = 0; for (int k = 0; k < 8; k++) s += x[(i + k) % N] * x[(i + k + 5) % N]; return s / 8)             \
    K(vacf_dot, return X(0) * X(3) + X(1) * X(4) + X(2) * X(5))                                                                 \
    K(stress_virial, return X(0) * X(1) + yukawa(x, i, 2, 5, 0.8) * X(2))                                                       \
    K(verlet_build, int n = 0; for (int k = 0; k < N; k++) { const double dx = x[k] - X(0), dy = x[N + k] - X(1); n += k != i && dx * dx + dy * dy < 0.1; } return n) \
    K(verlet_check_displacement, const double d = X(0) - X(1); return d * d > 0.04)                                             \
    K(verlet_copy_ref, return X(5))                                                                                             \
    /* networks of echoes */                                                                                                    \
    K(esn_readout, return dot(x, i, 0, 1) * 0.1 + dot(x, i, 2, 3) * 0.2)                                                        \
    K(esn_reservoir_update, return 0.7 * X(0) + 0.3 * tanh(dot(x, i, 1, 2) * 0.2 - X(3)))                                       \
    /* life */                                                                                                                  \
    K(hmm_viterbi, double a = log(X(0)), b = log(X(1)); for (int k = 0; k < IN; k++) { const double p = fmax(a + log(0.7), b + log(0.4)), q = fmax(a + log(0.3), b + log(0.6)); a = p + log(X(k)); b = q + log(1.2 - X(k)); } return fmax(a, b)) \
    K(smith_waterman, int row[9] = {}, best = 0; for (int p = 0; p < 8; p++) { int corner = 0; for (int q = 1; q <= 8; q++) { const int same = (int)(X(p) * 4) == (int)(x[(q - 1) * N + (i + 1) % N] * 4); int v = corner + (same ? 3 : -1); corner = row[q]; v = v > row[q] - 2 ? v : row[q] - 2; v = v > row[q - 1] - 2 ? v : row[q - 1] - 2; row[q] = v > 0 ? v : 0; best = best > row[q] ? best : row[q]; } } return best) \
    K(diversity, double s = 0, h = 0; for (int k = 0; k < IN; k++) s += X(k); for (int k = 0; k < IN; k++) h -= X(k) / s * log(X(k) / s); return h) \
    K(population_pk, const double ke = 0.1 + X(0), ka = 1.5 + X(1); return 100 * ka / (X(2) * (ka - ke)) * (exp(-ke * 2) - exp(-ka * 2))) \
    /* learning */                                                                                                              \
    K(softmax, double m = X(0), s = 0; for (int k = 1; k < IN; k++) m = fmax(m, X(k)); for (int k = 0; k < IN; k++) s += exp(X(k) - m); return exp(X(2) - m) / s) \
    K(layer_norm, double m = 0, v = 0; for (int k = 0; k < IN; k++) m += X(k) / IN; for (int k = 0; k < IN; k++) v += (X(k) - m) * (X(k) - m) / IN; return (X(3) - m) / sqrt(v + 1e-5)) \
    K(gelu, return X(0) / 2 * (1 + erf(X(0) * 0.70710678118654752440)))                                                         \
    K(attention, double s = 0, t = 0; for (int k = 0; k < 16; k++) { const int j = (i + k) % N; const double e = exp(X(0) * x[N + j] + X(2) * x[3 * N + j]); s += e; t += e * x[4 * N + j]; } return t / s) \
    K(msa_row_attention, double s = 0, t = 0; for (int r = 0; r < 3; r++) for (int k = 0; k < 8; k++) { const int j = (i + k * 3 + r) % N; const double e = exp(X(r) * x[(r + 1) * N + j] - 0.3 * k); s += e; t += e * x[(r + 2) * N + j]; } return t / s) \
    /* linear algebra and the rest */                                                                                           \
    K(gemm_f64, double s = 0; for (int k = 0; k < IN; k++) s += x[k * N + i / 8] * x[k * N + 32 + i % 8]; return s)             \
    K(eigh_batch, double a = X(0), b = X(1), d = X(2); for (int k = 0; k < 3; k++) { const double t = 2 * b / (fabs(a - d) + sqrt((a - d) * (a - d) + 4 * b * b)); a += a > d ? t * b : -t * b; d -= a > d ? t * b : -t * b; b *= 1e-3; } return a * d) \
    K(correlation, double a = 0, b = 0, c = 0, d = 0, e = 0; for (int k = 0; k < 16; k++) { const double u = x[(i + k) % N], v = x[N + (i + k) % N]; a += u; b += v; c += u * u; d += v * v; e += u * v; } return (16 * e - a * b) / sqrt((16 * c - a * a) * (16 * d - b * b))) \
    K(mean_reduce, double s = 0; for (int k = 0; k < IN; k++) s += X(k); return s / IN)                                         \
    K(rk45, double y = X(0), t = 0; for (int n = 0; n < 8; n++, t += 0.1) { const double h = 0.1, a = -y * y + t, b = -(y + h * a / 4) * (y + h * a / 4) + t + h / 4, c = -(y + h * (3 * a + 9 * b) / 32) * (y + h * (3 * a + 9 * b) / 32) + t + 3 * h / 8; y += h * (a / 9 + 2 * b / 9 + 2 * c / 3); } return y) \
    /* f64 functions in a loop; numbers of twice the digits; contraction forbidden */                                           \
    K(transcendentals, double s = 0; for (int k = 0; k < IN; k++) s += exp(X(k)) + log(X(k)) + sin(X(k) * 9) + cos(X(k) * 9) + tan(X(k)); return s) \
    K(df64_yukawa, const df64 d = df_sqrt(df_sum(df_mul(df_of(X(0)), df_of(X(0))), df_mul(df_of(X(1)), df_of(X(1))))), e = df_exp({-d.high / 2, -d.low / 2}), f = df_mul(e, e); return (double)f.high + f.low) \
    K(precise, pair2 s = {0, 0}; for (int k = 0; k < IN; k++) { const pair2 p = product2(X(k), X((k + 1) % IN)), t = sum2(s.high, p.high); s = {t.high, s.low + t.low + p.low}; } return s.low * 1e15)

#define K(name, ...) BOTH double name##_of(Row x, int i) { __VA_ARGS__; }
KERNELS(K)
#undef K
#define K(name, ...) __global__ void name(Row x, double *out) { const int i = threadIdx.x; if (i < N) out[i] = name##_of(x, i); }
KERNELS(K)
#undef K

typedef double (*Of)(Row, int);
typedef void (*Kernel)(Row, double *);
static const struct {
    const char *name;
    Of of;
    Kernel kernel;
} rows[] = {
#define K(name, ...) {#name, name##_of, name},
    KERNELS(K)
#undef K
};

int main()
{
    std::vector<double> in(IN * N), out(N);
    unsigned seed = 1;
    for (double &v : in)
        v = 0.1 + ((seed = seed * 1664525u + 1013904223u) >> 8) / double(1 << 24);
    double *x, *y;
    cudaMalloc(&x, in.size() * 8);
    cudaMalloc(&y, N * 8);
    cudaMemcpy(x, in.data(), in.size() * 8, cudaMemcpyHostToDevice);
    for (const auto &r : rows) {
        r.kernel<<<1, 128>>>(x, y);
        CHECK(cudaMemcpy(out.data(), y, N * 8, cudaMemcpyDeviceToHost) == cudaSuccess);
        double worst = 0;
        for (int i = 0; i < N; i++) {
            const double want = r.of(in.data(), i), off = std::fabs(out[i] - want) / (1 + std::fabs(want));
            worst = off == off && worst >= off ? worst : off;
        }
        if (!(worst < (std::string(r.name) == "precise" ? 1e-2 : std::string(r.name) == "df64_yukawa" ? 1e-11 : 1e-9)))
            printf("%s: wrong by %g\n", r.name, worst);
        CHECK(worst < (std::string(r.name) == "precise" ? 1e-2 : std::string(r.name) == "df64_yukawa" ? 1e-11 : 1e-9));
    }
    printf("%zu kernels\nok\n", sizeof rows / sizeof *rows);
}
