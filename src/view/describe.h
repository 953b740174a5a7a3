/* The text messages to a page, in JSON: what there is to choose from, and how it is set. */
#ifndef PL_VIEW_DESCRIBE_H
#define PL_VIEW_DESCRIBE_H

#include "view/session_parts.h"

/* Each starts its message from empty, except for what stands in between. */
void pl_describe_scene(pl_text *out, const pl_session *session);
void pl_describe_state(pl_text *out, const pl_session *session);
void pl_describe_notices(pl_text *out, const pl_session *session);
void pl_describe_begin_errors(pl_text *out, uint32_t number, const char *file);
void pl_describe_error(pl_text *out, int before, const pl_error *error);
void pl_describe_end_errors(pl_text *out);

/* The numbers of a material that do not belong to its law, by the names of the scene's table. */
double *pl_material_number(pl_material_def *def, const char *name);
/* Those of contact between bodies, and of an obstacle's surface; NULL: there is none. */
double *pl_contact_number(pl_contact_def *def, const char *name);
struct pl_obstacle;
double *pl_obstacle_number(struct pl_obstacle *of, const char *name);

#endif
