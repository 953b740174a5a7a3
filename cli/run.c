/* pliant run: scene -> world -> steps -> frames, probes, plots, picture, summary. */
#include "cli.h"
#include "core/clock.h"
#include "core/error.h"
#include "core/file.h"
#include "dist/dist.h"
#include "hand.h"
#include "interrupt.h"
#include "launch.h"
#include "load_scene.h"
#include "output.h"
#include "pace.h"
#include "paraview.h"
#include "probes.h"
#include "progress.h"
#include "quick_scene.h"
#include "recording.h"
#include "summary.h"
#include "world/world.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

typedef struct run {
  const char *scene_path, *folder, *progress_word, *threads_word, *cache, *up, *replay;
  struct {
    const char *petsc, *ranks; /* options for PETSc; how many processes */
  } over;
  cli_words plain, changes;
  int allow_path, quiet, lock, no_picture, real_time;
  char folder_room[4096], scene_room[4200];

  pl_ranks *ranks; /* NULL: this process alone */
  pl_scene_def def;
  cli_diagnosis diagnosis;
  pl_scene *scene;
  cli_progress progress;
  cli_record record;
  cli_frames frames;
  cli_tape tape;
  cli_hand hand;
  cli_pace pace;
  double seconds_output;
  pl_status outcome; /* of all steps, and why it is no better */
  pl_error reason;
} run;

/* What rank 0 does between steps: the others serve. */
static pl_status together(run *r, pl_status (*work)(run *, pl_error *), pl_error *error)
{
  if (!r->ranks) return work(r, error);
  if (r->ranks->rank > 0) return pl_dist_serve(r->ranks, error);
  pl_dist_ask(r->ranks);
  return pl_dist_end_asking(r->ranks, work(r, error), error);
}

/* One fails, all do. */
static pl_status agree(run *r, pl_status status, pl_error *error)
{
  return r->ranks ? r->ranks->agree(r->ranks, status, error) : status;
}

/* All ranks answer alike: a signal that arrives while they ask each other counts the next time. */
static int is_interrupted(run *r)
{
  if (!r->ranks) return cli_interrupted;
  int any = pl_dist_any(r->ranks, cli_interrupted);
  if (any) cli_interrupted = 1;
  return any;
}

static int parse(run *r, int count, char **words)
{
  const cli_option options[] = {
      {.name = "output",
       .letter = 'o',
       .argument = "DIR",
       .summary = "where results go (default: out/SCENE)",
       .value = &r->folder},
      {.name = "set",
       .argument = "PATH=VALUE",
       .summary = "change a value of the scene, for example world.dt=0.005",
       .list = &r->changes},
      CLI_CACHE_OPTION(&r->cache),
      {.name = "threads",
       .argument = "N",
       .summary = "threads to use (default: one per processor); results are the same",
       .value = &r->threads_word},
      {.name = "progress",
       .argument = "HOW",
       .summary = "auto, off or json",
       .value = &r->progress_word},
      {.name = "replay",
       .argument = "DIR",
       .summary = "show the finished run in DIR in the browser, as pliant view DIR does",
       .value = &r->replay},
      {.name = "up",
       .argument = "AXIS",
       .summary = "of a shape without a scene: x, y or z (default z; .glb files are turned to it)",
       .value = &r->up},
      {.name = "allow-path",
       .summary = "let the scene name files outside its folder",
       .flag = &r->allow_path},
      {.name = "no-picture",
       .summary = "draw no picture of the last frame, which takes longer than a short run",
       .flag = &r->no_picture},
      {.name = "real-time",
       .summary = "keep step with the clock: a hand's servo loop gets a thread of its own, and "
                  "steps that take longer than they last are counted",
       .flag = &r->real_time},
      {.name = "ranks",
       .argument = "N",
       .summary = "N processes on this machine, as mpirun -n N starts them; each gets its share of "
                  "the processors for threads",
       .value = &r->over.ranks},
      {.name = "petsc",
       .argument = "OPTIONS",
       .summary =
           "options for PETSc, \"-pc_gamg_threshold 0.01\" for example: those of solvers and "
           "preconditioners",
       .value = &r->over.petsc},
      {.name = "quiet",
       .letter = 'q',
       .summary = "print only errors and warnings",
       .flag = &r->quiet},
  };
  int code = cli_parse(
      count, words, options, sizeof options / sizeof *options, "run [OPTIONS] SCENE|SHAPE",
      "Simulates a scene and writes DIR/probes.csv, summary.json, frames (.vtu and "
      ".pvd), plots (.svg) and a picture of the last frame (.png). A mesh or surface "
      "instead of a scene is dropped on a floor, by DIR/scene.xml. - is the standard input.",
      &r->plain);
  if (code) return code;
  if (r->replay && r->plain.count == 0) return CLI_OK;
  if (r->plain.count != 1) return cli_fail(CLI_USAGE, "run needs one scene; see pliant run --help");
  r->scene_path = cli_input(r->plain.words[0]);
  if (!cli_progress_start(&r->progress, r->progress_word))
    return cli_fail(CLI_USAGE, "--progress %s: auto, off or json is needed", r->progress_word);
  if (r->progress.mode != CLI_PROGRESS_BAR) cli_wait_never();
  return CLI_OK;
}

