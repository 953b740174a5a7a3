/* Sheets and rods that make little sense: each is refused by a sentence that says what is wrong, or
 * taken with a stated repair, and then moves without harm. docs/odd-cases.md is made from them. */
#include "pliant/world.h"

#include "up_to_date.h"

#include <math.h>

enum { MOST_SETTINGS = 6 };

typedef struct odd_case {
  const char *name, *message; /* message NULL: it is taken */
  const char *taken;          /* and how */
  int size, nodes, elements;  /* 3: cloth, 2: rods */
  double at[24];
  int list[18];
  pl_setting settings[MOST_SETTINGS];
  double density, young, poisson; /* 0: the usual ones, negative: 0 */
  pl_crease crease;
  pl_curve_def curve;
  int fix_all;
} odd_case;

#define WORD(NAME, VALUE)                                                                          \
  {                                                                                                \
    NAME, {0}, VALUE                                                                               \
  }
#define NUMBER_OF(NAME, VALUE)                                                                     \
  {                                                                                                \
    NAME, {VALUE}, NULL                                                                            \
  }

#define SQUARE                                                                                     \
  .size = 3, .nodes = 4, .elements = 2, .at = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0},                \
  .list = {0, 1, 2, 0, 2, 3}
#define LINE                                                                                       \
  .size = 2, .nodes = 3, .elements = 2, .at = {0, 0, 0, 1, 0, 0, 2, 0, 0}, .list = {0, 1, 1, 2}

static const pl_selector everywhere = {.region = {"all", NULL, 0}};
static const pl_setting far_ball[] = {{"centre", {9, 9, 9}, NULL}, {"radius", {0.1}, NULL}};
static const pl_selector nowhere = {.region = {"sphere", far_ball, 2}};
static const double up[] = {0, 0.1, 0.2}, rises[] = {0, 5, 9}, falls[] = {0, 5, 4},
                    lifted[] = {1, 5, 9};

