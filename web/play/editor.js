// A small editor for CUDA: a text area over its own highlighted copy, with line numbers and diagnostics where they are.
//
// Why our own: the page then needs no bundler and no package, and `make` with a C compiler alone gives all of it. A text
// area brings undo, input methods, touch selection, spell and screen reader behaviour of the platform with it; sources
// here are short enough to be highlighted anew at each key.

const keywords = 'alignas asm auto break case class const constexpr continue default delete do else enum explicit extern for friend goto if inline namespace new noexcept operator private protected public register return sizeof static static_assert struct switch template this typedef typename union using virtual volatile while true false nullptr';
const typeWords = 'void bool char short int long float double signed unsigned size_t half __half uchar4 int2 int3 int4 uint2 uint3 uint4 float2 float3 float4 double2 dim3 int8_t uint8_t int16_t uint16_t int32_t uint32_t int64_t uint64_t';
const builtins = 'threadIdx blockIdx blockDim gridDim warpSize __global__ __device__ __host__ __shared__ __constant__ __managed__ __restrict__ __launch_bounds__ __forceinline__ __noinline__ __syncthreads __syncwarp printf assert';
const kinds = new Map();
for (const [list, kind] of [[keywords, 'k'], [typeWords, 't'], [builtins, 'b']])
    for (const word of list.split(' ')) kinds.set(word, kind);

