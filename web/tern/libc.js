// The C library of whole programs, as far as the headers of host code declare it (include/cuda/host). Functions take numbers and
// addresses; those that end the program throw an Exit.

export class Exit {
    constructor(code, signal = null) {
        Object.assign(this, { code, signal });
    }
}

/** What abort does, with the last words that go with it. */
export function abort(program, words) {
    if (words) program.io.put(program.io.stderr, Uint8Array.from(words + '\n', c => c.charCodeAt(0)));
    throw new Exit(134, 'SIGABRT');
}

// ---- numbers in text ----

const SPACE = /^[ \t\n\v\f\r]*/;

function parseInteger(s, base, signed, bits) {
    const blank = SPACE.exec(s)[0].length, m = /^([-+]?)(0[xX](?=[0-9a-fA-F]))?/.exec(s.slice(blank));
    let from = blank + m[1].length;
    if (m[2] && (base === 0 || base === 16)) [base, from] = [16, from + 2];
    else if (base === 0) base = s[from] === '0' ? 8 : 10;
    let to = from, v = 0n;
    for (let d; to < s.length && !Number.isNaN(d = parseInt(s[to], 36)) && d < base; to++) v = v * BigInt(base) + BigInt(d);
    if (to === from) return { v: 0n, used: 0, range: false };
    if (m[1] === '-') v = -v;
    const low = signed ? -(1n << BigInt(bits - 1)) : -(1n << BigInt(bits)) + 1n, high = (1n << BigInt(signed ? bits - 1 : bits)) - 1n;
    const range = v < low || v > high;
    return { v: v < low ? (signed ? low : high) : v > high ? high : v, used: to, range };
}

function parseReal(s) {
    const blank = SPACE.exec(s)[0].length, rest = s.slice(blank);
    const hex = /^([-+]?)0[xX]([0-9a-fA-F]*)(?:\.([0-9a-fA-F]*))?(?:[pP]([-+]?\d+))?/.exec(rest);
    if (hex && (hex[2] || hex[3])) {
        const v = parseInt(hex[2] + (hex[3] ?? '') || '0', 16) * 2 ** (Number(hex[4] ?? 0) - 4 * (hex[3]?.length ?? 0));
        return { v: hex[1] === '-' ? -v : v, used: blank + hex[0].length };
    }
    const m = /^[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?|inf(?:inity)?|nan(?:\([a-z0-9_]*\))?)/i.exec(rest);
    if (!m) return { v: 0, used: 0 };
    const word = /[in]/i.exec(m[0].replace(/[eE]/g, '')), v = word ? (word[0].toLowerCase() === 'i' ? Infinity : NaN) * (m[0][0] === '-' ? -1 : 1) : Number(m[0]);
    return { v, used: blank + m[0].length };
}

// ---- random numbers, as GNU's library makes them ----

class Random {
    constructor() {
        this.seed(1);
        this.x48 = 0x1234abcd330en;
    }

    seed(seed) {
        const r = new Int32Array(34);
        r[0] = (seed >>> 0) || 1;
        for (let i = 1; i < 31; i++) {
            const hi = Math.trunc(r[i - 1] / 127773), lo = r[i - 1] % 127773, word = 16807 * lo - 2836 * hi;
            r[i] = word < 0 ? word + 2147483647 : word;
        }
        for (let i = 31; i < 34; i++) r[i] = r[i - 31];
        this.state = r.slice(3); // the last 31
        this.k = 0;
        for (let i = 0; i < 310; i++) this.next();
    }

    next() {
        const s = this.state, k = this.k, v = (s[k] + s[(k + 28) % 31]) | 0;
        s[k] = v;
        this.k = (k + 1) % 31;
        return v >>> 1;
    }

    next48() {
        return this.x48 = (this.x48 * 0x5deece66dn + 0xbn) & 0xffffffffffffn;
    }
}

function randR(space, at) {
    let next = space.u32(at), result;
    const step = () => (next = (Math.imul(next, 1103515245) + 12345) >>> 0) >>> 16;
    result = step() % 2048;
    result = (result << 10) ^ (step() % 1024);
    result = (result << 10) ^ (step() % 1024);
    space.setU32(at, next);
    return result;
}

