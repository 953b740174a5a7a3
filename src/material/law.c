/* The family of material laws. */
#include "material/material.h"

#define X(name) &pl_law_##name.info,
static const pl_member *const members[] = {PL_LAWS(X) NULL};
#undef X

const pl_family pl_law_family = {
    .name = "law",
    .summary = "which stress answers a strain",
    .members = members,
};
