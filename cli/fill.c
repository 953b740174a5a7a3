/* pliant mesh fill: a surface from a file, or a ready-made solid, filled with elements. */
#include "fill.h"
#include "cli.h"
#include "core/text.h"
#include "io/format.h"
#include "mesh/fill.h"
#include "mesh/solid.h"

#include <stdio.h>
#include <string.h>

static void print_note(void *context, pl_level level, const char *text)
{
  (void)context;
  fprintf(stderr, "pliant: %s%s\n", level == PL_WARNING ? "warning: " : "", text);
}

pl_status cli_fill(const char *what, const char *length, const pl_choice *filler, pl_mesh **mesh,
                   pl_error *error)
{
  *mesh = NULL;
  pl_log log = {print_note, NULL};
  if (!pl_member_find(&pl_solid_family, what)) {
    if (pl_path_extension(what)[0])
      return pl_mesh_read_filled(what, filler, &log, NULL, mesh, error);
    return pl_solid_create(&(pl_solid_row){{what, NULL, 0}, 0}, 1, NULL, &(pl_solid *){NULL},
                           error);
  }
  pl_setting setting = {.name = "length", .word = length};
  pl_solid_row row = {{what, &setting, length != NULL}, 0};
  pl_solid *solid;
  pl_status status = pl_solid_create(&row, 1, NULL, &solid, error);
  if (status) return status;
  pl_volume volume = pl_solid_volume(solid);
  status = pl_fill(&volume, filler, NULL, mesh, error);
  pl_solid_destroy(solid);
  return status;
}

int cli_mesh_fill(int count, char **words)
{
  static cli_words files;
  const char *output = NULL, *method = NULL, *length = NULL;
  const char *values[3] = {0}, *const names[3] = {"size", "elements", "element"};
  cli_option options[] = {
      {.name = "output",
       .letter = 'o',
       .argument = "FILE",
       .summary = "where to write the mesh",
       .value = &output},
      {.name = "method",
       .argument = "WORD",
       .summary = "stuffing (follows the surface) or cage (never fails)",
       .value = &method},
      {.name = names[0],
       .argument = "LENGTH",
       .summary = "edge of the elements in m",
       .value = &values[0]},
      {.name = names[1],
       .argument = "N",
       .summary = "about how many, without a size (default 10000)",
       .value = &values[1]},
      {.name = names[2],
       .argument = "WORD",
       .summary = "of a cage: tet or hex",
       .value = &values[2]},
      {.name = "length",
       .argument = "LENGTH",
       .summary = "of a ready-made solid in m (default 1)",
       .value = &length},
  };
  int code =
      cli_parse(count, words, options, sizeof options / sizeof *options,
                "mesh fill SURFACE|SOLID [OPTIONS] -o FILE",
                "Fills a surface (.obj, .stl, .ply, .off, .glb) or a ready-made solid ('pliant "
                "list solid') with elements.",
                &files);
  if (code) return code < 0 ? CLI_OK : code;
  if (files.count != 1) return cli_fail(CLI_USAGE, "mesh fill needs one surface or solid");
  if (!output) return cli_fail(CLI_USAGE, "mesh fill needs -o FILE");
  pl_setting settings[3];
  pl_choice filler = {method, settings, 0};
  for (int i = 0; i < 3; i++) {
    if (values[i])
      settings[filler.setting_count++] = (pl_setting){.name = names[i], .word = values[i]};
  }
  pl_mesh *mesh;
  pl_error error;
  if (cli_fill(files.words[0], length, &filler, &mesh, &error)) return cli_fail_error(&error);
  if (pl_mesh_write(mesh, output, &error))
    code = cli_fail_error(&error);
  else
    code = cli_mesh_tell(output, mesh);
  pl_mesh_destroy(mesh);
  return code;
}
