/* The viewer's parts without a network: commands, messages, the drawn surface, the history, the
 * board. */
#include "view/board.h"
#include "view/command.h"
#include "view/history.h"
#include "view/protocol.h"
#include "view/server.h"

#include "world/bar.h"

#include "test.h"

static pl_world *make(const bar_def *bar, pl_body_id *body)
{
  pl_world *world = NULL;
  CHECK_OK(bar_make(bar, &world, body, error));
  return world;
}

/* ---- commands ---- */

static pl_status parse(const char *line, pl_command *command, pl_error *error)
{
  return pl_command_parse(line, strlen(line), command, error);
}

TEST(commands_are_read)
{
  pl_command command;
  CHECK_OK(parse("play", &command, error));
  CHECK(command.kind == PL_COMMAND_play);
  CHECK_OK(parse("seek 120", &command, error));
  CHECK(command.kind == PL_COMMAND_seek && command.numbers[0] == 120);
  CHECK_OK(parse("drag 0.5 -1e-3 2", &command, error));
  CHECK(command.numbers[1] == -1e-3 && command.numbers[2] == 2);
  CHECK_OK(parse("set material.0 young 2e5", &command, error));
  CHECK(strcmp(command.words[0], "material.0") == 0 && strcmp(command.words[1], "young") == 0);
  CHECK(strcmp(command.rest, "2e5") == 0);
  CHECK_OK(parse("set world gravity 0 0 -1.6", &command, error));
  CHECK(strcmp(command.rest, "0 0 -1.6") == 0);
}

TEST(everything_else_is_refused)
{
  static const struct {
    const char *line, *part;
  } bad[] = {{"", "missing"},
             {"   ", "missing"},
             {"fly", "unknown command"},
             {"play now", "more than it takes"},
             {"seek", "number is missing"},
             {"seek x", "number is missing"},
             {"seek -1", "must lie between"},
             {"seek 1.5", "whole number"},
             {"seek 1e99", "must lie between"},
             {"seek nan", "number is missing"},
             {"step 0", "must lie between"},
             {"drag 1 2", "number is missing"},
             {"drag 1 2 inf", "number is missing"},
             {"speed 0", "must lie between"},
             {"set world", "word is missing"},
             {"set world dt", "value is missing"},
             {"play\n", "one line"},
             {"play\x01", "one line"},
             {"pl\xc3\xa4y", "one line"}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    pl_command command;
    pl_error error = {0};
    CHECK(parse(bad[i].line, &command, &error) != PL_OK);
    if (!strstr(error.message, bad[i].part)) printf("  %s: %s\n", bad[i].line, error.message);
    CHECK(strstr(error.message, bad[i].part) != NULL);
  }
  // long ones, and ones with a zero inside
  char line[4096];
  pl_command command;
  memset(line, 'x', sizeof line);
  CHECK(pl_command_parse(line, sizeof line, &command, NULL) == PL_E_LIMIT);
  CHECK(pl_command_parse(line, 200, &command, NULL) != PL_OK);
  CHECK(pl_command_parse("play\0 me", 8, &command, NULL) != PL_OK);
}

/* Random lines out of the command's own words: whatever happens, nothing is written beyond. */
TEST(random_lines_do_no_harm)
{
  static const char *const words[] = {"set",  "seek", "grab", "1e5", "-1", "material.0", "young",
                                      "drag", "0.5",  "  ",   "\t",  "é",  "1e999",      "play"};
  int taken = 0;
  for (int i = 0; i < 20000; i++) {
    char line[600] = "";
    size_t used = 0;
    for (uint64_t n = test_random() % 8; n > 0; n--) {
      const char *word = words[test_random() % (sizeof words / sizeof *words)];
      used += (size_t)snprintf(line + used, sizeof line - used, "%s%s", word, n % 3 ? " " : "");
    }
    pl_command command;
    taken += pl_command_parse(line, used, &command, NULL) == PL_OK;
  }
  CHECK(taken > 100); // some of them are commands
}

/* ---- messages ---- */

static uint32_t u32_at(const pl_text *text, size_t at)
{
  uint32_t value = 0;
  for (int i = 3; i >= 0; i--) value = value << 8 | (unsigned char)text->data[at + (size_t)i];
  return value;
}

static float f32_at(const pl_text *text, size_t at)
{
  uint32_t bits = u32_at(text, at);
  float value;
  memcpy(&value, &bits, 4);
  return value;
}

