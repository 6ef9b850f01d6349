export type Target = 'wgsl' | 'wasm' | 'c' | 'ptx' | 'spirv' | 'ir';
export type DeviceKind = 'webgpu' | 'wasm' | 'wasm-scalar';
export type TypedArray =
    | Int8Array | Uint8Array | Uint8ClampedArray | Int16Array | Uint16Array | Int32Array | Uint32Array
    | Float32Array | Float64Array | BigInt64Array | BigUint64Array;
export type TypedArrayConstructor<T extends TypedArray> = {
    new (buffer: ArrayBufferLike, byteOffset?: number, length?: number): T;
    readonly BYTES_PER_ELEMENT: number;
};
/** One, two or three numbers; what is left out is 1. */
export type Dimensions = number | readonly number[];

export interface Diagnostic {
    severity: 'note' | 'remark' | 'warning' | 'error' | 'fatal';
    message: string;
    /** 1-based; columns count bytes. */
    file?: string; line?: number; column?: number; length?: number;
    flag?: string; fixit?: string; notes?: Diagnostic[];
}

export interface SourceOptions {
    /** Names the source in diagnostics; .ir is read as such. */
    path?: string;
    /** Like -D: "N=4". */
    defines?: string[];
    /** For #include "name" and <name>. */
    files?: Record<string, string>;
    /** Template kernels to instantiate: "scale<float, 128>". */
    names?: string[];
    /** Optimisation, 0 to 2. */
    level?: number;
    /** Contraction of a*b+c; true as in CUDA. */
    fmad?: boolean;
    /** 'fast': double as pairs of floats, 48 bits in the range of float; wasm devices, which have f64, take no notice. */
    f64?: 'exact' | 'fast';
}
export interface CompileOptions extends SourceOptions {
    to?: Target;
    /** Only this kernel and what it needs. */
    kernel?: string;
    /** Threads of a block, where known. */
    block?: readonly number[];
    /** wasm: 1 for one thread at a time, without SIMD. */
    gang?: number;
    /** wasm: with instructions of relaxed SIMD, for a fused a*b+c; devices find out by themselves whether the engine has them and fuses. */
    relaxed?: boolean;
    /** wasm: for threads that share the memory; devices say so by themselves. */
    threads?: boolean;
    /** wgsl, wasm: accesses to global memory outside of every buffer stop the kernel with an error; takes time. */
    checked?: boolean;
    /** Text says which line of the source it is from: // line 7, #line 7, .loc 1 7 1, !7:3. */
    lines?: boolean;
    /** wgsl: how many turns the loops of one thread may take in all, before the kernel stops with an error; 0: no limit. */
    budget?: number;
    /** wgsl: warp operations by subgroups of so many threads where they fit; devices find out by themselves, when a kernel is launched. */
    subgroups?: number;
}
/** Text; bytes for wasm and spirv; null if the source was refused. */
export type Compiled<T extends Target = Target> =
    | { ok: true; diagnostics: Diagnostic[]; code: T extends 'wasm' | 'spirv' ? Uint8Array : string }
    | { ok: false; diagnostics: Diagnostic[]; code: null };

export interface Finding {
    kind: 'uncoalesced-access' | 'indirect-access' | 'bank-conflict' | 'divergent-branch' | 'divergent-loop'
        | 'accidental-double' | 'contended-atomic' | 'local-memory';
    file?: string; line?: number; column?: number; length?: number;
    message: string;
    hint: string;
    /** How much more than need be, where that can be said. */
    times?: number;
}
export interface AnalysedParameter {
    name: string;
    /** i1 to i64, f16 to f64, ptr or class. */
    type: string;
    offset: number;
    /** Of a class. */
    size?: number;
    /** Of a pointer: what is read or written through it; null if nothing is, or various things. */
    element?: string | null;
    reads?: boolean; writes?: boolean;
}
export interface AnalysedKernel {
    name: string;
    display?: string;
    file?: string; line?: number; column?: number;
    params: AnalysedParameter[];
    sharedBytes: number; dynamicShared: boolean; localBytes: number;
    /** 32-bit words alive at once: an estimate. */
    registers: number;
    loads: number; stores: number; atomics: number; barriers: number;
    warpOperations: boolean; doubles: boolean; prints: boolean;
    /** Of threadIdx and blockIdx that it looks at. */
    dimensions: 1 | 2 | 3;
    /** Of those, which threadIdx is read in. */
    blockDimensions: 1 | 2 | 3;
    maxThreads?: number;
    findings: Finding[];
}
export interface Analysis {
    ok: boolean;
    diagnostics: Diagnostic[];
    kernels: AnalysedKernel[];
    globals: { name: string; size: number }[];
}

