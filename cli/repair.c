/* pliant mesh repair and convert: meshes and surfaces from one file to another. */
#include "repair.h"

#include "cli.h"
#include "core/error.h"
#include "fill.h"
#include "io/format.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* One line for each kind of repair that was needed. */
static void print_repairs(const char *kind, int count, const char *what)
{
  if (count) printf("  %-15s %d %s\n", kind, count, what);
}

/* ---- surfaces ---- */

static void print_skin(const char *path, const pl_skin *skin)
{
  const pl_skin_facts *facts = &skin->facts;
  printf("%s\n", path);
  printf("  points          %d\n", skin->point_count);
  printf("  surface         %d triangles in %d %s\n", skin->triangle_count, facts->pieces,
         facts->pieces == 1 ? "piece" : "pieces");
  printf("  from            %g %g %g m\n", skin->low[0], skin->low[1], skin->low[2]);
  printf("  to              %g %g %g m\n", skin->high[0], skin->high[1], skin->high[2]);
  print_repairs("repaired", facts->welded_points, "points welded");
  print_repairs("repaired", facts->dropped_triangles, "triangles dropped");
  print_repairs("repaired", facts->turned_triangles, "triangles turned outwards");
  print_repairs("repaired", facts->closed_holes, "holes closed");
  print_repairs("wrong", facts->open_edges, "open edges");
  print_repairs("wrong", facts->crowded_edges, "edges of more than two triangles");
  print_repairs("wrong", pl_skin_crossings(skin), "triangles pierced by others");
}

static pl_status write_skin(const pl_skin *skin, const char *path, const pl_setting *settings,
                            int count, pl_error *error)
{
  pl_facets facets = {skin->point_count, skin->triangle_count, skin->points, skin->triangles};
  pl_snapshot snapshot = {.time = NAN, .facets = &facets};
  return pl_snapshot_write(&snapshot, path, settings, count, error);
}

int cli_skin_tell(const char *path)
{
  pl_skin *skin;
  pl_error error;
  if (pl_skin_read(path, NULL, NULL, &skin, &error)) return cli_fail_error(&error);
  print_skin(path, skin);
  pl_skin_destroy(skin);
  return CLI_OK;
}

/* Surfaces are repaired when they are read. */
static int pass_skin(const char *from, const char *to, const pl_setting *settings, int count)
{
  pl_skin *skin;
  pl_error error;
  if (pl_skin_read(from, NULL, NULL, &skin, &error)) return cli_fail_error(&error);
  int code = CLI_OK;
  if (to && write_skin(skin, to, settings, count, &error))
    code = cli_fail_error(&error);
  else
    print_skin(to ? to : from, skin);
  pl_skin_destroy(skin);
  return code;
}

static int is_surface(const char *path)
{
  const pl_format_ops *format = pl_format_of(path, NULL);
  return format && format->read_surface;
}

/* FROM -o TO, or the shorter FROM TO; TO may be missing where that makes sense. */
static int take_names(const char *verb, const cli_words *files, const char *output, int needs_to,
                      const char **from, const char **to)
{
  int both = files->count == 2 && !output;
  *from = files->count ? files->words[0] : NULL;
  *to = both ? files->words[1] : output;
  if (both || (files->count == 1 && (output || !needs_to))) return CLI_OK;
  return cli_fail(CLI_USAGE, "mesh %s needs one file to read and -o FILE to write", verb);
}

/* ---- convert ---- */

/* "encoding=binary" as settings of the written format; the words are cut at '='. */
static int split_settings(const cli_words *given, char room[][128], pl_setting *settings)
{
  for (int i = 0; i < given->count; i++) {
    snprintf(room[i], sizeof room[i], "%s", given->words[i]);
    char *equals = strchr(room[i], '=');
    if (!equals) return cli_fail(CLI_USAGE, "--set %s: NAME=VALUE is needed", given->words[i]);
    *equals = 0;
    settings[i] = (pl_setting){.name = room[i], .word = equals + 1};
  }
  return CLI_OK;
}

