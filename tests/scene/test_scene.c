/* Scenes that are right: their values arrive in the world, changes are applied, files stay below
 * the scene's folder, and no failing allocation does harm. */
#include "core/file.h"
#include "core/memory.h"
#include "world/probe.h"

#include "scene_test.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

static pl_scene *load_with(const char *text, const char *const *changes, int count, messages *kept)
{
  pl_scene_def def = quiet_def("folder/bar.xml", kept);
  def.changes = changes;
  def.change_count = count;
  pl_scene *scene = NULL;
  pl_error error = {0};
  pl_scene_load_memory(&def, text, strlen(text), &scene, &error);
  return scene;
}

static pl_scene *load(const char *text, messages *kept) { return load_with(text, NULL, 0, kept); }

TEST(values_arrive)
{
  messages kept;
  pl_scene *scene = load(good_scene, &kept);
  CHECK(scene && !kept.errors && !kept.warnings);
  if (!scene) return;
  const pl_world *world = pl_scene_world(scene);
  CHECK(strcmp(pl_scene_title(scene), "Bar") == 0 && pl_scene_duration(scene) == 1);
  CHECK(world->set.dt == 0.01 && world->gravity[1] == -9.81 && world->gravity[2] == 0);
  CHECK(strcmp(world->set.integrator.member->name, "implicit-euler") == 0);
  int tolerance = pl_param_find(world->set.solver.member, "tolerance");
  CHECK(world->set.solver.values[pl_param_place(world->set.solver.member, tolerance)] == 1e-6);

  CHECK(world->bodies.count == 1 && strcmp(world->bodies.list[0].name, "bar") == 0);
  CHECK(world->bodies.list[0].mesh->element_count == 24 &&
        world->bodies.list[0].mesh->node_count == 20);
  const pl_fix *held = (const pl_fix *)probe_coupling(world, &pl_coupling_fix, 0);
  CHECK(probe_count(world, &pl_coupling_fix) == 1 && held->count == 4 && held->hold_count == 3);
  const pl_load *load = (const pl_load *)probe_coupling(world, &pl_coupling_load, 0);
  CHECK(probe_count(world, &pl_coupling_load) == 1 && load->values[1] == 1);
  CHECK(load->shape.node_count == 4 && load->ramp.count == 2);
  CHECK(load->ramp.times[1] == 0.5 && load->ramp.factors[1] == 1);
  CHECK(world->probes.count == 1 && strcmp(world->probes.list[0].name, "tip") == 0);

  CHECK(pl_scene_output_count(scene) == 1 && pl_scene_output(scene, 0)->every == 0.1);
  CHECK(strcmp(pl_scene_output(scene, 0)->format, "vtu") == 0 && !pl_scene_output(scene, 1));
  const pl_view *view = pl_scene_view(scene);
  CHECK(view->direction[2] == -1 && view->up[1] == 1 && strcmp(view->colour, "displacement") == 0);
  pl_scene_destroy(scene);
}

/* An attachment's values are those of all its points together. */
TEST(attachments_arrive)
{
  messages kept;
  pl_scene *scene =
      load("<pliant><world dt='0.5' duration='0.5'/>"
           "<material name='m' young='1e5' poisson='0.3'/><mesh name='c'><box/></mesh>"
           "<body name='a' mesh='c' material='m'><attach to='b' stiffness='800' damping='80'>"
           "<all/></attach></body><body name='b' mesh='c' material='m'/></pliant>",
           &kept);
  CHECK(scene && !kept.errors);
  if (!scene) return;
  const pl_world *world = pl_scene_world(scene);
  const pl_attachment *at =
      (const pl_attachment *)probe_coupling(world, &pl_coupling_attachment, 0);
  CHECK(probe_count(world, &pl_coupling_attachment) == 1 &&
        at->count == world->bodies.list[0].mesh->node_count);
  CHECK_NEAR(at->stiffness * at->count, 800, 1e-9);
  CHECK_NEAR(at->damping * at->count, 80, 1e-9);
  pl_scene_destroy(scene);
}

