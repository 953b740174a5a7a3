/* The ends of pliant view and pliant run, by signals: the command is started as a user does. Under
 * the sanitizers memory that is used after its end fails the command, and so the test. */
#include <errno.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "client.h"
#include "test.h"

/* A command that runs, and what it prints. */
typedef struct command {
  pid_t id;
  int out, port;
  char token[33];
  char folder[32], scene[64], results[64];
} command;

/* Long enough for a sanitized build on a busy machine: only a command that hangs takes longer. */
static const double max_seconds = 60;

static void write_scene(command *c, const char *world)
{
  snprintf(c->folder, sizeof c->folder, "/tmp/pliant-test-XXXXXX");
  CHECK(mkdtemp(c->folder) != NULL);
  snprintf(c->scene, sizeof c->scene, "%s/scene.xml", c->folder);
  snprintf(c->results, sizeof c->results, "%s/out", c->folder);
  FILE *out = fopen(c->scene, "w");
  fprintf(out,
          "<pliant>\n%s\n"
          "  <material name=\"rubber\" law=\"hooke\" young=\"1e6\" poisson=\"0.3\" "
          "density=\"1000\"/>\n"
          "  <mesh name=\"bar\"><box size=\"1 0.25 0.25\" cells=\"4 2 2\" "
          "element=\"tet\"/></mesh>\n"
          "  <body name=\"bar\" model=\"fem\" mesh=\"bar\" material=\"rubber\" "
          "strain=\"corotated\">"
          "<fix><set name=\"x-min\"/></fix></body>\n</pliant>\n",
          world);
  fclose(out);
}

static void begin(command *c, char *const words[])
{
  int pipes[2];
  CHECK(pipe(pipes) == 0);
  c->id = fork();
  if (c->id == 0) {
    dup2(pipes[1], STDOUT_FILENO);
    close(pipes[0]);
    close(pipes[1]);
    execv(words[0], words);
    _exit(127);
  }
  close(pipes[1]);
  c->out = pipes[0];
}

static char *program(void)
{
  static char room[4096];
  const char *path = getenv("PLIANT_COMMAND");
  snprintf(room, sizeof room, "%s", path ? path : "");
  return room;
}

/* Starts the viewer and waits for its address. */
static void begin_view(command *c, const char *world)
{
  char text[1024] = "";
  size_t used = 0;
  *c = (command){0};
  write_scene(c, world);
  begin(c, (char *[]){program(), "view", "--no-open", "-q", "--threads", "1", c->scene, NULL});
  while (used < sizeof text - 1 && read(c->out, text + used, 1) == 1 && text[used] != '\n') used++;
  int found = sscanf(text, "open http://127.0.0.1:%d/#%32s", &c->port, c->token);
  CHECK(found == 2);
}

static void begin_run(command *c, const char *world)
{
  *c = (command){0};
  write_scene(c, world);
  begin(c, (char *[]){program(), "run", "-q", "--threads", "1", "-o", c->results, c->scene, NULL});
}

static int drive(const command *c)
{
  char line[64];
  int fd = upgrade(c->port);
  snprintf(line, sizeof line, "hello %s", c->token);
  say(fd, line);
  CHECK(listen_to(fd, 1500).drives == 1);
  return fd;
}

/* The exit code, or 1000 + the signal that ended it; -1 and an end by force: it hangs. */
static int end_of(command *c, double seconds)
{
  int status = 0, code = -1;
  for (double until = pl_now() + seconds; pl_now() < until; poll(NULL, 0, 5)) {
    pid_t ended = waitpid(c->id, &status, WNOHANG);
    if (ended == 0 || (ended < 0 && errno == EINTR)) continue;
    code = WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
    break;
  }
  if (code == -1) {
    kill(c->id, SIGKILL);
    waitpid(c->id, &status, 0);
  }
  close(c->out);
  char clean[128];
  snprintf(clean, sizeof clean, "rm -rf %s", c->folder);
  if (system(clean) != 0) printf("  %s could not be removed\n", c->folder);
  return code;
}

/* Has the run begun, so that it listens to signals? */
static void wait_for_results(const command *c)
{
  char path[128];
  struct stat facts;
  snprintf(path, sizeof path, "%s/recording.plr", c->results);
  for (double until = pl_now() + max_seconds; pl_now() < until; poll(NULL, 0, 5)) {
    if (stat(path, &facts) == 0 && facts.st_size > 0) break;
  }
  poll(NULL, 0, 300);
}

#define ORDINARY "  <world dt=\"0.01\" gravity=\"0 0 -9.81\" duration=\"1\"/>"
/* One step of this takes for ever: an explicit adaptive method, and a million seconds. */
#define ENDLESS                                                                                    \
  "  <world dt=\"1e6\" gravity=\"0 0 -9.81\" duration=\"1e7\"/>"                                   \
  "<integrator method=\"dormand-prince\" max-steps=\"1e9\"/>"

TEST(the_viewer_ends_while_a_page_drives)
{
  command c;
  begin_view(&c, ORDINARY);
  int fd = drive(&c);
  kill(c.id, SIGINT);
  CHECK(end_of(&c, max_seconds) == 0);
  close(fd);
}

TEST(the_viewer_ends_during_a_step_without_end)
{
  command c;
  begin_view(&c, ENDLESS);
  int fd = drive(&c);
  kill(c.id, SIGINT);
  CHECK(end_of(&c, max_seconds) == 0);
  close(fd);
}

/* The step is cancelled, so that the answer comes and the state says: paused. */
TEST(a_page_pauses_a_step_without_end)
{
  static char text[1 << 16];
  command c;
  begin_view(&c, ENDLESS);
  int fd = drive(&c), closed, paused = 0;
  say(fd, "pause");
  size_t used = 0;
  for (double until = pl_now() + max_seconds; pl_now() < until && !paused;) {
    used += get(fd, text + used, sizeof text - 1 - used, 50, &closed);
    for (size_t i = 0; i + 16 < used && !paused; i++)
      paused = memcmp(text + i, "\"playing\":false", 15) == 0;
  }
  CHECK(paused);
  close(fd);
  kill(c.id, SIGTERM);
  CHECK(end_of(&c, max_seconds) == 0);
}

TEST(a_run_hears_the_first_interrupt_during_a_step)
{
  command c;
  begin_run(&c, ENDLESS);
  wait_for_results(&c);
  kill(c.id, SIGINT);
  CHECK(end_of(&c, max_seconds) == 130);
}

TESTS(X(the_viewer_ends_while_a_page_drives) X(the_viewer_ends_during_a_step_without_end)
          X(a_page_pauses_a_step_without_end) X(a_run_hears_the_first_interrupt_during_a_step))
