// What the libraries have for pages: products of matrices, Fourier transforms, scans and sorts of buffers, by the kernels of our cuBLAS,
// cuFFT, Thrust and CUB. Their sources (sources.js) come when they are first needed, and each kernel is compiled for the device then.
import { loadFft } from './compiler.js';
import { DeviceError } from './errors.js';

const PROGRAMS = 24, PLANS = 24; // that a device keeps
const THREADS = 256, TILE = 1024, DIGITS = 256, DIGIT_BITS = 8, GPU_DIGITS = 16, GPU_BITS = 4; // web/library/ranges.cuh has these, too
const SHARED = 32768; // what transforms use of shared memory, at most
const parts = { blas: ['device/blas/', 'web/library/products.cuh'], fft: ['device/fft/'], ranges: ['tern_parallel', 'web/library/ranges.cuh'] };
const headers = { blas: ['device/blas/level2.h', 'web/library/products.cuh'], fft: ['device/fft/lines.h'], ranges: ['web/library/ranges.cuh'] };
const up = (n, a) => Math.ceil(n / a);

/** What a device has of the libraries. Calls come one after the other: what is kept may go when the next one needs something else. */
class Library {
    constructor(device) {
        Object.assign(this, { device, programs: new Map(), plans: new Map(), last: Promise.resolve() });
    }

    inTurn(work) {
        const mine = this.last.then(work);
        this.last = mine.catch(() => {});
        return mine;
    }

    /** What is kept under a key, made if it is not there; of more than `most`, the one that was not used for longest goes. */
    async kept(map, key, most, make) {
        const known = map.get(key) ?? await make();
        map.delete(key);
        map.set(key, known);
        if (map.size > most) {
            const [[oldest, what]] = map;
            map.delete(oldest);
            what.free();
        }
        return known;
    }

    async program(part, names, block) {
        return this.kept(this.programs, `${names.join('; ')} ${block}`, PROGRAMS, async () => {
            const { default: sources } = await import('./sources.js');
            const files = Object.fromEntries(Object.entries(sources).filter(([name]) => parts[part].some(start => name.startsWith(start))));
            return this.device.load(headers[part].map(name => `#include "${name}"\n`).join(''), { files, names, path: 'library.cu', defines: ['FFT_INDEX=int'], ...(block && { block: [block, 1, 1] }) });
        });
    }

    /** Kernels by their names in C++, for blocks of so many threads (0: of various numbers). On WebAssembly they are one program, since buffers
     *  lie in a program's memory, and code for the blocks. */
    async kernels(part, names, block) {
        const gpu = this.device.kind === 'webgpu', wanted = [...new Set(names)], found = new Map(), sets = gpu ? wanted.map(name => [name]) : [wanted];
        for (const set of sets) {
            const made = (await this.program(part, set, gpu ? 0 : block)).kernels.filter(k => !k.name.startsWith('__tern_')); // in order, beside what headers have
            set.forEach((name, k) => {
                if (!made[k].name.includes(/(\w+)</.exec(name)[1])) throw new Error(`${made[k].name} is not ${name}`);
                found.set(name, made[k]);
            });
        }
        return names.map(name => found.get(name));
    }
}

const libraries = new WeakMap();

/** Does `work` in turn with the library of the device that these buffers are of; buffers that it takes by scratch() are freed then. */
function on(buffers, work) {
    const { device } = buffers[0] ?? {};
    if (!device || buffers.some(b => b?.device !== device)) throw new TypeError('buffers of one device are needed');
    if (!libraries.has(device)) libraries.set(device, new Library(device));
    const library = libraries.get(device), taken = [];
    return library.inTurn(async () => {
        try {
            const launches = await work(library, bytes => (taken.push(device.scratch(bytes)), taken.at(-1)));
            return { milliseconds: launches.length ? await device.launchAll(launches) : 0 };
        } finally {
            for (const b of taken) b.free();
        }
    });
}

// ---- what callers give ----

const types = {
    i32: ['int', 4], u32: ['unsigned', 4], f32: ['float', 4], f64: ['double', 8], f16: ['__half', 2],
};
const byArray = new Map([[Int32Array, 'i32'], [Uint32Array, 'u32'], [Float32Array, 'f32'], [Float64Array, 'f64']]);

