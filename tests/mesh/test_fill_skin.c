/* Surfaces filled so that they lie inside the elements; what encloses nothing is refused. */
#include "math/vec3.h"
#include "mesh/embed.h"
#include "mesh/skin.h"

#include "failing.h"

enum { AROUND = 48, ACROSS = 24, ROOM = 4 * AROUND * ACROSS };

typedef struct soup {
  double points[3 * ROOM];
  int triangles[3 * 2 * ROOM];
  int point_count, triangle_count, around, across; /* the last two: cells of a grid */
} soup;

/* A grid of (u, v) in [0, 1]^2 through the function. */
static void add_grid(soup *s, void (*place)(double u, double v, double *point), int wraps)
{
  int around = s->around, across = s->across;
  int first = s->point_count;
  for (int i = 0; i <= around; i++) {
    for (int j = 0; j <= across; j++) {
      place((double)(wraps ? i % around : i) / around, (double)j / across,
            s->points + 3 * s->point_count);
      s->point_count++;
    }
  }
  for (int i = 0; i < around * across; i++) {
    int a = first + i / across * (across + 1) + i % across, b = a + across + 1;
    const int corners[6] = {a, b, b + 1, a, b + 1, a + 1};
    memcpy(s->triangles + 3 * s->triangle_count, corners, sizeof corners);
    s->triangle_count += 2;
  }
}

static void ball(double u, double v, double *p)
{
  double a = 2 * M_PI * u, b = M_PI * v;
  p[0] = sin(b) * cos(a);
  p[1] = sin(b) * sin(a);
  p[2] = cos(b);
}

/* A ring of radius 0.55 and thickness 0.1 beside the ball, half of it inside. */
static void handle(double u, double v, double *p)
{
  double a = 2 * M_PI * u, b = 2 * M_PI * v, r = 0.55 + 0.05 * cos(b);
  p[0] = 1.1 + r * cos(a);
  p[1] = 0.05 * sin(b);
  p[2] = r * sin(a);
}

static void flat(double u, double v, double *p)
{
  p[0] = u;
  p[1] = v;
  p[2] = 0;
}

static void wave(double u, double v, double *p)
{
  flat(u, v, p);
  p[2] = 0.05 * sin(5 * u);
}

static pl_skin *make_skin(const soup *s)
{
  pl_skin *skin = NULL;
  pl_skin_def def = {.point_count = s->point_count,
                     .triangle_count = s->triangle_count,
                     .points = s->points,
                     .triangles = s->triangles};
  CHECK_OK(pl_skin_create(&def, &skin, error));
  return skin;
}

static pl_skin *pot(int has_handle, int across)
{
  static soup s;
  s = (soup){.around = 2 * across, .across = across};
  add_grid(&s, ball, 1);
  if (has_handle) add_grid(&s, handle, 1);
  return make_skin(&s);
}

/* The farthest point outside in mean edges. */
static double outside(const pl_skin *skin, const pl_mesh *mesh)
{
  pl_embed *embed = NULL;
  pl_mesh_facts facts;
  double max = 0;
  CHECK_OK(pl_mesh_measure(mesh, &facts, error));
  CHECK_OK(pl_embed_create(mesh, skin->point_count, skin->points, NULL, &embed, error));
  for (int i = 0; i < skin->point_count; i++) max = fmax(max, embed->distances[i]);
  pl_embed_destroy(embed);
  return max / facts.mean_edge;
}

static void count_log(void *context, pl_level level, const char *text)
{
  int *counts = context;
  counts[level]++;
  CHECK(strstr(text, "pot: ") == text);
}

