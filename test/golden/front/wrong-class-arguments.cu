// RUN: tern compile %s --to ir -o %t 2>&1 | grep -E "error:"
struct Point { int x, y; };
struct Holder { const int *p; };
template <Point p> __device__ int sum() { return p.x + p.y; }
template <const char *s> __device__ int first() { return s[0]; }
template <Holder h> __device__ int held() { return *h.p; }
template <Point p> __device__ void change() { p.x = 1; }
__device__ int there;
__global__ void k1(int *o, int n) { o[0] = sum<Point{n, 2}>(); }
__global__ void k2(int *o) { o[0] = first<"text">(); }
__global__ void k3(int *o) { o[0] = held<Holder{&there}>(); }
__global__ void k4(int *o) { o[0] = sum<5>(); }
__global__ void k5(int *o) { change<Point{1, 2}>(); }
