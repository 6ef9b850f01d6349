// How threads of the engine divide the blocks of a launch: words of memory that all of them see, and the loop that each runs.
import { WASM_LAUNCH_BYTES, WASM_LAUNCH_COUNT, WASM_LAUNCH_FIRST } from './abi.js';

/** In the control words: the launch that is on (0: none), the next part of its grid, how many are at it, how many had work. */
export const LAUNCH = 0, NEXT = 1, ACTIVE = 2, USED = 3, CONTROL_BYTES = 16;
const STOP = 1 << 30;

/** Into how many parts a grid is cut along x, y and z: some for each thread, and whole rows where there are enough of them. */
export function parts([x, y, z], threads) {
    const want = 8 * threads, py = Math.min(y, Math.ceil(want / z));
    return [Math.min(x, Math.ceil(want / (z * py))), py, z];
}

/** Takes part after part until none is left; gives what the first entry that failed returned, or 0. */
export function run(control, entry, memory, at, grid, cut) {
    const [cx, cy, cz] = cut, all = cx * cy * cz, words = new Uint32Array(memory.buffer, at, WASM_LAUNCH_BYTES / 4);
    let status = 0, had = false;
    try {
        for (let k; !status && (k = Atomics.add(control, NEXT, 1)) < all; had = true) {
            const part = [k % cx, Math.floor(k / cx) % cy, Math.floor(k / (cx * cy))];
            for (let axis = 0; axis < 3; axis++) {
                const from = Math.floor(grid[axis] * part[axis] / cut[axis]), to = Math.floor(grid[axis] * (part[axis] + 1) / cut[axis]);
                words[WASM_LAUNCH_FIRST / 4 + axis] = from;
                words[WASM_LAUNCH_COUNT / 4 + axis] = to - from;
            }
            status = STOP; // if it does not come back
            status = entry(at);
        }
    } finally {
        if (had || status) Atomics.add(control, USED, 1);
        if (status) Atomics.store(control, NEXT, STOP);
    }
    return status;
}
