// The five kernels of kernels.cu in WGSL, as one writes it by hand: one binding for each array, block sizes fixed.
const head = type => `
@group(0) @binding(0) var<uniform> n: vec4<u32>;
@group(0) @binding(1) var<storage, read> a: array<${type}>;
@group(0) @binding(2) var<storage, read> b: array<f32>;
@group(0) @binding(3) var<storage, read_write> c: array<${type}>;
`;
const tree = (size, op) => `
    for (var d = ${size / 2}u; d > 0u; d /= 2u) {
        if (t < d) { s[t] = ${op === 'max' ? 'max(s[t], s[t + d])' : 's[t] + s[t + d]'}; }
        workgroupBarrier();
    }`;

export const hand = {
    vector_add: `${head('f32')}
@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x < n.x) { c[id.x] = a[id.x] + b[id.x]; }
}`,
    gemm: `${head('f32')}
var<workgroup> sa: array<array<f32, 16>, 16>;
var<workgroup> sb: array<array<f32, 16>, 16>;
@compute @workgroup_size(16, 16)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_id) l: vec3<u32>) {
    var sum = 0.0;
    for (var k = 0u; k < n.x; k += 16u) {
        sa[l.y][l.x] = a[id.y * n.x + k + l.x];
        sb[l.y][l.x] = b[(k + l.y) * n.x + id.x];
        workgroupBarrier();
        for (var i = 0u; i < 16u; i++) { sum = fma(sa[l.y][i], sb[i][l.x], sum); }
        workgroupBarrier();
    }
    c[id.y * n.x + id.x] = sum;
}`,
    reduction: `${head('f32')}
var<workgroup> s: array<f32, 256>;
@compute @workgroup_size(256)
fn main(@builtin(local_invocation_index) t: u32, @builtin(workgroup_id) w: vec3<u32>, @builtin(num_workgroups) many: vec3<u32>) {
    var sum = 0.0;
    for (var i = w.x * 256u + t; i < n.x; i += many.x * 256u) { sum += a[i]; }
    s[t] = sum;
    workgroupBarrier();${tree(256, 'add')}
    if (t == 0u) { c[w.x] = s[0]; }
}`,
    nbody: `${head('vec4<f32>')}
var<workgroup> tile: array<vec4<f32>, 128>;
@compute @workgroup_size(128)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) t: u32) {
    let p = a[id.x].xyz;
    var sum = vec3<f32>();
    for (var start = 0u; start < n.x; start += 128u) {
        tile[t] = a[start + t];
        workgroupBarrier();
        for (var k = 0u; k < 128u; k++) {
            let q = tile[k];
            let d = q.xyz - p;
            let inv = 1.0 / sqrt(dot(d, d) + 0.01);
            sum += q.w * inv * inv * inv * d;
        }
        workgroupBarrier();
    }
    c[id.x] = vec4<f32>(sum, 0.0);
}`,
    softmax: `${head('f32')}
var<workgroup> s: array<f32, 128>;
@compute @workgroup_size(128)
fn main(@builtin(local_invocation_index) t: u32, @builtin(workgroup_id) w: vec3<u32>) {
    let row = w.x * n.x;
    var most = -3.4e38;
    for (var i = t; i < n.x; i += 128u) { most = max(most, a[row + i]); }
    s[t] = most;
    workgroupBarrier();${tree(128, 'max')}
    most = s[0];
    workgroupBarrier();
    var sum = 0.0;
    for (var i = t; i < n.x; i += 128u) { sum += exp(a[row + i] - most); }
    s[t] = sum;
    workgroupBarrier();${tree(128, 'add')}
    sum = s[0];
    for (var i = t; i < n.x; i += 128u) { c[row + i] = exp(a[row + i] - most) / sum; }
}`,
};

/** How each is launched: n, grid, block, elements of a, b and c; flops: with fma (reported, not promised, for WebAssembly). */
export const works = {
    vector_add: { n: 1 << 20, grid: [4096, 1], block: [256, 1], counts: [1 << 20, 1 << 20, 1 << 20] },
    gemm: { n: 256, grid: [16, 16], block: [16, 16], counts: [65536, 65536, 65536], fma: true },
    reduction: { n: 1 << 20, grid: [64, 1], block: [256, 1], counts: [1 << 20, 4, 64] },
    nbody: { n: 1024, grid: [8, 1], block: [128, 1], counts: [4096, 4, 4096], fma: true },
    softmax: { n: 1024, grid: [256, 1], block: [128, 1], counts: [1 << 18, 4, 1 << 18], fma: true },
};

/** More for WebAssembly alone: what is not one stream through memory. */
export const more = {
    warp_sum: { n: 1 << 20, grid: [4096, 1], block: [256, 1], counts: [1 << 20, 4, 1 << 15] },
    scan: { n: 1 << 20, grid: [4096, 1], block: [256, 1], counts: [1 << 20, 4, 1 << 20] },
    transpose: { n: 1024, grid: [32, 32], block: [32, 8], counts: [1 << 20, 4, 1 << 20] },
    heat: { n: 1024, grid: [32, 128], block: [32, 8], counts: [1 << 20, 4, 1 << 20] },
    histogram: { n: 1 << 20, grid: [64, 1], block: [256, 1], counts: [1 << 20, 4, 256] },
    life: { n: 1024, grid: [32, 128], block: [32, 8], counts: [1 << 20, 4, 1 << 20] },
};
