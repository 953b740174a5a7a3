/* Every public function with wrong arguments: NULL, numbers that are not finite, lists without
 * members, ids of nothing. What is wrong is refused by a sentence, and the world stays as it was.
 * tests/tree/test_symbols.sh sees to it that no function is left out. */
#include "stage.h"

/* ---- ids ---- */

TEST(effects_of_nothing_are_refused)
{
  stage on = set_up();
  pl_effect_id id = {3, 77};
  pl_setting setting = {0};
  CHECK_FAILS(pl_world_add_effect(on.world, (pl_body_id){3, 77}, &(pl_choice){0}, NULL, error),
              PL_E_ARGUMENT, "there is no body number");
  CHECK_FAILS(pl_world_remove_effect(on.world, id, error), PL_E_ARGUMENT, "no effect");
  CHECK_FAILS(pl_world_set_effect(on.world, id, &setting, error), PL_E_ARGUMENT, "no effect");
  CHECK_FAILS(pl_world_read_effect(on.world, id, NULL, NULL, NULL, error), PL_E_ARGUMENT,
              "no effect");
  pl_link_facts facts;
  CHECK_FAILS(pl_world_add_link(on.world, (pl_body_id){3, 77}, (pl_body_id){3, 77}, &(pl_choice){0},
                                NULL, error),
              PL_E_ARGUMENT, "there is no body number");
  CHECK_FAILS(pl_world_read_link(on.world, id, &facts, error), PL_E_ARGUMENT, "there is no link");
  CHECK_FAILS(pl_world_read_link(on.world, id, NULL, error), PL_E_ARGUMENT, "needs a place");
  CHECK(pl_world_link_at(on.world, 0).index1 == 0 && pl_world_link_at(on.world, -1).index1 == 0);
  tear_down(&on);
}

