/* Scenes in the format of "Implementation of Deformable Objects" (EDMConfig, its section 4.4) as
 * scenes of ours. */
#ifndef PL_SCENE_EDM_H
#define PL_SCENE_EDM_H

#include "core/text.h"
#include "scene/reader.h"

/* The <EDMConfig> of a document: its root or an element below; NULL: there is none. */
pl_xml_node *pl_edm_find(pl_xml_node *root);

/* Writes the equivalent scene. What is wrong is reported with its line in the document; then the
 * text is of no use. */
void pl_edm_convert(pl_reader *reader, pl_xml_node *config, pl_text *out);

/* ---- what the files of the converter share ---- */

enum { PL_EDM_MATERIALS, PL_EDM_FORCES, PL_EDM_OBJECTS, PL_EDM_BODIES, PL_EDM_CONTAINERS };

typedef struct pl_edm {
  pl_reader *reader;
  pl_xml_node *containers[PL_EDM_CONTAINERS];
  pl_text *out;
  double gravity[3]; /* of all bodies, if they have the same */
  int same_gravity;
} pl_edm;

/* All and Single. */
typedef struct pl_edm_particle {
  double mass, damping, tension[6], rigidity[3]; /* NAN: not given */
  int fixed;                                     /* -1: not given */
} pl_edm_particle;

typedef struct pl_edm_body {
  pl_xml_node *node;
  const char *id;
  int axes, ellipsoid, order, size[3], wraps[3];
  double timestep, *points[2]; /* of the natural and the initial shape; the latter may be NULL */
  pl_edm_particle all;
  pl_mesh *meshes[2]; /* made from them */
} pl_edm_body;

/* Reports what is wrong with an element; format has %s only. */
void pl_edm_refuse(pl_edm *edm, const pl_xml_node *node, const char *format, const char *a,
                   const char *b);
/* A required attribute; NULL (reported) where it is missing. */
const char *pl_edm_need(pl_edm *edm, const pl_xml_node *node, const char *name);
/* Required numbers: one, or so many between brackets; 1 if they are there. */
int pl_edm_number(pl_edm *edm, const pl_xml_node *node, const char *name, double *value);
int pl_edm_vector(pl_edm *edm, const pl_xml_node *node, const char *name, int count,
                  double *values);
/* A tensor of side x side numbers, made symmetric: its diagonal and what stands beside it; 1 if it
 * is given. */
int pl_edm_tensor(pl_edm *edm, const pl_xml_node *node, const char *name, int side,
                  double *diagonal, double *others);
/* Yes or No. */
int pl_edm_flag(pl_edm *edm, const pl_xml_node *node, const char *name, int preset);
/* The first <Properties>, reported where there is none. */
pl_xml_node *pl_edm_properties(pl_edm *edm, const pl_xml_node *node);
/* What a <Bind> refers to, of a kind of container; NULL (reported) where there is none. */
pl_xml_node *pl_edm_bound(pl_edm *edm, const pl_xml_node *bind, int container);
/* "[m,n]" or "[l,m,n]" of a body; 1 if it is one of its particles. */
int pl_edm_place(pl_edm *edm, const pl_edm_body *body, const pl_xml_node *node, int at[3]);
/* What All or a Single says. */
pl_edm_particle pl_edm_particle_of(pl_edm *edm, const pl_edm_body *body, const pl_xml_node *node);
/* A body without what is bound to it; 1 if it can be used. */
int pl_edm_body_of(pl_edm *edm, pl_xml_node *node, pl_edm_body *body);

/* Writes ' name="a b c"'. */
void pl_edm_write(pl_text *out, const char *name, const double *values, int count);
/* The colour or texture that a <Bind> of a material means, as attributes. */
void pl_edm_write_look(pl_edm *edm, const pl_xml_node *bind);
void pl_edm_write_body(pl_edm *edm, pl_edm_body *body);

#endif
