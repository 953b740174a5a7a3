/* A hand at a world: what it feels, what the bodies feel, that a session can be repeated, and
 * devices that misbehave. */
#include "haptic/device.h"
#include "ode/integrator.h"
#include "pliant/haptic.h"
#include "test.h"
#include "world/acts.h"
#include "world/bar.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

static const pl_haptic_sample poke[] = {
    {0, {0.9, 0.125, 0.26}}, {0.2, {0.9, 0.125, 0.24}}, {5, {0.9, 0.125, 0.24}}};

static pl_haptic *make_hand(pl_world *world, const char *device)
{
  pl_haptic *hand = NULL;
  pl_haptic_def def = pl_haptic_def_default();
  def.device.name = device;
  if (strcmp(device, "record") == 0) def.samples = poke, def.sample_count = 3;
  CHECK_OK(pl_haptic_create(world, &def, &hand, error));
  return hand;
}

/* ---- the nearest point ---- */

TEST(the_nearest_point_of_a_box_is_found_from_outside_and_inside)
{
  pl_body_id body;
  pl_world *world = NULL;
  pl_hit hit;
  CHECK_OK(bar_make(&(bar_def){0}, &world, &body, error));
  const struct {
    double at[3], point[3], distance;
  } cases[] = {{{0.4, 0.1, 0.5}, {0.4, 0.1, 0.25}, 0.25},
               {{0.4, 0.1, 0.22}, {0.4, 0.1, 0.25}, -0.03},
               {{1.3, 0.1, 0.65}, {1, 0.1, 0.25}, 0.5},
               {{0.5, -0.2, 0.1}, {0.5, 0, 0.1}, 0.2}};
  for (int i = 0; i < 4; i++) {
    CHECK_OK(pl_world_nearest(world, cases[i].at, &hit, error));
    CHECK_NEAR(hit.distance, cases[i].distance, 1e-12);
    double sum = 0;
    for (int k = 0; k < 3; k++) CHECK_NEAR(hit.point[k], cases[i].point[k], 1e-12);
    for (int k = 0; k < 3; k++) sum += hit.spot.weights[k];
    CHECK_NEAR(sum, 1, 1e-12);
  }
  pl_world_destroy(world);
}

/* ---- forces ---- */

/* At rest the hand's force, the touch and what the fix holds are one. */
TEST(a_hold_is_balanced_by_the_spring_the_touch_and_the_fix)
{
  pl_body_id body;
  pl_world *world = NULL;
  pl_haptic_facts facts;
  CHECK_OK(bar_make(&(bar_def){.stiffness_damping = 0.2, .solver = 1e-9}, &world, &body, error));
  pl_haptic *hand = make_hand(world, "record");
  for (int i = 0; i < 300; i++) CHECK_OK(pl_haptic_step(hand, error));
  pl_haptic_read(hand, &facts);
  printf("  %.4f N, proxy %.5f m, device %.5f m\n", facts.force[2], facts.proxy[2],
         facts.position[2]);
  CHECK(facts.force[2] > 0.5 && facts.is_present && facts.is_moving && facts.ticks == 3000);
  CHECK_NEAR(facts.force[2], 300 * (facts.proxy[2] - facts.position[2]), 1e-3);
  CHECK_NEAR(facts.touch.force[2], -facts.force[2], 1e-3);
  CHECK_NEAR(reaction_of(world, body)[2], facts.force[2], 1e-3);
  pl_haptic_destroy(hand);
  CHECK_OK(pl_world_step(world, error));
  pl_world_destroy(world);
}

/* ---- a grip ---- */