TEST(ids_of_nothing_are_refused)
{
  const int32_t wrong[] = {0, -1, 3, 1000, INT32_MIN, INT32_MAX};
  stage on = set_up();
  double numbers[300] = {0};
  unsigned char held[100];
  any_def def = {0};
  pl_spot spot;
  uint64_t before = pl_world_state_hash(on.world);
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    pl_world *world = on.world;
    pl_body_id id = {wrong[i], 77};
    pl_pull_id pull = {wrong[i], 77};
    pl_probe_id probe = {wrong[i], 77};
    const char *no = "there is no body number";
    CHECK(!pl_world_body_name(world, id) && !pl_world_body_mesh(world, id) &&
          !pl_world_body_surface(world, id) && pl_world_frame_count(world, id) == 0);
    CHECK(!pl_world_probe_name(world, probe) && !pl_world_probe_quantity(world, probe) &&
          !pl_world_probe_unit(world, probe) && pl_world_probe_width(world, probe) == 0);
    CHECK_FAILS(pl_world_read_probe(world, probe, numbers, error), PL_E_ARGUMENT, "no probe");
    CHECK_FAILS(pl_world_move_pull(world, pull, numbers, error), PL_E_ARGUMENT, "no pull");
    pl_rigid_id part = {wrong[i], 77};
    CHECK_FAILS(pl_world_set_forces(world, id, numbers, error), PL_E_ARGUMENT, no);
    CHECK_FAILS(pl_world_get_vertices(world, id, 3, (float[300]){0}, NULL, error), PL_E_ARGUMENT,
                no);
    CHECK_FAILS(pl_world_get_vertices(world, on.bar, 2, (float[300]){0}, NULL, error),
                PL_E_ARGUMENT, "stride = 2");
    CHECK_FAILS(pl_world_remove_probe(world, probe, error), PL_E_ARGUMENT, "no probe");
    CHECK_FAILS(pl_world_remove_body(world, id, error), PL_E_ARGUMENT, no);
    CHECK_FAILS(pl_world_remove_rigid(world, part, error), PL_E_ARGUMENT, "no rigid part");
    CHECK_FAILS(pl_world_read_rigid(world, part, &(pl_rigid_facts){0}, error), PL_E_ARGUMENT,
                "no rigid part");
    CHECK_FAILS(pl_world_refine(world, id, NULL, 0, error), PL_E_ARGUMENT, no);
    CHECK_FAILS(pl_world_coarsen(world, id, NULL, 0, error), PL_E_ARGUMENT, no);
    CHECK_FAILS(pl_world_get_levels(world, id, &(double){0}, error), PL_E_ARGUMENT, no);
    CHECK_FAILS(pl_world_read_refinement(world, id, NULL, error), PL_E_ARGUMENT, no);
    pl_fix_facts facts_of_fix;
    CHECK_FAILS(pl_world_remove_fix(world, (pl_fix_id){wrong[i], 77}, error), PL_E_ARGUMENT,
                "no fix");
    CHECK_FAILS(pl_world_read_fix(world, (pl_fix_id){wrong[i], 77}, &facts_of_fix, error),
                PL_E_ARGUMENT, "no fix");
    CHECK_FAILS(pl_world_remove_load(world, (pl_load_id){wrong[i], 77}, error), PL_E_ARGUMENT,
                "no load");
    CHECK_FAILS(pl_world_remove_attachment(world, (pl_attachment_id){wrong[i], 77}, error),
                PL_E_ARGUMENT, "no attachment");
    CHECK_FAILS(pl_world_read_attachment(world, (pl_attachment_id){wrong[i], 77},
                                         &(pl_attachment_facts){.points = 0}, error),
                PL_E_ARGUMENT, "no attachment");
    CHECK_FAILS(pl_world_remove_obstacle(world, (pl_obstacle_id){wrong[i], 77}, error),
                PL_E_ARGUMENT, "no obstacle");
    pl_contact_def between = pl_contact_def_default();
    between.friction = -1;
    CHECK_FAILS(pl_world_set_contact(world, &between, error), PL_E_ARGUMENT, "friction");
    CHECK_FAILS(pl_world_set_contact(world, NULL, error), PL_E_ARGUMENT, "");
    CHECK_FAILS(pl_world_move_obstacle(world, (pl_obstacle_id){wrong[i], 77}, (double[3]){0},
                                       (double[3]){0}, error),
                PL_E_ARGUMENT, "no obstacle");
    CHECK_FAILS(pl_world_read_obstacle(world, (pl_obstacle_id){wrong[i], 77},
                                       &(pl_obstacle_facts){.nodes = 0}, error),
                PL_E_ARGUMENT, "no obstacle");
    CHECK_FAILS(pl_world_set_friction(world, (pl_obstacle_id){wrong[i], 77}, 0, 0, 0, error),
                PL_E_ARGUMENT, "no obstacle");
    CHECK_FAILS(pl_world_set_model(world, id, &(pl_choice){.name = "fem"}, error), PL_E_ARGUMENT,
                no);
    CHECK_FAILS(pl_world_remove_pull(world, pull, error), PL_E_ARGUMENT, "no pull");
    CHECK_FAILS(pl_world_read_pull(world, pull, &(pl_pull_facts){0}, error), PL_E_ARGUMENT,
                "no pull");
    fill_fix(&on, &def);
    CHECK_FAILS(pl_world_add_fix(world, id, &def.fix, NULL, error), PL_E_ARGUMENT, no);
    fill_rigid(&on, &def);
    CHECK_FAILS(pl_world_add_rigid(world, id, &def.rigid, NULL, error), PL_E_ARGUMENT, no);
    fill_attachment(&on, &def);
    CHECK_FAILS(pl_world_add_attachment(world, id, &def.attachment, NULL, error), PL_E_ARGUMENT,
                no);
    def.attachment.to = id;
    CHECK_FAILS(pl_world_add_attachment(world, on.bar, &def.attachment, NULL, error), PL_E_ARGUMENT,
                no);
    fill_load(&on, &def);
    CHECK_FAILS(pl_world_add_load(world, id, &def.load, NULL, error), PL_E_ARGUMENT, no);
    fill_probe(&on, &def);
    def.probe.body = id;
    CHECK_FAILS(pl_world_add_probe(world, &def.probe, NULL, error), PL_E_ARGUMENT, no);
    fill_pull(&on, &def);
    def.pull.at.body = id;
    CHECK_FAILS(pl_world_add_pull(world, &def.pull, NULL, error), PL_E_ARGUMENT, no);
    fill_material(&on, &def);
    CHECK_FAILS(pl_world_set_material(world, id, &def.material, error), PL_E_ARGUMENT, no);
    CHECK_FAILS(pl_world_get_positions(world, id, numbers, error), PL_E_ARGUMENT, no);
    CHECK_FAILS(pl_world_get_velocities(world, id, numbers, error), PL_E_ARGUMENT, no);
    CHECK_FAILS(pl_world_set_positions(world, id, numbers, error), PL_E_ARGUMENT, no);
    CHECK_FAILS(pl_world_set_velocities(world, id, numbers, error), PL_E_ARGUMENT, no);
    CHECK_FAILS(pl_world_follow(world, id, 1, numbers, numbers, error), PL_E_ARGUMENT, no);
    CHECK_FAILS(pl_world_get_stress(world, id, numbers, numbers, error), PL_E_ARGUMENT, no);
    CHECK_FAILS(pl_world_get_strain(world, id, numbers, numbers, error), PL_E_ARGUMENT, no);
    CHECK_FAILS(pl_world_get_tensors(world, id, numbers, numbers, error), PL_E_ARGUMENT, no);
    CHECK_FAILS(pl_world_get_forces(world, id, numbers, numbers, error), PL_E_ARGUMENT, no);
    CHECK_FAILS(pl_world_get_reactions(world, id, numbers, numbers, error), PL_E_ARGUMENT, no);
    CHECK_FAILS(pl_world_find_spot(world, id, numbers, &spot, error), PL_E_ARGUMENT, no);
    CHECK_FAILS(pl_world_throw(world, id, numbers, error), PL_E_ARGUMENT, no);
    CHECK_FAILS(pl_world_pin_node(world, id, 0, error), PL_E_ARGUMENT, no);
    CHECK_FAILS(pl_world_release_node(world, id, 0, NULL, error), PL_E_ARGUMENT, no);
    CHECK_FAILS(pl_world_get_held(world, id, held, error), PL_E_ARGUMENT, no);
    CHECK_FAILS(pl_world_insert_frame(world, id, site, 0.3, NULL, error), PL_E_ARGUMENT, no);
    CHECK_FAILS(pl_world_remove_frame(world, id, 0, NULL, error), PL_E_ARGUMENT, no);
    // numbers of nodes, frames and places in lists
    int node = wrong[i] == 0 || wrong[i] == 3 ? -2 : wrong[i];
    CHECK_FAILS(pl_world_pin_node(world, on.bar, node, error), PL_E_ARGUMENT, "no node");
    CHECK_FAILS(pl_world_release_node(world, on.bar, node, NULL, error), PL_E_ARGUMENT, "no node");
    CHECK_FAILS(pl_world_remove_frame(world, on.frames, node, NULL, error), PL_E_ARGUMENT,
                "was not put in");
    CHECK(pl_world_body_at(world, node).index1 == 0 && pl_world_probe_at(world, node).index1 == 0);
    CHECK(!pl_mesh_set(on.mesh, node));
  }
  pl_contact_def contact = pl_contact_def_default();
  contact.friction = -1;
  CHECK_FAILS(pl_world_set_contact(on.world, &contact, error), PL_E_ARGUMENT, "friction");
  CHECK_FAILS(pl_world_set_contact(on.world, NULL, error), PL_E_ARGUMENT, "default");
  CHECK(pl_world_body_count(on.world) == 2 && pl_world_probe_count(on.world) == 0);
  CHECK(pl_world_state_hash(on.world) == before);
  tear_down(&on);
}

