// The playground in real Chromium with WebGPU on a software GPU: every example runs and its result is the interpreter's,
// errors show where they are, endless kernels are stopped. Prints PASS and FAIL lines; TERN_SHOTS=DIR keeps pictures.
import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { browse, serve } from './chromium.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url)), shots = process.env.TERN_SHOTS;
const say = (what, name, why) => console.log(`${what} play/${name}${why ? ': ' + String(why).replace(/\s+/g, ' ').slice(0, 400) : ''}`);
const LONG = 300000; // milliseconds: the machine may be busy, and no test is about time
// Each block would go on for as long as it may: those that come after the first ones do not begin.
const endless = '// tern run: --kernel endless --grid 4000 --block 256 --arg i32[256]\n__global__ void endless(int *p)\n{\n    for (int i = 1; i; i = i % 1000 + 1)\n        p[threadIdx.x] += i;\n}\n';

const server = await serve(), browser = await browse();
let page, complaints = [];
const complain = m => ['error', 'warning'].includes(m.type()) && !/Service Worker registration blocked/.test(m.text()) && complaints.push(m.text()); // by us

async function open(hash = '', options = {}) {
    await page?.context().close();
    const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, serviceWorkers: 'block', ...options }); // the tests answer some requests themselves
    page = await context.newPage();
    page.setDefaultTimeout(LONG);
    complaints = [];
    page.on('console', complain);
    page.on('pageerror', e => complaints.push(e.message));
    await load(hash);
}

/** The page, with more patience than it has: a loaded machine is no endless kernel. */
async function load(hash = '') {
    await page.goto(`${server.url}/?patience=${LONG}${hash}`);
    await page.waitForFunction(() => document.documentElement.dataset.ready);
}

async function test(name, body) {
    try {
        await body();
        if (complaints.length) throw new Error(`the console says: ${complaints[0]}`);
        say('PASS', name);
    } catch (e) {
        say('FAIL', name, e.message);
    }
    if (shots) await page.screenshot({ path: `${shots}/${name.replace(/\W+/g, '-')}.png` }).catch(() => {});
}

function check(condition, why) {
    if (!condition) throw new Error(why);
}

const settled = () => page.waitForFunction(() => playground.last && !playground.busy && !document.getElementById('run').disabled);
const type = text => page.fill('textarea', text);
const status = () => page.textContent('#status');

/** The interpreter's buffers for an example, as numbers. */
function expected(name) {
    const out = execFileSync(process.env.TERN, ['run', `${root}/web/play/examples/${name}.cu`, '--device', 'interp', '--json', '--print', '100000000'], { encoding: 'utf8', maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'pipe'] });
    return JSON.parse(out).map(b => b.first.map(Number));
}

// Numbers agree to the bit, but for what WGSL leaves open: functions that are not exact, and the order of atomics. In ulps of
// the largest number.
const contracts = process.arch === 'x64'; // SwiftShader does not round a product before it adds there
// (nbody begins with the sine of angles up to 2457, half an ulp of which is 2048 of the sine's)
const loose = { black_scholes: 8, fft: 8, nbody: contracts ? 2048 : 8, softmax: 8, reduction: 16, ...(contracts && { gemm: 8 }) };
function differs({ values, type }, text, name) {
    const want = type === 'f32' ? text.map(Math.fround) : text, largest = Math.max(...want.map(Math.abs)) || 1;
    const room = (loose[name] ?? 0) * 2 ** (Math.floor(Math.log2(largest)) - 23);
    if (values.length !== want.length) return `${values.length} elements, not ${want.length}`;
    const i = values.findIndex((v, k) => !(Math.abs(v - want[k]) <= room));
    return i < 0 ? null : `element ${i} is ${values[i]}, not ${want[i]}`;
}

// A pixel of the Mandelbrot set may fall on either side of an iteration where products are rounded otherwise.
const few = ({ values }, want) => {
    const n = values.filter((v, k) => v !== want[k]).length;
    return n > values.length / 200 ? `${n} of ${values.length} pixels differ` : null;
};

