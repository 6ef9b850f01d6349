// What the engine's WebAssembly has.

// The smallest module with a vector in it: (func (result v128) i32.const 0 i8x16.splat)
const probe = Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 8, 1, 6, 0, 65, 0, 253, 15, 11);
// One with f32x4.relaxed_madd: (func (export "f") (param f32 f32) (result f32)), $0 * $0 + $1.
const relaxed = Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0, 1, 7, 1, 96, 2, 125, 125, 1, 125, 3, 2, 1, 0, 7, 5, 1, 1, 102, 0, 0,
    10, 22, 1, 20, 0, 32, 0, 253, 19, 32, 0, 253, 19, 32, 1, 253, 19, 253, 133, 2, 253, 31, 0, 11);
/** Whether the engine has relaxed SIMD, and rounds a*b+c once, which it need not. */
export const isFused = () => WebAssembly.validate(relaxed) && new WebAssembly.Instance(new WebAssembly.Module(relaxed)).exports.f(1 + 2 ** -12, -(1 + 2 ** -11)) !== 0;
export const hasSimd = () => WebAssembly.validate(probe);
