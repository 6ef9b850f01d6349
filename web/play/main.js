// The page: editor, launch form, results. All work is done by a worker, which is ended if it does not come back.
import { Editor } from './editor.js';
import { alike, dims, guess, launchedAs, ownLaunch, ownView, wrong } from './launch.js';
import { codeView } from './output.js';
import { draw, viewNames } from './views.js';
import { Console } from './console.js';

const examples = [['vector_add', 'Vector addition'], ['gemm', 'Matrix product, tiled'], ['reduction', 'Reduction'], ['mandelbrot', 'Mandelbrot set'],
    ['nbody', 'N-body'], ['heat', 'Heat equation'], ['life', 'Game of Life'], ['softmax', 'Softmax'], ['black_scholes', 'Black-Scholes'],
    ['fft', 'Fourier transform'], ['lorenz', 'Lorenz attractor (double)']];
const tabs = [['result', 'Result'], ['console', 'Console'], ['devices', 'Devices'], ['analysis', 'Analysis'], ['wgsl', 'WGSL'], ['c', 'C'], ['ir', 'IR'], ['ptx', 'PTX'], ['spirv', 'SPIR-V']];
const WHOLE = 'main()'; // in place of a kernel: the whole program runs
const $ = id => document.getElementById(id);
const element = (tag, attributes = {}, ...children) => {
    const e = document.createElement(tag);
    for (const [k, v] of Object.entries(attributes)) k in e ? e[k] = v : e.setAttribute(k, v);
    e.append(...children);
    return e;
};

// What the page is about; `playground` in the console. patience: milliseconds that one launch may take (?patience=60000 gives it more).
const asks = new URLSearchParams(location.search), patience = Number(asks.get('patience')) || 10000, embedded = asks.has('embed');
const state = globalThis.playground = { launch: null, view: {}, kernels: [], found: [], said: null, tab: 'result', animating: false, frame: 0, last: null, patience, busy: 0, checked: true };

// ---- the worker ----

let worker, asked = 0;
const compiler = globalThis.earlyCompiler ?? Promise.resolve(null); // for every worker the same; null: it looks for one itself
const waiting = new Map();

function startWorker() {
    worker = globalThis.earlyWorker ?? new Worker(new URL('worker.js', import.meta.url), { type: 'module' });
    state.warm = false;
    globalThis.earlyWorker = null; // the page begins with one, before this file is here
    worker.onmessage = ({ data }) => {
        if (data.said !== undefined) { // a program is at work
            if (data.id === state.program?.id) state.program.console.write(data.said, data.stream);
            return;
        }
        waiting.get(data.id)?.(data);
        waiting.delete(data.id);
    };
    worker.onerror = e => { // one that has worked is replaced
        stopWorker(`the worker failed: ${e.message ?? 'it could not be loaded'}`);
        if (document.documentElement.dataset.ready) startWorker();
    };
    return compiler.then(module => ask({ do: 'start', module }, Math.max(60000, state.patience))).then(reply => (warm(), reply));
}

/** The compiler for whole programs, for every worker the same: it is fetched and made ready once a text has a main, before somebody presses Run. */
let whole = null, warmed = null;
function warm() {
    if (location.protocol === 'file:' || warmed === worker || !hasMain(editor.text)) return;
    warmed = worker;
    whole ??= WebAssembly.compileStreaming(fetch(new URL('tern/tern-host.wasm', import.meta.url))).catch(() => whole = null);
    const mine = worker;
    whole.then(module => module && mine === worker && ask({ do: 'warm', module }).then(({ ok }) => { state.warm = ok; }));
}

function stopWorker(why) {
    worker.terminate();
    for (const answer of waiting.values()) answer({ ok: false, failed: { name: 'Stopped', message: why } });
    waiting.clear();
}

/** An answer always comes: after `patience` the worker is ended and another takes its place. */
function ask(message, patience) {
    return new Promise(done => {
        const id = ++asked;
        const timer = patience && setTimeout(() => {
            stopWorker(`stopped: there was no result after ${patience / 1000} seconds`);
            if (message.do !== 'start') startWorker();
        }, patience);
        waiting.set(id, data => { clearTimeout(timer); done(data); });
        message.begun?.(id);
        delete message.begun;
        worker.postMessage({ ...message, id });
    });
}

// ---- source, diagnostics, form ----

const editor = new Editor($('editor'), { change: () => { mine(); stale(); later(); warm(); }, at: line => state.code?.light(line) });

