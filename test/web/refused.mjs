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
    'park.cu/situations': 'threads that wait for each other in branches',
    'warp_ops.cu/types': 'shuffles behind &&',
    'warp_ops.cu/divided': 'operations in branches',
};
