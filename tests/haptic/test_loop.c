/* The servo loop on a body of one dimension, which is integrated here: a mass on a spring, a damper
 * and a Maxwell branch, felt by the simulated hand. What Hauth 2004 says of steps of 10, 20 and
 * 40 ms, creep under a hold, release, passivity; and the exchange between two threads. */
#include "haptic/account.h"
#include "haptic/servo.h"
#include "math/vec3.h"
#include "test.h"

#include <pthread.h>

/* ---- the body ---- */

typedef struct lump {
  double x, v, flow; /* m, m/s; of the dashpot in the Maxwell branch */
} lump;

/* Implicit Euler under the force f. */
static void step_lump(lump *at, double f, double h)
{
  const double mass = 0.02, k = 400, c = 2, branch = 300, tau = 0.4;
  double share = branch / (1 + h / tau);
  double matrix = mass / h + c + h * (k + share);
  at->v = (mass / h * at->v + f - k * at->x - share * (at->x - at->flow)) / matrix;
  at->x += h * at->v;
  at->flow += (at->x - at->flow) * (1 - 1 / (1 + h / tau));
}

typedef struct trial {
  double ripple;  /* N, RMS around a parabola while the hand holds */
  double creep;   /* m, from 0.73 s on */
  double release; /* s, until the force is gone after the hand has left */
  double energy;  /* J, least that the loop has taken */
  int is_moving;
} trial;

enum { MOST = 10100 };
typedef struct record {
  int count;
  double time[MOST], force[MOST], x[MOST];
} record;

static pl_servo make_servo(double stiffness, pl_haptic_motion motion, double leave)
{
  const pl_setting settings[] = {
      {"start", {0, 0, 0.01}, NULL}, {"goal", {0, 0, -0.02}, NULL}, {"leave", {leave}, NULL}};
  pl_device *device = NULL;
  pl_servo servo;
  pl_plane_spring spring = {.stiffness = stiffness, .max_force = 100};
  CHECK_OK(pl_device_create(NULL, &(pl_choice){"simulated", settings, 3}, NULL, 0, &device, error));
  pl_servo_init(&servo, device, &spring, motion);
  return servo;
}

/* Solves for the parabola a + b t + c t^2 by least squares; returns the RMS around it. */
static double ripple_of(const record *from, double begin, double end)
{
  double A[3][4] = {{0}}, sum = 0;
  int used = 0;
  for (int i = 0; i < from->count; i++) {
    double t = from->time[i] - begin, row[3] = {1, t, t * t};
    if (from->time[i] < begin || from->time[i] > end) continue;
    used++;
    for (int a = 0; a < 9; a++) A[a / 3][a % 3] += row[a / 3] * row[a % 3];
    for (int a = 0; a < 3; a++) A[a][3] += row[a] * from->force[i];
  }
  for (int p = 0; p < 3; p++) {
    for (int r = 0; r < 3; r++) {
      double factor = r == p ? 0 : A[r][p] / A[p][p];
      for (int c = 0; c < 4; c++) A[r][c] -= factor * A[p][c];
    }
  }
  for (int i = 0; i < from->count; i++) {
    double t = from->time[i] - begin, fit = 0;
    if (from->time[i] < begin || from->time[i] > end) continue;
    for (int a = 2; a >= 0; a--) fit = fit * t + A[a][3] / A[a][a];
    sum += (from->force[i] - fit) * (from->force[i] - fit);
  }
  return sqrt(sum / used);
}

static double place_at(const record *from, double time)
{
  int i = 0;
  while (i + 1 < from->count && from->time[i] < time) i++;
  return from->x[i];
}

