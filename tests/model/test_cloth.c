/* Cloth beyond what every model must keep: flat sheets, patterns, folds, plates, moduli, refusals.
 */
#include "math/vec3.h"

#include "statics.h"

#include "quotient.h"

static const char *const patterns[] = {"diagonal", "alternating", "crossed", "staggered"};

static pl_mesh *make_sheet(const char *pattern, double length, double width, int along, int across,
                           double arc)
{
  const pl_setting settings[] = {{"pattern", {0}, pattern},  {"length", {length}, NULL},
                                 {"width", {width}, NULL},   {"along", {along}, NULL},
                                 {"across", {across}, NULL}, {"arc", {arc}, NULL}};
  pl_mesh *mesh = NULL;
  CHECK_OK(pl_mesh_generate(&(pl_choice){"sheet", settings, 6}, NULL, &mesh, error));
  return mesh;
}

typedef struct words {
  pl_setting settings[6];
  int count;
} words;

static words cloth_words(const char *membrane, const char *bending)
{
  return (words){{{"membrane", {0}, membrane}, {"bending", {0}, bending}}, 2};
}

static test_body make_cloth(pl_mesh *mesh, const words *with)
{
  return test_body_make(mesh, &(pl_choice){"cloth", with->settings, with->count}, &test_material);
}

/* Every pattern and bending, on flat and curved sheets: energy, force and matrix agree. */
TEST(flat_and_curved_sheets_have_exact_slopes)
{
  static const char *const bendings[] = {"hinge", "quadratic", "edge", "none"};
  static const char *const membranes[] = {"green", "corotated"};
  for (int i = 0; i < 4 * 4 * 2 * 2; i++) {
    words with = cloth_words(membranes[i / 4 % 2], bendings[i / 8 % 4]);
    pl_mesh *mesh = make_sheet(patterns[i % 4], 0.4, 0.3, 4, 3, i / 32 ? 120 : 0);
    test_body body = make_cloth(mesh, &with);
    test_slopes(&body, 1e-6);
    test_body_release(&body);
  }
}

/* Behind a limit of the stretches the sheet is stiffer; energy, force and matrix agree there too,
 * and the semidefinite matrix stays so. */
TEST(a_limit_of_stretches_has_exact_slopes)
{
  static const char *const membranes[] = {"green", "corotated"};
  for (int i = 0; i < 2; i++) {
    words with = cloth_words(membranes[i], "hinge"), without = with;
    with.settings[with.count++] = (pl_setting){"stretch-limit", {1.02}, NULL};
    test_body body = make_cloth(make_sheet("alternating", 0.4, 0.3, 4, 3, 0), &with);
    test_body free = make_cloth(make_sheet("alternating", 0.4, 0.3, 4, 3, 0), &without);
    for (int k = 0; k < body.n; k++)
      body.q[k] = body.model->rest[k] * (k % 3 == 0 ? 1.3 : 1.1) + 0.005 * test_uniform();
    double more = body.model->ops->energy(body.model, body.q, NULL);
    CHECK(more > 5 * free.model->ops->energy(free.model, body.q, NULL));
    test_slopes(&body, 1e-6);
    test_semidefinite(&body);
    test_body_release(&body);
    test_body_release(&free);
  }
}

/* Folded by nearly a half turn, pressed to a line, and turned inside out. */
TEST(slopes_hold_where_cloth_is_badly_deformed)
{
  for (int k = 0; k < 3; k++) {
    words with = cloth_words(k == 2 ? "green" : "corotated", "hinge");
    test_body body = make_cloth(make_sheet("diagonal", 0.2, 0.2, 2, 2, 0), &with);
    for (int i = 0; i < body.model->blocks; i++) {
      double *x = body.q + 3 * i;
      const double *X = body.mesh->nodes + 3 * i;
      pl_vec3_copy(X, x);
      double past = X[0] - 0.1, angle = 170 * 3.14159265358979 / 180;
      if (k == 0 && past > 0) x[0] = 0.1 + past * cos(angle), x[2] = past * sin(angle);
      if (k == 1) x[1] *= 1e-2;
      if (k == 2) x[1] *= -0.7, x[2] += 0.01 * X[0];
      for (int c = 0; c < 3; c++) x[c] += 1e-5 * test_uniform();
    }
    test_slopes(&body, 1e-4);
    test_body_release(&body);
  }
}

