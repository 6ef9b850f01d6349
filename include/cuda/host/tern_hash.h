/* Sets and maps by hashing. Nodes are one list, those of a bucket side by side; a bucket knows the node before its first. Sizes
 * and places are GNU's, so that a walk goes through the elements in the same order. */
#pragma once
#include <functional>
#include <initializer_list>
#include <iterator>
#include <utility>
namespace std {
template <class V> struct __tern_link {
    __tern_link *next;
    __tern_link() : next(nullptr) {}
};
template <class V> struct __tern_entry : __tern_link<V> {
    V v;
    template <class... B> explicit __tern_entry(B &&...b) : v(std::forward<B>(b)...) {}
};
inline size_t __tern_buckets(size_t least)
{
    static const size_t sizes[] = {2, 3, 5, 7, 11, 13, 29, 59, 127, 257, 541, 1109, 2357, 5087, 10273, 20753, 42043, 85229, 172933, 351061, 712697, 1447153, 2938679, 5967347, 12117689, 24607243};
    for (size_t n : sizes)
        if (n >= least)
            return n;
    return least | 1;
}
template <class V, class K, class H, class E, class Of, bool Many = false> class __tern_table {
protected:
    typedef __tern_link<V> L;
    typedef __tern_entry<V> N;
    L **__buckets;
    size_t __count, __n, __most;
    L __front;
    H __hash;
    E __equal;
    size_t __bucket(const N *n) const { return __hash(Of::of(n->v)) % __count; }
    void __start() { __buckets = nullptr; __count = 1; __n = __most = 0; __front.next = nullptr; }
    N *__find(const K &k) const
    {
        if (!__buckets)
            return nullptr;
        const size_t b = __hash(k) % __count;
        L *l = __buckets[b];
        for (N *n = l ? (N *)l->next : nullptr; n && __bucket(n) == b; n = (N *)n->next)
            if (__equal(Of::of(n->v), k))
                return n;
        return nullptr;
    }
    void __resize(size_t count)
    {
        L **made = new L *[count];
        for (size_t k = 0; k < count; k++)
            made[k] = nullptr;
        N *n = (N *)__front.next, *last = nullptr;
        size_t first = 0;
        __front.next = nullptr;
        __count = count;
        while (n) {
            N *next = (N *)n->next;
            const size_t b = __bucket(n);
            if (Many && last && __equal(Of::of(last->v), Of::of(n->v))) { /* equal ones keep their order */
                n->next = last->next;
                last->next = n;
                const size_t c = n->next ? __bucket((N *)n->next) : b;
                if (c != b)
                    made[c] = n;
            } else if (!made[b]) {
                n->next = __front.next;
                __front.next = n;
                made[b] = &__front;
                if (n->next)
                    made[first] = n;
                first = b;
            } else {
                n->next = made[b]->next;
                made[b]->next = n;
            }
            last = n;
            n = next;
        }
        delete[] __buckets;
        __buckets = made;
        __most = count;
    }
    void __grow()
    {
        if (__n + 1 > __most) {
            const size_t want = __n + 1 > 11 || __most ? __n + 1 : 11;
            if (want >= __count)
                __resize(__tern_buckets(want + 1 > 2 * __count ? want + 1 : 2 * __count));
        }
    }
    N *__add(N *n)
    {
        __grow();
        const size_t b = __bucket(n);
        if (__buckets[b]) {
            n->next = __buckets[b]->next;
            __buckets[b]->next = n;
        } else {
            n->next = __front.next;
            __front.next = n;
            if (n->next)
                __buckets[__bucket((N *)n->next)] = n;
            __buckets[b] = &__front;
        }
        __n++;
        return n;
    }
    /* Before its equals, as GNU's. */
    N *__add_equal(N *n)
    {
        __grow();
        N *known = __find(Of::of(n->v));
        if (!known)
            return __add(n);
        L *before = __buckets[__bucket(n)];
        while (before->next != known)
            before = before->next;
        n->next = known;
        before->next = n;
        __n++;
        return n;
    }
    void __drop(N *n)
    {
        const size_t b = __bucket(n);
        L *before = __buckets[b];
        while (before->next != n)
            before = before->next;
        N *after = (N *)n->next;
        const size_t c = after ? __bucket(after) : 0;
        if (before == __buckets[b] && (!after || c != b)) {
            if (after)
                __buckets[c] = before;
            __buckets[b] = nullptr;
        } else if (after && c != b) {
            __buckets[c] = before;
        }
        before->next = after;
        delete n;
        __n--;
    }
    void __take(__tern_table &o)
    {
        __buckets = o.__buckets;
        __count = o.__count;
        __n = o.__n;
        __most = o.__most;
        __front.next = o.__front.next;
        if (__front.next)
            __buckets[__bucket((N *)__front.next)] = &__front;
        o.__start();
    }
    void __copy(const __tern_table &o)
    {
        if (o.__n)
            __resize(o.__count);
        L *last = &__front;
        for (const N *n = (const N *)o.__front.next; n; n = (const N *)n->next) {
            N *m = new N(n->v);
            last->next = m;
            const size_t b = __bucket(m);
            if (!__buckets[b])
                __buckets[b] = last;
            last = m;
        }
        __n = o.__n;
    }

public:
    typedef K key_type;
    typedef V value_type;
    typedef size_t size_type;
    template <class T> struct __walk {
        typedef forward_iterator_tag iterator_category;
        typedef V value_type;
        typedef long difference_type;
        typedef T *pointer;
        typedef T &reference;
        N *__at;
        __walk(N *n = nullptr) : __at(n) {}
        template <class U> __walk(const __walk<U> &o) : __at(o.__at) {}
        T &operator*() const { return __at->v; }
        T *operator->() const { return &__at->v; }
        __walk &operator++() { __at = (N *)__at->next; return *this; }
        __walk operator++(int) { __walk o = *this; __at = (N *)__at->next; return o; }
        bool operator==(const __walk &o) const { return __at == o.__at; }
        bool operator!=(const __walk &o) const { return __at != o.__at; }
    };
    typedef __walk<V> iterator;
    typedef __walk<const V> const_iterator;
    __tern_table() { __start(); }
    __tern_table(const __tern_table &o) : __hash(o.__hash), __equal(o.__equal) { __start(); __copy(o); }
    __tern_table(__tern_table &&o) noexcept : __hash(o.__hash), __equal(o.__equal) { __take(o); }
    ~__tern_table() { clear(); delete[] __buckets; }
    __tern_table &operator=(const __tern_table &o)
    {
        if (this != &o) {
            clear();
            delete[] __buckets;
            __start();
            __copy(o);
        }
        return *this;
    }
    __tern_table &operator=(__tern_table &&o) noexcept
    {
        if (this != &o) {
            clear();
            delete[] __buckets;
            __take(o);
        }
        return *this;
    }
    void clear()
    {
        for (N *n = (N *)__front.next; n;) {
            N *next = (N *)n->next;
            delete n;
            n = next;
        }
        __front.next = nullptr;
        __n = 0;
        for (size_t k = 0; __buckets && k < __count; k++)
            __buckets[k] = nullptr;
    }
    iterator begin() { return iterator((N *)__front.next); }
    iterator end() { return iterator(); }
    const_iterator begin() const { return const_iterator((N *)__front.next); }
    const_iterator end() const { return const_iterator(); }
    const_iterator cbegin() const { return begin(); }
    const_iterator cend() const { return end(); }
    size_t size() const { return __n; }
    bool empty() const { return !__n; }
    size_t count(const K &k) const { return __find(k) ? 1 : 0; }
    bool contains(const K &k) const { return __find(k); }
    iterator find(const K &k) { return iterator(__find(k)); }
    const_iterator find(const K &k) const { return const_iterator(__find(k)); }
    template <class... A> pair<iterator, bool> emplace(A &&...a)
    {
        N *n = new N(std::forward<A>(a)...), *known = __find(Of::of(n->v));
        if (known) {
            delete n;
            return pair<iterator, bool>(iterator(known), false);
        }
        return pair<iterator, bool>(iterator(__add(n)), true);
    }
    pair<iterator, bool> insert(const V &v) { return emplace(v); }
    pair<iterator, bool> insert(V &&v) { return emplace(std::move(v)); }
    template <class P> pair<iterator, bool> insert(P &&p) { return emplace(std::forward<P>(p)); }
    template <class I> void insert(I a, I b) { for (; a != b; ++a) emplace(*a); }
    void insert(initializer_list<V> l) { for (const V &v : l) emplace(v); }
    size_t erase(const K &k)
    {
        N *n = __find(k);
        if (n)
            __drop(n);
        return n != nullptr;
    }
    template <class T> iterator erase(__walk<T> i)
    {
        N *next = (N *)i.__at->next;
        __drop(i.__at);
        return iterator(next);
    }
    void swap(__tern_table &o) { __tern_table t(std::move(o)); o = std::move(*this); *this = std::move(t); }
    size_t bucket_count() const { return __count; }
    float load_factor() const { return (float)__n / (float)__count; }
    float max_load_factor() const { return 1; }
    void rehash(size_t n) { n = __tern_buckets(n > __n ? n : __n + 1); if (n != __count) __resize(n); }
    void reserve(size_t n) { rehash(n); }
};
/* Sets and maps that have several of a key: these are side by side. */
template <class V, class K, class H, class E, class Of> class __tern_many : public __tern_table<V, K, H, E, Of, true> {
    typedef __tern_table<V, K, H, E, Of, true> B;
    typedef typename B::N N;

public:
    typedef typename B::iterator iterator;
    typedef typename B::const_iterator const_iterator;
    template <class... A> iterator emplace(A &&...a) { return iterator(B::__add_equal(new N(std::forward<A>(a)...))); }
    iterator insert(const V &v) { return emplace(v); }
    iterator insert(V &&v) { return emplace(std::move(v)); }
    template <class P> iterator insert(P &&p) { return emplace(std::forward<P>(p)); }
    template <class I> void insert(I a, I b) { for (; a != b; ++a) emplace(*a); }
    void insert(initializer_list<V> l) { for (const V &v : l) emplace(v); }
    pair<iterator, iterator> equal_range(const K &k)
    {
        N *first = B::__find(k), *end = first;
        while (end && B::__equal(Of::of(end->v), k))
            end = (N *)end->next;
        return pair<iterator, iterator>(iterator(first), iterator(end));
    }
    pair<const_iterator, const_iterator> equal_range(const K &k) const
    {
        pair<iterator, iterator> r = ((__tern_many *)this)->equal_range(k);
        return pair<const_iterator, const_iterator>(r.first, r.second);
    }
    size_t count(const K &k) const
    {
        size_t n = 0;
        for (pair<const_iterator, const_iterator> r = equal_range(k); r.first != r.second; ++r.first)
            n++;
        return n;
    }
    size_t erase(const K &k)
    {
        size_t n = 0;
        for (; B::__find(k); n++)
            B::__drop(B::__find(k));
        return n;
    }
    template <class T> iterator erase(typename B::template __walk<T> i) { return B::erase(i); }
};
template <class K> struct __tern_key_itself { static const K &of(const K &k) { return k; } };
template <class K, class T> struct __tern_first { static const K &of(const pair<const K, T> &p) { return p.first; } };
}
