// Results as a table, a plot, an image or points. However many there are, the page does not stand still for them.

/** The least and the largest of the numbers that are finite, a little apart. */
function range(values, first = 0, stride = 1) {
    let low = Infinity, high = -Infinity;
    for (let i = first; i < values.length; i += stride) {
        const n = Number(values[i]);
        if (n < low && n > -Infinity) low = n;
        if (n > high && n < Infinity) high = n;
    }
    if (low > high) return [-0.5, 0.5];
    const apart = Math.abs(low) * 1e-9 || 0.5; // where they are all the same
    return high - low > 1e-12 * Math.abs(low) ? [low, high] : [low - apart, high + apart];
}

const css = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const number = (v, digits = 7) => typeof v === 'bigint' || Number.isInteger(v) ? String(v) : String(+Number(v).toPrecision(digits));
const short = v => Math.abs(v) < 1e6 ? number(v) : v.toExponential(6).replace(/\.?0*e\+?/, 'e'); // fits beside an axis
const note = (root, text) => text && root.insertAdjacentHTML('beforeend', `<p class="quiet">${text}</p>`);
const count = n => n.toLocaleString('en').replace(/,/g, '\u202f');

function table(root, values) {
    const long = values.BYTES_PER_ELEMENT === 8, columns = Math.min(long ? 4 : 8, Math.max(1, values.length)), most = 1024, shown = Math.min(values.length, most), digits = long ? 15 : 7;
    let html = `<table><tr><th>${Array.from({ length: columns }, (_, k) => `<th>+${k}`).join('')}`;
    for (let i = 0; i < shown; i += columns)
        html += `<tr><th>${i}${Array.from(values.slice(i, Math.min(i + columns, shown)), v => `<td>${number(v, digits)}`).join('')}`;
    root.innerHTML = html + '</table>';
    note(root, values.length > most && `and ${count(values.length - most)} more`);
}

/** The width in pixels at which a picture of these proportions is seen whole, where the panel has a height of its own. */
function fitting(root, wanted, proportion) {
    const panel = matchMedia('(min-width: 901px)').matches && root.closest('#panel');
    const room = panel ? panel.getBoundingClientRect().bottom - root.getBoundingClientRect().top - 14 : Infinity;
    return Math.floor(Math.min(wanted, Math.max(240, room) * proportion, root.clientWidth || wanted));
}

/** What is under the pointer, said below the drawing: `say` gets the place in pixels of the canvas. */
function tell(canvas, say) {
    const tip = canvas.tip ??= canvas.parentNode.appendChild(Object.assign(document.createElement('output'), { className: 'tip' }));
    canvas.onpointermove = e => {
        const box = canvas.getBoundingClientRect();
        tip.textContent = say((e.clientX - box.left) * canvas.width / box.width, (e.clientY - box.top) * canvas.height / box.height);
    };
    canvas.onpointerleave = () => { tip.textContent = ''; };
}

function canvasIn(root, width, height, smooth) {
    let canvas = root.querySelector('canvas');
    if (!canvas || canvas.width !== width || canvas.height !== height || canvas.classList.contains('smooth') !== smooth) {
        root.innerHTML = '';
        canvas = document.createElement('canvas');
        Object.assign(canvas, { width, height });
        canvas.classList.toggle('smooth', smooth);
        canvas.setAttribute('role', 'img');
        root.append(canvas);
    }
    if (!smooth) { // all values the same number of pixels wide, where there is room for two or more
        const wide = fitting(root, Math.max(width, Math.min(480, width * Math.ceil(320 / width))), width / height), times = Math.floor(wide * devicePixelRatio / width);
        canvas.style.width = `${times > 1 ? times * width / devicePixelRatio : wide}px`;
    }
    return canvas;
}

/** The step between round numbers that divide a range: 1, 2 or 5 times a power of ten. */
function stepOf(low, high) {
    const rough = (high - low) / 5, power = 10 ** Math.floor(Math.log10(rough));
    return power * [1, 2, 5, 10].find(k => k * power >= rough);
}

function ticks(low, high, least = 0) {
    const step = Math.max(stepOf(low, high), least), out = [];
    for (let k = Math.ceil(low / step - 1e-9); k <= high / step + 1e-9 && out.length < 9; k++) out.push(+(k * step).toPrecision(10));
    return out;
}

