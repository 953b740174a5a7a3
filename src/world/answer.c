/* Keeping the answer of the bodies' models; answer.h says why. */
#include "world/answer.h"

#include "core/memory.h"
#include "sparse/passes.h"

#include <string.h>

void pl_answer_release(const pl_allocator *allocator, pl_answer *answer)
{
  double *arrays[] = {answer->q, answer->v, answer->f, answer->A};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) pl_free(allocator, arrays[i]);
  *answer = (pl_answer){0};
}

static size_t entries_of(const pl_bsr *A) { return 9 * (size_t)A->start[A->rows]; }

int pl_answer_give(const pl_answer *answer, const pl_moment *at, int blocks, double *f,
                   const pl_tangent *tangent, pl_pool *pool)
{
  size_t size = 3 * (size_t)blocks * sizeof(double);
  if (!answer->is_there || !f || !tangent || answer->blocks != (size_t)blocks) return 0;
  int same = answer->t == at->t && answer->km == tangent->km && answer->kq == tangent->kq &&
             answer->kv == tangent->kv && answer->semidefinite == tangent->semidefinite &&
             answer->entries == entries_of(tangent->A);
  if (!same || memcmp(answer->q, at->q, size) != 0 || memcmp(answer->v, at->v, size) != 0) return 0;
  memcpy(f, answer->f, size);
  pl_pass_copy(answer->A, tangent->A->values, (int)(answer->entries / 9), 3, pool);
  return 1;
}

static int make_room(const pl_allocator *allocator, pl_answer *answer, size_t blocks,
                     size_t entries)
{
  if (answer->blocks == blocks && answer->entries == entries) return 1;
  pl_answer_release(allocator, answer);
  double **vectors[] = {&answer->q, &answer->v, &answer->f, &answer->A};
  for (int i = 0; i < 4; i++) {
    *vectors[i] = pl_alloc(allocator, i < 3 ? 3 * blocks : entries, sizeof(double));
    if (*vectors[i]) continue;
    pl_answer_release(allocator, answer);
    return 0;
  }
  answer->blocks = blocks;
  answer->entries = entries;
  return 1;
}

void pl_answer_keep(const pl_allocator *allocator, pl_answer *answer, const pl_moment *at,
                    int blocks, const double *f, const pl_tangent *tangent, pl_pool *pool)
{
  size_t size = 3 * (size_t)blocks * sizeof(double);
  if (!make_room(allocator, answer, (size_t)blocks, entries_of(tangent->A))) return;
  answer->t = at->t;
  answer->km = tangent->km;
  answer->kq = tangent->kq;
  answer->kv = tangent->kv;
  answer->semidefinite = tangent->semidefinite;
  memcpy(answer->q, at->q, size);
  memcpy(answer->v, at->v, size);
  memcpy(answer->f, f, size);
  pl_pass_copy(tangent->A->values, answer->A, (int)(answer->entries / 9), 3, pool);
  answer->is_there = 1;
}
