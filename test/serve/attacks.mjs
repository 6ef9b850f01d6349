// What a page, and what a hostile page or program, can ask of `tern serve`. It must answer, and live on.
import { request } from 'node:http';
import { connect } from 'node:net';
import { readdirSync, readFileSync } from 'node:fs';
import { spawn } from 'node:child_process';

const server = spawn(process.env.TERN, ['serve', '--port', '0'], { stdio: ['ignore', 'pipe', 'inherit'] });
const url = await new Promise((done, fail) => {
    server.stdout.once('data', text => done(String(text).trim()));
    server.once('exit', code => fail(new Error(`tern serve ended with status ${code}`)));
});
const port = Number(new URL(url).port);
const sleep = ms => new Promise(done => setTimeout(done, ms));

function ask(method, path, body, headers = {}) {
    return new Promise((done, fail) => {
        const r = request({ host: '127.0.0.1', port, method, path, headers: { Host: `localhost:${port}`, ...headers } }, reply => {
            const parts = [];
            reply.on('data', part => parts.push(part));
            reply.on('end', () => done({ status: reply.statusCode, body: Buffer.concat(parts) }));
        });
        r.on('error', fail);
        r.end(body);
    });
}

async function compile(question, headers) {
    const { status, body } = await ask('POST', '/compile', JSON.stringify(question), headers);
    if (status !== 200) return { status };
    const n = body.readUInt32LE(0);
    return { status, ...JSON.parse(body.subarray(4, 4 + n).toString()), output: body.subarray(4 + n) };
}

/** Processes that the server has started and that still run. */
const jobs = () => running().length;
function running() {
    return readdirSync('/proc').filter(pid => {
        try {
            const [, state, parent] = /\) (\S) (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
            return Number(parent) === server.pid && state !== 'Z';
        } catch { return false; }
    });
}

const tiles = '#include <cooperative_groups.h>\n__global__ void f(int *x) { auto t = cooperative_groups::tiled_partition<64>(' +
    'cooperative_groups::this_thread_block()); t.sync(); x[threadIdx.x] = t.thread_rank(); }';
const kernel = '__global__ void f(float *x) { x[threadIdx.x] *= 2; }';
// Work for much longer than the server allows: every instantiation makes two more.
const endless = 'template <int N, int M> struct t { static const int v = t<N - 1, 2 * M>::v + t<N - 1, 2 * M + 1>::v; };' +
    'template <int M> struct t<0, M> { static const int v = 1; };' +
    '__global__ void f(int *x) { *x = t<28, 1>::v; }';

async function test(name, run) {
    try {
        const why = await run();
        console.log(why ? `FAIL serve/${name}: ${why}` : `PASS serve/${name}`);
    } catch (e) {
        console.log(`FAIL serve/${name}: ${e.message}`);
    }
}
const same = (got, want) => got === want ? '' : `${got} instead of ${want}`;

await test('page', async () => same((await ask('GET', '/')).status, 200));
await test('compiles', async () => {
    const r = await compile({ source: kernel, to: 'wgsl' });
    return r.ok && r.output.length > 100 ? '' : JSON.stringify(r);
});
await test('diagnoses', async () => {
    const r = await compile({ source: '__global__ void f() { x = 1; }', to: 'wgsl' });
    return !r.ok && r.diagnostics[0].message ? '' : JSON.stringify(r);
});
for (const [name, headers] of Object.entries({
    'other-origin': { Origin: 'http://example.com' },
    'no-origin': { Origin: 'null' },
    'origin-that-starts-like-ours': { Origin: `${url}.example.com` },
    'origin-on-another-port': { Origin: 'http://localhost:1' },
    'cross-site': { 'Sec-Fetch-Site': 'cross-site', 'Content-Type': 'text/plain' },
    'same-site': { 'Sec-Fetch-Site': 'same-site' },
})) await test(`refuses-${name}`, async () => same((await compile({ source: kernel }, headers)).status, 403));
for (const Host of ['example.com', 'localhost.example.com', 'localhost:80.example.com', 'x'])
    await test(`refuses-host-${Host}`, async () => same((await ask('GET', '/', '', { Host })).status, 400));
