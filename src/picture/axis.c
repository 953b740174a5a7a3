/* Round numbers for axes: steps of 1, 2 or 5 times a power of ten; decades on logarithmic axes. */
#include "picture/axis.h"

#include "core/text.h"

#include <math.h>
#include <string.h>

static const double HUGE_VALUE = 1e300;

/* Digits that a label may need at most: shorter ranges than this part of the value are widened. */
static const double LEAST_SPAN = 1e-9;

static double power_of_ten(int n) { return pow(10, n); }

/* The double nearest to digits * 10^n. */
static double decimal(double digits, int n)
{
  return n < 0 ? digits / power_of_ten(-n) : digits * power_of_ten(n);
}

static double clamped(double value) { return fmax(-HUGE_VALUE, fmin(HUGE_VALUE, value)); }

static void set_log(pl_axis *axis, double min, double max, double margin)
{
  // without positive numbers there is only the empty frame
  if (!(max > 0)) min = 1, max = 10;
  if (!(min > 0)) min = fmin(1e-300, max);
  double low = log10(fmax(min, 1e-300)), high = log10(fmax(max, 1e-300));
  double span = high - low;
  if (span < LEAST_SPAN) {
    low -= 0.5;
    high += 0.5;
  } else {
    low -= margin * span;
    high += margin * span;
  }
  axis->min = pow(10, fmax(low, -305));
  axis->max = pow(10, fmin(high, 305));
}

void pl_axis_set(pl_axis *axis, double min, double max, int log, double margin)
{
  *axis = (pl_axis){.log = log};
  if (!(min <= max)) min = log ? 1 : 0, max = log ? 10 : 1;
  min = clamped(min);
  max = clamped(max);
  if (log) {
    set_log(axis, min, max, margin);
    return;
  }
  double size = fmax(fabs(min), fabs(max)), span = max - min;
  if (size < 1e-290) {
    min = -1;
    max = 1;
  } else if (span < LEAST_SPAN * size) {
    min -= 0.1 * size;
    max += 0.1 * size;
  } else {
    min -= margin * span;
    max += margin * span;
  }
  axis->min = min;
  axis->max = max;
}

static void add(pl_axis *axis, double value, int major)
{
  if (axis->count < PL_MOST_TICKS) axis->ticks[axis->count++] = (pl_tick){value, major};
}

/* Labels get a common power of 1000 if they would be long otherwise. */
static void set_label_style(pl_axis *axis, int step_exponent)
{
  double size = fmax(fabs(axis->min), fabs(axis->max));
  int exponent = (int)floor(log10(size));
  if (exponent >= 5 || exponent < -2) axis->exponent = 3 * (int)floor(exponent / 3.0);
  axis->decimals = axis->exponent > step_exponent ? axis->exponent - step_exponent : 0;
}

static int major_count(const pl_axis *axis)
{
  int count = 0;
  for (int i = 0; i < axis->count; i++) count += axis->ticks[i].major;
  return count;
}

static void linear_ticks(pl_axis *axis, int wanted)
{
  // the smallest of 1, 2, 5, 10 times a power of ten that needs no more than the wanted steps
  double raw = (axis->max - axis->min) / wanted;
  int exponent = (int)floor(log10(raw));
  double lead = decimal(raw, -exponent);
  int digit = lead <= 1 + 1e-9 ? 1 : lead <= 2 + 1e-9 ? 2 : lead <= 5 + 1e-9 ? 5 : 10;
  if (digit == 10) {
    digit = 1;
    exponent++;
  }

  // ticks are whole multiples of the minor step, so that round numbers are exactly round
  int parts = digit == 2 ? 4 : 5;
  int minor_digit = digit == 1 ? 2 : digit == 2 ? 5 : 1;
  int minor_exponent = digit == 5 ? exponent : exponent - 1;
  double step = decimal(minor_digit, minor_exponent);
  double first = ceil(axis->min / step - 1e-6), last = floor(axis->max / step + 1e-6);
  for (double k = first; k <= last && axis->count < PL_MOST_TICKS; k++) {
    add(axis, decimal(k * minor_digit, minor_exponent), fmod(k, parts) == 0);
  }
  set_label_style(axis, exponent);
}

