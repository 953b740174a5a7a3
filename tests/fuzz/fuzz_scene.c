/* Scenes from memory, with changes: the lines behind the end tag of the root. Memory is short, so
 * that a scene cannot ask for a giant mesh. */
#include "core/memory.h"
#include "scene/scene.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_CHANGES = 8, LARGEST = 1 << 18, MOST_BYTES = 1 << 24 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Each piece is preceded by its size. */
typedef struct budget {
  size_t used;
} budget;

static void *budget_alloc(void *context, size_t size, size_t align)
{
  budget *state = context;
  if (size > LARGEST || state->used + size > MOST_BYTES) return NULL;
  pl_allocator allocator = pl_allocator_default();
  char *memory = allocator.alloc(NULL, size + align, align);
  if (!memory) return NULL;
  memcpy(memory + align - sizeof size, &size, sizeof size);
  memcpy(memory + align - 2 * sizeof size, &align, sizeof align);
  state->used += size;
  return memory + align;
}

static void budget_free(void *context, void *memory)
{
  budget *state = context;
  size_t size, align;
  memcpy(&size, (char *)memory - sizeof size, sizeof size);
  memcpy(&align, (char *)memory - 2 * sizeof size, sizeof align);
  state->used -= size;
  pl_allocator allocator = pl_allocator_default();
  allocator.free(NULL, (char *)memory - align);
}

static void report(void *context, const pl_error *error)
{
  (void)context;
  if (!error->code || !error->message[0]) abort(); // an error says what it is
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static const char end[] = "</pliant>";
  char *text = malloc(size + 1);
  if (!text) return 0;
  if (size) memcpy(text, data, size);
  text[size] = 0;

  // the lines behind the document are changes
  const char *changes[MOST_CHANGES];
  pl_scene_def def = pl_scene_def_default();
  def.changes = changes;
  char *rest = strstr(text, end);
  size_t length = rest ? (size_t)(rest - text) + strlen(end) : size;
  rest = rest ? strchr(rest, '\n') : NULL;
  while (rest && def.change_count < MOST_CHANGES) {
    *rest++ = 0;
    if (*rest) changes[def.change_count++] = rest;
    rest = strchr(rest, '\n');
  }

  budget state = {0};
  def.path = "/nowhere/fuzz.xml";
  def.threads = 1;
  def.allocator = (pl_allocator){budget_alloc, budget_free, &state};
  def.report = report;
  pl_scene *scene = NULL;
  pl_error error = {0};
  pl_status status = pl_scene_load_memory(&def, text, length, &scene, &error);
  if ((status == PL_OK) != (scene != NULL) || status != error.code) abort();
  pl_scene_destroy(scene);
  if (state.used) abort();
  free(text);
  return 0;
}
