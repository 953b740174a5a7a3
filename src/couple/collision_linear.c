/* Normal forces between soft bodies as methods of order 1 see them that solve one linear system.
 *
 * Such a method sees the gap as linear in the places, g = g0 + n . (sum w_i x_i - r) with n and w
 * as the substep begins, and a pair as an elastic layer: W = k (r - g)^2 / 2 below r, 0 above. With
 * the bodies' own forces linearised as well, the end of the substep minimises
 *
 *   E(x) = 1/2 (x - y)^T A (x - y) + sum W(g(x)),
 *
 * which is convex. A pass solves for the minimum with the W of some pairs, those that press, taken
 * as the whole parabola and those of all others as 0: a Newton iteration for a function of pieces.
 * The next pass takes the pairs that are in range at a base point, the lowest of E on the line from
 * the last one to what the pass has found. That needs no product with A: at a point that a pass has
 * found A (x - y) = sum F c n with the forces F that the pass has seen, and between two such points
 * it is linear, so that along d
 *
 *   dE/da = sum (F - k max(r - g, 0)) n . c d,
 *
 * a sum over pairs. E falls from pass to pass; its minimum is the implicit Euler step, which gains
 * no energy and where no pair pulls. What is left are the solver's tolerance, friction, which
 * changes from pass to pass as well, and the curvature of gaps.
 *
 * In the first pass those pairs press whose points would come into range if they were alone with
 * the motion that they have, and under a force that balances the pair's at the beginning:
 * m / h^2 (g - g_free) = k (p(g) - p(g0)). So what comes in fast is stopped in the same substep. */
#include "couple/collision.h"
#include "math/vec3.h"

#include <math.h>

#define WRONG 0.02   /* part of all normal forces by which they may be wrong */
#define NOISE 0.01   /* part of its way by which a gap is uncertain: the solver's tolerance */
#define AHEAD 0.1    /* part of a way by which a base point is foreseen to go on */
#define STUCK 0.1    /* a shorter part of a way is none: the solver's noise hides the slope of E */
enum { DROPS = 4 };  /* passes after which pairs that pull are let go */
enum { ENOUGH = 8 }; /* passes in which forces are corrected */
enum { HALVINGS = 12 }; /* of the line on which E is lowest */

double pl_collision_line(double gap, double range, double *push, double *slope)
{
  double depth = fmax(range - gap, 0);
  *push = depth;
  *slope = depth > 0;
  return 0.5 * depth * depth;
}

double pl_collision_linear_gap(const pl_collision_pair *pair, const double *x)
{
  double r[3];
  pl_vec3_scale(-1, pair->r, r);
  for (int i = 0; i < 4; i++)
    pl_vec3_add_scaled(pair->weights[i], x + 3 * (size_t)pair->points[i], r);
  return pair->gap + pl_vec3_dot(pair->normal, r);
}

/* A point that passes by an edge or a point is seen from where it comes nearest on its straight
 * way, else going along the surface would count as coming in. What heads for the feature itself
 * keeps its normal. */
void pl_collision_foresee(const pl_collision *self, pl_collision_pair *pair)
{
  double way[3] = {0}, near[3];
  if (pair->params == 2) return;
  for (int i = 0; i < 4; i++) {
    size_t at = 3 * (size_t)pair->points[i];
    pl_vec3_add_scaled(pair->weights[i], self->to + at, way);
  }
  pl_vec3_sub(way, pair->r, way);
  double square = pl_vec3_dot(way, way), part = -pl_vec3_dot(way, pair->r) / square;
  pl_vec3_copy(pair->r, near);
  pl_vec3_add_scaled(square > 0 ? fmin(fmax(part, 0), 1) : 0, way, near);
  double length = pl_vec3_norm(near);
  if (!(length - pair->thickness > 0.5 * self->range)) return;
  pl_vec3_scale(1 / length, near, pair->normal);
  pair->gap = pl_vec3_dot(pair->normal, pair->r) - pair->thickness - pair->shift;
}

/* a (g - free) = k (p(g) - p(g0)) has a solution in range where free - k p(g0) / a is. */
void pl_collision_expect_push(const pl_collision *self, pl_collision_pair *pair)
{
  double a = pl_collision_mass(self, pair) / (self->h * self->h), k = pair->stiffness;
  double push = fmax(self->range - pair->gap, 0);
  double free = pl_collision_linear_gap(pair, self->to), there = free - k * push / a;
  pair->line.base.gap = free;
  pair->line.base.force = 0;
  pair->line.presses = there < self->range;
  pair->push = pair->line.presses ? k * (self->range - (a * there + k * self->range) / (a + k)) : 0;
}

