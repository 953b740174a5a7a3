/* pliant mesh fill: a surface from a file, or a ready-made solid, filled with elements. */
#include "fill.h"
#include "cli.h"
#include "core/text.h"
#include "io/format.h"
#include "mesh/contour.h"
#include "mesh/solid.h"
#include "progress.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { OWN = 4, CLI_FILL_MOST = 8 }; /* options: of the command, of the ways of filling */

static void print_note(void *context, pl_level level, const char *text)
{
  (void)context;
  cli_wait_clear();
  fprintf(stderr, "pliant: %s%s\n", level == PL_WARNING ? "warning: " : "", text);
}

const pl_log cli_notes = {print_note, NULL};

pl_status cli_shape_open(const char *what, const char *length, cli_shape *shape, pl_error *error)
{
  *shape = (cli_shape){.solid = NULL};
  if (!pl_member_find(&pl_solid_family, what) && pl_path_extension(what)[0]) {
    pl_status status = pl_skin_read(what, &cli_notes, NULL, &shape->skin, error);
    if (!status) shape->volume = pl_skin_volume(shape->skin);
    return status;
  }
  pl_setting setting = {.name = "length", .word = length};
  pl_solid_row row = {{what, &setting, length != NULL}, 0};
  pl_status status = pl_solid_create(&row, 1, NULL, &shape->solid, error);
  if (!status) shape->volume = pl_solid_volume(shape->solid);
  return status;
}

void cli_shape_close(cli_shape *shape)
{
  pl_solid_destroy(shape->solid);
  pl_skin_destroy(shape->skin);
}

pl_status cli_fill(const char *what, const char *length, const pl_choice *filler, pl_mesh **mesh,
                   pl_error *error)
{
  *mesh = NULL;
  if (!pl_member_find(&pl_solid_family, what) && pl_path_extension(what)[0])
    return pl_mesh_read_filled(what, filler, &cli_notes, NULL, mesh, error);
  cli_shape shape;
  pl_status status = cli_shape_open(what, length, &shape, error);
  if (!status) status = pl_fill(&shape.volume, filler, NULL, mesh, error);
  cli_shape_close(&shape);
  return status;
}

double cli_shape_size(const cli_shape *shape, double across)
{
  double extent = 0;
  for (int k = 0; k < 3; k++) extent = fmax(extent, shape->volume.high[k] - shape->volume.low[k]);
  return extent / across;
}

/* The boundary of the solid as stuffing makes it: its triangles are better than those of marching
 * cubes. */
static pl_status make_skin(cli_shape *shape, double size, pl_error *error)
{
  pl_mesh *mesh;
  pl_setting setting = {.name = "size", .value = {size}};
  pl_choice filler = {"stuffing", &setting, 1};
  pl_status status = pl_fill(&shape->volume, &filler, NULL, &mesh, error);
  if (status) return status;
  pl_skin_def def = {.point_count = pl_mesh_node_count(mesh),
                     .triangle_count = pl_mesh_face_count(mesh),
                     .points = pl_mesh_nodes(mesh),
                     .triangles = pl_mesh_faces(mesh)};
  status = pl_skin_create(&def, &shape->skin, error);
  pl_mesh_destroy(mesh);
  return status;
}

/* The surface goes to another program, and its elements come back. */
static pl_status fill_with(const char *program, const char *what, const char *length, double size,
                           pl_mesh **mesh, pl_error *error)
{
  *mesh = NULL;
  cli_shape shape;
  pl_status status = cli_shape_open(what, length, &shape, error);
  if (!status && !(size > 0)) size = cli_shape_size(&shape, 20);
  if (!status && shape.solid) status = make_skin(&shape, size, error);
  if (!status) status = cli_mesh_with(program, shape.skin, size, mesh, error);
  cli_shape_close(&shape);
  return status;
}

/* The parameters of all ways of filling as options; returns how many there are then. */
static int add_filler_options(cli_option *options, int count, const char **values)
{
  int first = count;
  for (int m = 0; pl_filler_family.members[m]; m++) {
    const pl_member *member = pl_filler_family.members[m];
    for (int i = 0; i < member->param_count; i++) {
      int known = 0;
      for (int o = first; o < count; o++)
        known |= strcmp(options[o].name, member->params[i].name) == 0;
      if (known || count - first == CLI_FILL_MOST) continue;
      options[count] = cli_param_option(&member->params[i], &values[count - first]);
      count++;
    }
  }
  return count;
}