/* The spring of the hand and that of the body are one: at rest their forces balance. */
TEST(a_grip_pulls_the_body_with_the_force_that_the_hand_feels)
{
  pl_body_id body;
  pl_world *world = NULL;
  pl_haptic_facts facts;
  pl_spot spot;
  CHECK_OK(bar_make(&(bar_def){.stiffness_damping = 0.2, .solver = 1e-9}, &world, &body, error));
  pl_haptic *hand = make_hand(world, "mouse");
  CHECK_OK(pl_haptic_step(hand, error)); // it is away
  pl_haptic_read(hand, &facts);
  CHECK(!facts.is_present && facts.touch.spot.body.index1 == 0);
  CHECK_OK(pl_world_find_spot(world, body, (const double[]){0.9, 0.125, 0.25}, &spot, error));
  CHECK_OK(pl_haptic_grip(hand, &spot, error));
  CHECK_OK(pl_haptic_place(hand, (const double[]){0.9, 0.125, 0.29}, error));
  for (int i = 0; i < 300; i++) CHECK_OK(pl_haptic_step(hand, error));
  pl_haptic_read(hand, &facts);
  CHECK(facts.is_present && facts.is_gripping && facts.force[2] < -0.5);
  CHECK_NEAR(facts.touch.force[2], -facts.force[2], 1e-4);
  CHECK_NEAR(facts.force[2], 300 * (facts.proxy[2] - facts.position[2]), 1e-3);
  CHECK_NEAR(reaction_of(world, body)[2], facts.force[2], 1e-3);
  CHECK_OK(pl_haptic_grip(hand, NULL, error));
  CHECK_OK(pl_haptic_place(hand, NULL, error));
  for (int i = 0; i < 300; i++) CHECK_OK(pl_haptic_step(hand, error));
  pl_haptic_read(hand, &facts);
  CHECK(!facts.is_present && !facts.is_gripping);
  CHECK_NEAR(reaction_of(world, body)[2], 0, 1e-4);
  pl_haptic_destroy(hand);
  pl_world_destroy(world);
}

/* A spring a thousand times as stiff as the body does not make it shake: it stands in the matrix.
 */
TEST(a_stiff_grip_is_stable_and_a_body_that_goes_takes_it_along)
{
  pl_body_id body;
  pl_world *world = NULL;
  pl_haptic *hand = NULL;
  pl_haptic_facts facts;
  pl_spot spot;
  CHECK_OK(bar_make(&(bar_def){.free = 1, .dt = 0.02}, &world, &body, error));
  pl_haptic_def def = pl_haptic_def_default();
  def.device.name = "mouse";
  def.stiffness = 1e8;
  def.max_force = 1e15;
  CHECK_OK(pl_haptic_create(world, &def, &hand, error));
  CHECK_OK(pl_world_find_spot(world, body, (const double[]){0, 0, 0}, &spot, error));
  CHECK_OK(pl_haptic_grip(hand, &spot, error));
  CHECK_OK(pl_haptic_place(hand, (const double[]){0.1, 0, 0}, error));
  for (int i = 0; i < 100; i++) CHECK_OK(pl_haptic_step(hand, error));
  pl_haptic_read(hand, &facts);
  CHECK_NEAR(facts.proxy[0], 0.1, 1e-4);
  CHECK_OK(pl_world_remove_body(world, body, error));
  CHECK_OK(pl_haptic_begin(hand, error));
  pl_haptic_read(hand, &facts);
  CHECK(!facts.is_gripping && facts.touch.spot.body.index1 == 0);
  CHECK_FAILS(pl_haptic_grip(hand, &spot, error), PL_E_ARGUMENT, "");
  pl_haptic_destroy(hand);
  pl_world_destroy(world);
}

