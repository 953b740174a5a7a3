#include "world/glyph.h"

#include "core/error.h"
#include "core/memory.h"
#include "math/decompose.h"
#include "math/mat3.h"
#include "math/vec3.h"
#include "world/world.h"

#include <math.h>
#include <string.h>

/* What one body gives. */
typedef struct sheet {
  const pl_body *body;
  pl_body_id id;
  pl_glyph_kind kind;
  double *positions, *first, *second; /* per node; per element or node: tensors or forces */
  unsigned char *held;
} sheet;

static int is_of_nodes(pl_glyph_kind kind)
{
  return kind == PL_GLYPHS_FORCES || kind == PL_GLYPHS_FIXES;
}

pl_glyph_kind pl_glyph_kind_of(const char *word)
{
  size_t length = strlen(word);
  int kind = 0;
  for (const char *at = PL_GLYPH_WORDS; at; kind++) {
    const char *end = strchr(at, '|');
    size_t here = end ? (size_t)(end - at) : strlen(at);
    if (here == length && !memcmp(at, word, length)) return (pl_glyph_kind)kind;
    at = end ? end + 1 : NULL;
  }
  return PL_GLYPHS_NONE;
}

/* ---- reading ---- */

static pl_status read_values(pl_world *world, sheet *s, pl_error *error)
{
  const pl_mesh *mesh = s->body->mesh;
  size_t nodes = (size_t)mesh->node_count, elements = (size_t)mesh->element_count;
  size_t each = is_of_nodes(s->kind) ? 3 * nodes : 9 * elements;
  s->positions = pl_alloc(&world->allocator, 3 * nodes, sizeof(double));
  s->first = pl_alloc(&world->allocator, each, sizeof(double));
  s->second = pl_alloc(&world->allocator, each, sizeof(double));
  s->held = pl_alloc(&world->allocator, nodes, 1);
  if (!s->positions || !s->first || !s->second || !s->held) return pl_fail_memory(error);
  pl_status status = pl_world_get_positions(world, s->id, s->positions, error);
  if (status) return status;
  if (s->kind == PL_GLYPHS_FIXES) return pl_world_get_held(world, s->id, s->held, error);
  if (s->kind == PL_GLYPHS_FORCES) return pl_world_get_forces(world, s->id, NULL, s->first, error);
  return pl_world_get_tensors(world, s->id, s->first, s->second, error);
}

static void release(const pl_allocator *allocator, sheet *s)
{
  void *all[] = {s->positions, s->first, s->second, s->held};
  for (int i = 0; i < 4; i++) pl_free(allocator, all[i]);
}

/* ---- elements ---- */

static void middle_of(const pl_mesh *mesh, int element, const double *x, double middle[3])
{
  const int width = mesh->nodes_per_element,
            *nodes = mesh->elements + (size_t)width * (size_t)element;
  pl_vec3_set(middle, 0, 0, 0);
  for (int a = 0; a < width; a++) pl_vec3_add_scaled(1.0 / width, x + 3 * (size_t)nodes[a], middle);
}

/* Eigenvectors of a symmetric matrix, times its eigenvalues or their roots. */
static void set_principal(const double A[9], int rooted, pl_glyph *glyph)
{
  double values[3], Q[9];
  pl_eigen(A, values, Q);
  for (int k = 0; k < 3; k++) {
    double length = rooted ? sqrt(fmax(values[k], 0)) : values[k];
    for (int i = 0; i < 3; i++) glyph->axes[k][i] = length * Q[3 * i + k];
  }
}

static void set_columns(const double A[9], pl_glyph *glyph)
{
  for (int k = 0; k < 3; k++) {
    for (int i = 0; i < 3; i++) glyph->axes[k][i] = A[3 * i + k];
  }
}

/* F a for the fibres of the body's material, whose directions are in its axes. */
static void set_fibres(const sheet *s, int element, const double F[9], pl_glyph *glyph)
{
  const pl_material_def *material = &s->body->material;
  double axes[9], a[3], direction[3];
  (void)pl_orientation_in(&material->orientation, s->body->mesh, element, axes, NULL);
  for (int k = 0; k < material->fibre_count && k < 3; k++) {
    memcpy(direction, material->fibres[k].direction, sizeof direction);
    double length = pl_vec3_norm(direction);
    for (int i = 0; i < 3 && length > 0; i++) direction[i] /= length;
    pl_mat3_apply(axes, direction, a);
    pl_mat3_apply(F, a, glyph->axes[k]);
  }
}

static void set_of_element(const sheet *s, int element, pl_glyph *glyph)
{
  const double *F = s->first + 9 * (size_t)element, *stress = s->second + 9 * (size_t)element;
  double product[9], R[9];
  middle_of(s->body->mesh, element, s->positions, glyph->at);
  if (s->kind == PL_GLYPHS_STRESS) set_principal(stress, 0, glyph);
  if (s->kind == PL_GLYPHS_FIBRES) set_fibres(s, element, F, glyph);
  if (s->kind == PL_GLYPHS_STRAIN) {
    pl_mat3_multiply_nt(F, F, product);
    set_principal(product, 1, glyph);
  }
  if (s->kind == PL_GLYPHS_FRAMES && pl_mat3_det(F) != 0) {
    pl_polar(F, R, product);
    set_columns(R, glyph);
  }
}

/* ---- nodes ---- */

static void set_of_node(const sheet *s, int node, pl_glyph *glyph)
{
  memcpy(glyph->at, s->positions + 3 * (size_t)node, sizeof glyph->at);
  if (s->kind == PL_GLYPHS_FORCES)
    memcpy(glyph->axes[0], s->first + 3 * (size_t)node, sizeof glyph->axes[0]);
  for (int k = 0; k < 3 && s->kind == PL_GLYPHS_FIXES; k++)
    glyph->axes[k][k] = s->held[node] >> k & 1;
}

static int is_seen(const pl_glyph *glyph)
{
  double sum = 0;
  for (int k = 0; k < 3; k++) {
    sum += pl_vec3_dot(glyph->axes[k], glyph->axes[k]);
    if (!isfinite(glyph->at[k])) return 0;
  }
  return sum > 0 && isfinite(sum);
}

/* Every so manieth of those that can be seen. */
static int choose(const sheet *s, int max, pl_glyph *list)
{
  const int nodal = is_of_nodes(s->kind);
  const int all = nodal ? s->body->mesh->node_count : s->body->mesh->element_count;
  int count = 0, seen = 0, total = 0;
  for (int pass = 0; pass < 2; pass++) {
    for (int i = 0; i < all; i++) {
      pl_glyph glyph = {{0}, {{0}}};
      if (nodal)
        set_of_node(s, i, &glyph);
      else
        set_of_element(s, i, &glyph);
      if (!is_seen(&glyph)) continue;
      if (!pass) total++;
      if (pass && (int64_t)seen++ * max / total >= count && count < max) list[count++] = glyph;
    }
  }
  return count;
}

pl_status pl_world_glyphs(pl_world *world, pl_body_id id, pl_glyph_kind kind, int max,
                          pl_glyph *list, int *count, pl_error *error)
{
  sheet s = {.id = id, .kind = kind};
  *count = 0;
  pl_status status = pl_world_find_body(world, id, &s.body, error);
  if (status || kind == PL_GLYPHS_NONE || max < 1) return status;
  if (kind == PL_GLYPHS_FORCES && s.body->model->ops->nodes) return PL_OK;
  status = read_values(world, &s, error);
  if (!status) *count = choose(&s, max, list);
  release(&world->allocator, &s);
  return status;
}
