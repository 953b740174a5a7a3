/* A scene for a shape: soft rubber that falls half its size on a floor. Length L of the shape sets
 * all other scales, so that a thimble and a tower deform alike: times go with sqrt(L / g),
 * stiffness with density g L. */
#include "quick_scene.h"

#include "core/error.h"
#include "core/file.h"
#include "core/text.h"
#include "io/format.h"
#include "io/glb.h"
#include "io/texture.h"
#include "scene/pack.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A surface with more points is left out: the elements' boundary is shown. Of large ones fewer
 * frames are written: no more than so many points in all of them, about 50 bytes each. */
enum { MOST_POINTS = 1000000, MOST_IN_FRAMES = 6000000 };

static const double GRAVITY = 9.81, DENSITY = 1000;

int cli_is_shape(const char *path)
{
  const pl_format_ops *format = pl_format_of(path, NULL);
  return format && (format->read || format->read_surface);
}

/* The box around what is in the file, and how many points a surface has. */
static pl_status find_bounds(const char *file, int is_surface, double low[3], double high[3],
                             int *points, pl_error *error)
{
  pl_status status;
  *points = 0;
  if (is_surface) {
    pl_skin *skin;
    status = pl_skin_read(file, NULL, NULL, &skin, error);
    if (status) return status;
    *points = skin->point_count;
    memcpy(low, skin->low, sizeof skin->low);
    memcpy(high, skin->high, sizeof skin->high);
    pl_skin_destroy(skin);
    return PL_OK;
  }
  pl_mesh *mesh;
  status = pl_mesh_read(file, NULL, &mesh, error);
  if (status) return status;
  pl_mesh_bounds(mesh, low, high);
  pl_mesh_destroy(mesh);
  return PL_OK;
}

/* Three numbers, of which only that along the axis is not 0. */
static void put_axis(pl_text *text, const char *name, int axis, double value)
{
  pl_text_add(text, " %s=\"", name);
  for (int k = 0; k < 3; k++) {
    pl_text_add(text, "%s", k ? " " : "");
    pl_text_number(text, k == axis ? value : 0);
  }
  pl_text_add(text, "\"");
}

static void put_number(pl_text *text, const char *name, double value)
{
  char number[32];
  pl_print(number, sizeof number, "%.4g", value);
  pl_text_add(text, " %s=\"%s\"", name, number);
}

static const char first_line[] =
    "<!-- Made by pliant run from a shape; change what you like and run it. -->";

/* A scene of that name that was not made here stays. */
static pl_status check_older(const char *path, pl_error *error)
{
  pl_allocator allocator = pl_allocator_default();
  pl_bytes bytes;
  if (access(path, F_OK) != 0) return PL_OK;
  pl_status status = pl_file_read(&allocator, path, 0, &bytes, error);
  if (status) return status;
  int is_ours = strncmp(bytes.data, first_line, sizeof first_line - 1) == 0;
  pl_bytes_free(&allocator, &bytes);
  return is_ours ? PL_OK
                 : pl_fail_at(error, PL_E_IO, path, 0,
                              "is a scene that the run of a shape would write over; choose another "
                              "folder with -o");
}

/* The elements, and as an animation the surface that follows them, if there is one. */
static void put_outputs(pl_text *text, int points, int axis, double moment)
{
  static const double every = 0.12, duration = 6;
  double min = duration * points / MOST_IN_FRAMES;
  pl_text_add(text, "  <output format=\"vtu\"%s", points ? " of=\"elements\"" : "");
  put_number(text, "every", every * moment);
  pl_text_add(text, "/>\n  <output format=\"glb\"");
  put_number(text, "every", fmax(every, min) * moment);
  pl_text_add(text, "%s/>\n", axis == 1 ? " up=\"y\"" : "");
}

