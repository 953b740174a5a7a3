/* Where frames stand and how far they reach.
 *
 * Harmonic weights solve Laplace's equation on the body, 1 in a ball around the own frame, 0 in
 * those around the others, no flux through the surface (Gilles et al. 2011, 4.1; balls instead of
 * single voxels, whose weights would depend on the grid). Here on the mesh's own elements by
 * conjugate gradients: a matrix of blocks L_ab I solves for three frames at once. */
#include "model/frames/frames.h"

#include "core/error.h"
#include "core/hash.h"
#include "core/memory.h"
#include "math/vec3.h"
#include "sparse/solver.h"
#include "sparse/vector.h"

#include <math.h>
#include <string.h>

static const double LEAST_WEIGHT = 1e-4; /* smaller ones are cut off */
static const double SLENDER = 2; /* times as long as wide: frames stand on the middle line */

static double squared_distance(const double *a, const double *b)
{
  double d[3];
  pl_vec3_sub(a, b, d);
  return pl_vec3_dot(d, d);
}

/* Returns how many times as long as wide the body is. */
static double place_in_line(const pl_mesh *mesh, int count, double *origins)
{
  double low[3], high[3], size[3];
  pl_mesh_bounds(mesh, low, high);
  pl_vec3_sub(high, low, size);
  int axis = size[0] >= size[1] && size[0] >= size[2] ? 0 : size[1] >= size[2] ? 1 : 2;
  for (int i = 0; i < count; i++) {
    double part = count == 1 ? 0.5 : (double)i / (count - 1);
    for (int k = 0; k < 3; k++) origins[3 * i + k] = low[k] + (k == axis ? part : 0.5) * size[k];
  }
  return size[axis] / fmax(size[(axis + 1) % 3], size[(axis + 2) % 3]);
}

static int are_inside(const pl_mesh *mesh, int count, const double *origins)
{
  pl_anchor anchor;
  for (int i = 0; i < count; i++) {
    if (pl_mesh_locate(mesh, origins + 3 * i, &anchor, NULL) || anchor.distance > 0) return 0;
  }
  return 1;
}

void pl_frames_place(const pl_mesh *mesh, int count, int kind, double *origins)
{
  double slender = place_in_line(mesh, count, origins);
  if (kind == PL_WEIGHTS_LINEAR || kind == PL_WEIGHTS_SPLINE) return;
  // not nearer to each other than half the width
  if (slender >= SLENDER && count - 1 <= 2 * slender && are_inside(mesh, count, origins)) return;
  double middle[3] = {0};
  for (int n = 0; n < mesh->node_count; n++)
    pl_vec3_add_scaled(1.0 / mesh->node_count, mesh->nodes + 3 * n, middle);
  for (int i = 0; i < count; i++) {
    int best = 0;
    double max = -1;
    for (int n = 0; n < mesh->node_count; n++) {
      double gap = i ? INFINITY : squared_distance(mesh->nodes + 3 * n, middle);
      for (int k = 0; k < i; k++)
        gap = fmin(gap, squared_distance(mesh->nodes + 3 * n, origins + 3 * k));
      // among equals up to rounding the first, whatever the mesh's place
      if (gap <= max * (1 + 1e-9)) continue;
      max = gap;
      best = n;
    }
    pl_vec3_copy(mesh->nodes + 3 * best, origins + 3 * i);
  }
}

/* ---- simple weights ---- */

/* The frames in the order of the coordinate along the line between the two farthest apart. */
typedef struct line {
  double along[3], at[PL_MOST_FRAMES];
  int order[PL_MOST_FRAMES];
} line;

