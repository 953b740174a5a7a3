#include "output.h"

#include "core/clock.h"
#include "core/error.h"
#include "core/file.h"
#include "core/memory.h"
#include "io/format.h"
#include "math/decompose.h"
#include "math/tensor.h"
#include "scene/scene.h"
#include "world/world.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_FIELDS = 16 };
/* Per element: F, stress, and of these strain, stress (6 each), principal stresses, energy. Per
 * node: mean stress and how many elements it is of; forces of fixes and of contact. */
enum { TENSOR_NUMBERS = 9 + 9 + 6 + 6 + 3 + 1 + 6 + 3 + 1, STRESS_NUMBERS = 8 };
enum { NODAL_NUMBERS = STRESS_NUMBERS + 3 + 3 };

static pl_allocator memory(void) { return pl_allocator_default(); }

/* Room for the fields of the largest body: 9 numbers per node, 2 per element; and of the largest
 * surface: 9 per point. */
static pl_status make_room(cli_frames *frames, pl_world *world, pl_error *error)
{
  size_t max = 0, points = 0;
  pl_allocator allocator = memory();
  for (int b = 0; b < pl_world_body_count(world); b++) {
    const pl_mesh *mesh = pl_world_body_mesh(world, pl_world_body_at(world, b));
    size_t size = 9 * (size_t)pl_mesh_node_count(mesh) + 2 * (size_t)pl_mesh_element_count(mesh);
    if (size > max) max = size;
    const pl_mesh *surface = pl_world_body_surface(world, pl_world_body_at(world, b));
    size = surface ? 9 * (size_t)pl_mesh_node_count(surface) : 0;
    if (size > points) points = size;
  }
  frames->room = pl_alloc(&allocator, max, sizeof(double));
  frames->points = pl_alloc(&allocator, points, sizeof(double));
  return frames->room && frames->points ? PL_OK : pl_fail_memory(error);
}

/* Room for the tensors of the largest body, if an output wants them. */
static pl_status make_tensor_room(cli_frames *frames, pl_scene *scene, pl_error *error)
{
  size_t max = 0;
  pl_allocator allocator = memory();
  pl_world *world = pl_scene_world(scene);
  int wanted = 0;
  for (int i = 0; i < pl_scene_output_count(scene); i++)
    wanted |= pl_scene_output(scene, i)->has_tensors;
  for (int b = 0; b < pl_world_body_count(world); b++) {
    const pl_mesh *mesh = pl_world_body_mesh(world, pl_world_body_at(world, b));
    size_t count = TENSOR_NUMBERS * (size_t)pl_mesh_element_count(mesh) +
                   NODAL_NUMBERS * (size_t)pl_mesh_node_count(mesh);
    if (count > max) max = count;
  }
  if (!wanted) return PL_OK;
  frames->tensors = pl_alloc(&allocator, max, sizeof(double));
  return frames->tensors ? PL_OK : pl_fail_memory(error);
}

/* A body's name as part of a file name that is shown in a folder. */
static void file_name(const char *name, char *out, size_t size)
{
  snprintf(out, size, "%s", name);
  if (out[0] == '.') out[0] = '_';
  for (char *letter = out; *letter; letter++) {
    if (strchr("/\\:*?\"<>| ", *letter) || (unsigned char)*letter < 32) *letter = '_';
  }
}

/* Does another series write to the same files? */
static int is_taken(const cli_frames *frames, const pl_series *series)
{
  for (int i = 0; i < frames->series_count; i++) {
    if (strcmp(pl_series_path(frames->series[i].series), pl_series_path(series)) == 0) return 1;
  }
  return 0;
}

/* One more series, of a body or of the surface that follows it; named after the body, with a number
 * where another series has that name. */
