#include "log_loss/completions.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "log_loss/boxes.hpp"
#include "log_loss/projection.hpp"

namespace supersparse::log_loss {
namespace {

enum { kLevel, kStarted };      // of Cells.state
constexpr int64_t kMany = 3;    // last columns for which it pays to fit the support without them first

class Completions {
 public:
  Completions(const RiskData& data, const Support& support, const Boxes& boxes, const Best& best, const BitSets& bits,
              const Cells& cells, const PartialSupport& partial);
  bool run(int64_t budget);

 private:
  int64_t column(int64_t q) const { return q < n_used_ ? partial_.used[q] : chosen_[q - n_used_]; }
  void start();
  void open(int64_t more);
  void look_at_next(int64_t level, int64_t at, int64_t ends);
  bool is_excluded_without_fit(int64_t depth, int64_t j, double threshold, bool pays);

  const RiskData& data_;
  const Support& support_;
  const Boxes& boxes_;
  const Best& best_;
  const BitSets& bits_;
  const Cells& cells_;
  const PartialSupport& partial_;
  Partition partition_;
  const int64_t n_used_, n_left_, room_;
  double cost_used_ = 0;
  int64_t opens_ = -1;  // chosen columns with which the used ones are a support to be opened; -1 if none is
  std::vector<int64_t> chosen_, first_, last_, columns_;
  std::vector<double> point_;
  std::vector<double> fit_;  // (b, beta of every column) on the last support, a good start
  // the regression on all but the last column of a support, where it is of use
  std::optional<WithoutLast> without_;
  std::vector<double> base_, step_;
  bool is_fitted_ = false, pays_ = false;
};

Completions::Completions(const RiskData& data, const Support& support, const Boxes& boxes, const Best& best,
                         const BitSets& bits, const Cells& cells, const PartialSupport& partial)
    : data_(data), support_(support), boxes_(boxes), best_(best), bits_(bits), cells_(cells), partial_(partial),
      partition_(data, bits, cells), n_used_(partial.used.size), n_left_(partial.candidates.size),
      room_(data.strict ? partial.room : std::min(n_left_, partial.room)) {
  const int64_t most = n_used_ + room_ + 1;
  chosen_.resize(room_ + 1);
  for (auto* own : {&first_, &last_, &columns_}) own->resize(most);
  point_.resize(2 + most);
  base_.resize(most + 1);
  step_.resize(most + 1);
  for (int64_t j : partial.used) cost_used_ += partial.least_cost[j];
  if (bits.all.size == 0 && (data.slope_is_free || !data.strict)) without_.emplace(data, most);
  fit_.resize(1 + data.n_columns());
  fit_[0] = std::log(total(data.positive, data.n_rows()) / total(data.negative, data.n_rows()));
}

void Completions::start() {
  cells_.state[kStarted] = 1;
  cells_.state[kLevel] = room_ == 0 ? -1 : 0;
  partition_.start();
  for (int64_t q = 0; q < n_used_; q++) partition_.refine(q, partial_.used[q]);
  cells_.position[0] = 0;
  support_.state[kDepth] = 0;
  if ((data_.strict || room_ == 0) && n_used_ > 0) opens_ = 0;
}

// Opens the support of the used columns and the first of the chosen ones.
void Completions::open(int64_t more) {
  const int64_t k = n_used_ + more;
  point_[0] = partial_.start[0], point_[1] = fit_[0];
  for (int64_t q = 0; q < k; q++) {
    const int64_t j = column(q);
    support_.columns[q] = j;
    first_[q] = partial_.low[j], last_[q] = partial_.high[j];
    point_[2 + q] = fit_[1 + j];
  }
  open_support(data_, support_, boxes_, best_, k, view(first_), view(last_), view(point_), partial_.loss_floor);
  std::fill(fit_.begin(), fit_.end(), 0.0);
  fit_[0] = point_[1];
  for (int64_t q = 0; q < k; q++) fit_[1 + support_.columns[q]] = point_[2 + q];
}

bool Completions::run(int64_t budget) {
  if (!cells_.state[kStarted]) start();
  while (true) {
    if (opens_ >= 0) open(opens_);
    opens_ = -1;
    if (support_.state[kDepth] > 0) {
      run_boxes(data_, support_, boxes_, best_, budget);
      if (support_.state[kDepth] > 0) return false;
    }
    const int64_t level = cells_.state[kLevel];
    if (level < 0) return true;
    if (support_.counts[kWork] >= budget) return false;
    const int64_t at = cells_.position[level], ends = data_.strict ? n_left_ : n_left_ - (room_ - level) + 1;
    if (at >= ends) {
      cells_.state[kLevel] = level - 1;
      continue;
    }
    cells_.position[level] = at + 1;
    look_at_next(level, at, ends);
  }
}

// The completions with the candidate at this place as the last one chosen: `opens_` says whether they are left to boxes.
void Completions::look_at_next(int64_t level, int64_t at, int64_t ends) {
  int64_t j = partial_.candidates[at], depth = n_used_ + level;
  double cost = cost_used_ + partial_.least_cost[j];
  for (int64_t q = 0; q < level; q++) {
    chosen_[q] = partial_.candidates[cells_.position[q] - 1];
    cost += partial_.least_cost[chosen_[q]];
  }
  chosen_[level] = j;
  const double threshold = best_.value[0] - data_.tolerance - cost;
  if (std::max(partial_.loss_floor, 0.0) >= threshold) {
    support_.counts[kSupports]++;
    return;
  }
  const int64_t words = bits_.all.size, groups = std::max<int64_t>(1, cells_.groups[depth]);
  support_.counts[kWork] += 8 * (words ? groups * words : data_.n_rows());
  const bool is_last = level >= room_ - 1;
  if (!is_last) {
    partition_.refine(depth, j);
    cells_.state[kLevel] = level + 1;
    is_fitted_ = false;
    cells_.position[level + 1] = at + 1;
    if (!data_.strict) return;
    depth++;
    j = -1;
  }
  if (partition_.bound(depth, j, threshold + 1e-9) >= threshold) {
    support_.counts[kSupports]++;
    support_.counts[kCellPruned]++;
    return;
  }
  const bool is_excluded = without_ && is_last && depth > 0 && is_excluded_without_fit(depth, j, threshold, ends - at >= kMany);
  if (!is_excluded) opens_ = level + 1;
}

// Whether the regression without the last column j excludes a support; if not, it says where the support's own starts.
bool Completions::is_excluded_without_fit(int64_t depth, int64_t j, double threshold, bool pays) {
  for (int64_t q = 0; q < depth; q++) columns_[q] = column(q);
  columns_[depth] = j;
  if (!is_fitted_) {
    is_fitted_ = true;
    pays_ = pays;
    if (pays) {
      base_[0] = partial_.start[1];
      for (int64_t q = 0; q < depth; q++) base_[1 + q] = partial_.start[2 + columns_[q]];
      pays_ = without_->fit(support_, view(columns_), depth, view(base_));
    }
  }
  if (!pays_) return false;
  support_.counts[kWork] += data_.n_rows() * (8 * depth + 20);
  if (without_->excludes(view(columns_), depth, threshold, view(step_))) {
    support_.counts[kSupports]++;
    support_.counts[kFitted]++;
    return true;
  }
  std::fill(fit_.begin(), fit_.end(), 0.0);
  fit_[0] = base_[0] + step_[0];
  for (int64_t q = 0; q <= depth; q++) fit_[1 + columns_[q]] = (q < depth ? base_[1 + q] : 0.0) + step_[1 + q];
  return false;
}

}  // namespace

bool run_completions(const RiskData& data, const Support& support, const Boxes& boxes, const Best& best, const BitSets& bits,
                     const Cells& cells, const PartialSupport& partial, int64_t budget) {
  return Completions(data, support, boxes, best, bits, cells, partial).run(budget);
}

}  // namespace supersparse::log_loss
