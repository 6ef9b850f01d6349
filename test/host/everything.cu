// The header that has all of the standard library.
#include <bits/stdc++.h>
using namespace std;
__global__ void add(int *a, int n)
{
    int i = threadIdx.x;
    if (i < n)
        a[i] += i;
}
int main()
{
    map<string, vector<int>> m;
    m["x"] = {3, 1, 2};
    sort(m["x"].begin(), m["x"].end());
    int *d;
    cudaMalloc(&d, 3 * sizeof(int));
    cudaMemcpy(d, m["x"].data(), 3 * sizeof(int), cudaMemcpyHostToDevice);
    add<<<1, 32>>>(d, 3);
    cudaMemcpy(m["x"].data(), d, 3 * sizeof(int), cudaMemcpyDeviceToHost);
    for (auto &[name, v] : m)
        cout << name << ": " << accumulate(v.begin(), v.end(), 0) << " " << *max_element(v.begin(), v.end()) << endl;
    priority_queue<int> q;
    q.push(2);
    q.push(5);
    cout << q.top() << " " << fixed << setprecision(2) << sqrt(2.0) << endl;
    cudaFree(d);
}
