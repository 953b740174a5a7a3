/* pliant mesh: generate and info; the others have files of their own. */
#include "mesh/mesh.h"
#include "cli.h"
#include "core/family.h"
#include "core/file.h"
#include "fill.h"
#include "io/format.h"
#include "json.h"
#include "repair.h"

#include <stdio.h>
#include <string.h>

/* Sets that the file holds, and a warning for those that its format left out. */
static void print_sets(const char *path, const pl_mesh *mesh)
{
  const pl_format_ops *format = pl_format_of(path, NULL);
  int lost = 0;
  for (int i = 0; i < pl_mesh_set_count(mesh); i++) {
    const pl_set *set = pl_mesh_set(mesh, i);
    if (format && !pl_format_keeps(format, set))
      lost++;
    else
      printf("  set             %s: %d %s\n", set->name, set->count,
             set->of_elements ? "elements" : "nodes");
  }
  if (lost)
    fprintf(stderr,
            "pliant: warning: %s: %s files cannot hold %d of the %d sets; to keep them, write .msh "
            "or .vtu\n",
            path, format->info.name, lost, pl_mesh_set_count(mesh));
  if (format && pl_mesh_hanging_count(mesh) && !format->keeps_hanging)
    fprintf(stderr,
            "pliant: warning: %s: %s files cannot hold that %d nodes hang on others, so that the "
            "mesh would come apart there; write .vtu\n",
            path, format->info.name, pl_mesh_hanging_count(mesh));
}

/* Volume, area or length, and the angles that such elements have. */
static void print_extent(const pl_mesh_facts *facts, int nodes_per_element)
{
  int dimension = nodes_per_element > 3 ? 3 : nodes_per_element - 1;
  static const char *const names[] = {"length ", "area   ", "volume "};
  static const char *const units[] = {"m", "m^2", "m^3"};
  printf("  %s         %g %s, elements from %g to %g\n", names[dimension - 1], facts->volume,
         units[dimension - 1], facts->min_volume, facts->max_volume);
  if (dimension == 3) printf("  surface         %g m^2\n", facts->surface);
  printf("  edges           %g to %g m, mean %g\n", facts->min_edge, facts->max_edge,
         facts->mean_edge);
  if (dimension > 1)
    printf("  %s %.1f to %.1f degrees\n", dimension == 3 ? "dihedral angles" : "angles         ",
           facts->min_angle, facts->max_angle);
}

static void print_facts(const char *path, const pl_mesh_facts *facts, const pl_mesh *mesh)
{
  printf("%s\n", path);
  printf("  nodes           %d\n", facts->node_count);
  printf("  elements        %d %s in %d %s\n", facts->element_count, pl_mesh_shape_name(mesh),
         facts->pieces, facts->pieces == 1 ? "piece" : "pieces");
  if (pl_mesh_quad_count(mesh))
    printf("  quadrilaterals  %d, each of two of these triangles\n", pl_mesh_quad_count(mesh));
  if (pl_mesh_hanging_count(mesh))
    printf("  hanging nodes   %d, and %d free ones\n", pl_mesh_hanging_count(mesh),
           facts->node_count - pl_mesh_hanging_count(mesh));
  printf("  boundary        %d faces in %d %s\n", facts->face_count, facts->boundary_pieces,
         facts->boundary_pieces == 1 ? "piece" : "pieces");
  printf("  from            %g %g %g m\n", facts->low[0], facts->low[1], facts->low[2]);
  printf("  to              %g %g %g m\n", facts->high[0], facts->high[1], facts->high[2]);
  print_extent(facts, pl_mesh_nodes_per_element(mesh));
  printf("  aspect          mean %.3g, worst", facts->mean_aspect);
  for (int i = 0; i < facts->worst_count; i++)
    printf("%s %.3g (element %d)", i ? "," : "", facts->worst_aspects[i], facts->worst_elements[i]);
  printf("\n");
  if (facts->flipped_elements)
    printf("  repaired        %d elements turned to positive volume\n", facts->flipped_elements);
  if (facts->dropped_nodes)
    printf("  repaired        %d nodes dropped that no element uses\n", facts->dropped_nodes);
  print_sets(path, mesh);
}

int cli_mesh_tell(const char *path, const pl_mesh *mesh)
{
  pl_mesh_facts facts;
  pl_error error;
  if (pl_mesh_measure(mesh, &facts, &error)) return cli_fail_error(&error);
  print_facts(path, &facts, mesh);
  return CLI_OK;
}