/* Forces by a function, views of a body, and lists of worlds. */
TEST(fields_views_and_lists_name_what_is_missing)
{
  stage on = set_up();
  pl_world *world = on.world;
  pl_body_id id = {99, 77};
  const char *no = "there is no body number";
  CHECK_FAILS(pl_world_set_force_field(world, id, NULL, error), PL_E_ARGUMENT, no);
  CHECK_FAILS(pl_world_set_force_field(world, on.bar, &(pl_force_field){0}, error), PL_E_ARGUMENT,
              "function");
  pl_view *view;
  pl_view_arrays arrays = {.node_count = 3};
  CHECK_FAILS(pl_world_view_body(world, id, &view, error), PL_E_ARGUMENT, no);
  CHECK_FAILS(pl_world_view_body(world, on.bar, NULL, error), PL_E_ARGUMENT, "place");
  CHECK_FAILS(pl_world_refresh_view(world, NULL, error), PL_E_ARGUMENT, "NULL");
  pl_view_read(NULL, &arrays);
  CHECK(arrays.node_count == 0 && !pl_view_holds(NULL, world));
  pl_view_destroy(NULL);
  CHECK_FAILS(pl_worlds_step((pl_world *[]){world, NULL}, 2, 1, 1, NULL, NULL, error),
              PL_E_ARGUMENT, "world 1 of the list is NULL");
  CHECK_FAILS(pl_worlds_step(NULL, 2, 1, 1, NULL, NULL, error), PL_E_ARGUMENT, "list");
  tear_down(&on);
}

