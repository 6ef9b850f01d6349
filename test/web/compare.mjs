// compare.mjs TARGETS FILE…: runs each kernel file through each target (wasm,wasm-scalar) and compares every buffer with the
// interpreter's. Prints PASS, FAIL and SKIP lines, and DONE after each file. TERN_KEEP=DIR keeps the modules.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { readLaunches, elements } from './launch.mjs';
import { bounds, roomOf, wasmBounds } from './bounds.mjs';
import { open, run } from './devices.mjs';
import { refused } from './refused.mjs';
import { load } from '../../web/tern/index.js';

const tern = process.env.TERN, [wanted, ...files] = process.argv.slice(2);
const say = (what, target, name, why) => console.log(`${what} ${target}/${name}${why ? ': ' + String(why).replace(/\s+/g, ' ').slice(0, 400) : ''}`);

function call(args, encoding) {
    return execFileSync(tern, args, { encoding, maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'pipe'] });
}

/** The interpreter's buffers. Its output is the kernel's printf, then an array of JSON. */
function expected(file, launch) {
    const out = call(['run', file, '--device', 'interp', ...uncontracted, ...launch.words, '--json', '--print', '100000000'], 'utf8');
    const start = out.startsWith('[\n') || out.startsWith('[]') ? 0 : out.lastIndexOf('\n[') + 1;
    return { buffers: JSON.parse(out.slice(start)), printed: out.slice(0, start) };
}

// Everything agrees to the bit, except small floats where bounds.mjs says how far they may be apart, and why.
function differs(want, type, bytes, room) {
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

// How each target is compiled for. WebAssembly is compared without contraction: with it, a*b+c is fused only where the engine
// has an instruction for that.
const uncontracted = !wanted.includes('wgsl') ? ['--fmad', 'false'] : [];
const targets = {
    wgsl: { to: ['--to', 'wgsl'], text: 'utf8' },
    wasm: { to: ['--to', 'wasm'] },
    'wasm-shape': { to: ['--to', 'wasm'], shaped: true }, // for the blocks of this launch, as the package does
    'wasm-scalar': { to: ['--to', 'wasm', '--gang', '1'] }, // one thread at a time, also where the vectoriser would do
    'wasm-threads': { to: ['--to', 'wasm', '--threads'], shaped: true }, // blocks on several threads of the engine
};

function compile(target, file, launch) {
    const kernel = launch.kernel ? ['--kernel', launch.kernel, ...(launch.kernel.includes('<') ? ['--name', launch.kernel] : [])] : [];
    const block = targets[target].shaped ? ['--block', launch.block.join(',')] : [];
    return call(['compile', file, ...targets[target].to, ...block, ...uncontracted, ...kernel, ...launch.compile, '-o', '-'], targets[target].text);
}

// Every second WGSL test has bindings for single arguments where the kernel allows them: the package compiles that itself.
const compiler = `${process.env.BUILD}/web/tern/tern.wasm`, hasCompiler = existsSync(compiler);
if (hasCompiler) await load(new URL(`file://${compiler}`));
let turn = 0;
function question(target, file, launch) {
    if (target !== 'wgsl' || !hasCompiler || !file.endsWith('.cu') || launch.compile.length || turn++ % 2) return null;
    return { f16: devices.get(target).device.features.includes('shader-f16'), source: readFileSync(file, 'utf8'), path: file, to: 'wgsl', names: launch.kernel?.includes('<') ? [launch.kernel] : [] };
}

async function compare(target, device, file, launch, name, want) {
    const listed = refused[target.replace(/-(shape|threads)$/, '')]?.[name];
    let result, code;
    try {
        code = compile(target, file, launch);
    } catch (e) {
        const why = String(e.stderr ?? e.message), refusal = /error: (\w+: .*)/.exec(why)?.[1] ?? why;
        return say(listed && refusal.includes(listed) ? 'SKIP' : 'FAIL', target, name, refusal);
    }
    if (listed) return say('FAIL', target, name, 'it is on the list of what is refused, and it is not');
    if (process.env.TERN_KEEP && target.startsWith('wasm')) writeFileSync(`${process.env.TERN_KEEP}/${target}-${name.replace(/\W+/g, '-')}.wasm`, code);
    try {
        result = await run(device, code, launch, question(target, file, launch));
    } catch (e) {
        return say('FAIL', target, name, e.message || e.stack);
    }
    const room = target === 'wgsl' ? bounds(name, String(code), device.exact) : wasmBounds(name, target === 'wasm-threads');
    let why = null;
    result.args.filter(a => a.buffer).forEach((b, i) => why ??= (d => d && `buffer ${i}: ${d}`)(differs(want.buffers[i], b.type, b.bytes, room)));
    const lines = s => s.split('\n').filter(Boolean).sort().join('\n');
    if (!why && lines(want.printed) !== lines(result.printed)) why = `printed ${JSON.stringify(result.printed.slice(0, 100))}, not ${JSON.stringify(want.printed.slice(0, 100))}`;
    say(why ? 'FAIL' : 'PASS', target, name, why);
}

const devices = new Map();
for (const target of wanted.split(',')) devices.set(target, await open(target));
for (const file of files) {
    for (const launch of readLaunches(file)) {
        const name = basename(file) + launch.name;
        let want = null;
        for (const [target, { device, why }] of devices) {
            if (!device) say('SKIP', target, name, why);
            else {
                try {
                    want ??= expected(file, launch);
                    await compare(target, device, file, launch, name, want);
                } catch (e) {
                    say('FAIL', target, name, `the interpreter: ${e.stderr ?? e.stack}`);
                }
            }
        }
    }
    console.log(`DONE ${file}`);
}
process.exit(0);
