// Variables with names that back ends use themselves, and others that those would make of them.
#include <cstdio>

__host__ __device__ inline unsigned of(unsigned in, unsigned n)
{
    unsigned b = in, l = b + 1, w = l * 2, temp0 = w ^ b, temp0_1 = temp0 + l, v0 = temp0_1 - w, v0_1 = v0 * 3,
        v1 = v0_1 + b, v0__1 = v1 * 5,
        sink = v0__1 & 1023, zero = sink + v1,
        shared = zero - b, globals = shared * 2, apart = globals + 1, kept = apart ^ 3, launch = kept + 1,
        heap = launch - 2, smem = heap + sink, index = smem, block = index + 1, thread = block * 7,
        group = thread + 1, u32 = group ^ 5, i32x4 = u32 + 1, ptr = i32x4 - 4, f32_bits = ptr * 2, fmax_ = f32_bits + 1, select = fmax_ + 1,
        splat_u32x4 = select, all_b1x4 = splat_u32x4 + 1, ntid_x = all_b1x4, tid_x = ntid_x + 2,
        let = tid_x, fn = let + 1, var = fn * 2, loop = var - 1, override = loop,
        array = override + 3, v = array, v_2 = v + 1, v_3 = v_2 * v;
    float fma = (b & 15) * 0.5f, bitcast = fma * fma + 1, vec2 = bitcast / 3, in_range = vec2 + fma;
    for (unsigned i = 0, x0 = 1, x0_1 = 2; i < n; i++) { // they change places
        unsigned t = x0;
        x0 = x0_1 + (b & i);
        x0_1 = t + 1;
        v_3 += x0 * 3 + x0_1;
        if (v_3 & 1) {
            unsigned t2 = temp0;
            temp0 = v0;
            v0 = t2 + i;
        }
    }
    return l + w + temp0 + temp0_1 + v0 + v0_1 + v1 + v0__1 + sink
           + zero + shared + globals + apart + kept + launch + heap + smem + index + block + thread
           + group + u32 + i32x4 + ptr + f32_bits + fmax_ + select + splat_u32x4 + all_b1x4 + ntid_x + tid_x
           + let + fn + var + loop + override + array + v + v_2 + v_3 + (unsigned)in_range;
}

__global__ void named(const unsigned *in, unsigned *out, unsigned n) { out[threadIdx.x] = of(in[threadIdx.x], n); }

int main()
{
    unsigned *in, *out, wrong = 0;
    cudaMallocManaged(&in, 64 * sizeof *in);
    cudaMallocManaged(&out, 64 * sizeof *out);
    for (unsigned i = 0; i < 64; i++)
        in[i] = i * 2654435761u;
    named<<<1, 64>>>(in, out, 9);
    cudaDeviceSynchronize();
    for (unsigned i = 0; i < 64; i++)
        wrong += out[i] != of(in[i], 9);
    printf(wrong ? "%u wrong\n" : "ok\n", wrong);
    return wrong != 0;
}