/* 1000 states of every membrane and bending: anywhere, some nearly in one point. */
TEST(the_semidefinite_matrix_has_no_negative_direction)
{
  static const char *const bendings[] = {"hinge", "quadratic", "edge", "none"};
  static const char *const membranes[] = {"green", "corotated"};
  const int states = TEST_SANITIZED ? 40 : 1000;
  double worst = 0;
  for (int i = 0; i < 8; i++) {
    words with = cloth_words(membranes[i % 2], bendings[i / 2]);
    test_body body =
        make_cloth(make_sheet(patterns[i % 4], 0.4, 0.3, 3, 2, i / 4 ? 120 : 0), &with);
    for (int state = 0; state < states; state++) {
      test_fill(body.q, body.n, state % 4 ? 1 : 1e-3);
      pl_bsr_zero(body.A, NULL);
      test_evaluate(body.model, body.q, NULL, NULL, 1, 0, 1, body.A, NULL);
      worst = fmin(worst, test_least_quotient(&body));
    }
    CHECK(worst >= -1e-10);
    if (worst < -1e-10) printf("    %s, %s\n", membranes[i % 2], bendings[i / 2]);
    test_body_release(&body);
  }
  printf("    least quotient %.1e of the largest entry\n", worst);
}

/* A stretch along warp pulls by E t (1 + e) e (1 + e/2) per width (Green), E t e (corotated). */
TEST(a_strip_pulls_by_its_modulus)
{
  double E = test_material.mu * (3 * test_material.lambda + 2 * test_material.mu) /
             (test_material.lambda + test_material.mu);
  double nu = test_material.lambda / (2 * (test_material.lambda + test_material.mu)), e = 0.02;
  for (int k = 0; k < 2; k++) {
    words with = cloth_words(k ? "corotated" : "green", "hinge");
    test_body body = make_cloth(make_sheet("crossed", 1, 0.5, 6, 3, 0), &with);
    double square = k ? (1 - nu * e) : sqrt(1 - nu * (2 * e + e * e)), pull = 0;
    for (int i = 0; i < body.model->blocks; i++) {
      const double *X = body.mesh->nodes + 3 * i;
      pl_vec3_set(body.q + 3 * i, (1 + e) * X[0], square * X[1], 0);
    }
    test_forces(&body, body.q, NULL, body.f);
    for (int i = 0; i < body.model->blocks; i++) pull += body.q[3 * i] < 1e-9 ? body.f[3 * i] : 0;
    double Et = E * 1e-3 * 0.5, expected = k ? Et * e : Et * (1 + e) * e * (1 + e / 2);
    CHECK_NEAR(pull, expected, 1e-9 * expected);
    test_body_release(&body);
  }
}

