/* The session: one scene at a time, simulated in a thread of its own at its own pace. It takes
 * commands and posts what there is to see on a board. */
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
  size_t history_bytes;        /* room for earlier states                            */
  pl_log log;                  /* what the scene's reader and the steps have to say; called from
                                  the session's thread                               */
} pl_session_def;

/* Begins at once; the scene is loaded in the session's thread. The board must outlive it. */
pl_status pl_session_start(const pl_session_def *def, pl_board *board, pl_session **session,
                           pl_error *error);
/* Cancels the step that is under way and releases the session. 0: something that cannot be
 * cancelled (a scene is being loaded) has lasted for that many seconds; the thread goes on and uses
 * session and board, and all that is left is to end the program. */
int pl_session_stop(pl_session *session, double seconds);

/* Queues a command from any thread. One that stops or changes the simulation cancels a step that
 * takes long; others wait for its end. 0 where the queue is full and it is dropped. A drag or
 * push takes the place of one that waits right before it. */
int pl_session_send(pl_session *session, const pl_command *command);

#endif
