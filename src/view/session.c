/* The session's thread: commands, steps at the wished pace, frames at most 60 times a second. */
#include "core/clock.h"
#include "core/error.h"
#include "core/memory.h"
#include "view/session_parts.h"

#include <errno.h>
#include <math.h>
#include <string.h>

// a frame that a hand waits for comes sooner than others
static const double frame_seconds = 1.0 / 62, urgent_seconds = 1.0 / 250;
static const double look_seconds = 0.5, idle_seconds = 0.25;

// a step that has taken this long is cancelled by a command that stops or changes the simulation
static const double patience_seconds = 0.25;

/* ---- the queue ---- */

static int stops_or_changes(pl_command_kind kind)
{
  return kind == PL_COMMAND_pause || kind == PL_COMMAND_back || kind == PL_COMMAND_seek ||
         kind == PL_COMMAND_reset || kind == PL_COMMAND_choose || kind == PL_COMMAND_set ||
         kind == PL_COMMAND_open;
}

int pl_session_send(pl_session *session, const pl_command *command)
{
  int no = PL_HURRY_NO;
  if (stops_or_changes(command->kind))
    atomic_compare_exchange_strong(&session->hurry, &no, PL_HURRY_COMMAND);
  pthread_mutex_lock(&session->lock);
  int count = session->queue_count;
  pl_command *last = NULL;
  if (count) last = &session->queue[(session->queue_first + count - 1) % PL_SESSION_QUEUE];
  int taken = 1;
  if (last && last->kind == command->kind &&
      (command->kind == PL_COMMAND_drag || command->kind == PL_COMMAND_push)) {
    *last = *command;
  } else if (count < PL_SESSION_QUEUE) {
    session->queue[(session->queue_first + count) % PL_SESSION_QUEUE] = *command;
    session->queue_count++;
  } else {
    taken = 0;
  }
  pthread_cond_signal(&session->changed);
  pthread_mutex_unlock(&session->lock);
  return taken;
}

/* 1 and the next command; 0 where none waits. */
static int next_command(pl_session *session, pl_command *command)
{
  pthread_mutex_lock(&session->lock);
  int some = session->queue_count > 0 && !session->stopping;
  if (some) {
    *command = session->queue[session->queue_first];
    session->queue_first = (session->queue_first + 1) % PL_SESSION_QUEUE;
    session->queue_count--;
  }
  pthread_mutex_unlock(&session->lock);
  return some;
}

static int is_stopping(pl_session *session)
{
  pthread_mutex_lock(&session->lock);
  int stopping = session->stopping;
  pthread_mutex_unlock(&session->lock);
  return stopping;
}

static struct timespec time_of(double when)
{
  return (struct timespec){.tv_sec = (time_t)floor(when),
                           .tv_nsec = (long)((when - floor(when)) * 1e9)};
}

/* Sleeps until that time of the clock, or until a command comes. */
static void wait_until(pl_session *session, double when)
{
  struct timespec time = time_of(when);
  pthread_mutex_lock(&session->lock);
  if (!session->queue_count && !session->stopping)
    pthread_cond_timedwait(&session->changed, &session->lock, &time);
  pthread_mutex_unlock(&session->lock);
}

/* ---- the pace ---- */

void pl_session_anchor(pl_session *session)
{
  double now = pl_now();
  session->anchor_clock = session->lately_clock = now;
  session->anchor_time = session->lately_time = session->world ? pl_world_time(session->world) : 0;
  session->lately_steps = 0;
  session->lately_seconds = 0;
  session->behind = 0;
}

/* When the next step is due by the clock. Steps that come too late are not caught up with. */
static double due(pl_session *session, double now)
{
  if (session->free_pace || session->steps_left) return now;
  double ahead = pl_world_time(session->world) - session->anchor_time;
  double when = session->anchor_clock + ahead / session->speed;
  double slack = 0.05 + pl_world_dt(session->world) / session->speed;
  if (when < now - slack) {
    session->anchor_clock = now;
    session->anchor_time = pl_world_time(session->world);
    session->behind = 1;
    return now;
  }
  return when;
}

/* Simulated over real seconds and the time of a step, over the last half second or so. */
static void measure_pace(pl_session *session, double now)
{
  double passed = now - session->lately_clock;
  if (passed < 0.4 || session->lately_steps < 2) return;
  double simulated = pl_world_time(session->world) - session->lately_time;
  session->real_time_factor = (float)(simulated / passed);
  session->step_seconds = (float)(session->lately_seconds / (double)session->lately_steps);
  if (session->behind && session->real_time_factor > 0.97 * session->speed) session->behind = 0;
  session->lately_clock = now;
  session->lately_time = pl_world_time(session->world);
  session->lately_steps = 0;
  session->lately_seconds = 0;
}

/* ---- steps ---- */

/* Is the step in hand to be cancelled? */
static int watch(void *context, double time)
{
  (void)time;
  pl_session *session = context;
  int hurry = atomic_load(&session->hurry);
  if (hurry == PL_HURRY_COMMAND) return pl_now() - session->step_start > patience_seconds;
  return hurry == PL_HURRY_END;
}

