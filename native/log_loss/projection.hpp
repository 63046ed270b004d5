// A bound on the loss from risks that agree with the data on every column.
//
// The bound of bound.hpp holds for any risks p_i in [0, 1], and is their entropy if Σ_i (weight_i·p_i -
// positive_i)·x_ij is 0 for every column j and for the intercept. Risks of a regression that has not converged miss that
// a little, which costs the bound far more than they miss of the loss. A Newton step says by how much they should move:
// by their curvature times the change of the logits. Where that leads out of [0, 1] a risk stays at the end, and another
// step, without these rows, makes up for it. No step needs exponentials or the curvature of all rows, so a few of them
// cost less than one step of the regression, and the bound passes sooner.
//
// It is used on single supports, and in `relax_open`, the relaxation of a box where every column may have points of
// either sign. With a free slope, such a box allows any weights: points are only ratios of them, and no column is tied
// to the slope. So there is no barrier, and Newton steps from where the parent's curvature says need few passes.
#pragma once
#include <vector>

#include "base/array.hpp"
#include "log_loss/loss.hpp"
#include "log_loss/relaxation.hpp"

namespace supersparse::log_loss {

// Solves the relaxation as `relax` does, where low < 0 < high in every column and nothing has a price.
//
// The largest slope counts in the bound alone: where the point has it, the relaxation itself may be better. `work` has
// seven rows.
Relaxed relax_open(const Sample& sample, const CardBox& box, double slope_high, double threshold, Floats limits,
                   Floats point, Floats dual, Matrix<double> work, Matrix<double> gram);

// The regression on all but the last column of a support, and what it says of one with that column.
class WithoutLast {
 public:
  // Room for supports of `most` columns.
  WithoutLast(const RiskData& data, int64_t most);

  // Fits the first k of these columns from point = (b, beta), which it improves; false where rows are so few on the
  // support that regressions with each last column cost less.
  bool fit(const Support& support, Ints columns, int64_t k, Floats point);

  // Whether no card on the k columns and columns[k] is below the threshold; `step` receives the Newton step.
  bool excludes(Ints columns, int64_t k, double threshold, Floats step);

  double loss() const { return loss_; }

 private:
  const RiskData& data_;
  double loss_ = -1;
  std::vector<double> own_rows_, own_gram_, own_slopes_;
  Matrix<double> rows_, gram_;  // residuals and curvature of the rows, and room; the curvature with the intercept first
  Floats slopes_;               // (of b, of beta)
};

}  // namespace supersparse::log_loss
