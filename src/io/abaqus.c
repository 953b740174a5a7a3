/* Abaqus input files (.inp), the part that describes a mesh. Abaqus keywords reference guide:
 *
 *   *NODE, NSET=name              number, x, y, z
 *   *ELEMENT, TYPE=C3D4, ELSET=name   number, nodes (on as many lines as they need)
 *   *NSET, NSET=name [, GENERATE]     numbers or names of sets; with GENERATE first, last, step
 *   *ELSET, ELSET=name [, GENERATE]
 *
 *   *ORIENTATION, NAME=name [, SYSTEM=CYLINDRICAL]   a, b [, c]; then axis, angle in degrees
 *   *DISTRIBUTION, NAME=name          number, a, b; the first line without a number: all others
 *   *SOLID SECTION, ELSET=name, ORIENTATION=name
 *
 * An orientation goes from c (0 0 0 unless given) to a along the first axis and to b in the plane
 * of the first and second; a and b of a cylindrical one lie on its axis, and its axes point away
 * from that, around it and along it. It may name a distribution in place of a and b. The angle
 * turns it about the axis 1, 2 or 3 of its own.
 *
 * Two stars begin a comment; keywords and names may be written small or capital. C3D4, C3D8, C3D10
 * and C3D20 in all their variants become the mesh, those of higher order by their corners; other
 * solids are refused, shells and the like passed over. All other keywords are passed over. The file
 * is read several times: nodes, elements, sets, orientations, sections, since they may stand in any
 * order. */
#include "io/draft.h"

#include "core/memory.h"
#include "io/abaqus.h"

#include <string.h>

enum { MOST_NODES = 27, MOST_REFERENCES = 65536 };

/* A set as it was read, for others that name it: count members behind the mark. */
typedef struct known {
  pl_word name;
  int dimension;
  size_t mark, count;
} known;

typedef struct reader {
  pl_draft *draft;
  pl_scan scan;
  pl_allocator allocator;
  known *sets;
  size_t set_count, set_room;
  pl_abaqus_system *systems;
  size_t system_count, system_room;
  int32_t groups;
  int references, parts;
} reader;

/* A keyword line: what its words ask for. */
typedef struct keyword {
  pl_word name, type, nset, elset, title, orientation, system;
  int generate;
} keyword;

/* ---- words ---- */

static int is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

/* The piece of the line up to the next comma, without blanks and quotes around it; 0 at the end. */
static int next_piece(pl_scan *line, pl_word *piece)
{
  if (line->at >= line->end) return 0;
  const char *comma = memchr(line->at, ',', pl_scan_left(line));
  // a name in quotes may hold commas
  const char *open = memchr(line->at, '"', pl_scan_left(line)), *close = NULL;
  if (open && comma && open < comma) close = memchr(open + 1, '"', (size_t)(line->end - open - 1));
  if (close) comma = memchr(close, ',', (size_t)(line->end - close));
  const char *at = line->at, *end = comma ? comma : line->end;
  line->at = comma ? comma + 1 : line->end;
  while (at < end && is_blank(*at)) at++;
  while (end > at && is_blank(end[-1])) end--;
  *piece = (pl_word){at, (size_t)(end - at)};
  return 1;
}

static pl_word unquote(pl_word word)
{
  if (word.size >= 2 && word.at[0] == '"' && word.at[word.size - 1] == '"')
    return (pl_word){word.at + 1, word.size - 2};
  return word;
}

/* "NAME = value" or "NAME": does it have this name? Then value is what follows. */
static int is_option(pl_word piece, const char *name, pl_word *value)
{
  const char *equals = piece.size ? memchr(piece.at, '=', piece.size) : NULL;
  const char *end = equals ? equals : piece.at + piece.size;
  pl_word left = {piece.at, (size_t)(end - piece.at)};
  while (left.size && is_blank(left.at[left.size - 1])) left.size--;
  if (!pl_word_like(left, name)) return 0;
  if (!equals) return 1;
  *value = (pl_word){equals + 1, piece.size - (size_t)(equals + 1 - piece.at)};
  while (value->size && is_blank(*value->at)) value->at++, value->size--;
  *value = unquote(*value);
  return 1;
}

