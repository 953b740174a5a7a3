/* The picture of the last frame. */
#include "hand.h"
#include "output.h"
#include "paint.h"

#include "body/noise.h"
#include "core/error.h"
#include "core/file.h"
#include "core/memory.h"
#include "mesh/wire.h"
#include "picture/backdrop.h"
#include "picture/glyphs.h"
#include "scene/scene.h"
#include "shape/obstacle.h"
#include "world/world.h"

#include <math.h>
#include <string.h>

enum { MOST_BODIES = 256 };
enum { LEVELS = 2 }; /* stand in the place of stresses, which are not shown with them */

typedef struct colouring {
  const char *word, *label, *unit;
  int field; /* of cli_frames_look's */
  double factor;
  pl_colours colours; /* amounts begin at 0, others lie around 1 */
} colouring;

static const colouring colourings[] = {
    {"von-mises", "von Mises stress", "kPa", 2, 1e-3, PL_COLOURS_AMOUNT},
    {"displacement", "displacement", "m", 0, 1, PL_COLOURS_AMOUNT},
    {"volume-ratio", "volume ratio", "", 3, 1, PL_COLOURS_AROUND},
    {"level", "level of refinement", "", LEVELS, 1, PL_COLOURS_AMOUNT}};

static const colouring *find_colouring(const char *word)
{
  for (size_t i = 0; i < sizeof colourings / sizeof *colourings; i++) {
    if (strcmp(colourings[i].word, word) == 0) return &colourings[i];
  }
  return NULL;
}

/* What the colours show at the nodes: the length of a vector, or the mean over the elements around.
 */
static void fill_scalars(const pl_mesh *mesh, const colouring *colour, const pl_field *fields,
                         double *scalars, double *count)
{
  const pl_field *field = &fields[colour->field];
  int nodes = pl_mesh_node_count(mesh), n = pl_mesh_nodes_per_element(mesh);
  const int *elements = pl_mesh_elements(mesh);
  for (int i = 0; i < nodes && !field->of_elements; i++) {
    const double *u = field->data + 3 * i;
    scalars[i] = colour->factor * sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
  }
  if (!field->of_elements) return;
  memset(scalars, 0, (size_t)nodes * sizeof *scalars);
  memset(count, 0, (size_t)nodes * sizeof *count);
  for (int i = 0; i < n * pl_mesh_element_count(mesh); i++) {
    scalars[elements[i]] += colour->factor * field->data[i / n];
    count[elements[i]] += 1;
  }
  for (int i = 0; i < nodes; i++) scalars[i] /= count[i];
}

/* Puts the finer surface in the body's place: positions and scalars are carried over to it. */
static pl_status refine(pl_world *world, pl_body_id id, pl_render_body *body, double **room,
                        pl_error *error)
{
  const pl_mesh *surface = pl_world_body_surface(world, id);
  if (!surface) return PL_OK;
  pl_allocator allocator = pl_allocator_default();
  size_t points = (size_t)pl_mesh_node_count(surface);
  double *fine = pl_alloc(&allocator, 4 * points, sizeof(double));
  if (!fine) return pl_fail_memory(error);
  pl_status status = pl_world_follow(world, id, 3, body->positions, fine, error);
  if (!status && body->scalars)
    status = pl_world_follow(world, id, 1, body->scalars, fine + 3 * points, error);
  pl_free(&allocator, *room);
  *room = fine;
  body->positions = fine;
  if (body->scalars) body->scalars = fine + 3 * points;
  body->node_count = (int)points;
  body->face_count = pl_mesh_face_count(surface);
  body->nodes_per_face = 3;
  body->faces = pl_mesh_faces(surface);
  return status;
}

