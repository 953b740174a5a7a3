/* What a body is made of where that differs from place to place: parts of other materials, and
 * factors of density and stiffness. All in the mesh's own numbering of elements. */
#ifndef PL_BODY_COMPOSITION_H
#define PL_BODY_COMPOSITION_H

#include "core/family.h"
#include "pliant/world.h"

typedef struct pl_body pl_body;

/* Another material, checked. */
typedef struct pl_composition_part {
  pl_material_def def;
  pl_selection law;
} pl_composition_part;

typedef struct pl_composition {
  pl_composition_part *parts;
  int *part_of;             /* 0: the body's own material, else 1 + the part; NULL: no parts */
  double *stiffer, *denser; /* factors; NULL: 1 */
} pl_composition;

/* From the parts and maps of def; the body has its meshes. */
pl_status pl_composition_make(const pl_allocator *allocator, const pl_body_def *def, pl_body *body,
                              pl_error *error);
void pl_composition_release(const pl_allocator *allocator, pl_composition *composition);

#endif