static int same_name(pl_word a, pl_word b)
{
  if (a.size != b.size) return 0;
  for (size_t i = 0; i < a.size; i++) {
    if ((a.at[i] | 32) != (b.at[i] | 32)) return 0;
  }
  return 1;
}

/* The next line that is no comment and not empty; 0 at the end. */
static int next_line(pl_scan *scan, pl_scan *line)
{
  for (pl_word text; pl_scan_line(scan, &text);) {
    *line = *scan;
    line->at = text.at;
    line->end = text.at + text.size;
    while (line->at < line->end && is_blank(*line->at)) line->at++;
    if (line->at == line->end || (pl_scan_left(line) > 1 && !memcmp(line->at, "**", 2))) continue;
    return 1;
  }
  *line = *scan;
  return 0;
}

/* The next line of data, 0 in front of a keyword. */
static int next_data(pl_scan *scan, pl_scan *line)
{
  pl_scan ahead = *scan;
  if (!next_line(&ahead, line) || *line->at == '*') return 0;
  *scan = ahead;
  return 1;
}

static pl_status read_whole(const pl_scan *line, pl_word piece, const char *what, int64_t *value,
                            pl_error *error)
{
  pl_scan word = *line;
  word.at = piece.at;
  word.end = piece.at + piece.size;
  return pl_scan_int(&word, what, value, error);
}

/* ---- nodes ---- */

/* The set of that name gets the members from the mark on. */
static pl_status remember(reader *r, pl_word name, int dimension, size_t mark, pl_error *error)
{
  void *sets = r->sets;
  if (pl_reserve(&r->allocator, &sets, &r->set_room, r->set_count + 1, sizeof *r->sets))
    return pl_fail_memory(error);
  r->sets = sets;
  r->sets[r->set_count++] = (known){name, dimension, mark, pl_draft_mark(r->draft) - mark};
  return PL_OK;
}

/* A new group of that name, under the name's first spelling; 0 without a name. */
static pl_status open_group(reader *r, const pl_scan *scan, pl_word name, int dimension,
                            int32_t *group, pl_error *error)
{
  *group = 0;
  if (!name.size) return PL_OK;
  *group = ++r->groups;
  for (size_t i = 0; i < r->set_count; i++) {
    if (r->sets[i].dimension != dimension || !same_name(r->sets[i].name, name)) continue;
    name = r->sets[i].name;
    break;
  }
  return pl_draft_name(r->draft, scan, dimension, *group, name, error);
}

static pl_status read_nodes(reader *r, const keyword *word, pl_error *error)
{
  pl_scan line;
  int32_t group;
  size_t mark = pl_draft_mark(r->draft);
  pl_status status = open_group(r, &r->scan, word->nset, 0, &group, error);
  while (!status && next_data(&r->scan, &line)) {
    int64_t tag;
    double position[3] = {0};
    pl_word piece = {line.at, 0};
    next_piece(&line, &piece);
    status = read_whole(&line, piece, "number of a node", &tag, error);
    for (int k = 0; !status && k < 3 && next_piece(&line, &piece); k++) {
      pl_scan number = line;
      number.at = piece.at;
      number.end = piece.at + piece.size;
      if (piece.size) status = pl_scan_double(&number, "coordinate of a node", &position[k], error);
    }
    if (!status) status = pl_draft_nodes(r->draft, &line, 1, 1, error);
    int node = pl_draft_node_count(r->draft);
    if (!status) status = pl_draft_node(r->draft, &line, tag, position, error);
    if (!status && group) status = pl_draft_join_node(r->draft, &line, group, node, error);
  }
  if (!status && group) status = remember(r, word->nset, 0, mark, error);
  return status;
}

/* ---- elements ---- */

typedef struct kind {
  const char *type; /* what the type begins with; a letter may follow, no digit */
  pl_cell_shape shape;
  int nodes;
} kind;

static const kind kinds[] = {
    {"C3D4", PL_TET, 4},       {"C3D10", PL_TET, 10},    {"C3D8", PL_HEX, 8},
    {"C3D20", PL_HEX, 20},     {"C3D27", PL_HEX, 27},    {"C3D6", PL_PRISM, 6},
    {"C3D15", PL_PRISM, 15},   {"C3D5", PL_PYRAMID, 5},  {"S3", PL_TRIANGLE, 3},
    {"STRI3", PL_TRIANGLE, 3}, {"CPS3", PL_TRIANGLE, 3}, {"CPE3", PL_TRIANGLE, 3},
    {"M3D3", PL_TRIANGLE, 3},  {"S4", PL_QUAD, 4},       {"CPS4", PL_QUAD, 4},
    {"CPE4", PL_QUAD, 4},      {"M3D4", PL_QUAD, 4},     {"T3D2", PL_LINE, 2},
    {"B31", PL_LINE, 2},
};

