// pictures.mjs: doc/pictures anew: the playground with an example that has run, and the page of a profile. Needs `make web`, Chromium
// and playwright (TERN_NODE); BUILD and TERN as for tests.
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { browse, serve } from './chromium.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url)), to = `${root}/doc/pictures`, work = `${process.env.BUILD}/test/pictures`;
mkdirSync(to, { recursive: true });
mkdirSync(work, { recursive: true });
const browser = await browse(), page = await (await browser.newContext({ viewport: { width: 1100, height: 620 } })).newPage();
page.setDefaultTimeout(200000);
const server = await serve();
await page.goto(`${server.url}/?patience=300000`);
await page.waitForFunction(() => document.documentElement.dataset.ready);
await page.waitForFunction(() => playground.last && !playground.busy && !document.getElementById('run').disabled);
await page.screenshot({ path: `${to}/playground.png` });
server.stop();
execFileSync(process.env.TERN, ['prof', '-o', `${work}/page.html`, '--device', 'cpu', 'vector_add.cu'], { cwd: `${root}/examples`, stdio: 'ignore' });
await page.goto(pathToFileURL(`${work}/page.html`).href);
await page.screenshot({ path: `${to}/profile.png` });
await browser.close();
