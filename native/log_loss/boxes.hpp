// All cards on one support: boxes of points, split depth first until each is pruned or one card.
//
// Points are indices into the sorted values of each column. In strict mode a column of the support is not 0, so that
// penalties and limits of supports count in full; otherwise 0 is allowed and covers all smaller supports.
#pragma once
#include "base/array.hpp"
#include "log_loss/loss.hpp"

namespace supersparse::log_loss {

// Bounds a support as a whole; if that does not prune it, puts its box on the stack.
//
// support.columns is set; low and high give the range of each of its k columns. start = (a, b, beta...) receives the
// regression on the support.
void open_support(const RiskData& data, const Support& support, const Boxes& boxes, const Best& best, int64_t k, Ints low,
                  Ints high, Floats start, double loss_floor);

// Splits the open boxes of the support until none is left or the work budget is spent.
//
// Where cards are listed, it also ends when there is no room for another.
void run_boxes(const RiskData& data, const Support& support, const Boxes& boxes, const Best& best, int64_t budget);

}  // namespace supersparse::log_loss
