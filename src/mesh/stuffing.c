/* Isosurface stuffing: F. Labelle, J. R. Shewchuk, "Isosurface stuffing: fast tetrahedral meshes
 * with good dihedral angles", ACM Transactions on Graphics 26(3), 2007, with tetrahedra of one
 * size.
 *
 * The body-centred cubic lattice has points at the corners and in the middles of cubes of edge
 * size. Lattice edges are long (size, between points of one kind) or short (sqrt(3)/2 size). Where
 * an edge runs from inside to outside it is cut by the surface. A lattice point that has a cut
 * nearer than LONG or SHORT times the edge's length moves onto it; the tetrahedra are then clipped
 * at the remaining cuts. Those two numbers are the ones for which the paper proves dihedral angles
 * between 10.7 and 164.8 degrees; over fields of pure noise 9.6 to 160.6 were seen here, so that 9
 * and 165 are what this file promises, whatever the surface does.
 *
 * Values are negative inside. Points are numbered: corners first, then middles. */
#include "core/error.h"
#include "core/memory.h"
#include "math/vec3.h"
#include "mesh/fill.h"

#include <math.h>
#include <string.h>

static const double LONG = 0.24999, SHORT = 0.41189;

enum { BLOCK = 8, EDGES = 7 };

static const pl_param params[] = {
    {"size", "m", "long edge of the tetrahedra; without it, as follows from elements", NAN, 1e-12,
     1e9, NULL, 0},
    {"elements", "count", "about how many elements, where no size is given", 10000, 1, 5e7, NULL,
     0},
};

/* The edges that a point owns, in half sizes; each point ends as many others. */
static const int edges[EDGES][3] = {{2, 0, 0},  {0, 2, 0},  {0, 0, 2},  {1, 1, 1},
                                    {1, -1, 1}, {1, 1, -1}, {1, -1, -1}};

typedef struct cut {
  double share[EDGES]; /* of the edge, from the owner to the surface; 0: not cut */
  int node[EDGES];     /* plus 1, 0: none yet                                     */
} cut;

typedef struct lattice {
  const pl_volume *volume;
  pl_heap heap;
  double origin[3], half; /* half: of the size */
  int cells[3];
  size_t corners, count;
  signed char *side;   /* 1 inside, -1 outside, 0 on the surface                */
  int *node;           /* of the point, plus 1; 0: none yet; below: its place in moved, minus 1 */
  int *cut;            /* of the point, plus 1; 0: no edge it owns is cut       */
  unsigned char *near; /* an edge at it is cut                                */
  cut *cuts;
  size_t cut_count, cut_room;
  double *moved; /* where the points on the surface have moved */
  size_t moved_count, moved_room;
} lattice;

/* ---- points ---- */

/* The number of the point at a place in half sizes, -1 outside the lattice. */
static int64_t point_at(const lattice *l, const int at[3])
{
  int odd = at[0] & 1, index[3];
  for (int k = 0; k < 3; k++) {
    index[k] = (at[k] - odd) / 2;
    if (at[k] < 0 || index[k] > l->cells[k] - odd) return -1;
  }
  int64_t row = l->cells[0] + 1 - odd, column = l->cells[1] + 1 - odd;
  return (odd ? (int64_t)l->corners : 0) + index[0] + row * (index[1] + column * index[2]);
}

static void place_of(const lattice *l, const int at[3], double place[3])
{
  for (int k = 0; k < 3; k++) place[k] = l->origin[k] + l->half * at[k];
}

/* Calls visit for every point; odd 0: corners, 1: middles. */
static void each_point(lattice *l, void (*visit)(lattice *l, const int at[3], size_t point))
{
  size_t point = 0;
  for (int odd = 0; odd < 2; odd++) {
    int at[3];
    for (at[2] = odd; at[2] <= 2 * l->cells[2] - odd; at[2] += 2) {
      for (at[1] = odd; at[1] <= 2 * l->cells[1] - odd; at[1] += 2) {
        for (at[0] = odd; at[0] <= 2 * l->cells[0] - odd; at[0] += 2) visit(l, at, point++);
      }
    }
  }
}

