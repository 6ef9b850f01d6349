// What kernels printed: records of length, format, and (kind, low, high) for each argument, made into text as C does it.
import { WEB_PRINT_USED } from './abi.js';

function text(bytes, at) {
    let end = at;
    while (bytes[end]) end++;
    return new TextDecoder().decode(bytes.slice(at, end));
}

export function printed(bytes, view, base, limit) {
    let out = '';
    const end = Math.min(view.getUint32(WEB_PRINT_USED, true), limit);
    for (let at = 0; at + 8 <= end;) {
        const n = view.getUint32(base + at, true);
        if (n < 2 || at + 4 * n > end) break;
        const args = [];
        for (let k = 2; k + 2 < n; k += 3) {
            const p = base + at + 4 * k;
            args.push({ u: view.getUint32(p + 4, true), i: view.getInt32(p + 4, true), l: view.getBigInt64(p + 4, true), d: view.getFloat64(p + 4, true) });
        }
        out += format(text(bytes, view.getUint32(base + at + 4, true)), args, a => text(bytes, a.u));
        at += 4 * n;
    }
    return out;
}

// A number's size as a fraction: n / 2^shift.
function fraction(v) {
    const bits = new BigUint64Array(Float64Array.of(v).buffer)[0], e = Number(bits >> 52n & 2047n), m = bits & (1n << 52n) - 1n;
    return e > 1075 ? [(m | 1n << 52n) << BigInt(e - 1075), 0n] : [e ? m | 1n << 52n : m, BigInt(e ? 1075 - e : 1074)];
}

// Of n / d, to nearest, ties to even, as C does it; Number's own methods take the larger of two that are as near.
function nearest(n, d) {
    const q = n / d, rest = 2n * (n % d);
    return q + (rest > d || (rest === d && q & 1n) ? 1n : 0n);
}

function fixed(v, precision) {
    const [n, shift] = fraction(v), s = nearest(n * 10n ** BigInt(precision), 1n << shift).toString().padStart(precision + 1, '0');
    return precision ? `${s.slice(0, -precision)}.${s.slice(-precision)}` : s;
}

// The exponent, and precision + 1 digits.
function scientific(v, precision) {
    if (v === 0) return [0, '0'.repeat(precision + 1)];
    const [n, shift] = fraction(v), round = e => {
        const p = BigInt(precision - e);
        return nearest(n * 10n ** (p > 0n ? p : 0n), (1n << shift) * 10n ** (p < 0n ? -p : 0n)).toString();
    };
    let e = Number(v.toExponential(20).split('e')[1]), digits = round(e);
    if (digits.length > precision + 1) digits = round(++e); // 9.99… became 10
    return [e, digits];
}

function withExponent(v, precision) {
    const [e, digits] = scientific(v, precision);
    return `${digits[0]}${precision ? '.' + digits.slice(1) : ''}e${e < 0 ? '-' : '+'}${String(Math.abs(e)).padStart(2, '0')}`;
}

function general(v, precision, keep) {
    const p = precision || 1, [e] = scientific(v, p - 1);
    const s = e < -4 || e >= p ? withExponent(v, p - 1) : fixed(v, p - 1 - e);
    if (keep) return s.includes('.') ? s : s.replace(/(?=e|$)/, '.');
    return s.replace(/(\.\d*?)0+(?=e|$)/, '$1').replace(/\.(?=e|$)/, '');
}

function hexadecimal(v, precision) {
    if (v === 0) return `0x0${precision ? '.' + '0'.repeat(precision) : ''}p+0`;
    let e = Math.max(Math.floor(Math.log2(v)), -1022);
    while (v / 2 ** e >= 2) e++;
    while (v / 2 ** e < 1 && e > -1022) e--;
    let digits = BigInt(v / 2 ** e * 2 ** 52), kept = precision ?? 13;
    if (kept < 13) digits = nearest(digits, 1n << BigInt(52 - 4 * kept)) << BigInt(52 - 4 * kept);
    const rest = (digits & (1n << 52n) - 1n).toString(16).padStart(13, '0').padEnd(kept, '0').slice(0, Math.max(kept, 0));
    const tail = precision === undefined ? rest.replace(/0+$/, '') : rest;
    return `0x${digits >> 52n}${tail && '.' + tail}p${e < 0 ? '-' : '+'}${Math.abs(e)}`;
}

const lengths = { hh: 8, h: 16, l: 64, ll: 64, j: 64, z: 64, t: 64, q: 64, L: 64 };

/** As C's printf: [sign or prefix, the rest]. */
function whole(a, type, length, precision, flags) {
    const bits = lengths[length] ?? 32, signed = type === 'd' || type === 'i', value = (signed ? BigInt.asIntN : BigInt.asUintN)(bits, a.l);
    let s = (value < 0n ? -value : value).toString(type === 'o' ? 8 : type === 'x' || type === 'X' ? 16 : 10);
    if (precision !== undefined) s = precision === 0 && value === 0n ? '' : s.padStart(precision, '0');
    if (flags.includes('#') && type === 'o' && s[0] !== '0') s = '0' + s;
    return [signed ? value < 0n : flags.includes('#') && value && type !== 'o' && type !== 'u' ? '0x' : '', s];
}

function real(d, type, precision, flags) {
    const v = Math.abs(d), kind = type.toLowerCase();
    if (!Number.isFinite(v)) return Number.isNaN(v) ? 'nan' : 'inf';
    if (kind === 'a') return hexadecimal(v, precision);
    if (kind === 'g') return general(v, precision ?? 6, flags.includes('#'));
    return (kind === 'e' ? withExponent : fixed)(v, precision ?? 6);
}

export function format(f, args, string) {
    let k = 0;
    return f.replace(/%%|%([-+ #0]*)(\d+|\*)?(?:\.(\*|\d*))?(hh|ll|[hljztqL])?([diouxXcsfFeEgGaAp])/g, (all, flags, width, precision, length, type) => {
        if (all === '%%') return '%';
        const count = x => x === '*' ? args[k++]?.i ?? 0 : x === undefined ? undefined : Number(x);
        width = count(width) ?? 0;
        precision = count(precision);
        if (precision < 0) precision = undefined;
        if (width < 0) [width, flags] = [-width, flags + '-'];
        const a = args[k++];
        if (!a) return all;
        let sign = '', s, zeros = flags.includes('0') && !flags.includes('-');
        if ('diouxX'.includes(type)) {
            [sign, s] = whole(a, type, length, precision, flags);
            zeros &&= precision === undefined;
        } else if (type === 'c') s = String.fromCharCode(a.u & 255);
        else if (type === 's') s = string(a, precision).slice(0, precision);
        else if (type === 'p') [sign, s] = a.u ? ['0x', a.u.toString(16)] : ['', '(nil)'];
        else {
            s = real(a.d, type, precision, flags);
            sign = a.d < 0 || Object.is(a.d, -0);
            zeros &&= Number.isFinite(a.d);
        }
        if (typeof sign === 'boolean') sign = sign ? '-' : flags.includes('+') ? '+' : flags.includes(' ') ? ' ' : '';
        if (zeros && !'csp'.includes(type)) s = s.startsWith('0x') ? '0x' + s.slice(2).padStart(width - sign.length - 2, '0') : s.padStart(width - sign.length, '0');
        s = sign + s;
        if ('XFEGA'.includes(type)) s = s.toUpperCase();
        return flags.includes('-') ? s.padEnd(width) : s.padStart(width);
    });
}
