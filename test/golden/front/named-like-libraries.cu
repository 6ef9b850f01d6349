// RUN: tern compile %s -I front/named --to ir 2>&1 | grep -E "error|kernel|store"
// Headers of the program's own in a folder of -I, whose names begin as those of libraries do.
#include "cufft_helpers.h"
#include <net/packet.h>
__global__ void k(packet *p) { p->size = 2; }
