"""CUDA kernels from Python, on any device that Tern has: the C API (tern/tern.h) through ctypes.

    import tern
    device = tern.Device()                     # or Device("interp"), Device("vulkan")
    module = device.module("__global__ void twice(float *x) { x[threadIdx.x] *= 2; }")
    x = numpy.arange(64, dtype=numpy.float32)  # or array.array, or anything with a writable buffer
    module.kernel("twice")(1, 64, x)           # copied there and back
    ptx = tern.compile(source, "ptx")          # bytes; CompileError has the diagnostics

Arguments of a kernel: a Buffer, an object with a buffer (copied there, and back if it can be written), a ctypes scalar of
exactly the parameter's type (ctypes.c_int(3)), a NumPy scalar; int and float are not guessed at.
"""
import ctypes
import json
import os
import pathlib

__all__ = ["Device", "Module", "Kernel", "Buffer", "Error", "CompileError", "compile", "analyze"]


def _load():
    here = pathlib.Path(__file__).resolve()
    tried = [os.environ.get("TERN_LIBRARY")]
    tried += [str(up / "lib" / "libtern.so.0") for up in here.parents]  # an installation around us
    tried += ["libtern.so.0"]
    for path in filter(None, tried):
        try:
            return ctypes.CDLL(path)
        except OSError:
            continue
    raise ImportError("libtern.so.0 was not found; TERN_LIBRARY can name it")


_lib = _load()


class _Dim(ctypes.Structure):
    _fields_ = [("x", ctypes.c_uint32), ("y", ctypes.c_uint32), ("z", ctypes.c_uint32)]


class _Options(ctypes.Structure):
    _fields_ = [("devices", ctypes.c_char_p), ("user", ctypes.c_void_p), ("print", ctypes.c_void_p),
                ("say", ctypes.c_void_p), ("wait_limit_ns", ctypes.c_uint64)]


class _Source(ctypes.Structure):
    _fields_ = [("path", ctypes.c_char_p), ("text", ctypes.c_char_p), ("length", ctypes.c_size_t),
                ("names", ctypes.POINTER(ctypes.c_char_p)), ("nnames", ctypes.c_size_t), ("no_fmad", ctypes.c_bool),
                ("fast_math", ctypes.c_bool), ("fast_f64", ctypes.c_bool)]


class _Output(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("bytes", ctypes.c_size_t), ("reply", ctypes.c_void_p)]


class _Info(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char * 128), ("driver", ctypes.c_char * 64), ("memory", ctypes.c_uint64),
                ("memory_free", ctypes.c_uint64), ("units", ctypes.c_uint32), ("warp_size", ctypes.c_uint32),
                ("max_threads_per_block", ctypes.c_uint32), ("shared_per_block", ctypes.c_uint32)]
    _fields_ += [(flag, ctypes.c_bool) for flag in
                 ("host_memory", "f64", "f16", "cooperative", "software", "checked", "host_code", "matrix")]
    _fields_ += [("capability", ctypes.c_uint32), ("own_capability", ctypes.c_bool)]


