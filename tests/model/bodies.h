/* Small irregular bodies for the tests of models: a box of cells with its nodes moved about, cut
 * into tetrahedra or left as hexahedra, and a model on it with every combination of its words. */
#ifndef PL_TEST_BODIES_H
#define PL_TEST_BODIES_H

#include "../material/law_numbers.h"
#include "core/family.h"
#include "core/memory.h"
#include "mesh/grid.h"
#include "model/fem/fem.h"
#include "test.h"

static const pl_material test_material = {
    .density = 1000, .lambda = 3e4, .mu = 2e4, .viscous_lambda = 40, .viscous_mu = 70};

/* Constants that every law can have for its own: parts of mu, and for those with memory shares and
 * times. */
static const double test_numbers[PL_MOST_NUMBERS] = {0.3, 0.2, 0.1, 0, 0, 0,  0.05,
                                                     0.4, 2,   1,   1, 1, 0.3};

/* Six tetrahedra around the diagonal 0-6 of a cell whose corners are numbered as a hexahedron's. */
static const int test_cuts[6][4] = {{0, 1, 2, 6}, {0, 2, 3, 6}, {0, 3, 7, 6},
                                    {0, 7, 4, 6}, {0, 4, 5, 6}, {0, 5, 1, 6}};

static inline int test_node(const int cells[3], int x, int y, int z)
{
  return x + (cells[0] + 1) * (y + (cells[1] + 1) * z);
}

/* A box of cells of edge 0.1 m; inner nodes are moved by up to jitter edges, as are outer ones if
 * bent is set. */
static inline pl_mesh *test_mesh(const pl_allocator *allocator, int size, const int cells[3],
                                 double jitter, int bent)
{
  int nodes = (cells[0] + 1) * (cells[1] + 1) * (cells[2] + 1);
  int elements = cells[0] * cells[1] * cells[2] * (size == 4 ? 6 : 1);
  double *positions = malloc((size_t)nodes * 3 * sizeof *positions);
  int *corners = malloc((size_t)(elements * size) * sizeof *corners), *to = corners;
  test_seed = 88172645463325252ull;
  for (int z = 0; z <= cells[2]; z++) {
    for (int y = 0; y <= cells[1]; y++) {
      for (int x = 0; x <= cells[0]; x++) {
        int inner = x && x < cells[0] && y && y < cells[1] && z && z < cells[2];
        double *at = positions + 3 * test_node(cells, x, y, z);
        double grid[3] = {x, y, z};
        for (int i = 0; i < 3; i++)
          at[i] = 0.1 * (grid[i] + (inner || bent ? jitter * test_uniform() : 0));
      }
    }
  }
  for (int z = 0; z < cells[2]; z++) {
    for (int y = 0; y < cells[1]; y++) {
      for (int x = 0; x < cells[0]; x++) {
        int hex[8];
        for (int k = 0; k < 8; k++)
          hex[k] = test_node(cells, x + (k % 4 == 1 || k % 4 == 2), y + (k % 4 > 1), z + k / 4);
        if (size == 8) {
          for (int k = 0; k < 8; k++) *to++ = hex[k];
          continue;
        }
        for (int t = 0; t < 6; t++) {
          for (int k = 0; k < 4; k++) *to++ = hex[test_cuts[t][k]];
        }
      }
    }
  }
  pl_mesh_def def = {.node_count = nodes,
                     .nodes = positions,
                     .element_count = elements,
                     .nodes_per_element = size,
                     .elements = corners,
                     .allocator = allocator};
  pl_mesh *mesh = NULL;
  CHECK_OK(pl_mesh_create(&def, &mesh, error));
  pl_grid grid = {.axes = 3, .size = {cells[0] + 1, cells[1] + 1, cells[2] + 1}};
  if (mesh) CHECK_OK(pl_mesh_set_grid(mesh, &grid, error));
  free(positions);
  free(corners);
  return mesh;
}