/* The layout of docs/viewer.md, byte by byte. */
TEST(a_frame_has_its_layout)
{
  const float positions[6] = {1, 2, 3, 4, 5, 6}, values[2] = {0.5f, -2};
  const float vectors[6] = {7, 8, 9, 10, 11, 12}, locals[PL_LOCAL_FLOATS] = {13};
  const float contacts[PL_CONTACT_FLOATS] = {21};
  pl_view_frame frame = {.scene = 3,
                         .number = 7,
                         .flags = PL_FRAME_PLAYING | PL_FRAME_GAUGED,
                         .time = 0.25,
                         .vertex_count = 2,
                         .positions = positions,
                         .tint = PL_TINT_velocity,
                         .values = values,
                         .arrows = PL_ARROWS_outer,
                         .vectors = vectors,
                         .local_count = 1,
                         .locals = locals,
                         .contact_count = 1,
                         .contacts = contacts,
                         .has_tool = 1,
                         .tool_radius = 0.5,
                         .tool_centre = {1, 2, 3},
                         .tool_force = {0, 0, 4},
                         .pull_count = 1,
                         .gauge_count = 2,
                         .gauges = {10, 20},
                         .history_place = 4,
                         .history_count = 5,
                         .real_time_factor = 0.75f,
                         .step_seconds = 0.125f};
  frame.pulls[0].force[1] = -9;
  pl_text text = pl_text_make(NULL);
  pl_write_frame(&text, &frame);
  CHECK(text.size == 100 + 36 + 2 * 4 + 6 * 4 + 2 * 4 + 6 * 4 + 12 * 4 + 6 * 4);
  CHECK(memcmp(text.data, "PLF1", 4) == 0);
  CHECK(u32_at(&text, 4) == 3 && u32_at(&text, 8) == 7 && u32_at(&text, 12) == 9);
  CHECK(u32_at(&text, 20) == 0x3fd00000u); // 0.25 as a double
  CHECK(u32_at(&text, 24) == 2 && u32_at(&text, 28) == PL_TINT_velocity);
  CHECK(u32_at(&text, 32) == 1 && u32_at(&text, 36) == 2);
  CHECK(u32_at(&text, 40) == 4 && u32_at(&text, 44) == 5);
  CHECK(f32_at(&text, 48) == 0.75f && f32_at(&text, 52) == 0.125f);
  CHECK(u32_at(&text, 56) == PL_ARROWS_outer && u32_at(&text, 60) == 1 && u32_at(&text, 64) == 1);
  CHECK(f32_at(&text, 68) == 0.5f && f32_at(&text, 72) == 1 && f32_at(&text, 92) == 4);
  CHECK(f32_at(&text, 100 + 28) == -9);
  CHECK(u32_at(&text, 96) == 1);
  CHECK(f32_at(&text, 136) == 10 && f32_at(&text, 144) == 1 && f32_at(&text, 168) == 0.5f);
  CHECK(f32_at(&text, 176) == 7 && f32_at(&text, 200) == 13 && f32_at(&text, 248) == 21);
  frame.tint = PL_TINT_none;
  frame.arrows = PL_ARROWS_none;
  frame.local_count = frame.contact_count = 0;
  text.size = 0;
  pl_write_frame(&text, &frame);
  CHECK(text.size == 100 + 36 + 2 * 4 + 6 * 4);
  pl_text_release(&text);
}

/* ---- the surface ---- */

/* A closed surface: Euler's formula, every edge between two faces, outward triangles that enclose
 * the body's volume. */
TEST(the_surface_is_closed)
{
  const char *elements[] = {"tet", "hex"};
  for (int i = 0; i < 2; i++) {
    pl_body_id body;
    pl_world *world = make(&(bar_def){.element = elements[i]}, &body);
    pl_surface surface;
    CHECK_OK(pl_surface_create(world, NULL, &surface, error));
    int faces = pl_mesh_face_count(pl_world_body_mesh(world, body));
    CHECK(surface.vertex_count - surface.edge_count + faces == 2);
    CHECK(surface.triangle_count == (i ? 2 : 1) * faces);
    float *x = calloc((size_t)surface.vertex_count * 3, sizeof *x);
    CHECK_OK(pl_surface_positions(&surface, world, x, error));
    double volume = 0;
    for (int t = 0; t < surface.triangle_count; t++) {
      const float *a = x + 3 * surface.triangles[3 * t], *b = x + 3 * surface.triangles[3 * t + 1];
      const float *c = x + 3 * surface.triangles[3 * t + 2];
      volume += (double)(a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
                         a[2] * (b[0] * c[1] - b[1] * c[0])) /
                6;
    }
    CHECK_NEAR(volume, 0.0625, 1e-6);
    free(x);
    pl_surface_release(&surface);
    pl_world_destroy(world);
  }
}

