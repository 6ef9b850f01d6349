// The package's gemm, gemv, fft, scan and sort on a device, against loops in double: libraries(tern, device) gives [name, why it failed or
// null] pairs. Compiling is what takes time, of shaders on a software GPU most of all: only one device gets all kinds of each; threads and scalars
// have the same code.
const few = d => d.kind !== 'wasm' || d.threads > 1;
let seed = 1;
const random = () => (seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff) / 0x7fffffff - 0.5;
const filled = (Type, n, scale = 1) => Type.from({ length: n }, () => scale === 1 ? random() : Math.floor(random() * scale));

/** The largest difference is a small part of the largest number. */
function near(got, want, part, what) {
    if (got.length !== want.length) throw new Error(`${what}: ${got.length} elements, not ${want.length}`);
    const most = want.reduce((a, v) => Math.max(a, Math.abs(v)), 0), at = got.findIndex((v, i) => !(Math.abs(v - want[i]) <= part * most));
    if (at >= 0) throw new Error(`${what}: element ${at} is ${got[at]}, not ${want[at]}`);
}

async function refused(promise, name, pattern) {
    const e = await promise.then(() => null, x => x);
    if (e?.name !== name || !pattern.test(e.message)) throw new Error(`${e?.name}: ${e?.message}, not ${name} ${pattern}`);
}

/** Buffers for the time of a test. */
async function using(d, arrays, work) {
    const buffers = arrays.map(a => d.buffer(a));
    try {
        return await work(...buffers);
    } finally {
        for (const b of buffers) b.free();
    }
}

/** One product against its sum; leading dimensions are `more` than the rows. Elements between columns stay as they are. */
async function product(tern, d, { m, n, k, transA = false, transB = false, order = 'column', batch = 1, more = 0, alpha = 1.5, beta = -0.5, Type = Float32Array, part = 1e-5 }) {
    const along = (rows, columns) => (order === 'row' ? columns : rows) + more, across = (rows, columns) => order === 'row' ? rows : columns;
    const shape = (rows, columns, turned) => turned ? [columns, rows] : [rows, columns], [ra, ca] = shape(m, k, transA), [rb, cb] = shape(k, n, transB);
    const sizes = [[ra, ca], [rb, cb], [m, n]].map(([r, c]) => along(r, c) * across(r, c)), [A, B, C] = sizes.map(size => filled(Type, size * batch));
    if (!beta) C.fill(NaN); // what is there is not read
    const at = (ld, i, j, turned) => { if (turned) [i, j] = [j, i]; return order === 'row' ? i * ld + j : i + j * ld; }, want = C.slice();
    for (let z = 0; z < batch; z++)
        for (let i = 0; i < m; i++)
            for (let j = 0; j < n; j++) {
                let sum = 0;
                for (let q = 0; q < k; q++) sum += A[z * sizes[0] + at(along(ra, ca), i, q, transA)] * B[z * sizes[1] + at(along(rb, cb), q, j, transB)];
                const to = z * sizes[2] + at(along(m, n), i, j, false);
                want[to] = alpha * sum + (beta ? beta * C[to] : 0);
            }
    await using(d, [A, B, C], async (a, b, c) => {
        const { milliseconds } = await tern.gemm({ m, n, k, a, b, c, alpha, beta, transA, transB, order, batch, lda: along(ra, ca), ldb: along(rb, cb), ldc: along(m, n) });
        if (!(milliseconds >= 0)) throw new Error(`${milliseconds} ms`);
        const got = await c.read(), kept = v => Number.isNaN(v) ? 0 : v;
        if (!beta && got.some((v, i) => Number.isNaN(v) !== Number.isNaN(want[i]))) throw new Error('what was there was read');
        near(got.map(kept), want.map(kept), part, `${m} x ${n} x ${k}, ${order}`);
    });
}

/** Complex numbers as pairs; by rows of n, and of the result `rows` of them. */
function transformed(x, n, inverse = false) {
    const out = new Float64Array(x.length);
    for (let line = 0; line < x.length; line += 2 * n)
        for (let k = 0; k < n; k++)
            for (let j = 0; j < n; j++) {
                const angle = (inverse ? 2 : -2) * Math.PI * (j * k % n) / n, c = Math.cos(angle), s = Math.sin(angle);
                out[line + 2 * k] += x[line + 2 * j] * c - x[line + 2 * j + 1] * s;
                out[line + 2 * k + 1] += x[line + 2 * j] * s + x[line + 2 * j + 1] * c;
            }
    return out;
}

