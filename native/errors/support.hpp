// One signed support as the boxes read it: its rows as cells, and one coefficient vector on it.
//
// Rows are merged on a prefix of features, level by level: a child needs one pass where its parent is known.
#pragma once
#include "errors/lines.hpp"
#include "errors/tree_data.hpp"

namespace supersparse::errors {

// Limits on wrong rows, summed over cells, and the cells' losses before prices.
struct CellRates {
  Ints true_positive, true_negative;
  Matrix<int64_t> positive;  // (limits, cells): what a limit counts when the cell is scored <= 0
  Matrix<int64_t> negative;  // when it is scored >= 0
  Ints most;
};

// One support as the boxes read it.
struct SupportData {
  Matrix<int64_t> up_x;    // (net positive cells, k)
  Matrix<int64_t> down_x;  // (net negative cells, k)
  Ints up_weight, down_weight;
  Matrix<int64_t> cell_x;  // (cells, k)
  Ints positive, negative;
  Ints first;              // magnitude i of a coefficient is first + stride i ...
  Ints stride;
  Matrix<int64_t> table;   // ... or, where the stride is 0, the i-th of its row here
  Floats spread;
  int64_t step, slack;
  int64_t judged;      // 1 where limits exist that only the evaluator knows: what survives is handed over to it
  int64_t half;        // 1 where b stands for b + 1/2, so that no score is 0
  int64_t base_loss;   // no model on the support avoids it: the smaller weight of each cell
  int64_t fixed_cost;  // base loss, shift, and the least penalties of all features and b, without C1
  int64_t shift;       // what prices on rates add to every loss
  int64_t l1_penalty;  // C1: the penalty of one unit of magnitude
  int64_t is_flat;     // 1 when no penalty depends on the value, without C1
  Matrix<int64_t> magnitude_extra;  // (k, widest): the penalty of each magnitude beyond the least; not read when flat
  Ints intercept_extra;             // the penalty of each b beyond the least
  Matrix<int64_t> score_rate;       // (limits on the largest score, k)
  Ints score_most;
  CellRates rates;
  int64_t intercept_low, intercept_high;  // bounds of b where it is not restricted to a list
  Ints intercepts;                        // allowed b, sorted; empty when b is free
  int64_t counts_b;                       // 1 when |b| is part of l1

  int64_t width() const { return first.size; }
  int64_t magnitude(int64_t f, int64_t index) const {
    return stride[f] ? first[f] + stride[f] * index : table(f, index);
  }
};

// Merges the rows on these features; gives the level of `state.cell` that holds the result.
int64_t cells_of(const Rows& rows, const SliceState& state, Ints features);

// The base loss on the features of a level and one more: what no model on them avoids. 0, which is always true, where
// there are too many possible cells for a table.
int64_t base_loss_with(const Rows& rows, const SliceState& state, int64_t level, int64_t feature);

// One coefficient vector at its best allowed b; the loss includes b's extra penalty, and counts both weights of every
// cell, the base loss included. `b_low` and `b_high` index the restricted intercepts, if any.
LossAt evaluate_vector(const SupportData& data, Ints vector, int64_t b_low, int64_t b_high);

// `evaluate_vector` with the true weights, over those b that obey every limit on wrong rows.
LossAt evaluate_within_rates(const SupportData& data, Ints vector, int64_t b_low, int64_t b_high);

// Numbers the rows so that rows equal on the support share a number; gives how many numbers there are.
int64_t group_rows(Matrix<int32_t> ranks, Ints n_ranks, Ints support, Ints cell);

// Sums both weights over each cell, and names one row of each.
template <class Cell>
void cell_weights(Array<Cell> cell, Ints positive, Ints negative, Ints up, Ints down, Ints row) {
  for (int64_t i = 0; i < cell.size; i++) {
    up[cell[i]] += positive[i];
    down[cell[i]] += negative[i];
    row[cell[i]] = i;
  }
}

// The cells whose first weight is larger: their x, one row after another, and by how much.
struct NetCells {
  std::vector<int64_t> x, weight;
};
NetCells net_cells(Matrix<int64_t> x, Ints heavy, Ints light);

// The weighted standard deviation of each column; a guide for splitting, not part of a bound.
std::vector<double> spreads(Matrix<int64_t> x, Ints weight);

}  // namespace supersparse::errors
