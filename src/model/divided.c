#include "model/divided.h"

#include "core/error.h"
#include "core/memory.h"
#include "model/fem/fem.h"
#include "sparse/bisect.h"
#include "sparse/partition.h"

#include <math.h>
#include <string.h>

/* With fewer nodes than this for each rank nothing is gained. */
enum { MIN_NODES = 64 };

/* What rank 0 may ask for between steps: the first word of an order. The second has a bit for each
 * of the two results that are wanted. */
enum { ENERGY, HOURGLASS, FIELDS, STRAINS, TENSORS };

typedef struct divided {
  pl_model_ops ops;
  pl_ranks *ranks;
  int service; /* its number, -1: none */
  int leaves;  /* forces are right at own nodes only */
  int *owner;  /* of each node */
  pl_partition *partition;
  double *room;              /* q while rank 0 asks */
  int whole;                 /* elements of all ranks */
  int *list;                 /* numbers of those that are here, ascending */
  unsigned char *is_counted; /* those that this rank counts */
  // the elements that are here, and of these the ones that others count
  pl_mesh mesh, shared;
  pl_model *inner, *overlap; /* overlap: NULL where there are none */
} divided;

static divided *divided_of(const pl_model *self) { return self->state; }

/* ---- which elements ---- */

/* The rank that counts an element, or -1 if it does not touch this rank's nodes. */
static int counted_by(const divided *at, const int *nodes, int count)
{
  int lowest = nodes[0], touches = 0;
  for (int a = 0; a < count; a++) {
    if (nodes[a] < lowest) lowest = nodes[a];
    touches |= at->owner[nodes[a]] == at->ranks->rank;
  }
  return touches ? at->owner[lowest] : -1;
}

static pl_status choose(pl_model *self, const pl_mesh *mesh, pl_error *error)
{
  divided *at = divided_of(self);
  const pl_allocator *memory = &self->allocator;
  int n = mesh->nodes_per_element, rank = at->ranks->rank;
  at->whole = mesh->element_count;
  at->mesh = at->shared = *mesh;
  at->mesh.element_count = at->shared.element_count = 0;
  for (int e = 0; e < mesh->element_count; e++) {
    int by = counted_by(at, mesh->elements + (size_t)n * (size_t)e, n);
    at->mesh.element_count += by >= 0;
    at->shared.element_count += by >= 0 && by != rank;
  }
  size_t here = (size_t)at->mesh.element_count, size = (size_t)n * sizeof(int);
  at->list = pl_alloc(memory, here, sizeof *at->list);
  at->is_counted = pl_alloc(memory, here, 1);
  at->mesh.elements = pl_alloc(memory, here, size);
  at->shared.elements = pl_alloc(memory, (size_t)at->shared.element_count, size);
  if (!at->list || !at->is_counted || !at->mesh.elements || !at->shared.elements)
    return pl_fail_memory(error);
  size_t place = 0, other = 0;
  for (int e = 0; e < mesh->element_count; e++) {
    const int *nodes = mesh->elements + (size_t)n * (size_t)e;
    int by = counted_by(at, nodes, n);
    if (by < 0) continue;
    if (by != rank) memcpy(at->shared.elements + (size_t)n * other++, nodes, size);
    memcpy(at->mesh.elements + (size_t)n * place, nodes, size);
    at->is_counted[place] = by == rank;
    at->list[place++] = e;
  }
  return PL_OK;
}

/* ---- results of elements, made whole ---- */

enum { PIECE = 4096 }; /* doubles that are exchanged at a time */

/* out, `each` numbers for each of all elements, from those of this rank's; out may be NULL. */
static void merge(const divided *at, const double *own, int each, double *out)
{
  double piece[PIECE];
  int step = PIECE / each, next = 0;
  for (int from = 0; from < at->whole; from += step) {
    int count = at->whole - from < step ? at->whole - from : step;
    memset(piece, 0, sizeof piece);
    for (; next < at->mesh.element_count && at->list[next] < from + count; next++) {
      for (int k = 0; at->is_counted[next] && k < each; k++)
        piece[each * (at->list[next] - from) + k] =
            own ? own[(size_t)each * (size_t)next + (size_t)k] : NAN;
    }
    at->ranks->sum(at->ranks, piece, each * count);
    if (out)
      memcpy(out + (size_t)each * (size_t)from, piece, (size_t)(each * count) * sizeof *piece);
  }
}

