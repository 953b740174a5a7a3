/* The table of formats, and reading and writing by file name. */
#include "io/format.h"

#include "core/error.h"
#include "core/family.h"
#include "core/memory.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The family. A new format is a file that defines pl_format_NAME and a word here. */
#define PL_FORMATS(X)                                                                              \
  X(vtu)                                                                                           \
  X(gmsh)                                                                                          \
  X(tetgen)                                                                                        \
  X(vtk) X(abaqus) X(medit) X(vega) X(obj) X(stl) X(ply) X(off) X(glb) X(xdmf) X(pc2) X(mdd) X(csv)

#define X(name) extern const pl_format_ops pl_format_##name;
PL_FORMATS(X)
#undef X

#define X(name) &pl_format_##name.info,
PL_FAMILY(format, "mesh files, chosen by the end of their name", PL_FORMATS(X));
#undef X

/* Is extension one of the words in "a|b"? */
static int is_listed(const char *words, const char *extension)
{
  size_t length = strlen(extension);
  for (const char *at = words; length && (at = strstr(at, extension)); at++) {
    if ((at == words || at[-1] == '|') && (at[length] == 0 || at[length] == '|')) return 1;
  }
  return 0;
}

const pl_format_ops *pl_format_of(const char *path, pl_error *error)
{
  const pl_member *const *members = pl_format_family.members;
  const char *extension = pl_path_extension(path);
  char known[200] = "";
  size_t used = 0;
  for (int i = 0; members[i]; i++) {
    // info is the first field of the ops
    const pl_format_ops *format = (const pl_format_ops *)(const void *)members[i];
    if (is_listed(format->extensions, extension)) return format;
    for (const char *at = format->extensions; *at && used + 8 < sizeof known; at++) {
      if (at == format->extensions || at[-1] == '|')
        used += (size_t)snprintf(known + used, sizeof known - used, "%s.", used ? ", " : "");
      if (*at != '|') known[used++] = *at;
    }
  }
  pl_fail_at(error, PL_E_ARGUMENT, path, 0, "is of no known format; name it with one of: %s",
             known);
  return NULL;
}

/* repairs may be NULL. */
static pl_status read_mesh(const char *path, const pl_log *log, const pl_allocator *allocator,
                           pl_mesh_repairs *repairs, pl_mesh **mesh, pl_error *error)
{
  if (!path || !mesh)
    return pl_fail(error, PL_E_ARGUMENT, "pl_mesh_read needs a path and a place for the mesh");
  *mesh = NULL;
  const pl_format_ops *format = pl_format_of(path, error);
  if (!format) return PL_E_ARGUMENT;
  if (!format->read && format->read_surface)
    return pl_fail_at(error, PL_E_UNSUPPORTED, path, 0,
                      "holds a surface only; fill it first, with \"pliant mesh fill\"");
  if (!format->read)
    return pl_fail_at(error, PL_E_UNSUPPORTED, path, 0, "cannot be read: %s files are only written",
                      format->info.name);
  pl_allocator own = pl_allocator_or_default(allocator);
  pl_source source = {.path = path, .allocator = &own, .log = log, .repairs = repairs};
  pl_status status = pl_file_read(&own, path, 0, &source.file, error);
  if (!status) status = format->read(&source, mesh, error);
  pl_bytes_free(&own, &source.file);
  return status;
}

pl_status pl_mesh_read_logged(const char *path, const pl_log *log, const pl_allocator *allocator,
                              pl_mesh **mesh, pl_error *error)
{
  return read_mesh(path, log, allocator, NULL, mesh, error);
}

pl_status pl_mesh_read_repaired(const char *path, const pl_log *log, pl_mesh_repairs *repairs,
                                pl_mesh **mesh, pl_error *error)
{
  return read_mesh(path, log, NULL, repairs, mesh, error);
}

pl_status pl_mesh_read(const char *path, const pl_allocator *allocator, pl_mesh **mesh,
                       pl_error *error)
{
  return pl_mesh_read_logged(path, NULL, allocator, mesh, error);
}

