#include "log_loss/boxes.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "log_loss/bound.hpp"
#include "log_loss/cards.hpp"
#include "log_loss/cone.hpp"
#include "log_loss/relaxation.hpp"

namespace supersparse::log_loss {
namespace {

constexpr double kMostBoxes = 150;   // looked at with one quadratic before a new one is made
constexpr double kAccuracy = 1e-7;   // gain of a step at which the relaxation of a box that cannot be pruned ends
constexpr double kNear = 1e-4;       // roundings are calibrated if they are estimated to come this near to the best card

// Leaves out 0 at an end of a range in strict mode; false if nothing is left.
bool trim(const RiskData& data, int64_t j, int64_t& low, int64_t& high) {
  if (data.strict) {
    if (low == data.zero[j]) low++;
    if (high == data.zero[j]) high--;
  }
  return low <= high;
}

// The least penalty in a box, where 0 itself does not count in strict mode; infinite if no card in it obeys the limits.
double box_penalty(const RiskData& data, const Support& support, Ints low, Ints high, int64_t k) {
  double total = 0;
  for (int64_t limit = -1; limit < data.most.size; limit++) {
    double least = 0;
    for (int64_t q = 0; q < k; q++) {
      const int64_t j = support.columns[q];
      double smallest = kInfinity;
      for (int64_t v = low[q]; v <= high[q]; v++)
        if (!(data.strict && v == data.zero[j]))
          smallest = std::min(smallest, limit < 0 ? data.penalty(j, v) : data.tables(limit, j, v));
      least += smallest;
    }
    if (limit < 0)
      total = least;
    else if (least > data.most[limit])
      return kInfinity;
  }
  return total;
}

// The largest slope of any card in a box, other than the empty card.
double largest_slope(const RiskData& data, Ints columns, Ints low, Ints high, int64_t k) {
  double least = kInfinity, most = 0;
  for (int64_t q = 0; q < k; q++) {
    const int64_t j = columns[q];
    double smallest = kInfinity;
    for (int64_t v = low[q]; v <= high[q]; v++)
      if (v != data.zero[j]) smallest = std::min(smallest, std::fabs(data.values(j, v)));
    if (smallest == kInfinity) continue;
    const double slope = data.cap[j] / smallest;
    most = std::max(most, slope);
    if (data.strict || low[q] > data.zero[j] || high[q] < data.zero[j]) least = std::min(least, slope);
  }
  return std::min(least, most);
}

// The nearest allowed value in a range, and the largest that is at most `value` but not the last.
std::pair<int64_t, int64_t> nearest(const RiskData& data, int64_t j, int64_t low, int64_t high, double value) {
  int64_t at = low;
  while (at < high - 1 && data.values(j, at + 1) <= value) at++;
  const bool above = at < high && std::fabs(data.values(j, at + 1) - value) < std::fabs(data.values(j, at) - value);
  return {above ? at + 1 : at, at};
}

// The loss of a card by the expansion of the loss, at its best slope and intercept.
double estimate(const RiskData& data, const Support& support, Ints index, int64_t k, Matrix<double> model) {
  const auto weight = [&](int64_t q) {
    return data.values(support.columns[q], index[q]) * data.scale[support.columns[q]];
  };
  double linear = 0, square = 0;
  for (int64_t q = 0; q < k; q++) {
    const double c = weight(q);
    linear += model(q, 0) * c;
    for (int64_t other = 0; other < k; other++) {
      const int64_t i = support.columns[other];
      square += c * model(q, 1 + other) * data.values(i, index[other]) * data.scale[i];
    }
  }
  if (!data.slope_is_free) return model(k, 0) + linear + 0.5 * square;
  return linear >= 0 || square <= 0 ? model(k, 0) : model(k, 0) - 0.5 * linear * linear / square;
}

// The search at hand: one box at a time is taken from the stack, and pruned or split.
class Boxed {
 public:
  Boxed(const RiskData& data, const Support& support, const Boxes& boxes, const Best& best);
  void look_at_next();

