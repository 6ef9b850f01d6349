/* What is told to the target of x86-64 machine code, and what it gives: an image (cpu_image.h). */
#ifndef BACK_X64_X64_H
#define BACK_X64_X64_H

#include "back/cpu_image.h"

#endif
