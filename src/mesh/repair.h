/* Meshes as they come, made fit for use. */
#ifndef PL_MESH_REPAIR_H
#define PL_MESH_REPAIR_H

#include "mesh/mesh.h"

typedef struct pl_mesh_repairs {
  double weld; /* given: nodes within this share of the extent are one; 0: 1e-9, below 0: none */
  int merged_nodes;     /* lay where another was                                     */
  int unused_nodes;     /* belonged to no element that was kept                      */
  int turned_elements;  /* were inverted                                             */
  int rewound_elements; /* hexahedra with their nodes row by row instead of around   */
  int flat_elements;    /* dropped: of no volume, folded, or with a node twice       */
  int double_elements;  /* dropped: have the nodes of another                        */
} pl_mesh_repairs;

/* As pl_mesh_create, but what can be repaired is, and counted. Elements keep their order. */
pl_status pl_mesh_repair(const pl_mesh_def *def, pl_mesh_repairs *repairs, pl_mesh **mesh,
                         pl_error *error);

#endif
