"""What the kernels must give. Each function is named FILE_TEST and returns {argument: (type, values)}
for exact results, or {argument: (type, values, tolerance)}. Written in the plainest way, on purpose
not like the kernels."""
import math
import struct

from model import M32, M64, REFERENCES, f16, f32, rand, reference, wrap


def iota(n):
    return [float(i) for i in range(n)]


@reference
def saxpy_plain():
    return {3: ('f32', [2.0 * i + 1 for i in range(1000)])}


@reference
def reduce_shared_sum():
    return {1: ('f32', [float(sum(range(b * 256, b * 256 + 256))) for b in range(4)])}


@reference
def reduce_shared_max():
    v = rand(7, 1024, 'i32')
    return {1: ('i32', [max(v[b * 256:b * 256 + 256]) for b in range(4)])}


@reference
def reduce_warp_sum():
    return {1: ('f32', [float(sum(range(1000)))])}


@reference
def reduce_unrolled_s128():
    return {1: ('i32', [sum(range(b * 256, b * 256 + 256)) for b in range(4)])}




@reference
def scan_hillis_inclusive():
    out, t = [], 0
    for x in rand(3, 512, 'u32'):
        t = (t + x) & M32
        out.append(t)
    return {1: ('u32', out)}


@reference
def scan_blelloch_exclusive():
    out, t = [], 0
    for x in rand(5, 1024, 'u32'):
        out.append(t)
        t = (t + x) & M32
    return {1: ('u32', out)}


@reference
def histogram_shared():
    h = [0] * 256
    for x in rand(11, 10000, 'u8'):
        h[x] += 1
    return {1: ('u32', h)}


@reference
def histogram_global():
    return histogram_shared()