_pointer, _out = ctypes.c_void_p, ctypes.POINTER(ctypes.c_void_p)
_u64, _size = ctypes.c_uint64, ctypes.c_size_t
_functions = {  # name: (what it gives, what it takes)
    "tern_context_new": (int, [ctypes.POINTER(_Options), _out]),
    "tern_context_free": (None, [_pointer]),
    "tern_context_device": (int, [_pointer, ctypes.c_uint, _out]),
    "tern_message": (_size, [_pointer, ctypes.c_char_p, _size]),
    "tern_error_text": (ctypes.c_char_p, [int]),
    "tern_device_info": (int, [_pointer, ctypes.POINTER(_Info)]),
    "tern_device_wait": (int, [_pointer]),
    "tern_device_reset": (int, [_pointer]),
    "tern_buffer_new": (int, [_pointer, _u64, _out]),
    "tern_buffer_free": (None, [_pointer]),
    "tern_buffer_address": (_u64, [_pointer]),
    "tern_buffer_write": (int, [_pointer, _u64, _pointer, _u64]),
    "tern_buffer_read": (int, [_pointer, _u64, _pointer, _u64]),
    "tern_module_new": (int, [_pointer, ctypes.POINTER(_Source), _out]),
    "tern_module_free": (None, [_pointer]),
    "tern_module_kernel": (int, [_pointer, ctypes.c_char_p, _out]),
    "tern_launch": (int, [_pointer, _pointer, _Dim, _Dim, ctypes.c_uint32, _out]),
    "tern_compile": (int, [ctypes.POINTER(_Source), ctypes.c_char_p, ctypes.POINTER(_Output)]),
    "tern_analyze": (int, [ctypes.POINTER(_Source), _Dim, ctypes.POINTER(_Output)]),
    "tern_output_free": (None, [ctypes.POINTER(_Output)]),
}
for _name, (_gives, _takes) in _functions.items():
    _function = getattr(_lib, _name)
    _function.restype = ctypes.c_int if _gives is int else _gives
    _function.argtypes = [ctypes.c_int if t is int else t for t in _takes]


class Error(Exception):
    """What a call answered, by its number in tern/error.def, and what Tern said."""

    def __init__(self, number, message=""):
        self.number = number
        super().__init__(message.strip() or _lib.tern_error_text(number).decode())


class CompileError(Error):
    """diagnostics: a list of dicts with file, line, column, message."""

    def __init__(self, number, diagnostics):
        self.diagnostics = diagnostics
        super().__init__(number, "\n".join(str(d.get("message", d)) for d in diagnostics))


def _source(text, path, names, fmad, fast_math, fast_f64):
    data = text.encode() if isinstance(text, str) else bytes(text)
    all_names = (ctypes.c_char_p * len(names))(*[n.encode() for n in names])
    return _Source(path.encode() if path else None, data, len(data), all_names, len(names), not fmad, fast_math, fast_f64)


def _take(error, output):
    try:
        data = ctypes.string_at(output.data, output.bytes) if output.data else b""
        reply = json.loads(ctypes.string_at(output.reply)) if output.reply else {}
    finally:
        _lib.tern_output_free(ctypes.byref(output))
    if error:
        raise CompileError(error, reply.get("diagnostics", []))
    return data, reply


def compile(text, target, path=None, names=(), fmad=True, fast_f64=False):
    """What becomes of a source: bytes for a target ("ptx", "c", "wgsl", "spirv", "wasm", "ir")."""
    source, output = _source(text, path, names, fmad, False, fast_f64), _Output()
    return _take(_lib.tern_compile(ctypes.byref(source), target.encode(), ctypes.byref(output)), output)[0]


def analyze(text, block=0, path=None, names=()):
    """What its kernels need, and what will make them slow, as `tern analyze --json` says."""
    source, output = _source(text, path, names, True, False, False), _Output()
    return _take(_lib.tern_analyze(ctypes.byref(source), _dim(block, 0), ctypes.byref(output)), output)[1]


def _dim(value, otherwise=1):
    sides = tuple(value) if hasattr(value, "__iter__") else (value,)
    return _Dim(*(int(s) for s in sides + (otherwise,) * (3 - len(sides))))


