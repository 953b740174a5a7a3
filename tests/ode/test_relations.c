/* Relations four at a time do what they do one by one. */
#include "core/cpu.h"
#include "ode/relation.h"
#include "ode/relax.h"

#include "test.h"

enum { PAIRS = 8, BLOCKS = 2 * PAIRS };

/* Sticks without common blocks, with other masses at their ends. */
static pl_relation_list *make(const pl_allocator *allocator)
{
  pl_relation sticks[PAIRS];
  pl_relation_list *list = NULL;
  for (int i = 0; i < PAIRS; i++)
    sticks[i] = (pl_relation){{2 * i, 2 * i + 1}, 0.3 + 0.1 * i, 1e-3 * (i + 1), 2};
  CHECK_OK(pl_relations_create(allocator, BLOCKS, sticks, PAIRS, &list, error));
  for (int i = 0; i < 4 * BLOCKS; i++) {
    list->x[i] = i % 4 == 3 ? 0.5 + 0.25 * (i / 4 % 5) : test_uniform();
    list->before[i] = i % 4 == 3 ? list->x[i] : list->x[i] + 0.01 * test_uniform();
  }
  return list;
}

static void compare(int sums, int damped, int rigid, pl_relax_pass *pass)
{
  pl_allocator allocator = pl_allocator_default();
  pl_relation_list *list = make(&allocator);
  double start[4 * BLOCKS], expected[4 * BLOCKS], force[PAIRS];
  pl_sweep now = {.relations = list, .h = 0.01, .rigid = rigid, .sums = sums, .damped = damped};
  CHECK(list->count == PAIRS && list->colours == 1);
  memcpy(start, list->x, sizeof start);
  for (int i = 0; i < PAIRS; i++) pl_relax_one(&now, i);
  memcpy(expected, list->x, sizeof expected);
  memcpy(force, list->force, sizeof force);
  memcpy(list->x, start, sizeof start);
  memset(list->force, 0, sizeof force);
  pass(&now, 0, PAIRS / PL_LANES);
  for (int i = 0; i < 4 * BLOCKS; i++) CHECK_NEAR(list->x[i], expected[i], 1e-14);
  for (int i = 0; i < PAIRS && sums; i++) CHECK_NEAR(list->force[i], force[i], 1e-14);
  CHECK(memcmp(expected, start, sizeof start) != 0);
  pl_relations_destroy(&allocator, list);
}

TEST(four_at_a_time_do_as_one_by_one)
{
  pl_relax_pass *const passes[] = {pl_relax_batches_base, PL_PICK_VARIANT(pl_relax_batches)};
  for (int i = 0; i < 2; i++) {
    compare(0, 0, 1, passes[i]);
    for (int k = 0; k < 4; k++) compare(1, k % 2, k / 2, passes[i]);
  }
}

TESTS(X(four_at_a_time_do_as_one_by_one))