/** Of a call's elements: { name, bytes }. */
function typeOf(what, given, buffer, allowed) {
    const type = given ?? byArray.get(buffer?.type);
    if (!allowed.includes(type)) throw new TypeError(`${what} takes elements of type ${allowed.join(', ')}, not ${type ?? buffer?.type?.name}`);
    return { type, name: types[type][0], bytes: types[type][1] };
}

function counts(what, given) {
    for (const [name, n] of Object.entries(given)) if (!Number.isInteger(n) || n < 0 || n >= 2 ** 31) throw new RangeError(`${what}: ${name} is ${n}`);
}

function holds(what, name, buffer, elements, bytes) {
    if (typeof buffer?.read !== 'function') throw new TypeError(`${what}: ${name} is no buffer`);
    if (elements * bytes > buffer.byteLength) throw new RangeError(`${what}: ${name} has ${buffer.byteLength} bytes, not ${elements * bytes}`);
}

/** Elements from the first to the last of a matrix by columns. */
const extent = (rows, columns, ld) => rows && columns ? (columns - 1) * ld + rows : 0;

// ---- products ----

/** C = alpha op(A) op(B) + beta C, as cublasSgemm does it (stridedBatched where `batch` says so); order 'row': for matrices by rows. */
export async function gemm({ order = 'column', ...given }) {
    const { m, n, k, a, b, c, alpha = 1, beta = 0, transA = false, transB = false, batch = 1, lda, ldb, ldc, strideA, strideB, strideC, type } = given;
    if (order === 'row') // by columns, all three are transposed: C' = B' A'
        return gemm({ m: n, n: m, k, a: b, b: a, c, alpha, beta, transA: transB, transB: transA, batch, lda: ldb ?? (transB ? k : n), ldb: lda ?? (transA ? m : k), ldc: ldc ?? n, strideA: strideB, strideB: strideA, strideC, type });
    if (order !== 'column') throw new TypeError(`gemm: order is ${order}, not column or row`);
    const t = typeOf('gemm', type, a, ['f32', 'f64', 'f16']), rowsA = transA ? k : m, columnsA = transA ? m : k, rowsB = transB ? n : k, columnsB = transB ? k : n;
    const la = lda ?? Math.max(rowsA, 1), lb = ldb ?? Math.max(rowsB, 1), lc = ldc ?? Math.max(m, 1);
    const sizes = [extent(rowsA, columnsA, la), extent(rowsB, columnsB, lb), extent(m, n, lc)];
    const [sa, sb, sc] = [strideA ?? la * columnsA, strideB ?? lb * columnsB, strideC ?? lc * n];
    counts('gemm', { m, n, k, batch, lda: la, ldb: lb, ldc: lc, strideA: sa, strideB: sb, strideC: sc });
    if (la < rowsA || lb < rowsB || lc < m) throw new RangeError('gemm: a leading dimension is less than the rows of its matrix');
    if (batch > 65535) throw new RangeError(`gemm: ${batch} products are more than 65535`);
    if (!m || !n || !batch) return { milliseconds: 0 };
    if (batch > 1 && sc < sizes[2]) throw new RangeError('gemm: results of a batch lie on each other');
    [['a', a, sizes[0], sa], ['b', b, sizes[1], sb], ['c', c, sizes[2], sc]].forEach(([name, buffer, size, stride]) => holds('gemm', name, buffer, size + (size && stride * (batch - 1)), t.bytes));
    if (c === a || c === b) throw new TypeError('gemm: c is also an operand');
    return on([a, b, c], async library => {
        const [tile, shape] = m <= 32 && n <= 32 ? [16, '16, 16, 16, 1, 1'] : [64, '64, 64, 16, 4, 4'];
        const [kernel] = await library.kernels('blas', [`page_product<${t.name}, ${t.type === 'f64' ? 'double' : 'float'}, ${transA}, ${transB}, ${shape}>`], THREADS);
        return [{ kernel, grid: [up(m, tile) * up(n, tile), batch], block: THREADS, args: [a, b, c, m, n, k, la, lb, lc, sa, sb, sc, alpha, beta] }];
    });
}

