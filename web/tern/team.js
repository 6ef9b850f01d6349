// Threads of the engine that run blocks beside the one that launches them, where memory can be shared: Web Workers in a page
// that is cross-origin isolated, worker_threads in Node.
import { ACTIVE, CONTROL_BYTES, LAUNCH, NEXT, USED, parts, run } from './blocks.js';

export const MOST_THREADS = 32;
const node = typeof process === 'object' && !!process.versions?.node;
const builtin = name => import(/* webpackIgnore: true */ /* @vite-ignore */ `node:${name}`); // bundlers for pages would look for it

/** How many threads run blocks, where `wish` says no number: 1 where memory cannot be shared. */
export async function threadsFor(wish) {
    if (typeof SharedArrayBuffer !== 'function' || (!node && !globalThis.crossOriginIsolated)) return 1;
    const cores = () => node ? builtin('os').then(os => os.availableParallelism?.() ?? os.cpus().length) : navigator.hardwareConcurrency || 1;
    return Math.min(wish ?? await cores(), MOST_THREADS);
}

async function startWorker(hear) {
    if (!node) {
        const worker = new Worker(new URL('./thread.js', import.meta.url), { type: 'module' }); // written so that bundlers see it
        worker.onmessage = ({ data }) => hear(data);
        worker.onerror = e => hear({ lost: e.message || 'it could not be started' });
        return { post: m => worker.postMessage(m), end: () => worker.terminate(), rest() {} };
    }
    const worker = new (await builtin('worker_threads')).Worker(new URL(/* webpackIgnore: true */ './thread.js', import.meta.url));
    worker.on('message', hear);
    worker.on('error', e => hear({ lost: e.message }));
    return { post: m => worker.postMessage(m), end: () => worker.terminate(), rest: () => worker.unref() };
}

export class Team {
    constructor(threads) {
        Object.assign(this, { threads, control: new Int32Array(new SharedArrayBuffer(CONTROL_BYTES)), workers: null, launches: 0, told: null });
    }

    /** The other threads, started when they are first needed; as many as could be. */
    async start() {
        return this.workers ??= Promise.all(Array.from({ length: this.threads - 1 }, () => new Promise(resolve => {
            const made = startWorker(message => {
                if (message.ready) made.then(w => (w.rest(), resolve(w)));
                else if (message.lost) resolve(null);
                else if (message.launch === this.launches) this.told?.(message);
            });
            made.then(w => w.post({ control: this.control }), () => resolve(null));
        }))).then(all => all.filter(Boolean).map(w => ({ ...w, knows: new Set() })));
    }

    /** Runs a grid: { id, module, memory, entry, exports, at } with a launch for each thread at at[k]. Gives { status, used }. */
    async launch({ id, module, memory, entry, exports, at }, grid) {
        const workers = await this.start(), { control } = this, cut = parts(grid, workers.length + 1), launch = ++this.launches;
        let told = null;
        this.told = message => told ??= message;
        for (const word of [NEXT, USED]) Atomics.store(control, word, 0);
        Atomics.store(control, LAUNCH, launch);
        workers.forEach((w, k) => {
            w.post({ launch, id, entry, at: at[k + 1], grid, cut, ...(w.knows.has(id) ? {} : { module, memory }) });
            w.knows.add(id);
        });
        let status = 0, error = null;
        try {
            status = run(control, exports[entry], memory, at[0], grid, cut);
        } catch (e) {
            error = e.message;
        }
        Atomics.store(control, LAUNCH, 0);
        await this.settle();
        for (let k = 0; !status && error === null && Atomics.load(control, NEXT) >= 1 << 30 && !told && k < 1000; k++) await new Promise(r => setTimeout(r)); // its message is on the way
        return { status: status || told?.status || 0, error: error ?? told?.error ?? null, used: Atomics.load(control, USED) };
    }

    /** Until nobody is at the launch any more. */
    async settle() {
        for (let n; (n = Atomics.load(this.control, ACTIVE)) > 0;)
            try {
                Atomics.wait(this.control, ACTIVE, n, 1000);
            } catch { // the page's own thread must not wait
                const later = Atomics.waitAsync?.(this.control, ACTIVE, n, 1000);
                await (later?.async ? later.value : new Promise(r => setTimeout(r)));
            }
    }

    forget(ids) {
        this.workers?.then(all => all.forEach(w => {
            w.post({ drop: ids });
            for (const id of ids) w.knows.delete(id);
        }));
    }

    free() {
        this.workers?.then(all => all.forEach(w => w.end()));
        this.workers = null;
    }
}
