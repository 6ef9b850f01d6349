/* Which registers and predicates an instruction reads and writes: from the encoding, not from what
 * the compiler meant. */
#include <string.h>
#include "sim.h"

static void add(struct use *u, const struct sass_src *x, unsigned parts)
{
    for (unsigned k = 0; x->kind == SRC_REG && x->value != SASS_NONE && k < parts; k++)
        u->reads[u->nreads++] = (uint16_t)(x->value + k);
}

/* How many registers an operand or a result takes: from the encoding, not from the compiler. */
static unsigned access_words(const struct sass_inst *i)
{
    unsigned z = i->mods[MOD_SIZE];
    return z == 5 ? 2 : z == 6 ? 4 : 1;
}

/* Types of atomics: u32, s32, u64, then s64, or f32, -, s64, f64 before sm_90. */
bool sim_atom_is_wide(const struct sass_inst *i, unsigned arch)
{
    const unsigned type = i->mods[MOD_TYPE];
    const bool old = arch < 90 && (i->op == OP_ATOMG || i->op == OP_ATOM || i->op == OP_RED);
    if (i->op == OP_ATOMG_F || i->op == OP_RED_F)
        return type == 15;
    return old ? type == 2 || type == 5 || type == 6 : type & 2;
}

bool sim_atom_is_float(const struct sass_inst *i, unsigned arch)
{
    return i->op == OP_ATOMG_F || i->op == OP_RED_F ||
           (arch < 90 && (i->op == OP_ATOMG || i->op == OP_RED) &&
            (i->mods[MOD_TYPE] == 3 || i->mods[MOD_TYPE] == 6));
}

unsigned sim_texture_coordinates(const struct sass_inst *i)
{
    static const uint8_t textures[8] = {1, 2, 3, 3, 2, 3, 0, 4}, surfaces[8] = {1, 0, 2, 2, 3, 3};
    const bool surface = sass_rows[i->op].operands & (O_UR40 | O_C64) && !i->mods[MOD_MASK];
    return (surface ? surfaces : textures)[i->mods[MOD_DIMS] & 7];
}

/* Coordinates and, before sm_90, the handle; level or gradients. */
static void texture_words(const struct sass_inst *i, unsigned *a, unsigned *b)
{
    const bool old = sass_rows[i->op].operands & O_BINDLESS;
    const unsigned n = sim_texture_coordinates(i);
    const bool level = i->op == OP_TEX || i->op == OP_TEX_B;
    const bool gradient = i->op == OP_TXD || i->op == OP_TXD_B;
    *a = n + (old && gradient);
    *b = gradient ? (i->mods[MOD_DIMS] == 4 ? 2 : 4) : level + old;
    if (old && i->mods[MOD_SCATTER]) {
        *a = n == 1 && !level ? 1 : 2;
        *b = n + 1 + level - *a;
    }
}

void sim_uses(const struct sass_inst *i, unsigned arch, struct use *u)
{
    const struct sass_row *r = &sass_rows[i->op];
    uint32_t o = r->operands;
    unsigned a = 1, b = 1, c = 1, d = 1;
    bool wide = r->class == CLASS_FP64 || r->class == CLASS_DSETP;
    memset(u, 0, sizeof *u);
    if (wide)
        a = b = c = d = 2;
    switch (i->op) {
    case OP_IMAD_WIDE: c = d = 2; break;
    case OP_LDG:
    case OP_LD: a = 2, d = access_words(i); break;
    case OP_STG:
    case OP_ST: a = 2, b = access_words(i); break;
    case OP_STS:
    case OP_STL: b = access_words(i); break;
    case OP_LDS:
    case OP_LDL:
    case OP_LDC: d = access_words(i); break;
    case OP_ATOMG:
    case OP_RED:
    case OP_ATOM:
    case OP_ATOMG_CAS:
    case OP_ATOM_CAS:
    case OP_ATOMS:
    case OP_ATOMS_CAS:
        b = c = d = sim_atom_is_wide(i, arch) ? 2 : 1;
        a = i->op == OP_ATOMS || i->op == OP_ATOMS_CAS ? 1 : 2;
        break;
    case OP_RED_F:
    case OP_ATOMG_F: b = d = i->mods[MOD_TYPE] == 15 ? 2 : 1, a = 2; break;
    case OP_QSPC: a = 2; break;
    case OP_TXQ:
    case OP_TXQ_B: a = i->op == OP_TXQ ? 1 : 2; break;
    case OP_TEX:
    case OP_TLD:
    case OP_TLD4:
    case OP_TXD:
    case OP_TEX_B:
    case OP_TLD_B:
    case OP_TLD4_B:
    case OP_TXD_B: texture_words(i, &a, &b); break;
    case OP_SULD:
    case OP_SUST:
    case OP_SULD_B:
    case OP_SUST_B: b = d = access_words(i), a = sim_texture_coordinates(i); break;
    case OP_SURED:
    case OP_SURED_B:
        b = i->mods[MOD_TYPE] == 2 || i->mods[MOD_TYPE] == 5 ? 2 : 1;
        a = sim_texture_coordinates(i);
        break;
    case OP_F2F_64:
    case OP_F2I_64:
    case OP_I2F_64:
    case OP_FRND_64: b = i->mods[MOD_SRC] == 3 ? 2 : 1, d = i->mods[MOD_DST] == 3 ? 2 : 1; break;
    case OP_HMMA:
    case OP_IMMA: { /* tf32 has two words where f16 has one; m16 twice as many of A as of B */
        const bool tf32 = i->op == OP_HMMA && i->mods[MOD_TYPE] == 2;
        const bool rows = i->op == OP_HMMA || i->mods[MOD_TYPE];
        b = tf32 ? (i->mods[MOD_MODE] & 8 ? 1 : 2) : i->mods[MOD_MODE] & 1 ? 2 : 1;
        a = rows ? 2 * b : b;
        c = d = i->op == OP_IMMA ? (rows ? 4 : 2) : i->mods[MOD_MODE] & 2 ? 4 : 2;
        break;
    }
    case OP_LEPC: d = 2; break;
    case OP_CALL: a = 2; break;
    case OP_DMMA: c = d = 4, a = b = 2; break;
    case OP_CS2R: d = i->mods[MOD_WIDE] ? 2 : 1; break;
    default: break;
    }
    if (o & O_A)
        add(u, &i->a, a);
    if (o & (O_B | O_B32))
        add(u, &i->b, b);
    if (o & (O_C | O_C64))
        add(u, &i->c, c);
    if (o & O_D2)
        d = (unsigned)__builtin_popcount(i->mods[MOD_MASK]);
    for (unsigned k = 0; o & O_D && i->d != SASS_NONE && k < d; k++)
        u->writes[u->nwrites++] = (uint16_t)(i->d + k);
    const struct sass_pred p[] = {i->p, i->q, i->r};
    const bool counts = i->mods[MOD_MODE] == 2; /* barriers: those that reduce a predicate */
    const bool barrier =
        i->op == OP_BAR || i->op == OP_BAR_R || i->op == OP_BAR_N || i->op == OP_BAR_C;
    for (unsigned k = 0; k < 3 && (counts || !barrier); k++)
        if (p[k].reg != SASS_NONE && o & (O_P | O_P_IN | O_QX | O_QC))
            u->preds[u->npreds++] = (uint8_t)p[k].reg;
    if (o & O_PD && i->pd != SASS_NONE)
        u->sets[u->nsets++] = (uint8_t)i->pd;
    if (o & O_PE && i->pe != SASS_NONE)
        u->sets[u->nsets++] = (uint8_t)i->pe;
}