TEST(presets_stand_in)
{
  messages kept;
  pl_scene *scene =
      load("<pliant><world dt='0.5' duration='0.5'/>"
           "<material name='m' lambda='1e5' mu='2e5' stiffness-damping='0.01' mass-damping='3'/>"
           "<material name='n' young='1' poisson='0'/>"
           "<mesh name='b'><box/></mesh>"
           "<body name='a' mesh='b' material='m' velocity='1 2 3' spin='0 0 1'>"
           "<move translation='0 0 1' axis='1 0 0' angle='90' centre='0 1 0' axes='xz' ramp='1 2'>"
           "<set name='x-min'/><set name='x-max'/></move></body>"
           "<probe name='e' quantity='energy'/><output/><output format='none'/>"
           "<output format='gmsh' encoding='binary' version='2.2'/></pliant>",
           &kept);
  CHECK(scene && !kept.errors);
  if (!scene) return;
  const pl_world *world = pl_scene_world(scene);
  CHECK(kept.warnings == 1);
  CHECK(strcmp(kept.warning, "folder/bar.xml:1: material \"n\" is not used by any body") == 0);
  CHECK(strcmp(pl_scene_title(scene), "bar.xml") == 0);
  CHECK(world->gravity[2] == -9.81 && world->bodies.list[0].mass_damping == 3);
  const pl_fix *fix = (const pl_fix *)probe_coupling(world, &pl_coupling_fix, 0);
  CHECK(fix->count == 8 && fix->hold_count == 2 && fix->hold[0][0] == 1 && fix->hold[1][2] == 1);
  CHECK(fix->angle == 90 && fix->axis[0] == 1 && fix->axis[2] == 0 && fix->centre[1] == 1);
  CHECK(fix->translation[2] == 1 && fix->ramp.count == 1 && fix->ramp.factors[0] == 2);
  double momentum = 0;
  for (int i = 0; i < world->bodies.blocks; i++)
    momentum += world->bodies.list[0].model->lumped_mass[i] * world->state.v[3 * i + 2];
  CHECK_NEAR(momentum, 3000, 1e-9 * 3000); // 1000 kg at 3 m/s, summed in rounding
  CHECK(pl_scene_output_count(scene) == 3 && pl_scene_output(scene, 0)->every == 0.04);
  CHECK(strcmp(pl_scene_output(scene, 1)->format, "") == 0);
  const pl_output *last = pl_scene_output(scene, 2);
  CHECK(last && strcmp(last->format, "gmsh") == 0 && last->setting_count == 2);
  CHECK(last && strcmp(last->settings[0].name, "encoding") == 0);
  CHECK(last && strcmp(last->settings[0].word, "binary") == 0);
  CHECK(last && strcmp(last->settings[1].word, "2.2") == 0);
  CHECK(pl_scene_view(scene)->up[2] == 1);
  pl_scene_destroy(scene);
}

/* Ears that are thinner than the elements stick out of them; a cage holds them. */
TEST(surfaces_that_stick_out_of_their_elements_are_told)
{
  static const char *const change = "mesh[a].shape.method=cage";
  for (int caged = 0; caged < 2; caged++) {
    messages kept;
    pl_scene *scene = load_with(
        "<pliant><world dt='0.1' duration='1'/><material name='m' young='1e5' poisson='0.3'/>"
        "<mesh name='a'><shape size='0.1' method='stuffing'><bunny/></shape></mesh>"
        "<mesh name='b' kind='surface'><shape size='0.04'><bunny/></shape></mesh>"
        "<body name='hare' mesh='a' material='m' surface='b'/></pliant>",
        &change, caged, &kept);
    CHECK(scene && !kept.errors && kept.warnings == !caged);
    CHECK(caged || (strstr(kept.warning, "body \"hare\": 1.") &&
                    strstr(kept.warning, "thin parts may be torn")));
    pl_scene_destroy(scene);
  }
}

TEST(surfaces_follow_bodies)
{
  messages kept;
  pl_scene *scene =
      load("<pliant><world dt='0.1' duration='1'/><material name='m' young='1e5' poisson='0.3'/>"
           "<mesh name='a'><box cells='1 1 1'/></mesh>"
           "<mesh name='b' kind='surface'><box cells='5 5 5' element='hex'/></mesh>"
           "<body name='a' mesh='a' material='m' surface='b'/>"
           "<body name='cloth' model='springs' mesh='b' material='m'/></pliant>",
           &kept);
  CHECK(scene && !kept.errors && !kept.warnings);
  if (!scene) {
    printf("  %s\n", kept.text[0]);
    return;
  }
  pl_world *world = pl_scene_world(scene);
  CHECK(world->bodies.list[0].surface->face_count == 300 &&
        world->bodies.list[0].mesh->face_count == 12);
  CHECK(world->bodies.list[1].mesh->element_count == 300 && !world->bodies.list[1].surface);
  CHECK_OK(pl_world_step(world, error));
  pl_scene_destroy(scene);
  scene =
      load("<pliant><world dt='0.1' duration='1'/><material name='m' young='1e5' poisson='0.3'/>"
           "<mesh name='b' kind='surface'><box/></mesh>"
           "<body name='a' mesh='b' material='m'/></pliant>",
           &kept);
  CHECK(!scene && strstr(kept.text[0], "needs elements with a volume"));
}

