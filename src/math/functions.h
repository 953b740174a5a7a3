/* sin, cos and the like for everything whose result can reach the state: by arithmetic alone, with
 * the same bits on every machine, and at most 1 ulp from the true value. The C library's differ
 * from version to version and from processor to processor. */
#ifndef PL_MATH_FUNCTIONS_H
#define PL_MATH_FUNCTIONS_H

#define PL_PI 3.14159265358979323846

double pl_sin(double x);
double pl_cos(double x);
double pl_tan(double x);
/* The angle of (x, y), from -pi to pi. */
double pl_atan2(double y, double x);
double pl_cbrt(double x);
/* sqrt(a^2 + b^2), without overflow on the way. */
double pl_hypot(double a, double b);
/* The natural logarithm. */
double pl_ln(double x);
/* x^y for x >= 0; not a number for others. */
double pl_pow(double x, double y);

#endif
