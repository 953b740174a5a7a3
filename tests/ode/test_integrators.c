/* What every integrator must keep, on small systems with known answers. Runs over the family. */
#include "toy.h"

/* Hauth's toy oscillator, 3.2.2, with its closed solution: position and velocity. */
static void oscillator_exact(double t, double *z, double *v)
{
  double w = 5 * sqrt(39.0), a = -33 * sqrt(39.0) / 1300, b = 0.01, e = exp(-5 * t);
  *z = e * (a * sin(w * t) + b * cos(w * t)) - 1.01;
  *v = e * ((a * w - 5 * b) * cos(w * t) - (b * w + 5 * a) * sin(w * t));
}

/* Velocities count as what they are worth in position at the oscillator's frequency. */
static double oscillator_error(const pl_integrator_ops *ops, int steps)
{
  toy self = {.mass = 0.1, .stiffness = 100, .damping = 1, .length = -1, .gravity = -10};
  double q[3] = {0, 0, -1}, v[3] = {0, 0, -5}, end = 0.2, exact_q, exact_v;
  toy_open(&self, 1);
  pl_selection part;
  pl_integrator *integrator = open_integrator(ops, 1, &part);
  advance(&self, integrator, end / steps, steps, q, v);
  pl_integrator_destroy(integrator);
  toy_close(&self);
  oscillator_exact(end, &exact_q, &exact_v);
  return hypot(q[2] - exact_q, (v[2] - exact_v) / (5 * sqrt(39.0)));
}

/* What the member promises for a system with or without damping. */
static int promised_order(const pl_integrator_ops *ops, double damping)
{
  return damping > 0 && ops->damped_order ? ops->damped_order : ops->order;
}

/* Steps that are fine enough to show the order, and coarse enough to stay away from rounding. */
static int telling_steps(int order)
{
  static const int steps[] = {0, 8000, 2000, 800, 300, 200, 160, 0, 24};
  return steps[order];
}

TEST(order_on_the_toy_oscillator)
{
  EACH_INTEGRATOR(ops)
  {
    int order = promised_order(ops, 1), steps = telling_steps(order);
    if (order == 0) continue;
    double coarse = oscillator_error(ops, steps / 2), fine = oscillator_error(ops, steps);
    printf("  %-18s %-5s order %.3f (theory %d), error %.1e with %d steps\n", ops->info.name,
           flavour_word(ops), log2(coarse / fine), order, fine, steps);
    CHECK_NEAR(log2(coarse / fine), order, 0.1);
  }
}

/* The same time in twice as many steps, three times: order from the differences (no exact solution
 * is needed), on springs that stiffen and are shaken. */
static void duffing_end(const pl_integrator_ops *ops, double time, int steps, double damping,
                        double end[12])
{
  toy self = {
      .mass = 1, .stiffness = 4, .cubic = 3, .damping = damping, .gravity = -2, .shake = 1.5};
  double q[6] = {0.3, -0.2, 0.8, 0, 0.1, -0.5}, v[6] = {0, 1, 0, -1, 0.2, 0};
  toy_open(&self, 2);
  pl_selection part;
  pl_integrator *integrator = open_integrator(ops, 2, &part);
  advance(&self, integrator, time / steps, steps, q, v);
  pl_integrator_destroy(integrator);
  toy_close(&self);
  memcpy(end, q, sizeof q);
  memcpy(end + 6, v, sizeof v);
}

static double distance(const double a[12], const double b[12])
{
  double sum = 0;
  for (int i = 0; i < 12; i++) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sqrt(sum);
}

TEST(order_on_a_nonlinear_spring)
{
  EACH_INTEGRATOR(ops)
  {
    for (int damped = 0; damped < 2; damped++) {
      double damping = damped ? 0.3 : 0;
      int order = promised_order(ops, damping), steps = order < 8 ? telling_steps(order) / 4 : 60;
      // errors of order 8 need some time and long steps to rise above rounding
      double time = order < 8 ? 1 : 6;
      if (order == 0) continue;
      double a[12], b[12], c[12];
      duffing_end(ops, time, steps, damping, a);
      duffing_end(ops, time, 2 * steps, damping, b);
      duffing_end(ops, time, 4 * steps, damping, c);
      double found = log2(distance(a, b) / distance(b, c));
      double tolerance = order < 8 ? 0.1 : 0.3;
      if (!(fabs(found - order) <= tolerance))
        printf("  %s, %s: order %.3f\n", ops->info.name, damped ? "damped" : "undamped", found);
      CHECK_NEAR(found, order, tolerance);
    }
  }
}

