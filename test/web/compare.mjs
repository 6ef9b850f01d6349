// compare.mjs TARGET FILE…: runs each kernel file through a target and compares every buffer with the
// interpreter's. Prints PASS, FAIL and SKIP lines.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { readLaunches, elements } from './launch.mjs';
import * as webgpu from './webgpu.mjs';
import * as wasm from './wasm.mjs';

const tern = process.env.TERN, [target, ...files] = process.argv.slice(2);
const say = (what, name, why) => console.log(`${what} ${target}/${name}${why ? ': ' + String(why).replace(/\s+/g, ' ').slice(0, 400) : ''}`);

function call(args, encoding) {
    return execFileSync(tern, args, { encoding, maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'pipe'] });
}

/** The interpreter's buffers. Its output is the kernel's printf, then an array of JSON. */
function expected(file, launch) {
    const out = call(['run', file, '--device', 'interp', ...launch.words, '--json', '--print', '100000000'], 'utf8');
    const start = out.startsWith('[\n') || out.startsWith('[]') ? 0 : out.lastIndexOf('\n[') + 1;
    return { buffers: JSON.parse(out.slice(start)), printed: out.slice(0, start) };
}

// Integers and f64 agree to the bit, f32 too except in WGSL. A test that says `near X` of its results has that room.
function differs(want, type, bytes, room, near) {
    const got = elements(type, bytes);
    for (let i = 0; i < got.length; i++) {
        const text = want.first[i];
        const w = type === 'f32' ? Math.fround(Number(text.replace('inf', 'Infinity'))) : typeof got[i] === 'bigint' ? BigInt(text) : /nan/.test(text) ? NaN : /inf/.test(text) ? (text[0] === '-' ? -Infinity : Infinity) : Number(text);
        if (Object.is(got[i], w) || got[i] === w) continue;
        if (room && !type.includes('64') && typeof w === 'number' && Math.abs(got[i] - w) <= room * Math.max(Math.abs(w), near ? 1 : 2 ** -100)) continue;
        return `element ${i} is ${got[i]}, not ${text}`;
    }
    return null;
}

const runners = {
    async wgsl() {
        const device = await webgpu.open();
        if (!device.device) return { why: device.why };
        return {
            async run(file, launch) {
                const text = call(['compile', file, '--to', 'wgsl', ...(launch.kernel ? ['--kernel', launch.kernel, ...(launch.kernel.includes('<') ? ['--name', launch.kernel] : [])] : []), ...launch.compile, '-o', '-'], 'utf8');
                return webgpu.run(device, text, launch);
            },
            room: 2 ** -18,
        };
    },
    async wasm() {
        return {
            async run(file, launch) {
                const bytes = call(['compile', file, '--to', 'wasm', ...(launch.kernel ? ['--kernel', launch.kernel, ...(launch.kernel.includes('<') ? ['--name', launch.kernel] : [])] : []), ...launch.compile, '-o', '-']);
                return wasm.run(bytes, launch);
            },
            room: 0,
        };
    },
    async 'wasm-scalar'() { // one thread at a time, also where the vectoriser would do
        return {
            async run(file, launch) {
                const bytes = call(['compile', file, '--to', 'wasm', '--gang', '1', ...(launch.kernel ? ['--kernel', launch.kernel, ...(launch.kernel.includes('<') ? ['--name', launch.kernel] : [])] : []), ...launch.compile, '-o', '-']);
                return wasm.run(bytes, launch);
            },
            room: 0,
        };
    },
};

async function compare(runner, file, launch, name) {
    const want = expected(file, launch);
    let result;
    try {
        result = await runner.run(file, launch);
    } catch (e) {
        const why = e.stderr ? String(e.stderr) : e.message;
        const refusal = /error: (\w+: '.*' in @.* cannot be expressed: .*|\w+: @.* calls itself.*)/.exec(why);
        return refusal ? say('SKIP', name, refusal[1]) : say('FAIL', name, why);
    }
    const room = Math.max(launch.near, runner.room);
    let why = result.status ? `the kernel reported ${result.status}` : null;
    launch.args.filter(a => a.buffer).forEach((b, i) => why ??= (d => d && `buffer ${i}: ${d}`)(differs(want.buffers[i], b.type, b.bytes, room, launch.near)));
    const lines = s => s.split('\n').filter(Boolean).sort().join('\n');
    if (!why && lines(want.printed) !== lines(result.printed)) why = `printed ${JSON.stringify(result.printed.slice(0, 100))}, not ${JSON.stringify(want.printed.slice(0, 100))}`;
    say(why ? 'FAIL' : 'PASS', name, why);
}

const runner = await runners[target]();
for (const file of files)
    for (const launch of readLaunches(file)) {
        const name = basename(file) + launch.name;
        if (!runner.run) say('SKIP', name, runner.why);
        else await compare(runner, file, launch, name).catch(e => say('FAIL', name, `the interpreter: ${e.stderr ?? e.stack}`));
    }
process.exit(0);
