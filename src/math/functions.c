/* Elementary functions by arithmetic alone, so that their bits are the same on every machine.
 *
 * Sums and products that need more than 53 bits are unevaluated pairs hi + lo of doubles (Dekker
 * 1971; Knuth's two-sum), so that one rounding at the end is nearly all the error there is.
 *
 *   sin, cos  x = k pi/2 + r with |r| <= pi/4, pi/2 in four pieces whose products with k are exact
 *             (Cody & Waite 1980); from 2^20 on by the bits of 2/pi that matter (Payne & Hanek
 *             1983). Then Taylor's series in r.
 *   atan2     the smaller over the larger, t = c + ..., c = k/8: atan t = atan c + atan u with
 *             u = (t - c) / (1 + c t), |u| <= 1/16, and Taylor's series in u.
 *   cbrt      Newton's iteration, the last step with y^3 as a pair.
 *   hypot     sqrt(a^2 + b^2) and one Newton step with the squares as pairs.
 *   log       x = 2^e m: e log 2 + 2 artanh((m - 1) / (m + 1)) as pairs.
 *   pow       exp(y log x) as pairs.
 *
 * floor, frexp, ldexp, sqrt and the like are exact or rounded correctly everywhere by IEEE 754. */
#include "math/functions.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

typedef struct pair {
  double hi, lo;
} pair;

/* ---- pairs ---- */

static pair two_sum(double a, double b)
{
  double sum = a + b, part = sum - a;
  return (pair){sum, (a - (sum - part)) + (b - part)};
}

/* For |a| >= |b|. */
static pair quick_sum(double a, double b)
{
  double sum = a + b;
  return (pair){sum, b - (sum - a)};
}

/* Of numbers below 2^500 or so. */
static pair two_product(double a, double b)
{
  double p = a * b, ca = 134217729 * a, cb = 134217729 * b;
  double ah = ca - (ca - a), bh = cb - (cb - b), al = a - ah, bl = b - bh;
  return (pair){p, ((ah * bh - p) + ah * bl + al * bh) + al * bl};
}

static pair add(pair a, pair b)
{
  pair high = two_sum(a.hi, b.hi), low = two_sum(a.lo, b.lo);
  high = quick_sum(high.hi, high.lo + low.hi);
  return quick_sum(high.hi, high.lo + low.lo);
}

