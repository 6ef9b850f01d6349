// C's streams: standard ones that go to functions of the page, and files in memory.
import { format } from './print.js';

const EOF = -1, latin = s => Uint8Array.from(s, c => c.charCodeAt(0));

/** Bytes that grow. */
class Blob_ {
    constructor(bytes = new Uint8Array(0)) {
        this.data = bytes.slice();
        this.length = bytes.length;
    }

    write(at, bytes) {
        if (at + bytes.length > this.data.length) {
            const more = new Uint8Array(Math.max(at + bytes.length, 2 * this.data.length, 256));
            more.set(this.data.subarray(0, this.length));
            this.data = more;
        }
        this.data.set(bytes, at);
        this.length = Math.max(this.length, at + bytes.length);
    }

    bytes() {
        return this.data.slice(0, this.length);
    }
}

/** The files of a program, by name; what it wrote is marked. */
export class Files {
    constructor(given = {}) {
        this.all = new Map();
        this.written = new Set();
        for (const [name, v] of Object.entries(given)) this.all.set(this.path(name), new Blob_(typeof v === 'string' ? new TextEncoder().encode(v) : new Uint8Array(v.buffer ?? v, v.byteOffset ?? 0, v.byteLength)));
    }

    path(name) {
        const parts = [];
        for (const p of name.split('/')) if (p === '..') parts.pop(); else if (p && p !== '.') parts.push(p);
        return parts.join('/');
    }

    results() {
        return Object.fromEntries([...this.written].filter(n => this.all.has(n)).map(n => [new TextDecoder().decode(latin(n)), this.all.get(n).bytes()]));
    }
}

/** Where text goes: to a function, in pieces that end where characters do. */
class Sink {
    constructor(tell) {
        Object.assign(this, { tell, decoder: new TextDecoder(), parts: [], size: 0, all: '', since: 0 });
    }

    write(bytes) {
        this.parts.push(bytes);
        this.size += bytes.length;
        if (this.size > 1 << 14 || (this.tell && bytes.includes(10) && performance.now() - this.since > 40)) this.flush();
    }

    flush(last = false) {
        let text = '';
        for (const p of this.parts) text += this.decoder.decode(p, { stream: true });
        if (last) text += this.decoder.decode();
        this.parts = [];
        this.size = 0;
        this.since = performance.now();
        this.all += text;
        if (text) this.tell?.(text);
    }
}

const whitespace = c => c === 32 || (c >= 9 && c <= 13);

export class Stdio {
    constructor(space, { files, stdin = '', stdout, stderr }) {
        Object.assign(this, { space, files, streams: new Map(), out: new Sink(stdout), err: new Sink(stderr) });
        this.stdin = this.open({ blob: new Blob_(new TextEncoder().encode(stdin)), read: true, fd: 0 });
        this.stdout = this.open({ sink: this.out, fd: 1 });
        this.stderr = this.open({ sink: this.err, fd: 2 });
    }

    open(stream) {
        const at = this.space.need(16);
        this.streams.set(at, { at, position: 0, eof: false, error: false, back: null, fd: -1, ...stream });
        return at;
    }

    finish() {
        this.out.flush(true);
        this.err.flush(true);
    }

    of(at) {
        const s = this.streams.get(at);
        if (!s) throw new WebAssembly.RuntimeError('a FILE that is not open');
        return s;
    }

    put(at, bytes) {
        const s = this.of(at);
        if (s.sink) {
            s.sink.write(bytes.slice());
        } else if (!s.write) {
            s.error = true;
            return EOF;
        } else {
            if (s.append) s.position = s.blob.length;
            s.blob.write(s.position, bytes);
            s.position += bytes.length;
        }
        return bytes.length;
    }

    get(s) {
        if (s.back !== null) {
            const c = s.back;
            s.back = null;
            return c;
        }
        if (!s.read || s.position >= s.blob.length) {
            s.eof = true;
            return EOF;
        }
        return s.blob.data[s.position++];
    }

