/* The family of devices, and the one that is none. */
#include "haptic/device.h"

#include "core/error.h"
#include "core/memory.h"

#include <math.h>
#include <string.h>

#define X(name) &pl_device_##name.info,
PL_FAMILY(device, "what a hand holds, that feels bodies", PL_DEVICES(X));
#undef X

static int is_finite(const pl_haptic_sample *sample)
{
  return isfinite(sample->time) && isfinite(sample->position[0]) && isfinite(sample->position[1]) &&
         isfinite(sample->position[2]);
}

static pl_status check_samples(const pl_device_ops *ops, const pl_haptic_sample *samples, int count,
                               pl_error *error)
{
  if (count < 0 || (count && !samples))
    return pl_fail(error, PL_E_ARGUMENT, "a device has %d samples, but no list of them", count);
  if (ops->has_samples && !count)
    return pl_fail(error, PL_E_ARGUMENT, "the device \"%s\" needs at least one sample",
                   ops->info.name);
  if (!ops->has_samples && count)
    return pl_fail(error, PL_E_ARGUMENT, "the device \"%s\" has no samples; use record",
                   ops->info.name);
  for (int i = 0; i < count; i++) {
    if (!is_finite(&samples[i]))
      return pl_fail_entity(error, PL_E_ARGUMENT, i, "sample %d is not finite", i + 1);
    if (i > 0 && !(samples[i].time > samples[i - 1].time))
      return pl_fail_entity(error, PL_E_ARGUMENT, i,
                            "sample %d at %g s must come after the one before it, at %g s", i + 1,
                            samples[i].time, samples[i - 1].time);
  }
  return PL_OK;
}

static pl_status copy_samples(pl_device *self, const pl_haptic_sample *samples, int count,
                              pl_error *error)
{
  if (!count) return PL_OK;
  self->samples = pl_alloc(&self->allocator, (size_t)count, sizeof *samples);
  if (!self->samples) return pl_fail_memory(error);
  memcpy(self->samples, samples, (size_t)count * sizeof *samples);
  self->sample_count = count;
  return PL_OK;
}

pl_status pl_device_create(const pl_allocator *allocator, const pl_choice *choice,
                           const pl_haptic_sample *samples, int count, pl_device **device,
                           pl_error *error)
{
  pl_allocator source = pl_allocator_or_default(allocator);
  const pl_member *member;
  double values[PL_MOST_VALUES];
  *device = NULL;
  pl_status status = pl_choice_resolve(&pl_device_family, choice, &member, values, error);
  const pl_device_ops *ops = (const pl_device_ops *)member;
  if (!status) status = check_samples(ops, samples, count, error);
  if (status) return status;
  pl_device *self = pl_alloc(&source, 1, ops->size);
  if (!self) return pl_fail_memory(error);
  memset(self, 0, ops->size);
  self->ops = ops;
  self->allocator = source;
  memcpy(self->values, values, sizeof values);
  status = copy_samples(self, samples, count, error);
  if (!status && ops->open) status = ops->open(self, error);
  if (status) {
    pl_free(&source, self->samples);
    pl_free(&source, self);
    return status;
  }
  *device = self;
  return PL_OK;
}

void pl_device_destroy(pl_device *device)
{
  if (!device) return;
  pl_allocator source = device->allocator;
  if (device->ops->close) device->ops->close(device);
  pl_free(&source, device->samples);
  pl_free(&source, device);
}

const pl_device_ops pl_device_none = {
    .info = {"none", "no device: nothing is felt", "", NULL, 0, NULL},
    .size = sizeof(pl_device),
};