@reference
def transpose_tile():
    return {1: ('f32', [float((i % 70) * 50 + i // 70) for i in range(3500)])}


def matmul(a, b, n, k, m):
    return [sum(a[i * k + p] * b[p * m + j] for p in range(k)) for i in range(n) for j in range(m)]


@reference
def gemm_naive_f32():
    a = [float(i % 7) for i in range(33 * 20)]
    b = [float(i % 5) for i in range(20 * 17)]
    return {2: ('f32', matmul(a, b, 33, 20, 17))}


@reference
def gemm_tiled_f32():
    a = [float(i % 16) for i in range(64 * 48)]
    b = [float(i % 9) for i in range(48 * 32)]
    return {2: ('f32', matmul(a, b, 64, 48, 32))}


@reference
def gemm_tiled_f64():
    a = [float(i % 16) for i in range(64 * 48)]
    b = [float(i % 9) for i in range(48 * 32)]
    return {2: ('f64', matmul(a, b, 64, 48, 32))}


@reference
def gemm_register_f32():
    a = [float(i % 8) for i in range(64 * 32)]
    b = [float(i % 3) for i in range(32 * 64)]
    return {2: ('f32', matmul(a, b, 64, 32, 64))}


@reference
def reduce_unrolled_s256():
    return {1: ('i32', [sum(range(b * 512, b * 512 + 512)) for b in range(2)])}


@reference
def convolution_filter():
    f = [[1, 0, -1, 2, 1], [0, 3, 0, 0, 1], [2, 0, 4, 0, -2], [1, 1, 0, -3, 0], [0, -1, 5, 0, 1]]
    w, h = 40, 24
    at = lambda x, y: y * w + x if 0 <= x < w and 0 <= y < h else 0
    return {1: ('i32', [sum(at(x + i - 2, y + j - 2) * f[j][i] for j in range(5) for i in range(5))
                        for y in range(h) for x in range(w)])}


@reference
def stencil_halo():
    return {1: ('i32', [sum((g + k) * (k + 1) for k in range(7)) for g in range(256)])}


@reference
def stencil_plane():
    a = [[float(y * 18 + x) for x in range(18)] for y in range(18)]
    for _ in range(4):
        a = [[a[y][x] if x in (0, 17) or y in (0, 17) else
              0.25 * (a[y - 1][x] + a[y + 1][x] + a[y][x - 1] + a[y][x + 1]) for x in range(18)]
             for y in range(18)]
    return {1: ('f32', [v for row in a for v in row])}


@reference
def stencil_cube():
    n, out = 16, []
    at = lambda x, y, z: (z * n + y) * n + x
    for z in range(n):
        for y in range(n):
            for x in range(n):
                v = at(x, y, z)
                if 0 not in (x, y, z) and n - 1 not in (x, y, z):
                    v = (6 * v - at(x - 1, y, z) - 2 * at(x + 1, y, z) - 3 * at(x, y - 1, z) +
                         2 * at(x, y + 1, z) - at(x, y, z - 1) - at(x, y, z + 1))
                out.append(v)
    return {1: ('i32', out)}


for _name, _arg, _seed, _n, _kind in (('bitonic', 0, 21, 512, 'i32'), ('odd_even', 0, 22, 128, 'i32'),
                                      ('radix', 1, 23, 256, 'u32'), ('merge', 1, 24, 128, 'i64'),
                                      ('rank', 1, 25, 128, 'u16')):
    def _sorted(arg=_arg, seed=_seed, n=_n, kind=_kind):
        return {arg: (kind, sorted(rand(seed, n, kind)))}
    _sorted.__name__ = 'sorts_' + _name
    reference(_sorted)


def rows(seed):
    v = rand(seed, 800, 'f32')
    return [v[i:i + 100] for i in range(0, 800, 100)]


@reference
def softmax_softmax():
    out = []
    for r in rows(31):
        e = [math.exp(x - max(r)) for x in r]
        out += [x / sum(e) for x in e]
    return {1: ('f32', out, 1e-5)}


@reference
def softmax_norm():
    out = []
    for r in rows(32):
        m = sum(r) / 100
        s = 1 / math.sqrt(sum((x - m)**2 for x in r) / 100 + 1e-5)
        out += [(x - m) * s for x in r]
    return {1: ('f32', out, 1e-4)}


@reference
def softmax_gelu():
    xs = [4 * x - 2 for x in rand(33, 200, 'f32')]
    return {1: ('f32', [0.5 * x * (1 + math.tanh(0.7978845608 * (x + 0.044715 * x**3))) for x in xs], 1e-5)}


@reference
def attention_online():
    q, k, v = (rand(s, 512, 'f32') for s in (41, 42, 43))
    row = lambda m, i: m[i * 16:i * 16 + 16]
    out = []
    for i in range(32):
        e = [math.exp(sum(a * b for a, b in zip(row(q, i), row(k, j))) / 4) for j in range(32)]
        out += [sum(e[j] * v[j * 16 + c] for j in range(32)) / sum(e) for c in range(16)]
    return {3: ('f32', out, 1e-5)}


@reference
def nbody_forces():
    p = rand(51, 256, 'f32')
    out = []
    for i in range(64):
        f = [0.0, 0.0, 0.0]
        for j in range(64):
            r = [p[4 * j + c] - p[4 * i + c] for c in range(3)]
            s = p[4 * j + 3] * (sum(x * x for x in r) + 0.01)**-1.5
            f = [a + b * s for a, b in zip(f, r)]
        out += f + [0.0]
    return {1: ('f32', out, 1e-3)}


@reference
def fft_round_trip():
    return {1: ('f32', rand(61, 512, 'f32'), 1e-5)}


@reference
def fft_spectrum():
    v = rand(61, 512, 'f32')
    x = [complex(v[2 * i], v[2 * i + 1]) for i in range(256)]
    out = []
    for k in range(256):
        s = sum(x[n] * complex(math.cos(-2 * math.pi * k * n / 256), math.sin(-2 * math.pi * k * n / 256))
                for n in range(256))
        out += [s.real, s.imag]
    return {1: ('f32', out, 1e-4)}


def sparse_times_iota():
    return [float(sum(j for j in range(100) if (i * 7 + j * 3) % 11 == 0)) for i in range(100)]


@reference
def spmv_csr():
    return {3: ('f32', sparse_times_iota())}


@reference
def spmv_warp():
    return {1: ('f32', sparse_times_iota())}


@reference
def spmv_ell():
    return {1: ('f32', sparse_times_iota())}


@reference
def linked_list_list():
    sums = [sum(i * i for i in range(t + 1)) for t in range(32)]
    return {0: ('i32', sums), 1: ('i32', [-10] + [10] * 31)}


@reference
def ray_sphere_render():
    n, out = 16, []
    for y in range(n):
        for x in range(n):
            d = (x - n // 2 + 0.375, n // 2 - y - 0.375, 12.0)
            best, which = 1e9, 0
            for i, c, r in ((1, (0, 0, 10), 4.0), (2, (3, 2, 6), 2.5)):
                a = sum(v * v for v in d)
                b = -sum(p * q for p, q in zip(c, d))
                disc = b * b - a * (sum(p * p for p in c) - r * r)
                if disc >= 0:
                    t = (-b - math.sqrt(disc)) / a
                    if 0 < t < best:
                        best, which = t, i
            if d[1] != 0:
                t = -3.25 / d[1]
                if 0 < t < best:
                    best, which = t, 3
            out.append(which)
    return {0: ('i32', out)}


@reference
def mandelbrot_fixed():
    one, out = 1 << 24, []
    trunc = lambda a, b: -(-a // b) if a < 0 else a // b
    for py in range(32):
        for px in range(32):
            cx, cy = trunc(3 * px * one, 32) - 2 * one, trunc(2 * py * one, 32) - one
            x = y = k = 0
            while k < 100:
                xx, yy = x * x >> 24, y * y >> 24
                if xx + yy > 4 * one:
                    break
                x, y = xx - yy + cx, (2 * x * y >> 24) + cy
                k += 1
            out.append(k)
    return {0: ('u8', out)}


TEXT = 'abracadabra abracabracadabra dabracadabrac abracadabracadabra'
FOUND = [i for i in range(len(TEXT)) if TEXT.startswith('abracadabra', i)]


@reference
def string_search_naive():
    return {0: ('u8', [int(i in FOUND) for i in range(256)]), 1: ('i32', [len(FOUND)])}


@reference
def string_search_kmp():
    return {0: ('i32', FOUND + [0] * (64 - len(FOUND))), 1: ('i32', [len(FOUND)])}


@reference
def dynamic_programming_lcs():
    a, b = ([x & 3 for x in rand(s, 64, 'u8')] for s in (71, 72))
    d = [[0] * 65 for _ in range(65)]
    for i in range(64):
        for j in range(64):
            d[i + 1][j + 1] = d[i][j] + 1 if a[i] == b[j] else max(d[i][j + 1], d[i + 1][j])
    return {2: ('i32', [d[64][64]])}


@reference
def dynamic_programming_paths():
    d = [[0 if i == j else (i * 3 + j) % 9 + 1 if (i * 7 + j * 13) % 5 == 0 else 1 << 20
          for j in range(16)] for i in range(16)]
    for k in range(16):
        for i in range(16):
            for j in range(16):
                d[i][j] = min(d[i][j], d[i][k] + d[k][j])
    return {0: ('i32', [v for r in d for v in r])}


@reference
def dynamic_programming_change():
    w = [1] + [0] * 500
    for c in (1, 2, 5, 10, 20, 50, 100, 200):
        for a in range(c, 501):
            w[a] += w[a - c]
    return {0: ('u64', [w[500]])}


@reference
def graph_bfs():
    level, frontier, n, d = {0: 0}, [0], 128, 0
    while frontier:
        d += 1
        frontier = [w for v in frontier for w in ((v + 1) % n, (v * 5 + 2) % n)
                    if w not in level and not level.__setitem__(w, d)]
    return {0: ('i32', [level[v] for v in range(n)])}


@reference
def graph_components():
    label = list(range(100))
    for _ in range(100):
        for v in range(100):
            if v % 3:
                for w in (v + 7, v * 2):
                    if w < 100:
                        label[v] = label[w] = min(label[v], label[w])
    return {0: ('i32', label)}


@reference
def matrix_vector_dot():
    return {2: ('f64', [float(sum(i * i for i in range(1000)))])}


@reference
def matrix_vector_matvec():
    return {2: ('f64', [float(sum((r * 50 + j) * j for j in range(50))) for r in range(30)])}


@reference
def matrix_vector_solve():
    return {0: ('f64', [float(i + 1) for i in range(8)], 1e-9)}


@reference
def life_glider():
    cells = {(1, 1), (2, 2), (0, 3), (1, 3), (2, 3)} | {(20, y) for y in (20, 21, 22)}
    for _ in range(64):
        count = {}
        for x, y in cells:
            for dx in (-1, 0, 1):
                for dy in (-1, 0, 1):
                    if dx or dy:
                        p = ((x + dx) % 32, (y + dy) % 32)
                        count[p] = count.get(p, 0) + 1
        cells = {p for p, n in count.items() if n == 3 or (n == 2 and p in cells)}
    return {0: ('u32', [sum(1 << x for x in range(32) if (x, y) in cells) for y in range(32)])}


@reference
def hashes_crc():
    import zlib
    return {0: ('u32', [zlib.crc32(bytes(i * 37 & 255 for i in range(n + 1))) for n in range(32)])}


@reference
def hashes_sha():
    import hashlib
    import struct
    return {0: ('u32', [w for n in range(4) for w in struct.unpack('>8I', hashlib.sha256(b'a' * n).digest())])}


@reference
def hash_table_insert():
    keys = [t * t % 97 + 1 for t in range(256)]
    return {2: ('u32', [len(set(keys)), sum(keys)])}


@reference
def numbers_sieve():
    return {0: ('u8', [int(n > 1 and all(n % p for p in range(2, int(n**0.5) + 1))) for n in range(1000)])}


@reference
def numbers_collatz():
    out = []
    for x in range(1, 257):
        n = 0
        while x != 1:
            x = 3 * x + 1 if x & 1 else x // 2
            n += 1
        out.append(n)
    return {0: ('i32', out)}


@reference
def numbers_powers():
    out = []
    for i in range(64):
        r = pow(i + 2, 123456789 + i, 1000000007)
        out.append(r * 1000 + math.gcd(r, 360360) % 1000)
    return {0: ('u64', out)}


@reference
def numbers_darts():
    hits = 0
    for t in range(128):
        s = (t + 1) * 747796405 & M32
        for _ in range(50):
            s ^= s << 13 & M32
            s ^= s >> 17
            s ^= s << 5 & M32
            x, y = s & 0xffff, s >> 16
            hits += x * x + y * y < 1 << 32
    return {0: ('u32', [hits])}


@reference
def compaction_odd():
    kept = [v for v in rand(81, 64, 'u32') if v & 1]
    return {1: ('u32', kept + [0] * (64 - len(kept))), 2: ('i32', [len(kept)])}


def call_price(s, k, t, r, v):
    cdf = lambda x: 0.5 * math.erfc(-x / math.sqrt(2))
    d1 = (math.log(s / k) + (r + v * v / 2) * t) / (v * math.sqrt(t))
    return s * cdf(d1) - k * math.exp(-r * t) * cdf(d1 - v * math.sqrt(t))


@reference
def finance_closed():
    v = [call_price(20.0 + i, 50.0, 0.25 + i / 64, 0.02, 0.3) for i in range(64)]
    return {0: ('f64', v, 1e-12), 1: ('f32', v, 2e-5)}


@reference
def finance_tree():
    out = []
    for s in (90.0, 95.0, 100.0, 105.0):
        up = math.exp(0.2 * math.sqrt(1 / 64))
        grow = math.exp(0.05 / 64)
        p = (grow - 1 / up) / (up - 1 / up)
        v = [max(s * up**(2 * j - 64) - 100, 0.0) for j in range(65)]
        for _ in range(64):
            v = [(p * b + (1 - p) * a) / grow for a, b in zip(v, v[1:])]
        out.append(v[0])
    return {0: ('f32', out, 1e-4)}


@reference
def doubles_shares():
    x, out = rand(1, 128, 'f64'), []
    for at in (0, 64):
        e = [math.exp(v) + (v + 1)**1.5 + math.log(1 + v) for v in x[at:at + 64]]
        out += [v / math.fsum(e) + math.sin(v) for v in e]
    return {1: ('f64', out, 1e-13)}


@reference
def doubles_mixture():
    out = []
    for i in range(90):
        table = [math.sin(0.5 * i), math.cos(0.25 * i), math.exp(-0.125 * i), math.log(i + 1.0)]
        total = 0.0
        for k in range(4):
            v = table[(i * i + k) & 3]
            case = (i + k) % 4
            if case == 0:
                total += abs(v)**1.5
            elif case == 1:
                total += 0.75 * table[k] - math.sqrt(abs(v))
            elif case == 2:
                total += 0.75 * table[k]
            elif i % 5 == 0:
                continue
            else:
                total *= 1.25
            total += math.atan(v)
        out.append(total)
    return {0: ('f64', out, 1e-12), 1: ('i32', [sum(v > 0.01 for v in out)])}


def trunc_mod(a, b):
    return int(math.fmod(a, b))


def ids(n):
    return range(n)


def construct(name, n, f, kind='i32', arg=0):
    def answer():
        return {arg: (kind, [wrap(f(t), kind) for t in ids(n)])}
    answer.__name__ = 'constructs_' + name
    reference(answer)


construct('extern_c', 32, lambda t: t * 3 - 7)
construct('bounds', 64, lambda t: t ^ 21)


def _rot(v):
    v = (v + 200) & 255
    return ~((v << 1 | v >> 7) & 255)


construct('bytes', 64, lambda t: _rot(rand(1, 64, 'u8')[t]), 'u8', 1)
construct('longs', 32, lambda t: (lambda v: (v >> 33 ^ v) * 0xff51afd7ed558ccd + (v & M32) // 7 + v % 1000003)(
    rand(2, 32, 'u64')[t]), 'u64', 1)
construct('switches', 32, lambda t: {0: 5, 1: 110, 2: 110, 3: 100, 4: -1 if t % 4 == 0 else -2, 7: 1077}.get(t % 9, 1000))
construct('declarators', 8, lambda t: (t + 1) + (2 * t + 5) * 10 + t * 100 + 4 * t * 1000 + 3 * t * 10000)


def _pragmas(t):
    s = 6 * t + sum(i ^ j for i in range(10) for j in range(2))
    for i in range(3):
        s ^= i
    while s > 100:
        s -= 7
    return s


construct('pragmas', 8, _pragmas)
construct('macros', 8, lambda t: 6 + t + 2 + (t + 1)**2 + (t + 2)**2 + 1000)


def _casts(t):
    f, d = 3.75 + t, -2.5 * t
    r = int(f) + int(d) + int(f * 2) + wrap(300 + t, 'i8')
    r += wrap(-1 - t, 'u8') + wrap(70000 + t, 'i16') + (t != 0) + 0
    r += f > 5
    import struct
    return r + (struct.unpack('<I', struct.pack('<f', f))[0] >> 23)


construct('casts', 8, _casts)


def _cube(t):
    a = lambda i, j, k: i * 100 + j * 10 + k + t
    s = sum(a(i, j, k) * a(2 - i, 3 - j, 4 - k) % 7 for i in range(3) for j in range(4) for k in range(5))
    return s * 1000 + a(2, 3, 4)


construct('cube', 4, _cube)
construct('continues', 8, lambda t: sum(i * j for i in range(20) if i % 3 != t % 3 for j in (0, 1, 3)) + 30)


def _do_while(t):
    n, c = t, 0
    while True:
        c += 1
        if c != 3:
            n -= 2
        if n <= 0:
            break
    return c * 100 + max(n + 1, 10)


construct('do_while', 8, _do_while)
construct('shared2d', 64, lambda t: ((t % 8) * 8 + 7 - t // 8) - ((7 - t // 8) * 8 + t % 8))


def _gotos(t):
    s = t + 10
    for a in range(5):
        for b in range(5):
            if a * b == t:
                return s + 100 * a + 10 * b
    return -s


construct('gotos', 8, _gotos)


def _commas(t):
    a, b, i, j = 1, 2, 0, 10
    while i < j:
        a += i * j
        b ^= a
        i, j = i + 1, j - 1
    return (a + 1) * 1000 + b + t


construct('comma', 8, _commas)
construct('ternary', 8, lambda t: ((10 if t == 0 else 20) if t < 3 else 30 if t > 5 else 40) * 100 + (500 if t & 1 else 5))


def _pointers(t):
    a = [21, 13, 8, 5, 3, 2, 1, 1]
    return a[t] * 100 + 3 * 10 + 0 + a[t]


construct('pointers', 8, _pointers)
construct('enums', 8, lambda t: (1 if t < 2 else 2 if t < 5 else 8) * 1000 + 200 + (t & 1) * 2 + 1)


def _unions(t):
    import struct
    u = struct.unpack('<I', struct.pack('<f', 1.5 * t))[0] & ~255 | 7
    return u + (u >> 16) + (u & 0xffff)


construct('unions', 8, _unions, 'u32')


def _bitfields(t):
    c = (t + 12) & 31
    c = c - 32 if c >= 16 else c
    return (t + 5 & 7) | ((t * 40 & 127) + 100 & 127) << 4 | (c & 255) << 12 | (0xfffff * t & 0xf) << 24 | 8 << 28


construct('bitfields', 8, _bitfields, 'u32')
construct('shifts', 8, lambda t: (-1000 >> t) + (0x80000001 >> 3 * t) + (1 << 3 * t) +
          wrap(wrap(-1 << 3 * t + 20, 'i64') >> 30, 'i32') + wrap(1 << t, 'i8'))
construct('early', 32, lambda t: 0 if t >= 20 else -1 if t % 2 else next(i for i in range(9) if i * i > t))
construct('statics', 8, lambda t: 31 + 40 + t)
construct('byval', 4, lambda t: 1 + 20 + (3, 4, 5, 3)[t] * 100)


def ones(name, n, arg=0):
    def answer():
        return {arg: ('i32', [1] * n)}
    answer.__name__ = name
    reference(answer)


ones('templates_functions', 8)
ones('templates_classes', 10)
ones('templates_variadic', 8)
ones('templates_sfinae', 8)
ones('lambdas_all', 9)
ones('classes_operators', 14)
ones('classes_members', 9)
ones('classes_references', 8)
ones('language_constants', 6)
ones('language_promotion', 14)
ones('language_floats', 12)
ones('twenty_twenty', 29)
ones('twenty_headers', 12)
ones('ptx_more', 864)


@reference
def twenty_by_value():
    return {1: ('i32', [3 * (t % 6 + 1) for t in range(8)])}


@reference
def templates_expression():
    return {1: ('f32', [0.0, 4.0, 8.0, 12.0])}


@reference
def templates_instance():
    return {0: ('i16', [0, 4, 8, 12])}


@reference
def classes_life():
    t = [1, 2, 50, 3, 20, -20, 21, 103, 1030, -103, -21, -3, -2, -1, 6, 7, 8, 9, -9, -8, -7, -6]
    return {0: ('i32', t + [0] * (32 - len(t)))}


@reference
def classes_virtuals():
    return {0: ('i32', [v + 6000 for v in (2, 48, 2 * 242, 198)])}


@reference
def language_recursion():
    out = []
    for t in range(8):
        deep = sum(n + (n & 3) for n in range(1, 3 * t + 1))
        out.append((2 * t + 3) * 1000 + (t % 2 == 0) * 100 + deep)
    return {0: ('i32', out)}


@reference
def language_calls():
    f = [lambda a, b: a + b, lambda a, b: a - b, lambda a, b: a * b]
    return {0: ('i32', [(f[0] if t == 5 else f[t % 3])(t + 10, 3) + (f[0] if t == 5 else f[t % 3])(1, 2)
                        for t in range(6)])}


@reference
def language_heap():
    return {0: ('i32', [sum(-1 + (i + t) * 2 for i in range(t + 1)) + 5 for t in range(8)])}


@reference
def language_locals():
    out = []
    for t in range(8):
        r = 0
        for v in reversed(range(t + 2)):
            r = r * 3 + v
        out.append(r)
    return {0: ('i32', out)}


@reference
def warp_ops_shuffles():
    t = range(32)
    src = ([5] * 32, [i // 8 * 8 + (i + 3) % 8 for i in t], [i - 2 if i >= 2 else i for i in t],
           [i - 3 if i % 16 >= 3 else i for i in t], [i + 4 if i < 28 else i for i in t],
           [i + 1 if i % 4 < 3 else i for i in t], [i ^ 7 for i in t],
           [(i ^ 9) if (i ^ 9) // 8 <= i // 8 else i for i in t])
    return {0: ('i32', [10 * s for block in src for s in block])}


ones('warp_ops_types', 32)
ones('intrinsics_integers', 32)
ones('intrinsics_conversions', 14)
ones('intrinsics_rounding', 10)
ones('intrinsics_lanes', 32)


@reference
def warp_ops_votes():
    w = [[t for t in range(64) if t // 32 == k] for k in (0, 1)]
    warp = lambda f: [f(w[t // 32]) for t in range(64)]
    ballot = lambda lanes, p: sum(1 << t % 32 for t in lanes if p(t))
    low = lambda m: (m & -m).bit_length()
    return {0: ('u32', warp(lambda l: int(40 in l)) + warp(lambda l: int(max(l) < 32)) +
                warp(lambda l: ballot(l, lambda t: t % 3 == 0)) + warp(lambda l: sum(t > 10 for t in l)) +
                [13] * 64 + [2] * 64 + [2] * 64 + warp(lambda l: low(ballot(l, lambda t: t & 4))))}


@reference
def warp_ops_matches():
    first = [sum(1 << j for j in range(32) if j // 5 == t // 5) for t in range(32)]
    return {0: ('u32', first + [0] * 32 + [0] * 32)}


@reference
def warp_ops_reductions():
    v = [t * 37 % 41 - 20 for t in range(32)]
    u = [x & M32 for x in v]
    a, o, x = M32, 0, 0
    for t in range(32):
        a &= u[t] | 0x40
        o |= t & 5
        x ^= u[t]
    r = [sum(v), min(v), max(v), min(u), a, o, x, max(u)]
    return {0: ('i32', [wrap(k, 'i32') for k in r for _ in range(32)])}


@reference
def warp_ops_divided():
    a, b = [], []
    for t in range(32):
        if t < 12:
            a.append(0xfff)
            b.append((t + 1) % 12)
        elif t % 2:
            a.append(0xaaaaa000)
            b.append(sum(1 << j for j in range(13, 32, 2) if j > 20))
        else:
            a.append(sum(range(12, 32, 2)))
            b.append(10)
    return {0: ('u32', a + b)}


@reference
def atomics_words():
    t = range(64)
    x = 0
    for i in t:
        x ^= i
    inc = dec = 0
    for i in t:
        inc = 0 if inc >= 9 else inc + 1
        dec = 9 if dec == 0 or dec > 9 else dec - 1
    w = [sum(t), -sum(t), -sum(t), min(0, 5 - 63), 63 * 63, 0, 0, inc, dec, M32, x, 0, 7, 99, 128, 3]
    return {0: ('u32', [v & M32 for v in w])}


@reference
def atomics_wide():
    t = range(64)
    x = 0
    for i in t:
        x ^= i << 40
    w = [sum(t) << 33, 63 * 10**10, -63 * 10**10, 0, M64, x, 1 << 50, 12345678901234, 0, 0]
    return {0: ('u64', [v & M64 for v in w])}


@reference
def atomics_floats():
    return {0: ('f32', [2016.0, 32.0, 2.5, 64.0]), 1: ('f64', [504.0, 2080.0])}


@reference
def atomics_flag():
    return {1: ('i32', [42] + [0 if t == 7 else 42 + t for t in range(64)])}


@reference
def atomics_locks():
    return {1: ('i32', [sum(range(48)), 48])}


@reference
def atomics_lock():
    v = 0
    for _ in range(4):
        v = v * 2 % 1000003 + 1
    return {0: ('i32', [v, 4])}


@reference
def atomics_last():
    return {0: ('i32', [11 * (i + 1) for i in range(6)]), 1: ('u32', [6]), 2: ('i32', [231])}


@reference
def atomics_scopes():
    return {0: ('i32', [64, 128, 63])}


@reference
def groups_tiles():
    t = range(64)
    r = [i % 16 for i in t]
    out = [r[i] * 100 + i // 16 for i in t]
    out += [i // 16 * 16 + 3 for i in t]
    out += [(i + 2 if r[i] < 14 else i) * 1000 + (i - 1 if r[i] else i) for i in t]
    for i in t:
        lanes = range(i // 16 * 16, i // 16 * 16 + 16)
        out.append(sum(1 << j % 16 for j in lanes if j % 5 == 0) + (17 in lanes) * 100000 + (i < 16) * 1000000)
    out += [(i ^ 1) * 10 + i % 4 for i in t]
    out += [16 + 400 + 40000] * 64
    out += [sum(range(i // 4 * 4, i // 4 * 4 + 4)) for i in t]
    return {0: ('i32', out)}


@reference
def groups_coalesced():
    out = [0] * 96
    thirds = list(range(0, 32, 3))
    rest = [t for t in range(32) if t % 3]
    for k, t in enumerate(thirds):
        out[t] = k * 100 + len(thirds)
        out[32 + t] = thirds[2] + thirds[min(k + 1, len(thirds) - 1)] * 100
        out[64 + t] = sum(1 << j for j, x in enumerate(thirds) if x > 10) + sum(thirds) * 10000
    for side in ([t for t in rest if t < 16], [t for t in rest if t >= 16]):
        for k, t in enumerate(side):
            out[t] = len(side) * 1000 + k
    return {0: ('i32', out)}


@reference
def groups_reduce():
    v = [t * 7 % 23 for t in range(64)]
    w = [v[:32], v[32:]]
    out = [sum(w[t // 32]) for t in range(64)] + [max(w[t // 32]) * 100 + min(w[t // 32]) for t in range(64)]
    out += [sum(w[t // 32][:t % 32 + 1]) for t in range(64)] + [sum(w[t // 32][:t % 32]) for t in range(64)]
    return {0: ('i32', out)}


@reference
def groups_block():
    return {0: ('i32', [t % 4 + t // 4 % 4 * 10 + t // 16 * 100 + b % 2 * 1000 + b // 2 * 10000 + 3200000
                        for b in range(4) for t in range(32)])}


@reference
def groups_copy():
    return {1: ('i32', list(range(99, -1, -1)))}


@reference
def groups_grid():
    a = [i * i for i in range(128)]
    b = [a[127 - i] + a[(i + 37) % 128] for i in range(128)]
    return {0: ('i32', [b[(i + 64) % 128] for i in range(128)]), 1: ('i32', b)}


@reference
def groups_wide_classes():
    t = range(32)
    out = [15 + 7000] * 32 + [i ^ 1 for i in t]
    out += [min(i + 1, 31) * 10000 + min(i + 1, 31) ** 2 for i in t]
    out += [-(i - 2 if i >= 2 else i) for i in t]
    out += [21 if i % 2 else 0 for i in t]
    return {0: ('i32', out)}


@reference
def groups_wide_tiles():
    t = range(256)
    out = [(i ^ 63) ** 2 for i in t]
    out += [i % 64 * 100 + i // 64 * 10 + i // 128 for i in t]
    out += [i // 64 * 64 + 40 + (i // 128 * 128 + 100) * 1000 for i in t]
    out += [(i // 64 == 1) + (i < 128) * 2 + (i >= 128) * 4 for i in t]
    out += [sum(range(i // 64 * 64, i // 64 * 64 + 64)) + (i // 128 * 128 + 127) * 100000 for i in t]
    return {0: ('i32', out)}


def two_sizes(threads):
    def rounds(t, size, n):
        return sum(t // size * size + k for k in range(n))
    return {0: ('i32', [3 * (rounds(t, 128, 1 + t // 128 % 3) + rounds(t, 256, 2)) for t in range(threads)])}


@reference
def groups_wide_two_sizes():
    return two_sizes(512)


@reference
def groups_wide_two_sizes_1000():
    return two_sizes(1000)


@reference
def groups_wide_pipeline():
    return {1: ('i32', [sum((c * 64 + 63 - t) * (c + 1) for c in range(8)) for t in range(64)])}


@reference
def groups_wide_roles():
    out = []
    for t in range(32):
        s = 0
        for i in range(8):
            s = s * 3 + i * 32 + 31 - t
        out.append(s)
    return {1: ('i32', out)}


@reference
def groups_wide_barrier():
    own = [t * 1000 + 95 - t for t in range(96)]
    return {0: ('i32', [own[(t + 1) % 96] for t in range(96)])}


@reference
def int128_products():
    m = (1 << 64) - 1
    a = [0x9e3779b97f4a7c15 * (t + 1) & m for t in range(32)]
    b = [0xc2b2ae3d27d4eb4f * (t + 3) & m for t in range(32)]
    x = [p * q for p, q in zip(a, b)]
    y = [((v + p) << 3 | 5) & (1 << 128) - 1 for v, p in zip(x, a)]
    return {1: ('u64', [v & m for v in x] + [v >> 64 for v in x] + [v >> 17 & m for v in y] +
                [v % 1000000007 for v in y])}


ones('int128_arithmetic', 16)


ones('newer_newer', 40)
ones('newer_bounded', 4)


@reference
def half_scale():
    return {1: ('f16', [f16(f16(i * 1.5) + 0.25) for i in range(64)])}


ones('half_half', 14)
ones('half_bfloat', 8)
ones('half_fp8', 10)


@reference
def half_dot():
    return {1: ('f32', [float(2 * sum(range(64)) + 2)])}


@reference
def wmma_half():
    a = [math.fmod(i, 5) - 2 for i in range(256)]
    b = [math.fmod(i, 7) - 3 for i in range(256)]
    return {1: ('f32', [2 * (1 + sum(a[r * 16 + k] * b[c * 16 + k] for k in range(16)))
                        for r in range(16) for c in range(16)])}


ones('wmma_shapes', 3)


@reference
def wmma_bytes():
    a = [wrap(i * 7 - 100, 'i8') for i in range(256)]
    b = [wrap(i * 3 + 5, 'i8') for i in range(256)]
    return {0: ('i32', matmul(a, b, 16, 16, 16))}


@reference
def wmma_unsigned():
    a = [wrap(i * 7 - 100, 'u8') for i in range(256)]
    b = [wrap(i * 3 + 5, 'u8') for i in range(256)]
    return {0: ('i32', matmul(a, b, 16, 16, 16))}


@reference
def wmma_brain():
    a = [i % 5 - 2.5 for i in range(256)]
    b = [(c * 16 + k) % 7 * 0.25 for k in range(16) for c in range(16)]
    return {0: ('f32', [v + 0.5 for v in matmul(a, b, 16, 16, 16)])}


@reference
def wmma_nineteen():
    a = [i % 5 - 2.5 for i in range(128)]
    b = [i % 7 * 0.25 for i in range(128)]
    return {0: ('f32', [v + 0.5 for v in matmul(a, b, 16, 8, 16)])}


@reference
def wmma_double():
    a = [i + 0.5 for i in range(32)]
    b = [2.0 * i - 10 for i in range(32)]
    return {0: ('f64', [v + 0.25 for v in matmul(a, b, 8, 4, 8)])}


@reference
def wmma_tiled():
    a = [float((i + j) % 4) for i in range(32) for j in range(48)]
    b = [float(i * j % 5) for i in range(48) for j in range(32)]
    return {0: ('f32', matmul(a, b, 32, 48, 32))}


ones('library_containers', 10)
ones('library_algorithms', 8)
ones('library_traits', 4)
ones('ptx_asm', 384)


@reference
def library_atomic():
    return {0: ('i32', [2016, 189, 128, 5, 17, 0]), 1: ('f32', [32.0])}


@reference
def library_barrier():
    v = list(range(64))
    for r in range(3):
        v = [v[(t + 17) % 64] + r for t in range(64)]
    return {0: ('i32', v)}


def math_walk():
    fs = [lambda x, y: math.sin(x), lambda x, y: math.cos(y), lambda x, y: math.tan(x / 2),
          lambda x, y: math.asin(x / 3), lambda x, y: math.acos(x / 3), lambda x, y: math.atan(y),
          lambda x, y: math.atan2(x, y), lambda x, y: math.sinh(x), lambda x, y: math.cosh(x),
          lambda x, y: math.tanh(x), lambda x, y: math.asinh(y), lambda x, y: math.acosh(y + 1),
          lambda x, y: math.atanh(x / 3), lambda x, y: math.exp(x), lambda x, y: 2.0**(y / 2),
          lambda x, y: math.expm1(x), lambda x, y: math.log(y), lambda x, y: math.log2(y),
          lambda x, y: math.log10(y), lambda x, y: math.log1p(x), lambda x, y: math.pow(x, y),
          lambda x, y: math.sqrt(y), lambda x, y: y**(1 / 3), lambda x, y: 1 / math.sqrt(y),
          lambda x, y: math.hypot(x, y), lambda x, y: math.erf(x), lambda x, y: math.erfc(x),
          lambda x, y: math.gamma(y), lambda x, y: math.lgamma(y), lambda x, y: math.fmod(y * 7, x),
          lambda x, y: math.floor(y) + math.ceil(x) - math.floor(y) + math.floor(x * 3 + 0.5) + x,
          lambda x, y: min(x, y) + max(x, y) * 2 + max(y - x, 0.0) - x]
    return [f((t + 1) / 16, (33 - t) / 8) for f in fs for t in range(32)]


@reference
def math_f32():
    return {0: ('f32', math_walk(), 1e-6)}


@reference
def math_f64():
    return {0: ('f64', math_walk(), 1e-13)}


@reference
def math_quick():
    x = [(t + 1) / 8 for t in range(16)]
    out = [math.sin(v) for v in x] + [math.cos(v) for v in x] + [math.exp(v) for v in x]
    out += [math.log(v) for v in x] + [v**1.5 for v in x] + [v / 3 for v in x]
    out += [math.log2(v) for v in x] + [math.tan(v / 8) for v in x]
    return {0: ('f32', out, 1e-5)}


@reference
def variables_globals():
    n = [1, 2, 3, 0, 50] + [0] * 11
    rest = [100 + 25 + ord('n'), 300 + 45 + ord('h')]
    return {0: ('i32', [n[t] + rest[b] + 40 + 13 + 3 + 9 for b in (0, 1) for t in range(16)])}


@reference
def variables_dynamic():
    return {0: ('i32', [(31 - t)**2 + (t ^ 1) for t in range(32)])}


@reference
def variables_managed():
    w = [8, 7, 6, 0, 0, 0, 0, 0]
    return {0: ('i32', [v * 10 + v + 1 for v in w])}


@reference
def divergence_loops():
    def walk(n):
        s = 0
        while n > 0:
            if n & 1:
                s += n
                n -= 3
                continue
            k = n
            while k > 0:
                if k == 5:
                    break
                s ^= k
                k //= 3
            n -= 5
        return s
    return {0: ('i32', [walk(i * 7 % 53) for i in range(96)])}


@reference
def divergence_barriers():
    v = list(range(96))
    for r in range(5):
        if r % 2:
            v = [v[t] + sum(v[(t + k) % 96] for k in range(t % 4)) for t in range(96)]
        else:
            v = [v[95 - t] if t < 50 else v[t] for t in range(96)]
    return {0: ('i32', [wrap(x, 'i32') for x in v])}


@reference
def divergence_nested():
    def f(t):
        if t < 40:
            return 1 if t & 1 else (2 if t < 20 else 3) if t & 2 else 10 * min(t, 6)
        return {0: 0, 1: -1, 2: -12, 3: -10}[t & 3]
    r = [f(t) for t in range(64)]
    n = [sum(x > 0 for x in r[:32]), sum(x > 0 for x in r[32:])]
    return {0: ('i32', [r[t] * 100 + n[t // 32] for t in range(64)])}


@reference
def divergence_producer():
    return {0: ('i32', [i * i + 1 for i in range(32)])}


def xorwow(seed, n):
    """Marsaglia's generator with the start that cuRAND's documentation of seeds leads to."""
    s0 = (seed & M32) ^ 0xaad26b49
    s1 = (seed >> 32) ^ 0xf7dcefdd
    t0, t1 = 1099087573 * s0 & M32, 2591861531 * s1 & M32
    d = (6615241 + t1 + t0) & M32
    v = [(123456789 + t0) & M32, 362436069 ^ t0, (521288629 + t1) & M32, 88675123 ^ t1, (5783321 + t0) & M32]
    out = []
    for _ in range(n):
        t = v[0] ^ v[0] >> 2
        v = v[1:] + [(v[4] ^ (v[4] << 4 & M32)) ^ (t ^ (t << 1 & M32))]
        d = (d + 362437) & M32
        out.append((v[4] + d) & M32)
    return out


def philox(counter, key):
    c, k = list(counter), list(key)
    for _ in range(10):
        a, b = 0xd2511f53 * c[0], 0xcd9e8d57 * c[2]
        c = [b >> 32 ^ c[1] ^ k[0], b & M32, a >> 32 ^ c[3] ^ k[1], a & M32]
        k = [(k[0] + 0x9e3779b9) & M32, (k[1] + 0xbb67ae85) & M32]
    return c


@reference
def random_streams():
    return {0: ('u32', xorwow(1234, 8) + philox([0, 0, 0, 0], [0, 0]) + philox([1, 0, 0, 0], [0, 0]) + [1] * 8)}


@reference
def random_uniform():
    return {0: ('f32', [0.5, 1 / 3, 0.0, 1.0, 0.5, 4.0], 0.05)}


@reference
def random_sobol():
    return {0: ('u32', [int('{:032b}'.format(i ^ i >> 1)[::-1], 2) for i in range(8)])}


def _u32(x):
    return x & 0xffffffff


def _s32(x):
    return (_u32(x) ^ 0x80000000) - 0x80000000


@reference
def wrap_values():
    n, u, s, out = 74, 0xfffffff5, 0x7ffffff3, [0] * 444
    for i in range(n):
        for k, v in enumerate((_u32(u + i) * 3, _s32(s + i), _s32(s - i) + _u32(5 - i),
                               _s32(s + 3 * i) << 2, _u32(u + 7 * i) * 4 + _u32(i - 20),
                               _s32(2 * (s - i)) - _s32(i * 0x10000000))):
            out[i + k * n] = v
    return {0: ('i64', out)}


@reference
def wrap_halves():
    return {1: ('i32', [2 * t if t < 21 else t - 21 + 1000 for t in range(64)])}


@reference
def wrap_stores():
    out = [7 * t if t < 21 else 1000 + t for t in range(48)]
    return {0: ('i32', out)}


@reference
def wrap_neighbours():
    return {1: ('i32', [10 * i + max(i - 1, 0) + (100 * (i + 1) if i < 149 else 0) for i in range(150)])}


@reference
def wrap_walk():
    return {1: ('i64', [sum(_s32(0x7fffffd1 + t + 13 * r) + _u32(0x7fffffd1 + t + 13 * r + 3) % 40
                            for r in range(9)) for t in range(40)])}


@reference
def wrap_down():
    return {1: ('i32', [sum(range(199 - t, t - 1, -3)) for t in range(40)])}


@reference
def waiting_grid_of_flags():
    return {2: ('i32', [3 * (767 - i) + 1 for i in range(768)])}


@reference
def waiting_from_above():
    return {1: ('i32', [sum(range(b + 2, 41)) for b in range(40)])}


@reference
def waiting_chained():
    return {0: ('i32', [b * (b + 1) // 2 + t for b in range(70) for t in range(96)])}


@reference
def waiting_lane_lock():
    return {1: ('i32', [150, 3 * sum(range(50))])}


@reference
def waiting_ping_pong():
    return {0: ('i32', [40])}


@reference
def waiting_warps():
    return {0: ('i32', [(100, 12, 21, 30)[3 - t // 32] for t in range(128)])}


@reference
def waiting_fenced():
    return {1: ('i32', [b + (7 * (b + 1) + 1 if b < 3 else 0) for b in range(4)])}


@reference
def launches_tree():
    out = [0] * 64

    def run(depth, threads):
        for t in range(threads):
            out[depth * 8 + t] += 1
            if depth < 3 and t % 2 == 0:
                run(depth + 1, t + 2)
    run(0, 4)
    return {0: ('i32', out)}


@reference
def launches_after():
    out = []
    for i in range(64):
        out += [i, -i]
    for b in range(2):
        for i in range(50):
            out[64 * b + i] = out[64 * b + i] * (b + 2) + 1
    return {0: ('i32', out)}


@reference
def lanes_steps():
    v = [[2 * (48 * b + t) - (199 - 2 * t) for t in range(48)] for b in range(2)]
    return {1: ('i32', [v[b][t] + (3 * (t - 5) + v[b][47 - t] * (52 - t) if t >= 5 else 0)
                        for b in range(2) for t in range(48)])}


@reference
def lanes_leaders():
    def shifted(v):  # by halves: beyond the warp, a lane keeps adding its own
        for d in (16, 8, 4, 2, 1):
            v = [v[k] + (v[k + d] if k + d < 32 else v[k]) for k in range(32)]
        return v
    warps = [shifted(list(range(32 * k, 32 * k + 32))) for k in range(6)]
    return {1: ('i32', [w[lane] + 32 * k + lane for k, w in enumerate(warps) for lane in (0, 31)]),
            2: ('i32', [sum(w[3] for w in warps)])}


@reference
def lanes_extremes():
    bits = [0x7fc00000, 0x80000000, 0, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000]

    def order(b):  # a number that grows as the float does, -0 below +0
        return b ^ 0xffffffff if b >> 31 else b | 0x80000000

    def pick(a, b, better):
        nan = 0x7fc00000
        return b if a == nan else a if b == nan else better(a, b, key=order)
    pairs = [(bits[t // 8], bits[t % 8]) for t in range(64)]
    return {0: ('u32', [pick(a, b, min) for a, b in pairs]),
            1: ('u32', [pick(pick(a, b, max), 0xc0000000, max) for a, b in pairs])}


@reference
def lanes_rows():
    return {1: ('i32', [(i - 1) + 2 * (i + 1) if 0 < i % 45 < 44 else 0 for i in range(315)])}


@reference
def lanes_powers():
    return {0: ('f32', [2.0**(2.5 * t - 60) for t in range(64)], 2.4e-7)}


@reference
def lanes_bytes():
    a, b = rand(5, 192, 'u8'), rand(6, 192, 'i8')
    some, less = [x & 3 != 0 for x in a], [x < y for x, y in zip(a, b)]
    across = [96 * (i // 96) + 95 - i % 96 for i in range(192)]
    return {2: ('i32', [i if some[i] else -1 for i in range(192)]),
            3: ('i64', [i * 5000000000 if less[i] else -i for i in range(192)]),
            4: ('f32', [0.5 * i if less[k] or not some[k] else -1.0 if b[i] < 7 else 2.0
                        for i, k in enumerate(across)])}


@reference
def lanes_ends():
    return {0: ('u32', [0x7f800000, 0, 0x7f800000, 0, 0, 0x7f800000, 0, 0x3f800000])}


# ---- park ----
def situations(threads):
    """Each situation of park.cu: a function from a thread to its result, with all that the others bring."""
    def value(i):
        return 7 * i + 3

    def lanes(t):  # indices of the threads of its warp
        return [i for i in range(t & ~31, min((t & ~31) + 32, threads))]

    def where(t, which):  # of its warp, as bits
        return sum(1 << (i & 31) for i in lanes(t) if which(i & 31))

    def apart(t):
        lane, base = t & 31, t & ~31
        if lane & 1:
            other = base + (lane ^ 2)
            return value(other if other < threads else t)
        return 5 + value(t - 4 if lane >= 4 else t)

    def after_exits(t):
        if t & 31 in range(0, 32, 3):
            return 1
        some = lambda l: l % 3 != 0
        return where(t, lambda l: some(l) and l & 4) ^ 1 << 30

    def nested(t):
        def inner(l):
            r = 16 + 2 if 4 <= l < 12 else 0
            return r + 0xff0 if l < 12 else 0
        return inner(t & 31) + where(t, inner)

    def matches(t):
        if t & 31 < 10:
            return where(t, lambda l: l < 10 and value(t - (t & 31) + l) % 4 == value(t) % 4)
        return where(t, lambda l: l >= 10) + 1

    def reductions(t):
        few = 0x0f0f
        if not few >> (t & 31) & 1:
            return max(value(i) for i in lanes(t) if not few >> (i & 31) & 1)
        v = [value(i) * 2654435761 & 0xffffffff for i in lanes(t) if few >> (i & 31) & 1]
        signed = [wrap(x, 'i32') for x in v]
        r = sum(v) & 0xffffffff
        every, some, odd = 0xffffffff, 0, 0
        for x in v:
            every, some, odd = every & (x | 0xff), some | (x & 0xff0f), odd ^ x
        return r ^ every ^ some ^ odd ^ min(v) ^ max(v) ^ (min(signed) & 0xffffffff) ^ (max(signed) & 0xffffffff)

    def widths(t):
        lane, base = t & 31, t & ~31
        if lane >= 16:
            return 0
        r = value(t + 3 if lane % 8 + 3 < 8 else t)
        r = 31 * r + value(base + (lane & ~3) + (lane + 5) % 4)
        w = value(base + (lane ^ 9))
        return 31 * r + w + 3 * (w ^ 0x55)

    def loops(t):
        def inner(t):
            return sum(sum(1 for i in lanes(t) if i & 1 and k < (i & 31) % 5) + k for k in range((t & 31) % 5))
        return inner(t) + 100 * sum(inner(i) & 1 for i in lanes(t))

    def barrier_after_exits(t):
        left = [i for i in range(threads) if i % 4 != 1]
        if t not in left:
            return 0
        return sum(i % 3 == 0 for i in left) + 1000 * all(i != 5 for i in left) + 2000 * any(i == 4 for i in left) + 4000 * threads

    def barrier_apart(t):
        return value(t - 1) if t & 1 else value(t + 1) + 1

    def flags(t):
        return value(17) if t == 3 else t & 31

    def mixed(t):
        def kept(i):
            return i + (where(i, lambda l: l < 8 and l & 2) if i & 31 < 8 else 0)
        r = kept((t + 9) % 48)
        return r + (kept((((t & ~31) + 5) + 9) % 48) if t & 31 < 8 else 0)

    def rounds(t):
        r = 0
        for k in range(4):
            left = [i for i in range(threads) if i & 31 >= 4 * k]
            if t not in left:
                break
            last = max(i for i in lanes(t) if i in left)
            r += value(t + 1 if t + 1 <= last else t) + sum(i & 1 for i in left)
        return r

    rows = (apart, after_exits, nested, matches, reductions, widths, loops, barrier_after_exits, barrier_apart, flags,
            mixed, rounds)
    return {0: ('u32', [row(t) & 0xffffffff for row in rows for t in range(threads)])}


@reference
def park_situations():
    return situations(80)



@reference
def held_steps():
    v, out = rand(11, 512, 'u32'), []
    for b in range(2):
        s = v[256 * b:256 * b + 256]
        for k in range(8):
            s = [(s[t] + (s[t - (1 << k)] if t >= 1 << k else 0)) & M32 for t in range(256)]
        for k in range(8):
            s = [s[t] ^ (s[t + (1 << k)] if t + (1 << k) < 256 else 0) for t in range(256)]
        out += s
    return {1: ('u32', out)}


@reference
def held_around():
    v = rand(12, 256, 'u32')
    a, b = [0] * 300, [0] * 300
    a[19:275] = v
    b[19:275] = [(a[t + 19] * 3 + a[t + 18] + a[t + 20] + a[t + 2] * 5 + a[t + 36] * 7) & M32 for t in range(256)]
    a[20:276] = [(b[t + 19] + b[t + 3] - b[t + 26]) & M32 for t in range(256)]
    return {1: ('u32', [a[t + 19] ^ b[t + 22] ^ a[255 - t] for t in range(256)])}


@reference
def held_wide():
    s = rand(13, 128, 'u64')
    for step in (1, 3, 9, 27, 81):
        s = [(s[t] + (s[t - step] * 3 if t >= step else 0)) & M64 for t in range(128)]
    return {1: ('u64', s)}


@reference
def held_mixed():
    s = rand(14, 256, 'u32')
    s = [(s[t * 5 & 255] + s[t ^ 1]) & M32 for t in range(256)]
    x = [(s[t] + s[7] + (s[t - 3] if t >= 3 else 0)) & M32 for t in range(256)]
    s[9] = x[100]
    x = [(x[t] + (s[9] if t & 1 else 0)) & M32 for t in range(256)]
    x = [x[t] ^ (s[t + 6] if t < 250 else 0) for t in range(256)]
    s = x[::-1]
    return {1: ('u32', [(s[t] + (s[t - 1] if t else 0)) & M32 for t in range(256)])}


@reference
def held_narrow():
    v = rand(15, 256, 'u32')
    h, b = [x & 0xffff for x in v], [x >> 8 & 255 for x in v]
    h = [(h[t] + (h[t - 2] if t >= 2 else 0)) & 0xffff for t in range(256)]
    b = [(b[t] + (b[t - 2] if t >= 2 else 0)) & 255 for t in range(256)]
    return {1: ('u32', [h[t] + (b[t - 4] * 3 if t >= 4 else 1) + (h[t - 32] if t >= 32 else 0) for t in range(256)])}


@reference
def held_some():
    v, n = rand(16, 192, 'u32'), 150
    s = [v[t] if t < n else 1 for t in range(192)]
    x = [(s[t] + (s[t - 1] * 2 if 1 <= t < n else 0)) & M32 for t in range(192)]
    s = [x[t] if t < n else s[t] for t in range(192)]
    x = [(x[t] - (s[t + 5] if t + 5 < n else 0)) & M32 for t in range(192)]
    s = [x[t] if t % 3 else s[t] for t in range(192)]
    return {1: ('u32', [(s[t] + (s[t - 16] if t >= 16 else 0)) & M32 for t in range(192)])}


@reference
def wrap_guarded():
    v, step, out = rand(21, 192, 'u32'), 7, []
    for b in range(2):
        s = v[96 * b:96 * b + 96]
        for t in range(96):
            x = s[t - step] if t >= step else ((t - step) & M32) << 1
            x += s[t - 5] * 3 if t >= 5 else 0
            x ^= s[t - 1] if t else 0
            x += s[t - 3] if t > 2 else (t - 3) & M32
            if t >= 2:
                x += s[t - 4] if t >= 4 else (t - 4) & M32
            out.append((x + (sum(s[:t + 1]) & M32)) & M64)
    return {1: ('u64', out)}


@reference
def even_functions_even_functions():
    f = [lambda x: x + 1, lambda x: x * 2, lambda x: x - 3, lambda x: x ^ 4]
    first, second = [f[(t + 1) % 4] for t in range(8)], [f[3 - t % 4] for t in range(8)]
    return {0: ('i32', [g(10 * t) for t, g in enumerate(first)] + [g(t) for t, g in enumerate(second)] + [4 * (g is h) for g, h in zip(first, second)])}


@reference
def packed_bytes():
    v = rand(31, 256, 'u32')
    raw = struct.pack('<256I', *v)
    s8, u8, s16 = struct.unpack('<1024b', raw), struct.unpack('<1024B', raw), struct.unpack('<512h', raw)
    low, high, sums = [], [], []
    for t in range(128):
        a, b, h, u = s8[4 * t:4 * t + 4], s8[4 * (t + 128):4 * (t + 129)], s16[4 * t:4 * t + 4], u8[4 * (255 - t):4 * (255 - t) + 3]
        sums.append(a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0] + h[0] * 3 + h[1] - h[2] * 5 + h[3] + u[0] + 2 * u[1] - u[2])
        low.append((a[0] + b[0] & 255) | (a[1] - b[1] & 255) << 8 | (a[2] ^ b[2]) % 256 << 16 | 7 << 24)
        high.append((h[0] + u[0] & 0xffff) | (h[3] - u[2] & 0xffff) << 16)
    return {1: ('u32', low + high), 2: ('i32', sums)}


@reference
def packed_counts():
    out = []
    for t, x in enumerate(rand(32, 64, 'u32')):
        same = not ((x ^ t) & 255)
        n = ((x & 6) != 0) + ((x & 1024) == 0) + (0 if same else 16) + ((x >> 20 & 6) != 0)
        out.append(n * 1000 + 100 + ((x & 0x10000) != 0) + same + 3)
    return {1: ('u32', out)}


@reference
def many_parameters_sums():
    x, out = rand(41, 2048, 'u32'), [[] for _ in range(12)]
    for t in range(32):
        s = [k * t for k in range(48)]
        for r in range(3):
            for k in range(48):
                s[k] = s[k] * 5 + (x[t + 32 * r] ^ s[(k + 1) % 48]) & M32
        for k in range(12):
            out[k] += s[4 * k:4 * k + 4]
    return {1 + k: ('u32', out[k]) for k in range(12)}


def short_plane():
    x, out = rand(51, 888, 'i32'), [0] * 888
    for y in range(1, 23):
        for c in range(1, 36):
            i = y * 37 + c
            out[i] = wrap(x[i] + x[i - 1] - 3 * x[i + 1] + x[i - 37] - x[i + 37], 'i32')
    return {1: ('i32', out)}


def short_product():
    a, b = rand(52, 576, 'i32'), rand(53, 768, 'i32')
    return {2: ('i32', [wrap(sum(a[r * 24 + k] * b[k * 32 + c] for k in range(24)), 'i32') for r in range(24) for c in range(32)])}


def short_apart(n):
    def compute():
        out, counts = [0] * 616, [0] * 5
        for b in range(70):
            for t in range(n):
                last, s = [b ^ k for k in range(5)], 0
                for k in range(b % 7 + t % 3):
                    if (s ^ b) & 1:
                        last[k % 5] += s + t
                    s = s * 3 + last[(k + b) % 5]
                out[b * n + n - 1 - t] = s
                counts[b & 3] += (s & 255) + t
                if s & 4:
                    counts[4] = b
        return {0: ('i32', out), 1: ('i32', counts)}
    return compute


def short_volumes():
    v, out = rand(54, 768, 'i32'), []
    for z in range(8):
        for y in range(8):
            for x in range(12):
                i = (z * 8 + y) * 12 + x
                out.append(wrap(v[i] + 2 * x + 3 * y + 5 * z + (v[i - 96] if z else 0) - (v[i + 1] if x < 11 else 0), 'i32'))
    return {1: ('i32', out)}


def short_tiles(w):
    def compute():
        v, out = rand(55, 384, 'i32'), [0] * 384
        for b in range(6):
            s = v[b * 64:b * 64 + 64]
            for t in range(64):
                x = t % w
                total = sum(s[t - x + k] * (k + x) for k in range(w))
                out[b * 64 + 63 - t] = wrap(total + s[t ^ 5], 'i32')
        return {1: ('i32', out)}
    return compute


def short_warps(w, h):
    def compute():
        v, out = rand(56, 128, 'i32'), []
        for b in range(2):
            s = v[b * 64:b * 64 + 64]
            for t in range(64):
                total = sum(s[t // 32 * 32:t // 32 * 32 + 32])
                place = t % w + 3 * (t // w % h) + 7 * (t // (w * h))
                out.append(wrap(total + s[t % 8 * 8 + t // 8] * place, 'i32'))
        return {1: ('i32', out)}
    return compute


def short_wrapped():
    v, out = rand(57, 72, 'i32'), []
    for i in range(72):
        k = 0xffffffe3 + i & M32
        out.append(wrap(wrap(k, 'i32') * 3 + k + (v[k] if k < 40 else 0), 'i64'))
    return {1: ('i64', out)}


for shape in '8x8 4x4 16x2 5x6 2x12 1x24 1x1'.split():
    REFERENCES['short_rows_plane_' + shape] = short_plane
for shape in '8x8 4x8 1x3'.split():
    REFERENCES['short_rows_product_' + shape] = short_product
for shape, threads in ('1', 1), ('8', 8), ('2x4', 8):
    REFERENCES['short_rows_apart_' + shape] = short_apart(threads)
for shape in '4x4x4 8x2x2'.split():
    REFERENCES['short_rows_volumes_' + shape] = short_volumes
for shape in '8x4x2 4x8x2 2x2x16'.split():
    REFERENCES['short_rows_tiles_' + shape] = short_tiles(int(shape[0]))
for shape, x, y in ('8x8', 8, 8), ('16x4', 16, 4), ('4x4x4', 4, 4):
    REFERENCES['short_rows_rows_' + shape] = short_warps(x, y)
for shape in '8', '1':
    REFERENCES['short_rows_wrapped_' + shape] = short_wrapped


@reference
def addresses_rows():
    a, out = rand(61, 4096, 'i32'), []
    for row in range(8):
        for col in range(16):
            s = sum(a[row * 64 + k] * a[k * 64 + col + 3] - a[(row + 13) * 64 + k + 5] for k in range(48))
            out += [wrap(s + r, 'i32') for r in range(4)]
    return {1: ('i32', out)}


@reference
def addresses_backwards():
    a, out = rand(61, 4096, 'i32'), []
    for w in range(2):
        s = 0
        for k in range(39, -1, -1):
            s = s * 3 + a[k * 64 + 5 + w] + a[63 * 64 - k * 3 + w - 1]
        out += [wrap(s, 'i64')] * 32
    return {1: ('i64', out)}


@reference
def addresses_unsigned():
    a, out = rand(62, 64, 'i32'), []
    for w in range(2):
        out += [wrap(sum(a[i] + a[8 + (i + w) % 32] for i in range(64)), 'i32')] * 32
    return {1: ('i32', out)}


@reference
def addresses_mixed():
    a, out = rand(61, 4096, 'i32'), []
    short = [wrap(x >> 16 * h, 'i16') for x in a for h in range(2)]
    for y in range(2):
        for x in range(32):
            s = 0
            for i in range(7):
                for j in range(i, 20, 2):
                    q = y * 1000 + i * 100
                    s += a[q + j * 3 + 7] ^ a[q + x + j - i] ^ short[y * 2000 + 7 * i + j]
            out.append(wrap(s, 'i32'))
    return {1: ('i32', out)}


def _dot(x, y, signed):
    return sum((_s8(x >> 8 * k & 255) if signed else x >> 8 * k & 255) * (_s8(y >> 8 * k & 255) if signed else y >> 8 * k & 255)
               for k in range(4))


def _s8(x):
    return x - 256 if x > 127 else x


def _lane_distances(seed, first, n):
    data, out, sums = rand(seed, 1360, 'u8'), [], []
    number = lambda at, size: int.from_bytes(bytes(data[at:at + size]), 'little')
    for t in range(64):
        total = plain = 0
        part = t % 4
        for k in range(t // 4, n, 16):
            at = 34 * (8 + _s32(first + k))
            h = at + 2 + 8 * part
            x, y, d = number(h, 4), number(h + 4, 4), number(at, 2)
            scale = d if part < 2 else number(h + 2 * part, 2) ^ d
            scale -= 65536 if scale > 32767 else 0
            total += _dot(x, y, True) * scale + _s8(data[at + 2 + part])
            total += _dot(y & 0x0f0f0f0f, x, True) + k + _dot(x, 0x01020304, True)
            plain += _dot(x, y & 0x7f3f1f0f, False) + 3 + _dot(y & 0x01010101, x, False)
        sums.append(total)
        out.append(_s32((total ^ plain) & M32))
    out += [_s32(sum(sums[w * 32:w * 32 + 32])) for w in range(2) for _ in range(32)]
    return {1: ('i32', out)}


@reference
def lane_distances_whole():
    return _lane_distances(5, 0, 32)


@reference
def lane_distances_partly():
    return _lane_distances(6, 0xfffffff9, 29)


@reference
def lane_distances_extended():
    s, u, out = 0x7ffffffb, 0xfffffffa, [0] * 256
    for t in range(64):
        k, j = t // 4, (t & 3) * 2 + (t >> 3)
        for n, v in enumerate((_s32(s + k) * 34, _u32(u + k) * 36 + _s32(s + j), _s32(s - k) + _u32(k - u), _s32((s + k) * 2 + j))):
            out[t + 64 * n] = v
    return {0: ('i64', out)}


@reference
def lane_distances_apart():
    data = rand(7, 544, 'u8')
    return {1: ('i32', [_s8(data[34 * (t // 4) + 2 + t % 4]) + data[34 * (t // 4)] + 256 * data[34 * (t // 4) + 1]
                        if t // 4 < 12 else -1 for t in range(64)])}
