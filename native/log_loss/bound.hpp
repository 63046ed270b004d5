// Logistic regression on a support, and the lower bound on the loss that holds at any point.
//
// A box allows a low_j <= beta_j <= a high_j for each column j, with slope a in [slope_low, slope_high], and at most
// `room` nonzero columns among the optional ones. For any residuals r_i = weight_i p_i - positive_i with p_i in [0, 1],
// convexity gives for every card of the box
//
//     loss  >=  sum_i (loss_i(z_i) - r_i z_i)  +  a V  -  |sum r_i| B,     z_i = the logit with sigmoid p_i,
//
// where V is the least sum_j g_j v_j over v in the box, g_j = sum_i r_i x_ij, and B bounds the intercept of every card
// that matters. So a badly solved relaxation gives a weak bound, never a wrong one. With slope 1, `tighten` cuts off the
// values whose use alone makes the bound of a box or node pass.
#pragma once
#include "log_loss/loss.hpp"

namespace supersparse::log_loss {

constexpr double kHuge = 1e300;

// Solve h s = x in place of x, with h in its lower triangle; false if h is not positive definite.
bool solve(Matrix<double> h, int64_t n, Floats x);

// z += factor x
inline void add_column(Floats z, double factor, Floats x, int64_t n) { loops().add_column(z.data, factor, x.data, n); }
// z = point[0] + sum_j point[first + j] x[columns[j]]
void scores_at(Floats z, Floats point, int64_t first, Matrix<double> x, Ints columns, int64_t m, int64_t n);
// out[j] = v x[columns[j]]
void dots(Floats v, Matrix<double> x, Ints columns, int64_t m, int64_t n, Floats out);
// out = x y entry by entry; returns its sum
inline double times(Floats out, Floats x, Floats y, int64_t n) { return loops().times(out.data, x.data, y.data, n); }
// h = sum of weight x x', with the intercept first; all of it, not a triangle. h has at least m + 1 rows and columns.
void curvature_of(Matrix<double> x, Ints columns, Floats weights, int64_t m, int64_t n, Matrix<double> h);

// The bound from its parts, less what rounding can have added.
// limits = (B, error relative to the terms of the tangent, fixed error).
inline double value_of_bound(double tangent, double size, double gb, double reach, double magnitude, double slope_low,
                             double slope_high, Floats limits) {
  const double linear = reach >= 0 ? slope_low * reach : slope_high * reach;
  return tangent - std::fabs(gb) * limits[0] + linear - limits[1] * size - limits[2] - 2e-15 * slope_high * magnitude;
}

struct Reach {
  double total, magnitude;
};
// V, the least sum of g_j v_j and costs over the box, and the sum of the magnitudes of its terms.
Reach least_reach(Floats g, Floats low, Floats high, Ints optional, Floats cost, int64_t m, int64_t room, Floats pick);

struct Step {
  double length, loss;
};
// Halve a Newton step from (b, beta) until the loss falls as it should; `trial` receives where it ends, z and e what
// belongs to it. The length is 0 where nothing is to be gained.
Step step_back(Matrix<double> x, Ints columns, Floats positive, Floats negative, int64_t n, int64_t m, Floats point,
               Floats step, double gain, double f, Floats trial, Floats z, Floats e);

struct SupportFit {
  bool passed;
  double loss;
};
// Logistic regression on m columns with |beta_j| <= reach_j kept in the bound only: whether the bound passes the
// threshold, and the loss. point = (b, beta) is the start and receives the fit. A fit that cannot pass ends when a step
// would gain less than `accuracy`.
SupportFit fit_support(Matrix<double> x, Ints columns, Floats positive, Floats negative, int64_t n, int64_t m, Floats reach,
                       double threshold, Floats limits, Floats point, Matrix<double> work, double accuracy);

// Cut off the values whose use alone makes the bound pass, for slope 1; true if nothing is left.
// low and high are the ranges of these columns; that of an open column without any value left is its 0.
bool tighten(Matrix<double> values, Ints zero, Floats scale, Ints columns, Ints optional, Floats cost, Floats dual,
             int64_t room, double threshold, Ints low, Ints high);

}  // namespace supersparse::log_loss