// ---- mathematics ----

function erf(x) { // W. J. Cody's rational approximations
    const y = Math.abs(x);
    if (Number.isNaN(x)) return NaN;
    if (y <= 0.46875) {
        const a = [3.16112374387056560e0, 1.13864154151050156e2, 3.77485237685302021e2, 3.20937758913846947e3, 1.85777706184603153e-1], b = [2.36012909523441209e1, 2.44024637934444173e2, 1.28261652607737228e3, 2.84423683343917062e3];
        const z = y > 1.11e-16 ? y * y : 0;
        let num = a[4] * z, den = z;
        for (let i = 0; i < 3; i++) { num = (num + a[i]) * z; den = (den + b[i]) * z; }
        return x * (num + a[3]) / (den + b[3]);
    }
    return x < 0 ? erfc(y) - 1 : 1 - erfc(y);
}

function erfc(x) {
    const y = Math.abs(x);
    if (Number.isNaN(x)) return NaN;
    if (y <= 0.46875) return 1 - erf(x);
    let r;
    if (y <= 4) {
        const c = [5.64188496988670089e-1, 8.88314979438837594e0, 6.61191906371416295e1, 2.98635138197400131e2, 8.81952221241769090e2, 1.71204761263407058e3, 2.05107837782607147e3, 1.23033935479799725e3, 2.15311535474403846e-8];
        const d = [1.57449261107098347e1, 1.17693950891312499e2, 5.37181101862009858e2, 1.62138957456669019e3, 3.29079923573345963e3, 4.36261909014324716e3, 3.43936767414372164e3, 1.23033935480374942e3];
        let num = c[8] * y, den = y;
        for (let i = 0; i < 7; i++) { num = (num + c[i]) * y; den = (den + d[i]) * y; }
        r = (num + c[7]) / (den + d[7]);
    } else {
        const p = [3.05326634961232344e-1, 3.60344899949804439e-1, 1.25781726111229246e-1, 1.60837851487422766e-2, 6.58749161529837803e-4, 1.63153871373020978e-2], q = [2.56852019228982242e0, 1.87295284992346725e0, 5.27905102951428412e-1, 6.05183413124413191e-2, 2.33520497626869185e-3];
        const z = 1 / (y * y);
        let num = p[5] * z, den = z;
        for (let i = 0; i < 4; i++) { num = (num + p[i]) * z; den = (den + q[i]) * z; }
        r = (5.6418958354775628695e-1 - z * (num + p[4]) / (den + q[4])) / y;
    }
    const s = Math.trunc(y * 16) / 16, del = (y - s) * (y + s);
    r *= y > 27 ? 0 : Math.exp(-s * s) * Math.exp(-del);
    return x < 0 ? 2 - r : r;
}

const LANCZOS = [0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059, 12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7];
function tgamma(x) {
    if (x === Infinity || Number.isNaN(x)) return x;
    if (x === 0) return 1 / x;
    if (x < 0 && Number.isInteger(x)) return NaN;
    if (Number.isInteger(x) && x < 24) { let r = 1; for (let k = 2; k < x; k++) r *= k; return r; }
    if (x < 0.5) return Math.PI / (Math.sin(Math.PI * x) * tgamma(1 - x));
    if (x > 171.7) return Infinity;
    const t = x + 6.5, sum = LANCZOS.reduce((s, c, k) => k ? s + c / (x - 1 + k) : c, 0), half = t ** ((x - 0.5) / 2);
    return Math.sqrt(2 * Math.PI) * half * Math.exp(-t) * half * sum;
}

function lgamma(x) {
    if (x <= 0 && Number.isInteger(x)) return Infinity;
    if (x < 0.5) return Math.log(Math.PI / Math.abs(Math.sin(Math.PI * x))) - lgamma(1 - x);
    if (x === 1 || x === 2) return 0;
    const t = x + 6.5, sum = LANCZOS.reduce((s, c, k) => k ? s + c / (x - 1 + k) : c, 0);
    return 0.5 * Math.log(2 * Math.PI) + (x - 0.5) * Math.log(t) - t + Math.log(sum);
}