static pair multiply(pair a, pair b)
{
  pair p = two_product(a.hi, b.hi);
  return quick_sum(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}

static pair divide(pair a, pair b)
{
  double q = a.hi / b.hi;
  pair p = two_product(q, b.hi);
  return quick_sum(q, ((a.hi - p.hi) - p.lo + a.lo - q * b.lo) / b.hi);
}

/* ---- sine and cosine ---- */

/* The bits of 2/pi, enough for the largest double. */
static const uint32_t two_over_pi[] = {
    0xa2f9836eu, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u, 0xdb629599u, 0x3c439041u, 0xfe5163abu,
    0xdebbc561u, 0xb7246e3au, 0x424dd2e0u, 0x06492eeau, 0x09d1921cu, 0xfe1deb1cu, 0xb129a73eu,
    0xe88235f5u, 0x2ebb4484u, 0xe99c7026u, 0xb45f7e41u, 0x3991d639u, 0x835339f4u, 0x9c845f8bu,
    0xbdf9283bu, 0x1ff897ffu, 0xde05980fu, 0xef2f118bu, 0x5a0a6d1fu, 0x6d367ecfu, 0x27cb09b7u,
    0x4f463f66u, 0x9e5fea2du, 0x7527bac7u, 0xebe5f17bu, 0x3d0739f7u, 0x8a5292eau, 0x6bfb5fb1u,
    0x1f8d5d08u, 0x56033046u, 0xfc7b6babu, 0xf0cfbc20u, 0x9af4361du, 0xa9e39161u, 0x5ee61b08u};
enum { WINDOW = 7 };

/* The product of m and a window of the words of 2/pi: words of 32 bits, the least first. */
static void multiply_words(uint64_t m, int first, uint32_t out[WINDOW + 2])
{
  memset(out, 0, (WINDOW + 2) * sizeof *out);
  for (int half = 0; half < 2; half++) {
    uint64_t with = half ? m >> 32 : m & 0xffffffffu, carry = 0;
    for (int i = 0; i < WINDOW; i++) {
      uint64_t sum = with * two_over_pi[first + WINDOW - 1 - i] + out[i + half] + carry;
      out[i + half] = (uint32_t)sum;
      carry = sum >> 32;
    }
    out[WINDOW + half] = (uint32_t)carry;
  }
}

/* 64 bits of the product, the least of them bit number `from`. */
static uint64_t bits_from(const uint32_t *words, int from)
{
  uint64_t bits = 0;
  for (int i = 0; i < 64; i++) {
    int at = from + i;
    if (at < 32 * (WINDOW + 2) && words[at / 32] >> (at % 32) & 1) bits |= (uint64_t)1 << i;
  }
  return bits;
}

/* r = x - k pi/2 for large x > 0; returns k, of which the last two bits count. */
static int reduce_large(double x, pair *r)
{
  static const pair quarter = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};
  int exponent;
  uint64_t m = (uint64_t)ldexp(frexp(x, &exponent), 53);
  exponent -= 53;
  int first = exponent > 34 ? (exponent - 2) / 32 : 0, point = 32 * (first + WINDOW) - exponent;
  uint32_t words[WINDOW + 2];
  multiply_words(m, first, words);
  int k = (int)(bits_from(words, point) & 3);
  uint64_t high = bits_from(words, point - 64), low = bits_from(words, point - 128);
  double sign = 1;
  if (high >> 63) {
    high = ~high;
    low = ~low; // 2^-128 too little
    sign = -1;
    k++;
  }
  // in pieces that are doubles: 32 bits each
  pair f = {ldexp((double)(high >> 32), -32), 0};
  f = add(f, (pair){ldexp((double)(high & 0xffffffffu), -64), 0});
  f = add(f, (pair){ldexp((double)(low >> 32), -96), 0});
  f = add(f, (pair){ldexp((double)(low & 0xffffffffu), -128), 0});
  *r = multiply((pair){sign * f.hi, sign * f.lo}, quarter);
  return k;
}

/* r = x - k pi/2 for x >= 0, |r| <= pi/4 or hardly more; returns k or a number of the same last two
 * bits. */
static int reduce(double x, pair *r)
{
  static const double pieces[] = {0x1.921fb54400000p+0, 0x1.0b4611a600000p-34,
                                  0x1.3198a2e000000p-69, 0x1.b839a252049c1p-104};
  *r = (pair){x, 0};
  if (x <= 0.785) return 0;
  if (x >= 1048576) return reduce_large(x, r);
  double k = floor(x * 0x1.45f306dc9c883p-1 + 0.5);
  for (int i = 0; i < 3; i++) *r = add(*r, (pair){-k * pieces[i], 0});
  pair last = two_product(k, pieces[3]);
  *r = add(*r, (pair){-last.hi, -last.lo});
  return (int)k;
}

static pair sine_series(pair r)
{
  double z = r.hi * r.hi, sum = -1 / 121645100408832000.0;
  static const double factors[] = {
      1 / 355687428096000.0, -1 / 1307674368000.0, 1 / 6227020800.0, -1 / 39916800.0,
      1 / 362880.0,          -1 / 5040.0,          1 / 120.0,        -1 / 6.0};
  for (size_t i = 0; i < sizeof factors / sizeof *factors; i++) sum = factors[i] + z * sum;
  return quick_sum(r.hi, r.hi * z * sum + r.lo * (1 - 0.5 * z));
}

static pair cosine_series(pair r)
{
  pair z = two_product(r.hi, r.hi);
  static const double factors[] = {
      -1 / 6402373705728000.0, 1 / 20922789888000.0, -1 / 87178291200.0, 1 / 479001600.0,
      -1 / 3628800.0,          1 / 40320.0,          -1 / 720.0,         1 / 24.0};
  double sum = 1 / 2432902008176640000.0;
  for (size_t i = 0; i < sizeof factors / sizeof *factors; i++) sum = factors[i] + z.hi * sum;
  pair out = quick_sum(1, -0.5 * z.hi);
  return quick_sum(out.hi, out.lo + (z.hi * z.hi * sum - (0.5 * z.lo + r.hi * r.lo)));
}