static pl_status add_series(cli_frames *frames, pl_scene *scene, pl_body_id body, int of_surface,
                            const char *folder, const pl_output *output, int number,
                            pl_error *error)
{
  char plain[96], name[128];
  pl_allocator allocator = memory();
  pl_choice format = {output->format, output->settings, output->setting_count};
  cli_series next = {.body = body,
                     .every = output->every,
                     .of_surface = of_surface,
                     .output = number,
                     .has_tensors = output->has_tensors};
  file_name(pl_world_body_name(pl_scene_world(scene), body), plain, sizeof plain);
  const char *end = of_surface ? "-surface" : "";
  snprintf(name, sizeof name, "%s%s", plain, end);
  pl_status status = pl_series_create(folder, name, &format, &allocator, &next.series, error);
  for (int k = 2; !status && is_taken(frames, next.series); k++) {
    pl_series_destroy(next.series);
    snprintf(name, sizeof name, "%s%s-%d", plain, end, k);
    status = pl_series_create(folder, name, &format, &allocator, &next.series, error);
  }
  const pl_scene_texture *texture = of_surface ? pl_scene_texture_of(scene, body) : NULL;
  if (!status && texture && texture->surface)
    status = pl_series_set_picture(next.series, texture->image, texture->surface, error);
  if (!status)
    frames->series[frames->series_count++] = next;
  else
    pl_series_destroy(next.series);
  return status;
}

/* Does the format hold surfaces only? */
static int holds_surfaces(const pl_output *output)
{
  const pl_format_ops *ops =
      (const pl_format_ops *)pl_member_find(&pl_format_family, output->format);
  return ops && (ops->read_surface || ops->animate);
}

/* Cuts the meshes of series that are written in pieces. */
static pl_status cut(cli_frames *frames, pl_world *world, const pl_ranks *ranks, pl_error *error)
{
  pl_status status = PL_OK;
  pl_allocator allocator = memory();
  for (int i = 0; ranks && i < frames->series_count && !status; i++) {
    cli_series *at = &frames->series[i];
    const pl_mesh *mesh = at->of_surface ? pl_world_body_surface(world, at->body)
                                         : pl_world_body_mesh(world, at->body);
    if (!pl_series_is_divided(at->series)) continue;
    at->pieces = pl_piece_count(mesh, ranks->count);
    if (ranks->rank < at->pieces)
      status = pl_piece_create(&allocator, mesh, ranks->rank, at->pieces, &at->piece, error);
  }
  return status;
}

pl_status cli_frames_open(cli_frames *frames, pl_scene *scene, pl_ranks *ranks, const char *folder,
                          pl_error *error)
{
  pl_world *world = pl_scene_world(scene);
  pl_allocator allocator = memory();
  size_t bodies = (size_t)pl_world_body_count(world);
  size_t count = bodies * (size_t)pl_scene_output_count(scene);
  *frames = (cli_frames){0};
  pl_status status = make_room(frames, world, error);
  if (!status) status = make_tensor_room(frames, scene, error);
  frames->series = pl_alloc(&allocator, count, 2 * sizeof(cli_series));
  if (!status && !frames->series) status = pl_fail_memory(error);
  for (size_t i = 0; !status && i < count; i++) {
    int number = (int)(i / bodies);
    const pl_output *output = pl_scene_output(scene, number);
    pl_body_id body = pl_world_body_at(world, (int)(i % bodies));
    int has_surface = pl_world_body_surface(world, body) != NULL;
    if (!output->format[0]) continue;
    int of_elements =
        output->leaves_surface || !(output->leaves_elements || holds_surfaces(output));
    if (!has_surface || of_elements)
      status = add_series(frames, scene, body, 0, folder, output, number, error);
    if (!status && has_surface && !output->leaves_surface)
      status = add_series(frames, scene, body, 1, folder, output, number, error);
  }
  return status ? status : cut(frames, world, ranks, error);
}

