#include "interrupt.h"

#include <stddef.h>

volatile sig_atomic_t cli_interrupted;

static void on_interrupt(int signal)
{
  (void)signal;
  cli_interrupted = 1;
}

static int is_interrupted(void *context, double time)
{
  (void)context, (void)time;
  return cli_interrupted;
}

const pl_watcher cli_interrupt_watcher = {.ask = is_interrupted};

void cli_catch_interrupts(void)
{
  struct sigaction action = {.sa_handler = on_interrupt};
  sigemptyset(&action.sa_mask);
  action.sa_flags = (int)SA_RESETHAND; // a second one ends the program at once
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
  // the terminal was closed; under nohup that counts for nothing
  struct sigaction now;
  if (sigaction(SIGHUP, NULL, &now) == 0 && now.sa_handler != SIG_IGN)
    sigaction(SIGHUP, &action, NULL);
}
