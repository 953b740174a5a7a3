/* Draws the prepared scene: triangles into a depth buffer of three by three samples per pixel, a
 * band of rows at a time; then every pixel is lit once for each triangle that it shows. */
#include "core/memory.h"
#include "picture/render_parts.h"

#include <string.h>

enum { BAND = 32, SUB = 16, FAR_SCREEN = 1 << 20, SCREEN_LEVELS = 4096, MOST_FRAGMENTS = 16384 };

/* Light without shadows fills what lamp and sky leave dark: from the eye and from the ground. */
static const float FILL_LIGHT = 0.10f, BOUNCE_LIGHT = 0.13f;

typedef struct sample {
  float nearness; /* 1 / distance */
  int triangle;   /* -1: none */
} sample;

typedef struct canvas {
  const pl_render_stage *stage;
  pl_image *image;
  sample *samples;      /* of one band */
  int columns;          /* samples in a row */
  int *start, *members; /* triangles of every band */
  pl_v3 *light;         /* of the pixels of one band */
  pl_fragment *fragments;
  int fragment_count;
  unsigned char *screen_levels;
  pl_v3 *body_colours;
} canvas;

/* ---- colours ---- */

float pl_linear_from_screen(float value)
{
  return value <= 0.04045f ? value / 12.92f : powf((value + 0.055f) / 1.055f, 2.4f);
}

static float screen_from_linear(float value)
{
  return value <= 0.0031308f ? 12.92f * value : 1.055f * powf(value, 1 / 2.4f) - 0.055f;
}

static pl_v3 linear_colour(const float *colour)
{
  return (pl_v3){pl_linear_from_screen(colour[0]), pl_linear_from_screen(colour[1]),
                 pl_linear_from_screen(colour[2])};
}

/* The colours of the viewer (viewer/src/colours.js): from blue over green to red for amounts, light
 * enough for shaded surfaces; from blue over grey to red around a middle. */
void pl_colour_map(pl_colours colours, double t, float colour[3])
{
  static const unsigned char amount[][3] = {
      {59, 83, 168},   {63, 127, 196}, {63, 167, 201}, {70, 195, 174}, {126, 212, 136},
      {195, 220, 101}, {245, 209, 76}, {245, 167, 61}, {234, 111, 53}, {207, 51, 48}};
  static const unsigned char around[][3] = {{47, 79, 196},   {111, 146, 243}, {170, 199, 253},
                                            {221, 220, 220}, {247, 184, 156}, {231, 116, 91},
                                            {180, 4, 38}};
  const unsigned char(*points)[3] = colours == PL_COLOURS_AROUND ? around : amount;
  int last = colours == PL_COLOURS_AROUND ? (int)(sizeof around / sizeof *around) - 1
                                          : (int)(sizeof amount / sizeof *amount) - 1;
  double place = fmin(fmax(t, 0), 1) * last;
  int i = place < last ? (int)place : last - 1;
  for (int k = 0; k < 3; k++)
    colour[k] = (float)(points[i][k] + (place - i) * (points[i + 1][k] - points[i][k])) / 255;
}

/* A pixel of a picture that goes on beyond its borders. */
static pl_v3 picture_colour(const pl_image *picture, float right, float up)
{
  float u = right - floorf(right), v = up - floorf(up), colour[3];
  // the last row and column belong to 1
  if (u == 0 && right > 0) u = 1;
  if (v == 0 && up > 0) v = 1;
  int x = (int)(u * (float)picture->width), y = (int)((1 - v) * (float)picture->height);
  x = x < picture->width ? x : picture->width - 1;
  y = y < picture->height ? y : picture->height - 1;
  const unsigned char *pixel =
      picture->pixels +
      (size_t)picture->channels * ((size_t)y * (size_t)picture->width + (size_t)x);
  for (int k = 0; k < 3; k++) colour[k] = (float)pixel[k] / 255;
  return linear_colour(colour);
}