/* Puts tubes in the place of segments. Behind their vertices stand the triangles. */
static pl_status thicken(pl_world *world, pl_body_id id, pl_render_body *body, double **room,
                         pl_error *error)
{
  const pl_mesh *mesh = pl_world_body_mesh(world, id);
  if (pl_mesh_nodes_per_element(mesh) != 2) return PL_OK;
  pl_allocator allocator = pl_allocator_default();
  size_t segments = (size_t)pl_mesh_element_count(mesh), vertices = PL_WIRE_VERTICES * segments;
  size_t nodes = (size_t)pl_mesh_node_count(mesh), triangles = PL_WIRE_TRIANGLES * segments;
  double *fine = pl_alloc(&allocator, 4 * vertices + 4 * nodes + 3 * triangles, sizeof(double));
  if (!fine) return pl_fail_memory(error);
  int *faces = (int *)(fine + 4 * vertices + 4 * nodes);
  pl_wire_place(mesh, body->positions, pl_world_body(world, id)->model->thickness / 2,
                fine + 4 * vertices, fine);
  pl_wire_triangles(mesh, faces);
  for (size_t v = 0; v < vertices && body->scalars; v++)
    fine[3 * vertices + v] = body->scalars[pl_wire_node(mesh, (int)v)];
  pl_free(&allocator, *room);
  *room = fine;
  body->positions = fine;
  if (body->scalars) body->scalars = fine + 3 * vertices;
  body->node_count = (int)vertices;
  body->face_count = (int)triangles;
  body->faces = faces;
  return PL_OK;
}

/* An amount that is zero everywhere says nothing: a model without stresses, a body without load,
 * whose stresses are rounding. */
static int is_blank(const colouring *colour, const pl_body *body, const double *scalars,
                    size_t count)
{
  if (colour->colours != PL_COLOURS_AMOUNT) return 0;
  double noise = colour == &colourings[0] ? colour->factor * pl_body_stress_noise(body) : 0;
  for (size_t i = 0; i < count; i++) {
    if (!(fabs(scalars[i]) <= noise)) return 0;
  }
  return 1;
}

/* One body of the picture, with its own copy of positions and scalars. */
static pl_status draw_body(cli_frames *frames, pl_world *world, pl_body_id id,
                           const colouring *colour, pl_render_body *body, double **room,
                           pl_error *error)
{
  pl_field fields[4];
  pl_snapshot snapshot;
  pl_allocator allocator = pl_allocator_default();
  const pl_mesh *mesh = pl_world_body_mesh(world, id);
  size_t nodes = (size_t)pl_mesh_node_count(mesh), faces = (size_t)pl_mesh_face_count(mesh);
  pl_status status = cli_frames_look(frames, world, id, fields, &snapshot, error);
  if (status) return status;
  *room = pl_alloc(&allocator, 5 * nodes, sizeof(double));
  if (!*room) return pl_fail_memory(error);
  memcpy(*room, snapshot.positions, 3 * nodes * sizeof(double));
  *body = (pl_render_body){.node_count = (int)nodes,
                           .face_count = (int)faces,
                           .nodes_per_face = pl_mesh_nodes_per_face(mesh),
                           .positions = *room,
                           .faces = pl_mesh_faces(mesh)};
  if (colour && strcmp(colour->word, "level") == 0)
    status = pl_world_get_levels(world, id, frames->room + 9 * nodes, error);
  if (colour && !status) {
    fill_scalars(mesh, colour, fields, *room + 3 * nodes, *room + 4 * nodes);
    body->scalars = is_blank(colour, pl_world_body(world, id), *room + 3 * nodes, nodes)
                        ? NULL
                        : *room + 3 * nodes;
  }
  if (!status) status = thicken(world, id, body, room, error);
  return status ? status : refine(world, id, body, room, error);
}

/* What all scalars but the given share do not exceed, of those between 0 and most, to 1/256. */
static double quantile(const pl_render *render, double max, double share)
{
  enum { BINS = 256 };
  double bins[BINS + 1] = {0}, all = 0, below = 0;
  for (int b = 0; b < render->body_count; b++) {
    const double *scalars = render->bodies[b].scalars;
    for (int i = 0; scalars && i < render->bodies[b].node_count; i++) {
      if (!isfinite(scalars[i])) continue;
      bins[(int)fmin(fmax(scalars[i] / max * BINS, 0), BINS)]++;
      all++;
    }
  }
  int bin = 0;
  for (below = bins[0]; below < (1 - share) * all && bin < BINS;) below += bins[++bin];
  return (bin + 1) * max / BINS;
}

