/* The indicators. */
#include "world/indicator.h"

#include "couple/contact.h"
#include "couple/tool.h"
#include "math/functions.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

#define X(name) &pl_indicator_##name.info,
PL_FAMILY(indicator, "where a mesh is refined", PL_INDICATORS(X));
#undef X

#define THRESHOLDS(id, unit, preset, min)                                                          \
  static const pl_param id##_params[PL_INDICATOR_PARAMS] = {                                       \
      [PL_ABOVE] = {"above", unit, "elements with more are refined", preset, 0, 1e30, NULL, 1},    \
      [PL_BELOW] = {"below", unit,                                                                 \
                    "eight elements with less are taken back to one; less than above / 2", min, 0, \
                    1e30, NULL, 1}}

#define INDICATOR(id, words, text, from, function)                                                 \
  const pl_indicator_ops pl_indicator_##id = {.info = {.name = words,                              \
                                                       .summary = text,                            \
                                                       .source = from,                             \
                                                       .params = id##_params,                      \
                                                       .param_count = PL_INDICATOR_PARAMS},        \
                                              .measure = function}

static double volume_of(const pl_leaf_view *view, int leaf)
{
  return pl_element_volume(view->body->rest, view->mesh->elements + 4 * (size_t)leaf, 4);
}

double pl_leaf_size(const pl_leaf_view *view, int leaf)
{
  // V = a^3 / (6 sqrt 2)
  return pl_pow(8.485281374238570 * volume_of(view, leaf), 1.0 / 3);
}

/* The equivalent shear stress, von Mises' over sqrt 3, Pa. */
static double shear_stress(const double s[9])
{
  double a = s[0] - s[4], b = s[4] - s[8], c = s[8] - s[0];
  double off = s[1] * s[1] + s[2] * s[2] + s[5] * s[5];
  return sqrt((a * a + b * b + c * c) / 6 + off);
}

static void measure_shear_force(const pl_leaf_view *view, double *value)
{
  for (int i = 0; i < view->mesh->element_count; i++) {
    double size = pl_leaf_size(view, i);
    // the face of a regular tetrahedron
    value[i] = 0.4330127018922193 * size * size * shear_stress(view->stress + 9 * (size_t)i);
  }
}

static void measure_stress(const pl_leaf_view *view, double *value)
{
  for (int i = 0; i < view->mesh->element_count; i++)
    value[i] = 1.7320508075688772 * shear_stress(view->stress + 9 * (size_t)i);
}

/* The deformation gradient at nodes, a mean over the leaves there by volume: 10 numbers each, the
 * last of them the volume. Hanging nodes see the leaves on their fine side only. */
static void recover(const pl_leaf_view *view)
{
  double *at = view->room;
  size_t nodes = (size_t)view->mesh->node_count;
  memset(at, 0, 10 * nodes * sizeof *at);
  for (int i = 0; i < view->mesh->element_count; i++) {
    double V = volume_of(view, i);
    for (int a = 0; a < 4; a++) {
      double *to = at + 10 * (size_t)view->mesh->elements[4 * (size_t)i + (size_t)a];
      for (int k = 0; k < 9; k++) to[k] += V * view->F[9 * (size_t)i + (size_t)k];
      to[9] += V;
    }
  }
  for (size_t n = 0; n < nodes; n++) {
    for (int k = 0; k < 9 && at[10 * n + 9] > 0; k++) at[10 * n + (size_t)k] /= at[10 * n + 9];
  }
}

static void measure_strain_jump(const pl_leaf_view *view, double *value)
{
  recover(view);
  for (int i = 0; i < view->mesh->element_count; i++) {
    value[i] = 0;
    for (int a = 0; a < 4; a++) {
      const double *node =
          view->room + 10 * (size_t)view->mesh->elements[4 * (size_t)i + (size_t)a];
      double sum = 0;
      for (int k = 0; k < 9; k++) {
        double gap = node[k] - view->F[9 * (size_t)i + (size_t)k];
        sum += gap * gap;
      }
      value[i] = fmax(value[i], sqrt(sum));
    }
  }
}

/* The strains' error as energy, with the shear modulus that most of the body has. */
static void measure_energy_error(const pl_leaf_view *view, double *value)
{
  pl_material material = {.mu = 0};
  (void)pl_material_make(&view->body->material, &view->body->law, &material, NULL);
  measure_strain_jump(view, value);
  for (int i = 0; i < view->mesh->element_count; i++)
    value[i] *= material.mu * volume_of(view, i) * value[i];
}

