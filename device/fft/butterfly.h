/* Transforms of a few elements in registers, forwards, in place: x the real parts, y the imaginary ones, element k of the
 * result where element k was. One text for kernels and for the CPU's C functions: who includes it defines
 *   FFT_INLINE(name)  what a function begins with, up to its name
 *   FFT_NAME(name)    how such a function is called
 *   FFT_T, FFT_S      what is computed with: a number, or a vector of numbers; FFT_S: such a number
 *   FFT_C(number)     a constant of its elements
 * Sums of odd lengths pair element j with element r - j. */

#define FFT_HALF_SQRT 0.70710678118654752440084436210484904
#define FFT_COS_16_1 0.9238795325112867561281831893967883
#define FFT_SIN_16_1 0.3826834323650897717284599840303989

FFT_INLINE(fft_two)(FFT_T *x, FFT_T *y, int a, int b)
{
    const FFT_T u = x[a], v = y[a];
    x[a] = u + x[b];
    y[a] = v + y[b];
    x[b] = u - x[b];
    y[b] = v - y[b];
}

FFT_INLINE(fft_butterfly_2)(FFT_T *x, FFT_T *y)
{
    FFT_NAME(fft_two)(x, y, 0, 1);
}

FFT_INLINE(fft_butterfly_3)(FFT_T *x, FFT_T *y)
{
    const FFT_T s = x[1] + x[2], t = y[1] + y[2];
    const FFT_T d = (x[1] - x[2]) * FFT_C(0.86602540378443864676372317075293618), e = (y[1] - y[2]) * FFT_C(0.86602540378443864676372317075293618);
    const FFT_T a = x[0] - s * FFT_C(0.5), b = y[0] - t * FFT_C(0.5);
    x[0] = x[0] + s;
    y[0] = y[0] + t;
    x[1] = a + e;
    y[1] = b - d;
    x[2] = a - e;
    y[2] = b + d;
}

/* Of elements a, b, c, d, to their places. */
FFT_INLINE(fft_four)(FFT_T *x, FFT_T *y, int a, int b, int c, int d)
{
    const FFT_T s0 = x[a] + x[c], t0 = y[a] + y[c], s1 = x[a] - x[c], t1 = y[a] - y[c];
    const FFT_T s2 = x[b] + x[d], t2 = y[b] + y[d], s3 = x[b] - x[d], t3 = y[b] - y[d];
    x[a] = s0 + s2;
    y[a] = t0 + t2;
    x[b] = s1 + t3;
    y[b] = t1 - s3;
    x[c] = s0 - s2;
    y[c] = t0 - t2;
    x[d] = s1 - t3;
    y[d] = t1 + s3;
}

FFT_INLINE(fft_butterfly_4)(FFT_T *x, FFT_T *y)
{
    FFT_NAME(fft_four)(x, y, 0, 1, 2, 3);
}

/* Times (c, -s). */
FFT_INLINE(fft_turn)(FFT_T *x, FFT_T *y, int k, FFT_S c, FFT_S s)
{
    const FFT_T u = x[k];
    x[k] = u * c + y[k] * s;
    y[k] = y[k] * c - u * s;
}

/* Even and odd elements each in four, then in twos; the odd ones turned by eighths. */
FFT_INLINE(fft_butterfly_8)(FFT_T *x, FFT_T *y)
{
    FFT_NAME(fft_four)(x, y, 0, 2, 4, 6);
    FFT_NAME(fft_four)(x, y, 1, 3, 5, 7);
    const FFT_T u3 = (x[3] + y[3]) * FFT_C(FFT_HALF_SQRT), v3 = (y[3] - x[3]) * FFT_C(FFT_HALF_SQRT);
    const FFT_T u5 = y[5], v5 = -x[5];
    const FFT_T u7 = (y[7] - x[7]) * FFT_C(FFT_HALF_SQRT), v7 = -(x[7] + y[7]) * FFT_C(FFT_HALF_SQRT);
    const FFT_T u0 = x[0], v0 = y[0], u1 = x[1], v1 = y[1], u2 = x[2], v2 = y[2], u4 = x[4], v4 = y[4], u6 = x[6], v6 = y[6];
    x[0] = u0 + u1;
    y[0] = v0 + v1;
    x[4] = u0 - u1;
    y[4] = v0 - v1;
    x[1] = u2 + u3;
    y[1] = v2 + v3;
    x[5] = u2 - u3;
    y[5] = v2 - v3;
    x[2] = u4 + u5;
    y[2] = v4 + v5;
    x[6] = u4 - u5;
    y[6] = v4 - v5;
    x[3] = u6 + u7;
    y[3] = v6 + v7;
    x[7] = u6 - u7;
    y[7] = v6 - v7;
}

