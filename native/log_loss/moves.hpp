// Local search over cards: change a point, add a feature, swap two; the best by their estimate are tried.
//
// The estimate is a quadratic model of the loss at the card's own fit, least over slope and intercept. It knows how far
// the points of a column move the totals, which a regression coefficient does not: where columns differ in scale, the best
// supports by regression need points that do not exist.
#pragma once
#include "log_loss/search.hpp"

namespace supersparse::log_loss {

// Improve a card as far as asked, and return its loss and penalty.
// It is calibrated; then, with `few` of the best changes tried each time, points change and features are added until that
// does not help; then, with `tries`, features are swapped and all points chosen again, and the best card receives it if it
// is better. Where swaps have started from before, it ends.
double improve(const RiskData& data, const Support& support, const Best& best, const SwapRecord& settled, Ints low, Ints high,
               int64_t most, Ints index, int64_t few, int64_t tries);

}  // namespace supersparse::log_loss
