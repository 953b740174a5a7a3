/* Ranks over MPI. A call of MPI that fails ends all processes: that is MPI's own preset, and the
 * only answer that leaves nobody waiting. */
#include "core/error.h"
#include "core/memory.h"
#include "dist/dist.h"
#include "dist/mpi_start.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { END, ORDER }; /* what rank 0 sends to those who serve */
enum { WORDS = 6 };  /* of such a message: which, number, order[4] */

typedef struct context {
  pl_ranks ranks;
  pl_allocator allocator;
  int *counts;           /* of a gather */
  MPI_Request *requests; /* of an exchange, two for each rank */
  pl_service *services;
  size_t service_count, room;
  int is_asking, has_failed;
  int errors; /* a file: the standard error of the beginning */
} context;

enum { PATIENCE = 30 }; /* s, that a failed rank waits for others */

static void gather(const pl_ranks *self, double *all, const int *first)
{
  const context *at = self->context;
  for (int r = 0; r < self->count; r++) at->counts[r] = first[r + 1] - first[r];
  MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, at->counts, first, MPI_DOUBLE,
                 MPI_COMM_WORLD);
}

static void exchange(const pl_ranks *self, const pl_neighbours *with, const double *out, double *in)
{
  const context *at = self->context;
  int count = 0;
  for (int i = 0; i < with->count; i++) {
    int numbers = with->receive[i + 1] - with->receive[i];
    if (numbers)
      MPI_Irecv(in + with->receive[i], numbers, MPI_DOUBLE, with->rank[i], 0, MPI_COMM_WORLD,
                &at->requests[count++]);
  }
  for (int i = 0; i < with->count; i++) {
    int numbers = with->send[i + 1] - with->send[i];
    if (numbers)
      MPI_Isend(out + with->send[i], numbers, MPI_DOUBLE, with->rank[i], 0, MPI_COMM_WORLD,
                &at->requests[count++]);
  }
  MPI_Waitall(count, at->requests, MPI_STATUSES_IGNORE);
}

static void reduce(double *values, int count, MPI_Op op)
{
  MPI_Allreduce(MPI_IN_PLACE, values, count, MPI_DOUBLE, op, MPI_COMM_WORLD);
}

static void sum(const pl_ranks *self, double *values, int count)
{
  (void)self;
  reduce(values, count, MPI_SUM);
}

static void max(const pl_ranks *self, double *values, int count)
{
  (void)self;
  reduce(values, count, MPI_MAX);
}

enum { MOST_BYTES = 1 << 30 }; /* MPI counts in int */

static void share(const pl_ranks *self, void *bytes, size_t size)
{
  (void)self;
  for (size_t done = 0; done < size;) {
    size_t part = size - done < MOST_BYTES ? size - done : MOST_BYTES;
    MPI_Bcast((char *)bytes + done, (int)part, MPI_BYTE, 0, MPI_COMM_WORLD);
    done += part;
  }
}

/* The error of rank `from`, with its name where others did not fail. */
static void spread_error(const pl_ranks *self, int from, int is_alone, pl_error *error)
{
  char host[MPI_MAX_PROCESSOR_NAME] = "";
  int length = 0;
  pl_error own = *error;
  if (from == self->rank && is_alone) {
    MPI_Get_processor_name(host, &length);
    snprintf(error->message, sizeof error->message, "rank %d of %d (host %.60s): %.*s", from,
             self->count, host, (int)sizeof error->message - 160, own.message);
  }
  MPI_Bcast(error, (int)sizeof *error, MPI_BYTE, from, MPI_COMM_WORLD);
}

/* Everybody's largest value. Whoever brings a failure does not wait for ever: a rank that is stuck
 * elsewhere, in a library that waits for this one, would never come. */
static double largest(const context *at, double value, const pl_error *error)
{
  double all = 0;
  MPI_Request request;
  MPI_Iallreduce(&value, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD, &request);
  if (!(value > 0)) {
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return all;
  }
  const struct timespec pause = {.tv_nsec = 10000000};
  for (double start = MPI_Wtime(); MPI_Wtime() - start < PATIENCE;) {
    int is_there = 0;
    MPI_Test(&request, &is_there, MPI_STATUS_IGNORE);
    if (is_there) return all;
    nanosleep(&pause, NULL);
  }
  dprintf(at->errors, "pliant: rank %d of %d: %s\n", at->ranks.rank, at->ranks.count,
          error->message);
  MPI_Abort(MPI_COMM_WORLD, 1);
  return all;
}

static pl_status agree(pl_ranks *self, pl_status status, pl_error *error)
{
  context *at = self->context;
  pl_error room = {0};
  if (!error) error = &room;
  if (at->has_failed) return status;
  if (status) error->code = status;
  double failed = status != PL_OK;
  double first = largest(at, status ? self->count - self->rank : 0, error);
  if (!(first > 0)) return PL_OK;
  reduce(&failed, 1, MPI_SUM);
  at->has_failed = 1;
  spread_error(self, self->count - (int)first, failed < self->count, error);
  return error->code;
}

