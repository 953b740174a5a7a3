/* Mesh file formats. A reader gets the whole file in memory and trusts no count in it. */
#ifndef PL_IO_FORMAT_H
#define PL_IO_FORMAT_H

#include "core/family.h"
#include "core/file.h"
#include "core/text.h"
#include "mesh/repair.h"
#include "mesh/skin.h"
#include "pliant/mesh.h"

/* Numbers that belong to the nodes or elements of a mesh, written beside it where a format can. */
typedef struct pl_field {
  const char *name;
  /* width 1 or 3; 6: a symmetric tensor xx, yy, zz, xy, yz, xz; 9: a tensor, row after row */
  int of_elements, width;
  const double *data;
} pl_field;

/* Triangles. */
typedef struct pl_facets {
  int point_count, triangle_count;
  const double *points; /* 3 each */
  const int *triangles; /* 3 each, counter-clockwise seen from outside */
} pl_facets;

typedef struct pl_snapshot {
  const pl_mesh *mesh;     /* may be NULL where there are facets and the format is for surfaces */
  const double *positions; /* NULL: the mesh's own */
  double time;             /* s; NaN: none */
  int field_count;
  const pl_field *fields;
  /* A surface that formats of surfaces write instead of the boundary, such as a finer one that
   * follows the mesh; NULL: none. */
  const pl_facets *facets;
} pl_snapshot;

/* An animation: triangles whose points move. */
typedef struct pl_reel {
  const char *name; /* of the body */
  int point_count, triangle_count, frame_count;
  const int *triangles;
  const double *times;    /* s, one per frame, growing */
  const float *positions; /* 3 per point, frame after frame */
  /* A picture on it: a PNG or JPEG file, and right and up in it for every corner. NULL: none. */
  const pl_bytes *image;
  const float *spots;
  const struct pl_reel
      *next; /* another body in the same file; NULL: none, or the format has none */
} pl_reel;

/* A file that grows by a frame at a time. */
typedef struct pl_stream {
  const pl_allocator *allocator;
  const char *path;
  const double *values; /* of the format's parameters */
  void *own;            /* the format's; NULL before the first frame */
} pl_stream;

/* What a reader works on. */
typedef struct pl_source {
  pl_bytes file;
  const char *path; /* for messages and sibling files */
  const pl_allocator *allocator;
  const pl_log *log; /* hears what was left out or changed; may be NULL */
  /* Elements and nodes that no mesh may have are repaired and counted here; NULL: refused. */
  pl_mesh_repairs *repairs;
  int keeps_holes; /* of surfaces: they are wanted as they are */
} pl_source;

struct pl_hull;

typedef struct pl_format_ops {
  pl_member info;         /* the parameters are the writer's */
  const char *extensions; /* "msh" or "node|ele" */
  /* NULL: cannot be read. */
  pl_status (*read)(const pl_source *source, pl_mesh **mesh, pl_error *error);
  /* The file holds a surface, not a mesh; NULL: it does not. */
  pl_status (*read_surface)(const pl_source *source, pl_skin **skin, pl_error *error);
  /* The triangles of such a file as they are, with texture coordinates; NULL: it has none. */
  pl_status (*read_painted)(const pl_source *source, struct pl_hull *hull, pl_error *error);
  /* Writes path (and siblings); formats of surfaces write the boundary. NULL: cannot be written. */
  pl_status (*write)(const pl_snapshot *snapshot, const char *path, const double *values,
                     pl_error *error);
  /* Writes all frames of an animation into one file. NULL: a numbered file of write's for each. */
  pl_status (*animate)(const pl_reel *reel, const char *path, const double *values,
                       pl_error *error);
  /* Adds a frame to the file of all frames, which is readable after each; gives it its final form
   * after the last; frees what it holds. NULL: as above. */
  pl_status (*append)(pl_stream *stream, const pl_snapshot *snapshot, pl_error *error);
  pl_status (*complete)(pl_stream *stream, pl_error *error);
  void (*release)(pl_stream *stream);
  /* Is such a set written as well? NULL: all are, but none in formats that hold no elements. */
  int (*keeps)(const pl_set *set);
  int keeps_hanging; /* hanging nodes are written and read */
  /* The parameter that is 1 where all bodies go into one animation, plus 1; 0: they cannot. */
  int together;
  /* The parameter that is 1 where each process of a run writes its piece, plus 1; 0: none does. */
  int pieces;
  const char *list; /* the extension of a file that lists the numbered ones; NULL: none */
} pl_format_ops;

extern const pl_family pl_format_family;

/* The format of a file name; NULL and an error that lists the known ones if there is none. */
const pl_format_ops *pl_format_of(const char *path, pl_error *error);

/* pl_mesh_read with somewhere for notes to go. */
pl_status pl_mesh_read_logged(const char *path, const pl_log *log, const pl_allocator *allocator,
                              pl_mesh **mesh, pl_error *error);

/* The same, with what is wrong repaired and counted; see mesh/repair.h. */
pl_status pl_mesh_read_repaired(const char *path, const pl_log *log, pl_mesh_repairs *repairs,
                                pl_mesh **mesh, pl_error *error);

/* The surface in a file. */
pl_status pl_skin_read(const char *path, const pl_log *log, const pl_allocator *allocator,
                       pl_skin **skin, pl_error *error);

/* The same with its holes: a sheet. */
pl_status pl_sheet_read(const char *path, const pl_log *log, const pl_allocator *allocator,
                        pl_skin **skin, pl_error *error);

/* Writes a surface in the format of path's name. */
pl_status pl_skin_write(const pl_skin *skin, const char *path, pl_error *error);

/* The mesh in a file, or the surface in it, filled. */
pl_status pl_mesh_read_filled(const char *path, const pl_choice *filler, const pl_log *log,
                              const pl_allocator *allocator, pl_mesh **mesh, pl_error *error);

/* Can frames of a run be written in it? */
int pl_format_is_written(const pl_format_ops *format);

/* Is the set there again when a mesh that was written is read? */
int pl_format_keeps(const pl_format_ops *format, const pl_set *set);

/* Writes a snapshot in the format of path's name; of the settings, those that differ from the
 * presets. */
pl_status pl_snapshot_write(const pl_snapshot *snapshot, const char *path,
                            const pl_setting *settings, int setting_count, pl_error *error);

#endif
