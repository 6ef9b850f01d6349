/* cuSPARSE by the name of its second interface, which is the one there is. */
#pragma once
#include "cusparse.h"
