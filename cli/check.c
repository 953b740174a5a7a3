/* pliant check: all errors of scenes, without running them. */
#include "cli.h"
#include "core/error.h"
#include "diagnose.h"

#include <stdio.h>

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
  int code = cli_parse(count, words, options, 2, "check [OPTIONS] SCENE...",
                       "Reads scenes, builds their worlds and tells all errors.", &scenes);
  if (code) return code < 0 ? CLI_OK : code;
  if (scenes.count == 0) return cli_fail(CLI_USAGE, "check needs a scene; see pliant check --help");

  for (int i = 0; i < scenes.count; i++) {
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