/* One of the functions that have two results per element. wants: bits, 1 and 2. */
static void survey(pl_model *self, int which, int wants, const double *q, double *first,
                   double *second, pl_pool *pool)
{
  const divided *at = divided_of(self);
  const pl_model_ops *ops = at->inner->ops;
  int each = which == TENSORS ? 9 : 1;
  size_t numbers = (size_t)each * (size_t)at->mesh.element_count;
  // without memory the numbers are not known, and said to be none
  double *own[2] = {0};
  for (int i = 0; i < 2; i++)
    own[i] = wants >> i & 1 ? pl_alloc(&self->allocator, numbers, sizeof(double)) : NULL;
  (which == FIELDS    ? ops->fields
   : which == STRAINS ? ops->strains
                      : ops->tensors)(at->inner, q, own[0], own[1], pool);
  if (wants & 1) merge(at, own[0], each, first);
  if (wants & 2) merge(at, own[1], each, second);
  for (int i = 0; i < 2; i++) pl_free(&self->allocator, own[i]);
}

/* The sum over all ranks, each element once. */
static double sum_energy(pl_model *self, int which, const double *q, pl_pool *pool)
{
  const divided *at = divided_of(self);
  const pl_model_ops *ops = at->inner->ops;
  double (*of)(pl_model *, const double *, pl_pool *) =
      which == ENERGY ? ops->energy : ops->hourglass;
  double value = of(at->inner, q, pool);
  if (at->overlap) value -= of(at->overlap, q, pool);
  at->ranks->sum(at->ranks, &value, 1);
  return value;
}

/* On the other ranks: what rank 0 asked for. */
static void serve(void *context, const int order[4])
{
  pl_model *self = context;
  const divided *at = divided_of(self);
  at->ranks->share(at->ranks, at->room, 3 * (size_t)self->blocks * sizeof(double));
  if (order[0] == ENERGY || order[0] == HOURGLASS)
    (void)sum_energy(self, order[0], at->room, NULL);
  else
    survey(self, order[0], order[1], at->room, NULL, NULL, NULL);
}

/* Lets the others know what is asked, and for which positions, unless they are here anyhow. */
static void ask(const pl_model *self, int which, int wants, const double *q)
{
  const divided *at = divided_of(self);
  const int order[4] = {which, wants};
  if (!at->ranks->call(at->ranks, at->service, order)) return;
  memcpy(at->room, q, 3 * (size_t)self->blocks * sizeof *q);
  at->ranks->share(at->ranks, at->room, 3 * (size_t)self->blocks * sizeof(double));
}

static double energy(pl_model *self, const double *q, pl_pool *pool)
{
  ask(self, ENERGY, 0, q);
  return sum_energy(self, ENERGY, q, pool);
}

static double hourglass(pl_model *self, const double *q, pl_pool *pool)
{
  ask(self, HOURGLASS, 0, q);
  return sum_energy(self, HOURGLASS, q, pool);
}

static void both(pl_model *self, int which, const double *q, double *first, double *second,
                 pl_pool *pool)
{
  int wants = (first ? 1 : 0) + (second ? 2 : 0);
  ask(self, which, wants, q);
  survey(self, which, wants, q, first, second, pool);
}

static void fields(pl_model *self, const double *q, double *von_mises, double *det_f, pl_pool *pool)
{
  both(self, FIELDS, q, von_mises, det_f, pool);
}

static void strains(pl_model *self, const double *q, double *strain, double *density, pl_pool *pool)
{
  both(self, STRAINS, q, strain, density, pool);
}

static void tensors(pl_model *self, const double *q, double *F, double *stress, pl_pool *pool)
{
  both(self, TENSORS, q, F, stress, pool);
}

static void bounds(pl_model *self, const pl_moment *moment, double out[2], pl_pool *pool)
{
  const divided *at = divided_of(self);
  at->inner->ops->stability.bounds(at->inner, moment, out, pool);
  at->ranks->max(at->ranks, out, 2);
}

/* ---- forces, matrix, mass ---- */

static pl_cliques cliques(const pl_model *self)
{
  const pl_model *inner = divided_of(self)->inner;
  return inner->ops->cliques(inner);
}

static pl_status bind(pl_model *self, const pl_bsr *A, int offset, pl_error *error)
{
  return pl_model_bind(divided_of(self)->inner, A, offset, error);
}

/* f is the same on all ranks, then right at this one's own nodes, then whole again. */
static void evaluate(pl_model *self, const pl_moment *moment, double *f, const pl_tangent *tangent,
                     pl_pool *pool)
{
  const divided *at = divided_of(self);
  at->inner->ops->evaluate(at->inner, moment, f, tangent, pool);
  if (f && !at->leaves) pl_partition_complete(at->partition, f);
}

