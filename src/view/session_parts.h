/* The session's inside, shared by its files. Everything but the queue belongs to its thread. */
#ifndef PL_VIEW_SESSION_PARTS_H
#define PL_VIEW_SESSION_PARTS_H

#include "view/gallery.h"
#include "view/history.h"
#include "view/protocol.h"
#include "view/session.h"
#include "world/glyph.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>
#include <time.h>

enum { PL_MOST_NOTICES = 16 };

/* What is measured all the time, by the chart it belongs to; the scene's probes follow. */
#define PL_GAUGES(X)                                                                               \
  X("Energy", "kinetic", "J")                                                                      \
  X("Energy", "elastic", "J")                                                                      \
  X("Energy", "gravity", "J")                                                                      \
  X("Energy", "total", "J")                                                                        \
  X("Volume", "volume", "m^3")                                                                     \
  X("Least volume ratio", "least det F", "1")                                                      \
  X("Time of a step", "forces, matrix", "ms")                                                      \
  X("Time of a step", "solver", "ms")                                                              \
  X("Time of a step", "other", "ms")                                                               \
  X("Iterations of a step", "Newton", "1")                                                         \
  X("Iterations of a step", "linear", "1")

#define X(chart, name, unit) +1
enum { PL_GAUGE_COUNT = 0 PL_GAUGES(X) };
#undef X

/* A notice for those who watch; numbered from 1. */
typedef struct pl_notice {
  uint32_t number;
  int is_error;
  char text[512];
} pl_notice;

/* Why the step in hand should not take long. */
typedef enum pl_hurry {
  PL_HURRY_NO,
  PL_HURRY_COMMAND, /* a command waits that stops or changes the simulation */
  PL_HURRY_END      /* the session is to end */
} pl_hurry;

/* When and how large a file was. */
typedef struct pl_stamp {
  struct timespec time;
  off_t size;
} pl_stamp;

struct pl_session {
  pl_session_def def;
  pl_allocator allocator;
  pl_board *board;
  pthread_t thread;
  pl_gallery *gallery;

  pthread_mutex_t lock;
  pthread_cond_t changed;
  pl_command queue[PL_SESSION_QUEUE];
  int queue_first, queue_count, stopping, ended;
  atomic_int hurry; /* pl_hurry: may the step in hand be cancelled? */

  // the scene and what is drawn of it; no world: the scene could not be read
  pl_scene *scene;
  pl_world *world;
  pl_surface surface;
  pl_history history;
  uint32_t scene_number, frame_number;
  float *positions, *values, *vectors;
  pl_locals locals;
  float local_room[PL_MOST_LOCALS * PL_LOCAL_FLOATS];
  pl_glyph glyph_room[PL_MOST_LOCALS];
  int local_count;
  unsigned char *held;
  int entry; /* of the gallery */
  pl_stamp stamp;
  double next_look; /* at the file, by the clock */

  int replaying;  /* the history is a recorded run, and time goes along it */
  int file_fixes; /* fixes of the scene's file; the others are pins */
  int64_t file_held;

  // how it runs
  int playing, steps_left, free_pace, stepped, dirty;
  double speed, strength;
  pl_tint tint;
  pl_arrows arrows;
  pl_glyph_kind glyphs;
  int show_contacts;
  pl_contact_point contacts[PL_MOST_CONTACTS]; /* room */
  float contact_room[PL_MOST_CONTACTS * PL_CONTACT_FLOATS];
  pl_pull_id pull;   /* 0: none */
  pl_body_id pulled; /* last */
  int has_tool;
  pl_tool_def tool;
  double tool_target[3]; /* where the hand is; the tool follows */

  // the clock
  double anchor_clock, anchor_time; /* when the simulated time was what */
  double last_frame, next_frame, next_tint, next_gauge, step_start;
  int urgent;                                       /* a hand has moved since the last frame */
  double lately_clock, lately_time, lately_seconds; /* since when the pace below is measured */
  int64_t lately_steps;
  int behind;
  float real_time_factor, step_seconds;

  // what the gauges were computed from
  int gauge_count;
  float gauges[PL_MOST_GAUGES];
  pl_world_facts gauged;

  time_t started; /* distinguishes notices of this session from those of an earlier one */
  pl_notice notices[PL_MOST_NOTICES];
  uint32_t notice_count;
  pl_text text; /* room for messages */
};

/* Saving (session_save.c): posts the state as files. */
pl_status pl_session_save(pl_session *session, pl_error *error);
/* Fills the history with the recorded run. */
pl_status pl_session_replay(pl_session *session, pl_error *error);
/* Nodes that the fixes of the scene's file hold. */
int64_t pl_session_held_by_file(const pl_session *session);
/* What the session's scene of that number is loaded with. */
pl_scene_def pl_session_scene_def(const pl_session *session, int entry);

/* Loading (session_load.c): posts the scene or its errors. */
void pl_session_load(pl_session *session, int entry);
void pl_session_unload(pl_session *session);
/* Loads again if the file has changed. */
void pl_session_look(pl_session *session);

/* The hand (session_hand.c): pulls, pins, throws, the tool. */
pl_status pl_session_grab(pl_session *session, const pl_command *command, pl_error *error);
void pl_session_drop(pl_session *session);
pl_status pl_session_hold(pl_session *session, const pl_command *command, pl_error *error);
pl_status pl_session_push(pl_session *session, const double *numbers, pl_error *error);
void pl_session_lift(pl_session *session);
/* Before each step: the tool follows the hand by a part of its radius at most. */
void pl_session_follow(pl_session *session);

/* Values (session_values.c). */
pl_status pl_session_set(pl_session *session, const pl_command *command, pl_error *error);
pl_status pl_session_choose(pl_session *session, const pl_command *command, pl_error *error);

/* Commands (session_act.c). */
void pl_session_act(pl_session *session, const pl_command *command);

/* Messages (session_tell.c): the session's text as a message, and its contents. */
void pl_session_post(pl_session *session, pl_slot slot);
void pl_session_tell_scene(pl_session *session);
/* Pictures on bodies (session_paint.c). */
void pl_session_tell_textures(pl_session *session);
void pl_session_tell_held(pl_session *session);
void pl_session_tell_state(pl_session *session);
void pl_session_tell_frame(pl_session *session, double now);
void pl_session_notice(pl_session *session, int is_error, const char *format, ...) PL_PRINTF(3, 4);
void pl_session_notice_error(pl_session *session, const pl_error *error);

/* Time from now on is measured from the state as it is (session.c). */
void pl_session_anchor(pl_session *session);

#endif
