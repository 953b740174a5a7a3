/* Frames, their list, and the reel that holds them until the last one. */
#include "io/series.h"

#include "core/error.h"
#include "core/family.h"
#include "core/memory.h"
#include "io/growing.h"
#include "io/hull.h"
#include "io/texture.h"
#include "io/vtu.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PATH_ROOM = 4096 };

/* Animation programs address their files by 32 bits. */
static const size_t MOST_BYTES = (size_t)1 << 31;

static const char list_head[] = "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" "
                                "version=\"0.1\">\n<Collection>\n";
static const char list_tail[] = "</Collection>\n</VTKFile>\n";

struct pl_series {
  pl_allocator allocator;
  char *folder, *name;
  char extension[16], path[PATH_ROOM];
  const pl_format_ops *format;
  double values[PL_MOST_VALUES];
  int count;
  double last;      /* time of the last frame, s */
  pl_growing list;  /* of frames that have a file each */
  pl_stream stream; /* of formats that add frames to one file */

  // what an animation is made of
  int *triangles;
  size_t point_count, triangle_count, time_room, position_room;
  double *times;
  float *positions;
  char *image_path, *spots_path; /* a picture on it */
  pl_bytes image;
  float *spots;
};

static pl_status join_path(const pl_series *series, const char *file, char path[PATH_ROOM],
                           pl_error *error)
{
  return pl_path_join(path, PATH_ROOM, series->folder, file, error);
}

/* The file to open at the end. */
static pl_status name_path(pl_series *series, pl_error *error)
{
  char file[PATH_ROOM];
  int is_one = series->format->animate || series->format->append;
  const char *end = is_one ? series->extension : series->format->list;
  int length = snprintf(file, sizeof file, "%s%s.%s", series->name, end ? "" : "_*",
                        end ? end : series->extension);
  if (length < 0 || (size_t)length >= sizeof file)
    return pl_fail_at(error, PL_E_LIMIT, series->name, 0, "the path is too long");
  return join_path(series, file, series->path, error);
}

/* The file of a frame, or of a piece of it: end is "" or "_0" and so on. */
static pl_status frame_path(const pl_series *series, int number, const char *end,
                            const char *extension, char path[PATH_ROOM], pl_error *error)
{
  char file[PATH_ROOM];
  int length = snprintf(file, sizeof file, "%s_%06d%s.%s", series->name, number, end, extension);
  if (length < 0 || (size_t)length >= sizeof file)
    return pl_fail_at(error, PL_E_LIMIT, series->name, 0, "the path is too long");
  return join_path(series, file, path, error);
}

/* An earlier series of that name may have been longer: its frames are no part of this one. */
static pl_status remove_files(const pl_series *series, const char *end, const char *extension,
                              pl_error *error)
{
  char path[PATH_ROOM];
  for (int i = 0;; i++) {
    pl_status status = frame_path(series, i, end, extension, path, error);
    if (status || unlink(path)) return status;
  }
}

/* Of frames in pieces as well: piece after piece, as long as there are any. */
static pl_status remove_pieces(const pl_series *series, pl_error *error)
{
  char end[16] = "_0", path[PATH_ROOM];
  pl_status status = remove_files(series, "", "pvtu", error);
  for (int part = 0; !status; snprintf(end, sizeof end, "_%d", ++part)) {
    status = frame_path(series, 0, end, series->extension, path, error);
    if (status || access(path, F_OK)) break;
    status = remove_files(series, end, series->extension, error);
  }
  return status;
}

static pl_status remove_older(const pl_series *series, pl_error *error)
{
  int is_one = series->format->animate || series->format->append;
  if (is_one || series->format->list) unlink(series->path);
  if (is_one) return PL_OK;
  for (const char *word = series->format->extensions; *word;) {
    char extension[16];
    size_t length = strcspn(word, "|");
    snprintf(extension, sizeof extension, "%.*s", (int)length, word);
    pl_status status = remove_files(series, "", extension, error);
    if (status) return status;
    word += length + (word[length] == '|');
  }
  return series->format->pieces ? remove_pieces(series, error) : PL_OK;
}

pl_status pl_series_create(const char *folder, const char *name, const pl_choice *format,
                           const pl_allocator *allocator, pl_series **out, pl_error *error)
{
  *out = NULL;
  if (!name[0] || strchr(name, '/'))
    return pl_fail(error, PL_E_ARGUMENT, "\"%.80s\" cannot be the name of a series of files", name);
  pl_status status = pl_folder_make(folder, error);
  if (status) return status;
  pl_allocator own = pl_allocator_or_default(allocator);
  pl_series *series = pl_alloc(&own, 1, sizeof *series);
  if (!series) return pl_fail_memory(error);
  const pl_member *member = NULL;
  series->allocator = own;
  series->last = -INFINITY;
  series->list = pl_growing_make(list_tail, &own);
  series->folder = pl_strdup(&own, folder);
  series->name = pl_strdup(&own, name);
  if (!series->folder || !series->name) status = pl_fail_memory(error);
  if (!status)
    status = pl_choice_resolve(&pl_format_family, format, &member, series->values, error);
  if (!status) {
    // info is the first field of the ops; of several extensions the first will do
    series->format = (const pl_format_ops *)(const void *)member;
    const char *words = series->format->extensions;
    snprintf(series->extension, sizeof series->extension, "%.*s", (int)strcspn(words, "|"), words);
    if (!pl_format_is_written(series->format))
      status = pl_fail(error, PL_E_UNSUPPORTED, "%s files are only read", member->name);
  }
  if (!status) status = name_path(series, error);
  if (!status) status = remove_older(series, error);
  series->stream =
      (pl_stream){.allocator = &series->allocator, .path = series->path, .values = series->values};
  if (status)
    pl_series_destroy(series);
  else
    *out = series;
  return status;
}

