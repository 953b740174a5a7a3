/* Readers of queries of continuous collision detection: our own list with times of impact
 * (data/ccd_queries.csv, whose head explains it), and files in the format of B. Wang et al., "A
 * large-scale benchmark and an inclusion-based algorithm for continuous collision detection", ACM
 * Transactions on Graphics 40(5), 2021: eight rows per query (four points at the beginning, four at
 * the end) of three rational numbers, each as numerator and denominator, and 1 if they collide. */
#ifndef PL_TEST_QUERIES_H
#define PL_TEST_QUERIES_H

#include "shape/ccd.h"
#include "test.h"

typedef struct ccd_query {
  char id[16], tag[32];
  pl_contact_kind kind;
  double x[4][3], to[4][3];
  double separation, toi, min; /* toi < 0: none */
  int hit;
} ccd_query;

/* One line of our list; 0: it is none. */
static inline int read_query(char *line, ccd_query *q)
{
  char *field[64], *rest = line;
  int count = 0;
  if (*line == '#' || strncmp(line, "id,", 3) == 0) return 0;
  line[strcspn(line, "\r\n")] = 0;
  while (rest && count < 64) {
    field[count++] = rest;
    rest = strchr(rest, ',');
    if (rest) *rest++ = 0;
  }
  if (count < 31) return 0;
  *q = (ccd_query){.kind = strcmp(field[1], "ee") == 0 ? PL_EDGE_EDGE : PL_POINT_TRIANGLE};
  snprintf(q->id, sizeof q->id, "%s", field[0]);
  snprintf(q->tag, sizeof q->tag, "%s", field[30]);
  for (int i = 0; i < 12; i++) {
    q->x[i / 3][i % 3] = strtod(field[2 + i], NULL);
    q->to[i / 3][i % 3] = strtod(field[14 + i], NULL);
  }
  q->separation = strtod(field[26], NULL);
  q->hit = atoi(field[27]);
  q->toi = strtod(field[28], NULL);
  q->min = strtod(field[29], NULL);
  return 1;
}

/* A row of three rationals and a truth value; 0: it is none. Coordinates are doubles written as
 * fractions, so the division is exact where the range of long double holds both. */
static inline int read_rational_row(const char *line, double x[3], int *truth)
{
  char *rest;
  for (int k = 0; k < 3; k++) {
    long double above = strtold(line, &rest);
    if (rest == line || *rest != ',') return 0;
    line = rest + 1;
    long double below = strtold(line, &rest);
    if (rest == line || *rest != ',' || !(below > 0)) return 0;
    line = rest + 1;
    x[k] = (double)(above / below);
  }
  if (*line != '0' && *line != '1') return 0;
  *truth = *line == '1';
  return 1;
}

/* The next query of a file of that format; 0: there is no more. */
static inline int read_rational_query(FILE *file, pl_contact_kind kind, ccd_query *q)
{
  static char line[20000];
  *q = (ccd_query){.kind = kind, .toi = -1};
  for (int row = 0; row < 8; row++) {
    if (!fgets(line, sizeof line, file)) return 0;
    if (!read_rational_row(line, row < 4 ? q->x[row] : q->to[row - 4], &q->hit)) return 0;
  }
  return 1;
}

#endif
