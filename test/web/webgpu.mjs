// Runs WGSL that Tern wrote, by the ABI of doc/wgsl-abi.md, on Dawn's WebGPU for Node.
import { createRequire } from 'node:module';
import { printed } from './printed.mjs';

const HEADER = 256, PRINT = 1 << 16;

/** A WebGPU device, or a reason why there is none. */
export async function open() {
    let gpu;
    try {
        const require = createRequire(`${process.env.TERN_NODE ?? process.cwd() + '/build/node'}/package.json`);
        const { create, globals } = require('webgpu');
        Object.assign(globalThis, globals);
        gpu = create([]);
    } catch (e) {
        return { why: `no WebGPU for Node: ${e.message.split('\n')[0]}` };
    }
    const adapter = await gpu.requestAdapter();
    if (!adapter) return { why: 'WebGPU finds no adapter' };
    const limits = {};
    for (const name of ['maxComputeWorkgroupStorageSize', 'maxComputeInvocationsPerWorkgroup', 'maxComputeWorkgroupSizeX', 'maxComputeWorkgroupSizeY', 'maxComputeWorkgroupSizeZ', 'maxStorageBufferBindingSize', 'maxBufferSize'])
        limits[name] = adapter.limits[name];
    const device = await adapter.requestDevice({ requiredLimits: limits });
    return { gpu, adapter, device };
}

export function describe(wgsl) {
    return JSON.parse(/^\/\/ tern: (.*)$/m.exec(wgsl)[1]);
}

function align(n, a) { return Math.ceil(n / a) * a; }

/** Compiles; gives the pipeline or throws with the shader compiler's words. */
export async function compile(device, wgsl, entry, launch) {
    device.pushErrorScope('validation');
    const module = device.createShaderModule({ code: wgsl });
    const info = await module.getCompilationInfo();
    const errors = info.messages.filter(m => m.type === 'error');
    if (errors.length) {
        await device.popErrorScope();
        throw new Error(errors.map(m => `${m.lineNum}: ${m.message}`).join('\n'));
    }
    const pipeline = device.createComputePipeline({
        layout: 'auto',
        compute: {
            module, entryPoint: entry,
            constants: { threads_x: launch.block[0], threads_y: launch.block[1], threads_z: launch.block[2], dynamic_shared: launch.shared },
        },
    });
    const error = await device.popErrorScope();
    if (error) throw new Error(error.message);
    return pipeline;
}

/** Runs a launch; buffers in launch.args are replaced by what the kernel left in them. */
export async function run({ device }, wgsl, launch) {
    const about = describe(wgsl);
    const kernel = about.kernels.find(k => k.name === launch.kernel) ?? about.kernels[0];
    const pipeline = await compile(device, wgsl, kernel.entry, launch);

    // the heap: header, globals, printf's buffer, then the arguments
    const print = align(about.heap, 256);
    let at = print + PRINT;
    const placed = launch.args.map(a => {
        if (!a.buffer) return 0;
        const here = at;
        at = align(at + a.bytes.length, 256);
        return here;
    });
    const mallocs = at;
    at += 1 << 20;
    const heap = new Uint8Array(align(at + 256, 4)), words = new DataView(heap.buffer);
    words.setUint32(20, print, true);
    words.setUint32(24, PRINT, true);
    words.setUint32(80, mallocs, true);
    words.setUint32(84, at, true);
    for (const g of about.globals)
        if (g.init) heap.set(Uint8Array.from(g.init.match(/../g), h => parseInt(h, 16)), g.at);
    launch.args.forEach((a, i) => a.buffer && heap.set(a.bytes, placed[i]));

    const uniform = new Uint8Array(align(32 + kernel.bytes, 16)), u = new DataView(uniform.buffer);
    launch.grid.forEach((n, i) => u.setUint32(4 * i, n, true));
    kernel.params.forEach((p, i) => {
        if (launch.args[i].buffer) u.setUint32(32 + p.offset, placed[i], true);
        else uniform.set(launch.args[i].bytes, 32 + p.offset);
    });

    const buffer = (size, usage) => device.createBuffer({ size, usage });
    const U = buffer(uniform.length, GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST);
    const H = buffer(heap.length, GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST | GPUBufferUsage.COPY_SRC);
    const R = buffer(heap.length, GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST);
    device.queue.writeBuffer(U, 0, uniform);
    device.queue.writeBuffer(H, 0, heap);
    device.pushErrorScope('validation');
    // a kernel need not use its parameters or the heap: bind what it has
    const used = name => new RegExp(`\\b${name}\\b`).test(wgsl.replace(/^@group.*$/gm, '').replace(/^\/\/.*$/gm, ''));
    const entries = [{ binding: 0, resource: { buffer: U } }];
    if (used('heap')) entries.push({ binding: 1, resource: { buffer: H } });
    const group = device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries });
    const encoder = device.createCommandEncoder(), pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, group);
    pass.dispatchWorkgroups(...launch.grid);
    pass.end();
    encoder.copyBufferToBuffer(H, 0, R, 0, heap.length);
    device.queue.submit([encoder.finish()]);
    const error = await device.popErrorScope();
    if (error) throw new Error(error.message);
    await R.mapAsync(GPUMapMode.READ);
    const back = new Uint8Array(R.getMappedRange().slice(0));
    [U, H, R].forEach(b => b.destroy());

    launch.args.forEach((a, i) => { if (a.buffer) a.bytes = back.slice(placed[i], placed[i] + a.bytes.length); });
    const view = new DataView(back.buffer);
    return { status: view.getUint32(4, true), printed: printed(back, view, print, PRINT), heap: back };
}