/* Points on the lattice's own boundary count as outside, whatever the volume says. */
static int is_outermost(const lattice *l, const int at[3])
{
  for (int k = 0; k < 3; k++) {
    if (at[k] < 2 || at[k] > 2 * l->cells[k] - 2) return 1;
  }
  return 0;
}

static void set_value(lattice *l, const int at[3], double value)
{
  int64_t point = point_at(l, at);
  if (point < 0) return;
  if (value < 0 && is_outermost(l, at)) value = -value;
  l->side[point] = value < 0 ? 1 : -1;
}

/* The values of one block of cells. Far from the surface one value serves for all: the surface is
 * then at least one edge away from every point. */
static void value_block(lattice *l, const int block[3])
{
  int start[3], stop[3];
  double middle[3], radius = 0;
  for (int k = 0; k < 3; k++) {
    start[k] = 2 * BLOCK * block[k];
    stop[k] = start[k] + 2 * BLOCK;
    middle[k] = l->origin[k] + l->half * 0.5 * (start[k] + stop[k]);
    radius += (BLOCK * l->half) * (BLOCK * l->half);
  }
  double value = l->volume->value(l->volume->context, middle);
  int far = fabs(value) > sqrt(radius) + 2 * l->half;
  int at[3];
  for (at[2] = start[2]; at[2] < stop[2]; at[2]++) {
    for (at[1] = start[1] + at[2] % 2; at[1] < stop[1]; at[1] += 2) {
      for (at[0] = start[0] + at[2] % 2; at[0] < stop[0]; at[0] += 2) {
        double place[3];
        place_of(l, at, place);
        set_value(l, at, far ? value : l->volume->value(l->volume->context, place));
      }
    }
  }
}

static void value_all(lattice *l)
{
  int block[3];
  for (block[2] = 0; block[2] <= l->cells[2] / BLOCK; block[2]++) {
    for (block[1] = 0; block[1] <= l->cells[1] / BLOCK; block[1]++) {
      for (block[0] = 0; block[0] <= l->cells[0] / BLOCK; block[0]++) value_block(l, block);
    }
  }
}

/* ---- cuts ---- */

/* Where the surface cuts the way from a to b, as a share of it: the false position method in its
 * Illinois form, which keeps both ends moving. */
static double find_cut(const pl_volume *volume, const double a[3], const double b[3])
{
  double low = 0, high = 1, at = 0.5;
  double at_low = volume->value(volume->context, a), at_high = volume->value(volume->context, b);
  if ((at_low < 0) == (at_high < 0)) return 0.5; // the outermost points only
  for (int i = 0, last = 0; i < 40 && high - low > 1e-6; i++) {
    double point[3];
    at = (low * at_high - high * at_low) / (at_high - at_low);
    if (!(at > low && at < high)) at = 0.5 * (low + high);
    for (int k = 0; k < 3; k++) point[k] = a[k] + at * (b[k] - a[k]);
    double value = volume->value(volume->context, point);
    if (fabs(value) < 1e-7 * fabs(at_low - at_high)) break;
    if ((value < 0) == (at_low < 0)) {
      low = at;
      at_low = value;
      if (last == -1) at_high *= 0.5;
      last = -1;
    } else {
      high = at;
      at_high = value;
      if (last == 1) at_low *= 0.5;
      last = 1;
    }
  }
  return fmin(fmax(at, 1e-9), 1 - 1e-9);
}

