/* The references of a study: what the ends of its cases are compared with.
 *
 * A reference has the values of the cases that it stands for, except what it sets itself and what
 * only says how a case is computed (the integrator, the solver, steps): so there is one for each
 * combination of the other values. Where it sets a method or a model, it sets that one's parameters
 * as well: those of another would not fit. */
#include "core/error.h"
#include "core/file.h"
#include "core/memory.h"
#include "interrupt.h"
#include "scene/schema.h"
#include "study.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- which values ---- */

/* "body[bar].model=fem" taken apart. */
typedef struct path {
  const char *text;
  size_t name, element, all; /* the first word, what stands before the attribute, before '=' */
} path;

static path take_apart(const char *change)
{
  path p = {.text = change, .all = strcspn(change, "=")};
  p.name = strcspn(change, "[.=");
  for (size_t i = 0; i < p.all; i++) {
    if (change[i] == '.') p.element = i;
  }
  return p;
}

/* The same element; one without a name in brackets is any of its kind. */
static int is_same_element(const path *a, const path *b)
{
  if (a->element == b->element && strncmp(a->text, b->text, a->element) == 0) return 1;
  return a->name == b->name && strncmp(a->text, b->text, a->name) == 0 &&
         (a->element == a->name || b->element == b->name);
}

static const pl_attribute *own_attribute(const path *p)
{
  char element[64], attribute[64];
  if (p->text[p->element] != '.' || p->text[p->name] == '=') return NULL;
  snprintf(element, sizeof element, "%.*s", (int)p->name, p->text);
  snprintf(attribute, sizeof attribute, "%.*s", (int)(p->all - p->element - 1),
           p->text + p->element + 1);
  const pl_element *found = pl_element_child(&pl_scene_root, element);
  return found ? pl_attribute_find(found, attribute) : NULL;
}

/* Does it say how the case is computed, and not what? */
static int is_numerical(const path *p)
{
  static const char *const physical[] = {"gravity", "duration", "start"};
  const char *attribute = p->text + p->element + 1;
  size_t length = p->all - p->element - 1;
  if (strncmp(p->text, "integrator.", 11) == 0 || strncmp(p->text, "solver.", 7) == 0) return 1;
  if (strncmp(p->text, "world.", 6) != 0) return 0;
  for (int i = 0; i < 3; i++) {
    if (strlen(physical[i]) == length && strncmp(attribute, physical[i], length) == 0) return 0;
  }
  return 1;
}

/* Does the reference's change decide about the case's? */
static int decides(const char *change, const path *of)
{
  path p = take_apart(change);
  if (!is_same_element(&p, of)) return 0;
  if (strncmp(p.text + p.element, of->text + of->element, p.all - p.element + 1) == 0) return 1;
  const pl_attribute *attribute = own_attribute(&p);
  return attribute && attribute->adopts && !own_attribute(of);
}

static int is_shared(const pl_study *study, const char *change)
{
  path p = take_apart(change);
  if (is_numerical(&p)) return 0;
  for (int i = 0; i < study->reference.count; i++) {
    if (decides(study->reference.texts[i], &p)) return 0;
  }
  return 1;
}

/* What a reference takes over from a case. */
static void shared_changes(const pl_study *study, int number, study_changes *list)
{
  static study_changes all;
  study_case_changes(study, number, &all);
  list->count = 0;
  for (int i = 0; i < all.count; i++) {
    if (i < study->changes.count || is_shared(study, all.texts[i]))
      list->texts[list->count++] = all.texts[i];
  }
}

static int are_same(const study_changes *a, const study_changes *b)
{
  if (a->count != b->count) return 0;
  for (int i = 0; i < a->count; i++) {
    if (strcmp(a->texts[i], b->texts[i]) != 0) return 0;
  }
  return 1;
}

pl_status study_references_open(study_setup *setup, pl_error *error)
{
  static study_changes mine, other;
  pl_allocator allocator = pl_allocator_default();
  const pl_study *study = setup->study;
  size_t cases = (size_t)pl_study_cases(study);
  setup->reference_of = pl_alloc(&allocator, cases, sizeof *setup->reference_of);
  setup->references = pl_alloc(&allocator, cases, sizeof *setup->references);
  if (!setup->reference_of || !setup->references) return pl_fail_memory(error);
  for (int i = 0; i < (int)cases && study->has_reference; i++) {
    int k = 0;
    shared_changes(study, i, &mine);
    for (; k < setup->reference_count; k++) {
      shared_changes(study, setup->references[k].first_case, &other);
      if (are_same(&mine, &other)) break;
    }
    setup->reference_of[i] = k;
    if (k < setup->reference_count) continue;
    if (k && study->reference_file)
      return pl_fail_at(error, PL_E_ARGUMENT, study->path, 0,
                        "the file of the reference holds one end, but \"%.120s\" changes what is "
                        "computed; leave out file= or that value",
                        mine.count ? mine.texts[mine.count - 1] : "");
    setup->references[setup->reference_count++].first_case = i;
  }
  return PL_OK;
}