void pl_series_destroy(pl_series *series)
{
  if (!series) return;
  pl_allocator allocator = series->allocator;
  if (series->stream.own) series->format->release(&series->stream);
  pl_free(&allocator, series->triangles);
  pl_free(&allocator, series->times);
  pl_free(&allocator, series->positions);
  pl_free(&allocator, series->image_path);
  pl_free(&allocator, series->spots_path);
  pl_free(&allocator, series->spots);
  pl_bytes_free(&allocator, &series->image);
  pl_growing_release(&series->list);
  pl_free(&allocator, series->folder);
  pl_free(&allocator, series->name);
  pl_free(&allocator, series);
}

pl_status pl_series_set_picture(pl_series *series, const char *image, const char *surface,
                                pl_error *error)
{
  series->image_path = pl_strdup(&series->allocator, image);
  series->spots_path = pl_strdup(&series->allocator, surface);
  return series->image_path && series->spots_path ? PL_OK : pl_fail_memory(error);
}

int pl_series_count(const pl_series *series) { return series->count; }
const char *pl_series_path(const pl_series *series) { return series->path; }

/* ---- a file for each frame ---- */

/* One more line in the list, in place: some file systems write a file that replaces another to the
 * disk at once, which costs more than the frame. */
static pl_status add_to_list(pl_series *series, const char *path, double time, pl_error *error)
{
  pl_text text = pl_text_make(&series->allocator);
  if (!series->list.end) pl_text_add(&text, list_head);
  pl_text_add(&text, "<DataSet timestep=\"");
  pl_text_number(&text, time);
  pl_text_add(&text, "\" part=\"0\" file=\"");
  pl_text_xml(&text, pl_path_name(path));
  pl_text_add(&text, "\"/>\n");
  pl_status status = pl_text_ok(&text, error);
  if (!status) status = pl_growing_add(&series->list, series->path, text.data, text.size, error);
  pl_text_release(&text);
  return status;
}

static pl_status add_file(pl_series *series, const pl_snapshot *snapshot, pl_error *error)
{
  char path[PATH_ROOM];
  pl_status status = frame_path(series, series->count, "", series->extension, path, error);
  if (!status) status = series->format->write(snapshot, path, series->values, error);
  return status || !series->format->list ? status
                                         : add_to_list(series, path, snapshot->time, error);
}

/* ---- pieces ---- */

int pl_series_is_divided(const pl_series *series)
{
  int place = series->format->pieces;
  return place && series->values[place - 1] > 0;
}

pl_status pl_series_add_piece(pl_series *series, const pl_snapshot *piece, int part,
                              pl_error *error)
{
  char path[PATH_ROOM], end[16];
  snprintf(end, sizeof end, "_%d", part);
  pl_status status = frame_path(series, series->count, end, series->extension, path, error);
  return status ? status : series->format->write(piece, path, series->values, error);
}

static pl_status write_pieces(const pl_series *series, const pl_snapshot *piece, const char *path,
                              int parts, pl_error *error)
{
  char name[PATH_ROOM];
  pl_text text = pl_text_make(&series->allocator);
  snprintf(name, sizeof name, "%s", pl_path_name(path));
  *strrchr(name, '.') = 0;
  pl_status status = pl_vtu_print_list(piece, name, parts, &text, error);
  if (!status) status = pl_file_write_frame(path, text.data, text.size, error);
  pl_text_release(&text);
  return status;
}

pl_status pl_series_add_list(pl_series *series, const pl_snapshot *piece, int part, int parts,
                             pl_error *error)
{
  char path[PATH_ROOM];
  pl_status status = frame_path(series, series->count, "", "pvtu", path, error);
  if (!status && part == 0) status = write_pieces(series, piece, path, parts, error);
  if (!status && part == 0) status = add_to_list(series, path, piece->time, error);
  if (status) return status;
  series->last = piece->time;
  series->count++;
  return PL_OK;
}

/* ---- one file for all ---- */

