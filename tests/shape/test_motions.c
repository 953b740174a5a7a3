/* Every motion: its velocity is the derivative of its place, and what makes no sense is refused. */
#include "core/memory.h"
#include "math/vec3.h"
#include "shape/motion.h"
#include "test.h"

static const pl_motion_key keys[] = {{0, {0, 0, 0}, {0, 0, 0}},
                                     {0.5, {0.1, 0.2, 0.3}, {30, 40, -20}},
                                     {1.2, {-0.1, 0, 0.3}, {-50, 40, 70}},
                                     {2, {0, 0, 0}, {0, 0, 360}}};

static const pl_setting slide[] = {
    {"velocity", {1, 2, 3}, NULL}, {"start", {0.1}, NULL}, {"until", {1.5}, NULL}};
static const pl_setting turn[] = {{"centre", {1, 0, 2}, NULL},
                                  {"axis", {0, 3, 4}, NULL},
                                  {"rate", {500}, NULL},
                                  {"until", {1.7}, NULL}};
static const pl_setting swing[] = {
    {"centre", {1, 0, 2}, NULL},          {"axis", {1, 0, 1}, NULL},  {"angle", {40}, NULL},
    {"translation", {0.1, 0, 0.2}, NULL}, {"frequency", {1.3}, NULL}, {"phase", {30}, NULL}};
static const pl_setting soft = {"between", {0}, "smooth"};

static const pl_motion_def defs[] = {{{"velocity", slide, 3}, NULL, 0},
                                     {{"rotation", turn, 4}, NULL, 0},
                                     {{"oscillation", swing, 6}, NULL, 0},
                                     {{"keyframes", NULL, 0}, keys, 4},
                                     {{"keyframes", &soft, 1}, keys, 4}};
enum { COUNT = sizeof defs / sizeof *defs };

static double worst_velocity(const pl_motion *motions, int count)
{
  double worst = 0;
  for (int i = 0; i < 500; i++) {
    const double t = 2.4 * test_uniform() - 0.2, h = 1e-6, own[3] = {0.3, -0.4, 0.5};
    pl_axes now, before, after;
    double x[3], a[3], b[3], v[3], slope[3];
    pl_motions_pose(motions, count, t, &now);
    pl_motions_pose(motions, count, t - h, &before);
    pl_motions_pose(motions, count, t + h, &after);
    pl_axes_point(&now, own, x);
    pl_axes_point(&before, own, a);
    pl_axes_point(&after, own, b);
    pl_axes_velocity(&now, x, v);
    for (int k = 0; k < 3; k++) slope[k] = (b[k] - a[k]) / (2 * h);
    worst = fmax(worst, pl_vec3_distance(v, slope));
    pl_axes_own(&now, x, a);
    CHECK_NEAR(pl_vec3_distance(a, own), 0, 1e-12);
  }
  return worst;
}

TEST(velocities_are_derivatives)
{
  pl_motion motions[COUNT];
  pl_allocator allocator = pl_allocator_default();
  for (int i = 0; i < COUNT; i++) {
    CHECK_OK(pl_motion_make(&defs[i], &allocator, &motions[i], error));
    double worst = worst_velocity(&motions[i], 1);
    printf("  %-12s %.1e m/s\n", motions[i].part.member->name, worst);
    CHECK(worst < 1e-7);
  }
  // and one after the other
  double worst = worst_velocity(motions, COUNT);
  printf("  %-12s %.1e m/s\n", "together", worst);
  CHECK(worst < 1e-6);
  for (int i = 0; i < COUNT; i++) pl_motion_release(&allocator, &motions[i]);
}

