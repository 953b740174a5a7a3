/* Ctrl-C asks a command to end cleanly; a second one ends it at once. */
#ifndef PL_CLI_INTERRUPT_H
#define PL_CLI_INTERRUPT_H

#include "pliant/base.h"

#include <signal.h>

extern volatile sig_atomic_t cli_interrupted;

void cli_catch_interrupts(void);

/* For worlds: cancels the step that is going on. */
extern const pl_watcher cli_interrupt_watcher;

#endif