static void mass_add(pl_model *self, double a, const double *x, double *f, pl_pool *pool)
{
  const divided *at = divided_of(self);
  at->inner->ops->mass_add(at->inner, a, x, f, pool);
  if (at->inner->mass->values && !at->leaves) pl_partition_complete(at->partition, f);
}

static void mass_matrix(pl_model *self, double a, pl_bsr *A, pl_pool *pool)
{
  const divided *at = divided_of(self);
  at->inner->ops->mass_matrix(at->inner, a, A, pool);
}

/* ---- making it ---- */

static void destroy(pl_model *self)
{
  divided *at = divided_of(self);
  if (!at) return;
  at->ranks->dismiss(at->ranks, at->service);
  pl_model_destroy(at->inner);
  pl_model_destroy(at->overlap);
  pl_partition_destroy(&self->allocator, at->partition);
  void *arrays[] = {at->owner,           at->room, at->list, at->is_counted, at->mesh.elements,
                    at->shared.elements, at};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) pl_free(&self->allocator, arrays[i]);
}

static const pl_model_ops all_ops = {
    .meshes = PL_ON_SOLIDS,
    .destroy = destroy,
    .cliques = cliques,
    .bind = bind,
    .evaluate = evaluate,
    .mass_add = mass_add,
    .mass_matrix = mass_matrix,
    .energy = energy,
    .hourglass = hourglass,
    .fields = fields,
    .strains = strains,
    .tensors = tensors,
    .stability = {.bounds = bounds},
};

/* What an element is made of, of those that are chosen. */
static pl_status build_part(const pl_model *self, const pl_selection *part, const pl_mesh *mesh,
                            int only_shared, const pl_material *material, const pl_model_def *sites,
                            pl_model **out, pl_error *error)
{
  const divided *at = divided_of(self);
  pl_model_def own = *sites;
  pl_material *each = NULL;
  int place = 0;
  own.ranks = NULL;
  if (sites->materials) {
    own.materials = each = pl_alloc(&self->allocator, (size_t)mesh->element_count, sizeof *each);
    if (!each) return pl_fail_memory(error);
    for (int e = 0; e < at->mesh.element_count; e++) {
      if (!only_shared || !at->is_counted[e]) each[place++] = sites->materials[at->list[e]];
    }
  }
  pl_status status = pl_model_build(&self->allocator, part, mesh, material, &own, out, error);
  if (!status) (*out)->sites.materials = NULL;
  pl_free(&self->allocator, each);
  return status;
}

/* The mass at nodes of others is theirs to know. */
static void complete(const divided *at, int nodes, double *mass)
{
  if (!mass) return;
  for (int i = 0; i < nodes; i++) at->room[3 * (size_t)i] = mass[i];
  pl_partition_complete(at->partition, at->room);
  for (int i = 0; i < nodes; i++) mass[i] = at->room[3 * (size_t)i];
}

/* The wrapper shows what the inner model is. */
static void take_over(pl_model *self)
{
  divided *at = divided_of(self);
  pl_model_ops ops = all_ops;
  const pl_model *inner = at->inner;
  ops.info = inner->ops->info;
  if (!inner->ops->hourglass) ops.hourglass = NULL;
  if (!inner->ops->stability.bounds) ops.stability.bounds = NULL;
  if (!inner->ops->energy) ops.energy = NULL;
  pl_model all = *inner;
  all.ops = &at->ops;
  all.allocator = self->allocator;
  all.mass = NULL;
  all.state = at;
  at->ops = ops;
  *self = all;
}

/* What one rank makes without the others. */
static pl_status create_own(pl_model *self, const pl_selection *part, const pl_mesh *mesh,
                            const pl_material *material, const pl_model_def *sites, pl_error *error)
{
  divided *at = divided_of(self);
  size_t nodes = (size_t)mesh->node_count;
  at->owner = pl_alloc(&self->allocator, nodes, sizeof *at->owner);
  at->room = pl_alloc(&self->allocator, 3 * nodes, sizeof *at->room);
  at->service = at->ranks->enlist(at->ranks, (pl_service){serve, self});
  if (!at->owner || !at->room || at->service < 0) return pl_fail_memory(error);
  pl_status status = pl_bisect(&self->allocator, mesh->nodes, mesh->node_count, at->ranks->count,
                               at->owner, error);
  if (!status)
    status =
        pl_partition_create(&self->allocator, at->ranks, mesh->node_count, &at->partition, error);
  if (status) return status;
  pl_partition_deal(at->partition, 0, mesh->node_count, at->owner);
  status = pl_partition_close(at->partition, &self->allocator, error);
  if (!status) status = choose(self, mesh, error);
  if (!status) status = build_part(self, part, &at->mesh, 0, material, sites, &at->inner, error);
  if (!status && at->shared.element_count)
    status = build_part(self, part, &at->shared, 1, material, sites, &at->overlap, error);
  return status;
}