/* At its keys it is where they say; before and after it rests. */
TEST(keyframes_are_met)
{
  pl_motion motion;
  pl_allocator allocator = pl_allocator_default();
  CHECK_OK(pl_motion_make(&defs[3], &allocator, &motion, error));
  for (int i = 0; i < 4; i++) {
    pl_axes pose;
    pl_motions_pose(&motion, 1, keys[i].time, &pose);
    CHECK_NEAR(pl_vec3_distance(pose.place.origin, keys[i].translation), 0, 1e-15);
  }
  pl_axes late;
  pl_motions_pose(&motion, 1, 100, &late);
  CHECK(pl_vec3_norm(late.velocity) == 0 && pl_vec3_norm(late.spin) == 0);
  pl_motion_release(&allocator, &motion);
}

/* Between two places a point of space arrives, at the reported velocity. */
TEST(places_are_joined)
{
  pl_motion motion;
  pl_allocator allocator = pl_allocator_default();
  pl_axes a, b, between;
  const double own[3] = {0.1, 0.2, -0.3};
  CHECK_OK(pl_motion_make(&defs[3], &allocator, &motion, error));
  pl_motions_pose(&motion, 1, 0.2, &a);
  pl_motions_pose(&motion, 1, 0.9, &b);
  for (int i = 0; i <= 1; i++) {
    double x[3], y[3];
    pl_axes_between(&a.place, &b.place, i, 0.5, &between);
    pl_axes_point(&between, own, x);
    pl_axes_point(i ? &b : &a, own, y);
    CHECK_NEAR(pl_vec3_distance(x, y), 0, 1e-14);
  }
  double x[3], y[3], v[3];
  pl_axes next;
  pl_axes_between(&a.place, &b.place, 0.5, 0.5, &between);
  pl_axes_between(&a.place, &b.place, 0.5 + 2e-6, 0.5, &next);
  pl_axes_point(&between, own, x);
  pl_axes_point(&next, own, y);
  pl_axes_velocity(&between, x, v);
  for (int k = 0; k < 3; k++) CHECK_NEAR((y[k] - x[k]) / 1e-6, v[k], 1e-5);
  pl_motion_release(&allocator, &motion);
}

static void refused(const pl_motion_def *def, const char *sentence)
{
  pl_motion motion;
  pl_allocator allocator = pl_allocator_default();
  CHECK_FAILS(pl_motion_make(def, &allocator, &motion, error), PL_E_ARGUMENT, sentence);
  pl_motion_release(&allocator, &motion);
}

TEST(motions_that_are_none_are_refused)
{
  const pl_setting nowhere = {"axis", {0, 0, 0}, NULL}, fast = {"velocity", {NAN, 0, 0}, NULL};
  const pl_motion_key back[] = {{1, {0}, {0}}, {1, {0}, {0}}}, wild[] = {{1, {NAN}, {0}}};
  refused(&(pl_motion_def){{"rotation", &nowhere, 1}, NULL, 0}, "no direction");
  refused(&(pl_motion_def){{"velocity", &fast, 1}, NULL, 0}, "velocity");
  refused(&(pl_motion_def){{"keyframes", NULL, 0}, NULL, 0}, "at least one key");
  refused(&(pl_motion_def){{"keyframes", NULL, 0}, back, 2}, "must come after");
  refused(&(pl_motion_def){{"keyframes", NULL, 0}, wild, 1}, "finite");
  refused(&(pl_motion_def){{"keyframes", NULL, 0}, NULL, 3}, "no list");
  refused(&(pl_motion_def){{"velocity", NULL, 0}, back, 1}, "use keyframes");
  refused(&(pl_motion_def){{"wobble", NULL, 0}, NULL, 0}, "unknown motion");
}

/* A new motion wants values above: the tests of this file then are its own. */
TEST(every_motion_is_among_them)
{
  for (int m = 0; pl_motion_family.members[m]; m++) {
    int found = 0;
    for (int i = 0; i < COUNT; i++)
      found += strcmp(defs[i].motion.name, pl_motion_family.members[m]->name) == 0;
    if (!found) printf("  %s is not tested\n", pl_motion_family.members[m]->name);
    CHECK(found);
  }
}

TESTS(X(every_motion_is_among_them) X(velocities_are_derivatives) X(keyframes_are_met)
          X(places_are_joined) X(motions_that_are_none_are_refused))