/* The same as a grid: the solid, or (size 3) a surface of its lowest layer. */
static inline pl_mesh *test_grid(const pl_allocator *allocator, int size, const int cells[3],
                                 double jitter, int bent)
{
  pl_mesh *box = test_mesh(allocator, 8, cells, jitter, bent), *mesh = NULL;
  pl_grid grid = {.axes = size == 3 ? 2 : 3, .size = {cells[0] + 1, cells[1] + 1, 1}};
  if (size == 8) grid.size[2] = cells[2] + 1;
  CHECK_OK(pl_grid_mesh(&grid, box->nodes, allocator, &mesh, error));
  pl_mesh_destroy(box);
  return mesh;
}

/* Its surface: every other face of a cell as a quadrilateral, the others as two triangles. */
static inline pl_mesh *test_shell(const pl_allocator *allocator, const int cells[3], double jitter,
                                  int bent)
{
  pl_mesh *box = test_mesh(allocator, 8, cells, jitter, bent), *mesh = NULL;
  int faces = box->face_count, *quads = malloc((size_t)faces * 4 * sizeof *quads);
  int *triangles = malloc((size_t)faces * 6 * sizeof *triangles);
  pl_mesh_def def = {.node_count = box->node_count,
                     .nodes = box->nodes,
                     .nodes_per_element = 3,
                     .elements = triangles,
                     .quads = quads,
                     .allocator = allocator};
  for (int i = 0; i < faces; i++) {
    const int *face = box->faces + 4 * i,
              cut[6] = {face[0], face[1], face[2], face[0], face[2], face[3]};
    if (i % 2) {
      memcpy(quads + 4 * def.quad_count++, face, 4 * sizeof *face);
    } else {
      memcpy(triangles + 3 * def.element_count, cut, sizeof cut);
      def.element_count += 2;
    }
  }
  CHECK_OK(pl_mesh_create(&def, &mesh, error));
  pl_mesh_destroy(box);
  free(quads);
  free(triangles);
  return mesh;
}

/* Its lowest layer as a net: threads along x and y. */
static inline pl_mesh *test_net(const pl_allocator *allocator, const int cells[3], double jitter,
                                int bent)
{
  pl_mesh *box = test_mesh(allocator, 8, cells, jitter, bent), *mesh = NULL;
  int columns = cells[0] + 1, rows = cells[1] + 1, count = 0;
  int *ends = malloc((size_t)(4 * columns * rows) * sizeof *ends);
  for (int i = 0; i < columns * rows; i++) {
    if (i % columns) ends[count++] = i - 1, ends[count++] = i;
    if (i >= columns) ends[count++] = i, ends[count++] = i - columns;
  }
  pl_mesh_def def = {.node_count = columns * rows,
                     .nodes = box->nodes,
                     .element_count = count / 2,
                     .nodes_per_element = 2,
                     .elements = ends,
                     .allocator = allocator};
  CHECK_OK(pl_mesh_create(&def, &mesh, error));
  pl_mesh_destroy(box);
  free(ends);
  return mesh;
}

/* A model, a matrix for it, and a bent and moving state. */
typedef struct test_body {
  pl_mesh *mesh;
  pl_model *model;
  pl_bsr *A;
  int n; /* numbers in a vector */
  double *q, *v, *f, *g, *d;
  int invariant; /* a rigid rotation gives no force */
  int nearly;    /* the force is not quite the slope of the energy */
} test_body;

static inline pl_bsr *test_matrix(const pl_model *model, const pl_allocator *allocator, int offset)
{
  pl_bsr *A = NULL;
  pl_cliques cliques = model->ops->cliques(model);
  cliques.offset = offset;
  CHECK_OK(pl_bsr_create(allocator, offset + model->blocks, &cliques, 1, &A, error));
  return A;
}

static inline double *test_vector(int n) { return calloc(n > 0 ? (size_t)n : 1, sizeof(double)); }

