/* A trace of positions over time, with straight lines between them; before the first and after the
 * last sample it stands still. Forces do not move it. */
#include "haptic/device.h"
#include "math/vec3.h"

#include <string.h>

typedef struct trace {
  pl_device base;
  int at; /* the last sample that was passed */
} trace;

static int sense(pl_device *self, double t, double x[3], double v[3])
{
  trace *from = (trace *)self;
  const pl_haptic_sample *samples = self->samples;
  int last = self->sample_count - 1;
  if (t < samples[from->at].time) from->at = 0; // a clock that was set back
  while (from->at < last && samples[from->at + 1].time <= t) from->at++;
  const pl_haptic_sample *a = &samples[from->at], *b = a + (from->at < last);
  double span = b->time - a->time, part = 0;
  if (span > 0 && t > a->time) part = (t - a->time) / span;
  int moves = span > 0 && t >= a->time;
  for (int k = 0; k < 3; k++) {
    double way = b->position[k] - a->position[k];
    x[k] = a->position[k] + part * way;
    v[k] = moves ? way / span : 0;
  }
  return PL_DEVICE_PRESENT;
}

const pl_device_ops pl_device_record = {
    .info = {"record", "a trace of positions over time, read from a file", "", NULL, 0, NULL},
    .has_samples = 1,
    .size = sizeof(trace),
    .sense = sense,
};
