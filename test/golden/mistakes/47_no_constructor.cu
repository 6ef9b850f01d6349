// RUN: tern compile %s --to ir -o %t
struct range {
    __device__ range(int first, int last) : first(first), last(last) {}
    int first, last;
};
__global__ void k(int *y)
{
    range r;
    *y = r.first;
}
