/* Walks the XML document beside the tables of the schema and reports all that does not fit. */
#include "scene/reader.h"

#include "core/error.h"
#include "core/family.h"
#include "core/memory.h"
#include "core/text.h"
#include "scene/edm.h"
#include "scene/value.h"
#include "scene/virtis.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_WORDS = 128, MOST_ERRORS = 200, LABEL_ROOM = 320 };

/* ---- errors ---- */

static void hand_over(pl_reader *reader, pl_error *error)
{
  // a message is one line, whatever the file has put into it
  for (char *c = error->message; *c; c++) {
    if ((unsigned char)*c < 32) *c = ' ';
  }
  pl_error_locate(error, error->code, reader->def->path, 0);
  if (reader->error_count++ == 0) reader->first = *error;
  if (reader->def->report) reader->def->report(reader->def->report_context, error);
}

void pl_reader_report(pl_reader *reader, const pl_error *error)
{
  if (reader->stopped) return;
  pl_error shown = *error;
  hand_over(reader, &shown);
  if (error->code == PL_E_MEMORY) reader->stopped = 1;
  if (reader->error_count < MOST_ERRORS) return;
  reader->stopped = 1;
  pl_fail(&shown, PL_E_LIMIT, "has %d errors so far; the rest of it was not looked at",
          MOST_ERRORS);
  hand_over(reader, &shown);
}

void pl_reader_report_memory(pl_reader *reader)
{
  pl_error error;
  pl_fail_memory(&error);
  pl_reader_report(reader, &error);
}

/* 'body "bar", fix': the item and those around it, without the root. */
static void label_item(const pl_reader *reader, int index, char *label, size_t size)
{
  const pl_item *item = &reader->items[index];
  if (item->parent < 0) {
    *label = 0;
    return;
  }
  label_item(reader, item->parent, label, size);
  size_t used = strlen(label);
  const char *name = pl_item_name(item);
  snprintf(label + used, size - used, name ? "%s%s \"%.80s\"" : "%s%s", used ? ", " : "",
           pl_xml_name(item->node), name);
}

void pl_reader_report_at(pl_reader *reader, int index, const pl_error *error)
{
  char label[LABEL_ROOM], text[sizeof error->source + sizeof error->message + 16];
  label_item(reader, index, label, sizeof label);
  pl_error_text(error, text, sizeof text);
  pl_error shown = *error;
  pl_fail_at(&shown, error->code, reader->def->path, pl_xml_line(reader->items[index].node),
             "%s%s%s", label, *label ? ": " : "", text);
  shown.entity = error->entity;
  reader->items[index].bad = 1;
  pl_reader_report(reader, &shown);
}

int pl_reader_failed(pl_reader *reader, int item, pl_status status, const pl_error *error)
{
  if (status) pl_reader_report_at(reader, item, error);
  return status != PL_OK;
}

/* ---- memory ---- */

void *pl_reader_alloc(pl_reader *reader, size_t count, size_t size)
{
  const pl_allocator *allocator = &reader->def->allocator;
  void *list = reader->scratch, *memory = NULL;
  if (!pl_reserve(allocator, &list, &reader->scratch_room, reader->scratch_count + 1,
                  sizeof *reader->scratch)) {
    reader->scratch = list;
    memory = pl_alloc(allocator, count, size);
  }
  if (memory)
    reader->scratch[reader->scratch_count++] = memory;
  else
    pl_reader_report_memory(reader);
  return memory;
}

/* ---- items ---- */

static int add_item(pl_reader *reader, const pl_element *element, pl_xml_node *node, int parent)
{
  void *items = reader->items;
  if (pl_reserve(&reader->def->allocator, &items, &reader->item_room,
                 (size_t)reader->item_count + 1, sizeof *reader->items)) {
    pl_reader_report_memory(reader);
    return -1;
  }
  reader->items = items;
  int index = reader->item_count++;
  reader->items[index] = (pl_item){.element = element, .node = node, .parent = parent};
  return index;
}

const char *pl_item_text(const pl_item *item, const char *name)
{
  const char *text = pl_xml_attribute(item->node, name);
  if (text) return text;
  const pl_attribute *row = pl_attribute_find(item->element, name);
  return row ? row->preset : NULL;
}

