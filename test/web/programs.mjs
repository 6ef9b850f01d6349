// Whole programs through the package, in Node, or through the playground in Chromium (`browser`): tutorials, programs of
// test/programs and of test/host say what the native run says, to the byte, and leave the same files. What a page cannot run is
// refused by name. Prints PASS and FAIL lines; fails where fewer than 40 programs were compared. `programs.mjs browser life scan` runs some.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url)), programs = `${here}../programs`, long = !!process.env.TERN_TEST_LONG, browser = process.argv[2] === 'browser', only = process.argv.slice(browser ? 3 : 2);
const say = (what, name, why) => console.log(`${what} ${browser ? 'play' : 'package'}/program ${name}${why ? ': ' + String(why).replace(/\s+/g, ' ').slice(0, 400) : ''}`);

/** Programs of test/programs that a page does not run: a word of what it says then. */
const refused = {
    api_driver: "'cu", api_errors: 'cudaIpc', api_graphs: 'cudaGraph', api_memory: 'cudaMemPool', api_nvrtc: 'nvrtc', api_references: 'texture', api_templates: 'cudaFuncGetName', api_textures: 'cudaMemcpy2DArrayToArray', both_sides: 'an expression', clusters: 'mbarrier',
    destroyed_early: 'pthread_create', graph_conditions: 'cudaGraph', hip: 'hip', host_classes: 'forward_list', killed: 'execl',
    launch_on_device: 'kernels cannot start kernels', leave_everything: 'execl', limits: 'cuModuleLoad', other_headers: 'GLuint', nvml: 'nvml', per_thread: 'the option is to be seen', pipelined_product: 'mbarrier', random_doubles: 'mtgp32', random_host: 'curand',
    random_mtgp32: 'mtgp32', ranges: 'nvtx', tensor_maps: 'prefetch.tensormap', warpgroups: 'proxy',
};
/** Those that are about something else: bad addresses (looked up where `checked`, see below), options of the compiler, the heap of kernels and who gives what back to it, races. */
const others = ['bad_address', 'fast_f64', 'fast_math', 'free_misuse', 'heap_misuse', 'same_threads'];
const tutorials = readdirSync(`${here}tutorials`).filter(f => f.endsWith('.cu')).map(f => f.slice(0, -3)).sort();
const headers = Object.fromEntries(readdirSync(programs).filter(f => f.endsWith('.h')).map(f => [f, readFileSync(`${programs}/${f}`, 'utf8')]));

/** Of test/programs, those that take a page a fifth of a second: these are in every run, the others in the long form. */
const quick = ['api_driver', 'api_errors', 'attributes', 'classes', 'closures_this', 'compile_time', 'destroyed_early', 'device_heap', 'device_output', 'divergence', 'errors', 'floats', 'function_argument', 'function_pointers', 'grid_barrier', 'in_step', 'instantiations_shared', 'large_arguments', 'large_locals', 'launch_on_device', 'life', 'local_union', 'names', 'operators', 'ray_tracer', 'scan', 'searching', 'small_launches', 'streams', 'symbols'];
/** Programs of test/host, with what they print. */
const hosts = ['calls', 'exceptions', 'types', 'values', 'variables', 'vectors'];

/** What the native run says, and the files it leaves: asked once, for Node and Chromium. */
function native(path, words = []) {
    const kept = `${process.env.BUILD}/test/web/native-${path.replace(/\W+/g, '-')}.json`;
    if (existsSync(kept) && statSync(kept).mtimeMs > statSync(process.env.TERN).mtimeMs) {
        const { stdout, files } = JSON.parse(readFileSync(kept, 'utf8'));
        return { stdout, files: Object.fromEntries(Object.entries(files).map(([file, text]) => [file, Buffer.from(text, 'base64')])) };
    }
    const got = nativeRun(`${here}${path}`, words);
    mkdirSync(`${process.env.BUILD}/test/web`, { recursive: true });
    writeFileSync(kept, JSON.stringify({ stdout: got.stdout, files: Object.fromEntries(Object.entries(got.files).map(([file, bytes]) => [file, bytes.toString('base64')])) }));
    return got;
}

function nativeRun(path, words) {
    const folder = mkdtempSync(`${tmpdir()}/tern-`);
    try {
        const stdout = execFileSync(process.env.TERN, ['run', '--host=own', path, '--', ...words], { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], env: { ...process.env, TERN_DEVICES: 'cpu' } });
        return { stdout, files: Object.fromEntries(readdirSync(folder).sort().map(f => [f, readFileSync(`${folder}/${f}`)])) };
    } finally {
        rmSync(folder, { recursive: true });
    }
}

