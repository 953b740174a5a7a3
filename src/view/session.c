/* The session's turns, and its thread: commands, steps at the wished pace, frames at most 60 times
 * a second. */
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
    atomic_compare_exchange_strong(&session->orders.hurry, &no, PL_HURRY_COMMAND);
  pthread_mutex_lock(&session->orders.lock);
  int count = session->orders.count;
  pl_command *last = NULL;
  if (count) last = &session->orders.queue[(session->orders.first + count - 1) % PL_SESSION_QUEUE];
  int taken = 1;
  if (last && last->kind == command->kind &&
      (command->kind == PL_COMMAND_drag || command->kind == PL_COMMAND_push)) {
    *last = *command;
  } else if (count < PL_SESSION_QUEUE) {
    session->orders.queue[(session->orders.first + count) % PL_SESSION_QUEUE] = *command;
    session->orders.count++;
  } else {
    taken = 0;
  }
  pthread_cond_signal(&session->orders.changed);
  pthread_mutex_unlock(&session->orders.lock);
  return taken;
}

/* 1 and the next command; 0 where none waits. */
static int next_command(pl_session *session, pl_command *command)
{
  pthread_mutex_lock(&session->orders.lock);
  int some = session->orders.count > 0 && !session->orders.stopping;
  if (some) {
    *command = session->orders.queue[session->orders.first];
    session->orders.first = (session->orders.first + 1) % PL_SESSION_QUEUE;
    session->orders.count--;
  }
  pthread_mutex_unlock(&session->orders.lock);
  return some;
}

static int is_stopping(pl_session *session)
{
  pthread_mutex_lock(&session->orders.lock);
  int stopping = session->orders.stopping;
  pthread_mutex_unlock(&session->orders.lock);
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
  pthread_mutex_lock(&session->orders.lock);
  if (!session->orders.count && !session->orders.stopping)
    pthread_cond_timedwait(&session->orders.changed, &session->orders.lock, &time);
  pthread_mutex_unlock(&session->orders.lock);
}

/* ---- the pace ---- */

void pl_session_anchor(pl_session *session)
{
  double now = pl_now();
  session->clock.anchor = session->pace.clock = now;
  session->clock.anchor_time = session->pace.time =
      session->world ? pl_world_time(session->world) : 0;
  session->pace.steps = 0;
  session->pace.seconds = 0;
  session->pace.behind = 0;
}

/* When the next step is due by the clock. Steps that come too late are not caught up with. */
static double due(pl_session *session, double now)
{
  if (session->run.free_pace || session->run.steps_left) return now;
  double ahead = pl_world_time(session->world) - session->clock.anchor_time;
  double when = session->clock.anchor + ahead / session->run.speed;
  double slack = 0.05 + pl_world_dt(session->world) / session->run.speed;
  if (when < now - slack) {
    session->clock.anchor = now;
    session->clock.anchor_time = pl_world_time(session->world);
    session->pace.behind = 1;
    return now;
  }
  return when;
}

/* Simulated over real seconds and the time of a step, over the last half second or so. */
static void measure_pace(pl_session *session, double now)
{
  double passed = now - session->pace.clock;
  if (passed < 0.4 || session->pace.steps < 2) return;
  double simulated = pl_world_time(session->world) - session->pace.time;
  session->pace.real_time_factor = (float)(simulated / passed);
  session->pace.step_seconds = (float)(session->pace.seconds / (double)session->pace.steps);
  if (session->pace.behind && session->pace.real_time_factor > 0.97 * session->run.speed)
    session->pace.behind = 0;
  session->pace.clock = now;
  session->pace.time = pl_world_time(session->world);
  session->pace.steps = 0;
  session->pace.seconds = 0;
}

/* ---- steps ---- */

/* Is the step in hand to be cancelled? */
static int watch(void *context, double time)
{
  (void)time;
  pl_session *session = context;
  int hurry = atomic_load(&session->orders.hurry);
  if (hurry == PL_HURRY_COMMAND) return pl_now() - session->clock.step_start > patience_seconds;
  return hurry == PL_HURRY_END;
}

/* A step of the simulation, timed. */
static pl_status simulate(pl_session *session, pl_error *error)
{
  pl_session_follow(session);
  session->clock.step_start = pl_now();
  pl_world_set_watcher(session->world, &(pl_watcher){.ask = watch, .context = session});
  pl_status status = pl_session_simulate(session, error);
  double took = pl_now() - session->clock.step_start;
  session->pace.seconds += took;
  session->pace.missed += took * session->run.speed > pl_world_dt(session->world);
  return status ? status : pl_history_add(&session->history, session->world, error);
}

/* On to the next state of a recorded run; behind the last it stops. */
static pl_status turn_page(pl_session *session, pl_error *error)
{
  int last = session->history.count - 1;
  if (session->history.here + 1 >= last) session->run.playing = session->run.steps_left = 0;
  return pl_history_go(&session->history, session->world, session->history.here + 1, error);
}

