// Whole CUDA programs: the host half is WebAssembly as the kernels are, on one memory with them; main runs in this thread, and
// everything it calls has come back when it goes on. In a page this is for workers: the thread is busy until the program ends.
import { askNow, loadWhole } from './compiler.js';
import { Exit, abort, libraryFunctions, wide } from './libc.js';
import { CompileError, DeviceError } from './errors.js';
import { Files, Stdio, stdioFunctions } from './stdio.js';
import { Runtime, runtimeFunctions } from './runtime.js';
import { AwayRuntime, canWait } from './away.js';
import { ZONE, openGpu } from './gpu.js';
import { Space } from './space.js';
import { BEYOND } from './limits.js';
import { align } from './memory.js';
import { hasSimd, isFused } from './simd.js';

const STACK = 8 << 20, PAGE = 65536, BUDGET = 1 << 26; // turns of loops on a GPU, where nothing can be stopped
const describe = module => JSON.parse(new TextDecoder().decode(WebAssembly.Module.customSections(module, 'tern')[0]));

/** What a page has nothing like, by how names begin. */
const absent = [
    ['pthread_', 'threads of the host'], ['cublas', 'cuBLAS'], ['cufft', 'cuFFT'], ['curand', 'cuRAND'], ['cusparse', 'cuSPARSE'], ['cusolver', 'cuSOLVER'], ['cudnn', 'cuDNN'], ['terndnn', 'terndnn'], ['npp', 'NPP'], ['nvrtc', 'NVRTC'], ['nccl', 'NCCL'], ['nvml', 'NVML'],
    ['cudaIpc', 'sharing memory between processes'], ['cuda', 'this function of the runtime API'], ['cu', 'the driver API'], ['fork', 'processes'], ['wait', 'processes'], ['popen', 'processes'],
];

class Program {
    constructor({ name, args = [], env = {}, files, stdin, stdout, stderr }, memory, start) {
        Object.assign(this, { name, args, env, atExit: [], outside: new Map(), aligned: new Map(), alignedSize: new Map(), ordinary: { flags: 0, capture: null }, quick: false });
        this.space = new Space(memory, start);
        this.io = new Stdio(this.space, { files, stdin, stdout, stderr });
        this.errnoAt = this.space.need(16);
        this.errno(0);
    }

    errno(n) {
        this.space.setU32(this.errnoAt, n);
    }

    say(line) {
        this.io.put(this.io.stderr, new TextEncoder().encode(`${line}\n`));
    }

    abort(words) {
        abort(this, words);
    }

    /** A pointer to a function is twice its place in the table. */
    callback(pointer) {
        return this.exports.table.get(pointer >>> 1);
    }
}

const same = x => x, address = x => x >>> 0;

/** Addresses are never negative; numbers of 64 bits are JavaScript's own where the function wants them so. */
function adapted(f, params, plain) {
    const [a, b, c, d] = Array.from(params, t => t === 'p' ? address : t === 'l' && plain ? Number : same);
    if (!/p/.test(params) && !(plain && /l/.test(params))) return f;
    switch (params.length) {
        case 1: return x => f(a(x));
        case 2: return (x, y) => f(a(x), b(y));
        case 3: return (x, y, z) => f(a(x), b(y), c(z));
        case 4: return (x, y, z, w) => f(a(x), b(y), c(z), d(w));
        default: return (...all) => f(...all.map((v, k) => params[k] === 'p' ? v >>> 0 : params[k] === 'l' && plain ? Number(v) : v));
    }
}

/** Functions of JavaScript as the host half imports them: by name, in modules that are named by their types. */
function imports(module, tables, memory, waits) {
    const out = { tern: { memory } }, missing = [];
    for (const { module: types, name, kind } of WebAssembly.Module.imports(module)) {
        if (kind !== 'function') continue;
        const [params, result] = types.split('>'), typed = tables.typed[name], f = typed ? typed(params) : tables.functions[name];
        if (!f) {
            missing.push(name);
            continue;
        }
        const given = adapted(f, params, !typed && !wide.has(name) && !tables.raw.has(name));
        const whole = result === 'l' ? (...a) => { const v = given(...a); return typeof v === 'bigint' ? v : BigInt(v); } : given;
        (out[types] ??= {})[name] = waits?.has(name) ? new WebAssembly.Suspending(whole) : whole;
    }
    return { out, missing };
}

