/* The renderer from outside: checks, the camera, and what is written onto the picture. */
#include "picture/render.h"

#include "core/memory.h"
#include "picture/render_parts.h"
#include "picture/stroke_font.h"

#include <string.h>

enum { LEAST_SIDE = 16, MOST_SIDE = 8192 };

static const unsigned char ink[3] = {38, 44, 54}, pale_ink[3] = {110, 118, 130};

pl_render pl_render_default(void)
{
  return (pl_render){.width = 1280,
                     .height = 800,
                     .up = 2,
                     .min = {NAN, NAN, NAN},
                     .max = {NAN, NAN, NAN},
                     .ground = NAN,
                     .scalar_min = NAN,
                     .scalar_max = NAN};
}

/* ---- checks ---- */

static pl_status check_body(const pl_render_body *body, int number, pl_error *error)
{
  if (body->node_count < 0 || body->face_count < 0 || (body->node_count && !body->positions) ||
      (body->face_count && !body->faces)) {
    return pl_fail(error, PL_E_ARGUMENT, "body %d of a picture lacks its %d nodes or %d faces",
                   number, body->node_count, body->face_count);
  }
  if (body->nodes_per_face != 3 && body->nodes_per_face != 4) {
    return pl_fail(error, PL_E_ARGUMENT, "body %d of a picture has faces of %d nodes; give 3 or 4",
                   number, body->nodes_per_face);
  }
  for (int k = 0; k < 3; k++) {
    if (!(body->colour[k] >= 0 && body->colour[k] <= 1)) {
      return pl_fail(error, PL_E_ARGUMENT, "colour %g of body %d must lie between 0 and 1",
                     (double)body->colour[k], number);
    }
  }
  size_t corners = (size_t)body->face_count * (size_t)body->nodes_per_face;
  for (size_t i = 0; i < corners; i++) {
    if (body->faces[i] >= 0 && body->faces[i] < body->node_count) continue;
    return pl_fail_entity(error, PL_E_ARGUMENT, (int64_t)(i / (size_t)body->nodes_per_face),
                          "face %zu of body %d uses node %d of %d",
                          i / (size_t)body->nodes_per_face, number, body->faces[i],
                          body->node_count);
  }
  return PL_OK;
}

static pl_status check(const pl_render *scene, pl_error *error)
{
  if (scene->width < LEAST_SIDE || scene->height < LEAST_SIDE || scene->width > MOST_SIDE ||
      scene->height > MOST_SIDE) {
    return pl_fail(error, PL_E_ARGUMENT,
                   "a picture of %d x %d px must have %d to %d per side; start from "
                   "pl_render_default",
                   scene->width, scene->height, LEAST_SIDE, MOST_SIDE);
  }
  if (scene->up < 0 || scene->up > 2) {
    return pl_fail(error, PL_E_ARGUMENT, "up = %d must be 0, 1 or 2 for x, y or z", scene->up);
  }
  if (scene->body_count < 0 || (scene->body_count && !scene->bodies)) {
    return pl_fail(error, PL_E_ARGUMENT, "a picture's %d bodies must be given", scene->body_count);
  }
  for (int k = 0; k < 3; k++) {
    if (!isfinite(scene->direction[k])) {
      return pl_fail(error, PL_E_ARGUMENT, "a view direction with %g must be finite",
                     scene->direction[k]);
    }
    if (isinf(scene->min[k]) || isinf(scene->max[k]) || scene->min[k] > scene->max[k]) {
      return pl_fail(error, PL_E_ARGUMENT, "the box from %g to %g of a picture must be in order",
                     scene->min[k], scene->max[k]);
    }
  }
  if (isinf(scene->scalar_min) || isinf(scene->scalar_max) ||
      scene->scalar_min > scene->scalar_max) {
    return pl_fail(error, PL_E_ARGUMENT, "colours from %g to %g must be in order",
                   scene->scalar_min, scene->scalar_max);
  }
  for (int b = 0; b < scene->body_count; b++) {
    pl_status status = check_body(&scene->bodies[b], b, error);
    if (status) return status;
  }
  return PL_OK;
}

/* ---- the camera ---- */

static pl_v3 axis_vector(int axis)
{
  return (pl_v3){axis == 0 ? 1.0f : 0, axis == 1 ? 1.0f : 0, axis == 2 ? 1.0f : 0};
}

/* A coordinate of the caller's as the stage has it. */
static float scaled(const pl_render_stage *stage, int axis, double value)
{
  return (float)(value / stage->radius - stage->centre[axis] / stage->radius);
}

