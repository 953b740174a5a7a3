/* A law and the modifiers added to it: energies, stresses and tangents are summed. */
#include "material/invariant_point.h"
#include "material/material.h"

static void add_layers(const pl_point *point, double kq, int semidefinite, pl_lanes *P, pl_lanes *W,
                       pl_lanes *H)
{
  const pl_layers *layers = point->layers;
  for (int i = 0; i < layers->count; i++)
    layers->modifiers[i]->add(point, point->layer_numbers + i * PL_MODIFIER_NUMBERS, kq,
                              semidefinite, P, W, H);
}

static void stress(const pl_point *point, pl_lanes *P, pl_lanes *W)
{
  point->layers->law->stress(point, P, W);
  add_layers(point, 1, 0, P, W, NULL);
}

static void tangent(const pl_point *point, double kq, double kv, int semidefinite, pl_lanes *P,
                    pl_lanes *H)
{
  point->layers->law->tangent(point, kq, kv, semidefinite, P, H);
  add_layers(point, kq, semidefinite, P, NULL, H);
}

const pl_point_ops PL_VARIANT(pl_layered_points) = {
    .stress = stress, .tangent = tangent, .shape = pl_whole_shape};
