// Sizes that the devices of WebAssembly share.
import { WASM_BEYOND } from './abi.js';

export const PRINT = 1 << 20, MALLOC = 1 << 20, BEYOND = WASM_BEYOND;
