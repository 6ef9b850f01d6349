// The CUDA runtime of whole programs: their kernels are WebAssembly on the memory of the program, and run when they are launched.
// What has structures in it is written in C++ (include/cuda/host/tern_page.h), over the functions here.
import * as abi from './abi.js';
import { MALLOC, PRINT } from './limits.js';
import { align, outcome, rooms } from './memory.js';
import { KernelError } from './errors.js';

export const ERRORS = {
    invalidValue: 1, memoryAllocation: 2, invalidConfiguration: 9, invalidSymbol: 13, invalidMemcpyDirection: 21, missingConfiguration: 52, invalidDeviceFunction: 98, invalidDevice: 101,
    invalidResourceHandle: 400, notReady: 600, illegalAddress: 700, launchOutOfResources: 701, assert: 710, launchFailure: 719, cooperativeLaunchTooLarge: 720, notSupported: 801,
    captureUnsupported: 900, captureInvalidated: 901, captureUnmatched: 903, captureImplicit: 906,
};
const E = ERRORS, MOST_THREADS = 1024, MOST_SHARED = 49152, MOST_OPTIN = 232448 - 1024, SHAPES = 64, LEGACY = 1, PER_THREAD = 2;
const MOST_GRID = [2147483647, 65535, 65535], MOST_BLOCK = [1024, 1024, 64];
export const DEVICE = 2, HOST = 1, MANAGED = 3;
/** Goes on with a result that is there, or will be: on a GPU some things take their time. */
export const then = (v, f) => v instanceof Promise ? v.then(f) : f(v);
const three = (l, h) => [Number(l & 0xffffffffn), Number(l >> 32n & 0xffffffffn), Number(h & 0xffffffffn)];

export class Runtime {
    /** `half`: the device half: { about, exports, question, found }. `compile` answers requests at once. */
    constructor(program, half, compile) {
        Object.assign(this, { program, half, compile, space: program.space, last: 0, sticky: 0, pending: 0, printed: '', kernels: new Map(), variables: new Map(), memory: new Map(), streams: new Map(), events: new Map(), graphs: new Map(), execs: new Map(), shapes: new Map(), configurations: [], registered: new Map(), stubs: new Map(), flags: 0, streamIds: 2 });
        const { space } = this;
        if (half) {
            this.print = space.range(PRINT);
            this.heap = space.range(MALLOC);
            this.descriptor = space.range(abi.WASM_LAUNCH_BYTES);
            [[abi.WEB_PRINT_AT, this.print], [abi.WEB_PRINT_SIZE, PRINT], [abi.WEB_MALLOC, this.heap], [abi.WEB_MALLOC_END, this.heap + MALLOC]].forEach(([at, v]) => space.setU32(at, v));
        }
    }

    // ---- what was done ----

    /** What kernels printed goes out, and what went wrong in them is known. */
    sync() {
        this.flush();
        if (this.pending && !this.sticky) this.sticky = this.pending;
        this.pending = 0;
        return this.sticky;
    }

    flush() {
        if (this.printed) this.program.io.put(this.program.io.stdout, new TextEncoder().encode(this.printed));
        this.printed = '';
    }

    // ---- memory ----

    allocate(size, kind) {
        const at = this.space.range(size);
        if (at) this.memory.set(at, { at, size, kind });
        return at;
    }

    take(out, size, kind) {
        if (!out) return E.invalidValue;
        if (this.sticky) return this.sticky;
        if (size === 0) return this.space.setWord(out, 0), 0;
        const at = this.allocate(size, kind);
        if (!at) return E.memoryAllocation;
        this.space.setWord(out, at);
        return 0;
    }

    give(p, kinds) {
        if (!p) return 0;
        const found = this.memory.get(p);
        if (!found || !kinds.includes(found.kind)) return E.invalidValue;
        this.memory.delete(p);
        this.space.give(p);
        return 0;
    }

    /** The allocation that an address is in. */
    find(p) {
        for (const m of this.memory.values()) if (p >= m.at && p < m.at + m.size) return m;
        for (const v of this.variables.values()) if (v.at && p >= v.at && p < v.at + v.size) return { at: v.at, size: v.size, kind: v.kind === 2 ? MANAGED : DEVICE };
        return null;
    }