/* ---- changes ---- */

TEST(changes_are_applied)
{
  messages kept;
  const char *const changes[] = {"world.dt=0.005",
                                 "material[rubber].density=500",
                                 "mesh[bar].box.cells=8 2 2",
                                 "body[bar].fix.axes=x",
                                 "body.force[1].box.min=-1 -1 -1",
                                 "probe[tip].at=0 0 0",
                                 "pliant.title=A = B",
                                 "view.colour=none",
                                 "contact.friction=0.25"}; // an element that is not there
  pl_scene *scene = load_with(good_scene, changes, sizeof changes / sizeof *changes, &kept);
  CHECK(scene && !kept.errors);
  if (!scene) {
    printf("  %s\n", kept.text[0]);
    return;
  }
  const pl_world *world = pl_scene_world(scene);
  CHECK(world->set.dt == 0.005 && world->bodies.list[0].mesh->element_count == 8 * 2 * 2 * 6);
  const pl_fix *fix = (const pl_fix *)probe_coupling(world, &pl_coupling_fix, 0);
  const pl_load *load = (const pl_load *)probe_coupling(world, &pl_coupling_load, 0);
  CHECK(fix->hold_count == 1 && fix->hold[0][0] == 1);
  CHECK(load->shape.node_count == world->bodies.list[0].mesh->node_count);
  CHECK(strcmp(pl_scene_title(scene), "A = B") == 0);
  CHECK(strcmp(pl_scene_view(scene)->colour, "none") == 0);
  CHECK(world->contact.friction == 0.25);
  pl_scene_destroy(scene);
}

static void check_change(const char *text, const char *change, const char *message)
{
  messages kept;
  pl_scene *scene = load_with(text, &change, 1, &kept);
  CHECK(!scene && kept.errors == 1);
  if (strcmp(kept.text[0], message))
    printf("  expected: %s\n  got:      %s\n", message, kept.text[0]);
  CHECK(strcmp(kept.text[0], message) == 0);
  pl_scene_destroy(scene);
}

TEST(changes_that_fit_nothing_are_refused)
{
#define REFUSED(change, rest)                                                                      \
  check_change(good_scene, change, "folder/bar.xml: change \"" change "\": " rest)
  REFUSED("wrld.dt=1", "unknown element \"wrld\"; did you mean \"world\"?");
  REFUSED("material[ruber].young=1", "unknown material \"ruber\"; did you mean \"rubber\"?");
  REFUSED("body.fix[2].axes=x", "there is no <fix> number \"2\"; there are 1");
  REFUSED("body.moove.axes=x", "unknown element \"moove\"; there is: fix, force");
#define FORM "must read element.attribute=value or element[name].attribute=value"
  REFUSED("dt=1", FORM);
  REFUSED("world.dt", "must read element.attribute=value");
  REFUSED("=1", "must read element.attribute=value");
  REFUSED(".=1", FORM);
  REFUSED("world..dt=1", FORM);
  REFUSED("world[.dt=1", "must read element.attribute=value");
  REFUSED("world[a]b.dt=1", FORM);
  REFUSED("world.dt[1]=1", FORM);
  REFUSED("world.d t=1", "\"d t\" cannot be the name of an attribute");

  char *text = edited(good_scene, "<fix ", "<fix axes=\"x\"><all/></fix><fix ");
  check_change(text, "body.fix.axes=y",
               "folder/bar.xml: change \"body.fix.axes=y\": 2 elements <fix> fit; say which one, "
               "as in fix[1]");
  free(text);
  text = edited(good_scene, "<material ",
                "<material name=\"steel\" young=\"1\" poisson=\"0\"/><material ");
  check_change(
      text, "material.young=2",
      "folder/bar.xml: change \"material.young=2\": 2 elements <material> fit; say which one, "
      "as in material[steel]");
  free(text);

  // what a change brings in is checked like the file's own
  check_change(good_scene, "world.dt=0",
               "folder/bar.xml:2: world: dt = 0 must lie between 1e-09 and 1e+06 s");
  check_change(
      good_scene, "world.speed=1",
      "folder/bar.xml:2: world: unknown attribute \"speed\"; there is: dt, duration, "
      "gravity, halvings, budget, budget-ms, real-time, tolerance, substeps, unstable, start");
}

