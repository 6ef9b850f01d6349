// A thread of a team (team.js): waits for launches, makes instances of their modules on the shared memory, runs blocks.
import { ACTIVE, LAUNCH, run } from './blocks.js';

const port = typeof process === 'object' ? (await import(/* webpackIgnore: true */ /* @vite-ignore */ `node:${'worker_threads'}`)).parentPort : null;
const post = message => port ? port.postMessage(message) : postMessage(message);
const instances = new Map();
let control = null;

function launch({ launch, id, module, memory, entry, at, grid, cut }) {
    if (module) instances.set(id, { memory, exports: new WebAssembly.Instance(module, { tern: { memory } }).exports });
    const one = instances.get(id);
    Atomics.add(control, ACTIVE, 1);
    try { // only if that launch is still on: its memory may be another's by now
        if (Atomics.load(control, LAUNCH) === launch) {
            const status = run(control, one.exports[entry], one.memory, at, grid, cut);
            if (status) post({ launch, status });
        }
    } catch (e) {
        post({ launch, error: e.message });
    } finally {
        Atomics.sub(control, ACTIVE, 1);
        Atomics.notify(control, ACTIVE);
    }
}

function hear(message) {
    if (message.control) {
        control = message.control;
        post({ ready: true });
    } else if (message.drop) {
        for (const id of message.drop) instances.delete(id);
    } else {
        launch(message);
    }
}
if (port) port.on('message', hear);
else onmessage = ({ data }) => hear(data);
