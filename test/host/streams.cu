// Numbers on streams: every base, sign, case, adjustment and width, every form and precision of floats.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <iomanip>
#include <iostream>
#include <sstream>
#include <string>

static void show(const char *what, const std::string &text)
{
    uint32_t sum = 2166136261u;
    for (unsigned char c : text)
        sum = (sum ^ c) * 16777619u;
    printf("%s: %zu %08x %s\n", what, text.size(), sum, text.substr(0, 70).c_str());
}

static void adjust(std::ostream &o, int how, int width)
{
    o.unsetf(std::ios_base::adjustfield);
    if (how == 1)
        o << std::left;
    else if (how == 2)
        o << std::right;
    else if (how == 3)
        o << std::internal;
    o << std::setw(width);
}

static void integers()
{
    for (int base = 0; base < 3; base++)
        for (int flags = 0; flags < 8; flags++) {
            std::ostringstream o;
            o << std::setfill('*') << (base == 0 ? std::dec : base == 1 ? std::hex : std::oct);
            if (flags & 1)
                o << std::showbase;
            if (flags & 2)
                o << std::showpos;
            if (flags & 4)
                o << std::uppercase;
            for (int how = 0; how < 4; how++)
                for (int width = 0; width < 16; width += 5) {
                    adjust(o, how, width), o << 0 << ' ';
                    adjust(o, how, width), o << -1234 << ' ';
                    adjust(o, how, width), o << 77u << ' ';
                    adjust(o, how, width), o << (short)-7 << ' ';
                    adjust(o, how, width), o << (unsigned short)65535 << ' ';
                    adjust(o, how, width), o << INT64_MIN << ' ';
                    adjust(o, how, width), o << UINT64_MAX << ' ';
                    adjust(o, how, width), o << true << ' ';
                    adjust(o, how, width), o << 'c' << ' ';
                    adjust(o, how, width), o << "text" << ' ';
                    adjust(o, how, width), o << (const void *)0x1234 << ' ';
                    adjust(o, how, width), o << (void *)nullptr << ' ';
                }
            const std::string name = std::to_string(base) + "/" + std::to_string(flags);
            show(name.c_str(), o.str());
        }
}

static void floats()
{
    const double all[] = {0.0, -0.0, 1.5, -3.25e-5, 1e100, 123456789.125, 0.1, 1e15, -1e-300, INFINITY, -INFINITY};
    for (int form = 0; form < 4; form++)
        for (int flags = 0; flags < 8; flags++) {
            std::ostringstream o;
            o.fill(o.widen('_'));
            if (form == 1)
                o << std::fixed;
            else if (form == 2)
                o << std::scientific;
            else if (form == 3)
                o << std::hexfloat;
            if (flags & 1)
                o << std::showpoint;
            if (flags & 2)
                o << std::showpos;
            if (flags & 4)
                o << std::uppercase;
            for (int precision : {6, 0, 1, 17, 40})
                for (int how = 0; how < 4; how++)
                    for (double x : all) {
                        o << std::setprecision(precision);
                        adjust(o, how, 24), o << x << ' ';
                        adjust(o, how, 0), o << (float)x << ' ';
                    }
            const std::string name = "float " + std::to_string(form) + "/" + std::to_string(flags);
            show(name.c_str(), o.str());
        }
    std::ostringstream o;
    o << std::fixed << std::setprecision(600) << 1e300 << ' ' << std::setw(1000) << 0.5;
    show("long", o.str());
}

int main()
{
    integers();
    floats();
}