/* ---- what is read and filled in ---- */

TEST(nothing_is_read_from_or_written_to_nowhere)
{
  const double nowhere[3] = {0, NAN, 0};
  stage on = set_up();
  pl_world *world = on.world;
  const pl_choice cg = {.name = "cg"}, none = {0};
  double numbers[300] = {0};
  size_t size = pl_world_state_size(world);
  pl_spot spot;
  pl_hit hit;
  pl_pull_id pull;
  pl_probe_id probe;
  any_def def = {0};
  fill_pull(&on, &def);
  CHECK_OK(pl_world_add_pull(world, &def.pull, &pull, error));
  fill_probe(&on, &def);
  CHECK_OK(pl_world_add_probe(world, &def.probe, &probe, error));
  uint64_t before = pl_world_state_hash(world);

  CHECK_FAILS(pl_world_create(&(pl_world_def){0}, NULL, error), PL_E_ARGUMENT, "a place");
  CHECK_FAILS(pl_scene_load(&(pl_scene_def){0}, NULL, error), PL_E_ARGUMENT, "a place");
  CHECK_FAILS(pl_world_measure(world, NULL, error), PL_E_ARGUMENT, "a place");
  CHECK_FAILS(pl_world_contacts(world, 1, NULL, NULL, error), PL_E_ARGUMENT, "a place");
  CHECK_FAILS(pl_world_contact_events(world, 1, NULL, NULL, error), PL_E_ARGUMENT, "a place");
  CHECK_FAILS(pl_world_read_probe(world, probe, NULL, error), PL_E_ARGUMENT, "a place");
  CHECK_FAILS(pl_world_read_pull(world, pull, NULL, error), PL_E_ARGUMENT, "a place");
  CHECK_FAILS(pl_world_change_pull(world, pull, NULL, error), PL_E_ARGUMENT, "pl_pull");
  CHECK_FAILS(pl_world_move_pull(world, pull, NULL, error), PL_E_ARGUMENT, "target");
  CHECK_FAILS(pl_world_move_pull(world, pull, nowhere, error), PL_E_ARGUMENT, "target");
  CHECK_FAILS(pl_world_get_positions(world, on.bar, NULL, error), PL_E_ARGUMENT, "position");
  CHECK_FAILS(pl_world_get_velocities(world, on.bar, NULL, error), PL_E_ARGUMENT, "velocity");
  CHECK_FAILS(pl_world_set_positions(world, on.bar, NULL, error), PL_E_ARGUMENT, "position");
  CHECK_FAILS(pl_world_set_velocities(world, on.bar, NULL, error), PL_E_ARGUMENT, "velocity");
  numbers[4] = NAN;
  CHECK_FAILS(pl_world_set_positions(world, on.bar, numbers, error), PL_E_ARGUMENT, "node 1");
  CHECK_FAILS(pl_world_set_velocities(world, on.bar, numbers, error), PL_E_ARGUMENT, "node 1");
  CHECK_FAILS(pl_world_follow(world, on.bar, 0, numbers, numbers, error), PL_E_ARGUMENT, "not 0");
  CHECK_FAILS(pl_world_follow(world, on.bar, -2, numbers, numbers, error), PL_E_ARGUMENT, "not -2");
  CHECK_FAILS(pl_world_follow(world, on.bar, 1, NULL, numbers, error), PL_E_ARGUMENT, "NULL");
  CHECK_FAILS(pl_world_follow(world, on.bar, 3, numbers, NULL, error), PL_E_ARGUMENT, "NULL");
  CHECK_FAILS(pl_world_find_spot(world, on.bar, NULL, &spot, error), PL_E_ARGUMENT, "a point");
  CHECK_FAILS(pl_world_find_spot(world, on.bar, site, NULL, error), PL_E_ARGUMENT, "a place");
  CHECK_FAILS(pl_world_find_spot(world, on.bar, nowhere, &spot, error), PL_E_ARGUMENT, "y = nan");
  CHECK_FAILS(pl_world_nearest(world, NULL, &hit, error), PL_E_ARGUMENT, "a point");
  CHECK_FAILS(pl_world_nearest(world, site, NULL, error), PL_E_ARGUMENT, "a place");
  CHECK_FAILS(pl_world_nearest(world, nowhere, &hit, error), PL_E_ARGUMENT, "finite");
  CHECK_FAILS(pl_world_pick(world, NULL, site, &hit, error), PL_E_ARGUMENT, "an origin");
  CHECK_FAILS(pl_world_pick(world, site, NULL, &hit, error), PL_E_ARGUMENT, "a direction");
  CHECK_FAILS(pl_world_pick(world, site, site, NULL, error), PL_E_ARGUMENT, "a place");
  CHECK_FAILS(pl_world_pick(world, nowhere, site, &hit, error), PL_E_ARGUMENT, "finite");
  CHECK_FAILS(pl_world_throw(world, on.frames, NULL, error), PL_E_ARGUMENT, "velocity");
  CHECK_FAILS(pl_world_throw(world, on.frames, nowhere, error), PL_E_ARGUMENT, "velocity");
  CHECK_FAILS(pl_world_get_held(world, on.bar, NULL, error), PL_E_ARGUMENT, "a place");
  CHECK_FAILS(pl_world_set_dt(world, NAN, error), PL_E_ARGUMENT, "dt");
  CHECK_FAILS(pl_world_set_gravity(world, NULL, error), PL_E_ARGUMENT, "gravity");
  CHECK_FAILS(pl_world_set_gravity(world, nowhere, error), PL_E_ARGUMENT, "gravity");
  CHECK_FAILS(pl_world_set_control(world, -1, 0, 0, error), PL_E_ARGUMENT, "budget");
  CHECK_FAILS(pl_world_set_guide(world, world, 0.1, 0, error), PL_E_ARGUMENT, "its own guide");
  CHECK_FAILS(pl_world_set_time_budget(world, -1, error), PL_E_ARGUMENT, "time_budget");
  CHECK_FAILS(pl_world_set_control(world, 0, -1, 0, error), PL_E_ARGUMENT, "halvings");
  CHECK_FAILS(pl_world_set_control(world, 0, 0, NAN, error), PL_E_ARGUMENT, "tolerance");
  CHECK_FAILS(pl_world_set_integrator(world, NULL, error), PL_E_ARGUMENT, "no integrator");
  CHECK_FAILS(pl_world_set_solver(world, NULL, &none, error), PL_E_ARGUMENT, "no solver");
  CHECK_FAILS(pl_world_set_solver(world, &cg, NULL, error), PL_E_ARGUMENT, "no preconditioner");
  CHECK_FAILS(pl_world_set_solver(world, NULL, NULL, error), PL_E_ARGUMENT, "no solver");
  CHECK_FAILS(pl_world_save_state(world, NULL, size, error), PL_E_ARGUMENT, "at NULL");
  CHECK_FAILS(pl_world_save_state(world, numbers, 0, error), PL_E_ARGUMENT, "not 0");
  CHECK_FAILS(pl_world_load_state(world, NULL, size, error), PL_E_ARGUMENT, "at NULL");
  CHECK_FAILS(pl_world_load_state(world, numbers, 0, error), PL_E_ARGUMENT, "not 0");
  CHECK_FAILS(pl_world_load_state(world, numbers, size, error), PL_E_ARGUMENT, "not a state");
  CHECK_FAILS(pl_world_insert_frame(world, on.frames, NULL, 0.3, NULL, error), PL_E_ARGUMENT,
              "the place");
  CHECK_FAILS(pl_world_insert_frame(world, on.frames, site, NAN, NULL, error), PL_E_ARGUMENT,
              "reach");
  CHECK(pl_world_state_hash(world) == before);

  // what may be NULL: everything that only tells more
  CHECK_OK(pl_world_get_stress(world, on.bar, NULL, NULL, error));
  CHECK_OK(pl_world_get_strain(world, on.bar, NULL, NULL, error));
  CHECK_OK(pl_world_get_tensors(world, on.bar, NULL, NULL, error));
  CHECK_OK(pl_world_get_forces(world, on.bar, NULL, NULL, error));
  CHECK_OK(pl_world_set_tool(world, NULL, error));
  pl_world_read_tool(world, NULL, NULL);
  pl_world_set_watcher(world, NULL);
  CHECK_OK(pl_world_step(world, NULL));
  CHECK(pl_world_solver_choice(world, NULL) && pl_world_solver_name(world));
  CHECK(pl_world_preconditioner_choice(world, NULL));
  CHECK(pl_world_preconditioner_name(world) && pl_world_integrator_name(world));
  CHECK(pl_world_time(world) == pl_world_dt(world));
  CHECK(pl_world_create(NULL, &(pl_world *){0}, NULL) == PL_E_ARGUMENT);
  pl_world_destroy(NULL);
  pl_mesh_destroy(NULL);
  pl_scene_destroy(NULL);
  tear_down(&on);
}

