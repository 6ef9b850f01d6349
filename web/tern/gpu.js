// The WebGPU device. All buffers lie in one storage buffer, the heap: a pointer is an offset into it. Its first bytes belong
// to the program that runs: status, printf, globals. Another program's are swapped in when it is launched. A launch whose
// arguments are whole buffers gets a shader in which each has a binding of its own, where the kernel allows it; and one with
// operations of warps a shader that makes them of subgroups, where these fit.
import * as abi from './abi.js';
import { ask, request } from './compiler.js';
import { DeviceError } from './errors.js';
import { Places, align, dims, isDeterministic, outcome, pack, rooms } from './memory.js';
import { inOrder, subgroupSize } from './subgroups.js';
import { TEXELS, Texture } from './texture.js';

const pairs = '#include "device/softf64/dfloat.h"\n__global__ void pairs(const float *x, int *ok) { *ok = __tern_df_selftest(x[0], x[1]); }';
export const ZONE = 2 << 20; // what a program has of the heap
const PRINT = 1 << 20, MALLOC = 1 << 20, FIRST_HEAP = 16 << 20, BINDINGS = 7, VARIANTS = 16;
const wanted = ['maxComputeWorkgroupStorageSize', 'maxComputeInvocationsPerWorkgroup', 'maxComputeWorkgroupSizeX',
    'maxComputeWorkgroupSizeY', 'maxComputeWorkgroupSizeZ', 'maxStorageBufferBindingSize', 'maxBufferSize', 'maxComputeWorkgroupsPerDimension'];

class GpuBuffer {
    constructor(device, bytes, type) {
        Object.assign(this, { device, byteLength: bytes, type, at: device.take(bytes) });
        device.live.add(this);
    }

    place() {
        if (this.at < 0) throw new DeviceError('the buffer was freed');
        return this.at;
    }

    /** Writes a typed array at a byte offset: WebGPU writes whole words, and only the last one of a buffer has room to spare. */
    write(data, offset = 0) {
        const bytes = new Uint8Array(data.buffer ?? data, data.byteOffset ?? 0, data.byteLength), whole = bytes.length & ~3;
        if (offset + bytes.length > this.byteLength) throw new RangeError('more than the buffer holds');
        if (offset % 4 || (whole < bytes.length && offset + bytes.length < this.byteLength)) throw new RangeError('WebGPU writes whole words of four bytes');
        const { queue } = this.device.gpu, at = this.place() + offset;
        if (whole) queue.writeBuffer(this.device.heap, at, bytes, 0, whole);
        if (whole < bytes.length) { // what is left of the last word is padding of ours
            const word = new Uint8Array(4);
            word.set(bytes.subarray(whole));
            queue.writeBuffer(this.device.heap, at + whole, word);
        }
        return this;
    }

    /** A copy of the contents, as the type given here or at creation. */
    async read(Type = this.type) {
        const bytes = await this.device.copyOut(this.place(), align(this.byteLength, 4));
        return new Type(bytes.buffer, 0, Math.floor(this.byteLength / Type.BYTES_PER_ELEMENT));
    }

    free() {
        if (this.at < 0) return;
        this.device.places.give(this.at, this.byteLength);
        this.device.live.delete(this);
        this.at = -1;
    }
}

class GpuKernel {
    constructor(program, about) {
        Object.assign(this, { program, about, name: about.name, params: about.params, pipelines: new Map(), variants: new Map() });
    }

    /** How the arguments' buffers are bound: { buffers, groups }, the number of each pointer's binding from 1 on; or null. */
    separate(grid, args) {
        const { device, question } = this.program, buffers = [], groups = [];
        if (!question || question.checked || grid.some(n => n > device.gpu.limits.maxComputeWorkgroupsPerDimension)) return null;
        for (const [k, { type, size }] of this.params.entries()) {
            if (size !== undefined) return null;
            if (!type.startsWith('ptr')) continue;
            const at = buffers.indexOf(args[k]), b = args[k];
            if (!(b instanceof GpuBuffer) || b.at < ZONE || b.byteLength < 4) return null;
            groups.push(at < 0 ? buffers.push(b) : at + 1);
        }
        return buffers.length && buffers.length <= BINDINGS ? { buffers, groups } : null;
    }

