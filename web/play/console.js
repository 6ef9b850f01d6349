// What a whole program said and wrote: its output as it comes, pictures, files to download.

const most = 400000; // characters that are shown; a program may say more than a page can hold

/** A netpbm picture (P1 to P6) as { width, height, pixels }; null: it is none. */
export function netpbm(bytes) {
    if (bytes[0] !== 80 || bytes[1] < 49 || bytes[1] > 54) return null;
    const kind = bytes[1] - 48, color = kind === 3 || kind === 6, plain = kind < 4, bits = kind === 1 || kind === 4;
    let at = 2;
    const next = () => {
        for (;;) {
            while (at < bytes.length && bytes[at] <= 32) at++;
            if (bytes[at] !== 35) break;
            while (at < bytes.length && bytes[at] !== 10) at++;
        }
        let n = 0, digits = 0;
        for (; bytes[at] >= 48 && bytes[at] <= 57 && !(kind === 1 && digits && width); at++, digits++) n = 10 * n + bytes[at] - 48;
        return digits ? n : NaN;
    };
    let width = 0;
    const w = next(), h = next(), high = bits ? 1 : next();
    if (!(w > 0 && h > 0 && high > 0 && high < 65536 && w * h <= 1 << 26)) return null;
    width = w;
    at++;
    const pixels = new Uint8ClampedArray(4 * w * h), wide = high > 255, row = Math.ceil(w / 8);
    for (let y = 0, k = 0; y < h; y++)
        for (let x = 0; x < w; x++, k += 4) {
            const one = () => bits ? 1 - (plain ? next() : bytes[at + y * row + (x >> 3)] >> 7 - (x & 7) & 1) : plain ? next() : wide ? bytes[at++] << 8 | bytes[at++] : bytes[at++];
            const r = 255 * one() / high, g = color ? 255 * one() / high : r, b = color ? 255 * one() / high : r;
            pixels.set([r, g, b, 255], k);
        }
    return { width: w, height: h, pixels };
}

const pictures = { png: 'image/png', jpg: 'image/jpeg', jpeg: 'image/jpeg', gif: 'image/gif', bmp: 'image/bmp', webp: 'image/webp', svg: 'image/svg+xml' };

function picture(name, bytes, element) {
    const found = netpbm(bytes), type = pictures[name.split('.').pop().toLowerCase()];
    if (found) {
        const canvas = element('canvas', { width: found.width, height: found.height });
        canvas.setAttribute('role', 'img');
        canvas.setAttribute('aria-label', `${name}, ${found.width} by ${found.height}`);
        canvas.getContext('2d').putImageData(new ImageData(found.pixels, found.width, found.height), 0, 0);
        return canvas;
    }
    return type ? element('img', { src: URL.createObjectURL(new Blob([bytes], { type })), alt: name }) : null;
}

function save(name, bytes, element) {
    const url = URL.createObjectURL(new Blob([bytes]));
    element('a', { href: url, download: name.split('/').pop() }).click();
    setTimeout(() => URL.revokeObjectURL(url), 1000);
}

/** The console of one run. */
export class Console {
    constructor(element) {
        this.element = element;
        this.text = element('pre', { className: 'console' });
        this.text.setAttribute('aria-label', 'output');
        this.after = element('div', { className: 'files' });
        this.root = element('div', {}, this.text, this.after);
        this.length = 0;
    }

    write(text, stream) {
        if (this.length > most) return;
        this.length += text.length;
        const shown = this.length > most ? `${text.slice(0, most - this.length + text.length)}\n… and more, which is not shown` : text, last = this.text.lastChild;
        if (last && last.dataset.stream === stream) last.append(shown);
        else {
            const part = this.element('span', { textContent: shown, className: stream });
            part.dataset.stream = stream;
            this.text.append(part);
        }
    }

    end(line, files = {}) {
        const { element } = this;
        this.after.append(element('p', { className: 'quiet', textContent: line }));
        for (const [name, bytes] of Object.entries(files)) {
            const shown = picture(name, bytes, element);
            this.after.append(element('div', { className: 'file' }, element('div', { className: 'views' }, element('code', { textContent: name }), `${bytes.length.toLocaleString('en')} bytes`, element('button', { type: 'button', textContent: 'Download', onclick: () => save(name, bytes, element) })), ...(shown ? [shown] : [])));
        }
    }
}
