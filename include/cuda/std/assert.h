/* assert: re-read at each inclusion, as NDEBUG may have changed. */
#undef assert
#ifdef NDEBUG
#define assert(x) ((void)0)
#else
#define assert(x) ((x) ? (void)0 : __tern_assertfail(#x, __FILE__, __LINE__, __func__))
#endif
