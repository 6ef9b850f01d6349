# Numba's own driver layer on Tern: the device, memory, streams, events, and a kernel from PTX. Its compiler needs NVIDIA's libNVVM.
import ctypes
import sys

import numpy as np
from numba import cuda
from numba.cuda.cudadrv import driver

device = cuda.get_current_device()
context = cuda.current_context()
assert device.compute_capability >= (5, 0) and context.get_memory_info().free > 0
x = np.arange(1000, dtype=np.float32)
gpu = cuda.to_device(x)
assert (gpu.copy_to_host() == x).all()
stream = cuda.stream()
before, after = cuda.event(), cuda.event()
before.record(stream)
module = context.create_module_ptx(open(sys.argv[1], "rb").read())
function = module.get_function("twice")
address = ctypes.c_uint64(gpu.device_ctypes_pointer.value)
count = ctypes.c_int(1000)
driver.launch_kernel(function.handle, 8, 1, 1, 128, 1, 1, 0, stream.handle, [address, count])
after.record(stream)
stream.synchronize()
assert before.elapsed_time(after) >= 0
assert (gpu.copy_to_host() == 2 * x).all()
half = cuda.device_array(500, dtype=np.float32)
half.copy_to_device(gpu[:500])
assert (half.copy_to_host() == 2 * x[:500]).all()
print("ok")
