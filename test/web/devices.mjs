// The devices that tests run on: the package's, with Dawn's WebGPU for Node under `wgsl`.
import { execFileSync } from 'node:child_process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { device } from '../../web/tern/index.js';

/** Dawn, as a WebGPU implementation for Node; throws where it is not installed. */
export async function dawn() {
    const { create, globals } = await import(pathToFileURL(`${process.env.TERN_NODE ?? process.cwd() + '/build/node'}/node_modules/webgpu/index.js`));
    Object.assign(globalThis, globals);
    return create([]);
}

// What WGSL leaves open, as this device does it: is fma fused, and are quotients and square roots rounded correctly?
async function probe(d) {
    const code = execFileSync(process.env.TERN, ['compile', fileURLToPath(new URL('probe.ir', import.meta.url)), '--to', 'wgsl', '-o', '-'], { encoding: 'utf8' });
    const [kernel] = (await d.link(code)).kernels, exact = { fma: true, division: true, sqrt: true };
    for (let k = 1; k <= 64; k++) {
        const x = 1 + k * 2 ** -12, y = Math.fround(3 + k / 7), p = d.buffer(new Float32Array([x, y, 0]));
        await kernel.launch({ args: [p] });
        const [f, q, r] = await p.read();
        exact.fma &&= f === Math.fround(x * x - 1);
        exact.division &&= q === Math.fround(x / y);
        exact.sqrt &&= r === Math.fround(Math.sqrt(y));
        p.free();
    }
    return exact;
}

/** A device for a target, or a reason why there is none. */
export async function open(target) {
    if (target === 'wasm-threads') return { device: await device('wasm', { threads: 3 }) };
    if (target !== 'wgsl') return { device: await device(target.replace('-shape', ''), { threads: 1 }) };
    let gpu;
    try {
        gpu = await dawn();
    } catch (e) {
        return { why: `no WebGPU for Node: ${e.message.split('\n')[0]}` };
    }
    const found = await device('webgpu', { gpu }).catch(() => null);
    if (!found) return { why: 'WebGPU finds no adapter' };
    found.exact = await probe(found);
    return { device: found };
}

/** Runs a launch of launch.mjs; with a question, as its source would, in shaders for these arguments; gives what was printed, and the arguments with what the kernel left in their buffers. */
export async function run(device, code, launch, question = null) {
    const program = await device.link(code, [], question);
    const buffers = launch.args.map(a => a.buffer && device.buffer(a.bytes));
    const { kernels } = program, kernel = kernels.find(k => k.name === launch.kernel) ?? kernels[0];
    try {
        const { printed } = await kernel.launch({ ...launch, args: launch.args.map((a, i) => a.buffer ? buffers[i] : a.bytes) });
        const args = [];
        for (const [i, a] of launch.args.entries()) args.push(a.buffer ? { ...a, bytes: await buffers[i].read() } : a);
        return { printed, args };
    } finally {
        for (const b of buffers) b && b.free();
        program.free();
    }
}
