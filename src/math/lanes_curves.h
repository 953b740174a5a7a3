/* Functions of one number at four numbers at once, by plain arithmetic, so that every instruction
 * set gives the same bits. Unless said otherwise, arguments must be positive, normal numbers. */
#ifndef PL_MATH_LANES_CURVES_H
#define PL_MATH_LANES_CURVES_H

#include "math/lanes.h"

PL_INLINE pl_mask pl_mask_all(long long value) { return (pl_mask){value, value, value, value}; }

/* ln x = e ln 2 + 2 (s + s^3/3 + s^5/5 + ...) with x = 2^e m, m within sqrt(2) of 1 and
 * s = (m - 1) / (m + 1); eleven terms leave less than 1e-17. */
PL_INLINE pl_lanes pl_lanes_log(pl_lanes x)
{
  const pl_mask mantissa = pl_mask_all(0x000fffffffffffff), one = pl_mask_all(0x3ff0000000000000);
  const double ln2 = 0.693147180559945309417;
  pl_mask bits = (pl_mask)x;
  pl_lanes e = pl_lanes_all(0), m = (pl_lanes)((bits & mantissa) | one);
  for (int i = 0; i < PL_LANES; i++) e[i] = (double)((bits[i] >> 52) - 1023);
  pl_mask large = m > 1.41421356237309504880;
  m = pl_lanes_pick(large, 0.5 * m, m);
  e = pl_lanes_pick(large, e + 1.0, e);
  pl_lanes s = (m - 1.0) / (m + 1.0), square = s * s, sum = pl_lanes_all(1.0 / 21);
  for (int k = 9; k >= 0; k--) sum = sum * square + 1.0 / (2 * k + 1);
  return e * ln2 + 2.0 * s * sum;
}

/* e^-x for x >= 0, infinity included: e^-x = 2^-k e^-r with |r| <= ln 2 / 2, whose series ends
 * after 15 terms below 1e-18; 0 beyond x = 708. */
PL_INLINE pl_lanes pl_lanes_decay(pl_lanes x)
{
  const double ln2_high = 0.693147180369123816490, ln2_low = 1.90821492927058770002e-10;
  pl_lanes near = pl_lanes_min(x, pl_lanes_all(708)), k = pl_lanes_all(0), sum = pl_lanes_all(1);
  pl_mask power = pl_mask_all(0);
  for (int i = 0; i < PL_LANES; i++) {
    long long whole = (long long)(near[i] * 1.44269504088896340736 + 0.5);
    k[i] = (double)whole;
    power[i] = (1023 - whole) << 52;
  }
  pl_lanes r = (near - k * ln2_high) - k * ln2_low;
  for (int n = 15; n > 0; n--) sum = 1.0 - r * sum / (double)n;
  return pl_lanes_pick(x < 708.0, sum * (pl_lanes)power, pl_lanes_all(0));
}

/* e^x; beyond 707 to either side as there. */
PL_INLINE pl_lanes pl_lanes_exp(pl_lanes x)
{
  pl_lanes decay = pl_lanes_decay(pl_lanes_min(pl_lanes_abs(x), pl_lanes_all(707)));
  return pl_lanes_pick(x < 0.0, decay, 1.0 / decay);
}

/* (1 - e^-x) / x for x >= 0, 1 at 0, where decay = e^-x: the mean of e^-s over 0 <= s <= x. */
PL_INLINE pl_lanes pl_lanes_mean_decay(pl_lanes x, pl_lanes decay)
{
  pl_lanes near = pl_lanes_min(x, pl_lanes_all(0.5)), sum = pl_lanes_all(1);
  for (int n = 14; n > 1; n--) sum = 1.0 - near * sum / (double)n;
  return pl_lanes_pick(x < 0.5, sum, (1.0 - decay) / x);
}

/* x^(-1/3): a guess from the bits (within 3.5 %), then Newton's method, which squares the error. */
PL_INLINE pl_lanes pl_lanes_inverse_root3(pl_lanes x)
{
  pl_mask bits = (pl_mask)x;
  for (int i = 0; i < PL_LANES; i++) bits[i] = 0x553ef00000000000 - bits[i] / 3;
  pl_lanes y = (pl_lanes)bits;
  for (int round = 0; round < 5; round++) y += y * (1.0 - x * y * y * y) / 3.0;
  return y;
}

/* The value of a function and its first two derivatives. */
typedef struct pl_lanes_curve {
  pl_lanes value, slope, bend;
} pl_lanes_curve;

/* The parabola that goes on from there, a distance d away. */
PL_INLINE pl_lanes_curve pl_lanes_continue(pl_lanes_curve from, pl_lanes d)
{
  return (pl_lanes_curve){from.value + d * (from.slope + 0.5 * d * from.bend),
                          from.slope + d * from.bend, from.bend};
}

/* e^x and its derivatives; beyond x = most the parabola that goes on from there. */
PL_INLINE pl_lanes_curve pl_lanes_exp_curve(pl_lanes x, double max)
{
  pl_lanes near = pl_lanes_min(x, pl_lanes_all(max)), value = pl_lanes_exp(near);
  const pl_lanes_curve curve = {value, value, value};
  return pl_lanes_continue(curve, x - near);
}

#endif
