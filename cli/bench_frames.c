/* pliant bench frames: table I of Gilles, Bousquet, Faure, Pai 2011 repeated: milliseconds per
 * step of bodies of rigid frames, beside what they report of a 2.33 GHz core in 2010; then steps
 * per second of the bar of their figure 6.
 *
 * Their turtle and rabbit are gone; the shapes of that name here have about as many samples (one
 * per voxel). A box stands for the worst case: all frames reach all samples. Dual quaternions,
 * Green's strain, harmonic weights, implicit Euler with one Newton iteration of 10 ms, one thread.
 */
#include "bench.h"
#include "cli.h"
#include "core/clock.h"
#include "mesh/fill.h"
#include "mesh/solid.h"
#include "world/world.h"

#include <math.h>
#include <stdio.h>

enum { STEPS = 40 };

typedef struct shape {
  const char *name, *solid; /* solid NULL: a box of these cells */
  double voxels, cells[3];
  int frames;
  const double *at;            /* NULL: placed by the model */
  double paper, paper_springs; /* ms */
} shape;

static const double turtle[] = {0,    0,     0.2,  0.56, 0,     0.26,  -0.46,
                                0,    0.08,  0.36, 0.38, 0.08,  0.36,  -0.38,
                                0.08, -0.37, 0.33, 0.08, -0.37, -0.33, 0.08};
static const double rabbit[] = {0, 0, 0.3, 0.25, 0, 0.68};

static const shape shapes[] = {
    {"turtle", "turtle", 2313, {0}, 7, turtle, 106, 10},
    {"turtle", "turtle", 15452, {0}, 7, turtle, 648, 10},
    {"rabbit", "bunny", 2323, {0}, 2, rabbit, 51, 10},
    {"rabbit", "bunny", 15526, {0}, 2, rabbit, 250, 10},
    {"box", NULL, 0, {23, 10, 10}, 7, NULL, 106, 10},
    {"box", NULL, 0, {41, 20, 19}, 7, NULL, 648, 10},
    {"box", NULL, 0, {23, 10, 10}, 2, NULL, 51, 10},
    {"box", NULL, 0, {41, 20, 19}, 2, NULL, 250, 10},
};

/* How a body may be made. */
typedef struct kind {
  const char *name, *model, *stiffness, *forces, *tangent;
} kind;

enum { PRESET, EXACT, APPROXIMATE, SPRINGS, AFFINE, KINDS };
static const kind kinds[KINDS] = {{"preset", "rigid-frames", "exact", "integrated", "spd"},
                                  {"exact", "rigid-frames", "exact", "integrated", "exact"},
                                  {"paper's", "rigid-frames", "approximate", "integrated", "exact"},
                                  {"springs", "rigid-frames", "exact", "springs", "exact"},
                                  {"affine", "frames", NULL, NULL, "spd"}};

static pl_status make_mesh(const shape *of, pl_mesh **mesh, pl_error *error)
{
  if (!of->solid) {
    const double *n = of->cells;
    const pl_setting box[] = {{.name = "size", .value = {4, 1, 1}},
                              {.name = "cells", .value = {n[0], n[1], n[2]}},
                              {.name = "element", .word = "hex"}};
    return pl_mesh_generate(&(pl_choice){"box", box, 3}, NULL, mesh, error);
  }
  pl_solid *solid;
  pl_setting size = {.name = "elements", .value = {of->voxels}};
  pl_solid_row row = {{of->solid, NULL, 0}, 0};
  pl_status status = pl_solid_create(&row, 1, NULL, &solid, error);
  if (status) return status;
  pl_volume volume = pl_solid_volume(solid);
  status = pl_fill(&volume, &(pl_choice){"voxels", &size, 1}, NULL, mesh, error);
  pl_solid_destroy(solid);
  return status;
}

