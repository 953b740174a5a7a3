#include "scene/pack.h"

#include "core/error.h"
#include "core/file.h"
#include "core/memory.h"
#include "core/text.h"
#include "io/format.h"
#include "scene/reader.h"
#include "scene/scene.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

enum { NAME_ROOM = 300 };

typedef struct packer {
  const pl_scene_def *def;
  const char *folder;
  pl_reader reader;
  char **names, **sources; /* of the files so far */
  int count;
} packer;

static pl_status copy(const char *folder, const char *source, const char *name, pl_error *error)
{
  pl_allocator allocator = pl_allocator_default();
  char target[PATH_MAX];
  pl_bytes bytes;
  pl_status status = pl_path_join(target, sizeof target, folder, name, error);
  if (!status) status = pl_file_read(&allocator, source, 0, &bytes, error);
  if (status) return status;
  status = pl_file_write(target, bytes.data, bytes.size, error);
  pl_bytes_free(&allocator, &bytes);
  return status;
}

pl_status pl_pack_file(const char *folder, const char *source, const char *name, pl_error *error)
{
  pl_status status = copy(folder, source, name, error);
  const pl_format_ops *format = pl_format_of(source, NULL);
  size_t stem = strlen(source) - strlen(pl_path_extension(source));
  size_t stem_of_name = strlen(name) - strlen(pl_path_extension(name));
  for (const char *word = format ? format->extensions : ""; *word && !status;) {
    size_t length = strcspn(word, "|");
    char from[PATH_MAX], as[NAME_ROOM];
    pl_print(from, sizeof from, "%.*s%.*s", (int)stem, source, (int)length, word);
    pl_print(as, sizeof as, "%.*s%.*s", (int)stem_of_name, name, (int)length, word);
    if (strcmp(from, source) != 0 && access(from, R_OK) == 0)
      status = copy(folder, from, as, error);
    word += length + (word[length] == '|');
  }
  return status;
}

/* Is that stem taken by another file? */
static int is_taken(const packer *to, const char *name)
{
  size_t stem = strlen(name) - strlen(pl_path_extension(name));
  if (strcmp(name, pl_path_name(to->def->path)) == 0) return 1;
  for (int i = 0; i < to->count; i++) {
    const char *other = to->names[i];
    if (strlen(other) - strlen(pl_path_extension(other)) == stem && !strncmp(name, other, stem))
      return 1;
  }
  return 0;
}

/* Copies a file that the scene names, once, under a name that no other has. */
static pl_status take_file(packer *to, const char *file, const char **name, pl_error *error)
{
  char source[PATH_MAX], own[NAME_ROOM];
  pl_status status = pl_scene_path(to->def, file, source, sizeof source, error);
  if (status) return status;
  for (int i = 0; i < to->count; i++) {
    if (strcmp(to->sources[i], source) != 0) continue;
    *name = to->names[i];
    return PL_OK;
  }
  pl_print(own, sizeof own, "%.250s", pl_path_name(file));
  for (int k = 2; is_taken(to, own); k++)
    pl_print(own, sizeof own, "%d-%.250s", k, pl_path_name(file));
  char **copies[] = {&to->names[to->count], &to->sources[to->count]};
  const char *texts[] = {own, source};
  for (int i = 0; i < 2; i++) {
    *copies[i] = pl_reader_alloc(&to->reader, strlen(texts[i]) + 1, 1);
    if (!*copies[i]) return pl_fail_memory(error);
    memcpy(*copies[i], texts[i], strlen(texts[i]) + 1);
  }
  *name = to->names[to->count++];
  return pl_pack_file(to->folder, source, *name, error);
}

/* Every attribute that is a path gets that of the copy. */
static pl_status take_files(packer *to, pl_error *error)
{
  pl_status status = PL_OK;
  for (int i = 0; i < to->reader.item_count && !status; i++) {
    const pl_item *item = &to->reader.items[i];
    for (const pl_attribute *row = item->element->attributes; row->param.name && !status; row++) {
      const char *file = pl_xml_attribute(item->node, row->param.name), *name = NULL;
      if (!file || !row->param.unit || strcmp(row->param.unit, "path") != 0) continue;
      status = take_file(to, file, &name, error);
      if (!status) status = pl_xml_set(item->node, row->param.name, name, error);
    }
  }
  return status;
}

static int count_files(const pl_reader *reader)
{
  int count = 0;
  for (int i = 0; i < reader->item_count; i++) {
    const pl_attribute *row = reader->items[i].element->attributes;
    for (; row->param.name; row++) count += row->param.unit && !strcmp(row->param.unit, "path");
  }
  return count;
}

static pl_status write_scene(const packer *to, const char *path, pl_error *error)
{
  pl_text text = pl_text_make(NULL);
  pl_xml_print(pl_xml_root(to->reader.document), 0, &text);
  pl_status status = pl_text_ok(&text, error);
  if (!status) status = pl_file_write(path, text.data, text.size, error);
  pl_text_release(&text);
  return status;
}

pl_status pl_scene_pack(const pl_scene *scene, const pl_scene_def *given, const char *folder,
                        char *path, size_t size, pl_error *error)
{
  pl_scene_def def = *given;
  def.allocator = pl_allocator_or_default(&given->allocator);
  def.report = NULL; // reported when it was loaded
  pl_status status = PL_OK;
  packer to = {.def = &def, .folder = folder};
  pl_reader_open(&to.reader, &def, scene->text.data, scene->text.size);
  if (to.reader.error_count) {
    if (error) *error = to.reader.first;
    status = to.reader.first.code;
  }
  size_t max = status ? 0 : (size_t)count_files(&to.reader) + 1;
  to.names = status ? NULL : pl_reader_alloc(&to.reader, max, sizeof *to.names);
  to.sources = status ? NULL : pl_reader_alloc(&to.reader, max, sizeof *to.sources);
  if (!status && (!to.names || !to.sources)) status = pl_fail_memory(error);
  if (!status) status = pl_path_join(path, size, folder, pl_path_name(def.path), error);
  if (!status) status = pl_folder_make(folder, error);
  if (!status) status = take_files(&to, error);
  if (!status) status = write_scene(&to, path, error);
  pl_reader_close(&to.reader);
  return status;
}