static int has_box(const pl_render *scene)
{
  for (int k = 0; k < 3; k++) {
    if (isnan(scene->min[k]) || isnan(scene->max[k])) return 0;
  }
  return 1;
}

/* The points that must be seen, one after the other: nodes, or corners of the given box. */
static int wanted_point(const pl_render_stage *stage, int i, pl_v3 *point)
{
  if (!has_box(stage->scene)) {
    *point = i < stage->node_count ? stage->nodes[i] : (pl_v3){0, 0, 0};
    return i < stage->node_count;
  }
  float p[3];
  for (int k = 0; k < 3; k++) {
    p[k] = scaled(stage, k, i >> k & 1 ? stage->scene->max[k] : stage->scene->min[k]);
  }
  *point = (pl_v3){p[0], p[1], p[2]};
  return i < 8;
}

static void extent(const pl_render_stage *stage, pl_v3 axis, float *min, float *max)
{
  pl_v3 p;
  *min = INFINITY;
  *max = -INFINITY;
  for (int i = 0; wanted_point(stage, i, &p); i++) {
    *min = fminf(*min, pl_v3_dot(p, axis));
    *max = fmaxf(*max, pl_v3_dot(p, axis));
  }
  if (!(*min <= *max)) *min = *max = 0;
}

/* The longer horizontal side lies across the picture, its far (right) end a little nearer. */
static pl_v3 chosen_direction(const pl_render_stage *stage)
{
  int up = stage->scene->up;
  pl_v3 along = axis_vector(up == 0 ? 1 : 0), across = pl_v3_cross(stage->sky, along);
  float a0, a1, b0, b1;
  extent(stage, along, &a0, &a1);
  extent(stage, across, &b0, &b1);
  int turned = b1 - b0 > 1.2f * (a1 - a0);
  pl_v3 side = turned ? across : along, back = turned ? along : pl_v3_scale(-1, across);
  pl_v3 flat = pl_v3_add(pl_v3_scale(0.5f, side), pl_v3_scale(0.866f, back));
  return pl_v3_add(flat, pl_v3_scale(0.40f, stage->sky));
}

static void set_directions(pl_render_stage *stage)
{
  const double *d = stage->scene->direction;
  double size = fmax(fabs(d[0]), fmax(fabs(d[1]), fabs(d[2])));
  stage->sky = axis_vector(stage->scene->up);
  pl_v3 to_eye = size > 0
                     ? (pl_v3){(float)(d[0] / size), (float)(d[1] / size), (float)(d[2] / size)}
                     : chosen_direction(stage);
  stage->forward = pl_v3_scale(-1, pl_v3_unit(to_eye));
  // straight from above or below, the next axis points up in the picture
  pl_v3 upright = stage->sky;
  if (fabsf(pl_v3_dot(upright, stage->forward)) > 0.9999f) {
    upright = axis_vector((stage->scene->up + 2) % 3);
  }
  stage->right = pl_v3_unit(pl_v3_cross(stage->forward, upright));
  stage->up = pl_v3_cross(stage->right, stage->forward);
}

/* The eye goes as near as the four sides of the view allow: each side gives one inequality per
 * point, linear in the eye's place. */
static void place_eye(pl_render_stage *stage, float wide, float high)
{
  float left = INFINITY, right = -INFINITY, low = INFINITY, top = -INFINITY, nearest = INFINITY;
  pl_v3 p;
  for (int i = 0; wanted_point(stage, i, &p); i++) {
    if (isnan(p.x)) continue;
    float x = pl_v3_dot(p, stage->right), y = pl_v3_dot(p, stage->up);
    float z = pl_v3_dot(p, stage->forward);
    right = fmaxf(right, x - wide * z);
    left = fminf(left, x + wide * z);
    top = fmaxf(top, y - high * z);
    low = fminf(low, y + high * z);
    nearest = fminf(nearest, z);
  }
  if (!(nearest < INFINITY)) left = low = -1, right = top = 1, nearest = -1;
  float back = fminf((left - right) / (2 * wide), (low - top) / (2 * high));
  back = fminf(back, nearest - 0.2f);
  pl_v3 across = pl_v3_add(pl_v3_scale(0.5f * (left + right), stage->right),
                           pl_v3_scale(0.5f * (low + top), stage->up));
  stage->eye = pl_v3_add(across, pl_v3_scale(back, stage->forward));
}

