#include "hand.h"

#include "core/error.h"
#include "core/file.h"
#include "core/memory.h"
#include "haptic/haptic.h"
#include "probes.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

pl_status cli_hand_check(pl_scene *scene, int is_real_time, pl_error *error)
{
  const pl_haptic *hand = pl_scene_hand(scene);
  if (pl_haptic_is_placed(hand))
    return pl_fail(error, PL_E_ARGUMENT,
                   "the device \"mouse\" of the hand is the pointer of pliant view, or placed by a "
                   "program; view the scene, or take the device simulated, record or udp");
  if (!is_real_time && pl_haptic_is_live(hand))
    return pl_fail(error, PL_E_ARGUMENT,
                   "the device of the hand follows the clock of the machine; pliant run keeps step "
                   "with it by --real-time or <world real-time=\"yes\">");
  return PL_OK;
}

void cli_hand_open(cli_hand *record, pl_scene *scene)
{
  *record = (cli_hand){.hand = pl_scene_hand(scene)};
}

pl_status cli_hand_add(cli_hand *record, const pl_world *world, pl_error *error)
{
  pl_allocator allocator = pl_allocator_default();
  pl_haptic_facts facts;
  if (!record->hand) return PL_OK;
  void *rows = record->rows;
  if (pl_reserve(&allocator, &rows, &record->room, (record->count + 1) * CLI_HAND_COLUMNS,
                 sizeof(double)))
    return pl_fail_memory(error);
  record->rows = rows;
  pl_haptic_read(record->hand, &facts);
  record->was_present |= facts.is_present;
  double *row = record->rows + CLI_HAND_COLUMNS * record->count++;
  row[0] = pl_world_time(world);
  memcpy(row + 1, facts.position, sizeof facts.position);
  memcpy(row + 4, facts.force, sizeof facts.force);
  memcpy(row + 7, facts.proxy, sizeof facts.proxy);
  row[10] = facts.energy;
  return PL_OK;
}

static pl_status write_table(const cli_hand *record, const char *path, pl_error *error)
{
  pl_text text = pl_text_make(NULL);
  pl_text_add(&text, "time,x,y,z,force.x,force.y,force.z,proxy.x,proxy.y,proxy.z,energy\n");
  for (size_t i = 0; i < CLI_HAND_COLUMNS * record->count; i++) {
    pl_text_number(&text, record->rows[i]);
    pl_text_add(&text, (i + 1) % CLI_HAND_COLUMNS ? "," : "\n");
  }
  pl_status status = pl_text_ok(&text, error);
  if (!status) status = pl_file_write(path, text.data, text.size, error);
  pl_text_release(&text);
  return status;
}

static pl_status plot_force(const cli_hand *record, const char *path, const char *title,
                            pl_error *error)
{
  static const char *const names[] = {"x", "y", "z"};
  pl_plot_series series[3];
  for (int k = 0; k < 3; k++)
    series[k] = (pl_plot_series){.name = names[k],
                                 .count = record->count,
                                 .x = record->rows,
                                 .y = record->rows + 4 + k,
                                 .x_stride = CLI_HAND_COLUMNS,
                                 .y_stride = CLI_HAND_COLUMNS};
  const cli_curves all = {series, 3, "force on the hand", "N", title};
  return cli_plot_curves(&all, path, error);
}

pl_status cli_hand_finish(cli_hand *record, const char *folder, const char *title, pl_error *error)
{
  char path[4200];
  if (!record->hand) return PL_OK;
  pl_status status = pl_path_join(path, sizeof path, folder, "hand.csv", error);
  if (!status) status = write_table(record, path, error);
  if (!status) status = pl_path_join(path, sizeof path, folder, "hand.svg", error);
  return status ? status : plot_force(record, path, title, error);
}

void cli_hand_print(const cli_hand *record, const char *folder)
{
  pl_haptic_facts facts;
  if (!record->hand) return;
  pl_haptic_read(record->hand, &facts);
  printf("  hand     %s/hand.csv and hand.svg\n", folder);
  if (facts.refused)
    printf("           %" PRId64 " positions of the device were refused: malformed, not finite or "
           "out of reach\n",
           facts.refused);
  if (!facts.is_present && pl_haptic_is_live(record->hand))
    printf("           the device %s\n",
           record->was_present ? "was gone at the end" : "never came: nothing was felt");
}

void cli_hand_close(cli_hand *record)
{
  pl_allocator allocator = pl_allocator_default();
  pl_free(&allocator, record->rows);
  *record = (cli_hand){0};
}

pl_status cli_hand_draw(pl_scene *scene, pl_backdrop_tool *tool, pl_shape **own, pl_error *error)
{
  pl_haptic *hand = pl_scene_hand(scene);
  pl_haptic_facts facts;
  *own = NULL;
  *tool = (pl_backdrop_tool){.shape = pl_haptic_tool(hand)};
  if (!hand) return PL_OK;
  pl_haptic_read(hand, &facts);
  memcpy(tool->at, facts.proxy, sizeof tool->at);
  if (!facts.is_present) tool->shape = NULL;
  if (!facts.is_present || tool->shape) return PL_OK;
  pl_setting size = {.name = "radius", .value = {pl_haptic_drawn_radius(hand)}};
  pl_shape_row row = {.shape = {"sphere", &size, 1}};
  pl_allocator allocator = pl_allocator_default();
  pl_status status = pl_shape_create(&row, 1, &allocator, own, error);
  tool->shape = *own;
  return status;
}
