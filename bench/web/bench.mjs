// Generated WGSL against WGSL written by hand, on one adapter, alternating; WebAssembly SIMD against the native CPU device on
// one thread; the compiler as WebAssembly. Prints lines of name, value, unit and goal: see bench/run.
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { compile, device } from '../../web/tern/index.js';
import { load } from '../../web/tern/compiler.js';
import { dawn } from '../../test/web/devices.mjs';
import { hand, works } from './hand.js';

const report = (name, value, unit, goal = 0) => console.log(`${name}\t${value.toPrecision(4)}\t${unit}\t${goal}`);
const source = readFileSync(new URL('kernels.cu', import.meta.url), 'utf8'), build = process.env.BUILD;
await load(new URL(`file://${build}/web/tern/tern.wasm`));

function fill(count, seed) {
    const out = new Float32Array(count);
    for (let i = 0, s = seed >>> 0; i < count; i++) {
        s = Math.imul(s, 1664525) + 1013904223 >>> 0;
        out[i] = (s >>> 8) * 2 ** -24 + 0.5;
    }
    return out;
}

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
async function timeDispatches(gpu, pipeline, group, grid, repeats) {
    const encoder = gpu.createCommandEncoder(), pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, group);
    for (let k = 0; k < repeats; k++) pass.dispatchWorkgroups(...grid);
    pass.end();
    const start = performance.now();
    gpu.queue.submit([encoder.finish()]);
    await gpu.queue.onSubmittedWorkDone();
    return (performance.now() - start) / repeats;
}

async function byHand(d, name, arrays) {
    const { gpu } = d, { n } = works[name];
    const buffer = (data, usage) => {
        const b = gpu.createBuffer({ size: data.byteLength, usage: usage | GPUBufferUsage.COPY_DST | GPUBufferUsage.COPY_SRC });
        gpu.queue.writeBuffer(b, 0, data);
        return b;
    };
    const pipeline = gpu.createComputePipeline({ layout: 'auto', compute: { module: gpu.createShaderModule({ code: hand[name] }) } });
    const all = [buffer(new Uint32Array([n, 0, 0, 0]), GPUBufferUsage.UNIFORM), ...arrays.map(a => buffer(a, GPUBufferUsage.STORAGE))];
    const used = [0, 1, ...(/\bb\[/.test(hand[name]) ? [2] : []), 3];
    const group = gpu.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries: used.map(binding => ({ binding, resource: { buffer: all[binding] } })) });
    return { time: k => timeDispatches(gpu, pipeline, group, works[name].grid, k), result: all[3] };
}

async function generated(d, program, name, arrays) {
    const { n, grid, block } = works[name], buffers = arrays.map(a => d.buffer(a)), kernel = program.kernel(name);
    await kernel.launch({ grid, block, args: [...buffers, n] });
    const { pipeline, group } = await kernel.bound({ grid, block, args: [...buffers, n] });
    return { time: k => timeDispatches(d.gpu, pipeline, group, grid, k), result: buffers[2] };
}

let gpu = null;
try {
    gpu = await device('webgpu', { gpu: await dawn() });
} catch (e) {
    console.error(`without WebGPU: ${e.message}`);
}
if (gpu) {
    const program = await gpu.load(source);
    for (const name of Object.keys(works)) {
        const arrays = works[name].counts.map((c, k) => fill(c, k + 1));
        const ours = await generated(gpu, program, name, arrays), theirs = await byHand(gpu, name, arrays);
        let best = [Infinity, Infinity];
        await theirs.time(1);
        const repeats = Math.ceil(80 / await ours.time(4)); // long enough that how a software GPU shares its work out does not matter
        for (let k = 0; k < 20; k++) best = [Math.min(best[0], await ours.time(repeats)), Math.min(best[1], await theirs.time(repeats))];
        report(`${name}: generated WGSL`, best[0], 'ms');
        report(`${name}: speed / WGSL by hand`, best[1] / best[0], 'x', 0.9);
    }
}

// ---- WebAssembly ----
const native = new Map();
for (const line of execFileSync(`${build}/bench/web-native`, ['bench/web/kernels.cu', ...Object.entries(works).flatMap(([name, w]) => [name, w.n, ...w.grid, ...w.block, ...w.counts].map(String))], { encoding: 'utf8', env: { ...process.env, TERN_THREADS: '1' } }).trim().split('\n')) {
    const [name, ms] = line.split('\t');
    native.set(name, Number(ms));
}
const cpu = await device('wasm', { threads: 1 }), program = await cpu.load(source);
for (const [name, { n, grid, block, counts, fma }] of Object.entries(works)) {
    const buffers = counts.map((c, k) => cpu.buffer(fill(c, k + 1)));
    let best = Infinity;
    for (let k = 0, end = performance.now() + 2000; k < 5 || (k < 200 && performance.now() < end); k++)
        best = Math.min(best, (await program.kernel(name).launch({ grid, block, args: [...buffers, n] })).milliseconds);
    report(`${name}: WebAssembly SIMD`, best, 'ms');
    report(`${name}: speed / native, one thread${fma ? ' (native has fma)' : ''}`, native.get(name) / best, 'x', fma ? 0 : 0.7);
}
process.exit(0);
