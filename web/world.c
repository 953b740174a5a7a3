/* Worlds for JavaScript: a scene that is loaded from a file in memory, stepped and looked at. What
 * is asked for in bulk (triangles, positions) is given out as a place in the module's memory.
 *
 * A function may be left half-way, by an exception that JavaScript throws: a part of the module
 * cannot be fetched, or there is no more memory. So each world keeps a list of all blocks that it
 * has taken, by which they are given back without its functions (world_abandon). */
#include "web/world.h"
#include "core/error.h"
#include "core/memory.h"
#include "pliant/scene.h"
#include "view/surface.h"

#include <emscripten.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PULLS = 64 };

/* Stands before each block that a world has taken, and at both ends of the list. */
typedef struct block {
  _Alignas(PL_ALIGNMENT) struct block *before;
  struct block *after;
} block;

struct world {
  block taken;
  pl_scene *scene;
  pl_world *inner;
  pl_surface surface;
  float *positions;
  void *state;
  int64_t steps;
  pl_pull_id pulls[MOST_PULLS]; /* by number - 1 */
};

static pl_error last;
static char text[1024];
static world *opening; /* while world_open is at work */

/* ---- memory ---- */

static void *take(void *context, size_t size, size_t align)
{
  block *list = context;
  if (align > sizeof *list || size > SIZE_MAX - 2 * sizeof *list) return NULL;
  block *one = aligned_alloc(sizeof *one, (size / sizeof *one + 2) * sizeof *one);
  if (!one) return NULL;
  *one = (block){.before = list, .after = list->after};
  list->after = one->after->before = one;
  return one + 1;
}

static void give(void *context, void *memory)
{
  (void)context;
  if (!memory) return;
  block *one = (block *)memory - 1;
  one->before->after = one->after;
  one->after->before = one->before;
  free(one);
}

static pl_allocator allocator_of(world *self) { return (pl_allocator){take, give, &self->taken}; }

static world *make_world(void)
{
  world *self = aligned_alloc(PL_ALIGNMENT, (sizeof *self / PL_ALIGNMENT + 1) * PL_ALIGNMENT);
  if (!self) return NULL;
  memset(self, 0, sizeof *self);
  self->taken.before = self->taken.after = &self->taken;
  return self;
}

/* Ends a world whose function was left half-way; NULL: the one that was being opened. */
EMSCRIPTEN_KEEPALIVE void world_abandon(world *self)
{
  if (!self) self = opening;
  opening = NULL;
  if (!self) return;
  while (self->taken.after != &self->taken) give(NULL, self->taken.after + 1);
  free(self);
}

/* ---- errors ---- */

/* The status by its name in base.h. */
EMSCRIPTEN_KEEPALIVE const char *world_error_status(void)
{
#define X(name, meaning) #name,
  static const char *const names[] = {PL_STATUSES(X)};
#undef X
  return names[last.code];
}
EMSCRIPTEN_KEEPALIVE const char *world_error_message(void) { return last.message; }
EMSCRIPTEN_KEEPALIVE const char *world_error_file(void) { return last.source; }
EMSCRIPTEN_KEEPALIVE int world_error_line(void) { return last.line; }

/* ---- a world ---- */

EMSCRIPTEN_KEEPALIVE void world_close(world *self)
{
  if (!self) return;
  pl_surface_release(&self->surface);
  pl_scene_destroy(self->scene);
  world_abandon(self);
}

static void keep_first(void *context, const pl_error *error)
{
  (void)context;
  if (!last.code) last = *error;
}

static pl_status open_scene(world *self, const char *path, pl_error *error)
{
  pl_allocator allocator = allocator_of(self);
  pl_scene_def def = pl_scene_def_default();
  def.allocator = allocator;
  def.path = path;
  def.threads = 1;
  def.report = keep_first;
  pl_status status = pl_scene_load(&def, &self->scene, error);
  if (status) return status;
  self->inner = pl_scene_world(self->scene);
  status = pl_surface_create(self->inner, &allocator, &self->surface, error);
  if (status) return status;
  self->positions = pl_alloc(&allocator, 3 * (size_t)self->surface.vertex_count, sizeof(float));
  return self->positions ? PL_OK : pl_fail_memory(error);
}

/* The scene of that file; 0: it cannot be made. */
EMSCRIPTEN_KEEPALIVE world *world_open(const char *path)
{
  pl_error error = {0};
  last = error;
  world *self = opening = make_world();
  if (!self) return (void)pl_fail_memory(&last), NULL;
  pl_status status = open_scene(self, path, &error);
  opening = NULL;
  if (!status) return self;
  if (!last.code) last = error;
  world_close(self);
  return NULL;
}

EMSCRIPTEN_KEEPALIVE int world_step(world *self, int count)
{
  last = (pl_error){0};
  pl_status status = PL_OK;
  for (int i = 0; i < count && !status; i++) {
    status = pl_scene_step(self->scene, &last);
    self->steps += !status;
  }
  return (int)status;
}