class Device:
    def __init__(self, name=None):
        self._context, self._at = ctypes.c_void_p(), ctypes.c_void_p()
        options = _Options(devices=name.encode() if name else None)
        error = _lib.tern_context_new(ctypes.byref(options), ctypes.byref(self._context))
        if error:
            raise Error(error, self._message() if self._context else f"no device {name!r}" if name else "")
        self._check(_lib.tern_context_device(self._context, 0, ctypes.byref(self._at)))

    def _message(self):
        text = ctypes.create_string_buffer(4096)
        _lib.tern_message(self._context, text, len(text))
        return text.value.decode(errors="replace")

    def _check(self, error):
        if error:
            raise Error(error, self._message())

    @property
    def info(self):
        out = _Info()
        self._check(_lib.tern_device_info(self._at, ctypes.byref(out)))
        values = {name: getattr(out, name) for name, _ in _Info._fields_}
        return {k: v.decode() if isinstance(v, bytes) else v for k, v in values.items()}

    def wait(self):
        self._check(_lib.tern_device_wait(self._at))

    def reset(self):
        """After a fault: makes the device usable again."""
        self._check(_lib.tern_device_reset(self._at))

    def module(self, text, path=None, names=(), fmad=True, fast_math=False, fast_f64=False):
        return Module(self, _source(text, path, names, fmad, fast_math, fast_f64))

    def buffer(self, data):
        """So many bytes, or a copy of something with a buffer."""
        if isinstance(data, int):
            return Buffer(self, data)
        view = memoryview(data).cast("B")
        out = Buffer(self, view.nbytes)
        out.write(view)
        return out

    def close(self):
        if self._context:
            _lib.tern_context_free(self._context)
            self._context = ctypes.c_void_p()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class Buffer:
    """Memory of a device; given back with the object."""

    def __init__(self, device, nbytes):
        self.device, self.nbytes, self._at = device, nbytes, ctypes.c_void_p()
        device._check(_lib.tern_buffer_new(device._at, nbytes, ctypes.byref(self._at)))

    @property
    def address(self):
        return _lib.tern_buffer_address(self._at)

    def write(self, data, at=0):
        view = memoryview(data).cast("B")
        if not view.readonly:
            raw = (ctypes.c_char * view.nbytes).from_buffer(view) if view.nbytes else None
        else:
            raw = (ctypes.c_char * view.nbytes).from_buffer_copy(view)
        self.device._check(_lib.tern_buffer_write(self._at, at, raw, view.nbytes))

    def read(self, into=None, at=0):
        view = memoryview(bytearray(self.nbytes - at) if into is None else into).cast("B")
        raw = (ctypes.c_char * view.nbytes).from_buffer(view) if view.nbytes else None
        self.device._check(_lib.tern_buffer_read(self._at, at, raw, view.nbytes))
        return bytes(view) if into is None else into

    def free(self):
        if self._at and self.device._context:
            _lib.tern_buffer_free(self._at)
        self._at = ctypes.c_void_p()

    __del__ = free


class Module:
    def __init__(self, device, source):
        self.device, self._at = device, ctypes.c_void_p()
        device._check(_lib.tern_module_new(device._at, ctypes.byref(source), ctypes.byref(self._at)))

    def kernel(self, name):
        return Kernel(self, name)

    def __del__(self):
        if self._at and self.device._context:
            _lib.tern_module_free(self._at)
        self._at = ctypes.c_void_p()


class Kernel:
    """Called with grid, block and the kernel's arguments; returns when it is done."""

    def __init__(self, module, name):
        self.module, self.name, self._at = module, name, ctypes.c_void_p()
        module.device._check(_lib.tern_module_kernel(module._at, name.encode(), ctypes.byref(self._at)))

    def __call__(self, grid, block, *arguments, shared=0):
        device, values, back, keep = self.module.device, [], [], []
        for k, a in enumerate(arguments):
            if isinstance(a, Buffer):
                values.append(ctypes.c_uint64(a.address))
            elif isinstance(a, ctypes._SimpleCData) or isinstance(a, ctypes.Structure):
                values.append(a)
            elif hasattr(a, "dtype") and getattr(a, "shape", None) == ():  # a NumPy scalar
                values.append((ctypes.c_char * a.dtype.itemsize).from_buffer_copy(a.tobytes()))
            elif isinstance(a, (int, float)):
                raise TypeError(f"argument {k}: which type has {a!r}? Say ctypes.c_int({a!r}), or a NumPy scalar")
            else:
                there = device.buffer(a)
                keep.append(there)
                if not memoryview(a).readonly:
                    back.append((there, a))
                values.append(ctypes.c_uint64(there.address))
        pointers = (ctypes.c_void_p * (len(values) + 1))(*[ctypes.addressof(v) for v in values])
        device._check(_lib.tern_launch(None, self._at, _dim(grid), _dim(block), shared, pointers))
        device.wait()
        for there, a in back:
            there.read(a)
