/* Progress of a run: a bar on a terminal, lines of JSON for programs, or nothing. */
#ifndef PL_CLI_PROGRESS_H
#define PL_CLI_PROGRESS_H

typedef enum cli_progress_mode {
  CLI_PROGRESS_OFF,
  CLI_PROGRESS_BAR,
  CLI_PROGRESS_JSON
} cli_progress_mode;

typedef struct cli_progress {
  cli_progress_mode mode;
  double started, shown;
  int drawn;
} cli_progress;

/* word: auto, off, json or NULL (auto: a bar if stderr is a terminal). Returns 0 if it is none. */
int cli_progress_start(cli_progress *progress, const char *word);
void cli_progress_tell(cli_progress *progress, double time, double duration);
void cli_progress_end(cli_progress *progress);

/* While something takes its time that cannot say how far it is (reading a mesh, filling a surface):
 * a line with the seconds so far on a terminal, from the first half second on. clear: something
 * else is going to be written. */
void cli_wait_begin(const char *what);
void cli_wait_clear(void);
void cli_wait_end(void);
/* Not even on a terminal. */
void cli_wait_never(void);

#endif
