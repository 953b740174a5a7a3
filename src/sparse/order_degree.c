/* Approximate minimum degree on the quotient graph (see ordering.h).
 *
 * The list of a variable holds its elements first, then its variables; that of an element its
 * variables. The degree of a variable i next to the new element p is bounded by
 *
 *   d_i = |A_i \ i| + |L_p \ i| + sum over other elements e of |L_e \ L_p|,
 *
 * where |L_e \ L_p| is found for all e in one pass over L_p (Amestoy, Davis & Duff 1996, eq. 4). An
 * element inside L_p is absorbed, a variable that only p touches is eliminated with it, and
 * variables with the same lists become one of a greater weight. */
#include "sparse/ordering.h"

#include "core/error.h"
#include "core/memory.h"

#include <limits.h>
#include <string.h>

enum { NONE = -1, BETWEEN = 64 }; /* steps between two questions whether to go on */

typedef struct quotient {
  int count;
  int *lists, *spare; /* room for all lists, and another one of the same size */
  size_t used, room;
  int *start, *length, *elements; /* of each list; how many of its first entries are elements */
  int *weight;                    /* blocks that a variable stands for; negative: in L_p; 0: gone */
  int *degree, *mark;             /* mark 0: an element that is gone */
  int *head, *next, *last;        /* lists of variables by degree */
  int *hashed, *hash;             /* lists of variables of L_p by hash (next is used) */
  int *into;                      /* what a vertex that is gone became a part of */
  int flag, min, eliminated;      /* the present mark, a degree that none is below, blocks done */
} quotient;

static void destroy(const pl_allocator *allocator, quotient *self)
{
  int *arrays[] = {self->lists,  self->spare,  self->start, self->length, self->elements,
                   self->weight, self->degree, self->mark,  self->head,   self->next,
                   self->last,   self->hashed, self->hash,  self->into};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) pl_free(allocator, arrays[i]);
}

static void link_degree(quotient *self, int i)
{
  int degree = self->degree[i], first = self->head[degree];
  self->next[i] = first;
  self->last[i] = NONE;
  if (first != NONE) self->last[first] = i;
  self->head[degree] = i;
  if (degree < self->min) self->min = degree;
}

static void unlink_degree(quotient *self, int i)
{
  if (self->next[i] != NONE) self->last[self->next[i]] = self->last[i];
  if (self->last[i] != NONE)
    self->next[self->last[i]] = self->next[i];
  else
    self->head[self->degree[i]] = self->next[i];
}

static pl_status create(const pl_allocator *allocator, const pl_graph *graph, quotient *self,
                        pl_error *error)
{
  size_t n = (size_t)graph->count, entries = (size_t)graph->start[n];
  *self = (quotient){.count = graph->count, .room = 2 * entries + n, .flag = 1, .min = INT_MAX};
  int **arrays[] = {&self->start,  &self->length, &self->elements, &self->weight,
                    &self->degree, &self->mark,   &self->head,     &self->next,
                    &self->last,   &self->hashed, &self->hash,     &self->into};
  self->lists = pl_alloc(allocator, self->room, sizeof(int));
  self->spare = pl_alloc(allocator, self->room, sizeof(int));
  int have = self->lists && self->spare;
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
    *arrays[i] = pl_alloc(allocator, n, sizeof(int));
    have = have && *arrays[i];
  }
  if (!have) return pl_fail_memory(error);
  memcpy(self->lists, graph->neighbours, entries * sizeof(int));
  self->used = entries;
  for (int i = 0; i < self->count; i++) {
    self->head[i] = self->hashed[i] = self->into[i] = NONE;
    self->start[i] = graph->start[i];
    self->length[i] = self->degree[i] = graph->start[i + 1] - graph->start[i];
    self->weight[i] = self->mark[i] = 1;
  }
  for (int i = 0; i < self->count; i++) link_degree(self, i);
  return PL_OK;
}

/* Moves the lists that are in use together. */
static void compact(quotient *self)
{
  int place = 0;
  for (int i = 0; i < self->count; i++) {
    if (self->length[i] == 0) continue;
    memcpy(self->spare + place, self->lists + self->start[i],
           (size_t)self->length[i] * sizeof(int));
    self->start[i] = place;
    place += self->length[i];
  }
  int *kept = self->lists;
  self->lists = self->spare;
  self->spare = kept;
  self->used = (size_t)place;
}

