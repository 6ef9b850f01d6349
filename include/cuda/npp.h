/* NPP: images and signals. The part that programs call; doc/libraries.md has the list. Only for host code. */
#pragma once
#include "nppdefs.h"

#ifdef __cplusplus
extern "C" {
#endif
#include "tern_npp.h"
#ifdef __cplusplus
}
#endif