 private:
  void push(int64_t q, int64_t first, int64_t last);
  void set_ranges();
  bool is_pruned_by_quadratic();
  bool is_pruned_by_relaxation();
  bool is_empty_after_tightening();
  void round_and_choose();
  void split();
  Cube<double> quadratic(int64_t at) const { return boxes_.quadratics.cube(at); }
  Matrix<double> expansion(int64_t at) const { return quadratic(at).layer(kExpansion); }

  const RiskData& data_;
  const Support& support_;
  const Boxes& boxes_;
  const Best& best_;
  const int64_t k_, n_, last_;  // columns, rows; the last quadratic but one: the last one is never kept
  Sample sample_;
  ConeSearch cone_search_;
  std::vector<int64_t> own_ints_;
  std::vector<double> own_floats_, own_gram_;
  Ints low_, high_, index_, optional_;
  Floats point_, dual_, gradient_, trial_, cost_;
  Matrix<double> gram_;
  Cone cone_;

  // of the box at hand
  int64_t own_ = -1;  // its quadratic
  double penalty_ = 0, threshold_ = 0, bound_ = -kHuge;
  bool is_single_ = false, relaxes_ = true;
  int64_t widest_ = -1, split_ = 0;
};

Boxed::Boxed(const RiskData& data, const Support& support, const Boxes& boxes, const Best& best)
    : data_(data), support_(support), boxes_(boxes), best_(best), k_(support.state[kSize]), n_(support.state[kRows]),
      last_(boxes.quadratics.cubes - 2), own_ints_(4 * k_), own_floats_(7 * k_ + 6), own_gram_((k_ + 1) * (k_ + 1)) {
  sample_ = {support.x, support.order.slice(0, k_), support.positive, support.negative, n_};
  int64_t* ints = own_ints_.data();
  double* floats = own_floats_.data();
  const auto next = [&](int64_t size) {
    floats += size;
    return Floats{floats - size, size};
  };
  low_ = {ints, k_}, high_ = {ints + k_, k_}, index_ = {ints + 2 * k_, k_}, optional_ = {ints + 3 * k_, k_};
  point_ = next(2 + k_), dual_ = next(1 + k_), gradient_ = next(1 + k_), trial_ = next(2 + k_), cost_ = next(k_);
  cone_.low = next(k_), cone_.high = next(k_);
  cone_.slope_is_free = data.slope_is_free != 0;
  gram_ = {own_gram_.data(), k_ + 1, k_ + 1};
}

// Puts the box at hand on the stack, with the range of column q replaced.
void Boxed::push(int64_t q, int64_t first, int64_t last) {
  if (!trim(data_, support_.columns[q], first, last)) return;
  const int64_t depth = support_.state[kDepth]++;
  std::copy_n(low_.data, k_, boxes_.low.row(depth).data);
  std::copy_n(high_.data, k_, boxes_.high.row(depth).data);
  boxes_.low(depth, q) = first, boxes_.high(depth, q) = last;
  std::copy_n(point_.data, 2 + k_, boxes_.points.row(depth).data);
  boxes_.quadratic[depth] = own_;
}

void Boxed::set_ranges() {
  cone_.slope_high = data_.slope_is_free ? largest_slope(data_, support_.columns, low_, high_, k_) : 1.0;
  is_single_ = true;
  for (int64_t q = 0; q < k_; q++) {
    const int64_t j = support_.columns[q];
    is_single_ &= low_[q] == high_[q];
    cone_.low[q] = data_.values(j, low_[q]) * data_.scale[j];
    cone_.high[q] = data_.values(j, high_[q]) * data_.scale[j];
  }
}

void Boxed::look_at_next() {
  const int64_t depth = --support_.state[kDepth];
  support_.counts[kBoxes]++;
  std::copy_n(boxes_.low.row(depth).data, k_, low_.data);
  std::copy_n(boxes_.high.row(depth).data, k_, high_.data);
  std::copy_n(boxes_.points.row(depth).data, 2 + k_, point_.data);
  own_ = boxes_.quadratic[depth];
  penalty_ = box_penalty(data_, support_, low_, high_, k_);
  threshold_ = best_.value[0] - data_.tolerance - penalty_;
  if (threshold_ <= 0) return;
  set_ranges();
  relaxes_ = true;
  if (own_ >= 0 && is_pruned_by_quadratic()) return;
  if (is_single_) {
    support_.counts[kWork] += 40 * n_;
    const double bound = offer(data_, support_, best_, low_, k_, point_, kInfinity, 0);
    if (support_.found.rows == 0 && bound < best_.value[0] - data_.tolerance)
      support_.floor[0] = std::min(support_.floor[0], bound);
    return;
  }
  bound_ = -kHuge;
  if (relaxes_ && is_pruned_by_relaxation()) return;
  round_and_choose();
  if (!data_.slope_is_free && bound_ > -1e299 && is_empty_after_tightening()) return;
  split();
}

bool Boxed::is_pruned_by_quadratic() {
  support_.counts[kWork] += 20 * k_ * k_ * k_;
  const Cube<double> own = quadratic(own_);
  const Matrix<double> expanded = own.layer(kExpansion);
  const bool is_below = own(kBelow, k_, 1) > 0;
  if (is_below) {
    std::copy_n(point_.data, 2 + k_, trial_.data);
    if (cone_search_.least(own.layer(kBelow), cone_, trial_) >= threshold_) return true;
  }
  const double least = cone_search_.least(expanded, cone_, point_);
  if (!is_below) return false;
  expanded(k_, 1) += 1;
  relaxes_ = least >= threshold_ || (expanded(k_, 1) > kMostBoxes && own_ < last_);
  if (least < threshold_) return false;
  support_.counts[kWork] += n_ * (2 * k_ + 12);
  return is_above(sample_, cone_, threshold_, data_.limits, point_, support_.work, gradient_, own);
}

bool Boxed::is_pruned_by_relaxation() {
  support_.counts[kRelaxed]++;
  support_.counts[kWork] += 4 * n_ * (k_ * k_ / 2 + 12);
  const int64_t next = own_ + 1;
  const Relaxed relaxed = relax_box(sample_, cone_, threshold_, data_.limits, kAccuracy, point_, dual_, support_.work,
                                    gradient_, expansion(next));
  if (relaxed.passed) return true;
  bound_ = relaxed.bound;
  if (data_.slope_is_free && point_[0] >= cone_.slope_high) {  // the cap on the slope counts
    const CardBox box{cone_.low, cone_.high, optional_, cost_, 0};
    const Relaxed capped = relax(sample_, box, {true, 0.0, cone_.slope_high}, threshold_, data_.limits, point_, dual_,
                                 support_.work, gram_, 0.0);
    bound_ = capped.bound;
    return capped.passed;
  }
  if (own_ < last_ || relaxed.loss >= threshold_) {
    support_.counts[kWork] += 5 * n_ * (k_ * k_ / 2 + 12);
    const int made = quadratic_below(sample_, cone_, threshold_, data_.limits, point_, relaxed.loss, gradient_,
                                     support_.work, quadratic(next));
    if (made == 2) return true;
    if (own_ < last_) {
      own_ = next;
      expansion(own_)(k_, 1) = 0;
    }
  }
  return false;
}

// Offers the nearest card, and chooses the column to split: that whose rounding weighs most.
void Boxed::round_and_choose() {
  const double a = std::max(point_[0], 1e-12);
  double worst = -1;
  widest_ = -1, split_ = 0;
  for (int64_t q = 0; q < k_; q++) {
    const int64_t j = support_.columns[q];
    const double step = a * data_.scale[j], value = point_[2 + q] / step;
    auto [near, below] = nearest(data_, j, low_[q], high_[q], value);
    index_[q] = near;
    if (low_[q] >= high_[q]) continue;
    double off = std::fabs(data_.values(j, near) - value);
    if (data_.strict && near == data_.zero[j]) {  // 0 is not allowed: how far is the next value?
      off = std::min(std::fabs(data_.values(j, near - 1) - value), std::fabs(data_.values(j, near + 1) - value));
      below = near;
    }
    const double badness = step * (off + 1e-3 * static_cast<double>(high_[q] - low_[q]));
    if (badness > worst) worst = badness, widest_ = q, split_ = below;
  }
  if ((support_.found.rows == 0 || data_.rate_most.rows) &&
      (own_ < 0 || estimate(data_, support_, index_, k_, expansion(own_)) < threshold_ + penalty_ + kNear)) {
    offer(data_, support_, best_, index_, k_, point_, 1e-6, 0);
    threshold_ = best_.value[0] - data_.tolerance - penalty_;
  }
}

bool Boxed::is_empty_after_tightening() {
  if (tighten(data_.values, data_.zero, data_.scale, support_.columns.slice(0, k_), optional_, cost_, dual_, 0, threshold_,
              low_, high_))
    return true;
  bool is_empty = false;
  for (int64_t q = 0; q < k_; q++) is_empty |= !trim(data_, support_.columns[q], low_[q], high_[q]);
  return is_empty;
}

void Boxed::split() {
  const int64_t j = support_.columns[widest_], low = low_[widest_], high = high_[widest_];
  const int64_t at = std::min(std::max(split_, low), high - 1);
  if (low >= high) {  // tightened to one value: look at what is left as it is
    push(widest_, low, high);
    return;
  }
  const double value = point_[2 + widest_] / (std::max(point_[0], 1e-12) * data_.scale[j]);
  const bool is_above_middle = value > 0.5 * (data_.values(j, at) + data_.values(j, at + 1));
  if (is_above_middle) push(widest_, low, at);
  push(widest_, at + 1, high);
  if (!is_above_middle) push(widest_, low, at);
}

}  // namespace

void open_support(const RiskData& data, const Support& support, const Boxes& boxes, const Best& best, int64_t k, Ints low,
                  Ints high, Floats start, double loss_floor) {
  support.counts[kSupports]++;
  support.state[kDepth] = support.state[kLoaded] = 0;
  for (int64_t q = 0; q < k; q++)
    if (!trim(data, support.columns[q], low[q], high[q])) return;
  const double penalty = box_penalty(data, support, low, high, k);
  if (std::max(loss_floor, 0.0) + penalty >= best.value[0] - data.tolerance) return;
  support.state[kSize] = k;
  const int64_t n = support.state[kRows] = merge_rows(data, support, k);
  support.counts[kWork] += n * k;
  std::vector<double> own(2 * k + 1);
  const Floats reach{own.data(), k}, point{own.data() + k, k + 1};
  point[0] = start[1];
  for (int64_t q = 0; q < k; q++) {
    reach[q] = data.reach[support.columns[q]];
    point[1 + q] = std::max(-reach[q], std::min(reach[q], start[2 + q]));
  }
  const double threshold = best.value[0] - data.tolerance - penalty;
  if (!support_may_obey(data, support)) return;
  if (data.slope_is_free || !data.strict) {
    support.counts[kFitted]++;
    support.counts[kWork] += 5 * n * (k * k / 2 + 8);
    bool passed = false;
    for (int attempt = 0; attempt < 2; attempt++) {  // a bad start may take more steps than one call makes
      const auto [now_passed, loss] = fit_support(support.x, support.order, support.positive, support.negative, n, k, reach,
                                                  threshold, data.limits, point, support.work, 1e-3);
      passed = now_passed;
      if (passed || loss < threshold) break;
    }
    std::copy_n(point.data, k + 1, start.data + 1);
    if (passed) return;
  }
  std::copy_n(low.data, k, boxes.low.row(0).data);
  std::copy_n(high.data, k, boxes.high.row(0).data);
  boxes.quadratic[0] = -1;
  double slope = start[0];
  if (data.slope_is_free) {
    slope = 1e-9;
    for (int64_t q = 0; q < k; q++) {
      const int64_t j = support.columns[q];
      const double widest = std::max(std::fabs(data.values(j, low[q])), std::fabs(data.values(j, high[q]))) * data.scale[j];
      if (widest > 0) slope = std::max(slope, 1.3 * std::fabs(point[1 + q]) / widest);
    }
  }
  boxes.points(0, 0) = slope;
  std::copy_n(point.data, k + 1, boxes.points.row(0).data + 1);
  support.state[kDepth] = 1;
}

void run_boxes(const RiskData& data, const Support& support, const Boxes& boxes, const Best& best, int64_t budget) {
  Boxed search(data, support, boxes, best);
  while (support.state[kDepth] > 0 && support.counts[kWork] < budget) {
    if (support.found.rows > 0 && support.state[kFound] >= support.found.rows) return;
    search.look_at_next();
  }
}

}  // namespace supersparse::log_loss
