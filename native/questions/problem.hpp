// What is asked: rows with answers to questions and soft labels; which points, questions and cards are allowed; a card.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

namespace supersparse {

enum class Shape : int32_t { free = 0, up = 1, down = 2, either = 3 };

constexpr int kLargestPoint = 63;  // allowed points are the bits of one word

using Points = std::vector<int>;  // of one question, by answer; the smallest is 0

// Heights over any answer as points.
inline Points points_of(Points heights) {
  const int lowest = *std::min_element(heights.begin(), heights.end());
  for (int& value : heights) value -= lowest;
  return heights;
}

struct Question {
  int answers = 0;   // 0 .. answers - 1
  int ordered = 0;   // the first `ordered` of them stand in order; the rest (not known) are outside it
  Shape shape = Shape::either;
  bool equal_steps = false;
  uint64_t allowed = 1;  // bit v: an answer may have v points; bit 0 is always set
  double price = 0;

  bool same_rules(const Question& other) const {
    return answers == other.answers && ordered == other.ordered && shape == other.shape && equal_steps == other.equal_steps &&
           allowed == other.allowed;
  }
  int largest() const { return 63 - std::countl_zero(allowed); }
  // Whether points are allowed, once the question is asked; all that are, or none if they are more than `most`.
  bool admits(const Points& points) const;
  std::vector<Points> all_points(size_t most) const;
  // Changes of points along the order; the least number of them where the question is asked.
  int changes(const Points& points) const;
  int least_changes() const { return ordered == answers ? 1 : 0; }
};

// The weights of the questions asked add up to at most `most`: groups, conditions, budgets, least numbers.
struct Limit {
  std::vector<int64_t> weight;
  int64_t most;
};

// How many questions, and answers, have other points than on a given card.
struct Changes {
  int questions = 0, answers = 0;
  Changes with(int changed) const { return {questions + (changed > 0), answers + changed}; }
};

struct Problem {
  int rows = 0;  // a multiple of eight; padding has weight 0
  std::vector<Question> questions;
  std::vector<std::vector<uint8_t>> answer;   // by question and row
  std::vector<double> weight, positive;       // loss of a row at logit s: weight softplus(s) - positive s; weights add up to 1
  int least = 0, most = 0;                    // questions on a card
  double change_price = 0;
  double effect_limit = 30;                   // slope times standard deviation of a question's points
  std::vector<char> must, must_not;           // by question
  std::vector<Limit> limits;
  std::vector<Points> reference;              // a given card, by question (all 0 where it does not ask); empty: none
  int most_questions_changed = -1, most_answers_changed = -1;  // against the reference; -1: any

  int count() const { return static_cast<int>(questions.size()); }
  // The least that a card pays for asking question j.
  double least_price(int j) const { return questions[j].price + change_price * questions[j].least_changes(); }
  double least_price(const std::vector<int>& set) const {
    double total = 0;
    for (int j : set) total += least_price(j);
    return total;
  }
  // Whether a card may ask exactly these questions (ascending).
  bool admits_set(const std::vector<int>& set) const;
  // What points cost, of question j and of a card: prices of questions and of changes.
  double price(int j, const Points& points) const { return questions[j].price + change_price * questions[j].changes(points); }
  double price(const std::vector<int>& set, const std::vector<Points>& points) const;
  // Whether so many changes of the reference are allowed, and those of a card; those of the questions outside a set.
  bool admits(const Changes& changes) const;
  bool admits_changes(const std::vector<int>& set, const std::vector<Points>& points) const;
  Changes changes_outside(const std::vector<int>& set) const;
  // A bound on sum |beta_b| over the offset and the heights of any allowed card: what a residual of 1 in every margin costs.
  double reach() const;
};

struct Card {
  std::vector<int> set;         // ascending
  std::vector<Points> points;   // of the questions of `set`
  double slope = 0, offset = 0, loss = 0, objective = 0;
  bool limited = false;         // the limit on effects binds

  int largest_total() const;
  // Of cards with the same objective: fewer questions, smaller largest total, order of the columns, then of the points.
  bool stands_before(const Card& other) const;
};

}  // namespace supersparse
