/* The host's memory, by new and delete. */
#pragma once
#include "thrust/mr/memory_resource.h"
#include <new>

namespace thrust
{
namespace mr
{
class new_delete_resource final : public memory_resource<>
{
  public:
    void *do_allocate(size_t bytes, size_t alignment) override
    {
        return ::operator new(bytes, std::align_val_t(alignment));
    }
    void do_deallocate(void *p, size_t bytes, size_t alignment) override
    {
        ::operator delete(p, bytes, std::align_val_t(alignment));
    }
};
typedef new_delete_resource new_delete_resource_base;
} // namespace mr
} // namespace thrust
