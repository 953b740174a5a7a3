/* What JavaScript calls of the package's module (npm/index.js has the face for users). A world is
 * one loaded scene; functions that can fail return 0 or NULL, or a status that is not 0, and leave
 * the error to world_error_*. */
#ifndef PL_WEB_WORLD_H
#define PL_WEB_WORLD_H

#include <stddef.h>

typedef struct world world;

void world_abandon(world *self);
const char *world_error_status(void);
const char *world_error_message(void);
const char *world_error_file(void);
int world_error_line(void);
void world_close(world *self);
world *world_open(const char *path);
int world_step(world *self, int count);
double world_time(const world *self);
double world_dt(const world *self);
double world_steps(const world *self);
const char *world_title(const world *self);
const char *world_hash(const world *self);
int world_vertices(const world *self);
int world_triangles(const world *self);
const int *world_triangle_data(const world *self);
const float *world_positions(world *self);
int world_parts(const world *self);
const char *world_part_name(const world *self, int part);
const int *world_part(const world *self, int part);
int world_grab(world *self, int triangle, double u, double v, double stiffness, double damping);
int world_drag(world *self, int pull, double x, double y, double z);
int world_release(world *self, int pull);
const double *world_read_pull(world *self, int pull);
size_t world_state_size(const world *self);
const void *world_save(world *self);
int world_load(world *self, const void *bytes, size_t size);

#endif
