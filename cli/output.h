/* Frames of a run: a time series per body and output, one more for a surface that follows the body,
 * and the picture of the last one. */
#ifndef PL_CLI_OUTPUT_H
#define PL_CLI_OUTPUT_H

#include "core/ranks.h"
#include "io/pieces.h"
#include "io/series.h"
#include "pliant/scene.h"

typedef struct cli_series {
  pl_series *series;
  pl_body_id body;
  int of_surface;     /* frames of the finer surface that follows the body */
  int has_tensors;    /* of elements, as well */
  double every, next; /* s */
  int output;         /* that it belongs to */
  pl_piece *piece;    /* of this process; NULL: the first process writes all of it */
  int pieces;         /* of all processes; 0: it is not divided */
} cli_series;

typedef struct cli_frames {
  cli_series *series;
  int series_count, count; /* count: frames written so far, of the first series */
  int dropped;             /* that were due, and would have taken too long */
  double seconds;          /* that the last ones took */
  double *room;        /* positions, displacements, velocities, stress, ratio of the largest body */
  double *points;      /* positions, displacements, velocities of the largest surface */
  char together[4200]; /* the file of all bodies; "": there is none */
  double *tensors;     /* of the largest body: see add_tensors; NULL: none are wanted */
} cli_frames;

/* Is something due that is to be every so many seconds? If so, next moves behind that time. */
int cli_is_due(double time, double every, double *next);

/* ranks: the processes of the run, NULL: this one alone. All of them open the frames; only the
 * first one writes those that are not in pieces. */
pl_status cli_frames_open(cli_frames *frames, pl_scene *scene, pl_ranks *ranks, const char *folder,
                          pl_error *error);
/* Writes those frames that are due, unless that takes longer than so many seconds, as far as the
 * last ones show. */
pl_status cli_frames_add(cli_frames *frames, pl_world *world, double seconds, pl_error *error);
/* Are there frames in pieces? Ranks that have none need no frames. */
int cli_frames_have_pieces(const cli_frames *frames);
/* The same of frames in pieces, by all ranks together. */
pl_status cli_frames_add_pieces(cli_frames *frames, pl_world *world, pl_ranks *ranks,
                                pl_error *error);
/* Fills the room with the body's state and describes it as a snapshot. */
pl_status cli_frames_look(cli_frames *frames, pl_world *world, pl_body_id body, pl_field fields[4],
                          pl_snapshot *snapshot, pl_error *error);
/* Completes the files that hold all frames. */
pl_status cli_frames_finish(cli_frames *frames, pl_error *error);
/* picture.png of the bodies as they are now. */
pl_status cli_frames_picture(cli_frames *frames, pl_scene *scene, const char *folder,
                             pl_error *error);
void cli_frames_print(const cli_frames *frames);
void cli_frames_close(cli_frames *frames);

#endif