TEST(thin_handles_are_not_lost)
{
  pl_skin *skin = pot(1, ACROSS);
  pl_mesh *mesh = NULL;
  int counts[2] = {0};
  pl_log log = {count_log, counts};
  pl_setting elements = {.name = "elements", .value = {1500}};
  pl_volume volume = pl_skin_volume(skin);
  CHECK_OK(pl_fill(&volume, &(pl_choice){NULL, &elements, 1}, NULL, &mesh, error));
  CHECK(outside(skin, mesh) > 2);
  pl_mesh_destroy(mesh);
  pl_fill_job job = {.skin = skin, .filler = {NULL, &elements, 1}, .name = "pot", .log = &log};
  CHECK_OK(pl_fill_skin(&job, &mesh, error));
  CHECK(outside(skin, mesh) < 1);
  CHECK(counts[PL_NOTE] == 1 && counts[PL_WARNING] == 0);
  pl_mesh_destroy(mesh);

  // a method that was asked for stays, with a warning
  job.filler.name = "stuffing";
  CHECK_OK(pl_fill_skin(&job, &mesh, error));
  CHECK(outside(skin, mesh) > 2 && counts[PL_WARNING] == 1);
  pl_mesh_destroy(mesh);
  job.filler = (pl_choice){.name = "ellipse"};
  CHECK_FAILS(pl_fill_skin(&job, &mesh, error), PL_E_ARGUMENT, "ellipse");
  pl_skin_destroy(skin);
}

TEST(a_surface_inside_its_elements_is_filled_as_asked)
{
  pl_skin *skin = pot(0, ACROSS);
  pl_mesh *mesh = NULL, *same = NULL;
  int counts[2] = {0};
  pl_log log = {count_log, counts};
  pl_setting elements = {.name = "elements", .value = {1500}};
  pl_volume volume = pl_skin_volume(skin);
  pl_fill_job job = {.skin = skin, .filler = {NULL, &elements, 1}, .name = "pot", .log = &log};
  CHECK_OK(pl_fill_skin(&job, &mesh, error));
  CHECK_OK(pl_fill(&volume, &job.filler, NULL, &same, error));
  CHECK(mesh->element_count == same->element_count && mesh->node_count == same->node_count);
  CHECK(counts[PL_NOTE] == 0 && counts[PL_WARNING] == 0);
  pl_mesh_destroy(mesh);
  pl_mesh_destroy(same);
  pl_skin_destroy(skin);
}

TEST(what_encloses_nothing_is_refused)
{
  static soup s;
  static const struct {
    void (*place)(double u, double v, double *point);
    const char *part;
  } cases[] = {{flat, "flat, 0 m along z"}, {wave, "open, with 144 edges"}};
  for (int i = 0; i < 2; i++) {
    s = (soup){.around = AROUND, .across = ACROSS};
    add_grid(&s, cases[i].place, 0);
    pl_skin *skin = make_skin(&s);
    pl_mesh *mesh = NULL;
    pl_fill_job job = {.skin = skin, .name = "sheet"};
    CHECK_FAILS(pl_fill_skin(&job, &mesh, error), PL_E_MESH, cases[i].part);
    pl_skin_destroy(skin);
  }
}

static void neighbour(double u, double v, double *p)
{
  ball(u, v, p);
  p[0] += 2.3;
}

/* Where nothing was asked for, smaller elements part them, or a cage holds both: no hinge of a few
 * nodes is left. */
TEST(pieces_that_elements_join_are_parted_or_joined_well)
{
  static soup s;
  s = (soup){.around = AROUND, .across = ACROSS};
  add_grid(&s, ball, 1);
  add_grid(&s, neighbour, 1);
  pl_skin *skin = make_skin(&s);
  static const double wanted[] = {100, 300};
  for (int k = 0; k < 2; k++) {
    int counts[2] = {0};
    pl_mesh *mesh = NULL;
    pl_mesh_facts facts;
    pl_log log = {count_log, counts};
    pl_setting elements = {.name = "elements", .value = {wanted[k]}};
    pl_fill_job job = {.skin = skin, .filler = {NULL, &elements, 1}, .name = "pot", .log = &log};
    CHECK_OK(pl_fill_skin(&job, &mesh, error));
    CHECK_OK(pl_mesh_measure(mesh, &facts, error));
    CHECK(facts.pieces == 1 + k && counts[PL_NOTE] == 2 - k && counts[PL_WARNING] == 0);
    // six tetrahedra in each cell of the cage
    CHECK(k || mesh->element_count % 6 == 0);
    pl_mesh_destroy(mesh);
  }
  pl_skin_destroy(skin);
}