TEST(rest_stays_at_rest)
{
  EACH_INTEGRATOR(ops)
  {
    toy self = {.mass = 2, .stiffness = 10, .length = 0.5};
    double q[6] = {0, 0, 0.5, 0, 0, 0.5}, v[6] = {0};
    toy_open(&self, 2);
    pl_selection part;
    pl_integrator *integrator = open_integrator(ops, 2, &part);
    advance(&self, integrator, 0.01, 10, q, v);
    for (int i = 0; i < 6; i++) CHECK(v[i] == 0 && q[i] == (i % 3 == 2 ? 0.5 : 0));
    pl_integrator_destroy(integrator);
    toy_close(&self);
  }
}

TEST(held_blocks_go_where_they_must)
{
  EACH_INTEGRATOR(ops)
  {
    toy self = {.mass = 1, .stiffness = 10, .damping = 1, .gravity = -1, .target = 0.7};
    double q[6] = {0}, v[6] = {0}, projection[9] = {0};
    int held = 1;
    toy_open(&self, 2);
    self.system.filter = (pl_filter){.count = 1, .nodes = &held, .projections = projection};
    pl_selection part;
    pl_integrator *integrator = open_integrator(ops, 2, &part);
    advance(&self, integrator, 0.01, 50, q, v);
    CHECK_NEAR(q[5], 0.7 * 0.5, 1e-12);
    CHECK(q[3] == 0 && q[4] == 0);
    CHECK(q[2] < 0);
    pl_integrator_destroy(integrator);
    toy_close(&self);
  }
}

/* What holds a block against a load that changes with time: what the load exerts at some time of
 * the step, and of one-step methods of second order the mean over it. */
TEST(reactions_are_means_over_the_step)
{
  EACH_INTEGRATOR(ops)
  {
    toy self = {.mass = 1, .stiffness = 10, .damping = 1, .gravity = -1, .shake = 2};
    double q[6] = {0}, v[6] = {0}, projection[9] = {0}, reaction[6] = {0}, unfiltered[6] = {0};
    const double h = 0.02;
    int held = 1;
    if (ops->is_static) continue;
    toy_open(&self, 2);
    self.system.filter = (pl_filter){.count = 1, .nodes = &held, .projections = projection};
    self.system.reaction = reaction;
    self.system.unfiltered = unfiltered;
    pl_selection part;
    pl_integrator *integrator = open_integrator(ops, 2, &part);
    for (int i = 0; i < 20; i++) {
      pl_step_report report = {0};
      memset(reaction, 0, sizeof reaction);
      CHECK_OK(ops->step(integrator, &self.system, i * h, h, q, v, &report, error));
    }
    double mean = -1 + 2 * (cos(3 * 19 * h) - cos(3 * 20 * h)) / (3 * h);
    printf("  %-20s %.6f of %.6f\n", ops->info.name, reaction[5], -mean);
    CHECK(fabs(reaction[5] + mean) < 1.5 * h);
    static const char *const even[] = {
        "newmark", "implicit-midpoint", "explicit-midpoint", "rk4", "sdirk2", "sdirk4", "ros2w",
        "ros3w"};
    for (int i = 0; i < 8; i++) {
      if (strcmp(ops->info.name, even[i]) == 0) CHECK(fabs(reaction[5] + mean) < 0.05 * h);
    }
    pl_integrator_destroy(integrator);
    toy_close(&self);
  }
}