void pl_item_numbers(const pl_item *item, const char *name, double *values)
{
  const pl_attribute *row = pl_attribute_find(item->element, name);
  const char *text = pl_item_text(item, name);
  if (row && text) pl_param_parse(&row->param, text, values, NULL);
}

double pl_item_number(const pl_item *item, const char *name)
{
  double value = 0;
  pl_item_numbers(item, name, &value);
  return value;
}

int pl_item_is(const pl_item *item, const char *kind)
{
  return strcmp(item->element->name, kind) == 0;
}

const char *pl_item_name(const pl_item *item)
{
  return pl_attribute_find(item->element, "name") ? pl_xml_attribute(item->node, "name") : NULL;
}

/* ---- attributes ---- */

/* What a family's member brings along: the member by the element's own name, then those that its
 * attributes name. */
typedef struct adopted {
  const pl_family *family;
  const pl_member *member; /* NULL: the attribute names none that there is */
  const pl_attribute *row; /* NULL: by the element's name                  */
} adopted;

enum { MOST_ADOPTED = 4 };

static int list_adopted(const pl_item *item, adopted list[MOST_ADOPTED])
{
  const pl_element *element = item->element;
  int count = 0;
  if (element->family)
    list[count++] =
        (adopted){element->family, pl_member_find(element->family, pl_xml_name(item->node)), NULL};
  for (const pl_attribute *row = element->attributes; row->param.name; row++) {
    if (!row->adopts || count == MOST_ADOPTED) continue;
    const char *text = pl_xml_attribute(item->node, row->param.name);
    list[count++] = (adopted){row->family, pl_attribute_member(row, text), row};
  }
  return count;
}

/* Which of the list the attribute belongs to, -1 for none. */
static int owner_of(const adopted *list, int count, const char *name)
{
  for (int i = 0; i < count; i++) {
    if (list[i].member && pl_param_find(list[i].member, name) >= 0) return i;
  }
  return -1;
}

pl_choice pl_item_choice(pl_reader *reader, const pl_item *item, int which)
{
  adopted list[MOST_ADOPTED];
  int count = list_adopted(item, list);
  size_t max = 0;
  for (const pl_xml_pair *pair = pl_xml_first(item->node); pair; pair = pl_xml_after(pair)) max++;
  pl_setting *settings = pl_reader_alloc(reader, max, sizeof *settings);
  pl_choice choice = {.name = list[which].member->name, .settings = settings};
  if (!settings) return choice;
  for (const pl_xml_pair *pair = pl_xml_first(item->node); pair; pair = pl_xml_after(pair)) {
    const char *name = pl_xml_pair_name(pair);
    if (pl_attribute_find(item->element, name) || owner_of(list, count, name) != which) continue;
    settings[choice.setting_count++] = (pl_setting){.name = name, .word = pl_xml_pair_value(pair)};
  }
  return choice;
}

static const pl_member *member_with(const pl_family *family, const char *param)
{
  for (int i = 0; family->members[i]; i++) {
    if (pl_param_find(family->members[i], param) >= 0) return family->members[i];
  }
  return NULL;
}

static pl_status fail_attribute(const pl_item *item, const adopted *list, int count,
                                const char *name, pl_error *error)
{
  // it may belong to another member, or to one that is misspelt
  for (int i = 0; i < count; i++) {
    const pl_member *owner = list[i].row ? member_with(list[i].family, name) : NULL;
    if (owner && !list[i].member) return PL_OK;
    if (owner)
      return pl_fail(error, PL_E_ARGUMENT, "%s belongs to %s=\"%s\", not to \"%s\"; remove it",
                     name, list[i].row->param.name, owner->name, list[i].member->name);
  }
  const char *words[MOST_WORDS + 1] = {0};
  int used = 0;
  for (const pl_attribute *row = item->element->attributes; row->param.name; row++)
    words[used++] = row->param.name;
  for (int i = 0; i < count; i++) {
    for (int k = 0; list[i].member && k < list[i].member->param_count && used < MOST_WORDS; k++)
      words[used++] = list[i].member->params[k].name;
  }
  return pl_fail_unknown(error, "attribute", name, words);
}

