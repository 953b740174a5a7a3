/* What ticks have exerted and steps have not yet passed on.
 *
 * In real time a step of h has the ticks of h, a few more or less: none may be lost or counted
 * twice, so what is left over waits for the next step. A simulation that is slower than the clock
 * never gets there: then bodies must feel the mean of the force, not all of its impulse in a part
 * of the time, which would be a larger force. So at most what one step takes is kept. After a pause
 * of minutes the first step feels the mean, too. */
#ifndef PL_HAPTIC_ACCOUNT_H
#define PL_HAPTIC_ACCOUNT_H

typedef struct pl_account {
  double impulse[3], seconds; /* N s; the time in which it was exerted */
} pl_account;

void pl_account_add(pl_account *account, const double impulse[3], double seconds);
/* The force of a step of h; what is left is kept for the next one. */
void pl_account_take(pl_account *account, double h, double force[3]);

#endif
