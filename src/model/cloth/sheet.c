/* What a sheet is at rest. Moduli are those of plane stress: with Lame's constants,
 * C11 = C22 = 4 mu (lambda + mu) / (lambda + 2 mu), C12 = 2 lambda mu / (lambda + 2 mu) and mu,
 * times the thickness; of orthotropic laws C_ij - C_i3 C_j3 / C_33 along warp (the material's first
 * axis, as it lies in the triangle) and weft. */
#include "model/cloth/sheet.h"

#include "core/error.h"
#include "core/memory.h"
#include "math/vec3.h"
#include "mesh/element.h"
#include "model/cloth/cloth.h"

#include <math.h>
#include <string.h>

static void plane_stress(double lambda, double mu, double thickness, double C[4])
{
  double sum = lambda + 2 * mu;
  C[0] = C[2] = sum > 0 ? thickness * 4 * mu * (lambda + mu) / sum : 0;
  C[1] = sum > 0 ? thickness * 2 * lambda * mu / sum : 0;
  C[3] = thickness * mu;
}

int pl_sheet_is_orthotropic(const pl_material *material)
{
  const char *name = material->law ? material->law->info.name : "";
  return !strcmp(name, "orthotropic") || !strcmp(name, "transverse");
}

static void set_moduli(const pl_sheet_def *def, const pl_material *material, pl_sheet_triangle *to)
{
  double t = def->thickness, viscous[4];
  plane_stress(material->lambda, material->mu, t, to->C);
  if (pl_sheet_is_orthotropic(material)) {
    // 11 22 33 12 13 23 and shears, as parts of mu
    const double *n = material->numbers, mu = material->mu;
    to->C[0] = t * mu * (n[0] - n[4] * n[4] / n[2]);
    to->C[1] = t * mu * (n[3] - n[4] * n[5] / n[2]);
    to->C[2] = t * mu * (n[1] - n[5] * n[5] / n[2]);
    to->C[3] = t * mu * n[6];
  }
  plane_stress(material->viscous_lambda, material->viscous_mu, 1, viscous);
  to->viscous = material->mu > 0 ? viscous[3] / material->mu : 0;
  to->density = isnan(def->area_density) ? t * material->density : def->area_density;
  to->bending = isnan(def->stiffness) ? t * t / 12 : -def->stiffness;
}

/* The unit vector in the triangle's plane that is nearest to the axis; 0 if there is none. */
static int lay_down(const double axis[3], const double normal[3], double out[3])
{
  pl_vec3_copy(axis, out);
  pl_vec3_add_scaled(-pl_vec3_dot(axis, normal), normal, out);
  double length = pl_vec3_norm(out);
  if (!(length > 1e-6)) return 0;
  pl_vec3_scale(1 / length, out, out);
  return 1;
}

static pl_status set_axes(const pl_sheet_def *def, const pl_material *material, int number,
                          const double edge[3], const double normal[3], pl_sheet_triangle *to,
                          pl_error *error)
{
  const pl_tailoring *tailoring = def->model->tailoring;
  const double *warp = tailoring ? tailoring->warp : NULL;
  if (warp && lay_down(warp + 3 * (size_t)number, normal, to->warp)) return PL_OK;
  if (warp)
    return pl_fail_entity(error, PL_E_MESH, number,
                          "triangle %d has no direction of its warp: its texture coordinates span "
                          "no area, or it stands at right angles to it; lay out its texture",
                          number);
  double axis[3] = {material->axes[0], material->axes[3], material->axes[6]};
  int has = material->has_axes;
  int directed = pl_sheet_is_orthotropic(material) || pl_tailoring_has_curves(tailoring);
  if ((directed || def->is_limited) && !has) pl_vec3_set(axis, 1, 0, 0), has = 1;
  if (has && lay_down(axis, normal, to->warp)) return PL_OK;
  // a sheet that is alike in all directions needs none, and its limit any
  int may_choose = !directed && !material->has_axes;
  if (may_choose && lay_down(edge, normal, to->warp)) return PL_OK;
  return pl_fail_entity(error, PL_E_MESH, number,
                        "the first axis of the material, %g %g %g, is at right angles to triangle "
                        "%d, so that it has no warp direction; turn the axes",
                        axis[0], axis[1], axis[2], number);
}