static pl_status check_attribute(const pl_item *item, const adopted *list, int count,
                                 const char *name, const char *text, pl_error *error)
{
  const pl_attribute *row = pl_attribute_find(item->element, name);
  if (row && row->check) return row->check(row, text, error);
  double values[PL_MOST_VALUES];
  if (row) return pl_param_parse(&row->param, text, values, error);
  int owner = owner_of(list, count, name);
  if (owner < 0) return fail_attribute(item, list, count, name, error);
  const pl_member *member = list[owner].member;
  return pl_param_parse(&member->params[pl_param_find(member, name)], text, values, error);
}

static void check_attributes(pl_reader *reader, int index)
{
  const pl_item *item = &reader->items[index];
  adopted list[MOST_ADOPTED];
  int count = list_adopted(item, list);
  pl_error error;
  for (const pl_xml_pair *pair = pl_xml_first(item->node); pair; pair = pl_xml_after(pair)) {
    if (check_attribute(item, list, count, pl_xml_pair_name(pair), pl_xml_pair_value(pair), &error))
      pl_reader_report_at(reader, index, &error);
  }
  for (const pl_attribute *row = item->element->attributes; row->param.name; row++) {
    const pl_param *param = &row->param;
    if (!row->required || pl_xml_attribute(item->node, param->name)) continue;
    pl_fail(&error, PL_E_ARGUMENT, "%s is missing; add %s=\"...\" (%s: %s)", param->name,
            param->name, param->unit, param->summary);
    pl_reader_report_at(reader, index, &error);
  }
  const char *text = pl_xml_text(item->node);
  text += strspn(text, " \t\r\n");
  if (*text) {
    int length = (int)strcspn(text, "\r\n");
    pl_fail(&error, PL_E_ARGUMENT, "the text \"%.*s\" has no meaning here; values are attributes",
            length < 40 ? length : 40, text);
    pl_reader_report_at(reader, index, &error);
  }
}

/* ---- elements ---- */

static void report_unknown(pl_reader *reader, int parent, const pl_xml_node *node)
{
  const pl_element *element = reader->items[parent].element;
  const char *name = pl_xml_name(node);
  const pl_element *home = pl_element_parent_of(&pl_scene_root, name);
  pl_error error, shown;
  const char *words[MOST_WORDS + 1] = {0};
  pl_child_words(element, words, MOST_WORDS);
  if (home)
    pl_fail(&error, PL_E_ARGUMENT, "<%.80s> cannot stand here; it belongs in <%s>", name,
            home->family ? home->family->members[0]->name : home->name);
  else if (!element->children)
    pl_fail(&error, PL_E_ARGUMENT, "unknown element \"%.80s\"; nothing can stand here", name);
  else
    pl_fail_unknown(&error, "element", name, words);
  char label[LABEL_ROOM];
  label_item(reader, parent, label, sizeof label);
  pl_fail_at(&shown, error.code, reader->def->path, pl_xml_line(node), "%s%s%s", label,
             *label ? ": " : "", error.message);
  reader->items[parent].bad = 1;
  pl_reader_report(reader, &shown);
}

/* Too few or too many direct children of one kind. */
static void check_count(pl_reader *reader, int parent, const pl_element *kind)
{
  pl_error error;
  const pl_item *items = reader->items;
  int count = 0, first = -1;
  for (int i = parent + 1; i < items[parent].end && !reader->stopped; i = items[i].end) {
    if (items[i].element != kind) continue;
    if (count++ == 0) first = i;
    if (!kind->max || count <= kind->max) continue;
    pl_fail(&error, PL_E_ARGUMENT, "only one can stand here; the first is on line %d",
            pl_xml_line(items[first].node));
    pl_reader_report_at(reader, i, &error);
  }
  if (count >= kind->min) return;
  pl_fail(&error, PL_E_ARGUMENT, "%s", kind->missing);
  pl_reader_report_at(reader, parent, &error);
}

