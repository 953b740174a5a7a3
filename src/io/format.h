/* Mesh file formats. A reader gets the whole file in memory and trusts no count in it. */
#ifndef PL_IO_FORMAT_H
#define PL_IO_FORMAT_H

#include "core/file.h"
#include "core/text.h"
#include "mesh/skin.h"
#include "pliant/mesh.h"

/* Numbers that belong to the nodes or elements of a mesh, written beside it where a format can. */
typedef struct pl_field {
  const char *name;
  int of_elements, width; /* width 1 or 3 */
  const double *data;
} pl_field;

typedef struct pl_snapshot {
  const pl_mesh *mesh;
  const double *positions; /* NULL: the mesh's own */
  double time;             /* s; NaN: none */
  int field_count;
  const pl_field *fields;
} pl_snapshot;

/* What a reader works on. */
typedef struct pl_source {
  pl_bytes file;
  const char *path; /* for messages and sibling files */
  const pl_allocator *allocator;
  const pl_log *log; /* hears what was left out or changed; may be NULL */
} pl_source;

typedef struct pl_format_ops {
  pl_member info;         /* the parameters are the writer's */
  const char *extensions; /* "msh" or "node|ele" */
  /* NULL: cannot be read. */
  pl_status (*read)(const pl_source *source, pl_mesh **mesh, pl_error *error);
  /* The file holds a surface, not a mesh; NULL: it does not. */
  pl_status (*read_surface)(const pl_source *source, pl_skin **skin, pl_error *error);
  /* Writes path (and siblings); formats of surfaces write the boundary. NULL: cannot be written. */
  pl_status (*write)(const pl_snapshot *snapshot, const char *path, const double *values,
                     pl_error *error);
} pl_format_ops;

extern const pl_family pl_format_family;

/* The format of a file name; NULL and an error that lists the known ones if there is none. */
const pl_format_ops *pl_format_of(const char *path, pl_error *error);

/* pl_mesh_read with somewhere for notes to go. */
pl_status pl_mesh_read_logged(const char *path, const pl_log *log, const pl_allocator *allocator,
                              pl_mesh **mesh, pl_error *error);

/* The surface in a file. */
pl_status pl_skin_read(const char *path, const pl_log *log, const pl_allocator *allocator,
                       pl_skin **skin, pl_error *error);

/* Writes a surface in the format of path's name. */
pl_status pl_skin_write(const pl_skin *skin, const char *path, pl_error *error);

/* The mesh in a file, or the surface in it, filled. */
pl_status pl_mesh_read_filled(const char *path, const pl_choice *filler, const pl_log *log,
                              const pl_allocator *allocator, pl_mesh **mesh, pl_error *error);

/* Writes a snapshot in the format of path's name; of the settings, those that differ from the
 * presets. */
pl_status pl_snapshot_write(const pl_snapshot *snapshot, const char *path,
                            const pl_setting *settings, int setting_count, pl_error *error);

#endif