const same = (a, b) => a.length === b.length && a.every((x, k) => x === b[k]);
/** Pixels of a picture may differ where an edge falls between two: products are fused here, and not there. */
const near = (a, b) => a.length === b.length && a.filter((x, k) => Math.abs(x - b[k]) > 1).length <= a.length / 200;

async function tutorial(run, name, device) {
    const words = name === 'hello' ? ['word'] : [], want = native(`tutorials/${name}.cu`, words);
    const got = await run(readFileSync(`${here}tutorials/${name}.cu`, 'utf8'), { args: words, path: `${name}.cu`, device });
    if (got.failed) return got.failed;
    if (got.code) return `exit code ${got.code}: ${got.stderr}`;
    if (got.stdout !== want.stdout) return `it says ${JSON.stringify(got.stdout)}, the native run ${JSON.stringify(want.stdout)}`;
    for (const [file, bytes] of Object.entries(want.files)) if (!got.files[file] || !(file.endsWith('.ppm') ? near : same)(got.files[file], bytes)) return `${file} is another`;
    return null;
}

async function program(run, name) {
    const got = await run(readFileSync(`${programs}/${name}.cu`, 'utf8'), { path: `${name}.cu`, files: headers });
    if (name in refused) return got.failed?.includes(refused[name]) ? null : `it is not refused for '${refused[name]}': ${got.failed ?? got.stdout}`;
    if (got.failed) return got.failed;
    if (got.code || !got.stdout.trimEnd().endsWith('ok')) return `exit code ${got.code}: ${got.stdout.slice(-200)} ${got.stderr}`;
    const { stdout } = native(`../programs/${name}.cu`);
    return got.stdout === stdout ? null : `it says ${JSON.stringify(got.stdout)}, the native run ${JSON.stringify(stdout)}`;
}

/** Of test/host: prints what the file beside it says, its exit code behind it. */
async function host(run, name) {
    const got = await run(readFileSync(`${here}../host/${name}.cu`, 'utf8'), { path: `${name}.cu`, args: ['one', 'two words'] });
    if (got.failed) return got.failed;
    const said = `${got.stdout}exit ${got.code}\n`, want = readFileSync(`${here}../host/${name}.expected`, 'utf8');
    return said === want ? null : `it says ${JSON.stringify(said)}, not ${JSON.stringify(want)}`;
}

async function test(name, body) {
    if (only.length && !only.includes(name)) return false;
    let why;
    try {
        why = await body();
    } catch (e) {
        why = e.stack;
    }
    say(why ? 'FAIL' : 'PASS', name, why);
    return !why;
}

async function inNode() {
    const tern = await import(`${process.env.BUILD}/web/tern/index.js`);
    return { run: (source, options) => tern.runProgram(source, options).catch(e => ({ failed: e.name === 'CompileError' ? e.message : e.stack })), end() {} };
}

/** The page itself: somebody pastes the program, and presses Run. */
async function inPage() {
    const { browse, serve } = await import('./chromium.mjs'), server = await serve(), chromium = await browse(), page = await chromium.newPage();
    page.setDefaultTimeout(300000);
    await page.goto(`${server.url}/?patience=300000`);
    await page.waitForFunction(() => document.documentElement.dataset.ready);
    const run = async (source, { args, files = {}, device }) => {
        for (let was = null; was !== source;) // headers include headers
            for (const [name, text] of (was = source, Object.entries(files))) source = source.replace(`#include "${name}"`, () => text.replace('#pragma once', ''));
        await page.evaluate(given => Object.assign(playground, { last: null, ...given }), { words: (args ?? []).map(a => /\s/.test(a) ? `"${a}"` : a).join(' '), on: device });
        await page.fill('textarea', source);
        await page.click('#run');
        await page.waitForFunction(() => playground.last && !playground.busy);
        const got = await page.evaluate(() => {
            const { ok, code, failed, files } = playground.last, text = which => Array.from(document.querySelectorAll(`#panel .console .${which}`), e => e.textContent).join('');
            return { failed: ok ? undefined : failed.message, code, stdout: text('out'), stderr: text('err'), files: ok ? Object.fromEntries(Object.entries(files).map(([name, bytes]) => [name, Array.from(bytes)])) : {} };
        });
        return got;
    };
    return { run, page, end: async () => { await chromium.close(); server.stop(); } };
}

