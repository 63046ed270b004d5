#include "questions/dual.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "questions/rows.hpp"

namespace supersparse {

DualBound::DualBound(const Cells& rows, const Fit& root, const Quadratic& model, double reach)
    : rows_(rows), root_(root), model_(model), reach_(reach) {
  const int n = rows.rows;
  curvature_.resize(n);
  alpha_.resize(n);
  logits_.resize(n);
  delta_.resize(n);
  mean_.assign(model.size, 0.0);
  double total = 0;
  for (int i = 0; i < n; i++) {
    alpha_[i] = 1 / (1 + std::exp(-root.logits[i]));
    curvature_[i] = alpha_[i] * (1 - alpha_[i]);
    total += rows.weight[i] * curvature_[i];
  }
  for (size_t place = 0; place < rows.set.size(); place++)
    for (int i = 0; i < n; i++)
      if (const int b = rows.answer[place][i])
        mean_[root.layout.first[place] + b - 2] += rows.weight[i] * curvature_[i] / total;
  for (int i = 0; i < n; i++) offset_ += rows.weight[i] * curvature_[i] * root.logits[i] / total;
  offset_ -= root.slope[0] / total;
  for (double value : root.slope) residual_ = std::max(residual_, std::fabs(value));
}

double DualBound::predict(const std::vector<int>& set, Vector& heights) {
  index_.clear();
  for (int place : set)
    for (int b = 0; b < root_.layout.heights[place]; b++) index_.push_back(root_.layout.first[place] + b - 1);
  const int k = static_cast<int>(index_.size());
  system_.resize(static_cast<size_t>(k) * k);
  heights.resize(k);
  for (int i = 0; i < k; i++) {
    const double* row = &model_.G[static_cast<size_t>(index_[i]) * model_.size];
    for (int j = 0; j < k; j++) system_[static_cast<size_t>(i) * k + j] = row[index_[j]];
    heights[i] = model_.pull[index_[i]];
  }
  factor_ = system_;
  factorize(factor_.data(), k);
  solve_factored(factor_.data(), k, heights.data());
  double explained = 0;
  for (int i = 0; i < k; i++) explained += heights[i] * model_.pull[index_[i]];
  return model_.constant + 0.5 * (model_.energy - explained);
}

double DualBound::operator()(const std::vector<int>& set, double need) {
  const double none = -std::numeric_limits<double>::infinity();
  if (predict(set, heights_) < need) return none;
  const int n = rows_.rows, k = static_cast<int>(index_.size());
  double offset = offset_, unsolved = 0;
  for (int i = 0; i < k; i++) {
    offset -= mean_[index_[i]] * heights_[i];
    const double value = dot(&system_[static_cast<size_t>(i) * k], heights_.data(), k) - model_.pull[index_[i]];
    unsolved = std::max(unsolved, std::fabs(value));
  }
  logits_.assign(n, offset);
  const RowLoops& loops = row_loops();
  const double* own = heights_.data();
  for (int place : set) {
    double table[256] = {0};
    const int heights = root_.layout.heights[place];
    std::copy(own, own + heights, table + 1);
    own += heights;
    loops.add_heights(n, heights + 1, rows_.answer[place].data(), table, logits_.data());
  }
  const double most =
      loops.dual_step(n, logits_.data(), root_.logits.data(), curvature_.data(), alpha_.data(), delta_.data());
  const double first = std::min(1.0, 0.97 * most);
  double best = none;
  for (double share : {1.0, 0.7, 0.5}) {
    const double theta = share * first;
    const double residual = (1 - theta) * residual_ + theta * unsolved;
    const double value = loops.entropy(n, alpha_.data(), delta_.data(), theta, rows_.weight.data()) - residual * reach_ - 1e-10;
    best = std::max(best, value);
    if (best >= need || most > 1.1) break;
  }
  return best;
}

}  // namespace supersparse
