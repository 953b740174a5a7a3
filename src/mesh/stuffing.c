/* Isosurface stuffing: F. Labelle, J. R. Shewchuk, "Isosurface stuffing: fast tetrahedral meshes
 * with good dihedral angles", ACM Transactions on Graphics 26(3), 2007, with tetrahedra that grow
 * inwards.
 *
 * The body-centred cubic lattice has points at the corners and in the middles of cubes of edge
 * size. Lattice edges are long (size, between points of one kind) or short (sqrt(3)/2 size). Where
 * an edge runs from inside to outside it is cut by the surface. A lattice point that has a cut
 * nearer than LONG or SHORT times the edge's length moves onto it; the tetrahedra are then clipped
 * at the remaining cuts.
 *
 * Whatever the surface does, dihedral angles lie between 10.7 and 164.8 degrees, as the paper
 * proves for its own numbers. LONG and SHORT were found by a search over all signs of a lattice
 * tetrahedron, all ways its corners can have moved and all places of the cuts: 10.77 and 164.70 are
 * the worst it met (tests/mesh/test_stuffing.c repeats the search). With sharp edges asked for, the
 * bounds are those of sharpen.c.
 *
 * Inside, leaves of the octree of lattice.h double their size; their tetrahedra are those of the
 * lattice, or, where leaves of two sizes meet, quarters and halves of them: 45 degrees or more. */
#include "mesh/lattice.h"

#include "core/error.h"
#include "core/memory.h"
#include "math/vec3.h"
#include "mesh/element.h"
#include "mesh/sharpen.h"

#include <math.h>
#include <stdlib.h>

static const double LONG = 0.2850, SHORT = 0.3985;

enum { EDGES = 7, SIZE = 0, ELEMENTS, GRADING, SHARP };

static const pl_param params[] = {
    {"size", "m",
     "long edge of the tetrahedra at the surface; without it, as follows from elements", NAN, 1e-12,
     1e9, NULL, 0},
    {"elements", "count", "about how many elements, where no size is given", 10000, 1, 5e7, NULL,
     0},
    {"grading", "count", "how often edges double towards the inside, where there is room", 0, 0,
     PL_LATTICE_LEVELS, NULL, 0},
    {"sharp", "1", "move nodes onto edges and corners of the shape", 0, 0, 1, "no|yes", 0},
};

/* The edges that a point owns, in half sizes; each point ends as many others. */
static const int edges[EDGES][3] = {{2, 0, 0},  {0, 2, 0},  {0, 0, 2},  {1, 1, 1},
                                    {1, -1, 1}, {1, 1, -1}, {1, -1, -1}};

typedef struct cut {
  double share[EDGES]; /* of the edge, from the owner to the surface; 0: not cut */
  int node[EDGES];     /* plus 1, 0: none yet                                     */
} cut;

typedef struct stuffing {
  pl_lattice lattice;
  pl_heap heap;
  cut *cuts;
  size_t cut_count, cut_room;
  double *moved; /* where the points on the surface have moved */
  size_t moved_count, moved_room;
} stuffing;

/* ---- cuts ---- */

static double find_cut(const pl_lattice *l, const pl_lattice_point *from,
                       const pl_lattice_point *to)
{
  double a[3], b[3];
  pl_lattice_place(l, from->at, a);
  pl_lattice_place(l, to->at, b);
  return pl_volume_cut(l->volume, a, from->value, b, to->value);
}

static int neighbour(const pl_lattice *l, const int at[3], const int edge[3], int sign)
{
  return pl_lattice_find(
      l, (int[]){at[0] + sign * edge[0], at[1] + sign * edge[1], at[2] + sign * edge[2]});
}

/* Cuts the edges that a point owns. */
static pl_status cut_edges(stuffing *s, int point)
{
  pl_lattice *l = &s->lattice;
  pl_lattice_point *p = &l->points[point];
  for (int e = 0; e < EDGES; e++) {
    int other = neighbour(l, p->at, edges[e], 1);
    if (other < 0 || l->points[other].side == p->side) continue;
    if (!p->cut) {
      void *cuts = s->cuts;
      if (pl_reserve(&l->allocator, &cuts, &s->cut_room, s->cut_count + 1, sizeof *s->cuts))
        return PL_E_MEMORY;
      s->cuts = cuts;
      s->cuts[s->cut_count] = (cut){.share = {0}};
      p->cut = (int)++s->cut_count;
    }
    s->cuts[p->cut - 1].share[e] = find_cut(l, p, &l->points[other]);
    p->near = l->points[other].near = 1;
  }
  return PL_OK;
}

