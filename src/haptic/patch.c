/* The part of a surface that a tool touches; see patch.h. */
#include "haptic/patch.h"

#include "core/error.h"
#include "core/memory.h"
#include "math/mat3.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

enum { MOST_LEVELS = 10 };

static const double BAND = 0.25; /* of the tool's size: on a flat surface a circle of 0.75 of it */
static const double LEAF = 0.25; /* of the tool's size: pieces of triangles are no longer */

void pl_patch_release(pl_patch *self)
{
  pl_free(self->allocator, self->weights);
  pl_free(self->allocator, self->nodes);
  self->weights = NULL;
  self->nodes = NULL;
  self->room = 0;
}

void pl_patch_forget(pl_patch *self) { memset(self->turn, 0, sizeof self->turn); }

static pl_status make_room(pl_patch *self, int count, pl_error *error)
{
  if (count <= self->room) return PL_OK;
  pl_patch_release(self);
  self->weights = pl_alloc(self->allocator, (size_t)count, sizeof *self->weights);
  self->nodes = pl_alloc(self->allocator, (size_t)count, sizeof *self->nodes);
  if (!self->weights || !self->nodes) {
    pl_patch_release(self);
    return pl_fail_memory(error);
  }
  self->room = count;
  return PL_OK;
}

/* ---- the integral ---- */

typedef struct sum {
  const pl_shape *tool; /* NULL: a sphere; its radius does not matter */
  const double *x;      /* where the tool is */
  double nearest, band, leaf;
  double low[3], high[3];           /* what counts lies in this box */
  double share[3];                  /* of the corners of the triangle at hand */
  double total, normal[3], face[3]; /* of -grad g, and of the triangles' normals */
  double outwards[3];               /* of the triangle at hand, as long as its area */
  // with s = sqrt(w) and a the triangle's normal: int s n, s a, s n n^T, s a n^T, w H
  double slope[3], face_slope[3], slopes[9], face_slopes[9], bend[9];
} sum;

/* The distance of the tool from p, the direction from p to the tool, and how that turns with the
 * tool's way (NULL: not asked for). */
static double gap_at(const sum *to, const double p[3], double normal[3], double *bend)
{
  double from[3];
  if (!to->tool) {
    pl_vec3_sub(to->x, p, normal);
    double distance = pl_vec3_norm(normal);
    if (distance > 0) pl_vec3_scale(1 / distance, normal, normal);
    for (int k = 0; k < 9 && bend; k++)
      bend[k] = distance > 0 ? ((k % 4 == 0) - normal[k / 3] * normal[k % 3]) / distance : 0;
    return distance;
  }
  pl_vec3_sub(p, to->x, from);
  double gap = pl_shape_gap(to->tool, from, normal, bend);
  pl_vec3_scale(-1, normal, normal);
  return gap;
}

/* M += a b^T. */
static void add_outer(double scale, const double a[3], const double b[3], double M[9])
{
  for (int k = 0; k < 9; k++) M[k] += scale * a[k / 3] * b[k % 3];
}

/* A piece of a triangle: its corners as weights of the triangle's, and its part of the area. */
typedef struct piece {
  double corners[3][3], part;
} piece;

/* One of the four pieces into which the middles of its edges divide one. */
static piece quarter(const piece *of, int which)
{
  piece result = {.part = of->part / 4};
  for (int a = 0; a < 3; a++) {
    int b = which < 3 ? which : (a + 1) % 3;
    for (int k = 0; k < 3; k++)
      result.corners[a][k] = 0.5 * (of->corners[a][k] + of->corners[b][k]);
  }
  return result;
}

static void place_of(const double *const x[3], const double weights[3], double at[3])
{
  pl_vec3_set(at, 0, 0, 0);
  for (int a = 0; a < 3; a++) pl_vec3_add_scaled(weights[a], x[a], at);
}

