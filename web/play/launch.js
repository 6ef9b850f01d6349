// How a source asks to be run, in comments of its own:
//   // tern run: --kernel add --grid 4 --block 256 --arg f32[1000]=iota --arg i32:1000      as `tern run` reads it
//   // tern play: view=2 as=plot swap=0,1 frame=3 animate                                    what the page shows of it
// Arguments come out bit for bit as `tern run` would make them.

function words(line) {
    const out = [];
    for (const m of line.matchAll(/(?:'[^']*'|"[^"]*"|\S)+/g))
        out.push(m[0].replace(/'([^']*)'|"([^"]*)"/g, '$1$2'));
    return out;
}

export function dims(text) {
    const d = String(text).split(/[,x]/).map(Number);
    return [d[0] || 1, d[1] || 1, d[2] || 1];
}

const types = {
    i8: [1, 'int', Int8Array], u8: [1, 'uint', Uint8Array], i16: [2, 'int', Int16Array], u16: [2, 'uint', Uint16Array],
    i32: [4, 'int', Int32Array], u32: [4, 'uint', Uint32Array], i64: [8, 'int', BigInt64Array], u64: [8, 'uint', BigUint64Array],
    f16: [2, 'half', Uint16Array], bf16: [2, 'bf16', Uint16Array], f32: [4, 'float', Float32Array], f64: [8, 'float', Float64Array],
};

/** Can values of one type stand for those of another, by their size and kind? What is unknown can. */
export function alike(type, other) {
    const [a, b] = [types[type], types[other === 'i1' ? 'i8' : other]];
    return !b || (a?.[0] === b[0] && a[1].replace('uint', 'int') === b[1].replace('uint', 'int'));
}


/** Random numbers of 64 bits (splitmix64), as two words of 32: in BigInt a buffer of a million would be waited for. */
class Random {
    constructor(seed) {
        const bits = BigInt.asUintN(64, BigInt(seed));
        Object.assign(this, { stateHigh: Number(bits >> 32n) | 0, stateLow: Number(bits & 0xffffffffn) | 0, high: 0, low: 0 });
    }

    next() {
        const low = (this.stateLow >>> 0) + 0x7f4a7c15;
        this.stateHigh = (this.stateHigh + 0x9e3779b9 + (low > 0xffffffff)) | 0;
        this.stateLow = low | 0;
        this.high = this.stateHigh;
        this.low = this.stateLow;
        this.fold(30);
        this.times(0xbf58476d, 0x1ce4e5b9);
        this.fold(27);
        this.times(0x94d049bb, 0x133111eb);
        this.fold(31);
        return this;
    }

    fold(n) { // exclusive or with itself, shifted right
        this.low ^= this.low >>> n | this.high << (32 - n);
        this.high ^= this.high >>> n;
    }

    times(high, low) {
        const a0 = this.low & 0xffff, a1 = this.low >>> 16, b0 = low & 0xffff, b1 = low >>> 16;
        const middle = a1 * b0 + (a0 * b0 >>> 16), carry = a0 * b1 + middle % 65536;
        this.high = (Math.imul(this.high, low) + Math.imul(this.low, high) + Math.imul(a1, b1) + Math.floor(middle / 65536) + Math.floor(carry / 65536)) | 0;
        this.low = Math.imul(this.low, low);
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

function fromShort(bits, exponentBits) {
    const mantissa = 15 - exponentBits, e = (bits >> mantissa) & (2 ** exponentBits - 1), m = bits & (2 ** mantissa - 1);
    const sign = bits & 0x8000 ? -1 : 1, bias = 2 ** (exponentBits - 1) - 1;
    if (e === 2 ** exponentBits - 1) return m ? NaN : sign * Infinity;
    return sign * (e ? (1 + m / 2 ** mantissa) * 2 ** (e - bias) : m * 2 ** (1 - bias - mantissa));
}

/** A number as an element of the type's array takes it. */
function stored(type) {
    const [size, kind] = types[type];
    if (kind === 'half' || kind === 'bf16') return v => short(Number(v), kind === 'half' ? 5 : 8);
    if (kind === 'float') return Number;
    return size === 8 ? BigInt : v => typeof v === 'bigint' ? Number(BigInt.asIntN(32, v)) : v;
}

/** What a text says, for a type: a BigInt or a number. Throws if that is no value of it. */
function value(text, type) {
    const [size, kind] = types[type], sign = text[0] === '-' ? -1 : 1, rest = text.replace(/^[-+]/, ''), wrong = new Error(`'${text}' is not a value of ${type}`);
    if (kind.endsWith('int')) {
        if (!/^(\d+|0x[\da-f]+)$/i.test(rest)) throw wrong;
        const v = BigInt(sign) * BigInt(rest), bits = BigInt(8 * size);
        if (v >= 1n << bits || v < (kind === 'int' ? -(1n << bits - 1n) : 0n)) throw wrong;
        return v;
    }
    if (/^nan$/i.test(rest)) return NaN;
    if (/^inf(inity)?$/i.test(rest)) return sign * Infinity;
    if (!/^(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(rest)) throw wrong;
    return sign * Number(rest);
}

function hex(text) {
    if (!/^([\da-f]{2})*$/i.test(text)) throw new Error(`'bytes:${text}' takes pairs of hexadecimal digits`);
    return Uint8Array.from(text.match(/../g) ?? [], h => parseInt(h, 16));
}

/** What a text says an argument is, nothing made yet: { type, buffer, count, init, one } or { bytes }. Throws a sentence if it makes no sense. */
function read(text) {
    if (text.startsWith('bytes:')) return { bytes: hex(text.slice(6)) };
    const one = /^(\w+):(.+)$/.exec(text), many = /^(\w+)\[(\d+)\](?:=(.*))?$/.exec(text);
    const type = (one ?? many)?.[1];
    if (!types[type]) throw new Error(`'${text}' is no argument: i32:5, f32:0.5, or f32[100]=iota`);
    if (one) return { type, one: value(one[2].trim(), type) };
    const count = Number(many[2]), init = many[3];
    if (count * types[type][0] > 1 << 28) throw new Error(`${count} elements are too many`);
    if (init?.startsWith('rand:')) value(init.slice(5), 'u64');
    else if (init && !init.startsWith('file:') && !['iota', 'zero'].includes(init)) {
        if (!/^\s*[-+.\dni]/i.test(init)) throw new Error(`'${init}' is no way to fill a buffer: iota, zero, rand:1 or a number`);
        value(init.trim(), type);
    }
    return { type, buffer: true, count, init };
}

/** What is wrong with a text as the argument for a parameter; null: nothing. The bits of a number are not another type's. */
export function wrong({ name, type, size }, text) {
    try {
        const given = read(text), pointer = type.startsWith('ptr'), right = size !== undefined ? !given.type && given.bytes.length === size : pointer ? given.buffer : given.type && !given.buffer && alike(given.type, type);
        return right ? null : `'${text}' is no argument for ${name}, which is ${size !== undefined ? `a class: bytes:${'00'.repeat(size)}` : pointer ? 'a pointer: f32[100]' : `${type}: ${type.replace('i1', 'i8')}:1`}`;
    } catch (e) {
        return e.message;
    }
}

/** One argument: `i32:5`, `f32[100]=iota`, `bytes:00ff`. Throws a sentence if it makes no sense. */
export function argument(text, readFile) {
    const { type, bytes: given, one, count: n, init } = read(text);
    if (given) return { text, bytes: given };
    const [size, kind] = types[type];
    if (one !== undefined) {
        const plain = new types[type][2](1);
        plain[0] = stored(type)(one);
        return { text, bytes: new Uint8Array(plain.buffer), type };
    }
    const plain = new types[type][2](n), bytes = new Uint8Array(plain.buffer), store = stored(type);
    if (init?.startsWith('file:')) bytes.set(readFile(init.slice(5)).subarray(0, bytes.length));
    else if (init?.startsWith('rand:')) {
        const random = new Random(value(init.slice(5), 'u64'));
        for (let i = 0; i < n; i++) {
            const { high, low } = random.next();
            plain[i] = kind.endsWith('int') ? size === 8 ? BigInt(high) << 32n | BigInt(low >>> 0) : low : store((high >>> 8) * 2 ** -24);
        }
    } else if (init === 'iota') for (let i = 0; i < n; i++) plain[i] = store(i);
    else if (init && init !== 'zero') plain.fill(store(value(init.trim(), type)));
    return { text, bytes, type, count: n, buffer: true };
}

/** The options of one launch, arguments still as text. */
export function launchOf(line) {
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
        case '--arg': launch.args.push(next()); break;
        case '--print': case '--timeout': next(); break;
        case '--cooperative': break;
        default: launch.compile.push(w[k]);
        }
    }
    return launch;
}

/** The `tern run:` line of a source, or null. */
export function ownLaunch(source) {
    const own = /tern run:(.*)/.exec(source);
    return own && launchOf(own[1]);
}

/** What a pasted program's host half says about launching: the shape, where it is written as numbers. */
export function launchedAs(source, kernel) {
    const found = new RegExp(`\\b${kernel}\\s*(?:<[^;{}]*?>)?\\s*<<<\\s*(\\d+)\\s*,\\s*(\\d+)\\s*[,>]`).exec(source);
    return found && { grid: [Number(found[1]), 1, 1], block: [Number(found[2]), 1, 1] };
}

const isWhole = p => /^[iu]\d/.test(p.type) && p.type !== 'i1';
const isSide = p => isWhole(p) && /^([mMkKwWhH]|[nN][xXyYzZ]|dim|rows?|cols?|columns|width|height|pitch|stride|ld[abc])$|(Rows|Cols|Width|Height|_rows|_cols|_width|_height)$/.test(p.name);
const isCount = p => isWhole(p) && /^([nN]|len|length|size|count|total|num)$|^([nN]|num|len)(_|[A-Z])|(Length|Size|Count|Elements|_length|_size|_count|_elements)$/.test(p.name);

/** The type of a buffer's elements. The compiler knows how wide they are; whether they have a sign only the text says. */
function elementOf({ name, element }, source) {
    const unsigned = new RegExp(`\\b(unsigned|u(char|short|int|long|longlong)\\d?|uint\\d+_t|size_t|bool)\\b[^,;(){}]*[*&\\s]${name}\\b`).test(source);
    const known = element === 'i1' ? 'i8' : types[element] ? element : 'f32';
    return unsigned ? known.replace(/^i/, 'u') : known;
}

/** Does a kernel add to it rather than read it? Then it starts at zero. */
const isCounter = (name, source) => /^(counts?|counters?|sums?|totals?|hist|histogram|bins?|results?|outp?u?t?|dst|acc|max|min)$/i.test(name) || new RegExp(`\\batomic\\w+\\s*\\(\\s*&?\\s*${name}\\b`).test(source);

/** An argument for a parameter that nobody has said anything about: what counts elements, or rows and columns, fits the buffers. */
export function guess(p, { params, dimensions }, source) {
    if (p.type === 'ptr') return `${elementOf(p, source)}[1024]${p.writes && (!p.reads || isCounter(p.name, source)) ? '' : '=iota'}`;
    if (p.type === 'class') return `bytes:${'00'.repeat(p.size)}`;
    if (isSide(p)) return `${p.type}:32`;
    if (isCount(p)) return `${p.type}:${dimensions > 1 || params.some(isSide) ? 32 : 1024}`;
    return `${p.type === 'i1' ? 'i8' : p.type}:1`;
}

/** The `tern play:` line: { view, as, width, swap: [i, j], frame, animate, … }. */
export function ownView(source) {
    const line = /tern play:(.*)/.exec(source), out = {};
    for (const word of line?.[1].trim().split(/\s+/) ?? []) {
        const [key, value = true] = word.split('=');
        const list = String(value).split(',').map(Number);
        out[key] = value === true || Number.isNaN(list[0]) ? value : list.length > 1 ? list : list[0];
    }
    return out;
}

/** The bytes of an argument's elements as numbers. */
export function elements(type, bytes) {
    const [size, kind, Type] = types[type], n = Math.floor(bytes.length / size);
    const plain = new Type(bytes.byteOffset % size ? bytes.slice().buffer : bytes.buffer, bytes.byteOffset % size ? 0 : bytes.byteOffset, n);
    return kind === 'half' || kind === 'bf16' ? Array.from(plain, b => fromShort(b, kind === 'half' ? 5 : 8)) : plain;
}
