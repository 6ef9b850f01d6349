// What kernels printed: records of length, format, and (kind, low, high) for each argument, made into text.
function text(bytes, at) {
    let end = at;
    while (bytes[end]) end++;
    return new TextDecoder().decode(bytes.slice(at, end));
}

export function printed(bytes, view, base, limit) {
    let out = '';
    const end = Math.min(view.getUint32(16, true), limit);
    for (let at = 0; at + 8 <= end;) {
        const n = view.getUint32(base + at, true);
        if (n < 2 || at + 4 * n > end) break;
        const args = [];
        for (let k = 2; k + 2 < n; k += 3) {
            const p = base + at + 4 * k, kind = view.getUint32(p, true);
            args.push({ kind, u: view.getUint32(p + 4, true), i: view.getInt32(p + 4, true), l: view.getBigInt64(p + 4, true), d: view.getFloat64(p + 4, true) });
        }
        out += format(text(bytes, view.getUint32(base + at + 4, true)), args, a => text(bytes, a.u));
        at += 4 * n;
    }
    return out;
}

export function format(f, args, string) {
    let k = 0;
    return f.replace(/%([-+ #0]*)(\d+|\*)?(?:\.(\d+|\*))?(hh|ll|[hlzjt])?([diuoxXcsfFeEgGaAp%])/g, (all, flags, width, precision, length, type) => {
        if (type === '%') return '%';
        if (width === '*') width = args[k++].i;
        if (precision === '*') precision = args[k++].i;
        const a = args[k++];
        if (!a) return all;
        const whole = a.kind ? a.l : BigInt(type === 'd' || type === 'i' ? a.i : a.u);
        let s;
        switch (type) {
        case 'd': case 'i': s = whole.toString(); break;
        case 'u': s = BigInt.asUintN(64, whole).toString(); break;
        case 'o': s = BigInt.asUintN(64, whole).toString(8); break;
        case 'x': s = BigInt.asUintN(64, whole).toString(16); break;
        case 'X': s = BigInt.asUintN(64, whole).toString(16).toUpperCase(); break;
        case 'c': s = String.fromCharCode(a.u & 255); break;
        case 's': s = string(a); if (precision !== undefined) s = s.slice(0, precision); break;
        case 'p': s = '0x' + a.u.toString(16); break;
        case 'e': case 'E': s = a.d.toExponential(precision ?? 6).replace(/e([+-])(\d)$/, 'e$10$2'); break;
        case 'g': case 'G': s = general(a.d, precision === undefined ? 6 : Number(precision)); break;
        default: s = a.d.toFixed(precision ?? 6);
        }
        if (flags.includes('+') && 'diufFeEgG'.includes(type) && s[0] !== '-') s = '+' + s;
        const pad = Number(width ?? 0) - s.length;
        if (pad <= 0) return s;
        if (flags.includes('-')) return s + ' '.repeat(pad);
        if (flags.includes('0') && type !== 's') return (/^[+-]/.test(s) ? s[0] : '') + '0'.repeat(pad) + s.replace(/^[+-]/, '');
        return ' '.repeat(pad) + s;
    });
}

function general(v, precision) {
    if (v === 0 || !Number.isFinite(v)) return String(v);
    const p = precision || 1, e = Number(v.toExponential(p - 1).split('e')[1]);
    if (e < -4 || e >= p) return v.toExponential(p - 1).replace(/\.?0+e/, 'e').replace(/e([+-])(\d)$/, 'e$10$2');
    const s = v.toFixed(Math.max(p - 1 - e, 0));
    return s.includes('.') ? s.replace(/\.?0+$/, '') : s;
}
