/* Light and shadow.
 *
 * A large lamp and the sky are many small distant lights. For each of them the scene is drawn once
 * as seen from the light, keeping only the depth of the first surface (Williams 1978); a point is
 * lit by it if nothing lies in front, judged by four neighbouring depths (Reeves et al. 1987). The
 * sum over all lights has soft shadows and dark corners without any random numbers. */
#include "core/memory.h"
#include "picture/render_parts.h"

enum { LAMP_PARTS = 24, LAMP_MAP = 512, SKY_PARTS = 48, SKY_MAP = 256, GROUND = 640 };

static const float LAMP_LIGHT = 0.66f, SKY_LIGHT = 0.46f;
static const float LAMP_SPREAD = 0.13f; /* half opening, rad */
static const float SKY_REACH = 1.6f;    /* how far things darken each other's sky */
static const float GROUND_REACH = 3;    /* shadows are looked for this far from the middle */
static const float MAP_REACH = 1.01f;   /* a depth map shows -MAP_REACH to MAP_REACH */
static const float LIFT = 2.2f;         /* points are lifted off their own surface, in depths */

/* Two directions across a third. */
static void across(pl_v3 axis, pl_v3 *right, pl_v3 *up)
{
  pl_v3 other = fabsf(axis.z) < 0.7f ? (pl_v3){0, 0, 1} : (pl_v3){1, 0, 0};
  *right = pl_v3_unit(pl_v3_cross(other, axis));
  *up = pl_v3_cross(axis, *right);
}

/* ---- depth maps ---- */

static float map_place(const pl_render_lamp *lamp, float x)
{
  return (x / MAP_REACH + 1) * (0.5f * (float)lamp->size) - 0.5f;
}

/* Grows towards the light; all bodies lie in 0..65535. */
static float depth_of(float z) { return (z / MAP_REACH + 1) * 32767.0f; }

/* Place and depth of a point in a light's map. */
static pl_v3 in_map(const pl_render_lamp *lamp, pl_v3 p)
{
  return (pl_v3){map_place(lamp, pl_v3_dot(p, lamp->right)),
                 map_place(lamp, pl_v3_dot(p, lamp->up)), depth_of(pl_v3_dot(p, lamp->towards))};
}

/* Narrows the range of k in which value + k * step is not negative, with 1 / step given. */
static void narrow(float value, float step, float inverse, int *first, int *last)
{
  enum { FAR = 4096 }; // beyond every row; makes numbers positive, so that they round down
  float k = pl_max(pl_min(-value * inverse, FAR), -FAR);
  int floor = (int)(k + FAR) - FAR, ceiling = FAR - (int)(FAR - k);
  if (step > 0)
    *first = ceiling > *first ? ceiling : *first;
  else if (step < 0)
    *last = floor < *last ? floor : *last;
  else if (value < 0)
    *last = -1;
}

/* Keeps the depths of a triangle where they are the first; corners are places and depths. */
static void draw_depths(pl_render_lamp *lamp, const pl_v3 *p)
{
  float x0 = pl_min(p[0].x, pl_min(p[1].x, p[2].x));
  float x1 = pl_max(p[0].x, pl_max(p[1].x, p[2].x));
  float y0 = pl_min(p[0].y, pl_min(p[1].y, p[2].y));
  float y1 = pl_max(p[0].y, pl_max(p[1].y, p[2].y));
  // nothing lies left of or above the map, so conversion rounds down
  int left = (int)x0 + 1, right = (int)x1, top = (int)y0 + 1, low = (int)y1;
  float area = (p[1].x - p[0].x) * (p[2].y - p[0].y) - (p[1].y - p[0].y) * (p[2].x - p[0].x);
  if (left > right || top > low || area == 0) return;

  // the inner coordinates as linear functions of the place; inside, none is negative
  pl_v3 along[3], inverse;
  for (int k = 0; k < 3; k++) {
    const pl_v3 *a = &p[(k + 1) % 3], *b = &p[(k + 2) % 3];
    float dx = -(b->y - a->y) / area, dy = (b->x - a->x) / area;
    along[k] = (pl_v3){dx, dy, dx * ((float)left - a->x) + dy * ((float)top - a->y)};
  }
  inverse = (pl_v3){1 / along[0].x, 1 / along[1].x, 1 / along[2].x};
  float step = along[0].x * p[0].z + along[1].x * p[1].z + along[2].x * p[2].z;
  for (int y = top; y <= low; y++) {
    int first = 0, last = right - left;
    narrow(along[0].z, along[0].x, inverse.x, &first, &last);
    narrow(along[1].z, along[1].x, inverse.y, &first, &last);
    narrow(along[2].z, along[2].x, inverse.z, &first, &last);
    float depth = along[0].z * p[0].z + along[1].z * p[1].z + along[2].z * p[2].z;
    uint16_t *row = lamp->depths + y * lamp->size + left;
    for (int k = first; k <= last; k++) {
      float here = depth + (float)k * step;
      if (here > row[k]) row[k] = (uint16_t)pl_min(here, 65535);
    }
    for (int k = 0; k < 3; k++) along[k].z += along[k].y;
  }
}

