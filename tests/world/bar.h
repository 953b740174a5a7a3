/* The bar that many tests use: 1 x 0.25 x 0.25 m along x, E = 1e6 Pa, nu = 0.3, 1000 kg/m^3, of
 * finite elements, unless told; or that of Mueller et al. 2002: 10 x 3 x 3 cells of five
 * tetrahedra, nu = 0.33. */
#ifndef PL_TEST_BAR_H
#define PL_TEST_BAR_H

#include "pliant/world.h"

#include "acts.h"

typedef struct bar_def {
  int n;                   /* 4n x n x n cells */
  int along;               /* cells along the bar, if given */
  double length;           /* if given; the bar is a quarter as wide */
  double paper;            /* the edge of a cell of the paper's bar; 0: the other one */
  const pl_body_def *like; /* a body of another model, material, velocity and so on */
  const char *element;     /* "tet", "tet5", "hex", or "tet10" of the nodes of tets */
  const char *strain, *rotation, *mass, *integrator;
  const char *method;      /* of the solver, if it has a tolerance; NULL: cg */
  int newton;              /* 0: the preset */
  int unstable;            /* a dt above the critical step is allowed */
  int never_halve;         /* a step that fails is not tried again */
  int halve_once;          /* it is tried again once */
  double tolerance;        /* of step control */
  double solver;           /* its tolerance; 0: the preset solver */
  double newton_tolerance; /* 0: the preset */
  int free, kept, threads; /* free: nothing holds it; kept: its momentum is */
  double dt, gravity[3], spin[3];
  double viscous_mu, stiffness_damping, mass_damping;
  const pl_allocator *allocator;
  pl_log log;
} bar_def;

/* Cloth has the boundary of the mesh. */
static inline pl_status bar_skin(const bar_def *bar, pl_mesh **mesh, pl_error *error)
{
  const char *model = bar->like ? bar->like->model.name : NULL;
  pl_mesh *triangles = NULL;
  if (!model || strcmp(model, "cloth") != 0) return PL_OK;
  pl_status status = pl_mesh_boundary(*mesh, bar->allocator, &triangles, error);
  pl_mesh_destroy(*mesh);
  *mesh = triangles;
  return status;
}

/* Quadratic elements are twice as long as the cells. */
static inline int bar_is_quadratic(const bar_def *bar)
{
  return bar->element && strcmp(bar->element, "tet10") == 0;
}

static inline pl_status bar_divide(const bar_def *bar, pl_mesh **mesh, pl_error *error)
{
  pl_mesh *quadratic = NULL;
  if (!bar_is_quadratic(bar)) return PL_OK;
  pl_status status = pl_mesh_divide(*mesh, PL_DIVIDE_TET10, bar->allocator, &quadratic, error);
  pl_mesh_destroy(*mesh);
  *mesh = quadratic;
  return status;
}

