// Textures and surfaces: texels in memory of the device behind a description that kernels read (`struct texture_desc` of
// src/rt/texture.h). What a kernel gets, as its cudaTextureObject_t or cudaSurfaceObject_t, is the description's address. Our own
// code samples, so that a texture reads the same on every device.

import * as abi from './abi.js';

export const TEXELS = Math.ceil(abi.TEXTURE_END / 64) * 64; // where the texels begin
const GEOMETRIES = ['1d', '2d', '3d', '1d-array', '2d-array', 'cube', 'cube-array'];
const ADDRESSES = ['wrap', 'clamp', 'mirror', 'border'], FILTERS = ['point', 'linear'];

function oneOf(list, what, name) {
    const k = list.indexOf(what);
    if (k < 0) throw new TypeError(`${name} is one of ${list.join(', ')}, not ${what}`);
    return k;
}

/** r, rg or rgba; 8, 16 or 32 bits; unorm and snorm: integers read as floats; sint, uint, float; 8-bit unorm may end in -srgb. */
function read(format) {
    const [, parts, bits, kind, srgb] = /^(r|rg|rgba)(8|16|32)(unorm|snorm|uint|sint|float)(-srgb)?$/.exec(format) ?? [];
    if (!parts || (kind === 'float' && bits === '8') || (kind.endsWith('norm') && bits === '32') || (srgb && (kind !== 'unorm' || bits !== '8'))) throw new TypeError(`there is no format ${format}`);
    const normal = kind.endsWith('norm'), channel = kind === 'float' ? 2 : kind[0] === 'u' ? 1 : 0;
    return { components: parts.length, bits: Number(bits), channel, normal, srgb: srgb !== undefined };
}

function geometryOf({ height, depth, layers, cube }) {
    if (depth !== undefined && (layers !== undefined || cube)) throw new TypeError('a texture with a depth has no layers');
    if (cube && height === undefined) throw new TypeError('a cube has a height');
    return GEOMETRIES.indexOf(`${cube ? 'cube' : depth !== undefined ? '3d' : height !== undefined ? '2d' : '1d'}${layers !== undefined ? '-array' : ''}`);
}

/** The description of a texture, and room for its texels. */
export function describeTexture(options) {
    const { width, height = 1, depth = 1, layers = 1, cube = false, format = 'r32float', addressMode = 'clamp', filterMode = 'point', normalized = false, border = [0, 0, 0, 0] } = options;
    const { components, bits, channel, normal, srgb } = read(format), geometry = geometryOf(options);
    const row = width * components * bits / 8, slice = row * height, size = slice * depth * layers * (cube ? 6 : 1);
    for (const n of [width, height, depth, layers]) if (!Number.isInteger(n) || n < 1) throw new TypeError(`a texture of ${n} texels is not possible`);
    const bytes = new Uint8Array(TEXELS + size), v = new DataView(bytes.buffer), word = (at, x) => v.setUint32(at, x, true);
    const modes = typeof addressMode === 'string' ? [addressMode, addressMode, addressMode] : addressMode;
    word(abi.TEXTURE_GEOMETRY, geometry);
    word(abi.TEXTURE_BYTES, size);
    word(abi.TEXTURE_LAYERS, layers);
    word(abi.TEXTURE_LEVEL_COUNT, 1);
    [width, height, depth, 0, 0, 0, row, 0, slice].forEach((x, k) => word(abi.TEXTURE_LEVELS + 4 * k, x));
    word(abi.TEXTURE_CHANNEL, channel);
    bytes[abi.TEXTURE_COMPONENTS] = components;
    bytes[abi.TEXTURE_BITS] = bits;
    for (let k = 0; k < 3; k++) word(abi.TEXTURE_ADDRESS + 4 * k, oneOf(ADDRESSES, modes[k] ?? 'clamp', 'addressMode'));
    word(abi.TEXTURE_FILTER, oneOf(FILTERS, filterMode, 'filterMode'));
    bytes[abi.TEXTURE_NORMALIZED] = normalized;
    bytes[abi.TEXTURE_NORMALIZED_VALUES] = normal;
    bytes[abi.TEXTURE_SRGB] = srgb;
    for (let k = 0; k < 4; k++) v.setFloat32(abi.TEXTURE_BORDER + 4 * k, border[k] ?? 0, true);
    return bytes;
}

/** Made by `device.texture`: memory of the device with the description in front. */
export class Texture {
    constructor(device, options) {
        const bytes = describeTexture(options), { data } = options;
        Object.assign(this, { device, byteLength: bytes.length - TEXELS, type: data?.constructor ?? Uint8Array });
        if (data && data.byteLength !== this.byteLength) throw new RangeError(`the texture has ${this.byteLength} bytes, the data ${data.byteLength}`);
        if (data) bytes.set(new Uint8Array(data.buffer ?? data, data.byteOffset ?? 0, data.byteLength), TEXELS);
        this.memory = device.buffer(bytes);
    }

    write(data, offset = 0) {
        if (offset + data.byteLength > this.byteLength) throw new RangeError('more than the texture holds');
        this.memory.write(data, TEXELS + offset);
        return this;
    }

    /** The texels. */
    async read(Type = this.type) {
        const bytes = await this.memory.read(Uint8Array);
        return new Type(bytes.buffer, TEXELS, Math.floor(this.byteLength / Type.BYTES_PER_ELEMENT));
    }

    free() {
        this.memory.free();
    }
}
