// Nothing of the host's is here: no kernel, no function, and nobody asks for this file's symbols.
__device__ int plus_seven(int x) { return x + 7; }
__device__ int steps[5] = {1, 2, 4, 8, 16};
