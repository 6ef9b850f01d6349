/* The `imm` of tex, surfload and surfstore.
 *
 * tex operands: handle (i64), then coordinates: [array layer i32,] x [, y [, z]], f32 each, or i32
 * each with IR_TEX_INT; then by mode: LOD one f32; GRAD d/dx of x [, y [, z]], d/dy likewise.
 * Results are four components of T (f32, i32); integer channels are widened to i32, the front end
 * narrows them. Surface coordinates are i32; x counts bytes, as in CUDA. surfload gives
 * `components` meaningful results of T (i8, i16, i32, i64), the rest are 0; surfstore takes that
 * many, or one that is combined with what is there as an atomic operation (IR_SURF_REDUCE). */
#ifndef IR_TEX_H
#define IR_TEX_H

enum ir_tex_geometry {
    IR_TEX_1D,
    IR_TEX_2D,
    IR_TEX_3D,
    IR_TEX_A1D, /* layered */
    IR_TEX_A2D,
    IR_TEX_CUBE,
    IR_TEX_ACUBE,
};
enum ir_tex_mode { IR_TEX_PLAIN, IR_TEX_LOD, IR_TEX_GRAD, IR_TEX_GATHER };
enum ir_tex_bounds { IR_TEX_TRAP, IR_TEX_CLAMP, IR_TEX_ZERO }; /* surfaces */

#define IR_TEX_INT 16u /* coordinates are i32, unnormalised, unfiltered: tex1Dfetch */
#define IR_TEX_IMM(geometry, mode, flags)                                                          \
    ((unsigned)(geometry) | (unsigned)(mode) << 5 | (unsigned)(flags))
#define IR_SURF_IMM(geometry, components, bounds)                                                  \
    ((unsigned)(geometry) | (unsigned)(components) << 12 | (unsigned)(bounds) << 10)
#define IR_SURF_REDUCE(kind)   ((1u + (unsigned)(kind)) << 16) /* of enum ir_rmw */
#define ir_surf_reduces(imm)   ((unsigned)((imm) >> 16 & 31) != 0)
#define ir_surf_reduction(imm) ((enum ir_rmw)(((imm) >> 16 & 31) - 1))
#define ir_tex_geometry(imm)   ((enum ir_tex_geometry)((imm)&15))
#define ir_tex_mode(imm)       ((enum ir_tex_mode)((imm) >> 5 & 3))
#define ir_tex_component(imm)  ((unsigned)((imm) >> 8 & 3)) /* gather: which */
#define ir_tex_bounds(imm)     ((enum ir_tex_bounds)((imm) >> 10 & 3))
#define ir_tex_components(imm) ((unsigned)((imm) >> 12 & 7)) /* surfaces: 1, 2 or 4 */
#define ir_tex_dims(imm)                                                                           \
    ((unsigned)"\1\2\3\1\2\3\3"[ir_tex_geometry(imm)]) /* coordinates without the layer */
#define ir_tex_layered(imm)                                                                        \
    (ir_tex_geometry(imm) == IR_TEX_A1D || ir_tex_geometry(imm) == IR_TEX_A2D ||                   \
     ir_tex_geometry(imm) == IR_TEX_ACUBE)

#endif
