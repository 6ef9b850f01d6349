/* Error codes: one enum for every fallible function of the house, the public API's. */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include "tern/error.h"

#endif
