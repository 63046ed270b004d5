#include "errors/ratio_separation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "errors/ratio_loops.hpp"

namespace supersparse::ratios {
namespace {

constexpr double kZero = 1e-9;  // what counts as nothing
constexpr int64_t kMostSteps = 60;
constexpr double kInfinite = std::numeric_limits<double>::infinity();

struct Extremes {
  int64_t up, down;
};
struct Entry {
  int64_t what;  // numbered as in `basis`; -1 for none
  double cost;
};

// Lists the features that can help, and begins with the middle of the box; returns their number.
int64_t begin_features(const Separation& s, Singles low, Singles high) {
  int64_t k = 0;
  for (int64_t f = 0; f < low.size; f++) {
    if ((low[f] == 0 && high[f] == 0) || s.range[f] <= 0) continue;
    s.feature[k] = f;
    s.low[k] = low[f] * s.range[f];
    s.high[k] = high[f] * s.range[f];
    s.dual[k] = -0.5 * (s.low[k] + s.high[k]);
    k++;
  }
  return k;
}

// The scores of all points with the ratios of the dual.
void write_scores(const Separation& s, int64_t k) {
  std::fill(s.score.begin(), s.score.end(), 0.0);
  for (int64_t t = 0; t < k; t++) loops().add(s.score.size, -s.dual[t], s.part.row(s.feature[t]).data, s.score.data);
}

// The taken positive point of least score and the negative one of largest; -1 where there is none.
Extremes most_extreme(const Separation& s, int64_t n_positive) {
  double lowest = kInfinite, highest = -kInfinite;
  Extremes found{-1, -1};
  for (int64_t i = 0; i < n_positive; i++)
    if (s.is_taken[i] && s.score[i] < lowest) lowest = s.score[i], found.up = i;
  for (int64_t i = n_positive; i < s.score.size; i++)
    if (s.is_taken[i] && s.score[i] > highest) highest = s.score[i], found.down = i;
  return found;
}

// The basis of one pair of points, and of the features by the signs of their differences.
void begin_basis(const Separation& s, int64_t k, const Extremes& pair) {
  const int64_t points = s.score.size;
  for (int64_t a = 0; a < k + 2; a++)
    for (int64_t b = 0; b < k + 2; b++) s.inverse(a, b) = 0;
  for (int64_t t = 0; t < k; t++) {
    const double x = s.part(s.feature[t], pair.up), z = s.part(s.feature[t], pair.down);
    const bool gives = x >= z;
    const double sign = gives ? 1.0 : -1.0;
    s.inverse(t, t) = -sign;
    s.inverse(t, k) = sign * x;
    s.inverse(t, k + 1) = -sign * z;
    s.basis[t] = gives ? points + t : points + k + t;
    s.cost[t] = gives ? s.high[t] : -s.low[t];
    s.value[t] = std::abs(x - z);
  }
  for (int64_t side = 0; side < 2; side++) {
    s.inverse(k + side, k + side) = 1;
    s.basis[k + side] = side ? pair.down : pair.up;
    s.cost[k + side] = 0;
    s.value[k + side] = 1;
  }
}

// Writes the dual of the basis, the ratios with their signs turned; returns the sum.
double write_dual(const Separation& s, int64_t m) {
  double total = 0;
  std::fill(s.dual.begin(), s.dual.begin() + m, 0.0);
  for (int64_t a = 0; a < m; a++) {
    total += s.cost[a] * s.value[a];
    if (s.cost[a] != 0) loops().add(m, s.cost[a], s.inverse.row(a).data, s.dual.data);
  }
  return total;
}

// The column that lowers the sum fastest, and its cost.
Entry entering(const Separation& s, int64_t k, int64_t n_positive) {
  const int64_t points = s.score.size;
  write_scores(s, k);
  const auto [up, down] = most_extreme(s, n_positive);
  Entry best{-1, 0};
  double gain = kZero;
  const auto offer = [&](double own, int64_t what, double cost) {
    if (own > gain) gain = own, best = {what, cost};
  };
  offer(s.dual[k] - s.score[up], up, 0);
  offer(s.dual[k + 1] + s.score[down], down, 0);
  for (int64_t t = 0; t < k; t++) {
    offer(-s.dual[t] - s.high[t], points + t, s.high[t]);
    offer(s.low[t] + s.dual[t], points + k + t, -s.low[t]);
  }
  return best;
}

// Writes what enters in terms of the basis.
void write_column(const Separation& s, int64_t k, int64_t n_positive, int64_t what) {
  const int64_t points = s.score.size;
  if (what >= points) {
    const bool gives = what < points + k;
    const int64_t t = gives ? what - points : what - points - k;
    for (int64_t a = 0; a < k + 2; a++) s.column[a] = gives ? -s.inverse(a, t) : s.inverse(a, t);
    return;
  }
  const int64_t side = what < n_positive ? k : k + 1;
  const double sign = what < n_positive ? 1.0 : -1.0;
  for (int64_t a = 0; a < k + 2; a++) {
    double total = s.inverse(a, side);
    for (int64_t t = 0; t < k; t++) total += sign * s.part(s.feature[t], what) * s.inverse(a, t);
    s.column[a] = total;
  }
}

// Which of the basis becomes 0 first; -1 for none.
int64_t leaving(const Separation& s, int64_t m) {
  int64_t row = -1;
  double step = kInfinite;
  for (int64_t a = 0; a < m; a++)
    if (s.column[a] > kZero && s.value[a] < step * s.column[a]) {
      row = a;
      step = std::max(0.0, s.value[a]) / s.column[a];
    }
  return row;
}

// Lets something enter the basis in the place of another.
void replace(const Separation& s, int64_t m, int64_t row, const Entry& entry) {
  const double over = 1.0 / s.column[row], step = s.value[row] * over;
  const Floats pivot = s.inverse.row(row);
  for (int64_t b = 0; b < m; b++) pivot[b] *= over;
  for (int64_t a = 0; a < m; a++) {
    if (a == row || s.column[a] == 0) continue;
    s.value[a] -= s.column[a] * step;
    loops().add(m, -s.column[a], pivot.data, s.inverse.row(a).data);
  }
  s.value[row] = step;
  s.basis[row] = entry.what;
  s.cost[row] = entry.cost;
}

// Writes the weights of the points; false where a class has none.
bool write_weights(const Separation& s, int64_t m, int64_t n_positive) {
  const int64_t points = s.score.size;
  double up = 0, down = 0;
  std::fill(s.weight.begin(), s.weight.end(), 0.0);
  for (int64_t a = 0; a < m; a++)
    if (s.basis[a] < points && s.value[a] > 0) {
      s.weight[s.basis[a]] = s.value[a];
      (s.basis[a] < n_positive ? up : down) += s.value[a];
    }
  for (int64_t i = 0; i < points; i++) s.weight[i] /= i < n_positive ? up : down;
  return up > 0.5 && down > 0.5;
}

// The largest value in the box of the difference of the weighted means.
double reach_of_weights(const Separation& s, int64_t k, int64_t n_positive) {
  double reach = 0;
  for (int64_t t = 0; t < k; t++) {
    const Floats part = s.part.row(s.feature[t]);
    double d = 0;
    for (int64_t i = 0; i < part.size; i++)
      if (s.weight[i] > 0) d += i < n_positive ? s.weight[i] * part[i] : -s.weight[i] * part[i];
    reach += std::max(s.low[t] * d, s.high[t] * d);
  }
  return reach;
}

}  // namespace

int64_t separate(const Separation& s, int64_t n_positive, Singles low, Singles high, double gap) {
  const int64_t k = begin_features(s, low, high);
  write_scores(s, k);
  const Extremes pair = most_extreme(s, n_positive);
  if (pair.up < 0 || pair.down < 0) return -1;
  begin_basis(s, k, pair);
  for (int64_t step = 1; step <= kMostSteps; step++) {
    if (write_dual(s, k + 2) < gap) {
      const bool is_proven = write_weights(s, k + 2, n_positive) && reach_of_weights(s, k, n_positive) < gap;
      return is_proven ? step : -step;
    }
    const Entry entry = entering(s, k, n_positive);
    if (entry.what < 0) return -step;
    write_column(s, k, n_positive, entry.what);
    const int64_t row = leaving(s, k + 2);
    if (row < 0) return -step;
    replace(s, k + 2, row, entry);
  }
  return -kMostSteps;
}

}  // namespace supersparse::ratios