/** Pictures are shown, files handed over, what runs on is stopped, results of an earlier text are marked. */
async function pageItself({ run, page }) {
    await run(readFileSync(`${here}tutorials/ray_tracer.cu`, 'utf8'), { args: ['64'] });
    const shown = await page.evaluate(() => { const c = document.querySelector('#panel .file canvas'), p = c?.getContext('2d').getImageData(32, 40, 1, 1).data; return c ? `${c.width} x ${c.height}, ${p[3]}` : 'nothing'; });
    if (shown !== '64 x 48, 255') return `of the picture there is ${shown}`;
    const [file] = await Promise.all([page.waitForEvent('download'), page.click('#panel .file button')]);
    if (file.suggestedFilename() !== 'image.ppm') return `the file is ${file.suggestedFilename()}`;
    await page.fill('textarea', '#include <cstdio>\nint main()\n{\n    puts("begun");\n    fflush(stdout);\n    for (volatile int i = 0;; i++)\n        ;\n}\n');
    if (!await page.evaluate(() => document.getElementById('panel').classList.contains('stale'))) return 'the result of another text is not marked';
    await page.click('#run');
    await page.waitForSelector('#panel .console .out:text("begun")');
    await page.click('#stop');
    await page.waitForFunction(() => playground.last && !playground.busy);
    if (!/stopped/.test(await page.textContent('#status'))) return `it is not stopped: ${await page.textContent('#status')}`;
    const after = await run('#include <cstdio>\nint main() { int x; return scanf("%d", &x) == 1 ? x : 99; }\n', {});
    return after.code === 99 ? null : `after that a program ends with ${after.code ?? after.failed}`;
}

/** A link carries the whole program and its words: who opens it has the same output by Run. */
async function shared({ run, page }) {
    const source = readFileSync(`${here}tutorials/hello.cu`, 'utf8'), first = await run(source, { args: ['word'] });
    await page.click('#share');
    await page.waitForFunction(() => location.hash.startsWith('#z='));
    const link = page.url();
    await page.goto('about:blank');
    await page.goto(link);
    await page.waitForFunction(() => document.documentElement.dataset.ready);
    if (await page.inputValue('textarea') !== source) return 'the text is another';
    await page.evaluate(() => { playground.last = null; });
    await page.click('#run');
    await page.waitForFunction(() => playground.last && !playground.busy);
    const said = await page.evaluate(() => Array.from(document.querySelectorAll('#panel .console .out'), e => e.textContent).join(''));
    return said === first.stdout && said === native('tutorials/hello.cu', ['word']).stdout ? null : `it says ${said}`;
}

/** A text with a main has the compiler for whole programs made ready before Run, and again for the worker after Stop. */
async function early({ page }) {
    const text = end => `#include <cstdio>\nint main()\n{\n    printf("early\\n");\n    fflush(stdout);\n    ${end}\n}\n`, ready = () => page.waitForFunction(() => playground.warm);
    await page.reload();
    await page.waitForFunction(() => document.documentElement.dataset.ready);
    await page.fill('textarea', text('for (volatile int i = 0;; i++);'));
    await ready();
    await page.click('#run');
    await page.waitForSelector('#panel .console .out:text("early")');
    await page.click('#stop');
    await ready();
    await page.fill('textarea', text('return 7;'));
    await page.evaluate(() => { playground.last = null; });
    await page.click('#run');
    await page.waitForFunction(() => playground.last && !playground.busy);
    const code = await page.evaluate(() => playground.last.code);
    return code === 7 ? null : `it ends with ${code}`;
}

/** A message stands in the text where it can be seen, on a line that is wider than the editor too; a long one is whole in the list. */
async function whole({ page }) {
    for (const name of ['unknown', 'unknown_'.repeat(40)]) {
        await page.fill('textarea', `#include <cstdio>\nint main()\n{\n    printf("%d\\n", ${'1 + '.repeat(100)}${name});\n}\n`);
        await page.click('#run');
        await page.waitForFunction(() => playground.last && !playground.busy);
        const seen = await page.evaluate(() => {
            const list = Array.from(document.querySelectorAll('#problems button')), box = name => { const { left, right } = document.querySelector(name).getBoundingClientRect(); return [left, right]; };
            return { editor: box('#editor'), say: box('#editor .say'), text: list.map(b => b.textContent).join(), clipped: list.some(b => b.scrollWidth > b.clientWidth + 1 || b.scrollHeight > b.clientHeight + 1) };
        });
        if (!seen.text.includes(name)) return `the list says ${seen.text}`;
        if (seen.clipped) return 'the message in the list is cut off';
        if (name === 'unknown' && !(seen.say[0] >= seen.editor[0] && seen.say[1] <= seen.editor[1])) return `the message in the text cannot be seen: ${JSON.stringify(seen)}`;
    }
    return null;
}

/** What the device was not given is no memory of a kernel's, though it is all one here. */
async function outside(run) {
    const got = await run(`#include <cstdio>
#include <cstdlib>
__global__ void fill(int *p, int n)
{
    if (threadIdx.x < n)
        p[threadIdx.x] = 1;
}
int main()
{
    int *mine = (int *)malloc(400), *its, *both, *pinned;
    cudaMalloc(&its, 40);
    cudaMallocManaged(&both, 40);
    cudaMallocHost(&pinned, 40);
    for (int *p : {its, both, pinned})
        fill<<<1, 32>>>(p, 10);
    printf("%d", cudaDeviceSynchronize());
    fill<<<1, 32>>>(mine, 10);
    printf(" %d\\n", cudaDeviceSynchronize());
}
`, { path: 'outside.cu', checked: true });
    if (got.failed) return got.failed;
    return got.stdout === '0 700\n' && /line 6: fill/.test(got.stderr) ? null : `it says ${got.stdout} and ${got.stderr}`;
}

