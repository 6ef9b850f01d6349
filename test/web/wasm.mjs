export async function run() { throw new Error('not there yet'); }