const token = /(\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$))|("(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?)|(^[ \t]*#[^\n]*)|((?:0[xX][\da-fA-F']+|\.?\d[\w.']*(?:[eE][+-]\d+)?)\w*)|([A-Za-z_]\w*)/gm;
const escapes = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
export const escape = s => s.replace(/[&<>]/g, c => escapes[c]);

function kindOf([, comment, string, directive, number, word], next) {
    if (comment) return 'c';
    if (string) return 's';
    if (directive) return 'd';
    if (number) return 'n';
    return kinds.get(word) ?? (/^(__|atomic)\w+$/.test(word) && next === '(' ? 'b' : null);
}

/** Ranges of colour: [start, end, class]. */
export function highlight(text) {
    const out = [];
    for (const m of text.matchAll(token)) {
        const kind = kindOf(m, text[m.index + m[0].length]);
        if (kind) out.push([m.index, m.index + m[0].length, kind]);
    }
    return out;
}

// Columns count bytes of UTF-8.
function indexInLine(line, column) {
    let bytes = 1, i = 0;
    while (i < line.length && bytes < column) bytes += new TextEncoder().encode(String.fromCodePoint(line.codePointAt(i))).length, i += line.codePointAt(i) > 0xffff ? 2 : 1;
    return i;
}

export class Editor {
    constructor(root, { change, at = () => {} }) {
        root.innerHTML = '<div class="code"><div class="numbers" aria-hidden="true"></div><div class="layers"><pre aria-hidden="true"></pre><textarea spellcheck="false" autocapitalize="off" autocomplete="off" wrap="off" aria-label="CUDA source; Escape, then Tab leaves it"></textarea></div></div>';
        this.numbers = root.querySelector('.numbers');
        this.pre = root.querySelector('pre');
        this.area = root.querySelector('textarea');
        this.marks = [];
        this.drawn = [];
        this.leaving = false;
        this.area.addEventListener('input', () => { this.marks = []; this.draw(); change(); });
        this.area.addEventListener('keydown', e => this.key(e));
        for (const what of ['keyup', 'click', 'focus']) this.area.addEventListener(what, () => at(this.cursor()));
        this.draw();
    }

    get text() { return this.area.value; }
    set text(value) {
        this.area.value = value;
        this.marks = [];
        this.area.setSelectionRange(0, 0);
        this.draw();
    }

    /** Diagnostics, or findings: { severity, line, column, length, message }. */
    mark(list) {
        this.marks = list.filter(d => d.line);
        this.draw();
    }

    show({ line, column = 1 }) {
        const lines = this.text.split('\n'), at = lines.slice(0, line - 1).reduce((n, l) => n + l.length + 1, 0) + indexInLine(lines[line - 1] ?? '', column);
        this.area.focus();
        this.area.setSelectionRange(at, at);
        this.area.closest('#editor').scrollTop = Math.max(0, (line - 4) * 20);
    }

    /** The number of the line that the cursor is in. */
    cursor() {
        return this.text.slice(0, this.area.selectionStart).split('\n').length;
    }

    /** Marks a line; 0: none. */
    light(line) {
        this.pre.querySelector('.lit')?.classList.remove('lit');
        if (line) this.pre.children[line - 1]?.classList.add('lit');
    }

    insert(text) {
        if (!document.execCommand('insertText', false, text)) // keeps undo; not everywhere
            this.area.setRangeText(text, this.area.selectionStart, this.area.selectionEnd, 'end');
        this.area.dispatchEvent(new Event('input'));
    }

    key(e) {
        if (e.key === 'Escape') this.leaving = true;
        else if (e.key === 'Tab' && !this.leaving && !e.shiftKey && !e.ctrlKey && !e.altKey) {
            e.preventDefault();
            this.insert('    ');
        } else if (e.key === 'Enter' && !e.ctrlKey && !e.metaKey) {
            e.preventDefault();
            const before = this.text.slice(0, this.area.selectionStart), line = before.slice(before.lastIndexOf('\n') + 1);
            this.insert('\n' + /^[ \t]*/.exec(line)[0] + (/\{\s*$/.test(line) ? '    ' : ''));
        } else if (e.key !== 'Tab' && e.key !== 'Shift') this.leaving = false;
    }

    draw() {
        const text = this.text, lines = text.split('\n'), colours = highlight(text);
        const bad = new Map();
        for (const m of this.marks) bad.set(m.line, [...(bad.get(m.line) ?? []), m]);
        const html = [];
        let start = 0, k = 0;
        lines.forEach((line, n) => {
            const end = start + line.length, cuts = [];
            while (k < colours.length && colours[k][1] <= start) k++;
            for (let j = k; j < colours.length && colours[j][0] < end; j++)
                cuts.push([Math.max(colours[j][0], start), Math.min(colours[j][1], end), colours[j][2]]);
            html.push(`<div>${this.line(line, start, cuts, bad.get(n + 1) ?? [])}</div>`);
            start = end + 1;
        });
        this.put(html);
        const numbers = lines.map((_, n) => bad.get(n + 1)?.some(m => m.severity === 'error' || m.severity === 'fatal') ? `<span class="bad">${n + 1}</span>` : n + 1).join('\n');
        if (numbers !== this.shownNumbers) this.numbers.innerHTML = this.shownNumbers = numbers;
    }

    /** Only the lines that have changed are made anew: sources of thousands of lines are typed in, too. */
    put(html) {
        const old = this.drawn, most = Math.min(old.length, html.length);
        let first = 0, last = 0;
        while (first < most && old[first] === html[first]) first++;
        while (last < most - first && old[old.length - 1 - last] === html[html.length - 1 - last]) last++;
        const range = document.createRange();
        range.setStart(this.pre, first);
        range.setEnd(this.pre, old.length - last);
        range.deleteContents();
        range.insertNode(range.createContextualFragment(html.slice(first, html.length - last).join('')));
        this.drawn = html;
    }

    line(line, start, cuts, marks) {
        const classes = Array.from({ length: line.length }, () => '');
        for (const [from, to, kind] of cuts) classes.fill(kind, from - start, to - start);
        for (const m of marks) {
            const from = Math.min(indexInLine(line, m.column), Math.max(line.length - 1, 0)), to = Math.max(from + 1, indexInLine(line, m.column + (m.length || 1)));
            for (let i = from; i < Math.min(to, line.length); i++) classes[i] += ` mark ${m.severity}`;
        }
        let html = '';
        for (let i = 0, j; i < line.length; i = j) {
            for (j = i + 1; j < line.length && classes[j] === classes[i];) j++;
            const piece = escape(line.slice(i, j));
            html += classes[i] ? `<span class="${classes[i].trim()}">${piece}</span>` : piece;
        }
        const say = marks.find(m => m.severity === 'error' || m.severity === 'fatal') ?? marks[0];
        return say ? `${html}<span class="say ${say.severity}" title="${escape(say.message).replace(/"/g, '&quot;')}">${escape(say.message)}</span>` : html;
    }
}
