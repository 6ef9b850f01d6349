// RUN: tern compile %s --to ir
// A list that initialises by copy takes no explicit constructor; one that initialises directly does.
struct None { __device__ explicit None() {} };
struct Defaulted { explicit Defaulted() = default; int x; };
struct Optional { __device__ explicit Optional(int = 3) {} };
struct Holder { None none; int i; };
struct Value { __device__ explicit Value(int) {} __device__ explicit Value(int, int) {} __device__ Value(float) {} };
__device__ void take(None) {}
__device__ None direct() { None a{}; None *b = new None{}; delete b; return a; }
__device__ Optional optional() { Optional a = {}; return {}; }
__device__ Value by_float() { Value v = 1; return {1.5f}; }
__global__ void right() { direct(); optional(); by_float(); }

__device__ None returned() { return {}; }
__device__ void variable() { None a = {}; }
__device__ Defaulted defaulted() { return {}; }
__device__ Holder omitted() { return {}; }
__device__ Holder inner() { return {{}, 1}; }
__device__ void elements() { None a[2] = {}; }
__device__ void argument() { take({}); }
__device__ Value one() { return {1}; }
__device__ Value two() { return {1, 2}; }
__global__ void wrong() { returned(); variable(); defaulted(); omitted(); inner(); elements(); argument(); one(); two(); }