static void check_counts(pl_reader *reader, int index)
{
  const pl_element *element = reader->items[index].element;
  for (int i = 0; element->children && element->children[i]; i++)
    check_count(reader, index, element->children[i]);

  // a child that is not known was meant to be one
  if (!element->min_children || pl_xml_child(reader->items[index].node, NULL)) return;
  const char *words[MOST_WORDS + 1] = {0};
  char list[256] = "";
  int count = pl_child_words(element, words, MOST_WORDS);
  for (int i = 0; i < count; i++) {
    size_t used = strlen(list);
    snprintf(list + used, sizeof list - used, "%s<%s>", i ? ", " : "", words[i]);
  }
  pl_error error;
  pl_fail(&error, PL_E_ARGUMENT, "a region is missing; put one of %s into it", list);
  pl_reader_report_at(reader, index, &error);
}

/* Elements in the root that no table knows are kept, so that their names are not missed. */
static const pl_element refused = {
    .name = "?",
    .attributes = (const pl_attribute[]){{.param = {.name = "name"}, .check = pl_check_name},
                                         {.required = 0}},
};

static void keep_refused(pl_reader *reader, pl_xml_node *node)
{
  int index = add_item(reader, &refused, node, 0);
  if (index < 0) return;
  reader->items[index].bad = 1;
  reader->items[index].end = reader->item_count;
}

/* The tables are three deep, so this is, too. */
static void check_element(pl_reader *reader, const pl_element *element, pl_xml_node *node,
                          int parent)
{
  int index = add_item(reader, element, node, parent);
  if (index < 0) return;
  check_attributes(reader, index);
  for (pl_xml_node *child = pl_xml_child(node, NULL); child; child = pl_xml_next(child, NULL)) {
    const pl_element *kind = pl_element_child(element, pl_xml_name(child));
    if (kind) {
      check_element(reader, kind, child, index);
    } else {
      report_unknown(reader, index, child);
      if (index == 0) keep_refused(reader, child);
    }
    if (reader->stopped) break;
  }
  reader->items[index].end = reader->item_count;
  if (!reader->stopped) check_counts(reader, index);
}

/* ---- names ---- */

static int compare_names(const void *a, const void *b)
{
  const pl_name *one = a, *two = b;
  int order = strcmp(one->kind, two->kind);
  if (!order) order = strcmp(one->name, two->name);
  return order ? order : (one->item > two->item) - (one->item < two->item);
}

