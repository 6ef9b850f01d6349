// Strings and views of them: what goes in and out, how they grow, and what positions behind their end throw.
// OPTIONS: -std=c++20
#include <algorithm>
#include <iostream>
#include <stdexcept>
#include <string>
#include <string_view>
using namespace std::literals;

constexpr std::string_view known = "compile time";
static_assert(known.size() == 12 && known.find("time") == 8 && known.substr(0, 3) == "com" && known.rfind('e') == 11);

template <class F> static void told(F f)
{
    try {
        f();
        std::cout << "nothing thrown\n";
    } catch (const std::exception &e) {
        std::cout << e.what() << '\n';
    }
}

int main()
{
    std::string s = "hello", e, l(20, 'x');
    for (int i = 0; i < 40; i++) {
        e += "ab";
        std::cout << e.capacity() << ' ';
    }
    std::cout << l.capacity();
    l.push_back('y');
    std::string c = l;
    std::cout << ' ' << l.capacity() << ' ' << c.capacity();
    c.append(60, 'q');
    std::cout << ' ' << c.capacity();
    c.shrink_to_fit();
    std::cout << ' ' << c.capacity() << '\n';

    told([&] { s.substr(9); });
    told([&] { s.at(7); });
    told([&] { s.erase(8); });
    told([&] { s.replace(9, 1, "x"); });
    told([&] { s.compare(9, 1, "x"); });
    told([&] { std::string from(s, 9); });
    told([&] { "abc"sv.substr(5); });
    told([&] { "abc"sv.at(5); });
    told([&] { std::stoi("99999999999"); });

    s.replace(1, 2, "XYZ").replace(s.begin(), s.begin() + 1, "12").replace(0, 2, 3, '-');
    s.insert(s.begin() + 1, 2, '+');
    s.insert(s.end(), '!');
    s.insert(2, s);
    std::cout << s << '\n';
    std::string v{"vv"};
    s.insert(s.begin(), {'a', 'b'});
    s.insert(s.begin() + 1, v.begin(), v.end());
    s.append(v.begin(), v.end()).append("xyz"sv) += "sv"sv;
    std::cout << s << s.rfind("vv") << s.find("vv", 3) << s.find_first_not_of("ab") << s.find_last_of("z", 5) << ' ' << s.starts_with("av") << s.ends_with('v') << s.compare(1, 2, "vv") << (s.compare("z") < 0) << '\n';
    char some[5] = {};
    s.copy(some, 4, 1);
    std::cout << some << std::string(s.crbegin(), s.crend()) << '\n';
    s = {'q', 'r'};
    s = std::string_view("view");
    std::cout << s << ("a" + s + 'c' + std::string("d") + "e") << ('z' + std::string("y")) << (std::string("m") + std::string("n")) << '\n';
    std::string_view w = "  trim me  ";
    w.remove_prefix(w.find_first_not_of(' '));
    w.remove_suffix(w.size() - w.find_last_not_of(' ') - 1);
    std::cout << '[' << w << ']' << (w == "trim me") << ("x" < w) << (w != s) << (s == w) << (w >= std::string("a")) << '\n';
    s.swap(e);
    std::string m = std::move(s);
    std::cout << s.empty() << m.size() << e << '\n';
    s.assign(m, 2, 3);
    s = s.c_str() + 1;
    s.append(s).insert(1, s.c_str());
    m.erase(std::find(m.begin(), m.end(), 'b'));
    m.erase(m.begin(), m.begin() + 70);
    std::cout << s << m << "a\0b"s.size() << '\n';
}
