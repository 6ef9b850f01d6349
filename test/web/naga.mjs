// naga.mjs FILE…, run by Deno, whose WebGPU is wgpu: every shader of the files goes through naga, the other compiler of WGSL
// that browsers use; and the package's tests run there.
import { basename } from 'node:path';
import * as tern from '../../web/tern/index.js';
import { cases } from './cases.mjs';
import { call } from './judge.mjs';
import { readLaunches } from './launch.mjs';
import { refused } from './refused.mjs';

const say = (what, name, why) => console.log(`${what} naga/${name}${why ? ': ' + String(why).replace(/\s+/g, ' ').slice(0, 400) : ''}`);
await tern.load(new URL(`file://${process.env.BUILD}/web/tern/tern.wasm`));
const d = await tern.device('webgpu').catch(() => null);
if (!d) say('SKIP', 'all', 'wgpu finds no adapter');
for (const file of d ? process.argv.slice(2) : []) {
    let why = null, seen = new Set();
    for (const { kernel, compile, name } of readLaunches(file)) {
        const of = JSON.stringify([kernel, compile]);
        if (seen.has(of) || refused.wgsl[basename(file) + name]) continue;
        seen.add(of);
        const one = kernel ? ['--kernel', kernel, ...(kernel.includes('<') ? ['--name', kernel] : [])] : [];
        try {
            await d.shader(call(['compile', file, '--to', 'wgsl', ...one, ...compile, '-o', '-'], 'utf8'));
        } catch (e) {
            why ??= `${kernel ?? ''}: ${e.stderr || e.message}`;
        }
    }
    say(why ? 'FAIL' : 'PASS', basename(file), why);
}
if (d) for (const [name, why] of await cases(tern, d)) say(why ? 'FAIL' : 'PASS', `package/${name}`, why);
process.exit(0);