/* Warp along x pulls by E_1, weft by E_2, shear by G_12. */
TEST(woven_cloth_pulls_by_its_own_moduli)
{
  const pl_setting nine[] = {{"e1", {1e5}, NULL},   {"e2", {2e4}, NULL},   {"e3", {3e4}, NULL},
                             {"nu12", {0.3}, NULL}, {"nu13", {0.2}, NULL}, {"nu23", {0.1}, NULL},
                             {"g12", {5e3}, NULL},  {"g13", {6e3}, NULL},  {"g23", {7e3}, NULL}};
  pl_selection law;
  pl_material material = {.density = 1};
  CHECK_OK(pl_choice_resolve(&pl_law_family, &(pl_choice){"orthotropic", nine, 9}, &law.member,
                             law.values, error));
  material.law = pl_law_of(law.member);
  CHECK_OK(material.law->lame(law.values, &material.lambda, &material.mu, error));
  material.law->numbers(law.values, material.numbers);
  words with = cloth_words("corotated", "hinge");
  test_body body = test_body_make(make_sheet("crossed", 1, 1, 3, 3, 0),
                                  &(pl_choice){"cloth", with.settings, with.count}, &material);
  const double e = 1e-6, along[3][4] = {
                             {1 + e, 0, 0, 1 - 0.3 * e}, {1 - 0.06 * e, 0, 0, 1 + e}, {1, e, 0, 1}};
  const double right[3] = {1e5 * 1e-3 * e, 2e4 * 1e-3 * e, 5e3 * 1e-3 * e};
  for (int k = 0; k < 3; k++) {
    double pull = 0;
    for (int i = 0; i < body.model->blocks; i++) {
      const double *X = body.mesh->nodes + 3 * i, *G = along[k];
      pl_vec3_set(body.q + 3 * i, G[0] * X[0] + G[1] * X[1], G[2] * X[0] + G[3] * X[1], 0);
    }
    test_forces(&body, body.q, NULL, body.f);
    int across = k > 0;
    for (int i = 0; i < body.model->blocks; i++)
      pull += body.mesh->nodes[3 * i + across] < 1e-9 ? body.f[3 * i + (k == 1)] : 0;
    CHECK_NEAR(pull, right[k], 1e-4 * right[k]);
  }
  test_body_release(&body);
}

/* A sheet that is bent to a cylinder along its mesh lines stores D/2 kappa^2 per area, with all
 * bendings. */
TEST(a_cylinder_stores_the_energy_of_its_curvature)
{
  static const char *const bendings[] = {"hinge", "quadratic"};
  double E = test_material.mu * (3 * test_material.lambda + 2 * test_material.mu) /
             (test_material.lambda + test_material.mu);
  double nu = test_material.lambda / (2 * (test_material.lambda + test_material.mu));
  double D = E * 1e-9 / (12 * (1 - nu * nu)), R = 1.0;
  for (int b = 0; b < 2; b++) {
    words with = cloth_words("corotated", bendings[b]);
    test_body body = make_cloth(make_sheet("diagonal", 1, 1, 60, 60, 0), &with);
    words bare = cloth_words("corotated", "none");
    test_body plain = make_cloth(make_sheet("diagonal", 1, 1, 60, 60, 0), &bare);
    for (int i = 0; i < body.model->blocks; i++) {
      const double *X = body.mesh->nodes + 3 * i;
      pl_vec3_set(body.q + 3 * i, R * sin(X[0] / R), X[1], R * cos(X[0] / R));
    }
    double bending = body.model->ops->energy(body.model, body.q, NULL) -
                     plain.model->ops->energy(plain.model, body.q, NULL);
    // the outer half cells carry no hinge along the generators
    CHECK_NEAR(bending, D / 2 * (1 - 1.0 / 60), 2e-3 * D);
    test_body_release(&body);
    test_body_release(&plain);
  }
}

/* ---- plates ---- */

/* Scalars that no edge has. */
static void hold_padding(const test_body *body, unsigned char *held)
{
  for (int k = 0; k < body->model->hold_count; k++) {
    const pl_block_hold *hold = &body->model->holds[k];
    for (int i = 0; i < 3 * hold->count; i++)
      held[hold->block] |= (unsigned char)((hold->directions[i / 3][i % 3] > 0) << i % 3);
  }
}

/* The middle's deflection w D / (q a^4) of a simply supported square plate of 1 m under a uniform
 * load. */