static const odd_case odd_cases[] = {
    {"triangle on a line", "lie on a line", .size = 3, .nodes = 3, .elements = 1,
     .at = {0, 0, 0, 1, 0, 0, 2, 0, 0}, .list = {0, 1, 2}},
    {"triangle nearly on a line", "lie on a line", .size = 3, .nodes = 3, .elements = 1,
     .at = {0, 0, 0, 1, 0, 0, 2, 1e-14, 0}, .list = {0, 1, 2}},
    {"node twice in a triangle", "node", .size = 3, .nodes = 3, .elements = 1,
     .at = {0, 0, 0, 1, 0, 0, 0, 1, 0}, .list = {0, 1, 1}},
    {"the same triangle twice", "same three nodes", .size = 3, .nodes = 3, .elements = 2,
     .at = {0, 0, 0, 1, 0, 0, 0, 1, 0}, .list = {0, 1, 2, 0, 1, 2}},
    {"node that is not there", "node", .size = 3, .nodes = 3, .elements = 1,
     .at = {0, 0, 0, 1, 0, 0, 0, 1, 0}, .list = {0, 1, 7}},
    {"place that is no number", "coordinate", .size = 3, .nodes = 3, .elements = 1,
     .at = {0, 0, 0, NAN, 0, 0, 0, 1, 0}, .list = {0, 1, 2}},
    {"no triangle", "no elements", .size = 3, .nodes = 3, .elements = 0,
     .at = {0, 0, 0, 1, 0, 0, 0, 1, 0}, .list = {0}},
    {"folded by 180 degrees", "folded onto each other", .size = 3, .nodes = 4, .elements = 2,
     .at = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0.1, 1, 0}, .list = {0, 1, 2, 1, 0, 3}},
    {"folded by 180 degrees, flat at rest", NULL, "its angles at rest are 0: it opens", .size = 3,
     .nodes = 4, .elements = 2, .at = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0.1, 1, 0},
     .list = {0, 1, 2, 1, 0, 3}, .settings = {WORD("rest-angles", "flat")}},
    {"three panels at an edge", NULL, "each bends against the next, so there are two hinges",
     .size = 3, .nodes = 5, .elements = 3,
     .at = {0, 0, 0, 1, 0, 0, 0.5, 1, 0, 0.5, -1, 0, 0.5, 0, 1},
     .list = {0, 1, 2, 0, 1, 3, 1, 0, 4}},
    {"three panels at an edge of a plate", "meet at the edge", .size = 3, .nodes = 5, .elements = 3,
     .at = {0, 0, 0, 1, 0, 0, 0.5, 1, 0, 0.5, -1, 0, 0.5, 0, 1},
     .list = {0, 1, 2, 1, 0, 3, 1, 0, 4}, .settings = {WORD("bending", "edge")}},
    {"sides that differ", "run the same way", .size = 3, .nodes = 4, .elements = 2,
     .at = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0}, .list = {0, 1, 2, 0, 3, 2},
     .settings = {WORD("bending", "edge")}},
    {"sides that differ, of hinges", NULL, "hinges do not ask which side is up", .size = 3,
     .nodes = 4, .elements = 2, .at = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0},
     .list = {0, 1, 2, 0, 3, 2}},
    {"triangles that share a node only", NULL, "there is no hinge between them", .size = 3,
     .nodes = 5, .elements = 2, .at = {0, 0, 0, 1, 0, 0, 0, 1, 0, -1, 0, 0, 0, -1, 0},
     .list = {0, 1, 2, 0, 3, 4}},
    {"node of no triangle", NULL, "it is dropped", .size = 3, .nodes = 4, .elements = 1,
     .at = {0, 0, 0, 1, 0, 0, 0, 1, 0, 5, 5, 5}, .list = {0, 1, 2}},
    {"one triangle", NULL, "it stretches and has nothing to bend", .size = 3, .nodes = 3,
     .elements = 1, .at = {0, 0, 0, 1, 0, 0, 0, 1, 0}, .list = {0, 1, 2}},
    {"sliver", NULL, "as it is; explicit methods say how small their step must be", .size = 3,
     .nodes = 3, .elements = 1, .at = {0, 0, 0, 1, 0, 0, 0.5, 1e-5, 0}, .list = {0, 1, 2}},
    {"all nodes held", NULL, "nothing moves", SQUARE, .fix_all = 1},
    {"thickness 0", "thickness = 0", SQUARE, .settings = {NUMBER_OF("thickness", 0)}},
    {"mass 0", "density = 0", SQUARE, .density = -1},
    {"mass per area 0", "area-density = 0", SQUARE, .settings = {NUMBER_OF("area-density", 0)}},
    {"no stiffness", "young = 0", SQUARE, .young = -1},
    {"Poisson's ratio of a half", "poisson = 0.5", SQUARE, .poisson = 0.5},
    {"bending stiffness below 0", "bending-stiffness = -1", SQUARE,
     .settings = {NUMBER_OF("bending-stiffness", -1)}},
    {"limit below the rest length", "stretch-limit = 0.5", SQUARE,
     .settings = {NUMBER_OF("stretch-limit", 0.5)}},
    {"limit of a sheet across its axis", NULL, "the limit is along the triangle's first edge",
     .size = 3, .nodes = 3, .elements = 1, .at = {0, 0, 0, 0, 1, 0, 0, 0, 1}, .list = {0, 1, 2},
     .settings = {NUMBER_OF("stretch-limit", 1.1)}},
    {"crease closed by 180 degrees", "folded too far", SQUARE, .crease = {&everywhere, 1, 180}},
    {"crease without an edge", "hold 0 nodes", SQUARE, .crease = {&nowhere, 1, 90}},
    {"crease without bending", "creases need bending", SQUARE,
     .settings = {WORD("bending", "none")}, .crease = {&everywhere, 1, 90}},
    {"curve that falls", "not fall", SQUARE, .curve = {PL_CURVE_WARP, 3, up, falls, 0, 0}},
    {"curve with a force at rest", "without strain", SQUARE,
     .curve = {PL_CURVE_WEFT, 3, up, lifted, 0, 0}},
    {"curve of one point", "needs two", SQUARE, .curve = {PL_CURVE_WARP, 1, up, rises, 0, 0}},
    {"friction that never turns", "turn", SQUARE, .curve = {PL_CURVE_SHEAR, 3, up, rises, 1, 0}},
    {"curve of bending for a plate", "bending=\"hinge\"", SQUARE,
     .settings = {WORD("bending", "edge")}, .curve = {PL_CURVE_BENDING, 3, up, rises, 0, 0}},
    {"crease in a rod", "take model=\"cloth\"", LINE, .crease = {&everywhere, 1, 90}},
    {"closed rod of two segments", "two", .size = 2, .nodes = 2, .elements = 2,
     .at = {0, 0, 0, 1, 0, 0}, .list = {0, 1, 1, 0}},
    {"segment of no length", "length", .size = 2, .nodes = 2, .elements = 1,
     .at = {0, 0, 0, 0, 0, 0}, .list = {0, 1}},
    {"rod of one segment", NULL, "it stretches and has nothing to bend or twist", .size = 2,
     .nodes = 2, .elements = 1, .at = {0, 0, 0, 1, 0, 0}, .list = {0, 1}},
    {"rod that turns back on itself", "folded onto each other", .size = 2, .nodes = 3,
     .elements = 2, .at = {0, 0, 0, 1, 0, 0, 0.2, 0, 0}, .list = {0, 1, 1, 2}},
    {"rod of mass 0", "density = 0", LINE, .density = -1},
    {"rod of thickness 0", "thickness = 0", LINE, .settings = {NUMBER_OF("thickness", 0)}},
};

