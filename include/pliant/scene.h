/* Scenes: an XML file that describes a world, what to watch and what to write. */
#ifndef PLIANT_SCENE_H
#define PLIANT_SCENE_H

#include "pliant/haptic.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pl_scene pl_scene;

typedef struct pl_scene_def {
  const char *path;
  /* Changes to the file's values before it is read, "world.dt=0.005" or
   * "material[rubber].young=2e5": element, name in brackets where there are several, attribute,
   * value. */
  const char *const *changes;
  int change_count;
  int threads;            /* as in pl_world_def */
  const char *cache;      /* as in pl_world_def */
  struct pl_ranks *ranks; /* as in pl_world_def */
  int allow_any_path;     /* 0: mesh files must lie below the scene's folder */
  pl_allocator allocator;
  pl_log log;
  /* Called for every error of the file, not only the first; may be NULL. */
  void (*report)(void *context, const pl_error *error);
  void *report_context;
  uint32_t cookie;
} pl_scene_def;

PL_API pl_scene_def pl_scene_def_default(void);

/* Reads and checks a scene and builds its world. */
PL_API pl_status pl_scene_load(const pl_scene_def *def, pl_scene **scene, pl_error *error);
PL_API void pl_scene_destroy(pl_scene *scene);

PL_API pl_world *pl_scene_world(pl_scene *scene);
/* The hand that feels its bodies; NULL if it has none. */
PL_API pl_haptic *pl_scene_hand(pl_scene *scene);
/* One step of its world, with the hand at it. */
PL_API pl_status pl_scene_step(pl_scene *scene, pl_error *error);
PL_API const char *pl_scene_title(const pl_scene *scene);
PL_API double pl_scene_duration(const pl_scene *scene); /* s */
/* Are its steps to keep step with the clock of the machine? */
PL_API int pl_scene_is_real_time(const pl_scene *scene);

/* One <output>: a time series of frames. */
typedef struct pl_output {
  double every;       /* s between frames */
  const char *format; /* a member of the format family that can be written, "" for no frames */
  const pl_setting *settings; /* of that member's parameters */
  int setting_count;
  /* Of a body with a surface that follows: leave out its elements? The surface? */
  int leaves_elements, leaves_surface;
  int has_tensors; /* F, strain, stress, principal stresses and energy density of elements as well
                    */
} pl_output;

PL_API int pl_scene_output_count(const pl_scene *scene);
PL_API const pl_output *pl_scene_output(const pl_scene *scene, int index);

/* How the picture of the last frame looks: from where, what is up, what the colours show. */
typedef struct pl_view {
  double direction[3]; /* from the bodies towards the eye */
  double up[3];
  const char *colour; /* "none", "von-mises", "displacement", "volume-ratio" */
  const char *glyphs; /* "none", "frames", "stress", "strain", "fibres", "forces", "fixes" */
} pl_view;

PL_API const pl_view *pl_scene_view(const pl_scene *scene);

/* A checksum of everything that the public headers declare. Bindings of other languages keep a copy
 * of it (python/pliant/declarations.cdef) and refuse a library that was built from others. */
PL_API const char *pl_declarations(void);

#ifdef __cplusplus
}
#endif
#endif
