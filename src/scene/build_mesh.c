/* The meshes of a scene: from files, simple shapes and solids by formula. */
#include "core/error.h"
#include "core/family.h"
#include "core/file.h"
#include "io/format.h"
#include "mesh/fill.h"
#include "mesh/mesh.h"
#include "mesh/solid.h"
#include "scene/reader.h"

#include <limits.h>
#include <string.h>

void pl_reader_warn_unused(const pl_reader *reader, const pl_item *item)
{
  // a guide may use what the scene itself does not
  int guided = 0;
  for (int i = 1; i < reader->items[0].end; i = reader->items[i].end)
    guided |= pl_item_is(&reader->items[i], "guide");
  if (!item->used && !guided)
    pl_log_write(&reader->def->log, PL_WARNING, "%s:%d: %s \"%s\" is not used by any body",
                 reader->def->path, pl_xml_line(item->node), item->element->name,
                 pl_item_name(item));
}

/* The solids inside a shape as rows; an error among them names the item where it is. */
static pl_status fill_shape(pl_reader *reader, int index, pl_mesh **mesh, int *where,
                            pl_error *error)
{
  const pl_item *items = reader->items;
  int first = index + 1, count = items[index].end - first;
  pl_solid_row *rows = pl_reader_alloc(reader, (size_t)count, sizeof *rows);
  int *depth = pl_reader_alloc(reader, (size_t)count, sizeof *depth);
  if (!rows || !depth) return PL_OK;
  for (int i = 0; i < count && !reader->stopped; i++) {
    int parent = items[first + i].parent;
    depth[i] = parent == index ? 0 : depth[parent - first] + 1;
    rows[i] = (pl_solid_row){pl_item_choice(reader, &items[first + i], 0), depth[i]};
  }
  pl_choice filler = pl_item_choice(reader, &items[index], 0);
  if (reader->stopped) return PL_OK;
  pl_solid *solid;
  error->entity = -1;
  pl_status status = pl_solid_create(rows, count, &reader->def->allocator, &solid, error);
  if (status) {
    *where = error->entity >= 0 ? first + (int)error->entity : index;
    return status;
  }
  pl_volume volume = pl_solid_volume(solid);
  *where = index;
  status = pl_fill(&volume, &filler, &reader->def->allocator, mesh, error);
  pl_solid_destroy(solid);
  return status;
}

static int is_surface(const pl_item *item)
{
  return strcmp(pl_item_text(item, "kind"), "solid") != 0;
}

/* A surface as it is. */
static pl_status read_triangles(const pl_reader *reader, const pl_item *item, const char *path,
                                pl_mesh **mesh, pl_error *error)
{
  pl_skin *skin;
  int is_sheet = strcmp(pl_item_text(item, "kind"), "sheet") == 0;
  pl_status status = (is_sheet ? pl_sheet_read : pl_skin_read)(
      path, &reader->def->log, &reader->def->allocator, &skin, error);
  if (status) return status;
  status = pl_skin_mesh(skin, &reader->def->allocator, mesh, error);
  pl_skin_destroy(skin);
  return status;
}

/* The boundary in place of the elements. */
static pl_status keep_boundary(const pl_reader *reader, pl_mesh **mesh, pl_error *error)
{
  pl_mesh *triangles;
  pl_status status = pl_mesh_boundary(*mesh, &reader->def->allocator, &triangles, error);
  if (status) return status;
  pl_mesh_destroy(*mesh);
  *mesh = triangles;
  return PL_OK;
}