await test('own-origin', async () => same((await compile({ source: kernel }, { Origin: url, 'Sec-Fetch-Site': 'same-origin' })).status, 200));
await test('too-long', async () => same((await ask('POST', '/compile', '', { 'Content-Length': 1 << 30 })).status, 413));
await test('hostile-options', async () => {
    for (const more of [{ gang: 1000 }, { block: [32, 0, 1] }, { gang: 3, to: 'wasm' }, { level: 0, to: 'wasm' }, { shared: 4294967295 },
        { block: [4294967295, 4294967295, 1] }, { subgroups: 7 }, { budget: 4294967295 }, { bindings: Array(99).fill(255) },
        { source: tiles, level: 0 }])
        for (const to of ['c', 'wasm', 'wgsl', 'spirv', 'ptx']) {
            const r = await compile({ source: kernel, to, ...more });
            if (r.status !== 200 || (!r.ok && !r.diagnostics.length) || /please report/.test(JSON.stringify(r.diagnostics)))
                return `${to} ${JSON.stringify(more)}: ${JSON.stringify(r.diagnostics)}`;
        }
});
await test('options-refused', async () => { // by a message, and not by what becomes of them further on
    for (const [to, more] of [['c', { gang: 1000 }], ['c', { gang: 232 }], ['wasm', { gang: 1000 }], ['wasm', { gang: 3 }],
        ['wasm', { block: [32, 0, 1] }], ['spirv', { block: [32, 0, 1] }], ['spirv', { block: [4294967295, 4294967295, 1] }]]) {
        const r = await compile({ source: kernel, to, ...more });
        if (r.ok || !/a (gang|block) has /.test(JSON.stringify(r.diagnostics)))
            return `${to} ${JSON.stringify(more)}: ${JSON.stringify(r.diagnostics)}`;
    }
});
await test('deep-source', async () => {
    for (const source of [`int x${'[2]'.repeat(110000)};`, '('.repeat(200000), '{'.repeat(200000),
        `__global__ void f(int *x) { *x = ${'-'.repeat(100001)}1; }`]) {
        const r = await compile({ source, to: 'wgsl' });
        if (r.status !== 200 || /please report/.test(JSON.stringify(r.diagnostics)))
            return `${source.slice(0, 20)}: ${JSON.stringify(r.diagnostics)}`;
    }
});
await test('client-leaves', async () => {
    const socket = connect(port, '127.0.0.1'), body = JSON.stringify({ source: endless, to: 'ir' });
    socket.write(`POST /compile HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    for (let k = 0; k < 50 && !jobs(); k++) await sleep(20);
    if (!jobs()) return 'no compilation was started';
    socket.destroy();
    for (let k = 0; k < 100 && jobs(); k++) await sleep(20);
    return same(jobs(), 0);
});
// A compilation has limits of its own that the system keeps, whatever the server is busy with. It sets them when it begins.
await test('job-limits', async () => {
    const socket = connect(port, '127.0.0.1'), body = JSON.stringify({ source: endless, to: 'ir' });
    const sanitized = ['asan', 'tsan'].includes(process.env.CFG); // they reserve more than any limit
    const most = { 'Max cpu time': 20, 'Max core file size': 0, ...sanitized ? {} : { 'Max address space': 1.5 * 2 ** 30 } };
    let wrong = 'no compilation was started';
    socket.write(`POST /compile HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    for (let k = 0; k < 200 && wrong; k++) {
        await sleep(20);
        for (const pid of running()) {
            let text = '';
            try { text = readFileSync(`/proc/${pid}/limits`, 'utf8'); } catch { continue; }
            const of = name => Number(new RegExp(`^${name} +(\\S+)`, 'm').exec(text)?.[1]); // NaN: unlimited
            wrong = Object.keys(most).filter(name => !(of(name) <= most[name])).map(name => `${name}: ${of(name)}`).join(', ');
        }
    }
    socket.destroy();
    for (let k = 0; k < 100 && jobs(); k++) await sleep(20);
    return wrong;
});
await test('few-at-once', async () => {
    const sockets = Array.from({ length: 6 }, () => connect(port, '127.0.0.1')), body = JSON.stringify({ source: endless, to: 'ir' });
    for (const s of sockets) s.write(`POST /compile HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    await sleep(500);
    const most = jobs();
    for (const s of sockets) s.destroy();
    for (let k = 0; k < 100 && jobs(); k++) await sleep(20);
    return most >= 1 && most <= 2 && jobs() === 0 ? '' : `${most} at once, ${jobs()} left`;
});
await test('slow-clients', async () => { // a byte a second, for longer than a head may take
    const sockets = Array.from({ length: 80 }, () => connect(port, '127.0.0.1'));
    let closed = 0;
    for (const s of sockets) { s.on('error', () => {}); s.on('close', () => closed++); }
    for (let k = 0; k < 13; k++) {
        for (const s of sockets) if (!s.destroyed) s.write('G');
        await sleep(1000);
    }
    const r = await ask('GET', '/');
    for (const s of sockets) s.destroy();
    return closed >= 60 ? same(r.status, 200) : `only ${closed} of 80 were closed`;
});
await test('still-there', async () => {
    const r = await compile({ source: kernel, to: 'wgsl' });
    return r.ok && server.exitCode === null ? '' : JSON.stringify(r);
});
server.kill();
