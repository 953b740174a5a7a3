#include "view/gallery.h"

#include "core/clock.h"
#include "core/error.h"
#include "core/file.h"
#include "core/hash.h"
#include "core/memory.h"
#include "picture/backdrop.h"
#include "pliant/scene.h"
#include "view/protocol.h"
#include "view/surface.h"

#include <dirent.h>
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_PICTURE = 4 << 20 }; /* bytes */
enum { MOST_BODIES = 64, WIDTH = 352, HEIGHT = 220, PATH_ROOM = 4096 };
static const double simulate_seconds = 0.4; /* real time that a picture's scene may run */

typedef struct entry {
  char *path;
  char title[128]; /* the file's name until the scene was read */
  int broken;
} entry;

struct pl_gallery {
  pl_allocator allocator;
  pl_board *board;
  const char *cache;
  entry *entries;
  size_t room;
  int count, begun;
  atomic_int stopping;
  pthread_t thread;
};

/* ---- the list ---- */

static int is_same_file(const char *a, const char *b)
{
  struct stat x, y;
  if (stat(a, &x) || stat(b, &y)) return strcmp(a, b) == 0;
  return x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

static pl_status add(pl_gallery *gallery, const char *path, pl_error *error)
{
  if (gallery->count && is_same_file(path, gallery->entries[0].path)) return PL_OK;
  if (pl_reserve(&gallery->allocator, (void **)&gallery->entries, &gallery->room,
                 (size_t)gallery->count + 1, sizeof *gallery->entries))
    return pl_fail_memory(error);
  entry *to = &gallery->entries[gallery->count];
  *to = (entry){.path = pl_strdup(&gallery->allocator, path)};
  if (!to->path) return pl_fail_memory(error);
  snprintf(to->title, sizeof to->title, "%s", pl_path_name(path));
  gallery->count++;
  return PL_OK;
}

static int is_scene(const struct dirent *file)
{
  return file->d_name[0] != '.' && strcmp(pl_path_extension(file->d_name), "xml") == 0;
}

/* A folder that cannot be read has no scenes. */
static pl_status add_folder(pl_gallery *gallery, const char *folder, pl_error *error)
{
  struct dirent **files;
  pl_status status = PL_OK;
  int count = scandir(folder, &files, is_scene, alphasort);
  for (int i = 0; i < count; i++) {
    char path[PATH_ROOM];
    if (!status && !pl_path_join(path, sizeof path, folder, files[i]->d_name, NULL))
      status = add(gallery, path, error);
    free(files[i]);
  }
  if (count >= 0) free(files);
  return status;
}

static void notify(const pl_gallery *gallery)
{
  pl_text text = pl_text_make(&gallery->allocator);
  pl_text_add(&text, "{\"type\":\"gallery\",\"pictures\":%d,\"scenes\":[", PL_MOST_THUMBS);
  for (int i = 0; i < gallery->count; i++) {
    const entry *of = &gallery->entries[i];
    pl_text_add(&text, "%s{\"file\":\"", i ? "," : "");
    pl_text_json(&text, pl_path_name(of->path));
    pl_text_add(&text, "\",\"title\":\"");
    pl_text_json(&text, of->title);
    pl_text_add(&text, "\",\"broken\":%s}", of->broken ? "true" : "false");
  }
  pl_text_add(&text, "]}");
  if (!text.failed) pl_board_post(gallery->board, PL_SLOT_GALLERY, text.data, text.size);
  pl_text_release(&text);
}

pl_status pl_gallery_create(const char *path, const char *folder, const char *cache,
                            pl_board *board, pl_gallery **out, pl_error *error)
{
  pl_allocator allocator = pl_allocator_default();
  pl_gallery *gallery = pl_alloc(&allocator, 1, sizeof *gallery);
  *out = NULL;
  if (!gallery) return pl_fail_memory(error);
  gallery->allocator = allocator;
  gallery->board = board;
  gallery->cache = cache;
  atomic_init(&gallery->stopping, 0);
  pl_status status = add(gallery, path, error);
  if (!status && folder) status = add_folder(gallery, folder, error);
  if (status) {
    pl_gallery_destroy(gallery);
    return status;
  }
  notify(gallery);
  *out = gallery;
  return PL_OK;
}

void pl_gallery_destroy(pl_gallery *gallery)
{
  if (!gallery) return;
  atomic_store(&gallery->stopping, 1);
  if (gallery->begun) pthread_join(gallery->thread, NULL);
  for (int i = 0; i < gallery->count; i++) pl_free(&gallery->allocator, gallery->entries[i].path);
  pl_free(&gallery->allocator, gallery->entries);
  pl_free(&gallery->allocator, gallery);
}

const char *pl_gallery_path(const pl_gallery *gallery, int index)
{
  return index >= 0 && index < gallery->count ? gallery->entries[index].path : NULL;
}

/* ---- pictures ---- */

/* Into the middle of the motion, or as far as the time allows. */
static void run(const pl_gallery *gallery, pl_scene *scene)
{
  pl_world *world = pl_scene_world(scene);
  double end = pl_now() + simulate_seconds, middle = 0.4 * pl_scene_duration(scene);
  while (pl_world_time(world) < middle && pl_now() < end && !atomic_load(&gallery->stopping)) {
    if (pl_world_step(world, NULL)) return;
  }
}

/* Its bodies as the page shows them, one for each part of the surface. */
static pl_status draw_surface(pl_scene *scene, const pl_surface *surface, const double *positions,
                              pl_text *png, pl_error *error)
{
  const pl_view *view = pl_scene_view(scene);
  pl_render_body bodies[MOST_BODIES + PL_MOST_SHEETS];
  pl_backdrop backdrop;
  pl_render render = pl_render_default();
  render.width = WIDTH;
  render.height = HEIGHT;
  render.bodies = bodies;
  render.up = fabs(view->up[1]) > fabs(view->up[2]) ? 1 : 2;
  if (fabs(view->up[0]) > fabs(view->up[render.up])) render.up = 0;
  memcpy(render.direction, view->direction, sizeof render.direction);
  for (int p = 0; p < surface->part_count && p < MOST_BODIES; p++) {
    const pl_surface_part *part = &surface->parts[p];
    bodies[render.body_count++] =
        (pl_render_body){.node_count = surface->vertex_count,
                         .face_count = part->triangles,
                         .nodes_per_face = 3,
                         .positions = positions,
                         .faces = surface->triangles + 3 * part->first_triangle};
  }
  pl_status status =
      pl_backdrop_add(&backdrop, pl_scene_world(scene), NULL, bodies, &render, error);
  if (!status) status = pl_render_png(&render, png, error);
  pl_backdrop_release(&backdrop);
  return status;
}

static pl_status draw(pl_scene *scene, pl_text *png, pl_error *error)
{
  pl_world *world = pl_scene_world(scene);
  pl_allocator allocator = pl_allocator_default();
  pl_surface surface;
  pl_status status = pl_surface_create(world, &allocator, &surface, error);
  if (status) return status;
  size_t count = 3 * (size_t)surface.vertex_count;
  float *shown = pl_alloc(&allocator, count, sizeof *shown);
  double *positions = pl_alloc(&allocator, count, sizeof *positions);
  if (!shown || !positions) status = pl_fail_memory(error);
  if (!status) status = pl_surface_positions(&surface, world, shown, error);
  for (size_t i = 0; !status && i < count; i++) positions[i] = (double)shown[i];
  if (!status) status = draw_surface(scene, &surface, positions, png, error);
  pl_free(&allocator, shown);
  pl_free(&allocator, positions);
  pl_surface_release(&surface);
  return status;
}

/* ---- pictures of an earlier start ---- */

/* What a kept picture begins with; the PNG follows. */
typedef struct keep_head {
  char mark[16];
  int64_t seconds, nanoseconds, size; /* of the scene's file when it was read */
  char version[32], title[128];
} keep_head;

/* The head that a picture of the file as it is now has, and where it is kept; 0: nowhere. */
static int keep_place(const pl_gallery *gallery, const entry *of, keep_head *head,
                      char path[PATH_ROOM])
{
  struct stat facts;
  char found[PATH_ROOM], whole[PATH_ROOM] = {0};
  if (!gallery->cache || stat(of->path, &facts) || !realpath(of->path, found)) return 0;
  memcpy(whole, found, strlen(found));
  uint64_t hash = pl_hash_words(PL_HASH_START, whole, sizeof whole / 8);
  *head = (keep_head){.mark = "pliant picture",
                      .seconds = facts.st_mtim.tv_sec,
                      .nanoseconds = facts.st_mtim.tv_nsec,
                      .size = facts.st_size};
  snprintf(head->version, sizeof head->version, "%s", pl_version());
  int length = snprintf(path, PATH_ROOM, "%s/picture-%016" PRIx64, gallery->cache, hash);
  return length > 0 && length < PATH_ROOM;
}

static void post_picture(const pl_gallery *gallery, int index, const char *png, size_t size)
{
  pl_text message = pl_text_make(&gallery->allocator);
  pl_write_thumb(&message, (uint32_t)index, png, size);
  if (!message.failed)
    pl_board_post(gallery->board, (pl_slot)(PL_SLOT_THUMB + index), message.data, message.size);
  pl_text_release(&message);
}

/* Posts the picture that was kept of this very file, if there is one. */
static int find_picture(pl_gallery *gallery, int index)
{
  entry *of = &gallery->entries[index];
  keep_head head, kept;
  char path[PATH_ROOM];
  pl_bytes bytes;
  if (!keep_place(gallery, of, &head, path)) return 0;
  if (pl_file_read(&gallery->allocator, path, MOST_PICTURE, &bytes, NULL)) return 0;
  int same = bytes.size > sizeof kept && memcmp(bytes.data, &head, offsetof(keep_head, title)) == 0;
  if (same) {
    memcpy(&kept, bytes.data, sizeof kept);
    snprintf(of->title, sizeof of->title, "%.*s", (int)sizeof kept.title - 1, kept.title);
    post_picture(gallery, index, bytes.data + sizeof kept, bytes.size - sizeof kept);
  }
  pl_bytes_free(&gallery->allocator, &bytes);
  return same;
}

/* What cannot be written is drawn again next time. */
static void keep_picture(const pl_gallery *gallery, const entry *of, const keep_head *before,
                         const pl_text *png)
{
  keep_head head;
  char path[PATH_ROOM];
  pl_text all = pl_text_make(&gallery->allocator);
  // not if the file has changed meanwhile
  if (keep_place(gallery, of, &head, path) &&
      memcmp(&head, before, offsetof(keep_head, title)) == 0) {
    memcpy(head.title, of->title, sizeof head.title);
    pl_text_bytes(&all, &head, sizeof head);
    pl_text_bytes(&all, png->data, png->size);
    if (!all.failed && !pl_folder_make(gallery->cache, NULL))
      (void)pl_file_write(path, all.data, all.size, NULL);
  }
  pl_text_release(&all);
}

static void make_picture(pl_gallery *gallery, int index)
{
  entry *of = &gallery->entries[index];
  keep_head before = {.size = -1};
  char path[PATH_ROOM];
  pl_scene *scene;
  (void)keep_place(gallery, of, &before, path);
  pl_scene_def def = pl_scene_def_default();
  def.path = of->path;
  def.cache = gallery->cache;
  def.threads = 1;
  of->broken = pl_scene_load(&def, &scene, NULL) != PL_OK;
  if (of->broken) return;
  pl_text png = pl_text_make(&gallery->allocator);
  snprintf(of->title, sizeof of->title, "%s", pl_scene_title(scene));
  run(gallery, scene);
  if (!draw(scene, &png, NULL)) {
    post_picture(gallery, index, png.data, png.size);
    if (!atomic_load(&gallery->stopping)) keep_picture(gallery, of, &before, &png);
  }
  pl_text_release(&png);
  pl_scene_destroy(scene);
}

void pl_gallery_make(pl_gallery *gallery)
{
  int count = gallery->count < PL_MOST_THUMBS ? gallery->count : PL_MOST_THUMBS;
  for (int i = 0; i < count && !atomic_load(&gallery->stopping); i++) {
    if (!find_picture(gallery, i)) make_picture(gallery, i);
    notify(gallery);
  }
}

static void *work(void *context)
{
  pl_gallery_make(context);
  return NULL;
}

void pl_gallery_begin(pl_gallery *gallery)
{
  if (gallery->begun) return;
  gallery->begun = pthread_create(&gallery->thread, NULL, work, gallery) == 0;
}
