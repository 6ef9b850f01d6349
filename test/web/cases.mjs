// Tests of the package that run alike in Node and in a browser: cases(tern, device) gives [name, why it failed or null] pairs.

const saxpy = `__global__ void saxpy(int n, float a, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}`;

const textured = `__global__ void sample(cudaTextureObject_t t, float *out, int n, float scale)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = tex2D<float>(t, (i * 0.25f - 7) * scale, (i * 0.125f - 3) * scale);
}
__global__ void paint(cudaSurfaceObject_t s)
{
    surf2Dwrite(make_short2(threadIdx.x * 100 + threadIdx.y, -threadIdx.x), s, threadIdx.x * 4, threadIdx.y);
}
__global__ void others(cudaSurfaceObject_t s, cudaTextureObject_t layers, cudaTextureObject_t line, cudaTextureObject_t box, float *out)
{
    int i = blockIdx.x * 32 + threadIdx.x;
    short2 v = surf2Dread<short2>(s, i % 8 * 4, i / 8);
    out[i] = v.x + v.y + tex2DLayered<float>(layers, i % 3, i % 2, i % 4) + tex1Dfetch<int>(line, 4 * i) + tex3D<float>(box, i % 2, i % 3, i % 4) +
             surf2Dread<short2>(s, 4 * 9, 3, cudaBoundaryModeZero).x + 8 + 3000;
}`;

function same(got, want, what = 'result') {
    const a = JSON.stringify(got), b = JSON.stringify(want);
    if (a !== b) throw new Error(`${what} is ${a}, not ${b}`);
}

async function throws(promise, name, pattern) {
    const e = await promise.then(() => null, x => x);
    if (!e) throw new Error(`nothing was thrown, not ${name}`);
    if (e.name !== name || !pattern.test(e.message)) throw new Error(`${e.name}: ${e.message}, not ${name} ${pattern}`);
    return e;
}

const iota = n => Float32Array.from({ length: n }, (_, i) => i);

const compiler = {
    async 'compile to every target'(tern) {
        for (const to of ['wgsl', 'wasm', 'c', 'ptx', 'spirv', 'ir']) {
            const { ok, code } = await tern.compile(saxpy, { to });
            if (!ok || !(code.length > 100)) throw new Error(`${to}: ${code?.length} bytes`);
        }
    },
    async 'diagnostics as data'(tern) {
        const { ok, code, diagnostics: [d] } = await tern.compile('__global__ void k(int *p)\n{\n    *p = nothing;\n}\n');
        same([ok, code, d.severity, d.line, d.column, d.length], [false, null, 'error', 3, 10, 7]);
    },
    async 'analyze'(tern) {
        const { kernels: [k] } = await tern.analyze('__global__ void k(float *out, const float *in, int n) { out[threadIdx.x * n] = in[threadIdx.x]; }');
        same(k.params.map(p => [p.name, p.type, p.element, p.reads, p.writes]), [['out', 'ptr', 'f32', false, true], ['in', 'ptr', 'f32', true, false], ['n', 'i32', undefined, undefined, undefined]].map(r => r.map(v => v)));
        same(k.findings.map(f => [f.kind, f.line]), [['uncoalesced-access', 1]]);
    },
    async 'files, defines and templates'(tern) {
        const { ok, diagnostics } = await tern.compile('#include "half.h"\ntemplate <int W> __global__ void k(int *p) { *p = half_of(N) + W; }', { files: { 'half.h': '__device__ int half_of(int n) { return n / 2; }' }, defines: ['N=8'], names: ['k<3>'] });
        if (!ok) throw new Error(diagnostics.map(tern.describe).join('; '));
    },
    async 'hostile sources are refused'(tern) {
        const deep = await tern.compile(`__global__ void k(int *p) { *p = ${'('.repeat(100000)}1${')'.repeat(100000)}; }`);
        same(deep.ok, false);
        same((await tern.compile(saxpy)).ok, true, 'what comes after');
        same((await tern.compile(saxpy, { to: 'nowhere' })).ok, false);
        const ptx = await tern.compile('.version 8.0\n.target sm_80\n', { path: 'k.ptx' });
        same([ptx.ok, ptx.diagnostics[0].message], [false, 'k.ptx: this compiler reads CUDA, not PTX']);
    },
    async 'one device at least'(tern) {
        const d = await tern.device();
        if (!['webgpu', 'wasm', 'wasm-scalar'].includes(d.kind)) throw new Error(d.kind);
        await throws(tern.device('toaster'), 'DeviceError', /toaster/);
    },
};