/** Memory of a device. */
export interface Buffer<T extends TypedArray = TypedArray> {
    readonly byteLength: number;
    /** On WebGPU whole words of four bytes only, but for the end of the buffer; a RangeError otherwise. */
    write(data: TypedArray | ArrayBuffer, byteOffset?: number): this;
    read(): Promise<T>;
    read<U extends TypedArray>(type: TypedArrayConstructor<U>): Promise<U>;
    free(): void;
}
/** Texels for a kernel's cudaTextureObject_t or cudaSurfaceObject_t. */
export interface Texture<T extends TypedArray = TypedArray> {
    /** Of the texels. */
    readonly byteLength: number;
    write(data: TypedArray | ArrayBuffer, byteOffset?: number): this;
    read(): Promise<T>;
    read<U extends TypedArray>(type: TypedArrayConstructor<U>): Promise<U>;
    free(): void;
}
type Channels = 'r' | 'rg' | 'rgba';
export interface TextureOptions<T extends TypedArray = TypedArray> {
    /** All texels, row by row, slice by slice; zeros if left out. */
    data?: T;
    width: number;
    /** One dimension if left out. */
    height?: number;
    depth?: number;
    layers?: number;
    /** Six faces a layer: +x, -x, +y, -y, +z, -z. */
    cube?: boolean;
    /** unorm and snorm are read as floats (cudaReadModeNormalizedFloat), the others as they are; 'r32float' if left out. */
    format?: `${Channels}8${'unorm' | 'unorm-srgb'}` | `${Channels}${8 | 16}${'unorm' | 'snorm'}` | `${Channels}${8 | 16 | 32}${'uint' | 'sint'}` | `${Channels}${16 | 32}float`;
    /** For all dimensions, or for each; 'clamp' if left out. As in CUDA, wrap and mirror are for normalized coordinates. */
    addressMode?: AddressMode | readonly AddressMode[];
    filterMode?: 'point' | 'linear';
    /** Coordinates go from 0 to 1. */
    normalized?: boolean;
    /** What is read beyond the texels with addressMode 'border'. */
    border?: readonly number[];
}
export type AddressMode = 'wrap' | 'clamp' | 'mirror' | 'border';
/** A class with pointers in it: its bytes; at these offsets the address of a buffer, or so many bytes into it. */
export interface ClassArgument {
    bytes: TypedArray;
    pointers: readonly (readonly [offset: number, buffer: Buffer, within?: number])[];
}
export interface Launch {
    grid?: Dimensions;
    block?: Dimensions;
    /** Bytes of dynamic shared memory. */
    shared?: number;
    /** Numbers, buffers for pointers (or null), textures for texture and surface objects, typed arrays with the bytes of classes. */
    args?: readonly (number | bigint | boolean | Buffer | Texture | TypedArray | ClassArgument | null)[];
}
export interface LaunchResult {
    milliseconds: number;
    /** gpu: by timestamps on the device; wall: from submission to completion. */
    timer: 'gpu' | 'wall';
    /** What the kernel's printf wrote. */
    printed: string;
    /** wasm: how many threads of the engine had blocks to run. */
    threads?: number;
}
export interface Kernel {
    readonly name: string;
    readonly params: { name: string; type: string; offset: number; size?: number }[];
    launch(launch: Launch): Promise<LaunchResult>;
    /** webgpu: what a launch would bind, as GPUComputePipeline and GPUBindGroup, for passes of one's own. */
    bound?(launch: Launch): Promise<{ pipeline: unknown; group: unknown }>;
}
export interface Program {
    readonly kernels: Kernel[];
    /** The generated WGSL or WebAssembly. */
    readonly code: string | Uint8Array;
    readonly diagnostics: Diagnostic[];
    /** The kernel of that name, or the only one. */
    kernel(name?: string): Kernel;
    /** A __device__ or __constant__ variable. */
    variable(name: string): Promise<Buffer>;
    free(): void;
}
export interface Device {
    readonly kind: DeviceKind;
    readonly name: string;
    readonly features: string[];
    /** wasm: how many threads of the engine run blocks. */
    readonly threads?: number;
    /** webgpu: threads of a subgroup, of which warp operations are made where they fit; 0: these are emulated. */
    readonly subgroups?: number;
    buffer<T extends TypedArray>(data: T): Buffer<T>;
    buffer<T extends TypedArray = Uint8Array>(bytes: number, type?: TypedArrayConstructor<T>): Buffer<T>;
    /** Texels with how they are read; also what surface functions write to. */
    texture<T extends TypedArray = Uint8Array>(options: TextureOptions<T>): Texture<T>;
    /** Throws CompileError if the source is refused. */
    load(source: string, options?: CompileOptions): Promise<Program>;
    kernel(source: string, name?: string, options?: CompileOptions): Promise<Kernel>;
    /** A program from what was compiled before: WGSL for webgpu, WebAssembly for the others. */
    link(code: string | Uint8Array): Promise<Program>;
    free(): void;
}
export interface Benchmark {
    first: number; best: number; median: number; runs: number; timer: 'gpu' | 'wall';
}

