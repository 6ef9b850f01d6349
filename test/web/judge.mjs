// What the interpreter makes of a launch, and whether a device's result is that.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { elements } from './launch.mjs';
import { roomOf } from './bounds.mjs';

const asked = (args, encoding) => execFileSync(process.env.TERN, args, { encoding, maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'pipe'] });

/** What tern prints. What it compiles is kept in the folder TERN_CALLS: launches of one kernel, and other tests, ask for the same. */
export function call(args, encoding) {
    const folder = process.env.TERN_CALLS;
    if (!folder || args[0] !== 'compile') return asked(args, encoding);
    const kept = `${folder}/${createHash('sha256').update(JSON.stringify(args)).digest('hex')}`;
    if (existsSync(kept)) return readFileSync(kept, encoding);
    const out = asked(args, encoding);
    writeFileSync(`${kept}.${process.pid}`, out);
    renameSync(`${kept}.${process.pid}`, kept); // whole, or not there
    return out;
}

/** The interpreter's buffers. Its output is the kernel's printf, then an array of JSON. */
export function expected(file, launch, options = []) {
    const out = call(['run', file, '--device', 'interp', ...options, ...launch.words, '--json', '--print', '100000000'], 'utf8');
    const start = out.startsWith('[\n') || out.startsWith('[]') ? 0 : out.lastIndexOf('\n[') + 1;
    return { buffers: JSON.parse(out.slice(start)), printed: out.slice(0, start) };
}

// Everything agrees to the bit, except small floats where bounds.mjs says how far they may be apart, and why.
function apart(want, type, bytes, room) {
    const got = elements(type, bytes);
    const numbers = room && !type.includes('64') ? want.first.map(t => Math.abs(Number(t.replace('inf', 'Infinity')))).filter(Number.isFinite) : [];
    const allowed = room ? roomOf(room, numbers) : null;
    for (let i = 0; i < got.length; i++) {
        const text = want.first[i];
        const w = type === 'f32' ? Math.fround(Number(text.replace('inf', 'Infinity'))) : typeof got[i] === 'bigint' ? BigInt(text) : /nan/.test(text) ? NaN : /inf/.test(text) ? (text[0] === '-' ? -Infinity : Infinity) : Number(text);
        if (Object.is(got[i], w) || got[i] === w) continue;
        if (allowed && !type.includes('64') && typeof w === 'number' && Math.abs(got[i] - w) <= allowed(w)) continue;
        return `element ${i} is ${got[i]}, not ${text}`;
    }
    return null;
}

/** Why a run's buffers and output are not what the interpreter gave, or null. */
export function differs(want, result, room) {
    let why = null;
    result.args.filter(a => a.buffer).forEach((b, i) => why ??= (d => d && `buffer ${i}: ${d}`)(apart(want.buffers[i], b.type, b.bytes, room)));
    const lines = s => s.split('\n').filter(Boolean).sort().join('\n');
    if (!why && lines(want.printed) !== lines(result.printed)) why = `printed ${JSON.stringify(result.printed.slice(0, 100))}, not ${JSON.stringify(want.printed.slice(0, 100))}`;
    return why;
}