/** The text is somebody's own from here on: it is kept for the next visit, and no example's address stands for it. */
function mine() {
    $('example').value = '';
    $('example').options[0].disabled = false;
    if (location.hash) history.replaceState(null, '', location.pathname + location.search);
    state.draft = true;
}
const kept = {
    get(key) {
        try {
            return JSON.parse(localStorage.getItem(key));
        } catch {
            return null;
        }
    },
    set(key, value) {
        try {
            localStorage.setItem(key, JSON.stringify(value));
        } catch { /* no room, or not allowed: it is not kept */ }
    },
};
const draft = () => embedded ? null : kept.get('draft');
const keepDraft = () => state.draft && !embedded && kept.set('draft', { source: editor.text, launch: state.launch, view: state.view, words: state.words, stdin: state.stdin, picked: state.picked });
let pending = 0;
const later = () => { clearTimeout(pending); pending = setTimeout(study, 250); };

function say(text, failed = false) {
    $('status').textContent = text;
    $('status').classList.toggle('failure', failed);
}

function showProblems(list) {
    const shown = list.filter(d => d.severity !== 'note');
    $('problems').replaceChildren(...shown.map(d => element('li', {}, element('button', { type: 'button', className: d.severity, onclick: () => d.line && editor.show(d), textContent: `${d.line ? `${d.line}:${d.column} ` : ''}${d.message}` }))));
    $('problems').hidden = !shown.length;
}

/** What is known of the text: what its last run said, for as long as it is that text, or else what looking at it found. */
function showFound() {
    const diagnostics = state.said?.source === editor.text ? state.said.diagnostics : state.found;
    const findings = state.kernels.flatMap(k => k.findings).map(f => ({ ...f, severity: 'remark' }));
    editor.mark([...diagnostics, ...findings]);
    showProblems(diagnostics);
}

/** What a run said of the source it was given; without a source: nothing, it begins. */
function said(source, diagnostics) {
    if (!source && !state.said) return;
    state.said = source && { source, diagnostics };
    showFound();
}

/** What was shown is not of this text any more. */
function stale(is = true) {
    $('panel').classList.toggle('stale', is && !!(state.last || state.program || state.devices));
}

