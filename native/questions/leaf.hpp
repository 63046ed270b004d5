// The exact loss of a card: its totals are whole numbers, so rows are collected by total and two numbers are fitted.
#pragma once
#include "questions/cells.hpp"

namespace supersparse {

// Cards over the same cells. One question is held apart: rows are collected by its answer and the total of the others, so
// that cards which differ in its points alone do not read the rows again.
class Leaf {
 public:
  Leaf(const Problem& problem, const Cells& cells);
  // The points of all questions, the first held apart; hold another apart.
  void set(const std::vector<Points>& points);
  void hold(int place);
  // The held question keeps these points.
  void take(const Points& points);
  // Fits slope and offset of the card whose held question has these points, from card.slope and card.offset (if it is a
  // number): the infimum of the loss over 0 <= slope <= limit on effects. False where the loss is certainly at least
  // `threshold` (a bound said so, not Newton's own loss).
  bool fit(const Points& points, double threshold, Card& card);

 private:
  double limit_of(int place, const Points& points) const;

  const Problem& problem_;
  const Cells& cells_;
  std::vector<std::vector<double>> share_;  // weight by place and answer
  double cases_ = 0, all_ = 0;
  std::vector<Points> points_;
  std::vector<int> sums_;                   // total of each row
  std::vector<double> limits_;              // on the slope, by place
  int held_ = -1, answers_ = 1, rest_ = 0;  // rest_: the largest total of the others
  std::vector<double> weight_, positive_;   // by answer of the held question and total of the others
  std::vector<double> by_total_, cases_by_total_, line_;
};

// The card that asks nothing.
Card empty_card(const Cells& cells);
// Slope, offset and loss of a card by its points, over the cells of its set.
void fit_card(const Problem& problem, const Cells& cells, Card& card);

}  // namespace supersparse