static const kind *find_kind(pl_word type)
{
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    size_t length = strlen(kinds[i].type);
    if (type.size < length || !pl_word_like((pl_word){type.at, length}, kinds[i].type)) continue;
    if (type.size > length && type.at[length] >= '0' && type.at[length] <= '9') continue;
    return &kinds[i];
  }
  return NULL;
}

/* The numbers of one element, from as many lines as it takes. */
static pl_status read_element(reader *r, pl_scan *line, const kind *of, int64_t *number,
                              int64_t *tags, pl_error *error)
{
  int count = -1;
  pl_status status = PL_OK;
  for (;;) {
    pl_word piece;
    while (!status && count < of->nodes && next_piece(line, &piece)) {
      if (!piece.size) continue;
      int64_t *to = count < 0 ? number : &tags[count];
      status = read_whole(line, piece, count < 0 ? "number of an element" : "node of an element",
                          to, error);
      count++;
    }
    if (status || count == of->nodes) return status;
    if (!next_data(&r->scan, line))
      return pl_scan_fail(&r->scan, error, PL_E_PARSE, "element %lld has %d nodes; a %s needs %d",
                          (long long)*number, count < 0 ? 0 : count, of->type, of->nodes);
  }
}

static pl_status read_elements(reader *r, const keyword *word, pl_error *error)
{
  pl_scan line;
  int32_t group;
  int64_t number = 0, tags[MOST_NODES];
  size_t mark = pl_draft_mark(r->draft);
  const kind *of = find_kind(word->type);
  if (!of && word->type.size > 2 && pl_word_like((pl_word){word->type.at, 3}, "C3D"))
    return pl_scan_fail(&r->scan, error, PL_E_UNSUPPORTED,
                        "elements of type %.*s are not known; use C3D4, C3D8 or C3D10",
                        word->type.size < 40 ? (int)word->type.size : 40, word->type.at);
  if (!of) return PL_OK;
  int dimension = pl_shapes[of->shape].dimension;
  pl_status status = open_group(r, &r->scan, word->elset, dimension, &group, error);
  while (!status && next_data(&r->scan, &line)) {
    status = read_element(r, &line, of, &number, tags, error);
    int reduced = of->nodes > pl_shapes[of->shape].corners;
    if (!status)
      status = pl_draft_element(r->draft, &line, of->shape, number, tags, reduced, error);
    if (!status && of->shape == PL_TET && of->nodes == 10)
      status = pl_draft_middles(r->draft, tags + 4, pl_vtk_edges, error);
    if (!status && group) status = pl_draft_join(r->draft, &line, group, error);
  }
  if (!status && group) status = remember(r, word->elset, dimension, mark, error);
  return status;
}

/* ---- sets ---- */

static pl_status join(reader *r, const pl_scan *line, int dimension, int32_t group, int64_t number,
                      pl_error *error)
{
  return dimension ? pl_draft_join_number(r->draft, line, dimension, group, number, error)
                   : pl_draft_join_node_tag(r->draft, line, group, number, error);
}

/* First, last and step. What is made of them is bounded by the file's size as all members are. */
static pl_status read_range(reader *r, pl_scan *line, int dimension, int32_t group, pl_error *error)
{
  int64_t range[3] = {0, 0, 1};
  pl_word piece;
  pl_status status = PL_OK;
  for (int k = 0; !status && k < 3 && next_piece(line, &piece); k++) {
    if (piece.size) status = read_whole(line, piece, "number of a range", &range[k], error);
  }
  if (!status && (range[2] < 1 || range[0] < 0 || range[1] < range[0]))
    status = pl_scan_fail(line, error, PL_E_PARSE, "a range goes from %lld to %lld by %lld",
                          (long long)range[0], (long long)range[1], (long long)range[2]);
  for (int64_t i = range[0]; !status && i <= range[1]; i += range[2]) {
    status = join(r, line, dimension, group, i, error);
    if (range[1] - i < range[2]) break;
  }
  return status;
}

