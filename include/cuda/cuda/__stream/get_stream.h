#pragma once
#include <cuda/stream_ref>