int cli_mesh_convert(int count, char **words)
{
  enum { MOST = 8 };
  static cli_words files, given;
  const char *output = NULL, *from, *to;
  const cli_option options[] = {CLI_OUTPUT("where to write the mesh", &output),
                                {.name = "set",
                                 .argument = "NAME=VALUE",
                                 .summary = "option of the written format, for example "
                                            "encoding=binary; see 'pliant list format'",
                                 .list = &given}};
  int code = cli_parse(count, words, options, 2, "mesh convert [OPTIONS] FROM -o TO",
                       "Reads a mesh or surface and writes it in the format that the second name "
                       "lists; -o may be left out.",
                       &files);
  if (code) return code < 0 ? CLI_OK : code;
  code = take_names("convert", &files, output, 1, &from, &to);
  if (code) return code;
  if (given.count > MOST) return cli_fail(CLI_USAGE, "mesh convert: too many --set");
  char room[MOST][128];
  pl_setting settings[MOST];
  code = split_settings(&given, room, settings);
  if (code) return code;
  if (is_surface(from)) return pass_skin(from, to, settings, given.count);
  pl_mesh *mesh;
  pl_error error;
  if (pl_mesh_read(from, NULL, &mesh, &error)) return cli_fail_error(&error);
  pl_snapshot snapshot = {.mesh = mesh, .time = NAN};
  if (pl_snapshot_write(&snapshot, to, settings, given.count, &error))
    code = cli_fail_error(&error);
  else
    code = cli_mesh_tell(to, mesh);
  pl_mesh_destroy(mesh);
  return code;
}

/* ---- repair ---- */

int cli_mesh_repair(int count, char **words)
{
  static cli_words files;
  const char *weld = NULL, *output = NULL, *from, *to;
  const cli_option options[] = {CLI_OUTPUT("where to write the mesh", &output),
                                {.name = "weld",
                                 .argument = "SHARE",
                                 .summary = "nodes within this share of the extent are joined "
                                            "(default 1e-9; below 0: none)",
                                 .value = &weld}};
  int code = cli_parse(count, words, options, 2, "mesh repair [OPTIONS] FROM [-o TO]",
                       "Joins nodes in one place, drops flat, double and unused parts, turns what "
                       "is inside out, and lists each; writes the result if TO is given (-o may be "
                       "left out).",
                       &files);
  if (code) return code < 0 ? CLI_OK : code;
  code = take_names("repair", &files, output, 0, &from, &to);
  if (code) return code;
  pl_mesh_repairs done = {0};
  if (weld && cli_number("weld", weld, &done.weld)) return CLI_USAGE;
  if (is_surface(from)) return pass_skin(from, to, NULL, 0);
  pl_mesh *mesh;
  pl_error error;
  if (pl_mesh_read_repaired(from, NULL, &done, &mesh, &error)) return cli_fail_error(&error);
  printf("%s\n", from);
  print_repairs("repaired", done.merged_nodes, "nodes joined with others in the same place");
  print_repairs("repaired", done.flat_elements, "elements of no volume dropped");
  print_repairs("repaired", done.double_elements, "elements dropped that were there twice");
  print_repairs("repaired", done.rewound_elements, "hexahedra with nodes in the wrong order");
  print_repairs("repaired", done.turned_elements, "inverted elements turned");
  print_repairs("repaired", done.unused_nodes, "nodes dropped that no element uses");
  int total = done.merged_nodes + done.flat_elements + done.double_elements +
              done.rewound_elements + done.turned_elements + done.unused_nodes;
  if (!total) printf("  nothing to repair\n");
  if (to && pl_mesh_write(mesh, to, &error))
    code = cli_fail_error(&error);
  else if (to)
    code = cli_mesh_tell(to, mesh);
  pl_mesh_destroy(mesh);
  return code;
}
