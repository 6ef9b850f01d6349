// RUN: tern compile %s --to ir -O 2
// The outer counter decides how often the inner loop runs: both are unrolled, and the array is registers. One of two
// quotients by the same number is one division; a product's sign goes to the factor that others share.
extern "C" __global__ void triangle(float *p)
{
    float a[3] = {p[0], p[1], p[2]};
    for (int i = 0; i < 2; i++)
        for (int j = i + 1; j < 3; j++) {
            float x = a[i], y = a[j];
            a[i] = y - x * 0.5f;
            a[j] = x;
        }
    float c = p[3], s = p[4];
    float x = a[1] / c, y = a[2] / c;
    p[0] = a[0] < 0 ? x : y;
    p[1] = c * a[1] - s * a[2];
    p[2] = c * a[2] - s * a[0];
}
