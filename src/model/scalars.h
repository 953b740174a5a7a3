/* Blocks of three scalars behind those of the nodes, as the angles at edges of plates and rods. */
#ifndef PL_MODEL_SCALARS_H
#define PL_MODEL_SCALARS_H

#include "model/model.h"

/* Makes model->blocks nodes and, behind them, blocks of three scalars each for so many of them; the
 * last block's numbers that belong to none are held. kinds has room for all blocks. */
void pl_model_add_scalars(pl_model *model, int nodes, int scalars, unsigned char *kinds,
                          pl_block_hold *padding);

#endif
