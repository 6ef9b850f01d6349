/* What is told to the target of AArch64 machine code, and what it gives: an image (cpu_image.h). */
#ifndef BACK_A64_A64_H
#define BACK_A64_A64_H

#include "back/cpu_image.h"

#endif
