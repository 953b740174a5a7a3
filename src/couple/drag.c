/* Mass damping: -alpha M v on every body that has some (Rayleigh's first term; it acts on rigid
 * motion as well). Its share of the matrix, kv alpha M, is added together with the inertia's: the
 * system multiplies each body's mass by km + kv alpha.
 *
 * Of deformation only: -alpha M (v - c - w x r), where c and w are the velocity of the mass centre
 * and the spin with the momenta of the body, so that the force has neither sum nor moment (Zhuang &
 * Canny 2000 damp all motion; a falling body would reach g / alpha). Its matrix is that above,
 * which leaves out that c and w change: right where Newton's method iterates; methods of one
 * linear solve take none. Bodies whose blocks rotate, and bodies of frames, are damped as above. */
#include "couple/coupling.h"
#include "math/mat3.h"
#include "math/vec3.h"
#include "sparse/passes.h"

/* Mass, centre, and the sums of m v and r x m v. */
typedef struct motion {
  double mass, centre[3], linear[3], angular[3], I[9];
} motion;

static void add_block(const double *q, const double *v, double m, motion *sum)
{
  double r[3], L[3];
  pl_vec3_sub(q, sum->centre, r);
  pl_vec3_cross(r, v, L);
  pl_vec3_add_scaled(m, v, sum->linear);
  pl_vec3_add_scaled(m, L, sum->angular);
  for (int i = 0; i < 9; i++)
    sum->I[i] += m * ((i % 4 == 0 ? pl_vec3_dot(r, r) : 0) - r[i / 3] * r[i % 3]);
}

/* The velocity of the centre and the spin of a body; spin 0 where it has collapsed to a line. */
static void rigid_motion(const pl_body *body, const double *q, const double *v, double centre[3],
                         double c[3], double w[3])
{
  const double *mass = body->model->lumped_mass;
  double inverse[9] = {0};
  motion sum = {0};
  for (int i = 0; i < body->blocks; i++) {
    pl_vec3_add_scaled(mass[i], q + 3 * i, sum.centre);
    sum.mass += mass[i];
  }
  pl_vec3_scale(1 / sum.mass, sum.centre, sum.centre);
  for (int i = 0; i < body->blocks; i++) add_block(q + 3 * i, v + 3 * i, mass[i], &sum);
  pl_mat3_inverse(sum.I, inverse);
  pl_mat3_apply(inverse, sum.angular, w);
  pl_vec3_scale(1 / sum.mass, sum.linear, c);
  pl_vec3_copy(sum.centre, centre);
}

/* f -= alpha m (v - c - w x r) with the lumped mass. */
static void drag_deformation(const pl_body *body, const double *q, const double *v, double *f)
{
  double centre[3], c[3], w[3];
  rigid_motion(body, q, v, centre, c, w);
  for (int i = 0; i < body->blocks; i++) {
    double r[3], turning[3], rest[3];
    pl_vec3_sub(q + 3 * i, centre, r);
    pl_vec3_cross(w, r, turning);
    pl_vec3_sub(v + 3 * i, c, rest);
    pl_vec3_sub(rest, turning, rest);
    pl_vec3_add_scaled(-body->mass_damping * body->model->lumped_mass[i], rest, f + 3 * i);
  }
}

/* With nodes that hang on others T^T M T is not diagonal; explicit methods take the lumped mass of
 * the blocks for it, here as in their inertia. */
static int is_lumped(const pl_coupling *self, const pl_model *model)
{
  int hangs = model->node_mass && !model->frame_count && !pl_model_has_rotations(model);
  return self->bodies->lumps && hangs;
}

/* q, v and f: those of the body. */
static void drag_body(const pl_coupling *self, const pl_body *body, const double *q,
                      const double *v, double *f)
{
  pl_pool *pool = self->bodies->pool;
  if (pl_body_spares_rigid_motion(body)) {
    drag_deformation(body, q, v, f);
  } else if (is_lumped(self, body->model)) {
    pl_pass_mass_add(-body->mass_damping, body->model->lumped_mass, v, f, body->blocks, pool);
  } else {
    pl_body_update_mass(body, q);
    body->model->ops->mass_add(body->model, -body->mass_damping, v, f, pool);
  }
}

/* Does each block depend on itself alone? */
static int is_pass(const pl_coupling *self, const pl_body *body)
{
  return !pl_body_spares_rigid_motion(body) &&
         (is_lumped(self, body->model) || body->model->mass != NULL);
}

static void evaluate(pl_coupling *self, const pl_moment *at, double *f, const pl_tangent *tangent)
{
  (void)tangent;
  for (size_t b = 0; f && b < self->bodies->count; b++) {
    const pl_body *body = &self->bodies->list[b];
    int offset = 3 * body->offset;
    if (!(body->mass_damping > 0)) continue;
    int gathers = is_pass(self, body) ? 0 : pl_pool_gather(self->bodies->pool, 0);
    drag_body(self, body, at->q + offset, at->v + offset, f + offset);
    if (gathers) pl_pool_gather(self->bodies->pool, 1);
  }
}

const pl_coupling_ops pl_coupling_drag = {
    .info = {"drag", "what a material's mass-damping exerts on its body", "", NULL, 0, NULL},
    .by_ranges = 1,
    .size = sizeof(pl_coupling),
    .evaluate = evaluate,
};