static void cut_edges(lattice *l, const int at[3], size_t point)
{
  for (int e = 0; e < EDGES && !l->heap.failed; e++) {
    int to[3] = {at[0] + edges[e][0], at[1] + edges[e][1], at[2] + edges[e][2]};
    int64_t other = point_at(l, to);
    if (other < 0 || l->side[point] == l->side[other]) continue;
    if (!l->cut[point]) {
      void *cuts = l->cuts;
      if (pl_reserve(&l->heap.allocator, &cuts, &l->cut_room, l->cut_count + 1, sizeof *l->cuts)) {
        l->heap.failed = 1;
        return;
      }
      l->cuts = cuts;
      l->cuts[l->cut_count] = (cut){.share = {0}};
      l->cut[point] = (int)++l->cut_count;
    }
    double a[3], b[3];
    place_of(l, at, a);
    place_of(l, to, b);
    l->cuts[l->cut[point] - 1].share[e] = find_cut(l->volume, a, b);
    l->near[point] = l->near[other] = 1;
  }
}

/* ---- moving points onto the surface ---- */

/* Moves a point to the nearest cut that is too near; the cuts of all its edges are gone then. */
static void move_point(lattice *l, const int at[3], size_t point)
{
  if (!l->near[point] || l->heap.failed) return;
  double best = 1, place[3] = {0};
  for (int e = 0; e < 2 * EDGES; e++) {
    int sign = e < EDGES ? 1 : -1, row = e % EDGES, to[3];
    for (int k = 0; k < 3; k++) to[k] = at[k] + sign * edges[row][k];
    int64_t other = point_at(l, to);
    if (other < 0 || l->side[other] != -l->side[point]) continue;
    int owner = l->cut[sign > 0 ? point : (size_t)other];
    double share = l->cuts[owner - 1].share[row];
    if (sign < 0) share = 1 - share;
    double limit = row < 3 ? LONG : SHORT;
    if (share >= limit || share / limit >= best) continue;
    best = share / limit;
    for (int k = 0; k < 3; k++)
      place[k] = l->origin[k] + l->half * (at[k] + share * (to[k] - at[k]));
  }
  if (best >= 1) return;
  void *moved = l->moved;
  if (pl_reserve(&l->heap.allocator, &moved, &l->moved_room, l->moved_count + 1, sizeof place)) {
    l->heap.failed = 1;
    return;
  }
  l->moved = moved;
  pl_vec3_copy(place, l->moved + 3 * l->moved_count);
  l->side[point] = 0;
  l->node[point] = -(int)++l->moved_count;
}

/* ---- clipping ---- */

/* A tetrahedron of the lattice; a corner's kind tells the parity of its place among its kind. */
typedef struct corner {
  int at[3];
  size_t point;
} corner;

static int corner_node(lattice *l, const corner *c)
{
  int *node = &l->node[c->point];
  if (*node <= 0) {
    double place[3];
    if (*node < 0)
      pl_vec3_copy(l->moved + 3 * (-*node - 1), place);
    else
      place_of(l, c->at, place);
    *node = pl_heap_node(&l->heap, place) + 1;
  }
  return *node - 1;
}

/* The node where the edge between two corners is cut. */
static int cut_node(lattice *l, const corner *a, const corner *b)
{
  for (int e = 0; e < EDGES; e++) {
    int sign = 0;
    for (int s = -1; s <= 1; s += 2) {
      if (b->at[0] - a->at[0] == s * edges[e][0] && b->at[1] - a->at[1] == s * edges[e][1] &&
          b->at[2] - a->at[2] == s * edges[e][2])
        sign = s;
    }
    if (!sign) continue;
    const corner *owner = sign > 0 ? a : b, *other = sign > 0 ? b : a;
    cut *found = &l->cuts[l->cut[owner->point] - 1];
    if (!found->node[e]) {
      double from[3], to[3], place[3];
      place_of(l, owner->at, from);
      place_of(l, other->at, to);
      for (int k = 0; k < 3; k++) place[k] = from[k] + found->share[e] * (to[k] - from[k]);
      found->node[e] = pl_heap_node(&l->heap, place) + 1;
    }
    return found->node[e] - 1;
  }
  return -1;
}

static int is_long(const corner *a, const corner *b) { return (a->at[0] & 1) == (b->at[0] & 1); }

