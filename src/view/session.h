/* The session: one scene at a time, simulated at its own pace, in a thread of its own or in turns
 * that the caller takes. It takes commands and posts what there is to see on a board. */
#ifndef PL_VIEW_SESSION_H
#define PL_VIEW_SESSION_H

#include "pliant/scene.h"
#include "view/board.h"
#include "view/command.h"

typedef struct pl_session pl_session;

enum { PL_SESSION_QUEUE = 256 };

typedef struct pl_session_def {
  const char *path;           /* the scene to begin with                             */
  const char *gallery_folder; /* whose .xml files can be chosen as well, NULL: none  */
  const char *const *changes; /* as in pl_scene_def, for the first scene             */
  int change_count;
  const char *recording;       /* of a run of the first scene, to be shown instead; NULL: none */
  int threads, allow_any_path; /* as in pl_scene_def                                 */
  const char *cache;           /* as in pl_scene_def                                 */
  int playing;                 /* at the start                                       */
  int by_turns;                /* no thread: the caller takes the turns                         */
  size_t history_bytes;        /* room for earlier states                            */
  pl_log log;                  /* what the scene's reader and the steps have to say; called from
                                  the session's thread                               */
} pl_session_def;

/* Begins at once; the scene is loaded in the session's thread. The board must outlive it. */
pl_status pl_session_start(const pl_session_def *def, pl_board *board, pl_session **session,
                           pl_error *error);
/* By turns only: loads the scene the first time; then what was asked for, a step if it is due, a
 * frame if it is time. Returns the seconds until there is something to do again. */
double pl_session_turn(pl_session *session);

/* By turns only: where it stands. */
typedef struct pl_session_facts {
  int64_t steps;  /* since the scene was loaded; those that were gone back over count as well */
  double time;    /* s, of the world */
  uint64_t hash;  /* of the state, as pl_world_state_hash */
  int steps_left; /* of a "step" command */
} pl_session_facts;
pl_session_facts pl_session_measure(const pl_session *session);

/* Cancels the step that is under way and releases the session. 0: something that cannot be
 * cancelled (a scene is being loaded) has lasted for that many seconds; the thread goes on and uses
 * session and board, and all that is left is to end the program. */
int pl_session_stop(pl_session *session, double seconds);

/* Queues a command from any thread. One that stops or changes the simulation cancels a step that
 * takes long; others wait for its end. 0 where the queue is full and it is dropped. A drag or
 * push takes the place of one that waits right before it. */
int pl_session_send(pl_session *session, const pl_command *command);

#endif
