// Strings of wide characters, and streams of them.
#include <iomanip>
#include <iostream>
#include <map>
#include <sstream>
#include <string>

int main()
{
    std::wstring a = L"wide", b(3, L'x');
    a += L' ';
    a += b + L"!";
    std::wcout << a << L" has " << a.size() << " characters" << std::endl;
    std::wcout << std::setw(8) << a.substr(5, 3) << L'|' << std::setw(6) << 42 << L'|' << std::fixed << std::setprecision(2) << 2.5 << L'\n';
    std::wcout << std::boolalpha << (a < b) << L' ' << (a == L"wide xxx!") << L' ' << a.find(L"xx") << L' ' << a.rfind(L'x') << std::endl;
    std::wostringstream s;
    s << L"sum " << 1 + 2 << L'/' << 7u;
    std::wstring made = s.str();
    made.replace(0, 3, L"total").insert(0, L"<");
    made.erase(made.size() - 2);
    std::wcout << made << L'>' << std::stoi(std::wstring(L"12")) + 1 << std::to_wstring(5) << std::endl;
    std::u16string u = u"sixteen";
    std::u32string v(u.begin(), u.end());
    std::map<std::wstring, int> count;
    for (const wchar_t *w : {L"b", L"a", L"b"})
        count[w]++;
    std::wcout << v.size() << sizeof u[0] << sizeof v[0] << L' ' << count.begin()->first << count[L"b"] << std::endl;
    std::wstring copy = std::move(made);
    copy.resize(3);
    copy.push_back(L'.');
    std::wcout << copy << made.size() << copy.back() << std::endl;
}