/* Of two neighbours of one kind, one is even. */
static int is_even(const corner *c)
{
  int odd = c->at[0] & 1;
  return (((c->at[0] - odd) + (c->at[1] - odd) + (c->at[2] - odd)) / 2) % 2 == 0;
}

/* The face of two inside corners p, q and the outside corner n is cut to a quadrilateral. Does its
 * diagonal start at p (and end at the cut of q n)? Both neighbours of the face come to the same
 * answer. Two short edges are cut: from the even corner; else: to the cut of the long edge. */
static int starts_at_first(const corner *p, const corner *q, const corner *n)
{
  if (is_long(p, q)) return is_even(p);
  return is_long(q, n);
}

static void add_tet(lattice *l, int a, int b, int c, int d)
{
  if (l->heap.failed) return;
  pl_heap_element(&l->heap, (int[]){a, b, c, d});
}

/* The pyramid over the quadrilateral of p, q and their cuts towards n. */
static void add_pyramid(lattice *l, int apex, const corner *p, const corner *q, const corner *n)
{
  int a = corner_node(l, p), b = corner_node(l, q), ca = cut_node(l, p, n), cb = cut_node(l, q, n);
  if (starts_at_first(p, q, n)) {
    add_tet(l, apex, a, b, cb);
    add_tet(l, apex, a, cb, ca);
  } else {
    add_tet(l, apex, a, b, ca);
    add_tet(l, apex, b, cb, ca);
  }
}

/* Three corners inside, one outside: a prism between them and the three cuts. It is cut off at a
 * corner where two diagonals meet, which leaves a pyramid. */
static void clip_one(lattice *l, const corner *in[3], const corner *n)
{
  for (int i = 0; i < 3; i++) {
    const corner *p = in[i], *q = in[(i + 1) % 3], *r = in[(i + 2) % 3];
    if (!starts_at_first(p, q, n) || !starts_at_first(p, r, n)) continue;
    int apex = corner_node(l, p);
    add_tet(l, apex, cut_node(l, p, n), cut_node(l, q, n), cut_node(l, r, n));
    add_pyramid(l, apex, q, r, n);
    return;
  }
}

/* Two inside, two outside: a wedge. The first corner is the one where a diagonal starts on the face
 * towards the first outside corner. */
static void clip_two(lattice *l, const corner *p, const corner *q, const corner *m, const corner *n)
{
  if (!starts_at_first(p, q, m)) {
    const corner *other = p;
    p = q;
    q = other;
  }
  int a = corner_node(l, p), b = corner_node(l, q);
  int am = cut_node(l, p, m), an = cut_node(l, p, n);
  int bm = cut_node(l, q, m), bn = cut_node(l, q, n);
  if (starts_at_first(p, q, n)) {
    // both diagonals start at p; the one on the surface is free
    add_tet(l, a, b, bm, bn);
    add_tet(l, a, am, an, bm);
    add_tet(l, a, an, bn, bm);
  } else {
    add_tet(l, a, b, bm, an);
    add_tet(l, a, am, an, bm);
    add_tet(l, b, bm, bn, an);
  }
}

static void clip(lattice *l, const corner c[4])
{
  const corner *in[4], *on[4], *out[4];
  int ins = 0, ons = 0, outs = 0;
  for (int i = 0; i < 4; i++) {
    int side = l->side[c[i].point];
    if (side > 0)
      in[ins++] = &c[i];
    else if (side < 0)
      out[outs++] = &c[i];
    else
      on[ons++] = &c[i];
  }
  if (!ins) return;
  if (ins == 1 || !outs) {
    // one tetrahedron: what is outside is replaced by the cuts
    int nodes[4], count = 0;
    for (int i = 0; i < ins; i++) nodes[count++] = corner_node(l, in[i]);
    for (int i = 0; i < ons; i++) nodes[count++] = corner_node(l, on[i]);
    for (int i = 0; i < outs; i++) nodes[count++] = cut_node(l, in[0], out[i]);
    add_tet(l, nodes[0], nodes[1], nodes[2], nodes[3]);
  } else if (ins == 3) {
    clip_one(l, in, out[0]);
  } else if (ons) {
    add_pyramid(l, corner_node(l, on[0]), in[0], in[1], out[0]);
  } else {
    clip_two(l, in[0], in[1], out[0], out[1]);
  }
}