/* Elements larger than a gap reach over it; smaller ones do not. */
TEST(pieces_that_elements_join_are_named)
{
  static soup s;
  s = (soup){.around = AROUND, .across = ACROSS};
  add_grid(&s, ball, 1);
  add_grid(&s, neighbour, 1);
  pl_skin *skin = make_skin(&s);
  for (int fine = 0; fine < 2; fine++) {
    int counts[2] = {0};
    pl_mesh *mesh = NULL;
    pl_mesh_facts facts;
    pl_log log = {count_log, counts};
    pl_setting size = {.name = "size", .value = {fine ? 0.25 : 0.8}};
    pl_fill_job job = {.skin = skin, .filler = {"stuffing", &size, 1}, .name = "pot", .log = &log};
    CHECK_OK(pl_fill_skin(&job, &mesh, error));
    CHECK_OK(pl_mesh_measure(mesh, &facts, error));
    CHECK(facts.pieces == (fine ? 2 : 1) && counts[PL_NOTE] == !fine);
    pl_mesh_destroy(mesh);
  }
  pl_skin_destroy(skin);
}

/* What a program that has its own surface calls. */
TEST(a_surface_of_a_program_is_filled)
{
  static soup s;
  pl_mesh *mesh = NULL;
  pl_mesh_facts facts;
  s = (soup){.around = AROUND, .across = ACROSS};
  add_grid(&s, ball, 1);
  pl_setting size = {.name = "size", .value = {0.3}};
  pl_surface_def def = {.point_count = s.point_count,
                        .points = s.points,
                        .triangle_count = s.triangle_count,
                        .triangles = s.triangles,
                        .filler = {"stuffing", &size, 1}};
  CHECK_OK(pl_mesh_fill(&def, &mesh, error));
  CHECK_OK(pl_mesh_measure(mesh, &facts, error));
  CHECK_NEAR(facts.volume, 4 * M_PI / 3, 0.2);
  CHECK(facts.pieces == 1);
  pl_mesh_destroy(mesh);
  s.triangles[7] = s.point_count;
  CHECK_FAILS(pl_mesh_fill(&def, &mesh, error), PL_E_MESH, "triangle");
  def.points = NULL;
  CHECK_FAILS(pl_mesh_fill(&def, &mesh, error), PL_E_ARGUMENT, "needs points");
  CHECK_FAILS(pl_mesh_fill(NULL, &mesh, error), PL_E_ARGUMENT, "pl_mesh_fill needs");
}

static pl_status attempt(const pl_allocator *allocator, void *context)
{
  pl_skin *skin = context;
  pl_mesh *mesh = NULL;
  pl_setting elements = {.name = "elements", .value = {60}};
  pl_allocator before = skin->allocator;
  skin->allocator = *allocator;
  pl_fill_job job = {.skin = skin, .filler = {NULL, &elements, 1}, .allocator = allocator};
  pl_status status = pl_fill_skin(&job, &mesh, &(pl_error){0});
  skin->allocator = before;
  pl_mesh_destroy(mesh);
  return status;
}

/* A block with a needle: filled again and again, with few triangles. */
TEST(no_memory)
{
  static soup s = {
      .point_count = 8,
      .triangle_count = 8,
      .points = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 5, 0, 0.02, 5, 0.02, 0, 5},
      .triangles = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3, 4, 6, 5, 4, 5, 7, 4, 7, 6, 5, 6, 7}};
  pl_skin *skin = make_skin(&s);
  fail_every_allocation(attempt, skin);
  pl_skin_destroy(skin);
}

TESTS(X(thin_handles_are_not_lost) X(a_surface_inside_its_elements_is_filled_as_asked)
          X(what_encloses_nothing_is_refused) X(pieces_that_elements_join_are_parted_or_joined_well)
              X(pieces_that_elements_join_are_named) X(a_surface_of_a_program_is_filled)
                  X(no_memory))
