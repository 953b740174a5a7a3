/* Frames and their list. */
#include "io/series.h"

#include "core/error.h"
#include "core/memory.h"
#include "io/vtu.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PATH_ROOM = 4096 };

struct pl_series {
  pl_allocator allocator;
  char *folder, *name;
  int count;
  pl_text frame, list; /* list holds the lines of all frames so far */
};

pl_status pl_series_create(const char *folder, const char *name, const pl_allocator *allocator,
                           pl_series **out, pl_error *error)
{
  *out = NULL;
  if (!name[0] || strchr(name, '/'))
    return pl_fail(error, PL_E_ARGUMENT, "\"%.80s\" cannot be the name of a series of files", name);
  pl_status status = pl_folder_make(folder, error);
  if (status) return status;
  pl_allocator own = pl_allocator_or_default(allocator);
  pl_series *series = pl_alloc(&own, 1, sizeof *series);
  if (!series) return pl_fail_memory(error);
  series->allocator = own;
  series->frame = pl_text_make(&own);
  series->list = pl_text_make(&own);
  series->folder = pl_strdup(&own, folder);
  series->name = pl_strdup(&own, name);
  if (!series->folder || !series->name) {
    pl_series_destroy(series);
    return pl_fail_memory(error);
  }
  *out = series;
  return PL_OK;
}

void pl_series_destroy(pl_series *series)
{
  if (!series) return;
  pl_allocator allocator = series->allocator;
  pl_text_release(&series->frame);
  pl_text_release(&series->list);
  pl_free(&allocator, series->folder);
  pl_free(&allocator, series->name);
  pl_free(&allocator, series);
}

int pl_series_count(const pl_series *series) { return series->count; }

/* Writes text to FOLDER/file. */
static pl_status write_file(const pl_series *series, const char *file, const pl_text *text,
                            pl_error *error)
{
  char path[PATH_ROOM];
  pl_status status = pl_text_ok(text, error);
  if (!status) status = pl_path_join(path, sizeof path, series->folder, file, error);
  return status ? status : pl_file_write(path, text->data, text->size, error);
}

static pl_status write_list(pl_series *series, pl_error *error)
{
  char file[PATH_ROOM];
  snprintf(file, sizeof file, "%s.pvd", series->name);
  pl_text *text = &series->frame;
  text->size = 0;
  pl_text_add(text, "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\">\n"
                    "<Collection>\n");
  pl_text_bytes(text, series->list.data, series->list.size);
  pl_text_add(text, "</Collection>\n</VTKFile>\n");
  return write_file(series, file, text, error);
}

pl_status pl_series_add(pl_series *series, const pl_snapshot *snapshot, pl_error *error)
{
  if (!isfinite(snapshot->time))
    return pl_fail(error, PL_E_ARGUMENT, "a frame of a series needs a time; it is %g",
                   snapshot->time);
  char file[PATH_ROOM];
  int length = snprintf(file, sizeof file, "%s_%06d.vtu", series->name, series->count);
  if (length < 0 || (size_t)length >= sizeof file)
    return pl_fail_at(error, PL_E_LIMIT, series->name, 0, "the path is too long");

  // the text keeps its memory from frame to frame, also after one that failed
  series->frame.size = 0;
  series->frame.failed = 0;
  pl_status status = pl_vtu_print(snapshot, PL_VTU_BASE64, &series->frame, error);
  if (!status) status = write_file(series, file, &series->frame, error);
  if (status) return status;
  size_t before = series->list.size;
  pl_text_add(&series->list, "<DataSet timestep=\"");
  pl_text_number(&series->list, snapshot->time);
  pl_text_add(&series->list, "\" part=\"0\" file=\"");
  pl_text_xml(&series->list, file);
  pl_text_add(&series->list, "\"/>\n");
  status = pl_text_ok(&series->list, error);
  if (!status) status = write_list(series, error);
  if (!status)
    series->count++;
  else
    series->list.size = before;
  series->list.failed = 0;
  return status;
}
