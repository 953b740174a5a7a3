/* Reading studies: the product of what is varied, changes taken apart, and no memory lost when
 * there is none. What a user reads of errors is tested with the command. */
#include "core/file.h"
#include "core/memory.h"
#include "scene/study.h"

#include <unistd.h>

#include "test.h"

static const char scene_text[] = "<pliant><world dt=\"0.01\" duration=\"1\"/></pliant>\n";
static const char study_text[] =
    "<study title=\"T\" scene=\"scene.xml\" set=\" a.b=1 ;; c[x].d=2;\">\n"
    "<vary name=\"m\"><option name=\"one\" set=\"e.f=1\"/><option name=\"2\" set=\"e.f=2; "
    "g.h=3\"/></vary>\n"
    "<vary name=\"dt\" unit=\"s\" path=\"world.dt\" from=\"1\" to=\"0.01\" count=\"3\"/>\n"
    "<vary name=\"n\" path=\"k.l\" values=\" x  y\"/>\n"
    "<reference set=\"world.dt=1e-3\"/><measure error=\"energy\" repeat=\"2\"/>\n"
    "<table rows=\"m\" value=\"error\"/><plot name=\"p\" x=\"dt\" y=\"error\"><mark axis=\"x\" "
    "to=\"1\"/></plot>\n"
    "</study>\n";

static char folder[] = "/tmp/pliant-study-XXXXXX", scene_path[64], study_path[64];

static int write_files(void)
{
  if (!mkdtemp(folder)) return 0;
  snprintf(scene_path, sizeof scene_path, "%s/scene.xml", folder);
  snprintf(study_path, sizeof study_path, "%s/study.xml", folder);
  return !pl_file_write(scene_path, scene_text, strlen(scene_text), NULL) &&
         !pl_file_write(study_path, study_text, strlen(study_text), NULL);
}

static void remove_files(void)
{
  unlink(scene_path);
  unlink(study_path);
  rmdir(folder);
}

TEST(a_study_is_the_product_of_what_is_varied)
{
  pl_study *study = NULL;
  CHECK(write_files());
  CHECK_OK(pl_study_load(NULL, study_path, 1, &study, error));
  if (!study) return;
  CHECK(study->axis_count == 3 && pl_study_cases(study) == 2 * 3 * 2);
  CHECK(study->axes[0].options[1].changes.count == 2 && study->axes[0].options[1].number == 2);
  CHECK(strcmp(study->axes[0].options[1].changes.texts[1], "g.h=3") == 0);
  CHECK(strcmp(study->axes[1].options[1].label, "0.1") == 0);
  CHECK(strcmp(study->axes[2].options[1].changes.texts[0], "k.l=y") == 0);
  CHECK(study->error == PL_ERROR_ENERGY && study->repeat == 2 && study->has_reference);
  CHECK(study->plot_count == 2 && isinf(study->plots[1].marks[0].from));
  // the last axis runs fastest, and every case is met once
  int options[PL_MOST_AXES];
  pl_study_case(study, 7, options);
  CHECK(options[0] == 1 && options[1] == 0 && options[2] == 1);
  pl_study_destroy(study);
}

/* Fails the allocation number `left` and counts what is not given back. */
static int left, outstanding;

static void *failing_alloc(void *context, size_t size, size_t align)
{
  (void)context;
  if (left-- == 0) return NULL;
  void *memory = aligned_alloc(align, (size + align - 1) / align * align);
  outstanding += memory != NULL;
  return memory;
}

static void failing_free(void *context, void *memory)
{
  (void)context;
  outstanding -= memory != NULL;
  free(memory);
}

TEST(failing_allocations_are_reported)
{
  pl_allocator allocator = {failing_alloc, failing_free, NULL};
  for (int k = 0; k < 1000; k++) {
    pl_study *study = NULL;
    pl_error error = {0};
    left = k;
    pl_status status = pl_study_load(&allocator, study_path, 1, &study, &error);
    int failed = left < 0;
    pl_study_destroy(study);
    CHECK(outstanding == 0);
    CHECK(failed ? status == PL_E_MEMORY : status == PL_OK);
    if (!failed) break;
  }
  remove_files();
}

TESTS(X(a_study_is_the_product_of_what_is_varied) X(failing_allocations_are_reported))
