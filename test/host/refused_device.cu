// REFUSED: 'only_there' is a device function: host code cannot call it
__device__ int only_there() { return 1; }
int main() { return only_there(); }
