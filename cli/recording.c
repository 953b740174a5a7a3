#include "recording.h"

#include "core/error.h"
#include "core/file.h"
#include "output.h"
#include "scene/folder.h"
#include "scene/pack.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const double usual_seconds = 0.04;
static const char scene_folder[] = "scene";

/* One write per state: a killed run leaves whole ones. */
static pl_status append(cli_tape *tape, const pl_text *text, pl_error *error)
{
  off_t end = lseek(tape->file, 0, SEEK_END);
  for (size_t done = 0; done < text->size;) {
    ssize_t now = write(tape->file, text->data + done, text->size - done);
    if (now < 0 && errno == EINTR) continue;
    if (now <= 0) {
      int reason = now < 0 ? errno : ENOSPC;
      if (ftruncate(tape->file, end)) reason = errno;
      return pl_fail_at(error, PL_E_IO, tape->path, 0, "cannot be written: %s", strerror(reason));
    }
    done += (size_t)now;
  }
  return PL_OK;
}

pl_status cli_tape_check(const pl_scene_def *def, const char *folder, pl_error *error)
{
  char recording[PATH_MAX], packed[PATH_MAX], copy[PATH_MAX];
  pl_status status = pl_path_join(recording, sizeof recording, folder, CLI_TAPE, error);
  if (!status) status = pl_path_join(packed, sizeof packed, folder, scene_folder, error);
  if (!status) status = pl_path_join(copy, sizeof copy, packed, pl_path_name(def->path), error);
  if (status) return status;
  struct stat given, there;
  if (stat(def->path, &given) == 0 && stat(copy, &there) == 0 && given.st_ino == there.st_ino &&
      given.st_dev == there.st_dev)
    return pl_fail_at(error, PL_E_IO, copy, 0,
                      "lies where the run's copy of the scene goes; choose another folder with -o");
  if (access(packed, F_OK) == 0 && access(recording, F_OK) != 0)
    return pl_fail_at(error, PL_E_IO, packed, 0,
                      "is no run's, and would be written over by the run's copy of the scene; "
                      "choose another folder with -o");
  return PL_OK;
}

pl_status cli_tape_open(cli_tape *tape, pl_scene *scene, const pl_scene_def *def,
                        const char *folder, pl_error *error)
{
  char packed[PATH_MAX], path[PATH_MAX];
  pl_status status = pl_path_join(tape->path, sizeof tape->path, folder, CLI_TAPE, error);
  if (!status) status = pl_path_join(packed, sizeof packed, folder, scene_folder, error);
  if (status) return status;
  tape->file = open(tape->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (tape->file < 0)
    return pl_fail_at(error, PL_E_IO, tape->path, 0, "cannot be written: %s", strerror(errno));
  status = pl_scene_pack(scene, def, packed, path, sizeof path, error);
  if (status) return status;
  // relative to the recording
  pl_text note = pl_text_make(NULL), text = pl_text_make(NULL);
  pl_text_add(&note, "%s/%s\n", scene_folder, pl_path_name(path));
  status = pl_text_ok(&note, error);
  if (!status) pl_recording_begin(&text, pl_scene_world(scene), note.data);
  if (!status) status = pl_text_ok(&text, error);
  tape->every = pl_scene_output_count(scene) ? pl_scene_output(scene, 0)->every : usual_seconds;
  if (!status) status = append(tape, &text, error);
  pl_text_release(&note);
  pl_text_release(&text);
  return status;
}

pl_status cli_tape_add(cli_tape *tape, const pl_world *world, pl_error *error)
{
  if (!cli_is_due(pl_world_time(world), tape->every, &tape->next)) return PL_OK;
  pl_text text = pl_text_make(NULL);
  pl_status status = pl_recording_add(&text, world, error);
  if (!status) status = append(tape, &text, error);
  pl_text_release(&text);
  return status;
}

void cli_tape_close(cli_tape *tape)
{
  if (tape->file >= 0) close(tape->file);
  tape->file = -1;
}

/* ---- reading ---- */

pl_status cli_tape_find_scene(const char *path, int allow_path, char *scene, size_t size,
                              pl_error *error)
{
  char folder[PATH_MAX], name[PATH_MAX];
  pl_recording *recording;
  pl_status status = pl_recording_open(path, NULL, &recording, error);
  if (status) return status;
  const char *note = pl_recording_note(recording);
  pl_print(name, sizeof name, "%.*s", (int)strcspn(note, "\n"), note);
  pl_recording_close(recording);
  if (!name[0])
    return pl_fail_at(error, PL_E_PARSE, path, 0,
                      "does not say which scene it is of; open the scene that begins with it");
  status = pl_path_folder(folder, sizeof folder, path, error);
  if (!status) status = pl_path_join(scene, size, folder, name, error);
  if (!status && access(scene, R_OK) != 0)
    status = pl_fail_at(error, PL_E_IO, path, 0,
                        "its scene %.200s is missing; keep a run's folder as a whole, or run the "
                        "scene again",
                        scene);
  if (!status && !allow_path) status = pl_path_confine(folder, scene, "recording's", name, error);
  return status ? pl_error_locate(error, status, path, 0) : PL_OK;
}