await open();
const start = await page.evaluate(() => performance.now());
const examples = readdirSync(`${root}/web/play/examples`).map(f => f.replace('.cu', '')).sort();
await test('gallery', async () => {
    const offered = await page.$$eval('#example option:enabled', all => all.map(o => o.value));
    check(String(offered.sort()) === String(examples), `it offers ${offered}, there are ${examples}`);
    check(await page.evaluate(() => document.documentElement.dataset.compiler) === 'in this page', 'the page does not compile by itself');
});
for (const name of examples)
    await test(`example ${name}`, async () => {
        await page.evaluate(() => { playground.last = null; });
        await page.selectOption('#example', name);
        await settled();
        const { reply, device } = await page.evaluate(() => ({ reply: { ...playground.last, shown: playground.last.shown?.map(s => ({ type: s.type, values: Array.from(s.values, Number) })) }, device: document.getElementById('device').value }));
        check(device === 'webgpu', `it runs on ${device}`);
        check(reply.ok, reply.failed?.message);
        expected(name).forEach((want, k) => {
            const why = (name === 'mandelbrot' ? few : differs)(reply.shown[k], want, name);
            check(!why, `buffer ${k}: ${why}`);
        });
        if (await page.evaluate(() => !playground.view.animate)) return;
        const picture = () => page.evaluate(() => document.querySelector('#panel canvas').toDataURL());
        const before = await picture();
        await page.click('#animate');
        await page.waitForFunction(() => playground.frame > 4 && playground.last?.ok);
        await page.click('#animate');
        await settled();
        check(await picture() !== before, 'the picture does not move');
    });
