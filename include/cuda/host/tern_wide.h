/* Strings of other characters than char: wstring, u16string, u32string. */
#pragma once
#include <initializer_list>
#include <iterator>
namespace std {
template <class T> size_t __tern_length(const T *s) { size_t n = 0; while (s[n]) n++; return n; }
template <class T, class R, class A> class basic_string {
    T *__p;
    size_t __n, __cap;
    T __none;
    void __grow(size_t n)
    {
        if (n <= __cap)
            return;
        if (n < 2 * __cap)
            n = 2 * __cap;
        T *p = new T[n + 1];
        for (size_t i = 0; i < __n; i++)
            p[i] = __p[i];
        if (__cap)
            delete[] __p;
        __p = p;
        __p[__n] = 0;
        __cap = n;
    }

public:
    typedef T value_type;
    typedef T &reference;
    typedef const T &const_reference;
    typedef T *iterator;
    typedef const T *const_iterator;
    typedef std::reverse_iterator<T *> reverse_iterator;
    typedef size_t size_type;
    typedef ptrdiff_t difference_type;
    static constexpr size_t npos = (size_t)-1;
    basic_string() : __p(&__none), __n(0), __cap(0), __none(0) {}
    basic_string(const T *s) : basic_string() { append(s, __tern_length(s)); }
    basic_string(const T *s, size_t n) : basic_string() { append(s, n); }
    basic_string(size_t n, T c) : basic_string() { append(n, c); }
    basic_string(const basic_string &o) : basic_string() { append(o.__p, o.__n); }
    basic_string(basic_string &&o) noexcept : basic_string() { swap(o); }
    basic_string(initializer_list<T> l) : basic_string() { append(l.begin(), l.size()); }
    template <class I, class = typename iterator_traits<I>::iterator_category> basic_string(I first, I last) : basic_string() { for (; first != last; ++first) push_back((T)*first); }
    ~basic_string() { if (__cap) delete[] __p; }
    basic_string &operator=(const basic_string &o) { if (this != &o) { clear(); append(o.__p, o.__n); } return *this; }
    basic_string &operator=(basic_string &&o) noexcept { if (this != &o) { swap(o); o.clear(); } return *this; }
    basic_string &operator=(const T *s) { return *this = basic_string(s); }
    basic_string &operator=(T c) { clear(); push_back(c); return *this; }
    basic_string &assign(const T *s, size_t n) { return *this = basic_string(s, n); }
    basic_string &assign(const basic_string &s) { return *this = s; }
    basic_string &assign(size_t n, T c) { clear(); return append(n, c); }
    const T *c_str() const { return __p; }
    const T *data() const { return __p; }
    T *data() { return __p; }
    size_t size() const { return __n; }
    size_t length() const { return __n; }
    size_t capacity() const { return __cap; }
    bool empty() const { return !__n; }
    void reserve(size_t n = 0) { __grow(n); }
    void clear() { __n = 0; __p[0] = 0; }
    void resize(size_t n, T c = 0) { if (n > __n) append(n - __n, c); __n = n; __p[n] = 0; }
    T &operator[](size_t i) { return __p[i]; }
    const T &operator[](size_t i) const { return __p[i]; }
    T &at(size_t i) { if (i >= __n) __tern_throw("std::out_of_range", "basic_string::at"); return __p[i]; }
    const T &at(size_t i) const { if (i >= __n) __tern_throw("std::out_of_range", "basic_string::at"); return __p[i]; }
    T &front() { return __p[0]; }
    T &back() { return __p[__n - 1]; }
    const T &front() const { return __p[0]; }
    const T &back() const { return __p[__n - 1]; }
    T *begin() { return __p; }
    T *end() { return __p + __n; }
    const T *begin() const { return __p; }
    const T *end() const { return __p + __n; }
    reverse_iterator rbegin() { return reverse_iterator(end()); }
    reverse_iterator rend() { return reverse_iterator(begin()); }
    void push_back(T c) { __grow(__n + 1); __p[__n++] = c; __p[__n] = 0; }
    void pop_back() { __p[--__n] = 0; }
    basic_string &append(const T *s, size_t n)
    {
        if (__n + n > __cap) {
            basic_string all;
            all.__grow(__n + n > 2 * __n ? __n + n : 2 * __n);
            for (size_t i = 0; i < __n; i++)
                all.push_back(__p[i]);
            for (size_t i = 0; i < n; i++)
                all.push_back(s[i]);
            swap(all);
            return *this;
        }
        for (size_t i = 0; i < n; i++)
            __p[__n + i] = s[i];
        __n += n;
        __p[__n] = 0;
        return *this;
    }
    basic_string &append(const T *s) { return append(s, __tern_length(s)); }
    basic_string &append(const basic_string &s) { return append(s.__p, s.__n); }
    basic_string &append(size_t n, T c) { for (; n; n--) push_back(c); return *this; }
    basic_string &operator+=(const basic_string &s) { return append(s); }
    basic_string &operator+=(const T *s) { return append(s); }
    basic_string &operator+=(T c) { push_back(c); return *this; }
    basic_string &insert(size_t at, const basic_string &s)
    {
        const basic_string middle(s), tail(__p + at, __n - at);
        resize(at);
        return append(middle).append(tail);
    }
    basic_string &erase(size_t at = 0, size_t n = npos)
    {
        if (n > __n - at)
            n = __n - at;
        for (size_t i = at; i + n <= __n; i++)
            __p[i] = __p[i + n];
        __n -= n;
        return *this;
    }
    basic_string &replace(size_t at, size_t n, const basic_string &s) { const basic_string by(s); erase(at, n); return insert(at, by); }
    basic_string substr(size_t at = 0, size_t n = npos) const
    {
        if (at > __n)
            __tern_throw("std::out_of_range", "basic_string::substr");
        return basic_string(__p + at, n < __n - at ? n : __n - at);
    }
    int compare(const basic_string &o) const
    {
        for (size_t i = 0; i < __n && i < o.__n; i++)
            if (__p[i] != o.__p[i])
                return __p[i] < o.__p[i] ? -1 : 1;
        return __n < o.__n ? -1 : __n > o.__n;
    }
    size_t find(const basic_string &s, size_t from = 0) const
    {
        for (size_t i = from; i + s.__n <= __n; i++) {
            size_t k = 0;
            while (k < s.__n && __p[i + k] == s.__p[k])
                k++;
            if (k == s.__n)
                return i;
        }
        return npos;
    }
    size_t find(const T *s, size_t from = 0) const { return find(basic_string(s), from); }
    size_t find(T c, size_t from = 0) const { for (size_t i = from; i < __n; i++) if (__p[i] == c) return i; return npos; }
    size_t rfind(T c, size_t from = npos) const { for (size_t i = from < __n ? from + 1 : __n; i-- > 0;) if (__p[i] == c) return i; return npos; }
    void swap(basic_string &o) noexcept
    {
        T *const p = __p, *const q = o.__p;
        const size_t n = __n, cap = __cap;
        __p = o.__cap ? q : &__none;
        o.__p = cap ? p : &o.__none;
        __n = o.__n;
        __cap = o.__cap;
        o.__n = n;
        o.__cap = cap;
    }
};
template <class T, class R, class A> bool operator==(const basic_string<T, R, A> &a, const basic_string<T, R, A> &b) { return a.compare(b) == 0; }
template <class T, class R, class A> bool operator==(const basic_string<T, R, A> &a, const T *b) { return a.compare(b) == 0; }
template <class T, class R, class A> bool operator==(const T *a, const basic_string<T, R, A> &b) { return b.compare(a) == 0; }
template <class T, class R, class A> bool operator!=(const basic_string<T, R, A> &a, const basic_string<T, R, A> &b) { return !(a == b); }
template <class T, class R, class A> bool operator!=(const basic_string<T, R, A> &a, const T *b) { return !(a == b); }
template <class T, class R, class A> bool operator<(const basic_string<T, R, A> &a, const basic_string<T, R, A> &b) { return a.compare(b) < 0; }
template <class T, class R, class A> bool operator>(const basic_string<T, R, A> &a, const basic_string<T, R, A> &b) { return b < a; }
template <class T, class R, class A> bool operator<=(const basic_string<T, R, A> &a, const basic_string<T, R, A> &b) { return !(b < a); }
template <class T, class R, class A> bool operator>=(const basic_string<T, R, A> &a, const basic_string<T, R, A> &b) { return !(a < b); }
template <class T, class R, class A> basic_string<T, R, A> operator+(const basic_string<T, R, A> &a, const basic_string<T, R, A> &b) { basic_string<T, R, A> r(a); r += b; return r; }
template <class T, class R, class A> basic_string<T, R, A> operator+(const basic_string<T, R, A> &a, const T *b) { basic_string<T, R, A> r(a); r += b; return r; }
template <class T, class R, class A> basic_string<T, R, A> operator+(const T *a, const basic_string<T, R, A> &b) { basic_string<T, R, A> r(a); r += b; return r; }
template <class T, class R, class A> basic_string<T, R, A> operator+(const basic_string<T, R, A> &a, T b) { basic_string<T, R, A> r(a); r += b; return r; }
typedef basic_string<wchar_t> wstring;
typedef basic_string<char16_t> u16string;
typedef basic_string<char32_t> u32string;
template <class T> wstring to_wstring(T x) { const string s = to_string(x); return wstring(s.begin(), s.end()); }
inline string __tern_narrow(const wstring &s) { string r; for (wchar_t c : s) r += c < 128 ? (char)c : '?'; return r; }
inline int stoi(const wstring &s, size_t *used = nullptr, int base = 10) { return stoi(__tern_narrow(s), used, base); }
inline long stol(const wstring &s, size_t *used = nullptr, int base = 10) { return stol(__tern_narrow(s), used, base); }
inline double stod(const wstring &s, size_t *used = nullptr) { return stod(__tern_narrow(s), used); }
inline float stof(const wstring &s, size_t *used = nullptr) { return stof(__tern_narrow(s), used); }
}