static double navier(pl_mesh *mesh, const words *with)
{
  test_body body = make_cloth(mesh, with);
  unsigned char *held = calloc((size_t)body.model->blocks, 1);
  int middle = 0;
  double best = 2;
  memset(body.f, 0, (size_t)body.n * sizeof *body.f);
  for (int i = 0; i < mesh->node_count; i++) {
    const double *X = mesh->nodes + 3 * i;
    int on = X[0] < 1e-9 || X[0] > 1 - 1e-9 || X[1] < 1e-9 || X[1] > 1 - 1e-9;
    double far = fabs(X[0] - 0.5) + fabs(X[1] - 0.5);
    held[i] = on ? 7 : 3;
    if (far < best) best = far, middle = i;
    body.f[3 * i + 2] = body.model->lumped_mass[i];
  }
  hold_padding(&body, held);
  test_deflect(&body, held);
  double E = test_material.mu * (3 * test_material.lambda + 2 * test_material.mu) /
             (test_material.lambda + test_material.mu);
  double nu = test_material.lambda / (2 * (test_material.lambda + test_material.mu));
  double D = E * 1e-9 / (12 * (1 - nu * nu)), w = body.g[3 * middle + 2];
  free(held);
  test_body_release(&body);
  return w * D / (test_material.density * 1e-3);
}

/* Hinges are right on equilateral triangles only (0.0040624 is Navier's series). */
TEST(hinges_are_a_plate_on_equilateral_triangles)
{
  words with = cloth_words("green", "hinge"), flat = cloth_words("green", "quadratic");
  double right = navier(make_sheet("staggered", 1, 1, 32, 37, 0), &with);
  double same = navier(make_sheet("staggered", 1, 1, 32, 37, 0), &flat);
  double diagonal = navier(make_sheet("diagonal", 1, 1, 32, 32, 0), &with);
  printf("    hinge: equilateral %.5f, one diagonal %.5f of 0.0040624\n", right, diagonal);
  CHECK_NEAR(right, 0.0040624, 0.03 * 0.0040624);
  CHECK_NEAR(right, same, 1e-6 * right);
  CHECK_NEAR(diagonal, 0.56 * 0.0040624, 0.02 * 0.0040624);
}

/* Moves inner nodes by up to a quarter of a cell. */
static pl_mesh *jitter(pl_mesh *mesh, double cell)
{
  test_seed = 4711;
  for (int i = 0; i < mesh->node_count; i++) {
    double *X = mesh->nodes + 3 * i;
    int on = X[0] < 1e-9 || X[0] > 1 - 1e-9 || X[1] < 1e-9 || X[1] > 1 - 1e-9;
    int middle = fabs(X[0] - 0.5) + fabs(X[1] - 0.5) < 1e-9;
    for (int k = 0; k < 2 && !on && !middle; k++) X[k] += 0.25 * cell * test_uniform();
  }
  return mesh;
}

/* Navier's plate within 0.5 % on any mesh, with errors that fall by four per halving. */
TEST(edges_are_a_plate_on_any_mesh)
{
  words with = cloth_words("green", "edge");
  for (int k = 0; k < 3; k++) {
    double w[2];
    for (int n = 0; n < 2; n++) {
      pl_mesh *mesh = make_sheet(k ? "alternating" : "diagonal", 1, 1, 16 << n, 16 << n, 0);
      w[n] = navier(k == 2 ? jitter(mesh, 1.0 / (16 << n)) : mesh, &with) / 0.0040624 - 1;
    }
    printf("    edge: %s: %+.3f %% at 16 x 16, %+.3f %% at 32 x 32\n",
           k == 2 ? "jittered"
           : k    ? "alternating"
                  : "one diagonal",
           100 * w[0], 100 * w[1]);
    CHECK(fabs(w[1]) < 0.005);
    CHECK(w[0] / w[1] > 3.5 && w[0] / w[1] < 4.5);
  }
}

/* ---- shells ---- */

static pl_material material_of(double E, double nu)
{
  return (pl_material){
      .density = 1, .lambda = E * nu / ((1 + nu) * (1 - 2 * nu)), .mu = E / (2 * (1 + nu))};
}

static test_body make_shell(pl_mesh *mesh, double E, double nu, double thickness)
{
  words with = cloth_words("green", "edge");
  with.settings[with.count++] = (pl_setting){"thickness", {thickness}, NULL};
  pl_material material = material_of(E, nu);
  return test_body_make(mesh, &(pl_choice){"cloth", with.settings, with.count}, &material);
}