TEST(statics_finds_the_equilibrium)
{
  // -k d - c d^3 + m g = 0 has the root d = -1 for k = 2, c = 3, m g = -5
  toy self = {.mass = 1, .stiffness = 2, .cubic = 3, .gravity = -5};
  double q[3] = {0}, v[3] = {0};
  toy_open(&self, 1);
  pl_selection part;
  pl_integrator *integrator = open_integrator(&pl_integrator_static, 1, &part);
  advance(&self, integrator, 1, 1, q, v);
  CHECK_NEAR(q[2], -1, 1e-11);
  CHECK(v[2] == 0);
  // a second step has nothing to do
  double evaluations = self.evaluations;
  advance(&self, integrator, 1, 1, q, v);
  CHECK(self.evaluations - evaluations <= 4);
  pl_integrator_destroy(integrator);
  toy_close(&self);
}

/* Wherever it was at the beginning of a step that does not begin at 0. */
TEST(statics_moves_held_blocks_to_the_end_of_the_step)
{
  static const pl_integrator_ops *const both[] = {&pl_integrator_static, &pl_integrator_relaxation};
  for (int i = 0; i < 2; i++) {
    toy self = {.mass = 1, .stiffness = 10, .gravity = -1, .target = 0.7};
    double q[6] = {0, 0, 0, 0.2, -0.1, 0.3}, v[6] = {0}, projection[9] = {0};
    int held = 1;
    toy_open(&self, 2);
    self.system.filter = (pl_filter){.count = 1, .nodes = &held, .projections = projection};
    pl_selection part;
    pl_integrator *integrator = open_integrator(both[i], 2, &part);
    pl_step_report report = {0};
    CHECK_OK(integrator->ops->step(integrator, &self.system, 1, 1, q, v, &report, error));
    CHECK_NEAR(q[5], 0.7 * 2, 1e-12);
    CHECK_NEAR(q[3], 0, 1e-12);
    CHECK_NEAR(q[4], 0, 1e-12);
    pl_integrator_destroy(integrator);
    toy_close(&self);
  }
}

/* Whatever the direction of its residual. */
TEST(newton_names_the_block_with_the_largest_residual)
{
  for (int worst = 0; worst < 9; worst++) {
    toy self = {.mass = 1, .stiffness = 2, .cubic = 3};
    double q[9], v[9] = {0};
    for (int i = 0; i < 9; i++) q[i] = i == worst ? 1000 : i / 3 == worst / 3 ? 0 : 300;
    toy_open(&self, 3);
    pl_setting few = {.name = "newton", .value = {2}};
    pl_selection part;
    pl_integrator *integrator = NULL;
    pl_step_report report = {0};
    CHECK_OK(pl_integrator_resolve(&(pl_choice){"static", &few, 1}, &part, error));
    CHECK_OK(pl_integrator_create(&allocator, &part, 3, NULL, &integrator, error));
    (void)integrator->ops->step(integrator, &self.system, 0, 1, q, v, &report, NULL);
    CHECK(report.worst_block1 == worst / 3 + 1);
    pl_integrator_destroy(integrator);
    toy_close(&self);
  }
}

/* From where this spring is soft full Newton steps go further and further to both sides; the line
 * search brings them back. */
TEST(the_line_search_stops_steps_that_go_too_far)
{
  for (double start = 1; start < 2000; start *= 5) {
    toy self = {.mass = 1, .stiffness = 2, .soft = 1};
    double q[3] = {0, 0, start}, v[3] = {0};
    toy_open(&self, 1);
    pl_selection part;
    pl_integrator *integrator = open_integrator(&pl_integrator_static, 1, &part);
    advance(&self, integrator, 1, 1, q, v);
    printf("  from %g: %g after %g evaluations\n", start, q[2], self.evaluations);
    CHECK_NEAR(q[2], 0, 1e-9);
    CHECK(self.evaluations < 60);
    pl_integrator_destroy(integrator);
    toy_close(&self);
  }
}

/* ---- estimates of the error ---- */

/* The estimate of the third step of length h, or the mean of many for high orders, whose
 * derivatives change their signs often. */
