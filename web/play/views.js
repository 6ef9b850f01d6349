// Results as a table, a plot, an image or points.

function range(values) {
    let low = Infinity, high = -Infinity;
    for (const v of values) {
        const n = Number(v);
        if (n < low) low = n;
        if (n > high && n < Infinity) high = n;
    }
    return low < high ? [low, high] : [low === Infinity ? 0 : low - 0.5, (low === Infinity ? 0 : low) + 0.5];
}

const css = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const number = v => typeof v === 'bigint' ? String(v) : Number.isInteger(v) ? String(v) : String(+Number(v).toPrecision(7));

function table(root, values) {
    const columns = Math.min(8, Math.max(1, values.length)), most = 1024, shown = Math.min(values.length, most);
    let html = `<table><tr><th>${Array.from({ length: columns }, (_, k) => `<th>+${k}`).join('')}`;
    for (let i = 0; i < shown; i += columns)
        html += `<tr><th>${i}${Array.from(values.slice(i, Math.min(i + columns, shown)), v => `<td>${number(v)}`).join('')}`;
    root.innerHTML = html + `</table>${values.length > most ? `<p class="quiet">and ${values.length - most} more</p>` : ''}`;
}

/** A width in pixels at which a picture of these proportions is seen whole, where the panel has a height of its own. */
function fitting(root, wanted, proportion) {
    const panel = matchMedia('(min-width: 901px)').matches && root.closest('#panel');
    const room = panel ? panel.getBoundingClientRect().bottom - root.getBoundingClientRect().top - 14 : Infinity;
    return `${Math.floor(Math.min(wanted, Math.max(240, room) * proportion))}px`;
}

function canvasIn(root, width, height, smooth) {
    let canvas = root.querySelector('canvas');
    if (!canvas || canvas.width !== width || canvas.height !== height || canvas.classList.contains('smooth') !== smooth) {
        root.innerHTML = '';
        canvas = document.createElement('canvas');
        Object.assign(canvas, { width, height });
        canvas.classList.toggle('smooth', smooth);
        if (!smooth) canvas.style.width = fitting(root, Math.max(width, Math.min(480, width * Math.ceil(320 / width))), width / height);
        canvas.setAttribute('role', 'img');
        root.append(canvas);
    }
    return canvas;
}

/** The step between round numbers that divide a range: 1, 2 or 5 times a power of ten. */
function stepOf(low, high) {
    const rough = (high - low) / 5, power = 10 ** Math.floor(Math.log10(rough));
    return power * [1, 2, 5, 10].find(k => k * power >= rough);
}

function ticks(low, high) {
    const step = stepOf(low, high), out = [];
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
        g.fillText(number(v), left - 6 * devicePixelRatio, at.y(v) + 4 * devicePixelRatio);
    }
    for (const v of ticks(x0, x1)) {
        g.textAlign = at.x(v) - left < 20 ? 'left' : w - at.x(v) < 20 * devicePixelRatio ? 'right' : 'center';
        g.fillText(number(v), at.x(v), h - 6 * devicePixelRatio);
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
    for (let i = 0; i < values.length; i++) g.lineTo(at.x(i), at.y(Number(values[i])));
    g.stroke();
}

// Black, violet, orange, light yellow: rising lightness, also without colours.
const stops = [[0, 0, 4], [40, 11, 84], [101, 21, 110], [159, 42, 99], [212, 72, 66], [245, 125, 21], [250, 193, 39], [252, 255, 164]];
const ramp = Uint32Array.from({ length: 256 }, (_, i) => {
    const t = i / 255 * (stops.length - 1), k = Math.min(Math.floor(t), stops.length - 2), f = t - k;
    const [r, g, b] = stops[k].map((c, n) => Math.round(c + (stops[k + 1][n] - c) * f));
    return 0xff000000 | b << 16 | g << 8 | r;
});

function image(root, values, how) {
    const width = how.width || Math.ceil(Math.sqrt(values.length)), height = Math.max(1, Math.ceil(values.length / width));
    const canvas = canvasIn(root, width, height, false), g = canvas.getContext('2d'), data = g.createImageData(width, height), out = new Uint32Array(data.data.buffer);
    canvas.setAttribute('aria-label', `image of ${width} by ${height} values`);
    if (how.as === 'rgba') out.set(values.subarray ? values.subarray(0, out.length) : values);
    else {
        const [low, high] = how.low !== undefined ? [how.low, how.high] : range(values), scale = 255 / (high - low);
        for (let i = 0; i < values.length; i++) out[i] = ramp[Math.max(0, Math.min(255, Math.round((Number(values[i]) - low) * scale)))];
    }
    g.putImageData(data, 0, 0);
}

function points(root, values, how) {
    const side = Math.round(Math.min(480, Math.max(280, root.clientWidth)) * devicePixelRatio), stride = how.stride || 2;
    const canvas = canvasIn(root, side, side, false), g = canvas.getContext('2d');
    canvas.style.width = fitting(root, side / devicePixelRatio, 1);
    canvas.setAttribute('aria-label', `${Math.floor(values.length / stride)} points`);
    const [cx, cy] = how.centre ?? [0, 0], r = how.range || 1;
    g.fillStyle = css('--back');
    g.fillRect(0, 0, side, side);
    g.fillStyle = css('--accent');
    g.globalAlpha = 0.75;
    const dot = 2 * devicePixelRatio;
    for (let i = 0; i + stride <= values.length; i += stride) {
        const x = Number(values[i + (how.x || 0)]), y = Number(values[i + (how.y ?? 1)]);
        g.fillRect(side * (0.5 + (x - cx) / (2 * r)) - dot / 2, side * (0.5 - (y - cy) / (2 * r)) - dot / 2, dot, dot);
    }
    g.globalAlpha = 1;
}

export const viewNames = ['table', 'plot', 'image', 'rgba', 'points'];

/** Draws values into an element. */
export function draw(root, values, how) {
    if (how.as === 'plot') plot(root, values);
    else if (how.as === 'image' || (how.as === 'rgba' && values instanceof Uint32Array)) image(root, values, how);
    else if (how.as === 'points') points(root, values, how);
    else table(root, values);
}
