// warps.mjs SIZE FILE…: operations of warps by a device's subgroups. Each launch of the files that has such operations is compiled
// for subgroups of 32, which a shader compiler must accept; and for those of this device, SIZE threads, in blocks so small
// that a warp is one where it reaches further, which must give what the interpreter gives. SIZE 0: this device says that it
// has subgroups, and they are not as they should be, which the package must see.
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { readLaunches } from './launch.mjs';
import { bounds } from './bounds.mjs';
import { open, run } from './devices.mjs';
import { call, differs, expected } from './judge.mjs';
import { emulated, refused } from './refused.mjs';

const [size, ...files] = process.argv.slice(2), { device, why } = await open('wgsl');
const say = (what, name, why) => console.log(`${what} warps-${size}/${name}${why ? ': ' + String(why).replace(/\s+/g, ' ').slice(0, 400) : ''}`);

function compile(file, { kernel, compile }, subgroups, block) {
    const one = kernel ? ['--kernel', kernel, ...(kernel.includes('<') ? ['--name', kernel] : [])] : [];
    return call(['compile', file, '--to', 'wgsl', '--subgroups', String(subgroups), '--block', block.join(','), ...one, ...compile, '-o', '-'], 'utf8');
}

const isWarps = code => /^\/\/.*"warps":true/.test(code), isSubgroups = code => /^enable subgroups;$/m.test(code);

/** The launch in blocks of one subgroup, if it is not as it stands. */
function fitting(file, launch) {
    const given = compile(file, launch, size, launch.block);
    if (isSubgroups(given)) return { code: given, launch };
    const at = launch.words.indexOf('--block'), block = [Number(size), 1, 1];
    return { code: compile(file, launch, size, block), launch: { ...launch, block, words: launch.words.map((word, k) => k === at + 1 ? String(size) : word) } };
}

async function check(file, launch, name) {
    const whole = compile(file, launch, 32, launch.block);
    if (!isWarps(whole)) return;
    if (!isSubgroups(whole) && file.endsWith('.ir')) return; // a random module
    if (!isSubgroups(whole)) return say(emulated[name] ? 'PASS' : 'FAIL', name, emulated[name] ? null : 'warps that could be subgroups are emulated');
    if (emulated[name]) return say('FAIL', name, 'it is on the list of what is emulated, and it is not');
    await device.shader(whole); // throws where the shader compiler refuses it
    if (size < 32 && !/^warps|^reduc|\.ir$/.test(name) && !process.env.TERN_TEST_LONG) return say('PASS', name); // in a short run
    const small = fitting(file, launch);
    if (!isSubgroups(small.code) || (size < 32 && /^wmma/.test(name))) return say('PASS', name); // takes whole warps
    if (await device.subgroupsFor(small.launch.block) !== Number(size)) return say('FAIL', name, 'the threads are not found to be in order');
    const result = await run(device, small.code, small.launch);
    const wrong = differs(expected(file, small.launch), result, bounds(name, small.code, device.exact));
    say(wrong ? 'FAIL' : 'PASS', name, wrong);
}

async function all() {
    if (size === '0') {
        const found = await device.subgroupsFor([64, 1, 1]);
        return say(device.subgroups && !found ? 'PASS' : 'FAIL', 'a device that is not as it says', `it says ${device.subgroups}, and ${found} are found`);
    }
    if (device.subgroups !== Number(size)) return say('SKIP', 'all', `the subgroups of this device have ${device.subgroups} threads`);
    for (const file of files.filter(f => /_sync\b|activemask|cooperative_groups|wmma|shfl/.test(readFileSync(f, 'utf8'))))
        for (const launch of readLaunches(file)) {
            const name = basename(file) + launch.name;
            if (!refused.wgsl[name]) await check(file, launch, name).catch(e => say('FAIL', name, e.stderr || e.message));
        }
}

if (device) await all();
else say('SKIP', 'all', why);
process.exit(0);