/* ---- meshes, scenes, families ---- */

TEST(meshes_are_made_of_something)
{
  pl_mesh *mesh = NULL;
  stage on = set_up();
  CHECK_FAILS(pl_mesh_create(NULL, &mesh, error), PL_E_ARGUMENT, "pl_mesh_def");
  CHECK_FAILS(pl_mesh_create(&(pl_mesh_def){0}, NULL, error), PL_E_ARGUMENT, "a place");
  CHECK_FAILS(pl_mesh_create(&(pl_mesh_def){0}, &mesh, error), PL_E_ARGUMENT, "per_element = 0");
  pl_mesh_def def = {.node_count = 4, .element_count = 1, .nodes_per_element = 4};
  CHECK_FAILS(pl_mesh_create(&def, &mesh, error), PL_E_ARGUMENT, "NULL");
  def.node_count = -4;
  CHECK_FAILS(pl_mesh_create(&def, &mesh, error), PL_E_ARGUMENT, "-4 nodes");
  CHECK_FAILS(pl_mesh_generate(NULL, NULL, &mesh, error), PL_E_ARGUMENT, "no generator");
  CHECK_FAILS(pl_memory_constant_q(NULL, 4.8, NULL, 6, NULL, error), PL_E_ARGUMENT, "a band of");
  CHECK_FAILS(pl_mesh_fill(&(pl_surface_def){0}, &mesh, error), PL_E_ARGUMENT, "needs points");
  CHECK_FAILS(pl_mesh_bezier(&(pl_bezier_def){0}, NULL, &mesh, error), PL_E_ARGUMENT,
              "needs points");
  CHECK_FAILS(pl_mesh_bezier(NULL, NULL, NULL, error), PL_E_ARGUMENT, "needs a place");
  CHECK(pl_bezier_points(2, 1) == 4 && pl_bezier_points(3, 2) == 27);
  CHECK_FAILS(pl_mesh_generate(&(pl_choice){0}, NULL, NULL, error), PL_E_ARGUMENT, "a place");
  CHECK_FAILS(pl_mesh_generate(&(pl_choice){"box", NULL, 2}, NULL, &mesh, error), PL_E_ARGUMENT,
              "2 settings, but no list");
  CHECK_FAILS(pl_mesh_generate(&(pl_choice){"box", &(pl_setting){0}, 1}, NULL, &mesh, error),
              PL_E_ARGUMENT, "unknown parameter");
  CHECK_FAILS(pl_mesh_boundary(on.mesh, NULL, NULL, error), PL_E_ARGUMENT, "a place");
  CHECK_FAILS(pl_mesh_divide(on.mesh, PL_DIVIDE_TET10, NULL, NULL, error), PL_E_ARGUMENT,
              "a place");
  CHECK_FAILS(pl_mesh_read(NULL, NULL, &mesh, error), PL_E_ARGUMENT, "a path");
  CHECK_FAILS(pl_mesh_read("a.msh", NULL, NULL, error), PL_E_ARGUMENT, "a place");
  CHECK_FAILS(pl_mesh_write(on.mesh, NULL, error), PL_E_ARGUMENT, "a path");
  CHECK_FAILS(pl_mesh_measure(on.mesh, NULL, error), PL_E_ARGUMENT, "a place");
  CHECK(!mesh && !pl_mesh_find_set(on.mesh, NULL));
  CHECK(pl_mesh_node_count(on.mesh) == 20 && pl_mesh_nodes(on.mesh));
  CHECK(pl_mesh_element_count(on.mesh) > 0 && pl_mesh_elements(on.mesh));
  CHECK(pl_mesh_nodes_per_element(on.mesh) == 4 && pl_mesh_shape_name(on.mesh));
  CHECK(!pl_mesh_quad_count(on.mesh) && !pl_mesh_quads(on.mesh));
  CHECK(!pl_mesh_quad_elements(on.mesh) && !pl_mesh_axes(on.mesh));
  CHECK(pl_mesh_face_count(on.mesh) > 0 && pl_mesh_faces(on.mesh));
  CHECK(pl_mesh_nodes_per_face(on.mesh) == 3 && pl_mesh_face_elements(on.mesh));
  CHECK(pl_mesh_set_count(on.mesh) > 0);
  CHECK(pl_mesh_hanging_count(on.mesh) == 0 && !pl_mesh_hanging(on.mesh, 0));
  tear_down(&on);
}

