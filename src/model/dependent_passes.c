/* From blocks to nodes and back: x = T q with rotated arms, v = T v, f += T^T f.
 *
 * Positions of nodes are independent of each other, so they are shared out by nodes. Forces are
 * summed by the blocks that carry nodes, each in the order of its nodes: so no two threads add to
 * the same block, and the bits are those of one thread. Where there are rigid parts, which carry
 * many nodes each, forces are summed by one thread. */
#include "core/error.h"
#include "core/memory.h"
#include "math/vec3.h"
#include "model/dependent.h"
#include "sparse/filter.h"
#include "sparse/passes.h"

#include <string.h>

/* ---- free nodes ---- */

/* The free nodes are the first blocks in their order, so runs between the others are copied whole;
 * bodies number what hangs last, which makes it one run. */
static int are_first(const pl_dependent *at)
{
  return at->others.count == 0 || at->others.list[0] == at->free;
}

static void add_run(const double *from, double *to, size_t numbers)
{
  for (size_t i = 0; i < numbers; i++) to[i] += from[i];
}

static void copy_free(const pl_dependent *at, const double *q, double *out, pl_pool *pool)
{
  if (are_first(at)) {
    pl_pass_copy(q, out, at->free, 1, pool);
    return;
  }
  size_t block = 0, node = 0;
  for (int i = 0; i <= at->others.count; i++) {
    size_t end = (size_t)(i < at->others.count ? at->others.list[i] : at->nodes);
    memcpy(out + 3 * node, q + 3 * block, 3 * (end - node) * sizeof *out);
    block += end - node;
    node = end + 1;
  }
}

static void add_free(const pl_dependent *at, const double *nodal, double *f)
{
  size_t block = 0, node = 0;
  for (int i = 0; i <= at->others.count; i++) {
    size_t end = (size_t)(i < at->others.count ? at->others.list[i] : at->nodes);
    add_run(nodal + 3 * node, f + 3 * block, 3 * (end - node));
    block += end - node;
    node = end + 1;
  }
}

/* ---- nodes that are carried ---- */

enum { NODES_PER_CHUNK = 64 };

typedef struct nodal_pass {
  const pl_dependent *at;
  pl_node_list those;
  const double *from, *arms;
  double *out;
  void (*node)(const struct nodal_pass *p, int node, double to[3]);
} nodal_pass;

static void place_node(const nodal_pass *p, int node, double to[3])
{
  const pl_carried *by = &p->at->carried;
  for (int k = by->start[node]; k < by->start[node + 1]; k++) {
    pl_vec3_add_scaled(by->weights[k], p->from + 3 * (size_t)by->blocks[k], to);
    pl_vec3_add(to, p->arms + 3 * (size_t)k, to);
  }
}

static void move_node(const nodal_pass *p, int node, double to[3])
{
  const pl_carried *by = &p->at->carried;
  for (int k = by->start[node]; k < by->start[node + 1]; k++) {
    const double *with = p->from + 3 * (size_t)by->blocks[k];
    double turning[3];
    pl_vec3_add_scaled(by->weights[k], with, to);
    if (!pl_dependent_turns(p->at, k)) continue;
    pl_vec3_cross(with, p->arms + 3 * (size_t)k, turning);
    pl_vec3_add(to, turning, to);
  }
}

/* Where nothing rotates: a weighted mean, of places and of velocities alike. */
static void mean_chunk(void *context, int chunk)
{
  const nodal_pass *p = context;
  int first = chunk * NODES_PER_CHUNK, last = first + NODES_PER_CHUNK;
  if (last > p->at->means.count) last = p->at->means.count;
  pl_dependent_kernel_pick()->mean(&p->at->means, first, last, p->from, p->out);
}

static void nodal_chunk(void *context, int chunk)
{
  const nodal_pass *p = context;
  int first = chunk * NODES_PER_CHUNK, last = first + NODES_PER_CHUNK;
  for (int i = first; i < last && i < p->those.count; i++) {
    double to[3] = {0};
    p->node(p, p->those.list[i], to);
    pl_vec3_copy(to, p->out + 3 * (size_t)p->those.list[i]);
  }
}

static void to_nodes(nodal_pass *p, pl_pool *pool)
{
  int has_means = p->at->means.places && p->those.list == p->at->felt.list;
  copy_free(p->at, p->from, p->out, pool);
  pl_parallel(pool, pl_chunk_count(p->those.count, NODES_PER_CHUNK),
              has_means ? mean_chunk : nodal_chunk, p);
}

void pl_dependent_place(const pl_dependent *at, pl_node_list those, const double *q,
                        const double *arms, double *out, pl_pool *pool)
{
  nodal_pass p = {at, those, q, arms, out, place_node};
  to_nodes(&p, pool);
}

void pl_dependent_move(const pl_dependent *at, pl_node_list those, const double *v,
                       const double *arms, double *out, pl_pool *pool)
{
  nodal_pass p = {at, those, v, arms, out, move_node};
  to_nodes(&p, pool);
}

/* ---- forces ---- */

/* What nodes hand on to one block after the other. */
static void spread_node(const pl_dependent *at, int node, const double force[3], const double *arms,
                        double *f)
{
  const pl_carried *by = &at->carried;
  for (int k = by->start[node]; k < by->start[node + 1]; k++) {
    double *to = f + 3 * (size_t)by->blocks[k], torque[3];
    pl_vec3_add_scaled(by->weights[k], force, to);
    if (!at->part_count || !pl_dependent_turns(at, k)) continue;
    pl_vec3_cross(arms + 3 * (size_t)k, force, torque);
    pl_vec3_add(to, torque, to);
  }
}

static void spread_list(const pl_dependent *at, pl_node_list those, const double *nodal,
                        const double *arms, double *f)
{
  add_free(at, nodal, f);
  for (int i = 0; i < those.count && !at->ties.averaged; i++)
    spread_node(at, those.list[i], nodal + 3 * (size_t)those.list[i], arms, f);
}

void pl_dependent_spread(const pl_dependent *at, const double *nodal, const double *arms, double *f)
{
  spread_list(at, at->others, nodal, arms, f);
}

typedef struct gathering {
  const pl_dependent *at;
  const double *nodal;
  double *f;
} gathering;

static void gather_range(void *context, int first, int last)
{
  const gathering *g = context;
  const pl_carrying *by = &g->at->felt_by;
  const pl_dependent_kernel *kernel = pl_dependent_kernel_pick();
  const pl_filter carriers = {.count = by->count, .nodes = by->blocks};
  kernel->add(first, last, g->nodal, g->f);
  if (g->at->ties.averaged) return;
  kernel->gather(by, pl_filter_from(&carriers, first), last, g->nodal, g->f);
}

void pl_dependent_gather(const pl_dependent *at, const double *nodal, double *f, pl_pool *pool)
{
  gathering g = {at, nodal, f};
  if (at->part_count || !are_first(at))
    spread_list(at, at->felt, nodal, at->arms, f);
  else
    pl_defer_range(at->free, gather_range, &g, sizeof g, pool);
}

int pl_dependent_is_ranges(const pl_dependent *at) { return !at->part_count && are_first(at); }

void pl_dependent_clear(const pl_dependent *at, double *nodal, pl_pool *pool)
{
  size_t free = (size_t)at->free, rest = (size_t)at->nodes - free;
  pl_pass_clear(nodal, at->free, pool);
  memset(nodal + 3 * free, 0, 3 * rest * sizeof *nodal);
}
