/* docs/scene.md and the fuzzer's dictionary are made from the tables and must be up to date. */
#include "scene/scene.h"
#include "scene/schema.h"

#include "up_to_date.h"

TEST(reference_is_up_to_date)
{
  pl_text text = pl_text_make(NULL);
  pl_scene_reference(&text);
  test_up_to_date("docs/scene.md", &text, "scene/reference");
  pl_text_release(&text);
}

TEST(reference_names_every_member_and_parameter)
{
  pl_text text = pl_text_make(NULL);
  pl_scene_reference(&text);
  for (int i = 0; pl_families()[i]; i++) {
    for (int k = 0; pl_families()[i]->members[k]; k++) {
      const pl_member *member = pl_families()[i]->members[k];
      CHECK(strstr(text.data, member->summary) != NULL);
      // how a format writes is not told by scenes
      int told = strcmp(pl_families()[i]->name, "format") != 0;
      for (int p = 0; told && p < member->param_count; p++)
        CHECK(strstr(text.data, member->params[p].summary) != NULL);
    }
  }
  pl_text_release(&text);
}

/* ---- the dictionary ---- */

static void add_word(pl_text *out, const char *form, const char *word)
{
  char line[256];
  snprintf(line, sizeof line, form, word);
  // each line once
  if (!out->data || !strstr(out->data, line)) pl_text_add(out, "%s", line);
}

static void add_member(pl_text *out, const pl_member *member)
{
  for (int i = 0; i < member->param_count; i++) {
    add_word(out, "\" %s=\"\n", member->params[i].name);
    for (const char *word = member->params[i].words; word && *word;) {
      char one[64];
      int length = (int)strcspn(word, "|");
      snprintf(one, sizeof one, "%.*s", length, word);
      add_word(out, "\"%s\"\n", one);
      word += length + (word[length] == '|');
    }
  }
}

static void add_element(pl_text *out, const pl_element *element)
{
  if (!element->family) add_word(out, "\"<%s\"\n", element->name);
  for (int i = 0; element->family && element->family->members[i]; i++) {
    add_word(out, "\"<%s\"\n", element->family->members[i]->name);
    add_member(out, element->family->members[i]);
  }
  for (const pl_attribute *row = element->attributes; row->param.name; row++) {
    add_word(out, "\" %s=\"\n", row->param.name);
    for (int i = 0; row->family && row->family->members[i]; i++) {
      add_word(out, "\"%s\"\n", row->family->members[i]->name);
      if (row->adopts) add_member(out, row->family->members[i]);
    }
  }
  for (int i = 0; element->children && element->children[i]; i++) {
    if (element->children[i] != element) add_element(out, element->children[i]);
  }
}

TEST(dictionary_is_up_to_date)
{
  pl_text text = pl_text_make(NULL);
  pl_text_add(&text, "# The words of scenes, for libFuzzer. Made by: PLIANT_UPDATE=1 ctest "
                     "--test-dir build/release -R scene/reference\n"
                     "\"</pliant>\"\n\"/>\"\n\"'0 0 0'\"\n\"'1e6'\"\n\"'-1'\"\n\"'nan'\"\n");
  add_element(&text, &pl_scene_root);
  test_up_to_date("tests/fuzz/scene.dict", &text, "scene/reference");
  pl_text_release(&text);
}

TESTS(X(reference_is_up_to_date) X(reference_names_every_member_and_parameter)
          X(dictionary_is_up_to_date))