pl_status cli_frames_look(cli_frames *frames, pl_world *world, pl_body_id body, pl_field fields[4],
                          pl_snapshot *snapshot, pl_error *error)
{
  const pl_mesh *mesh = pl_world_body_mesh(world, body);
  const double *rest = pl_mesh_nodes(mesh);
  size_t n = 3 * (size_t)pl_mesh_node_count(mesh);
  double *x = frames->room, *u = x + n, *v = u + n, *stress = v + n;
  double *ratio = stress + pl_mesh_element_count(mesh);
  pl_status status = pl_world_get_positions(world, body, x, error);
  if (!status) status = pl_world_get_velocities(world, body, v, error);
  if (!status) status = pl_world_get_stress(world, body, stress, ratio, error);
  if (status) return status;
  for (size_t i = 0; i < n; i++) u[i] = x[i] - rest[i];
  fields[0] = (pl_field){.name = "displacement", .width = 3, .data = u};
  fields[1] = (pl_field){.name = "velocity", .width = 3, .data = v};
  fields[2] = (pl_field){.name = "von_mises", .of_elements = 1, .width = 1, .data = stress};
  fields[3] = (pl_field){.name = "det_f", .of_elements = 1, .width = 1, .data = ratio};
  *snapshot = (pl_snapshot){.mesh = mesh,
                            .positions = x,
                            .time = pl_world_time(world),
                            .field_count = 4,
                            .fields = fields};
  return PL_OK;
}

/* xx yy zz xy yz xz of a symmetric matrix, as ParaView reads them. */
static void pack(const double A[9], double *six)
{
  static const int places[6] = {0, 4, 8, 1, 5, 2};
  for (int k = 0; k < 6; k++) six[k] = A[places[k]];
}

/* Per node the mean over the elements around it of numbers that these have, so many each. */
static void nodal_means(const pl_mesh *mesh, const double *of_elements, size_t width, double *means)
{
  size_t nodes = (size_t)pl_mesh_node_count(mesh), n = (size_t)pl_mesh_nodes_per_element(mesh);
  const int *elements = pl_mesh_elements(mesh);
  double *counts = means + width * nodes;
  memset(means, 0, (width + 1) * nodes * sizeof *means);
  for (size_t i = 0; i < n * (size_t)pl_mesh_element_count(mesh); i++) {
    size_t node = (size_t)elements[i];
    counts[node] += 1;
    for (size_t k = 0; k < width; k++) means[width * node + k] += of_elements[width * (i / n) + k];
  }
  for (size_t i = 0; i < width * nodes; i++)
    means[i] /= counts[i / width] > 0 ? counts[i / width] : 1;
}

/* Adds the tensors of the elements to a snapshot: F, Green's strain (F^T F - I) / 2 and its
 * principal values, the Cauchy stress and its principal values, the second Piola-Kirchhoff stress,
 * pressure and energy density; and the mean Cauchy stress at nodes. */
static pl_status add_tensors(cli_frames *frames, pl_world *world, pl_body_id body, pl_field *fields,
                             pl_snapshot *snapshot, pl_error *error)
{
  size_t count = (size_t)pl_mesh_element_count(snapshot->mesh);
  double *F = frames->tensors, *whole = F + 9 * count, *strain = whole + 9 * count;
  double *stress = strain + 6 * count, *principal = stress + 6 * count,
         *energy = principal + 3 * count, *second = energy + count, *stretched = second + 6 * count,
         *pressure = stretched + 3 * count, *nodal = pressure + count;
  pl_status status = pl_world_get_tensors(world, body, F, whole, error);
  if (!status) status = pl_world_get_strain(world, body, NULL, energy, error);
  for (size_t e = 0; e < count && !status; e++) {
    const double *f = F + 9 * e, *s = whole + 9 * e;
    double Q[9], E[9], S[9];
    pl_green(f, E);
    pl_second_piola(f, s, S);
    pack(s, stress + 6 * e);
    pack(E, strain + 6 * e);
    pack(S, second + 6 * e);
    pl_eigen(s, principal + 3 * e, Q);
    pl_eigen(E, stretched + 3 * e, Q);
    pressure[e] = pl_pressure(s);
  }
  if (!status) nodal_means(snapshot->mesh, stress, 6, nodal);
  const pl_field more[] = {
      {"deformation_gradient", 1, 9, F},     {"green_strain", 1, 6, strain},
      {"principal_strain", 1, 3, stretched}, {"cauchy_stress", 1, 6, stress},
      {"principal_stress", 1, 3, principal}, {"second_piola_stress", 1, 6, second},
      {"pressure", 1, 1, pressure},          {"energy_density", 1, 1, energy},
      {"nodal_stress", 0, 6, nodal}};
  memcpy(fields + snapshot->field_count, more, sizeof more);
  snapshot->field_count += (int)(sizeof more / sizeof *more);
  return status;
}

