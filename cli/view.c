/* pliant view: a scene in the browser, to be pulled at. */
#include "cli.h"

#ifdef PL_WITH_VIEW

#include "core/file.h"
#include "core/memory.h"
#include "core/text.h"
#include "interrupt.h"
#include "load_scene.h"
#include "quick_scene.h"
#include "recording.h"
#include "view/server.h"
#include "view/session.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* How long the end waits for a scene that is being loaded. */
static const double load_seconds = 0.5;

typedef struct view {
  const char *path, *listen, *port_word, *token, *threads_word, *history_word, *gallery, *up,
      *cache_word;
  char cache_room[4096];
  cli_words plain, changes, hosts;
  int allow_path, no_open, paused, quiet, framed;
  char token_room[PL_TOKEN_LENGTH + 1], folder[4096], shipped[4096], shortcut_folder[32],
      shortcut[64];
  char shape_folder[32], shape_scene[64]; /* of a scene made for a shape; "": none */
  char recording[4096], scene_room[4096]; /* "": there is none; and its scene */
  pl_board *board;
  pl_session *session;
  pl_server *server;
} view;

/* The demo among the scenes that came with the program: installed beside it, or in the source tree
 * that it was built in. */
static int find_shipped(view *v)
{
  static const char *const places[] = {"../share/pliant/scenes/demo.xml", "../../scenes/demo.xml"};
  char program[4096], folder[4096];
  ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
  program[length > 0 ? length : 0] = 0;
  for (size_t i = 0; length > 0 && i < sizeof places / sizeof *places; i++) {
    if (pl_path_folder(folder, sizeof folder, program, NULL) ||
        pl_path_join(v->shipped, sizeof v->shipped, folder, places[i], NULL))
      continue;
    v->path = v->shipped;
    if (access(v->path, R_OK) == 0) return CLI_OK;
  }
  return cli_fail(CLI_USAGE, "view needs a scene; see pliant view --help");
}

/* A folder stands for the run that was recorded there. */
static int find_recording(view *v)
{
  struct stat facts;
  pl_error error = {0};
  int is_folder = stat(v->path, &facts) == 0 && S_ISDIR(facts.st_mode);
  if (!is_folder && strcmp(pl_path_extension(v->path), PL_RECORDING_EXTENSION) != 0) return CLI_OK;
  if (pl_path_join(v->recording, sizeof v->recording, is_folder ? v->path : "",
                   is_folder ? CLI_TAPE : v->path, &error) ||
      cli_tape_find_scene(v->recording, v->allow_path, v->scene_room, sizeof v->scene_room, &error))
    return cli_fail_error(&error);
  v->path = v->scene_room;
  return CLI_OK;
}

/* A shape gets a scene of its own, in a folder that is removed at the end. */
static int drop_shape(view *v)
{
  char folder[] = "/tmp/pliant-shape-XXXXXX";
  pl_error error = {0};
  if (!mkdtemp(folder)) return cli_fail(CLI_FAILED, "no folder can be made in /tmp");
  snprintf(v->shape_folder, sizeof v->shape_folder, "%s", folder);
  cli_first first = {.file = v->path, .up = v->up ? v->up : "z", .folder = folder};
  if (cli_first_scene(&first, v->shape_scene, sizeof v->shape_scene, &error)) {
    rmdir(folder);
    return cli_fail_error(&error);
  }
  v->path = v->shape_scene;
  v->allow_path = 1;
  return CLI_OK;
}

