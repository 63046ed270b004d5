// All completions of a partial support, pruned by the entropy of their cells.
#pragma once
#include "base/array.hpp"
#include "log_loss/cells.hpp"
#include "log_loss/loss.hpp"

namespace supersparse::log_loss {

// The used columns of a node, those that may be added to them, how many of these at most, and the range of each column.
// start = (a, b, beta of every column) is where regressions start, loss_floor bounds the loss of all completions, and
// least_cost is the least penalty of each column.
struct PartialSupport {
  Ints used, candidates;
  int64_t room;
  Ints low, high;
  Floats start;
  double loss_floor;
  Floats least_cost;
};

// Goes through the completions until all are done, which it returns, or the work reaches the budget.
//
// Where 0 points are allowed in a support, only completions of full size are tried, since they contain the smaller ones.
bool run_completions(const RiskData& data, const Support& support, const Boxes& boxes, const Best& best, const BitSets& bits,
                     const Cells& cells, const PartialSupport& partial, int64_t budget);

}  // namespace supersparse::log_loss