/* Approach, hold and release in steps of so many ms; the plane is `delay` steps old. */
static trial feel(int ms, int delay, pl_haptic_motion motion, double leave)
{
  static record all;
  pl_servo servo = make_servo(300, motion, leave);
  lump body = {0};
  pl_plane old = {.normal = {0, 0, 1}, .is_there = 1};
  double h = 1e-3 * ms, before = 0, t = 0;
  trial result = {.release = NAN};
  pl_servo_publish(&servo, &old);
  all.count = 0;
  for (int step = 0; step < (int)(1000 * leave + 1000) / ms; step++) {
    for (int i = 0; i < ms; i++, t += 1e-3) {
      pl_servo_tick(&servo, t, 1e-3);
      const pl_servo_report *report = pl_servo_read(&servo);
      all.time[all.count] = t, all.x[all.count] = body.x;
      all.force[all.count++] = report->force[2];
      result.energy = fmin(result.energy, report->energy);
      if (t > leave && isnan(result.release) && report->force[2] == 0) result.release = t - leave;
    }
    const pl_servo_report *report = pl_servo_read(&servo);
    step_lump(&body, -(report->impulse[2] - before) / h, h);
    before = report->impulse[2];
    pl_plane plane = {
        .is_there = 1, .normal = {0, 0, 1}, .time = t, .lasts = INFINITY, .point = {0, 0, body.x}};
    plane.velocity[2] = body.v;
    pl_servo_publish(&servo, delay ? &old : &plane);
    old = plane;
  }
  result.ripple = ripple_of(&all, leave - 1.2, leave);
  result.creep = place_at(&all, 0.73) - place_at(&all, leave - 1e-3);
  result.is_moving = pl_servo_read(&servo)->is_moving;
  pl_servo_release(&servo);
  return result;
}

/* ---- what the thesis says ---- */

TEST(steps_up_to_20_ms_are_smooth_and_40_ms_vibrate)
{
  const int ms[] = {1, 10, 15, 20, 25, 40};
  for (int i = 0; i < 6; i++) {
    trial got = feel(ms[i], 0, PL_HAPTIC_MOVES, 3);
    printf("  %2d ms: ripple %.2g N, creep %.3f mm, release %.0f ms, least energy %.2g mJ\n", ms[i],
           got.ripple, 1e3 * got.creep, 1e3 * got.release, 1e3 * got.energy);
    CHECK(ms[i] < 40 ? got.ripple < 1e-3 : got.ripple > 0.1);
    if (ms[i] > 20) continue;
    CHECK_NEAR(got.creep, 0.71e-3, 0.02e-3);
    CHECK(got.release < 0.02);
  }
  CHECK(feel(10, 0, PL_HAPTIC_MOVES, 3).energy > -1e-3);
}

/* Why the plane is published at once. */
TEST(a_plane_that_is_a_step_old_vibrates_sooner)
{
  CHECK(feel(10, 1, PL_HAPTIC_MOVES, 3).ripple < 1e-3);
  CHECK(feel(20, 1, PL_HAPTIC_MOVES, 3).ripple > 0.1);
}

TEST(a_plane_that_stands_is_stable_at_larger_steps_and_auto_finds_it)
{
  CHECK(feel(40, 0, PL_HAPTIC_STANDS, 3).ripple < 1e-2);
  trial got = feel(30, 0, PL_HAPTIC_AUTO, 9);
  printf("  30 ms: ripple %.2g N, least energy %.2g mJ\n", got.ripple, 1e3 * got.energy);
  CHECK(!got.is_moving && got.ripple < 0.1);
  CHECK(feel(10, 0, PL_HAPTIC_AUTO, 3).is_moving);
}

/* ---- the plane ---- */

TEST(friction_holds_to_its_limit_and_drags_beyond)
{
  pl_plane plane = {.is_there = 1, .normal = {0, 0, 1}};
  pl_plane_spring spring = {.stiffness = 100, .friction = 0.5, .radius = 0.01, .max_force = 50};
  pl_plane_grip grip = {0};
  double force[3], still[3] = {0};
  for (int i = 0; i <= 20; i++) {
    double x[3] = {1e-3 * i, 0, 0};
    pl_plane_force(&plane, &spring, 1, 0, 1e-3, x, still, &grip, force);
    CHECK_NEAR(force[2], 1, 1e-12); // 100 N/m, 1 cm deep
    CHECK_NEAR(force[0], -fmin(0.1 * i, 0.5), 1e-12);
  }
  const double away[3] = {0, 0, 0.02};
  pl_plane_force(&plane, &spring, 1, 0, 1e-3, away, still, &grip, force);
  CHECK(force[0] == 0 && force[2] == 0 && !grip.holds);
  spring.max_force = 0.3;
  pl_plane_force(&plane, &spring, 1, 0, 1e-3, still, still, &grip, force);
  CHECK_NEAR(force[2], 0.3, 1e-12);
}

