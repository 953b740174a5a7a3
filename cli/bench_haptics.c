/* pliant bench haptics: how large a body a hand can feel in real time.
 *
 * A block of soft tissue, twice as wide as high, stands on its fixed lower side and is pressed by a
 * hand; implicit Euler, one Newton iteration, all processors. Sizes grow until 95 of 100 steps,
 * with the hand's ticks and the search for the proxy, no longer take less than they last, by the
 * median of three tries: a pause of the machine ends no search. Hauth 2004, 5.4.4 has several
 * hundred tets with Green's strain at 15 to 20 ms, 1168 at 40 ms, and 3000 corotated ones at
 * 40 ms. */
#include "bench.h"
#include "cli.h"
#include "core/clock.h"
#include "pliant/haptic.h"

#include <stdio.h>

enum { WARM = 10, STEPS = 40, TRIES = 3 };

typedef struct kind {
  const char *name, *strain, *law;
  int has_memory;
} kind;

static const kind kinds[] = {{"linear", "linear", "hooke", 0},
                             {"corotated", "corotated", "hooke", 0},
                             {"corotated, Prony", "corotated", "hooke", 1},
                             {"green", "green", "hooke", 0},
                             {"stable-neo-hooke", NULL, "stable-neo-hooke", 0}};

static const int sizes[] = {2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 18, 20, 24};

static pl_status add_block(pl_world *world, const kind *of, int n, pl_error *error)
{
  const pl_setting box[] = {{.name = "size", .value = {0.12, 0.12, 0.06}},
                            {.name = "cells", .value = {2 * n, 2 * n, n}}};
  const pl_setting moduli[] = {{.name = "young", .value = {15000}},
                               {.name = "poisson", .value = {0.4}}};
  const pl_setting strain = {.name = "strain", .word = of->strain};
  const pl_selector below = {.set = "z-min"};
  pl_mesh *mesh = NULL;
  pl_body_id id;
  pl_status status = pl_mesh_generate(&(pl_choice){"box", box, 2}, NULL, &mesh, error);
  pl_body_def body = pl_body_def_default();
  body.mesh = mesh;
  body.model = (pl_choice){"fem", &strain, of->strain != NULL};
  body.material.law = (pl_choice){of->law, moduli, 2};
  body.material.stiffness_damping = 0.01;
  if (of->has_memory)
    body.material.memory = (pl_memory_def){.count = 1, .shares = {0.4}, .times = {0.4}};
  if (!status) status = pl_world_add_body(world, &body, &id, error);
  pl_fix_def fix = pl_fix_def_default();
  fix.where = &below;
  fix.where_count = 1;
  if (!status) status = pl_world_add_fix(world, id, &fix, NULL, error);
  pl_mesh_destroy(mesh);
  return status;
}

static pl_status make(const kind *of, int n, double dt, pl_world **world, pl_haptic **hand,
                      pl_error *error)
{
  static const pl_haptic_sample press[] = {{0, {0.06, 0.06, 0.062}}, {0.1, {0.06, 0.06, 0.05}}};
  const pl_setting newton = {.name = "newton", .value = {1}};
  pl_world_def def = pl_world_def_default();
  def.dt = dt;
  def.integrator = (pl_choice){"implicit-euler", &newton, 1};
  pl_status status = pl_world_create(&def, world, error);
  if (!status) status = add_block(*world, of, n, error);
  pl_haptic_def with = pl_haptic_def_default();
  with.device.name = "record";
  with.samples = press;
  with.sample_count = 2;
  return status ? status : pl_haptic_create(*world, &with, hand, error);
}

/* Of all steps behind the first ones, what 95 of 100 do not exceed; s. */
static pl_status measure(const kind *of, int n, double dt, double *seconds, pl_error *error)
{
  double times[STEPS] = {0};
  pl_world *world = NULL;
  pl_haptic *hand = NULL;
  pl_status status = make(of, n, dt, &world, &hand, error);
  for (int i = -WARM; i < STEPS && !status; i++) {
    double begun = pl_now();
    status = pl_haptic_step(hand, error);
    if (i >= 0) times[i] = pl_now() - begun;
  }
  (void)cli_median(times, STEPS); // sorts them
  *seconds = times[STEPS * 95 / 100];
  pl_haptic_destroy(hand);
  pl_world_destroy(world);
  return status;
}

/* The median of three tries; one alone where it takes less than half of the step, for pauses only
 * lengthen it. */
static pl_status measure_often(const kind *of, int n, double dt, double *seconds, pl_error *error)
{
  double tries[TRIES] = {0};
  int count = 0;
  pl_status status = PL_OK;
  for (; count < TRIES && !status && !(count == 1 && tries[0] < 0.5 * dt); count++)
    status = measure(of, n, dt, &tries[count], error);
  *seconds = cli_median(tries, count);
  return status;
}

/* The largest size that keeps its time. */
static pl_status search(const kind *of, double dt, pl_text *csv, pl_error *error)
{
  int best = 0;
  double took = 0;
  pl_status status = PL_OK;
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes && !status; i++) {
    double seconds;
    status = measure_often(of, sizes[i], dt, &seconds, error);
    if (status || seconds > dt) break;
    best = sizes[i];
    took = seconds;
  }
  int tets = 24 * best * best * best;
  printf("%-18s %5.0f ms %9d tets %8.2f ms/step\n", of->name, 1e3 * dt, tets, 1e3 * took);
  fflush(stdout);
  if (csv) pl_text_add(csv, "\"%s\",%g,%d,%.4g\n", of->name, 1e3 * dt, tets, 1e3 * took);
  return status;
}

int cli_bench_haptics(int quick, pl_text *csv)
{
  static const double steps[] = {0.01, 0.02, 0.04};
  if (csv) pl_text_add(csv, "material,dt_ms,tets,ms_per_step\n");
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    for (int i = 0; i < (quick ? 1 : 3); i++) {
      pl_error error = {0};
      if (search(&kinds[k], steps[i], csv, &error)) return cli_fail_error(&error);
    }
  }
  return CLI_OK;
}