const library = name => absent.find(([start]) => name.toLowerCase().startsWith(start))?.[1];

function refuse(missing) {
    const lines = missing.map(name => {
        const why = library(name);
        return { severity: 'error', message: why ? `a page does not have '${name}': ${why}` : `a page does not have the function '${name}'` };
    });
    throw new CompileError(lines);
}

/** What the compiler for pages says of names in headers that it does not have, in words for pages. */
function explained(d) {
    const [, name, header] = /^'(\w+)' is (?:for host code only: it comes|not provided yet: it would come) from <(.*)>$/.exec(d.message) ?? [], why = name && library(name);
    return why ? { ...d, message: `a page does not have '${name}' of <${header}>: ${why}` } : d;
}

/** What the host half asks for: by name, or by how the linker knows it. */
const wantedKernels = kernels => ({
    names: [...new Set(kernels.filter(k => k.tag[0] !== 'Z').map(k => k.name))],
    find: kernels.filter(k => k.tag[0] === 'Z').map(k => `_Z${k.tag.slice(1, k.tag.lastIndexOf('E10__tern_tag'))}`),
});

/** The device half, compiled for the kernels that the host half names, with its variables from `base` on. */
function deviceHalf(common, { kernels, managed: places }, base) {
    const question = { ...common, ...wantedKernels(kernels), base, places, f64: 'exact', to: 'wasm', gang: hasSimd() ? 0 : 1, relaxed: isFused() };
    const { ok, diagnostics, output, found } = askNow(question);
    if (!ok) throw new CompileError(diagnostics);
    const module = new WebAssembly.Module(output);
    return { module, about: describe(module), question, found, diagnostics };
}

function vector(space, words) { // of strings, as main gets them
    const at = space.need(8 * (words.length + 1));
    words.forEach((w, k) => space.setWord(at + 8 * k, space.string(String.fromCharCode(...new TextEncoder().encode(w)))));
    space.setWord(at + 8 * words.length, 0);
    return at;
}

/** Runs to the end, whatever the end is: an exit code, as a shell gives it. */
function execute(program, work) {
    try {
        return work();
    } catch (e) {
        return ended(program, e);
    }
}

function ended(program, e) {
    if (e instanceof Exit) return e.code;
    if (e instanceof RangeError || (e instanceof WebAssembly.RuntimeError && /unreachable|call stack/i.test(e.message))) {
        const assertion = program.failed?.();
        program.say(assertion ?? `${program.name}: ${e instanceof RangeError ? 'the stack is used up' : 'the program stopped itself, or its stack is used up'}`);
        return 134;
    }
    if (e instanceof WebAssembly.RuntimeError) {
        program.say(`${program.name}: ${e.message}`);
        return 139;
    }
    throw e;
}

/** The device half for the GPU: { about, found, question, diagnostics, kernels }. */
async function awayHalf(common, { kernels, managed }, device) {
    if (Object.keys(managed ?? {}).length) throw new CompileError([{ severity: 'error', message: `the managed variable '${Object.keys(managed)[0]}' is not on the page's GPU: run it on WebAssembly` }]);
    const question = { ...common, ...wantedKernels(kernels), f64: 'exact', to: 'wgsl', f16: device.features.includes('shader-f16'), budget: BUDGET };
    const { ok, diagnostics, output, found } = askNow(question);
    if (!ok) throw new CompileError(diagnostics);
    const loaded = await device.link(new TextDecoder().decode(output), diagnostics);
    return { about: loaded.about, question, found, diagnostics, loaded };
}

/**
 * Compiles and runs a whole program. Gives { code, stdout, stderr, files, diagnostics, milliseconds }; throws a CompileError for
 * what is not taken.
 */
