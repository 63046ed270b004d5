#include "questions/problem.hpp"

#include <algorithm>
#include <cmath>

namespace supersparse {

bool Question::admits(const Points& points) const {
  bool up = true, down = true;
  for (int value : points)
    if (value < 0 || value > kLargestPoint || !(allowed >> value & 1)) return false;
  const auto [lowest, highest] = std::minmax_element(points.begin(), points.end());
  if (*lowest != 0 || *highest == 0) return false;
  for (int b = 1; b < ordered; b++) {
    up &= points[b] >= points[b - 1];
    down &= points[b] <= points[b - 1];
    if (equal_steps && points[b] - points[b - 1] != points[1] - points[0]) return false;
  }
  if (shape == Shape::up) return up;
  if (shape == Shape::down) return down;
  return shape == Shape::free || up || down;
}

std::vector<Points> Question::all_points(size_t most) const {
  std::vector<Points> found;
  if (std::pow(std::popcount(allowed), answers) > 4e5) return found;
  for (Points points(answers, 0);;) {
    if (admits(points)) {
      if (found.size() == most) return {};
      found.push_back(points);
    }
    int b = 0;
    for (; b < answers; b++) {
      do points[b]++;
      while (points[b] <= largest() && !(allowed >> points[b] & 1));
      if (points[b] <= largest()) break;
      points[b] = 0;
    }
    if (b == answers) return found;
  }
}

int Question::changes(const Points& points) const {
  int count = 0;
  for (int b = 1; b < ordered; b++) count += points[b] != points[b - 1];
  return count;
}

bool Problem::admits_set(const std::vector<int>& set) const {
  const int size = static_cast<int>(set.size());
  if (size < least || size > most) return false;
  for (int j : set)
    if (must_not[j]) return false;
  for (int j = 0; j < count(); j++)
    if (must[j] && !std::binary_search(set.begin(), set.end(), j)) return false;
  for (const Limit& limit : limits) {
    int64_t total = 0;
    for (int j : set) total += limit.weight[j];
    if (total > limit.most) return false;
  }
  return true;
}

double Problem::price(const std::vector<int>& set, const std::vector<Points>& points) const {
  double total = 0;
  for (size_t place = 0; place < set.size(); place++) total += price(set[place], points[place]);
  return total;
}

bool Problem::admits(const Changes& changes) const {
  return (most_questions_changed < 0 || changes.questions <= most_questions_changed) &&
         (most_answers_changed < 0 || changes.answers <= most_answers_changed);
}

Changes Problem::changes_outside(const std::vector<int>& set) const {
  Changes changes;
  for (int j = 0; j < count() && !reference.empty(); j++)
    if (!std::binary_search(set.begin(), set.end(), j))
      changes = changes.with(static_cast<int>(reference[j].size() - std::count(reference[j].begin(), reference[j].end(), 0)));
  return changes;
}

bool Problem::admits_changes(const std::vector<int>& set, const std::vector<Points>& points) const {
  if (reference.empty()) return true;
  Changes changes = changes_outside(set);
  for (size_t place = 0; place < set.size(); place++) {
    int changed = 0;
    for (size_t b = 0; b < points[place].size(); b++) changed += points[place][b] != reference[set[place]][b];
    changes = changes.with(changed);
  }
  return admits(changes);
}

// The slope times the range of a question's points: with mu the least share of rows of an answer, the points' variance is at
// least range^2 mu / 2 (the two ends alone give range^2 x y / (x + y) with shares x, y >= mu), so slope x range <= E
// (2 / mu)^1/2. The offset: were all logits above K, the loss would exceed K times the weight of the class 0, and a card
// that matters has at most the loss of the empty card, log 2 at most for weights that add up to 1.
double Problem::reach() const {
  double widest = 0;
  int answers = 2;
  for (int j = 0; j < count(); j++) {
    std::vector<double> share(questions[j].answers, 0.0);
    for (int i = 0; i < rows; i++) share[answer[j][i]] += weight[i];
    double rarest = 1;
    for (double value : share)
      if (value > 0) rarest = std::min(rarest, value);
    widest = std::max(widest, effect_limit * std::sqrt(2 / rarest));
    answers = std::max(answers, questions[j].answers);
  }
  double positives = 0;
  for (double value : positive) positives += value;
  return most * widest * (answers - 1) + most * widest + 0.7 / std::min(positives, 1 - positives);
}

int Card::largest_total() const {
  int total = 0;
  for (const Points& values : points) total += *std::max_element(values.begin(), values.end());
  return total;
}

bool Card::stands_before(const Card& other) const {
  if (set.size() != other.set.size()) return set.size() < other.set.size();
  if (largest_total() != other.largest_total()) return largest_total() < other.largest_total();
  if (set != other.set) return set < other.set;
  return points < other.points;
}

}  // namespace supersparse