/* A tool in a bowl of radius 1 m, 0.3 m from its middle c: the normal is (c - x) / |c - x|. What a
 * plane that turns feels beside it is wrong by the square of the way only, its depth by the cube.
 */
TEST(a_plane_that_turns_is_a_bowl_to_second_order)
{
  pl_plane plane = {.is_there = 1, .normal = {0, 0, 1}, .point = {0, 0, -1}};
  const pl_plane_spring spring = {.stiffness = 1, .radius = 0.8, .max_force = 50};
  const double still[3] = {0};
  double last = 0;
  plane.place[2] = -0.3;
  plane.turn[0] = plane.turn[4] = -1 / 0.3;
  for (double way = 0.02; way > 4e-3; way /= 2) {
    pl_plane_grip grip = {0};
    const double x[3] = {way, 0, -0.3};
    double force[3], from = sqrt(way * way + 0.09), push = 0.8 - (1 - from);
    pl_plane_force(&plane, &spring, 1, 0, 1e-3, x, still, &grip, force);
    CHECK_NEAR(pl_vec3_norm(force), push, 10 * way * way * way);
    double error = fabs(force[0] + push * way / from);
    if (last > 0) CHECK(error < last / 7); // of third order here, where the bowl is even
    last = error;
  }
}

/* It goes no further than the step for which it was made, as where a user pauses the simulation. */
TEST(a_plane_waits_for_a_simulation_that_is_late)
{
  pl_plane plane = {.is_there = 1, .normal = {0, 0, 1}, .velocity = {0, 0, 0.5}, .lasts = 0.01};
  const pl_plane_spring spring = {.stiffness = 100, .damping = 2, .max_force = 50};
  const double x[3] = {0}, still[3] = {0};
  pl_plane_grip grip = {0};
  double force[3];
  pl_plane_force(&plane, &spring, 1, 0.004, 1e-3, x, still, &grip, force);
  CHECK_NEAR(force[2], 100 * 0.002 + 2 * 0.5, 1e-12);
  for (double t = 0.011; t < 1; t += 0.1) {
    pl_plane_force(&plane, &spring, 1, t, 1e-3, x, still, &grip, force);
    CHECK_NEAR(force[2], 100 * 0.005, 1e-12);
  }
}

/* ---- impulses and steps ---- */

/* Steps of 10 ms have 7 to 13 ticks: none is lost. With 40 each, and after a pause, bodies feel the
 * mean of the force, 3 N and later 5 N. */
TEST(a_late_simulation_feels_the_mean_force_and_one_in_time_every_tick)
{
  pl_account account = {0};
  double h = 0.01, sum = 0, force[3];
  for (int i = 0; i < 70; i++) {
    int ticks = 7 + i % 7;
    pl_account_add(&account, (const double[]){0, 0, 3e-3 * ticks}, 1e-3 * ticks);
    pl_account_take(&account, h, force);
    CHECK(force[2] < 3 + 1e-12);
    sum += h * force[2];
  }
  CHECK_NEAR(sum + account.impulse[2], 3 * 0.7, 1e-12);
  CHECK(account.seconds < h);
  for (int i = 0; i < 10; i++) {
    pl_account_add(&account, (const double[]){0, 0, 3e-3 * 40}, 40e-3);
    pl_account_take(&account, h, force);
    CHECK_NEAR(force[2], 3, 1e-12);
  }
  pl_account_add(&account, (const double[]){0, 0, 5 * 100}, 100);
  pl_account_take(&account, h, force);
  CHECK_NEAR(force[2], 5, 1e-3);
  pl_account_add(&account, (const double[]){0, 0, 0}, h);
  pl_account_take(&account, h, force);
  CHECK_NEAR(force[2], 2.5, 1e-3);
}

