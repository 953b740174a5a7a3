/* Command lines: words at line ends, taken apart as every sub-command does it. */
#include "../../cli/cli.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_ARGUMENTS = 600 };

static void take_apart(int count, char **words)
{
  static cli_words plain, list;
  const char *value = NULL;
  int flag = 0, whole;
  double number;
  const cli_option options[] = {
      {.name = "output", .letter = 'o', .argument = "DIR", .summary = "where", .value = &value},
      {.name = "set", .argument = "PATH=VALUE", .summary = "changes", .list = &list},
      {.name = "settle", .summary = "begins as another does", .flag = &flag},
      {.name = "quiet", .letter = 'q', .summary = "tells less", .flag = &flag}};
  list.count = 0;
  int code = cli_parse(count, words, options, 4, "fuzz [OPTIONS]", "Takes words apart.", &plain);
  if (code != CLI_OK && code != CLI_USAGE && code != -1) abort();
  if (plain.count + list.count > count || plain.count > CLI_MOST_WORDS) abort();
  for (int i = 0; i < plain.count; i++) {
    if (!cli_int("n", plain.words[i], -3, 7, &whole) && (whole < -3 || whole > 7)) abort();
    cli_number("x", plain.words[i], &number);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static int quiet;
  if (!quiet++ && (!freopen("/dev/null", "w", stderr) || !freopen("/dev/null", "w", stdout)))
    abort();
  char *text = malloc(size + 1), *words[MOST_ARGUMENTS];
  int count = 0;
  if (!text) abort();
  if (size) memcpy(text, data, size);
  text[size] = 0;
  for (char *word = text; word && count < MOST_ARGUMENTS;) {
    char *end = strchr(word, '\n');
    if (end) *end++ = 0;
    words[count++] = word;
    word = end;
  }
  take_apart(count, words);
  free(text);
  return 0;
}