function axes(g, w, h, [x0, x1], [y0, y1], left) {
    g.clearRect(0, 0, w, h);
    g.font = `${11 * devicePixelRatio}px system-ui`;
    g.fillStyle = css('--quiet');
    g.strokeStyle = css('--line');
    g.lineWidth = devicePixelRatio;
    g.textAlign = 'right';
    const foot = 22 * devicePixelRatio, top = 8 * devicePixelRatio;
    const at = { x: v => left + (w - left) * (v - x0) / (x1 - x0), y: v => h - foot - (h - foot - top) * (v - y0) / (y1 - y0) };
    for (const v of ticks(y0, y1)) {
        g.beginPath();
        g.moveTo(left, at.y(v));
        g.lineTo(w, at.y(v));
        g.stroke();
        g.fillText(short(v), left - 6 * devicePixelRatio, at.y(v) + 4 * devicePixelRatio);
    }
    for (const v of ticks(x0, x1, 1)) {
        g.textAlign = at.x(v) - left < 20 ? 'left' : w - at.x(v) < 20 * devicePixelRatio ? 'right' : 'center';
        g.fillText(short(v), at.x(v), h - 6 * devicePixelRatio);
    }
    return at;
}

function plot(root, values) {
    const w = Math.max(280, root.clientWidth) * devicePixelRatio, h = Math.round(Math.min(w * 0.5, 340 * devicePixelRatio));
    const canvas = canvasIn(root, Math.round(w), h, true), g = canvas.getContext('2d');
    const [low, high] = range(values), step = stepOf(low, high), rows = step > 0 ? [Math.floor(low / step) * step, Math.ceil(high / step) * step] : [low, high];
    const at = axes(g, canvas.width, h, [0, Math.max(values.length - 1, 1)], rows, 64 * devicePixelRatio);
    canvas.setAttribute('aria-label', `plot of ${values.length} values`);
    g.strokeStyle = css('--accent');
    g.lineWidth = 1.5 * devicePixelRatio;
    g.lineJoin = 'round';
    g.beginPath();
    const n = values.length, columns = Math.min(n, 2 * canvas.width);
    for (let c = 0, joined = false; c < columns; c++) { // one value, or the least and the largest of as many as there is no room for
        const from = Math.floor(c * n / columns), to = Math.floor((c + 1) * n / columns);
        const ends = to === from + 1 ? [Number(values[from])] : range(values.subarray?.(from, to) ?? values.slice(from, to));
        for (const v of ends) {
            joined &&= Number.isFinite(v); // NaN and infinity are gaps
            if (joined) g.lineTo(at.x(from), at.y(v));
            else if ((joined = Number.isFinite(v))) g.moveTo(at.x(from), at.y(v)), g.lineTo(at.x(from) + 0.01, at.y(v));
        }
    }
    g.lineCap = 'round'; // of a single value, a dot
    g.stroke();
    tell(canvas, x => { const k = Math.round((x - 64 * devicePixelRatio) / (canvas.width - 64 * devicePixelRatio) * (n - 1)); return k >= 0 && k < n ? `[${k}] = ${number(values[k], 9)}` : ''; });
}

// Black, violet, orange, light yellow: rising lightness, also without colours.
const stops = [[0, 0, 4], [40, 11, 84], [101, 21, 110], [159, 42, 99], [212, 72, 66], [245, 125, 21], [250, 193, 39], [252, 255, 164]];
const ramp = Uint32Array.from({ length: 256 }, (_, i) => {
    const t = i / 255 * (stops.length - 1), k = Math.min(Math.floor(t), stops.length - 2), f = t - k;
    const [r, g, b] = stops[k].map((c, n) => Math.round(c + (stops[k + 1][n] - c) * f));
    return 0xff000000 | b << 16 | g << 8 | r;
});

const MOST_PIXELS = 1 << 24, MOST_WIDE = 8192; // what every browser draws

