// <filesystem>: paths, and files and folders in one of its own.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <unistd.h>
#include <vector>
namespace fs = std::filesystem;
static void show(const fs::path &p)
{
    std::cout << p << ": " << p.parent_path() << ' ' << p.filename() << ' ' << p.stem() << ' ' << p.extension() << ' ' << p.is_absolute() << ' ' << p.lexically_normal() << " |";
    for (const auto &part : p)
        std::cout << ' ' << part.string();
    std::cout << '\n';
}
int main()
{
    for (const char *p : {"/usr/lib/a.tar.gz", "a/b/../c/./d", "", "/", "file", ".hidden", "dir/", "//x//y//", "..", "a/..", "/../a", "a/b/.", ".a.b", "x."})
        show(p);
    fs::path p = "data";
    p /= "set";
    p += ".txt";
    p.replace_extension("csv");
    std::cout << p << ' ' << (p / "/abs") << ' ' << fs::path("/a/b/c").lexically_relative("/a/d") << ' ' << fs::path("a").lexically_relative("a") << ' ' << (fs::path("a/b") < fs::path("a/c")) << (fs::path("a//b") == fs::path("a/b")) << '\n';
    p.replace_filename("other.bin");
    std::cout << p.generic_string() << ' ' << p.has_extension() << p.has_parent_path() << fs::path("/x").has_root_path() << '\n';

    const fs::path root = fs::temp_directory_path() / ("tern_fs_" + std::to_string(getpid()));
    std::cout << fs::create_directories(root / "one" / "two") << fs::create_directories(root / "one") << fs::exists(root / "none") << '\n';
    std::ofstream(root / "one" / "a.txt") << "hello\n";
    std::ofstream((root / "b.txt").string()) << "0123456789";
    std::cout << fs::file_size(root / "b.txt") << ' ' << fs::is_regular_file(root / "b.txt") << fs::is_directory(root / "one") << fs::is_empty(root / "one" / "two") << '\n';
    std::cout << fs::copy_file(root / "b.txt", root / "one" / "c.txt") << fs::copy_file(root / "b.txt", root / "one" / "c.txt", fs::copy_options::skip_existing) << '\n';
    fs::rename(root / "one" / "c.txt", root / "d.txt");
    std::vector<std::string> names;
    for (const auto &e : fs::recursive_directory_iterator(root))
        names.push_back(fs::relative(e.path(), root).string() + (e.is_directory() ? "/" : " " + std::to_string(e.file_size())));
    std::sort(names.begin(), names.end());
    for (const auto &n : names)
        std::cout << n << '\n';
    size_t entries = 0;
    for (const fs::directory_entry &e : fs::directory_iterator(root))
        entries += !e.path().empty();
    std::error_code error;
    std::cout << entries << ' ' << fs::file_size(root / "none", error) + 1 << ' ' << error.message() << '\n';
    try {
        fs::file_size(root / "none");
    } catch (const fs::filesystem_error &e) {
        std::cout << e.code().value() << ' ' << e.path1().filename() << '\n';
    }
    fs::current_path(root);
    std::cout << (fs::absolute("b.txt") == fs::canonical(".") / "b.txt") << ' ' << ((fs::status("b.txt").permissions() & fs::perms::owner_read) != fs::perms::none) << '\n';
    fs::current_path("/");
    std::cout << fs::remove(root / "b.txt") << fs::remove(root / "b.txt") << ' ' << fs::remove_all(root) << ' ' << fs::exists(root) << '\n';
}
