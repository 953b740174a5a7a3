/* Products of 8 x 4 numbers that stay in registers, and triangular solves around them. */
#include "sparse/factor_kernel.h"

#include "math/lanes.h"

#include <math.h>

enum { ROWS = 2 * PL_LANES, COLUMNS = 4 };

static void pack(int n, int k, const double *B, size_t stride, const double *signs, double *packed)
{
  for (int j = 0; j < n; j += COLUMNS) {
    int columns = n - j < COLUMNS ? n - j : COLUMNS;
    for (int i = 0; i < k; i++, packed += COLUMNS) {
      const double *from = B + (size_t)i * stride + j;
      for (int c = 0; c < COLUMNS; c++) packed[c] = c < columns ? from[c] * signs[i] : 0;
    }
  }
}

/* acc[2 c + h] = sum over k of A's rows 4 h ... times B's column c. */
PL_INLINE void multiply(int k, const double *A, size_t stride, const double *B,
                        pl_lanes acc[2 * COLUMNS])
{
  pl_lanes a0, a1, b, s00 = pl_lanes_all(0), s01 = s00, s10 = s00, s11 = s00, s20 = s00, s21 = s00,
                      s30 = s00, s31 = s00;
  for (int i = 0; i < k; i++, A += stride, B += COLUMNS) {
    a0 = pl_lanes_load(A);
    a1 = pl_lanes_load(A + PL_LANES);
    b = pl_lanes_all(B[0]);
    s00 += a0 * b;
    s01 += a1 * b;
    b = pl_lanes_all(B[1]);
    s10 += a0 * b;
    s11 += a1 * b;
    b = pl_lanes_all(B[2]);
    s20 += a0 * b;
    s21 += a1 * b;
    b = pl_lanes_all(B[3]);
    s30 += a0 * b;
    s31 += a1 * b;
  }
  acc[0] = s00, acc[1] = s01, acc[2] = s10, acc[3] = s11;
  acc[4] = s20, acc[5] = s21, acc[6] = s30, acc[7] = s31;
}

static void product(int m, int n, int k, const double *A, size_t stride, const double *packed,
                    double *C, size_t c_stride)
{
  for (int j = 0; j < n; j += COLUMNS, packed += COLUMNS * k) {
    for (int r = 0; r < m; r += ROWS) {
      pl_lanes acc[2 * COLUMNS];
      multiply(k, A + r, stride, packed, acc);
      double *to = C + (size_t)j * c_stride + r;
      for (int c = 0; c < COLUMNS; c++, to += c_stride) {
        pl_lanes_store(to, acc[2 * c]);
        pl_lanes_store(to + PL_LANES, acc[2 * c + 1]);
      }
    }
  }
}

/* Rows [r, last), at most ROWS of them, of the columns [j, j + count): subtracts what the columns
 * before them stand for. */
PL_INLINE void subtract(double *panel, size_t stride, int j, int count, const double *packed, int r,
                        int last)
{
  pl_lanes acc[2 * COLUMNS];
  multiply(j, panel + r, stride, packed, acc);
  double *to = panel + (size_t)j * stride + r;
  for (int c = 0; c < count; c++, to += stride) {
    double sum[ROWS];
    pl_lanes_store(sum, acc[2 * c]);
    pl_lanes_store(sum + PL_LANES, acc[2 * c + 1]);
    for (int i = 0; i < last - r && i < ROWS; i++) to[i] -= sum[i];
  }
}

/* Rows [r, last) of the columns [j, j + count), whose other columns are taken out already. */
PL_INLINE void divide(double *panel, size_t stride, int j, int count, const double *signs, int r,
                      int last)
{
  int rows = last - r < ROWS ? last - r : ROWS;
  for (int c = j; c < j + count; c++) {
    double *own = panel + (size_t)c * stride;
    for (int k = j; k < c; k++) {
      const double *other = panel + (size_t)k * stride;
      double factor = signs[k] * other[c];
      for (int i = r; i < r + rows; i++) own[i] -= factor * other[i];
    }
    double inverse = signs[c] / own[c];
    for (int i = r; i < r + rows; i++) own[i] *= inverse;
  }
}

static void finish(double *panel, size_t stride, int width, const double *signs, int first,
                   int last)
{
  double packed[COLUMNS * PL_PANEL_WIDTH];
  for (int j = 0; j < width; j += COLUMNS) {
    int count = width - j < COLUMNS ? width - j : COLUMNS;
    pack(count, j, panel + j, stride, signs, packed);
    for (int r = first; r < last; r += ROWS) {
      subtract(panel, stride, j, count, packed, r, last);
      divide(panel, stride, j, count, signs, r, last);
    }
  }
}