EMSCRIPTEN_KEEPALIVE double world_time(const world *self) { return pl_world_time(self->inner); }
EMSCRIPTEN_KEEPALIVE double world_dt(const world *self) { return pl_world_dt(self->inner); }
EMSCRIPTEN_KEEPALIVE double world_steps(const world *self) { return (double)self->steps; }
EMSCRIPTEN_KEEPALIVE const char *world_title(const world *self)
{
  return pl_scene_title(self->scene);
}

EMSCRIPTEN_KEEPALIVE const char *world_hash(const world *self)
{
  snprintf(text, sizeof text, "%016" PRIx64, pl_world_state_hash(self->inner));
  return text;
}

/* ---- the surface ---- */

EMSCRIPTEN_KEEPALIVE int world_vertices(const world *self) { return self->surface.vertex_count; }
EMSCRIPTEN_KEEPALIVE int world_triangles(const world *self) { return self->surface.triangle_count; }
EMSCRIPTEN_KEEPALIVE const int *world_triangle_data(const world *self)
{
  return self->surface.triangles;
}

/* 3 numbers per vertex, as they are now; 0: they cannot be had. */
EMSCRIPTEN_KEEPALIVE const float *world_positions(world *self)
{
  last = (pl_error){0};
  return pl_surface_positions(&self->surface, self->inner, self->positions, &last)
             ? NULL
             : self->positions;
}

EMSCRIPTEN_KEEPALIVE int world_parts(const world *self) { return self->surface.part_count; }
EMSCRIPTEN_KEEPALIVE const char *world_part_name(const world *self, int part)
{
  const char *name = pl_world_body_name(self->inner, self->surface.parts[part].body);
  return name ? name : "";
}
/* first vertex, vertices, first triangle, triangles */
EMSCRIPTEN_KEEPALIVE const int *world_part(const world *self, int part)
{
  return &self->surface.parts[part].first_vertex;
}

/* ---- hands ---- */

/* A spring at a point of a triangle, with weights (1 - u - v, u, v): its number, 0 on error. */
EMSCRIPTEN_KEEPALIVE int world_grab(world *self, int triangle, double u, double v, double stiffness,
                                    double damping)
{
  last = (pl_error){0};
  pl_pull_def def = pl_pull_def_default();
  pl_pull_facts facts;
  int slot = 0;
  while (slot < MOST_PULLS && self->pulls[slot].index1) slot++;
  if (slot == MOST_PULLS)
    return pl_fail(&last, PL_E_LIMIT, "there are %d pulls; release some before", MOST_PULLS), 0;
  pl_pull_id *pull = &self->pulls[slot];
  pl_status status = pl_surface_spot(&self->surface, self->inner, triangle, u, v, &def.at, &last);
  if (stiffness > 0) def.stiffness = stiffness;
  def.damping = damping;
  if (!status) status = pl_world_add_pull(self->inner, &def, pull, &last);
  if (!status) status = pl_world_read_pull(self->inner, *pull, &facts, &last);
  if (!status) status = pl_world_move_pull(self->inner, *pull, facts.position, &last);
  return status ? 0 : slot + 1;
}

static pl_pull_id pull_of(const world *self, int number)
{
  return number > 0 && number <= MOST_PULLS ? self->pulls[number - 1] : (pl_pull_id){0};
}

EMSCRIPTEN_KEEPALIVE int world_drag(world *self, int pull, double x, double y, double z)
{
  last = (pl_error){0};
  return (int)pl_world_move_pull(self->inner, pull_of(self, pull), (double[3]){x, y, z}, &last);
}

EMSCRIPTEN_KEEPALIVE int world_release(world *self, int pull)
{
  last = (pl_error){0};
  pl_status status = pl_world_remove_pull(self->inner, pull_of(self, pull), &last);
  if (!status) self->pulls[pull - 1] = (pl_pull_id){0};
  return (int)status;
}

/* position, target, force, velocity: 12 numbers; 0 on error */
EMSCRIPTEN_KEEPALIVE const double *world_read_pull(world *self, int pull)
{
  static pl_pull_facts facts;
  last = (pl_error){0};
  return pl_world_read_pull(self->inner, pull_of(self, pull), &facts, &last) ? NULL
                                                                             : facts.position;
}

/* ---- the state ---- */

EMSCRIPTEN_KEEPALIVE size_t world_state_size(const world *self)
{
  return pl_world_state_size(self->inner);
}

/* The state's bytes, valid until the next call; 0 on error. */
EMSCRIPTEN_KEEPALIVE const void *world_save(world *self)
{
  pl_allocator allocator = allocator_of(self);
  size_t size = pl_world_state_size(self->inner);
  last = (pl_error){0};
  pl_free(&allocator, self->state);
  self->state = pl_alloc(&allocator, size, 1);
  if (!self->state) return (void)pl_fail_memory(&last), NULL;
  return pl_world_save_state(self->inner, self->state, size, &last) ? NULL : self->state;
}

EMSCRIPTEN_KEEPALIVE int world_load(world *self, const void *bytes, size_t size)
{
  last = (pl_error){0};
  return (int)pl_world_load_state(self->inner, bytes, size, &last);
}