/* Two hands at one world: begin both, step, end both. */
TEST(two_hands_hold_a_body_between_them)
{
  pl_body_id body;
  pl_world *world = NULL;
  pl_haptic *hands[2];
  pl_spot spot;
  CHECK_OK(bar_make(&(bar_def){.free = 1, .stiffness_damping = 0.05}, &world, &body, error));
  for (int i = 0; i < 2; i++) {
    const double at[3] = {i, 0.125, 0.125}, to[3] = {i ? 1.05 : -0.05, 0.125, 0.125};
    hands[i] = make_hand(world, "mouse");
    CHECK_OK(pl_world_find_spot(world, body, at, &spot, error));
    CHECK_OK(pl_haptic_grip(hands[i], &spot, error));
    CHECK_OK(pl_haptic_place(hands[i], to, error));
  }
  for (int i = 0; i < 400; i++) {
    for (int k = 0; k < 2; k++) CHECK_OK(pl_haptic_begin(hands[k], error));
    CHECK_OK(pl_world_step(world, error));
    for (int k = 0; k < 2; k++) CHECK_OK(pl_haptic_end(hands[k], error));
  }
  pl_haptic_facts facts[2];
  for (int k = 0; k < 2; k++) pl_haptic_read(hands[k], &facts[k]);
  CHECK(facts[0].force[0] > 5 && facts[1].force[0] < -5);
  CHECK_NEAR(facts[0].force[0], -facts[1].force[0], 0.05);
  for (int k = 0; k < 2; k++) pl_haptic_destroy(hands[k]);
  pl_world_destroy(world);
}

/* ---- tools ---- */

/* Presses a tool of that shape 10 mm into the upper side; the depth that it is felt at. */
static double press_tool(const char *shape, const pl_setting *settings, int count, double radius,
                         double z, double force[3])
{
  pl_body_id body;
  pl_world *world = NULL;
  pl_haptic *hand = NULL;
  pl_haptic_facts facts;
  const pl_part_def tool = {.shape = {shape, settings, count}};
  const pl_haptic_sample at = {0, {0.6, 0.125, z}};
  CHECK_OK(
      bar_make(&(bar_def){.stiffness_damping = 0.2, .n = 4, .solver = 1e-9}, &world, &body, error));
  pl_haptic_def def = pl_haptic_def_default();
  def.device.name = "record";
  def.samples = &at, def.sample_count = 1;
  def.radius = radius;
  def.tool = shape ? &tool : NULL, def.tool_count = shape != NULL;
  CHECK_OK(pl_haptic_create(world, &def, &hand, error));
  for (int i = 0; i < 200; i++) CHECK_OK(pl_haptic_step(hand, error));
  pl_haptic_read(hand, &facts);
  memcpy(force, facts.force, sizeof facts.force);
  CHECK_NEAR(facts.touch.force[2], -facts.force[2], 1e-3);
  pl_haptic_destroy(hand);
  pl_world_destroy(world);
  return facts.proxy[2] - facts.position[2];
}

/* A sphere is the same by its radius and as a shape; box and capsule with their lower ends at the
 * same depth feel as much, and what is drawn stands where the force is zero. */
TEST(a_tool_of_any_shape_is_felt_where_it_is_deepest)
{
  const pl_setting ball = {.name = "radius", .value = {0.05}};
  const pl_setting box = {.name = "size", .value = {0.2, 0.2, 0.1}};
  const pl_setting capsule[] = {{.name = "radius", .value = {0.02}},
                                {.name = "length", .value = {0.1}}};
  double plain[3], force[3];
  double depth = press_tool(NULL, NULL, 0, 0.05, 0.29, plain);
  CHECK(plain[2] > 1);
  CHECK_NEAR(depth, plain[2] / 300, 1e-6);
  depth = press_tool("sphere", &ball, 1, 0, 0.29, force);
  CHECK_NEAR(depth, force[2] / 300, 1e-6);
  CHECK_NEAR(force[2], plain[2], 0.02 * plain[2]);
  if (TEST_SANITIZED) return; // the rest is the same code with other numbers
  press_tool("box", &box, 1, 0, 0.29, force);
  CHECK_NEAR(force[2], plain[2], 0.1 * plain[2]);
  // a tip of 20 mm among triangles of 60 mm
  press_tool("capsule", capsule, 2, 0, 0.29 + 0.02, force);
  printf("  %g %g %g of %g N\n", force[0], force[1], force[2], plain[2]);
  CHECK_NEAR(force[2], plain[2], 0.02 * plain[2]);
}

