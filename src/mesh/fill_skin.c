/* Filling a surface so that the surface lies inside the elements.
 *
 * A filling is good if the elements hold the surface (pl_embed_holds), and if they hang together in
 * no more pieces than the surface, those that reach into others (a handle that ends in a pot)
 * counted as one: otherwise thin parts (handles, ears) have been lost or torn. Where neither a
 * method nor a size is asked for, one that is not good is filled again with twice and four times as
 * many elements, and at last as a cage, which holds every point of the surface. The same is done
 * where elements join pieces that lie apart: by few nodes as a rule, hinges that turn inside out
 * under the first load. Smaller elements part the pieces, cells of a cage join them by their faces,
 * which a note says. */
#include "core/error.h"
#include "core/family.h"
#include "core/memory.h"
#include "core/text.h"
#include "math/vec3.h"
#include "mesh/embed.h"
#include "mesh/pieces.h"

#include <math.h>
#include <string.h>

enum { MOST_CHECKED = 50000, ASKED = 200, FINER = 2 };

/* How a filling covers the surface. */
typedef struct coverage {
  pl_embed_outside outside; /* of the surface's points; the limit is edge */
  double edge;              /* mean of the elements, m */
  int pieces;               /* of the elements */
  int bodies;               /* of the inside of the surface */
  int apart;                /* those of them whose boxes do not meet */
} coverage;

/* Does the surface have an inside? Behind a closed surface the winding number is 1, behind an open
 * sheet 1/2 or less. */
static int has_inside(const pl_skin *skin)
{
  int step = 1 + skin->triangle_count / ASKED, asked = 0, inside = 0;
  for (int t = 0; t < skin->triangle_count; t += step, asked++) {
    const int *nodes = skin->triangles + 3 * (size_t)t;
    const double *a = skin->points + 3 * (size_t)nodes[0];
    double u[3], v[3], normal[3], place[3];
    pl_vec3_sub(skin->points + 3 * (size_t)nodes[1], a, u);
    pl_vec3_sub(skin->points + 3 * (size_t)nodes[2], a, v);
    pl_vec3_cross(u, v, normal);
    double depth = 1e-3 / sqrt(sqrt(pl_vec3_dot(normal, normal)));
    for (int k = 0; k < 3; k++) place[k] = a[k] + (u[k] + v[k]) / 3 - depth * normal[k];
    inside += pl_skin_winding(skin, place) > 0.6;
  }
  return 20 * inside >= asked;
}

static pl_status fail_open(const pl_skin *skin, pl_error *error)
{
  return pl_fail(error, PL_E_MESH,
                 "the surface is open, with %d edges of one triangle, and encloses nothing to be "
                 "filled; close it, or simulate it as a sheet: kind=\"sheet\" of a mesh, "
                 "model=\"cloth\" of its body",
                 skin->facts.open_edges);
}

static pl_status check_inside(const pl_skin *skin, pl_error *error)
{
  double longest = 0;
  for (int k = 0; k < 3; k++) longest = fmax(longest, skin->high[k] - skin->low[k]);
  for (int k = 0; k < 3; k++) {
    double extent = skin->high[k] - skin->low[k];
    if (extent < 1e-5 * longest)
      return pl_fail(error, PL_E_MESH,
                     "the surface is flat, %g m along %c, and encloses nothing to be filled; give "
                     "it a thickness, or simulate it as a sheet: kind=\"sheet\" of a mesh, "
                     "model=\"cloth\" of its body",
                     extent, "xyz"[k]);
  }
  return has_inside(skin) ? PL_OK : fail_open(skin, error);
}

static pl_status measure_outside(const pl_skin *skin, const pl_mesh *mesh, coverage *c,
                                 pl_error *error)
{
  // some of the points, evenly
  int step = 1 + skin->point_count / MOST_CHECKED, count = (skin->point_count - 1) / step + 1;
  double *points = pl_alloc(&skin->allocator, 3 * (size_t)count, sizeof *points);
  if (!points) return pl_fail_memory(error);
  for (size_t i = 0; i < (size_t)count; i++)
    pl_vec3_copy(skin->points + 3 * i * (size_t)step, points + 3 * i);
  pl_embed *embed;
  pl_status status = pl_embed_create(mesh, count, points, &skin->allocator, &embed, error);
  if (!status) c->outside = pl_embed_measure(embed, c->edge);
  pl_embed_destroy(embed);
  pl_free(&skin->allocator, points);
  return status;
}

static pl_status measure(const pl_skin *skin, const pl_mesh *mesh, coverage *c, pl_error *error)
{
  pl_mesh_facts facts;
  pl_status status = pl_mesh_measure(mesh, &facts, error);
  if (status) return status;
  c->edge = facts.mean_edge;
  c->pieces = facts.pieces;
  return measure_outside(skin, mesh, c, error);
}

static int is_good(const coverage *c)
{
  return pl_embed_holds(&c->outside, c->edge) && c->pieces <= c->bodies;
}

/* Do elements reach from one piece to another? */
static int is_joined(const coverage *c) { return c->pieces < c->apart; }

/* c->edge is 0 where no element fitted. */
static void report_coverage(const coverage *c, const char *name, const char *what,
                            const pl_log *log, pl_level level)
{
  if (c->edge == 0)
    pl_log_write(log, level, "%s: no element fits into the shape; %s", name, what);
  else if (is_joined(c) && is_good(c))
    pl_log_write(log, level, "%s: elements with an edge of %.3g m join pieces that lie apart; %s",
                 name, c->edge, what);
  else if (c->pieces > c->bodies)
    pl_log_write(log, level, "%s: the elements hang together in %d pieces, the surface in %d; %s",
                 name, c->pieces, c->bodies, what);
  else
    pl_log_write(log, level,
                 "%s: %.1f %% of the surface lie outside of the elements by more than an edge of "
                 "%.3g m, up to %.3g m; %s",
                 name, 100 * c->outside.share, c->edge, c->outside.max, what);
}

