// The compiler: one WebAssembly instance that answers requests (JSON in, JSON and bytes out).
// It is made on first use, and made anew after a trap: what it had is thrown away with it.
import { CompileError } from './errors.js';

const encoder = new TextEncoder(), decoder = new TextDecoder();
let loading = null; // a promise of the WebAssembly.Module
let instance = null;
let remote = null; // a function that answers instead

/** @typedef {{ ok: boolean, diagnostics: any[], output: Uint8Array, [key: string]: any }} Reply */

async function fetchModule(source, own) {
    if (source instanceof WebAssembly.Module) return source;
    if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) return WebAssembly.compile(source);
    const url = source === undefined ? own : new URL(source, globalThis.location?.href ?? import.meta.url);
    if (url.protocol === 'file:') {
        const { readFile } = await import(/* webpackIgnore: true */ /* @vite-ignore */ `node:${'fs/promises'}`); // bundlers for pages would look for it
        return WebAssembly.compile(await readFile(url));
    }
    const response = await fetch(url);
    if (!response.ok) throw new Error(`${url}: ${response.status} ${response.statusText}`);
    const typed = /^application\/wasm\b/.test(response.headers.get('content-type')); // only such are compiled while they arrive
    return typed ? WebAssembly.compileStreaming(response) : WebAssembly.compile(await response.arrayBuffer());
}

/** Loads the compiler now rather than on first use; from `source` (URL, bytes or a module) if it is not next to this file. */
export async function load(source) {
    if (!loading || source !== undefined) {
        const mine = loading = fetchModule(source, new URL('./tern.wasm', import.meta.url));
        mine.catch(() => { if (loading === mine) loading = null; }); // a later call tries again
        instance = null;
    }
    return loading;
}

/** Has another compiler answer: a function from a request to a promise of a reply. For pages that `tern serve` serves. */
export function answerWith(answer) {
    remote = answer;
}

function made({ exports }) { // it imports nothing
    exports.tern_unpack();
    exports._initialize();
    return exports;
}

/** @returns {Promise<Reply>} */
export async function request(question) {
    if (remote) return remote(question);
    const module = await load();
    instance ??= made(await WebAssembly.instantiate(module));
    const reply = answer(instance, question);
    if (!reply) instance = null;
    return reply ?? gaveUp();
}

let why = '';
const gaveUp = () => ({ ok: false, diagnostics: [{ severity: 'error', message: `the compiler gave up: ${why}` }], output: new Uint8Array(0) });

/** null: it has trapped, and is of no use any more. */
function answer(c, question) {
    const bytes = encoder.encode(JSON.stringify(question));
    try {
        const at = c.tern_room(bytes.length);
        if (!at) throw new RangeError('out of memory');
        new Uint8Array(c.memory.buffer, at, bytes.length).set(bytes);
        c.tern_request(bytes.length);
        const reply = JSON.parse(decoder.decode(new Uint8Array(c.memory.buffer, c.tern_reply(), c.tern_reply_size())));
        reply.output = new Uint8Array(c.memory.buffer, c.tern_output(), c.tern_output_size()).slice();
        return reply;
    } catch (e) {
        why = e.message;
        return null;
    }
}

// ---- the planner of Fourier transforms ----

let planning = null;

/** Loads what plans transforms; from `source` (URL, bytes or a module) if it is not next to this file. Gives its exports. */
export async function loadFft(source) {
    if (!planning || source !== undefined) {
        const mine = planning = fetchModule(source, new URL('./tern-fft.wasm', import.meta.url)).then(module => WebAssembly.instantiate(module)).then(made);
        mine.catch(() => { if (planning === mine) planning = null; });
    }
    return planning;
}

// ---- the compiler with the host half ----

let whole = null, wholeLoading = null, wholeModule = null;

/** Loads the compiler for whole programs; from `source` (URL, bytes or a module) if it is not next to this file. */
export async function loadWhole(source) {
    if (!wholeLoading || source !== undefined) {
        const mine = wholeLoading = fetchModule(source, new URL('./tern-host.wasm', import.meta.url));
        mine.catch(() => { if (wholeLoading === mine) wholeLoading = null; });
        whole = null;
    }
    return wholeModule = await wholeLoading;
}

/** An answer at once, once it is loaded. */
export function askNow(question) {
    whole ??= made(new WebAssembly.Instance(wholeModule));
    const reply = answer(whole, question);
    if (!reply) whole = null;
    return reply ?? gaveUp();
}

/** Has the engine make machine code of it now: what is compiled first takes three times as long. */
export function warmWhole() {
    askNow({ source: '#include <cstdio>\n__global__ void k() {}\nint main() { k<<<1, 1>>>(); printf("%d", cudaDeviceSynchronize()); }\n', path: 'program.cu', to: 'wasm', host: true });
}

export async function ask(question) {
    const reply = await request(question);
    if (!reply.ok) throw new CompileError(reply.diagnostics);
    return reply;
}
