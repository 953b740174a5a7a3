/* A small world with one of everything, for calls with wrong arguments. */
#ifndef TEST_SCENE_STAGE_H
#define TEST_SCENE_STAGE_H

#include "pliant/mesh.h"
#include "pliant/scene.h"
#include "pliant/world.h"

#include "world/bar.h"

#include "test.h"

/* A bar of finite elements that is held, with a surface, and one of frames in the same place. */
typedef struct stage {
  pl_world *world;
  pl_body_id bar, frames;
  pl_mesh *mesh;
} stage;

static const pl_setting hooke[] = {{.name = "young", .value = {1e5}},
                                   {.name = "poisson", .value = {0.3}}};
static const pl_selector left = {.set = "x-min"}, right = {.set = "x-max"};
static const double site[3] = {0.5, 0.125, 0.125};

static inline pl_body_def body_def(const pl_mesh *mesh)
{
  pl_body_def def = pl_body_def_default();
  def.mesh = mesh;
  def.material.law = (pl_choice){"hooke", hooke, 2};
  return def;
}

static inline stage set_up(void)
{
  const pl_setting box[] = {{.name = "size", .value = {1, 0.25, 0.25}},
                            {.name = "cells", .value = {4, 1, 1}}};
  stage on = {0};
  pl_mesh *surface = NULL;
  CHECK_OK(pl_mesh_generate(&(pl_choice){"box", box, 2}, NULL, &on.mesh, error));
  CHECK_OK(pl_mesh_boundary(on.mesh, NULL, &surface, error));
  pl_body_def like = body_def(on.mesh);
  like.surface = surface;
  CHECK_OK(bar_make(&(bar_def){.n = 1, .like = &like}, &on.world, &on.bar, error));
  pl_body_def frames = body_def(on.mesh);
  frames.model.name = "frames";
  frames.sites = site;
  frames.site_count = 1;
  CHECK_OK(pl_world_add_body(on.world, &frames, &on.frames, error));
  pl_mesh_destroy(surface);
  return on;
}

static inline void tear_down(stage *on)
{
  pl_world_destroy(on->world);
  pl_mesh_destroy(on->mesh);
}

/* Room for any of them. */
typedef union any_def {
  pl_world_def world;
  pl_material_def material;
  pl_body_def body;
  pl_fix_def fix;
  pl_rigid_def rigid;
  pl_attachment_def attachment;
  pl_load_def load;
  pl_obstacle_def obstacle;
  pl_probe_def probe;
  pl_pull_def pull;
  pl_scene_def scene;
} any_def;

/* Fill in a def that can be taken. */
static inline void fill_world(const stage *on, void *def)
{
  (void)on;
  *(pl_world_def *)def = pl_world_def_default();
}

static inline void fill_material(const stage *on, void *def)
{
  (void)on;
  *(pl_material_def *)def = pl_material_def_default();
  ((pl_material_def *)def)->law = (pl_choice){"hooke", hooke, 2};
}

static inline void fill_body(const stage *on, void *def)
{
  *(pl_body_def *)def = body_def(on->mesh);
  ((pl_body_def *)def)->name = NULL;
}

static inline void fill_fix(const stage *on, void *def)
{
  (void)on;
  pl_fix_def *to = def;
  *to = pl_fix_def_default();
  to->where = &right;
  to->where_count = 1;
}

static inline void fill_rigid(const stage *on, void *def)
{
  (void)on;
  // the ends are held
  static const pl_setting corners[] = {{.name = "min", .value = {0.2, -1, -1}},
                                       {.name = "max", .value = {0.8, 1, 1}}};
  static const pl_selector middle = {.region = {"box", corners, 2}};
  pl_rigid_def *to = def;
  *to = pl_rigid_def_default();
  to->where = &middle;
  to->where_count = 1;
  to->hinge = PL_HINGE_AXIS;
  to->axis[0] = 1;
}

static inline void fill_attachment(const stage *on, void *def)
{
  pl_attachment_def *to = def;
  *to = pl_attachment_def_default();
  to->to = on->frames;
  to->where = &left;
  to->where_count = 1;
}

static inline void fill_load(const stage *on, void *def)
{
  (void)on;
  pl_load_def *to = def;
  *to = pl_load_def_default();
  to->where = &right;
  to->where_count = 1;
}

static inline void fill_obstacle(const stage *on, void *def)
{
  (void)on;
  *(pl_obstacle_def *)def = pl_obstacle_def_default();
  ((pl_obstacle_def *)def)->name = NULL;
}

static inline void fill_probe(const stage *on, void *def)
{
  pl_probe_def *to = def;
  *to = pl_probe_def_default();
  to->name = NULL;
  to->body = on->bar;
  to->at[2] = -1; // outside: the error names the probe
}

static inline void fill_pull(const stage *on, void *def)
{
  pl_pull_def *to = def;
  *to = pl_pull_def_default();
  to->until = 1;
  to->at = (pl_spot){.body = on->bar, .count = 1, .weights = {1}};
}

static inline void fill_scene(const stage *on, void *def)
{
  (void)on;
  static char path[1024];
  const char *source = getenv("PLIANT_SOURCE");
  snprintf(path, sizeof path, "%s/scenes/demo.xml", source ? source : ".");
  *(pl_scene_def *)def = pl_scene_def_default();
  ((pl_scene_def *)def)->path = path;
}

#endif