const even = x => { const r = Math.round(x); return Number.isFinite(x) && Math.abs(x) < 2 ** 52 ? Math.abs(x % 1) === 0.5 ? 2 * Math.round(x / 2) : Object.is(r, 0) && (x < 0 || Object.is(x, -0)) ? -0 : r : x; };
const away = x => Number.isFinite(x) && Math.abs(x) < 2 ** 52 ? Math.sign(x) * Math.floor(Math.abs(x) + (Math.abs(x) === 0.49999999999999994 ? 0 : 0.5)) || (x < 0 ? -0 : x * 0) : x;
const exponent = x => { let e = Math.floor(Math.log2(Math.abs(x))); if (2 ** e > Math.abs(x)) e--; else if (2 ** (e + 1) <= Math.abs(x)) e++; return e; };
const scale = (x, n) => { for (; n > 1000; n -= 1000) x *= 2 ** 1000; for (; n < -1000; n += 1000) x *= 2 ** -1000; return x * 2 ** n; };
const remainder = (x, y) => { const q = even(x / y); return Math.abs(q) < 2 ** 52 ? x - q * y : x % y; };
const least = (x, y) => Number.isNaN(x) ? y : Number.isNaN(y) ? x : Math.min(x, y);
const most = (x, y) => Number.isNaN(x) ? y : Number.isNaN(y) ? x : Math.max(x, y);
function nextafter(x, y) {
    if (Number.isNaN(x) || Number.isNaN(y)) return NaN;
    if (x === y) return y;
    const f = Float64Array.of(x), b = new BigInt64Array(f.buffer);
    if (x === 0) return y > 0 ? 5e-324 : -5e-324;
    b[0] += (x < y) === (x > 0) ? 1n : -1n;
    return f[0];
}
function nextafterf(x, y) {
    if (Number.isNaN(x) || Number.isNaN(y)) return NaN;
    if (x === y) return y;
    const f = Float32Array.of(x), b = new Int32Array(f.buffer);
    if (x === 0) return y > 0 ? 1.401298464324817e-45 : -1.401298464324817e-45;
    b[0] += (x < y) === (x > 0) ? 1 : -1;
    return f[0];
}
const power = (x, y) => x === 1 || (x === -1 && Math.abs(y) === Infinity) ? 1 : x ** y;

const mathematics = {
    sin: Math.sin, cos: Math.cos, tan: Math.tan, asin: Math.asin, acos: Math.acos, atan: Math.atan, sinh: Math.sinh, cosh: Math.cosh, tanh: Math.tanh, asinh: Math.asinh, acosh: Math.acosh, atanh: Math.atanh,
    exp: Math.exp, exp2: x => 2 ** x, exp10: x => Number.isInteger(x) && Math.abs(x) <= 22 ? (x < 0 ? 1 / 10 ** -x : 10 ** x) : 10 ** x, expm1: Math.expm1, log: Math.log, log2: Math.log2, log10: Math.log10, log1p: Math.log1p, logb: x => x === 0 ? -Infinity : Number.isFinite(x) ? exponent(x) : x * x,
    sqrt: Math.sqrt, cbrt: Math.cbrt, floor: Math.floor, ceil: Math.ceil, trunc: Math.trunc, round: away, rint: even, nearbyint: even, erf, erfc, lgamma, tgamma,
    pow: power, atan2: Math.atan2, fmod: (x, y) => x % y, hypot: Math.hypot, fmin: least, fmax: most, fdim: (x, y) => Number.isNaN(x) || Number.isNaN(y) ? NaN : x > y ? x - y : 0, remainder,
    copysign: (x, y) => Math.abs(x) * (y < 0 || Object.is(y, -0) ? -1 : 1), ldexp: scale, scalbn: scale,
};

