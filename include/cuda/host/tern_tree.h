/* Ordered sets and maps: a search tree whose nodes have random priorities, which keeps it low. */
#pragma once
#include <functional>
#include <initializer_list>
#include <iterator>
#include <utility>
namespace std {
template <class V> struct __tern_node {
    V v;
    __tern_node *left, *right, *up;
    unsigned priority;
    template <class... B> explicit __tern_node(unsigned p, B &&...b) : v(std::forward<B>(b)...), left(nullptr), right(nullptr), up(nullptr), priority(p) {}
};
/* V: what is kept; K: its key, which of(V) gives; many: equal keys may be there. */
template <class V, class K, class L, class Of, bool many> class __tern_tree {
protected:
    typedef __tern_node<V> N;
    N *__root;
    size_t __n;
    unsigned __random;
    L __less;
    static N *__first_of(N *n) { while (n && n->left) n = n->left; return n; }
    static N *__last_of(N *n) { while (n && n->right) n = n->right; return n; }
    static N *__next(N *n)
    {
        if (n->right)
            return __first_of(n->right);
        while (n->up && n->up->right == n)
            n = n->up;
        return n->up;
    }
    static N *__before(N *n)
    {
        if (n->left)
            return __last_of(n->left);
        while (n->up && n->up->left == n)
            n = n->up;
        return n->up;
    }
    void __replace(N *n, N *by)
    {
        if (!n->up)
            __root = by;
        else if (n->up->left == n)
            n->up->left = by;
        else
            n->up->right = by;
        if (by)
            by->up = n->up;
    }
    void __lift(N *n)
    {
        N *p = n->up;
        __replace(p, n);
        if (p->left == n) {
            p->left = n->right;
            if (n->right)
                n->right->up = p;
            n->right = p;
        } else {
            p->right = n->left;
            if (n->left)
                n->left->up = p;
            n->left = p;
        }
        p->up = n;
    }
    static void __drop(N *n)
    {
        if (!n)
            return;
        __drop(n->left);
        __drop(n->right);
        delete n;
    }
    template <class X> N *__lower(const X &k) const
    {
        N *best = nullptr;
        for (N *n = __root; n;) {
            if (!__less(Of::key(n->v), k)) {
                best = n;
                n = n->left;
            } else {
                n = n->right;
            }
        }
        return best;
    }
    template <class X> N *__upper(const X &k) const
    {
        N *best = nullptr;
        for (N *n = __root; n;) {
            if (__less(k, Of::key(n->v))) {
                best = n;
                n = n->left;
            } else {
                n = n->right;
            }
        }
        return best;
    }
    template <class X> N *__find(const X &k) const
    {
        N *n = __lower(k);
        return n && !__less(k, Of::key(n->v)) ? n : nullptr;
    }
    N *__add(N *fresh)
    {
        N **at = &__root, *up = nullptr;
        while (*at) {
            up = *at;
            at = __less(Of::key(fresh->v), Of::key(up->v)) ? &up->left : &up->right;
        }
        *at = fresh;
        fresh->up = up;
        __n++;
        while (fresh->up && fresh->up->priority < fresh->priority)
            __lift(fresh);
        return fresh;
    }
    unsigned __draw()
    {
        __random ^= __random << 13;
        __random ^= __random >> 17;
        __random ^= __random << 5;
        return __random;
    }
    void __remove(N *n)
    {
        while (n->left || n->right)
            __lift(!n->left ? n->right : !n->right ? n->left : n->left->priority > n->right->priority ? n->left : n->right);
        __replace(n, nullptr);
        delete n;
        __n--;
    }

public:
    template <class R> class __iterator {
    public:
        N *__p;
        const __tern_tree *__t;
        typedef typename remove_const<R>::type value_type;
        typedef ptrdiff_t difference_type;
        typedef R &reference;
        typedef R *pointer;
        typedef bidirectional_iterator_tag iterator_category;
        __iterator(N *p = nullptr, const __tern_tree *t = nullptr) : __p(p), __t(t) {}
        template <class S> __iterator(const __iterator<S> &o) : __p(o.__p), __t(o.__t) {}
        R &operator*() const { return __p->v; }
        R *operator->() const { return &__p->v; }
        __iterator &operator++() { __p = __next(__p); return *this; }
        __iterator operator++(int) { __iterator t = *this; __p = __next(__p); return t; }
        __iterator &operator--() { __p = __p ? __before(__p) : __last_of(__t->__root); return *this; }
        __iterator operator--(int) { __iterator t = *this; --*this; return t; }
        template <class S> bool operator==(const __iterator<S> &o) const { return __p == o.__p; }
        template <class S> bool operator!=(const __iterator<S> &o) const { return __p != o.__p; }
    };
    typedef V value_type;
    typedef K key_type;
    typedef size_t size_type;
    typedef ptrdiff_t difference_type;
    typedef __iterator<typename Of::seen> iterator;
    typedef __iterator<const V> const_iterator;
    typedef std::reverse_iterator<iterator> reverse_iterator;
    typedef std::reverse_iterator<const_iterator> const_reverse_iterator;
    typedef V &reference;
    typedef const V &const_reference;
    typedef V *pointer;
    typedef const V *const_pointer;
    typedef L key_compare;
    class value_compare {
        L __l;

    public:
        explicit value_compare(L l) : __l(l) {}
        bool operator()(const V &a, const V &b) const { return __l(Of::key(a), Of::key(b)); }
    };
    key_compare key_comp() const { return __less; }
    value_compare value_comp() const { return value_compare(__less); }
    __tern_tree() : __root(nullptr), __n(0), __random(2463534242u) {}
    explicit __tern_tree(const L &l) : __root(nullptr), __n(0), __random(2463534242u), __less(l) {}
    __tern_tree(const __tern_tree &o) : __tern_tree(o.__less) { for (const V &v : o) insert(v); }
    __tern_tree(__tern_tree &&o) noexcept : __tern_tree(o.__less) { swap(o); }
    __tern_tree &operator=(const __tern_tree &o) { __tern_tree t(o); swap(t); return *this; }
    __tern_tree &operator=(__tern_tree &&o) noexcept { if (this != &o) { clear(); swap(o); } return *this; }
    ~__tern_tree() { __drop(__root); }
    void swap(__tern_tree &o) { std::swap(__root, o.__root); std::swap(__n, o.__n); std::swap(__less, o.__less); }
    iterator begin() { return iterator(__first_of(__root), this); }
    iterator end() { return iterator(nullptr, this); }
    const_iterator begin() const { return const_iterator(__first_of(__root), this); }
    const_iterator end() const { return const_iterator(nullptr, this); }
    const_iterator cbegin() const { return begin(); }
    const_iterator cend() const { return end(); }
    reverse_iterator rbegin() { return reverse_iterator(end()); }
    reverse_iterator rend() { return reverse_iterator(begin()); }
    const_reverse_iterator rbegin() const { return const_reverse_iterator(end()); }
    const_reverse_iterator rend() const { return const_reverse_iterator(begin()); }
    const_reverse_iterator crbegin() const { return rbegin(); }
    const_reverse_iterator crend() const { return rend(); }
    size_t max_size() const { return (size_t)-1 / 2 / sizeof(N); }
    size_t size() const { return __n; }
    bool empty() const { return !__n; }
    void clear() { __drop(__root); __root = nullptr; __n = 0; }
    iterator find(const K &k) { return iterator(__find(k), this); }
    const_iterator find(const K &k) const { return const_iterator(__find(k), this); }
    bool contains(const K &k) const { return __find(k); }
    iterator lower_bound(const K &k) { return iterator(__lower(k), this); }
    iterator upper_bound(const K &k) { return iterator(__upper(k), this); }
    const_iterator lower_bound(const K &k) const { return const_iterator(__lower(k), this); }
    const_iterator upper_bound(const K &k) const { return const_iterator(__upper(k), this); }
    pair<iterator, iterator> equal_range(const K &k) { return pair<iterator, iterator>(lower_bound(k), upper_bound(k)); }
    pair<const_iterator, const_iterator> equal_range(const K &k) const { return pair<const_iterator, const_iterator>(lower_bound(k), upper_bound(k)); }
    /* By what the comparison takes for a key, where it says so. */
    template <class X, class M = L, class = typename M::is_transparent> iterator find(const X &k) { return iterator(__find(k), this); }
    template <class X, class M = L, class = typename M::is_transparent> const_iterator find(const X &k) const { return const_iterator(__find(k), this); }
    template <class X, class M = L, class = typename M::is_transparent> bool contains(const X &k) const { return __find(k); }
    template <class X, class M = L, class = typename M::is_transparent> size_t count(const X &k) const { size_t n = 0; for (N *i = __lower(k), *e = __upper(k); i != e; i = __next(i)) n++; return n; }
    template <class X, class M = L, class = typename M::is_transparent> iterator lower_bound(const X &k) { return iterator(__lower(k), this); }
    template <class X, class M = L, class = typename M::is_transparent> iterator upper_bound(const X &k) { return iterator(__upper(k), this); }
    template <class X, class M = L, class = typename M::is_transparent> const_iterator lower_bound(const X &k) const { return const_iterator(__lower(k), this); }
    template <class X, class M = L, class = typename M::is_transparent> const_iterator upper_bound(const X &k) const { return const_iterator(__upper(k), this); }
    size_t count(const K &k) const
    {
        size_t n = 0;
        for (N *i = __lower(k), *e = __upper(k); i != e; i = __next(i))
            n++;
        return n;
    }
    template <class R> iterator erase(__iterator<R> i) { N *n = __next(i.__p); __remove(i.__p); return iterator(n, this); }
    iterator erase(const_iterator a, const_iterator b) { while (a != b) a = erase(a); return iterator(b.__p, this); }
    size_t erase(const K &k)
    {
        size_t n = 0;
        for (N *i; (i = __find(k)); n++)
            __remove(i);
        return n;
    }
    auto insert(const V &v) { return emplace(v); }
    auto insert(V &&v) { return emplace(std::move(v)); }
    iterator insert(const_iterator, const V &v) { return __at(emplace(v)); }
    iterator insert(const_iterator, V &&v) { return __at(emplace(std::move(v))); }
    template <class... B> iterator emplace_hint(const_iterator, B &&...b) { return __at(emplace(std::forward<B>(b)...)); }
    template <class I> void insert(I a, I b) { for (; a != b; ++a) emplace(*a); }
    void insert(initializer_list<V> l) { for (const V &v : l) emplace(v); }
    static iterator __at(iterator i) { return i; }
    static iterator __at(const pair<iterator, bool> &p) { return p.first; }
    template <class... B> auto emplace(B &&...b)
    {
        N *fresh = new N(__draw(), std::forward<B>(b)...);
        if constexpr (many) {
            return iterator(__add(fresh), this);
        } else {
            N *old = __find(Of::key(fresh->v));
            if (old) {
                delete fresh;
                return pair<iterator, bool>(iterator(old, this), false);
            }
            return pair<iterator, bool>(iterator(__add(fresh), this), true);
        }
    }
};
template <class K> struct __tern_itself {
    typedef const K seen;
    static const K &key(const K &k) { return k; }
};
template <class K, class T> struct __tern_of_pair {
    typedef pair<const K, T> seen;
    static const K &key(const pair<const K, T> &p) { return p.first; }
};
template <class V, class K, class L, class O, bool m> bool operator==(const __tern_tree<V, K, L, O, m> &a, const __tern_tree<V, K, L, O, m> &b)
{
    if (a.size() != b.size())
        return false;
    auto j = b.begin();
    for (auto i = a.begin(); i != a.end(); ++i, ++j)
        if (!(*i == *j))
            return false;
    return true;
}
template <class V, class K, class L, class O, bool m> bool operator!=(const __tern_tree<V, K, L, O, m> &a, const __tern_tree<V, K, L, O, m> &b) { return !(a == b); }
template <class V, class K, class L, class O, bool m> bool operator<(const __tern_tree<V, K, L, O, m> &a, const __tern_tree<V, K, L, O, m> &b)
{
    auto i = a.begin();
    auto j = b.begin();
    for (; i != a.end() && j != b.end(); ++i, ++j) {
        if (*i < *j)
            return true;
        if (*j < *i)
            return false;
    }
    return i == a.end() && j != b.end();
}
}