/* The place of the first name that is not before this one. */
static int place_of(const pl_reader *reader, const char *kind, const char *name)
{
  const pl_name wanted = {kind, name, 0};
  int low = 0, high = reader->name_count;
  while (low < high) {
    int middle = low + (high - low) / 2;
    if (compare_names(&reader->names[middle], &wanted) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

int pl_reader_find(const pl_reader *reader, const char *kind, const char *name)
{
  int place = place_of(reader, kind, name);
  const pl_name *found = &reader->names[place];
  if (place == reader->name_count || strcmp(found->kind, kind) || strcmp(found->name, name))
    return -1;
  return found->item;
}

/* Lists everything in the root that has a name, and what should have one under the name "". */
static void collect_names(pl_reader *reader)
{
  reader->names = pl_reader_alloc(reader, (size_t)reader->item_count, sizeof *reader->names);
  if (!reader->names) return;
  for (int i = 1; i < reader->items[0].end; i = reader->items[i].end) {
    const pl_item *item = &reader->items[i];
    const pl_attribute *row = pl_attribute_find(item->element, "name");
    const char *name = pl_item_name(item);
    if (!row) continue;
    if (!name || row->check(row, name, NULL)) name = "";
    reader->names[reader->name_count++] = (pl_name){item->element->name, name, i};
  }
  qsort(reader->names, (size_t)reader->name_count, sizeof *reader->names, compare_names);
}

/* Two of a kind must not share a name. */
static void check_names(pl_reader *reader)
{
  for (int i = 1; i < reader->name_count && !reader->stopped; i++) {
    const pl_name *first = &reader->names[i - 1], *second = &reader->names[i];
    if (!*first->name || first->kind == refused.name || strcmp(first->kind, second->kind) ||
        strcmp(first->name, second->name))
      continue;
    pl_error error;
    pl_fail(&error, PL_E_ARGUMENT, "the name is used on line %d already",
            pl_xml_line(reader->items[first->item].node));
    pl_reader_report_at(reader, second->item, &error);
  }
}

static void report_reference(pl_reader *reader, int index, const char *kind, const char *name)
{
  // the name may be missing only because the element that has it was refused
  if (pl_reader_find(reader, kind, "") >= 0 || pl_reader_find(reader, refused.name, name) >= 0) {
    reader->items[index].bad = 1;
    return;
  }
  const char *words[MOST_WORDS + 1] = {0};
  int count = 0, place = place_of(reader, kind, "");
  for (; place < reader->name_count && count < MOST_WORDS; place++) {
    if (strcmp(reader->names[place].kind, kind) != 0) break;
    words[count++] = reader->names[place].name;
  }
  pl_error error;
  if (count)
    pl_fail_unknown(&error, kind, name, words);
  else
    pl_fail(&error, PL_E_ARGUMENT, "unknown %s \"%.80s\"; add <%s name=\"%.80s\" .../>", kind, name,
            kind, name);
  pl_reader_report_at(reader, index, &error);
}

static void check_references(pl_reader *reader)
{
  for (int i = 0; i < reader->item_count && !reader->stopped; i++) {
    const pl_item *item = &reader->items[i];
    for (const pl_attribute *row = item->element->attributes; row->param.name; row++) {
      const char *name = row->refers ? pl_xml_attribute(item->node, row->param.name) : NULL;
      int found = name ? pl_reader_find(reader, row->refers, name) : -1;
      if (found >= 0)
        reader->items[found].used = 1;
      else if (name)
        report_reference(reader, i, row->refers, name);
    }
  }
}

/* ---- the whole ---- */

int pl_reader_convert(pl_reader *reader, const char *source, size_t size, pl_text *out)
{
  pl_xml_node *root = pl_xml_root(reader->document), *config = pl_edm_find(root);
  pl_xml_node *script = config ? NULL : pl_virtis_find(root);
  if (config) pl_edm_convert(reader, config, out);
  if (script) pl_virtis_convert(reader, script, source, size, out);
  return config || script;
}

/* Puts the equivalent scene in the place of one of another format; 0 if it has errors. */
static int convert(pl_reader *reader, const char *source, size_t size)
{
  pl_error error;
  pl_text text = pl_text_make(&reader->def->allocator);
  if (!pl_reader_convert(reader, source, size, &text)) return 1;
  if (!reader->error_count && pl_text_ok(&text, &error)) pl_reader_report_memory(reader);
  if (!reader->error_count) {
    pl_xml_destroy(reader->document);
    reader->document = NULL;
    if (pl_xml_parse(text.data, text.size, reader->def->path, &reader->def->allocator,
                     &reader->document, &error))
      pl_reader_report(reader, &error);
  }
  pl_text_release(&text);
  return !reader->error_count;
}

void pl_reader_open(pl_reader *reader, const pl_scene_def *def, const char *text, size_t size)
{
  *reader = (pl_reader){.def = def};
  pl_error error;
  if (pl_xml_parse(text, size, def->path, &def->allocator, &reader->document, &error)) {
    pl_reader_report(reader, &error);
    return;
  }
  if (!convert(reader, text, size)) return;
  pl_xml_node *root = pl_xml_root(reader->document);
  if (!root || strcmp(pl_xml_name(root), pl_scene_root.name) != 0) {
    pl_fail_at(&error, PL_E_PARSE, def->path, root ? pl_xml_line(root) : 0,
               "begins with <%.80s>; a scene begins with <%s>", root ? pl_xml_name(root) : "",
               pl_scene_root.name);
    pl_reader_report(reader, &error);
    return;
  }
  pl_reader_change(reader);
  check_element(reader, &pl_scene_root, root, -1);
  if (!reader->stopped) collect_names(reader);
  if (!reader->stopped) check_names(reader);
  if (!reader->stopped) check_references(reader);
}

void pl_reader_close(pl_reader *reader)
{
  const pl_allocator *allocator = &reader->def->allocator;
  for (int i = 0; i < reader->item_count; i++) pl_mesh_destroy(reader->items[i].mesh);
  for (size_t i = 0; i < reader->scratch_count; i++) pl_free(allocator, reader->scratch[i]);
  pl_free(allocator, reader->scratch);
  pl_free(allocator, reader->items);
  if (reader->document) pl_xml_destroy(reader->document);
}
