// Compiles and runs, away from the page. Each message { id, do, … } gets one answer { id, ok, … }.
import * as tern from './tern/index.js';
import { argument, elements, wrong } from './launch.js';
// what those import, so that all of it is asked for at once
import './tern/cpu.js';
import './tern/gpu.js';
import './tern/compiler.js';
import './tern/errors.js';
import './tern/memory.js';
import './tern/print.js';
import './tern/team.js';
import './tern/blocks.js';

const BUDGET = 1 << 20; // turns of loops: a dispatch cannot be cancelled
let hasRun = false, device = null, kept = null; // kept: { key, source, kind, name, program, kernel, args, buffers }

// The page hands over the compiler; without one, `tern serve` compiles.
const findCompiler = module => tern.load(module ?? undefined).then(() => 'in this page', async why => {
    const answer = await fetch('compile', { method: 'POST', body: JSON.stringify({ source: '' }) }).catch(() => null);
    if (!answer?.ok) throw why;
    tern.answerWith(async question => {
        const bytes = new Uint8Array(await (await fetch('compile', { method: 'POST', body: JSON.stringify(question) })).arrayBuffer());
        const n = new DataView(bytes.buffer).getUint32(0, true);
        return { ...JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + n))), output: bytes.slice(4 + n) };
    });
    return 'by tern serve';
});

// What a pasted program needs beyond its text. Headers that only its host half reads are empty here. Kernel templates are made
// for the arguments that the host half launches them with, as far as those are known outside of it.
const needs = { source: null, options: {}, without: [] };
async function study(source, block) {
    const files = {}, ask = names => tern.analyze(source, { block, files, names });
    let reply = await ask([]);
    for (const { message } of reply.ok ? [] : reply.diagnostics) {
        const name = /^header [<"](.+)[>"] cannot be found$/.exec(message)?.[1];
        if (name) files[name] = '';
    }
    const without = reply.diagnostics.filter(d => /^header .* cannot be found$/.test(d.message));
    if (without.length) reply = await ask([]);
    const names = [];
    for (const [, name, list] of reply.ok ? source.matchAll(/([\w:]+)\s*<([^<>;{}]*(?:<[^<>;{}]*>[^<>;{}]*)*)>\s*<<</g) : []) {
        if (names.some(n => n.startsWith(`${name}<`) && n.endsWith(`<${list}>`))) continue;
        const more = await ask([...names, `${name}<${list}>`]);
        if (!more.ok) continue;
        names.push(`${name}<${list}>`);
        reply = more;
    }
    Object.assign(needs, { source, options: { files, names }, without: without.map(d => ({ ...d, severity: 'warning', notes: [], message: d.message.replace('cannot be found', 'is not here: the page goes on without it') })) });
    return { ...reply, diagnostics: [...needs.without, ...reply.diagnostics] };
}
const optionsFor = async source => (needs.source === source || await study(source), needs.options);

const adapter = tern.device('webgpu').catch(() => null); // while the compiler is on its way

async function open(kind) {
    if (device?.kind !== kind || device.lost) {
        drop();
        device?.free();
        device = await tern.device(kind);
    }
    return device;
}

function drop() {
    for (const b of kept?.buffers ?? []) b?.free();
    kept?.program.free();
    kept = null;
}

async function prepare({ source, kind, launch, checked = true }) {
    const key = JSON.stringify([source, kind, checked, launch.kernel, launch.args]), start = performance.now();
    if (kept?.key === key && launch.frame) return { compiled: 0 };
    const args = launch.args.map(text => argument(text)); // throws before anything is given up
    const d = await open(kind), same = kept && kept.source === source && kept.kind === kind && kept.checked === checked && kept.name === launch.kernel;
    if (same) for (const b of kept.buffers) b?.free();
    else drop();
    const program = same ? kept.program : await d.load(source, { ...await optionsFor(source), budget: BUDGET, checked, kernel: launch.kernel });
    kept = { key: null, source, kind, checked, name: launch.kernel, program, kernel: program.kernel(launch.kernel), args, buffers: [] };
    kept.kernel.params.forEach((p, k) => {
        const why = wrong(p, launch.args[k]);
        if (why) throw new Error(why);
    });
    for (const a of args) kept.buffers.push(a.buffer ? d.buffer(a.bytes) : null);
    kept.key = key;
    return { compiled: performance.now() - start };
}