/* A body that moves without load has strains of rounding only; none of them is a colour. */
TEST(rounding_is_not_shown_as_stress)
{
  pl_body_id body;
  pl_world *world = make(&(bar_def){0}, &body);
  int nodes = pl_mesh_node_count(pl_world_body_mesh(world, body));
  double *x = calloc((size_t)nodes * 3, sizeof *x);
  pl_surface surface;
  CHECK_OK(pl_surface_create(world, NULL, &surface, error));
  float *values = calloc((size_t)surface.vertex_count, sizeof *values);
  CHECK_OK(pl_world_get_positions(world, body, x, error));
  const pl_tint tints[] = {PL_TINT_von_mises, PL_TINT_strain, PL_TINT_energy_density,
                           PL_TINT_pressure, PL_TINT_principal_stress};
  // moved as a whole, then stretched by as little as can be told from that
  for (int stretched = 0; stretched < 2; stretched++) {
    for (int i = 0; i < 3 * nodes; i++) x[i] += stretched ? 1e-9 * x[i] : 0.1 + 0.7 * (i % 3);
    CHECK_OK(pl_world_set_positions(world, body, x, error));
    for (size_t t = 0; t < sizeof tints / sizeof *tints; t++) {
      double largest = 0;
      CHECK_OK(pl_surface_tint(&surface, world, tints[t], values, error));
      for (int i = 0; i < surface.vertex_count; i++)
        largest = fmax(largest, fabs((double)values[i]));
      int shows = stretched && tints[t] != PL_TINT_von_mises && tints[t] != PL_TINT_strain;
      if (shows || !stretched) CHECK((largest > 0) == shows);
    }
  }
  pl_surface_release(&surface);
  free(values);
  free(x);
  pl_world_destroy(world);
}

TEST(tints_show_what_they_say)
{
  pl_body_id body;
  pl_world *world = make(&(bar_def){0}, &body);
  int nodes = pl_mesh_node_count(pl_world_body_mesh(world, body));
  double *x = calloc((size_t)nodes * 3, sizeof *x), *v = calloc((size_t)nodes * 3, sizeof *v);
  // stretched by a tenth along x, moving with (3, 0, 4) m/s
  CHECK_OK(pl_world_get_positions(world, body, x, error));
  for (int i = 0; i < nodes; i++) {
    x[3 * i] *= 1.1;
    v[3 * i] = 3;
    v[3 * i + 2] = 4;
  }
  CHECK_OK(pl_world_set_positions(world, body, x, error));
  CHECK_OK(pl_world_set_velocities(world, body, v, error));
  pl_surface surface;
  CHECK_OK(pl_surface_create(world, NULL, &surface, error));
  float *values = calloc((size_t)surface.vertex_count, sizeof *values);
  // E = 1e6, nu = 0.3: mu = 384615 Pa; uniaxial strain e gives a von Mises stress of 2 mu e, here
  // of first Piola or Cauchy kind, which differ by a tenth
  // Green's strain is 0.105, two thirds of it deviatoric; linear elastic energy (lambda/2 + mu) e^2
  const double expected[PL_TINT_COUNT] = {[PL_TINT_von_mises] = 2 * 384615 * 0.1,
                                          [PL_TINT_volume_ratio] = 1.1,
                                          [PL_TINT_strain] = 0.07,
                                          [PL_TINT_energy_density] = (288461.5 + 384615.4) * 0.01,
                                          [PL_TINT_velocity] = 5,
                                          [PL_TINT_pressure] = -(134615.385 + 2 * 52447.552) / 3,
                                          [PL_TINT_principal_stress] = 134615.385};
  const double tolerance[PL_TINT_COUNT] = {[PL_TINT_von_mises] = 0.15 * 2 * 384615 * 0.1,
                                           [PL_TINT_volume_ratio] = 1e-6,
                                           [PL_TINT_strain] = 1e-6,
                                           [PL_TINT_energy_density] = 0.01,
                                           [PL_TINT_velocity] = 1e-6,
                                           [PL_TINT_pressure] = 0.1,
                                           [PL_TINT_principal_stress] = 0.1};
  for (int tint = 1; tint < PL_TINT_COUNT; tint++) {
    CHECK_OK(pl_surface_tint(&surface, world, (pl_tint)tint, values, error));
    for (int i = 0; i < surface.vertex_count; i++) {
      double want = expected[tint];
      const double *rest = pl_mesh_nodes(pl_world_body_mesh(world, body));
      if (tint == PL_TINT_displacement) want = 0.1 * rest[3 * surface.nodes[i]];
      CHECK_NEAR((double)values[i], want, tolerance[tint] + 1e-7);
    }
  }
  // arrows are vectors; stretched, the held end is pulled at along x
  float *vectors = calloc(3 * (size_t)surface.vertex_count, sizeof *vectors);
  CHECK_OK(pl_surface_arrows(&surface, world, PL_ARROWS_velocity, vectors, error));
  for (int i = 0; i < surface.vertex_count; i++)
    CHECK(vectors[3 * i] == 3 && vectors[3 * i + 1] == 0 && vectors[3 * i + 2] == 4);
  double inner = 0, outer = 0;
  for (int which = 0; which < 2; which++) {
    CHECK_OK(pl_surface_arrows(&surface, world, which ? PL_ARROWS_inner : PL_ARROWS_outer, vectors,
                               error));
    for (int i = 0; i < surface.vertex_count; i++) {
      if (x[3 * surface.nodes[i]] < 1e-9) *(which ? &inner : &outer) += (double)vectors[3 * i];
    }
  }
  CHECK(inner > 100 && outer < -100);
  free(vectors);
  // the clamped end is held, the others are not
  unsigned char *held = calloc((size_t)surface.vertex_count, 1);
  CHECK_OK(pl_surface_held(&surface, world, held, error));
  for (int i = 0; i < surface.vertex_count; i++)
    CHECK(held[i] == (x[3 * surface.nodes[i]] < 1e-9 ? 7 : 0));
  free(held);
  free(values);
  free(x);
  free(v);
  pl_surface_release(&surface);
  pl_world_destroy(world);
}

