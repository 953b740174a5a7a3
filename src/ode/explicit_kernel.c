/* What explicit_kernel.h says. No two of the vectors are the same. */
#include "ode/explicit_kernel.h"

#include "math/lanes.h"

static void predict(const pl_explicit_step *step, size_t first, size_t last)
{
  const double h = step->h, *restrict v = step->v, *restrict own = step->own;
  double *restrict f = step->f, *restrict work = step->work, *restrict q = step->q;
  for (size_t i = first; i < last; i++) {
    f[i] = h * (v[i] + 0.5 * h * own[i]);
    work[i] = v[i] + h * own[i];
  }
  for (size_t i = first; q && i < last; i++) q[i] += f[i];
}

static void accelerate(const pl_explicit_step *step, double drag, size_t first, size_t last)
{
  const double of_whole = 1 / (1 + drag);
  double *restrict a = step->a, *restrict f = step->f, *restrict own = step->own;
  double *restrict change = step->work;
  for (size_t i = first; i < last; i++) {
    double next = of_whole * (f[i] + drag * a[i]);
    f[i] = own[i];
    change[i] = next - a[i];
    own[i] = a[i] = next;
  }
}

static void speed_up(const pl_explicit_step *step, size_t first, size_t last)
{
  const double h = step->h, *restrict f = step->f, *restrict own = step->own;
  double *restrict v = step->v;
  for (size_t i = first; i < last; i++) v[i] += 0.5 * h * (f[i] + own[i]);
}

static void kick(const pl_explicit_step *step, size_t first, size_t last)
{
  const double h = step->h, *restrict own = step->own;
  double *restrict v = step->v, *restrict dq = step->dq;
  for (size_t i = first; i < last; i++) v[i] += 0.5 * h * own[i];
  for (size_t i = first; dq && i < last; i++) dq[i] = h * v[i];
}

const pl_explicit_kernel PL_VARIANT(pl_explicit_kernel) = {predict, accelerate, speed_up, kick};
