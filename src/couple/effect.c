/* The family of effects. */
#include "couple/effect.h"

#define X(name) &pl_coupling_##name.info,
PL_FAMILY(effect, "couplings on a body that their parameters describe", PL_EFFECTS(X));
#undef X