static pl_status make_line(int count, const double *origins, line *to, pl_error *error)
{
  double max = 0;
  *to = (line){.along = {1, 0, 0}};
  for (int i = 0; i < count; i++) {
    for (int j = 0; j < i; j++) {
      double gap = sqrt(squared_distance(origins + 3 * i, origins + 3 * j));
      if (gap <= max) continue;
      max = gap;
      for (int k = 0; k < 3; k++) to->along[k] = (origins[3 * i + k] - origins[3 * j + k]) / gap;
    }
  }
  double *at = to->at;
  int *order = to->order;
  for (int i = 0; i < count; i++) {
    int place = i;
    at[i] = pl_vec3_dot(origins + 3 * i, to->along);
    for (; place > 0 && at[order[place - 1]] > at[i]; place--) order[place] = order[place - 1];
    order[place] = i;
  }
  for (int i = 1; i < count; i++) {
    if (at[order[i]] - at[order[i - 1]] > 1e-6 * max) continue;
    return pl_fail(error, PL_E_ARGUMENT,
                   "frames %d and %d stand side by side along the axis of their weights; move one "
                   "of them or take weights=\"harmonic\"",
                   order[i - 1] + 1, order[i] + 1);
  }
  return PL_OK;
}

/* w += slope times the derivative at frame number i of the line, by the frames next to it. */
static void add_slope(const line *by, int count, int i, double slope, double *w)
{
  int low = i > 0 ? i - 1 : i, high = i + 1 < count ? i + 1 : i;
  double span = by->at[by->order[high]] - by->at[by->order[low]];
  w[by->order[high]] += slope / span;
  w[by->order[low]] -= slope / span;
}

/* Hat functions along the line; or Hermite's cubics with slopes from the neighbours (Catmull and
 * Rom's for equal distances, ends continued linearly), which keep linear fields. */
static pl_status weigh_along(const pl_mesh *mesh, int count, const double *origins, int cubic,
                             double *weights, pl_error *error)
{
  line by;
  pl_status status = make_line(count, origins, &by, error);
  for (int n = 0; n < mesh->node_count && !status; n++) {
    double s = pl_vec3_dot(mesh->nodes + 3 * n, by.along), *w = weights + (size_t)count * (size_t)n;
    int i = 0;
    while (i < count && by.at[by.order[i]] <= s) i++;
    if (i == 0 || i == count) {
      w[by.order[i ? count - 1 : 0]] = 1;
      continue;
    }
    double from = by.at[by.order[i - 1]], length = by.at[by.order[i]] - from;
    double t = (s - from) / length, u = 1 - t;
    w[by.order[i]] = cubic ? t * t * (3 - 2 * t) : t;
    w[by.order[i - 1]] = cubic ? u * u * (3 - 2 * u) : u;
    if (!cubic) continue;
    add_slope(&by, count, i - 1, t * u * u * length, w);
    add_slope(&by, count, i, -t * t * u * length, w);
  }
  return status;
}

/* Shortest ways along edges and diagonals of elements, from a place to all nodes. */
static void walk(const pl_mesh *mesh, const double *origin, double *distance)
{
  int count = mesh->nodes_per_element, changed = 1, nearest = 0;
  for (int n = 0; n < mesh->node_count; n++) {
    distance[n] = INFINITY;
    if (squared_distance(mesh->nodes + 3 * n, origin) <
        squared_distance(mesh->nodes + 3 * nearest, origin))
      nearest = n;
  }
  // the way begins with the straight line to the nearest node and those that share an element
  distance[nearest] = sqrt(squared_distance(mesh->nodes + 3 * nearest, origin));
  for (int e = 0; e < mesh->element_count; e++) {
    const int *nodes = mesh->elements + (size_t)count * (size_t)e;
    int near = 0;
    for (int a = 0; a < count; a++) near |= nodes[a] == nearest;
    for (int a = 0; near && a < count; a++)
      distance[nodes[a]] = sqrt(squared_distance(mesh->nodes + 3 * nodes[a], origin));
  }
  for (int backwards = 0; changed; backwards = !backwards) {
    changed = 0;
    for (int k = 0; k < mesh->element_count; k++) {
      int e = backwards ? mesh->element_count - 1 - k : k;
      const int *nodes = mesh->elements + (size_t)count * (size_t)e;
      for (int ab = 0; ab < count * count; ab++) {
        int a = nodes[ab / count], b = nodes[ab % count];
        double way = distance[a] + sqrt(squared_distance(mesh->nodes + 3 * a, mesh->nodes + 3 * b));
        if (!(way < distance[b] * (1 - 1e-12))) continue;
        distance[b] = way;
        changed = 1;
      }
    }
  }
}

