/* Ties: two halves of a bar that are tied are the whole bar, with every integrator, solver and
 * preconditioner; gaps, momenta and reactions of bodies whose meshes do not match; other
 * constraints at tied nodes; rows that repeat or contradict each other. */
// label: long
#include "tied.h"

#include "mesh/failing.h"

/* The largest distance between nodes of the halves and those of the whole bar. */
static double distance(pair *p, pl_world *whole)
{
  double max = 0;
  const pl_body *bar = &whole->bodies.list[0];
  for (int b = 0; b < 2; b++) {
    const pl_body *half = &p->world->bodies.list[b];
    for (int i = 0; i < half->mesh->node_count; i++) {
      double nearest = INFINITY;
      const double *x = p->world->state.q + 3 * (half->offset + i);
      for (int k = 0; k < bar->mesh->node_count; k++) {
        if (pl_vec3_distance(half->rest + 3 * i, bar->rest + 3 * k) < 1e-9)
          nearest = pl_vec3_distance(x, whole->state.q + 3 * k);
      }
      max = fmax(max, nearest);
    }
  }
  return max;
}

/* Steps both and returns the distance; in *moved how far the bar has come. */
static double compare(const setup *with, int fixed, int steps, double *gap)
{
  pair p;
  pl_world *whole = NULL;
  pl_body_id bar;
  pl_attachment_facts facts = {0};
  CHECK_OK(make_pair(with, fixed, &p, error));
  CHECK_OK(make_world(with, &whole, error));
  CHECK_OK(add_bar(whole, with, 0, 4, 2, &bar, error));
  if (fixed) CHECK_OK(fix_set(whole, bar, "x-min", error));
  for (int i = 0; i < steps; i++) {
    CHECK_OK(pl_world_step(whole, error));
    CHECK_OK(pl_world_step(p.world, error));
  }
  double apart = distance(&p, whole);
  CHECK_OK(pl_world_read_attachment(p.world, p.tie, &facts, error));
  *gap = facts.gap;
  pl_world_destroy(p.world);
  pl_world_destroy(whole);
  return apart;
}

/* ---- two halves ---- */

static int has_newton(const pl_member *member)
{
  return pl_param_find(member, "newton-tolerance") >= 0 && pl_param_find(member, "newton") >= 0;
}

TEST(tied_halves_move_like_the_whole_bar_with_every_integrator)
{
  for (int m = 0; pl_integrator_family.members[m]; m++) {
    const pl_integrator_ops *ops = (const pl_integrator_ops *)pl_integrator_family.members[m];
    for (int fixed = ops->is_static; fixed < 2; fixed++) {
      setup with = {.integrator = ops->info.name,
                    .dt = 0.0005,
                    .gravity = fixed ? 9.81 : 0,
                    .spin = ops->is_static ? 0 : 3,
                    .damping = 0.002,
                    .newton = has_newton(&ops->info)};
      if (ops->is_implicit) with.solver = "cg";
      double gap, apart = compare(&with, fixed, ops->is_static || TEST_SANITIZED ? 1 : 8, &gap);
      double max = ops->is_static ? 1e-6 : 1e-9;
      CHECK(apart < max);
      CHECK(gap < 1e-12);
      if (!(apart < max && gap < 1e-12))
        printf("  %s, %s: %g m apart, gap %g m\n", ops->info.name, fixed ? "fixed" : "free", apart,
               gap);
    }
  }
}

TEST(tied_halves_move_like_the_whole_bar_with_every_solver_and_preconditioner)
{
  for (int s = 0; pl_solver_family.members[s]; s++) {
    if (pl_solver_family.members[s]->missing) continue;
    for (int k = 0; pl_preconditioner_family.members[k]; k++) {
      setup with = {.integrator = "implicit-euler",
                    .solver = pl_solver_family.members[s]->name,
                    .preconditioner = pl_preconditioner_family.members[k]->name,
                    .element = "tet",
                    .gravity = 9.81,
                    .spin = 2};
      double gap, apart = compare(&with, 1, 2, &gap);
      CHECK(apart < 1e-9 && gap < 1e-12);
      if (!(apart < 1e-9 && gap < 1e-12))
        printf("  %s, %s: %g m apart, gap %g m\n", with.solver, with.preconditioner, apart, gap);
    }
  }
}

/* ---- meshes that do not match ---- */

static void momentum(const pl_world *world, double p[3], double *size)
{
  p[0] = p[1] = p[2] = *size = 0;
  for (size_t b = 0; b < world->bodies.count; b++) {
    const pl_body *body = &world->bodies.list[b];
    for (int i = 0; i < body->blocks; i++) {
      const double *v = world->state.v + 3 * (body->offset + i);
      pl_vec3_add_scaled(body->model->lumped_mass[i], v, p);
      *size += body->model->lumped_mass[i] * pl_vec3_norm(v);
    }
  }
}