function mathFunctions(space) {
    const out = { ...mathematics, nextafter, nextafterf };
    for (const [name, f] of Object.entries(mathematics)) out[`${name}f`] = f; // what comes back is rounded to float
    const whole = { lrint: even, lround: away, llrint: even, llround: away };
    for (const [name, f] of Object.entries(whole)) out[name] = out[`${name}f`] = x => BigInt.asIntN(64, BigInt(Number.isFinite(x) ? f(x) : -(2 ** 63)));
    out.ilogb = out.ilogbf = x => x === 0 ? -2147483648 : Number.isFinite(x) ? exponent(x) : 2147483647;
    const split = put => (x, at) => { const i = Math.trunc(x); put(at, i); return Number.isFinite(x) ? x - i : x === x ? 0 * x || 0 : x; };
    out.modf = split((at, v) => space.view.setFloat64(at, v, true));
    out.modff = split((at, v) => space.view.setFloat32(at, v, true));
    out.frexp = out.frexpf = (x, at) => {
        const e = x === 0 || !Number.isFinite(x) ? 0 : exponent(x) + 1;
        space.setU32(at, e);
        return e ? scale(x, -e) : x === 0 || !Number.isFinite(x) ? x : x;
    };
    out.sincos = (x, s, c) => { space.view.setFloat64(s, Math.sin(x), true); space.view.setFloat64(c, Math.cos(x), true); };
    out.sincosf = (x, s, c) => { space.view.setFloat32(s, Math.sin(x), true); space.view.setFloat32(c, Math.cos(x), true); };
    out.nan = out.nanf = () => NaN;
    out.fma = (x, y, z) => fused(x, y, z);
    out.fmaf = (x, y, z) => { // the product is exact in double; the sum is rounded to odd before it is rounded again
        const p = x * y, s = p + z, t = s - p, rest = (p - (s - t)) + (z - t);
        if (rest === 0 || !Number.isFinite(s)) return s;
        const b = new BigInt64Array(Float64Array.of(s).buffer);
        if (!(b[0] & 1n)) b[0] += (rest > 0) === (s > 0) ? 1n : -1n;
        return new Float64Array(b.buffer)[0];
    };
    return out;
}

/** a*b+c, rounded once: with all digits. */
function fused(a, b, c) {
    const r = a * b + c;
    if (!Number.isFinite(a) || !Number.isFinite(b) || !Number.isFinite(c) || a === 0 || b === 0) return r;
    const parts = x => { const w = new BigUint64Array(Float64Array.of(x).buffer)[0], e = Number(w >> 52n & 2047n), m = w & (1n << 52n) - 1n; return [(w >> 63n ? -1n : 1n) * (e ? m | 1n << 52n : m), (e || 1) - 1075]; };
    const [ma, ea] = parts(a), [mb, eb] = parts(b), [mc, ec] = parts(c), e = Math.min(ea + eb, c ? ec : ea + eb);
    let n = ma * mb << BigInt(ea + eb - e);
    if (c) n += mc << BigInt(ec - e);
    if (!n) return r;
    const sign = n < 0n ? -1 : 1, size = n < 0n ? -n : n, drop = Math.max(size.toString(2).length - 53, -1074 - e);
    if (drop <= 0) return sign * scale(Number(size), e);
    const d = BigInt(drop), q = size >> d, rest = size - (q << d), half = 1n << d - 1n;
    return sign * scale(Number(q + (rest > half || (rest === half && q & 1n) ? 1n : 0n)), e + drop);
}

// ---- characters and strings ----