/* Column c of a group that begins with j, in the triangle of the group itself. */
static void pivot_column(double *panel, size_t stride, int j, int c, int end, double *pivots,
                         double *signs)
{
  double *own = panel + (size_t)c * stride;
  for (int k = j; k < c; k++) {
    const double *other = panel + (size_t)k * stride;
    double factor = signs[k] * other[c];
    for (int i = c; i < end; i++) own[i] -= factor * other[i];
  }
  double pivot = own[c];
  pivots[c] = pivot;
  signs[c] = pivot < 0 ? -1 : 1;
  // a pivot of nothing is reported later; until then the numbers should stay finite
  own[c] = pivot < 0 || pivot > 0 ? sqrt(fabs(pivot)) : 1;
  for (int i = c + 1; i < end; i++) own[i] *= signs[c] / own[c];
}

static void factorise(double *panel, size_t stride, int width, double *pivots, double *signs)
{
  double packed[COLUMNS * PL_PANEL_WIDTH];
  for (int j = 0; j < width; j += COLUMNS) {
    int count = width - j < COLUMNS ? width - j : COLUMNS, end = j + count;
    pack(count, j, panel + j, stride, signs, packed);
    for (int r = j; r < width; r += ROWS) subtract(panel, stride, j, count, packed, r, width);
    for (int c = j; c < end; c++) pivot_column(panel, stride, j, c, end, pivots, signs);
    for (int r = end; r < width; r += ROWS) divide(panel, stride, j, count, signs, r, width);
  }
}

/* y[r] = sum over four columns of the rows below, added to what is there. */
PL_INLINE void add_columns(const double *from, size_t stride, int rows, const double x[COLUMNS],
                           double *y)
{
  for (int r = 0; r < rows; r += PL_LANES) {
    pl_lanes sum = pl_lanes_load(y + r);
    for (int c = 0; c < COLUMNS; c++)
      sum += pl_lanes_load(from + (size_t)c * stride + r) * pl_lanes_all(x[c]);
    pl_lanes_store(y + r, sum);
  }
}

static void forward(const double *panel, size_t stride, int width, int height, double *x, double *y)
{
  int rows = height - width, c = 0;
  for (int k = 0; k < width; k++) {
    const double *column = panel + (size_t)k * stride;
    x[k] /= column[k];
    for (int r = k + 1; r < width; r++) x[r] -= column[r] * x[k];
  }
  for (int r = 0; r < (rows + 3) / 4 * 4; r++) y[r] = 0;
  const double *below = panel + width;
  for (; c + COLUMNS <= width; c += COLUMNS)
    add_columns(below + (size_t)c * stride, stride, rows, x + c, y);
  for (; c < width; c++) {
    const double *column = below + (size_t)c * stride;
    for (int r = 0; r < rows; r++) y[r] += column[r] * x[c];
  }
}

PL_INLINE double lane_sum(pl_lanes a) { return (a[0] + a[1]) + (a[2] + a[3]); }

/* The scalar products of three columns with y. */
PL_INLINE void dot_columns(const double *from, size_t stride, int rows, const double *y,
                           double sums[3])
{
  pl_lanes s0 = pl_lanes_all(0), s1 = s0, s2 = s0;
  for (int r = 0; r < rows; r += PL_LANES) {
    pl_lanes at = pl_lanes_load(y + r);
    s0 += pl_lanes_load(from + r) * at;
    s1 += pl_lanes_load(from + stride + r) * at;
    s2 += pl_lanes_load(from + 2 * stride + r) * at;
  }
  sums[0] = lane_sum(s0);
  sums[1] = lane_sum(s1);
  sums[2] = lane_sum(s2);
}

static void backward(const double *panel, size_t stride, int width, int height, double *x,
                     const double *y)
{
  for (int c = 0; c < width; c += 3) {
    double sums[3];
    dot_columns(panel + width + (size_t)c * stride, stride, height - width, y, sums);
    for (int k = 0; k < 3; k++) x[c + k] -= sums[k];
  }
  for (int c = width - 1; c >= 0; c--) {
    const double *column = panel + (size_t)c * stride;
    double sum = x[c];
    for (int r = c + 1; r < width; r++) sum -= column[r] * x[r];
    x[c] = sum / column[c];
  }
}

const pl_factor_kernel PL_VARIANT(pl_factor_kernel) = {pack,   product, factorise,
                                                       finish, forward, backward};
