/* What may stand in a scene: one row per attribute, one table per element. The reader, the
 * reference and the tests walk these tables; a family's members bring their own rows, so that a
 * new member needs no change here. */
#ifndef PL_SCENE_SCHEMA_H
#define PL_SCENE_SCHEMA_H

#include "pliant/base.h"

typedef struct pl_attribute pl_attribute;
typedef struct pl_element pl_element;

struct pl_attribute {
  pl_param param;     /* name, unit or form, one line; range, width and words of numbers */
  int required;       /* an error if it is missing                                       */
  const char *preset; /* what stands for a missing one, as in the file; NULL: nothing    */
  /* Checks the text; NULL: as the parameter says. */
  pl_status (*check)(const pl_attribute *self, const char *text, pl_error *error);
  /* The value names a member of this family (that accepts, if not NULL), or is the word also. */
  const pl_family *family;
  int (*accepts)(const pl_member *member);
  const char *also;
  int adopts;         /* that member's parameters are attributes of the element, too */
  const char *refers; /* the value is the name of an element of this kind */
};

struct pl_element {
  const char *name, *summary;
  const pl_family *family;           /* named like a member of it, with the member's parameters */
  const pl_attribute *attributes;    /* ends with an unnamed one */
  const pl_element *const *children; /* ends with NULL */
  int min_children;                  /* of any kind                                           */
  int min, max;        /* 0 or 1: how often it stands in its parent; most 0: any number */
  const char *missing; /* what to say if it stands there less often             */
};

extern const pl_element pl_scene_root;

/* The element's child of that name, NULL if it may have none. */
const pl_element *pl_element_child(const pl_element *element, const char *name);
/* The element anywhere below root that may have a child of that name. */
const pl_element *pl_element_parent_of(const pl_element *root, const char *name);

/* The row of that name among the element's own, NULL if there is none. */
const pl_attribute *pl_attribute_find(const pl_element *element, const char *name);

/* Fills at most most words with the names of the element's children, members included. */
int pl_child_words(const pl_element *element, const char **words, int max);

/* The value's text or the row's preset is a member's name: the member, NULL if there is none. */
const pl_member *pl_attribute_member(const pl_attribute *attribute, const char *text);

#endif
