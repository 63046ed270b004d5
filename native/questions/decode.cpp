// The minorant (minorant.hpp) with the offset eliminated is constant + 1/2 (a f - centre)' G (a f - centre), f the heights
// (points less those of answer 0) and a >= 0 the slope. With G = U'U, U upper triangular, heights are assigned from the last
// coordinate; the assigned rows give A = sum (U f)^2, B = sum (U f)(U centre), C = sum (U centre)^2, and whatever the rest,
// the loss is at least constant + 1/2 (C - max(B, 0)^2 / A): the least over all slopes, in closed form. Squares of rows not
// yet assigned are left out, rules of points and prices only remove cards: the bound holds. 1e-10 is taken off for rounding.
// It holds for cards below the loss that the minorant was made for, which is what is allowed at that time, or more than that
// later. A set without a minorant is enumerated without a bound.
#include "questions/decode.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "questions/minorant.hpp"

namespace supersparse {

Decoder::Decoder(const Problem& problem, const Cells& cells, const Fit& fit, Incumbents& incumbents, Clock& clock,
                 bool use_minorant)
    : problem_(problem), cells_(cells), incumbents_(incumbents), clock_(clock), leaf_(problem, cells),
      size_(fit.layout.size - 1), base_price_(problem.least_price(cells.set)), pull_(size_, 0.0), heights_(size_, 0.0),
      states_(size_ + 1), children_(size_) {
  const size_t k = cells.set.size();
  // Questions whose heights are widest are assigned first.
  std::vector<int> order(k), index;
  std::iota(order.begin(), order.end(), 0);
  const auto width = [&](int place) {
    double widest = 0;
    for (int b = 0; b < fit.layout.heights[place]; b++)
      widest = std::max(widest, std::fabs(fit.heights[fit.layout.first[place] + b]));
    return widest;
  };
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return width(a) < width(b); });
  for (int place : order)
    for (int b = 1; b < cells.answers(problem, place); b++) {
      index.push_back(fit.layout.first[place] + b - 2);
      place_.push_back(place);
      answer_.push_back(b);
    }
  for (size_t place = 0; place < k; place++) values_.emplace_back(cells.answers(problem, static_cast<int>(place)), 0);
  root_.assign(static_cast<size_t>(size_) * size_, 0.0);
  // Every card loses at most what the empty one does (its slope may be 0), so more than that is not needed.
  room_until_ = std::min(incumbents.allowed(base_price_, static_cast<int>(k)), empty_card(cells).loss + 1e-6);
  Vector second_order;
  if (!use_minorant || !fit.converged || !minorant(cells, fit, std::max(room_until_ - fit.loss, 1e-11), second_order)) return;
  const Quadratic model = quadratic_of(fit, second_order);
  Vector factor(root_.size());
  for (int i = 0; i < size_; i++)
    for (int j = 0; j < size_; j++)
      factor[static_cast<size_t>(i) * size_ + j] = model.G[static_cast<size_t>(index[i]) * size_ + index[j]];
  factorize(factor.data(), size_);
  for (int i = 0; i < size_; i++)
    for (int j = i; j < size_; j++) {
      root_[static_cast<size_t>(i) * size_ + j] = factor[static_cast<size_t>(j) * size_ + i];
      pull_[i] += root_[static_cast<size_t>(i) * size_ + j] * model.centre[index[j]];
    }
  constant_ = model.constant - model.residual * fit.extent - 1e-10;
}

bool Decoder::extend(int place, int answer, int height, const State& from, State& to) const {
  const Question& question = problem_.questions[cells_.set[place]];
  to = from;
  if (answer == question.answers - 1) to = State{question.allowed, true, true};
  to.anchors &= height >= 0 ? question.allowed >> height : question.allowed << -height;
  if (!to.anchors) return false;
  if (answer < question.ordered) {
    const bool last = answer == question.ordered - 1;
    const int next = last ? height : values_[place][answer + 1];
    to.up = to.up && height <= next && height >= 0;
    to.down = to.down && height >= next && height <= 0;
    if (question.shape == Shape::up && !to.up) return false;
    if (question.shape == Shape::down && !to.down) return false;
    if (question.shape == Shape::either && !to.up && !to.down) return false;
    if (question.equal_steps) {
      const int top = question.ordered - 1;
      if (last ? height % top != 0 : height * top != values_[place][top] * answer) return false;
    }
  }
  if (answer > 1) return true;
  int lowest = std::min(0, height);
  bool any = height != 0;
  for (int b = 2; b < question.answers; b++) {
    lowest = std::min(lowest, values_[place][b]);
    any |= values_[place][b] != 0;
  }
  return any && (to.anchors >> -lowest & 1);
}

// What changes of points cost beyond the least of the question, as far as its answers from `answer` on are known.
double Decoder::price_with(int place, int answer, int height) const {
  if (problem_.change_price == 0) return 0;
  const Question& question = problem_.questions[cells_.set[place]];
  int changes = 0, last = height;
  for (int b = answer + 1; b < question.ordered; b++) {
    changes += values_[place][b] != last;
    last = values_[place][b];
  }
  if (answer < question.ordered) changes += height != 0;  // somewhere between it and answer 0
  return problem_.change_price * std::max(0, changes - question.least_changes());
}