static double number_or(double given, double usual)
{
  return given < 0 ? 0 : given > 0 ? given : usual;
}

static pl_status add(const odd_case *in, pl_world *world, pl_body_id *id, pl_error *error)
{
  const pl_setting hooke[] = {{"young", {number_or(in->young, 1e5)}, NULL},
                              {"poisson", {number_or(in->poisson, 0.3)}, NULL}};
  const pl_mesh_def shape = {.node_count = in->nodes,
                             .nodes = in->at,
                             .element_count = in->elements,
                             .nodes_per_element = in->size,
                             .elements = in->list};
  int settings = 0;
  while (settings < MOST_SETTINGS && in->settings[settings].name) settings++;
  pl_mesh *mesh = NULL;
  pl_status status = pl_mesh_create(&shape, &mesh, error);
  pl_body_def def = pl_body_def_default();
  def.mesh = mesh;
  def.material.law = (pl_choice){"hooke", hooke, 2};
  def.material.density = number_or(in->density, 500);
  def.model = (pl_choice){in->size == 3 ? "cloth" : "rod", in->settings, settings};
  def.tailoring.creases = &in->crease;
  def.tailoring.crease_count = in->crease.where != NULL;
  def.tailoring.curves = &in->curve;
  def.tailoring.curve_count = in->curve.count > 0;
  if (!status) status = pl_world_add_body(world, &def, id, error);
  pl_mesh_destroy(mesh);
  return status;
}

static void check_motion(pl_world *world, pl_body_id body, const odd_case *in)
{
  double x[24];
  if (in->fix_all) {
    pl_fix_def fix = pl_fix_def_default();
    fix.where = &everywhere;
    fix.where_count = 1;
    CHECK_OK(pl_world_add_fix(world, body, &fix, NULL, error));
  }
  for (int i = 0; i < 20; i++) CHECK_OK(pl_world_step(world, error));
  int count = pl_mesh_node_count(pl_world_body_mesh(world, body));
  CHECK_OK(pl_world_get_positions(world, body, x, error));
  // 0.2 s of falling are 0.2 m: nothing has been thrown about
  for (int i = 0; i < 3 * count; i++) CHECK(isfinite(x[i]) && fabs(x[i]) < 3);
  if (in->fix_all) CHECK_NEAR(x[2], 0, 1e-12);
}

static void tell(const odd_case *in, const pl_error *error, pl_text *page)
{
  pl_text_add(page, "| %s | %s | %s |\n", in->name, in->message ? "refused" : "taken",
              in->message ? error->message : in->taken);
}

TEST(each_odd_case_is_refused_or_repaired)
{
  pl_text page = pl_text_make(NULL);
  pl_text_add(&page,
              "# Odd cloth and rods\n\nWhat `model=\"cloth\"` and `model=\"rod\"` say of input "
              "that makes little sense, or do with it. Made by the test "
              "`world/degenerate`, which tries them all.\n\n| case | | sentence or repair "
              "|\n|---|---|---|\n");
  int refused = 0, count = (int)(sizeof odd_cases / sizeof *odd_cases);
  for (int i = 0; i < count; i++) {
    const odd_case *in = &odd_cases[i];
    pl_world_def def = pl_world_def_default();
    pl_world *world = NULL;
    pl_body_id body;
    pl_error error = {0};
    int before = test_failures;
    def.dt = 0.01;
    def.threads = 1;
    def.gravity[2] = -9.81;
    CHECK(pl_world_create(&def, &world, &error) == PL_OK);
    pl_status status = add(in, world, &body, &error);
    CHECK((status != PL_OK) == (in->message != NULL));
    if (in->message) CHECK(status && strstr(error.message, in->message));
    if (!status && !in->message) check_motion(world, body, in);
    refused += in->message != NULL;
    tell(in, &error, &page);
    if (test_failures > before) printf("    in \"%s\": %s\n", in->name, error.message);
    pl_world_destroy(world);
  }
  printf("    %d cases: %d refused, %d repaired or taken\n", count, refused, count - refused);
  CHECK(count >= 29);
  test_up_to_date("docs/odd-cases.md", &page, "world/degenerate");
  pl_text_release(&page);
}

TESTS(X(each_odd_case_is_refused_or_repaired))
