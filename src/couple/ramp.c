/* Factors over time. */
#include "couple/ramp.h"

#include "core/error.h"
#include "core/memory.h"

#include <math.h>
#include <string.h>

pl_status pl_ramp_copy(const pl_allocator *allocator, const pl_ramp *from, pl_own_ramp *to,
                       pl_error *error)
{
  *to = (pl_own_ramp){0};
  if (from->count < 0 || (from->count > 0 && (!from->times || !from->factors)))
    return pl_fail(error, PL_E_ARGUMENT, "a ramp needs as many factors as times");
  for (int i = 0; i < from->count; i++) {
    if (!isfinite(from->times[i]) || !isfinite(from->factors[i]) ||
        (i > 0 && !(from->times[i] > from->times[i - 1])))
      return pl_fail(error, PL_E_ARGUMENT, "a ramp's times must be finite and ascending");
  }
  if (from->count == 0) return PL_OK;
  size_t count = (size_t)from->count;
  to->times = pl_alloc(allocator, count, sizeof(double));
  to->factors = pl_alloc(allocator, count, sizeof(double));
  if (!to->times || !to->factors) {
    pl_ramp_release(allocator, to);
    return pl_fail_memory(error);
  }
  memcpy(to->times, from->times, count * sizeof(double));
  memcpy(to->factors, from->factors, count * sizeof(double));
  to->count = from->count;
  return PL_OK;
}

void pl_ramp_release(const pl_allocator *allocator, pl_own_ramp *ramp)
{
  pl_free(allocator, ramp->times);
  pl_free(allocator, ramp->factors);
  *ramp = (pl_own_ramp){0};
}

double pl_ramp_at(const pl_own_ramp *ramp, double t)
{
  int n = ramp->count;
  if (n == 0) return 1;
  if (t <= ramp->times[0]) return ramp->factors[0];
  for (int i = 1; i < n; i++) {
    if (t >= ramp->times[i]) continue;
    double s = (t - ramp->times[i - 1]) / (ramp->times[i] - ramp->times[i - 1]);
    return ramp->factors[i - 1] + s * (ramp->factors[i] - ramp->factors[i - 1]);
  }
  return ramp->factors[n - 1];
}
