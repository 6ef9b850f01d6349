// check.mjs MODE FILE: whether a recording's tables (MODE tables, bounded) or timeline (MODE trace) say what work.cu did.
import { readFileSync } from 'node:fs';
const [mode, file] = process.argv.slice(2);
const data = JSON.parse(readFileSync(file, 'utf8'));
let wrong = 0;
const must = (what, got, wanted) => {
    if (JSON.stringify(got) !== JSON.stringify(wanted)) {
        console.log(`${what}: ${JSON.stringify(got)}, not ${JSON.stringify(wanted)}`);
        wrong = 1;
    }
};
const counts = (rows) => Object.fromEntries(rows.map((r) => [r.name, r.count]).sort());
const bytes = (rows) => Object.fromEntries(rows.map((r) => [r.name, r.bytes]).sort());

if (mode === 'tables' || mode === 'bounded') {
    const all = mode === 'tables';
    must('kernels', counts(data.kernels), all ? { add_one: 5, scale: 10 } : { scale: 10 });
    must('copies', bytes(data.copies), all
        ? { 'device to device': 131072, 'device to host': 262144, fill: 4096, 'host to device': 262144 }
        : { 'host to device': 262144 });
    must('launches', counts(data.calls).cudaLaunchKernel, all ? 13 : 10);
    must('ranges', counts(data.ranges), all
        ? { all: 1, 'in a domain': 1, launches: 1, 'other "thread"': 1 } : { 'in a domain': 1, launches: 1 });
    if (all) {
        const device = data.memory.find((m) => m.kind === 'device memory');
        must('memory', [device.allocations, device.frees, device.live, device.live_bytes, device.peak_bytes],
            [3, 2, 1, 1024, 262144 + 1024 + 4096]);
    }
    if (all) {
        must('streams', data.streams.reduce((n, s) => n + s.completed, 0),
            [...data.kernels, ...data.copies].reduce((n, r) => n + r.count, 0));
        for (const s of data.streams)
            if (!(s.completed >= s.most_pending && s.most_pending >= 1 && s.busy_ns <= data.span_ns))
                must('stream', s, 'no more pending than completed');
        for (const r of data.kernels)
            if (!(r.occupancy === null || (r.occupancy > 0 && r.occupancy <= 1)) || r.block.length !== 3)
                must('occupancy', r, 'a share');
    }
    for (const r of data.kernels)
        if (!(r.min_ns <= r.mean_ns && r.mean_ns <= r.max_ns && r.total_ns > 0 && r.total_ns <= data.span_ns * r.count))
            must(`times of ${r.name}`, r, 'in order');
} else if (mode === 'counters') {
    const n = 4096, warps = n / 32;
    // by hand; a sector is 32 bytes
    const wanted = {
        saxpy: { launches: 3, flops_32: 3 * 2 * n, load_bytes: 3 * 8 * n, store_bytes: 3 * 4 * n, requests: 3 * 3 * warps, sectors: 3 * 3 * n / 8 },
        dot64: { launches: 1, flops_64: 2 * n + 128, load_bytes: 16 * n, store_bytes: 128 * 8, atomics: 128, sectors: 2 * n / 4 + 4 },
        stride8: { load_bytes: 4 * n, store_bytes: 4 * n, sectors: n + n / 8, flops_32: 0 },
        same: { load_bytes: 4 * n, sectors: warps + n / 8 },
        columns: { shared_bytes: 256, shared_passes: 33, shared_least: 2 },
        padded: { shared_bytes: 256, shared_passes: 2, shared_least: 2 },
        odd: { flops_32: n / 2, load_bytes: 2 * n, sectors: n / 4, branches: warps, divergent: warps },
        third: { flops_32: 32, branches: 3, divergent: 0, store_bytes: 128 },
        halves: { flops_16: n, load_bytes: 2 * n, store_bytes: 2 * n },
        tensor: { flops_16: 2 * 16 * 16 * 16, load_bytes: 2 * 512, store_bytes: 1024 },
    };
    for (const [name, counts] of Object.entries(wanted)) {
        const got = data.counters.find((k) => k.name === name) ?? {};
        for (const [key, value] of Object.entries(counts))
            must(`${key} of ${name}`, got[key], value);
    }
} else if (mode === 'energy') {
    const seconds = data.span_ns / 1e9, price = process.argv[4];
    const of = (name) => data.energy.find((e) => e.source.includes(name)) ?? {};
    // samples begin and end a little beside the recording, by more where the machine is busy
    must('five watts', of('hwmon').joules > 0 && of('hwmon').joules < 5 * (seconds + 5), true);
    must('samples', [of('hwmon').sampled, of('RAPL').sampled], [true, false]);
    must('a counter that stands still', of('RAPL').joules, 0);
    must('a GPU', of('NVML').joules > 0, true);
    const joules = data.energy.reduce((n, e) => n + e.joules, 0);
    const wanted = price.endsWith('/kWh') ? joules / 3.6e6 * parseFloat(price) : seconds / 3600 * parseFloat(price);
    must('cost', Math.abs(data.cost / wanted - 1) < 1e-6, true);
} else if (mode === 'holes') {
    const device = data.memory.find((m) => m.kind === 'device memory');
    must('allocations', [device.allocations, device.frees, device.live], [9, 3, 6]);
    // how many there are depends on where the system maps memory: each is between two live allocations
    must('holes', device.holes >= 0 && device.holes <= 5 && device.holes > 0 === device.hole_bytes > 0, true);
    must('fragmentation', device.fragmentation >= 0 && device.fragmentation < 1, true);
} else if (process.argv[2] === 'diff') {
    const kernels = data.filter((r) => r.kind === 'kernel');
    must('kernels compared', kernels.reduce((n, r) => n + r.after.count, 0), 15);
    must('as many before', kernels.every((r) => r.before.count === r.after.count), true);
    must('verdicts', data.every((r) => ['same', 'faster', 'slower', 'new', 'gone'].includes(r.verdict)), true);
    for (const r of data)
        if (r.before.count && (r.before.low > r.before.median || r.before.high < r.before.median))
            must(`the interval of ${r.name}`, r.before, 'around its median');
} else {
    const events = data.traceEvents;
    const slices = events.filter((e) => e.ph === 'X');
    must('kernels', slices.filter((e) => e.cat === 'kernel').length, 15);
    must('negative times', events.filter((e) => e.ts < 0 || e.dur < 0).length, 0);
    // of one row, slices lie in one another or apart
    const rows = Map.groupBy ? Map.groupBy(slices, (e) => `${e.pid} ${e.tid}`) : new Map();
    if (!Map.groupBy)
        for (const e of slices)
            rows.set(`${e.pid} ${e.tid}`, [...(rows.get(`${e.pid} ${e.tid}`) ?? []), e]);
    for (const [row, list] of rows) {
        const open = [];
        for (const e of list.sort((a, b) => a.ts - b.ts || b.dur - a.dur)) {
            while (open.length && open.at(-1) <= e.ts + 1e-6)
                open.pop();
            if (open.length && e.ts + e.dur > open.at(-1) + 1e-6)
                must(`nesting in row ${row}`, e, 'inside what it starts in');
            open.push(e.ts + e.dur);
        }
    }
    const ids = (ph) => events.filter((e) => e.ph === ph).map((e) => e.id).sort((a, b) => a - b);
    must('arrows end', ids('f'), ids('s'));
    must('arrows', ids('s').length >= 15, true);
    for (const f of events.filter((e) => e.ph === 'f')) {
        const s = events.find((e) => e.ph === 's' && e.id === f.id);
        if (s.ts > f.ts)
            must('an arrow', [s.ts, f.ts], 'forward in time');
    }
    must('spans', [ids('b').length, ids('e').length], [1, 1]);
    must('marks', events.filter((e) => e.ph === 'i').map((e) => e.name), ['half']);
    const named = new Set(events.filter((e) => e.ph === 'M' && e.name === 'thread_name').map((e) => `${e.pid} ${e.tid}`));
    must('rows without a name', [...rows.keys()].filter((r) => !named.has(r)), []);
}
process.exit(wrong);
