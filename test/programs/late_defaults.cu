// A default argument that only the definition of a class template's member gives, outside: it is passed over. Those of the class count.
#include "check.h"

template <class K, class V> class table {
  public:
    void build(K *keys, unsigned n, bool verbose);
    float load(int which = 2, const V *other = nullptr) const;
    template <class U> U times(U x, U by = U(3)) const;
};
template <class K, class V> void table<K, V>::build(K *keys, unsigned n, bool verbose = (1 < 2))
{
    keys[0] = verbose ? (K)n : K();
}
template <class K, class V> float table<K, V>::load(int which, const V *other) const { return which + (other ? 1 : 0); }
template <class K, class V> template <class U> U table<K, V>::times(U x, U by) const { return x * by; }

int main()
{
    table<int, float> t;
    int key = 0;
    t.build(&key, 7, true);
    CHECK(key == 7 && t.load() == 2 && t.load(3) == 3 && t.times(5) == 15);
    puts("ok");
}
