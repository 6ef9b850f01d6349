/* What a caller asks of an algorithm. Ours give the same result at each run in the order that they have; less may be asked. */
#pragma once
#include <cuda/std/execution>
namespace cuda {
namespace execution {
struct __tern_requirement {};
struct __get_requirements_t {};
namespace determinism {
enum class __determinism_t { __not_guaranteed, __run_to_run, __gpu_to_gpu };
template <__determinism_t level> struct __tern_level : __tern_requirement {
    static constexpr __determinism_t value = level;
};
typedef __tern_level<__determinism_t::__not_guaranteed> not_guaranteed_t;
typedef __tern_level<__determinism_t::__run_to_run> run_to_run_t;
typedef __tern_level<__determinism_t::__gpu_to_gpu> gpu_to_gpu_t;
static constexpr not_guaranteed_t not_guaranteed{};
static constexpr run_to_run_t run_to_run{};
static constexpr gpu_to_gpu_t gpu_to_gpu{};
}
namespace output_ordering {
struct sorted_t : __tern_requirement {};
struct unsorted_t : __tern_requirement {};
static constexpr sorted_t sorted{};
static constexpr unsorted_t unsorted{};
}
template <class... R> auto require(R... r)
{
    static_assert((::std::is_base_of<__tern_requirement, R>::value && ...), "only requirements can be passed to require");
    typedef ::cuda::std::execution::env<R...> all;
    return ::cuda::std::execution::prop<__get_requirements_t, all>{__get_requirements_t{}, all(r...)};
}
/* How an algorithm is to be tuned: heard, and not needed. */
struct __get_tuning_t {};
template <class... T> auto __tune(T... t)
{
    typedef ::cuda::std::execution::env<T...> all;
    return ::cuda::std::execution::prop<__get_tuning_t, all>{__get_tuning_t{}, all(t...)};
}
}
}
