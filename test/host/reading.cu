// Numbers are read as far as they go, a stream that has failed gives nothing more, and files tell their size.
#include <array>
#include <cstdio>
#include <fstream>
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

int main()
{
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