TEST(gaps_stay_closed_and_momentum_is_kept_between_meshes_that_do_not_match)
{
  for (int m = 0; pl_integrator_family.members[m]; m++) {
    const pl_integrator_ops *ops = (const pl_integrator_ops *)pl_integrator_family.members[m];
    if (ops->is_static) continue;
    setup with = {.integrator = ops->info.name,
                  .dt = 0.0002,
                  .spin = 3,
                  .fine = 3,
                  .damping = 0.002,
                  .newton = has_newton(&ops->info)};
    if (ops->is_implicit) with.solver = "cg";
    pair p;
    double before[3], after[3], size;
    pl_attachment_facts facts = {0};
    CHECK_OK(make_pair(&with, 0, &p, error));
    momentum(p.world, before, &size);
    for (int i = 0; i < 20; i++) CHECK_OK(pl_world_step(p.world, error));
    momentum(p.world, after, &size);
    CHECK_OK(pl_world_read_attachment(p.world, p.tie, &facts, error));
    double lost = pl_vec3_distance(before, after) / size;
    CHECK(facts.points == 16 && facts.gap < 1e-12 && lost < 1e-9);
    if (!(facts.gap < 1e-12 && lost < 1e-9))
      printf("  %s: gap %g m, lost %g of the momentum\n", ops->info.name, facts.gap, lost);
    pl_world_destroy(p.world);
  }
}

/* A bar that hangs under another: the tie carries its weight, in statics and after a while. */
TEST(a_tie_carries_the_weight_that_hangs_on_it)
{
  static const char *const integrators[] = {"static", "implicit-euler", "newmark",   "bdf2",
                                            "ros2w",  "rkc2",           "relaxation"};
  for (size_t i = 0; i < sizeof integrators / sizeof *integrators; i++) {
    int is_static =
        strcmp(integrators[i], "static") == 0 || strcmp(integrators[i], "relaxation") == 0;
    setup with = {.integrator = integrators[i],
                  .dt = is_static ? 0.01 : 0.02,
                  .gravity = 9.81,
                  .fine = 3,
                  .young = 1e6,
                  .damping = 0.05};
    pair p;
    pl_attachment_facts facts = {0};
    CHECK_OK(make_pair(&with, 1, &p, error));
    for (int k = 0; k < (is_static ? 1 : 300); k++) CHECK_OK(pl_world_step(p.world, error));
    CHECK_OK(pl_world_read_attachment(p.world, p.tie, &facts, error));
    // 1000 kg/m^3, 0.5 x 0.5 x 0.5 m; the force on the body that hangs points upwards
    double weight = 1000 * 0.125 * 9.81;
    CHECK_NEAR(facts.force[2], weight, 1e-3 * weight);
    CHECK_NEAR(facts.force[0], 0, 1e-3 * weight);
    if (fabs(facts.force[2] - weight) > 1e-3 * weight)
      printf("  %s: %g of %g N\n", integrators[i], facts.force[2], weight);
    pl_world_destroy(p.world);
  }
}

/* ---- memory, threads, saved states ---- */

static void run(pl_world *world, int steps)
{
  for (int i = 0; i < steps; i++) CHECK_OK(pl_world_step(world, error));
}

/* The hash after eight steps; half of them are repeated from a saved state, there and in another
 * world with another number of threads. */
static uint64_t go_on(const setup *with, int *same)
{
  pair p, other;
  setup alike = *with;
  alike.threads = with->threads == 1 ? 2 : 1;
  CHECK_OK(make_pair(with, 1, &p, error));
  CHECK_OK(make_pair(&alike, 1, &other, error));
  run(p.world, 4);
  size_t size = pl_world_state_size(p.world);
  void *saved = malloc(size);
  CHECK_OK(pl_world_save_state(p.world, saved, size, error));
  run(p.world, 4);
  uint64_t hash = pl_world_state_hash(p.world);
  CHECK_OK(pl_world_load_state(p.world, saved, size, error));
  run(p.world, 4);
  *same = pl_world_state_hash(p.world) == hash;
  CHECK_OK(pl_world_load_state(other.world, saved, size, error));
  run(other.world, 4);
  *same &= pl_world_state_hash(other.world) == hash;
  free(saved);
  pl_world_destroy(p.world);
  pl_world_destroy(other.world);
  return hash;
}

