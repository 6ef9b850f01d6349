// Code that came out of the compiler, coloured, with the line of the source that each of its lines stands for. The compiler
// says where it is in the words of each language: `// line 7`, #line 7, .loc 1 7 1, !7:3.
import { escape, highlight } from './editor.js';

const words = {
    wgsl: /\b(fn|let|var|const|override|struct|if|else|loop|for|while|switch|case|default|break|continue|return|enable|alias|true|false)\b|\b(u32|i32|f32|f16|bool|vec[234]|array|atomic|ptr)\b|(@\w+)/g,
    ir: /\b(kernel|func|global|module|br|condbr|switch|ret|split|join|call)\b|\b(i1|i8|i16|i32|i64|f16|bf16|f32|f64|ptr(?:\.\w+)?)\b|(%[\w.]+|@[\w.$]+)/g,
    ptx: /(\.(?:visible|entry|func|version|target|address_size|reg|param|shared|global|const|align|loc|file)\b)|(\.(?:[busf]\d+|pred)\b)|(%\w+)/g,
    spirv: /\b(Op\w+)\b|("(?:[^"]*)")|(%\w+)/g,
};
const general = /(\/\/[^\n]*|;[^\n]*$)|\b((?:0x[\da-f]+|\d[\w.]*))\b/gim;

/** Ranges of colour in one line: [start, end, class]. */
function colours(line, tab) {
    const out = [], taken = (from, to) => out.some(([a, b]) => from < b && to > a);
    for (const m of line.matchAll(general)) if (m[1] && (m[1][0] === '/' || tab === 'spirv')) out.push([m.index, m.index + m[0].length, 'c']);
    for (const m of line.matchAll(words[tab])) if (!taken(m.index, m.index + m[0].length)) out.push([m.index, m.index + m[0].length, m[1] ? 'k' : m[2] ? 't' : 'b']);
    for (const m of line.matchAll(general)) if (m[2] && !taken(m.index, m.index + m[0].length)) out.push([m.index, m.index + m[0].length, 'n']);
    return out.sort(([a], [b]) => a - b);
}

function html(line, cuts, start = 0) {
    let out = '', at = 0;
    for (const [from, to, kind] of cuts) {
        const a = Math.max(from - start, 0), b = Math.min(to - start, line.length);
        if (b <= at || a >= line.length) continue;
        out += escape(line.slice(at, a)) + `<span class="${kind}">${escape(line.slice(a, b))}</span>`;
        at = b;
    }
    return out + escape(line.slice(at));
}

/** The text without the words that say where it is from, and for each of its lines the source's line or 0. */
export function mapped(text, tab, path = 'kernel.cu') {
    const lines = [], from = [];
    let now = 0, file = null, own = true, header = false;
    const put = (line, at) => { lines.push(line); from.push(at); };
    for (const line of text.split('\n')) {
        let m;
        if (tab === 'c' && (m = /^#line (\d+) "(.*)"$/.exec(line))) now = m[2] === path ? Number(m[1]) : now;
        else if (tab === 'ptx' && (m = /^\s*\.loc (\d+) (\d+) \d+$/.exec(line))) now = (own = file === null || m[1] === file) ? Number(m[2]) : now;
        else if (tab === 'wgsl' && (m = /^(.*) \/\/ line (\d+)$/.exec(line))) put(m[1], Number(m[2]));
        else if (tab === 'ir') {
            if (/^(func|kernel) /.test(line)) header = /\[.*\bweak\b.*\]/.test(line); // of a header: its lines are another file's
            m = /^(.*?)((?: !\d+:\d+)+)$/.exec(line);
            put(m ? m[1] : line, m && !header ? Number(/!(\d+)/.exec(m[2])[1]) : 0);
        } else {
            if (tab === 'ptx' && (m = /^\s*\.file\s+(\d+)\s+"(.*)"/.exec(line)) && m[2] === path) file = m[1];
            if (/^[}\w@.]/.test(line) && !/^\s/.test(line) && tab !== 'ptx') now = 0; // between functions
            if (tab === 'ptx' && /^}/.test(line)) now = 0;
            put(line, now);
        }
    }
    return { lines, from };
}

/** An element with the code; `show` is told which line of the source the pointer is on, and `light` marks what came of one. */
export function codeView(text, tab, show) {
    const pre = document.createElement('pre'), { lines, from } = mapped(text, tab), whole = tab === 'c' ? highlight(lines.join('\n')) : null;
    let start = 0, k = 0;
    pre.className = 'out';
    pre.innerHTML = lines.map((line, n) => {
        let cuts;
        if (whole) {
            while (k < whole.length && whole[k][1] <= start) k++;
            cuts = [];
            for (let j = k; j < whole.length && whole[j][0] < start + line.length; j++) cuts.push(whole[j]);
        } else cuts = colours(line, tab);
        const out = `<div${from[n] ? ` data-line="${from[n]}" title="line ${from[n]} of the source"` : ''}>${html(line, cuts, whole ? start : 0)}\n</div>`;
        start += line.length + 1;
        return out;
    }).join('');
    pre.addEventListener('mouseover', e => show(Number(e.target.closest('div[data-line]')?.dataset.line ?? 0)));
    pre.addEventListener('mouseleave', () => show(0));
    pre.addEventListener('click', e => { const line = Number(e.target.closest('div[data-line]')?.dataset.line ?? 0); if (line && getSelection().isCollapsed) show(line, true); });
    return {
        element: pre, plain: lines.join('\n'),
        light(line) {
            for (const d of pre.querySelectorAll('.lit')) d.classList.remove('lit');
            const found = line ? pre.querySelectorAll(`[data-line="${line}"]`) : [];
            for (const d of found) d.classList.add('lit');
            found[0]?.scrollIntoView({ block: 'nearest' });
        },
    };
}
