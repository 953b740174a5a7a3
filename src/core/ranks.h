/* The processes (ranks, MPI's word) that compute one world together, and what they exchange.
 *
 * Every rank holds positions and velocities of all blocks, with the same bits, between substeps.
 * What is divided is what takes time and memory: the elements, the rows of the matrix, the solver's
 * levels, and within a step the vectors (ode/share.h). Whatever is decided by looking at parts is
 * decided by a sum or a maximum over all ranks, so that they cannot part ways.
 *
 * All functions but `rank` and `count` are to be called by all ranks in the same order. */
#ifndef PL_CORE_RANKS_H
#define PL_CORE_RANKS_H

#include "pliant/base.h"

typedef struct pl_ranks pl_ranks;

/* Something that rank 0 may ask the others to compute with it, between two steps. */
typedef struct pl_service {
  void (*serve)(void *context, const int order[4]);
  void *context;
} pl_service;

/* Ranks that a rank exchanges numbers with, ascending: rank[i] gets those from send[i] to send[i +
 * 1] and gives those from receive[i] to receive[i + 1]. */
typedef struct pl_neighbours {
  int count, *rank;
  int *send, *receive; /* count + 1 */
} pl_neighbours;

struct pl_ranks {
  int rank, count;
  /* all[first[r] .. first[r + 1]) becomes rank r's; each rank's own part is there already. */
  void (*gather)(const pl_ranks *self, double *all, const int *first);
  /* Each sends to its neighbours from `out` and receives from them into `in`. */
  void (*exchange)(const pl_ranks *self, const pl_neighbours *with, const double *out, double *in);
  void (*sum)(const pl_ranks *self, double *values, int count);
  void (*max)(const pl_ranks *self, double *values, int count);
  /* Everybody gets rank 0's bytes. */
  void (*share)(const pl_ranks *self, void *bytes, size_t size);
  /* One fails, all fail, with the error of the first that did and its rank. Whoever has failed once
   * waits for nobody any more. */
  pl_status (*agree)(pl_ranks *self, pl_status status, pl_error *error);
  /* Enlists a service, in the same order on all ranks, and returns its number; takes it off. */
  int (*enlist)(pl_ranks *self, pl_service service);
  void (*dismiss)(pl_ranks *self, int number);
  /* Rank 0, while the others serve: sends an order to a service. Elsewhere and at other times all
   * ranks are here anyhow, and nothing is sent: 0. */
  int (*call)(const pl_ranks *self, int number, const int order[4]);
  void *context;
};

#endif
