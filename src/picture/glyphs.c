/* Every glyph is made of balls and boxes that are linearly transformed: an ellipsoid is a ball, an
 * axis or a fibre a thin box about its middle, an arrow a thin box and a cone-like tip, a fix a
 * cube. Sizes follow from the mean distance of glyphs; lengths of stresses and forces are scaled so
 * that the longest is as long as that distance. */
#include "picture/glyphs.h"

#include "core/error.h"
#include "core/memory.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

enum { MOST = 240, SEGMENTS = 8, RINGS = 5 };
enum { BALL_POINTS = SEGMENTS * RINGS + 2, BALL_TRIANGLES = 2 * SEGMENTS * RINGS };
enum { PER_GLYPH_POINTS = 4 * BALL_POINTS, PER_GLYPH_TRIANGLES = 4 * BALL_TRIANGLES };

/* Triangles of one colour in the making. */
typedef struct pile {
  double *points;
  int *triangles, point_count, triangle_count;
} pile;

/* ---- pieces ---- */

static void add_point(pile *to, const double at[3], double axes[3][3], double x, double y, double z)
{
  double *p = to->points + 3 * (size_t)to->point_count++;
  for (int i = 0; i < 3; i++) p[i] = at[i] + x * axes[0][i] + y * axes[1][i] + z * axes[2][i];
}

static void add_triangle(pile *to, int a, int b, int c)
{
  const int corners[3] = {a, b, c};
  memcpy(to->triangles + 3 * (size_t)to->triangle_count++, corners, sizeof corners);
}

static void add_ball(pile *to, const double at[3], double axes[3][3])
{
  const double turn = 6.283185307179586;
  int first = to->point_count, last = first + BALL_POINTS - 1;
  add_point(to, at, axes, 0, 0, 1);
  for (int r = 1; r <= RINGS; r++) {
    for (int s = 0; s < SEGMENTS; s++) {
      double height = cos(0.5 * turn * r / (RINGS + 1)), wide = sqrt(1 - height * height);
      add_point(to, at, axes, wide * cos(turn * s / SEGMENTS), wide * sin(turn * s / SEGMENTS),
                height);
    }
  }
  add_point(to, at, axes, 0, 0, -1);
  for (int s = 0; s < SEGMENTS; s++) {
    int next = (s + 1) % SEGMENTS, low = first + 1 + (RINGS - 1) * SEGMENTS;
    add_triangle(to, first, first + 1 + s, first + 1 + next);
    add_triangle(to, last, low + next, low + s);
    for (int r = 0; r + 1 < RINGS; r++) {
      int ring = first + 1 + r * SEGMENTS;
      add_triangle(to, ring + s, ring + SEGMENTS + s, ring + SEGMENTS + next);
      add_triangle(to, ring + s, ring + SEGMENTS + next, ring + next);
    }
  }
}

