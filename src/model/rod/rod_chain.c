/* The edges and joints of rods, from a mesh of segments: which segments go on in each other, in
 * which direction they run, and what they are at rest. */
#include "core/error.h"
#include "core/memory.h"
#include "math/functions.h"
#include "math/vec3.h"
#include "model/rod/rod.h"

#include <math.h>
#include <string.h>

/* Two segments that turn by more than 60 degrees at a node of several are two rods. */
static const double STRAIGHT = 0.5;

/* Ends of segments: end 2 s + k is node k of segment s. */
typedef struct ends {
  const pl_mesh *mesh;
  int *start, *list; /* per node its ends */
  int *partner;      /* per end: the end that it goes on in, or -1 */
  int *seen;         /* per segment: 0, 1 as it stands, 2 turned around */
} ends;

static int node_of(const ends *all, int end) { return all->mesh->elements[end]; }

/* The unit vector from an end into its segment. */
static void inward(const ends *all, int end, double out[3])
{
  const double *x = all->mesh->nodes;
  pl_vec3_sub(x + 3 * (size_t)node_of(all, end ^ 1), x + 3 * (size_t)node_of(all, end), out);
  pl_vec3_scale(1 / pl_vec3_norm(out), out, out);
}

/* How straight the way from one end to the other is: 1 straight, -1 back. */
static double straightness(const ends *all, int a, int b)
{
  double x[3], y[3];
  inward(all, a, x);
  inward(all, b, y);
  return -pl_vec3_dot(x, y);
}

static pl_status sort_ends(const pl_allocator *allocator, ends *all, pl_error *error)
{
  const pl_mesh *mesh = all->mesh;
  size_t count = 2 * (size_t)mesh->element_count;
  all->start = pl_alloc(allocator, (size_t)mesh->node_count + 2, sizeof *all->start);
  all->list = pl_alloc(allocator, count, sizeof *all->list);
  all->partner = pl_alloc(allocator, count, sizeof *all->partner);
  all->seen = pl_alloc(allocator, count, sizeof *all->seen);
  if (!all->start || !all->list || !all->partner || !all->seen) return pl_fail_memory(error);
  for (size_t i = 0; i < count; i++) all->start[mesh->elements[i] + 2]++;
  for (int n = 2; n <= mesh->node_count; n++) all->start[n + 1] += all->start[n];
  for (int i = 0; i < (int)count; i++) all->list[all->start[mesh->elements[i] + 1]++] = i;
  for (size_t i = 0; i < count; i++) all->partner[i] = -1;
  return PL_OK;
}

/* Joins the ends at a node, the straightest pair first. */
static void pair_ends(ends *all, int node)
{
  const int *list = all->list + all->start[node];
  int count = all->start[node + 1] - all->start[node];
  for (;;) {
    double best = count == 2 ? -2 : STRAIGHT;
    int a = -1, b = -1;
    for (int i = 0; i < count; i++) {
      for (int j = 0; j < i; j++) {
        if (all->partner[list[i]] >= 0 || all->partner[list[j]] >= 0) continue;
        double value = straightness(all, list[i], list[j]);
        if (value > best) best = value, a = list[j], b = list[i];
      }
    }
    if (a < 0) return;
    all->partner[a] = b;
    all->partner[b] = a;
  }
}

static pl_status refuse_twins(const ends *all, int node, pl_error *error)
{
  const int *list = all->list + all->start[node];
  int count = all->start[node + 1] - all->start[node];
  const double *x = all->mesh->nodes + 3 * (size_t)node;
  for (int i = 0; i < count; i++) {
    for (int j = 0; j < i; j++) {
      int a = list[i] / 2;
      if (node_of(all, list[i] ^ 1) == node_of(all, list[j] ^ 1))
        return pl_fail_entity(error, PL_E_MESH, a,
                              "two segments at (%g, %g, %g) join the same two nodes; a closed rod "
                              "needs at least three segments",
                              x[0], x[1], x[2]);
      if (all->partner[list[i]] == list[j] && straightness(all, list[i], list[j]) < -1 + 1e-6)
        return pl_fail_entity(error, PL_E_MESH, a,
                              "two segments lie folded onto each other at (%g, %g, %g); open the "
                              "fold by more than 0.1 degrees",
                              x[0], x[1], x[2]);
    }
  }
  return PL_OK;
}

/* ---- rest ---- */

static double or_else(double given, double otherwise) { return isnan(given) ? otherwise : given; }

static void set_edge(const pl_rod_def *def, const ends *all, int s, pl_rod_edge *to)
{
  const pl_material *of = pl_model_def_material(def->model, def->material, s);
  double r = def->thickness / 2, area = PL_PI * r * r;
  double young = of->mu * (3 * of->lambda + 2 * of->mu) / (of->lambda + of->mu);
  int turned = all->seen[s] == 2;
  for (int k = 0; k < 2; k++) to->nodes[k] = node_of(all, 2 * s + (turned ? 1 - k : k));
  const double *x = all->mesh->nodes;
  pl_vec3_sub(x + 3 * (size_t)to->nodes[1], x + 3 * (size_t)to->nodes[0], to->direction);
  to->length = pl_vec3_norm(to->direction);
  pl_vec3_scale(1 / to->length, to->direction, to->direction);
  to->density = or_else(def->line_density, of->density * area);
  to->stretch = or_else(def->stretch, young * area);
  to->viscous = of->mu > 0 ? of->viscous_mu / of->mu : 0;
}