/* The same choice with another number of elements, or a cage. */
static pl_status fill_again(const pl_fill_job *job, const pl_skin *skin, double elements,
                            int as_cage, pl_mesh **mesh, pl_error *error)
{
  pl_setting settings[PL_MOST_VALUES + 1];
  pl_choice choice = {as_cage ? "cage" : NULL, settings, 0};
  pl_volume volume = pl_skin_volume(skin);
  settings[choice.setting_count++] = (pl_setting){.name = "elements", .value = {elements}};
  for (int i = 0; i < job->filler.setting_count && !as_cage && i < PL_MOST_VALUES; i++) {
    if (strcmp(job->filler.settings[i].name, "elements") != 0)
      settings[choice.setting_count++] = job->filler.settings[i];
  }
  return pl_fill(&volume, &choice, job->allocator, mesh, error);
}

/* One that is better than the given mesh, which is replaced: finer, or a cage. */
static pl_status improve(const pl_fill_job *job, double elements, coverage *c, pl_mesh **mesh,
                         pl_error *error)
{
  const pl_skin *skin = job->skin;
  char what[96];
  coverage before = *c;
  for (int k = 1; k <= FINER + 1; k++) {
    int as_cage = k > FINER;
    // a cage would surround an open sheet, too
    if (as_cage && c->edge == 0 && skin->facts.open_edges) return fail_open(skin, error);
    double count = as_cage ? elements : ldexp(elements, k);
    pl_mesh_destroy(*mesh);
    *mesh = NULL;
    pl_status status = fill_again(job, skin, count, as_cage, mesh, error);
    if (!status) status = measure(skin, *mesh, c, error);
    if (status && (as_cage || status != PL_E_ARGUMENT)) return status;
    if (!status && (as_cage || (is_good(c) && !is_joined(c)))) break;
  }
  pl_print(what, sizeof what,
           c->outside.max > 0 ? "filled with %d elements instead"
                              : "filled by a cage of %d elements instead",
           pl_mesh_element_count(*mesh));
  report_coverage(&before, job->name, what, job->log, PL_NOTE);
  return PL_OK;
}

/* Neighbours that one element reaches move as one. */
static void report_joined(const coverage *c, const char *name, const pl_log *log)
{
  if (!is_joined(c)) return;
  pl_log_write(log, PL_NOTE,
               "%s: of %d pieces that lie apart, some are nearer to each other than an edge of "
               "%.3g m and move as one: the elements hang together in %d; take more elements to "
               "part them",
               name, c->apart, c->edge, c->pieces);
}

static pl_status fill_and_measure(const pl_fill_job *job, const double *values, coverage *c,
                                  pl_mesh **mesh, pl_error *error)
{
  pl_volume volume = pl_skin_volume(job->skin);
  int is_open = !job->filler.name && isnan(values[0]);
  pl_status status = pl_fill(&volume, &job->filler, job->allocator, mesh, error);
  int is_empty = status == PL_E_ARGUMENT && is_open;
  if (!status) status = measure(job->skin, *mesh, c, error);
  if (status && !is_empty) return status;
  if (!is_empty && is_good(c) && !(is_open && is_joined(c))) return PL_OK;
  if (is_open) return improve(job, values[1], c, mesh, error);
  report_coverage(c, job->name,
                  "thin parts may be torn: make the elements smaller, or use the method cage",
                  job->log, PL_WARNING);
  return PL_OK;
}

pl_status pl_fill_skin(const pl_fill_job *job, pl_mesh **mesh, pl_error *error)
{
  *mesh = NULL;
  const pl_member *member;
  double values[PL_MOST_VALUES];
  coverage c = {0};
  pl_status status = pl_choice_resolve(&pl_filler_family, &job->filler, &member, values, error);
  if (!status) status = check_inside(job->skin, error);
  if (!status) status = pl_skin_count_pieces(job->skin, &c.bodies, &c.apart, error);
  if (!status) status = fill_and_measure(job, values, &c, mesh, error);
  if (!status) {
    report_joined(&c, job->name, job->log);
    return PL_OK;
  }
  pl_mesh_destroy(*mesh);
  *mesh = NULL;
  return status;
}

pl_status pl_mesh_fill(const pl_surface_def *def, pl_mesh **mesh, pl_error *error)
{
  if (!def || !mesh)
    return pl_fail(error, PL_E_ARGUMENT, "pl_mesh_fill needs a surface and a place for the mesh");
  *mesh = NULL;
  if (!def->points || !def->triangles)
    return pl_fail(error, PL_E_ARGUMENT, "a surface needs points and triangles");
  pl_skin *skin;
  pl_skin_def surface = {.point_count = def->point_count,
                         .triangle_count = def->triangle_count,
                         .points = def->points,
                         .triangles = def->triangles,
                         .allocator = def->allocator};
  pl_status status = pl_skin_create(&surface, &skin, error);
  if (status) return status;
  pl_fill_job job = {.skin = skin,
                     .filler = def->filler,
                     .name = "surface",
                     .log = def->log,
                     .allocator = def->allocator};
  status = pl_fill_skin(&job, mesh, error);
  pl_skin_destroy(skin);
  return status;
}
