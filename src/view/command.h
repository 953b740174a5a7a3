/* What a page may ask for: a closed list of commands, each a line of words and numbers. */
#ifndef PL_VIEW_COMMAND_H
#define PL_VIEW_COMMAND_H

#include "pliant/base.h"

/* Every command: its arguments (i: a whole number, n: a number, w: a word, t: the rest of the
 * line), the range of its numbers, and what it does. */
#define PL_COMMANDS(X)                                                                             \
  X(play, "", 0, 0, "go on")                                                                       \
  X(pause, "", 0, 0, "stop")                                                                       \
  X(step, "i", 1, 10000, "that many steps, then stop")                                             \
  X(back, "i", 1, 10000, "back by that many steps")                                                \
  X(seek, "i", 0, 1e6, "to that place in the history, counted from 0")                             \
  X(reset, "", 0, 0, "to the start, with the values of the scene's file")                          \
  X(speed, "n", 1e-3, 100, "simulated seconds per second")                                         \
  X(pace, "w", 0, 0, "real: keep to the speed; free: as fast as it goes")                          \
  X(tint, "w", 0, 0, "what colours show")                                                          \
  X(grab, "inn", 0, 1e9, "pull at a point: triangle and weights of its second and third corner")   \
  X(drag, "nnn", -1e9, 1e9, "move the target of the pull")                                         \
  X(drop, "", 0, 0, "let go")                                                                      \
  X(throw, "nnn", -1e6, 1e6, "give the body that was pulled last this velocity")                   \
  X(push, "nnnn", -1e9, 1e9, "bring or move the tool: centre and radius")                          \
  X(lift, "", 0, 0, "take the tool away")                                                          \
  X(arrows, "w", 0, 0, "what arrows show")                                                         \
  X(locals, "i", 0, 1, "local frames: 1 with, 0 without")                                          \
  X(glyphs, "w", 0, 0, "figures inside bodies: none, frames, stress, strain, fibres")              \
  X(contacts, "i", 0, 1, "contact points and forces: 1 with, 0 without")                           \
  X(strength, "n", 1e-3, 1e3, "of pulls, in parts of what suits the body")                         \
  X(pin, "inn", 0, 1e9, "hold the corner nearest to a point where it is now")                      \
  X(release, "inn", 0, 1e9, "free the corner nearest to a point")                                  \
  X(choose, "ww", 0, 0,                                                                            \
    "another integrator, solver, preconditioner, contact, model.N, material.N")                    \
  X(set, "wwt", 0, 0, "a value of world, contact, obstacle.N or one of the above")                 \
  X(save, "", 0, 0, "give out the state as a scene and a checkpoint")                              \
  X(live, "", 0, 0, "leave the recorded run and simulate from where it stands")                    \
  X(gallery, "", 0, 0, "make the pictures of the scenes to choose from")                           \
  X(open, "i", 0, 1e6, "that scene of the gallery")

typedef enum pl_command_kind {
#define X(name, arguments, min, max, summary) PL_COMMAND_##name,
  PL_COMMANDS(X)
#undef X
      PL_COMMAND_COUNT
} pl_command_kind;

enum { PL_COMMAND_NUMBERS = 4, PL_COMMAND_WORD = 64, PL_COMMAND_LINE = 512 };

typedef struct pl_command {
  pl_command_kind kind;
  double numbers[PL_COMMAND_NUMBERS];
  char words[2][PL_COMMAND_WORD];
  char rest[PL_COMMAND_WORD * 2];
} pl_command;

/* Reads one line of size bytes; whatever is not exactly a command is refused. */
pl_status pl_command_parse(const char *line, size_t size, pl_command *command, pl_error *error);

#endif