int cli_mesh_leave(const char *path, pl_mesh *mesh)
{
  pl_error error;
  int code = pl_mesh_write(mesh, path, &error) ? cli_fail_error(&error) : cli_mesh_tell(path, mesh);
  pl_mesh_destroy(mesh);
  return code;
}

int cli_mesh_words(const char *command, const cli_words *words, const char *what,
                   const char *output)
{
  if (words->count != 1) return cli_fail(CLI_USAGE, "mesh %s needs one %s", command, what);
  if (!output) return cli_fail(CLI_USAGE, "mesh %s needs -o FILE", command);
  return CLI_OK;
}

static void add_sets(pl_text *json, const pl_mesh *mesh)
{
  cli_json_open(json, "sets", '[');
  for (int i = 0; i < pl_mesh_set_count(mesh); i++) {
    const pl_set *set = pl_mesh_set(mesh, i);
    cli_json_open(json, NULL, '{');
    cli_json_text(json, "name", set->name);
    cli_json_text(json, "of", set->of_elements ? "elements" : "nodes");
    cli_json_number(json, "count", set->count);
    cli_json_close(json, '}');
  }
  cli_json_close(json, ']');
}

static int add_mesh(pl_text *json, const char *path)
{
  pl_mesh *mesh;
  pl_mesh_facts facts;
  pl_error error;
  if (pl_mesh_read_logged(path, &cli_notes, NULL, &mesh, &error)) return cli_fail_error(&error);
  int code = pl_mesh_measure(mesh, &facts, &error) ? cli_fail_error(&error) : CLI_OK;
  const struct {
    const char *name;
    double value;
  } rows[] = {{"nodes", facts.node_count},
              {"elements", facts.element_count},
              {"pieces", facts.pieces},
              {"faces", facts.face_count},
              {"quads", pl_mesh_quad_count(mesh)},
              {"volume", facts.volume},
              {"surface", facts.surface},
              {"min_edge", facts.min_edge},
              {"mean_edge", facts.mean_edge},
              {"max_edge", facts.max_edge},
              {"min_angle", facts.min_angle},
              {"max_angle", facts.max_angle},
              {"mean_aspect", facts.mean_aspect},
              {"worst_aspect", facts.worst_aspect},
              {"worst_element", facts.worst_element}};
  if (!code) {
    cli_json_text(json, "shape", pl_mesh_shape_name(mesh));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
      cli_json_number(json, rows[i].name, rows[i].value);
    cli_json_numbers(json, "low", facts.low, 3);
    cli_json_numbers(json, "high", facts.high, 3);
    add_sets(json, mesh);
  }
  pl_mesh_destroy(mesh);
  return code;
}

static int add_surface(pl_text *json, const char *path)
{
  pl_skin *skin;
  pl_error error;
  if (pl_skin_read(path, NULL, NULL, &skin, &error)) return cli_fail_error(&error);
  const struct {
    const char *name;
    int value;
  } rows[] = {{"points", skin->point_count},
              {"triangles", skin->triangle_count},
              {"pieces", skin->facts.pieces},
              {"open_edges", skin->facts.open_edges},
              {"crowded_edges", skin->facts.crowded_edges},
              {"closed_holes", skin->facts.closed_holes},
              {"turned_triangles", skin->facts.turned_triangles},
              {"dropped_triangles", skin->facts.dropped_triangles},
              {"welded_points", skin->facts.welded_points}};
  cli_json_text(json, "shape", "surface");
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    cli_json_number(json, rows[i].name, rows[i].value);
  cli_json_numbers(json, "low", skin->low, 3);
  cli_json_numbers(json, "high", skin->high, 3);
  pl_skin_destroy(skin);
  return CLI_OK;
}

/* The same for other programs; a file that cannot be read has nothing but its name. */
static int info_json(const cli_words *files)
{
  int code = CLI_OK;
  pl_text json = pl_text_make(NULL);
  cli_json_open(&json, NULL, '[');
  for (int i = 0; i < files->count; i++) {
    const pl_format_ops *format = pl_format_of(files->words[i], NULL);
    int of_surface = format && format->read_surface;
    cli_json_open(&json, NULL, '{');
    cli_json_text(&json, "file", files->words[i]);
    int failed = (of_surface ? add_surface : add_mesh)(&json, files->words[i]);
    cli_json_flag(&json, "ok", !failed);
    cli_json_close(&json, '}');
    if (failed) code = CLI_FAILED;
  }
  cli_json_close(&json, ']');
  return cli_json_print(&json, code);
}