FFT_INLINE(fft_exchange)(FFT_T *x, FFT_T *y, int a, int b)
{
    const FFT_T u = x[a], v = y[a];
    x[a] = x[b];
    y[a] = y[b];
    x[b] = u;
    y[b] = v;
}

/* Four by four: elements apart by four, turned by sixteenths, then those beside each other; the result lies transposed. */
FFT_INLINE(fft_butterfly_16)(FFT_T *x, FFT_T *y)
{
    FFT_NAME(fft_four)(x, y, 0, 4, 8, 12);
    FFT_NAME(fft_four)(x, y, 1, 5, 9, 13);
    FFT_NAME(fft_four)(x, y, 2, 6, 10, 14);
    FFT_NAME(fft_four)(x, y, 3, 7, 11, 15);
    FFT_NAME(fft_turn)(x, y, 5, FFT_C(FFT_COS_16_1), FFT_C(FFT_SIN_16_1));
    FFT_NAME(fft_turn)(x, y, 6, FFT_C(FFT_HALF_SQRT), FFT_C(FFT_HALF_SQRT));
    FFT_NAME(fft_turn)(x, y, 7, FFT_C(FFT_SIN_16_1), FFT_C(FFT_COS_16_1));
    FFT_NAME(fft_turn)(x, y, 9, FFT_C(FFT_HALF_SQRT), FFT_C(FFT_HALF_SQRT));
    FFT_NAME(fft_turn)(x, y, 10, FFT_C(0), FFT_C(1));
    FFT_NAME(fft_turn)(x, y, 11, FFT_C(-FFT_HALF_SQRT), FFT_C(FFT_HALF_SQRT));
    FFT_NAME(fft_turn)(x, y, 13, FFT_C(FFT_SIN_16_1), FFT_C(FFT_COS_16_1));
    FFT_NAME(fft_turn)(x, y, 14, FFT_C(-FFT_HALF_SQRT), FFT_C(FFT_HALF_SQRT));
    FFT_NAME(fft_turn)(x, y, 15, FFT_C(-FFT_COS_16_1), FFT_C(-FFT_SIN_16_1));
    FFT_NAME(fft_four)(x, y, 0, 1, 2, 3);
    FFT_NAME(fft_four)(x, y, 4, 5, 6, 7);
    FFT_NAME(fft_four)(x, y, 8, 9, 10, 11);
    FFT_NAME(fft_four)(x, y, 12, 13, 14, 15);
    FFT_NAME(fft_exchange)(x, y, 1, 4);
    FFT_NAME(fft_exchange)(x, y, 2, 8);
    FFT_NAME(fft_exchange)(x, y, 3, 12);
    FFT_NAME(fft_exchange)(x, y, 6, 9);
    FFT_NAME(fft_exchange)(x, y, 7, 13);
    FFT_NAME(fft_exchange)(x, y, 11, 14);
}

/* ---- odd primes r: of s_j = x_j + x_(r - j) and d_j = x_j - x_(r - j), row k sums cosines of j k turns with the former and
 * sines with the latter ---- */
#define FFT_PAIR(r, j)                                                                                                  \
    const FFT_T s##j = x[j] + x[r - j], t##j = y[j] + y[r - j], d##j = x[j] - x[r - j], e##j = y[j] - y[r - j];