static void project(pl_render_stage *stage)
{
  const float near = 0.02f;
  for (int i = 0; i < stage->node_count; i++) {
    pl_v3 p = pl_v3_sub(stage->nodes[i], stage->eye);
    float distance = pl_v3_dot(p, stage->forward);
    if (!(distance > near)) continue; // behind the eye, or not a number
    float scale = stage->focal / distance;
    stage->screen[i] = (pl_v3){stage->middle_x + scale * pl_v3_dot(p, stage->right),
                               stage->middle_y - scale * pl_v3_dot(p, stage->up), 1 / distance};
  }
}

static void place_ground(pl_render_stage *stage)
{
  int up = stage->scene->up;
  float min, max;
  extent(stage, stage->sky, &min, &max);
  double height = stage->scene->ground;
  stage->ground = isnan(height) ? min : scaled(stage, up, height);
  // a ground that is not there, or seen from below, is not drawn
  stage->has_ground = !isinf(height) && isfinite(stage->ground) &&
                      pl_v3_dot(stage->eye, stage->sky) > stage->ground + 0.01f;
  pl_axis steps;
  pl_axis_set(&steps, 0, 2 * stage->radius, 0, 0);
  pl_axis_ticks(&steps, 7);
  stage->grid_step = 1;
  double before = NAN;
  for (int i = 0; i < steps.count; i++) {
    if (!steps.ticks[i].major) continue;
    if (!isnan(before)) stage->grid_step = steps.ticks[i].value - before;
    before = steps.ticks[i].value;
  }
}

void pl_stage_aim(pl_render_stage *stage, pl_window window)
{
  set_directions(stage);
  stage->focal = 2.1f * (float)stage->scene->height;
  stage->middle_x = window.left + 0.5f * window.width;
  stage->middle_y = window.top + 0.5f * window.height;
  place_eye(stage, 0.5f * window.width / stage->focal, 0.5f * window.height / stage->focal);
  project(stage);
  place_ground(stage);
}

/* ---- what is written onto the picture ---- */

typedef struct page {
  double text, title; /* heights of capitals, px */
  double bar_width, bar_height, bar_left, bar_top, numbers_width;
} page;

static page lay_out(const pl_render_stage *stage, pl_window *window)
{
  double width = stage->scene->width, height = stage->scene->height;
  page p = {.text = fmax(7, 0.0165 * height), .title = fmax(8, 0.024 * height)};
  double left = 0.07 * width, right = 0.07 * width, top = 0.09 * height, low = 0.12 * height;
  if (stage->has_scalars || (stage->scene->title && *stage->scene->title)) top = 0.15 * height;
  if (stage->has_scalars) {
    for (int i = 0; i < stage->scale.count; i++) {
      char label[64];
      if (!stage->scale.ticks[i].major) continue;
      pl_axis_label(&stage->scale, stage->scale.ticks[i].value, label, sizeof label);
      p.numbers_width = fmax(p.numbers_width, pl_stroke_font_width(label, p.text));
    }
    p.bar_width = 0.022 * height;
    p.bar_height = 0.5 * height;
    p.bar_left = width - 0.035 * width - p.numbers_width - 0.8 * p.text - p.bar_width;
    // what it shows is written above the bodies, since that is wider than the bar
    p.bar_top = top + 1.3 * p.text;
    right = fmin(0.5 * width, width - p.bar_left + 0.02 * width);
  }
  *window = (pl_window){(float)left, (float)top, (float)(width - left - right),
                        (float)(height - top - low)};
  return p;
}

static void fill_box(pl_image *image, double x, double y, double width, double height,
                     const unsigned char colour[3])
{
  for (int row = (int)fmax(0, y); row < fmin(image->height, y + height); row++) {
    for (int column = (int)fmax(0, x); column < fmin(image->width, x + width); column++) {
      memcpy(image->pixels + 3 * ((size_t)row * (size_t)image->width + (size_t)column), colour, 3);
    }
  }
}