TEST(the_bits_do_not_depend_on_threads_and_saved_states_go_on)
{
  static const int threads[] = {1, 2, 3, 8};
  for (int m = 0; pl_integrator_family.members[m]; m++) {
    const pl_integrator_ops *ops = (const pl_integrator_ops *)pl_integrator_family.members[m];
    uint64_t first = 0;
    if (ops->info.missing) continue;
    for (int t = 0; t < 4; t++) {
      int same;
      if (m > 2 && (t % 2 || (TEST_SANITIZED && t > 0))) continue; // to save time
      setup with = {.integrator = ops->info.name,
                    .dt = 0.001,
                    .gravity = 9.81,
                    .fine = 3,
                    .damping = 0.002,
                    .threads = threads[t],
                    .solver = "cg"};
      uint64_t hash = go_on(&with, &same);
      if (t == 0) first = hash;
      CHECK(same && hash == first);
      if (!same || hash != first)
        printf("  %s with %d threads: %s\n", with.integrator, threads[t],
               same ? "others" : "not after loading");
    }
  }
}

static pl_status attempt(const pl_allocator *allocator, void *user)
{
  (void)user;
  setup with = {.integrator = "implicit-euler", .gravity = 9.81, .allocator = allocator};
  pair p;
  pl_error error;
  pl_status status = make_pair(&with, 1, &p, &error);
  if (!status) status = pl_world_step(p.world, &error);
  pl_world_destroy(p.world);
  return status;
}

TEST(memory_may_fail) { fail_every_allocation(attempt, NULL); }

/* ---- other constraints at the same nodes ---- */

/* Both ends of every pair are fixed: the tie has nothing to add. */
TEST(a_tie_between_fixed_nodes_is_redundant)
{
  for (int explicit_one = 0; explicit_one < 2; explicit_one++) {
    setup with = {
        .integrator = explicit_one ? "verlet" : "implicit-euler", .dt = 0.001, .gravity = 9.81};
    pair p;
    pl_attachment_facts facts = {0};
    CHECK_OK(make_pair(&with, 1, &p, error));
    CHECK_OK(fix_set(p.world, p.left, "x-max", error));
    CHECK_OK(fix_set(p.world, p.right, "x-min", error));
    for (int k = 0; k < 5; k++) CHECK_OK(pl_world_step(p.world, error));
    CHECK_OK(pl_world_read_attachment(p.world, p.tie, &facts, error));
    CHECK(facts.gap < 1e-14 && facts.force[2] == 0);
    for (int i = 0; i < p.world->rows.mpcs->count; i++)
      CHECK(!p.world->rows.mpcs->list[i].is_active);
    pl_world_destroy(p.world);
  }
}

/* Fixed where it is tied: the other bar hangs on the fix by the tie. The fix's reaction is the
 * weight of the bar that hangs, whichever of the two ends is fixed. */
TEST(a_fix_at_a_tied_node_holds_the_other_body_too)
{
  for (int side = 0; side < 2; side++) {
    setup with = {.integrator = "static", .gravity = 9.81, .fine = side ? 3 : 2};
    pair p;
    pl_fix_id id;
    pl_fix_facts facts = {0};
    pl_attachment_facts tied = {0};
    pl_selector where = {.set = side ? "x-max" : "x-min"};
    pl_fix_def def = pl_fix_def_default();
    def.where = &where, def.where_count = 1;
    CHECK_OK(make_pair(&with, 0, &p, error));
    CHECK_OK(pl_world_add_fix(p.world, side ? p.left : p.right, &def, &id, error));
    CHECK_OK(pl_world_step(p.world, error));
    CHECK_OK(pl_world_read_fix(p.world, id, &facts, error));
    CHECK_OK(pl_world_read_attachment(p.world, p.tie, &tied, error));
    double weight = 1000 * 0.125 * 9.81;
    CHECK_NEAR(facts.force[2], 2 * weight, 1e-4 * weight);
    CHECK_NEAR(tied.force[2], side ? weight : -weight, 1e-4 * weight);
    CHECK(tied.gap < 1e-12);
    pl_world_destroy(p.world);
  }
}