/* ---- the same again ---- */

/* A step whose touch is kept, or one that repeats it. */
static void step(pl_haptic *hand, pl_haptic_touch *touch, int repeat)
{
  pl_haptic_facts facts;
  CHECK_OK(repeat ? pl_haptic_repeat(hand, touch, error) : pl_haptic_step(hand, error));
  pl_haptic_read(hand, &facts);
  if (!repeat) *touch = facts.touch;
}

static uint64_t end(pl_haptic *hand, pl_world *world)
{
  uint64_t hash = pl_world_state_hash(world);
  pl_haptic_destroy(hand);
  pl_world_destroy(world);
  return hash;
}

static uint64_t feel(const char *integrator, const char *model, int threads,
                     pl_haptic_touch *touches, int repeat)
{
  pl_body_id body;
  pl_world *world = NULL;
  pl_body_def like = pl_body_def_default();
  like.model.name = model;
  bar_def bar = {.n = 1, .integrator = integrator, .threads = threads, .dt = 2e-4, .unstable = 1};
  if (model) bar.like = &like;
  CHECK_OK(bar_make(&bar, &world, &body, error));
  pl_haptic *hand = make_hand(world, repeat ? "none" : "record");
  CHECK_OK(pl_world_set_dt(world, 1e-3, error));
  for (int i = 0; i < 160; i++) {
    step(hand, &touches[i], repeat);
  }
  return end(hand, world);
}

TEST(a_session_repeats_bit_for_bit_with_every_integrator)
{
  static pl_haptic_touch touches[160];
  for (int i = 0; pl_integrator_family.members[i]; i++) {
    const pl_member *member = pl_integrator_family.members[i];
    int before = test_failures;
    if (member->missing || strstr(member->source, "SUNDIALS")) continue;
    uint64_t first = feel(member->name, NULL, 1, touches, 0);
    CHECK(feel(member->name, NULL, 1, touches, 1) == first);
    if (!TEST_SANITIZED) CHECK(feel(member->name, NULL, 2, touches, 0) == first);
    if (test_failures > before) printf("  with %s\n", member->name);
  }
  CHECK(touches[159].force[2] < 0);
}

/* Grips, carries, lets go and grips elsewhere; or repeats what was read then. */
static uint64_t carry(pl_haptic_touch *touches, int repeat)
{
  enum { STEPS = 60 };
  pl_body_id body;
  pl_world *world = NULL;
  pl_spot spot;
  CHECK_OK(bar_make(&(bar_def){.n = 1}, &world, &body, error));
  pl_haptic *hand = make_hand(world, repeat ? "none" : "mouse");
  for (int i = 0; i < STEPS; i++) {
    const double at[3] = {i < 30 ? 0.9 : 0.5, 0.125, 0.25}, to[3] = {at[0], 0.125, 0.25 + 1e-3 * i};
    if (!repeat && (i == 0 || i == 30)) {
      CHECK_OK(pl_world_find_spot(world, body, at, &spot, error));
      CHECK_OK(pl_haptic_grip(hand, &spot, error));
    }
    if (!repeat && i == 20) CHECK_OK(pl_haptic_grip(hand, NULL, error));
    if (!repeat) CHECK_OK(pl_haptic_place(hand, to, error));
    step(hand, &touches[i], repeat);
  }
  return end(hand, world);
}

TEST(grips_repeat_bit_for_bit)
{
  static pl_haptic_touch touches[60];
  uint64_t first = carry(touches, 0);
  CHECK(touches[10].is_gripped && !touches[25].is_gripped && touches[50].is_gripped);
  CHECK(touches[50].force[2] > 0);
  CHECK(carry(touches, 1) == first);
}

/* ---- its own thread ---- */

