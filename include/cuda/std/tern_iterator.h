/* Iterators: what host and device code have of <iterator>. */
#pragma once
#include <cstddef>
#include <initializer_list>
#include <type_traits>
#include <utility>
namespace std {
struct input_iterator_tag {};
struct output_iterator_tag {};
struct forward_iterator_tag : input_iterator_tag {};
struct bidirectional_iterator_tag : forward_iterator_tag {};
struct random_access_iterator_tag : bidirectional_iterator_tag {};
template <class C, class T, class D = ptrdiff_t, class P = T *, class R = T &> struct iterator {
    typedef T value_type;
    typedef D difference_type;
    typedef P pointer;
    typedef R reference;
    typedef C iterator_category;
};
template <class...> using __void_t = void;
template <class I, class = void> struct __iterator_traits {};
template <class I> __host__ __device__ constexpr 
struct __iterator_traits<I, __void_t<typename I::value_type, typename I::difference_type, typename I::reference,
                                     typename I::pointer, typename I::iterator_category>> {
    typedef typename I::value_type value_type;
    typedef typename I::difference_type difference_type;
    typedef typename I::reference reference;
    typedef typename I::pointer pointer;
    typedef typename I::iterator_category iterator_category;
};
template <class I> struct iterator_traits : __iterator_traits<I> {};
template <class T> struct iterator_traits<T *> {
    typedef typename remove_cv<T>::type value_type;
    typedef ptrdiff_t difference_type;
    typedef T &reference;
    typedef T *pointer;
    typedef random_access_iterator_tag iterator_category;
};
template <class T, size_t n> __host__ __device__ constexpr T *begin(T (&a)[n]) noexcept { return a; }
template <class T, size_t n> __host__ __device__ constexpr T *end(T (&a)[n]) noexcept { return a + n; }
template <class C> __host__ __device__ constexpr auto begin(C &c) -> decltype(c.begin()) { return c.begin(); }
template <class C> __host__ __device__ constexpr auto end(C &c) -> decltype(c.end()) { return c.end(); }
template <class C> __host__ __device__ constexpr auto begin(const C &c) -> decltype(c.begin()) { return c.begin(); }
template <class C> __host__ __device__ constexpr auto end(const C &c) -> decltype(c.end()) { return c.end(); }
template <class C> __host__ __device__ constexpr auto cbegin(const C &c) -> decltype(c.begin()) { return c.begin(); }
template <class C> __host__ __device__ constexpr auto cend(const C &c) -> decltype(c.end()) { return c.end(); }
template <class T, size_t n> __host__ __device__ constexpr size_t size(const T (&)[n]) noexcept { return n; }
template <class C> __host__ __device__ constexpr auto size(const C &c) -> decltype(c.size()) { return c.size(); }
template <class C> __host__ __device__ constexpr auto data(C &c) -> decltype(c.data()) { return c.data(); }
template <class C> __host__ __device__ constexpr auto data(const C &c) -> decltype(c.data()) { return c.data(); }
template <class T, size_t n> __host__ __device__ constexpr T *data(T (&a)[n]) noexcept { return a; }
template <class C> __host__ __device__ constexpr auto empty(const C &c) -> decltype(c.empty()) { return c.empty(); }
template <class T, size_t n> __host__ __device__ constexpr bool empty(const T (&)[n]) noexcept { return n == 0; }
template <class I> __host__ __device__ constexpr ptrdiff_t __tern_distance(I a, I b, random_access_iterator_tag) { return b - a; }
template <class I> __host__ __device__ constexpr ptrdiff_t __tern_distance(I a, I b, input_iterator_tag)
{
    ptrdiff_t n = 0;
    for (; a != b; ++a)
        n++;
    return n;
}
template <class I> __host__ __device__ constexpr ptrdiff_t distance(I a, I b)
{
    return std::__tern_distance(a, b, typename iterator_traits<I>::iterator_category());
}
template <class I> __host__ __device__ constexpr void __tern_advance(I &i, ptrdiff_t n, random_access_iterator_tag) { i += n; }
template <class I> __host__ __device__ constexpr void __tern_advance(I &i, ptrdiff_t n, input_iterator_tag)
{
    for (; n > 0; n--)
        ++i;
}
template <class I> __host__ __device__ constexpr void __tern_advance(I &i, ptrdiff_t n, bidirectional_iterator_tag)
{
    for (; n > 0; n--)
        ++i;
    for (; n < 0; n++)
        --i;
}
template <class I, class N> __host__ __device__ constexpr void advance(I &i, N n)
{
    std::__tern_advance(i, (ptrdiff_t)n, typename iterator_traits<I>::iterator_category());
}
template <class I> __host__ __device__ constexpr I next(I i, ptrdiff_t n = 1) { std::advance(i, n); return i; }
template <class I> __host__ __device__ constexpr I prev(I i, ptrdiff_t n = 1) { std::advance(i, -n); return i; }
template <class I> class reverse_iterator {
    I __i;

public:
    typedef typename iterator_traits<I>::value_type value_type;
    typedef typename iterator_traits<I>::difference_type difference_type;
    typedef typename iterator_traits<I>::reference reference;
    typedef typename iterator_traits<I>::pointer pointer;
    typedef typename iterator_traits<I>::iterator_category iterator_category;
    __host__ __device__ constexpr reverse_iterator() : __i() {}
    __host__ __device__ constexpr explicit reverse_iterator(I i) : __i(i) {}
    template <class J> __host__ __device__ constexpr reverse_iterator(const reverse_iterator<J> &o) : __i(o.base()) {}
    __host__ __device__ constexpr I base() const { return __i; }
    __host__ __device__ constexpr reference operator*() const { I t = __i; return *--t; }
    __host__ __device__ constexpr pointer operator->() const { I t = __i; --t; return &*t; }
    __host__ __device__ constexpr reverse_iterator &operator++() { --__i; return *this; }
    __host__ __device__ constexpr reverse_iterator operator++(int) { reverse_iterator t = *this; --__i; return t; }
    __host__ __device__ constexpr reverse_iterator &operator--() { ++__i; return *this; }
    __host__ __device__ constexpr reverse_iterator operator--(int) { reverse_iterator t = *this; ++__i; return t; }
    __host__ __device__ constexpr reverse_iterator operator+(ptrdiff_t n) const { return reverse_iterator(__i - n); }
    __host__ __device__ constexpr reverse_iterator operator-(ptrdiff_t n) const { return reverse_iterator(__i + n); }
    __host__ __device__ constexpr reverse_iterator &operator+=(ptrdiff_t n) { __i -= n; return *this; }
    __host__ __device__ constexpr reverse_iterator &operator-=(ptrdiff_t n) { __i += n; return *this; }
    __host__ __device__ constexpr reference operator[](ptrdiff_t n) const { return *(*this + n); }
};
template <class I, class J> __host__ __device__ constexpr bool operator==(const reverse_iterator<I> &a, const reverse_iterator<J> &b) { return a.base() == b.base(); }
template <class I, class J> __host__ __device__ constexpr bool operator!=(const reverse_iterator<I> &a, const reverse_iterator<J> &b) { return a.base() != b.base(); }
template <class I, class J> __host__ __device__ constexpr bool operator>(const reverse_iterator<I> &a, const reverse_iterator<J> &b) { return b.base() > a.base(); }
template <class I, class J> __host__ __device__ constexpr bool operator<=(const reverse_iterator<I> &a, const reverse_iterator<J> &b) { return b.base() <= a.base(); }
template <class I, class J> __host__ __device__ constexpr bool operator>=(const reverse_iterator<I> &a, const reverse_iterator<J> &b) { return b.base() >= a.base(); }
template <class I> __host__ __device__ constexpr reverse_iterator<I> operator+(ptrdiff_t n, const reverse_iterator<I> &i) { return i + n; }
template <class I, class J> __host__ __device__ constexpr bool operator<(const reverse_iterator<I> &a, const reverse_iterator<J> &b) { return b.base() < a.base(); }
template <class I, class J> __host__ __device__ constexpr ptrdiff_t operator-(const reverse_iterator<I> &a, const reverse_iterator<J> &b) { return b.base() - a.base(); }
template <class C> struct back_insert_iterator : iterator<output_iterator_tag, void, void, void, void> {
    C *__c;
    __host__ __device__ constexpr explicit back_insert_iterator(C &c) : __c(&c) {}
    template <class T> __host__ __device__ constexpr back_insert_iterator &operator=(T &&x) { __c->push_back(std::forward<T>(x)); return *this; }
    __host__ __device__ constexpr back_insert_iterator &operator*() { return *this; }
    __host__ __device__ constexpr back_insert_iterator &operator++() { return *this; }
    __host__ __device__ constexpr back_insert_iterator operator++(int) { return *this; }
};
template <class C> __host__ __device__ constexpr back_insert_iterator<C> back_inserter(C &c) { return back_insert_iterator<C>(c); }
template <class C> struct front_insert_iterator : iterator<output_iterator_tag, void, void, void, void> {
    C *__c;
    __host__ __device__ constexpr explicit front_insert_iterator(C &c) : __c(&c) {}
    template <class T> __host__ __device__ constexpr front_insert_iterator &operator=(T &&x) { __c->push_front(std::forward<T>(x)); return *this; }
    __host__ __device__ constexpr front_insert_iterator &operator*() { return *this; }
    __host__ __device__ constexpr front_insert_iterator &operator++() { return *this; }
    __host__ __device__ constexpr front_insert_iterator operator++(int) { return *this; }
};
template <class C> __host__ __device__ constexpr front_insert_iterator<C> front_inserter(C &c) { return front_insert_iterator<C>(c); }
template <class C> struct insert_iterator : iterator<output_iterator_tag, void, void, void, void> {
    C *__c;
    typename C::iterator __i;
    __host__ __device__ constexpr insert_iterator(C &c, typename C::iterator i) : __c(&c), __i(i) {}
    template <class T> __host__ __device__ constexpr insert_iterator &operator=(T &&x) { __i = __c->insert(__i, std::forward<T>(x)); ++__i; return *this; }
    __host__ __device__ constexpr insert_iterator &operator*() { return *this; }
    __host__ __device__ constexpr insert_iterator &operator++() { return *this; }
    __host__ __device__ constexpr insert_iterator operator++(int) { return *this; }
};
template <class C, class I> __host__ __device__ constexpr insert_iterator<C> inserter(C &c, I i) { return insert_iterator<C>(c, i); }
template <class I> class move_iterator {
    I __i;

public:
    typedef typename iterator_traits<I>::value_type value_type;
    typedef typename iterator_traits<I>::difference_type difference_type;
    typedef value_type &&reference;
    typedef I pointer;
    typedef typename iterator_traits<I>::iterator_category iterator_category;
    __host__ __device__ constexpr explicit move_iterator(I i) : __i(i) {}
    __host__ __device__ constexpr I base() const { return __i; }
    __host__ __device__ constexpr value_type &&operator*() const { return static_cast<value_type &&>(*__i); }
    __host__ __device__ constexpr move_iterator &operator++() { ++__i; return *this; }
    __host__ __device__ constexpr move_iterator operator++(int) { move_iterator t = *this; ++__i; return t; }
    __host__ __device__ constexpr bool operator==(const move_iterator &o) const { return __i == o.__i; }
    __host__ __device__ constexpr bool operator!=(const move_iterator &o) const { return __i != o.__i; }
    __host__ __device__ constexpr difference_type operator-(const move_iterator &o) const { return __i - o.__i; }
};
template <class I> __host__ __device__ constexpr move_iterator<I> make_move_iterator(I i) { return move_iterator<I>(i); }
template <class I> __host__ __device__ constexpr reverse_iterator<I> make_reverse_iterator(I i) { return reverse_iterator<I>(i); }
template <class C> __host__ __device__ constexpr auto rbegin(C &c) -> decltype(c.rbegin()) { return c.rbegin(); }
template <class C> __host__ __device__ constexpr auto rend(C &c) -> decltype(c.rend()) { return c.rend(); }
template <class T, size_t n> __host__ __device__ constexpr reverse_iterator<T *> rbegin(T (&a)[n]) { return reverse_iterator<T *>(a + n); }
template <class T, size_t n> __host__ __device__ constexpr reverse_iterator<T *> rend(T (&a)[n]) { return reverse_iterator<T *>(a); }
template <class C> __host__ __device__ constexpr auto ssize(const C &c) -> decltype((ptrdiff_t)c.size()) { return (ptrdiff_t)c.size(); }
template <class T, size_t n> __host__ __device__ constexpr ptrdiff_t ssize(const T (&)[n]) noexcept { return n; }
}
