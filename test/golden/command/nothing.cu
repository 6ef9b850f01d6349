// A file without a kernel gives code, but not in silence.
// RUN: tern compile %s --to ptx >%t
template <class T>
__global__ void k(T *p)
{
    *p = 1;
}
