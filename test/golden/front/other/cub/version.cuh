#pragma once
#define CUB_VERSION 1
