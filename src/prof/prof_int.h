/* What writer and reader of recordings share. */
#ifndef PROF_PROF_INT_H
#define PROF_PROF_INT_H

#include "prof/prof.h"

enum { PROF_LONGEST_TEXT = 4096 };
static const char prof_magic[16] = "tern recording1";

/* ---- hardware.c ---- */
enum { PROF_NHARDWARE = 4 };
struct hardware {
    int fd[PROF_NHARDWARE], why[PROF_NHARDWARE]; /* why: errno, where there is none */
};
void hardware_start(struct hardware *h);
bool hardware_read(struct hardware *h, unsigned k, const char **name, uint64_t *value);

#endif
