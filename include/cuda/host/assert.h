extern "C" void __assert_fail(const char *, const char *, unsigned, const char *) __attribute__((noreturn));
#undef assert
#ifdef NDEBUG
#define assert(x) ((void)0)
#else
#define assert(x) ((x) ? (void)0 : __assert_fail(#x, __FILE__, __LINE__, __PRETTY_FUNCTION__))
#endif
