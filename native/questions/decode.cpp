// The minorant (minorant.hpp) with the offset eliminated is constant + 1/2 (a f - centre)' G (a f - centre), f the heights
// (points less those of answer 0) and a >= 0 the slope. With G = U'U, U upper triangular, heights are assigned from the last
// coordinate; the assigned rows give A = sum (U f)^2, B = sum (U f)(U centre), C = sum (U centre)^2, and whatever the rest,
// the loss is at least constant + 1/2 (C - max(B, 0)^2 / A): the least over all slopes, in closed form. Squares of rows not
// yet assigned are left out, rules of points and prices only remove cards: the bound holds. 1e-10 is taken off for rounding.
// It holds for cards below the loss that the minorant was made for, which is what is allowed at that time, or more than that
// later. A set without a minorant is enumerated without a bound.
#include "questions/decode.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "questions/minorant.hpp"

namespace supersparse {

Decoder::Decoder(const Problem& problem, const Cells& cells, const Fit& fit, Incumbents& incumbents, Clock& clock,
                 bool use_minorant)
    : problem_(problem), cells_(cells), fit_(fit), incumbents_(incumbents), clock_(clock), leaf_(problem, cells),
      use_minorant_(use_minorant) {}

bool Decoder::prepare() {
  const size_t k = cells_.set.size();
  size_ = fit_.layout.size - 1;
  base_price_ = problem_.least_price(cells_.set);
  // Questions whose heights are widest are assigned first.
  std::vector<int> order(k);
  std::iota(order.begin(), order.end(), 0);
  auto width = [&](int place) {
    double widest = 0;
    for (int b = 0; b < fit_.layout.heights[place]; b++)
      widest = std::max(widest, std::fabs(fit_.heights[fit_.layout.first[place] + b]));
    return widest;
  };
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return width(a) < width(b); });
  std::vector<int> index;
  place_.clear();
  answer_.clear();
  values_.clear();
  for (int place : order)
    for (int b = 1; b < cells_.answers(problem_, place); b++) {
      index.push_back(fit_.layout.first[place] + b - 2);
      place_.push_back(place);
      answer_.push_back(b);
    }
  for (size_t place = 0; place < k; place++) values_.emplace_back(cells_.answers(problem_, static_cast<int>(place)), 0);
  states_.assign(size_ + 1, State());
  heights_.assign(size_, 0.0);
  root_.assign(static_cast<size_t>(size_) * size_, 0.0);
  pull_.assign(size_, 0.0);
  constant_ = 0;
  room_until_ = incumbents_.allowed(base_price_, static_cast<int>(k));
  // Every card loses at most what the empty one does (its slope may be 0), so more than that is not needed.
  double cases = 0;
  for (double value : cells_.positive) cases += value;
  const double empty = -cases * std::log(cases) - (1 - cases) * std::log1p(-cases);
  room_until_ = std::min(room_until_, empty + 1e-6);
  Vector second_order;
  const double room = std::max(room_until_ - fit_.loss, 1e-11);
  if (!use_minorant_ || !fit_.converged || !minorant(cells_, fit_, room, second_order)) return false;
  const Quadratic model = quadratic_of(fit_, second_order);
  Vector factor(root_.size());
  for (int i = 0; i < size_; i++)
    for (int j = 0; j < size_; j++)
      factor[static_cast<size_t>(i) * size_ + j] = model.G[static_cast<size_t>(index[i]) * size_ + index[j]];
  factorize(factor.data(), size_);
  for (int i = 0; i < size_; i++)
    for (int j = 0; j <= i; j++) root_[static_cast<size_t>(j) * size_ + i] = factor[static_cast<size_t>(i) * size_ + j];
  for (int i = 0; i < size_; i++)
    for (int j = i; j < size_; j++) pull_[i] += root_[static_cast<size_t>(i) * size_ + j] * model.centre[index[j]];
  constant_ = model.constant - model.residual * fit_.extent - 1e-10;
  return true;
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

double Decoder::limit(double price) const { return incumbents_.allowed(price, static_cast<int>(cells_.set.size())); }

void Decoder::children(int k, double square, double product, double fixed, double price, std::vector<Child>& out) {
  const int place = place_[k], answer = answer_[k];
  const Question& question = problem_.questions[cells_.set[place]];
  const double* row = &root_[static_cast<size_t>(k) * size_];
  double base = 0;
  for (int l = k + 1; l < size_; l++) base += row[l] * heights_[l];
  const int largest = 63 - std::countl_zero(question.allowed);
  int low = -largest, high = largest;
  if (answer < question.ordered && question.shape != Shape::free) {
    if (question.shape == Shape::up) low = 0;
    if (question.shape == Shape::down) high = 0;
    if (answer < question.ordered - 1) {
      const int next = values_[place][answer + 1];
      low = std::max(low, std::min(0, next));
      high = std::min(high, std::max(0, next));
    }
  }
  const double target = pull_[k], known = fixed + target * target;
  out.clear();
  State state;
  for (int height = low; height <= high; height++) {
    const double y = base + row[k] * height;
    const double A = square + y * y, B = product + y * target;
    const double bound = constant_ + 0.5 * (known - (B > 0 && A > 0 ? B * B / A : 0));
    const double extra = price_with(place, answer, height);
    if (bound >= limit(price + extra) || !extend(place, answer, height, states_[k + 1], state)) continue;
    out.push_back({bound + extra, height});
  }
  std::stable_sort(out.begin(), out.end(), [](const Child& a, const Child& b) { return a.bound < b.bound; });
}

