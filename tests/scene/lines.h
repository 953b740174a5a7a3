/* Texts for tests of readers, by lines of which one is replaced. */
#ifndef PL_TEST_LINES_H
#define PL_TEST_LINES_H

#include <stdio.h>

/* The text with a line (by its number, from 1 on) replaced; 0: none. */
static inline void compose_lines(char *out, size_t size, const char *const *lines, int count,
                                 int line, const char *by)
{
  size_t used = 0;
  out[0] = 0;
  for (int i = 0; i < count; i++)
    used += (size_t)snprintf(out + used, size - used, "%s\n", i + 1 == line ? by : lines[i]);
}

#endif
