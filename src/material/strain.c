/* The family of strain measures. */
#include "material/material.h"

#include "core/family.h"

/* Warped strain belongs to a node and its neighbours, not to a point: the model computes it. */
static const pl_strain_ops warped = {
    .info =
        {
            .name = "warped",
            .summary = "linear strain, turned with each node: a constant stiffness, 1.1 of "
                       "linear's cost, keeps the volume; not symmetric, no energy, a small force "
                       "left over (see momentum); corotated is sounder",
            .source = "Mueller et al. 2002, section 3",
        },
    .rotation_invariant = 1,
};

#define X(name) &pl_strain_##name##_base.info,
PL_FAMILY(strain, "how a deformation is turned into a strain", PL_STRAINS(X) & warped.info, );
#undef X

const pl_strain_ops *pl_strain_at(int index)
{
#define X(name) PL_PICK_VARIANT(&pl_strain_##name),
  const pl_strain_ops *const measures[] = {PL_STRAINS(X) & warped};
#undef X
  int count = (int)(sizeof measures / sizeof *measures);
  return index >= 0 && index < count ? measures[index] : NULL;
}