static int parse(view *v, int count, char **words)
{
  const cli_option options[] = {
      {.name = "paused", .summary = "do not start at once", .flag = &v->paused},
      {.name = "no-open", .summary = "do not start a browser", .flag = &v->no_open},
      {.name = "framed",
       .summary = "let other pages of this machine show it in a frame, such as notebooks",
       .flag = &v->framed},
      {.name = "port",
       .argument = "N",
       .summary = "to listen at (default: any that is free)",
       .value = &v->port_word},
      {.name = "listen",
       .argument = "ADDRESS",
       .summary = "let other machines in through this address (default: 127.0.0.1, this one only)",
       .value = &v->listen},
      {.name = "host",
       .argument = "NAME",
       .summary = "a name of this machine that browsers may use, with --listen",
       .list = &v->hosts},
      {.name = "token",
       .argument = "HEX",
       .summary = "the 32 digits that a page must know (default: new ones for each run)",
       .value = &v->token},
      {.name = "set",
       .argument = "PATH=VALUE",
       .summary = "change a value of the scene, for example world.dt=0.005",
       .list = &v->changes},
      {.name = "gallery",
       .argument = "DIR",
       .summary = "scenes to choose from (default: those beside the scene)",
       .value = &v->gallery},
      {.name = "history",
       .argument = "MB",
       .summary = "memory for going back (default: 512)",
       .value = &v->history_word},
      CLI_CACHE_OPTION(&v->cache_word),
      {.name = "threads",
       .argument = "N",
       .summary = "threads to use (default: one per processor)",
       .value = &v->threads_word},
      {.name = "up",
       .argument = "AXIS",
       .summary = "of a shape without a scene: x, y or z (default z; .glb files are turned to it)",
       .value = &v->up},
      {.name = "allow-path",
       .summary = "let the scene name files outside its folder",
       .flag = &v->allow_path},
      {.name = "quiet",
       .letter = 'q',
       .summary = "print only the address, errors and warnings",
       .flag = &v->quiet},
  };
  int code =
      cli_parse(count, words, options, sizeof options / sizeof *options,
                "view [OPTIONS] [SCENE | SHAPE | DIR]",
                "Shows a scene in the browser while it is simulated: pull, push, pin, go back, "
                "change values; a mesh or surface dropped on a floor; or the finished run in DIR. "
                "Without a scene: those that came with "
                "the program.",
                &v->plain);
  if (code) return code;
  if (v->plain.count > 1)
    return cli_fail(CLI_USAGE, "view shows one scene; see pliant view --help");
  if (v->plain.count == 0) return find_shipped(v);
  v->path = v->plain.words[0];
  return cli_is_shape(v->path) ? drop_shape(v) : find_recording(v);
}

static void tell_log(void *context, pl_level level, const char *text)
{
  const view *v = context;
  if (level == PL_WARNING)
    fprintf(stderr, "pliant: %s\n", text);
  else if (!v->quiet)
    fprintf(stderr, "pliant: note: %s\n", text);
}

static int send_command(void *context, const pl_command *command)
{
  const view *v = context;
  return v->session ? pl_session_send(v->session, command) : 0;
}

/* ---- the browser ---- */

/* The address holds the token, and other users can see a command's words: so the browser gets a
 * file in a folder that only this user can enter and that leads on to the address. */
static int write_shortcut(view *v, const char *address)
{
  char folder[] = "/tmp/pliant-view-XXXXXX";
  if (!mkdtemp(folder)) return 0;
  snprintf(v->shortcut_folder, sizeof v->shortcut_folder, "%s", folder);
  snprintf(v->shortcut, sizeof v->shortcut, "%s/open.html", folder);
  FILE *out = fopen(v->shortcut, "w");
  if (!out) return 0;
  fprintf(out,
          "<!doctype html><meta charset=\"utf-8\"><meta http-equiv=\"refresh\" "
          "content=\"0;url=%s\"><title>Pliant</title><a href=\"%s\">Open Pliant</a>\n",
          address, address);
  return fclose(out) == 0;
}

static void open_browser(view *v, const char *address)
{
  if (v->no_open || (!getenv("DISPLAY") && !getenv("WAYLAND_DISPLAY"))) return;
  if (!write_shortcut(v, address)) return;
  pid_t child = fork();
  if (child != 0) return;
  // a child of a child, so that nobody has to wait for it
  if (fork() == 0) {
    int nothing = open("/dev/null", O_RDWR);
    for (int i = 0; i < 3 && nothing >= 0; i++) dup2(nothing, i);
    execlp("xdg-open", "xdg-open", v->shortcut, (char *)NULL);
  }
  _exit(0);
}

/* ---- the run ---- */

