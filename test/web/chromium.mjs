// Chromium with WebGPU on a software GPU, and the playground as `tern serve` serves it.
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';

/** Starts `tern serve`; gives its address and a function that ends it. */
export async function serve(tern = process.env.TERN) {
    const child = spawn(tern, ['serve', '--port', '0'], { stdio: ['ignore', 'pipe', 'inherit'] });
    const url = await new Promise((done, fail) => {
        child.stdout.once('data', text => done(String(text).trim()));
        child.once('exit', code => fail(new Error(`tern serve ended with status ${code}`)));
    });
    return { url, stop: () => child.kill() };
}

export async function browse() {
    const require = createRequire(`${process.env.TERN_NODE ?? process.cwd() + '/build/node'}/package.json`);
    const { chromium } = require('playwright-core');
    return chromium.launch({
        executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', timeout: 120000,
        args: ['--no-sandbox', '--enable-unsafe-webgpu', '--use-webgpu-adapter=swiftshader', '--disable-dev-shm-usage'],
    });
}
