// RUN: tern compile %s --to c
// A member's definition outside of its class may name what the class keeps to itself; one that cannot be taken is not
// forgotten.
class counter {
    typedef int number;
    struct step {
        number by;
    };

  public:
    __device__ number next(number x);
    __device__ step double_step();
    __device__ int lost(int x);
};
counter::number counter::next(number x) { return x + double_step().by; }
__device__ counter::step counter::double_step() { return step{2}; }
counter::nothing counter::lost(int x) { return x; }
__global__ void k(int *p)
{
    counter c;
    p[0] = c.next(p[0]);
    p[1] = c.lost(1);
}
__device__ counter::number other(int x) { return x; }