/* dE/da where the part a of the way from the base point to what was found is gone. */
static double slope_at(const pl_collision *self, double a)
{
  double sum = 0;
  for (size_t i = 0; i < self->pair_count; i++) {
    const pl_collision_pair *pair = &self->pairs[i];
    if (!pair->line.is_seen) continue;
    double way = pair->line.found.gap - pair->line.base.gap, gap = pair->line.base.gap + a * way;
    double force = (1 - a) * pair->line.base.force + a * pair->line.found.force;
    sum += (force - pair->stiffness * fmax(self->range - gap, 0)) * way;
  }
  return sum;
}

/* Where E is lowest on that way. */
static double search(const pl_collision *self)
{
  double low = 0, high = 1;
  if (!(slope_at(self, 1) > 0)) return 1;
  for (int i = 0; i < HALVINGS; i++) {
    double middle = 0.5 * (low + high);
    if (slope_at(self, middle) > 0)
      high = middle;
    else
      low = middle;
  }
  return 0.5 * (low + high);
}

/* Is the pair to press in the next pass? One that does is let go where it has pulled; one that does
 * not is taken where the way that was found leads into its range soon behind the base point, else
 * the next way would end at once. */
static int will_press(const pl_collision *self, const pl_collision_pair *pair, int may_drop)
{
  double noise = NOISE * fabs(pair->line.found.gap - pair->gap);
  double ahead = pair->line.base.gap + AHEAD * fmin(pair->line.found.gap - pair->line.base.gap, 0);
  if (!pair->line.presses) return ahead < self->range;
  return !may_drop || pair->line.base.gap < self->range + noise;
}

/* What a pass has found. Returns whether something has come far into the range without a force. */
static int judge(pl_collision *self, double *wrong, double *all)
{
  int is_inside = 0;
  for (size_t i = 0; i < self->pair_count; i++) {
    pl_collision_pair *pair = &self->pairs[i];
    if (!pair->line.is_seen) continue;
    double gap = pl_collision_linear_gap(pair, self->x), noise = NOISE * fabs(gap - pair->gap);
    double force = pair->stiffness * (self->range - gap);
    pair->line.found.gap = gap;
    pair->line.found.force = pair->line.presses ? force : 0;
    *all += fabs(pair->line.found.force);
    if (pair->line.presses ? gap > self->range + noise : gap < self->range) *wrong += fabs(force);
    is_inside |= !pair->line.presses && gap < 0.5 * self->range;
  }
  return is_inside;
}

/* Moves the base point and chooses what presses; returns whether that has changed. */
static int move_base(pl_collision *self, int pass)
{
  double part = pass > 1 ? search(self) : 1;
  int is_stuck = part < STUCK, may_drop = pass <= DROPS && !is_stuck, changes = 0;
  for (size_t i = 0; i < self->pair_count; i++) {
    pl_collision_pair *pair = &self->pairs[i];
    if (!pair->line.is_seen) continue;
    if (pass == 1 || is_stuck) pair->line.base = pair->line.found;
    pair->line.base.gap += part * (pair->line.found.gap - pair->line.base.gap);
    pair->line.base.force += part * (pair->line.found.force - pair->line.base.force);
    int presses = will_press(self, pair, may_drop);
    changes |= presses != pair->line.presses;
    pair->line.presses = presses;
  }
  return changes;
}

int pl_collision_relinearise(pl_collision *self, const pl_substep *step)
{
  double wrong = 0, all = 0;
  int is_inside = judge(self, &wrong, &all), changes = move_base(self, step->pass);
  int is_wrong = wrong > WRONG * pl_substep_leniency(step) * all;
  return changes && ((step->pass <= ENOUGH && is_wrong) || (step->pass <= 2 * ENOUGH && is_inside));
}

int pl_collision_strays(const pl_collision *self)
{
  double allowed = 0.25 * self->range, square = allowed * allowed;
  for (int i = 0; i < self->point_count; i++) {
    double off[3];
    pl_vec3_sub(self->x + 3 * (size_t)i, self->to + 3 * (size_t)i, off);
    if (pl_vec3_dot(off, off) > square) return 1;
  }
  return 0;
}
