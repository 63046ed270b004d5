#include "questions/leaf.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/lanes.hpp"
#include "questions/rows.hpp"

namespace supersparse {
namespace {

// Loss and derivatives at slope a and centre b over the totals that occur. They are counted from a pivot near which the
// curvatures decouple (sum h t = 0), so that nothing is lost where they are far from the mean.
//
// The bound of additive.cpp in two dimensions: with c_t what the Newton step moves each logit, all |c_t| <= 1, the infimum
// is at least loss - sum h c^2. It holds for the free optimum, so for that on an interval of slopes as well.
struct Line {
  int n = 0;  // a multiple of eight
  double *total, *weight, *positive;
  double pivot = 0;
  LineSums sums;

  void at(double slope, double& centre) {
    row_loops().line(n, total, weight, positive, slope, centre, &sums);
    for (int round = 0; round < 2 && sums.h > 0; round++) {
      const double shift = sums.ht / sums.h;
      if (!(sums.htt - shift * sums.ht < 1e-3 * sums.htt)) break;
      for (int i = 0; i < n; i++) total[i] -= shift;
      pivot += shift;
      centre += slope * shift;
      row_loops().line(n, total, weight, positive, slope, centre, &sums);
    }
  }

  // The best centre of a slope, where the sum of residuals, which rises, is 0; then the best slope by the same rule.
  void at_best_centre(double slope, double& centre) {
    double low = -1e5, high = 1e5;
    for (int round = 0; round < 90; round++) {
      centre = (low + high) / 2;
      row_loops().line(n, total, weight, positive, slope, centre, &sums);
      (sums.r < 0 ? low : high) = centre;
    }
  }
  void bisect(double limit, double& slope, double& centre) {
    double low = 0, high = limit;
    for (int round = 0; round < 90; round++) {
      at_best_centre(slope = (low + high) / 2, centre);
      (sums.rt < 0 ? low : high) = slope;
    }
  }
};

}  // namespace

Leaf::Leaf(const Problem& problem, const Cells& cells) : problem_(problem), cells_(cells) {
  for (size_t place = 0; place < cells.set.size(); place++) {
    share_.emplace_back(cells.answers(problem, static_cast<int>(place)), 0.0);
    for (int i = 0; i < cells.rows; i++) share_.back()[cells.answer[place][i]] += cells.weight[i];
  }
  for (double value : cells.weight) all_ += value;
  for (double value : cells.positive) cases_ += value;
}

double Leaf::limit_of(int place, const Points& points) const {
  double mean = 0, square = 0;
  for (size_t b = 0; b < points.size(); b++) mean += share_[place][b] * points[b];
  for (size_t b = 0; b < points.size(); b++) square += share_[place][b] * (points[b] - mean) * (points[b] - mean);
  return square > 0 ? problem_.effect_limit / std::sqrt(square) : 1e9;
}

void Leaf::set(const std::vector<Points>& points) {
  points_ = points;
  limits_.clear();
  sums_.assign(cells_.rows, 0);
  for (size_t place = 0; place < points.size(); place++) {
    const int* own = points[place].data();
    const uint8_t* answer = cells_.answer[place].data();
    for (int i = 0; i < cells_.rows; i++) sums_[i] += own[answer[i]];
    limits_.push_back(limit_of(static_cast<int>(place), points[place]));
  }
  hold(0);
}

void Leaf::hold(int place) {
  held_ = place;
  rest_ = 0;
  for (size_t other = 0; other < points_.size(); other++)
    if (static_cast<int>(other) != place) rest_ += *std::max_element(points_[other].begin(), points_[other].end());
  const uint8_t* answer = cells_.answer[place].data();
  answers_ = static_cast<int>(points_[place].size());
  int start[256];
  for (int b = 0; b < answers_; b++) start[b] = b * (rest_ + 1) - points_[place][b];
  weight_.assign(static_cast<size_t>(answers_) * (rest_ + 1), 0.0);
  positive_.assign(weight_.size(), 0.0);
  for (int i = 0; i < cells_.rows; i++) {
    const int slot = start[answer[i]] + sums_[i];
    weight_[slot] += cells_.weight[i];
    positive_[slot] += cells_.positive[i];
  }
}

void Leaf::take(const Points& points) {
  int change[256];
  for (int b = 0; b < answers_; b++) change[b] = points[b] - points_[held_][b];
  const uint8_t* answer = cells_.answer[held_].data();
  for (int i = 0; i < cells_.rows; i++) sums_[i] += change[answer[i]];
  points_[held_] = points;
  limits_[held_] = limit_of(held_, points);
}

bool Leaf::fit(const Points& points, double threshold, Card& card) {
  const int most = rest_ + *std::max_element(points.begin(), points.end());
  by_total_.assign(most + 1, 0.0);
  cases_by_total_.assign(most + 1, 0.0);
  for (int b = 0; b < answers_; b++)
    for (int t = 0; t <= rest_; t++) {
      by_total_[t + points[b]] += weight_[b * (rest_ + 1) + t];
      cases_by_total_[t + points[b]] += positive_[b * (rest_ + 1) + t];
    }
  double limit = limit_of(held_, points);
  for (size_t place = 0; place < limits_.size(); place++)
    if (static_cast<int>(place) != held_) limit = std::min(limit, limits_[place]);
  Line line;
  const int room = most + 1 + kLanes;
  line_.resize(3 * static_cast<size_t>(room));
  line.total = line_.data();
  line.weight = line.total + room;
  line.positive = line.weight + room;
  double mean = 0;
  for (int t = 0; t <= most; t++) {
    if (!(by_total_[t] > 0)) continue;
    line.total[line.n] = t;
    line.weight[line.n] = by_total_[t];
    line.positive[line.n++] = cases_by_total_[t];
    mean += by_total_[t] * t;
  }
  mean /= all_;
  const int last = line.n - 1;
  for (int i = 0; i <= last; i++) line.total[i] -= mean;
  while (line.n % kLanes) {  // copies of the last one with weight 0
    line.total[line.n] = line.total[last];
    line.weight[line.n] = line.positive[line.n] = 0;
    line.n++;
  }
  line.pivot = mean;
  const double empty = std::log(cases_ / (all_ - cases_));
  const double least = -cases_ * std::log(cases_ / all_) - (all_ - cases_) * std::log1p(-cases_ / all_);
  double slope = std::min(std::max(card.slope, 0.0), limit), centre = empty;
  if (!std::isnan(card.offset)) centre = card.offset + slope * mean;
  if (slope > 0) line.at(slope, centre);
  if (!(slope > 0) || !(line.sums.loss <= least)) {
    slope = 0;
    centre = empty;
    line.at(slope, centre);
  }
  bool converged = false;
  for (int round = 0; round < 200; round++) {
    const LineSums now = line.sums;
    if (!(now.h > 0)) break;
    const double shift = now.ht / now.h, by_slope = now.rt - shift * now.r, along = now.htt - shift * now.ht;
    double da = along > 0 ? -by_slope / along : 0, db = -now.r / now.h - shift * da;
    const double farthest = std::max(std::fabs(da * line.total[0] + db), std::fabs(da * line.total[last] + db));
    const double taken = -(by_slope * da - now.r * now.r / now.h);
    if (farthest <= 1 && now.loss - taken - 1e-12 >= threshold) return false;
    double decrement = taken;
    if ((slope <= 0 && by_slope >= 0) || (slope >= limit && by_slope <= 0)) {
      da = 0;
      db = -now.r / now.h;
      decrement = now.r * now.r / now.h;
    }
    converged = decrement < 1e-15;
    if (converged) break;
    const double value = now.loss, from = slope, middle = centre, pivot = line.pivot;
    // Where curvature is nearly gone a whole step leads nowhere: a step that moves no logit by more than 1 lowers the loss.
    double size = std::min(1.0, 8 / farthest);
    bool moved = false;
    for (int halving = 0; halving < 40 && !moved; halving++, size *= 0.5) {
      // A step that leaves the interval of slopes ends on it, with the centre moved as far.
      slope = std::min(std::max(from + size * da, 0.0), limit);
      const double part = da != 0 ? (slope - from) / da : size;
      centre = middle + part * db + slope * (line.pivot - pivot);
      line.at(slope, centre);
      moved = line.sums.loss < value;
    }
    if (moved && value - line.sums.loss >= 1e-17) continue;
    converged = decrement < 1e-11;
    if (!moved) {
      slope = from;
      centre = middle + slope * (line.pivot - pivot);
      line.sums.loss = value;
    }
    break;
  }
  if (!converged) line.bisect(limit, slope, centre);
  card.slope = slope;
  card.offset = centre - slope * line.pivot;
  card.loss = line.sums.loss;
  card.limited = slope >= limit * (1 - 1e-12);
  return true;
}

Card empty_card(const Cells& cells) {
  double cases = 0;
  for (double value : cells.positive) cases += value;
  Card card;
  card.offset = std::log(cases / (1 - cases));
  card.loss = -cases * std::log(cases) - (1 - cases) * std::log1p(-cases);
  return card;
}

void fit_card(const Problem& problem, const Cells& cells, Card& card) {
  const Card empty = empty_card(cells);
  card.slope = 0;
  card.offset = empty.offset;
  card.loss = empty.loss;
  if (card.set.empty()) return;
  Leaf leaf(problem, cells);
  leaf.set(card.points);
  leaf.fit(card.points[0], std::numeric_limits<double>::max(), card);
}

}  // namespace supersparse