static pl_status create(pl_model *self, const pl_selection *part, const pl_mesh *mesh,
                        const pl_material *material, const pl_model_def *sites, pl_error *error)
{
  divided *at = divided_of(self);
  pl_status status = create_own(self, part, mesh, material, sites, error);
  // an element that cannot be used is found by those that have it
  status = at->ranks->agree(at->ranks, status, error);
  if (status) return status;
  complete(at, mesh->node_count, at->inner->mass->lumped);
  complete(at, mesh->node_count, at->inner->mass->weight);
  take_over(self);
  return PL_OK;
}

/* Do points depend on their own element only, and on nothing that has been? */
static int suits(const pl_selection *part, const pl_mesh *mesh, const pl_material *material,
                 const pl_model_def *sites)
{
  const pl_member *member = part->member;
  if (!sites || !sites->ranks || member != &pl_model_fem.info || mesh->quadratic ||
      mesh->hanging_count || sites->rigid || mesh->node_count < MIN_NODES * sites->ranks->count)
    return 0;
  int strain = (int)part->values[pl_param_place(member, pl_param_find(member, "strain"))];
  int volume = (int)part->values[pl_param_place(member, pl_param_find(member, "volume"))];
  int mass = (int)part->values[pl_param_place(member, pl_param_find(member, "mass"))];
  if (strain == PL_STRAIN_COUNT || volume > PL_VOLUME_ELEMENT || mass == PL_FEM_SHIFTED) return 0;
  for (int e = 0; e < mesh->element_count; e++) {
    if (pl_material_history(pl_model_def_material(sites, material, e)) > 0) return 0;
    if (!sites->materials) break;
  }
  return 1;
}

pl_status pl_divided_build(const pl_allocator *allocator, const pl_selection *part,
                           const pl_mesh *mesh, const pl_material *material,
                           const pl_model_def *sites, pl_model **out, pl_error *error)
{
  if (!suits(part, mesh, material, sites))
    return pl_model_build(allocator, part, mesh, material, sites, out, error);
  pl_allocator memory = pl_allocator_or_default(allocator);
  pl_model *self = pl_alloc(&memory, 1, sizeof *self);
  divided *at = pl_alloc(&memory, 1, sizeof *at);
  *out = NULL;
  if (!self || !at) {
    pl_free(&memory, self);
    pl_free(&memory, at);
    return pl_fail_memory(error);
  }
  at->ranks = sites->ranks;
  at->service = -1;
  at->ops = all_ops;
  *self = (pl_model){.ops = &at->ops, .allocator = memory, .blocks = mesh->node_count, .state = at};
  pl_status status = create(self, part, mesh, material, sites, error);
  if (status)
    pl_model_destroy(self);
  else
    *out = self;
  return status;
}

const int *pl_model_owners(const pl_model *model)
{
  return model->ops->evaluate == evaluate ? divided_of(model)->owner : NULL;
}

void pl_divided_leave(const pl_model *model, int leaves)
{
  if (pl_model_owners(model)) divided_of(model)->leaves = leaves;
}

const pl_mesh *pl_model_share(const pl_model *model, const int **list)
{
  if (!pl_model_owners(model)) return NULL;
  *list = divided_of(model)->list;
  return &divided_of(model)->mesh;
}

int pl_divided_max(const pl_model *model, int value)
{
  const pl_ranks *ranks = divided_of(model)->ranks;
  double largest = value;
  ranks->max(ranks, &largest, 1);
  return (int)largest;
}

pl_inverted pl_divided_inverted(pl_model *model, const double *q, double *room, pl_pool *pool)
{
  const divided *at = divided_of(model);
  double least = INFINITY, count = 0, worst = 0;
  at->inner->ops->fields(at->inner, q, NULL, room, pool);
  for (int e = 0; e < at->mesh.element_count; e++) {
    count += at->is_counted[e] && !(room[e] > 0);
    if (!(room[e] < least)) continue;
    least = room[e];
    worst = at->list[e];
  }
  double over[] = {-least}, number[] = {-at->whole};
  at->ranks->sum(at->ranks, &count, 1);
  at->ranks->max(at->ranks, over, 1);
  // of several ranks that have it the lowest element
  if (least <= -over[0]) number[0] = -worst;
  at->ranks->max(at->ranks, number, 1);
  return (pl_inverted){(int)count, number[0] > -at->whole ? (int)-number[0] : 0, -over[0]};
}