/* Tied twice, and in both directions: what is said again changes nothing. */
TEST(rows_that_repeat_others_are_left_out)
{
  setup with = {.integrator = "static", .gravity = 9.81};
  pair p, twice;
  pl_attachment_facts facts = {0};
  CHECK_OK(make_pair(&with, 1, &p, error));
  CHECK_OK(make_pair(&with, 1, &twice, error));
  CHECK_OK(tie(twice.world, twice.right, "x-min", twice.left, NULL, error));
  CHECK_OK(tie(twice.world, twice.left, "x-max", twice.right, NULL, error));
  CHECK_OK(pl_world_step(p.world, error));
  CHECK_OK(pl_world_step(twice.world, error));
  int active = 0;
  const pl_mpcs *mpcs = twice.world->rows.mpcs;
  for (int i = 0; i < mpcs->count; i++) active += mpcs->list[i].is_active;
  CHECK(mpcs->count == 81 && active == 27);
  for (int i = 0; i < 3 * p.world->bodies.blocks; i++)
    CHECK_NEAR(p.world->state.q[i], twice.world->state.q[i], 1e-9);
  CHECK_OK(pl_world_read_attachment(twice.world, twice.tie, &facts, error));
  CHECK(facts.gap < 1e-12);
  pl_world_destroy(p.world);
  pl_world_destroy(twice.world);
}

/* Both ends are moved apart by fixes: these count, and the gap is theirs. */
TEST(fixes_that_contradict_a_tie_count)
{
  for (int explicit_one = 0; explicit_one < 2; explicit_one++) {
    setup with = {.integrator = explicit_one ? "verlet" : "implicit-euler", .dt = 0.001};
    pair p;
    pl_attachment_facts facts = {0};
    pl_selector where = {.set = "x-min"};
    pl_fix_def def = pl_fix_def_default();
    CHECK_OK(make_pair(&with, 0, &p, error));
    def.where = &where, def.where_count = 1;
    const double times[] = {0, 0.01}, factors[] = {0, 1};
    def.translation[0] = 0.01;
    def.ramp = (pl_ramp){2, times, factors};
    CHECK_OK(pl_world_add_fix(p.world, p.right, &def, NULL, error));
    CHECK_OK(fix_set(p.world, p.left, "x-max", error));
    for (int k = 0; k < 12; k++) CHECK_OK(pl_world_step(p.world, error));
    CHECK_OK(pl_world_read_attachment(p.world, p.tie, &facts, error));
    CHECK_NEAR(facts.gap, 0.01, 1e-12);
    pl_world_destroy(p.world);
  }
}

/* Two tied bars come to rest on a plane: the contact forces at tied nodes and others carry both. */
TEST(contact_at_tied_nodes_carries_the_weight)
{
  static const char *const integrators[] = {"implicit-euler", "ros2w", "verlet"};
  for (int i = 0; i < 3; i++) {
    setup with = {.integrator = integrators[i],
                  .dt = i == 2 ? 0.001 : 0.005,
                  .gravity = 9.81,
                  .fine = 3,
                  .damping = 0.02};
    pair p;
    pl_attachment_facts facts = {0};
    pl_obstacle_def plane = pl_obstacle_def_default();
    plane.shape.name = "plane";
    CHECK_OK(make_pair(&with, 0, &p, error));
    CHECK_OK(pl_world_add_obstacle(p.world, &plane, NULL, error));
    for (int k = 0; k < (i == 2 ? 1000 : 200) / (TEST_SANITIZED ? 20 : 1); k++)
      CHECK_OK(pl_world_step(p.world, error));
    CHECK_OK(pl_world_read_attachment(p.world, p.tie, &facts, error));
    CHECK(facts.gap < 1e-11);
    double deepest = INFINITY, fastest = 0;
    for (int k = 0; k < p.world->bodies.blocks; k++) {
      deepest = fmin(deepest, p.world->state.q[3 * k + 2]);
      fastest = fmax(fastest, pl_vec3_norm(p.world->state.v + 3 * k));
    }
    CHECK(deepest > -1e-9);
    CHECK(fastest < 1e-3 || TEST_SANITIZED);
    if (!(deepest > -1e-9 && (fastest < 1e-3 || TEST_SANITIZED) && facts.gap < 1e-11))
      printf("  %s: gap %g, deepest %g m, fastest %g m/s\n", integrators[i], facts.gap, deepest,
             fastest);
    pl_world_destroy(p.world);
  }
}

TESTS(X(tied_halves_move_like_the_whole_bar_with_every_integrator)
          X(tied_halves_move_like_the_whole_bar_with_every_solver_and_preconditioner)
              X(gaps_stay_closed_and_momentum_is_kept_between_meshes_that_do_not_match)
                  X(a_tie_carries_the_weight_that_hangs_on_it)
                      X(the_bits_do_not_depend_on_threads_and_saved_states_go_on) X(memory_may_fail)
                          X(a_tie_between_fixed_nodes_is_redundant)
                              X(a_fix_at_a_tied_node_holds_the_other_body_too)
                                  X(rows_that_repeat_others_are_left_out)
                                      X(fixes_that_contradict_a_tie_count)
                                          X(contact_at_tied_nodes_carries_the_weight))