// What a question changes of the reference at least, as far as its answers from `answer` on are known: over all points that
// its answer 0 may have.
int Decoder::changes_with(int place, int answer, int height, uint64_t anchors) const {
  const Points& given = problem_.reference[cells_.set[place]];
  const std::vector<int>& heights = values_[place];
  int least = static_cast<int>(given.size());
  for (int anchor = 0; anchor <= kLargestPoint; anchor++) {
    if (!(anchors >> anchor & 1)) continue;
    int changed = (anchor != given[0]) + (anchor + height != given[answer]), lowest = std::min(anchor, anchor + height);
    for (size_t b = answer + 1; b < given.size(); b++) {
      changed += anchor + heights[b] != given[b];
      lowest = std::min(lowest, anchor + heights[b]);
    }
    if (answer > 1 || lowest == 0) least = std::min(least, changed);
  }
  return least;
}

// The heights of coordinate k that rules and bound leave, the least bound first.
const std::vector<Decoder::Child>& Decoder::children(int k, const Sums& sums) {
  const int place = place_[k], answer = answer_[k];
  const Question& question = problem_.questions[cells_.set[place]];
  const double* row = &root_[static_cast<size_t>(k) * size_];
  double base = 0;
  for (int l = k + 1; l < size_; l++) base += row[l] * heights_[l];
  int low = -question.largest(), high = question.largest();
  if (answer < question.ordered && question.shape != Shape::free) {
    if (question.shape == Shape::up) low = 0;
    if (question.shape == Shape::down) high = 0;
    if (answer < question.ordered - 1) {
      const int next = values_[place][answer + 1];
      low = std::max(low, std::min(0, next));
      high = std::min(high, std::max(0, next));
    }
  }
  const double target = pull_[k];
  std::vector<Child>& out = children_[k];
  out.clear();
  for (int height = low; height <= high; height++) {
    const double y = base + row[k] * height, extra = price_with(place, answer, height);
    Child child{0, height, {}, {sums.square + y * y, sums.product + y * target, sums.fixed + target * target, sums.price, sums.changes}};
    const double bound = constant_ + 0.5 * child.sums.least();
    if (bound >= limit(sums.price + extra) || !extend(place, answer, height, states_[k + 1], child.state)) continue;
    if (!problem_.reference.empty()) {
      const Changes changes = sums.changes.with(changes_with(place, answer, height, child.state.anchors));
      if (!problem_.admits(changes)) continue;
      if (answer == 1) child.sums.changes = changes;
    }
    child.bound = bound + extra;
    if (answer == 1) child.sums.price += extra;
    out.push_back(child);
  }
  std::sort(out.begin(), out.end(), [](const Child& a, const Child& b) {
    return a.bound != b.bound ? a.bound < b.bound : a.height < b.height;
  });
  return out;
}

void Decoder::assign(int k, const Child& child) {
  states_[k] = child.state;
  values_[place_[k]][answer_[k]] = child.height;
  heights_[k] = child.height;
}

void Decoder::leaf(const Sums& sums) {
  leaves_++;
  Card card{cells_.set, {}, sums.slope(), std::nan("")};
  for (const Points& heights : values_) card.points.push_back(points_of(heights));
  clock_.spend(int64_t{cells_.rows} * static_cast<int64_t>(card.set.size() + 1));
  leaf_.set(card.points);
  const double threshold = limit(problem_.price(card.set, card.points));
  if (leaf_.fit(card.points[0], threshold, card)) incumbents_.offer(std::move(card));
}

void Decoder::descend(int k, const Sums& sums) {
  if (k < 0) return leaf(sums);
  nodes_++;
  spent_++;
  if ((spent_ & 255) == 0) clock_.spend(256 * 64);
  for (const Child& child : children(k, sums)) {
    if (child.bound >= limit(sums.price)) break;
    if (spent_ >= budget_ || clock_.stopped()) {
      Part part{part_->bound, part_->most, true, part_->included, {}, {}};
      for (int l = size_ - 1; l > k; l--) part.prefix.push_back(values_[place_[l]][answer_[l]]);
      part.prefix.push_back(child.height);
      const double loss = std::min(child.bound, room_until_);
      part.bound = std::max(part.bound, incumbents_.objective_of(loss, sums.price));
      (*leave_)(std::move(part));
      continue;
    }
    assign(k, child);
    descend(k - 1, child.sums);
  }
}

void Decoder::run(const Part& part, int64_t budget, const ColumnSearch::Parts& leave) {
  part_ = &part;
  leave_ = &leave;
  budget_ = budget;
  spent_ = nodes_ = leaves_ = 0;
  Sums sums{0, 0, 0, base_price_, problem_.changes_outside(cells_.set)};
  int k = size_ - 1;
  for (int height : part.prefix) {
    if (k < 0) return;
    const std::vector<Child>& ahead = children(k, sums);
    const auto child = std::find_if(ahead.begin(), ahead.end(), [&](const Child& each) { return each.height == height; });
    if (child == ahead.end()) return;  // not a height of this question, or nothing with it matters any more
    assign(k--, *child);
    sums = child->sums;
  }
  descend(k, sums);
}

}  // namespace supersparse