/** y = alpha op(A) x + beta y, as cublasSgemv does it, with steps between elements that are not negative. */
export async function gemv({ m, n, a, x, y, alpha = 1, beta = 0, trans = false, lda, incx = 1, incy = 1, order = 'column', type }) {
    if (order === 'row') return gemv({ m: n, n: m, a, x, y, alpha, beta, trans: !trans, lda: lda ?? n, incx, incy, type });
    if (order !== 'column') throw new TypeError(`gemv: order is ${order}, not column or row`);
    const t = typeOf('gemv', type, a, ['f32', 'f64']), ld = lda ?? Math.max(m, 1), [inputs, outputs] = trans ? [m, n] : [n, m];
    counts('gemv', { m, n, lda: ld, incx, incy });
    if (ld < m || !incx || !incy) throw new RangeError('gemv: a step is less than it has to be');
    if (!m || !n) return { milliseconds: 0 };
    holds('gemv', 'a', a, extent(m, n, ld), t.bytes);
    holds('gemv', 'x', x, (inputs - 1) * incx + 1, t.bytes);
    holds('gemv', 'y', y, (outputs - 1) * incy + 1, t.bytes);
    if (y === a || y === x) throw new TypeError('gemv: y is also an operand');
    return on([a, x, y], async (library, scratch) => {
        const scalars = [null, alpha, 0, null, beta, 0];
        if (trans) {
            const [rows] = await library.kernels('blas', [`gemv_rows<${t.name}>`], THREADS);
            return [{ kernel: rows, grid: Math.min(n, 32768), block: THREADS, args: [m, n, a, ld, x, incx, 0, ...scalars, y, incy] }];
        }
        // A thread has a row, or several; a share of the columns is a block's, so that there are enough of them.
        const wide = ld * t.bytes % 16 === 0 && m * n >= 65536 ? 16 / t.bytes : 1, across = 128, blocks = up(m, across * wide);
        const wanted = Math.max(1, Math.min(up(256, blocks), Math.floor(n / 32))), share = up(n, wanted), shares = up(n, share), sums = scratch(m * shares * t.bytes);
        const [columns, end] = await library.kernels('blas', [`gemv_columns<${t.name}, ${wide}>`, `gemv_end<${t.name}>`], across);
        return [{ kernel: columns, grid: [blocks, shares], block: across, args: [m, n, share, a, ld, x, incx, sums] },
            { kernel: end, grid: Math.min(up(m, across), 32768), block: across, args: [m, shares, sums, ...scalars, y, incy] }];
    });
}

// ---- Fourier transforms ----

class Plan {
    constructor({ work, steps }, tables) {
        Object.assign(this, { work, steps, tables });
    }

    free() {
        this.tables.free();
    }
}

/** cuFFT's plan for the device, with its tables there. */
async function planned(device, [n0, n1 = 1, n2 = 1], rank, batch, kind, inverse, wide) {
    const planner = await loadFft(), { shared, threads } = device.kind === 'webgpu'
        ? { shared: Math.min(SHARED, device.gpu.limits.maxComputeWorkgroupStorageSize), threads: Math.min(512, device.gpu.limits.maxComputeInvocationsPerWorkgroup, device.gpu.limits.maxComputeWorkgroupSizeX) }
        : { shared: SHARED, threads: 512 };
    const at = planner.tern_fft_plan(rank, n0, n1, n2, batch, kind, inverse, wide, shared, threads, device.kind === 'webgpu');
    if (!at) throw new DeviceError('fft: there is not enough memory for a plan');
    const memory = new Uint8Array(planner.memory.buffer), plan = JSON.parse(new TextDecoder().decode(memory.subarray(at, memory.indexOf(0, at))));
    const [from, size] = plan.tables;
    for (const s of plan.steps) s.bytes = memory.slice(s.bytes[0], s.bytes[0] + s.bytes[1]);
    return new Plan(plan, device.buffer(memory.slice(from, from + Math.max(size, 4))));
}

/** A transform as cufftExec does it, unscaled: complex numbers are pairs; one to three axes, the last one the fastest; in place if
 *  there is no output. kind 'real': from reals to the first half of the spectrum (n / 2 + 1), or, inverse, back. */
