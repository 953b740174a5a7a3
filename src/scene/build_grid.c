/* Grids of a scene: Bezier curves, patches and solids, and single particles of bodies. */
#include "core/error.h"
#include "mesh/grid.h"
#include "scene/reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* "40", "9 9" or "5 5 5": how many axes there are and the particles along them. */
static pl_status parse_counts(const char *text, pl_bezier_def *def, pl_error *error)
{
  const char *at = text;
  for (def->axes = 0; def->axes < 3; def->axes++) {
    char *end;
    long count = strtol(at, &end, 10);
    if (end == at) break;
    def->particles[def->axes] = count < 0               ? 0
                                : count > PL_MOST_ALONG ? PL_MOST_ALONG + 1
                                                        : (int)count;
    at = end;
  }
  if (def->axes >= 1 && strspn(at, " \t") == strlen(at)) return PL_OK;
  return pl_fail(
      error, PL_E_ARGUMENT,
      "particles = \"%.80s\" must be one count (a curve), two (a patch) or three (a solid)", text);
}

static pl_status parse_around(const char *text, pl_bezier_def *def, pl_error *error)
{
  const char *axes = def->axes == 3 ? "lmn" : def->axes == 2 ? "mn" : "m";
  for (; text && *text; text++) {
    const char *axis = strchr(axes, *text);
    if (!axis)
      return pl_fail(error, PL_E_ARGUMENT, "around has the letter '%c'; the axes are %s", *text,
                     def->axes == 3   ? "l, m and n"
                     : def->axes == 2 ? "m and n"
                                      : "m alone");
    def->wraps[axis - axes] = 1;
  }
  return PL_OK;
}

pl_status pl_reader_bezier(pl_reader *reader, int index, pl_mesh **mesh, int *where,
                           pl_error *error)
{
  const pl_item *items = reader->items, *item = &items[index];
  int count = item->end - index - 1;
  pl_bezier_def def = {.order = (int)pl_item_number(item, "order")};
  *where = index;
  pl_status status = parse_counts(pl_item_text(item, "particles"), &def, error);
  if (!status) status = parse_around(pl_item_text(item, "around"), &def, error);
  if (status) return status;
  int needed = pl_bezier_points(def.axes, def.order);
  if (count != needed)
    return pl_fail(error, PL_E_ARGUMENT, "has %d control points; a %s of order %d needs %d", count,
                   def.axes == 3   ? "solid"
                   : def.axes == 2 ? "patch"
                                   : "curve",
                   def.order, needed);
  double *points = pl_reader_alloc(reader, (size_t)count, 3 * sizeof *points);
  if (!points) return PL_OK;
  for (int i = 0; i < count; i++) pl_item_numbers(&items[index + 1 + i], "at", points + 3 * i);
  def.points = points;
  return pl_mesh_bezier(&def, &reader->def->allocator, mesh, error);
}

/* What an item says of its particles. */
static pl_particle particle_of(const pl_item *item)
{
  pl_particle one = {.mass = NAN, .damping = NAN};
  for (int i = 0; i < 6; i++) one.tension[i] = NAN;
  double rigidity[3] = {NAN, NAN, NAN}, twist = NAN;
  pl_item_numbers(item, "mass", &one.mass);
  pl_item_numbers(item, "damping", &one.damping);
  pl_item_numbers(item, "tension", one.tension);
  pl_item_numbers(item, "shear", one.tension + 3);
  pl_item_numbers(item, "rigidity", rigidity);
  pl_item_numbers(item, "twist", &twist);
  one.rigidity[0] = rigidity[0];
  one.rigidity[1] = rigidity[1];
  one.rigidity[2] = twist;
  return one;
}

/* The particles of one item behind those in list, or only their count. */
static int list_particles(const pl_grid *grid, const int first[3], const int last[3],
                          const pl_particle *one, pl_particle *list)
{
  int count = 0, at[3];
  for (at[2] = first[2]; at[2] <= last[2]; at[2]++) {
    for (at[1] = first[1]; at[1] <= last[1]; at[1]++) {
      for (at[0] = first[0]; at[0] <= last[0]; at[0]++, count++) {
        if (!list) continue;
        list[count] = *one;
        list[count].node = pl_grid_node(grid, at);
      }
    }
  }
  return count;
}

int pl_reader_particles(pl_reader *reader, int index, pl_body_def *def)
{
  const pl_item *items = reader->items;
  const pl_grid *grid = def->mesh->grid;
  pl_particle *list = NULL;
  int bad = 0;
  for (int pass = 0; pass < 2 && !bad && !reader->stopped; pass++) {
    if (pass) list = pl_reader_alloc(reader, (size_t)def->particles.count, sizeof *list);
    if (pass && !list) return 0;
    def->particles.count = 0;
    for (int i = index + 1; i < items[index].end; i = items[i].end) {
      if (!pl_item_is(&items[i], "particle")) continue;
      int first[3], last[3];
      pl_error error;
      pl_status status = PL_OK;
      if (!grid)
        status = pl_fail(&error, PL_E_ARGUMENT,
                         "the body's mesh is no grid; take a <lattice> or a <bezier>");
      else if (!items[i].bad)
        status = pl_grid_parse(grid, pl_item_text(&items[i], "at"), first, last, &error);
      bad |= items[i].bad || pl_reader_failed(reader, i, status, &error);
      if (bad) continue;
      pl_particle one = particle_of(&items[i]);
      def->particles.count +=
          list_particles(grid, first, last, &one, list ? list + def->particles.count : NULL);
    }
  }
  def->particles.list = list;
  return !bad;
}
