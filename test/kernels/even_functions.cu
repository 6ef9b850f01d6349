// Addresses of functions are even: the lowest bit of a pointer to a member function is how NVIDIA's compiler tells virtual ones.
// TEST even_functions: --kernel even_functions --block 8 --arg 'i32[24]' --arg i32:1
// EXPECT arg 0: sum 356 checksum d75c78d52fbe5ed2
__device__ __noinline__ int one(int x) { return x + 1; }
__device__ __noinline__ int two(int x) { return x * 2; }
__device__ __noinline__ int three(int x) { return x - 3; }
__device__ __noinline__ int four(int x) { return x ^ 4; }

__device__ int (*const volatile table[4])(int) = {four, three, two, one};

__global__ void even_functions(int *out, int n)
{
    int t = threadIdx.x;
    int (*f)(int) = (t + n) % 4 == 0 ? one : (t + n) % 4 == 1 ? two : (t + n) % 4 == 2 ? three : four;
    int (*g)(int) = table[t & 3];
    out[t] = f(10 * t);
    out[8 + t] = g(t);
    out[16 + t] = (int)((unsigned long long)f & 1) + 2 * (int)((unsigned long long)g & 1) + 4 * (f == g);
}
