// What a target refuses, test by test, with words of the reason. Anything else that is refused fails, and so does what is listed
// here and runs.
export const refused = {
    wgsl: {
        'groups.cu/grid': 'workgroups of a dispatch cannot wait for each other',
    },
    wasm: {
    },
};

// What has operations of warps and is emulated where a warp is a subgroup too, and why that must be.
export const emulated = {
    'groups.cu/coalesced': 'those that run together, in branches',
    'groups_wide.cu/tiles': 'tiles of several warps',
    'lane_widths.cu/across': 'operations behind ||',
    'park.cu/situations': 'threads that wait for each other in branches',
    'warp_ops.cu/types': 'shuffles behind &&',
    'warp_ops.cu/divided': 'operations in branches',
};

/** WGSL that takes lavapipe's compiler seconds each, half of what all kernels take it. What they are about, smaller kernels are
 * about, too: a short run has the shader compiler look at these, and the long form runs them. */
export const slow = new Set(['park.cu/situations', 'library_names.cu/malloc', 'language.cu/recursion', 'numbers.cu/powers', 'classes.cu/virtuals', 'matrix_vector.cu/solve', 'groups_wide.cu/classes',
    'groups_wide.cu/pipeline', 'groups_wide.cu/roles', 'ray_sphere.cu/render', 'wmma.cu/shapes', 'wmma.cu/tiled', 'wmma.cu/double', 'pasted.cu/rounds', 'gemm_tiled.cu/f64', 'groups.cu/coalesced', 'math.cu/f64', 'doubles.cu/mixture']);