static void draw_bar(const pl_render_stage *stage, const page *p, pl_image *image)
{
  // the colours, in a thin frame
  double left = floor(p->bar_left), top = floor(p->bar_top);
  fill_box(image, left - 1, top - 1, p->bar_width + 2, p->bar_height + 2, pale_ink);
  for (int row = 0; row < p->bar_height; row++) {
    float colour[3];
    unsigned char pixel[3];
    pl_colour_map(stage->scene->colours, 1 - (row + 0.5) / p->bar_height, colour);
    for (int k = 0; k < 3; k++) pixel[k] = (unsigned char)lrintf(255 * colour[k]);
    fill_box(image, left, top + row, p->bar_width, 1, pixel);
  }

  // numbers beside it, right-aligned
  char label[256];
  for (int i = 0; i < stage->scale.count; i++) {
    const pl_tick *tick = &stage->scale.ticks[i];
    if (!tick->major) continue;
    double y = top + (1 - pl_axis_place(&stage->scale, tick->value)) * p->bar_height;
    double x = left + p->bar_width;
    fill_box(image, x, fmin(floor(y), top + p->bar_height - 1), 0.35 * p->text, 1, ink);
    pl_axis_label(&stage->scale, tick->value, label, sizeof label);
    double shift = p->numbers_width - pl_stroke_font_width(label, p->text);
    pl_stroke_font_draw(image, label, x + 0.8 * p->text + shift, y + 0.5 * p->text, p->text, ink);
  }

  // what they are above it, ending where the numbers end
  pl_axis_title(&stage->scale, stage->scene->bar_label, stage->scene->bar_unit, label,
                sizeof label);
  double end = left + p->bar_width + 0.8 * p->text + p->numbers_width;
  double start = fmax(0.02 * image->width, end - pl_stroke_font_width(label, p->text));
  pl_stroke_font_draw(image, label, start, top - 1.6 * p->text, p->text, ink);
}

static void write_texts(const pl_render_stage *stage, const page *p, pl_image *image)
{
  double margin = 0.035 * image->width;
  if (stage->scene->title && *stage->scene->title) {
    // a long title gets smaller letters
    double width = pl_stroke_font_width(stage->scene->title, p->title);
    double size = p->title * fmin(1, (image->width - 2 * margin) / fmax(width, 1));
    pl_stroke_font_draw(image, stage->scene->title, margin, 0.085 * image->height, size, ink);
  }
  if (stage->has_scalars) draw_bar(stage, p, image);
  if (stage->has_ground && stage->node_count) {
    char text[64];
    pl_print(text, sizeof text, "grid %g m", stage->grid_step);
    pl_stroke_font_draw(image, text, margin, 0.955 * image->height, 0.85 * p->text, pale_ink);
  }
}

/* ---- the whole ---- */

static void stage_free(pl_render_stage *stage)
{
  const pl_allocator *allocator = &stage->allocator;
  if (stage->lamps) pl_free(allocator, stage->lamps[0].depths);
  pl_free(allocator, stage->lamps);
  pl_free(allocator, stage->lit);
  pl_free(allocator, stage->screen);
  pl_free(allocator, stage->triangles);
  pl_free(allocator, stage->nodes);
}

static pl_status render(pl_render_stage *stage, pl_image *image, pl_error *error)
{
  pl_status status = pl_stage_build(stage, error);
  if (status) return status;
  stage->screen = pl_alloc(&stage->allocator, (size_t)stage->node_count, sizeof *stage->screen);
  if (!stage->screen) return pl_fail_memory(error);
  pl_window window;
  page p = lay_out(stage, &window);
  pl_stage_aim(stage, window);
  status = pl_stage_light(stage, error);
  if (!status) status = pl_stage_draw(stage, image, error);
  if (!status) write_texts(stage, &p, image);
  return status;
}

pl_status pl_render_image(const pl_render *scene, const pl_allocator *allocator, pl_image *image,
                          pl_error *error)
{
  *image = (pl_image){0};
  pl_status status = check(scene, error);
  if (status) return status;
  pl_render_stage stage = {.scene = scene, .allocator = pl_allocator_or_default(allocator)};
  pl_image new_image = {.width = scene->width, .height = scene->height, .channels = 3};
  size_t count = (size_t)scene->width * (size_t)scene->height;
  new_image.pixels = pl_alloc(&stage.allocator, count, 3);
  status = new_image.pixels ? render(&stage, &new_image, error) : pl_fail_memory(error);
  stage_free(&stage);
  if (status)
    pl_image_free(&stage.allocator, &new_image);
  else
    *image = new_image;
  return status;
}

pl_status pl_render_png(const pl_render *scene, pl_text *out, pl_error *error)
{
  pl_image image;
  pl_status status = pl_render_image(scene, &out->allocator, &image, error);
  if (!status) status = pl_png_write(&image, out, error);
  pl_image_free(&out->allocator, &image);
  return status;
}