/* A step of the simulation, timed. */
static pl_status simulate(pl_session *session, pl_error *error)
{
  pl_session_follow(session);
  session->step_start = pl_now();
  pl_world_set_watcher(session->world, &(pl_watcher){watch, session});
  pl_status status = pl_scene_step(session->scene, error);
  session->lately_seconds += pl_now() - session->step_start;
  return status ? status : pl_history_add(&session->history, session->world, error);
}

/* On to the next state of a recorded run; behind the last it stops. */
static pl_status turn_page(pl_session *session, pl_error *error)
{
  int last = session->history.count - 1;
  if (session->history.here + 1 >= last) session->playing = session->steps_left = 0;
  return pl_history_go(&session->history, session->world, session->history.here + 1, error);
}

static void step(pl_session *session)
{
  pl_error error = {0};
  pl_status status = session->replaying ? turn_page(session, &error) : simulate(session, &error);
  // the commands that wait come first; after them it is repeated, if it is still wanted
  if (status == PL_E_CANCELLED) return;
  session->lately_steps++;
  session->stepped = session->dirty = 1;
  if (session->steps_left && --session->steps_left == 0) session->playing = 0;
  if (!status && session->playing) return;
  if (status) {
    session->playing = session->steps_left = 0;
    pl_session_notice_error(session, &error);
  }
  pl_session_tell_state(session);
}

/* Is it time for a frame? Never while nothing has changed. */
static int frame_is_due(const pl_session *session, double now)
{
  if (!session->world || !session->dirty) return 0;
  if (now >= session->next_frame || !session->playing) return 1;
  return session->urgent && session->stepped && now >= session->last_frame + urgent_seconds;
}

/* One turn: what was asked for, a step if it is due, a frame if it is time. */
static void turn(pl_session *session)
{
  pl_command command;
  int waits = PL_HURRY_COMMAND;
  atomic_compare_exchange_strong(&session->hurry, &waits, PL_HURRY_NO);
  while (next_command(session, &command)) pl_session_act(session, &command);
  double now = pl_now(), when = now + idle_seconds;
  if (now >= session->next_look) {
    pl_session_look(session);
    session->next_look = now + look_seconds;
  }
  if (session->world && session->playing) {
    when = due(session, now);
    if (when <= now) {
      step(session);
      measure_pace(session, pl_now());
    }
  }
  now = pl_now();
  if (frame_is_due(session, now)) {
    pl_session_tell_frame(session, now);
    session->urgent = 0;
    session->last_frame = now;
    // so many in the mean, however steps and frames fall
    session->next_frame = fmax(session->next_frame + frame_seconds, now);
  }
  if (session->dirty && session->next_frame < when) when = session->next_frame;
  if (when > now) wait_until(session, when);
}

static void *work(void *context)
{
  pl_session *session = context;
  pl_session_load(session, 0);
  while (!is_stopping(session)) turn(session);
  pthread_mutex_lock(&session->lock);
  session->ended = 1;
  pthread_cond_broadcast(&session->changed);
  pthread_mutex_unlock(&session->lock);
  return NULL;
}

/* ---- beginning and end ---- */

static void release(pl_session *session)
{
  pl_session_unload(session);
  pl_gallery_destroy(session->gallery);
  pl_text_release(&session->text);
  pthread_cond_destroy(&session->changed);
  pthread_mutex_destroy(&session->lock);
  pl_free(&session->allocator, session);
}

pl_status pl_session_start(const pl_session_def *def, pl_board *board, pl_session **out,
                           pl_error *error)
{
  pl_allocator allocator = pl_allocator_default();
  pl_session *session = pl_alloc(&allocator, 1, sizeof *session);
  *out = NULL;
  if (!session) return pl_fail_memory(error);
  session->def = *def;
  session->allocator = allocator;
  session->board = board;
  session->playing = def->playing;
  session->speed = session->strength = 1;
  session->started = time(NULL);
  atomic_init(&session->hurry, PL_HURRY_NO);
  session->text = pl_text_make(&allocator);
  pthread_condattr_t clock;
  pthread_condattr_init(&clock);
  pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
  pthread_mutex_init(&session->lock, NULL);
  pthread_cond_init(&session->changed, &clock);
  pthread_condattr_destroy(&clock);
  pl_status status = pl_gallery_create(def->path, def->gallery_folder, def->cache, board,
                                       &session->gallery, error);
  if (!status && pthread_create(&session->thread, NULL, work, session) != 0)
    status = pl_fail(error, PL_E_LIMIT, "a thread for the simulation cannot be started");
  if (status) {
    release(session);
    return status;
  }
  *out = session;
  return PL_OK;
}

int pl_session_stop(pl_session *session, double seconds)
{
  if (!session) return 1;
  struct timespec until = time_of(pl_now() + seconds);
  atomic_store(&session->hurry, PL_HURRY_END);
  pthread_mutex_lock(&session->lock);
  session->stopping = 1;
  pthread_cond_broadcast(&session->changed);
  int late = 0;
  while (!session->ended && !late)
    late = pthread_cond_timedwait(&session->changed, &session->lock, &until) == ETIMEDOUT;
  int ended = session->ended;
  pthread_mutex_unlock(&session->lock);
  if (!ended) return 0;
  pthread_join(session->thread, NULL);
  release(session);
  return 1;
}
