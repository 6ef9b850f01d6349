#pragma once
#define ONE 1
#ifdef SEEN
#error "read twice"
#endif
#define SEEN
