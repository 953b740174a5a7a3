/* pliant mesh fill: a surface from a file, or a ready-made solid, filled with elements. */
#include "fill.h"
#include "cli.h"
#include "core/text.h"
#include "io/format.h"
#include "mesh/fill.h"
#include "mesh/solid.h"

#include <stdio.h>
#include <string.h>

enum { CLI_FILL_MOST = 8 };

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
      options[count] = (cli_option){.name = member->params[i].name,
                                    .argument = "VALUE",
                                    .summary = member->params[i].summary,
                                    .value = &values[count - first]};
      count++;
    }
  }
  return count;
}

int cli_mesh_fill(int count, char **words)
{
  static cli_words files;
  const char *output = NULL, *method = NULL, *length = NULL, *values[CLI_FILL_MOST] = {0};
  cli_option options[3 + CLI_FILL_MOST] = {
      {.name = "output",
       .letter = 'o',
       .argument = "FILE",
       .summary = "where to write the mesh",
       .value = &output},
      {.name = "method",
       .argument = "WORD",
       .summary = "stuffing (follows the surface), cage (never fails) or voxels",
       .value = &method},
      {.name = "length",
       .argument = "LENGTH",
       .summary = "of a ready-made solid in m (default 1)",
       .value = &length},
  };
  int option_count = add_filler_options(options, 3, values);
  int code =
      cli_parse(count, words, options, option_count, "mesh fill SURFACE|SOLID [OPTIONS] -o FILE",
                "Fills a surface (.obj, .stl, .ply, .off, .glb) or a ready-made solid ('pliant "
                "list solid') with elements.",
                &files);
  if (code) return code < 0 ? CLI_OK : code;
  if (files.count != 1) return cli_fail(CLI_USAGE, "mesh fill needs one surface or solid");
  if (!output) return cli_fail(CLI_USAGE, "mesh fill needs -o FILE");
  pl_setting settings[CLI_FILL_MOST];
  pl_choice filler = {method, settings, 0};
  for (int i = 0; i < option_count - 3; i++) {
    if (values[i])
      settings[filler.setting_count++] =
          (pl_setting){.name = options[3 + i].name, .word = values[i]};
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