/** What host code does with Thrust and CUB: their kernels are compiled with the program's own. */
const ranges = `#include <cstdio>
#include <cub/cub.cuh>
#include <thrust/device_vector.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
int main()
{
    const int n = 10007;
    thrust::device_vector<unsigned> keys(n), sums(n);
    thrust::device_vector<int> values(n);
    for (int i = 0; i < n; i++) {
        keys[i] = i * 2654435761u >> 12;
        values[i] = i;
    }
    thrust::inclusive_scan(keys.begin(), keys.end(), sums.begin());
    unsigned sum = 0, bad = 0;
    for (int i = 0; i < n; i++)
        bad += sums[i] != (sum += keys[i]);
    thrust::sort_by_key(keys.begin(), keys.end(), values.begin());
    for (int i = 0; i < n; i++)
        bad += keys[i] != values[i] * 2654435761u >> 12 || (i && keys[i - 1] > keys[i]);
    void *work = nullptr;
    size_t bytes = 0;
    const unsigned *in = thrust::raw_pointer_cast(sums.data());
    unsigned *out = thrust::raw_pointer_cast(keys.data());
    cub::DeviceRadixSort::SortKeysDescending(work, bytes, in, out, n);
    cudaMalloc(&work, bytes);
    cub::DeviceRadixSort::SortKeysDescending(work, bytes, in, out, n);
    for (int i = 1; i < n; i++)
        bad += keys[i - 1] < keys[i];
    printf("%u wrong, %u\\n", bad, (unsigned)keys[0]);
}
`;
async function scansAndSorts(run) {
    let sum = 0, most = 0;
    for (let i = 0; i < 10007; i++) most = Math.max(most, sum = (sum + (Math.imul(i, 2654435761) >>> 12)) >>> 0);
    const got = await run(ranges, { path: 'ranges.cu' });
    return got.failed ?? (got.stdout === `0 wrong, ${most}\n` ? null : `it says ${got.stdout}${got.stderr}`);
}

/** Libraries that a page does not have: by name, with the line. */
async function librariesRefused(run) {
    const uses = { cuBLAS: ['cublas_v2.h', 'cublasHandle_t h'], cuFFT: ['cufft.h', 'cufftHandle p'], cuRAND: ['curand.h', 'curandGenerator_t g'], cuSPARSE: ['cusparse.h', 'cusparseHandle_t h'], cuSOLVER: ['cusolverDn.h', 'cusolverDnHandle_t h'], cuDNN: ['cudnn.h', 'cudnnHandle_t h'] };
    for (const [name, [header, use]] of Object.entries(uses)) {
        const { failed = 'it runs' } = await run(`#include <${header}>\nint main()\n{\n    ${use};\n}\n`, { path: 'use.cu' });
        if (!failed.includes(`use.cu:4:5: error: a page does not have '${use.split(' ')[0]}' of <${header}>: ${name}`)) return `${name}: ${failed}`;
    }
    return null;
}

const engine = await (browser ? inPage : inNode)();
const own = readdirSync(programs).filter(f => f.endsWith('.cu')).map(f => f.slice(0, -3)).filter(name => !others.includes(name)).sort();
let compared = 0;
for (const name of tutorials) compared += await test(name, () => tutorial(engine.run, name));
for (const name of hosts) compared += await test(`host/${name}`, () => host(engine.run, name));
for (const name of own) if (long || quick.includes(name)) compared += await test(name, () => program(engine.run, name)) && !(name in refused);
await test('forty programs and more', () => compared >= 40 ? null : `${compared} said what the native run says`);
await test('outside of the device\'s memory', () => outside(engine.run));
if (!browser) {
    await test('scans and sorts of Thrust and CUB', () => scansAndSorts(engine.run));
    await test('libraries that are not there', () => librariesRefused(engine.run));
}
// Kernels on the page's GPU: copies, symbols, pinned memory, streams, graphs.
for (const name of ['vector_add', 'matrix_product', 'streams', 'constant']) if (browser) await test(`${name} on WebGPU`, () => tutorial(engine.run, name, 'webgpu'));
if (browser) {
    await test('in the page', () => pageItself(engine));
    await test('by a link', () => shared(engine));
    await test('made ready', () => early(engine));
    await test('its messages whole', () => whole(engine));
}
await engine.end();
