#include "progress.h"

#include "core/clock.h"

#include <stdio.h>
#include <string.h>
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
  if (progress->mode == CLI_PROGRESS_OFF || now - progress->told < pause_s) return;
  progress->told = now;
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
