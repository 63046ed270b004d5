// The dual bound of a set of questions over the rows: what verifies every prune of columns.
#pragma once
#include "questions/additive.hpp"

namespace supersparse {

// For any alpha in [0, 1] by row, softplus(s) >= alpha s + H(alpha), H the entropy. If the margins of alpha - p over all
// answers of T (and over the offset) are 0, every card whose questions lie in T has a loss of at least sum w H(alpha).
//
// alpha = alpha0 + theta h (x.c - s0), with s0, alpha0 = sigma(s0) and h those of the fit of all questions (the root) and c
// the minimum over T of the root's quadratic. At theta = 1 the margins are 0 whatever the root's accuracy, up to the
// residual of the linear system; in between they are 1 - theta times the root's residual. The largest residual times the
// problem's reach (a bound on sum |beta| of an allowed card) is taken off, and 1e-10 for the rounding of the sums: a margin
// of n terms that add up to at most 1 errs by n 2^-53 at worst and by about n^1/2 2^-53 in fact.
class DualBound {
 public:
  DualBound(const Cells& rows, const Fit& root, const Quadratic& model, double reach);

  // A bound on the loss of every card over T (places among the root's questions), or minus infinity where the quadratic
  // predicts that it would not come to `need`. The prediction only saves the pass over the rows.
  double operator()(const std::vector<int>& set, double need);

  // Heights of T's answers at the minimum of the root's quadratic, by T's own layout from 1 on; the predicted loss.
  double predict(const std::vector<int>& set, Vector& heights);

 private:
  const Cells& rows_;
  const Fit& root_;
  const Quadratic& model_;
  double reach_, offset_ = 0, residual_ = 0;
  Vector curvature_, alpha_, mean_;
  Vector system_, factor_, logits_, delta_, heights_;
  std::vector<int> index_;
};

}  // namespace supersparse