const ctype = {
    isalpha: /[A-Za-z]/, isdigit: /[0-9]/, isalnum: /[A-Za-z0-9]/, isspace: /[ \t-\r]/, isupper: /[A-Z]/, islower: /[a-z]/,
    ispunct: /[!-/:-@[-`{-~]/, isprint: /[ -~]/, isxdigit: /[0-9A-Fa-f]/, iscntrl: /[\0-\x1f\x7f]/, isgraph: /[!-~]/, isblank: /[ \t]/,
};

function stringFunctions(space) {
    const length = (at, most = Infinity) => { const b = space.bytes; let n = 0; while (n < most && b[at + n]) n++; return n; };
    const lower = c => c >= 65 && c <= 90 ? c + 32 : c;
    const compare = (a, b, n, fold = x => x, stop = true) => {
        const m = space.bytes;
        for (let k = 0; k < n; k++) {
            const x = fold(m[a + k]), y = fold(m[b + k]);
            if (x !== y) return x - y;
            if (stop && !x) return 0;
        }
        return 0;
    };
    const copy = (to, from, n) => (space.bytes.copyWithin(to, from, from + n), to);
    const span = (s, set, inside) => { const list = space.text(set); let n = 0; for (let c; (c = space.u8(s + n)) && list.includes(String.fromCharCode(c)) === inside;) n++; return n; };
    const tokens = (s, set, read, write) => {
        s = s || read();
        if (!s) return 0;
        s += span(s, set, true);
        if (!space.u8(s)) { write(0); return 0; }
        const end = s + span(s, set, false);
        if (space.u8(end)) { space.bytes[end] = 0; write(end + 1); } else write(0);
        return s;
    };
    const find = (s, c, n, stop) => { const b = space.bytes; for (let k = 0; k < n; k++) { if (b[s + k] === (c & 255)) return s + k; if (stop && !b[s + k]) return 0; } return 0; };
    const duplicate = (s, n) => { const at = space.malloc(n + 1); if (at) { copy(at, s, n); space.bytes[at + n] = 0; } return at; };
    let token = 0;
    const out = {
        memcpy: copy, memmove: copy, memset: (to, v, n) => (space.bytes.fill(v & 255, to, to + n), to),
        memcmp: (a, b, n) => compare(a, b, n, undefined, false), memchr: (s, c, n) => find(s, c, n, false),
        strlen: s => length(s), strnlen: (s, n) => length(s, n),
        strcmp: (a, b) => compare(a, b, Infinity), strncmp: (a, b, n) => compare(a, b, n), strcasecmp: (a, b) => compare(a, b, Infinity, lower), strncasecmp: (a, b, n) => compare(a, b, n, lower),
        strcpy: (to, from) => copy(to, from, length(from) + 1),
        strncpy: (to, from, n) => { const k = length(from, n); copy(to, from, k); space.bytes.fill(0, to + k, to + n); return to; },
        strcat: (to, from) => (copy(to + length(to), from, length(from) + 1), to),
        strncat: (to, from, n) => { const at = to + length(to), k = length(from, n); copy(at, from, k); space.bytes[at + k] = 0; return to; },
        strchr: (s, c) => find(s, c, Infinity, true),
        strrchr: (s, c) => { for (let k = length(s); k >= 0; k--) if (space.u8(s + k) === (c & 255)) return s + k; return 0; },
        strstr: (s, t) => { const k = space.text(s).indexOf(space.text(t)); return k < 0 ? 0 : s + k; },
        strpbrk: (s, set) => { const k = span(s, set, false); return space.u8(s + k) ? s + k : 0; },
        strspn: (s, set) => span(s, set, true), strcspn: (s, set) => span(s, set, false),
        strtok: (s, set) => tokens(s, set, () => token, v => { token = v; }), strtok_r: (s, set, at) => tokens(s, set, () => space.u32(at), v => space.setWord(at, v)),
        strdup: s => duplicate(s, length(s)), strndup: (s, n) => duplicate(s, length(s, n)),
        toupper: c => c >= 97 && c <= 122 ? c - 32 : c, tolower: lower,
    };
    for (const [name, test] of Object.entries(ctype)) out[name] = c => c >= 0 && c < 256 && test.test(String.fromCharCode(c)) ? 1 : 0;
    return out;
}

// ---- the rest ----

const days = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'], months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const longDays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'], longMonths = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December'];
const two = (n, c = '0') => String(n).padStart(2, c);

function timeFunctions(program) {
    const { space } = program, start = performance.now();
    let broken = 0, text = 0; // what gmtime and ctime give the address of
    const seconds = () => Math.floor(Date.now() / 1000);
    const write = (at, t) => {
        const d = new Date(t * 1000), y = d.getUTCFullYear();
        [d.getUTCSeconds(), d.getUTCMinutes(), d.getUTCHours(), d.getUTCDate(), d.getUTCMonth(), y - 1900, d.getUTCDay(), Math.floor((Date.UTC(y, d.getUTCMonth(), d.getUTCDate()) - Date.UTC(y, 0, 1)) / 86400000), 0].forEach((v, k) => space.setU32(at + 4 * k, v));
        return at;
    };
    const read = at => { const [s, mi, h, d, mo, y, wd, yd] = Array.from({ length: 8 }, (_, k) => space.i32(at + 4 * k)); return { s, mi, h, d, mo, y: y + 1900, wd, yd }; };
    const asText = at => { const t = read(at); return `${days[t.wd]} ${months[t.mo]} ${two(t.d, ' ')} ${two(t.h)}:${two(t.mi)}:${two(t.s)} ${t.y}\n`; };
    const room = n => space.need(n);
    const gmtime = at => write(broken ||= room(64), space.word(at));
    const ctime = at => { space.putText(text ||= room(64), asText(gmtime(at))); return text; };
    const letters = {
        Y: t => t.y, m: t => two(t.mo + 1), d: t => two(t.d), H: t => two(t.h), M: t => two(t.mi), S: t => two(t.s), y: t => two(t.y % 100), j: t => String(t.yd + 1).padStart(3, '0'), e: t => two(t.d, ' '), I: t => two(t.h % 12 || 12), p: t => t.h < 12 ? 'AM' : 'PM',
        a: t => days[t.wd], A: t => longDays[t.wd], b: t => months[t.mo], B: t => longMonths[t.mo], F: t => `${t.y}-${two(t.mo + 1)}-${two(t.d)}`, T: t => `${two(t.h)}:${two(t.mi)}:${two(t.s)}`, R: t => `${two(t.h)}:${two(t.mi)}`, Z: () => 'UTC', z: () => '+0000', '%': () => '%', n: () => '\n',
    };
    const sleep = ms => { // there is nobody else to let run
        try {
            Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
        } catch {
            for (const end = performance.now() + ms; performance.now() < end;);
        }
    };
    return {
        time: at => { const t = seconds(); if (at) space.setWord(at, t); return t; },
        clock: () => Math.floor(1000 * (performance.now() - start)),
        difftime: (a, b) => a - b,
        mktime: at => { const t = read(at), v = Date.UTC(t.y, t.mo, t.d, t.h, t.mi, t.s) / 1000; write(at, v); return v; },
        gmtime, localtime: gmtime, ctime, asctime: at => { space.putText(text ||= room(64), asText(at)); return text; },
        strftime(to, size, f, at) {
            const s = space.text(f).replace(/%(.)/g, (all, c) => letters[c]?.(read(at)) ?? all);
            if (s.length >= size) return 0;
            space.putText(to, s);
            return s.length;
        },
        clock_gettime(id, at) {
            const ms = id === 0 ? performance.timeOrigin + performance.now() : performance.now();
            space.setWord(at, Math.floor(ms / 1000));
            space.setWord(at + 8, Math.floor(ms % 1000 * 1e6));
            return 0;
        },
        gettimeofday(at) {
            const ms = performance.timeOrigin + performance.now();
            space.setWord(at, Math.floor(ms / 1000));
            space.setWord(at + 8, Math.floor(ms % 1000 * 1000));
            return 0;
        },
        getrusage(who, at) {
            const us = Math.floor(1000 * (performance.now() - start));
            space.bytes.fill(0, at, at + 144);
            space.setWord(at, Math.floor(us / 1e6));
            space.setWord(at + 8, us % 1e6);
            return 0;
        },
        nanosleep: at => (sleep(space.word(at) * 1000 + space.word(at + 8) / 1e6), 0),
        usleep: us => (sleep(us / 1000), 0),
        sleep: s => (sleep(s * 1000), 0),
    };
}

/** Sorts in place, by the program's own comparison. */
function sort(program, base, n, size, compare) {
    const { space } = program, f = program.callback(compare), scratch = space.malloc(2 * size);
    if (n < 2 || !scratch) return;
    const copy = space.bytes.slice(base, base + n * size), order = Array.from({ length: n }, (_, k) => k), a = scratch, b = scratch + size;
    const by = (x, y) => {
        space.bytes.set(copy.subarray(x * size, x * size + size), a);
        space.bytes.set(copy.subarray(y * size, y * size + size), b);
        return f(a, b);
    };
    order.sort(by);
    order.forEach((from, to) => space.bytes.set(copy.subarray(from * size, from * size + size), base + to * size));
    space.free(scratch);
}

/** getopt, whose variables the program has where its loader was told (program.outside). */
function option(program, argc, argv, letters) {
    const { space } = program, at = name => program.outside.get(name), index = () => at('optind') ? space.u32(at('optind')) : program.optind ??= 1;
    const put = (name, v) => at(name) ? name === 'optarg' ? space.setWord(at(name), v) : space.setU32(at(name), v) : name === 'optind' && (program.optind = v);
    const k = index(), word = k < argc ? space.text(space.u32(argv + 8 * k)) : '';
    if (!program.within && (word[0] !== '-' || word === '-')) return -1;
    if (!program.within && word === '--') return put('optind', k + 1), -1;
    const from = program.within || 1, c = word[from], place = c === ':' ? -1 : letters.indexOf(c), next = from + 1 < word.length;
    program.within = next ? from + 1 : 0;
    if (place < 0 || letters[place + 1] !== ':') {
        if (!next) put('optind', k + 1);
        if (place < 0) put('optopt', c.charCodeAt(0));
        return place < 0 ? 63 : c.charCodeAt(0);
    }
    program.within = 0;
    if (next) put('optarg', space.u32(argv + 8 * k) + from + 1), put('optind', k + 1);
    else if (k + 1 < argc) put('optarg', space.u32(argv + 8 * k + 8)), put('optind', k + 2);
    else return put('optopt', c.charCodeAt(0)), put('optind', k + 1), 63;
    return c.charCodeAt(0);
}

function standardFunctions(program) {
    const { space } = program, random = new Random(), environment = new Map(Object.entries(program.env).map(([k, v]) => [k, space.string(`${v}`)]));
    const integer = (signed, bits) => (s, end, base) => {
        const r = parseInteger(space.text(s), base, signed, bits);
        if (end) space.setWord(end, s + r.used);
        if (r.range) program.errno(34);
        return BigInt.asIntN(64, r.v);
    };
    const real = (s, end) => {
        const r = parseReal(space.text(s));
        if (end) space.setWord(end, s + r.used);
        return r.v;
    };
    const aligned = (a, n) => a <= 16 ? space.malloc(n) : (() => { // the block's head lies in front of what is given
        const at = space.range(n + a + 16);
        if (!at) return 0;
        const p = Math.ceil((at + 16) / a) * a;
        program.aligned.set(p, at);
        program.alignedSize.set(p, n);
        return p;
    })();
    const free = p => {
        const range = program.aligned.get(p);
        if (range !== undefined) {
            program.aligned.delete(p);
            space.give(range);
            return;
        }
        const wrong = space.free(p);
        if (wrong) abort(program, wrong);
    };
    const sizeOf = p => program.aligned.has(p) ? program.alignedSize.get(p) : space.sizeOf(p);
    return {
        malloc: n => space.malloc(n),
        __tern_new(n) {
            const at = space.malloc(n);
            if (!at) abort(program, "terminate called after throwing an instance of 'std::bad_alloc'\n  what():  std::bad_alloc");
            return at;
        },
        calloc: (n, size) => { const at = n * size <= 0xffffffff ? space.malloc(n * size) : 0; if (at) space.bytes.fill(0, at, at + n * size); return at; },
        realloc(p, n) {
            const at = space.malloc(n);
            if (p && at) {
                space.bytes.copyWithin(at, p, p + Math.min(n, sizeOf(p)));
                free(p);
            }
            return at;
        },
        free, aligned_alloc: aligned, posix_memalign: (at, a, n) => { const p = aligned(a, n); if (p) space.setWord(at, p); return p ? 0 : 12; },
        exit: code => { throw new Exit(code & 255); }, _Exit: code => { program.quick = true; throw new Exit(code & 255); }, _exit: code => { program.quick = true; throw new Exit(code & 255); },
        abort: () => abort(program),
        atexit: f => (program.atExit.push(() => program.callback(f)()), 0),
        __cxa_atexit: (f, object) => (program.atExit.push(() => program.callback(f)(object)), 0),
        __tern_guard_begin: at => { if (space.u8(at)) return 0; return 1; },
        __tern_guard_end: at => { space.bytes[at] = 1; },
        __tern_guard_abort: at => { space.bytes[at] = 0; },
        atoi: s => Number(BigInt.asIntN(32, parseInteger(space.text(s), 10, true, 64).v)), atol: s => parseInteger(space.text(s), 10, true, 64).v, atoll: s => parseInteger(space.text(s), 10, true, 64).v, atof: s => parseReal(space.text(s)).v,
        strtol: integer(true, 64), strtoll: integer(true, 64), strtoul: integer(false, 64), strtoull: integer(false, 64), strtod: real, strtof: real,
        rand: () => random.next(), srand: s => random.seed(s), random: () => random.next(), srandom: s => random.seed(s), rand_r: at => randR(space, at),
        drand48: () => Number(random.next48()) / 2 ** 48, lrand48: () => Number(random.next48() >> 17n), srand48: s => { random.x48 = BigInt.asUintN(32, BigInt(s)) << 16n | 0x330en; },
        qsort: (base, n, size, f) => sort(program, base, n, size, f),
        bsearch(key, base, n, size, f) {
            const compare = program.callback(f);
            for (let low = 0, high = n; low < high;) {
                const mid = (low + high) >>> 1, c = compare(key, base + mid * size);
                if (!c) return base + mid * size;
                if (c < 0) high = mid;
                else low = mid + 1;
            }
            return 0;
        },
        getenv: name => environment.get(space.text(name)) ?? 0,
        setenv: (name, v, over) => { const n = space.text(name); if (over || !environment.has(n)) environment.set(n, space.string(space.text(v))); return 0; },
        unsetenv: name => (environment.delete(space.text(name)), 0),
        system: () => -1,
        abs: Math.abs, labs: x => x < 0n ? -x : x, llabs: x => x < 0n ? -x : x,
        __errno_location: () => program.errnoAt,
        strerror: n => (program.errorText ??= new Map(), program.errorText.get(n) ?? (program.errorText.set(n, space.string({ 0: 'Success', 2: 'No such file or directory', 12: 'Cannot allocate memory', 22: 'Invalid argument', 34: 'Numerical result out of range' }[n] ?? `Unknown error ${n}`)), program.errorText.get(n))),
        getpid: () => 1, sysconf: what => what === 30 ? 65536 : what === 84 ? 1 : -1,
        gethostname: (at, n) => (space.putText(at, 'localhost'.slice(0, n - 1)), 0), getcwd: (at, n) => { if (n < 2) return 0; space.putText(at, '/'); return at; },
        pthread_self: () => 1, sched_yield: () => 0, ...Object.fromEntries(['init', 'lock', 'trylock', 'unlock', 'destroy'].map(what => [`pthread_mutex_${what}`, () => 0])), // there is one thread
        getopt: (argc, argv, f) => option(program, argc, argv, space.text(f)),
        __assert_fail: (what, file, line, f) => abort(program, `${program.name}: ${space.text(file)}:${line}: ${space.text(f)}: Assertion \`${space.text(what)}' failed.`),
    };
}

/** What takes and gives 64-bit numbers as they are. */
export const wide = new Set(['labs', 'llabs', 'srand48']);

export function libraryFunctions(program) {
    return { ...mathFunctions(program.space), ...stringFunctions(program.space), ...timeFunctions(program), ...standardFunctions(program) };
}