/* sin(r + k pi/2). */
static pair sine_in(int k, pair r)
{
  pair out = k & 1 ? cosine_series(r) : sine_series(r);
  if (k & 2) out = (pair){-out.hi, -out.lo};
  return out;
}

double pl_sin(double x)
{
  if (!isfinite(x) || x == 0) return x == 0 ? x : NAN;
  pair r;
  int k = reduce(fabs(x), &r);
  return x < 0 ? -sine_in(k, r).hi : sine_in(k, r).hi;
}

double pl_cos(double x)
{
  if (!isfinite(x)) return NAN;
  pair r;
  int k = reduce(fabs(x), &r);
  return sine_in(k + 1, r).hi;
}

double pl_tan(double x)
{
  if (!isfinite(x) || x == 0) return x == 0 ? x : NAN;
  pair r;
  int k = reduce(fabs(x), &r);
  double out = divide(sine_in(k, r), sine_in(k + 1, r)).hi;
  return x < 0 ? -out : out;
}

/* ---- arcs ---- */

/* atan(t) for 0 <= t <= 1. */
static pair arc(pair t)
{
  static const pair arcs[] = {{0x0.0p+0, 0x0.0p+0},
                              {0x1.fd5ba9aac2f6ep-4, -0x1.cd37686760c17p-59},
                              {0x1.f5b75f92c80ddp-3, 0x1.8ab6e3cf7afbdp-57},
                              {0x1.6f61941e4def1p-2, -0x1.c63aae6f6e918p-56},
                              {0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56},
                              {0x1.1e00babdefeb4p-1, -0x1.928df287a668fp-58},
                              {0x1.4978fa3269ee1p-1, 0x1.2419a87f2a458p-56},
                              {0x1.700a7c5784634p-1, -0x1.8c34d25aadef6p-56},
                              {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55}};
  int k = (int)(8 * t.hi + 0.5);
  pair c = {k / 8.0, 0}, one = {1, 0};
  pair u = divide(add(t, (pair){-c.hi, 0}), add(one, multiply(c, t)));
  double z = u.hi * u.hi, sum = -1.0 / 15;
  for (int n = 13; n >= 3; n -= 2) sum = (n % 4 == 1 ? 1.0 : -1.0) / n + z * sum;
  return add(arcs[k], quick_sum(u.hi, u.lo + u.hi * z * sum));
}

/* a / b for 0 <= a <= b, 0 < b. */
static pair ratio(double a, double b)
{
  int exponent;
  b = frexp(b, &exponent);
  // what is lost at the lower end of the doubles is far below the last bit of any sum with pi
  return divide((pair){ldexp(a, -exponent), 0}, (pair){b, 0});
}

/* The ends: zeros and infinities, as in C's annex F. */
static double arc_at_ends(double y, double x)
{
  static const double pi = 0x1.921fb54442d18p+1;
  if (isnan(x) || isnan(y)) return NAN;
  if (y == 0) return signbit(x) ? copysign(pi, y) : y;
  if (isinf(y)) return copysign(isinf(x) ? (x > 0 ? 0.25 : 0.75) * pi : 0.5 * pi, y);
  if (isinf(x)) return x > 0 ? copysign(0, y) : copysign(pi, y);
  return copysign(0.5 * pi, y);
}

double pl_atan2(double y, double x)
{
  static const pair pi = {0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53},
                    half = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};
  if (!isfinite(x) || !isfinite(y) || x == 0 || y == 0) return arc_at_ends(y, x);
  double ax = fabs(x), ay = fabs(y);
  // so flat an angle is the quotient
  if (x > 0 && ay < 0x1p-60 * ax) return y / x;
  pair angle = arc(ay > ax ? ratio(ax, ay) : ratio(ay, ax));
  if (ay > ax) angle = add(half, (pair){-angle.hi, -angle.lo});
  if (x < 0) angle = add(pi, (pair){-angle.hi, -angle.lo});
  return copysign(angle.hi + angle.lo, y);
}