/* ---- moving points onto the surface ---- */

/* Moves a point to the nearest cut that is too near; the cuts of all its edges are gone then. */
static pl_status move_point(stuffing *s, int point)
{
  pl_lattice *l = &s->lattice;
  pl_lattice_point *p = &l->points[point];
  double best = 1, place[3] = {0};
  for (int e = 0; p->near && e < 2 * EDGES; e++) {
    int sign = e < EDGES ? 1 : -1, row = e % EDGES;
    int other = neighbour(l, p->at, edges[row], sign);
    if (other < 0 || l->points[other].side != -p->side) continue;
    int owner = sign > 0 ? p->cut : l->points[other].cut;
    double share = s->cuts[owner - 1].share[row];
    if (sign < 0) share = 1 - share;
    double limit = row < 3 ? LONG : SHORT;
    if (share >= limit || share / limit >= best) continue;
    best = share / limit;
    for (int k = 0; k < 3; k++)
      place[k] = l->origin[k] + l->half * (p->at[k] + share * sign * edges[row][k]);
  }
  if (best >= 1) return PL_OK;
  void *moved = s->moved;
  if (pl_reserve(&l->allocator, &moved, &s->moved_room, s->moved_count + 1, sizeof place))
    return PL_E_MEMORY;
  s->moved = moved;
  pl_vec3_copy(place, s->moved + 3 * s->moved_count);
  p->side = 0;
  p->node = -(int)++s->moved_count;
  return PL_OK;
}

/* ---- clipping ---- */

typedef pl_lattice_point corner;

static int corner_node(stuffing *s, corner *c)
{
  if (c->node <= 0) {
    double place[3];
    if (c->node < 0)
      pl_vec3_copy(s->moved + 3 * (-c->node - 1), place);
    else
      pl_lattice_place(&s->lattice, c->at, place);
    c->node = pl_heap_node(&s->heap, place) + 1;
  }
  return c->node - 1;
}

/* Which edge leads from a to b: its number, and -1 - its number if b owns it. */
static int edge_between(const corner *a, const corner *b)
{
  for (int e = 0; e < EDGES; e++) {
    for (int sign = -1; sign <= 1; sign += 2) {
      if (b->at[0] - a->at[0] == sign * edges[e][0] && b->at[1] - a->at[1] == sign * edges[e][1] &&
          b->at[2] - a->at[2] == sign * edges[e][2])
        return sign > 0 ? e : -1 - e;
    }
  }
  return 0;
}

