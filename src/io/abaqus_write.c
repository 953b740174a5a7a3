/* Writes Abaqus input files: nodes, elements and sets. */
#include "io/abaqus.h"

#include "io/cells.h"

#include <string.h>

static void put_sets(pl_text *text, const pl_mesh *mesh)
{
  for (int s = 0; s < pl_mesh_set_count(mesh); s++) {
    const pl_set *set = pl_mesh_set(mesh, s);
    int quoted = set->name[strcspn(set->name, " ,=<>&\t")] != 0;
    const char *quote = quoted ? "\"" : "";
    pl_text_add(text, set->of_elements ? "*ELSET, ELSET=%s%s%s\n" : "*NSET, NSET=%s%s%s\n", quote,
                set->name, quote);
    for (int i = 0; i < set->count; i++)
      pl_text_add(text, "%d%s", set->ids[i] + 1,
                  i + 1 == set->count ? "\n"
                  : i % 16 == 15      ? ",\n"
                                      : ", ");
  }
}

static const char *type_of(pl_cell cell)
{
  if (cell.is_quad) return "S4";
  return cell.corners == 2   ? "T3D2"
         : cell.corners == 3 ? "S3"
         : cell.corners == 4 ? "C3D4"
                             : "C3D8";
}

/* An element, under a line with its type where that changes. */
static void put_cell(pl_text *text, const pl_cells *cells, int index)
{
  pl_cell cell = pl_cell_at(cells, index);
  if (index == 0 || index == cells->plain) pl_text_add(text, "*ELEMENT, TYPE=%s\n", type_of(cell));
  pl_text_add(text, "%d", index + 1);
  for (int k = 0; k < cell.corners; k++) pl_text_add(text, ", %d", cell.nodes[k] + 1);
  pl_text_add(text, "\n");
}

pl_status pl_abaqus_write(const pl_snapshot *snapshot, const char *path, const double *values,
                          pl_error *error)
{
  (void)values;
  const pl_mesh *mesh = snapshot->mesh;
  const double *positions = snapshot->positions ? snapshot->positions : pl_mesh_nodes(mesh);
  pl_cells cells = pl_cells_of_mesh(mesh);
  pl_text text = pl_text_make(NULL);
  pl_text_add(&text, "*HEADING\nin m\n*NODE\n");
  for (int i = 0; i < pl_mesh_node_count(mesh); i++) {
    pl_text_add(&text, "%d", i + 1);
    for (int k = 0; k < 3; k++) {
      pl_text_add(&text, ", ");
      pl_text_number(&text, positions[3 * (size_t)i + (size_t)k]);
    }
    pl_text_add(&text, "\n");
  }
  for (int i = 0; i < cells.plain + cells.quads; i++) put_cell(&text, &cells, i);
  put_sets(&text, mesh);
  pl_status status = pl_text_ok(&text, error);
  if (!status) status = pl_file_write_frame(path, text.data, text.size, error);
  pl_text_release(&text);
  return status;
}
