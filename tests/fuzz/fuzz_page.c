/* What pages send: each line is a message, read as a command of the closed list. */
#include "view/command.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void try_line(const char *line, size_t length)
{
  pl_command command;
  pl_error error = {0};
  pl_status status = pl_command_parse(line, length, &command, &error);
  if (status && !error.message[0]) abort();
  if (status) return;
  if (length >= PL_COMMAND_LINE || (int)command.kind < 0 || command.kind >= PL_COMMAND_COUNT)
    abort();
  for (int i = 0; i < PL_COMMAND_NUMBERS; i++) {
    if (!isfinite(command.numbers[i]) || fabs(command.numbers[i]) > 1e9) abort();
  }
  for (int i = 0; i < 2; i++) {
    if (!memchr(command.words[i], 0, sizeof command.words[i])) abort();
  }
  if (!memchr(command.rest, 0, sizeof command.rest)) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  for (size_t first = 0; first < size;) {
    const uint8_t *end = memchr(data + first, '\n', size - first);
    size_t length = end ? (size_t)(end - data) - first : size - first;
    // exactly as long as the message, so that reading past it is caught
    char *line = malloc(length + 1);
    if (!line) abort();
    memcpy(line, data + first, length);
    line = realloc(line, length ? length : 1);
    try_line(line, length);
    free(line);
    first += length + 1;
  }
  return 0;
}
