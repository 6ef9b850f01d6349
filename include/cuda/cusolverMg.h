/* cuSOLVER, dense matrices over several devices: columns in tiles, which go round the devices. Only for host code. */
#pragma once
#define CUSOLVERMG_H_
#include "cusolver_common.h"
