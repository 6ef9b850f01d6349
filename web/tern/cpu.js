// The WebAssembly device: kernels as modules of WebAssembly, with SIMD (threads of a block as its lanes) or without. A program
// has its memory to itself; a buffer moves into the memory of the program that uses it. A kernel is compiled once more for each
// shape of block that it is launched with, as a module on the same memory: rows of known length need no masks. Where memory can
// be shared, a team of threads runs the blocks (team.js).
import * as abi from './abi.js';
import { ask, request } from './compiler.js';
import { DeviceError, KernelError } from './errors.js';
import { Places, align, dims, isDeterministic, outcome, pack, rooms } from './memory.js';
import { TEXELS, Texture } from './texture.js';
import { hasSimd, isFused } from './simd.js';
import { BEYOND, MALLOC, PRINT } from './limits.js';
import { MOST_THREADS, Team, threadsFor } from './team.js';

const MOST = 0xffff0000, SHAPES = 64;
const PAGE = 65536, DESCRIPTOR = 128, MOST_SHARED = 32768; // pages: 2 GB
let modules = 0; // made so far: threads know them by number
const describe = module => JSON.parse(new TextDecoder().decode(WebAssembly.Module.customSections(module, 'tern')[0]));

class CpuBuffer {
    constructor(device, bytes, type) {
        Object.assign(this, { device, byteLength: bytes, type, home: null, at: 0, bytes: new Uint8Array(bytes) });
    }

    /** The bytes, wherever they are now. */
    view() {
        if (this.home === undefined) throw new DeviceError('the buffer was freed');
        return this.home ? new Uint8Array(this.home.memory.buffer, this.at, this.byteLength) : this.bytes;
    }

    write(data, offset = 0) {
        this.view().set(new Uint8Array(data.buffer ?? data, data.byteOffset ?? 0, data.byteLength), offset);
        return this;
    }

    async read(Type = this.type) {
        const copy = this.view().slice();
        return new Type(copy.buffer, 0, Math.floor(copy.length / Type.BYTES_PER_ELEMENT));
    }

    move(program) {
        if (this.home === program) return this.at;
        const bytes = this.view(), at = program.take(this.byteLength); // taking may move the memory of `program`, not ours
        new Uint8Array(program.memory.buffer, at, this.byteLength).set(bytes);
        this.home?.places.give(this.at, this.byteLength);
        Object.assign(this, { home: program, at, bytes: null });
        program.buffers.add(this);
        return at;
    }

    free() {
        this.home?.places.give(this.at, this.byteLength);
        Object.assign(this, { home: undefined, bytes: null });
    }
}

class CpuKernel {
    constructor(program, about) {
        Object.assign(this, { program, about, name: about.name, params: about.params });
    }

    async launch({ grid, block, shared = 0, args = [] }) {
        const shape = dims(block), blocks = dims(grid);
        return this.program.device.inTurn(async () => this.program.launch(await this.program.shaped(this.about, shape), blocks, shape, shared, args));
    }
}

class CpuProgram {
    constructor(device, code, about, { exports }, diagnostics, question) {
        Object.assign(this, { device, code, about, diagnostics, question, memory: exports.memory, buffers: new Set(), shapes: new Map() });
        this.general = { id: ++modules, module: about.threads ? withoutData(code) : null, exports };
        this.kernels = about.kernels.map(k => new CpuKernel(this, k));
        this.end = align(about.heap);
        this.places = new Places(this.end, this.end);
        this.print = this.take(PRINT);
        this.malloc = this.take(MALLOC);
        this.descriptors = this.take(DESCRIPTOR * (about.threads ? device.threads : 1));
        const words = new DataView(this.memory.buffer);
        [[abi.WEB_PRINT_AT, this.print], [abi.WEB_PRINT_SIZE, PRINT], [abi.WEB_MALLOC, this.malloc], [abi.WEB_MALLOC_END, this.malloc + MALLOC]].forEach(([at, v]) => words.setUint32(at, v, true));
    }

    kernel(name) {
        const found = name === undefined && this.kernels.length === 1 ? this.kernels[0] : this.kernels.find(k => k.name === name);
        if (!found) throw new DeviceError(`${name === undefined ? 'which kernel?' : `there is no kernel '${name}':`} ${this.kernels.map(k => k.name).join(', ')}`);
        return found;
    }

    async variable(name) {
        const g = this.about.globals.find(v => v.name === name);
        if (!g) throw new DeviceError(`there is no variable '${name}'`);
        return Object.assign(Object.create(CpuBuffer.prototype), { device: this.device, home: this, byteLength: g.size, type: Uint8Array, at: g.at, free() {} });
    }

    take(size) {
        let at = this.places.take(size);
        if (at >= 0) return at;
        const to = align(this.end + align(Math.max(size, 1)) + (this.end >> 1) + BEYOND, PAGE) - BEYOND, missing = to + BEYOND - this.memory.buffer.byteLength;
        try {
            if (to > MOST) throw new RangeError();
            if (missing > 0) this.memory.grow(Math.ceil(missing / PAGE));
        } catch {
            throw new DeviceError(`out of memory: ${size} bytes`);
        }
        this.places.grow(this.end, to);
        this.end = to;
        return this.places.take(size);
    }

