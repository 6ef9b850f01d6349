// The devices that tests run on: the package's, with Dawn's WebGPU for Node under `wgsl`.
import { pathToFileURL } from 'node:url';
import { device } from '../../web/tern/index.js';

/** Dawn, as a WebGPU implementation for Node; throws where it is not installed. */
export async function dawn() {
    const { create, globals } = await import(pathToFileURL(`${process.env.TERN_NODE ?? process.cwd() + '/build/node'}/node_modules/webgpu/index.js`));
    Object.assign(globalThis, globals);
    return create([]);
}

// What WGSL leaves open, as this device does it: is fma fused, and are quotients and square roots rounded correctly?
const PROBE = `module "probe"
kernel @probe(%p.0: ptr.generic) [export] {
b:
  %at = ptradd.ptr.generic %p.0, 4
  %x = load.f32 %p.0
  %y = load.f32 %at
  %f = fma.f32 %x, %x, 0xbf800000
  %q = fdiv.f32 %x, %y
  %r = fsqrt.f32 %y
  store.f32 %p.0, %f
  store.f32 %at, %q
  %next = ptradd.ptr.generic %p.0, 8
  store.f32 %next, %r
  ret
}
`;
async function probe(d) {
    const kernel = await d.kernel(PROBE, 'probe', { path: 'probe.ir' }), exact = { fma: true, division: true, sqrt: true };
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
    try {
        const d = await device('webgpu', { gpu });
        d.exact = await probe(d);
        return { device: d };
    } catch {
        return { why: 'WebGPU finds no adapter' };
    }
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
