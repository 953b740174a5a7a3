/* The family of material laws. */
#include "material/material.h"

#define X(name) &pl_law_##name##_base.info,
static const pl_member *const members[] = {PL_LAWS(X) NULL};
#undef X

const pl_family pl_law_family = {
    .name = "law",
    .summary = "which stress answers a strain",
    .members = members,
};

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
  int index = 0;
  while (members[index] && members[index] != member) index++;
  return pl_law_at(index);
}