/** What the elements of buffers are, where their arrays do not say it; 'f16': bits in a Uint16Array. */
export type ElementType = 'i32' | 'u32' | 'f32' | 'f64' | 'f16';
/** milliseconds: of the launches, without what is compiled at the first call; on webgpu from submission to completion. */
export interface Spent { milliseconds: number; }
export interface Gemm {
    /** Rows and columns of the result; what is summed over. */
    m: number; n: number; k: number;
    a: Buffer; b: Buffer; c: Buffer;
    /** 1 and 0 if left out; with beta 0, what c has is not read. */
    alpha?: number; beta?: number;
    transA?: boolean; transB?: boolean;
    /** Elements from one column (order 'row': row) to the next; without gaps if left out. */
    lda?: number; ldb?: number; ldc?: number;
    /** So many products, whose matrices are these strides apart; without gaps if left out. A stride of 0: one matrix for all. */
    batch?: number; strideA?: number; strideB?: number; strideC?: number;
    /** How all three lie: by columns, as in BLAS, unless it says otherwise. */
    order?: 'column' | 'row';
    type?: 'f32' | 'f64' | 'f16';
}
export interface Gemv {
    /** Of the matrix as it lies. */
    m: number; n: number;
    a: Buffer; x: Buffer; y: Buffer;
    alpha?: number; beta?: number;
    trans?: boolean;
    lda?: number; incx?: number; incy?: number;
    order?: 'column' | 'row';
    type?: 'f32' | 'f64';
}
export interface Fft {
    /** Complex numbers are pairs of elements. */
    input: Buffer;
    /** In place if left out, complex only. */
    output?: Buffer;
    /** Any length; or two or three, the last one of neighbours. */
    n: number | readonly number[];
    /** Transforms one after the other. */
    batch?: number;
    /** Not scaled: there and back multiplies by n. */
    inverse?: boolean;
    /** real: from reals to n / 2 + 1 complex numbers along the last axis, inverse: back. */
    kind?: 'complex' | 'real';
    type?: 'f32' | 'f64';
}
export interface Scan {
    input: Buffer;
    /** In place if left out. */
    output?: Buffer;
    /** All of the buffer if left out. */
    n?: number;
    op?: 'sum' | 'min' | 'max';
    /** Without the element itself. */
    exclusive?: boolean;
    /** What it starts with; exclusive ones with 0, or what is no less (min) or no greater (max) than anything, if left out. */
    initial?: number;
    type?: 'i32' | 'u32' | 'f32' | 'f64';
}
export interface Sort {
    /** Sorted in place; equal ones keep their order. */
    keys: Buffer;
    /** 32 bits beside each key. */
    values?: Buffer;
    n?: number;
    descending?: boolean;
    type?: 'i32' | 'u32' | 'f32';
}