/* sites may be NULL. */
static inline test_body test_body_at(pl_mesh *mesh, const pl_choice *choice,
                                     const pl_material *material, const pl_model_def *sites)
{
  pl_allocator memory = pl_allocator_default();
  test_body body = {.mesh = mesh, .invariant = 1};
  pl_selection part;
  CHECK_OK(pl_choice_resolve(&pl_model_family, choice, &part.member, part.values, error));
  CHECK_OK(pl_model_build(&memory, &part, mesh, material, sites, &body.model, error));
  body.A = test_matrix(body.model, &memory, 0);
  CHECK_OK(pl_model_bind(body.model, body.A, 0, error));
  int strain = pl_param_find(&body.model->ops->info, "strain");
  for (int i = 0; strain >= 0 && i < choice->setting_count; i++) {
    if (strcmp(choice->settings[i].name, "strain")) continue;
    for (int k = 0; pl_strain_family.members[k]; k++) {
      if (!strcmp(pl_strain_family.members[k]->name, choice->settings[i].word))
        body.invariant = pl_strain_at(k)->rotation_invariant;
    }
  }
  for (int i = 0; i < choice->setting_count; i++) {
    const char *word = choice->settings[i].word;
    if (!strcmp(choice->settings[i].name, "forces") && word && !strcmp(word, "linear"))
      body.invariant = 0;
    // dampers against all relative velocity resist rotations
    if (!strcmp(choice->settings[i].name, "rates") && word && !strcmp(word, "full"))
      body.invariant = 0;
    if (!strcmp(choice->settings[i].name, "forces") && word) body.nearly = !strcmp(word, "springs");
    // frames that turn see no rotation
    if (pl_model_has_rotations(body.model) && !strcmp(choice->settings[i].name, "blending") && word)
      body.invariant |= !strcmp(word, "dual-quaternion");
  }
  // angles of rods turn with the body as well: their own test knows by how much
  if (body.model->ops->scalars.turned) body.invariant = 0;
  body.n = 3 * body.model->blocks;
  body.q = test_vector(body.n);
  body.v = test_vector(body.n);
  body.f = test_vector(body.n);
  body.g = test_vector(body.n);
  body.d = test_vector(body.n);
  // turned, stretched, sheared and shaken
  static const double G[9] = {0.2, -0.95, 0.3, 1.1, 0.25, 0.05, -0.1, 0.1, 0.9};
  test_seed = 12345;
  for (int a = 0; a < body.model->blocks; a++) {
    for (int i = 0; i < 3; i++) {
      const double *X = body.model->rest + 3 * a;
      if (pl_model_is_rotation(body.model, a)) {
        // near the rotation in G
        body.q[3 * a + i] = (i == 2 ? 1.35 : 0.1) + 0.1 * test_uniform();
        body.v[3 * a + i] = test_uniform();
        continue;
      }
      if (!pl_model_is_point(body.model, a)) {
        body.q[3 * a + i] = 0.01 * test_uniform();
        body.v[3 * a + i] = test_uniform();
        continue;
      }
      body.q[3 * a + i] = G[3 * i] * X[0] + G[3 * i + 1] * X[1] + G[3 * i + 2] * X[2] + 0.3 * i +
                          0.01 * test_uniform();
      body.v[3 * a + i] = test_uniform();
    }
  }
  return body;
}

static inline test_body test_body_make(pl_mesh *mesh, const pl_choice *choice,
                                       const pl_material *material)
{
  return test_body_at(mesh, choice, material, NULL);
}

/* out = q moved by h d; out may not be d. */
static inline void test_move(const test_body *body, double h, double *out)
{
  for (int i = 0; i < body->n; i++) out[i] = h * body->d[i];
  pl_model_retract(body->model, body->q, out, out);
}

static inline void test_body_release(test_body *body)
{
  pl_bsr_destroy(body->A);
  pl_model_destroy(body->model);
  pl_mesh_destroy(body->mesh);
  free(body->q);
  free(body->v);
  free(body->f);
  free(body->g);
  free(body->d);
}

/* Calls check for every model, every combination of its word parameters and every kind of element.
 * The mesh that check receives belongs to it (through test_body_make). */
typedef struct test_words {
  char words[PL_MOST_VALUES][64];
  pl_setting settings[PL_MOST_VALUES];
  int count;
} test_words;

