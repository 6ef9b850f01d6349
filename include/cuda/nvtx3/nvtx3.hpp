/* NVTX for C++: ranges and marks with a message, a colour, a category and a payload, in any order,
 * in the program's domain or in one of its own (a class with a static member name). */
#pragma once
#include "nvToolsExt.h"
#ifndef __CUDA_ARCH__ /* strings are for host code */
#include <string>
#endif

#define NVTX3_CPP_DEFINITIONS_V1_0
namespace nvtx3 {
inline namespace v1 {
struct rgb {
    explicit constexpr rgb(uint8_t r, uint8_t g, uint8_t b)
        : value(0xff000000u | (uint32_t)r << 16 | (uint32_t)g << 8 | b)
    {
    }
    uint32_t value;
};
struct argb {
    explicit constexpr argb(uint8_t a, uint8_t r, uint8_t g, uint8_t b)
        : value((uint32_t)a << 24 | (uint32_t)r << 16 | (uint32_t)g << 8 | b)
    {
    }
    uint32_t value;
};
struct color {
    explicit constexpr color(uint32_t hex) : value(hex) {}
    constexpr color(argb c) : value(c.value) {}
    constexpr color(rgb c) : value(c.value) {}
    uint32_t value;
};
struct category {
    explicit constexpr category(uint32_t id) : value(id) {}
    uint32_t value;
};
struct payload {
    explicit constexpr payload(int64_t v) : type(NVTX_PAYLOAD_TYPE_INT64), bits((uint64_t)v) {}
    explicit constexpr payload(uint64_t v) : type(NVTX_PAYLOAD_TYPE_UNSIGNED_INT64), bits(v) {}
    explicit constexpr payload(int32_t v) : payload((int64_t)v) {}
    explicit constexpr payload(uint32_t v) : payload((uint64_t)v) {}
    explicit payload(double v) : type(NVTX_PAYLOAD_TYPE_DOUBLE) { __builtin_memcpy(&bits, &v, 8); }
    explicit payload(float v) : payload((double)v) {}
    int32_t type;
    uint64_t bits = 0;
};

struct domain {
    struct global {};
    template <class D> static nvtxDomainHandle_t of()
    {
        static nvtxDomainHandle_t handle = create((D *)nullptr, 0);
        return handle;
    }

private:
    template <class D> static auto create(D *, int) -> decltype(D::name, nvtxDomainHandle_t())
    {
        return create_named(D::name);
    }
    template <class D> static nvtxDomainHandle_t create(D *, long) { return nullptr; }
    static nvtxDomainHandle_t create_named(const char *name) { return nvtxDomainCreateA(name); }
    static nvtxDomainHandle_t create_named(const wchar_t *name) { return nvtxDomainCreateW(name); }
};

template <class D = domain::global> struct registered_string_in {
    explicit registered_string_in(const char *text)
        : handle(nvtxDomainRegisterStringA(domain::of<D>(), text))
    {
    }
#ifndef __CUDA_ARCH__
    explicit registered_string_in(const std::string &text) : registered_string_in(text.c_str()) {}
#endif
    template <class M> static const registered_string_in &get()
    {
        static const registered_string_in s{M::message};
        return s;
    }
    nvtxStringHandle_t handle;
};
using registered_string = registered_string_in<>;

struct message {
    message(const char *text) : type(NVTX_MESSAGE_TYPE_ASCII) { value.ascii = text; }
#ifndef __CUDA_ARCH__
    message(const std::string &text) : message(text.c_str()) {}
    message(std::string &&) = delete;
#endif
    message(const wchar_t *text) : type(NVTX_MESSAGE_TYPE_UNICODE) { value.unicode = text; }
    template <class D> message(const registered_string_in<D> &s) : type(NVTX_MESSAGE_TYPE_REGISTERED)
    {
        value.registered = s.handle;
    }
    nvtxMessageType_t type;
    nvtxMessageValue_t value;
};

struct event_attributes {
    event_attributes() : value{}
    {
        value.version = NVTX_VERSION;
        value.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    }
    event_attributes(const event_attributes &) = default;
    event_attributes(event_attributes &) = default;
    template <class A, class... B> explicit event_attributes(const A &first, const B &...rest)
        : event_attributes()
    {
        set(first);
        const int all[] = {0, (set(rest), 0)...};
        (void)all;
    }
    const nvtxEventAttributes_t *get() const { return &value; }

private:
    void set(const color &c)
    {
        value.colorType = NVTX_COLOR_ARGB;
        value.color = c.value;
    }
    void set(const category &c) { value.category = c.value; }
    void set(const payload &p)
    {
        value.payloadType = p.type;
        value.payload.ullValue = p.bits;
    }
    void set(const message &m)
    {
        value.messageType = m.type;
        value.message = m.value;
    }
    nvtxEventAttributes_t value;
};

template <class D = domain::global> struct scoped_range_in {
    scoped_range_in() : scoped_range_in(event_attributes{}) {}
    explicit scoped_range_in(const event_attributes &a)
    {
        nvtxDomainRangePushEx(domain::of<D>(), a.get());
    }
    template <class A, class... B> explicit scoped_range_in(const A &first, const B &...rest)
        : scoped_range_in(event_attributes{first, rest...})
    {
    }
    scoped_range_in(const scoped_range_in &) = delete;
    scoped_range_in &operator=(const scoped_range_in &) = delete;
    ~scoped_range_in() { nvtxDomainRangePop(domain::of<D>()); }
};
using scoped_range = scoped_range_in<>;
template <class D = domain::global> using scoped_thread_range_in = scoped_range_in<D>;
using scoped_thread_range = scoped_range;
template <class D = domain::global> using domain_thread_range = scoped_range_in<D>;
using thread_range = scoped_range;

struct range_handle {
    explicit range_handle(nvtxRangeId_t v = 0) : value(v) {}
    explicit operator bool() const { return value != 0; }
    nvtxRangeId_t get_value() const { return value; }
    nvtxRangeId_t value;
};
template <class D, class... A> range_handle start_range_in(const A &...a)
{
    return range_handle(nvtxDomainRangeStartEx(domain::of<D>(), event_attributes{a...}.get()));
}
template <class... A> range_handle start_range(const A &...a)
{
    return start_range_in<domain::global>(a...);
}
template <class D> void end_range_in(range_handle h)
{
    nvtxDomainRangeEnd(domain::of<D>(), h.value);
}
inline void end_range(range_handle h)
{
    nvtxRangeEnd(h.value);
}
template <class D = domain::global> struct unique_range_in {
    template <class... A> explicit unique_range_in(const A &...a) : handle(start_range_in<D>(a...)) {}
    unique_range_in(unique_range_in &&other) : handle(other.handle) { other.handle.value = 0; }
    unique_range_in(const unique_range_in &) = delete;
    ~unique_range_in()
    {
        if (handle)
            end_range_in<D>(handle);
    }

private:
    range_handle handle;
};
using unique_range = unique_range_in<>;

template <class D, class... A> void mark_in(const A &...a)
{
    nvtxDomainMarkEx(domain::of<D>(), event_attributes{a...}.get());
}
template <class... A> void mark(const A &...a)
{
    mark_in<domain::global>(a...);
}
template <class D = domain::global> struct named_category_in : category {
    named_category_in(uint32_t id, const char *name) : category(id)
    {
        nvtxDomainNameCategoryA(domain::of<D>(), id, name);
    }
    template <class C> static const named_category_in &get()
    {
        static const named_category_in c{C::id, C::name};
        return c;
    }
};
using named_category = named_category_in<>;
} // namespace v1
} // namespace nvtx3

#define NVTX3_V1_FUNC_RANGE()          ::nvtx3::v1::scoped_range nvtx3_range_here{__func__}
#define NVTX3_V1_FUNC_RANGE_IN(domain) ::nvtx3::v1::scoped_range_in<domain> nvtx3_range_here{__func__}
#define NVTX3_FUNC_RANGE()             NVTX3_V1_FUNC_RANGE()
#define NVTX3_FUNC_RANGE_IN(domain)    NVTX3_V1_FUNC_RANGE_IN(domain)
