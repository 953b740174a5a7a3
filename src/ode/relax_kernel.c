/* Sweeps over relations, four at once; relax.c has the formulas.
 *
 * Particles stand in memory as x y z w with w the inverse mass, so that loads and stores are whole
 * vectors. With d = x_a - x_b and the length l of d the correction is s w_a d and -s w_b d,
 *
 *   s = (rest - l - A lambda - g d.(dx_a - dx_b)/l) / (((1 + g) (w_a + w_b) + A) l),
 *
 * one root and one division. A negative w marks a block that constraints leave partly free: in
 * those batches w_a is w_a P_a, and w_a + w_b is d.(w_a P_a + w_b P_b) d / l^2. */
#include "ode/relax.h"

#include "math/lanes_mat3.h"

/* Four blocks as x, y, z, w. */
PL_INLINE void load(const double *from, const int *blocks, pl_lanes *out)
{
  pl_lanes rows[PL_LANES];
  for (int lane = 0; lane < PL_LANES; lane++)
    rows[lane] = pl_lanes_load(from + 4 * (size_t)blocks[lane]);
  pl_lanes_transpose(rows, out);
}

PL_INLINE void store(double *to, const int *blocks, const pl_lanes *in)
{
  pl_lanes rows[PL_LANES];
  pl_lanes_transpose(in, rows);
  for (int lane = 0; lane < PL_LANES; lane++)
    pl_lanes_store(to + 4 * (size_t)blocks[lane], rows[lane]);
}

/* g d.(dx_a - dx_b). */
PL_INLINE pl_lanes moved(const pl_sweep *now, const pl_relation_batch *of, const pl_lanes *d)
{
  pl_lanes a[4], b[4], old[3];
  load(now->relations->before, of->ends[0], a);
  load(now->relations->before, of->ends[1], b);
  for (int k = 0; k < 3; k++) old[k] = d[k] - (a[k] - b[k]);
  return pl_lanes_dot3(d, old);
}

/* s of a batch with the inverse mass w along d, whose length is l. */
PL_INLINE pl_lanes measure(const pl_sweep *now, const int sums, const int damped, int batch,
                           const pl_lanes *d, pl_lanes l, pl_lanes w)
{
  const pl_relation_batch *of = &now->relations->batches[batch];
  double *force = now->relations->force + PL_LANES * (size_t)batch;
  pl_lanes A = pl_lanes_all(0), top = of->rest - l;
  if (!now->rigid) A = of->compliance * (1 / (now->h * now->h));
  if (sums) top -= A * pl_lanes_load(force);
  if (damped) {
    const pl_lanes g = of->compliance * of->damping * (1 / now->h);
    top -= g * moved(now, of, d) / l;
    w += g * w;
  }
  const pl_lanes zero = pl_lanes_all(0), below = (w + A) * l;
  const pl_lanes s = pl_lanes_pick(below > zero, top / below, zero);
  if (sums) pl_lanes_store(force, pl_lanes_load(force) + s * l);
  return s;
}

/* out = w P d of four blocks. */
PL_INLINE void push(const double *free, const int *blocks, const pl_lanes *d, pl_lanes *out)
{
  for (int k = 0; k < 3; k++) {
    pl_lanes rows[PL_LANES], row[PL_LANES];
    for (int lane = 0; lane < PL_LANES; lane++)
      rows[lane] = pl_lanes_load(free + 12 * (size_t)blocks[lane] + 4 * k);
    pl_lanes_transpose(rows, row);
    out[k] = pl_lanes_dot3(row, d);
  }
}

/* A batch of which constraints leave some blocks partly free. */
static void satisfy_constrained(const pl_sweep *now, int sums, int damped, int batch)
{
  const pl_relation_batch *of = &now->relations->batches[batch];
  double *x = now->relations->x;
  pl_lanes a[4], b[4], d[3], to_a[3], to_b[3], both[3];
  load(x, of->ends[0], a);
  load(x, of->ends[1], b);
  for (int k = 0; k < 3; k++) d[k] = a[k] - b[k];
  push(now->relations->free, of->ends[0], d, to_a);
  push(now->relations->free, of->ends[1], d, to_b);
  for (int k = 0; k < 3; k++) both[k] = to_a[k] + to_b[k];
  const pl_lanes zero = pl_lanes_all(0), square = pl_lanes_dot3(d, d);
  const pl_lanes w = pl_lanes_pick(square > zero, pl_lanes_dot3(d, both) / square, zero);
  const pl_lanes s = measure(now, sums, damped, batch, d, pl_lanes_sqrt(square), w);
  for (int k = 0; k < 3; k++) {
    a[k] += s * to_a[k];
    b[k] -= s * to_b[k];
  }
  store(x, of->ends[0], a);
  store(x, of->ends[1], b);
}

PL_INLINE void satisfy(const pl_sweep *now, const int sums, const int damped, int batch)
{
  const pl_relation_batch *of = &now->relations->batches[batch];
  double *x = now->relations->x;
  pl_lanes a[4], b[4], d[3];
  load(x, of->ends[0], a);
  load(x, of->ends[1], b);
  if (__builtin_expect(pl_lanes_any((a[3] < 0) | (b[3] < 0)), 0)) {
    satisfy_constrained(now, sums, damped, batch);
    return;
  }
  for (int k = 0; k < 3; k++) d[k] = a[k] - b[k];
  const pl_lanes l = pl_lanes_sqrt(pl_lanes_dot3(d, d));
  const pl_lanes s = measure(now, sums, damped, batch, d, l, a[3] + b[3]);
  const pl_lanes at_a = s * a[3], at_b = s * b[3];
  for (int k = 0; k < 3; k++) {
    a[k] += at_a * d[k];
    b[k] -= at_b * d[k];
  }
  store(x, of->ends[0], a);
  store(x, of->ends[1], b);
}

void PL_VARIANT(pl_relax_batches)(const pl_sweep *now, int first, int last)
{
  if (now->damped) {
    for (int i = first; i < last; i++) satisfy(now, 1, 1, i);
  } else if (now->sums) {
    for (int i = first; i < last; i++) satisfy(now, 1, 0, i);
  } else {
    for (int i = first; i < last; i++) satisfy(now, 0, 0, i);
  }
}