/* Adds the forces of fixes and of contact to a snapshot, where nodes are the body's unknowns. */
static void add_forces(cli_frames *frames, pl_world *world, pl_body_id body, pl_field *fields,
                       pl_snapshot *snapshot)
{
  size_t elements = (size_t)pl_mesh_element_count(snapshot->mesh);
  size_t nodes = (size_t)pl_mesh_node_count(snapshot->mesh);
  double *fix = frames->tensors + TENSOR_NUMBERS * elements + STRESS_NUMBERS * nodes;
  double *contact = fix + 3 * nodes;
  if (pl_world_get_reactions(world, body, fix, contact, NULL)) return;
  fields[snapshot->field_count++] = (pl_field){.name = "reaction", .width = 3, .data = fix};
  fields[snapshot->field_count++] =
      (pl_field){.name = "contact_force", .width = 3, .data = contact};
}

/* The same of the surface that follows the body. */
static pl_status look_at_surface(cli_frames *frames, pl_world *world, pl_body_id body,
                                 pl_field fields[2], pl_snapshot *snapshot, pl_error *error)
{
  const pl_mesh *surface = pl_world_body_surface(world, body);
  size_t n = 3 * (size_t)pl_mesh_node_count(surface);
  double *x = frames->points, *u = x + n, *v = u + n;
  pl_status status = pl_world_get_positions(world, body, frames->room, error);
  if (!status) status = pl_world_follow(world, body, 3, frames->room, x, error);
  if (!status) status = pl_world_get_velocities(world, body, frames->room, error);
  if (!status) status = pl_world_follow(world, body, 3, frames->room, v, error);
  if (status) return status;
  for (size_t i = 0; i < n; i++) u[i] = x[i] - pl_mesh_nodes(surface)[i];
  fields[0] = (pl_field){.name = "displacement", .width = 3, .data = u};
  fields[1] = (pl_field){.name = "velocity", .width = 3, .data = v};
  *snapshot = (pl_snapshot){.mesh = surface,
                            .positions = x,
                            .time = pl_world_time(world),
                            .field_count = 2,
                            .fields = fields};
  return PL_OK;
}

int cli_is_due(double time, double every, double *next)
{
  if (time < *next - 1e-9 * every) return 0;
  *next = every * (floor(time / every + 1e-9) + 1);
  return 1;
}

int cli_frames_have_pieces(const cli_frames *frames)
{
  int any = 0;
  for (int i = 0; i < frames->series_count; i++) any |= frames->series[i].pieces > 0;
  return any;
}

/* All that a frame of a series shows; fields has room for MOST_FIELDS. */
static pl_status look(cli_frames *frames, const cli_series *series, pl_world *world,
                      pl_field *fields, pl_snapshot *snapshot, pl_error *error)
{
  if (series->of_surface)
    return look_at_surface(frames, world, series->body, fields, snapshot, error);
  pl_status status = cli_frames_look(frames, world, series->body, fields, snapshot, error);
  if (!status && series->has_tensors)
    status = add_tensors(frames, world, series->body, fields, snapshot, error);
  if (!status && series->has_tensors) add_forces(frames, world, series->body, fields, snapshot);
  return status;
}