export interface ProgramOptions {
    /** Words that main gets after the program's name. */
    args?: string[];
    /** Files it may open; those that are text it may #include, too. */
    files?: Record<string, string | ArrayBuffer | ArrayBufferView>;
    stdin?: string; env?: Record<string, string>; path?: string; defines?: string[];
    /** Where its kernels run: wasm, on one memory with the host half, unless it says otherwise; webgpu needs an engine that suspends
     * WebAssembly (JavaScript Promise Integration). */
    device?: 'wasm' | 'webgpu';
    /** wasm: a kernel's access to what the device was not given is cudaErrorIllegalAddress, with its line on stderr. */
    checked?: boolean;
    /** Told what it says, as it is said; the result has all of it anyway. */
    stdout?: (text: string) => void; stderr?: (text: string) => void;
}
export interface ProgramResult {
    /** As a shell has it: 134 where it aborts, 139 where it leaves its memory. */
    code: number;
    stdout: string; stderr: string;
    /** What it wrote, by name. */
    files: Record<string, Uint8Array>;
    diagnostics: Diagnostic[];
    /** Milliseconds. */
    compiled: number; milliseconds: number;
    /** The name of the device that kernels ran on. */
    device: string;
}

export class CompileError extends Error { diagnostics: Diagnostic[]; }
export class KernelError extends Error {
    kind: 'trap' | 'assert' | 'bounds' | 'deadlock' | 'budget' | 'stack';
    kernel: string; thread?: number[]; block?: number[]; printed?: string;
    /** bounds: of the access. */
    line?: number;
}
export class DeviceError extends Error {}

export function compile<T extends Target = 'wgsl'>(source: string, options?: CompileOptions & { to?: T }): Promise<Compiled<T>>;
export function analyze(source: string, options?: CompileOptions): Promise<Analysis>;
/** The best there is: webgpu, then wasm with SIMD, then without. `gpu` is a WebGPU implementation, where it is not navigator.gpu.
 * `threads` of the engine run blocks on wasm: as many as there are cores unless it says otherwise, one where memory cannot be
 * shared (a page that is not cross-origin isolated). `deterministic` (in Node also TERN_DETERMINISTIC=1): the same bits in every
 * run, whatever the threads; kernels that depend on the order of their threads run on one of them, and webgpu refuses them. */
export function device(kind?: DeviceKind | 'auto', options?: { gpu?: unknown; threads?: number; deterministic?: boolean; [adapter: string]: unknown }): Promise<Device>;
export function benchmark(kernel: Kernel, launch: Launch, how?: { runs?: number; seconds?: number }): Promise<Benchmark>;
/** Loads the compiler now; from a URL, bytes or a module if tern.wasm is not next to the package. */
export function load(source?: string | URL | ArrayBuffer | Uint8Array | WebAssembly.Module): Promise<WebAssembly.Module>;
/** A whole program: main and its kernels, on WebAssembly in this thread, which is busy until it ends (in pages: a worker's),
 * or its kernels on WebGPU.
 * Throws CompileError for what is not taken, with what a page has nothing like by its name. */
export function runProgram(source: string, options?: ProgramOptions): Promise<ProgramResult>;
/** C = alpha op(A) op(B) + beta C, by the kernels of Tern's cuBLAS; as the others here, on the device that the buffers are of. They are
 * compiled for it at their first call, and throw TypeError and RangeError for what they do not take. */
export function gemm(product: Gemm): Promise<Spent>;
/** y = alpha op(A) x + beta y. */
export function gemv(product: Gemv): Promise<Spent>;
/** Fourier transforms, as cuFFT's. */
export function fft(transform: Fft): Promise<Spent>;
/** Prefix sums, minima or maxima. */
export function scan(range: Scan): Promise<Spent>;
/** A radix sort. */
export function sort(range: Sort): Promise<Spent>;
/** Loads the planner of fft now; from elsewhere if tern-fft.wasm is not next to the package. */
export function loadFft(source?: string | URL | ArrayBuffer | Uint8Array | WebAssembly.Module): Promise<unknown>;
/** Loads the compiler for whole programs now; from elsewhere if tern-host.wasm is not next to the package. */
export function loadWhole(source?: string | URL | ArrayBuffer | Uint8Array | WebAssembly.Module): Promise<WebAssembly.Module>;
/** Makes what loadWhole loaded ready: the first program is compiled as quickly as the next. */
export function warmWhole(): void;
/** Has something else answer requests to the compiler. */
export function answerWith(answer: (request: object) => Promise<object>): void;
/** A diagnostic as one line. */
export function describe(d: Diagnostic): string;