    fopen(name, mode) {
        const files = this.files, path = files.path(name), kind = mode[0], plus = mode.includes('+');
        if (!'rwa'.includes(kind) || (kind === 'r' && !files.all.has(path))) return 0;
        if (kind === 'w' || !files.all.has(path)) files.all.set(path, new Blob_());
        if (kind !== 'r' || plus) files.written.add(path);
        return this.open({ blob: files.all.get(path), read: kind === 'r' || plus, write: kind !== 'r' || plus, append: kind === 'a' });
    }

    /** What printf makes of it; `types` are the letters of the arguments. */
    formatted(at, args, types) {
        const space = this.space, given = args.map((v, k) => {
            if (types[k] === 'd') return { d: v, u: 0, i: 0, l: 0n };
            const l = typeof v === 'bigint' ? v : types[k] === 'p' ? BigInt(v >>> 0) : BigInt(v), i = Number(BigInt.asIntN(32, l));
            return { l, i, u: i >>> 0, d: 0 };
        });
        return format(space.text(at), given, (a, most) => a.u ? space.text(a.u, most) : '(null)');
    }

    /** scanf: characters come from next(), and one may be put back. */
    scan(f, next, back, out) {
        const space = this.space;
        let n = 0, read = 0, c;
        const take = () => { const x = next(); if (x !== EOF) read++; return x; }, undo = x => { if (x !== EOF) { read--; back(x); } };
        const skip = () => { do c = take(); while (whitespace(c)); undo(c); return c; };
        const word = (test, width) => {
            let s = '';
            while (s.length < width && (c = take()) !== EOF) {
                if (!test(s, String.fromCharCode(c))) { undo(c); break; }
                s += String.fromCharCode(c);
            }
            return s;
        };
        const integer = base => (s, x) => /[-+]/.test(x) ? s === '' : base === 16 ? /[0-9a-f]/i.test(x) || (/x/i.test(x) && /^[-+]?0$/.test(s)) : base === 8 ? /[0-7]/.test(x) : base === 0 ? /[0-9a-fx]/i.test(x) : /[0-9]/.test(x);
        for (let k = 0; k < f.length; k++) {
            if (whitespace(f.charCodeAt(k))) { skip(); continue; }
            const m = f[k] === '%' ? /^%(\*?)(\d*)(hh|ll|[hljztL]?)([diouxXfeEgGacspn%]|\[\^?\]?[^\]]*\])/.exec(f.slice(k)) : null;
            if (!m || m[4] === '%') {
                if (m) { skip(); k++; }
                if ((c = take()) !== f.charCodeAt(k)) { undo(c); return c === EOF && !n ? EOF : n; }
                continue;
            }
            k += m[0].length - 1;
            const [, star, digits, length, type] = m, width = digits ? Number(digits) : Infinity;
            if (type === 'n') { if (!star) space.setU32(out.shift(), read); continue; }
            if (type !== 'c' && type[0] !== '[' && skip() === EOF) return n || EOF;
            let s;
            if (type === 'c') { s = word(() => true, digits ? width : 1); if (!s) return n || EOF; } else if (type === 's') s = word((_, x) => !whitespace(x.charCodeAt(0)), width);
            else if (type[0] === '[') {
                const not = type[1] === '^', set = new RegExp(`^[${not ? '^' : ''}${type.slice(not ? 2 : 1, -1).replace(/[\\\]]/g, '\\$&')}]$`);
                s = word((_, x) => set.test(x), width);
                if (!s) return c === EOF && !n ? EOF : n;
            } else if ('diouxXp'.includes(type)) s = word(integer(type === 'd' || type === 'u' ? 10 : type === 'i' ? 0 : type === 'o' ? 8 : 16), width);
            else s = word((t, x) => /[-+]/.test(x) ? t === '' || /e$/i.test(t) : /[0-9.a-z]/i.test(x), width);
            const number = 'diouxXp'.includes(type), real = 'feEgGa'.includes(type);
            let v = null;
            if (number) {
                const plain = /^([-+]?)(0x)?([0-9a-f]+)$/i.exec(s);
                if (!plain) return n;
                const base = type === 'd' || type === 'u' ? '' : plain[2] || 'xXp'.includes(type) ? '0x' : type === 'o' || (type === 'i' && plain[3][0] === '0' && plain[3].length > 1) ? '0o' : '';
                try { v = BigInt(base + plain[3]) * (plain[1] === '-' ? -1n : 1n); } catch { return n; }
            } else if (real && Number.isNaN(v = Number(s)) && !/nan/i.test(s)) return n;
            if (star) continue;
            const at = out.shift();
            if (real) length === 'l' || length === 'L' ? space.view.setFloat64(at, v, true) : space.view.setFloat32(at, v, true);
            else if (number) {
                if (length === 'l' || length === 'll' || length === 'j' || length === 'z' || length === 't' || type === 'p') space.setWord(at, v);
                else if (length === 'hh') space.view.setUint8(at, Number(BigInt.asUintN(8, v)));
                else if (length === 'h') space.view.setUint16(at, Number(BigInt.asUintN(16, v)), true);
                else space.setU32(at, Number(BigInt.asUintN(32, v)));
            } else if (type === 'c') for (let i = 0; i < s.length; i++) space.bytes[at + i] = s.charCodeAt(i);
            else space.putText(at, s);
            n++;
        }
        return n;
    }
}

