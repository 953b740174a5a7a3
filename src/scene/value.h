/* Values of attributes that are more than numbers: how they are checked and read. */
#ifndef PL_SCENE_VALUE_H
#define PL_SCENE_VALUE_H

#include "scene/schema.h"

/* For a row's check. */
pl_status pl_check_text(const pl_attribute *self, const char *text, pl_error *error);
pl_status pl_check_name(const pl_attribute *self, const char *text, pl_error *error);
pl_status pl_check_member(const pl_attribute *self, const char *text, pl_error *error);
pl_status pl_check_axes(const pl_attribute *self, const char *text, pl_error *error);
pl_status pl_check_ramp(const pl_attribute *self, const char *text, pl_error *error);
pl_status pl_check_direction(const pl_attribute *self, const char *text, pl_error *error);

/* "0 0, 0.5 1": pairs of time and factor, times ascending. Fills at most room pairs and counts all
 * of them. */
pl_status pl_parse_ramp(const char *text, int room, double *times, double *factors, int *count,
                        pl_error *error);
/* "0.3 0.05 0.2 1": pairs of a share and a time, which commas may separate. Fills at most room
 * pairs and counts all of them. */
pl_status pl_parse_prony(const char *text, int room, double *shares, double *times, int *count,
                         pl_error *error);
pl_status pl_check_prony(const pl_attribute *self, const char *text, pl_error *error);
/* "xz": held[i] is 1 for the axes in the text. */
pl_status pl_parse_axes(const char *text, int held[3], pl_error *error);

#endif