/* One walk per frame. */
typedef struct walks {
  const pl_mesh *mesh;
  const double *origins;
  double *ways;
} walks;

static void walk_one(void *context, int i)
{
  const walks *all = context;
  walk(all->mesh, all->origins + 3 * i, all->ways + (size_t)i * (size_t)all->mesh->node_count);
}

/* Weights as distances: those through space, or through the body. */
static pl_status measure(const pl_allocator *allocator, const pl_mesh *mesh, int count,
                         const double *origins, const pl_weighing *how, double *distances,
                         pl_error *error)
{
  size_t nodes = (size_t)mesh->node_count;
  if (how->kind != PL_WEIGHTS_GEODESIC) {
    for (size_t k = 0; k < nodes * (size_t)count; k++)
      distances[k] = sqrt(squared_distance(mesh->nodes + 3 * (k / (size_t)count),
                                           origins + 3 * (k % (size_t)count)));
    return PL_OK;
  }
  double *ways = pl_alloc(allocator, nodes * (size_t)count, sizeof *ways);
  if (!ways) return pl_fail_memory(error);
  pl_parallel(how->pool, count, walk_one, &(walks){mesh, origins, ways});
  for (size_t k = 0; k < nodes * (size_t)count; k++)
    distances[k] = ways[nodes * (k % (size_t)count) + k / (size_t)count];
  pl_free(allocator, ways);
  return PL_OK;
}

/* Inverse squared distances, in place of the distances; a part that no way leads to weighs 0. */
static void invert_distances(const pl_mesh *mesh, int count, double *weights)
{
  for (int n = 0; n < mesh->node_count; n++) {
    double min = INFINITY, *w = weights + (size_t)count * (size_t)n;
    for (int i = 0; i < count; i++) min = fmin(min, w[i]);
    for (int i = 0; i < count; i++) {
      double ratio = min / w[i];
      w[i] = min > 0 && isfinite(min) ? ratio * ratio : w[i] == 0;
    }
  }
}

/* Fades every frame's influence out at the cutoff: (1 - d^2/c^2)^2. */
static pl_status cut_off(const pl_allocator *allocator, const pl_mesh *mesh, int count,
                         const double *origins, const pl_weighing *how, double *weights,
                         pl_error *error)
{
  size_t size = (size_t)count * (size_t)mesh->node_count;
  double *distances = pl_alloc(allocator, size, sizeof *distances);
  if (!distances) return pl_fail_memory(error);
  pl_status status = measure(allocator, mesh, count, origins, how, distances, error);
  for (size_t i = 0; i < size && !status; i++) {
    double part = 1 - distances[i] * distances[i] / (how->cutoff * how->cutoff);
    weights[i] *= part > 0 ? part * part : 0;
  }
  pl_free(allocator, distances);
  return status;
}

/* ---- harmonic weights ---- */

/* owner[node] = 1 + the nearest frame whose ball holds it, 0: none. */
static void find_seeds(const pl_mesh *mesh, int count, const double *origins,
                       const pl_weighing *how, int *owner)
{
  double radius[PL_MOST_FRAMES];
  for (int i = 0; i < count; i++) {
    // a quarter of the way to the next frame unless set; never less than the nearest node
    double next = INFINITY, near = INFINITY;
    for (int j = 0; j < count; j++) {
      if (j != i) next = fmin(next, sqrt(squared_distance(origins + 3 * i, origins + 3 * j)));
    }
    for (int n = 0; n < mesh->node_count; n++)
      near = fmin(near, sqrt(squared_distance(mesh->nodes + 3 * n, origins + 3 * i)));
    radius[i] = fmax(near * (1 + 1e-9), how->seed > 0    ? how->seed
                                        : isfinite(next) ? 0.25 * next
                                                         : 0);
  }
  for (int n = 0; n < mesh->node_count; n++) {
    double min = INFINITY;
    int nearest = how->owner ? how->owner[n] : 0, given = nearest > 0;
    for (int i = 0; i < count && !given; i++) {
      double d = sqrt(squared_distance(mesh->nodes + 3 * n, origins + 3 * i));
      if (d > radius[i] || d >= min) continue;
      min = d;
      nearest = i + 1;
    }
    owner[n] = nearest;
  }
}