async function transform(tern, d, n, batch, { Type = Float32Array, part = 1e-5, back = true } = {}) {
    const x = filled(Type, 2 * n * batch), want = transformed(x, n);
    await using(d, [x, new Type(x.length)], async (input, output) => {
        await tern.fft({ input, output, n, batch });
        near(await output.read(), want, part, `${n}`);
        near(await input.read(), x, 0, 'what was read');
        if (!back) return;
        await tern.fft({ input: output, n, batch, inverse: true });
        near((await output.read()).map(v => v / n), x, part, `${n}, back`);
    });
}

async function reals(tern, d, n, batch) {
    const half = (n >> 1) + 1, x = filled(Float32Array, n * batch), whole = transformed(Float64Array.from({ length: 2 * n * batch }, (_, i) => i % 2 ? 0 : x[i >> 1]), n);
    const want = Float64Array.from({ length: 2 * half * batch }, (_, i) => whole[Math.floor(i / (2 * half)) * 2 * n + i % (2 * half)]);
    await using(d, [x, new Float32Array(want.length), new Float32Array(x.length)], async (input, spectrum, output) => {
        await tern.fft({ input, output: spectrum, n, batch, kind: 'real' });
        near(await spectrum.read(), want, 1e-5, `${n} reals`);
        await tern.fft({ input: spectrum, output, n, batch, kind: 'real', inverse: true });
        near((await output.read()).map(v => v / n), x, 1e-5, `${n} reals, back`);
    });
}

async function scanned(tern, d, Type, n, op, exclusive, initial) {
    const f = { sum: (a, b) => a + b, min: Math.min, max: Math.max }[op], x = filled(Type, n, 1000), out = new Type(n);
    let sum = initial ?? { sum: 0, min: Type === Int32Array ? 2 ** 31 - 1 : Infinity, max: Type === Int32Array ? -(2 ** 31) : 0 }[op];
    for (let i = 0; i < n; i++) {
        const with_ = Type.of(f(sum, x[i]))[0];
        out[i] = exclusive ? sum : with_;
        sum = with_;
    }
    await using(d, [x], async input => {
        await tern.scan({ input, op, exclusive, ...(initial !== undefined && { initial }) });
        near(await input.read(), out, 0, `${op} of ${n}`);
    });
}

async function sorted(tern, d, Type, n, descending, pairs) {
    const k = filled(Type, n, 2 ** 12).map((v, i) => i % 7 ? v : v * 2 ** 17), order = Array.from(k.keys()).sort((a, b) => (descending ? k[b] - k[a] : k[a] - k[b]) || a - b);
    await using(d, pairs ? [k, Uint32Array.from(k.keys())] : [k], async (keys, values) => {
        await tern.sort({ keys, values, descending });
        near(await keys.read(), order.map(i => k[i]), 0, `${n} keys`);
        if (pairs) near(await values.read(), order, 0, `values of ${n}`);
    });
}

