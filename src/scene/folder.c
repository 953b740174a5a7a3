/* A scene may name files below its own folder only: one that came by mail cannot read others. */
#include "scene/folder.h"

#include "core/error.h"
#include "core/file.h"
#include "io/format.h"
#include "scene/reader.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static const char scenes[] = "scene's";

/* Follows links; the path must exist. The C library's memory is returned: free it. */
static pl_status resolve(const char *path, char **real, pl_error *error)
{
  *real = realpath(path, NULL);
  if (*real) return PL_OK;
  if (errno == ENOMEM) return pl_fail_memory(error);
  return pl_fail_at(error, PL_E_IO, path, 0, "cannot be opened: %s", strerror(errno));
}

static int lies_below(const char *folder, const char *path)
{
  size_t length = strlen(folder);
  if (strcmp(folder, "/") == 0) return 1;
  return strncmp(path, folder, length) == 0 && path[length] == '/';
}

pl_status pl_path_confine(const char *folder, const char *path, const char *what, const char *file,
                          pl_error *error)
{
  char *real_folder = NULL, *real_path = NULL;
  pl_status status = resolve(folder, &real_folder, error);
  if (!status) status = resolve(path, &real_path, error);
  if (!status && !lies_below(real_folder, real_path))
    status = pl_fail(error, PL_E_ARGUMENT,
                     "file = \"%.120s\" lies outside of the %s folder; "
                     "move it there or allow it with --allow-path",
                     file, what);
  free(real_folder);
  free(real_path);
  return status;
}

/* Files of the same name that a format reads along ("bar.ele" beside "bar.node"). */
static pl_status check_siblings(const char *folder, const char *path, const char *file,
                                pl_error *error)
{
  const pl_format_ops *format = pl_format_of(path, NULL);
  size_t stem = strlen(path) - strlen(pl_path_extension(path));
  char sibling[PATH_MAX];
  for (const char *word = format ? format->extensions : ""; *word;) {
    size_t length = strcspn(word, "|");
    if (stem + length < sizeof sibling) {
      memcpy(sibling, path, stem);
      memcpy(sibling + stem, word, length);
      sibling[stem + length] = 0;
      char *real = realpath(sibling, NULL);
      free(real);
      pl_status status = real ? pl_path_confine(folder, sibling, scenes, file, error) : PL_OK;
      if (status) return status;
    }
    word += length + (word[length] == '|');
  }
  return PL_OK;
}

pl_status pl_scene_path(const pl_scene_def *def, const char *file, char *path, size_t size,
                        pl_error *error)
{
  char folder[PATH_MAX];
  pl_status status = pl_path_folder(folder, sizeof folder, def->path, error);
  int is_bare = strcmp(folder, ".") == 0;
  if (!status) status = pl_path_join(path, size, is_bare ? "" : folder, file, error);
  if (status || def->allow_any_path) return status;
  status = pl_path_confine(folder, path, scenes, file, error);
  return status ? status : check_siblings(folder, path, file, error);
}
