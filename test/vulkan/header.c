/* Prints sizes, numbers and places of header.def, ours or (with -DTHEIRS) Khronos'. The two headers
 * share names, so that each gets a program of its own. */
#include <stddef.h>
#include <stdio.h>
#ifdef THEIRS
#include <vulkan/vulkan_core.h>
#define SIZE(ours, theirs)          printf("%s %zu\n", #ours, sizeof(theirs));
#define NUMBER(ours, theirs)        printf("%s %ld\n", #ours, (long)(theirs));
#define PLACE(index, where, member) printf("%s %zu\n", #index, offsetof(where, member));
#else
#include "rt/dev/vulkan/vk.h"
#define SIZE(ours, theirs)          printf("%s %zu\n", #ours, sizeof(struct ours));
#define NUMBER(ours, theirs)        printf("%s %ld\n", #ours, (long)(ours));
#define PLACE(index, where, member) printf("%s %zu\n", #index, 16 + 4 * (size_t)(index));
#endif

int main(void)
{
#include "header.def"
    return 0;
}