/* A += the stiffness of Laplace's equation, as multiples of the identity. */
static void add_laplacian(const pl_mesh *mesh, pl_bsr *A)
{
  int count = mesh->nodes_per_element;
  for (int e = 0; e < mesh->element_count; e++) {
    const int *nodes = mesh->elements + (size_t)count * (size_t)e;
    for (int p = 0; p < (count == 4 ? 1 : 8); p++) {
      double b[PL_ELEMENT_NODES][3];
      pl_quadrature at = pl_quadrature_at(count, p);
      double weight = pl_quadrature_gradients(&at, mesh->nodes, nodes, count, b);
      for (int ij = 0; ij < count * count; ij++) {
        double value = weight * pl_vec3_dot(b[ij / count], b[ij % count]);
        double *block =
            A->values + 9 * (size_t)pl_bsr_find(A, nodes[ij / count], nodes[ij % count]);
        for (int k = 0; k < 9; k += 4) block[k] += value;
      }
    }
  }
}

typedef struct laplace {
  pl_bsr *A;
  pl_solver *solver;
  pl_filter filter;
  int *owner, *held;
  double *projections, *x, *b;
} laplace;

static pl_status make_solver(const pl_allocator *allocator, laplace *to, pl_pool *pool,
                             pl_error *error)
{
  pl_selection solver = {&pl_solver_cg.info, {0}};
  pl_selection preconditioner = {&pl_preconditioner_block_diagonal.info, {0}};
  pl_param_presets(solver.member, solver.values);
  pl_param_presets(preconditioner.member, preconditioner.values);
  pl_status status =
      pl_solver_create(allocator, &solver, &preconditioner, to->A, &to->solver, error);
  if (!status) status = pl_solver_prepare(to->solver, to->A, NULL, &to->filter, pool, error);
  return status;
}

static pl_status make_laplace(const pl_allocator *allocator, const pl_mesh *mesh, int count,
                              const double *origins, const pl_weighing *how, laplace *to,
                              pl_error *error)
{
  size_t nodes = (size_t)mesh->node_count;
  pl_cliques cliques = {
      .count = mesh->element_count, .size = mesh->nodes_per_element, .nodes = mesh->elements};
  to->owner = pl_alloc(allocator, nodes, sizeof *to->owner);
  to->held = pl_alloc(allocator, nodes, sizeof *to->held);
  to->projections = pl_alloc(allocator, nodes * 9, sizeof *to->projections);
  to->x = pl_alloc(allocator, nodes * 3, sizeof *to->x);
  to->b = pl_alloc(allocator, nodes * 3, sizeof *to->b);
  if (!to->owner || !to->held || !to->projections || !to->x || !to->b) return pl_fail_memory(error);
  pl_status status = pl_bsr_create(allocator, mesh->node_count, &cliques, 1, &to->A, error);
  if (status) return status;
  add_laplacian(mesh, to->A);
  find_seeds(mesh, count, origins, how, to->owner);
  to->filter = (pl_filter){.nodes = to->held, .projections = to->projections};
  for (int n = 0; n < mesh->node_count; n++) {
    if (to->owner[n]) to->held[to->filter.count++] = n;
  }
  return make_solver(allocator, to, how->pool, error);
}

static void release_laplace(const pl_allocator *allocator, laplace *of)
{
  pl_solver_destroy(of->solver);
  pl_bsr_destroy(of->A);
  void *arrays[] = {of->owner, of->held, of->projections, of->x, of->b};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) pl_free(allocator, arrays[i]);
}