/* One label alone says nothing of the scale: rather a few more than wanted. */
static void two_linear_ticks(pl_axis *axis, int wanted)
{
  do {
    axis->count = axis->exponent = 0;
    linear_ticks(axis, wanted++);
  } while (major_count(axis) < 2 && wanted < 20);
}

static void log_ticks(pl_axis *axis, int wanted)
{
  double low = log10(axis->min), high = log10(axis->max);
  int first = (int)floor(low), last = (int)ceil(high);
  int decades = (int)floor(high + 1e-9) - (int)ceil(low - 1e-9) + 1;
  static const int strides[] = {1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000};
  int choice = 0;
  while (decades > wanted * strides[choice] && strides[choice] < 1000) choice++;
  int stride = strides[choice];
  axis->powers = decades >= 2;
  axis->decimals = -1;

  // decades with labels; where there are few of them, 2 and 5 have labels too
  for (int n = first; n <= last; n++) {
    for (int digit = 1; digit < 10; digit++) {
      double value = decimal(digit, n), place = pl_axis_place(axis, value);
      if (place < -1e-9 || place > 1 + 1e-9) continue;
      int round =
          axis->powers ? digit == 1 && n % stride == 0 : digit == 1 || digit == 2 || digit == 5;
      int shown = round || (digit == 1 ? decades <= 60 : decades <= 10);
      if (shown) add(axis, value, round);
    }
  }

  // a fraction of a decade reads best with evenly stepped numbers
  if (major_count(axis) < 3 && !axis->powers) {
    two_linear_ticks(axis, wanted);
  }
}

void pl_axis_ticks(pl_axis *axis, int wanted)
{
  axis->count = 0;
  axis->powers = axis->exponent = axis->decimals = 0;
  if (wanted < 1) wanted = 1;
  if (wanted > 20) wanted = 20;
  if (axis->log)
    log_ticks(axis, wanted);
  else
    linear_ticks(axis, wanted);
}

double pl_axis_place(const pl_axis *axis, double value)
{
  if (!axis->log) return (clamped(value) - axis->min) / (axis->max - axis->min);
  if (!(value > 0)) return NAN;
  double low = log10(axis->min);
  return (log10(value) - low) / (log10(axis->max) - low);
}

char *pl_axis_label(const pl_axis *axis, double value, char *buffer, size_t size)
{
  int exponent = value > 0 ? (int)floor(log10(value) + 1e-9) : 0;
  if (axis->powers) {
    pl_print(buffer, size, "10^%d", exponent);
  } else if (axis->decimals < 0 && (exponent < -3 || exponent > 4)) {
    pl_print(buffer, size,
             "%g\xc2\xb7"
             "10^%d",
             round(decimal(value, -exponent)), exponent);
  } else if (axis->decimals < 0) {
    pl_print(buffer, size, "%g", value);
  } else {
    double shown = decimal(value, -axis->exponent);
    if (fabs(shown) < 1e-12) shown = 0;
    pl_print(buffer, size, "%.*f", axis->decimals, shown);
  }
  return buffer;
}

char *pl_axis_title(const pl_axis *axis, const char *label, const char *unit, char *buffer,
                    size_t size)
{
  char scale[16] = "";
  if (axis->exponent) pl_print(scale, sizeof scale, "10^%d", axis->exponent);
  if (!label) label = "";
  if (!unit || strcmp(unit, "1") == 0) unit = "";
  if (!*scale && !*unit) {
    pl_print(buffer, size, "%s", label);
  } else {
    pl_print(buffer, size, "%s%s(%s%s%s)", label, *label ? " " : "", scale,
             *scale && *unit ? " " : "", unit);
  }
  return buffer;
}
