// The devices that tests run on: the package's, with Dawn's WebGPU for Node under `wgsl`.
import { pathToFileURL } from 'node:url';
import { device } from '../../web/tern/index.js';

/** Dawn, as a WebGPU implementation for Node; throws where it is not installed. */
export async function dawn() {
    const { create, globals } = await import(pathToFileURL(`${process.env.TERN_NODE ?? process.cwd() + '/build/node'}/node_modules/webgpu/index.js`));
    Object.assign(globalThis, globals);
    return create([]);
}

/** A device for a target, or a reason why there is none. */
export async function open(target) {
    if (target !== 'wgsl') return { device: await device(target.replace('-shape', '')) };
    let gpu;
    try {
        gpu = await dawn();
    } catch (e) {
        return { why: `no WebGPU for Node: ${e.message.split('\n')[0]}` };
    }
    try {
        return { device: await device('webgpu', { gpu }) };
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
