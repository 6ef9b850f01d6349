// RUN: tern compile %s --to ir -o %t
__global__ void k(float *y)
{
    float scale = 2.0f;
    auto f = [](float x) { return scale * x; };
    y[0] = f(1.0f);
}
