/* Creases, measured curves and directions of the warp, from a body's def to its model. */
#include "body/tailoring.h"

#include "core/error.h"
#include "core/memory.h"
#include "math/functions.h"
#include "math/vec3.h"
#include "mesh/select.h"

#include <math.h>
#include <string.h>

static const double degree = 0.017453292519943295;

static const char *const names[PL_CURVE_KINDS] = {"warp", "weft", "shear", "bending"};

static pl_status make_fold(const pl_allocator *allocator, const pl_crease *crease,
                           const pl_body *body, pl_fold *fold, pl_error *error)
{
  int count = 0;
  size_t nodes = (size_t)body->mesh->node_count;
  if (!(fabs(crease->angle) <= 179))
    return pl_fail(error, PL_E_ARGUMENT,
                   "a crease of %g degrees is folded too far; give -179 to 179, 0 is flat",
                   crease->angle);
  fold->bend = 2 * pl_tan(0.5 * degree * crease->angle);
  fold->nodes = pl_alloc(allocator, nodes, 1);
  unsigned char *chosen = pl_alloc(allocator, nodes, 1);
  pl_status status = fold->nodes && chosen ? PL_OK : pl_fail_memory(error);
  if (!status)
    status =
        pl_mesh_select_nodes(body->mesh, crease->where, crease->where_count, chosen, &count, error);
  for (size_t i = 0; i < nodes && !status; i++) fold->nodes[body->place[i]] = chosen[i];
  pl_free(allocator, chosen);
  if (status || count > 1) return status;
  return pl_fail(error, PL_E_ARGUMENT,
                 "the regions of a crease hold %d nodes of the body; an edge needs both its ends",
                 count);
}

/* Strains ascend, forces do not fall, and there is no force at rest. */
static pl_status check_curve(const pl_curve_def *from, const char *name, pl_error *error)
{
  if (from->count < 2 || !from->strains || !from->forces)
    return pl_fail(error, PL_E_ARGUMENT, "the curve of %s has %d points; it needs two at least",
                   name, from->count);
  for (int i = 0; i < from->count; i++) {
    double e = from->strains[i], f = from->forces[i];
    if (!isfinite(e) || !isfinite(f) ||
        (i && (e <= from->strains[i - 1] || f < from->forces[i - 1])))
      return pl_fail(error, PL_E_ARGUMENT,
                     "the curve of %s comes to %g at %g; strains must ascend and forces not fall, "
                     "or there is no one answer: smooth the table",
                     name, f, e);
  }
  if (!(from->friction >= 0) || (from->friction > 0 && !(from->turn > 0)))
    return pl_fail(error, PL_E_ARGUMENT,
                   "the curve of %s has the friction %g and the turn %g; friction must not be "
                   "negative, and needs the strain within which it turns, above 0",
                   name, from->friction, from->turn);
  return PL_OK;
}

static pl_status check_rest(const pl_curve *curve, const char *name, pl_error *error)
{
  const pl_curve without = {.count = curve->count,
                            .is_odd = curve->is_odd,
                            .strains = curve->strains,
                            .forces = curve->forces};
  double at_rest = pl_curve_at(&without, NULL, 0).force, most = 0;
  for (int i = 0; i < curve->count; i++) most = fmax(most, fabs(curve->forces[i]));
  if (fabs(at_rest) <= 1e-9 * most && (!curve->is_odd || curve->strains[0] == 0)) return PL_OK;
  return pl_fail(error, PL_E_ARGUMENT,
                 "the curve of %s has the force %g without strain; begin it with \"0 0\", or with "
                 "negative strains",
                 name, at_rest);
}

