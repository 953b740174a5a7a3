/* The family of material laws. */
#include "material/material.h"

#include "core/family.h"

#define X(name) &pl_law_##name##_base.info,
PL_FAMILY(law, "which stress answers a strain", PL_LAWS(X));
#undef X

const pl_law_ops *pl_law_at(int index)
{
#define X(name) PL_PICK_VARIANT(&pl_law_##name),
  const pl_law_ops *const laws[] = {PL_LAWS(X)};
#undef X
  int count = (int)(sizeof laws / sizeof *laws);
  return index >= 0 && index < count ? laws[index] : NULL;
}

const pl_law_ops *pl_law_of(const pl_member *member)
{
  const pl_member *const *members = pl_law_family.members;
  int index = 0;
  while (members[index] && members[index] != member) index++;
  return pl_law_at(index);
}

const pl_fading_ops *pl_fading_of(void) { return PL_PICK_VARIANT(&pl_fading); }