static pl_status add_body(pl_world *world, const pl_mesh *mesh, const shape *of, const kind *how,
                          const char *weights, pl_error *error)
{
  const pl_setting hooke[] = {{.name = "young", .value = {7e5}},
                              {.name = "poisson", .value = {0.3}}};
  pl_setting model[6] = {{.name = "strain", .word = "green"},
                         {.name = "frames", .value = {of->frames}},
                         {.name = "samples", .value = {1}},
                         {.name = "weights", .word = weights}};
  int count = 4;
  if (how->stiffness) model[count++] = (pl_setting){.name = "stiffness", .word = how->stiffness};
  if (how->forces) model[count++] = (pl_setting){.name = "forces", .word = how->forces};
  pl_body_def body = pl_body_def_default();
  pl_body_id id;
  body.mesh = mesh;
  body.model = (pl_choice){how->model, model, count};
  body.material.law = (pl_choice){"hooke", hooke, 2};
  body.sites = of->at;
  body.site_count = of->at ? of->frames : 0;
  body.spin[0] = 1;
  return pl_world_add_body(world, &body, &id, error);
}

/* The least processor time of a step in ms: what else the machine does only adds to it. */
static pl_status measure(const pl_mesh *mesh, const shape *of, const kind *how, const char *weights,
                         double *ms, pl_error *error)
{
  pl_world_def def = pl_world_def_default();
  pl_world *world;
  const pl_setting newton = {.name = "tangent", .word = how->tangent};
  def.threads = 1;
  def.integrator = (pl_choice){"implicit-euler", &newton, 1};
  pl_status status = pl_world_create(&def, &world, error);
  if (status) return status;
  status = add_body(world, mesh, of, how, weights, error);
  *ms = INFINITY;
  for (int i = 0; i < STEPS && !status; i++) {
    double before = pl_processor_now();
    status = pl_world_step(world, error);
    *ms = fmin(*ms, 1e3 * (pl_processor_now() - before));
  }
  pl_world_destroy(world);
  return status;
}

static pl_status bench_shape(const shape *of, pl_text *csv, pl_error *error)
{
  pl_mesh *mesh;
  double ms[KINDS];
  pl_status status = make_mesh(of, &mesh, error);
  if (status) return status;
  for (int k = 0; k < KINDS && !status; k++)
    status = measure(mesh, of, &kinds[k], "harmonic", &ms[k], error);
  if (!status)
    printf("%-7s %7d %6d %6g", of->name, pl_mesh_element_count(mesh), of->frames, of->paper);
  for (int k = 0; k < KINDS && !status; k++) {
    double paper = k == SPRINGS ? of->paper_springs : of->paper;
    printf(" %9.3g %4.0fx", ms[k], paper / ms[k]);
    if (csv)
      pl_text_add(csv, "%s,%d,%d,%s,%.4f,%g\n", of->name, pl_mesh_element_count(mesh), of->frames,
                  kinds[k].name, ms[k], paper);
  }
  printf("\n");
  fflush(stdout);
  pl_mesh_destroy(mesh);
  return status;
}

/* Five frames on 900 samples; the paper: "88" (first digit uncertain) and 700 steps per second. */
static pl_status bench_bar(pl_error *error)
{
  static const shape bar = {"bar", NULL, 0, {9, 10, 10}, 5, NULL, 0, 0};
  static const char *const paper[KINDS] = {"", "", "  (paper: about 88)", "  (paper: 700)", ""};
  pl_mesh *mesh;
  pl_status status = make_mesh(&bar, &mesh, error);
  if (status) return status;
  printf("\nA bar of 5 frames and 900 samples, steps per second:\n");
  for (int k = 0; k < KINDS && !status; k++) {
    double ms = 0;
    status = measure(mesh, &bar, &kinds[k], "linear", &ms, error);
    if (!status) printf("%-8s %8.0f%s\n", kinds[k].name, 1e3 / ms, paper[k]);
  }
  pl_mesh_destroy(mesh);
  return status;
}

int cli_bench_frames(int quick, pl_text *csv)
{
  pl_error error = {0};
  pl_status status = PL_OK;
  printf("%-7s %7s %6s %6s", "ms/step", "samples", "frames", "paper");
  for (int k = 0; k < KINDS; k++) printf(" %15s", kinds[k].name);
  printf("\n");
  if (csv) pl_text_add(csv, "body,samples,frames,method,ms_per_step,paper_ms_per_step\n");
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes && !status; i++) {
    if (quick && i % 2) continue;
    status = bench_shape(&shapes[i], csv, &error);
  }
  if (!status) status = bench_bar(&error);
  return status ? cli_fail_error(&error) : CLI_OK;
}