static pl_status read_mesh(pl_reader *reader, const pl_item *item, const char *file, pl_mesh **mesh,
                           pl_error *error)
{
  char path[PATH_MAX];
  pl_status status = pl_scene_path(reader->def, file, path, sizeof path, error);
  if (status) return status;
  const pl_format_ops *format = pl_format_of(path, error);
  if (!format) return PL_E_ARGUMENT;
  if (format->read_surface && is_surface(item))
    return read_triangles(reader, item, path, mesh, error);
  pl_choice filler = pl_item_choice(reader, item, 0);
  if (reader->stopped) return PL_OK;
  if (!format->read_surface && (filler.setting_count || pl_xml_attribute(item->node, "method")))
    return pl_fail(error, PL_E_ARGUMENT,
                   "%s is for surfaces, but %s files hold elements already; remove it",
                   filler.setting_count ? filler.settings[0].name : "method", format->info.name);
  if (!pl_xml_attribute(item->node, "method")) filler.name = NULL; // left to the filling
  return pl_mesh_read_filled(path, &filler, &reader->def->log, &reader->def->allocator, mesh,
                             error);
}

/* Octets in place of the tetrahedra, if wanted; midpoints follow a generated shape (else inside has
 * no family). */
static pl_status divide(pl_reader *reader, const pl_item *item, const pl_item *inside,
                        pl_mesh **mesh, pl_error *error)
{
  const char *word = pl_item_text(item, "element");
  if (strcmp(word, "made") == 0) return PL_OK;
  pl_mesh *divided;
  pl_division way = strcmp(word, "tet10") == 0 ? PL_DIVIDE_TET10 : PL_DIVIDE_OCTETS;
  const pl_member *member = NULL;
  double values[PL_MOST_VALUES];
  pl_status status = PL_OK;
  if (inside && inside->element->family) {
    pl_choice choice = pl_item_choice(reader, inside, 0);
    if (reader->stopped) return PL_OK;
    status = pl_choice_resolve(&pl_generator_family, &choice, &member, values, error);
  }
  pl_middle_of *middle = member ? ((const pl_generator_ops *)(const void *)member)->middle : NULL;
  if (!status)
    status =
        pl_mesh_divide_by(*mesh, way, middle, values, &reader->def->allocator, &divided, error);
  if (status) return status;
  pl_mesh_destroy(*mesh);
  *mesh = divided;
  return PL_OK;
}

/* Has anything inside the item an error? */
static int is_bad_inside(const pl_reader *reader, int index)
{
  for (int i = index; i < reader->items[index].end; i++) {
    if (reader->items[i].bad) return 1;
  }
  return 0;
}

void pl_reader_build_mesh(pl_reader *reader, pl_scene *scene, int index)
{
  (void)scene;
  pl_item *item = &reader->items[index];
  if (item->bad) return;
  pl_reader_warn_unused(reader, item);
  const char *file = pl_item_text(item, "file");
  const pl_item *inside = item->end > index + 1 ? item + 1 : NULL;
  pl_error error;
  pl_status status;
  int where = index;
  if (file && inside) {
    status = pl_fail(&error, PL_E_ARGUMENT, "has both file=\"...\" and a shape; keep one of them");
  } else if (!file && !inside) {
    status = pl_fail(&error, PL_E_ARGUMENT, "needs file=\"...\" or a shape such as <%s .../>",
                     pl_generator_family.members[0]->name);
  } else if (file) {
    status = read_mesh(reader, item, file, &item->mesh, &error);
  } else if (is_bad_inside(reader, index)) {
    item->bad = 1;
    return;
  } else if (inside->end < item->end) {
    status = pl_fail(&error, PL_E_ARGUMENT, "has more than one shape; keep one of them");
  } else if (inside->element->family) {
    pl_choice choice = pl_item_choice(reader, inside, 0);
    if (reader->stopped) return;
    status = pl_mesh_generate(&choice, &reader->def->allocator, &item->mesh, &error);
  } else if (pl_item_is(inside, "bezier")) {
    status = pl_reader_bezier(reader, index + 1, &item->mesh, &where, &error);
  } else {
    status = fill_shape(reader, index + 1, &item->mesh, &where, &error);
  }
  if (!status && !reader->stopped && is_surface(item) && item->mesh->nodes_per_element != 3)
    status = keep_boundary(reader, &item->mesh, &error);
  if (!status && !reader->stopped) status = divide(reader, item, inside, &item->mesh, &error);
  if (!status) return;
  pl_reader_report_at(reader, where, &error);
  item->bad = 1;
}
