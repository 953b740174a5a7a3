/* Orthogonal polynomials by Stieltjes' procedure over Gauss-Chebyshev points, which is exact for
 * their degree, and a bisection for the roots of w. */
#include "ode/rock2_table.h"

#include "math/functions.h"

#include <math.h>

enum { MOST_POINTS = PL_ROCK2_MOST + 6, HALVINGS = 52, SAMPLES = 8 };

static const double eta = 0.95, pi = 3.14159265358979323846;

/* p_{k+1} = 2 (x - centre_k) p_k - ratio_k p_{k-1}; doubled, so that they stay of one size. */
typedef struct polynomials {
  int stages;
  double root, turn; /* w(x) = (x - root)^2 + turn^2 */
  double centre[PL_ROCK2_MOST], ratio[PL_ROCK2_MOST];
  double a, d; /* where z is 0, and its scale */
} polynomials;

static double weight(const polynomials *self, double x)
{
  return (x - self->root) * (x - self->root) + self->turn * self->turn;
}

static void make_orthogonal(polynomials *self)
{
  double x[MOST_POINTS], before[MOST_POINTS], now[MOST_POINTS], last = 1;
  int count = self->stages + 6;
  for (int i = 0; i < count; i++) {
    x[i] = pl_cos((2 * i + 1) * pi / (2 * count));
    before[i] = 0;
    now[i] = 1;
  }
  for (int k = 0; k < self->stages - 2; k++) {
    double square = 0, moment = 0;
    for (int i = 0; i < count; i++) {
      double w = weight(self, x[i]), part = w * w * now[i] * now[i];
      square += part;
      moment += part * x[i];
    }
    self->centre[k] = moment / square;
    self->ratio[k] = k > 0 ? square / last : 0;
    for (int i = 0; i < count; i++) {
      double next = 2 * (x[i] - self->centre[k]) * now[i] - self->ratio[k] * before[i];
      before[i] = now[i];
      now[i] = next;
    }
    last = square;
  }
}

/* R and its first two derivatives by x. */
static void evaluate(const polynomials *self, double x, double R[3])
{
  double before[3] = {0}, p[3] = {1};
  for (int k = 0; k < self->stages - 2; k++) {
    double c = 2 * (x - self->centre[k]), r = self->ratio[k];
    const double next[3] = {c * p[0] - r * before[0], 2 * p[0] + c * p[1] - r * before[1],
                            4 * p[1] + c * p[2] - r * before[2]};
    for (int i = 0; i < 3; i++) {
      before[i] = p[i];
      p[i] = next[i];
    }
  }
  double w = weight(self, x), slope = 2 * (x - self->root);
  R[0] = w * p[0];
  R[1] = slope * p[0] + w * p[1];
  R[2] = 2 * p[0] + 2 * slope * p[1] + w * p[2];
}

static double size_at(const polynomials *self, double x)
{
  double R[3];
  evaluate(self, x, R);
  return fabs(R[0]);
}

/* Finds a and d; returns what R misses of order 2. */
static double place_origin(polynomials *self)
{
  double height = 0, R[3];
  int samples = SAMPLES * self->stages;
  for (int i = 0; i <= samples; i++) height = fmax(height, size_at(self, pl_cos(i * pi / samples)));
  double low = 1, high = 1 + 5.0 / (self->stages * self->stages);
  while (size_at(self, high) < height / eta) high = 2 * high - 1;
  for (int i = 0; i < HALVINGS; i++) {
    double middle = 0.5 * (low + high);
    if (size_at(self, middle) < height / eta)
      low = middle;
    else
      high = middle;
  }
  self->a = high;
  evaluate(self, high, R);
  self->d = R[1] / R[0];
  return R[2] / R[0] / (self->d * self->d) - 1;
}

/* Places the roots of w; b in units of 1 / s^2. */
static double try_roots(polynomials *self, double b)
{
  double unit = 1.0 / (self->stages * self->stages);
  self->root = 1 + (self->stages > 3 ? -2.5 : -1.75) * unit;
  self->turn = b * unit;
  make_orthogonal(self);
  return place_origin(self);
}

static void find_roots(polynomials *self)
{
  double low = 2.5, high = 5;
  int is_positive = try_roots(self, low) > 0;
  for (int i = 0; i < HALVINGS; i++) {
    double middle = 0.5 * (low + high);
    if ((try_roots(self, middle) > 0) == is_positive)
      low = middle;
    else
      high = middle;
  }
}

void pl_rock2_compute(int stages, pl_rock2 *table)
{
  polynomials self = {.stages = stages};
  find_roots(&self);
  table->stages = stages;
  // everything divided by its value at the origin
  double before = 0, now = 1;
  for (int k = 0; k < stages - 2; k++) {
    double c = 2 * (self.a - self.centre[k]), next = c * now - self.ratio[k] * before;
    table->m[k] = 2 * now / (self.d * next);
    table->n[k] = c * now / next;
    before = now;
    now = next;
  }
  double w = weight(&self, self.a);
  table->sigma = (self.a - self.root) / (self.d * w);
  table->tau = 1 / (self.d * self.d * w);
  table->interval = (1 + self.a) * self.d;
}

double pl_rock2_stages(double interval)
{
  // below the true intervals, which the tests hold it to
  return fmax(PL_ROCK2_LEAST, ceil(sqrt((interval + 1.5) / 0.8)));
}
