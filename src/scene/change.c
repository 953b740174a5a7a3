/* Changes to a scene's values before it is read: "body[bar].fix.axes=xy". Elements are named from
 * the root's children inwards; in brackets stands the name of one, or its place among its like,
 * counted from 1; the last word is the attribute. An element that may stand there once, and does
 * not, is added. */
#include "core/error.h"
#include "core/family.h"
#include "core/text.h"
#include "scene/reader.h"
#include "scene/schema.h"

#include <stdio.h>
#include <string.h>

enum { PATH_ROOM = 512, MOST_WORDS = 64 };

/* One step of a path: "body[bar]". */
typedef struct step {
  char *element;
  char *key; /* NULL: no brackets */
} step;

/* Takes the next step off the path; *path becomes NULL behind the last. */
static int take_step(char **path, step *out)
{
  char *text = *path;
  size_t length = strcspn(text, ".[");
  *out = (step){text, NULL};
  char *rest = text + length;
  if (*rest == '[') {
    *rest++ = 0;
    out->key = rest;
    rest = strchr(rest, ']');
    if (!rest || !*out->key) return 0;
    *rest++ = 0;
  }
  if (*rest && *rest != '.') return 0;
  *path = *rest ? rest + 1 : NULL;
  *rest = 0;
  return length > 0;
}

/* Does the key fit the child, which is the place-th of its like? */
static int key_fits(const pl_xml_node *child, const char *key, int place)
{
  const char *name = pl_xml_attribute(child, "name");
  if (name && strcmp(name, key) == 0) return 1;
  int64_t number;
  return !name && pl_parse_int(key, &number) && number == place;
}

static pl_status fail_missing(const pl_xml_node *parent, const step *wanted, pl_error *error)
{
  const char *words[MOST_WORDS + 1] = {0};
  int count = 0, same = 0;
  for (const pl_xml_node *child = pl_xml_child(parent, NULL); child;
       child = pl_xml_next(child, NULL)) {
    same += strcmp(pl_xml_name(child), wanted->element) == 0;
    if (count < MOST_WORDS) words[count++] = pl_xml_name(child);
  }
  if (!same) return pl_fail_unknown(error, "element", wanted->element, words);

  count = 0;
  memset(words, 0, sizeof words);
  for (const pl_xml_node *child = pl_xml_child(parent, wanted->element); child;
       child = pl_xml_next(child, wanted->element)) {
    const char *name = pl_xml_attribute(child, "name");
    if (name && count < MOST_WORDS) words[count++] = name;
  }
  if (count) return pl_fail_unknown(error, wanted->element, wanted->key, words);
  return pl_fail(error, PL_E_ARGUMENT, "there is no <%.80s> number \"%.40s\"; there are %d",
                 wanted->element, wanted->key, same);
}

/* The wanted child of parent, which may hold what the schema says. */
static pl_status find_child(pl_xml_node *parent, const pl_element *schema, const step *wanted,
                            pl_xml_node **out, pl_error *error)
{
  int place = 0, matches = 0;
  for (pl_xml_node *child = pl_xml_child(parent, wanted->element); child;
       child = pl_xml_next(child, wanted->element)) {
    place++;
    if (wanted->key && !key_fits(child, wanted->key, place)) continue;
    if (matches++ == 0) *out = child;
  }
  if (matches == 1) return PL_OK;
  const pl_element *kind = schema ? pl_element_child(schema, wanted->element) : NULL;
  if (!matches && !wanted->key && kind && kind->max == 1)
    return pl_xml_add(parent, wanted->element, out, error);
  if (!matches) return fail_missing(parent, wanted, error);
  const char *name = pl_xml_attribute(*out, "name");
  return pl_fail(error, PL_E_ARGUMENT, "%d elements <%.80s> fit; say which one, as in %.80s[%.80s]",
                 matches, wanted->element, wanted->element, name && !wanted->key ? name : "1");
}

/* The value begins behind the first '=' that is not in brackets. */
static const char *find_value(const char *change)
{
  int depth = 0;
  for (; *change; change++) {
    if (*change == '[') depth = 1;
    if (*change == ']') depth = 0;
    if (*change == '=' && !depth) return change;
  }
  return NULL;
}

pl_status pl_scene_change(pl_xml_node *root, const char *change, pl_error *error)
{
  const char *equals = find_value(change);
  char path[PATH_ROOM];
  size_t length = equals ? (size_t)(equals - change) : 0;
  if (!length || length >= sizeof path)
    return pl_fail(error, PL_E_ARGUMENT, "must read element.attribute=value");
  memcpy(path, change, length);
  path[length] = 0;

  pl_xml_node *node = root;
  const pl_element *schema = &pl_scene_root;
  step next;
  char *rest = path;
  for (int depth = 0; take_step(&rest, &next); depth++) {
    if (!rest && depth > 0 && !next.key) return pl_xml_set(node, next.element, equals + 1, error);
    if (!rest) break;
    // the root may be named, for its own attributes
    if (depth == 0 && strcmp(next.element, pl_xml_name(root)) == 0 && !next.key) continue;
    pl_status status = find_child(node, schema, &next, &node, error);
    if (status) return status;
    schema = schema ? pl_element_child(schema, next.element) : NULL;
  }
  return pl_fail(error, PL_E_ARGUMENT,
                 "must read element.attribute=value or element[name].attribute=value");
}

void pl_reader_change(pl_reader *reader)
{
  pl_xml_node *root = pl_xml_root(reader->document);
  for (int i = 0; i < reader->def->change_count; i++) {
    const char *change = reader->def->changes[i];
    pl_error error, shown;
    if (!pl_scene_change(root, change, &error)) continue;
    pl_fail(&shown, error.code, "change \"%.120s\": %s", change, error.message);
    pl_reader_report(reader, &shown);
  }
}