/** Functions of <stdio.h>. `typed` ones are told the types of their arguments. */
export function stdioFunctions(io) {
    const space = io.space, say = (at, s) => io.put(at, latin(s));
    const scan = (s, f, out) => io.scan(space.text(f), () => io.get(s), c => { s.back = c; }, out);
    const functions = {
        puts: s => (say(io.stdout, space.text(s) + '\n'), 1),
        fputs: (s, f) => say(f, space.text(s)),
        putchar: c => (say(io.stdout, String.fromCharCode(c & 255)), c & 255),
        fputc: (c, f) => (say(f, String.fromCharCode(c & 255)), c & 255),
        getchar: () => io.get(io.of(io.stdin)),
        fgetc: f => io.get(io.of(f)),
        ungetc: (c, f) => { const s = io.of(f); if (c === EOF) return EOF; s.back = c & 255; s.eof = false; return c & 255; },
        fgets(to, n, f) {
            const s = io.of(f);
            let k = 0, c = 0;
            while (k < n - 1 && (c = io.get(s)) !== EOF) {
                space.bytes[to + k++] = c;
                if (c === 10) break;
            }
            if (!k) return 0;
            space.bytes[to + k] = 0;
            return to;
        },
        getline(line, size, f) {
            const s = io.of(f), bytes = [];
            for (let c; (c = io.get(s)) !== EOF;) { bytes.push(c); if (c === 10) break; }
            if (!bytes.length) return -1;
            let at = space.u32(line);
            if (!at || space.word(size) < bytes.length + 1) {
                if (at) space.free(at);
                space.setWord(line, at = space.need(bytes.length + 1));
                space.setWord(size, bytes.length + 1);
            }
            space.bytes.set(bytes, at);
            space.bytes[at + bytes.length] = 0;
            return bytes.length;
        },
        fopen: (name, mode) => io.fopen(space.text(name), space.text(mode)),
        freopen(name, mode, f) {
            const old = io.of(f), made = io.fopen(space.text(name), space.text(mode));
            if (!made) return 0;
            io.streams.set(f, { ...io.of(made), at: f, fd: old.fd, sink: undefined });
            io.streams.delete(made);
            return f;
        },
        tmpfile: () => io.open({ blob: new Blob_(), read: true, write: true }),
        fclose: f => { const s = io.of(f); io.streams.delete(f); if (s.fd < 0) space.free(f); return 0; },
        fflush: f => { if (f) io.of(f).sink?.flush(); else { io.out.flush(); io.err.flush(); } return 0; },
        fread(to, size, n, f) {
            const s = io.of(f), want = size * n;
            let had = 0;
            if (!want) return 0;
            if (s.back !== null) { space.bytes[to] = s.back; s.back = null; had = 1; }
            const some = s.read ? s.blob.data.subarray(s.position, Math.min(s.position + want - had, s.blob.length)) : new Uint8Array(0);
            space.bytes.set(some, to + had);
            s.position += some.length;
            if (had + some.length < want) s.eof = true;
            return Math.floor((had + some.length) / size);
        },
        fwrite: (from, size, n, f) => size * n && io.put(f, space.bytes.subarray(from, from + size * n)) === EOF ? 0 : n,
        fseek(f, offset, whence) {
            const s = io.of(f), to = whence === 0 ? offset : whence === 1 ? s.position - (s.back !== null ? 1 : 0) + offset : (s.blob?.length ?? 0) + offset;
            if (!s.blob || to < 0) return -1;
            s.position = to;
            s.back = null;
            s.eof = false;
            return 0;
        },
        ftell: f => { const s = io.of(f); return s.blob ? s.position - (s.back !== null ? 1 : 0) : -1; },
        rewind: f => { const s = io.of(f); s.position = 0; s.back = null; s.eof = s.error = false; },
        feof: f => io.of(f).eof ? 1 : 0,
        ferror: f => io.of(f).error ? 1 : 0,
        clearerr: f => { const s = io.of(f); s.eof = s.error = false; },
        fileno: f => io.of(f).fd,
        remove: name => io.files.all.delete(io.files.path(space.text(name))) ? 0 : -1,
        rename(from, to) {
            const a = io.files.path(space.text(from)), b = io.files.path(space.text(to)), file = io.files.all.get(a);
            if (!file) return -1;
            io.files.all.set(b, file);
            io.files.all.delete(a);
            io.files.written.add(b);
            return 0;
        },
        perror: s => { say(io.stderr, `${s ? space.text(s) + ': ' : ''}No such file or directory\n`); },
        setbuf: () => {},
        setvbuf: () => 0,
        write: (fd, from, n) => { const s = [...io.streams.values()].find(x => x.fd === fd); return s ? io.put(s.at, space.bytes.subarray(from, from + n)) : -1; },
        isatty: () => 0,
        mkdir: () => 0, // folders are parts of names
        stat(name, at) { // as x86-64 has it: mode and size, where there is such a file, or one below it
            const path = io.files.path(space.text(name)), file = io.files.all.get(path), folder = !path || [...io.files.all.keys()].some(n => n.startsWith(path + '/'));
            if (!file && !folder) return -1;
            space.bytes.fill(0, at, at + 144);
            space.setU32(at + 24, file ? 0o100644 : 0o40755);
            space.setWord(at + 48, file ? file.bytes().length : 0);
            return 0;
        },
        access: (name, mode) => io.files.all.has(io.files.path(space.text(name))) ? 0 : -1,
    };
    Object.assign(functions, { putc: functions.fputc, getc: functions.fgetc, unlink: functions.remove });
    const into = (to, size, s) => {
        if (size) space.putText(to, s.slice(0, size - 1));
        return s.length;
    };
    const typed = {
        printf: types => (f, ...args) => say(io.stdout, io.formatted(f, args, types.slice(1))),
        fprintf: types => (at, f, ...args) => say(at, io.formatted(f, args, types.slice(2))),
        sprintf: types => (to, f, ...args) => { const s = io.formatted(f, args, types.slice(2)); space.putText(to, s); return s.length; },
        snprintf: types => (to, size, f, ...args) => into(to, Number(size), io.formatted(f, args, types.slice(3))),
        scanf: () => (f, ...out) => scan(io.of(io.stdin), f, out),
        fscanf: () => (at, f, ...out) => scan(io.of(at), f, out),
        sscanf: () => (s, f, ...out) => {
            const text = space.text(s);
            let k = 0;
            return io.scan(space.text(f), () => k < text.length ? text.charCodeAt(k++) : EOF, () => { k--; }, out);
        },
    };
    return { functions, typed };
}
