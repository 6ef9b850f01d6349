// compare.mjs TARGETS FILE…: runs each kernel file through each target (wasm,wasm-scalar) and compares every buffer with the
// interpreter's. Prints PASS, FAIL and SKIP lines, and DONE after each file. TERN_KEEP=DIR keeps the modules.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { readLaunches } from './launch.mjs';
import { bounds, wasmBounds } from './bounds.mjs';
import { open, run } from './devices.mjs';
import { call, differs, expected } from './judge.mjs';
import { refused, slow } from './refused.mjs';
import { load } from '../../web/tern/index.js';

const [wanted, ...files] = process.argv.slice(2);
const say = (what, target, name, why) => console.log(`${what} ${target}/${name}${why ? ': ' + String(why).replace(/\s+/g, ' ').slice(0, 400) : ''}`);

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
        if (target === 'wgsl' && slow.has(name) && !process.env.TERN_TEST_LONG) return await device.shader(code), say('PASS', target, name);
        result = await run(device, code, launch, question(target, file, launch));
    } catch (e) {
        return say('FAIL', target, name, e.message || e.stack);
    }
    const room = target === 'wgsl' ? bounds(name, String(code), device.exact) : wasmBounds(name, target === 'wasm-threads');
    const why = differs(want, result, room);
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
                    want ??= expected(file, launch, uncontracted);
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
