// What can go wrong, as classes: each says where.

/** The source was refused. `diagnostics` is the compiler's list, errors first as they came. */
export class CompileError extends Error {
    constructor(diagnostics) {
        super(diagnostics.filter(d => d.severity !== 'warning').map(describe).join('\n') || 'the source was refused');
        this.name = 'CompileError';
        this.diagnostics = diagnostics;
    }
}

/** A kernel failed while it ran: `kind` is trap, assert, bounds, deadlock, budget or stack; thread and block are where. */
export class KernelError extends Error {
    constructor(kind, message, where = {}) {
        super(message);
        this.name = 'KernelError';
        this.kind = kind;
        Object.assign(this, where);
    }
}

/** The device cannot do this. */
export class DeviceError extends Error {
    constructor(message) {
        super(message);
        this.name = 'DeviceError';
    }
}

/** One line, as compilers write it. */
export function describe(d) {
    const at = d.line ? `${d.file}:${d.line}:${d.column}: ` : '';
    return `${at}${d.severity}: ${d.message}`;
}
