// Generated WGSL against WGSL by hand, on one device, alternating.
import { hand, works } from './hand.js';

export function fill(count, seed) {
    const out = new Float32Array(count);
    for (let i = 0, s = seed >>> 0; i < count; i++) {
        s = Math.imul(s, 1664525) + 1013904223 >>> 0;
        out[i] = (s >>> 8) * 2 ** -24 + 0.5;
    }
    return out;
}

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

/** Reports the time of each kernel, and its speed as a share of that of the shader by hand. */
export async function againstHand(d, source, report) {
    const program = await d.load(source);
    for (const name of Object.keys(works)) {
        const arrays = works[name].counts.map((c, k) => fill(c, k + 1));
        const ours = await generated(d, program, name, arrays), theirs = await byHand(d, name, arrays);
        let best = [Infinity, Infinity];
        await theirs.time(1);
        const repeats = Math.ceil(80 / await ours.time(4)); // long enough that how a software GPU shares its work out does not matter
        for (let k = 0; k < 20; k++) best = [Math.min(best[0], await ours.time(repeats)), Math.min(best[1], await theirs.time(repeats))];
        report(`${name}: generated WGSL`, best[0], 'ms');
        report(`${name}: speed / WGSL by hand`, best[1] / best[0], 'x', 0.9);
    }
}
