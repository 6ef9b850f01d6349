// Runs WebAssembly that Tern wrote, by the ABI of doc/wasm-abi.md.
import { printed } from './printed.mjs';

const PRINT = 1 << 16;
function align(n, a) { return Math.ceil(n / a) * a; }

export function describe(module) {
    return JSON.parse(new TextDecoder().decode(WebAssembly.Module.customSections(module, 'tern')[0]));
}

/** Runs a launch; buffers in launch.args are replaced by what the kernel left in them. */
export async function run(bytes, launch) {
    const module = await WebAssembly.compile(bytes), about = describe(module);
    const { exports } = await WebAssembly.instantiate(module);
    const kernel = about.kernels.find(k => k.name === launch.kernel) ?? about.kernels[0];
    let at = align(about.heap, 256);
    const take = size => { const here = at; at = align(at + size, 256); return here; };
    const threads = launch.block[0] * launch.block[1] * launch.block[2];
    const print = take(PRINT), descriptor = take(72), params = take(kernel.bytes);
    const shared = take(about.shared + launch.shared), frames = take(threads * kernel.frame), stack = take(kernel.stack);
    const heapBase = take(1 << 20);
    const placed = launch.args.map(a => a.buffer ? take(a.bytes.length) : 0);
    const memory = exports.memory, missing = at - memory.buffer.byteLength;
    if (missing > 0) memory.grow(Math.ceil(missing / 65536));

    const heap = new Uint8Array(memory.buffer), view = new DataView(memory.buffer);
    const word = (p, v) => view.setUint32(p, v, true);
    word(20, print);
    word(24, PRINT);
    word(80, heapBase); // malloc
    word(84, heapBase + (1 << 20));
    launch.args.forEach((a, i) => a.buffer && heap.set(a.bytes, placed[i]));
    kernel.params.forEach((p, i) => launch.args[i].buffer ? word(params + p.offset, placed[i]) : heap.set(launch.args[i].bytes, params + p.offset));
    [...launch.grid, ...launch.block, 0, 0, 0, ...launch.grid, params, shared, launch.shared, frames, stack + kernel.stack, stack].forEach((v, i) => word(descriptor + 4 * i, v));

    let status;
    try {
        status = exports[kernel.entry](descriptor);
    } catch (e) {
        status = view.getUint32(4, true);
        if (!status) throw e;
    }
    launch.args.forEach((a, i) => { if (a.buffer) a.bytes = heap.slice(placed[i], placed[i] + a.bytes.length); });
    return { status, printed: printed(heap, view, print, PRINT) };
}