#define FFT_COSINE(r, j, k) FFT_C(FFT_COS_##r((j) * (k) % (r)))
#define FFT_SINE(r, j, k) FFT_C(FFT_SIN_##r((j) * (k) % (r)))
#define FFT_ROW_BEGIN(r, k)                                                                                             \
    {                                                                                                                   \
        FFT_T a = x0 + s1 * FFT_COSINE(r, 1, k), b = y0 + t1 * FFT_COSINE(r, 1, k);                                     \
        FFT_T u = d1 * FFT_SINE(r, 1, k), v = e1 * FFT_SINE(r, 1, k);
#define FFT_ADD(r, j, k)                                                                                                \
    a = a + s##j * FFT_COSINE(r, j, k), b = b + t##j * FFT_COSINE(r, j, k);                                             \
    u = u + d##j * FFT_SINE(r, j, k), v = v + e##j * FFT_SINE(r, j, k);
#define FFT_ROW_END(r, k)                                                                                               \
        x[k] = a + v, y[k] = b - u, x[r - k] = a - v, y[r - k] = b + u;                                                 \
    }

#define FFT_COS_5(m) \
    ((m) == 1 || (m) == 4 ? 0.3090169943749474241022934171828191 \
     : -0.8090169943749474241022934171828191)
#define FFT_SIN_5(m) \
    ((m) == 1 ? 0.9510565162951535721164393333793821 \
     : (m) == 2 ? 0.5877852522924731291687059546390728 \
     : (m) == 3 ? -0.5877852522924731291687059546390728 \
     : -0.9510565162951535721164393333793821)
#define FFT_ROW_5(k) FFT_ROW_BEGIN(5, k) FFT_ADD(5, 2, k) FFT_ROW_END(5, k)
FFT_INLINE(fft_butterfly_5)(FFT_T *x, FFT_T *y)
{
    const FFT_T x0 = x[0], y0 = y[0];
    FFT_PAIR(5, 1) FFT_PAIR(5, 2)
    x[0] = x0 + s1 + s2;
    y[0] = y0 + t1 + t2;
    FFT_ROW_5(1) FFT_ROW_5(2)
}

#define FFT_COS_7(m) \
    ((m) == 1 || (m) == 6 ? 0.6234898018587335305250048840042398 \
     : (m) == 2 || (m) == 5 ? -0.2225209339563144042889025644967948 \
     : -0.9009688679024191262361023195074451)
#define FFT_SIN_7(m) \
    ((m) == 1 ? 0.7818314824680298087084445266740578 \
     : (m) == 2 ? 0.9749279121818236070181316829939312 \
     : (m) == 3 ? 0.4338837391175581204757683328483588 \
     : (m) == 4 ? -0.4338837391175581204757683328483588 \
     : (m) == 5 ? -0.9749279121818236070181316829939312 \
     : -0.7818314824680298087084445266740578)
#define FFT_ROW_7(k) FFT_ROW_BEGIN(7, k) FFT_ADD(7, 2, k) FFT_ADD(7, 3, k) FFT_ROW_END(7, k)
FFT_INLINE(fft_butterfly_7)(FFT_T *x, FFT_T *y)
{
    const FFT_T x0 = x[0], y0 = y[0];
    FFT_PAIR(7, 1) FFT_PAIR(7, 2) FFT_PAIR(7, 3)
    x[0] = x0 + s1 + s2 + s3;
    y[0] = y0 + t1 + t2 + t3;
    FFT_ROW_7(1) FFT_ROW_7(2) FFT_ROW_7(3)
}

#define FFT_COS_11(m) \
    ((m) == 1 || (m) == 10 ? 0.8412535328311811688618116489193677 \
     : (m) == 2 || (m) == 9 ? 0.4154150130018864255292741492296232 \
     : (m) == 3 || (m) == 8 ? -0.1423148382732851404437926686163697 \
     : (m) == 4 || (m) == 7 ? -0.6548607339452850640569250724662936 \
     : -0.9594929736144973898903680570663277)