export async function fft({ input, output = input, n, batch = 1, inverse = false, kind = 'complex', type }) {
    const axes = Array.from(typeof n === 'number' ? [n] : n), t = typeOf('fft', type, input, ['f32', 'f64']);
    if (axes.length < 1 || axes.length > 3 || axes.includes(0) || !batch) throw new RangeError('fft: one to three axes, of one element at least');
    counts('fft', { ...axes, batch });
    const real = kind === 'real', outer = axes.slice(0, -1).reduce((a, b) => a * b, batch), last = axes.at(-1);
    if (!real && kind !== 'complex') throw new TypeError(`fft: kind is ${kind}, not complex or real`);
    const reals = outer * last, spectrum = 2 * outer * (real ? (last >> 1) + 1 : last), [given, made] = real ? inverse ? [spectrum, reals] : [reals, spectrum] : [spectrum, spectrum];
    if (spectrum >= 2 ** 31) throw new RangeError(`fft: ${axes.join(' x ')}, ${batch} of them`);
    holds('fft', 'input', input, given, t.bytes);
    holds('fft', 'output', output, made, t.bytes);
    if (real && output === input) throw new TypeError('fft: reals and their spectrum need two buffers');
    return on([input, output], async (library, scratch) => {
        const { device } = library, which = real ? inverse ? 2 : 1 : 0, wide = t.type === 'f64';
        const plan = await library.kept(library.plans, `${axes} ${batch} ${which} ${inverse} ${wide}`, PLANS, () => planned(device, axes, axes.length, batch, which, inverse, wide));
        const kernels = await library.kernels('fft', plan.steps.map(s => s.kernel), plan.steps.every(s => s.threads === plan.steps[0].threads) ? plan.steps[0].threads : 0), areas = [input, output, plan.work ? scratch(plan.work) : null, plan.tables];
        return plan.steps.map(({ blocks, threads, shared, bytes, pointers }, k) => ({
            kernel: kernels[k], grid: blocks, block: threads, shared, args: [{ bytes, pointers: pointers.map(([at, area, within]) => [at, areas[area], within]) }],
        }));
    });
}

// ---- scans and sorts ----

const NOTHING = new Uint8Array(1), arrays = { i32: Int32Array, u32: Uint32Array, f32: Float32Array, f64: Float64Array };
const least = { i32: -(2 ** 31), u32: 0, f32: -Infinity, f64: -Infinity }, greatest = { i32: 2 ** 31 - 1, u32: 2 ** 32 - 1, f32: Infinity, f64: Infinity };
const operations = { sum: ['page_sum', type => type[0] === 'f' ? -0 : 0], min: ['page_min', type => greatest[type]], max: ['page_max', type => least[type]] };
const space = 'tern_parallel::';

/** How a processor goes through a range: chunks, one for each of these blocks of one thread. */
function chunked(n) {
    const size = Math.max(4096, up(n, 64));
    return { count: up(n, size), chunks: new Uint8Array(BigUint64Array.of(BigInt(n), BigInt(size)).buffer) };
}

/** Launches that scan; `start` is a value, or undefined. `from` and `to` may be one buffer. */
async function scanning(library, scratch, { name, bytes, type }, from, to, n, { op, neutral }, exclusive, start) {
    const has = start !== undefined, starts = has ? `${space}start_value<${name}>` : `${space}start_none`, first = has ? arrays[type].of(start) : NOTHING;
    if (library.device.kind !== 'webgpu') {
        const { count, chunks } = chunked(n), sums = scratch(count * bytes);
        const [add, carry, scan] = await library.kernels('ranges', [`${space}chunk_sums<${name}, const ${name} *, ${op}>`, `${space}chunk_carries<${name}, ${op}>`,
            `${space}scan_chunks<${exclusive}, ${name}, const ${name} *, ${name} *, ${op}, ${starts}>`], 1);
        return [...count > 1 ? [{ kernel: add, grid: count, block: 1, args: [from, chunks, sums, NOTHING] }, { kernel: carry, grid: 1, block: 1, args: [sums, count, NOTHING] }] : [],
            { kernel: scan, grid: count, block: 1, args: [from, to, chunks, sums, NOTHING, first] }];
    }
    const tiles = up(n, TILE), sums = scratch(tiles * bytes), begin = has ? start : neutral;
    const [add, carry, scan] = await library.kernels('ranges', [`page_tile_sums<${name}, ${op}>`, `page_carries<${name}, ${op}>`, `page_scan<${name}, ${op}>`], THREADS);
    return [...tiles > 1 ? [{ kernel: add, grid: tiles, block: THREADS, args: [from, n, sums, neutral] }, { kernel: carry, grid: 1, block: THREADS, args: [sums, tiles, neutral] }] : [],
        { kernel: scan, grid: tiles, block: THREADS, args: [from, to, n, sums, tiles > 1 ? 1 : 0, begin, neutral, exclusive ? 1 : 0] }];
}