/* The roof of Scordelis and Lo 1964: a part of a cylinder on two diaphragms under its weight, 90
 * per area; the middle of a free side sinks by 0.3024. */
static double scordelis(const char *pattern, int n)
{
  double arc = 80 * 3.14159265358979323846 / 180;
  pl_mesh *mesh = make_sheet(pattern, 25 * arc, 50, n, n, 80);
  test_body body = make_shell(mesh, 4.32e8, 0, 0.25);
  unsigned char *held = calloc((size_t)body.model->blocks, 1);
  int place = 0, first = 1;
  memset(body.f, 0, (size_t)body.n * sizeof *body.f);
  for (int i = 0; i < mesh->node_count; i++) {
    const double *X = mesh->nodes + 3 * i;
    int end = X[1] < 1e-9 || X[1] > 50 - 1e-9;
    held[i] = end ? 5 : 0;
    if (end && first) held[i] = 7, first = 0;
    body.f[3 * i + 2] = -90 * body.model->lumped_mass[i] / 0.25;
    if (fabs(X[1] - 25) < 1e-6 && X[2] < 1e-9) place = i;
  }
  hold_padding(&body, held);
  test_deflect(&body, held);
  double w = -body.g[3 * place + 2];
  free(held);
  test_body_release(&body);
  return w;
}

/* A hemisphere with a hole of 18 degrees, pulled and pushed at four points of its border: 0.0940
 * (MacNeal and Harder 1985). */
static double hemisphere(int around, int along)
{
  const double PI = 3.14159265358979323846;
  pl_mesh *mesh = make_sheet("alternating", 2 * PI, 1, around, along, 360);
  int loads[4] = {0}, top = 0;
  for (int i = 0; i < mesh->node_count; i++) {
    double *X = mesh->nodes + 3 * i;
    double angle = atan2(X[2] - 1, X[0] - 1), down = (90 - 72 * X[1]) * PI / 180;
    pl_vec3_set(X, 10 * sin(down) * cos(angle), 10 * sin(down) * sin(angle), 10 * cos(down));
    if (fabs(X[1]) < 1e-6 && X[0] > 0 && X[2] > 9) top = i;
    for (int k = 0; k < 4; k++) {
      double at[3] = {10 * cos(k * PI / 2), 10 * sin(k * PI / 2), 0};
      if (pl_vec3_distance(at, X) < 1e-6) loads[k] = i;
    }
  }
  test_body body = make_shell(mesh, 6.825e7, 0.3, 0.04);
  unsigned char *held = calloc((size_t)body.model->blocks, 1);
  memset(body.f, 0, (size_t)body.n * sizeof *body.f);
  for (int k = 0; k < 4; k++) {
    double push = k % 2 ? -2 : 2;
    held[loads[k]] = k % 2 ? 1 : 2;
    pl_vec3_set(body.f + 3 * loads[k], push * cos(k * PI / 2), push * sin(k * PI / 2), 0);
  }
  held[loads[0]] |= 4;
  held[loads[2]] |= 4;
  // points of a plane of symmetry stay in it
  held[top] |= 2;
  hold_padding(&body, held);
  test_deflect(&body, held);
  double w = body.g[3 * loads[0]];
  free(held);
  test_body_release(&body);
  return w;
}

TEST(edges_are_a_shell)
{
  double one = scordelis("diagonal", 48), two = scordelis("alternating", 48);
  double half = hemisphere(64, 16);
  printf("    Scordelis-Lo 48 x 48: %.4f, %.4f of 0.3024; hemisphere 64 x 16: %.5f of 0.0940\n",
         one, two, half);
  CHECK_NEAR(one, 0.3024, 0.03 * 0.3024);
  CHECK_NEAR(two, 0.3024, 0.03 * 0.3024);
  CHECK_NEAR(half, 0.0940, 0.015 * 0.0940);
  if (!getenv("PLIANT_LONG")) return;
  double fine = hemisphere(128, 32);
  printf("    hemisphere 128 x 32: %.5f of 0.0940\n", fine);
  CHECK_NEAR(fine, 0.0940, 0.01 * 0.0940);
}

