// What a target refuses, test by test, with words of the reason. Anything else that is refused fails, and so does what is listed
// here and runs.
export const refused = {
    wgsl: {
        'groups.cu/grid': 'workgroups of a dispatch cannot wait for each other',
    },
    wasm: {
        'groups.cu/grid': 'blocks do not all run at once',
    },
};
