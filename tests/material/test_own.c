/* A law of a program's own, against the same law inside: energy, stress, tangent, its projections,
 * viscosity, prestress, and what maps of stiffness do. */
#include "own_neo_hooke.h"
#include "points.h"

static own_moduli moduli = {.lambda = 1.7, .mu = 0.9};
static pl_layers layers = {.own = {own_neo_hooke, &moduli}};

/* The same point for either law; scale: of the stiffness. */
static pl_point point_of(const double F[9], const double *rate, const pl_lanes *numbers,
                         double scale)
{
  const pl_strain_ops ops = {.points = pl_law_at(PL_LAW_neo_hooke)->points};
  pl_point point = point_at(&ops, F, rate);
  point.layers = &layers;
  point.lambda = pl_lanes_all(scale * moduli.lambda);
  point.mu = pl_lanes_all(scale * moduli.mu);
  point.numbers = numbers;
  return point;
}

typedef struct answer {
  pl_lanes W, P[9], H[81];
} answer;

static void ask(const pl_point_ops *ops, const pl_point *point, int semidefinite, answer *out)
{
  pl_lanes P[9];
  ops->stress(point, P, &out->W);
  ops->tangent(point, 0.7, 0.2, semidefinite, out->P, out->H);
  for (int e = 0; e < 9; e++) CHECK_NEAR(P[e][0], out->P[e][0], 1e-12);
}

static void compare(const answer *own, const answer *law)
{
  CHECK_NEAR(own->W[0], law->W[0], 1e-12 * (1 + fabs(law->W[0])));
  for (int e = 0; e < 9; e++) CHECK_NEAR(own->P[e][0], law->P[e][0], 1e-11);
  double max = 0;
  for (int e = 0; e < 81; e++) max = fmax(max, fabs(law->H[e][0]));
  for (int e = 0; e < 81; e++) CHECK_NEAR(own->H[e][0], law->H[e][0], 1e-9 * max);
}

TEST(answers_are_those_of_the_law_inside)
{
  const pl_lanes numbers[] = {pl_lanes_all(1 / moduli.mu)};
  pl_lanes T[6];
  int raised = 0;
  for (int trial = 0; trial < TRIALS; trial++) {
    double F[9], rate[9];
    random_gradient(F);
    random_matrix(0.3, rate);
    if (pl_mat3_det(F) < 0.2) continue;
    for (int k = 0; k < 6; k++) T[k] = pl_lanes_all(0.3 * test_uniform());
    for (int projection = 0; projection < 3; projection++) {
      answer own, law, exact;
      pl_point point = point_of(F, trial % 2 ? rate : NULL, numbers, trial % 3 ? 1 : 2.5);
      if (trial % 5 == 0) point.prestress = T;
      ask(&PL_PICK_VARIANT(&pl_law_own)->points, &point, projection, &own);
      ask(&pl_law_at(PL_LAW_neo_hooke)->points, &point, projection, &law);
      ask(&PL_PICK_VARIANT(&pl_law_own)->points, &point, 0, &exact);
      raised += projection && fabs(own.H[0][0] - exact.H[0][0]) > 1e-6;
      compare(&own, &law);
    }
  }
  CHECK(raised > 0); // some tangents had to be projected
}

TEST(both_variants_have_the_same_bits)
{
  const pl_lanes numbers[] = {pl_lanes_all(1 / moduli.mu)};
  double F[9];
  random_gradient(F);
  pl_point point = point_of(F, NULL, numbers, 1);
  pl_lanes P[2][9], H[2][81];
  if (PL_PICK_VARIANT(&pl_law_own) == &pl_law_own_base) return;
  PL_PICK_VARIANT(&pl_law_own)->points.tangent(&point, 1, 0, 1, P[0], H[0]);
  pl_law_own_base.points.tangent(&point, 1, 0, 1, P[1], H[1]);
  CHECK(memcmp(P[0], P[1], sizeof P[0]) == 0);
  CHECK(memcmp(H[0], H[1], sizeof H[0]) == 0);
}

TESTS(X(answers_are_those_of_the_law_inside) X(both_variants_have_the_same_bits))
