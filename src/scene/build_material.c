/* Materials: laws, and fibres, limits, axes and memory beside them. */
#include "body/body.h"
#include "core/error.h"
#include "core/family.h"
#include "scene/reader.h"
#include "scene/scene.h"
#include "scene/value.h"

#include <string.h>

static pl_fibres fibres_of(const pl_item *item)
{
  pl_fibres fibres = {.k1 = pl_item_number(item, "k1"),
                      .k2 = pl_item_number(item, "k2"),
                      .kappa = pl_item_number(item, "kappa")};
  pl_item_numbers(item, "direction", fibres.direction);
  return fibres;
}

static pl_orientation orientation_of(const pl_item *item)
{
  const char *kind = pl_item_text(item, "kind");
  pl_orientation to = {.kind = strcmp(kind, "cylindrical") == 0 ? PL_ORIENTATION_CYLINDRICAL
                               : strcmp(kind, "mesh") == 0      ? PL_ORIENTATION_MESH
                                                                : PL_ORIENTATION_AXES};
  pl_item_numbers(item, "first", to.first);
  pl_item_numbers(item, "second", to.second);
  pl_item_numbers(item, "point", to.point);
  pl_item_numbers(item, "axis", to.axis);
  return to;
}

static int has(const pl_item *item, const char *name) { return pl_item_text(item, name) != NULL; }

static int says(const pl_item *item, const char *name, const char *word)
{
  return strcmp(pl_item_text(item, name), word) == 0;
}

/* One of the named forms: exactly what it needs must be there. */
static pl_status form_of(const pl_item *item, pl_memory_def *memory, pl_error *error)
{
  const char *form = pl_item_text(item, "form");
  int is_standard = says(item, "form", "standard"), is_voigt = says(item, "form", "kelvin-voigt");
  if (!has(item, "tau") || has(item, "share") != is_standard || has(item, "prony") ||
      has(item, "q"))
    return pl_fail(error, PL_E_ARGUMENT, "<memory form=\"%s\"> needs %s, and nothing else", form,
                   is_standard ? "share and tau" : "tau");
  double tau = pl_item_number(item, "tau");
  if (is_voigt) {
    memory->voigt = tau;
    return PL_OK;
  }
  memory->count = 1;
  memory->shares[0] = is_standard ? pl_item_number(item, "share") : 1;
  memory->times[0] = tau;
  if (is_standard || !memory->is_long) return PL_OK;
  return pl_fail(error, PL_E_ARGUMENT,
                 "<memory form=\"maxwell\"> has no moduli that last; take moduli=\"instant\"");
}

static pl_status series_of(const pl_reader *reader, const pl_item *item, pl_memory_def *memory,
                           pl_error *error)
{
  if (has(item, "prony") == has(item, "q") || has(item, "share") || has(item, "tau"))
    return pl_fail(error, PL_E_ARGUMENT,
                   "<memory> needs prony, or q with its band, or a form with tau: one of them");
  if (has(item, "prony"))
    return pl_parse_prony(pl_item_text(item, "prony"), PL_MAX_TERMS, memory->shares, memory->times,
                          &memory->count, error);
  double band[2];
  pl_item_numbers(item, "band", band);
  return pl_memory_constant_q(&reader->def->allocator, pl_item_number(item, "q"), band,
                              (int)pl_item_number(item, "terms"), memory, error);
}

static pl_status memory_of(const pl_reader *reader, const pl_item *item, pl_memory_def *memory,
                           pl_error *error)
{
  static const char *const words[] = {"shape", "volume", "both"};
  *memory =
      (pl_memory_def){.is_long = says(item, "moduli", "long"),
                      .rule = says(item, "rule", "hermite") ? PL_MEMORY_HERMITE : PL_MEMORY_LINEAR};
  for (int i = 0; i < 3; i++) {
    if (says(item, "of", words[i])) memory->of = (pl_memory_of)i;
  }
  return says(item, "form", "generalised") ? series_of(reader, item, memory, error)
                                           : form_of(item, memory, error);
}

/* Takes over one of the elements inside a material. */
static void add_layer(const pl_reader *reader, const pl_item *item, pl_material_def *def)
{
  if (item->bad) return;
  if (pl_item_is(item, "fibres") && def->fibre_count < PL_MAX_FIBRES)
    def->fibres[def->fibre_count++] = fibres_of(item);
  if (pl_item_is(item, "memory")) memory_of(reader, item, &def->memory, NULL);
  if (pl_item_is(item, "orientation")) def->orientation = orientation_of(item);
  if (pl_item_is(item, "limit"))
    def->limit = (pl_stretch_limit){pl_item_number(item, "most"), pl_item_number(item, "least"),
                                    pl_item_number(item, "factor")};
}

pl_material_def pl_reader_material(pl_reader *reader, const pl_item *item)
{
  pl_material_def def = pl_material_def_default();
  def.law = pl_item_choice(reader, item, 0);
  def.density = pl_item_number(item, "density");
  def.viscous_lambda = pl_item_number(item, "viscous-lambda");
  def.viscous_mu = pl_item_number(item, "viscous-mu");
  def.stiffness_damping = pl_item_number(item, "stiffness-damping");
  def.mass_damping = pl_item_number(item, "mass-damping");
  def.spares_rigid_motion = strcmp(pl_item_text(item, "mass-damping-of"), "deformation") == 0;
  int index = (int)(item - reader->items);
  for (int i = index + 1; i < item->end; i = reader->items[i].end)
    add_layer(reader, &reader->items[i], &def);
  return def;
}

void pl_reader_check_material(pl_reader *reader, pl_scene *scene, int index)
{
  const pl_item *item = &reader->items[index];
  int fibres = 0;
  (void)scene;
  if (item->bad) return;
  pl_reader_warn_unused(reader, item);
  pl_material_def def = pl_reader_material(reader, item);
  pl_material material;
  pl_selection law;
  pl_error error;
  if (reader->stopped) return;
  for (int i = index + 1; i < item->end; i = reader->items[i].end) {
    const pl_item *inside = &reader->items[i];
    pl_memory_def memory;
    fibres += pl_item_is(inside, "fibres");
    if (inside->bad || !pl_item_is(inside, "memory")) continue;
    if (!memory_of(reader, inside, &memory, &error)) continue;
    pl_reader_report_at(reader, i, &error);
    return;
  }
  pl_status status = pl_material_check(&def, &law, &material, &error);
  if (!status && fibres > PL_MAX_FIBRES)
    status = pl_fail(&error, PL_E_ARGUMENT, "%d families of fibres are too many; take at most %d",
                     fibres, PL_MAX_FIBRES);
  if (status) pl_reader_report_at(reader, index, &error);
}
