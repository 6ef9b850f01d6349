// CUDA in JavaScript: compile kernels, look into them, run them on WebGPU or WebAssembly.
import { CpuDevice, hasSimd } from './cpu.js';
import { openGpu } from './gpu.js';
import { request } from './compiler.js';
import { DeviceError } from './errors.js';

export { CompileError, DeviceError, KernelError, describe } from './errors.js';
export { answerWith, load, loadFft, loadWhole, warmWhole } from './compiler.js';
export { fft, gemm, gemv, scan, sort } from './library.js';
export { runProgram } from './program.js';

const decoder = new TextDecoder();

/** Compiles to wgsl, wasm, c, ptx, spirv or ir. Never throws for a bad source: look at `ok` and `diagnostics`. */
export async function compile(source, options = {}) {
    const { output, binary, ok, diagnostics } = await request({ to: 'wgsl', ...options, source });
    const code = !ok ? null : binary ? output : decoder.decode(output);
    return { ok, diagnostics, code };
}

/** What the kernels of a source need, and what will make them slow. */
export async function analyze(source, options = {}) {
    const { ok, diagnostics, kernels = [], globals = [] } = await request({ ...options, do: 'analyze', source });
    return { ok, diagnostics, kernels, globals };
}

/** The best device there is, or the one asked for: webgpu, wasm (SIMD) or wasm-scalar. */
export async function device(kind = 'auto', options = {}) {
    if (kind === 'auto' || kind === 'webgpu') {
        const gpu = await openGpu(options).catch(() => null);
        if (gpu) return gpu;
        if (kind === 'webgpu') throw new DeviceError('there is no WebGPU here');
    }
    if (kind === 'auto') return CpuDevice.open(hasSimd(), options);
    if (kind === 'wasm' && !hasSimd()) throw new DeviceError('there is no SIMD in this WebAssembly');
    if (kind === 'wasm' || kind === 'wasm-scalar') return CpuDevice.open(kind === 'wasm', options);
    throw new DeviceError(`there is no device '${kind}': webgpu, wasm or wasm-scalar`);
}

/** Launches again and again; times in milliseconds, the first launch apart (it makes the pipeline). */
export async function benchmark(kernel, launch, { runs = 20, seconds = 2 } = {}) {
    const first = await kernel.launch(launch), times = [], end = performance.now() + 1000 * seconds;
    do times.push((await kernel.launch(launch)).milliseconds);
    while (times.length < runs && performance.now() < end);
    const sorted = [...times].sort((a, b) => a - b);
    return { first: first.milliseconds, best: sorted[0], median: sorted[sorted.length >> 1], runs: times.length, timer: first.timer };
}