export async function runProgram(source, options = {}) {
    await loadWhole();
    const { path = 'program.cu', files = {}, defines = [], checked = false, device = 'wasm' } = options, begin = performance.now();
    const gpu = device === 'webgpu' ? await page() : null;
    try {
        const texts = Object.fromEntries(Object.entries(files).filter(([, v]) => typeof v === 'string')), common = { source, path, files: texts, defines: [...defines, 'TERN_PARALLEL_CHUNKS=1'] };
        const host = askNow({ ...common, to: 'wasm', host: true, base: gpu ? ZONE : 0 });
        if (!host.ok) throw new CompileError(host.diagnostics.map(explained));
        const module = await WebAssembly.compile(host.output), about = describe(module);
        const stackTop = align(about.heap, 16) + STACK, base = align(stackTop), half = gpu ? await awayHalf(common, about, gpu) : deviceHalf({ ...common, checked }, about, base);
        const start = gpu ? base : align(half.about.heap), memory = new WebAssembly.Memory({ initial: Math.ceil((start + BEYOND) / PAGE) + 1, maximum: 65536 });
        const disk = new Files(files), program = new Program({ ...options, name: path.replace(/\.\w+$/, ''), files: disk }, memory, start);
        if (!gpu) half.exports = new WebAssembly.Instance(half.module, { tern: { memory } }).exports;
        const rt = gpu ? new AwayRuntime(program, half, askNow, gpu, half.loaded) : new Runtime(program, half, askNow), api = runtimeFunctions(rt), std = stdioFunctions(program.io);
        const tables = { functions: { ...libraryFunctions(program), ...std.functions, ...api.functions }, typed: std.typed, raw: api.raw };
        const { out, missing } = imports(module, tables, memory, gpu && new Set(Object.keys(api.functions)));
        if (missing.length) refuse(missing);
        const exports = program.exports = new WebAssembly.Instance(module, out).exports;
        exports.top.value = stackTop;
        exports.bottom.value = stackTop - STACK;
        outside(program, about.outside);
        const compiled = performance.now() - begin, words = [program.name, ...program.args.map(String)];
        const given = () => [words.length, vector(program.space, words), vector(program.space, [])];
        let code = gpu ? await WebAssembly.promising(exports.__tern_host_init)().then(() => WebAssembly.promising(exports.main)(...given())).catch(e => ended(program, e))
            : execute(program, () => (exports.__tern_host_init(), exports.main(...given())));
        code = atEnd(program, code);
        rt.flush();
        program.io.finish();
        return { code: code & 255, stdout: program.io.out.all, stderr: program.io.err.all, files: disk.results(), diagnostics: [...host.diagnostics, ...half.diagnostics], compiled, milliseconds: performance.now() - begin - compiled, device: gpu ? gpu.name : hasSimd() ? 'WebAssembly SIMD' : 'WebAssembly' };
    } finally {
        gpu?.free();
    }
}

/** The page's GPU, for one program. */
async function page() {
    if (!canWait()) throw new DeviceError('whole programs on WebGPU need an engine that suspends WebAssembly (JavaScript Promise Integration)');
    const gpu = await openGpu().catch(() => null);
    if (!gpu) throw new DeviceError('there is no WebGPU here');
    return gpu;
}

/** Variables that the C library has. */
function outside(program, list) {
    const known = { stdin: program.io.stdin, stdout: program.io.stdout, stderr: program.io.stderr, __tern_host_unit: 0, environ: 0, optind: 1, opterr: 1, optarg: 0, optopt: 0 };
    for (const { name, at } of list) {
        if (!(name in known)) throw new CompileError([{ severity: 'error', message: `a page does not have the variable '${name}'` }]);
        program.outside.set(name, at);
        if (name.startsWith('opt') && name !== 'optarg') program.space.setU32(at, known[name]);
        else program.space.setWord(at, known[name]);
    }
}

function atEnd(program, code) {
    for (let f; !program.quick && code !== 134 && code !== 139 && (f = program.atExit.pop());) {
        const other = execute(program, () => (f(), null));
        if (other !== null) code = other;
    }
    return code;
}
