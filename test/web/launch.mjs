// What a kernel file says about its own launch, as `tern run` reads it:
//   // tern run: --kernel saxpy --grid 4 --block 256 --arg 'f32[1000]=iota' --arg i32:1000
// or the TEST lines of test/kernels. Gives the same arguments, bit for bit, that `tern run` would make of it.
import { readFileSync } from 'node:fs';

function words(line) {
    const out = [];
    for (const m of line.matchAll(/(?:'[^']*'|"[^"]*"|\S)+/g))
        out.push(m[0].replace(/'([^']*)'|"([^"]*)"/g, '$1$2'));
    return out;
}

function dims(text) {
    const d = text.split(',').map(Number);
    return [d[0] ?? 1, d[1] ?? 1, d[2] ?? 1];
}

const types = {
    i8: [1, 'int'], u8: [1, 'uint'], i16: [2, 'int'], u16: [2, 'uint'], i32: [4, 'int'], u32: [4, 'uint'],
    i64: [8, 'int'], u64: [8, 'uint'], f16: [2, 'half'], bf16: [2, 'bf16'], f32: [4, 'float'], f64: [8, 'float'],
};

const mask64 = (1n << 64n) - 1n;
function* splitmix(seed) {
    for (let state = BigInt(seed);;) {
        state = (state + 0x9e3779b97f4a7c15n) & mask64;
        let z = state;
        z = ((z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n) & mask64;
        z = ((z ^ (z >> 27n)) * 0x94d049bb133111ebn) & mask64;
        yield z ^ (z >> 31n);
    }
}

// A number rounded to f16 or bf16, to nearest, ties to even.
function short(v, exponentBits) {
    const mantissa = 15 - exponentBits, bias = 2 ** (exponentBits - 1) - 1;
    const sign = v < 0 || Object.is(v, -0) ? 0x8000 : 0, a = Math.abs(v);
    if (Number.isNaN(v)) return 0x7fff;
    if (a === 0) return sign;
    let e = Math.max(Math.floor(Math.log2(a)), 1 - bias);
    if (2 ** e > a && e > 1 - bias) e--;
    const scaled = a / 2 ** (e - mantissa), low = Math.floor(scaled), rest = scaled - low;
    const m = low + (rest > 0.5 || (rest === 0.5 && low % 2) ? 1 : 0);
    const bits = m + (e + bias - 1) * 2 ** mantissa;
    return sign | Math.min(m < 2 ** mantissa ? m : bits, (2 ** exponentBits - 1) * 2 ** mantissa);
}

function put(view, at, type, value) {
    const [size, kind] = types[type];
    if (kind === 'half') view.setUint16(at, short(Number(value), 5), true);
    else if (kind === 'bf16') view.setUint16(at, short(Number(value), 8), true);
    else if (kind === 'float') size === 4 ? view.setFloat32(at, Number(value), true) : view.setFloat64(at, Number(value), true);
    else {
        const v = BigInt.asUintN(64, typeof value === 'bigint' ? value : BigInt(value));
        for (let k = 0; k < size; k++) view.setUint8(at + k, Number((v >> BigInt(8 * k)) & 255n));
    }
}

function argument(text, folder) {
    if (text.startsWith('bytes:'))
        return { bytes: Uint8Array.from(text.slice(6).match(/../g) ?? [], h => parseInt(h, 16)) };
    const one = /^(\w+):(.*)$/.exec(text);
    if (one) {
        const bytes = new Uint8Array(types[one[1]][0]);
        put(new DataView(bytes.buffer), 0, one[1], types[one[1]][1].endsWith('int') ? BigInt(one[2].replace('-', '')) * (one[2][0] === '-' ? -1n : 1n) : one[2]);
        return { bytes, type: one[1] };
    }
    const [, type, count, init] = /^(\w+)\[(\d+)\](?:=(.*))?$/.exec(text);
    const [size, kind] = types[type], n = Number(count);
    const bytes = new Uint8Array(n * size), view = new DataView(bytes.buffer);
    if (init?.startsWith('file:')) bytes.set(readFileSync(init.slice(5)).subarray(0, bytes.length));
    else if (init && init !== 'zero') {
        const random = init.startsWith('rand:') ? splitmix(init.slice(5)) : null;
        for (let i = 0; i < n; i++) {
            let v = init === 'iota' ? i : init;
            if (random) {
                const r = random.next().value;
                v = kind.endsWith('int') ? r : Number(r >> 40n) * 2 ** -24;
            }
            put(view, i * size, type, v);
        }
    }
    return { bytes, type, count: n, buffer: true };
}

function launchOf(line) {
    const launch = { kernel: null, grid: [1, 1, 1], block: [1, 1, 1], shared: 0, args: [], words: words(line), compile: [] };
    const w = launch.words;
    for (let k = 0; k < w.length; k++) {
        const split = w[k].startsWith('--') && w[k].includes('=') ? w[k].indexOf('=') : w[k].length;
        const name = w[k].slice(0, split);
        const next = () => split < w[k].length ? w[k].slice(split + 1) : w[++k];
        switch (name) {
        case '--kernel': launch.kernel = next(); break;
        case '--grid': launch.grid = dims(next()); break;
        case '--block': launch.block = dims(next()); break;
        case '--shared': launch.shared = Number(next()); break;
        case '--arg': launch.args.push(argument(next())); break;
        case '--print': case '--timeout': next(); break;
        case '--cooperative': break;
        default: launch.compile.push(w[k]);
        }
    }
    return launch;
}

/** A kernel file's launches: `tern run: options`, or several `TEST name: options` (see test/kernels). */
export function readLaunches(path) {
    const text = readFileSync(path, 'utf8'), out = [];
    const own = /tern run:(.*)/.exec(text);
    if (own) out.push({ name: '', near: 0, ...launchOf(own[1]) });
    for (const [, name, options, rest] of text.matchAll(/^\/\/ TEST ([^:]*):(.*)\n((?:\/\/ (?!TEST).*\n)*)/gm))
        if (!/EXPECT exit/.test(rest)) out.push({ name: '/' + name, near: Math.max(0, ...[...rest.matchAll(/near ([\d.e+-]+)/g)].map(m => Number(m[1]))), ...launchOf(options) });
    return out;
}

/** The bytes of an argument's elements as numbers, for comparison. */
export function elements(type, bytes) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), [size, kind] = types[type];
    const read = {
        'int1': i => view.getInt8(i), 'int2': i => view.getInt16(i, true), 'int4': i => view.getInt32(i, true), 'int8': i => view.getBigInt64(i, true),
        'uint1': i => view.getUint8(i), 'uint2': i => view.getUint16(i, true), 'uint4': i => view.getUint32(i, true), 'uint8': i => view.getBigUint64(i, true),
        'float4': i => view.getFloat32(i, true), 'float8': i => view.getFloat64(i, true),
        'half2': i => fromShort(view.getUint16(i, true), 5), 'bf162': i => fromShort(view.getUint16(i, true), 8),
    }[kind + size];
    return Array.from({ length: bytes.length / size }, (_, i) => read(i * size));
}

function fromShort(bits, exponentBits) {
    const mantissa = 15 - exponentBits, e = (bits >> mantissa) & (2 ** exponentBits - 1), m = bits & (2 ** mantissa - 1);
    const sign = bits & 0x8000 ? -1 : 1, bias = 2 ** (exponentBits - 1) - 1;
    if (e === 2 ** exponentBits - 1) return m ? NaN : sign * Infinity;
    return sign * (e ? (1 + m / 2 ** mantissa) * 2 ** (e - bias) : m * 2 ** (1 - bias - mantissa));
}
