#include "io/backdrop.h"

#include "couple/contact.h"
#include "math/vec3.h"
#include "world/world.h"

#include <math.h>

/* The box around all finite nodes; 0 where there is none. */
static int find_box(const pl_render *render, double low[3], double high[3])
{
  int some = 0;
  for (int k = 0; k < 3; k++) {
    low[k] = INFINITY;
    high[k] = -INFINITY;
  }
  for (int b = 0; b < render->body_count; b++) {
    const pl_render_body *body = &render->bodies[b];
    for (int i = 0; i < body->node_count; i++) {
      const double *x = body->positions + 3 * (size_t)i;
      if (!isfinite(x[0]) || !isfinite(x[1]) || !isfinite(x[2])) continue;
      some = 1;
      for (int k = 0; k < 3; k++) {
        low[k] = fmin(low[k], x[k]);
        high[k] = fmax(high[k], x[k]);
      }
    }
  }
  return some;
}

/* A square around the middle, across the normal. */
static void spread(const double middle[3], const double normal[3], double reach, double corners[12])
{
  static const signed char signs[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
  double along[3] = {0}, across[3];
  along[fabs(normal[0]) < 0.7 ? 0 : 1] = 1;
  pl_vec3_add_scaled(-pl_vec3_dot(along, normal), normal, along);
  pl_vec3_scale(1 / pl_vec3_norm(along), along, along);
  pl_vec3_cross(normal, along, across);
  for (int c = 0; c < 4; c++) {
    double *corner = corners + 3 * c;
    pl_vec3_copy(middle, corner);
    pl_vec3_add_scaled(signs[c][0] * reach, along, corner);
    pl_vec3_add_scaled(signs[c][1] * reach, across, corner);
  }
}

void pl_backdrop_add(pl_backdrop *backdrop, const pl_world *world, pl_render_body *bodies,
                     pl_render *render)
{
  static const int face[4] = {0, 1, 2, 3};
  double low[3], high[3], centre[3], size;
  int sheets = 0, has_ground = 0;
  const pl_contact *contact = pl_world_contact(world);
  if (!contact || !find_box(render, low, high)) return;
  for (int k = 0; k < 3; k++) centre[k] = 0.5 * (low[k] + high[k]);
  size = pl_vec3_distance(low, high);
  for (size_t i = 0; i < contact->count; i++) {
    double normal[3], nearest[3];
    double away = pl_obstacle_gap(&contact->obstacles[i], centre, normal);
    pl_vec3_copy(centre, nearest);
    pl_vec3_add_scaled(-away, normal, nearest);
    if (!isfinite(away)) continue;
    if (normal[render->up] > 0.98 && !has_ground) {
      has_ground = 1;
      render->ground = nearest[render->up];
      // what they fall on is seen with them, where it is not too far
      low[render->up] = fmax(fmin(low[render->up], render->ground), low[render->up] - 2 * size);
    } else if (sheets < PL_MOST_SHEETS && pl_vec3_dot(normal, render->direction) >= 0) {
      spread(nearest, normal, 0.8 * size, backdrop->corners[sheets]);
      bodies[render->body_count++] = (pl_render_body){.node_count = 4,
                                                      .face_count = 1,
                                                      .nodes_per_face = 4,
                                                      .positions = backdrop->corners[sheets],
                                                      .faces = face,
                                                      .colour = {0.66f, 0.71f, 0.76f}};
      sheets++;
    }
  }
  pl_vec3_copy(low, render->least);
  pl_vec3_copy(high, render->most);
}
