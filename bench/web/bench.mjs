// Generated WGSL against WGSL written by hand, on one adapter, alternating; WebAssembly SIMD against the native CPU device on
// one thread; the compiler as WebAssembly. Prints lines of name, value, unit and goal: see bench/run.
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { compile, device } from '../../web/tern/index.js';
import { load } from '../../web/tern/compiler.js';
import { dawn } from '../../test/web/devices.mjs';
import { more, works } from './hand.js';
import { againstHand, fill } from './shaders.mjs';

const report = (name, value, unit, goal = 0) => console.log(`${name}\t${value.toPrecision(4)}\t${unit}\t${goal}`);
const source = readFileSync(new URL('kernels.cu', import.meta.url), 'utf8'), build = process.env.BUILD;
await load(new URL(`file://${build}/web/tern/tern.wasm`));

// ---- what a page loads ----
const module = readFileSync(`${build}/web/tern/tern.wasm`);
report('compiler as WebAssembly', module.length / 1000, 'KB', 1500);
report('compiler as WebAssembly, compressed', gzipSync(module, { level: 9 }).length / 1000, 'KB', 500);

// ---- the compiler in a page: warm, each example, median of some ----
const examples = new URL('../../web/play/examples/', import.meta.url);
for (const name of readdirSync(examples)) {
    const text = readFileSync(new URL(name, examples), 'utf8'), times = [];
    for (let k = 0; k < 30; k++) {
        const start = performance.now();
        await compile(text, { to: 'wgsl' });
        times.push(performance.now() - start);
    }
    report(`compile ${name.replace('.cu', '')} to wgsl`, times.sort((a, b) => a - b)[15], 'ms', 20);
}

// ---- WGSL ----
let gpu = null;
try {
    gpu = await device('webgpu', { gpu: await dawn() });
} catch (e) {
    console.error(`without WebGPU: ${e.message}`);
}
if (gpu) await againstHand(gpu, source, report);

// ---- WebAssembly ----
const native = new Map(), all = Object.entries({ ...works, ...more });
for (const line of execFileSync(`${build}/bench/web-native`, ['bench/web/kernels.cu', ...all.flatMap(([name, w]) => [name, w.n, ...w.grid, ...w.block, ...w.counts].map(String))], { encoding: 'utf8', env: { ...process.env, TERN_THREADS: '1' } }).trim().split('\n')) {
    const [name, ms] = line.split('\t');
    native.set(name, Number(ms));
}
const cpu = await device('wasm', { threads: 1 }), program = await cpu.load(source);
for (const [name, { n, grid, block, counts, fma }] of all) {
    const buffers = counts.map((c, k) => cpu.buffer(fill(c, k + 1)));
    let best = Infinity;
    for (let k = 0, end = performance.now() + 2000; k < 5 || (k < 200 && performance.now() < end); k++)
        best = Math.min(best, (await program.kernel(name).launch({ grid, block, args: [...buffers, n] })).milliseconds);
    report(`${name}: WebAssembly SIMD`, best, 'ms');
    report(`${name}: speed / native, one thread${fma ? ' (native has fma)' : ''}`, native.get(name) / best, 'x', fma ? 0 : 0.7);
}
process.exit(0);
