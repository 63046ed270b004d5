// The exact loss of a card: its totals are whole numbers, so rows are collected by total and two numbers are fitted.
#pragma once
#include "questions/cells.hpp"

namespace supersparse {

// Fits slope and offset of a card over its cells, from card.slope: the infimum of the loss over 0 <= slope <= limit on effects.
// Returns false where the loss is certainly at least `threshold` (a bound said so, not Newton's own loss).
bool fit_card(const Problem& problem, const Cells& cells, const std::vector<Points>& points, double threshold, Card& card);

}  // namespace supersparse