/* A body that is turned as a whole has all its frames turned alike. */
TEST(local_frames_turn_with_the_body)
{
  const char *elements[] = {"tet", "hex"};
  for (int e = 0; e < 2; e++) {
    pl_body_id body;
    pl_world *world = make(&(bar_def){.element = elements[e]}, &body);
    int nodes = pl_mesh_node_count(pl_world_body_mesh(world, body));
    double *x = calloc((size_t)nodes * 6, sizeof *x), *room = x + 3 * nodes;
    pl_locals *locals = calloc(1, sizeof *locals);
    float *out = calloc(PL_MOST_LOCALS * PL_LOCAL_FLOATS, sizeof *out);
    pl_locals_choose(locals, world);
    int all = pl_mesh_element_count(pl_world_body_mesh(world, body));
    CHECK(locals->count == (all < PL_MOST_LOCALS ? all : PL_MOST_LOCALS));
    // a quarter turn about z: x goes to y, y to -x; stretched along its length
    CHECK_OK(pl_world_get_positions(world, body, room, error));
    for (int i = 0; i < nodes; i++) {
      x[3 * i] = -room[3 * i + 1];
      x[3 * i + 1] = 1.3 * room[3 * i];
      x[3 * i + 2] = room[3 * i + 2];
    }
    CHECK_OK(pl_world_set_positions(world, body, x, error));
    CHECK_OK(pl_locals_read(locals, world, room, out, error));
    const double turned[9] = {0, 1, 0, -1, 0, 0, 0, 0, 1}; // the new axes, one after the other
    for (int k = 0; k < locals->count; k++) {
      for (int i = 0; i < 9; i++) CHECK_NEAR((double)out[12 * k + 3 + i], turned[i], 1e-6);
      CHECK(out[12 * k + 1] > 0 && out[12 * k + 1] < 1.3f);
    }
    free(out);
    free(locals);
    free(x);
    pl_world_destroy(world);
  }
}