void study_references_close(study_setup *setup)
{
  pl_allocator allocator = pl_allocator_default();
  for (int k = 0; k < setup->reference_count; k++) study_end_release(&setup->references[k].end);
  pl_free(&allocator, setup->references);
  pl_free(&allocator, setup->reference_of);
}

void study_reference_changes(const study_setup *setup, int reference, study_changes *list)
{
  const study_reference *r = &setup->references[reference];
  const pl_changes *own = &setup->study->reference;
  shared_changes(setup->study, r->first_case, list);
  for (int i = 0; i < own->count && list->count < STUDY_MOST_CHANGES; i++)
    list->texts[list->count++] = own->texts[i];
  if (r->dt[0] && list->count < STUDY_MOST_CHANGES) list->texts[list->count++] = r->dt;
}

/* ---- their ends ---- */

/* One number per line: energy, probe, positions. */
static pl_status save(const study_end *end, const char *file, pl_error *error)
{
  pl_text text = pl_text_make(NULL);
  double head[] = {end->energy, end->probe[0], end->probe[1], end->probe[2]};
  pl_text_add(&text, "energy_probe_and_positions\n");
  for (int i = 0; i < 4 + end->count; i++) {
    pl_text_number(&text, i < 4 ? head[i] : end->positions[i - 4]);
    pl_text_add(&text, "\n");
  }
  pl_status status = pl_text_ok(&text, error);
  if (!status) status = pl_file_write(file, text.data, text.size, error);
  pl_text_release(&text);
  return status;
}

static pl_status load(study_end *end, const char *file, int count, pl_error *error)
{
  pl_allocator allocator = pl_allocator_default();
  pl_bytes bytes;
  pl_status status = pl_file_read(&allocator, file, 0, &bytes, error);
  if (status) return status;
  *end = (study_end){.count = count};
  end->positions = pl_alloc(&allocator, (size_t)count, sizeof(double));
  status = end->positions ? PL_OK : pl_fail_memory(error);
  const char *line = bytes.data + strcspn(bytes.data, "\n");
  for (int i = 0; i < 4 + count && !status; i++) {
    double value;
    const char *next = *line ? pl_read_double(line + 1, &value) : line;
    if (!*line || next == line + 1 || (*next != '\n' && *next))
      status = pl_fail_at(error, PL_E_PARSE, file, i + 2,
                          "is not a reference of this scene: %d numbers are needed", 4 + count);
    else if (i < 4)
      *(i ? &end->probe[i - 1] : &end->energy) = value;
    else
      end->positions[i - 4] = value;
    line = next;
  }
  pl_bytes_free(&allocator, &bytes);
  return status;
}

/* reference.csv, or reference-K.csv where there are several. */
static pl_status name_file(const study_setup *setup, int reference, char *file, size_t size,
                           pl_error *error)
{
  char name[40] = "reference.csv";
  if (setup->reference_count > 1) snprintf(name, sizeof name, "reference-%d.csv", reference + 1);
  return pl_path_join(file, size, setup->table.folder, name, error);
}

static pl_status count_nodes(const study_setup *setup, const study_changes *changes, int *nodes,
                             pl_error *error)
{
  pl_scene *scene = NULL;
  pl_world_facts facts = {0};
  pl_status status = study_load_scene(setup, changes, &scene, error);
  if (!status) status = pl_world_measure(pl_scene_world(scene), &facts, error);
  pl_scene_destroy(scene);
  *nodes = facts.nodes;
  return status;
}

pl_status study_reference_make(study_setup *setup, int reference, int resumed, int quiet,
                               pl_error *error)
{
  static study_changes changes;
  static study_row row;
  char file[4200];
  int nodes;
  study_end *end = &setup->references[reference].end;
  study_reference_changes(setup, reference, &changes);
  pl_status status = count_nodes(setup, &changes, &nodes, error);
  if (status) return status;
  if (setup->study->reference_file) {
    status = pl_study_path(setup->study, setup->study->reference_file, file, sizeof file, error);
    return status ? status : load(end, file, 3 * nodes, error);
  }
  status = name_file(setup, reference, file, sizeof file, error);
  if (status) return status;
  if (resumed && !load(end, file, 3 * nodes, NULL)) return PL_OK;
  study_end_release(end);
  status = study_run(setup, &changes, &row, end, NULL, error);
  if (!status && row.failure[0])
    status = pl_fail_at(error, PL_E_DIVERGED, setup->study->path, 0, "the reference failed %s",
                        row.failure);
  if (status || cli_interrupted) return status;
  if (!quiet)
    printf("reference: %.0f steps in %.2f s\n", row.values[STUDY_steps], row.values[STUDY_seconds]);
  return save(end, file, error);
}