/* By how much the middle of an edge would leave the straight line between its ends, if the body
 * went on between them with the recovered gradients: (F_a - F_b) (X_b - X_a) / 8, Hermite's cubic.
 */
static double edge_detail(const pl_leaf_view *view, int a, int b)
{
  double way[3], sum = 0;
  pl_vec3_sub(view->body->rest + 3 * (size_t)b, view->body->rest + 3 * (size_t)a, way);
  const double *A = view->room + 10 * (size_t)a, *B = view->room + 10 * (size_t)b;
  for (int r = 0; r < 3; r++) {
    double off = 0;
    for (int c = 0; c < 3; c++) off += (A[3 * r + c] - B[3 * r + c]) * way[c] / 8;
    sum += off * off;
  }
  return sqrt(sum);
}

static void measure_detail(const pl_leaf_view *view, double *value)
{
  recover(view);
  for (int i = 0; i < view->mesh->element_count; i++) {
    const int *n = view->mesh->elements + 4 * (size_t)i;
    value[i] = 0;
    for (int a = 0; a < 4; a++) {
      for (int b = a + 1; b < 4; b++) value[i] = fmax(value[i], edge_detail(view, n[a], n[b]));
    }
  }
}

/* How far a node is from obstacles and the push tool, m. */
static double gap_of(const pl_leaf_view *view, const double x[3])
{
  const pl_contact *contact = pl_world_contact(view->world);
  const pl_tool *tool =
      (const pl_tool *)pl_couplings_next(&view->world->couplings, &pl_coupling_tool, NULL);
  double normal[3], gap = contact ? pl_contact_nearest(contact, x, normal) : INFINITY;
  if (tool) gap = fmin(gap, pl_vec3_distance(x, tool->def.centre) - tool->def.radius);
  return gap;
}

static void measure_contact(const pl_leaf_view *view, double *value)
{
  const pl_mesh *inside = view->body->inside;
  memset(value, 0, (size_t)view->mesh->element_count * sizeof *value);
  memset(view->room, 0, (size_t)inside->node_count * sizeof *view->room);
  // 0 is not known yet
  for (int i = 0; i < 3 * inside->face_count; i++) {
    double *gap = &view->room[inside->faces[i]];
    if (*gap == 0) *gap = fmax(gap_of(view, view->x + 3 * (size_t)inside->faces[i]), 1e-300);
    int leaf = view->leaf_of[inside->face_elements[i / 3]];
    value[leaf] = fmax(value[leaf], fmin(pl_leaf_size(view, leaf) / *gap, 1e9));
  }
}

THRESHOLDS(shear_force, "N", 0.1, 0.025);
INDICATOR(shear_force, "shear-force",
          "the shear force in the element: its equivalent shear stress times the area of a face, "
          "which falls by four with each level",
          "Hauth 2004, 5.3.4", measure_shear_force);

THRESHOLDS(stress, "Pa", 1000, 250);
INDICATOR(stress, "stress", "von Mises' stress in the element", "", measure_stress);

THRESHOLDS(strain_jump, "1", 0.05, 0.015);
INDICATOR(strain_jump, "strain-jump",
          "how much the deformation gradient differs from its means at the element's corners: the "
          "error of the strain",
          "Zienkiewicz & Zhu 1987", measure_strain_jump);

THRESHOLDS(energy_error, "J", 1e-6, 1e-7);
INDICATOR(energy_error, "energy-error",
          "the square of the strain jump times the shear modulus and the volume: with equal shares "
          "of the error in all elements, the fewest elements do",
          "Zienkiewicz & Zhu 1987", measure_energy_error);

THRESHOLDS(detail, "m", 1e-4, 2e-5);
INDICATOR(detail, "detail",
          "by how much the middles of the element's edges would leave the straight line, the size "
          "of the hierarchical basis' next coefficients: curvature times the square of the size",
          "Hauth 2004, 3.1.2", measure_detail);

THRESHOLDS(contact, "1", 1, 0.25);
INDICATOR(contact, "contact",
          "the size of the element over its distance from obstacles and the push tool: above 1 it "
          "is nearer than its size",
          "", measure_contact);

THRESHOLDS(none, "1", 1, 0);
INDICATOR(none, "none", "by hand only: pl_world_refine and pl_world_coarsen", "", NULL);
