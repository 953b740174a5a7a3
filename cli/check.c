/* pliant check: all errors of scenes, without running them. */
#include "cli.h"
#include "core/error.h"
#include "core/file.h"
#include "core/memory.h"
#include "json.h"
#include "load_scene.h"
#include "scene/scene.h"
#include "study.h"

#include <stdio.h>
#include <string.h>

/* Is it XML whose first element is <study>? A pipe can be read once only, and is a scene. */
static int is_study(const char *path)
{
  if (strcmp(path, "/dev/stdin") == 0) return 0;
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

/* json: an object in the making; NULL: a line is printed. */
static int check_study(const char *path, int allow_path, pl_text *json)
{
  pl_error error = {0};
  int cases, references;
  pl_status status = study_check(path, allow_path, &cases, &references, &error);
  if (status && json) {
    cli_json_open(json, "problems", '[');
    cli_json_open(json, NULL, '{');
    cli_json_text(json, "level", "error");
    cli_json_text(json, "text", error.message);
    cli_json_close(json, '}');
    cli_json_close(json, ']');
  }
  if (status) return cli_fail_error(&error);
  if (json) {
    cli_json_number(json, "cases", cases);
    cli_json_number(json, "references", references);
    return CLI_OK;
  }
  printf("%s: ok, %d %s, %d %s\n", path, cases, cases == 1 ? "case" : "cases", references,
         references == 1 ? "reference" : "references");
  return CLI_OK;
}

static void tell_scene(const char *path, int bodies, const pl_world_facts *facts, pl_text *json)
{
  if (json) {
    cli_json_number(json, "bodies", bodies);
    cli_json_number(json, "nodes", facts->nodes);
    cli_json_number(json, "elements", facts->elements);
    cli_json_number(json, "held_nodes", facts->held_nodes);
    return;
  }
  printf("%s: ok, %d %s, %d nodes, %d elements, %d nodes held\n", path, bodies,
         bodies == 1 ? "body" : "bodies", facts->nodes, facts->elements, facts->held_nodes);
}

static int check_scene(pl_scene_def def, pl_text *json)
{
  cli_diagnosis diagnosis = {.json = json};
  pl_scene *scene = NULL;
  pl_world_facts facts;
  pl_error error = {0};
  if (json) cli_json_open(json, "problems", '[');
  pl_status status = cli_load(&def, &diagnosis, &scene);
  int code = status ? CLI_FAILED : CLI_OK;
  // a world has notes and errors of its own when it is made ready
  if (scene) status = pl_world_measure(pl_scene_world(scene), &facts, &error);
  if (scene && status) {
    pl_error_locate(&error, status, def.path, 0);
    cli_diagnose(&diagnosis, &error);
    code = CLI_FAILED;
  }
  if (json) cli_json_close(json, ']');
  if (!code) tell_scene(def.path, pl_world_body_count(pl_scene_world(scene)), &facts, json);
  pl_scene_destroy(scene);
  return code;
}

/* Writes the scene of another format as one of ours; - is the standard output. */
static int convert_scene(const char *path, const char *to)
{
  pl_allocator allocator = pl_allocator_default();
  pl_scene_def def = pl_scene_def_default();
  pl_text text = pl_text_make(NULL);
  pl_bytes bytes;
  pl_error error = {0};
  def.path = path;
  pl_status status = pl_file_read(&allocator, path, 0, &bytes, &error);
  if (status) return cli_fail_error(&error);
  status = pl_scene_convert(&def, bytes.data, bytes.size, &text, &error);
  pl_bytes_free(&allocator, &bytes);
  if (!status && strcmp(to, "-") == 0) fwrite(text.data, 1, text.size, stdout);
  if (!status && strcmp(to, "-") != 0) status = pl_file_write(to, text.data, text.size, &error);
  pl_text_release(&text);
  return status ? cli_fail_error(&error) : CLI_OK;
}

int cli_check(int count, char **words)
{
  static cli_words scenes, changes;
  const char *convert = NULL;
  int allow_path = 0, as_json = 0;
  const cli_option options[] = {
      {.name = "set",
       .argument = "PATH=VALUE",
       .summary = "change a value of the scene first",
       .list = &changes},
      {.name = "allow-path",
       .summary = "let scenes name files outside their folder",
       .flag = &allow_path},
      {.name = "json", .summary = "results for other programs", .flag = &as_json},
      {.name = "convert",
       .argument = "FILE",
       .summary = "write the scene of another format (EDMConfig) as one of ours; - is the standard "
                  "output",
       .value = &convert},
  };
  int code = cli_parse(count, words, options, 4, "check [OPTIONS] SCENE|STUDY...",
                       "Reads scenes, or studies with all their cases, builds their worlds and "
                       "lists all errors. - is the standard input.",
                       &scenes);
  if (code) return code < 0 ? CLI_OK : code;
  if (scenes.count == 0) return cli_fail(CLI_USAGE, "check needs a scene; see pliant check --help");
  if (convert) return convert_scene(cli_input(scenes.words[0]), convert);
  pl_text text = pl_text_make(NULL), *json = as_json ? &text : NULL;
  if (json) cli_json_open(json, NULL, '[');
  for (int i = 0; i < scenes.count; i++) {
    const char *path = cli_input(scenes.words[i]);
    pl_scene_def def = pl_scene_def_default();
    def.path = path;
    def.changes = changes.words;
    def.change_count = changes.count;
    def.allow_any_path = allow_path;
    if (json) cli_json_open(json, NULL, '{');
    if (json) cli_json_text(json, "file", scenes.words[i]);
    int failed = is_study(path) ? check_study(path, allow_path, json) : check_scene(def, json);
    if (json) cli_json_flag(json, "ok", !failed);
    if (json) cli_json_close(json, '}');
    if (failed) code = CLI_FAILED;
  }
  if (!json) return code;
  cli_json_close(json, ']');
  return cli_json_print(json, code);
}
