// package.mjs [browser]: the npm package's tests, in Node or in Chromium. Prints PASS, FAIL and SKIP lines.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, symlinkSync, mkdirSync, writeFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { gzipSync } from 'node:zlib';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { cases } from './cases.mjs';
import { browse, serve } from './chromium.mjs';
import { dawn } from './devices.mjs';
import { libraries } from './libraries.mjs';

const built = `${process.env.BUILD}/web/tern`, where = process.argv[2] ?? 'node';
const say = (what, name, why) => console.log(`${what} package/${where}/${name}${why ? ': ' + String(why).replace(/\s+/g, ' ').slice(0, 400) : ''}`);
const report = (kind, list) => list.forEach(([name, why]) => say(why ? 'FAIL' : 'PASS', `${kind}/${name}`, why));

const readme = () => /```js\n([\s\S]*?)```/.exec(readFileSync(`${built}/README.md`, 'utf8'))[1];

/** The README's example, as written, by its own name. */
function readmeExample() {
    const folder = mkdtempSync(`${tmpdir()}/tern-`), code = readme();
    mkdirSync(`${folder}/node_modules`);
    symlinkSync(built, `${folder}/node_modules/tern-gpu`);
    writeFileSync(`${folder}/example.mjs`, code);
    const out = execFileSync(process.execPath, ['--no-warnings', 'example.mjs'], { cwd: folder, encoding: 'utf8' });
    const lines = code.split('\n').filter(l => l.trim()).length;
    if (lines > 15) return `it has ${lines} lines`;
    return / 1999\n$/.test(out) ? null : `it printed ${out}`;
}

