/* The guide of a scene: the same document with some values set otherwise, built into a world. */
#include "core/error.h"
#include "core/memory.h"
#include "scene/reader.h"
#include "scene/scene.h"

#include <string.h>

enum { MOST_CHANGES = 64 };

static int is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

int pl_reader_split(pl_reader *reader, const char *text, const char **changes, int room)
{
  int count = 0;
  while (text && *text) {
    const char *begin = text, *end = text + strcspn(text, ";");
    text = end + (*end == ';');
    while (begin < end && is_blank(*begin)) begin++;
    while (end > begin && is_blank(end[-1])) end--;
    if (begin == end) continue;
    char *change = pl_reader_alloc(reader, (size_t)(end - begin) + 1, 1);
    if (!change || count == room) return -1;
    memcpy(change, begin, (size_t)(end - begin));
    changes[count++] = change;
  }
  return count;
}

/* The scene as it stands in the document, with the guide's changes and without a guide. */
static pl_status load(pl_reader *reader, const pl_item *item, pl_scene **out, pl_error *error)
{
  const char *changes[MOST_CHANGES + 1];
  int count = pl_reader_split(reader, pl_item_text(item, "set"), changes, MOST_CHANGES);
  if (count < 0)
    return pl_fail(error, PL_E_ARGUMENT, "more than %d changes are too many", MOST_CHANGES);
  changes[count++] = "guide.update=0";
  pl_scene_def def = *reader->def;
  def.changes = changes;
  def.change_count = count;
  def.report = NULL;
  pl_text text = pl_text_make(&reader->def->allocator);
  pl_xml_print(pl_xml_root(reader->document), 0, &text);
  pl_status status = pl_text_ok(&text, error);
  if (!status) status = pl_scene_load_memory(&def, text.data, text.size, out, error);
  pl_text_release(&text);
  return status;
}

void pl_reader_build_guide(pl_reader *reader, pl_scene *scene, int index)
{
  const pl_item *item = &reader->items[index];
  double update = item->bad ? 0 : pl_item_number(item, "update");
  pl_scene *guide = NULL;
  pl_error error;
  // bodies that have an error would only be missed here
  if (update == 0 || reader->error_count) return;
  pl_status status = load(reader, item, &guide, &error);
  int alone = !item->bad && strcmp(pl_item_text(item, "moves"), "alone") == 0;
  if (!status) status = pl_world_set_guide(scene->world, guide->world, update, alone, &error);
  if (!status) guide->world = NULL;
  pl_scene_destroy(guide);
  if (status) pl_reader_report_at(reader, index, &error);
}