TEST(a_servo_thread_and_the_simulation_share_a_world)
{
  pl_body_id body;
  pl_world *world = NULL;
  pl_haptic_facts facts;
  double sum = 0, dt, largest = 0;
  CHECK_OK(bar_make(&(bar_def){.n = 1, .stiffness_damping = 0.02}, &world, &body, error));
  pl_haptic *hand = make_hand(world, "record");
  CHECK_OK(pl_haptic_start(hand, error));
  dt = pl_world_dt(world);
  for (int i = 0; i < 30; i++) {
    CHECK_OK(pl_haptic_step(hand, error));
    nanosleep(&(struct timespec){.tv_nsec = i == 20 ? 400000000 : 9000000}, NULL);
    pl_haptic_read(hand, &facts);
    sum += facts.touch.force[2] * dt;
    largest = fmax(largest, fmax(facts.force[2], -facts.touch.force[2]));
  }
  pl_haptic_stop(hand);
  pl_haptic_read(hand, &facts);
  CHECK(facts.ticks > 20);
  // of a simulation that pauses the bodies feel the mean force, not all that was exerted meanwhile
  CHECK(-sum > 0 && -sum <= facts.impulse[2]);
  CHECK(largest <= 2 * facts.force[2]);
  CHECK_OK(pl_haptic_step(hand, error)); // ticks in simulated time again
  pl_haptic_destroy(hand);
  pl_world_destroy(world);
}

/* ---- devices ---- */

/* Every device: what it senses is finite, or it is not there; any force does no harm; two made
 * alike behave alike. */
TEST(every_device_can_be_made_and_moved)
{
  for (int i = 0; pl_device_family.members[i]; i++) {
    const pl_device_ops *ops = (const pl_device_ops *)(const void *)pl_device_family.members[i];
    pl_device *devices[2] = {NULL, NULL};
    double x[2][3] = {{0}}, v[2][3] = {{0}};
    CHECK(*ops->info.summary);
    int copies = ops->is_live ? 1 : 2; // a port has one listener
    for (int d = 0; d < copies; d++)
      CHECK_OK(pl_device_create(NULL, &(pl_choice){ops->info.name, NULL, 0}, poke,
                                ops->has_samples ? 3 : 0, &devices[d], error));
    for (int tick = 0; tick < 200 && !test_failures; tick++) {
      const double force[3] = {tick % 7 - 3, 1e-3 * tick, tick == 100 ? 1e3 : -1};
      for (int d = 0; d < copies; d++) {
        int there = ops->sense && ops->sense(devices[d], 1e-3 * tick, x[d], v[d]);
        for (int k = 0; k < 3; k++) CHECK(!there || (isfinite(x[d][k]) && isfinite(v[d][k])));
        if (ops->act) ops->act(devices[d], 1e-3 * tick, 1e-3, force);
      }
      if (copies == 2) CHECK(memcmp(x[0], x[1], sizeof x[0]) == 0);
    }
    for (int d = 0; d < 2; d++) pl_device_destroy(devices[d]);
  }
}

enum { PORT = 47813 };

static void put_datagram(unsigned char *bytes, uint32_t sequence, double x, double y, double z)
{
  const double numbers[] = {0, x, y, z};
  memcpy(bytes, "PLH1", 4);
  memcpy(bytes + 4, &sequence, 4);
  memcpy(bytes + 8, numbers, sizeof numbers);
}

static void send_bytes(int from, const void *bytes, size_t size)
{
  struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(PORT)};
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  CHECK(sendto(from, bytes, size, 0, (struct sockaddr *)&to, sizeof to) == (ssize_t)size);
}