#define FFT_SIN_11(m) \
    ((m) == 1 ? 0.5406408174555975821076359543186917 \
     : (m) == 2 ? 0.9096319953545183714117153830790285 \
     : (m) == 3 ? 0.9898214418809327323760920377767188 \
     : (m) == 4 ? 0.7557495743542582837740358439723444 \
     : (m) == 5 ? 0.2817325568414296977114179153466169 \
     : (m) == 6 ? -0.2817325568414296977114179153466169 \
     : (m) == 7 ? -0.7557495743542582837740358439723444 \
     : (m) == 8 ? -0.9898214418809327323760920377767188 \
     : (m) == 9 ? -0.9096319953545183714117153830790285 \
     : -0.5406408174555975821076359543186917)
#define FFT_ROW_11(k) FFT_ROW_BEGIN(11, k) FFT_ADD(11, 2, k) FFT_ADD(11, 3, k) FFT_ADD(11, 4, k) FFT_ADD(11, 5, k) FFT_ROW_END(11, k)
FFT_INLINE(fft_butterfly_11)(FFT_T *x, FFT_T *y)
{
    const FFT_T x0 = x[0], y0 = y[0];
    FFT_PAIR(11, 1) FFT_PAIR(11, 2) FFT_PAIR(11, 3) FFT_PAIR(11, 4) FFT_PAIR(11, 5)
    x[0] = x0 + s1 + s2 + s3 + s4 + s5;
    y[0] = y0 + t1 + t2 + t3 + t4 + t5;
    FFT_ROW_11(1) FFT_ROW_11(2) FFT_ROW_11(3) FFT_ROW_11(4) FFT_ROW_11(5)
}

#define FFT_COS_13(m) \
    ((m) == 1 || (m) == 12 ? 0.8854560256532098959003755220150989 \
     : (m) == 2 || (m) == 11 ? 0.5680647467311558025118075591275166 \
     : (m) == 3 || (m) == 10 ? 0.1205366802553230533490676874525436 \
     : (m) == 4 || (m) == 9 ? -0.3546048870425356259696378926000185 \
     : (m) == 5 || (m) == 8 ? -0.7485107481711010986346305997013514 \
     : -0.9709418174260520271569822762937892)
#define FFT_SIN_13(m) \
    ((m) == 1 ? 0.4647231720437685456560153351331048 \
     : (m) == 2 ? 0.8229838658936563945796174234393820 \
     : (m) == 3 ? 0.9927088740980539928007516494925202 \
     : (m) == 4 ? 0.9350162426854148234397845998378307 \
     : (m) == 5 ? 0.6631226582407952023767854926667663 \
     : (m) == 6 ? 0.2393156642875577671487537262602119 \
     : (m) == 7 ? -0.2393156642875577671487537262602119 \
     : (m) == 8 ? -0.6631226582407952023767854926667663 \
     : (m) == 9 ? -0.9350162426854148234397845998378307 \
     : (m) == 10 ? -0.9927088740980539928007516494925202 \
     : (m) == 11 ? -0.8229838658936563945796174234393820 \
     : -0.4647231720437685456560153351331048)
#define FFT_ROW_13(k) FFT_ROW_BEGIN(13, k) FFT_ADD(13, 2, k) FFT_ADD(13, 3, k) FFT_ADD(13, 4, k) FFT_ADD(13, 5, k) FFT_ADD(13, 6, k) FFT_ROW_END(13, k)
FFT_INLINE(fft_butterfly_13)(FFT_T *x, FFT_T *y)
{
    const FFT_T x0 = x[0], y0 = y[0];
    FFT_PAIR(13, 1) FFT_PAIR(13, 2) FFT_PAIR(13, 3) FFT_PAIR(13, 4) FFT_PAIR(13, 5) FFT_PAIR(13, 6)
    x[0] = x0 + s1 + s2 + s3 + s4 + s5 + s6;
    y[0] = y0 + t1 + t2 + t3 + t4 + t5 + t6;
    FFT_ROW_13(1) FFT_ROW_13(2) FFT_ROW_13(3) FFT_ROW_13(4) FFT_ROW_13(5) FFT_ROW_13(6)
}