/* points: of the surface as it is, which moves with the body and is what is seen; 0: none. */
static void put_scene(pl_text *text, const char *file, const char *picture, int is_surface,
                      int points, int axis, const double *low, const double *high)
{
  double length = 0;
  for (int k = 0; k < 3; k++) length = fmax(length, high[k] - low[k]);
  double moment = sqrt(length / GRAVITY), floor = low[axis] - 0.5 * length;
  pl_text_add(text, "%s\n<pliant title=\"", first_line);
  pl_text_xml(text, pl_path_name(file));
  pl_text_add(text, "\">\n  <world");
  put_number(text, "dt", 0.04 * moment);
  put_number(text, "duration", 6 * moment);
  put_axis(text, "gravity", axis, -GRAVITY);
  pl_text_add(text,
              "/>\n  <integrator method=\"implicit-euler\"/>\n  <solver tolerance=\"1e-4\"/>\n"
              "  <material name=\"rubber\" poisson=\"0.4\"");
  put_number(text, "density", DENSITY);
  put_number(text, "young", 60 * DENSITY * GRAVITY * length);
  put_number(text, "stiffness-damping", 0.01 * moment);
  pl_text_add(text, "/>\n  <mesh name=\"shape\" file=\"");
  pl_text_xml(text, file);
  pl_text_add(text, "\"%s/>\n", is_surface ? " elements=\"4000\"" : "");
  if (points) {
    pl_text_add(text, "  <mesh name=\"skin\" kind=\"surface\" file=\"");
    pl_text_xml(text, file);
    pl_text_add(text, "\"/>\n");
  }
  pl_text_add(text,
              "  <body name=\"body\" mesh=\"shape\" material=\"rubber\" strain=\"corotated\"%s",
              points ? " surface=\"skin\"" : "");
  if (points && picture[0]) {
    pl_text_add(text, " texture=\"");
    pl_text_xml(text, picture);
    pl_text_add(text, "\"");
  }
  pl_text_add(text, "/>\n  <obstacle name=\"floor\" shape=\"plane\" friction=\"0.5\"");
  put_axis(text, "point", axis, floor);
  put_axis(text, "normal", axis, 1);
  pl_text_add(text, "/>\n  <probe name=\"volume\" quantity=\"volume\"/>\n");
  put_outputs(text, points, axis, moment);
  pl_text_add(text, "  <view direction=\"%s\"",
              axis == 2 ? "1 -2 0.8"
              : axis    ? "1 0.8 2"
                        : "0.8 1 2");
  put_axis(text, "up", axis, 1);
  pl_text_add(text, "/>\n</pliant>\n");
}

/* How the scene calls the shape's file: a copy beside it, or the whole path. */
static pl_status name_shape(const cli_first *first, pl_text *name, pl_error *error)
{
  char folder[PATH_MAX];
  if (!first->copies) {
    char *full = realpath(first->file, NULL);
    pl_text_add(name, "%s", full ? full : first->file);
    free(full);
    return pl_text_ok(name, error);
  }
  pl_text_add(name, "shape/%s", pl_path_name(first->file));
  pl_status status = pl_path_join(folder, sizeof folder, first->folder, "shape", error);
  if (!status) status = pl_folder_make(folder, error);
  if (!status) status = pl_pack_file(folder, first->file, pl_path_name(first->file), error);
  return status ? status : pl_text_ok(name, error);
}

/* The picture that a .glb file carries goes beside the copy of the file, as shape/NAME.png or .jpg;
 * one that is of no use is left out. */
static pl_status unpack_picture(const cli_first *first, char *name, size_t size, pl_error *error)
{
  pl_allocator allocator = pl_allocator_default();
  pl_source source = {.path = first->file, .allocator = &allocator};
  const char *data;
  char path[PATH_MAX];
  size_t bytes;
  name[0] = 0;
  if (!first->copies || strcmp(pl_path_extension(first->file), "glb") != 0) return PL_OK;
  pl_status status = pl_file_read(&allocator, first->file, 0, &source.file, error);
  if (status) return status;
  status = pl_glb_image(&source, &data, &bytes, error);
  if (!status && bytes > 4) {
    pl_print(name, size, "shape/%.200s.%s", pl_path_name(first->file),
             data[0] == '\x89' ? "png" : "jpg");
    status = pl_path_join(path, sizeof path, first->folder, name, error);
    if (!status) status = pl_file_write(path, data, bytes, error);
    pl_bytes image;
    if (!status && pl_image_file_read(&allocator, path, &image, NULL) == PL_OK)
      pl_bytes_free(&allocator, &image);
    else
      name[0] = 0;
  }
  pl_bytes_free(&allocator, &source.file);
  return status;
}

/* Makes the scene's text and writes it. */
static pl_status write_scene(const cli_first *first, const char *path, int is_surface, int points,
                             const double *low, const double *high, pl_error *error)
{
  pl_text text = pl_text_make(NULL), name = pl_text_make(NULL);
  pl_status status = name_shape(first, &name, error);
  char picture[256];
  if (!status) status = unpack_picture(first, picture, sizeof picture, error);
  if (!status)
    put_scene(&text, name.data, picture, is_surface, points, *first->up - 'x', low, high);
  if (!status) status = pl_text_ok(&text, error);
  if (!status) status = pl_file_write(path, text.data, text.size, error);
  pl_text_release(&text);
  pl_text_release(&name);
  return status;
}

pl_status cli_first_scene(const cli_first *first, char *path, size_t size, pl_error *error)
{
  const pl_format_ops *format = pl_format_of(first->file, error);
  if (!format) return PL_E_ARGUMENT;
  if (strlen(first->up) != 1 || *first->up < 'x' || *first->up > 'z')
    return pl_fail(error, PL_E_ARGUMENT, "--up %s: x, y or z is needed", first->up);
  double low[3], high[3];
  int points, is_surface = format->read_surface != NULL;
  pl_status status = find_bounds(first->file, is_surface, low, high, &points, error);
  if (!status) status = pl_path_join(path, size, first->folder, "scene.xml", error);
  if (!status) status = check_older(path, error);
  if (!status)
    status =
        write_scene(first, path, is_surface, points <= MOST_POINTS ? points : 0, low, high, error);
  return status;
}
