/* Blocks of three scalars behind those of the nodes. */
#include "model/scalars.h"

#include "core/thread.h"

void pl_model_add_scalars(pl_model *model, int nodes, int scalars, unsigned char *kinds,
                          pl_block_hold *padding)
{
  model->blocks = nodes + pl_chunk_count(scalars, 3);
  for (int i = nodes; i < model->blocks; i++) kinds[i] = PL_BLOCK_SCALARS;
  padding->block = model->blocks - 1;
  for (int k = scalars % 3; k > 0 && k < 3; k++) padding->directions[padding->count++][k] = 1;
  model->kinds = kinds;
  model->has_scalars = 1;
  model->holds = padding;
  model->hold_count = padding->count > 0;
}