/** What npm would pack: everything that is imported, the licence, no more. */
function packed() {
    const about = JSON.parse(readFileSync(`${built}/package.json`, 'utf8')), there = new Set(readdirSync(built));
    const named = new Set(['package.json', ...[...there].filter(file => about.files.some(f => f === file || (f[0] === '*' && file.endsWith(f.slice(1)))))]);
    for (const file of [...Object.values(about.exports).flatMap(e => typeof e === 'string' ? e : Object.values(e)), about.main, about.types, ...about.sideEffects, './LICENSE'])
        if (!named.has(file.slice(2))) return `${file} is not in the package`;
    const extra = [...there].filter(file => !named.has(file)), text = [...named].filter(f => f.endsWith('.js')).map(f => readFileSync(`${built}/${f}`, 'utf8')).join('\n');
    for (const [, file] of text.matchAll(/(?:from|import|URL\()\s*(?:\/\*.*?\*\/\s*)?'\.\/([^']+)'/g)) if (!named.has(file)) return `${file} is imported, and not in the package`;
    if (/import\('node:|from 'node:/.test(text)) return 'bundlers for pages look for a module of Node\'s';
    return extra.length ? `${extra} lie there, and are not packed` : null;
}

/** What a page loads: 1.5 MB, 600 KB compressed, at most; with the host half 1 MB compressed. */
function sizes() {
    for (const [file, most, mostPacked] of [['tern.wasm', 1500000, 600000], ['tern-host.wasm', 3000000, 1000000]]) {
        const module = readFileSync(`${built}/${file}`), packed = gzipSync(module, { level: 9 }).length;
        if (module.length > most || packed > mostPacked) return `${file}: ${module.length} bytes, ${packed} compressed`;
    }
    return null;
}

/** What the types say about a program that uses all of them. */
function types() {
    const folder = mkdtempSync(`${tmpdir()}/tern-`);
    mkdirSync(`${folder}/node_modules`);
    symlinkSync(built, `${folder}/node_modules/tern-gpu`);
    writeFileSync(`${folder}/package.json`, '{ "type": "module" }');
    writeFileSync(`${folder}/use.ts`, `import { device, compile, analyze, benchmark, fft, gemm, gemv, scan, sort, KernelError } from 'tern-gpu';
        const d = await device('wasm'), x = d.buffer(new Float32Array(4)), k = await d.kernel('', 'k', { budget: 5, f64: 'fast' });
        const y: Float32Array = await x.read(), z: Int32Array = await x.read(Int32Array);
        const { milliseconds } = await k.launch({ grid: [1, 2], block: 3, args: [1, 2n, x, null, y, z] });
        const r = await compile('', { defines: ['N=4'] }), bytes = await compile('', { to: 'spirv', block: [8, 8] });
        const shader: string | null = r.code, words: number = bytes.ok ? bytes.code.byteLength : 0;
        if (r.ok) console.log(r.code.length, shader, words);
        for (const f of (await analyze('')).kernels[0]?.findings ?? []) console.log(f.line, f.hint, milliseconds, KernelError);
        console.log((await benchmark(k, {})).median);
        const t = d.texture({ data: new Uint8Array(16), width: 2, height: 2, format: 'rgba8unorm', addressMode: ['wrap', 'clamp'] });
        await k.launch({ args: [t] });
        const texels: Uint8Array = await t.read();
        const z1: Float32Array = await d.buffer(4, Float32Array).read();
        const spent: number = (await gemm({ m: 2, n: 2, k: 2, a: x, b: x, c: d.buffer(z1), transA: true, order: 'row' })).milliseconds + (await fft({ input: x, n: [2, 1], inverse: true })).milliseconds;
        await scan({ input: x, op: 'max', exclusive: true, initial: spent });
        await sort({ keys: x, descending: true });
        await gemv({ m: 2, n: 2, a: x, x: x, y: d.buffer(z1), trans: true });
        await k.launch({ args: [{ bytes: new Uint8Array(16), pointers: [[0, x], [8, x, 4]] }] });
        // @ts-expect-error
        await scan({ input: x, op: 'product' });
        // @ts-expect-error
        d.texture({ width: texels.length, format: 'rgb8unorm' });
        // @ts-expect-error
        await compile('', { to: 'fortran' });
        // @ts-expect-error
        const refused: string = r.code;\n`);
    const tsc = `${process.env.TERN_NODE}/node_modules/typescript/bin/tsc`;
    try {
        execFileSync(process.execPath, [tsc, '--noEmit', '--strict', '--noUncheckedIndexedAccess', '--exactOptionalPropertyTypes', '--verbatimModuleSyntax', '--target', 'es2022', '--lib', 'es2022,dom', '--module', 'nodenext', '--moduleResolution', 'nodenext', 'use.ts'], { cwd: folder, encoding: 'utf8' });
        return null;
    } catch (e) {
        return e.stdout || e.message;
    }
}

/** The module writes, to the byte, what the command writes: it is the same compiler, on a C library of its own. */
async function same(tern) {
    const folder = `${process.env.BUILD}/web/examples`, template = fileURLToPath(new URL('../kernels/templates.cu', import.meta.url));
    for (const path of [...readdirSync(folder).map(file => `${folder}/${file}`), template])
        for (const to of ['wgsl', 'c', 'ir']) {
            const { code } = await tern.compile(readFileSync(path, 'utf8'), { to, path });
            const native = execFileSync(process.env.TERN ?? `${process.env.BUILD}/tern`, ['compile', path, '--to', to, ...(to === 'c' ? ['--standalone'] : [])], { encoding: 'utf8' });
            if (code !== native) return `${path} to ${to} differs`;
        }
    return null;
}

async function inNode() {
    const tern = await import(pathToFileURL(`${built}/index.js`));
    report('compiler', await cases(tern));
    report('compiler', [['the command\'s code', await same(tern)]]);
    report('wasm', await cases(tern, await tern.device('wasm', { threads: 1 })));
    for (const threads of [1, 4]) report(`libraries/${threads}`, await libraries(tern, await tern.device('wasm', { threads })));
    report('wasm-scalar', await cases(tern, await tern.device('wasm-scalar', { threads: 1 })));
    report('wasm-threads', await cases(tern, await tern.device('wasm', { threads: 4 })));
    report('files', [['the README\'s example', readmeExample()], ['packed', packed()]]);
    if (spawnSync('wasm-opt', ['--version']).error) say('SKIP', 'files/sizes', 'no wasm-opt');
    else report('files', [['sizes', sizes()]]);
    try {
        statSync(`${process.env.TERN_NODE}/node_modules/typescript`);
        report('files', [['types', types()]]);
    } catch {
        say('SKIP', 'files/types', 'no typescript');
    }
    let device, why;
    try {
        device = await tern.device('webgpu', { gpu: await dawn() });
    } catch (e) {
        why = e.message.split('\n')[0];
    }
    if (device) report('webgpu', [...await cases(tern, device), ...await libraries(tern, device)]);
    else say('SKIP', 'webgpu', why);
}

/** The same in a page that says where `tern` is. */
async function readmeInPage(page, url) {
    const said = [], importmap = JSON.stringify({ imports: { 'tern-gpu': '/tern/index.js' } });
    page.on('console', m => said.push(m.text()));
    await page.route('**/readme.mjs', r => r.fulfill({ body: readme(), contentType: 'text/javascript' }));
    await page.route('**/readme', r => r.fulfill({ body: `<!doctype html><script type="importmap">${importmap}</script><script type="module">import './readme.mjs'; document.title = 'done';</script>`, contentType: 'text/html' }));
    await page.goto(`${url}/readme`);
    await page.waitForFunction(() => document.title === 'done', null, { timeout: 300000 });
    return / 1999$/.test(said.join()) ? null : `it printed ${said}`;
}

async function inBrowser() {
    const server = await serve(), browser = await browse(), page = await browser.newPage();
    for (const file of ['cases.mjs', 'libraries.mjs']) await page.route(`**/${file}`, r => r.fulfill({ path: fileURLToPath(new URL(file, import.meta.url)), contentType: 'text/javascript' }));
    const isolated = { 'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp' };
    await page.route('**/empty', r => r.fulfill({ body: '<!doctype html><title>tests</title>', contentType: 'text/html' }));
    await page.route('**/isolated', r => r.fulfill({ body: '<!doctype html><title>tests</title>', contentType: 'text/html', headers: isolated }));
    for (const [name, kind, at, threads] of [['compiler', null, 'empty'], ['wasm', 'wasm', 'empty', 1], ['webgpu', 'webgpu', 'empty'], ['wasm-threads', 'wasm', 'isolated', 4]]) {
        await page.goto(`${server.url}/${at}`);
        const list = await page.evaluate(async ([wanted, threads]) => {
            const tern = await import('/tern/index.js'), { cases: run } = await import('/cases.mjs'), { libraries } = await import('/libraries.mjs'), device = wanted && await tern.device(wanted, { threads: 4 });
            return [...await run(tern, device), ...(wanted === 'webgpu' ? await libraries(tern, device) : []), ...(threads ? [['threads', device.threads === threads ? null : `${device.threads}`]] : [])];
        }, [kind, threads]);
        report(name, list);
    }
    report('files', [['the README\'s example', await readmeInPage(page, server.url)]]);
    await browser.close();
    server.stop();
}

await (where === 'browser' ? inBrowser() : inNode()).catch(e => say('FAIL', 'whole', e.stack));
process.exit(0);