/* ---- threads ---- */

typedef struct mail {
  pl_exchange exchange;
  long slots[3][8];
  long last;
} mail;

static void *post_all(void *context)
{
  mail *to = context;
  for (long i = 1; i <= to->last; i++) {
    for (int k = 0; k < 8; k++) to->slots[to->exchange.back][k] = i;
    pl_exchange_publish(&to->exchange);
  }
  return NULL;
}

TEST(a_thread_never_sees_half_a_value_or_an_older_one)
{
  static mail from;
  pthread_t writer;
  long seen = 0;
  from.last = TEST_SANITIZED ? 20000 : 300000;
  pl_exchange_init(&from.exchange);
  CHECK(pthread_create(&writer, NULL, post_all, &from) == 0);
  while (seen < from.last) {
    if (!pl_exchange_take(&from.exchange)) continue;
    const long *slot = from.slots[from.exchange.front];
    CHECK(slot[0] > seen);
    for (int k = 1; k < 8; k++) CHECK(slot[k] == slot[0]);
    seen = slot[0];
    if (test_failures) break;
  }
  pthread_join(writer, NULL);
}

/* Every tick is counted once, whenever it is read; with PLIANT_LONG=1 for ten minutes. */
static void count_impulses(double spin)
{
  pl_servo servo = make_servo(300, PL_HAPTIC_MOVES, 3);
  servo.spin = spin;
  pl_plane plane = {.is_there = 1, .normal = {0, 0, 1}, .point = {0, 0, 0.02}};
  double sum = 0, before = 0;
  int64_t ticks = 0;
  pl_servo_publish(&servo, &plane);
  CHECK_OK(pl_servo_start(&servo, error));
  CHECK_OK(pl_servo_start(&servo, error));         // once is enough
  int reads = getenv("PLIANT_LONG") ? 240000 : 40; // of 2.5 ms
  for (int i = 0; i < reads && !test_failures; i++) {
    nanosleep(&(struct timespec){.tv_nsec = 1000000 + 500000 * (i % 7)}, NULL);
    pl_servo_publish(&servo, &plane);
    const pl_servo_report *report = pl_servo_read(&servo);
    CHECK(report->ticks >= ticks);
    ticks = report->ticks;
    sum += report->impulse[2] - before;
    before = report->impulse[2];
  }
  pl_servo_stop(&servo);
  const pl_servo_report *report = pl_servo_read(&servo);
  printf("  %lld ticks, %lld of them late, the longest %.2f ms after the one before\n",
         (long long)report->ticks, (long long)report->late, 1e3 * report->longest);
  CHECK(report->ticks > 10 && sum > 0);
  CHECK_NEAR(sum + report->impulse[2] - before, report->impulse[2], 1e-12 * (double)reads);
  pl_servo_release(&servo);
}

TEST(no_impulse_is_lost_between_threads)
{
  count_impulses(0);
  count_impulses(9e-4); // waits without sleeping
}

TESTS(X(steps_up_to_20_ms_are_smooth_and_40_ms_vibrate)
          X(a_plane_that_is_a_step_old_vibrates_sooner)
              X(a_plane_that_stands_is_stable_at_larger_steps_and_auto_finds_it)
                  X(friction_holds_to_its_limit_and_drags_beyond)
                      X(a_plane_that_turns_is_a_bowl_to_second_order)
                          X(a_plane_waits_for_a_simulation_that_is_late)
                              X(a_late_simulation_feels_the_mean_force_and_one_in_time_every_tick)
                                  X(a_thread_never_sees_half_a_value_or_an_older_one)
                                      X(no_impulse_is_lost_between_threads))