/* Sets the words of combination number index; returns 0 when there is none of that number. */
static inline int test_combine(const pl_member *member, int index, test_words *out)
{
  out->count = 0;
  for (int p = 0; p < member->param_count; p++) {
    if (!member->params[p].words) continue;
    int words = 1;
    for (const char *c = member->params[p].words; *c; c++) words += *c == '|';
    const char *word = member->params[p].words;
    for (int k = 0; k < index % words; k++) word = strchr(word, '|') + 1;
    index /= words;
    char *copy = out->words[out->count];
    snprintf(copy, sizeof out->words[0], "%.*s", (int)strcspn(word, "|"), word);
    out->settings[out->count++] = (pl_setting){.name = member->params[p].name, .word = copy};
  }
  return index == 0;
}

/* Leaves out combinations that differ from others in a word without effect. */
static inline int test_matters(const test_words *words)
{
  const char *volume = "auto", *strain = "", *rotation = "svd", *weights = "harmonic", *forces = "",
             *mass = "lumped", *stiffness = "exact", *motion = "", *rates = "", *matrix = "";
  for (int k = 0; k < words->count; k++) {
    // sheets that rest at other angles than they have are never at rest
    if (!strcmp(words->settings[k].name, "rest-angles") && !strcmp(words->settings[k].word, "flat"))
      return 0;
    if (!strcmp(words->settings[k].name, "rest-shape"))
      return !strcmp(words->settings[k].word, "mesh");
    if (!strcmp(words->settings[k].name, "strain")) strain = words->settings[k].word;
    if (!strcmp(words->settings[k].name, "rotations")) rotation = words->settings[k].word;
    if (!strcmp(words->settings[k].name, "weights")) weights = words->settings[k].word;
    if (!strcmp(words->settings[k].name, "forces")) forces = words->settings[k].word;
    if (!strcmp(words->settings[k].name, "stiffness")) stiffness = words->settings[k].word;
    if (!strcmp(words->settings[k].name, "rates")) rates = words->settings[k].word;
    if (!strcmp(words->settings[k].name, "matrix")) matrix = words->settings[k].word;
    if (!strcmp(words->settings[k].name, "motion")) motion = words->settings[k].word;
    if (!strcmp(words->settings[k].name, "mass")) mass = words->settings[k].word;
    if (!strcmp(words->settings[k].name, "volume")) volume = words->settings[k].word;
  }
  // "point" is what auto is here, and "patch" needs octets; warped elements share nothing
  int shares = strcmp(volume, "auto");
  if (!strcmp(volume, "point") || !strcmp(volume, "patch")) return 0;
  if (shares && (!strcmp(strain, "warped") || strcmp(mass, "lumped"))) return 0;
  // of springs along themselves only
  if ((!strcmp(rates, "full") || !strcmp(matrix, "laplacian")) && strcmp(forces, "exact")) return 0;
  // one thing at a time: other weights, springs between frames
  int plain =
      !strcmp(strain, "corotated") && !strcmp(mass, "lumped") && !strcmp(stiffness, "exact");
  if (strcmp(weights, "harmonic") && !plain) return 0;
  // cubics need more samples than these bodies have
  if (!strcmp(weights, "spline") && *motion) return 0;
  if (!strcmp(forces, "springs") && (!plain || strcmp(weights, "harmonic"))) return 0;
  return !strcmp(strain, "warped") || !strcmp(rotation, "svd");
}

/* Is it a plain combination, with Green's strain or, for laws that use the strain, any but warped?
 */
static inline int test_is_plain(const test_words *words, int any_strain)
{
  for (int k = 0; k < words->count; k++) {
    const char *name = words->settings[k].name, *word = words->settings[k].word;
    if (!strcmp(name, "strain") && !any_strain && strcmp(word, "green")) return 0;
    if (!strcmp(name, "strain") && !strcmp(word, "warped")) return 0;
    if (!strcmp(name, "forces") && any_strain && !strcmp(word, "springs")) return 0;
    if (!strcmp(name, "mass") && strcmp(word, "lumped")) return 0;
    if (!strcmp(name, "weights") && strcmp(word, "harmonic")) return 0;
    if (!strcmp(name, "stiffness") && strcmp(word, "exact")) return 0;
  }
  return 1;
}