static int pick(quotient *self)
{
  while (self->head[self->min] == NONE) self->min++;
  int pivot = self->head[self->min];
  unlink_degree(self, pivot);
  return pivot;
}

/* Takes the variables of a list into the pivot's new list; returns their weight. */
static int take_variables(quotient *self, const int *list, int length)
{
  int sum = 0;
  for (int k = 0; k < length; k++) {
    int i = list[k], weight = self->weight[i];
    if (weight <= 0) continue;
    sum += weight;
    self->weight[i] = -weight;
    self->lists[self->used++] = i;
    unlink_degree(self, i);
  }
  return sum;
}

/* The pivot becomes an element: its variables are those of its elements, which it absorbs, and its
 * own. */
static void make_element(quotient *self, int pivot)
{
  size_t bound = (size_t)self->length[pivot];
  for (int k = 0; k < self->elements[pivot]; k++)
    bound += (size_t)self->length[self->lists[self->start[pivot] + k]];
  if (self->used + bound > self->room) compact(self);

  int first = (int)self->used, count = self->elements[pivot], sum = 0;
  const int *own = self->lists + self->start[pivot];
  self->weight[pivot] = -self->weight[pivot];
  for (int k = 0; k < count; k++) {
    int element = own[k];
    sum += take_variables(self, self->lists + self->start[element], self->length[element]);
    self->into[element] = pivot;
    self->mark[element] = self->length[element] = 0;
  }
  sum += take_variables(self, own + count, self->length[pivot] - count);
  self->start[pivot] = first;
  self->length[pivot] = (int)self->used - first;
  self->elements[pivot] = 0;
  self->degree[pivot] = sum;
  self->mark[pivot] = 1;
}

/* Another range of marks: those up to the largest degree are free above flag. */
static void next_flag(quotient *self)
{
  if (self->flag < INT_MAX - 2 * self->count - 2) {
    self->flag += self->count + 1;
    return;
  }
  for (int i = 0; i < self->count; i++) self->mark[i] = self->mark[i] != 0;
  self->flag = 2;
}

/* mark[e] - flag = |L_e \ L_p| for the elements next to the pivot. */
static void measure_elements(quotient *self, int pivot)
{
  const int *members = self->lists + self->start[pivot];
  for (int k = 0; k < self->length[pivot]; k++) {
    int i = members[k], weight = -self->weight[i];
    const int *list = self->lists + self->start[i];
    for (int e = 0; e < self->elements[i]; e++) {
      int *mark = &self->mark[list[e]];
      if (*mark >= self->flag)
        *mark -= weight;
      else if (*mark)
        *mark = self->degree[list[e]] + self->flag - weight;
    }
  }
}

/* Puts the pivot in front of the lists of i; there is room, since what led to it has left. */
static void add_element(quotient *self, int i, int pivot, int elements, int length)
{
  int *list = self->lists + self->start[i];
  list[length] = list[elements];
  list[elements] = list[0];
  list[0] = pivot;
  self->elements[i] = elements + 1;
  self->length[i] = length + 1;
}

/* Renews the lists of variable i of L_p, its degree without L_p and its hash. Returns 0 if nothing
 * but the pivot touches it. */
static int renew_variable(quotient *self, int i, int pivot)
{
  int *list = self->lists + self->start[i], count = self->elements[i], length = self->length[i];
  int kept = 0, degree = 0;
  unsigned hash = (unsigned)pivot;
  for (int k = 0; k < count; k++) {
    int element = list[k], outside = self->mark[element] - self->flag;
    if (!self->mark[element]) continue;
    if (outside > 0) {
      degree += outside;
      hash += (unsigned)element;
      list[kept++] = element;
    } else {
      self->into[element] = pivot;
      self->mark[element] = self->length[element] = 0;
    }
  }
  int elements = kept;
  for (int k = count; k < length; k++) {
    int j = list[k];
    if (self->weight[j] <= 0) continue;
    degree += self->weight[j];
    hash += (unsigned)j;
    list[kept++] = j;
  }
  if (degree == 0) return 0;
  if (degree < self->degree[i]) self->degree[i] = degree;
  add_element(self, i, pivot, elements, kept);
  self->hash[i] = (int)(hash % (unsigned)self->count);
  return 1;
}