/* The ends of the colours, as in the viewer: amounts from 0, without the few highest where these
 * would take the colours from the rest; others to both sides of 1. */
static void choose_scale(const colouring *colour, pl_render *render)
{
  double max = 0, reach = 1e-3;
  for (int b = 0; b < render->body_count; b++) {
    const double *scalars = render->bodies[b].scalars;
    for (int i = 0; scalars && i < render->bodies[b].node_count; i++) {
      if (!isfinite(scalars[i])) continue;
      max = fmax(max, scalars[i]);
      reach = fmax(reach, fabs(scalars[i] - 1));
    }
  }
  render->colours = colour->colours;
  if (colour->colours == PL_COLOURS_AROUND) {
    render->scalar_min = 1 - reach;
    render->scalar_max = 1 + reach;
    return;
  }
  double usual = max > 0 ? quantile(render, max, 0.005) : 0;
  render->scalar_min = 0;
  render->scalar_max = usual < 0.8 * max ? usual : max;
}

static int up_axis(const double up[3])
{
  int axis = 0;
  for (int k = 1; k < 3; k++) axis = fabs(up[k]) > fabs(up[axis]) ? k : axis;
  return axis;
}

pl_status cli_frames_picture(cli_frames *frames, pl_scene *scene, const char *folder,
                             pl_error *error)
{
  pl_world *world = pl_scene_world(scene);
  const pl_view *view = pl_scene_view(scene);
  const colouring *colour = find_colouring(view->colour);
  pl_allocator allocator = pl_allocator_default();
  pl_render_body bodies[MOST_BODIES + PL_GLYPH_SHEETS + PL_MOST_SHEETS];
  pl_backdrop backdrop = {0};
  pl_backdrop_tool tool = {0};
  pl_shape *own_tool = NULL;
  pl_glyph_drawing glyphs = {0};
  double *rooms[MOST_BODIES] = {0};
  static cli_paint paints[MOST_BODIES];
  char path[4096];
  pl_render render = pl_render_default();
  render.bodies = bodies;
  int count = pl_world_body_count(world) < MOST_BODIES ? pl_world_body_count(world) : MOST_BODIES;
  render.up = up_axis(view->up);
  memcpy(render.direction, view->direction, sizeof render.direction);
  render.title = pl_scene_title(scene);
  render.bar_label = colour ? colour->label : NULL;
  render.bar_unit = colour ? colour->unit : NULL;
  pl_text text = pl_text_make(NULL);
  pl_status status = pl_path_join(path, sizeof path, folder, "picture.png", error);
  for (int b = 0; !status && b < count; b++, render.body_count++) {
    pl_body_id id = pl_world_body_at(world, b);
    status = draw_body(frames, world, id, colour, &bodies[b], &rooms[b], error);
    if (!status && !bodies[b].scalars)
      status = cli_paint_body(scene, id, &bodies[b], &paints[b], error);
  }
  if (!status && colour) choose_scale(colour, &render);
  if (!status)
    status = pl_glyphs_add(&glyphs, world, pl_glyph_kind_of(view->glyphs), bodies, &render, error);
  if (!status) status = cli_hand_draw(scene, &tool, &own_tool, error);
  if (!status) status = pl_backdrop_add(&backdrop, world, &tool, bodies, &render, error);
  if (!status) status = pl_render_png(&render, &text, error);
  if (!status) status = pl_file_write(path, text.data, text.size, error);
  for (int b = 0; b < count; b++) {
    pl_free(&allocator, rooms[b]);
    cli_paint_release(&paints[b]);
    paints[b] = (cli_paint){0};
  }
  pl_glyphs_release(&glyphs);
  pl_backdrop_release(&backdrop);
  pl_shape_destroy(&allocator, own_tool);
  pl_text_release(&text);
  return status;
}