void Decoder::leaf(double slope) {
  leaves_++;
  Card card;
  card.set = cells_.set;
  double price = 0;
  for (size_t place = 0; place < values_.size(); place++) {
    const int lowest = *std::min_element(values_[place].begin(), values_[place].end());
    Points points;
    for (int height : values_[place]) points.push_back(height - lowest);
    price += problem_.price(card.set[place], points);
    card.points.push_back(std::move(points));
  }
  clock_.spend(int64_t{cells_.rows} * static_cast<int64_t>(card.set.size() + 1));
  card.slope = slope;
  card.offset = std::nan("");
  leaf_.set(card.points);
  leaf_.hold(0);
  if (leaf_.fit(card.points[0], limit(price), card)) incumbents_.offer(std::move(card));
}

void Decoder::descend(int k, double square, double product, double fixed, double price) {
  if (k < 0) return leaf(square > 0 && product > 0 ? product / square : 0);
  nodes_++;
  spent_++;
  if ((spent_ & 255) == 0) clock_.spend(256 * 64);
  std::vector<Child> ahead;
  children(k, square, product, fixed, price, ahead);
  const int place = place_[k], answer = answer_[k];
  const double* row = &root_[static_cast<size_t>(k) * size_];
  const double target = pull_[k], known = fixed + target * target;
  double base = 0;
  for (int l = k + 1; l < size_; l++) base += row[l] * heights_[l];
  for (const Child& child : ahead) {
    if (child.bound >= limit(price)) break;
    if (spent_ >= budget_ || clock_.stopped()) {
      Part part;
      part.decoding = true;
      part.most = part_->most;
      part.included = part_->included;
      for (int l = size_ - 1; l > k; l--) part.prefix.push_back(values_[place_[l]][answer_[l]]);
      part.prefix.push_back(child.height);
      const double loss = std::min(child.bound, room_until_);
      part.bound = std::max(part_->bound, incumbents_.objective_of(loss, price));
      (*leave_)(std::move(part));
      continue;
    }
    extend(place, answer, child.height, states_[k + 1], states_[k]);
    values_[place][answer] = child.height;
    heights_[k] = child.height;
    const double y = base + row[k] * child.height;
    descend(k - 1, square + y * y, product + y * target, known,
            answer == 1 ? price + price_with(place, answer, child.height) : price);
    values_[place][answer] = 0;
    heights_[k] = 0;
  }
}

void Decoder::run(const Part& part, int64_t budget, const ColumnSearch::Parts& leave) {
  part_ = &part;
  leave_ = &leave;
  budget_ = budget;
  spent_ = 0;
  prepare();
  double square = 0, product = 0, fixed = 0, price = base_price_;
  int k = size_ - 1;
  for (int height : part.prefix) {
    if (k < 0) return;
    const int place = place_[k], answer = answer_[k];
    if (!extend(place, answer, height, states_[k + 1], states_[k])) return;
    values_[place][answer] = height;
    heights_[k] = height;
    double y = 0;
    for (int l = k; l < size_; l++) y += root_[static_cast<size_t>(k) * size_ + l] * heights_[l];
    square += y * y;
    product += y * pull_[k];
    fixed += pull_[k] * pull_[k];
    if (answer == 1) price += price_with(place, answer, height);
    k--;
  }
  descend(k, square, product, fixed, price);
}

std::vector<Points> Decoder::shapes(const Question& question, size_t most) {
  // The decoder's own rule of a question, on a problem that has no other.
  Problem alone;
  alone.questions.push_back(question);
  std::vector<Points> found;
  Points points(question.answers, 0);
  const int largest = 63 - std::countl_zero(question.allowed);
  double all = 1;
  for (int b = 0; b < question.answers; b++) all *= std::popcount(question.allowed);
  if (all > 4e5) return found;
  for (;;) {
    if (alone.admits_points(0, points)) {
      Points heights = points;
      for (int& value : heights) value -= points[0];
      found.push_back(std::move(heights));
      if (found.size() > most) return {};
    }
    int b = 0;
    for (; b < question.answers; b++) {
      do points[b]++;
      while (points[b] <= largest && !(question.allowed >> points[b] & 1));
      if (points[b] <= largest) break;
      points[b] = 0;
    }
    if (b == question.answers) return found;
  }
}

}  // namespace supersparse
