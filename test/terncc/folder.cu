#include <fpu_control.h>
__global__ void k(int *p) { *p = 1; }
int main() { fpu_control_t c = 0; return (int)c; }
