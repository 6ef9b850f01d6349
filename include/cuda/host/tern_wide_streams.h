/* wostream and its kin: numbers are made by a stream of chars. As in the locale "C", which a program starts with, a character
 * beyond ASCII cannot be written to a file: the stream fails. */
#pragma once
#include <ostream>
namespace std {
class wostream : public ios_base {
    FILE *__file;
    struct __chars : ostream {
        wstring __made;
        void __put(const char *p, size_t n) override { for (size_t i = 0; i < n; i++) __made += (wchar_t)(unsigned char)p[i]; }
    };

public:
    explicit wostream(FILE *f = nullptr) : __file(f) {}
    virtual void __put(const wchar_t *p, size_t n)
    {
        for (size_t i = 0; __file && !__bad && i < n; i++)
            if (p[i] < 128)
                fputc((int)p[i], __file);
            else
                __bad = true;
    }
    virtual void __flush() { if (__file) fflush(__file); }
    void __padded(const wchar_t *p, size_t n)
    {
        const wchar_t fill = (wchar_t)__fill;
        size_t pad = __width > (long)n ? (size_t)__width - n : 0;
        __width = 0;
        if (__flags & left)
            __put(p, n);
        for (; pad; pad--)
            __put(&fill, 1);
        if (!(__flags & left))
            __put(p, n);
    }
    template <class T> wostream &__number(T x)
    {
        __chars c;
        (ios_base &)c = *this;
        c << x;
        __width = 0;
        __put(c.__made.data(), c.__made.size());
        return *this;
    }
    wostream &operator<<(bool x) { return __number(x); }
    wostream &operator<<(short x) { return __number(x); }
    wostream &operator<<(unsigned short x) { return __number(x); }
    wostream &operator<<(int x) { return __number(x); }
    wostream &operator<<(unsigned x) { return __number(x); }
    wostream &operator<<(long x) { return __number(x); }
    wostream &operator<<(unsigned long x) { return __number(x); }
    wostream &operator<<(long long x) { return __number(x); }
    wostream &operator<<(unsigned long long x) { return __number(x); }
    wostream &operator<<(float x) { return __number(x); }
    wostream &operator<<(double x) { return __number(x); }
    wostream &operator<<(const void *x) { return __number(x); }
    wostream &operator<<(wostream &(*f)(wostream &)) { return f(*this); }
    wostream &operator<<(ios_base &(*f)(ios_base &)) { f(*this); return *this; }
    wostream &put(wchar_t c) { __put(&c, 1); return *this; }
    wostream &write(const wchar_t *p, long n) { __put(p, (size_t)n); return *this; }
    wostream &flush() { __flush(); return *this; }
};
inline wostream &operator<<(wostream &o, wchar_t c) { o.__padded(&c, 1); return o; }
inline wostream &operator<<(wostream &o, char c) { return o << (wchar_t)c; }
inline wostream &operator<<(wostream &o, const wchar_t *s) { o.__padded(s, __tern_length(s)); return o; }
inline wostream &operator<<(wostream &o, const char *s) { const wstring w(s, s + strlen(s)); return o << w.c_str(); }
inline wostream &operator<<(wostream &o, const wstring &s) { o.__padded(s.data(), s.size()); return o; }
inline wostream &endl(wostream &o) { o.put(L'\n'); return o.flush(); }
inline wostream &flush(wostream &o) { return o.flush(); }
class wostringstream : public wostream {
    wstring __s;

public:
    wostringstream() {}
    void __put(const wchar_t *p, size_t n) override { __s.append(p, n); }
    void __flush() override {}
    wstring str() const { return __s; }
    void str(const wstring &s) { __s = s; }
};
}