static double estimated_error(const pl_integrator_ops *ops, double h)
{
  toy self = {.mass = 1, .stiffness = 4, .cubic = 3, .damping = 0.3, .gravity = -2, .shake = 1.5};
  double q[6] = {0.3, -0.2, 0.8, 0, 0.1, -0.5}, v[6] = {0, 1, 0, -1, 0.2, 0};
  toy_open(&self, 2);
  pl_selection part;
  pl_integrator *integrator = open_integrator(ops, 2, &part);
  integrator->estimates = 1;
  pl_step_report report = {0};
  int high = ops->is_implicit && ops->order > 3;
  int steps = high ? (int)lround(1 / h) : 3, first = high ? steps / 5 : 2;
  double sum = 0;
  for (int i = 0; i < steps; i++) {
    CHECK_OK(integrator->ops->step(integrator, &self.system, i * h, h, q, v, &report, error));
    if (i >= first) sum += report.error;
  }
  pl_integrator_destroy(integrator);
  toy_close(&self);
  return sum / (steps - first);
}

TEST(estimates_of_the_error_fall_with_the_step_as_promised)
{
  EACH_INTEGRATOR(ops)
  {
    if (!ops->error_power) continue;
    // high powers of short steps are nothing but rounding
    double h = ops->error_power > 4 && ops->is_implicit ? 0.01 : 0.002;
    double coarse = estimated_error(ops, 2 * h), fine = estimated_error(ops, h);
    double found = log2(coarse / fine);
    printf("  %-18s %-5s power %.2f (promised %d), estimate %.1e at %g ms\n", ops->info.name,
           flavour_word(ops), found, ops->error_power, fine, 1000 * h);
    CHECK_NEAR(found, ops->error_power, 0.2);
  }
}

/* Hauth's oscillator in one step: the error follows the tolerance. */
static double adaptive_error(const pl_integrator_ops *ops, double tolerance)
{
  toy self = {.mass = 0.1, .stiffness = 100, .damping = 1, .length = -1, .gravity = -10};
  double q[3] = {0, 0, -1}, v[3] = {0, 0, -5}, end = 0.2, exact_q, exact_v;
  pl_setting settings[] = {{.name = "rtol", .value = {tolerance}},
                           {.name = "atol", .value = {tolerance}}};
  pl_selection part;
  pl_integrator *integrator = NULL;
  pl_step_report report = {0};
  toy_open(&self, 1);
  CHECK_OK(pl_integrator_resolve(&(pl_choice){ops->info.name, settings, 2}, &part, error));
  CHECK_OK(pl_integrator_create(&allocator, &part, 1, NULL, &integrator, error));
  CHECK_OK(integrator->ops->step(integrator, &self.system, 0, end, q, v, &report, error));
  pl_integrator_destroy(integrator);
  toy_close(&self);
  oscillator_exact(end, &exact_q, &exact_v);
  double found = hypot(q[2] - exact_q, (v[2] - exact_v) / (5 * sqrt(39.0)));
  printf("  %-18s tolerance %.0e: error %.1e, %d inner steps\n", ops->info.name, tolerance, found,
         (int)report.inner_steps);
  CHECK(report.inner_steps > 1);
  return found;
}

/* Newmark's and its kin's is the leading term of the error itself: against many small steps of rk4
 * from the same state. */
TEST(estimates_of_newmark_are_as_large_as_the_error)
{
  static const pl_integrator_ops *const members[] = {&pl_integrator_newmark,
                                                     &pl_integrator_generalised_alpha};
  for (int m = 0; m < 2; m++) {
    toy self = {.mass = 1, .stiffness = 4, .gravity = -2};
    double q[3] = {0.3, -0.2, 0.8}, v[3] = {0.1, 1, 0}, near[6];
    const double h = 0.02;
    toy_open(&self, 1);
    pl_selection part;
    pl_integrator *integrator = open_integrator(members[m], 1, &part);
    pl_integrator *fine = open_integrator(&pl_integrator_rk4, 1, &part);
    pl_step_report report = {0};
    integrator->estimates = 1;
    for (int i = 0; i < 4; i++) {
      memcpy(near, q, sizeof q);
      memcpy(near + 3, v, sizeof v);
      CHECK_OK(integrator->ops->step(integrator, &self.system, i * h, h, q, v, &report, error));
    }
    for (int i = 0; i < 50; i++)
      CHECK_OK(fine->ops->step(fine, &self.system, 0, h / 50, near, near + 3, &report, error));
    double sum = 0;
    for (int k = 0; k < 3; k++) sum += (q[k] - near[k]) * (q[k] - near[k]);
    printf("  %s: %.3g, estimated %.3g\n", members[m]->info.name, sqrt(sum), report.error);
    CHECK(report.error > 0.3 * sqrt(sum) && report.error < 3 * sqrt(sum));
    pl_integrator_destroy(fine);
    pl_integrator_destroy(integrator);
    toy_close(&self);
  }
}