static void set_joint(const pl_rod_def *def, int first, int second, const pl_rod_edge *edges,
                      pl_rod_joint *to)
{
  const pl_rod_edge *a = &edges[first], *b = &edges[second];
  double r = def->thickness / 2, length = (a->length + b->length) / 2, bend = 0, twist = 0;
  for (int i = 0; i < 2; i++) {
    const pl_material *of = pl_model_def_material(def->model, def->material, i ? second : first);
    double young = of->mu * (3 * of->lambda + 2 * of->mu) / (of->lambda + of->mu);
    bend += young * PL_PI * r * r * r * r / 8;
    twist += of->mu * PL_PI * r * r * r * r / 4;
  }
  *to = (pl_rod_joint){.edges = {first, second},
                       .bend = or_else(def->bend, bend) / length,
                       .twist = or_else(def->twist, twist) / length,
                       .viscous = (a->viscous + b->viscous) / 2};
  pl_rod_look look = {.joint = to};
  for (int i = 0; i < 2; i++) {
    const pl_rod_edge *e = i ? b : a;
    pl_vec3_scale(e->length, e->direction, look.e[i]);
    pl_vec3_copy(e->direction, look.base[i].direction);
    pl_vec3_copy(e->frame, look.base[i].frame);
  }
  pl_rod_joint_look(&look);
  to->turn = look.strains[2];
  for (int k = 0; k < 2; k++) to->rest[k] = def->is_straight ? 0 : look.strains[k];
  to->rest[2] = to->turn + def->rest_twist * length;
}

/* Any direction at right angles to another. */
static void any_frame(const double t[3], double out[3])
{
  double e[3] = {0};
  int min = 0;
  for (int k = 1; k < 3; k++) {
    if (fabs(t[k]) < fabs(t[min])) min = k;
  }
  e[min] = 1;
  pl_vec3_add_scaled(-t[min], t, e);
  pl_vec3_scale(1 / pl_vec3_norm(e), e, out);
}

/* Walks along a chain from an end into its segment, until it ends or comes back. */
static void walk(const pl_rod_def *def, ends *all, int end, pl_rod_chains *chains)
{
  const pl_rod_edge *before = NULL;
  while (end >= 0 && !all->seen[end / 2]) {
    pl_rod_edge *edge = &chains->edges[end / 2];
    all->seen[end / 2] = end % 2 ? 2 : 1;
    set_edge(def, all, end / 2, edge);
    if (before)
      pl_rod_carry(before->direction, edge->direction, before->frame, edge->frame);
    else
      any_frame(edge->direction, edge->frame);
    before = edge;
    end = all->partner[end ^ 1];
  }
}

static void walk_all(const pl_rod_def *def, ends *all, pl_rod_chains *chains)
{
  int count = 2 * chains->edge_count;
  for (int end = 0; end < count; end++) {
    if (all->partner[end] < 0) walk(def, all, end, chains);
  }
  for (int end = 0; end < count; end += 2) walk(def, all, end, chains);
}

static void make_joints(const pl_rod_def *def, const ends *all, pl_rod_chains *chains)
{
  for (int i = 0; i < 2 * chains->edge_count; i++) {
    int end = all->list[i], other = all->partner[end];
    // the end at which its edge stops; the other one begins there
    if (other < 0 || node_of(all, end) != chains->edges[end / 2].nodes[1]) continue;
    set_joint(def, end / 2, other / 2, chains->edges, &chains->joints[chains->joint_count++]);
  }
}

pl_status pl_rod_chains_create(const pl_allocator *allocator, const pl_rod_def *def,
                               pl_rod_chains *chains, pl_error *error)
{
  size_t count = (size_t)def->mesh->element_count;
  ends all = {.mesh = def->mesh};
  *chains = (pl_rod_chains){.edge_count = def->mesh->element_count};
  chains->edges = pl_alloc(allocator, count, sizeof *chains->edges);
  chains->joints = pl_alloc(allocator, count, sizeof *chains->joints);
  pl_status status = chains->edges && chains->joints ? PL_OK : pl_fail_memory(error);
  if (!status) status = sort_ends(allocator, &all, error);
  for (int node = 0; node < def->mesh->node_count && !status; node++) {
    pair_ends(&all, node);
    status = refuse_twins(&all, node, error);
  }
  if (!status) {
    walk_all(def, &all, chains);
    make_joints(def, &all, chains);
  }
  pl_free(allocator, all.start);
  pl_free(allocator, all.list);
  pl_free(allocator, all.partner);
  pl_free(allocator, all.seen);
  return status;
}

void pl_rod_chains_destroy(const pl_allocator *allocator, pl_rod_chains *chains)
{
  pl_free(allocator, chains->edges);
  pl_free(allocator, chains->joints);
}
