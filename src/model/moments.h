/* Mass, mass centre and inertia of what a mesh fills. */
#ifndef PL_MODEL_MOMENTS_H
#define PL_MODEL_MOMENTS_H

#include "model/model.h"

/* Integrals of density over the volume, with x counted from the origin. */
typedef struct pl_moments {
  double origin[3];
  double mass, first[3], second[9]; /* kg, of x in kg m, of x x^T in kg m^2 */
} pl_moments;

/* Of tetrahedra or hexahedra; of triangles as a shell of this thickness, or where that is 0 as
 * what their closed surface holds. The origin is the mesh's first node. masses (may be NULL) gets
 * per node what has the same mass and the same mass centre all together; numbers of it may be
 * negative where a surface is filled. */
pl_status pl_moments_of_mesh(const pl_mesh *mesh, const pl_model_def *def,
                             const pl_material *material, double thickness,
                             const pl_allocator *allocator, pl_moments *to, double *masses,
                             pl_error *error);

/* The mass centre in space; inertia about the point P in space. */
void pl_moments_centre(const pl_moments *from, double centre[3]);
void pl_moments_inertia(const pl_moments *from, const double P[3], double inertia[9]);

#endif