TEST(adaptive_members_keep_their_tolerance)
{
  const pl_integrator_ops *members[] = {&pl_integrator_dormand_prince, &pl_integrator_fehlberg8,
                                        &pl_integrator_cvode};
  for (int i = 0; i < 3; i++) {
    if (members[i]->info.missing) {
      pl_selection part;
      CHECK_FAILS(pl_integrator_resolve(&(pl_choice){.name = members[i]->info.name}, &part, error),
                  PL_E_UNSUPPORTED, "needs SUNDIALS (Debian: libsundials-dev)");
      continue;
    }
    // inner errors add up: over 10 to 500 inner steps to less than 100 times the tolerance
    double loose = adaptive_error(members[i], 1e-4), tight = adaptive_error(members[i], 1e-9);
    CHECK(loose < 1e-2 && tight < 1e-7 && tight < 1e-2 * loose);
  }
}

/* A step that needs too many inner ones says so. */
TEST(adaptive_members_give_up)
{
  if (pl_integrator_fehlberg8.info.missing) return;
  toy self = {.mass = 0.1, .stiffness = 1e6, .length = -1};
  double q[3] = {0, 0, -1.2}, v[3] = {0};
  pl_setting few = {.name = "max-steps", .value = {10}};
  pl_selection part;
  pl_integrator *integrator = NULL;
  pl_step_report report = {0};
  toy_open(&self, 1);
  CHECK_OK(pl_integrator_resolve(&(pl_choice){"fehlberg8", &few, 1}, &part, error));
  CHECK_OK(pl_integrator_create(&allocator, &part, 1, NULL, &integrator, error));
  CHECK_FAILS(integrator->ops->step(integrator, &self.system, 0, 1, q, v, &report, error),
              PL_E_LIMIT, "has made all of its max-steps = 10 inner steps");
  pl_integrator_destroy(integrator);
  toy_close(&self);
}

/* ---- energy ---- */

/* The energy of one block on a spring that stiffens, after steps of h without damping: least and
 * most on the way. */
typedef struct energies {
  double first, min, max, rise; /* rise: the most from one step to the next */
} energies;

static energies watch_energy(const pl_integrator_ops *ops, double cubic, double h, int steps)
{
  toy self = {.mass = 1, .stiffness = 400, .cubic = cubic};
  double q[3] = {0, 0, 0.5}, v[3] = {0};
  energies out = {0};
  double before = 0;
  toy_open(&self, 1);
  pl_selection part;
  pl_integrator *integrator = open_integrator(ops, 1, &part);
  for (int i = 0; i <= steps; i++) {
    double energy = 0.5 * v[2] * v[2] + 200 * q[2] * q[2] + 0.25 * cubic * pow(q[2], 4);
    if (i == 0) out = (energies){energy, energy, energy, -1e9};
    if (i > 0) out.rise = fmax(out.rise, energy - before);
    out.min = fmin(out.min, energy);
    out.max = fmax(out.max, energy);
    before = energy;
    if (i < steps) advance(&self, integrator, h, 1, q, v);
  }
  pl_integrator_destroy(integrator);
  toy_close(&self);
  return out;
}

TEST(implicit_euler_only_loses_energy)
{
  energies e = watch_energy(&pl_integrator_implicit_euler, 100, 0.04, 200);
  CHECK(e.rise <= 0);
  CHECK(e.min < 0.01 * e.first);
}

