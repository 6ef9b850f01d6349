# PyCUDA's driver layer on Tern: a context, memory, streams, events, a kernel from PTX by its own call and by a prepared one.
import sys

import numpy as np
import pycuda.driver as cuda

cuda.init()
context = cuda.Device(0).make_context()
assert cuda.Device(0).compute_capability() >= (5, 0) and cuda.mem_get_info()[0] > 0
x = np.arange(1000, dtype=np.float32)
gpu = cuda.mem_alloc(x.nbytes)
cuda.memcpy_htod(gpu, x)
twice = cuda.module_from_buffer(open(sys.argv[1], "rb").read()).get_function("twice")
twice(gpu, np.int32(1000), block=(128, 1, 1), grid=(8, 1))
stream, before, after = cuda.Stream(), cuda.Event(), cuda.Event()
before.record(stream)
twice.prepare("Pi").prepared_async_call((8, 1), (128, 1, 1), stream, gpu, 1000)
after.record(stream)
stream.synchronize()
assert after.time_since(before) >= 0
y = np.empty_like(x)
cuda.memcpy_dtoh(y, gpu)
assert (y == 4 * x).all()
context.pop()
context.detach()
print("ok")