/* ---- what cannot be ---- */

static void check_refused(const double *nodes, int node_count, const int *triangles, int count,
                          const words *with, const char *part)
{
  pl_mesh_def def = {.node_count = node_count,
                     .nodes = nodes,
                     .element_count = count,
                     .nodes_per_element = 3,
                     .elements = triangles};
  pl_mesh *mesh = NULL;
  pl_model *model = NULL;
  pl_error error = {0};
  pl_status status = pl_mesh_create(&def, &mesh, &error);
  if (!status)
    status = pl_model_create(NULL, &(pl_choice){"cloth", with->settings, with->count}, mesh,
                             &test_material, &model, &error);
  CHECK(status && strstr(error.message, part));
  if (!strstr(error.message, part)) printf("    %s\n", error.message);
  pl_model_destroy(model);
  pl_mesh_destroy(mesh);
}

TEST(what_no_cloth_can_be_made_of_is_refused)
{
  words with = cloth_words("green", "hinge");
  const double line[] = {0, 0, 0, 1, 0, 0, 2, 0, 0}, fold[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0};
  const int one[] = {0, 1, 2}, twice[] = {0, 1, 2, 0, 1, 2}, two[] = {0, 1, 2, 1, 0, 3};
  check_refused(line, 3, one, 1, &with, "lie on a line");
  check_refused(fold, 3, twice, 2, &with, "same three nodes");
  check_refused(fold, 4, two, 2, &with, "folded onto each other");
  with.settings[with.count++] = (pl_setting){"rest-angles", {0}, "flat"};
  pl_mesh *box = test_mesh(NULL, 4, (const int[3]){1, 1, 1}, 0, 0);
  pl_model *model = NULL;
  pl_error error = {0};
  CHECK(pl_model_create(NULL, &(pl_choice){"cloth", with.settings, with.count}, box, &test_material,
                        &model, &error) == PL_E_ARGUMENT);
  CHECK(strstr(error.message, "is for triangles"));
  pl_mesh_destroy(box);
}

/* Three triangles at one edge bend against each other in turn. */
TEST(seams_of_three_panels_are_cloth)
{
  const double nodes[] = {0, 0, 0, 1, 0, 0, 0.5, 1, 0, 0.5, -1, 0, 0.5, 0, 1};
  const int triangles[] = {0, 1, 2, 0, 1, 3, 1, 0, 4};
  pl_mesh_def def = {.node_count = 5,
                     .nodes = nodes,
                     .element_count = 3,
                     .nodes_per_element = 3,
                     .elements = triangles};
  pl_mesh *mesh = NULL;
  words with = cloth_words("corotated", "hinge");
  CHECK_OK(pl_mesh_create(&def, &mesh, error));
  test_body body = make_cloth(mesh, &with);
  memcpy(body.q, body.model->rest, (size_t)body.n * sizeof *body.q);
  test_forces(&body, body.q, NULL, body.f);
  CHECK_NEAR(test_length(body.f, body.n), 0, 1e-12);
  for (int i = 0; i < body.n; i++) body.q[i] += 0.05 * test_uniform();
  test_slopes(&body, 1e-6);
  test_body_release(&body);
}

/* A sheet of quadrilaterals, or of the triangles that they are cut into; saddles where lift is not
 * 0. */
