/* What is told to the C target, and what it tells of a kernel: struct back_cpu_kernel. */
#ifndef BACK_C_C_H
#define BACK_C_C_H

#include "back/cpu.h"

struct c_options {
    struct back_cpu_options cpu;
    bool track;      /* note the source location of each access to memory as it runs */
    bool standalone; /* with a launch function and without a need for Tern: for people */
};

#endif
