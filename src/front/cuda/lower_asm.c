/* Inline PTX to IR. */
#include "front/cuda/lower.h"

void lo_asm(struct lower *l, struct stmt *s)
{
    cu_error(l->f, s->assembly->text_span, "inline PTX is not supported yet");
}