function image(root, values, how) {
    const width = Math.min(how.width || Math.ceil(Math.sqrt(values.length)) || 1, MOST_WIDE), rows = Math.max(1, Math.ceil(values.length / width)), height = Math.min(rows, MOST_WIDE, Math.floor(MOST_PIXELS / width));
    const canvas = canvasIn(root, width, height, false), g = canvas.getContext('2d'), data = g.createImageData(width, height), out = new Uint32Array(data.data.buffer);
    const n = Math.min(values.length, out.length);
    canvas.setAttribute('aria-label', `image of ${width} by ${height} values`);
    if (how.as === 'rgba') out.set(values.subarray(0, n));
    else {
        const [low, high] = how.low !== undefined ? [how.low, how.high] : range(values), scale = 255 / (high - low);
        for (let i = 0; i < n; i++) out[i] = ramp[Math.max(0, Math.min(255, Math.round((Number(values[i]) - low) * scale)))];
    }
    g.putImageData(data, 0, 0);
    tell(canvas, (x, y) => { const k = Math.floor(y) * width + Math.floor(x); return k >= 0 && k < n ? `[${k}] row ${Math.floor(y)}, column ${Math.floor(x)}: ${how.as === 'rgba' ? `#${(values[k] >>> 0).toString(16).padStart(8, '0')}` : number(values[k], 9)}` : ''; });
    root.querySelector('p')?.remove();
    note(root, height < rows && `the first ${count(height)} of ${count(rows)} rows`);
}

const MOST_POINTS = 1 << 17;

function points(root, values, how) {
    const side = Math.round(Math.min(480, Math.max(280, root.clientWidth)) * devicePixelRatio), stride = how.stride || 2, n = Math.floor(values.length / stride);
    const canvas = canvasIn(root, side, side, false), g = canvas.getContext('2d'), columns = [how.x ?? 0, how.y ?? 1];
    canvas.style.width = `${fitting(root, side / devicePixelRatio, 1)}px`;
    canvas.setAttribute('aria-label', `${n} points`);
    const around = columns.map(k => range(values, k, stride)); // where nobody says which part of the plane is looked at: all of it
    const [cx, cy] = how.centre ?? (how.range ? [0, 0] : around.map(([low, high]) => (low + high) / 2));
    const r = how.range || 0.52 * Math.max(...around.map(([low, high]) => high - low));
    g.fillStyle = css('--back');
    g.fillRect(0, 0, side, side);
    g.fillStyle = css('--accent');
    g.globalAlpha = 0.75;
    const dot = 2 * devicePixelRatio, step = stride * Math.ceil(n / MOST_POINTS);
    for (let i = 0; i + stride <= values.length; i += step) {
        const [x, y] = columns.map(k => Number(values[i + k]));
        g.fillRect(side * (0.5 + (x - cx) / (2 * r)) - dot / 2, side * (0.5 - (y - cy) / (2 * r)) - dot / 2, dot, dot);
    }
    g.globalAlpha = 1;
    tell(canvas, (px, py) => {
        const x = cx + (px / side - 0.5) * 2 * r, y = cy - (py / side - 0.5) * 2 * r;
        let best = -1, near = (8 * r / side * devicePixelRatio) ** 2;
        for (let i = 0; i + stride <= values.length; i += step) {
            const d = (Number(values[i + columns[0]]) - x) ** 2 + (Number(values[i + columns[1]]) - y) ** 2;
            if (d < near) [best, near] = [i, d];
        }
        return best < 0 ? '' : `[${best / stride}] ${Array.from(values.slice(best, best + stride), v => number(v, 6)).join(', ')}`;
    });
    root.querySelector('p')?.remove();
    note(root, step > stride && `every ${count(step / stride)}th of ${count(n)} points`);
}

export const viewNames = ['table', 'plot', 'image', 'rgba', 'points'];

/** Draws values into an element. */
export function draw(root, values, how) {
    const colours = how.as === 'rgba' && ArrayBuffer.isView(values) && !/^Float/.test(values.constructor.name);
    if (how.as === 'plot') plot(root, values);
    else if (colours) image(root, new Uint32Array(values.buffer, values.byteOffset, values.byteLength >> 2), how);
    else if (how.as === 'image' || how.as === 'rgba') image(root, values, { ...how, as: 'image' });
    else if (how.as === 'points') points(root, values, how);
    else table(root, values);
}