/* ---- files ---- */

static const char one_tet[] = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n"
                              "3 0 1 0\n4 0 0 1\n$EndNodes\n$Elements\n1\n1 4 2 1 1 1 2 3 4\n"
                              "$EndElements\n";

static char *join(char *buffer, const char *folder, const char *name)
{
  pl_path_join(buffer, 512, folder, name, NULL);
  return buffer;
}

static pl_status load_mesh_file(const char *folder, const char *file, int allow, messages *kept)
{
  char text[1024], path[512];
  snprintf(text, sizeof text,
           "<pliant><world dt='0.1' duration='1'/><material name='m' young='1' poisson='0'/>\n"
           "<mesh name='a' file='%s'/><body name='a' mesh='a' material='m'/></pliant>\n",
           file);
  pl_scene_def def = quiet_def(join(path, folder, "scene.xml"), kept);
  CHECK_OK(pl_file_write(path, text, strlen(text), error));
  def.allow_any_path = allow;
  pl_scene *scene = NULL;
  pl_status status = pl_scene_load(&def, &scene, NULL);
  CHECK((status == PL_OK) == (scene != NULL) && (status == PL_OK) == (kept->errors == 0));
  pl_scene_destroy(scene);
  unlink(path);
  return status;
}

static void write_file(const char *folder, const char *name, const char *text)
{
  char path[512];
  CHECK_OK(pl_file_write(join(path, folder, name), text, strlen(text), error));
}

static void remove_folder(const char *path)
{
  DIR *folder = opendir(path);
  if (!folder) {
    unlink(path);
    return;
  }
  for (struct dirent *entry; (entry = readdir(folder));) {
    char name[512];
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    join(name, path, entry->d_name);
    struct stat facts;
    if (lstat(name, &facts) == 0 && S_ISDIR(facts.st_mode))
      remove_folder(name);
    else
      unlink(name);
  }
  closedir(folder);
  rmdir(path);
}

TEST(mesh_files_stay_below_the_folder)
{
  char base[] = "/tmp/pliant-scene-XXXXXX", inside[128], path[512], target[512];
  CHECK(mkdtemp(base) != NULL);
  snprintf(inside, sizeof inside, "%s/scenes/meshes", base);
  CHECK_OK(pl_folder_make(inside, error));
  snprintf(inside, sizeof inside, "%s/scenes", base);
  write_file(base, "outside.msh", one_tet);
  write_file(inside, "a.msh", one_tet);
  write_file(inside, "meshes/b.msh", one_tet);
  snprintf(target, sizeof target, "%s/scenes-other", base); // shares the folder's first letters
  CHECK_OK(pl_folder_make(target, error));
  write_file(base, "scenes-other/c.msh", one_tet);
  CHECK(symlink("a.msh", join(path, inside, "inner.msh")) == 0);
  CHECK(symlink("../outside.msh", join(path, inside, "escape.msh")) == 0);
  CHECK(symlink("..", join(path, inside, "up")) == 0);

  messages kept;
  CHECK(load_mesh_file(inside, "a.msh", 0, &kept) == PL_OK);
  CHECK(load_mesh_file(inside, "meshes/b.msh", 0, &kept) == PL_OK);
  CHECK(load_mesh_file(inside, "meshes/../a.msh", 0, &kept) == PL_OK);
  CHECK(load_mesh_file(inside, "inner.msh", 0, &kept) == PL_OK);

  snprintf(target, sizeof target, "%s/outside.msh", base);
  const char *const escapes[] = {"../outside.msh", "escape.msh", "up/outside.msh", target,
                                 "../scenes-other/c.msh"};
  for (size_t i = 0; i < sizeof escapes / sizeof *escapes; i++) {
    char expected[1024];
    snprintf(
        expected, sizeof expected,
        "%s/scene.xml:2: mesh \"a\": file = \"%s\" lies outside of the scene's folder; move it "
        "there or allow it with --allow-path",
        inside, escapes[i]);
    CHECK(load_mesh_file(inside, escapes[i], 0, &kept) == PL_E_ARGUMENT);
    CHECK(kept.errors == 1 && strcmp(kept.text[0], expected) == 0);
    CHECK(load_mesh_file(inside, escapes[i], 1, &kept) == PL_OK);
  }

  // a second file that the format reads along must not escape either
  write_file(inside, "t.node", "4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n");
  write_file(base, "t.ele", "1 4 0\n1 1 2 3 4\n");
  CHECK(symlink("../t.ele", join(path, inside, "t.ele")) == 0);
  CHECK(load_mesh_file(inside, "t.node", 0, &kept) == PL_E_ARGUMENT);
  CHECK(strstr(kept.text[0], "lies outside of the scene's folder") != NULL);
  CHECK(load_mesh_file(inside, "t.node", 1, &kept) == PL_OK);

  // an error inside the mesh file keeps its own place
  write_file(inside, "bad.msh", "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\nmany\n");
  CHECK(load_mesh_file(inside, "bad.msh", 0, &kept) != PL_OK);
  char expected[512];
  snprintf(expected, sizeof expected, "%s/scene.xml:2: mesh \"a\": %s/bad.msh:5: ", inside, inside);
  if (strncmp(kept.text[0], expected, strlen(expected))) printf("  got: %s\n", kept.text[0]);
  CHECK(kept.errors == 1 && strncmp(kept.text[0], expected, strlen(expected)) == 0);
  remove_folder(base);
}

