/* Creases, measured curves and directions of the warp of a body that is a sheet. */
#ifndef PL_BODY_TAILORING_H
#define PL_BODY_TAILORING_H

#include "body/body.h"

/* Copies and checks them, in the model's numbers; to be released even if it fails. */
pl_status pl_tailoring_make(const pl_allocator *allocator, const pl_body_def *def, pl_body *body,
                            pl_error *error);
void pl_tailoring_release(const pl_allocator *allocator, pl_tailoring *of);

#endif