static int enlist(pl_ranks *self, pl_service service)
{
  context *at = self->context;
  void *memory = at->services;
  if (pl_reserve(&at->allocator, &memory, &at->room, at->service_count + 1, sizeof service))
    return -1;
  at->services = memory;
  at->services[at->service_count] = service;
  return (int)at->service_count++;
}

static void dismiss(pl_ranks *self, int number)
{
  context *at = self->context;
  if (number >= 0) at->services[number] = (pl_service){0};
}

static int call(const pl_ranks *self, int number, const int order[4])
{
  const context *at = self->context;
  int message[WORDS] = {ORDER, number, order[0], order[1], order[2], order[3]};
  if (at->is_asking) MPI_Bcast(message, WORDS, MPI_INT, 0, MPI_COMM_WORLD);
  return at->is_asking;
}

void pl_dist_ask(pl_ranks *ranks) { ((context *)ranks->context)->is_asking = 1; }

pl_status pl_dist_end_asking(pl_ranks *ranks, pl_status status, pl_error *error)
{
  int message[WORDS] = {END};
  ((context *)ranks->context)->is_asking = 0;
  MPI_Bcast(message, WORDS, MPI_INT, 0, MPI_COMM_WORLD);
  return agree(ranks, status, error);
}

pl_status pl_dist_serve(pl_ranks *ranks, pl_error *error)
{
  const context *at = ranks->context;
  for (;;) {
    int message[WORDS];
    MPI_Bcast(message, WORDS, MPI_INT, 0, MPI_COMM_WORLD);
    if (message[0] == END) return agree(ranks, PL_OK, error);
    const pl_service *service = &at->services[message[1]];
    service->serve(service->context, message + 2);
  }
}

int pl_dist_threads(const pl_ranks *ranks)
{
  MPI_Comm node;
  int here = 1;
  if (!ranks) return 0;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Comm_size(node, &here);
  MPI_Comm_free(&node);
  int processors = (int)sysconf(_SC_NPROCESSORS_ONLN), own = processors / here;
  return own > 1 ? own : 1;
}

int pl_dist_any(const pl_ranks *ranks, int flag)
{
  double value = flag;
  if (ranks) max(ranks, &value, 1);
  return value > 0;
}

/* ---- the beginning and the end ---- */

int pl_dist_exists(void) { return 1; }

/* A launcher of another MPI starts processes that know nothing of each other. */
static pl_status check_count(int count, pl_error *error)
{
  if (count == pl_dist_launched()) return PL_OK;
  return pl_fail(error, PL_E_UNSUPPORTED,
                 "started %d times, but MPI knows of %d: the launcher belongs to another MPI than "
                 "this program was built with; use that one's mpirun, or srun --mpi=pmix",
                 pl_dist_launched(), count);
}

static void destroy(context *at)
{
  pl_allocator allocator = at->allocator;
  if (at->errors >= 0) close(at->errors);
  pl_free(&allocator, at->services);
  pl_free(&allocator, at->counts);
  pl_free(&allocator, at->requests);
  pl_free(&allocator, at);
}

pl_status pl_dist_start(pl_ranks **ranks, pl_error *error)
{
  *ranks = NULL;
  if (pl_dist_launched() == 1) return PL_OK;
  pl_status status = pl_petsc_start(error);
  if (status) return status;
  pl_allocator allocator = pl_allocator_default();
  context *at = pl_alloc(&allocator, 1, sizeof *at);
  if (!at) return pl_fail_memory(error);
  at->allocator = allocator;
  at->errors = dup(STDERR_FILENO);
  at->ranks = (pl_ranks){.gather = gather,
                         .exchange = exchange,
                         .sum = sum,
                         .max = max,
                         .share = share,
                         .agree = agree,
                         .enlist = enlist,
                         .dismiss = dismiss,
                         .call = call,
                         .context = at};
  MPI_Comm_rank(MPI_COMM_WORLD, &at->ranks.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &at->ranks.count);
  status = check_count(at->ranks.count, error);
  at->counts = pl_alloc(&allocator, (size_t)at->ranks.count, sizeof *at->counts);
  at->requests = pl_alloc(&allocator, 2 * (size_t)at->ranks.count, sizeof *at->requests);
  if (!status && (!at->counts || !at->requests)) status = pl_fail_memory(error);
  if (status)
    destroy(at);
  else
    *ranks = &at->ranks;
  return status;
}

void pl_dist_end(pl_ranks *ranks)
{
  pl_petsc_end();
  if (ranks) destroy(ranks->context);
}