/* Adds the middle of a piece, where the height, the square root of w, is positive. */
static void add_middle(sum *to, const double middle[3], double part, double height,
                       const double normal[3], const double bend[9])
{
  double weight = part * height * height, slope = part * height;
  double area = pl_vec3_norm(to->outwards);
  pl_vec3_add_scaled(weight, middle, to->share);
  pl_vec3_add_scaled(weight * area, normal, to->normal);
  pl_vec3_add_scaled(weight, to->outwards, to->face);
  pl_vec3_add_scaled(slope * area, normal, to->slope);
  pl_vec3_add_scaled(slope, to->outwards, to->face_slope);
  add_outer(slope * area, normal, normal, to->slopes);
  add_outer(slope, to->outwards, normal, to->face_slopes);
  for (int k = 0; k < 9; k++) to->bend[k] += weight * area * bend[k];
}

/* Adds a piece; one that is too large and may count is divided. */
static void add_piece(sum *to, const double *const x[3], const piece *from, int levels)
{
  double middle[3] = {0}, p[3], corner[3], normal[3], bend[9], reach = 0;
  for (int a = 0; a < 3; a++) pl_vec3_add_scaled(1.0 / 3, from->corners[a], middle);
  place_of(x, middle, p);
  double gap = gap_at(to, p, normal, levels > 0 ? NULL : bend) - to->nearest;
  for (int a = 0; a < 3 && levels > 0; a++) {
    place_of(x, from->corners[a], corner);
    reach = fmax(reach, pl_vec3_distance(corner, p));
  }
  if (!(gap - reach < to->band)) return;
  for (int i = 0; i < 4 && levels > 0; i++) {
    piece part = quarter(from, i);
    add_piece(to, x, &part, levels - 1);
  }
  if (levels == 0) add_middle(to, middle, from->part, 1 - gap / to->band, normal, bend);
}

/* How often a triangle is halved: by its shape at rest, so that it does not change in a run. */
static int levels_of(const double *nodes, const int corners[3], double leaf)
{
  double edge = 0;
  int levels = 0;
  for (int a = 0; a < 3; a++)
    edge = fmax(edge, pl_vec3_distance(nodes + 3 * corners[a], nodes + 3 * corners[(a + 1) % 3]));
  for (; edge > leaf && levels < MOST_LEVELS; edge /= 2) levels++;
  return levels;
}

/* A box around all points that may count. */
static void bound(sum *to)
{
  double reach = fmax(to->nearest + to->band, 0);
  pl_vec3_set(to->low, 0, 0, 0);
  pl_vec3_set(to->high, 0, 0, 0);
  if (to->tool) pl_shape_bounds(to->tool, to->low, to->high);
  for (int k = 0; k < 3; k++) {
    to->low[k] += to->x[k] - reach;
    to->high[k] += to->x[k] + reach;
  }
}

static int is_outside(const sum *to, const double *const x[3])
{
  for (int k = 0; k < 3; k++) {
    if (x[0][k] < to->low[k] && x[1][k] < to->low[k] && x[2][k] < to->low[k]) return 1;
    if (x[0][k] > to->high[k] && x[1][k] > to->high[k] && x[2][k] > to->high[k]) return 1;
  }
  return 0;
}

static void add_triangle(pl_patch *self, sum *to, const pl_body *body, const double *q,
                         const int corners[3], int *count)
{
  static const piece whole = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, 1};
  const double *x[3];
  double e1[3], e2[3];
  for (int a = 0; a < 3; a++) x[a] = q + 3 * body->place[corners[a]];
  if (is_outside(to, x)) return;
  pl_vec3_sub(x[1], x[0], e1);
  pl_vec3_sub(x[2], x[0], e2);
  pl_vec3_cross(e1, e2, to->outwards);
  pl_vec3_scale(0.5, to->outwards, to->outwards);
  double area = pl_vec3_norm(to->outwards);
  pl_vec3_set(to->share, 0, 0, 0);
  add_piece(to, x, &whole, levels_of(body->mesh->nodes, corners, to->leaf));
  for (int a = 0; a < 3; a++) {
    if (!(to->share[a] > 0)) continue;
    if (self->weights[corners[a]] == 0) self->nodes[(*count)++] = corners[a];
    self->weights[corners[a]] += area * to->share[a];
  }
}

/* ---- the spot ---- */