/** What elements up to each one come to (exclusive: up to the one before it, from `initial` on); in place if there is no output. */
export async function scan({ input, output = input, n, op = 'sum', exclusive = false, initial, type }) {
    const t = typeOf('scan', type, input, ['i32', 'u32', 'f32', 'f64']), count = n ?? Math.floor(input.byteLength / t.bytes);
    if (!Object.hasOwn(operations, op)) throw new TypeError(`scan: op is ${op}, not ${Object.keys(operations).join(', ')}`);
    counts('scan', { n: count });
    holds('scan', 'input', input, count, t.bytes);
    holds('scan', 'output', output, count, t.bytes);
    if (!count) return { milliseconds: 0 };
    const [name, neutral] = operations[op], start = initial ?? (exclusive ? op === 'sum' ? 0 : neutral(t.type) : undefined);
    return on([input, output], (library, scratch) => scanning(library, scratch, t, input, output, count, { op: name, neutral: neutral(t.type) }, exclusive, start));
}

/** Sorts keys in place, and values of 32 bits beside them: a radix sort, so equal keys keep their order. */
export async function sort({ keys, values, n, descending = false, type }) {
    const t = typeOf('sort', type, keys, ['i32', 'u32', 'f32']), count = n ?? Math.floor(keys.byteLength / t.bytes);
    counts('sort', { n: count });
    holds('sort', 'keys', keys, count, t.bytes);
    if (values) holds('sort', 'values', values, count, 4);
    if (values === keys) throw new TypeError('sort: values are the keys');
    if (count < 2) return { milliseconds: 0 };
    return on(values ? [keys, values] : [keys], async (library, scratch) => {
        const value = values ? 'unsigned' : `${space}no_values`, sides = [[keys, values ?? null], [scratch(count * 4), values ? scratch(count * 4) : null]], launches = [];
        const [bits, round] = await (library.device.kind === 'webgpu' ? sortTiles : sortChunks)(library, scratch, t, value, count, descending);
        for (let shift = 0, from = 0; shift < 32; shift += bits, from = 1 - from) launches.push(...round(shift, sides[from], sides[1 - from]));
        return launches; // an even number of rounds ends where it began
    });
}

/** Bits that a round sorts by, and its launches. */
async function sortChunks(library, scratch, { name }, value, n, descending) {
    const { count, chunks } = chunked(n), places = scratch(count * DIGITS * 8);
    const [digits, sums, put] = await library.kernels('ranges', [`${space}chunk_digits<${name}>`, `${space}chunk_places<size_t>`, `${space}put_chunk_digits<${name}, ${value}>`], 1);
    return [DIGIT_BITS, (shift, [keys, values], [keysOut, valuesOut]) => {
        const digit = new Uint8Array(Int32Array.of(shift, DIGIT_BITS, descending ? 1 : 0).buffer);
        return [{ kernel: digits, grid: count, block: 1, args: [keys, chunks, places, digit] },
            { kernel: sums, grid: 1, block: 1, args: [places, count * DIGITS] },
            { kernel: put, grid: count, block: 1, args: [keys, keysOut, values, valuesOut, chunks, places, digit] }];
    }];
}

async function sortTiles(library, scratch, { name }, value, n, descending) {
    const tiles = up(n, TILE), counts = scratch(tiles * GPU_DIGITS * 4), unsigned = { name: 'unsigned', bytes: 4, type: 'u32' }, flip = descending ? 2 ** 32 - 1 : 0;
    const [digits, put] = await library.kernels('ranges', [`page_digits<${name}>`, `page_put<${name}, ${value === 'unsigned'}>`], THREADS);
    const places = await scanning(library, scratch, unsigned, counts, counts, tiles * GPU_DIGITS, { op: 'page_sum', neutral: 0 }, true, 0);
    return [GPU_BITS, (shift, [keys, values], [keysOut, valuesOut]) => [
        { kernel: digits, grid: tiles, block: THREADS, args: [keys, n, counts, shift, flip] },
        ...places,
        { kernel: put, grid: tiles, block: THREADS, args: [keys, keysOut, values, valuesOut, n, counts, shift, flip] },
    ]];
}