static pl_v3 body_colour(const pl_render_body *body, int number)
{
  static const unsigned char chosen[][3] = {{232, 163, 61},  {63, 156, 152}, {212, 104, 90},
                                            {125, 143, 214}, {155, 184, 90}, {192, 127, 184},
                                            {138, 122, 102}, {95, 176, 217}};
  enum { CHOSEN = sizeof chosen / sizeof *chosen };
  const float *c = body->colour;
  float own[3];
  for (int k = 0; k < 3; k++) own[k] = (float)chosen[number % CHOSEN][k] / 255;
  return linear_colour(c[0] == 0 && c[1] == 0 && c[2] == 0 ? own : c);
}

/* ---- triangles to samples ---- */

typedef struct corner {
  int64_t x, y; /* samples, in parts of 1 / SUB */
  float nearness;
} corner;

/* The corners in whole parts of samples, turned counter-clockwise; 0 if there is nothing to see. */
static int place_corners(const pl_render_stage *stage, const pl_render_triangle *t, corner c[3])
{
  for (int k = 0; k < 3; k++) {
    pl_v3 s = stage->screen[t->nodes[k]];
    float x = s.x * PL_SAMPLES, y = s.y * PL_SAMPLES;
    if (!(s.z > 0 && fabsf(x) < FAR_SCREEN && fabsf(y) < FAR_SCREEN)) return 0;
    c[k] = (corner){lrintf(x * SUB), lrintf(y * SUB), s.z};
  }
  int64_t area = (c[1].x - c[0].x) * (c[2].y - c[0].y) - (c[1].y - c[0].y) * (c[2].x - c[0].x);
  if (area < 0 && stage->scene->bodies[t->body].open) return 0;
  if (area < 0) {
    corner swap = c[1];
    c[1] = c[2];
    c[2] = swap;
  }
  return area != 0;
}

/* First and last sample that three places (in parts) can cover. */
static void sample_range(int64_t a, int64_t b, int64_t c, int *first, int *last)
{
  const int64_t shift = (int64_t)FAR_SCREEN * SUB; // so that division rounds down
  int64_t low = a < b ? a : b, high = a < b ? b : a;
  if (c < low) low = c;
  if (c > high) high = c;
  *first = (int)((low + shift) / SUB - FAR_SCREEN);
  *last = (int)((high + shift) / SUB - FAR_SCREEN);
}

/* Half-plane test in whole numbers; a side shared by two triangles belongs to exactly one. */
static void draw_triangle(canvas *to, int number, int first_row, int row_count)
{
  corner c[3];
  if (!place_corners(to->stage, &to->stage->triangles[number], c)) return;
  int top, low, left, right;
  sample_range(c[0].y, c[1].y, c[2].y, &top, &low);
  sample_range(c[0].x, c[1].x, c[2].x, &left, &right);
  if (top < first_row) top = first_row;
  if (low > first_row + row_count - 1) low = first_row + row_count - 1;
  if (left < 0) left = 0;
  if (right > to->columns - 1) right = to->columns - 1;
  if (top > low || left > right) return;

  // values of the three sides at the first sample, and their steps
  int64_t at[3], dx[3], dy[3];
  int64_t px = left * (int64_t)SUB + SUB / 2, py = top * (int64_t)SUB + SUB / 2;
  for (int k = 0; k < 3; k++) {
    const corner *a = &c[(k + 1) % 3], *b = &c[(k + 2) % 3];
    dx[k] = -(b->y - a->y) * SUB;
    dy[k] = (b->x - a->x) * SUB;
    at[k] = (b->x - a->x) * (py - a->y) - (b->y - a->y) * (px - a->x);
    int owns_side = b->y < a->y || (b->y == a->y && b->x > a->x);
    if (!owns_side) at[k]--;
  }
  double area =
      (double)((c[1].x - c[0].x) * (c[2].y - c[0].y) - (c[1].y - c[0].y) * (c[2].x - c[0].x));
  double weights[3] = {c[0].nearness / area, c[1].nearness / area, c[2].nearness / area};
  double step =
      weights[0] * (double)dx[0] + weights[1] * (double)dx[1] + weights[2] * (double)dx[2];
  for (int row = top; row <= low; row++) {
    int64_t e0 = at[0], e1 = at[1], e2 = at[2];
    double near = weights[0] * (double)e0 + weights[1] * (double)e1 + weights[2] * (double)e2;
    sample *line = to->samples + (size_t)(row - first_row) * (size_t)to->columns;
    for (int x = left; x <= right; x++) {
      if ((e0 | e1 | e2) >= 0 && near > line[x].nearness) line[x] = (sample){(float)near, number};
      e0 += dx[0], e1 += dx[1], e2 += dx[2];
      near += step;
    }
    for (int k = 0; k < 3; k++) at[k] += dy[k];
  }
}