    /** A place for the table of what may be accessed, which has room for all memory: taking it may have made that larger. */
    roomFor(take) {
        for (;;) {
            const count = this.memory.buffer.byteLength >>> 8, at = take(2 * count + 2);
            if (this.memory.buffer.byteLength >>> 8 === count) return { at, count };
        }
    }

    /** A kernel for blocks of one shape: { about, id, module, exports }. */
    async shaped(about, block) {
        const general = { about, ...this.general }, key = `${about.name} ${block}`;
        if (!this.question || about.lanes === 1 || about.block || this.about.pointers) return general;
        if (!this.shapes.has(key)) {
            if (this.shapes.size >= SHAPES) return general;
            this.shapes.set(key, this.special(about, block).catch(() => null));
        }
        return await this.shapes.get(key) ?? general;
    }

    async special({ name }, block) {
        const { ok, output } = await request({ ...this.question, kernel: name, block, beside: true });
        if (!ok) return null;
        const module = await WebAssembly.compile(output), { heap, shared, globals, kernels: [about] } = describe(module), mine = this.about;
        if (heap !== mine.heap || shared !== mine.shared || JSON.stringify(globals) !== JSON.stringify(mine.globals)) return null;
        const { exports } = await WebAssembly.instantiate(module, { tern: { memory: this.memory } });
        return { about, id: ++modules, module, exports };
    }

    async launch({ about, id, module, exports }, grid, block, shared, args) {
        if (about.block && String(about.block) !== String(block)) throw new DeviceError(`${about.name} was compiled for blocks of ${about.block.join(' x ')}`);
        const threads = block[0] * block[1] * block[2], own = [];
        if (threads > 1024) throw new DeviceError(`a block of ${block.join(' x ')} threads is more than 1024`);
        const mine = size => { const at = this.take(size); own.push([at, size]); return at; };
        const params = pack(about, args, (b, texture) => {
            if (b.device !== this.device) throw new DeviceError('a buffer of another device');
            const at = b.move(this);
            if (texture) b.write(Uint32Array.of(at + TEXELS, 0), abi.TEXTURE_MEMORY);
            return at;
        });
        try {
            const blocks = grid[0] * grid[1] * grid[2], alone = !this.about.threads || this.device.threads === 1 || blocks === 1 || about.together || this.device.deterministic && about.unordered;
            const atOnce = about.together ? blocks : 1, frameBytes = atOnce * threads * about.frame, sharedBytes = atOnce * align(this.about.shared + shared, 16);
            const count = alone ? 1 : this.device.threads, block0 = mine(params.length), at = [];
            for (let k = 0; k < count; k++) at.push([this.descriptors + DESCRIPTOR * k, mine(sharedBytes), mine(frameBytes), mine(about.stack)]);
            const table = this.question?.checked && this.roomFor(mine);
            const bytes = new Uint8Array(this.memory.buffer), words = new DataView(this.memory.buffer);
            if (table) {
                const inside = rooms(table.count, [[abi.WEB_HEADER, this.about.heap - abi.WEB_HEADER], [this.malloc, MALLOC], ...own, ...[...this.buffers].filter(b => b.home === this).map(b => [b.at, b.byteLength])]);
                bytes.set(new Uint8Array(inside.buffer), table.at);
                [[abi.WEB_ROOM_AT, table.at], [abi.WEB_ROOM_COUNT, table.count]].forEach(([at, v]) => words.setUint32(at, v, true));
            }
            bytes.set(params, block0);
            for (const [descriptor, smem, frames, stack] of at) {
                bytes.fill(0, frames, frames + frameBytes);
                const put = (at, ...values) => values.forEach((v, i) => words.setUint32(descriptor + at + 4 * i, v, true));
                put(abi.WASM_LAUNCH_GRID, ...grid);
                put(abi.WASM_LAUNCH_BLOCK, ...block);
                put(abi.WASM_LAUNCH_FIRST, 0, 0, 0);
                put(abi.WASM_LAUNCH_COUNT, ...grid);
                put(abi.WASM_LAUNCH_PARAMS, block0);
                put(abi.WASM_LAUNCH_SHARED, smem);
                put(abi.WASM_LAUNCH_DYNAMIC, shared);
                put(abi.WASM_LAUNCH_FRAMES, frames);
                put(abi.WASM_LAUNCH_STACK_TOP, stack + about.stack);
                put(abi.WASM_LAUNCH_STACK_BOTTOM, stack);
            }
            if (!alone) await this.device.team.start();
            let status = 0, error = null, used = 1, milliseconds = performance.now();
            if (alone)
                try {
                    status = exports[about.entry](at[0][0]);
                } catch (e) {
                    error = e.message;
                }
            else ({ status, error, used } = await this.device.team.launch({ id, module, memory: this.memory, entry: about.entry, exports, at: at.map(([d]) => d) }, grid));
            milliseconds = performance.now() - milliseconds;
            if (error !== null) status = words.getUint32(abi.WEB_STATUS, true);
            if (error !== null && !status) throw new KernelError('trap', `${about.name}: ${error}`, { kernel: about.name });
            try {
                return { milliseconds, timer: 'wall', threads: used, printed: outcome(about, bytes, status, this.print, PRINT) };
            } finally {
                words.setUint32(abi.WEB_STATUS, abi.WEB_OK, true);
                words.setUint32(abi.WEB_PRINT_USED, 0, true);
            }
        } finally {
            for (const [at, size] of own) this.places.give(at, size);
        }
    }

