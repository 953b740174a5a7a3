/* Short forms of the rows of the scene's tables. */
#ifndef PL_SCENE_SCHEMA_ROWS_H
#define PL_SCENE_SCHEMA_ROWS_H

#include "scene/schema.h"
#include "scene/value.h"

#define FAR 1e9 /* the farthest place and the largest length, m */

// one row each; the text of a preset is what a user would write
#define NUMBER(NAME, UNIT, SUMMARY, LEAST, MOST, PRESET)                                           \
  {                                                                                                \
    .param = {NAME, UNIT, SUMMARY, 0, LEAST, MOST, NULL, 1}, .preset = PRESET                      \
  }
#define VECTOR(NAME, UNIT, SUMMARY, MOST, PRESET)                                                  \
  {                                                                                                \
    .param = {NAME, UNIT, SUMMARY, 0, -(MOST), MOST, NULL, 3}, .preset = PRESET                    \
  }
#define DIRECTION(NAME, SUMMARY, PRESET)                                                           \
  {                                                                                                \
    .param = {NAME, "1", SUMMARY, 0, -FAR, FAR, NULL, 3}, .preset = PRESET,                        \
    .check = pl_check_direction                                                                    \
  }
#define TEXT(NAME, FORM, SUMMARY, REQUIRED, CHECK)                                                 \
  {                                                                                                \
    .param = {.name = NAME, .unit = FORM, .summary = SUMMARY}, .required = REQUIRED,               \
    .check = CHECK                                                                                 \
  }
#define REFERENCE(NAME, SUMMARY, REQUIRED)                                                         \
  {                                                                                                \
    .param = {.name = NAME, .unit = "name", .summary = SUMMARY}, .required = REQUIRED,             \
    .check = pl_check_text, .refers = NAME                                                         \
  }
#define MEMBER(NAME, SUMMARY, FAMILY)                                                              \
  {                                                                                                \
    .param = {.name = NAME, .unit = "word", .summary = SUMMARY}, .check = pl_check_member,         \
    .family = &FAMILY, .adopts = 1                                                                 \
  }
#define END                                                                                        \
  {                                                                                                \
    .param = {.name = NULL }                                                                       \
  }

extern const pl_element pl_schema_body, pl_schema_obstacle, pl_schema_contact, pl_schema_hand,
    pl_schema_guide;

#endif
