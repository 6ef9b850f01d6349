/* cuda::atomic_ref of the host, inside namespace cuda of <cuda/atomic>. */
#pragma once
/* By the compiler's own functions: the host's library may have no atomic_ref. */
template <class T, thread_scope Scope = thread_scope_system> struct atomic_ref {
    typedef T value_type;
    static constexpr size_t required_alignment = sizeof(T) <= 16 ? sizeof(T) : alignof(T);
    static constexpr bool is_always_lock_free = sizeof(T) <= 8;
    T *__p;
    explicit atomic_ref(T &x) noexcept : __p(&x) {}
    atomic_ref(const atomic_ref &) = default;
    atomic_ref &operator=(const atomic_ref &) = delete;
    bool is_lock_free() const noexcept { return is_always_lock_free; }
    T load(memory_order o = memory_order_seq_cst) const noexcept
    {
        T r;
        __atomic_load(__p, &r, (int)o);
        return r;
    }
    void store(T v, memory_order o = memory_order_seq_cst) const noexcept { __atomic_store(__p, &v, (int)o); }
    T exchange(T v, memory_order o = memory_order_seq_cst) const noexcept
    {
        T old = load(memory_order_relaxed);
        while (!compare_exchange_strong(old, v, o, memory_order_relaxed)) {}
        return old;
    }
    bool compare_exchange_strong(T &e, T v, memory_order o, memory_order f) const noexcept { return __atomic_compare_exchange(__p, &e, &v, false, (int)o, (int)f); }
    bool compare_exchange_strong(T &e, T v, memory_order o = memory_order_seq_cst) const noexcept { return compare_exchange_strong(e, v, o, __failing(o)); }
    bool compare_exchange_weak(T &e, T v, memory_order o, memory_order f) const noexcept { return compare_exchange_strong(e, v, o, f); }
    bool compare_exchange_weak(T &e, T v, memory_order o = memory_order_seq_cst) const noexcept { return compare_exchange_strong(e, v, o); }
    static memory_order __failing(memory_order o) { return o == memory_order_acq_rel ? memory_order_acquire : o == memory_order_release ? memory_order_relaxed : o; }
#define __TERN_FETCH(name, expression)                                                             \
    T name(T v, memory_order o = memory_order_seq_cst) const noexcept                              \
    {                                                                                              \
        T old = load(memory_order_relaxed);                                                        \
        while (!compare_exchange_strong(old, (T)(expression), o, memory_order_relaxed)) {}         \
        return old;                                                                                \
    }
    __TERN_FETCH(fetch_add, old + v)
    __TERN_FETCH(fetch_sub, old - v)
    __TERN_FETCH(fetch_and, old & v)
    __TERN_FETCH(fetch_or, old | v)
    __TERN_FETCH(fetch_xor, old ^ v)
    __TERN_FETCH(fetch_min, v < old ? v : old)
    __TERN_FETCH(fetch_max, old < v ? v : old)
#undef __TERN_FETCH
    T operator=(T v) const noexcept { return store(v), v; }
    operator T() const noexcept { return load(); }
    T operator+=(T v) const noexcept { return fetch_add(v) + v; }
    T operator-=(T v) const noexcept { return fetch_sub(v) - v; }
    T operator&=(T v) const noexcept { return fetch_and(v) & v; }
    T operator|=(T v) const noexcept { return fetch_or(v) | v; }
    T operator^=(T v) const noexcept { return fetch_xor(v) ^ v; }
    T operator++() const noexcept { return fetch_add(1) + 1; }
    T operator++(int) const noexcept { return fetch_add(1); }
    T operator--() const noexcept { return fetch_sub(1) - 1; }
    T operator--(int) const noexcept { return fetch_sub(1); }
    void wait(T old, memory_order o = memory_order_seq_cst) const noexcept
    {
        while (load(o) == old) {}
    }
    void notify_one() const noexcept {}
    void notify_all() const noexcept {}
};
