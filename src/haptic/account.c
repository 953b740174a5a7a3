/* Impulses between ticks and steps; see account.h. */
#include "haptic/account.h"

#include "math/vec3.h"

#include <math.h>

void pl_account_add(pl_account *account, const double impulse[3], double seconds)
{
  pl_vec3_add(account->impulse, impulse, account->impulse);
  account->seconds += seconds;
}

void pl_account_take(pl_account *account, double h, double force[3])
{
  double left = fmin(fmax(account->seconds - h, 0), h);
  pl_vec3_scale(1 / fmax(account->seconds, h), account->impulse, force);
  pl_vec3_scale(left, force, account->impulse);
  account->seconds = left;
}