/* All sets of that name and kind, whose members join the group. */
static pl_status join_named(reader *r, const pl_scan *line, pl_word name, int dimension,
                            int32_t group, pl_error *error)
{
  int found = 0;
  pl_status status = PL_OK;
  if (++r->references > MOST_REFERENCES)
    return pl_scan_fail(line, error, PL_E_LIMIT, "sets name other sets more than %d times",
                        MOST_REFERENCES);
  size_t count = r->set_count;
  for (size_t i = 0; i < count && !status; i++) {
    known set = r->sets[i];
    if (!set.dimension != !dimension || !same_name(set.name, name)) continue;
    found = 1;
    if ((set.dimension == 3) != (dimension == 3)) continue;
    status = pl_draft_join_copy(r->draft, line, set.mark, set.count, dimension, group, error);
  }
  if (!status && !found)
    status = pl_scan_fail(line, error, PL_E_PARSE,
                          "a set holds \"%.*s\", which the file does not "
                          "define before",
                          name.size < 80 ? (int)name.size : 80, name.at);
  return status;
}

static int is_number(pl_word piece)
{
  return piece.size && ((*piece.at >= '0' && *piece.at <= '9') || *piece.at == '-');
}

/* A set of nodes (dimension 0), or the elements of a set that fill space (3) or do not (2). */
static pl_status read_set(reader *r, const keyword *word, int dimension, pl_error *error)
{
  pl_scan line;
  int32_t group;
  pl_word name = dimension ? word->elset : word->nset, piece;
  size_t mark = pl_draft_mark(r->draft);
  if (!name.size)
    return pl_scan_fail(&r->scan, error, PL_E_PARSE, "a set has no name; add NSET= or ELSET=");
  pl_status status = open_group(r, &r->scan, name, dimension, &group, error);
  while (!status && next_data(&r->scan, &line)) {
    if (word->generate) {
      status = read_range(r, &line, dimension, group, error);
      continue;
    }
    while (!status && next_piece(&line, &piece)) {
      int64_t number;
      if (!piece.size) continue;
      if (!is_number(piece)) {
        status = join_named(r, &line, unquote(piece), dimension, group, error);
        continue;
      }
      status = read_whole(&line, piece, "number in a set", &number, error);
      if (!status) status = join(r, &line, dimension, group, number, error);
    }
  }
  return status ? status : remember(r, name, dimension, mark, error);
}

/* ---- axes of the material ---- */

/* Up to count numbers of a line; how many there are, or -1 where one is none. */
static int read_numbers(pl_scan *line, double *numbers, int count)
{
  pl_word piece;
  int found = 0;
  while (found < count && next_piece(line, &piece)) {
    pl_scan number = *line;
    number.at = piece.at;
    number.end = piece.at + piece.size;
    if (!piece.size || pl_scan_double(&number, "number", &numbers[found], NULL)) return -1;
    found++;
  }
  return found;
}

static pl_status read_system(reader *r, const keyword *word, pl_error *error)
{
  void *systems = r->systems;
  pl_abaqus_system made = {.name = word->title, .about = 1};
  double numbers[9] = {0}, turn[2];
  pl_scan line;
  made.is_round = pl_word_like(word->system, "CYLINDRICAL");
  if (word->system.size && !made.is_round && !pl_word_like(word->system, "RECTANGULAR"))
    return pl_scan_fail(&r->scan, error, PL_E_UNSUPPORTED,
                        "the system %.*s of an orientation is not known; use RECTANGULAR or "
                        "CYLINDRICAL",
                        word->system.size < 40 ? (int)word->system.size : 40, word->system.at);
  if (!next_data(&r->scan, &line))
    return pl_scan_fail(&r->scan, error, PL_E_PARSE, "an orientation has no line of numbers");
  pl_scan first = line;
  if (read_numbers(&line, numbers, 9) < 6) {
    next_piece(&first, &made.table);
    made.table = unquote(made.table);
  }
  for (int k = 0; k < 3; k++) {
    made.a[k] = numbers[k];
    made.b[k] = numbers[3 + k];
    made.c[k] = numbers[6 + k];
  }
  if (next_data(&r->scan, &line) && read_numbers(&line, turn, 2) == 2) {
    made.about = (int)turn[0];
    made.angle = turn[1];
  }
  if (made.about < 1 || made.about > 3)
    return pl_scan_fail(&r->scan, error, PL_E_PARSE,
                        "an orientation is turned about axis %d; take 1, 2 or 3", made.about);
  if (pl_reserve(&r->allocator, &systems, &r->system_room, r->system_count + 1, sizeof made))
    return pl_fail_memory(error);
  r->systems = systems;
  r->systems[r->system_count++] = made;
  return PL_OK;
}