    copy(to, from, size) {
        if (!size) return 0;
        const all = this.space.memory.buffer.byteLength;
        if (!to || !from || to + size > all || from + size > all) return E.invalidValue;
        for (const [p, m] of [[to, this.find(to)], [from, this.find(from)]]) if (m && p + size > m.at + m.size) return E.invalidValue;
        this.space.bytes.copyWithin(to, from, from + size);
        return 0;
    }

    fill(p, v, n) {
        this.space.bytes.fill(v, p, p + n);
        return 0;
    }

    // ---- streams ----

    stream(s) {
        return s === 0 || s === LEGACY || s === PER_THREAD ? this.program.ordinary : this.streams.get(s);
    }

    /** Does it now, or keeps it in the graph that the stream's work is captured in. */
    enqueue(s, work) {
        const stream = this.stream(s);
        if (!stream) return E.invalidResourceHandle;
        if (stream.capture) return stream.capture.nodes.push({ work }), 0;
        return work();
    }

    // ---- kernels ----

    register(entry) {
        const tag = this.space.u32(entry + 8), mangled = this.space.text(tag), name = this.space.text(tag + mangled.length + 1);
        const plain = mangled[0] === 'Z' ? `_Z${mangled.slice(1, mangled.lastIndexOf('E10__tern_tag'))}` : null;
        const found = this.half.found?.[plain ?? name], about = this.half.about.kernels.find(k => k.name === (found ?? name));
        if (!about) throw new KernelError('missing', `the device half has no kernel '${name}'`);
        this.kernels.set(entry, { about, name });
        this.stubs.set(this.space.u32(entry + 24), entry);
    }

    registerVariable(at) {
        const { space } = this, host = space.u32(at + 8), name = space.text(space.u32(at + 16)), size = space.word(at + 24), kind = space.i32(at + 32);
        const g = this.half.about.globals.find(v => v.name === name);
        this.variables.set(host, { at: g?.at ?? 0, size, kind, name });
    }

    /** For the shape of its blocks, where that makes faster code. */
    shaped(about, block) {
        const general = { about, exports: this.half.exports }, key = `${about.name} ${block}`;
        if (about.lanes === 1 || this.half.about.pointers) return general;
        if (!this.shapes.has(key)) this.shapes.set(key, this.shapes.size < SHAPES ? this.special(about, block) : null);
        return this.shapes.get(key) ?? general;
    }

    special({ name }, block) {
        const { ok, output } = this.compile({ ...this.half.question, kernel: name, block, beside: true });
        if (!ok) return null;
        let module;
        try {
            module = new WebAssembly.Module(output);
        } catch { // beyond what the engine takes
            return null;
        }
        const mine = this.half.about;
        const { heap, shared, globals, kernels: [about] } = JSON.parse(new TextDecoder().decode(WebAssembly.Module.customSections(module, 'tern')[0]));
        if (heap !== mine.heap || shared !== mine.shared || JSON.stringify(globals) !== JSON.stringify(mine.globals)) return null;
        return { about, exports: new WebAssembly.Instance(module, { tern: { memory: this.space.memory } }).exports };
    }

    /** What is wrong with a launch; 0: nothing. */
    refused(kernel, grid, block, shared) {
        if (grid.some((n, k) => n < 1 || n > MOST_GRID[k]) || block.some((n, k) => n < 1 || n > MOST_BLOCK[k])) return E.invalidConfiguration;
        const threads = block[0] * block[1] * block[2];
        if (threads > MOST_THREADS) return E.invalidConfiguration;
        if (kernel.about.threads && threads > kernel.about.threads) return E.launchOutOfResources;
        if (kernel.about.shared + shared > (kernel.shared ?? MOST_SHARED)) return E.invalidValue;
        return 0;
    }

    launch(entry, args, grid, block, shared, s) {
        if (this.sticky) return this.sticky;
        const { error, work } = this.prepare(entry, args, grid, block, shared);
        return error || this.enqueue(s, work);
    }

    /** { work }, with the arguments as they are now, or { error }. */
    prepare(entry, args, grid, block, shared) {
        const kernel = this.kernels.get(entry), { space } = this;
        if (!kernel) return { error: E.invalidDeviceFunction };
        const error = this.refused(kernel, grid, block, shared);
        if (error) return { error };
        const params = new Uint8Array(align(Math.max(kernel.about.bytes, 16), 16));
        kernel.about.params.forEach((p, k) => {
            const size = p.size ?? (p.type.startsWith('ptr') ? 8 : Math.max(1, /\d+/.exec(p.type)[0] / 8)), from = space.u32(args + 8 * k);
            params.set(space.bytes.subarray(from, from + size), p.offset);
        });
        return { work: () => this.start(kernel, params, grid, block, shared) };
    }

