// RUN: tern compile %s --to ir
#if FOO(
#endif
#if 1 +
#endif
#if 3 / 0
#endif
#elif 1
#error this is reached
#warning this too
#ifdef X
__global__ void k() {}