TEST(datagrams_move_the_device_and_malformed_ones_do_not)
{
  pl_setting port = {"port", {PORT}, NULL};
  pl_choice udp = {"udp", &port, 1};
  pl_device *device = NULL;
  unsigned char bytes[64] = {0}, answer[64];
  double x[3], v[3];
  const double force[3] = {1, 2, 3};
  CHECK_OK(pl_device_create(NULL, &udp, NULL, 0, &device, error));
  CHECK(!device->ops->sense(device, 0, x, v));
  CHECK_OK(device->ops->start(device, error));
  CHECK(!device->ops->sense(device, 0, x, v));
  int from = socket(AF_INET, SOCK_DGRAM, 0);
  put_datagram(bytes, 7, 0.1, 0.2, 0.3);
  send_bytes(from, bytes, 40);
  CHECK(device->ops->sense(device, 0.001, x, v) && x[2] == 0.3);
  device->ops->act(device, 0.001, 0.001, force);
  CHECK(recv(from, answer, sizeof answer, 0) == 40 && memcmp(answer, "PLF1", 4) == 0);
  double got;
  memcpy(&got, answer + 32, 8);
  CHECK(got == 3);
  // an older one, another size, another name, no number, out of reach
  put_datagram(bytes, 6, 0.9, 0, 0), send_bytes(from, bytes, 40);
  put_datagram(bytes, 8, 0.9, 0, 0), send_bytes(from, bytes, 39), send_bytes(from, bytes, 41);
  send_bytes(from, bytes, 0);
  bytes[0] = 'X', send_bytes(from, bytes, 40);
  put_datagram(bytes, 9, NAN, 0, 0), send_bytes(from, bytes, 40);
  put_datagram(bytes, 9, 1e300, 0, 0), send_bytes(from, bytes, 40);
  CHECK(device->ops->sense(device, 0.002, x, v) && x[0] == 0.1);
  CHECK(device->refused == 6);
  // a flood takes as many ticks as it needs, and the newest wins
  for (uint32_t i = 0; i < 200; i++)
    put_datagram(bytes, 10 + i, 0, 0, 1e-3 * i), send_bytes(from, bytes, 40);
  for (int i = 0; i < 4; i++) CHECK(device->ops->sense(device, 0.003 + 0.001 * i, x, v));
  CHECK_NEAR(x[2], 0.199, 1e-12);
  // the button
  CHECK(device->ops->sense(device, 0.007, x, v) == PL_DEVICE_PRESENT);
  put_datagram(bytes, 300, 0, 0, 0.1), bytes[2] = 'G', send_bytes(from, bytes, 40);
  CHECK(device->ops->sense(device, 0.008, x, v) == (PL_DEVICE_PRESENT | PL_DEVICE_GRIPS));
  // silence: it is gone
  CHECK(!device->ops->sense(device, 0.2, x, v));
  close(from);
  pl_device_destroy(device);
}

/* A second one exists beside it, as where a scene is drawn that runs; it cannot listen, nor take
 * datagrams away, until the first has gone. */
TEST(one_device_at_a_time_listens_at_a_port)
{
  pl_setting port = {"port", {PORT}, NULL};
  pl_choice udp = {"udp", &port, 1};
  pl_device *devices[2] = {0};
  unsigned char bytes[64] = {0};
  double x[3], v[3];
  for (int i = 0; i < 2; i++) CHECK_OK(pl_device_create(NULL, &udp, NULL, 0, &devices[i], error));
  CHECK_OK(devices[0]->ops->start(devices[0], error));
  CHECK_OK(devices[0]->ops->start(devices[0], error));
  CHECK_FAILS(devices[1]->ops->start(devices[1], error), PL_E_IO, "cannot listen at port");
  int from = socket(AF_INET, SOCK_DGRAM, 0);
  put_datagram(bytes, 1, 0, 0, 0.3);
  send_bytes(from, bytes, 40);
  CHECK(!devices[1]->ops->sense(devices[1], 0.001, x, v));
  CHECK(devices[0]->ops->sense(devices[0], 0.001, x, v));
  pl_device_destroy(devices[0]);
  CHECK_OK(devices[1]->ops->start(devices[1], error));
  close(from);
  pl_device_destroy(devices[1]);
}

