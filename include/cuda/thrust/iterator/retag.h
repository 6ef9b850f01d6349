/* An iterator that counts as one of another system. */
#pragma once
#include "thrust/detail/iterators.h"
#include "thrust/detail/policy.h"

namespace thrust
{
namespace detail
{
template <class I, class Tag>
class tagged_iterator
    : public iterator<tagged_iterator<I, Tag>, value_of<I>, reference_of<I>, Tag>
{
    I at;

  public:
    tagged_iterator() = default;
    THRUST_HD explicit tagged_iterator(I at) : at(at)
    {
    }
    THRUST_HD const I &base() const
    {
        return at;
    }
    THRUST_HD reference_of<I> get(ptrdiff_t n) const
    {
        return at[n];
    }
    THRUST_HD void move(ptrdiff_t n)
    {
        at += n;
    }
    THRUST_HD ptrdiff_t minus(const tagged_iterator &o) const
    {
        return at - o.at;
    }
};
template <class I, class Tag> struct raw_iterator<tagged_iterator<I, Tag>> {
    typedef raw_t<I> type;
    THRUST_HD static type get(const tagged_iterator<I, Tag> &i)
    {
        return raw(i.base());
    }
};
} // namespace detail

template <class Tag, class I> THRUST_HD detail::tagged_iterator<I, Tag> reinterpret_tag(I i)
{
    return detail::tagged_iterator<I, Tag>(i);
}
template <class Tag, class I> THRUST_HD detail::tagged_iterator<I, Tag> retag(I i)
{
    return reinterpret_tag<Tag>(i);
}
} // namespace thrust
