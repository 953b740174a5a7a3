/* A compiler for WebAssembly is refused if this fails: clang 14 (emscripten 3.1.6) fetches a number
 * that is spread over a vector when it is needed there, even if a store has overwritten it since;
 * its SLP vectoriser makes such vectors of small products of matrix and vector. As the build calls
 * it (scripts/wasm-clang.sh) the sums must be those of plain arithmetic. */
#include <stdio.h>

static void project(const double P[9], const double x[3], double y[3])
{
  for (int i = 0; i < 3; i++) y[i] = P[i] * x[0] + P[3 + i] * x[1] + P[6 + i] * x[2];
}

/* As in sparse/filter.c: each node's vector becomes its projection. */
__attribute__((noinline)) static void project_all(const double *P, int count, double *x)
{
  for (int n = 0; n < count; n++) {
    double free_part[3];
    project(P + 9 * n, x + 3 * n, free_part);
    for (int c = 0; c < 3; c++) x[3 * n + c] = free_part[c];
  }
}

int main(void)
{
  // what the compiler knows it would work out itself, and rightly
  static const volatile double given[9] = {0.5, 0.25, -0.125, 0.25, 0.75, 0.5, -0.125, 0.5, 0.375};
  double P[9], y[3] = {1, 2, 4};
  static const double right[3] = {0.5, 3.75, 2.375};
  for (int i = 0; i < 9; i++) P[i] = given[i];
  project_all(P, 1, y);
  for (int i = 0; i < 3; i++) {
    if (y[i] == right[i]) continue;
    printf("component %d of a product is %g, not %g: this compiler makes wrong code\n", i, y[i],
           right[i]);
    return 1;
  }
  return 0;
}
