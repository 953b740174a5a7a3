/* One reading of a scene: the XML document as a flat list of checked items, what was found wrong,
 * and what was built from it so far. */
#ifndef PL_SCENE_READER_H
#define PL_SCENE_READER_H

#include "io/xml.h"
#include "pliant/scene.h"
#include "pliant/world.h"
#include "scene/schema.h"

/* An element of the document that the tables know. */
typedef struct pl_item {
  const pl_element *element;
  pl_xml_node *node;
  int parent;    /* number of the item it stands in, -1 for the root */
  int end;       /* number of the first item behind those inside it  */
  int bad;       /* something in it is wrong, and was reported       */
  int used;      /* another item names it                            */
  pl_mesh *mesh; /* what was built from it                           */
  pl_body_id body;
  pl_obstacle_id obstacle;
} pl_item;

/* What items are found by. */
typedef struct pl_name {
  const char *kind, *name;
  int item;
} pl_name;

typedef struct pl_reader {
  const pl_scene_def *def;
  pl_xml *document;
  pl_item *items; /* in the document's order; the root first */
  int item_count;
  size_t item_room;
  pl_name *names; /* of what stands in the root, sorted */
  int name_count;
  int body_count, only_body; /* the item of the body, -1 if there are none or several */
  int error_count;
  int stopped; /* no memory or too many errors: nothing more is tried */
  pl_error first;
  void **scratch; /* memory that lives until the reading ends */
  size_t scratch_count, scratch_room;
} pl_reader;

/* Parses, applies the changes and checks everything that needs no world. What is wrong is
 * reported; the caller looks at error_count. pl_reader_close releases all of it. */
void pl_reader_open(pl_reader *reader, const pl_scene_def *def, const char *text, size_t size);
void pl_reader_close(pl_reader *reader);

/* Writes the scene that a document of another format means (edm.h, virtis.h); 0 if it is none.
 * source: its bytes. */
int pl_reader_convert(pl_reader *reader, const char *source, size_t size, pl_text *out);

/* Sets the attribute that "element[name].attribute=value" names. */
pl_status pl_scene_change(pl_xml_node *root, const char *change, pl_error *error);
/* Takes "a=1; b=2" apart into at most so many texts, which live as long as the reader; their
 * number, or -1 where there are more or no memory is left. */
int pl_reader_split(pl_reader *reader, const char *text, const char **changes, int room);
/* Sets those that def->changes name. */
void pl_reader_change(pl_reader *reader);

/* Builds the world and all that the items describe into scene; parts that depend on bad items are
 * left out in silence. */
void pl_reader_build(pl_reader *reader, pl_scene *scene);

/* Builds the mesh of an item, from its file, its simple shape or its solids. */
void pl_reader_build_mesh(pl_reader *reader, pl_scene *scene, int index);
/* The mesh of a <bezier>; an error is that of the item *where. */
pl_status pl_reader_bezier(pl_reader *reader, int index, pl_mesh **mesh, int *where,
                           pl_error *error);
/* The single particles of a body; 1 if all can be used. */
int pl_reader_particles(pl_reader *reader, int index, pl_body_def *def);
/* The same for creases, measured curves and the warp of a sheet; mesh is the item of its mesh. */
int pl_reader_tailoring(pl_reader *reader, int index, int mesh, pl_body_def *def);
/* Adds the body of an item with what is in it, except attachments: their other end may stand after
 * it. */
void pl_reader_build_body(pl_reader *reader, pl_scene *scene, int index);
void pl_reader_build_attachments(pl_reader *reader, pl_scene *scene, int index);
/* Adds what acts on a body; where the body is zero because it could not be built, that is checked
 * as far as its mesh allows. */
void pl_reader_build_acts(pl_reader *reader, pl_world *world, int index, pl_body_id body,
                          const pl_mesh *mesh);
void pl_reader_build_contact(pl_reader *reader, pl_scene *scene, int index);
void pl_reader_build_hand(pl_reader *reader, pl_scene *scene, int index);
void pl_reader_build_guide(pl_reader *reader, pl_scene *scene, int index);
void pl_reader_build_probe(pl_reader *reader, pl_scene *scene, int index);
void pl_reader_build_output(pl_reader *reader, pl_scene *scene, int index);
void pl_reader_build_view(pl_reader *reader, pl_scene *scene, int index);
/* Adds the obstacle of an item, with its parts and motions. */
/* The shapes inside an item, each with its depth, 1 for its children; 0: one of them is bad. */
int pl_reader_parts(pl_reader *reader, int index, const pl_part_def **parts, int *part_count);
void pl_reader_build_obstacle(pl_reader *reader, pl_scene *scene, int index);
/* Keeps what is to be seen on the body of an item, whose shown mesh is another one's. */
void pl_reader_build_texture(pl_reader *reader, pl_scene *scene, int index, int shown);
/* Checks a material; and what an item of that kind says. */
void pl_reader_check_material(pl_reader *reader, pl_scene *scene, int index);
pl_material_def pl_reader_material(pl_reader *reader, const pl_item *item);
/* Warns if no body uses the item. */
void pl_reader_warn_unused(const pl_reader *reader, const pl_item *item);

/* The path of a mesh file named in the scene; it must lie below the scene's folder unless the user
 * allows more. */
pl_status pl_scene_path(const pl_scene_def *def, const char *file, char *path, size_t size,
                        pl_error *error);

/* Hands an error to the user as it is, or with the item's place and label before its message. */
void pl_reader_report(pl_reader *reader, const pl_error *error);
void pl_reader_report_at(pl_reader *reader, int item, const pl_error *error);
/* Reports an error unless status is PL_OK; 1 if there was one. */
int pl_reader_failed(pl_reader *reader, int item, pl_status status, const pl_error *error);

void pl_reader_report_memory(pl_reader *reader);

/* Zeroed memory that lives until the reading ends; failure is reported. */
void *pl_reader_alloc(pl_reader *reader, size_t count, size_t size);

/* The attribute's text, the preset where it is missing, NULL where there is neither. */
const char *pl_item_text(const pl_item *item, const char *name);
/* The numbers of an attribute that was checked. */
void pl_item_numbers(const pl_item *item, const char *name, double *values);
double pl_item_number(const pl_item *item, const char *name);
/* Whether it is an element of that name. */
int pl_item_is(const pl_item *item, const char *kind);
/* The item's name, NULL if it has none. */
const char *pl_item_name(const pl_item *item);

/* The members that an item chooses, by its own name first and then by its attributes in their
 * order, with those of its attributes that belong to them. */
pl_choice pl_item_choice(pl_reader *reader, const pl_item *item, int which);

/* The regions inside an item; NULL if one of them has an error or there is no memory. */
const pl_selector *pl_reader_regions(pl_reader *reader, int index, int *count);

/* The number of the item of that kind and name, -1 if there is none. */
int pl_reader_find(const pl_reader *reader, const char *kind, const char *name);

#endif