    /** The shader for such bindings (none: one heap), and for subgroups of so many threads (0: none) where the kernel can use
     *  them; or null where it allows nothing of it. */
    async variant(groups, block, subgroups) {
        const key = `${groups}:${subgroups ? block : ''}`, { device, question } = this.program;
        if (!this.variants.has(key)) {
            if (this.variants.size >= VARIANTS) return null;
            this.variants.set(key, request({ ...question, kernel: this.name, bindings: groups, ...(subgroups && { subgroups, block }) }).then(r => {
                const code = r.ok && new TextDecoder().decode(r.output);
                return code && (groups.length || /^enable subgroups;$/m.test(code)) ? device.shader(code) : null;
            }).catch(() => null));
        }
        return this.variants.get(key);
    }

    /** What a launch binds: { pipeline, group(uniform) }. */
    async bindings(grid, block, shared, args) {
        const { device, question, module } = this.program, own = this.separate(grid, args);
        const lanes = this.about.warps && question && grid[0] * block[0] < 2 ** 31 ? await device.subgroupsFor(block) : 0;
        const apart = own && await this.variant(own.groups, block, lanes), whole = !apart && lanes && await this.variant([], block, lanes);
        if (!apart) return { pipeline: await this.pipeline(block, shared, whole ? 'warps' : 'all', whole || module, device.layout(0)), group: u => device.bind(0, u, [{ buffer: device.heap }]) };
        const n = own.buffers.length, range = b => ({ buffer: device.heap, offset: b.at, size: align(b.byteLength, 4) }); // of the heap as it is then
        return { pipeline: await this.pipeline(block, shared, String(own.groups), apart, device.layout(n)), group: u => device.bind(n, u, [{ buffer: device.heap, size: ZONE }, ...own.buffers.map(range)]) };
    }

    /** The pipeline for a block size, made once. */
    async pipeline(block, shared, which, module, layout) {
        const key = `${block}:${shared}:${which}`, known = this.pipelines.get(key);
        if (known) return known;
        const { gpu } = this.program.device;
        gpu.pushErrorScope('validation');
        let made;
        try {
            made = await gpu.createComputePipelineAsync({
                layout,
                compute: { module, entryPoint: this.about.entry, constants: { threads_x: block[0], threads_y: block[1], threads_z: block[2], dynamic_shared: shared } },
            });
        } catch (e) {
            await gpu.popErrorScope();
            throw new DeviceError(`${this.name}: ${e.message}`);
        }
        await gpu.popErrorScope();
        this.pipelines.set(key, made);
        return made;
    }

    /** What a launch would bind, for those who record their own passes: { pipeline, group }. Grids within the limits only. */
    async bound({ grid, block, shared = 0, args = [] }) {
        const device = this.program.device, { pipeline, group } = await this.bindings(dims(grid), dims(block), shared, args);
        device.enter(this.program);
        return { pipeline, group: group(device.uniform(dims(grid), [0, 0, 0], device.pack(this, args))) };
    }

    /** Runs it; gives the milliseconds it took, how they were measured, and what it printed. */
    async launch({ grid, block, shared = 0, args = [] }) {
        return this.program.device.launch(this, dims(grid), dims(block), shared, args);
    }
}

class GpuProgram {
    constructor(device, code, about, module, diagnostics, question) {
        Object.assign(this, { device, code, about, module, diagnostics, question });
        this.kernels = about.kernels.map(k => new GpuKernel(this, k));
        this.print = align(about.heap);
        const image = new Uint8Array(this.print), words = new DataView(image.buffer);
        words.setUint32(abi.WEB_PRINT_AT, this.print, true);
        words.setUint32(abi.WEB_PRINT_SIZE, PRINT, true);
        this.malloc = device.take(MALLOC);
        words.setUint32(abi.WEB_MALLOC, this.malloc, true);
        words.setUint32(abi.WEB_MALLOC_END, this.malloc + MALLOC, true);
        for (const g of about.globals)
            if (g.init) image.set(Uint8Array.from(g.init.match(/../g), h => parseInt(h, 16)), g.at);
        if (image.length + PRINT > ZONE) throw new DeviceError(`the module's variables take ${about.heap} bytes; there is room for ${ZONE - PRINT}`);
        this.image = device.gpu.createBuffer({ size: image.length, usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.COPY_SRC });
        device.gpu.queue.writeBuffer(this.image, 0, image);
    }

