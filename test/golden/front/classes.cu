// RUN: tern compile %s --to ir
class secret {
    int hidden;
public:
    __device__ explicit secret(int);
    __device__ virtual int f() = 0;
};
struct child : secret {
    __device__ int f() const override;
};
struct fixed_ { const int c; int &r; };
__global__ void k(int *p)
{
    secret s(1);
    p[0] = ((secret *)p)->hidden;
    fixed_ f;
    secret *q = 5;
    delete *p;
    this->x = 1;
}
