// Numbers to text and back by <charconv>; errors of the system.
#include <charconv>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <system_error>

template <class T> static void put(T x)
{
    char b[64];
    const auto r = std::to_chars(b, b + sizeof b, x);
    printf("%.*s ", (int)(r.ptr - b), b);
}
template <class T> static void get(const char *s)
{
    T x = 77;
    const auto r = std::from_chars(s, s + strlen(s), x);
    std::cout << x << ' ' << (r.ptr - s) << ' ' << (int)r.ec << '\n';
}

int main()
{
    put(0), put(-5), put(1u << 31), put((long long)-1 << 63), put((unsigned char)200), put((short)-3);
    put(0.1), put(1.0 / 3), put(1e21), put(1e22), put(123456789.0), put(1e-5), put(0.1f), put(3.4e38f), put(-0.0), put(5e-324);
    puts("");
    get<int>("123x"), get<int>("-99999999999"), get<unsigned>("-1"), get<unsigned char>("300"), get<signed char>("-128"), get<int>("none");
    get<double>("1.5e3z"), get<double>("+1"), get<double>(" 1"), get<float>("0.1"), get<double>("0x10");
    char b[40];
    printf("%d ", std::to_chars(b, b + 2, 1234).ec == std::errc::value_too_large);
    *std::to_chars(b, b + 40, 255, 16).ptr = 0;
    printf("%s ", b);
    *std::to_chars(b, b + 40, 3.14159, std::chars_format::fixed, 2).ptr = 0;
    puts(b);
    std::error_code e;
    std::cout << e.value() << e.message() << e.category().name() << (bool)e << '\n';
    e = std::make_error_code(std::errc::no_such_file_or_directory);
    std::cout << e.message() << (e == std::errc::no_such_file_or_directory) << (e == std::errc::file_exists) << '\n';
    try {
        throw std::system_error(13, std::system_category(), "opening");
    } catch (const std::system_error &x) {
        std::cout << x.what() << x.code().value() << '\n';
    }
}