const doing = {
    async start({ module }) {
        const devices = [], [where, gpu] = await Promise.all([findCompiler(module), adapter]);
        if (gpu) {
            device = gpu;
            devices.push({ kind: 'webgpu', name: gpu.name });
        }
        for (const kind of ['wasm', 'wasm-scalar'])
            await tern.device(kind).then(d => devices.push({ kind, name: d.name }), () => {});
        return { where, devices };
    },

    async analyze({ source, block }) {
        const start = performance.now(), reply = await study(source, block);
        return { ...reply, milliseconds: performance.now() - start };
    },

    async compile({ source, to, kernel }) {
        const options = await optionsFor(source), start = performance.now(), reply = await tern.compile(source, { ...options, to, kernel, lines: true });
        return { ...reply, milliseconds: performance.now() - start };
    },

    /** The compiler for whole programs, before there is one to run. */
    async warm({ module }) {
        if (hasRun) return {}; // it has one
        await tern.loadWhole(module);
        tern.warmWhole();
        return {};
    },

    /** A whole program: what it says is told while it runs. */
    async program({ id, source, args, stdin, kind = 'wasm', checked = true }) {
        hasRun = true;
        const said = stream => text => postMessage({ id, said: text, stream });
        const { code, files, compiled, milliseconds, device } = await tern.runProgram(source, { args, stdin, checked, device: kind, path: 'program.cu', stdout: said('out'), stderr: said('err') });
        return { code, files, compiled, milliseconds, device };
    },

    /** One frame: launches, and gives the contents of the buffer that is looked at. */
    async run(message) {
        const { launch, view } = message, { compiled } = await prepare(message);
        const { kernel, args, buffers } = kept, frame = launch.frame ?? 0, [i, j] = view.swap ?? [];
        const order = buffers.map((_, k) => frame % 2 && k === i ? j : frame % 2 && k === j ? i : k);
        const given = args.map((a, k) => a.buffer ? buffers[order[k]] : k === view.frame ? new Int32Array([frame]) : a.bytes);
        const { milliseconds, timer, printed } = await kernel.launch({ ...launch, args: given });
        const shown = [];
        for (const [k, a] of args.entries())
            if (a.buffer && (view.all || k === view.view)) shown.push({ arg: k, type: a.type, values: elements(a.type, await buffers[order[k]].read()) });
        return { compiled, milliseconds, timer, printed, shown, device: device.name };
    },
};

// What uses the device goes one after the other: runs share buffers, and one that begins would free those of another that is
// under way. Of the runs that wait, only the last is wanted.
let running = Promise.resolve(), newest = 0;
function inTurn(message) {
    newest = message.id;
    const mine = running.then(() => {
        if (message.do !== 'start' && message.id !== newest) throw new Error('another run was asked for');
        return doing[message.do](message);
    });
    running = mine.catch(() => {});
    return mine;
}

onmessage = async ({ data }) => {
    try {
        const reply = await (data.do === 'run' || data.do === 'program' || data.do === 'start' ? inTurn(data) : doing[data.do](data));
        postMessage({ id: data.id, ok: true, ...reply }, (reply.shown ?? []).flatMap(s => s.values.buffer ?? [])); // handed over, not copied
    } catch (e) {
        postMessage({ id: data.id, ok: false, failed: { name: e.name, message: e.message, line: e.line, diagnostics: e.diagnostics, printed: e.printed } });
    }
};