TEST(midpoint_and_newmark_do_not_gain_energy)
{
  const pl_integrator_ops *members[] = {&pl_integrator_implicit_midpoint, &pl_integrator_newmark,
                                        &pl_integrator_imex_midpoint};
  for (int i = 0; i < 3; i++) {
    // linear forces: kept to rounding and Newton's tolerance (1e-12 per step), at 0.8 of a period
    energies e = watch_energy(members[i], 0, 0.25, 10000);
    CHECK(e.max <= e.first * (1 + 1e-8) && e.min >= e.first * (1 - 1e-8));
    // a spring that stiffens: the energy swings by what the step of 1/15 period is worth, the
    // upper bound does not move between 1000 and 10000 steps
    energies early = watch_energy(members[i], 100, 0.02, 1000);
    energies late = watch_energy(members[i], 100, 0.02, 10000);
    CHECK(early.max <= 1.01 * early.first);
    CHECK(late.max <= early.max + 1e-4 * early.first);
  }
}

TEST(verlet_keeps_its_energy_within_bounds)
{
  const pl_integrator_ops *members[] = {&pl_integrator_verlet, &pl_integrator_explicit_newmark};
  for (int i = 0; i < 2; i++) {
    energies early = watch_energy(members[i], 100, 0.02, 1000);
    energies late = watch_energy(members[i], 100, 0.02, 100000);
    CHECK(early.min > 0.9 * early.first && early.max < 1.1 * early.first);
    CHECK(late.min > early.min - 1e-4 * early.first);
    CHECK(late.max < early.max + 1e-4 * early.first);
  }
}

/* Members that do not say they need damping do not blow up at small steps without it: over 20
 * periods in steps of 1/50 period they gain less than a hundredth of the energy. */
TEST(undamped_motion_grows_only_where_it_is_said_to)
{
  EACH_INTEGRATOR(ops)
  {
    if (ops->order == 0) continue;
    energies e = watch_energy(ops, 0, 2 * 3.14159265 / 20 / 50, 1000);
    if (!ops->needs_damping && !(e.max <= 1.01 * e.first))
      printf("  %s %s: %g\n", ops->info.name, flavour_word(ops), e.max / e.first);
    CHECK(ops->needs_damping || e.max <= 1.01 * e.first);
  }
}

/* ---- what is particular to some ---- */

/* Heavily damped motion (real eigenvalues -1 and -1e4) at a step of 10 times Euler's limit. */
TEST(stages_are_added_for_strong_damping)
{
  toy self = {.mass = 1, .stiffness = 1e4, .damping = 1e4};
  double q[3] = {0, 0, 1}, v[3] = {0, 0, -1}, h = 0.002;
  toy_open(&self, 1);
  pl_selection part;
  pl_integrator *integrator = open_integrator(&pl_integrator_rkc2, 1, &part);
  double before = self.evaluations;
  advance(&self, integrator, h, 500, q, v);
  CHECK_NEAR(q[2], exp(-1), 1e-3);
  // 6 stages per step, 31 + 31 evaluations for the first estimate, 6 for each of 24 others
  CHECK((self.evaluations - before) / 500 < 8);
  pl_integrator_destroy(integrator);
  toy_close(&self);
}

/* Every stage looks at loads at its own time: with many of them v follows sin 3t, but for what it
 * lags behind. */
TEST(stages_know_their_times)
{
  static const pl_integrator_ops *const members[] = {&pl_integrator_rkc2, &pl_integrator_rock2};
  for (int m = 0; m < 2; m++) {
    toy self = {.mass = 1, .stiffness = 1e-2, .damping = 1e4, .shake = 1e4};
    double q[3] = {0}, v[3] = {0};
    toy_open(&self, 1);
    pl_selection part;
    pl_integrator *integrator = open_integrator(members[m], 1, &part);
    advance(&self, integrator, 0.01, 100, q, v);
    double right = (1 - cos(3)) / 3 - sin(3) * 1e-4;
    printf("  %s: %.7f of %.7f\n", members[m]->info.name, q[2], right);
    CHECK_NEAR(q[2], right, 1e-4);
    pl_integrator_destroy(integrator);
    toy_close(&self);
  }
}

