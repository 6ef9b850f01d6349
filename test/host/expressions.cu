// std::regex: what it finds, takes apart and puts in its place.
#include <iostream>
#include <regex>
#include <string>

static void search(const std::string &pattern, const std::string &text, std::regex::flag_type how = std::regex::ECMAScript)
{
    std::smatch m;
    const std::regex r(pattern, how);
    std::cout << pattern << " in '" << text << "': " << std::regex_match(text, r);
    if (std::regex_search(text, m, r)) {
        std::cout << " at " << m.position() << ", before '" << m.prefix() << "' after '" << m.suffix() << "'";
        for (size_t i = 0; i < m.size(); i++)
            std::cout << ' ' << i << (m[i].matched ? ":'" : ":-'") << m[i].str() << "'";
    }
    std::cout << '\n';
}

int main()
{
    search("a+b", "xaab");
    search("(\\w+)@(\\w+)\\.com", "mail ann@site.com now");
    search("^(\\d{4})-(\\d{2})-(\\d{2})$", "2026-11-18");
    search("(a|ab)(c|bcd)(d*)", "abcd");
    search("(a*)+?b", "aaab");
    search("x{2,3}?y", "xxxxy");
    search("[^a-c\\s]+", "abc def");
    search("[[:upper:]][[:digit:]]*", "see B52");
    search("(.)(.)\\2\\1", "an abba song");
    search("foo(?=bar)", "foobaz foobar");
    search("foo(?!bar)", "foobar foobaz");
    search("\\bcat\\b", "concat the cat sat");
    search("HeLLo", "say hello", std::regex::icase);
    search("(?:ab)+(c)?", "xababx");
    search("a.c|d$", "a\nc d");
    search("\\x41\\t", "A\t");
    search("", "empty");
    search("(z)|(y)", "xy");
    search("((a)|b)*", "ab");

    const std::string text = "one two  three, four";
    const std::regex word("(\\w)(\\w*)"), gap("[\\s,]+");
    for (std::sregex_iterator i(text.begin(), text.end(), word), end; i != end; ++i)
        std::cout << i->position() << i->str() << '/' << (*i)[2] << ' ';
    for (std::sregex_token_iterator i(text.begin(), text.end(), gap, -1), end; i != end; ++i)
        std::cout << '<' << *i << '>';
    for (std::sregex_token_iterator i(text.begin(), text.end(), word, {2, 1}), end; i != end; ++i)
        std::cout << '[' << i->str() << ']';
    std::cout << '\n' << std::regex_replace(text, word, "$2$1ay") << '|' << std::regex_replace(text, gap, " $$ ($&) ") << '|' << std::regex_replace(text, std::regex("x*"), "-") << '|' << std::regex_replace(text, word, "W", std::regex_constants::format_first_only) << '\n';
    std::cmatch c;
    std::cout << std::regex_match("key=value", c, std::regex("(.*)=(.*)")) << c[1] << c.length(2) << (c[2] == "value") << '\n';
    for (const char *bad : {"(a", "a)", "[a", "*a", "a{2,1}", "\\9", "[b-a]"})
        try {
            std::regex r(bad);
            std::cout << bad << " is taken\n";
        } catch (const std::regex_error &e) {
            std::cout << bad << " is not\n";
        }
}
