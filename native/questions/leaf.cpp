#include "questions/leaf.hpp"

#include <algorithm>
#include <cmath>

namespace supersparse {
namespace {

double softplus(double s) { return std::max(s, 0.0) + std::log1p(std::exp(-std::fabs(s))); }

struct Totals {
  std::vector<double> weight, positive, total;  // totals that occur, less their mean

  double loss(double slope, double centre) const {
    double value = 0;
    for (size_t t = 0; t < total.size(); t++) {
      const double s = slope * total[t] + centre;
      value += weight[t] * softplus(s) - positive[t] * s;
    }
    return value;
  }
};

// The bound of additive.cpp in two dimensions: with c_t what the Newton step moves each logit, all |c_t| <= 1, the infimum
// is at least loss - sum h c^2. It holds for the free optimum, so for that on an interval of slopes as well.
struct Slopes {
  double by_slope = 0, by_centre = 0, pivot = 0, across = 0, along = 0;  // around the pivot, where the curvatures decouple

  Slopes(const Totals& totals, double slope, double centre) {
    thread_local std::vector<double> residual, curvature;
    residual.clear();
    curvature.clear();
    for (size_t t = 0; t < totals.total.size(); t++) {
      const double s = slope * totals.total[t] + centre, e = std::exp(-std::fabs(s));
      const double sigma = s >= 0 ? 1 / (1 + e) : e / (1 + e);
      residual.push_back(totals.weight[t] * sigma - totals.positive[t]);
      curvature.push_back(totals.weight[t] * e / ((1 + e) * (1 + e)));
      by_centre += residual.back();
      across += curvature.back();
      pivot += curvature.back() * totals.total[t];
    }
    pivot /= across;
    for (size_t t = 0; t < totals.total.size(); t++) {
      const double x = totals.total[t] - pivot;
      by_slope += residual[t] * x;
      along += curvature[t] * x * x;
    }
  }
};

}  // namespace

bool fit_card(const Problem& problem, const Cells& cells, const std::vector<Points>& points, double threshold, Card& card) {
  const int n = cells.rows;
  thread_local std::vector<int> sums;
  sums.assign(n, 0);
  int most = 0;
  double limit = 1e9;
  for (size_t place = 0; place < points.size(); place++) {
    int table[256] = {0};
    std::copy(points[place].begin(), points[place].end(), table);
    most += *std::max_element(points[place].begin(), points[place].end());
    const uint8_t* answer = cells.answer[place].data();
    double share[256] = {0}, mean = 0, square = 0;
    for (int i = 0; i < n; i++) {
      sums[i] += table[answer[i]];
      share[answer[i]] += cells.weight[i];
    }
    for (size_t b = 0; b < points[place].size(); b++) mean += share[b] * points[place][b];
    for (size_t b = 0; b < points[place].size(); b++) square += share[b] * (points[place][b] - mean) * (points[place][b] - mean);
    if (square > 0) limit = std::min(limit, problem.effect_limit / std::sqrt(square));
  }
  std::vector<double> weight(most + 1, 0.0), positive(most + 1, 0.0);
  for (int i = 0; i < n; i++) {
    weight[sums[i]] += cells.weight[i];
    positive[sums[i]] += cells.positive[i];
  }
  Totals totals;
  double mean = 0, all = 0, cases = 0;
  for (int t = 0; t <= most; t++) {
    if (!(weight[t] > 0)) continue;
    totals.weight.push_back(weight[t]);
    totals.positive.push_back(positive[t]);
    totals.total.push_back(t);
    mean += weight[t] * t;
    all += weight[t];
    cases += positive[t];
  }
  mean /= all;
  for (double& t : totals.total) t -= mean;
  const double empty = std::log(cases / (all - cases));
  double slope = std::min(std::max(card.slope, 0.0), limit), centre = empty;
  double value = totals.loss(slope, centre);
  if (const double other = totals.loss(0, empty); !(value <= other)) {
    slope = 0;
    centre = empty;
    value = other;
  }
  for (int round = 0; round < 200; round++) {
    const Slopes at(totals, slope, centre);
    if (!(at.across > 0)) break;
    const double shift = -at.by_centre / at.across;
    double da = at.along > 0 ? -at.by_slope / at.along : 0, db = shift - at.pivot * da;
    double farthest = 0;
    for (double t : totals.total) farthest = std::max(farthest, std::fabs(da * t + db));
    const double taken = -(at.by_slope * da + at.by_centre * shift);
    if (farthest <= 1 && value - taken - 1e-12 >= threshold) return false;
    if ((slope <= 0 && at.by_slope >= 0) || (slope >= limit && at.by_slope <= 0)) {
      da = 0;
      db = shift;
    }
    if (-(at.by_slope * da + at.by_centre * shift) < 1e-15) break;
    bool moved = false;
    double gained = 0;
    for (double size = 1; size > 1e-12; size *= 0.5) {
      // A step that leaves the interval of slopes ends on it, with the centre moved as far.
      const double next = std::min(std::max(slope + size * da, 0.0), limit);
      const double part = da != 0 ? (next - slope) / da : size;
      const double trial = totals.loss(next, centre + part * db);
      if (trial < value) {
        gained = value - trial;
        value = trial;
        slope = next;
        centre += part * db;
        moved = true;
        break;
      }
    }
    if (!moved || gained < 1e-17) break;
  }
  card.slope = slope;
  card.offset = centre - slope * mean;
  card.loss = value;
  card.limited = slope >= limit * (1 - 1e-12);
  return true;
}

}  // namespace supersparse
