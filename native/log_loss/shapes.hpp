// The points of a card on its own features, all chosen again by a quadratic model of the loss.
//
// At a point (beta, b) the loss is about f + g d + d H d / 2. Least over the intercept and the slope, that is a function
// of the points alone, and changing one or two of them costs a few operations. So roundings at many slopes are improved by
// single changes, the best of them by pairs of changes; the best by the model are calibrated.
#pragma once
#include <vector>

#include "log_loss/loss.hpp"

namespace supersparse::log_loss {

// The best points of a support by the model, best first.
struct Shapes {
  Shapes(int64_t room, int64_t columns) : estimate(room), points(room * columns), width(columns) {}

  Ints index(int64_t c) { return {points.data() + c * width, width}; }

  std::vector<double> estimate;
  int64_t count = 0;

 private:
  std::vector<int64_t> points;
  int64_t width;
};

// Slopes at which a column of points j rounds to its largest and to its fewest points.
struct SlopeRange {
  double least = 0, most = 0;
  void take(const RiskData& data, int64_t j, int64_t low, int64_t high, double beta);
};

// The value of column j in its range that is nearest to `wanted`, as an index.
int64_t nearest_value(const RiskData& data, int64_t j, int64_t low, int64_t high, double wanted);

// Find the best points for the support at hand by the model at (beta, b), if it promises `enough`.
void shape(const RiskData& data, const Support& support, Ints low, Ints high, Floats beta, double b, double enough, Shapes& shapes);

}  // namespace supersparse::log_loss