/* Does the model have what the law asks for? */
static inline int test_serves(const test_words *words, const pl_model_ops *ops,
                              const pl_law_ops *law)
{
  if ((law->memory.count || law->uses_axes) && (!ops->memory.advance || ops->memory.begin))
    return 0;
  for (int k = 0; k < words->count; k++) {
    const char *word = words->settings[k].word;
    if (law->memory.count && law->uses_strain && !strcmp(word, "hybrid")) return 0;
    if (law->uses_axes && !strcmp(word, "springs")) return 0;
  }
  return 1;
}

/* A body of one tetrahedron. */
static inline test_body test_tetrahedron(const double corners[12], const pl_choice *choice)
{
  const int nodes[4] = {0, 1, 2, 3};
  pl_mesh_def def = {.node_count = 4,
                     .nodes = corners,
                     .element_count = 1,
                     .nodes_per_element = 4,
                     .elements = nodes};
  pl_mesh *mesh = NULL;
  CHECK_OK(pl_mesh_create(&def, &mesh, error));
  return test_body_make(mesh, choice, &test_material);
}

/* Nodes share a volume with tetrahedra only, and elements of several points; not all laws let them.
 */
static inline int test_can_share(const test_words *words, const pl_law_ops *law, int size)
{
  int shares = 0, mixed = 0;
  for (int k = 0; k < words->count; k++) {
    const char *name = words->settings[k].name, *word = words->settings[k].word;
    shares |= !strcmp(name, "volume") && strcmp(word, "auto");
    mixed |= !strcmp(name, "strain") && !strcmp(word, "hybrid");
  }
  if (shares && mixed && (!law || law->uses_strain || !law->points.stress)) return 0;
  for (int k = 0; k < words->count; k++) {
    if (strcmp(words->settings[k].name, "volume")) continue;
    const char *word = words->settings[k].word;
    if (!strcmp(word, "node") && size != 4) return 0;
    if (!strcmp(word, "element") && size == 4) return 0;
    if (strcmp(word, "auto") && law && law->volume == PL_VOLUME_OWN) return 0;
  }
  return 1;
}

/* law: NULL for Hooke's; others are looked at in plain combinations only. */
static inline void test_every_body_of(const pl_law_ops *law, const int cells[3], double jitter,
                                      int bent, void (*check)(test_body *body))
{
  pl_material material = test_material;
  material.law = law;
  memcpy(material.numbers, test_numbers_of(law, test_numbers), sizeof test_numbers);
  for (int m = 0; pl_model_family.members[m]; m++) {
    const pl_member *member = pl_model_family.members[m];
    test_words words;
    for (int c = 0; test_combine(member, c, &words); c++) {
      if (!test_matters(&words) || (law && !test_is_plain(&words, law->uses_strain))) continue;
      static const int sizes[] = {4, 8, 3, 2};
      const pl_model_ops *ops = (const void *)member;
      int kinds = ops->meshes & PL_ON_SEGMENTS ? 4 : ops->meshes & PL_ON_TRIANGLES ? 3 : 2;
      int first = ops->meshes == PL_ON_SEGMENTS ? 3 : ops->meshes == PL_ON_TRIANGLES ? 2 : 0;
      if (law && !test_serves(&words, ops, law)) continue;
      for (int kind = first; kind < kinds; kind++) {
        int size = sizes[kind];
        if (!test_can_share(&words, law, size)) continue;
        pl_choice choice = {member->name, words.settings, words.count};
        // curves on grids need tensors of their own: model/grid has them
        if (ops->meshes & PL_ON_GRIDS && (size == 4 || size == 2)) continue;
        pl_mesh *mesh = ops->meshes & PL_ON_GRIDS ? test_grid(NULL, size, cells, jitter, bent)
                        : size == 2               ? test_net(NULL, cells, jitter, bent)
                        : size == 3               ? test_shell(NULL, cells, jitter, bent)
                                                  : test_mesh(NULL, size, cells, jitter, bent);
        test_body body = test_body_make(mesh, &choice, &material);
        int before = test_failures;
        check(&body);
        if (test_failures > before) {
          printf("    in %s of %s on %d nodes:", member->name, law ? law->info.name : "hooke",
                 size);
          for (int k = 0; k < words.count; k++) printf(" %s", words.settings[k].word);
          printf("\n");
        }
        test_body_release(&body);
      }
    }
  }
}

