// The loops over rows, in three versions (baseline, AVX2, AVX-512) of which one is chosen at load; all give the same bits.
// Lengths are multiples of eight: rows are padded by copies of the last one with weight 0.
#pragma once
#include <cstdint>

#include "base/versions.hpp"

namespace supersparse {

// Loss, and sums of residuals r and curvatures h, alone and with totals t.
struct LineSums {
  double loss = 0, r = 0, rt = 0, h = 0, ht = 0, htt = 0;
};

struct RowLoops {
  // sum of w softplus(s) - positive s
  double (*loss)(int n, const double* s, const double* w, const double* positive);
  // the same, with the residual r = w sigma(s) - positive and the curvature h = w sigma (1 - sigma)
  double (*loss_and_slopes)(int n, const double* s, const double* w, const double* positive, double* r, double* h);
  // the same at s = slope total + centre
  void (*line)(int n, const double* total, const double* w, const double* positive, double slope, double centre, LineSums* out);
  // index of the least of factor square + price + sum over i < m of linear[i] heights[i]; each array has n entries
  int (*least_shape)(int n, int m, const double* square, double factor, const double* price, const double* heights,
                     const double* linear);
  // s += table[answer], answers below `answers`
  void (*add_heights)(int n, int answers, const uint8_t* answer, const double* table, double* s);
  // to[y] = from[y] - sum over k < m of factor[k] rows[k stride + y]
  void (*eliminate)(int n, int m, const double* factor, const double* rows, int stride, const double* from, double* to);
  // H[x][y] += sum of h over the rows where indicators x and y are both 1 (upper triangle, y > x within other columns, and
  // the diagonal); `indicator` has p rows of `block` zeros and ones
  void (*add_products)(int block, int p, const double* indicator, const double* h, const int* column, double* H);
  // delta = curvature (s - s0), and the largest theta for which alpha + theta delta stays in [0, 1]
  double (*dual_step)(int n, const double* s, const double* s0, const double* curvature, const double* alpha, double* delta);
  // sum of w H(alpha + theta delta), H the entropy
  double (*entropy)(int n, const double* alpha, const double* delta, double theta, const double* w);
  // least ratio of Bregman term to its quadratic within the radius, a lower bound (minorant.hpp)
  void (*curvature_ratio)(int n, const double* s, const double* radius, double* ratio);
};

extern const RowLoops rows_baseline;
#ifdef SUPERSPARSE_X86
extern const RowLoops rows_avx2, rows_avx512;
constexpr const RowLoops* kRowLoops[kVersions] = {&rows_baseline, &rows_avx2, &rows_avx512};
#else
constexpr const RowLoops* kRowLoops[kVersions] = {&rows_baseline};
#endif

inline const RowLoops& row_loops() { return *kRowLoops[loop_version()]; }

}  // namespace supersparse
