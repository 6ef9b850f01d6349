// webgpu.mjs: WGSL on a real GPU through Dawn: what the device is, a sum by warps with subgroups and without, and generated shaders
// against those by hand.
import { readFileSync } from 'node:fs';
import { device, load } from '../../web/tern/index.js';
import { dawn } from '../web/devices.mjs';
import { againstHand, fill } from '../../bench/web/shaders.mjs';

await load(new URL(`file://${process.env.BUILD}/web/tern/tern.wasm`));
const d = await device('webgpu', { gpu: await dawn() });
console.log(`${d.name}: subgroups of ${d.subgroups}, ${await d.subgroupsFor([256, 1, 1])} in blocks of 256; ${d.features.join(' ')}`);

const sum = `__global__ void sum(const float *in, float *out, int n)
{
    __shared__ float warps[32];
    float s = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        s += in[i];
    for (int d = 16; d; d /= 2)
        s += __shfl_down_sync(~0u, s, d);
    if (threadIdx.x % 32 == 0)
        warps[threadIdx.x / 32] = s;
    __syncthreads();
    if (threadIdx.x < 32) {
        s = threadIdx.x < blockDim.x / 32 ? warps[threadIdx.x] : 0;
        for (int d = 16; d; d /= 2)
            s += __shfl_down_sync(~0u, s, d);
        if (threadIdx.x == 0)
            out[blockIdx.x] = s;
    }
}`;

/** The best time of a few launches, in milliseconds, and the sum. */
async function timed(n, blocks) {
    const kernel = await d.kernel(sum), x = d.buffer(fill(n, 1)), y = d.buffer(new Float32Array(blocks));
    let best = Infinity, timer;
    for (let k = 0; k < 12; k++) {
        const r = await kernel.launch({ grid: blocks, block: 256, args: [x, y, n] });
        timer = r.timer;
        best = Math.min(best, r.milliseconds);
    }
    const total = (await y.read()).reduce((a, b) => a + b, 0);
    for (const b of [x, y]) b.free();
    return { best, total, timer };
}

const size = d.subgroups;
for (const [n, blocks] of [[1 << 14, 64], [1 << 20, 1024], [1 << 24, 1024], [1 << 24, 16384]]) {
    d.subgroups = 0;
    const emulated = await timed(n, blocks);
    d.subgroups = size;
    const fast = await timed(n, blocks);
    console.log(`sum of ${n} floats, ${blocks} blocks: emulated ${emulated.best.toPrecision(4)} ms, by subgroups ${fast.best.toPrecision(4)} ms (${fast.timer}), ${(emulated.best / fast.best).toPrecision(3)} times as fast; ${emulated.total === fast.total ? 'the same sum' : `FAIL sums ${emulated.total} and ${fast.total}`}`);
}
await againstHand(d, readFileSync(new URL('../../bench/web/kernels.cu', import.meta.url), 'utf8'), (name, value, unit, goal) => console.log(`${name}\t${value.toPrecision(4)}\t${unit}${goal ? `\tgoal ${goal}` : ''}`));
process.exit(0);
