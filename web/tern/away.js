// The CUDA runtime of a whole program whose kernels run on the page's GPU. Device memory is the GPU's: an address there is the
// number that it has in the program's own memory, where nothing of it is ever read. What host and kernels share (managed and
// pinned memory) goes to the GPU before each launch, and comes back after it. The program waits for the GPU by being suspended.
import { ZONE } from './gpu.js';
import { DEVICE, ERRORS, Runtime } from './runtime.js';
import { DeviceError, KernelError } from './errors.js';

const E = ERRORS;

/** Can WebAssembly be suspended here? */
export const canWait = () => typeof WebAssembly.Suspending === 'function' && typeof WebAssembly.promising === 'function';

export class AwayRuntime extends Runtime {
    constructor(program, half, compile, device, kernels) {
        super(program, half, compile);
        Object.assign(this, { device, away: kernels });
        device.enter(kernels);
    }

    allocate(size, kind) {
        const at = super.allocate(size, kind);
        if (at && !this.reaches(at + size)) return super.give(at, [kind]), 0;
        return at;
    }

    /** Has the GPU's heap this address, or can it have it? */
    reaches(end) {
        return end <= this.device.heap.size || (this.device.grow(end) && end <= this.device.heap.size);
    }

    /** Does the GPU have it? Variables lie in its first bytes, where the host has nothing. */
    isAway(p) {
        return p < ZONE || this.find(p)?.kind === DEVICE;
    }

    write(at, bytes) {
        const { device } = this, { queue } = device.gpu;
        if (!(at % 4 || bytes.length % 4)) return queue.writeBuffer(device.heap, at, bytes), 0;
        const first = at & ~3, end = (at + bytes.length + 3) & ~3;
        return device.copyOut(first, end - first).then(words => {
            words.set(bytes, at - first);
            queue.writeBuffer(device.heap, first, words);
            return 0;
        });
    }

    async read(at, size) {
        const first = at & ~3, words = await this.device.copyOut(first, ((at + size + 3) & ~3) - first);
        return words.subarray(at - first, at - first + size);
    }

    copy(to, from, size) {
        const toAway = this.isAway(to), fromAway = this.isAway(from), { space } = this;
        if (!size || !to || !from || !(toAway || fromAway)) return super.copy(to, from, size);
        for (const p of [to, from]) {
            const m = this.find(p);
            if (m ? p + size > m.at + m.size : this.isAway(p) || p + size > space.memory.buffer.byteLength) return E.invalidValue;
        }
        if (!fromAway) return this.write(to, space.bytes.slice(from, from + size));
        return this.read(from, size).then(bytes => toAway ? this.write(to, bytes.slice()) : (space.bytes.set(bytes, to), 0));
    }

    fill(p, v, n) {
        return this.isAway(p) ? this.write(p, new Uint8Array(n).fill(v)) : super.fill(p, v, n);
    }

    /** What the host and the kernels see both. */
    shared() {
        return [...this.memory.values()].filter(m => m.kind !== DEVICE);
    }

    async start(kernel, params, grid, block, shared) {
        if (this.pending || this.sticky) return 0;
        this.flush();
        const { space, device } = this, both = this.shared(), padded = n => (n + 3) & ~3;
        for (const m of both) device.gpu.queue.writeBuffer(device.heap, m.at, space.bytes.slice(m.at, m.at + padded(m.size)));
        try {
            const { printed } = await device.launch(this.away.kernel(kernel.about.name), grid, block, shared, [], params);
            this.printed += printed;
        } catch (e) {
            if (!(e instanceof KernelError) && !(e instanceof DeviceError)) throw e;
            this.printed += e.printed ?? '';
            this.program.say(e.message);
            if (e instanceof DeviceError) return E.launchOutOfResources;
            this.pending = e.kind === 'assert' ? E.assert : E.launchFailure;
        }
        for (const m of both) space.bytes.set((await this.read(m.at, m.size)), m.at);
        return 0;
    }
}