/* Signals are for the thread that serves, not for those that it starts. */
static pl_status start_session(view *v, const pl_session_def *def, pl_error *error)
{
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  pl_status status = pl_session_start(def, v->board, &v->session, error);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return status;
}

static void tell_address(view *v)
{
  char address[512];
  const char *host = v->hosts.count ? v->hosts.words[0] : v->listen;
  snprintf(address, sizeof address, strchr(host, ':') ? "http://[%s]:%d/#%s" : "http://%s:%d/#%s",
           host, pl_server_port(v->server), v->token);
  if (strcmp(v->listen, "127.0.0.1") != 0 && strcmp(v->listen, "::1") != 0)
    fprintf(stderr,
            "pliant: warning: listening at %s: whoever knows the address below can drive "
            "the simulation, and nothing is encrypted\n",
            v->listen);
  printf("open %s\n", address);
  if (!v->quiet) printf("Ctrl-C ends it.\n");
  fflush(stdout);
  open_browser(v, address);
}

static int execute(view *v)
{
  pl_error error = {0};
  int port = 0, history = 512;
  pl_session_def session = {
      .path = v->path,
      .changes = v->changes.words,
      .change_count = v->changes.count,
      .allow_any_path = v->allow_path,
      .recording = v->recording[0] ? v->recording : NULL,
      .playing = !v->paused,
      .cache = cli_cache_folder(v->cache_word, v->cache_room, sizeof v->cache_room),
      .log = {tell_log, v}};
  if (v->port_word && cli_int("port", v->port_word, 0, 65535, &port)) return CLI_USAGE;
  if (v->history_word && cli_int("history", v->history_word, 1, 65536, &history)) return CLI_USAGE;
  if (v->threads_word && cli_int("threads", v->threads_word, 0, 256, &session.threads))
    return CLI_USAGE;
  if (v->token && !pl_token_is_valid(v->token))
    return cli_fail(CLI_USAGE, "--token needs %d digits out of 0-9 and a-f", PL_TOKEN_LENGTH);
  session.history_bytes = (size_t)history << 20;

  pl_status status = v->token ? PL_OK : pl_token_make(v->token_room, &error);
  if (!v->token) v->token = v->token_room;
  if (!v->listen) v->listen = "127.0.0.1";
  if (!status && !v->gallery) {
    status = pl_path_folder(v->folder, sizeof v->folder, v->path, &error);
    v->gallery = v->folder;
  }
  session.gallery_folder = v->gallery;
  cli_catch_interrupts();
  signal(SIGPIPE, SIG_IGN);
  if (!status) status = pl_board_create(NULL, NULL, &v->board, &error);
  pl_server_def server = {.address = v->listen,
                          .port = port,
                          .token = v->token,
                          .hosts = v->hosts.words,
                          .host_count = v->hosts.count,
                          .framed = v->framed,
                          .board = v->board,
                          .command = send_command,
                          .context = v};
  if (!status) status = pl_server_create(&server, &v->server, &error);
  if (!status) status = start_session(v, &session, &error);
  if (status) return cli_fail_error(&error);
  tell_address(v);
  pl_server_run(v->server, &cli_interrupted);
  return CLI_OK;
}

int cli_view(int count, char **words)
{
  static view v;
  int code = parse(&v, count, words);
  if (code) return code < 0 ? CLI_OK : code;
  code = execute(&v);
  // the server first: pages that leave send the session a last command
  pl_server_destroy(v.server);
  int ended = pl_session_stop(v.session, load_seconds);
  if (ended) pl_board_destroy(v.board);
  if (v.shape_folder[0]) {
    unlink(v.shape_scene);
    rmdir(v.shape_folder);
  }
  if (v.shortcut_folder[0]) {
    unlink(v.shortcut);
    rmdir(v.shortcut_folder);
  }
  // a scene is still being loaded: there are no results that could be lost
  if (!ended) _exit(code);
  return code;
}

#else

int cli_view(int count, char **words)
{
  (void)count;
  (void)words;
  return cli_fail(CLI_FAILED, "this build has no viewer: " PL_VIEW_MISSING);
}

#endif
