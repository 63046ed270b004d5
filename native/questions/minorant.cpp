// Let v_i = x_i.u be what a deviation u from the fit moves the logit of row i, h_i the row's curvature at the fit, D_i the
// Bregman term of its softplus, g(r) = e^-r + r - 1, H the fit's Hessian, l_i^2 = x_i' H^-1 x_i, l the largest of the l_i,
// lambda^2 the Newton decrement (lambda the length of the gradient in H^-1) and z = l lambda.
//
// (i)  D_i(v) >= h_i v^2 g(r) / r^2 for |v| <= r (self-concordance). With r = max |v_i| and n the length of u in H,
//      r <= l n and room > loss(beta + u) - loss(beta) >= -lambda n + n^2 g(r) / r^2 >= -lambda n + g(l n) / l^2,
//      as g(r) / r^2 falls. So l n is below the larger root r0 of g(r) - z r = room l^2 (z < 1), and so is every |v_i|.
// (ii) 2 D_i(v) / (h_i v^2) is quasi-concave in v, so its minimum k_i on |v| <= r_i is at an end, and
//      H_k = sum h_i k_i x_i x_i' is such a matrix.
// (iii) With H_k: room > -g.u-term + 1/2 u'H_k u gives a length of u in H_k of at most lambda_k + (lambda_k^2 + 2 room)^1/2,
//      so |v_i| is at most that times (x_i' H_k^-1 x_i)^1/2: smaller radii, larger k_i. Done twice.
// What is left of the gradient where a matrix has lost all curvature changes the loss by at most its largest entry times
// sum |u| (fit.extent): it is added to the room, and taken off the minorant in decode.cpp.
// Leverages are taken in a basis of the columns (dependent answers dropped) and without ridge: a ridge would make the
// radii too small. Radii are enlarged by 1e-6 of themselves for rounding.
#include "questions/minorant.hpp"

#include <algorithm>
#include <cmath>

#include "questions/rows.hpp"

namespace supersparse {
namespace {

constexpr int kRounds = 2;

// The length of a gradient in the inverse of a matrix; what is left of it where the matrix has no curvature, to `left`.
double length_in_inverse(const Vector& matrix, const Vector& factor, const Vector& slope, double& left) {
  const int p = static_cast<int>(slope.size());
  Vector x = slope;
  solve_factored(factor.data(), p, x.data());
  left = 0;
  for (int i = 0; i < p; i++)
    left = std::max(left, std::fabs(slope[i] - dot(&matrix[static_cast<size_t>(i) * p], x.data(), p)));
  return std::sqrt(std::max(0.0, dot(x.data(), slope.data(), p))) * (1 + 1e-6) + 1e-14;
}

// The larger root of g(r) - z r = t, from above: Newton's method on a convex function.
bool larger_root(double z, double t, double& r) {
  r = (t + 2) / (1 - z) + 1;  // g(r) >= r - 1, so the left side is above t here
  for (int round = 0; round < 200; round++) {
    const double value = std::exp(-r) + r - 1 - z * r - t, rise = 1 - std::exp(-r) - z;
    if (!(rise > 0)) return false;
    const double step = value / rise;
    r -= step;
    if (std::fabs(step) < 1e-12 * (1 + r)) break;
  }
  r = r * (1 + 1e-6) + 1e-6;
  return std::exp(-r) + r - 1 - z * r >= t;
}

}  // namespace

bool minorant(const Cells& cells, const Fit& fit, double room, Vector& second_order) {
  const int p = fit.layout.size, n = cells.rows;
  Vector inverse(static_cast<size_t>(p) * p), leverage, h(n), r(n), scaled(n), ratio(n), factor;
  row_loops().loss_and_slopes(n, fit.logits.data(), cells.weight.data(), cells.positive.data(), r.data(), h.data());
  factor = fit.hessian;
  if (factorize(factor.data(), p) == Factor::doubtful) return false;
  invert_factored(factor.data(), p, inverse.data());
  leverages(cells, fit.layout, inverse, leverage);
  double largest = 0;
  for (double value : leverage) largest = std::max(largest, value);
  double left = 0, radius = 0;
  const double z = std::sqrt(largest) * length_in_inverse(fit.hessian, factor, fit.slope, left);
  if (!(z < 0.5) || !larger_root(z, (room + left * fit.extent) * largest, radius)) return false;
  Vector radii(n, radius);
  for (int round = 0;; round++) {
    row_loops().curvature_ratio(n, fit.logits.data(), radii.data(), ratio.data());
    for (int i = 0; i < n; i++) scaled[i] = h[i] * ratio[i];
    products(cells, fit.layout, scaled.data(), second_order);
    if (round == kRounds) return true;
    factor = second_order;
    if (factorize(factor.data(), p) == Factor::doubtful) return true;  // the radii so far hold
    invert_factored(factor.data(), p, inverse.data());
    leverages(cells, fit.layout, inverse, leverage);
    const double own = length_in_inverse(second_order, factor, fit.slope, left);
    const double length = own + std::sqrt(own * own + 2 * (room + left * fit.extent));
    for (int i = 0; i < n; i++) radii[i] = std::min(radii[i], std::sqrt(leverage[i]) * length * (1 + 1e-6) + 1e-12);
  }
}

}  // namespace supersparse
