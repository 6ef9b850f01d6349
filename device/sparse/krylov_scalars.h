/* The scalars of Krylov methods, by their places in one array of doubles. C and CUDA C++. */
#pragma once

enum {
    KRYLOV_DONE, /* 0 goes on, 1 converged, -1 broke down; GMRES: 2 ends with this cycle, 3 ended without */
    KRYLOV_ONE,
    KRYLOV_ZERO,
    KRYLOV_MINUS,
    KRYLOV_TOLERANCE,
    KRYLOV_FIRST, /* what residuals are compared with */
    KRYLOV_RESIDUAL,
    KRYLOV_ITERATIONS,
    KRYLOV_STEPS, /* GMRES: of this cycle */
    KRYLOV_A,
    KRYLOV_B,
    KRYLOV_C,
    KRYLOV_D,
    KRYLOV_E,
    KRYLOV_F,
    KRYLOV_G,
    MINRES_GAMMA,
    MINRES_GAMMA_LAST,
    MINRES_DELTA,
    MINRES_ETA,
    MINRES_C,
    MINRES_C_LAST,
    MINRES_S,
    MINRES_S_LAST,
    KRYLOV_MATRIX /* GMRES: columns of m + 1, m cosines, m sines, m + 1 right sides, m unknowns */
};
enum {
    STAGE_BEGIN,
    STAGE_FIRST,
    STAGE_CG_ALPHA,
    STAGE_CG_BETA,
    STAGE_BI_BETA,
    STAGE_BI_ALPHA,
    STAGE_BI_OMEGA,
    STAGE_BI_CHECK,
    STAGE_GM_BEGIN,
    STAGE_GM_PROJECT,
    STAGE_GM_ROTATE,
    STAGE_MR_BEGIN,
    STAGE_MR_DELTA,
    STAGE_MR_ROTATE,
    STAGE_MR_CHECK,
    STAGE_SCALE,
    STAGE_NEGATE
};
