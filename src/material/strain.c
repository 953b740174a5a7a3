/* The family of strain measures. */
#include "material/material.h"

#define X(name) &pl_strain_##name##_base.info,
static const pl_member *const members[] = {PL_STRAINS(X) NULL};
#undef X

const pl_family pl_strain_family = {
    .name = "strain",
    .summary = "how a deformation is turned into a strain",
    .members = members,
};

const pl_strain_ops *pl_strain_at(int index)
{
#define X(name) PL_PICK_VARIANT(&pl_strain_##name),
  const pl_strain_ops *const measures[] = {PL_STRAINS(X)};
#undef X
  int count = (int)(sizeof measures / sizeof *measures);
  return index >= 0 && index < count ? measures[index] : NULL;
}
