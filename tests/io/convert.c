/* A helper for scripts: reads a mesh or surface in any format and prints or writes it.
 *
 *   convert IN                  prints counts, nodes, elements and sets
 *   convert IN OUT [NAME=WORD]  writes OUT, with parameters of its format */
#include "io/format.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void note(void *context, pl_level level, const char *text)
{
  (void)context, (void)level;
  fprintf(stderr, "%s\n", text);
}

static void print(const pl_mesh *mesh)
{
  int corners = pl_mesh_nodes_per_element(mesh);
  printf("%d %d %d %d\n", pl_mesh_node_count(mesh), pl_mesh_element_count(mesh), corners,
         pl_mesh_set_count(mesh));
  for (int i = 0; i < pl_mesh_node_count(mesh); i++) {
    const double *p = pl_mesh_nodes(mesh) + 3 * (size_t)i;
    printf("%.17g %.17g %.17g\n", p[0], p[1], p[2]);
  }
  for (int i = 0; i < pl_mesh_element_count(mesh); i++) {
    for (int k = 0; k < corners; k++) printf("%d ", pl_mesh_elements(mesh)[i * corners + k]);
    printf("\n");
  }
  for (int i = 0; i < pl_mesh_set_count(mesh); i++) {
    const pl_set *set = pl_mesh_set(mesh, i);
    printf("%s %s", set->of_elements ? "elements" : "nodes", set->name);
    for (int k = 0; k < set->count; k++) printf(" %d", set->ids[k]);
    printf("\n");
  }
}

static pl_status write_snapshot(const pl_snapshot *snapshot, const char *path, char **words,
                                int count, pl_error *error)
{
  pl_setting settings[8] = {0};
  for (int i = 0; i < count && i < 8; i++) {
    char *equals = strchr(words[i], '=');
    if (!equals) return PL_E_ARGUMENT;
    *equals = 0;
    settings[i] = (pl_setting){.name = words[i], .word = equals + 1};
  }
  return pl_snapshot_write(snapshot, path, settings, count, error);
}

static pl_status pass_skin(char **words, int count, pl_error *error)
{
  pl_skin *skin;
  pl_status status = pl_skin_read(words[1], NULL, NULL, &skin, error);
  if (status) return status;
  pl_facets facets = {skin->point_count, skin->triangle_count, skin->points, skin->triangles};
  pl_snapshot snapshot = {.time = NAN, .facets = &facets};
  if (count > 2) status = write_snapshot(&snapshot, words[2], words + 3, count - 3, error);
  pl_skin_destroy(skin);
  return status;
}

int main(int count, char **words)
{
  pl_mesh *mesh = NULL;
  pl_error error = {0};
  pl_log log = {.write = note};
  char text[1024];
  if (count < 2) return 2;
  const pl_format_ops *format = pl_format_of(words[1], NULL);
  pl_status status;
  if (format && format->read_surface) {
    status = pass_skin(words, count, &error);
  } else {
    status = pl_mesh_read_logged(words[1], &log, NULL, &mesh, &error);
    pl_snapshot snapshot = {.mesh = mesh, .time = NAN};
    if (!status && count == 2) print(mesh);
    if (!status && count > 2)
      status = write_snapshot(&snapshot, words[2], words + 3, count - 3, &error);
  }
  if (status) fprintf(stderr, "%s\n", pl_error_text(&error, text, sizeof text));
  pl_mesh_destroy(mesh);
  return status != PL_OK;
}