/* The first and last band of a triangle, 0 if it is not in the picture. */
static int band_range(const canvas *to, int number, int *first, int *last)
{
  corner c[3];
  if (!place_corners(to->stage, &to->stage->triangles[number], c)) return 0;
  sample_range(c[0].y, c[1].y, c[2].y, first, last);
  int rows = to->image->height * PL_SAMPLES;
  if (*last < 0 || *first >= rows) return 0;
  *first = (*first < 0 ? 0 : *first) / (BAND * PL_SAMPLES);
  *last = (*last >= rows ? rows - 1 : *last) / (BAND * PL_SAMPLES);
  return 1;
}

/* Lists for every band the triangles that reach into it. */
static pl_status sort_into_bands(canvas *to, int bands)
{
  const pl_allocator *allocator = &to->stage->allocator;
  int first, last;
  size_t total = 0;
  to->start = pl_alloc(allocator, (size_t)bands + 1, sizeof *to->start);
  if (!to->start) return PL_E_MEMORY;
  for (int t = 0; t < to->stage->triangle_count; t++) {
    if (!band_range(to, t, &first, &last)) continue;
    total += (size_t)(last - first + 1);
    if (total > INT32_MAX) return PL_E_MEMORY;
    for (int b = first; b <= last; b++) to->start[b]++;
  }
  for (int b = 0; b < bands; b++) to->start[b + 1] += to->start[b];
  to->members = pl_alloc(allocator, total, sizeof *to->members);
  if (!to->members) return PL_E_MEMORY;
  for (int t = to->stage->triangle_count - 1; t >= 0; t--) {
    if (!band_range(to, t, &first, &last)) continue;
    for (int b = first; b <= last; b++) to->members[--to->start[b]] = t;
  }
  return PL_OK;
}

/* ---- light on what is seen ---- */

/* How much of a thin line along the sides that are edges covers a place inside the triangle. */
static float edge_cover(const pl_v3 *screen, int edges, const float *inside)
{
  float cover = 0;
  float area = fabsf((screen[1].x - screen[0].x) * (screen[2].y - screen[0].y) -
                     (screen[1].y - screen[0].y) * (screen[2].x - screen[0].x));
  for (int k = 0; k < 3; k++) {
    if (!(edges >> k & 1)) continue;
    const pl_v3 *a = &screen[(k + 1) % 3], *b = &screen[(k + 2) % 3];
    float height = area / pl_max(hypotf(b->x - a->x, b->y - a->y), 1e-6f);
    // lines fade where they would fill the face
    float fade = pl_min(1, pl_max(0, (height - 3) / 9));
    cover = pl_max(cover, fade * pl_min(1, pl_max(0, 1.05f - inside[k] * height)));
  }
  return cover;
}

/* Brightness above 0.8 is bent so that it never exceeds 1. */
static float soft_limit(float value)
{
  float over = value - 0.8f;
  return over <= 0 ? value : 0.8f + 0.2f * (over / (over + 0.2f));
}

/* The normal on the side of the triangle that is seen. Near the outline of a smooth surface the
 * mean of the corners' normals may point away from an eye that sees the triangle's front: there it
 * is perpendicular to the view, as at the outline itself. */
static pl_v3 seen_normal(const pl_render_stage *stage, const pl_render_triangle *t,
                         const pl_fragment *f)
{
  const pl_v3 *first = &stage->nodes[t->nodes[0]];
  pl_v3 face = pl_v3_cross(pl_v3_sub(stage->nodes[t->nodes[1]], *first),
                           pl_v3_sub(stage->nodes[t->nodes[2]], *first));
  pl_v3 normal = pl_v3_unit(f->normal), to_eye = pl_v3_unit(pl_v3_sub(stage->eye, f->point));
  if (pl_v3_dot(face, to_eye) < 0) normal = pl_v3_scale(-1, normal);
  float towards = pl_v3_dot(normal, to_eye);
  if (towards >= 0) return normal;
  return pl_v3_unit(pl_v3_sub(normal, pl_v3_scale(towards, to_eye)));
}