await test('the last choice of several counts', async () => {
    await page.evaluate(() => { playground.last = null; });
    await page.selectOption('#example', 'life');
    await page.click('#animate');
    for (const name of ['softmax', 'fft', 'mandelbrot', 'vector_add']) await page.selectOption('#example', name);
    await settled();
    check(await page.evaluate(() => playground.last.ok && playground.last.kernel.name === 'add' && playground.last.shown[2].values[7]) === 7.5, await status());
});
await test('a choice counts even if its file comes late', async () => {
    let come;
    const held = new Promise(done => { come = done; });
    await page.route('**/examples/fft.cu', async r => { await held; await r.continue(); });
    await page.evaluate(() => { playground.last = null; });
    await page.selectOption('#example', 'softmax');
    await page.selectOption('#example', 'fft');
    await page.waitForFunction(() => playground.busy === 1); // what was chosen before is over, or given up
    come();
    await settled();
    check(await page.evaluate(() => playground.last.ok && playground.last.kernel.name) === 'spectrum', await status());
    await page.unroute('**/examples/fft.cu');
});
await test('every output', async () => {
    await page.selectOption('#example', 'gemm');
    await settled();
    for (const [tab, pattern] of [['WGSL', /@compute @workgroup_size/], ['C', /void/], ['IR', /kernel @gemm/], ['PTX', /\.visible \.entry \w*gemm/], ['SPIR-V', /OpEntryPoint GLCompute/], ['Analysis', /shared memory\s*2048 bytes/]]) {
        await page.click(`#tabs button:text-is("${tab}")`);
        await page.waitForFunction(() => document.getElementById('panel').childElementCount);
        const text = await page.evaluate(() => document.getElementById('panel').innerText);
        check(pattern.test(text), `${tab}: ${text.slice(0, 200)}`);
    }
});
await test('an error is shown inline', async () => {
    await type('__global__ void k(int *p)\n{\n    *p = nothing;\n}\n');
    await page.waitForSelector('.say.error');
    check(/nothing/.test(await page.textContent('.say.error')), 'another error');
    check((await page.textContent('.numbers .bad')) === '3', 'another line');
    await page.click('#problems button');
    check(await page.evaluate(() => { const a = document.querySelector('textarea'); return a === document.activeElement && a.value.slice(a.selectionStart, a.selectionStart + 7); }) === 'nothing', 'the list does not lead there');
});
await test('what cannot run leaves no result of another', async () => {
    for (const [text, why] of [['', /no kernel/], ['__global__ void k(int *p)\n{\n    *p = nothing;\n}\n', /one error/], ['template <class T> __global__ void k(T *p) { *p = 1; }', /template/]]) {
        await type(text);
        await page.click('#run');
        await page.waitForFunction(() => !playground.busy);
        check(why.test(await page.textContent('#panel .failure')), `'${text}': ${await page.textContent('#panel')}`);
        check(await page.isHidden('#launch'), 'there is a form for another');
    }
});
await test('the coloured text is the text, however it is typed', async () => {
    const lines = Array.from({ length: 60 }, (_, k) => `    x = ${k}.5f * x; // ${'ü😀'.repeat(k % 3)} ${'long '.repeat(k)}`);
    for (const edit of [l => l, l => [...l.slice(0, 20), '/* opens', ...l.slice(20)], l => [...l.slice(0, 30), 'closes */', ...l.slice(40)], l => l.slice(1, -1), () => ['last']]) {
        lines.splice(0, lines.length, ...edit(lines));
        await page.evaluate(text => { const a = document.querySelector('textarea'); a.value = text; a.dispatchEvent(new Event('input')); }, lines.join('\n'));
        const shown = await page.evaluate(() => [...document.querySelectorAll('.layers pre > div')].map(d => d.textContent));
        check(shown.join('\n') === lines.join('\n'), 'the lines are others');
        if (lines.length > 20) check(await page.evaluate(() => { const e = document.getElementById('editor'); e.scrollLeft = 500; return document.querySelector('.numbers').getBoundingClientRect().left >= e.getBoundingClientRect().left; }), 'the numbers are out of sight');
    }
});
await test('buffers are as the text has them, and drawn with gaps', async () => {
    await type('__global__ void gaps(float *p, const unsigned char *c, bool *b, unsigned long long *u)\n{\n    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    p[i] = i % 9 == 1 ? -INFINITY : i % 9 == 2 ? NAN : c[i];\n    b[i] = u[i] != 0;\n}\n');
    await page.evaluate(() => { playground.last = null; playground.view = { view: 0, as: 'plot' }; });
    await page.click('#run');
    await settled();
    check(await page.evaluate(() => `${playground.launch.args}`) === 'f32[1024],u8[1024]=iota,u8[1024],u64[1024]=iota', await page.evaluate(() => `${playground.launch.args}`));
    const drawn = await page.evaluate(() => { const c = document.querySelector('#panel canvas'), d = c.getContext('2d').getImageData(80, 0, c.width - 80, c.height).data; let n = 0; for (let i = 0; i < d.length; i += 4) n += d[i + 3] > 100 && d[i + 2] > d[i] + 60; return n; });
    check(drawn > 500, `${drawn} pixels of the curve`);
    for (const [argument, why] of [['i32:5', /no argument for p/], ['f32[1024]=abc', /abc/], ['f32[1024]=1x', /not a value of f32/]]) {
        await page.evaluate(() => { playground.last = null; });
        await page.fill('#arg-0', argument);
        await page.press('#arg-0', 'Enter');
        await settled();
        check(why.test(await status()), await status());
    }
});
await test('a hint is shown inline', async () => {
    await type('__global__ void k(float *p, int n)\n{\n    p[threadIdx.x * n] = 1;\n}\n');
    await page.waitForSelector('.say.remark');
});
const pasted = `#include <cuda_runtime.h>
#include <iostream>
#include <vector>
#include <own_helpers.h>
template <typename T> __global__ void scale(const T *x, T *y, T a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a + x[i];
}
int main()
{
    std::vector<float> v(1 << 20);
    float *x, *y;
    cudaMalloc(&x, v.size() * sizeof(float));
    scale<float><<<8, 128>>>(x, y, 2.0f, 1024);
    std::cout << "done" << std::endl;
}
`;
await test('a whole program is pasted: its kernels run when they are chosen', async () => {
    await type(pasted);
    await page.waitForFunction(() => playground.kernels[0]?.display === 'scale<float>');
    check(/own_helpers\.h.*goes on without it/.test(await page.textContent('.say.warning')), 'nothing about the header');
    check(await page.inputValue('#launch select[name=kernel]') === 'main()', 'the program is not what runs');
    await page.selectOption('#launch select[name=kernel]', { label: 'scale<float>' });
    await page.evaluate(() => { playground.last = null; });
    await page.click('#run');
    await settled();
    const { ok, launch, value } = await page.evaluate(() => ({ ok: playground.last.ok, launch: playground.launch, value: playground.last.shown?.[1].values[1023] }));
    check(ok && value === 1024, `${await status()}: ${value}`);
    check(`${launch.grid}/${launch.block}/${launch.args.at(-1)}` === '8,1,1/128,1,1/i32:1024', JSON.stringify(launch));
    await page.click('#tabs button:text-is("WGSL")');
    await page.waitForSelector('#panel button:text-is("Download")');
    const [file] = await Promise.all([page.waitForEvent('download'), page.click('#panel button:text-is("Download")')]);
    check(file.suggestedFilename() === 'kernel.wgsl', file.suggestedFilename());
});
await test('what somebody wrote is there again', async () => {
    await load();
    check(await page.inputValue('textarea') === pasted, 'it is lost');
    await page.selectOption('#example', 'fft');
    await settled();
    await page.selectOption('#example', '');
    await page.waitForFunction(() => playground.kernels[0]?.display === 'scale<float>');
    check(await page.inputValue('textarea') === pasted, 'an example took its place');
});
await test('an assert tells where', async () => {
    await type('__global__ void k(int *p)\n{\n    assert(p[threadIdx.x] < 40);\n}\n');
    await page.click('#run');
    await page.waitForSelector('#panel .failure');
    check(/kernel\.cu:3: k: .*assertion/.test(await page.textContent('#panel .failure')), await page.textContent('#panel .failure'));
});
const wild = '__global__ void wild(float *p, int n)\n{\n    int i = threadIdx.x;\n    if (i < n)\n        p[i + n] = 1;\n}\n';
for (const kind of ['webgpu', 'wasm'])
    await test(`an access outside of every buffer tells its line, ${kind}`, async () => {
        await type(wild);
        await page.waitForFunction(() => playground.kernels[0]?.name === 'wild');
        await page.evaluate(() => { playground.last = null; });
        if (kind === 'webgpu') await page.click('#run');
        else await page.selectOption('#device', kind);
        await settled();
        check(/^line 5: wild: block \(\d,0,0\)/.test(await status()), await status());
        const marked = async () => await page.locator('.numbers .bad').allTextContents() + '' === '5' && /outside of every buffer/.test(await page.textContent('#problems'));
        check(await marked(), 'the line is not marked');
        await type(wild.replace('1;', '2;'));
        await page.waitForFunction(text => playground.studied === text, wild.replace('1;', '2;'));
        check(!await marked(), 'the line of another text is marked');
        await type(wild); // somebody took a letter away and put it back
        await page.waitForFunction(text => playground.studied === text, wild);
        check(await marked(), 'the line is not marked when the same text was looked at again');
        await page.evaluate(() => { playground.last = null; });
        await page.uncheck('#launch [name=checked]');
        await page.click('#run');
        await settled();
        check(!/outside of every buffer/.test(await status() + await page.textContent('#problems')), `it is checked: ${await status()}`); // WebAssembly may still have no such memory
        await page.check('#launch [name=checked]');
        if (kind === 'wasm') await page.selectOption('#device', 'webgpu');
        await settled();
    });
