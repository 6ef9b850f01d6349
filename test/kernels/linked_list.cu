// Lists of nodes from the device heap: built, reversed, summed, freed.
// TEST list: --kernel lists --grid 2 --block 16 --arg 'i32[32]' --arg 'i32[32]'
// EXPECT arg 0: sum 87296 checksum 35d41e9a18821ccb
// EXPECT arg 1: sum 300 checksum a96b2e46547f84c2
struct node {
    int value;
    node *next;
};

__device__ node *push(node *head, int value)
{
    node *n = new node;
    n->value = value;
    n->next = head;
    return n;
}

__device__ node *reversed(node *head)
{
    node *out = nullptr;
    while (head) {
        node *next = head->next;
        head->next = out;
        out = head;
        head = next;
    }
    return out;
}

__global__ void lists(int *sums, int *firsts)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    node *list = 0;
    for (int i = 0; i <= t; ++i)
        list = push(list, i * i);
    list = reversed(list);
    firsts[t] = list->value + 10 * (list->next ? list->next->value : -1);
    int sum = 0;
    for (node *n = list, *next; n != NULL; n = next) {
        sum += n->value;
        next = n->next;
        delete n;
    }
    sums[t] = sum;
}