static pl_status copy_curves(const pl_allocator *allocator, const pl_body_def *def,
                             pl_tailoring *to, pl_error *error)
{
  size_t all = 0, at = 0;
  for (int i = 0; i < def->tailoring.curve_count; i++) {
    const pl_curve_def *from = &def->tailoring.curves[i];
    if ((int)from->of < 0 || from->of >= PL_CURVE_KINDS)
      return pl_fail(error, PL_E_ARGUMENT, "there is no curve of the kind %d", (int)from->of);
    pl_status status = check_curve(from, names[from->of], error);
    if (status) return status;
    all += 2 * (size_t)from->count;
  }
  to->points = pl_alloc(allocator, all, sizeof *to->points);
  if (!to->points) return pl_fail_memory(error);
  for (int i = 0; i < def->tailoring.curve_count; i++) {
    const pl_curve_def *from = &def->tailoring.curves[i];
    size_t count = (size_t)from->count;
    double *strains = to->points + at, *forces = strains + count;
    at += 2 * count;
    memcpy(strains, from->strains, count * sizeof *strains);
    memcpy(forces, from->forces, count * sizeof *forces);
    to->curves[from->of] = (pl_curve){.count = from->count,
                                      .is_odd = strains[0] >= 0,
                                      .strains = strains,
                                      .forces = forces,
                                      .friction = from->friction,
                                      .turn = from->turn};
    pl_status status = check_rest(&to->curves[from->of], names[from->of], error);
    if (status) return status;
  }
  return PL_OK;
}

/* Directions turn with the body as it is placed, and are sorted as its elements are. */
static pl_status copy_warp(const pl_allocator *allocator, const pl_body_def *def,
                           const pl_body *body, pl_tailoring *to, pl_error *error)
{
  int count = body->mesh->element_count;
  double origin[3] = {0, 0, 0};
  to->warp = pl_alloc(allocator, 3 * (size_t)count, sizeof *to->warp);
  if (!to->warp) return pl_fail_memory(error);
  pl_body_place_nodes(def, 1, origin);
  for (int i = 0; i < count; i++) {
    double *warp = to->warp + 3 * (size_t)i;
    memcpy(warp, def->tailoring.warp + 3 * (size_t)body->element_order[i], 3 * sizeof *warp);
    if (!isfinite(warp[0]) || !isfinite(warp[1]) || !isfinite(warp[2]))
      return pl_fail_entity(error, PL_E_ARGUMENT, body->element_order[i],
                            "the warp of element %d is not finite", body->element_order[i]);
    pl_body_place_nodes(def, 1, warp);
    pl_vec3_sub(warp, origin, warp);
  }
  return PL_OK;
}

pl_status pl_tailoring_make(const pl_allocator *allocator, const pl_body_def *def, pl_body *body,
                            pl_error *error)
{
  pl_tailoring *to = &body->tailoring;
  pl_status status = PL_OK;
  if (!def->tailoring.crease_count && !def->tailoring.curve_count && !def->tailoring.warp)
    return PL_OK;
  if (!((const pl_model_ops *)(const void *)body->model_part.member)->takes_tailoring)
    return pl_fail(error, PL_E_ARGUMENT,
                   "model=\"%s\" has no creases, curves or warp; take model=\"cloth\"",
                   body->model_part.member->name);
  to->folds = pl_alloc(allocator, (size_t)def->tailoring.crease_count + 1, sizeof *to->folds);
  if (!to->folds) return pl_fail_memory(error);
  for (int i = 0; i < def->tailoring.crease_count && !status; i++)
    status =
        make_fold(allocator, &def->tailoring.creases[i], body, &to->folds[to->fold_count++], error);
  if (!status && def->tailoring.curve_count) status = copy_curves(allocator, def, to, error);
  return status || !def->tailoring.warp ? status : copy_warp(allocator, def, body, to, error);
}

void pl_tailoring_release(const pl_allocator *allocator, pl_tailoring *of)
{
  for (int i = 0; i < of->fold_count; i++) pl_free(allocator, of->folds[i].nodes);
  pl_free(allocator, of->folds);
  pl_free(allocator, of->points);
  pl_free(allocator, of->warp);
}
