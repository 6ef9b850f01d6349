// Device printf of the package against the table that the C side is tested with: test/unit/format.def.
import { readFileSync } from 'node:fs';
import { format } from '../../web/tern/print.js';

const table = readFileSync(new URL('../unit/format.def', import.meta.url), 'utf8');
const row = /^FORMAT\(("(?:[^"\\]|\\.)*"), ("[^"]*"), ("(?:[^"\\]|\\.)*")\)$/gm;
const argument = word => {
    const bits = BigInt.asUintN(64, BigInt('0x' + word)), view = new DataView(new ArrayBuffer(8));
    view.setBigUint64(0, bits, true);
    return { u: view.getUint32(0, true), i: view.getInt32(0, true), l: view.getBigInt64(0, true), d: view.getFloat64(0, true) };
};
let rows = 0;
const wrong = [];
for (const [, f, words, want] of table.matchAll(row)) {
    const args = JSON.parse(words).split(' ').filter(Boolean).map(argument);
    const got = format(JSON.parse(f), args, a => a.u === 7 ? 'seven' : '');
    if (got !== JSON.parse(want)) wrong.push(`${f} gives ${JSON.stringify(got)}, not ${want}`);
    rows++;
}
if (rows < 20) wrong.push(`only ${rows} rows were read`);
console.log(wrong.length ? `FAIL package/printf: ${wrong.join('; ')}` : 'PASS package/printf');
