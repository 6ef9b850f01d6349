// Streams over buffers of one's own, and streams whose buffers are exchanged.
#include <cctype>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <istream>
#include <iterator>
#include <ostream>
#include <sstream>
#include <streambuf>
#include <string>
class upper : public std::streambuf {
    std::streambuf *to;
    int count = 0;

protected:
    int_type overflow(int_type c) override
    {
        if (traits_type::eq_int_type(c, traits_type::eof()))
            return traits_type::not_eof(c);
        count++;
        return to->sputc((char)toupper(c));
    }
    int sync() override { return to->pubsync(); }

public:
    explicit upper(std::streambuf *b) : to(b) {}
    int seen() const { return count; }
};
class fixed : public std::streambuf { // writes to an array
    char room[16];

public:
    fixed() { setp(room, room + sizeof room); }
    std::string text() const { return std::string(pbase(), pptr()); }
};
class memory : public std::streambuf { // reads from one
public:
    memory(char *p, size_t n) { setg(p, p, p + n); }
};
struct discard : public std::ostream {
    struct : public std::streambuf {
        std::streamsize xsputn(const char_type *, std::streamsize n) override { return n; }
        int_type overflow(int_type c) override { return traits_type::not_eof(c); }
    } buffer;
    discard() : std::ostream(&buffer) {}
};
int main()
{
    upper loud(std::cout.rdbuf());
    std::ostream out(&loud);
    out << "hello " << 42 << ' ' << 1.5 << std::endl;
    std::cout << loud.seen() << '\n';

    std::ostringstream kept;
    std::streambuf *old = std::cout.rdbuf(kept.rdbuf());
    std::cout << "not shown " << 7;
    std::cout.rdbuf(old);
    std::cout << "shown: " << kept.str() << '\n';

    fixed f;
    std::ostream few(&f);
    few << "0123456789" << "abcdef";
    std::cout << f.text() << ' ' << few.good();
    few << 'x';
    std::cout << ' ' << few.good() << few.fail() << '\n';

    char text[] = "12 words 3.5\nnext line";
    memory m(text, sizeof text - 1);
    std::istream in(&m);
    int n = 0;
    std::string word, line;
    double d = 0;
    in >> n >> word >> d;
    in.ignore();
    std::getline(in, line);
    std::cout << n << ' ' << word << ' ' << d << ' ' << line << ' ' << in.eof() << '\n';

    std::stringstream both("one two");
    std::cout << both.rdbuf() << '|' << both.str() << '\n';
    std::istringstream letters("a b c");
    std::cout << std::string(std::istreambuf_iterator<char>(letters), std::istreambuf_iterator<char>()) << '\n';
    std::istringstream more("xyz");
    std::streambuf *b = more.rdbuf();
    const char first = (char)b->sgetc(), same = (char)b->sbumpc(), second = (char)b->snextc();
    std::cout << first << same << second << ' ' << (b->sbumpc() == 'z') << (b->sgetc() == EOF) << '\n';
    discard none;
    none << "nothing" << 5;
    std::cout << none.good() << '\n';
    std::ostream nowhere(nullptr);
    nowhere << 1;
    std::cout << nowhere.bad() << '\n';
}