/* The weights of three frames in a row. */
static pl_status solve_three(laplace *with, int nodes, int count, int first, pl_pool *pool,
                             double *weights, pl_error *error)
{
  pl_solve_report report;
  for (int i = 0; i < 3 * nodes; i++) {
    with->x[i] = with->owner[i / 3] == first + i % 3 + 1;
    with->b[i] = 0;
  }
  double scale = 0, *product = with->b;
  pl_bsr_multiply(with->A, with->x, product, pool);
  pl_filter_apply(&with->filter, product);
  for (int i = 0; i < 3 * nodes; i++) scale += product[i] * product[i];
  memset(with->b, 0, (size_t)nodes * 3 * sizeof *with->b);
  pl_status status = PL_OK;
  if (scale > 0)
    status = pl_solver_solve(with->solver, with->A, &with->filter, with->b, with->x,
                             1e-10 * sqrt(scale), pool, &report, error);
  if (status) return status;
  for (int n = 0; n < nodes; n++) {
    for (int k = 0; k < 3 && first + k < count; k++)
      weights[(size_t)count * (size_t)n + (size_t)(first + k)] = fmax(with->x[3 * n + k], 0);
  }
  return PL_OK;
}

static pl_status weigh_harmonic(const pl_allocator *allocator, const pl_mesh *mesh, int count,
                                const double *origins, const pl_weighing *how, double *weights,
                                pl_error *error)
{
  laplace with = {0};
  pl_status status = make_laplace(allocator, mesh, count, origins, how, &with, error);
  for (int first = 0; first < count && !status; first += 3)
    status = solve_three(&with, mesh->node_count, count, first, how->pool, weights, error);
  release_laplace(allocator, &with);
  return status;
}

/* Cuts off what is small, makes the sum 1; keeps what it was, if that is wanted. */
static pl_status normalise(const pl_mesh *mesh, int count, const pl_weighing *how, double *weights,
                           pl_error *error)
{
  for (int n = 0; n < mesh->node_count; n++) {
    double sum = 0, kept = 0, *w = weights + (size_t)count * (size_t)n;
    for (int i = 0; i < count; i++) sum += w[i];
    if (!(sum > 0))
      return pl_fail_entity(error, PL_E_ARGUMENT, n,
                            "the point at (%g, %g, %g) is reached by no frame; put a frame into "
                            "that part of the body%s",
                            mesh->nodes[3 * n], mesh->nodes[3 * n + 1], mesh->nodes[3 * n + 2],
                            how->cutoff > 0 ? ", or make the cutoff larger" : "");
    for (int i = 0; i < count; i++) {
      if (fabs(w[i]) < LEAST_WEIGHT * sum) w[i] = 0;
      kept += w[i];
    }
    for (int i = 0; i < count; i++) w[i] /= kept;
    if (how->raw) weights[(size_t)count * (size_t)mesh->node_count + (size_t)n] = kept;
  }
  return PL_OK;
}

/* ---- weights of an earlier time ---- */

/* A key of all that weights depend on, twice with different starts. */
static void make_key(const pl_mesh *mesh, int count, const double *origins, const pl_weighing *how,
                     uint64_t key[2])
{
  enum { VERSION = 2 }; /* counts up when weights of the same body come out otherwise */
  const uint64_t head[] = {VERSION,
                           (uint64_t)how->kind,
                           (uint64_t)count,
                           (uint64_t)mesh->node_count,
                           (uint64_t)mesh->element_count,
                           (uint64_t)mesh->nodes_per_element,
                           how->owner != NULL,
                           (uint64_t)how->raw};
  const double lengths[] = {how->seed, how->cutoff, LEAST_WEIGHT};
  size_t nodes = (size_t)mesh->node_count;
  size_t corners = (size_t)mesh->element_count * (size_t)mesh->nodes_per_element;
  for (int k = 0; k < 2; k++) {
    uint64_t hash = k ? ~PL_HASH_START : PL_HASH_START;
    hash = pl_hash_words(hash, head, sizeof head / 8);
    hash = pl_hash_words(hash, lengths, 3);
    hash = pl_hash_words(hash, origins, 3 * (size_t)count);
    hash = pl_hash_words(hash, mesh->nodes, 3 * nodes);
    // whole words of the numbers of nodes, and the odd one
    hash = pl_hash_words(hash, mesh->elements, corners / 2);
    if (corners % 2)
      hash = pl_hash_words(hash, &(uint64_t){(uint64_t)mesh->elements[corners - 1]}, 1);
    for (size_t n = 0; how->owner && n < nodes; n++)
      hash = pl_hash_words(hash, &(uint64_t){(uint64_t)how->owner[n]}, 1);
    key[k] = hash;
  }
}

