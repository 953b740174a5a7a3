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
  X("Iterations of a step", "linear", "1")                                                         \
  X("Steps that missed their time", "missed", "1")

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

/* What comes from other threads, behind a lock. */
typedef struct pl_session_orders {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  pl_command queue[PL_SESSION_QUEUE];
  int first, count, stopping, ended;
  atomic_int hurry; /* pl_hurry: may the step in hand be cancelled? */
} pl_session_orders;

/* What a frame is made in. */
typedef struct pl_session_room {
  float *positions, *values, *vectors;
  unsigned char *held;
  float locals[PL_MOST_LOCALS * PL_LOCAL_FLOATS];
  pl_glyph glyphs[PL_MOST_LOCALS];
  pl_contact_point contacts[PL_MOST_CONTACTS];
  float contact_floats[PL_MOST_CONTACTS * PL_CONTACT_FLOATS];
  pl_text text; /* of messages */
} pl_session_room;

/* Where the scene comes from. */
typedef struct pl_session_file {
  int entry; /* of the gallery */
  pl_stamp stamp;
  double next_look; /* by the clock */
  int replaying;    /* the history is a recorded run, and time goes along it */
  int fixes;        /* of the scene's file; the others are pins */
  int64_t held;
} pl_session_file;

/* How it runs. */
typedef struct pl_session_run {
  int loaded;    /* the first scene, or it was tried */
  int64_t steps; /* since it was loaded */
  int playing, steps_left, free_pace, stepped, dirty;
  double speed;
} pl_session_run;

/* What is shown of it. */
typedef struct pl_session_show {
  pl_tint tint;
  pl_arrows arrows;
  pl_glyph_kind glyphs;
  int contacts;
  pl_locals locals;
  int local_count;
} pl_session_show;

/* What the pages' hands do. */
typedef struct pl_session_hand {
  pl_haptic *mouse; /* the pointer as a device while it pulls, its own hand or the scene's; NULL: it
                       does not */
  double mouse_at[3];
  pl_body_id pulled; /* last */
  double strength;
  int has_tool;
  pl_tool_def tool;
  double target[3]; /* where the hand is; the tool follows */
  int urgent;       /* a hand has moved since the last frame */
  int64_t refused;  /* positions of the scene's device so far */
} pl_session_hand;

typedef struct pl_session_clock {
  double anchor, anchor_time; /* when the simulated time was what */
  double last_frame, next_frame, next_tint, next_gauge, step_start;
} pl_session_clock;

/* How fast it has been lately. */
typedef struct pl_session_pace {
  double clock, time, seconds; /* since when */
  int64_t steps, missed;       /* missed: steps that took longer than they last */
  int behind;
  float real_time_factor, step_seconds;
} pl_session_pace;

typedef struct pl_session_gauges {
  int count;
  float list[PL_MOST_GAUGES];
  pl_world_facts of; /* what they were computed from */
} pl_session_gauges;

typedef struct pl_session_notices {
  time_t started; /* distinguishes those of this session from those of an earlier one */
  pl_notice list[PL_MOST_NOTICES];
  uint32_t count;
} pl_session_notices;

struct pl_session {
  pl_session_def def;
  pl_allocator allocator;
  pl_board *board;
  pthread_t thread;
  pl_gallery *gallery;
  pl_session_orders orders;

  // the scene and what is drawn of it; no world: the scene could not be read
  pl_scene *scene;
  pl_world *world;
  pl_surface surface;
  pl_history history;
  uint32_t scene_number, frame_number;

  pl_session_file file;
  pl_session_run run;
  pl_session_show show;
  pl_session_hand hand;
  pl_session_clock clock;
  pl_session_pace pace;
  pl_session_gauges gauges;
  pl_session_notices notices;
  pl_session_room room;
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
/* The scene's hand, if its device is the pointer; else NULL. */
pl_haptic *pl_session_pointed(const pl_session *session);
pl_status pl_session_grab(pl_session *session, const pl_command *command, pl_error *error);
pl_status pl_session_drag(pl_session *session, const double to[3], pl_error *error);
void pl_session_drop(pl_session *session);
/* A step of the simulation, with what the pointer holds. */
pl_status pl_session_simulate(pl_session *session, pl_error *error);
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