static void draw_map(const pl_render_stage *stage, pl_render_lamp *lamp, pl_v3 *seen)
{
  for (int i = 0; i < stage->node_count; i++) {
    pl_v3 p = stage->nodes[i];
    seen[i] =
        (pl_v3){map_place(lamp, pl_v3_dot(p, lamp->right)), map_place(lamp, pl_v3_dot(p, lamp->up)),
                depth_of(pl_v3_dot(p, lamp->towards))};
  }
  for (int t = 0; t < stage->triangle_count; t++) {
    const int *nodes = stage->triangles[t].nodes;
    if (stage->scene->bodies[stage->triangles[t].body].open) continue; // light falls in
    pl_v3 corners[3] = {seen[nodes[0]], seen[nodes[1]], seen[nodes[2]]};
    draw_depths(lamp, corners);
  }
}

/* How much of the light a surface at a depth keeps from a point at another. */
static float hidden(float surface, float point, float reach)
{
  return surface <= point ? 0 : pl_min(1, pl_max(0, 2 - 2 * (surface - point) / reach));
}

/* The part of the light that the four depths around a place let through. */
static float visible(const pl_render_lamp *lamp, pl_v3 place)
{
  int last = lamp->size - 1;
  float x = place.x, y = place.y;
  if (!(x >= 0 && y >= 0 && x < (float)last && y < (float)last)) return 1;
  int column = (int)x, row = (int)y;
  float u = x - (float)column, v = y - (float)row, reach = 32767 * lamp->reach;
  float depth = pl_max(place.z, 0); // where there is no surface the map holds 0
  const uint16_t *at = lamp->depths + row * lamp->size + column;
  const uint16_t *next = at + lamp->size;
  float above = (1 - u) * hidden(at[0], depth, reach) + u * hidden(at[1], depth, reach);
  float below = (1 - u) * hidden(next[0], depth, reach) + u * hidden(next[1], depth, reach);
  return 1 - above - v * (below - above);
}

/* ---- lights ---- */

/* Points spread evenly over a disc (golden angle). */
static void spread(int i, int count, float *x, float *y)
{
  float radius = sqrtf(((float)i + 0.5f) / (float)count), angle = 2.39996323f * (float)i;
  *x = radius * cosf(angle);
  *y = radius * sinf(angle);
}

static void place_lights(pl_render_stage *stage)
{
  // the lamp hangs high, in front and to the left as the camera sees it
  pl_v3 front =
      pl_v3_sub(stage->forward, pl_v3_scale(pl_v3_dot(stage->forward, stage->sky), stage->sky));
  front = pl_v3_unit(front);
  pl_v3 key = pl_v3_add(pl_v3_scale(0.92f, stage->sky), pl_v3_scale(-0.42f, front));
  stage->key = pl_v3_unit(pl_v3_add(key, pl_v3_scale(-0.62f, stage->right)));

  // a disc of directions around it, and the sky's half sphere, each of equal light on the ground
  pl_v3 right, up, sky_right, sky_up;
  across(stage->key, &right, &up);
  across(stage->sky, &sky_right, &sky_up);
  for (int i = 0; i < stage->lamp_count; i++) {
    pl_render_lamp *lamp = &stage->lamps[i];
    float x, y;
    if (i < LAMP_PARTS) {
      spread(i, LAMP_PARTS, &x, &y);
      pl_v3 aside =
          pl_v3_add(pl_v3_scale(LAMP_SPREAD * x, right), pl_v3_scale(LAMP_SPREAD * y, up));
      lamp->towards = pl_v3_unit(pl_v3_add(stage->key, aside));
      lamp->strength = LAMP_LIGHT / LAMP_PARTS;
      lamp->reach = 1e6f;
      lamp->size = LAMP_MAP;
    } else {
      // height spread evenly: all of the sky is equally bright
      spread(i - LAMP_PARTS, SKY_PARTS, &x, &y);
      float height = 1 - x * x - y * y, flat = sqrtf((1 - height * height) / (x * x + y * y));
      pl_v3 aside = pl_v3_add(pl_v3_scale(flat * x, sky_right), pl_v3_scale(flat * y, sky_up));
      lamp->towards = pl_v3_add(pl_v3_scale(height, stage->sky), aside);
      lamp->strength = 2 * SKY_LIGHT / SKY_PARTS;
      lamp->reach = SKY_REACH;
      lamp->size = SKY_MAP;
    }
    across(lamp->towards, &lamp->right, &lamp->up);
  }
}

void pl_stage_illuminate(const pl_render_stage *stage, pl_fragment *fragments, int count)
{
  // light by light, so that its map stays at hand
  for (int i = 0; i < stage->lamp_count; i++) {
    const pl_render_lamp *lamp = &stage->lamps[i];
    float lift = LIFT / (float)lamp->size;
    for (int k = 0; k < count; k++) {
      pl_fragment *f = &fragments[k];
      float slope = pl_v3_dot(f->normal, lamp->towards);
      if (slope <= 0) continue;
      pl_v3 off = pl_v3_scale(lift, pl_v3_add(f->normal, lamp->towards));
      pl_v3 p = pl_v3_add(f->point, off);
      float part = visible(lamp, in_map(lamp, p));
      if (i < LAMP_PARTS) {
        f->lamp += lamp->strength * slope * part;
        f->seen += part / LAMP_PARTS;
      } else {
        f->sky += lamp->strength * slope * part;
      }
    }
  }
}

