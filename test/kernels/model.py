"""What the answers are computed with: types, random buffers, sums and checksums as Tern shows them."""
import math
import struct

FORMATS = {'i8': 'b', 'u8': 'B', 'i16': 'h', 'u16': 'H', 'i32': 'i', 'u32': 'I', 'i64': 'q',
           'u64': 'Q', 'f16': 'e', 'f32': 'f', 'f64': 'd'}
M64 = (1 << 64) - 1
M32 = (1 << 32) - 1


def f32(x):
    return struct.unpack('<f', struct.pack('<f', x))[0]


def f16(x):
    return struct.unpack('<e', struct.pack('<e', x))[0]


def rand(seed, n, kind):
    """What =rand:SEED fills a buffer with."""
    out = []
    for _ in range(n):
        seed = (seed + 0x9e3779b97f4a7c15) & M64
        z = seed
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9 & M64
        z = (z ^ z >> 27) * 0x94d049bb133111eb & M64
        z ^= z >> 31
        if kind[0] == 'f':
            out.append((z >> 40) * 2.0**-24)
        else:
            out.append(wrap(z, kind))
    return out


def wrap(v, kind):
    bits = int(kind[1:])
    v &= (1 << bits) - 1
    return v - (1 << bits) if kind[0] == 'i' and v >> (bits - 1) else v


def pack(kind, values):
    return struct.pack('<%d%s' % (len(values), FORMATS[kind]), *values)


def checksum(data):
    h = 0xcbf29ce484222325
    for b in data:
        h = (h ^ b) * 0x100000001b3 & M64
    return h


def number(x):
    return '%.15g' % x


def expect(arg, result):
    kind, values = result[0], result[1]
    if len(result) == 3:
        digits = 17 if kind == 'f64' else 9
        first = ' '.join('%.*g' % (digits, v) for v in values[:8])
        return '// EXPECT arg %d: near %g %s sum %s' % (arg, result[2], first, number(math.fsum(values)))
    if kind[0] == 'f':
        total = 0.0
        for v in values:
            total += v
        total = number(total)
    else:
        total = str(wrap(sum(values), 'i64' if kind[0] == 'i' else 'u64'))
    return '// EXPECT arg %d: sum %s checksum %016x' % (arg, total, checksum(pack(kind, values)))


REFERENCES = {}


def reference(f):
    REFERENCES[f.__name__] = f
    return f
