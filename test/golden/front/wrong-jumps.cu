// RUN: tern compile %s --to ir -o %t
// Jumps past the initialisation of a variable, out of which only plain ones without a value may be left.
struct made {
    int x;
    __device__ made() : x(1) {}
};
__global__ void forward(int *p)
{
    if (p[0])
        goto end;
    int early = p[1];
    int late = early;
    p[2] = late;
end:
    p[3] = 1;
}
__global__ void cases(int *p)
{
    switch (p[0]) {
    case 1:
        int x = p[1];
        p[2] = x;
        break;
    default: p[3] = 1;
    }
}
__global__ void inside(int *p)
{
    if (p[0])
        goto in;
    {
        made m;
        p[1] = m.x;
    in:
        p[2] = 1;
    }
}
__global__ void right(int *p)
{
    int before = p[0];
again:
    int plain, many[4];
    switch (before) {
    case 1: {
        int own = p[1];
        p[2] = own;
        break;
    }
    case 2: plain = 1; p[1] = plain;
    }
    for (int i = 0; i < 3; i++)
        if (p[i] == 7)
            goto out;
    if (before++ < 5)
        goto again;
out:
    many[0] = 2;
    p[3] = many[0];
}
