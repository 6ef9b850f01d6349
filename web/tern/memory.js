// What devices share: places in one address space, arguments as bytes, and the words at the start of memory by which
// kernels tell how they ended (doc/wgsl-abi.md, doc/wasm-abi.md).
import * as abi from './abi.js';
import { DeviceError, KernelError } from './errors.js';
import { printed } from './print.js';
import { Texture } from './texture.js';

/** Asked for, or by the environment in Node. */
export const isDeterministic = wish => wish ?? !['', '0', undefined].includes(globalThis.process?.env?.TERN_DETERMINISTIC);

export const ALIGN = 256;
export const align = (n, a = ALIGN) => Math.ceil(n / a) * a;

/** First fit, kept as a sorted list of free ranges. */
export class Places {
    constructor(start, end) {
        this.free = [[start, end]];
    }

    /** The address of `size` bytes, or -1. */
    take(size) {
        const want = align(Math.max(size, 1));
        const k = this.free.findIndex(([from, to]) => to - from >= want);
        if (k < 0) return -1;
        const range = this.free[k], at = range[0];
        range[0] += want;
        if (range[0] === range[1]) this.free.splice(k, 1);
        return at;
    }

    give(at, size) {
        const end = at + align(Math.max(size, 1));
        let k = this.free.findIndex(([from]) => from > at);
        if (k < 0) k = this.free.length;
        this.free.splice(k, 0, [at, end]);
        for (const i of [k, k - 1]) // join neighbours
            if (i >= 0 && this.free[i + 1] && this.free[i][1] === this.free[i + 1][0])
                this.free.splice(i, 2, [this.free[i][0], this.free[i + 1][1]]);
    }

    grow(from, to) {
        this.give(from, to - from);
    }
}

/** Which bytes kernels may access, 16 bits for each 256 of memory: of `ranges` [address, bytes], which begin where no other ends. */
export function rooms(count, ranges) {
    const table = new Uint16Array(count + 1);
    for (const [at, size] of ranges) {
        const end = at + size, last = end >>> 8;
        table.fill(256, at >>> 8, last);
        if (end & 255) table[last] = Math.max(table[last], end & 255);
    }
    table[count] = 0;
    return table;
}

const writers = {
    i1: (v, at, x) => v.setUint8(at, x ? 1 : 0), i8: (v, at, x) => v.setInt8(at, Number(x)),
    i16: (v, at, x) => v.setInt16(at, Number(x), true), i32: (v, at, x) => v.setInt32(at, Number(x), true),
    i64: (v, at, x) => v.setBigInt64(at, BigInt.asIntN(64, BigInt(x)), true),
    f32: (v, at, x) => v.setFloat32(at, Number(x), true), f64: (v, at, x) => v.setFloat64(at, Number(x), true),
};