static int info(int count, char **words)
{
  static cli_words files;
  int json = 0;
  const cli_option options[] = {{.name = "json", .summary = "for other programs", .flag = &json}};
  int code = cli_parse(count, words, options, 1, "mesh info [--json] FILE...",
                       "Counts, sizes, quality and sets of meshes.", &files);
  if (code) return code < 0 ? CLI_OK : code;
  if (files.count == 0) return cli_fail(CLI_USAGE, "mesh info needs a file");
  if (json) return info_json(&files);
  for (int i = 0; i < files.count; i++) {
    pl_mesh *mesh;
    pl_error error;
    const pl_format_ops *format = pl_format_of(files.words[i], NULL);
    if (format && format->read_surface) {
      if (cli_skin_tell(files.words[i])) code = CLI_FAILED;
      continue;
    }
    if (pl_mesh_read_logged(files.words[i], &cli_notes, NULL, &mesh, &error)) {
      code = cli_fail_error(&error);
      continue;
    }
    if (cli_mesh_tell(files.words[i], mesh)) code = CLI_FAILED;
    pl_mesh_destroy(mesh);
  }
  return code;
}

/* The options of generate are the generator's parameters. */
static int generate(int count, char **words)
{
  enum { MOST = 24 };
  static cli_words plain;
  const char *output = NULL, *values[MOST] = {0};
  cli_option options[MOST] = {CLI_OUTPUT("where to write the mesh", &output)};
  int option_count = 1;
  const pl_member *shape = count > 0 ? pl_member_find(&pl_generator_family, words[0]) : NULL;
  for (int i = 0; shape && i < shape->param_count && option_count < MOST; i++)
    options[option_count++] = cli_param_option(&shape->params[i], &values[i]);
  int code = cli_parse(count, words, options, option_count, "mesh generate SHAPE [OPTIONS] -o FILE",
                       "Makes a mesh. 'pliant list generator' shows the shapes; a shape's "
                       "parameters are its options.",
                       &plain);
  if (code) return code < 0 ? CLI_OK : code;
  if ((code = cli_mesh_words("generate", &plain, "shape", output)) != CLI_OK) return code;
  pl_setting settings[MOST];
  pl_choice choice = {plain.words[0], settings,
                      cli_given_settings(options + 1, values, option_count - 1, settings)};
  pl_mesh *mesh;
  pl_error error;
  if (pl_mesh_generate(&choice, NULL, &mesh, &error)) return cli_fail_error(&error);
  return cli_mesh_leave(output, mesh);
}

int cli_mesh(int count, char **words)
{
  static const struct {
    const char *name, *summary;
    int (*run)(int count, char **words);
  } verbs[] = {{"generate", "make a box, cylinder, tube or sphere", generate},
               {"fill", "a surface or a ready-made solid with elements", cli_mesh_fill},
               {"surface", "triangles around a solid or a broken surface", cli_mesh_surface},
               {"refine", "tetrahedra into eight, everywhere or around a point", cli_mesh_refine},
               {"convert", "from one file format to another", cli_mesh_convert},
               {"repair", "join, drop and turn what is wrong, and list it", cli_mesh_repair},
               {"info", "counts, sizes, quality and sets", info}};
  const int verb_count = sizeof verbs / sizeof *verbs;
  for (int i = 0; count > 0 && i < verb_count; i++) {
    if (strcmp(words[0], verbs[i].name) == 0) return verbs[i].run(count - 1, words + 1);
  }
  // pliant mesh bunny.obj -o bunny.msh
  if (count > 0 && words[0][0] != '-' && pl_path_extension(words[0])[0])
    return cli_mesh_fill(count, words);
  int help = count > 0 && (strcmp(words[0], "--help") == 0 || strcmp(words[0], "-h") == 0);
  if (count > 0 && !help)
    return cli_fail(CLI_USAGE,
                    "unknown mesh command \"%s\"; there is: generate, fill, surface, refine, "
                    "convert, repair, info",
                    words[0]);
  FILE *out = help ? stdout : stderr;
  fprintf(out, "usage: pliant mesh COMMAND ...\n\n");
  for (int i = 0; i < verb_count; i++) fprintf(out, "  %-9s %s\n", verbs[i].name, verbs[i].summary);
  return help ? CLI_OK : CLI_USAGE;
}