static pl_status set_triangle(const pl_sheet_def *def, int number, pl_sheet_triangle *to,
                              pl_error *error)
{
  const pl_material *material = pl_model_def_material(def->model, def->material, number);
  double x[3][3], u[3], w[3], normal[3], weft[3];
  memcpy(to->nodes, def->mesh->elements + 3 * (size_t)number, sizeof to->nodes);
  pl_element_corners(def->mesh->nodes, to->nodes, 3, x);
  pl_vec3_sub(x[1], x[0], u);
  pl_vec3_sub(x[2], x[0], w);
  pl_vec3_cross(u, w, normal);
  double twice = pl_vec3_norm(normal);
  to->area = twice / 2;
  if (!(to->area > 0) || !isfinite(to->area))
    return pl_fail_entity(error, PL_E_MESH, number,
                          "triangle %d has the area %g m^2; it must be positive: repair the mesh",
                          number, to->area);
  pl_vec3_scale(1 / twice, normal, normal);
  pl_status status = set_axes(def, material, number, u, normal, to, error);
  if (status) return status;
  pl_vec3_cross(normal, to->warp, weft);
  for (int a = 0; a < 3; a++) {
    // the gradient is the opposite side, turned inwards, over twice the area
    double side[3], in[3];
    pl_vec3_sub(x[(a + 2) % 3], x[(a + 1) % 3], side);
    pl_vec3_cross(normal, side, in);
    to->b[2 * a] = pl_vec3_dot(in, to->warp) / twice;
    to->b[2 * a + 1] = pl_vec3_dot(in, weft) / twice;
  }
  set_moduli(def, material, to);
  return PL_OK;
}

double pl_sheet_bend(const double *x0, const double *x1, const double *x2, const double *x3)
{
  double e[3], a[3], b[3], N1[3], N2[3], turn[3];
  pl_vec3_sub(x1, x0, e);
  pl_vec3_sub(x2, x0, a);
  pl_vec3_sub(x3, x0, b);
  pl_vec3_cross(e, a, N1);
  pl_vec3_cross(b, e, N2);
  pl_vec3_cross(N1, N2, turn);
  double open = pl_vec3_norm(N1) * pl_vec3_norm(N2) + pl_vec3_dot(N1, N2);
  return 2 * pl_vec3_dot(turn, e) / (pl_vec3_norm(e) * open);
}

/* Is it part of a crease? Then it rests at its angle. */
static int fold(const pl_sheet_def *def, const pl_cloth_edge *edge, double *bend)
{
  const pl_tailoring *from = def->model->tailoring;
  for (int i = from ? from->fold_count - 1 : -1; i >= 0; i--) {
    const unsigned char *nodes = from->folds[i].nodes;
    if (!nodes[edge->nodes[0]] || !nodes[edge->nodes[1]]) continue;
    *bend = from->folds[i].bend;
    return 1;
  }
  return 0;
}

static pl_status set_bend(const pl_sheet_def *def, pl_sheet *sheet, int i, pl_error *error)
{
  const pl_cloth_edge *edge = &sheet->edges[i];
  const double *x[4], limit = 2e3; /* 0.1 degrees from being folded onto itself */
  double along[3], in[3];
  for (int k = 0; k < 4; k++)
    x[k] = def->mesh->nodes + 3 * (size_t)(edge->nodes[k] < 0 ? edge->nodes[2] : edge->nodes[k]);
  pl_vec3_sub(x[1], x[0], along);
  pl_vec3_scale(1 / pl_vec3_norm(along), along, along);
  pl_vec3_sub(x[2], x[0], in);
  pl_vec3_add_scaled(-pl_vec3_dot(along, in), along, in);
  pl_vec3_scale(1 / pl_vec3_norm(in), in, sheet->across[i]);
  if (edge->nodes[3] < 0 || fold(def, edge, &sheet->bend[i]) || def->is_flat) return PL_OK;
  sheet->bend[i] = pl_sheet_bend(x[0], x[1], x[2], x[3]);
  if (fabs(sheet->bend[i]) < limit) return PL_OK;
  return pl_fail_entity(error, PL_E_MESH, edge->triangles[0],
                        "two triangles lie folded onto each other at rest, at the edge from (%g, "
                        "%g, %g) to (%g, %g, %g); open the fold by more than 0.1 degrees, or say "
                        "rest-angles=\"flat\"",
                        x[0][0], x[0][1], x[0][2], x[1][0], x[1][1], x[1][2]);
}