await test('lines of the source and of the output belong together', async () => {
    await type(wild);
    for (const tab of ['WGSL', 'C', 'IR', 'PTX']) {
        await page.click(`#tabs button:text-is("${tab}")`);
        await page.waitForSelector('#panel pre.out div[data-line="5"]');
        // each in one step: the page may look at the text again at any time, and draw anew
        const marked = await page.evaluate(() => {
            const area = document.querySelector('textarea'), at = area.value.indexOf('p[i + n]');
            area.focus();
            area.setSelectionRange(at, at);
            area.dispatchEvent(new Event('click'));
            return [...document.querySelectorAll('#panel .lit')].map(d => d.dataset.line);
        });
        check(marked.length && marked.every(line => line === '5'), `${tab}: what came of the line is not marked (${marked})`);
        const line = await page.evaluate(() => {
            document.querySelector('#panel pre.out div[data-line="5"]').dispatchEvent(new MouseEvent('mouseover', { bubbles: true }));
            return document.querySelector('.layers .lit')?.textContent;
        });
        check(/p\[i \+ n\]/.test(line), `${tab}: the line is not marked (${line})`);
    }
});
await test('the form says what is wrong before anything runs; counters start at zero', async () => {
    await type('__global__ void count(const float *x, int *bins, float *y, int n)\n{\n    int i = threadIdx.x;\n    y[i] = x[i];\n    if (i < n)\n        atomicAdd(&bins[i % 8], 1);\n}\n');
    await page.waitForFunction(() => playground.kernels[0]?.name === 'count');
    check(await page.evaluate(() => `${playground.launch.args}`) === 'f32[1024]=iota,i32[1024],f32[1024],i32:1024', await page.evaluate(() => `${playground.launch.args}`));
    for (const [input, text, why] of [['#arg-0', 'i32:5', /is no argument for x/], ['#arg-3', 'i32:many', /not a value of i32/], ['[name=block]', '2000', /more than 1024/], ['[name=grid]', '1,2,3,4', /one to three numbers/]]) {
        const before = await page.inputValue(input);
        await page.fill(input, text);
        check(why.test(await page.textContent('#launch .why')) && await page.$eval(input, e => !e.validity.valid), `${text}: ${await page.textContent('#launch .why')}`);
        await page.fill(input, before);
        check(await page.textContent('#launch .why') === '', 'it says so still');
    }
});
await test('every device in turn', async () => {
    await page.selectOption('#example', 'vector_add');
    await settled();
    await page.click('#tabs button:text-is("Devices")');
    await page.click('#panel button:text-is("Run on all devices")');
    await page.waitForFunction(() => !playground.busy && document.querySelectorAll('#panel table.devices tr').length === document.getElementById('device').options.length + 1);
    const rows = await page.$$eval('#panel table.devices tr', all => all.slice(1).map(r => r.innerText));
    check(rows.length > 1 && rows.every(r => /[\d.]+ ms.*the same to the bit/s.test(r)), rows.join(' | '));
    await page.click('#tabs button:text-is("Result")');
});
await test('a plot says what is under the pointer', async () => {
    await page.evaluate(() => { playground.view.as = 'plot'; });
    await page.click('#tabs button:text-is("Result")');
    await page.waitForSelector('#panel canvas');
    await page.hover('#panel canvas');
    check(/^\[\d+\] = [\d.]+$/.test(await page.textContent('#panel .tip')), await page.textContent('#panel .tip'));
});
await test('an endless kernel on the GPU is stopped', async () => {
    await type(endless);
    await page.evaluate(() => { document.getElementById('device').value = 'webgpu'; playground.checked = false; }); // a software GPU takes its time as it is
    await page.evaluate(() => { playground.ticks = 0; playground.last = null; const tick = () => { playground.ticks += playground.busy > 0; requestAnimationFrame(tick); }; tick(); });
    await page.click('#run');
    await settled();
    check(/longer than allowed/.test(await status()), await status());
    check(await page.evaluate(() => playground.ticks) > 0, 'the page stood still');
});
await test('and so is one on WebAssembly', async () => {
    await page.evaluate(() => { playground.patience = 2000; playground.last = null; });
    await page.selectOption('#device', 'wasm');
    await settled();
    check(/stopped: there was no result after 2 seconds/.test(await status()), await status());
    complaints = [];
});
await test('and the next one runs', async () => {
    await page.evaluate(long => { playground.patience = long; playground.last = null; playground.checked = true; }, LONG);
    await page.selectOption('#example', 'vector_add');
    await settled();
    check(await page.evaluate(() => playground.last.ok && playground.last.shown[2].values[7]) === 7.5, await status());
});
await test('the form changes the launch', async () => {
    await page.evaluate(() => { playground.last = null; });
    await page.fill('#arg-0', 'f32[1000]=2');
    await page.press('#arg-0', 'Enter');
    await settled();
    check(await page.evaluate(() => playground.last.shown[2].values[7]) === 2.5, 'it had no effect');
    await page.evaluate(() => { playground.last = null; });
    await page.fill('#arg-0', 'f99[1000]');
    await page.press('#arg-0', 'Enter');
    await settled();
    check(/f99/.test(await status()), await status());
});
await test('the keyboard does it all', async () => {
    await page.selectOption('#example', 'vector_add');
    await settled();
    await page.evaluate(() => { playground.last = null; });
    await page.focus('textarea');
    await page.keyboard.press('Control+Enter');
    await settled();
    check(await page.evaluate(() => playground.last.ok), await status());
    await page.focus('#tabs [aria-selected="true"]');
    await page.keyboard.press('ArrowRight');
    check(await page.evaluate(() => document.activeElement.textContent) === 'Console', 'arrows do not move between tabs');
    await page.focus('textarea');
    await page.keyboard.press('Tab');
    check((await page.inputValue('textarea')).includes('    //'), 'Tab does not indent');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Tab');
    check(await page.evaluate(() => document.activeElement.tagName) !== 'TEXTAREA', 'there is no way out of the editor');
});
await test('a shared link brings it all back', async () => {
    await page.selectOption('#example', 'vector_add');
    await settled();
    await type('__global__ void mine(float *p)\n{\n    p[threadIdx.x] = 42;\n}\n');
    await page.waitForFunction(() => playground.kernels[0]?.name === 'mine');
    await page.click('#share');
    await page.waitForFunction(() => location.hash.startsWith('#z='));
    const hash = new URL(page.url()).hash;
    await open(hash);
    check((await page.inputValue('textarea')).includes('p[threadIdx.x] = 42'), 'the source is another');
    check(await page.evaluate(() => playground.last.shown[0].values[3]) === 42, 'it does not run');
});
for (const [name, options] of [['narrow light', { viewport: { width: 360, height: 740 }, colorScheme: 'light' }], ['narrow dark', { viewport: { width: 360, height: 740 }, colorScheme: 'dark' }], ['wide dark', { colorScheme: 'dark' }], ['wide light', { colorScheme: 'light' }]])
    await test(name, async () => {
        await open('#heat', options);
        const { theme, over } = await page.evaluate(() => ({ theme: document.documentElement.dataset.theme, over: document.documentElement.scrollWidth - innerWidth }));
        check(theme === options.colorScheme, `the theme is ${theme}`);
        check(over <= 0, `the page is ${over} px too wide`);
        const moved = await page.evaluate(() => new Promise(done => {
            let sum = 0;
            new PerformanceObserver(list => list.getEntries().forEach(e => { sum += e.value; })).observe({ type: 'layout-shift', buffered: true });
            setTimeout(() => done(sum), 500);
        }));
        check(moved < 0.1, `things move by ${moved} while it loads`);
        await page.click('#theme');
        check(await page.evaluate(() => document.documentElement.dataset.theme) !== theme, 'the theme does not change');
        await page.click('#theme');
    });
