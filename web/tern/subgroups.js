// Are warps subgroups on this device? WebGPU says how large these are, but not which threads are in one, nor that those who went
// different ways come together again. So a shader looks, once for each shape of block: thread number i must be lane i % n, and
// all threads of a subgroup must meet after a branch and after loops of different lengths, those that are left after a return.
const shader = n => `enable subgroups;
diagnostic(off, subgroup_uniformity);

override threads_x: u32;
override threads_y: u32;
override threads_z: u32;
override block_threads: u32 = threads_x * threads_y * threads_z;
@group(0) @binding(0) var<storage, read_write> seen: array<atomic<u32>, 2>;

fn here() -> u32 {
    let lanes = countOneBits(subgroupBallot(true));
    return lanes.x + lanes.y + lanes.z + lanes.w;
}

@compute @workgroup_size(threads_x, threads_y, threads_z)
fn probe(@builtin(local_invocation_index) index: u32, @builtin(subgroup_invocation_id) lane: u32,
    @builtin(subgroup_size) size: u32) {
    let first = index / ${n}u * ${n}u;
    let there = min(${n}u, block_threads - first);
    let next = (lane + 3u) % there;
    var right = (lane == index % ${n}u) & (size == ${n}u) & (here() == there);
    right = right & ((subgroupBallot(index % 2u == 1u)[lane / 32u] >> (lane % 32u)) % 2u == index % 2u);
    right = right & (subgroupShuffle(index, next) == first + next);
    if (index % 5u == 2u) { atomicAdd(&seen[1], 1u); }
    right = right & (here() == there);
    for (var k = 0u; k < index % 7u; k++) { atomicAdd(&seen[1], k); }
    right = right & (here() == there) & (subgroupMax(index) == first + there - 1u);
    if (right) { atomicAdd(&seen[0], 1u); }
    if (index % 3u == 1u) { return; }
    var left = 0u;
    for (var k = first; k < first + there; k++) { left += select(1u, 0u, k % 3u == 1u); }
    for (var k = 0u; k < 2u; k++) {
        if (here() == left) { atomicAdd(&seen[0], 1u); }
    }
}`;

const GROUPS = 4;

/** The one size that subgroups of a device can have, or 0. */
export function subgroupSize({ subgroupMinSize: least, subgroupMaxSize: most } = {}, gpu) {
    return gpu.features.has('subgroups') && least === most && [4, 8, 16, 32, 64, 128].includes(most) ? most : 0;
}

/** Are the threads of blocks of this shape, in the order of their index, the lanes of subgroups of n? */
export async function inOrder(gpu, n, block) {
    gpu.pushErrorScope('validation');
    let right = false;
    try {
        const pipeline = await gpu.createComputePipelineAsync({
            layout: 'auto',
            compute: { module: gpu.createShaderModule({ code: shader(n) }), entryPoint: 'probe', constants: { threads_x: block[0], threads_y: block[1], threads_z: block[2] } },
        });
        const seen = gpu.createBuffer({ size: 8, usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC });
        const back = gpu.createBuffer({ size: 8, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
        const encoder = gpu.createCommandEncoder(), pass = encoder.beginComputePass();
        pass.setPipeline(pipeline);
        pass.setBindGroup(0, gpu.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries: [{ binding: 0, resource: { buffer: seen } }] }));
        pass.dispatchWorkgroups(GROUPS);
        pass.end();
        encoder.copyBufferToBuffer(seen, 0, back, 0, 8);
        gpu.queue.submit([encoder.finish()]);
        await back.mapAsync(GPUMapMode.READ);
        const threads = block[0] * block[1] * block[2], left = threads - Math.floor((threads + 1) / 3);
        right = new Uint32Array(back.getMappedRange())[0] === GROUPS * (threads + 2 * left);
        for (const b of [seen, back]) b.destroy();
    } catch { // no such pipeline: they are not
    }
    return await gpu.popErrorScope() === null && right;
}