TEST(hands_need_a_world_and_a_place)
{
  stage on = set_up();
  pl_haptic *hand = NULL;
  pl_haptic_def def = pl_haptic_def_default();
  pl_haptic_facts facts;
  CHECK_FAILS(pl_haptic_create(NULL, &def, &hand, error), PL_E_ARGUMENT, "a world");
  CHECK_FAILS(pl_haptic_create(on.world, &def, NULL, error), PL_E_ARGUMENT, "a place");
  CHECK_FAILS(pl_haptic_create(on.world, NULL, &hand, error), PL_E_ARGUMENT, "pl_haptic");
  CHECK_OK(pl_haptic_create(on.world, &def, &hand, error));
  CHECK_FAILS(pl_haptic_step(NULL, error), PL_E_ARGUMENT, "a hand");
  CHECK_FAILS(pl_haptic_begin(NULL, error), PL_E_ARGUMENT, "a hand");
  CHECK_FAILS(pl_haptic_end(NULL, error), PL_E_ARGUMENT, "a hand");
  CHECK_FAILS(pl_haptic_place(NULL, NULL, error), PL_E_ARGUMENT, "a hand");
  CHECK_FAILS(pl_haptic_grip(NULL, NULL, error), PL_E_ARGUMENT, "a hand");
  CHECK_FAILS(pl_haptic_start(NULL, error), PL_E_ARGUMENT, "a hand");
  CHECK_FAILS(pl_haptic_repeat(NULL, &facts.touch, error), PL_E_ARGUMENT, "a hand");
  CHECK_FAILS(pl_haptic_repeat(hand, NULL, error), PL_E_ARGUMENT, "a touch");
  CHECK(!pl_haptic_is_live(NULL) && !pl_haptic_is_live(hand));
  pl_haptic_read(NULL, &facts);
  pl_haptic_read(hand, NULL);
  pl_haptic_stop(NULL);
  pl_haptic_destroy(hand);
  pl_haptic_destroy(NULL);
  CHECK_FAILS(pl_scene_step(NULL, error), PL_E_ARGUMENT, "a scene");
  CHECK(!pl_scene_hand(NULL));
  tear_down(&on);
}

