/* Scenes of other formats (EDMConfig, scripts of the thesis) from memory: what is converted must be
 * a scene, and an error says what it is. */
#include "core/memory.h"
#include "scene/scene.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Large pieces are refused, so that no file can ask for a giant grid. */
static void *small_alloc(void *context, size_t size, size_t align)
{
  (void)context;
  pl_allocator plain = pl_allocator_default();
  return size > 1 << 18 ? NULL : plain.alloc(plain.context, size, align);
}

static void small_free(void *context, void *memory)
{
  (void)context;
  pl_allocator plain = pl_allocator_default();
  plain.free(plain.context, memory);
}

static void report(void *context, const pl_error *error)
{
  (void)context;
  if (!error->code || !error->message[0]) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  pl_scene_def def = pl_scene_def_default();
  def.path = "/nowhere/fuzz.xml";
  def.threads = 1;
  def.allocator = (pl_allocator){small_alloc, small_free, NULL};
  def.report = report;
  pl_text text = pl_text_make(&def.allocator);
  pl_error error = {0};
  const char *bytes = size ? (const char *)data : "";
  pl_status status = pl_scene_convert(&def, bytes, size, &text, &error);
  if (status != error.code) abort();
  if (!status && size < 1 << 16) {
    // it is well-formed and ours; numbers may still be too large for a world
    pl_scene *scene = NULL;
    pl_status again = pl_scene_load_memory(&def, text.data, text.size, &scene, &error);
    if ((again == PL_OK) != (scene != NULL) || strstr(error.message, "begins with <")) abort();
    pl_scene_destroy(scene);
  }
  pl_text_release(&text);
  return 0;
}
