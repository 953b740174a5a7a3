/* Haptics: a hand that feels bodies through a device.
 *
 *   pl_haptic_def def = pl_haptic_def_default();
 *   pl_haptic *hand;
 *   pl_haptic_create(world, &def, &hand, &error);
 *   while (pl_world_time(world) < 10) pl_haptic_step(hand, &error);
 *   pl_haptic_destroy(hand);
 *
 * It is stepped in place of its world, and destroyed before it. A servo loop of 1 kHz reads the
 * device and answers with a force: that of a spring to a plane at the surface nearest to
 * the device. The simulation publishes that plane after each step, and its bodies feel the mean of
 * the forces since the last one. By itself the loop runs in simulated time within pl_haptic_step,
 * so that a run is the same every time; pl_haptic_start gives it a thread of its own with the clock
 * of the machine. */
#ifndef PLIANT_HAPTIC_H
#define PLIANT_HAPTIC_H

#include "pliant/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One place of a recorded trace. */
typedef struct pl_haptic_sample {
  double time;        /* s */
  double position[3]; /* m */
} pl_haptic_sample;

typedef enum pl_haptic_motion {
  PL_HAPTIC_AUTO,   /* moves until the loop has given out energy, then it stands still */
  PL_HAPTIC_MOVES,  /* the plane moves on with the surface's velocity: crisp */
  PL_HAPTIC_STANDS, /* it stays where it was at the last step: less crisp, stable at larger steps */
} pl_haptic_motion;

typedef struct pl_haptic_def {
  pl_choice device;                /* a member of the family "device" */
  const pl_haptic_sample *samples; /* of the device "record"; copied */
  int sample_count;
  double stiffness; /* N/m, of the spring between device and proxy; 50 to 2000 for most devices */
  double damping;   /* N s/m, beside it */
  double friction;  /* Coulomb's coefficient, at the proxy */
  double radius;    /* m, of the tool; 0: a point */
  const pl_part_def *tool; /* any shape instead, its origin at the device; parts of a union follow
                              it, deeper than it is; copied */
  int tool_count;          /* 0: the sphere or point */
  double max_force;        /* N, the device exerts no more */
  double spin; /* s, how long before each tick the servo loop's thread waits without sleeping, up to
                  1e-3: steadier ticks at the price of that share of a core; 0: it sleeps. 0.9e-3
                  where more than 0.1 % of the ticks are late and a core can be spared */
  pl_haptic_motion plane;
  uint32_t cookie;
} pl_haptic_def;

/* "simulated", 300 N/m, no damping, no friction, a point, 20 N, plane as chosen. */
PL_API pl_haptic_def pl_haptic_def_default(void);

typedef struct pl_haptic pl_haptic;

/* The world must live longer; it is changed by pl_haptic_step only. */
PL_API pl_status pl_haptic_create(pl_world *world, const pl_haptic_def *def, pl_haptic **haptic,
                                  pl_error *error);
PL_API void pl_haptic_destroy(pl_haptic *haptic); /* NULL is fine; ends the thread, if any */

/* One step of the world with the hand at it. */
PL_API pl_status pl_haptic_step(pl_haptic *haptic, pl_error *error);
/* The same in two parts, for several hands at one world: begin all, step the world, end all. */
PL_API pl_status pl_haptic_begin(pl_haptic *haptic, pl_error *error);
PL_API pl_status pl_haptic_end(pl_haptic *haptic, pl_error *error);

/* Does its device follow the machine's clock, so that it needs the thread? */
PL_API int pl_haptic_is_live(const pl_haptic *haptic);
/* Gives the servo loop a thread of its own, on the machine's clock, and ends it. */
PL_API pl_status pl_haptic_start(pl_haptic *haptic, pl_error *error);
PL_API void pl_haptic_stop(pl_haptic *haptic);

/* Where the device "mouse" is from now on; NULL: away. From any one thread. */
PL_API pl_status pl_haptic_place(pl_haptic *haptic, const double position[3], pl_error *error);
/* Holds a point of a body until it is let go by NULL: the body is pulled to the device by the
 * hand's spring, whatever the button of the device says. */
PL_API pl_status pl_haptic_grip(pl_haptic *haptic, const pl_spot *spot, pl_error *error);

/* What acted on the bodies during one step: enough to repeat it without a device. */
typedef struct pl_haptic_touch {
  pl_spot spot;     /* body zero: nothing */
  double force[3];  /* N, as a mean over the step */
  int is_gripped;   /* the hand's spring pulls the spot to the target, and the force is its */
  double target[3]; /* m, where the device is */
  double steadying; /* N s/m, what the spot resists changes of its velocity with */
} pl_haptic_touch;

typedef struct pl_haptic_facts {
  int is_present;                            /* the device answers */
  int is_moving;                             /* the plane does */
  int is_gripping;                           /* it holds a point of a body */
  double position[3], velocity[3], force[3]; /* of the device, m, m/s; on the hand, N */
  double radius;                             /* m, of the tool */
  double proxy[3];                           /* m, where the tool is drawn: never inside */
  double impulse[3];                         /* N s, on the hand since the beginning */
  double energy;         /* J, that the loop has taken from the hand; negative: it has given */
  int64_t ticks;         /* of the servo loop */
  int64_t late;          /* more than 1.2 ms after the one before, of those of its own thread */
  int64_t refused;       /* positions that were no positions */
  double longest;        /* s, the longest time between two ticks of its own thread */
  pl_haptic_touch touch; /* in the last step */
} pl_haptic_facts;

PL_API void pl_haptic_read(pl_haptic *haptic, pl_haptic_facts *facts);

/* One step of the world with a touch that was read before, without the device: the same bits. */
PL_API pl_status pl_haptic_repeat(pl_haptic *haptic, const pl_haptic_touch *touch, pl_error *error);

#ifdef __cplusplus
}
#endif
#endif