static pl_mesh *make_quads(double length, double width, int along, int across, double lift, int cut)
{
  double nodes[3 * 64];
  int quads[4 * 49], count = 0;
  for (int i = 0; i < (along + 1) * (across + 1); i++) {
    const int a = i % (along + 1), b = i / (along + 1);
    pl_vec3_set(nodes + 3 * i, length * a / along, width * b / across, lift * ((a + b) % 2));
    if (a == along || b == across) continue;
    const int quad[4] = {i, i + 1, i + along + 2, i + along + 1};
    memcpy(quads + 4 * count++, quad, sizeof quad);
  }
  pl_mesh_def def = {.node_count = (along + 1) * (across + 1),
                     .nodes = nodes,
                     .nodes_per_element = 3,
                     .quad_count = count,
                     .quads = quads};
  pl_mesh *mesh = NULL, *triangles = NULL;
  CHECK_OK(pl_mesh_create(&def, &mesh, error));
  CHECK(pl_mesh_quad_count(mesh) == count && mesh->element_count == 2 * count);
  if (!cut) return mesh;
  def.quad_count = 0;
  def.element_count = mesh->element_count;
  def.elements = mesh->elements;
  CHECK_OK(pl_mesh_create(&def, &triangles, error));
  CHECK(pl_mesh_quad_count(triangles) == 0);
  pl_mesh_destroy(mesh);
  return triangles;
}

/* Quadrilaterals are the two triangles that they are cut into, bit for bit: flat ones pull by the
 * modulus, saddles rest as they are. */
TEST(quadrilaterals_are_cloth)
{
  static const char *const bendings[] = {"hinge", "quadratic", "edge", "none"};
  const double E = test_material.mu * (3 * test_material.lambda + 2 * test_material.mu) /
                   (test_material.lambda + test_material.mu);
  const double nu = test_material.lambda / (2 * (test_material.lambda + test_material.mu));
  for (int k = 0; k < 8; k++) {
    const double lift = k / 4 ? 0.03 : 0, e = 0.02;
    words with = cloth_words("corotated", bendings[k % 4]);
    test_body body = make_cloth(make_quads(1, 0.5, 4, 3, lift, 0), &with);
    test_body other = make_cloth(make_quads(1, 0.5, 4, 3, lift, 1), &with);
    memcpy(body.q, body.model->rest, (size_t)body.n * sizeof *body.q);
    test_forces(&body, body.q, NULL, body.f);
    CHECK_NEAR(test_length(body.f, body.n), 0, 1e-12);
    for (int i = 0; i < body.mesh->node_count && lift == 0; i++) {
      body.q[3 * i] *= 1 + e;
      body.q[3 * i + 1] *= 1 - nu * e;
    }
    test_forces(&body, body.q, NULL, body.f);
    double pull = 0;
    for (int i = 0; i < body.mesh->node_count; i++)
      pull += body.mesh->nodes[3 * i] < 1e-9 ? body.f[3 * i] : 0;
    CHECK_NEAR(pull, lift == 0 ? E * 1e-3 * 0.5 * e : 0, 1e-9 * E * 1e-3);
    for (int i = 0; i < body.n; i++) body.q[i] += 0.01 * test_uniform();
    test_forces(&body, body.q, NULL, body.f);
    test_forces(&other, body.q, NULL, other.f);
    CHECK(memcmp(body.f, other.f, (size_t)body.n * sizeof *body.f) == 0);
    test_slopes(&body, 1e-6);
    test_body_release(&body);
    test_body_release(&other);
  }
}

TESTS(X(flat_and_curved_sheets_have_exact_slopes) X(a_limit_of_stretches_has_exact_slopes)
          X(slopes_hold_where_cloth_is_badly_deformed)
              X(the_semidefinite_matrix_has_no_negative_direction) X(a_strip_pulls_by_its_modulus)
                  X(woven_cloth_pulls_by_its_own_moduli)
                      X(a_cylinder_stores_the_energy_of_its_curvature)
                          X(hinges_are_a_plate_on_equilateral_triangles)
                              X(edges_are_a_plate_on_any_mesh) X(edges_are_a_shell)
                                  X(what_no_cloth_can_be_made_of_is_refused)
                                      X(seams_of_three_panels_are_cloth)
                                          X(quadrilaterals_are_cloth))
