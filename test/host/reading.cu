// Numbers are read as far as they go, a stream that has failed gives nothing more, and files tell their size.
#include <array>
#include <cfloat>
#include <cstdio>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <unistd.h>

template <class T> static void show(const char *text)
{
    std::istringstream in(text);
    T a = 77, b = 78;
    std::string rest;
    in >> a;
    const bool first = !in.fail();
    in >> b;
    const bool second = !in.fail(), end = in.eof();
    in.clear();
    in >> rest;
    std::cout << text << ": " << +a << ' ' << first << ' ' << +b << ' ' << second << ' ' << end << " [" << rest << "]\n";
}

// Bases, words, widths, spaces: by manipulators and by flags, of both kinds of streams.
static void formats()
{
    std::istringstream in("ff 0x1F 17 0x 777 0x20 010 12 true false maybe 2 1 abcdef 1e40 -1e400 1.25");
    int a = -1, b = -1, c = -1, d = -1;
    in >> std::hex >> a >> b >> std::oct >> c;
    std::cout << a << ' ' << b << ' ' << c << ' ';
    in >> std::hex >> d;
    std::cout << d << ' ' << in.fail() << '\n';
    in.clear();
    in >> std::dec >> a;
    in.setf(std::ios_base::fmtflags(), std::ios::basefield);
    in >> b >> c >> d;
    std::cout << a << ' ' << b << ' ' << c << ' ' << d << '\n';
    bool t = false, f = true, m = true, two = false, one = false;
    in >> std::boolalpha >> t >> f >> m;
    std::cout << t << f << m << in.fail();
    in.clear();
    std::string rest, part;
    in >> rest >> std::noboolalpha >> two;
    std::cout << rest << two << in.fail();
    in.clear();
    in >> one >> std::setw(4) >> part >> rest;
    std::cout << one << part << '|' << rest << '\n';
    float big = 0;
    double bigger = 0;
    in >> big;
    std::cout << (big == FLT_MAX) << in.fail();
    in.clear();
    in >> bigger;
    std::cout << (bigger == -DBL_MAX) << in.fail();
    in.clear();
    long double fraction = 0;
    in >> fraction;
    std::cout << (double)fraction << '\n';
    std::istringstream spaces(" a b");
    char x = 0, y = 0;
    unsigned char z = 0;
    spaces >> std::noskipws >> x >> y >> std::skipws >> z;
    std::cout << '[' << x << y << z << "]\n";
    std::stringstream both;
    int number = 0;
    both << std::hex << 255 << ' ' << std::showbase << 16;
    both >> number;
    std::cout << both.str() << ' ' << number;
    both >> std::setbase(16) >> number;
    std::cout << ' ' << number << ' ' << both.eof() << '\n';
}

int main()
{
    formats();
    for (const char *t : {"3x4", "1.5abc 2", "10-20", "7", "", "x", "+5 -6", "1e3 1e", "2.5.5", "99999999999999999999 1", "-1 -2", ".5 5.", "40000 -40000", "- 4", "0x10"}) {
        show<int>(t);
        show<short>(t);
        show<unsigned>(t);
        show<unsigned long long>(t);
        show<double>(t);
        show<float>(t);
    }
    char path[64];
    sprintf(path, "/tmp/reading-%d", (int)getpid());
    {
        std::ofstream out(path, std::ios::binary);
        out << "hello world";
    }
    std::ifstream in(path, std::ios::binary | std::ios::ate);
    std::cout << "size " << in.tellg() << '\n';
    in.seekg(0, std::ios::beg);
    char buffer[32] = {};
    in.read(buffer, 5);
    std::cout << buffer << ' ' << in.gcount() << ' ' << in.good() << '\n';
    in.read(buffer, 20);
    std::cout << in.gcount() << ' ' << in.fail() << ' ' << in.eof() << ' ' << in.tellg() << '\n';
    in.close();
    remove(path);

    std::stringstream ss("1,2;x");
    int n = 0;
    char c = 0;
    ss >> n >> c;
    std::cout << n << c << (char)ss.peek() << '\n';
    ss.ignore(10, ';');
    ss >> n;
    std::cout << n << ss.fail() << '\n';
    ss.clear();
    std::string w;
    std::getline(ss, w);
    std::cout << w << ss.eof() << !ss << '\n';
    ss.clear();
    ss.str("42");
    ss >> n;
    std::cout << n << '\n';

    std::map<std::array<int, 3>, int> at;
    at[{1, 2, 3}] = 1;
    at[{1, 2, 2}] = 2;
    for (auto &p : at)
        std::cout << p.first[2] << p.second << ' ';
    std::cout << (std::array<int, 2>{1, 2} >= std::array<int, 2>{1, 3}) << '\n';
}
