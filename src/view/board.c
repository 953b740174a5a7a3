#include "view/board.h"

#include "core/error.h"
#include "core/memory.h"

#include <pthread.h>
#include <string.h>

typedef struct message {
  pl_text text;
  uint32_t version;
} message;

struct pl_board {
  pthread_mutex_t lock;
  message slots[PL_SLOT_COUNT];
  void (*wake)(void *context);
  void *context;
};

pl_status pl_board_create(void (*wake)(void *context), void *context, pl_board **out,
                          pl_error *error)
{
  pl_allocator allocator = pl_allocator_default();
  pl_board *board = pl_alloc(&allocator, 1, sizeof *board);
  *out = board;
  if (!board) return pl_fail_memory(error);
  pthread_mutex_init(&board->lock, NULL);
  for (int i = 0; i < PL_SLOT_COUNT; i++) board->slots[i].text = pl_text_make(&allocator);
  board->wake = wake;
  board->context = context;
  return PL_OK;
}

void pl_board_destroy(pl_board *board)
{
  if (!board) return;
  pl_allocator allocator = pl_allocator_default();
  for (int i = 0; i < PL_SLOT_COUNT; i++) pl_text_release(&board->slots[i].text);
  pthread_mutex_destroy(&board->lock);
  pl_free(&allocator, board);
}

void pl_board_on_post(pl_board *board, void (*wake)(void *context), void *context)
{
  pthread_mutex_lock(&board->lock);
  board->wake = wake;
  board->context = context;
  pthread_mutex_unlock(&board->lock);
}

void pl_board_post(pl_board *board, pl_slot slot, const void *data, size_t size)
{
  pthread_mutex_lock(&board->lock);
  message *to = &board->slots[slot];
  to->text.size = 0;
  to->text.failed = 0;
  pl_text_bytes(&to->text, data, size);
  if (!to->text.failed) to->version++;
  if (board->wake) board->wake(board->context);
  pthread_mutex_unlock(&board->lock);
}

uint32_t pl_board_version(pl_board *board, pl_slot slot)
{
  pthread_mutex_lock(&board->lock);
  uint32_t version = board->slots[slot].version;
  pthread_mutex_unlock(&board->lock);
  return version;
}

uint32_t pl_board_read(pl_board *board, pl_slot slot, size_t lead, pl_text *text)
{
  static const char room[64];
  pthread_mutex_lock(&board->lock);
  const message *from = &board->slots[slot];
  text->size = 0;
  text->failed = 0;
  for (; lead > sizeof room; lead -= sizeof room) pl_text_bytes(text, room, sizeof room);
  pl_text_bytes(text, room, lead);
  if (from->version) pl_text_bytes(text, from->text.data, from->text.size);
  uint32_t version = from->version;
  pthread_mutex_unlock(&board->lock);
  return version;
}