static pl_status read_surface(const char *path, const pl_log *log, const pl_allocator *allocator,
                              int keeps_holes, pl_skin **skin, pl_error *error)
{
  *skin = NULL;
  const pl_format_ops *format = pl_format_of(path, error);
  if (!format) return PL_E_ARGUMENT;
  if (!format->read_surface)
    return pl_fail_at(error, PL_E_UNSUPPORTED, path, 0, "%s files hold no surface",
                      format->info.name);
  pl_allocator own = pl_allocator_or_default(allocator);
  pl_source source = {.path = path, .allocator = &own, .log = log, .keeps_holes = keeps_holes};
  pl_status status = pl_file_read(&own, path, 0, &source.file, error);
  if (!status) status = format->read_surface(&source, skin, error);
  pl_bytes_free(&own, &source.file);
  return status;
}

pl_status pl_skin_read(const char *path, const pl_log *log, const pl_allocator *allocator,
                       pl_skin **skin, pl_error *error)
{
  return read_surface(path, log, allocator, 0, skin, error);
}

pl_status pl_sheet_read(const char *path, const pl_log *log, const pl_allocator *allocator,
                        pl_skin **skin, pl_error *error)
{
  return read_surface(path, log, allocator, 1, skin, error);
}

pl_status pl_skin_write(const pl_skin *skin, const char *path, pl_error *error)
{
  const pl_format_ops *format = pl_format_of(path, error);
  if (!format) return PL_E_ARGUMENT;
  if (!format->read_surface)
    return pl_fail_at(error, PL_E_UNSUPPORTED, path, 0, "%s files hold no surface",
                      format->info.name);
  // as a mesh of nothing but its boundary: points that no triangle uses are left out
  pl_mesh boundary = {.allocator = skin->allocator,
                      .node_count = skin->point_count,
                      .nodes = skin->points,
                      .nodes_per_face = 3,
                      .face_count = skin->triangle_count,
                      .faces = skin->triangles};
  return pl_snapshot_write(&(pl_snapshot){.mesh = &boundary, .time = NAN}, path, NULL, 0, error);
}

pl_status pl_mesh_read_filled(const char *path, const pl_choice *filler, const pl_log *log,
                              const pl_allocator *allocator, pl_mesh **mesh, pl_error *error)
{
  *mesh = NULL;
  const pl_format_ops *format = pl_format_of(path, error);
  if (!format) return PL_E_ARGUMENT;
  if (!format->read_surface) return pl_mesh_read_logged(path, log, allocator, mesh, error);
  pl_skin *skin;
  pl_status status = pl_skin_read(path, log, allocator, &skin, error);
  if (status) return status;
  pl_fill_job job = {
      .skin = skin, .filler = *filler, .name = path, .log = log, .allocator = allocator};
  status = pl_fill_skin(&job, mesh, error);
  if (status) pl_error_locate(error, status, path, 0);
  pl_skin_destroy(skin);
  return status;
}

int pl_format_is_written(const pl_format_ops *format)
{
  return format->write || format->animate || format->append;
}

int pl_format_keeps(const pl_format_ops *format, const pl_set *set)
{
  return format->keeps ? format->keeps(set) : format->read != NULL;
}

pl_status pl_snapshot_write(const pl_snapshot *snapshot, const char *path,
                            const pl_setting *settings, int setting_count, pl_error *error)
{
  const pl_format_ops *format = pl_format_of(path, error);
  if (!format) return PL_E_ARGUMENT;
  if (!format->write && format->animate)
    return pl_fail_at(
        error, PL_E_UNSUPPORTED, path, 0,
        "%s files hold animations: let a scene write them, by <output format=\"%s\"/>",
        format->info.name, format->info.name);
  if (!format->write)
    return pl_fail_at(error, PL_E_UNSUPPORTED, path, 0, "cannot be written: %s files are only read",
                      format->info.name);
  if (!snapshot->mesh && !format->read_surface)
    return pl_fail_at(error, PL_E_UNSUPPORTED, path, 0,
                      "%s files hold no surface; fill it first, with \"pliant mesh fill\"",
                      format->info.name);
  double values[PL_MOST_VALUES];
  const pl_member *member;
  pl_choice choice = {format->info.name, settings, setting_count};
  pl_status status = pl_choice_resolve(&pl_format_family, &choice, &member, values, error);
  return status ? status : format->write(snapshot, path, values, error);
}

pl_status pl_mesh_write(const pl_mesh *mesh, const char *path, pl_error *error)
{
  if (!mesh || !path) return pl_fail(error, PL_E_ARGUMENT, "pl_mesh_write needs a mesh and a path");
  pl_snapshot snapshot = {.mesh = mesh, .time = NAN};
  return pl_snapshot_write(&snapshot, path, NULL, 0, error);
}
