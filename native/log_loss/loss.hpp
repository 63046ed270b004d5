// Log loss of weighted rows: the arrays of a problem, the loss at scores, the best slope and intercept of a card.
#pragma once
#include <cmath>
#include <cstring>

#include "base/array.hpp"
#include "log_loss/loops.hpp"

namespace supersparse::log_loss {

enum Count { kBoxes, kSupports, kCellPruned, kFitted, kRelaxed, kWork };  // of Support.counts
enum QuadraticPart { kBelow, kExpansion, kConvex, kRegion };
enum SupportState { kDepth, kSize, kRows, kFound, kLoaded };

constexpr double kInfinity = HUGE_VAL;

// The named tuples of engine/risk/kernels.py, which say what each field is.
struct RiskData {
  Matrix<double> x;
  Floats positive, negative;
  Matrix<int32_t> ranks;
  Ints distinct;
  Floats scale, offset;
  Matrix<double> values;
  Ints zero;
  Matrix<double> penalty;
  Cube<double> tables;
  Floats most, cap, reach, limits;
  Cube<double> rates;
  Matrix<double> rate_most;
  double threshold, pull;
  int64_t slope_is_free, strict;
  double tolerance;

  int64_t n_rows() const { return x.columns; }
  int64_t n_columns() const { return x.rows; }
};

struct Best {
  Floats value;
  Ints index;
  Floats fit;
};

struct SwapRecord {
  Matrix<int64_t> index;
  Ints count;
};

struct Support {
  Ints state, columns, order;
  Matrix<double> x;
  Floats positive, negative;
  Matrix<double> work;
  Array<int32_t> ids;
  Ints counts;
  Floats floor;
  Matrix<int64_t> found;
  Floats found_bound;
};

template <class T>
struct Cubes {
  T* data = nullptr;
  int64_t cubes = 0, layers = 0, rows = 0, columns = 0;

  Cube<T> cube(int64_t i) const { return {data + i * layers * rows * columns, layers, rows, columns}; }
};

struct Boxes {
  Matrix<int64_t> low, high;
  Matrix<double> points;
  Ints quadratic;
  Cubes<double> quadratics;
};

inline double loss_at(Floats z, Floats positive, Floats negative, Floats e, int64_t n) {
  return loops().loss_at(z.data, positive.data, negative.data, e.data, n);
}
inline Slopes slopes_at(Floats z, Floats e, Floats positive, Floats negative, Floats residual, Floats curve, int64_t n) {
  return loops().slopes_at(z.data, e.data, positive.data, negative.data, residual.data, curve.data, n);
}
inline double entropy_of(Floats risk, Floats positive, Floats negative, int64_t n) {
  return loops().entropy_of(risk.data, positive.data, negative.data, n);
}
inline double dot(Floats x, Floats y, int64_t n) { return loops().dot(x.data, y.data, n); }
inline double total(Floats x, int64_t n) { return loops().total(x.data, n); }

template <class T>
void fill(Array<T> target, T value, int64_t n) {
  for (int64_t i = 0; i < n; i++) target[i] = value;
}
template <class T>
void copy(Array<T> target, Array<T> source, int64_t n) {
  if (n > 0) std::memmove(target.data, source.data, n * sizeof(T));
}
inline bool same(Ints one, Ints other, int64_t n) { return n <= 0 || std::memcmp(one.data, other.data, n * sizeof(int64_t)) == 0; }

// Rows on the line of scores: what a card's slope and intercept change.
struct Scores {
  Floats score, positive, negative;
  int64_t n;

  double loss(double a, double b) const { return loops().loss_on_line(score.data, a, b, positive.data, negative.data, n); }
  Line line(double a, double b) const { return loops().line(score.data, a, b, positive.data, negative.data, n); }
  Line line(double a, double b, LineSizes& sizes) const {
    return loops().line_and_sizes(score.data, a, b, positive.data, negative.data, n, &sizes);
  }
};

// The intercept with the least loss at slope a, from b.
double best_intercept(const Scores& rows, double a, double b);

enum class Accuracy { quick, full };

// The least loss of a score + b over b and, if free, over a in [0, most]; start = (a, b) is improved.
// Unless accurate, it ends with an estimate as soon as the loss cannot be expected to come down to `enough`.
double calibrate(const Scores& rows, Floats start, bool slope_is_free, double most, Accuracy accuracy, double enough);

}  // namespace supersparse::log_loss
