"""The Python package: kernels on each device, buffers, structs, errors. NumPy where it is there."""
import array
import ctypes
import sys

import tern

SOURCE = """
struct pair { int a; float b; };
template <class T> __global__ void scale(T *x, T by) { x[threadIdx.x] *= by; }
__global__ void add(const float *x, const float *y, float *sum, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        sum[i] = x[i] + y[i];
}
__global__ void fields(pair p, float *out) { out[0] = p.a + p.b; }
__global__ void bad(int *x) { x[1 << 28] = 1; }
"""


class Pair(ctypes.Structure):
    _fields_ = [("a", ctypes.c_int), ("b", ctypes.c_float)]


def check(device):
    module = device.module(SOURCE, names=["scale<double>"])
    x, y, total = array.array("f", range(100)), bytes(array.array("f", [2] * 100)), array.array("f", [0] * 100)
    module.kernel("add")(2, 64, x, y, total, ctypes.c_int(100))
    assert list(total) == [k + 2 for k in range(100)], total
    doubles = device.buffer(array.array("d", [1, 2, 3, 4]))
    module.kernel("scale<double>")(1, 4, doubles, ctypes.c_double(2.5))
    assert list(doubles.read(array.array("d", [0] * 4))) == [2.5, 5, 7.5, 10]
    out = array.array("f", [0])
    module.kernel("fields")(1, 1, Pair(3, 0.25), out)
    assert out[0] == 3.25
    try:
        module.kernel("add")(1, 1, x, y, total, 100)
        assert False
    except TypeError as e:
        assert "argument 3" in str(e)
    try:
        import numpy
    except ImportError:
        return
    v = numpy.arange(8, dtype=numpy.float64)
    module.kernel("scale<double>")(1, 8, v, numpy.float64(3))
    assert (v == 3 * numpy.arange(8)).all()


for name in sys.argv[1:]:
    with tern.Device(name) as device:
        assert device.info["warp_size"] == 32
        check(device)
with tern.Device("interp") as device:
    try:
        device.module(SOURCE).kernel("bad")(1, 1, array.array("i", [0]))
        assert False
    except tern.Error as e:
        assert "write" in str(e) or "access" in str(e) or "memory" in str(e), e
try:
    tern.Device("abacus")
    assert False
except tern.Error as e:
    assert e.number
assert b".visible .entry" in tern.compile(SOURCE, "ptx")
assert tern.compile(SOURCE, "wasm")[:4] == b"\0asm"
try:
    tern.compile("__global__ void f() { x = 1; }", "c", path="f.cu")
    assert False
except tern.CompileError as e:
    assert e.diagnostics[0]["line"] == 1, e.diagnostics
kernels = tern.analyze("__global__ void f(int *x) { x[threadIdx.x] = 1; }", block=64)["kernels"]
assert kernels[0]["name"] == "f", kernels
print("ok")
