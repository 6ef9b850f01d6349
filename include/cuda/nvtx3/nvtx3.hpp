/* NVTX for C++: ranges and marks that nobody watches. */
#pragma once
#include "nvToolsExt.h"

#define NVTX3_CPP_DEFINITIONS_V1_0
namespace nvtx3 {
inline namespace v1 {
struct domain {
    struct global {};
};
struct rgb {
    template <class... A> constexpr rgb(A...) {}
};
struct argb {
    template <class... A> constexpr argb(A...) {}
};
struct color {
    template <class... A> constexpr color(A...) {}
};
struct category {
    template <class... A> constexpr category(A...) {}
};
struct payload {
    template <class... A> constexpr payload(A...) {}
};
struct message {
    template <class... A> constexpr message(A...) {}
};
struct event_attributes {
    template <class... A> constexpr event_attributes(const A &...) {}
};
template <class D = domain::global> struct scoped_range_in {
    template <class... A> explicit scoped_range_in(const A &...) {}
    scoped_range_in(const scoped_range_in &) = delete;
    scoped_range_in &operator=(const scoped_range_in &) = delete;
    ~scoped_range_in() {}
};
using scoped_range = scoped_range_in<>;
template <class D = domain::global> using unique_range_in = scoped_range_in<D>;
using unique_range = scoped_range;
template <class D = domain::global> using scoped_thread_range_in = scoped_range_in<D>;
using thread_range = scoped_range;
struct range_handle {};
template <class... A> range_handle start_range(const A &...)
{
    return {};
}
inline void end_range(range_handle) {}
template <class... A> void mark(const A &...) {}
template <class D, class... A> void mark_in(const A &...) {}
template <class D = domain::global> struct registered_string_in {
    template <class... A> explicit registered_string_in(const A &...) {}
};
using registered_string = registered_string_in<>;
template <class D = domain::global> struct named_category_in : category {
    template <class... A> explicit named_category_in(const A &...) {}
};
using named_category = named_category_in<>;
} // namespace v1
} // namespace nvtx3

#define NVTX3_FUNC_RANGE()          ((void)0)
#define NVTX3_FUNC_RANGE_IN(domain) ((void)0)
