/* Coefficients of ROCK2 (Abdulle & Medovikov 2001, "Second order Chebyshev methods based on
 * orthogonal polynomials"), computed instead of tabulated.
 *
 * The stability polynomial of s stages is R(z) = P_{s-2}(z) w(z), w(z) = 1 + 2 sigma z + tau z^2.
 * In x, z = (x - a) d, the P_k are orthogonal on [-1, 1] for the weight w^2 / sqrt(1 - x^2), and so
 * R is nearly of the same height everywhere there (Bernstein). w has the roots 1 + (c +- i b) /
 * s^2; a is where R is 1 / eta times that height, d = R'(a) / R(a). What is left of order 2, R R''
 * = R'^2 at a, determines b. The interval of stability (1 + a) d is largest for c near -2.5, and
 * very flat there: 0.80 s^2 with eta = 0.95 (ROCK2's own tables: 0.81 s^2; rkc2: 0.65 s^2). Then
 *
 *   K_1 = K_0 + h m_0 f(K_0),    K_{k+1} = h m_k f(K_k) + n_k K_k - (n_k - 1) K_{k-1}. */
#ifndef PL_ODE_ROCK2_TABLE_H
#define PL_ODE_ROCK2_TABLE_H

enum { PL_ROCK2_LEAST = 3, PL_ROCK2_MOST = 200 };

typedef struct pl_rock2 {
  int stages;
  double m[PL_ROCK2_MOST], n[PL_ROCK2_MOST]; /* for k = 0 ... stages - 3 */
  double sigma, tau;
  double interval; /* stable for all z in [-interval, 0] */
} pl_rock2;

/* The coefficients for so many stages, from PL_ROCK2_LEAST to PL_ROCK2_MOST. */
void pl_rock2_compute(int stages, pl_rock2 *table);

/* How many stages an interval asks for; more than PL_ROCK2_MOST where those are not enough. */
double pl_rock2_stages(double interval);

#endif