TEST(scenes_and_families_answer_with_none)
{
  any_def def;
  pl_scene *scene = NULL;
  fill_scene(NULL, &def);
  CHECK_OK(pl_scene_load(&def.scene, &scene, error));
  if (!scene) return;
  CHECK(!pl_scene_output(scene, -1) && !pl_scene_output(scene, pl_scene_output_count(scene)));
  CHECK(pl_scene_world(scene) && pl_scene_title(scene) && pl_scene_view(scene));
  CHECK(pl_scene_duration(scene) > 0 && !pl_scene_is_real_time(scene));
  CHECK(!pl_scene_is_real_time(NULL));
  pl_scene_destroy(scene);

  char text[8] = "before";
  CHECK(pl_error_text(NULL, text, sizeof text) == text && text[0] == 0);
  CHECK(!pl_error_text(&(pl_error){0}, NULL, sizeof text));
  CHECK(pl_status_text((pl_status)-1) && pl_status_text(PL_STATUS_COUNT) && pl_version());
  CHECK(pl_declarations());
  CHECK(!pl_family_find(NULL) && !pl_family_find("nothing") && pl_families()[0]);
  CHECK(!pl_member_find(NULL, "cg") && !pl_member_find(pl_families()[0], NULL));
  CHECK(pl_allocator_default().alloc && pl_allocator_default().free);
}

TESTS(X(ids_of_nothing_are_refused) X(effects_of_nothing_are_refused)
          X(fields_views_and_lists_name_what_is_missing)
              X(nothing_is_read_from_or_written_to_nowhere) X(meshes_are_made_of_something)
                  X(hands_need_a_world_and_a_place) X(scenes_and_families_answer_with_none))
