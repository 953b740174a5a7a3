/* Three numbers as a pair and one. */
#include "model/dependent_kernel.h"

#include "math/lanes.h"

#include <stddef.h>
#include <string.h>

typedef double pair __attribute__((vector_size(16)));

typedef struct triple {
  pair xy;
  double z;
} triple;

PL_INLINE triple load(const double *from)
{
  triple t;
  memcpy(&t.xy, from, sizeof t.xy);
  t.z = from[2];
  return t;
}

PL_INLINE void store(triple t, double *to)
{
  memcpy(to, &t.xy, sizeof t.xy);
  to[2] = t.z;
}

PL_INLINE triple add(triple a, triple b) { return (triple){a.xy + b.xy, a.z + b.z}; }
PL_INLINE triple scale(double w, triple a) { return (triple){w * a.xy, w * a.z}; }

/* + 0: as a sum from zero on has it, without a negative zero. */
PL_INLINE void store_mean(double w, triple sum, double *to)
{
  const triple zero = {{0, 0}, 0};
  store(add(scale(w, sum), zero), to);
}

/* t + the weighted sum of entries [first, last). */
PL_INLINE triple add_weighted(triple t, const double *weights, const int *places, int first,
                              int last, const double *from)
{
  for (int k = first; k < last; k++) t = add(t, scale(weights[k], load(from + places[k])));
  return t;
}

static int mean_edges(const pl_means *m, int i, int last, const double *from, double *to)
{
  const int *of = m->blocks + 2 * (ptrdiff_t)i;
  for (; i < last && i < m->edges; i++, of += 2)
    store_mean(0.5, add(load(from + of[0]), load(from + of[1])), to + m->places[i]);
  return i;
}

static int mean_faces(const pl_means *m, int i, int last, const double *from, double *to)
{
  const int *of = m->blocks + 2 * (ptrdiff_t)m->edges + 4 * (ptrdiff_t)(i - m->edges);
  for (; i < last && i < m->edges + m->faces; i++, of += 4) {
    triple sum = add(load(from + of[0]), load(from + of[1]));
    sum = add(add(sum, load(from + of[2])), load(from + of[3]));
    store_mean(0.25, sum, to + m->places[i]);
  }
  return i;
}

static void mean(const pl_means *m, int first, int last, const double *from, double *to)
{
  int i = mean_edges(m, first, last, from, to);
  i = mean_faces(m, i, last, from, to);
  for (; i < last; i++) {
    const int *entry = m->others + (i - m->edges - m->faces);
    const triple zero = {{0, 0}, 0};
    store(add_weighted(zero, m->weights, m->blocks, entry[0], entry[1], from), to + m->places[i]);
  }
}

static void add_blocks(int first, int last, const double *nodal, double *f)
{
  for (size_t i = 3 * (size_t)first; i < 3 * (size_t)last; i++) f[i] += nodal[i];
}

static void gather(const pl_carrying *by, int i, int last, const double *nodal, double *f)
{
  for (; i < by->count && by->blocks[i] < last; i++) {
    double *to = f + 3 * (size_t)by->blocks[i];
    store(add_weighted(load(to), by->weights, by->nodes, by->start[i], by->start[i + 1], nodal),
          to);
  }
}

const pl_dependent_kernel PL_VARIANT(pl_dependent_kernel) = {mean, add_blocks, gather};