/* The surface of a triangle at a place of the picture. */
static pl_fragment find_fragment(const canvas *from, int number, float x, float y)
{
  const pl_render_stage *stage = from->stage;
  const pl_render_triangle *t = &stage->triangles[number];
  pl_v3 s[3] = {stage->screen[t->nodes[0]], stage->screen[t->nodes[1]], stage->screen[t->nodes[2]]};
  pl_fragment f = {.paint = from->body_colours[t->body], .gloss = 0.10f};

  // where inside the triangle: on the screen, then in space
  float area = (s[1].x - s[0].x) * (s[2].y - s[0].y) - (s[1].y - s[0].y) * (s[2].x - s[0].x);
  float inside[3], weight[3], sum = 0, value = 0, spot[2] = {0, 0};
  for (int k = 0; k < 3; k++) {
    const pl_v3 *a = &s[(k + 1) % 3], *b = &s[(k + 2) % 3];
    float part = ((b->x - a->x) * (y - a->y) - (b->y - a->y) * (x - a->x)) / area;
    inside[k] = pl_min(1, pl_max(0, part));
    weight[k] = inside[k] * s[k].z;
    sum += weight[k];
  }
  for (int k = 0; k < 3; k++) {
    float w = sum > 0 ? weight[k] / sum : 1.0f / 3;
    f.point = pl_v3_add(f.point, pl_v3_scale(w, stage->nodes[t->nodes[k]]));
    f.normal = pl_v3_add(f.normal, pl_v3_scale(w, t->normals[k]));
    value += w * t->scalars[k];
    for (int i = 0; i < 2; i++) spot[i] += w * t->spots[k][i];
  }
  const pl_image *picture = stage->scene->bodies[t->body].picture;
  if (picture) f.paint = picture_colour(picture, spot[0], spot[1]);
  if (stage->scene->bodies[t->body].scalars) {
    float colour[3] = {0.6f, 0.6f, 0.6f};
    if (!isnan(value)) pl_colour_map(stage->scene->colours, value, colour);
    f.paint = linear_colour(colour);
    f.gloss = 0.03f; // colours with a meaning stay as they are
  }
  if (stage->scene->edges) f.edge = edge_cover(s, t->edges, inside);

  f.normal = seen_normal(stage, t, &f);
  return f;
}

/* What a fragment sends to the eye. */
static pl_v3 fragment_colour(const pl_render_stage *stage, const pl_fragment *f)
{
  static const pl_v3 lamp_colour = {1.0f, 0.97f, 0.92f}, sky_colour = {0.93f, 0.97f, 1.04f};
  float upwards = pl_v3_dot(f->normal, stage->sky);
  float fill = FILL_LIGHT * (0.5f - 0.5f * pl_v3_dot(f->normal, stage->forward));
  float bounce = BOUNCE_LIGHT * (0.5f - 0.5f * upwards);
  pl_v3 light =
      pl_v3_add(pl_v3_scale(f->lamp + bounce, lamp_colour), pl_v3_scale(f->sky + fill, sky_colour));
  pl_v3 colour = pl_v3_times(f->paint, light);

  // a wide highlight, and a sheen towards the outline
  pl_v3 to_eye = pl_v3_unit(pl_v3_sub(stage->eye, f->point));
  pl_v3 half = pl_v3_unit(pl_v3_add(stage->key, to_eye));
  float away = 1 - pl_max(0, pl_v3_dot(f->normal, to_eye));
  float shine = f->gloss * f->seen * powf(pl_max(0, pl_v3_dot(f->normal, half)), 40);
  shine += 0.05f * away * away * away * away * (0.5f + 0.5f * upwards);
  colour = pl_v3_add(colour, (pl_v3){shine, shine, shine});
  colour = pl_v3_scale(1 - 0.6f * f->edge, colour);
  return (pl_v3){soft_limit(colour.x), soft_limit(colour.y), soft_limit(colour.z)};
}