    kernel(name) {
        const found = name === undefined && this.kernels.length === 1 ? this.kernels[0] : this.kernels.find(k => k.name === name);
        if (!found) throw new DeviceError(`${name === undefined ? 'which kernel?' : `there is no kernel '${name}':`} ${this.kernels.map(k => k.name).join(', ')}`);
        return found;
    }

    /** Where a __device__ or __constant__ variable lies, as a buffer. */
    async variable(name) {
        const g = this.about.globals.find(v => v.name === name);
        if (!g) throw new DeviceError(`there is no variable '${name}'`);
        await this.device.enter(this);
        const b = Object.create(GpuBuffer.prototype);
        return Object.assign(b, { device: this.device, byteLength: g.size, type: Uint8Array, at: g.at, free() {} });
    }

    free() {
        if (this.device.current === this) this.device.current = null;
        this.device.places.give(this.malloc, MALLOC);
        this.image.destroy();
    }
}

export class GpuDevice {
    constructor(adapter, gpu, owner) {
        const info = adapter.info ?? {};
        this.kind = 'webgpu';
        this.name = [info.vendor, info.architecture, info.device, info.description].filter(word => word && !/^\d+$/.test(word)).join(' ') || 'WebGPU';
        this.gpu = gpu;
        this.owner = owner; // an implementation for Node lives as long as somebody refers to it
        this.lost = null;
        this.current = null;
        this.features = [...gpu.features].sort();
        this.subgroups = subgroupSize(info, gpu);
        this.shapes = new Map(); // of blocks: are warps subgroups there?
        this.heap = this.makeHeap(Math.min(FIRST_HEAP, gpu.limits.maxStorageBufferBindingSize));
        this.places = new Places(ZONE, this.heap.size);
        this.layouts = [];
        this.live = new Set(); // buffers
        this.room = null; // the table of what kernels may access: { at, count }
        gpu.lost.then(why => { this.lost = why.message || 'it was destroyed'; });
        if (gpu.features.has('timestamp-query')) {
            this.queries = gpu.createQuerySet({ type: 'timestamp', count: 2 });
            this.times = gpu.createBuffer({ size: 16, usage: GPUBufferUsage.QUERY_RESOLVE | GPUBufferUsage.COPY_SRC });
        }
    }

    /** How many threads the subgroups of such blocks have, if they are in order; else 0. */
    async subgroupsFor(block) {
        const key = String(block);
        if (!this.subgroups) return 0;
        if (!this.shapes.has(key)) this.shapes.set(key, inOrder(this.gpu, this.subgroups, block));
        return await this.shapes.get(key) ? this.subgroups : 0;
    }

    /** Of the pipelines with n bindings for single arguments. */
    layout(n) {
        if (!this.layouts[n]) {
            const entries = Array.from({ length: n + 2 }, (_, binding) => ({ binding, visibility: GPUShaderStage.COMPUTE, buffer: { type: binding ? 'storage' : 'uniform' } }));
            const group = this.gpu.createBindGroupLayout({ entries });
            this.layouts[n] = { group, pipeline: this.gpu.createPipelineLayout({ bindGroupLayouts: [group] }) };
        }
        return this.layouts[n].pipeline;
    }

    makeHeap(size) {
        return this.gpu.createBuffer({ size, usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST | GPUBufferUsage.COPY_SRC });
    }

    take(size) {
        let at = this.places.take(size);
        if (at >= 0) return at;
        if (this.grow(this.heap.size + size + ZONE)) at = this.places.take(size);
        if (at < 0) throw new DeviceError(`out of memory: ${size} bytes on a device that gives ${this.most()}`);
        return at;
    }

    most() {
        return Math.min(this.gpu.limits.maxStorageBufferBindingSize, this.gpu.limits.maxBufferSize) & ~255;
    }

    /** The same bytes in a larger buffer, if there can be one. */
    grow(size) {
        const old = this.heap, more = Math.min(this.most(), align(Math.max(2 * old.size, size)));
        if (more <= old.size) return false;
        this.heap = this.makeHeap(more);
        const encoder = this.gpu.createCommandEncoder();
        encoder.copyBufferToBuffer(old, 0, this.heap, 0, old.size);
        this.gpu.queue.submit([encoder.finish()]);
        this.places.grow(old.size, more);
        old.destroy();
        return true;
    }