/* out/NAME for a scene NAME.xml. */
static void name_folder(run *r)
{
  const char *name = pl_path_name(r->scene_path), *dot = strrchr(name, '.');
  int length = dot && dot > name ? (int)(dot - name) : (int)strlen(name);
  if (r->folder) return;
  snprintf(r->folder_room, sizeof r->folder_room, "out/%.*s", length, name);
  r->folder = r->folder_room;
}

static pl_status choose_folder(run *r, pl_error *error)
{
  name_folder(r);
  pl_status status = pl_folder_make(r->folder, error);
  if (status) return status;
  pl_folder_tidy(r->folder);
  // copies of the scene's files lie below
  const char *const copies[] = {"scene", "shape"};
  for (int i = 0; i < 2; i++) {
    char path[4200];
    if (pl_path_join(path, sizeof path, r->folder, copies[i], NULL) == PL_OK) pl_folder_tidy(path);
  }
  return PL_OK;
}

/* Two runs at once would mix their results. Where the file system knows no locks, nothing is said.
 */
static pl_status claim_folder(run *r, pl_error *error)
{
  r->lock = open(r->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (r->lock < 0 || flock(r->lock, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return PL_OK;
  return pl_fail_at(error, PL_E_IO, r->folder, 0,
                    "another run is writing its results here; choose another folder with -o");
}

/* Frames and probes of the state as it is now. */
static pl_status look(run *r, pl_error *error)
{
  double start = pl_now();
  pl_world *world = pl_scene_world(r->scene);
  pl_status status = cli_record_add(&r->record, world, error);
  double left = cli_pace_left(&r->pace, pl_world_dt(world));
  if (!status) status = cli_frames_add(&r->frames, world, left, error);
  if (!status) status = cli_tape_add(&r->tape, world, error);
  if (!status) status = cli_hand_add(&r->hand, world, error);
  r->seconds_output += pl_now() - start;
  return status;
}

static pl_status look_together(run *r, pl_error *error)
{
  pl_status status = together(r, look, error);
  return status || !r->ranks
             ? status
             : cli_frames_add_pieces(&r->frames, pl_scene_world(r->scene), r->ranks, error);
}

/* Asked during steps: a sign of life, and whether the user wants no more. */
static int watch(void *context, double time)
{
  run *r = context;
  cli_progress_tell(&r->progress, time, pl_scene_duration(r->scene));
  return is_interrupted(r);
}

static pl_status simulate(run *r, pl_error *error)
{
  pl_world *world = pl_scene_world(r->scene);
  double duration = pl_scene_duration(r->scene), dt = pl_world_dt(world);
  int64_t steps = (int64_t)ceil(duration / dt - 1e-9);
  pl_haptic *hand = pl_scene_hand(r->scene);
  pl_status status = look_together(r, error);
  if (!status && r->real_time && hand) status = pl_haptic_start(hand, error);
  pl_world_set_watcher(world, &(pl_watcher){.ask = watch, .context = r});
  cli_pace_start(&r->pace, r->real_time);
  for (int64_t i = 0; !status && i < steps && !is_interrupted(r); i++) {
    double began = pl_now();
    status = pl_scene_step(r->scene, error);
    // all hear of an interrupt in the same step
    if (status != PL_E_CANCELLED) status = agree(r, status, error);
    if (!status) status = look_together(r, error);
    cli_pace_wait(&r->pace, began, dt);
    cli_progress_tell(&r->progress, pl_world_time(world), duration);
  }
  pl_haptic_stop(hand);
  cli_progress_end(&r->progress);
  pl_world_set_watcher(world, NULL);
  // the step that was cut off is undone, and what was computed before is whole
  return status == PL_E_CANCELLED ? PL_OK : status;
}

/* One of an earlier run would be taken for this one's. */
static pl_status draw(run *r, pl_error *error)
{
  char path[4200];
  if (!r->no_picture) return cli_frames_picture(&r->frames, r->scene, r->folder, error);
  pl_status status = pl_path_join(path, sizeof path, r->folder, "picture.png", error);
  if (!status) remove(path);
  return status;
}

/* Plots, picture and summary; also after an interrupt or a failed step, of what there is. */
static pl_status finish(run *r, pl_error *error)
{
  double start = pl_now();
  pl_world *world = pl_scene_world(r->scene);
  const char *title = pl_scene_title(r->scene);
  pl_status status = cli_record_plot(&r->record, world, r->folder, title, error);
  if (!status) status = cli_hand_finish(&r->hand, r->folder, title, error);
  if (!status) status = cli_frames_finish(&r->frames, error);
  if (!status) status = draw(r, error);
  r->seconds_output += pl_now() - start;
  cli_outcome facts = {.scene = r->scene,
                       .path = r->scene_path,
                       .diagnosis = &r->diagnosis,
                       .seconds_output = r->seconds_output,
                       .frames = r->frames.count,
                       .pace = &r->pace,
                       .interrupted = cli_interrupted != 0,
                       .failure = r->outcome ? r->reason.message : NULL};
  // whatever else could not be written
  pl_status written = cli_summary_write(&facts, r->folder, status ? NULL : error);
  return status ? status : written;
}

static pl_status tell_results(run *r, pl_error *error)
{
  (void)error;
  if (r->quiet) return PL_OK;
  printf("results in %s:\n", r->folder);
  cli_summary_print(r->scene, r->seconds_output);
  cli_frames_print(&r->frames);
  if (r->record.file >= 0) printf("  probes   %s/probes.csv and probes*.svg\n", r->folder);
  cli_hand_print(&r->hand, r->folder);
  if (r->pace.is_on) {
    cli_pace_facts pace = cli_pace_read(&r->pace);
    printf("  pace     %" PRId64 " of %" PRId64
           " steps missed their time; half took %.2f ms, 99 of "
           "100 less than %.2f, the longest %.2f\n",
           r->pace.missed, r->pace.steps, 1e3 * pace.median, 1e3 * pace.high, 1e3 * pace.longest);
    if (r->frames.dropped)
      printf("           %d frames were left out, since writing them would have taken too long\n",
             r->frames.dropped);
  }
  if (!r->no_picture) printf("  picture  %s/picture.png\n", r->folder);
  printf("  summary  %s/summary.json\n", r->folder);
  cli_print_command("replay", "view", r->folder);
  if (r->scene_path == r->scene_room) cli_print_command("scene", "run", r->scene_path);
  return PL_OK;
}

/* A mesh or surface in place of a scene. */
static pl_status make_first_scene(run *r, pl_error *error)
{
  if (!cli_is_shape(r->scene_path)) return PL_OK;
  if (r->ranks)
    return pl_fail(error, PL_E_UNSUPPORTED,
                   "several processes need a scene; run the shape without mpirun once, and then "
                   "the scene that this writes");
  pl_status status = choose_folder(r, error);
  cli_first first = {
      .file = r->scene_path, .up = r->up ? r->up : "z", .folder = r->folder, .copies = 1};
  if (!status) status = cli_first_scene(&first, r->scene_room, sizeof r->scene_room, error);
  if (!status) r->scene_path = r->scene_room;
  return status;
}

/* Can the scene be run by this command? */
static pl_status check_scene(run *r, pl_error *error)
{
  if (r->ranks && (r->real_time || pl_scene_hand(r->scene)))
    return pl_fail(
        error, PL_E_UNSUPPORTED,
        "a hand, and steps that keep real time, are for one process; run without mpirun");
  return cli_hand_check(r->scene, r->real_time, error);
}

/* The files of the results. */
static pl_status open_results(run *r, pl_error *error)
{
  pl_status status = check_scene(r, error);
  if (!status) status = choose_folder(r, error);
  if (!status) status = claim_folder(r, error);
  if (!status) status = cli_tape_check(&r->def, r->folder, error);
  if (!status) status = cli_summary_remove(r->folder, error);
  if (!status) status = cli_record_open(&r->record, pl_scene_world(r->scene), r->folder, error);
  cli_hand_open(&r->hand, r->scene);
  if (!status) status = cli_frames_open(&r->frames, r->scene, r->ranks, r->folder, error);
  if (!status) status = cli_paraview_write(&r->frames, r->folder, error);
  if (!status) status = cli_tape_open(&r->tape, r->scene, &r->def, r->folder, error);
  return status;
}

/* Other ranks than the first know the frames, too, to write pieces of them. All wait until all have
 * removed what was left of an earlier run. */
static pl_status open_pieces(run *r, pl_error *error)
{
  pl_status status = PL_OK;
  if (!r->ranks) return PL_OK;
  name_folder(r);
  if (r->ranks->rank > 0) {
    status = cli_frames_open(&r->frames, r->scene, r->ranks, r->folder, error);
    if (!cli_frames_have_pieces(&r->frames)) cli_frames_close(&r->frames);
  }
  return agree(r, status, error);
}

/* The ranks of mpirun, of which the first one speaks. */
static pl_status start_ranks(run *r, pl_error *error)
{
  pl_status status = pl_dist_start(&r->ranks, error);
  if (!status && r->over.petsc) status = pl_dist_options(r->over.petsc, error);
  if (!pl_dist_is_first()) cli_be_silent();
  return status;
}

/* Reads the scene; what is wrong with it has been printed, unless another rank alone found it. */
static int load(run *r)
{
  pl_error error = {0};
  pl_status own = cli_load(&r->def, &r->diagnosis, &r->scene);
  if (own)
    pl_fail(&error, own, "%s", r->diagnosis.first_error);
  else
    r->real_time |= pl_scene_is_real_time(r->scene);
  pl_status status = agree(r, own, &error);
  // rank 0 looks at the world alone, which must not be what prepares it
  if (!status && r->ranks) own = status = pl_world_prepare(pl_scene_world(r->scene), &error);
  // while there are no results yet, Ctrl-C may end all at once; what fails is said at t = 0
  if (!status && !r->ranks) (void)pl_world_prepare(pl_scene_world(r->scene), NULL);
  if (status && (!own || r->scene)) cli_fail_error(&error);
  return status ? CLI_FAILED : CLI_OK;
}

static int execute(run *r)
{
  pl_error error = {0}, late = {0};
  r->def = pl_scene_def_default();
  r->def.changes = r->changes.words;
  r->def.change_count = r->changes.count;
  r->def.allow_any_path = r->allow_path;
  r->def.cache = r->cache;
  pl_status status = start_ranks(r, &error);
  if (!status) status = make_first_scene(r, &error);
  if (status) return cli_fail_error(&error);
  r->def.path = r->scene_path;
  r->def.ranks = r->ranks;
  r->def.threads = pl_dist_threads(r->ranks);
  if (r->threads_word && cli_int("threads", r->threads_word, 0, 256, &r->def.threads))
    return CLI_USAGE;
  r->diagnosis.quiet = r->quiet;
  if (load(r)) return CLI_FAILED;
  status = together(r, open_results, &error);
  if (!status) status = open_pieces(r, &error);
  if (status) return cli_fail_error(&error);

  cli_catch_interrupts();
  r->outcome = simulate(r, &r->reason);
  status = together(r, finish, &late);
  if (r->outcome) {
    char text[1024];
    cli_fail(CLI_FAILED, "at t = %g s: %s", pl_world_time(pl_scene_world(r->scene)),
             pl_error_text(&r->reason, text, sizeof text));
  }
  // a world that cannot be stepped cannot be measured either: that is said once
  if (r->outcome && status && strcmp(late.message, r->reason.message) == 0) return CLI_FAILED;
  if (status) return cli_fail_error(&late);
  together(r, tell_results, &late);
  if (cli_interrupted) cli_fail(CLI_INTERRUPTED, "interrupted; the results so far are complete");
  return r->outcome ? CLI_FAILED : cli_interrupted ? CLI_INTERRUPTED : CLI_OK;
}

int cli_run(int count, char **words)
{
  static run r;
  r.record.file = r.tape.file = r.lock = -1;
  int code = parse(&r, count, words);
  if (code) return code < 0 ? CLI_OK : code;
  if (r.replay) return cli_view(1, (char *[]){(char *)(uintptr_t)r.replay});
  if (r.over.ranks) return cli_launch(r.over.ranks, "run", count, words);
  code = execute(&r);
  cli_tape_close(&r.tape);
  cli_frames_close(&r.frames);
  cli_record_close(&r.record);
  cli_hand_close(&r.hand);
  cli_pace_close(&r.pace);
  pl_scene_destroy(r.scene);
  pl_dist_end(r.ranks);
  if (r.lock >= 0) close(r.lock);
  return code;
}