/* Lights the fragments that wait and adds them to their pixels. */
static void flush_fragments(canvas *to)
{
  pl_stage_illuminate(to->stage, to->fragments, to->fragment_count);
  for (int i = 0; i < to->fragment_count; i++) {
    const pl_fragment *f = &to->fragments[i];
    pl_v3 colour = pl_v3_scale(f->weight, fragment_colour(to->stage, f));
    to->light[f->pixel] = pl_v3_add(to->light[f->pixel], colour);
  }
  to->fragment_count = 0;
}

/* ---- background ---- */

/* Cover of lines of the given width (both in units of their spacing) at a place, smoothed over
 * the stretch that one pixel sees. */
static float line_cover(float place, float pixel)
{
  float distance = fabsf(place - roundf(place));
  float cover = pl_min(1, pl_max(0, 1.1f - distance / pl_max(pixel, 1e-6f)));
  return cover * pl_min(1, pl_max(0, (0.25f - pixel) / 0.2f));
}

/* The ground darkens the background where it lies in the shadow or has a line. */
static float ground_factor(const pl_render_stage *stage, float x, float y)
{
  pl_v3 ray = pl_v3_add(stage->forward,
                        pl_v3_add(pl_v3_scale((x - stage->middle_x) / stage->focal, stage->right),
                                  pl_v3_scale((stage->middle_y - y) / stage->focal, stage->up)));
  float fall = -pl_v3_dot(ray, stage->sky);
  float height = pl_v3_dot(stage->eye, stage->sky) - stage->ground;
  if (fall <= 1e-4f || height <= 0) return 1;
  float distance = height / fall;
  pl_v3 point = pl_v3_add(stage->eye, pl_v3_scale(distance, ray));
  pl_v3 flat = pl_v3_sub(point, pl_v3_scale(pl_v3_dot(point, stage->sky), stage->sky));
  float away = pl_v3_dot(flat, flat), near = expf(-away * away / 30);
  float light = 1 - 0.72f * (1 - pl_stage_ground_light(stage, point));

  // lines at round coordinates of the two horizontal axes
  int up = stage->scene->up;
  float p[3] = {point.x, point.y, point.z}, cover = 0;
  for (int k = 1; k <= 2; k++) {
    int axis = (up + k) % 3;
    double place = (stage->centre[axis] + stage->radius * p[axis]) / stage->grid_step;
    float axis_ray[3] = {ray.x, ray.y, ray.z};
    // a pixel's stretch on the ground is longest along the view
    float stretch = distance / stage->focal * (1 + fabsf(axis_ray[axis]) / fall);
    cover = pl_max(cover, line_cover((float)(place - floor(place)),
                                     stretch * (float)(stage->radius / stage->grid_step)));
  }
  return light * (1 - 0.10f * near * cover);
}

static pl_v3 background(const canvas *from, float x, float y)
{
  static const float top[3] = {0.975f, 0.982f, 0.99f}, low[3] = {0.845f, 0.868f, 0.895f};
  const pl_render_stage *stage = from->stage;
  float t = y / (float)from->image->height, colour[3];
  t = t * t * (3 - 2 * t);
  for (int k = 0; k < 3; k++) colour[k] = top[k] + t * (low[k] - top[k]);
  pl_v3 light = linear_colour(colour);
  return stage->has_ground ? pl_v3_scale(ground_factor(stage, x, y), light) : light;
}

/* ---- samples to pixels ---- */