static void step(pl_session *session)
{
  pl_error error = {0};
  pl_status status =
      session->file.replaying ? turn_page(session, &error) : simulate(session, &error);
  // the commands that wait come first; after them it is repeated, if it is still wanted
  if (status == PL_E_CANCELLED) return;
  session->pace.steps++;
  session->run.steps += !status;
  session->run.stepped = session->run.dirty = 1;
  if (session->run.steps_left && --session->run.steps_left == 0) session->run.playing = 0;
  if (!status && session->run.playing) return;
  if (status) {
    session->run.playing = session->run.steps_left = 0;
    pl_session_notice_error(session, &error);
  }
  pl_session_tell_state(session);
}

/* Is it time for a frame? Never while nothing has changed. */
static int frame_is_due(const pl_session *session, double now)
{
  if (!session->world || !session->run.dirty) return 0;
  if (now >= session->clock.next_frame || !session->run.playing) return 1;
  return session->hand.urgent && session->run.stepped &&
         now >= session->clock.last_frame + urgent_seconds;
}

/* One turn: what was asked for, a step if it is due, a frame if it is time. When the next has
 * something to do, by the clock. */
static double turn(pl_session *session)
{
  pl_command command;
  int waits = PL_HURRY_COMMAND;
  atomic_compare_exchange_strong(&session->orders.hurry, &waits, PL_HURRY_NO);
  while (next_command(session, &command)) pl_session_act(session, &command);
  double now = pl_now(), when = now + idle_seconds;
  if (now >= session->file.next_look) {
    pl_session_look(session);
    session->file.next_look = now + look_seconds;
  }
  if (session->world && session->run.playing) {
    when = due(session, now);
    if (when <= now) {
      step(session);
      measure_pace(session, pl_now());
    }
  }
  now = pl_now();
  if (frame_is_due(session, now)) {
    pl_session_tell_frame(session, now);
    session->hand.urgent = 0;
    session->clock.last_frame = now;
    // so many in the mean, however steps and frames fall
    session->clock.next_frame = fmax(session->clock.next_frame + frame_seconds, now);
  }
  return session->run.dirty && session->clock.next_frame < when ? session->clock.next_frame : when;
}

double pl_session_turn(pl_session *session)
{
  if (!session->run.loaded) {
    session->run.loaded = 1;
    pl_session_load(session, 0);
  }
  return fmax(turn(session) - pl_now(), 0);
}

pl_session_facts pl_session_measure(const pl_session *session)
{
  if (!session->world) return (pl_session_facts){0};
  return (pl_session_facts){session->run.steps, pl_world_time(session->world),
                            pl_world_state_hash(session->world), session->run.steps_left};
}

static void *work(void *context)
{
  pl_session *session = context;
  pl_session_load(session, 0);
  while (!is_stopping(session)) {
    double when = turn(session);
    if (when > pl_now()) wait_until(session, when);
  }
  pthread_mutex_lock(&session->orders.lock);
  session->orders.ended = 1;
  pthread_cond_broadcast(&session->orders.changed);
  pthread_mutex_unlock(&session->orders.lock);
  return NULL;
}

/* ---- beginning and end ---- */

static void release(pl_session *session)
{
  pl_session_unload(session);
  pl_gallery_destroy(session->gallery);
  pl_text_release(&session->room.text);
  pthread_cond_destroy(&session->orders.changed);
  pthread_mutex_destroy(&session->orders.lock);
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
  session->run.playing = def->playing;
  session->run.speed = session->hand.strength = 1;
  session->notices.started = time(NULL);
  atomic_init(&session->orders.hurry, PL_HURRY_NO);
  session->room.text = pl_text_make(&allocator);
  pthread_condattr_t clock;
  pthread_condattr_init(&clock);
  pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
  pthread_mutex_init(&session->orders.lock, NULL);
  pthread_cond_init(&session->orders.changed, &clock);
  pthread_condattr_destroy(&clock);
  pl_status status = pl_gallery_create(def->path, def->gallery_folder, def->cache, board,
                                       &session->gallery, error);
  if (!status && !def->by_turns && pthread_create(&session->thread, NULL, work, session) != 0)
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
  if (session->def.by_turns) {
    release(session);
    return 1;
  }
  struct timespec until = time_of(pl_now() + seconds);
  atomic_store(&session->orders.hurry, PL_HURRY_END);
  pthread_mutex_lock(&session->orders.lock);
  session->orders.stopping = 1;
  pthread_cond_broadcast(&session->orders.changed);
  int late = 0;
  while (!session->orders.ended && !late)
    late = pthread_cond_timedwait(&session->orders.changed, &session->orders.lock, &until) ==
           ETIMEDOUT;
  int ended = session->orders.ended;
  pthread_mutex_unlock(&session->orders.lock);
  if (!ended) return 0;
  pthread_join(session->thread, NULL);
  release(session);
  return 1;
}