/* The heaviest nodes in front, as many as a spot has and one more. */
static void sort_heaviest(pl_patch *self, int count, int room)
{
  for (int i = 0; i < count && i <= room; i++) {
    int best = i;
    for (int j = i + 1; j < count; j++) {
      if (self->weights[self->nodes[j]] > self->weights[self->nodes[best]]) best = j;
    }
    int node = self->nodes[i];
    self->nodes[i] = self->nodes[best];
    self->nodes[best] = node;
  }
}

/* The nodes as a spot. Where there are too many, all lose what the first one left out has, so that
 * none comes or goes with a jump. */
static void make_spot(pl_patch *self, int count, pl_spot *spot)
{
  const int room = (int)(sizeof spot->nodes / sizeof *spot->nodes);
  double total = 0;
  sort_heaviest(self, count, room);
  double less = count > room ? self->weights[self->nodes[room]] : 0;
  int used = count < room ? count : room;
  for (int i = 0; i < used; i++) total += self->weights[self->nodes[i]] - less;
  if (!(total > 0)) return;
  spot->count = used;
  for (int i = 0; i < used; i++) {
    spot->nodes[i] = self->nodes[i];
    spot->weights[i] = (self->weights[self->nodes[i]] - less) / total;
  }
}

double pl_patch_size(const pl_shape *tool)
{
  double low[3], high[3], size = INFINITY;
  pl_shape_bounds(tool, low, high);
  for (int k = 0; k < 3; k++) size = fmin(size, 0.5 * (high[k] - low[k]));
  return size;
}

/* A sphere whose middle comes near to the surface has directions to all sides: the triangles'
 * normals take their place. */
static void make_normal(const sum *to, double size, pl_hit *hit, double turn[9])
{
  double N[3], dN[9], along[3];
  double sign = !to->tool && hit->distance < 0 ? -1 : 1;
  double near = to->tool ? 0 : fmax(0, 4 - 4 * hit->distance / size);
  pl_vec3_scale(sign, to->normal, N);
  pl_vec3_add_scaled(near, to->face, N);
  double length = pl_vec3_norm(N), *n = hit->normal, fall = -2 / to->band;
  if (!(length > 0)) return;
  pl_vec3_scale(1 / length, N, n);
  // the least distance, without its sign, grows by sign n
  for (int k = 0; k < 9; k++)
    dN[k] = sign * (to->bend[k] + fall * to->slopes[k]) + near * fall * to->face_slopes[k];
  add_outer(-fall, to->slope, n, dN);
  add_outer(-fall * sign * near, to->face_slope, n, dN);
  if (near > 0) add_outer(-4 / size, to->face, n, dN);
  pl_mat3_apply_t(dN, n, along);
  add_outer(-1, n, along, dN);
  for (int k = 0; k < 9; k++) turn[k] = dN[k] / length;
}

pl_status pl_patch_spread(pl_patch *self, const pl_world *world, const pl_shape *tool, double size,
                          const double x[3], pl_hit *hit, pl_error *error)
{
  const pl_body *body = pl_world_body(world, hit->spot.body);
  pl_patch_forget(self);
  if (!body || !(size > 0 && isfinite(size))) return PL_OK;
  const pl_mesh *mesh = body->mesh;
  pl_status status = make_room(self, mesh->node_count, error);
  if (status) return status;
  const double *q = pl_body_nodes(body, world->state.q + 3 * body->offset, NULL);
  sum to = {.tool = tool, .x = x, .band = BAND * size, .leaf = LEAF * size};
  to.nearest = tool ? hit->distance : fabs(hit->distance);
  bound(&to);
  int count = 0;
  for (int i = 0; i < mesh->face_count; i++) {
    const int *face = mesh->faces + (size_t)i * (size_t)mesh->nodes_per_face;
    for (int p = 0; p < mesh->nodes_per_face - 2; p++)
      add_triangle(self, &to, body, q, (const int[]){face[0], face[p + 1], face[p + 2]}, &count);
  }
  if (count) {
    make_spot(self, count, &hit->spot);
    make_normal(&to, size, hit, self->turn);
  }
  for (int i = 0; i < count; i++) self->weights[self->nodes[i]] = 0;
  return PL_OK;
}