static inline void test_every_body(const int cells[3], double jitter, int bent,
                                   void (*check)(test_body *body))
{
  test_every_body_of(NULL, cells, jitter, bent, check);
}

/* ---- vectors ---- */

static inline double test_dot(const double *a, const double *b, int n)
{
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

static inline double test_length(const double *a, int n) { return sqrt(test_dot(a, a, n)); }

/* |a - b| / |b| */
static inline double test_distance(const double *a, const double *b, int n)
{
  double sum = 0;
  for (int i = 0; i < n; i++) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sqrt(sum) / test_length(b, n);
}

static inline void test_fill(double *a, int n, double size)
{
  for (int i = 0; i < n; i++) a[i] = size * test_uniform();
}

/* How long after the last begin models are evaluated, s. */
static double test_since;

/* Evaluates a model; A may be NULL. */
static inline void test_evaluate(pl_model *model, const double *q, const double *v, double *f,
                                 double kq, double kv, int semidefinite, pl_bsr *A, pl_pool *pool)
{
  const pl_moment at = {.q = q, .v = v, .h = test_since, .load_scale = 1};
  const pl_tangent tangent = {.kq = kq, .kv = kv, .semidefinite = semidefinite, .A = A};
  model->ops->evaluate(model, &at, f, A ? &tangent : NULL, pool);
}

/* Memory of a body whose blocks have been moved about; NULL if it has none. To be freed. */
static inline double *test_live(test_body *body)
{
  static const double times[] = {0.02, 0.4, 1e-3};
  size_t count = pl_model_memory(body->model);
  double *memory = count ? calloc(count, sizeof *memory) : NULL;
  for (int k = 0; memory && k < 3; k++) {
    for (int i = 0; i < body->n; i++) body->d[i] = 0.02 * test_uniform();
    pl_model_retract(body->model, body->q, body->d, body->g);
    const pl_moment at = {.q = body->g, .h = times[k]};
    pl_model_begin(body->model, memory);
    pl_model_commit(body->model, &at, memory, NULL);
  }
  return memory;
}

/* f = forces at (q, v). */
static inline void test_forces(test_body *body, const double *q, const double *v, double *f)
{
  memset(f, 0, (size_t)body->n * sizeof *f);
  test_evaluate(body->model, q, v, f, 0, 0, 0, NULL, NULL);
}

/* Energy against force and force against stiffness, by central differences in a random direction;
 * the stiffness within tolerance of a unit. */
static inline void test_slopes(test_body *body, double tolerance)
{
  const double h = 1e-6;
  double energy[2], *low = test_vector(body->n);
  test_fill(body->d, body->n, 1);
  test_forces(body, body->q, NULL, body->f);
  for (int side = 0; side < 2; side++) {
    test_move(body, side ? h : -h, body->g);
    energy[side] = body->model->ops->energy(body->model, body->g, NULL);
  }
  double slope = (energy[1] - energy[0]) / (2 * h), scale = test_length(body->f, body->n);
  CHECK_NEAR(slope, -test_dot(body->f, body->d, body->n), 2e-6 * scale);

  pl_bsr_zero(body->A, NULL);
  test_evaluate(body->model, body->q, NULL, NULL, 1, 0, 0, body->A, NULL);
  test_move(body, -h, body->g);
  test_forces(body, body->g, NULL, low);
  test_move(body, h, body->g);
  test_forces(body, body->g, NULL, body->f);
  for (int i = 0; i < body->n; i++) low[i] = (low[i] - body->f[i]) / (2 * h);
  pl_bsr_multiply(body->A, body->d, body->g, NULL);
  CHECK(test_distance(low, body->g, body->n) <= tolerance);
  free(low);
}

/* The semidefinite stiffness of the state has no negative curvature along random directions. */
static inline void test_semidefinite(test_body *body)
{
  pl_bsr_zero(body->A, NULL);
  test_evaluate(body->model, body->q, NULL, NULL, 1, 0, 1, body->A, NULL);
  for (int trial = 0; trial < 20; trial++) {
    test_fill(body->d, body->n, 1);
    pl_bsr_multiply(body->A, body->d, body->g, NULL);
    CHECK(test_dot(body->d, body->g, body->n) >= 0);
  }
}

#endif
