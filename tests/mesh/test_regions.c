/* Every region with random values: what is needed and not given is refused, a larger tolerance
 * takes nothing out, and a region that is moved with the mesh chooses the same nodes and faces. */
#include "core/family.h"
#include "mesh/region.h"
#include "mesh/select.h"
#include "test.h"

enum { TRIALS = 200, MOST = 8 };

static pl_mesh *make_box(const double origin[3])
{
  pl_setting settings[] = {{"size", {1, 1, 1}, NULL},
                           {"cells", {3, 4, 5}, NULL},
                           {"origin", {origin[0], origin[1], origin[2]}, NULL}};
  pl_mesh *mesh = NULL;
  CHECK_OK(pl_mesh_generate(&(pl_choice){"box", settings, 3}, NULL, &mesh, error));
  return mesh;
}

/* Values by the kind of each parameter: points in and around the unit cube, radii, directions. */
static void draw(const pl_member *member, pl_setting *settings)
{
  for (int i = 0; i < member->param_count; i++) {
    const pl_param *param = &member->params[i];
    settings[i] = (pl_setting){.name = param->name};
    for (int k = 0; k < pl_param_width(param); k++) {
      double x = test_uniform();
      int is_place = strcmp(param->unit, "m") == 0 && param->width == 3;
      settings[i].value[k] = is_place                             ? 0.5 + x
                             : strcmp(param->unit, "degree") == 0 ? 90 + 89 * x
                             : param->width == 3                  ? x
                                                                  : 0.6 + 0.5 * x;
    }
  }
}

/* Draws until the values go together. */
static void draw_checked(const pl_region_ops *ops, pl_setting *settings)
{
  double values[PL_MOST_VALUES];
  pl_status status = PL_E_ARGUMENT;
  for (int i = 0; i < 1000 && status; i++) {
    const pl_member *member;
    draw(&ops->info, settings);
    CHECK_OK(pl_choice_resolve(&pl_region_family,
                               &(pl_choice){ops->info.name, settings, ops->info.param_count},
                               &member, values, error));
    status = ops->check ? ops->check(values, NULL) : PL_OK;
  }
  CHECK(!status);
}

static int choose(const pl_mesh *mesh, const pl_member *member, const pl_setting *settings,
                  unsigned char *nodes, unsigned char *faces)
{
  int count[2] = {0};
  pl_selector where = {.region = {member->name, settings, member->param_count}};
  CHECK_OK(pl_mesh_select_nodes(mesh, &where, 1, nodes, &count[0], error));
  CHECK_OK(pl_mesh_select_faces(mesh, &where, 1, faces, &count[1], error));
  return count[0];
}

static void check_moved(const pl_region_ops *ops)
{
  // powers of two move without rounding
  const double here[3] = {0, 0, 0}, there[3] = {4, -8, 2};
  pl_mesh *mesh[2] = {make_box(here), make_box(there)};
  int nodes = mesh[0]->node_count, faces = mesh[0]->face_count, some = 0;
  unsigned char *chosen = calloc(2 * (size_t)(nodes + faces), 1);
  for (int trial = 0; trial < TRIALS; trial++) {
    pl_setting settings[MOST];
    draw_checked(ops, settings);
    int first = choose(mesh[0], &ops->info, settings, chosen, chosen + nodes);
    for (int i = 0; i < ops->info.param_count; i++) {
      const pl_param *param = &ops->info.params[i];
      int is_place = strcmp(param->unit, "m") == 0 && param->width == 3;
      for (int k = 0; k < 3 && is_place; k++) settings[i].value[k] += there[k];
    }
    unsigned char *second = chosen + nodes + faces;
    CHECK(choose(mesh[1], &ops->info, settings, second, second + nodes) == first);
    CHECK(memcmp(chosen, second, (size_t)(nodes + faces)) == 0);
    some += first > 0 && first < nodes;
  }
  // those with values choose this or that
  CHECK(some > 0 || !ops->info.param_count);
  pl_mesh_destroy(mesh[0]), pl_mesh_destroy(mesh[1]);
  free(chosen);
}

static void check_tolerance(const pl_region_ops *ops)
{
  for (int trial = 0; trial < TRIALS; trial++) {
    pl_setting settings[MOST];
    double values[PL_MOST_VALUES];
    const pl_member *member;
    draw_checked(ops, settings);
    CHECK_OK(pl_choice_resolve(&pl_region_family,
                               &(pl_choice){ops->info.name, settings, ops->info.param_count},
                               &member, values, error));
    double point[3], normal[3];
    for (int k = 0; k < 3; k++) point[k] = 0.5 + test_uniform(), normal[k] = test_uniform();
    int held = 0;
    for (double tolerance = 0; tolerance < 1; tolerance += 0.1) {
      int holds = ops->holds(values, point, normal, tolerance);
      CHECK(holds == 0 || holds == 1);
      CHECK(holds >= held);
      held = holds;
    }
  }
}

/* A parameter without a preset must be given. */
static void check_missing(const pl_region_ops *ops)
{
  const double here[3] = {0, 0, 0};
  pl_mesh *mesh = make_box(here);
  unsigned char *chosen = malloc((size_t)mesh->node_count);
  for (int i = 0; i < ops->info.param_count; i++) {
    pl_setting settings[MOST];
    int used = 0;
    draw_checked(ops, settings);
    if (!isnan(ops->info.params[i].preset)) continue;
    for (int k = 0; k < ops->info.param_count; k++) {
      if (k != i) settings[used++] = settings[k];
    }
    pl_selector where = {.region = {ops->info.name, settings, used}};
    CHECK_FAILS(pl_mesh_select_nodes(mesh, &where, 1, chosen, NULL, error), PL_E_ARGUMENT,
                ops->info.params[i].name);
  }
  free(chosen);
  pl_mesh_destroy(mesh);
}

static void every_region(void (*check)(const pl_region_ops *))
{
  for (int m = 0; pl_region_family.members[m]; m++) {
    int before = test_failures;
    CHECK(pl_region_family.members[m]->param_count <= MOST);
    check((const pl_region_ops *)(const void *)pl_region_family.members[m]);
    if (test_failures > before) printf("  with %s\n", pl_region_family.members[m]->name);
  }
}

TEST(regions_choose_the_same_when_all_is_moved) { every_region(check_moved); }
TEST(a_larger_tolerance_takes_nothing_out) { every_region(check_tolerance); }
TEST(what_is_needed_and_not_given_is_refused) { every_region(check_missing); }

TESTS(X(regions_choose_the_same_when_all_is_moved) X(a_larger_tolerance_takes_nothing_out)
          X(what_is_needed_and_not_given_is_refused))