const devices = {
    async 'launch, buffers'(tern, d) {
        const kernel = await d.kernel(saxpy), x = d.buffer(iota(1000)), y = d.buffer(new Float32Array(1000).fill(1));
        const { milliseconds, timer } = await kernel.launch({ grid: 4, block: 256, args: [1000, 2, x, y] });
        const out = await y.read();
        same([out.constructor.name, out.length, out[0], out[1], out[999]], ['Float32Array', 1000, 1, 3, 1999]);
        if (!(milliseconds >= 0) || !['gpu', 'wall'].includes(timer)) throw new Error(`${milliseconds} ms by ${timer}`);
        y.write(new Float32Array([5, 6]), 4);
        same(Array.from(await y.read()).slice(0, 4), [1, 5, 6, 7]);
        same(Array.from(await y.read(Uint8Array)).length, 4000);
        const small = d.buffer(Uint8Array.of(1, 2, 3, 4, 5, 6, 7));
        small.write(Uint8Array.of(8, 9, 10), 4);
        try {
            small.write(Uint8Array.of(11)); // where only words can be written, that is refused
            same(Array.from(await small.read()), [11, 2, 3, 4, 8, 9, 10]);
        } catch (e) {
            same([e.name, Array.from(await small.read())], ['RangeError', [1, 2, 3, 4, 8, 9, 10]]);
        }
        x.free();
        y.free();
        small.free();
        await throws((async () => small.read())(), 'DeviceError', /freed/);
    },
    async 'types of arguments'(tern, d) {
        const source = `struct pair { int a; double b; };
            __global__ void k(bool f, char c, short s, long long l, double x, pair p, double *out)
            { out[0] = f; out[1] = c; out[2] = s; out[3] = (double)l; out[4] = x; out[5] = p.a; out[6] = p.b; }`;
        const out = d.buffer(56, Float64Array), bytes = new Uint8Array(16), view = new DataView(bytes.buffer);
        view.setInt32(0, -7, true);
        view.setFloat64(8, 0.1, true);
        await (await d.kernel(source)).launch({ args: [true, -3, -300, -(2n ** 40n), 1e-300, bytes, out] });
        same(Array.from(await out.read()), [1, -3, -300, -(2 ** 40), 1e-300, -7, 0.1]);
        out.free();
    },
    async 'f64 as pairs of floats'(tern, d) {
        const source = `__global__ void k(double *x, int n) { double v = x[threadIdx.x]; for (int i = 0; i < n; i++) v = (v * v + 3) / (2 * v) - 0.01 * i; x[threadIdx.x] = v; }`;
        const { code } = await tern.compile(source, { to: 'wgsl', f64: 'fast' });
        if (!code || /f64_(mul|div)/.test(code)) throw new Error('products are computed in integers');
        const kernel = await d.kernel(source, 'k', { f64: 'fast' }).catch(e => e);
        if (kernel instanceof Error) { // not here, then; there are GPUs that round as they must, and SwiftShader does where it does not contract
            const one = d.buffer(Float32Array.of(1 + 2 ** -23, 0)), probe = await d.kernel('__global__ void k(float *x) { x[1] = __fadd_rn(__fmul_rn(x[0], x[0]), -1.0f); }');
            await probe.launch({ args: [one] });
            const [x, got] = await one.read(), contracts = got === Math.fround(x * x - 1);
            one.free();
            if (d.kind !== 'webgpu' || (/swiftshader/i.test(d.name) && !contracts) || kernel.name !== 'DeviceError' || !/pairs of floats/.test(kernel.message)) throw kernel;
            return;
        }
        const start = Float64Array.from({ length: 32 }, (_, i) => 1 + i / 7), x = d.buffer(start), want = start.map(v => {
            for (let i = 0; i < 20; i++) v = (v * v + 3) / (2 * v) - 0.01 * i;
            return v;
        });
        await kernel.launch({ block: 32, args: [x, 20] });
        const off = Math.max(...(await x.read()).map((v, i) => Math.abs(v / want[i] - 1)));
        if (!(off < 2 ** -40)) throw new Error(`off by ${off}`);
        x.free();
    },
    async 'wrong arguments'(tern, d) {
        const kernel = await d.kernel(saxpy), x = d.buffer(iota(4));
        await throws(kernel.launch({ args: [1, 2, x] }), 'TypeError', /takes 4 arguments/);
        await throws(kernel.launch({ args: [1.5, 2, x, x] }), 'TypeError', /n.*integer/);
        await throws(kernel.launch({ args: [1, 2, 3, x] }), 'TypeError', /buffer/);
        await throws(kernel.launch({ block: 5000, args: [1, 2, x, x] }), 'DeviceError', /block/);
        await throws(kernel.launch({ grid: 0, args: [1, 2, x, x] }), 'DeviceError', /grid/);
        x.free();
    },
    async 'shared memory, dynamic too'(tern, d) {
        const source = `extern __shared__ int s[];
            __global__ void reverse(int *p) { s[threadIdx.x] = p[threadIdx.x]; __syncthreads(); p[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x]; }`;
        const p = d.buffer(Int32Array.from({ length: 64 }, (_, i) => i));
        await (await d.kernel(source)).launch({ block: 64, shared: 256, args: [p] });
        same(Array.from(await p.read()).slice(0, 3), [63, 62, 61]);
        p.free();
    },
    async 'blocks of several shapes on one memory'(tern, d) {
        const program = await d.load(`__device__ int launches = 0;
            __global__ void k(int *out, int width)
            {
                __shared__ int row[16];
                int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
                if (threadIdx.x == 0 && threadIdx.y < 16) row[threadIdx.y] = y;
                __syncthreads();
                if (x < width) out[y * width + x] += row[threadIdx.y] * 100 + x;
                if (!x && !y) launches++;
            }`);
        const out = d.buffer(new Int32Array(13 * 12)), want = Array.from({ length: 13 * 12 }, (_, i) => 4 * (Math.floor(i / 13) * 100 + i % 13));
        for (const [grid, block] of [[[1, 1], [16, 12]], [[4, 3], [4, 4]], [[1, 12], [16, 1]], [[7, 2], [2, 6]]]) await program.kernel().launch({ grid, block, args: [out, 13] });
        same(Array.from(await out.read()), want);
        same(Array.from(await (await program.variable('launches')).read(Int32Array)), [4], 'launches');
        program.free();
        out.free();
    },
    async 'buffers apart and the same buffer twice'(tern, d) {
        const kernel = await d.kernel(`__global__ void k(const float *a, const float *b, float *c, unsigned *count, int n)
            {
                int i = blockIdx.x * blockDim.x + threadIdx.x;
                if (i >= n) return;
                c[i] = a[i] + 2 * b[n - 1 - i];
                if (i % 3 == 0) atomicAdd(count, 1u);
            }`);
        const n = 100, a = d.buffer(iota(n)), b = d.buffer(iota(n)), c = d.buffer(new Float32Array(n)), count = d.buffer(new Uint32Array(1));
        await kernel.launch({ grid: 2, block: 64, args: [a, b, c, count, n] });
        same(Array.from(await c.read()), Array.from({ length: n }, (_, i) => i + 2 * (n - 1 - i)));
        await kernel.launch({ grid: 2, block: 64, args: [a, a, c, count, n] });
        same(Array.from(await c.read()), Array.from({ length: n }, (_, i) => i + 2 * (n - 1 - i)), 'with one buffer twice');
        await kernel.launch({ grid: 2, block: 64, args: [c, a, c, count, n] });
        same(Array.from(await c.read()), Array.from({ length: n }, (_, i) => i + 4 * (n - 1 - i)), 'in place');
        same(Array.from(await count.read()), [3 * 34], 'count');
        for (const x of [a, b, c, count]) x.free();
    },
    async 'half precision'(tern, d) {
        const kernel = await d.kernel(`#include <cuda_fp16.h>
            __global__ void k(__half *p, float *f, int n)
            {
                int i = threadIdx.x;
                if (i >= n) return;
                __half h = p[i];
                f[i] = __half2float(h);
                p[i] = __float2half(f[i] * 1.5f + 0.25f);
            }`);
        const bits = [0, 0x8000, 0x3c00, 0xbc01, 0x7bff, 0x7c00, 0xfc00, 0x0400, 0x3555, 0x5bff], values = [0, -0, 1, -1.0009765625, 65504, Infinity, -Infinity, 2 ** -14, 0.333251953125, 255.875];
        const p = d.buffer(new Uint16Array(bits)), f = d.buffer(new Float32Array(bits.length));
        await kernel.launch({ block: 32, args: [p, f, bits.length] });
        same(Array.from(await f.read(), String), values.map(String));
        same(Array.from(await p.read()), [0x3400, 0x3400, 0x3f00, 0xbd02, 0x7c00, 0x7c00, 0xfc00, 0x3400, 0x3a00, 0x5e00]);
        p.free();
        f.free();
    },
    async 'printf, variables'(tern, d) {
        const program = await d.load('__device__ int count = 5;\n__global__ void k(int n) { if (threadIdx.x == 1) printf("%d %s %.2f\\n", n, "words", 0.5); atomicAdd(&count, 1); }');
        const kernel = program.kernel('k'), variable = await program.variable('count');
        same((await kernel.launch({ block: 32, args: [42] })).printed, '42 words 0.50\n');
        same((await kernel.launch({ block: 32, args: [43] })).printed, '43 words 0.50\n');
        same(Array.from(await variable.read(Int32Array)), [69]);
        program.free();
    },
    async 'two programs share buffers and keep their variables'(tern, d) {
        const make = n => d.load(`__device__ int mine = ${n};\n__global__ void k(int *p) { mine += 1; p[0] = p[0] * 10 + mine; }`);
        const a = await make(1), b = await make(5), p = d.buffer(new Int32Array(1));
        for (const program of [a, b, a, b]) await program.kernel().launch({ args: [p] });
        same(Array.from(await p.read()), [2637]);
        a.free();
        b.free();
        p.free();
    },
    async 'errors of kernels'(tern, d) {
        const kernel = await d.kernel('__global__ void k(int *p) { assert(p[threadIdx.x] == 0); p[threadIdx.x] = 1; }', 'k', { path: 'mine.cu' });
        const p = d.buffer(new Int32Array([0, 7]));
        const e = await throws(kernel.launch({ block: 2, args: [p] }), 'KernelError', /mine\.cu:1: k: .*assertion `p\[threadIdx\.x\] == 0' failed/);
        same([e.kind, e.thread?.[0], e.block[0]], ['assert', d.kind === 'wasm' ? undefined : 1, 0]);
        p.write(new Int32Array([0, 0]));
        await kernel.launch({ block: 2, args: [p] });
        same(Array.from(await p.read()), [1, 1]);
        const refused = await throws(d.kernel('__global__ void k(int *p) { *p = nothing; }'), 'CompileError', /kernel\.cu:1:\d+: error: .*nothing/);
        same(refused.diagnostics[0].severity, 'error');
        p.free();
    },
    async 'accesses outside of every buffer'(tern, d) {
        const program = await d.load(`__device__ int table[8];
__device__ int through(const int *p, int i) { return p[i]; }
__global__ void k(float *p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] += 1;
}
__global__ void inside(int *p, char *c)
{
    __shared__ int s[32];
    int local[8], i = threadIdx.x;
    for (int j = 0; j < 8; j++) local[j] = i + j;
    s[i] = i;
    __syncthreads();
    if (i < 8) table[i] = s[31 - i];
    int *made = (int *)malloc(16);
    made[i & 3] = 1;
    if (i < 5) c[i] = (char)i;
    p[i] = through(local, i & 7) + through(s, i) + through(made, i & 3);
}`, { checked: true });
        const p = d.buffer(new Float32Array(1000)), q = d.buffer(new Int32Array(32)), c = d.buffer(new Uint8Array(5)), k = program.kernel('k');
        await k.launch({ grid: 4, block: 256, args: [p, 1000] });
        same((await p.read())[999], 1);
        for (const [n, args, block] of [[1001, [p, 1001], 3], [1, [null, 1], 0], [1000, [q, 1000], 0]]) {
            const e = await throws(k.launch({ grid: 4, block: 256, args }), 'KernelError', /^line 7: k: block \(\d+,0,0\).* reads or writes outside of every buffer$/);
            same([e.kind, e.line], ['bounds', 7]);
            if (block) same(e.block[0], block, `the block of ${n}`);
        }
        await program.kernel('inside').launch({ block: 32, args: [q, c] });
        same(Array.from(await q.read()), Array.from({ length: 32 }, (_, i) => i + (i & 7) + i + 1));
        program.free();
        for (const b of [p, q, c]) b.free();
    },
    async 'doubles and wide integers are exact'(tern, d) {
        const p = d.buffer(new Float64Array([0.1, 3])), q = d.buffer(new BigInt64Array([2n ** 62n, -3n]));
        await (await d.kernel('__global__ void k(double *p, long long *q) { p[1] = p[0] / p[1]; q[1] = q[0] / q[1] + 7; }')).launch({ args: [p, q] });
        same((await p.read())[1], 0.1 / 3);
        same(String((await q.read())[1]), String(-(2n ** 62n) / 3n + 7n));
        p.free();
        q.free();
    },
    async 'a product and a sum, fused or not'(tern, d) {
        // (1 + 2^-12)^2 - 1 is 2^-11 + 2^-24; rounded twice, the 2^-24 is lost
        const p = d.buffer(new Float32Array(64).fill(1 + 2 ** -12)), source = '__global__ void k(float *p) { p[threadIdx.x] = p[threadIdx.x] * p[threadIdx.x] - 1; }';
        await (await d.kernel(source, 'k', { fmad: false })).launch({ block: 64, args: [p] });
        if (d.kind !== 'webgpu') same(Array.from(await p.read()).filter(v => v !== 2 ** -11), []); // WGSL lets a device fuse
        p.write(new Float32Array(64).fill(1 + 2 ** -12));
        await (await d.kernel(source)).launch({ block: 64, args: [p] });
        same(Array.from(await p.read()).filter(v => v !== 2 ** -11 && v !== 2 ** -11 + 2 ** -24), []);
        const has = async relaxed => Array.from((await tern.compile(source, { to: 'wasm', relaxed })).code).join().includes(',253,133,2,');
        same([await has(true), await has(false)], [true, false], 'relaxed_madd');
        const wide = d.buffer(new Float64Array(64).fill(1 + 2 ** -30));
        p.write(new Float32Array(64).fill(1 + 2 ** -12));
        await (await d.kernel('__global__ void k(float *p, double *q) { int i = threadIdx.x; p[i] = fmaf(p[i], p[i], -1); q[i] = q[i] * q[i] - 1; }')).launch({ block: 64, args: [p, wide] });
        if (d.kind !== 'webgpu') same(Array.from(await p.read()).filter(v => v !== 2 ** -11 + 2 ** -24), [], 'fmaf');
        same(Array.from(await wide.read()).filter(v => v !== 2 ** -29 + 2 ** -60), [], 'double');
        wide.free();
        p.free();
    },
    async 'textures and surfaces'(tern, d) {
        const n = 200, out = d.buffer(4 * n, Float32Array), W = 5, H = 4, f = Math.fround;
        const program = await d.load(textured), bytes = Uint8Array.from({ length: W * H }, (_, i) => i * 37 % 256);
        const inside = { wrap: (i, m) => (i % m + m) % m, clamp: (i, m) => Math.min(Math.max(i, 0), m - 1), border: (i, m) => i < 0 || i >= m ? -1 : i,
            mirror: (i, m) => { const k = (i % (2 * m) + 2 * m) % (2 * m); return k < m ? k : 2 * m - 1 - k; } };
        for (const mode of Object.keys(inside))
            for (const filterMode of ['point', 'linear'])
                for (const format of ['r8unorm', 'r32float'])
                    for (const normalized of [true, false]) {
                        const data = format === 'r8unorm' ? bytes : Float32Array.from(bytes, b => b / 16), border = [0.375, 0, 0, 0];
                        const t = d.texture({ data, width: W, height: H, format, addressMode: mode, filterMode, normalized, border });
                        await program.kernel('sample').launch({ grid: 4, block: 50, args: [t, out, n, normalized ? 0.25 : 1] });
                        // as the programming guide says, in f32
                        const address = inside[normalized || mode === 'border' ? mode : 'clamp'];
                        const texel = (x, y) => { const i = address(x, W), j = address(y, H); return i < 0 || j < 0 ? border[0] : format === 'r8unorm' ? f(bytes[j * W + i] / 255) : data[j * W + i]; };
                        const split = v => { const w = f(Math.round(f(f(v - Math.floor(v)) * 256)) / 256); return w === 1 ? [Math.floor(v) + 1, 0] : [Math.floor(v), w]; };
                        const want = Array.from({ length: n }, (_, i) => {
                            let x = f(f(f(i * 0.25) - 7) * (normalized ? 0.25 : 1)), y = f(f(f(i * 0.125) - 3) * (normalized ? 0.25 : 1));
                            if (normalized) [x, y] = [f(x * W), f(y * H)];
                            if (filterMode === 'point') return texel(Math.floor(x), Math.floor(y));
                            const [[bx, wx], [by, wy]] = [split(f(x - 0.5)), split(f(y - 0.5))];
                            let sum = 0;
                            for (let c = 0; c < 4; c++) {
                                const w = f((c & 1 ? wx : f(1 - wx)) * (c & 2 ? wy : f(1 - wy)));
                                if (w) sum = f(sum + f(w * texel(bx + (c & 1), by + (c >> 1))));
                            }
                            return sum;
                        });
                        same(Array.from(await out.read()), want, `${mode}, ${filterMode}, ${format}, ${normalized ? '' : 'not '}normalized`);
                        t.free();
                    }
        const cells = d.texture({ width: 8, height: 8, format: 'rg16sint' }), layers = d.texture({ data: iota(24), width: 3, height: 2, layers: 4 });
        const line = d.texture({ data: Int32Array.from({ length: 300 }, (_, i) => -i), width: 300, format: 'r32sint' }), box = d.texture({ data: iota(24), width: 2, height: 3, depth: 4 });
        await program.kernel('paint').launch({ block: [8, 8], args: [cells] });
        same(Array.from((await cells.read(Int16Array)).slice(0, 6)), [0, 0, 100, -1, 200, -2], 'painted');
        await program.kernel('others').launch({ grid: 2, block: 32, args: [cells, layers, line, box, out] });
        same(Array.from((await out.read()).slice(0, 64)), Array.from({ length: 64 }, (_, i) => (i % 8) * 100 + (i >> 3) - (i % 8) + (6 * (i % 4) + 3 * (i % 2) + i % 3) - 4 * i + (6 * (i % 4) + 2 * (i % 3) + i % 2) + 8 + 3000), 'the others');
        await throws(program.kernel('sample').launch({ args: [out, out, 1, 1] }), 'TypeError', /number/);
        await throws(program.kernel('sample').launch({ args: [box, box, 1, 1] }), 'TypeError', /buffer/);
        await throws(program.kernel('sample').launch({ args: [box, out, 1, 1] }), 'KernelError', /sample/); // 3D read as 2D
        for (const wrong of [{ width: 0 }, { width: 2, format: 'rgb8unorm' }, { width: 2, format: 'r32unorm' }, { width: 2, addressMode: 'repeat' }, { width: 2, data: new Uint8Array(3) }])
            await throws((async () => d.texture(wrong))(), wrong.data ? 'RangeError' : 'TypeError', /./);
        for (const t of [cells, layers, line, box, out]) t.free();
    },
    async 'blocks that wait for each other'(tern, d) {
        if (d.kind === 'webgpu') return; // refused: test/web/refused.mjs
        const source = `#include <cooperative_groups.h>
            __global__ void k(int *a, int *b, int rounds)
            {
                extern __shared__ int mine[];
                cooperative_groups::grid_group grid = cooperative_groups::this_grid();
                int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
                mine[threadIdx.x] = i;
                __syncthreads();
                for (int r = 0; r < rounds; r++) {
                    b[i] = a[(i + 67) % n] + mine[blockDim.x - 1 - threadIdx.x];
                    grid.sync();
                    a[i] = b[(i + n - 1) % n];
                    __syncthreads();
                    mine[threadIdx.x] += r;
                    grid.sync();
                }
            }
            __global__ void stuck(int *p)
            {
                if (threadIdx.x < 8) __syncthreads();
                else cooperative_groups::this_grid().sync();
                *p = 1;
            }`;
        const n = 480, a = d.buffer(Int32Array.from({ length: n }, (_, i) => i * i)), b = d.buffer(4 * n, Int32Array), program = await d.load(source);
        await program.kernel('k').launch({ grid: 10, block: 48, shared: 192, args: [a, b, 3] });
        let want = Array.from({ length: n }, (_, i) => i * i);
        for (let r = 0; r < 3; r++) {
            const own = i => i + (r * (r - 1)) / 2, next = want.map((_, i) => want[(i + 67) % n] + own(i - i % 48 + 47 - i % 48));
            want = next.map((_, i) => next[(i + n - 1) % n]);
        }
        same(Array.from(await a.read()), want);
        await throws(program.kernel('stuck').launch({ grid: 2, block: 16, args: [b] }), 'KernelError', /stuck/);
        a.free();
        b.free();
    },
    async 'arguments of the wrong size, and shapes that cannot be'(tern, d) {
        const kernel = await d.kernel('__global__ void k(int *p, int a, double b, short c) { *p = a + (int)b + c; }'), p = d.buffer(new Int32Array(1));
        await kernel.launch({ args: [p, Int32Array.of(1), Float64Array.of(20), Int16Array.of(300)] });
        same((await p.read())[0], 321);
        for (const args of [[p, Int16Array.of(1), 2, 3], [p, 1, Float32Array.of(2), 3], [p, 1, 2, Int32Array.of(3)]]) await throws(kernel.launch({ args }), 'TypeError', /takes \d bytes, not \d/);
        for (const grid of [0, -1, 1.5, 2 ** 31, [1, NaN]]) await throws(kernel.launch({ grid, args: [p, 1, 2, 3] }), 'DeviceError', /not possible/);
        p.free();
    },
    async 'many buffers'(tern, d) {
        const kernel = await d.kernel('__global__ void k(int *p, int n) { p[n - 1] = n; }');
        const all = Array.from({ length: 40 }, () => d.buffer(1 << 20, Int32Array));
        for (const b of all) await kernel.launch({ args: [b, 1 << 18] });
        for (const b of all) {
            same((await b.read())[(1 << 18) - 1], 1 << 18);
            b.free();
        }
    },
    async 'benchmark'(tern, d) {
        const x = d.buffer(iota(256)), r = await tern.benchmark(await d.kernel(saxpy), { grid: 1, block: 256, args: [256, 1, x, x] }, { runs: 3 });
        if (!(r.runs >= 1 && r.best <= r.median)) throw new Error(JSON.stringify(r));
        x.free();
    },
};

// Blocks on several threads of the engine: what they do to the same words, and how failures come back.
const threadsOnly = {
    async 'atomics of several threads on the same words'(tern, d) {
        const kernel = await d.kernel(`__device__ int spin(int n) { int x = n; for (int k = 0; k < 200; k++) x = x * 1664525 + 1013904223; return x; }
            __global__ void k(unsigned *p, float *f, unsigned long long *q, double *e, int *sink)
            {
                unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
                for (int j = 0; j < 8; j++) {
                    atomicAdd(&p[0], 1u);
                    atomicSub(&p[1], 2u);
                    atomicXor(&p[2], i * 8 + j);
                    atomicInc(&p[3], 996u);
                    atomicMax(&p[4], i);
                    atomicAdd(f, 1.0f);
                    atomicAdd(&q[0], 3ull);
                    atomicMax(&q[1], (unsigned long long)i << 20);
                    atomicAdd(e, 0.5);
                    if (spin(i) == 12345) sink[0] = 1;
                }
            }`);
        const p = d.buffer(new Uint32Array(5)), f = d.buffer(new Float32Array(1)), q = d.buffer(new BigUint64Array(2)), e = d.buffer(new Float64Array(1)), sink = d.buffer(4);
        const blocks = 64, block = 128, n = blocks * block * 8;
        let xor = 0, used = 1;
        for (let i = 0; i < blocks * block; i++) for (let j = 0; j < 8; j++) xor ^= i * 8 + j;
        for (let run = 1; run <= 100 && (run <= 2 || used < 2); run++) {
            for (const b of [p, f, q, e]) b.write(new Uint8Array(b.byteLength));
            used = Math.max(used, (await kernel.launch({ grid: blocks, block, args: [p, f, q, e, sink] })).threads);
            same(Array.from(await p.read()), [n, (-2 * n) >>> 0, xor, n % 997, blocks * block - 1]);
            same([(await f.read())[0], (await e.read())[0]], [n, n / 2]);
            same(Array.from(await q.read(), String), [String(3 * n), String(BigInt(blocks * block - 1) << 20n)]);
        }
        if (used < 2) throw new Error('no other thread ever took part');
        for (const b of [p, f, q, e, sink]) b.free();
    },
    async 'a grid in parts'(tern, d) {
        const kernel = await d.kernel('__global__ void k(int *p, int3 n) { atomicAdd(&p[(blockIdx.z * n.y + blockIdx.y) * n.x + blockIdx.x], 1 + threadIdx.x); }');
        for (const grid of [[1000, 1, 1], [3, 50, 2], [1, 1, 77], [7, 5, 3], [2, 1, 1]]) {
            const count = grid[0] * grid[1] * grid[2], p = d.buffer(new Int32Array(count));
            await kernel.launch({ grid, block: 2, args: [p, new Int32Array(grid)] });
            same((await p.read()).every(v => v === 3), true, `each of ${grid} blocks once`);
            p.free();
        }
    },
    async 'malloc and printf of several threads'(tern, d) {
        const kernel = await d.kernel('__global__ void k(int *p) { int *q = (int *)malloc(16); q[0] = blockIdx.x; if (blockIdx.x % 8 == 0) printf("%d\\n", q[0]); p[blockIdx.x] = q[0]; }'), p = d.buffer(new Int32Array(256));
        const { printed } = await kernel.launch({ grid: 256, args: [p] });
        same(printed.trim().split('\n').map(Number).sort((a, b) => a - b), Array.from({ length: 32 }, (_, i) => 8 * i));
        same(Array.from(await p.read()), Array.from({ length: 256 }, (_, i) => i));
        p.free();
    },
    async 'a block that fails on any thread'(tern, d) {
        const program = await d.load('__global__ void k(int bad) { assert(blockIdx.x != bad); }\n__global__ void t(int bad) { if (blockIdx.x == bad) __trap(); }');
        for (const bad of [0, 17, 499]) {
            const e = await throws(program.kernel('k').launch({ grid: 500, args: [bad] }), 'KernelError', /assertion/);
            same([e.kind, e.block[0]], ['assert', bad]);
            same((await throws(program.kernel('t').launch({ grid: 500, args: [bad] }), 'KernelError', /trap/)).kind, 'trap');
            await program.kernel('k').launch({ grid: 500, args: [-1] });
        }
        program.free();
    },
    async 'one order of threads where that is asked for'(tern, d) {
        const source = `__global__ void sum(const float *x, float *s) { int i = blockIdx.x * blockDim.x + threadIdx.x; atomicAdd(s, x[i]); }
            __global__ void count(const float *x, int *s) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (x[i] > 0.5f) atomicAdd(s, 1); }`;
        const x = Float32Array.from({ length: 6400 }, (_, i) => (i * 2654435761 >>> 8) / 2 ** 24), said = [];
        for (const threads of [1, 2, d.threads]) {
            const one = await tern.device('wasm', { threads, deterministic: true }), program = await one.load(source), a = one.buffer(x), s = one.buffer(new Int32Array(2));
            const { threads: used } = await program.kernel('sum').launch({ grid: 200, block: 32, args: [a, s] });
            if (used !== 1) throw new Error(`${used} threads added floats`);
            said.push((await s.read())[0]);
            await program.kernel('count').launch({ grid: 200, block: 32, args: [a, s] });
        }
        same(said, [said[0], said[0], said[0]]);
    },
    async 'launches that nobody waits for between'(tern, d) {
        const kernel = await d.kernel('__global__ void k(int *p, int n) { atomicAdd(p, n); }'), p = d.buffer(new Int32Array(1));
        await Promise.all([1, 10, 100, 1000].map(n => kernel.launch({ grid: 200, block: 2, args: [p, n] })));
        same(Array.from(await p.read()), [1111 * 400]);
        p.free();
    },
};

const gpuOnly = {
    async 'loops end when their budget does'(tern, d) {
        const source = '__global__ void k(volatile int *p) { while (p[0] == 0) p[1] += 1; }\n__global__ void b(int *p) { while (p[0] == 0) { __syncthreads(); p[1] = 3; } }';
        const p = d.buffer(new Int32Array(2)), program = await d.load(source, { budget: 1000 });
        for (const name of ['k', 'b']) same((await throws(program.kernel(name).launch({ block: 4, args: [p] }), 'KernelError', /longer than allowed/)).kind, 'budget');
        p.free();
    },
    async 'warps are subgroups where they fit'(tern, d) {
        const kernel = await d.kernel('__global__ void k(int *p) { int t = threadIdx.y * blockDim.x + threadIdx.x, v = t; for (int k = 1; k < 4; k *= 2) v += __shfl_xor_sync(~0u, v, k, 4); p[t] = v; }');
        const p = d.buffer(new Int32Array(64)), found = await d.subgroupsFor([64, 1, 1]), want = Array.from({ length: 64 }, (_, i) => (i & ~3) * 4 + 6);
        for (const block of [64, 50, [8, 8]]) {
            p.write(new Int32Array(64));
            await kernel.launch({ block, args: [p] });
            same(Array.from(await p.read()).slice(0, 48), want.slice(0, 48), `by ${found}`);
        }
        if (!!await kernel.variants.get('1:64,1,1') !== found > 0) throw new Error(`subgroups of ${found}, and shaders for ${[...kernel.variants.keys()].join(' ')}`);
        p.free();
    },
    async 'no order of threads'(tern, d) {
        const program = await d.load('__global__ void sum(float *s) { atomicAdd(s, 1.5f); }\n__global__ void count(int *s) { atomicAdd(s, 1); }'), p = d.buffer(new Int32Array(1));
        d.deterministic = true;
        try {
            await throws(program.kernel('sum').launch({ block: 4, args: [p] }), 'DeviceError', /sum depends on the order of its threads/);
            await program.kernel('count').launch({ block: 4, args: [p] });
        } finally {
            d.deterministic = false;
        }
        same(Array.from(await p.read()), [4]);
        p.free();
    },
    async 'grids above the limits'(tern, d) {
        const p = d.buffer(new Uint32Array(2)), n = d.gpu.limits.maxComputeWorkgroupsPerDimension + 3;
        await (await d.kernel('__global__ void k(unsigned *p) { atomicAdd(&p[0], 1); atomicMax(&p[1], blockIdx.x); }')).launch({ grid: n, args: [p] });
        same(Array.from(await p.read()), [n, n - 1]);
        p.free();
    },
};

/** Of the compiler if no device is given. */
export async function cases(tern, device) {
    const out = [];
    for (const [name, test] of Object.entries(!device ? compiler : { ...devices, ...(device.kind === 'webgpu' ? gpuOnly : device.threads > 1 ? threadsOnly : {}) }))
        out.push([name, await test(tern, device).then(() => null, e => `${e.name}: ${e.message}`)]);
    return out;
}
