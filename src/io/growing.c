/* XML files that grow: see the header. */
#include "io/growing.h"

#include "core/file.h"

#include <string.h>

static const char opened[] = "<?next", closed[] = " ?>";
enum { OPENED = sizeof opened - 1, CLOSED = sizeof closed - 1 };

pl_growing pl_growing_make(const char *tail, const pl_allocator *allocator)
{
  return (pl_growing){
      .tail = tail, .text = pl_text_make(allocator), .blanks = pl_text_make(allocator)};
}

void pl_growing_release(pl_growing *self)
{
  pl_text_release(&self->text);
  pl_text_release(&self->blanks);
}

static void add_blanks(pl_text *text, uint64_t count)
{
  static const char some[] = "                                ";
  for (; count >= sizeof some; count -= sizeof some - 1) pl_text_bytes(text, some, sizeof some - 1);
  pl_text_bytes(text, some, count);
}

/* Blanks at a place, so that so many bytes behind them lie within one page. */
static uint64_t blanks_at(uint64_t place, size_t size)
{
  uint64_t left = PL_GROWING_PAGE - place % PL_GROWING_PAGE;
  return left < size ? left : 0;
}

static void plan_write(pl_growing *self, uint64_t place, const char *data, size_t size)
{
  self->writes[self->write_count++] = (pl_growing_write){place, data, size};
}

/* The steps of the header. */
static void plan_writes(pl_growing *self, uint64_t from)
{
  size_t tail = strlen(self->tail), room = self->text.size - OPENED - CLOSED;
  const char *blanks = self->blanks.data;
  plan_write(self, from, blanks, room);
  plan_write(self, from + room, self->text.data + room, OPENED + CLOSED);
  plan_write(self, self->end + tail + OPENED, blanks, CLOSED);
  plan_write(self, from, self->text.data, room);
  plan_write(self, self->end, blanks, tail + OPENED);
}

pl_status pl_growing_plan(pl_growing *self, const char *text, size_t size, pl_error *error)
{
  size_t tail = strlen(self->tail), last = tail + OPENED + CLOSED;
  uint64_t from = self->end ? self->end + last : 0;
  self->text.size = self->blanks.size = 0;
  self->text.failed = self->blanks.failed = self->write_count = 0;
  pl_text_bytes(&self->text, text, size);
  add_blanks(&self->text, blanks_at(from + size, last));
  self->next_end = from + self->text.size;
  pl_text_bytes(&self->text, self->tail, tail);
  pl_text_add(&self->text, "%s%s", opened, closed);
  add_blanks(&self->blanks, self->text.size);
  pl_status status = pl_text_ok(&self->text, error);
  if (!status) status = pl_text_ok(&self->blanks, error);
  if (status) return status;
  if (self->end)
    plan_writes(self, from);
  else
    plan_write(self, 0, self->text.data, self->text.size);
  return PL_OK;
}

/* After a failure: the instruction ends where it did. What stands behind it is blank, or was. */
static void restore(const pl_growing *self, const char *path)
{
  size_t tail = strlen(self->tail);
  if (!self->end) return;
  pl_file_put(path, self->end + tail + OPENED, closed, CLOSED, NULL);
  pl_file_cut(path, self->end + tail + OPENED + CLOSED);
}

pl_status pl_growing_add(pl_growing *self, const char *path, const char *text, size_t size,
                         pl_error *error)
{
  pl_status status = pl_growing_plan(self, text, size, error);
  if (status) return status;
  for (int i = 0; i < self->write_count && !status; i++) {
    const pl_growing_write *w = &self->writes[i];
    status = pl_file_put(path, w->place, w->data, w->size, error);
  }
  if (status)
    restore(self, path);
  else
    self->end = self->next_end;
  return status;
}
