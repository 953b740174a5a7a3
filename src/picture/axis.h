/* The scale of one axis: its range, round places on it, and how to write them. Serves plots and
 * colour bars. Labels use '^' in front of an exponent: "10^-3". */
#ifndef PL_PICTURE_AXIS_H
#define PL_PICTURE_AXIS_H

#include <stddef.h>

enum { PL_MOST_TICKS = 128 };

typedef struct pl_tick {
  double value;
  int major; /* major ticks carry labels */
} pl_tick;

typedef struct pl_axis {
  double min, max;
  int log;
  int powers;   /* labels are powers of ten */
  int exponent; /* other labels show value / 10^exponent ...        */
  int decimals; /* ... with so many decimals, -1: as many as needed */
  int count;
  pl_tick ticks[PL_MOST_TICKS]; /* ascending */
} pl_axis;

/* Sets a range that shows least to most, widened on both sides by a part (margin) of its length.
 * Anything may come in: an empty range (least > most) becomes 0 to 1, a constant one gets some
 * room, logarithmic ones are cut to positive numbers, and numbers beyond 1e300 to 1e300. */
void pl_axis_set(pl_axis *axis, double min, double max, int log, double margin);

/* Chooses at most about wanted labelled places at 1, 2 or 5 times a power of ten, or whole decades
 * if log, and unlabelled ones between them. */
void pl_axis_ticks(pl_axis *axis, int wanted);

/* Where value lies between least (0) and most (1); NaN for what a logarithmic axis cannot show. */
double pl_axis_place(const pl_axis *axis, double value);

/* Writes the label of a major tick and returns buffer. */
char *pl_axis_label(const pl_axis *axis, double value, char *buffer, size_t size);

/* Writes "label (10^3 unit)", leaving out what is not needed; a unit of "1" is none. */
char *pl_axis_title(const pl_axis *axis, const char *label, const char *unit, char *buffer,
                    size_t size);

#endif
