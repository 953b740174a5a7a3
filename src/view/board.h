/* The board between the simulation and those who watch: one thread posts, another reads. Each slot
 * holds the latest message of its kind; an older one that nobody has read yet is lost. */
#ifndef PL_VIEW_BOARD_H
#define PL_VIEW_BOARD_H

#include "core/text.h"

/* In the order in which a watcher needs them. */
typedef enum pl_slot {
  PL_SLOT_SCENE,                       /* text: what there is, or why the scene cannot be shown */
  PL_SLOT_TEXTURES,                    /* binary: pictures on bodies                            */
  PL_SLOT_GEOMETRY,                    /* binary: the surface at rest                           */
  PL_SLOT_HELD,                        /* binary: which vertices are held                       */
  PL_SLOT_STATE,                       /* text: all settings as they are                        */
  PL_SLOT_GALLERY,                     /* text: the scenes to choose from                       */
  PL_SLOT_NOTICES,                     /* text: what went wrong lately                          */
  PL_SLOT_SAVED,                       /* binary: the state as files, for who asked             */
  PL_SLOT_THUMB,                       /* binary: a scene's small picture; one slot each        */
  PL_SLOT_FRAME = PL_SLOT_THUMB + 256, /* binary: positions, colours, pulls, gauges */
  PL_SLOT_COUNT
} pl_slot;

enum { PL_MOST_THUMBS = PL_SLOT_FRAME - PL_SLOT_THUMB };

typedef struct pl_board pl_board;

/* wake is called after each post, from the thread that posts. */
pl_status pl_board_create(void (*wake)(void *context), void *context, pl_board **board,
                          pl_error *error);
void pl_board_destroy(pl_board *board);

/* Who is called from now on; NULL: nobody. */
void pl_board_on_post(pl_board *board, void (*wake)(void *context), void *context);

/* Copies the message; one that does not fit into memory is left out. */
void pl_board_post(pl_board *board, pl_slot slot, const void *data, size_t size);

/* The number of the slot's latest message, 0 for none so far. */
uint32_t pl_board_version(pl_board *board, pl_slot slot);

/* Puts lead bytes and the latest message into text (which is emptied first) and returns its
 * number. */
uint32_t pl_board_read(pl_board *board, pl_slot slot, size_t lead, pl_text *text);

#endif
