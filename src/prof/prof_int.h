/* What writer and reader of recordings share. */
#ifndef PROF_PROF_INT_H
#define PROF_PROF_INT_H

#include "prof/prof.h"

enum { PROF_LONGEST_TEXT = 4096 };
static const char prof_magic[16] = "tern recording1";

#endif