const tests = {
    async 'gemm'(tern, d) {
        await product(tern, d, { m: 17, n: 23, k: 31 });
        if (d.kind !== 'webgpu') await product(tern, d, { m: 5, n: 7, k: 9, transA: true, transB: true, more: 3, batch: 3, beta: 0 });
        await product(tern, d, { m: 33, n: 65, k: 19, transB: true, order: 'row' });
    },
    async 'gemv'(tern, d) {
        for (const trans of [false, true]) {
            const [m, n, ld] = [133, 77, 140], a = filled(Float32Array, ld * n), x = filled(Float32Array, 2 * (trans ? m : n)), y = filled(Float32Array, trans ? n : m);
            const want = y.map((v, i) => { let sum = 0; for (let j = 0; j < (trans ? m : n); j++) sum += a[trans ? j + i * ld : i + j * ld] * x[2 * j]; return 2 * sum - v; });
            await using(d, [a, x, y], async (A, X, Y) => {
                await tern.gemv({ m, n, a: A, lda: ld, x: X, incx: 2, y: Y, alpha: 2, beta: -1, trans });
                near(await Y.read(), want, 1e-5, trans ? 'transposed' : 'as it lies');
            });
        }
    },
    async 'fft'(tern, d) {
        await transform(tern, d, d.kind === 'webgpu' ? 15 : 17, 2, { back: false });
        if (few(d)) return;
        for (const [n, batch] of [[1, 3], [8, 5], [26, 2]]) await transform(tern, d, n, batch, { back: n === 8 });
        for (const n of [12, 15]) await reals(tern, d, n, 3);
        await transform(tern, d, 60, 2, { Type: Float64Array, part: 1e-14, back: false });
        const n = [6, 10], x = filled(Float32Array, 120), rows = transformed(x, 10), turn = (v, r, c) => v.map((_, i) => v[2 * ((i >> 1) % r * c + Math.floor((i >> 1) / r)) + i % 2]);
        await using(d, [x], async input => {
            await tern.fft({ input, n });
            near(await input.read(), turn(transformed(turn(rows, 6, 10), 6), 10, 6), 1e-5, 'two axes, in place');
        });
    },
    async 'fft of a line that takes several steps'(tern, d) { // a wave is one number, elsewhere nothing
        if (d.kind !== 'wasm' || few(d)) return;
        const n = 40000, wave = 1234, x = Float32Array.from({ length: 2 * n }, (_, i) => (i % 2 ? Math.sin : Math.cos)(2 * Math.PI * (wave * (i >> 1) % n) / n));
        await using(d, [x], async input => {
            await tern.fft({ input, n });
            near(await input.read(), x.map((_, i) => i === 2 * wave ? n : 0), 1e-5, `${n}`);
        });
    },
    async 'scan'(tern, d) {
        await scanned(tern, d, Int32Array, 10007, 'sum', false);
        await scanned(tern, d, Int32Array, 1, 'sum', false);
        await scanned(tern, d, Int32Array, 500, 'sum', true, 3);
        if (few(d)) return;
        await scanned(tern, d, Float32Array, 10007, 'sum', true, 5);
        await scanned(tern, d, Uint32Array, 1000, 'max', true);
        await scanned(tern, d, Int32Array, 10007, 'min', true);
    },
    async 'sort'(tern, d) {
        await sorted(tern, d, Float32Array, 10007, true, true);
        if (few(d)) return;
        await sorted(tern, d, Uint32Array, 10007, false, false);
        await sorted(tern, d, Int32Array, 100, false, true);
    },
    async 'what they refuse'(tern, d) {
        await using(d, [new Float32Array(12), new Float32Array(12), new Float32Array(12), new Int8Array(12)], async (a, b, c, bytes) => {
            await refused(tern.gemm({ m: 4, n: 4, k: 4, a, b, c }), 'RangeError', /gemm: a has 48 bytes, not 64/);
            await refused(tern.gemm({ m: 3, n: 4, k: 3, a, b, c: a }), 'TypeError', /c is also an operand/);
            await refused(tern.gemm({ m: 4, n: 3, k: 3, a, b, c, lda: 2 }), 'RangeError', /leading dimension/);
            await refused(tern.gemm({ m: 4, n: 3, k: 3, a: bytes, b, c }), 'TypeError', /f32, f64, f16/);
            await refused(tern.gemv({ m: 4, n: 3, a, x: b, y: c, incx: 0 }), 'RangeError', /step/);
            await refused(tern.fft({ input: a, n: 7 }), 'RangeError', /48 bytes, not 56/);
            await refused(tern.fft({ input: a, n: 12, kind: 'real' }), 'RangeError', /output/);
            await refused(tern.scan({ input: a, op: 'product' }), 'TypeError', /sum, min, max/);
            await refused(tern.sort({ keys: bytes }), 'TypeError', /i32, u32, f32/);
        });
    },
    async 'other types'(tern, d) {
        if (few(d)) return;
        await product(tern, d, { m: 34, n: 5, k: 9, Type: Float64Array, part: 1e-14 });
        const one = Uint16Array.of(0x3c00, 0x4000, 0x4200, 0x4400), twice = Uint16Array.of(0x4000, 0, 0, 0x4000); // 1, 2, 3, 4; twice the identity
        await using(d, [one, twice, new Uint16Array(4)], async (a, b, c) => {
            await tern.gemm({ m: 2, n: 2, k: 2, a, b, c, type: 'f16' });
            near(await c.read(), [0x4000, 0x4400, 0x4600, 0x4800], 0, 'halves');
        });
    },
    async 'calls at the same time'(tern, d) {
        await Promise.all([product(tern, d, { m: 17, n: 23, k: 31 }), scanned(tern, d, Int32Array, 5000, 'sum', false), product(tern, d, { m: 3, n: 2, k: 1 })]);
    },
};

export async function libraries(tern, device) {
    const results = [];
    for (const [name, run] of Object.entries(tests)) {
        const why = await run(tern, device).then(() => null, e => `${e.name}: ${e.message}`);
        results.push([name, why]);
    }
    return results;
}