/* Keeps the points of a frame, and of the first one also the triangles. */
static pl_status keep_frame(pl_series *series, pl_hull *hull, double time, pl_error *error)
{
  if (!series->count) {
    series->triangles = hull->triangles;
    series->triangle_count = hull->triangle_count;
    series->point_count = hull->point_count;
    hull->triangles = NULL;
  }
  if (hull->point_count != series->point_count || hull->triangle_count != series->triangle_count)
    return pl_fail(error, PL_E_UNSUPPORTED,
                   "the surface of \"%.80s\" changes from %zu to %zu points, which %s files cannot "
                   "follow; write vtu",
                   series->name, series->point_count, hull->point_count, series->format->info.name);
  size_t frames = (size_t)series->count + 1, each = 3 * series->point_count;
  if (frames * each > MOST_BYTES / sizeof *series->positions)
    return pl_fail(
        error, PL_E_LIMIT,
        "%zu frames of %zu points are too many for a %s file; write fewer frames, or vtu", frames,
        series->point_count, series->format->info.name);
  void *times = series->times, *positions = series->positions;
  pl_status status =
      pl_reserve(&series->allocator, &times, &series->time_room, frames, sizeof *series->times);
  series->times = times;
  if (!status)
    status = pl_reserve(&series->allocator, &positions, &series->position_room, frames * each,
                        sizeof *series->positions);
  series->positions = positions;
  if (status) return pl_fail_memory(error);
  series->times[frames - 1] = time;
  float *to = series->positions + (frames - 1) * each;
  for (size_t i = 0; i < each; i++) to[i] = pl_hull_single(hull->points[i]);
  return PL_OK;
}

/* Finds where in the picture the corners lie, by their places at rest. */
static pl_status read_picture(pl_series *series, const pl_snapshot *snapshot, pl_error *error)
{
  pl_hull rest;
  pl_snapshot still = *snapshot;
  still.positions = NULL;
  pl_status status = pl_hull_of(&still, &series->allocator, &rest, error);
  if (status) return status;
  series->spots = pl_alloc(&series->allocator, 6 * rest.triangle_count, sizeof *series->spots);
  if (!series->spots) status = pl_fail_memory(error);
  if (!status)
    status = pl_texture_find(series->spots_path, rest.points, rest.triangles,
                             (int)rest.triangle_count, &series->allocator, series->spots, error);
  if (!status)
    status = pl_image_file_read(&series->allocator, series->image_path, &series->image, error);
  pl_hull_free(&rest);
  return status;
}

static pl_status add_to_reel(pl_series *series, const pl_snapshot *snapshot, pl_error *error)
{
  pl_hull hull;
  pl_status status = PL_OK;
  if (series->image_path && !series->spots) status = read_picture(series, snapshot, error);
  if (!status) status = pl_hull_of(snapshot, &series->allocator, &hull, error);
  if (status) return status;
  status = keep_frame(series, &hull, snapshot->time, error);
  pl_hull_free(&hull);
  return status;
}

pl_status pl_series_add(pl_series *series, const pl_snapshot *snapshot, pl_error *error)
{
  if (!isfinite(snapshot->time) || !(snapshot->time > series->last))
    return pl_fail(error, PL_E_ARGUMENT,
                   "a frame of a series needs a time behind that of the frame before; it is %g",
                   snapshot->time);
  pl_status status = series->format->append
                         ? series->format->append(&series->stream, snapshot, error)
                     : series->format->animate ? add_to_reel(series, snapshot, error)
                                               : add_file(series, snapshot, error);
  if (status) return status;
  series->last = snapshot->time;
  series->count++;
  return PL_OK;
}

static pl_reel reel_of(const pl_series *series)
{
  return (pl_reel){.name = series->name,
                   .point_count = (int)series->point_count,
                   .triangle_count = (int)series->triangle_count,
                   .frame_count = series->count,
                   .triangles = series->triangles,
                   .times = series->times,
                   .positions = series->positions,
                   .image = series->spots ? &series->image : NULL,
                   .spots = series->spots};
}

pl_status pl_series_finish(pl_series *series, pl_error *error)
{
  if (series->format->append) return series->format->complete(&series->stream, error);
  if (!series->format->animate || !series->count) return PL_OK;
  pl_reel reel = reel_of(series);
  return series->format->animate(&reel, series->path, series->values, error);
}

int pl_series_is_together(const pl_series *series)
{
  int place = series->format->together;
  return place && series->values[place - 1] > 0;
}

pl_status pl_series_finish_together(pl_series *const *series, int count, const char *path,
                                    pl_error *error)
{
  pl_allocator *allocator = count ? &series[0]->allocator : NULL;
  pl_reel *reels = count ? pl_alloc(allocator, (size_t)count, sizeof *reels) : NULL;
  if (!count) return PL_OK;
  if (!reels) return pl_fail_memory(error);
  int used = 0;
  for (int i = 0; i < count; i++) {
    if (!series[i]->count) continue;
    reels[used] = reel_of(series[i]);
    if (used) reels[used - 1].next = &reels[used];
    used++;
  }
  pl_status status =
      used ? series[0]->format->animate(reels, path, series[0]->values, error) : PL_OK;
  pl_free(allocator, reels);
  return status;
}
