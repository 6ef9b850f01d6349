/* Textures and surfaces: a table of descriptions, and the sampler of rt/texture.h for each access.
 *
 * A handle is a position in the table, counted from 1, with a mark. The table never moves, so that
 * kernels look things up without a lock. */
#include <stdlib.h>
#include "rt/dev/cpu/cpu_int.h"

#define HANDLE_MARK (UINT64_C(0x7c) << 48)

struct cpu_textures {
    struct texture_desc *_Atomic at[CPU_MAX_TEXTURES];
};

enum tern_error cpu_texture_new(struct dev *d, const struct texture_desc *desc, uint64_t *handle)
{
    *handle = 0;
    if (!desc->nlevels)
        return TERN_INVALID_ARGUMENT;
    struct texture_desc *mine = malloc(sizeof *mine);
    if (!mine)
        return TERN_OUT_OF_MEMORY;
    *mine = *desc;
    pthread_mutex_lock(&d->lock);
    if (!d->textures)
        d->textures = calloc(1, sizeof *d->textures);
    unsigned k = 0;
    while (d->textures && k < CPU_MAX_TEXTURES && atomic_load(&d->textures->at[k]))
        k++;
    bool room = d->textures && k < CPU_MAX_TEXTURES;
    if (room) {
        atomic_store(&d->textures->at[k], mine);
        *handle = HANDLE_MARK + k + 1;
    }
    pthread_mutex_unlock(&d->lock);
    if (!room)
        free(mine);
    return room ? TERN_OK : TERN_OUT_OF_MEMORY;
}

enum tern_error cpu_texture_free(struct dev *d, uint64_t handle)
{
    uint64_t k = handle - HANDLE_MARK - 1;
    struct texture_desc *was = NULL;
    if (d->textures && k < CPU_MAX_TEXTURES)
        was = atomic_exchange(&d->textures->at[k], NULL);
    free(was);
    return was ? TERN_OK : TERN_INVALID_HANDLE;
}

void cpu_textures_close(struct dev *d)
{
    for (unsigned k = 0; d->textures && k < CPU_MAX_TEXTURES; k++)
        free(d->textures->at[k]);
    free(d->textures);
}

const char *cpu_texture_access(struct dev *d, uint32_t what, uint32_t type, uint64_t imm,
                               const uint64_t *args, uint32_t count, uint64_t *results)
{
#define X(op) IR_OP_##op,
    static const enum ir_op ops[] = {CPU_TEXTURE_OPS(X)};
#undef X
    uint64_t k = args[0] - HANDLE_MARK - 1;
    struct texture_desc *t =
        d->textures && k < CPU_MAX_TEXTURES ? atomic_load(&d->textures->at[k]) : NULL;
    if (!t)
        return "the handle names no texture or surface";
    return texture_access(t, (void *)(uintptr_t)t->memory, ops[what], (ir_type)type, imm, args + 1,
                          count - 1, results);
}