    start(kernel, params, grid, block, shared) {
        if (this.pending || this.sticky) return 0; // nothing runs after a fault
        this.flush();
        const { about, exports } = this.shaped(kernel.about, block), { space, half } = this, own = [];
        const mine = size => { const at = space.range(size); if (at) own.push(at); return at; };
        const threads = block[0] * block[1] * block[2], blocks = grid[0] * grid[1] * grid[2], atOnce = about.together ? blocks : 1;
        const frameBytes = atOnce * threads * about.frame, sharedBytes = atOnce * align(half.about.shared + shared, 16);
        const at = mine(params.length), smem = mine(sharedBytes), frames = mine(frameBytes), stack = mine(about.stack);
        if (!at || !smem || !frames || !stack) {
            own.forEach(p => space.give(p));
            return E.memoryAllocation;
        }
        space.bytes.set(params, at);
        space.bytes.fill(0, frames, frames + frameBytes);
        const put = (offset, ...values) => values.forEach((v, k) => space.setU32(this.descriptor + offset + 4 * k, v));
        put(abi.WASM_LAUNCH_GRID, ...grid, ...block, 0, 0, 0, ...grid, at, smem, shared, frames, stack + about.stack, stack);
        if (half.question.checked && !this.allow(own)) {
            own.forEach(p => space.give(p));
            return E.memoryAllocation;
        }
        let status = 0, error = null;
        try {
            status = exports[about.entry](this.descriptor);
        } catch (e) {
            if (!(e instanceof WebAssembly.RuntimeError) && !(e instanceof RangeError)) throw e;
            error = e.message;
        }
        own.forEach(p => space.give(p));
        this.pending = this.outcome(about, status, error);
        return 0;
    }

    /** Tells checked kernels what they may access: not what only the host has. */
    allow(own) {
        const { space, half } = this, size = () => space.memory.buffer.byteLength >>> 8;
        while (this.room?.count !== size()) { // taking may have made the memory larger
            if (this.room) space.give(this.room.at);
            const count = size(), at = space.range(2 * count + 2);
            this.room = null;
            if (!at) return false;
            this.room = { at, count };
        }
        const { at, count } = this.room, ranges = [[half.question.base, half.about.heap - half.question.base], [this.heap, MALLOC], ...own.map(p => [p, space.ranges.get(p)])];
        for (const m of this.memory.values()) ranges.push([m.at, m.size]);
        for (const v of this.variables.values()) if (v.at) ranges.push([v.at, v.size]); // managed ones are the host's
        ranges.push(...this.registered);
        space.bytes.set(new Uint8Array(rooms(count, ranges).buffer), at);
        space.setU32(abi.WEB_ROOM_AT, at);
        space.setU32(abi.WEB_ROOM_COUNT, count);
        return true;
    }

    /** What it printed is kept for the next moment when the host waits. */
    outcome(about, status, error) {
        const { space } = this, words = space.view;
        if (error !== null) status = words.getUint32(abi.WEB_STATUS, true);
        try {
            if (error !== null && !status) {
                this.printed += outcome(about, space.bytes, 0, this.print, PRINT);
                this.program.say(`${about.name}: ${error}`);
                return E.illegalAddress;
            }
            this.printed += outcome(about, space.bytes, status, this.print, PRINT);
            return 0;
        } catch (e) {
            if (!(e instanceof KernelError)) throw e;
            this.printed += e.printed ?? '';
            this.program.say(e.message);
            return { assert: E.assert, bounds: E.illegalAddress }[e.kind] ?? E.launchFailure;
        } finally {
            words.setUint32(abi.WEB_STATUS, abi.WEB_OK, true);
            words.setUint32(abi.WEB_PRINT_USED, 0, true);
        }
    }

    // ---- graphs ----

    run(graph) {
        return graph.nodes.reduce((e, n) => then(e, e => e || n.work()), 0);
    }
}