static pl_status put_axes(reader *r, const pl_abaqus_system *system, int cell, pl_error *error)
{
  double middle[3], axes[6];
  if (cell < 0) return PL_OK;
  pl_draft_middle(r->draft, cell, middle);
  pl_abaqus_axes(system, middle, axes);
  pl_status status = pl_draft_axis(r->draft, cell, 0, axes, error);
  return status ? status : pl_draft_axis(r->draft, cell, 1, axes + 3, error);
}

/* The lines of a distribution, for each element with a number of its own; all others of the sets
 * get what stands in front. */
static pl_status read_table(reader *r, const keyword *word, pl_error *error)
{
  pl_scan line;
  pl_status status = PL_OK;
  const pl_abaqus_system *system = NULL;
  for (size_t i = 0; i < r->system_count; i++) {
    if (same_name(r->systems[i].table, word->title)) system = &r->systems[i];
  }
  while (system && !status && next_data(&r->scan, &line)) {
    pl_abaqus_system own = *system;
    pl_word piece = {line.at, 0};
    int64_t number;
    double numbers[6], axes[6];
    next_piece(&line, &piece);
    if (!piece.size) continue;
    status = read_whole(&line, piece, "number of an element", &number, error);
    if (!status && read_numbers(&line, numbers, 6) < 6)
      status = pl_scan_fail(&line, error, PL_E_PARSE,
                            "a line of a distribution of axes has an element and six numbers");
    if (status) break;
    memcpy(own.a, numbers, sizeof own.a);
    memcpy(own.b, numbers + 3, sizeof own.b);
    pl_abaqus_axes(&own, own.c, axes);
    status = pl_draft_axis_number(r->draft, &line, number, 0, axes, error);
    if (!status) status = pl_draft_axis_number(r->draft, &line, number, 1, axes + 3, error);
  }
  return status;
}

/* The line of a distribution that has no number. */
static void read_default(reader *r, const keyword *word)
{
  pl_scan line;
  pl_word piece = {NULL, 0};
  double numbers[6];
  if (!next_data(&r->scan, &line) || !next_piece(&line, &piece) || piece.size) return;
  if (read_numbers(&line, numbers, 6) < 6) return;
  for (size_t i = 0; i < r->system_count; i++) {
    if (!same_name(r->systems[i].table, word->title)) continue;
    memcpy(r->systems[i].a, numbers, sizeof r->systems[i].a);
    memcpy(r->systems[i].b, numbers + 3, sizeof r->systems[i].b);
  }
}

static pl_status read_section(reader *r, const keyword *word, pl_error *error)
{
  const pl_abaqus_system *system = NULL;
  if (!word->orientation.size) return PL_OK;
  for (size_t i = 0; i < r->system_count; i++) {
    if (same_name(r->systems[i].name, word->orientation)) system = &r->systems[i];
  }
  if (!system)
    return pl_scan_fail(&r->scan, error, PL_E_PARSE,
                        "a section has the orientation \"%.*s\", which the file does not define",
                        word->orientation.size < 80 ? (int)word->orientation.size : 80,
                        word->orientation.at);
  pl_status status = PL_OK;
  for (size_t i = 0; i < r->set_count; i++) {
    known set = r->sets[i];
    if (set.dimension != 3 || !same_name(set.name, word->elset)) continue;
    for (size_t k = 0; k < set.count && !status; k++)
      status = put_axes(r, system, pl_draft_member(r->draft, set.mark, k), error);
  }
  return status;
}

/* ---- the file ---- */

/* Its elements, and the nodes of those that fill no space. */
static pl_status read_elset(reader *r, const keyword *word, pl_error *error)
{
  const char *start = r->scan.at;
  pl_status status = read_set(r, word, 3, error);
  r->scan.at = status ? r->scan.at : start;
  return status ? status : read_set(r, word, 2, error);
}