int cli_mesh_surface(int count, char **words)
{
  static cli_words files;
  const char *output = NULL, *size_word = NULL, *length = NULL;
  cli_option options[] = {
      CLI_OUTPUT("where to write the surface", &output),
      {.name = "size",
       .argument = "LENGTH",
       .summary = "edge of the cells in m (default 1/60 of the extent)",
       .value = &size_word},
      {.name = "length",
       .argument = "LENGTH",
       .summary = "of a ready-made solid in m (default 1)",
       .value = &length},
  };
  int code = cli_parse(count, words, options, sizeof options / sizeof *options,
                       "mesh surface SURFACE|SOLID [OPTIONS] -o FILE",
                       "Triangles around a ready-made solid ('pliant list solid'), or around what "
                       "a surface encloses: closed, without crossings or crowded edges.",
                       &files);
  if (code) return code < 0 ? CLI_OK : code;
  if (files.count != 1) return cli_fail(CLI_USAGE, "mesh surface needs one surface or solid");
  if (!output) return cli_fail(CLI_USAGE, "mesh surface needs -o FILE");
  double size = 0;
  if (size_word && cli_number("size", size_word, &size)) return CLI_USAGE;
  cli_shape shape;
  pl_skin *skin = NULL;
  pl_error error;
  pl_status status = cli_shape_open(files.words[0], length, &shape, &error);
  if (!status && !size_word) size = cli_shape_size(&shape, 60);
  if (!status) status = pl_contour(&shape.volume, size, NULL, &skin, &error);
  if (!status) status = pl_skin_write(skin, output, &error);
  if (status)
    code = cli_fail_error(&error);
  else
    printf("%s\n  points          %d\n  surface         %d triangles in %d %s\n", output,
           skin->point_count, skin->triangle_count, skin->facts.pieces,
           skin->facts.pieces == 1 ? "piece" : "pieces");
  pl_skin_destroy(skin);
  cli_shape_close(&shape);
  return code;
}

int cli_mesh_fill(int count, char **words)
{
  static cli_words files;
  const char *output = NULL, *method = NULL, *length = NULL, *with = NULL;
  const char *values[CLI_FILL_MOST] = {0};
  cli_option options[OWN + CLI_FILL_MOST] = {
      CLI_OUTPUT("where to write the mesh", &output),
      {.name = "method",
       .argument = "WORD",
       .summary =
           "stuffing (follows the surface), cage (never fails), voxels or octree (hexahedra)",
       .value = &method},
      {.name = "length",
       .argument = "LENGTH",
       .summary = "of a ready-made solid in m (default 1)",
       .value = &length},
      {.name = "with",
       .argument = "PROGRAM",
       .summary = "gmsh or tetgen, if installed, instead of a method; it keeps the surface",
       .value = &with},
  };
  int option_count = add_filler_options(options, OWN, values);
  int code =
      cli_parse(count, words, options, option_count, "mesh fill SURFACE|SOLID [OPTIONS] -o FILE",
                "Fills a surface (.obj, .stl, .ply, .off, .glb) or a ready-made solid ('pliant "
                "list solid') with elements.",
                &files);
  if (code) return code < 0 ? CLI_OK : code;
  if ((code = cli_mesh_words("fill", &files, "surface or solid", output)) != CLI_OK) return code;
  pl_setting settings[CLI_FILL_MOST];
  pl_choice filler = {method, settings,
                      cli_given_settings(options + OWN, values, option_count - OWN, settings)};
  // size is the first parameter of every way
  double size = 0;
  if (with && (method || filler.setting_count > (values[0] != NULL)))
    return cli_fail(CLI_USAGE, "--with takes --size and --length, no other options");
  if (with && values[0] && cli_number("size", values[0], &size)) return CLI_USAGE;
  pl_mesh *mesh;
  pl_error error;
  cli_wait_begin("filling");
  pl_status status = with ? fill_with(with, files.words[0], length, size, &mesh, &error)
                          : cli_fill(files.words[0], length, &filler, &mesh, &error);
  cli_wait_end();
  return status ? cli_fail_error(&error) : cli_mesh_leave(output, mesh);
}
