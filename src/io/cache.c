/* Point caches, which let an animation program move the points of a mesh that it has: PC2 (3ds Max,
 * Blender's Mesh Cache, lowest byte first) and MDD (LightWave, Blender, highest byte first).
 *
 *   PC2   "POINTCACHE2" and a zero byte, int version 1, int points, float first frame, float frames
 *         per sample, int samples; then x y z of all points, sample after sample, as floats
 *   MDD   int frames, int points, float times in s; then the same
 *
 * The mesh itself, as it is in the first frame and with its points in the same order, is written
 * beside the cache as .obj. */
#include "io/hull.h"

#include <stdio.h>
#include <string.h>

/* The first frame as NAME.obj beside path. */
static pl_status write_mesh(const pl_reel *reel, const char *path, pl_error *error)
{
  char name[4096];
  size_t stem = strlen(path) - strlen(pl_path_extension(path));
  int length = snprintf(name, sizeof name, "%.*sobj", (int)stem, path);
  if (length < 0 || (size_t)length >= sizeof name)
    return pl_fail_at(error, PL_E_LIMIT, path, 0, "the path is too long");
  pl_text text = pl_text_make(NULL);
  pl_text_add(&text, "# the first frame of %s, in m\n", pl_path_name(path));
  for (int i = 0; i < reel->point_count; i++) {
    pl_text_add(&text, "v");
    for (int k = 0; k < 3; k++) {
      pl_text_add(&text, " ");
      pl_text_number(&text, (double)reel->positions[3 * i + k]);
    }
    pl_text_add(&text, "\n");
  }
  for (int i = 0; i < reel->triangle_count; i++) {
    const int *n = reel->triangles + 3 * (size_t)i;
    pl_text_add(&text, "f %d %d %d\n", n[0] + 1, n[1] + 1, n[2] + 1);
  }
  pl_status status = pl_text_ok(&text, error);
  if (!status) status = pl_file_write_frame(name, text.data, text.size, error);
  pl_text_release(&text);
  return status;
}

/* Writes the cache and then the mesh. */
static pl_status finish(const pl_reel *reel, const char *path, pl_text *text, pl_error *error)
{
  pl_status status = pl_text_ok(text, error);
  if (!status) status = pl_file_write_frame(path, text->data, text->size, error);
  pl_text_release(text);
  return status ? status : write_mesh(reel, path, error);
}

static size_t number_count(const pl_reel *reel)
{
  return 3 * (size_t)reel->point_count * (size_t)reel->frame_count;
}

static pl_status pc2_animate(const pl_reel *reel, const char *path, const double *values,
                             pl_error *error)
{
  (void)values;
  static const int version = 1;
  pl_text text = pl_text_make(NULL);
  pl_text_bytes(&text, "POINTCACHE2", 12);
  pl_text_int32s(&text, &version, 1);
  pl_text_int32s(&text, &reel->point_count, 1);
  pl_text_floats(&text, (double[]){0, 1}, 2);
  pl_text_int32s(&text, &reel->frame_count, 1);
  for (size_t i = 0; i < number_count(reel); i++) pl_text_float(&text, reel->positions[i]);
  return finish(reel, path, &text, error);
}

/* Adds a number with the highest byte first. */
static void add_big(pl_text *text, uint32_t word)
{
  unsigned char bytes[4] = {(unsigned char)(word >> 24), (unsigned char)(word >> 16),
                            (unsigned char)(word >> 8), (unsigned char)word};
  pl_text_bytes(text, bytes, sizeof bytes);
}

static void add_big_float(pl_text *text, float value)
{
  uint32_t word;
  memcpy(&word, &value, sizeof word);
  add_big(text, word);
}

static pl_status mdd_animate(const pl_reel *reel, const char *path, const double *values,
                             pl_error *error)
{
  (void)values;
  pl_text text = pl_text_make(NULL);
  add_big(&text, (uint32_t)reel->frame_count);
  add_big(&text, (uint32_t)reel->point_count);
  for (int i = 0; i < reel->frame_count; i++) add_big_float(&text, (float)reel->times[i]);
  for (size_t i = 0; i < number_count(reel); i++) add_big_float(&text, reel->positions[i]);
  return finish(reel, path, &text, error);
}

const pl_format_ops pl_format_pc2 = {
    .info = {"pc2", "point caches of a run, for Blender and 3ds Max, with the surface as .obj",
             "3ds Max SDK, Point Cache", NULL, 0, NULL},
    .extensions = "pc2",
    .animate = pc2_animate,
};

const pl_format_ops pl_format_mdd = {
    .info = {"mdd", "point caches of a run, for LightWave and Blender, with the surface as .obj",
             "LightWave SDK, MDD", NULL, 0, NULL},
    .extensions = "mdd",
    .animate = mdd_animate,
};