typedef enum stage { NODES, ELEMENTS, SETS, SYSTEMS, DEFAULTS, SECTIONS, TABLES, PASS_COUNT } stage;

static pl_status read_keyword(reader *r, stage pass, const keyword *word, pl_error *error)
{
  if (pass == NODES && pl_word_like(word->name, "*NODE")) return read_nodes(r, word, error);
  if (pass == ELEMENTS && pl_word_like(word->name, "*ELEMENT"))
    return read_elements(r, word, error);
  if (pass == SETS && pl_word_like(word->name, "*NSET")) return read_set(r, word, 0, error);
  if (pass == SETS && pl_word_like(word->name, "*ELSET")) return read_elset(r, word, error);
  if (pass == SYSTEMS && pl_word_like(word->name, "*ORIENTATION"))
    return read_system(r, word, error);
  if (pass == SECTIONS && pl_word_like(word->name, "*SOLID SECTION"))
    return read_section(r, word, error);
  if (pass == TABLES && pl_word_like(word->name, "*DISTRIBUTION"))
    return read_table(r, word, error);
  if (pass == DEFAULTS && pl_word_like(word->name, "*DISTRIBUTION")) read_default(r, word);
  if (pass == NODES && pl_word_like(word->name, "*INCLUDE"))
    return pl_scan_fail(&r->scan, error, PL_E_UNSUPPORTED,
                        "another file is included; copy it into this one");
  if (pass == NODES && pl_word_like(word->name, "*PART") && ++r->parts > 1)
    return pl_scan_fail(&r->scan, error, PL_E_UNSUPPORTED,
                        "there is more than one part; write each into a file of its own");
  return PL_OK;
}

/* The keyword and its options, on one line or, behind a comma, on several. */
static keyword split_keyword(reader *r, pl_scan *line)
{
  keyword word = {0};
  pl_word piece, nothing;
  next_piece(line, &word.name);
  for (;;) {
    const char *last = line->end;
    while (last > line->at && is_blank(last[-1])) last--;
    while (next_piece(line, &piece)) {
      is_option(piece, "TYPE", &word.type);
      is_option(piece, "NSET", &word.nset);
      is_option(piece, "ELSET", &word.elset);
      is_option(piece, "NAME", &word.title);
      is_option(piece, "ORIENTATION", &word.orientation);
      is_option(piece, "SYSTEM", &word.system);
      word.generate |= is_option(piece, "GENERATE", &nothing);
    }
    if (last == line->start || last[-1] != ',' || !next_data(&r->scan, line)) return word;
  }
}

static pl_status read_pass(reader *r, stage pass, pl_error *error)
{
  pl_scan line;
  pl_status status = PL_OK;
  r->scan.at = r->scan.start;
  while (!status && next_line(&r->scan, &line)) {
    if (*line.at != '*') continue;
    keyword word = split_keyword(r, &line);
    status = read_keyword(r, pass, &word, error);
  }
  if (!status && pass == NODES) status = pl_draft_nodes_end(r->draft, &r->scan, error);
  if (!status && pass == ELEMENTS) status = pl_draft_elements_end(r->draft, &r->scan, error);
  return status;
}

static pl_status abaqus_read(const pl_source *source, pl_mesh **mesh, pl_error *error)
{
  reader r = {.scan = pl_scan_make(source->path, source->file.data, source->file.size),
              .allocator = *source->allocator};
  pl_status status = pl_draft_create(source, source->file.size, &r.draft, error);
  if (status) return status;
  pl_draft_number_elements(r.draft);
  for (int pass = NODES; !status && pass < PASS_COUNT; pass++) {
    if (pass > SYSTEMS && !r.system_count) break;
    status = read_pass(&r, (stage)pass, error);
  }
  pl_free(&r.allocator, r.sets);
  pl_free(&r.allocator, r.systems);
  if (!status) return pl_draft_finish(r.draft, mesh, error);
  pl_draft_destroy(r.draft);
  return status;
}

const pl_format_ops pl_format_abaqus = {
    .info = {.name = "abaqus",
             .summary = "Abaqus meshes (.inp): nodes, C3D4, C3D8 and C3D10, sets",
             .source = "Abaqus keywords reference guide"},
    .extensions = "inp",
    .read = abaqus_read,
    .write = pl_abaqus_write,
};