await test('in a frame of another page', async () => {
    await page.setContent(`<iframe width="900" height="600" src="${server.url}/?embed&patience=${LONG}#vector_add"></iframe>`);
    const frame = await (await page.waitForSelector('iframe')).contentFrame();
    await frame.waitForFunction(() => document.documentElement.dataset.ready);
    check(await frame.evaluate(() => playground.last.ok && document.querySelector('#example').checkVisibility() === false), 'it does not run, or has its examples');
});
await test('without a network, after a first visit', async () => {
    complaints = [];
    await page.context().close();
    page = await (await browser.newContext()).newPage();
    page.setDefaultTimeout(LONG);
    const other = await serve();
    await page.goto(`${other.url}/?patience=${LONG}#vector_add`);
    await page.waitForFunction(() => document.documentElement.dataset.ready);
    await page.evaluate(() => navigator.serviceWorker.ready);
    other.stop();
    await page.goto('about:blank'); // a change of the hash alone would load nothing
    await page.goto(`${other.url}/?patience=${LONG}#life`);
    await page.waitForFunction(() => document.documentElement.dataset.ready);
    check(await page.evaluate(() => playground.last.ok && playground.last.kernel.name), await status());
    await type('#include <cstdio>\nint main() { puts("alone"); }\n');
    await page.evaluate(() => { playground.last = null; });
    await page.click('#run');
    await settled();
    check(/alone/.test(await page.innerText('#panel')), await page.innerText('#panel'));
    complaints = [];
});
await test('without WebGPU, WebAssembly runs it', async () => {
    await page.context().close();
    page = await (await browser.newContext({ serviceWorkers: 'block' })).newPage();
    page.setDefaultTimeout(LONG);
    await page.addInitScript(() => Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('no', 'SecurityError'); } })); // nor anything to keep
    await page.route('**/worker.js', async r => {
        const response = await r.fetch();
        await r.fulfill({ response, body: `Object.defineProperty(navigator, 'gpu', { value: undefined });\n${await response.text()}` });
    });
    await load();
    check(await page.evaluate(() => playground.last.ok && document.getElementById('device').value) === 'wasm', await status());
    check(/^WebAssembly SIMD(, \d+ threads)?$/.test(await status()), await status());
});
await test('without tern.wasm, the server compiles', async () => {
    await page.context().close();
    page = await (await browser.newContext({ serviceWorkers: 'block' })).newPage();
    page.setDefaultTimeout(LONG);
    await page.route('**/tern.wasm', r => r.fulfill({ status: 404, body: '' }));
    await page.route('**/worker.js', async r => { // the next test wants to get at the GPU
        const response = await r.fetch(), hold = '{ const first = GPUAdapter.prototype.requestDevice; GPUAdapter.prototype.requestDevice = async function (...how) { return globalThis.gpu = await first.apply(this, how); }; }';
        await r.fulfill({ response, body: `${hold}\n${await response.text()}` });
    });
    await load();
    check(await page.evaluate(() => playground.last.ok && document.documentElement.dataset.compiler) === 'by tern serve', await status());
});
await test('a GPU that is lost is opened again', async () => {
    await page.workers()[0].evaluate(async () => { gpu.destroy(); await gpu.lost; });
    await page.evaluate(() => { playground.last = null; });
    await page.click('#run');
    await settled();
    check(await page.evaluate(() => playground.last.ok && document.getElementById('device').value) === 'webgpu', await status());
});
await test('a folder that any server serves, under another path', async () => {
    const types = { html: 'text/html', js: 'text/javascript', css: 'text/css', svg: 'image/svg+xml', wasm: 'application/wasm' };
    const folder = createServer(async (question, answer) => {
        const path = new URL(question.url, 'http://here').pathname.replace(/\/$/, '/index.html'), file = path.startsWith('/some/where/') && await readFile(`${process.env.BUILD}/web/${path.slice(12)}`).catch(() => null);
        answer.writeHead(file ? 200 : 404, { 'Content-Type': types[path.split('.').pop()] ?? 'text/plain' }).end(file || '');
    });
    await new Promise(done => folder.listen(0, '127.0.0.1', done));
    await page.context().close();
    page = await (await browser.newContext({ serviceWorkers: 'block' })).newPage();
    page.setDefaultTimeout(LONG);
    page.on('console', complain);
    await page.goto(`http://127.0.0.1:${folder.address().port}/some/where/?patience=${LONG}#softmax`);
    await page.waitForFunction(() => document.documentElement.dataset.ready);
    check(await page.evaluate(() => playground.last.ok && document.getElementById('device').value) === 'webgpu', await status());
    await page.evaluate(() => { playground.last = null; });
    await page.selectOption('#device', 'wasm');
    await settled();
    check(await page.evaluate(() => playground.last.ok && playground.last.device) === 'WebAssembly SIMD', await status()); // on one thread: this server does not isolate pages
    folder.close();
});
if (shots) console.log(`ready after ${start.toFixed(0)} ms`);
await browser.close();
server.stop();
process.exit(0);