    /** Buffers that lie here go back to memory of their own. */
    free() {
        for (const b of this.buffers)
            if (b.home === this) Object.assign(b, { bytes: b.view().slice(), home: null });
        Promise.all(this.shapes.values()).then(shaped => this.device.team?.forget([this.general.id, ...shaped.map(s => s?.id)]));
    }
}

export class CpuDevice {
    static async open(simd, { threads, deterministic } = {}) {
        if (threads !== undefined && (!Number.isInteger(threads) || threads < 1)) throw new DeviceError(`${threads} threads are not possible`);
        return Object.assign(new CpuDevice(simd, await threadsFor(threads)), { deterministic: isDeterministic(deterministic) });
    }

    constructor(simd, threads) {
        this.kind = simd ? 'wasm' : 'wasm-scalar';
        this.threads = threads;
        this.name = `${simd ? 'WebAssembly SIMD' : 'WebAssembly'}${threads > 1 ? `, ${threads} threads` : ''}`;
        this.team = threads > 1 ? new Team(threads) : null;
        this.last = Promise.resolve();
        this.features = simd ? ['simd128', ...(isFused() ? ['relaxed-simd'] : [])] : [];
    }

    buffer(data, Type) {
        const isCount = typeof data === 'number';
        const b = new CpuBuffer(this, isCount ? data : data.byteLength, Type ?? (isCount ? Uint8Array : data.constructor));
        return isCount ? b : b.write(data);
    }

    texture(options) {
        return new Texture(this, options);
    }

    async load(source, options = {}) {
        const question = { gang: this.kind === 'wasm' ? 0 : 1, relaxed: this.features.includes('relaxed-simd'), threads: this.threads > 1, ...options, f64: 'exact', source, to: 'wasm' }; // it has f64
        this.team?.start(); // while that compiles
        const { output, diagnostics } = await ask(question);
        return this.link(output, diagnostics, question);
    }

    /** A program from WebAssembly that was compiled before. */
    async link(code, diagnostics = [], question = null) {
        const module = await WebAssembly.compile(code), about = describe(module);
        const instance = await WebAssembly.instantiate(module, about.threads ? { tern: { memory: sharedMemory(about) } } : {});
        return new CpuProgram(this, code, about, instance, diagnostics, question);
    }

    /** Launches come one after the other: threads of one team do one thing at a time. */
    inTurn(work) {
        const mine = this.last.then(work);
        this.last = mine.catch(() => {});
        return mine;
    }

    async kernel(source, name, options = {}) {
        return (await this.load(source, options)).kernel(name);
    }

    /** Several launches, one after the other; gives the milliseconds. */
    async launchAll(launches) {
        let milliseconds = 0;
        for (const { kernel, ...launch } of launches) milliseconds += (await kernel.launch(launch)).milliseconds;
        return milliseconds;
    }

    scratch(bytes) {
        return new CpuBuffer(this, bytes, Uint8Array);
    }

    free() {
        this.team?.free();
    }
}

/** Memory that threads share has an end from the start; what the engine will not give is asked for again, by half. */
function sharedMemory({ heap }) {
    const initial = Math.ceil((heap + PRINT + MALLOC + DESCRIPTOR * MOST_THREADS + BEYOND) / PAGE) + 1;
    for (let maximum = MOST_SHARED; ; maximum >>= 1)
        try {
            return new WebAssembly.Memory({ initial, maximum: Math.max(maximum, initial), shared: true });
        } catch (e) {
            if (maximum < initial) throw new DeviceError(`no memory that threads can share: ${e.message}`);
        }
}

/** The module that other threads make instances of: variables are where they are already. */
function withoutData(code) {
    const kept = [code.subarray(0, 8)];
    for (let at = 8; at < code.length;) {
        const start = at, id = code[at++];
        let size = 0, shift = 0, byte;
        do size |= ((byte = code[at++]) & 127) << shift;
        while (shift += 7, byte & 128);
        at += size;
        if (id !== 11) kept.push(code.subarray(start, at));
    }
    const out = new Uint8Array(kept.reduce((n, part) => n + part.length, 0));
    kept.reduce((n, part) => (out.set(part, n), n + part.length), 0);
    return new WebAssembly.Module(out);
}

export { hasSimd };
