// RUN: tern compile %s --to ir
struct point { int x, y; };
__global__ void k(int *p, const int *q, point s)
{
    *q = 1;
    p = 5;
    int *r = q;
    s = 3;
    s.z = 1;
    p->x = 2;
    *s = 1;
    float f = "text";
    int &ref = 5;
}
