// How far f32 results of WGSL may be from the interpreter's. WGSL rounds +, - and * correctly and leaves open how exact the
// rest is; a device that computes fma, division and square roots exactly (devices.mjs asks it) must agree to the bit, except in
// the kernels listed here, which use functions of the language that are less exact. Bounds are in ulps of the value itself
// (`values`) or, where terms cancel, of the largest value of the buffer
// (`largest`), or as they are (`absolute`).

const sumOfBlocks = { values: 16, why: 'a sum of 16 blocks, each rounded once, in any order' };
const expects = {
    'reduction.cu': sumOfBlocks,
    'attention.cu/online': { values: 16, why: 'exp2 is within 3 + 2|x| ulp, |x| < 4 here; weights are divided by their sum' },
    'softmax.cu/softmax': { values: 16, why: 'exp2 is within 3 + 2|x| ulp, |x| < 4 here; then a division' },
    'softmax.cu/gelu': { values: 16, why: 'tanh from exp2, within 3 + 2|x| ulp' },
    'fft.cu/round_trip': { largest: 16, why: 'nine stages forth and nine back, each adding a rounding of the largest; sin and cos' },
    'fft.cu/spectrum': { largest: 16, why: 'nine stages, each adding a rounding of the largest; sin and cos' },
    'nbody.cu/forces': { largest: 32, why: 'inverseSqrt is within 2 ulp, three times in each of the terms, which cancel' },
    'math.cu/quick': { values: 16, absolute: 2 ** -21, why: '__sinf and its kin: sin, cos, exp2 and log2 of the language, in quotients and powers' },
    'lanes.cu/powers': { values: 168, why: 'exp2 is within 3 + 2|x| ulp, |x| up to 80' },
    'random.cu/uniform': { largest: 32, why: 'thousands of floats added to one word in any order' },
};

// WebAssembly: to the bit too, except for functions that each device computes its own way, and floats that are added to one word
// by atomics, in an order that depends on lanes and, with several threads of the engine, on chance.
const onWasm = {
    'math.cu/quick': { values: 4, why: '__sinf and its kin' },
    'lanes.cu/powers': { values: 3, why: 'ex2.approx: within 2 ulp, here and there' },
    'random.cu/uniform': expects['random.cu/uniform'],
};
const onThreads = { ...onWasm, 'reduction.cu': sumOfBlocks };
export const wasmBounds = (name, threads) => (threads ? onThreads : onWasm)[name] ?? null;

/** What one rounding more or less in a kernel may do, on devices that are allowed to: fma that is not fused, division to 2.5 ulp. */
const inexact = { largest: 64, why: 'this device rounds as WGSL allows' };

export function bounds(name, code, exact) {
    const uses = (!exact.fma && /\bfma\(/.test(code)) || (!exact.division && / \/ /.test(code)) || (!exact.sqrt && /\bsqrt\(|inverseSqrt\(/.test(code));
    return { ...(expects[name] ?? (uses ? inexact : { values: 0 })), flushes: true };
}

/** From an expected value to how far from it a result may be; `numbers` are the sizes of all expected values. */
export function roomOf({ values = 0, largest = 0, absolute = 0, flushes = false }, numbers) {
    const top = largest ? Math.max(...numbers, 0) : 0, ulp = x => x === 0 ? 2 ** -149 : Math.max(2 ** (Math.floor(Math.log2(x)) - 23), 2 ** -149);
    return w => Math.max(absolute, values && values * ulp(Math.abs(w)), largest && largest * ulp(top), flushes && Math.abs(w) < 2 ** -126 ? 2 ** -126 : 0);
}
