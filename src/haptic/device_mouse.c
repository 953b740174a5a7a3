/* A device whose places a program gives: the pointer of a window, a tracked hand, a robot's end.
 *
 * It exerts no force. Places come by a triple buffer, so that the program and the servo loop never
 * wait for each other; until the first one it is away. */
#include "haptic/device.h"
#include "haptic/exchange.h"
#include "math/vec3.h"

typedef struct spot {
  int is_there;
  double x[3];
} spot;

typedef struct mouse {
  pl_device base;
  pl_exchange exchange;
  spot slots[3];
} mouse;

static pl_status open(pl_device *self, pl_error *error)
{
  (void)error;
  pl_exchange_init(&((mouse *)self)->exchange);
  return PL_OK;
}

static void place(pl_device *self, const double *x)
{
  mouse *at = (mouse *)self;
  spot *slot = &at->slots[at->exchange.back];
  *slot = (spot){.is_there = x != NULL};
  if (x) pl_vec3_copy(x, slot->x);
  pl_exchange_publish(&at->exchange);
}

static int sense(pl_device *self, double t, double x[3], double v[3])
{
  mouse *at = (mouse *)self;
  (void)t;
  pl_exchange_take(&at->exchange);
  const spot *slot = &at->slots[at->exchange.front];
  pl_vec3_copy(slot->x, x);
  pl_vec3_set(v, 0, 0, 0);
  return slot->is_there ? PL_DEVICE_PRESENT : 0;
}

const pl_device_ops pl_device_mouse = {
    .info = {"mouse", "the pointer of pliant view, or places that a program gives", "", NULL, 0,
             NULL},
    .size = sizeof(mouse),
    .open = open,
    .sense = sense,
    .place = place,
};