const hasMain = text => /^[ \t]*(?:extern[ \t]+"C"[ \t]+)?(?:int|void|auto)[ \t\n]+main[ \t]*\(/m.test(text);
/** Is the program to run, or one of its kernels, which somebody picked or the text names? */
function isWhole() {
    if (!hasMain(editor.text)) return false;
    return state.picked === WHOLE || (!ownLaunch(editor.text) && !state.kernels.some(k => k.name === state.picked));
}

/** Looks at the source: diagnostics, kernels, the form. */
async function study() {
    clearTimeout(pending);
    const source = editor.text, reply = await ask({ do: 'analyze', source, block: state.launch?.block }, state.patience);
    if (source !== editor.text) return;
    const again = state.studied === source; // for blocks of another shape
    state.studied = source;
    warm();
    const found = state.found = reply.diagnostics ?? [{ severity: 'error', message: reply.failed.message }];
    state.kernels = reply.kernels ?? [];
    const errors = found.filter(d => d.severity === 'error' || d.severity === 'fatal').length;
    const failing = reply.ok ? '' : !reply.diagnostics ? reply.failed.message : errors === 1 ? 'one error in the source' : `${errors} errors in the source`;
    showFound();
    if (reply.ok) {
        if (!again) $('times').textContent = `analysed in ${reply.milliseconds.toFixed(1)} ms`;
        drawForm();
    } else { // the form stays as it was: somebody is typing
        $('times').textContent = '';
        say(failing, true);
    }
    keepDraft();
    if (reply.ok && state.failing) say('');
    state.failing = failing;
    const n = state.kernels.reduce((sum, k) => sum + findingsOf(k).length, 0);
    $('tabs').querySelector('[data-tab=analysis]').textContent = n ? `Analysis (${n})` : 'Analysis';
    if (state.tab !== 'result' && state.tab !== 'console') drawTab();
    return reply;
}

// Does an argument that was given for something else still do for this parameter?
const fits = (text, p) => text && (p.type === 'class' ? text.startsWith('bytes:') && text.length === 6 + 2 * p.size
    : p.type === 'ptr' ? /^\w+\[/.test(text) && alike(text.split('[')[0], p.element) : alike(text.split(':')[0], p.type));

/** The launch as it is to be: what the form, the source or nobody has said. */
function settle() {
    const own = ownLaunch(editor.text), name = state.launch?.kernel ?? own?.kernel;
    const kernel = state.kernels.find(k => k.name === name || k.display === name) ?? state.kernels[0];
    if (!kernel) return null;
    const from = state.launch?.kernel === kernel.name ? state.launch : own?.kernel === kernel.name || (own && !own.kernel) ? own : null;
    const shape = from?.grid ? from : launchedAs(editor.text, (kernel.display ?? kernel.name).replace(/<.*/, '')) ?? { grid: kernel.dimensions > 1 ? [2, 2, 1] : [4, 1, 1], block: kernel.blockDimensions > 1 ? [16, 16, 1] : [256, 1, 1] };
    const launch = { kernel: kernel.name, grid: shape.grid, block: shape.block, shared: from?.shared ?? (kernel.dynamicShared ? Math.min(8192, 16384 - kernel.sharedBytes) : 0), args: kernel.params.map((p, i) => from === own ? own?.args[i] ?? guess(p, kernel, editor.text) : fits(from?.args[i], p) ? from.args[i] : guess(p, kernel, editor.text)) };
    if (state.launch && state.launch.kernel !== kernel.name) delete state.view.view; // that was another kernel's buffer
    state.launch = launch;
    const out = kernel.params.findIndex(p => p.writes);
    state.view = { as: 'table', ...state.view };
    if (!(kernel.params[state.view.view]?.type === 'ptr')) state.view.view = out >= 0 ? out : kernel.params.findIndex(p => p.type === 'ptr');
    return kernel;
}

/** Which kernel, or all. */
const picker = chosen => element('select', { name: 'kernel', onchange: e => { state.picked = e.target.value; if (state.picked !== WHOLE) state.launch = { kernel: e.target.value, args: [] }; delete state.view.view; restart(); drawForm(); } },
    ...(hasMain(editor.text) ? [element('option', { value: WHOLE, textContent: 'the program: main()', selected: chosen === WHOLE })] : []),
    ...state.kernels.map(k => element('option', { value: k.name, textContent: k.display ?? k.name, selected: k === chosen })));

/** Accesses that no buffer holds are reported; without that kernels run faster. */
const checkBox = () => element('label', { className: 'check', title: 'an access outside of every buffer ends the kernel, and says its line' }, element('input', { type: 'checkbox', name: 'checked', checked: state.checked, onchange: e => { state.checked = e.target.checked; restart(); } }), 'check bounds');

function wrongSize(label, key) {
    const input = $('launch').querySelector(`[name=${key}]`);
    if (input.validity.patternMismatch || !input.value.trim()) return `${label}: one to three numbers, as in 4 or 16,16`;
    const [x, y, z] = dims(input.value);
    if (key === 'block' && x * y * z > 1024) return `block: ${x * y * z} threads are more than 1024`;
    return key === 'grid' && x * y * z > 2 ** 31 ? 'grid: that is more than 2147483648 blocks' : null;
}

/** Says what is wrong with an input of the form, beside it and below all. */
function validate(input) {
    input.setCustomValidity('');
    input.setCustomValidity(input.wrong?.() ?? '');
    const why = $('launch').querySelector('.why'), first = [...$('launch').querySelectorAll('input')].find(i => i.validationMessage && i.wrong);
    if (why) why.textContent = first?.wrong() ?? '';
}

function drawProgramForm(form) {
    const words = element('input', { name: 'words', value: state.words ?? '', title: 'words that main gets', onchange: e => { state.words = e.target.value; restart(); } });
    const on = element('select', { name: 'on', onchange: e => { state.on = e.target.value; restart(); } }, ...Array.from($('device').options).filter(o => o.value !== 'wasm-scalar').map(o => element('option', { value: o.value, textContent: o.value === 'wasm' ? 'WebAssembly' : o.textContent, selected: o.value === (state.on ?? 'wasm') })));
    const stdin = element('textarea', { name: 'stdin', rows: 1, value: state.stdin ?? '', title: 'what the program reads', onchange: e => { state.stdin = e.target.value; restart(); } });
    form.hidden = false;
    form.replaceChildren(element('div', { className: 'row' }, element('label', {}, 'run', picker(WHOLE)), element('label', {}, 'kernels on', on), element('label', {}, 'arguments', words), element('label', {}, 'input', stdin), checkBox()), element('button', { type: 'submit', hidden: true }));
}

function drawForm() {
    if (isWhole()) return drawProgramForm($('launch'));
    const kernel = settle(), form = $('launch');
    form.hidden = !kernel;
    if (!kernel) return;
    const { launch } = state; // the form's own: by the time that somebody types, another may be on its way
    const size = (label, key) => element('label', {}, label, Object.assign(element('input', { name: key, value: launch[key].join(',').replace(/(,1)+$/, ''), pattern: '\\s*[1-9]\\d*(\\s*,\\s*[1-9]\\d*){0,2}\\s*', 'aria-label': `${label}: x, y, z`,
        oninput: e => validate(e.target), onchange: e => { if (e.target.validity.valid) { launch[key] = dims(e.target.value); restart(); if (key === 'block') later(); } } }), { wrong: () => wrongSize(label, key) }));
    const row = element('div', { className: 'row' }, element('label', {}, 'kernel', picker(kernel)), size('grid', 'grid'), size('block', 'block'));
    if (kernel.dynamicShared || launch.shared)
        row.append(element('label', {}, 'shared bytes', element('input', { name: 'shared', type: 'number', min: 0, value: launch.shared, onchange: e => { launch.shared = Math.max(0, Number(e.target.value) || 0); restart(); } })));
    const args = element('div', { className: 'args' });
    kernel.params.forEach((p, i) => {
        const id = `arg-${i}`, about = p.type === 'ptr' ? `${p.element ?? ''}*` : p.type;
        args.append(element('label', { htmlFor: id }, element('code', { textContent: p.name || `argument ${i}` })), element('span', { className: 'type', textContent: about + (p.type === 'ptr' ? (p.writes ? p.reads ? ' in, out' : ' out' : ' in') : '') }),
            element('input', { id, value: launch.args[i], disabled: i === state.view.frame, title: p.type === 'ptr' ? 'f32[1000]=iota, =zero, =rand:1 or =0.5' : 'i32:5', oninput: e => validate(e.target), onchange: e => { launch.args[i] = e.target.value.trim(); restart(); } }));
        args.lastChild.wrong = () => wrong(p, args.children[3 * i + 2].value.trim());
    });
    row.append(checkBox());
    form.replaceChildren(row, ...(kernel.params.length ? [args] : []), element('p', { className: 'why', role: 'alert' }), element('button', { type: 'submit', hidden: true })); // so that Enter runs it
    form.querySelectorAll('input').forEach(input => validate(input));
}

$('launch').addEventListener('submit', e => { e.preventDefault(); if (!state.animating) run(); }); // an animation sees it with its next frame

// ---- running ----

/** What ran before is of no use any more: frames start again. */
function restart() {
    state.frame = 0;
    keepDraft();
}

// Whoever begins something takes a turn; what was begun before may still be answered, but nobody looks at that any more.
let turn = 0;
function begin() {
    $('run').disabled = false;
    return ++turn;
}

/** Says that the page is busy until `work` is done. */
async function during(work) {
    state.busy++;
    $('panel').setAttribute('aria-busy', 'true');
    try {
        return await work;
    } finally {
        if (!--state.busy) $('panel').setAttribute('aria-busy', 'false');
    }
}

const noKernel = () => state.failing || (/\btemplate\s*<[^;{]*__global__/.test(editor.text)
    ? 'the kernel is a template: instantiate it, as in template __global__ void f<float>(float *);' : 'there is no kernel to run: a function that begins with __global__ void');

/** A run that could not begin: what an earlier one gave is not this source's result. */
function failed(message) {
    say(message, true);
    $('times').textContent = '';
    stale(false);
    state.last = { ok: false, failed: { message } };
    select('result');
    return state.last;
}

/** The answer, or null if something else was begun meanwhile. */
const run = frame => during(isWhole() ? runWhole() : runFrame(frame));

/** The program, in the worker; what it says appears while it runs. */
const argumentsOf = (text = '') => text.match(/"[^"]*"|'[^']*'|\S+/g)?.map(w => w.replace(/^(["'])(.*)\1$/, '$2')) ?? [];

async function runWhole() {
    const mine = begin(), own = state.program = { id: 0, console: new Console(element) };
    stale(false);
    said();
    state.last = null;
    say('running the program…');
    $('run').disabled = true;
    $('stop').hidden = false;
    select('console');
    const words = argumentsOf(state.words), source = editor.text;
    const reply = await ask({ do: 'program', source, args: words, stdin: state.stdin ?? '', kind: state.on ?? 'wasm', checked: state.checked, begun: id => { own.id = id; } });
    if (mine !== turn) return null;
    $('run').disabled = false;
    $('stop').hidden = true;
    state.last = reply;
    if (reply.ok) {
        own.console.end(`${reply.code ? `exit code ${reply.code}` : 'done'} after ${reply.milliseconds.toFixed(0)} ms`, reply.files);
        say(reply.code ? `the program ended with ${reply.code}` : 'the program has run', reply.code !== 0);
        $('times').textContent = `compiled in ${reply.compiled.toFixed(0)} ms, ran for ${reply.milliseconds.toFixed(0)} ms`;
    } else {
        own.console.write(reply.failed.message, 'err');
        say(reply.failed.message.split('\n')[0], true);
        if (reply.failed.diagnostics) said(source, reply.failed.diagnostics);
        $('times').textContent = '';
    }
    return reply;
}

/** Ends whatever runs. */
function stop() {
    if (state.animating) animate();
    if (!state.busy) return;
    stopWorker('stopped');
    $('stop').hidden = true;
    startWorker();
}

async function runFrame(frame = 0) {
    const mine = begin();
    if (state.studied !== editor.text) await study();
    if (mine !== turn) return null;
    // What the form says is taken as it is: a wrong argument is an error, not something to guess again.
    const kernel = state.kernels.find(k => k.name === state.launch?.kernel) ?? settle();
    if (!kernel) return failed(noKernel());
    if (!state.animating) say(`running on ${$('device').selectedOptions[0].textContent}…`);
    $('run').disabled = !state.animating;
    $('stop').hidden = state.animating;
    stale(false);
    said();
    const start = performance.now(), source = editor.text;
    const reply = await ask({ do: 'run', source, kind: $('device').value, checked: state.checked, launch: { ...state.launch, frame }, view: { ...state.view, all: !state.animating } }, state.patience);
    $('stop').hidden = true;
    if (mine !== turn) return null;
    $('run').disabled = false;
    state.last = { ...reply, kernel };
    if (reply.ok) {
        const wall = performance.now() - start;
        say(reply.device);
        $('times').textContent = `kernel ${reply.milliseconds.toFixed(2)} ms (${reply.timer === 'gpu' ? 'GPU time' : 'wall time'})${reply.compiled ? `, compiled and loaded in ${reply.compiled.toFixed(0)} ms` : `, frame ${frame}, ${(1000 / wall).toFixed(0)} a second`}`;
    } else {
        say(reply.failed.message.split('\n')[0], true);
        if (reply.failed.line) said(source, [{ severity: 'error', line: reply.failed.line, column: 1, length: 999, message: reply.failed.message.replace(/^line \d+: /, '') }]);
        else if (reply.failed.diagnostics) said(source, reply.failed.diagnostics);
        $('times').textContent = '';
    }
    if (state.tab !== 'result' && !state.animating) select('result');
    else if (state.tab === 'result') drawResult();
    return reply;
}

async function animate() {
    state.animating = !state.animating;
    $('animate').setAttribute('aria-pressed', state.animating);
    $('animate').textContent = state.animating ? 'Stop' : 'Animate';
    while (state.animating) {
        const reply = await run(state.frame++);
        if (!reply) return;
        if (!reply.ok && state.animating) animate(); // no use in going on
        await new Promise(requestAnimationFrame);
    }
}

function stopAnimation() {
    if (state.animating) animate();
    restart();
}

// ---- results ----

function drawResult() {
    const panel = $('panel'), reply = state.last?.shown || !state.last?.ok ? state.last : null;
    if (!reply) return panel.replaceChildren(element('p', { className: 'quiet', textContent: 'Press Run (Ctrl+Enter).' }));
    if (!reply.ok) return panel.replaceChildren(element('p', { className: 'failure', textContent: reply.failed.message }), ...printed(reply.failed.printed));
    let root = panel.querySelector('.drawing');
    const { kernel } = reply, shown = reply.shown.find(s => s.arg === state.view.view) ?? reply.shown[0];
    const key = JSON.stringify([kernel.name, reply.shown.map(s => s.arg), state.animating]);
    if (!root || root.dataset.key !== key) {
        root = element('div', { className: 'drawing' });
        root.dataset.key = key;
        const which = element('select', { 'aria-label': 'buffer', onchange: e => { state.view.view = Number(e.target.value); drawResult(); } }, ...reply.shown.map(s => element('option', { value: s.arg, textContent: kernel.params[s.arg].name })));
        const how = element('select', { 'aria-label': 'shown as', onchange: e => { state.view.as = e.target.value; root.replaceChildren(); drawResult(); } }, ...viewNames.map(v => element('option', { value: v, textContent: v === 'rgba' ? 'image, RGBA' : v })));
        const width = element('label', {}, 'width ', element('input', { type: 'number', min: 1, style: 'width: 72px', onchange: e => { state.view.width = Number(e.target.value) || undefined; drawResult(); } }));
        panel.replaceChildren(element('div', { className: 'views' }, which, how, width), root);
        Object.assign(root, { which, how, width });
    }
    panel.firstChild.hidden = !shown;
    if (shown) {
        root.which.value = shown.arg;
        root.how.value = state.view.as;
        root.width.hidden = !['image', 'rgba'].includes(state.view.as);
        root.width.lastChild.value = state.view.width ?? '';
        draw(root, shown.values, state.view);
    } else if (!reply.printed) root.textContent = 'The kernel has run. It takes no buffers, and printed nothing.';
    panel.querySelector('.printed')?.remove();
    panel.append(...printed(reply.printed));
}

const printed = text => text ? [element('div', { className: 'printed' }, element('pre', { textContent: text }))] : [];

const several = (n, what) => `${n} ${what}${n === 1 ? '' : 's'}`;
/** Each thing once: what a line does five times is said once. */
const findingsOf = k => k.findings.filter((f, i) => k.findings.findIndex(g => g.line === f.line && g.message === f.message) === i);

function drawAnalysis(panel) {
    panel.replaceChildren(...state.kernels.flatMap(k => {
        const findings = findingsOf(k);
        const facts = [['registers', `about ${k.registers}`], ['shared memory', `${several(k.sharedBytes, 'byte')}${k.dynamicShared ? ' and what the launch gives' : ''}`], ['in the text', ['load', 'store', 'atomic', 'barrier'].map(what => several(k[`${what}s`], what)).join(', ')]];
        if (k.localBytes) facts.push(['local memory', `${k.localBytes} bytes`]);
        if (k.warpOperations) facts.push(['uses', 'warp operations']);
        if (k.doubles) facts.push(['computes', 'in double precision']);
        return [element('h2', {}, element('code', { textContent: k.display ?? k.name })), element('dl', {}, ...facts.flatMap(([a, b]) => [element('dt', { textContent: a }), element('dd', { textContent: b })])),
            ...findings.map(f => element('div', { className: 'finding' }, element('button', { type: 'button', textContent: `line ${f.line}`, onclick: () => editor.show(f) }), element('div', { textContent: f.message }), element('p', { textContent: f.hint }))),
            ...(findings.length ? [] : [element('p', { className: 'quiet', textContent: 'Nothing to remark.' })])];
    }));
    if (!state.kernels.length) panel.replaceChildren(element('p', { className: 'quiet', textContent: state.failing ? 'The source has errors.' : 'There is no kernel to look at.' }));
}

/** Whether the text is in the clipboard: pages that are not served by https, or from this machine, have none. */
const copied = async text => navigator.clipboard ? navigator.clipboard.writeText(text).then(() => true, () => false) : false;

/** Copies the text, or hands it over as a file. */
const pages = { wgsl: 'doc/wgsl-abi.md', ir: 'doc/ir-ops.md' };
function tools(text, name, page) {
    const copy = element('button', { type: 'button', textContent: 'Copy', onclick: async () => await copied(text) ? say('copied') : say('this page may not copy', true) });
    const save = element('button', { type: 'button', textContent: 'Download', onclick: () => {
        const url = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
        element('a', { href: url, download: name }).click();
        setTimeout(() => URL.revokeObjectURL(url), 1000);
    } });
    return element('div', { className: 'views' }, copy, save, `${name}, ${text.split('\n').length - 1} lines`, ...(page ? [element('a', { href: page, target: '_blank', rel: 'noopener', textContent: 'how it is launched' })] : []));
}

// ---- every device in turn ----

const RUNS = 5;

/** The kernel, or the program, on each device: times, and whether they all say the same. */
async function runEverywhere() {
    const mine = begin(), whole = isWhole(), rows = [], kinds = Array.from($('device').options, o => [o.value, o.title || o.textContent]).filter(([kind]) => !whole || kind !== 'wasm-scalar');
    if (state.studied !== editor.text) await study();
    if (!whole && !(state.kernels.find(k => k.name === state.launch?.kernel) ?? settle())) return failed(noKernel());
    state.devices = rows;
    $('stop').hidden = false;
    for (const [kind, name] of kinds) {
        say(`running on ${name}…`);
        const row = { name, best: Infinity, said: '' };
        rows.push(row);
        drawTab();
        for (let k = 0; k < (whole ? 1 : RUNS) && !row.failed && mine === turn; k++) {
            const reply = await ask(whole ? { do: 'program', source: editor.text, args: argumentsOf(state.words), stdin: state.stdin ?? '', kind, checked: false, begun: id => { state.program = { id, console: { write: (text, stream) => { if (stream === 'out') row.said += text; } } }; } }
                : { do: 'run', source: editor.text, kind, checked: false, launch: { ...state.launch, frame: 0 }, view: { ...state.view, all: true } }, whole ? 0 : state.patience);
            if (!reply.ok) row.failed = reply.failed.message.split('\n')[0];
            else {
                row.best = Math.min(row.best, reply.milliseconds);
                row.compiled ??= reply.compiled;
                row.timer = reply.timer;
                if (!whole) row.said = reply.shown.map(s => s.values);
            }
        }
        if (mine !== turn) return null;
    }
    $('stop').hidden = true;
    for (const row of rows) row.same = row.failed ? null : agreement(rows.find(r => !r.failed).said, row.said);
    say('run on every device');
    return drawTab();
}

/** How far apart two results are, in words. */
function agreement(a, b) {
    if (typeof a === 'string') return a === b ? 'the same output' : 'other output';
    let most = 0, scale = 0;
    a.forEach((x, n) => x.forEach((v, k) => {
        const other = b[n][k];
        if (v === other || (v !== v && other !== other)) return;
        most = Math.max(most, Math.abs(Number(v) - Number(other)));
        scale = Math.max(scale, Math.abs(Number(v)));
    }));
    return most ? `differs by ${(most / (scale || 1)).toPrecision(2)} of the largest` : 'the same to the bit';
}

function drawDevices(panel) {
    const again = element('button', { type: 'button', textContent: 'Run on all devices', onclick: () => during(runEverywhere()) });
    const rows = (state.devices ?? []).map(r => element('tr', {}, element('th', { textContent: r.name }), ...(r.failed ? [element('td', { colSpan: 3, className: 'failure', textContent: r.failed })]
        : [element('td', { textContent: r.best < Infinity ? `${r.best.toFixed(2)} ms${r.timer === 'gpu' ? ' (GPU)' : ''}` : '…' }), element('td', { textContent: r.compiled === undefined ? '' : `${r.compiled.toFixed(0)} ms` }), element('td', { textContent: r.same ?? '' })])));
    panel.replaceChildren(element('div', { className: 'views' }, again, 'without checks of bounds; of a kernel the best of five'), ...(rows.length ? [element('table', { className: 'devices' }, element('tr', {}, ...['', 'time', 'compiled and loaded', 'result'].map(textContent => element('th', { textContent }))), ...rows)] : []));
}

async function drawTab() {
    const { tab } = state, panel = $('panel');
    if (tab === 'result') return drawResult();
    if (tab === 'analysis') return drawAnalysis(panel);
    if (tab === 'devices') return drawDevices(panel);
    if (tab === 'console') return panel.replaceChildren(state.program?.console.root ?? element('p', { className: 'quiet', textContent: hasMain(editor.text) ? 'Press Run (Ctrl+Enter): the program runs here.' : 'What a program with a main() says appears here.' }));
    const source = editor.text, reply = await ask({ do: 'compile', source, to: tab }, state.patience);
    if (tab !== state.tab || source !== editor.text) return; // another tab, or another text: that one is drawn
    const code = reply.code instanceof Uint8Array ? (await import('./spirv.js')).disassemble(reply.code) : reply.code;
    if (tab !== state.tab) return;
    state.code = null;
    if (typeof code !== 'string') return panel.replaceChildren(element('p', { className: 'failure', textContent: (reply.diagnostics ?? [reply.failed]).map(d => d.message).join('\n') }));
    state.code = codeView(code, tab, (line, go) => { editor.light(line); if (go) editor.show({ line }); });
    panel.replaceChildren(tools(state.code.plain, `kernel.${{ spirv: 'spvasm' }[tab] ?? tab}`, pages[tab]), state.code.element);
    state.code.light(document.activeElement === editor.area ? editor.cursor() : 0);
    if (reply.ok) $('times').textContent = `compiled in ${reply.milliseconds.toFixed(1)} ms`;
}

function select(tab, focus = false) {
    state.tab = tab;
    for (const b of $('tabs').children) {
        const mine = b.dataset.tab === tab;
        b.setAttribute('aria-selected', mine);
        b.tabIndex = mine ? 0 : -1;
        if (mine && focus) b.focus();
    }
    $('panel').setAttribute('aria-labelledby', `tab-${tab}`);
    $('panel').replaceChildren();
    state.code = null; // what is shown answers to the cursor until other code takes its place
    return drawTab();
}

$('tabs').append(...tabs.map(([id, text]) => {
    const b = element('button', { type: 'button', role: 'tab', textContent: text, onclick: () => select(id) });
    b.dataset.tab = id;
    b.id = `tab-${id}`;
    b.setAttribute('aria-controls', 'panel');
    return b;
}));
$('tabs').addEventListener('keydown', e => {
    const at = tabs.findIndex(([id]) => id === state.tab), next = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: -1 }[e.key];
    if (next === undefined) return;
    e.preventDefault();
    select(tabs.at(next % tabs.length)[0], true);
});

// ---- examples, sharing, theme ----

/** Takes a source and what it says about itself; `saved` is a launch that was shared. */
async function take(source, saved = {}) {
    const mine = begin();
    stopAnimation();
    editor.text = source;
    state.devices = null;
    Object.assign(state, { draft: !!saved.draft, launch: saved.launch ?? null, view: saved.view ?? ownView(source), words: saved.words, stdin: saved.stdin, picked: saved.picked, last: null, program: null });
    stale(false);
    $('panel').replaceChildren();
    const reply = await study();
    if (mine !== turn) return;
    if (reply?.ok && (state.kernels.length || isWhole())) {
        const done = await run();
        if (done && state.view.animate && !matchMedia('(prefers-reduced-motion: reduce)').matches) state.frame = 1;
    } else drawResult();
}

const named = hash => examples.some(([name]) => name === hash) ? hash : 'vector_add';
const example = (name, asked) => during(fetchExample(name, asked));

async function fetchExample(name, asked) {
    const mine = begin(), before = editor.text, answer = await asked ?? await fetch(`examples/${name}.cu`), text = await answer.text();
    if (mine !== turn || before !== editor.text) return; // somebody chose another, or writes
    if (!answer.ok) return say(`examples/${name}.cu: ${answer.status}`, true);
    history.replaceState(null, '', `#${name}`);
    $('example').value = name;
    await take(text);
}

const through = async (stream, bytes) => new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
const toText = bytes => btoa(Array.from(bytes, b => String.fromCharCode(b)).join('')).replace(/[+/=]/g, c => ({ '+': '-', '/': '_', '=': '' })[c]);
const fromText = text => Uint8Array.from(atob(text.replace(/[-_]/g, c => ({ '-': '+', _: '/' })[c])), c => c.charCodeAt(0));

async function share() {
    const what = JSON.stringify({ source: editor.text, launch: state.launch, view: state.view, words: state.words, stdin: state.stdin, picked: state.picked });
    const packed = await through(new CompressionStream('deflate-raw'), new TextEncoder().encode(what));
    history.replaceState(null, '', `#z=${toText(packed)}`);
    say(await copied(location.href) ? 'the link is in the clipboard' : 'the link is in the address bar');
}

/** What the address asks for; `asked` is that example's answer, if it is on its way already. */
async function fromAddress(asked) {
    const hash = location.hash.slice(1);
    if (hash.startsWith('z=')) {
        const mine = begin();
        try {
            const { source, launch, view, words, stdin, picked } = JSON.parse(new TextDecoder().decode(await through(new DecompressionStream('deflate-raw'), fromText(hash.slice(2)))));
            if (mine !== turn) return;
            $('example').value = '';
            return await take(String(source), { launch, view, words, stdin, picked });
        } catch {
            say('that link is damaged', true);
        }
    }
    return !hash && draft() ? takeDraft() : example(named(hash), asked);
}

async function takeDraft() {
    const { source, ...more } = draft();
    $('example').value = '';
    return during(take(String(source), { ...more, draft: true }));
}

function theme(name) {
    document.documentElement.dataset.theme = name;
    if (state.last?.ok && state.tab === 'result') drawResult();
}
const dark = matchMedia('(prefers-color-scheme: dark)');
theme(kept.get('theme') ?? (dark.matches ? 'dark' : 'light'));
dark.addEventListener('change', () => kept.get('theme') ?? theme(dark.matches ? 'dark' : 'light'));
$('theme').onclick = () => {
    const next = document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark';
    kept.set('theme', next);
    theme(next);
};

$('example').append(element('option', { value: '', textContent: 'your own', disabled: !draft() }), ...examples.map(([value, textContent]) => element('option', { value, textContent })));
$('example').onchange = e => {
    if (e.target.value) return example(e.target.value);
    history.replaceState(null, '', location.pathname + location.search);
    takeDraft();
};
$('device').onchange = () => { restart(); if (!state.animating) run(); };
$('run').onclick = () => {
    stopAnimation();
    run();
    if (matchMedia('(max-width: 900px)').matches) $('tabs').scrollIntoView(); // what comes of it is below the fold
};
$('stop').onclick = stop;
$('animate').onclick = animate;
$('share').onclick = share;
addEventListener('hashchange', () => fromAddress());
addEventListener('resize', () => state.last?.ok && state.tab === 'result' && !state.animating && drawResult());
addEventListener('keydown', e => {
    if (e.key !== 'Enter' || !(e.ctrlKey || e.metaKey)) return;
    e.preventDefault();
    if (e.shiftKey) animate();
    else $('run').click();
});

if (embedded) document.documentElement.dataset.embed = 'yes';
if (navigator.serviceWorker && !embedded) addEventListener('load', () => navigator.serviceWorker.register('offline.js').catch(() => {})); // without a network, too
select('result');
const wanted = location.hash.startsWith('#z=') || (!location.hash && draft()) ? null : fetch(`examples/${named(location.hash.slice(1))}.cu`).catch(() => null);
const started = await startWorker();
if (started.ok) {
    $('device').append(...started.devices.map(d => element('option', { value: d.kind, textContent: d.kind === 'webgpu' ? 'WebGPU' : d.name, title: d.name })));
    document.documentElement.dataset.compiler = started.where;
    await fromAddress(wanted);
} else say(started.failed.message, true);
document.documentElement.dataset.ready = 'yes';