TEST(a_hand_without_a_device_or_far_away_feels_nothing)
{
  pl_body_id body;
  pl_world *world = NULL;
  pl_haptic_facts facts;
  CHECK_OK(bar_make(&(bar_def){.n = 1}, &world, &body, error));
  for (int i = 0; i < 2; i++) {
    pl_haptic *hand = make_hand(world, i ? "none" : "simulated");
    for (int k = 0; k < 5; k++) CHECK_OK(pl_haptic_step(hand, error));
    pl_haptic_read(hand, &facts);
    CHECK(facts.is_present == !i && facts.force[2] == 0 && facts.touch.force[2] == 0);
    pl_haptic_destroy(hand);
  }
  pl_world_destroy(world);
}

TEST(wrong_hands_are_refused)
{
  pl_body_id body;
  pl_world *world = NULL;
  pl_haptic *hand = NULL;
  CHECK_OK(bar_make(&(bar_def){.n = 1}, &world, &body, error));
  pl_haptic_def def = pl_haptic_def_default(), bad = def;
  bad.stiffness = -1;
  CHECK_FAILS(pl_haptic_create(world, &bad, &hand, error), PL_E_ARGUMENT, "stiffness");
  bad = def, bad.max_force = NAN;
  CHECK_FAILS(pl_haptic_create(world, &bad, &hand, error), PL_E_ARGUMENT, "max_force");
  bad = def, bad.spin = 0.002;
  CHECK_FAILS(pl_haptic_create(world, &bad, &hand, error), PL_E_ARGUMENT, "spin");
  bad = def, bad.device.name = "glove";
  CHECK_FAILS(pl_haptic_create(world, &bad, &hand, error), PL_E_ARGUMENT, "glove");
  bad = def, bad.device.name = "record";
  CHECK_FAILS(pl_haptic_create(world, &bad, &hand, error), PL_E_ARGUMENT, "at least one sample");
  const pl_haptic_sample back[] = {{1, {0}}, {0.5, {0}}}, none[] = {{NAN, {0}}};
  bad.samples = back, bad.sample_count = 2;
  CHECK_FAILS(pl_haptic_create(world, &bad, &hand, error), PL_E_ARGUMENT, "must come after");
  bad.samples = none, bad.sample_count = 1;
  CHECK_FAILS(pl_haptic_create(world, &bad, &hand, error), PL_E_ARGUMENT, "not finite");
  bad.device.name = "simulated";
  CHECK_FAILS(pl_haptic_create(world, &bad, &hand, error), PL_E_ARGUMENT, "use record");
  bad = def, bad.tool_count = 1;
  CHECK_FAILS(pl_haptic_create(world, &bad, &hand, error), PL_E_ARGUMENT, "no list of them");
  const pl_part_def tool = {.shape = {"sphere", NULL, 0}};
  bad.tool = &tool, bad.radius = 0.1;
  CHECK_FAILS(pl_haptic_create(world, &bad, &hand, error), PL_E_ARGUMENT, "either a radius");
  CHECK_OK(pl_haptic_create(world, &def, &hand, error));
  CHECK_FAILS(pl_haptic_place(hand, NULL, error), PL_E_ARGUMENT, "use mouse");
  pl_haptic_destroy(hand);
  pl_world_destroy(world);
}

TESTS(X(the_nearest_point_of_a_box_is_found_from_outside_and_inside) X(
    every_device_can_be_made_and_moved) X(a_hold_is_balanced_by_the_spring_the_touch_and_the_fix)
          X(a_grip_pulls_the_body_with_the_force_that_the_hand_feels)
              X(a_stiff_grip_is_stable_and_a_body_that_goes_takes_it_along)
                  X(two_hands_hold_a_body_between_them)
                      X(a_tool_of_any_shape_is_felt_where_it_is_deepest)
                          X(a_session_repeats_bit_for_bit_with_every_integrator)
                              X(grips_repeat_bit_for_bit)
                                  X(a_servo_thread_and_the_simulation_share_a_world)
                                      X(datagrams_move_the_device_and_malformed_ones_do_not)
                                          X(one_device_at_a_time_listens_at_a_port)
                                              X(a_hand_without_a_device_or_far_away_feels_nothing)
                                                  X(wrong_hands_are_refused))