/* Fills *world and *body; the status says whether it worked. */
static inline pl_status bar_make(const bar_def *bar, pl_world **world, pl_body_id *body,
                                 pl_error *error)
{
  const int quadratic = bar_is_quadratic(bar);
  int n = (bar->n ? bar->n : 2) / (quadratic ? 2 : 1);
  double length = bar->length > 0 ? bar->length : 1, width = 0.25 * length, h = bar->paper;
  pl_setting box[] = {{.name = "size", .value = {length, width, width}},
                      {.name = "cells", .value = {bar->along ? bar->along : 4 * n, n, n}},
                      {.name = "element", .word = bar->element ? bar->element : "tet"}};
  if (quadratic) box[2].word = "tet";
  pl_setting paper[] = {{.name = "size", .value = {10 * h, 3 * h, 3 * h}},
                        {.name = "cells", .value = {10, 3, 3}},
                        {.name = "element", .word = "tet5"}};
  pl_setting hooke[] = {{.name = "young", .value = {1e6}},
                        {.name = "poisson", .value = {h > 0 ? 0.33 : 0.3}}};
  pl_setting fem[] = {{.name = "strain", .word = bar->strain ? bar->strain : "corotated"},
                      {.name = "mass", .word = bar->mass ? bar->mass : "lumped"},
                      {.name = "rotations", .word = bar->rotation ? bar->rotation : "svd"}};
  pl_setting newton[] = {{.name = "newton", .value = {bar->newton}},
                         {.name = "newton-tolerance", .value = {bar->newton_tolerance}}};
  pl_setting solver = {.name = "tolerance", .value = {bar->solver}};
  *world = NULL;
  pl_world_def world_def = pl_world_def_default();
  if (bar->allocator) world_def.allocator = *bar->allocator;
  world_def.log = bar->log;
  world_def.allow_unstable = bar->unstable;
  if (bar->never_halve) world_def.halvings = 0;
  if (bar->halve_once) world_def.halvings = 1;
  world_def.dt = bar->dt > 0 ? bar->dt : 0.01;
  world_def.threads = bar->threads ? bar->threads : 1;
  memcpy(world_def.gravity, bar->gravity, sizeof world_def.gravity);
  world_def.integrator = (pl_choice){bar->integrator, bar->newton > 0 ? newton : newton + 1,
                                     (bar->newton > 0) + (bar->newton_tolerance > 0)};
  if (bar->solver > 0) world_def.solver = (pl_choice){bar->method ? bar->method : "cg", &solver, 1};
  world_def.tolerance = bar->tolerance;
  pl_mesh *mesh = NULL;
  pl_status status =
      pl_mesh_generate(&(pl_choice){"box", h > 0 ? paper : box, 3}, bar->allocator, &mesh, error);
  if (!status) status = bar_divide(bar, &mesh, error);
  if (!status) status = bar_skin(bar, &mesh, error);
  if (!status) status = pl_world_create(&world_def, world, error);
  pl_body_def body_def = bar->like ? *bar->like : pl_body_def_default();
  body_def.mesh = mesh;
  if (!body_def.material.law.name) body_def.material.law = (pl_choice){"hooke", hooke, 2};
  if (!body_def.model.name) body_def.model = (pl_choice){"fem", fem, 3};
  if (!bar->like) {
    body_def.material.viscous_mu = bar->viscous_mu;
    body_def.material.stiffness_damping = bar->stiffness_damping;
    body_def.material.mass_damping = bar->mass_damping;
    body_def.keep_momentum = bar->kept;
    memcpy(body_def.spin, bar->spin, sizeof body_def.spin);
  }
  if (!status) status = pl_world_add_body(*world, &body_def, body, error);
  if (!status && !bar->free) status = fix_set(*world, *body, "x-min", error);
  pl_mesh_destroy(mesh);
  if (status) {
    pl_world_destroy(*world);
    *world = NULL;
  }
  return status;
}

/* Newton's method to the end, where the integrator has one. */
static inline void bar_tighten(bar_def *def)
{
  const pl_member *member = pl_member_find(&pl_integrator_family, def->integrator);
  if (pl_param_find(member, "newton") >= 0) def->newton = 30;
  if (pl_param_find(member, "newton-tolerance") >= 0) def->newton_tolerance = 1e-11;
}

static inline void bar_tip(pl_world *world, pl_body_id body, double tip[3])
{
  pl_probe_def def = pl_probe_def_default();
  def.body = body;
  def.at[0] = 1;
  def.at[1] = def.at[2] = 0.125;
  pl_probe_id probe = {0};
  CHECK_OK(pl_world_add_probe(world, &def, &probe, error));
  CHECK_OK(pl_world_read_probe(world, probe, tip, error));
}

/* A traction along the bar at its end. */
static inline pl_status bar_pull(pl_world *world, pl_body_id body, double stress, pl_error *error)
{
  pl_setting value = {.name = "value", .value = {stress, 0, 0}};
  pl_selector end = {.set = "x-max"};
  pl_load_def load = pl_load_def_default();
  load.load = (pl_choice){"traction", &value, 1};
  load.where = &end;
  load.where_count = 1;
  return pl_world_add_load(world, body, &load, NULL, error);
}

#endif