pl_status cli_frames_add_pieces(cli_frames *frames, pl_world *world, pl_ranks *ranks,
                                pl_error *error)
{
  for (int i = 0; i < frames->series_count; i++) {
    cli_series *series = &frames->series[i];
    pl_field fields[MOST_FIELDS];
    pl_snapshot snapshot;
    if (!series->pieces || !cli_is_due(pl_world_time(world), series->every, &series->next))
      continue;
    pl_status status = look(frames, series, world, fields, &snapshot, error);
    if (!status && series->piece)
      status = pl_piece_take(series->piece, &snapshot, &snapshot, error);
    if (!status && series->piece)
      status = pl_series_add_piece(series->series, &snapshot, ranks->rank, error);
    // a list names only pieces that are there
    status = ranks->agree(ranks, status, error);
    if (!status)
      status = pl_series_add_list(series->series, &snapshot, ranks->rank, series->pieces, error);
    status = ranks->agree(ranks, status, error);
    if (status) return status;
    frames->count += i == 0;
  }
  return PL_OK;
}

pl_status cli_frames_add(cli_frames *frames, pl_world *world, double seconds, pl_error *error)
{
  double time = pl_world_time(world), start = pl_now();
  int count = frames->count, dropped = 0;
  for (int i = 0; i < frames->series_count; i++) {
    cli_series *series = &frames->series[i];
    pl_field fields[MOST_FIELDS];
    pl_snapshot snapshot;
    if (series->pieces || !cli_is_due(time, series->every, &series->next)) continue;
    dropped |= frames->seconds > seconds;
    if (dropped) continue;
    pl_status status = look(frames, series, world, fields, &snapshot, error);
    if (!status) status = pl_series_add(series->series, &snapshot, error);
    if (status) return status;
    frames->count += i == 0;
  }
  frames->dropped += dropped;
  if (frames->count > count) frames->seconds = pl_now() - start;
  return PL_OK;
}

/* All bodies of the output that series number first is the first of, in one file. */
static pl_status finish_together(cli_frames *frames, int first, pl_error *error)
{
  pl_allocator allocator = memory();
  int count = 0, output = frames->series[first].output;
  char folder[4096], name[64] = "bodies.glb";
  pl_series **all = pl_alloc(&allocator, (size_t)frames->series_count, sizeof(pl_series *));
  if (!all) return pl_fail_memory(error);
  for (int i = first; i < frames->series_count; i++) {
    if (frames->series[i].output == output) all[count++] = frames->series[i].series;
  }
  if (frames->together[0]) snprintf(name, sizeof name, "bodies-%d.glb", output + 1);
  const char *path = pl_series_path(all[0]);
  pl_status status = pl_path_folder(folder, sizeof folder, path, error);
  if (!status)
    status = pl_path_join(frames->together, sizeof frames->together, folder, name, error);
  if (!status) status = pl_series_finish_together(all, count, frames->together, error);
  pl_free(&allocator, all);
  return status;
}

pl_status cli_frames_finish(cli_frames *frames, pl_error *error)
{
  pl_status status = PL_OK;
  int done = -1; /* the last output whose bodies went into one file */
  for (int i = 0; i < frames->series_count && !status; i++) {
    const cli_series *series = &frames->series[i];
    if (!pl_series_is_together(series->series))
      status = pl_series_finish(series->series, error);
    else if (series->output != done)
      status = finish_together(frames, i, error);
    if (pl_series_is_together(series->series)) done = series->output;
  }
  return status;
}

void cli_frames_print(const cli_frames *frames)
{
  for (int i = 0; i < frames->series_count; i++) {
    const pl_series *series = frames->series[i].series;
    if (pl_series_is_together(series)) continue;
    printf("  frames   %s (%d)\n", pl_series_path(series), pl_series_count(series));
  }
  if (frames->together[0]) printf("  frames   %s (all bodies)\n", frames->together);
}

void cli_frames_close(cli_frames *frames)
{
  pl_allocator allocator = memory();
  for (int i = 0; i < frames->series_count; i++) {
    pl_series_destroy(frames->series[i].series);
    pl_piece_destroy(frames->series[i].piece);
  }
  pl_free(&allocator, frames->series);
  pl_free(&allocator, frames->room);
  pl_free(&allocator, frames->tensors);
  pl_free(&allocator, frames->points);
  *frames = (cli_frames){0};
}
