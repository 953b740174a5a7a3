#include "progress.h"

#include "core/clock.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

static const double pause_s = 0.1; /* between two signs of life */

int cli_progress_start(cli_progress *progress, const char *word)
{
  *progress = (cli_progress){.started = pl_now()};
  if (!word || strcmp(word, "auto") == 0)
    progress->mode = isatty(STDERR_FILENO) ? CLI_PROGRESS_BAR : CLI_PROGRESS_OFF;
  else if (strcmp(word, "json") == 0)
    progress->mode = CLI_PROGRESS_JSON;
  else if (strcmp(word, "off") != 0)
    return 0;
  return 1;
}

static void draw_bar(double part, double left)
{
  enum { WIDTH = 32 };
  char bar[WIDTH + 1];
  int full = (int)(part * WIDTH);
  for (int i = 0; i < WIDTH; i++) bar[i] = i < full ? '#' : '.';
  bar[WIDTH] = 0;
  fprintf(stderr, "\r[%s] %3.0f %%  %.0f s left \033[K", bar, 100 * part, left);
}

void cli_progress_tell(cli_progress *progress, double time, double duration)
{
  double now = pl_now();
  if (progress->mode == CLI_PROGRESS_OFF || now - progress->shown < pause_s) return;
  progress->shown = now;
  double part = duration > 0 ? time / duration : 1, spent = now - progress->started;
  double left = part > 0 ? spent * (1 - part) / part : 0;
  if (progress->mode == CLI_PROGRESS_BAR) {
    draw_bar(part < 1 ? part : 1, left);
    progress->drawn = 1;
  } else {
    fprintf(stderr, "{\"time\": %.9g, \"duration\": %.9g, \"seconds\": %.3f, \"left\": %.3f}\n",
            time, duration, spent, left);
  }
}

void cli_progress_end(cli_progress *progress)
{
  if (progress->drawn) fprintf(stderr, "\r\033[K");
  progress->drawn = 0;
}

/* ---- waiting ---- */

enum { TICK_US = 250000, FIRST_TICK = 2 };

static const char *waits_for;
static volatile sig_atomic_t ticks, is_drawn;
static int never_waits;

/* Called by the timer's signal: only write() is allowed here. */
static void tick(int signal)
{
  (void)signal;
  int error = errno;
  char line[96];
  size_t used = 0;
  if (++ticks < FIRST_TICK) return;
  int seconds = ticks / 4, place = ticks % 8;
  line[used++] = '\r';
  line[used++] = '[';
  for (int i = 0; i < 8; i++) line[used++] = i == place ? '#' : '.';
  line[used++] = ']';
  line[used++] = ' ';
  for (const char *at = waits_for; *at && used < 60; at++) line[used++] = *at;
  line[used++] = ',';
  line[used++] = ' ';
  for (int unit = 10000, shown = 0; unit; unit /= 10) {
    shown |= seconds >= unit || unit == 1;
    if (shown) line[used++] = (char)('0' + seconds / unit % 10);
  }
  memcpy(line + used, " s \033[K", 6);
  is_drawn = write(STDERR_FILENO, line, used + 6) > 0;
  errno = error;
}

static void set_timer(int period)
{
  struct itimerval timer = {{0, period}, {0, period}};
  setitimer(ITIMER_REAL, &timer, NULL);
}

void cli_wait_never(void) { never_waits = 1; }

void cli_wait_begin(const char *what)
{
  if (never_waits || !isatty(STDERR_FILENO)) return;
  struct sigaction action = {.sa_handler = tick, .sa_flags = SA_RESTART};
  sigemptyset(&action.sa_mask);
  waits_for = what;
  ticks = 0;
  if (sigaction(SIGALRM, &action, NULL) == 0) set_timer(TICK_US);
}

void cli_wait_clear(void)
{
  if (is_drawn && write(STDERR_FILENO, "\r\033[K", 4) > 0) is_drawn = 0;
}

void cli_wait_end(void)
{
  if (!waits_for) return;
  set_timer(0);
  cli_wait_clear();
  waits_for = NULL;
}