TEST(spots_outside_are_refused)
{
  pl_body_id body;
  pl_world *world = make(&(bar_def){0}, &body);
  pl_surface surface;
  pl_spot spot;
  CHECK_OK(pl_surface_create(world, NULL, &surface, error));
  CHECK_OK(pl_surface_spot(&surface, world, 0, 0.25, 0.5, &spot, error));
  CHECK_NEAR(spot.weights[0], 0.25, 1e-15);
  CHECK_FAILS(pl_surface_spot(&surface, world, surface.triangle_count, 0, 0, &spot, error),
              PL_E_ARGUMENT, "no triangle");
  CHECK_FAILS(pl_surface_spot(&surface, world, -1, 0, 0, &spot, error), PL_E_ARGUMENT,
              "no triangle");
  CHECK_FAILS(pl_surface_spot(&surface, world, 0, 0.9, 0.9, &spot, error), PL_E_ARGUMENT,
              "weights");
  CHECK_FAILS(pl_surface_spot(&surface, world, 0, -1, 0, &spot, error), PL_E_ARGUMENT, "weights");
  pl_surface_release(&surface);
  pl_world_destroy(world);
}

/* A finer surface around a bar is what is drawn; it is pulled where the bar carries it. */
TEST(a_surface_that_follows_is_shown)
{
  const pl_setting coarse[] = {{.name = "size", .value = {1, 1, 1}},
                               {.name = "cells", .value = {2, 2, 2}}};
  const pl_setting fine[] = {{.name = "size", .value = {1, 1, 1}},
                             {.name = "cells", .value = {5, 5, 5}}};
  const pl_setting hooke[] = {{.name = "young", .value = {1e5}},
                              {.name = "poisson", .value = {0.3}}};
  pl_world_def world_def = pl_world_def_default();
  pl_world *world;
  pl_mesh *mesh, *around;
  pl_body_id body;
  CHECK_OK(pl_mesh_generate(&(pl_choice){"box", coarse, 2}, NULL, &mesh, error));
  CHECK_OK(pl_mesh_generate(&(pl_choice){"box", fine, 2}, NULL, &around, error));
  CHECK_OK(pl_world_create(&world_def, &world, error));
  pl_body_def def = pl_body_def_default();
  def.mesh = mesh;
  def.surface = around;
  def.material.law = (pl_choice){"hooke", hooke, 2};
  CHECK_OK(pl_world_add_body(world, &def, &body, error));
  pl_surface surface;
  CHECK_OK(pl_surface_create(world, NULL, &surface, error));
  CHECK(surface.vertex_count == 6 * 25 + 2 && surface.triangle_count == 6 * 50);

  // doubled along x, the points go along, and so does what is pulled at
  int nodes = pl_mesh_node_count(mesh);
  double *x = calloc(3 * (size_t)nodes, sizeof *x), at[3] = {0};
  float *points = calloc(3 * (size_t)surface.vertex_count, sizeof *points), max = 0;
  CHECK_OK(pl_world_get_positions(world, body, x, error));
  for (int i = 0; i < nodes; i++) x[3 * i] *= 2;
  CHECK_OK(pl_world_set_positions(world, body, x, error));
  CHECK_OK(pl_surface_positions(&surface, world, points, error));
  for (int i = 0; i < surface.vertex_count; i++) max = fmaxf(max, points[3 * i]);
  CHECK_NEAR((double)max, 2, 1e-6);
  pl_spot spot;
  CHECK_OK(pl_surface_spot(&surface, world, 7, 0.25, 0.5, &spot, error));
  for (int a = 0; a < spot.count; a++) {
    for (int k = 0; k < 3; k++) at[k] += spot.weights[a] * x[3 * spot.nodes[a] + k];
  }
  const int *corner = surface.triangles + 21;
  for (int k = 0; k < 3; k++)
    CHECK_NEAR(at[k],
               (double)(0.25f * points[3 * corner[0] + k] + 0.25f * points[3 * corner[1] + k] +
                        0.5f * points[3 * corner[2] + k]),
               1e-6);

  // with the side x = 0 held, and one node of the other side: the points near to what is held
  const double *rest = pl_mesh_nodes(mesh);
  unsigned char *held = calloc((size_t)surface.vertex_count, 1);
  for (int i = 0; i < nodes; i++) {
    int is_corner = rest[3 * i] == 1 && rest[3 * i + 1] == 1 && rest[3 * i + 2] == 1;
    if (rest[3 * i] == 0 || is_corner) CHECK_OK(pl_world_pin_node(world, body, i, error));
  }
  CHECK_OK(pl_surface_held(&surface, world, held, error));
  int far = 0;
  for (int i = 0; i < surface.vertex_count; i++) {
    float along = points[3 * i] / 2; // cells of the body are 0.5 long, those of the surface 0.2
    if (along < 0.201f) CHECK(held[i] == 7);
    if (along < 0.301f || !held[i]) continue;
    far += along > 0.999f;
    CHECK(held[i] == 7);
    for (int k = 0; k < 3; k++) CHECK(points[3 * i + k] / (k ? 1 : 2) > 0.799f);
  }
  CHECK(far > 0);
  free(held);
  free(points);
  free(x);
  pl_surface_release(&surface);
  pl_world_destroy(world);
  pl_mesh_destroy(mesh);
  pl_mesh_destroy(around);
}