/** Functions of the runtime by name. Those that give an error are remembered by the program's last error. */
export function runtimeFunctions(rt) {
    const { space, program } = rt, now = () => performance.now();
    const later = (s, work) => rt.enqueue(s, () => rt.pending || rt.sticky ? 0 : work());
    const blocking = work => { const e = rt.sync(); return e || work(); };
    const handle = (table, out, value) => { if (!out) return E.invalidValue; const at = space.need(16); table.set(at, value); space.setWord(out, at); return 0; };
    const drop = (table, at) => table.delete(at) ? (space.free(at), 0) : E.invalidResourceHandle;
    const word = (out, v) => out ? (space.setWord(out, v), 0) : E.invalidValue;
    const int = (out, v) => out ? (space.setU32(out, v), 0) : E.invalidValue;
    const symbol = at => rt.variables.get(at);
    const within = (v, size, offset) => !v ? E.invalidSymbol : offset + size > v.size ? E.invalidValue : 0;
    const rows = (to, toPitch, from, fromPitch, width, height) => {
        if (width > toPitch || width > fromPitch) return 12; // cudaErrorInvalidPitchValue
        let e = 0;
        for (let y = 0; y < height; y++) e = then(e, e => e || rt.copy(to + y * toPitch, from + y * fromPitch, width));
        return e;
    };
    const fill = (p, v, n) => { if (!n) return 0; if (!p) return E.invalidValue; const m = rt.find(p); return m && p + n > m.at + m.size ? E.invalidValue : rt.fill(p, v & 255, n); };
    const fillRows = (p, pitch, v, w, h) => { let e = 0; for (let y = 0; y < h; y++) e = then(e, e => e || fill(p + y * pitch, v, w)); return e; };
    const newStream = (out, flags, priority) => handle(rt.streams, out, { flags, priority, capture: null, id: ++rt.streamIds });
    const newEvent = (out, flags) => handle(rt.events, out, { time: null, flags });
    const record = (e, s) => { const event = rt.events.get(e); if (event) event.capture = rt.stream(s)?.capture; return event ? rt.enqueue(s, () => { event.time = now(); return 0; }) : E.invalidResourceHandle; };
    const isStream = s => rt.stream(s) ? 0 : E.invalidResourceHandle;
    const kernelOf = func => rt.kernels.get(rt.stubs.get(func) ?? func);
    const call = (f, data) => { program.callback(f)(data); return 0; };
    const launch = (func, grid, block, args, shared, s) => rt.launch(rt.stubs.get(func) ?? func, args, grid, block, shared, s);
    const capture = s => {
        const stream = rt.stream(s);
        if (!stream) return E.invalidResourceHandle;
        if (stream.capture || s === 0) return s === 0 ? E.captureImplicit : E.captureUnsupported;
        stream.capture = { nodes: [], open: true };
        return 0;
    };
    /** A stream that waits for what is captured is captured, too. */
    const join = (stream, graph) => { if (graph?.open) stream.capture = graph; return 0; };
    const addNode = (out, g, work) => { const graph = rt.graphs.get(g); if (!graph || !out) return E.invalidValue; const at = space.need(16); graph.nodes.push({ at, work }); return word(out, at); };

    const limits = { 0: 1024, 1: PRINT, 2: MALLOC, 3: 2, 4: 2048, 5: 128, 6: 0 };
    const errors = { // give an error, which is kept
        cudaGetDeviceCount: out => int(out, 1), cudaGetDevice: out => int(out, 0), cudaSetDevice: d => d ? E.invalidDevice : 0, cudaInitDevice: d => d ? E.invalidDevice : 0, cudaSetValidDevices: () => 0, cudaChooseDevice: out => int(out, 0),
        cudaSetDeviceFlags: f => { rt.flags = f; return 0; }, cudaGetDeviceFlags: out => int(out, rt.flags),
        cudaDeviceSynchronize: () => rt.sync(), cudaThreadSynchronize: () => rt.sync(),
        cudaDeviceReset: () => { rt.sync(); rt.sticky = rt.last = 0; for (const at of rt.memory.keys()) space.give(at); rt.memory.clear(); return 0; },
        cudaThreadExit: () => rt.sync(), cudaDeviceSetLimit: () => 0, cudaDeviceGetLimit: (out, which) => which in limits ? word(out, limits[which]) : E.invalidValue,
        cudaDeviceSetCacheConfig: () => 0, cudaDeviceGetCacheConfig: out => int(out, 0), cudaDeviceSetSharedMemConfig: () => 0, cudaDeviceGetSharedMemConfig: out => int(out, 0),
        cudaDeviceGetStreamPriorityRange: (least, greatest) => { if (least) space.setU32(least, 0); if (greatest) space.setU32(greatest, 0); return 0; },
        cudaDeviceCanAccessPeer: out => int(out, 0), cudaDeviceEnablePeerAccess: () => E.invalidDevice, cudaDeviceDisablePeerAccess: () => E.invalidDevice,
        cudaDriverGetVersion: out => int(out, 12040), cudaRuntimeGetVersion: out => int(out, 12040), cudaProfilerStart: () => 0, cudaProfilerStop: () => 0,

        cudaMalloc: (out, n) => rt.take(out, n, DEVICE), cudaFree: p => { rt.sync(); return rt.give(p, [DEVICE, MANAGED]); },
        cudaMallocHost: (out, n) => rt.take(out, n, HOST), cudaHostAlloc: (out, n) => rt.take(out, n, HOST), cudaFreeHost: p => { rt.sync(); return rt.give(p, [HOST]); },
        cudaMallocManaged: (out, n) => n ? rt.take(out, n, MANAGED) : E.invalidValue, cudaMallocAsync: (out, n, s) => isStream(s) || rt.take(out, n, DEVICE), cudaFreeAsync: (p, s) => isStream(s) || rt.give(p, [DEVICE]),
        cudaMallocPitch(out, pitch, width, height) {
            const row = align(width, 512), e = out && pitch ? rt.take(out, row * height, DEVICE) : E.invalidValue;
            if (!e) space.setWord(pitch, row);
            return e;
        },
        cudaHostRegister: (p, n) => p ? (rt.registered.set(p, n), 0) : E.invalidValue, cudaHostUnregister: p => p ? (rt.registered.delete(p), 0) : E.invalidValue, cudaHostGetDevicePointer: (out, p) => p ? word(out, p) : E.invalidValue, cudaHostGetFlags: out => int(out, 0),
        cudaMemGetInfo: (free, all) => { const total = 2 ** 31; let used = 0; for (const m of rt.memory.values()) used += m.size; return word(free, Math.max(total - used, 0)) || word(all, total); },
        cudaMemPrefetchAsync: (p, n) => rt.find(p) ? 0 : E.invalidValue, cudaMemAdvise: p => rt.find(p) ? 0 : E.invalidValue,

        cudaMemcpy: (to, from, n, kind) => kind > 4 ? E.invalidMemcpyDirection : blocking(() => rt.copy(to, from, n)),
        cudaMemcpyAsync: (to, from, n, kind, s) => kind > 4 ? E.invalidMemcpyDirection : later(s, () => rt.copy(to, from, n)),
        cudaMemcpyPeer: (to, a, from, b, n) => a || b ? E.invalidDevice : blocking(() => rt.copy(to, from, n)), cudaMemcpyPeerAsync: (to, a, from, b, n, s) => a || b ? E.invalidDevice : later(s, () => rt.copy(to, from, n)),
        cudaMemcpy2D: (to, tp, from, fp, w, h) => blocking(() => rows(to, tp, from, fp, w, h)), cudaMemcpy2DAsync: (to, tp, from, fp, w, h, kind, s) => later(s, () => rows(to, tp, from, fp, w, h)),
        cudaMemset: (p, v, n) => blocking(() => fill(p, v, n)), cudaMemsetAsync: (p, v, n, s) => later(s, () => fill(p, v, n)),
        cudaMemset2D: (p, pitch, v, w, h) => blocking(() => fillRows(p, pitch, v, w, h)),
        cudaMemset2DAsync: (p, pitch, v, w, h, s) => later(s, () => fillRows(p, pitch, v, w, h)),
        cudaMemcpyToSymbol: (at, from, n, offset) => within(symbol(at), n, offset) || blocking(() => rt.copy(symbol(at).at + offset, from, n)), cudaMemcpyFromSymbol: (to, at, n, offset) => within(symbol(at), n, offset) || blocking(() => rt.copy(to, symbol(at).at + offset, n)),
        cudaMemcpyToSymbolAsync: (at, from, n, offset, kind, s) => within(symbol(at), n, offset) || later(s, () => rt.copy(symbol(at).at + offset, from, n)), cudaMemcpyFromSymbolAsync: (to, at, n, offset, kind, s) => within(symbol(at), n, offset) || later(s, () => rt.copy(to, symbol(at).at + offset, n)),
        cudaGetSymbolAddress: (out, at) => symbol(at)?.at ? word(out, symbol(at).at) : E.invalidSymbol, cudaGetSymbolSize: (out, at) => symbol(at) ? word(out, symbol(at).size) : E.invalidSymbol,

        cudaStreamCreate: out => newStream(out, 0, 0), cudaStreamCreateWithFlags: (out, flags) => newStream(out, flags, 0), cudaStreamCreateWithPriority: (out, flags) => newStream(out, flags, 0), cudaStreamDestroy: s => drop(rt.streams, s),
        cudaStreamSynchronize: s => isStream(s) || (rt.stream(s).capture ? E.captureUnsupported : rt.sync()), cudaStreamQuery: s => isStream(s) || rt.sync(), cudaStreamWaitEvent: (s, e) => isStream(s) || (rt.events.has(e) ? join(rt.stream(s), rt.events.get(e).capture) : E.invalidResourceHandle),
        cudaStreamAddCallback: (s, f, data) => later(s, () => { rt.flush(); program.callback(f)(s, rt.sticky, data); return 0; }), cudaLaunchHostFunc: (s, f, data) => later(s, () => { rt.flush(); return call(f, data); }),
        cudaStreamGetFlags: (s, out) => isStream(s) || int(out, rt.stream(s).flags ?? 0), cudaStreamGetPriority: (s, out) => isStream(s) || int(out, 0), cudaStreamGetId: (s, out) => isStream(s) || word(out, rt.stream(s).id ?? 1), cudaStreamAttachMemAsync: s => isStream(s), cudaStreamGetDevice: (s, out) => isStream(s) || int(out, 0),
        cudaEventCreate: out => newEvent(out, 0), cudaEventCreateWithFlags: newEvent, cudaEventDestroy: e => drop(rt.events, e), cudaEventRecord: record, cudaEventRecordWithFlags: record,
        cudaEventSynchronize: e => rt.events.has(e) ? rt.sync() : E.invalidResourceHandle, cudaEventQuery: e => rt.events.has(e) ? rt.sync() : E.invalidResourceHandle,
        cudaEventElapsedTime(out, a, b) {
            const from = rt.events.get(a), to = rt.events.get(b);
            if (!from || !to || !out || from.flags & 2 || to.flags & 2 || from.time === null || to.time === null) return E.invalidResourceHandle;
            space.view.setFloat32(out, to.time - from.time, true);
            return 0;
        },

        cudaStreamBeginCapture: s => capture(s), cudaThreadExchangeStreamCaptureMode: () => 0,
        cudaStreamEndCapture(s, out) {
            const stream = rt.stream(s);
            if (!stream) return E.invalidResourceHandle;
            if (!stream.capture) return E.captureUnmatched;
            const graph = stream.capture;
            graph.open = false;
            for (const other of rt.streams.values()) if (other.capture === graph) other.capture = null;
            stream.capture = null;
            return handle(rt.graphs, out, graph);
        },
        cudaStreamIsCapturing: (s, out) => isStream(s) || int(out, rt.stream(s).capture ? 1 : 0),
        cudaGraphCreate: out => handle(rt.graphs, out, { nodes: [] }), cudaGraphDestroy: g => drop(rt.graphs, g), cudaGraphExecDestroy: x => drop(rt.execs, x),
        cudaGraphInstantiate: (out, g) => rt.graphs.has(g) ? handle(rt.execs, out, { nodes: [...rt.graphs.get(g).nodes] }) : E.invalidValue, cudaGraphInstantiateWithFlags: (out, g) => rt.graphs.has(g) ? handle(rt.execs, out, { nodes: [...rt.graphs.get(g).nodes] }) : E.invalidValue,
        cudaGraphClone: (out, g) => rt.graphs.has(g) ? handle(rt.graphs, out, { nodes: [...rt.graphs.get(g).nodes] }) : E.invalidValue, cudaGraphAddEmptyNode: (out, g) => addNode(out, g, () => 0),
        cudaGraphAddMemcpyNode1D: (out, g, after, n, to, from, size) => addNode(out, g, () => rt.copy(to, from, size)),
        cudaGraphGetNodes(g, nodes, count) {
            const graph = rt.graphs.get(g);
            if (!graph || !count) return E.invalidValue;
            for (const n of graph.nodes) n.at ??= space.need(16);
            if (nodes) graph.nodes.slice(0, space.word(count)).forEach((n, k) => space.setWord(nodes + 8 * k, n.at));
            else space.setWord(count, graph.nodes.length);
            return 0;
        },
        __tern_page_call_node: (out, g, f, data) => addNode(out, g, () => { rt.flush(); program.callback(f)(data); return 0; }),
        __tern_page_kernel_node(out, g, func, g0, g1, b0, b1, args, shared) {
            const { error, work } = rt.prepare(rt.stubs.get(func) ?? func, args, three(g0, g1), three(b0, b1), Number(shared));
            return error ?? addNode(out, g, work);
        },
        cudaGraphLaunch: (x, s) => rt.execs.has(x) ? rt.enqueue(s, () => rt.run(rt.execs.get(x))) : E.invalidValue, cudaGraphUpload: x => rt.execs.has(x) ? 0 : E.invalidValue,

        cudaLaunchKernel: (func, g0, g1, b0, b1, args, shared, s) => launch(func, three(g0, g1), three(b0, b1), args, Number(shared), s),
        cudaLaunchCooperativeKernel: (func, g0, g1, b0, b1, args, shared, s) => launch(func, three(g0, g1), three(b0, b1), args, Number(shared), s),
        cudaFuncSetCacheConfig: () => 0, cudaFuncSetSharedMemConfig: () => 0,
        cudaFuncSetAttribute: (func, what, value) => { const k = kernelOf(func); if (!k) return E.invalidDeviceFunction; if (what === 8) { if (value < 0 || value > MOST_OPTIN) return E.invalidValue; k.shared = Math.max(value, MOST_SHARED); } return 0; },
        cudaOccupancyMaxActiveBlocksPerMultiprocessor: (out, func, threads, shared) => int(out, threads < 1 || threads > MOST_THREADS || shared > MOST_OPTIN ? 0 : Math.floor(2048 / (Math.ceil(threads / 32) * 32))),
        cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags: (out, func, threads, shared) => int(out, threads < 1 || threads > MOST_THREADS || shared > MOST_OPTIN ? 0 : Math.floor(2048 / (Math.ceil(threads / 32) * 32))),
        __tern_push_configuration: (g0, g1, b0, b1, shared, s) => { rt.configurations.push({ grid: three(g0, g1), block: three(b0, b1), shared: Number(shared), s }); return 0; },
        __tern_page_fail: e => e, __tern_page_sync: () => rt.sync(),
    };
    const raw = new Set(['__tern_page_kernel_node', 'cudaLaunchKernel', 'cudaLaunchCooperativeKernel', '__tern_push_configuration']);
    const functions = {
        cudaGetLastError: () => { const e = rt.last || rt.sticky; rt.last = 0; return e; },
        cudaPeekAtLastError: () => rt.last || rt.sticky,
        __tern_register_kernel: entry => rt.register(entry),
        __tern_register_variable: at => rt.registerVariable(at),
        __tern_launch(entry, args) {
            const c = rt.configurations.pop(), e = c ? rt.launch(entry, args, c.grid, c.block, c.shared, c.s) : E.missingConfiguration;
            return then(e, e => { if (e) rt.last = e; });
        },
        __tern_page_range: (n, kind) => rt.allocate(n, kind),
        __tern_page_give: p => { rt.give(p, [DEVICE, HOST, MANAGED]); },
        __tern_page_find(p, base, size) {
            const m = rt.find(p);
            if (!m) return 0;
            space.setWord(base, m.at);
            space.setWord(size, m.size);
            return m.kind;
        },
        __tern_bytes_after: p => { const m = rt.find(p); return m ? m.at + m.size - p : 0; },
        __tern_page_kernel(func, out) { // shared, frame, stack; 0: there is no such kernel
            const k = kernelOf(func);
            if (!k) return 0;
            space.setWord(out, k.about.shared);
            space.setWord(out + 8, k.about.stack - 65536);
            space.setWord(out + 16, k.shared ?? MOST_SHARED);
            return 1;
        },
        __tern_not_host: name => { program.say(`${space.text(name)} is for device code`); program.abort(); },
    };
    for (const [name, f] of Object.entries(errors)) {
        const kept = (...args) => then(f(...args), e => { if (e && e !== E.notReady) rt.last = e; return e; });
        functions[name] = kept;
    }
    return { functions, raw };
}
