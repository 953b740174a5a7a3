/* Bars that are tied to each other. */
#ifndef PL_TEST_TIED_H
#define PL_TEST_TIED_H

#include "math/vec3.h"
#include "probe.h"

#include "acts.h"

typedef struct setup {
  const char *integrator, *solver, *preconditioner;
  const char *element, *model;
  double dt, gravity, spin, young, damping;
  int threads, newton;
  int fine; /* cells across of what is attached; 0: as coarse as the other */
  const pl_allocator *allocator;
} setup;

static inline pl_status make_world(const setup *with, pl_world **world, pl_error *error)
{
  pl_setting exact[] = {{.name = "tolerance", .value = {1e-13}}};
  pl_setting newton[] = {{.name = "newton-tolerance", .value = {1e-11}},
                         {.name = "newton", .value = {30}},
                         {.name = "matrix", .word = "every-iteration"}};
  pl_world_def def = pl_world_def_default();
  if (with->allocator) def.allocator = *with->allocator;
  def.dt = with->dt > 0 ? with->dt : 0.002;
  def.threads = with->threads ? with->threads : 1;
  def.gravity[0] = def.gravity[1] = 0;
  def.gravity[2] = -with->gravity;
  def.integrator = (pl_choice){with->integrator, newton, with->newton ? 2 : 0};
  if (with->solver) def.solver = (pl_choice){with->solver, exact, 1};
  if (with->preconditioner) def.preconditioner.name = with->preconditioner;
  return pl_world_create(&def, world, error);
}

/* A bar along x that begins at `at`, `along` cells of 0.25 m. */
static inline pl_status add_bar(pl_world *world, const setup *with, double at, int along, int fine,
                                pl_body_id *body, pl_error *error)
{
  double young = with->young > 0 ? with->young : 1e5;
  pl_setting hooke[] = {{.name = "young", .value = {young}}, {.name = "poisson", .value = {0.3}}};
  pl_setting box[] = {{.name = "size", .value = {0.25 * along, 0.5, 0.5}},
                      {.name = "cells", .value = {along, fine, fine}},
                      {.name = "origin", .value = {at, 0, 0}},
                      {.name = "element", .word = with->element ? with->element : "hex"}};
  pl_mesh *mesh = NULL;
  pl_body_def def = pl_body_def_default();
  pl_status status = pl_mesh_generate(&(pl_choice){"box", box, 4}, &world->allocator, &mesh, error);
  def.mesh = mesh;
  def.material.law = (pl_choice){"hooke", hooke, 2};
  def.material.stiffness_damping = with->damping;
  if (with->model) def.model.name = with->model;
  def.spin[1] = with->spin;
  // about the middle of the whole bar
  def.velocity[2] = -with->spin * (at + 0.125 * along - 0.5);
  if (!status) status = pl_world_add_body(world, &def, body, error);
  pl_mesh_destroy(mesh);
  return status;
}

static inline pl_status tie(pl_world *world, pl_body_id body, const char *set, pl_body_id to,
                            pl_attachment_id *id, pl_error *error)
{
  pl_selector where = {.set = set};
  pl_attachment_def def = pl_attachment_def_default();
  def.to = to;
  def.exact = 1;
  def.where = &where, def.where_count = 1;
  return pl_world_add_attachment(world, body, &def, id, error);
}

typedef struct pair {
  pl_world *world;
  pl_body_id left, right;
  pl_attachment_id tie;
} pair;

static inline pl_status make_pair(const setup *with, int fixed, pair *p, pl_error *error)
{
  *p = (pair){0};
  pl_status status = make_world(with, &p->world, error);
  if (!status) status = add_bar(p->world, with, 0, 2, 2, &p->left, error);
  if (!status)
    status = add_bar(p->world, with, 0.5, 2, with->fine ? with->fine : 2, &p->right, error);
  if (!status && fixed) status = fix_set(p->world, p->left, "x-min", error);
  if (!status) status = tie(p->world, p->right, "x-min", p->left, &p->tie, error);
  return status;
}

#endif