/* The twelve tetrahedra around the long edges that a middle point owns: each has that edge and one
 * edge of the square of corners around it. */
static void clip_around(lattice *l, const int at[3], size_t point)
{
  if (!(at[0] & 1) || l->heap.failed) return;
  for (int axis = 0; axis < 3; axis++) {
    corner c[4] = {{{at[0], at[1], at[2]}, point}, {{at[0], at[1], at[2]}, 0}};
    c[1].at[axis] += 2;
    int64_t end = point_at(l, c[1].at);
    if (end < 0) continue;
    c[1].point = (size_t)end;
    for (int turn = 0; turn < 4; turn++) {
      for (int i = 0; i < 2; i++) {
        int quarter = (turn + i) % 4, *to = c[2 + i].at;
        to[axis] = at[axis] + 1;
        to[(axis + 1) % 3] = at[(axis + 1) % 3] + (quarter == 0 || quarter == 3 ? -1 : 1);
        to[(axis + 2) % 3] = at[(axis + 2) % 3] + (quarter < 2 ? -1 : 1);
        c[2 + i].point = (size_t)point_at(l, to);
      }
      clip(l, c);
    }
  }
}

/* ---- the whole ---- */

static pl_status start(lattice *l, const pl_volume *volume, double size,
                       const pl_allocator *allocator, pl_error *error)
{
  *l = (lattice){.volume = volume, .half = 0.5 * size};
  l->heap = (pl_heap){.allocator = *allocator, .nodes_per_element = 4};
  double corners = 1, middles = 1;
  for (int k = 0; k < 3; k++) {
    // at least one layer of cells on each side
    double extent = volume->high[k] - volume->low[k];
    l->cells[k] = (int)ceil(extent / size) + 3;
    l->origin[k] = volume->low[k] + 0.5 * (extent - size * l->cells[k]);
    corners *= l->cells[k] + 1;
    middles *= l->cells[k];
  }
  if (corners + middles > 4e8)
    return pl_fail(error, PL_E_LIMIT, "a size of %g m makes a lattice of %.2g points; enlarge it",
                   size, corners + middles);
  l->corners = (size_t)corners;
  l->count = (size_t)(corners + middles);
  l->side = pl_alloc(allocator, l->count, sizeof *l->side);
  l->near = pl_alloc(allocator, l->count, sizeof *l->near);
  l->node = pl_alloc(allocator, l->count, sizeof *l->node);
  l->cut = pl_alloc(allocator, l->count, sizeof *l->cut);
  return l->side && l->near && l->node && l->cut ? PL_OK : pl_fail_memory(error);
}

static pl_status fill(const pl_volume *volume, double size, const double *values,
                      const pl_allocator *allocator, pl_mesh **mesh, pl_error *error)
{
  (void)values;
  lattice l;
  pl_status status = start(&l, volume, size, allocator, error);
  if (!status) {
    value_all(&l);
    each_point(&l, cut_edges);
    each_point(&l, move_point);
    each_point(&l, clip_around);
  }
  pl_free(allocator, l.side);
  pl_free(allocator, l.near);
  pl_free(allocator, l.node);
  pl_free(allocator, l.cut);
  pl_free(allocator, l.cuts);
  pl_free(allocator, l.moved);
  return status ? status : pl_heap_finish(&l.heap, size, mesh, error);
}

const pl_filler_ops pl_filler_stuffing = {
    .info = {"stuffing", "tetrahedra of one size that follow the surface, angles 9 to 165 degrees",
             "Labelle, Shewchuk 2007", params, sizeof params / sizeof *params},
    .elements_per_cell = 12,
    .fill = fill,
};