/* ---- roots ---- */

double pl_cbrt(double x)
{
  if (!isfinite(x) || x == 0) return x;
  int exponent;
  double m = frexp(fabs(x), &exponent);
  // m in [1/8, 1): its root in [1/2, 1)
  while (exponent % 3) {
    m *= 0.5;
    exponent++;
  }
  double y = 0.45 + 0.57 * m;
  for (int i = 0; i < 5; i++) y -= (y * y * y - m) / (3 * y * y);
  pair cube = multiply(two_product(y, y), (pair){y, 0});
  y += ((m - cube.hi) - cube.lo) / (3 * y * y);
  return copysign(ldexp(y, exponent / 3), x);
}

double pl_hypot(double a, double b)
{
  a = fabs(a);
  b = fabs(b);
  if (isinf(a) || isinf(b)) return INFINITY;
  if (!(a >= b)) {
    double other = a;
    a = b;
    b = other;
  }
  if (isnan(a) || isnan(b)) return NAN;
  if (b <= 0x1p-60 * a) return a + b;
  int exponent;
  a = frexp(a, &exponent);
  b = ldexp(b, -exponent);
  pair square = add(two_product(a, a), two_product(b, b));
  double root = sqrt(square.hi);
  pair again = two_product(root, root);
  root += ((square.hi - again.hi) - again.lo + square.lo) / (2 * root);
  return ldexp(root, exponent);
}

/* ---- logarithms and powers ---- */

static const double log2_pieces[] = {0x1.62e42fee00000p-1, 0x1.a39ef35793c76p-33,
                                     0x1.cc01f97b57a08p-87};

/* The logarithm of a positive, finite x. */
static pair logarithm(double x)
{
  enum { TERMS = 21 };
  int exponent;
  double m = frexp(x, &exponent);
  if (m < 0.70710678118654752) {
    m *= 2;
    exponent--;
  }
  pair s = divide((pair){m - 1, 0}, two_sum(m, 1)), z = multiply(s, s), sum = {0, 0};
  pair one = {1, 0};
  for (int k = TERMS; k >= 0; k--) sum = add(divide(one, (pair){2 * k + 1, 0}), multiply(z, sum));
  sum = multiply((pair){2 * s.hi, 2 * s.lo}, sum);
  pair whole = {exponent * log2_pieces[0], 0};
  whole = add(whole, two_product(exponent, log2_pieces[1]));
  whole = add(whole, (pair){exponent * log2_pieces[2], 0});
  return add(whole, sum);
}

/* exp(y); 0 and infinite beyond the range of doubles. */
static double exponential(pair y)
{
  enum { TERMS = 20 };
  if (y.hi > 710) return INFINITY;
  if (y.hi < -746) return 0;
  double k = floor(y.hi * 0x1.71547652b82fep+0 + 0.5);
  pair r = add(y, (pair){-k * log2_pieces[0], 0}), tail = two_product(k, log2_pieces[1]);
  r = add(r, (pair){-tail.hi, -tail.lo});
  pair one = {1, 0}, sum = one;
  for (int n = TERMS; n >= 1; n--) sum = add(one, multiply(divide(r, (pair){n, 0}), sum));
  return ldexp(sum.hi + sum.lo, (int)k);
}

double pl_ln(double x)
{
  if (isnan(x) || x < 0) return NAN;
  if (x == 0) return -INFINITY;
  return isinf(x) ? x : logarithm(x).hi;
}

double pl_pow(double x, double y)
{
  if (y == 0 || x == 1) return 1;
  if (isnan(x) || isnan(y) || x < 0) return NAN;
  if (x == 0) return y > 0 ? 0 : INFINITY;
  if (isinf(x)) return y > 0 ? INFINITY : 0;
  pair power = logarithm(x);
  if (fabs(power.hi * y) > 800) return (power.hi > 0) == (y > 0) ? INFINITY : 0;
  return exponential(multiply(power, (pair){y, 0}));
}