/* Steps that change: order 2 and 3 stay, from differences as above. */
static double uneven_end(const pl_integrator_ops *ops, int steps)
{
  toy self = {.mass = 1, .stiffness = 4, .cubic = 3, .damping = 0.3, .gravity = -2};
  double q[3] = {0.3, -0.2, 0.8}, v[3] = {0, 1, 0}, t = 0;
  toy_open(&self, 1);
  pl_selection part;
  pl_integrator *integrator = open_integrator(ops, 1, &part);
  for (int i = 0; i < steps; i++) {
    pl_step_report report = {0};
    double next = (i + 1 + 0.15 * sin(0.9 * (i + 1))) / (steps + 0.15 * sin(0.9 * steps));
    CHECK_OK(integrator->ops->step(integrator, &self.system, t, next - t, q, v, &report, error));
    t = next;
  }
  pl_integrator_destroy(integrator);
  toy_close(&self);
  return q[2];
}

TEST(backward_differences_keep_their_order_with_uneven_steps)
{
  const pl_integrator_ops *members[] = {&pl_integrator_bdf2, &pl_integrator_bdf3};
  for (int i = 0; i < 2; i++) {
    double best = uneven_end(&pl_integrator_rk4, 2000);
    double coarse = fabs(uneven_end(members[i], 200) - best);
    double fine = fabs(uneven_end(members[i], 800) - best);
    CHECK_NEAR(log2(coarse / fine) / 2, members[i]->order, 0.15);
  }
}

/* What is remembered belongs to the state: a step after save, other steps and restore gives the
 * same bits; and after forgetting, the next step still has the right size. */
TEST(history_is_saved_restored_and_forgotten)
{
  EACH_INTEGRATOR(ops)
  {
    toy self = {.mass = 1, .stiffness = 40, .cubic = 10, .damping = 0.3, .gravity = -2};
    double q[3] = {0, 0, 0.5}, v[3] = {1, 0, 0}, kept_q[3], kept_v[3], once[3], memory[64];
    size_t size = pl_integrator_memory(ops, 1) * sizeof *memory;
    CHECK(size <= sizeof memory);
    toy_open(&self, 1);
    pl_selection part;
    pl_integrator *integrator = open_integrator(ops, 1, &part);
    advance(&self, integrator, 0.01, 5, q, v);
    CHECK(integrator->history_count == ops->history);
    memcpy(memory, integrator->own_memory, size);
    memcpy(kept_q, q, sizeof q);
    memcpy(kept_v, v, sizeof v);
    advance(&self, integrator, 0.01, 1, q, v);
    memcpy(once, q, sizeof q);
    advance(&self, integrator, 0.005, 3, q, v);
    memcpy(integrator->own_memory, memory, size);
    memcpy(q, kept_q, sizeof q);
    memcpy(v, kept_v, sizeof v);
    advance(&self, integrator, 0.01, 1, q, v);
    CHECK(memcmp(q, once, sizeof q) == 0);
    pl_integrator_forget(integrator);
    memcpy(q, kept_q, sizeof q);
    memcpy(v, kept_v, sizeof v);
    advance(&self, integrator, 0.01, 1, q, v);
    for (int k = 0; k < 3; k++) CHECK_NEAR(q[k], once[k], 1e-4);
    pl_integrator_destroy(integrator);
    toy_close(&self);
  }
}

TESTS(X(order_on_the_toy_oscillator) X(order_on_a_nonlinear_spring) X(rest_stays_at_rest) X(
    statics_moves_held_blocks_to_the_end_of_the_step)
          X(newton_names_the_block_with_the_largest_residual) X(held_blocks_go_where_they_must) X(
              reactions_are_means_over_the_step) X(statics_finds_the_equilibrium)
              X(the_line_search_stops_steps_that_go_too_far) X(
                  estimates_of_newmark_are_as_large_as_the_error)
                  X(estimates_of_the_error_fall_with_the_step_as_promised) X(
                      adaptive_members_keep_their_tolerance) X(adaptive_members_give_up)
                      X(implicit_euler_only_loses_energy) X(midpoint_and_newmark_do_not_gain_energy)
                          X(verlet_keeps_its_energy_within_bounds)
                              X(undamped_motion_grows_only_where_it_is_said_to)
                                  X(stages_are_added_for_strong_damping) X(stages_know_their_times)
                                      X(backward_differences_keep_their_order_with_uneven_steps)
                                          X(history_is_saved_restored_and_forgotten))
