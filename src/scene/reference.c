/* The scene reference in Markdown, from the tables that the reader uses. */
#include "core/family.h"
#include "scene/scene.h"
#include "scene/schema.h"

#include <math.h>
#include <string.h>

enum { MOST_ELEMENTS = 64, MOST_FAMILIES = 32 };

/* What is written, in this order. */
typedef struct writer {
  pl_text *out;
  const pl_element *elements[MOST_ELEMENTS];
  int element_count;
  const pl_family *families[MOST_FAMILIES];
  int family_count;
} writer;

static int is_new_family(writer *to, const pl_family *family)
{
  for (int i = 0; i < to->family_count; i++) {
    if (to->families[i] == family) return 0;
  }
  if (to->family_count < MOST_FAMILIES) to->families[to->family_count++] = family;
  return 1;
}

/* Elements are written in the order in which they are first met. */
static void enqueue(writer *to, const pl_element *element)
{
  for (int i = 0; i < to->element_count; i++) {
    if (to->elements[i] == element) return;
  }
  if (to->element_count < MOST_ELEMENTS) to->elements[to->element_count++] = element;
}

/* ---- rows ---- */

static void write_head(pl_text *out)
{
  pl_text_add(out, "\n| attribute | unit | default | values | meaning |\n|---|---|---|---|---|\n");
}

static void write_words(pl_text *out, const char *words)
{
  for (int i = 0; *words; i++) {
    size_t length = strcspn(words, "|");
    pl_text_add(out, "%s`%.*s`", i ? ", " : "", (int)length, words);
    words += length + (words[length] == '|');
  }
}

static void write_range(pl_text *out, const pl_param *param)
{
  if (param->words) {
    write_words(out, param->words);
    return;
  }
  if (pl_param_width(param) > 1) pl_text_add(out, "%d numbers, ", pl_param_width(param));
  pl_text_add(out, "%g to %g", param->min, param->max);
}

/* The preset of a member's parameter is a number, or a word's place. */
static void write_preset(pl_text *out, const pl_param *param)
{
  const char *word = param->words;
  if (word) {
    for (int i = 0; i < (int)param->preset; i++) word += strcspn(word, "|") + 1;
    pl_text_add(out, "`%.*s`", (int)strcspn(word, "|"), word);
    return;
  }
  if (isnan(param->preset)) return;
  for (int i = 0; i < pl_param_width(param); i++) pl_text_add(out, i ? " %g" : "%g", param->preset);
}

static void write_param(pl_text *out, const pl_param *param)
{
  pl_text_add(out, "| `%s` | %s | ", param->name, param->words ? "word" : param->unit);
  write_preset(out, param);
  pl_text_add(out, " | ");
  write_range(out, param);
  pl_text_add(out, " | %s |\n", param->summary);
}

static void write_values(pl_text *out, const pl_attribute *row)
{
  int used = 0;
  if (row->refers) {
    pl_text_add(out, "name of a `<%s>`", row->refers);
  } else if (row->family) {
    for (int i = 0; row->family->members[i]; i++) {
      const pl_member *member = row->family->members[i];
      if (row->accepts && !row->accepts(member)) continue;
      pl_text_add(out, "%s`%s`", used++ ? ", " : "", member->name);
    }
    if (row->also) pl_text_add(out, "%s`%s`", used ? ", " : "", row->also);
  } else if (row->param.words || row->param.max > row->param.min) {
    write_range(out, &row->param);
  }
}

static void write_attribute(pl_text *out, const pl_attribute *row)
{
  const char *preset = row->preset;
  if (!preset && row->adopts) preset = row->family->members[0]->name;
  pl_text_add(out, "| `%s` | %s | ", row->param.name, row->param.unit);
  if (row->required)
    pl_text_add(out, "needed");
  else if (preset)
    pl_text_add(out, "`%s`", preset);
  pl_text_add(out, " | ");
  write_values(out, row);
  pl_text_add(out, " | %s |\n", row->param.summary);
}

/* ---- families ---- */

