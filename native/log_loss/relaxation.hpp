// The relaxation of a box of cards, by a barrier method, and what its bound says about single values.
#pragma once
#include "base/array.hpp"

namespace supersparse::log_loss {

// Columns of a table in this order, and the weight of each class in its first n rows.
struct Sample {
  Matrix<double> x;
  Ints columns;
  Floats positive, negative;
  int64_t n;

  int64_t size() const { return columns.size; }
  Floats column(int64_t j) const { return x.row(columns[j]); }
};

// The weights at slope 1, of which at most `room` optional ones are not 0, each for its cost.
struct CardBox {
  Floats low, high;
  Ints optional;
  Floats cost;
  int64_t room;
};

struct SlopeRange {
  bool is_free;
  double low, high;
};

// Whether the bound passed the threshold, the best bound, and the loss at the end.
struct Relaxed {
  bool passed;
  double bound, loss;
};

// Solves the relaxation until its bound passes the threshold or cannot pass it.
//
// Where it cannot, it ends when a step gains less than `haste` of what the loss is below the threshold.
// point = (a, b, beta...) is the start and receives the end. dual receives the tangent's constant and its gradient at
// the best bound; gram the curvature of the loss near the end, with the intercept first. `work` has six rows.
Relaxed relax(const Sample& sample, const CardBox& box, const SlopeRange& slope, double threshold, Floats limits,
              Floats point, Floats dual, Matrix<double> work, Matrix<double> gram, double haste);

}  // namespace supersparse::log_loss
