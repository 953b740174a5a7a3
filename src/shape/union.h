/* What unions of shapes share: boxes and drawings of their parts. */
#ifndef PL_SHAPE_UNION_H
#define PL_SHAPE_UNION_H

#include "shape/obstacle.h"

void pl_union_bounds(const pl_shape *self, double low[3], double high[3]);
pl_status pl_union_draw(const pl_shape *self, const pl_drawing_view *view, pl_drawing *drawing,
                        pl_error *error);

#endif