/* Are these weights at all: from 0 to 1, with the sum 1 at every node, from a positive one? */
static int are_weights(const pl_mesh *mesh, int count, int raw, const double *weights)
{
  const double *sums = weights + (size_t)count * (size_t)mesh->node_count;
  for (int n = 0; n < mesh->node_count; n++) {
    double sum = 0;
    for (int i = 0; i < count; i++, weights++) {
      if (!(*weights >= 0 && *weights <= 1)) return 0;
      sum += *weights;
    }
    if (!(fabs(sum - 1) < 1e-9) || (raw && !(sums[n] > 0 && sums[n] < 1e300))) return 0;
  }
  return 1;
}

static pl_status compute(const pl_allocator *allocator, const pl_mesh *mesh, int count,
                         const double *origins, const pl_weighing *how, double *weights,
                         pl_error *error)
{
  pl_status status = PL_OK;
  int kind = how->kind;
  memset(weights, 0, (size_t)count * (size_t)mesh->node_count * sizeof *weights);
  if (kind == PL_WEIGHTS_LINEAR || kind == PL_WEIGHTS_SPLINE)
    status = weigh_along(mesh, count, origins, kind == PL_WEIGHTS_SPLINE, weights, error);
  else if (kind == PL_WEIGHTS_HARMONIC)
    status = weigh_harmonic(allocator, mesh, count, origins, how, weights, error);
  else
    status = measure(allocator, mesh, count, origins, how, weights, error);
  if (!status && (kind == PL_WEIGHTS_EUCLIDEAN || kind == PL_WEIGHTS_GEODESIC))
    invert_distances(mesh, count, weights);
  if (!status && how->cutoff > 0)
    status = cut_off(allocator, mesh, count, origins, how, weights, error);
  // what a frame moves alone
  for (int n = 0; n < mesh->node_count && how->owner && !status; n++) {
    for (int i = 0; how->owner[n] && i < count; i++)
      weights[(size_t)count * (size_t)n + (size_t)i] = i + 1 == how->owner[n];
  }
  return status ? status : normalise(mesh, count, how, weights, error);
}

pl_status pl_frames_weigh(const pl_allocator *allocator, const pl_mesh *mesh, int count,
                          const double *origins, const pl_weighing *how, double *weights,
                          pl_error *error)
{
  // the others are made faster than read
  int slow = how->kind == PL_WEIGHTS_HARMONIC || how->kind == PL_WEIGHTS_GEODESIC;
  const pl_store *store = slow ? how->store : NULL;
  size_t numbers = (size_t)(count + (how->raw != 0)) * (size_t)mesh->node_count;
  uint64_t key[2];
  if (store) {
    make_key(mesh, count, origins, how, key);
    if (store->load(store, key, numbers, weights) && are_weights(mesh, count, how->raw, weights))
      return PL_OK;
  }
  pl_status status = compute(allocator, mesh, count, origins, how, weights, error);
  if (!status && store) store->save(store, key, numbers, weights);
  return status;
}

pl_status pl_frames_insert(const pl_allocator *allocator, const pl_mesh *mesh, int count,
                           const double origin[3], double reach, const double *from, double *to,
                           pl_error *error)
{
  double *way = pl_alloc(allocator, (size_t)mesh->node_count, sizeof *way);
  if (!way) return pl_fail_memory(error);
  walk(mesh, origin, way);
  for (int n = 0; n < mesh->node_count; n++) {
    double part = 1 - way[n] * way[n] / (reach * reach), own = part > 0 ? part * part : 0;
    for (int i = 0; i < count; i++) *to++ = (1 - own) * *from++;
    *to++ = own;
  }
  pl_free(allocator, way);
  return PL_OK;
}