/* Finds what the samples of a pixel show: each triangle once, amid its samples. */
static void visit_pixel(canvas *to, int x, int y, int first_row)
{
  enum { ALL = PL_SAMPLES * PL_SAMPLES };
  int numbers[ALL], pixel = (y - first_row) * to->image->width + x;
  for (int k = 0; k < ALL; k++) {
    int row = (y - first_row) * PL_SAMPLES + k / PL_SAMPLES;
    int column = x * PL_SAMPLES + k % PL_SAMPLES;
    numbers[k] = to->samples[(size_t)row * (size_t)to->columns + (size_t)column].triangle;
  }
  to->light[pixel] = (pl_v3){0, 0, 0};
  unsigned done = 0;
  for (int k = 0; k < ALL; k++) {
    if (done >> k & 1) continue;
    float count = 0, px = 0, py = 0;
    for (int m = k; m < ALL; m++) {
      if (numbers[m] != numbers[k]) continue;
      done |= 1u << m;
      count++;
      px += (float)(m % PL_SAMPLES) + 0.5f;
      py += (float)(m / PL_SAMPLES) + 0.5f;
    }
    px = (float)x + px / (count * PL_SAMPLES);
    py = (float)y + py / (count * PL_SAMPLES);
    if (numbers[k] < 0) {
      pl_v3 colour = pl_v3_scale(count / ALL, background(to, px, py));
      to->light[pixel] = pl_v3_add(to->light[pixel], colour);
    } else {
      pl_fragment *f = &to->fragments[to->fragment_count++];
      *f = find_fragment(to, numbers[k], px, py);
      f->pixel = pixel;
      f->weight = count / ALL;
      if (to->fragment_count == MOST_FRAGMENTS) flush_fragments(to);
    }
  }
}

static unsigned char screen_level(const canvas *from, float value)
{
  int level = (int)(value * (SCREEN_LEVELS - 1) + 0.5f);
  return from->screen_levels[level < 0 ? 0 : level >= SCREEN_LEVELS ? SCREEN_LEVELS - 1 : level];
}

static void draw_band(canvas *to, int band)
{
  int first_row = band * BAND, rows = to->image->height - first_row;
  if (rows > BAND) rows = BAND;
  size_t count = (size_t)(rows * PL_SAMPLES) * (size_t)to->columns;
  for (size_t i = 0; i < count; i++) to->samples[i] = (sample){0, -1};
  for (int i = to->start[band]; i < to->start[band + 1]; i++) {
    draw_triangle(to, to->members[i], first_row * PL_SAMPLES, rows * PL_SAMPLES);
  }
  for (int y = first_row; y < first_row + rows; y++) {
    for (int x = 0; x < to->image->width; x++) visit_pixel(to, x, y, first_row);
  }
  flush_fragments(to);
  unsigned char *pixel = to->image->pixels + 3 * (size_t)first_row * (size_t)to->image->width;
  for (int i = 0; i < rows * to->image->width; i++, pixel += 3) {
    pixel[0] = screen_level(to, to->light[i].x);
    pixel[1] = screen_level(to, to->light[i].y);
    pixel[2] = screen_level(to, to->light[i].z);
  }
}

pl_status pl_stage_draw(const pl_render_stage *stage, pl_image *image, pl_error *error)
{
  const pl_allocator *allocator = &stage->allocator;
  canvas to = {.stage = stage, .image = image, .columns = image->width * PL_SAMPLES};
  int bands = (image->height + BAND - 1) / BAND;
  to.samples = pl_alloc(allocator, (size_t)to.columns * BAND * PL_SAMPLES, sizeof *to.samples);
  to.light = pl_alloc(allocator, (size_t)image->width * BAND, sizeof *to.light);
  to.fragments = pl_alloc(allocator, MOST_FRAGMENTS, sizeof *to.fragments);
  to.screen_levels = pl_alloc(allocator, SCREEN_LEVELS, 1);
  to.body_colours = pl_alloc(allocator, (size_t)stage->scene->body_count, sizeof *to.body_colours);
  int ok =
      to.samples && to.screen_levels && to.body_colours && sort_into_bands(&to, bands) == PL_OK;
  if (ok) {
    for (int i = 0; i < SCREEN_LEVELS; i++) {
      float level = 255 * screen_from_linear((float)i / (SCREEN_LEVELS - 1));
      to.screen_levels[i] = (unsigned char)lrintf(level);
    }
    for (int b = 0; b < stage->scene->body_count; b++) {
      to.body_colours[b] = body_colour(&stage->scene->bodies[b], b);
    }
    for (int band = 0; band < bands; band++) draw_band(&to, band);
  }
  pl_free(allocator, to.members);
  pl_free(allocator, to.start);
  pl_free(allocator, to.body_colours);
  pl_free(allocator, to.screen_levels);
  pl_free(allocator, to.fragments);
  pl_free(allocator, to.light);
  pl_free(allocator, to.samples);
  return ok ? PL_OK : pl_fail_memory(error);
}