    texture(options) {
        const made = new Texture(this, options);
        made.memory.write(Uint32Array.of(made.memory.at + TEXELS, 0), abi.TEXTURE_MEMORY); // there it stays
        return made;
    }

    /** A buffer from a typed array (copied), or of so many zero bytes. */
    buffer(data, Type) {
        const isCount = typeof data === 'number';
        const b = new GpuBuffer(this, isCount ? data : data.byteLength, Type ?? (isCount ? Uint8Array : data.constructor));
        return b.write(isCount ? new Uint8Array(data) : data);
    }

    async copyOut(at, size) {
        this.alive();
        const to = this.gpu.createBuffer({ size, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
        const encoder = this.gpu.createCommandEncoder();
        encoder.copyBufferToBuffer(this.heap, at, to, 0, size);
        this.gpu.queue.submit([encoder.finish()]);
        await to.mapAsync(GPUMapMode.READ);
        const bytes = new Uint8Array(to.getMappedRange().slice(0));
        to.destroy();
        return bytes;
    }

    alive() {
        if (this.lost) throw new DeviceError(`the GPU was lost: ${this.lost}`);
    }

    /** Does float arithmetic round here as pairs of floats (f64: 'fast') need it? WGSL leaves it open. Asked once. */
    roundsPairs() {
        this.rounds ??= (async () => {
            const program = await this.load(pairs), x = this.buffer(Float32Array.of(1 + 2 ** -23, (1 + 2 ** -23) * 2 ** -24)), ok = this.buffer(new Int32Array(1));
            await program.kernel().launch({ args: [x, ok] });
            const [yes] = await ok.read();
            for (const made of [program, x, ok]) made.free();
            return yes === 1;
        })();
        return this.rounds;
    }

    /** Compiles a source for this device. */
    async load(source, options = {}) {
        this.alive();
        if (options.f64 === 'fast' && !await this.roundsPairs()) throw new DeviceError("f64 'fast': this device's float arithmetic does not round as pairs of floats need it");
        const question = { f16: this.gpu.features.has('shader-f16'), ...options, source, to: 'wgsl' }, { output, diagnostics } = await ask(question);
        return this.link(new TextDecoder().decode(output), diagnostics, question);
    }

    /** A program from WGSL that was compiled before. */
    async link(code, diagnostics = [], question = null) {
        this.alive();
        const about = JSON.parse(/^\/\/ tern: (.*)$/m.exec(code)[1]);
        return new GpuProgram(this, code, about, await this.shader(code), diagnostics, question);
    }

    async shader(code) {
        const module = this.gpu.createShaderModule({ code });
        const faults = (await module.getCompilationInfo()).messages.filter(m => m.type === 'error');
        if (faults.length) throw new DeviceError(`the shader compiler refused line ${faults[0].lineNum}: ${faults[0].message}`);
        return module;
    }

    async kernel(source, name, options = {}) {
        return (await this.load(source, options)).kernel(name);
    }

    /** Brings the program's own part of memory into the heap. */
    enter(program) {
        if (this.current === program) return;
        const encoder = this.gpu.createCommandEncoder(), last = this.current;
        if (last) encoder.copyBufferToBuffer(this.heap, 0, last.image, 0, last.image.size);
        encoder.copyBufferToBuffer(program.image, 0, this.heap, 0, program.image.size);
        this.gpu.queue.submit([encoder.finish()]);
        this.current = program;
    }

    /** Grids above the device's limits go in several dispatches. */
    *parts(grid) {
        const most = this.gpu.limits.maxComputeWorkgroupsPerDimension;
        for (let z = 0; z < grid[2]; z += most)
            for (let y = 0; y < grid[1]; y += most)
                for (let x = 0; x < grid[0]; x += most)
                    yield [[x, y, z], [x, y, z].map((at, k) => Math.min(most, grid[k] - at))];
    }

    /** Tells checked kernels what they may access. */
    allow(program) {
        while (this.room?.count !== this.heap.size >>> 8) { // taking may have made the heap larger
            if (this.room) this.places.give(this.room.at, 2 * this.room.count + 2);
            const count = this.heap.size >>> 8;
            this.room = { at: this.take(2 * count + 2), count };
        }
        const { at, count } = this.room, own = [[abi.WEB_HEADER, program.about.heap - abi.WEB_HEADER], [program.malloc, MALLOC]];
        const table = rooms(count, [...own, ...Array.from(this.live, b => [b.at, b.byteLength])]), bytes = new Uint8Array(align(table.byteLength, 4));
        bytes.set(new Uint8Array(table.buffer));
        this.gpu.queue.writeBuffer(this.heap, at, bytes);
        this.gpu.queue.writeBuffer(this.heap, abi.WEB_ROOM_AT, Uint32Array.of(at, count));
    }

    pack(kernel, args) {
        return pack(kernel.about, args, b => {
            if (b.device !== this || b.at < 0) throw new DeviceError('a buffer of another device, or one that was freed');
            return b.at;
        });
    }

    /** The uniform block of one dispatch. */
    uniform(grid, first, params) {
        const bytes = new Uint8Array(align(abi.WGSL_PARAMS + params.length, 16));
        new Uint32Array(bytes.buffer, abi.WGSL_GRID, 3).set(grid);
        new Uint32Array(bytes.buffer, abi.WGSL_FIRST_BLOCK, 3).set(first);
        bytes.set(params, abi.WGSL_PARAMS);
        const made = this.gpu.createBuffer({ size: bytes.length, usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST });
        this.gpu.queue.writeBuffer(made, 0, bytes);
        return made;
    }

    bind(n, uniform, storage) {
        const entries = [{ buffer: uniform }, ...storage].map((resource, binding) => ({ binding, resource }));
        return this.gpu.createBindGroup({ layout: this.layouts[n].group, entries });
    }

    /** Throws what this device says to such a launch, if it is no. */
    check({ program, about }, block, shared) {
        const { limits } = this.gpu, threads = block[0] * block[1] * block[2];
        if (this.deterministic && about.unordered) throw new DeviceError(`${about.name} depends on the order of its threads (atomics of floats, or whose old values are used): a GPU has none`);
        if (threads > limits.maxComputeInvocationsPerWorkgroup || block.some((n, k) => n > limits['maxComputeWorkgroupSize' + 'XYZ'[k]]))
            throw new DeviceError(`a block of ${block.join(' x ')} threads is more than this device takes (${limits.maxComputeInvocationsPerWorkgroup})`);
        if (program.about.shared + shared > limits.maxComputeWorkgroupStorageSize)
            throw new DeviceError(`${program.about.shared + shared} bytes of shared memory are more than this device has (${limits.maxComputeWorkgroupStorageSize})`);
    }

    /** `packed`: the parameter block, if it is made already. */
    async launch(kernel, grid, block, shared, args, packed = null) {
        this.alive();
        this.check(kernel, block, shared);
        const { queue } = this.gpu, { program, about } = kernel;
        const params = packed ?? this.pack(kernel, args), { pipeline, group } = await kernel.bindings(grid, block, shared, args);
        const start = performance.now(), parts = this.parts(grid), record = ([first, count], how) => {
            const uniform = this.uniform(grid, first, params), encoder = this.gpu.createCommandEncoder(), pass = encoder.beginComputePass(how);
            pass.setPipeline(pipeline);
            pass.setBindGroup(0, group(uniform));
            pass.dispatchWorkgroups(...count);
            pass.end();
            return { encoder, uniform };
        };
        let part = parts.next().value, timed = this.queries;
        for (let next; !(next = parts.next()).done; part = next.value) { // one after the other: who is ended leaves no more than one on the GPU
            this.enter(program);
            if (program.question?.checked) this.allow(program);
            const { encoder, uniform } = record(part);
            queue.submit([encoder.finish()]);
            await queue.onSubmittedWorkDone();
            uniform.destroy();
            this.alive();
            timed = null;
        }
        this.enter(program);
        if (program.question?.checked) this.allow(program);
        this.gpu.pushErrorScope('validation');
        const { encoder, uniform } = record(part, timed && { timestampWrites: { querySet: timed, beginningOfPassWriteIndex: 0, endOfPassWriteIndex: 1 } });
        if (timed) encoder.resolveQuerySet(timed, 0, 2, this.times, 0);
        // One small buffer comes back: the words at the start of memory, the times.
        const back = this.gpu.createBuffer({ size: abi.WEB_HEADER + 16, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
        encoder.copyBufferToBuffer(this.heap, 0, back, 0, abi.WEB_HEADER);
        if (timed) encoder.copyBufferToBuffer(this.times, 0, back, abi.WEB_HEADER, 16);
        queue.submit([encoder.finish()]);
        const fault = await this.gpu.popErrorScope();
        if (fault) throw new DeviceError(fault.message);
        try {
            await back.mapAsync(GPUMapMode.READ);
        } catch (e) {
            await new Promise(done => setTimeout(done)); // the reason arrives with it
            throw new DeviceError(`the GPU was lost: ${this.lost ?? e.message}`);
        }
        const wall = performance.now() - start, head = new Uint8Array(back.getMappedRange().slice(0));
        for (const b of [back, uniform]) b.destroy();
        const words = new DataView(head.buffer), status = words.getUint32(abi.WEB_STATUS, true);
        let time = { milliseconds: wall, timer: 'wall' };
        if (timed) {
            const spent = Number(words.getBigUint64(abi.WEB_HEADER + 8, true) - words.getBigUint64(abi.WEB_HEADER, true)) / 1e6;
            if (spent > 0) time = { milliseconds: spent, timer: 'gpu' };
        }
        if (!status && !words.getUint32(abi.WEB_PRINT_USED, true)) return { ...time, printed: '' };
        const whole = await this.copyOut(0, program.print + align(Math.min(words.getUint32(abi.WEB_PRINT_USED, true), PRINT)));
        queue.writeBuffer(this.heap, abi.WEB_STATUS, new Uint32Array([0]));
        queue.writeBuffer(this.heap, abi.WEB_PRINT_USED, new Uint32Array([0]));
        return { ...time, printed: outcome(about, whole, status, program.print, PRINT) };
    }

    /** Several launches in one submission, each after the one before it, of kernels that neither print nor fail; gives the milliseconds. */
    async launchAll(launches) {
        this.alive();
        const most = this.gpu.limits.maxComputeWorkgroupsPerDimension, ready = [];
        if (launches.some(({ kernel, grid }) => kernel.program.about.globals.length || dims(grid).some(n => n > most))) { // variables are swapped in by each launch
            let milliseconds = 0;
            for (const { kernel, ...launch } of launches) milliseconds += (await kernel.launch(launch)).milliseconds;
            return milliseconds;
        }
        for (const { kernel, grid, block, shared = 0, args } of launches) {
            this.check(kernel, dims(block), shared);
            ready.push({ kernel, grid: dims(grid), params: this.pack(kernel, args), ...await kernel.bindings(dims(grid), dims(block), shared, args) });
        }
        this.gpu.pushErrorScope('validation');
        const encoder = this.gpu.createCommandEncoder(), uniforms = [], start = performance.now();
        this.enter(launches[0].kernel.program);
        for (const { grid, params, pipeline, group } of ready) {
            const uniform = this.uniform(grid, [0, 0, 0], params), pass = encoder.beginComputePass();
            pass.setPipeline(pipeline);
            pass.setBindGroup(0, group(uniform));
            pass.dispatchWorkgroups(...grid);
            pass.end();
            uniforms.push(uniform);
        }
        this.gpu.queue.submit([encoder.finish()]);
        const fault = await this.gpu.popErrorScope();
        if (fault) throw new DeviceError(fault.message);
        await this.gpu.queue.onSubmittedWorkDone();
        for (const u of uniforms) u.destroy();
        this.alive();
        return performance.now() - start;
    }

    /** A buffer with whatever lies there. */
    scratch(bytes) {
        return new GpuBuffer(this, bytes, Uint8Array);
    }

    free() {
        this.gpu.destroy();
    }
}

/** Opens it, or gives null where there is none. */
export async function openGpu({ gpu = globalThis.navigator?.gpu, deterministic, ...how } = {}) {
    const adapter = await gpu?.requestAdapter({ powerPreference: 'high-performance', ...how }).catch(() => null);
    if (!adapter) return null;
    const requiredLimits = {}, requiredFeatures = ['timestamp-query', 'shader-f16', 'subgroups'].filter(f => adapter.features.has(f));
    for (const name of wanted) requiredLimits[name] = adapter.limits[name];
    return Object.assign(new GpuDevice(adapter, await adapter.requestDevice({ requiredLimits, requiredFeatures }), gpu), { deterministic: isDeterministic(deterministic) });
}
