/* pliant check: all errors of scenes, without running them. */
#include "cli.h"
#include "core/error.h"
#include "core/file.h"
#include "core/memory.h"
#include "diagnose.h"
#include "study.h"

#include <stdio.h>
#include <string.h>

/* Is it XML whose first element is <study>? */
static int is_study(const char *path)
{
  pl_allocator allocator = pl_allocator_default();
  pl_bytes bytes;
  if (pl_file_read(&allocator, path, 0, &bytes, NULL)) return 0;
  const char *at = bytes.data;
  for (size_t skip = 1; skip; at += skip) {
    at += strspn(at, " \t\r\n\xef\xbb\xbf");
    const char *end = strncmp(at, "<!--", 4) == 0 ? strstr(at, "-->")
                      : strncmp(at, "<?", 2) == 0 ? strstr(at, "?>")
                                                  : NULL;
    skip = end ? (size_t)(end - at) + (*end == '-' ? 3 : 2) : 0;
  }
  int found = strncmp(at, "<study", 6) == 0 && strchr(" \t\r\n>/", at[6]);
  pl_bytes_free(&allocator, &bytes);
  return found;
}

static int check_study(const char *path, int allow_path)
{
  pl_error error = {0};
  int cases, references;
  if (study_check(path, allow_path, &cases, &references, &error)) return cli_fail_error(&error);
  printf("%s: ok, %d %s, %d %s\n", path, cases, cases == 1 ? "case" : "cases", references,
         references == 1 ? "reference" : "references");
  return CLI_OK;
}

int cli_check(int count, char **words)
{
  static cli_words scenes, changes;
  int allow_path = 0;
  const cli_option options[] = {
      {.name = "set",
       .argument = "PATH=VALUE",
       .summary = "change a value of the scene first",
       .list = &changes},
      {.name = "allow-path",
       .summary = "let scenes name files outside their folder",
       .flag = &allow_path},
  };
  int code = cli_parse(
      count, words, options, 2, "check [OPTIONS] SCENE|STUDY...",
      "Reads scenes, or studies with all their cases, builds their worlds and tells all errors.",
      &scenes);
  if (code) return code < 0 ? CLI_OK : code;
  if (scenes.count == 0) return cli_fail(CLI_USAGE, "check needs a scene; see pliant check --help");

  for (int i = 0; i < scenes.count; i++) {
    if (is_study(scenes.words[i])) {
      if (check_study(scenes.words[i], allow_path)) code = CLI_FAILED;
      continue;
    }
    pl_scene_def def = pl_scene_def_default();
    cli_diagnosis diagnosis = {0};
    pl_scene *scene = NULL;
    def.path = scenes.words[i];
    def.changes = changes.words;
    def.change_count = changes.count;
    def.allow_any_path = allow_path;
    if (cli_load(&def, &diagnosis, &scene)) {
      code = CLI_FAILED;
      continue;
    }
    pl_world_facts facts;
    pl_error error = {0};
    int bodies = pl_world_body_count(pl_scene_world(scene));
    pl_status status = pl_world_measure(pl_scene_world(scene), &facts, &error);
    pl_error_locate(&error, status, scenes.words[i], 0);
    if (status)
      code = cli_fail_error(&error);
    else
      printf("%s: ok, %d %s, %d nodes, %d elements, %d nodes held\n", scenes.words[i], bodies,
             bodies == 1 ? "body" : "bodies", facts.nodes, facts.elements, facts.held_nodes);
    pl_scene_destroy(scene);
  }
  return code;
}
