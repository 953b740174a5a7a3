/* What a hand did and felt: hand.csv, which the device "record" repeats, and a plot of the force.
 */
#ifndef PL_CLI_HAND_H
#define PL_CLI_HAND_H

#include "picture/backdrop.h"
#include "pliant/scene.h"

enum { CLI_HAND_COLUMNS = 11 }; /* time, place, force on the hand, proxy, energy */

typedef struct cli_hand {
  pl_haptic *hand; /* NULL: the scene has none */
  double *rows;
  size_t count, room;
  int was_present; /* the device, in some step */
} cli_hand;

/* Can the device of the scene's hand do anything here: by the clock of the machine, or without? */
pl_status cli_hand_check(pl_scene *scene, int is_real_time, pl_error *error);

void cli_hand_open(cli_hand *record, pl_scene *scene);
pl_status cli_hand_add(cli_hand *record, const pl_world *world, pl_error *error);
pl_status cli_hand_finish(cli_hand *record, const char *folder, const char *title, pl_error *error);
/* Where its files are, and a sentence if its device did not do what devices do. */
void cli_hand_print(const cli_hand *record, const char *folder);
void cli_hand_close(cli_hand *record);

/* The tool for a picture; a sphere or point gets a shape of its own, to be destroyed. */
pl_status cli_hand_draw(pl_scene *scene, pl_backdrop_tool *tool, struct pl_shape **own,
                        pl_error *error);

#endif
