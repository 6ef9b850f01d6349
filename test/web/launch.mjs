// What a kernel file says about its own launches: `tern run: options`, or several `TEST name: options` (see test/kernels).
import { readFileSync } from 'node:fs';
import { argument, elements, launchOf } from '../../web/play/launch.js';

const filled = launch => ({ ...launch, args: launch.args.map(text => argument(text, readFileSync)) });

export function readLaunches(path) {
    const text = readFileSync(path, 'utf8'), out = [];
    const own = /tern run:(.*)/.exec(text);
    if (own) out.push({ name: '', near: 0, ...filled(launchOf(own[1])) });
    for (const [, name, options, rest] of text.matchAll(/^\/\/ TEST ([^:]*):(.*)\n((?:\/\/ (?!TEST).*\n)*)/gm))
        if (!/EXPECT exit/.test(rest)) out.push({ name: '/' + name, near: Math.max(0, ...[...rest.matchAll(/near ([\d.e+-]+)/g)].map(m => Number(m[1]))), ...filled(launchOf(options)) });
    return out;
}

export { elements };
