// Parts of classes that have no data: where they lie, and what lies beside them, is the same on both sides.
// OPTIONS: -std=c++20 -Wno-invalid-offsetof
#include <cstddef>
#include <cstdio>

#define SHARED_PLACE [[no_unique_address]]
struct empty {};
struct other {};
struct heir : empty {};
struct second_heir : empty {};
struct twice : empty, heir {
    char c;
};
struct twice_wide : empty, heir {
    char c;
    int d;
};
struct only_bases : empty, heir {};
struct above : only_bases {
    char c;
};
struct thrice : empty, heir, second_heir {
    short c;
};
struct behind : twice {
    char d;
};
struct made : empty, heir {
    __host__ __device__ made() {}
    char c;
};
struct behind_made : made {
    char d;
};
struct holds_made {
    SHARED_PLACE made m;
    char d;
};
struct one_member {
    SHARED_PLACE empty e;
};
struct members {
    SHARED_PLACE empty e;
    SHARED_PLACE other o;
    int c;
};
struct same_members {
    SHARED_PLACE empty e, d;
    int c;
};
struct late_members {
    int c;
    SHARED_PLACE empty e;
    SHARED_PLACE empty d;
};
struct base_and_member : empty {
    SHARED_PLACE empty d;
    char c;
};
struct with_tail {
    __host__ __device__ with_tail() {}
    int a;
    char b;
};
struct in_tail {
    SHARED_PLACE with_tail t;
    char d;
};
struct plain_tail {
    int a;
    char b;
};
struct not_in_tail {
    SHARED_PLACE plain_tail t;
    char d;
};

struct no_elements {
    int m[0];
};
struct no_elements_twice {
    no_elements e[2];
};
struct behind_none {
    no_elements e;
    int c;
};
union none_or_empty {
    no_elements none;
    empty e;
};

static const int facts = 33;
__host__ __device__ void tell(size_t *out)
{
    const size_t all[facts] = {sizeof(twice),
                               offsetof(twice, c),
                               sizeof(twice_wide),
                               offsetof(twice_wide, c),
                               sizeof(only_bases),
                               sizeof(above),
                               offsetof(above, c),
                               sizeof(thrice),
                               offsetof(thrice, c),
                               sizeof(behind),
                               offsetof(behind, d),
                               sizeof(behind_made),
                               offsetof(behind_made, d),
                               sizeof(holds_made),
                               offsetof(holds_made, d),
                               sizeof(one_member),
                               sizeof(members),
                               offsetof(members, c),
                               sizeof(same_members),
                               offsetof(same_members, d),
                               offsetof(same_members, c),
                               sizeof(late_members),
                               offsetof(late_members, e),
                               offsetof(late_members, d),
                               offsetof(base_and_member, d),
                               sizeof(in_tail),
                               offsetof(in_tail, d),
                               sizeof(not_in_tail),
                               __is_empty(one_member),
                               sizeof(no_elements),
                               sizeof(no_elements_twice),
                               offsetof(behind_none, c),
                               sizeof(none_or_empty)};
    for (int i = 0; i < facts; i++)
        out[i] = all[i];
}
__global__ void tell_device(size_t *out)
{
    tell(out);
}
__global__ void copy(const in_tail *from, in_tail *to)
{
    to->d = 7;
    to->t = from->t;
    no_elements *p = new no_elements; // has an address, though no room
    to->t.a += p == nullptr;
    delete p;
}

int main()
{
    size_t host[facts], *device;
    int wrong = sizeof(no_elements) != 0 || sizeof(none_or_empty) != 4;
    cudaMallocManaged(&device, sizeof host);
    tell(host);
    tell_device<<<1, 1>>>(device);
    in_tail *both;
    cudaMallocManaged(&both, 2 * sizeof *both);
    both[0].t.a = 1;
    both[0].t.b = 2;
    both[0].d = 3;
    copy<<<1, 1>>>(both, both + 1);
    cudaDeviceSynchronize();
    for (int i = 0; i < facts; i++)
        if (host[i] != device[i]) {
            printf("fact %d: the host says %zu, the device %zu\n", i, host[i], device[i]);
            wrong++;
        }
    wrong += both[1].t.a != 1 || both[1].t.b != 2 || both[1].d != 7;
    puts(wrong ? "wrong" : "ok");
    return wrong;
}
