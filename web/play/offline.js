// The page without a network: everything it may need is kept when it has come once. What the network has goes first, so that
// nobody runs yesterday's compiler.
const KEEP = 'tern-1';
const files = ['./', 'main.js', 'worker.js', 'editor.js', 'launch.js', 'views.js', 'console.js', 'output.js', 'spirv.js', 'style.css', 'tern.svg', 'help.html',
    'tern/tern.wasm', 'tern/tern-host.wasm', ...['abi', 'away', 'blocks', 'compiler', 'cpu', 'errors', 'gpu', 'index', 'libc', 'library', 'limits', 'memory', 'print', 'program', 'runtime', 'simd', 'space', 'stdio', 'subgroups', 'team', 'texture', 'thread'].map(name => `tern/${name}.js`),
    ...['vector_add', 'gemm', 'reduction', 'mandelbrot', 'nbody', 'heat', 'life', 'softmax', 'black_scholes', 'fft', 'lorenz'].map(name => `examples/${name}.cu`)];

addEventListener('install', e => e.waitUntil(caches.open(KEEP).then(async kept => {
    await Promise.all(files.map(file => kept.add(new Request(file, { cache: 'no-cache' })).catch(() => {}))); // one that is not there is not missed here
    await skipWaiting();
})));

addEventListener('activate', e => e.waitUntil(caches.keys().then(all => Promise.all(all.filter(name => name !== KEEP).map(name => caches.delete(name))))));

addEventListener('fetch', e => {
    if (e.request.method !== 'GET' || new URL(e.request.url).origin !== location.origin) return;
    e.respondWith((async () => {
        try {
            const answer = await fetch(e.request);
            if (answer.ok) (await caches.open(KEEP)).put(e.request, answer.clone()).catch(() => {});
            return answer;
        } catch (why) {
            const kept = await caches.match(e.request, { ignoreSearch: true });
            if (kept) return kept;
            throw why;
        }
    })());
});