/* ---- the history ---- */

TEST(the_history_forgets_the_oldest)
{
  pl_body_id body;
  pl_world *world = make(&(bar_def){.n = 1, .gravity = {0, 0, -9.81}}, &body);
  pl_history history;
  uint64_t hashes[20];
  CHECK_OK(pl_history_create(world, 5 * pl_world_state_size(world) + 3, NULL, &history, error));
  CHECK(history.room == 5);
  for (int i = 0; i < 12; i++) {
    CHECK_OK(pl_history_add(&history, world, error));
    hashes[i] = pl_world_state_hash(world);
    CHECK_OK(pl_world_step(world, error));
  }
  CHECK(history.count == 5 && history.here == 4 && history.dropped == 7);
  // the kept ones are steps 7 to 11
  for (int i = 0; i < 5; i++) {
    CHECK_OK(pl_history_go(&history, world, i, error));
    CHECK(pl_world_state_hash(world) == hashes[7 + i] && history.here == i);
  }
  CHECK_OK(pl_history_go(&history, world, -3, error));
  CHECK(history.here == 0);
  CHECK_OK(pl_history_go(&history, world, 99, error));
  CHECK(history.here == 4);

  // going on from the middle drops what came after, and comes to the same states again
  CHECK_OK(pl_history_go(&history, world, 1, error));
  CHECK_OK(pl_world_step(world, error));
  CHECK_OK(pl_history_add(&history, world, error));
  CHECK(history.count == 3 && pl_world_state_hash(world) == hashes[9]);
  pl_history_release(&history);
  pl_world_destroy(world);
}

/* ---- board and token ---- */

static void count_wakes(void *context) { ++*(int *)context; }

TEST(the_board_keeps_the_latest)
{
  int wakes = 0;
  pl_board *board;
  pl_text text = pl_text_make(NULL);
  CHECK_OK(pl_board_create(count_wakes, &wakes, &board, error));
  CHECK(pl_board_version(board, PL_SLOT_FRAME) == 0);
  pl_board_post(board, PL_SLOT_FRAME, "one", 3);
  pl_board_post(board, PL_SLOT_FRAME, "three", 5);
  CHECK(wakes == 2 && pl_board_read(board, PL_SLOT_FRAME, 100, &text) == 2);
  CHECK(text.size == 105 && memcmp(text.data + 100, "three", 5) == 0);
  pl_board_on_post(board, NULL, NULL);
  pl_board_post(board, PL_SLOT_FRAME, "x", 1);
  CHECK(wakes == 2 && pl_board_version(board, PL_SLOT_SCENE) == 0);
  pl_text_release(&text);
  pl_board_destroy(board);
}

TEST(tokens_are_random)
{
  char a[PL_TOKEN_LENGTH + 1], b[PL_TOKEN_LENGTH + 1];
  CHECK_OK(pl_token_make(a, error));
  CHECK_OK(pl_token_make(b, error));
  CHECK(pl_token_is_valid(a) && pl_token_is_valid(b) && strcmp(a, b) != 0);
  CHECK(!pl_token_is_valid("") && !pl_token_is_valid("0123456789abcdef0123456789abcdeF"));
  CHECK(!pl_token_is_valid("0123456789abcdef0123456789abcdef0"));
}

TESTS(X(commands_are_read) X(everything_else_is_refused) X(random_lines_do_no_harm)
          X(a_frame_has_its_layout) X(the_surface_is_closed) X(rounding_is_not_shown_as_stress)
              X(tints_show_what_they_say) X(local_frames_turn_with_the_body)
                  X(spots_outside_are_refused) X(a_surface_that_follows_is_shown)
                      X(the_history_forgets_the_oldest) X(the_board_keeps_the_latest)
                          X(tokens_are_random))