static void write_member(pl_text *out, const pl_member *member)
{
  pl_text_add(out, "%s", member->summary);
  if (member->source && member->source[0]) pl_text_add(out, " (%s)", member->source);
  pl_text_add(out, "\n");
  if (!member->param_count) return;
  write_head(out);
  for (int i = 0; i < member->param_count; i++) write_param(out, &member->params[i]);
}

/* The members that an attribute can name, with the attributes that they bring along. */
static void write_choices(writer *to, const pl_attribute *row)
{
  int is_new = is_new_family(to, row->family);
  for (int i = 0; row->family->members[i] && is_new; i++) {
    pl_member member = *row->family->members[i];
    if (row->accepts && !row->accepts(row->family->members[i])) continue;
    if (!row->adopts) member.param_count = 0;
    pl_text_add(to->out, "\n**`%s=\"%s\"`**: ", row->param.name, member.name);
    write_member(to->out, &member);
  }
}

/* ---- elements ---- */

static const char *how_many(const pl_element *element)
{
  if (element->min) return element->max ? "Needed, once." : "Needed, once or more.";
  return element->max ? "At most once." : "Any number.";
}

static void write_children(pl_text *out, const pl_element *element)
{
  const char *words[MOST_ELEMENTS];
  int count = pl_child_words(element, words, MOST_ELEMENTS);
  if (!count) return;
  pl_text_add(out, element->min_children ? "\nInside, at least one of" : "\nInside:");
  for (int i = 0; i < count; i++) pl_text_add(out, "%s `<%s>`", i ? "," : "", words[i]);
  pl_text_add(out, ".\n");
}

/* An element that is named like a member: one part per member. */
static void write_named(writer *to, const pl_element *element)
{
  pl_text *out = to->out;
  is_new_family(to, element->family);
  for (int i = 0; element->family->members[i]; i++) {
    pl_text_add(out, "\n### `<%s>`\n\n", element->family->members[i]->name);
    write_member(out, element->family->members[i]);
  }
}

static void write_element(writer *to, const pl_element *element)
{
  pl_text *out = to->out;
  pl_text_add(out, element->family ? "\n## Any %s\n\n" : "\n## `<%s>`\n\n", element->name);
  pl_text_add(out, "%s %s\n", element->summary, how_many(element));
  if (element->attributes->param.name) write_head(out);
  for (const pl_attribute *row = element->attributes; row->param.name; row++)
    write_attribute(out, row);
  write_children(out, element);
  for (const pl_attribute *row = element->attributes; row->param.name; row++) {
    if (row->family) write_choices(to, row);
  }
  if (element->family) write_named(to, element);
  for (int i = 0; element->children && element->children[i]; i++) enqueue(to, element->children[i]);
}

static const char preface[] =
    "# Scene reference\n\n"
    "This page is made by `pliant list --markdown` from the tables that read scenes; change "
    "those.\n"
    "\n"
    "A scene is an XML file. Units are SI; three numbers are separated by blanks; an element or "
    "attribute that is not listed here is an error. Mesh files are named relative to the scene's "
    "folder and must lie below it, unless `--allow-path` is given.\n\n"
    "`--set PATH=VALUE` changes a value before the scene is read. The path names elements from the "
    "outside in, with the name of one in brackets where there are several (or its number, for "
    "elements without a name), and ends with the attribute: `world.dt=0.005`, "
    "`material[rubber].young=2e5`, `mesh[bar].box.cells=20 5 5`, `body[bar].fix[2].axes=xy`.\n";

void pl_scene_reference(pl_text *out)
{
  writer to = {.out = out};
  pl_text_add(out, "%s", preface);
  enqueue(&to, &pl_scene_root);
  for (int i = 0; i < to.element_count; i++) write_element(&to, to.elements[i]);

  // families whose members are words of other members' parameters
  for (int i = 0; pl_families()[i]; i++) {
    const pl_family *family = pl_families()[i];
    if (!is_new_family(&to, family)) continue;
    pl_text_add(out, "\n## Any %s\n\n%s\n", family->name, family->summary);
    for (int k = 0; family->members[k]; k++) {
      pl_text_add(out, "\n**`%s`**: ", family->members[k]->name);
      write_member(out, family->members[k]);
    }
  }
}
