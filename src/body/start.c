/* The shape that a body starts in, where that is not its shape at rest. */
#include "body/body.h"
#include "core/error.h"
#include "core/memory.h"
#include "math/vec3.h"
#include "mesh/element.h"

#include <math.h>
#include <string.h>

static int is_stretched(const pl_body_def *def)
{
  return def->stretch[0] != 1 || def->stretch[1] != 1 || def->stretch[2] != 1;
}

static pl_status check(const pl_body_def *def, const pl_body *body, pl_error *error)
{
  if (body->model->frame_count)
    return pl_fail(
        error, PL_E_ARGUMENT,
        "body \"%.80s\" cannot start in another shape than at rest: its nodes follow its "
        "frames; use the model \"fem\" or \"springs\"",
        body->name);
  for (int k = 0; k < 3; k++) {
    if (!(def->stretch[k] >= 1e-3 && def->stretch[k] <= 1e3))
      return pl_fail(error, PL_E_ARGUMENT, "stretch = %g must lie between 0.001 and 1000",
                     def->stretch[k]);
  }
  for (int i = 0; def->start && i < 3 * body->mesh->node_count; i++) {
    if (!isfinite(def->start[i]))
      return pl_fail_entity(error, PL_E_ARGUMENT, i / 3,
                            "the start of node %d of body \"%.80s\" is not finite", i / 3,
                            body->name);
  }
  return PL_OK;
}

/* Elements that have a volume must not be inside out: a law may have no state there. */
static pl_status check_volumes(const pl_body *body, const double *x, pl_error *error)
{
  const pl_mesh *mesh = body->mesh;
  int n = mesh->nodes_per_element;
  // grids have forces in every state
  if (body->model->ops->meshes & PL_ON_GRIDS) return PL_OK;
  for (int e = 0; n >= 4 && e < mesh->element_count; e++) {
    double volume = pl_element_volume(x, mesh->elements + n * e, n);
    if (!(volume > 0))
      return pl_fail_entity(error, PL_E_ARGUMENT, e,
                            "element %d of body \"%.80s\" starts inside out, with a volume of %.3g "
                            "m^3; let it start nearer to its shape at rest",
                            e, body->name, volume);
  }
  return PL_OK;
}

/* The centre of the nodes' mass, by the shares of their elements' volumes at rest. */
static void stretch(const pl_body_def *def, const pl_body *body, double *x)
{
  const pl_mesh *mesh = body->mesh;
  int n = mesh->nodes_per_element;
  double centre[3] = {0}, whole = 0;
  for (int e = 0; e < mesh->element_count; e++) {
    const int *nodes = mesh->elements + n * e;
    double share = n >= 4 ? pl_element_volume(mesh->nodes, nodes, n) : 1;
    for (int a = 0; a < n; a++) pl_vec3_add_scaled(share / n, x + 3 * nodes[a], centre);
    whole += share;
  }
  for (int i = 0; i < 3 * mesh->node_count; i++) {
    double c = centre[i % 3] / whole;
    x[i] = c + def->stretch[i % 3] * (x[i] - c);
  }
}

pl_status pl_body_start_shape(const pl_allocator *allocator, const pl_body_def *def,
                              const pl_body *body, double **x, pl_error *error)
{
  *x = NULL;
  if (!def->start && !is_stretched(def)) return PL_OK;
  pl_status status = check(def, body, error);
  if (status) return status;
  size_t numbers = 3 * (size_t)body->mesh->node_count;
  double *to = pl_alloc(allocator, numbers, sizeof *to);
  if (!to) return pl_fail_memory(error);
  memcpy(to, def->start ? def->start : body->mesh->nodes, numbers * sizeof *to);
  if (def->start) pl_body_place_nodes(def, body->mesh->node_count, to);
  if (is_stretched(def)) stretch(def, body, to);
  status = check_volumes(body, to, error);
  if (status)
    pl_free(allocator, to);
  else
    *x = to;
  return status;
}