/* Corners at -1 and 1 along each axis; the end along axis 0 narrowed by this factor. */
static void add_box(pile *to, const double at[3], double axes[3][3], double narrow)
{
  static const int faces[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6},
                                   {0, 1, 4}, {1, 5, 4}, {2, 6, 3}, {3, 6, 7},
                                   {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  int first = to->point_count;
  for (int c = 0; c < 8; c++) {
    double wide = c & 4 ? narrow : 1;
    add_point(to, at, axes, c & 4 ? 1 : -1, c & 2 ? wide : -wide, c & 1 ? wide : -wide);
  }
  for (int f = 0; f < 12; f++)
    add_triangle(to, first + faces[f][0], first + faces[f][1], first + faces[f][2]);
}

/* Two directions of this length across a vector. */
static void set_across(const double along[3], double length, double axes[3][3])
{
  double other[3] = {0, 0, 0};
  int min = fabs(along[0]) < fabs(along[1]) ? 0 : 1;
  if (fabs(along[2]) < fabs(along[min])) min = 2;
  other[min] = 1;
  pl_vec3_copy(along, axes[0]);
  pl_vec3_cross(along, other, axes[1]);
  pl_vec3_scale(length / fmax(pl_vec3_norm(axes[1]), 1e-300), axes[1], axes[1]);
  pl_vec3_cross(along, axes[1], axes[2]);
  pl_vec3_scale(length / fmax(pl_vec3_norm(axes[2]), 1e-300), axes[2], axes[2]);
}

/* A rod from a point on. */
static void add_rod(pile *to, const double from[3], const double along[3], double thick,
                    double narrow)
{
  double axes[3][3], half[3], middle[3];
  pl_vec3_scale(0.5, along, half);
  pl_vec3_add(from, half, middle);
  if (!(pl_vec3_norm(half) > 0)) return;
  set_across(half, thick, axes);
  add_box(to, middle, axes, narrow);
}

/* ---- glyphs ---- */

/* scale: m per unit of the axes; size: m between glyphs. */
typedef struct measure {
  double scale, size;
} measure;

static void add_arrow(pile *to, const pl_glyph *glyph, const measure *m)
{
  double shaft[3], tip[3], end[3];
  pl_vec3_scale(0.7 * m->scale, glyph->axes[0], shaft);
  pl_vec3_scale(0.3 * m->scale, glyph->axes[0], tip);
  pl_vec3_add(glyph->at, shaft, end);
  add_rod(to, glyph->at, shaft, 0.02 * m->size, 1);
  add_rod(to, end, tip, 0.05 * m->size, 0.05);
}

static void add_ellipsoid(pile *to, const pl_glyph *glyph, const measure *m)
{
  double axes[3][3];
  for (int k = 0; k < 3; k++) {
    double length = m->scale * pl_vec3_norm(glyph->axes[k]), min = 0.01 * m->size;
    pl_vec3_scale(m->scale * fmin(1, m->size / length), glyph->axes[k], axes[k]);
    // flat ones can still be seen
    for (int i = 0; i < 3 && !(length > min); i++)
      axes[k][i] = length > 0 ? axes[k][i] * min / length : i == k ? min : 0;
  }
  add_ball(to, glyph->at, axes);
}

/* Each axis in a pile of its own, or all in one; about the middle or from it on. */
static void add_axes(pile *piles, int apart, int centred, const pl_glyph *glyph, const measure *m)
{
  for (int k = 0; k < 3; k++) {
    double along[3], from[3];
    pl_vec3_scale((centred ? 2 : 1) * m->scale, glyph->axes[k], along);
    pl_vec3_copy(glyph->at, from);
    if (centred) pl_vec3_add_scaled(-0.5, along, from);
    add_rod(&piles[apart ? k : 0], from, along, 0.025 * m->size, 1);
  }
}

static void add_cube(pile *to, const pl_glyph *glyph, const measure *m)
{
  double axes[3][3] = {{0}};
  // thin across directions that are free
  for (int k = 0; k < 3; k++) axes[k][k] = m->size * (glyph->axes[k][k] > 0 ? 0.09 : 0.03);
  add_box(to, glyph->at, axes, 1);
}

static void add_glyph(pile *piles, pl_glyph_kind kind, const pl_glyph *glyph, const measure *m)
{
  if (kind == PL_GLYPHS_STRESS || kind == PL_GLYPHS_STRAIN) add_ellipsoid(&piles[0], glyph, m);
  if (kind == PL_GLYPHS_FRAMES) add_axes(piles, 1, 0, glyph, m);
  if (kind == PL_GLYPHS_FIBRES) add_axes(piles, 0, 1, glyph, m);
  if (kind == PL_GLYPHS_FORCES) add_arrow(&piles[0], glyph, m);
  if (kind == PL_GLYPHS_FIXES) add_cube(&piles[0], glyph, m);
}

/* ---- sizes ---- */

/* Mean distance of glyphs in the box of the bodies, and what the longest axis becomes. */
static measure find_measure(const pl_render *render, pl_glyph_kind kind, const pl_glyph *list,
                            int count)
{
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  for (int b = 0; b < render->body_count; b++) {
    for (int i = 0; i < 3 * render->bodies[b].node_count; i++) {
      double x = render->bodies[b].positions[i];
      if (!isfinite(x)) continue;
      low[i % 3] = fmin(low[i % 3], x);
      high[i % 3] = fmax(high[i % 3], x);
    }
  }
  double volume = 1, longest = 0, sum = 0;
  for (int k = 0; k < 3; k++) volume *= high[k] - low[k];
  for (int i = 0; i < 3 * count; i++) {
    double length = pl_vec3_norm(list[i / 3].axes[i % 3]);
    longest = fmax(longest, length);
    sum += length * length;
  }
  // a few at corners and edges do not make all others small
  longest = fmin(longest, 4 * sqrt(sum / (3 * fmax(count, 1))));
  static const double share[PL_GLYPHS_COUNT] = {
      [PL_GLYPHS_FRAMES] = 0.4,  [PL_GLYPHS_STRESS] = 0.6, [PL_GLYPHS_STRAIN] = 0.35,
      [PL_GLYPHS_FIBRES] = 0.35, [PL_GLYPHS_FORCES] = 1.5, [PL_GLYPHS_FIXES] = 1};
  measure m = {.size = cbrt(volume / (count ? count : 1))};
  m.scale = longest > 0 ? share[kind] * m.size / longest : 0;
  return m;
}

/* ---- the picture ---- */

static pl_status read_all(pl_world *world, pl_glyph_kind kind, pl_glyph *list, int *count,
                          pl_error *error)
{
  int bodies = pl_world_body_count(world);
  pl_status status = PL_OK;
  *count = 0;
  for (int b = 0; b < bodies && !status && *count < MOST; b++) {
    int some = 0, share = (MOST - *count) / (bodies - b);
    status = pl_world_glyphs(world, pl_world_body_at(world, b), kind, share, list + *count, &some,
                             error);
    *count += some;
  }
  return status;
}

static pl_status allocate(pl_glyph_drawing *drawing, int count, pile *piles, pl_error *error)
{
  for (int k = 0; k < PL_GLYPH_SHEETS; k++) {
    size_t each = (size_t)count;
    drawing->points[k] = pl_alloc(&drawing->allocator, each * PER_GLYPH_POINTS, 3 * sizeof(double));
    drawing->triangles[k] =
        pl_alloc(&drawing->allocator, each * PER_GLYPH_TRIANGLES, 3 * sizeof(int));
    if (!drawing->points[k] || !drawing->triangles[k]) return pl_fail_memory(error);
    piles[k] = (pile){.points = drawing->points[k], .triangles = drawing->triangles[k]};
  }
  return PL_OK;
}

static void show(const pile *piles, pl_glyph_kind kind, pl_render_body *bodies, pl_render *render)
{
  static const float axis_colours[PL_GLYPH_SHEETS][3] = {
      {0.85f, 0.2f, 0.2f}, {0.15f, 0.65f, 0.3f}, {0.2f, 0.4f, 0.9f}};
  static const float one[PL_GLYPHS_COUNT][3] = {[PL_GLYPHS_STRESS] = {0.86f, 0.3f, 0.25f},
                                                [PL_GLYPHS_STRAIN] = {0.25f, 0.55f, 0.75f},
                                                [PL_GLYPHS_FIBRES] = {0.95f, 0.93f, 0.88f},
                                                [PL_GLYPHS_FORCES] = {0.88f, 0.11f, 0.28f},
                                                [PL_GLYPHS_FIXES] = {0.2f, 0.25f, 0.35f}};
  const int inside = kind < PL_GLYPHS_FORCES;
  for (int b = 0; b < render->body_count; b++) bodies[b].open = inside;
  for (int k = 0; k < PL_GLYPH_SHEETS; k++) {
    if (!piles[k].triangle_count) continue;
    const float *colour = kind == PL_GLYPHS_FRAMES ? axis_colours[k] : one[kind];
    pl_render_body *body = &bodies[render->body_count++];
    *body = (pl_render_body){.node_count = piles[k].point_count,
                             .face_count = piles[k].triangle_count,
                             .nodes_per_face = 3,
                             .positions = piles[k].points,
                             .faces = piles[k].triangles};
    memcpy(body->colour, colour, sizeof body->colour);
  }
}

pl_status pl_glyphs_add(pl_glyph_drawing *drawing, pl_world *world, pl_glyph_kind kind,
                        pl_render_body *bodies, pl_render *render, pl_error *error)
{
  drawing->allocator = pl_allocator_default();
  if (kind == PL_GLYPHS_NONE) return PL_OK;
  pl_glyph *list = pl_alloc(&drawing->allocator, MOST, sizeof *list);
  if (!list) return pl_fail_memory(error);
  int count = 0;
  pile piles[PL_GLYPH_SHEETS];
  pl_status status = read_all(world, kind, list, &count, error);
  if (!status && count) status = allocate(drawing, count, piles, error);
  if (!status && count) {
    const measure m = find_measure(render, kind, list, count);
    for (int i = 0; i < count; i++) add_glyph(piles, kind, &list[i], &m);
    show(piles, kind, bodies, render);
  }
  pl_free(&drawing->allocator, list);
  return status;
}

void pl_glyphs_release(pl_glyph_drawing *drawing)
{
  for (int k = 0; k < PL_GLYPH_SHEETS; k++) {
    pl_free(&drawing->allocator, drawing->points[k]);
    pl_free(&drawing->allocator, drawing->triangles[k]);
  }
}