TEST(shipped_scenes_are_right)
{
  const char *source = getenv("PLIANT_SOURCE");
  char folder[400], path[512];
  CHECK_OK(pl_path_join(folder, sizeof folder, source ? source : ".", "scenes", error));
  DIR *scenes = opendir(folder);
  CHECK(scenes != NULL);
  int count = 0;
  for (struct dirent *entry; scenes && (entry = readdir(scenes));) {
    if (strcmp(pl_path_extension(entry->d_name), "xml") != 0) continue;
    messages kept;
    pl_scene_def def = quiet_def(join(path, folder, entry->d_name), &kept);
    pl_scene *scene = NULL;
    CHECK_OK(pl_scene_load(&def, &scene, error));
    CHECK(!kept.warnings);
    if (scene) CHECK(pl_world_probe_count(pl_scene_world(scene)) > 0);
    pl_scene_destroy(scene);
    count++;
  }
  CHECK(count >= 6);
  if (scenes) closedir(scenes);
}

/* ---- memory ---- */

typedef struct failing {
  int countdown, live;
} failing;

static void *failing_alloc(void *context, size_t size, size_t align)
{
  failing *state = context;
  if (state->countdown-- == 0) return NULL;
  pl_allocator allocator = pl_allocator_default();
  void *memory = allocator.alloc(NULL, size, align);
  state->live += memory != NULL;
  return memory;
}

static void failing_free(void *context, void *memory)
{
  ((failing *)context)->live -= memory != NULL;
  pl_allocator allocator = pl_allocator_default();
  allocator.free(NULL, memory);
}

static int fail_each_allocation(const char *text)
{
  for (int k = 0;; k++) {
    failing state = {.countdown = k};
    messages kept;
    pl_scene_def def = quiet_def("bar.xml", &kept);
    def.allocator = (pl_allocator){failing_alloc, failing_free, &state};
    pl_scene *scene = NULL;
    pl_error error = {0};
    pl_status status = pl_scene_load_memory(&def, text, strlen(text), &scene, &error);
    pl_scene_destroy(scene);
    CHECK(state.live == 0);
    if (state.countdown >= 0) return k; // no allocation was left to fail
    CHECK(status == PL_E_MEMORY || kept.errors > 1);
    CHECK(!scene || status == PL_OK);
  }
}

TEST(failing_allocations_do_no_harm)
{
  CHECK(fail_each_allocation(good_scene) > 20);
  // with errors in it as well
  char *text = edited(good_scene, "x-min", "x-mim");
  fail_each_allocation(text);
  free(text);
}

TESTS(X(values_arrive) X(attachments_arrive) X(presets_stand_in) X(surfaces_follow_bodies)
          X(surfaces_that_stick_out_of_their_elements_are_told) X(changes_are_applied)
              X(changes_that_fit_nothing_are_refused) X(mesh_files_stay_below_the_folder)
                  X(shipped_scenes_are_right) X(failing_allocations_do_no_harm))
