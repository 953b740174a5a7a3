/* The family of obstacles. */
#include "shape/obstacle.h"

#define X(name) &pl_obstacle_##name.info,
static const pl_member *const members[] = {PL_OBSTACLES(X) NULL};
#undef X

const pl_family pl_obstacle_family = {
    .name = "obstacle",
    .summary = "rigid things that bodies touch",
    .members = members,
};
