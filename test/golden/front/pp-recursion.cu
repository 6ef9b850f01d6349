// RUN: tern compile %s --to ir
#include "pp-recursion.cu"