/* The node where the edge between two corners is cut. */
static int cut_node(stuffing *s, const corner *a, const corner *b)
{
  int edge = edge_between(a, b);
  const corner *owner = edge < 0 ? b : a;
  if (edge < 0) edge = -1 - edge;
  cut *found = &s->cuts[owner->cut - 1];
  if (!found->node[edge]) {
    double place[3];
    for (int k = 0; k < 3; k++)
      place[k] = s->lattice.origin[k] +
                 s->lattice.half * (owner->at[k] + found->share[edge] * edges[edge][k]);
    found->node[edge] = pl_heap_node(&s->heap, place) + 1;
  }
  return found->node[edge] - 1;
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

/* Adds a tetrahedron, turned to positive volume. */
static void add_tet(stuffing *s, int a, int b, int c, int d)
{
  if (s->heap.failed) return;
  int nodes[4] = {a, b, c, d};
  if (pl_element_volume(s->heap.nodes, nodes, 4) < 0) {
    nodes[2] = d;
    nodes[3] = c;
  }
  pl_heap_element(&s->heap, nodes);
}

/* The pyramid over the quadrilateral of p, q and their cuts towards n. */
static void add_pyramid(stuffing *s, int apex, corner *p, corner *q, corner *n)
{
  int a = corner_node(s, p), b = corner_node(s, q), ca = cut_node(s, p, n), cb = cut_node(s, q, n);
  if (starts_at_first(p, q, n)) {
    add_tet(s, apex, a, b, cb);
    add_tet(s, apex, a, cb, ca);
  } else {
    add_tet(s, apex, a, b, ca);
    add_tet(s, apex, b, cb, ca);
  }
}

/* Three corners inside, one outside: a prism between them and the three cuts. It is cut off at a
 * corner where two diagonals meet, which leaves a pyramid. */
static void clip_one(stuffing *s, corner *in[3], corner *n)
{
  for (int i = 0; i < 3; i++) {
    corner *p = in[i], *q = in[(i + 1) % 3], *r = in[(i + 2) % 3];
    if (!starts_at_first(p, q, n) || !starts_at_first(p, r, n)) continue;
    // one after the other: each may be a new node, whose number must not depend on the compiler
    int apex = corner_node(s, p), cr = cut_node(s, r, n), cq = cut_node(s, q, n);
    add_tet(s, apex, cut_node(s, p, n), cq, cr);
    add_pyramid(s, apex, q, r, n);
    return;
  }
}

/* The least dihedral angle of two tetrahedra a b c d, a b d e. */
static double min_angle(const stuffing *s, int a, int b, int c, int d, int e)
{
  double first, second, max;
  if (s->heap.failed) return 0;
  pl_tet_angles(s->heap.nodes, (int[]){a, b, c, d}, &first, &max);
  pl_tet_angles(s->heap.nodes, (int[]){a, b, d, e}, &second, &max);
  return fmin(first, second);
}

/* Two inside, two outside: a wedge. The first corner is the one where a diagonal starts on the face
 * towards the first outside corner. */
static void clip_two(stuffing *s, corner *p, corner *q, corner *m, corner *n)
{
  if (!starts_at_first(p, q, m)) {
    corner *other = p;
    p = q;
    q = other;
  }
  int a = corner_node(s, p), b = corner_node(s, q);
  int am = cut_node(s, p, m), an = cut_node(s, p, n);
  int bm = cut_node(s, q, m), bn = cut_node(s, q, n);
  if (!starts_at_first(p, q, n)) {
    add_tet(s, a, b, bm, an);
    add_tet(s, a, am, an, bm);
    add_tet(s, b, bm, bn, an);
    return;
  }
  // both diagonals start at p; the one on the surface is free: the better one
  add_tet(s, a, b, bm, bn);
  if (min_angle(s, a, bm, am, an, bn) >= min_angle(s, a, am, an, bn, bm)) {
    add_tet(s, a, bm, am, an);
    add_tet(s, a, bm, an, bn);
  } else {
    add_tet(s, a, am, an, bn);
    add_tet(s, a, am, bn, bm);
  }
}

static void clip(stuffing *s, corner *const c[4])
{
  corner *in[4], *on[4], *out[4];
  int ins = 0, ons = 0, outs = 0;
  for (int i = 0; i < 4; i++) {
    if (c[i]->side > 0)
      in[ins++] = c[i];
    else if (c[i]->side < 0)
      out[outs++] = c[i];
    else
      on[ons++] = c[i];
  }
  if (!ins) return;
  if (ins == 1 || !outs) {
    // one tetrahedron: what is outside is replaced by the cuts
    int nodes[4], count = 0;
    for (int i = 0; i < ins; i++) nodes[count++] = corner_node(s, in[i]);
    for (int i = 0; i < ons; i++) nodes[count++] = corner_node(s, on[i]);
    for (int i = 0; i < outs; i++) nodes[count++] = cut_node(s, in[0], out[i]);
    add_tet(s, nodes[0], nodes[1], nodes[2], nodes[3]);
  } else if (ins == 3) {
    clip_one(s, in, out[0]);
  } else if (ons) {
    add_pyramid(s, corner_node(s, on[0]), in[0], in[1], out[0]);
  } else {
    clip_two(s, in[0], in[1], out[0], out[1]);
  }
}

/* ---- tetrahedra of the leaves ---- */

/* A tetrahedron of the points at four places; only those of the finest leaves can be cut. */
static void add_at(stuffing *s, int finest, int places[4][3])
{
  corner *c[4];
  int outs = 0, ins = 0;
  for (int i = 0; i < 4; i++) {
    int point = pl_lattice_find(&s->lattice, places[i]);
    if (point < 0) return; // far outside
    c[i] = &s->lattice.points[point];
    outs += c[i]->side < 0;
    ins += c[i]->side > 0;
  }
  if (!ins || s->heap.failed) return;
  if (finest) {
    clip(s, c);
  } else if (!outs) {
    int nodes[4];
    for (int i = 3; i >= 0; i--) nodes[i] = corner_node(s, c[i]);
    add_tet(s, nodes[0], nodes[1], nodes[2], nodes[3]);
  }
}

/* One face of a leaf: its corners in order around it, and the middles on both sides. */
typedef struct face {
  int corners[4][3], here[3], there[3];
} face;

static void copy_place(const int from[3], int to[3])
{
  for (int k = 0; k < 3; k++) to[k] = from[k];
}

/* Leaves of one size: four tetrahedra around the edge between their middles, each of which has one
 * edge of the face, or half of it where smaller leaves have put a point on it. */
static void join_equal(stuffing *s, const face *f, int finest)
{
  for (int i = 0; i < 4; i++) {
    int places[4][3], middle[3];
    copy_place(f->here, places[0]);
    copy_place(f->there, places[1]);
    for (int k = 0; k < 3; k++) middle[k] = (f->corners[i][k] + f->corners[(i + 1) % 4][k]) / 2;
    copy_place(f->corners[i], places[2]);
    copy_place(f->corners[(i + 1) % 4], places[3]);
    if (finest || pl_lattice_find(&s->lattice, middle) < 0) {
      add_at(s, finest, places);
      continue;
    }
    copy_place(middle, places[3]);
    add_at(s, 0, places);
    copy_place(f->corners[(i + 1) % 4], places[2]);
    add_at(s, 0, places);
  }
}

/* A larger leaf on the other side: the face is halved by the diagonal from the middle of the larger
 * face, and both halves are joined to both middles. */
static void join_larger(stuffing *s, const face *f)
{
  // the corner nearest to the larger leaf's middle is the middle of its face
  int first = 0, min = 0;
  for (int i = 0; i < 4; i++) {
    int distance = 0;
    for (int k = 0; k < 3; k++) distance += abs(f->corners[i][k] - f->there[k]);
    if (i == 0 || distance < min) {
      min = distance;
      first = i;
    }
  }
  for (int half = 0; half < 2; half++) {
    for (int side = 0; side < 2; side++) {
      int places[4][3];
      copy_place(side ? f->there : f->here, places[0]);
      copy_place(f->corners[first], places[1]);
      copy_place(f->corners[(first + 1 + half) % 4], places[2]);
      copy_place(f->corners[(first + 2 + half) % 4], places[3]);
      add_at(s, 0, places);
    }
  }
}

static pl_status add_leaf(void *context, const int cell[3], int code)
{
  stuffing *s = context;
  int level = code & PL_LEAF_LEVEL, width = 1 << level;
  for (int side = 0; side < 6 && !s->heap.failed; side++) {
    int axis = side / 2, up = side % 2, next[3];
    copy_place(cell, next);
    next[axis] += up ? width : -1;
    int other = pl_lattice_code(&s->lattice, next), there = other & PL_LEAF_LEVEL;
    // equal leaves are joined once, unequal ones by the smaller
    if (other == PL_LEAF_OUTSIDE || there < level || (there == level && !up)) continue;
    face f;
    for (int k = 0; k < 3; k++) {
      f.here[k] = 2 * cell[k] + width;
      f.there[k] = 2 * (next[k] >> there << there) + (1 << there);
      for (int i = 0; i < 4; i++) f.corners[i][k] = 2 * cell[k];
    }
    for (int i = 0; i < 4; i++) {
      f.corners[i][axis] += 2 * width * up;
      f.corners[i][(axis + 1) % 3] += 2 * width * (i == 1 || i == 2);
      f.corners[i][(axis + 2) % 3] += 2 * width * (i >= 2);
    }
    if (there == level)
      join_equal(s, &f, level == 0);
    else
      join_larger(s, &f);
  }
  return PL_OK;
}

/* ---- the whole ---- */

static pl_status stuff(stuffing *s)
{
  pl_status status = PL_OK;
  int count = (int)s->lattice.point_count;
  for (int i = 0; !status && i < count; i++) status = cut_edges(s, i);
  for (int i = 0; !status && i < count; i++) status = move_point(s, i);
  return status ? status : pl_lattice_each(&s->lattice, add_leaf, s);
}

static pl_status fill(const pl_volume *volume, double size, const double *values,
                      const pl_allocator *allocator, pl_mesh **mesh, pl_error *error)
{
  stuffing s = {.heap = {.allocator = *allocator, .nodes_per_element = 4}};
  pl_status status =
      pl_lattice_create(&s.lattice, volume, size, (int)values[GRADING], allocator, error);
  if (!status && stuff(&s)) s.heap.failed = 1;
  pl_lattice_free(&s.lattice);
  pl_free(allocator, s.cuts);
  pl_free(allocator, s.moved);
  if (!status) status = pl_heap_finish(&s.heap, size, mesh, error);
  if (!status && values[SHARP] > 0) {
    status = pl_mesh_sharpen(*mesh, volume, size, error);
    if (status) {
      pl_mesh_destroy(*mesh);
      *mesh = NULL;
    }
  }
  return status;
}

const pl_filler_ops pl_filler_stuffing = {
    .info = {"stuffing", "tetrahedra that follow the surface, angles 10.7 to 164.8 degrees",
             "Labelle, Shewchuk 2007", params, sizeof params / sizeof *params, NULL},
    .elements_per_cell = 12,
    .grading = GRADING,
    .fill = fill,
};