pl_status pl_sheet_create(const pl_allocator *allocator, const pl_sheet_def *def, pl_sheet *sheet,
                          pl_error *error)
{
  const pl_mesh *mesh = def->mesh;
  *sheet = (pl_sheet){.triangle_count = mesh->element_count, .thickness = def->thickness};
  sheet->triangles = pl_alloc(allocator, (size_t)mesh->element_count, sizeof *sheet->triangles);
  if (!sheet->triangles) return pl_fail_memory(error);
  pl_status status = pl_cloth_edges(allocator, mesh, &sheet->edges, &sheet->edge_count, error);
  if (status) return status;
  sheet->bend = pl_alloc(allocator, (size_t)sheet->edge_count, sizeof *sheet->bend);
  sheet->across = pl_alloc(allocator, (size_t)sheet->edge_count, sizeof *sheet->across);
  if (!sheet->bend || !sheet->across) return pl_fail_memory(error);
  for (int t = 0; t < mesh->element_count && !status; t++)
    status = set_triangle(def, t, &sheet->triangles[t], error);
  for (int i = 0; i < sheet->edge_count && !status; i++) status = set_bend(def, sheet, i, error);
  return status;
}

void pl_sheet_destroy(const pl_allocator *allocator, pl_sheet *sheet)
{
  pl_free(allocator, sheet->triangles);
  pl_free(allocator, sheet->edges);
  pl_free(allocator, sheet->bend);
  pl_free(allocator, sheet->across);
}

/* D of a triangle along a direction m in its warp and weft: how it resists bending to a cylinder
 * whose generators are at right angles to m. */
static double bending_along(const pl_sheet_triangle *t, double warp)
{
  if (t->bending < 0 || t->bending == 0) return -t->bending;
  double m = warp * warp, n = 1 - m, *C = (double *)t->C;
  return t->bending * (C[0] * m * m + 2 * (C[1] + 2 * C[3]) * m * n + C[2] * n * n);
}

double pl_sheet_bending(const pl_sheet *sheet, int edge, double *viscous)
{
  const int *t = sheet->edges[edge].triangles;
  double sum = 0;
  *viscous = 0;
  for (int side = 0; side < 2; side++) {
    const pl_sheet_triangle *of = &sheet->triangles[t[side] < 0 ? t[0] : t[side]];
    double warp = pl_vec3_dot(of->warp, sheet->across[edge]);
    sum += bending_along(of, fmin(1, fmax(-1, warp))) / 2;
    *viscous += of->viscous / 2;
  }
  return sum;
}

/* Cauchy's stress of the membrane, per thickness, is F S F^T / J: its invariants are those of
 * S C / J. */
static double stress_of(const pl_sheet_triangle *t, int membrane, const double c[3], double J)
{
  double e[3] = {(c[0] - 1) / 2, (c[1] - 1) / 2, c[2]};
  double s = sqrt(c[0] + c[1] + 2 * J), r[3] = {c[0], c[1], c[2]};
  if (membrane == PL_CLOTH_COROTATED) {
    e[0] = (c[0] + J) / s - 1;
    e[1] = (c[1] + J) / s - 1;
    e[2] = 2 * c[2] / s;
    r[0] = (c[0] + J) / s, r[1] = (c[1] + J) / s, r[2] = c[2] / s;
  }
  double S[3] = {t->C[0] * e[0] + t->C[1] * e[1], t->C[1] * e[0] + t->C[2] * e[1], t->C[3] * e[2]};
  // T U for stretches, S C for Green's strain
  double P[4] = {S[0] * r[0] + S[2] * r[2], S[0] * r[2] + S[2] * r[1], S[2] * r[0] + S[1] * r[2],
                 S[2] * r[2] + S[1] * r[1]};
  double trace = P[0] + P[3], det = P[0] * P[3] - P[1] * P[2];
  return J > 0 ? sqrt(fmax(trace * trace - 3 * det, 0)) / J : 0;
}

void pl_sheet_fields(const pl_sheet *sheet, int membrane, const double *q, double *von_mises,
                     double *det_f)
{
  for (int i = 0; i < sheet->triangle_count; i++) {
    const pl_sheet_triangle *t = &sheet->triangles[i];
    double f[2][3] = {{0}}, c[3];
    for (int a = 0; a < 3; a++) {
      pl_vec3_add_scaled(t->b[2 * a], q + 3 * (size_t)t->nodes[a], f[0]);
      pl_vec3_add_scaled(t->b[2 * a + 1], q + 3 * (size_t)t->nodes[a], f[1]);
    }
    c[0] = pl_vec3_dot(f[0], f[0]);
    c[1] = pl_vec3_dot(f[1], f[1]);
    c[2] = pl_vec3_dot(f[0], f[1]);
    double J = sqrt(fmax(c[0] * c[1] - c[2] * c[2], 0));
    if (det_f) det_f[i] = J;
    if (von_mises) von_mises[i] = stress_of(t, membrane, c, J) / sheet->thickness;
  }
}