/** The parameter block: each argument at its offset. `address` gives the place of a buffer, or of a texture's. */
export function pack(kernel, args, address) {
    if (args.length !== kernel.params.length)
        throw new TypeError(`${kernel.name} takes ${kernel.params.length} arguments, not ${args.length}`);
    const bytes = new Uint8Array(align(Math.max(kernel.bytes, 16), 16)), view = new DataView(bytes.buffer);
    kernel.params.forEach((p, i) => {
        const arg = args[i], what = `argument ${i} (${p.name}) of ${kernel.name}`;
        if (p.size !== undefined) {
            const whole = arg?.pointers ? arg.bytes : arg;
            if (!ArrayBuffer.isView(whole) || whole.byteLength !== p.size) throw new TypeError(`${what} takes ${p.size} bytes in a typed array`);
            bytes.set(new Uint8Array(whole.buffer, whole.byteOffset, whole.byteLength), p.offset);
            for (const [at, buffer, within = 0] of arg.pointers ?? []) view.setUint32(p.offset + at, address(buffer) + within, true);
        } else if (p.type.startsWith('ptr')) {
            if (arg !== null && (typeof arg !== 'object' || typeof arg.read !== 'function' || arg instanceof Texture)) throw new TypeError(`${what} takes a buffer`);
            view.setUint32(p.offset, arg === null ? 0 : address(arg), true);
        } else if (arg instanceof Texture) {
            if (p.type !== 'i64') throw new TypeError(`${what} is no texture`);
            view.setUint32(p.offset, address(arg.memory, arg), true);
        } else if (ArrayBuffer.isView(arg)) { // bits as they are, for f16 and bf16 too
            const size = Math.max(1, /\d+/.exec(p.type)[0] / 8);
            if (arg.byteLength !== size) throw new TypeError(`${what} takes ${size} bytes, not ${arg.byteLength}`);
            bytes.set(new Uint8Array(arg.buffer, arg.byteOffset, arg.byteLength), p.offset);
        } else {
            const write = writers[p.type];
            if (!write) throw new TypeError(`${what} takes its bits in a typed array: ${p.type} is no number of JavaScript's`);
            if (typeof arg !== 'number' && typeof arg !== 'bigint' && typeof arg !== 'boolean') throw new TypeError(`${what} takes a number`);
            if (typeof arg === 'number' && p.type[0] === 'i' && !Number.isInteger(arg)) throw new TypeError(`${what} takes an integer, not ${arg}`);
            write(view, p.offset, arg);
        }
    });
    return bytes;
}

export function dims(d) {
    const [x = 1, y = 1, z = 1] = typeof d === 'number' ? [d] : d ?? [1];
    for (const n of [x, y, z])
        if (!Number.isInteger(n) || n < 1 || n >= 2 ** 31) throw new DeviceError(`a grid or block of ${[x, y, z].join(' x ')} is not possible`);
    return [x, y, z];
}

const text = (bytes, at) => {
    let end = at;
    while (bytes[end]) end++;
    return new TextDecoder().decode(bytes.slice(at, end));
};

const kinds = { [abi.WEB_TRAP]: 'trap', [abi.WEB_ASSERT]: 'assert', [abi.WEB_STUCK]: 'deadlock', [abi.WEB_BUDGET]: 'budget', [abi.WEB_STACK]: 'stack' };

/** What the words at the start of memory say after a launch; throws if the kernel failed. Where threads run as lanes of
 * vectors, which of them failed is not known. */
export function outcome({ name, lanes = 1 }, bytes, status, print, limit) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const word = at => view.getUint32(at, true), three = at => [word(at), word(at + 4), word(at + 8)];
    const output = printed(bytes, view, print, limit);
    if (!status) return output;
    const bounds = status === abi.WEB_ASSERT && !word(abi.WEB_MESSAGE), kind = bounds ? 'bounds' : kinds[status] ?? 'trap';
    const where = { kernel: name, thread: lanes > 1 ? undefined : three(abi.WEB_THREAD), block: three(abi.WEB_BLOCK), printed: output };
    const messages = {
        trap: () => `${name}: a thread stopped the kernel (trap)`,
        assert: () => `${text(bytes, word(abi.WEB_FILE))}:${word(abi.WEB_LINE)}: ${text(bytes, word(abi.WEB_FUNCTION))}: block (${where.block})${where.thread ? `, thread (${where.thread})` : ''}: assertion \`${text(bytes, word(abi.WEB_MESSAGE))}' failed`,
        bounds: () => `line ${where.line = word(abi.WEB_LINE)}: ${name}: block (${where.block})${where.thread ? `, thread (${where.thread})` : ''} reads or writes outside of every buffer`,
        deadlock: () => `${name}: threads wait for others that never come`,
        stack: () => `${name}: functions call each other deeper than the stack of a thread reaches`,
        budget: () => `${name}: stopped: its loops went on for longer than allowed`,
    };
    throw new KernelError(kind, messages[kind](), where);
}