static void absorb(quotient *self, int i, int into)
{
  self->weight[into] += self->weight[i];
  self->weight[i] = self->length[i] = self->elements[i] = 0;
  self->into[i] = into;
}

static void renew_variables(quotient *self, int pivot)
{
  for (int k = 0; k < self->length[pivot]; k++) {
    int i = self->lists[self->start[pivot] + k];
    if (renew_variable(self, i, pivot)) {
      self->next[i] = self->hashed[self->hash[i]];
      self->hashed[self->hash[i]] = i;
    } else {
      // eliminated together with the pivot
      self->degree[pivot] += self->weight[i];
      absorb(self, i, pivot);
    }
  }
}

/* Joins the variables behind i in its list of equal hashes that have the same lists as i. */
static void join_equals(quotient *self, int i)
{
  const int *list = self->lists + self->start[i];
  int length = self->length[i], elements = self->elements[i], before = i;
  next_flag(self);
  for (int k = 1; k < length; k++) self->mark[list[k]] = self->flag;
  for (int j = self->next[i]; j != NONE; j = self->next[before]) {
    const int *other = self->lists + self->start[j];
    int same = self->length[j] == length && self->elements[j] == elements;
    for (int k = 1; same && k < length; k++) same = self->mark[other[k]] == self->flag;
    if (same) {
      absorb(self, j, i);
      self->next[before] = self->next[j];
    } else
      before = j;
  }
}

static void find_equals(quotient *self, int pivot)
{
  for (int k = 0; k < self->length[pivot]; k++) {
    int i = self->lists[self->start[pivot] + k];
    if (self->weight[i] == 0) continue;
    int *bucket = &self->hashed[self->hash[i]];
    for (int j = *bucket; j != NONE; j = self->next[j]) join_equals(self, j);
    *bucket = NONE;
  }
}

/* The variables of L_p that are left go back into the lists of degrees. */
static void finish(quotient *self, int pivot)
{
  int *members = self->lists + self->start[pivot], kept = 0;
  self->weight[pivot] = -self->weight[pivot];
  self->eliminated += self->weight[pivot];
  int rest = self->count - self->eliminated;
  for (int k = 0; k < self->length[pivot]; k++) {
    int i = members[k], weight = -self->weight[i];
    if (weight == 0) continue;
    self->weight[i] = weight;
    int degree = self->degree[i] + self->degree[pivot] - weight;
    self->degree[i] = degree < rest - weight ? degree : rest - weight;
    link_degree(self, i);
    members[kept++] = i;
  }
  self->used = (size_t)self->start[pivot] + (size_t)kept;
  self->length[pivot] = kept;
  self->mark[pivot] = kept > 0;
  self->weight[pivot] = 0;
}

/* Every vertex goes where the pivot goes that it became a part of. */
static void write_order(quotient *self, const int *rank, int *order)
{
  int *place = self->head, n = self->count;
  memset(place, 0, (size_t)n * sizeof *place);
  for (int i = 0; i < n; i++) {
    int pivot = i;
    while (rank[pivot] < 0) pivot = self->into[pivot];
    self->next[i] = rank[pivot];
    place[rank[pivot]]++;
  }
  for (int k = 0, sum = 0; k < n; k++) {
    int count = place[k];
    place[k] = sum;
    sum += count;
  }
  for (int i = 0; i < n; i++) order[place[self->next[i]]++] = i;
}

pl_status pl_order_degree(const pl_allocator *allocator, const pl_graph *graph, int *order,
                          pl_error *error)
{
  quotient self;
  pl_status status = create(allocator, graph, &self, error);
  int *rank = self.last ? pl_alloc(allocator, (size_t)graph->count, sizeof(int)) : NULL;
  if (!status && !rank) status = pl_fail_memory(error);
  for (int i = 0; !status && i < graph->count; i++) rank[i] = NONE;
  for (int k = 0; !status && self.eliminated < graph->count; k++) {
    if (k % BETWEEN == 0 && (status = pl_watch_check(graph->watch, error)) != PL_OK) break;
    int pivot = pick(&self);
    rank[pivot] = k;
    make_element(&self, pivot);
    next_flag(&self);
    measure_elements(&self, pivot);
    renew_variables(&self, pivot);
    find_equals(&self, pivot);
    finish(&self, pivot);
  }
  if (!status) write_order(&self, rank, order);
  pl_free(allocator, rank);
  destroy(allocator, &self);
  return status;
}