/* ---- the ground ---- */

/* Coordinates of the ground: along right and front as the camera sees them. */
static pl_v3 ground_front(const pl_render_stage *stage)
{
  return pl_v3_cross(stage->sky, stage->right);
}

/* Takes from the ground what the scene keeps of one light. Along a row of points the place in the
 * light's map moves in equal steps. */
static void shade_ground(pl_render_stage *stage, const pl_render_lamp *lamp, float part)
{
  const float step = 2 * GROUND_REACH / (GROUND - 1);
  pl_v3 front = ground_front(stage), lift = pl_v3_scale(LIFT / (float)lamp->size, lamp->towards);
  for (int row = 0; row < GROUND; row++) {
    float y = (float)row * step - GROUND_REACH;
    pl_v3 p = pl_v3_add(pl_v3_scale(-GROUND_REACH, stage->right), pl_v3_scale(y, front));
    p = pl_v3_add(pl_v3_add(p, lift), pl_v3_scale(stage->ground, stage->sky));
    pl_v3 start = in_map(lamp, p);
    pl_v3 end = in_map(lamp, pl_v3_add(p, pl_v3_scale(2 * GROUND_REACH, stage->right)));
    pl_v3 move = pl_v3_scale(1.0f / (GROUND - 1), pl_v3_sub(end, start));
    int first = 0, last = GROUND - 1;
    float max = (float)lamp->size - 1;
    narrow(start.x, move.x, 1 / move.x, &first, &last);
    narrow(start.y, move.y, 1 / move.y, &first, &last);
    narrow(max - start.x, -move.x, -1 / move.x, &first, &last);
    narrow(max - start.y, -move.y, -1 / move.y, &first, &last);
    for (int column = first; column <= last; column++) {
      pl_v3 at = pl_v3_add(start, pl_v3_scale((float)column, move));
      stage->lit[row * GROUND + column] -= part * (1 - visible(lamp, at));
    }
  }
}

static void light_ground(pl_render_stage *stage)
{
  float open = 0;
  for (int i = 0; i < stage->lamp_count; i++) {
    open += stage->lamps[i].strength * pl_v3_dot(stage->sky, stage->lamps[i].towards);
  }
  for (int i = 0; i < GROUND * GROUND; i++) stage->lit[i] = 1;
  for (int i = 0; i < stage->lamp_count; i++) {
    const pl_render_lamp *lamp = &stage->lamps[i];
    shade_ground(stage, lamp, lamp->strength * pl_v3_dot(stage->sky, lamp->towards) / open);
  }
}

float pl_stage_ground_light(const pl_render_stage *stage, pl_v3 point)
{
  float x = (pl_v3_dot(point, stage->right) / GROUND_REACH + 1) * 0.5f * (GROUND - 1);
  float y = (pl_v3_dot(point, ground_front(stage)) / GROUND_REACH + 1) * 0.5f * (GROUND - 1);
  if (!(x >= 0 && y >= 0 && x < GROUND - 1 && y < GROUND - 1)) return 1;
  int column = (int)x, row = (int)y;
  float u = x - (float)column, v = y - (float)row;
  const float *at = stage->lit + row * GROUND + column;
  float above = at[0] + u * (at[1] - at[0]);
  float below = at[GROUND] + u * (at[GROUND + 1] - at[GROUND]);
  return above + v * (below - above);
}

pl_status pl_stage_light(pl_render_stage *stage, pl_error *error)
{
  enum { LAMP_SIZE = LAMP_MAP * LAMP_MAP, SKY_SIZE = SKY_MAP * SKY_MAP };
  const pl_allocator *allocator = &stage->allocator;
  stage->lamps = pl_alloc(allocator, LAMP_PARTS + SKY_PARTS, sizeof *stage->lamps);
  stage->lit = pl_alloc(allocator, GROUND * GROUND, sizeof *stage->lit);
  pl_v3 *seen = pl_alloc(allocator, (size_t)stage->node_count, sizeof *seen);
  uint16_t *depths = NULL;
  int ok = stage->lamps && stage->lit && seen;
  if (ok) {
    depths = pl_alloc(allocator, LAMP_PARTS * LAMP_SIZE + SKY_PARTS * SKY_SIZE, sizeof *depths);
  }
  if (depths) {
    stage->lamp_count = LAMP_PARTS + SKY_PARTS;
    place_lights(stage);
    uint16_t *next = depths;
    for (int i = 0; i < stage->lamp_count; i++) {
      stage->lamps[i].depths = next;
      draw_map(stage, &stage->lamps[i], seen);
      next += i < LAMP_PARTS ? LAMP_SIZE : SKY_SIZE;
    }
    if (stage->has_ground) light_ground(stage);
  }
  pl_free(allocator, seen);
  return depths ? PL_OK : pl_fail_memory(error);
}
