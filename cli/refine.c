/* pliant mesh refine: tetrahedra into eight, everywhere or around a point. */
#include "mesh/refine.h"
#include "cli.h"
#include "core/text.h"
#include "fill.h"
#include "io/format.h"
#include "math/vec3.h"

#include <stdio.h>

/* Refines the leaves whose middles lie in the ball. */
static pl_status refine_around(pl_forest *forest, const double centre[3], double radius,
                               pl_error *error)
{
  pl_status status = PL_OK;
  int count = (int)forest->tet_count;
  for (int t = 0; !status && t < count; t++) {
    if (!pl_forest_is_leaf(forest, t)) continue;
    double middle[3] = {0};
    for (int i = 0; i < 4; i++)
      pl_vec3_add_scaled(0.25, forest->nodes[forest->tets[t].nodes[i]].place, middle);
    if (pl_vec3_distance(middle, centre) <= radius) status = pl_forest_refine(forest, t, error);
  }
  return status;
}

static pl_status refine(pl_forest *forest, int levels, const double *ball, pl_error *error)
{
  pl_status status = PL_OK;
  for (int i = 0; !status && i < levels; i++)
    status =
        ball ? refine_around(forest, ball, ball[3], error) : pl_forest_refine_all(forest, error);
  return status;
}

int cli_mesh_refine(int count, char **words)
{
  static cli_words files;
  const char *output = NULL, *levels_word = "1", *around = NULL, *radius = NULL;
  cli_option options[] = {
      CLI_OUTPUT("where to write the mesh", &output),
      {.name = "levels",
       .argument = "N",
       .summary = "how often (default 1); every level makes eight of one",
       .value = &levels_word},
      {.name = "around",
       .argument = "\"X Y Z\"",
       .summary = "only elements whose middles lie near this point, in m",
       .value = &around},
      {.name = "radius", .argument = "R", .summary = "how near, in m", .value = &radius},
  };
  int code = cli_parse(count, words, options, sizeof options / sizeof *options,
                       "mesh refine FILE [OPTIONS] -o FILE",
                       "Cuts tetrahedra into eight. Where refined ones meet others, those are cut "
                       "so that no node hangs.",
                       &files);
  if (code) return code < 0 ? CLI_OK : code;
  if (files.count != 1) return cli_fail(CLI_USAGE, "mesh refine needs one mesh");
  if (!output) return cli_fail(CLI_USAGE, "mesh refine needs -o FILE");
  int levels;
  if (cli_int("levels", levels_word, 1, PL_MOST_REFINEMENTS, &levels)) return CLI_USAGE;
  char extra;
  double ball[4];
  if (!around != !radius) return cli_fail(CLI_USAGE, "--around and --radius belong together");
  if (around && (sscanf(around, "%lf %lf %lf %c", &ball[0], &ball[1], &ball[2], &extra) != 3 ||
                 sscanf(radius, "%lf %c", &ball[3], &extra) != 1 || !(ball[3] > 0)))
    return cli_fail(CLI_USAGE, "--around \"%s\" --radius %s is not a point and a length", around,
                    radius);

  pl_mesh *mesh = NULL, *fine = NULL;
  pl_forest *forest = NULL;
  pl_error error;
  pl_status status = pl_mesh_read(files.words[0], NULL, &mesh, &error);
  if (!status) status = pl_forest_create(mesh, NULL, &forest, &error);
  if (!status) status = refine(forest, levels, around ? ball : NULL, &error);
  if (!status) status = pl_forest_mesh(forest, 1, NULL, NULL, &fine, &error);
  if (!status) status = pl_mesh_write(fine, output, &error);
  code = status ? cli_fail_error(&error) : cli_mesh_tell(output, fine);
  pl_mesh_destroy(fine);
  pl_forest_destroy(forest);
  pl_mesh_destroy(mesh);
  return code;
}
