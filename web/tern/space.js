// The memory of a whole program: one address space for its host half and its kernels, and who has which part of it.
//
// Small blocks come from lists by size, with their size in front; what is large, and what the device is asked for, is a range of
// its own, on pages of 256 bytes.
import { BEYOND } from './limits.js';
import { Places, align } from './memory.js';
import { DeviceError } from './errors.js';

const PAGE = 65536, MOST = 0xffff0000, HEAD = 16, SMALL = 32768, CHUNK = 1 << 20, TAKEN = 0x7e124001, FREED = 0x7e124002;

const sizeClass = n => n <= 1024 ? (n + 15) >> 4 : 64 + Math.ceil(4 * Math.log2(n / 1024));
const roomOf = k => k <= 64 ? k << 4 : align(Math.ceil(1024 * 2 ** ((k - 64) / 4)), 16);

export class Space {
    constructor(memory, start) {
        Object.assign(this, { memory, end: start, places: new Places(start, start), lists: [], ranges: new Map(), at: 0, left: 0 });
        this.bytes_ = new Uint8Array(memory.buffer);
        this.view_ = new DataView(memory.buffer);
    }

    /** All of it; made anew where the memory has grown. */
    get bytes() {
        return this.bytes_.buffer === this.memory.buffer ? this.bytes_ : (this.bytes_ = new Uint8Array(this.memory.buffer));
    }

    get view() {
        return this.view_.buffer === this.memory.buffer ? this.view_ : (this.view_ = new DataView(this.memory.buffer));
    }

    u8(at) { return this.bytes[at]; }
    u32(at) { return this.view.getUint32(at, true); }
    i32(at) { return this.view.getInt32(at, true); }
    setU32(at, v) { this.view.setUint32(at, v, true); }
    setWord(at, v) { this.view.setBigUint64(at, BigInt.asUintN(64, BigInt(v)), true); } // a pointer, size_t or long
    word(at) { return Number(this.view.getBigUint64(at, true)); }

    /** A C string, a character for each of its bytes. */
    text(at, most = Infinity) {
        const b = this.bytes;
        let end = at, s = '';
        while (end - at < most && b[end]) end++;
        for (; at < end; at += 4096) s += String.fromCharCode.apply(null, b.subarray(at, Math.min(end, at + 4096)));
        return s;
    }

    putText(at, s) {
        const b = this.bytes;
        for (let k = 0; k < s.length; k++) b[at + k] = s.charCodeAt(k);
        b[at + s.length] = 0;
    }

    /** A range of its own, or 0. */
    range(size) {
        let at = this.places.take(size);
        if (at < 0) {
            const to = align(this.end + align(Math.max(size, 1)) + Math.min(this.end >>> 2, 1 << 26) + BEYOND, PAGE) - BEYOND;
            const missing = to + BEYOND - this.memory.buffer.byteLength;
            try {
                if (to > MOST) return 0;
                if (missing > 0) this.memory.grow(Math.ceil(missing / PAGE));
            } catch {
                return 0;
            }
            this.places.grow(this.end, to);
            this.end = to;
            at = this.places.take(size);
        }
        if (at < 0) return 0;
        this.ranges.set(at, size);
        return at;
    }

    /** Gives a range back; false: there is none. */
    give(at) {
        const size = this.ranges.get(at);
        if (size === undefined) return false;
        this.ranges.delete(at);
        this.places.give(at, size);
        return true;
    }

    malloc(size) {
        if (!(size <= MOST)) return 0;
        if (size > SMALL) {
            const at = this.range(size + HEAD);
            if (at) this.mark(at, TAKEN, size, 0);
            return at && at + HEAD;
        }
        const k = sizeClass(Math.max(size, 1)), list = this.lists[k] ??= [], room = roomOf(k) + HEAD;
        let at = list.pop();
        if (at === undefined) {
            if (this.left < room) {
                if (!(this.at = this.range(CHUNK))) return 0;
                this.left = CHUNK;
            }
            at = this.at;
            this.at += room;
            this.left -= room;
        }
        this.mark(at, TAKEN, size, k);
        return at + HEAD;
    }

    mark(at, state, size, k) {
        const v = this.view;
        v.setUint32(at, state, true);
        v.setUint32(at + 4, size, true);
        v.setUint32(at + 8, k, true);
    }

    sizeOf(p) {
        return this.u32(p - HEAD + 4);
    }

    /** What is wrong with giving it back; null: nothing, and it is done. */
    free(p) {
        if (!p) return null;
        const at = p - HEAD, state = at >= 0 && at % 16 === 0 && p < this.end ? this.u32(at) : 0;
        if (state === FREED) return 'free(): double free detected';
        if (state !== TAKEN) return 'free(): invalid pointer';
        const k = this.u32(at + 8);
        this.setU32(at, FREED);
        if (k) this.lists[k].push(at);
        else this.give(at);
        return null;
    }

    need(size) {
        const at = this.malloc(size);
        if (!at) throw new DeviceError(`out of memory: ${size} bytes`);
        return at;
    }

    string(s) {
        const at = this.need(s.length + 1);
        this.putText(at, s);
        return at;
    }
}
